"""Signals of runs: which rules are shown, which runs are looked at, and gaps within groups, all by hand."""

from __future__ import annotations

import pytest

from sitegen.model import Entry, Run, Source, Status, StepCounts
from sitegen.numbers.intervals import Interval
from sitegen.numbers.signal_rules import (
    RULES,
    SHOWN,
    Gap,
    Rule,
    gap,
    is_looked_at,
    share,
    signals_of,
)


def rule(right: int, hits: int, *, needs_edit: bool = False) -> Rule:
    return Rule("k", "short", "name", "about", right, hits, hits, needs_edit)


def entry(
    name: str, steps: StepCounts | None = None, *, task: str | None = None, model: str = "m"
) -> Entry:
    source = Source(f"{name}.json", "", named=False, size=1)
    run = Run("t", Status.OK, steps=steps)
    return Entry(name, source, 0, "", run, name, task=task, model=model)


def steps(
    signals: tuple[str, ...] | None,
    edited: tuple[int, ...] | None = None,
    tests: str | None = None,
) -> StepCounts:
    return StepCounts(1, 1, 0, edited, 0, 0, 0, None, None, None, signals=signals, tests=tests)


@pytest.mark.parametrize(
    ("right", "hits", "low", "is_shown"),
    [
        (19, 19, 0.8318, False),  # too few were read
        (20, 20, 0.8389, True),
        (19, 20, 0.7639, False),
        (33, 34, 0.8508, True),
        (35, 40, 0.7389, False),
        (0, 0, None, False),
    ],
)
def test_a_rule_is_shown_where_its_precision_is_high_beyond_chance(
    right: int, hits: int, low: float | None, is_shown: bool
) -> None:
    judged = rule(right, hits)
    assert (judged.precision and judged.precision.low) == (low and pytest.approx(low, abs=5e-5))
    assert judged.is_shown is is_shown


def test_rules_are_read_with_their_counts() -> None:
    by_key = {rule.key: rule for rule in RULES}
    unchecked = by_key["unchecked"]
    assert (unchecked.right, unchecked.hits, unchecked.present) == (33, 34, 33)
    assert unchecked.short == "edit without a passing test"
    assert unchecked.needs_edit
    assert not by_key["repeats"].needs_edit
    assert list(SHOWN) == [rule.key for rule in RULES if rule.key in SHOWN]


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (None, None),
        (steps(None), None),
        (steps(()), []),
        (steps(("unchecked", "never-heard-of", "tests-edited")), ["unchecked", "tests-edited"]),
    ],
)
def test_a_run_has_the_signals_that_are_shown(
    counts: StepCounts | None, found: list[str] | None
) -> None:
    rules = signals_of(entry("r", counts))
    assert (None if rules is None else [rule.key for rule in rules]) == found


@pytest.mark.parametrize(
    ("counts", "by_any", "by_edit"),
    [
        (None, False, False),
        (steps(None, (1,), "none"), False, False),
        (steps(()), True, False),
        (steps((), (1,)), True, False),
        (steps((), (), "none"), True, False),
        (steps((), (1,), "none"), True, True),
    ],
)
def test_a_rule_about_edits_looks_at_runs_that_edited(
    counts: StepCounts | None, by_any: bool, by_edit: bool
) -> None:
    run = entry("r", counts)
    assert is_looked_at(run, rule(1, 1)) is by_any
    assert is_looked_at(run, rule(1, 1, needs_edit=True)) is by_edit


def has(entry: Entry) -> bool:
    return entry.id.startswith("+")


def on_side(entry: Entry) -> bool:
    return entry.id.endswith("!")


def test_a_share_counts_runs_and_its_interval_tasks() -> None:
    runs = [entry("+1", task="a"), entry("2", task="a"), entry("+3", task="b")]
    assert share(runs, has) == (2, 3, None)
    count, of, interval = share([*runs, entry("4", task="c")], has)
    assert (count, of) == (2, 4)
    assert interval is not None
    assert interval.low < 0.5 < interval.high
    assert share([], has) == (0, 0, None)


def pairs(*ids: str) -> list[Entry]:
    """Return the runs of these ids: the first two are of one task and one model, so are the next two, and so on."""
    return [
        entry(one, task=f"t{number // 2}", model=f"m{number // 2}")
        for number, one in enumerate(ids)
    ]


def of_model(entry: Entry) -> str | None:
    return entry.model


def test_a_gap_within_groups_is_the_mean_of_their_differences() -> None:
    runs = pairs("+a!", "a", "+b!", "b", "+c!", "c", "d!", "d", "e!", "e")
    found = gap(runs, has, on_side, of_model)
    assert found is not None
    assert found.difference == pytest.approx(0.6)
    # Deviations are halves: spread 10 / 4, scores (y - 0.6 / 2) / 2 · 2: thrice 0.2 and twice -0.3, squares 0.3;
    # variance 0.3 · 5 / 4 · 9 / 4 = 0.84375, error √0.84375 / 2.5 = 0.36742, times 2.776445.
    assert found.interval.low == pytest.approx(0.6 - 1.02012, abs=1e-4)
    assert found.interval.high == 1.0  # 1.62012, but no two shares are farther apart than 1
    assert found.p == pytest.approx(0.1778, abs=1e-3)  # t = 1.633 with four degrees of freedom


def test_a_gap_that_no_run_contradicts_is_one_of_coins() -> None:
    runs = pairs("+a!", "a", "+b!", "b", "+c!", "c", "+d!", "d", "+e!", "e")
    assert gap(runs, has, on_side, of_model) == Gap(1.0, Interval(1.0, 1.0), 1 / 16)
    assert gap(runs[:8], has, on_side, of_model) is None  # four tasks


def test_there_is_no_gap_where_nothing_differs_or_sides_are_in_no_group_together() -> None:
    alike = pairs("+a!", "+a", "b!", "b", "c!", "c", "d!", "d", "e!", "e")
    assert gap(alike, has, on_side, of_model) is None
    apart = pairs("+a!", "a!", "b", "b", "c", "c", "d!", "d!", "e", "e")
    assert gap(apart, has, on_side, of_model) is None
    assert gap([], has, on_side, of_model) is None


def test_within_one_group_a_gap_is_that_of_shares() -> None:
    runs = pairs("+a!", "a", "+b!", "b", "+c!", "+c", "d!", "d", "+e!", "e")
    found = gap(runs, has, on_side, lambda _: None)
    assert found is not None
    assert found.difference == pytest.approx(4 / 5 - 1 / 5)
    assert -1.0 < found.interval.low < found.difference < found.interval.high <= 1.0
