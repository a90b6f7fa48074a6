"""Members of zips and Zstandard: unpacked in memory, held to a ratio, refused with a reason."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from sitegen.errors import ReadError
from sitegen.readers.common import packed
from sitegen.readers.common.packed import (
    Zip,
    fault_of_member,
    hold_ratio,
    inflated,
    joined,
    members_of,
    unzstd,
)
from sitegen.readers.run_file import RunFile
from sitegen.system.address import Member
from sitegen.system.bounds import MB, SMALL_ARCHIVE

zstd = pytest.importorskip("backports.zstd")


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def opened(data: bytes) -> Zip:
    return Zip(RunFile.of("a.eval", data))


def error_of(caught: pytest.ExceptionInfo[ReadError]) -> tuple[str, str]:
    return caught.value.code, caught.value.reason


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (["a.json", "b/c.json"], ["a.json", "b/c.json"]),
        (["run/a.json", "run/b/c.json"], ["a.json", "b/c.json"]),
        (["run/a.json", "runs/b.json"], ["run/a.json", "runs/b.json"]),
        (["samples/a.json"], ["samples/a.json"]),
        (["_journal/a.json"], ["_journal/a.json"]),
        (["__MACOSX/run/a", "run/a.json"], ["a.json"]),
        (["__MACOSX/run/a"], []),
        ([], []),
    ],
)
def test_members_are_known_without_the_one_folder_that_all_lie_in(
    names: list[str], known: list[str]
) -> None:
    assert list(opened(zip_of(dict.fromkeys(names, b"x"))).members) == known


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_is_unpacked_whatever_its_size(method: int) -> None:
    members = {
        "empty": b"",
        "small": b"abc",
        "piece": bytes(range(256)) * 256,
        "more": bytes(range(256)) * 256 + b"x",
        "large": bytes(range(251)) * 1_001,
    }
    archive = opened(zip_of(members, method))
    assert {name: archive.read(name) for name in members} == members


def test_what_stands_before_an_archive_moves_its_members() -> None:
    assert opened(b"junk" + zip_of({"a": b"abc"})).read("a") == b"abc"


def test_an_archive_that_is_none_or_was_cut_says_so() -> None:
    whole = zip_of({"a": b"abc" * 100})
    with pytest.raises(ReadError) as caught:
        members_of(io.BytesIO(b"no archive at all"), 5)
    assert error_of(caught) == (
        "E_ARCHIVE_DAMAGED",
        "this is not an archive of its kind, or it is damaged",
    )
    with pytest.raises(ReadError) as caught:
        members_of(io.BytesIO(whole[:-30]), 5)
    assert error_of(caught) == (
        "E_TRUNCATED",
        "the archive was cut: the list of its members is missing",
    )


def test_an_archive_has_no_more_members_than_a_limit() -> None:
    data = zip_of(dict.fromkeys(map(str, range(1_001)), b""))
    assert len(members_of(io.BytesIO(data), 1_001)) == 1_001
    with pytest.raises(ReadError) as caught:
        members_of(io.BytesIO(data), 1_000)
    assert error_of(caught) == ("E_ARCHIVE_COUNT", "the archive has more than 1,000 members")


def test_a_directory_is_not_read_beyond_what_its_members_may_need() -> None:
    name = "x" * 60_000
    data = zip_of({f"{name}{number}": b"" for number in range(3)})
    with pytest.raises(ReadError) as caught:
        members_of(io.BytesIO(data), 3)
    assert error_of(caught) == ("E_ARCHIVE_COUNT", "the archive has more than 3 members")
    assert len(members_of(io.BytesIO(data), 400)) == 3
    assert len(members_of(io.BytesIO(zip_of({name: b""})), 3)) == 1


@pytest.mark.parametrize(
    ("flags", "method", "fault"),
    [
        (0, 0, None),
        (0, 8, None),
        (0, 93, None),
        (2, 8, None),
        (1, 8, "this member is encrypted"),
        (3, 8, "this member is encrypted"),
        (
            0,
            12,
            "this member is packed by a method that is not read; only deflate and Zstandard are",
        ),
    ],
)
def test_a_member_that_is_not_unpacked_says_why(flags: int, method: int, fault: str | None) -> None:
    info = zipfile.ZipInfo("a")
    info.flag_bits, info.compress_type = flags, method
    found = fault_of_member(info)
    assert (found and (found.code, found.reason)) == (fault and ("E_ARCHIVE_KIND", fault))


def test_a_member_of_another_kind_is_refused_when_it_is_read() -> None:
    archive = opened(zip_of({"a": b"abc"}, zipfile.ZIP_BZIP2))
    with pytest.raises(ReadError) as caught:
        archive.read("a")
    assert caught.value.code == "E_ARCHIVE_KIND"


def member(content: bytes, method: int, name: bytes = b"a", further: bytes = b"") -> bytes:
    """The header of a member, as a zip has it, and its packed content."""
    head = struct.pack("<4s4xH16xHH", b"PK\3\4", method, len(name), len(further))
    assert len(head) == 30
    return head + name + further + content


def unpacked(data: bytes, offset: int, size: int, ratio: int = 200) -> bytes:
    return b"".join(inflated(io.BytesIO(data), Member(offset, size), ratio))


def test_the_content_of_a_member_stands_behind_its_name_and_what_else_is_told() -> None:
    data = b"--" + member(b"abcdef", 0, b"name", b"extra")
    assert unpacked(data, 2, 6) == b"abcdef" and unpacked(data, 2, 3) == b"abc"
    zstandard = zstd.compress(b"abc" * 50_000)
    assert unpacked(member(zstandard, 93), 0, len(zstandard)) == b"abc" * 50_000


NOT_THERE = ("E_ARCHIVE_DAMAGED", "the archive promises a member where there is none")
ENDS_EARLY = ("E_TRUNCATED", "the archive ends early; it was cut, or is still being written")
ENDS_WITHIN = ("E_TRUNCATED", "it ends early within the packed data")
UNPACKABLE = ("E_ARCHIVE_DAMAGED", "it is damaged: it cannot be unpacked")
DEFLATED = zlib.compress(b"abcabcabc" * 100)[2:-4]


@pytest.mark.parametrize(
    ("data", "offset", "size", "error"),
    [
        (member(b"abc", 0), -1, 3, NOT_THERE),
        (member(b"abc", 0), 1, 3, NOT_THERE),
        (member(b"", 0)[:29], 0, 0, NOT_THERE),
        (b"", 0, 3, NOT_THERE),
        (member(b"abc", 0), 0, 4, ENDS_EARLY),
        (member(DEFLATED, 8), 0, len(DEFLATED) - 1, ENDS_WITHIN),
        (member(DEFLATED, 8), 0, len(DEFLATED) + 1, None),
        (member(b"\xff" * 9, 8), 0, 9, UNPACKABLE),
        (member(b"\xff" * 9, 93), 0, 9, UNPACKABLE),
    ],
)
def test_a_damaged_member_says_what_is_wrong(
    data: bytes, offset: int, size: int, error: tuple[str, str] | None
) -> None:
    if error is None:
        assert unpacked(data, offset, size) == b"abcabcabc" * 100
        return
    with pytest.raises(ReadError) as caught:
        unpacked(data, offset, size)
    assert error_of(caught) == error


def test_packed_data_are_held_to_a_ratio() -> None:
    hold_ratio(SMALL_ARCHIVE, 0, 1)
    hold_ratio(SMALL_ARCHIVE * 2, SMALL_ARCHIVE, 2)
    for unpacked_bytes, packed_bytes in (
        (SMALL_ARCHIVE + 1, 0),
        (SMALL_ARCHIVE * 2 + 1, SMALL_ARCHIVE),
    ):
        with pytest.raises(ReadError) as caught:
            hold_ratio(unpacked_bytes, packed_bytes, 2)
        assert caught.value.code == "E_ARCHIVE_RATIO"
    with pytest.raises(ReadError) as caught:
        hold_ratio(SMALL_ARCHIVE + 1, 0, 2_000)
    assert caught.value.reason == (
        "it unpacks to more than 2,000 times its size, like a file made to fill a disk"
    )


def test_a_member_that_fills_a_disk_is_refused() -> None:
    content = zlib.compress(bytes(SMALL_ARCHIVE + 100_000))[2:-4]
    data = member(content, 8)
    with pytest.raises(ReadError) as caught:
        unpacked(data, 0, len(content))
    assert caught.value.code == "E_ARCHIVE_RATIO"
    assert len(unpacked(data, 0, len(content), 100_000)) == SMALL_ARCHIVE + 100_000


def test_pieces_are_joined_up_to_a_limit() -> None:
    assert joined([b"ab", b"", b"c"], 3) == b"abc" and joined([]) == b""
    with pytest.raises(ReadError) as caught:
        joined([b"x" * MB, b"y"], MB)
    assert error_of(caught) == ("E_LIMIT", "it is larger than 1 MB")


def test_a_file_that_is_packed_by_zstandard_is_unpacked() -> None:
    content = bytes(range(251)) * 1_001
    data = zstd.compress(content)
    assert unzstd(RunFile.of("a.jsonl.zst", data)) == content
    for broken, error in ((data[:-1], ENDS_WITHIN), (b"x" + data, UNPACKABLE)):
        with pytest.raises(ReadError) as caught:
            unzstd(RunFile.of("a.jsonl.zst", broken))
        assert error_of(caught) == error


def test_without_a_library_of_zstandard_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(packed, "import_module", missing)
    with pytest.raises(ReadError) as caught:
        unzstd(RunFile.of("a.jsonl.zst", b"x"))
    assert caught.value.code == "E_ARCHIVE_KIND"
    assert "which this Python cannot unpack; `" in caught.value.reason
    assert caught.value.reason.endswith("` adds it") and "backports.zstd" in caught.value.reason
