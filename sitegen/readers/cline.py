"""Reads the tasks of Cline, `tasks/<id>/ui_messages.json`: all that its window shows, in one list.

What a request used stands in the message that began it, as JSON in a text, and is added there when it ends; input
does not include what was cached. Requests that were deleted by going back to a checkpoint were spent, too. `turns` are
requests, also those that failed; retries are a further field. A cost of 0 beside tokens is a price that is not known,
or nobody's. The result of a call is stated for commands only. Roo and Kilo write the same form and were never seen;
with `apiProtocol` "openai" their input includes what was cached. Older versions name the model in another file.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.blocks import changed_by_blocks
from sitegen.readers.common.records import (
    count_of,
    known,
    object_of,
    parsed,
    parsed_object,
    text_of,
    text_or_empty,
    words,
)
from sitegen.readers.common.stated import CountRule, counts_of
from sitegen.readers.common.trace import Record, Trace, ends_of
from sitegen.steps import StepKind, ToolKind

_COUNTS = "tokensIn cacheReads cacheWrites tokensOut"
_SILENT = known("cline silent")
_ANSWERED = words(
    "completion_result resume_completed_task followup plan_mode_respond act_mode_respond"
)
# Messages after which it goes on only if the user says so, and how it ended there; None where their text says it.
_FAILURES = {"api_req_failed": None, **ends_of("cline")}
_REQUIRES_APPROVAL = "REQ_APP"


class ClineTask(Trace):
    """The messages of a task."""

    title = "Cline task"
    usage_follows = True
    tells_exit_codes = False

    def begin(self) -> None:
        self._command = ""
        self._output: list[str] = []
        self._call_id = "#0"
        self._retries = 0

    def session(self, record: Record) -> str | None:
        is_old = record.get("say") == "text" and record.get("conversationHistoryIndex") == -1
        return str(record.get("ts")) if record.get("say") == "task" or is_old else None

    def take(self, record: Record) -> None:
        kind = text_or_empty(record, "type")
        at = count_of(record, "ts")
        name = text_of(record, kind)
        text = text_or_empty(record, "text")
        if kind not in ("say", "ask") or name is None or at is None or at < 10**12:
            return
        if not self.is_known:
            self.is_known, self.known_as = True, str(at)
            self.session_id = self.above if re.fullmatch(r"\d{13}", self.above) else None
            self.status = Status.INTERRUPTED
            name = "task" if name == "text" else name
        if name in ("user_feedback", "user_feedback_diff"):
            self.resumed(at)
        self.at(at)
        model = object_of(record, "modelInfo")
        self.model = text_of(model, "modelId") or self.model
        self.fields |= {each: model[each] for each in ("providerId", "mode") if each in model}
        self.hold_against(record, "cline")
        if name != "command_output":
            self._end_command(at)
        self._take_message(kind, name, text, at)
        self.told()  # what a message used stands before it

    def _take_message(self, kind: str, name: str, text: str, at: int) -> None:
        said = parsed_object(text)
        if name in ("task", "user_feedback", "user_feedback_diff"):
            self.key(name, at, text)
            self.go_on()
            self.say(StepKind.PROMPT, text, at)
        elif name in ("api_req_started", "deleted_api_reqs", "subagent_usage"):
            self._take_request(said, is_one=name == "api_req_started", at=at)
        elif name == "reasoning":
            self.say(StepKind.THINKING, text, at)
        elif name == "text" or name in _ANSWERED:
            self._take_text(
                kind, name, text_of(said, "question") or text_of(said, "response") or text, at
            )
        elif name in (
            "tool",
            "use_mcp_server",
            "browser_action_launch",
            "browser_action",
            "use_subagents",
        ):
            self._take_call(name, said, text, at)
        elif name == "command":
            self._take_command(text.removesuffix(_REQUIRES_APPROVAL), at)
        elif name == "command_output":
            self._output += [text] if text else []
        elif name in ("mcp_server_response", "browser_action_result"):
            self.answer(self._call_id, text, at)
        elif name in ("error", "diff_error", "clineignore_error", *_FAILURES):
            error = text_of(said, "message") or text
            self.error(error, at)
            if name in _FAILURES:
                self.status, self.detail = _FAILURES[name] or self.failure(error)
        elif name == "resume_task":
            self.go_on()
        elif name == "error_retry":
            self._retries += 1
            self.fields["retries"] = self._retries
        elif name in ("condense", "condense_context"):
            self.say(StepKind.COMPACTION, text, at)
        elif name not in _SILENT:
            self.strange(f"{kind} {name}")

    def _take_text(self, kind: str, name: str, text: str, at: int) -> None:
        if text.strip() and text != self.summary:
            self.say(StepKind.TEXT, text, at)
        if kind == "ask" or name == "completion_result":
            self.set_status(Status.OK)

    def _take_request(self, usage: Record, *, is_one: bool, at: int) -> None:
        self.hold_against(usage, "cline request", "api_req_started.")
        if is_one:
            self.key("request", at)
            self.count_turn()
            self.go_on()
        counts = counts_of(usage, _COUNTS)
        is_inside = usage.get("apiProtocol") == "openai"
        if any(counts):
            rule = CountRule(is_inside, is_inside)
            self.used(rule.tokens(counts), context=is_one)
            if not rule.fits(counts):
                self.is_lower_bound = True
                self.caveats.add(
                    "W_CONTRADICTION", "A request has more cached than sent tokens: a lower bound."
                )
            self.paid(self.usd(usage, "cost"))
        elif is_one and usage.get("cancelReason") != "streaming_failed":
            self.lack()
            self.paid(None)
        if failed := text_of(usage, "streamingFailedMessage"):
            self.error(text_of(parsed_object(failed), "message") or failed, at)

    def _take_call(self, name: str, said: Record, text: str, at: int) -> None:
        if self.is_replay(name, text, self.turns):
            return  # what is asked may be said again
        self._call_id = self.next_id()
        tool = text_of(said, "tool") or text_of(said, "toolName") or name
        if tool == "summarizeTask":
            self.say(StepKind.COMPACTION, text_or_empty(said, "content"), at)
            return
        inner = parsed(said.get("arguments"))
        given = (
            inner if isinstance(inner, dict) else {key: said[key] for key in said if key != "tool"}
        )
        begun = self.ask(self._call_id, tool, given, at)
        if begun.tool is ToolKind.EDIT:
            content = text_of(said, "diff") or text_or_empty(said, "content")
            changes, lines = next(iter(changed_by_blocks(content).values()), ("", None))
            if tool == "newFileCreated" and content:
                changes = "\n".join(f"+{line}" for line in content.split("\n"))
                lines = changes.count("\n") + 1, 0
            self.answer(self._call_id, "", at, changes=changes, lines=lines)

    def _take_command(self, command: str, at: int) -> None:
        if not self.is_replay("command", command, self.turns):
            self._call_id = self.next_id()
            self._command = self._call_id
            self.ask(self._command, "execute_command", {"command": command}, at)

    def _end_command(self, at: int) -> None:
        """End a command whose output is whole."""
        if self._output and self._command:
            self.answer(self._command, "\n".join(self._output), at)
            self._command = ""
        self._output.clear()

    def end(self) -> None:
        self._end_command(self.last_ms or 0)
        self.uncounted()
