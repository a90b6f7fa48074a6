"""Several sources on one run: which of them each figure is taken from, and where they contradict each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from itertools import product
from typing import Any

from sitegen import figures
from sitegen.model import COST_TOLERANCE_USD, Caveat, ModelUsage, Run, Status, Tokens, sum_known


class FigureSource(Enum):
    """The source of a figure."""

    OWN = auto()
    """The agent, in a record that is whole."""
    PART = auto()
    """The agent, in a record that breaks off or lacks some of what was used, as a transcript does beside a result."""
    CONVERTED = auto()
    """A program that converted the agent's record, and may count an answer more than once; or the agent, rounded."""
    HARNESS = auto()
    """The program that ran the agent, about this run."""
    DECIDED = auto()
    """The same, of an end that it brought about itself, such as a time limit."""
    COPIED = auto()
    """The same, of counts that it has from a conversion."""
    SHARED = auto()
    """The same, about all runs alike."""


_TASK = (
    FigureSource.HARNESS,
    FigureSource.SHARED,
    FigureSource.OWN,
    FigureSource.PART,
    FigureSource.CONVERTED,
)
_AGENT = (
    FigureSource.OWN,
    FigureSource.PART,
    FigureSource.CONVERTED,
    FigureSource.SHARED,
    FigureSource.HARNESS,
)
ORDER: Mapping[str, Sequence[FigureSource]] = {
    **dict.fromkeys(("task", "evaluation", "attempt", "outcome", "scores"), _TASK),
    "status": (
        FigureSource.DECIDED,
        FigureSource.OWN,
        FigureSource.HARNESS,
        FigureSource.PART,
        FigureSource.CONVERTED,
    ),
    "wall_ms": (FigureSource.HARNESS, FigureSource.OWN, FigureSource.CONVERTED, FigureSource.PART),
    "started_at": (
        FigureSource.OWN,
        FigureSource.PART,
        FigureSource.HARNESS,
        FigureSource.CONVERTED,
    ),
    "cost_usd": (FigureSource.OWN, FigureSource.HARNESS, FigureSource.CONVERTED, FigureSource.PART),
    "ledger": (
        FigureSource.OWN,
        FigureSource.HARNESS,
        FigureSource.PART,
        FigureSource.CONVERTED,
        FigureSource.COPIED,
    ),
    **dict.fromkeys(("model", "reader", "effort"), _AGENT),
    "agent_version": (
        FigureSource.OWN,
        FigureSource.PART,
        FigureSource.HARNESS,
        FigureSource.CONVERTED,
    ),
}
"""The figures of which others than the record that is shown may know more, and whom to believe: the first that knows
it. What a run did is told by the record that is shown alone."""
# The marks that a figure is a lower bound, by the figure: it goes with it.
_MARKS = {
    "ledger": ("ledger_is_lower_bound", "output_is_lower_bound"),
    "cost_usd": ("cost_is_lower_bound", "cost_is_estimated"),
}
_SHARE = 0.01  # the share by which two counts of tokens may differ
_DOUBTS_OF_TOKENS = frozenset({"W_MISSING", "W_NO_RESULT"})


def fill_gaps(
    shown: Run, duplicates: Sequence[Run], final_statuses: frozenset[Status] = frozenset()
) -> Run:
    """Fill gaps of the run that is shown from its duplicates. `final_statuses` are the ends that a harness brings
    about itself."""
    shown, *duplicates = _with_cache_beside((shown, *duplicates))
    sources = _by_origin(shown, duplicates, final_statuses)
    changed: dict[str, Any] = {}
    for figure in ORDER.keys() - {"model", "ledger", "status"}:
        if best := _most_trusted(sources, figure):
            changed[figure] = getattr(best, figure)
    if ended := _most_trusted(sources, "status"):
        changed |= {"status": ended.status, "status_detail": ended.status_detail}
    counted = _counted(sources)
    if counted is not None and counted is not shown:
        changed |= {"ledger": counted.ledger, "hour_writes": None} | _marks(counted, "ledger")
    if paid := _most_trusted(sources, "cost_usd"):
        changed |= _marks(paid, "cost_usd")
    named = _most_trusted(sources, "model")
    ledger: tuple[ModelUsage, ...] = changed.get("ledger", shown.ledger)
    if named is not None and all(line.model is None for line in ledger):
        lines = ledger or (ModelUsage(None, Tokens()),)
        changed["ledger"] = tuple(replace(line, model=named.model) for line in lines)
    filled = replace(shown, **changed)
    caveats = (
        *_valid_caveats(shown, duplicates, counted),
        *_contradictions(filled, sources),
    )
    return replace(filled, caveats=tuple(dict.fromkeys(caveats)))


