"""The changes over campaigns, and the campaigns on which they were clear.

The campaigns are replayed in order. With each one, a change-point statistic of each task and each measure is compared
with a threshold: the Shiryaev-Roberts statistic, which sums, over the campaigns at which the change may have begun, how
much likelier the results are with a change there than without one. Rates before and after are unknown, so each
likelihood is averaged over them (Jeffreys' prior for shares; for means the ratio of Gönen's t test, with the spread
from night to night unknown too). Where nothing changes, the sum grows by one a campaign on average, so a series exceeds
a threshold of A less than once in A campaigns; so the thresholds grow with the number of series on a page.
docs/campaigns.md has the delays and the false alerts, which `benchmarks.trends` measures.

What is not clear yet is said all the same, with the attempts it rests on: too few attempts are not "no change".

Sources: A. N. Shiryaev, "On Optimum Methods in Quickest Detection Problems", Theory of Probability and Its Applications
8 (1963); M. Pollak, "Average Run Lengths of an Optimal Method of Detecting a Change in Distribution", Annals of
Statistics 15 (1987), for likelihoods averaged over unknown rates; J. Shin, A. Ramdas and A. Rinaldo, "E-detectors", New
England Journal of Statistics in Data Science 2 (2023), for the bound and for sharing it; M. Gönen and others, "The
Bayesian Two-Sample t Test", The American Statistician 59 (2005).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import accumulate, pairwise
from operator import or_
from statistics import fmean

from sitegen.model import by_key, frozen
from sitegen.numbers.campaigns import Attempts, CampaignFigures, is_share, joined, unify_names
from sitegen.numbers.intervals import Interval, mean_interval, rate_interval

RECENT = 3  # campaigns for which an alert is new, the one that raised it included
_OF_TASKS, _OF_MEASURES = 50, 120
"""Thresholds, for each series of a page: together under one false alert in 60 campaigns (`benchmarks.trends`)."""
_WINDOW = 20
"""Campaigns back from the newest, up to which a change may have begun that is not announced yet."""
_NOTEWORTHY = 3.0
"""The factor by which a change must make the results likelier to be mentioned before it is clear."""
_WIDTH = 10.0  # variance of a step that is looked for, in variances of a campaign's mean
_ROUNDING = 1e-18
_MOST = 700.0


class TaskVerdict(StrEnum):
    """The verdict on a task."""

    NEWLY_FAILS = "newly fails"
    NEWLY_PASSES = "newly passes"
    FAILS = "fails"
    PASSES = "passes"
    LESS_OFTEN = "passes less often"
    MORE_OFTEN = "passes more often"
    SOMETIMES = "passes sometimes"
    UNJUDGED = "not judged"


NEW = {TaskVerdict.FAILS: TaskVerdict.NEWLY_FAILS, TaskVerdict.PASSES: TaskVerdict.NEWLY_PASSES}


@frozen
class Count:
    """Passed and judged runs."""

    passed: int
    judged: int

    @property
    def rate(self) -> float:
        """Share of passed runs."""
        return self.passed / self.judged

    @classmethod
    def of(cls, cells: Iterable[Attempts | None]) -> "Count":
        """Return all of these."""
        known = [cell for cell in cells if cell]
        return cls(sum(cell.passed for cell in known), sum(cell.judged for cell in known))


@frozen
class Alert:
    """A change, as it was clear with one campaign."""

    since: int  # position of the first campaign after the change
    detected: int  # position of the campaign with which it was clear
    before: Count | float
    """The runs of a task, or the mean of a measure, since the change before this one."""
    after: Count | float

    @property
    def means(self) -> tuple[float, float]:
        """The means before and after, of a task the shares of passed runs."""
        before, after = (
            each.rate if isinstance(each, Count) else each for each in (self.before, self.after)
        )
        return before, after

    @property
    def verdict(self) -> TaskVerdict:
        """The verdict on the task."""
        before, after = self.means
        if after < 0.5 <= before:
            return TaskVerdict.FAILS
        if before < 0.5 <= after:
            return TaskVerdict.PASSES
        return TaskVerdict.MORE_OFTEN if after > before else TaskVerdict.LESS_OFTEN


@frozen
class TaskTrend:
    """A task as one model did it."""

    task: str
    model: str
    cells: tuple[Attempts | None, ...]
    alerts: tuple[Alert, ...] = ()  # oldest first
    split: int | None = None
    """Position of the campaign since which it looks different, though that is not clear yet."""
    anew: int | None = None
    """Position of the campaign at which its prompt, or the rules, changed last; only those from there on are
    compared."""
    recounted: tuple[int, ...] = ()
    """Positions of the campaigns from which on success is counted by other rules."""

    @property
    def last(self) -> Alert | None:
        """The last alert that still holds: none of another prompt."""
        alert = self.alerts[-1] if self.alerts else None
        return alert if alert and alert.since > (self.anew or 0) else None

    @property
    def is_new(self) -> bool:
        """Whether its last alert is."""
        return self.last is not None and len(self.cells) - self.last.detected <= RECENT

    @property
    def is_failing(self) -> bool:
        """Whether its last alert says that it fails and nothing looks different since, nor did it leave the
        campaign."""
        is_gone = not any(self.cells[-RECENT:])
        return (
            self.last is not None
            and self.last.verdict is TaskVerdict.FAILS
            and self.split is None
            and not is_gone
        )

    @property
    def may_be_new(self) -> bool:
        """Whether it looks different since one of the last campaigns."""
        return self.split is not None and len(self.cells) - self.split <= RECENT

    @property
    def since(self) -> int | None:
        """Position of the campaign since which it is as it is now, clearly or not."""
        return self.split if self.split is not None or self.last is None else self.last.since

    @property
    def now(self) -> Count:
        """Its runs since then."""
        return Count.of(self.cells[self.since or self.anew or 0 :])

    @property
    def before(self) -> Count | None:
        """Its runs before, since the change before that; None where nothing looks different."""
        if self.since is None:
            return None
        steps = [each.since for each in self.alerts if (self.anew or 0) < each.since < self.since]
        return Count.of(self.cells[steps[-1] if steps else self.anew or 0 : self.since])

    @property
    def verdict(self) -> TaskVerdict:
        """The verdict by its last alert; where it has none, or looks different since, by the share of its runs since
        then."""
        if self.last and self.split is None:
            found = self.last.verdict
            return NEW.get(found, found) if self.is_new else found
        if not self.now.judged:
            return TaskVerdict.UNJUDGED
        return {0.0: TaskVerdict.FAILS, 1.0: TaskVerdict.PASSES}.get(
            self.now.rate, TaskVerdict.SOMETIMES
        )

    @property
    def begins(self) -> list[int]:
        """Positions of the campaigns at which its prompt changed, or the rules."""
        stated = [
            (position, cell.prompt)
            for position, cell in enumerate(self.cells)
            if cell and cell.prompt
        ]
        changed = {later[0] for earlier, later in pairwise(stated) if earlier[1] != later[1]}
        return sorted(changed | set(self.recounted))

    def judged_cells(self) -> list[tuple[int, Attempts]]:
        """Return the campaigns to be compared."""
        return [
            (position, cell) for position, cell in enumerate(self.cells) if cell and cell.judged
        ]

    def replayed(self, limits: Sequence[int]) -> "TaskTrend":
        """Return what became of it. Another prompt is another task."""
        rows = self.judged_cells()
        begins = self.begins
        alerts: list[Alert] = []
        split = None
        for first, last in pairwise([0, *begins, len(self.cells)]):
            own, begin, split = [row for row in rows if first <= row[0] < last], 0, None
            for end, (position, _) in enumerate(own):
                if end == begin:
                    continue
                ratios = _ratios_of_shares([cell for _, cell in own[begin : end + 1]])
                at = end - ratios.index(max(ratios))
                counts = [cell for _, cell in own]
                split = own[at][0] if max(ratios) >= _NOTEWORTHY else _turned(own[begin : end + 1])
                if math.fsum(ratios) >= limits[position]:
                    sides = Count.of(counts[begin:at]), Count.of(counts[at : end + 1])
                    alerts.append(Alert(own[at][0], position, *sides))
                    begin = at
                    split = None
        return replace(self, alerts=tuple(alerts), split=split, anew=begins[-1] if begins else None)


@frozen
class CampaignPoint:
    """A figure of one campaign."""

    value: float
    interval: Interval | None
    runs: int


@frozen
class MeasureTrend:
    """Cost, success or a score of one model."""

    measure: str  # "cost", "success" or "score.<name>"
    model: str
    points: tuple[CampaignPoint | None, ...]
    """One for each campaign: the mean over runs of the shared tasks."""
    tasks: int
    """Tasks that all of these campaigns share; where there is none, points are of all and nothing is compared."""
    alerts: tuple[Alert, ...] = ()  # oldest first
    about: str = ""  # the sign of costs of which some are at list price

    @property
    def last(self) -> Alert | None:
        """The newest alert."""
        return self.alerts[-1] if self.alerts else None

    @property
    def is_new(self) -> bool:
        """Whether its last alert is."""
        return self.last is not None and len(self.points) - self.last.detected <= RECENT


@frozen
class Trends:
    """Several campaigns, oldest first."""

    campaigns: tuple[CampaignFigures, ...]
    tasks: tuple[TaskTrend, ...]  # new alerts first, then what looks different, then by name
    measures: tuple[MeasureTrend, ...]

    @property
    def are_apart(self) -> bool:
        """Whether no task of known runs is in two campaigns, so that nothing is compared."""
        return all(sum(cell is not None for cell in each.cells) < 2 for each in self.tasks)


def trends(campaigns: Iterable[CampaignFigures]) -> Trends:
    """Return what changed over these campaigns, in the order of time whatever order they come in."""
    ordered = tuple(unify_names(sorted(campaigns, key=lambda each: each.key)))
    by_campaign = [joined(campaign.attempts) for campaign in ordered]
    newest = {key: each for own in by_campaign for key, each in own.items()}
    named = sorted((each.task, each.model, key) for key, each in newest.items())
    recounted = recounted_at(ordered, "success")
    series = [
        TaskTrend(task, model, tuple(each.get(key) for each in by_campaign), recounted=recounted)
        for task, model, key in named
    ]
    begins = [rows[0][0] for each in series if (rows := each.judged_cells())]
    limits = _limits(begins, len(ordered), _OF_TASKS)
    tasks = [each.replayed(limits) for each in series]
    tasks.sort(
        key=lambda each: (
            not each.is_new,
            not each.may_be_new,
            each.last is None,
            each.task,
            each.model,
        )
    )
    return Trends(ordered, tuple(tasks), _measures(series, ordered))


def recounted_at(campaigns: Sequence[CampaignFigures], measure: str) -> tuple[int, ...]:
    """Return the positions of the campaigns whose figures of a measure are counted by other rules than those before."""
    rules = [campaign.rule(measure) for campaign in campaigns]
    return tuple(
        position for position in range(1, len(rules)) if rules[position] != rules[position - 1]
    )


def _limits(begins: Sequence[int], campaigns: int, each: int) -> list[int]:
    """Return the threshold with each campaign, for series that begin at these: one that is added later changes no
    alert."""
    return [each * max(sum(begin <= at for begin in begins), 1) for at in range(campaigns)]


# Tasks


def _turned(rows: Sequence[tuple[int, Attempts]]) -> int | None:
    """Position of the newest campaign if most of its runs failed where most had passed before, or the other way."""
    shares = Count.of(cell for _, cell in rows[:-1]).rate, Count.of([rows[-1][1]]).rate
    return rows[-1][0] if min(shares) < 0.5 < max(shares) else None


def _ratios_of_shares(cells: Sequence[Attempts]) -> list[float]:
    """Return how much likelier these are with a change one, two, ... before the end than without one."""
    whole = Count.of(cells)
    together = _log_likely(whole.passed, whole.judged)
    passed = 0
    judged = 0
    found: list[float] = []
    for cell in cells[: -min(_WINDOW, len(cells) - 1) - 1 : -1]:
        passed = passed + cell.passed
        judged = judged + cell.judged
        apart = _log_likely(passed, judged) + _log_likely(
            whole.passed - passed, whole.judged - judged
        )
        found.append(math.exp(min(apart - together, _MOST)))
    return found


def _log_likely(passed: int, judged: int) -> float:
    """Return the logarithm of how likely such runs are one by one, at rates of Jeffreys' prior."""
    ways = math.lgamma(passed + 0.5) + math.lgamma(judged - passed + 0.5) - math.lgamma(judged + 1)
    return ways - math.log(math.pi)


