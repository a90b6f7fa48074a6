"""The whole command where its surroundings fail: one sentence, the exit code of `--help`, and the old site whole."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "sitegen", "build", "-q", "runs"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A folder with runs, the site of them, and one more run that is not in it yet."""
    campaigns.write(tmp_path, {f"runs/{number}.json": result(number) for number in range(1, 60)})
    subprocess.run(COMMAND, cwd=tmp_path, env=ENVIRONMENT, check=True)
    campaigns.write(tmp_path, {"runs/new.json": result(99)})
    return tmp_path


@pytest.mark.nightly
def test_too_many_open_files_leave_the_old_site_or_a_whole_new_one(campaign: Path) -> None:
    before, codes = tree(campaign / "site"), set()
    for most in (10, 18, 20, 24):
        done = subprocess.run(
            [*COMMAND, "-j", "2", "--no-cache"],
            cwd=campaign,
            env=ENVIRONMENT,
            capture_output=True,
            encoding="utf-8",
            preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),
        )
        codes.add(done.returncode)
        assert done.returncode in (0, 4), done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode == 4:  # vl-convert says on its own why it panics
            said = [line for line in done.stderr.splitlines() if line.startswith("sitegen: ")]
            assert len(said) == 1 and done.stderr.rstrip().endswith(said[0]), done.stderr
            assert tree(campaign / "site") == before
    assert 4 in codes
    subprocess.run(
        COMMAND, cwd=campaign, env=ENVIRONMENT, check=True
    )  # clearing away takes open files too
    assert sorted(path.name for path in campaign.iterdir()) == ["runs", "site"]


def test_a_closed_output_does_not_keep_a_site_from_being_written(campaign: Path) -> None:
    command = " ".join([*COMMAND[:4], "-v", "runs"])
    for number, closed in enumerate((f"{command} >&-", f"{command} >&- 2>&-", f"{command} | true")):
        before = tree(campaign / "site")
        campaigns.write(campaign, {f"runs/closed-{number}.json": result(number + 100)})
        subprocess.run(
            ["/bin/sh", "-c", closed],
            cwd=campaign,
            env=ENVIRONMENT,
            capture_output=True,
            check=True,
        )
        assert len(tree(campaign / "site")) > len(before), closed


def test_no_clock_decides_anything(campaign: Path) -> None:
    subprocess.run(COMMAND, cwd=campaign, env=ENVIRONMENT, check=True)
    before = tree(campaign / "site")
    for moment in (0, 4 * 10**9):  # 1970, and 2096
        for path in [
            *(campaign / "runs").iterdir(),
            *(campaign / "site").rglob("*"),
            campaign / "site",
        ]:
            os.utime(path, (moment, moment))
        subprocess.run(COMMAND, cwd=campaign, env=ENVIRONMENT, check=True)
        assert tree(campaign / "site") == before
