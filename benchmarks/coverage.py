"""How often the 95 % intervals of sitegen hold the truth: simulated campaigns over a grid, as a table.

    .venv/bin/python -m benchmarks.coverage [--quick] [--campaigns 2000] [--only success] [--markdown]
    .venv/bin/python -m benchmarks.coverage --leaders | --lost

Each cell of the grid is a kind of campaign, of which so many are drawn, always the same ones. The truth is known, since
it is what they were drawn from, and the functions are those that pages call. Of each cell stands how many campaigns got
an interval at all, how many of those intervals held the truth, and how wide they were on average: shares in points,
means of costs as a part of the truth, ratios as upper over lower end less one, those with an upper end only. A cell in
which fewer than one in ten campaigns get an interval is one of too few runs to tell.

`tasks like these` asks for what new tasks would give, `these tasks` for the same tasks again. A task effect of 0.5 says
that half of the variance is between tasks (of success: that two attempts of a task correlate by 0.5).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from statistics import median
from zlib import crc32

import numpy
from numpy.random import Generator
from scipy import special, stats

from sitegen.numbers.comparison import Contrast, Effect, designs
from sitegen.numbers.comparison import TaskAttempts as _DesignCell
from sitegen.numbers.families import corrected_ps, may_lead
from sitegen.numbers.intervals import (
    Interval,
    mean_interval,
    median_interval,
    paired_intervals,
    paired_shares,
    per_success,
    rate_interval,
)
from sitegen.numbers.statistics import AnyMeasure, Measure, ScoreMeasure, mean_score_interval

TARGET = 0.93
"""So many intervals of a cell hold the truth at least, for a nominal 0.95."""
RARE = 0.1
"""Where fewer campaigns get an interval, the cell counts as one of too few runs."""

Drawn = tuple[Interval | None, float]
"""An interval and the truth."""


@dataclass(frozen=True)
class Cell:
    """A kind of campaign."""

    figure: str
    tasks: int
    attempts: int
    case: str
    draw: Callable[[Generator], Drawn]
    is_relative: bool = True
    """Whether the width is a part of the truth and told in the median; else it is in points and told in the mean."""
    unit: float | None = None
    """What the width is a part of, where that is not the truth."""
    same: float | None = None
    """The truth where the two sides of a comparison do not differ: an interval without it is a wrong decision."""


@dataclass(frozen=True)
class Row:
    """The result of a cell."""

    cell: Cell
    given: float
    held: float | None
    """Of those given; None where there are fewer than RARE."""
    width: float | None
    open_above: float
    """Of those given."""


def measure(cell: Cell, campaigns: int) -> Row:
    """Draw the campaigns of a cell."""
    name = f"{cell.figure} {cell.tasks} {cell.attempts} {cell.case}"
    random = numpy.random.default_rng(crc32(name.encode()))
    drawn = [cell.draw(random) for _ in range(campaigns)]
    intervals = [(interval, truth) for interval, truth in drawn if interval]
    given = len(intervals) / campaigns
    if given < RARE:
        return Row(cell, given, None, None, 0.0)
    held = sum(
        interval.low - 1e-9 <= truth <= interval.high + 1e-9 for interval, truth in intervals
    )
    closed = [
        (interval, truth)
        for interval, truth in intervals
        if math.isfinite(interval.high - interval.low)
    ]
    widths = [
        (interval.high - interval.low) / (cell.unit or truth if cell.is_relative else 1)
        for interval, truth in closed
    ]
    width = (median(widths) if cell.is_relative else _mean_of(widths)) if widths else None
    return Row(cell, given, held / len(intervals), width, 1 - len(closed) / len(intervals))


def grid() -> list[Cell]:
    """All cells."""
    return [
        *_rates(),
        *_means(),
        *_differences(),
        *_pairs(),
        *_per_success(),
        *_scores(),
        *_score_pairs(),
        *_medians(),
        *_off_the_model(),
        *_shares_of_attempts(),
    ]


def quick_grid() -> list[Cell]:
    """Every fourth cell, and all of the commonest campaign."""
    cells = enumerate(grid())
    return [
        cell
        for position, cell in cells
        if position % 4 == 0 or (cell.tasks, cell.attempts) == (5, 3)
    ]


_TASKS, _ATTEMPTS = (3, 5, 10, 30), (1, 3, 6)
_TASK_EFFECTS = (0.0, 0.2, 0.5, 0.8)
_LOG_SDS = (0.3, 0.5, 1.0, 1.5)


def _rates() -> Iterator[Cell]:
    for tasks, attempts, share, effect in product(
        _TASKS, _ATTEMPTS, (0.05, 0.2, 0.5, 0.8, 0.95), _TASK_EFFECTS
    ):
        if attempts > 1 or not effect:  # of single attempts the effect cannot be seen
            case = f"p {share}, task effect {effect}"
            for again in (False, True):
                draw = partial(_rate, tasks, attempts, share, effect, again)
                yield Cell(
                    "success",
                    tasks,
                    attempts,
                    f"{case}, {_question(again)}",
                    draw,
                    is_relative=False,
                )


def _question(again: bool) -> str:
    return "these tasks" if again else "tasks like these"


def _rate(
    tasks: int, attempts: int, share: float, effect: float, again: bool, random: Generator
) -> Drawn:
    each = chances(share, effect, random.random(tasks))
    passed = random.binomial(attempts, each).tolist()
    if again:
        total = sum(passed)
        runs = [(1, 1)] * total + [(0, 1)] * (tasks * attempts - total)
        return rate_interval(runs), float(each.mean())
    return rate_interval((one, attempts) for one in passed), share


def chances(share: float, effect: float, uniform: numpy.ndarray) -> numpy.ndarray:
    """How likely an attempt passes, for each task: beta-distributed around the share."""
    if not effect:
        return numpy.full(len(uniform), share)
    size = (1 - effect) / effect
    return numpy.asarray(stats.beta.ppf(uniform, share * size, (1 - share) * size))


def _means() -> Iterator[Cell]:
    for tasks, attempts, log_sd, effect in product(_TASKS, _ATTEMPTS, _LOG_SDS, (0.0, 0.5, 0.9)):
        if attempts > 1 or not effect:
            case = f"log sd {log_sd:g}, task effect {effect}"
            for again in (False, True):
                draw = partial(_mean, tasks, attempts, log_sd, effect, again)
                yield Cell("mean cost", tasks, attempts, f"{case}, {_question(again)}", draw)


def _mean(
    tasks: int, attempts: int, log_sd: float, effect: float, again: bool, random: Generator
) -> Drawn:
    levels = random.normal(0, log_sd * math.sqrt(effect), (tasks, 1))
    single = log_sd * math.sqrt(1 - effect)
    costs = numpy.exp(levels + random.normal(0, single, (tasks, attempts)))
    if again:
        return mean_interval([cost] for cost in costs.ravel().tolist()), float(
            numpy.exp(levels + single**2 / 2).mean()
        )
    return mean_interval(costs.tolist()), math.exp(log_sd**2 / 2)


def _differences() -> Iterator[Cell]:
    sides = (
        (0.05, 0.05),
        (0.2, 0.2),
        (0.5, 0.5),
        (0.95, 0.95),
        (0.05, 0.95),
        (0.1, 0.9),
        (0.5, 0.8),
        (0.8, 0.95),
    )
    for tasks, attempts, (a, b), effect in product(
        _TASKS[1:], _ATTEMPTS, sides, (0.0, 0.2, 0.5, 0.8)
    ):
        for together in (False, True) if effect else (False,):
            case = f"p {a} and {b}, task effect {effect}{', common' if together else ''}"
            draw = partial(_difference, tasks, attempts, a, b, effect, together)
            yield Cell(
                "success, paired",
                tasks,
                attempts,
                case,
                draw,
                is_relative=False,
                same=0.0 if a == b else None,
            )


def _difference(
    tasks: int, attempts: int, a: float, b: float, effect: float, together: bool, random: Generator
) -> Drawn:
    uniform = random.random((2, tasks))
    hard = (uniform[0], uniform[0 if together else 1])
    shares = [
        random.binomial(attempts, chances(p, effect, own)) / attempts
        for p, own in zip((a, b), hard, strict=True)
    ]
    return paired_shares(zip(*(side.tolist() for side in shares), strict=True)).difference, b - a


def _pairs() -> Iterator[Cell]:
    for tasks, log_sd, common, shrunk in product(_TASKS[1:], _LOG_SDS, (0.0, 0.5, 0.9), (1.0, 0.5)):
        case = f"log sd {log_sd:g} and {shrunk * log_sd:g}, {common:g} of it common"
        for is_ratio in (True, False):
            figure = "cost ratio, paired" if is_ratio else "cost difference, paired"
            draw = partial(
                _pair, tasks, log_sd, common, shrunk, 1.0 if shrunk == 1 else 1.3, is_ratio
            )
            same = None if shrunk < 1 else float(is_ratio)
            yield Cell(
                figure,
                tasks,
                1,
                case,
                draw,
                same=same,
                unit=None if is_ratio else math.exp(log_sd**2 / 2),
            )


def _pair(
    tasks: int,
    log_sd: float,
    common: float,
    shrunk: float,
    times: float,
    is_ratio: bool,
    random: Generator,
) -> Drawn:
    hard = random.normal(0, math.sqrt(common), tasks)
    own = random.normal(0, math.sqrt(1 - common), (2, tasks))
    a = numpy.exp(log_sd * (hard + own[0]))
    b = times * numpy.exp(shrunk * log_sd * (hard + own[1]))
    true_a, true_b = math.exp(log_sd**2 / 2), times * math.exp((shrunk * log_sd) ** 2 / 2)
    told = paired_intervals(zip(a.tolist(), b.tolist(), strict=True))
    return (told.ratio, true_b / true_a) if is_ratio else (told.difference, true_b - true_a)


def _per_success() -> Iterator[Cell]:
    for tasks, attempts, share, effect, log_sd, failed in product(
        _TASKS[1:], _ATTEMPTS, (0.2, 0.5, 0.8), (0.0, 0.5), (0.5, 1.0), (0.5, 1.0, 2.0)
    ):
        case = (
            f"p {share}, task effect {effect}, log sd {log_sd:g}, a failure costs {failed:g} times"
        )
        draw = partial(_success_cost, tasks, attempts, share, effect, log_sd, failed)
        yield Cell("cost per success", tasks, attempts, case, draw)


def _success_cost(
    tasks: int,
    attempts: int,
    share: float,
    effect: float,
    log_sd: float,
    failed: float,
    random: Generator,
) -> Drawn:
    runs, truth = _success_runs(tasks, attempts, share, effect, log_sd, failed, random)
    told = per_success(runs)
    return told.interval if told else None, truth


def _success_runs(
    tasks: int,
    attempts: int,
    share: float,
    effect: float,
    log_sd: float,
    failed: float,
    random: Generator,
) -> tuple[list[tuple[list[float], int]], float]:
    """Costs and successes by task, and what a success costs."""
    half = log_sd / math.sqrt(2)
    passed = (
        random.random((tasks, attempts)) < chances(share, effect, random.random(tasks))[:, None]
    )
    costs = numpy.exp(
        random.normal(0, half, (tasks, 1)) + random.normal(0, half, (tasks, attempts))
    )
    costs = costs * numpy.where(passed, 1, failed)
    truth = math.exp(log_sd**2 / 2) * (share + (1 - share) * failed) / share
    return list(zip(costs.tolist(), passed.sum(1).tolist(), strict=True)), truth


_SCORES: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = {
    "normal": lambda normal: normal,
    "uniform": stats.norm.cdf,
    "share of tests, most pass": lambda normal: stats.beta.ppf(stats.norm.cdf(normal), 5, 1),
    "log-normal, log sd 0.5": lambda normal: numpy.exp(0.5 * normal),
}
"""Scores on a linear scale, from normal values."""
_SCORE_MEANS = {
    "normal": 0.0,
    "uniform": 0.5,
    "share of tests, most pass": 5 / 6,
    "log-normal, log sd 0.5": math.exp(0.125),
}


def _scores() -> Iterator[Cell]:
    sizes = [
        (tasks, attempts, effect)
        for tasks, attempts, effect in product(_TASKS, _ATTEMPTS, (0.0, 0.5, 0.9))
        if attempts > 1 or not effect
    ]
    for (tasks, attempts, effect), log_sd, again in product(sizes, (0.1, 0.5, 1.5), (False, True)):
        case = f"log sd {log_sd:g}, task effect {effect}, {_question(again)}"
        draw = partial(_ratio_score, tasks, attempts, log_sd, effect, again)
        yield Cell("score, a ratio", tasks, attempts, case, draw)
    for (tasks, attempts, effect), name in product(sizes, _SCORES):
        case = f"{name}, task effect {effect}, {_question(False)}"
        yield Cell(
            "score",
            tasks,
            attempts,
            case,
            partial(_linear_score, tasks, attempts, name, effect),
            False,
        )


def _normals(
    tasks: int, attempts: int, effect: float, random: Generator
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The levels of tasks, and values of variance 1 around them: a row a task."""
    levels = random.normal(0, math.sqrt(effect), (tasks, 1))
    return levels, levels + random.normal(0, math.sqrt(1 - effect), (tasks, attempts))


