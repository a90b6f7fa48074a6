"""Typical mistakes of users, and the one line that each gives, with its place and a remedy."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from sitegen import config
from sitegen.errors import ConfigError
from tests.conftest import ROOT
from tests.support import cases, drawings, scenarios
from tests.support.command import forked

FOLDER = ROOT / "tests" / "cli" / "mistakes"
DIVIDER = re.compile(r"^---\n", re.MULTILINE)


def test_each_mistake_in_settings_is_one_line_with_its_place(refresh: bool) -> None:
    case = FOLDER / "settings.yaml"
    texts = DIVIDER.split(case.read_text(encoding="utf-8"))
    messages: dict[str, str] = {}
    for text in texts:
        with pytest.raises(ConfigError) as caught:
            config.parse(text, "config.yaml")
        message = str(caught.value).splitlines()[0]
        assert re.match(r"config\.yaml:[1-9][0-9]*:[1-9][0-9]*: ", message)
        assert "\n\n" not in str(caught.value), "one fault has one message"
        messages[text.strip()] = message
    assert len(messages) > 90
    cases.compare(case, messages, refresh=refresh)


def test_each_mistake_on_the_command_line_is_one_line(tmp_path: Path, refresh: bool) -> None:
    case = FOLDER / "commands.yaml"
    content = yaml.safe_load(case.read_text(encoding="utf-8"))
    scenarios.write_files(content["files"], tmp_path)
    messages: dict[str, str] = {}
    for command in content["commands"]:
        ended = forked(*shlex.split(command), cwd=tmp_path, **{drawings.BLANK: "1"})
        lines = ended.stderr.splitlines()
        is_place_shown = len(lines) == 2 and lines[1].startswith("    ")
        assert len(lines) == 1 or is_place_shown, f"{command}: {ended.stderr}"
        messages[command] = f"exit {ended.returncode}: {lines[0]}"
    cases.compare(case, messages, refresh=refresh)
