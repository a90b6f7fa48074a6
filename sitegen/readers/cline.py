"""Reads the tasks of Cline, `tasks/<id>/ui_messages.json`: all that its window shows, in one list.

What a request used stands in the message that began it, as JSON in a text, and is added there when it ends; input
does not include what was cached. Requests that were deleted by going back to a checkpoint were spent, too. `turns` are
requests, also those that failed; retries are a further field. A cost of 0 beside tokens is a price that is not known,
or nobody's. The result of a call is stated for commands only. Roo and Kilo write the same form and were never seen;
with `apiProtocol` "openai" their input includes what was cached. Older versions name the model in another file.

A message is `say` or `ask`, with a time `ts` and a text, which may be JSON:

| Name | Meaning |
|--|--|
| `task`, `user_feedback` | a prompt |
| `api_req_started` | a request: `tokensIn`, `tokensOut`, `cacheReads`, `cacheWrites`, `cost` |
| `text`, `reasoning`, `completion_result` | an answer, a thought, the last answer |
| `tool`, `command`, `use_mcp_server`, `browser_action` | a call; `command_output` is the result of a command |
| `api_req_failed` and the like | how it ended unless the user goes on |
"""

import re

from sitegen.model import Status
from sitegen.readers.common.blocks import changed_by_blocks
from sitegen.readers.common.builder import Format
from sitegen.readers.common.endings import ended_by, ends_of
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    count_of,
    known,
    object_of,
    parsed,
    parsed_object,
    text_of,
    text_or_empty,
    without,
    words,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind, ToolKind

_COUNTS = "tokensIn cacheReads cacheWrites tokensOut"
_SILENT = known("cline silent")
_ANSWERED = words(
    "completion_result resume_completed_task followup plan_mode_respond act_mode_respond"
)
# Messages after which it goes on only if the user says so, and how it ended there; None where their text says it.
_FAILURES = {"api_req_failed": None, **ends_of("cline")}
_REQUIRES_APPROVAL = "REQ_APP"


