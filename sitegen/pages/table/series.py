"""The columns of the table with the values of some runs: their cells, and what the scripts of rows say of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import UNKNOWN, StatusView, outcome_view, status_view
from sitegen.model import Entry, Outcome, Status, Total
from sitegen.names import natural_order
from sitegen.numbers.scores import score_measures
from sitegen.pages.table.columns import (
    COLUMNS,
    TABLE_ORDER,
    Cell,
    Facts,
    Figure,
    Moment,
    Names,
    Said,
    score_key,
    score_names,
)
from sitegen.pages.views import model_class

SCORES_SHOWN = 2
"""Columns of scores that the table shows before its reader chooses, where a quarter of the runs have the score."""


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the table: its text, or what is drawn in place of it."""

    text: str = ""
    css: str = ""
    """CSS class: `n` of figures, `names` of names, `muted` of what the foot says in words."""
    is_of_run: bool = False
    """Whether the text comes from the run."""
    model_slug: str | None = None
    """CSS class suffix of the model whose colour stands before its name."""
    state: StatusView | None = None
    bar: str | None = None
    """Share of the longest bar, in per cent; nothing is drawn where the cost is unknown."""
    is_cut: bool = False
    """Whether the bar would be longer."""


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    key: str
    label: str
    """The head, with the unit."""
    values: tuple[float | None, ...]
    unit: figures.Column | None
    """None for times, which are written as min:s."""
    bounds: frozenset[int] = frozenset()
    """Positions of the runs whose figure is a lower bound."""
    is_shown: bool = False
    """Whether the table has it before its reader chooses columns."""
    is_summed: bool = False
    kinds: tuple[str, ...] = ()
    """Kinds of tokens that it adds up."""
    score: str | None = None
    """Name of the score; None for a figure of the run itself."""
    is_ratio: bool = False
    """Of a score: whether its mean is the geometric one."""
    lower_is_better: bool = False

    def text(self, value: float | None, lower_bound: bool = False) -> str:
        """A figure of the column; a lower bound carries a plus."""
        text = self.unit.write(value) if self.unit else figures.clock(value)
        return f"{text}+" if lower_bound and value is not None else text

    def cell(self, position: int) -> CellView:
        """Of a run."""
        return CellView(self.text(self.values[position], position in self.bounds), "n")

    def sum(self) -> CellView:
        """Of all runs; empty where a sum says nothing."""
        total = Total.of(self.values)
        if not self.is_summed:
            return CellView("", "n")
        is_bound = bool(total.unknown or self.bounds)
        if self.unit is None:
            return CellView(figures.clock_total(total.value) + ("+" if is_bound and total.known else ""), "n")
        return CellView(self.text(total.value, is_bound), "n")

    def described(self) -> dict[str, object]:
        """What a script has to know of it."""
        said: dict[str, object] = {"clock": True}
        if self.unit:
            said = {"divisor": self.unit.divisor, "decimals": self.unit.decimals}
        if self.score is not None and self.unit:
            said |= {"score": self.score, "unit": self.unit.unit}
            said |= ({"ratio": True} if self.is_ratio else {}) | ({"lower": True} if self.lower_is_better else {})
        said |= {"parts": [f"{kind}_tokens" for kind in self.kinds]} if len(self.kinds) > 1 else {}
        return said | {"summed": self.is_summed}

    def packed(self) -> object:
        """Its values and the positions of its lower bounds; None where they follow from other columns."""
        if len(self.kinds) > 1:
            return None
        return [self.values if self.score else [_short(value) for value in self.values], sorted(self.bounds)]

    def widths(self) -> Iterable[float]:
        """How wide each of its cells is, in whatever unit."""
        return (abs(value or 0) for value in self.values)


_VIEWS: Mapping[str, Callable[[str, str | None], StatusView]] = {
    "status": lambda name, detail: status_view(Status(name), detail),
    "outcome": lambda name, _: outcome_view(Outcome(name)),
}
"""The columns whose names are shown as words with a sign: how, with what stands behind the name of a run."""


