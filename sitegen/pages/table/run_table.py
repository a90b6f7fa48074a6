"""The table of runs: of all runs on the index, and of the runs of a group on its page.

A table that is longer than ROWS_PER_PAGE goes on over plain pages, so that it reads without script. With script, its
first page takes in all rows: sorting or filtering one page of a longer table would be a lie.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from sitegen import figures
from sitegen.html.render import Page, View
from sitegen.model import INCOMPLETE, Entry, Outcome, Status
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import success
from sitegen.pages.table import rows
from sitegen.pages.table.rows import Script
from sitegen.pages.table.series import (
    Bars,
    Category,
    CellView,
    Number,
    Series,
    all_series,
    longest_bar,
)
from sitegen.pages.views import LinkView, beside_name, model_class, subtitle
from sitegen.text.names import run_path

ROWS_PER_PAGE = 100
"""Rows in one page as plain HTML, which are most of what a browser lays out before it shows the index."""

MAX_LINKED_PAGES = 24
"""Above it, a page links to about as many: its neighbours, and others at even distances."""

FACET_NAMES = 8  # the number of names of a column that are offered at once


class RunTable:
    """The table of some runs: the scripts with all its rows, and its pages, each made when it is asked for, since the
    rows of many pages would take more memory than all else that is known of their runs.

    The pages are `<base>.html`, `<base>-2.html` and on; the scripts are named by `rows.py`.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        summary: CampaignSummary,
        base: str,
        rows_base: str,
        *,
        is_part: bool = False,
    ) -> None:
        """`is_part` says that the site has more runs."""
        self._entries = _worst_first(entries)
        self._base = base
        self._rows_base = rows_base
        self._is_part = is_part
        self._series = tuple(all_series(self._entries))
        self._shown = tuple(_shown(self._series))
        name = View(key="name", label="Run", css="", title="", is_stated=False)
        self._columns = (name, *map(_head, self._shown))
        self._foot = self._foot_view(summary)
        self.page_count = page_count(len(entries))

    @property
    def frame(self) -> object:
        """All that a page of the table says besides its runs, by its `repr`."""
        units = [column.unit for column in self._shown if isinstance(column, Number)]
        largest = [column.longest for column in self._shown if isinstance(column, Bars)]
        return self._base, len(self._entries), self._columns, units, largest

    def runs(self, position: int) -> Sequence[Entry]:
        """Return those of a page."""
        return self._entries[position * ROWS_PER_PAGE : (position + 1) * ROWS_PER_PAGE]

    def scripts(self) -> Iterator[Script]:
        """Return the scripts with all its rows, each made when it is asked for."""
        return rows.scripts(self._entries, self._columns[0].label, self._series, self._rows_base)

    def page(self, position: int, addresses: Mapping[str, str] | None = None) -> View:
        """Return a page; `position` counts from 0. The first one asks for rows: `addresses` of all scripts, by their
        paths."""
        runs = len(self._entries)
        rows_path, further_path = islice(rows.rows_paths(self._rows_base, runs), 2)
        addresses = addresses or {}
        is_first = position == 0
        start = position * ROWS_PER_PAGE
        end = min(start + ROWS_PER_PAGE, runs)
        part = f"Runs {figures.count(start + 1)} to {figures.count(end)} of {figures.count(runs)}"
        pages = [
            LinkView(table_path(self._base, page), str(page + 1))
            for page in _linked(position, self.page_count)
        ]
        return View(
            heading="Runs" if self._is_part else "All runs",
            # Whether the site has more runs than these.
            is_part=self._is_part,
            range=part if self.page_count > 1 else figures.plural(runs, "run"),
            columns=self._columns,
            rows=tuple(map(self._row, range(start, end))),
            # The row for all runs of the table; None on further pages: below some of them it would mislead.
            foot=self._foot if is_first else None,
            path=table_path(self._base, position),
            pages=tuple(pages),
            # The script with all rows, or the first of very many; None on further pages, for readers without script.
            rows_href=addresses.get(rows_path),
            # The script with the columns of these rows that no reader sees at first; None where there are none.
            further_href=addresses.get(further_path),
            # The number of rows in its script, where the others have scripts of their own.
            first_rows=figures.count(rows.ROWS_PER_BLOCK) if runs > rows.ROWS_PER_BLOCK else None,
            facets=tuple(_facets(self._series)) if is_first else (),
            ranges=tuple(_ranges(self._shown)) if is_first else (),
        )

    def _row(self, position: int) -> View:
        entry = self._entries[position]
        return View(
            name=entry.name,
            cells=tuple(column.cell(position) for column in self._shown),
            href=run_path(entry.id),
            title=subtitle(entry),
            about=beside_name(entry),
        )

    def _foot_view(self, summary: CampaignSummary) -> View:
        judged = success(self._entries)
        rate = f"{figures.count(judged.passed)} of {figures.count(judged.judged)} pass"
        completed = figures.count(summary.by_status.get(Status.OK, 0))
        words = {
            "status": CellView(f"{completed} completed", "muted"),
            "outcome": CellView(rate if judged.judged else "", "muted"),
        }
        cells: list[CellView] = []
        for column in self._shown:
            if isinstance(column, Number):
                cells.append(column.sum())
            else:
                cells.append(words.get(column.key, CellView("", column.css)))
        return View(
            name=figures.plural(summary.runs, "run"),
            cells=tuple(cells),
            href="",
            title=None,
            about=None,
        )


