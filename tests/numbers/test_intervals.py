"""Quantiles and intervals, each against somebody else's implementation or published figures."""

from __future__ import annotations

import math
import statistics as standard
from dataclasses import replace
from random import Random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.coverage import RARE, TARGET, grid, measure
from sitegen.numbers import statistics
from sitegen.numbers.intervals import (
    MAX_TIMES,
    Interval,
    beta_quantile,
    beyond_student_t,
    chi_squared,
    mean_interval,
    median,
    paired_intervals,
    paired_shares,
    per_success,
    quantile,
    rate_interval,
    score_interval,
    student_t,
)
from sitegen.numbers.statistics import Measure
from sitegen.pages import views
from tests.support.chart_runs import entry


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
def test_quantiles_are_those_of_definition_seven(
    values: list[float], share: float, expected: float | None
) -> None:
    assert quantile(values, share) == (None if expected is None else pytest.approx(expected))


figures = st.lists(st.floats(0, 1e9), min_size=2, max_size=50)


@given(figures, st.floats(0, 1))
def test_quantiles_agree_with_numpy_and_the_standard_library(
    values: list[float], share: float
) -> None:
    assert quantile(values, share) == pytest.approx(
        float(numpy.quantile(values, share)), rel=1e-9, abs=1e-9
    )
    quarters = standard.quantiles(values, n=4, method="inclusive")
    assert [quantile(values, quarter / 4) for quarter in (1, 2, 3)] == pytest.approx(
        quarters, rel=1e-9, abs=1e-9
    )
    assert median(values) == pytest.approx(standard.median(values))


@given(figures, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise_and_stay_within_the_values(
    values: list[float], one: float, other: float
) -> None:
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
def test_score_intervals_are_the_published_ones(
    successes: int, n: int, low: float, high: float
) -> None:
    interval = score_interval(successes / n, n, NORMAL)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


NORMAL = standard.NormalDist().inv_cdf(0.975)
trials = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(trials, st.sampled_from([0.8, 0.95, 0.99]))
def test_score_intervals_are_scipys_binomtest_proportion_ci_wilson(
    trial: tuple[int, int], confidence: float
) -> None:
    expected = stats.binomtest(*trial).proportion_ci(confidence, method="wilson")
    interval = score_interval(
        trial[0] / trial[1], trial[1], standard.NormalDist().inv_cdf((1 + confidence) / 2)
    )
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 10, 29, 100, 299, 301, 4999])
@pytest.mark.parametrize("share", [0.6, 0.95, 0.975, 0.995])
def test_quantiles_of_student_t_are_scipys_t_ppf(share: float, degrees: int) -> None:
    assert student_t(share, degrees) == pytest.approx(float(stats.t.ppf(share, degrees)), rel=1e-9)


@pytest.mark.parametrize(
    ("degrees", "error"), [(1, 1e-9), (2, 1e-9), (4, 1e-9), (29, 1e-9), (300, 1e-9), (301, 1e-4)]
)
@pytest.mark.parametrize("share", [0.005, 0.025, 0.5, 0.975, 0.995])
def test_quantiles_of_chi_squared_are_scipys_chi2_ppf(
    share: float, degrees: int, error: float
) -> None:
    assert chi_squared(share, degrees) == pytest.approx(
        float(stats.chi2.ppf(share, degrees)), rel=error
    )


@pytest.mark.parametrize("shapes", [(1, 1), (0.1, 2.1), (0.5, 0.5), (3.5, 1.2), (40, 7), (900, 30)])
@pytest.mark.parametrize("share", [0.005, 0.025, 0.5, 0.975, 0.995])
def test_quantiles_of_the_beta_distribution_are_scipys_beta_ppf(
    share: float, shapes: tuple[float, float]
) -> None:
    expected = float(stats.beta.ppf(share, *shapes))
    assert beta_quantile(share, *shapes) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("degrees", "error"), [(1, 1e-9), (2, 1e-9), (7, 1e-9), (300, 1e-9), (301, 1e-4), (4999, 1e-4)]
)
@pytest.mark.parametrize("value", [0.0, 0.5, 2.0, 3.5])
def test_chances_beyond_a_value_of_student_t_are_scipys_t_sf(
    value: float, degrees: int, error: float
) -> None:
    expected = 2 * float(stats.t.sf(value, degrees))
    assert beyond_student_t(value, degrees) == pytest.approx(expected, rel=error)


