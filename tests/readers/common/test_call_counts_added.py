"""Counts of two records of one run: added, and unknown where one side does not know."""

from __future__ import annotations

from typing import Any

from sitegen.model import StepCounts, ToolKindCounts
from sitegen.readers.common.call_counts import added
from sitegen.steps import ToolKind

KINDS = list(ToolKind)[:2]
FIRST = ToolKindCounts(KINDS[0], 2, 1, 1.5, 10, 100)
SECOND = ToolKindCounts(KINDS[1], 4, 0, None, 5, 7)


def counts(**changes: Any) -> StepCounts:
    """Return the counts of a record in which little happened."""
    known = {"steps": 3, "tool_calls": 2, "tool_failures": 1, "edited": (1,), "lines_added": 4}
    known |= {"lines_removed": 5, "subagents": 1, "compactions": 0, "context_peak_tokens": 9}
    return StepCounts(**{**known, "commands_seconds": 2.0, **changes})


def test_figures_are_added_and_the_peak_is_that_of_the_main_agent() -> None:
    both = added(counts(), counts(steps=10, context_peak_tokens=99, edited=(1, 2)))
    assert both is not None
    assert (both.steps, both.tool_calls, both.subagents, both.lines_added) == (13, 4, 2, 8)
    assert (both.context_peak_tokens, both.edited, both.commands_seconds) == (9, (1, 2), 4.0)


def test_kinds_of_tools_are_added_one_by_one() -> None:
    both = added(counts(by_kind=(FIRST,)), counts(by_kind=(SECOND, FIRST)))
    assert both is not None
    assert both.by_kind == (ToolKindCounts(KINDS[0], 4, 2, 3.0, 20, 200), SECOND)


def test_what_one_record_does_not_know_is_unknown_of_both() -> None:
    both = added(counts(lines_added=None, signals=None), counts(signals=()))
    assert both is not None
    assert (both.lines_added, both.lines_removed, both.signals) == (None, 10, None)


def test_a_record_without_counts_adds_nothing() -> None:
    assert added(None, counts()) == added(counts(), None) == counts()
    assert added(None, None) is None


def test_signals_of_either_count_but_those_of_the_order_of_calls_only_of_both() -> None:
    both = added(counts(signals=("unchecked", "repeats")), counts(signals=("unchecked",)))
    one = added(counts(signals=("unchecked",)), counts(signals=()))
    assert both is not None and "unchecked" in (both.signals or ())
    assert one is not None and one.signals == ()
