"""What changed over campaigns, as far as chance does not explain it.

Nothing is said of fewer than FEWEST campaigns, and nothing of the last two alone: a change is a step, after which the
campaigns differ from those before it. For a task it is found by Fisher's exact test on all runs before and after; for
cost, success and scores by comparing the means over the tasks that all campaigns share, against how runs of one task
and campaigns without a step differ. The best of several steps pays for their number, and all that is asked on a page
pays for it together (Holm): where nothing changed, at most one page in twenty says that something did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from statistics import fmean

from sitegen.numbers.campaigns import Attempts, Campaign, is_share
from sitegen.numbers.families import corrected_ps
from sitegen.numbers.intervals import Interval, beyond_chi_squared, beyond_student_t, mean_interval, rate_interval

FEWEST = 4
"""Campaigns, before anything is said."""
RECENT = 3
"""Campaigns after a step, up to which it is new."""
_LEVEL = 0.025
"""How likely one of two kinds of claims, on tasks and on measures, is made where nothing changed: 0.05 together."""
_FEWEST_CHANGES = 3
_NOTHING = 1e-300
"""As likely a table, against the likeliest one, as counts for nothing."""
_ROUNDING = 1e-9
"""Tables whose likelihood differs by less are equally likely."""
_MOST_WORK = 20_000_000
"""The cube of the runs of a task times the fractions of a square that are told apart, up to which the test of what
flips is exact, in a second at most: 170 runs, or more of few sizes. Of more it is the χ² test."""


class Verdict(StrEnum):
    """What became of a task."""

    NEWLY_FAILS = "newly fails"
    NEWLY_PASSES = "newly passes"
    FAILS = "fails since"
    PASSES = "passes since"
    LESS_OFTEN = "passes less often"
    MORE_OFTEN = "passes more often"
    FLIPS = "flips"
    AS_BEFORE = "as before"
    TOO_FEW = "too few campaigns"


NEW = frozenset({Verdict.NEWLY_FAILS, Verdict.NEWLY_PASSES})
CHANGED = frozenset(Verdict) - {Verdict.AS_BEFORE, Verdict.TOO_FEW}


@dataclass(frozen=True, slots=True)
class TaskTrend:
    """A task as one model did it."""

    task: str
    model: str
    cells: tuple[Attempts | None, ...]
    """One for each campaign."""
    verdict: Verdict
    since: int | None = None
    """Position of the first campaign after the step."""
    changes: int = 0
    """Of what flips: how often most runs passed in one campaign and failed in the next, or the other way."""
    anew: int | None = None
    """Position of the campaign at which its prompt changed last; only those from there on are compared."""


@dataclass(frozen=True, slots=True)
class Point:
    """A figure of one campaign."""

    value: float
    interval: Interval | None
    runs: int


@dataclass(frozen=True, slots=True)
class MeasureTrend:
    """Cost, success or a score of one model."""

    measure: str
    """ "cost", "success" or "score.<name>"."""
    model: str
    points: tuple[Point | None, ...]
    """One for each campaign: the mean over runs of the shared tasks."""
    tasks: int
    """How many tasks all of these campaigns share; where it is 0, points are of all tasks and nothing is compared."""
    since: int | None = None
    """Position of the first campaign after the step; None where there is none."""
    before: float | None = None
    """Mean over the campaigns before the step and since another one."""
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Trends:
    """Several campaigns, oldest first."""

    campaigns: tuple[Campaign, ...]
    tasks: tuple[TaskTrend, ...]
    """Changed ones first, then by name."""
    measures: tuple[MeasureTrend, ...]

    @property
    def are_too_few(self) -> bool:
        """Whether there are too few campaigns to say anything."""
        return len(self.campaigns) < FEWEST

    @property
    def are_apart(self) -> bool:
        """Whether no task of known runs is in two campaigns, so that nothing is compared."""
        return all(sum(cell is not None for cell in each.cells) < 2 for each in self.tasks)

    @property
    def claims(self) -> int:
        """How much the page says that changed."""
        return sum(each.verdict in CHANGED for each in self.tasks) + sum(
            each.since is not None for each in self.measures
        )


def trends(campaigns: Iterable[Campaign]) -> Trends:
    """What changed over these campaigns, in the order of time whatever order they come in."""
    ordered = tuple(sorted(campaigns, key=lambda each: each.key))
    by_key = [{(each.task, each.model): each for each in campaign.attempts} for campaign in ordered]
    keys = sorted({key for each in by_key for key in each})
    series = [_Series(*key, tuple(each.get(key) for each in by_key)) for key in keys]
    tested = [each.tested() for each in series]
    level = holm([p for tests in tested for p in tests], _LEVEL)
    tasks = [each.judged(level) for each in series]
    return Trends(ordered, tuple(sorted(tasks, key=_changed_first)), _measures(series, len(ordered)))


def _changed_first(each: TaskTrend) -> tuple[bool, bool, str, str]:
    return each.verdict not in NEW, each.verdict not in CHANGED, each.task, each.model


def holm(ps: Sequence[float], level: float) -> float:
    """The largest p value that is a claim when all of these are asked together; below 0 where none is."""
    return max((p for p, own in zip(ps, corrected_ps(ps), strict=True) if own <= level), default=-1.0)


# Tasks


@dataclass(frozen=True, slots=True)
class _Series:
    """The runs of one task and model over campaigns."""

    task: str
    model: str
    cells: tuple[Attempts | None, ...]

    @property
    def begin(self) -> int:
        """Position of the first campaign since which its prompt is the same."""
        stated = [(position, cell.prompt) for position, cell in enumerate(self.cells) if cell and cell.prompt]
        changes = [later[0] for earlier, later in pairwise(stated) if earlier[1] != later[1]]
        return changes[-1] if changes else 0

    def judged_cells(self) -> list[tuple[int, int, int]]:
        """Position, passed and judged runs of the campaigns to be compared."""
        cells = enumerate(self.cells)
        return [(i, cell.passed, cell.judged) for i, cell in cells if i >= self.begin and cell and cell.judged]

    def tested(self) -> tuple[float, ...]:
        """How likely its best step, and its to and fro, would be by chance."""
        rows = self.judged_cells()
        if len(rows) < FEWEST:
            return ()
        return _best_step(rows)[0], _flips(rows)[0]

    def judged(self, level: float) -> TaskTrend:
        """What became of it, by the p value that is a claim."""
        rows, begin = self.judged_cells(), self.begin

        def told(verdict: Verdict, since: int | None = None, changes: int = 0) -> TaskTrend:
            return TaskTrend(self.task, self.model, self.cells, verdict, since, changes, begin or None)

        if len(rows) < FEWEST:
            return told(Verdict.TOO_FEW)
        by_chance, changes = _flips(rows)
        if by_chance <= level:
            return told(Verdict.FLIPS, changes=changes)
        steps, at = [0], 0
        while len(rows) - at >= 2:
            p, split = _best_step(rows[at:])
            if p > level:
                break
            at += split
            steps.append(at)
        if len(steps) == 1:
            return told(Verdict.AS_BEFORE)
        before, after = _rate(rows[steps[-2] : steps[-1]]), _rate(rows[steps[-1] :])
        is_new = len(rows) - steps[-1] <= RECENT
        if after < 0.5 <= before:
            verdict = Verdict.NEWLY_FAILS if is_new else Verdict.FAILS
        elif before < 0.5 <= after:
            verdict = Verdict.NEWLY_PASSES if is_new else Verdict.PASSES
        else:
            verdict = Verdict.MORE_OFTEN if after > before else Verdict.LESS_OFTEN
        return told(verdict, rows[steps[-1]][0])


def _rate(rows: Sequence[tuple[int, int, int]]) -> float:
    return sum(passed for _, passed, _ in rows) / sum(judged for _, _, judged in rows)


def _best_step(rows: Sequence[tuple[int, int, int]]) -> tuple[float, int]:
    """How likely the best of all steps would be by chance, and how many campaigns stand before it."""
    passed, judged = sum(row[1] for row in rows), sum(row[2] for row in rows)
    best, at, before_passed, before_judged = 2.0, 0, 0, 0
    for split, row in enumerate(rows[:-1], 1):
        before_passed, before_judged = before_passed + row[1], before_judged + row[2]
        p = fisher(before_passed, before_judged, passed - before_passed, judged - before_judged)
        if p < best:
            best, at = p, split
    return min(best * (len(rows) - 1), 1.0), at


@cache
def fisher(a: int, a_of: int, b: int, b_of: int) -> float:
    """How likely two shares, a of a_of and b of b_of, differ at least so by chance: the two-sided exact test.

    From the likeliest table outwards, each by its ratio to the one before, until what is left is nothing: so many runs
    take time by their root, and the result is exact but for rounding (1e-11 of it, measured for up to 3,000 runs).

    Source: R. A. Fisher, "On the Interpretation of χ² from Contingency Tables, and the Calculation of P", Journal of
    the Royal Statistical Society 85 (1922).
    """
    passed = a + b
    first, last = max(0, passed - b_of), min(a_of, passed)
    mode = min(max((a_of + 1) * (passed + 1) // (a_of + b_of + 2), first), last)
    likely = {mode: 1.0}
    for end, step in ((last, 1), (first, -1)):
        k, weight = mode, 1.0
        while k != end and weight > _NOTHING:
            low = min(k, k + step)
            odds = (a_of - low) * (passed - low) / ((low + 1) * (b_of - passed + low + 1))
            k, weight = k + step, weight * odds**step
            likely[k] = weight
    seen = likely.get(a, 0.0) * (1 + _ROUNDING)
    return min(math.fsum(each for each in likely.values() if each <= seen) / math.fsum(likely.values()), 1.0)


def _flips(rows: Sequence[tuple[int, int, int]]) -> tuple[float, int]:
    """How likely campaigns would differ so much by chance, and how often most runs turned from pass to fail or back.
    Certain where that was fewer than three times: then a step says it better."""
    states = [2 * passed > judged for _, passed, judged in rows if 2 * passed != judged]
    changes = sum(one != two for one, two in pairwise(states))
    return (_unlike(rows) if changes >= _FEWEST_CHANGES else 1.0), changes


def _unlike(rows: Sequence[tuple[int, int, int]]) -> float:
    """How likely shares would be spread at least so over campaigns, had all the same one: Σ passed² / judged, over all
    ways to spread the passed runs over all runs."""
    sizes, passed = [judged for _, _, judged in rows], sum(row[1] for row in rows)
    whole = sum(sizes)
    if passed in (0, whole):
        return 1.0
    unit = min(math.lcm(*sizes), 60, _MOST_WORK // whole**3)
    if unit < min(math.lcm(*sizes), 4):
        share = passed / whole
        spread = math.fsum((k - share * n) ** 2 / n for _, k, n in rows) / (share * (1 - share))
        return beyond_chi_squared(spread, len(rows) - 1)
    weigh = [[math.ceil(k * k * unit / n - 1e-9) for k in range(n + 1)] for n in sizes]
    seen = sum(math.floor(k * k * unit / n + 1e-9) for _, k, n in rows)
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    left, rows_left = whole, len(sizes)
    for n, squares in zip(sizes, weigh, strict=True):
        left, rows_left = left - n, rows_left - 1
        chosen = [math.comb(n, k) for k in range(n + 1)]
        following: dict[tuple[int, int], int] = {}
        for (so_far, square), way in ways.items():
            for k in range(max(passed - so_far - left, 0), min(n, passed - so_far) + 1):
                # What is enough already is one, and what can no longer be enough, with k² / n at most k, is none.
                reached = min(square + squares[k], seen)
                if reached + (passed - so_far - k) * unit + rows_left >= seen:
                    key = so_far + k, reached
                    following[key] = following.get(key, 0) + way * chosen[k]
        ways = following
    return ways.get((passed, seen), 0) / math.comb(whole, passed)


# Cost, success and scores


@dataclass(frozen=True, slots=True)
class _Level:
    """What a measure came to in a campaign, for the test."""

    position: int
    mean: float
    variance: float
    """Of the mean, by how runs of one task differ."""


def _measures(series: Sequence[_Series], campaigns: int) -> tuple[MeasureTrend, ...]:
    by_model: dict[str, list[_Series]] = {}
    for each in series:
        by_model.setdefault(each.model, []).append(each)
    cells = [cell for each in series for cell in each.cells if cell]
    shares = {measure for measure in _measures_of(series) if is_share(measure, cells)}
    found = [
        (*made, *_step(made[1]))
        for model, own in by_model.items()
        for measure in _measures_of(own)
        if (made := _measure(measure, model, own, campaigns, are_shares=measure in shares))
    ]
    level = holm([p for _, levels, p, _ in found if len(levels) >= FEWEST], _LEVEL)
    return tuple(_told(trend, levels, p, at, level) for trend, levels, p, at in found)


def _measures_of(series: Sequence[_Series]) -> list[str]:
    names = {name for each in series for cell in each.cells if cell for name, _ in cell.scores}
    return ["success", "cost", *(f"score.{name}" for name in sorted(names))]


def _measure(
    measure: str, model: str, series: Sequence[_Series], campaigns: int, *, are_shares: bool
) -> tuple[MeasureTrend, list[_Level]] | None:
    """A measure of a model with what is tested; None where no run tells it."""
    rows = [[cell.values(measure) if cell else () for cell in each.cells] for each in series]
    told = [position for position in range(campaigns) if any(row[position] for row in rows)]
    if not told:
        return None
    shared = [row for row, each in zip(rows, series, strict=True) if not each.begin and all(row[i] for i in told)]
    shown = shared or rows
    points = tuple(
        _point([row[i] for row in shown if row[i]], are_shares=are_shares) if i in told else None
        for i in range(campaigns)
    )
    return MeasureTrend(measure, model, points, len(shared)), _levels(shared, told, are_shares=are_shares)


def _point(clusters: Sequence[Sequence[float]], *, are_shares: bool) -> Point:
    everything = [value for own in clusters for value in own]
    mean = math.fsum(everything) / len(everything)
    if are_shares:
        interval = rate_interval((int(sum(own)), len(own)) for own in clusters)
    else:
        interval = mean_interval(clusters) if min(everything) >= 0 else None
    return Point(mean, interval, len(everything))


def _levels(shared: Sequence[Sequence[Sequence[float]]], told: Sequence[int], *, are_shares: bool) -> list[_Level]:
    """The mean over the shared tasks in each campaign; of the logarithms where all values are above zero."""
    if not shared:
        return []
    everything = [value for row in shared for i in told for value in row[i]]
    change = math.log if not are_shares and min(everything) > 0 else float
    rows = [[[change(value) for value in row[i]] for i in told] for row in shared]
    count = len(rows)
    if are_shares:
        # An added half on each side keeps a task that all runs passed from having no variance.
        rates = [(sum(map(sum, row)) + 0.5) / (sum(map(len, row)) + 1) for row in rows]
        spreads = [rate * (1 - rate) for rate in rates]
    else:
        squares = math.fsum((v - fmean(own)) ** 2 for row in rows for own in row for v in own)
        free = sum(len(own) - 1 for row in rows for own in row)
        spreads = [squares / free if free else 0.0] * count
    return [
        _Level(
            i,
            math.fsum(fmean(row[number]) for row in rows) / count,
            math.fsum(spread / len(row[number]) for row, spread in zip(rows, spreads, strict=True)) / count**2,
        )
        for number, i in enumerate(told)
    ]


def _step(levels: Sequence[_Level]) -> tuple[float, int]:
    """How likely the best of all steps would be by chance, and how many campaigns stand before it."""
    best, at = 1.0, 0
    for split in range(1, len(levels)):
        p = _step_at(levels[:split], levels[split:])
        if p < best:
            best, at = p, split
    return min(best * max(len(levels) - 1, 1), 1.0), at


def _step_at(before: Sequence[_Level], after: Sequence[_Level]) -> float:
    """How likely two groups of campaigns differ so by chance: what differs more counts, runs or campaigns."""
    sides = [(side, fmean([each.mean for each in side])) for side in (before, after)]
    height = abs(sides[0][1] - sides[1][1])
    of_runs = math.fsum(math.fsum(each.variance for each in side) / len(side) ** 2 for side, _ in sides)
    free = len(before) + len(after) - 2
    if free < 1:
        return 1.0
    rest = math.fsum((each.mean - mean) ** 2 for side, mean in sides for each in side) / free
    of_campaigns = rest * (1 / len(before) + 1 / len(after))
    if max(of_runs, of_campaigns) <= 1e-24:
        return 1.0 if height < 1e-9 else 0.0
    if of_runs >= of_campaigns:
        return math.erfc(height / math.sqrt(2 * of_runs))
    return beyond_student_t(height / math.sqrt(of_campaigns), free)


def _told(trend: MeasureTrend, levels: Sequence[_Level], p: float, at: int, level: float) -> MeasureTrend:
    """The trend with its last step, by the p value that is a claim."""
    if len(levels) < FEWEST or p > level:
        return trend
    begin, step = 0, at
    while len(levels) - step >= FEWEST:
        p, further = _step(levels[step:])
        if p > level:
            break
        begin, step = step, step + further
    sides = [[each.position for each in side] for side in (levels[begin:step], levels[step:])]
    before, after = (fmean([point.value for i in side if (point := trend.points[i])]) for side in sides)
    return MeasureTrend(trend.measure, trend.model, trend.points, trend.tasks, levels[step].position, before, after)
