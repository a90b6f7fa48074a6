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
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain, pairwise
from operator import truediv
from statistics import fmean

from sitegen.model import by_key, frozen
from sitegen.numbers.campaigns import (
    Attempts,
    CampaignFigures,
    is_share,
    joined,
    scores_of,
    unify_names,
)
from sitegen.numbers.intervals import Interval, mean_interval, rate_interval

RECENT = 3  # campaigns for which an alert is new, the one that raised it included
_LIMIT_OF_TASKS = 50
"""Threshold for each task of a page: with that of measures under one false alert in 60 campaigns
(`benchmarks.trends`)."""
_LIMIT_OF_MEASURES = 120
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
        return _mean(self.before), _mean(self.after)

    @property
    def verdict(self) -> TaskVerdict:
        """The verdict on the task."""
        before, after = self.means
        if after < 0.5 <= before:
            return TaskVerdict.FAILS
        if before < 0.5 <= after:
            return TaskVerdict.PASSES
        return TaskVerdict.MORE_OFTEN if after > before else TaskVerdict.LESS_OFTEN


def _mean(figure: Count | float) -> float:
    return figure.rate if isinstance(figure, Count) else figure


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
            verdict = self.last.verdict
            return NEW.get(verdict, verdict) if self.is_new else verdict
        if not self.now.judged:
            return TaskVerdict.UNJUDGED
        certain = {0.0: TaskVerdict.FAILS, 1.0: TaskVerdict.PASSES}
        return certain.get(self.now.rate, TaskVerdict.SOMETIMES)

    @property
    def begins(self) -> list[int]:
        """Positions of the campaigns at which its prompt changed, or the rules."""
        positions = set(self.recounted)
        prompt = None
        for position, cell in enumerate(self.cells):
            if cell and cell.prompt:
                if prompt and prompt != cell.prompt:
                    positions.add(position)
                prompt = cell.prompt
        return sorted(positions)

    def judged_cells(self) -> list[tuple[int, Attempts]]:
        """Return the campaigns to be compared."""
        return [(place, cell) for place, cell in enumerate(self.cells) if cell and cell.judged]

    def replayed(self, limits: Sequence[int]) -> "TaskTrend":
        """Return what became of it. Another prompt is another task."""
        judged = self.judged_cells()
        begins = self.begins
        alerts: list[Alert] = []
        split = None
        for first, last in pairwise([0, *begins, len(self.cells)]):
            rows = [row for row in judged if first <= row[0] < last]
            new_alerts, split = _replay(rows, limits)
            alerts += new_alerts
        anew = begins[-1] if begins else None
        return replace(self, alerts=tuple(alerts), split=split, anew=anew)


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
        return all(sum(map(bool, trend.cells)) < 2 for trend in self.tasks)


def trends(campaigns: Iterable[CampaignFigures]) -> Trends:
    """Return what changed over these campaigns, in the order of time whatever order they come in."""
    ordered = tuple(unify_names(sorted(campaigns, key=lambda campaign: campaign.key)))
    by_campaign = [joined(campaign.attempts) for campaign in ordered]
    newest: dict[tuple[str, str], Attempts] = {}
    for attempts in by_campaign:
        newest |= attempts
    names = sorted((attempts.task, attempts.model, key) for key, attempts in newest.items())
    recounted = recounted_at(ordered, "success")
    series = []
    for task, model, key in names:
        cells = tuple(attempts.get(key) for attempts in by_campaign)
        series.append(TaskTrend(task, model, cells, recounted=recounted))
    begins = [rows[0][0] for trend in series if (rows := trend.judged_cells())]
    limits = _limits(begins, len(ordered), _LIMIT_OF_TASKS)
    tasks = sorted((trend.replayed(limits) for trend in series), key=_new_first)
    return Trends(ordered, tuple(tasks), _measures(series, ordered))


def _new_first(trend: TaskTrend) -> tuple[bool, bool, bool, str, str]:
    is_quiet = trend.last is None
    return not trend.is_new, not trend.may_be_new, is_quiet, trend.task, trend.model


def recounted_at(campaigns: Sequence[CampaignFigures], measure: str) -> tuple[int, ...]:
    """Return the positions of the campaigns whose figures of a measure are counted by other rules than those before."""
    rules = pairwise(campaign.rule(measure) for campaign in campaigns)
    return tuple(place for place, (earlier, later) in enumerate(rules, 1) if earlier != later)


def _limits(begins: Iterable[int], campaigns: int, limit: int) -> list[int]:
    """Return the threshold with each campaign, for series that begin at these: one that is added later changes no
    alert."""
    in_order = sorted(begins)
    return [limit * max(bisect_right(in_order, position), 1) for position in range(campaigns)]


