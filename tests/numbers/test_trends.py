"""What changed over campaigns: what is planted is announced in time, and quiet nights announce next to nothing."""

from __future__ import annotations

import math
import re
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
from sitegen.numbers.campaigns import Attempts, CampaignFigures
from sitegen.numbers.families import fisher
from sitegen.numbers.gates import GateVerdict
from sitegen.numbers.trends import Alert, Count, TaskTrend, TaskVerdict, trends
from sitegen.pages.trends import trend_words
from tests.conftest import ROOT
from tests.support.clock import seconds_since


def campaign(day: int, *attempts: Attempts) -> CampaignFigures:
    """One of November."""
    return CampaignFigures(f"c{day}", f"2026-11-{day:02}", 5 * len(attempts), attempts)


def attempts(
    passed: int, task: str = "t", cost: float = 1.0, judged: int = 5, **more: object
) -> Attempts:
    """Of one model."""
    made = Attempts(
        task,
        "m",
        judged,
        judged,
        passed,
        tuple(cost * factor for factor in (0.8, 0.9, 1.0, 1.1, 1.2)),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def over(*passed: int, judged: int = 5) -> module.TaskTrend:
    """What became of a task with so many passed runs in each campaign."""
    (task,) = trends(
        [campaign(day, attempts(n, judged=judged)) for day, n in enumerate(passed, 1)]
    ).tasks
    return task


def quiet(sites: int, tasks: int) -> float:
    """False alerts in sixty nights in which nothing changes."""
    return sum(generated.false_alerts(seed, tasks) for seed in range(sites)) / sites


def test_a_break_is_announced_by_the_second_night() -> None:
    delays = [generated.delay(seed, 12, generated.CHANGES[0]) for seed in range(40)]
    assert generated.share_by(delays, 2) >= 0.8
    assert generated.share_by(delays, 4) == 1


def test_quiet_nights_announce_next_to_nothing() -> None:
    assert quiet(4, 12) <= 1


@pytest.mark.nightly
def test_the_delays_and_false_alerts_of_the_documentation() -> None:
    """Each figure of the table for 12 tasks is measured anew, by other seeds."""
    page = (ROOT / "docs/campaigns.md").read_text(encoding="utf-8")
    for change in generated.CHANGES:
        stated = re.search(rf"^\| {re.escape(change.label)} \| ([^|]+) \|", page, re.MULTILINE)
        assert stated
        delays = [generated.delay(1000 + seed, 12, change) for seed in range(150)]
        for night, share in zip(generated.SHOWN, stated[1].split(","), strict=True):
            assert abs(generated.share_by(delays, night) - float(share) / 100) < 0.15
    delays = [generated.delay(1000 + seed, 12, generated.CHANGES[0]) for seed in range(400)]
    assert generated.share_by(delays, 2) >= 0.9
    for tasks in (12, 50):
        assert quiet(60, tasks) <= 1


def test_what_happened_is_said_from_the_first_night() -> None:
    rows = [campaign(day, attempts(n, judged=3)) for day, n in enumerate((3, 2, 3, 0), 1)]
    found = trends(rows)
    (task,) = found.tasks
    assert not task.alerts and trend_words.certainty(found, task) == "too few attempts to be sure"
    assert (
        trend_words.counts(found, task) == "0 of 3 since c4, 8 of 9 before"
        and trend_words.role(task) == "fail"
    )
    assert "Not clear yet" in trend_words.lead(found) and "without an alert" in trend_words.heading(
        found
    )


@given(st.lists(st.integers(0, 3), min_size=2, max_size=14))
def test_alerts_are_those_of_their_night(passed: list[int]) -> None:
    """A later night changes no alert of an earlier one, whatever it brings."""
    whole = over(*passed, judged=3).alerts
    for nights in range(1, len(passed)):
        assert over(*passed[:nights], judged=3).alerts == tuple(
            each for each in whole if each.detected < nights
        )


def test_a_task_that_breaks_newly_fails_since_its_campaign() -> None:
    task = over(5, 5, 5, 4, 5, 5, 0, 0)
    assert (task.verdict, task.since) == (TaskVerdict.NEWLY_FAILS, 6)


def test_two_campaigns_are_enough_if_they_are_clear() -> None:
    assert over(30, 0, judged=30).verdict is TaskVerdict.NEWLY_FAILS
    few = over(2, 0, judged=2)
    assert not few.alerts and few.split == 1


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (5, 1, TaskVerdict.FAILS),
        (9, 5, TaskVerdict.LESS_OFTEN),
        (1, 5, TaskVerdict.PASSES),
        (5, 9, TaskVerdict.MORE_OFTEN),
    ],
)
def test_a_task_passes_if_half_of_its_runs_do(
    before: int, after: int, verdict: TaskVerdict
) -> None:
    assert module.Alert(1, 1, module.Count(before, 10), module.Count(after, 10)).verdict is verdict


