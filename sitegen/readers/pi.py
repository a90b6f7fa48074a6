"""Reads the sessions of Pi, and of OpenClaw, which is built on it: `sessions/*.jsonl`, `openclaw-session.jsonl`.

A session has a line for its header, for each message, and for each change of the model; since version 2 each line names
the one before it, and going back makes branches, all of which were paid for. What was sent does not include what was
cached. Costs are those of Pi's own list; where it knows none they are 0, which is unknown. `turns` are answers of the
model. Before each compaction OpenClaw keeps a copy of the session until then, with the same id; a session that was
forked begins with the lines of another one, which are older than its header.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import (
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
from sitegen.readers.common.trace import Record, Trace, changed_in, ends_of
from sitegen.steps import StepKind

_COUNTS = "input cacheRead cacheWrite output - - totalTokens"
_READS = CountRule(sent_includes_read=False, sent_includes_written=False)
_ENDS = ends_of("pi")
_EXIT_CODE = re.compile(r"Command exited with code (-?[0-9]{1,9})\)?\s*\Z")
_LINE_NUMBER = re.compile(r"^([+-]) *[0-9]+ ", re.MULTILINE)


class PiSession(Trace):
    """The lines of a session."""

    title = "Pi session"
    usage_follows = True
    kinds_of_fields = field_kinds(fact="provider", machine="cwd")
    knows = known("pi")

    _forked_ms: int | None = None

    def session(self, record: Record) -> str | None:
        is_header = record.get("type") == "session" and "timestamp" in record
        return text_of(record, "id") if is_header else None

    def take(self, record: Record) -> None:
        kind = record.get("type")
        time = self.time(record)
        if kind == "session" and not self.is_known and record.keys() >= {"timestamp", "id"}:
            self._take_header(record, time)
        if not self.is_known or kind == "session" or self.is_replay(kind, text_of(record, "id")):
            return
        if self._forked_ms is not None and time is not None and time < self._forked_ms:
            self.caveats.add("W_COPY", "It was forked: messages of the other session are left out.")
            return
        message = object_of(record, "message") if kind == "message" else record
        if message.get("role") == "user":
            self.resumed(time)
        at = self.at(time)
        if kind == "message":
            self._take_message(message, at, text_of(record, "id") or str(record.get("timestamp")))
        elif kind == "model_change":
            self.model = text_of(record, "modelId") or self.model
        elif kind == "thinking_level_change":
            self.fields["thinking level"] = record.get("thinkingLevel")
            self.see_effort(record, "thinkingLevel")
        elif kind == "session_info":
            self.session_title = text_of(record, "name") or self.session_title
        elif kind == "compaction":
            self.say(StepKind.COMPACTION, text_or_empty(record, "summary"), at)
        elif kind == "custom":
            self._name_program(text_or_empty(record, "customType"))
        elif kind in ("branch_summary", "custom_message"):
            self.say(StepKind.NOTICE, text_of(record, "summary") or texts_in(record, "content"), at)

    def _take_header(self, record: Record, time: int | None) -> None:
        self.is_known = True
        self.session_id, self.started_ms = text_of(record, "id"), self.at(time)
        self.model = text_of(record, "modelId")
        self.see_effort(record, "thinkingLevel")
        self.status = Status.INTERRUPTED
        self._forked_ms = (
            time if record.get("parentSession") or record.get("branchedFrom") else None
        )
        names = {
            "cwd": "cwd",
            "provider": "provider",
            "version": "format version",
            "thinkingLevel": "thinking level",
        }
        self.fields = {words: record[name] for name, words in names.items() if name in record}
        self._name_program(self.name)

    def _name_program(self, said: str) -> None:
        if said.startswith(("openclaw", "model-snapshot")):
            self.title = "OpenClaw session"

    def _take_message(self, message: Record, at: int | None, id_: str) -> None:
        role = text_of(message, "role")
        content = message.get("content")
        self.hold_against(message, "pi message", "message.")
        if role == "user":
            self.key(id_, at)
            self.go_on()
            self.say(StepKind.PROMPT, texts_of(content), at)
        elif role == "assistant":
            self.key(id_, at)
            self._take_answer(message, at, id_)
        elif role == "toolResult":
            self._take_result(message, at)
        elif role == "bashExecution":  # by the user
            said = (text_of(message, "command"), text_of(message, "output"))
            self.say(StepKind.NOTICE, "\n".join(filter(None, said)), at)
        elif role in ("custom", "branchSummary", "compactionSummary"):
            self.say(StepKind.NOTICE, text_of(message, "summary") or texts_of(content), at)
        else:
            self.strange(f"message.role {role}")

    def _take_answer(self, message: Record, at: int | None, id_: str) -> None:
        self.count_turn()
        self.model = text_of(message, "model") or self.model
        blocks = objects_of(message, "content")
        self.say_blocks(blocks, at, id_)
        self._take_usage(object_of(message, "usage"), is_empty=not blocks)
        reason = text_of(message, "stopReason")
        said = text_or_empty(message, "errorMessage")
        if reason in _ENDS:
            self.status, self.detail = _ENDS[reason]
        elif reason == "error":
            self.fail(said, at)
        else:
            self.set_status(Status.UNKNOWN)
            self.strange(f"message.stopReason {reason}")

    def _take_usage(self, usage: Record, *, is_empty: bool) -> None:
        counts = counts_of(usage, _COUNTS)
        self.hold_against(usage, "pi usage", "usage.")
        if any(counts):
            self.used(_READS.tokens(counts))
            self.paid(self.usd(object_of(usage, "cost"), "total"))
            if counts.total is not None and counts.total != _READS.parts(counts):
                said = f"{counts.total:,} of {_READS.parts(counts):,}"
                self.caveats.add(
                    "W_CONTRADICTION", f"A total of tokens is not the sum of its parts: {said}."
                )
        elif not is_empty:
            self.lack()
            self.paid(None)
        self.told()

    def _take_result(self, message: Record, at: int | None) -> None:
        details = object_of(message, "details")
        said = texts_in(message, "content")
        code = details.get("exitCode", _EXIT_CODE.search(said[-200:]))
        failed = is_true(message, "isError") or details.get("status") in ("error", "failed")
        changes = _LINE_NUMBER.sub(r"\1", changed_in(text_of(details, "diff")))
        self.answer(
            text_or_empty(message, "toolCallId"),
            said,
            at,
            failed=failed,
            exit_code=code,
            changes=changes,
        )
