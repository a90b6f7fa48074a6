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

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO

from sitegen import readers
from sitegen.address import Member
from sitegen.bounds import DEFAULT, MB, Bounds
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.beside import Neighbours, neighbours
from sitegen.inputs.members import (
    PIECE,
    Content,
    Members,
    Unmentioned,
    content_of,
    fault,
    hold_ratio,
    joined,
    kind_of,
    too_many,
    unpacks_too_large,
)
from sitegen.inputs.tar_archives import Stream, of_tar
from sitegen.model import Source
from sitegen.readers.common import sqlite_log
from sitegen.readers.kinds import NotARun, kind_of_file
from sitegen.readers.run_file import RunFile

DIRECTORY_BYTES = 1024
"""In the directory of a zip, for each member that it may have; most members need 100."""


def contents(
    source: Source, bounds: Bounds = DEFAULT, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, Content]]:
    """What there is to read in a source: the file itself, or each member of the archive that it is.

    The path of a member goes on below that of its archive. Members that are hidden, lie in folders of other programs
    or fit one of `ignoring` are not mentioned, as in folders. Never raises.
    """
    kind = kind_of(source.location)
    if kind is None:
        yield from _of_file(source, bounds)
        return
    try:
        with discover.opened(source) as file:
            if kind == ".gz":
                yield source, content_of(source, Stream(file, kind, bounds).pieces(), bounds, named=source.named)
            elif kind == ".zip":
                yield from _of_zip(file, Members(source, ignoring, bounds))
            else:
                yield from of_tar(Stream(file, kind, bounds), Members(source, ignoring, bounds))
    except Exception as error:  # whatever a library finds in hostile bytes
        yield source, fault(error)


@contextmanager
def opened(source: Source, bounds: Bounds = DEFAULT) -> Iterator[RunFile]:
    """A source that `contents` has told of, once more.

    Raises: ReadError.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(discover.opened(source))
            if kind_of(source.location) is None:
                content = _run_file(source, file, bounds)
            else:
                content = RunFile.of(source.path, _packed(source, file, bounds))
        except Exception as error:
            raise fault(error) from None
        yield content


def _packed(source: Source, file: BinaryIO, bounds: Bounds) -> bytes:
    """The bytes of a packed file, or of a member of an archive. Raises: whatever `fault` knows."""
    kind, member = kind_of(source.location), source.member
    if kind == ".gz":
        return joined(Stream(file, kind, bounds).pieces(), source, bounds)
    if member is None:
        raise ReadError("E_NOT_A_RUN", "it is an archive")
    if kind == ".zip":
        return joined(inflated(file, member, bounds), source, bounds)
    if kind == ".tar":
        file.seek(member.offset)
        return file.read(member.size)
    archive = replace(source, path="", within="", member=None, size=0)
    changed_ns = os.fstat(file.fileno()).st_mtime_ns if archive.address is None else 0
    return _unpacked(archive, changed_ns, bounds)[member]


def _of_file(source: Source, bounds: Bounds) -> Iterator[tuple[Source, Content]]:
    """A file that is no archive."""
    try:
        with discover.opened(source) as file:
            content, most = _run_file(source, file, bounds), discover.max_bytes(source.path, bounds)
            if not readers.worth_reading(content, named=source.named):
                yield source, NotARun(kind_of_file(content))
            elif discover.size_of(file) > most:
                yield source, ReadError.too_large(most)
            else:
                yield source, content
    except OSError as error:
        is_worth_a_word = readers.worth_reading(RunFile.of(source.path, b""), named=source.named)
        yield source, ReadError.unreadable(error) if is_worth_a_word else NotARun()
    except ReadError as error:
        yield source, error


def _run_file(source: Source, file: BinaryIO, bounds: Bounds) -> RunFile:
    most = discover.max_bytes(source.path, bounds)
    return RunFile(source.path, file, most, partial(neighbours, source), partial(_log_of, source))


def changes_beside(source: Source) -> tuple[int, ...]:
    """What changes where the log beside a database does."""
    try:
        is_database = source.location.endswith(".db") and source.address is None
        found = Path(f"{source.location}-wal").stat() if is_database else None
    except OSError:
        found = None
    return (found.st_size, found.st_mtime_ns) if found else ()


def _log_of(source: Source) -> bytes:
    """The log beside a database; what is beyond its bound is cut."""
    for log in Neighbours().find(source, [f"{Path(source.location).name}-wal"]):
        with discover.opened(log) as file:
            return file.read(sqlite_log.MOST_BYTES)
    return b""


# Zip


def _of_zip(file: BinaryIO, members: Members) -> Iterator[tuple[Source, Content]]:
    bounds = members.bounds
    try:
        directory = zipfile.ZipFile(Directory(file, bounds)).infolist()
    except zipfile.BadZipFile as error:
        file.seek(0)
        if file.read(4) == _LOCAL:
            raise ReadError("E_TRUNCATED", "the archive was cut: the list of its members is missing") from None
        raise error
    if len(directory) > bounds.archive_members:
        raise too_many(bounds)
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
        except Unmentioned:
            continue
        content: Content = fault or content_of(source, counted(checked(file, info, bounds)), bounds, named=False)
        if left < 0:
            raise unpacks_too_large(bounds)
        yield source, content
    yield from members.rest()


_LOCAL = b"PK\3\4"


class Directory:
    """The file for `zipfile`, which would read a directory of any size into memory."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file, self._bounds = file, bounds

    def read(self, size: int = -1) -> bytes:
        most = max(PIECE * 2, self._bounds.archive_members * DIRECTORY_BYTES)
        if size > most:
            raise too_many(self._bounds)
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


def inflated(file: BinaryIO, member: Member, bounds: Bounds) -> Iterator[bytes]:
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
            hold_ratio(unpacked, member.size, bounds)
            yield piece
    if method == zipfile.ZIP_DEFLATED and not inflater.eof:
        raise ReadError("E_ARCHIVE_DAMAGED", "this member is larger than the archive says")


def checked(file: BinaryIO, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    """The same, held against what the archive promises."""
    size = checksum = 0
    for piece in inflated(file, Member(info.header_offset, info.compress_size), bounds):
        size, checksum = size + len(piece), zlib.crc32(piece, checksum)
        yield piece
    if size != info.file_size:
        what = f"this member has {size:,} bytes, and the archive says {info.file_size:,}"
        raise ReadError("E_ARCHIVE_DAMAGED", what)
    if checksum != info.CRC:
        raise ReadError("E_ARCHIVE_DAMAGED", "this member is damaged: its checksum does not fit")


# Tar and gzip


@lru_cache(maxsize=1)
def _unpacked(archive: Source, changed_ns: int, bounds: Bounds) -> dict[Member, bytes]:  # noqa: ARG001  a part of the key
    """The members of a packed tar that may be runs, by their place.

    `changed_ns` tells the archive from another that has taken its place since.
    """
    members = contents(archive, bounds)
    return {source.member: file.read() for source, file in members if source.member and isinstance(file, RunFile)}


# What is said
