"""Reads archives as if they were folders: member after member, in memory; nothing is ever unpacked to a disk.

An archive is a file of someone else's making that promises names, kinds and sizes, and every promise can be a lie. So
a name counts only when it stays below the archive, a member only when it is a regular file, and bytes only when they
were counted: of a member, of the archive, and in proportion to what was packed. What breaks a bound is one sentence
about one member, and the others are read; only where the archive itself breaks off, or has cost enough, the rest is
given up.

A page needs the texts of its run once more (`read`). In a zip and in a plain tar that is one seek. A packed tar has no
places to seek to: it is unpacked once more, and its members are kept in memory until another archive is asked for.
"""

from __future__ import annotations

import bz2
import errno
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, BinaryIO, Protocol

from sitegen import readers
from sitegen.bounds import DEFAULT, MB, SMALL_ARCHIVE, Bounds
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.model import Member, Source

Content = bytes | ReadError | None
"""Of a file: its bytes, why it cannot be read, or None when it is nothing to be read."""

PIECE = 65_536
"""Bytes that are read at once."""
MAX_HEADER = 1024 * 1024
"""Bytes that a tar may say of one member before its content begins; most archives need 512."""
DIRECTORY_BYTES = 1024
"""In the directory of a zip, for each member that it may have; most members need 100."""
MAX_GZIP_MEMBERS = 100_000
"""Pieces that are packed one by one and stand one behind the other in a gzip file; most have one."""
MAX_NAME = 1000
"""Characters."""
MAX_TOLD = 20
"""Refused members of one archive that are told of one by one."""


class _Unpacked(Protocol):
    """What unpacks a stream."""

    def read(self, size: int, /) -> bytes: ...


_UNPACKED_BY: dict[str, Callable[[BinaryIO], _Unpacked]] = {
    ".tar": lambda file: file,
    ".tar.gz": lambda packed: _Gunzipped(packed),
    ".tar.bz2": bz2.BZ2File,
    ".tar.xz": lzma.LZMAFile,
    ".gz": lambda packed: _Gunzipped(packed),
}
_UNPACKED_BY |= {f".t{kind}": _UNPACKED_BY[f".tar.{kind}"] for kind in ("gz", "bz2", "xz")}
_KINDS = (".zip", *sorted(_UNPACKED_BY, key=len, reverse=True))


def kind_of(name: str) -> str | None:
    """The extension that makes a file an archive: ".zip", ".tar", ".tar.gz", ...; ".gz" is one packed file."""
    lower = name.lower()
    return next((kind for kind in _KINDS if lower.endswith(kind)), None)


def contents(
    source: Source, bounds: Bounds = DEFAULT, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, Content]]:
    """What there is to read in a source: the file itself, or each member of the archive that it is.

    The path of a member goes on below that of its archive. Members that are hidden, lie in folders of other programs
    or fit one of `ignoring` are not mentioned, as in folders. Never raises.
    """
    kind = kind_of(source.location.name)
    if kind is None:
        yield source, _of_file(source, bounds)
        return
    try:
        with discover.opened(source) as file:
            if kind == ".gz":
                yield source, _content(source, _Stream(file, kind, bounds).pieces(), bounds, named=source.named)
            elif kind == ".zip":
                yield from _of_zip(file, _Members(source, ignoring, bounds))
            else:
                yield from _of_tar(_Stream(file, kind, bounds), _Members(source, ignoring, bounds))
    except Exception as error:  # whatever a library finds in hostile bytes
        yield source, _fault(error)


def read(source: Source, bounds: Bounds = DEFAULT) -> bytes:
    """The bytes of a source that `contents` has told of, once more.

    Raises: ReadError.
    """
    kind, member = kind_of(source.location.name), source.member
    if kind is None:
        return discover.read_bytes(source, bounds)
    try:
        with discover.opened(source) as file:
            if kind == ".gz":
                return _joined(_Stream(file, kind, bounds).pieces(), source, bounds)
            if member is None:
                raise ReadError("E_NOT_A_RUN", "it is an archive")
            if kind == ".zip":
                return _joined(_inflated(file, member, bounds), source, bounds)
            if kind == ".tar":
                file.seek(member.offset)
                return file.read(member.size)
            status = os.fstat(file.fileno())
        return _unpacked(replace(source, path="", within="", member=None, size=0), status.st_mtime_ns, bounds)[member]
    except Exception as error:
        raise _fault(error) from None


