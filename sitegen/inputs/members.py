"""What all kinds of archives share: the members found so far, held to their limits, and what is said of faults."""

from __future__ import annotations

import errno
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen import readers
from sitegen.address import Member
from sitegen.bounds import Bounds
from sitegen.errors import PublishError, ReadError
from sitegen.inputs import discover
from sitegen.model import Source
from sitegen.readers.common.packed import cut, damaged
from sitegen.readers.kinds import NotARun, kind_of_file
from sitegen.readers.run_file import RunFile

Content = RunFile | ReadError | NotARun
"""Of a file: what readers get, why it cannot be read, or what it is instead."""


MAX_NAME = 1000
"""Characters."""


class Members:
    """Decides which members of an archive are read, and under which path."""

    def __init__(self, archive: Source, ignoring: Sequence[re.Pattern[str]], bounds: Bounds) -> None:
        self.bounds = bounds
        self._archive = archive
        self._ignoring = ignoring
        self._taken: set[str] = set()

    def admit(self, name: str, member: Member, size: int, fault: ReadError | None) -> tuple[Source, ReadError | None]:
        """The member as a source, and why it is not read.

        Raises: Unmentioned.
        """
        parts = [part for part in name.replace("\\", "/").split("/") if part != "."]
        within = discover.readable("/".join(parts))
        source = replace(
            self._archive,
            path=f"{self._archive.path}/{shortened(within)}",
            within=within if self._archive.named else f"{self._archive.within}/{within}",
            size=size,
            member=member,
        )
        outside = ".." in parts or "" in parts or re.match("[A-Za-z]:", within)
        if outside or len(name) > MAX_NAME:
            where = "is too long" if not outside else "leads out of the archive"
            fault = ReadError("E_ARCHIVE_PATH", f"the name of this member {where}")
        elif self._is_unmentioned(parts, source.within):
            raise Unmentioned
        elif fault is None and kind_of(within):
            fault = ReadError("E_ARCHIVE_NESTED", "an archive within an archive is not read")
        elif fault is None and within in self._taken:
            fault = ReadError("E_ARCHIVE_PATH", "the archive holds two members of this name; the first is read")
        self._taken.add(within)
        return source, fault

    def _is_unmentioned(self, parts: Sequence[str], within: str) -> bool:
        folders = within.split("/")
        paths = ("/".join(folders[:count]) for count in range(1, len(folders) + 1))
        return discover.is_left_out(parts) or any(p.fullmatch(path) for path in paths for p in self._ignoring)


class Unmentioned(Exception):  # noqa: N818  reads as what happened
    """A member that needs no word."""


def shortened(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def leads_back() -> ReadError:
    return ReadError("E_ARCHIVE_DAMAGED", "a member ends before it begins")


def unpacks_too_large(bounds: Bounds) -> ReadError:
    what = f"the archive unpacks to more than {bounds.archive_mb:,} MB; what comes later in it is not read"
    return ReadError("E_LIMIT", what)


def fault(error: Exception) -> ReadError:
    """What a library found, as a sentence of ours. Raises: PublishError where that ends the build."""
    if isinstance(error, PublishError):
        raise error
    if isinstance(error, ReadError):
        return error
    if isinstance(error, EOFError):
        return cut()
    if isinstance(error, OSError) and error.errno and error.errno != errno.EINVAL:  # a place before the beginning
        return ReadError.unreadable(error)
    if isinstance(error, KeyError):  # of `_unpacked`
        return ReadError("W_CHANGED", "the archive changed while the site was built; build again")
    return damaged()


def content_of(source: Source, pieces: Iterator[bytes], bounds: Bounds, *, named: bool) -> Content:
    """A packed file, of which no more is unpacked than is needed."""
    try:
        first = next(pieces, b"")
        begun = RunFile.of(source.path, first)
        if not readers.worth_reading(begun, named=named):
            return NotARun(kind_of_file(begun))
        return RunFile.of(source.path, joined(pieces, source, bounds, first))
    except zlib.error:
        return ReadError("E_ARCHIVE_DAMAGED", "it is damaged: it cannot be unpacked")
    except Exception as error:
        return fault(error)


def joined(pieces: Iterator[bytes], source: Source, bounds: Bounds, first: bytes = b"") -> bytes:
    """Raises: ReadError `E_LIMIT`."""
    most = discover.max_bytes_at_once(source.path, bounds)
    found, size = [first], len(first)
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > most:
            raise ReadError.too_large(most)
    return b"".join(found)


KINDS = (".tar.bz2", ".tar.gz", ".tar.xz", ".tbz2", ".zip", ".tar", ".tgz", ".txz", ".gz")
"""Extensions of archives, the longest first."""


def kind_of(name: str) -> str | None:
    """The extension that makes a file an archive: ".zip", ".tar", ".tar.gz", ...; ".gz" is one packed file."""
    lower = name.lower()
    return next((kind for kind in KINDS if lower.endswith(kind)), None)
