"""The chart of spending over time: the cost of runs added up by the time they started, a line of steps for each model.

A run's cost stands at its start, because that is the only moment that is known of it; a run without a start has no
place on the line and is counted in the note instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row, spread_out
from sitegen.charts.findings import ChartTable, Finding, ModelColors, known, reported_usd, row_of
from sitegen.figures import plural
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
class _Start:
    """A run with the moment at which it started."""

    entry: Entry
    ms: float

    @property
    def usd(self) -> float:
        return reported_usd(self.entry)

    @property
    def iso(self) -> str:
        return _iso(self.ms)


@dataclass(frozen=True, slots=True)
class _Line:
    """The spending of one model, or of all that share a colour."""

    name: str
    key: str
    color: str
    steps: Sequence[Row]
    is_open: bool  # whether runs of it are left out, so that its sums are lower bounds

    @property
    def usd(self) -> float:
        return float(self.steps[-1]["spent_usd"])


@dataclass(frozen=True, slots=True)
class _Day:
    """A row of the table: a day, or a month."""

    date: str
    runs: int
    usd: float
    sums: Mapping[
        str | None, float
    ]  # up to its end, by line; under None that of all, where lines are several


def spend(entries: Sequence[Entry], color: Callable[[str], str]) -> Finding | str | None:
    """Return a line for each model, of the runs whose start and cost are known; None where no run has a start."""
    started = _starts(entries)
    if not started:
        return None
    starts = [start for start in started if start.entry.run.cost_usd is not None]
    if len(starts) < findings.MIN_FOR_A_TREND:
        few = ("no run has", "one run has", "two runs have")[len(starts)]
        return f"Spending over time: {few} both a start and a cost, and it takes three to show a trend."
    total = math.fsum(start.usd for start in starts)
    spent_usd = math.fsum(map(reported_usd, entries))
    if not total or 2 * total < spent_usd:
        part = f"{figures.money(total)} of {figures.money(spent_usd)}" if total else "nothing"
        return f"Spending over time: the runs whose start is known cost {part}."
    spent = _sum_by_model(starts)
    colors = ModelColors.of(spent, color)
    certain = {start.entry.id for start in starts if start.entry.run.exact_usd is not None}
    unsure = [entry for entry in entries if entry.id not in certain]
    lines = _lines(starts, colors, {colors.labels.get(row_of(entry)) for entry in unsure})
    x, end = _time_axis(starts[0].ms, starts[-1].ms)
    y = Axis.over([line.usd for line in lines], logarithmic=False)
    return Finding(
        title=_title(total, spent, len(starts), is_open=bool(unsure)),
        note=f"{findings.of_all(len(starts), len(entries))}, by start.",
        method=_method(starts, lines, len(entries), is_open=bool(unsure)),
        table=_table(starts, lines, colors, unsure),
        data=_rows(lines, y, end),
        plot=findings.Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=x,
            y=y,
            colors={line.key: line.color for line in lines},
            money=findings.money_format(start.usd for start in starts),
        ),
        whole="Sums of all runs",
    )


def _starts(entries: Sequence[Entry]) -> list[_Start]:
    """Return the runs whose start is known, the first one first."""
    starts = []
    for entry in entries:
        ms = milliseconds_of(entry.started_at)
        if ms is not None:
            starts.append(_Start(entry, ms))
    return sorted(starts, key=lambda start: (start.ms, start.entry.id))


def _row_of_start(start: _Start) -> str:
    return row_of(start.entry)


def _sum_by_model(starts: Sequence[_Start]) -> dict[str, float]:
    sums = {}
    for name, of_model in by_key(starts, _row_of_start).items():
        sums[name] = math.fsum(start.usd for start in of_model)
    return sums


def _time_axis(first: float, last: float) -> tuple[Axis, float]:
    """Return a scale of moments with room for labels, and where its lines end."""
    widened = max(_MIN_SPAN_MS - (last - first), 0) / 2
    room = _ROOM * max(last - first, _MIN_SPAN_MS)
    return Axis(first - widened, last + widened + room, logarithmic=False), last + widened


def _title(total: float, spent: Mapping[str, float], runs: int, *, is_open: bool) -> str:
    """Return the total, and the share of the model that cost most; where runs are left out, nobody knows that share."""
    spending = f"Spending reached {figures.marked(figures.money(total), is_open)}"
    top = max(spent, key=lambda model: (spent[model], model))
    if is_open or len(spent) == 1 or not top:
        return f"{spending} in {plural(runs, 'run')}"
    return f"{spending}, {figures.percent(spent[top], total)} of it by {findings.label(top)}"


def _method(starts: Sequence[_Start], lines: Sequence[_Line], runs: int, *, is_open: bool) -> str:
    days = figures.days(starts[0].iso, starts[-1].iso)
    method = f"Costs added up at the start of each run, {days}, {plural(len(starts), 'run')}"
    if sum(len(line.steps) for line in lines) < len(starts):
        method += "; those that started close together are one step"
    if len(starts) < runs:
        method += f"; {plural(runs - len(starts), 'run')} with no start or no cost left out"
    if is_open:
        method += "; a line that ends open is a lower bound"
    return f"{method}."


def _lines(
    starts: Sequence[_Start], colors: ModelColors, open_labels: Set[str | None]
) -> list[_Line]:
    """Return the lines, that of the largest sum first, those of `open_labels` open. `starts` ascend."""
    by_label = by_key(starts, lambda start: colors.labels[row_of(start.entry)])
    span = starts[-1].ms - starts[0].ms
    slot_ms = 0.0
    if len(starts) > _MAX_STEPS:
        slot_ms = max(span * len(by_label) / _MAX_STEPS, 1.0)
    lines = []
    for name, of_line in by_label.items():
        models = set(map(_row_of_start, of_line))
        key = known(*models) if len(models) == 1 else name
        color = colors.colors[row_of(of_line[0].entry)]
        steps = _steps(of_line, slot_ms, key)
        lines.append(_Line(name, key, color, steps, name in open_labels))
    return sorted(lines, key=lambda line: (-line.usd, line.name))


def _steps(starts: Sequence[_Start], slot_ms: float, configuration: str) -> list[Row]:
    """Return the runs of a line; with slots, those of each slot together at the last one's start."""
    slots: dict[float | str, list[_Start]] = {}
    for start in starts:
        slot = int((start.ms - starts[0].ms) / slot_ms) if slot_ms else start.entry.id
        slots.setdefault(slot, []).append(start)
    steps: list[Row] = []
    costs: list[float] = []
    for together in slots.values():
        costs_of_step = [start.usd for start in together]
        costs += costs_of_step
        step: Row = {
            "configuration": configuration,
            "started_at": together[-1].iso,
            "cost_usd": math.fsum(costs_of_step),
            "spent_usd": math.fsum(costs),
        }
        if len(together) == 1:
            step = findings.run_row(together[0].entry, **step)
        else:
            step["name"] = f"{len(together):,} runs"
        steps.append(step)
    return steps


