"""The view of the index: the campaign's figures, what to know first, and its charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts import Chart, Charts
from sitegen.markdown import Rendered
from sitegen.model import Entry, Problem, Status, Total, Verdict
from sitegen.statistics import CampaignSummary
from sitegen.table_view import TableView
from sitegen.views import FigureView, sentence_list, status_view


@dataclass(frozen=True, slots=True)
class IndexView:
    """The first page."""

    lead: Rendered | None
    meta: str
    alert_head: str
    alerts: str
    figures: tuple[FigureView, ...]
    charts: tuple[Chart, ...]
    chart_data: str
    chart_remarks: tuple[str, ...]
    table: TableView


@dataclass(frozen=True, slots=True)
class RunsPageView:
    """A further page of the table."""

    heading: str
    table: TableView


def index_view(
    entries: Sequence[Entry],
    problems: Sequence[Problem],
    summary: CampaignSummary,
    table: TableView,
    *,
    lead: Rendered | None,
    charts: Charts,
    chart_data: str,
    files: int,
) -> IndexView:
    """What the first page shows. `files` counts the sources that claimed to be runs."""
    head, alerts = _alerts(summary, problems)
    read = f"{figures.plural(summary.runs, 'run')} from {figures.plural(files, 'file')}"
    starts = sorted(entry.run.started_at for entry in entries if entry.run.started_at)
    days = figures.days(starts[0], starts[-1]) if starts else ""
    return IndexView(
        lead=lead,
        meta=" · ".join(filter(None, (days, read))),
        alert_head=head,
        alerts=alerts,
        figures=_figures(summary),
        charts=charts.drawn,
        chart_data=chart_data,
        chart_remarks=charts.left_out,
        table=table,
    )


def _alerts(summary: CampaignSummary, problems: Sequence[Problem]) -> tuple[str, str]:
    """What a reader must know before the figures: how many things, and each in a few words."""
    runs = figures.plural
    skipped = sum(problem.verdict is Verdict.SKIP for problem in problems)
    counts = [
        (skipped, f"{runs(skipped, 'file')} could not be read"),
        (
            summary.cost.unknown,
            f"{runs(summary.cost.unknown, 'run')} report{_s(summary.cost.unknown)} no cost",
        ),
        (n := summary.by_status.get(Status.FAILED, 0), f"{runs(n, 'run')} failed"),
        (
            n := summary.by_status.get(Status.STOPPED, 0),
            f"{runs(n, 'run')} {_was(n)} stopped by {_its(n)} surroundings",
        ),
        (n := summary.by_status.get(Status.INTERRUPTED, 0), f"{runs(n, 'run')} {_was(n)} interrupted"),
    ]
    said = [text for count, text in counts if count]
    if not said:
        return "", ""
    head = f"{figures.plural(len(said), 'thing')} to know first."
    return head, sentence_list(said) + "."


def _s(count: int) -> str:
    """The ending of a verb."""
    return "s" if count == 1 else ""


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _its(count: int) -> str:
    return "its" if count == 1 else "their"


def _figures(summary: CampaignSummary) -> tuple[FigureView, ...]:
    cost, tokens, hits = summary.cost, summary.tokens, summary.cache_hits
    median = f"median {figures.money(summary.median_cost_usd)} a run" if cost.known > 1 else ""
    missing = f"{figures.plural(cost.unknown, 'run')} report{_s(cost.unknown)} none" if cost.unknown else ""
    median_time = f"median {figures.duration(summary.median_wall_ms)} a run, " if summary.wall.known > 1 else ""
    turns = "turns not reported"
    if summary.turns.value is not None:
        turns = f"{_bound(summary.turns, figures.count)} turns in all"
    ended = [f"{figures.count(n)} {status_view(status).word}" for status, n in summary.by_status.items()]
    return (
        _total("Cost", cost, figures.money, "; ".join(filter(None, (median, missing))), before="$"),
        FigureView("Runs", figures.count(summary.runs), ", ".join(ended)),
        _total(
            "Time",
            summary.wall,
            figures.duration,
            median_time + turns,
            after=" ms",
        ),
        _total(
            "Tokens",
            summary.total_tokens,
            figures.count_short,
            f"{figures.count_short(tokens.output)} output, {figures.count_short(tokens.input)} input, "
            f"{figures.count_short(tokens.cache_write)} cache writes"
            if summary.total_tokens.value is not None
            else "none reported",
        ),
        FigureView(
            "Cache hits",
            figures.percent(hits.part, hits.whole),
            f"of {figures.count_short(hits.whole)} tokens sent were read from the cache"
            if hits.whole
            else "no tokens reported",
        ),
    )


def _total(
    label: str, total: Total, write: Callable[[float | None], str], note: str, before: str = "", after: str = ""
) -> FigureView:
    """A sum, with its exact value for the tooltip and a plus when it is a lower bound."""
    bound = f"; at least, because {total.unknown} of {total.known + total.unknown} runs do not report it"
    exact = None if total.value is None else f"{before}{total.value:,}{after}{bound if total.is_lower_bound else ''}"
    bare = None if total.value is None else repr(total.value)
    return FigureView(label, write(total.value), note, exact, bare, total.is_lower_bound)


def _bound(total: Total, write: Callable[[float | None], str]) -> str:
    return write(total.value) + ("+" if total.is_lower_bound else "")
