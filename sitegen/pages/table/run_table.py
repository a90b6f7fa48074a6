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
        self._entries = entries = _worst_first(entries)
        self._base, self._rows_base, self._is_part = base, rows_base, is_part
        self._series = tuple(all_series(entries))
        self._shown = tuple(_shown(self._series))
        name = View(key="name", label="Run", css="", title="", is_stated=False)
        self._columns = (name, *map(_head, self._shown))
        self._foot = self._foot_view(summary)
        self.page_count = page_count(len(entries))

    @property
    def frame(self) -> object:
        """All that a page of the table says besides its runs, by its `repr`."""
        units = [each.unit for each in self._shown if isinstance(each, Number)]
        largest = [each.longest for each in self._shown if isinstance(each, Bars)]
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
        first, further = (
            (addresses or {}).get(path)
            for path in islice(rows.rows_paths(self._rows_base, len(self._entries)), 2)
        )
        start, runs, is_first = position * ROWS_PER_PAGE, len(self._entries), position == 0
        end = min(start + ROWS_PER_PAGE, runs)
        part = f"Runs {figures.count(start + 1)} to {figures.count(end)} of {figures.count(runs)}"
        paths = [
            (table_path(self._base, at), str(at + 1)) for at in _linked(position, self.page_count)
        ]
        return View(
            heading="Runs" if self._is_part else "All runs",
            # Whether the site has more runs than these.
            is_part=self._is_part,
            range=part if self.page_count > 1 else figures.plural(runs, "run"),
            columns=self._columns,
            rows=tuple(map(self._row, range(start, end))),
            # The row for all runs of the table; None on further pages.
            foot=self._foot
            if is_first
            else None,  # of all runs: below some of them it would mislead
            path=table_path(self._base, position),
            pages=tuple(LinkView(path, number) for path, number in paths),
            # The script with all rows, or the first of very many; None on further pages, for readers without script.
            rows_href=first,
            # The script with the columns of these rows that no reader sees at first; None where there are none.
            further_href=further,
            # The number of rows in its script, where the others have scripts of their own.
            first_rows=figures.count(rows.ROWS_PER_BLOCK) if runs > rows.ROWS_PER_BLOCK else None,
            facets=tuple(_facets(self._series)) if is_first else (),
            ranges=tuple(_ranges(self._shown)) if is_first else (),
        )

    def _row(self, position: int) -> View:
        entry = self._entries[position]
        cells = tuple(each.cell(position) for each in self._shown)
        title = subtitle(entry)
        about = beside_name(entry)
        return View(name=entry.name, cells=cells, href=run_path(entry.id), title=title, about=about)

    def _foot_view(self, summary: CampaignSummary) -> View:
        judged = success(self._entries)
        passed = (
            f"{figures.count(judged.passed)} of {figures.count(judged.judged)} pass"
            if judged.judged
            else ""
        )
        said = {
            "status": CellView(
                f"{figures.count(summary.by_status.get(Status.OK, 0))} completed", "muted"
            ),
            "outcome": CellView(passed, "muted"),
        }
        cells = (
            each.sum() if isinstance(each, Number) else said.get(each.key, CellView("", each.css))
            for each in self._shown
        )
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
    return entry.run.status not in (Status.FAILED, *INCOMPLETE) and entry.outcome in (
        None,
        Outcome.PASS,
    )


def _shown(all_of: Iterable[Series]) -> Iterator[Series | Bars]:
    """Yield the columns that the table shows, with bars behind the costs where one cost something."""
    for series in all_of:
        if series.is_shown:
            yield series
            if isinstance(series, Number) and series.key == "cost_usd":
                longest = longest_bar(series.values)
                yield from [Bars(series.values, longest)] if longest else []


def _linked(position: int, pages: int) -> list[int]:
    """Return the pages that the one at `position` links to, itself among them: all, or those near it and some further
    off."""
    if pages == 1:
        return []
    if pages <= MAX_LINKED_PAGES:
        return list(range(pages))
    near = 3
    step = math.ceil(pages / (MAX_LINKED_PAGES - 8))
    return [
        at for at in range(pages) if abs(at - position) <= near or at % step == 0 or at == pages - 1
    ]


def page_count(runs: int) -> int:
    """Return how many pages a table of so many runs has."""
    return math.ceil(runs / ROWS_PER_PAGE)


def table_path(base: str, position: int) -> str:
    """Return `index.html`, `index-2.html`, ...; `position` counts from 0."""
    return f"{base}-{position + 1}.html" if position else f"{base}.html"


def _facets(all_of: Iterable[Series]) -> Iterator[View]:
    """Yield the columns that the runs can be divided by, with their most frequent names."""
    categories = [series for series in all_of if isinstance(series, Category) and series.label]
    is_of_sessions = any(category.key in ("project", "person") for category in categories)
    divided: list[object] = []
    for category in categories:
        if (
            category.key in ("week", "day") and not is_of_sessions
        ):  # runs of a campaign are not looked for by date
            continue
        division = (category.names, category.sets, category.codes)
        # A number of each task is not looked for by name; the main verdict divides runs as the outcome does.
        is_useless = len(category.names) > FACET_NAMES or division in divided
        if category.field.is_stated and is_useless:
            continue
        divided.append(division)
        runs = Counter[int]()
        without = 0
        for code, number in Counter(category.codes).items():
            runs.update(dict.fromkeys(category.sets[code], number))
            without += 0 if category.sets[code] else number
        if len(category.names) + bool(without) < 2:
            continue
        frequent = sorted(runs, key=lambda position: (-runs[position], position))[:FACET_NAMES]
        # The value in the data, which is empty for the runs that have none; its text, runs and CSS class suffix.
        told = [(category.names[at], category.text(at), runs[at]) for at in sorted(frequent)]
        told += [("", category.field.missing, without)] if without else []
        values = []
        for value, text, count in told:
            slug = model_class(value) if category.key == "model" and value else None
            values.append(View(value=value, text=text, runs=figures.count(count), model_slug=slug))
        more = max(len(category.names) - FACET_NAMES, 0)
        yield View(
            key=category.key,
            label=category.label,
            title=category.field.tooltip,
            values=tuple(values),
            more=more,
        )


def _ranges(shown: Iterable[Series | Bars]) -> Iterator[View]:
    """Cost and time, where runs differ in them."""
    for number in shown:
        if isinstance(number, Number) and number.key in ("cost_usd", "wall_ms"):
            lowest = min((value for value in number.values if value is not None), default=None)
            highest = max((value for value in number.values if value is not None), default=None)
            if lowest != highest:
                yield View(
                    key=number.key,
                    label=number.label,
                    lowest=number.text(lowest),
                    highest=number.text(highest),
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