def _ratio_score(
    tasks: int, attempts: int, log_sd: float, effect: float, again: bool, random: Generator
) -> Drawn:
    levels, values = _normals(tasks, attempts, effect, random)
    scores = numpy.exp(log_sd * values)
    if again:
        return mean_score_interval([[score] for score in scores.ravel().tolist()], True), math.exp(
            log_sd * float(levels.mean())
        )
    return mean_score_interval(scores.tolist(), True), 1.0


def _linear_score(tasks: int, attempts: int, name: str, effect: float, random: Generator) -> Drawn:
    _, values = _normals(tasks, attempts, effect, random)
    return mean_score_interval(_SCORES[name](values).tolist(), False), _SCORE_MEANS[name]


def _score_pairs() -> Iterator[Cell]:
    cases = list(product(_TASKS[1:], (0.0, 0.5, 0.9), (1.0, 0.5)))
    for (tasks, common, shrunk), log_sd in product(cases, (0.1, 0.5, 1.5)):
        case = f"log sd {log_sd:g} and {shrunk * log_sd:g}, {common:g} of it common"
        draw = partial(_score_pair, tasks, "log", log_sd, common, shrunk)
        yield Cell("score ratio, paired", tasks, 1, case, draw, same=1.0 if shrunk == 1 else None)
    for (tasks, common, shrunk), name in product(cases, _SCORES):
        case = f"{name}, sd 1 and {shrunk:g}, {common:g} of it common"
        draw = partial(_score_pair, tasks, name, 1.0, common, shrunk)
        same = 0.0 if shrunk == 1 else None
        yield Cell("score difference, paired", tasks, 1, case, draw, is_relative=False, same=same)