@dataclass(frozen=True, slots=True)
class Category:
    """A column of names that repeat, such as models."""

    key: str
    label: str
    """Empty where it is no column of its own."""
    names: tuple[str, ...]
    """Each once, in the order in which they are listed."""
    values: tuple[tuple[int, ...], ...]
    """For each run the positions of its names: none, one, or, of labels, several."""
    none: str
    """What the runs without a name are called."""
    is_shown: bool
    details: tuple[str | None, ...] = ()
    """What stands behind the name of each run; empty where nothing does."""
    title: str = ""
    """What the head says when it is pointed at."""

    @property
    def css(self) -> str:
        """CSS class of its cells, which a phone leaves out of a long table; those with signs stay."""
        return "" if self.key in _VIEWS else "names"

    def text(self, at: int) -> str:
        """A name as it is shown."""
        return _VIEWS[self.key](self.names[at], None).word if self.key in _VIEWS else self.names[at]

    def cell(self, position: int) -> CellView:
        """Of a run."""
        names = [self.names[at] for at in self.values[position]]
        if self.key in _VIEWS:
            detail = self.details[position] if self.details else None
            return CellView(state=_VIEWS[self.key](names[0], detail)) if names else CellView(UNKNOWN)
        text = ", ".join(names) or UNKNOWN
        slug = model_class(text) if self.key == "model" else None
        return CellView(text, self.css, is_of_run=True, model_slug=slug)

    def described(self) -> dict[str, object]:
        """What a script has to know of it."""
        said: dict[str, object] = {"names": self.names, "none": self.none}
        if self.key == "labels":
            said["sets"] = sorted(set(self.values))
        if self.key in _VIEWS:
            views = (_VIEWS[self.key](name, None) for name in self.names)
            said["looks"] = [(view.word, view.sign, view.role) for view in views]
        elif self.key == "model":
            said["looks"] = [(model_class(name),) for name in self.names]
        return said | ({"title": self.title} if self.title else {})

    def packed(self) -> object:
        """For each run the position of its name, or of its set of names; behind the last where it has none."""
        if self.key == "labels":
            at = {each: position for position, each in enumerate(sorted(set(self.values)))}
            return [at[each] for each in self.values]
        return [each[0] if each else len(self.names) for each in self.values]

    def widths(self) -> Iterable[float]:
        """Characters of the names of each run and of what stands behind them."""
        lengths = [len(self.text(at)) + 2 for at in range(len(self.names))]
        details = self.details or (None,) * len(self.values)
        for positions, detail in zip(self.values, details, strict=True):
            yield sum(lengths[at] for at in positions) + len(detail or "")


@dataclass(frozen=True, slots=True)
class Moments:
    """A column of moments, ISO 8601 in UTC."""

    key: str
    label: str
    values: tuple[str | None, ...]
    is_shown: bool

    def cell(self, position: int) -> CellView:
        """Of a run, to the minute."""
        return CellView((self.values[position] or UNKNOWN)[:16].replace("T", " "), is_of_run=True)

    def described(self) -> dict[str, object]:
        """What a script has to know of it."""
        return {}

    def packed(self) -> object:
        """Its values."""
        return self.values

    def widths(self) -> Iterable[float]:
        """Whether each run has one: all are of one width."""
        return map(bool, self.values)


@dataclass(frozen=True, slots=True)
class Sentences:
    """A column of sentences, which comes with the columns that nobody sees at first."""

    key: str
    label: str
    values: tuple[str | None, ...]
    is_shown: bool

    def cell(self, position: int) -> CellView:
        """Of a run."""
        return CellView(self.values[position] or UNKNOWN, is_of_run=True)

    def described(self) -> dict[str, object]:
        """What a script has to know of it."""
        return {}

    def packed(self) -> object:
        """Its values."""
        return self.values

    def widths(self) -> Iterable[float]:
        """Characters of each."""
        return (len(value or "") for value in self.values)


@dataclass(frozen=True, slots=True)
class Bars:
    """What stands behind the costs: a bar for each, as long as its share of `longest`; longer ones are cut there, and a
    gap in them says so."""

    values: tuple[float | None, ...]
    longest: float
    """More than nothing."""
    key: str = "bar"
    label: str = ""

    def cell(self, position: int) -> CellView:
        """Of a run."""
        value = self.values[position]
        share = (value or 0) / self.longest
        return CellView(bar=f"{100 * min(share, 1):.3g}", is_cut=share > 1)


def longest_bar(values: Iterable[float | None]) -> float:
    """The largest value, or where it is more than twice that of 95 in 100 runs, theirs: one run of $90 among those of
    $1 would leave no bar to be seen."""
    known = sorted(value for value in values if value)
    if not known:
        return 0.0
    most = known[math.ceil(0.95 * len(known)) - 1]
    return most if known[-1] > 2 * most else known[-1]


