"""Quantiles and intervals, each against somebody else's implementation or published figures."""

from __future__ import annotations

import math
import statistics as standard
from collections.abc import Sequence
from random import Random

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sitegen.numbers.intervals import (
    Interval,
    PairedIntervals,
    mean_interval,
    median,
    paired_intervals,
    quantile,
    student_t,
    tail,
    wilson,
)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.5, None),
        ([7], 0.25, 7),
        ([4, 1, 3, 2], 0.5, 2.5),
        ([3, 1, 2], 0.5, 2),
        # R: quantile(c(15, 20, 35, 40, 50), c(.05, .3, .4, .5, 1), type = 7)
        ([15, 20, 35, 40, 50], 0.05, 16),
        ([15, 20, 35, 40, 50], 0.3, 23),
        ([15, 20, 35, 40, 50], 0.4, 29),
        ([15, 20, 35, 40, 50], 0.5, 35),
        ([15, 20, 35, 40, 50], 1, 50),
        ([15, 20, 35, 40, 50], 0, 15),
    ],
)
def test_quantiles_are_those_of_definition_seven(values: list[float], share: float, expected: float | None) -> None:
    assert quantile(values, share) == (None if expected is None else pytest.approx(expected))


figures = st.lists(st.floats(0, 1e9), min_size=2, max_size=50)


@given(figures, st.floats(0, 1))
def test_quantiles_agree_with_numpy_and_the_standard_library(values: list[float], share: float) -> None:
    assert quantile(values, share) == pytest.approx(float(numpy.quantile(values, share)), rel=1e-9, abs=1e-9)
    quarters = standard.quantiles(values, n=4, method="inclusive")
    assert [quantile(values, quarter / 4) for quarter in (1, 2, 3)] == pytest.approx(quarters, rel=1e-9, abs=1e-9)
    assert median(values) == pytest.approx(standard.median(values))


@given(figures, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise_and_stay_within_the_values(values: list[float], one: float, other: float) -> None:
    low, high = quantile(values, min(one, other)), quantile(values, max(one, other))
    assert low is not None
    assert high is not None
    assert min(values) <= low <= high * (1 + 1e-12) <= max(values) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17
        # (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)
    assert interval is not None
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


trials = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(trials, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_intervals_agree_with_scipy(trial: tuple[int, int], confidence: float) -> None:
    expected = stats.binomtest(*trial).proportion_ci(confidence, method="wilson")
    interval = wilson(*trial, confidence)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(trials)
def test_wilson_intervals_hold_the_share_rise_with_it_and_stay_between_0_and_1(trial: tuple[int, int]) -> None:
    successes, n = trial
    interval = wilson(successes, n)
    assert interval is not None
    assert successes / n in interval
    assert 0 <= interval.low < interval.high <= 1
    if successes < n:
        better = wilson(successes + 1, n)
        assert better is not None
        assert interval.low < better.low
        assert interval.high < better.high or better.high == 1


def test_no_trials_have_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_impossible_counts_have_no_interval(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="must be from 0 to n"):
        wilson(successes, n)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 10, 29, 100, 499])
@pytest.mark.parametrize("share", [0.6, 0.95, 0.975, 0.995])
def test_quantiles_of_student_t_agree_with_scipy(share: float, degrees: int) -> None:
    assert student_t(share, degrees) == pytest.approx(float(stats.t.ppf(share, degrees)), rel=1e-12)


@pytest.mark.parametrize("clusters", [5, 10, 30, 500])
def test_tails_are_expanded_as_hesterberg_does(clusters: int) -> None:
    # The R package "resample", ExpandProbs: qnorm(q) * sqrt((n - 1) / n) = qt(p, n - 1)
    expanded = stats.norm.cdf(stats.t.ppf(0.025, clusters - 1) * math.sqrt(clusters / (clusters - 1)))
    assert tail(clusters) == pytest.approx(float(expanded), rel=1e-9)


