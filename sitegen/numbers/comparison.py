"""Is A better than B? Two groups of runs, compared on the tasks that both attempted.

Means over different tasks are not comparable, so only shared tasks count. Nor are those of different models: two
campaigns, or labels, are compared where both attempted a task with the same model, and two models where both did so
in the same campaign; a campaign that only adds a cheap model is not cheaper. Where no runs are that alike, all runs of
the shared tasks are compared, and the difference may be one of what they do not share.

A task weighs the same however often it was attempted, and within a task each model, or campaign: its figure on a
side is the mean of their means. The difference between the sides is then paired by task, and its interval is one over
tasks (`intervals.paired_intervals`, `intervals.paired_shares`): the attempts of one task resemble each other, and to
count them singly would promise more than they can tell.

Infrastructure failures are left out of every measure, not of success alone: a run that died at once cost next to
nothing, and would make its side look cheap. Whoever is left out is counted.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import field, replace
from enum import StrEnum
from itertools import chain
from operator import attrgetter
from statistics import fmean

from sitegen.model import Entry, by_key, frozen
from sitegen.numbers import intervals
from sitegen.numbers.intervals import CONFIDENCE, MIN_CLUSTERS, Interval, PairedIntervals
from sitegen.numbers.statistics import (
    AGENTS,
    AnyMeasure,
    Dimension,
    Measure,
    ScoreMeasure,
    score_measures,
)
from sitegen.numbers.success import is_cut_short, is_infrastructure_failure, is_lost, other_counting
from sitegen.numbers.treatment import Treatment
from sitegen.text.names import natural_order

# Would more tasks or more attempts narrow a comparison? What its variance consists of, and what another design shows.
# The difference of two sides on a task varies for two reasons: a task suits one side better than the other, and
# attempts of one side at one task do not end alike. More tasks make both smaller, more attempts the second alone. The
# parts are those of the method of moments (analysis of variance, unweighted means): the variance of attempts is pooled
# within tasks and sides, and what it does not explain of the variance between tasks is the first part, 0 where that is
# negative: S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components" (1992), chapter 3. The interval of the
# attempts' share is that of the logarithm of the ratio of both, leaving out each task in turn (the jackknife), since
# passed and failed are far from normal: J. N. Arvesen and T. H. Schmitz, "Robust Procedures for Variance Component
# Problems Using the Jackknife", Biometrics 26 (1970).

MIN_TASKS = 15  # under so many tasks the parts cannot be told apart
MAX_SHARE_WIDTH = 0.85  # nor where the interval of the attempts' share is wider
_FEW_FREE = 4  # fewer repeated attempts of a side say nothing of how alike they are
_FEW_TASKS = 40  # up to so many tasks ten more are considered, above a quarter more


@frozen
class TaskAttempts:
    """The attempts of one side at one task."""

    counts: tuple[int, ...]  # runs of each model, or campaign, whose means weigh the same
    squares: float
    """The sum of squared distances of runs from the mean of their like, on the scale of the comparison."""

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.counts)

    @property
    def free(self) -> int:
        """Degrees of freedom of `squares`."""
        return sum(self.counts) - len(self.counts)

    def weight(self, more: int = 0) -> float:
        """Return the variance of the mean in variances of one attempt, with so many more of each."""
        return math.fsum(1 / (count + more) for count in self.counts) / len(self.counts) ** 2


Sides = tuple[
    Sequence[TaskAttempts], Sequence[TaskAttempts]
]  # the attempts of both sides at each task


@frozen
class Design:
    """The runs that would be added, and the variance of a task's difference that is expected then."""

    tasks: int
    attempts: int  # the number of additional attempts of each side at each task
    variance: float
    narrows: float  # the factor by which an interval by Student's t narrows
    runs: tuple[float, float]  # the number of runs needed on either side


@frozen
class Designs:
    """Two ways to add about as many runs."""

    more_tasks: Design
    more_attempts: Design | None
    attempts_share: tuple[float, Interval] | None
    """The part of the variance that attempts make, with its 95 % interval; None where it cannot be told."""


