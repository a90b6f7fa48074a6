"""Totals by project, person, model, week and day: the view of sessions on the first page."""

from collections.abc import Callable, Mapping, Sequence
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
_HEADINGS = {
    Dimension.PROJECT: "Project",
    Dimension.PERSON: "Person",
    Dimension.MODEL: "Main model",
}


def session_totals(entries: Sequence[Entry]) -> View:
    """Return the totals of these runs: groups by cost, weeks and days the newest first."""
    cut_short = sum(bool(_is_cut_short(entry)) for entry in entries)
    failing = sum(bool(_is_failing(entry)) for entry in entries)
    were = "was" if cut_short == 1 else "were"
    lead = (
        f"{_part(entries, _is_cut_short)} of {_cost(entries)} went into {figures.plural(cut_short, 'session')} "
        f"that {were} interrupted or stopped, "
        f"{_part(entries, _is_failing)} into {figures.plural(failing, 'session')} with failed calls in a row."
    )
    tables = []
    for dimension, heading in _HEADINGS.items():
        groups = group_by(entries, dimension)
        paths = {name: group_path(dimension.value, name) for name in groups}
        by_cost = sorted(groups, key=lambda name: -(spent(groups[name]).value or 0.0))
        tables.append(_table(heading, groups, by_cost, paths))
    for key in ("week", "day"):
        runs = by_key(entries, attrgetter(key))
        paths = {name: f"index.html#{urlencode({key: name})}" for name in runs}
        tables.append(_table(figures.capitalized(key), runs, sorted(runs, reverse=True), paths))
    return View(lead=lead, tables=[table for table in tables if table.rows])


def _is_cut_short(entry: Entry) -> bool | None:
    status = entry.run.status
    return None if status is Status.UNKNOWN else status in (Status.INTERRUPTED, Status.STOPPED)


def _is_failing(entry: Entry) -> bool | None:
    rules = signals_of(entry)
    if rules is None:
        return None
    return any(rule.key == FAILURES for rule in rules)


def _cost(entries: Sequence[Entry]) -> str:
    """Return what runs cost, marked where a part of it is at list price."""
    if not entries:
        return figures.money(0)
    is_computed = any(entry.run.cost_is_computed for entry in entries)
    return "≈ " * is_computed + figures.bounded(spent(entries), figures.money)


def _part(entries: Sequence[Entry], is_part: Callable[[Entry], bool | None]) -> str:
    """Return what those cost that are part; a lower bound where that is not known of some."""
    unknown = [entry for entry in entries if is_part(entry) is None]
    if len(unknown) == len(entries):
        return figures.UNKNOWN
    text = _cost(list(filter(is_part, entries)))
    return f"{text}+" if unknown and text[-1].isdigit() else text


def _table(
    label: str,
    groups: Mapping[str, Sequence[Entry]],
    names: Sequence[str],
    paths: Mapping[str, str],
) -> View:
    """Return the totals of groups in the order of these names."""
    costs = {name: spent(groups[name]).value or 0.0 for name in names}
    most = max(costs.values(), default=0.0) or 1.0
    rows = []
    for name in names[:MAX_ROWS]:
        runs = groups[name]
        row = View(
            link=LinkView(paths[name], name),
            runs=figures.count(len(runs)),
            # Its share of the highest cost.
            share=costs[name] / most,
            cost=_cost(runs),
            cut_short=_part(runs, _is_cut_short),
            failing=_part(runs, _is_failing),
        )
        rows.append(row)
    left = len(names) - MAX_ROWS
    more = f"and {figures.count(left)} more" if left > 0 else ""
    return View(label=label, rows=rows, more=more)