def costs(seed: int, n: int) -> list[float]:
    """Skewed, as costs are."""
    random = Random(seed)  # noqa: S311
    return [random.lognormvariate(0, 1) for _ in range(n)]


def by_scipy(columns: Sequence[Sequence[float]], statistic: object) -> tuple[Interval, float]:
    """Percentile interval at the expanded level of statistic(columns), rows drawn together; and its standard error."""
    result = stats.bootstrap(
        columns,
        statistic,
        paired=True,
        n_resamples=10_000,
        confidence_level=1 - 2 * tail(len(columns[0])),
        method="percentile",
        rng=numpy.random.default_rng(7),
    )
    return Interval(*map(float, result.confidence_interval)), float(result.standard_error)


def monte_carlo_error(clusters: int, resamples: int) -> float:
    """Standard deviation of an end of an interval for two draws of resamples, in standard errors."""
    cut = tail(clusters)
    density = float(stats.norm.pdf(stats.norm.ppf(cut)))
    return math.sqrt(cut * (1 - cut) / resamples + cut * (1 - cut) / 10_000) / density


def assert_close(ours: Interval | None, theirs: Interval, tolerance: float) -> None:
    assert ours is not None
    assert abs(ours.low - theirs.low) <= tolerance
    assert abs(ours.high - theirs.high) <= tolerance


def nearly(interval: Interval) -> Interval:
    """Equal to an interval that differs in the last digits only."""
    return Interval(pytest.approx(interval.low, rel=1e-9), pytest.approx(interval.high, rel=1e-9))


@pytest.mark.parametrize("n", [10, 40, 120])
def test_the_interval_of_a_mean_agrees_with_scipy_within_the_error_of_chance(n: int) -> None:
    values = costs(1, n)
    theirs, error = by_scipy([values], numpy.mean)
    assert_close(mean_interval([value] for value in values), theirs, 4 * error * monte_carlo_error(n, 1_000))


def test_the_interval_of_a_clustered_mean_agrees_with_scipy_within_the_error_of_chance() -> None:
    clusters = [[center * value for value in costs(seed, 1 + seed % 4)] for seed, center in enumerate(costs(2, 40))]
    sums, counts = [sum(cluster) for cluster in clusters], [len(cluster) for cluster in clusters]
    theirs, error = by_scipy([sums, counts], lambda s, c, axis: s.sum(axis) / c.sum(axis))
    assert_close(mean_interval(clusters), theirs, 4 * error * monte_carlo_error(40, 1_000))


def test_attempts_that_are_all_alike_tell_no_more_than_one_of_them() -> None:
    once = [[value] for value in costs(2, 12)]
    interval = mean_interval(once)
    assert interval is not None
    assert mean_interval([cluster * 5 for cluster in once]) == nearly(interval)
    singly = mean_interval(once * 5)
    assert singly is not None
    assert singly.high - singly.low < 0.6 * (interval.high - interval.low)