def designs(differences: Sequence[float], sides: Sides) -> Designs | None:
    """Return what to add to these tasks, each with the difference of its sides and their attempts; None where all tasks
    differ alike."""
    tasks = len(differences)
    variance = intervals.covariance(differences, differences) if tasks > 1 else 0.0
    if not variance:
        return None
    runs_a, runs_b = map(_mean_runs, sides)
    more = 10 if tasks <= _FEW_TASKS else round(tasks / 40) * 10
    narrows = _narrows(tasks, tasks + more, 1.0)
    further = Design(more, 0, variance, narrows, (more * runs_a, more * runs_b))
    known = _share(differences, sides) if tasks >= MIN_TASKS else None
    if known is None or known[1].high - known[1].low > MAX_SHARE_WIDTH:
        return Designs(further, None, None)
    share = min(known[0], 1.0)
    kinds_a, kinds_b = map(_count_kinds, sides)
    again = max(round(math.fsum(further.runs) / (kinds_a + kinds_b)), 1)
    rest = 1 - share + share * _of_attempts(sides, again) / _of_attempts(sides)
    narrows = _narrows(tasks, tasks, rest)
    repeated = Design(0, again, variance * rest, narrows, (again * kinds_a, again * kinds_b))
    return Designs(further, repeated, (share, known[1]))


def _mean_runs(side: Sequence[TaskAttempts]) -> float:
    return fmean([cell.runs for cell in side])


def _count_kinds(side: Sequence[TaskAttempts]) -> int:
    return sum(len(cell.counts) for cell in side)


def _narrows(tasks: int, then: int, rest: float) -> float:
    return _reach(then) / _reach(tasks) * math.sqrt(rest)


def _reach(tasks: int) -> float:
    """Return half the width of the interval of a mean over tasks, in standard deviations of one."""
    return intervals.student_t(intervals.UPPER_SHARE, tasks - 1) / math.sqrt(tasks)


def _of_attempts(sides: Sides, more: int = 0) -> float:
    """Return the variance of a task's difference that is one of attempts, with so many more of them."""
    return math.fsum(_of_attempts_of(side, more) for side in sides)


def _of_attempts_of(side: Sequence[TaskAttempts], more: int) -> float:
    variance = sum(cell.squares for cell in side) / sum(cell.free for cell in side)
    return variance * fmean([cell.weight(more) for cell in side])


def _share(differences: Sequence[float], sides: Sides) -> tuple[float, Interval] | None:
    """Return the attempts' share of the variance, and its interval; None where too few attempts are repeated to
    tell."""
    n = len(differences)
    total = math.fsum(differences)
    squares = math.fsum(difference * difference for difference in differences)
    sums = [_sums(side) for side in sides]

    def log_ratio(left_out: int | None) -> float | None:
        """Return the logarithm of the ratio of the variance of attempts to the total variance, leaving out one task."""
        m = n if left_out is None else n - 1
        difference = 0.0 if left_out is None else differences[left_out]
        rest = squares - difference * difference
        whole = (rest - (total - difference) ** 2 / m) / (m - 1)
        of_attempts = 0.0
        for (spread, free, weight), side in zip(sums, sides, strict=True):
            if left_out is not None:
                cell = side[left_out]
                spread -= cell.squares
                free -= cell.free
                weight -= cell.weight()
            if free < _FEW_FREE:
                return None
            of_attempts += spread / free * weight / m
        return math.log(of_attempts / whole) if of_attempts > _ROUNDING < whole else None

    log = log_ratio(None)
    without = [log_ratio(task) for task in range(n)]
    if log is None or None in without:
        return None
    pseudo = [n * log - (n - 1) * other for other in without if other is not None]
    quantile = intervals.student_t(intervals.UPPER_SHARE, n - 1)
    reach = quantile * intervals.standard_error(pseudo)
    low = min(fmean(pseudo) - reach, log, 0.0)
    high = min(max(fmean(pseudo) + reach, log), 0.0)
    return math.exp(log), Interval(math.exp(low), math.exp(high))


def _sums(side: Sequence[TaskAttempts]) -> tuple[float, int, float]:
    return (
        math.fsum(cell.squares for cell in side),
        sum(cell.free for cell in side),
        math.fsum(cell.weight() for cell in side),
    )


LEVEL_COST = 0.01
"""Mean costs of a task that differ by no more, as a share of the larger one, are level: nobody is said to cost less."""

_ROUNDING = 1e-12
"""Means that differ by less, as a share, are equal: the difference is one of how the computer rounds."""


