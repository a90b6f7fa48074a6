"""Inputs that are no plain files, or change while a site is built: what is missing then is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

START = """
import os, sys
times = 0
def hook(event, details):
    global times
    if event == "open" and str(details[0]).endswith("a.json"):
        times += 1
        if times == 2:  # once it is read, and not yet for its page
            {change}
sys.addaudithook(hook)
from sitegen.__main__ import main
main()
"""

CHANGES = {
    "grows": "open('runs/a.json.part', 'w').write('more'), os.system('cat runs/a.json.part >> runs/a.json')",
    "is cut": "os.truncate('runs/a.json', 300)",
    "is emptied": "os.truncate('runs/a.json', 0)",
    "is another run": "os.rename('other', 'runs/a.json')",
    "vanishes": "os.unlink('runs/a.json')",
    "becomes a link": "os.unlink('runs/a.json'), os.symlink('b.json', 'runs/a.json')",
    "becomes a pipe": "os.unlink('runs/a.json'), os.mkfifo('runs/a.json')",
}


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_file_that_changes_before_its_page_is_made_is_shown_with_a_warning(
    tmp_path: Path, change: str
) -> None:
    campaigns.write(
        tmp_path, {"runs/a.json": result(1), "runs/b.json": result(2), "other": result(3)}
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            START.format(change=change),
            "build",
            "-j",
            "1",
            "--no-cache",
            "runs",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("warn     a.json: Its texts are missing from its page: the file ")
    assert line.endswith("build again. [W_CHANGED]")
    found = json.loads((tmp_path / "site/data/problems.json").read_text("utf-8"))["problems"]
    assert [(problem["file"], problem["code"]) for problem in found] == [("a.json", "W_CHANGED")]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
def test_links_and_special_files_that_are_not_read_are_counted_in_one_sentence(
    tmp_path: Path,
) -> None:
    campaigns.write(
        tmp_path,
        {"runs/a.json": result(1), "else/b.json": result(2), "c.yaml": "ignore: [later]\n"},
    )
    (tmp_path / "runs" / "later").symlink_to("../else")

    def said(*arguments: str) -> str:
        return sitegen(*arguments, "runs", cwd=tmp_path).stderr

    advice = "To read a link's target, name that target. To hide this line, add {} to `ignore`.\n"
    assert said("check") == f"1 link in the inputs was not read. {advice.format('it')}"
    (tmp_path / "runs" / "b.json").symlink_to("../else/b.json")
    os.mkfifo(tmp_path / "runs" / "pipe")
    for command in ("build", "check"):
        assert (
            said(command)
            == f"2 links and 1 pipe, socket or device in the inputs were not read. {advice.format('them')}"
        )
    assert said("check", "-c", "c.yaml").startswith("1 link and 1 pipe, socket or device")
    page = (tmp_path / "site" / "problems.html").read_text(encoding="utf-8")
    assert "2 links and 1 pipe, socket or device in the inputs were not read." in page