def costs(seed: int, n: int, log_sd: float = 1.0) -> list[float]:
    """Skewed, as costs are."""
    random = Random(seed)  # noqa: S311
    return [random.lognormvariate(0, log_sd) for _ in range(n)]


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


# Shares


def test_attempts_that_end_alike_tell_no_more_than_one_of_them() -> None:
    once = [(1, 1), (0, 1), (1, 1), (1, 1), (0, 1), (1, 1)]
    assert ends(rate_interval([(6 * passed, 6) for passed, _ in once])) == pytest.approx(
        ends(rate_interval(once))
    )


def test_attempts_that_differ_as_chance_has_it_tell_almost_as_much_as_so_many_tasks() -> None:
    independent = rate_interval([(3, 6)] * 10)
    low, high = ends(independent)
    expected = score_interval(0.5, 60 - 0.6, float(stats.t.ppf(0.975, 9)))
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_few_runs_of_the_rarer_outcome_hardly_narrow_an_interval() -> None:
    all_passed, tasks = (
        rate_interval([(6, 6)] * 5),
        score_interval(1.0, 5 - 0.6, float(stats.t.ppf(0.975, 4))),
    )
    assert ends(all_passed) == pytest.approx((tasks.low, tasks.high))


def test_five_tasks_of_three_attempts_have_an_interval_of_success_and_two_tasks_none() -> None:
    low, high = ends(rate_interval([(3, 3), (1, 3), (2, 3), (0, 3), (3, 3)]))
    assert 0.1 < low < 0.6 < high < 0.95
    assert rate_interval([(3, 3), (0, 3)]) is None
    assert rate_interval([]) is None


def test_a_cluster_cannot_have_passed_more_often_than_it_ran() -> None:
    with pytest.raises(ValueError, match="more passed"):
        rate_interval([(1, 2), (3, 2), (1, 1)])


clustered = st.lists(
    st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=3,
    max_size=20,
)


@given(clustered, st.randoms(use_true_random=False))
def test_an_interval_of_success_holds_the_rate_stays_a_share_and_has_a_width(
    rows: list[tuple[int, int]], random: Random
) -> None:
    interval = rate_interval(rows)
    assert interval is not None
    assert 0 <= interval.low < interval.high <= 1
    assert sum(passed for passed, _ in rows) / sum(n for _, n in rows) in interval
    assert rate_interval(random.sample(rows, len(rows))) == interval


@given(clustered)
def test_what_passes_and_what_fails_have_mirrored_intervals(rows: list[tuple[int, int]]) -> None:
    low, high = ends(rate_interval(rows))
    assert ends(rate_interval([(n - passed, n) for passed, n in rows])) == pytest.approx(
        (1 - high, 1 - low), abs=1e-9
    )


# Means


def test_the_interval_of_a_few_skewed_costs_is_that_of_zou_huo_and_taleban() -> None:
    logs = [math.log(cost) for cost in costs(1, 12, 0.5)]
    mean, variance, n = standard.fmean(logs), standard.variance(logs), len(logs)
    at_center = float(stats.t.ppf(0.975, n - 1)) ** 2 * variance / n
    below = math.sqrt(
        at_center + (variance / 2 * (1 - (n - 1) / float(stats.chi2.ppf(0.975, n - 1)))) ** 2
    )
    above = math.sqrt(
        at_center + (variance / 2 * ((n - 1) / float(stats.chi2.ppf(0.025, n - 1)) - 1)) ** 2
    )
    expected = math.exp(mean + variance / 2 - below), math.exp(mean + variance / 2 + above)
    assert ends(mean_interval([[cost] for cost in costs(1, 12, 0.5)])) == pytest.approx(expected)


