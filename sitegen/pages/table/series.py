"""The columns of the table with the values of some runs: their cells, and what the scripts of rows say of them."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import UNKNOWN, StatusView, outcome_view, status_view
from sitegen.model import Entry, Outcome, Status, Total
from sitegen.numbers.statistics import ScoreMeasure, score_measures
from sitegen.pages.table import columns
from sitegen.pages.views import model_class, score_columns
from sitegen.text.names import natural_order

SCORES_SHOWN = 2
"""Columns of scores that the table shows before its reader chooses, where a quarter of the runs have the score."""


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the table: its text, or what is drawn in place of it."""

    text: str = ""
    css: str = (
        ""  # CSS class: `n` of figures, `names` of names, `muted` of what the foot says in words
    )
    is_of_run: bool = False  # whether the text comes from the run
    model_slug: str | None = (
        None  # CSS class suffix of the model whose colour stands before its name
    )
    state: StatusView | None = None
    bar: str | None = None
    """Share of the longest bar, in per cent; nothing is drawn where the cost is unknown."""
    is_cut: bool = False  # whether the bar would be longer


_SCORE = columns.Figure("", summed=False)


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    key: str
    label: str  # the head, with the unit
    values: Sequence[float | None]
    unit: figures.FigureFormat | None  # None for times, which are written as min:s
    bounds: Sequence[int] = ()  # positions of the runs whose figure is a lower bound, in order
    is_shown: bool = False  # whether the table has it before its reader chooses columns
    figure: columns.Figure = _SCORE
    measure: ScoreMeasure | None = None  # the score; None for a figure of the run itself

    def text(self, value: float | None, lower_bound: bool = False) -> str:
        """Return a figure of the column; a lower bound carries a plus."""
        text = self.unit.write(value) if self.unit else figures.clock(value)
        return f"{text}+" if lower_bound and value is not None else text

    def cell(self, position: int) -> CellView:
        """Return the cell of a run."""
        at = bisect_left(self.bounds, position)
        is_bound = at < len(self.bounds) and self.bounds[at] == position
        return CellView(self.text(self.values[position], is_bound), "n")

    def sum(self) -> CellView:
        """Return the sum of all runs; empty where a sum says nothing."""
        total = Total.of(self.values)
        if not self.figure.summed:
            return CellView("", "n")
        is_bound = bool(total.unknown or self.bounds)
        if self.unit is None:
            return CellView(
                figures.clock_total(total.value) + ("+" if is_bound and total.known else ""), "n"
            )
        return CellView(self.text(total.value, is_bound), "n")

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it."""
        said: dict[str, object] = {"clock": True}
        if self.unit:
            said = {"divisor": self.unit.divisor, "decimals": self.unit.decimals}
        if (score := self.measure) and self.unit:
            said |= {"score": score.name, "unit": self.unit.unit}
            said |= {"ratio": True} if score.is_ratio else {"share": True} if score.is_share else {}
            said |= {"lower": True} if score.lower_is_better else {}
        said |= (
            {"parts": [f"{kind}_tokens" for kind in self.figure.kinds]}
            if len(self.figure.kinds) > 1
            else {}
        )
        return said | {"summed": self.figure.summed}

    def packed(self, rows: range) -> object:
        """Return its values and the positions of its lower bounds; None where they follow from other columns."""
        if len(self.figure.kinds) > 1:
            return None
        values = [self.values[at] if self.measure else short(self.values[at]) for at in rows]
        bounds = self.bounds[
            bisect_left(self.bounds, rows.start) : bisect_left(self.bounds, rows.stop)
        ]
        return [values, list(bounds)]


_VIEWS: Mapping[str, Callable[[str, str | None], StatusView]] = {
    "status": lambda name, detail: status_view(Status(name), detail),
    "outcome": lambda name, _: outcome_view(Outcome(name)),
}
"""The columns whose names are shown as words with a sign: how, with what stands behind the name of a run."""


_SEVERAL = ("labels", "signals")  # columns of which a run may have several names


@dataclass(frozen=True, slots=True)
class Category:
    """A column of names that repeat, such as models."""

    key: str
    column: columns.Names
    names: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    """The positions of names that a run has: none, one, or, of labels, several; each that there is once, in order."""
    codes: array[int]  # the position of the set of each run
    is_shown: bool
    details: Sequence[str | None] = ()
    """The text behind the name of each run; empty where there is none."""

    @property
    def label(self) -> str:
        """Return the head; empty where it is not a column of its own."""
        return self.column.label

    @property
    def css(self) -> str:
        """CSS class of its cells, which a phone leaves out of a long table; those with signs stay."""
        return "" if self.key in _VIEWS else "names"

    def text(self, at: int) -> str:
        """Return a name as it is shown."""
        return _VIEWS[self.key](self.names[at], None).word if self.key in _VIEWS else self.names[at]

    def cell(self, position: int) -> CellView:
        """Return the cell of a run."""
        names = [self.names[at] for at in self.sets[self.codes[position]]]
        if self.key in _VIEWS:
            detail = self.details[position] if self.details else None
            return (
                CellView(state=_VIEWS[self.key](names[0], detail)) if names else CellView(UNKNOWN)
            )
        text = ", ".join(names) or UNKNOWN
        slug = model_class(text) if self.key == "model" else None
        return CellView(text, self.css, is_of_run=True, model_slug=slug)

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it."""
        said: dict[str, object] = {"names": self.names, "none": self.column.none}
        if self.key in _SEVERAL:
            said["sets"] = self.sets
        if self.key in _VIEWS:
            views = (_VIEWS[self.key](name, None) for name in self.names)
            said["looks"] = [(view.word, view.sign, view.role) for view in views]
        elif self.key == "model":
            said["looks"] = [(model_class(name),) for name in self.names]
        return said | {
            key: text for key in ("title", "empty") if (text := getattr(self.column, key))
        }

    def packed(self, rows: range) -> object:
        """Return for each run the position of its name, or of its set of names; behind the last where it has none."""
        codes = self.codes[rows.start : rows.stop]
        if self.key in _SEVERAL:
            return list(codes)
        at = [each[0] if each else len(self.names) for each in self.sets]
        return [at[code] for code in codes]


