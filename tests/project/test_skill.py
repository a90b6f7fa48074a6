"""The skill for agents: its commands, in their order, on the demo; and the same text wherever it is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.support.command import sitegen

SKILL = (ROOT / "templates" / "SKILL.md").read_text(encoding="utf-8")
PLUGIN = ROOT / "integrations" / "claude-code"
BLOCKS = re.findall(r"```(sh|markdown)\n(.*?)```", SKILL, re.DOTALL)


def test_the_command_and_the_plug_in_have_the_same_skill() -> None:
    assert sitegen("skill").stdout == SKILL
    assert (PLUGIN / "skills" / "sitegen" / "SKILL.md").read_text(encoding="utf-8") == SKILL
    head = yaml.safe_load(SKILL.split("---")[1])
    assert head.keys() == {"name", "description"} and len(head["description"]) <= 1024


def test_the_marketplace_lists_the_plug_in() -> None:
    listed = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    (plugin,) = listed["plugins"]
    stated = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert (ROOT / plugin["source"]).resolve() == PLUGIN and plugin["name"] == stated["name"]
    assert listed["name"] and listed["owner"]["name"]


@pytest.mark.slow
def test_an_agent_that_follows_it_gets_a_checked_page(tmp_path: Path) -> None:
    for name in ("config.yaml", "examples"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    for kind, block in BLOCKS:
        if kind == "markdown":
            (tmp_path / "analysis.md").write_text(block)
            settings = tmp_path / "config.yaml"
            stated = settings.read_text()
            settings.write_text(re.sub(r"(?m)^pages: .*$", "pages: [analysis.md]", stated))
            continue
        for line in block.splitlines():
            follow(line, tmp_path)
    page = (tmp_path / "site" / "analysis.html").read_text()
    assert re.search(r"Of all runs, \d+% \(95% interval .*?\) passed\.", page)


def follow(line: str, folder: Path) -> None:
    program, *arguments = line.split()
    if program == "sitegen":
        done = sitegen(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"(?m)^pages ", done.stdout)
    else:
        subprocess.run(["sh", "-c", line], cwd=folder, check=True, capture_output=True)
