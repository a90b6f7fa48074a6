"""The frame of each chart: the margins that its layout needs, and so how much room is left for its plot.

A finding asks here for the width of the plot, since which labels have room there is part of what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.charts.axes import Axis, sparse

WIDE, SLIM = 512, 326
"""Widths of the two drawings, in pixels."""

NARROW, ROOMY = 288, 432
"""Widths in which labels must have room, in pixels: of a column on the smallest phone, and of the narrowest one that
has the wide drawing (`.chart-box` in charts.css)."""

WIDER = "_wide"
"""Ends the names of data sets whose labels have room in such a wide one only."""

Row = dict[str, str | float]
"""A row of a data set of a chart: fixed column names, values that are text or finite numbers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Margins between a drawing and its plot, in pixels; for axes, labels of rows, and figures behind bars."""

    layout: str
    """Name of the function in `layouts` that draws into it."""
    left: int
    right: int
    top: int
    bottom: int

    def plot(self, width: int) -> int:
        """Width of the plot in a drawing so wide."""
        return width - self.left - self.right

    def tick_rows(self, name: str, column: str, ticks: Sequence[tuple[float, str]], axis: Axis) -> dict[str, list[Row]]:
        """Labels of the ticks of the horizontal axis: those that have room in every column, and in wide ones only."""
        roomy = sparse(ticks, axis, self.plot(ROOMY))
        always = sparse(roomy, axis, self.plot(NARROW))
        rows: dict[str, list[Row]] = {name: [], name + WIDER: []}
        for tick, text in roomy:
            rows[name if (tick, text) in always else name + WIDER].append({column: tick, "text": text})
        return rows


MONEY_BY_KIND = Frame("money_by_kind", left=64, right=68, top=2, bottom=2)
MOST_EXPENSIVE = Frame("most_expensive", left=174, right=56, top=0, bottom=0)
COST_BY_SUCCESS = Frame("cost_by_success", left=52, right=14, top=26, bottom=40)
COST_BY_SCORE = Frame("cost_by_score", left=52, right=14, top=26, bottom=40)
COST_BY_TURNS = Frame("cost_by_turns", left=52, right=14, top=26, bottom=40)
SPREAD_OF_COST = Frame("spread_of_cost", left=112, right=44, top=2, bottom=40)
TOKENS_BY_KIND = Frame("tokens_by_kind", left=88, right=14, top=2, bottom=40)
SPEND = Frame("spend", left=52, right=88, top=26, bottom=40)
