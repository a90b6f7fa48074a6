"""docs/campaign.md, followed to the letter, ends green; and every command of the documents is one that sitegen takes."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest

from sitegen.cli.commands import cli
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result

BLOCK = re.compile(r"^```(sh|yaml|csv)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLACEHOLDER = re.compile(r"\$\{?\w+\}?")
CLAUDE = """#!/bin/sh
# Prints the next of the results.
count=$(cat "$RESULTS/count" 2>/dev/null || echo 0)
echo $((count + 1)) > "$RESULTS/count"
cat "$RESULTS/$count.json"
"""


def commands_in(path: Path) -> list[list[str]]:
    """Return the command lines of sitegen in the blocks of a document, as words."""
    commands: list[list[str]] = []
    for kind, block in BLOCK.findall(path.read_text(encoding="utf-8")):
        lines = block.replace("\\\n", " ").splitlines() if kind == "sh" else []
        for line in lines:
            command = re.split(r"\|\||&&|[|;>]", line)[0].strip()
            if command.startswith("sitegen "):
                words = PLACEHOLDER.sub("2026-11-18", command)
                commands.append(shlex.split(words, comments=True)[1:])
    return commands


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_of_a_document_is_one_that_sitegen_takes(path: Path) -> None:
    for name, *words in commands_in(path):
        if name == "--help":
            continue
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, f"{path.name}: sitegen {name}"
        if "--help" not in words:
            command.make_context(name, list(words))


def test_the_documents_have_commands() -> None:
    assert sum(len(commands_in(path)) for path in DOCUMENTS) > 30


@pytest.mark.skipif(os.name != "posix", reason="the document has commands of a shell")
def test_the_campaign_from_a_to_z_ends_green(tmp_path: Path) -> None:
    text = (ROOT / "docs/campaign.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    settings = "".join(block for kind, block in blocks if kind == "yaml")
    (rows,) = (block for kind, block in blocks if kind == "csv")
    loop, serve, *later = (block for kind, block in blocks if kind == "sh")
    assert serve == "sitegen serve\n"
    models = (OPUS, OPUS, OPUS, SONNET, SONNET, SONNET)
    results = {f"{count}.json": result(count + 1, model) for count, model in enumerate(models)}
    campaigns.write(tmp_path / "results", results)
    program = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m sitegen "$@"\n'
    campaigns.write(tmp_path / "bin", {"claude": CLAUDE, "sitegen": program})
    for name in ("claude", "sitegen"):
        (tmp_path / "bin" / name).chmod(stat.S_IRWXU)
    work = campaigns.write(tmp_path / "work", {"tasks/fix-login.md": "Fix the login.\n"})
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RESULTS": str(tmp_path / "results"),
    }
    begin = (
        "git init -q && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm a\n"
    )
    scripts = [begin + loop, *later]
    for number, script in enumerate(scripts):
        if number == 1:
            campaigns.write(work, {"config.yaml": settings, "outcomes.csv": rows})
        done = subprocess.run(
            ["sh", "-ec", script], cwd=work, env=environment, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (work / "site/index.html").exists() and (work / "spring.zip").exists()
