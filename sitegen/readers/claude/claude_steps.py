"""Records of Claude Code, of streams, arrays and transcripts alike.

A message is written in several lines, each with some of its blocks, and a call is answered in a later one.
"""

import re
from collections import Counter, deque
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import count, islice
from typing import Any

from sitegen.model import Run, Status, Tokens
from sitegen.readers.common.call_counts import bytes_of, digest_of
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import (
    count_of,
    is_true,
    ms_of,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    value_at,
)
from sitegen.readers.common.tool_names import purpose_of, target_of
from sitegen.readers.common.trace import (
    MAX_OPEN,
    ONLY,
    SESSION,
    Answer,
    Begun,
    Known,
    Record,
    Trace,
    ends_of,
    limit_in,
    lines_of,
)
from sitegen.readers.common.values import Caveats, Fields, beginning, brief
from sitegen.readers.common.writers import MARKED, MAX_TOOLS, held_to_total, writer_of
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind, ToolKind

# How a run of Claude Code ended, decided from everything its last result says.
# No field decides alone: `subtype` was `success` beside `is_error: true` in a tenth of real results, the meaning of
# `is_error` for a turn limit flipped between versions, and older versions put the sentence of a usage limit where the
# summary stands. The order here is: limits the user set, then what the error text says, then the reasons newer
# versions name, then the flag.

_LIMITS = ends_of("subtype")
_KNOWN_SUBTYPES = frozenset({"success", "error", "error_during_execution", *_LIMITS})
# `terminal_reason` of SDK 0.2.90 to 0.3.329. "completed" decides nothing: failed logins are that, too.
_ENDINGS = ends_of("terminal_reason")
# The beginnings of error texts, the most telling first.
_SAID = [
    (re.compile(sign, re.IGNORECASE), end)
    for sign, end in ends_of("message of Claude Code").items()
]
# The `stop_reason` beside an empty result; other reasons are those of a model that has nothing to say.
_NO_ANSWERS = ends_of("stop_reason without an answer")


FIELDS = ("subtype", "is_error", "terminal_reason", "stop_reason", "api_error_status")
"""The fields that decide; they are listed unchanged as well, because only the outcome is shown."""


def decide(last: Fields, said: Sequence[str], caveats: Caveats) -> tuple[Status, str | None]:
    """Return the status, and why in two or three words, from the last result and the texts of its errors."""
    record = last.record
    subtype, reason, is_error = (
        last.text("subtype"),
        last.text("terminal_reason"),
        last.flag("is_error"),
    )
    answered = record.get("structured_output") is not None or bool(
        (last.text("result") or "").strip()
    )
    if not answered and record.get("result") is None and subtype in (None, "success"):
        caveats.add("W_MISSING", "The result has no text.")
    if subtype is not None and subtype not in _KNOWN_SUBTYPES:
        caveats.add("W_UNKNOWN", f"The subtype {brief(subtype)} is unknown.")
    if reason not in (None, "completed", *_ENDINGS):
        caveats.add("W_UNKNOWN", f"The terminal_reason {brief(reason)} is unknown.")
    if subtype in _LIMITS:
        return _LIMITS[subtype]
    if record.get("startup_failure_reason") is not None:
        return Status.STOPPED, "startup failed"
    http = last.count("api_error_status")
    http = http if http is not None and http >= 400 else None
    if found := next(filter(None, map(end_said, said)), None):
        status, detail = found
        return status, f"API error {http}" if detail == "API error" and http else detail
    ending = _ENDINGS.get(reason or "")
    if ending and ending[0] is not Status.OK:
        return ending
    if http:
        return Status.STOPPED, f"API error {http}"
    if is_error or (subtype or "").startswith("error"):
        limit = next(filter(None, map(limit_in, said)), None)
        return (Status.FAILED, limit) if limit else _failed(last)
    if ending:
        return ending
    if not isinstance(record.get("is_error"), bool | None):
        return Status.UNKNOWN, None
    if subtype not in (None, "success") or (subtype is None and is_error is None):
        return Status.UNKNOWN, None if subtype else "not stated"
    unanswered = _NO_ANSWERS.get(last.text("stop_reason") or "", (Status.OK, "no answer"))
    return (Status.OK, None) if answered else unanswered


