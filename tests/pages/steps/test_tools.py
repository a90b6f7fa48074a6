"""Time and context by kind of tool, over all runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sitegen.model import Entry, Run, Status, StepCounts, ToolKindCounts
from sitegen.pages.steps.tools import tools_view
from tests.support.chart_runs import entry


def run(number: int, *kinds: ToolKindCounts, calls: int = 1) -> Entry:
    """Return a run with these calls."""
    counts = StepCounts(9, calls, 0, None, None, None, 0, 0, None, None, by_kind=kinds)
    return replace(entry(number), run=Run("Claude Code stream", Status.OK, steps=counts))


def rows(view: Any) -> list[tuple[object, ...]]:
    """Return the rows of a view."""
    return [
        (
            tool.kind,
            tool.label,
            tool.calls,
            tool.failed,
            tool.time,
            round(tool.share_of_time, 3),
            tool.context,
            round(tool.share_of_context, 3),
        )
        for tool in view.tools
    ]


def kind_of(name: str, calls: int, failures: int, seconds: float | None, tokens: int | None) -> Any:
    return ToolKindCounts(
        kind=name,
        calls=calls,
        failures=failures,
        result_bytes=0,
        seconds=seconds,
        context_tokens=tokens,
    )


def test_calls_of_all_runs_are_added_by_kind_the_longest_first() -> None:
    view = tools_view(
        [
            run(1, kind_of("read", 4, 1, 2.0, 3000), kind_of("run", 2, 1, 60.0, 500)),
            run(2, kind_of("read", 6, 0, None, 1000), kind_of("run", 1, 0, 18.0, None)),
            run(3, kind_of("edit", 1, 0, 0.0, 0)),
            entry(4),
            run(5, calls=0),
        ]
    )
    assert view is not None
    assert (
        view.finding
        == "Commands took 98% of the tools’ time; reads added 89% of what tools put into the context"
    )
    assert view.note == "3 of 5 runs; calls may overlap."
    assert (view.has_times, view.has_context) == (True, True)
    assert rows(view) == [
        ("run", "Run", "3", "1", "1\u202fmin 18\u202fs", 0.975, "500", 0.111),
        ("read", "Read", "10", "1", "2.0\u202fs", 0.025, "4.00\u202fk", 0.889),
        ("edit", "Edit", "1", "0", "–", 0.0, "–", 0.0),
    ]


def test_without_times_and_tokens_calls_alone_are_said() -> None:
    view = tools_view(
        [run(1, kind_of("edit", 1200, 0, None, None), kind_of("other", 1, 0, None, None))]
    )
    assert view is not None
    assert view.finding == "Calls by kind of tool"
    assert (view.has_times, view.has_context) == (False, False)
    assert rows(view) == [
        ("edit", "Edit", "1,200", "0", "–", 0.0, "–", 0.0),
        ("other", "Other", "1", "0", "–", 0.0, "–", 0.0),
    ]


def test_the_kind_that_adds_most_is_named_wherever_it_stands() -> None:
    view = tools_view([run(1, kind_of("search", 1, 0, 9.0, 1), kind_of("fetch", 1, 0, 1.0, 3))])
    assert view is not None
    assert (
        view.finding
        == "Searches took 90% of the tools’ time; fetches added 75% of what tools put into the context"
    )


def test_without_calls_there_is_no_table() -> None:
    assert tools_view([entry(1), run(2, calls=0)]) is None