def _replay(
    rows: Sequence[tuple[int, Attempts]], limits: Sequence[int]
) -> tuple[list[Alert], int | None]:
    """Return the alerts of a task under one prompt, and since which campaign it looks different without one."""
    positions = [position for position, _ in rows]
    cells = [cell for _, cell in rows]
    alerts: list[Alert] = []
    split = None
    begin = 0
    for end in range(1, len(rows)):
        compared = cells[begin : end + 1]
        ratios = _ratios_of_shares(compared)
        change = end - ratios.index(max(ratios))
        if math.fsum(ratios) >= limits[positions[end]]:
            earlier = Count.of(cells[begin:change])
            later = Count.of(cells[change : end + 1])
            alerts.append(Alert(positions[change], positions[end], earlier, later))
            begin = change
            split = None
        elif max(ratios) >= _NOTEWORTHY:
            split = positions[change]
        else:
            split = positions[end] if _is_turned(compared) else None
    return alerts, split


def _is_turned(cells: Sequence[Attempts]) -> bool:
    """Return whether most runs of the newest campaign failed where most had passed before, or the other way."""
    rates = Count.of(cells[:-1]).rate, Count.of(cells[-1:]).rate
    return min(rates) < 0.5 < max(rates)


# Tasks


def _ratios_of_shares(cells: Sequence[Attempts]) -> list[float]:
    """Return how much likelier these are with a change one, two, ... before the end than without one."""
    whole = Count.of(cells)
    together = _log_likely(whole.passed, whole.judged)
    passed = 0
    judged = 0
    ratios: list[float] = []
    for cell in cells[: -min(_WINDOW, len(cells) - 1) - 1 : -1]:
        passed += cell.passed
        judged += cell.judged
        later = _log_likely(passed, judged)
        earlier = _log_likely(whole.passed - passed, whole.judged - judged)
        ratios.append(math.exp(min(later + earlier - together, _MOST)))
    return ratios


def _log_likely(passed: int, judged: int) -> float:
    """Return the logarithm of how likely such runs are one by one, at rates of Jeffreys' prior."""
    ways = math.lgamma(passed + 0.5) + math.lgamma(judged - passed + 0.5) - math.lgamma(judged + 1)
    return ways - math.log(math.pi)


# Cost, success and scores


def _measures(
    series: Sequence[TaskTrend], campaigns: Sequence[CampaignFigures]
) -> tuple[MeasureTrend, ...]:
    cells = _cells_of(series)
    measured: list[_Measured] = []
    for model, trends_of_model in by_key(series, lambda trend: trend.model).items():
        for measure in ("success", "cost", *scores_of(_cells_of(trends_of_model))):
            are_shares = is_share(measure, cells)
            measured.append(_Measured(measure, model, trends_of_model, are_shares=are_shares))
    known = [measure for measure in measured if measure.positions]
    begins = [measure.positions[0] for measure in known]
    limits = _limits(begins, len(campaigns), _LIMIT_OF_MEASURES)
    return tuple(measure.replayed(campaigns, limits) for measure in known)