def _failed(last: Fields) -> tuple[Status, str]:
    if last.text("subtype") == "error_during_execution":
        return Status.FAILED, "error during execution"
    if last.text("stop_reason") == "stop_sequence" and last.flag(
        "is_error"
    ):  # as the program's own messages have it
        return Status.STOPPED, "error message"
    return Status.FAILED, "error"


def end_said(text: str) -> tuple[Status, str | None] | None:
    """Return how a run ended whose last words are a message of the program: a limit, a failed login, an API error. None
    when the text does not read like one."""
    start = text[:1000].lstrip()
    for pattern, (status, detail) in _SAID:
        if found := pattern.match(start):
            http = found.groupdict().get("http")
            return status, f"{detail} {http}" if http else detail
    return None


# What the answers of Claude Code's tools say, and what the program keeps of them.

_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit code ([0-9]{1,5})\b")
_IN_BACKGROUND = re.compile(
    r"\s*Command (?:was )?running in (?:the )?background with ID: ([\w-]{1,64})"
)
_NOT_PERMITTED = re.compile(
    r"\s*(?:<tool_use_error>|Error: )?(?:The user doesn['’]t want to (?:proceed with|take) this|"
    r"Claude requested permissions? to|This (?:Bash )?command (?:requires|contains [^\n]{0,200} requires?) approval|"
    r"Permission to use [^\n]{0,200} has been denied|[^\n]{0,200}? was blocked\. For security)"
)


def changed_lines(given: Record, details: Record) -> tuple[int, int] | None:
    """Return lines added and removed by an edit that succeeded, as the program keeps them; None where it does not."""
    if not isinstance(hunks := details.get("structuredPatch"), list):
        return None
    if (
        not hunks
        and details.get("type") == "create"
        and isinstance(content := given.get("content"), str)
    ):
        return len(content.splitlines()), 0
    return lines_of("\n".join(_patched_lines(details))) or (0, 0)


def changes_of(given: Record, details: Record) -> str:
    """Return the lines that an edit removes and adds, after `-` and `+`: from the patch, else from its input."""
    lines = _patched_lines(details)
    for edit in () if lines else objects_of(given, "edits") or (given,):
        old = text_of(edit, "old_string")
        new = text_of(edit, "new_string") or text_of(edit, "content")
        lines += [f"-{line}" for line in (old or "").splitlines()]
        lines += [f"+{line}" for line in (new or "").splitlines()]
    return "\n".join(beginning(line, 2_000) for line in lines)


def _patched_lines(details: Record) -> list[str]:
    hunks = (hunk.get("lines") for hunk in objects_of(details, "structuredPatch"))
    return [
        line
        for lines in hunks
        if isinstance(lines, list)
        for line in lines
        if isinstance(line, str)
    ]


def blocks_in(answer: object) -> list[Record]:
    """Return the blocks of a tool's answer that is not a text."""
    return (
        [block for block in answer if isinstance(block, dict)] if isinstance(answer, list) else []
    )


def said_in(answer: object) -> str:
    """Return the text of a tool's answer; of an image only that there is one."""
    if isinstance(answer, str):
        return answer
    said = ((block.get("text"), f"[{block.get('type')}]"[:100]) for block in blocks_in(answer))
    return "\n".join(text if isinstance(text, str) else kind for text, kind in said)


def size_of(answer: object) -> int:
    """Return bytes of a tool's answer, images included."""
    if isinstance(answer, str):
        return bytes_of(answer)
    held = (value_at(block, "source.data") or block.get("text") for block in blocks_in(answer))
    return sum(bytes_of(data) for data in held if isinstance(data, str))


