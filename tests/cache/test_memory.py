"""What a memory says of a file: a stamp of its own, and none while its times could lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.cache.memory import YOUNG_NS, Memory

OLD_NS = 10**18


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "cache", tmp_path / "site")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that was written long ago, as it says, and whose status changed now."""
    path = tmp_path / "a.json"
    path.write_text("{}", encoding="utf-8")
    os.utime(path, ns=(OLD_NS, OLD_NS))
    return path


def start(memory: Memory, time_ns: int) -> None:
    """Let the build have begun at a time."""
    memory._started_ns = time_ns


@pytest.mark.parametrize(("age_ns", "is_known"), [(YOUNG_NS, True), (YOUNG_NS - 1, False)])
def test_a_file_whose_status_changed_just_now_has_no_stamp(
    age_ns: int, is_known: bool, memory: Memory, file: Path
) -> None:
    start(memory, file.stat().st_ctime_ns + age_ns)
    assert (memory.stamp_of_file(file) is not None) is is_known


@pytest.mark.parametrize(("age_ns", "is_known"), [(YOUNG_NS, True), (YOUNG_NS - 1, False)])
def test_a_file_that_was_written_just_now_has_no_stamp(
    age_ns: int, is_known: bool, memory: Memory, file: Path
) -> None:
    written_ns = file.stat().st_ctime_ns + 100 * YOUNG_NS
    os.utime(file, ns=(written_ns, written_ns))
    start(memory, written_ns + age_ns)
    assert (memory.stamp_of_file(file) is not None) is is_known


def test_a_stamp_tells_files_and_what_is_made_of_them_apart(memory: Memory, file: Path) -> None:
    start(memory, file.stat().st_ctime_ns + 100 * YOUNG_NS)
    stamp = memory.stamp_of_file(file)
    assert stamp is not None and stamp == memory.stamp_of_file(file)
    assert memory.stamp_of_file(file, "page") != stamp
    file.write_text("{ }", encoding="utf-8")
    os.utime(file, ns=(OLD_NS, OLD_NS))
    larger = memory.stamp_of_file(file)
    assert larger != stamp
    os.utime(file, ns=(OLD_NS, OLD_NS + 1))
    assert memory.stamp_of_file(file) != larger


def test_a_file_that_is_not_there_has_no_stamp(memory: Memory, tmp_path: Path) -> None:
    assert memory.stamp_of_file(tmp_path / "none") is None


def test_without_a_folder_nothing_has_a_stamp(tmp_path: Path, file: Path) -> None:
    closed = Memory(None, tmp_path / "site")
    start(closed, file.stat().st_ctime_ns + 100 * YOUNG_NS)
    assert closed.stamp_of_file(file) is None
