"""What there is to read in a source, what belongs to it, and what is told where it changed."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from sitegen.errors import ReadError
from sitegen.inputs import source_files as module
from sitegen.inputs.source_files import (
    belonging,
    changes_beside,
    contents,
    opened,
    read_bytes,
    reopened,
)
from sitegen.model import Source
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from sitegen.system.address import Member
from sitegen.system.bounds import MB, Bounds

SMALL = Bounds(file_mb=1, stream_mb=2)


def source(file: Path, path: str = "", **known: object) -> Source:
    fields = {"named": False, "size": 0, "within": path or file.name, **known}
    return Source(path or file.name, str(file), **fields)  # type: ignore[arg-type]


def file_of(folder: Path, name: str, data: bytes = b"{}") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def told(content: object) -> object:
    """What a file comes to: its bytes, the code of what is wrong with it, or its kind."""
    if isinstance(content, RunFile):
        return content.read()
    if isinstance(content, ReadError):
        return content.code, content.reason
    assert isinstance(content, NotARun)
    return content.kind


def zipped(folder: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "."), data)
    return folder / "x.zip"


def tarred(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    with tarfile.open(folder / name, "w:gz" if name.endswith("gz") else "w") as archive:
        for path, data in members.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return folder / name


@pytest.mark.parametrize(
    ("name", "data", "known", "expected"),
    [
        ("1.json", b"{}", {}, b"{}"),
        ("1.json.gz", gzip.compress(b"{}", mtime=0), {}, b"{}"),
        ("a.png", b"\x89PNG", {}, "image"),
        ("a.png", b"\x89PNG", {"named": True}, b"\x89PNG"),
        ("event-00001-x.json", b"{}", {}, "companion"),
        ("event-00001-x.json", b"{}", {"named": True}, b"{}"),
        ("event-00000-x.json", b"{}", {}, b"{}"),
        ("my-event-00001-x.json", b"{}", {}, b"{}"),
        ("a.db-wal", b"", {}, "companion"),
        ("a.db-shm", b"", {}, "companion"),
        ("1.json", b" " * MB, {}, b" " * MB),
        ("1.json", b" " * (MB + 1), {}, ("E_LIMIT", "it is larger than 1 MB")),
        ("1.jsonl", b" " * (2 * MB + 1), {}, ("E_LIMIT", "it is larger than 2 MB")),
    ],
)
def test_a_file_comes_to_its_content_or_to_what_it_is(
    name: str, data: bytes, known: dict[str, object], expected: object, tmp_path: Path
) -> None:
    asked = source(file_of(tmp_path, name, data), **known)
    ((found, content),) = _told(asked)
    assert found == asked
    assert content == expected


def _told(asked: Source) -> list[tuple[Source, object]]:
    return [(found, told(content)) for found, content in contents(asked, SMALL)]


def test_a_file_that_cannot_be_read_is_told_only_where_it_may_be_a_run(tmp_path: Path) -> None:
    gone = ("E_READ", "it cannot be read: it no longer exists, or is a broken link")
    assert _told(source(tmp_path / "1.json"))[0][1] == gone
    assert _told(source(tmp_path / "1.png"))[0][1] == ""
    assert _told(source(tmp_path / "1.png", named=True))[0][1] == gone
    assert _told(source(tmp_path / "1.zip"))[0][1] == gone


def test_members_have_paths_below_their_archive_and_are_not_named(tmp_path: Path) -> None:
    file = zipped(tmp_path, a__json=b"{}", b__png=b"\x89PNG")
    found = _told(source(file, "in/x.zip", named=True))
    assert [(member.path, member.within, content) for member, content in found] == [
        ("in/x.zip/a.json", "a.json", b"{}"),
        ("in/x.zip/b.png", "b.png", "image"),
    ]


def test_a_log_in_an_archive_is_read_with_its_database_or_is_none(tmp_path: Path) -> None:
    file = zipped(tmp_path, a__db=b"SQLite format 3\0", **{"a__db-wal": b"log", "b__db-wal": b"x"})
    found = {member.path: content for member, content in contents(source(file), SMALL)}
    assert list(found) == ["x.zip/a.db", "x.zip/b.db-wal"]
    assert told(found["x.zip/b.db-wal"]) == "companion"
    members = [member for member, _ in contents(source(file), SMALL)]
    assert module._log_in(members[0], SMALL) == b"log"
    assert module._log_in(members[1], SMALL) == b""
    assert module._log_in(source(file), SMALL) == b""


@pytest.mark.parametrize(
    "archive",
    [
        lambda folder, members: zipped(folder, **members),
        lambda folder, members: tarred(folder, "x.tar", members),
        lambda folder, members: tarred(folder, "x.tgz", members),
    ],
    ids=["zip", "tar", "packed tar"],
)
def test_a_member_is_opened_once_more(
    archive: Callable[[Path, dict[str, bytes]], Path], tmp_path: Path
) -> None:
    file = archive(tmp_path, {"a.json": b'{"a": 1}', "b.json": b'{"b": 2}'})
    archived = source(file, named=True)
    for member, _ in contents(replace(archived, path="x"), SMALL):
        with opened(member, SMALL) as again:
            content = again.read()
            place = again.path
        assert content == {"x/a.json": b'{"a": 1}', "x/b.json": b'{"b": 2}'}[member.path]
        assert read_bytes(member, SMALL) == content
        assert place == str(file) + member.path.removeprefix("x")
    with pytest.raises(ReadError) as refused, opened(archived, SMALL):
        pass
    assert (refused.value.code, refused.value.reason) == ("E_NOT_A_RUN", "it is an archive")


def test_a_member_that_is_gone_is_told(tmp_path: Path) -> None:
    file = tarred(tmp_path, "x.tgz", {"a.json": b"{}"})
    with pytest.raises(ReadError) as refused, opened(source(file, member=Member(7, 7)), SMALL):
        pass
    assert refused.value.reason == "the archive changed while the site was built; build again"


def test_a_packed_file_is_opened_and_read_unpacked(tmp_path: Path) -> None:
    file = file_of(tmp_path, "1.json.gz", gzip.compress(b"{}", mtime=0))
    with opened(source(file), SMALL) as content:
        assert (content.read(), content.path) == (b"{}", str(file))
    assert read_bytes(source(file), SMALL) == b"{}"
    large = file_of(tmp_path, "2.json.gz", gzip.compress(b"{}" * MB, mtime=0))
    with pytest.raises(ReadError) as refused:
        read_bytes(source(large), SMALL)
    assert refused.value.code == "E_LIMIT"


def test_a_file_that_is_as_it_was_is_read_again(tmp_path: Path) -> None:
    asked = source(file_of(tmp_path, "1.json"))
    digest = sha256(b"{}").hexdigest()
    for known in (digest, ""):
        with reopened(asked, SMALL, known) as content:
            assert content.read() == b"{}"
    with pytest.raises(ReadError) as changed, reopened(asked, SMALL, digest[::-1]) as content:
        assert content.read() == b"{}"
    assert (changed.value.code, changed.value.reason) == (
        "W_CHANGED",
        "the file changed while the site was built; build again",
    )


def test_a_file_that_cannot_be_read_again_is_told_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as gone, reopened(source(tmp_path / "1.json"), SMALL):
        pass
    assert gone.value.reason == (
        "the file could not be read a second time (it cannot be read: it no longer exists, or is a broken link); "
        "build again"
    )
    asked = source(file_of(tmp_path, "1.json"))
    with pytest.raises(ReadError) as refused, reopened(asked, SMALL):
        raise ReadError("E_TRUNCATED", "it is cut")
    assert (
        refused.value.reason == "the file could not be read a second time (it is cut); build again"
    )
    with pytest.raises(ReadError) as both, reopened(asked, SMALL, "other"):
        raise ReadError("E_TRUNCATED", "it is cut")
    assert both.value.reason == "the file changed while the site was built; build again"


def test_a_database_has_its_log_and_an_event_those_behind_it(tmp_path: Path) -> None:
    for name in ("a.db", "a.db-wal", "event-0-a.json", "event-00002-b.json", "event-00001-c.json"):
        file_of(tmp_path, name, name.encode())

    def paths(name: str, **known: object) -> list[str]:
        return [each.path for each in belonging(source(tmp_path / name, **known))]

    assert paths("a.db") == ["a.db-wal"]
    assert paths("b.db") == []
    assert paths("event-0-a.json") == ["event-00001-c.json", "event-00002-b.json"]
    assert paths("event-00001-c.json") == []
    assert paths("a.db-wal", earlier=("event-0-a.json", "none", "a.db")) == [
        "event-0-a.json",
        "a.db",
    ]
    assert module._log_of(source(tmp_path / "event-0-a.json")) == (
        b"event-00001-c.json\nevent-00002-b.json"
    )
    assert module._log_of(source(tmp_path / "b.db")) == b""


def test_what_is_read_along_is_cut_at_the_limit_of_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        file_of(tmp_path, f"event-00{number}-a.json", b"12345")
    monkeypatch.setattr(module.run_file, "MAX_LOG_BYTES", 8)
    assert module._log_of(source(tmp_path / "event-0-a.json")) == b"12345\n123\n"


def test_changes_beside_a_file_are_sizes_and_times_of_what_is_read_along(tmp_path: Path) -> None:
    log = file_of(tmp_path, "a.db-wal", b"log")
    asked = source(file_of(tmp_path, "a.db"))
    assert changes_beside(asked) == (3, log.stat().st_mtime_ns)
    assert changes_beside(replace(asked, member=Member(0, 1))) == ()
    assert changes_beside(source(tmp_path / "b.json")) == ()


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        (b"1\n2\n", b"3\n4\n", b"1\n2\n3\n4\n"),
        (b"1\n2\n3\n", b"2\n3\n4\n", b"1\n2\n3\n4\n"),
        (b"2\n", b"2\n3\n", b"2\n3\n"),
        (b"1\n2\n1\n", b"1\n3\n", b"1\n2\n1\n3\n"),
        (b"1\n2\n", b"1\n3\n", b"1\n2\n1\n3\n"),
        (b"1\n\n", b"\n2\n", b"1\n\n\n2\n"),
        (b"1", b"2\n", b"12\n"),
        (b"", b"", b""),
    ],
)
def test_lines_in_both_parts_of_a_log_are_there_once(
    before: bytes, after: bytes, whole: bytes
) -> None:
    assert module._overlaid(before, after) == whole


def test_a_log_is_read_with_its_earlier_parts(tmp_path: Path) -> None:
    file_of(tmp_path, "run.log.2", b"1\n")
    file_of(tmp_path, "run.log.1.gz", gzip.compress(b"2\n", mtime=0))
    file = file_of(tmp_path, "run.log", b"3\n")
    asked = source(file, earlier=("run.log.2", "run.log.1.gz"))
    with opened(asked, SMALL) as content:
        assert (content.read(), content.path) == (b"1\n2\n3\n", str(file))
    gone = replace(asked, earlier=("run.log.3", "run.log.2"))
    with pytest.raises(ReadError) as refused, opened(gone, SMALL):
        pass
    assert refused.value.reason == "the log changed while the site was built; build again"
    file_of(tmp_path, "run.log.2", b"1" * MB)
    file_of(tmp_path, "run.log", b"3" * (MB - 2))
    with opened(asked, SMALL) as content:
        assert len(content.read()) == 2 * MB
    file_of(tmp_path, "run.log", b"3" * (MB - 1))
    with pytest.raises(ReadError) as large, opened(asked, SMALL):
        pass
    assert (large.value.code, large.value.reason) == ("E_LIMIT", "it is larger than 2 MB")


def test_a_file_has_its_neighbours_and_what_is_read_along(tmp_path: Path) -> None:
    file_of(tmp_path, "a.db-wal", b"log")
    with opened(source(file_of(tmp_path, "a.db")), SMALL) as content:
        assert content.neighbours == {"a.db", "a.db-wal"}
        assert content.read() == b"{}"


def test_a_file_beside_that_is_gone_has_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = source(tmp_path / "gone.db-wal")
    monkeypatch.setattr(module, "belonging", lambda _: [gone])
    assert changes_beside(source(tmp_path / "gone.db")) == ()
