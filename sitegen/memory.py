"""What builds of one output leave for the next one: facts of files, and pages by what they were made from.

A value is found again by its key with the stamp under which it was kept, and the stamp is a digest over all that the
value depends on: so nothing in here is ever out of date, it is only of no use any more, and goes. Only `recall_last`
asks for no stamp, of a caller who keeps another one in the value. What is kept is
what is published, masked: no text of a run that its page does not show. It lies in a SQLite file in the cache folder of
whoever builds, in a folder that is theirs alone; where that is not so, or the file is damaged, there is no memory and
all is built.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
import sqlite3
import time
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from sitegen.places import is_own_folder
from sitegen.unchanged import YOUNG_NS

MOST_BYTES = 1_000_000_000
"""What the memories of all outputs may take; those used least recently go."""
_SCHEMA = 1
_CHECK_BYTES = 8


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
        self._is_to_be_opened = folder is not None
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
            # No waiting: builds of one output wait for each other before they come here.
            self._connection = opened = sqlite3.connect(file, isolation_level=None, timeout=0)
            file.chmod(0o600)
            opened.execute("BEGIN IMMEDIATE")
            if opened.execute("PRAGMA user_version").fetchone() != (_SCHEMA,):
                opened.execute("DROP TABLE IF EXISTS kept")
                opened.execute(
                    "CREATE TABLE kept (kind TEXT, key TEXT, stamp BLOB, value BLOB, PRIMARY KEY (kind, key))"
                    " WITHOUT ROWID"
                )
                opened.execute(f"PRAGMA user_version = {_SCHEMA}")
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

    def stamp_of_file(self, location: Path, *values: object) -> bytes | None:
        """The same for a file by its size, times and inode; None where it is so young that times could lie."""
        if self._db is None:
            return None
        try:
            status = location.stat()
        except OSError:
            return None
        if max(status.st_mtime_ns, status.st_ctime_ns) > self._started_ns - YOUNG_NS:
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        return self.stamp(status.st_size, *times, status.st_dev, status.st_ino, *values)

    def _row(self, columns: str, kind: str, key: str) -> tuple[Any, ...] | None:
        if self._db is None:
            return None
        try:
            query = f"SELECT {columns} FROM kept WHERE kind = ? AND key = ?"  # noqa: S608  no text of a run
            found: tuple[Any, ...] | None = self._db.execute(query, (kind, key)).fetchone()
        except UnicodeError:  # a name that is no text
            return None
        except sqlite3.Error as error:
            self._forget(error)
            return None
        return found

    def stamps(self, kind: str) -> dict[str, bytes]:
        """Under which stamp the value of each key was kept; it may be damaged."""
        if self._db is None:
            return {}
        try:
            return dict(self._db.execute("SELECT key, stamp FROM kept WHERE kind = ?", (kind,)))
        except sqlite3.Error as error:
            self._forget(error)
            return {}

    def recall(self, kind: str, key: str, stamp: bytes | None) -> Any | None:
        """The value that was kept under this stamp."""
        row = self._row("stamp, value", kind, key)
        return None if row is None or stamp is None or row[0] != stamp else self._used_value(kind, key, *row)

    def recall_last(self, kind: str, key: str) -> Any | None:
        """The value that was kept last: whether it still holds is the caller's to know."""
        row = self._row("stamp, value", kind, key)
        return row and self._used_value(kind, key, *row)

    def _used_value(self, kind: str, key: str, stamp: bytes, kept: bytes) -> Any | None:
        value = _value(key, stamp, kept)
        if value is not None:
            self._used.add((kind, key))
        return value

    def recall_all(self, kind: str) -> dict[bytes, Any]:
        """All values of a kind by their stamps, for another process; those that are of use are to be kept again."""
        if self._db is None:
            return {}
        try:
            rows = self._db.execute("SELECT key, stamp, value FROM kept WHERE kind = ?", (kind,)).fetchall()
        except sqlite3.Error as error:
            self._forget(error)
            return {}
        return {stamp: value for key, stamp, kept in rows if (value := _value(key, stamp, kept)) is not None}

    def keep(self, kind: str, key: str, stamp: bytes | None, value: object) -> None:
        """Keep a value, instead of what was kept of this key."""
        if self._db is None or stamp is None:
            return
        kept = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        row = kind, key, stamp, _check(key, stamp, kept) + kept
        try:
            self._db.execute("REPLACE INTO kept VALUES (?, ?, ?, ?)", row)
        except UnicodeError:
            return
        except sqlite3.Error as error:
            self._forget(error)
            return
        self._used.add((kind, key))

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


def _value(key: str, stamp: bytes, row: bytes) -> Any | None:
    """The value of a row, None where the row is damaged."""
    try:
        check, kept = row[:_CHECK_BYTES], row[_CHECK_BYTES:]
        return _Values(io.BytesIO(kept)).load() if check == _check(key, stamp, kept) else None
    except Exception:  # what is not as it was kept may be anything
        return None


def _check(key: str, stamp: bytes, value: bytes) -> bytes:
    """Of a row: a build that was killed may leave a damaged file, which SQLite does not always notice."""
    return hashlib.blake2b(os.fsencode(key) + stamp + value, digest_size=_CHECK_BYTES).digest()


class _Values(pickle.Unpickler):
    """Makes instances of our own values and of nothing else.

    It is the second wall: the first is that nobody but this user may write to the folder.
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _VALUES:  # asked for each class of each value
            return _VALUES[module, name]
        found = super().find_class(module, name) if module.partition(".")[0] in ("sitegen", "pathlib") else None
        # A named tuple is a tuple.
        is_value = isinstance(found, type) and (
            dataclasses.is_dataclass(found) or issubclass(found, (Enum, Path, tuple))
        )
        if not is_value:
            raise pickle.UnpicklingError(f"{module}.{name} is no value")
        _VALUES[module, name] = found
        return found


_VALUES: dict[tuple[str, str], Any] = {}
"""Classes that were found to be values."""


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
