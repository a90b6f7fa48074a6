"""Reads tar archives, plain or packed, and single files packed by gzip, as streams."""

from __future__ import annotations

import bz2
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Protocol

from sitegen.address import Member
from sitegen.bounds import MB, Bounds
from sitegen.errors import ReadError
from sitegen.inputs.members import Content, Members, Unmentioned, content_of, leads_back, unpacks_too_large
from sitegen.model import Source
from sitegen.readers.common.packed import PIECE, hold_ratio, too_many

MAX_HEADER = 1024 * 1024
"""Bytes that a tar may say of one member before its content begins; most archives need 512."""


MAX_GZIP_MEMBERS = 100_000
"""Pieces that are packed one by one and stand one behind the other in a gzip file; most have one."""


class Stream:
    """The unpacked bytes of an archive, counted. It is read onward only, and never much at once."""

    def __init__(self, packed: BinaryIO, kind: str, bounds: Bounds) -> None:
        self.last = b""
        self.ended = False
        self._packed, self._bounds = packed, bounds
        self._file = UNPACKED_BY[kind](packed)
        self._seekable = self._file is packed
        self._most = bounds.archive_mb * MB
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, target: int, whence: int = os.SEEK_SET) -> int:  # noqa: ARG002  tarfile gives one only
        if target < self._at:
            raise leads_back()
        if self._seekable:
            self._at = self._packed.seek(target)
            self._hold()
        while self._at < target and self.read(min(PIECE, target - self._at)):
            pass
        return self._at

    def read(self, size: int) -> bytes:
        """Raises: ReadError, and whatever the library that unpacks finds."""
        if not 0 <= size <= MAX_HEADER:
            raise ReadError("E_ARCHIVE_DAMAGED", "a header in the archive is too large")
        self.ended = True  # also where reading fails
        self.last = self._file.read(size)
        self._at += len(self.last)
        self.ended = len(self.last) < size
        self._hold()
        return self.last

    def pieces(self, size: int | None = None) -> Iterator[bytes]:
        """The next `size` bytes, or all."""
        left = self._most + 1 if size is None else size
        while left and (piece := self.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
        if size is not None and left:
            raise EOFError

    def _hold(self) -> None:
        if self._at > self._most:
            raise unpacks_too_large(self._bounds)
        if not self._seekable:
            hold_ratio(self._at, self._packed.tell(), self._bounds.archive_ratio)


class _Gunzipped:
    """A gzip file, unpacked. The module `gzip` reads the name in a header byte by byte, and it may have any length."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._left = packed.read(PIECE)
        self._members = 0
        self._inflater: Any = None
        """Of the member that is being read, if any."""

    def read(self, size: int, /) -> bytes:
        """Raises: ReadError, EOFError, zlib.error."""
        pieces: list[bytes] = []
        while size and (self._inflater or self._begins()):
            piece = self._inflater.decompress(self._left, size)
            is_cut = not piece and not self._left
            self._left = self._inflater.unconsumed_tail or self._inflater.unused_data
            if self._inflater.eof:
                self._inflater = None
            elif is_cut and not self._more():
                raise EOFError
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _begins(self) -> bool:
        """Whether one more member begins here. Zeros may stand between two."""
        while self._members and not self._left.strip(b"\0") and self._more():
            pass
        self._left = self._left.lstrip(b"\0") if self._members else self._left
        if not self._left:
            return False
        self._members += 1
        if self._members > MAX_GZIP_MEMBERS:
            raise ReadError("E_ARCHIVE_COUNT", f"it is packed in more than {MAX_GZIP_MEMBERS:,} pieces")
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with the header and the checksum of gzip
        return True

    def _more(self) -> bool:
        self._left = self._packed.read(PIECE)
        return bool(self._left)


class _Headers:
    """The stream as `tarfile` may see it: what it reads are headers, which it parses in quadratic time and memory."""

    def __init__(self, stream: Stream) -> None:
        self.tell, self.seek = stream.tell, stream.seek
        self.left = MAX_HEADER
        """Bytes of headers that the next member may still have."""
        self._stream = stream
        self._is_extended = False

    def read(self, size: int) -> bytes:
        """Raises: ReadError `E_ARCHIVE_DAMAGED`."""
        self.left -= max(size, 0)
        if self.left < 0:
            raise _header_fault()
        data = self._stream.read(size)
        if self._is_extended:
            _check_records(data)
        self._is_extended = not self._is_extended and len(data) == tarfile.BLOCKSIZE and data[156:157] in _EXTENDED
        return data


_EXTENDED = (b"x", b"g", b"X")

_RECORD = re.compile(rb"([0-9]{1,7}) [^=\0\n]{1,256}=")

_LONG_NUMBER = re.compile(rb"[0-9]{200}")


def _check_records(data: bytes) -> None:
    """An extended header is records, each with its length, behind which may stand zeros. Raises: ReadError."""
    at, end = 0, len(data.rstrip(b"\0"))
    while at < end:
        record = _RECORD.match(data, at)
        after = at + int(record[1]) if record else 0
        if record is None or not record.end() < after <= end:
            raise _header_fault()
        at = after
    if _LONG_NUMBER.search(data):
        raise _header_fault()


def _header_fault() -> ReadError:
    return ReadError("E_ARCHIVE_DAMAGED", "a header in the archive is damaged or too large")


def of_tar(stream: Stream, members: Members) -> Iterator[tuple[Source, Content]]:
    for source, fault in _listed(stream, members):
        pieces = stream.pieces(source.size)
        content: Content = fault or content_of(source, pieces, members.bounds, named=False)
        yield source, content
        if stream.ended and isinstance(content, ReadError) and content is not fault:
            return  # it breaks off within this member


def _listed(stream: Stream, members: Members) -> Iterator[tuple[Source, ReadError | None]]:
    """The members of a tar, each while the stream stands where its content begins."""
    try:
        headers = _Headers(stream)
        tar = tarfile.TarFile(fileobj=headers)  # type: ignore[arg-type]
    except tarfile.ReadError as error:
        if stream.ended:
            raise EOFError from None
        raise error
    count = 0
    while info := _next(tar, stream):
        tar.members = []  # type: ignore[attr-defined]  # or it keeps them all
        headers.left = MAX_HEADER
        count += 1
        if count > members.bounds.archive_members:
            raise too_many(members.bounds.archive_members)
        if info.size < 0:
            raise leads_back()
        if info.isdir():
            continue
        member = Member(info.offset_data, info.size)
        try:
            source, fault = members.admit(info.name, member, info.size, fault_of_tar(info))
        except Unmentioned:
            continue
        if fault is None:
            stream.seek(info.offset_data)
        yield source, fault
    if stream.last.strip(b"\0"):
        raise ReadError("E_ARCHIVE_DAMAGED", "something else is where the next member should begin")
    if not stream.last:
        raise EOFError


def _next(tar: tarfile.TarFile, stream: Stream) -> tarfile.TarInfo | None:
    try:
        return tar.next()
    except tarfile.ReadError as error:
        if stream.ended:
            raise EOFError from None
        raise error


def fault_of_tar(info: tarfile.TarInfo) -> ReadError | None:
    if info.issym() or info.islnk():
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    if not info.isreg() or info.issparse():
        return ReadError("E_ARCHIVE_KIND", "this member is not a regular file")
    return None


class _Unpacked(Protocol):
    """What unpacks a stream."""

    def read(self, size: int, /) -> bytes: ...


UNPACKED_BY: dict[str, Callable[[BinaryIO], _Unpacked]] = {
    ".tar": lambda file: file,
    **dict.fromkeys((".tar.gz", ".tgz", ".gz"), _Gunzipped),
    **dict.fromkeys((".tar.bz2", ".tbz2"), bz2.BZ2File),
    **dict.fromkeys((".tar.xz", ".txz"), lzma.LZMAFile),
}
