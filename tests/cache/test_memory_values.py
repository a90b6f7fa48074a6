"""Which values a memory recalls from the build before, and what it forgets."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitegen.cache import memory as module
from sitegen.cache.memory import NO_MEMORY, Memory, ValueKind, decoded, encoded
from sitegen.cache.seal import KEY_VARIABLE
from sitegen.model import Source

TEXT: ValueKind[str] = ValueKind("text", str)
NUMBER: ValueKind[int] = ValueKind("number", int)
SHORT: ValueKind[str] = ValueKind("short", str, most_bytes=5)
STAMP, OTHER = b"stamp", b"other"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key that is known to this test")


@dataclass
class Builds:
    """Builds of one output, one after another."""

    folder: Path

    @contextmanager
    def next(self, site: str = "site") -> Iterator[Memory]:
        """A build that comes to its end."""
        memory = Memory(self.folder / "cache", self.folder / site)
        yield memory
        memory.keep_all()
        memory.close()

    @property
    def files(self) -> list[Path]:
        return sorted((self.folder / "cache" / "sites").iterdir())


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    return Builds(tmp_path)


def test_a_value_is_recalled_by_its_kind_key_and_stamp(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "value of a")
        first.keep(TEXT, "b", STAMP, "value of b")
        first.keep(NUMBER, "a", OTHER, 7)
    with builds.next() as second:
        assert second.recall(TEXT, "a", STAMP) == "value of a"
        assert second.recall(TEXT, "b", STAMP) == "value of b"
        assert second.recall(NUMBER, "a", OTHER) == 7
        assert second.recall(TEXT, "a", OTHER) is None
        assert second.recall(TEXT, "a", None) is None
        assert second.recall(TEXT, "c", STAMP) is None
        assert second.recall_last(TEXT, "a") == "value of a"
        assert second.recall_last(TEXT, "c") is None
        assert second.stamps(TEXT) == {"a": STAMP, "b": STAMP}
        assert second.stamps(NUMBER) == {"a": OTHER}


def test_what_a_build_did_not_use_is_forgotten(builds: Builds) -> None:
    with builds.next() as first:
        for name in ("used", "unused", "replaced"):
            first.keep(TEXT, name, STAMP, name)
    with builds.next() as second:
        second.recall(TEXT, "used", STAMP)
        second.keep(TEXT, "replaced", OTHER, "anew")
    with builds.next() as third:
        assert third.stamps(TEXT) == {"used": STAMP, "replaced": OTHER}
        assert third.recall(TEXT, "used", STAMP) == "used"
        assert third.recall(TEXT, "replaced", OTHER) == "anew"


def test_a_value_that_was_recalled_and_kept_anew_is_the_new_one(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "old")
    with builds.next() as second:
        assert second.recall(TEXT, "a", STAMP) == "old"
        second.keep(TEXT, "a", STAMP, "new")
    with builds.next() as third:
        assert third.recall(TEXT, "a", STAMP) == "new"


def test_a_build_that_changes_nothing_leaves_the_file_but_for_its_time(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "value")
    (file,) = builds.files
    os.utime(file, (10**9, 10**9))
    before = file.stat()
    with builds.next() as second:
        second.recall(TEXT, "a", STAMP)
    after = file.stat()
    assert after.st_ino == before.st_ino
    assert after.st_mtime > before.st_mtime


def test_a_build_that_fails_leaves_all_as_it_was(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "value")
    before = builds.files
    second = Memory(builds.folder / "cache", builds.folder / "site")
    second.keep(TEXT, "a", OTHER, "of a build that fails")
    assert len(builds.files) == 2
    second.close()
    assert builds.files == before
    assert not second.is_open
    assert second.recall(TEXT, "a", STAMP) is None
    with builds.next() as third:
        assert third.recall(TEXT, "a", STAMP) == "value"


def test_outputs_have_memories_of_their_own(builds: Builds) -> None:
    with builds.next("site") as one:
        one.keep(TEXT, "a", STAMP, "value")
    with builds.next("other") as other:
        assert other.recall(TEXT, "a", STAMP) is None
        other.keep(TEXT, "a", STAMP, "another")
    assert [file.suffix for file in builds.files] == [".cache", ".cache"]
    assert [len(file.stem) for file in builds.files] == [32, 32]
    with builds.next("site") as one:
        assert one.recall(TEXT, "a", STAMP) == "value"


def test_values_that_are_too_large_or_no_json_or_without_a_stamp_are_not_kept(
    builds: Builds,
) -> None:
    anything: ValueKind[Any] = ValueKind("any", Any)
    with builds.next() as first:
        first.keep(SHORT, "fits", STAMP, "abc")
        first.keep(SHORT, "long", STAMP, "abcd")
        first.keep(anything, "object", STAMP, object())
        first.keep(TEXT, "\udc80", STAMP, "a key that is no text")
        first.keep(TEXT, "unstamped", None, "value")
    with builds.next() as second:
        assert second.stamps(SHORT) == {"fits": STAMP}
        assert second.recall(SHORT, "fits", STAMP) == "abc"
        assert second.stamps(anything) == second.stamps(TEXT) == {}


def test_a_value_of_another_type_is_unknown(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "text")
    with builds.next() as second:
        assert second.recall(ValueKind("text", int), "a", STAMP) is None
    with builds.next() as third:
        assert third.stamps(TEXT) == {"a": STAMP}, "what was not used is left, as nothing was kept"


@pytest.mark.parametrize("value", ["text", 7, None, [1, "a"], {"a": 1.5}])
def test_a_value_of_json_comes_back(value: object) -> None:
    assert decoded(ValueKind("any", Any), encoded(value)) == value


@pytest.mark.parametrize("kept", [b"", b"{", b'"\xff"', b"7", b"[" * 100_000])
def test_what_is_no_such_value_is_none(kept: bytes) -> None:
    assert decoded(TEXT, kept) is None


def test_the_limit_on_a_value_is_two_million_bytes() -> None:
    assert TEXT.most_bytes == 2_000_000


def test_a_damaged_file_is_no_memory(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "value")
    (file,) = builds.files
    whole = file.read_bytes()
    size = int.from_bytes(whole[-40:-32])
    assert whole.startswith(b'"value"') and len(whole) == 7 + size + 40
    changed = whole.replace(b'"value"', b'"other"')
    larger = whole[:-40] + (size + 8).to_bytes(8) + whole[-32:]
    for damaged in (b"", b"x", whole[:-1], whole[1:-40], changed, larger, b"\xff" * 50):
        file.write_bytes(damaged)
        memory = Memory(builds.folder / "cache", builds.folder / "site")
        assert memory.is_open, damaged
        assert memory.recall(TEXT, "a", STAMP) is None, damaged
        memory.close()


def test_a_list_of_values_is_found_where_it_alone_is_the_file(builds: Builds) -> None:
    """An empty value takes no room: the list begins with the file."""
    with builds.next() as first:
        first.keep(NUMBER, "a", STAMP, 1)
    (file,) = builds.files
    file.write_bytes(file.read_bytes()[1:])
    memory = Memory(builds.folder / "cache", builds.folder / "site")
    assert memory.stamps(NUMBER) == {"a": STAMP}
    assert memory.recall(NUMBER, "a", STAMP) is None
    memory.close()


def test_without_a_folder_or_in_one_of_others_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "cache" / "sites").mkdir(parents=True)
    (tmp_path / "cache" / "sites").chmod(0o777)
    for memory in (Memory(tmp_path / "cache", tmp_path / "site"), Memory(None, tmp_path)):
        assert not memory.is_open
        memory.keep(TEXT, "a", STAMP, "value")
        memory.keep_all()
        memory.close()
    assert list((tmp_path / "cache" / "sites").iterdir()) == []
    assert not NO_MEMORY.is_open
    (tmp_path / "cache" / "sites").chmod(0o700)
    (tmp_path / "cache").chmod(0o777)
    assert not Memory(tmp_path / "cache", tmp_path / "site").is_open


def test_a_file_of_the_cache_folder_is_opened_when_it_is_first_asked_for(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "cache", tmp_path / "site")
    assert not (tmp_path / "cache").exists()
    memory.recall(TEXT, "a", STAMP)
    (file,) = (tmp_path / "cache" / "sites").iterdir()
    assert file.name[0] == "."
    memory.close()


def test_a_stamp_is_of_the_settings_and_the_values_in_their_order(tmp_path: Path) -> None:
    memory, other = (Memory(None, tmp_path, settings) for settings in (b"", b"settings"))
    assert len(memory.stamp("a", 1)) == 16
    assert memory.stamp("a", 1) == Memory(tmp_path, tmp_path / "site").stamp("a", 1)
    stamps = [memory.stamp(), memory.stamp("a", 1), memory.stamp(1, "a"), memory.stamp("a", "1")]
    assert len({*stamps, other.stamp("a", 1)}) == 5
    assert memory.stamp("\udc80") == memory.stamp("\udc80")


@dataclass(frozen=True)
class Address:
    """An object in a store, and what the store says of it."""

    version: str


def test_a_file_at_an_address_has_the_stamp_of_its_version(builds: Builds) -> None:
    def source(version: str) -> Source:
        address: Any = Address(version)
        return Source("a.json", "none", named=True, size=1, address=address)

    with builds.next() as memory:
        stamp = memory.stamp_of_source(source("1"), "page")
        assert stamp is not None and stamp == memory.stamp(Address("1"), "page")
        assert memory.stamp_of_source(source("2"), "page") != stamp
        assert memory.stamp_of_source(source("")) is None
    assert NO_MEMORY.stamp_of_source(source("1")) is None


def test_a_file_here_has_the_stamp_of_its_times(builds: Builds, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"{}")
    source = Source("a.json", str(file), named=True, size=2)
    with builds.next() as memory:
        memory._started_ns = time.time_ns() + 10**10
        stamp = memory.stamp_of_source(source, "page")
        assert stamp is not None and stamp == memory.stamp_of_file(file, "page")
        status = file.stat()
        assert stamp == memory.stamp(
            *(2, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino, "page")
        )


def forgotten(folder: Path, sizes: dict[str, tuple[int, int]]) -> set[str]:
    """The files of a folder that go, of sizes and ages in seconds; `own` is that of the build."""
    for name, (size, age) in sizes.items():
        (folder / name).write_bytes(bytes(size))
        times = (time.time() - age,) * 2
        os.utime(folder / name, times)
    module._forget_others(folder / "own")
    return sizes.keys() - {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("sizes", "gone"),
    [
        ({"a": (60, 1)}, set()),
        ({"a": (61, 1)}, {"a"}),
        ({"a": (30, 1), "b": (30, 2)}, set()),
        ({"a": (30, 1), "b": (31, 2)}, {"b"}),
        ({"a": (31, 3), "b": (30, 2)}, {"a"}),
        ({"a": (70, 1), "b": (1, 2)}, {"a", "b"}),
        ({".killed": (1, 86_000), ".old": (1, 87_000), "old": (1, 87_000)}, {".old"}),
    ],
)
def test_memories_that_were_used_least_recently_go(
    sizes: dict[str, tuple[int, int]],
    gone: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    assert forgotten(tmp_path, {"own": (40, 0), **sizes}) == gone


def test_a_full_disk_ends_the_memory_and_not_the_build(builds: Builds) -> None:
    def write(_: bytes) -> int:
        raise OSError("no space left")

    memory = Memory(builds.folder / "cache", builds.folder / "site")
    assert memory.is_open
    file: Any = memory._new
    memory._new = SimpleNamespace(tell=file.tell, write=write, close=file.close, name=file.name)  # type: ignore[assignment]
    memory.keep(TEXT, "a", STAMP, "value")
    assert not memory.is_open
    memory.keep_all()
    assert builds.files == []


def test_a_file_that_is_young_by_either_of_its_times_has_no_stamp(
    builds: Builds, tmp_path: Path
) -> None:
    """It may be written twice within one tick of the clock."""
    file = tmp_path / "a.json"
    file.write_bytes(b"{}")
    now = time.time_ns()
    with builds.next() as memory:
        memory._started_ns = now
        assert memory.stamp_of_file(file) is None
        os.utime(file, ns=(0, 0))
        assert memory.stamp_of_file(file) is None, "its status changed just now"
        memory._started_ns = now + 10**12
        assert memory.stamp_of_file(file) is not None
        os.utime(file, ns=(0, now + 10**12))
        assert memory.stamp_of_file(file) is None, "it was written just now"
        os.utime(file, ns=(0, now + 10**12 - module.YOUNG_NS))
        assert memory.stamp_of_file(file) is not None
        assert memory.stamp_of_file(tmp_path / "none") is None
    assert NO_MEMORY.stamp_of_file(file) is None


def test_what_was_used_stays_beside_what_is_new(builds: Builds) -> None:
    with builds.next() as first:
        first.keep(TEXT, "a", STAMP, "value of a")
    with builds.next() as second:
        assert second.recall(TEXT, "a", STAMP) == "value of a"
        second.keep(TEXT, "b", STAMP, "value of b")
    with builds.next() as third:
        assert third.recall(TEXT, "a", STAMP) == "value of a"
        assert third.recall(TEXT, "b", STAMP) == "value of b"


def test_a_disk_that_is_full_at_the_end_leaves_the_old_memory(builds: Builds) -> None:
    with builds.next() as first:
        for name in "abc":
            first.keep(TEXT, name, STAMP, name)

    def write(_: bytes) -> int:
        raise OSError("no space left")

    second = Memory(builds.folder / "cache", builds.folder / "site")
    assert [second.recall(TEXT, name, STAMP) for name in "ab"] == ["a", "b"]
    file: Any = second._new
    second._new = SimpleNamespace(tell=file.tell, write=write, close=file.close, name=file.name)  # type: ignore[assignment]
    second.keep_all()
    second.close()
    with builds.next() as third:
        assert [third.recall(TEXT, name, STAMP) for name in "abc"] == ["a", "b", "c"]
