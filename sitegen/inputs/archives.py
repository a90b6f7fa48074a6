"""Reads archives as if they were folders: member after member, in memory; nothing is ever unpacked to a disk.

An archive is a file of someone else's making that promises names, kinds and sizes, and every promise can be a lie. So
a name counts only when it stays below the archive, a member only when it is a regular file, and bytes only when they
were counted: of a member, of the archive, and in proportion to what was packed. What breaks a bound is one sentence
about one member, and the others are read; only where the archive itself breaks off, or has cost enough, the rest is
given up.
"""

import bz2
import errno
import gzip
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import BinaryIO, cast

from sitegen.errors import PublishError, ReadError
from sitegen.inputs import discover
from sitegen.model import Source
from sitegen.readers.common import packed as parts
from sitegen.system.address import Member
from sitegen.system.bounds import MB, Bounds

MAX_NAME = 1000  # characters
MAX_HEADER = 1024 * 1024
"""Bytes that a tar may say of one member before its content begins; most archives need 512."""
MAX_READS = 500_000
"""The number of times that a library may read on in a packed file: it reads names and zeros byte by byte."""

KINDS = (".tar.bz2", ".tar.gz", ".tar.xz", ".tbz2", ".zip", ".tar", ".tgz", ".txz", ".gz")
"""Extensions of archives, the longest first."""

MemberContent = Iterator[bytes] | ReadError
"""The bytes of a member, piece by piece, or why it is not read."""


def kind_of(name: str) -> str | None:
    """Return the extension that makes a file an archive: ".zip", ".tar", ".tar.gz", ...; ".gz" is one packed file."""
    lower = name.lower()
    return next((kind for kind in KINDS if lower.endswith(kind)), None)


def members_of(
    archive: Source, file: BinaryIO, bounds: Bounds, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, MemberContent]]:
    """Yield the members of an archive. Each is read, as far as it is wanted, before the next one is asked for.

    Raises: whatever `fault` knows, where the archive breaks off or breaks a bound.
    """
    members = Members(archive, ignoring, bounds)
    kind = kind_of(archive.location) or ""
    return (
        _of_zip(file, members) if kind == ".zip" else _of_tar(Stream(file, kind, bounds), members)
    )


class Members:
    """Decides which members of an archive are read, and under which path."""

    def __init__(
        self, archive: Source, ignoring: Sequence[re.Pattern[str]], bounds: Bounds
    ) -> None:
        self.bounds = bounds
        self._archive = archive
        self._ignoring = ignoring
        self._taken: set[str] = set()

    def admit(
        self, name: str, member: Member, size: int, fault: ReadError | None
    ) -> tuple[Source, ReadError | None] | None:
        """Return the member as a source, and why it is not read.

        None for a member that needs no word.
        """
        folders = [part for part in name.replace("\\", "/").split("/") if part != "."]
        within = discover.readable("/".join(folders))
        shown = within if len(within) <= MAX_NAME else f"{within[: MAX_NAME - 1]}…"
        source = replace(
            self._archive,
            path=f"{self._archive.path}/{shown}",
            within=within if self._archive.named else f"{self._archive.within}/{within}",
            size=size,
            member=member,
        )
        outside = ".." in folders or "" in folders or re.match("[A-Za-z]:", within)
        if outside or len(name) > MAX_NAME:
            where = "is too long" if not outside else "leads out of the archive"
            fault = ReadError("E_ARCHIVE_PATH", f"the name of this member {where}")
        elif discover.is_left_out(folders) or any(
            pattern.fullmatch(path)
            for path in accumulate(source.within.split("/"), "{}/{}".format)
            for pattern in self._ignoring
        ):
            return None
        elif fault is None and kind_of(within):
            fault = ReadError("E_ARCHIVE_NESTED", "an archive within an archive is not read")
        elif fault is None and within in self._taken:
            fault = ReadError(
                "E_ARCHIVE_PATH", "the archive holds two members of this name; the first is read"
            )
        self._taken.add(within)
        return source, fault


