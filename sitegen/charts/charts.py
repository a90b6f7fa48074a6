"""The charts of a set of runs: what `findings` says, as a spec of `specs`, drawn by `engine`, and handed to the page.

A chart is drawn for wide and for narrow columns, and its spec makes the same chart alive. Its title and its table
stand whatever becomes of the drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.charts import converter
from sitegen.charts.engine import png, vega_bundle
from sitegen.charts.findings import GREY, Cell, Finding, Key, ModelColors, by_row
from sitegen.charts.findings.dearest import most_expensive
from sitegen.charts.findings.money import Split, money_by_kind
from sitegen.charts.findings.points import cost_by_score, cost_by_success
from sitegen.charts.findings.spend import spend
from sitegen.charts.findings.spread import spread_of_cost
from sitegen.charts.findings.tokens import tokens_by_kind
from sitegen.charts.findings.turns import cost_by_turns
from sitegen.charts.kept import DRAWING, LAYOUT, Drawing, LaidOut, in_page
from sitegen.charts.reuse import Chart, ready, spec_files
from sitegen.html.data_scripts import script
from sitegen.model import Entry
from sitegen.numbers.intervals import Question

__all__ = [
    "DRAWING", "GREY", "LAYOUT", "Cell", "Chart", "Charts", "Drawing", "Key", "LaidOut", "charts",
    "live_script", "png", "spec_files", "vega_bundle",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Charts:
    """What the charts of a set of runs came to."""

    drawn: tuple[Chart, ...]
    left_out: tuple[str, ...]
    """One sentence for each chart that would have said nothing."""
    problem: str | None
    """Why drawings are missing, if any is."""
    models: tuple[Key, ...]
    """The colours of the models of the runs, that of the most runs first; empty where there is one model."""


def charts(
    entries: Sequence[Entry],
    split: Split,
    *,
    color: Callable[[str], str],
    shapes: Mapping[str, str] = MappingProxyType({}),
    question: Question = Question.TASKS_LIKE_THESE,
    is_listed: bool = False,
    memory: Memory = NO_MEMORY,
) -> Charts:
    """The charts of these runs, the first question first.

    `split[entry.id]` is a run's cost in USD by TOKEN_KINDS, for the runs whose list price reproduces their reported
    cost. `color` gives the colour of a model by its display name, as `var(--m-<slug>)`, or GREY where it has none of
    its own; `shapes` are those of the marks of a colour. `question` is that of the intervals. With `is_listed`, costs
    are by list price, and the charts say so. What the `memory` has of an earlier build is not made again.
    """
    found: tuple[Finding | str | None, ...] = (
        cost_by_score(entries, color, question),
        cost_by_success(entries, color, question),
        money_by_kind(entries, split),
        most_expensive(entries, color),
        cost_by_turns(entries, color),
        spread_of_cost(entries, color, question) if len(by_row(entries)) < 2 else None,
        tokens_by_kind(entries),
        spend(entries, color),
    )
    drawn: list[Chart] = []
    for each in found:
        if not isinstance(each, Finding):
            continue
        finding = _shaped(_listed(each) if is_listed and each.id != "tokens-by-kind" else each, shapes)
        of_plot, of_chart = memory.stamp(finding.id, finding.plot), memory.stamp(finding)
        laid = memory.recall(LAYOUT, finding.id, of_plot) or LaidOut.of(finding)
        drawing = memory.recall(DRAWING, finding.id, of_chart) or Drawing(*laid.drawings(finding))
        memory.keep(LAYOUT, finding.id, of_plot, laid)
        memory.keep(DRAWING, finding.id, of_chart, drawing)
        drawn.append(ready(finding, laid, drawing))
    missing = sum(chart.wide_svg is None or chart.slim_svg is None for chart in drawn)
    problem = None
    if missing:
        failed = f"could not draw {missing} of {len(drawn)}" if converter.is_installed() else "is not installed"
        problem = f"Charts are shown as tables only because vl-convert {failed}: {converter.obstacle()}."
    left_out = tuple(finding for finding in found if isinstance(finding, str))
    members = by_row(entries)
    models = ModelColors.of({model: len(runs) for model, runs in members.items()}, color).legend
    return Charts(tuple(drawn), left_out, problem, models if len(members) > 1 else ())


def _shaped(finding: Finding, shapes: Mapping[str, str]) -> Finding:
    """The same with marks in the shapes of their colours."""
    legend = tuple(key._replace(shape=shapes.get(key.color, key.shape)) for key in finding.legend)
    used = {color: shapes[color] for color in finding.plot.colors.values() if color in shapes}
    return replace(finding, plot=replace(finding.plot, shapes=used), legend=legend) if used else finding


def _listed(finding: Finding) -> Finding:
    """The same about costs by list price, which have a column of their own."""
    columns = {"cost_usd": "computed_cost_usd"}
    return replace(
        finding,
        note=f"{finding.note.removesuffix('.')}; by list price.",
        method=f"{finding.method} All costs are by list price, not as reported.",
        brush_x=tuple(columns.get(each, each) for each in finding.brush_x),
        brush_y=finding.brush_y and columns.get(finding.brush_y, finding.brush_y),
    )


def live_script(drawn: Iterable[Chart]) -> bytes:
    """A classic script that defines `sitegenCharts`: the specs by the ids of charts, and what pages change in each."""
    specs = {}
    for chart in drawn:
        spec = dict(chart.spec)
        page = in_page(spec, chart.frame)
        specs[chart.id] = {"spec": spec, "page": {key: page[key] for key in ("autosize", "padding", "config")}}
    return script("sitegenCharts", specs)
