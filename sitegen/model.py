"""The values in the middle: readers make them, pages consume them, neither knows the other.

All are frozen. Counts are stored, ratios derived; units stand in the names. `None` is unknown, 0 is zero.
This module imports the standard library only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cache
from itertools import zip_longest
from operator import attrgetter
from typing import Any, Generic, TypeVar, dataclass_transform

from sitegen.system.address import Address, Member

TOKEN_KINDS = ("cache_read", "cache_write", "input", "output")
"""The four kinds of tokens, which never overlap, in the order in which they are stacked everywhere."""

COST_TOLERANCE_USD = 0.005 + 1e-9
"""Two figures of one cost agree when they differ by no more than half a cent, and what floats add to that."""


T = TypeVar("T")
Key = TypeVar("Key")
Number = TypeVar("Number", int, float)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[T]) -> type[T]:
    """Make a class of values: they have the fields that it names, and none of them changes."""
    return dataclass(frozen=True, slots=True)(kind)


@dataclass(frozen=True, slots=True, repr=False)
class Unmasked(Generic[T]):
    """A run, a step or a patch as its file has it: what a page, a figure or an export takes is masked and of another
    type."""

    as_written: T
    """For `inputs` alone, where it is masked."""


def by_key(items: Iterable[T], key: Callable[[T], Key | None]) -> dict[Key, list[T]]:
    """Return the items by key, each in its order; those whose key is None are left out."""
    found: dict[Key, list[T]] = {}
    for item in items:
        if (own := key(item)) is not None:
            found.setdefault(own, []).append(item)
    return found


def sum_known(figures: Iterable[Number | None]) -> Number | None:
    """Return the sum of the known figures; None when none is known. Whole numbers stay whole; others are summed without
    accumulated rounding."""
    known = [figure for figure in figures if figure is not None]
    added = sum(known) if known else None
    return added if type(added) is not float else math.fsum(known)


def add_known(first: int | None, second: int | None) -> int | None:
    """Return the sum of two counts, or the known one; None when neither is known."""
    return second if first is None else first if second is None else first + second


def sum_complete(figures: Iterable[Number | None]) -> Number | None:
    """Return the sum; None when a figure is unknown, or there is none."""
    everything = list(figures)
    return None if None in everything else sum_known(everything)


class Status(StrEnum):
    """The way a run ended, decided by its reader from all that its file says."""

    OK = "ok"  # it came to its own end
    FAILED = "failed"  # it ended without finishing: turn or budget limit, error of the agent
    STOPPED = "stopped"  # its surroundings ended it: usage limit, API error, not logged in
    INTERRUPTED = "interrupted"  # its recording ends before a result
    UNKNOWN = "unknown"


INCOMPLETE = frozenset({Status.FAILED, Status.STOPPED, Status.INTERRUPTED})
"""The statuses of runs that are known not to have come to their own end."""


class Verdict(StrEnum):
    """The handling of a source that has a problem."""

    SKIP = "skip"  # it is on no other page
    ACCEPT = "accept+warn"  # it is shown, with a part unknown or doubtful
    MERGE = "merge"  # it is the same run as another source, which is shown


class Outcome(StrEnum):
    """Whether a run did its task, as stated from outside. Never taken from what the agent says of itself."""

    PASS = "pass"  # noqa: S105  it did
    FAIL = "fail"  # it did not
    PARTIAL = "partial"  # it did a part that counts, such as correct but not fast enough
    ERROR = "error"  # nobody knows: the agent's surroundings or the check failed, not the agent


class TextKind(StrEnum):
    """The kind of a text of a run. It decides from which level on the text is published."""

    FACT = "fact"
    ANSWER = "answer"  # what the agent says, and the errors that it or its program reports
    PROMPT = "prompt"  # what the agent was told, or thought
    CONTENT = "content"  # of files, and of inputs and results of tools
    MACHINE = "machine"  # where it ran: addresses, paths, names of users and computers


class Level(StrEnum):
    """The amount of a run that is published besides its facts, each level more than the one before."""

    NONE = "none"
    OUTLINE = "outline"  # tools, targets, sizes, failures, the agent's own texts
    TEXTS = "texts"  # and prompts and thinking
    FULL = "full"  # and inputs, edits and results, shortened

    @classmethod
    def lowest(cls, *levels: Level) -> Level:
        """Return the one that publishes least."""
        return min(levels, key=_LEVELS.index)

    def shows(self, kind: TextKind | None, *texts: str) -> bool:
        """Return whether it publishes these texts of one kind. Of no kind, they count as content if one is long or an
        address, as an answer if one has several words, else as facts."""
        if kind is None:
            looks = ((TextKind.CONTENT, _IS_CONTENT), (TextKind.ANSWER, _HAS_WORDS))
            kind = next(
                (kind for kind, look in looks if any(map(look.match, texts))), TextKind.FACT
            )
        return _LEVELS.index(self) >= _LEVELS.index(_SHOWN_BEFORE.get(kind, Level.FULL))


_LEVELS = tuple(Level)
# Begins a text that is content if its reader does not state its kind: a path, an address, one that is long.
_IS_CONTENT = re.compile(r"(?s)[/~]|\w+:[/\\]|.{81}|[^\n]*\n")
# Of a script that writes no spaces, four letters count as several words.
_HAS_WORDS = re.compile(
    "(?s).*(?:\\S\\s+\\S|[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4})"
)
# The level from which on texts are published that are not left for FULL.
_SHOWN_BEFORE = {
    TextKind.FACT: Level.NONE,
    TextKind.ANSWER: Level.OUTLINE,
    TextKind.PROMPT: Level.TEXTS,
}


class Value:
    """A value that is pickled as a call of its class: the usual way of frozen dataclasses with slots takes three times
    as long, and the facts of every run come from another process."""

    __slots__: Any = ()

    def __reduce__(self) -> str | tuple[Any, ...]:
        return type(self), tuple([getattr(self, name) for name in self.__slots__])


@cache
def parts_of(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    """Return what gives the values of all fields of a class at once; there are at least two."""
    return attrgetter(*kind.__slots__)


@cache
def _setters(kind: Any) -> list[Callable[[object, object], None]]:
    return [getattr(kind, name).__set__ for name in kind.__slots__]


def replace(value: T, **changes: object) -> T:
    """Return a copy with other values in some fields, as `dataclasses.replace` does in twice the time."""
    kind: Any = type(value)
    copy: T = object.__new__(kind)
    for put, part in zip(_setters(kind), parts_of(kind)(value), strict=True):
        put(copy, part)
    for name, part in changes.items():
        object.__setattr__(copy, name, part)
    return copy


@dataclass(frozen=True, slots=True)
class Score(Value):
    """A number that a run was given from outside."""

    name: str
    value: float
    """Finite; of a ratio above zero."""
    unit: str | None = None
    higher_is_better: bool | None = None
    """None where nobody said."""
    is_ratio: bool = False
    """Whether factors count, as of a speedup, and not differences: its mean is the geometric one."""
    is_computed: bool = False


@dataclass(frozen=True, slots=True)
class Tokens(Value):
    """Token counts by kind. The kinds never overlap; None is unknown."""

    input: int | None = None
    """Sent and not cached: excludes cache writes and cache reads."""
    cache_write: int | None = None
    """Sent and written to the cache, for five minutes or an hour."""
    cache_read: int | None = None
    output: int | None = None
    """Received, thinking included."""
    cache_write_1h: int | None = None
    """The part of `cache_write` that was written for an hour; None where the split is not reported."""
    unsplit: int | None = None
    """Input and output in one count, without what was read from the cache; in none of the others."""

    @property
    def total(self) -> int | None:
        """Sum of the known kinds and of what is not split; None when nothing is known. `cache_write_1h` is inside
        `cache_write`."""
        return sum_known((self.input, self.cache_write, self.cache_read, self.output, self.unsplit))

    @property
    def sent(self) -> int | None:
        """Input, cache writes and cache reads together, as far as known."""
        return sum_known((self.input, self.cache_write, self.cache_read))

    @property
    def complete(self) -> bool:
        """Whether all four kinds are known."""
        return None not in (self.input, self.cache_write, self.cache_read, self.output)

    @property
    def is_total_known(self) -> bool:
        """Whether there is a total: of all kinds, or what a file says without a split, which is a lower bound."""
        return self.complete or self.unsplit is not None

    @property
    def counts(self) -> tuple[int | None, ...]:
        """All six, in their order."""
        return (
            self.input,
            self.cache_write,
            self.cache_read,
            self.output,
            self.cache_write_1h,
            self.unsplit,
        )

    def kind(self, name: str) -> int | None:
        """Return the count of one of TOKEN_KINDS."""
        count: int | None = getattr(self, name)
        return count

    def __add__(self, other: Tokens) -> Tokens:
        """Return sum kind by kind. What is unknown on one side adds nothing, so the sum is a lower bound; only the
        one-hour part, which is a split and not a count of its own, is unknown as soon as one side's is."""
        return Tokens(
            add_known(self.input, other.input),
            add_known(self.cache_write, other.cache_write),
            add_known(self.cache_read, other.cache_read),
            add_known(self.output, other.output),
            _add_split(self, other),
            add_known(self.unsplit, other.unsplit),
        )

    def or_else(self, other: Tokens) -> Tokens:
        """Return the same, with what is unknown as the other has it."""
        pairs = zip(self.counts, other.counts, strict=True)
        return Tokens(*(theirs if own is None else own for own, theirs in pairs))

    def __sub__(self, other: Tokens) -> Tokens:
        """Return the difference kind by kind; what is unknown on one side only counts as nothing there."""
        pairs = zip(self.counts, other.counts, strict=True)
        return Tokens(*(None if a is None and b is None else (a or 0) - (b or 0) for a, b in pairs))


