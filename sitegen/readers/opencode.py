"""Reads what `opencode run --format json` prints, and what `opencode export` writes.

Input has no cached tokens in it; output states reasoning apart, which counts in it here. `turns` are messages of the
model. A cost of 0 beside tokens is that of a subscription, so it is unknown; what messages or steps cost is summed. A
stream names no model, and has no total at its end: its last step says whether the model was done. Time between a
message of the model and the next prompt does not count. Newer versions keep sessions in SQLite: see `opencode_databases`.

| Record of a stream | Meaning |
|--|--|
| any | `sessionID`, `timestamp`, and a `part` of the message `messageID` that is whole |
| `text`, `reasoning`, `tool_use` | a part that is a step |
| `step_start`, `step_finish` | a request: at its end `tokens`, `cost` and the `reason` why the model stopped |
| `error` | the `error` with which the run ends, unless it goes on |

| Field of an export | Meaning |
|--|--|
| `info.id`, `info.parentID` | the session; of a subagent, with that of the session that it belongs to |
| `info.version`, `info.title`, `info.time` | version of opencode, title, beginning |
| `messages.info.role`, `.time` | a prompt or an answer, and when it began and was complete |
| `messages.info.modelID`, `.variant` | model and effort of an answer |
| `messages.info.tokens`, `.cost` | what an answer used, and cost |
| `messages.info.finish`, `.error` | why the model stopped |
| `messages.parts` | the parts of a message |

| Part | Meaning |
|--|--|
| `text`, `reasoning` | what was said or thought, from `time.start` to `time.end` |
| `tool` | a call by its `callID`: `tool` is its name; `state` has `input`, `output` or `error`, and `status` |
| `compaction`, `retry` | the context was replaced; a request is made again after an `error` |
"""

import re
from typing import Any

from sitegen.model import Status, Tokens, sum_complete
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ends_of
from sitegen.readers.common.record_reader import RecordReader, WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    known,
    ms_of,
    object_at,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    value_at,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.tool_log import COUNTED, ToolResult, changed_in
from sitegen.steps import StepKind
from sitegen.text.times import milliseconds_of

COUNTS = "input cache.read cache.write output reasoning - total"
_SILENT = known("opencode silent")
_NO_TITLE = ("New session - ", "Child session - ", "New Agent Session")
_ENDS = ends_of("opencode")
_MADE_UP_ID = 3  # characters of the longest id of a message that is one of an example
_LAST_REQUEST = "Its tokens are unknown: its database counts those of the last request alone."
_FORK = re.compile(r"\(fork #[0-9]+\)\Z")


COUNT_RULE = CountRule(
    sent_includes_read=False, sent_includes_written=False, output_includes_reasoning=False
)


class _MessageLog:
    """The messages of a session: their parts, usage and costs."""

    def __init__(self, run: RunBuilder) -> None:
        self.costs: dict[str | None, float | None] = {}
        """The cost of each message, by its id."""
        self.answers: set[str] = set()
        """The ids of messages of the model."""
        self._run = run

    def read_part(self, part: Record, ms: int | None, *, is_answer: bool = True) -> None:
        """Add the step of a part of a message, which is an answer or a prompt."""
        run = self._run
        kind = part.get("type")
        message = text_of(part, "messageID")
        text = text_of(part, "text")
        if kind == "text" and text:
            if is_answer:
                run.add_text(StepKind.TEXT, text, self._began_ms(part, ms), message)
            elif not is_true(part, "synthetic"):
                run.add_text(StepKind.PROMPT, text, self._began_ms(part, ms), message)
        elif kind == "reasoning":
            run.add_text(StepKind.THINKING, text or "", self._began_ms(part, ms), message)
        elif kind == "tool":
            self._read_tool(part, message)
        elif kind == "compaction":
            run.add_text(StepKind.COMPACTION, "", ms)
        elif kind == "retry":
            run.add_text(StepKind.RETRY, _error(object_of(part, "error")), ms)
        elif isinstance(kind, str) and kind not in _SILENT:
            run.note_unknown(f"part {kind}")

    def add_usage(self, record: Record) -> None:
        """Add the usage and cost of a message or a step."""
        tokens = object_of(record, "tokens")
        if not tokens:
            return
        self._run.add_usage(counts_of(tokens, COUNTS))
        message = text_of(record, "messageID") or text_of(record, "id")
        cost = self._run.amount_of(record, "cost")
        if message in self.costs:
            cost = sum_complete((self.costs[message], cost))
        self.costs[message] = cost

    def end(self, reason: object) -> None:
        """Record why the model stopped."""
        self._run.end(*_ENDS.get(str(reason), (Status.UNKNOWN, "not stated")))

    def fail(self, error: Record, ms: int | None) -> None:
        """Record an error, or that the user interrupted the agent."""
        text = _error(error)
        if error.get("name") == "MessageAbortedError":
            self._run.add_text(StepKind.NOTICE, text, ms)
            self._run.end(Status.INTERRUPTED, "aborted")
        else:
            self._run.fail(text, ms)

    def close(self) -> None:
        """Add up the messages."""
        self._run.turns = len(self.answers) or None
        for message, cost in self.costs.items():
            # An id like `m1` is made up, and may stand in other sessions.
            if len(message or "") > _MADE_UP_ID:
                self._run.add_key(message, cost_usd=cost)
        self._run.cost_usd = sum_complete(self.costs.values()) or None

    def _began_ms(self, part: Record, ms: int | None) -> int | None:
        time = object_of(part, "time")
        self._run.see_time(ms_of(time, "end"))
        return self._run.see_time(ms_of(time, "start")) or ms

    def _read_tool(self, part: Record, message: str | None) -> None:
        state = object_of(part, "state")
        arguments = object_of(state, "input")
        details = object_of(state, "metadata")
        status = state.get("status")
        id_ = text_of(part, "callID") or text_or_empty(part, "id")
        began_ms = self._began_ms(state, None)
        if not self._run.has_open_call(id_):
            self._run.add_call(id_, text_or_empty(part, "tool"), arguments, began_ms, message)
        if status in ("completed", "error"):
            result = ToolResult(
                id_,
                text_of(state, "output") or text_or_empty(state, "error"),
                milliseconds_of(value_at(state, "time.end")),
                failed=status == "error",
                exit_code=details.get("exit", details.get("exitCode")),
                changes=_changes(arguments, details),
                lines=_lines(details),
            )
            self._run.add_result(result)


