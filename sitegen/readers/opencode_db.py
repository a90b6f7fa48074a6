"""Reads databases of opencode and of Crush: each session is a run.

They are read from memory and never changed, with what the log beside them has committed. opencode has `opencode.db`
since 1.2; since 2.0 sessions stand in tables of their own, and those that were moved there in the old ones as well: the
new ones count. Never seen on a real file: it follows the tables of opencode 1.15, and what is public of 2.0.

The opencode of 2025 that was written in Go, and Crush, which went on from it, have tables of another kind, known by
those of their migrations; a call and its answer stand in two messages there. Their counts of tokens are those of the
last request. A session's cost has that of its subagents in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from sitegen.errors import ReadError, reason_of
from sitegen.readers.common.records import object_of, objects_of, parsed, text_of, texts_of, words
from sitegen.readers.common.sqlite_log import laid_over
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.opencode import OpencodeExport
from sitegen.readers.run_file import RunFile

MAX_SESSIONS = 10_000
MAX_ROWS = 200_000
MAX_SCHEMA_CHARACTERS = 20_000
"""The limit on the definition of a table; those of opencode have a tenth. A default value counts for each row that has
no other."""
MAX_COLUMNS = 200
MAX_STEPS = 200_000_000
"""The limit on steps of SQLite's virtual machine, for a file: some seconds."""
_SESSION = "id version time_created time_updated parent_id title"
_GO_SESSION = (
    "id NULL created_at updated_at parent_session_id title cost summary_message_id prompt_tokens completion_tokens"
)
_GO_MESSAGE = "created_at id role parts model finished_at"
_OPTIONAL = words("NULL parent_id title summary_message_id")


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each session, as `opencode export` writes it. Raises: ReadError."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            data, is_cut = laid_over(file.read(), file.log)
            yield from _sessions(database, data, caveats, is_cut=is_cut)
    except OSError as error:
        raise ReadError("E_READ", f"the log beside it cannot be laid over a copy: {reason_of(error)}") from None
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_TOOBIG):
            raise ReadError("E_LIMIT", "reading this SQLite database takes too much time or memory") from None
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
            raise ReadError("E_READ", "the log beside it cannot be laid over a copy: the disk is full") from None
        raise ReadError("E_ARCHIVE_DAMAGED", "this SQLite database is damaged, or still being written") from None


class OpencodeDatabase(OpencodeExport):
    """A session in a database."""

    parts = staticmethod(parts)


def _sessions(database: sqlite3.Connection, data: bytes, caveats: Caveats, *, is_cut: bool) -> Iterator[list[Any]]:
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
    is_known = False
    for form, (columns, others, _) in _FORMS.items():
        needed = {form: columns, **others}
        if all(_is_table(database, table, *(words(each) - _OPTIONAL)) for table, each in needed.items()):
            there = (each if _is_table(database, form, each) else "NULL" for each in columns.split())
            query = f"SELECT {', '.join(there)} FROM {form} LIMIT ?"  # noqa: S608
            sessions |= {str(row[0]): (form, *row) for row in rows.of(query, MAX_SESSIONS + 1)}
            is_known = True
    if is_known and not sessions:
        raise EmptyResultsError("it is a database of opencode or of Crush without a session")
    is_crush = _is_table(database, "messages", "provider")
    if len(sessions) > MAX_SESSIONS:
        caveats.add("W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out.")
    started = dict[object, float]()
    for row in sessions.values():
        if row[0] == "sessions" and isinstance(row[7], float):
            started[row[5]] = started.get(row[5], 0) + row[7]
    ordered = sorted(sessions.values(), key=lambda row: (str(row[3]), str(row[1])))
    for form, id_, version, created, updated, parent, title, *more in ordered[:MAX_SESSIONS]:
        info = {"id": id_, "version": version, "parentID": parent, "title": title}
        info["time"] = {"created": created, "updated": updated}
        if more:
            cost, theirs = more[0], started.get(id_, 0)
            info["cost"] = cost - theirs if isinstance(cost, float) and cost >= theirs else cost  # else it lacks theirs
            info["agent"] = "Crush" if is_crush else "opencode"
            info["lastRequest"] = {"prompt_tokens": more[2], "completion_tokens": more[3]}
        messages = _FORMS[form][2](rows, id_, *more[1:2])
        info["lacks"] = "The log of its database is damaged or cut" if is_cut else rows.lacks
        yield [{"info": info, "messages": messages}]


