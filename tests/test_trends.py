"""What changed over campaigns: what is planted is found, and where nothing changed hardly a page says that it did."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks import trends as generated
from sitegen.numbers import trends as module
from sitegen.numbers.baseline import NEWLY_FAILING, deltas, evaluate
from sitegen.numbers.campaigns import Attempts, Campaign
from sitegen.numbers.gates import GateVerdict
from sitegen.numbers.trends import Verdict, fisher, trends
from sitegen.pages.trends import words


def campaign(day: int, *attempts: Attempts) -> Campaign:
    """One of November."""
    return Campaign(f"c{day}", f"2026-11-{day:02}", 5 * len(attempts), attempts)


def attempts(passed: int, task: str = "t", cost: float = 1.0, judged: int = 5, **more: object) -> Attempts:
    """Of one model."""
    made = Attempts(task, "m", judged, judged, passed, tuple(cost * factor for factor in (0.8, 0.9, 1.0, 1.1, 1.2)))
    return replace(made, **more)  # type: ignore[arg-type]


def over(*passed: int) -> module.TaskTrend:
    """What became of a task with so many passed runs of five in each campaign."""
    (task,) = trends([campaign(day, attempts(n)) for day, n in enumerate(passed, 1)]).tasks
    return task


def test_what_is_planted_is_found() -> None:
    found = [generated.found(generated.site(seed, is_planted=True)) for seed in range(4)]
    assert all(each.step and each.breaks and each.flips for each in found)


def test_noise_alone_claims_next_to_nothing() -> None:
    claims = sum(generated.site(seed, is_planted=False).claims > 0 for seed in range(12))
    assert claims <= 2


@pytest.mark.nightly
def test_noise_alone_claims_at_most_one_page_in_twenty() -> None:
    for noise in (0.0, 0.05):
        sites = (generated.site(seed, is_planted=False, campaign_noise=noise) for seed in range(300))
        assert sum(each.claims > 0 for each in sites) <= 0.05 * 300


def test_a_task_that_breaks_newly_fails_since_its_campaign() -> None:
    task = over(5, 5, 5, 4, 5, 5, 0, 0)
    assert (task.verdict, task.since) == (Verdict.NEWLY_FAILS, 6)


def test_a_task_that_broke_long_ago_is_not_new() -> None:
    assert over(5, 5, 5, 5, 0, 0, 0, 0, 1, 0).verdict is Verdict.FAILS


def test_a_task_that_broke_and_was_mended_passes() -> None:
    task = over(5, 5, 5, 5, 0, 0, 0, 0, 5, 5, 5)
    assert (task.verdict, task.since) == (Verdict.NEWLY_PASSES, 8)


def test_a_task_that_goes_to_and_fro_flips() -> None:
    task = over(1, 4, 0, 5, 1, 5, 0, 4)
    assert (task.verdict, task.changes) == (Verdict.FLIPS, 7)


def test_three_campaigns_are_too_few() -> None:
    found = trends([campaign(day, attempts(5 if day < 3 else 0, cost=day)) for day in (1, 2, 3)])
    assert found.are_too_few and not found.claims
    assert [each.verdict for each in found.tasks] == [Verdict.TOO_FEW]


def test_the_last_two_campaigns_alone_change_nothing() -> None:
    """As large a fall between the last two is a claim behind many campaigns, and none behind two that say nothing."""
    alone = [campaign(day, attempts(0, judged=0)) for day in (1, 2, 3, 4)]
    last = [campaign(8, attempts(5)), campaign(9, attempts(0))]
    assert not trends([*alone, *last]).claims
    assert trends([*(campaign(day, attempts(5)) for day in range(1, 8)), *last]).claims


def test_campaigns_that_share_no_task_are_not_called_unchanged() -> None:
    apart = trends([campaign(day, attempts(5, f"t{day}")) for day in range(1, 6)])
    unknown = trends([campaign(day) for day in range(1, 6)])
    for found in (apart, unknown):
        assert words.heading(found).endswith("nothing in them to compare")
        assert "are not compared" in words.lead(found)


def test_another_prompt_is_another_task() -> None:
    rows = [
        campaign(day, attempts(5 if day < 5 else 0, prompt="prompt:a" if day < 5 else "prompt:b"))
        for day in range(1, 9)
    ]
    (task,) = trends(rows).tasks
    assert (task.verdict, task.anew) == (Verdict.AS_BEFORE, 4)


def test_the_order_of_campaigns_is_that_of_their_days() -> None:
    rows = [campaign(day, attempts(5 if day < 6 else 0)) for day in range(1, 9)]
    assert trends(rows[::-1]) == trends(rows)


def test_a_step_in_cost_is_told_with_both_means() -> None:
    costs = [1.0, 1.02, 0.99, 1.01, 1.0, 1.4, 1.41, 1.39]
    rows = [
        campaign(day, *(attempts(3, task, cost * scale) for task, scale in (("a", 1), ("b", 2), ("c", 3))))
        for day, cost in enumerate(costs, 1)
    ]
    (cost,) = (each for each in trends(rows).measures if each.measure == "cost")
    assert cost.since == 5 and cost.before and cost.after
    assert math.isclose(cost.after / cost.before, 1.4, rel_tol=0.02)


@pytest.mark.parametrize(
    ("a", "a_of", "b", "b_of"), [(5, 5, 0, 5), (30, 31, 2, 10), (3, 5, 2, 5), (0, 4, 0, 9), (7, 9, 1, 30)]
)
def test_the_exact_test_is_that_of_others(a: int, a_of: int, b: int, b_of: int) -> None:
    theirs = stats.fisher_exact([[a, a_of - a], [b, b_of - b]]).pvalue
    assert fisher(a, a_of, b, b_of) == pytest.approx(theirs, rel=1e-9)


@given(st.data(), st.sampled_from([3, 30, 300, 3000]))
def test_the_exact_test_is_exact_at_any_size(data: st.DataObject, most: int) -> None:
    a_of, b_of = data.draw(st.integers(1, most)), data.draw(st.integers(1, most))
    a, b = data.draw(st.integers(0, a_of)), data.draw(st.integers(0, b_of))
    ways = [math.comb(a_of, k) * math.comb(b_of, a + b - k) for k in range(max(0, a + b - b_of), min(a_of, a + b) + 1)]
    seen = math.comb(a_of, a) * math.comb(b_of, b)
    exact = float(Fraction(sum(way for way in ways if way <= seen), math.comb(a_of + b_of, a + b)))
    assert fisher(a, a_of, b, b_of) == pytest.approx(exact, rel=1e-11, abs=1e-280)


def test_counts_from_outside_cost_no_minutes() -> None:
    """Neither many runs nor campaigns of many sizes; a hundred times as much as is measured may pass."""
    began = time.process_time()
    for n in (100_000, 1_000_003):
        assert fisher(n // 2, n, n // 2 + n // 9, n) == pytest.approx(0, abs=1e-9)
        assert fisher(n // 2, n, n // 2, n) == pytest.approx(1)
        assert fisher(3, n, 0, n) == pytest.approx(0.25, rel=1e-4)
    for sizes in (range(1, 21), [29, 31] * 4, [59, 61, 53, 67], [100_000] * 30, [7, 5] * 20):
        cells = [attempts(size * (i % 2), judged=size) for i, size in enumerate(sizes)]
        found = trends(campaign(day, each) for day, each in enumerate(cells, 1))
        assert [each.verdict for each in found.tasks] == [Verdict.FLIPS]
        mixed = [attempts(size * (1 + i % 2) // 3, judged=size) for i, size in enumerate(sizes)]
        trends(campaign(day, each) for day, each in enumerate(mixed, 1))
    assert time.process_time() - began < 60


def test_the_test_of_what_flips_is_exact() -> None:
    rows = [(0, 2, 2), (1, 0, 3), (2, 2, 2), (3, 0, 1)]
    runs = [row for row, (_, _, n) in enumerate(rows) for _ in range(n)]

    def spread(passed: tuple[int, ...]) -> float:
        return sum(sum(runs[i] == row for i in passed) ** 2 / n for row, (_, _, n) in enumerate(rows))

    ways = [spread(passed) for passed in itertools.combinations(range(len(runs)), 4)]
    seen = sum(k * k / n for _, k, n in rows)
    assert module._unlike(rows) == pytest.approx(sum(way >= seen - 1e-9 for way in ways) / len(ways))


# Against a baseline

TASKS = "abcdefgh"


def against(cost: float, before: int = 5, now: int = 5, level: float = 1.0) -> tuple[Campaign, Campaign]:
    """Eight tasks before and now; the first passes otherwise."""
    return tuple(  # type: ignore[return-value]
        campaign(
            day, *(attempts(n if task == "a" else 4, task, factor * (1 + 0.1 * i)) for i, task in enumerate(TASKS))
        )
        for day, n, factor in ((1, before, level), (2, now, cost))
    )


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [(1.1, GateVerdict.PASSED), (1.2, GateVerdict.PASSED), (1.4, GateVerdict.FAILED), (0.5, GateVerdict.PASSED)],
)
def test_cost_is_held_against_the_baseline(cost: float, verdict: GateVerdict) -> None:
    (gate,) = evaluate({"cost.increase": 0.2}, *against(cost))
    assert gate.verdict is verdict


def test_what_may_be_chance_is_not_proven() -> None:
    before, now = against(1.0)
    dear = replace(now, attempts=(attempts(5, "a", cost=9.0), *now.attempts[1:]))
    (gate,) = evaluate({"cost.increase": 0.2}, before, dear)
    assert gate.verdict is GateVerdict.UNPROVEN and "no clear change" in gate.why


def test_a_task_that_newly_fails_is_named() -> None:
    ten = [
        replace(each, attempts=(attempts(n, "a", judged=10), *each.attempts[1:]))
        for each, n in zip(against(1.0), (10, 0), strict=True)
    ]
    (gate,) = evaluate({NEWLY_FAILING: 0}, *ten)
    assert gate.verdict is GateVerdict.FAILED and "a (m)" in gate.why
    (few,) = evaluate({NEWLY_FAILING: 0}, *against(1.0, 5, 0))
    assert few.verdict is GateVerdict.UNPROVEN and "too few attempts" in few.why
    (same,) = evaluate({NEWLY_FAILING: 0}, *against(1.0, 3, 2))
    assert same.verdict is GateVerdict.PASSED


def test_without_shared_tasks_nothing_is_proven() -> None:
    before, now = campaign(1, attempts(5, "x")), campaign(2, attempts(5, "y"))
    assert not deltas(before, now)
    gates = evaluate({"cost.increase": 0.2, NEWLY_FAILING: 0, "score.speed.decrease": 0.1}, before, now)
    assert [gate.verdict for gate in gates] == [GateVerdict.UNPROVEN] * 3
