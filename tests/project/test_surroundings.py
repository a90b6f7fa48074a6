"""The suite without a browser, once more in surroundings that differ: another locale, another time zone.

What must not depend on them is everything, so the tests are run as they are; those that need a browser, the clone's
tools or much time are left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

pytestmark = pytest.mark.slow

TESTED = (
    "site/test_bad_inputs.py",
    "site/test_build.py",
    "pages/compare/test_compare.py",
    "config/test_config.py",
    "pages/test_data.py",
    "inputs/test_discover.py",
    "test_figures.py",
    "numbers/test_gates.py",
    "site/test_groups.py",
    "html/test_markdown.py",
    "text/test_names.py",
    "outcomes/test_outcomes.py",
    "inputs/test_patch.py",
    "readers/test_readers.py",
    "masking/test_redact.py",
    "numbers/test_statistics.py",
    "cli/test_step_summary.py",
    "numbers/test_success.py",
)
OTHER = {
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "TZ": "Pacific/Kiritimati",
    "COLUMNS": "40",
}


def test_the_files_of_the_suite_that_the_night_runs_again_are_there() -> None:
    assert [name for name in TESTED if not (ROOT / "tests" / name).is_file()] == []


@pytest.mark.nightly
def test_the_suite_passes_in_the_locale_c_and_in_another_time_zone() -> None:
    files = [f"tests/{name}" for name in TESTED]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        env={**os.environ, **OTHER},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-3_000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 500


def site_of(folder: Path, **environment: str) -> dict[str, bytes]:
    """The site of `folder/runs`, by path."""
    command = [sys.executable, "-m", "sitegen", "build", "-q", "runs", "-o", "site"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    site = folder / "site"
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }


def test_the_surroundings_change_no_byte_of_a_site(tmp_path: Path) -> None:
    """With names that are no text, and names that differ by their case alone."""
    runs = campaigns.write(tmp_path / "runs", {"a/Loop.json": result(1), "a/loop.json": result(2)})
    (runs / os.fsdecode(b"caf\xe9.json")).write_bytes(
        (runs / "a" / "loop.json").read_bytes().replace(b"2", b"3")
    )
    here = site_of(tmp_path)
    assert len([path for path in here if path.startswith("runs/")]) == 3
    assert len({path.casefold() for path in here}) == len(here)
    assert site_of(tmp_path, **OTHER) == here
    assert site_of(tmp_path, LC_ALL="C.UTF-8", TZ="America/St_Johns", PYTHONHASHSEED="7") == here
