"""Reads what `cursor-agent --print` prints as `json` and as `stream-json`.

The format has no cost and no turns, and real files have no tokens. Newer versions add `usage` to the result; no real
file has been seen with it, so its four counts are read by their names, as if they did not overlap. The API time always
equals the total time, so it is ignored. The model may be "Auto". With partial output a message comes in pieces and then
again as a whole; it counts once. On failure the program prints no result.

| Record | Meaning |
|--|--|
| `system/init` | the session and its `model` |
| `user`, `assistant` | a prompt, a piece of an answer; `thinking/delta` is a piece of a thought |
| `tool_call/started`, `tool_call/completed` | a call by its `call_id`, and its result under `success` or another key |
| `result` | the end: `duration_ms`, `result` (the account), `is_error`, newer versions `usage` |
"""

import json

from sitegen.model import Status
from sitegen.readers.common.builder import Format
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
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
from sitegen.readers.common.tool_log import ToolResult, changed_in
from sitegen.steps import StepKind

_COUNTS = "inputTokens cacheReadTokens cacheWriteTokens outputTokens"


class CursorRun(RecordReader):
    """A result, or the lines of a run."""

    format = Format(
        "Cursor result",
        counts=CountRule(sent_includes_read=False, sent_includes_written=False),
        ends_with_totals=True,
        known_kinds=known("cursor"),
    )

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "session_id")

    def read(self, record: Record) -> None:
        run = self.run
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
        run.identity.session_id = text_of(record, "session_id") or run.identity.session_id
        if kind not in ("assistant", "thinking"):
            run.end_pieces(StepKind.THINKING, StepKind.TEXT)
        ms = run.see_time(ms_of(record, "timestamp_ms"))
        if is_init:
            run.title = "Cursor stream"
            run.model = text_of(record, "model")
            run.status = Status.INTERRUPTED
        elif kind == "user" and (text := texts_in(object_of(record, "message"), "content")):
            run.add_text(StepKind.PROMPT, text, ms)
        elif kind == "thinking" and subtype == "delta":
            run.add_piece(StepKind.THINKING, text_or_empty(record, "text"), ms)
        elif kind == "assistant":
            run.end_pieces(StepKind.THINKING)
            text = texts_in(object_of(record, "message"), "content")
            run.add_piece(StepKind.TEXT, text, ms, may_be_whole=True)
        elif kind == "tool_call":
            # Unless a result follows.
            run.go_on()
            self._read_call(record, ms, is_completed=subtype == "completed")
        elif is_result:
            self._read_result(record)

    def _read_call(self, record: Record, ms: int | None, *, is_completed: bool) -> None:
        run = self.run
        calls = object_of(record, "tool_call")
        name = next((name for name, call in calls.items() if isinstance(call, dict)), "")
        call = object_of(calls, name)
        id_ = text_or_empty(record, "call_id")
        if run.identity.is_repeated(id_ or None, is_completed):
            return
        if not run.has_open_call(id_):
            run.add_key(id_ or None)
            run.add_call(id_, text_of(call, "name") or name, object_of(call, "args"), ms)
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
        run.add_result(
            ToolResult(id_, text, ms, failed=failed, denied=denied, exit_code=code, changes=changes)
        )

    def _read_result(self, record: Record) -> None:
        run = self.run
        run.add_key(text_of(record, "request_id"))
        run.wall_ms = count_of(record, "duration_ms")
        text = text_of(record, "result")
        usage = object_of(record, "usage")
        if is_true(record, "is_error") or record.get("subtype") != "success":
            run.fail(text or "")
        else:
            run.succeed()
            run.summary = run.summary or text
        if usage and not run.identity.is_repeated("result", text_of(record, "request_id")):
            run.add_usage(counts_of(usage, _COUNTS), is_request=False)

    def finish(self) -> None:
        self.run.end_pieces(StepKind.THINKING, StepKind.TEXT)
        if not self.run.tokens.by_model:
            self.run.caveats.add("W_MISSING", "The run reports no tokens.")
