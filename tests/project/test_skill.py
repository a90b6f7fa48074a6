"""The skill for agents: its commands, in their order, on the demo; and the same text wherever it is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.support.command import sitegen

SKILL = (ROOT / "templates" / "SKILL.md").read_text(encoding="utf-8")
PLUGIN = ROOT / "integrations" / "claude-code"


def test_the_command_and_the_plug_in_have_the_same_skill() -> None:
    assert sitegen("skill").stdout == SKILL
    plugged = PLUGIN / "skills" / "sitegen" / "SKILL.md"
    assert plugged.is_symlink() and plugged.resolve() == ROOT / "templates" / "SKILL.md"
    head = yaml.safe_load(SKILL.split("---")[1])
    assert head.keys() == {"name", "description"} and len(head["description"]) <= 1024


def test_the_marketplace_lists_the_plug_in() -> None:
    listed = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    (plugin,) = listed["plugins"]
    stated = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert (ROOT / plugin["source"]).resolve() == PLUGIN and plugin["name"] == stated["name"]
    assert listed["name"] and listed["owner"]["name"]


Command = Callable[..., subprocess.CompletedProcess[str]]
"""Runs sitegen with arguments, in the folder `cwd`."""


@pytest.mark.slow
def test_an_agent_that_follows_it_gets_a_checked_page(tmp_path: Path) -> None:
    follow_skill(SKILL, sitegen, tmp_path)


def follow_skill(skill: str, command: Command, folder: Path) -> None:
    """Do what the skill says, literally, with a copy of the demo, and look at the page that comes of it."""
    for name in ("config.yaml", "examples"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for kind, block in re.findall(r"```(sh|markdown)\n(.*?)```", skill, re.DOTALL):
        if kind == "markdown":
            (folder / "analysis.md").write_text(block)
            settings = folder / "config.yaml"
            stated = settings.read_text()
            settings.write_text(re.sub(r"(?m)^pages: .*$", "pages: [analysis.md]", stated))
            continue
        for line in block.splitlines():
            follow_line(line, command, folder)
    page = (folder / "site" / "analysis.html").read_text()
    assert re.search(r"Of all runs, \d+% \(95% interval .*?\) passed\.", page)


def follow_line(line: str, command: Command, folder: Path) -> None:
    program, *arguments = line.split()
    if program == "sitegen":
        done = command(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"(?m)^pages ", done.stdout)
    else:
        subprocess.run(["sh", "-c", line], cwd=folder, check=True, capture_output=True)