Series = Number | Category | Moments | Sentences


def all_series(entries: Sequence[Entry]) -> Iterator[Series]:
    """The columns of the table, in its order; what no run has is left out, but for figures that are shown."""
    runs = [Facts.of(entry) for entry in entries]
    by_key = {column.key: column for column in COLUMNS}
    for column in map(by_key.__getitem__, TABLE_ORDER):
        made: Iterable[Series]
        match column.table:
            case Figure() as figure:
                made = [_number(column.key, figure, map(column.value, runs), runs)]
            case Names() as names:
                made = [_category(column.key, names, map(column.value, runs), entries)]
            case Moment(label, is_shown):
                made = [Moments(column.key, label, tuple(entry.started_at for entry in entries), is_shown)]
            case Said(label, is_shown):
                made = [Sentences(column.key, label, tuple(entry.note for entry in entries), is_shown)]
            case _:
                made = _scores(entries)
        yield from (each for each in made if _has_something(each))


def _has_something(series: Series) -> bool:
    if isinstance(series, Category):
        return bool(series.names)
    return any(value is not None for value in series.values) or (isinstance(series, Number) and series.is_shown)


def _number(key: str, figure: Figure, stated: Iterable[object], runs: Sequence[Facts]) -> Number:
    """A column of figures, with a unit that fits them all."""
    values = tuple(value if isinstance(value, (int, float)) else None for value in stated)
    if len(figure.kinds) > 1:  # data files leave out a sum that is not whole
        values = tuple(run.tokens.total for run in runs)
    gaps = (at for at, run in enumerate(runs) if not run.gaps.isdisjoint(figure.kinds))
    unit = figure.unit(values) if figure.unit else None
    label = unit.head(figure.label) if unit else figure.label
    known = sum(value is not None for value in values)
    is_shown = 10 * known >= len(values) if figure.shown is None else figure.shown
    return Number(key, label, values, unit, frozenset(gaps), is_shown, figure.summed, figure.kinds)


def _scores(entries: Sequence[Entry]) -> Iterator[Number]:
    """A column for each score, with its unit in the head where all runs state the same."""
    names, measures = score_names(entries), {measure.name: measure for measure in score_measures(entries)}
    by_run = [{score.name: score for score in entry.scores} for entry in entries]
    for name in sorted(names, key=natural_order):
        stated = [scores.get(name) for scores in by_run]
        values = tuple(None if score is None else score.value for score in stated)
        units = {score.unit for score in stated if score}
        unit = figures.score_column((units.pop() or "") if len(units) == 1 else "", values)
        key = score_key(name).replace("%", "%25").replace(",", "%2C")  # in addresses, commas divide columns
        yield Number(
            key,
            unit.head(name),
            values,
            unit,
            is_shown=name in names[:SCORES_SHOWN] and 4 * (len(values) - values.count(None)) >= len(values),
            score=name,
            is_ratio=measures[name].is_ratio,
            lower_is_better=measures[name].lower_is_better,
        )


def _category(key: str, names: Names, stated: Iterable[Cell], entries: Sequence[Entry]) -> Category:
    """A column of names, listed in their order, else in natural order."""
    each = [tuple(dict.fromkeys(value)) if isinstance(value, list) else _one(value) for value in stated]
    used = {name for several in each for name in several}
    listed = [str(name) for name in names.order if name in used] or sorted(used, key=natural_order)
    at = {name: position for position, name in enumerate(listed)}
    is_shown = len(set(each)) > 1 if names.shown is None else names.shown
    if key == "model" and all(entry.task for entry in entries):
        is_shown = False  # the names of the runs say it
    return Category(
        key=key,
        label=names.label,
        names=tuple(listed),
        values=tuple(tuple(at[name] for name in several) for several in each),
        none=names.none,
        is_shown=is_shown,
        details=tuple(entry.run.status_detail for entry in entries) if key == "status" else (),
        title=names.title,
    )


def _one(name: object) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else ()


def _short(value: float | None) -> float | None:
    """Without the last digits of a sum of floats, which say nothing: to 1e-10, as exact as any page writes money."""
    return round(value, 10) if isinstance(value, float) else value