class Effect(StrEnum):
    """The verdict on the difference B - A, by its corrected p-value."""

    LOWER = "lower"  # B is lower
    HIGHER = "higher"  # B is higher
    UNDECIDED = "undecided"  # it may be chance: these tasks do not tell
    LEVEL = "level"  # both sides are equal on every task, costs to LEVEL_COST
    TOO_FEW = "too few"  # tasks, or runs, to tell: there is no interval
    NOT_TESTED = "not tested"  # it is not in the family of claims


@frozen
class Side:
    """The runs of a group that take part. The counts add up to the runs of the group."""

    runs: Mapping[str, tuple[Entry, ...]] = field(compare=False)
    """The runs that are compared, by task; within it by model, or campaign."""
    judged: tuple[Entry, ...] = field(compare=False)
    """The same, and the infrastructure failures among their like: what the successes took."""
    unlike: int  # on shared tasks, but with models, or in campaigns, of this side only
    without_task: int
    other_tasks: int  # on tasks that the other side did not attempt, infrastructure failures aside
    infrastructure: int
    in_both: int
    """The number of runs in both groups, as a run with both labels is: it says nothing about their difference."""

    @property
    def compared(self) -> int:
        """The number of runs that are compared."""
        return sum(map(len, self.runs.values()))

    @property
    def listed(self) -> int:
        """The number of them that are compared at list price, since their files report no cost; see `by_list_price`."""
        runs = (entry.run for entry in chain(*self.runs.values()))
        return sum(None not in (run.cost_usd, run.computed_cost_usd) for run in runs)


@frozen
class TaskPair:
    """One shared task in one measure. Success is the share of runs that passed."""

    task: str
    a: float
    """Mean over the runs of A that know the measure; of several models, or campaigns, the mean of their means."""
    b: float
    a_cell: TaskAttempts
    b_cell: TaskAttempts
    a_sum: float  # over the same runs; of success, those that passed
    b_sum: float

    @property
    def difference(self) -> float:
        """B - A."""
        return self.b - self.a


@frozen
class Contrast(PairedIntervals):
    """A and B in one measure or score, in its unit (success: a share). Of a score that is a ratio all means are
    geometric, and it has no difference. Success and scores that are not ratios have none."""

    measure: AnyMeasure
    tasks: tuple[
        TaskPair, ...
    ]  # shared tasks that both sides know the measure of, in natural order
    tasks_left_out: int  # shared tasks that a side does not know it of
    runs_left_out: int  # compared runs of the tasks above that do not know it themselves
    runs_alone: int
    """Further ones that know it, while the other side has no such run of their model, or campaign."""
    a: float | None  # mean over the tasks; None without tasks
    b: float | None
    corrected_p: float | None = None
    """`claimed_p`, corrected for the family of claims in this measure; None of one that is made alone."""
    is_claimed: bool = True  # whether it is in that family
    other: "Contrast | None" = None
    """Success by the other counting of lost runs; None where none is lost."""

    @property
    def mean_difference(self) -> float | None:
        """B - A: the difference of the means, which is the mean of the differences."""
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def mean_ratio(self) -> float | None:
        """B / A; None when A is zero."""
        return None if not self.a or self.b is None else self.b / self.a

    @property
    def claimed_p(self) -> float | None:
        """The p-value of a difference by both countings, the larger one; 1 where these contradict each other."""
        if self.other is None or self.p_value is None:
            return self.p_value
        other_p = self.other.p_value
        differences = (self.mean_difference or 0.0, self.other.mean_difference or 0.0)
        return 1.0 if other_p is None or math.prod(differences) <= 0 else max(self.p_value, other_p)

    def p_of_better(self, *, is_b: bool) -> float | None:
        """Return the one-sided p-value of one side being better; None without a test."""
        same = 1 if self.measure.is_ratio else 0
        seen = self.mean_ratio if self.measure.is_ratio else self.mean_difference
        if self.p_value is None or seen is None:
            return None
        is_seen = (seen > same) is (is_b is not self.measure.lower_is_better)
        return self.p_value / 2 if is_seen else 1 - self.p_value / 2

    @property
    def effect(self) -> Effect:
        """The verdict on B against A."""
        if len(self.tasks) >= MIN_CLUSTERS and self.ties == len(self.tasks):
            return Effect.LEVEL
        interval, same = (self.ratio, 1) if self.measure.is_ratio else (self.difference, 0)
        p = self.claimed_p if self.corrected_p is None else self.corrected_p
        if interval is None or p is None:
            return Effect.TOO_FEW
        if not self.is_claimed:
            return Effect.NOT_TESTED
        if p > 1 - CONFIDENCE or same in interval:
            return Effect.UNDECIDED
        return Effect.HIGHER if interval.low > same else Effect.LOWER

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval of the difference, or of the logarithm of the ratio; None where it has not
        both ends."""
        interval = self.difference
        ratio = self.ratio
        if self.measure.is_difference:
            return None if interval is None else (interval.high - interval.low) / 2
        if ratio is None or not 0 < ratio.low < ratio.high < math.inf:
            return None
        return math.log(ratio.high / ratio.low) / 2

    @property
    def designs(self) -> Designs | None:
        """The runs that would narrow this; None where there is nothing to narrow, or a task's mean is zero."""
        if self.half_width is None:
            return None
        differences = [pair.difference for pair in self.tasks]
        if not self.measure.is_difference:
            if not all(pair.a and pair.b for pair in self.tasks):
                return None
            differences = [math.log(pair.b / pair.a) for pair in self.tasks]
        a = [pair.a_cell for pair in self.tasks]
        b = [pair.b_cell for pair in self.tasks]
        return designs(differences, (a, b))

    def half_width_with(self, design: Design) -> float:
        """Return the half width that is expected with one of `designs`."""
        tasks = len(self.tasks) + design.tasks
        mean = self.mean_difference or 0.0
        if self.measure is Measure.SUCCESS:
            squares = (tasks - 1) * design.variance + tasks * mean * mean
            interval, _, _ = intervals.matched_shares(tasks, tasks * mean, squares)
            return (interval.high - interval.low) / 2
        return (self.half_width or 0.0) * design.narrows

    @property
    def a_wins(self) -> int:
        """Tasks on which A is better: cheaper, shorter, or passed more often."""
        unlike = [pair for pair in self.tasks if not self._is_level(pair)]
        lower = sum(pair.a < pair.b for pair in unlike)
        return lower if self.measure.lower_is_better else len(unlike) - lower

    @property
    def b_wins(self) -> int:
        """Tasks on which B is better."""
        return len(self.tasks) - self.a_wins - self.ties

    @property
    def ties(self) -> int:
        """Tasks on which the means are equal, costs to LEVEL_COST."""
        return sum(map(self._is_level, self.tasks))

    def _is_level(self, pair: TaskPair) -> bool:
        share = LEVEL_COST if self.measure is Measure.COST else 0.0
        return abs(pair.difference) <= share * max(pair.a, pair.b)


