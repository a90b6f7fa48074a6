"""Reads the sessions that GitHub's Copilot CLI keeps: `~/.copilot/session-state/<id>/events.jsonl`.

Tokens stand in the `session.shutdown` at the end of a process, input with the cached part in it; a session that was
resumed has several, which add. One that was killed states output only, message by message. `turns` are those of the
model. What Copilot counts as cost is requests and units of its own, no money, and is listed with the further fields.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import (
    count_of,
    known,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
)
from sitegen.readers.common.stated import Counts, counts_of
from sitegen.readers.common.trace import Record, Trace
from sitegen.steps import StepKind

_COUNTS = "inputTokens cacheReadTokens cacheWriteTokens outputTokens reasoningTokens"
_EXIT_CODE = re.compile(r"(?:completed|exited) with exit code (-?[0-9]{1,9})>\s*\Z")
_UNITS = ("totalPremiumRequests", "totalNanoAiu")


class CopilotSession(Trace):
    """The events of a session."""

    title = "Copilot session"
    ends_with_totals = True
    kinds_of_fields = field_kinds(machine="session.shutdown.codeChanges.filesModified")
    knows = known("copilot")

    def begin(self) -> None:
        self._output: dict[str | None, int] = {}

    def session(self, record: Record) -> str | None:
        is_first = record.get("type") == "session.start"
        return text_at(record, "data.sessionId") if is_first else None

    def take(self, record: Record) -> None:
        kind = record.get("type")
        data = object_of(record, "data")
        if kind == "session.start" and text_of(data, "sessionId"):
            self.is_known = True
            self.session_id, self.version = (
                text_of(data, "sessionId"),
                text_of(data, "copilotVersion"),
            )
            self.model = text_of(data, "selectedModel")
            self.see_effort(data, "reasoningEffort")
            self.started_ms = self.time(data, "startTime")
        if not self.is_known or self.is_replay(text_of(record, "id")):
            return
        time = self.time(record)
        if kind == "user.message":
            self.resumed(time)
            self.key(text_of(record, "id"), time)
        at = self.at(time)
        if kind == "session.shutdown":
            self._take_shutdown(data)
        elif kind == "session.model_change":
            self.model = text_of(data, "newModel") or self.model
            self.see_effort(data, "reasoningEffort")
        elif kind == "session.error" and (text := text_of(data, "message")):
            self.fail(text, at)
        elif kind == "abort":
            self.set_status(Status.INTERRUPTED, "aborted")
        elif kind == "user.message" and (text := text_of(data, "content")):
            self.say(StepKind.PROMPT, text, at)
            self.go_on()
        elif kind == "session.compaction_complete":
            self.say(StepKind.COMPACTION, "", at)
        elif kind == "system.notification":
            self.say(StepKind.NOTICE, text_or_empty(data, "content"), at)
        elif kind == "assistant.turn_start":
            self.count_turn()
        elif kind == "assistant.message":
            self._take_message(data, at)
        elif kind == "tool.execution_start":
            name = text_or_empty(data, "toolName")
            given = object_of(data, "arguments")
            self.ask(text_or_empty(data, "toolCallId"), name, given, at)
        elif kind == "tool.execution_complete":
            result = object_of(data, "result")
            error = object_of(data, "error")
            said = text_of(error, "message") or text_or_empty(result, "content")
            failed = data.get("success") is False
            denied = text_of(error, "code") in ("denied", "rejected")
            id_ = text_or_empty(data, "toolCallId")
            code = _EXIT_CODE.search(said[-200:])
            self.answer(id_, said, at, failed=failed, denied=denied, exit_code=code)

    def _take_message(self, data: Record, at: int | None) -> None:
        self.model, id_ = text_of(data, "model") or self.model, text_of(data, "messageId")
        if thought := text_of(data, "reasoningText"):
            self.say(StepKind.THINKING, thought, at, id_)
        if (text := text_of(data, "content")) and text.strip():
            self.say(StepKind.TEXT, text, at, id_)
        self._output[self.model] = self._output.get(self.model, 0) + (
            count_of(data, "outputTokens") or 0
        )
        is_last = not objects_of(data, "toolRequests")
        self.status, self.detail = (
            (Status.UNKNOWN, "not stated") if is_last else (Status.INTERRUPTED, None)
        )

    def _take_shutdown(self, data: Record) -> None:
        models = object_of(data, "modelMetrics")
        for name in models:
            counts = counts_of(object_of(object_of(models, name), "usage"), _COUNTS)
            if any(counts):  # a request that used nothing was not counted
                self.counted(counts, context=False, model=name)
                self._output.pop(name, None)
        self.api_ms = (self.api_ms or 0) + (count_of(data, "totalApiDurationMs") or 0)
        self.fields |= {
            f"session.shutdown.{name}": data[name]
            for name in (*_UNITS, "codeChanges")
            if name in data
        }
        if self.status is Status.UNKNOWN:
            self.set_status(Status.OK)

    def end(self) -> None:
        for model, output in self._output.items():
            if output:
                self.is_lower_bound = True
                self.counted(Counts(output=output), context=False, model=model)
        if self.is_lower_bound:
            said = "No end of the session reports all tokens: only the output of messages is known."
            self.caveats.add("W_MISSING", said)
