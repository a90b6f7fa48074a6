"""Gives what there is to read in a source: a file, a packed file, a member of an archive, and what belongs to it.

A page needs the texts of its run once more (`opened`). In a zip and in a plain tar that is one seek. A packed tar has
no places to seek to: it is unpacked once more, and its members are kept in memory until another archive is asked for.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.archives import MemberContent, Stream, fault, kind_of, members_of
from sitegen.inputs.discover import Neighbours
from sitegen.model import Source
from sitegen.readers import run_file
from sitegen.readers.common import packed as parts
from sitegen.readers.folders import FIRST_EVENT, OTHER_EVENT
from sitegen.readers.kinds import COMPANION, NotARun, kind_of_file
from sitegen.readers.run_file import RunFile
from sitegen.system.address import Member
from sitegen.system.bounds import DEFAULT, Bounds

Content = RunFile | ReadError | NotARun
"""The content of a file: what readers get, why it cannot be read, or what it is instead."""

_LOG = ".db-wal"
_CUT_LOG = b"\0"


def contents(
    source: Source, bounds: Bounds = DEFAULT, ignoring: Sequence[re.Pattern[str]] = ()
) -> Iterator[tuple[Source, Content]]:
    """Yield what there is to read in a source: the file itself, or each member of the archive that it is.

    The path of a member goes on below that of its archive. Members that are hidden, lie in folders of other programs
    or fit one of `ignoring` are not mentioned, as in folders, nor are logs that are read with a database. Never raises.
    """
    paths: set[str] = set()
    logs: list[Source] = []
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
                pieces = Stream(file, kind, bounds).pieces()
                yield source, _content_of(source, pieces, bounds, named=source.named)
                return
            for member, content in members_of(source, file, bounds, ignoring):
                yield member, _content_of(member, content, bounds, named=False)
    except Exception as error:  # whatever a library finds in hostile bytes
        yield source, fault(error)


def _content_of(source: Source, packed: MemberContent, bounds: Bounds, *, named: bool) -> Content:
    """Return a packed file, of which no more is unpacked than is needed."""
    if isinstance(packed, ReadError):
        return packed
    is_log = source.path.endswith(_LOG)
    most = run_file.MAX_LOG_BYTES if is_log else discover.max_bytes_at_once(source.path, bounds)
    try:
        first = next(packed, b"")
        begun = RunFile.of(source.path, first)
        if not is_log and not readers.worth_reading(begun, named=named):
            return NotARun(kind_of_file(begun))
        return _unpacked_file(source, parts.joined(chain((first,), packed), most), bounds)
    except Exception as error:
        return fault(error)


def read_bytes(source: Source, bounds: Bounds = DEFAULT) -> bytes:
    """Return the content of a file that is not a run, unpacked where it is packed. Raises: ReadError."""
    if kind_of(source.location) is None:
        return discover.read_bytes(source, bounds)
    try:
        with discover.opened(source) as file:
            return _unpacked(source, file, bounds)
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
                content = _unpacked_file(source, _unpacked(source, file, bounds), bounds)
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


def _unpacked(source: Source, file: BinaryIO, bounds: Bounds) -> bytes:
    """Return the bytes of a packed file, or of a member of an archive. Raises: whatever `fault` knows."""
    kind = kind_of(source.location)
    member = source.member
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
    kept = _members_in(*_archive_of(source), bounds)
    if member not in kept:
        raise ReadError.changed("archive")
    return kept[member][1]


def _archive_of(source: Source) -> tuple[Source, int]:
    """Return the archive of a member, and when it was changed: it may be another that has taken its place since."""
    changed_ns = Path(source.location).stat().st_mtime_ns if source.address is None else 0
    return replace(source, path="", within="", member=None, size=0), changed_ns


def _log_in(source: Source, bounds: Bounds) -> bytes:
    """Return the log of a database that is a member of an archive; a byte, which is a log that was cut, where it cannot
    be read."""
    if source.member is None or not source.within.endswith(".db"):
        return b""
    members = _members_in(*_archive_of(source), bounds)
    path, _ = members.get(source.member, ("", b""))
    return next((data for name, data in members.values() if name == f"{path}-wal"), b"")


@lru_cache(maxsize=1)
def _members_in(
    archive: Source,
    changed_ns: int,  # noqa: ARG001  a part of the key
    bounds: Bounds,
) -> dict[Member, tuple[str, bytes]]:
    """Return the members of an archive that may be runs, or logs of databases, by their place: path and content."""
    members: dict[Member, tuple[str, bytes]] = {}
    for source, content in _all_contents(archive, bounds):
        if source.member is None:
            continue
        if isinstance(content, RunFile):
            members[source.member] = source.path, content.read()
        elif source.path.endswith(_LOG):
            members[source.member] = source.path, _CUT_LOG
    return members


_READ_ALONG = re.compile(rf"\.db-(?:wal|shm)\Z|(?:\A|/){OTHER_EVENT.pattern}\Z")


def _of_file(source: Source, bounds: Bounds) -> Iterator[tuple[Source, Content]]:
    """Yield a file that is not an archive. What is read with another file is not opened for itself."""
    if not source.named and _READ_ALONG.search(source.path):
        yield source, NotARun(COMPANION)
        return
    try:
        with discover.opened(source) as file:
            content = _run_file(source, file, bounds)
            most = discover.max_bytes(source.path, bounds)
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
    whole = b""
    most = discover.max_bytes_at_once(source.path, bounds)
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
    found: list[int] = []
    for other in belonging(source) if source.address is None and source.member is None else ():
        with suppress(OSError):
            status = Path(other.location).stat()
            found += (status.st_size, status.st_mtime_ns)
    return tuple(found)


def belonging(source: Source) -> Sequence[Source]:
    """Return the files beside one that are read with it: the log of a database, the further events of a conversation by
    name, or the earlier parts of a log in their order."""
    beside = Neighbours()
    name = Path(source.location).name
    if source.earlier:
        return beside.find(source, source.earlier)
    if name.endswith(".db"):
        return beside.find(source, [f"{name}-wal"])
    if not FIRST_EVENT.fullmatch(name):
        return ()
    return beside.find(source, sorted(filter(OTHER_EVENT.fullmatch, beside.names(source))))


def _log_of(source: Source) -> bytes:
    """Return what belongs to a file, in lines where it is several; what is beyond its bound is cut."""
    left = run_file.MAX_LOG_BYTES
    found: list[bytes] = []
    for log in belonging(source):
        with discover.opened(log) as file:
            found.append(file.read(left))
        left -= len(found[-1])
    return b"\n".join(found)
