"""Reads the records that Claude Code's streams, arrays and transcripts share.

A message is written in several lines, each with some of its blocks, and a call is answered in a later one.

| Record | Meaning |
|--|--|
| `assistant` | blocks of a message of a model: texts, thoughts, calls; `usage` is that of the whole message so far |
| `user` | a prompt, or the results of calls (`tool_result`), with details in `toolUseResult` |
| `system` | a compaction, a hook, an error of the API, a denial, a notice, by its `subtype` |
| `attachment`, `queue-operation` | a prompt that was given while the agent worked |
| `result` | the end of a part of the session: all answers until then are counted in it |
"""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

from sitegen.model import Tokens
from sitegen.readers.claude.contents import (
    blocks_in,
    changed_lines,
    changes_of,
    rates_of,
    size_of,
    text_in,
    tokens_of,
)
from sitegen.readers.claude.endings import decide, end_told
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.common.call_counts import digest_of
from sitegen.readers.common.identity import Known
from sitegen.readers.common.ledger import AnswerUsage
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    ms_of,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    value_at,
)
from sitegen.readers.common.step_log import MAX_OPEN, PendingCall
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.tool_names import purpose_of, target_of
from sitegen.readers.common.values import Caveats, Fields
from sitegen.readers.common.writers import MARKED, MAX_TOOLS, writer_of
from sitegen.steps import StepKind, ToolKind

OWNER = "Claude Code"
"""The agent whose records these are, unless a mark shows that another program wrote them."""
MODELS = re.compile(r"(?i)claude|anthropic|opus|sonnet|haiku|<synthetic>|\barn:")
"""Parts of the names of its models: of gateways, too, and aliases."""
_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit code ([0-9]{1,5})\b")
_IN_BACKGROUND = re.compile(
    r"\s*Command (?:was )?running in (?:the )?background with ID: ([\w-]{1,64})"
)
_NOT_PERMITTED = re.compile(
    r"\s*(?:<tool_use_error>|Error: )?(?:The user doesn['’]t want to (?:proceed with|take) this|"
    r"Claude requested permissions? to|This (?:Bash )?command (?:requires|contains [^\n]{0,200} requires?) approval|"
    r"Permission to use [^\n]{0,200} has been denied|[^\n]{0,200}? was blocked\. For security)"
)
# The beginnings of texts that are in the place of prompts but are not prompts.
_NOTICES = (
    "[Request interrupted",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
)
_SLASH_COMMAND = re.compile(r"\s*/[a-z][\w:-]*(?:\s|\Z)")
_WITH_EFFORT = ("assistant", "system", "result")
# The kinds of records that may name the program behind the first step, too.
_MARKED_KINDS = ("system", "result", "completion")
# Characters of an id that a provider gives but once; gateways and tests have shorter ones.
_UNIQUE_ID = 20
_MAX_COMPARED = 1_000  # characters of an answer that tell it from others with its id


class Lanes:
    """Tells which subagent a record is of."""

    def __init__(self) -> None:
        self._starters: dict[str, str] = {}  # the open call that starts a subagent with a text
        # The lane of each record of a subagent that stands in the file of its main agent.
        self._by_record: dict[str, str] = {}

    @property
    def count(self) -> int:
        """The subagents whose records stand in the file of their main agent."""
        return len(set(self._by_record.values()))

    def add_starter(self, prompt: str, call_id: str) -> None:
        """Note the call that starts a subagent."""
        if len(self._starters) < MAX_OPEN:
            self._starters[prompt] = call_id

    def drop_starter(self, prompt: object) -> None:
        """Forget a call that has its result."""
        self._starters.pop(str(prompt), None)

    def lane_of(self, record: Record) -> str:
        """Return the call that started the subagent of a record, or the subagent's id; "" for the main agent."""
        caller = record.get("parent_tool_use_id")
        if isinstance(caller, str):
            return caller
        if not is_true(record, "isSidechain"):
            return ""
        if agent := text_of(record, "agentId"):
            return agent
        uuid = text_of(record, "uuid")
        starter = self._starters.get(text_in(value_at(record, "message.content")))
        known = self._by_record.get(text_or_empty(record, "parentUuid"))
        lane = known or starter or uuid or "sidechain"
        if uuid is not None:
            self._by_record[uuid] = lane
        return lane


class _LastAnswer(NamedTuple):
    """The last answer with an id of a message."""

    number: int
    """The number of answers with this id."""
    turn: int
    sent: int | None


