"""The columns of the table of runs, and the two scripts that hold all its rows by column.

The scripts are what lets a table be sorted, filtered and exported as a whole, of however many runs. Their columns bear
the names of `data.COLUMNS` and their rows come in the order of data/runs.json. What repeats is listed once and referred
to by position, what follows from other columns is left out: the weight of a run decides how large a campaign can be,
and that of the first script how soon its table can be used.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sitegen import figures
from sitegen.figures import outcome_view, status_view
from sitegen.html.data_scripts import texts_script
from sitegen.model import TOKEN_KINDS, Entry, Outcome, Status
from sitegen.names import natural_order
from sitegen.pages import data
from sitegen.pages.views import model_class


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column: its head, its figures in the order of the runs, and how they are written."""

    key: str
    label: str
    """The head, with the unit."""
    values: tuple[float | None, ...]
    column: figures.Column | None
    """None for times, which are written as min:s."""
    bounds: frozenset[int] = frozenset()
    """Positions of the runs whose figure is a lower bound."""
    is_shown: bool = True
    """Whether the table has it before its reader chooses columns."""
    score: str | None = None
    """Name of the score; None for a figure of the run itself."""

    def text(self, value: float | None, lower_bound: bool = False) -> str:
        """A figure of the column; a lower bound carries a plus."""
        text = self.column.write(value) if self.column else figures.clock(value)
        return f"{text}+" if lower_bound and value is not None else text


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
    is_shown: bool = False
    none: str = "none"
    """What the runs without a name are called."""


_TOKENS = (("output", "Output", True), ("cache_read", "Cache reads", True), ("cache_write", "Cache writes", False),
           ("input", "Input", False))  # fmt: skip

SCORES = 24
"""Of more scores, those that most runs have are columns."""


def numbers(entries: Sequence[Entry]) -> tuple[Number, ...]:
    """The numeric columns, each with one unit that fits all its figures."""
    runs = [entry.run for entry in entries]
    tokens, gaps = [run.tokens for run in runs], [run.token_gaps for run in runs]
    whole = figures.Column("", 1, 0)

    def counted(key: str, label: str, counts: Iterable[int | None], bounds: frozenset[int], shown: bool) -> Number:
        values = tuple(counts)
        unit = figures.count_column(values)
        return Number(key, unit.head(label), values, unit, bounds, shown)

    def with_gap(*kinds: str) -> frozenset[int]:
        return frozenset(position for position, missing in enumerate(gaps) if missing.intersection(kinds))

    costs = tuple(run.cost_usd for run in runs)
    cost = figures.money_column(costs)
    columns = [
        Number("attempt", "Attempt", tuple(entry.attempt for entry in entries), whole, is_shown=False),
        Number("cost_usd", cost.head("Cost"), costs, cost),
        *(
            counted(f"{kind}_tokens", label, (each.kind(kind) for each in tokens), with_gap(kind), shown)
            for kind, label, shown in _TOKENS
        ),
        counted("total_tokens", "All tokens", (each.total for each in tokens), with_gap(*TOKEN_KINDS), False),
        Number("turns", "Turns", tuple(run.turns for run in runs), whole),
        Number("wall_ms", "Time, min:s", tuple(run.wall_ms for run in runs), None),
        Number("api_ms", "API time, min:s", tuple(run.api_ms for run in runs), None, is_shown=False),
        Number("denials", "Denials", tuple(run.denials for run in runs), whole, is_shown=False),
        *_scores(entries),
    ]
    return tuple(column for column in columns if column.is_shown or any(value is not None for value in column.values))


def _scores(entries: Sequence[Entry]) -> Iterable[Number]:
    """A column for each score, with its unit in the head where all runs state the same."""
    frequencies = Counter(score.name for entry in entries for score in entry.scores)
    names = sorted(frequencies, key=lambda name: (-frequencies[name], natural_order(name)))[:SCORES]
    by_run = [{score.name: score for score in entry.scores} for entry in entries]
    for name in sorted(names, key=natural_order):
        stated = [scores.get(name) for scores in by_run]
        values = tuple(None if score is None else score.value for score in stated)
        units = {score.unit for score in stated if score}
        column = figures.score_column((units.pop() or "") if len(units) == 1 else "", values)
        key = "scores." + name.replace("%", "%25").replace(",", "%2C")  # in addresses, commas divide columns
        yield Number(key, column.head(name), values, column, is_shown=False, score=name)


def categories(entries: Sequence[Entry]) -> tuple[Category, ...]:
    """The columns of names, those that no run has left out."""
    several = len({entry.campaign for entry in entries}) > 1  # else nothing tells like attempts of two apart
    columns = (
        _category("task", "Task", entries, lambda entry: _one(entry.task)),
        _category("campaign", "Campaign", entries, lambda entry: _one(entry.campaign), is_shown=several),
        _category("model", "Model", entries, lambda entry: _one(entry.model), is_shown=True),
        _category("status", "Status", entries, lambda entry: (entry.run.status.value,), tuple(Status), is_shown=True),
        _category("status_detail", "", entries, lambda entry: _one(entry.run.status_detail)),
        _category(
            "outcome", "Outcome", entries, lambda entry: _one(entry.outcome), tuple(Outcome),
            is_shown=True, none="not judged",
        ),
        _category("labels", "Labels", entries, lambda entry: tuple(dict.fromkeys(entry.labels))),
    )  # fmt: skip
    return tuple(column for column in columns if column.names)


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _category(
    key: str,
    label: str,
    entries: Sequence[Entry],
    names_of: Callable[[Entry], tuple[str, ...]],
    order: tuple[str, ...] = (),
    *,
    is_shown: bool = False,
    none: str = "none",
) -> Category:
    """A column of names, listed in `order`, else in natural order."""
    each = [names_of(entry) for entry in entries]
    used = {name for names in each for name in names}
    listed = [str(name) for name in order if name in used] or sorted(used, key=natural_order)
    at = {name: position for position, name in enumerate(listed)}
    return Category(key, label, tuple(listed), tuple(tuple(at[n] for n in names) for names in each), is_shown, none)


