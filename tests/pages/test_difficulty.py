"""Tasks by difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy
import pytest
from scipy import stats

from benchmarks.coverage import chances
from sitegen.html.render import View
from sitegen.model import Entry, Outcome
from sitegen.numbers.intervals import beta_quantile
from sitegen.numbers.verdicts import MIN_TASKS, difficulties
from sitegen.pages.difficulty import MAX_EASIEST, MAX_FOLDED, MAX_HARDEST, difficulty_view
from tests.pages.compare.test_compare import attempt


@pytest.mark.parametrize("share", [0.025, 0.5, 0.975])
@pytest.mark.parametrize(
    ("a", "b"), [(0.25, 8.25), (1.0, 1.0), (2.5, 0.7), (12.7, 33.0), (400.0, 300.0)]
)
def test_quantiles_of_the_beta_distribution_are_those_of_scipy(
    share: float, a: float, b: float
) -> None:
    assert beta_quantile(share, a, b) == pytest.approx(float(stats.beta.ppf(share, a, b)), abs=1e-6)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("effect", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("attempts", [2, 8])
def test_intervals_hold_the_rates_from_which_tasks_were_drawn(
    share: float, effect: float, attempts: int
) -> None:
    random = numpy.random.default_rng(1)
    held = []
    for _ in range(40):
        true = chances(share, effect, random.random(12))
        passed = random.binomial(attempts, true).tolist()
        found = difficulties({str(task): (each, attempts) for task, each in enumerate(passed)})
        for task, each in found.items():
            assert each.interval is not None
            held.append(each.interval.low - 1e-6 <= true[int(task)] <= each.interval.high + 1e-6)
    assert sum(held) / len(held) >= 0.9


def test_few_attempts_are_drawn_further_towards_the_mean_and_lie_in_a_wider_interval() -> None:
    found = difficulties(
        {"few": (0, 1), "many": (0, 20), "a": (10, 20), "b": (11, 20), "c": (9, 20)}
    )
    few, many = found["few"], found["many"]
    assert next(iter(found)) == "many"
    assert many.expected < few.expected < 0.5
    assert few.interval is not None
    assert many.interval is not None
    assert few.interval.high - few.interval.low > many.interval.high - many.interval.low


def test_equal_copies_of_runs_draw_less_towards_the_mean() -> None:
    once = {"a": (0, 2), "b": (1, 2), "c": (1, 2), "d": (2, 2), "e": (1, 2)}
    often = {task: (8 * passed, 8 * judged) for task, (passed, judged) in once.items()}
    assert difficulties(often)["a"].expected < difficulties(once)["a"].expected


def campaign(passed: Sequence[Sequence[int]], judged: int) -> list[Entry]:
    """A row a configuration: how many of its attempts passed at each task."""
    return [
        attempt(f"m{who}", f"t{task}", 1.0, Outcome.PASS if n < each else Outcome.FAIL, attempt=n)
        for who, own in enumerate(passed)
        for task, each in enumerate(own)
        for n in range(judged)
    ]


def view(entries: Sequence[Entry]) -> View:
    found = difficulty_view(entries)
    assert found is not None
    return found


def test_the_hardest_task_comes_first_and_tasks_that_all_end_alike_are_marked() -> None:
    shown = view(campaign([[2, 0, 1, 2, 1], [2, 0, 2, 1, 0]], 2))
    assert [task.link.text for task in shown.tasks] == ["t1", "t4", "t2", "t3", "t0"]
    assert [task.counts.text for task in shown.tasks] == [
        "0 of 4",
        "1 of 4",
        "3 of 4",
        "3 of 4",
        "4 of 4",
    ]
    assert [task.remark for task in shown.tasks] == ["none passed", "", "", "", "all passed"]
    assert shown.title == (
        "Lowest pass rate: t1 (0 of 4); highest: t0 (4 of 4); "
        "all models or none passed 2 of 5 tasks that several tried"
    )
    assert all(task.counts.href == f"{task.link.href}#runs" for task in shown.tasks)


def test_a_task_of_which_one_side_has_no_verdict_was_not_tried_by_two() -> None:
    entries = campaign([[2, 0, 1, 2, 1], [2, 0, 2, 1, 0]], 2)
    judged_once = [
        replace(entry, outcome=None) if entry.task == "t0" and entry.model == "m1" else entry
        for entry in entries
    ]
    shown = view(judged_once)
    assert [task.remark for task in shown.tasks] == ["none passed", "", "", "", ""]
    assert shown.title.endswith("all models or none passed 1 of 4 tasks that several tried")


def test_order_of_runs_changes_nothing() -> None:
    entries = campaign([[2, 0, 1, 2, 1], [2, 0, 2, 1, 0]], 2)
    assert view(entries[::-1]) == view(entries)


def test_tasks_that_are_equally_hard_are_not_told_apart() -> None:
    assert view(campaign([[0, 0, 1, 2, 1], [0, 0, 2, 1, 0]], 2)).title.startswith(
        "Lowest pass rate: two tasks (0%)"
    )
    assert (
        view(campaign([[1] * 5, [1] * 5], 2)).title
        == "Each task was passed in 50% of its judged attempts"
    )


@pytest.mark.parametrize(
    ("tasks", "title"),
    [
        (
            [(3, 6), (2, 4), (6, 6), (5, 6), (4, 5)],
            "Lowest pass rate: two tasks (50%); highest: t2 (6 of 6)",
        ),
        (
            [(3, 6), (3, 6), (6, 6), (4, 4), (4, 5)],
            "Lowest pass rate: two tasks (50%); highest: two tasks (100%)",
        ),
        (
            [(0, 1), (1, 20), (20, 20), (19, 20), (18, 20)],
            "Lowest pass rate: t0 (0 of 1); highest: t2 (20 of 20)",
        ),
        (
            [(1, 2), (2, 4), (1, 2), (3, 6), (1, 2)],
            "Each task was passed in 50% of its judged attempts",
        ),
    ],
)
def test_the_title_names_the_lowest_and_the_highest_rate(
    tasks: list[tuple[int, int]], title: str
) -> None:
    entries = [
        attempt("m", f"t{task}", 1.0, Outcome.PASS if n < passed else Outcome.FAIL, attempt=n)
        for task, (passed, judged) in enumerate(tasks)
        for n in range(judged)
    ]
    assert view(entries).title == title


def test_of_one_configuration_no_task_is_said_to_tell_nothing() -> None:
    shown = view(campaign([[2, 0, 1, 2, 1]], 2))
    assert not any(task.remark for task in shown.tasks)
    assert "or none passed" not in shown.title


def test_few_tasks_have_counts_only() -> None:
    shown = view(campaign([[0] * (MIN_TASKS - 2) + [1]], 1))
    assert len(shown.tasks) == MIN_TASKS - 1
    assert not any(task.expected or task.mark for task in shown.tasks)


def test_of_many_tasks_the_hardest_and_the_easiest_are_shown_and_the_rest_is_folded() -> None:
    shown = view(campaign([[task % 3 for task in range(500)]], 2))
    assert (len(shown.tasks), len(shown.easiest), len(shown.folded)) == (
        MAX_HARDEST,
        MAX_EASIEST,
        MAX_FOLDED,
    )
    assert (
        shown.more
        == f"And {500 - MAX_HARDEST - MAX_EASIEST - MAX_FOLDED} more tasks, which their runs lead to."
    )


def test_unjudged_runs_and_infrastructure_errors_are_in_no_count() -> None:
    entries = campaign([[2, 0, 1, 2, 1]], 2)
    more = [attempt("m0", "t0", 1.0, outcome, attempt=9) for outcome in (None, Outcome.ERROR)]
    assert view([*entries, *more]) == view(entries)
    assert difficulty_view([replace(entry, outcome=None) for entry in entries]) is None


def test_only_tasks_that_two_or_more_tried_can_fail_to_separate_them() -> None:
    entries = campaign([[2, 0, 1, 2, 1], [1, 0, 2, 1, 0]], 2)
    alone = [attempt("m0", f"only {n}", 1.0, Outcome.FAIL) for n in range(3)]
    shown = view([*entries, *alone])
    assert shown.title.endswith("all models or none passed 1 of 5 tasks that several tried")
    assert [task.remark for task in shown.tasks if task.link.text.startswith("only")] == [
        "",
        "",
        "",
    ]
    assert (
        view(campaign([[0] * 6, [0] * 6], 2)).title
        == "Each task was passed in 0% of its judged attempts"
    )
