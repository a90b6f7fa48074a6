"""Reads what `amp --execute --stream-json` prints: records like Claude Code's, in a thread whose id begins with `T-`.

The format states no cost. What messages used is summed, each once. Only made-up files were ever seen, no real run.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.records import (
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
from sitegen.readers.common.trace import Record, Trace
from sitegen.steps import StepKind

_COUNTS = "input_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens"
_EXIT_CODE = re.compile(r'"exitCode"\s*:\s*(-?[0-9]{1,9})\b')


class AmpStream(Trace):
    """The lines of a run."""

    title = "Amp stream"
    knows = known("amp")
    usage_follows = True
    reads = CountRule(sent_includes_read=False, sent_includes_written=False)

    def begin(self) -> None:
        self._messages: set[str] = set()

    def session(self, record: Record) -> str | None:
        return text_of(record, "session_id")

    def take(self, record: Record) -> None:
        session = text_or_empty(record, "session_id")
        kind = record.get("type")
        if not session.startswith("T-") or not isinstance(kind, str):
            return
        self.session_id = session
        if kind in ("system", "result", "assistant", "user"):
            self.status = self.status if self.is_known else Status.INTERRUPTED
            self.is_known = True
        message = object_of(record, "message")
        if kind == "assistant":
            self._take_message(message)
        elif kind == "user":
            self._take_answers(message)
        elif kind == "result":
            self._take_result(record)

    def _take_message(self, message: Record) -> None:
        id_ = text_of(message, "id")
        self.model = text_of(message, "model") or self.model
        self.go_on()
        self.say_blocks(objects_of(message, "content"), None, id_)
        usage = object_of(message, "usage")
        if id_ not in self._messages:
            self.key(id_)
        if usage and (id_ is None or id_ not in self._messages):
            self.counted(counts_of(usage, _COUNTS))
        self._messages |= {id_} if id_ else set()

    def _take_answers(self, message: Record) -> None:
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
            self.answer(text_or_empty(block, "tool_use_id"), said, failed=failed, exit_code=code)
        if not answers and (text := texts_in(message, "content")).strip():
            self.say(StepKind.PROMPT, text)

    def _take_result(self, record: Record) -> None:
        self.turns, self.wall_ms = count_of(record, "num_turns"), count_of(record, "duration_ms")
        self.key(self.turns, self.wall_ms)
        text = text_of(record, "result")
        error = text_of(record, "error")
        if is_true(record, "is_error") or record.get("subtype") != "success":
            self.error(error or text or "")
            self.status, self.detail = self.failure(f"{record.get('subtype')} {error or text}")
        else:
            self.succeed()
            self.summary = text or self.summary

    def end(self) -> None:
        if not self.ledger:
            self.caveats.add("W_MISSING", "The run reports no tokens.")