_Sources = Mapping[FigureSource, Sequence[Run]]


def _most_trusted(sources: _Sources, figure: str) -> Run | None:
    """Return the first run that knows a figure, in the order of trust."""
    for origin in ORDER[figure]:
        for run in sources[origin]:
            if _known(run, figure):
                return run
    return None


def _counted(sources: _Sources) -> Run | None:
    """Return the run whose tokens count, marked where some may be missing."""
    counted = _most_trusted(sources, "ledger")
    if counted is None:
        return None
    for part in sources[FigureSource.PART]:
        if not counted.is_stated and is_more(part.tokens.total, counted.tokens.total):
            counted = replace(part, ledger_is_lower_bound=True)
    if _may_be_part(counted, sources[FigureSource.HARNESS]):
        return replace(counted, ledger_is_lower_bound=True)
    return counted


def _valid_caveats(shown: Run, duplicates: Sequence[Run], counted: Run | None) -> list[Caveat]:
    """Return the caveats that hold of what is shown: doubts about tokens only of the run whose tokens count."""
    runs = (shown, *duplicates)
    doubting = list(runs) if counted in (None, shown) else []
    if counted is shown:
        harness = [run for run in duplicates if run.folder is not None]
        doubting = [run for run in doubting if run not in harness]
    caveats: list[Caveat] = []
    for run in runs:
        is_doubting = run in doubting
        caveats += [c for c in run.caveats if is_doubting or c.code not in _DOUBTS_OF_TOKENS]
    return caveats


def _may_be_part(counted: Run, harness: Sequence[Run]) -> bool:
    """Return whether the program that ran an agent counts more than its record, which states no total."""
    is_own = counted.folder is None and not counted.is_converted and not counted.is_stated
    return is_own and any(is_more(run.tokens.total, counted.tokens.total) for run in harness)


def is_cut(part: Run, whole: Run) -> bool:
    """Return whether an agent's record breaks off before the end of the one that was converted: that one has more calls
    of tools, and more tokens. A conversion may count the same answers more than once, but not their calls."""
    if (
        part.is_stated
        or part.is_converted
        or not whole.is_converted
        or part.steps is None
        or whole.steps is None
    ):
        return False
    has_more_calls = whole.steps.tool_calls > part.steps.tool_calls
    return has_more_calls and is_more(whole.tokens.total, part.tokens.total)


def _with_cache_beside(runs: Sequence[Run]) -> list[Run]:
    """Return the runs. Counts of a harness or a conversion do not state whether what was sent includes what came from
    the cache: it does not, where another source then has the same counts to the token."""
    counts = [(run.tokens.input, run.tokens.cache_read, run.tokens.output) for run in runs]
    alike: list[Run] = []
    for run in runs:
        if run.tokens.cache_read and (run.is_converted or run.folder is not None):
            lines = tuple(replace(line, tokens=_beside(line.tokens)) for line in run.ledger)
            other = replace(run, ledger=lines)
            is_same = (other.tokens.input, other.tokens.cache_read, other.tokens.output) in counts
            alike.append(other if is_same else run)
        else:
            alike.append(run)
    return alike


def _beside(tokens: Tokens) -> Tokens:
    return replace(
        tokens, input=None if tokens.input is None else tokens.input + (tokens.cache_read or 0)
    )


def _by_origin(
    shown: Run, others: Sequence[Run], decides: frozenset[Status]
) -> dict[FigureSource, list[Run]]:
    found: dict[FigureSource, list[Run]] = {origin: [] for origin in FigureSource}
    runs = (shown, *others)
    conversions = [run for run in runs if run.is_converted]
    for run in runs:
        if run.is_shared:
            found[FigureSource.SHARED].append(run)
        elif run.folder is not None:
            if run.status in decides:
                found[FigureSource.DECIDED].append(run)
            is_copied = any(_is_near(run.tokens, other.tokens) for other in conversions)
            found[FigureSource.COPIED] += [run] if is_copied else []
            found[FigureSource.HARNESS].append(replace(run, ledger=()) if is_copied else run)
        elif run.is_converted or any(caveat.code == "W_ROUNDED" for caveat in run.caveats):
            found[FigureSource.CONVERTED].append(run)
        else:
            is_part = run.ledger_is_lower_bound or run.status is Status.INTERRUPTED
            if any(each.is_stated for each in runs):
                is_part = not run.is_stated or run.ledger_is_lower_bound
            if any(is_cut(run, whole) for whole in conversions):
                run = replace(run, ledger=())
                is_part = True
            lacks_cache = not is_part and run.tokens.unsplit is not None
            found[FigureSource.PART if is_part or lacks_cache else FigureSource.OWN].append(run)
            if lacks_cache or (
                is_part and run.is_stated
            ):  # how it ended, and a whole cost, it knows all the same
                cost = None if run.cost_is_lower_bound else run.cost_usd
                found[FigureSource.OWN].append(replace(run, ledger=(), cost_usd=cost))
    found[FigureSource.PART].sort(key=lambda run: not run.is_stated)
    return found


