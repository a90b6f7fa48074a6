"""Steps in the order in which they began, as soon as they are complete.

What waits for a result, or for the tokens of its message, holds up those behind it, until MAX_WAITING steps or
MAX_CHARACTERS of text wait: then a call comes when it is answered, as do calls that start a subagent, whose steps come
in between. Of calls that wait, the oldest is given up beyond MAX_OPEN.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from sitegen.model import Tokens
from sitegen.readers.common.call_counts import bytes_of
from sitegen.readers.common.fields import indented
from sitegen.readers.common.records import Record
from sitegen.readers.common.signals import Signals
from sitegen.readers.common.tool_names import program, purpose_of, target_of
from sitegen.readers.common.values import beginning
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait

MAX_WAITING = 500
MAX_CHARACTERS = 8_000_000
"""The limit on texts that wait, and on inputs of calls that do."""
MAX_OPEN = 2_000
MAX_TEXT = 100_000
"""Characters of a text, an input or a result that a step holds."""
_OF_A_MESSAGE = (StepKind.TEXT, StepKind.THINKING, StepKind.TOOL_CALL, StepKind.SUBAGENT)


@dataclass(slots=True, eq=False)
class PendingCall:
    """A call of a tool, whose result may still come."""

    id: str
    name: str
    input: Record
    command: str
    """The command that it runs; empty where it runs none."""
    tool: ToolKind
    input_bytes: int
    traits: int
    about: str = ""
    """The text of a task whose call only names it."""
    result: str | None = None
    result_bytes: int = 0
    failed: bool | None = None
    denied: bool = False
    exit_code: int | None = None
    answered_ms: int | None = None
    changes: str = ""
    lines: tuple[int, int] | None = None
    fingerprint: int | None = None
    """The number for the tool, input and result of a call that is answered and does not poll."""

    def built(self, *, contents: bool) -> ToolCall:
        """Return the call, with input, result and changes where `contents` are asked for."""
        added, removed = self.lines or (None, None)
        return ToolCall(
            self.id,
            self.name,
            self.tool,
            self.about or target_of(self.input, self.tool),
            purpose_of(self.input),
            program(self.command) if self.tool is ToolKind.RUN else "",
            indented(self.input, MAX_TEXT) if contents else "",
            _shortened(self.result) if contents and self.result is not None else None,
            self.result_bytes,
            self.failed,
            self.denied,
            self.exit_code,
            self.answered_ms,
            _shortened(self.changes) if contents else "",
            added,
            removed,
            self.traits,
            self.input_bytes,
        )


@dataclass(slots=True, eq=False)
class PendingStep:
    """A step that has begun."""

    kind: StepKind
    place: int
    text: str
    ms: int | None
    model: str | None
    message_id: str | None
    lane: str
    part: int
    size: int
    """The characters that it holds in memory, about."""
    starts: str = ""
    call: PendingCall | None = None
    tokens: Tokens | None = None
    context: int | None = None
    awaits_result: bool = False
    awaits_usage: bool = False
    is_late: bool = False
    """Whether it comes when its call is answered."""

    def built(self, number: int, *, contents: bool) -> Step:
        """Return the step, with inputs and results where `contents` are asked for."""
        return Step(
            number,
            self.kind,
            self.place,
            _shortened(self.text),
            bytes_of(self.text),
            self.call.built(contents=contents) if self.call else None,
            self.lane,
            self.starts,
            self.part,
            self.ms,
            self.message_id,
            self.model,
            self.tokens,
            self.context,
        )


class StepLog:
    """The steps of a run that are not complete, and what is kept of those that were."""

    def __init__(self, *, usage_follows: bool) -> None:
        """`usage_follows` says that records state what a message used behind its texts and calls."""
        self.count = self.compactions = 0
        self.context_peak: int | None = None
        self.last: PendingStep | None = None
        """The last step in their order, but for hooks."""
        self.last_kind: StepKind | None = None
        self.queue: deque[PendingStep] = deque()
        self.open: dict[str, PendingStep] = {}
        """The calls without a result, by their ids."""
        self.signals = Signals()
        self._queue_size = self._open_size = 0
        self._usage_follows = usage_follows
        self._message: list[PendingStep] = []  # the steps of the message whose usage is to come
        self._usage_without_step: Tokens | None = None
        self._fingerprints: dict[str, int | None] = {}  # that of the last call, by lane

    @property
    def has_message(self) -> bool:
        """Whether a message waits for its usage."""
        return bool(self._message)

    @property
    def is_of_message(self) -> bool:
        """Whether the last step is one that a model made."""
        return self.last_kind in _OF_A_MESSAGE

    def add(self, step: PendingStep) -> None:
        """Add a step that has begun."""
        self.count += 1
        self.last_kind = step.kind
        if step.kind is StepKind.COMPACTION:
            self.compactions += 1
        step.tokens = self._usage_without_step
        self._usage_without_step = None
        if self._usage_follows and step.kind in _OF_A_MESSAGE:
            step.awaits_usage = True
            self._message.append(step)
        self._enqueue(step)

    def open_call(self, id_: str, step: PendingStep) -> None:
        """Let a call wait for its result. One that starts a subagent stands where it gets it."""
        step.awaits_result = True
        self.open[id_] = step
        self._open_size += step.size
        while len(self.open) > MAX_OPEN or self._has_too_much_open():
            self.close_call(next(iter(self.open)))

    def add_late(self, step: PendingStep) -> None:
        """Count a step that comes when its call is answered."""
        step.is_late = True
        self.count += 1

    def close_call(self, id_: str) -> PendingStep:
        """Return the step of an open call, which waits no longer."""
        step = self.open.pop(id_)
        self._open_size -= step.size
        step.awaits_result = False
        if step.is_late:
            self._enqueue(step)
        return step

    def grow(self, step: PendingStep, size: int) -> None:
        """Note that a step holds more in memory, by so much."""
        step.size += size
        self._queue_size += size

    def add_usage(self, tokens: Tokens, sent: int | None, *, is_main: bool) -> None:
        """Give tokens to the step of their message, or to the next one; `sent` with a request of the agent."""
        context = (
            sent or None
        )  # every message sends something: 0 stands for a count that is not known
        if context is not None and is_main:
            self.context_peak = max(context, self.context_peak or 0)
        if self._message:
            first = self._message[0]
            first.tokens = tokens if first.tokens is None else first.tokens + tokens
            first.context = context
        elif self._usage_follows:
            waiting = self._usage_without_step
            self._usage_without_step = tokens if waiting is None else waiting + tokens
        self.end_message()

    def end_message(self) -> None:
        """Let the steps of the last message go: no more usage is reported for them."""
        for step in self._message:
            step.awaits_usage = False
        self._message.clear()

    def ready(self) -> Iterator[PendingStep]:
        """Yield the steps that are complete, with none before them that is not."""
        queue = self.queue
        while queue and (
            not (queue[0].awaits_usage or queue[0].awaits_result) or self._is_too_long()
        ):
            step = queue.popleft()
            self._queue_size -= step.size
            if step.awaits_usage:
                self._message.remove(step)
                step.awaits_usage = False
            if step.awaits_result:
                step.is_late = True
            else:
                yield self._completed(step)

    def rest(self) -> Iterator[PendingStep]:
        """Yield the steps that are left when the records are: calls without a result."""
        yield from self.ready()
        yield from map(self._completed, self.queue)
        late = [step for step in self.open.values() if step.is_late]
        yield from map(self._completed, sorted(late, key=attrgetter("place")))

    def _is_too_long(self) -> bool:
        return len(self.queue) > MAX_WAITING or self._queue_size > MAX_CHARACTERS

    def _has_too_much_open(self) -> bool:
        return self._open_size > MAX_CHARACTERS and len(self.open) > 1

    def _enqueue(self, step: PendingStep) -> None:
        self.queue.append(step)
        self._queue_size += step.size
        if step.kind is not StepKind.HOOK:
            self.last = step

    def _completed(self, step: PendingStep) -> PendingStep:
        """Return the step after noting what signals are made of."""
        call = step.call
        if call is not None and step.kind is StepKind.TOOL_CALL:
            before = self._fingerprints.get(step.lane)
            if call.fingerprint is not None and call.fingerprint == before:
                call.traits |= Trait.REPEAT
            self._fingerprints[step.lane] = call.fingerprint
            self.signals.take(step.place, step.lane, call.failed, call.traits)
        return step


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{beginning(text, MAX_TEXT)}…"
