"""Reads what `gemini --output-format json` and `stream-json` print.

Tokens that were sent have the cached part in them; output states thoughts apart, and counts them here. The API writes
to its cache at no price of its own: cache writes are zero. `turns` are requests to the API, which streams do not count.
A stream states no time but that of its lines and `duration_ms`, which is 0 where it failed, and then is not taken.

The single JSON was never seen on a real file; it follows the schema of August 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.model import Status
from sitegen.readers.common.records import count_of, object_of, text_of, texts_of, words
from sitegen.readers.common.stated import Counts, Reading
from sitegen.readers.common.trace import Pieces, Trace
from sitegen.steps import StepKind


class GeminiJson(Trace):
    """The one object at the end of a run."""

    title = "Gemini CLI result"
    is_whole = True
    reads = Reading(output_includes_reasoning=False)

    def take(self, record: Mapping[str, Any]) -> None:
        stats, error = object_of(record, "stats"), object_of(record, "error")
        has_models = isinstance(stats.get("models"), dict) and isinstance(stats.get("tools"), dict)
        is_failure = "session_id" in record and not has_models and text_of(error, "message") and "type" in error
        if self.is_known or "type" in record or not (has_models or is_failure):
            return
        self.is_known = True
        self.session_id = text_of(record, "session_id")
        requests: list[int] = []
        latencies: list[int] = []
        for name, each in object_of(stats, "models").items():
            if not isinstance(each, dict):
                continue
            self.model = name
            self.counted(_of_model(object_of(each, "tokens")), context=False)
            api = object_of(each, "api")
            requests += [number] if (number := count_of(api, "totalRequests")) is not None else []
            latencies += [number] if (number := count_of(api, "totalLatencyMs")) is not None else []
        self.turns = sum(requests) if requests else None
        self.api_ms = sum(latencies) if latencies else None
        self.fields = {f"stats.{name}": value for name, value in stats.items() if name != "models"}
        self.summary = text_of(record, "response")
        self.status = Status.OK if self.summary else Status.UNKNOWN
        if said := text_of(error, "message"):
            self.status, self.detail = self.failure(said)
            self.errors[said] = None


class GeminiStream(Trace):
    """The lines of a run."""

    title = "Gemini CLI stream"
    tells_exit_codes = False
    reads = Reading(output_includes_reasoning=False)
    knows = words("init message tool_use tool_result error result")

    def __init__(self) -> None:
        super().__init__()
        self._said = Pieces()
        """Of a message that comes in pieces."""
        self._said_ms: int | None = None
        self._repeats = False
        """Whether its lines stand in the file before."""

    def session(self, record: Mapping[str, Any]) -> str | None:
        return text_of(record, "session_id") if record.get("type") == "init" else None

    def take(self, record: Mapping[str, Any]) -> None:
        kind = record.get("type")
        if kind == "init" and text_of(record, "session_id"):
            self.is_known = True
            self.session_id, self.model = text_of(record, "session_id"), text_of(record, "model")
            self._repeats = self.is_replay(text_of(record, "timestamp"))
            self.status = self.status if self._repeats else Status.INTERRUPTED
            self.key(text_of(record, "timestamp"))
        if not self.is_known or self._repeats:
            return
        at = self.at(self.time(record.get("timestamp")))
        if kind != "message" or record.get("role") != "assistant" or record.get("delta") is not True:
            self._end_message()
        if kind == "message" and (text := texts_of(record.get("content"))):
            if record.get("role") != "assistant":
                self.say(StepKind.PROMPT, text, at)
            else:
                self._said.add(text)
                self._said_ms = at
        elif kind == "tool_use":
            name = text_of(record, "tool_name") or ""
            self.ask(text_of(record, "tool_id") or "", name, object_of(record, "parameters"), at)
        elif kind == "tool_result":
            result = text_of(object_of(record, "error"), "message") or text_of(record, "output") or ""
            self.answer(text_of(record, "tool_id") or "", result, at, failed=record.get("status") == "error")
        elif kind == "error" and (said := text_of(record, "message")):
            if record.get("severity") == "warning":
                self.say(StepKind.NOTICE, said, at)
            else:
                self.error(said, at)
        elif kind == "result":
            self._take_result(record, at)

    def _take_result(self, record: Mapping[str, Any], at: int | None) -> None:
        self.status, self.detail = Status.OK, None
        if record.get("status") != "success":
            said = text_of(object_of(record, "error"), "message") or ""
            self.error(said, at)
            self.status, self.detail = self.failure(said)
        stats = object_of(record, "stats")
        models = object_of(stats, "models")
        for model, each in models.items():
            if isinstance(each, dict):
                self.model = model
                self.counted(_of_stream(each), context=False)
        if not models and stats:
            self.counted(_of_stream(stats), context=False)
        if took := count_of(stats, "duration_ms"):
            self.wall_ms = (self.wall_ms or 0) + took
        self.fields = {f"stats.{name}": value for name, value in stats.items() if name != "models"}

    def _end_message(self) -> None:
        if (text := self._said.take()).strip():
            self.say(StepKind.TEXT, text, self._said_ms)

    def end(self) -> None:
        self._end_message()
        if not self.ledger:
            self.caveats.add("W_NO_RESULT", "The recording ends before a result, so usage is unknown.")


def _of_model(tokens: Mapping[str, Any]) -> Counts:
    sent, read, *rest = (
        count_of(tokens, name) for name in ("prompt", "cached", "candidates", "thoughts", "tool", "total")
    )
    if sent is None and (uncached := count_of(tokens, "input")) is not None:
        sent = uncached + (read or 0)
    return Counts(sent, read, 0, *rest)


def _of_stream(stats: Mapping[str, Any]) -> Counts:
    """Thoughts are what the total has besides, unless that is what was read from the cache."""
    sent, read, output, total = (
        count_of(stats, name) for name in ("input_tokens", "cached", "output_tokens", "total_tokens")
    )
    besides = 0 if sent is None or output is None or total is None else max(total - sent - output, 0)
    return Counts(sent, read, 0, output, 0 if besides == read else besides, None, total)