def unpacks_too_large(bounds: Bounds) -> ReadError:
    most = f"{bounds.archive_mb:,} MB"
    return ReadError(
        "E_LIMIT", f"the archive unpacks to more than {most}; what comes later in it is not read"
    )


def fault(error: Exception) -> ReadError:
    """Return what a library found, as a sentence of ours. Raises: PublishError where that ends the build."""
    if isinstance(error, PublishError):
        raise error
    if isinstance(error, ReadError):
        return error
    if isinstance(error, EOFError):
        return parts.cut()
    # A place before the beginning of a file is a fault of the archive.
    if isinstance(error, OSError) and error.errno and error.errno != errno.EINVAL:
        return ReadError.unreadable(error)
    return parts.damaged()


class _Packed:
    """A packed file as a library may read it: only so many times."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek = file.seek
        self.tell = file.tell
        self._file = file
        self._reads_left = MAX_READS

    def read(self, size: int = -1) -> bytes:
        """Raises: ReadError `E_ARCHIVE_COUNT`."""
        self._reads_left -= 1
        if self._reads_left < 0:
            raise ReadError("E_ARCHIVE_COUNT", "it is packed in too many pieces")
        return self._file.read(size)


def _unpacking(file: BinaryIO, kind: str) -> BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    """Return a file that gives the unpacked bytes of another one."""
    packed = cast(BinaryIO, _Packed(file))
    if kind.endswith("gz"):
        return gzip.GzipFile(fileobj=packed)
    if kind.endswith("bz2"):
        return bz2.BZ2File(packed)
    return lzma.LZMAFile(packed) if kind.endswith("xz") else file


class Stream:
    """The unpacked bytes of an archive, counted. It is read onward only."""

    def __init__(self, packed: BinaryIO, kind: str, bounds: Bounds) -> None:
        self.last = b""
        self.ended = False
        """Whether the last attempt to read gave less than was wanted."""
        self._packed = packed
        self._bounds = bounds
        self._file = _unpacking(packed, kind)
        self._position = 0

    def tell(self) -> int:
        return self._position

    def seek(self, target: int, whence: int = os.SEEK_SET) -> int:  # noqa: ARG002  tarfile gives one only
        """Read on to a place. Raises: as `read`."""
        if target < self._position:
            raise parts.damaged(_LEADS_BACK)
        while self._position < target and self.read(min(parts.PIECE, target - self._position)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        """Raises: ReadError, and whatever the library that unpacks finds."""
        self.ended = True  # also where reading fails
        try:
            self.last = self._file.read(size)
        except zlib.error:  # which `tarfile` would take for a cut
            raise parts.damaged() from None
        self._position += len(self.last)
        if self._position > self._bounds.archive_mb * MB:
            raise unpacks_too_large(self._bounds)
        parts.hold_ratio(self._position, self._packed.tell(), self._bounds.archive_ratio)
        self.ended = len(self.last) < size
        return self.last

    def pieces(self) -> Iterator[bytes]:
        """Yield all that follows."""
        while piece := self.read(parts.PIECE):
            yield piece

    def member(self, size: int) -> Iterator[bytes]:
        """Yield the next bytes. Raises: EOFError where there are fewer."""
        end = self._position + size
        while self._position < end:
            piece = self.read(min(parts.PIECE, end - self._position))
            if self.ended:
                raise EOFError
            yield piece


class _Headers:
    """The stream as `tarfile` may see it: what it reads are headers, which it parses in quadratic time and memory."""

    def __init__(self, stream: Stream) -> None:
        self.tell = stream.tell
        self.seek = stream.seek
        self.left = MAX_HEADER  # bytes of headers that the next member may still have
        self._stream = stream
        self._is_extended = False

    def read(self, size: int) -> bytes:
        """Raises: ReadError `E_ARCHIVE_DAMAGED`."""
        if not 0 <= size <= self.left:
            raise parts.damaged(_HEADER_FAULT)
        self.left -= size
        data = self._stream.read(size)
        if self._is_extended:
            _check_records(data)
        is_header = not self._is_extended and len(data) == tarfile.BLOCKSIZE
        self._is_extended = is_header and data[156:157] in _EXTENDED
        return data


_EXTENDED = (b"x", b"g", b"X")

_RECORD = re.compile(rb"([0-9]{1,7}) [^=\0\n]{1,256}=")

_LONG_NUMBER = re.compile(rb"[0-9]{200}")


def _check_records(data: bytes) -> None:
    """Check the records of an extended header: each has its length, and zeros may follow. Raises: ReadError."""
    at = 0
    end = len(data.rstrip(b"\0"))
    while at < end:
        record = _RECORD.match(data, at)
        after = at + int(record[1]) if record else 0
        if record is None or not record.end() < after <= end:
            raise parts.damaged(_HEADER_FAULT)
        at = after
    if _LONG_NUMBER.search(data):
        raise parts.damaged(_HEADER_FAULT)


_LEADS_BACK = "a member ends before it begins"
_HEADER_FAULT = "a header in the archive is damaged or too large"


def _of_tar(stream: Stream, members: Members) -> Iterator[tuple[Source, MemberContent]]:
    for info in _headers_of(stream, members.bounds.archive_members):
        of_kind = _fault_of_kind(
            is_link=info.issym() or info.islnk(), is_regular=info.isreg() and not info.issparse()
        )
        member = Member(info.offset_data, info.size)
        if (admitted := members.admit(info.name, member, info.size, of_kind)) is None:
            continue
        source, fault = admitted
        if fault:
            yield source, fault
            continue
        stream.seek(info.offset_data)
        yield source, stream.member(info.size)
        if stream.ended:
            return  # it breaks off within this member


def _headers_of(stream: Stream, most: int) -> Iterator[tarfile.TarInfo]:
    """Yield what a tar says of each member but folders. Raises: ReadError, EOFError, and whatever else is found."""
    headers = _Headers(stream)
    count = 0
    try:
        tar = tarfile.TarFile(fileobj=cast(BinaryIO, headers))
        while info := tar.next():
            tar.members = []  # type: ignore[attr-defined]  # or it keeps them all
            headers.left = MAX_HEADER
            count += 1
            if count > most:
                raise parts.too_many(most)
            if info.size < 0:
                raise parts.damaged(_LEADS_BACK)
            if not info.isdir():
                yield info
    except tarfile.ReadError:
        if stream.ended:
            raise EOFError from None
        raise
    if stream.last.strip(b"\0"):
        raise parts.damaged("something else is where the next member should begin")
    if not stream.last:
        raise EOFError


def _fault_of_kind(*, is_link: bool, is_regular: bool) -> ReadError | None:
    if is_link:
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    return None if is_regular else ReadError("E_ARCHIVE_KIND", "this member is not a regular file")


def _of_zip(file: BinaryIO, members: Members) -> Iterator[tuple[Source, MemberContent]]:
    bounds = members.bounds
    left = bounds.archive_mb * MB

    def counted(pieces: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal left
        for piece in pieces:
            left -= len(piece)  # also of members that are refused then: many may share their bytes
            if left < 0:
                raise unpacks_too_large(bounds)
            yield piece

    for info in parts.members_of(file, bounds.archive_members):
        if info.is_dir():
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        of_kind = _fault_of_kind(is_link=kind == stat.S_IFLNK, is_regular=kind in (0, stat.S_IFREG))
        of_kind = of_kind or parts.fault_of_member(info)
        member = Member(info.header_offset, info.compress_size)
        if (admitted := members.admit(info.filename, member, info.file_size, of_kind)) is None:
            continue
        source, fault = admitted
        yield source, fault or counted(checked(file, info, bounds))
        if left < 0:
            return


def checked(file: BinaryIO, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    """Yield the same, held against what the archive promises."""
    size = checksum = 0
    for piece in parts.inflated(
        file, Member(info.header_offset, info.compress_size), bounds.archive_ratio
    ):
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        yield piece
    if size != info.file_size:
        raise parts.damaged(
            f"this member has {size:,} bytes, and the archive says {info.file_size:,}"
        )
    if checksum != info.CRC:
        raise parts.damaged("this member is damaged: its checksum does not match")
