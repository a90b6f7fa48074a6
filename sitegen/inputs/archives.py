"""Reads archives as if they were folders: member after member, in memory; nothing is ever unpacked to a disk.

An archive is a file of someone else's making that promises names, kinds and sizes, and every promise can be a lie. So
a name counts only when it stays below the archive, a member only when it is a regular file, and bytes only when they
were counted: of a member, of the archive, and in proportion to what was packed. What breaks a bound is one sentence
about one member, and the others are read; only where the archive itself breaks off, or has cost enough, the rest is
given up.

A page needs the texts of its run once more (`read`). In a zip and in a plain tar that is one seek. A packed tar has no
places to seek to: it is unpacked once more, and its members are kept in memory until another archive is asked for.
"""

import bz2
import errno
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, chain
from pathlib import Path
from typing import BinaryIO

from sitegen import readers
from sitegen.errors import PublishError, ReadError
from sitegen.inputs import discover
from sitegen.inputs.discover import Neighbours
from sitegen.model import Source, T
from sitegen.readers import run_file
from sitegen.readers.common import packed as parts
from sitegen.readers.folders import FIRST_EVENT, OTHER_EVENT
from sitegen.readers.kinds import COMPANION, NotARun, kind_of_file
from sitegen.readers.run_file import RunFile
from sitegen.system.address import Member
from sitegen.system.bounds import DEFAULT, MB, Bounds

# What all kinds of archives share: the members found so far, held to their limits, and what is said of faults.

Content = RunFile | ReadError | NotARun
"""The content of a file: what readers get, why it cannot be read, or what it is instead."""


MAX_NAME = 1000  # characters
_LOG = ".db-wal"
_CUT_LOG = b"\0"


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
    if (
        isinstance(error, OSError) and error.errno and error.errno != errno.EINVAL
    ):  # a place before the beginning
        return ReadError.unreadable(error)
    if isinstance(error, KeyError):  # of `_unpacked`
        return ReadError.changed("archive")
    return parts.damaged()


def content_of(source: Source, pieces: Iterator[bytes], bounds: Bounds, *, named: bool) -> Content:
    """Return a packed file, of which no more is unpacked than is needed."""
    try:
        first = next(pieces, b"")
        if source.path.endswith(_LOG):
            return RunFile.of(
                source.path, parts.joined(chain((first,), pieces), run_file.MAX_LOG_BYTES)
            )
        begun = RunFile.of(source.path, first)
        if not readers.worth_reading(begun, named=named):
            return NotARun(kind_of_file(begun))
        most = discover.max_bytes_at_once(source.path, bounds)
        return _unpacked_file(source, parts.joined(chain((first,), pieces), most), bounds)
    except zlib.error:
        return parts.damaged("it is damaged: it cannot be unpacked")
    except Exception as error:
        return fault(error)


KINDS = (".tar.bz2", ".tar.gz", ".tar.xz", ".tbz2", ".zip", ".tar", ".tgz", ".txz", ".gz")
"""Extensions of archives, the longest first."""


def kind_of(name: str) -> str | None:
    """Return the extension that makes a file an archive: ".zip", ".tar", ".tar.gz", ...; ".gz" is one packed file."""
    lower = name.lower()
    return next((kind for kind in KINDS if lower.endswith(kind)), None)


# Reads tar archives, plain or packed, and single files packed by gzip, as streams.

# Bytes that a tar may say of one member before its content begins; most archives need 512.
MAX_HEADER = 1024 * 1024


