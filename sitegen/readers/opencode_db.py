"""Reads the database in which opencode keeps its sessions since 1.2, `opencode.db`: each session is a run.

It is read from memory and never changed, with what its log beside it has committed. Since 2.0 sessions stand in tables
of their own, and those that were moved there in the old ones as well: the new ones count. Never seen on a real file: it
follows the tables of opencode 1.15, and what is public of 2.0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sitegen.errors import ReadError
from sitegen.readers.common.records import object_of, objects_of, parsed, text_of, texts_of
from sitegen.readers.common.sqlite_log import laid_over
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile

MAX_SESSIONS = 10_000
MAX_ROWS = 200_000
"""Messages, or parts of them, of a session."""
MAX_SCHEMA_CHARACTERS = 20_000
"""Of what defines a table; those of opencode have a tenth. A default value counts for each row that has no other."""
MAX_COLUMNS = 200
MAX_STEPS = 200_000_000
"""Of SQLite's virtual machine, for a file: some seconds."""
_SESSION = ("id", "version", "time_created", "time_updated")
_MORE = ("parent_id", "title")
"""Of a session, where they are there."""
_FORMS: tuple[dict[str, tuple[str, ...]], ...] = (
    {"session": _SESSION, "message": ("id", "session_id", "data"), "part": ("id", "message_id", "session_id", "data")},
    {"session_v2": _SESSION, "session_message": ("id", "session_id", "type", "seq", "data")},
)
"""The tables of 1.x, and of 2.x; that of sessions first, each with the columns that are read."""


def parts(file: RunFile, caveats: Caveats) -> Iterator[tuple[int, list[Any]]]:
    """Each session, as `opencode export` writes it. Raises: ReadError."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            data, is_cut = laid_over(file.read(), file.log)
            yield from _sessions(database, data, caveats, is_cut=is_cut)
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_TOOBIG):
            raise ReadError("E_LIMIT", "reading this SQLite database takes too much time or memory") from None
        raise ReadError("E_ARCHIVE_DAMAGED", "this SQLite database is damaged, or still being written") from None


def _sessions(
    database: sqlite3.Connection, data: bytes, caveats: Caveats, *, is_cut: bool
) -> Iterator[tuple[int, list[Any]]]:
    for limit, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, max(len(data), MAX_SCHEMA_CHARACTERS)),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SCHEMA_CHARACTERS),
        (sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS),
    ):
        database.setlimit(limit, most)
    # Of a database with a log beside it the header says so, and memory has none.
    database.deserialize(data[:18] + b"\1\1" + data[20:])
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    ticks = iter(range(MAX_STEPS // 100_000))
    database.set_progress_handler(lambda: next(ticks, None) is None, 100_000)
    rows = _Rows(database, len(data))
    sessions: dict[str, tuple[Any, ...]] = {}
    for is_new, tables in enumerate(_FORMS):
        if all(_is_table(database, table, columns) for table, columns in tables.items()):
            table = next(iter(tables))
            more = [name if _is_table(database, table, (name,)) else "NULL" for name in _MORE]
            query = f"SELECT {', '.join((*_SESSION, *more))} FROM {table} LIMIT ?"  # noqa: S608
            sessions |= {str(row[0]): (*row, is_new) for row in rows.of(query, MAX_SESSIONS + 1)}
    if len(sessions) > MAX_SESSIONS:
        caveats.add("W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out.")
    ordered = sorted(sessions.values(), key=lambda row: (str(row[2]), str(row[0])))
    for number, (id_, version, created, updated, parent, title, is_new) in enumerate(ordered[:MAX_SESSIONS]):
        info = {"id": id_, "version": version, "parentID": parent, "title": title, "isCut": is_cut}
        info["time"] = {"created": created, "updated": updated}
        messages = _new_messages(rows, id_) if is_new else _messages(rows, id_)
        yield number, [{"info": info, "messages": messages}]


class _Rows:
    """Rows of a database, all of which together hold no more text than the file has bytes. One that promises more says
    the same bytes again and again."""

    def __init__(self, database: sqlite3.Connection, most: int) -> None:
        self._database, self._left = database, most

    def of(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return them, ordered by their first column. Here and not by SQLite, which would hold them before they can be
        counted. Raises: ReadError, sqlite3.Error."""
        found = []
        for row in self._database.execute(query, values):
            self._left -= sum(len(each) for each in row if isinstance(each, str | bytes))
            if self._left < 0:
                raise ReadError("E_LIMIT", "this SQLite database gives more text than the file has bytes")
            found.append(row)
        numbers = (int, float)
        return sorted(found, key=lambda row: (0, row[0], "") if isinstance(row[0], numbers) else (1, 0, str(row[0])))


def _is_table(database: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> bool:
    # Neither a view nor a virtual table: both compute what they give.
    kind = database.execute("SELECT substr(sql, 1, 13) FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    named = {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    return kind == ("CREATE TABLE ",) and named.issuperset(columns)


def _messages(rows: _Rows, session: str) -> list[dict[str, Any]]:
    messages: dict[object, dict[str, Any]] = {}
    for id_, data in rows.of("SELECT id, data FROM message WHERE session_id = ? LIMIT ?", session, MAX_ROWS):
        messages[id_] = {"info": _object(data) | {"id": id_, "sessionID": session}, "parts": []}
    query = "SELECT id, message_id, data FROM part WHERE session_id = ? LIMIT ?"
    for id_, message, data in rows.of(query, session, MAX_ROWS):
        if message in messages:
            messages[message]["parts"].append(_object(data) | {"id": id_, "messageID": message})
    return list(messages.values())


def _new_messages(rows: _Rows, session: str) -> list[dict[str, Any]]:
    """Messages of 2.x, whose parts stand in them, as 1.x has them."""
    messages: list[dict[str, Any]] = []
    query = "SELECT seq, id, type, data FROM session_message WHERE session_id = ? LIMIT ?"
    for _, id_, role, data in rows.of(query, session, MAX_ROWS):
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
    value = parsed(data)
    return value if isinstance(value, dict) else {}