def _known(run: Run, figure: str) -> bool:
    if figure == "ledger":
        return run.tokens.total is not None
    return getattr(run, figure) not in (None, (), Status.UNKNOWN, "unknown")


def _marks(run: Run, figure: str) -> dict[str, Any]:
    return {mark: getattr(run, mark) for mark in _MARKS[figure]}


def is_more(least: int | None, other: int | None) -> bool:
    """Return whether a count of which some is missing is more than another."""
    return least is not None and other is not None and least * (1 - _SHARE) > other


def _is_near(a: Tokens, b: Tokens) -> bool:
    """Return whether two counts are of the same tokens, as far as both know the kinds."""
    pairs = [(a.cache_read, b.cache_read), (a.output, b.output)]
    inputs = [(a.input, b.input)]
    if None in (
        a.cache_write,
        b.cache_write,
    ):  # what was written to the cache may be among what was sent
        inputs.append((sum_known((a.input, a.cache_write)), sum_known((b.input, b.cache_write))))
    return any(_are_near([pair, *pairs]) for pair in inputs)


def _are_near(pairs: Sequence[tuple[int | None, int | None]]) -> bool:
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    return bool(known) and all(abs(x - y) <= _SHARE * max(x, y) for x, y in known)


def _contradictions(decided: Run, sources: Mapping[FigureSource, Sequence[Run]]) -> list[Caveat]:
    """Return where the record of the agent and the program that ran it say what cannot both be true, and what is
    shown."""
    said: list[str] = []
    parts = sources[FigureSource.PART]
    records = (
        *sources[FigureSource.OWN],
        *parts,
        *sources[FigureSource.CONVERTED][: not sources[FigureSource.OWN]],
    )
    copied = product(parts, sources[FigureSource.COPIED])
    results = product(parts, (run for run in (*sources[FigureSource.OWN], *parts) if run.is_stated))
    for own, other in (*product(records, sources[FigureSource.HARNESS]), *copied, *results):
        who = _TRANSCRIPT if other.is_stated else _WHO
        counts = own.tokens.total, other.tokens.total
        # One count without kinds does not say what it sums.
        is_comparable = None not in counts and other.tokens.unsplit is None
        differ = is_comparable and not _is_near(own.tokens, other.tokens)
        if differ and (own not in parts or is_more(*counts)):
            pair = " and ".join(map(figures.count, counts))
            bound = " as a lower bound" if decided.ledger_is_lower_bound else ""
            said.append(
                f"{who} count {pair} tokens; {figures.count(decided.tokens.total)} are shown{bound}."
            )
        cost = own.cost_usd
        stated = other.cost_usd
        if cost is not None and stated is not None and abs(cost - stated) > COST_TOLERANCE_USD:
            shown = figures.money(decided.cost_usd)
            said.append(
                f"{who} report {figures.money(cost)} and {figures.money(stated)}; {shown} is shown."
            )
        if _ends_contradict(own, other) and not sources[FigureSource.DECIDED]:
            said.append(
                f"{who} say {own.status.value} and {other.status.value}; {decided.status.value} is shown."
            )
    return [Caveat("W_CONTRADICTION", text) for text in said]


def _ends_contradict(own: Run, other: Run) -> bool:
    """Return whether one record says that the run was done, and the other that it was not."""
    if other.is_stated:
        return False  # a transcript does not state how it ended
    ends = {own.status, other.status}
    return Status.OK in ends and bool(ends & {Status.FAILED, Status.STOPPED})


_WHO = "The record of the agent and the program that ran it"
_TRANSCRIPT = "The transcript of the session and its result"
