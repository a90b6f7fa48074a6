"""Reads the database in which opencode keeps its sessions since 1.2, `opencode.db`: each session is a run.

It is read from memory and never changed. What a session that another one started used stands in it alone: it is a run
of its own. Since 2.0 sessions stand in tables of their own, and those that were moved there in the old ones as well:
the new ones count. Never seen on a real file: it follows the tables of opencode 1.15, and what is public of 2.0.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sitegen.errors import ReadError
from sitegen.readers.common.records import object_of, objects_of, text_of, texts_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile

MAX_SESSIONS = 10_000
MAX_ROWS = 200_000
"""Messages, or parts of them, of a session."""
_MOST_STEPS = 2_000_000_000
"""Of SQLite's virtual machine, for a file."""
_SESSION = ("id", "version", "time_created", "time_updated")
_FORMS: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "session": _SESSION,
        "message": ("id", "session_id", "data"),
        "part": ("id", "message_id", "session_id", "data"),
    },
    {"session_v2": _SESSION, "session_message": ("id", "session_id", "type", "seq", "data")},
)
"""The tables of 1.x, and of 2.x; that of sessions first, each with the columns that are read."""


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
    sessions: dict[str, tuple[Any, ...]] = {}
    for is_new, tables in enumerate(_FORMS):
        if all(_is_table(database, table, columns) for table, columns in tables.items()):
            query = f"SELECT {', '.join(_SESSION)} FROM {next(iter(tables))} ORDER BY time_created, id LIMIT ?"  # noqa: S608
            found = database.execute(query, (MAX_SESSIONS + 1,)).fetchall()
            sessions |= {str(row[0]): (*row, is_new) for row in found}
    if len(sessions) > MAX_SESSIONS:
        caveats.add("W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out.")
    ordered = sorted(sessions.values(), key=lambda row: (str(row[2]), str(row[0])))
    for number, (id_, version, created, updated, is_new) in enumerate(ordered[:MAX_SESSIONS]):
        info = {"id": id_, "version": version, "time": {"created": created, "updated": updated}}
        messages = _new_messages(database, id_) if is_new else _messages(database, id_)
        yield number, [{"info": info, "messages": messages}]


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


def _new_messages(database: sqlite3.Connection, session: str) -> list[dict[str, Any]]:
    """Messages of 2.x, whose parts stand in them, as 1.x has them."""
    messages: list[dict[str, Any]] = []
    rows = "SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY seq LIMIT ?"
    for id_, role, data in database.execute(rows, (session, MAX_ROWS)):
        message = _object(data)
        parts = [{"type": "text", "text": message.get("text")}]
        if role == "assistant":
            parts = [_part(part) for part in objects_of(message, "content")]
        elif role == "compaction":
            parts = [{"type": "compaction"}]
        elif role != "user":
            continue  # a change of the model or the agent, and what no user wrote
        info = {**message, "id": id_, "role": role, "modelID": text_of(object_of(message, "model"), "id")}
        messages.append({"info": info, "parts": [{**part, "messageID": id_} for part in parts]})
    return messages


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") != "tool":
        return part
    state = object_of(part, "state")
    said = text_of(state, "output") or texts_of(state.get("content"))
    error = text_of(object_of(state, "error"), "message") or text_of(state, "error")
    return {
        **part,
        "tool": part.get("name"),
        "state": {"time": part.get("time"), **state, "output": said, "error": error},
    }


def _object(data: object) -> dict[str, Any]:
    try:
        value = json.loads(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}
