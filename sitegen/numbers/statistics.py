"""Figures of many runs: sums, medians, shares and spreads, and the groups they are told for.

All are pure functions of the runs' facts. Two rules shape this module. What is unknown adds nothing and is
counted, so that a sum with gaps is shown as the lower bound that it is. And every figure carries the number of
runs it rests on. Nothing here depends on the order of the runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sitegen.model import TOKEN_KINDS, Entry, Status, Total
from sitegen.names import natural_order
from sitegen.numbers.clusters import Question, clustered
from sitegen.numbers.intervals import Interval, mean_interval, median, median_interval, quantile
from sitegen.numbers.success import Judgement, judgement


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, both as counts."""

    part: int
    whole: int
    runs: int
    """How many runs are in it: those whose counts are known."""


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """The figures of a set of runs."""

    runs: int
    by_status: Mapping[Status, int]
    """How many runs ended in each way, in the order of Status; ways that did not occur are left out."""
    cost: Total
    """USD as reported."""
    computed: Total
    """USD by list price, over the runs that report no cost."""
    spent: Total
    """USD as reported, by list price where a run reports none."""
    median_cost_usd: float | None
    """Over the `cost.known` runs that report a cost."""
    by_kind: Mapping[str, Total]
    """For each of TOKEN_KINDS. A run is unknown in it when one of its models does not report that kind, or
    when only its main loop was counted; what it does report is in the sum."""
    total_tokens: Total
    """All four kinds; a run is unknown in it when it is in one of them."""
    cache_hits: Share
    """Cache reads in all tokens sent, over the runs that know input, cache writes and cache reads."""
    wall: Total
    """Milliseconds, run after run: parallel runs took less time on the clock."""
    median_wall_ms: float | None
    """Over the `wall.known` runs."""
    turns: Total
    models: tuple[str, ...]
    """Display names of the models that runs are grouped by, those of most runs first."""


class Sum:
    """A sum of figures that come one by one, some of them unknown. It keeps each, for sums without accumulated rounding
    and for medians: a figure takes eight bytes where the facts of its run take a thousand."""

    __slots__ = ("figures", "incomplete", "total")

    def __init__(self) -> None:
        self.figures: list[float] = []
        """Those that are known, if only as lower bounds."""
        self.incomplete = 0
        """How many are unknown or lower bounds."""
        self.total = 0
        """How many there are."""

    def add(self, figure: float | None, *, is_complete: bool = True) -> None:
        """Take one more figure, None where it is unknown."""
        self.total += 1
        self.incomplete += figure is None or not is_complete
        if figure is not None:
            self.figures.append(figure)

    def merge(self, other: Sum) -> None:
        """Take all that the other has."""
        self.figures += other.figures
        self.incomplete += other.incomplete
        self.total += other.total

    def result(self) -> Total:
        """The sum, with what is known of incomplete figures in it."""
        return Total(Total.of(self.figures).value, self.total - self.incomplete, self.incomplete)


def reported_cost(entries: Iterable[Entry]) -> Total:
    """What runs report that they cost, together."""
    costs = Sum()
    for entry in entries:
        costs.add(entry.run.cost_usd, is_complete=not entry.run.cost_is_lower_bound)
    return costs.result()


class Statistics:
    """The figures of runs that come one by one, in any order. Those of sets that share no run can be merged."""

    def __init__(self) -> None:
        self._statuses, self._models = Counter[Status](), Counter[str]()
        self._sums = {name: Sum() for name in ("reported", "computed", "wall", "turns", "tokens", *TOKEN_KINDS)}
        self._hits = [0, 0, 0]

    def add(self, entry: Entry) -> None:
        """Take one more run."""
        run, tokens, gaps = entry.run, entry.run.tokens, entry.run.token_gaps
        self._statuses[run.status] += 1
        self._models.update([entry.model] if entry.model else [])
        name = "computed" if run.cost_usd is None else "reported"
        self._sums[name].add(run.spent_usd, is_complete=not run.cost_is_lower_bound)
        self._sums["wall"].add(run.wall_ms)
        self._sums["turns"].add(run.turns)
        self._sums["tokens"].add(tokens.total, is_complete=run.is_total_exact)
        for kind in TOKEN_KINDS:
            self._sums[kind].add(tokens.kind(kind), is_complete=kind not in gaps)
        if gaps <= {"output"}:
            self._count_hits(tokens.cache_read or 0, tokens.sent or 0, 1)

    def merge(self, other: Statistics) -> None:
        """Take all runs of the other."""
        self._statuses.update(other._statuses)
        self._models.update(other._models)
        for name, figures in other._sums.items():
            self._sums[name].merge(figures)
        self._count_hits(*other._hits)

    def _count_hits(self, *counts: int) -> None:
        self._hits = [mine + more for mine, more in zip(self._hits, counts, strict=True)]

    def result(self) -> CampaignSummary:
        """The figures. Of no runs, everything is zero runs and unknown."""
        sums, spent = {name: figures.result() for name, figures in self._sums.items()}, Sum()
        for part in ("reported", "computed"):
            spent.merge(self._sums[part])
        return CampaignSummary(
            runs=spent.total,
            by_status={status: self._statuses[status] for status in Status if self._statuses[status]},
            cost=Total(sums["reported"].value, self._sums["reported"].total, self._sums["computed"].total),
            computed=sums["computed"],
            spent=spent.result(),
            median_cost_usd=median(self._sums["reported"].figures),
            by_kind={kind: sums[kind] for kind in TOKEN_KINDS},
            total_tokens=sums["tokens"],
            cache_hits=Share(*self._hits),
            wall=sums["wall"],
            median_wall_ms=median(self._sums["wall"].figures),
            turns=sums["turns"],
            models=tuple(sorted(self._models, key=lambda name: (-self._models[name], name))),
        )


