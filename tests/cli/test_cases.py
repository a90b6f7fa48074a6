"""Commands, and what they print, write and exit with: `cases/CASE.yaml` has `files`, the `commands` that are run one after the
other in their folder, and the names of written files to `show`; beside it is what has to come of them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.support import cases, drawings, scenarios
from tests.support.command import forked

CASES = cases.inputs(ROOT / "tests" / "cli" / "cases")
SIZE = re.compile(r'\b\d+(\.\d+)? [kM]B\b|(?<="bytes": )\d+')
"""Sizes differ from machine to machine, and with each change of a page."""


def shown(text: str, folder: Path) -> list[str]:
    """Return the lines of an output without what differs from machine to machine."""
    return SIZE.sub("N MB", text.replace(str(folder), "FOLDER")).splitlines()


def run_commands(case: Path, folder: Path) -> list[dict[str, Any]]:
    """Run the commands of a case, and return what each prints and exits with, then the files to show."""
    content = yaml.safe_load(case.read_text(encoding="utf-8"))
    scenarios.write_files(content["files"], folder)
    results: list[dict[str, Any]] = []
    for command in content["commands"]:
        ended = forked(*shlex.split(command), cwd=folder, **{drawings.BLANK: "1"})
        results.append(
            {
                "command": command,
                "exit_code": ended.returncode,
                "output": shown(ended.stdout, folder),
                "errors": shown(ended.stderr, folder),
            }
        )
    for name in content.get("show", ()):
        text = (folder / name).read_text(encoding="utf-8")
        results.append({"file": name, "content": shown(text, folder)})
    return results


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_commands_print_what_they_do(case: Path, tmp_path: Path, refresh: bool) -> None:
    cases.compare(case, run_commands(case, tmp_path), refresh=refresh)