def _add_split(a: Tokens, b: Tokens) -> int | None:
    """Return the one-hour part of a sum: a side without cache writes has none, whatever it reports."""
    if a.cache_write is None and b.cache_write is None:
        return None
    hour = a.cache_write_1h if a.cache_write else 0
    other_hour = b.cache_write_1h if b.cache_write else 0
    return None if hour is None or other_hour is None else hour + other_hour


@dataclass(frozen=True, slots=True)
class Portion(Value):
    """The part of a model's tokens that has other prices than the rest."""

    rates: tuple[str, ...]
    """The rates, as in `Run.billed_as`."""
    above: int
    """The largest of LONG_REQUESTS that each of its requests exceeds; 0 for none."""
    tokens: Tokens


LONG_REQUESTS = (100_000, 128_000, 199_999, 200_000, 272_000)
"""Tokens sent with one request above which the price of some model changes."""


@dataclass(frozen=True, slots=True)
class ModelUsage(Value):
    """One line of a run's ledger: what one model did in it, subagents and auxiliary calls included."""

    model: str | None
    """The raw id, as the file has it; None where the file names no model."""
    tokens: Tokens
    cost_usd: float | None = None
    web_searches: int | None = None
    portions: tuple[Portion, ...] = ()
    longest_request: int | None = None
    """Tokens sent with it; None where the file does not tell requests apart."""
    excludes_cache: bool = False
    """Whether its input has none in it that were read from the cache, though their count is unknown."""


