"""Which members of an archive are read, under which path, and why the others are not."""

from __future__ import annotations

import errno
import io
import re
import zlib
from typing import Any

import pytest

from sitegen.errors import PublishError, ReadError
from sitegen.inputs import archives as module
from sitegen.inputs.archives import Members, Stream, fault, kind_of, unpacks_too_large
from sitegen.model import Source
from sitegen.system.address import Member
from sitegen.system.bounds import MB, Bounds

ARCHIVE = Source("in/x.zip", "/in/x.zip", named=True, size=9, within="x.zip")
PATH = "E_ARCHIVE_PATH"
OUT = (PATH, "the name of this member leads out of the archive")
LONG = (PATH, "the name of this member is too long")
NESTED = ("E_ARCHIVE_NESTED", "an archive within an archive is not read")


def admitted(*names: str, ignoring: str = "", **known: Any) -> list[object]:
    """What becomes of members of these names: the code and the reason, "read", or None without a word."""
    patterns = [re.compile(ignoring)] if ignoring else []
    members = Members(module.replace(ARCHIVE, **known), patterns, Bounds())
    found: list[object] = []
    for name in names:
        made = members.admit(name, Member(1, 2), 3, None)
        found.append(made and ((made[1].code, made[1].reason) if made[1] else "read"))
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.json", "read"),
        ("./a/./b.json", "read"),
        ("a\\b.json", "read"),
        ("../a.json", OUT),
        ("a/../b.json", OUT),
        ("/a.json", OUT),
        ("a//b.json", OUT),
        ("C:/a.json", OUT),
        ("z:a.json", OUT),
        ("1:a.json", "read"),
        ("x" * 1000, "read"),
        ("x" * 1001, LONG),
        ("in.zip", NESTED),
        ("in.json.gz", NESTED),
        (".hidden.json", None),
        (".git/a.json", None),
        ("node_modules/a.json", None),
    ],
)
def test_a_name_decides_whether_a_member_is_read(name: str, expected: object) -> None:
    assert admitted(name) == [expected]


def test_of_members_of_one_name_the_first_is_read() -> None:
    twice = (PATH, "the archive holds two members of this name; the first is read")
    assert admitted("a.json", "b.json", "./a.json", "a.json") == ["read", "read", twice, twice]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("notes", [None, "read"]), (r"notes/a\.json", [None, "read"]), ("n", ["read", "read"])],
)
def test_what_the_settings_ignore_gets_no_word(pattern: str, expected: list[object]) -> None:
    assert admitted("notes/a.json", "b.json", ignoring=pattern) == expected
    below = admitted(
        "a.json", "b.json", ignoring=r"notes/x\.zip", named=False, within="notes/x.zip"
    )
    assert below == [None, None]


def test_a_fault_of_the_kind_counts_before_that_of_the_name_within_the_archive() -> None:
    members = Members(ARCHIVE, [], Bounds())
    link = ReadError("E_ARCHIVE_LINK", "it is a link")
    for name, code in (("in.zip", "E_ARCHIVE_LINK"), ("a", "E_ARCHIVE_LINK"), ("/a", PATH)):
        made = members.admit(name, Member(1, 2), 3, link)
        assert made is not None and made[1] is not None and made[1].code == code


