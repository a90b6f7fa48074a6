"""A file as readers get it."""

from __future__ import annotations

import hashlib
import io

import pytest

from sitegen.errors import ReadError
from sitegen.readers.run_file import HEAD_BYTES, LONG_HEAD_BYTES, RunFile


@pytest.mark.parametrize(
    ("name", "extension", "stem", "is_output"),
    [
        ("a/b.json", "json", "b", True),
        ("A.JSON.GZ", "json", "A.JSON", True),
        ("b.jsonl.gz", "jsonl", "b", True),
        ("b.jsonl.zst", "zst", "b", True),
        ("b.traj.json", "json", "b", True),
        ("b.traj", "traj", "b", True),
        ("x.y/b", "", "b", True),
        ("b.out.1", "1", "b.out", True),
        ("b.md", "md", "b", False),
        ("b.jsonx", "jsonx", "b", False),
        ("stderr", "", "stderr", True),
        (".json", "json", ".json", True),
    ],
)
def test_the_parts_of_a_name(name: str, extension: str, stem: str, is_output: bool) -> None:
    file = RunFile.of(name, b"")
    assert (file.extension, file.stem, file.is_output) == (extension, stem, is_output)
    assert file.name == file.path == name


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("a.json", LONG_HEAD_BYTES),
        ("a.out", LONG_HEAD_BYTES),
        ("a.traj", LONG_HEAD_BYTES),
        ("a.jsonl.gz", LONG_HEAD_BYTES),
        ("a.md", HEAD_BYTES),
        ("a", HEAD_BYTES),
    ],
)
def test_the_head_is_longer_where_a_run_is_expected(name: str, size: int) -> None:
    assert len(RunFile.of(name, b"x" * 70_000).head) == size
    assert (HEAD_BYTES, LONG_HEAD_BYTES) == (4096, 65_536)


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        ("ab".encode("utf-16"), b"ab"),
        (b"\xfe\xff" + "ab".encode("utf-16-be"), b"ab"),
        ("ab".encode("utf-32"), b"ab"),
        (b"\0\0\xfe\xff" + "ab".encode("utf-32-be"), b"ab"),
        (b"\xef\xbb\xbfab", b"ab"),
        (b"a\xef\xbb\xbfb", b"a\xef\xbb\xbfb"),
        (b"ab", b"ab"),
    ],
)
def test_the_plain_head_has_no_marks_and_no_zeros(data: bytes, plain: bytes) -> None:
    assert RunFile.of("a.json", data).plain_head == plain


def test_what_a_log_put_around_its_lines_is_taken_off_outputs_alone() -> None:
    wrapped = b'12:00:01 {"a": 1}\n12:00:02 {"b": 2}\n'
    plain = b'{"a": 1}\n{"b": 2}\n'
    log, document = RunFile.of("a.log", wrapped), RunFile.of("a.md", wrapped)
    assert (log.read(), log.head, len(log.wrappings)) == (plain, plain, 1)
    assert (document.read(), document.wrappings) == (wrapped, ())
    three = b"".join(b"c1 | c2 > c3 > " + line + b"\n" for line in plain.splitlines())
    assert RunFile.of("a.log", three).read() == plain


def test_a_file_is_read_again_from_its_beginning() -> None:
    file = RunFile.of("a.json", b"abc")
    assert file.read() == file.read() == b"".join(file.pieces()) == b"abc"
    stream = file.open()
    assert stream.read(1) == b"a" and stream.seek(2) == 2 and stream.read() == b"c"
    assert stream.seekable() and stream.readable()


def test_pieces_are_all_of_a_file() -> None:
    data = bytes(range(256)) * 3_000
    assert b"".join(RunFile.of("a.json", data).pieces()) == data


def bounded(data: bytes, most: int) -> RunFile:
    return RunFile("a.json", io.BytesIO(data), most)


def test_a_file_has_no_more_bytes_than_it_may() -> None:
    mb = 1024**2
    assert len(bounded(b"x" * mb, mb).read()) == mb
    for read in (RunFile.read, lambda file: b"".join(file.pieces()), RunFile.digest):
        with pytest.raises(ReadError) as caught:
            read(bounded(b"x" * (mb + 1), mb))
        assert (caught.value.code, caught.value.reason) == (
            "E_LIMIT",
            "it is larger than 1 MB; `limits` in the settings allow more",
        )


class Broken(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError(5, f"Input/output error at {size}")


def test_a_file_that_the_disk_does_not_give_is_an_error() -> None:
    with pytest.raises(ReadError) as caught:
        RunFile("a.json", Broken(b"x"), 5).read()
    assert caught.value.code == "E_READ"


@pytest.mark.parametrize("read", [0, 1, 3, 300_000])
def test_a_digest_is_of_all_bytes_however_much_was_read(read: int) -> None:
    data = bytes(range(251)) * 2_000
    file = RunFile.of("a.json", data)
    file.open().read(read)
    file.open().read(1)
    assert file.digest() == file.digest() == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("name", "log"),
    [
        ("x/opencode.db", b"log"),
        ("x/event-00000-a.json", b"log"),
        ("x/event-00001-a.json", b""),
        ("x/a.json", b""),
    ],
)
def test_only_databases_and_first_events_have_a_log(name: str, log: bytes) -> None:
    file = RunFile.of(name, b"data", lambda: b"log")
    assert file.log == log
    digest = hashlib.sha256(b"data").hexdigest()
    both = hashlib.sha256(digest.encode() + b"log").hexdigest()
    assert file.digest() == (both if log else digest)


def test_neighbours_are_asked_for_once() -> None:
    asked: list[int] = []

    def neighbours() -> frozenset[str]:
        asked.append(1)
        return frozenset(["a", "b"])

    file = RunFile("a", io.BytesIO(), 0, neighbours)
    assert file.neighbours == file.neighbours == {"a", "b"} and asked == [1]
    assert RunFile.of("a", b"").neighbours == frozenset()