def _score_pair(
    tasks: int, name: str, log_sd: float, common: float, shrunk: float, random: Generator
) -> Drawn:
    _, values = _normals(tasks, 2, common, random)
    if name == "log":
        logs = log_sd * (shrunk * values[:, 1] - values[:, 0])
        factor = 1.0 if shrunk == 1 else 1.3
        return mean_score_interval(
            ([ratio] for ratio in (factor * numpy.exp(logs)).tolist()), True
        ), factor
    a, b = (_SCORES[name](values[:, side]) for side in (0, 1))
    b, truth = (b, 0.0) if shrunk == 1 else (shrunk * b, (shrunk - 1) * _SCORE_MEANS[name])
    return mean_score_interval(([one] for one in (b - a).tolist()), False), truth


def _medians() -> Iterator[Cell]:
    """Of normal values: a median of any others that rise with them is told as often."""
    for tasks, attempts, effect in product(sorted((*_TASKS, 6)), _ATTEMPTS, (0.0, 0.5, 0.9)):
        if attempts > 1 or not effect:
            for again in (False, True):
                case = f"task effect {effect}, {_question(again)}"
                draw = partial(_median, tasks, attempts, effect, again)
                yield Cell("median", tasks, attempts, case, draw, is_relative=False)


def _median(tasks: int, attempts: int, effect: float, again: bool, random: Generator) -> Drawn:
    levels, values = _normals(tasks, attempts, effect, random)
    if not again:
        return median_interval(values.tolist()), 0.0
    low, high = float(levels.min()) - 1e-9, float(levels.max()) + 1e-9
    for _ in range(30):  # where half of all attempts at these tasks lie below
        middle = (low + high) / 2
        below = special.ndtr((middle - levels) / math.sqrt(1 - effect)).mean()
        low, high = (middle, high) if below < 0.5 else (low, middle)
    return median_interval([value] for value in values.ravel().tolist()), low