def looks(category: Category) -> list[tuple[str, ...]] | None:
    """For each name of a status or outcome its word, sign and CSS class; of a model the end of its CSS class."""
    if category.key == "model":
        return [(model_class(name),) for name in category.names]
    if category.key == "status":
        views = [status_view(Status(name)) for name in category.names]
    elif category.key == "outcome":
        views = [outcome_view(Outcome(name)) for name in category.names]
    else:
        return None
    return [(view.word, view.sign, view.role) for view in views]


@dataclass(frozen=True, slots=True)
class RowsScripts:
    """All rows by column, as classic scripts. Each holds texts of JSON: a browser parses those that it needs."""

    version: str
    """Of the content of both, which they state: rows of two builds must not be mixed."""
    first: bytes
    """Sets `window.sitegenRows`: what can be read of all columns, the ids, and the values of what a table shows, is
    named by or filtered by."""
    further: bytes | None
    """Sets `window.sitegenFurtherRows`: the values of the other columns; None where there are none."""


def scripts(
    entries: Sequence[Entry], name_label: str, listed: Sequence[Number], named: Sequence[Category]
) -> RowsScripts:
    """The rows of some runs.

    Names that are made of task and attempt are null: they follow from those columns. So does the sum of all tokens.
    """
    columns: list[dict[str, object]] = [
        {"key": "name", "label": name_label, "shown": True, "most": _of_most(len(entry.name) for entry in entries)}
    ]
    first: dict[str, str] = {"ids": _packed(_by_stem([entry.id for entry in entries]))}
    further: dict[str, str] = {}
    if not all(entry.task for entry in entries):
        first["name"] = _packed([None if entry.task else entry.title for entry in entries])
    for category in named:
        column: dict[str, object] = {"key": category.key, "label": category.label, "shown": category.is_shown}
        column |= {"names": category.names, "none": category.none}
        if category.key == "labels":
            sets = sorted(set(category.values))
            at = {each: position for position, each in enumerate(sets)}
            column["sets"] = sets
            first[category.key] = _packed([at[each] for each in category.values])
        else:
            without = len(category.names)
            first[category.key] = _packed([each[0] if each else without for each in category.values])
        if looked := looks(category):
            column["looks"] = looked
        column["most"] = _of_most(_widths(category, looked, entries))
        columns.append(column)
    for number in listed:
        column = {"key": number.key, "label": number.label, "shown": number.is_shown}
        column |= {"clock": True} if number.column is None else {
            "divisor": number.column.divisor,
            "decimals": number.column.decimals,
        }  # fmt: skip
        column["most"] = _of_most(abs(value or 0) for value in number.values)
        if number.score:
            column["score"] = number.score
        if number.key == "total_tokens":
            column["parts"] = [f"{kind}_tokens" for kind in TOKEN_KINDS]
        else:
            values = number.values if number.score else [_short(value) for value in number.values]
            is_first = number.is_shown or number.key == "attempt"
            (first if is_first else further)[number.key] = _packed([values, sorted(number.bounds)])
        columns.append(column)
    if any(entry.started_at for entry in entries):
        most = _of_most(bool(entry.started_at) for entry in entries)
        columns.append({"key": "started_at", "label": "Start, UTC", "shown": False, "most": most})
        further["started_at"] = _packed([entry.started_at for entry in entries])
    for column in columns:
        column["further"] = column["key"] in further
    first["head"] = _packed({"schema": data.SCHEMA, "columns": columns})
    version = hashlib.blake2b("\n".join([*first.values(), *further.values()]).encode(), digest_size=4).hexdigest()
    return RowsScripts(
        version,
        texts_script("sitegenRows", {"version": _packed(version), **first}),
        texts_script("sitegenFurtherRows", {"version": _packed(version), **further}) if further else None,
    )


def _of_most(sizes: Iterable[float]) -> int:
    """Position of the run whose cell is the widest of a column."""
    return max(enumerate(sizes), key=lambda pair: pair[1])[0]


def _widths(category: Category, looked: list[tuple[str, ...]] | None, entries: Sequence[Entry]) -> Iterator[int]:
    """Characters of the names of each run; those of a status with its detail."""
    texts = [look[0] for look in looked] if looked and category.key != "model" else category.names
    for entry, positions in zip(entries, category.values, strict=True):
        detail = entry.run.status_detail if category.key == "status" else None
        yield sum(len(texts[at]) + 2 for at in positions) + len(detail or "")


def _by_stem(ids: Iterable[str]) -> list[str]:
    """Ids by what they begin with, which attempts at a task share: `lines-claude- 1-0a1b 2-2c3d`."""
    groups = groupby(ids, key=lambda each: each.rsplit("-", 2)[0] + "-")
    return [" ".join([stem, *(each[len(stem) :] for each in group)]) for stem, group in groups]


def _packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _short(value: float | None) -> float | None:
    """Without the last digits of a sum of floats, which say nothing: to 1e-10, as exact as any page writes money."""
    return round(value, 10) if isinstance(value, float) else value