class AnswerIds:
    """Tells answers of models apart, and those that other files have."""

    def __init__(self) -> None:
        self.turns: Counter[str] = Counter()
        """Prompts, and messages with results of tools, by lane."""
        self._last: dict[tuple[str, str], _LastAnswer] = {}
        # The turn in which other files have an answer with this id.
        self._copied: dict[tuple[str, str], int] = {}
        self._lines: set[object] = set()

    def identify(
        self, record: Record, lane: str, id_: str, sent: int | None, run: RunBuilder
    ) -> tuple[Hashable, int]:
        """Return what identifies an answer in this file, None where other files have it; and what identifies it in
        others.

        It is the id of its message, unless a gateway gives the same one to several answers: then prompts or results of
        tools stand between them, and the later ones send more.
        """
        place = (lane, id_)
        turn = self.turns[lane]
        last = self._last.get(place)
        if id_ and sent is None and last is not None:
            sent = last.sent
        is_new = last is None or _is_another(last, turn, sent, has_id=bool(id_))
        number = (last.number if last else 0) + is_new
        self._last[place] = _LastAnswer(number, turn, sent)
        digest = digest_of(_name_of_answer(record, id_, number, sent))
        if is_new and run.identity.is_copy(digest):
            self._copied[place] = turn
        elif is_new:
            self._copied.pop(place, None)
        return (None if place in self._copied else (*place, number)), digest

    def is_repeated(self, record: Record, id_: str, blocks: Sequence[Record]) -> bool:
        """Return whether a line is a copy of another one in this file, with a uuid of its own."""
        if "timestamp" not in record or not id_:
            return False
        block = blocks[0] if blocks else {}
        words = block.get("id") or block.get("text") or block.get("thinking")
        words = words if isinstance(words, str) else None
        line = (str(record.get("timestamp")), id_, str(block.get("type")), words)
        if line in self._lines:
            return True
        self._lines.add(line)
        return False


def _is_another(last: _LastAnswer, turn: int, sent: int | None, *, has_id: bool) -> bool:
    has_other_input = sent != last.sent
    if has_id:
        return turn != last.turn and has_other_input
    return turn != last.turn or has_other_input


def _name_of_answer(record: Record, id_: str, number: int, sent: int | None) -> str:
    if len(id_) >= _UNIQUE_ID and number == 1:
        return id_
    content = text_in(value_at(record, "message.content"))
    moment = record.get("timestamp") or record.get("session_id")
    return f"{id_} {moment} {record.get('agentId')} {sent} {content[:_MAX_COMPARED]}"


class _StatedUsage(NamedTuple):
    """The usage that a line stated, which the next lines of its message state again."""

    key: Hashable
    usage: Record
    answer: AnswerUsage


