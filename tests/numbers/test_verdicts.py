"""Figures of verdicts by hand: how hard tasks are, whether judges agree, and whether kinds of tasks differ."""

from __future__ import annotations

import pytest

from sitegen.numbers.verdicts import Difficulty, agreement, difficulties, interaction_p

BOTH, FIRST, NEITHER = (True, True), (True, False), (False, False)


@pytest.mark.parametrize(
    ("difficulty", "is_alike", "rate", "expected"),
    [
        (Difficulty(0, 4), True, 0.0, 0.0),
        (Difficulty(4, 4), True, 1.0, 1.0),
        (Difficulty(1, 4), False, 0.25, 0.25),
        (Difficulty(1, 4, (1.0, 1.0)), False, 0.25, 1 / 3),
        (Difficulty(0, 1, (1.5, 0.5)), True, 0.0, 0.5),
    ],
)
def test_a_rate_is_drawn_towards_the_mean_by_further_runs(
    difficulty: Difficulty, is_alike: bool, rate: float, expected: float
) -> None:
    assert difficulty.is_alike is is_alike
    assert difficulty.rate == rate
    assert difficulty.expected == pytest.approx(expected)


def test_without_further_runs_there_is_no_interval() -> None:
    assert Difficulty(1, 4).interval is None
    interval = Difficulty(0, 1, (1.0, 0.0)).interval  # of one passed and one failed run: uniform
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.025, 0.975), abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "further"),
    [
        ([(1, 2)] * 4, None),
        ([(1, 2)] * 4 + [(0, 0)], None),  # four of them were judged
        ([(1, 2)] * 5, (1.1, 1.1)),  # rates that do not vary: the most runs, two
        ([(2, 2)] * 5, (2.1, 0.1)),
        ([(1, 1), (1, 1), (1, 1), (0, 1), (0, 1)], (1.3, 0.9)),  # one run each tells of no size
        ([(2, 2)] * 3 + [(0, 2)] * 3, (0.1, 0.1)),  # as far apart as can be: none but the tenths
        # Mean 1/2, seen 4 · 4 · 1/16 = 1, by chance 1/4 · 4 = 1: no more than that, so the most runs.
        ([(3, 4), (3, 4), (1, 4), (1, 4), (2, 4)], (1.1, 1.1)),
        # Seen 4 · 4 · 1/4 = 4, chance 1/4 · 5, most 1/4 (24 - 4) = 5: share 11/15, size (15/11 - 1) / 2 = 2/11.
        ([(4, 4), (4, 4), (0, 4), (0, 4), (2, 4), (2, 4)], (0.1 + 1 / 11, 0.1 + 1 / 11)),
    ],
)
def test_further_runs_follow_from_how_far_rates_vary(
    counts: list[tuple[int, int]], further: tuple[float, float] | None
) -> None:
    found = difficulties({str(number): count for number, count in enumerate(counts)})
    assert len(found) == sum(judged > 0 for _, judged in counts)
    for difficulty in found.values():
        assert difficulty.further == (further and pytest.approx(further))


def test_the_hardest_task_comes_first_and_equals_stay_in_order() -> None:
    assert list(difficulties({"a": (1, 2), "b": (0, 2), "c": (2, 4), "d": (2, 2)})) == [
        *("b", "a", "c", "d")
    ]


def test_agreement_of_two_judges_by_hand() -> None:
    found = agreement([[BOTH, FIRST], [NEITHER, NEITHER]])
    assert found is not None
    assert (found.runs, found.share, found.by_chance) == (4, 0.75, 0.5)
    assert (found.kappa, found.interval) == (0.5, None)
    assert agreement([[], []]) is None
    alike = agreement([[BOTH], [BOTH]])
    assert alike is not None
    assert (alike.share, alike.by_chance, alike.kappa) == (1.0, 1.0, None)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([[BOTH, NEITHER]] * 4, None),
        ([[BOTH, NEITHER]] * 5, (1.0, 1.0)),
        # 0.8; without a task 0.75, four times, or 1: 0.8 ± 2.776 √(0.2 / 5), at most 1.
        ([[BOTH, NEITHER]] * 4 + [[FIRST, NEITHER]], (0.245, 1.0)),
        ([[BOTH]] + [[NEITHER]] * 5, None),  # without the first, chance agrees on all
    ],
)
def test_kappa_has_an_interval_from_five_tasks_on(
    tasks: list[list[tuple[bool, bool]]], expected: tuple[float, float] | None
) -> None:
    found = agreement(tasks)
    assert found is not None
    interval = found.interval
    assert (interval and (interval.low, interval.high)) == (
        expected and pytest.approx(expected, abs=0.001)
    )


def test_the_order_of_configurations_differs_between_groups_in_two_of_seventy_ways() -> None:
    rates = {f"a{number}": [1.0, 0.0] for number in range(4)}
    rates |= {f"b{number}": [0.0, 1.0] for number in range(4)}
    groups = {task: task[0] for task in rates}
    assert interaction_p(rates, groups) == pytest.approx(2 / 70)
    assert interaction_p({**rates, "c0": [5.0, 0.0]}, groups) == pytest.approx(2 / 70)
    assert interaction_p(rates, groups | {"b3": "c"}) is None
    assert interaction_p(rates, dict.fromkeys(rates, "a")) is None
    assert interaction_p(rates, groups | {"b3": "a"}) is None  # three tasks are too few
    assert interaction_p({key: [1.0, 1.0] for key in rates}, groups) == 1.0
    # Where all configurations gain alike, none is better on one kind of task.
    level = {task: [float(task[0] == "a")] * 2 for task in rates}
    assert interaction_p(level, groups) == 1.0


def test_ways_are_drawn_where_they_are_too_many_to_try() -> None:
    rates = {f"a{number:02}": [1.0, 0.0] for number in range(9)}
    rates |= {f"b{number:02}": [0.0, 1.0] for number in range(9)}
    groups = {task: task[0] for task in rates}  # 48,620 ways
    assert interaction_p(rates, groups) == pytest.approx(1 / 3000)