def _iso(ms: float) -> str:
    return utc_text(ms) or ""


def _table(
    starts: Sequence[_Start], lines: Sequence[_Line], colors: ModelColors, unsure: Sequence[Entry]
) -> ChartTable:
    """Return a row for each day with runs, or for each month where those are many. The sums are lower bounds from the
    first run in `unsure` on, of which start or cost is not known; one without a start may belong to any day."""
    is_by_month = len({start.iso[:10] for start in starts}) > _MAX_DAYS
    length = len("2026-11") if is_by_month else len("2026-11-18")
    open_days: set[str] = set()
    open_from: dict[str | None, str] = {}  # the first of them by line; under None that of all
    for entry in unsure:
        date = (utc_text(entry.started_at) or "")[:length]
        open_days.add(date)
        for name in (None, colors.labels.get(row_of(entry))):
            open_from[name] = min(date, open_from.get(name, date))
    days = _days(starts, lines, colors, length)
    amounts = [day.usd for day in days]
    for day in days:
        amounts += day.sums.values()
    money = figures.money_column(amounts)
    rows = []
    for day in days:
        is_open = day.date in open_days or "" in open_days
        row = [day.date, figures.count(day.runs), figures.marked(money.write(day.usd), is_open)]
        for name, usd in day.sums.items():
            is_open = name in open_from and open_from[name] <= day.date
            row.append(figures.marked(money.write(usd), is_open))
        rows.append(row)
    sums = [f"{name or 'All'} so far" for name in days[0].sums]
    numbers = ["Runs", *map(money.head, ["Spent", *sums])]
    return ChartTable.of(["Month, UTC" if is_by_month else "Day, UTC"], numbers, rows)


def _days(
    starts: Sequence[_Start], lines: Sequence[_Line], colors: ModelColors, length: int
) -> list[_Day]:
    """Return the days on which runs started, or months, by so many characters of their dates."""
    so_far: dict[str | None, float] = {line.name: 0.0 for line in lines}
    days = []
    for date, started in by_key(starts, lambda start: start.iso[:length]).items():
        for start in started:
            so_far[colors.labels[row_of(start.entry)]] += start.usd
        sums = {**so_far}
        if len(lines) > 1:
            sums[None] = math.fsum(so_far.values())
        usd = math.fsum(start.usd for start in started)
        days.append(_Day(date, len(started), usd, sums))
    return days


def _rows(lines: Sequence[_Line], y: Axis, end: float) -> dict[str, list[Row]]:
    """Return the steps, the lines through them, and where these end, with the heights of their names."""
    data: dict[str, list[Row]] = {"runs": [], "lines": [], "totals": []}
    heights = [_HEIGHT * y.share(line.usd) for line in reversed(lines)]  # from the lowest up
    places = reversed(spread_out(heights, _GAP, _GAP / 2, _HEIGHT))
    names = findings.shortened_apart([line.name for line in lines], 13)
    for line, place, name in zip(lines, places, names, strict=True):
        configuration: Row = {"configuration": line.key}
        last: Row = {"started_at": _iso(end), "spent_usd": line.usd}
        data["runs"] += line.steps
        for step in (*line.steps, last):
            moment = {"started_at": step["started_at"], "spent_usd": step["spent_usd"]}
            data["lines"].append(configuration | moment)
        beside: Row = {
            "label": name if len(lines) > 1 else "",
            "label_usd": y.value(place / _HEIGHT),
            "is_lower_bound": line.is_open,
        }
        data["totals"].append(configuration | last | beside)
    return data