def _cells_of(series: Iterable[TaskTrend]) -> list[Attempts]:
    return [cell for trend in series for cell in trend.cells if cell]


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
        self.measure = measure
        self.model = model
        self.are_shares = are_shares
        values = [_values(trend, measure) for trend in series]
        least = min(chain(*chain(*values)), default=0.0)
        change = math.log if least > 0 and not are_shares else float
        self.rows = [[_cell(figures, change) for figures in row] for row in values]
        columns = enumerate(zip(*values, strict=True))
        self.positions = [position for position, column in columns if any(column)]
        self.ends = [_end(trend, measure) for trend in series]
        self.about = ""
        if measure == "cost":
            self.about = "≈ " * any(True in cell.bases for cell in _cells_of(series))

    def replayed(self, campaigns: Sequence[CampaignFigures], limits: Sequence[int]) -> MeasureTrend:
        """Return its points and alerts; from a campaign with other rules on, only later ones are compared."""
        alerts: list[Alert] = []
        shared: list[int] = []
        points: dict[int, CampaignPoint] = {}
        recounted = recounted_at(campaigns, self.measure)
        for first, last in pairwise([0, *recounted, len(campaigns)]):
            positions = [position for position in self.positions if first <= position < last]
            if positions:
                shared, new_alerts = self._replayed_by_one_rule(positions, limits)
                alerts += new_alerts
                rows = shared or range(len(self.rows))
                points |= {position: self._point(rows, position) for position in positions}
        in_order = tuple(map(points.get, range(len(campaigns))))
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
        for end, position in enumerate(positions):
            rows = [row for row in shared if self.rows[row][position] and self.ends[row] > position]
            if len(rows) < len(shared):
                means = []
            shared = rows
            if not shared:
                break
            means += [self._level(shared, place) for place in positions[len(means) : end + 1]]
            ratios = _ratios_of_means(means[begin:], self._variance(shared, positions[: end + 1]))
            if ratios and math.fsum(ratios) >= limits[position]:
                change = end - ratios.index(max(ratios))
                earlier = self._mean(shared, positions[begin:change])
                later = self._mean(shared, positions[change : end + 1])
                alerts.append(Alert(positions[change], position, earlier, later))
                begin = change
        return shared, alerts

    def _cells(self, rows: Iterable[int], position: int) -> list[_Cell]:
        return [cell for row in rows if (cell := self.rows[row][position])]

    def _level(self, rows: Iterable[int], position: int) -> float:
        """Return the mean of a campaign on the scale of its cells."""
        return fmean([cell.mean for cell in self._cells(rows, position)])

    def _values(self, rows: Iterable[int], position: int) -> list[float]:
        return list(chain(*(cell.values for cell in self._cells(rows, position))))

    def _mean(self, rows: Sequence[int], positions: Iterable[int]) -> float:
        """Over campaigns, each as its point shows it."""
        return fmean([fmean(self._values(rows, position)) for position in positions])

    def _variance(self, rows: Sequence[int], positions: Sequence[int]) -> float:
        """Return the variance of the newest mean, estimated from how runs of one task differ."""
        newest = self._cells(rows, positions[-1])
        sizes = [len(cell.values) for cell in newest]
        if self.are_shares:
            spreads = [self._variance_of_share(row, positions) for row in rows]
        else:
            squares = math.fsum(cell.squares for cell in newest)
            free = sum(sizes) - len(sizes)
            spreads = [squares / free if free else 0.0] * len(sizes)
        variances = map(truediv, spreads, sizes)
        return math.fsum(variances) / len(rows) ** 2

    def _variance_of_share(self, row: int, positions: Iterable[int]) -> float:
        """Return the variance of a run of a task. An added half on each side keeps a task that all runs passed from
        having none."""
        cells = [cell for position in positions if (cell := self.rows[row][position])]
        passed = math.fsum(cell.mean * len(cell.values) for cell in cells)
        judged = sum(len(cell.values) for cell in cells)
        rate = (passed + 0.5) / (judged + 1)
        return rate * (1 - rate)

    def _point(self, rows: Iterable[int], position: int) -> CampaignPoint:
        clusters = [cell.values for cell in self._cells(rows, position)]
        values = list(chain(*clusters))
        if self.are_shares:
            interval = rate_interval((int(sum(cluster)), len(cluster)) for cluster in clusters)
        else:
            interval = mean_interval(clusters) if min(values) >= 0 else None
        return CampaignPoint(fmean(values), interval, len(values))


def _values(trend: TaskTrend, measure: str) -> list[Sequence[float]]:
    return [cell.values(measure) if cell else () for cell in trend.cells]


def _end(trend: TaskTrend, measure: str) -> int:
    """Return up to which campaign a task counts: until its prompt changes, or where its costs come from."""
    end = min(trend.begins, default=len(trend.cells))
    bases: set[bool] = set()
    for position, cell in enumerate(trend.cells[:end]):
        if measure == "cost" and cell:
            bases |= cell.bases
            if len(bases) > 1:
                return position
    return end


def _cell(values: Sequence[float], change: Callable[[float], float]) -> _Cell | None:
    if not values:
        return None
    changed = list(map(change, values))
    mean = fmean(changed)
    return _Cell(values, mean, math.fsum(_squares(changed, mean)))


def _squares(values: Iterable[float], mean: float) -> list[float]:
    return [(value - mean) ** 2 for value in values]


def _ratios_of_means(means: Sequence[float], variance: float) -> list[float]:
    """Return how much likelier these means are with a step one, two, ... before the end than without one. They differ
    as they do between campaigns without a step, or as runs of a task do, whichever is more."""
    whole = len(means)
    ratios: list[float] = []
    free = whole - 2
    if free < 1:
        return [1.0] * (whole - 1)
    for back in range(1, min(_WINDOW, whole - 1) + 1):
        earlier = fmean(means[:-back])
        later = fmean(means[-back:])
        squares = _squares(means[:-back], earlier) + _squares(means[-back:], later)
        least = max(earlier**2, later**2, 1.0) * _ROUNDING
        spread = max(math.fsum(squares) / free, variance, least)
        size = back * (whole - back) / whole
        t = (earlier - later) ** 2 * size / spread / free
        wide = 1 + _WIDTH * size
        power = (free + 1) / 2 * (math.log1p(t) - math.log1p(t / wide)) - math.log(wide) / 2
        ratios.append(math.exp(min(power, _MOST)))
    return ratios