@frozen
class Comparison:
    """Two groups of one dimension on their shared tasks."""

    tasks: tuple[str, ...]
    """Attempted by both with the same model, or in the same campaign; all that both attempted where none is."""
    shared: int  # tasks that both attempted in any way
    alike: Dimension
    """The further property that compared runs of a task share: the model, or for models the campaign."""
    is_alike: bool  # whether they do; if not, it is known to be the same on no shared task
    is_weighed: bool  # whether a task of theirs has several of it
    a: Side
    b: Side
    contrasts: Mapping[Measure, Contrast]
    scores: Mapping[str, Contrast]
    """The contrasts for each score that both sides have, by name, in the order in which they are found."""
    fields: Mapping[str, Contrast] = field(default_factory=dict)
    """The same for the shares of runs that pass a verdict, or that something was observed of."""
    treatment: Treatment | None = None
    """The number of runs that received the treatment, where B is an arm and A its control."""

    @property
    def all_contrasts(self) -> list[Contrast]:
        """The contrasts for scores, other fields, and the measures of all runs."""
        return [*self.scores.values(), *self.fields.values(), *self.contrasts.values()]

    @property
    def claims(self) -> bool:
        """Whether there are enough shared tasks to claim anything. A measure may still know too few of them."""
        return len(self.tasks) >= MIN_CLUSTERS


_Part = tuple[list[Entry], list[Entry]]  # runs of A and of B that are alike
_Parts = Mapping[str, Mapping[str, _Part]]
_Kind = Callable[[Entry], str | None]
_ByTask = Mapping[str, Sequence[Entry]]


def by_list_price(entry: Entry) -> Entry:
    """Return a run that reports no cost as if it reported what list prices give; that stays beside it, which tells it
    from one that was reported."""
    run = entry.run
    if run.cost_usd is not None or run.computed_cost_usd is None:
        return entry
    return replace(entry, run=replace(run, cost_usd=run.computed_cost_usd))


