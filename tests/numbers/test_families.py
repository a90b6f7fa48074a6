"""Which differences may be claimed: p-values and their correction for all comparisons of a site."""

from __future__ import annotations

import math
from itertools import combinations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks import coverage
from benchmarks.coverage import Told, told_by
from sitegen.numbers.comparison import Contrast, Effect
from sitegen.numbers.families import corrected, corrected_ps, may_lead
from sitegen.numbers.intervals import MIN_CLUSTERS, Interval, beyond_student_t
from sitegen.numbers.statistics import Measure, ScoreMeasure

values = st.floats(0.01, 100)
pairs = st.lists(st.tuples(values, values), min_size=5, max_size=12)
shares = st.lists(
    st.tuples(*[st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0])] * 2), min_size=5, max_size=12
)
SPEEDUP, POINTS = ScoreMeasure("speedup", is_ratio=True), ScoreMeasure("points")


def leaves_out_same(told: object) -> bool:
    ratio, difference = (getattr(told, name) for name in ("ratio", "difference"))
    return 1 not in ratio if ratio else 0 not in difference


@pytest.mark.parametrize("measure", [Measure.COST, SPEEDUP, POINTS])
@given(pairs)
def test_a_p_value_is_below_one_in_twenty_just_where_the_interval_leaves_out_same(
    measure: Measure, told: list[tuple[float, float]]
) -> None:
    found = measure.paired(told)
    if found.p_value is not None and not math.isclose(found.p_value, 0.05, rel_tol=1e-6):
        assert (found.p_value < 0.05) == leaves_out_same(found)


@given(shares)
def test_the_same_of_success(told: list[tuple[float, float]]) -> None:
    found = Measure.SUCCESS.paired(told)
    assert found.p_value is not None
    assert (found.p_value < 0.05) == leaves_out_same(found)
    turned = Measure.SUCCESS.paired([(b, a) for a, b in told])
    assert turned.p_value == pytest.approx(found.p_value)


def test_p_values_are_those_of_scipy() -> None:
    """Against scipy.stats.ttest_1samp, and scipy.stats.t with the standard error of Agresti and Min."""
    even = [0.5, 1.0, 1.5, 2.0, 2.5]  # without skewness both tests are Student's t
    assert POINTS.paired([(0.0, each) for each in even]).p_value == pytest.approx(
        stats.ttest_1samp(even, 0).pvalue
    )
    logs = numpy.log([1.1, 1.3, 1.5, 1.3 * 1.3 / 1.1, 1.3 * 1.3 / 1.5])
    ratios = [(1.0, float(each)) for each in numpy.exp(logs)]
    assert SPEEDUP.paired(ratios).p_value == pytest.approx(stats.ttest_1samp(logs, 0).pvalue)
    passed = [(0.0, 1.0)] * 4 + [(1.0, 0.0)] + [(1.0, 1.0)] * 3 + [(0.0, 0.0)] * 2
    middle, square = 3 / 12, 6 / 12
    error = math.sqrt((square - middle**2) / 12)
    assert Measure.SUCCESS.paired(passed).p_value == pytest.approx(
        2 * stats.t.sf(middle / error, 9)
    )


@pytest.mark.parametrize("degrees", [4, 9, 29, 299, 301, 1000])
def test_tails_are_those_of_scipy(degrees: int) -> None:
    for t in (0.0, 0.5, 2.0, 5.0):
        assert beyond_student_t(t, degrees) == pytest.approx(
            2 * stats.t.sf(t, degrees), rel=3e-4, abs=1e-12
        )


def test_the_correction_is_holms() -> None:
    """The values are those of statsmodels 0.14, `multipletests(ps, method="holm")`, which is no dependency here."""
    ps = [0.001, 0.3, 0.012, 0.04, 0.012, 0.9]
    assert corrected_ps(ps) == pytest.approx([0.006, 0.6, 0.06, 0.12, 0.06, 0.9])
    assert corrected_ps([]) == []


def test_breakdowns_of_success_are_in_its_family() -> None:
    assert corrected({}, {"codebase": 0.02, "language": 0.03})[1] == {
        "codebase": 0.04,
        "language": 0.04,
    }


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_correction_lowers_no_p_value_and_keeps_the_order(ps: list[float]) -> None:
    found = corrected_ps(ps)
    assert all(p <= own <= 1 for p, own in zip(ps, found, strict=True))
    assert sorted(zip(ps, found, strict=True)) == list(zip(sorted(ps), sorted(found), strict=True))


def contrast(p: float | None, seen: float = 0.2, other: Contrast | None = None) -> Contrast:
    """A comparison in success: B is better by so much."""
    reach = abs(seen) / 2 if p is not None and p <= 0.05 else 0.5
    ends = None if p is None else Interval(seen - reach, seen + reach)
    return Contrast(ends, None, p, Measure.SUCCESS, (), 0, 0, 0, 0.4, 0.4 + seen, other=other)


