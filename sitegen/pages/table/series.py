"""The columns of the table with the values of some runs: their cells, and what the scripts of rows say of them."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

from sitegen import figures
from sitegen.fields import Field, RunFacts, fields_of
from sitegen.figures import UNKNOWN, StatusView, outcome_view, status_view
from sitegen.model import Entry, Outcome, Status, Total
from sitegen.numbers.statistics import ScoreMeasure, score_measures
from sitegen.pages.views import in_address, model_class
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


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a field."""

    field: Field

    @property
    def key(self) -> str:
        """The name of the column in addresses."""
        return in_address(self.field.key)


@dataclass(frozen=True, slots=True)
class Number(_Column):
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    label: str  # the head, with the unit
    values: Sequence[float | None]
    unit: figures.FigureFormat | None  # None for times, which are written as min:s
    bounds: Sequence[int] = ()  # positions of the runs whose figure is a lower bound, in order
    is_shown: bool = False  # whether the table has it before its reader chooses columns
    measure: ScoreMeasure | None = None  # the score; None for other numbers

    @property
    def css(self) -> str:
        """The CSS class of its cells."""
        return "n"

    def text(self, value: float | None, lower_bound: bool = False) -> str:
        """Return a figure of the column; a lower bound carries a plus."""
        text = self.unit.write(value) if self.unit else figures.clock(value)
        return f"{text}+" if lower_bound and value is not None else text

    def cell(self, position: int) -> CellView:
        """Return the cell of a run."""
        place = bisect_left(self.bounds, position)
        is_bound = place < len(self.bounds) and self.bounds[place] == position
        return CellView(self.text(self.values[position], is_bound), "n")

    def sum(self) -> CellView:
        """Return the sum of all runs; empty where a sum says nothing."""
        if not self.field.is_summed:
            return CellView("", "n")
        total = Total.of(self.values)
        is_bound = bool(total.unknown or self.bounds)
        if self.unit:
            return CellView(self.text(total.value, is_bound), "n")
        plus = "+" if is_bound and total.known else ""
        return CellView(figures.clock_total(total.value) + plus, "n")

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it."""
        described: dict[str, object] = {"clock": True}
        if self.unit:
            described = {"divisor": self.unit.divisor, "decimals": self.unit.decimals}
        if self.measure and self.unit:
            described |= {"score": self.measure.name, "unit": self.unit.unit}
            if self.measure.is_ratio or self.measure.is_share:
                described["ratio" if self.measure.is_ratio else "share"] = True
            if self.measure.lower_is_better:
                described["lower"] = True
        if self.is_total:
            described["parts"] = [f"{kind}_tokens" for kind in self.field.parts]
        described["summed"] = self.field.is_summed
        return described

    @property
    def is_total(self) -> bool:
        """Whether it follows from other columns."""
        return len(self.field.parts) > 1

    def packed(self, rows: range) -> object:
        """Return its values and the positions of its lower bounds; None where they follow from other columns."""
        if self.is_total:
            return None
        values = list(self.values[rows.start : rows.stop])
        if not self.field.is_stated:
            values = list(map(short, values))
        first = bisect_left(self.bounds, rows.start)
        last = bisect_left(self.bounds, rows.stop)
        return [values, list(self.bounds[first:last])]


def state_of(field: Field, name: str, detail: str | None = None) -> StatusView | None:
    """Return a name as a word with a sign, where pages write the names of its field so; `detail` stands behind it."""
    if field.key == "status":
        return status_view(Status(name), detail)
    is_verdict = field.key == "outcome" or field.key.startswith("verdict.")
    return outcome_view(Outcome(name)) if is_verdict else None


@dataclass(frozen=True, slots=True)
class Category(_Column):
    """A column of names that repeat, such as models."""

    names: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    """The positions of names that a run has: none, one, or, of labels, several; each that there is once, in order."""
    codes: array[int]  # the position of the set of each run
    is_shown: bool
    details: Sequence[str | None] = ()
    """The text behind the name of each run; empty where there is none."""

    @property
    def label(self) -> str:
        """The head; empty where it is not a column of its own."""
        return self.field.title

    @property
    def has_signs(self) -> bool:
        """Whether its names are words with a sign."""
        return state_of(self.field, self.names[0]) is not None

    @property
    def is_late(self) -> bool:
        """Whether a page loads it only when its reader asks for it."""
        return self.field.is_stated and not self.is_shown

    @property
    def css(self) -> str:
        """CSS class of its cells, which a phone leaves out of a long table; those with signs stay."""
        return "" if self.has_signs else "names"

    def text(self, place: int) -> str:
        """Return a name as it is shown."""
        state = state_of(self.field, self.names[place])
        return state.word if state else self.names[place]

    def cell(self, position: int) -> CellView:
        """Return the cell of a run."""
        names = [self.names[place] for place in self.sets[self.codes[position]]]
        if not self.has_signs:
            text = ", ".join(names) or UNKNOWN
            slug = model_class(text) if self.key == "model" else None
            return CellView(text, self.css, is_of_run=True, model_slug=slug)
        if not names:
            return CellView(UNKNOWN)
        detail = self.details[position] if self.details else None
        return CellView(state=state_of(self.field, names[0], detail))

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it before it has its values."""
        described: dict[str, object] = {"none": self.field.missing}
        described |= {"late": True} if self.is_late else self._listed()
        if self.field.tooltip:
            described["title"] = self.field.tooltip
        if self.field.empty:
            described["empty"] = self.field.empty
        return described

    def _listed(self) -> dict[str, object]:
        """Return its names, and how they are shown."""
        listed: dict[str, object] = {"names": self.names}
        if self.field.kind == "list":
            listed["sets"] = self.sets
        if self.has_signs:
            states = filter(None, (state_of(self.field, name) for name in self.names))
            listed["looks"] = [(state.word, state.sign, state.role) for state in states]
        elif self.key == "model":
            listed["looks"] = [(model_class(name),) for name in self.names]
        return listed

    def packed(self, rows: range) -> object:
        """Return for each run the position of its name, or of its set of names; behind the last where it has none. What
        is late comes with its names."""
        codes: list[int] = list(self.codes[rows.start : rows.stop])
        if self.field.kind != "list":
            places = [min(places, default=len(self.names)) for places in self.sets]
            codes = [places[code] for code in codes]
        return {**self._listed(), "codes": codes} if self.is_late else codes


