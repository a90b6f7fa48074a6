"""The table of runs: of all runs on the index, and of the runs of a group on its page.

A table that is longer than ROWS_PER_PAGE goes on over plain pages, so that it reads without script. With script, its
first page takes in all rows: sorting or filtering one page of a longer table would be a lie.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import UNKNOWN, StatusView, outcome_view, status_view
from sitegen.html.render import Page
from sitegen.model import Entry, Status
from sitegen.names import run_path
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import Success, success
from sitegen.pages.table.columns import Category, Number, categories, looks, numbers, scripts
from sitegen.pages.views import LinkView, model_class, subtitle

ROWS_PER_PAGE = 100
"""Rows of a table that stand in one page as plain HTML. They are most of what a browser lays out before it shows the
index."""

MOST_LINKED_PAGES = 24
"""Of a table with more pages, each page links to about as many: its neighbours, and others at even distances."""

FACETS = ("task", "model", "status", "outcome", "campaign", "labels")
"""The columns that runs can be filtered by, in the order in which they are offered."""

FACET_NAMES = 8
"""Of a column with more names, as many are offered at once."""


@dataclass(frozen=True, slots=True)
class ColumnView:
    """The head of a column. A column without a label is drawn, not read."""

    key: str
    label: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class RunRowView:
    """A run in the table: name, campaign, model, status, then the numbers in the order of the columns."""

    href: str
    name: str
    title: str | None
    campaign: str
    model: str
    model_slug: str
    status: StatusView
    outcome: StatusView | None
    cells: tuple[str, ...]
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
class FacetValueView:
    """A name that runs can be filtered by, and how many have it."""

    value: str
    """As the data has it; empty for the runs that have none."""
    text: str
    runs: str
    model_slug: str | None = None


@dataclass(frozen=True, slots=True)
class FacetView:
    """A column that runs can be filtered by."""

    key: str
    label: str
    values: tuple[FacetValueView, ...]
    more: int
    """How many names it has beyond these."""


@dataclass(frozen=True, slots=True)
class RangeView:
    """A figure that runs can be filtered by, from and to."""

    key: str
    label: str
    lowest: str
    highest: str


@dataclass(frozen=True, slots=True)
class TableView:
    """One page of the table of runs."""

    heading: str
    range: str
    columns: tuple[ColumnView, ...]
    rows: tuple[RunRowView, ...]
    is_part: bool
    """Whether the site has more runs than these."""
    sum: SumRowView | None
    """Of all runs of the table; None on further pages."""
    has_campaigns: bool
    """Whether their column is shown: where there are several."""
    has_models: bool
    has_outcomes: bool
    has_bars: bool
    path: str
    pages: tuple[LinkView, ...]
    rows_href: str | None
    """The script with all rows; None on further pages, which stand for readers without script."""
    further_href: str | None
    """The script with the columns of all rows that no reader sees at first; None where there are none."""
    facets: tuple[FacetView, ...]
    ranges: tuple[RangeView, ...]


@dataclass(frozen=True, slots=True)
class FurtherPageView:
    """A further page of a table."""

    heading: str
    back: LinkView
    """To the first page."""
    table: TableView


@dataclass(frozen=True, slots=True)
class TableScripts:
    """The scripts with all rows of a table."""

    files: Mapping[str, bytes]
    """By path."""
    hrefs: tuple[str | None, str | None]
    """Of the first and of the further one, with their version: a browser that holds those of an earlier build asks for
    these."""


class RunTable:
    """The table of some runs: the scripts with all its rows, and its pages, each made when it is asked for, since the
    rows of many pages would take more memory than all else that is known of their runs.

    The pages are `<base>.html`, `<base>-2.html` and on; the scripts `<rows_base>.js` and `<rows_base>-further.js`.
    """

    def __init__(
        self, entries: Sequence[Entry], summary: CampaignSummary, base: str, rows_base: str, *, is_part: bool = False
    ) -> None:
        """`is_part` says that the site has more runs."""
        self._entries, self._base, self._rows_base, self._is_part = entries, base, rows_base, is_part
        self._numbers, self._categories = numbers(entries), categories(entries)
        self._shown = [number for number in self._numbers if number.is_shown]
        self._by_key = {category.key: category for category in self._categories}
        self._largest = max((entry.run.cost_usd or 0 for entry in entries), default=0)
        self._columns = tuple(self._column_views())
        self._foot = _sum(summary, success(entries), self._shown)
        self.page_count = page_count(len(entries))

    @property
    def frame(self) -> object:
        """All that a page of the table says besides its runs, by its `repr`."""
        return self._base, len(self._entries), self._columns, [each.column for each in self._shown], self._largest

    def runs(self, position: int) -> Sequence[Entry]:
        """Those of a page."""
        return self._entries[position * ROWS_PER_PAGE : (position + 1) * ROWS_PER_PAGE]

    def scripts(self) -> TableScripts:
        """The scripts that its first page asks for."""
        rows = scripts(self._entries, self._columns[0].label, self._numbers, self._categories)
        paths = rows_paths(self._rows_base)
        files = {path: content for path, content in zip(paths, (rows.first, rows.further), strict=True) if content}
        first, further = (f"{path}?v={rows.version}" if path in files else None for path in paths)
        return TableScripts(files, (first, further))

    def page(self, position: int, rows: TableScripts | None = None) -> TableView:
        """A page; `position` counts from 0. The first one asks for the scripts with all rows, no other does."""
        start, runs, is_first = position * ROWS_PER_PAGE, len(self._entries), position == 0
        end = min(start + ROWS_PER_PAGE, runs)
        part = f"Runs {figures.count(start + 1)} to {figures.count(end)} of {figures.count(runs)}"
        paths = [(table_path(self._base, at), str(at + 1)) for at in _linked(position, self.page_count)]
        return TableView(
            heading="Runs" if self._is_part else "All runs",
            is_part=self._is_part,
            range=part if self.page_count > 1 else figures.plural(runs, "run"),
            columns=self._columns,
            rows=tuple(_row(at, self._entries[at], self._shown, self._largest) for at in range(start, end)),
            sum=self._foot if is_first else None,  # of all runs: below some of them it would mislead
            has_campaigns=any(column.key == "campaign" for column in self._columns),
            has_models="model" in self._by_key,
            has_outcomes="outcome" in self._by_key,
            has_bars=self._largest > 0,
            path=table_path(self._base, position),
            pages=tuple(LinkView(path, number) for path, number in paths),
            rows_href=rows.hrefs[0] if rows else None,
            further_href=rows.hrefs[1] if rows else None,
            facets=tuple(_facets(self._by_key)) if is_first else (),
            ranges=tuple(_ranges(self._shown)) if is_first else (),
        )

    def _column_views(self) -> Iterator[ColumnView]:
        yield ColumnView("name", "Task and attempt" if all(entry.task for entry in self._entries) else "Run")
        for key in ("campaign", "model", "status", "outcome"):
            if key in self._by_key and self._by_key[key].is_shown:
                yield ColumnView(key, self._by_key[key].label)
        for number in self._shown:
            yield ColumnView(number.key, number.label, numeric=True)
            if number.key == "cost_usd" and self._largest:
                yield ColumnView("bar", "")


def _linked(position: int, pages: int) -> list[int]:
    """The pages that the one at `position` links to, itself among them: all, or those near it and some further off."""
    if pages == 1:
        return []
    if pages <= MOST_LINKED_PAGES:
        return list(range(pages))
    near, step = 3, math.ceil(pages / (MOST_LINKED_PAGES - 8))
    return [at for at in range(pages) if abs(at - position) <= near or at % step == 0 or at == pages - 1]


def page_count(runs: int) -> int:
    """How many pages a table of so many runs has."""
    return math.ceil(runs / ROWS_PER_PAGE)


def rows_paths(rows_base: str) -> tuple[str, str]:
    """Of the scripts with the rows of a table, the second of which there may not be."""
    return f"{rows_base}.js", f"{rows_base}-further.js"


def table_path(base: str, position: int) -> str:
    """`index.html`, `index-2.html`, ...; `position` counts from 0."""
    return f"{base}-{position + 1}.html" if position else f"{base}.html"


def _row(index: int, entry: Entry, shown: Sequence[Number], largest: float) -> RunRowView:
    cost = entry.run.cost_usd
    model = entry.model or UNKNOWN
    return RunRowView(
        href=run_path(entry.id),
        name=entry.name,
        title=subtitle(entry),
        campaign=entry.campaign or UNKNOWN,
        model=model,
        model_slug=model_class(model),
        status=status_view(entry.run.status, entry.run.status_detail),
        outcome=outcome_view(entry.outcome) if entry.outcome else None,
        cells=tuple(number.text(number.values[index], index in number.bounds) for number in shown),
        bar=f"{100 * cost / largest:.3g}" if cost else "0",
    )


def _sum(summary: CampaignSummary, judged: Success, shown: Sequence[Number]) -> SumRowView:
    totals = {
        "cost_usd": summary.cost,
        "output_tokens": summary.by_kind["output"],
        "cache_read_tokens": summary.by_kind["cache_read"],
        "turns": summary.turns,
        "wall_ms": summary.wall,
    }
    return SumRowView(
        figures.plural(summary.runs, "run"),
        f"{figures.count(summary.by_status.get(Status.OK, 0))} completed",
        f"{figures.count(judged.passed)} of {figures.count(judged.judged)} pass" if judged.judged else "",
        tuple(number.text(totals[number.key].value, totals[number.key].is_lower_bound) for number in shown),
    )


def _facets(by_key: Mapping[str, Category]) -> Iterator[FacetView]:
    """The columns that the runs can be divided by, with their most frequent names."""
    for key in FACETS:
        category = by_key.get(key)
        if category is None:
            continue
        runs = Counter(position for positions in category.values for position in positions)
        without = sum(not positions for positions in category.values)
        if len(category.names) + bool(without) < 2:
            continue
        frequent = sorted(runs, key=lambda position: (-runs[position], position))[:FACET_NAMES]
        looked = looks(category)
        values = [
            FacetValueView(
                value=category.names[position],
                text=looked[position][0] if looked and key != "model" else category.names[position],
                runs=figures.count(runs[position]),
                model_slug=looked[position][0] if looked and key == "model" else None,
            )
            for position in sorted(frequent)
        ]
        values += [FacetValueView("", category.none, figures.count(without))] if without else []
        yield FacetView(key, category.label, tuple(values), max(len(category.names) - FACET_NAMES, 0))


def _ranges(shown: Sequence[Number]) -> Iterator[RangeView]:
    """Cost and time, where runs differ in them."""
    for number in shown:
        known = {value for value in number.values if value is not None}
        if number.key in ("cost_usd", "wall_ms") and len(known) > 1:
            yield RangeView(number.key, number.label, number.text(min(known)), number.text(max(known)))


def table_page(table: RunTable, position: int) -> Page:
    """A further page of the table of runs; the first stands on the index."""
    page, number = table.page(position), position + 1
    first = LinkView("index.html", "Figures and charts of all runs")
    return Page(
        path=page.path,
        template="runs.html.jinja",
        title=f"All runs, page {number} of {table.page_count}",
        description=f"{page.range}: status, cost, tokens, turns and time.",
        section="runs",
        view=FurtherPageView(f"All runs, page {number}", first, page),
    )
