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
from sitegen.numbers.families import Rank, corrected, corrected_ps, ranks
from sitegen.numbers.intervals import MIN_CLUSTERS, Interval, beyond_student_t
from sitegen.numbers.statistics import Measure, ScoreMeasure

values = st.floats(0.01, 100)
pairs = st.lists(st.tuples(values, values), min_size=5, max_size=12)
shares = st.lists(st.tuples(*[st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0])] * 2), min_size=5, max_size=12)
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
    assert POINTS.paired([(0.0, each) for each in even]).p_value == pytest.approx(stats.ttest_1samp(even, 0).pvalue)
    logs = numpy.log([1.1, 1.3, 1.5, 1.3 * 1.3 / 1.1, 1.3 * 1.3 / 1.5])
    ratios = [(1.0, float(each)) for each in numpy.exp(logs)]
    assert SPEEDUP.paired(ratios).p_value == pytest.approx(stats.ttest_1samp(logs, 0).pvalue)
    passed = [(0.0, 1.0)] * 4 + [(1.0, 0.0)] + [(1.0, 1.0)] * 3 + [(0.0, 0.0)] * 2
    middle, square = 3 / 12, 6 / 12
    error = math.sqrt((square - middle**2) / 12)
    assert Measure.SUCCESS.paired(passed).p_value == pytest.approx(2 * stats.t.sf(middle / error, 9))


@pytest.mark.parametrize("degrees", [4, 9, 29, 299, 301, 1000])
def test_tails_are_those_of_scipy(degrees: int) -> None:
    for t in (0.0, 0.5, 2.0, 5.0):
        assert beyond_student_t(t, degrees) == pytest.approx(2 * stats.t.sf(t, degrees), rel=3e-4, abs=1e-12)


def test_the_correction_is_holms() -> None:
    """The values are those of statsmodels 0.14, `multipletests(ps, method="holm")`, which is no dependency here."""
    ps = [0.001, 0.3, 0.012, 0.04, 0.012, 0.9]
    assert corrected_ps(ps) == pytest.approx([0.006, 0.6, 0.06, 0.12, 0.06, 0.9])
    assert corrected_ps([]) == []


def test_breakdowns_of_success_are_in_its_family() -> None:
    assert corrected({}, {"codebase": 0.02, "language": 0.03})[1] == {"codebase": 0.04, "language": 0.04}


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_correction_lowers_no_p_value_and_keeps_the_order(ps: list[float]) -> None:
    found = corrected_ps(ps)
    assert all(p <= own <= 1 for p, own in zip(ps, found, strict=True))
    assert sorted(zip(ps, found, strict=True)) == list(zip(sorted(ps), sorted(found), strict=True))


def contrast(effect: Effect) -> Contrast:
    """A comparison in success with this effect."""
    p = {Effect.TOO_FEW: None, Effect.UNDECIDED: 1.0}.get(effect, 0.0)
    ends = {Effect.HIGHER: Interval(0.1, 0.9), Effect.LOWER: Interval(-0.9, -0.1)}.get(effect, Interval(-0.5, 0.5))
    return Contrast(ends if p is not None else None, None, p, Measure.SUCCESS, (), 0, 0, 0, 0.5, 0.5)


def test_a_rank_is_what_decided_pairs_leave_open() -> None:
    higher, lower, chance, few = (
        contrast(each) for each in (Effect.HIGHER, Effect.LOWER, Effect.UNDECIDED, Effect.TOO_FEW)
    )
    found = ranks(["a", "b", "c"], [("a", "b", higher), ("a", "c", lower), ("b", "c", lower)])
    assert found == {"b": Rank(1, 1), "a": Rank(2, 2), "c": Rank(3, 3)}
    assert ranks(["a", "b", "c"], [("a", "b", higher), ("a", "c", chance), ("b", "c", lower)]) == {
        "b": Rank(1, 1), "a": Rank(2, 3), "c": Rank(2, 3),
    }  # fmt: skip
    assert ranks(["a", "b", "c"], [("a", "b", higher), ("a", "c", few)]) == {"b": Rank(1, 1), "a": Rank(2, 2)}
    assert ranks(["a", "b", "c"], [("a", "b", higher)], 2) == {"b": Rank(1, 3), "a": Rank(2, 4)}
    assert ranks(["a", "b"], [("a", "b", few)]) == {}


@given(st.lists(st.sampled_from(list(Effect)), min_size=6, max_size=6), st.permutations("abcd"))
def test_ranks_hold_every_place_and_follow_no_order_of_names(effects: list[Effect], names: list[str]) -> None:
    told = [(a, b, contrast(each)) for (a, b), each in zip(combinations("abcd", 2), effects, strict=True)]
    found = ranks("abcd", told)
    assert ranks(names, reversed(told)) == found
    assert all(1 <= each.first <= each.last <= 4 for each in found.values())
    assert sum(each == Rank(1, 1) for each in found.values()) <= 1


# Simulated builds whose truth is known: `python -m benchmarks.coverage --ranks` prints the whole grid.


def most(share: float, builds: int) -> float:
    """The largest share of so many builds that is no surprise where the true one is at most this."""
    return float(stats.binom.ppf(1 - 1e-4, builds, share)) / builds


def held(told: Told, builds: int) -> None:
    """At most one build in twenty says a thing that is not so."""
    assert told.ranked == (told.build.tasks >= MIN_CLUSTERS), told.build.name
    assert 1 - told.held <= most(0.05, builds), told.build.name
    if len(set(told.build.truths)) == 1:
        assert told.claims <= most(0.05, builds), told.build.name


def test_ranks_hold_and_nothing_is_claimed_by_chance() -> None:
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