BEGINNING = "begins "
"""Before the uuid of a key that identifies the records at the beginning of a run: another run may begin alike."""


@dataclass(frozen=True, slots=True)
class ResultKey(Value):
    """The identity of one result record: two files that hold equal keys hold the same record."""

    uuid: str
    cost_usd: float | None
    wall_ms: int | None
    turns: int | None


@dataclass(frozen=True, slots=True)
class Caveat(Value):
    """Something about a run that the reader of its page must know. `code` is a `W_...` code of docs/codes.md."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Denial(Value):
    """A tool call that the agent was not permitted to make."""

    tool: str
    wanted: str
    """The command, path or address it asked for; in one line once it is masked."""
    input_json: str  # the whole input, as indented JSON
    is_target: bool = False
    """Whether `wanted` is what an outline shows of any call, and not a part of its input."""


@dataclass(frozen=True, slots=True)
class Texts(Value):
    """The texts of a run, as opposed to its counts. Read again when its page is rendered, never kept."""

    summary: str | None = None
    """Markdown, the agent's own account. Excludes error messages."""
    summary_origin: str | None = None
    """The place of the summary when it is not the last result: "an earlier result", "the last message"."""
    errors: tuple[str, ...] = ()
    denials: tuple[Denial, ...] = ()
    structured_output: str | None = None
    fields: tuple[tuple[str, str], ...] = ()
    """Every field of the file that no section shows as it stands, as (path, value), in the order of the file."""
    field_kinds: tuple[TextKind | None, ...] = ()
    """The kind of each of them; None, and none at all, where the reader does not say."""
    summary_kind: TextKind = TextKind.ANSWER
    """PROMPT where it is only what the agent thought."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        return "NO_TEXTS" if self is NO_TEXTS else Value.__reduce__(self)


NO_TEXTS = Texts()
"""One for all runs without texts, also in another process."""


@dataclass(frozen=True, slots=True)
class ToolKindCounts(Value):
    """The figures stored about the calls of one kind of tool."""

    kind: str
    """One of `steps.ToolKind`."""
    calls: int
    failures: int
    """Whose answers are flagged as errors."""
    seconds: float | None
    """Time from question to answer over the calls with both; None where none has. Calls may overlap."""
    context_tokens: int | None
    """Growth of the context up to the next messages, shared by the sizes of the answers; None where not stated."""
    result_bytes: int


@dataclass(frozen=True, slots=True)
class StepCounts(Value):
    """The figures stored about the steps of a run: its subagents' included, each call once by its id."""

    steps: int
    tool_calls: int
    tool_failures: int | None
    """Answers flagged as errors, or with an exit code other than 0; None where a failure would not have been seen."""
    edited: tuple[int, ...] | None
    """A number for each path that editing tools changed, in order; None where an edit would not have been seen."""
    lines_added: int | None
    lines_removed: int | None
    subagents: int
    compactions: int | None
    """Summaries that replaced the context; None where the format does not record them, and none was seen."""
    context_peak_tokens: int | None
    """The most tokens that a message of the main agent sent: input, cache writes and cache reads."""
    commands_seconds: float | None
    by_kind: tuple[ToolKindCounts, ...] = ()
    """The counts for the kinds that were called, in the order of `steps.ToolKind`."""
    signals: tuple[str, ...] | None = None
    """Keys of the rules of `readers.common.signals` that found something; None where they did not look."""
    tests: str | None = None
    """Whether tests ran: `none`, `passed` after the last edit, or `unchecked`; None where that is unknown."""
    called: tuple[int, ...] | None = None
    """`names.called_key` of each tool, skill, plug-in and server that was called, in order; None where calls lack."""

    @property
    def files_edited(self) -> int | None:
        """Different paths that calls of editing tools changed."""
        return None if self.edited is None else len(self.edited)


