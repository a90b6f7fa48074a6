"""Figures of many runs: sums, medians, shares and spreads, and the groups they are told for.

All are pure functions of the runs' facts. Two rules shape this module. What is unknown adds nothing and is
counted, so that a sum with gaps is shown as the lower bound that it is. And every figure carries the number of
runs it rests on. Nothing here depends on the order of the runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sitegen.model import TOKEN_KINDS, Entry, Status, Total
from sitegen.names import natural_order
from sitegen.numbers.intervals import (
    CONFIDENCE,
    Interval,
    PairedIntervals,
    Question,
    clustered,
    mean_interval,
    median,
    median_interval,
    paired_intervals,
    quantile,
    score_mean_interval,
    share_difference,
)
from sitegen.numbers.success import Judgement, is_infrastructure_failure, judgement


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


COMPARED = Dimension.MODEL
"""What is compared on leaderboards, in matrices, charts and pages of groups: the groups of this dimension."""


def compared_as(entry: Entry) -> str | None:
    """The group of a run among those that are compared: for now the model that led it; None where it is not known."""
    return entry.model


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
            name = compared_as(entry)
        case Dimension.CAMPAIGN:
            name = entry.campaign
    return () if name is None else (name,)


# Scores of runs, such as a speedup: their means, medians and intervals.


@dataclass(frozen=True, slots=True)
class ScoreMeasure:
    """What a score of this name means."""

    name: str
    unit: str | None = None
    higher_is_better: bool | None = None
    """None where nobody said."""
    is_ratio: bool = False

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is known to be better."""
        return self.higher_is_better is False

    @property
    def key(self) -> str:
        """What data files call it."""
        return f"score.{self.name}"

    @property
    def is_difference(self) -> bool:
        """Whether two sides are told apart by their difference alone."""
        return not self.is_ratio

    def of(self, entry: Entry) -> float | None:
        """The score of a run; None where it has none, and of infrastructure failures."""
        if is_infrastructure_failure(entry):
            return None
        return next((score.value for score in entry.scores if score.name == self.name), None)

    def mean(self, values: Iterable[float]) -> float:
        """The mean of one value or more, of ratios the geometric one."""
        return mean_score(values, self.is_ratio)

    def interval(self, clusters: Iterable[Sequence[float]]) -> Interval | None:
        """The interval of that mean."""
        return mean_score_interval(clusters, self.is_ratio)

    def paired(self, told: Sequence[tuple[float, float]]) -> PairedIntervals:
        """The intervals of two sides, from the means of both on each task: of ratios that of the ratio alone, of others
        that of the difference."""
        apart = self.interval([two / one if self.is_ratio else two - one] for one, two in told)
        return PairedIntervals(None, apart) if self.is_ratio else PairedIntervals(apart, None)


def score_measures(entries: Iterable[Entry]) -> tuple[ScoreMeasure, ...]:
    """All scores of these runs, in the order in which they are found; what is first stated of one counts. One that has
    a value of zero or less is no ratio, whatever is stated of others."""
    found: dict[str, ScoreMeasure] = {}
    linear = set()
    for entry in entries:
        for score in entry.scores:
            stated = ScoreMeasure(score.name, score.unit, score.higher_is_better, score.is_ratio)
            found.setdefault(score.name, stated)
            if score.value <= 0:
                linear.add(score.name)
    return tuple(
        ScoreMeasure(each.name, each.unit, each.higher_is_better, each.is_ratio and each.name not in linear)
        for each in found.values()
    )


def mean_score(values: Iterable[float], is_ratio: bool) -> float:
    """The mean of one value or more, of ratios the geometric one. Ratios are above zero. In any order."""
    values = list(values)
    if is_ratio:
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return math.fsum(values) / len(values)


def mean_score_interval(
    clusters: Iterable[Sequence[float]], is_ratio: bool, confidence: float = CONFIDENCE
) -> Interval | None:
    """The interval of `mean_score` of values that come in clusters; None under five clusters, and where all are equal.

    For the difference of two sides on the same tasks it takes, of each task, the difference, of ratios the ratio.
    """
    rows = [[math.log(value) for value in values] if is_ratio else values for values in clusters]
    told = score_mean_interval(rows, confidence)
    return Interval(_exp(told.low), _exp(told.high)) if told and is_ratio else told


def _exp(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf


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

    @property
    def higher_is_better(self) -> bool:
        """The other way round."""
        return self is Measure.SUCCESS

    @property
    def key(self) -> str:
        """What data files call it."""
        return self.value

    @property
    def unit(self) -> str:
        """Of a figure in the data files."""
        return {Measure.COST: "USD", Measure.TOKENS: "tokens", Measure.WALL: "ms", Measure.SUCCESS: "share"}[self]

    @property
    def is_ratio(self) -> bool:
        """Whether factors count: only of scores."""
        return False

    @property
    def is_difference(self) -> bool:
        """Whether two sides are told apart by their difference alone."""
        return self is Measure.SUCCESS

    def of(self, entry: Entry) -> float | None:
        """The figure of one run; None when it is unknown or a lower bound.

        Success is unknown of infrastructure failures and of runs that nobody judged.
        """
        match self:
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

    def mean(self, values: Iterable[float]) -> float:
        """The mean of one value or more."""
        return mean_score(values, is_ratio=False)

    def interval(self, clusters: Iterable[Sequence[float]]) -> Interval | None:
        """The interval of a mean of figures from zero up."""
        return mean_interval(clusters)

    def paired(self, told: Sequence[tuple[float, float]]) -> PairedIntervals:
        """The intervals of two sides, from the means of both on each task; of success that of the difference alone."""
        if self is Measure.SUCCESS:
            return PairedIntervals(share_difference(told), None)
        return paired_intervals(told)


AnyMeasure = Measure | ScoreMeasure
"""A figure of a run, or a score."""


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
    """Over runs: a task that was attempted more often weighs more. Of scores that are ratios the geometric one."""
    interval: Interval | None
    """95 %, of the mean; None where there are too few tasks, or runs, to tell. Its upper end may be infinite."""
    median_interval: Interval | None
    """95 %, of the median; None where too few tell."""
    best: float | None
    """The largest, or the least where lower is better; None where nobody said which is better."""


def spread(entries: Iterable[Entry], measure: AnyMeasure, question: Question = Question.TASKS_LIKE_THESE) -> Spread:
    """How the measure is spread over the runs that know it. Of no runs, everything is unknown. The question is that of
    the interval."""
    entries = list(entries)
    told = ((entry, measure.of(entry)) for entry in entries)
    drawn = clustered(((entry, figure) for entry, figure in told if figure is not None), question)
    figures = [figure for own in drawn for figure in own]
    best = max if measure.higher_is_better else min
    return Spread(
        known=len(figures),
        unknown=len(entries) - len(figures),
        least=min(figures, default=None),
        lower_quartile=quantile(figures, 0.25),
        median=median(figures),
        upper_quartile=quantile(figures, 0.75),
        most=max(figures, default=None),
        mean=measure.mean(figures) if figures else None,
        interval=measure.interval(drawn),
        median_interval=median_interval(drawn),
        best=None if measure.higher_is_better is None else best(figures, default=None),
    )