def _of_file(source: Source, bounds: Bounds) -> Content:
    """A file that is no archive."""
    head = partial(discover.read_head, source)
    try:
        wanted = readers.worth_reading(source.path, named=source.named, head=head)
        return discover.read_bytes(source, bounds) if wanted else None
    except ReadError as error:
        return error


def _content(source: Source, pieces: Iterator[bytes], bounds: Bounds, *, named: bool) -> Content:
    """A packed file, of which no more is unpacked than is needed."""
    try:
        first = next(pieces, b"")
        if not readers.worth_reading(source.path, named=named, head=lambda size: first[:size]):
            return None
        return _joined(pieces, source, bounds, first)
    except zlib.error:
        return ReadError("E_ARCHIVE_DAMAGED", "it is damaged: it cannot be unpacked")
    except Exception as error:
        return _fault(error)


def _joined(pieces: Iterator[bytes], source: Source, bounds: Bounds, first: bytes = b"") -> bytes:
    """Raises: ReadError `E_LIMIT`."""
    most = discover.max_bytes(source.path, bounds)
    found, size = [first], len(first)
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > most:
            raise discover.too_large(most)
    return b"".join(found)


class _Members:
    """Decides which members of an archive are read, and under which path."""

    def __init__(self, archive: Source, ignoring: Sequence[re.Pattern[str]], bounds: Bounds) -> None:
        self.bounds = bounds
        self._archive = archive
        self._ignoring = ignoring
        self._taken: set[str] = set()
        self._refused = 0

    def admit(self, name: str, member: Member, size: int, fault: ReadError | None) -> tuple[Source, ReadError | None]:
        """The member as a source, and why it is not read.

        Raises: _Unmentioned.
        """
        parts = [part for part in name.replace("\\", "/").split("/") if part != "."]
        within = discover.readable("/".join(parts))
        source = replace(
            self._archive,
            path=f"{self._archive.path}/{_shortened(within)}",
            within=within if self._archive.named else f"{self._archive.within}/{within}",
            size=size,
            member=member,
        )
        outside = ".." in parts or "" in parts or re.match("[A-Za-z]:", within)
        if outside or len(name) > MAX_NAME:
            where = "is too long" if not outside else "leads out of the archive"
            fault = ReadError("E_ARCHIVE_PATH", f"the name of this member {where}")
        elif self._is_unmentioned(parts, source.within):
            raise _Unmentioned
        elif fault is None and kind_of(within):
            fault = ReadError("E_ARCHIVE_NESTED", "an archive within an archive is not read")
        elif fault is None and within in self._taken:
            fault = ReadError("E_ARCHIVE_PATH", "the archive holds two members of this name; the first is read")
        self._taken.add(within)
        if fault is not None:
            self._refused += 1
            if self._refused > MAX_TOLD:
                raise _Unmentioned
        return source, fault

    def rest(self) -> Iterator[tuple[Source, Content]]:
        """One sentence for all refused members that were not told of."""
        if self._refused > MAX_TOLD:
            what = f"{self._refused - MAX_TOLD:,} more members of this archive were left out, for reasons like these"
            yield self._archive, ReadError("E_ARCHIVE_COUNT", what)

    def _is_unmentioned(self, parts: Sequence[str], within: str) -> bool:
        folders = within.split("/")
        paths = ("/".join(folders[:count]) for count in range(1, len(folders) + 1))
        return discover.is_left_out(parts) or any(p.fullmatch(path) for path in paths for p in self._ignoring)


class _Unmentioned(Exception):  # noqa: N818  reads as what happened
    """A member that needs no word."""


