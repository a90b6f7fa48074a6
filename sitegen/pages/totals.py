"""Totals by project, person, model, week and day: the view of sessions on the first page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from urllib.parse import urlencode

from sitegen import figures
from sitegen.figures import bounded
from sitegen.model import Entry, Status, by_key
from sitegen.numbers.behaviour import signals_of
from sitegen.numbers.statistics import Dimension, group_by, spent
from sitegen.pages import svg
from sitegen.pages.svg import Shape
from sitegen.pages.views import LinkView, group_path

MAX_ROWS = 14
"""Rows of a table: two weeks of days."""


@dataclass(frozen=True, slots=True)
class TotalView:
    """The totals of one group: a link to its runs, then figures as they are written."""

    link: LinkView
    runs: str
    cost: str
    bar: tuple[Shape, ...]
    cut_short: str
    repeated: str


@dataclass(frozen=True, slots=True)
class TotalsView:
    """The totals by one property of the runs."""

    label: str
    rows: tuple[TotalView, ...]
    more: str


@dataclass(frozen=True, slots=True)
class SessionTotalsView:
    """All totals, and what interrupted and repeated work cost."""

    lead: str
    tables: tuple[TotalsView, ...]


def session_totals(entries: Sequence[Entry]) -> SessionTotalsView:
    """Return the totals of these runs: by cost, weeks and days the newest first."""
    cut, again = list(filter(is_cut_short, entries)), list(filter(is_repeated, entries))
    whole = _cost(entries)
    lead = (
        f"{_cost(cut)} of {whole} went into {figures.plural(len(cut), 'session')} that "
        f"{'was' if len(cut) == 1 else 'were'} interrupted or stopped, "
        f"{_cost(again)} into {figures.plural(len(again), 'session')} with repeated calls."
    )
    tables = [
        _table(label, group_by(entries, by), partial(group_path, by.value), most_first=True)
        for by, label in _LABELS.items()
    ]
    for key, label in (("week", "Week"), ("day", "Day")):
        groups = by_key(entries, attrgetter(key))
        newest = {name: groups[name] for name in sorted(groups, reverse=True)}
        tables.append(_table(label, newest, partial(_filtered, key), most_first=False))
    return SessionTotalsView(lead, tuple(each for each in tables if each.rows))


_LABELS = {Dimension.PROJECT: "Project", Dimension.PERSON: "Person", Dimension.MODEL: "Main model"}


def is_cut_short(entry: Entry) -> bool:
    """Return whether a run did not come to its end: it was interrupted, or stopped from outside."""
    return entry.run.status in (Status.INTERRUPTED, Status.STOPPED)


def is_repeated(entry: Entry) -> bool:
    """Return whether a rule found the same call several times in a row."""
    return any(rule.key == "repeats" for rule in signals_of(entry) or ())


def _cost(entries: Sequence[Entry]) -> str:
    return bounded(spent(entries), figures.money) if entries else figures.money(0)


def _filtered(key: str, name: str) -> str:
    return f"index.html#{urlencode({key: name})}"


def _table(
    label: str, groups: Mapping[str, Sequence[Entry]], path: Callable[[str], str], *, most_first: bool
) -> TotalsView:
    """Return the totals of these groups, in their order or by cost."""
    costs = {name: spent(own).value or 0.0 for name, own in groups.items()}
    names = sorted(groups, key=lambda name: -costs[name]) if most_first else list(groups)
    most = max(costs.values(), default=0.0) or 1.0
    rows = tuple(
        TotalView(
            LinkView(path(name), name),
            figures.count(len(groups[name])),
            _cost(groups[name]),
            (svg.box("soft", 0.0, costs[name] / most, 2, 10),),
            _cost(list(filter(is_cut_short, groups[name]))),
            _cost(list(filter(is_repeated, groups[name]))),
        )
        for name in names[:MAX_ROWS]
    )
    left = len(names) - len(rows)
    return TotalsView(label, rows, f"and {figures.count(left)} more" if left else "")