def _off_the_model() -> Iterator[Cell]:
    """Costs that are not log-normal: what the method was not made for."""
    shapes: dict[str, tuple[Callable[[Generator, int], numpy.ndarray], float]] = {
        "uniform from 0": (lambda random, n: random.uniform(0, 2, n), 1.0),
        "normal, sd a fifth": (lambda random, n: numpy.abs(random.normal(1, 0.2, n)), 1.0),
        "gamma, shape 2": (lambda random, n: random.gamma(2, 0.5, n), 1.0),
        "one in five next to nothing": (
            lambda random, n: numpy.where(
                random.random(n) < 0.2, 0.001, random.lognormal(0, 0.5, n)
            ),
            0.2 * 0.001 + 0.8 * math.exp(0.125),
        ),
        "one in eight next to nothing": (
            lambda random, n: numpy.where(
                random.random(n) < 0.125, 0.001, random.lognormal(0, 0.2, n)
            ),
            0.125 * 0.001 + 0.875 * math.exp(0.02),
        ),
        "one in five tenfold": (
            lambda random, n: (
                numpy.where(random.random(n) < 0.2, 10, 1) * random.lognormal(0, 0.3, n)
            ),
            2.8 * math.exp(0.045),
        ),
    }
    for tasks, (name, (shape, truth)) in product((*_TASKS[1:], 100, 1000), shapes.items()):
        yield Cell(
            "mean cost, not log-normal", tasks, 1, name, partial(_shaped, tasks, shape, truth)
        )