@dataclass(frozen=True, slots=True)
class TextSeries(_Column):
    """A column of texts of which hardly two are alike, such as moments: asked of the runs when they are wanted."""

    facts: Sequence[RunFacts]

    @property
    def label(self) -> str:
        """The head."""
        return self.field.title

    @property
    def is_shown(self) -> bool:
        """Whether the table has it before its reader chooses columns."""
        return bool(self.field.shown)

    @property
    def css(self) -> str:
        """The CSS class of its cells."""
        return ""

    def text(self, facts: RunFacts) -> str | None:
        """Return the text of a run."""
        value = self.field.value(facts)
        return None if value is None else str(value)

    def cell(self, position: int) -> CellView:
        """Return the cell of a run; a moment to the minute."""
        text = self.text(self.facts[position]) or UNKNOWN
        is_time = self.field.kind == "time"
        return CellView(text[:16].replace("T", " ") if is_time else text, is_of_run=True)

    def described(self) -> dict[str, object]:
        """Return what a script has to know of it."""
        return {}

    def packed(self, rows: range) -> object:
        """Return its values."""
        return [self.text(self.facts[position]) for position in rows]


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars behind the costs: a bar for each, as long as its share of `longest`; longer ones are cut there, and a
    gap in them says so."""

    values: Sequence[float | None]
    longest: float  # more than nothing
    key: str = "bar"
    label: str = ""
    css: str = ""

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


_UNITS: Mapping[str, Callable[[Iterable[float | None]], figures.FigureFormat]] = {
    "count": figures.count_column,
    "money": figures.money_column,
    "score": partial(figures.score_column, ""),
}


def all_series(entries: Sequence[Entry]) -> Iterator[Series]:
    """Yield the columns of the table, in its order; what no run has is left out, but for figures that are shown."""
    facts = list(map(RunFacts.of, entries))
    fields = [field for field in fields_of(entries) if field.place is not None]
    scores = {measure.key: measure for measure in score_measures(entries)}
    frequent = [field.key for field in fields if field.key in scores][:SCORES_SHOWN]
    for field in sorted(fields, key=partial(_table_order, scores)):
        if field.is_category:
            yield from _category(field, facts)
        elif field.is_number:
            score = scores.get(field.key)
            yield from _number(field, facts, score, is_frequent=field.key in frequent)
        else:
            texts = TextSeries(field, facts)
            if any(map(texts.text, facts)):
                yield texts


def _table_order(scores: Container[str], field: Field) -> Any:
    """Return the place of a field in the table; scores are in natural order."""
    return field.place, natural_order(field.name) if field.key in scores else ()


def _number(
    field: Field, facts: Sequence[RunFacts], score: ScoreMeasure | None, *, is_frequent: bool
) -> Iterator[Number]:
    """Yield a column of figures, with a unit that fits them all."""
    stated = map(field.value, facts)
    are_bounds = (not run.gaps.isdisjoint(field.parts) for run in facts)
    if len(field.parts) > 1:
        # Data files leave out a sum that is not whole.
        stated = map(attrgetter("tokens.total"), facts)
        are_bounds = (not run.run.is_total_exact for run in facts)
    values = [value if isinstance(value, int | float) else None for value in stated]
    known = len(values) - values.count(None)
    is_shown = 10 * known >= len(values) if field.shown is None else bool(field.shown)
    if score:
        is_shown = is_frequent and 4 * known >= len(values)
    if not (known or is_shown):
        return
    unit = None if field.format == "clock" else _UNITS.get(field.format, _whole)(values)
    if unit and field.unit:
        unit = replace(unit, unit=field.unit)
    label = unit.head(field.title) if unit else field.title
    bounds = array("I", (position for position, is_bound in enumerate(are_bounds) if is_bound))
    yield Number(field, label, values, unit, bounds, is_shown, score)


def _whole(_: Iterable[float | None]) -> figures.FigureFormat:
    """Return the format of small counts: in full."""
    return figures.FigureFormat("", 1, 0)


def _category(field: Field, facts: Sequence[RunFacts]) -> Iterator[Category]:
    """Yield a column of names, listed in their order, else in natural order."""
    numbers: dict[tuple[str, ...], int] = {}
    as_found = [numbers.setdefault(tuple(field.names(run)), len(numbers)) for run in facts]
    used = set(chain(*numbers))
    if not used:
        return
    listed = [str(name) for name in field.order if name in used] or sorted(used, key=natural_order)
    places = {name: place for place, name in enumerate(listed)}
    positions = [tuple(map(places.__getitem__, names)) for names in numbers]
    sets = sorted(positions)
    code_of = {names: code for code, names in enumerate(sets)}
    codes = [code_of[names] for names in positions]
    # Names of runs with tasks have their models.
    is_named = field.key == "model" and all(run.entry.task for run in facts)
    is_shown = len(numbers) > 1 if field.shown is None else bool(field.shown)
    yield Category(
        field,
        names=tuple(listed),
        sets=tuple(sets),
        codes=array("I", map(codes.__getitem__, as_found)),
        is_shown=is_shown and not is_named,
        details=[run.run.status_detail for run in facts] if field.key == "status" else (),
    )


def short(value: float | None) -> float | None:
    """Return a value without the last digits of a sum of floats, which say nothing: to 1e-10, as exact as any page
    writes money."""
    return round(value, 10) if isinstance(value, float) else value
