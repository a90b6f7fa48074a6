"""Reads the sessions of Pi, and of OpenClaw, which is built on it: `sessions/*.jsonl`, `openclaw-session.jsonl`.

A session has a line for its header, for each message, and for each change of the model; since version 2 each line names
the one before it, and going back makes branches, all of which were paid for. What was sent does not include what was
cached. Costs are those of Pi's own list; where it knows none they are 0, which is unknown. `turns` are answers of the
model. Before each compaction OpenClaw keeps a copy of the session until then, with the same id; a session that was
forked begins with the lines of another one, which are older than its header.

| Line | Meaning |
|--|--|
| `session` | the header: `id`, `timestamp`, `modelId`, `parentSession` of a fork |
| `message` | `role` user, assistant (with `usage` and `stopReason`), toolResult, bashExecution (by the user) |
| `model_change`, `thinking_level_change` | the model and the effort of what comes next |
| `compaction`, `branch_summary`, `session_info`, `custom` | a summary, a notice, the title, the program |
"""

import re

from sitegen.model import Status
from sitegen.readers.common.builder import Format
from sitegen.readers.common.endings import ends_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    is_true,
    known,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    texts_in,
    texts_of,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.tool_log import ToolResult, changed_in
from sitegen.steps import StepKind

_COUNTS = "input cacheRead cacheWrite output - - totalTokens"
_READS = CountRule(sent_includes_read=False, sent_includes_written=False)
_ENDS = ends_of("pi")
_EXIT_CODE = re.compile(r"Command exited with code (-?[0-9]{1,9})\)?\s*\Z")
_LINE_NUMBER = re.compile(r"^([+-]) *[0-9]+ ", re.MULTILINE)


class PiSession(RecordReader):
    """The lines of a session."""

    format = Format(
        "Pi session",
        usage_follows=True,
        field_kinds=field_kinds(fact="provider", machine="cwd"),
        known_kinds=known("pi"),
    )

    _forked_ms: int | None = None

    def session_of(self, record: Record) -> str | None:
        is_header = record.get("type") == "session" and "timestamp" in record
        return text_of(record, "id") if is_header else None

    def read(self, record: Record) -> None:
        run = self.run
        kind = record.get("type")
        time = run.time_of(record)
        if kind == "session" and not self.is_known and record.keys() >= {"timestamp", "id"}:
            self._read_header(record, time)
        if (
            not self.is_known
            or kind == "session"
            or run.identity.is_repeated(kind, text_of(record, "id"))
        ):
            return
        if self._forked_ms is not None and time is not None and time < self._forked_ms:
            run.caveats.add("W_COPY", "It was forked: messages of the other session are left out.")
            return
        message = object_of(record, "message") if kind == "message" else record
        if message.get("role") == "user":
            run.start_turn(time)
        ms = run.see_time(time)
        if kind == "message":
            self._read_message(message, ms, text_of(record, "id") or str(record.get("timestamp")))
        elif kind == "model_change":
            run.model = text_of(record, "modelId") or run.model
        elif kind == "thinking_level_change":
            run.fields["thinking level"] = record.get("thinkingLevel")
            run.see_effort(record, "thinkingLevel")
        elif kind == "session_info":
            run.session_title = text_of(record, "name") or run.session_title
        elif kind == "compaction":
            run.add_text(StepKind.COMPACTION, text_or_empty(record, "summary"), ms)
        elif kind == "custom":
            self._name_program(text_or_empty(record, "customType"))
        elif kind in ("branch_summary", "custom_message"):
            run.add_text(
                StepKind.NOTICE, text_of(record, "summary") or texts_in(record, "content"), ms
            )

    def _read_header(self, record: Record, time: int | None) -> None:
        run = self.run
        self.is_known = True
        run.identity.session_id, run.started_ms = (
            text_of(record, "id"),
            run.see_time(time),
        )
        run.model = text_of(record, "modelId")
        run.see_effort(record, "thinkingLevel")
        run.status = Status.INTERRUPTED
        self._forked_ms = (
            time if record.get("parentSession") or record.get("branchedFrom") else None
        )
        names = {
            "cwd": "cwd",
            "provider": "provider",
            "version": "format version",
            "thinkingLevel": "thinking level",
        }
        run.fields = {words: record[name] for name, words in names.items() if name in record}
        self._name_program(run.file.name)

    def _name_program(self, said: str) -> None:
        if said.startswith(("openclaw", "model-snapshot")):
            self.run.title = "OpenClaw session"

    def _read_message(self, message: Record, ms: int | None, id_: str) -> None:
        run = self.run
        role = text_of(message, "role")
        content = message.get("content")
        run.check_fields(message, "pi message", "message.")
        if role == "user":
            run.add_key(id_, ms)
            run.go_on()
            run.add_text(StepKind.PROMPT, texts_of(content), ms)
        elif role == "assistant":
            run.add_key(id_, ms)
            self._read_answer(message, ms, id_)
        elif role == "toolResult":
            self._read_result(message, ms)
        elif role == "bashExecution":  # by the user
            said = (text_of(message, "command"), text_of(message, "output"))
            run.add_text(StepKind.NOTICE, "\n".join(filter(None, said)), ms)
        elif role in ("custom", "branchSummary", "compactionSummary"):
            run.add_text(StepKind.NOTICE, text_of(message, "summary") or texts_of(content), ms)
        else:
            run.note_unknown(f"message.role {role}")

    def _read_answer(self, message: Record, ms: int | None, id_: str) -> None:
        run = self.run
        run.count_turn()
        run.model = text_of(message, "model") or run.model
        blocks = objects_of(message, "content")
        run.add_blocks(blocks, ms, id_)
        self._read_usage(object_of(message, "usage"), is_empty=not blocks)
        reason = text_of(message, "stopReason")
        said = text_or_empty(message, "errorMessage")
        if reason in _ENDS:
            run.end(*_ENDS[reason])
        elif reason == "error":
            run.fail(said, ms)
        else:
            run.end(Status.UNKNOWN)
            run.note_unknown(f"message.stopReason {reason}")

    def _read_usage(self, usage: Record, *, is_empty: bool) -> None:
        run = self.run
        counts = counts_of(usage, _COUNTS)
        run.check_fields(usage, "pi usage", "usage.")
        if any(counts):
            run.add_tokens(_READS.tokens(counts))
            run.costs.add(run.amount_of(object_of(usage, "cost"), "total"))
            if counts.total is not None and counts.total != _READS.parts(counts):
                said = f"{counts.total:,} of {_READS.parts(counts):,}"
                run.caveats.add(
                    "W_CONTRADICTION", f"A total of tokens is not the sum of its parts: {said}."
                )
        elif not is_empty:
            run.tokens.note_missing()
            run.costs.add(None)
        run.end_message()

    def _read_result(self, message: Record, ms: int | None) -> None:
        details = object_of(message, "details")
        said = texts_in(message, "content")
        code = details.get("exitCode", _EXIT_CODE.search(said[-200:]))
        failed = is_true(message, "isError") or details.get("status") in ("error", "failed")
        changes = _LINE_NUMBER.sub(r"\1", changed_in(text_of(details, "diff")))
        self.run.add_result(
            ToolResult(
                text_or_empty(message, "toolCallId"),
                said,
                ms,
                failed=failed,
                exit_code=code,
                changes=changes,
            )
        )