def _shaped(
    tasks: int, shape: Callable[[Generator, int], numpy.ndarray], truth: float, random: Generator
) -> Drawn:
    return mean_interval([cost] for cost in shape(random, tasks).tolist()), truth


def _shares_of_attempts() -> Iterator[Cell]:
    """The share of attempts in the variance of a difference in success."""
    for attempts, (a, b), effect in product(
        (3, 6), ((0.5, 0.5), (0.4, 0.7), (0.2, 0.3)), (0.0, 0.3, 0.6)
    ):
        case = f"p {a} and {b}, task effect {effect}"
        draw = partial(_share_of_attempts, 30, attempts, (a, b), effect)
        yield Cell("attempts, share", 30, attempts, case, draw, is_relative=False)


def _share_of_attempts(
    tasks: int, attempts: int, shares: tuple[float, float], effect: float, random: Generator
) -> Drawn:
    sides = [
        random.binomial(attempts, chances(share, effect, random.random(tasks))) for share in shares
    ]
    cells = [
        [_DesignCell((attempts,), p * (attempts - p) / attempts) for p in side.tolist()]
        for side in sides
    ]
    told = designs(((sides[1] - sides[0]) / attempts).tolist(), (cells[0], cells[1]))
    truth = (1 - effect) / attempts / ((1 - effect) / attempts + effect)
    return told.attempts_share[1] if told and told.attempts_share else None, truth


def wrongly_decided(cell: Cell, campaigns: int) -> float:
    """How often a comparison without a difference is decided."""
    random = numpy.random.default_rng(crc32(cell.case.encode()))
    drawn = (cell.draw(random)[0] for _ in range(campaigns))
    return sum(each is not None and cell.same not in each for each in drawn) / campaigns


def too_high(campaigns: int) -> Iterator[tuple[str, float, float]]:
    """By how much cost over successes, and its corrected estimate, are too high on average, of campaigns that tell."""
    for tasks, attempts in product((5, 10, 30), (1, 3)):
        random = numpy.random.default_rng(1)
        plain, corrected = [], []
        for _ in range(campaigns):
            runs, truth = _success_runs(tasks, attempts, 0.5, 0.2, 0.5, 1.0, random)
            if told := per_success(runs):
                plain.append(
                    sum(sum(costs) for costs, _ in runs) / sum(passed for _, passed in runs) / truth
                    - 1
                )
                corrected.append(told.estimate / truth - 1)
        yield f"{tasks} tasks x {attempts}", float(numpy.mean(plain)), float(numpy.mean(corrected))


# Claims and leaders of whole builds: several configurations on the same tasks, all pairs corrected together.


@dataclass(frozen=True)
class Build:
    """A kind of build: configurations on the same tasks, in one measure."""

    measure: AnyMeasure
    tasks: int
    attempts: int
    truths: tuple[float, ...]
    """What each configuration would reach over all tasks of this kind, the best first; equal ones do not differ."""
    case: str
    draw: Callable[[Generator], numpy.ndarray]
    """The means over attempts: a row a configuration, a column a task."""

    @property
    def name(self) -> str:
        """What kind it is, in words."""
        kind = f"{self.measure.key}, {self.tasks} tasks x {self.attempts}, {len(self.truths)} configurations"
        return f"{kind}, {self.case}"

    @property
    def best(self) -> list[int]:
        """The configurations that are truly the best."""
        best = (min if self.measure.lower_is_better else max)(self.truths)
        return [at for at, truth in enumerate(self.truths) if truth == best]