@dataclass(frozen=True, slots=True)
class TextSeries:
    """A column of texts of which hardly two are alike, such as moments: asked of the runs when they are wanted."""

    key: str
    label: str
    entries: Sequence[Entry]
    is_shown: bool

    def text(self, entry: Entry) -> str | None:
        """Return the text of a run."""
        return entry.started_at if self.key == "started_at" else entry.note

    def cell(self, position: int) -> CellView:
        """Return the cell of a run; a moment to the minute."""
        text = self.text(self.entries[position]) or UNKNOWN
        return CellView(
            text[:16].replace("T", " ") if self.key == "started_at" else text, is_of_run=True
        )

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it."""
        return {}

    def packed(self, rows: range) -> object:
        """Return its values."""
        return [self.text(self.entries[at]) for at in rows]


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars behind the costs: a bar for each, as long as its share of `longest`; longer ones are cut there, and a
    gap in them says so."""

    values: Sequence[float | None]
    longest: float  # more than nothing
    key: str = "bar"
    label: str = ""

    def cell(self, position: int) -> CellView:
        """Return the cell of a run."""
        value = self.values[position]
        share = (value or 0) / self.longest
        return CellView(bar=f"{100 * min(share, 1):.3g}", is_cut=share > 1)


def longest_bar(values: Iterable[float | None]) -> float:
    """Return the largest value, or where it is more than twice that of 95 in 100 runs, theirs: one run of $90 among
    those of $1 would leave no bar to be seen."""
    known = sorted(value for value in values if value)
    if not known:
        return 0.0
    most = known[math.ceil(0.95 * len(known)) - 1]
    return most if known[-1] > 2 * most else known[-1]


Series = Number | Category | TextSeries


