"""The table of fields: what is known of a run, under one name on every page and in every file.

It determines the data files and their description, the exports, the table of runs with its filters, the queries of
the search, and what pages say of one run. Fields of scores, factors, verdicts and observations are made for those that
runs state; see fields.tsv.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast

from sitegen import figures
from sitegen.fields.values import (
    CLAIMS,
    TESTS,
    Cell,
    RunFacts,
    reader,
    score_key,
    stated_of,
)
from sitegen.model import TOKEN_KINDS, Entry, Outcome, Status
from sitegen.text.names import natural_order
from sitegen.text.tsv import rows

__all__ = [
    "BUILT_IN",
    "NOTHING",
    "SCHEMA",
    "Cell",
    "Field",
    "RunFacts",
    "fields_of",
    "find_field",
    "score_key",
    "stated_of",
]

SCHEMA = 1
"""The version of the data files; it goes up only when a field changes its meaning, and new fields do not raise it."""

MAX_SCORES = 24  # scores that are fields: of more, those that most runs have
MAX_FACTORS = 50

NOTHING = "none"
"""The text for an empty list in CSV and the table, where an empty cell means unknown."""

Kind = Literal["text", "category", "list", "whole", "number", "time", "numbers"]
Type = Literal["text", "list", "whole", "number", "time", "numbers"]
Section = Literal["", "verdict", "facts"]

_UNSUMMED = ("attempt", "context_peak_tokens")
_TOKENS = {f"{kind}_tokens": (kind,) for kind in TOKEN_KINDS}
_PARTS = {
    **_TOKENS,
    "total_tokens": TOKEN_KINDS,
    "cost_usd": ("cost",),
    "computed_cost_usd": ("cost",),
}
_ORDERS: dict[str, tuple[str, ...]] = {
    "status": tuple(Status),
    "outcome": tuple(Outcome),
    "verdict": tuple(Outcome),
    "tests": TESTS,
    "claimed": tuple(CLAIMS.values()),
}
_WRITERS: dict[str, figures.Write] = {
    "money": figures.money,
    "clock": figures.duration,
    "score": figures.score,
}
# Factors with a field of another name, which pages and the table have already.
_SHOWN_BY_OTHERS = ("effort", "project", "person", "agent_version")


@dataclass(frozen=True, slots=True)
class Field:
    """A fact about runs; its parts are the columns of fields.tsv."""

    key: str
    kind: Kind
    source: str
    format: str
    place: float | None
    shown: bool | None
    """Whether the table shows it at first; None: where runs differ in it, or a tenth of them have it."""
    page: Section
    title: str
    missing: str
    tooltip: str
    about: str
    unit: str = ""

    @property
    def value(self) -> Callable[[RunFacts], Cell]:
        """The function that takes its value from the facts of a run."""
        return reader(self.source, self.key)

    @property
    def type(self) -> Type:
        """The type of its values in data files."""
        return "text" if self.kind == "category" else self.kind

    @property
    def is_number(self) -> bool:
        """Whether it can be added up and compared."""
        return self.kind in ("whole", "number")

    @property
    def is_category(self) -> bool:
        """Whether runs can be divided by it."""
        return self.kind in ("category", "list")

    @property
    def is_stated(self) -> bool:
        """Whether it exists only because runs state it."""
        return self.source == "stated"

    @property
    def is_summed(self) -> bool:
        """Whether a sum over runs means something."""
        return self.format != "score" and self.key not in _UNSUMMED

    @property
    def parts(self) -> tuple[str, ...]:
        """The counts that it adds up; where a run does not report all of them, it is a lower bound."""
        return _PARTS.get(self.key, ())

    @property
    def order(self) -> tuple[str, ...]:
        """The order of its names; empty for natural order."""
        return _ORDERS.get(self.key.partition(".")[0], ())

    @property
    def empty(self) -> str:
        """The name of runs with an empty list, where a run without a list is unknown."""
        return NOTHING if self.key == "signals" else ""

    @property
    def has_none(self) -> bool:
        """Whether a run without a name is known to have none, where for other fields it is unknown."""
        return self.missing in (NOTHING, "not excluded")

    @property
    def name(self) -> str:
        """Its short name; others may have the same."""
        return short_name(self.key)

    def names(self, facts: RunFacts) -> list[str]:
        """Return the names that a run has of a category, each once."""
        value = self.value(facts)
        if isinstance(value, list):
            return list(dict.fromkeys(value or filter(None, [self.empty])))
        return [] if value is None else [str(value)]

    def text(self, value: Cell) -> str:
        """Return a value as pages write it."""
        if isinstance(value, list):
            return ", ".join(value)
        if isinstance(value, int | float):
            return figures.with_unit(_WRITERS.get(self.format, figures.count)(value), self.unit)
        return figures.UNKNOWN if value is None else str(value)


_SHOWN = {"yes": True, "no": False, "": False, "some": None}


def _field(row: Sequence[str]) -> Field:
    """Return the field of a row of fields.tsv."""
    key, kind, source, form, place, shown, page, *texts = row
    return Field(
        key,
        cast(Kind, kind),
        source,
        form,
        float(place) if place else None,
        _SHOWN[shown],
        cast(Section, page),
        *texts,
    )


FIELDS = tuple(map(_field, rows(__file__, "fields.tsv")))
"""The fields in the order of the data files, those that are stated as patterns."""

BUILT_IN = tuple(field for field in FIELDS if not field.is_stated)
"""The fields that all runs have."""


def fields_of(entries: Iterable[Entry]) -> tuple[Field, ...]:
    """Return the fields of these runs: those that all have, and those that one of them states."""
    entries = list(entries)
    frequencies = Counter(key for entry in entries for key in stated_of(entry))
    del frequencies["factor.agent"]  # the field `agent` has it
    if _table_of_cache[0] is not FIELDS:  # tests replace the table
        _fields_by_keys.cache_clear()
        _table_of_cache[0] = FIELDS
    return _fields_by_keys(tuple(frequencies.items()), tuple(_units(entries).items()))


_table_of_cache: list[Sequence[Field]] = [FIELDS]


@lru_cache(maxsize=64)
def _fields_by_keys(
    frequencies: tuple[tuple[str, int], ...],
    units: tuple[tuple[str, str], ...],
) -> tuple[Field, ...]:
    """Return the fields of runs that state these keys so often; most runs of a campaign state the same."""
    counts, unit_of = Counter(dict(frequencies)), dict(units)
    fields: list[Field] = []
    for field in FIELDS:
        fields += _expand(field, counts) if field.is_stated else [field]
    for at, field in enumerate(fields):
        if field.key in unit_of:
            fields[at] = replace(field, unit=unit_of[field.key])
        if _is_shown_by_other(field, counts):
            fields[at] = replace(field, place=None, page="")
    return tuple(fields)


def _is_shown_by_other(field: Field, keys: Container[str]) -> bool:
    """Return whether a field of a factor says what another field says, so that pages leave it out."""
    is_factor = field.key.startswith("factor.")
    return is_factor and (field.name in _SHOWN_BY_OTHERS or f"reference.{field.name}" in keys)


def _units(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the units of scores by the keys of their fields, where all runs state the same."""
    units: dict[str, set[str]] = {}
    for entry in entries:
        for score in entry.scores:
            units.setdefault(score_key(score.name), set()).add(score.unit or "")
    return {key: unit.pop() for key, unit in units.items() if len(unit) == 1}


