"""Archives are read as folders are: member after member, in memory, and nothing in them is believed."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen import load_runs
from sitegen.errors import ReadError
from sitegen.inputs import archives, discover, source_files
from sitegen.inputs.source_files import Content
from sitegen.model import Source
from sitegen.readers.common.packed import PIECE
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import MB, SMALL_ARCHIVE, Bounds
from tests.site.test_build import problems, rows
from tests.support import site_checks
from tests.support.campaigns import result, write
from tests.support.clock import seconds_since
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
NOISE = random.Random(1).randbytes(9000)  # noqa: S311
RUN = json.dumps(result()).encode()


def zipped(members: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    return data.getvalue()


def tarred(members: Mapping[str, bytes], kind: str = ".tar", *extra: tarfile.TarInfo) -> bytes:
    """A tar of these members, packed as its extension says, with headers without content behind them."""
    data = io.BytesIO()
    packing = {"": "", "bz2": "bz2", "xz": "xz", "gz": "gz"}[
        kind.removeprefix(".tar").strip(".").replace("t", "", 1)
    ]
    with tarfile.open(fileobj=data, mode=f"w:{packing}") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in extra:
            archive.addfile(info)
    return data.getvalue()


def packed(kind: str, members: Mapping[str, bytes]) -> bytes:
    """An archive of any kind."""
    return zipped(members) if kind == ".zip" else tarred(members, kind)


def source(folder: Path, name: str, data: bytes, *, named: bool = False) -> Source:
    """The archive as a source, written to `folder`."""
    (folder / name).write_bytes(data)
    return Source(name, str(folder / name), named, len(data), within=name)


Read = dict[str, bytes | ReadError | None]


def read(folder: Path, name: str, data: bytes, bounds: Bounds = Bounds()) -> Read:  # noqa: B008  frozen
    """What is read of an archive, by path; what can be read is read once more."""
    found = [
        (member, read_now(file))
        for member, file in source_files.contents(source(folder, name, data), bounds)
    ]
    for member, content in found:
        if isinstance(content, bytes):
            assert read_again(member, bounds) == content
    assert len({member.path for member, _ in found}) == len(found)
    return {member.path: content for member, content in found}


def read_now(file: Content) -> bytes | ReadError | str | None:
    """The bytes of a file that can be read."""
    return (
        file.read()
        if isinstance(file, RunFile)
        else (file.kind or None)
        if isinstance(file, NotARun)
        else file
    )


def read_again(member: Source, bounds: Bounds = Bounds()) -> bytes:  # noqa: B008  frozen
    with source_files.opened(member, bounds) as file:
        return file.read()


def codes(found: Mapping[str, bytes | ReadError | None]) -> dict[str, str]:
    """The same with codes, and "read" or "ignored"."""
    return {
        path: "ignored"
        if content is None
        else content.code
        if isinstance(content, ReadError)
        else "read"
        for path, content in found.items()
    }


@pytest.mark.parametrize("kind", [".zip", *TARS])
def test_members_are_read_as_files_are(tmp_path: Path, kind: str) -> None:
    members = {
        "a.json": RUN,
        "b/c.log": b"x" * 200_000,
        "b/d.png": b"\x89PNG",
        ".hidden/e.json": RUN,
        "b/.f": RUN,
    }
    members |= {"node_modules/g.json": RUN, ".claude/h.json": RUN, "./i.json": RUN}
    found = read(tmp_path, f"x{kind}", packed(kind, members))
    assert {path.partition("/")[2]: content for path, content in found.items()} == {
        "a.json": RUN,
        "b/c.log": b"x" * 200_000,
        "b/d.png": "image",
        ".claude/h.json": RUN,
        "i.json": RUN,
    }
    assert [path.name for path in tmp_path.iterdir()] == [f"x{kind}"], (
        "nothing is unpacked to the disk"
    )


def test_a_packed_file_is_read_under_its_own_name(tmp_path: Path) -> None:
    assert read(tmp_path, "1.json.gz", gzip.compress(RUN, mtime=0)) == {"1.json.gz": RUN}
    assert read(tmp_path, "a.png.gz", gzip.compress(b"\x89PNG", mtime=0)) == {"a.png.gz": "image"}
    assert read(
        tmp_path, "two.json.gz", gzip.compress(RUN[:9], mtime=0) + gzip.compress(RUN[9:], mtime=0)
    ) == {"two.json.gz": RUN}


def test_a_name_in_the_header_of_a_packed_file_that_goes_on_is_given_up(tmp_path: Path) -> None:
    plain = gzip.compress(RUN, mtime=0)

    def named(length: int) -> bytes:
        return plain[:3] + b"\x08" + plain[4:10] + b"n" * length + b"\0" + plain[10:]

    assert read(tmp_path, "1.json.gz", named(10_000)) == {"1.json.gz": RUN}
    start = time.process_time()
    found = codes(read(tmp_path, "1.json.gz", named(30 * MB)))
    assert found == {"1.json.gz": "E_ARCHIVE_COUNT"}
    assert seconds_since(start) < 3


def test_zeros_may_stand_between_the_pieces_of_a_packed_file_and_behind_them(
    tmp_path: Path,
) -> None:
    for zeros in (1, PIECE, 3 * PIECE):
        data = (
            gzip.compress(RUN[:9], mtime=0)
            + b"\0" * zeros
            + gzip.compress(RUN[9:], mtime=0)
            + b"\0" * zeros
        )
        assert read(tmp_path, "1.json.gz", data) == {"1.json.gz": RUN}


@pytest.mark.parametrize("kind", [".json.gz", ".tar.bz2", ".tar.xz"])
def test_the_reads_of_a_packed_file_are_counted(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"x{kind}"
    data = (
        gzip.compress(NOISE, mtime=0) if kind == ".json.gz" else tarred({"a.json": NOISE * 9}, kind)
    )
    counts = []
    for most in range(40):
        monkeypatch.setattr(archives, "MAX_READS", most)
        counts.append("E_ARCHIVE_COUNT" in codes(read(tmp_path, name, data)).values())
    assert counts[0] and not counts[-1]
    assert counts == sorted(counts, reverse=True)


def test_a_packed_file_of_many_pieces_is_given_up(tmp_path: Path) -> None:
    few = gzip.compress(RUN, mtime=0) + gzip.compress(b"", mtime=0) * 10_000
    assert read(tmp_path, "1.json.gz", few) == {"1.json.gz": RUN}
    start = time.process_time()
    found = codes(read(tmp_path, "1.json.gz", few + gzip.compress(b"", mtime=0) * 700_000))
    assert found == {"1.json.gz": "E_ARCHIVE_COUNT"}
    assert seconds_since(start) < 8


def test_what_the_settings_ignore_is_not_mentioned(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(
        zipped({"notes/deep/a.json": RUN, "b.json": RUN, "c.tmp.json": RUN})
    )
    found = discover.discover([tmp_path], ignore=["notes", "*.tmp.json"])
    (archive,) = found.sources
    assert [s.path for s, _ in source_files.contents(archive, ignoring=found.ignoring)] == [
        "x.zip/b.json"
    ]


HOSTILE_NAMES = [
    "../a.json",
    "a/../../b.json",
    "/srv/a.json",
    "C:\\a.json",
    "..\\a.json",
    "a//b.json",
    "n" * 1001,
]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("kind", [".zip", ".tar.gz"])
def test_a_name_that_leads_out_is_refused_and_the_others_are_read(
    tmp_path: Path, kind: str, name: str
) -> None:
    found = codes(read(tmp_path, f"x{kind}", packed(kind, {name: RUN, "ok.json": RUN})))
    assert sorted(found.values()) == ["E_ARCHIVE_PATH", "read"]
    assert all(len(path) < 1100 for path in found)


def test_a_name_of_1000_characters_is_read(tmp_path: Path) -> None:
    assert codes(read(tmp_path, "x.zip", zipped({"n" * 995 + ".json": RUN}))) == {
        f"x.zip/{'n' * 995}.json": "read"
    }


def test_names_are_shown_and_cannot_act(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "x.zip",
        zipped({"a\n\u202eb.json": RUN, "<img src=x>.json": RUN, "c\\d.json": RUN}),
    )
    assert set(found) == {"x.zip/a%0A%E2%80%AEb.json", "x.zip/<img src=x>.json", "x.zip/c/d.json"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_members_with_one_name_the_first_is_read(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.json", RUN)
        archive.writestr("a.json", b"{}")
    found = list(source_files.contents(source(tmp_path, "x.zip", data.getvalue())))
    assert read_now(found[0][1]) == RUN
    assert isinstance(found[1][1], ReadError) and "the first is read" in found[1][1].reason


def info(name: str, kind: bytes, **fields: object) -> tarfile.TarInfo:
    """A member of a tar without content."""
    made = tarfile.TarInfo(name)
    made.type = kind
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def test_links_and_devices_are_refused_and_never_followed(tmp_path: Path) -> None:
    extra = [
        info("s.json", tarfile.SYMTYPE, linkname="/etc/passwd"),
        info("h.json", tarfile.LNKTYPE, linkname="ok.json"),
        info("c.json", tarfile.CHRTYPE),
        info("p.json", tarfile.FIFOTYPE),
    ]
    found = codes(read(tmp_path, "x.tar", tarred({"ok.json": RUN}, ".tar", *extra)))
    assert [found[f"x.tar/{name}.json"] for name in ("ok", "s", "h", "c", "p")] == [
        "read",
        "E_ARCHIVE_LINK",
        "E_ARCHIVE_LINK",
        "E_ARCHIVE_KIND",
        "E_ARCHIVE_KIND",
    ]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, kind in (
            ("s.json", stat.S_IFLNK),
            ("p.json", stat.S_IFIFO),
            ("ok.json", stat.S_IFREG),
        ):
            member = zipfile.ZipInfo(name)
            member.external_attr = kind << 16
            archive.writestr(member, RUN)
    assert list(codes(read(tmp_path, "x.zip", data.getvalue())).values()) == [
        "E_ARCHIVE_LINK",
        "E_ARCHIVE_KIND",
        "read",
    ]


def test_other_packings_and_archives_within_are_refused(tmp_path: Path) -> None:
    for packing in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert codes(read(tmp_path, "x.zip", zipped({"a.json": RUN}, packing))) == {
            "x.zip/a.json": "E_ARCHIVE_KIND"
        }
    found = codes(
        read(tmp_path, "x.tar", tarred({"in.zip": zipped({"a.json": RUN}), "a.json": RUN}))
    )
    assert found == {"x.tar/in.zip": "E_ARCHIVE_NESTED", "x.tar/a.json": "read"}


def altered(data: bytes, fields: Mapping[int, int], signature: bytes, layout: str = "<L") -> bytes:
    """A zip whose headers of one kind say something else."""
    changed = bytearray(data)
    for found in re.finditer(re.escape(signature), data):
        for offset, value in fields.items():
            struct.pack_into(layout, changed, found.start() + offset, value)
    return bytes(changed)


CENTRAL = b"PK\1\2"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({24: 10}, "bytes, and the archive says 10"),
        ({24: 2**31}, "bytes, and the archive says 2,147,483,648"),
        ({20: 10}, "it ends early within the packed data"),
        ({20: 2**31}, None),
        ({16: 1}, "its checksum does not match"),
        ({42: 7}, "a member where there is none"),
        ({42: 2**31}, "a member where there is none"),
    ],
)
def test_a_zip_that_lies_about_a_member_loses_that_member(
    tmp_path: Path, fields: Mapping[int, int], said: str | None
) -> None:
    (content,) = read(
        tmp_path, "x.zip", altered(zipped({"a.json": NOISE}), fields, CENTRAL)
    ).values()
    if said is None:
        assert content == NOISE, "the packed bytes say where they end"
    else:
        assert isinstance(content, ReadError) and said in content.reason


def blocks(*headers: tarfile.TarInfo, content: bytes = b"") -> bytes:
    """A tar of these headers as they are, whatever they promise."""
    return b"".join(header.tobuf(tarfile.GNU_FORMAT) for header in headers) + content


def negative(size: int) -> bytes:
    """A tar header of a size below zero, which a library may take for a way back."""
    header = bytearray(info("a.json", tarfile.REGTYPE, size=0).tobuf())
    header[124:136] = b"\xff" + (2**88 + size).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


BROKEN: dict[str, tuple[str, bytes, str]] = {
    "empty tar": ("x.tar", b"", "E_TRUNCATED"),
    "empty zip": ("x.zip", b"", "E_ARCHIVE_DAMAGED"),
    "empty gz": ("x.json.gz", b"", "E_EMPTY"),
    "no zip": ("x.zip", b"hello", "E_ARCHIVE_DAMAGED"),
    "no gz": ("x.json.gz", b"hello", "E_ARCHIVE_DAMAGED"),
    "no tar": ("x.tar", b"hello" * 1000, "E_ARCHIVE_DAMAGED"),
    "no tar.xz": ("x.tar.xz", b"hello" * 1000, "E_ARCHIVE_DAMAGED"),
    "zip without its end": ("x.zip", zipped({"a.json": RUN})[:-30], "E_TRUNCATED"),
    "half a gz": ("x.json.gz", gzip.compress(RUN, mtime=0)[:-30], "E_TRUNCATED"),
    "garbage behind a gz": (
        "x.json.gz",
        gzip.compress(RUN, mtime=0) + b"garbage",
        "E_ARCHIVE_DAMAGED",
    ),
    "half a tar.gz": ("x.tar.gz", tarred({"a.json": NOISE}, ".tar.gz")[:-900], "E_TRUNCATED"),
    "half a tar": ("x.tar", tarred({"a.json": b"x" * 5000})[:2000], "E_TRUNCATED"),
    "tar without its end": (
        "x.tar",
        tarred({})[:0] + blocks(info("a.dat", tarfile.REGTYPE)),
        "E_TRUNCATED",
    ),
    "garbage in a tar": (
        "x.tar",
        blocks(info("a.dat", tarfile.REGTYPE)) + b"x" * 2048,
        "E_ARCHIVE_DAMAGED",
    ),
    "long name": (
        "x.tar",
        blocks(info("a", tarfile.GNUTYPE_LONGNAME, size=8**10)),
        "E_ARCHIVE_DAMAGED",
    ),
    "large pax header": (
        "x.tar.gz",
        gzip.compress(blocks(info("a", tarfile.XHDTYPE, size=2**33)), mtime=0),
        "E_ARCHIVE_DAMAGED",
    ),
    "many pax headers": (
        "x.tar",
        blocks(*[info("a", tarfile.XGLTYPE)] * 3000),
        "E_ARCHIVE_DAMAGED",
    ),
    "way back": ("x.tar", negative(-512) * 3, "E_ARCHIVE_DAMAGED"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_archive_is_one_sentence(tmp_path: Path, name: str) -> None:
    file, data, code = BROKEN[name]
    tracemalloc.start()
    told = [
        content for content in read(tmp_path, file, data).values() if isinstance(content, ReadError)
    ]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    if code == "E_EMPTY":  # which is for the reader to say, as of any file
        assert told == []
    else:
        assert [error.code for error in told] == [code]
    assert peak < 8 * MB


def test_a_cut_tar_gives_what_comes_before_the_cut(tmp_path: Path) -> None:
    data = tarred({"a.json": RUN, "b.json": RUN * 9, "c.json": RUN}, ".tar")
    found = codes(read(tmp_path, "x.tar", data[: 512 + 1024 + 512 + 2048]))
    assert found == {"x.tar/a.json": "read", "x.tar/b.json": "E_TRUNCATED"}


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_a_cut_is_told_wherever_it_is(tmp_path: Path, kind: str) -> None:
    data = packed(kind, {"a.json": RUN, "b.png": b"\x89PNG" + NOISE, "c.json": RUN})
    end = {".zip": len(data), ".tar": data.find(b"c.json")}.get(kind, len(data) * 2 // 3)
    for size in range(1, end, end // 40):
        found = codes(read(tmp_path, f"x{kind}", data[:size]))
        assert {"E_TRUNCATED", "E_ARCHIVE_DAMAGED"} & set(found.values()), size


def test_a_damaged_stream_is_told_as_damaged(tmp_path: Path) -> None:
    data = bytearray(tarred({"a.json": NOISE}, ".tar.gz"))
    data[10] = 0xFF  # the first block of deflate is of no known kind
    assert codes(read(tmp_path, "x.tar.gz", bytes(data))) == {"x.tar.gz": "E_ARCHIVE_DAMAGED"}


@pytest.mark.parametrize("size", [100, 40_000, 200_000])
@pytest.mark.parametrize("lost", [0, 1, 4])
def test_a_checksum_that_is_wrong_or_cut_costs_no_member(
    tmp_path: Path, size: int, lost: int
) -> None:
    runs = {f"{at}.json": RUN + random.Random(at).randbytes(size).hex().encode() for at in range(9)}  # noqa: S311
    data = bytearray(tarred(runs, ".tar.gz"))
    data[-8] ^= 1  # of the checksum
    found = read(tmp_path, "x.tar.gz", bytes(data[: len(data) - lost]))
    assert found == {f"x.tar.gz/{name}": run for name, run in runs.items()}


def test_a_small_packed_file_with_a_wrong_checksum_is_damaged(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(RUN, mtime=0))
    data[-8] ^= 1
    assert codes(read(tmp_path, "x.json.gz", bytes(data))) == {"x.json.gz": "E_ARCHIVE_DAMAGED"}


# Bounds: one below, at, one above


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz"])
def test_members_are_counted(tmp_path: Path, kind: str) -> None:
    bounds = Bounds(archive_members=5)
    for count in (4, 5, 6):
        found = codes(
            read(
                tmp_path,
                f"{count}{kind}",
                packed(kind, {f"{n}.json": RUN for n in range(count)}),
                bounds,
            )
        )
        expected = {f"{count}{kind}": "E_ARCHIVE_COUNT"} if count == 6 else {}
        in_order = (
            0 if count == 6 and kind == ".zip" else min(count, 5)
        )  # a zip says first how many there are
        assert found == {**{f"{count}{kind}/{n}.json": "read" for n in range(in_order)}, **expected}


def test_a_directory_that_promises_too_much_is_not_loaded(tmp_path: Path) -> None:
    data = zipped({"a.json": RUN})
    found = read(tmp_path, "x.zip", altered(data, {12: 2**31}, b"PK\5\6"))
    assert codes(found) in ({"x.zip": "E_ARCHIVE_COUNT"}, {"x.zip": "E_TRUNCATED"})


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz"])
@pytest.mark.parametrize(("name", "most"), [("a.json", MB), ("a.log", 2 * MB)])
def test_a_member_is_as_large_as_a_file_may_be(
    tmp_path: Path, kind: str, name: str, most: int
) -> None:
    bounds = Bounds(file_mb=1, stream_mb=2)
    for size in (most - 1, most, most + 1):
        found = codes(
            read(tmp_path, f"x{kind}", packed(kind, {name: b"x" * size, "b.json": RUN}), bounds)
        )
        assert found == {
            f"x{kind}/{name}": "read" if size <= most else "E_LIMIT",
            f"x{kind}/b.json": "read",
        }


def test_a_packed_file_is_as_large_as_a_file_may_be(tmp_path: Path) -> None:
    bounds = Bounds(file_mb=1, stream_mb=2)
    for name, most in (("a.json.gz", MB), ("a.jsonl.gz", 2 * MB)):
        for size in (most - 1, most, most + 1):
            found = codes(read(tmp_path, name, gzip.compress(b"x" * size, mtime=0), bounds))
            assert found == {name: "read" if size <= most else "E_LIMIT"}


def test_unpacked_bytes_are_counted(tmp_path: Path) -> None:
    bounds = Bounds(archive_mb=1)
    for size in (MB // 2 - 1, MB // 2, MB // 2 + 1):
        found = codes(
            read(
                tmp_path,
                "x.zip",
                zipped({"a.json": b"x" * (MB // 2), "b.json": b"x" * size}),
                bounds,
            )
        )
        last = "read" if size <= MB // 2 else "E_LIMIT"
        assert found == {"x.zip/a.json": "read", "x.zip/b.json": last}
    for kind in (".tar", ".tar.gz"):
        whole = len(tarred({"a.json": b"", "b.json": b""}))
        for size in (MB - whole - 511, MB - whole + 1 - 511 + 10_240):
            found = codes(
                read(
                    tmp_path,
                    f"x{kind}",
                    packed(kind, {"a.json": RUN, "b.json": b"x" * size}),
                    bounds,
                )
            )
            assert ("E_LIMIT" in found.values()) == (size > MB - whole)
            assert found[f"x{kind}/a.json"] == "read"


def blanks(size: int, at_ratio: int) -> bytes:
    """Bytes of which one in so many cannot be packed."""
    noise = random.Random(size).randbytes(size // at_ratio)  # noqa: S311
    return noise + b" " * (size - len(noise))


@pytest.mark.parametrize("kind", [".zip", ".tar.gz", ".gz"])
def test_what_unpacks_out_of_proportion_is_given_up(tmp_path: Path, kind: str) -> None:
    def is_read(size: int, at_ratio: int) -> bool:
        data = blanks(size, at_ratio)
        name = f"x{kind}" if kind != ".gz" else "x.json.gz"
        made = gzip.compress(data, mtime=0) if kind == ".gz" else packed(kind, {"a.json": data})
        content = next(iter(read(tmp_path, name, made, Bounds(archive_ratio=20)).values()))
        assert isinstance(content, bytes) or getattr(content, "code", "") == "E_ARCHIVE_RATIO"
        return isinstance(content, bytes)

    assert is_read(SMALL_ARCHIVE - 20_000, 10_000), (
        "what is small may be packed as tight as it likes"
    )
    assert is_read(SMALL_ARCHIVE * 2, 18)
    assert not is_read(SMALL_ARCHIVE * 2, 25)


def test_a_ratio_is_held_at_its_limit(tmp_path: Path) -> None:
    data = blanks(SMALL_ARCHIVE * 2, 30)
    archive = zipped({"a.json": data})
    size = zipfile.ZipFile(io.BytesIO(archive)).infolist()[0].compress_size
    at = -(-len(data) // size)
    for ratio, expected in ((at - 1, "E_ARCHIVE_RATIO"), (at, "read"), (at + 1, "read")):
        assert codes(read(tmp_path, "x.zip", archive, Bounds(archive_ratio=ratio))) == {
            "x.zip/a.json": expected
        }


def test_each_refusal_is_told(tmp_path: Path) -> None:
    members = {f"../{number}.json": RUN for number in range(50)} | {"ok.json": RUN}
    found = read(tmp_path, "x.zip", zipped(members))
    assert list(codes(found).values()).count("E_ARCHIVE_PATH") == 50
    assert found["x.zip/ok.json"] == RUN


# A second time


def test_one_member_of_a_zip_is_read_without_the_others(tmp_path: Path) -> None:
    archive = source(tmp_path, "x.zip", zipped({f"{n}.json": RUN + b" " * n for n in range(100)}))
    members = [member for member, _ in source_files.contents(archive)]
    data = bytearray(Path(archive.location).read_bytes())
    place = members[50].member
    assert place is not None
    data[: place.offset] = b"\0" * place.offset
    Path(archive.location).write_bytes(data)
    assert read_again(members[50]) == RUN + b" " * 50


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz"])
def test_an_archive_that_changed_is_an_error_or_other_bytes(tmp_path: Path, kind: str) -> None:
    archive = source(tmp_path, f"x{kind}", packed(kind, {"a.json": RUN, "b.json": RUN * 2}))
    last = [member for member, _ in source_files.contents(archive)][-1]
    Path(archive.location).write_bytes(packed(kind, {"z.json": b"x" * 5000}))
    try:
        assert read_again(last) != RUN * 2
    except ReadError as error:
        assert error.code in ("W_CHANGED", "E_ARCHIVE_DAMAGED", "E_TRUNCATED")
    Path(archive.location).unlink()
    with pytest.raises(ReadError, match="no longer exists"):
        read_again(last)


def test_an_archive_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    archive = source(tmp_path, "x.zip", zipped({"a.json": RUN}))
    ((member, _),) = source_files.contents(archive)
    Path(archive.location).rename(tmp_path / "y.zip")
    Path(archive.location).symlink_to(tmp_path / "y.zip")
    with pytest.raises(ReadError, match="symbolic link"):
        read_again(member)
    assert read_again(replace(member, named=True)) == RUN


# As a site


def test_a_campaign_in_archives_is_the_campaign_in_a_folder(tmp_path: Path) -> None:
    runs = {f"task-{number % 3}/{number}.json": result(number + 1) for number in range(6)}
    data = {name: json.dumps(run).encode() for name, run in runs.items()}
    write(tmp_path / "folder", runs)
    write(tmp_path, {"x.zip": zipped(data), "x.tar.gz": tarred(data, ".tar.gz")})
    found = []
    for name in ("folder", "x.zip", "x.tar.gz"):
        write(
            tmp_path,
            {"config.yaml": json.dumps({"inputs": [{"path": name, "pattern": "{task}/{_}.*"}]})},
        )
        loaded = load_runs(config=tmp_path / "config.yaml")
        assert loaded.problems == ()
        columns = loaded.to_dicts()
        assert {row["task"] for row in columns} == {"task-0", "task-1", "task-2"}
        found.append(
            [{k: v for k, v in row.items() if k not in ("id", "path", "page")} for row in columns]
        )
    assert found[0] == found[1] == found[2]


def test_a_site_of_archives_is_sound_and_keeps_the_limits_of_its_settings(tmp_path: Path) -> None:
    members = {f"{number}.json": json.dumps(result(number)).encode() for number in range(1, 4)}
    many = {f"{number}.json": json.dumps(result(10 + number)).encode() for number in range(2)}
    limits = {"archive_members": 2, "summary_characters": 70, "patch_characters": 9}
    settings = {"inputs": ["runs", "none.zip"], "limits": limits}
    long = result(
        9, result="A *short* summary, and then some words more than a summary may have here."
    )
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    runs = {
        "x.tar": tarred(members),
        "1/a.json": long,
        "1/a.diff": diff,
        "y.tgz": tarred(many, ".tgz"),
    }
    write(tmp_path / "runs", runs)
    write(
        tmp_path, {"none.zip": zipped({"a.png": b"\x89PNG"}), "config.yaml": json.dumps(settings)}
    )
    done = sitegen("build", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert site_checks.findings(tmp_path / "site") == []
    assert {(problem["file"], problem["code"]) for problem in problems(tmp_path / "site")} == {
        ("1/a.json", "W_MD_LIMIT"),
        ("x.tar", "E_ARCHIVE_COUNT"),
        ("none.zip", "E_NOT_A_RUN"),
    }
    pages = {row["path"]: tmp_path / "site" / str(row["page"]) for row in rows(tmp_path / "site")}
    assert set(pages) == {
        "1/a.json",
        "x.tar/1.json",
        "x.tar/2.json",
        "y.tgz/0.json",
        "y.tgz/1.json",
    }
    for path, page in pages.items():
        text = page.read_text(encoding="utf-8")
        assert ("<strong>reused</strong>" in text) == (path != "1/a.json")
        assert ("characters, and 70 is the limit" in text) == (path == "1/a.json")
        assert ("its first 9 characters are shown" in text) == (path == "1/a.json")


# What is made to be slow


def extended(body: bytes) -> bytes:
    """An extended header of a tar, and a member behind it."""
    head = tarfile.TarInfo("head")
    head.type, head.size = tarfile.XHDTYPE, len(body)
    return (
        head.tobuf(tarfile.USTAR_FORMAT)
        + body
        + b"\0" * (-len(body) % 512)
        + tarred({"a.json": RUN})
    )


@pytest.mark.parametrize(
    "body",
    [
        b"1" * 100_000,
        b"100011 a=" + b"1" * 100_001 + b"\n",
        b"3 \n" * 30_000 + b"=1",
        b"\0" * 100_000,
        b"12 comment=x\n" * 8_000,
    ],
    ids=["digits", "digits-of-a-value", "records-without-names", "zeros", "records"],
)
def test_extended_headers_are_read_in_linear_time(tmp_path: Path, body: bytes) -> None:
    start = time.process_time()
    read(tmp_path, "x.tar", extended(body))
    assert seconds_since(start) < 1


def test_a_long_chain_of_headers_is_given_up(tmp_path: Path) -> None:
    chain = extended(b"12 comment=x")[:1024] * 2_000
    start = time.process_time()
    assert codes(read(tmp_path, "x.tar", chain)) == {"x.tar": "E_ARCHIVE_DAMAGED"}
    assert seconds_since(start) < 2


def test_members_that_share_their_bytes_are_counted_each(tmp_path: Path) -> None:
    """A zip may list the same packed bytes thousands of times, and each would be unpacked in vain."""
    bomb = zipped({"0.json": b"\0" * (5 * MB)})
    start = bomb.index(b"PK\1\2")
    local, entry = bomb[:start], bomb[start : bomb.index(b"PK\5\6")]
    count = 2_000
    directory = b"".join(
        entry.replace(b"0.json", b"%d.json" % (number % 10)) for number in range(count)
    )
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), len(local), 0)
    start_time = time.process_time()
    found = read_all(tmp_path, "x.zip", local + directory + end)
    assert found[-1] == "E_LIMIT"
    assert len(found) < count
    assert seconds_since(start_time) < 4


def read_all(folder: Path, name: str, data: bytes) -> list[str]:
    """The codes of all members in their order, of whatever name."""
    members = source_files.contents(source(folder, name, data), Bounds(archive_mb=32))
    return [content.code if isinstance(content, ReadError) else "read" for _, content in members]
