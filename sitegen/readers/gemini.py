"""Reads what `gemini --output-format json` and `stream-json` print.

Tokens that were sent have the cached part in them; output states thoughts apart, and counts them here. The API writes
to its cache at no price of its own: cache writes are zero. `turns` are requests to the API, which streams do not count.
A stream states no time but that of its lines and `duration_ms`, which is 0 where it failed, and then is not taken.

The single JSON was never seen on a real file; it follows the schema of August 2026.

| Record of a stream | Meaning |
|--|--|
| `init` | the session and its `model` |
| `message` | a prompt, or an answer, in pieces where `delta` is true |
| `tool_use`, `tool_result` | a call by its `tool_id`, and its result |
| `error`, `result` | an error or a warning; the end with `stats`: tokens by model, `duration_ms` |
"""

import re

from sitegen.model import Status, sum_known
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by, limit_in
from sitegen.readers.common.record_reader import RecordReader, WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    known,
    object_at,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    words,
)
from sitegen.readers.common.stated import CountRule, Counts, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind

_KEYS = words("session_id response stats error warnings auth_method")


def read_result(record: Record, run: RunBuilder) -> bool:
    stats = object_of(record, "stats")
    error = object_of(record, "error")
    has_models = isinstance(stats.get("models"), dict) and isinstance(stats.get("tools"), dict)
    is_failure = text_of(error, "message") and text_of(error, "type")
    is_answer = isinstance(record.get("response"), str) and record.keys() <= _KEYS
    is_bare = text_of(record, "session_id") and (is_failure or is_answer)
    if "type" in record or not (has_models or is_bare):
        return False
    run.identity.session_id = text_of(record, "session_id")
    models = {
        name: each for name, each in object_of(stats, "models").items() if isinstance(each, dict)
    }
    for name, each in models.items():
        run.model = name
        run.add_usage(_of_model(object_of(each, "tokens")), is_request=False)
    calls = [object_of(each, "api") for each in models.values()]
    if not models:
        run.note_no_usage()
    run.turns = sum_known(count_of(each, "totalRequests") for each in calls)
    run.api_ms = sum_known(count_of(each, "totalLatencyMs") for each in calls)
    run.fields = {f"stats.{name}": value for name, value in stats.items() if name != "models"}
    run.summary = text_of(record, "response")
    run.status = Status.OK if run.summary else Status.UNKNOWN
    if said := text_of(error, "message"):
        run.end(*ended_by(said))
        run.errors[said] = None
    return True


GEMINI_JSON = WholeFormat(
    Format("Gemini CLI result", is_whole=True, counts=CountRule(output_includes_reasoning=False)),
    read_result,
)


class GeminiStream(RecordReader):
    """The lines of a run."""

    format = Format(
        "Gemini CLI stream",
        ends_with_totals=True,
        tells_exit_codes=False,
        counts=CountRule(output_includes_reasoning=False),
        known_kinds=known("gemini stream"),
    )

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "session_id") if record.get("type") == "init" else None

    def read(self, record: Record) -> None:
        run = self.run
        kind = record.get("type")
        if kind == "init" and text_of(record, "session_id"):
            self.is_known = True
            run.identity.session_id, run.model = (
                text_of(record, "session_id"),
                text_of(record, "model"),
            )
            run.status = Status.INTERRUPTED
            run.add_key(text_of(record, "timestamp"))
        if not self.is_known:
            return
        ms = run.see_time(run.time_of(record))
        if kind != "message" or record.get("role") != "assistant" or not is_true(record, "delta"):
            run.end_pieces(StepKind.TEXT)
        if kind == "tool_use" or (kind == "message" and record.get("role") == "assistant"):
            # Unless a result follows.
            run.go_on()
        if kind == "message" and (text := texts_in(record, "content")):
            if record.get("role") != "assistant":
                run.add_text(StepKind.PROMPT, text, ms)
            else:
                run.add_piece(StepKind.TEXT, text, ms)
        elif kind == "tool_use":
            name = text_or_empty(record, "tool_name")
            run.add_call(
                text_or_empty(record, "tool_id"), name, object_of(record, "parameters"), ms
            )
        elif kind == "tool_result":
            result = text_at(record, "error.message") or text_or_empty(record, "output")
            run.add_result(
                ToolResult(
                    text_or_empty(record, "tool_id"),
                    result,
                    ms,
                    failed=record.get("status") == "error",
                )
            )
        elif kind == "error" and (said := text_of(record, "message")):
            if record.get("severity") == "warning":
                run.add_text(StepKind.NOTICE, said, ms)
            else:
                run.add_error(said, ms)
        elif kind == "result":
            self._read_result(record, ms)

    def _read_result(self, record: Record, ms: int | None) -> None:
        run = self.run
        run.succeed()
        if record.get("status") != "success":
            run.fail(text_or_empty(object_of(record, "error"), "message"), ms)
        stats = object_of(record, "stats")
        models = object_of(stats, "models")
        for model, each in models.items():
            if isinstance(each, dict):
                run.model = model
                run.add_usage(_of_stream(each), is_request=False)
        if not models and stats:
            run.add_usage(_of_stream(stats), is_request=False)
        if took := count_of(stats, "duration_ms"):
            run.wall_ms = (run.wall_ms or 0) + took
        run.fields = {f"stats.{name}": value for name, value in stats.items() if name != "models"}

    def finish(self) -> None:
        self.run.end_pieces(StepKind.TEXT)
        if not self.run.tokens.by_model:
            self.run.caveats.add(
                "W_NO_RESULT", "The recording ends before a result, so usage is unknown."
            )


