"""The matrix of tasks and configurations, of tables of runs; what it says of each lies in `tables/matrix/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Entry, Outcome
from sitegen.pages.matrix import _ticks, matrix_view
from tests.support import cases, run_tables
from tests.support.chart_runs import entry


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_come_to_a_matrix(table: Path, refresh: bool) -> None:
    view = matrix_view(run_tables.entries_of(table))
    run_tables.compare(table, "matrix", view, refresh=refresh)


def judged(model: str, task: str, number: int, **given: object) -> Entry:
    """Return a run that passed."""
    made = entry(number, model=model, name=task, outcome=Outcome.PASS)
    return replace(made, attempt=number, **given)  # type: ignore[arg-type]


def matrix(runs: Sequence[Entry], leaders: Sequence[str] = ()) -> Any:
    """Return the matrix of runs, which there is."""
    view = matrix_view(runs, leaders)
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("tasks", "models", "more"),
    [
        (40, 12, ""),
        (41, 2, "And 1 more task."),
        (2, 13, "And 1 more model."),
        (43, 14, "And 3 more tasks and 2 more models."),
    ],
)
def test_what_has_no_room_is_counted(tasks: int, models: int, more: str) -> None:
    runs = [
        judged(f"M{model:02}", f"t{task:02}", 1) for task in range(tasks) for model in range(models)
    ]
    view = matrix(runs)
    assert (view.more, len(view.rows), len(view.models)) == (more, min(tasks, 40), min(models, 12))


def test_tasks_on_which_configurations_differ_come_first_where_not_all_have_room() -> None:
    runs = [judged(model, f"t{task:02}", 1) for task in range(41) for model in ("A", "B")]
    runs = [
        replace(run, outcome=Outcome.FAIL) if (run.task, run.model) == ("t40", "B") else run
        for run in runs
    ]
    shown = [row.task for row in matrix(runs).rows]
    assert "t40" in shown and len(shown) == 40
    assert "t39" not in shown


@pytest.mark.parametrize(
    ("leaders", "expected"),
    [
        ((), ["B", "A", "C"]),
        (("C",), ["C", "B", "A"]),
        (("C", "nobody", "A"), ["C", "A", "B"]),
    ],
)
def test_leaders_come_first_then_those_of_most_runs(
    leaders: tuple[str, ...], expected: list[str]
) -> None:
    runs = [judged("A", "t1", 1), judged("B", "t1", 1), judged("B", "t2", 1), judged("C", "t2", 1)]
    assert [model[3] for model in matrix(runs, leaders).models] == expected


@pytest.mark.parametrize(("attempts", "marks"), [(6, 6), (7, 0)])
def test_a_cell_of_more_than_six_attempts_has_no_marks(attempts: int, marks: int) -> None:
    many = [judged("A", "t1", number) for number in range(1, attempts + 1)]
    view = matrix([*many, judged("B", "t1", 1), judged("B", "t2", 1)])
    counts = sorted(len(cell.marks) for cell in view.rows[0].cells if cell)
    assert counts == sorted([marks, 1])
    assert ("six attempts have no marks" in view.note) is (marks == 0)


@pytest.mark.parametrize(("models", "is_dense"), [(3, False), (4, True)])
def test_signs_stand_in_a_row_above_three_columns(models: int, is_dense: bool) -> None:
    runs = [judged(f"M{model}", f"t{task}", 1) for task in range(2) for model in range(models)]
    view = matrix(runs)
    assert view.is_dense is is_dense
    assert bool(view.ticks) is not is_dense
    assert view.note == (
        "Each mark is an attempt and links to its run." if is_dense else "Position shows cost."
    )


@pytest.mark.parametrize(
    ("most_usd", "labels"),
    [
        (0.0, []),
        (0.05, ["$0", "$0.02", "$0.04"]),
        (1.0, ["$0", "$0.50", "$1.00"]),
        (4.0, ["$0", "$2", "$4"]),
        (9.0, ["$0", "$5"]),
        (120.0, ["$0", "$50", "$100"]),
        (2500.0, ["$0", "$1,000", "$2,000"]),
    ],
)
def test_a_scale_has_round_amounts_that_have_room(most_usd: float, labels: list[str]) -> None:
    assert [text for _, text in _ticks(most_usd * 1.06)] == labels


def test_campaigns_and_list_prices_are_said_below_the_matrix() -> None:
    runs = [judged("A", "t1", 1, campaign="May"), judged("B", "t2", 1, campaign="June")]
    assert matrix(runs).note == "Campaign by campaign; position shows cost."
    listed = replace(runs[0].run, cost_usd=None, computed_cost_usd=0.5)
    runs = [replace(runs[0], run=listed, campaign=None), replace(runs[1], campaign=None)]
    assert matrix(runs).note == "Position shows cost or list price."
