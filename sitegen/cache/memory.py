"""What builds of one output leave for the next one: facts of files, and pages by what they were made from.

A value is found again by its key with the stamp under which it was kept, and the stamp is a digest over all that the
value depends on: so nothing in here is ever out of date, it is only of no use any more, and goes. Only `recall_last`
asks for no stamp, of a caller who keeps another one in the value. What is kept is what is published, masked: no text of
a run that its page does not show. It lies in a SQLite file in the cache folder; where that is not the user's alone, or
the file is damaged, there is no memory and all is built.

The file may still come from others, as a cache of CI does. So each value is signed with its kind, key and stamp, and
whatever the user's key, or that of CI, has not signed is unknown. A value is JSON by the type that its `Kind` declares.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import msgspec

from sitegen.cache.seal import SEAL_BYTES, is_plain_file, is_sealed, seal, signing_key
from sitegen.cache.unchanged import YOUNG_NS
from sitegen.model import Source
from sitegen.places import is_own_folder

T = TypeVar("T")
MOST_BYTES = 1_000_000_000
"""What the memories of all outputs may take; those used least recently go."""
MOST_FILE_BYTES = 1_000_000_000
"""A larger file is not opened."""
MOST_VALUE_BYTES = 64_000_000
_SCHEMA = 2
_TABLE = "CREATE TABLE kept (kind TEXT, key TEXT, stamp BLOB, value BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID"
_STEPS_OF_AN_EMPTY_FILE = 10_000
"""Of SQLite's virtual machine: more than any statement on it takes. A row takes 3, and more than 8 bytes."""


@dataclass(frozen=True)
class Kind(Generic[T]):
    """One of the kinds of values that are kept."""

    name: str
    type: Any
    """Of the values: T, which a type checker cannot be told for unions."""
    most_bytes: int = 2_000_000
    """Of a value, as JSON."""


def encoded(value: object) -> bytes:
    """A value as JSON. Raises: TypeError, ValueError, OverflowError for what is no value."""
    return msgspec.json.encode(value)


def decoded(kind: Kind[T], kept: bytes) -> T | None:
    """The value that `encoded` has written so; None for what is of no such type, as another version may have kept."""
    try:
        return cast(T, _decoder(kind).decode(kept))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