def compare(
    a_entries: Iterable[Entry],
    b_entries: Iterable[Entry],
    dimension: Dimension,
    only: AnyMeasure | None = None,
    measures: Iterable[ScoreMeasure] | None = None,
) -> Comparison:
    """Return how B differs from A in every measure, or only in one; two groups of this dimension.

    `measures` are what the scores of all runs mean, so that one is in every pair a share or none; else these tell. The
    order of the runs changes nothing; nor do the names of the tasks.
    """
    a_entries = list(a_entries)
    b_entries = list(b_entries)
    in_both = {entry.id for entry in a_entries} & {entry.id for entry in b_entries}
    a = attempts(a_entries, in_both)
    b = attempts(b_entries, in_both)
    alike = Dimension.CAMPAIGN if dimension in AGENTS else Dimension.MODEL
    kind: _Kind = _campaign_of if dimension in AGENTS else attrgetter("compared_as")
    parts = _parts(a, b, kind)
    is_alike = bool(parts)
    if not is_alike:
        kind = _any_kind
        parts = _parts(a, b, kind)
    shared = a.keys() & b.keys()
    contrasts = {
        measure: _contrast(measure, parts) for measure in Measure if only in (None, measure)
    }
    if Measure.SUCCESS in contrasts and any(map(is_lost, chain(a_entries, b_entries))):
        other_a = attempts(map(other_counting, a_entries), in_both)
        other_b = attempts(map(other_counting, b_entries), in_both)
        other = _contrast(Measure.SUCCESS, _parts(other_a, other_b, kind))
        contrasts[Measure.SUCCESS] = replace(contrasts[Measure.SUCCESS], other=other)
    side_a = _side(0, a_entries, a, shared, parts, kind, in_both)
    side_b = _side(1, b_entries, b, shared, parts, kind, in_both)
    scores = [] if isinstance(only, Measure) else _shared_scores(side_a, side_b, measures)
    if only is not None:
        scores = [score for score in scores if score.name == only.name]
    return Comparison(
        tasks=tuple(parts),
        shared=len(shared),
        alike=alike,
        is_alike=is_alike,
        is_weighed=any(len(by_kind) > 1 for by_kind in parts.values()),
        a=side_a,
        b=side_b,
        contrasts=contrasts,
        scores={score.name: _contrast(score, parts) for score in scores if not score.field},
        fields={score.name: _contrast(score, parts) for score in scores if score.field},
    )


def _campaign_of(entry: Entry) -> str:
    return entry.campaign or ""  # runs of no campaign are alike, of unknown models not


def _any_kind(_: Entry) -> str:
    return ""


def _shared_scores(a: Side, b: Side, measures: Iterable[ScoreMeasure] | None) -> list[ScoreMeasure]:
    """Return the scores, and shares of other fields, of which runs of both sides have a value."""
    a_runs = list(chain(*a.runs.values()))
    b_runs = list(chain(*b.runs.values()))
    measures = measures or score_measures(a_runs + b_runs)
    return [measure for measure in measures if _known(a_runs, measure) and _known(b_runs, measure)]


def _parts(a: _ByTask, b: _ByTask, kind: _Kind) -> dict[str, dict[str, _Part]]:
    """Return the runs of each shared task, in natural order, by their kind, None for unlike any other, where both sides
    have runs of it."""
    parts = {}
    for task in sorted(a.keys() & b.keys(), key=natural_order):
        by_kind: dict[str, _Part] = {}
        for number, side in enumerate((a, b)):
            for entry in side[task]:
                name = kind(entry)
                if name is not None:
                    by_kind.setdefault(name, ([], []))[number].append(entry)
        shared = {name: part for name, part in by_kind.items() if all(part)}
        if shared:
            parts[task] = shared
    return parts


def attempts(entries: Iterable[Entry], left_out: set[str]) -> dict[str, list[Entry]]:
    """Return the runs by task that can take part: of a known task, in one group only, no infrastructure failures."""
    apt = (
        entry
        for entry in entries
        if entry.id not in left_out and not is_infrastructure_failure(entry)
    )
    return by_key(apt, lambda entry: entry.task)