@pytest.mark.parametrize("n", [8, 40, 120])
def test_the_intervals_of_pairs_agree_with_scipy_within_the_error_of_chance(n: int) -> None:
    hard, a, b = costs(3, n), costs(4, n), costs(5, n)
    pairs = [(task * (1 + one), task * (1.5 + two)) for task, one, two in zip(hard, a, b, strict=True)]
    columns = list(zip(*pairs, strict=True))
    ours = paired_intervals(pairs)
    assert ours is not None
    chance = 4 * monte_carlo_error(n, min(10_000, 500_000 // n))
    theirs, error = by_scipy(columns, lambda one, two, axis: two.mean(axis) - one.mean(axis))
    assert_close(ours.difference, theirs, error * chance)
    theirs, error = by_scipy(columns, lambda one, two, axis: two.mean(axis) / one.mean(axis))
    assert_close(ours.ratio, theirs, error * chance)


def test_thousands_of_clusters_are_bundled_and_give_the_interval_of_all() -> None:
    values = costs(6, 3_210)
    interval = mean_interval([value] for value in values)
    error = standard.stdev(values) / math.sqrt(len(values))
    mean = standard.fmean(values)
    assert_close(interval, Interval(mean - 1.96 * error, mean + 1.96 * error), 0.4 * error)


def test_pairs_tell_what_two_separate_means_cannot() -> None:
    tasks = costs(8, 30)
    paired = paired_intervals((task, 1.2 * task) for task in tasks)
    assert paired is not None
    assert paired.difference.low > 0
    assert paired.ratio is not None
    assert (paired.ratio.low, paired.ratio.high) == pytest.approx((1.2, 1.2))
    a, b = mean_interval([task] for task in tasks), mean_interval([1.2 * task] for task in tasks)
    assert a is not None
    assert b is not None
    assert a.high > b.low


def test_under_five_clusters_there_is_no_interval() -> None:
    assert mean_interval([[1.0, 2.0], [2.0], [3.0], [4.0], []]) is None
    assert paired_intervals([(1.0, 2.0)] * 4) is None
    assert mean_interval([[1.0], [2.0], [3.0], [4.0], [5.0]]) is not None


def test_values_that_are_all_the_same_have_an_interval_without_width() -> None:
    assert mean_interval([[0.1]] * 7) == Interval(0.1, 0.1)
    assert paired_intervals([(0.1, 0.1)] * 7) == PairedIntervals(Interval(0, 0), Interval(1, 1))


def test_there_is_no_ratio_to_a_mean_that_may_be_zero() -> None:
    seldom = paired_intervals([(0.0, 1.0)] * 5 + [(1.0, 1.0)])
    assert seldom is not None
    assert seldom.ratio is None
    assert seldom.difference.high <= 1


def test_the_ends_are_these_on_every_python() -> None:
    mean = mean_interval([value] for value in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0))
    assert mean == nearly(Interval(5 / 3, 23.190209542854365))
    pairs = paired_intervals([(1.0, 3.0), (2.0, 2.0), (4.0, 5.0), (8.0, 9.0), (16.0, 13.0)])
    assert pairs is not None
    assert pairs.difference == nearly(Interval(-2.4, 1.8))
    assert pairs.ratio == nearly(Interval(9 / 11, 7 / 3))


positive = st.floats(0, 1e6)
clusters = st.lists(st.lists(positive, max_size=4), min_size=5, max_size=12)


@settings(max_examples=40, deadline=None)
@given(clusters, st.randoms(use_true_random=False))
def test_the_interval_of_a_mean_holds_it_and_depends_on_no_order(values: list[list[float]], random: Random) -> None:
    interval = mean_interval(values)
    shuffled = [random.sample(cluster, len(cluster)) for cluster in random.sample(values, len(values))]
    assert mean_interval(shuffled) == interval
    if interval is not None:
        everything = [value for cluster in values for value in cluster]
        assert math.fsum(everything) / len(everything) in interval
        assert min(everything) * (1 - 1e-9) <= interval.low
        assert interval.high <= max(everything) * (1 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(positive, positive), min_size=5, max_size=12), st.randoms(use_true_random=False))
def test_paired_intervals_hold_their_estimates_and_depend_on_no_order(
    pairs: list[tuple[float, float]], random: Random
) -> None:
    intervals = paired_intervals(pairs)
    assert intervals is not None
    assert paired_intervals(random.sample(pairs, len(pairs))) == intervals
    a, b = (math.fsum(column) / len(pairs) for column in zip(*pairs, strict=True))
    assert b - a in intervals.difference
    assert intervals.ratio is None or b / a in intervals.ratio


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(positive, positive), min_size=5, max_size=12))
def test_sides_that_are_exchanged_turn_the_difference_around(pairs: list[tuple[float, float]]) -> None:
    there, back = paired_intervals(pairs), paired_intervals([(b, a) for a, b in pairs])
    assert there is not None
    assert back is not None
    width = there.difference.high - there.difference.low
    assert back.difference.low == pytest.approx(-there.difference.high, abs=0.5 * width + 1e-6)
    assert back.difference.high == pytest.approx(-there.difference.low, abs=0.5 * width + 1e-6)
