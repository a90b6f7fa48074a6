"""Reads what opencode prints and exports, and its databases and those of Crush."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sitegen.errors import ReadError, reason_of
from sitegen.model import Status, Tokens, sum_complete
from sitegen.readers.common.records import (
    count_of,
    is_true,
    known,
    ms_of,
    object_at,
    object_of,
    objects_of,
    parsed,
    parsed_object,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    usd_of,
    value_at,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.trace import COUNTED, Record, Trace, changed_in, ends_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from sitegen.text.times import milliseconds_of

# Reads what `opencode run --format json` prints, and what `opencode export` writes.
#
# Input has no cached tokens in it; output states reasoning apart, which counts in it here. `turns` are messages of the
# model. A cost of 0 beside tokens is that of a subscription, so it is unknown; what messages or steps cost is summed. A
# stream names no model, and has no total at its end: its last step says whether the model was done. Time between a
# message of the model and the next prompt does not count. Newer versions keep sessions in SQLite: see `opencode_db`.

_COUNTS = "input cache.read cache.write output reasoning - total"
_SILENT = known("opencode silent")
_NO_TITLE = ("New session - ", "Child session - ", "New Agent Session")
_ENDS = ends_of("opencode")
_FORK = re.compile(r"\(fork #[0-9]+\)\Z")


class _Opencode(Trace):
    """The part that streams and exports share: parts of messages."""

    usage_follows = True
    reads = CountRule(
        sent_includes_read=False, sent_includes_written=False, output_includes_reasoning=False
    )

    def begin(self) -> None:
        self._costs: dict[str | None, float | None] = {}
        self._messages: set[str] = set()

    def _take_part(self, part: Record, at: int | None, *, of_model: bool = True) -> None:
        kind = part.get("type")
        message = text_of(part, "messageID")
        text = text_of(part, "text")
        if kind == "text" and text:
            if not of_model and is_true(part, "synthetic"):
                return
            self.say(
                StepKind.TEXT if of_model else StepKind.PROMPT, text, self._begun(part, at), message
            )
        elif kind == "reasoning":
            self.say(StepKind.THINKING, text or "", self._begun(part, at), message)
        elif kind == "tool":
            self._take_tool(part, message)
        elif kind == "compaction":
            self.say(StepKind.COMPACTION, "", at)
        elif kind == "retry":
            self.say(StepKind.RETRY, _error(object_of(part, "error")), at)
        elif isinstance(kind, str) and kind not in _SILENT:
            self.strange(f"part {kind}")

    def _begun(self, part: Record, at: int | None) -> int | None:
        time = object_of(part, "time")
        self.at(ms_of(time, "end"))
        return self.at(ms_of(time, "start")) or at

    def _take_tool(self, part: Record, message: str | None) -> None:
        state = object_of(part, "state")
        given, status, details = (
            object_of(state, "input"),
            state.get("status"),
            object_of(state, "metadata"),
        )
        id_ = text_of(part, "callID") or text_or_empty(part, "id")
        began = self._begun(state, None)
        if id_ not in self._open:
            self.ask(id_, text_or_empty(part, "tool"), given, began, message)
        if status not in ("completed", "error"):
            return
        said = text_of(state, "output") or text_or_empty(state, "error")
        ms = value_at(state, "time.end")
        code = details.get("exit", details.get("exitCode"))
        changes = _changes(given, details)
        failed = status == "error"
        lines = _lines(details)
        self.answer(
            id_,
            said,
            milliseconds_of(ms),
            failed=failed,
            exit_code=code,
            changes=changes,
            lines=lines,
        )

    def _use(self, record: Record) -> None:
        """Add the usage and cost of a message or a step."""
        tokens = object_of(record, "tokens")
        if tokens:
            self.counted(counts_of(tokens, _COUNTS))
            message = text_of(record, "messageID") or text_of(record, "id")
            cost = self.usd(record, "cost")
            self._costs[message] = (
                sum_complete((self._costs[message], cost)) if message in self._costs else cost
            )

    def _finish(self, reason: object) -> None:
        self.status, self.detail = _ENDS.get(str(reason), (Status.UNKNOWN, "not stated"))

    def _fail(self, error: Record, at: int | None) -> None:
        said = _error(error)
        if error.get("name") == "MessageAbortedError":
            self.say(StepKind.NOTICE, said, at)
            self.set_status(Status.INTERRUPTED, "aborted")
        else:
            self.fail(said, at)

    def end(self) -> None:
        self.turns = len(self._messages) or None
        for message, cost in self._costs.items():
            if (
                len(message or "") > 3
            ):  # an id like `m1` is made up, and may stand in other sessions
                self.key(message, cost=cost)
        self.cost_usd = sum_complete(self._costs.values()) or None


class OpencodeStream(_Opencode):
    """The lines of a run."""

    title = "opencode stream"
    knows = known("opencode stream")

    def begin(self) -> None:
        super().begin()
        self._is_in_step = self._lacks_step = False

    def session(self, record: Record) -> str | None:
        return text_of(record, "sessionID")

    def take(self, record: Record) -> None:
        session, kind, part = (
            text_of(record, "sessionID"),
            record.get("type"),
            object_of(record, "part"),
        )
        if session is None or not (
            text_of(part, "type") or (kind == "error" and object_of(record, "error"))
        ):
            return
        self.is_known = True
        self.session_id = self.session_id or session
        if self.is_replay(text_of(part, "id")):  # a part is printed once, when it is whole
            return
        at = self.at(ms_of(record, "timestamp"))
        if message := text_of(part, "messageID"):
            self._messages.add(message)
        if kind == "error":
            self._fail(object_of(record, "error"), at)
        elif kind == "step_finish":
            self._is_in_step = False
            self._use(part)
            self._finish(part.get("reason"))
        else:
            self._lacks_step |= self._is_in_step and kind == "step_start"
            self._is_in_step = True
            self._take_part(part, at)
            self.go_on()

    def end(self) -> None:
        super().end()
        if self._costs and (self._is_in_step or self._lacks_step):
            self.lack_part("The end of a step is not in it")


class OpencodeExport(_Opencode):
    """A session as one object."""

    title = "opencode session"
    is_whole = True

    def session(self, record: Record) -> str | None:
        return text_at(record, "info.id")

    def take(self, record: Record) -> None:
        info = object_of(record, "info")
        is_session = text_of(info, "id") is not None or {"version", "time"} <= info.keys()
        if self.is_known or not is_session or not isinstance(record.get("messages"), list):
            return
        self.is_known = True
        self.session_id, self.version = text_of(info, "id"), text_of(info, "version")
        if parent := text_of(info, "parentID"):
            self.agent_id = self.session_id
            self.session_id = parent
        if lacks := text_of(info, "lacks"):
            self.lack_part(lacks)
        if last := object_of(info, "lastRequest"):
            self._take_go(info, last)
        title = text_or_empty(info, "title")
        self.session_title = None if title.startswith(_NO_TITLE) else title or None
        self.started_ms = ms_of(object_of(info, "time"), "created")
        for message in self._own(
            objects_of(record, "messages"), is_fork=_FORK.search(title) is not None
        ):
            self._take_message(object_of(message, "info"), objects_of(message, "parts"))

    def _take_go(self, info: Record, last: Record) -> None:
        """Take what a database of the opencode in Go, or of Crush, says of a session."""
        self.title = f"{info['agent']} session"
        self.tells_exit_codes = False
        self._costs[self.agent_id or self.session_id] = self.usd(info, "cost")
        self.fields = {f"last_request.{name}": last[name] for name in last}
        self.caveats.add(
            "W_MISSING",
            "Its tokens are unknown: its database counts those of the last request alone.",
        )

    def _own(self, messages: list[dict[str, Any]], *, is_fork: bool) -> list[dict[str, Any]]:
        """Return the messages without those that were copied from the session that this one was forked from: they keep
        their times, before the session began. Where all are earlier, it was imported, unless it is called a fork."""
        began = self.started_ms or 0
        times = (ms_of(object_at(each, "info.time"), "created") for each in messages)
        own = [each for each, at in zip(messages, times, strict=True) if at is None or at >= began]
        if len(own) == len(messages) or not (own or is_fork):
            return messages
        self.caveats.add(
            "W_COPY", "It begins with a copy of another session, which does not count here."
        )
        return own

    def _take_message(self, info: Record, parts: list[dict[str, Any]]) -> None:
        time = object_of(info, "time")
        of_model = info.get("role") == "assistant"
        at = ms_of(time, "created")
        if not of_model:
            self.resumed(at)
            self.go_on()
        else:
            self._messages.add(text_of(info, "id") or str(len(self._messages)))
            self.model = text_of(info, "modelID") or self.model
            self.see_effort(info, "variant model.variant")
        self.at(at)
        for part in parts:
            self._take_part(part, at, of_model=of_model)
        if of_model:
            self.at(ms_of(time, "completed"))
            self._use(info)
            if "tokens" not in info:
                self.used(Tokens(), context=False)
            self._finish(info.get("finish"))
            if error := object_of(info, "error"):
                self._fail(error, at)
            elif "completed" not in time and "finish" not in info:
                self.go_on()


def _lines(details: Record) -> tuple[int, int]:
    """Return how many lines an edit added and removed, where its file counts them."""
    added = count_of(details, "additions")
    removed = count_of(details, "removals")
    return COUNTED if added is None or removed is None else (added, removed)


def _error(error: Record) -> str:
    """Return the message of an error, with its HTTP status."""
    data = object_of(error, "data")
    said = text_of(data, "message") or text_of(error, "message") or text_or_empty(error, "name")
    code = count_of(data, "statusCode")
    return f"{said} ({code})" if code else said


def _changes(given: Record, details: Record) -> str:
    """Return the lines that an edit changed, after `+` and `-`."""
    if diff := text_of(details, "diff"):
        return changed_in(diff)
    content = text_of(given, "content") if details.get("exists") is False else None
    return "\n".join(f"+{line}" for line in (content or "").splitlines())


# Reads databases of opencode and of Crush: each session is a run.
#
# They are read from memory and never changed, with what the log beside them has committed. opencode has `opencode.db`
# since 1.2. Since 1.18 messages may stand in a new table, since 2.0 sessions too, and what was moved there may stand in
# the old ones as well: a message of both counts once, by its id, as the table has it that counts more. A session with
# no message has no run. Never seen on a real file: it follows the tables of opencode 1.15, and what is public of
# 1.18 and 2.0.
#
# The opencode of 2025 that was written in Go, and Crush, which went on from it, have tables of another kind, known by
# those of their migrations; a call and its answer stand in two messages there. Their counts of tokens are those of the
# last request. A session's cost has that of its subagents in it.

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


class OpencodeDatabase(OpencodeExport):
    """A session in a database."""

    parts = staticmethod(parts)


def _sessions(
    database: sqlite3.Connection, data: bytes, caveats: Caveats, *, is_cut: bool
) -> Iterator[list[Any]]:
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(len(data), MAX_SCHEMA_CHARACTERS))
    database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SCHEMA_CHARACTERS)
    database.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
    # Of a database with a log beside it the header says so, and memory has none.
    database.deserialize(data[:18] + b"\1\1" + data[20:])
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    ticks = iter(range(MAX_STEPS // 100_000))
    database.set_progress_handler(lambda: next(ticks, None) is None, 100_000)
    rows = _Rows(database, len(data))
    sessions: dict[str, tuple[Any, ...]] = {}
    readers: dict[str, list[_Messages]] = {}
    for form, (columns, forms_of_messages) in _FORMS.items():
        known = [
            read
            for needed, read in forms_of_messages
            if _are_tables(database, {form: columns, **needed})
        ]
        if known:
            there = (
                each if _is_table(database, form, each) else "NULL" for each in columns.split()
            )
            query = f"SELECT {', '.join(there)} FROM {form} LIMIT ?"  # noqa: S608
            sessions |= {str(row[0]): (form, *row) for row in rows.of(query, MAX_SESSIONS + 1)}
            readers[form] = known
    if readers and not sessions:
        raise EmptyResultsError("it is a database of opencode or of Crush without a session")
    is_crush = _is_table(database, "messages", "provider")
    if len(sessions) > MAX_SESSIONS:
        caveats.add(
            "W_LIMIT", f"It holds more than {MAX_SESSIONS:,} sessions; the later ones are left out."
        )
    started: dict[object, float] = {}
    for row in sessions.values():
        if row[0] == "sessions" and isinstance(row[7], float):
            started[row[5]] = started.get(row[5], 0) + row[7]
    ordered = sorted(sessions.values(), key=lambda row: (str(row[3]), str(row[1])))
    empty = 0
    for form, id_, version, created, updated, parent, title, *more in ordered[:MAX_SESSIONS]:
        info = {"id": id_, "version": version, "parentID": parent, "title": title}
        info["time"] = {"created": created, "updated": updated}
        if more:
            cost = more[0]
            theirs = started.get(id_, 0)
            info["cost"] = (
                cost - theirs if isinstance(cost, float) and cost >= theirs else cost
            )  # else it lacks theirs
            info["agent"] = "Crush" if is_crush else "opencode"
            info["lastRequest"] = {"prompt_tokens": more[2], "completion_tokens": more[3]}
        messages = _unite([read(rows, id_, *more[1:2]) for read in readers[form]])
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
    counts = counts_of(object_of(message["info"], "tokens"), _COUNTS)
    return OpencodeExport.reads.parts(counts), usd_of(message["info"], "cost") or 0.0


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


def _messages(rows: _Rows, session: str) -> list[dict[str, Any]]:
    messages: dict[object, dict[str, Any]] = {}
    for id_, data in rows.of(
        "SELECT id, data FROM message WHERE session_id = ? LIMIT ?", session, MAX_ROWS
    ):
        messages[id_] = {
            "info": parsed_object(data) | {"id": id_, "sessionID": session},
            "parts": [],
        }
    query = "SELECT id, message_id, data FROM part WHERE session_id = ? LIMIT ?"
    for id_, message, data in rows.of(query, session, MAX_ROWS):
        if message in messages:
            messages[message]["parts"].append(
                parsed_object(data) | {"id": id_, "messageID": message}
            )
    return list(messages.values())


def _new_messages(rows: _Rows, session: str) -> list[dict[str, Any]]:
    """Return messages of 2.x, whose parts stand in them, as 1.x has them; of a row that is none, parts are None."""
    messages: list[dict[str, Any]] = []
    query = "SELECT seq, id, type, data FROM session_message WHERE session_id = ? LIMIT ?"
    for _, id_, role, data in rows.of(query, session, MAX_ROWS):
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


def _go_messages(rows: _Rows, session: str, summary: object) -> list[dict[str, Any]]:
    """Return messages as opencode has them today, with the answers of tools in the parts of their calls."""
    query = f"SELECT {_GO_MESSAGE.replace(' ', ', ')} FROM messages WHERE session_id = ? LIMIT ?"  # noqa: S608
    found = [
        (row, objects_of({"parts": parsed(row[3])}, "parts"))
        for row in rows.of(query, session, MAX_ROWS)
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
            if id_ == summary
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


_Messages = Callable[..., list[dict[str, Any]]]
# The tables of messages of 1.x and of 2.x, with the columns that are read, and what gives the messages of a session.
_OF_OPENCODE: tuple[tuple[Mapping[str, str], _Messages], ...] = (
    ({"session_message": "id session_id type seq data"}, _new_messages),
    ({"message": "id session_id data", "part": "id message_id session_id data"}, _messages),
)
_OF_GO = {"messages": f"session_id {_GO_MESSAGE}", "goose_db_version": "version_id"}
# The tables of sessions of 1.x, of 2.x, and of the opencode in Go: their columns, and where their messages may stand.
_FORMS: Mapping[str, tuple[str, tuple[tuple[Mapping[str, str], _Messages], ...]]] = {
    "session": (_SESSION, _OF_OPENCODE),
    "session_v2": (_SESSION, _OF_OPENCODE),
    "sessions": (_GO_SESSION, ((_OF_GO, _go_messages),)),
}


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
