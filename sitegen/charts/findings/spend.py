"""The chart of spending over time: the cost of runs added up by the time they started, a line of steps for each model.

A run's cost stands at its start, because that is the only moment that is known of it; a run without a start has no
place on the line and is counted in the note instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row, spread_out
from sitegen.model import Entry, by_key
from sitegen.text.times import milliseconds_of, utc_text

FRAME = Frame(left=52, right=88, top=26, bottom=40)
_HEIGHT = 210
_MAX_STEPS = 160  # above this many runs, those that started close together are one step
_MIN_SPAN_MS = 240_000
_ROOM = 0.05  # share of the time that the lines need, from their end to their labels
_MAX_DAYS = 31  # above this many days the table has a row a month
_GAP = 30  # pixels between the labels of two lines


@dataclass(frozen=True, slots=True)
class _Line:
    """The spending of one model, or of all that share a colour."""

    name: str
    key: str
    color: str
    steps: tuple[Row, ...]
    is_open: bool  # whether runs of it are left out, so that its sums are lower bounds

    @property
    def usd(self) -> float:
        return float(self.steps[-1]["spent_usd"])


def spend(entries: Sequence[Entry], color: Callable[[str], str]) -> findings.Finding | str | None:
    """Return a line for each model, of the runs whose start and cost are known; None where no run has a start."""
    moments = {entry.id: milliseconds_of(entry.started_at) for entry in entries}
    starts = {run_id: ms for run_id, ms in moments.items() if ms is not None}
    if not starts:
        return None
    timed = [entry for entry in entries if entry.id in starts and entry.run.cost_usd is not None]
    too_little = _too_little(timed, entries)
    if too_little:
        return f"Spending over time: {too_little}."
    timed.sort(key=lambda entry: (starts[entry.id], entry.id))
    first = starts[timed[0].id]
    last = starts[timed[-1].id]
    spent = {
        name: math.fsum(map(findings.reported_usd, runs))
        for name, runs in findings.by_row(timed).items()
    }
    colors = findings.ModelColors.of(spent, color)
    unsure = [entry for entry in entries if entry.id not in starts or entry.run.exact_usd is None]
    lines = _lines(
        timed, starts, colors, {colors.labels.get(findings.row_of(entry)) for entry in unsure}
    )
    method = f"Costs added up at the start of each run, {figures.days(_iso(first), _iso(last))}, "
    method += figures.plural(len(timed), "run")
    if sum(len(line.steps) for line in lines) < len(timed):
        method += "; those that started close together are one step"
    if len(timed) < len(entries):
        left_out = figures.plural(len(entries) - len(timed), "run")
        method += f"; {left_out} with no start or no cost left out"
    if unsure:
        method += "; a line that ends open is a lower bound"
    span = max(last - first, _MIN_SPAN_MS)
    end = last + (span - (last - first)) / 2
    y = Axis.over([line.usd for line in lines], logarithmic=False)
    return findings.Finding(
        title=_title(spent, len(timed), is_open=bool(unsure)),
        note=f"{findings.of_all(len(timed), len(entries))}, by start.",
        method=f"{method}.",
        table=_table(timed, starts, lines, colors.labels, unsure),
        data=_rows(lines, y, end),
        plot=findings.Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=Axis(end - span, end + _ROOM * span, logarithmic=False),
            y=y,
            colors={line.key: line.color for line in lines},
            money=findings.money_format(map(findings.reported_usd, timed)),
        ),
        whole="Sums of all runs",
    )


def _too_little(timed: Sequence[Entry], entries: Sequence[Entry]) -> str:
    """Return why nothing is drawn: too few runs, or too small a part of the costs, have a start; empty where that is
    not so."""
    if len(timed) < findings.MIN_FOR_A_TREND:
        few = ("no run has", "one run has", "two runs have")[len(timed)]
        return f"{few} both a start and a cost, and it takes three to show a trend"
    total = math.fsum(map(findings.reported_usd, timed))
    all_usd = math.fsum(map(findings.reported_usd, entries))
    if not total:
        return "the runs whose start is known cost nothing"
    if 2 * total < all_usd:
        part = f"{figures.money(total)} of {figures.money(all_usd)}"
        return f"the runs whose start is known cost {part}"
    return ""


def _title(spent: Mapping[str, float], runs: int, *, is_open: bool) -> str:
    """Return the total, and the share of the model that cost most; where runs are left out, nobody knows that share."""
    total = math.fsum(spent.values())
    top = max(spent, key=lambda model: (spent[model], model))
    reached = f"Spending reached {figures.marked(figures.money(total), is_open)}"
    if is_open or len(spent) == 1 or not top:
        return f"{reached} in {figures.plural(runs, 'run')}"
    return f"{reached}, {figures.percent(spent[top], total)} of it by {findings.label(top)}"


def _lines(
    timed: Sequence[Entry],
    starts: Mapping[str, float],
    colors: findings.ModelColors,
    unended: Set[str | None],
) -> list[_Line]:
    """Return the lines, that of the largest sum first, those of the labels in `unended` open. `timed` is in the order
    of `starts`."""
    members = by_key(timed, lambda entry: colors.labels[findings.row_of(entry)])
    slot_ms = 0.0
    if len(timed) > _MAX_STEPS:
        span = starts[timed[-1].id] - starts[timed[0].id]
        slot_ms = max(span * len(members) / _MAX_STEPS, 1.0)
    lines = []
    for name, runs in members.items():
        models = set(map(findings.row_of, runs))
        key = findings.known(*models) if len(models) == 1 else name
        color = colors.colors[findings.row_of(runs[0])]
        steps = tuple(_steps(runs, starts, slot_ms, key))
        lines.append(_Line(name, key, color, steps, name in unended))
    return sorted(lines, key=lambda line: (-line.usd, line.name))


def _steps(
    runs: Sequence[Entry], starts: Mapping[str, float], slot_ms: float, configuration: str
) -> list[Row]:
    """Return the runs of a line; with a slot, those of each slot together at the last one's start."""
    first = starts[runs[0].id]

    def slot(entry: Entry) -> int | str:
        return int((starts[entry.id] - first) / slot_ms) if slot_ms else entry.id

    steps: list[Row] = []
    costs: list[float] = []
    for _, group in groupby(runs, slot):
        together = list(group)
        costs_of_step = list(map(findings.reported_usd, together))
        costs += costs_of_step
        columns: Row = {
            "configuration": configuration,
            "started_at": _iso(starts[together[-1].id]),
            "cost_usd": math.fsum(costs_of_step),
            "spent_usd": math.fsum(costs),
        }
        if len(together) == 1:
            steps.append(findings.run_row(together[0], **columns))
        else:
            steps.append({**columns, "name": f"{len(together):,} runs"})
    return steps


