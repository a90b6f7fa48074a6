"""Reads what `opencode run --format json` prints, and what `opencode export` writes.

Input has no cached tokens in it; output states reasoning apart, which counts in it here. `turns` are messages of the
model. A cost of 0 beside tokens is that of a subscription, so it is unknown; what messages or steps cost is summed. A
stream names no model, and has no total at its end: its last step says whether the model was done. Time between a
message of the model and the next prompt does not count. Newer versions keep sessions in SQLite: see `opencode_db`.
"""

from __future__ import annotations

import re
from typing import Any

from sitegen.model import Status, Tokens, sum_complete
from sitegen.readers.common.records import count_of, known, object_of, objects_of, text_of, usd_of, words
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.trace import COUNTED, Record, Trace, changed_in, ends_of
from sitegen.steps import StepKind
from sitegen.times import milliseconds_of

_COUNTS = ("input", "cache.read", "cache.write", "output", "reasoning", "", "total")
_SILENT = words("text step-start step-finish patch snapshot file agent subtask")
_NO_TITLE = ("New session - ", "Child session - ", "New Agent Session")
_ENDS = ends_of("opencode")
_FORK = re.compile(r"\(fork #[0-9]+\)\Z")


class _Opencode(Trace):
    """The part that streams and exports share: parts of messages."""

    usage_follows = True
    reads = CountRule(sent_includes_read=False, sent_includes_written=False, output_includes_reasoning=False)

    def __init__(self) -> None:
        super().__init__()
        self._costs: dict[str | None, float | None] = {}
        self._messages: set[str] = set()

    def _take_part(self, part: Record, at: int | None, *, of_model: bool = True) -> None:
        kind, message = part.get("type"), text_of(part, "messageID")
        text = text_of(part, "text")
        if kind == "text" and text:
            if not of_model and part.get("synthetic") is True:
                return
            self.say(StepKind.TEXT if of_model else StepKind.PROMPT, text, self._begun(part, at), message)
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
        self.at(milliseconds_of(time.get("end")))
        return self.at(milliseconds_of(time.get("start"))) or at

    def _take_tool(self, part: Record, message: str | None) -> None:
        state = object_of(part, "state")
        given, status, details = object_of(state, "input"), state.get("status"), object_of(state, "metadata")
        id_ = text_of(part, "callID") or text_of(part, "id") or ""
        began = self._begun(state, None)
        if not self.is_open(id_):
            self.ask(id_, text_of(part, "tool") or "", given, began, message)
        if status not in ("completed", "error"):
            return
        self.answer(
            id_,
            text_of(state, "output") or text_of(state, "error") or "",
            milliseconds_of(object_of(state, "time").get("end")),
            failed=status == "error",
            exit_code=details.get("exit", details.get("exitCode")),
            changes=_changes(given, details),
            lines=_lines(details),
        )

    def _use(self, record: Record) -> None:
        """Add the usage and cost of a message or a step."""
        tokens = object_of(record, "tokens")
        if tokens:
            self.counted(counts_of(tokens, *_COUNTS))
            message, cost = text_of(record, "messageID") or text_of(record, "id"), usd_of(record, "cost")
            self._costs[message] = sum_complete((self._costs[message], cost)) if message in self._costs else cost

    def _finish(self, reason: object) -> None:
        self.status, self.detail = _ENDS.get(str(reason), (Status.UNKNOWN, "not stated"))

    def _fail(self, error: Record, at: int | None) -> None:
        said = _error(error)
        if error.get("name") == "MessageAbortedError":
            self.say(StepKind.NOTICE, said, at)
            self.status, self.detail = Status.INTERRUPTED, "aborted"
        else:
            self.fail(said, at)

    def end(self) -> None:
        self.turns = len(self._messages) or None
        for message, cost in self._costs.items():
            if len(message or "") > 3:  # an id like `m1` is made up, and may stand in other sessions
                self.key(message, cost=cost)
        self.cost_usd = sum_complete(self._costs.values()) or None


class OpencodeStream(_Opencode):
    """The lines of a run."""

    title = "opencode stream"
    knows = known("opencode stream")

    def session(self, record: Record) -> str | None:
        return text_of(record, "sessionID")

    def take(self, record: Record) -> None:
        session, kind, part = text_of(record, "sessionID"), record.get("type"), object_of(record, "part")
        if session is None or not (text_of(part, "type") or (kind == "error" and object_of(record, "error"))):
            return
        self.is_known = True
        self.session_id = self.session_id or session
        if self.is_replay(text_of(part, "id")):  # a part is printed once, when it is whole
            return
        at = self.at(milliseconds_of(record.get("timestamp")))
        if message := text_of(part, "messageID"):
            self._messages.add(message)
        if kind == "error":
            self._fail(object_of(record, "error"), at)
        elif kind == "step_finish":
            self._use(part)
            self._finish(part.get("reason"))
        else:
            self._take_part(part, at)
            self.status, self.detail = Status.INTERRUPTED, None