@dataclass(frozen=True)
class Told:
    """What builds of a kind say, as shares of them."""

    build: Build
    compared: float
    """Say who may lead."""
    claims: float
    """Call any difference clear."""
    held: float
    """Let the best one, or a given one of the best, lead."""
    leads: float
    """Say that the first one leads."""
    any_leads: float
    """Say that any one leads."""


def told_by(build: Build, builds: int) -> Told:
    """Draw the builds of a kind."""
    random = numpy.random.default_rng(crc32(build.name.encode()))
    told = [_leaders_of(build.measure, build.draw(random).tolist()) for _ in range(builds)]
    leading = [[at for at, may in found.items() if may] for found, _ in told]
    best = build.best[0]
    counts = (
        sum(bool(found) for found, _ in told),
        sum(is_claim for _, is_claim in told),
        sum(found.get(best, True) for found, _ in told),
        leading.count([0]),
        sum(len(own) == 1 for own in leading),
    )
    return Told(build, *(count / builds for count in counts))


def _leaders_of(
    measure: AnyMeasure, means: Sequence[Sequence[float]]
) -> tuple[dict[int, bool], bool]:
    """Which configurations may lead, and whether any difference is clear, as a build finds them."""
    pairs = list(combinations(range(len(means)), 2))
    found = [measure.paired(list(zip(means[a], means[b], strict=True))) for a, b in pairs]
    told = [
        (pair, each, p)
        for pair, each in zip(pairs, found, strict=True)
        if (p := each.p_value) is not None
    ]
    corrected = corrected_ps([p for *_, p in told])
    contrasts = [
        (
            a,
            b,
            Contrast(
                each.difference,
                each.ratio,
                p,
                measure,
                (),
                0,
                0,
                0,
                *map(measure.mean, (means[a], means[b])),
                own,
            ),
        )
        for ((a, b), each, p), own in zip(told, corrected, strict=True)
    ]
    is_claim = any(each.effect in (Effect.LOWER, Effect.HIGHER) for *_, each in contrasts)
    return may_lead(list(range(len(means))), contrasts), is_claim


# Lost runs: 200 runs a side without a true difference.


def losing(mechanism: str, builds: int, rule: str = "both") -> tuple[float, float]:
    """How often a difference is called clear, and one side leads: where the sides lose 2 % and 20 % of their runs to
    errors (`errors`), or one side loses half of what it would fail (`hard tasks`). By both countings, or by `judged`
    runs or lost ones as `failed` alone."""
    random = numpy.random.default_rng(crc32(mechanism.encode()))
    clear = leads = 0
    for _ in range(builds):
        likely = chances(0.5, 0.5, random.random(40))
        passed = random.random((2, 40, 5)) < likely[None, :, None]
        lost = random.random((2, 40, 5)) < numpy.array([0.02, 0.2])[:, None, None]
        if mechanism == "hard tasks":
            lost = numpy.array([0.0, 0.5])[:, None, None] > random.random((2, 40, 5))
            lost &= ~passed
        judged, failed = _counted(passed, ~lost), _counted(passed & ~lost, numpy.ones_like(lost))
        shown = {"both": replace(judged, other=failed), "judged": judged, "failed": failed}[rule]
        clear += shown.effect in (Effect.LOWER, Effect.HIGHER)
        leads += sum(may_lead(["a", "b"], [("a", "b", shown)]).values()) == 1
    return clear / builds, leads / builds


def _counted(passed: numpy.ndarray, counts: numpy.ndarray) -> Contrast:
    """Two sides on the tasks that both have counted runs of; an axis each for sides, tasks and attempts."""
    runs = counts.sum(2)
    known = runs.min(0) > 0
    rates = ((passed & counts).sum(2)[:, known] / runs[:, known]).tolist()
    told = paired_shares(list(zip(*rates, strict=True)))
    means = (math.fsum(side) / len(side) for side in rates)
    return Contrast(told.difference, told.ratio, told.p_value, Measure.SUCCESS, (), 0, 0, 0, *means)


def against_control(arms: int, tasks: int, attempts: int, count: int) -> float:
    """How often a build without a true difference calls one of its arms different from the control."""
    build = success_build(tasks, attempts, (0.5,) * (arms + 1), 0.5)
    random = numpy.random.default_rng(crc32(build.name.encode()))
    claims = 0
    for _ in range(count):
        control, *others = build.draw(random).tolist()
        ps = (paired_shares(list(zip(control, own, strict=True))).p_value for own in others)
        claims += min(corrected_ps([p for p in ps if p is not None]), default=1.0) <= 0.05
    return claims / count


