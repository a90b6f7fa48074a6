"""The parts that charts add to a site: their drawings, their data and scripts, and the picture that links to it
show."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.cache.memory import Memory
from sitegen.charts import chart_set
from sitegen.charts.axes import Row
from sitegen.charts.chart_files import live_script, spec_files, vega_bundle
from sitegen.charts.findings import GREY
from sitegen.charts.own import OwnChart, own_chart
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.html import theme
from sitegen.model import Entry
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceCheck, PriceTable
from sitegen.pages import data
from sitegen.pages.overall import Report
from sitegen.pages.views import looks, model_class

"""Its name says nothing of its content, or every new run would rewrite every page."""


CHART_DATA = "assets/charts-data.js"


@dataclass(frozen=True, slots=True)
class DrawnCharts:
    """The charts of a site, and the files that they need."""

    charts: chart_set.Charts
    own: tuple[OwnChart, ...]
    remarks: tuple[str, ...]  # the reasons why any is missing, a sentence each
    files: Mapping[str, bytes]  # data of the live charts, and each chart as a spec of its own
    bundle: Mapping[str, bytes]
    """The JavaScript of live charts by its path; empty without a chart or without vl-convert."""

    def pictures(self) -> dict[str, str]:
        """Return the charts as HTML without scripts, by name."""
        drawn = {
            chart.id: _picture(chart.title, chart.method, chart.wide_svg, chart.slim_svg)
            for chart in self.charts.drawn
        }
        own = {
            chart.id: _picture(chart.title, chart.description, chart.wide_svg, chart.slim_svg)
            for chart in self.own
        }
        return drawn | own


def _picture(title: str, about: str, *drawings: str | None) -> str:
    svg = "".join(drawing or "" for drawing in drawings)
    caption = f"<figcaption><h3>{html.escape(title)}</h3></figcaption>"
    box = f'<div class="chart-box" role="img" aria-label="{html.escape(about)}">{svg}</div>'
    return f'<figure class="chart-figure">{caption}{box}</figure>'


def draw_charts(
    config: Config,
    report: Report,
    prices: PriceTable,
    colors: str,
    memory: Memory,
    cache: Path | None,
) -> DrawnCharts:
    """Return the charts of these runs, and those of the user; `colors` are all styles of the site."""
    entries = report.facts.entries
    made = chart_set.charts(**said(entries, report.checks, prices, config.intervals), memory=memory)
    own: dict[str, OwnChart] = {}
    remarks = [made.problem] if made.problem else []
    for path in map(Path, config.charts):
        try:
            chart = own_chart(path, partial(_rows, report, config.intervals), memory)
        except ConfigError as error:
            remarks.append(str(error))
            continue
        remarks += [chart.remark] if chart.remark else []
        if own.setdefault(chart.id, chart) is not chart:
            remarks.append(
                f"{path}: an earlier chart is charts/{chart.id}.vl.json; rename the file."
            )
    bundle = vega_bundle(cache) if made.drawn else None
    files = spec_files((*made.drawn, *own.values()), colors)
    if bundle:
        files[CHART_DATA] = live_script(made.drawn)
    named = {theme.hashed_path("vega.js", bundle): bundle} if bundle else {}
    return DrawnCharts(made, tuple(own.values()), tuple(remarks), files, named)


def said(
    entries: Sequence[Entry],
    checks: Mapping[str, PriceCheck],
    prices: PriceTable,
    question: Question,
) -> dict[str, Any]:
    """Return what charts are told of runs. Where no run reports a cost, they are about what list prices give."""
    marked = {name: look for name, look in looks(entries).items() if look.is_own}
    own = {name: f"var(--m-{model_class(name)})" for name in marked}
    is_listed = not any(e.run.cost_usd is not None for e in entries) and any(
        e.run.spent_usd for e in entries
    )
    if is_listed:
        entries = [_by_list_price(entry, prices) for entry in entries]
        checks = {entry.id: prices.check(entry.run) for entry in entries}
    split = {
        page_id: check.by_kind for page_id, check in checks.items() if check.by_kind is not None
    }
    shapes = {own[name]: look.shape for name, look in marked.items() if look.shape}
    told = {"entries": entries, "question": question, "is_listed": is_listed}
    return told | {"split": split, "color": lambda model: own.get(model, GREY), "shapes": shapes}


def _rows(report: Report, question: Question, source: str) -> Iterable[Row]:
    """Return the rows of a data set for charts of the user."""
    entries = report.facts.entries
    checks = report.checks
    if source == "runs":
        return data.rows(entries, lambda entry: checks[entry.id])
    if source == "models":
        return data.model_rows(entries)
    return data.figure_rows(data.figures_json(entries, report.compared, question))


def _by_list_price(entry: Entry, prices: PriceTable) -> Entry:
    """Return the run as if it reported what list prices give."""
    run = entry.run
    if run.spent_usd is None:
        return entry
    named = tuple(replace(line, model=line.model or entry.stated_model) for line in run.ledger)
    lines = prices.check(replace(run, ledger=named)).lines
    ledger = tuple(replace(line.usage, cost_usd=line.list_usd) for line in lines)
    stated = zip(entry.ledger_names, run.ledger, strict=True)
    names = tuple(
        entry.model if line.model is None and entry.model else name for name, line in stated
    )
    run = replace(run, cost_usd=run.spent_usd, computed_cost_usd=None, ledger=ledger)
    return replace(entry, run=run, ledger_names=names)