class OpencodeExport(_Opencode):
    """A session as one object."""

    title = "opencode session"
    is_whole = True

    def session(self, record: Record) -> str | None:
        return text_of(object_of(record, "info"), "id")

    def take(self, record: Record) -> None:
        info = object_of(record, "info")
        is_session = text_of(info, "id") is not None or {"version", "time"} <= info.keys()
        if self.is_known or not is_session or not isinstance(record.get("messages"), list):
            return
        self.is_known = True
        self.session_id, self.version = text_of(info, "id"), text_of(info, "version")
        if parent := text_of(info, "parentID"):
            self.agent_id, self.session_id = self.session_id, parent
        if lacks := text_of(info, "lacks"):
            self.lack_part(lacks)
        if last := object_of(info, "lastRequest"):
            self._take_go(info, last)
        title = text_of(info, "title") or ""
        self.session_title = None if title.startswith(_NO_TITLE) else title or None
        self.started_ms = milliseconds_of(object_of(info, "time").get("created"))
        for message in self._own(objects_of(record, "messages"), is_fork=_FORK.search(title) is not None):
            self._take_message(object_of(message, "info"), objects_of(message, "parts"))

    def _take_go(self, info: Record, last: Record) -> None:
        """Take what a database of the opencode in Go, or of Crush, says of a session."""
        self.title, self.tells_exit_codes = f"{info['agent']} session", False
        self._costs[self.agent_id or self.session_id] = usd_of(info, "cost")
        self.fields = {f"last_request.{name}": last[name] for name in last}
        self.caveats.add("W_MISSING", "Its tokens are unknown: its database counts those of the last request alone.")

    def _own(self, messages: list[dict[str, Any]], *, is_fork: bool) -> list[dict[str, Any]]:
        """Return the messages without those that were copied from the session that this one was forked from: they keep
        their times, before the session began. Where all are earlier, it was imported, unless it is called a fork."""
        began = self.started_ms or 0
        times = (milliseconds_of(object_of(object_of(each, "info"), "time").get("created")) for each in messages)
        own = [each for each, at in zip(messages, times, strict=True) if at is None or at >= began]
        if len(own) == len(messages) or not (own or is_fork):
            return messages
        self.caveats.add("W_COPY", "It begins with a copy of another session, which does not count here.")
        return own

    def _take_message(self, info: Record, parts: list[dict[str, Any]]) -> None:
        time = object_of(info, "time")
        of_model, at = info.get("role") == "assistant", milliseconds_of(time.get("created"))
        if not of_model:
            self.resumed(at)
            self.status, self.detail = Status.INTERRUPTED, None
        else:
            self._messages.add(text_of(info, "id") or str(len(self._messages)))
            self.model = text_of(info, "modelID") or self.model
        self.at(at)
        for part in parts:
            self._take_part(part, at, of_model=of_model)
        if of_model:
            self.at(milliseconds_of(time.get("completed")))
            self._use(info)
            if "tokens" not in info:
                self.used(Tokens(), context=False)
            self._finish(info.get("finish"))
            if error := object_of(info, "error"):
                self._fail(error, at)
            elif "completed" not in time and "finish" not in info:
                self.status, self.detail = Status.INTERRUPTED, None


def _lines(details: Record) -> tuple[int, int]:
    """Return how many lines an edit added and removed, where its file counts them."""
    added, removed = count_of(details, "additions"), count_of(details, "removals")
    return COUNTED if added is None or removed is None else (added, removed)


def _error(error: Record) -> str:
    """Return the message of an error, with its HTTP status."""
    data = object_of(error, "data")
    said = text_of(data, "message") or text_of(error, "message") or text_of(error, "name") or ""
    code = count_of(data, "statusCode")
    return f"{said} ({code})" if code else said


def _changes(given: Record, details: Record) -> str:
    """Return the lines that an edit changed, after `+` and `-`."""
    if diff := text_of(details, "diff"):
        return changed_in(diff)
    content = text_of(given, "content") if details.get("exists") is False else None
    return "\n".join(f"+{line}" for line in (content or "").splitlines())
