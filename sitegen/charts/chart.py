"""A chart: what it says, its spec, and its drawings for wide and for narrow columns; and what the cache keeps of it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sitegen.cache.memory import Memory, ValueKind
from sitegen.charts import converter
from sitegen.charts.axes import SLIM, WIDE, Frame
from sitegen.charts.drawing import compacted
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
        laid = memory.recall(LAYOUT, finding.id, of_plot) or layout(finding)
        drawn = memory.recall(DRAWN, finding.id, of_chart) or drawings(laid, finding)
        memory.keep(LAYOUT, finding.id, of_plot, laid)
        memory.keep(DRAWN, finding.id, of_chart, drawn)
        said = {each.name: getattr(finding, each.name) for each in fields(finding)}
        return cls(**said, spec=whole(laid, finding), wide_svg=drawn[0], slim_svg=drawn[1])


Spec = Mapping[str, Any]
LAYOUT = ValueKind[Spec]("layout", dict[str, Any])
DRAWN = ValueKind[tuple[str | None, str | None]]("drawing", tuple[str | None, str | None])


def layout(finding: Finding) -> Spec:
    """Return a spec without data and title, which fits every finding with its plot."""
    from sitegen.charts import specs  # altair takes a third of a second to import, and is needed for nothing else

    return specs.spec(finding.id, finding.plot)


def whole(spec: Spec, finding: Finding) -> dict[str, Any]:
    """Return a spec with its data, and with its title and note in as many lines as they take at this width."""
    title = {"text": textwrap.wrap(finding.title, 54), "subtitle": textwrap.wrap(finding.note, 84)}
    return {**spec, "title": title, "description": finding.description, "datasets": finding.data}


def drawings(spec: Spec, finding: Finding) -> tuple[str | None, str | None]:
    """Return a finding of the plot of a spec as SVG elements, wide and slim; None for what cannot be drawn."""
    rows = finding.data
    vega = converter.call(
        "vegalite_to_vega", {**in_page(spec, finding.plot.frame), "datasets": {name: [] for name in rows}}
    )
    if vega is None:
        return None, None
    full = {
        **vega,
        "data": [{**each, "values": rows[each["name"]]} if each["name"] in rows else each for each in vega["data"]],
    }

    def drawn(width: int, css_class: str) -> str | None:
        sized = {**full, "width": finding.plot.frame.plot(width)}
        return compacted(converter.call("vega_to_svg", sized, allowed_base_urls=[]), css_class, finding.links or {})

    return drawn(WIDE, "chart-wide"), drawn(SLIM, "chart-slim")


def in_page(spec: Spec, frame: Frame) -> dict[str, Any]:
    """Return a spec as pages show it: they have its title and its legend as HTML, and nothing in it may be measured."""
    margins = {"left": frame.left, "right": frame.right, "top": frame.top, "bottom": frame.bottom}
    config = {**spec["config"], "background": "transparent", "legend": {"disable": True}}
    return {**spec, "autosize": "none", "padding": margins, "config": config}
