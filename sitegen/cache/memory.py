"""The memory that builds of one output leave for the next one: facts of files, and pages by what they were made from.

A value is found again by its key with the stamp under which it was kept, and the stamp is a digest over all that the
value depends on: so nothing in here is ever out of date, it is only of no use any more, and goes. Only `recall_last`
asks for no stamp, of a caller who keeps another one in the value. What is kept is what is published, masked: no text of
a run that its page does not show. It lies in one file in the cache folder, values first and a list of them at the end;
where the folder is not the user's alone, or the file is damaged, there is no memory and all is built.

The file may still come from others, as a cache of CI does. So the list is signed, and has a digest of each value:
whatever the user's key, or that of CI, has not signed is unknown. A value is JSON by the type that its
`ValueKind` declares.
"""

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, cast

import msgspec

from sitegen.cache.seal import SEAL_BYTES, is_plain_file, is_sealed, seal, signing_key
from sitegen.model import Source, T
from sitegen.system.places import is_own_folder

YOUNG_NS = 2_000_000_000
"""The clock of FAT ticks every two seconds, those of other file systems more often: a file that is written twice within
one tick looks the same after both."""
MAX_BYTES = 1_000_000_000  # the limit on the memories of all outputs; those used least recently go
_MAX_LIST_BYTES = 64_000_000  # a longer list is not read: it is not known yet who wrote it
_LIST = b"list 1"  # the text that is signed, with its version
_END_BYTES = 8 + SEAL_BYTES  # behind the list: its size and its signature
_DAY_SECONDS = 86_400


class _Row(NamedTuple):
    """The position of a value in the file."""

    kind: str
    key: str
    stamp: bytes
    start: int
    size: int
    digest: bytes


@dataclass(frozen=True)
class ValueKind(Generic[T]):
    """One of the kinds of values that are kept."""

    name: str
    type: Any
    """The type of the values: T, which a type checker cannot be told for unions."""
    most_bytes: int = 2_000_000
    """The limit on a value, as JSON."""


def encoded(value: object) -> bytes:
    """Return a value as JSON. Raises: TypeError, ValueError, OverflowError for what is not a value of JSON."""
    return msgspec.json.encode(value)


def decoded(kind: ValueKind[T], kept: bytes) -> T | None:
    """Return the value that `encoded` has written so; None for what is of no such type, as another version may have
    kept."""
    try:
        return cast(T, _decoder(kind).decode(kept))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


