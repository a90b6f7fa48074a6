"""Records of Claude Code to steps, of streams, arrays and transcripts alike: one record after the other.

A message is written in several lines, each with some of its blocks, and a call is answered in a later one. So what has
begun waits in a queue until it is complete, and steps come in the order in which they began. Two kinds of calls would
hold up all that follows, and stand where they are answered instead: those that start a subagent, whose steps come in
between, and those that are not answered while MAX_WAITING other steps begin, or as many as have MAX_CHARACTERS. Calls
that wait for an answer are bounded likewise: the oldest is given up, and counts as not answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sitegen.model import Tokens
from sitegen.readers.claude import status, tools
from sitegen.readers.claude.counting import Counting, Key, tokens_of
from sitegen.readers.common.fields import indented
from sitegen.readers.common.values import Caveats, Fields, beginning
from sitegen.steps import Step, StepKind, ToolCall, ToolKind

MAX_WAITING = 500
MAX_CHARACTERS = 8_000_000
"""Of texts that wait, and of inputs of calls that do."""
MAX_OPEN = 2_000
"""Calls that wait for an answer."""
MAX_TEXT = 100_000
"""Characters of a text, an input or an answer that a step holds."""
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
"""How texts begin that stand where prompts do and are none."""


@dataclass(slots=True)
class _Call:
    """A call of a tool, as the records have it."""

    id: str
    name: str
    kind: ToolKind
    given: Mapping[str, Any]
    answer: object = None
    details: object = None
    failed: bool | None = None
    answered_ms: int | None = None
    waits_for: str = ""
    """Of a call that waits for a command in the background: what that command was."""


@dataclass(slots=True)
class Begun:
    """A step that has begun, with all that its records say of it."""

    kind: StepKind
    place: int
    text: str
    lane: str
    part: int
    at_ms: int | None
    uuid: str | None
    parent: str | None
    call: _Call | None = None
    starts: str = ""
    message_id: str | None = None
    model: str | None = None
    tokens: Tokens | None = None
    context: int | None = None
    is_complete: bool = True
    is_late: bool = False
    """Whether it stands where it is answered."""
    size: int = 0
    """Characters that it holds in memory, about."""
    answer_bytes: int = 0

    def step(self, number: int, *, contents: bool = True) -> Step:
        """The step, with texts of at most MAX_TEXT characters, and with inputs and answers where `contents` are asked
        for."""
        return Step(
            number,
            self.kind,
            self.place,
            _shortened(self.text),
            tools.bytes_of(self.text),
            _tool_call(self, self.call, contents=contents) if self.call else None,
            self.lane,
            self.starts,
            self.part,
            self.at_ms,
            self.message_id,
            self.model,
            self.tokens,
            self.context,
            self.uuid,
            self.parent,
        )


def _tool_call(begun: Begun, call: _Call, *, contents: bool) -> ToolCall:
    given = call.given
    target, purpose = call.waits_for or tools.target_of(given), tools.purpose_of(given)
    shown = indented(given, MAX_TEXT) if contents else ""
    program = tools.program_of(given) if call.kind is ToolKind.RUN else ""
    if begun.kind is not StepKind.TOOL_CALL or call.failed is None:
        return ToolCall(call.id, call.name, call.kind, target, purpose, program, shown)
    answer = tools.text_of(call.answer) if contents or call.failed or call.kind is ToolKind.RUN else ""
    is_edit = call.kind is ToolKind.EDIT
    lines = tools.changed_lines(given, call.details) if is_edit and not call.failed else None
    return ToolCall(
        call.id,
        call.name,
        call.kind,
        target,
        purpose,
        program,
        shown,
        _shortened(answer) if contents else None,
        begun.answer_bytes,
        call.failed,
        call.failed and tools.is_denial(answer),
        tools.exit_code_of(answer, call.details) if call.kind is ToolKind.RUN else None,
        call.answered_ms,
        tools.changes_of(given, call.details) if is_edit and contents else "",
        lines and lines[0],
        lines and lines[1],
    )


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{beginning(text, MAX_TEXT)}…"


class Walk:
    """Takes records and gives steps. What it counts is `counting`."""

    def __init__(self, known: set[str] | None = None) -> None:
        """`known` are the uuids of records that do not count; those that it takes are added."""
        self.counting = Counting()
        self.first_ms: int | None = None
        self.last_ms: int | None = None
        self._place = -1
        self._part = 0
        self._queue: deque[Begun] = deque()
        self._queued = 0
        """Characters that the queue holds."""
        self._open: dict[str, Begun] = {}
        self._opened = 0
        """Characters that open calls hold."""
        self._tasks: dict[str, str] = {}
        """The open call that starts a subagent with a text."""
        self._calls: set[str] = set()
        self._seen: set[str] = set() if known is None else known
        self._sidechains: dict[str, str] = {}
        """The lane of each record of a subagent that stands in the file of its main agent."""
        self.is_prompt = False
        """Whether the last record was a prompt of the main agent, or a command of its user."""
        self._untold: Tokens | None = None
        self._unnamed = 0
        self._background: dict[str, str] = {}
        """Commands that run in the background, by the id that waits for them name."""

    def take(self, record: Mapping[str, Any], lane: str | None = None) -> None:
        """Take the next record; `lane` says whose it is where the record does not. One that was taken before, by its
        uuid, counts once."""
        self._place += 1
        self.is_prompt = False
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            if uuid in self._seen:
                return
            self._seen.add(uuid)
        kind = record.get("type")
        if kind == "assistant":
            self._take_message(record, self._lane(record) if lane is None else lane)
        elif kind == "user":
            self._take_user(record, self._lane(record) if lane is None else lane)
        elif kind == "system":
            self._take_system(record, lane or "")
        elif kind == "attachment" and isinstance(held := record.get("attachment"), dict):
            if held.get("type") == "queued_command" and isinstance(text := held.get("prompt"), str) and text.strip():
                self._begin(StepKind.PROMPT, record, lane or "", text)
        elif kind == "result":
            last = Fields(record, Caveats())
            said = tuple(filter(None, (last.text("error"), last.text("result") if last.flag("is_error") else None)))
            ended, detail = status.decide(last, said, Caveats())
            self._begin(StepKind.RESULT, record, lane or "", f"{ended.value}: {detail}" if detail else ended.value)
            self._part += 1

    def ready(self) -> Iterator[Begun]:
        """The steps that are complete, with none before them that is not."""
        queue = self._queue
        while queue and (queue[0].is_complete or len(queue) > MAX_WAITING or self._queued > MAX_CHARACTERS):
            begun = queue.popleft()
            self._queued -= begun.size
            if begun.is_complete:
                yield begun
            else:
                begun.is_late = True

    @property
    def sidechains(self) -> int:
        """Subagents of which it has taken records, where those stand in the file of the main agent."""
        return len(set(self._sidechains.values()))

    @property
    def has_steps(self) -> bool:
        """Whether there was any but results."""
        return self.counting.steps > self._part

    def rest(self) -> Iterator[Begun]:
        """The steps that are left when the records are: calls without an answer."""
        late = sorted((begun for begun in self._open.values() if begun.is_late), key=lambda begun: begun.place)
        yield from self._queue
        yield from late
        self._queue.clear()
        self._open.clear()

    def _lane(self, record: Mapping[str, Any]) -> str:
        """Of a record: the call that started its subagent, or the subagent's id; "" for the main agent."""
        caller = record.get("parent_tool_use_id")
        if isinstance(caller, str):
            return caller
        if record.get("isSidechain") is not True:
            return ""
        if isinstance(agent := record.get("agentId"), str):
            return agent
        uuid, parent = record.get("uuid"), record.get("parentUuid")
        known = self._sidechains.get(parent) if isinstance(parent, str) else None
        lane = known or self._starter(record) or (uuid if isinstance(uuid, str) else "sidechain")
        if isinstance(uuid, str):
            self._sidechains[uuid] = lane
        return lane

    def _starter(self, record: Mapping[str, Any]) -> str | None:
        """The call that starts a subagent with the text of this record."""
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        text = content if isinstance(content, str) else tools.text_of(content)
        return self._tasks.get(text)

    def _begin(self, kind: StepKind, record: Mapping[str, Any], lane: str, text: str = "") -> Begun:
        uuid, parent = record.get("uuid"), record.get("parentUuid")
        begun = Begun(
            kind,
            self._place,
            text,
            lane,
            self._part,
            self._time(record),
            uuid if isinstance(uuid, str) else None,
            parent if isinstance(parent, str) else None,
        )
        begun.tokens, self._untold = self._untold, None
        begun.size = len(text)
        self.counting.steps += 1
        self._enqueue(begun)
        return begun

    def _enqueue(self, begun: Begun) -> None:
        self._queue.append(begun)
        self._queued += begun.size

    def _time(self, record: Mapping[str, Any]) -> int | None:
        at = milliseconds_of(record.get("timestamp"))
        if at is not None:
            self.first_ms = at if self.first_ms is None else min(self.first_ms, at)
            self.last_ms = at if self.last_ms is None else max(self.last_ms, at)
        return at

    def _take_message(self, record: Mapping[str, Any], lane: str) -> None:
        message = record.get("message")
        if not isinstance(message, dict):
            return
        content, model, id_ = message.get("content"), message.get("model"), message.get("id")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        if model == "<synthetic>" or record.get("isApiErrorMessage") is True:
            is_error = bool(record.get("error")) or record.get("isApiErrorMessage") is True
            text = tools.text_of(blocks)
            is_error |= status.is_message_of_the_program(text)
            self._begin(StepKind.API_ERROR if is_error else StepKind.NOTICE, record, lane, text)
            return
        model = model if isinstance(model, str) else None
        fresh = None
        if isinstance(message.get("usage"), dict):
            self._unnamed += not isinstance(id_, str)
            request = record.get("requestId") if isinstance(id_, str) else self._unnamed
            key: Key = id_ if isinstance(id_, str) else None, request if isinstance(request, str | int) else None
            usage = tokens_of(message["usage"])
            is_first = key not in self.counting.messages
            fresh = self.counting.message(key, lane, model, usage)
        begun = [found for block in blocks if (found := self._take_block(block, record, lane))]
        for each in begun:
            each.message_id, each.model = id_ if isinstance(id_, str) else None, model
        if fresh is not None and begun:
            begun[0].tokens = fresh if begun[0].tokens is None else fresh + begun[0].tokens
            begun[0].context = usage.sent if is_first else None
        elif fresh is not None:
            self._untold = fresh if self._untold is None else fresh + self._untold

    def _take_block(self, block: Mapping[str, Any], record: Mapping[str, Any], lane: str) -> Begun | None:
        kind = block.get("type")
        if kind == "text":
            text = block.get("text")
            return self._begin(StepKind.TEXT, record, lane, text) if isinstance(text, str) and text.strip() else None
        if kind in ("thinking", "redacted_thinking"):
            text = block.get("thinking")
            return self._begin(StepKind.THINKING, record, lane, text if isinstance(text, str) else "")
        return self._take_call(block, record, lane) if kind in ("tool_use", "server_tool_use") else None

    def _take_call(self, block: Mapping[str, Any], record: Mapping[str, Any], lane: str) -> Begun | None:
        id_, name, given = block.get("id"), block.get("name"), block.get("input")
        if isinstance(id_, str):
            if id_ in self._calls:
                return None
            self._calls.add(id_)
        name, given = name if isinstance(name, str) else "", given if isinstance(given, dict) else {}
        call = _Call(id_ if isinstance(id_, str) else "", name, tools.kind_of(name, given), given)
        task = given.get("task_id") or given.get("bash_id")
        call.waits_for = self._background.get(task, "") if isinstance(task, str) else ""
        self.counting.calls.asked(call.kind)
        begun = self._begin(StepKind.TOOL_CALL, record, lane)
        begun.call, begun.is_complete = call, not call.id
        begun.size = sum(len(value) for value in given.values() if isinstance(value, str))
        self._queued += begun.size
        if not call.id:
            return begun
        if call.kind is ToolKind.TASK:
            begun.is_late = True
            self._queue.pop()
            self._queued -= begun.size
            if isinstance(prompt := given.get("prompt"), str):
                self._tasks[prompt] = call.id
        self._open[call.id] = begun
        self._opened += begun.size
        while len(self._open) > MAX_OPEN or (self._opened > MAX_CHARACTERS and len(self._open) > 1):
            self._give_up(next(iter(self._open.values())))
        if call.kind is not ToolKind.TASK:
            return begun
        start = self._begin(StepKind.SUBAGENT, record, lane)
        start.call, start.starts = call, call.id
        return start

    def _give_up(self, begun: Begun) -> None:
        """Wait no longer for the answer of a call."""
        self._close(begun)
        begun.is_complete = True
        if begun.is_late:
            self._enqueue(begun)

    def _close(self, begun: Begun) -> None:
        if begun.call:
            self._open.pop(begun.call.id, None)
            self._opened -= begun.size
            if begun.call.kind is ToolKind.TASK:
                self._tasks.pop(str(begun.call.given.get("prompt")), None)

    def _take_user(self, record: Mapping[str, Any], lane: str) -> None:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if isinstance(content, list):
            blocks = [block for block in content if isinstance(block, dict)]
            answers = [block for block in blocks if block.get("type") == "tool_result"]
            details = record.get("toolUseResult", record.get("tool_use_result")) if len(answers) == 1 else None
            for block in answers:
                self._take_answer(block, details, record)
            if answers:
                return
            content = tools.text_of(blocks)
        if record.get("isMeta") is True or record.get("isCompactSummary") is True:
            return
        if isinstance(content, str) and content.strip():
            is_prompt = not content.lstrip().startswith(_OF_THE_PROGRAM)
            self.is_prompt = not lane
            self._begin(StepKind.PROMPT if is_prompt else StepKind.NOTICE, record, lane, content)

    def _take_answer(self, block: Mapping[str, Any], details: object, record: Mapping[str, Any]) -> None:
        id_ = block.get("tool_use_id")
        begun = self._open.get(id_) if isinstance(id_, str) else None
        at = self._time(record)
        if begun is None or begun.call is None:
            return
        self._close(begun)
        call = begun.call
        call.answer, call.details, call.answered_ms = block.get("content"), details, at
        call.failed = block.get("is_error") is True
        took = at - begun.at_ms if at is not None and begun.at_ms is not None else None
        size = tools.size_of(call.answer)
        took = took if took is None or took >= 0 else None
        self.counting.answered(call.kind, begun.lane, call.given, details, size, call.failed, took)
        begun.is_complete = True
        task = tools.background_id(tools.text_of(call.answer)) if call.kind is ToolKind.RUN else None
        if task and len(self._background) < MAX_OPEN:
            self._background[task] = tools.purpose_of(call.given) or tools.target_of(call.given)
        self.counting.edits[self._part] += call.kind is ToolKind.EDIT and not call.failed
        if call.kind is ToolKind.TASK and isinstance(details, dict) and isinstance(details.get("agentId"), str):
            begun.starts = details["agentId"]
        begun.answer_bytes = size
        begun.size += size
        if begun.is_late:
            self._enqueue(begun)
        else:
            self._queued += size

    def _take_system(self, record: Mapping[str, Any], lane: str) -> None:
        kind = record.get("subtype")
        if kind == "compact_boundary":
            self.counting.compactions += 1
            self._begin(StepKind.COMPACTION, record, lane, _sentence(record.get("content")))
        elif kind in ("stop_hook_summary", "hook_response"):
            self._begin(StepKind.HOOK, record, lane, _sentence(record.get("hook_name") or _hook(record)))
        elif kind in ("api_error", "api_retry"):
            said = StepKind.RETRY if kind == "api_retry" or record.get("retryAttempt") else StepKind.API_ERROR
            error = record.get("error")
            error = error.get("message") if isinstance(error, dict) else error
            self._begin(said, record, lane, _sentence(error or record.get("error_status")))
        elif kind == "permission_denied":
            self._begin(StepKind.DENIAL, record, lane, _sentence(record.get("tool_name")))
        elif kind == "task_notification":
            self._begin(StepKind.NOTICE, record, lane, _sentence(record.get("summary")))


def _hook(record: Mapping[str, Any]) -> object:
    infos = record.get("hookInfos")
    named = [info.get("command") for info in infos if isinstance(info, dict)] if isinstance(infos, list) else []
    return ", ".join(each for each in named if isinstance(each, str))


def _sentence(said: object) -> str:
    return said if isinstance(said, str) else "" if said is None else str(said)[:100]


def milliseconds_of(time: object) -> int | None:
    """A time as ISO 8601 with its zone, in milliseconds since 1970; None when it is none of this century."""
    if not isinstance(time, str):
        return None
    try:
        moment = datetime.fromisoformat(time)
        return round(moment.timestamp() * 1000) if moment.tzinfo is not None and 2000 <= moment.year < 2100 else None
    except (ValueError, OverflowError):
        return None
