"""The frame of a chart: the margins that its layout needs, and so how much room is left for its plot.

A finding has one and asks it for the width of the plot, since which labels have room there is part of what it says.
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