# The beginnings of texts that are in the place of prompts but are not prompts.
_OF_THE_PROGRAM = (
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
_COMMAND = re.compile(r"\s*/[a-z][\w:-]*(?:\s|\Z)")
_WITH_EFFORT = ("assistant", "system", "result")
# Characters of an id that a provider gives but once; gateways and tests have shorter ones.
_UNIQUE = 20


OWNER = "Claude Code"
"""The agent whose records these are, unless a mark shows that another program wrote them."""
# The kinds of records that may name the program behind the first step, too.
_MARKED_KINDS = ("system", "result", "completion")
# What names of models of Claude Code have in them: of gateways, too, and aliases.
_OF_CLAUDE = re.compile(r"(?i)claude|anthropic|opus|sonnet|haiku|<synthetic>|\barn:")


class ClaudeTrace(Trace):
    """The steps of a run of Claude Code, with what is counted of them."""

    has_lanes = True
    usage_follows = True

    def __init__(self, known: Known | None = None, *, contents: bool = False) -> None:
        """`known` is what does not count; what it takes is added."""
        super().__init__()
        self.is_known = True
        self.cache_in_input = False
        """Whether its input includes what is cached, unless a total says otherwise."""
        self.main_messages = 0
        self.is_prompt = False
        """Whether the last record was a prompt of the main agent, or a command of its user."""
        self.ends_in_call = False
        """Whether a result follows a call that was not answered."""
        self._contents = contents
        self.seen = set() if known is None else known
        self._calls_seen: set[str] = set()
        self._lines: set[object] = set()
        self._turns: Counter[str] = Counter()  # prompts and answers of tools, by lane
        # The state of each message id: how many answers had it, and turn and tokens sent of the last one.
        self._latest: dict[tuple[str, str], tuple[int, int, int | None]] = {}
        # The turn in which other files have an answer with this id.
        self._copied: dict[tuple[str, str], int] = {}
        self._queued: Counter[str] = Counter()  # prompts that were given while the agent worked
        self._has_queued_prompt = False  # whether one is in the queue
        # Answers, and those of the main agent, up to the last result; and the first time after it.
        self._settled = self._settled_turns = 0
        self._resumed_ms: int | None = None
        self._tasks: dict[str, str] = {}  # the open call that starts a subagent with a text
        # The lane of each record of a subagent that stands in the file of its main agent.
        self._sidechains: dict[str, str] = {}
        self._used: tuple[Hashable, Record, Answer] = None, {}, Answer(None, Tokens())
        # Commands that run in the background, by the id that waits for them name.
        self._background: dict[str, str] = {}

    def lie_at(self, path: str) -> None:
        """Take the place of the file, which may be in a folder of the program that wrote it."""
        self.path = path
        self._note_writer()

    def _note_writer(self) -> None:
        self.cache_in_input |= writer_of(OWNER, self.marks, self.path).counts_cache_as_input

    def _count(self, record: Record) -> None:
        kind = record.get("type")
        subtype = record.get("subtype")
        self.kinds[
            f"{kind}/{subtype}" if kind == "system" and isinstance(subtype, str) else str(kind)
        ] += 1

    def take(self, record: Record) -> None:
        """Take the next record. One that was taken before, by its uuid, counts once."""
        lane = self._lane_of_record
        self.is_prompt = False
        self.model = None
        kind = record.get("type")
        time = record.get("timestamp")
        if (kind in _MARKED_KINDS or not self._steps) and not MARKED.isdisjoint(record):
            self.marks.take(record)
            self._note_writer()
        uuid = text_of(record, "uuid")
        if uuid and kind == "result":
            uuid = f"result {uuid}"  # some programs give all records that of their session
        if uuid and self.is_copy(f"{uuid} {time}"):  # some programs count from 1 in each session
            return
        self.lane = (
            self._lane(record) if lane is None and kind in ("assistant", "user") else lane or ""
        )
        if kind in _WITH_EFFORT and self.lane == self.main_lane:
            self.see_effort(record, "message.effort effort")
        if kind == "assistant":
            self._take_message(record, object_of(record, "message"))
        elif kind == "user":
            self._take_user(record)
        elif kind == "system":
            self._take_system(record)
        elif kind == "attachment":
            held = object_of(record, "attachment")
            if held.get("type") == "queued_command":
                self._take_prompt(record, said_in(held.get("prompt")))
        elif kind == "queue-operation":
            self._take_queue_operation(record)
        elif kind == "result":
            self._take_result(record)

    def _take_result(self, record: Record) -> None:
        """Take the end of a part: it counts all answers up to it."""
        result = Fields(record)
        errors = (result.text("error"), result.text("result") if result.flag("is_error") else None)
        ended, detail = decide(result, tuple(filter(None, errors)), Caveats())
        self.ends_in_call = self.is_call_open
        self.say(
            StepKind.RESULT,
            f"{ended.value}: {detail}" if detail else ended.value,
            self._time(record),
        )
        self.part += 1
        self._settled, self._settled_turns, self._resumed_ms = (
            len(self._answers),
            self.main_messages,
            None,
        )

    @property
    def unsettled(self) -> list[Answer]:
        """Answers that no result has counted."""
        return [*islice(self._answers.values(), self._settled, None)]

    @property
    def prompts_and_answers(self) -> int:
        """Prompts of the main agent, and messages with answers of its tools."""
        return self._turns[""]

    @property
    def unsettled_turns(self) -> int:
        """Answers of the main agent that no result has counted."""
        return self.main_messages - self._settled_turns

    @property
    def unsettled_ms(self) -> int | None:
        """The time since the first record after the last result; None where records have none."""
        return (
            None
            if self._resumed_ms is None or self.last_ms is None
            else self.last_ms - self._resumed_ms
        )

    @property
    def has_steps(self) -> bool:
        """Whether there was any but results."""
        return self._steps > self.part

    def _lane(self, record: Record) -> str:
        """Return the lane of a record: the call that started its subagent, or the subagent's id; "" for the main
        agent."""
        caller = record.get("parent_tool_use_id")
        if isinstance(caller, str):
            return caller
        if not is_true(record, "isSidechain"):
            return ""
        if agent := text_of(record, "agentId"):
            return agent
        starter = self._tasks.get(said_in(value_at(record, "message.content")))
        uuid = text_of(record, "uuid")
        lane = (
            self._sidechains.get(text_or_empty(record, "parentUuid"))
            or starter
            or uuid
            or "sidechain"
        )
        if uuid is not None:
            self._sidechains[uuid] = lane
        return lane

    def _time(self, record: Record) -> int | None:
        at = self.at(ms_of(record, "timestamp"))
        if self._resumed_ms is None:
            self._resumed_ms = at
        return at

    def _take_message(self, record: Record, message: Record) -> None:
        blocks = objects_of(message, "content")
        if message.get("model") == "<synthetic>" or is_true(record, "isApiErrorMessage"):
            at = self._time(record)
            text = said_in(blocks)
            is_error = is_true(record, "isApiErrorMessage") or bool(record.get("error"))
            is_error |= end_said(text) is not None
            self.say(StepKind.API_ERROR if is_error else StepKind.NOTICE, text, at)
            return
        self.model, id_ = text_of(message, "model"), text_or_empty(message, "id").strip()
        usage = object_of(message, "usage")
        _, stated, known = self._used
        tokens = (
            known.tokens if usage == stated else self._tokens(usage)
        )  # lines of one message state it again
        key, digest = self._identity(record, id_, tokens.sent)
        if key is None or self._is_repeated(record, id_, blocks):
            self._calls_seen.update(text_or_empty(block, "id") for block in blocks)
            return
        at = self._time(record)
        for block in blocks:
            kind = block.get("type")
            if kind == "text" and (text := text_or_empty(block, "text")).strip():
                self.say(StepKind.TEXT, text, at, id_)
            elif kind in ("thinking", "redacted_thinking"):
                self.say(StepKind.THINKING, text_or_empty(block, "thinking"), at, id_)
            elif kind in ("tool_use", "server_tool_use"):
                self._take_call(block, at, id_)
        if tokens.total is not None or (blocks and key not in self._answers):
            is_placeholder = "stop_reason" in message and message["stop_reason"] is None
            is_placeholder &= tokens.output is not None
            answer = Answer(None, tokens, is_placeholder=is_placeholder, digest=digest)
            if (key, usage, answer) != self._used:
                self._used = key, usage, answer
                self._take_usage(usage, key, answer)
        self.told()

    def _tokens(self, usage: Record) -> Tokens:
        tokens = tokens_of(usage, cache_in_input=self.cache_in_input)
        if "total_tokens" in usage and tokens.input != count_of(usage, "input_tokens"):
            self.cache_in_input = True
        return tokens

    def with_writer(self, run: Run, caveats: Caveats) -> Run:
        """Return the same; where only the format shows who wrote the file and no model is Claude's, that is said."""
        models = [line.model for line in run.ledger if line.model]
        is_shown = writer_of(OWNER, self.marks, self.path).is_shown
        if not is_shown and models and not any(map(_OF_CLAUDE.search, models)):
            said = (
                f"Only the format shows that {OWNER} wrote the file: other programs write it too."
            )
            caveats.add("W_AGENT", f"{said} Its models are not Claude’s.")
        return super().with_writer(run, caveats)

    def _identity(self, record: Record, id_: str, sent: int | None) -> tuple[Hashable, int]:
        """Return what identifies an answer in this file, None where other files have it; and what identifies it in
        others.

        It is the id of its message, unless a gateway gives the same one to several answers: then prompts or answers of
        tools stand between them, and the later ones send more.
        """
        place = (self.lane, id_)
        turn = self._turns[self.lane]
        number, last, known = self._latest.get(place, (0, -1, None))
        if id_ and sent is None:
            sent = known
        is_new = (
            not number
            or (turn != last and (not id_ or sent != known))
            or (not id_ and sent != known)
        )
        number += is_new
        self._latest[place] = number, turn, sent
        what = id_
        if len(id_) < _UNIQUE or number > 1:
            content = said_in(value_at(record, "message.content"))
            at = record.get("timestamp") or record.get("session_id")
            what = f"{id_} {at} {record.get('agentId')} {sent} {content[:1_000]}"
        digest = digest_of(what)
        if is_new and self.is_copy(digest):
            self._copied[place] = turn
        elif is_new:
            self._copied.pop(place, None)
        return (None if place in self._copied else (*place, number)), digest

    def _is_repeated(self, record: Record, id_: str, blocks: Sequence[Record]) -> bool:
        """Return whether a line is a copy of another one in this file, with a uuid of its own."""
        block = blocks[0] if blocks else {}
        said = block.get("id") or block.get("text") or block.get("thinking")
        line = (
            str(record.get("timestamp")),
            id_,
            str(block.get("type")),
            said if isinstance(said, str) else None,
        )
        if "timestamp" not in record or not id_:
            return False
        if line in self._lines:
            return True
        self._lines.add(line)
        return False

    def _take_usage(self, usage: Record, key: Hashable, answer: Answer) -> None:
        sent = answer.tokens.sent
        known = self._answers.get(key)
        self.main_messages += known is None and not self.lane
        if sent and (known is None or not known.tokens.sent):
            self._calls.grew(self.lane, sent)
        rates = rates_of(usage)
        server = object_of(usage, "server_tool_use")
        self.answered(
            key, answer._replace(rates=rates, searches=count_of(server, "web_search_requests"))
        )
        for number, each in enumerate(
            objects_of(usage, "iterations") if "iterations" in usage else ()
        ):
            if str(each.get("type")).startswith(("advisor", "compaction")):
                self.model = text_of(each, "model") or self.model
                asked = Answer(None, self._tokens(each), rates_of(each))
                self.answered((key, number), asked, context=False)

    def _take_call(self, block: Record, at: int | None, message_id: str | None) -> None:
        id_, name, given = (
            text_or_empty(block, "id"),
            text_or_empty(block, "name"),
            object_of(block, "input"),
        )
        if id_ in self._calls_seen:
            return
        if len(self.marks.tools) < MAX_TOOLS:
            self.marks.tools.add(name)
        if id_:
            self._calls_seen.add(id_)
        begun = self.ask(id_, name, given, at, message_id)
        begun.about = self._background.get(
            text_of(given, "task_id") or text_or_empty(given, "bash_id"), ""
        )
        if begun.tool is ToolKind.TASK and id_ and (prompt := text_of(given, "prompt")):
            self._tasks[prompt] = id_

    def _close(self, id_: str) -> Begun:
        begun = super()._close(id_)
        if begun.tool is ToolKind.TASK and begun.given:
            self._tasks.pop(str(begun.given.get("prompt")), None)
        return begun

    def _take_user(self, record: Record) -> None:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if isinstance(content, list):
            blocks = blocks_in(content)
            answers = [block for block in blocks if block.get("type") == "tool_result"]
            details = (
                record.get("toolUseResult", record.get("tool_use_result"))
                if len(answers) == 1
                else None
            )
            for block in answers:
                self._take_answer(record, block, details if isinstance(details, dict) else {})
            if answers:
                self._turns[self.lane] += 1
                return
            content = said_in(blocks)
        if is_true(record, "isMeta") or is_true(record, "isCompactSummary"):
            return
        if isinstance(content, str) and content.strip():
            self.is_prompt = not self.lane
            self._turns[self.lane] += 1
            self._take_prompt(record, content)

    def _take_queue_operation(self, record: Record) -> None:
        """Take a prompt that is put into the queue, or taken out of it where that begins a turn."""
        operation = record.get("operation")
        if operation == "enqueue":
            text = said_in(record.get("content"))
            if not _COMMAND.match(text):
                self._take_prompt(record, text, is_queued=True)
                self._queued[text.strip()] += 1
        elif operation == "dequeue" and self._has_queued_prompt and not self._open:
            self._has_queued_prompt = False
            self.resumed(ms_of(record, "timestamp"))

    def _take_prompt(self, record: Record, text: str, *, is_queued: bool = False) -> None:
        """Take a prompt, or a notice of the program, unless it was queued before or is a copy."""
        at = ms_of(record, "timestamp")
        if not text.strip() or (
            at is not None and self.is_copy(digest_of(f"{at} {record.get('type')} {text}"))
        ):
            return
        kind = StepKind.NOTICE if text.lstrip().startswith(_OF_THE_PROGRAM) else StepKind.PROMPT
        if self.is_prompt:
            self.resumed(at)
        if is_queued and kind is StepKind.PROMPT and self.first_ms is not None:
            self._has_queued_prompt = (
                True  # nobody worked on it yet, so its time does not count as work
            )
        else:
            self.at(at)
        if self._queued[text.strip()] > 0:
            self._queued[text.strip()] -= 1
        else:
            self.say(kind, text, at)

    def _take_answer(
        self, record: Record, block: Record, details: Record, at: int | None = None
    ) -> None:
        """Take an answer of a tool, given at the time of its record, or then."""
        id_ = text_or_empty(block, "tool_use_id")
        answer = block.get("content")
        if (begun := self._open.get(id_)) is None:
            if id_ not in self._calls_seen:
                again = partial(self._take_answer, {}, block, details, ms_of(record, "timestamp"))
                self.hold_result(id_, size_of(answer), again)
            return
        given = begun.given or {}
        failed = is_true(block, "is_error")
        is_command = begun.tool is ToolKind.RUN
        is_edit = begun.tool is ToolKind.EDIT
        said = said_in(answer)
        code = details.get("exitCode") if is_command else None
        if is_command and not (type(code) is int and 0 <= code < 2**31):
            code = _EXIT_CODE.match(said)
        denied = failed and _NOT_PERMITTED.match(said) is not None
        at = self._time(record) if at is None else at
        diff = changes_of(given, details) if is_edit and self._contents else ""
        lines = changed_lines(given, details) if is_edit and not failed else None
        size = size_of(answer)
        self.answer(
            id_,
            said,
            at,
            failed=failed,
            denied=denied,
            exit_code=code,
            changes=diff,
            lines=lines,
            size=size,
        )
        if not self._contents:
            begun.result = None  # it may wait for long
        if is_command and (task := _IN_BACKGROUND.match(said)) and len(self._background) < MAX_OPEN:
            self._background[task[1]] = purpose_of(given) or target_of(given)
        if begun.tool is ToolKind.TASK:
            begun.starts = text_or_empty(details, "agentId")

    def _take_system(self, record: Record) -> None:
        kind = record.get("subtype")
        if kind == "compact_boundary":
            step = StepKind.COMPACTION
            said = record.get("content")
        elif kind in ("stop_hook_summary", "hook_response"):
            commands = (text_of(info, "command") for info in objects_of(record, "hookInfos"))
            step = StepKind.HOOK
            said = record.get("hook_name") or ", ".join(filter(None, commands))
        elif kind in ("api_error", "api_retry"):
            step = (
                StepKind.RETRY
                if kind == "api_retry" or record.get("retryAttempt")
                else StepKind.API_ERROR
            )
            error = record.get("error")
            said = (error.get("message") if isinstance(error, dict) else error) or record.get(
                "error_status"
            )
        elif kind == "permission_denied":
            step = StepKind.DENIAL
            said = record.get("tool_name")
        elif kind == "task_notification":
            step = StepKind.NOTICE
            said = record.get("summary")
        else:
            return
        text = said if isinstance(said, str) else "" if said is None else str(said)[:100]
        time = record.get("timestamp")
        if time is None or not self.is_copy(digest_of(f"{time} {kind} {text}")):
            self.say(step, text, self._time(record))


class Sessions:
    """The sessions of a file that is being read."""

    skip: str | None = None  # the beginning of lines that are only counted

    def __init__(
        self, file: RunFile, known: Known, *, contents: bool = False, is_known: bool = True
    ) -> None:
        self.caveats, self.known, self.contents = Caveats(), known, contents
        self.path = file.path
        self.text = JsonText(file, self.caveats, skip=self.skip, is_known=is_known)
        self.found: dict[str, Any] = {}  # by their places, of which "" is the first one's

    def take(self) -> Iterator[tuple[str, Iterable[Begun]]]:
        """Yield the steps that are complete with each record, to be taken at once, with the place of their session."""
        raise NotImplementedError

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:
        """Yield the runs, when all records have gone by, with their places; others than the `wanted` one may lack."""
        raise NotImplementedError


class SessionReader:
    """A reader of files of one or more sessions, whose records and answers may be copies of those in other files."""

    sessions: type[Sessions]
    reads_json = True

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs, or nothing when the records are those of another program. Raises: ReadError."""
        return self.read_new(file, set(), locator)

    def read_new(self, file: RunFile, known: Known, locator: str | None = None) -> Iterator[Run]:
        """Yield the same, without records and answers that are `known`; those that are new become known."""
        sessions = self.sessions(file, known, is_known=locator is not None)
        for _, steps in sessions.take():
            deque(steps, 0)
        wanted = None if locator is None else _place(locator)
        yield from (run for place, run in sessions.runs(wanted) if wanted in (None, place))

    def steps(
        self,
        file: RunFile,
        locator: str | None = None,
        known: Set[str | int] = frozenset(),
        *,
        contents: bool,
    ) -> Generator[Step, None, Run | None]:
        """Yield the steps of the run there, one after the other; then the run."""
        sessions, numbers, wanted = (
            self.sessions(file, set(known), contents=contents),
            count(),
            _place(locator),
        )
        for place, steps in sessions.take():
            for begun in steps:
                if place == wanted:
                    yield begun.step(next(numbers), contents=contents)
        if wanted not in sessions.found:
            return None
        for begun in sessions.found[wanted].rest():
            yield begun.step(next(numbers), contents=contents)
        runs = sessions.runs(wanted)
        return next((replace(run, locator=locator) for place, run in runs if place == wanted), None)


def _place(locator: str | None) -> str:
    return "" if locator is None or locator in (ONLY, f"{SESSION}0") else locator


def rates_of(usage: Record) -> tuple[str, ...]:
    """Return what a message says that changes the price of a token, as in `Run.billed_as`."""
    said = (usage.get(name) for name in ("inference_geo", "speed", "service_tier"))
    return tuple(sorted(each for each in said if each in ("us", "fast", "batch")))


def tokens_of(usage: Record, *, cache_in_input: bool) -> Tokens:
    """Return what a message says that it used."""
    write = count_of(usage, "cache_creation_input_tokens")
    split = object_of(usage, "cache_creation")
    hour = count_of(split, "ephemeral_1h_input_tokens")
    minutes = count_of(split, "ephemeral_5m_input_tokens") or 0
    known = (
        hour
        if write and hour is not None and hour + minutes == write
        else 0
        if write == 0
        else None
    )
    read = count_of(usage, "cache_read_input_tokens")
    tokens = Tokens(
        count_of(usage, "input_tokens"), write, read, count_of(usage, "output_tokens"), known
    )
    if not cache_in_input and "total_tokens" not in usage:  # the usual case
        return tokens
    return held_to_total(tokens, count_of(usage, "total_tokens"), cache_in_input=cache_in_input)