@cache
def _decoder(kind: ValueKind[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind.type)


class Memory:
    """Keeps and recalls values. It never fails: what it cannot recall, it does not know."""

    def __init__(self, folder: Path | None, output: Path, settings: bytes = b"") -> None:
        """Set up the memory of builds of `output`; without a cache folder it recalls nothing and keeps nothing.

        `settings` is all that every value depends on. Its file is opened when it is first asked for something.
        """
        self._settings = hashlib.blake2b(settings, digest_size=16).digest()
        self._started_ns = time.time_ns()
        self._known: dict[tuple[str, str], _Row] = {}
        self._kept: dict[tuple[str, str], _Row] = {}
        self._used: set[tuple[str, str]] = set()
        self._old: IO[bytes] | None = None
        self._new: IO[bytes] | None = None
        self._is_to_be_opened = folder is not None and signing_key() is not None
        name = hashlib.blake2b(os.fsencode(output.resolve()), digest_size=16).hexdigest()
        self._file = (folder or Path()) / "sites" / f"{name}.cache"

    @property
    def is_open(self) -> bool:
        """Whether anything can be recalled or kept."""
        if self._is_to_be_opened:
            self._is_to_be_opened = False
            with suppress(OSError, msgspec.MsgspecError):
                self._open()
        return self._new is not None

    def _open(self) -> None:
        """Raises: OSError."""
        folder = self._file.parent
        if not (is_own_folder(str(folder.parent)) and is_own_folder(str(folder))):
            return
        self._new = tempfile.NamedTemporaryFile(dir=folder, prefix=".", delete=False)  # noqa: SIM115  see `close`
        if is_plain_file(str(self._file), MAX_BYTES):
            self._old = self._file.open("rb")
            self._known = {(row.kind, row.key): row for row in _listed(self._old)}

    def stamp(self, *values: object) -> bytes:
        """Return a digest over the settings and these values, which their `repr` tells apart."""
        return hashlib.blake2b(
            repr(values).encode("utf-8", "replace"), digest_size=16, key=self._settings
        ).digest()

    def stamp_of_file(self, location: str | Path, *values: object) -> bytes | None:
        """Return the same for a file by its size, times and inode; None where it is so young that times could lie."""
        if not self.is_open:
            return None
        try:
            status = os.stat(location)  # noqa: PTH116
        except OSError:
            return None
        if max(status.st_mtime_ns, status.st_ctime_ns) > self._started_ns - YOUNG_NS:
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        return self.stamp(status.st_size, *times, status.st_dev, status.st_ino, *values)

    def stamp_of_source(self, source: Source, *values: object) -> bytes | None:
        """Return the same for a file here, or at an address by what its store says of it."""
        if source.address is None:
            return self.stamp_of_file(source.location, *values)
        if not self.is_open or not source.address.version:
            return None
        return self.stamp(source.address, *values)

    def stamps(self, kind: ValueKind[Any]) -> dict[str, bytes]:
        """Return the stamp under which the value of each key was stored."""
        if not self.is_open:
            return {}
        return {row.key: row.stamp for row in self._known.values() if row.kind == kind.name}

    def recall(self, kind: ValueKind[T], key: str, stamp: bytes | None) -> T | None:
        """Return the value that was kept under this stamp."""
        row = self._known.get((kind.name, key)) if self.is_open else None
        kept = self._read(row) if row and row.stamp == stamp else b""
        value = decoded(kind, kept) if row and _digest(kept) == row.digest else None
        if value is not None:
            self._used.add((kind.name, key))
        return value

    def recall_last(self, kind: ValueKind[T], key: str) -> T | None:
        """Return the value that was kept last: whether it still holds is the caller's to know."""
        row = self._known.get((kind.name, key)) if self.is_open else None
        return row and self.recall(kind, key, row.stamp)

    def _read(self, row: _Row) -> bytes:
        """Return what lies there; nothing where it cannot be read."""
        with suppress(OSError):
            if self._old is not None:
                self._old.seek(row.start)
                return self._old.read(row.size)
        return b""

    def keep(self, kind: ValueKind[T], key: str, stamp: bytes | None, value: T) -> None:
        """Keep a value, instead of what was kept of this key."""
        if not self.is_open or stamp is None:
            return
        with suppress(TypeError, ValueError, OverflowError):  # such as a name that is not text
            kept = encoded(value)
            key.encode()
            if len(kept) <= kind.most_bytes:
                self._keep(_Row(kind.name, key, stamp, 0, len(kept), _digest(kept)), kept)

    def _keep(self, row: _Row, kept: bytes) -> None:
        try:
            if self._new is not None:
                self._kept[row.kind, row.key] = row._replace(start=self._new.tell())
                self._new.write(kept)
        except OSError:
            self.close()

    def keep_all(self) -> None:
        """Keep what this build used or made, and nothing else. Without this call all stays as it was."""
        if self.is_open and (self._kept or self._used != self._known.keys()):
            for name in sorted(self._used - self._kept.keys()):
                if self._new is None:  # the disk is full: all is closed
                    break
                self._keep(self._known[name], self._read(self._known[name]))
        if self._new is None:
            return
        with suppress(OSError):
            if self._kept:
                listed = encoded(list(self._kept.values()))
                self._new.write(listed + len(listed).to_bytes(8) + seal(_LIST, listed))
                self._new.close()
                if self._old is not None:
                    self._old.close()  # or Windows would not replace it
                os.replace(self._new.name, self._file)  # noqa: PTH105
            os.utime(self._file)  # used, also where nothing was written
            _forget_others(self._file)

    def close(self) -> None:
        """Let go of the files."""
        for file in filter(None, (self._old, self._new)):
            with suppress(OSError):
                file.close()
        if self._new is not None:
            Path(self._new.name).unlink(missing_ok=True)
        self._new = None
        self._known = {}


def _listed(file: IO[bytes]) -> list[_Row]:
    """Return what lies where in a file; nothing where that is not signed. Raises: OSError, MsgspecError."""
    end = max(file.seek(0, os.SEEK_END) - _END_BYTES, 0)
    file.seek(end)
    size = int.from_bytes(file.read(8))
    given = file.read()
    if size > min(end, _MAX_LIST_BYTES):
        return []
    file.seek(end - size)
    listed = file.read(size)
    return msgspec.json.decode(listed, type=list[_Row]) if is_sealed(given, _LIST, listed) else []


def _digest(kept: bytes) -> bytes:
    return hashlib.blake2b(kept, digest_size=SEAL_BYTES).digest()


def _forget_others(file: Path) -> None:
    """Make room: memories of other outputs, those used least recently first, and what a build left that was killed."""
    files = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns, reverse=True)
    total = file.stat().st_size
    for other in files:
        if other != file:
            status = other.stat()
            total += status.st_size
            if total > MAX_BYTES or (
                other.name[0] == "." and status.st_mtime < time.time() - _DAY_SECONDS
            ):
                other.unlink()


NO_MEMORY = Memory(None, Path())
