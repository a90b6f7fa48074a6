"""What of a finding decides how its chart is laid out, without its data: charts of one shape are laid out once."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.charts.axes import Axis, Frame
from sitegen.charts.findings import Finding

MUTED, INK, PAPER = "var(--muted)", "var(--ink)", "var(--bg)"
"""Colours of the page."""


@dataclass(frozen=True, slots=True)
class Shape:
    """All that a layout may know of a finding."""

    id: str
    """Of the chart, whose layout it has."""
    frame: Frame
    x: Axis
    y: Axis
    height: int
    """Of the plot, without margins, in pixels."""
    datasets: tuple[str, ...]
    """Names of the data sets that have rows, in order."""
    has_legend: bool
    is_thinned: bool
    """Whether its drawing has fewer marks than the live chart."""

    @classmethod
    def of(cls, finding: Finding) -> Shape:
        """That of a finding."""
        size = finding.frame, finding.x, finding.y, finding.height
        return cls(finding.id, *size, tuple(finding.full), bool(finding.legend), bool(finding.drawn))
