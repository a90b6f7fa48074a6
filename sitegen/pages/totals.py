"""Totals by project, person, model, week and day: the view of sessions on the first page."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from urllib.parse import urlencode

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, Status, by_key
from sitegen.numbers.signal_rules import signals_of
from sitegen.numbers.statistics import Dimension, group_by, spent
from sitegen.pages.views import LinkView, group_path
from sitegen.readers.common.signals import FAILURES

MAX_ROWS = 14  # rows of a table: two weeks of days
_LABELS = {Dimension.PROJECT: "Project", Dimension.PERSON: "Person", Dimension.MODEL: "Main model"}


def session_totals(entries: Sequence[Entry]) -> View:
    """Return the totals of these runs: groups by cost, weeks and days the newest first."""
    cut = list(filter(_is_cut_short, entries))
    failing = list(filter(_is_failing, entries))
    of = f"{_part(entries, _is_cut_short)} of {_cost(entries)}"
    were = "was" if len(cut) == 1 else "were"
    lead = (
        f"{of} went into {figures.plural(len(cut), 'session')} that {were} interrupted or stopped, "
        f"{_part(entries, _is_failing)} into {figures.plural(len(failing), 'session')} with failed calls in a row."
    )
    tables = [
        _table(label, group_by(entries, by), partial(group_path, by.value))
        for by, label in _LABELS.items()
    ]
    for key in ("week", "day"):
        groups = by_key(entries, attrgetter(key))
        newest = dict(sorted(groups.items(), reverse=True))
        tables.append(
            _table(figures.capitalized(key), newest, partial(_filtered, key), by_cost=False)
        )
    return View(lead=lead, tables=tuple(each for each in tables if each.rows))


def _is_cut_short(entry: Entry) -> bool | None:
    status = entry.run.status
    return None if status is Status.UNKNOWN else status in (Status.INTERRUPTED, Status.STOPPED)


def _is_failing(entry: Entry) -> bool | None:
    rules = signals_of(entry)
    return None if rules is None else any(rule.key == FAILURES for rule in rules)


def _cost(entries: Sequence[Entry]) -> str:
    """Return what runs cost, marked where a part of it is at list price."""
    if not entries:
        return figures.money(0)
    is_computed = any(entry.run.cost_is_computed for entry in entries)
    return "≈ " * is_computed + figures.bounded(spent(entries), figures.money)


def _part(entries: Sequence[Entry], is_part: Callable[[Entry], bool | None]) -> str:
    """Return what those cost that are part; a lower bound where that is not known of some."""
    answers = list(map(is_part, entries))
    text = _cost([entry for entry, answer in zip(entries, answers, strict=True) if answer])
    if all(answer is None for answer in answers):
        return figures.UNKNOWN
    return f"{text}+" if None in answers and text[-1].isdigit() else text


def _filtered(key: str, name: str) -> str:
    return f"index.html#{urlencode({key: name})}"


def _table(
    label: str,
    groups: Mapping[str, Sequence[Entry]],
    path: Callable[[str], str],
    *,
    by_cost: bool = True,
) -> View:
    costs = {name: spent(own).value or 0.0 for name, own in groups.items()}
    names = sorted(groups, key=lambda name: -costs[name] * by_cost)
    most = max(costs.values(), default=0.0) or 1.0

    def row(name: str) -> View:
        own = groups[name]
        cost = {
            "cost": _cost(own),
            "cut_short": _part(own, _is_cut_short),
            "failing": _part(own, _is_failing),
        }
        return View(
            link=LinkView(path(name), name),
            runs=figures.count(len(own)),
            # Its share of the highest cost.
            share=costs[name] / most,
            **cost,
        )

    left = len(names) - MAX_ROWS
    return View(
        label=label,
        rows=tuple(map(row, names[:MAX_ROWS])),
        more=f"and {figures.count(left)} more" if left > 0 else "",
    )