# Pieces that are packed one by one and stand one behind the other in a gzip file; most have one.
MAX_GZIP_MEMBERS = 100_000


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
            raise parts.damaged(_LEADS_BACK)
        if self._seekable:
            self._at = self._packed.seek(target)
            self._hold()
        while self._at < target and self.read(min(parts.PIECE, target - self._at)):
            pass
        return self._at

    def read(self, size: int) -> bytes:
        """Raises: ReadError, and whatever the library that unpacks finds."""
        if not 0 <= size <= MAX_HEADER:
            raise parts.damaged("a header in the archive is too large")
        self.ended = True  # also where reading fails
        self.last = self._file.read(size)
        self._at += len(self.last)
        self.ended = len(self.last) < size
        self._hold()
        return self.last

    def pieces(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the next `size` bytes, or all."""
        left = self._most + 1 if size is None else size
        while left and (piece := self.read(min(parts.PIECE, left))):
            left -= len(piece)
            yield piece
        if size is not None and left:
            raise EOFError

    def _hold(self) -> None:
        if self._at > self._most:
            raise unpacks_too_large(self._bounds)
        if not self._seekable:
            parts.hold_ratio(self._at, self._packed.tell(), self._bounds.archive_ratio)


class _Gunzipped:
    """A gzip file, unpacked. The module `gzip` reads the name in a header byte by byte, and it may have any length."""

    def __init__(self, packed: BinaryIO) -> None:
        self._pieces, self._wanted = self._unpacked(packed), 0

    def read(self, size: int, /) -> bytes:
        """Raises: ReadError, EOFError, zlib.error."""
        found = []
        self._wanted = size
        while self._wanted and (piece := next(self._pieces, None)) is not None:
            found.append(piece)
            self._wanted -= len(piece)
        return b"".join(found)

    def _unpacked(self, packed: BinaryIO) -> Iterator[bytes]:
        """Yield what the file holds, never more than is wanted: a fault counts only where it is reached."""
        left = packed.read(parts.PIECE)
        for _ in range(MAX_GZIP_MEMBERS):
            if not left:
                return
            inflater = zlib.decompressobj(
                zlib.MAX_WBITS | 16
            )  # with the header and the checksum of gzip
            while not inflater.eof:
                yield (piece := inflater.decompress(left, self._wanted))
                left = inflater.unconsumed_tail or inflater.unused_data
                if not (piece or left or inflater.eof or (left := packed.read(parts.PIECE))):
                    raise EOFError
            while not left.strip(b"\0") and (
                more := packed.read(parts.PIECE)
            ):  # zeros may stand between two
                left = more
            left = left.lstrip(b"\0")
        if left:
            raise ReadError(
                "E_ARCHIVE_COUNT", f"it is packed in more than {MAX_GZIP_MEMBERS:,} pieces"
            )


class _Headers:
    """The stream as `tarfile` may see it: what it reads are headers, which it parses in quadratic time and memory."""

    def __init__(self, stream: Stream) -> None:
        self.tell, self.seek = stream.tell, stream.seek
        self.left = MAX_HEADER  # bytes of headers that the next member may still have
        self._stream = stream
        self._is_extended = False

    def read(self, size: int) -> bytes:
        """Raises: ReadError `E_ARCHIVE_DAMAGED`."""
        self.left -= max(size, 0)
        if self.left < 0:
            raise parts.damaged(_HEADER_FAULT)
        data = self._stream.read(size)
        if self._is_extended:
            _check_records(data)
        self._is_extended = (
            not self._is_extended and len(data) == tarfile.BLOCKSIZE and data[156:157] in _EXTENDED
        )
        return data


_EXTENDED = (b"x", b"g", b"X")

_RECORD = re.compile(rb"([0-9]{1,7}) [^=\0\n]{1,256}=")

_LONG_NUMBER = re.compile(rb"[0-9]{200}")


def _check_records(data: bytes) -> None:
    """Check the records of an extended header: each has its length, and zeros may follow. Raises: ReadError."""
    at, end = 0, len(data.rstrip(b"\0"))
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


def _of_tar(stream: Stream, members: Members) -> Iterator[tuple[Source, Content]]:
    headers, count = _Headers(stream), 0
    tar = _read(lambda: tarfile.TarFile(fileobj=headers), stream)  # type: ignore[arg-type]
    while info := _read(tar.next, stream):
        tar.members = []  # type: ignore[attr-defined]  # or it keeps them all
        headers.left = MAX_HEADER
        count += 1
        if count > members.bounds.archive_members:
            raise parts.too_many(members.bounds.archive_members)
        if info.size < 0:
            raise parts.damaged(_LEADS_BACK)
        if info.isdir():
            continue
        member = Member(info.offset_data, info.size)
        of_kind = _fault_of_kind(
            is_link=info.issym() or info.islnk(), is_regular=info.isreg() and not info.issparse()
        )
        if (admitted := members.admit(info.name, member, info.size, of_kind)) is None:
            continue
        source, fault = admitted
        if fault:
            yield source, fault
            continue
        stream.seek(info.offset_data)
        content = content_of(source, stream.pieces(info.size), members.bounds, named=False)
        yield source, content
        if stream.ended and isinstance(content, ReadError):
            return  # it breaks off within this member
    if stream.last.strip(b"\0"):
        raise parts.damaged("something else is where the next member should begin")
    if not stream.last:
        raise EOFError


def _read(header: Callable[[], T], stream: Stream) -> T:
    """Return a header, or what else `tarfile` reads of one."""
    try:
        return header()
    except tarfile.ReadError as error:
        if stream.ended:
            raise EOFError from None
        raise error


def _fault_of_kind(*, is_link: bool, is_regular: bool) -> ReadError | None:
    if is_link:
        return ReadError("E_ARCHIVE_LINK", "this member is a link, and links are not followed")
    return None if is_regular else ReadError("E_ARCHIVE_KIND", "this member is not a regular file")


UNPACKED_BY: dict[
    str, Callable[[BinaryIO], BinaryIO | _Gunzipped | bz2.BZ2File | lzma.LZMAFile]
] = {
    ".tar": lambda file: file,
    **dict.fromkeys((".tar.gz", ".tgz", ".gz"), _Gunzipped),
    **dict.fromkeys((".tar.bz2", ".tbz2"), bz2.BZ2File),
    **dict.fromkeys((".tar.xz", ".txz"), lzma.LZMAFile),
}


def contents(
    source: Source, bounds: Bounds = DEFAULT, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, Content]]:
    """Yield what there is to read in a source: the file itself, or each member of the archive that it is.

    The path of a member goes on below that of its archive. Members that are hidden, lie in folders of other programs
    or fit one of `ignoring` are not mentioned, as in folders, nor are logs that are read with a database. Never raises.
    """
    paths, logs = set[str](), list[Source]()
    for member, content in _all_contents(source, bounds, ignoring):
        paths.add(member.path)
        if (
            member.member is not None
            and member.path.endswith(_LOG)
            and isinstance(content, RunFile)
        ):
            logs.append(member)
        else:
            yield member, content
    for log in logs:
        if log.path.removesuffix("-wal") not in paths:
            yield log, NotARun(COMPANION)


def _all_contents(
    source: Source, bounds: Bounds, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, Content]]:
    """Yield the same, with the logs of databases in archives."""
    kind = kind_of(source.location)
    if kind is None or source.earlier:
        yield from _of_file(source, bounds)
        return
    try:
        with discover.opened(source) as file:
            if kind == ".gz":
                yield (
                    source,
                    content_of(
                        source, Stream(file, kind, bounds).pieces(), bounds, named=source.named
                    ),
                )
            elif kind == ".zip":
                yield from _of_zip(file, Members(source, ignoring, bounds))
            else:
                yield from _of_tar(Stream(file, kind, bounds), Members(source, ignoring, bounds))
    except Exception as error:  # whatever a library finds in hostile bytes
        yield source, fault(error)


def read_bytes(source: Source, bounds: Bounds = DEFAULT) -> bytes:
    """Return the content of a file that is not a run, unpacked where it is packed. Raises: ReadError."""
    if source.member is not None:
        with opened(source, bounds) as member:
            return member.read()
    data = discover.read_bytes(source, bounds)
    if kind_of(source.location) != ".gz":
        return data
    try:
        most = discover.max_bytes_at_once(source.path, bounds)
        return parts.joined(Stream(io.BytesIO(data), ".gz", bounds).pieces(), most)
    except Exception as error:
        raise fault(error) from None


@contextmanager
def opened(source: Source, bounds: Bounds = DEFAULT) -> Iterator[RunFile]:
    """Yield a source that `contents` has told of, once more.

    Raises: ReadError.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(discover.opened(source))
            if kind_of(source.location) is None or source.earlier:
                content = _run_file(source, file, bounds)
            else:
                content = _unpacked_file(source, _packed(source, file, bounds), bounds)
        except Exception as error:
            raise fault(error) from None
        yield content


@contextmanager
def reopened(source: Source, bounds: Bounds, digest: str = "") -> Iterator[RunFile]:
    """Yield a source that a run was read from. Raises: ReadError `W_CHANGED` where it is not as it was, whatever was
    read from it now."""
    fault: ReadError | None = None
    try:
        with opened(source, bounds) as file:
            try:
                yield file
            except ReadError as error:
                fault = error
            if digest and file.digest() != digest:
                fault = ReadError.changed()
    except ReadError as error:
        fault = error
    if fault:
        raise ReadError.changed(error=fault)


def _packed(source: Source, file: BinaryIO, bounds: Bounds) -> bytes:
    """Return the bytes of a packed file, or of a member of an archive. Raises: whatever `fault` knows."""
    kind, member = kind_of(source.location), source.member
    most = discover.max_bytes_at_once(source.path, bounds)
    if kind == ".gz":
        return parts.joined(Stream(file, kind, bounds).pieces(), most)
    if member is None:
        raise ReadError("E_NOT_A_RUN", "it is an archive")
    if kind == ".zip":
        return parts.joined(parts.inflated(file, member, bounds.archive_ratio), most)
    if kind == ".tar":
        file.seek(member.offset)
        return file.read(member.size)
    return _unpacked(*_archive_of(source), bounds)[member]


def _archive_of(source: Source) -> tuple[Source, int]:
    """Return the archive of a member, and when it was changed: it may be another that has taken its place since."""
    changed_ns = Path(source.location).stat().st_mtime_ns if source.address is None else 0
    return replace(source, path="", within="", member=None, size=0), changed_ns


def _log_in(source: Source, bounds: Bounds) -> bytes:
    """Return the log of a database that is a member of an archive."""
    if source.member is None or not source.within.endswith(".db"):
        return b""
    return _logs_in(*_archive_of(source), bounds).get(source.member, b"")


_READ_ALONG = re.compile(rf"\.db-(?:wal|shm)\Z|(?:\A|/){OTHER_EVENT.pattern}\Z")


def _of_file(source: Source, bounds: Bounds) -> Iterator[tuple[Source, Content]]:
    """Yield a file that is not an archive. What is read with another file is not opened for itself."""
    if not source.named and _READ_ALONG.search(source.path):
        yield source, NotARun(COMPANION)
        return
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
    if source.earlier:
        content = RunFile.of(source.path, _whole_log(source, bounds))
        content.path = source.place
        return content
    most = discover.max_bytes(source.path, bounds)
    content = RunFile(
        source.path, file, most, partial(Neighbours().names, source), partial(_log_of, source)
    )
    content.path = source.place
    return content


def _unpacked_file(source: Source, data: bytes, bounds: Bounds) -> RunFile:
    content = RunFile.of(source.path, data, partial(_log_in, source, bounds))
    content.path = source.place
    return content


def _whole_log(source: Source, bounds: Bounds) -> bytes:
    """Return a log with its earlier parts. Raises: ReadError."""
    whole, most = b"", discover.max_bytes_at_once(source.path, bounds)
    earlier = belonging(source)
    if len(earlier) < len(source.earlier):
        raise ReadError.changed("log")
    for part in (*earlier, replace(source, earlier=())):
        whole = _overlaid(whole, read_bytes(part, bounds))
        if len(whole) > most:
            raise ReadError.too_large(most)
    return whole


def _overlaid(before: bytes, after: bytes) -> bytes:
    """Return a log of two parts. One that was copied before it was emptied may have lines in both."""
    first = after[: after.find(b"\n") + 1]
    at = before.rfind(first) if first.strip() else -1
    return (before[:at] if at >= 0 and after.startswith(before[at:]) else before) + after


def changes_beside(source: Source) -> tuple[int, ...]:
    """Return what changes where that which belongs to a file does."""
    found = list[int]()
    for other in belonging(source) if source.address is None and source.member is None else ():
        with suppress(OSError):
            status = Path(other.location).stat()
            found += (status.st_size, status.st_mtime_ns)
    return tuple(found)


def belonging(source: Source) -> Sequence[Source]:
    """Return the files beside one that are read with it: the log of a database, the further events of a conversation by
    name, or the earlier parts of a log in their order."""
    beside, name = Neighbours(), Path(source.location).name
    if source.earlier:
        return beside.find(source, source.earlier)
    if name.endswith(".db"):
        return beside.find(source, [f"{name}-wal"])
    if not FIRST_EVENT.fullmatch(name):
        return ()
    return beside.find(source, sorted(filter(OTHER_EVENT.fullmatch, beside.names(source))))


def _log_of(source: Source) -> bytes:
    """Return what belongs to a file, in lines where it is several; what is beyond its bound is cut."""
    left, found = run_file.MAX_LOG_BYTES, list[bytes]()
    for log in belonging(source):
        with discover.opened(log) as file:
            found.append(file.read(left))
        left -= len(found[-1])
    return b"\n".join(found)


@lru_cache(maxsize=1)
def _logs_in(archive: Source, changed_ns: int, bounds: Bounds) -> dict[Member, bytes]:  # noqa: ARG001  likewise
    """Return the logs of the databases in an archive, by the places of these. One that cannot be read, or is beyond the
    bound of all, is a byte, which is a log that was cut."""
    databases, logs, left = dict[str, Member](), dict[str, bytes](), run_file.MAX_LOG_BYTES
    for source, content in _all_contents(archive, bounds):
        if source.member and source.path.endswith(".db"):
            databases[source.path] = source.member
        elif source.path.endswith(_LOG):
            log = content.read() if isinstance(content, RunFile) else _CUT_LOG
            logs[source.path.removesuffix("-wal")] = log if len(log) <= left else _CUT_LOG
            left -= min(len(log), left)
    return {member: logs[path] for path, member in databases.items() if path in logs}


# Zip


def _of_zip(file: BinaryIO, members: Members) -> Iterator[tuple[Source, Content]]:
    bounds = members.bounds
    directory = parts.members_of(file, bounds.archive_members)
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
        member, kind = (
            Member(info.header_offset, info.compress_size),
            stat.S_IFMT(info.external_attr >> 16),
        )
        of_kind = _fault_of_kind(is_link=kind == stat.S_IFLNK, is_regular=kind in (0, stat.S_IFREG))
        of_kind = of_kind or parts.fault_of_member(info)
        if (admitted := members.admit(info.filename, member, info.file_size, of_kind)) is None:
            continue
        source, fault = admitted
        content: Content = fault or content_of(
            source, counted(checked(file, info, bounds)), bounds, named=False
        )
        if left < 0:
            raise unpacks_too_large(bounds)
        yield source, content


def checked(file: BinaryIO, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    """Yield the same, held against what the archive promises."""
    size = checksum = 0
    for piece in parts.inflated(
        file, Member(info.header_offset, info.compress_size), bounds.archive_ratio
    ):
        size, checksum = size + len(piece), zlib.crc32(piece, checksum)
        yield piece
    if size != info.file_size:
        raise parts.damaged(
            f"this member has {size:,} bytes, and the archive says {info.file_size:,}"
        )
    if checksum != info.CRC:
        raise parts.damaged("this member is damaged: its checksum does not match")


# Tar and gzip


@lru_cache(maxsize=1)
def _unpacked(archive: Source, changed_ns: int, bounds: Bounds) -> dict[Member, bytes]:  # noqa: ARG001  a part of the key
    """Return the members of a packed tar that may be runs, by their place."""
    members = contents(archive, bounds)
    return {
        source.member: file.read()
        for source, file in members
        if source.member and isinstance(file, RunFile)
    }
