"""All steps of a run, looked at once: what its strip, its tables and its finding are made of. No step is kept."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from sitegen.model import Part, Tokens
from sitegen.numbers.waste import idle_parts, is_rewritten
from sitegen.readers.common.signals import Signals
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait

PriceOf = Callable[[str | None, Tokens], float | None]
"""The list price of what a message used, USD; None where the model has none."""
MAX_CARRIED = 4  # results that are listed
MIN_BYTES = 1_000  # the smallest size of a result that is followed
BYTES_PER_TOKEN = 4  # the bytes per token of a prompt, where only the whole first request is known
_SHRUNK = 0.7
"""Share of the context below which something was taken out of it, even if the record does not say so."""
MIN_FALL = (
    10_000  # the fewest tokens by which a context falls; of a smaller one less is worth a word
)


@dataclass(slots=True)
class Carried:
    """A result in the context."""

    number: int
    name: str
    bytes: int
    tokens: float = 0
    requests: int = 0
    """The number of requests that carried it: while it is held, the count of requests before it."""
    usd: float = 0  # likewise


@dataclass(slots=True)
class Context:
    """The content of the context of the main agent as far as it is known: the results of tools that later requests
    carried, and what that cost. `take` gets the steps of a run in their order.

    No record states the tokens of a result. By how much a request sends more than the one before is shared by bytes
    among what came in between; a compaction ends what was carried until then. What a request read from the cache is an
    upper bound of what its results cost, so that their sum never exceeds the bill for cache reads.
    """

    base: Carried = field(default_factory=lambda: Carried(0, "System prompt and tools", 0))
    requests: int = 0
    reads_usd: float = 0  # the bill for cache reads at list price; so much at least
    is_priced: bool = True
    first: int | None = None  # the context that the first message sent, tokens
    sent: int = 0  # that of the last one
    peak: int = 0  # the largest one
    falls: list[tuple[int, int]] = field(default_factory=list)
    """The context before and after it lost more than three tenths, which no record explains."""
    _at_peak: tuple[list[Carried], int] = field(default_factory=lambda: ([], 0))
    """The results held then: the first of a list that may have grown since."""
    _held: list[Carried] = field(default_factory=list)
    _held_tokens: float = 0
    _between: list[tuple[int, Carried | None]] = field(default_factory=list)
    """Bytes since the last request, and the result that they are."""
    _per_token: float = 0  # the cost of each held token so far
    _is_compacted: bool = False

    def take(self, step: Step, price: PriceOf) -> None:
        """Take the next step."""
        if step.lane:
            return
        if step.context_tokens is not None:
            self._request(step, step.context_tokens, price)
        call = step.call
        if step.kind is StepKind.COMPACTION:
            self._is_compacted = True
        elif call is not None and step.kind is StepKind.TOOL_CALL:
            self._between.append((call.input_bytes, None))
            result = None
            if call.result_bytes >= MIN_BYTES:
                result = Carried(step.number, call.target or call.name, call.result_bytes)
            self._between.append((call.result_bytes, result))
        elif step.kind in (StepKind.TEXT, StepKind.PROMPT):
            self._between.append((step.text_bytes, None))

    def _request(self, step: Step, sent: int, price: PriceOf) -> None:
        """Take a message that sent so much: what was held is read from the cache, and what came in between is new."""
        self._see_fall(sent)
        if self._is_compacted or sent < _SHRUNK * self.sent:
            self._release()
        read = (step.tokens.cache_read if step.tokens else None) or 0
        rate = price(step.model, Tokens(cache_read=1_000_000))
        self.is_priced &= (
            rate is not None and step.tokens is not None and step.tokens.cache_read is not None
        )
        cost = read * (rate or 0) / 1e6
        self.reads_usd += cost
        whole = sum(size for size, _ in self._between)
        if not self.requests:
            self.first = sent
            self.base.tokens = max(sent - whole / BYTES_PER_TOKEN, 0)
        carried = max(self._held_tokens + self.base.tokens, self.sent, read)
        self._per_token += cost / carried if carried else 0
        if self.requests and sent > self.sent and whole and not self._is_compacted:
            self._hold(sent - self.sent, whole)
        self._between = []
        self._is_compacted = False
        self.sent = sent
        self.requests += 1
        if sent > self.peak:
            self.peak = sent
            self._at_peak = self._held, len(self._held)

    def _hold(self, grown: int, whole: int) -> None:
        """Share by how many tokens the context grew among what came in between, by its bytes."""
        for size, result in self._between:
            tokens = grown * size / whole
            self._held_tokens += tokens
            if result is not None:
                result.tokens = tokens
                result.requests = self.requests
                result.usd = self._per_token
                self._held.append(result)

    def _see_fall(self, sent: int) -> None:
        if self.falls and self.falls[-1][1] == self.sent and sent >= self.falls[-1][0]:
            self.falls.pop()  # a request of another kind was in between: the context was whole all along
        elif not self._is_compacted and sent < _SHRUNK * self.sent and self.sent - sent >= MIN_FALL:
            self.falls.append((self.sent, sent))

    def at_peak(self) -> list[Carried]:
        """Return the results of the largest context, most expensive first."""
        held, count = self._at_peak
        return nlargest(MAX_CARRIED, held[:count], key=lambda result: (result.usd, result.tokens))

    def _release(self) -> None:
        """Release what was carried from the context."""
        for result in self._held:
            result.requests = self.requests - result.requests
            result.usd = result.tokens * (self._per_token - result.usd)
        self._held = []
        self._held_tokens = 0

    def close(self) -> "Context":
        """Return it after the last step."""
        self._release()
        self.base.requests = max(self.requests - 1, 0)
        self.base.usd = self.base.tokens * self._per_token
        return self


MAX_DRAWN = 20_000  # calls and messages beyond are counted and not drawn
STEPS_PER_PAGE = 120
FIELDS = ("edited", "failed", "repeated", "file", "command")
"""The fields of a query, those that say most first."""
_FIELDS_OF_KINDS = {ToolKind.READ: "file", ToolKind.EDIT: "file", ToolKind.RUN: "command"}
MAX_ACTS = 500  # different files, or commands, of a run that the search finds by one field
LONGEST = 5
MAX_OF_LAST_TEXT = 2_000
TEXT_CHARACTERS = 20_000
"""The number of characters that the search covers: what the agent says, prompts, and results of tools."""


def page_of(number: int) -> int:
    """Return the page, from 1, on which the step of this number stands."""
    return number // STEPS_PER_PAGE + 1


@dataclass(slots=True)
class Mark:
    """A step on the strip: a call, a message, or both."""

    number: int
    begin_ms: int | None
    spent: float  # the part of the run's cost that was spent when it was asked, before it is scaled
    kind: ToolKind | None = None
    lane: int = 0  # 0 is the main agent, then its subagents in the order in which they begin
    end_ms: int | None = None
    failed: bool = False
    name: str = ""  # the subject, else the tool
    result_bytes: int = 0
    context: int | None = None  # the tokens in the context, where a message begins
    tokens: int | None = None


def is_edit(call: ToolCall) -> bool:
    """Return whether a call changed a file, as far as its answer says."""
    return call.kind is ToolKind.EDIT and not call.failed


@dataclass(slots=True)
class Sum:
    """Calls of one kind, program or file."""

    calls: int = 0
    failed: int = 0
    ms: int = 0
    timed: int = 0  # calls whose time is known
    longest_ms: int = 0
    result_bytes: int = 0
    edits: int = 0
    added: int | None = None
    removed: int | None = None
    first: int = 0  # number of the first of them, for a link

    def add(self, call: ToolCall, ms: int | None) -> None:
        """Count a call."""
        self.calls += 1
        self.failed += call.failed is True
        self.result_bytes += call.result_bytes
        if ms is not None:
            self.ms += ms
            self.timed += 1
            self.longest_ms = max(self.longest_ms, ms)
        if is_edit(call):
            self.edits += 1
            if call.lines_added is not None:
                self.added = (self.added or 0) + call.lines_added
                self.removed = (self.removed or 0) + (call.lines_removed or 0)


@dataclass(slots=True)
class PartOfStory:
    """A part of the session: from its first step to its result."""

    first: int
    begin_ms: int | None
    edits: int = 0
    last_text: str = ""  # the last text, as far as it says what it begins with
    spent: float = 0.0


@dataclass(slots=True)
class Story:
    """The summary of all steps of a run. `add` takes them in their order."""

    price: PriceOf  # weighs messages: the cost that is reported is spread by it
    searches_results: bool = False
    """Whether results of tools, as far as they are published, are found by the search."""
    marks: list[Mark] = field(default_factory=list)
    lanes: dict[str, int] = field(default_factory=lambda: {"": 0})
    """0 is the main agent, then its subagents in the order in which they begin."""
    by_lane: dict[str, Sum] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    """The tasks that subagents were started for, by lane."""
    by_kind: dict[ToolKind, Sum] = field(default_factory=dict)
    by_program: dict[str, Sum] = field(default_factory=dict)
    by_file: dict[str, Sum] = field(default_factory=dict)
    parts: list[PartOfStory] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)  # numbers of the calls that failed, in order
    compactions: list[Mark] = field(default_factory=list)
    api_errors: int = 0
    rewrites: list[int] = field(default_factory=list)
    """Numbers of the steps whose message wrote a large context to the cache anew; see `numbers.waste`."""
    rewritten: float = 0.0  # their list price
    steps: int = 0
    texts: int = 0
    total: Sum = field(default_factory=Sum)  # all calls
    has_overlap: bool = False  # whether calls ran at the same time
    has_question_times: bool = False
    """Whether the file says when calls were asked; else a bar begins at the step before."""
    borrowed: int = 0
    """The number of timed calls that begin at the step before, as the file does not say when they were asked."""
    is_priced: bool = True  # whether what each message used has a list price
    longest: list[tuple[int, int, str]] = field(default_factory=list)
    """Milliseconds, number and target of the calls that took longest."""
    said: list[tuple[int, str]] = field(default_factory=list)
    acts: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in FIELDS})
    """Targets of calls for the search: up to MAX_ACTS by field, each with the number of its first step."""
    signals: Signals = field(default_factory=Signals)
    context: Context = field(default_factory=Context)
    first_ms: int | None = None
    last_ms: int | None = None
    spent: float = 0.0
    _busy_until: int = 0
    _said_characters: int = 0
    _asked_ms: int | None = None  # the time at which the last message of the main agent began

    @property
    def calls(self) -> int:
        """The number of all calls."""
        return self.total.calls

    @property
    def lasted_ms(self) -> int:
        """The time from the first step to the last; 0 where it is unknown."""
        return (self.last_ms or 0) - (self.first_ms or 0)

    def sections(self, parts: Sequence[Part]) -> list[tuple[int, int]]:
        """First and last of the parts that are told together: answers that follow each other and changed no file."""
        idle = set(idle_parts(parts))
        sections: list[tuple[int, int]] = []
        for number in range(max(len(parts), len(self.parts))):
            first = number
            if sections and {number - 1, number} <= idle:
                first, _ = sections.pop()
            sections.append((first, number))
        return sections

    def reported(
        self, parts: Sequence[Part], cost_usd: float | None
    ) -> list[tuple[float, float]] | None:
        """Return what was spent, before it is scaled, at the end of each part, and what the file reports of it until
        then; None where that is unknown."""
        if not cost_usd or not self.spent or not self.is_priced:
            return None
        costs = [part.cost_usd for part in parts if part.cost_usd is not None]
        is_whole = len(costs) == len(parts) == len(self.parts)
        if not is_whole or abs(math.fsum(costs) - cost_usd) > 0.01:
            return [(0.0, 0.0), (self.spent, cost_usd)]
        ends = [(0.0, 0.0)]
        for part, cost in zip(self.parts, costs, strict=True):
            spent, reported = ends[-1]
            ends.append((spent + part.spent, reported + cost))
        return ends

    def costs(self, parts: Sequence[Part], cost_usd: float | None) -> list[float | None]:
        """Return what each part cost: as reported, else its share of the run's cost at list price."""
        costs = [part.cost_usd for part in parts]
        are_told = len(parts) == len(self.parts) and self.is_priced
        if cost_usd and self.spent and are_told and not any(cost is not None for cost in costs):
            return [cost_usd * part.spent / self.spent for part in self.parts]
        return costs

    def name_of(self, lane: str) -> str:
        """Return what a subagent is called: its number, where there are several, and what it was started for."""
        number = self.lanes.get(lane, 0)
        name = "Subagent" if len(self.lanes) == 2 else f"Subagent {number}"
        return f"{name}: {self.tasks[lane]}" if self.tasks.get(lane) else name

    def add(self, step: Step) -> None:
        """Take the next step."""
        self.steps += 1
        self.lanes.setdefault(step.lane, len(self.lanes))
        begin = self.last_ms if step.at_ms is None else step.at_ms
        call = step.call
        for moment in (step.at_ms, call.answered_ms if call else None):
            if moment is not None:
                self.first_ms = moment if self.first_ms is None else min(self.first_ms, moment)
                self.last_ms = moment if self.last_ms is None else max(self.last_ms, moment)
        while len(self.parts) <= step.part:
            self.parts.append(PartOfStory(step.number, begin))
        part = self.parts[step.part]
        if step.tokens is not None:
            self._spend(step, step.tokens, part)
        if step.context_tokens is not None and not step.lane:
            self._rewrite(step, begin)
        self.context.take(step, self.price)
        mark = Mark(step.number, begin, self.spent)
        if step.tokens or step.context_tokens:
            mark.context = self.context.sent
            mark.tokens = step.tokens.total if step.tokens else None
        if step.kind is StepKind.COMPACTION:
            self.compactions.append(mark)
        elif step.kind in (StepKind.API_ERROR, StepKind.RETRY):
            self.api_errors += 1
        elif step.kind in (StepKind.TEXT, StepKind.PROMPT):
            self._say(step.text, step.number)
            self.texts += 1
            if step.kind is StepKind.TEXT and step.text:
                part.last_text = step.text.strip()[:MAX_OF_LAST_TEXT]
        if call is not None:
            self._take_call(step, call, part, mark)
        if (mark.kind or mark.context is not None) and len(self.marks) < MAX_DRAWN:
            self.marks.append(mark)

    def _spend(self, step: Step, tokens: Tokens, part: PartOfStory) -> None:
        """Add the price of a message."""
        price = self.price(step.model, tokens)
        if price is not None:
            self.spent += price
            part.spent += price
        elif tokens.total:
            self.is_priced = False

    def _rewrite(self, step: Step, begin: int | None) -> None:
        """Note a message that came when the cache had been let go."""
        pause = begin - self._asked_ms if begin is not None and self._asked_ms is not None else 0
        self._asked_ms = begin
        if step.tokens and is_rewritten(step.tokens, self.context.sent, pause):
            self.rewrites.append(step.number)
            written = Tokens(cache_write=step.tokens.cache_write)
            self.rewritten += self.price(step.model, written) or 0

    def _say(self, text: str, number: int) -> None:
        """Let the search find a text, as far as there is room."""
        text = text[: TEXT_CHARACTERS - self._said_characters]
        if text:
            self.said.append((number, text))
            self._said_characters += len(text)

    def _take_call(self, step: Step, call: ToolCall, part: PartOfStory, mark: Mark) -> None:
        if step.starts and call.target:
            self.tasks[step.starts] = call.target
        if step.kind is not StepKind.TOOL_CALL:
            return
        if self.searches_results and call.result:
            self._say(call.result, step.number)
        mark.kind = call.kind
        mark.lane = self.lanes[step.lane]
        mark.end_ms = call.answered_ms
        mark.failed = call.failed is True
        mark.name = call.target or call.name
        mark.result_bytes = call.result_bytes
        self.signals.take(step.number, step.lane, call.failed, call.traits)
        if call.failed:
            self.failures.append(step.number)
        part.edits += is_edit(call)
        if call.target:
            self._find_act(step.number, call)
        ms = self._time_call(step, mark)
        self._count(step, call, ms)
        if ms and (len(self.longest) < LONGEST or ms > self.longest[-1][0]):
            longest = [*self.longest, (ms, step.number, mark.name)]
            self.longest = nlargest(LONGEST, longest)

    def _time_call(self, step: Step, mark: Mark) -> int | None:
        """Return how long a call took; None where that is unknown."""
        begin = mark.begin_ms
        end = mark.end_ms
        self.has_question_times |= step.at_ms is not None
        if begin is None or end is None or end < begin:
            return None
        self.borrowed += step.at_ms is None
        if end > begin:
            self.has_overlap |= begin < self._busy_until
            self._busy_until = max(self._busy_until, end)
        return end - begin

    def _count(self, step: Step, call: ToolCall, ms: int | None) -> None:
        """Count a call among those of its kind, file, program and subagent."""
        sums = [self.total, self.by_kind.setdefault(call.kind, Sum(first=step.number))]
        if call.kind in (ToolKind.READ, ToolKind.EDIT) and call.target:
            sums.append(self.by_file.setdefault(call.target, Sum(first=step.number)))
        if call.program:
            sums.append(self.by_program.setdefault(call.program, Sum(first=step.number)))
        if step.lane:
            sums.append(self.by_lane.setdefault(step.lane, Sum(first=step.number)))
        for calls in sums:
            calls.add(call, ms)

    def _find_act(self, number: int, call: ToolCall) -> None:
        """Let the search find the target of a call."""
        names = []
        if is_edit(call):
            names.append("edited")
        elif call.kind in _FIELDS_OF_KINDS:
            names.append(_FIELDS_OF_KINDS[call.kind])
        if call.failed:
            # The target of a command is but its first line.
            is_known = call.target in self.acts["failed"]
            if call.kind is ToolKind.RUN:
                is_known = bool(call.traits & Trait.FAILED_BEFORE)
            names += ["repeated", "failed"] if is_known else ["failed"]
        for name in names:
            if len(self.acts[name]) < MAX_ACTS:
                self.acts[name].setdefault(call.target, number)
