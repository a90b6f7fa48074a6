"""Tables of a comparison: what is listed, and how much of it, by hand-made runs; whole pages are in `../tables/compare/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sitegen.config import Config
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.pages.overall import compared
from tests.support.chart_runs import entry


def runs(costs: dict[str, Sequence[float]], **given: tuple[tuple[str, str], ...]) -> list[Entry]:
    """Return a run of each model at each task, which cost so much; `given` is what the files of a model state."""
    made = []
    for model, own in costs.items():
        for place, cost in enumerate(own):
            run = entry(len(made) + 1, model=model, name=f"task {place + 1:02}", cost=cost)
            stated = replace(run.run, given=given.get(model, ()))
            made.append(replace(run, run=stated, attempt=1))
    return made


def page(entries: Sequence[Entry]) -> Any:
    (view,) = compared(Config(), entries).views
    return view


def plotted(view: View) -> list[str]:
    """Return the tasks of the picture of costs by task."""
    assert view.tasks_plot is not None
    return [row.label for row in view.tasks_plot.rows]


def test_the_tasks_that_differ_most_are_drawn_whichever_side_is_dearer() -> None:
    a = [1.0] * 14
    # The first two differ least, the next six are cheaper with B and the last six dearer.
    b = [1.01, 0.99, *(0.9 - 0.1 * n for n in range(6)), *(1.1 + 0.1 * n for n in range(6))]
    view = page(runs({"alpha": a, "beta": b}))
    assert plotted(view) == [f"task {number:02}" for number in range(3, 15)]


@pytest.mark.parametrize(("tasks", "drawn"), [(5, 5), (12, 12), (13, 12)])
def test_twelve_tasks_are_drawn(tasks: int, drawn: int) -> None:
    costs = [1.0 + 0.1 * number for number in range(tasks)]
    view = page(runs({"alpha": costs, "beta": [2 * cost for cost in costs]}))
    assert len(plotted(view)) == drawn


def test_a_point_is_a_share_of_a_little_more_than_the_largest_cost() -> None:
    view = page(runs({"alpha": [1.0] * 5, "beta": [2.0] * 5}))
    row = view.tasks_plot.rows[0]
    assert row.means == pytest.approx((1 / 2.06, 2 / 2.06))
    assert [list(map(float, side)) for side in row.singles] == [
        pytest.approx([1 / 2.06]),
        pytest.approx([2 / 2.06]),
    ]
    assert row.difference == "+$1.00"


def test_without_any_cost_nothing_is_drawn() -> None:
    view = page(runs({"alpha": [0.0] * 5, "beta": [0.0] * 5}))
    assert view.tasks_plot is None