def _expand(pattern: Field, frequencies: Counter[str]) -> list[Field]:
    """Return the fields that a pattern stands for."""
    if not pattern.key.endswith("*"):
        return [pattern] if pattern.key in frequencies else []
    prefix = pattern.key.removesuffix("*")
    keys = [key for key in frequencies if key.startswith(prefix)]
    if prefix == score_key(""):
        keys = sorted(keys, key=lambda key: (-frequencies[key], natural_order(key)))[:MAX_SCORES]
    return [_named(pattern, key.removeprefix(prefix)) for key in keys[:MAX_FACTORS]]


def _named(pattern: Field, name: str) -> Field:
    """Return the field of one name."""
    key = pattern.key.replace("*", name)
    title = figures.as_title(pattern.title.replace("{}", name))
    about = pattern.about.replace("{}", name)
    return replace(pattern, key=key, title=title, about=about)


def short_name(key: str) -> str:
    """Return a key without the kind of statement: `hard` for `verdict.hard`."""
    return key.partition(".")[2] or key


def find_field(fields: Sequence[Field], name: str) -> Field | None:
    """Return the field of a key, or of a short name that only one of those has which pages show."""
    by_key = {field.key: field for field in fields}
    named = [field for field in fields if field.name == name and field.place is not None]
    return by_key.get(name) or (named[0] if len(named) == 1 else None)
