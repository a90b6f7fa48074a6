"""Scores: their means, medians and intervals, each against somebody else's implementation, and two sides of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sitegen.model import Entry, Outcome, Score
from sitegen.numbers.baseline import deltas
from sitegen.numbers.campaigns import campaign
from sitegen.numbers.comparison import Effect, compare
from sitegen.numbers.gates import MeasureLimits, evaluate
from sitegen.numbers.intervals import Interval, Question, median_interval
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import (
    Dimension,
    Measure,
    ScoreMeasure,
    mean_score,
    mean_score_interval,
    score_measures,
    spread,
    summarize,
)
from sitegen.numbers.success import success
from sitegen.numbers.wording import Claim
from sitegen.pages.compare import comparisons
from sitegen.pages.leaderboard import board, leaderboard_view
from tests.numbers.test_comparison import attempt

SPEEDUP = ScoreMeasure("speedup", "x", higher_is_better=True, is_ratio=True)


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def singly(values: Iterable[float]) -> list[list[float]]:
    return [[value] for value in values]


# Medians


@pytest.mark.parametrize("n", [6, 7, 9, 25, 100, 900])
def test_the_interval_of_a_median_is_scipys_quantile_test(n: int) -> None:
    values = numpy.random.default_rng(n).lognormal(size=n).tolist()
    expected = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    if math.isnan(expected.low):
        assert median_interval(singly(values)) is None
    else:
        assert ends(median_interval(singly(values))) == (expected.low, expected.high)


def test_of_very_many_values_it_is_right_to_one_rank() -> None:
    values = sorted(numpy.random.default_rng(3).normal(size=5_000).tolist())
    expected = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    low, high = ends(median_interval(singly(values)))
    assert abs(values.index(low) - values.index(expected.low)) <= 1
    assert abs(values.index(high) - values.index(expected.high)) <= 1


def test_attempts_that_are_alike_tell_no_more_of_a_median_than_one_of_them() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.3, 5.8]
    assert median_interval([[value] * 4 for value in values]) == median_interval(singly(values))
    assert median_interval([[value] * 4 for value in values[:5]]) is None, (
        "five tasks have no median to tell"
    )


# Means


def test_the_interval_of_scores_that_are_not_skewed_is_scipys_t_interval() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    expected = stats.t.interval(0.95, 9, loc=5.5, scale=stats.sem(values))
    assert ends(mean_score_interval(singly(values), is_ratio=False)) == pytest.approx(expected)
    ratios = [math.exp(value) for value in values]
    expected = tuple(math.exp(end) for end in expected)
    assert ends(mean_score_interval(singly(ratios), is_ratio=True)) == pytest.approx(expected)


def test_the_interval_of_skewed_scores_reaches_as_far_as_halls_transform_says() -> None:
    values = numpy.random.default_rng(5).lognormal(size=12)
    n, error, t = len(values), stats.sem(values), float(stats.t.ppf(0.975, 11))
    skewness = float(stats.skew(values))
    low, high = ends(mean_score_interval(singly(values.tolist()), is_ratio=False))
    assert low == pytest.approx(values.mean() - t * error), (
        "to this side Student's t reaches further"
    )
    assert high > values.mean() + t * error

    def transform(t: float) -> float:
        """Hall (1992), equation 2.2."""
        g = skewness / math.sqrt(n)
        return t + g * t * t / 3 + g * g * t**3 / 27 + g / 6

    assert transform((values.mean() - high) / error) == pytest.approx(-t)


def test_attempts_that_are_alike_tell_no_more_of_a_mean_than_one_of_them() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]
    once = mean_score_interval(singly(values), is_ratio=True)
    assert ends(
        mean_score_interval([[value] * 3 for value in values], is_ratio=True)
    ) == pytest.approx(ends(once))


def test_under_five_tasks_and_where_all_scores_are_equal_there_is_no_interval_of_their_mean() -> (
    None
):
    assert mean_score_interval(singly([1, 2, 3, 4]), is_ratio=False) is None
    assert mean_score_interval(singly([0.1] * 7), is_ratio=False) is None
    assert mean_score_interval(singly([1.1] * 7), is_ratio=True) is None


scores = st.integers(-1000, 1000).map(lambda value: value / 10)
ratios = st.integers(1, 10_000).map(lambda value: value / 100)
of_tasks = st.lists(st.lists(scores, min_size=1, max_size=4), min_size=5, max_size=12)
of_ratios = st.lists(st.lists(ratios, min_size=1, max_size=4), min_size=5, max_size=12)


@given(of_tasks, of_ratios, st.randoms(use_true_random=False))
def test_intervals_of_scores_hold_their_estimates_and_depend_on_no_order(
    linear: list[list[float]], factors: list[list[float]], random: Random
) -> None:
    for values, is_ratio in ((linear, False), (factors, True)):
        shuffled = [random.sample(own, len(own)) for own in random.sample(values, len(values))]
        everything = [value for own in values for value in own]
        told = mean_score_interval(values, is_ratio)
        assert mean_score_interval(shuffled, is_ratio) == told
        if told:
            assert told.low < mean_score(everything, is_ratio) < told.high
            assert told.low > 0 or not is_ratio
        of_median = median_interval(values)
        assert median_interval(shuffled) == of_median
        if of_median:
            assert of_median.low <= numpy.median(everything) <= of_median.high
            assert {of_median.low, of_median.high} <= set(everything)


@given(of_ratios)
def test_ratios_that_are_turned_around_have_the_interval_turned_around(
    values: list[list[float]],
) -> None:
    there = mean_score_interval(values, is_ratio=True)
    back = mean_score_interval([[1 / value for value in own] for own in values], is_ratio=True)
    assert (there is None) == (back is None)
    if there and back:
        assert (back.low * there.high, back.high * there.low) == pytest.approx((1, 1), rel=1e-6)


# Of runs


def scored_run(name: str, task: str, value: float | None, **changes: object) -> Entry:
    stated = () if value is None else (Score("speedup", value, "x", True, True),)
    return replace(attempt(name, task), scores=stated, **changes)  # type: ignore[arg-type]


def side(name: str, values: Iterable[float | None]) -> list[Entry]:
    return [scored_run(f"{name}{index}", f"t{index}", value) for index, value in enumerate(values)]


def test_what_is_first_stated_of_a_score_counts_and_one_of_zero_is_no_ratio() -> None:
    first = replace(
        attempt("1", "t"), scores=(Score("speedup", 2, "x", True, True), Score("size", 3))
    )
    other = replace(
        attempt("2", "t"), scores=(Score("size", 3, "kB"), Score("speedup", 4, "times", False))
    )
    assert score_measures([first, other]) == (SPEEDUP, ScoreMeasure("size"))
    none = replace(attempt("3", "t"), scores=(Score("speedup", 0, "x"),))
    assert score_measures([first, none])[0] == replace(SPEEDUP, is_ratio=False)


def test_a_score_over_runs_leaves_out_failures_of_their_surroundings() -> None:
    runs = [
        *side("a", [1, 2, 4, 8, 16, 32, None]),
        scored_run("broken", "t1", 1000, outcome=Outcome.ERROR),
    ]
    told = spread(runs, SPEEDUP)
    assert (told.known, told.unknown, told.best) == (6, 2, 32)
    assert told.mean == pytest.approx(float(stats.gmean([1, 2, 4, 8, 16, 32])))
    assert told.median == 6
    assert told.median_interval == Interval(1, 32)
    assert told.interval is not None
    assert told.interval.low < told.mean < told.interval.high
    assert spread(runs, replace(SPEEDUP, higher_is_better=False)).best == 1
    assert spread(runs, replace(SPEEDUP, higher_is_better=None)).best is None
    assert spread([], SPEEDUP).mean is None


def test_attempts_of_few_tasks_have_an_interval_of_these_tasks_only() -> None:
    runs = [
        scored_run(f"{task}{n}", f"t{task}", 1 + task + n / 10)
        for task in range(3)
        for n in range(3)
    ]
    assert spread(runs, SPEEDUP).interval is None
    assert spread(runs, SPEEDUP, Question.THESE_TASKS).interval is not None


def test_two_sides_of_a_ratio_differ_by_the_ratio_of_geometric_means() -> None:
    a, b = [1.0, 2.0, 4.0, 8.0, 3.0], [2.2, 3.9, 8.4, 15.0, 6.3]
    told = compare(side("a", a), side("b", b), Dimension.CAMPAIGN).scores["speedup"]
    assert (told.a, told.b) == pytest.approx((float(stats.gmean(a)), float(stats.gmean(b))))
    assert told.mean_ratio == pytest.approx(float(stats.gmean(numpy.divide(b, a))))
    assert (told.difference, told.effect, told.b_wins) == (None, Effect.HIGHER, 5)
    expected = mean_score_interval(singly(numpy.divide(b, a).tolist()), is_ratio=True)
    assert ends(told.ratio) == pytest.approx(ends(expected))
    assert told.designs is not None


def test_two_sides_of_another_score_differ_by_the_mean_of_the_differences() -> None:
    plain = [
        replace(run, scores=(Score("points", run.scores[0].value),))
        for run in side("a", [1, 2, 4, 8, 3])
    ]
    better = [
        replace(run, scores=(Score("points", run.scores[0].value),))
        for run in side("b", [3, 3, 7, 9, 5])
    ]
    told = compare(plain, better, Dimension.CAMPAIGN).scores["points"]
    assert (told.mean_difference, told.ratio, told.effect) == (
        pytest.approx(1.8),
        None,
        Effect.HIGHER,
    )
    assert told.difference == mean_score_interval(singly([2, 1, 3, 1, 2]), is_ratio=False)


def resolved(name: str, values: Sequence[int]) -> list[Entry]:
    """Runs whose score says what their outcome says."""
    return [
        replace(
            attempt(f"{name}{n}", f"t{n}", model=name),
            outcome=Outcome.PASS if value else Outcome.FAIL,
            scores=(Score("resolved", value, None, True),),
        )
        for n, value in enumerate(values)
    ]


def test_a_score_of_0_and_1_reads_as_a_success_rate_on_pages_and_in_gates() -> None:
    runs = [*resolved("a", [0, 0, 1, 0, 0, 0]), *resolved("b", [1, 1, 1, 0, 1, 1])]
    found = board(runs, Question.TASKS_LIKE_THESE)
    assert found is not None
    rows = leaderboard_view(found).rows
    keys = [column.key for column in leaderboard_view(found).columns]
    assert keys[:3] == ["passed", "score score.resolved", "cost"], (
        "no run is the best of those that reach it"
    )
    for row in rows:
        assert row.cells[1].text == row.cells[0].text
        assert row.cells[0].note.endswith(row.cells[1].note)
    comparison = comparisons(runs, []).pairs[0][1]
    claims = [
        Claim.of(each, "a", "b")
        for each in (comparison.scores["resolved"], comparison.contrasts[Measure.SUCCESS])
    ]
    assert claims[0].size == claims[1].size == "+67 points"
    lacking = replace(runs[0], outcome=None, scores=())
    for own in (runs, [lacking, *runs[1:]]):
        limits = {name: MeasureLimits(min=0.5) for name in ("success_rate", "score.resolved.mean")}
        checks = {each.id: PriceTable.load().check(each.run) for each in own}
        rate, mean = evaluate(limits, own, summarize(own), checks, [])
        assert (mean.verdict, mean.limit) == (rate.verdict, rate.limit)
        assert rate.figure.startswith(mean.figure)
    before, now = (
        campaign("old", "", resolved("a", [0, 1, 0, 0, 0, 1])),
        campaign("new", "", runs[:6]),
    )
    score, passed = (
        next(each for each in deltas(before, now) if each.measure.endswith(name)) for name in _BOTH
    )
    assert (score.change, score.interval, score.unit) == (passed.change, passed.interval, "points")


_BOTH = ("resolved", "success")


def test_a_score_of_0_and_1_has_the_intervals_and_the_test_of_a_success_rate() -> None:
    a, b = resolved("a", [0, 0, 1, 0, 0, 0]), resolved("b", [1, 1, 1, 0, 1, 1])
    (measure,) = score_measures([*a, *b])
    assert measure.is_share
    assert spread(b, measure).interval == success(b).interval
    told = compare(a, b, Dimension.MODEL)
    score, passed = told.scores["resolved"], told.contrasts[Measure.SUCCESS]
    assert (score.difference, score.p_value, score.effect) == (
        passed.difference,
        passed.p_value,
        passed.effect,
    )
    half = replace(a[0], scores=(Score("resolved", 0.5, None, True),))
    assert not score_measures([half, *b])[0].is_share
    assert not score_measures([replace(a[0], scores=(Score("retries", 1, "retries"),))])[0].is_share


def test_a_score_has_one_unit_and_one_test_in_all_pairs_of_a_build() -> None:
    runs = [
        *resolved("a", [0, 0, 1, 0, 0, 1]),
        *resolved("b", [1, 0, 1, 1, 1, 1]),
        *resolved("c", [1, 0, 1, 0, 1, 1]),
    ]

    def shares(entries: Sequence[Entry]) -> list[bool]:
        pairs = comparisons(entries, []).pairs
        return [
            told.scores["resolved"].measure.is_share
            for (by, *_), told in pairs
            if by is Dimension.MODEL
        ]

    half = (Score("resolved", 0.5, None, True),)
    assert shares(runs) == [True] * 3
    assert shares([*runs[:-1], replace(runs[-1], scores=half)]) == [False] * 3
    assert shares([*runs[:-1], replace(runs[-1], scores=half, outcome=Outcome.ERROR)]) == [True] * 3


def test_a_score_that_one_side_lacks_is_not_compared() -> None:
    assert compare(side("a", [1] * 5), side("b", [None] * 5), Dimension.CAMPAIGN).scores == {}
    few = compare(
        side("a", [1, 2, None, None, None]), side("b", [2] * 5), Dimension.CAMPAIGN
    ).scores["speedup"]
    assert (len(few.tasks), few.tasks_left_out, few.effect) == (2, 3, Effect.TOO_FEW)