def _side(
    number: int,
    entries: Sequence[Entry],
    tasks: _ByTask,
    shared: set[str],
    parts: _Parts,
    kind: _Kind,
    in_both: set[str],
) -> Side:
    alone = [entry for entry in entries if entry.id not in in_both]
    runs = {
        task: tuple(chain(*(part[number] for part in by_kind.values())))
        for task, by_kind in parts.items()
    }
    known = [entry for entry in alone if entry.task is not None]
    unknown = [entry for entry in alone if entry.task is None]
    on_shared = sum(len(tasks[task]) for task in shared)
    infrastructure = sum(map(is_infrastructure_failure, alone))
    return Side(
        runs=runs,
        judged=tuple(entry for entry in known if kind(entry) in parts.get(entry.task or "", ())),
        unlike=on_shared - sum(map(len, runs.values())),
        without_task=sum(not is_infrastructure_failure(entry) for entry in unknown),
        other_tasks=sum(map(len, tasks.values())) - on_shared,
        infrastructure=infrastructure,
        in_both=len(entries) - len(alone),
    )


def _contrast(measure: AnyMeasure, parts: _Parts) -> Contrast:
    """Return A and B in one measure."""
    pairs: list[TaskPair] = []
    runs_left_out = runs_alone = 0
    for task, by_kind in parts.items():
        known = [
            (_known(a, measure), _known(b, measure))
            for a, b in by_kind.values()
            if measure is not Measure.COST or _has_one_basis(a, b)
        ]
        known_on_both = [part for part in known if all(part)]
        if known_on_both:
            pair = _pair(task, measure, known_on_both)
            runs = _count_runs(known)
            runs_left_out += _count_runs(by_kind.values()) - runs
            runs_alone += runs - pair.a_cell.runs - pair.b_cell.runs
            pairs.append(pair)
    ends = measure.paired([(pair.a, pair.b) for pair in pairs])
    return Contrast(
        measure=measure,
        tasks=tuple(pairs),
        a=measure.mean(pair.a for pair in pairs) if pairs else None,
        b=measure.mean(pair.b for pair in pairs) if pairs else None,
        tasks_left_out=len(parts) - len(pairs),
        runs_left_out=runs_left_out,
        runs_alone=runs_alone,
        difference=ends.difference,
        ratio=ends.ratio,
        p_value=ends.p_value,
    )


def _count_runs(parts: Iterable[tuple[Sized, Sized]]) -> int:
    return sum(len(a) + len(b) for a, b in parts)


def _pair(
    task: str, measure: AnyMeasure, parts: Sequence[tuple[Sequence[float], Sequence[float]]]
) -> TaskPair:
    """Return both sides at a task, of which each part has runs of both that are alike."""
    a, b = zip(*parts, strict=True)
    a_mean = measure.mean(map(measure.mean, a))
    b_mean = measure.mean(map(measure.mean, b))
    if math.isclose(a_mean, b_mean, rel_tol=_ROUNDING):
        a_mean = b_mean = min(a_mean, b_mean)
    sums = math.fsum(chain(*a)), math.fsum(chain(*b))
    return TaskPair(task, a_mean, b_mean, _cell(a, measure), _cell(b, measure), *sums)


def _cell(side: Sequence[Sequence[float]], measure: AnyMeasure) -> TaskAttempts:
    """Return the runs of a task. Those of what is compared by ratio lie apart by their logarithms, or as a part of
    their mean, which is about the same and can be told of zeros."""
    squares = 0.0
    for values in side:
        mean = measure.mean(values)
        scale = 1.0 if measure.is_difference else mean or 1.0
        for value in values:
            distance = math.log(value / mean) if measure.is_ratio else (value - mean) / scale
            squares += distance**2
    return TaskAttempts(tuple(map(len, side)), squares)


def _has_one_basis(*sides: Iterable[Entry]) -> bool:
    """Return whether all costs of both sides are reported, or all at list price: others are not compared."""
    runs = (entry.run for side in sides for entry in side if entry.run.cost_usd is not None)
    return len({run.computed_cost_usd is None for run in runs}) < 2


def _known(entries: Iterable[Entry], measure: AnyMeasure) -> list[float]:
    """Return the figures of those that know theirs exactly: the side whose costs are lower bounds would look cheap, and
    so would one of runs that were cut short."""
    if isinstance(measure, Measure) and measure is not Measure.SUCCESS:
        entries = [entry for entry in entries if not is_cut_short(entry)]
    if measure is Measure.COST:
        entries = [entry for entry in entries if entry.run.cost_bound == "exact"]
    return [figure for entry in entries if (figure := measure.of(entry)) is not None]