def test_a_task_that_broke_long_ago_is_not_new() -> None:
    task = over(5, 5, 5, 5, 0, 0, 0, 0, 1, 0)
    assert (
        task.verdict is TaskVerdict.FAILS
        and task.before == module.Count(20, 20)
        and task.now == module.Count(1, 30)
    )


def test_a_task_that_broke_long_ago_is_still_said_to_fail() -> None:
    found = trends(
        [campaign(day, attempts(n)) for day, n in enumerate((5, 5, 5, 5, 0, 0, 0, 0), 1)]
    )
    assert trend_words.heading(found).endswith("without a new alert")
    assert "No new alert. Still failing: " in trend_words.lead(
        found
    ) and "0 of 20 since c5, 20 of 20 before" in trend_words.lead(found)


def test_a_task_that_broke_and_was_fixed_passes() -> None:
    task = over(5, 5, 5, 5, 0, 0, 0, 0, 5, 5, 5)
    assert (task.verdict, task.since, len(task.alerts)) == (TaskVerdict.NEWLY_PASSES, 8, 2)


def test_one_campaign_has_nothing_to_compare_with() -> None:
    found = trends([campaign(1, attempts(5))])
    assert trend_words.heading(found) == "One campaign: nothing to compare with yet"


def test_campaigns_that_share_no_task_are_not_called_unchanged() -> None:
    apart = trends([campaign(day, attempts(5, f"t{day}")) for day in range(1, 6)])
    unknown = trends([campaign(day) for day in range(1, 6)])
    for found in (apart, unknown):
        assert trend_words.heading(found).endswith("nothing in them to compare")
        assert "are not compared" in trend_words.lead(found)


def test_another_prompt_is_another_task() -> None:
    rows = [
        campaign(day, attempts(5 if day < 5 else 0, prompt="prompt:a" if day < 5 else "prompt:b"))
        for day in range(1, 9)
    ]
    (task,) = trends(rows).tasks
    assert not task.alerts and task.anew == 4 and task.now == module.Count(0, 20)


def test_the_order_of_campaigns_is_that_of_their_days() -> None:
    rows = [campaign(day, attempts(5 if day < 6 else 0)) for day in range(1, 9)]
    assert trends(rows[::-1]) == trends(rows)


def test_a_step_in_cost_is_told_with_both_means() -> None:
    costs = [1.0, 1.02, 0.99, 1.01, 1.0, 1.4, 1.41, 1.39]
    rows = [
        campaign(
            day,
            *(attempts(3, task, cost * scale) for task, scale in (("a", 1), ("b", 2), ("c", 3))),
        )
        for day, cost in enumerate(costs * 2, 1)
    ]
    (cost,) = (each for each in trends(rows[:8]).measures if each.measure == "cost")
    assert cost.last and cost.last.since == 5
    assert math.isclose(cost.last.after / cost.last.before, 1.4, rel_tol=0.02)  # type: ignore[operator]


def test_costs_that_never_differ_raise_no_alert_by_rounding() -> None:
    rows = [
        campaign(day, *(attempts(3, task, 0.1 * day / day) for task in "abc"))
        for day in range(1, 20)
    ]
    assert not any(each.alerts for each in trends(rows).measures)