def _of_model(tokens: Record) -> Counts:
    counts = counts_of(tokens, "prompt cached - candidates thoughts tool total")
    if counts.sent is None and (uncached := count_of(tokens, "input")) is not None:
        counts = counts._replace(sent=uncached + (counts.read or 0))
    return counts._replace(written=0)


def _of_stream(stats: Record) -> Counts:
    """Thoughts are what the total has besides, unless that is what was read from the cache."""
    sent, read, _, output, *_, total = counts_of(
        stats, "input_tokens cached - output_tokens - - total_tokens"
    )
    besides = (
        0 if sent is None or output is None or total is None else max(total - sent - output, 0)
    )
    return Counts(sent, read, 0, output, 0 if besides == read else besides, None, total)


# Reads the chats that gemini-cli keeps: `~/.gemini/tmp/<project>/chats/session-*.json`, and `.jsonl` of 2026.
# A message states what it used. In a `.jsonl` a message may be written again, with more of it: the last line of an id
# counts, as long as fewer than MAX_HELD other messages stand between. What was taken back (`$rewindTo`) was used and
# counts. `turns` are messages of the model. No line says how a chat ended: it did where the model spoke last and
# called no tool. The `.jsonl` form was never seen on a real file.

MAX_HELD = 20
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_COUNTS = "input cached - output thoughts tool total"
_CONTEXT = "<session_context>"  # the text that the program puts before the first prompt


class GeminiChat(RecordReader):
    """A chat, message by message."""

    format = Format(
        "Gemini CLI chat", usage_follows=True, counts=CountRule(output_includes_reasoning=False)
    )

    def begin(self) -> None:
        self._held: dict[str, Record] = {}
        self._told: set[str] = set()

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "sessionId") if "projectHash" in record else None

    def read(self, record: Record) -> None:
        run = self.run
        if not self.is_known:
            if not isinstance(record.get("sessionId"), str) or not isinstance(
                record.get("projectHash"), str
            ):
                return
            self.is_known = True
            run.identity.session_id = text_of(record, "sessionId")
            run.started_ms = run.time_of(record, "startTime")
            if record.get("kind") == "subagent":
                # It lies in a folder called by the session of its parent, or shares that session's id.
                is_below = _ID.fullmatch(run.file.folder) is not None
                run.agent_id = run.identity.session_id if is_below else run.file.name
                run.identity.session_id = run.file.folder if is_below else run.identity.session_id
        for part in (record, object_of(record, "$set")):
            run.session_title = text_of(part, "summary") or run.session_title
            for message in objects_of(part, "messages"):
                self._hold(message)
        if "type" in record and "id" in record:
            self._hold(record)

    def _hold(self, message: Record) -> None:
        id_ = text_of(message, "id") or f"#{len(self._told) + len(self._held)}"
        if id_ in self._told:
            self.run.note_missing(
                "Messages that were written again much later count as they were first", "W_LIMIT"
            )
            return
        self._held[id_] = message
        if len(self._held) > MAX_HELD:
            first = next(iter(self._held))
            self._tell(first, self._held.pop(first))

    def _tell(self, id_: str, message: Record) -> None:
        run = self.run
        self._told.add(id_)
        run.add_key(text_of(message, "id"), text_of(message, "timestamp"))
        kind = message.get("type")
        ms = run.time_of(message)
        text = texts_in(message, "content")
        if kind == "user" and text.strip() and not text.startswith(_CONTEXT):
            run.start_turn(ms)
            run.add_text(StepKind.PROMPT, text, ms)
            run.go_on()
        elif kind == "gemini":
            self._tell_answer(id_, message, text, run.see_time(ms))
        elif kind == "error" and text.strip():
            run.fail(text, run.see_time(ms))
        elif kind in ("info", "warning") and text.strip():
            run.add_text(StepKind.NOTICE, text, run.see_time(ms))
            if limit := limit_in(text):
                run.end(Status.FAILED, limit)

    def _tell_answer(self, id_: str, message: Record, text: str, ms: int | None) -> None:
        run = self.run
        run.count_turn()
        run.model = text_of(message, "model") or run.model
        for thought in objects_of(message, "thoughts"):
            said = (text_of(thought, "subject"), text_of(thought, "description"))
            run.add_text(
                StepKind.THINKING,
                ": ".join(filter(None, said)),
                run.time_of(thought),
                id_,
            )
        if text.strip():
            run.add_text(StepKind.TEXT, text, ms, id_)
        calls = objects_of(message, "toolCalls")
        for number, call in enumerate(calls):
            self._tell_call(call, text_of(call, "id") or f"{id_}#{number}", ms, id_)
        tokens = object_of(message, "tokens")
        if tokens:
            run.add_usage(counts_of(tokens, _COUNTS)._replace(written=0))
        run.end(*((Status.UNKNOWN, "not stated") if calls else (Status.OK, None)))

    def _tell_call(self, call: Record, id_: str, ms: int | None, message_id: str) -> None:
        self.run.add_call(id_, text_or_empty(call, "name"), object_of(call, "args"), ms, message_id)
        parts = (
            object_at(each, "functionResponse.response") for each in objects_of(call, "result")
        )
        found = next((part for part in parts if part), {})
        failed = call.get("status") in ("error", "cancelled")
        error = text_of(found, "error") if failed else None
        said = error or text_of(found, "output") or text_or_empty(call, "resultDisplay")
        answered = self.run.see_time(self.run.time_of(call))
        denied = call.get("status") == "cancelled"
        self.run.add_result(
            ToolResult(
                id_, said, answered, failed=failed, denied=denied, exit_code=found.get("exitCode")
            )
        )

    def finish(self) -> None:
        for id_, message in self._held.items():
            self._tell(id_, message)
        self._held.clear()
