"""The chart of what effort costs: cost against turns, one dot per run, with what a turn cost as a line for each model.

That is the cost of all turns over their number. The median over runs would be another thing: the first turn of a run
costs most, so where many runs took only one, it says what starting costs, and of no longer run is it true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import FRAME, Axis, Row, is_wide
from sitegen.charts.findings import (
    MIN_FOR_A_TREND,
    ChartTable,
    Finding,
    Key,
    ModelColors,
    by_row,
    known,
    label,
    reported_usd,
    row_of,
)
from sitegen.figures import plural
from sitegen.model import Entry, Status
from sitegen.numbers.statistics import dimension_of

_MIN_FOR_A_COMPARISON = 5
_MAX_LINES = 3
_HEIGHT = 210


@dataclass(frozen=True, slots=True)
class _Model:
    """The configurations or models, each with its runs with turns and a cost, at least one."""

    name: str
    runs: Sequence[Entry]

    @property
    def rate(self) -> float:
        """Dollars a turn, over all turns."""
        return _cost_of_a_turn(self.runs)


def cost_by_turns(entries: Sequence[Entry], color: Callable[[str], str]) -> Finding | str:
    """Return a dot for each run that has turns and a cost."""
    measured = [entry for entry in entries if _is_measured(entry)]
    positive = [entry for entry in measured if _turns_of(entry) and reported_usd(entry)]
    if len(positive) < MIN_FOR_A_TREND:
        few = ("no run reports", "one run reports", "two runs report")[len(positive)]
        return f"Cost against turns: {few} both, and fewer than three show no trend."
    x, y = _axes(positive)
    logarithmic = x.logarithmic
    drawn = positive if logarithmic else measured
    by_model = by_row(positive)
    names = dict.fromkeys(map(row_of, drawn))
    colors = ModelColors.of({name: len(by_model.get(name, ())) for name in names}, color)
    models = [_Model(name, by_model[name]) for name in colors.colors if name in by_model]
    lines = _models_with_lines(models, colors)
    least_turns = min(map(_turns_of, positive))
    is_dense = len(drawn) > findings.MAX_DOTS
    whole = "Lines of all runs" if lines else ""
    unknown, zero = len(entries) - len(measured), len(measured) - len(positive)
    method = _method(len(drawn), logarithmic, is_dense) + _left_out(unknown, zero, logarithmic)
    about_lines = " Lines: average cost per turn, over all turns." if lines else ""
    return Finding(
        title=_title(models, lines),
        note=_note(drawn, len(entries), is_dense, has_lines=bool(lines)),
        method=f"{method}.{about_lines}",
        legend=_legend(colors, lines) if len(colors.colors) > 1 else (),
        table=_table(models, dimension_of(entries).value),
        data={"runs": _dots(drawn, x, y, is_dense), "rates": _rates(lines, least_turns, x, y)},
        plot=findings.Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=x,
            y=y,
            colors=colors.named,
            money=findings.money_format(map(reported_usd, positive)),
            is_dense=is_dense,
        ),
        whole="Of all runs" if is_dense else whole,
        brush_x=("turns",),
        brush_y="cost_usd",
    )


def _is_measured(entry: Entry) -> bool:
    return entry.run.turns is not None and entry.run.cost_usd is not None


def _turns_of(entry: Entry) -> int:
    return entry.run.turns or 0


def _cost_of_a_turn(runs: Sequence[Entry]) -> float:
    return math.fsum(map(reported_usd, runs)) / sum(map(_turns_of, runs))


def _models_with_lines(models: Sequence[_Model], colors: ModelColors) -> list[_Model]:
    """Return those of the first models that have enough runs, and a colour of their own."""
    lines = []
    for model in models[:_MAX_LINES]:
        is_grey = colors.colors[model.name] == findings.GREY
        if len(model.runs) >= MIN_FOR_A_TREND and not is_grey and model.rate:
            lines.append(model)
    return lines


def _axes(runs: Sequence[Entry]) -> tuple[Axis, Axis]:
    """Return the scales of turns and of costs: both logarithmic, or neither."""
    turns = list(map(_turns_of, runs))
    costs = list(map(reported_usd, runs))
    logarithmic = is_wide(turns) or is_wide(costs)
    return Axis.over(turns, logarithmic), Axis.over(costs, logarithmic)


def _rates(lines: Sequence[_Model], least_turns: int, x: Axis, y: Axis) -> list[Row]:
    """Return both ends of each line, in the plot: all points where a turn costs the same."""
    # On a linear scale from a little before the run of the least turns: none has no turns, and a log no zero.
    start = x.low if x.logarithmic else least_turns / 1.4
    rows: list[Row] = []
    for model in lines:
        rate = model.rate
        first = max(start, y.low / rate)
        last = min(x.high, y.high / rate)
        of_model: Row = {"configuration": known(model.name)}
        rows.append({**of_model, "turns": first, "cost_usd": first * rate})
        rows.append({**of_model, "turns": last, "cost_usd": last * rate, "cost_per_turn_usd": rate})
    return rows


def _dots(drawn: Sequence[Entry], x: Axis, y: Axis, is_dense: bool) -> list[Row]:
    """Return a row for each run, or for those that lie close together."""
    rows = []
    for entry in sorted(drawn, key=row_of):
        status = str(entry.run.status)
        if is_dense and entry.run.status is not Status.OK:
            status = "not completed"
        columns = {"turns": entry.run.turns, "cost_usd": entry.run.cost_usd, "status": status}
        rows.append(findings.run_row(entry, configuration=known(row_of(entry)), **columns))
    if not is_dense:
        return rows
    return findings.joined(rows, ("status", "configuration"), "turns", "cost_usd", x, y)


def _legend(colors: ModelColors, lines: Sequence[_Model]) -> tuple[Key, ...]:
    """Return the colours, with what a turn cost where that is a line."""
    texts = {}
    for model in lines:
        name = colors.labels[model.name]
        texts[name] = f"{label(model.name)}, {_cents(model.rate)} per turn"
    return tuple(key._replace(label=texts.get(key.label, key.label)) for key in colors.legend)


def _table(models: Sequence[_Model], kind: str) -> ChartTable:
    medians = [median(map(reported_usd, model.runs)) for model in models]
    money = figures.money_column(medians)
    fine = figures.FigureFormat("$", 1, decimals=4)
    rows = []
    for model, median_usd in zip(models, medians, strict=True):
        median_turns = median(map(_turns_of, model.runs))
        counts = [figures.count(len(model.runs)), figures.count(median_turns)]
        costs = [money.write(median_usd), fine.write(model.rate)]
        rows.append([label(model.name), *counts, *costs])
    costs_heads = [money.head("Median cost"), fine.head("Cost of a turn")]
    return ChartTable.of([kind.capitalize()], ["Runs drawn", "Median turns", *costs_heads], rows)


def _title(models: Sequence[_Model], lines: Sequence[_Model]) -> str:
    """Return what a turn cost, with the most and the least expensive of enough runs, where they differ as written."""
    enough = [model for model in lines if len(model.runs) >= _MIN_FOR_A_COMPARISON]
    if len(enough) > 1:
        enough.sort(key=lambda model: (-model.rate, model.name))
        most, least = enough[0], enough[-1]
        if _cents(most.rate) != _cents(least.rate):
            first = f"A turn cost {_cents(most.rate)} with {label(most.name)}"
            return f"{first} and {_cents(least.rate)} with {label(least.name)}"
    runs = [entry for model in models for entry in model.runs]
    return f"A turn cost {_cents(_cost_of_a_turn(runs))} on average"


def _note(drawn: Sequence[Entry], runs: int, is_dense: bool, has_lines: bool) -> str:
    note = findings.of_all(len(drawn), runs)
    if is_dense:
        note += "; larger: more runs"
    if any(entry.run.status is not Status.OK for entry in drawn):
        note += "; hollow: not completed"
    if has_lines:
        note += "; lines: average"
    return f"{note}."


def _method(runs: int, logarithmic: bool, is_dense: bool) -> str:
    scales = ", log scales" if logarithmic else ""
    marks = ", one dot per run"
    if is_dense:
        marks = "; runs close together are one dot, larger for more"
    return f"Cost against turns{scales}, {plural(runs, 'run')}{marks}"


def _left_out(unknown: int, zero: int, logarithmic: bool) -> str:
    """Return how many runs have no dot, or a dot and no part in the figures, as a part of a sentence."""
    left_out = []
    if unknown:
        left_out.append(f"{plural(unknown, 'run')} of unknown turns or cost")
    free = f"{plural(zero, 'run')} of zero turns or cost"
    if zero and logarithmic:
        left_out.append(free)
    text = f"; left out: {figures.sentence_list(left_out)}" if left_out else ""
    if zero and not logarithmic:
        text += f"; the figures are without {free}"
    return text


def _cents(usd: float) -> str:
    """Return dollars of a turn with two significant digits, in cents below a dollar: `4.3¢`; next to nothing in
    dollars."""
    if usd >= 0.995 or usd < 1e-6:
        return figures.money(usd)
    digits = 1 - math.floor(math.log10(100 * usd))
    return f"{100 * usd:.{min(max(digits, 0), 9)}f}¢"