@pytest.mark.parametrize(
    ("a", "a_of", "b", "b_of"),
    [(5, 5, 0, 5), (30, 31, 2, 10), (3, 5, 2, 5), (0, 4, 0, 9), (7, 9, 1, 30)],
)
def test_the_exact_test_is_that_of_others(a: int, a_of: int, b: int, b_of: int) -> None:
    theirs = stats.fisher_exact([[a, a_of - a], [b, b_of - b]]).pvalue
    assert fisher(a, a_of, b, b_of) == pytest.approx(theirs, rel=1e-9)


@given(st.data(), st.sampled_from([3, 30, 300, 3000]))
def test_the_exact_test_is_exact_at_any_size(data: st.DataObject, most: int) -> None:
    a_of, b_of = data.draw(st.integers(1, most)), data.draw(st.integers(1, most))
    a, b = data.draw(st.integers(0, a_of)), data.draw(st.integers(0, b_of))
    ways = [
        math.comb(a_of, k) * math.comb(b_of, a + b - k)
        for k in range(max(0, a + b - b_of), min(a_of, a + b) + 1)
    ]
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
    for sizes in (range(1, 21), [59, 61, 53, 67], [100_000] * 30, [7, 5] * 20):
        cells = [attempts(size * (i % 2), judged=size) for i, size in enumerate(sizes)]
        assert trends(campaign(1 + day % 28, each) for day, each in enumerate(cells)).tasks
    assert seconds_since(began) < 60


# Against a baseline

TASKS = "abcdefgh"


def against(
    cost: float, before: int = 5, now: int = 5, level: float = 1.0
) -> tuple[CampaignFigures, CampaignFigures]:
    """Eight tasks before and now; the first passes otherwise."""
    return tuple(  # type: ignore[return-value]
        campaign(
            day,
            *(
                attempts(n if task == "a" else 4, task, factor * (1 + 0.1 * i))
                for i, task in enumerate(TASKS)
            ),
        )
        for day, n, factor in ((1, before, level), (2, now, cost))
    )


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [
        (1.1, GateVerdict.PASSED),
        (1.2, GateVerdict.PASSED),
        (1.4, GateVerdict.FAILED),
        (0.5, GateVerdict.PASSED),
    ],
)
def test_cost_is_held_against_the_baseline(cost: float, verdict: GateVerdict) -> None:
    (gate,) = evaluate({"cost.increase": 0.2}, *against(cost))
    assert gate.verdict is verdict


def test_what_may_be_chance_is_not_proven() -> None:
    before, now = against(1.0)
    dear = replace(now, attempts=(attempts(5, "a", cost=9.0), *now.attempts[1:]))
    (gate,) = evaluate({"cost.increase": 0.2}, before, dear)
    assert gate.verdict is GateVerdict.UNDECIDED and "no clear change" in gate.why


def test_a_task_that_newly_fails_is_named() -> None:
    ten = [
        replace(each, attempts=(attempts(n, "a", judged=10), *each.attempts[1:]))
        for each, n in zip(against(1.0), (10, 0), strict=True)
    ]
    (gate,) = evaluate({NEWLY_FAILING: 0}, *ten)
    assert gate.verdict is GateVerdict.FAILED and "a (m)" in gate.why
    (few,) = evaluate({NEWLY_FAILING: 0}, *against(1.0, 5, 0))
    assert few.verdict is GateVerdict.UNDECIDED and "too few attempts" in few.why
    (same,) = evaluate({NEWLY_FAILING: 0}, *against(1.0, 3, 2))
    assert same.verdict is GateVerdict.PASSED


def test_without_shared_tasks_nothing_is_proven() -> None:
    before, now = campaign(1, attempts(5, "x")), campaign(2, attempts(5, "y"))
    assert not deltas(before, now)
    gates = evaluate(
        {"cost.increase": 0.2, NEWLY_FAILING: 0, "score.speed.decrease": 0.1}, before, now
    )
    assert [gate.verdict for gate in gates] == [GateVerdict.INCOMPLETE] * 3


