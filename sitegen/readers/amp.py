"""Reads what `amp --execute --stream-json` prints: records like Claude Code's, in a thread whose id begins with `T-`.

The format states no cost. What messages used is summed, each once. Only made-up files were ever seen, no real run.

| Record | Meaning |
|--|--|
| `system` | the thread begins |
| `assistant` | blocks of a message, with its `usage` |
| `user` | a prompt, or results of calls (`tool_result`) |
| `result` | the end: `num_turns`, `duration_ms`, `result`, `error` |
"""

import re

from sitegen.model import Status
from sitegen.readers.common.builder import Format
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    known,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind

_COUNTS = "input_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens"
_EXIT_CODE = re.compile(r'"exitCode"\s*:\s*(-?[0-9]{1,9})\b')


class AmpStream(RecordReader):
    """The lines of a run."""

    format = Format(
        "Amp stream",
        known_kinds=known("amp"),
        usage_follows=True,
        counts=CountRule(sent_includes_read=False, sent_includes_written=False),
    )

    def begin(self) -> None:
        self._messages: set[str] = set()

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "session_id")

    def read(self, record: Record) -> None:
        session = text_or_empty(record, "session_id")
        kind = record.get("type")
        if not session.startswith("T-") or not isinstance(kind, str):
            return
        self.run.identity.session_id = session
        if kind in ("system", "result", "assistant", "user"):
            self.run.status = self.run.status if self.is_known else Status.INTERRUPTED
            self.is_known = True
        message = object_of(record, "message")
        if kind == "assistant":
            self._read_message(message)
        elif kind == "user":
            self._read_answers(message)
        elif kind == "result":
            self._read_result(record)

    def _read_message(self, message: Record) -> None:
        run = self.run
        id_ = text_of(message, "id")
        run.model = text_of(message, "model") or run.model
        run.go_on()
        run.add_blocks(objects_of(message, "content"), None, id_)
        usage = object_of(message, "usage")
        if id_ not in self._messages:
            run.add_key(id_)
        if usage and (id_ is None or id_ not in self._messages):
            run.add_usage(counts_of(usage, _COUNTS))
        self._messages |= {id_} if id_ else set()

    def _read_answers(self, message: Record) -> None:
        answers = [
            block for block in objects_of(message, "content") if block.get("type") == "tool_result"
        ]
        for block in answers:
            failed = is_true(block, "is_error")
            said = texts_in(block, "content")
            code = (
                _EXIT_CODE.search(said[-200:]) or _EXIT_CODE.search(said[:200])
                if said.startswith("{")
                else None
            )
            self.run.add_result(
                ToolResult(text_or_empty(block, "tool_use_id"), said, failed=failed, exit_code=code)
            )
        if not answers and (text := texts_in(message, "content")).strip():
            self.run.add_text(StepKind.PROMPT, text)

    def _read_result(self, record: Record) -> None:
        run = self.run
        run.turns, run.wall_ms = (
            count_of(record, "num_turns"),
            count_of(record, "duration_ms"),
        )
        run.add_key(run.turns, run.wall_ms)
        text = text_of(record, "result")
        error = text_of(record, "error")
        if is_true(record, "is_error") or record.get("subtype") != "success":
            run.add_error(error or text or "")
            run.end(*(ended_by(f"{record.get('subtype')} {error or text}")))
        else:
            run.succeed()
            run.summary = text or run.summary

    def finish(self) -> None:
        if not self.run.tokens.by_model:
            self.run.caveats.add("W_MISSING", "The run reports no tokens.")
