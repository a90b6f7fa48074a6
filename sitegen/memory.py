"""What builds of one output leave for the next one: facts of files, and pages by what they were made from.

A value is found again by its key only with the stamp under which it was kept, and the stamp is a digest over all that
the value depends on: so nothing in here is ever out of date, it is only of no use any more, and goes. What is kept is
what is published, masked as it is there: no text of a run that its page does not show. It lies in a SQLite file in the
cache folder of whoever builds, readable by them alone; where that file is damaged, or cannot be written, there is no
memory and all is built.
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

from sitegen.unchanged import YOUNG_NS

MOST_BYTES = 1_000_000_000
"""What the memories of all outputs may take; those used least recently go."""
_SCHEMA = 1
_CHECK_BYTES = 8


class Memory:
    """Keeps and recalls values. It never fails: what it cannot recall, it does not know."""

    def __init__(self, folder: Path | None, output: Path, settings: bytes = b"") -> None:
        """The memory of builds of `output`; without a cache folder it recalls nothing and keeps nothing.

        `settings` is all that every value depends on.
        """
        self._settings = hashlib.blake2b(settings, digest_size=16).digest()
        self._started_ns = time.time_ns()
        self._used: set[tuple[str, str]] = set()
        self._db: sqlite3.Connection | None = None
        self._file = None
        if folder is not None:
            name = hashlib.blake2b(os.fsencode(output.resolve()), digest_size=16).hexdigest()
            self._file = folder / "sites" / f"{name}.sqlite"
            self._open(self._file)

    def _open(self, file: Path) -> None:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            self._db = sqlite3.connect(file, isolation_level=None)
            if self._db.execute("PRAGMA user_version").fetchone() != (_SCHEMA,):
                self._db.executescript(
                    "DROP TABLE IF EXISTS kept;"
                    "CREATE TABLE kept (kind TEXT, key TEXT, stamp BLOB, value BLOB, PRIMARY KEY (kind, key))"
                    f" WITHOUT ROWID; PRAGMA user_version = {_SCHEMA}"
                )
            self._db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE")
        except (sqlite3.Error, OSError):
            self._forget()

    def _forget(self) -> None:
        """Give up a file that cannot be used; the next build begins a new one."""
        if self._db is not None:
            self._db.close()
            self._db = None
        if self._file is not None:
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
        return self.stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, *values)

    def knows(self, kind: str, key: str, stamp: bytes) -> bool:
        """Whether a value is kept under this stamp."""
        row = self._row("stamp", kind, key)
        return row is not None and row[0] == stamp

    def _row(self, columns: str, kind: str, key: str) -> tuple[Any, ...] | None:
        if self._db is None:
            return None
        try:
            query = f"SELECT {columns} FROM kept WHERE kind = ? AND key = ?"  # noqa: S608  ours
            found: tuple[Any, ...] | None = self._db.execute(query, (kind, key)).fetchone()
        except UnicodeError:  # a name that is no text
            return None
        except sqlite3.Error:
            self._forget()
            return None
        return found

    def recall(self, kind: str, key: str, stamp: bytes | None) -> Any | None:
        """The value that was kept under this stamp."""
        row = self._row("stamp, value", kind, key)
        if row is None or stamp is None or row[0] != stamp or not isinstance(row[1], bytes):
            return None
        check, kept = row[1][:_CHECK_BYTES], row[1][_CHECK_BYTES:]
        if check != _check(key, stamp, kept):
            return None
        try:
            value = _Values(io.BytesIO(kept)).load()
        except pickle.UnpicklingError:
            return None
        self._used.add((kind, key))
        return value

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
        except sqlite3.Error:
            self._forget()
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
        except sqlite3.Error:
            self._forget()
        if self._file is not None:
            with suppress(OSError):
                _forget_others(self._file)

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()


def _check(key: str, stamp: bytes, value: bytes) -> bytes:
    """Of a row: a build that was killed may leave a damaged file, which SQLite does not always notice."""
    return hashlib.blake2b(os.fsencode(key) + stamp + value, digest_size=_CHECK_BYTES).digest()


class _Values(pickle.Unpickler):
    """Makes plain values only: a cache is no place from which code comes."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module.partition(".")[0] in ("sitegen", "pathlib") else None
        # A named tuple is a tuple.
        is_value = isinstance(found, type) and (
            dataclasses.is_dataclass(found) or issubclass(found, (Enum, Path, tuple))
        )
        if not is_value:
            raise pickle.UnpicklingError(f"{module}.{name} is no value")
        return found


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