def test_who_may_lead_is_beaten_by_no_rival() -> None:
    clear, chance, few = contrast(0.001), contrast(0.5), contrast(None)
    worse = contrast(0.001, -0.2)
    assert may_lead("abc", [("a", "b", clear), ("a", "c", worse), ("b", "c", worse)]) == {
        "a": False,
        "b": True,
        "c": False,
    }
    assert may_lead("abc", [("a", "b", clear), ("a", "c", chance), ("b", "c", chance)]) == {
        "a": False,
        "b": True,
        "c": True,
    }
    assert may_lead("abc", [("a", "b", clear), ("a", "c", few)]) == {"a": False, "b": True}
    assert may_lead("ab", [("a", "b", few)]) == {}


@pytest.mark.parametrize(
    ("p", "rivals", "may"), [(0.06, 1, True), (0.049, 1, False), (0.049, 3, True), (0.03, 3, False)]
)
def test_the_level_is_one_sided_and_shared_by_the_rivals(p: float, rivals: int, may: bool) -> None:
    others = "bcde"[:rivals]
    told = [("a", other, contrast(p if other == "b" else 0.9)) for other in others]
    assert may_lead(f"a{others}", told)["a"] is may


def test_a_rival_must_be_better_by_both_countings() -> None:
    clear, chance, worse = contrast(0.001), contrast(0.5), contrast(0.001, -0.2)
    for other, may in ((clear, False), (chance, True), (worse, True)):
        both = contrast(0.001, other=other)
        assert may_lead("ab", [("a", "b", both)])["a"] is may
        assert (both.effect is Effect.HIGHER) is (not may), (
            "and the difference is clear by both alone"
        )
        if other is worse:
            assert both.claimed_p == 1.0
    assert contrast(0.001, other=contrast(0.03)).claimed_p == 0.03, "the larger of both"


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.permutations("abcd"))
def test_who_may_lead_follows_no_order_of_names(ps: list[float], names: list[str]) -> None:
    told = [(a, b, contrast(p)) for (a, b), p in zip(combinations("abcd", 2), ps, strict=True)]
    found = may_lead("abcd", told)
    assert may_lead(names, reversed(told)) == found
    assert any(found.values())


# Simulated builds whose truth is known: `python -m benchmarks.coverage --leaders` prints the whole grid.


def most(share: float, builds: int) -> float:
    """The largest share of so many builds that is no surprise where the true one is at most this."""
    return float(stats.binom.ppf(1 - 1e-4, builds, share)) / builds


def held(told: Told, builds: int) -> None:
    """At most one build in twenty says a thing that is not so."""
    assert told.compared == (told.build.tasks >= MIN_CLUSTERS), told.build.name
    assert 1 - told.held <= most(0.05, builds), told.build.name
    if len(set(told.build.truths)) == 1:
        assert told.claims <= most(0.05, builds), told.build.name


def test_the_best_may_lead_and_nothing_is_claimed_by_chance() -> None:
    """Costs of four configurations: without the correction, one build in six would claim something."""
    for build in coverage.builds([10], [3], [4]):
        if build.measure is Measure.COST:
            held(told_by(build, 250), 250)


@pytest.mark.nightly
@pytest.mark.parametrize("tasks", [3, 5, 10, 30])
def test_the_same_of_the_whole_grid(tasks: int) -> None:
    for build in coverage.builds([tasks]):
        builds = 200 if len(build.truths) > 4 else 600
        held(told_by(build, builds), builds)


@pytest.mark.parametrize(("others", "least"), [(1, 0.95), (3, 0.8)])
def test_who_passes_twice_as_often_is_said_to_lead(others: int, least: float) -> None:
    for effect in (0.2, 0.5):
        build = coverage.success_build(30, 3, (0.8, *(0.4,) * others), effect)
        assert told_by(build, 200).leads >= least, build.name


@pytest.mark.parametrize("mechanism", ["errors", "hard tasks"])
def test_lost_runs_make_no_difference(mechanism: str) -> None:
    """By one counting alone, half of such builds would claim one."""
    assert max(coverage.losing(mechanism, 200)) <= most(0.05, 200)
    assert max(max(coverage.losing(mechanism, 200, rule)) for rule in ("judged", "failed")) > 0.25


@pytest.mark.parametrize("size", [2, 4, 8])
def test_of_equal_ones_none_leads(size: int) -> None:
    assert told_by(coverage.success_build(30, 1, (0.5,) * size, 0.5), 200).any_leads <= most(
        0.05, 200
    )
