"""Reads what `cursor-agent --print` prints as `json` and as `stream-json`.

The format has no cost and no turns, and real files have no tokens. Newer versions add `usage` to the result; no real
file has been seen with it, so its four counts are read by their names, as if they did not overlap. The API time always
equals the total time, so it is ignored. The model may be "Auto". With partial output a message comes in pieces and then
again as a whole; it counts once. On failure the program prints no result.
"""

import json

from sitegen.model import Status
from sitegen.readers.common.records import (
    count_of,
    is_true,
    known,
    ms_of,
    object_of,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.trace import Record, Trace, changed_in
from sitegen.steps import StepKind

_COUNTS = "inputTokens cacheReadTokens cacheWriteTokens outputTokens"


class CursorRun(Trace):
    """A result, or the lines of a run."""

    title = "Cursor result"
    reads = CountRule(sent_includes_read=False, sent_includes_written=False)
    ends_with_totals = True
    knows = known("cursor")

    def session(self, record: Record) -> str | None:
        return text_of(record, "session_id")

    def take(self, record: Record) -> None:
        kind = record.get("type")
        subtype = record.get("subtype")
        is_init = (
            kind == "system"
            and subtype == "init"
            and "apiKeySource" in record
            and "tools" not in record
        )
        is_result = kind == "result" and "request_id" in record and "num_turns" not in record
        self.is_known |= is_init or is_result
        if not self.is_known:
            return
        self.session_id = text_of(record, "session_id") or self.session_id
        if kind not in ("assistant", "thinking"):
            self.say_pieces(StepKind.THINKING, StepKind.TEXT)
        at = self.at(ms_of(record, "timestamp_ms"))
        if is_init:
            self.title = "Cursor stream"
            self.model = text_of(record, "model")
            self.status = Status.INTERRUPTED
        elif kind == "user" and (text := texts_in(object_of(record, "message"), "content")):
            self.say(StepKind.PROMPT, text, at)
        elif kind == "thinking" and subtype == "delta":
            self.add_piece(StepKind.THINKING, text_or_empty(record, "text"), at)
        elif kind == "assistant":
            self.say_pieces(StepKind.THINKING)
            text = texts_in(object_of(record, "message"), "content")
            self.add_piece(StepKind.TEXT, text, at, may_be_whole=True)
        elif kind == "tool_call":
            # Unless a result follows.
            self.go_on()
            self._take_call(record, at, is_completed=subtype == "completed")
        elif is_result:
            self._take_result(record)

    def _take_call(self, record: Record, at: int | None, *, is_completed: bool) -> None:
        calls = object_of(record, "tool_call")
        name = next((name for name, call in calls.items() if isinstance(call, dict)), "")
        call = object_of(calls, name)
        id_ = text_or_empty(record, "call_id")
        if self.is_replay(id_ or None, is_completed):
            return
        if id_ not in self._open:
            self.key(id_ or None)
            self.ask(id_, text_of(call, "name") or name, object_of(call, "args"), at)
        if not is_completed:
            return
        result = object_of(call, "result")
        done = object_of(result, "success")
        said = [
            text_of(done, key) for key in ("stdout", "stderr", "content", "diffString", "message")
        ]
        text = (
            "\n".join(filter(None, said))
            or json.dumps(done or result, ensure_ascii=False)[:100_000]
        )
        code = done.get("exitCode")
        changes = changed_in(text_of(done, "diffString"))
        failed = bool(result) and "success" not in result
        denied = "rejected" in result or "permissionDenied" in result
        self.answer(id_, text, at, failed=failed, denied=denied, exit_code=code, changes=changes)

    def _take_result(self, record: Record) -> None:
        self.key(text_of(record, "request_id"))
        self.wall_ms = count_of(record, "duration_ms")
        text = text_of(record, "result")
        usage = object_of(record, "usage")
        if is_true(record, "is_error") or record.get("subtype") != "success":
            self.fail(text or "")
        else:
            self.succeed()
            self.summary = self.summary or text
        if usage and not self.is_replay("result", text_of(record, "request_id")):
            self.counted(counts_of(usage, _COUNTS), context=False)

    def end(self) -> None:
        self.say_pieces(StepKind.THINKING, StepKind.TEXT)
        if not self.ledger:
            self.caveats.add("W_MISSING", "The run reports no tokens.")
