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
from sitegen.inputs.beside import Neighbours
from sitegen.inputs.members import Content, Members, Unmentioned, content_of, fault, joined, kind_of, unpacks_too_large
from sitegen.inputs.tar_archives import Stream, of_tar
from sitegen.model import Source
from sitegen.readers.common import sqlite_log
from sitegen.readers.common.packed import fault_of_member, inflated, members_of
from sitegen.readers.folders import FIRST_EVENT, OTHER_EVENT
from sitegen.readers.kinds import NotARun, kind_of_file
from sitegen.readers.run_file import RunFile


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
        return joined(inflated(file, member, bounds.archive_ratio), source, bounds)
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
    return RunFile(source.path, file, most, partial(Neighbours().names, source), partial(_log_of, source))


def changes_beside(source: Source) -> tuple[int, ...]:
    """What changes where that which belongs to a file does."""
    found = list[int]()
    for other in _belonging(source) if source.address is None and source.member is None else ():
        try:
            status = Path(other.location).stat()
            found += (status.st_size, status.st_mtime_ns)
        except OSError:
            continue
    return tuple(found)


def _belonging(source: Source) -> Sequence[Source]:
    """The files beside one that are read with it, by name: the log of a database, or the further events of a
    conversation."""
    beside, name = Neighbours(), Path(source.location).name
    if name.endswith(".db"):
        return beside.find(source, [f"{name}-wal"])
    if not FIRST_EVENT.fullmatch(name):
        return ()
    return beside.find(source, sorted(filter(OTHER_EVENT.fullmatch, beside.names(source))))


def _log_of(source: Source) -> bytes:
    """What belongs to a file, in lines where it is several; what is beyond its bound is cut."""
    left, found = sqlite_log.MOST_BYTES, list[bytes]()
    for log in _belonging(source):
        with discover.opened(log) as file:
            found.append(file.read(left))
        left -= len(found[-1])
    return b"\n".join(found)


# Zip


def _of_zip(file: BinaryIO, members: Members) -> Iterator[tuple[Source, Content]]:
    bounds = members.bounds
    directory = members_of(file, bounds.archive_members)
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


def _fault_of_zip(info: zipfile.ZipInfo) -> ReadError | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    if kind not in (0, stat.S_IFREG):
        return ReadError("E_ARCHIVE_KIND", "this member is not a regular file")
    return fault_of_member(info)


def checked(file: BinaryIO, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    """The same, held against what the archive promises."""
    size = checksum = 0
    for piece in inflated(file, Member(info.header_offset, info.compress_size), bounds.archive_ratio):
        size, checksum = size + len(piece), zlib.crc32(piece, checksum)
        yield piece
    if size != info.file_size:
        what = f"this member has {size:,} bytes, and the archive says {info.file_size:,}"
        raise ReadError("E_ARCHIVE_DAMAGED", what)
    if checksum != info.CRC:
        raise ReadError("E_ARCHIVE_DAMAGED", "this member is damaged: its checksum does not match")


# Tar and gzip


@lru_cache(maxsize=1)
def _unpacked(archive: Source, changed_ns: int, bounds: Bounds) -> dict[Member, bytes]:  # noqa: ARG001  a part of the key
    """The members of a packed tar that may be runs, by their place.

    `changed_ns` tells the archive from another that has taken its place since.
    """
    members = contents(archive, bounds)
    return {source.member: file.read() for source, file in members if source.member and isinstance(file, RunFile)}