def all_series(entries: Sequence[Entry]) -> Iterator[Series]:
    """Yield the columns of the table, in its order; what no run has is left out, but for figures that are shown."""
    by_key = {column.key: column for column in columns.COLUMNS}
    facts = list(map(columns.RunFacts.of, entries))
    has_tasks = all(entry.task for entry in entries)
    for column in map(by_key.__getitem__, columns.TABLE_ORDER):
        match column.table:
            case columns.Figure() as figure:
                yield from _number(column, figure, facts)
            case columns.Names() as names:
                yield from _category(column, names, facts, has_tasks=has_tasks)
            case columns.Text(label, is_shown):
                texts = TextSeries(column.key, label, entries, is_shown)
                yield from [texts] if any(map(texts.text, entries)) else []
            case _:
                yield from _scores(entries)


def _number(
    column: columns.RunColumn, figure: columns.Figure, facts: Sequence[columns.RunFacts]
) -> Iterator[Number]:
    """Yield a column of figures, with a unit that fits them all."""
    # Data files leave out a sum that is not whole.
    is_total = len(figure.kinds) > 1
    stated = (run.tokens.total if is_total else column.value(run) for run in facts)
    values = [each if isinstance(each, int | float) else None for each in stated]
    known = len(values) - values.count(None)
    is_shown = 10 * known >= len(values) if figure.shown is None else figure.shown
    if not (known or is_shown):
        return
    unit = figure.unit(values) if figure.unit else None
    label = unit.head(figure.label) if unit else figure.label
    bounds = (
        not run.run.is_total_exact if is_total else not run.gaps.isdisjoint(figure.kinds)
        for run in facts
    )
    at = array("I", (position for position, is_bound in enumerate(bounds) if is_bound))
    yield Number(column.key, label, values, unit, at, is_shown, figure)


def _scores(entries: Sequence[Entry]) -> Iterator[Number]:
    """Yield a column of each score, with its unit in the head where all runs state the same."""
    frequent = columns.score_names(entries)
    measures = {measure.name: measure for measure in score_measures(entries)}
    units = score_columns(entries)
    for name in sorted(frequent, key=natural_order):
        scores = [{score.name: score for score in entry.scores}.get(name) for entry in entries]
        values = [score.value if score else None for score in scores]
        key = (
            columns.score_key(name).replace("%", "%25").replace(",", "%2C")
        )  # in addresses, commas divide columns
        unit = units[name]
        known = len(values) - values.count(None)
        is_shown = name in frequent[:SCORES_SHOWN] and 4 * known >= len(values)
        yield Number(key, unit.head(name), values, unit, is_shown=is_shown, measure=measures[name])


def _category(
    column: columns.RunColumn,
    names: columns.Names,
    facts: Sequence[columns.RunFacts],
    *,
    has_tasks: bool,
) -> Iterator[Category]:
    """Yield a column of names, listed in their order, else in natural order; `has_tasks` says that each run has a
    task."""
    found: dict[tuple[str, ...], int] = {}
    as_found = array(
        "I",
        (found.setdefault(_several(column.value(run), names.empty), len(found)) for run in facts),
    )
    used = {name for several in found for name in several}
    if not used:
        return
    listed = [str(name) for name in names.order if name in used] or sorted(used, key=natural_order)
    at = {name: position for position, name in enumerate(listed)}
    positions = [tuple(at[name] for name in several) for several in found]
    sets = sorted(positions)
    place = {each: position for position, each in enumerate(sets)}
    is_said = column.key == "model" and has_tasks  # by the names of the runs
    is_shown = (len(found) > 1 if names.shown is None else names.shown) and not is_said
    codes = array("I", map([place[each] for each in positions].__getitem__, as_found))
    details = [run.run.status_detail for run in facts] if column.key == "status" else ()
    yield Category(column.key, names, tuple(listed), tuple(sets), codes, is_shown, details)


def _several(stated: columns.Cell, empty: str) -> tuple[str, ...]:
    """Return the names of a run, each once; `empty` in place of none, if there is such a name."""
    if isinstance(stated, list):
        return tuple(dict.fromkeys(stated)) or ((empty,) if empty else ())
    return (stated,) if isinstance(stated, str) else ()


def short(value: float | None) -> float | None:
    """Return a value without the last digits of a sum of floats, which say nothing: to 1e-10, as exact as any page
    writes money."""
    return round(value, 10) if isinstance(value, float) else value
