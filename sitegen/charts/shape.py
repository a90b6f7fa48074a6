"""What of a finding decides how its chart is laid out, without its data: charts of one shape are laid out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.charts import engine
from sitegen.charts.axes import Axis
from sitegen.charts.findings import Finding
from sitegen.charts.frames import SLIM, WIDE, WIDER, Frame

MUTED, INK, PAPER = "var(--muted)", "var(--ink)", "var(--bg)"
"""Colours of the page."""


@dataclass(frozen=True, slots=True)
class Shape:
    """All that a layout may know of a finding."""

    frame: Frame
    x: Axis
    y: Axis
    height: int
    """Of the plot, without margins, in pixels."""
    datasets: tuple[str, ...]
    """Names of the data sets that have rows, in order."""
    has_legend: bool

    @classmethod
    def of(cls, finding: Finding) -> Shape:
        """That of a finding."""
        axes = finding.x, finding.y
        return cls(finding.frame, *axes, finding.height, tuple(finding.full), bool(finding.legend))


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A chart without its data."""

    spec: Mapping[str, Any]
    """Vega-Lite, WIDE pixels wide."""
    legend: Sequence[Mapping[str, Any]]
    """Layers for where the chart stands alone: see `reuse.alone`."""

    @classmethod
    def of(cls, shape: Shape) -> LaidOut:
        """The chart of this shape."""
        from sitegen.charts import layouts  # altair takes a third of a second to import, and is needed for nothing else

        spec = getattr(layouts, shape.frame.layout)(shape)
        return cls(spec, layouts.legend(-shape.frame.left) if shape.has_legend else [])

    def drawings(self, finding: Finding) -> tuple[str | None, str | None]:
        """A finding of this shape as SVG elements, wide and slim; None for what cannot be drawn."""
        data, links = {**finding.full, **finding.drawn}, finding.links or {}
        vega = engine.compiled({**self.spec, "datasets": {name: [] for name in data}})
        if vega is None:
            return None, None
        wide = [{**each, "values": data[each["name"]]} if each["name"] in data else each for each in vega["data"]]
        slim = [{**each, "values": []} if each["name"].endswith(WIDER) else each for each in wide]
        return (
            engine.drawing({**vega, "data": wide}, WIDE, "chart-wide", links),
            engine.drawing({**vega, "data": slim}, SLIM, "chart-slim", links),
        )