# Cost, success and scores


def _measures(
    series: Sequence[TaskTrend], campaigns: Sequence[CampaignFigures]
) -> tuple[MeasureTrend, ...]:
    cells = [cell for each in series for cell in each.cells if cell]
    found: list[_Measured] = []
    for model, own in by_key(series, lambda each: each.model).items():
        names = sorted(
            {name for each in own for cell in each.cells if cell for name, _ in cell.scores}
        )
        for measure in ("success", "cost", *(f"score.{name}" for name in names)):
            found.append(_Measured(measure, model, own, are_shares=is_share(measure, cells)))
    known = [each for each in found if each.told]
    limits = _limits([each.told[0] for each in known], len(campaigns), _OF_MEASURES)
    return tuple(
        each.replayed(len(campaigns), limits, recounted_at(campaigns, each.measure))
        for each in known
    )


@frozen
class _Cell:
    """The runs of a task in a campaign."""

    values: Sequence[float]
    mean: float
    """The mean of the values; of their logarithms if all values of the measure are above zero and not shares."""
    squares: float  # Σ (value − mean)², likewise


class _Measured:
    """A measure of one model."""

    def __init__(
        self, measure: str, model: str, series: Sequence[TaskTrend], *, are_shares: bool
    ) -> None:
        self.measure, self.model, self.are_shares = measure, model, are_shares
        values = [[cell.values(measure) if cell else () for cell in each.cells] for each in series]
        least = min((value for row in values for own in row for value in own), default=0.0)
        change = math.log if least > 0 and not are_shares else float
        self.rows = [
            [_cell(list(map(change, own)), own) if own else None for own in row] for row in values
        ]
        self.told = [at for at, column in enumerate(zip(*values, strict=True)) if any(column)]
        # A task counts until its prompt changes, or where its costs come from.
        self.ends = [min(each.begins, default=len(each.cells)) for each in series]
        self.about = ""
        if measure == "cost":
            bases = [
                list(accumulate((cell.bases if cell else set() for cell in each.cells), or_))
                for each in series
            ]
            self.ends = [
                min(end, sum(len(each) < 2 for each in own))
                for end, own in zip(self.ends, bases, strict=True)
            ]
            self.about = "≈ " * any(True in each[-1] for each in bases)

    def replayed(
        self, campaigns: int, limits: Sequence[int], recounted: Sequence[int]
    ) -> MeasureTrend:
        """Return its points and alerts; from a campaign in `recounted` on, only later ones are compared."""
        alerts: list[Alert] = []
        shared: list[int] = []
        points: dict[int, CampaignPoint] = {}
        for first, last in pairwise([0, *recounted, campaigns]):
            positions = [position for position in self.told if first <= position < last]
            if positions:
                shared, new_alerts = self._replayed_by_one_rule(positions, limits)
                alerts += new_alerts
                rows = shared or range(len(self.rows))
                points |= {
                    i: self._point([each.values for each in self._cells(rows, i)])
                    for i in positions
                }
        in_order = tuple(map(points.get, range(campaigns)))
        return MeasureTrend(
            self.measure, self.model, in_order, len(shared), tuple(alerts), self.about
        )

    def _replayed_by_one_rule(
        self, positions: Sequence[int], limits: Sequence[int]
    ) -> tuple[list[int], list[Alert]]:
        """Return the rows that all these campaigns share, and the alerts."""
        alerts: list[Alert] = []
        shared = list(range(len(self.rows)))
        means: list[float] = []
        begin = 0
        for end, i in enumerate(positions):
            left = [row for row in shared if self.rows[row][i] and self.ends[row] > i]
            again = range(end + 1) if len(left) != len(shared) else range(end, end + 1)
            shared = left
            if not shared:
                break
            means[again.start :] = [
                fmean(each.mean for each in self._cells(shared, positions[at])) for at in again
            ]
            ratios = _ratios_of_means(means[begin:], self._variance(shared, positions[: end + 1]))
            if ratios and math.fsum(ratios) >= limits[i]:
                at = end - ratios.index(max(ratios))
                sides = (
                    self._mean(shared, positions[begin:at]),
                    self._mean(shared, positions[at : end + 1]),
                )
                alerts.append(Alert(positions[at], i, *sides))
                begin = at
        return shared, alerts

    def _cells(self, rows: Iterable[int], i: int) -> list[_Cell]:
        return [cell for row in rows if (cell := self.rows[row][i])]

    def _mean(self, shared: Sequence[int], told: Sequence[int]) -> float:
        """Over campaigns, each as its point shows it."""
        return fmean(
            fmean([v for each in self._cells(shared, i) for v in each.values]) for i in told
        )

    def _variance(self, shared: Sequence[int], told: Sequence[int]) -> float:
        """Return the variance of the newest mean, estimated from how runs of one task differ."""
        newest = self._cells(shared, told[-1])
        if self.are_shares:
            # An added half on each side keeps a task that all runs passed from having no variance.
            own = [[cell for i in told if (cell := self.rows[row][i])] for row in shared]
            sums = [
                (math.fsum(c.mean * len(c.values) for c in each), sum(len(c.values) for c in each))
                for each in own
            ]
            rates = [(passed + 0.5) / (judged + 1) for passed, judged in sums]
            spreads = [rate * (1 - rate) for rate in rates]
        else:
            free = sum(len(each.values) - 1 for each in newest)
            spreads = [math.fsum(each.squares for each in newest) / free if free else 0.0] * len(
                newest
            )
        of_means = (spread / len(each.values) for spread, each in zip(spreads, newest, strict=True))
        return math.fsum(of_means) / len(shared) ** 2

    def _point(self, clusters: Sequence[Sequence[float]]) -> CampaignPoint:
        everything = [value for own in clusters for value in own]
        mean = math.fsum(everything) / len(everything)
        if self.are_shares:
            interval = rate_interval((int(sum(own)), len(own)) for own in clusters)
        else:
            interval = mean_interval(clusters) if min(everything) >= 0 else None
        return CampaignPoint(mean, interval, len(everything))


def _cell(changed: Sequence[float], values: Sequence[float]) -> _Cell:
    mean = fmean(changed)
    return _Cell(values, mean, math.fsum((value - mean) ** 2 for value in changed))


def _ratios_of_means(means: Sequence[float], variance: float) -> list[float]:
    """Return how much likelier these means are with a step one, two, ... before the end than without one. They differ
    as they do between campaigns without a step, or as runs of a task do, whichever is more."""
    whole = len(means)
    found: list[float] = []
    free = whole - 2
    if free < 1:
        return [1.0] * (whole - 1)
    for back in range(1, min(_WINDOW, whole - 1) + 1):
        sides = [(side, fmean(side)) for side in (means[:-back], means[-back:])]
        rest = math.fsum((value - mean) ** 2 for side, mean in sides for value in side) / free
        spread = max(rest, variance, _ROUNDING * max(mean**2 for _, mean in sides), _ROUNDING)
        size = back * (whole - back) / whole
        t = (sides[0][1] - sides[1][1]) ** 2 * size / spread / free
        wide = 1 + _WIDTH * size
        power = (free + 1) / 2 * (math.log1p(t) - math.log1p(t / wide)) - math.log(wide) / 2
        found.append(math.exp(min(power, _MOST)))
    return found
