"""The charts of a set of runs: what `findings` says, laid out by `layouts`, drawn by `engine`, and handed to the page.

A chart is drawn for wide and for narrow columns, and its spec makes the same chart alive. Its title and its table
stand whatever becomes of the drawing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sitegen.charts import layouts
from sitegen.charts.engine import converter, drawings, png, vega_bundle
from sitegen.charts.layouts import SLIM, WIDE
from sitegen.findings import Cell, Finding, Row
from sitegen.findings.dearest import most_expensive
from sitegen.findings.frontier import cost_by_success
from sitegen.findings.money import Split, money_by_kind
from sitegen.findings.per_success import cost_per_success
from sitegen.findings.spend import spend
from sitegen.findings.spread import spread_of_cost
from sitegen.findings.tokens import tokens_by_kind
from sitegen.findings.turns import cost_by_turns
from sitegen.model import Entry

__all__ = ["Cell", "Chart", "Charts", "charts", "live_script", "png", "vega_bundle"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready for its figure."""

    id: str
    title: str
    note: str
    description: str
    legend: tuple[tuple[str, str], ...]
    """CSS class and label of each colour; empty where marks are labelled directly."""
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spec: Mapping[str, Any]
    """Vega-Lite with its data, WIDE pixels wide; its height and margins hold for every width."""
    wide_svg: str | None
    slim_svg: str | None
    has_links: bool
    """Whether the drawing holds links, so that it is more than a picture."""


@dataclass(frozen=True, slots=True)
class Charts:
    """What the charts of a set of runs came to."""

    drawn: tuple[Chart, ...]
    left_out: tuple[str, ...]
    """One sentence for each chart that would have said nothing."""
    problem: str | None
    """Why drawings are missing, if any is."""


def charts(entries: Sequence[Entry], split: Split, *, color: Callable[[str], str], root: str = "") -> Charts:
    """The charts of these runs, the first question first.

    `split[entry.id]` is a run's cost in USD by TOKEN_KINDS, for the runs whose list price reproduces their reported
    cost. `color` gives the colour of a model by its display name, as `var(--m-<slug>)`. `root` leads from the page
    to the site's top ("../" where the page lies one folder deep) and stands before every link.
    """
    found: tuple[tuple[Finding | str | None, Callable[[Finding], dict[str, Any]]], ...] = (
        (money_by_kind(entries, split), layouts.money_by_kind),
        (most_expensive(entries, color), layouts.most_expensive),
        (cost_by_success(entries, color), layouts.cost_by_success),
        (cost_per_success(entries, color), layouts.cost_per_success),
        (cost_by_turns(entries, color), layouts.cost_by_turns),
        (spread_of_cost(entries, color), layouts.spread_of_cost),
        (tokens_by_kind(entries), layouts.tokens_by_kind),
        (spend(entries, color), layouts.spend),
    )
    drawn = tuple(_chart(finding, layout, root) for finding, layout in found if isinstance(finding, Finding))
    missing = sum(chart.wide_svg is None or chart.slim_svg is None for chart in drawn)
    problem = None
    if missing:
        why = f"vl-convert could not draw {missing} of {len(drawn)}" if converter() else "vl-convert cannot be loaded"
        problem = f"Charts are shown as tables only because {why}: install vl-convert-python again to see them."
    return Charts(drawn, tuple(finding for finding, _ in found if isinstance(finding, str)), problem)


def _chart(finding: Finding, layout: Callable[[Finding], dict[str, Any]], root: str) -> Chart:
    spec = layout(finding)
    links = finding.links or {}
    wide_svg, slim_svg = drawings(spec, {"chart-wide": WIDE, "chart-slim": SLIM}, links, root)
    datasets = spec["datasets"]
    if root:
        datasets = {name: [_from(root, row) for row in rows] for name, rows in datasets.items()}
    return Chart(
        id=finding.id,
        title=finding.title,
        note=finding.note,
        description=finding.description,
        legend=finding.legend,
        columns=finding.columns,
        rows=tuple(
            tuple(replace(cell, href=root + cell.href) if cell.href else cell for cell in row) for row in finding.rows
        ),
        spec={**spec, "datasets": datasets},
        wide_svg=wide_svg,
        slim_svg=slim_svg,
        has_links=bool(links),
    )


def _from(root: str, row: Row) -> Row:
    """A row whose link begins at the page instead of the site's top."""
    return {**row, "href": f"{root}{row['href']}"} if row.get("href") else row


def live_script(drawn: Iterable[Chart]) -> bytes:
    """A classic script that defines `sitegenCharts`: the spec of each chart by its id, as plain ASCII."""
    specs = {chart.id: chart.spec for chart in drawn}
    text = json.dumps(specs, allow_nan=False, separators=(",", ":"))
    text = text.replace("\\", "\\\\").replace("'", "\\u0027")
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"window.sitegenCharts = JSON.parse('{text}');\n".encode("ascii")