class ClaudeMessages:
    """Says what the records of a session mean."""

    def __init__(self, run: RunBuilder, known: Known, *, contents: bool) -> None:
        """`known` are the marks of what other files have: what is read is added."""
        run.identity.known = known
        self.answer_ids = AnswerIds()
        self.lanes = Lanes()
        self.cache_in_input = False
        """Whether its input includes what is cached, unless a total says otherwise."""
        self.main_answers = 0
        self.settled_answers = 0
        """Answers that a result has counted."""
        self.settled_main_answers = 0
        self.ends_in_call = False
        """Whether a result follows a call without its result."""
        self._run = run
        self._contents = contents
        self._is_prompt = (
            False  # whether the record is a prompt of the main agent, or a command of its user
        )
        self._calls: set[str] = set()
        self._queued: Counter[str] = Counter()  # prompts that were given while the agent worked
        self._has_queued_prompt = False  # whether one is in the queue
        self._resumed_ms: int | None = None  # the first time after the last result
        self._stated = _StatedUsage(None, {}, AnswerUsage(None, Tokens()))
        # Commands that run in the background, by the id that waits for them name.
        self._background: dict[str, str] = {}
        self._note_writer()

    @property
    def unsettled(self) -> list[AnswerUsage]:
        """Answers that no result has counted."""
        return list(self._run.tokens.answers.values())[self.settled_answers :]

    @property
    def unsettled_main_answers(self) -> int:
        """Answers of the main agent that no result has counted."""
        return self.main_answers - self.settled_main_answers

    @property
    def unsettled_ms(self) -> int | None:
        """The time since the first record after the last result; None where records have none."""
        last_ms = self._run.clock.last_ms
        if self._resumed_ms is None or last_ms is None:
            return None
        return last_ms - self._resumed_ms

    def read(self, record: Record, lane: str | None) -> None:
        """Read a record. One that was read before, by its uuid, counts once. `lane` is that of a record that does not
        state it."""
        run = self._run
        kind = record.get("type")
        self._is_prompt = False
        run.model = None
        is_marked = kind in _MARKED_KINDS or not run.steps.count
        if is_marked and not MARKED.isdisjoint(record):
            run.marks.take(record)
            self._note_writer()
        if self._is_copy(record, kind):
            return
        if lane is None and kind in ("assistant", "user"):
            lane = self.lanes.lane_of(record)
        run.lane = lane or ""
        if kind in _WITH_EFFORT and run.lane == run.main_lane:
            run.see_effort(record, "message.effort effort")
        if kind == "assistant":
            self._read_message(record, object_of(record, "message"))
        elif kind == "user":
            self._read_user(record)
        elif kind == "system":
            self._read_system(record)
        elif kind == "attachment":
            self._read_attachment(record, object_of(record, "attachment"))
        elif kind == "queue-operation":
            self._read_queue_operation(record)
        elif kind == "result":
            self._read_result(record)

    def _is_copy(self, record: Record, kind: object) -> bool:
        uuid = text_of(record, "uuid")
        if uuid is None:
            return False
        if kind == "result":
            uuid = f"result {uuid}"  # some programs give all records that of their session
        # Some programs count from 1 in each session.
        return self._run.identity.is_copy(f"{uuid} {record.get('timestamp')}")

    def _note_writer(self) -> None:
        writer = writer_of(OWNER, self._run.marks, self._run.file.path)
        self.cache_in_input |= writer.counts_cache_as_input

    def _see_time(self, record: Record) -> int | None:
        ms = self._run.see_time(ms_of(record, "timestamp"))
        if self._resumed_ms is None:
            self._resumed_ms = ms
        return ms

    def _read_result(self, record: Record) -> None:
        """Read the end of a part: it counts all answers up to it."""
        result = Fields(record)
        errors = (result.text("error"), result.text("result") if result.flag("is_error") else None)
        status, detail = decide(result, tuple(filter(None, errors)), Caveats())
        self.ends_in_call = self._run.ends_in_call
        text = f"{status.value}: {detail}" if detail else status.value
        self._run.add_text(StepKind.RESULT, text, self._see_time(record))
        self._run.part += 1
        self.settled_answers = len(self._run.tokens.answers)
        self.settled_main_answers = self.main_answers
        self._resumed_ms = None

    # Answers of models.

    def _read_message(self, record: Record, message: Record) -> None:
        blocks = objects_of(message, "content")
        if message.get("model") == "<synthetic>" or is_true(record, "isApiErrorMessage"):
            self._read_program_message(record, text_in(blocks))
            return
        self._run.model = text_of(message, "model")
        id_ = text_or_empty(message, "id").strip()
        usage = object_of(message, "usage")
        # Lines of one message state its usage again.
        is_known = usage == self._stated.usage
        tokens = self._stated.answer.tokens if is_known else self._tokens_of(usage)
        lane = self._run.lane
        key, digest = self.answer_ids.identify(record, lane, id_, tokens.sent, self._run)
        if key is None or self.answer_ids.is_repeated(record, id_, blocks):
            self._calls.update(text_or_empty(block, "id") for block in blocks)
            return
        self._add_blocks(blocks, self._see_time(record), id_)
        if tokens.total is not None or (blocks and key not in self._run.tokens.answers):
            is_placeholder = "stop_reason" in message and message["stop_reason"] is None
            is_placeholder &= tokens.output is not None
            answer = AnswerUsage(None, tokens, is_placeholder=is_placeholder, digest=digest)
            stated = _StatedUsage(key, usage, answer)
            if stated != self._stated:
                self._stated = stated
                self._add_usage(usage, key, answer)
        self._run.end_message()

    def _read_program_message(self, record: Record, text: str) -> None:
        """Read what the program put in the place of an answer."""
        is_error = is_true(record, "isApiErrorMessage") or bool(record.get("error"))
        is_error = is_error or end_told(text) is not None
        kind = StepKind.API_ERROR if is_error else StepKind.NOTICE
        self._run.add_text(kind, text, self._see_time(record))

    def _add_blocks(self, blocks: Sequence[Record], ms: int | None, message_id: str) -> None:
        for block in blocks:
            kind = block.get("type")
            text = text_or_empty(block, "text")
            if kind == "text" and text.strip():
                self._run.add_text(StepKind.TEXT, text, ms, message_id)
            elif kind in ("thinking", "redacted_thinking"):
                thought = text_or_empty(block, "thinking")
                self._run.add_text(StepKind.THINKING, thought, ms, message_id)
            elif kind in ("tool_use", "server_tool_use"):
                self._add_call(block, ms, message_id)

    def _tokens_of(self, usage: Record) -> Tokens:
        tokens = tokens_of(usage, cache_in_input=self.cache_in_input)
        if "total_tokens" in usage and tokens.input != count_of(usage, "input_tokens"):
            self.cache_in_input = True
        return tokens

    def _add_usage(self, usage: Record, key: Hashable, answer: AnswerUsage) -> None:
        run = self._run
        sent = answer.tokens.sent
        known = run.tokens.answers.get(key)
        if known is None and not run.lane:
            self.main_answers += 1
        if sent and (known is None or not known.tokens.sent):
            run.tools.counts.grew(run.lane, sent)
        searches = count_of(object_of(usage, "server_tool_use"), "web_search_requests")
        run.add_answer(key, answer._replace(rates=rates_of(usage), searches=searches))
        iterations = objects_of(usage, "iterations") if "iterations" in usage else []
        for number, iteration in enumerate(iterations):
            if str(iteration.get("type")).startswith(("advisor", "compaction")):
                run.model = text_of(iteration, "model") or run.model
                asked = AnswerUsage(None, self._tokens_of(iteration), rates_of(iteration))
                run.add_answer((key, number), asked, is_own=False)

    # Calls and their results.

    def _add_call(self, block: Record, ms: int | None, message_id: str | None) -> None:
        id_ = text_or_empty(block, "id")
        name = text_or_empty(block, "name")
        arguments = object_of(block, "input")
        if id_ in self._calls:
            return
        if len(self._run.marks.tools) < MAX_TOOLS:
            self._run.marks.tools.add(name)
        if id_:
            self._calls.add(id_)
        call = self._run.add_call(id_, name, arguments, ms, message_id)
        task = text_of(arguments, "task_id") or text_or_empty(arguments, "bash_id")
        call.about = self._background.get(task, "")
        prompt = text_of(arguments, "prompt")
        if call.tool is ToolKind.TASK and id_ and prompt:
            self.lanes.add_starter(prompt, id_)

    def _read_tool_result(
        self, record: Record, block: Record, details: Record, ms: int | None = None
    ) -> None:
        """Read a result of a tool, given at the time of its record, or then."""
        id_ = text_or_empty(block, "tool_use_id")
        content = block.get("content")
        open_step = self._run.steps.open.get(id_)
        if open_step is None or open_step.call is None:
            if id_ not in self._calls:
                sent_ms = ms_of(record, "timestamp")
                take = partial(self._read_tool_result, {}, block, details, sent_ms)
                self._run.tools.hold_result(id_, size_of(content), take)
            return
        call = open_step.call
        ms = self._see_time(record) if ms is None else ms
        self._run.add_result(self._result_of(call, block, details, ms))
        if not self._contents:
            call.result = None  # it may wait for long
        task = _IN_BACKGROUND.match(text_in(content)) if call.tool is ToolKind.RUN else None
        if task and len(self._background) < MAX_OPEN:
            self._background[task[1]] = purpose_of(call.input) or target_of(call.input)
        if call.tool is ToolKind.TASK:
            self.lanes.drop_starter(call.input.get("prompt"))
            open_step.starts = text_or_empty(details, "agentId")

    def _result_of(
        self, call: PendingCall, block: Record, details: Record, ms: int | None
    ) -> ToolResult:
        content = block.get("content")
        text = text_in(content)
        failed = is_true(block, "is_error")
        is_edit = call.tool is ToolKind.EDIT
        return ToolResult(
            call.id,
            text,
            ms,
            failed=failed,
            denied=failed and _NOT_PERMITTED.match(text) is not None,
            exit_code=_exit_code(details, text) if call.tool is ToolKind.RUN else None,
            changes=changes_of(call.input, details) if is_edit and self._contents else "",
            lines=changed_lines(call.input, details) if is_edit and not failed else None,
            size=size_of(content),
        )

    # Prompts.

    def _read_user(self, record: Record) -> None:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if isinstance(content, list):
            blocks = blocks_in(content)
            results = [block for block in blocks if block.get("type") == "tool_result"]
            if results:
                self._read_tool_results(record, results)
                return
            content = text_in(blocks)
        if is_true(record, "isMeta") or is_true(record, "isCompactSummary"):
            return
        if isinstance(content, str) and content.strip():
            self._is_prompt = not self._run.lane
            self.answer_ids.turns[self._run.lane] += 1
            self._read_prompt(record, content)

    def _read_tool_results(self, record: Record, results: Sequence[Record]) -> None:
        details = record.get("toolUseResult", record.get("tool_use_result"))
        if len(results) > 1 or not isinstance(details, dict):
            details = {}
        for block in results:
            self._read_tool_result(record, block, details)
        self.answer_ids.turns[self._run.lane] += 1

    def _read_attachment(self, record: Record, attachment: Record) -> None:
        if attachment.get("type") == "queued_command":
            self._read_prompt(record, text_in(attachment.get("prompt")))

    def _read_queue_operation(self, record: Record) -> None:
        """Read that a prompt is put into the queue, or taken out of it where that begins a turn."""
        operation = record.get("operation")
        if operation == "enqueue":
            text = text_in(record.get("content"))
            if not _SLASH_COMMAND.match(text):
                self._read_prompt(record, text, is_queued=True)
                self._queued[text.strip()] += 1
        elif operation == "dequeue" and self._has_queued_prompt and not self._run.steps.open:
            self._has_queued_prompt = False
            self._run.start_turn(ms_of(record, "timestamp"))

    def _read_prompt(self, record: Record, text: str, *, is_queued: bool = False) -> None:
        """Read a prompt, or a notice of the program, unless it was queued before or is a copy."""
        ms = ms_of(record, "timestamp")
        if not text.strip() or self._is_known_prompt(record, text, ms):
            return
        kind = StepKind.NOTICE if text.lstrip().startswith(_NOTICES) else StepKind.PROMPT
        if self._is_prompt:
            self._run.start_turn(ms)
        is_waiting = is_queued and kind is StepKind.PROMPT
        if is_waiting and self._run.clock.first_ms is not None:
            # Nobody worked on it yet, so its time does not count as work.
            self._has_queued_prompt = True
        else:
            self._run.see_time(ms)
        if self._queued[text.strip()] > 0:
            self._queued[text.strip()] -= 1
        else:
            self._run.add_text(kind, text, ms)

    def _is_known_prompt(self, record: Record, text: str, ms: int | None) -> bool:
        if ms is None:
            return False
        return self._run.identity.is_copy(digest_of(f"{ms} {record.get('type')} {text}"))

    # What the program says.

    def _read_system(self, record: Record) -> None:
        step = _step_of(record)
        if step is None:
            return
        kind, content = step
        if isinstance(content, str):
            text = content
        else:
            text = "" if content is None else str(content)[:100]
        time = record.get("timestamp")
        name = f"{time} {record.get('subtype')} {text}"
        if time is None or not self._run.identity.is_copy(digest_of(name)):
            self._run.add_text(kind, text, self._see_time(record))


