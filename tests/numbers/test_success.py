"""Rates, what a success cost, and what several attempts achieve."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sitegen.model import Entry, Outcome, Run, Source, Status, Total
from sitegen.numbers.campaigns import campaign
from sitegen.numbers.intervals import Question, rate_interval
from sitegen.numbers.success import (
    Judgement,
    Success,
    is_cut_short,
    judged_over_time,
    judgement,
    pass_at_k,
    pass_hat_k,
    passes,
    success,
)

PASS, FAIL, PARTIAL, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.PARTIAL, Outcome.ERROR


def attempt(
    outcome: Outcome | None = None,
    task: str | None = None,
    *,
    cost_usd: float | None = 1.0,
    status: Status = Status.OK,
    turns: int | None = 5,
) -> Entry:
    source = Source("run.json", "run.json", named=False, size=1)
    run = Run("t", status, cost_usd=cost_usd, turns=turns)
    return Entry("run-0", source, 0, "", run, "run", task=task, outcome=outcome)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (attempt(PASS), Judgement.PASSED),
        (attempt(FAIL), Judgement.FAILED),
        (attempt(PARTIAL), Judgement.PARTIAL),
        (attempt(None), Judgement.UNJUDGED),
        (attempt(PASS, turns=None), Judgement.PASSED),
        (attempt(FAIL, status=Status.FAILED), Judgement.FAILED),
        (attempt(PASS, status=Status.UNKNOWN), Judgement.PASSED),
        (attempt(ERROR), Judgement.INFRASTRUCTURE),
        (attempt(PASS, status=Status.STOPPED), Judgement.PASSED),
        (attempt(FAIL, status=Status.STOPPED), Judgement.FAILED),
        (attempt(PARTIAL, status=Status.INTERRUPTED), Judgement.PARTIAL),
        (attempt(FAIL, turns=0), Judgement.FAILED),
        (attempt(ERROR, status=Status.STOPPED), Judgement.INFRASTRUCTURE),
        (attempt(None, status=Status.STOPPED), Judgement.INFRASTRUCTURE),
        (attempt(None, status=Status.INTERRUPTED), Judgement.INFRASTRUCTURE),
        (attempt(None, turns=0), Judgement.INFRASTRUCTURE),
    ],
)
def test_a_stated_verdict_counts_however_the_run_ended(run: Entry, expected: Judgement) -> None:
    assert judgement(run) is expected


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (attempt(PASS), Judgement.PASSED),
        (attempt(FAIL, status=Status.FAILED), Judgement.FAILED),
        (attempt(PASS, status=Status.STOPPED), Judgement.INFRASTRUCTURE),
        (attempt(FAIL, status=Status.INTERRUPTED), Judgement.INFRASTRUCTURE),
        (attempt(FAIL, turns=0), Judgement.INFRASTRUCTURE),
        (attempt(None), Judgement.UNJUDGED),
        (attempt(ERROR), Judgement.INFRASTRUCTURE),
    ],
)
def test_over_time_runs_that_were_cut_short_do_not_count_and_those_at_a_limit_of_their_own_do(
    run: Entry, expected: Judgement
) -> None:
    assert judged_over_time(run.run.status, run.run.turns, run.outcome) is expected
    (counted,) = campaign("monday", "2026-11-02", [replace(run, task="t", model="m")]).attempts
    assert counted.judged == (expected in (Judgement.PASSED, Judgement.FAILED))


def test_runs_are_counted_by_what_they_are_and_the_rate_is_of_the_judged() -> None:
    runs = [
        attempt(PASS, cost_usd=1),
        attempt(PASS, cost_usd=2),
        attempt(PARTIAL, cost_usd=4),
        attempt(FAIL, cost_usd=8),
        attempt(ERROR, cost_usd=16),
        attempt(None, status=Status.STOPPED, cost_usd=32),
        attempt(None, cost_usd=64),
    ]
    told = success(runs)
    assert told == Success(
        passed=2, partial=1, failed=1, infrastructure=2, unjudged=1, cost=Total(63, 6, 0)
    )
    assert (told.judged, told.runs) == (4, 7)
    assert (told.rate, told.lowest_rate) == (0.5, 0.4)
    with_stopped = success([*runs, attempt(FAIL, status=Status.STOPPED)])
    assert (with_stopped.judged, with_stopped.cut_short) == (5, 1)


def test_a_success_cost_what_all_runs_cost_that_were_judged_or_ended_by_their_surroundings() -> (
    None
):
    runs = [attempt(PASS)] * 3 + [
        attempt(FAIL, cost_usd=8),
        attempt(ERROR, cost_usd=16),
        attempt(None, cost_usd=64),
    ]
    assert success(runs).cost_per_success == Total(9, 5, 0)


def test_a_success_costs_at_least_so_much_when_a_run_reports_no_cost() -> None:
    told = success([attempt(PASS, cost_usd=3)] * 3 + [attempt(FAIL, cost_usd=None)])
    assert told.cost_per_success == Total(3, 3, 1)
    assert told.cost_per_success.is_lower_bound
    assert told.long_run_cost is None


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [attempt(FAIL)],
        [attempt(None)],
        [attempt(PASS, cost_usd=None)] * 3,
        [attempt(ERROR)] * 3,
    ],
)
def test_without_a_success_or_any_cost_there_is_no_cost_per_success(runs: list[Entry]) -> None:
    assert (success(runs).cost_per_success, success(runs).long_run_cost) == (None, None)


@pytest.mark.parametrize(
    "runs",
    [
        [attempt(PASS, cost_usd=0.7)] * 2
        + [attempt(PASS, cost_usd=None)] * 4,  # $0.23+ a success, $0.70 a run
        [attempt(PASS, cost_usd=None)] * 4
        + [attempt(FAIL, status=Status.STOPPED, cost_usd=0.0)],  # $0.00+
        [attempt(PASS, cost_usd=0.0)] * 3,
    ],
)
def test_no_success_costs_less_than_a_run_or_is_made_of_runs_that_never_called_the_model(
    runs: list[Entry],
) -> None:
    assert success(runs).cost_per_success is None
    assert success([*runs, *[attempt(FAIL, cost_usd=1.0)] * 6]).cost_per_success is not None


def test_runs_without_an_outcome_have_one_count_however_they_ended() -> None:
    told = success(
        [attempt(PASS), attempt(None), attempt(None, status=Status.STOPPED), attempt(None, turns=0)]
    )
    assert (told.unjudged, told.lost, told.without_verdict, told.infrastructure) == (1, 2, 1, 2)


def test_under_three_successes_nothing_is_said_of_what_one_costs() -> None:
    assert success([attempt(PASS)] * 2 + [attempt(FAIL)] * 9).cost_per_success is None
    assert success([attempt(PASS)] * 3 + [attempt(FAIL)] * 9).cost_per_success == Total(4, 12, 0)


def test_without_judged_runs_there_is_no_rate() -> None:
    told = success([attempt(None), attempt(ERROR)])
    assert (told.rate, told.interval, told.lowest_rate) == (None, None, 0)
    assert success([]).lowest_rate is None


def test_the_interval_of_a_rate_counts_the_tasks_or_the_runs_as_the_question_has_it() -> None:
    tasks = {"a": (3, 0), "b": (0, 3), "c": (2, 1), "d": (3, 0), "e": (1, 2)}
    runs = [attempt(o, task) for task, (p, f) in tasks.items() for o in [PASS] * p + [FAIL] * f]
    of_tasks, of_runs = success(runs).interval, success(runs, Question.THESE_TASKS).interval
    assert of_tasks == rate_interval([(p, p + f) for p, f in tasks.values()])
    assert of_runs == rate_interval([(1, 1)] * 9 + [(0, 1)] * 6)
    assert of_tasks is not None
    assert of_runs is not None
    assert of_runs.high - of_runs.low < of_tasks.high - of_tasks.low


def test_of_one_task_and_of_runs_without_a_task_each_run_counts() -> None:
    runs = [attempt(PASS, "a")] * 7 + [attempt(FAIL, "a")] * 5
    assert success(runs).interval == rate_interval([(1, 1)] * 7 + [(0, 1)] * 5)
    assert success([replace(run, task=None) for run in runs]).interval == success(runs).interval


attempts = st.builds(
    attempt,
    st.none() | st.sampled_from(Outcome),
    st.none() | st.sampled_from("abc"),
    cost_usd=st.none() | st.floats(0, 1e6),
    status=st.sampled_from(Status),
    turns=st.none() | st.integers(0, 3),
)
campaigns = st.lists(attempts, max_size=15)


@given(campaigns, st.randoms(use_true_random=False))
def test_the_order_of_the_runs_changes_nothing(runs: list[Entry], random: Random) -> None:
    shuffled = random.sample(runs, len(runs))
    assert success(shuffled) == success(runs)
    assert passes(shuffled) == passes(runs)


@given(campaigns, st.integers(0, 15))
def test_groups_add_up_to_the_whole(runs: list[Entry], cut: int) -> None:
    whole, one, two = success(runs), success(runs[:cut]), success(runs[cut:])
    assert whole.runs == len(runs)
    for count in ("passed", "partial", "failed", "infrastructure", "unjudged", "judged"):
        assert getattr(whole, count) == getattr(one, count) + getattr(two, count)
    assert math.isclose(
        whole.cost.value or 0, (one.cost.value or 0) + (two.cost.value or 0), rel_tol=1e-12
    )


@given(campaigns, attempts)
def test_one_more_run_whose_outcome_is_unknown_never_raises_a_rate(
    runs: list[Entry], run: Entry
) -> None:
    before, after = success(runs), success([*runs, replace(run, outcome=None)])
    assert after.rate == before.rate
    assert (after.lowest_rate or 0) <= (before.lowest_rate or 0)


@given(campaigns.filter(bool))
def test_forgetting_an_outcome_never_raises_the_lowest_rate(runs: list[Entry]) -> None:
    judged = [run for run in runs if run.outcome is not ERROR and not is_cut_short(run)]
    forgotten = [
        replace(run, outcome=None) if index == 0 else run for index, run in enumerate(judged)
    ]
    assert (success(forgotten).lowest_rate or 0) <= (success(judged).lowest_rate or 0)


@given(campaigns)
def test_forgetting_a_cost_never_raises_the_cost_per_success_and_shows(runs: list[Entry]) -> None:
    before = success(runs).cost_per_success
    forgotten = [
        replace(run, run=replace(run.run, cost_usd=None)) if index == 0 else run
        for index, run in enumerate(runs)
    ]
    after = success(forgotten).cost_per_success
    if after is not None:
        assert before is not None
        assert after.value is not None
        assert before.value is not None
        assert after.value <= before.value
        assert after.known + after.unknown == before.known + before.unknown


def reference_pass_at_k(n: int, c: int, k: int) -> float:
    """The numerically stable program printed in Chen et al. 2021, figure 3."""
    if n - c < k:
        return 1.0
    return float(1.0 - numpy.prod(1.0 - k / numpy.arange(n - c + 1, n + 1)))


counts = st.integers(1, 60).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(counts)
def test_pass_at_k_is_that_of_its_paper(count: tuple[int, int, int]) -> None:
    assert pass_at_k(*count) == pytest.approx(reference_pass_at_k(*count), abs=1e-12)


@pytest.mark.parametrize(("n", "c"), [(1, 0), (1, 1), (4, 0), (5, 2), (6, 5), (7, 7)])
def test_both_are_the_share_of_all_choices_of_k_attempts(n: int, c: int) -> None:
    passed = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        choices = list(combinations(passed, k))
        assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, choices)) / len(choices))
        assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, choices)) / len(choices))


@given(counts)
def test_pass_hat_k_is_that_all_drawn_attempts_are_passed_ones(count: tuple[int, int, int]) -> None:
    n, c, k = count
    assert pass_hat_k(n, c, k) == pytest.approx(float(stats.hypergeom(n, c, k).pmf(k)), abs=1e-12)


@given(counts)
def test_more_attempts_never_lower_pass_at_k_nor_raise_pass_hat_k(
    count: tuple[int, int, int],
) -> None:
    n, c, k = count
    assert pass_at_k(n, c, 1) == pytest.approx(c / n)
    assert pass_hat_k(n, c, 1) == pytest.approx(c / n)
    if k < n:
        assert pass_at_k(n, c, k) <= pass_at_k(n, c, k + 1)
        assert pass_hat_k(n, c, k) >= pass_hat_k(n, c, k + 1)
    if c < n:
        assert pass_at_k(n, c, k) <= pass_at_k(n, c + 1, k)
        assert pass_hat_k(n, c, k) <= pass_hat_k(n, c + 1, k)


def test_attempts_are_told_for_every_k_over_the_tasks_that_have_so_many() -> None:
    runs = [attempt(outcome, "a") for outcome in (PASS, FAIL, PARTIAL)] + [attempt(PASS, "b")] * 2
    excluded = [attempt(PASS), attempt(None, "b"), attempt(ERROR, "b"), attempt(None, "b", turns=0)]
    one, two, three = passes(runs + excluded)
    assert (one.k, one.tasks) == (1, 2)
    assert (one.pass_at_k, one.pass_hat_k) == (
        pytest.approx((1 / 3 + 1) / 2),
        pytest.approx((1 / 3 + 1) / 2),
    )
    assert (two.k, two.tasks) == (2, 2)
    assert (two.pass_at_k, two.pass_hat_k) == (pytest.approx((2 / 3 + 1) / 2), 0.5)
    assert (three.k, three.tasks, three.pass_at_k, three.pass_hat_k) == (3, 1, 1, 0)
    assert passes(excluded) == ()


def test_of_a_task_with_thousands_of_attempts_few_k_are_told() -> None:
    assert [told.k for told in passes([attempt(PASS, "a"), attempt(FAIL, "a")] * 2_000)] == list(
        range(1, 11)
    )