def _head(column: Series | Bars) -> View:
    """Return the head of a column."""
    field = None if isinstance(column, Bars) else column.field
    return View(
        key=column.key,
        label=column.label,
        css=column.css,
        title=field.tooltip if field else "",
        # Whether its name comes from runs.
        is_stated=bool(field and field.is_stated),
    )


def _worst_first(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the entries as they come, by task; where none has a task, what went wrong first, then what cost most."""
    if any(entry.task for entry in entries):
        return entries
    return sorted(entries, key=lambda entry: (_is_well(entry), -(entry.run.cost_usd or 0)))


def _is_well(entry: Entry) -> bool:
    is_failed = entry.run.status in INCOMPLETE
    return not is_failed and entry.outcome in (None, Outcome.PASS)


def _shown(columns: Iterable[Series]) -> Iterator[Series | Bars]:
    """Yield the columns that the table shows, with bars behind the costs where one cost something."""
    for series in columns:
        if series.is_shown:
            yield series
            if isinstance(series, Number) and series.key == "cost_usd":
                longest = longest_bar(series.values)
                if longest:
                    yield Bars(series.values, longest)


def _linked(position: int, pages: int) -> list[int]:
    """Return the pages that the one at `position` links to, itself among them: all, or those near it and some further
    off."""
    if pages == 1:
        return []
    if pages <= MAX_LINKED_PAGES:
        return list(range(pages))
    near = range(position - 3, position + 4)
    step = math.ceil(pages / (MAX_LINKED_PAGES - 8))
    return [page for page in range(pages) if page in near or page % step == 0 or page == pages - 1]


def page_count(runs: int) -> int:
    """Return how many pages a table of so many runs has."""
    return math.ceil(runs / ROWS_PER_PAGE)


def table_path(base: str, position: int) -> str:
    """Return `index.html`, `index-2.html`, ...; `position` counts from 0."""
    return f"{base}-{position + 1}.html" if position else f"{base}.html"


def _facets(columns: Iterable[Series]) -> Iterator[View]:
    """Yield the columns that the runs can be divided by, with their most frequent names."""
    categories = [series for series in columns if isinstance(series, Category) and series.label]
    is_of_sessions = any(category.key in ("project", "person") for category in categories)
    divided: list[object] = []
    for category in categories:
        # Runs of a campaign are not looked for by date.
        if category.key in ("week", "day") and not is_of_sessions:
            continue
        division = (category.names, category.sets, category.codes)
        # A number of each task is not looked for by name; the main verdict divides runs as the outcome does.
        is_useless = (
            len(category.names) > FACET_NAMES or division in divided or _names_single_runs(category)
        )
        if category.field.is_stated and is_useless:
            continue
        divided.append(division)
        values = _facet_values(category)
        if len(values) > 1:
            yield View(
                key=category.key,
                label=category.label,
                title=category.field.tooltip,
                values=tuple(values),
                more=max(len(category.names) - FACET_NAMES, 0),
            )


def _names_single_runs(category: Category) -> bool:
    """Return whether each name of a column is that of one run, as digests of patches mostly are."""
    runs = Counter(code for code in category.codes if category.sets[code])
    return all(number == 1 for number in runs.values())


def _facet_values(category: Category) -> list[View]:
    """Return the most frequent names of a column, and its runs without one."""
    runs = Counter[int]()
    without = 0
    for code, number in Counter(category.codes).items():
        runs.update(dict.fromkeys(category.sets[code], number))
        without += 0 if category.sets[code] else number
    frequent = sorted(runs, key=lambda place: (-runs[place], place))[:FACET_NAMES]
    values = []
    for place in sorted(frequent):
        name = category.names[place]
        slug = model_class(name) if category.key == "model" and name else None
        values.append(_facet_value(name, category.text(place), runs[place], slug))
    if without:
        values.append(_facet_value("", category.field.missing, without, None))
    return values


def _facet_value(value: str, text: str, runs: int, model_slug: str | None) -> View:
    """Return a value as in the data, which is empty for the runs that have none, with its text, runs and CSS class
    suffix."""
    return View(value=value, text=text, runs=figures.count(runs), model_slug=model_slug)


def _ranges(shown: Iterable[Series | Bars]) -> Iterator[View]:
    """Cost and time, where runs differ in them."""
    for number in shown:
        if isinstance(number, Number) and number.key in ("cost_usd", "wall_ms"):
            known = [value for value in number.values if value is not None]
            if known and min(known) != max(known):
                yield View(
                    key=number.key,
                    label=number.label,
                    lowest=number.text(min(known)),
                    highest=number.text(max(known)),
                )


def table_page(table: RunTable, position: int) -> Page:
    """Return a further page of the table of runs; the first stands on the index."""
    page = table.page(position)
    number = position + 1
    first = LinkView("index.html", "Figures and charts of all runs")
    view = View(heading=f"All runs, page {number}", back=first, table=page)
    title = f"{view.heading} of {table.page_count}"
    about = f"{page.range}: status, cost, tokens, turns and time."
    return Page(page.path, "runs.html.jinja", title, about, "runs", view)
