"""Charts as pages show them, and what they need where they stand alone, as a picture or a spec that is saved."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.charts.axes import Row
from sitegen.charts.findings import Cell, Finding, Key
from sitegen.charts.kept import Drawing, LaidOut
from sitegen.charts.shape import INK, MUTED, PAPER


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready for its figure."""

    id: str
    title: str
    note: str
    method: str
    """What stands beside the numbers."""
    description: str
    legend: tuple[Key, ...]
    """Empty where marks are labelled directly."""
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spec: Mapping[str, Any]
    """Vega-Lite with its data, WIDE pixels wide; its height and margins hold for every width."""
    alone: Mapping[str, Any]
    """What the page says beside the chart, to be laid over `spec` where it stands alone: see `alone`."""
    wide_svg: str | None
    slim_svg: str | None
    has_links: bool
    """Whether the drawing holds links, so that it is more than a picture."""
    whole: str
    """What of it stays that of all runs when some are filtered out, in a few words."""
    brush_x: str
    """Columns that a drag chooses ranges of, as in `Finding`, joined by spaces."""
    brush_y: str


def ready(finding: Finding, laid: LaidOut, drawing: Drawing) -> Chart:
    """The chart of a finding."""
    spec = {**laid.spec, "datasets": finding.full}
    return Chart(
        id=finding.id,
        title=finding.title,
        note=finding.note,
        method=finding.method,
        description=finding.description,
        legend=finding.legend,
        columns=finding.table.columns,
        rows=finding.table.rows,
        spec=spec,
        alone=alone(spec, finding, laid.legend),
        wide_svg=drawing.wide,
        slim_svg=drawing.slim,
        has_links=bool(finding.links),
        whole=finding.whole,
        brush_x=" ".join(finding.brush_x),
        brush_y=finding.brush_y or "",
    )


def alone(spec: Mapping[str, Any], finding: Finding, legend: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a chart lacks outside of its page, where it is a file of its own: title, note and legend.

    `layer` and `datasets` are further ones, everything else takes the place of what the spec has. The legend, whose
    layers are given, stands below the plot, a row a colour, since nothing here can measure how wide its labels are.
    """
    padding, row = spec["padding"], 18
    title = textwrap.wrap(finding.title, 54)
    note = textwrap.wrap(finding.note, 84)
    top = finding.height + padding["bottom"] + 12
    entries: list[Row] = [
        {"y": top + row * index, "text": key.label, "color": key.color, "shape": key.shape}
        for index, key in enumerate(finding.legend)
    ]
    above = 22 * len(title) + 16 * len(note) + 14
    return {
        "title": {
            "text": title, "subtitle": note, "anchor": "start", "frame": "group", "dx": -padding["left"],
            "offset": 12, "color": INK, "fontSize": 17, "lineHeight": 22,
            "subtitleColor": MUTED, "subtitleFontSize": 12, "subtitleLineHeight": 16, "subtitlePadding": 4,
        },
        "description": finding.description,
        "background": PAPER,
        "padding": {
            "left": padding["left"] + 16, "right": padding["right"] + 16, "top": padding["top"] + above + 16,
            "bottom": padding["bottom"] + row * len(entries) + 16,
        },
        "layer": legend,
        "datasets": {"legend": entries} if entries else {},
    }  # fmt: skip
