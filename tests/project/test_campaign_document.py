"""docs/campaign.md, followed to the letter, ends green; and every command of the documents is one that sitegen takes."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import click
import pytest

from sitegen.cli.commands import cli
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.transcripts import Teller, lines

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


RUN_IN_OTHER_TESTS = {"campaign.md", "nightly.md", "addresses.md", "scale.md"}
"""Documents whose commands belong together, or need a store or a cluster."""
SETTINGS = """
outcomes: [outcomes.csv]
verdicts: {hard: {column: hard, main: true}}
"""
RUNNABLE = [
    (path.name, words)
    for path in DOCUMENTS
    if path.name not in RUN_IN_OTHER_TESTS
    for words in commands_in(path)
    if words[0] not in ("serve", "--help")
]


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder with all that the documents assume beside a command: runs, settings, archives, sessions."""
    runs = {
        f"runs/{task}/{model}/{attempt}.json": result(number, model)
        for number, (task, model, attempt) in enumerate(
            product(("join", "split"), (OPUS, SONNET), (1, 2)), 1
        )
    }
    rows = "".join(f"{path.removeprefix('runs/')},pass\n" for path in runs)
    inputs = "inputs: [{path: runs, pattern: '{task}/{model}/{attempt}.*'}]\n"
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    teller = Teller()
    asked, answer = teller.prompt("Fix it.", timestamp=now), teller.says("Done.", timestamp=now)
    settings = "view: sessions\ninputs: [sessions]\n"
    sessions = dict.fromkeys(("team.yaml", "mine.yaml", "report.yaml"), settings)
    sessions["sessions/a.jsonl"] = lines(asked, answer).decode()
    files = {**runs, **sessions, "config.yaml": inputs + SETTINGS, "shared/README": ""}
    return campaigns.write(tmp_path, {**files, "outcomes.csv": f"path,hard\n{rows}"})


@pytest.mark.blank_charts
@pytest.mark.parametrize(
    ("document", "words"), RUNNABLE, ids=lambda value: value if isinstance(value, str) else None
)
def test_a_command_of_a_document_does_what_it_says(
    reports: Path, document: str, words: list[str]
) -> None:
    for word in words[1:]:
        if word.endswith(".zip") and "-o" not in words[: words.index(word)][-1:]:
            assert sitegen("pack", "runs", "-o", word, cwd=reports).returncode == 0
    local = [word.removeprefix("/") for word in words]
    done = sitegen(*local, cwd=reports)
    assert done.returncode == 0, f"{document}: {done.stderr}"
    if "-o" in local:
        assert (reports / local[local.index("-o") + 1]).exists()


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
