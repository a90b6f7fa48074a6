"""Reads databases of opencode and of Crush: each session is a run.

They are read from memory and never changed, with what the log beside them has committed. opencode has `opencode.db`
since 1.2. Since 1.18 messages may stand in a new table, since 2.0 sessions too, and what was moved there may stand in
the old ones as well: a message of both counts once, by its id, as the table has it that counts more. A session with
no message has no run. Never seen on a real file: it follows the tables of opencode 1.15, and what is public of
1.18 and 2.0.

The opencode of 2025 that was written in Go, and Crush, which went on from it, have tables of another kind, known by
those of their migrations; a call and its answer stand in two messages there. Their counts of tokens are those of the
last request. A session's cost has that of its subagents in it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sitegen.errors import ReadError, reason_of
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    is_true,
    ms_of,
    object_of,
    objects_of,
    parsed,
    parsed_object,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    usd_of,
)
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.opencode import COUNT_RULE, COUNTS, SESSION_FORMAT, read_session, session_id
from sitegen.readers.run_file import RunFile

MAX_SESSIONS = 10_000
MAX_ROWS = 200_000
# The limit on the definition of a table; those of opencode have a tenth. A default value counts for each row that has
# no other.
MAX_SCHEMA_CHARACTERS = 20_000
MAX_COLUMNS = 200
MAX_STEPS = 200_000_000  # the limit on steps of SQLite's virtual machine, for a file: some seconds
_LOG_HEADER = 32
_LOG_FRAME = 24
_SESSION = "id version time_created time_updated parent_id title"
_GO_TABLE = "sessions"
_GO_SESSION = "id NULL created_at updated_at parent_session_id title cost summary_message_id prompt_tokens completion_tokens"
_GO_MESSAGE = "created_at id role parts model finished_at"
_OPTIONAL = ("NULL", "parent_id", "title", "summary_message_id")


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each session, as `opencode export` writes it. Raises: ReadError."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            data, is_cut = laid_over(file.read(), file.log)
            yield from _sessions(database, data, caveats, is_cut=is_cut)
    except OSError as error:
        raise ReadError(
            "E_READ", f"the log beside it cannot be laid over a copy: {reason_of(error)}"
        ) from None
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_TOOBIG):
            raise ReadError(
                "E_LIMIT", "reading this SQLite database takes too much time or memory"
            ) from None
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
            raise ReadError(
                "E_READ", "the log beside it cannot be laid over a copy: the disk is full"
            ) from None
        raise ReadError(
            "E_ARCHIVE_DAMAGED", "this SQLite database is damaged, or still being written"
        ) from None


def _sessions(
    database: sqlite3.Connection, data: bytes, caveats: Caveats, *, is_cut: bool
) -> Iterator[list[Any]]:
    _open_in_memory(database, data)
    rows = _Rows(database, len(data))
    sessions, readers = _listed_sessions(database, rows)
    if readers and not sessions:
        raise EmptyResultsError("it is a database of opencode or of Crush without a session")
    if len(sessions) > MAX_SESSIONS:
        caveats.add(
            "W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out."
        )
    agent = "Crush" if _is_table(database, "messages", "provider") else "opencode"
    costs = _costs_of_subagents(sessions)
    empty = 0
    for session in sorted(sessions, key=_first_created_first)[:MAX_SESSIONS]:
        info = _info_of(session, agent, costs.get(session.id, 0))
        messages = _unite([read(rows, session) for read in readers[session.form]])
        info["lacks"] = "The log of its database is damaged or cut" if is_cut else rows.lacks
        if messages or info.get("cost"):
            yield [{"info": info, "messages": messages}]
        else:
            empty += 1
    if empty and empty == len(sessions):
        raise ReadError(
            "E_NOT_A_RUN", "no session in this database of opencode or of Crush has a message"
        )
    if empty:
        verb = "has" if empty == 1 else "have"
        caveats.add(
            "W_MISSING",
            f"{empty:,} of its {len(sessions):,} sessions {verb} no message and {verb} no page.",
        )


def _open_in_memory(database: sqlite3.Connection, data: bytes) -> None:
    """Let a database have this content, and bound what reading it may take."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(len(data), MAX_SCHEMA_CHARACTERS))
    database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SCHEMA_CHARACTERS)
    database.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
    # Of a database with a log beside it the header says so, and memory has none.
    database.deserialize(data[:18] + b"\1\1" + data[20:])
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    ticks = iter(range(MAX_STEPS // 100_000))
    database.set_progress_handler(lambda: next(ticks, None) is None, 100_000)


class _SessionRow(NamedTuple):
    """A row of a table of sessions; the last four are of the opencode in Go."""

    form: str
    """The name of the table."""
    id: Any
    version: Any
    created: Any
    updated: Any
    parent: Any
    title: Any
    cost: Any = None
    summary: Any = None
    prompt_tokens: Any = None
    completion_tokens: Any = None


def _listed_sessions(
    database: sqlite3.Connection, rows: "_Rows"
) -> tuple[list[_SessionRow], dict[str, list["_ReadMessages"]]]:
    """Return the sessions, and what reads the messages of those of a table."""
    sessions: dict[str, _SessionRow] = {}
    readers: dict[str, list[_ReadMessages]] = {}
    for form, (columns, forms_of_messages) in _FORMS.items():
        known = [
            read
            for needed, read in forms_of_messages
            if _are_tables(database, {form: columns, **needed})
        ]
        if not known:
            continue
        readers[form] = known
        names = [name if _is_table(database, form, name) else "NULL" for name in columns.split()]
        query = f"SELECT {', '.join(names)} FROM {form} LIMIT ?"  # noqa: S608
        for row in rows.of(query, MAX_SESSIONS + 1):
            sessions[str(row[0])] = _SessionRow(form, *row)
    return list(sessions.values()), readers


def _first_created_first(session: _SessionRow) -> tuple[str, str]:
    return str(session.created), str(session.id)


def _costs_of_subagents(sessions: Iterable[_SessionRow]) -> dict[object, float]:
    """Return what the sessions cost that others started, by those."""
    costs: dict[object, float] = {}
    for session in sessions:
        if isinstance(session.cost, float):
            costs[session.parent] = costs.get(session.parent, 0) + session.cost
    return costs


def _info_of(session: _SessionRow, agent: str, of_subagents: float) -> dict[str, Any]:
    """Return what an export says of a session; what its subagents cost is in its cost in the opencode in Go."""
    info: dict[str, Any] = {
        "id": session.id,
        "version": session.version,
        "parentID": session.parent,
        "title": session.title,
        "time": {"created": session.created, "updated": session.updated},
    }
    if session.form != _GO_TABLE:
        return info
    cost = session.cost
    if isinstance(cost, float) and cost >= of_subagents:  # else it lacks theirs
        cost -= of_subagents
    last = {
        "prompt_tokens": session.prompt_tokens,
        "completion_tokens": session.completion_tokens,
    }
    return info | {"cost": cost, "agent": agent, "lastRequest": last}


def _unite(tables: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the messages of several tables, the newest table first, each once: as the table has it that counts more
    tokens, or more money. Those that only one table has are put in by their time."""
    united: dict[str, dict[str, Any]] = {}
    for messages in tables:
        for message in messages:
            id_ = str(message["info"]["id"])
            other = united.get(id_, message)
            best = max(other, message, key=_amounts_in)  # the first of two that are equal
            united[id_] = (
                best
                if best["parts"] != []
                else best | {"parts": other["parts"] or message["parts"]}
            )
    at = 0
    times: dict[str, int] = {}
    for id_, message in united.items():
        at = ms_of(object_of(message["info"], "time"), "created") or at
        times[id_] = at
    ordered = sorted(united, key=lambda id_: times[id_]) if sum(map(bool, tables)) > 1 else united
    return [united[id_] for id_ in ordered if united[id_]["parts"] is not None]


def _amounts_in(message: Mapping[str, Any]) -> tuple[int, float]:
    """Return the tokens and the cost that a message states."""
    counts = counts_of(object_of(message["info"], "tokens"), COUNTS)
    return COUNT_RULE.parts(counts), usd_of(message["info"], "cost") or 0.0


class _Rows:
    """Rows of a database, all of which together hold no more text than the file has bytes. One that promises more says
    the same bytes again and again."""

    def __init__(self, database: sqlite3.Connection, most: int) -> None:
        self._database = database
        self._left = most
        self.lacks: str | None = None  # the omissions, as the beginning of a sentence

    def of(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return them, ordered by their first column. Here and not by SQLite, which would hold them before they can be
        counted. Raises: ReadError, sqlite3.Error."""
        found = []
        for row in self._database.execute(query, values):
            self._left -= sum(len(each) for each in row if isinstance(each, str | bytes))
            if self._left < 0:
                raise ReadError(
                    "E_LIMIT", "this SQLite database gives more text than the file has bytes"
                )
            found.append(row)
        if values[-1] == MAX_ROWS == len(found):
            self.lacks = f"The first {MAX_ROWS:,} messages, or parts of them, of a session are read"
        numbers = (int, float)
        return sorted(
            found,
            key=lambda row: (0, row[0], "") if isinstance(row[0], numbers) else (1, 0, str(row[0])),
        )


def _are_tables(database: sqlite3.Connection, needed: Mapping[str, str]) -> bool:
    """Return whether there are all these tables with these columns."""
    return all(
        _is_table(database, table, *({*names.split()} - {*_OPTIONAL}))
        for table, names in needed.items()
    )


def _is_table(database: sqlite3.Connection, table: str, *columns: str) -> bool:
    # Neither a view nor a virtual table: both compute what they give.
    kind = database.execute(
        "SELECT substr(sql, 1, 13) FROM sqlite_schema WHERE name = ?", (table,)
    ).fetchone()
    named = {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    return kind == ("CREATE TABLE ",) and named.issuperset(columns)


def _messages(rows: _Rows, session: _SessionRow) -> list[dict[str, Any]]:
    messages: dict[object, dict[str, Any]] = {}
    for id_, data in rows.of(
        "SELECT id, data FROM message WHERE session_id = ? LIMIT ?", session.id, MAX_ROWS
    ):
        messages[id_] = {
            "info": parsed_object(data) | {"id": id_, "sessionID": session.id},
            "parts": [],
        }
    query = "SELECT id, message_id, data FROM part WHERE session_id = ? LIMIT ?"
    for id_, message, data in rows.of(query, session.id, MAX_ROWS):
        if message in messages:
            messages[message]["parts"].append(
                parsed_object(data) | {"id": id_, "messageID": message}
            )
    return list(messages.values())


def _new_messages(rows: _Rows, session: _SessionRow) -> list[dict[str, Any]]:
    """Return messages of 2.x, whose parts stand in them, as 1.x has them; of a row that is none, parts are None."""
    messages: list[dict[str, Any]] = []
    query = "SELECT seq, id, type, data FROM session_message WHERE session_id = ? LIMIT ?"
    for _, id_, role, data in rows.of(query, session.id, MAX_ROWS):
        message = parsed_object(data)
        parts: list[dict[str, Any]] | None = [{"type": "text", "text": message.get("text")}]
        if role == "assistant":
            parts = [_part(part) for part in objects_of(message, "content")]
        elif role == "compaction":
            parts = [{"type": "compaction"}]
        elif role != "user":
            parts = None  # a change of the model or the agent, and what no user wrote
        info = {
            **message,
            "id": id_,
            "role": role,
            "modelID": text_at(message, "model.id"),
        }
        messages.append(
            {"info": info, "parts": parts and [{**part, "messageID": id_} for part in parts]}
        )
    return messages


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") != "tool":
        return part
    state = object_of(part, "state")
    said = text_of(state, "output") or texts_in(state, "content")
    error = text_at(state, "error.message") or text_of(state, "error")
    return {
        **part,
        "tool": part.get("name"),
        "state": {"time": part.get("time"), **state, "output": said, "error": error},
    }


def _go_messages(rows: _Rows, session: _SessionRow) -> list[dict[str, Any]]:
    """Return messages as opencode has them today, with the answers of tools in the parts of their calls."""
    query = f"SELECT {_GO_MESSAGE.replace(' ', ', ')} FROM messages WHERE session_id = ? LIMIT ?"  # noqa: S608
    found = [
        (row, objects_of({"parts": parsed(row[3])}, "parts"))
        for row in rows.of(query, session.id, MAX_ROWS)
    ]
    results: dict[object, dict[str, Any]] = {}
    for row, pieces in found:
        for data in (
            object_of(piece, "data") for piece in pieces if piece.get("type") == "tool_result"
        ):
            results[text_of(data, "tool_call_id")] = {**data, "at": row[0]}
    messages: list[dict[str, Any]] = []
    for (at, id_, role, _, model, finished), pieces in found:
        if role not in ("user", "assistant"):
            continue
        info = {"id": id_, "role": role, "modelID": model, "time": {"created": at}}
        parts = (
            [{"type": "compaction"}]
            if id_ == session.summary
            else [_go_part(piece, at, results) for piece in pieces]
        )
        end = next(
            (object_of(piece, "data") for piece in pieces if piece.get("type") == "finish"), None
        )
        if end is not None:
            info |= {
                "finish": end.get("reason"),
                "time": {"created": at, "completed": finished or end.get("time")},
            }
            if name := _ERRORS.get(text_or_empty(end, "reason")):
                said = ": ".join(filter(None, (text_of(end, "message"), text_of(end, "details"))))
                info["error"] = {"name": name, "message": said or end["reason"]}
        messages.append({"info": info, "parts": [{**part, "messageID": id_} for part in parts]})
    return messages


_ERRORS = {"canceled": "MessageAbortedError", "error": "APIError"}
_GO_KINDS = {"finish": "step-finish", "image_url": "file", "binary": "file"}


def _go_part(
    piece: dict[str, Any], at: object, results: dict[object, dict[str, Any]]
) -> dict[str, Any]:
    kind = piece.get("type")
    data = object_of(piece, "data")
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
        "status": "error" if is_true(result, "is_error") else "completed" if result else "running",
        "output": result.get("content"),
        "metadata": parsed(result.get("metadata")),
        "time": {"start": at, "end": result.get("at")},
    }
    return {"type": "tool", "callID": id_, "tool": data.get("name"), "state": state}


_ReadMessages = Callable[[_Rows, _SessionRow], list[dict[str, Any]]]
# The tables of messages of 1.x and of 2.x, with the columns that are read, and what gives the messages of a session.
_OF_OPENCODE: tuple[tuple[Mapping[str, str], _ReadMessages], ...] = (
    ({"session_message": "id session_id type seq data"}, _new_messages),
    ({"message": "id session_id data", "part": "id message_id session_id data"}, _messages),
)
_OF_GO = {"messages": f"session_id {_GO_MESSAGE}", "goose_db_version": "version_id"}
# The tables of sessions of 1.x, of 2.x, and of the opencode in Go: their columns, and where their messages may stand.
_FORMS: Mapping[str, tuple[str, tuple[tuple[Mapping[str, str], _ReadMessages], ...]]] = {
    "session": (_SESSION, _OF_OPENCODE),
    "session_v2": (_SESSION, _OF_OPENCODE),
    _GO_TABLE: (_GO_SESSION, ((_OF_GO, _go_messages),)),
}


OPENCODE_DATABASE = WholeFormat(SESSION_FORMAT, read_session, parts, session_id)


def laid_over(data: bytes, log: bytes) -> tuple[bytes, bool]:
    """Return a database with what the log beside it, `x.db-wal`, has committed, and whether the log is damaged: what is
    behind such a frame is lost. SQLite lays it over a copy. Raises: sqlite3.Error."""
    if len(log) < _LOG_HEADER:
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
    size = _LOG_FRAME + int.from_bytes(log[8:12], "big")
    salts = log[16:24]
    # What follows is of an earlier log, or of a transaction that is open, unless one ends there.
    rest = range(_LOG_HEADER + max(frames, 0) * size, len(log), size)
    is_damaged = any(log[at + 8 : at + 16] == salts and any(log[at + 4 : at + 8]) for at in rest)
    return laid, is_damaged or (len(log) - _LOG_HEADER) % size > 0 or log[40:48] not in (b"", salts)