def _shortened(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


# Zip


def _of_zip(file: BinaryIO, members: _Members) -> Iterator[tuple[Source, Content]]:
    bounds = members.bounds
    try:
        directory = zipfile.ZipFile(_Directory(file, bounds)).infolist()
    except zipfile.BadZipFile as error:
        file.seek(0)
        if file.read(4) == _LOCAL:
            raise ReadError("E_TRUNCATED", "the archive was cut: the list of its members is missing") from None
        raise error
    if len(directory) > bounds.archive_members:
        raise _too_many(bounds)
    left = bounds.archive_mb * MB

    def counted(pieces: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal left
        for piece in pieces:
            left -= len(piece)  # also of members that are refused then: many may share their bytes
            if left < 0:
                return
            yield piece

    for info in directory:
        if info.is_dir():
            continue
        member = Member(info.header_offset, info.compress_size)
        try:
            source, fault = members.admit(info.filename, member, info.file_size, _fault_of_zip(info))
        except _Unmentioned:
            continue
        content: Content = fault or _content(source, counted(_checked(file, info, bounds)), bounds, named=False)
        if left < 0:
            raise _unpacks_too_large(bounds)
        yield source, content
    yield from members.rest()


_LOCAL = b"PK\3\4"


class _Directory:
    """The file for `zipfile`, which would read a directory of any size into memory."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file, self._bounds = file, bounds

    def read(self, size: int = -1) -> bytes:
        most = max(PIECE * 2, self._bounds.archive_members * DIRECTORY_BYTES)
        if size > most:
            raise _too_many(self._bounds)
        return self._file.read(PIECE * 2 if size < 0 else size)


def _fault_of_zip(info: zipfile.ZipInfo) -> ReadError | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    if kind not in (0, stat.S_IFREG):
        return ReadError("E_ARCHIVE_KIND", "this member is no regular file")
    if info.flag_bits & 1:
        return ReadError("E_ARCHIVE_KIND", "this member is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return ReadError("E_ARCHIVE_KIND", "this member is packed by a method that is not read; only deflate is")
    return None


def _inflated(file: BinaryIO, member: Member, bounds: Bounds) -> Iterator[bytes]:
    """The member of a zip, unpacked, piece by piece. Raises: ReadError, EOFError, zlib.error."""
    file.seek(member.offset)
    head = file.read(30)
    if len(head) < 30 or not head.startswith(_LOCAL):
        raise ReadError("E_ARCHIVE_DAMAGED", "the archive promises a member where there is none")
    (method,) = struct.unpack_from("<H", head, 8)
    file.seek(sum(struct.unpack_from("<HH", head, 26)), os.SEEK_CUR)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    left, unpacked = member.size, 0
    while left and not inflater.eof:
        packed = file.read(min(left, PIECE))
        if not packed:
            raise EOFError
        left -= len(packed)
        if method == zipfile.ZIP_STORED:
            yield packed
            continue
        piece = b""
        while (packed or len(piece) == PIECE) and not inflater.eof:
            piece = inflater.decompress(packed, PIECE)
            packed = inflater.unconsumed_tail
            unpacked += len(piece)
            _hold_ratio(unpacked, member.size, bounds)
            yield piece
    if method == zipfile.ZIP_DEFLATED and not inflater.eof:
        raise ReadError("E_ARCHIVE_DAMAGED", "this member is larger than the archive says")


def _checked(file: BinaryIO, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    """The same, held against what the archive promises."""
    size = checksum = 0
    for piece in _inflated(file, Member(info.header_offset, info.compress_size), bounds):
        size, checksum = size + len(piece), zlib.crc32(piece, checksum)
        yield piece
    if size != info.file_size:
        what = f"this member has {size:,} bytes, and the archive says {info.file_size:,}"
        raise ReadError("E_ARCHIVE_DAMAGED", what)
    if checksum != info.CRC:
        raise ReadError("E_ARCHIVE_DAMAGED", "this member is damaged: its checksum does not fit")


# Tar and gzip


class _Stream:
    """The unpacked bytes of an archive, counted. It is read onward only, and never much at once."""

    def __init__(self, packed: BinaryIO, kind: str, bounds: Bounds) -> None:
        self.last = b""
        self.ended = False
        self._packed, self._bounds = packed, bounds
        self._file = _UNPACKED_BY[kind](packed)
        self._seekable = self._file is packed
        self._most = bounds.archive_mb * MB
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, target: int, whence: int = os.SEEK_SET) -> int:  # noqa: ARG002  tarfile gives one only
        if target < self._at:
            raise _leads_back()
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
            raise _unpacks_too_large(self._bounds)
        if not self._seekable:
            _hold_ratio(self._at, self._packed.tell(), self._bounds)


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

    def __init__(self, stream: _Stream) -> None:
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


def _of_tar(stream: _Stream, members: _Members) -> Iterator[tuple[Source, Content]]:
    for source, fault in _listed(stream, members):
        pieces = stream.pieces(source.size)
        content: Content = fault or _content(source, pieces, members.bounds, named=False)
        yield source, content
        if stream.ended and isinstance(content, ReadError) and content is not fault:
            return  # it breaks off within this member
    yield from members.rest()


def _listed(stream: _Stream, members: _Members) -> Iterator[tuple[Source, ReadError | None]]:
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
            raise _too_many(members.bounds)
        if info.size < 0:
            raise _leads_back()
        if info.isdir():
            continue
        member = Member(info.offset_data, info.size)
        try:
            source, fault = members.admit(info.name, member, info.size, _fault_of_tar(info))
        except _Unmentioned:
            continue
        if fault is None:
            stream.seek(info.offset_data)
        yield source, fault
    if stream.last.strip(b"\0"):
        raise ReadError("E_ARCHIVE_DAMAGED", "something else stands where the next member should begin")
    if not stream.last:
        raise EOFError


def _next(tar: tarfile.TarFile, stream: _Stream) -> tarfile.TarInfo | None:
    try:
        return tar.next()
    except tarfile.ReadError as error:
        if stream.ended:
            raise EOFError from None
        raise error


def _fault_of_tar(info: tarfile.TarInfo) -> ReadError | None:
    if info.issym() or info.islnk():
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    if not info.isreg() or info.issparse():
        return ReadError("E_ARCHIVE_KIND", "this member is no regular file")
    return None


@lru_cache(maxsize=1)
def _unpacked(archive: Source, changed_ns: int, bounds: Bounds) -> dict[Member, bytes]:  # noqa: ARG001  a part of the key
    """The members of a packed tar that may be runs, by their place.

    `changed_ns` tells the archive from another that has taken its place since.
    """
    members = contents(archive, bounds)
    return {source.member: data for source, data in members if source.member and isinstance(data, bytes)}


# What is said


def _hold_ratio(unpacked: int, packed: int, bounds: Bounds) -> None:
    if unpacked > max(SMALL_ARCHIVE, packed * bounds.archive_ratio):
        what = f"it unpacks to more than {bounds.archive_ratio:,} times its size, as what is made to fill a disk does"
        raise ReadError("E_ARCHIVE_RATIO", what)


def _leads_back() -> ReadError:
    return ReadError("E_ARCHIVE_DAMAGED", "a member ends before it begins")


def _too_many(bounds: Bounds) -> ReadError:
    return ReadError("E_ARCHIVE_COUNT", f"the archive has more than {bounds.archive_members:,} members")


def _unpacks_too_large(bounds: Bounds) -> ReadError:
    what = f"the archive unpacks to more than {bounds.archive_mb:,} MB; what comes later in it is not read"
    return ReadError("E_LIMIT", what)


def _fault(error: Exception) -> ReadError:
    """What a library found, as a sentence of ours."""
    if isinstance(error, ReadError):
        return error
    if isinstance(error, EOFError):
        return ReadError("E_TRUNCATED", "the archive breaks off; it was cut, or is still being written")
    if isinstance(error, OSError) and error.errno and error.errno != errno.EINVAL:  # a place before the beginning
        return discover.unreadable(error)
    if isinstance(error, KeyError):  # of `_unpacked`
        return ReadError("W_CHANGED", "the archive changed while the site was built; build again")
    return ReadError("E_ARCHIVE_DAMAGED", "this is no archive of its kind, or it is damaged")
