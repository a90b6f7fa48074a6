"""Reads the sessions that GitHub's Copilot CLI keeps: `~/.copilot/session-state/<id>/events.jsonl`.

Tokens stand in the `session.shutdown` at the end of a process, input with the cached part in it; a session that was
resumed has several, which add. One that was killed states output only, message by message. `turns` are those of the
model. What Copilot counts as cost is requests and units of its own, no money, and is listed with the further fields.

Each event has a `type`, an `id`, a `timestamp` and `data`:

| Event | What is read of `data` |
|--|--|
| `session.start` | `sessionId`, `copilotVersion`, `selectedModel`, `startTime` |
| `session.model_change` | `newModel`, `reasoningEffort` of what comes next |
| `user.message` | `content`: a prompt, with which a turn of the user begins |
| `assistant.message` | `content`, `reasoningText`, `outputTokens`; without `toolRequests` it is the last of its turn |
| `tool.execution_start`, `tool.execution_complete` | a call and its result |
| `session.shutdown` | `modelMetrics`: tokens of the process by model; `totalApiDurationMs` |
| `session.error`, `abort` | how it ended |
"""

import re

from sitegen.model import Status, sum_known
from sitegen.readers.common.builder import Format
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    count_of,
    known,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
)
from sitegen.readers.common.stated import Counts, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind

_COUNTS = "inputTokens cacheReadTokens cacheWriteTokens outputTokens reasoningTokens"
_EXIT_CODE = re.compile(r"(?:completed|exited) with exit code (-?[0-9]{1,9})>\s*\Z")
_MAX_CODE = 200  # characters at the end of a result among which its exit code stands
_LISTED = "totalPremiumRequests totalNanoAiu codeChanges"


class CopilotSession(RecordReader):
    """The events of a session."""

    format = Format(
        "Copilot session",
        ends_with_totals=True,
        field_kinds=field_kinds(machine="session.shutdown.codeChanges.filesModified"),
        known_kinds=known("copilot"),
    )

    def begin(self) -> None:
        # The output of messages that no shutdown has counted, by model.
        self._output: dict[str | None, int] = {}

    def session_of(self, record: Record) -> str | None:
        is_first = record.get("type") == "session.start"
        return text_at(record, "data.sessionId") if is_first else None

    def read(self, record: Record) -> None:
        run = self.run
        kind = record.get("type")
        data = object_of(record, "data")
        if kind == "session.start" and text_of(data, "sessionId"):
            self._start(data)
        if not self.is_known or run.identity.is_repeated(text_of(record, "id")):
            return
        ms = run.time_of(record)
        if kind == "user.message":
            run.start_turn(ms)
            run.add_key(text_of(record, "id"), ms)
        run.see_time(ms)
        if kind in ("tool.execution_start", "tool.execution_complete"):
            self._read_call(data, ms, is_complete=kind == "tool.execution_complete")
        elif kind == "assistant.message":
            self._read_message(data, ms)
        elif kind == "session.shutdown":
            self._read_shutdown(data)
        else:
            self._read_event(kind, data, ms)

    def finish(self) -> None:
        tokens = self.run.tokens
        for model, output in self._output.items():
            if output:
                tokens.is_lower_bound = True
                self.run.add_usage(Counts(output=output), is_request=False, model=model)
        if tokens.is_lower_bound:
            text = "No end of the session reports all tokens: only the output of messages is known."
            self.run.caveats.add("W_MISSING", text)

    def _start(self, data: Record) -> None:
        run = self.run
        self.is_known = True
        run.identity.session_id = text_of(data, "sessionId")
        run.version = text_of(data, "copilotVersion")
        run.model = text_of(data, "selectedModel")
        run.see_effort(data, "reasoningEffort")
        run.started_ms = run.time_of(data, "startTime")

    def _read_event(self, kind: object, data: Record, ms: int | None) -> None:
        run = self.run
        text = text_or_empty(data, "content")
        error = text_of(data, "message")
        if kind == "user.message" and text:
            run.add_text(StepKind.PROMPT, text, ms)
            run.go_on()
        elif kind == "session.model_change":
            run.model = text_of(data, "newModel") or run.model
            run.see_effort(data, "reasoningEffort")
        elif kind == "session.error" and error:
            run.fail(error, ms)
        elif kind == "abort":
            run.end(Status.INTERRUPTED, "aborted")
        elif kind == "session.compaction_complete":
            run.add_text(StepKind.COMPACTION, "", ms)
        elif kind == "system.notification":
            run.add_text(StepKind.NOTICE, text, ms)
        elif kind == "assistant.turn_start":
            run.count_turn()

    def _read_call(self, data: Record, ms: int | None, *, is_complete: bool) -> None:
        id_ = text_or_empty(data, "toolCallId")
        if not is_complete:
            name = text_or_empty(data, "toolName")
            self.run.add_call(id_, name, object_of(data, "arguments"), ms)
            return
        error = object_of(data, "error")
        content = text_or_empty(object_of(data, "result"), "content")
        text = text_of(error, "message") or content
        result = ToolResult(
            id_,
            text,
            ms,
            failed=data.get("success") is False,
            denied=text_of(error, "code") in ("denied", "rejected"),
            exit_code=_EXIT_CODE.search(text[-_MAX_CODE:]),
        )
        self.run.add_result(result)

    def _read_message(self, data: Record, ms: int | None) -> None:
        run = self.run
        run.model = text_of(data, "model") or run.model
        id_ = text_of(data, "messageId")
        if thought := text_of(data, "reasoningText"):
            run.add_text(StepKind.THINKING, thought, ms, id_)
        if (text := text_or_empty(data, "content")).strip():
            run.add_text(StepKind.TEXT, text, ms, id_)
        output = count_of(data, "outputTokens") or 0
        self._output[run.model] = self._output.get(run.model, 0) + output
        if objects_of(data, "toolRequests"):
            run.go_on()
        else:
            run.end(Status.UNKNOWN, "not stated")

    def _read_shutdown(self, data: Record) -> None:
        run = self.run
        models = object_of(data, "modelMetrics")
        for name in models:
            counts = counts_of(object_of(object_of(models, name), "usage"), _COUNTS)
            if any(counts):  # a request that used nothing was not counted
                run.add_usage(counts, is_request=False, model=name)
                self._output.pop(name, None)
        run.api_ms = sum_known((run.api_ms, count_of(data, "totalApiDurationMs") or 0))
        run.list_fields(data, _LISTED, "session.shutdown.")
        if run.status is Status.UNKNOWN:
            run.end(Status.OK)