def _iso(ms: float) -> str:
    return utc_text(ms) or ""


def _table(
    timed: list[Entry],
    starts: Mapping[str, float],
    lines: list[_Line],
    labels: Mapping[str, str],
    unsure: list[Entry],
) -> findings.ChartTable:
    """Return a row for each day with runs, or for each month where those are many. The sums are lower bounds from the
    first run in `unsure` on, of which start or cost is not known; one without a start may belong to any day."""
    length = 7 if len({_iso(starts[entry.id])[:10] for entry in timed}) > _MAX_DAYS else 10
    days = {id_: _iso(ms)[:length] for id_, ms in starts.items()}
    opened = [(days.get(entry.id, ""), labels.get(findings.row_of(entry))) for entry in unsure]
    so_far: dict[str | None, float] = {line.name: 0.0 for line in lines}
    sums: list[tuple[str, int, dict[str | None, float]]] = []
    for when, together in groupby(timed, lambda entry: days[entry.id]):
        runs = list(together)
        for entry in runs:
            so_far[labels[findings.row_of(entry)]] += findings.reported_usd(entry)
        day = math.fsum(map(findings.reported_usd, runs))
        sums.append((when, len(runs), {None: day, **so_far, "": math.fsum(so_far.values())}))
    money = figures.money_column(usd for _, _, by_name in sums for usd in by_name.values())

    def written(name: str | None, row: tuple[str, int, dict[str | None, float]]) -> str:
        when, _, by_name = row
        if name is None:  # of the day alone
            is_bound = any(day in (when, "") for day, _ in opened)
        else:
            is_bound = any(day <= when and name in (label, "") for day, label in opened)
        return figures.marked(money.write(by_name[name]), is_bound)

    heads = {"Spent": None, **{f"{line.name} so far": line.name for line in lines}}
    heads |= {"All so far": ""} if len(lines) > 1 else {}
    by_head = {money.head(head): partial(written, name) for head, name in heads.items()}
    days_or_months = {"Month, UTC" if length == 7 else "Day, UTC": itemgetter(0)}
    return findings.ChartTable.of(
        sums, days_or_months, {"Runs": lambda row: figures.count(row[1]), **by_head}
    )


def _rows(lines: Sequence[_Line], y: Axis, end: float) -> dict[str, list[Row]]:
    """Return the steps, the lines through them, and where these end, with the heights of their names."""
    data: dict[str, list[Row]] = {"runs": [], "lines": [], "totals": []}
    heights = [_HEIGHT * y.share(line.usd) for line in reversed(lines)]  # from the lowest up
    places = reversed(spread_out(heights, _GAP, _GAP / 2, _HEIGHT))
    names = findings.shortened_apart([line.name for line in lines], 13)
    for line, place, name in zip(lines, places, names, strict=True):
        of: Row = {"configuration": line.key}
        last: Row = {"started_at": _iso(end), "spent_usd": line.usd}
        data["runs"] += line.steps
        data["lines"] += [of | {name: step[name] for name in last} for step in (*line.steps, last)]
        beside: Row = {
            "label": name if len(lines) > 1 else "",
            "label_usd": y.value(place / _HEIGHT),
            "is_lower_bound": line.is_open,
        }
        data["totals"].append(of | last | beside)
    return data
