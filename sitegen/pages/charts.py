"""What charts add to a site: their drawings, their data and scripts, and the picture that links to it show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.charts import card, charts
from sitegen.config import Config
from sitegen.html import theme
from sitegen.masking.final_scan import FinalScan
from sitegen.model import Entry
from sitegen.numbers.clusters import Question
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.success import success
from sitegen.pages.report import Report
from sitegen.pages.views import MODEL_COLOURS, model_class, ranked_models

CARD = "assets/card.png"
"""Its name says nothing of its content, or every new run would rewrite every page."""


CHART_DATA = "assets/charts-data.js"


@dataclass(frozen=True, slots=True)
class Drawn:
    """What another process makes of charts beside the pages."""

    charts: charts.Charts
    files: Mapping[str, bytes]
    """Data of the live charts, and each chart as a spec of its own."""
    bundle: Mapping[str, bytes]
    """The JavaScript of live charts by its path; empty without a chart or without vl-convert."""


def draw_charts(
    entries: Sequence[Entry],
    checks: Mapping[str, PriceCheck],
    colors: str,
    question: Question,
    stamp: Callable[..., bytes],
    known: Mapping[bytes, charts.LaidOut | charts.Drawing],
    cache: Path | None,
) -> Drawn:
    """The charts of these runs; `colors` are all styles of the site, and the question is that of their intervals."""
    split = {page_id: check.by_kind for page_id, check in checks.items() if check.by_kind is not None}
    own = {name: f"var(--m-{model_class(name)})" for name in ranked_models(entries)[:MODEL_COLOURS]}
    made = charts.charts(
        entries,
        split,
        color=lambda model: own.get(model, charts.GREY),
        question=question,
        stamp=stamp,
        known=known,
    )
    files = charts.spec_files(made.drawn, colors)
    bundle = charts.vega_bundle(cache) if made.drawn else None
    if bundle is None:
        return Drawn(made, files, {})
    files[CHART_DATA] = charts.live_script(made.drawn)
    return Drawn(made, files, {theme.hashed_path("vega.js", bundle): bundle})


def card_picture(config: Config, found: Report, final: FinalScan) -> bytes | None:
    """The picture that links to the site are shown with; they need an address to find it."""
    if config.site_url is None:
        return None
    split = (check.by_kind for check in found.checks.values() if check.by_kind is not None)
    return card.card(config.title, found.summary, success(found.survey.entries), split, partial(_finished, final))


def _finished(final: FinalScan, svg: str) -> str:
    """What the card is drawn from, after the last look."""
    return final.finish(f"{CARD}.svg", svg.encode())[0].decode()