def _exit_code(details: Record, text: str) -> object:
    """Return the exit code of a command, as the program keeps it, else as its text begins with it."""
    code = details.get("exitCode")
    is_code = type(code) is int and 0 <= code < 2**31
    return code if is_code else _EXIT_CODE.match(text)


def _step_of(record: Record) -> tuple[StepKind, object] | None:
    """Return the kind of step that a record of the program is, and what it says; None where it is none."""
    kind = record.get("subtype")
    if kind == "compact_boundary":
        return StepKind.COMPACTION, record.get("content")
    if kind in ("stop_hook_summary", "hook_response"):
        commands = (text_of(info, "command") for info in objects_of(record, "hookInfos"))
        return StepKind.HOOK, record.get("hook_name") or ", ".join(filter(None, commands))
    if kind in ("api_error", "api_retry"):
        is_retry = kind == "api_retry" or bool(record.get("retryAttempt"))
        error = record.get("error")
        message = error.get("message") if isinstance(error, dict) else error
        text = message or record.get("error_status")
        return (StepKind.RETRY if is_retry else StepKind.API_ERROR), text
    if kind == "permission_denied":
        return StepKind.DENIAL, record.get("tool_name")
    if kind == "task_notification":
        return StepKind.NOTICE, record.get("summary")
    return None