def test_a_campaign_that_spells_a_task_in_two_ways_counts_all_its_runs() -> None:
    two = [attempts(0, "Fix", cost=3.0, prompt="prompt:1"), attempts(5, "fix", prompt="prompt:1")]
    new = campaign(2, attempts(5, "fix", prompt="prompt:1"))
    for old in (campaign(1, *two), campaign(1, *two[::-1])):
        for before, now in ((old, new), (new, old)):
            (task,) = module.trends([before, replace(now, day="2026-11-09")]).tasks
            cells = {(cell.passed, cell.judged, cell.runs) for cell in task.cells if cell}
            assert cells == {(5, 10, 10), (5, 5, 5)}
            found = {each.measure: each for each in deltas(before, now)}
            success, cost = (0.5, 1.0), (2.0, 1.0)
            for measure, expected in (("success", success), ("cost", cost)):
                told = (found[measure].before, found[measure].now)
                assert told == pytest.approx(expected if before is old else expected[::-1])


def test_a_task_is_the_same_in_another_case() -> None:
    """As the newest campaign spells it."""
    old, new = campaign(1, attempts(5, "Fix")), campaign(2, attempts(0, "fix"))
    (task,) = module.trends([old, new]).tasks
    assert task.task == "fix" and [cell and cell.passed for cell in task.cells] == [5, 0]
    assert {each.measure for each in deltas(old, new)} == {"cost", "success"}


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (0.5, 0.49, TaskVerdict.FAILS),
        (0.49, 0.5, TaskVerdict.PASSES),
        (0.5, 0.6, TaskVerdict.MORE_OFTEN),
        (0.1, 0.4, TaskVerdict.MORE_OFTEN),
        (0.9, 0.6, TaskVerdict.LESS_OFTEN),
        (0.4, 0.1, TaskVerdict.LESS_OFTEN),
    ],
)
def test_an_alert_says_on_which_side_of_a_half_runs_are(
    before: float, after: float, verdict: TaskVerdict
) -> None:
    assert Alert(1, 2, before, after).verdict is verdict
    counts = Count(round(before * 100), 100), Count(round(after * 100), 100)
    assert Alert(1, 2, *counts).verdict is verdict


def cell(passed: int = 0, judged: int = 2, prompt: str | None = None) -> Attempts:
    return Attempts("t", "m", max(judged, 1), judged, passed, prompt=prompt)


def test_another_prompt_or_other_rules_begin_anew() -> None:
    prompts = ("", "a", "a", None, "", "b", "b", "a")
    cells = tuple(None if prompt is None else cell(prompt=prompt or None) for prompt in prompts)
    assert TaskTrend("t", "m", cells).begins == [5, 7]
    assert TaskTrend("t", "m", cells, recounted=(2, 5)).begins == [2, 5, 7]


def test_campaigns_without_judged_runs_are_not_compared() -> None:
    cells = (cell(), None, cell(judged=0), cell(1))
    assert [at for at, _ in TaskTrend("t", "m", cells).judged_cells()] == [0, 3]


FELL = Alert(2, 3, Count(4, 4), Count(0, 4))
CELLS = (cell(2), cell(2), cell(0), cell(0), cell(0), cell(0))