def test_a_member_has_a_path_below_its_archive() -> None:
    members = Members(ARCHIVE, [], Bounds())
    made = members.admit("./a/b.json", Member(1, 2), 3, None)
    assert made is not None
    source = made[0]
    assert (source.path, source.within, source.size) == ("in/x.zip/a/b.json", "a/b.json", 3)
    assert (source.member, source.location) == (Member(1, 2), "/in/x.zip")
    found = Members(module.replace(ARCHIVE, named=False), [], Bounds())
    made = found.admit("a.json", Member(1, 2), 3, None)
    assert made is not None and made[0].within == "x.zip/a.json"
    long = members.admit("y" * 1001, Member(1, 2), 3, None)
    assert long is not None and long[0].path == f"in/x.zip/{'y' * 999}…"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.ZIP", ".zip"),
        ("a.tar", ".tar"),
        ("a.tar.gz", ".tar.gz"),
        ("a.tgz", ".tgz"),
        ("a.tar.bz2", ".tar.bz2"),
        ("a.tbz2", ".tbz2"),
        ("a.tar.xz", ".tar.xz"),
        ("a.txz", ".txz"),
        ("a.json.gz", ".gz"),
        ("a.bz2", None),
        ("zip", None),
    ],
)
def test_an_ending_makes_a_file_an_archive(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_what_a_library_finds_is_a_sentence() -> None:
    own = ReadError("E_X", "x")
    assert fault(own) is own
    with pytest.raises(PublishError):
        fault(PublishError("x"))
    assert (fault(EOFError()).code, fault(ValueError()).code) == (
        "E_TRUNCATED",
        "E_ARCHIVE_DAMAGED",
    )
    gone = fault(OSError(errno.ENOENT, "x"))
    assert (gone.code, gone.reason) == (
        "E_READ",
        "it cannot be read: it no longer exists, or is a broken link",
    )
    assert fault(OSError(errno.EINVAL, "x")).code == "E_ARCHIVE_DAMAGED"
    assert fault(OSError("x")).code == "E_ARCHIVE_DAMAGED"
    large = unpacks_too_large(Bounds(archive_mb=1234))
    assert (large.code, large.reason) == (
        "E_LIMIT",
        "the archive unpacks to more than 1,234 MB; what comes later in it is not read",
    )


def stream(data: bytes, archive_mb: int = 1) -> Stream:
    return Stream(io.BytesIO(data), ".tar", Bounds(archive_mb=archive_mb))


def test_a_stream_is_read_onward_and_counted() -> None:
    made = stream(b"0123456789")
    assert (made.read(3), made.tell(), made.last, made.ended) == (b"012", 3, b"012", False)
    assert (made.seek(5), made.seek(5), made.read(2)) == (5, 5, b"56")
    assert b"".join(made.member(2)) == b"78"
    with pytest.raises(ReadError) as back:
        made.seek(8)
    assert back.value.reason == "a member ends before it begins"
    assert (made.read(9), made.ended, made.tell()) == (b"9", True, 10)
    assert made.seek(20) == 10
    with pytest.raises(EOFError):
        list(stream(b"01").member(3))
    assert list(stream(b"").pieces()) == []
    assert b"".join(stream(b"x" * 500_000).pieces()) == b"x" * 500_000


def test_a_stream_has_as_many_bytes_as_an_archive_may() -> None:
    assert len(stream(b"x" * MB).read(MB)) == MB
    with pytest.raises(ReadError) as refused:
        stream(b"x" * (MB + 1)).read(MB + 1)
    assert refused.value.code == "E_LIMIT"


def test_packed_data_that_is_damaged_is_told_from_a_cut() -> None:
    class Damaged(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise zlib.error(size)

    made = Stream(Damaged(), ".tar", Bounds())
    with pytest.raises(ReadError) as refused:
        made.read(1)
    assert refused.value.code == "E_ARCHIVE_DAMAGED" and made.ended


@pytest.mark.parametrize(
    ("data", "is_sound"),
    [
        (b"11 path=abc\n", False),
        (b"12 path=abc\n", True),
        (b"12 path=abc\n\0\0", True),
        (b"12 path=abc\n12 path=xyz\n", True),
        (b"13 path=abc\n", False),
        (b"8 path=\n", True),
        (b"7 path=\n", False),
        (b"path=abc\n", False),
        (b"12345678 a=b\n", False),
        (b"9 abcdef\n", False),
        (b"", True),
    ],
)
def test_records_of_a_header_have_their_lengths(data: bytes, is_sound: bool) -> None:
    if is_sound:
        module._check_records(data)
        return
    with pytest.raises(ReadError) as refused:
        module._check_records(data)
    assert refused.value.reason == "a header in the archive is damaged or too large"


@pytest.mark.parametrize(("digits", "is_sound"), [(199, True), (200, False)])
def test_a_number_of_a_header_has_fewer_than_200_digits(digits: int, is_sound: bool) -> None:
    value = b" size=" + b"1" * digits + b"\n"
    data = str(len(value) + 3).encode() + value
    if is_sound:
        module._check_records(data)
        return
    with pytest.raises(ReadError):
        module._check_records(data)