class _Rows:
    """Rows of a database, all of which together hold no more text than the file has bytes. One that promises more says
    the same bytes again and again."""

    def __init__(self, database: sqlite3.Connection, most: int) -> None:
        self._database, self._left = database, most
        self.lacks: str | None = None
        """The omissions, as the beginning of a sentence."""

    def of(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return them, ordered by their first column. Here and not by SQLite, which would hold them before they can be
        counted. Raises: ReadError, sqlite3.Error."""
        found = []
        for row in self._database.execute(query, values):
            self._left -= sum(len(each) for each in row if isinstance(each, str | bytes))
            if self._left < 0:
                raise ReadError("E_LIMIT", "this SQLite database gives more text than the file has bytes")
            found.append(row)
        if values[-1] == MAX_ROWS == len(found):
            self.lacks = f"The first {MAX_ROWS:,} messages, or parts of them, of a session are read"
        numbers = (int, float)
        return sorted(found, key=lambda row: (0, row[0], "") if isinstance(row[0], numbers) else (1, 0, str(row[0])))


def _is_table(database: sqlite3.Connection, table: str, *columns: str) -> bool:
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
    """Return messages of 2.x, whose parts stand in them, as 1.x has them."""
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


def _go_messages(rows: _Rows, session: str, summary: object) -> list[dict[str, Any]]:
    """Return messages as opencode has them today, with the answers of tools in the parts of their calls."""
    query = f"SELECT {_GO_MESSAGE.replace(' ', ', ')} FROM messages WHERE session_id = ? LIMIT ?"  # noqa: S608
    found = [(row, objects_of({"parts": parsed(row[3])}, "parts")) for row in rows.of(query, session, MAX_ROWS)]
    results: dict[object, dict[str, Any]] = {}
    for row, pieces in found:
        for data in (object_of(piece, "data") for piece in pieces if piece.get("type") == "tool_result"):
            results[text_of(data, "tool_call_id")] = {**data, "at": row[0]}
    messages: list[dict[str, Any]] = []
    for (at, id_, role, _, model, finished), pieces in found:
        if role not in ("user", "assistant"):
            continue
        info = {"id": id_, "role": role, "modelID": model, "time": {"created": at}}
        parts = [{"type": "compaction"}] if id_ == summary else [_go_part(piece, at, results) for piece in pieces]
        end = next((object_of(piece, "data") for piece in pieces if piece.get("type") == "finish"), None)
        if end is not None:
            info |= {"finish": end.get("reason"), "time": {"created": at, "completed": finished or end.get("time")}}
            if name := _ERRORS.get(text_of(end, "reason") or ""):
                said = ": ".join(filter(None, (text_of(end, "message"), text_of(end, "details"))))
                info["error"] = {"name": name, "message": said or end["reason"]}
        messages.append({"info": info, "parts": [{**part, "messageID": id_} for part in parts]})
    return messages


_ERRORS = {"canceled": "MessageAbortedError", "error": "APIError"}
_GO_KINDS = {"finish": "step-finish", "image_url": "file", "binary": "file"}


def _go_part(piece: dict[str, Any], at: object, results: dict[object, dict[str, Any]]) -> dict[str, Any]:
    kind, data = piece.get("type"), object_of(piece, "data")
    if kind == "text":
        return {"type": "text", "text": data.get("text"), "synthetic": data.get("hidden")}
    if kind == "reasoning":
        return {"type": "reasoning", "text": data.get("thinking")}
    if kind != "tool_call":
        return {"type": _GO_KINDS.get(str(kind), kind)}
    id_ = text_of(data, "id")
    result = results.get(id_, {})
    state = {
        "input": parsed(data.get("input")),
        "status": "error" if result.get("is_error") is True else "completed" if result else "running",
        "output": result.get("content"),
        "metadata": parsed(result.get("metadata")),
        "time": {"start": at, "end": result.get("at")},
    }
    return {"type": "tool", "callID": id_, "tool": data.get("name"), "state": state}


_FORMS: Mapping[str, tuple[str, Mapping[str, str], Callable[..., list[dict[str, Any]]]]] = {
    "session": (_SESSION, {"message": "id session_id data", "part": "id message_id session_id data"}, _messages),
    "session_v2": (_SESSION, {"session_message": "id session_id type seq data"}, _new_messages),
    "sessions": (
        _GO_SESSION, {"messages": f"session_id {_GO_MESSAGE}", "goose_db_version": "version_id"}, _go_messages
    ),
}  # fmt: skip
"""The forms of 1.x and of 2.x, and that of the opencode in Go, by the table of sessions: its columns, the other tables
with the columns that are read, and what gives the messages of a session."""


def _object(data: object) -> dict[str, Any]:
    value = parsed(data)
    return value if isinstance(value, dict) else {}