def summarize(entries: Iterable[Entry]) -> CampaignSummary:
    """The figures of some runs."""
    statistics = Statistics()
    for entry in entries:
        statistics.add(entry)
    return statistics.result()


class Dimension(StrEnum):
    """What runs are grouped by."""

    TASK = "task"
    MODEL = "model"
    CAMPAIGN = "campaign"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Groups:
    """Runs by what they have in one dimension."""

    dimension: Dimension
    by_name: Mapping[str, tuple[Entry, ...]]
    """In natural order of the names ("task 2" before "task 10"); runs in the order they came."""


def group_by(entries: Iterable[Entry], dimension: Dimension) -> Groups:
    """The runs of each task, main model, campaign or label. A run with two labels is in both groups, and one of
    which nothing is stated is in none.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in _names(entry, dimension):
            groups.setdefault(name, []).append(entry)
    return Groups(dimension, {name: tuple(groups[name]) for name in sorted(groups, key=natural_order)})


def _names(entry: Entry, dimension: Dimension) -> tuple[str, ...]:
    """The groups a run is in, each once."""
    match dimension:
        case Dimension.LABEL:
            return tuple(dict.fromkeys(entry.labels))
        case Dimension.TASK:
            name = entry.task
        case Dimension.MODEL:
            name = entry.model
        case Dimension.CAMPAIGN:
            name = entry.campaign
    return () if name is None else (name,)


class Measure(StrEnum):
    """A figure of a run that is averaged and compared. Each is zero or more."""

    COST = "cost_usd"  # as reported
    TOKENS = "tokens"  # all four kinds
    WALL = "wall_ms"
    SUCCESS = "success"  # 1 for passed, 0 for failed or partial

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is what one wants."""
        return self is not Measure.SUCCESS


def measured(entry: Entry, measure: Measure) -> float | None:
    """The figure of one run; None when it is unknown or a lower bound.

    Success is unknown of infrastructure failures and of runs that nobody judged.
    """
    match measure:
        case Measure.COST:
            return entry.run.cost_usd
        case Measure.TOKENS:
            return entry.run.tokens.total if entry.run.is_total_exact else None
        case Measure.WALL:
            return entry.run.wall_ms
        case Measure.SUCCESS:
            verdict = judgement(entry)
            unknown = verdict in (Judgement.INFRASTRUCTURE, Judgement.UNJUDGED)
            return None if unknown else float(verdict is Judgement.PASSED)


@dataclass(frozen=True, slots=True)
class Spread:
    """How a measure is spread over some runs, in the unit of the measure. All is None where no run knows it."""

    known: int
    """Runs in it."""
    unknown: int
    """Runs left out, because they do not know it."""
    least: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    most: float | None
    mean: float | None
    """Over runs: a task that was attempted more often weighs more."""
    interval: Interval | None
    """95 %, of the mean; None where there are too few tasks, or runs, to tell. Its upper end may be infinite."""
    median_interval: Interval | None
    """95 %, of the median; None where too few tell."""


def spread(entries: Iterable[Entry], measure: Measure, question: Question = Question.TASKS_LIKE_THESE) -> Spread:
    """How the measure is spread over the runs that know it. Of no runs, everything is unknown. The question is that of
    the interval."""
    entries = list(entries)
    told = ((entry, measured(entry, measure)) for entry in entries)
    drawn = clustered(((entry, figure) for entry, figure in told if figure is not None), question)
    figures = [figure for own in drawn for figure in own]
    return Spread(
        known=len(figures),
        unknown=len(entries) - len(figures),
        least=min(figures, default=None),
        lower_quartile=quantile(figures, 0.25),
        median=median(figures),
        upper_quartile=quantile(figures, 0.75),
        most=max(figures, default=None),
        mean=math.fsum(figures) / len(figures) if figures else None,
        interval=mean_interval(drawn),
        median_interval=median_interval(drawn),
    )
