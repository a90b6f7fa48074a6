"""Two groups of runs on their shared tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import Entry, ModelUsage, Outcome, Run, Source, Status, Tokens
from sitegen.numbers import comparison
from sitegen.numbers.comparison import Comparison, Effect, Side
from sitegen.numbers.comparison import compare as compare_groups
from sitegen.numbers.intervals import paired_intervals
from sitegen.numbers.statistics import Dimension, Measure
from sitegen.numbers.wording import Claim, cell

PASS, FAIL = Outcome.PASS, Outcome.FAIL


def attempt(
    name: str,
    task: str | None,
    cost_usd: float | None = 1.0,
    outcome: Outcome | None = None,
    *,
    status: Status = Status.OK,
    wall_ms: int | None = 1_000,
    model: str | None = "m",
    campaign: str | None = None,
) -> Entry:
    source = Source(f"{name}.json", f"{name}.json", named=False, size=1)
    ledger = (ModelUsage("m", Tokens(1, 2, 3, 4)),)
    run = Run("t", status, ledger=ledger, cost_usd=cost_usd, wall_ms=wall_ms, turns=3)
    named = {"campaign": campaign, "task": task, "model": model}
    return Entry(
        name, source, 0, "", run, name, **named, ledger_names=(model or "",), outcome=outcome
    )


def compare(
    a: Iterable[Entry], b: Iterable[Entry], dimension: Dimension = Dimension.CAMPAIGN
) -> Comparison:
    return compare_groups(a, b, dimension)


@dataclass(frozen=True)
class Counts:
    """Of the runs of a side."""

    compared: int
    without_task: int = 0
    other_tasks: int = 0
    infrastructure: int = 0
    in_both: int = 0
    unlike: int = 0


def counts(one: Side) -> Counts:
    return Counts(
        one.compared, one.without_task, one.other_tasks, one.infrastructure, one.in_both, one.unlike
    )


def side(
    name: str, costs: Iterable[float | None], outcomes: Iterable[Outcome | None] | None = None
) -> list[Entry]:
    """One attempt for each of the tasks t0, t1, ..."""
    costs = list(costs)
    outcomes = outcomes or [None] * len(costs)
    pairs = enumerate(zip(costs, outcomes, strict=True))
    return [
        attempt(f"{name}{index}", f"t{index}", cost, outcome) for index, (cost, outcome) in pairs
    ]


def test_a_side_that_costs_less_on_every_task_is_lower() -> None:
    contrast = compare(side("a", [2, 3, 4, 5, 6]), side("b", [1, 1.5, 2, 2.5, 3.0])).contrasts[
        Measure.COST
    ]
    assert (contrast.a, contrast.b, contrast.mean_difference, contrast.mean_ratio) == (
        4,
        2,
        -2,
        0.5,
    )
    intervals = paired_intervals([(2, 1), (3, 1.5), (4, 2), (5, 2.5), (6, 3)])
    assert intervals is not None
    assert (contrast.difference, contrast.ratio) == (intervals.difference, intervals.ratio)
    assert contrast.effect is Effect.LOWER
    assert (contrast.a_wins, contrast.b_wins, contrast.ties) == (0, 5, 0)


def test_who_wins_a_task_depends_on_what_is_wanted() -> None:
    outcomes = [PASS, PASS, PASS, PASS, PASS, FAIL]
    comparison = compare(
        side("a", [1, 2, 3, 4, 5, 6], [FAIL] * 6), side("b", [2, 2, 5, 5, 4, 5], outcomes)
    )
    cost, passed = comparison.contrasts[Measure.COST], comparison.contrasts[Measure.SUCCESS]
    assert (cost.a_wins, cost.b_wins, cost.ties) == (3, 2, 1)
    assert (passed.a_wins, passed.b_wins, passed.ties) == (0, 5, 1)
    assert cost.effect is Effect.UNDECIDED
    assert passed.effect is Effect.HIGHER
    assert (passed.a, passed.b, passed.mean_ratio, passed.ratio) == (0, 5 / 6, None, None)


def test_costs_of_a_task_within_one_per_cent_are_level() -> None:
    contrast = compare(
        side("a", [1, 2, 3, 4, 5.0]), side("b", [1.005, 2.01, 3.02, 4.5, 4.0])
    ).contrasts[Measure.COST]
    assert (contrast.a_wins, contrast.b_wins, contrast.ties) == (1, 1, 3)
    nearly = compare(side("a", [1, 2, 3, 4, 5.0]), side("b", [1.001, 2.002, 3.003, 4.004, 5.005]))
    assert nearly.contrasts[Measure.COST].ties == 5
    assert nearly.contrasts[Measure.COST].effect is Effect.LEVEL
    assert cell(Claim.of(nearly.contrasts[Measure.COST])) == "equal on every task (within 1%)"


def test_sides_that_are_the_same_differ_by_nothing() -> None:
    contrasts = compare(side("a", [1, 2, 3, 4, 5]), side("b", [1, 2, 3, 4, 5])).contrasts
    for measure in (Measure.COST, Measure.TOKENS, Measure.WALL):
        difference = contrasts[measure].difference
        assert difference is not None
        assert (difference.low, difference.high) == (0, 0)
        assert contrasts[measure].effect is Effect.LEVEL


def test_only_shared_tasks_count() -> None:
    alone = [attempt("b-alone", "only-b", 1_000)]
    comparison = compare(side("a", [1] * 7), side("b", [2] * 5) + alone)
    assert comparison.tasks == ("t0", "t1", "t2", "t3", "t4")
    assert (comparison.contrasts[Measure.COST].a, comparison.contrasts[Measure.COST].b) == (1, 2)
    assert counts(comparison.a) == Counts(5, other_tasks=2)
    assert counts(comparison.b) == Counts(5, other_tasks=1)


def test_a_task_weighs_the_same_however_often_it_was_attempted() -> None:
    often = [attempt(f"again{n}", "t0", 9) for n in range(7)]
    contrast = compare(side("a", [1] * 5), [*side("b", [1] * 5), *often]).contrasts[Measure.COST]
    assert contrast.b == pytest.approx((8 + 4) / 5)
    assert [
        (pair.task, pair.a, pair.b, pair.a_cell.runs, pair.b_cell.runs) for pair in contrast.tasks
    ][:2] == [
        ("t0", 1, 8, 1, 8),
        ("t1", 1, 1, 1, 1),
    ]
    assert contrast.tasks[0].difference == 7


def test_under_five_shared_tasks_nothing_is_claimed() -> None:
    few, enough = (compare(side("a", [1] * n), side("b", [2] * n)) for n in (4, 5))
    assert (few.claims, enough.claims) == (False, True)
    cost = few.contrasts[Measure.COST]
    assert (cost.difference, cost.ratio, cost.effect, cost.mean_difference) == (
        None,
        None,
        Effect.TOO_FEW,
        1,
    )
    assert enough.contrasts[Measure.COST].effect is Effect.HIGHER


def test_nothing_in_common_compares_nothing() -> None:
    comparison = compare([attempt("a", "x")], [attempt("b", "y"), attempt("c", None)])
    assert (comparison.tasks, comparison.claims) == ((), False)
    assert counts(comparison.b) == Counts(0, without_task=1, other_tasks=1)
    for contrast in comparison.contrasts.values():
        assert (contrast.a, contrast.b, contrast.mean_difference, contrast.mean_ratio) == (
            None,
            None,
            None,
            None,
        )
        assert contrast.effect is Effect.TOO_FEW


def test_a_task_that_a_side_does_not_know_a_measure_of_is_left_out_of_it_and_counted() -> None:
    b = [*side("b", [2, 2, 2, 2, 2, None, None]), attempt("b-more", "t0", None)]
    comparison = compare(side("a", [1] * 7), b)
    cost, time = comparison.contrasts[Measure.COST], comparison.contrasts[Measure.WALL]
    assert (len(cost.tasks), cost.tasks_left_out, cost.runs_left_out) == (5, 2, 1)
    assert (len(time.tasks), time.tasks_left_out, time.runs_left_out) == (7, 0, 0)
    assert (cost.a, cost.b) == (1, 2)
    assert len(comparison.contrasts[Measure.SUCCESS].tasks) == 0


def test_a_cost_that_is_a_lower_bound_is_left_out_and_does_not_make_its_side_cheap() -> None:
    b = side("b", [2] * 7)
    bounded = [
        replace(each, run=replace(each.run, cost_usd=0.1, cost_is_lower_bound=True))
        for each in b[:2]
    ]
    cost = compare(side("a", [1] * 7), [*bounded, *b[2:]]).contrasts[Measure.COST]
    assert (len(cost.tasks), cost.tasks_left_out, cost.b) == (5, 2, 2)


def test_a_run_that_died_at_once_does_not_make_its_side_cheap() -> None:
    died = [attempt(f"died{n}", "t0", 0, FAIL, status=Status.STOPPED) for n in range(3)]
    comparison = compare(side("a", [1] * 5, [PASS] * 5), side("b", [1] * 5, [PASS] * 5) + died)
    assert comparison.contrasts[Measure.COST].b == 1
    assert comparison.contrasts[Measure.SUCCESS].b == (1 / 4 + 4) / 5, "a stated verdict counts"
    assert counts(comparison.b) == Counts(8)


def test_a_task_that_one_side_only_died_on_is_not_shared() -> None:
    died = [attempt("b", "t", status=Status.INTERRUPTED)]
    comparison = compare([attempt("a", "t")], died)
    assert comparison.tasks == ()
    assert (comparison.a.other_tasks, comparison.b.infrastructure) == (1, 1)


def test_a_run_in_both_groups_is_in_neither_side() -> None:
    both = [attempt("both", "t0", 100, status=Status.STOPPED), attempt("both-too", None)]
    comparison = compare([*side("a", [1] * 5), *both], [*side("b", [2] * 5), *both])
    assert (comparison.a.in_both, comparison.b.in_both) == (2, 2)
    assert (comparison.contrasts[Measure.COST].a, comparison.contrasts[Measure.COST].b) == (1, 2)


def test_a_campaign_that_adds_a_cheap_model_is_not_cheaper() -> None:
    monday = side("a", [1, 2, 3, 4, 5])
    cheap = [attempt(f"cheap{n}", f"t{n}", 0.1, model="small") for n in range(5)]
    comparison = compare(monday, [*side("b", [1, 2, 3, 4, 5]), *cheap])
    assert comparison.contrasts[Measure.COST].effect is Effect.LEVEL
    assert (counts(comparison.a), counts(comparison.b)) == (Counts(5), Counts(5, unlike=5))
    assert (comparison.alike, comparison.is_alike, comparison.is_weighed) == (
        Dimension.MODEL,
        True,
        False,
    )


def test_a_task_on_which_no_model_is_shared_is_not_compared() -> None:
    b = [*side("b", [2] * 5), attempt("other", "t5", 9, model="other")]
    comparison = compare(side("a", [1] * 6), b)
    assert comparison.tasks == ("t0", "t1", "t2", "t3", "t4")
    assert (counts(comparison.a), counts(comparison.b)) == (
        Counts(5, unlike=1),
        Counts(5, unlike=1),
    )


def test_each_model_of_a_task_weighs_the_same() -> None:
    def both(name: str, large_usd: float, small: int) -> list[Entry]:
        small_runs = [
            attempt(f"{name}-small{n}", "t", 1, PASS, model="small") for n in range(small)
        ]
        return [attempt(f"{name}-large", "t", large_usd, FAIL, model="large"), *small_runs]

    comparison = compare(both("a", 9, 1), both("b", 9, 7))
    cost, passed = (
        comparison.contrasts[measure].tasks[0] for measure in (Measure.COST, Measure.SUCCESS)
    )
    assert (cost.a, cost.b, cost.a_cell.runs, cost.b_cell.runs, cost.b_sum) == (5, 5, 2, 8, 16)
    assert (passed.a, passed.b, passed.a_sum, passed.b_sum) == (0.5, 0.5, 1, 7)
    assert comparison.is_weighed


def test_means_of_means_that_differ_by_rounding_only_are_level() -> None:
    def judged(name: str, **passed: tuple[int, int]) -> list[Entry]:
        return [
            attempt(
                f"{name}-{task}-{model}-{n}", f"t{task}", 1, PASS if n < good else FAIL, model=model
            )
            for task in range(5)
            for model, (good, runs) in passed.items()
            for n in range(runs)
        ]

    passed = compare(judged("a", x=(1, 2), y=(1, 3)), judged("b", x=(0, 1), y=(5, 6))).contrasts[
        Measure.SUCCESS
    ]
    assert passed.a == pytest.approx(5 / 12)
    assert (passed.ties, passed.effect) == (5, Effect.LEVEL)


def test_groups_that_share_no_model_are_compared_as_they_are_and_it_is_known() -> None:
    b = [attempt(f"b{n}", f"t{n}", 2, model="other") for n in range(5)]
    comparison = compare(side("a", [1] * 5), b)
    assert (comparison.is_alike, comparison.contrasts[Measure.COST].effect) == (
        False,
        Effect.HIGHER,
    )
    assert (counts(comparison.a), counts(comparison.b)) == (Counts(5), Counts(5))


def test_models_are_compared_within_a_campaign() -> None:
    a = [attempt(f"a{n}", f"t{n}", 1, model="m", campaign="June") for n in range(5)]
    june, july = (
        [attempt(f"{when}{n}", f"t{n}", cost, model="n", campaign=when) for n in range(5)]
        for when, cost in (("June", 1), ("July", 7))
    )
    assert (
        compare(a, [*june, *july], Dimension.MODEL).contrasts[Measure.COST].effect is Effect.LEVEL
    )
    apart = compare(a, july, Dimension.MODEL)
    assert (apart.alike, apart.is_alike, apart.contrasts[Measure.COST].b) == (
        Dimension.CAMPAIGN,
        False,
        7,
    )


groups = st.lists(
    st.builds(
        attempt,
        st.just("run"),
        st.none() | st.sampled_from("abcdefg"),
        st.none() | st.floats(0, 1e6),
        st.none() | st.sampled_from(Outcome),
        status=st.sampled_from(Status),
        wall_ms=st.none() | st.integers(0, 10**8),
        model=st.none() | st.sampled_from("mn"),
    ),
    max_size=20,
)


def named(prefix: str, entries: list[Entry]) -> list[Entry]:
    return [replace(entry, id=f"{prefix}{index}") for index, entry in enumerate(entries)]


@settings(max_examples=30, deadline=None)
@given(groups, groups, st.integers(0, 5), st.randoms(use_true_random=False))
def test_every_run_is_counted_once_and_no_order_matters(
    a: list[Entry], b: list[Entry], shared: int, random: Random
) -> None:
    a, b = named("a", a), named("b", b)
    b += a[:shared]
    comparison: Comparison = compare(a, b)
    assert [sum(astuple(counts(side))) for side in (comparison.a, comparison.b)] == [len(a), len(b)]
    assert compare(random.sample(a, len(a)), random.sample(b, len(b))) == comparison
    for contrast in comparison.contrasts.values():
        assert len(contrast.tasks) + contrast.tasks_left_out == len(comparison.tasks)
        assert contrast.a_wins + contrast.b_wins + contrast.ties == len(contrast.tasks)
        runs = sum(pair.a_cell.runs + pair.b_cell.runs for pair in contrast.tasks)
        runs += contrast.runs_left_out + contrast.runs_alone
        assert runs <= comparison.a.compared + comparison.b.compared
        assert (contrast.difference is not None) == (len(contrast.tasks) >= 5)
        if contrast.difference is not None:
            assert contrast.mean_difference in contrast.difference
        if contrast.ratio is not None:
            assert contrast.mean_ratio in contrast.ratio


@settings(max_examples=30, deadline=None)
@given(groups, groups)
def test_sides_that_are_exchanged_exchange_their_figures(a: list[Entry], b: list[Entry]) -> None:
    there, back = compare(named("a", a), named("b", b)), compare(named("b", b), named("a", a))
    assert (counts(there.a), counts(there.b), there.tasks) == (
        counts(back.b),
        counts(back.a),
        back.tasks,
    )
    for measure in Measure:
        one, two = there.contrasts[measure], back.contrasts[measure]
        assert (one.a, one.b, one.a_wins, one.b_wins) == (two.b, two.a, two.b_wins, two.a_wins)


@pytest.mark.parametrize(("tasks", "reach"), [(2, 8.98), (5, 1.242), (20, 0.468)])
def test_an_interval_of_more_tasks_is_shorter(tasks: int, reach: float) -> None:
    """Student's t for one degree of freedom less than tasks, over the root of their number."""
    assert comparison._reach(tasks) == pytest.approx(reach, abs=0.006)


@pytest.mark.parametrize(
    ("a", "b", "difference", "ratio"),
    [
        (2.0, 3.0, 1.0, 1.5),
        (0.0, 3.0, 3.0, None),
        (2.0, 0.0, -2.0, 0.0),
        (None, 3.0, None, None),
        (2.0, None, None, None),
    ],
)
def test_two_means_differ_where_both_are_known(
    a: float | None, b: float | None, difference: float | None, ratio: float | None
) -> None:
    contrast = compare(side("a", [1.0]), side("b", [2.0])).contrasts[Measure.COST]
    made = replace(contrast, a=a, b=b)
    assert (made.mean_difference, made.mean_ratio) == (difference, ratio)
