"""The table of columns: the fields of a run in the data files, and how the table of runs presents them.

It determines data/runs.json and data/runs.csv, their dictionary on the about page, the plain table with its foot, the
columns of the scripts with all rows, and the exports of a browser.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, cast

from sitegen import figures
from sitegen.model import TOKEN_KINDS, Entry, Outcome, Run, Status, Tokens, sum_known
from sitegen.numbers import waste
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.signal_rules import signals_of
from sitegen.text.names import natural_order, run_path
from sitegen.text.tsv import rows

SCHEMA = 1
"""The version of the data files; it goes up only when a column changes its meaning, and new columns do not raise it."""

Kind = Literal["text", "whole", "number", "time", "list", "scores"]
"""The content of a column; units are in the names of numbers."""

Cell = str | int | float | None | list[str] | dict[str, float]


MAX_SCORES = 24  # the largest number of scores that are columns: of more, those that most runs have

_UNCHECKED = PriceCheck((), None, None, None, None)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run prepared for the columns: its tokens are added up once."""

    entry: Entry
    run: Run
    check: PriceCheck
    tokens: Tokens
    gaps: frozenset[str]

    @classmethod
    def of(cls, entry: Entry, check: PriceCheck | None = None) -> "RunFacts":
        """Return the facts of an entry. Without a check, the columns of list prices are unknown."""
        run = entry.run
        gaps = run.token_gaps | {"cost"} if run.cost_is_lower_bound else run.token_gaps
        return cls(entry, run, check or _UNCHECKED, run.tokens, gaps)

    def counted(self, name: str) -> float | None:
        """Return a count of its steps; None if its file does not have it."""
        count: float | None = getattr(self.run.steps, name, None)
        return count


