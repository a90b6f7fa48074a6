"""What more tasks, or more attempts, would narrow a comparison to."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy
import pytest

from benchmarks.coverage import chances
from sitegen.model import Entry, Outcome
from sitegen.numbers.comparison import MIN_TASKS, Contrast, TaskAttempts, compare, designs
from sitegen.numbers.statistics import Dimension, Measure
from sitegen.pages.compare import comparisons
from tests.pages.compare.test_compare import attempt

Table = numpy.ndarray
"""A row a task, a column an attempt."""


def runs(model: str, passed: Table, costs: Table) -> list[Entry]:
    return [
        attempt(
            model,
            f"t{task}",
            float(costs[task, n]),
            Outcome.PASS if passed[task, n] else Outcome.FAIL,
            attempt=n,
        )
        for task in range(len(passed))
        for n in range(passed.shape[1])
    ]


def drawn(
    random: numpy.random.Generator, tasks: int, attempts: int, effect: float
) -> tuple[list[Table], list[Table]]:
    """Passed and costs of two sides; so much of the variance is between tasks."""
    passed, costs = [], []
    for share in (0.4, 0.6):
        level = chances(share, effect, random.random(tasks))[:, None]
        passed.append(random.random((tasks, attempts)) < level)
        between = random.normal(0, 0.4 * math.sqrt(effect), (tasks, 1))
        costs.append(
            numpy.exp(between + random.normal(0, 0.4 * math.sqrt(1 - effect), (tasks, attempts)))
        )
    return passed, costs


def contrast(
    passed: Sequence[Table], costs: Sequence[Table], tasks: int, attempts: int, measure: Measure
) -> Contrast:
    a, b = (
        runs(name, p[:tasks, :attempts], c[:tasks, :attempts])
        for name, p, c in zip("ab", passed, costs, strict=True)
    )
    return compare(a, b, Dimension.MODEL).contrasts[measure]


@pytest.mark.parametrize("effect", [0.0, 0.5])
@pytest.mark.parametrize("measure", [Measure.SUCCESS, Measure.COST])
def test_expected_half_widths_are_about_those_that_added_runs_give(
    measure: Measure, effect: float
) -> None:
    random = numpy.random.default_rng(4)
    of_tasks, of_attempts = [], []
    for _ in range(25):
        passed, costs = drawn(random, 28, 12, effect)
        told = contrast(passed, costs, 18, 3, measure)
        found = told.designs
        assert found is not None
        for design, ratios in ((found.more_tasks, of_tasks), (found.more_attempts, of_attempts)):
            if design is not None:
                then = contrast(
                    passed, costs, 18 + design.tasks, 3 + design.attempts, measure
                ).half_width
                assert then is not None
                ratios.append(then / told.half_width_with(design))
    for ratios in (of_tasks, of_attempts):
        assert len(ratios) >= 10
        assert 0.9 < float(numpy.median(ratios)) < 1.1
        assert float(numpy.quantile(numpy.abs(numpy.log(ratios)), 0.8)) < math.log(4 / 3)


def cells(values: Table) -> list[TaskAttempts]:
    return [TaskAttempts((len(row),), float(((row - row.mean()) ** 2).sum())) for row in values]


@pytest.mark.parametrize(("between", "least", "most"), [(0.0, 0.8, 1.0), (3.0, 0.0, 0.25)])
def test_the_share_of_attempts_is_what_runs_were_drawn_with(
    between: float, least: float, most: float
) -> None:
    random = numpy.random.default_rng(1)
    a, b = random.normal(0, between, (2, 60, 1)) + random.normal(0, 1, (2, 60, 3))
    found = designs((b.mean(1) - a.mean(1)).tolist(), (cells(a), cells(b)))
    assert found is not None
    assert found.attempts_share is not None
    share, ends = found.attempts_share
    true = (2 / 3) / (2 / 3 + 2 * between**2)
    assert least <= share <= most
    assert ends.low <= true <= ends.high


def test_order_of_tasks_changes_nothing_and_copies_of_tasks_narrow() -> None:
    random = numpy.random.default_rng(2)
    a, b = random.normal(0, 1, (2, 20, 1)) + random.normal(0, 1, (2, 20, 4))
    apart = (b.mean(1) - a.mean(1)).tolist()
    once = designs(apart, (cells(a), cells(b)))
    turned = designs(apart[::-1], (cells(a[::-1]), cells(b[::-1])))
    assert once is not None
    assert turned is not None
    assert once.attempts_share is not None
    assert turned.attempts_share is not None
    assert turned.attempts_share[0] == pytest.approx(once.attempts_share[0])
    assert turned.more_tasks.variance == pytest.approx(once.more_tasks.variance)
    doubled = designs(apart * 2, (cells(a) * 2, cells(b) * 2))
    assert doubled is not None
    assert doubled.attempts_share is not None
    one, two = once.attempts_share[1], doubled.attempts_share[1]
    assert two.high - two.low < one.high - one.low


def said(passed: Sequence[Table], costs: Sequence[Table], *, priced: bool = True) -> list[str]:
    entries = [
        run
        for name, p, c in zip(("one", "two"), passed, costs, strict=True)
        for run in runs(name, p, c)
    ]
    if not priced:
        entries = [replace(entry, run=replace(entry.run, cost_usd=None)) for entry in entries]
    (view,) = comparisons(entries, []).views
    return [gap for gap in view.gaps if "would narrow" in gap]


def test_a_page_says_what_to_run_next_and_what_it_costs() -> None:
    cost, success = said(*drawn(numpy.random.default_rng(3), 20, 4, 0.4))
    assert re.match(
        r"Cost: ten more tasks \(about \$\d+\) would narrow the ratio from ±\d+% to about ±\d+%",
        cost,
    )
    assert re.fullmatch(
        r"Success: ten more tasks \(about \$\d+\) would narrow the difference from ±\d+ points to about ±\d+ points, "
        r"two more attempts each \(about \$\d+\) to about ±\d+ points\.",
        success,
    )


def test_prices_are_the_mean_costs_of_the_runs_it_takes() -> None:
    passed, costs = drawn(numpy.random.default_rng(3), 20, 4, 0.4)
    *_, success = said(passed, costs)
    tasks_usd, attempts_usd = map(int, re.findall(r"about \$(\d+)", success))
    mean = sum(float(side.mean()) for side in costs)
    assert tasks_usd == pytest.approx(10 * 4 * mean, abs=0.5)
    assert attempts_usd == pytest.approx(2 * 20 * mean, abs=0.5)


def test_without_known_costs_there_is_no_price() -> None:
    (success,) = said(*drawn(numpy.random.default_rng(3), 20, 4, 0.4), priced=False)
    assert "$" not in success


def test_single_attempts_and_few_tasks_tell_of_tasks_alone() -> None:
    passed, costs = drawn(numpy.random.default_rng(3), 20, 4, 0.4)
    few = MIN_TASKS - 1
    for own in (said([p[:, :1] for p in passed], costs), said([p[:few] for p in passed], costs)):
        assert own
        assert all("more tasks" in one and "attempt" not in one for one in own)


def test_where_no_interval_stands_nothing_is_said() -> None:
    passed, costs = drawn(numpy.random.default_rng(3), 20, 4, 0.4)
    assert not said([p[:4] for p in passed], costs)
    assert not said([passed[0], passed[0]], [costs[0], costs[0]])  # level on every task