def test_costs_of_one_task_that_are_alike_tell_hardly_more_than_one_of_them() -> None:
    once = [[value] for value in costs(2, 12)]
    low, high = ends(mean_interval(once))
    assert ends(mean_interval([cluster * 5 for cluster in once])) == pytest.approx(
        (low, high), rel=1e-6
    )
    singly = ends(mean_interval(once * 5))
    assert singly[1] - singly[0] < 0.6 * (high - low)


def test_runs_that_cost_next_to_nothing_do_not_spread_an_interval_without_end() -> None:
    low, high = ends(mean_interval([[1.0], [1.1], [0.9], [1.2], [0.8], [1.0], [1.05], [1e-9]]))
    zero = ends(mean_interval([[1.0], [1.1], [0.9], [1.2], [0.8], [1.0], [1.05], [0.0]]))
    assert zero == pytest.approx((low, high))
    assert 0.5 < low < 7.05 / 8 < high < 1.5


def test_the_interval_of_many_values_is_students_t_on_the_log_scale_however_they_are_spread() -> (
    None
):
    values = [0.1, 1.0] * 1000
    mean, error = standard.fmean(values), standard.stdev(values) / math.sqrt(len(values))
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * error / mean
    low, high = ends(mean_interval([value] for value in values))
    assert low == pytest.approx(mean * math.exp(-reach))
    assert mean * math.exp(reach) <= high < 1.3 * mean


def test_an_interval_of_few_costs_far_apart_is_open_above() -> None:
    low, high = ends(mean_interval([[0.01], [0.1], [1.0], [10.0], [100.0]]))
    assert 0 < low < 111.11 / 5
    assert high == math.inf


def test_only_where_nothing_is_left_to_chance_an_interval_has_no_width() -> None:
    assert mean_interval([[0.1]] * 7) == Interval(0.1, 0.1)
    assert mean_interval([[0.1, 0.1, 0.1]] * 7) == Interval(0.1, 0.1)
    same = paired_intervals([(0.1, 0.1)] * 7)
    assert (same.difference, same.ratio) == (Interval(0, 0), Interval(1, 1))
    double = paired_intervals((cost, 2 * cost) for cost in costs(1, 7))
    assert ends(double.ratio) == pytest.approx((2, 2))
    assert ends(double.difference) == pytest.approx(
        ends(mean_interval([cost] for cost in costs(1, 7)))
    )


def test_where_half_of_the_values_are_zero_nothing_is_said_of_their_mean() -> None:
    assert mean_interval([[0.0], [0.0], [0.0], [0.0], [1.0]]) is None
    assert mean_interval([[0.0]] * 7) is None