def print_both(count: int) -> None:
    """Print the shares of false claims with lost runs, against a control and under ties."""
    for mechanism, rule in product(("errors", "hard tasks"), ("judged", "failed", "both")):
        clear, leads = losing(mechanism, count, rule)
        print(
            f"| lost: {mechanism}, counting {rule} | {100 * clear:.1f} | {100 * leads:.1f} |",
            flush=True,
        )
    for tasks, attempts in ((10, 3), (30, 1), (30, 3)):
        print(
            f"| control, four arms, {tasks} x {attempts} | {100 * against_control(4, tasks, attempts, count):.1f} | |"
        )
        for size in (2, 4, 8):
            told = told_by(success_build(tasks, attempts, (0.5,) * size, 0.5), count)
            print(
                f"| tie of {size}, {tasks} x {attempts} | {100 * told.claims:.1f} | {100 * told.any_leads:.1f} |",
                flush=True,
            )


def builds(
    tasks: Iterable[int] = _TASKS,
    attempts: Iterable[int] = _ATTEMPTS,
    configurations: Iterable[int] = (2, 4, 12),
) -> Iterator[Build]:
    """All kinds of builds of these sizes: those without any difference, those in which all differ, or one."""
    for n, runs, size in product(tasks, attempts, configurations):
        for effect, truths in product((0.2, 0.5, 0.8), ((0.2,) * size, (0.5,) * size)):
            yield success_build(n, runs, truths, effect)
        yield success_build(n, runs, (0.5,) * size, 0.8, common=False)
        yield success_build(n, runs, (0.8,) + (0.4,) * (size - 1), 0.5)
        yield success_build(n, runs, tuple(numpy.linspace(0.8, 0.2, size).tolist()), 0.5)
        for log_sd, step in product((0.3, 1.0), (1.0, 1.3)):
            levels = tuple(step**number for number in range(size))
            yield _valued(Measure.COST, n, runs, levels, f"log sd {log_sd:g}", log_sd)
        yield _valued(
            ScoreMeasure("gain", higher_is_better=True, is_ratio=True),
            n,
            runs,
            (1.0,) * size,
            "log sd 0.5",
            0.5,
        )
        for name in ("uniform", "share of tests, most pass"):
            yield _valued(
                ScoreMeasure("points", higher_is_better=True), n, runs, (0.0,) * size, name, None
            )


def success_build(
    tasks: int, attempts: int, truths: tuple[float, ...], effect: float, *, common: bool = True
) -> Build:
    """Configurations that pass so often; how hard a task is, is common to all, or each finds others hard."""

    def draw(random: Generator) -> numpy.ndarray:
        uniform = random.random((len(truths), tasks))
        hard = uniform[:1].repeat(len(truths), 0) if common else uniform
        likely = [chances(truth, effect, own) for truth, own in zip(truths, hard, strict=True)]
        return numpy.asarray(random.binomial(attempts, numpy.array(likely)) / attempts)

    case = f"{truths[0]:g} to {truths[-1]:g}, task effect {effect}{', common' if common else ''}"
    return Build(Measure.SUCCESS, tasks, attempts, truths, case, draw)


def _valued(
    measure: AnyMeasure,
    tasks: int,
    attempts: int,
    truths: tuple[float, ...],
    name: str,
    log_sd: float | None,
) -> Build:
    """Values of which half of the variance is between tasks, half of that common to all configurations."""

    def draw(random: Generator) -> numpy.ndarray:
        size = len(truths)
        levels = random.normal(0, 0.5, (1, tasks, 1)) + random.normal(0, 0.5, (size, tasks, 1))
        values = levels + random.normal(0, math.sqrt(0.5), (size, tasks, attempts))
        if log_sd is None:
            return numpy.asarray(_SCORES[name](values).mean(2))
        logs = log_sd * values + numpy.log(truths)[:, None, None]
        return numpy.asarray(
            numpy.exp(logs.mean(2)) if measure.is_ratio else numpy.exp(logs).mean(2)
        )

    return Build(
        measure, tasks, attempts, truths, f"{name}, {truths[0]:g} to {truths[-1]:.3g}", draw
    )


