"""The view of the index: the campaign's figures, what to know first, its charts, and the table of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import data, figures
from sitegen.charts import Chart, Charts
from sitegen.figures import UNKNOWN
from sitegen.markdown import Rendered
from sitegen.model import Entry, Problem, Status, Total, Verdict
from sitegen.names import slug
from sitegen.statistics import CampaignSummary
from sitegen.views import FigureView, LinkView, StatusView, run_path, sentence_list, status_view

ROWS_SCRIPT = "data/rows.js"
ROWS_PER_PAGE = 200
"""Rows of a table that stand in one page as plain HTML."""


@dataclass(frozen=True, slots=True)
class CellView:
    """A number in a table: what it is sorted by, and how it is written in the unit of its column."""

    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class ColumnView:
    """The head of a column. A column without a label is drawn, not read."""

    key: str
    label: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class RunRowView:
    """A run in the table: name, model, status, then the numbers in the order of the columns."""

    href: str
    name: str
    title: str | None
    model: str
    model_slug: str
    status: StatusView
    cells: tuple[CellView, ...]
    bar: str
    """Share of the largest cost, in per cent; nothing is drawn where the cost is unknown."""


@dataclass(frozen=True, slots=True)
class SumRowView:
    """The foot of the table."""

    name: str
    status: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """One page of the table of runs."""

    heading: str
    range: str
    columns: tuple[ColumnView, ...]
    rows: tuple[RunRowView, ...]
    sum: SumRowView | None
    has_models: bool
    has_bars: bool
    path: str
    pages: tuple[LinkView, ...]
    rows_path: str | None
    """The script with all rows, where the table goes on over several pages."""


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


@dataclass(frozen=True, slots=True)
class _Number:
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    key: str
    label: str
    values: tuple[float | None, ...]
    column: figures.Column | None
    """None for times, which are written as min:s."""

    def text(self, value: float | None) -> str:
        return self.column.write(value) if self.column else figures.clock(value)


def _numbers(entries: Sequence[Entry]) -> tuple[_Number, ...]:
    """The numeric columns, each with one unit that fits all its figures."""
    costs = tuple(entry.run.cost_usd for entry in entries)
    tokens = [entry.run.tokens for entry in entries]
    outputs, reads = tuple(t.output for t in tokens), tuple(t.cache_read for t in tokens)
    cost, output, read = figures.money_column(costs), figures.count_column(outputs), figures.count_column(reads)
    return (
        _Number("cost", cost.head("Cost"), costs, cost),
        _Number("output", output.head("Output"), outputs, output),
        _Number("cache_read", read.head("Cache reads"), reads, read),
        _Number("turns", "Turns", tuple(entry.run.turns for entry in entries), figures.Column("", 1, 0)),
        _Number("wall", "Time, min:s", tuple(entry.run.wall_ms for entry in entries), None),
    )


def tables(entries: Sequence[Entry], summary: CampaignSummary) -> tuple[tuple[TableView, ...], bytes | None]:
    """The table of all runs, page by page, and the script with all its rows when there are several pages."""
    numbers = _numbers(entries)
    has_models = any(entry.models or entry.model for entry in entries)
    largest = max((entry.run.cost_usd or 0 for entry in entries), default=0)
    columns = [ColumnView("name", "Task and attempt" if all(e.task for e in entries) else "Run")]
    columns += [ColumnView("model", "Model")] if has_models else []
    columns.append(ColumnView("status", "Status"))
    for number in numbers:
        columns.append(ColumnView(number.key, number.label, numeric=True))
        if number.key == "cost" and largest:
            columns.append(ColumnView("bar", ""))
    rows = [_row(index, entry, numbers, largest) for index, entry in enumerate(entries)]
    chunks = [rows[start : start + ROWS_PER_PAGE] for start in range(0, len(rows), ROWS_PER_PAGE)]
    paths = [table_path(position) for position in range(len(chunks))]
    several = len(chunks) > 1
    links = tuple(LinkView(path, str(number)) for number, path in enumerate(paths, 1)) if several else ()
    total = figures.plural(len(rows), "run")
    views = []
    for position, chunk in enumerate(chunks):
        first = position * ROWS_PER_PAGE + 1
        views.append(
            TableView(
                heading="All runs",
                range=f"Runs {first} to {first + len(chunk) - 1} of {len(rows)}" if several else total,
                columns=tuple(columns),
                rows=tuple(chunk),
                sum=_sum(summary, numbers),
                has_models=has_models,
                has_bars=largest > 0,
                path=paths[position],
                pages=links,
                rows_path=ROWS_SCRIPT if several else None,
            )
        )
    return tuple(views), _script([e.id for e in entries], rows, columns, numbers) if several else None


def table_path(number: int) -> str:
    """`index.html`, `index-2.html`, ...; `number` counts from 0."""
    return f"index-{number + 1}.html" if number else "index.html"


def _row(index: int, entry: Entry, numbers: tuple[_Number, ...], largest: float) -> RunRowView:
    cost = entry.run.cost_usd
    model = entry.model or UNKNOWN
    return RunRowView(
        href=run_path(entry.id),
        name=entry.name,
        title=entry.title if entry.title != entry.name else None,
        model=model,
        model_slug=slug(model),
        status=status_view(entry.run.status, entry.run.status_detail),
        cells=tuple(CellView(number.values[index], number.text(number.values[index])) for number in numbers),
        bar=f"{100 * cost / largest:.3g}" if cost else "0",
    )


def _sum(summary: CampaignSummary, numbers: tuple[_Number, ...]) -> SumRowView:
    totals = [(number, Total.of(number.values)) for number in numbers]
    return SumRowView(
        figures.plural(summary.runs, "run"),
        f"{summary.by_status.get(Status.OK, 0)} completed",
        tuple(number.text(total.value) + ("+" if total.is_lower_bound else "") for number, total in totals),
    )


def _script(
    ids: list[str], rows: Sequence[RunRowView], columns: Sequence[ColumnView], numbers: tuple[_Number, ...]
) -> bytes:
    """All rows as columns; the names of models and statuses are listed once and referred to by position."""
    models = sorted({(row.model, row.model_slug) for row in rows})
    statuses = sorted({_status_key(row.status) for row in rows})
    model_at = {model: position for position, model in enumerate(models)}
    status_at = {status: position for position, status in enumerate(statuses)}
    parts: dict[str, dict[str, object]] = {
        "name": {"values": [row.name for row in rows]},
        "model": {"values": [model_at[row.model, row.model_slug] for row in rows], "names": models},
        "status": {"values": [status_at[_status_key(row.status)] for row in rows], "names": statuses},
        "bar": {"values": [float(row.bar) for row in rows]},
    }
    for number in numbers:
        unit = number.column
        how = {"clock": True} if unit is None else {"divisor": unit.divisor, "decimals": unit.decimals}
        parts[number.key] = {"values": number.values, **how}
    return data.script(
        "sitegenRows", {"ids": ids, "columns": [{"key": column.key, **parts[column.key]} for column in columns]}
    )


def _status_key(status: StatusView) -> tuple[str, str, str]:
    """Word with its reason, sign and CSS class: what a row's status looks like."""
    return (f"{status.word}, {status.detail}" if status.detail else status.word), status.sign, status.role


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
