"""Figures of many runs: sums, medians, shares and spreads, and their groups.

All are pure functions of the runs' facts. Two rules shape this module. Unknown values add nothing and are counted, so
that a sum with gaps is shown as a lower bound. And every figure has the number of runs it is based on. Nothing here
depends on the order of the runs.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from statistics import fmean

from sitegen.model import TOKEN_KINDS, Entry, Outcome, Status, Total, frozen
from sitegen.numbers import intervals
from sitegen.numbers.intervals import Interval, PairedIntervals, Question
from sitegen.numbers.success import (
    Judgement,
    is_cut_short,
    is_infrastructure_failure,
    judgement,
    reported_cost,
)
from sitegen.text.names import natural_order


@frozen
class CampaignSummary:
    """The figures of a set of runs."""

    runs: int
    by_status: Mapping[Status, int]
    """The number of runs that ended in each way, in the order of Status; ways that did not occur are left out."""
    cost: Total
    computed: Total
    """USD at list price, over the runs that report no cost, which are all that it counts."""
    spent: Total  # USD as reported, at list price where a run reports none
    median_cost_usd: float | None  # over the runs that report a cost
    by_kind: Mapping[str, Total]
    """Totals by TOKEN_KINDS; a run is unknown if a model does not report the kind, or only its main loop is counted."""
    total_tokens: Total  # all four kinds; a run is unknown in it when it is in one of them
    cache_hits: tuple[Total, Total]
    """Cache reads of the runs that sent tokens, and all tokens sent, as far as known; a run of which not all kinds are
    known is unknown in the second."""
    wall: Total  # milliseconds, run after run: parallel runs took less time on the clock
    median_wall_ms: float | None  # over the `wall.known` runs
    turns: Total
    models: tuple[str, ...]
    """Display names of the models that runs are grouped by, those of most runs first."""
    unreadable: int = 0
    """Further runs that could not be read: sums are lower bounds then."""

    def whole(self, total: Total) -> Total:
        """Return a sum of these runs as one of all, also of those that could not be read."""
        return Total(total.value, total.known, total.unknown + self.unreadable)

    @property
    def without_cost(self) -> int:
        """The number of runs that report no cost."""
        return self.computed.runs

    @property
    def median_cost(self) -> Total:
        """The median with the number of runs it rests on: a lower bound where the cost of one is."""
        bounds = self.cost.unknown - self.without_cost
        return Total(self.median_cost_usd, self.runs - self.cost.unknown, bounds)


def summarize(entries: Iterable[Entry]) -> CampaignSummary:
    """Return the figures of some runs. Of no runs, everything is zero runs and unknown."""
    entries = list(entries)
    runs = [entry.run for entry in entries]
    statuses = Counter(run.status for run in runs)
    models = Counter(entry.model for entry in entries if entry.model)
    used = [(run.tokens, run.token_gaps) for run in runs]
    by_kind: dict[str, Total] = {}
    for kind in TOKEN_KINDS:
        counts = [(tokens.kind(kind), kind not in gaps) for tokens, gaps in used]
        by_kind[kind] = Total.of_bounds(counts)
    return CampaignSummary(
        runs=len(runs),
        by_status={status: statuses[status] for status in Status if statuses[status]},
        cost=reported_cost(entries),
        computed=spent(entry for entry in entries if entry.run.cost_usd is None),
        spent=spent(entries),
        median_cost_usd=intervals.median(run.cost_usd for run in runs if run.cost_usd is not None),
        by_kind=by_kind,
        total_tokens=Total.of_bounds((run.tokens.total, run.is_total_exact) for run in runs),
        cache_hits=(
            Total.of(tokens.cache_read for tokens, _ in used if tokens.sent),
            Total.of_bounds((tokens.sent, gaps <= {"output"}) for tokens, gaps in used),
        ),
        wall=Total.of(run.wall_ms for run in runs),
        median_wall_ms=intervals.median(run.wall_ms for run in runs if run.wall_ms is not None),
        turns=Total.of(run.turns for run in runs),
        models=tuple(sorted(models, key=lambda name: (-models[name], name))),
    )


def spent(entries: Iterable[Entry]) -> Total:
    """Return what runs cost together: as reported, else at list price."""
    return Total.of_bounds(
        (entry.run.spent_usd, not entry.run.cost_is_lower_bound) for entry in entries
    )


class Dimension(StrEnum):
    """The dimension that runs are grouped by."""

    TASK = "task"
    CONFIGURATION = "configuration"
    MODEL = "model"
    CAMPAIGN = "campaign"
    LABEL = "label"
    PROJECT = "project"
    PERSON = "person"


AGENTS = (Dimension.CONFIGURATION, Dimension.MODEL)


def group_by(entries: Iterable[Entry], dimension: Dimension) -> dict[str, tuple[Entry, ...]]:
    """Return the runs of each task, main model, campaign or label, in natural order of the names ("task 2" before "task
    10"), runs in the order they came. A run with two labels is in both groups, and one of which nothing is stated is in
    none.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in _names(entry, dimension):
            groups.setdefault(name, []).append(entry)
    return {name: tuple(groups[name]) for name in sorted(groups, key=natural_order)}


def dimension_of(entries: Iterable[Entry]) -> Dimension:
    """Return the dimension that separates these runs: configurations, or models if these are enough."""
    is_enough = all(entry.configuration is None for entry in entries)
    return Dimension.MODEL if is_enough else Dimension.CONFIGURATION


def _names(entry: Entry, dimension: Dimension) -> tuple[str, ...]:
    """Return the groups a run is in, each once."""
    if dimension is Dimension.LABEL:
        return tuple(dict.fromkeys(entry.labels))
    is_factor = dimension in (Dimension.PROJECT, Dimension.PERSON)
    name = entry.factor(dimension) if is_factor else getattr(entry, dimension)
    return () if name is None else (name,)


# Scores of runs, such as a speedup: their means, medians and intervals.


@frozen
class ScoreMeasure:
    """The meaning of a score of this name."""

    name: str
    unit: str | None = None
    higher_is_better: bool | None = None
    is_ratio: bool = False
    is_share: bool = False
    """Whether each value is 0 or 1: then its mean is a share of runs, like a success rate."""
    field: str = ""
    """The key of the field that it counts a name of; empty for a score."""
    word: str = ""
    """This name."""
    counts_missing: bool = False
    """Whether a run that a table has and that has no name in this field is known to have none."""

    @property
    def lower_is_better(self) -> bool:
        """Whether lower values are known to be better."""
        return self.higher_is_better is False

    @property
    def key(self) -> str:
        """The name in data files."""
        if not self.field:
            return f"score.{self.name}"
        return self.field if self.word == Outcome.PASS else f"{self.field}={self.word}"

    @property
    def is_difference(self) -> bool:
        """Whether two sides are told apart by their difference alone."""
        return not self.is_ratio

    def of(self, entry: Entry) -> float | None:
        """Return the score of a run; None where it has none, and of infrastructure failures."""
        if is_infrastructure_failure(entry):
            return None
        if self.field:
            stated = dict(entry.derived).get(self.field)
            is_known = stated is not None or (self.counts_missing and entry.stated)
            return float(stated == self.word) if is_known else None
        return next((score.value for score in entry.scores if score.name == self.name), None)

    def mean(self, values: Iterable[float]) -> float:
        """Return the mean of one value or more, of ratios the geometric one."""
        return mean_score(values, self.is_ratio)

    def interval(self, clusters: Iterable[Sequence[float]]) -> Interval | None:
        """Return the interval of that mean."""
        if self.is_share:
            sums = ((round(math.fsum(values)), len(values)) for values in clusters)
            return intervals.rate_interval(sums)
        return mean_score_interval(clusters, self.is_ratio)

    def paired(self, pairs: Sequence[tuple[float, float]]) -> PairedIntervals:
        """Return the intervals of two sides, from the means of both on each task: of ratios that of the ratio alone, of
        others that of the difference."""
        if self.is_share:
            return intervals.paired_shares(pairs)
        differences = [[b - a] for a, b in pairs]
        if self.is_ratio:
            differences = [[math.log(b / a)] for a, b in pairs]
        tested = intervals.score_mean_test(differences)
        if tested is None:
            return PairedIntervals(None, None, None)
        interval, p = tested
        if self.is_ratio:
            return PairedIntervals(None, _exp(interval), p)
        return PairedIntervals(interval, None, p)


def score_measures(entries: Iterable[Entry]) -> tuple[ScoreMeasure, ...]:
    """Return all scores of these runs, in the order in which they are found; what is first stated of one counts. One
    that has a value of zero or less is not a ratio, whatever is stated of others; infrastructure failures have no
    values."""
    measures: dict[str, ScoreMeasure] = {}
    linear = set()
    graded = set()
    for entry in entries:
        for score in entry.scores:
            stated = ScoreMeasure(score.name, score.unit, score.higher_is_better, score.is_ratio)
            measures.setdefault(score.name, stated)
            counts = not is_infrastructure_failure(entry)
            if score.value <= 0 and counts:
                linear.add(score.name)
            if score.unit or score.is_ratio or (score.value not in (0, 1) and counts):
                graded.add(score.name)
    return tuple(
        replace(
            measure,
            is_ratio=measure.is_ratio and name not in linear,
            is_share=name not in graded,
        )
        for name, measure in measures.items()
    )


def mean_score(values: Iterable[float], is_ratio: bool) -> float:
    """Return the mean of one value or more, of ratios the geometric one. Ratios are above zero. In any order."""
    if is_ratio:
        return math.exp(fmean(list(map(math.log, values))))
    return fmean(list(values))


def mean_score_interval(clusters: Iterable[Sequence[float]], is_ratio: bool) -> Interval | None:
    """Return the interval of `mean_score` of values that come in clusters; None under five clusters, and where all are
    equal.

    For the difference of two sides on the same tasks it takes, of each task, the difference, of ratios the ratio.
    """
    if is_ratio:
        clusters = [list(map(math.log, values)) for values in clusters]
    tested = intervals.score_mean_test(clusters)
    if tested is None:
        return None
    return _exp(tested[0]) if is_ratio else tested[0]


def _exp(interval: Interval) -> Interval:
    return Interval(intervals.finite_exp(interval.low), intervals.finite_exp(interval.high))


_SUCCESS = {Judgement.PASSED: 1.0, Judgement.PARTIAL: 0.0, Judgement.FAILED: 0.0}


class Measure(StrEnum):
    """A figure of a run that is averaged and compared. Each is zero or more."""

    COST = "cost_usd"  # as reported
    TOKENS = "tokens"  # all four kinds
    WALL = "wall_ms"
    SUCCESS = "success"  # 1 for passed, 0 for failed or partial

    @property
    def lower_is_better(self) -> bool:
        """Whether lower values are better."""
        return self is not Measure.SUCCESS

    @property
    def key(self) -> str:
        """The name in data files."""
        return self.value

    @property
    def unit(self) -> str:
        """The unit of a figure in the data files."""
        return {
            Measure.COST: "USD",
            Measure.TOKENS: "tokens",
            Measure.WALL: "ms",
            Measure.SUCCESS: "share",
        }[self]

    @property
    def is_ratio(self) -> bool:
        """Whether factors count: only of scores."""
        return False

    @property
    def is_share(self) -> bool:
        """Whether its mean is a share of runs: more is better, and sides are told apart by their difference alone."""
        return self is Measure.SUCCESS

    higher_is_better = is_difference = is_share

    def of(self, entry: Entry) -> float | None:
        """Return the figure of one run; None when it is unknown. A cost may be a lower bound; so may tokens, if only
        those of the output are one, which are a small part of them.

        Success is unknown of infrastructure failures and of runs that nobody judged. A run that took no turn and sent
        nothing has no other figure: its zeros would only lower the mean of runs that did work. Nor has one that its
        surroundings ended before it had a known turn, token or cost.
        """
        run = entry.run
        is_nothing = self is not Measure.SUCCESS and not run.turns and not run.tokens.total
        is_spared = is_cut_short(entry) or is_infrastructure_failure(entry)
        if is_nothing and is_spared and (run.turns == 0 or not run.cost_usd):
            return None
        match self:
            case Measure.COST:
                return run.cost_usd
            case Measure.TOKENS:
                is_known = all(line.tokens.complete for line in run.ledger)
                return run.tokens.total if is_known and not run.ledger_is_lower_bound else None
            case Measure.WALL:
                return run.wall_ms
            case Measure.SUCCESS:
                return _SUCCESS.get(judgement(entry))

    def mean(self, values: Iterable[float]) -> float:
        """Return the mean of one value or more."""
        return mean_score(values, is_ratio=False)

    def interval(self, clusters: Iterable[Sequence[float]]) -> Interval | None:
        """Return the interval of a mean of figures from zero up."""
        return intervals.mean_interval(clusters)

    def paired(self, pairs: Sequence[tuple[float, float]]) -> PairedIntervals:
        """Return the intervals of two sides, from the means of both on each task; of success that of the difference
        alone."""
        if self is Measure.SUCCESS:
            return intervals.paired_shares(pairs)
        return intervals.paired_intervals(pairs)


AnyMeasure = Measure | ScoreMeasure


@frozen
class Spread:
    """The spread of a measure over some runs, in the unit of the measure. All is None where no run knows it."""

    known: int
    unknown: int  # runs left out, because they do not know it
    least: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    most: float | None
    mean: float | None
    """Over runs: a task that was attempted more often weighs more. Of scores that are ratios the geometric one."""
    is_lower_bound: bool
    """Whether the cost, or the tokens, of a run in it are a lower bound, and so are its mean and median."""
    interval: Interval | None
    """95 %, of the mean; None where there are too few tasks, or runs, to tell. Its upper end may be infinite."""
    median_interval: Interval | None
    best: float | None
    """The best value: the largest, or the least if lower is better; None if the direction is unknown."""


def _is_bound(entry: Entry, measure: AnyMeasure) -> bool:
    if measure is Measure.TOKENS:
        return not entry.run.is_total_exact
    return measure is Measure.COST and entry.run.cost_is_lower_bound


def spread(
    entries: Iterable[Entry], measure: AnyMeasure, question: Question = Question.TASKS_LIKE_THESE
) -> Spread:
    """Return how the measure is spread over the runs that know it. Of no runs, everything is unknown. The question is
    that of the interval."""
    every = [(entry, measure.of(entry)) for entry in entries]
    known = [(entry, figure) for entry, figure in every if figure is not None]
    drawn = intervals.clustered(known, question)
    figures = [figure for _, figure in known]
    best = max if measure.higher_is_better else min
    return Spread(
        known=len(known),
        unknown=len(every) - len(known),
        least=min(figures, default=None),
        most=max(figures, default=None),
        lower_quartile=intervals.quantile(figures, 0.25),
        upper_quartile=intervals.quantile(figures, 0.75),
        median=intervals.median(figures),
        median_interval=intervals.median_interval(drawn),
        mean=measure.mean(figures) if figures else None,
        interval=measure.interval(drawn),
        is_lower_bound=any(_is_bound(entry, measure) for entry, _ in known),
        best=None if measure.higher_is_better is None else best(figures, default=None),
    )