def print_builds(count: int) -> None:
    """Draw all kinds, print the worst of each size."""
    print(
        "| tasks x attempts | configurations | compared, % | best may lead, least % | by chance, most % (mean) | "
        "0.8 leads before 0.4, % |",
        "|---" * 6 + "|",
        sep="\n",
    )
    for tasks, attempts, size in product(_TASKS, _ATTEMPTS, (2, 4, 12)):
        found = [
            told_by(each, count if size < 12 else count // 4)
            for each in builds([tasks], [attempts], [size])
        ]
        alike = [each.claims for each in found if len(set(each.build.truths)) == 1]
        ahead = next(each.leads for each in found if each.build.case.startswith("0.8 to 0.4"))
        compared, least = min(each.compared for each in found), min(each.held for each in found)
        print(
            f"| {tasks} x {attempts} | {size} | {100 * compared:.0f} | {100 * least:.1f} | {100 * max(alike):.1f} "
            f"({100 * sum(alike) / len(alike):.1f}) | {100 * ahead:.0f} |",
            flush=True,
        )


def main() -> None:
    """Draw, print, name the lowest cell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a part of the grid, in a minute")
    parser.add_argument("--campaigns", type=int, help="of each cell; 2000, quick 400")
    parser.add_argument("--only", default="", help="figures whose name begins so")
    parser.add_argument(
        "--leaders", action="store_true", help="claims and leaders of whole builds instead"
    )
    parser.add_argument(
        "--lost",
        action="store_true",
        help="false claims with lost runs, a control and ties instead",
    )
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="the summary as docs/contributing/coverage.md has it",
    )
    arguments = parser.parse_args()
    campaigns = arguments.campaigns or (400 if arguments.quick else 2000)
    if arguments.leaders or arguments.lost:
        (print_builds if arguments.leaders else print_both)(campaigns)
        return
    start = time.monotonic()
    cells = [
        cell
        for cell in (quick_grid() if arguments.quick else grid())
        if cell.figure.startswith(arguments.only)
    ]
    rows = [measure(cell, campaigns) for cell in cells]
    if not arguments.markdown:
        for row in rows:
            print(_line(row))
    print(*_summary(rows), sep="\n")
    no_difference = [cell for cell in cells if cell.same is not None]
    if no_difference:
        wrong = [(wrongly_decided(cell, campaigns), cell) for cell in no_difference]
        most, cell = max(wrong, key=lambda each: each[0])
        mean = sum(share for share, _ in wrong) / len(wrong)
        print(
            f"\nDecided without a difference: {mean:.1%} on average, at most {most:.1%} ({_name(cell)})."
        )
    if not arguments.only:
        print("\nCost per success is too high by, plain and corrected:")
        for name, plain, corrected in too_high(campaigns):
            print(f"  {name}: {plain:+.1%}, {corrected:+.1%}")
    print(f"\n{len(rows)} cells of {campaigns} campaigns, {time.monotonic() - start:.0f} s")
    told = [
        (row.held, row)
        for row in rows
        if row.held is not None and "not log-normal" not in row.cell.figure
    ]
    if told:
        held, row = min(told, key=lambda each: each[0])
        print(
            f"Lowest: {held:.1%} of {_name(row.cell)}, {row.given:.0%} given (target {TARGET:.0%})"
        )


def _name(cell: Cell) -> str:
    return f"{cell.figure}, {cell.tasks} tasks x {cell.attempts}, {cell.case}"


def _line(row: Row) -> str:
    held = "too few" if row.held is None else f"{row.held:7.1%}"
    width = "" if row.width is None else f"{row.width:8.2f}"
    return f"{row.given:6.0%} {held:>8} {width:>8} {row.open_above:5.0%}  {_name(row.cell)}"


def _summary(rows: Iterable[Row]) -> Iterator[str]:
    """By figure and size of the campaign: the least and the mean of what held, how many got one, and how wide."""
    groups: dict[tuple[str, int, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.cell.figure, row.cell.tasks, row.cell.attempts), []).append(row)
    yield "| figure | tasks x attempts | least, % | mean, % | with an interval, % | width | open above, % |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for (figure, tasks, attempts), own in groups.items():
        held = [row.held for row in own if row.held is not None]
        cells = [_percent(min(held)), _percent(_mean_of(held))] if held else ["too few", ""]
        widths = [row.width for row in own if row.width is not None]
        cells += [
            f"{100 * _mean_of([row.given for row in own]):.0f}",
            f"{_mean_of(widths):.2f}" if widths else "",
        ]
        cells.append(f"{100 * _mean_of([row.open_above for row in own]):.0f}")
        yield f"| {figure} | {tasks} x {attempts} | {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _mean_of(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
