"""The table of runs: of all runs on the index, and of the runs of a group on its page.

A table that is longer than ROWS_PER_PAGE goes on over plain pages, so that it reads without script; a script with all
its rows then lets it be sorted as a whole, because sorting one page of a longer table would be a lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import data, figures
from sitegen.figures import UNKNOWN
from sitegen.model import Entry, Status, Total
from sitegen.names import stem
from sitegen.statistics import CampaignSummary
from sitegen.success import Success, success
from sitegen.views import LinkView, StatusView, model_class, outcome_view, run_path, status_view

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
    outcome: StatusView | None
    cells: tuple[CellView, ...]
    bar: str
    """Share of the largest cost, in per cent; nothing is drawn where the cost is unknown."""


@dataclass(frozen=True, slots=True)
class SumRowView:
    """The foot of the table."""

    name: str
    status: str
    outcome: str
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
    has_outcomes: bool
    has_bars: bool
    path: str
    pages: tuple[LinkView, ...]
    rows_path: str | None
    """The script with all rows, where the table goes on over several pages."""


@dataclass(frozen=True, slots=True)
class FurtherPageView:
    """A further page of a table."""

    heading: str
    back: LinkView
    """To the first page."""
    table: TableView


@dataclass(frozen=True, slots=True)
class _Number:
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    key: str
    label: str
    values: tuple[float | None, ...]
    total: Total
    column: figures.Column | None
    """None for times, which are written as min:s."""
    bounds: frozenset[int] = frozenset()
    """Positions of the runs whose figure is a lower bound."""

    def text(self, value: float | None, lower_bound: bool = False) -> str:
        text = self.column.write(value) if self.column else figures.clock(value)
        return f"{text}+" if lower_bound and value is not None else text

    def cell(self, position: int) -> CellView:
        """The figure of the run at a position."""
        value = self.values[position]
        return CellView(value, self.text(value, position in self.bounds))


def _numbers(entries: Sequence[Entry], summary: CampaignSummary) -> tuple[_Number, ...]:
    """The numeric columns, each with one unit that fits all its figures."""
    costs = tuple(entry.run.cost_usd for entry in entries)
    tokens = [entry.run.tokens for entry in entries]
    outputs, reads = tuple(t.output for t in tokens), tuple(t.cache_read for t in tokens)
    cost, output, read = figures.money_column(costs), figures.count_column(outputs), figures.count_column(reads)
    gaps = [entry.run.token_gaps for entry in entries]
    turns, walls = (entry.run.turns for entry in entries), (entry.run.wall_ms for entry in entries)
    return (
        _Number("cost", cost.head("Cost"), costs, summary.cost, cost),
        _Number("output", output.head("Output"), outputs, summary.by_kind["output"], output, _with("output", gaps)),
        _Number(
            "cache_read",
            read.head("Cache reads"),
            reads,
            summary.by_kind["cache_read"],
            read,
            _with("cache_read", gaps),
        ),
        _Number("turns", "Turns", tuple(turns), summary.turns, figures.Column("", 1, 0)),
        _Number("wall", "Time, min:s", tuple(walls), summary.wall, None),
    )


def _with(kind: str, gaps: Sequence[frozenset[str]]) -> frozenset[int]:
    """Positions of the runs that have a gap in a kind of tokens."""
    return frozenset(position for position, kinds in enumerate(gaps) if kind in kinds)


def tables(
    entries: Sequence[Entry], summary: CampaignSummary, base: str, rows_path: str
) -> tuple[tuple[TableView, ...], bytes | None]:
    """The table of some runs, page by page, and the script with all its rows when there are several pages.

    The pages are `<base>.html`, `<base>-2.html` and on; the script lies at `rows_path`.
    """
    numbers = _numbers(entries, summary)
    has_models = any(entry.models or entry.model for entry in entries)
    largest = max((entry.run.cost_usd or 0 for entry in entries), default=0)
    columns = [ColumnView("name", "Task and attempt" if all(e.task for e in entries) else "Run")]
    columns += [ColumnView("model", "Model")] if has_models else []
    columns.append(ColumnView("status", "Status"))
    has_outcomes = any(entry.outcome for entry in entries)
    columns += [ColumnView("outcome", "Outcome")] if has_outcomes else []
    for number in numbers:
        columns.append(ColumnView(number.key, number.label, numeric=True))
        if number.key == "cost" and largest:
            columns.append(ColumnView("bar", ""))
    rows = [_row(index, entry, numbers, largest) for index, entry in enumerate(entries)]
    chunks = [rows[start : start + ROWS_PER_PAGE] for start in range(0, len(rows), ROWS_PER_PAGE)]
    paths = [table_path(base, position) for position in range(len(chunks))]
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
                sum=_sum(summary, success(entries), numbers),
                has_models=has_models,
                has_outcomes=has_outcomes,
                has_bars=largest > 0,
                path=paths[position],
                pages=links,
                rows_path=rows_path if several else None,
            )
        )
    return tuple(views), _script([e.id for e in entries], rows, columns, numbers) if several else None


def table_path(base: str, position: int) -> str:
    """`index.html`, `index-2.html`, ...; `position` counts from 0."""
    return f"{base}-{position + 1}.html" if position else f"{base}.html"


def _row(index: int, entry: Entry, numbers: tuple[_Number, ...], largest: float) -> RunRowView:
    cost = entry.run.cost_usd
    model = entry.model or UNKNOWN
    return RunRowView(
        href=run_path(entry.id),
        name=entry.name,
        title=entry.title if entry.title not in (entry.name, stem(entry.source.path)) else None,
        model=model,
        model_slug=model_class(model),
        status=status_view(entry.run.status, entry.run.status_detail),
        outcome=outcome_view(entry.outcome) if entry.outcome else None,
        cells=tuple(number.cell(index) for number in numbers),
        bar=f"{100 * cost / largest:.3g}" if cost else "0",
    )


def _sum(summary: CampaignSummary, judged: Success, numbers: tuple[_Number, ...]) -> SumRowView:
    return SumRowView(
        figures.plural(summary.runs, "run"),
        f"{summary.by_status.get(Status.OK, 0)} completed",
        f"{judged.passed} of {judged.judged} pass" if judged.judged else "",
        tuple(number.text(number.total.value, number.total.is_lower_bound) for number in numbers),
    )


def _script(
    ids: list[str], rows: Sequence[RunRowView], columns: Sequence[ColumnView], numbers: tuple[_Number, ...]
) -> bytes:
    """All rows as columns; the names of models and statuses are listed once and referred to by position."""
    models = sorted({(row.model, row.model_slug) for row in rows})
    statuses = sorted({_status_key(row.status) for row in rows})
    outcomes = sorted({_status_key(row.outcome) for row in rows if row.outcome})
    model_at = {model: position for position, model in enumerate(models)}
    status_at = {status: position for position, status in enumerate(statuses)}
    parts: dict[str, dict[str, object]] = {
        "name": {"values": [row.name for row in rows]},
        "model": {"values": [model_at[row.model, row.model_slug] for row in rows], "names": models},
        "status": {"values": [status_at[_status_key(row.status)] for row in rows], "names": statuses},
        "outcome": {
            "values": [outcomes.index(_status_key(row.outcome)) if row.outcome else None for row in rows],
            "names": outcomes,
        },
        "bar": {"values": [float(row.bar) for row in rows]},
    }
    for number in numbers:
        unit = number.column
        how = {"clock": True} if unit is None else {"divisor": unit.divisor, "decimals": unit.decimals}
        parts[number.key] = {"values": number.values, "bounds": sorted(number.bounds), **how}
    return data.script(
        "sitegenRows", {"ids": ids, "columns": [{"key": column.key, **parts[column.key]} for column in columns]}
    )


def _status_key(status: StatusView) -> tuple[str, str, str]:
    """Word with its reason, sign and CSS class: what a row's status looks like."""
    return (f"{status.word}, {status.detail}" if status.detail else status.word), status.sign, status.role