@cache
def _decoder(kind: Kind[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind.type)


class Memory:
    """Keeps and recalls values. It never fails: what it cannot recall, it does not know."""

    def __init__(self, folder: Path | None, output: Path, settings: bytes = b"") -> None:
        """The memory of builds of `output`; without a cache folder it recalls nothing and keeps nothing.

        `settings` is all that every value depends on. Its file is opened when it is first asked for something.
        """
        self._settings = hashlib.blake2b(settings, digest_size=16).digest()
        self._started_ns = time.time_ns()
        self._used: set[tuple[str, str]] = set()
        self._connection: sqlite3.Connection | None = None
        self._file = None
        self._is_to_be_opened = folder is not None and signing_key() is not None
        if folder is not None:
            name = hashlib.blake2b(os.fsencode(output.resolve()), digest_size=16).hexdigest()
            self._file = folder / "sites" / f"{name}.sqlite"

    @property
    def _db(self) -> sqlite3.Connection | None:
        if self._is_to_be_opened and self._file:
            self._is_to_be_opened = False
            self._open(self._file)
        return self._connection

    @property
    def is_open(self) -> bool:
        """Whether anything can be recalled or kept."""
        return self._db is not None

    def _open(self, file: Path) -> None:
        if not (is_own_folder(str(file.parent.parent)) and is_own_folder(str(file.parent))):
            return
        try:
            # SQLite would obey a journal that lies there, down to removing a file that it names; we write none.
            for beside in ("-journal", "-wal", "-shm"):
                file.with_name(file.name + beside).unlink(missing_ok=True)
            if file.is_symlink() or (file.exists() and not is_plain_file(str(file), MOST_FILE_BYTES)):
                file.unlink()
            # No waiting: builds of one output wait for each other before they come here.
            self._connection = opened = sqlite3.connect(file, isolation_level=None, timeout=0)
            file.chmod(0o600)
            # Of a forged file, pages can lead to each other without end: a statement that takes more steps than rows of
            # a file of this size could need ends with an error.
            opened.set_progress_handler(lambda: True, _STEPS_OF_AN_EMPTY_FILE + file.stat().st_size)
            opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
            for setting in ("trusted_schema = OFF", "cell_size_check = ON", "journal_mode = MEMORY"):
                opened.execute(f"PRAGMA {setting}")
            opened.execute("BEGIN IMMEDIATE")
            version = opened.execute("PRAGMA user_version").fetchone()
            schema = opened.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchmany(2)
            if (version, schema) == ((0,), []):
                opened.execute(_TABLE)
                opened.execute(f"PRAGMA user_version = {_SCHEMA}")
            elif (version, schema) != ((_SCHEMA,), [("table", "kept", "kept", _TABLE)]) or not _is_sound(opened):
                # It is of another version or forged, or holds triggers, views and what else may act by itself.
                self._forget(sqlite3.DatabaseError("another schema"))
                if not file.exists():
                    self._open(file)
                return
            opened.set_progress_handler(None, 0)  # no page belongs to two others, so all ends now
        except (sqlite3.Error, OSError) as error:
            self._forget(error)

    def _forget(self, error: Exception) -> None:
        """Do without the file; one that is damaged goes, so that the next build begins a new one."""
        self.close()
        self._connection = None
        if self._file is not None and not (isinstance(error, sqlite3.OperationalError) and "locked" in str(error)):
            with suppress(OSError):
                self._file.unlink()

    def stamp(self, *values: object) -> bytes:
        """A digest over the settings and these values, which their `repr` tells apart."""
        return hashlib.blake2b(repr(values).encode("utf-8", "replace"), digest_size=16, key=self._settings).digest()

    def stamp_of_file(self, location: str | Path, *values: object) -> bytes | None:
        """The same for a file by its size, times and inode; None where it is so young that times could lie."""
        if self._db is None:
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
        """The same for a file here, or at an address by what its store says of it."""
        if source.address is None:
            return self.stamp_of_file(source.location, *values)
        if self._db is None or not source.address.version:
            return None
        return self.stamp(source.address, *values)

    def stamps(self, kind: Kind[Any]) -> dict[str, bytes]:
        """Under which stamp the value of each key was kept; it may be damaged."""
        return {key: stamp for key, stamp, _ in self._rows("key, stamp, NULL", kind)}

    def recall(self, kind: Kind[T], key: str, stamp: bytes | None) -> T | None:
        """The value that was kept under this stamp."""
        row = self._row(kind, key)
        return None if row is None or stamp is None or row[0] != stamp else self._used_value(kind, key, *row)

    def recall_last(self, kind: Kind[T], key: str) -> T | None:
        """The value that was kept last: whether it still holds is the caller's to know."""
        row = self._row(kind, key)
        return None if row is None else self._used_value(kind, key, *row)

    def _used_value(self, kind: Kind[T], key: str, stamp: object, kept: object) -> T | None:
        value = _value(kind, key, stamp, kept)
        if value is not None:
            self._used.add((kind.name, key))
        return value

    def recall_all(self, kind: Kind[T]) -> dict[bytes, T]:
        """All values of a kind by their stamps, for another process; those that are of use are to be kept again."""
        found = {stamp: _value(kind, key, stamp, kept) for key, stamp, kept in self._rows("key, stamp, value", kind)}
        return {stamp: value for stamp, value in found.items() if value is not None}

    def _row(self, kind: Kind[Any], key: str) -> tuple[Any, ...] | None:
        return next(iter(self._rows("stamp, value", kind, key)), None)

    def _rows(self, columns: str, kind: Kind[Any], *keys: str) -> list[tuple[Any, ...]]:
        if self._db is None:
            return []
        try:
            query = f"SELECT {columns} FROM kept WHERE kind = ?{' AND key = ?' * len(keys)}"  # noqa: S608  no text of a run
            return self._db.execute(query, (kind.name, *keys)).fetchall()
        except UnicodeError:  # a name that is no text
            return []
        except sqlite3.Error as error:
            self._forget(error)
            return []

    def keep(self, kind: Kind[T], key: str, stamp: bytes | None, value: T) -> None:
        """Keep a value, instead of what was kept of this key."""
        if self._db is None or stamp is None:
            return
        try:
            kept = encoded(value)
            if len(kept) > kind.most_bytes:
                return
            row = kind.name, key, stamp, seal(*_sealed(kind, key, stamp, kept)) + kept
            self._db.execute("REPLACE INTO kept VALUES (?, ?, ?, ?)", row)
        except (TypeError, ValueError, OverflowError):  # such as a name that is no text
            return
        except sqlite3.Error as error:
            self._forget(error)
            return
        self._used.add((kind.name, key))

    def keep_all(self) -> None:
        """Keep what this build used or made, and nothing else. Without this call all stays as it was."""
        if self._db is None:
            return
        try:
            known = set(self._db.execute("SELECT kind, key FROM kept"))
            self._db.executemany("DELETE FROM kept WHERE kind = ? AND key = ?", known - self._used)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._forget(error)
        if self._file is not None:
            with suppress(OSError):
                os.utime(self._file)  # used, also where nothing was written
                _forget_others(self._file)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()


def _is_sound(opened: sqlite3.Connection) -> bool:
    """Whether each page of the file has one place in it. Raises: sqlite3.Error, as a deep tree does, of which the
    check, which calls itself for each level, would end the process."""
    opened.execute("SELECT sum(1) FROM kept").fetchone()
    return bool(opened.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


def _value(kind: Kind[T], key: object, stamp: object, row: object) -> T | None:
    """The value of a row, None where it is not one that was kept."""
    if not (isinstance(key, str) and isinstance(stamp, bytes) and isinstance(row, bytes)):
        return None
    given, kept = row[:SEAL_BYTES], row[SEAL_BYTES:]
    return decoded(kind, kept) if is_sealed(given, *_sealed(kind, key, stamp, kept)) else None


def _sealed(kind: Kind[Any], key: str, stamp: bytes, kept: bytes) -> tuple[bytes, ...]:
    return b"row", kind.name.encode(), os.fsencode(key), stamp, kept


def _forget_others(file: Path) -> None:
    """Make room: memories of other outputs, those used least recently first."""
    files = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns, reverse=True)
    total = file.stat().st_size
    for other in files:
        if other != file:
            total += other.stat().st_size
            if total > MOST_BYTES:
                other.unlink()


NO_MEMORY = Memory(None, Path())