def test_under_five_clusters_nothing_is_said_of_a_mean_or_a_difference() -> None:
    assert mean_interval([[1.0, 2.0], [2.0], [3.0], [4.0], []]) is None
    assert mean_interval([[1.0], [2.0], [3.0], [4.0], [5.0]]) is not None
    assert paired_intervals([(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (4.0, 5.0)]).difference is None
    assert paired_shares([(0.0, 1.0)] * 4).difference is None


positive = st.floats(0, 1e6).map(lambda value: round(value, 6))
clusters = st.lists(st.lists(positive, max_size=4), min_size=5, max_size=12)


@given(clusters, st.randoms(use_true_random=False))
def test_the_interval_of_a_mean_holds_it_is_never_below_zero_and_depends_on_no_order(
    values: list[list[float]], random: Random
) -> None:
    interval = mean_interval(values)
    shuffled = [
        random.sample(cluster, len(cluster)) for cluster in random.sample(values, len(values))
    ]
    assert mean_interval(shuffled) == interval
    if interval is not None:
        everything = [value for cluster in values for value in cluster]
        mean = math.fsum(everything) / len(everything)
        assert mean in interval
        assert 0 <= interval.low <= interval.high
        assert (interval.low == interval.high) == (len(set(everything)) == 1)
        assert interval.high <= MAX_TIMES * mean or interval.high == math.inf


# Pairs


def test_a_paired_difference_of_shares_is_agresti_and_mins() -> None:
    # 10 tasks: b passes 4 that a fails, a passes 1 that b fails. Agresti and Min (2005): half a pair more in each cell.
    pairs = [(0.0, 1.0)] * 4 + [(1.0, 0.0)] + [(1.0, 1.0)] * 3 + [(0.0, 0.0)] * 2
    n, gained, lost = 10 + 2, 4 + 0.5, 1 + 0.5
    middle = (gained - lost) / n
    reach = float(stats.t.ppf(0.975, 9)) * math.sqrt(
        (gained + lost - (gained - lost) ** 2 / n) / n**2
    )
    assert ends(paired_shares(pairs).difference) == pytest.approx((middle - reach, middle + reach))


def test_all_passed_against_all_failed_has_a_width() -> None:
    low, high = ends(paired_shares([(0.0, 1.0)] * 5).difference)
    assert 0 < low < 0.5
    assert high == 1
    low, high = ends(paired_shares([(1.0, 1.0)] * 5).difference)
    assert -0.5 < low < 0 < high < 0.5


def test_pairs_tell_what_two_separate_means_cannot() -> None:
    tasks, own = costs(8, 30), costs(9, 30, 0.1)
    paired = paired_intervals(
        (task, 1.2 * task * noise) for task, noise in zip(tasks, own, strict=True)
    )
    assert ends(paired.difference)[0] > 0
    assert ends(paired.ratio) == pytest.approx((1.2, 1.2), rel=0.15)
    a, b = mean_interval([task] for task in tasks), mean_interval([1.2 * task] for task in tasks)
    assert ends(a)[1] > ends(b)[0]


def test_there_is_no_ratio_to_a_side_that_is_zero_and_a_difference_only_where_all_of_it_is() -> (
    None
):
    free = paired_intervals([(0.0, cost) for cost in costs(1, 6, 0.3)])
    assert free.ratio is None
    assert free.difference == mean_interval([[cost] for cost in costs(1, 6, 0.3)])
    turned = paired_intervals([(cost, 0.0) for cost in costs(1, 6, 0.3)])
    assert ends(turned.difference) == tuple(-end for end in reversed(ends(free.difference)))
    assert paired_intervals([(0.0, 1.0)] * 5 + [(1.0, 1.0)]).difference is None


two_sides = st.lists(st.tuples(positive, positive), min_size=5, max_size=12)


@given(two_sides, st.randoms(use_true_random=False))
def test_paired_intervals_hold_their_estimates_agree_and_depend_on_no_order(
    pairs: list[tuple[float, float]], random: Random
) -> None:
    told = paired_intervals(pairs)
    assert paired_intervals(random.sample(pairs, len(pairs))) == told
    a, b = (math.fsum(column) / len(pairs) for column in zip(*pairs, strict=True))
    assert (
        told.difference is None
        or told.difference.low <= (b - a) * (1 + 1e-9) <= told.difference.high + 1e-9
    )
    if told.ratio is not None and told.difference is not None:
        assert b / a in told.ratio
        assert told.ratio.low >= 0
        assert (told.ratio.low > 1, told.ratio.high < 1) == (
            told.difference.low > 0,
            told.difference.high < 0,
        )


@given(two_sides)
def test_sides_that_are_exchanged_turn_the_ratio_around(pairs: list[tuple[float, float]]) -> None:
    there, back = paired_intervals(pairs).ratio, paired_intervals([(b, a) for a, b in pairs]).ratio
    assert (there is None) == (back is None)
    if there is not None and back is not None and there.low > 0 and there.high < 1e100:
        assert (back.low * there.high, back.high * there.low) == pytest.approx((1, 1), rel=1e-6)


# What a success costs


def test_under_three_successes_nothing_is_said_of_what_one_costs() -> None:
    assert per_success([([1.0], 1), ([2.0], 1), ([3.0], 0), ([1.5], 0), ([1.2], 0)]) is None
    assert per_success([([0.0], 1)] * 5) is None


def test_the_long_run_cost_of_a_success_is_beales_ratio_estimate() -> None:
    rows = [([1.0, 2.0], 1), ([2.0, 2.5], 2), ([3.0, 1.0], 0), ([1.5, 1.2], 1), ([1.2, 0.7], 2)]
    cost, passed = [sum(own) for own, _ in rows], [one for _, one in rows]
    matrix = numpy.cov(cost, passed)
    c, p, n = numpy.mean(cost), numpy.mean(passed), len(rows)
    expected = c / p * (1 + matrix[0, 1] / (n * c * p)) / (1 + matrix[1, 1] / (n * p * p))
    told = per_success(rows)
    assert told is not None
    assert told.estimate == pytest.approx(float(expected))
    assert told.interval is not None
    assert told.interval.low < sum(cost) / sum(passed) < told.interval.high


priced = st.lists(
    st.lists(positive, min_size=1, max_size=4).flatmap(
        lambda own: st.tuples(st.just(own), st.integers(0, len(own)))
    ),
    max_size=10,
)


@given(priced, st.randoms(use_true_random=False))
def test_the_interval_of_what_a_success_costs_holds_both_what_was_paid_and_the_estimate(
    rows: list[tuple[list[float], int]], random: Random
) -> None:
    told = per_success(rows)
    assert per_success(random.sample(rows, len(rows))) == told
    if told and told.interval:
        assert told.estimate in told.interval
        plain = sum(sum(own) for own, _ in rows) / sum(passed for _, passed in rows)
        assert told.interval.low <= plain * (1 + 1e-9)
        assert plain <= told.interval.high * (1 + 1e-9)
        assert told.interval.low >= 0


@pytest.mark.slow
def test_in_campaigns_of_five_tasks_of_three_attempts_intervals_hold_what_they_promise() -> None:
    _assert_held(100, 5, 400)


@pytest.mark.nightly
@pytest.mark.parametrize("tasks", [3, 5, 10, 30])
def test_intervals_hold_what_docs_numbers_says_over_a_sample_of_the_grid(tasks: int) -> None:
    _assert_held(5, tasks, 2_000)


def _assert_held(every: int, tasks: int, campaigns: int) -> None:
    """Of every so many cells no one holds the truth less often than the target, but for chance of one in 10,000."""
    cells = [cell for cell in grid() if cell.tasks == tasks and "not log-normal" not in cell.figure]
    rows = [measure(cell, campaigns) for cell in cells[::every]]
    assert rows
    for row in rows:
        if row.held is not None:
            least = float(stats.binom.ppf(1e-4, round(row.given * campaigns), TARGET)) / (
                row.given * campaigns
            )
            assert row.held >= least, row.cell
        else:
            assert row.given < RARE


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.45, 2.0, "$0.45 to $2.00"),
        (0.45, 2.5, "$0.45 to more than $2.10"),
        (0.05, 2.0, "less than $0.10 to $2.00"),
        (0.05, math.inf, "less than $0.10 to more than $2.10"),
        (0.10, 2.10, "$0.10 to $2.10"),
    ],
)
def test_an_end_beyond_every_run_is_that_of_the_run(low: float, high: float, text: str) -> None:
    runs = [entry(at, cost=usd) for at, usd in enumerate((0.1, 0.5, 2.1))]
    spread = replace(statistics.spread(runs, Measure.COST), interval=Interval(low, high))
    ends = views.spread_ends(Measure.COST, spread)
    assert ends == text