def _whole(_: Iterable[float | None]) -> figures.FigureFormat:
    """Return the format of small counts: in full."""
    return figures.FigureFormat("", 1, 0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A column of numbers in the table."""

    label: str
    unit: Callable[[Iterable[float | None]], figures.FigureFormat] | None = _whole
    """One for all figures of the column; None for times, which are written as min:s."""
    shown: bool | None = (
        False  # whether it is shown by default; None: if a tenth of the runs have it
    )
    summed: bool = True  # whether the foot has its sum
    kinds: tuple[str, ...] = ()
    """The fields that it adds up; where a run does not report all of them, the table has a lower bound."""


@dataclass(frozen=True, slots=True)
class Names:
    """A column of names that repeat, by which runs can be filtered."""

    label: str  # empty if they are in the cells of another column
    order: tuple[str, ...] = ()  # the order in which they are listed; natural order if empty
    shown: bool | None = False  # whether it is shown by default; None: if runs differ in it
    none: str = "none"  # the label of the runs without a name
    empty: str = ""  # the name of the runs with an empty list, in a column that may be unknown
    title: str = ""  # the tooltip of its head, if the label is ambiguous


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores in the table: a numeric column for each, named after it and without a sum."""


@dataclass(frozen=True, slots=True)
class Text:
    """A column of texts that rarely repeat, such as times (ISO 8601 in UTC)."""

    label: str
    shown: bool = False


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A column of the data files."""

    key: str
    about: str
    kind: Kind
    value: Callable[[RunFacts], Cell]
    table: Figure | Names | Scores | Text | None = (
        None  # None if the table of runs does not have it
    )


NOTHING = "none"
"""The text for an empty list in CSV and the table, where an empty cell means unknown."""
_TESTS = {name: name for name in ("none", "passed", "unchecked")}
_CLAIMS = {True: "yes", False: "no"}


def _short_signals(facts: RunFacts) -> list[str] | None:
    signals = signals_of(facts.entry)
    return None if signals is None else [rule.short for rule in signals]


_FUNCTIONS: Mapping[str, Callable[[RunFacts], Cell]] = {
    "page": lambda facts: run_path(facts.entry.id),
    "title": lambda facts: facts.entry.about or facts.entry.title,
    "models": lambda facts: list(facts.entry.models),
    "model_ids": lambda facts: [line.model for line in facts.run.ledger if line.model is not None],
    "effort": lambda facts: facts.entry.factor("effort"),
    "total_tokens": lambda facts: facts.tokens.total if facts.tokens.is_total_known else None,
    "token_gaps": lambda facts: [kind for kind in TOKEN_KINDS if kind in facts.gaps],
    "outcome": lambda facts: facts.entry.outcome and facts.entry.outcome.value,
    "scores": lambda facts: {score.name: score.value for score in facts.entry.scores},
    "labels": lambda facts: list(facts.entry.labels),
    "project": lambda facts: facts.entry.factor("project"),
    "person": lambda facts: facts.entry.factor("person"),
    "patch_added_lines": lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[0],
    "patch_removed_lines": lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[1],
    "cost_bound": lambda facts: facts.run.cost_bound or None,
    "judge_tokens": lambda facts: sum_known(line.tokens.total for line in facts.run.judge),
    "cost_without_change_usd": lambda facts: waste.cost_without_change_usd(facts.run),
    "cost_rewritten_cache_usd": (
        lambda facts: waste.cost_rewritten_cache_usd(facts.run, facts.check)
    ),
    "signals": _short_signals,
    "tests": lambda facts: _TESTS.get(facts.run.steps.tests or "") if facts.run.steps else None,
    "claimed": lambda facts: None if facts.entry.claimed is None else _CLAIMS[facts.entry.claimed],
    "warnings": lambda facts: sorted({caveat.code for caveat in facts.run.caveats}),
}
"""The values of columns that are more than a field of the facts."""


def _value_of(key: str, place: str) -> Callable[[RunFacts], Cell]:
    """Return the function that takes a column's value from the facts of a run, by its place in columns.tsv."""
    if place == "steps":
        return lambda facts: facts.counted(key)
    if place == "list price":
        kind = key.removesuffix("_usd")
        return lambda facts: (facts.check.by_kind or {}).get(kind)
    return _FUNCTIONS[key] if place == "-" else attrgetter(place)


_SHOWN = {"yes": True, "no": False, "some": None}
_UNITS = {
    "whole": _whole,
    "count": figures.count_column,
    "money": figures.money_column,
    "time": None,
}
_NOT_SUMMED = ("attempt", "context_peak_tokens")
_ADDED_UP: Mapping[str, tuple[str, ...]] = {
    "cost_usd": ("cost",),
    "computed_cost_usd": ("cost",),
    "total_tokens": TOKEN_KINDS,
    **{f"{kind}_tokens": (kind,) for kind in TOKEN_KINDS},
}
_ORDERS: Mapping[str, tuple[str, ...]] = {
    "status": tuple(Status),
    "outcome": tuple(Outcome),
    "tests": tuple(_TESTS),
    "claimed": tuple(_CLAIMS.values()),
}


def _in_table(
    key: str, form: str, label: str, shown: str, unit: str, none: str, title: str
) -> Figure | Names | Scores | Text:
    """Return how the table of runs shows a column, by its row in run_table.tsv."""
    is_shown = _SHOWN[shown]
    if form == "figure":
        is_summed = key not in _NOT_SUMMED
        return Figure(label, _UNITS[unit], is_shown, is_summed, _ADDED_UP.get(key, ()))
    if form == "names":
        empty = NOTHING if key == "signals" else ""
        return Names(label, _ORDERS.get(key, ()), is_shown, none, empty, title)
    return Scores() if form == "scores" else Text(label, bool(is_shown))


_IN_TABLE = {row[0]: _in_table(*row) for row in rows(__file__, "run_table.tsv")}
TABLE_ORDER = tuple(_IN_TABLE)
"""The columns of the table, from left to right."""

COLUMNS = tuple(
    RunColumn(key, about, cast(Kind, kind), _value_of(key, place), _IN_TABLE.get(key))
    for key, kind, place, about in rows(__file__, "columns.tsv")
)
"""The columns in the order of the data files."""


def score_names(entries: Iterable[Entry]) -> list[str]:
    """Return the scores that have a column, the most frequent first."""
    frequencies = Counter(score.name for entry in entries for score in entry.scores)
    return sorted(frequencies, key=lambda name: (-frequencies[name], natural_order(name)))[
        :MAX_SCORES
    ]


def score_key(name: str) -> str:
    """Return the column of a score in the data files."""
    return f"score.{name}"