@dataclass(frozen=True, slots=True)
class Part(Value):
    """A part of a session: what happened up to one of its results."""

    status: Status
    status_detail: str | None
    turns: int | None
    wall_ms: int | None
    cost_usd: float | None
    """The growth of the running total; None where it is unknown."""
    edits: int | None = None
    """Calls that edited a file, subagents' included; None where the file has no steps."""


@dataclass(frozen=True, slots=True)
class Run(Value):
    """The data that one file reports of one run of an agent. It knows nothing of the site."""

    reader: str
    """The kind of record that was read, in words: "Claude Code stream"."""
    status: Status
    status_detail: str | None = None
    """The reason, in two or three words: "turn limit", "usage limit", "API error"; None when nothing is to be added."""
    ledger: tuple[ModelUsage, ...] = ()
    """One line a model, the most expensive first (then most output tokens, then by id); before them the model that an
    evaluation names as evaluated."""
    ledger_is_lower_bound: bool = False
    """True where counts are missing: those of subagents, or those of the last turns of a process."""
    cost_usd: float | None = None
    """The cost that the file reports: a list price computed by the agent, not a bill."""
    output_is_lower_bound: bool = False
    """True where an answer has a placeholder in place of its count of output tokens."""
    cost_is_lower_bound: bool = False
    """True where tokens are missing that have a price, or a price cannot be determined."""
    cost_is_estimated: bool = False
    """True where the agent knew no price of a model, and reports a guess."""
    computed_cost_usd: float | None = None
    """The cost by our list of prices where the file reports no cost; never beside a reported one."""
    reported_cost_usd: float | None = None
    """The cost that the file reports, where the settings want all costs at list price."""
    wall_ms: int | None = None
    api_ms: int | None = None
    """Time in the API, summed over calls: with parallel calls it exceeds `wall_ms`."""
    turns: int | None = None
    denials: int | None = None
    web_searches: int | None = None
    web_fetches: int | None = None
    service_tier: str | None = None
    hour_writes: int | None = (
        None  # tokens that its main loop wrote to the cache for an hour, where the file says so
    )
    process_usage: Tokens | None = None
    """The tokens that its process used by itself, as far as stated, where its ledger and cost may go on with those of
    an earlier process; None where they cannot."""
    billed_as: tuple[str, ...] = ()
    """The facts in its calls that change the price of a token: "us", "fast", "batch", sorted."""
    session_id: str | None = None  # not unique: runs that were resumed share it
    uuid: str | None = None  # of the last result in the file: the best key of a run
    results: tuple[ResultKey, ...] = ()
    """All results in the file that have a uuid, in its order."""
    started_at: str | None = None  # UTC, ISO 8601 with Z; None where the file does not say
    ended_at: str | None = None
    """The last time in its file, in the same form."""
    cwd: str | None = None
    """The folder in which it worked, as its file states it; in a pack the last part alone."""
    agent_version: str | None = None
    effort: str | None = None
    """The reasoning effort that was asked for, in small letters: "high"; where it changed, "low, high" in order."""
    given: tuple[
        tuple[str, str], ...
    ] = ()  # names and values: permission mode, tools, digest of the prompt
    caveats: tuple[Caveat, ...] = ()
    steps: StepCounts | None = None  # None where its file has no steps
    parts: tuple[Part, ...] = ()
    """The parts of a session with several results in its file; empty where it has one."""
    agent_id: str | None = None
    """The agent id of a record of a subagent alone, which belongs to the run of its session."""
    answers: tuple[int, ...] = ()
    """Digests of the answers counted in its ledger, whose copies do not count; of stated figures that of the first."""
    is_stated: bool = False
    """Whether its figures are those of a result, and not the sum of its answers."""
    is_end: bool = False
    """The same, of a record that begins with an answer, so that another one has the beginning."""
    root: str | None = None
    """The uuid of the first line of a transcript: sessions that were resumed or forked share it."""
    folder: str | None = None
    """The kind of folder of a record by a program that runs agents (`readers.folders`), where the agent has its own."""
    is_shared: bool = False
    """Whether it is not a run but what such a program says of all its runs in the folder and below."""
    is_converted: bool = False
    """Whether it was converted from the agent's own record, which counts before it."""
    session_title: str | None = None  # made by the agent from its prompts
    task: str | None = None
    """The task as its file calls it; this and `attempt`, `outcome` and `scores` a benchmark states, never the agent."""
    evaluation: str | None = None
    """The evaluation that the task is a sample of; another evaluation may use the same name for another task."""
    attempt: int | None = None
    outcome: Outcome | None = None
    claimed: bool | None = None
    """Whether the agent states in a field of its answer that it did the task; None where no field says so."""
    scores: tuple[Score, ...] = ()
    judge: tuple[ModelUsage, ...] = ()
    """The usage of models that judged the agent or played another part than its own: in none of its figures."""
    judge_list_usd: float | None = None
    """The cost of the same by our list of prices; None where a price or a count is unknown."""
    factors: tuple[tuple[str, str], ...] = ()
    """Names and values of what its file or folder says that it differs in from others: its arm, as in skill, with."""
    unknown: tuple[str, ...] = ()
    """Kinds of records, and fields, that its reader does not know: the format may have changed."""
    locator: str | None = None
    """The place in its file, for its reader to find it again without the others; never shown."""
    texts: Texts = NO_TEXTS

    @property
    def agent(self) -> str:
        """The agent, as the name of its reader tells: "Claude Code" of "Claude Code stream"."""
        return self.reader.rpartition(" ")[0] or self.reader

    @property
    def form(self) -> str:
        """The form of its record, as the name of its reader tells: "stream" of "Claude Code stream"."""
        return self.reader.removeprefix(self.agent).lstrip()

    @property
    def model(self) -> str | None:
        """Raw id of the model that led the run: the one with the largest cost, unless an evaluation names another."""
        return self.ledger[0].model if self.ledger else None

    @property
    def project(self) -> str | None:
        """The last part of the folder in which it worked, of a work tree that of its repository."""
        folder = re.split(r"[\\/]\.[\w.-]*[\\/]?worktrees[\\/]", self.cwd or "")[0]
        name = re.split(r"[\\/]", folder.rstrip("\\/"))[-1]
        return "~" if name == "[user]" else name or None

    @property
    def spent_usd(self) -> float | None:
        """The cost: as reported, else as computed."""
        return self.computed_cost_usd if self.cost_usd is None else self.cost_usd

    @property
    def cost_is_computed(self) -> bool:
        """Whether the cost is at list price."""
        return self.cost_usd is None and self.computed_cost_usd is not None

    @property
    def exact_usd(self) -> float | None:
        """The same; None where it is a lower bound or a guess."""
        return self.spent_usd if self.cost_bound == "exact" else None

    @property
    def tokens(self) -> Tokens:
        """Sum over the ledger."""
        total = Tokens()
        for line in self.ledger:
            total += line.tokens
        return total

    @property
    def token_gaps(self) -> frozenset[str]:
        """The kinds whose count is unknown or a lower bound: a model does not report it, or subagents are missing."""
        if self.ledger_is_lower_bound or not self.ledger:
            return frozenset(TOKEN_KINDS)
        unknown = (
            kind
            for kind in TOKEN_KINDS
            if any(line.tokens.kind(kind) is None for line in self.ledger)
        )
        return frozenset((*unknown, *(["output"] if self.output_is_lower_bound else [])))

    @property
    def cost_bound(self) -> str:
        """Whether the cost is `exact`, an `estimate` or a `lower` bound; "" where it is unknown."""
        if self.spent_usd is None:
            return ""
        is_guess = self.cost_is_estimated and self.cost_usd is not None
        return "lower" if self.cost_is_lower_bound else "estimate" if is_guess else "exact"

    @property
    def is_total_exact(self) -> bool:
        """Whether the sum of all tokens is known and is not a lower bound."""
        is_known = bool(self.ledger) and all(line.tokens.complete for line in self.ledger)
        return is_known and not self.ledger_is_lower_bound and not self.output_is_lower_bound

    @property
    def sums_agree(self) -> bool | None:
        """Whether cost and ledger agree to half a cent; None where one is unknown, or a ledger with gaps is less."""
        summed = self.ledger_cost_usd
        if self.cost_usd is None or summed is None:
            return None
        agree = abs(self.cost_usd - summed) <= COST_TOLERANCE_USD
        return (
            None if not agree and self.ledger_is_lower_bound and summed < self.cost_usd else agree
        )

    @property
    def judge_usd(self) -> float | None:
        """The cost of its judges: as reported, else at list price."""
        reported = sum_complete(line.cost_usd for line in self.judge)
        return self.judge_list_usd if reported is None else reported

    @property
    def ledger_cost_usd(self) -> float | None:
        """Sum of the costs in the ledger; None when a line has none."""
        return sum_complete(line.cost_usd for line in self.ledger)

    def at_level(self, level: Level) -> Run:
        """Return the run without what the level does not publish. All that leaves a reader goes through this, but for
        steps; see docs/contributing/readers.md."""
        if level is Level.FULL:
            return self
        texts = self.texts
        has_answers = level.shows(TextKind.ANSWER)
        fields = zip_longest(texts.fields, texts.field_kinds[: len(texts.fields)])
        rows = [(field, kind) for field, kind in fields if level.shows(kind, *field)]
        shown, title, claimed = Texts(), None, None
        if has_answers:
            shown, title, claimed = texts, self.session_title, self.claimed
            if not level.shows(texts.summary_kind):
                shown = replace(shown, summary=None, summary_origin=None)
            if not level.shows(TextKind.CONTENT):
                bare = (
                    replace(each, input_json="", wanted=each.wanted * each.is_target)
                    for each in texts.denials
                )
                shown = replace(shown, denials=tuple(bare))
        shown = replace(
            shown,
            fields=tuple(field for field, _ in rows),
            field_kinds=tuple(kind for _, kind in rows),
        )
        return replace(self, session_title=title, claimed=claimed, texts=shown)

    def without_texts(self) -> Run:
        """Return the facts alone, about two kilobytes."""
        return replace(self, texts=NO_TEXTS)


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of figures, some of which may be unknown. With unknown parts it is a lower bound and must look like one."""

    value: float | None  # sum of the known; None when nothing is known
    known: int
    unknown: int

    @classmethod
    def of(cls, figures: Iterable[float | None]) -> Total:
        """Whole numbers stay whole; others are summed without accumulated rounding (math.fsum)."""
        return cls.of_bounds((figure, True) for figure in figures)

    @classmethod
    def of_bounds(cls, figures: Iterable[tuple[float | None, bool]]) -> Total:
        """Return the sum of figures, each with whether it is complete: what is known of incomplete ones is in it."""
        told = list(figures)
        incomplete = sum(figure is None or not is_complete for figure, is_complete in told)
        return cls(sum_known(figure for figure, _ in told), len(told) - incomplete, incomplete)

    @property
    def runs(self) -> int:
        """The number of figures, known or not."""
        return self.known + self.unknown

    @property
    def is_lower_bound(self) -> bool:
        """Whether something was added and something is missing."""
        return self.value is not None and self.unknown > 0


@dataclass(frozen=True, slots=True)
class Source(Value):
    """A file that may hold a run."""

    path: str
    """The path that the site shows: relative to its input, with slashes, cleaned; never a path of this machine."""
    location: str
    """Path of it, or of the archive that it is in, on this machine; appears in no page. See `address`."""
    named: bool
    """Whether the user named this very file, or the archive it is in: it is a problem when it holds no run."""
    size: int  # bytes
    input: int = 0  # position of the input it was found in
    within: str = ""
    """Its path within that input, with slashes; what path patterns are held against."""
    member: Member | None = None  # None where it is a file of its own
    address: Address | None = None
    """The address of it, or of its archive, where it is not on this machine; see `Address.as_path`."""
    level: Level = Level.FULL
    earlier: tuple[str, ...] = ()
    """Names of the files beside it that have the beginning of the same log, in their order."""

    @property
    def place(self) -> str:
        """Its location; of a member of an archive, that below it, as if the archive were a folder."""
        if self.member is None:
            return self.location
        name = re.split(r"[\\/]", self.location)[-1]
        return f"{self.location}/{self.path.partition(f'{name}/')[2] or self.within}"


@dataclass(frozen=True, slots=True)
class Problem(Value):
    """One sentence about one source, already cleaned."""

    path: str
    code: str
    verdict: Verdict
    reason: str
    place: str | None = None
    page_id: str | None = None  # of the run it concerns, when that run has a page

    @property
    def line(self) -> int:
        """The line that `place` names; 0 when it names none, so that what concerns the whole file comes first."""
        named = re.match("line ([0-9]+)", self.place or "")
        return int(named[1]) if named else 0

    @property
    def is_skipped_file(self) -> bool:
        """Whether a file that may be a run is on no other page. A row of an outcomes file is not a file."""
        return self.verdict is Verdict.SKIP and not self.is_about_outcomes

    @property
    def is_about_outcomes(self) -> bool:
        """Whether it concerns a file that states outcomes, or one of its rows."""
        return "_OUTCOME" in self.code


@dataclass(frozen=True, slots=True, order=True)
class Masked(Value):
    """The number of values of one kind that are masked in one place of one source; never a value."""

    path: str
    place: str
    """The part of the run or file: "summary", "patch", "file name"."""
    kind: str
    count: int
    page_id: str | None = None


@dataclass(frozen=True, slots=True)
class Entry(Value):
    """A run in its place: which file it came from and where it belongs."""

    id: str
    """Page id, unique and stable: `<slug>-<12 hex>`; the page is `runs/<id>.html`."""
    source: Source
    number: int  # position among the runs of its file, from 0
    digest: str  # SHA-256 of the file, hex
    run: Run  # without texts
    title: str
    """The file's stem, with folders where stems are alike."""
    name_suffix: str = ""
    """The text that distinguishes it from runs that would have the same name: its campaign, labels, path."""
    campaign: str | None = None
    task: str | None = None
    """None unless a sidecar, an outcomes file or a path pattern states it."""
    model: str | None = None
    configuration: str | None = None
    """Display name of what it is compared as, where its model alone does not tell it from others: agent and model."""
    ledger_names: tuple[str, ...] = ()
    """Display name of each line of the ledger, also where two lines are of one model, or one names none."""
    attempt: int | None = None
    stated_model: str | None = None
    """The model as the path or a sidecar calls it, which outcomes may call it too: "opus-high"."""
    outcome: Outcome | None = None
    """None unless a sidecar or an outcomes file states it, or a rule of the settings or its own limit decides it."""
    is_failed_by_rule: bool = False
    """Whether it is lost, and fails by the rule `unknown: fail` of a verdict."""
    untested: tuple[str, ...] = ()  # columns of outcomes files that are empty for it
    note: str | None = None  # of whoever judged it
    stated_claim: bool | None = None
    """The agent's claim about it, as a sidecar or an outcomes file states."""
    about: str | None = None  # what its account begins with
    scores: tuple[Score, ...] = ()
    factors: tuple[tuple[str, str], ...] = ()
    """Names and values of what the run differs in, besides task, attempt and campaign: its agent, its codebase."""
    stated: tuple[tuple[str, str], ...] = ()
    """Columns of outcomes files that state something else of it, and their cells: verdicts, observations."""
    derived: tuple[tuple[str, str | float], ...] = ()
    """Verdicts, observations and references that the settings make of what is stated of it, by the keys of fields."""
    labels: tuple[str, ...] = ()
    started_at: str | None = None
    """UTC, ISO 8601 with Z: as stated from outside, else as the run's file says."""
    patch: Source | None = None
    patch_digest: str | None = None  # SHA-256 of the text of the patch, hex
    patch_key: str | None = None
    """Digest of what the patch changes, whatever its positions and trailing white space; None without a change."""
    patch_lines: tuple[int, int] | None = None  # added and removed by the patch beside the run
    evidence: tuple[Source, ...] = ()
    """Files beside it that the settings name, such as logs of tests."""
    evidence_digests: tuple[str, ...] = ()
    """Digest of the size and the end of each; empty where it cannot be read."""
    lanes: tuple[Entry, ...] = ()
    """The records of the subagents of a session, whose figures are in its run."""
    copied_from: tuple[Source, ...] = ()
    """Transcripts of which it has copies of lines, which count there."""
    stated_in: tuple[Source, ...] = ()
    """Copies of its file, and files of the program that ran it, which say what became of it."""
    is_untouched: bool = False
    """Whether redaction changed nothing in its run: with the same settings the file need not be redacted again."""

    @property
    def places(self) -> tuple[Source, ...]:
        """The files by which it may be named, that which is shown first."""
        return self.source, *self.stated_in

    def without_other_sources(self, run: Run) -> Entry:
        """Return the entry with such a run, without what other files say of it but the patch: as a pack holds it."""
        return replace(
            self,
            run=run,
            lanes=(),
            copied_from=(),
            stated_in=(),
            evidence=(),
            evidence_digests=(),
            is_untouched=False,
        )

    def factor(self, name: str) -> str | None:
        """Return the value of a factor; None where it is unknown. An effort stated from outside counts before that of
        the file."""
        return dict(self.factors).get(name) or (self.run.effort if name == "effort" else None)

    @property
    def day(self) -> str | None:
        """The day on which it began, UTC."""
        return self.started_at and self.started_at[:10]

    @property
    def week(self) -> str | None:
        """The ISO week in which it began: "2026-W48"."""
        return self.day and "{0[0]}-W{0[1]:02}".format(date.fromisoformat(self.day).isocalendar())

    @property
    def compared_as(self) -> str | None:
        """Display name of its group on leaderboards, in matrices and charts: its configuration, else its model."""
        return self.configuration or self.model

    @property
    def claimed(self) -> bool | None:
        """Whether the agent states that it did the task: in a table, else in a field of its answer."""
        return self.run.claimed if self.stated_claim is None else self.stated_claim

    @property
    def agent(self) -> str:
        """The agent, as its path or a table says, else as its file tells."""
        return dict(self.factors).get("agent") or self.run.agent

    @property
    def level(self) -> Level:
        """The level at which its steps are published; they may be in several files."""
        return Level.lowest(self.source.level, *(lane.source.level for lane in self.lanes))

    @property
    def has_published_steps(self) -> bool:
        """Whether pages tell what happened in it."""
        return self.run.steps is not None and self.level is not Level.NONE

    @property
    def models(self) -> tuple[str, ...]:
        """Display names of the models that its file names, each once, the most expensive first."""
        lines = zip(self.ledger_names, self.run.ledger, strict=True)
        return tuple(dict.fromkeys(name for name, line in lines if line.model is not None))

    @property
    def name(self) -> str:
        """The name of the run on every page: `task · model · attempt`, as far as they are known, else its file's name;
        and behind it what tells it apart. No other run of the site is called so."""
        model = self.configuration or (self.model or "").removeprefix("Claude ")
        attempt = self.attempt
        parts = (
            (self.task, model, "" if attempt is None else str(attempt))
            if self.task
            else (self.title,)
        )
        return " · ".join(filter(None, (*parts, self.name_suffix)))
