"""Reads what `codex exec --json` prints: a thread, its turns, and items that begin and are completed.

The format names no model and no time. A turn's usage counts all that was sent, the part from the cache included, and
output with reasoning inside. Whether the usage of a later turn is its own or that of the thread so far differs by
version: where no figure ever falls it is taken as the thread's, else they are summed; the run says which. `turns` are
those of the user, of which a run of `codex exec` has one.

| Record | Meaning |
|--|--|
| `thread.started` | the session: `thread_id`; newer versions add `model` and `cli_version` |
| `turn.started`, `turn.completed`, `turn.failed` | a turn; when completed, its `usage` |
| `item.started`, `item.updated`, `item.completed` | a message, a thought or a call, the last one with its result |
| `error` | an error, with which the thread ends unless it goes on |

Read but no step: lists of what is to do, which change while the turn goes on. Plain logs without `--json` are not
runs.
"""

from itertools import pairwise

from sitegen.model import Status, Tokens
from sitegen.readers.codex.items import call_of, result_of, usage_of
from sitegen.readers.common.builder import Format
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    known,
    object_of,
    text_at,
    text_of,
    text_or_empty,
    words,
)
from sitegen.readers.common.stated import Counts
from sitegen.steps import StepKind

_NO_STEPS = words("agent_message assistant_message reasoning error todo_list")


class CodexExec(RecordReader):
    """A thread: the stream of one process, or of several that went on with it."""

    format = Format("Codex stream", known_kinds=known("codex exec"), ends_with_totals=True)

    def begin(self) -> None:
        self._usages: list[Counts] = []

    def session_of(self, record: Record) -> str | None:
        return text_of(record, "thread_id") if record.get("type") == "thread.started" else None

    def read(self, record: Record) -> None:
        run = self.run
        kind = record.get("type")
        if kind == "thread.started" and text_of(record, "thread_id"):
            self._start_thread(record)
        elif not self.is_known or kind == "thread.started":
            return
        if kind == "turn.completed":
            run.count_turn()
            usage = usage_of(object_of(record, "usage"))
            self._usages.append(usage)
            run.add_key(run.turns, *map(str, usage))
        elif kind == "turn.failed":
            run.count_turn()
            run.add_error(_error(record))
        elif kind == "error":
            run.add_error(_error(record))
        elif isinstance(kind, str) and kind.startswith("item."):
            self._read_item(object_of(record, "item"), is_completed=kind == "item.completed")
        self.read_copy(record)

    def read_copy(self, record: Record) -> None:
        """Say how a process stands, also where that was said before."""
        kind = record.get("type")
        if kind in ("thread.started", "turn.started"):
            self.run.go_on()
        elif kind == "turn.completed":
            self.run.end(Status.OK)
        elif kind == "turn.failed" or (kind == "error" and self.run.status is Status.INTERRUPTED):
            self.run.end(*ended_by(_error(record)))

    def finish(self) -> None:
        run = self.run
        stated = [usage for usage in self._usages if _states_tokens(usage)]
        if not stated or len(stated) < len(self._usages):
            run.tokens.is_lower_bound = True
        is_running_total = not any(_falls(*turns) for turns in pairwise(stated))
        for usage in stated[-1:] if is_running_total else stated:
            run.add_usage(usage, is_request=False)
        if is_running_total:
            # That of a thread that was resumed is the thread's.
            run.process_usage = Tokens()
        if len(stated) > 1:
            run.caveats.add("W_MULTI_RESULT", _reading_of(stated, is_running_total))
        if not run.tokens.by_model:
            run.caveats.add("W_NO_RESULT", "No turn was completed, so usage is unknown.")

    def _start_thread(self, record: Record) -> None:
        run = self.run
        self.is_known = True
        run.marks.take(record)
        run.identity.session_id = text_of(record, "thread_id")
        run.model = text_of(record, "model")
        run.version = text_of(record, "cli_version")
        run.see_effort(record, "effort reasoning_effort")

    def _read_item(self, item: Record, *, is_completed: bool) -> None:
        kind = text_of(item, "type") or text_or_empty(item, "item_type")
        text = text_or_empty(item, "text")
        call = call_of(kind.replace("_", ""), item)
        if call is not None:
            self._read_call(kind.replace("_", ""), item, call, is_completed=is_completed)
        elif not is_completed:
            return
        elif kind in ("agent_message", "assistant_message") and text:
            self.run.add_text(StepKind.TEXT, text)
        elif kind == "reasoning":
            self.run.add_text(StepKind.THINKING, text)
        elif kind == "error" and (message := text_of(item, "message")):
            self.run.add_text(StepKind.NOTICE, message)
        elif kind not in _NO_STEPS:
            self.run.note_unknown(f"item {kind}")

    def _read_call(
        self, kind: str, item: Record, call: tuple[str, Record], *, is_completed: bool
    ) -> None:
        id_ = text_or_empty(item, "id")
        if not self.run.has_open_call(id_):
            self.run.add_call(id_, *call)
        if is_completed:
            self.run.add_result(result_of(kind, item, id_))


def _states_tokens(usage: Counts) -> bool:
    return usage.sent is not None or usage.output is not None


def _falls(before: Counts, after: Counts) -> bool:
    """Return whether a count of a later turn is smaller."""
    pairs = zip(before, after, strict=True)
    return any(later is not None and later < (count or 0) for count, later in pairs)


def _reading_of(usages: list[Counts], is_running_total: bool) -> str:
    """Return a sentence on how the usage of several turns is read."""
    how, reading = "fall", "they are summed"
    if is_running_total:
        how, reading = "grow", "the last is the sum of all"
    return f"The thread has {len(usages)} turns that count tokens; as they {how}, {reading}."


def _error(record: Record) -> str:
    return text_at(record, "error.message") or text_or_empty(record, "message")
