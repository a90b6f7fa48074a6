"""What the cache keeps of charts: specs without data, and drawings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.cache.memory import Kind
from sitegen.charts import engine
from sitegen.charts.axes import SLIM, WIDE, Frame
from sitegen.charts.findings import Finding


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A spec without data and title."""

    spec: Mapping[str, Any]

    @classmethod
    def of(cls, finding: Finding) -> LaidOut:
        """That of a finding, and of all with its plot."""
        from sitegen.charts import specs  # altair takes a third of a second to import, and is needed for nothing else

        return cls(specs.spec(finding.id, finding.plot))

    def drawings(self, finding: Finding) -> tuple[str | None, str | None]:
        """A finding of this plot as SVG elements, wide and slim; None for what cannot be drawn."""
        rows = finding.data
        vega = engine.compiled({**in_page(self.spec, finding.plot.frame), "datasets": {name: [] for name in rows}})
        if vega is None:
            return None, None
        filled = [{**each, "values": rows[each["name"]]} if each["name"] in rows else each for each in vega["data"]]
        full = {**vega, "data": filled}
        links = finding.links or {}
        return engine.drawing(full, WIDE, "chart-wide", links), engine.drawing(full, SLIM, "chart-slim", links)


def in_page(spec: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """A spec as pages show it: they have its title and its legend as HTML, and nothing in it may be measured."""
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