@pytest.mark.parametrize(
    ("known", "last", "since", "verdict"),
    [
        ({}, None, None, TaskVerdict.SOMETIMES),
        ({"alerts": (FELL,)}, FELL, 2, TaskVerdict.NEWLY_FAILS),
        ({"alerts": (replace(FELL, detected=2),)}, None, 2, TaskVerdict.FAILS),
        ({"alerts": (FELL,), "anew": 1}, FELL, 2, TaskVerdict.NEWLY_FAILS),
        ({"alerts": (FELL,), "anew": 2}, None, None, TaskVerdict.FAILS),
        ({"alerts": (FELL,), "split": 4}, FELL, 4, TaskVerdict.FAILS),
        ({"split": 1}, None, 1, TaskVerdict.SOMETIMES),
        ({"anew": 2}, None, None, TaskVerdict.FAILS),
    ],
    ids=str,
)
def test_a_task_is_as_it_has_been_since_its_last_change(
    known: dict[str, object], last: Alert | None, since: int | None, verdict: TaskVerdict
) -> None:
    trend = TaskTrend("t", "m", CELLS, **known)  # type: ignore[arg-type]
    assert (trend.since, trend.verdict) == (since, verdict)
    if trend.alerts and trend.alerts[0].detected == 2:
        assert trend.last is trend.alerts[0] and not trend.is_new, "three campaigns before"
    else:
        assert trend.last is last and trend.is_new is (last is not None)


def test_runs_before_a_change_are_those_since_the_change_before_that() -> None:
    rose = Alert(1, 1, Count(0, 2), Count(2, 2))
    cells = (cell(0), cell(2), *CELLS[2:])
    trend = TaskTrend("t", "m", cells, alerts=(rose, FELL))
    assert (trend.before, trend.now) == (Count(2, 2), Count(0, 8))
    assert replace(trend, alerts=(FELL,)).before == Count(2, 4)
    assert replace(trend, alerts=(FELL,), anew=1).before == Count(2, 2)
    assert replace(trend, alerts=()).before is None
    assert replace(trend, alerts=(), anew=1).now == Count(2, 10)


def test_a_task_fails_until_it_looks_different_or_leaves_the_campaigns() -> None:
    failing = TaskTrend("t", "m", CELLS, alerts=(FELL,))
    assert failing.is_failing
    assert not replace(failing, split=4).is_failing
    assert not replace(failing, alerts=()).is_failing
    assert not replace(failing, alerts=(replace(FELL, after=Count(4, 4)),)).is_failing
    gone = (*CELLS, None, None, None)
    assert not replace(failing, cells=gone).is_failing
    assert replace(failing, cells=gone[:-1]).is_failing


@pytest.mark.parametrize(
    ("begins", "limits"),
    [([0, 0, 2], [20, 20, 30, 30]), ([3], [10, 10, 10, 10]), ([2, 0], [10, 10, 20, 20])],
)
def test_the_threshold_grows_with_the_series_that_have_begun(
    begins: list[int], limits: list[int]
) -> None:
    assert module._limits(begins, 4, 10) == limits


@pytest.mark.parametrize(
    ("passed", "is_turned"),
    [
        ([2, 2, 0], True),
        ([0, 0, 2], True),
        ([2, 2, 1], False),
        ([1, 1, 0], False),
        ([2, 2, 2], False),
    ],
)
def test_the_newest_campaign_may_have_turned(passed: list[int], *, is_turned: bool) -> None:
    assert module._is_turned([cell(each) for each in passed]) is is_turned


def test_tasks_that_changed_come_first() -> None:
    quiet = TaskTrend("a", "m", CELLS)
    trends_ = [
        TaskTrend("d", "m", CELLS, alerts=(FELL,)),
        TaskTrend("c", "m", CELLS, split=4),
        TaskTrend("b", "m", CELLS, alerts=(replace(FELL, detected=2),)),
        quiet,
        replace(quiet, model="n"),
        replace(quiet, task="e"),
    ]
    assert sorted([*trends_[3:], *trends_[:3]], key=module._new_first) == trends_


def test_costs_count_until_they_come_from_elsewhere() -> None:
    def paid(computed: int) -> Attempts:
        return replace(cell(), costs=(1.0,), computed=computed)

    mixed = TaskTrend("t", "m", (paid(0), None, paid(0), paid(1), paid(1)))
    assert module._end(mixed, "cost") == 3
    assert module._end(mixed, "success") == 5
    prompts = TaskTrend("t", "m", (cell(prompt="a"), cell(prompt="b"), cell(prompt="b")))
    assert module._end(prompts, "success") == 1
