"""What the cache keeps of charts: layouts without data, and drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.cache.memory import Kind
from sitegen.charts import engine
from sitegen.charts.axes import SLIM, WIDE, WIDER
from sitegen.charts.findings import Finding
from sitegen.charts.shape import Shape


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

        spec = layouts.LAYOUTS[shape.id](shape)
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


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG elements."""

    wide: str | None
    slim: str | None


LAYOUT = Kind[LaidOut]("layout", LaidOut)
DRAWING = Kind[Drawing]("drawing", Drawing)