class OpencodeStream(RecordReader):
    """The lines of a run."""

    format = Format(
        "opencode stream",
        known_kinds=known("opencode stream"),
        usage_follows=True,
        counts=COUNT_RULE,
    )

    def begin(self) -> None:
        self._messages = _MessageLog(self.run)
        self._is_in_step = self._lacks_step = False

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "sessionID")

    def read(self, record: Record) -> None:
        identity = self.run.identity
        session = text_of(record, "sessionID")
        kind = record.get("type")
        part = object_of(record, "part")
        is_error = kind == "error" and bool(object_of(record, "error"))
        if session is None or not (text_of(part, "type") or is_error):
            return
        self.is_known = True
        identity.session_id = identity.session_id or session
        # A part is printed once, when it is whole.
        if identity.is_repeated(text_of(part, "id")):
            return
        ms = self.run.see_time(ms_of(record, "timestamp"))
        if message := text_of(part, "messageID"):
            self._messages.answers.add(message)
        if kind == "error":
            self._messages.fail(object_of(record, "error"), ms)
        elif kind == "step_finish":
            self._is_in_step = False
            self._messages.add_usage(part)
            self._messages.end(part.get("reason"))
        else:
            self._lacks_step |= self._is_in_step and kind == "step_start"
            self._is_in_step = True
            self._messages.read_part(part, ms)
            self.run.go_on()

    def finish(self) -> None:
        self._messages.close()
        if self._messages.costs and (self._is_in_step or self._lacks_step):
            self.run.note_missing("The end of a step is not in it")


def read_session(record: Record, run: RunBuilder) -> bool:
    """Say what a session means that is one object; return whether it is one."""
    info = object_of(record, "info")
    is_session = text_of(info, "id") is not None or {"version", "time"} <= info.keys()
    if not is_session or not isinstance(record.get("messages"), list):
        return False
    messages = _MessageLog(run)
    run.identity.session_id = text_of(info, "id")
    run.version = text_of(info, "version")
    if parent := text_of(info, "parentID"):
        run.agent_id = run.identity.session_id
        run.identity.session_id = parent
    if missing := text_of(info, "lacks"):
        run.note_missing(missing)
    if last := object_of(info, "lastRequest"):
        run.title = f"{info['agent']} session"
        run.tells_exit_codes = False
        messages.costs[text_of(info, "id")] = run.amount_of(info, "cost")
        run.fields = {f"last_request.{name}": last[name] for name in last}
        run.caveats.add("W_MISSING", _LAST_REQUEST)
    title = text_or_empty(info, "title")
    run.session_title = None if title.startswith(_NO_TITLE) else title or None
    run.started_ms = ms_of(object_of(info, "time"), "created")
    is_fork = _FORK.search(title) is not None
    for message in _without_copies(run, objects_of(record, "messages"), is_fork=is_fork):
        _read_message(run, messages, message)
    messages.close()
    return True


def _without_copies(
    run: RunBuilder, messages: list[dict[str, Any]], *, is_fork: bool
) -> list[dict[str, Any]]:
    """Return the messages without those that were copied from the session that this one was forked from: they keep
    their times, before the session began. Where all are earlier, it was imported, unless it is called a fork."""
    kept: list[dict[str, Any]] = []
    for message in messages:
        ms = ms_of(object_at(message, "info.time"), "created")
        if ms is None or ms >= (run.started_ms or 0):
            kept.append(message)
    if len(kept) == len(messages) or not (kept or is_fork):
        return messages
    run.caveats.add(
        "W_COPY", "It begins with a copy of another session, which does not count here."
    )
    return kept


def _read_message(run: RunBuilder, messages: _MessageLog, message: Record) -> None:
    info = object_of(message, "info")
    time = object_of(info, "time")
    is_answer = info.get("role") == "assistant"
    created_ms = ms_of(time, "created")
    if is_answer:
        messages.answers.add(text_of(info, "id") or str(len(messages.answers)))
        run.model = text_of(info, "modelID") or run.model
        run.see_effort(info, "variant model.variant")
    else:
        run.start_turn(created_ms)
        run.go_on()
    run.see_time(created_ms)
    for part in objects_of(message, "parts"):
        messages.read_part(part, created_ms, is_answer=is_answer)
    if not is_answer:
        return
    run.see_time(ms_of(time, "completed"))
    messages.add_usage(info)
    if "tokens" not in info:
        run.add_tokens(Tokens(), is_request=False)
    messages.end(info.get("finish"))
    if error := object_of(info, "error"):
        messages.fail(error, created_ms)
    elif "completed" not in time and "finish" not in info:
        run.go_on()


def session_id(record: Record) -> str | None:
    """Return the id of an exported session."""
    return text_at(record, "info.id")


SESSION_FORMAT = Format("opencode session", is_whole=True, usage_follows=True, counts=COUNT_RULE)
OPENCODE_EXPORT = WholeFormat(SESSION_FORMAT, read_session, session_of=session_id)


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
