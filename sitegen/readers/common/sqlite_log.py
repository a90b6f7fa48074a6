"""Lays the log of an SQLite database over its pages: `x.db-wal`, in which transactions stand until they are moved.

SQLite does it, on a copy. What is behind a frame that is damaged is lost.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

MAX_BYTES = 64 * 1024**2
_HEADER, _FRAME = 32, 24


def laid_over(data: bytes, log: bytes) -> tuple[bytes, bool]:
    """Return the database with what its log has committed, and whether the log is damaged. Raises: sqlite3.Error."""
    if len(log) < _HEADER:
        return data, bool(log)
    with TemporaryDirectory(prefix="sitegen-", ignore_cleanup_errors=True) as folder:
        place = Path(folder) / "copy.db"
        place.write_bytes(data)
        place.with_name("copy.db-wal").write_bytes(log)
        with closing(sqlite3.connect(place)) as database:
            _, frames, _ = database.execute("PRAGMA wal_checkpoint").fetchone()
        if place.stat().st_size > len(data) + len(log):
            return data, True
        laid = place.read_bytes()
    size, salts = _FRAME + int.from_bytes(log[8:12], "big"), log[16:24]
    # What follows is of an earlier log, or of a transaction that is open, unless one ends there.
    rest = range(_HEADER + max(frames, 0) * size, len(log), size)
    is_damaged = any(log[at + 8 : at + 16] == salts and any(log[at + 4 : at + 8]) for at in rest)
    return laid, is_damaged or (len(log) - _HEADER) % size > 0 or log[40:48] not in (b"", salts)
