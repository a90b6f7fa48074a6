"""A chart: what it says, its spec, and its drawings for wide and for narrow columns; and what the cache keeps of it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sitegen.cache.memory import Kind, Memory
from sitegen.charts import engine
from sitegen.charts.axes import SLIM, WIDE, Frame
from sitegen.charts.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(Finding):
    """A chart, ready for its figure."""

    spec: Mapping[str, Any]
    """Vega-Lite with its data, title and legend."""
    wide_svg: str | None
    slim_svg: str | None

    @classmethod
    def of(cls, finding: Finding, memory: Memory) -> Chart:
        """Return the chart of a finding; what the memory has of an earlier build is not made again."""
        of_plot, of_chart = memory.stamp(finding.id, finding.plot), memory.stamp(finding)
        laid = memory.recall(LAYOUT, finding.id, of_plot) or LaidOut.of(finding)
        drawing = memory.recall(DRAWING, finding.id, of_chart) or Drawing(*laid.drawings(finding))
        memory.keep(LAYOUT, finding.id, of_plot, laid)
        memory.keep(DRAWING, finding.id, of_chart, drawing)
        said = {each.name: getattr(finding, each.name) for each in fields(finding)}
        return cls(**said, spec=whole(laid.spec, finding), wide_svg=drawing.wide, slim_svg=drawing.slim)


def whole(spec: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    """Return a spec with its data, and with its title and note in as many lines as they take at this width."""
    title = {"text": textwrap.wrap(finding.title, 54), "subtitle": textwrap.wrap(finding.note, 84)}
    return {**spec, "title": title, "description": finding.description, "datasets": finding.data}


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A spec without data and title."""

    spec: Mapping[str, Any]

    @classmethod
    def of(cls, finding: Finding) -> LaidOut:
        """Return the layout of a finding, which fits every finding with its plot."""
        from sitegen.charts import specs  # altair takes a third of a second to import, and is needed for nothing else

        return cls(specs.spec(finding.id, finding.plot))

    def drawings(self, finding: Finding) -> tuple[str | None, str | None]:
        """Return a finding of this plot as SVG elements, wide and slim; None for what cannot be drawn."""
        rows = finding.data
        vega = engine.compiled({**in_page(self.spec, finding.plot.frame), "datasets": {name: [] for name in rows}})
        if vega is None:
            return None, None
        filled = [{**each, "values": rows[each["name"]]} if each["name"] in rows else each for each in vega["data"]]
        full = {**vega, "data": filled}
        links = finding.links or {}
        return engine.drawing(full, WIDE, "chart-wide", links), engine.drawing(full, SLIM, "chart-slim", links)


def in_page(spec: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """Return a spec as pages show it: they have its title and its legend as HTML, and nothing in it may be measured."""
    margins = {"left": frame.left, "right": frame.right, "top": frame.top, "bottom": frame.bottom}
    config = {**spec["config"], "background": "transparent", "legend": {"disable": True}}
    return {**spec, "autosize": "none", "padding": margins, "config": config}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG elements."""

    wide: str | None
    slim: str | None


LAYOUT = Kind[LaidOut]("layout", LaidOut)
DRAWING = Kind[Drawing]("drawing", Drawing)
