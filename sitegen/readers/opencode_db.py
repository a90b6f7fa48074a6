"""Reads the database in which opencode keeps its sessions since 1.2, `opencode.db`: each session is a run.

It is read from memory and never changed. What a session that another one started used stands in it alone: it is a run
of its own. Never seen on a real file: it follows the tables of opencode 1.15 and later.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sitegen.errors import ReadError
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile

MAX_SESSIONS = 10_000
MAX_ROWS = 200_000
"""Messages, or parts of them, of a session."""
_MOST_STEPS = 2_000_000_000
"""Of SQLite's virtual machine, for a file."""
_TABLES = {
    "session": ("id", "version", "time_created", "time_updated"),
    "message": ("id", "session_id", "data"),
    "part": ("id", "message_id", "session_id", "data"),
}


def parts(file: RunFile, caveats: Caveats) -> Iterator[tuple[int, list[Any]]]:
    """Each session, as `opencode export` writes it. Raises: ReadError."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            yield from _sessions(database, file.read(), caveats)
    except (sqlite3.Error, OverflowError, UnicodeDecodeError):
        raise ReadError("E_ARCHIVE_DAMAGED", "this SQLite database is damaged, or still being written") from None


def _sessions(database: sqlite3.Connection, data: bytes, caveats: Caveats) -> Iterator[tuple[int, list[Any]]]:
    # Of a database with a log beside it the header says so, and memory has none: what is in the log is not read.
    database.deserialize(data[:18] + b"\1\1" + data[20:])
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    left = [_MOST_STEPS // 100_000]

    def tick() -> bool:
        left[0] -= 1
        return left[0] < 0

    database.set_progress_handler(tick, 100_000)
    if any(not _is_table(database, table, columns) for table, columns in _TABLES.items()):
        return
    query = "SELECT id, version, time_created, time_updated FROM session ORDER BY time_created, id LIMIT ?"
    found = database.execute(query, (MAX_SESSIONS + 1,)).fetchall()
    if len(found) > MAX_SESSIONS:
        caveats.add("W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out.")
    for number, (id_, version, created, updated) in enumerate(found[:MAX_SESSIONS]):
        info = {"id": id_, "version": version, "time": {"created": created, "updated": updated}}
        yield number, [{"info": info, "messages": _messages(database, id_)}]


def _is_table(database: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> bool:
    kind = database.execute("SELECT type FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    named = {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    return kind == ("table",) and named.issuperset(columns)


def _messages(database: sqlite3.Connection, session: str) -> list[dict[str, Any]]:
    messages: dict[object, dict[str, Any]] = {}
    rows = "SELECT id, data FROM message WHERE session_id = ? ORDER BY id LIMIT ?"
    for id_, data in database.execute(rows, (session, MAX_ROWS)):
        messages[id_] = {"info": _object(data) | {"id": id_, "sessionID": session}, "parts": []}
    rows = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id LIMIT ?"
    for id_, message, data in database.execute(rows, (session, MAX_ROWS)):
        if message in messages:
            messages[message]["parts"].append(_object(data) | {"id": id_, "messageID": message})
    return list(messages.values())


def _object(data: object) -> dict[str, Any]:
    try:
        value = json.loads(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}