class ClineTask(RecordReader):
    """The messages of a task."""

    format = Format("Cline task", usage_follows=True, tells_exit_codes=False)

    def begin(self) -> None:
        self._command = ""
        self._output: list[str] = []
        self._call_id = "#0"
        self._retries = 0

    def session_of(self, record: Record) -> str | None:
        is_old = record.get("say") == "text" and record.get("conversationHistoryIndex") == -1
        return str(record.get("ts")) if record.get("say") == "task" or is_old else None

    def read(self, record: Record) -> None:
        run = self.run
        kind = text_or_empty(record, "type")
        ms = count_of(record, "ts")
        name = text_of(record, kind)
        text = text_or_empty(record, "text")
        if kind not in ("say", "ask") or name is None or ms is None or ms < 10**12:
            return
        if not self.is_known:
            self.is_known, run.identity.substitute = True, str(ms)
            run.identity.session_id = (
                run.file.folder if re.fullmatch(r"\d{13}", run.file.folder) else None
            )
            run.status = Status.INTERRUPTED
            name = "task" if name == "text" else name
        if name in ("user_feedback", "user_feedback_diff"):
            run.start_turn(ms)
        run.see_time(ms)
        model = object_of(record, "modelInfo")
        run.model = text_of(model, "modelId") or run.model
        run.fields |= {each: model[each] for each in ("providerId", "mode") if each in model}
        run.check_fields(record, "cline")
        if name != "command_output":
            self._end_command(ms)
        self._read_message(kind, name, text, ms)
        run.end_message()  # what a message used stands before it

    def _read_message(self, kind: str, name: str, text: str, ms: int) -> None:
        run = self.run
        said = parsed_object(text)
        if name in ("task", "user_feedback", "user_feedback_diff"):
            run.add_key(name, ms, text)
            run.go_on()
            run.add_text(StepKind.PROMPT, text, ms)
        elif name in ("api_req_started", "deleted_api_reqs", "subagent_usage"):
            self._read_request(said, is_one=name == "api_req_started", ms=ms)
        elif name == "reasoning":
            run.add_text(StepKind.THINKING, text, ms)
        elif name == "text" or name in _ANSWERED:
            self._read_text(
                kind, name, text_of(said, "question") or text_of(said, "response") or text, ms
            )
        elif name in (
            "tool",
            "use_mcp_server",
            "browser_action_launch",
            "browser_action",
            "use_subagents",
        ):
            self._read_call(name, said, text, ms)
        elif name == "command":
            self._read_command(text.removesuffix(_REQUIRES_APPROVAL), ms)
        elif name == "command_output":
            self._output += [text] if text else []
        elif name in ("mcp_server_response", "browser_action_result"):
            run.add_result(ToolResult(self._call_id, text, ms))
        elif name in ("error", "diff_error", "clineignore_error", *_FAILURES):
            error = text_of(said, "message") or text
            run.add_error(error, ms)
            if name in _FAILURES:
                run.end(*(_FAILURES[name] or ended_by(error)))
        elif name == "resume_task":
            run.go_on()
        elif name == "error_retry":
            self._retries += 1
            run.fields["retries"] = self._retries
        elif name in ("condense", "condense_context"):
            run.add_text(StepKind.COMPACTION, text, ms)
        elif name not in _SILENT:
            run.note_unknown(f"{kind} {name}")

    def _read_text(self, kind: str, name: str, text: str, ms: int) -> None:
        if text.strip() and text != self.run.summary:
            self.run.add_text(StepKind.TEXT, text, ms)
        if kind == "ask" or name == "completion_result":
            self.run.end(Status.OK)

    def _read_request(self, usage: Record, *, is_one: bool, ms: int) -> None:
        run = self.run
        run.check_fields(usage, "cline request", "api_req_started.")
        if is_one:
            run.add_key("request", ms)
            run.count_turn()
            run.go_on()
        counts = counts_of(usage, _COUNTS)
        is_inside = usage.get("apiProtocol") == "openai"
        if any(counts):
            rule = CountRule(is_inside, is_inside)
            run.add_tokens(rule.tokens(counts), is_request=is_one)
            if not rule.fits(counts):
                run.tokens.is_lower_bound = True
                run.caveats.add(
                    "W_CONTRADICTION", "A request has more cached than sent tokens: a lower bound."
                )
            run.costs.add(run.amount_of(usage, "cost"))
        elif is_one and usage.get("cancelReason") != "streaming_failed":
            run.tokens.note_missing()
            run.costs.add(None)
        if failed := text_of(usage, "streamingFailedMessage"):
            run.add_error(text_of(parsed_object(failed), "message") or failed, ms)

    def _read_call(self, name: str, said: Record, text: str, ms: int) -> None:
        run = self.run
        if run.identity.is_repeated(name, text, run.turns):
            return  # what is asked may be said again
        self._call_id = run.tools.next_id()
        tool = text_of(said, "tool") or text_of(said, "toolName") or name
        if tool == "summarizeTask":
            run.add_text(StepKind.COMPACTION, text_or_empty(said, "content"), ms)
            return
        arguments = parsed(said.get("arguments"))
        if not isinstance(arguments, dict):
            arguments = without(said, "tool")
        call = run.add_call(self._call_id, tool, arguments, ms)
        if call.tool is ToolKind.EDIT:
            content = text_of(said, "diff") or text_or_empty(said, "content")
            changes, lines = next(iter(changed_by_blocks(content).values()), ("", None))
            if tool == "newFileCreated" and content:
                changes = "\n".join(f"+{line}" for line in content.split("\n"))
                lines = changes.count("\n") + 1, 0
            run.add_result(ToolResult(self._call_id, "", ms, changes=changes, lines=lines))

    def _read_command(self, command: str, ms: int) -> None:
        if not self.run.identity.is_repeated("command", command, self.run.turns):
            self._call_id = self.run.tools.next_id()
            self._command = self._call_id
            self.run.add_call(self._command, "execute_command", {"command": command}, ms)

    def _end_command(self, ms: int) -> None:
        """End a command whose output is whole."""
        if self._output and self._command:
            self.run.add_result(ToolResult(self._command, "\n".join(self._output), ms))
            self._command = ""
        self._output.clear()

    def finish(self) -> None:
        self._end_command(self.run.clock.last_ms or 0)
        self.run.note_no_usage()
