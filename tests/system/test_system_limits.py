"""Where the system allows too little, the command says what ran short and what to do, and goes on where it can."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.system.system_limits import FILES, MEMORY, PROCESSES, shortage
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs the limits of Linux")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of runs, so many that several processes read them."""
    tmp_path.chmod(0o777)
    return campaigns.write(
        tmp_path, {f"runs/{number}.json": result(number) for number in range(1, 60)}
    )


def build(folder: Path, shell: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which $SITEGEN stands for the command."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SITEGEN": f"{sys.executable} -m sitegen"}
    return subprocess.run(
        ["bash", "-c", shell], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )


def test_a_bounded_address_space_is_named_as_the_reason_for_tables_instead_of_charts(
    runs: Path,
) -> None:
    done = build(runs, "ulimit -v 1000000; $SITEGEN build --no-cache -j 2 runs")
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "Charts are shown as tables only because vl-convert could not draw 3 of 3: the address space"
    )
    assert "(`ulimit -v`)" in line
    assert "install" not in line


def test_a_build_that_may_start_no_process_is_made_in_one_and_says_why_there_are_no_charts(
    runs: Path,
) -> None:
    caps = "+dac_override,+dac_read_search"
    alone = f"setpriv --regid 61234 --reuid 61234 --clear-groups --inh-caps {caps} --ambient-caps {caps}"
    prefix = alone if os.geteuid() == 0 else "env"  # no limit of processes holds for root
    if os.geteuid() == 0 and (
        not shutil.which("setpriv") or build(runs, f"{alone} true").returncode
    ):
        pytest.skip("the user cannot be changed here")
    command = "env -u SITEGEN_CACHE_DIR $SITEGEN build --no-cache -j 2 runs"
    for most in (1, 3):
        done = build(runs, f"{prefix} bash -c 'ulimit -u {most}; exec {command} -o site-{most}'")
        assert done.returncode == 0, done.stderr
        (line,) = done.stderr.splitlines()
        assert (
            line
            == f"Charts are shown as tables only because vl-convert could not draw 3 of 3: {PROCESSES}."
        )


@pytest.mark.nightly
def test_too_little_memory_is_no_fault_of_sitegen(runs: Path) -> None:
    """With much less, a library written in Rust aborts while it is loaded, and nobody can say anything."""
    said = []
    for kilobytes in range(130_000, 80_000, -5_000):
        done = build(runs, f"ulimit -v {kilobytes}; $SITEGEN build --no-cache -j 1 runs")
        shutil.rmtree(runs / "site", ignore_errors=True)
        if done.returncode == 0 or "memory allocation of" in done.stderr:
            continue
        is_ours = "internal" in done.stderr or "Traceback" in done.stderr
        assert (done.returncode, is_ours) == (4, False), done.stderr
        said.append(MEMORY in done.stderr)
        if len(said) == 2:
            break
    assert said and all(said)


@pytest.mark.parametrize(("redirected", "said"), [(">/dev/full", True), ("2>/dev/full", False)])
def test_output_that_cannot_be_written_keeps_no_site_from_being_written(
    runs: Path, redirected: str, *, said: bool
) -> None:
    campaigns.write(runs, {"runs/broken.json": ""})
    done = build(runs, f"$SITEGEN build runs {redirected}")
    assert done.returncode == 1
    assert (runs / "site" / "index.html").exists()
    expected = "sitegen: the site is written, but its report could not be printed: the disk is full, free some space"
    assert (done.stderr.splitlines()[-1:] == [expected]) == said
    assert "Exception ignored" not in done.stderr


def test_a_gate_decides_the_exit_code_also_where_the_reader_of_the_output_has_gone(
    runs: Path,
) -> None:
    campaigns.write(runs, {"config.yaml": "gates: {runs: {min: 900}}\n"})
    done = build(runs, "($SITEGEN build runs; echo $? >code) | true")
    assert ((runs / "code").read_text(), done.stderr[:12]) == ("3\n", "gate failed:")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), MEMORY),
        (OSError(errno.EAGAIN, "again"), PROCESSES),
        (OSError(errno.EMFILE, "files"), FILES),
        (RuntimeError("can't start new thread"), PROCESSES),
        (RuntimeError("another"), None),
        (OSError(errno.EIO, "io"), None),
        (None, None),
    ],
)
def test_what_ran_short_is_known_by_the_error(
    error: BaseException | None, said: str | None
) -> None:
    assert shortage(error) == said


def test_an_error_behind_which_another_stands_is_that_other() -> None:
    hidden = RuntimeError("cannot join thread before it is started")
    hidden.__context__ = RuntimeError("can't start new thread")
    assert shortage(hidden) == PROCESSES


@pytest.mark.parametrize("arguments", ["--help", "--version", "build --help", "schema"])
def test_words_that_cannot_be_printed_are_one_sentence(tmp_path: Path, arguments: str) -> None:
    done = build(tmp_path, f"$SITEGEN {arguments} >/dev/full")
    expected = "sitegen: could not print all of the output: the disk is full, free some space\n"
    assert (done.returncode, done.stderr) == (1, expected)
    assert build(tmp_path, f"$SITEGEN {arguments} | head -c 0").stderr == ""


def test_a_usage_error_that_cannot_be_printed_is_no_traceback(tmp_path: Path) -> None:
    assert build(tmp_path, "$SITEGEN build --no-such 2>/dev/full").returncode == 2


def test_a_summary_that_cannot_be_written_says_why(runs: Path) -> None:
    done = build(runs, "$SITEGEN build -q runs --summary /dev/full")
    why = "the summary could not be written to /dev/full: the disk is full, free some space"
    assert (done.returncode, done.stderr) == (1, f"sitegen: the site is written, but {why}\n")
