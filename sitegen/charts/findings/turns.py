"""The chart of what effort costs: cost against turns, one dot per run, with what a turn cost as a line for each model.

That is the cost of all turns over their number. The median over runs would be another thing: the first turn of a run
costs most, so where many runs took only one, it says what starting costs, and of no longer run is it true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import FRAME, Axis, Row, is_wide
from sitegen.model import Entry, Status
from sitegen.numbers.statistics import dimension_of

_MIN_FOR_A_COMPARISON = 5
_MAX_LINES = 3
_HEIGHT = 210


def cost_by_turns(entries: Sequence[Entry], color: Callable[[str], str]) -> findings.Finding | str:
    """Return a dot for each run that has turns and a cost."""
    drawn = [entry for entry in entries if entry.run.turns and entry.run.cost_usd]
    if len(drawn) < findings.MIN_FOR_A_TREND:
        few = ("no run reports", "one run reports", "two runs report")[len(drawn)]
        return f"Cost against turns: {few} both, and fewer than three show no trend."
    turns = [entry.run.turns or 0 for entry in drawn]
    costs = [findings.reported_usd(entry) for entry in drawn]
    logarithmic = is_wide(turns) or is_wide(costs)
    x = Axis.over(turns, logarithmic)
    y = Axis.over(costs, logarithmic)
    by_model = findings.by_row(drawn)
    colors = findings.ModelColors.of({model: len(runs) for model, runs in by_model.items()}, color)
    models = list(colors.colors)
    rates = {model: _rate(by_model[model]) for model in models}
    lines = []
    for model in models[:_MAX_LINES]:
        is_grey = colors.colors[model] == findings.GREY
        if len(by_model[model]) >= findings.MIN_FOR_A_TREND and rates[model] and not is_grey:
            # On a linear scale from a little before the run of the least turns: none has no turns, and a log no zero.
            start = max(x.low, y.low / rates[model]) if logarithmic else min(turns) / 1.4
            lines.append(_Line(model, rates[model], (start, min(x.high, y.high / rates[model]))))
    is_dense = len(drawn) > findings.MAX_DOTS
    note = findings.of_all(len(drawn), len(entries))
    method = "Cost against turns"
    if logarithmic:
        method += ", log scales"
    method += f", {figures.plural(len(drawn), 'run')}"
    if is_dense:
        note += "; larger: more runs"
        method += "; runs close together are one dot, larger for more"
    else:
        method += ", one dot per run"
    if any(entry.run.status is not Status.OK for entry in drawn):
        note += "; hollow: not completed"
    if len(drawn) < len(entries):
        left_out = figures.plural(len(entries) - len(drawn), "run")
        method += f"; {left_out} of unknown or zero turns or cost left out"
    method += "."
    if lines:
        note += "; lines: average"
        method += f" {_describe(lines, models, entries)}"
    whole = "Lines of all runs" if lines else ""
    return findings.Finding(
        title=_title(by_model, {line.model: rates[line.model] for line in lines}),
        note=f"{note}.",
        method=method,
        legend=_legend(colors, lines) if len(colors.colors) > 1 else (),
        table=_table(entries, by_model, rates),
        data={
            "runs": _rows(drawn, x, y, is_dense=is_dense),
            "rates": [row for line in lines for row in line.rows()],
        },
        plot=findings.Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=x,
            y=y,
            colors=colors.named,
            money=findings.money_format(costs),
            is_dense=is_dense,
        ),
        whole="Of all runs" if is_dense else whole,
        brush_x=("turns",),
        brush_y="cost_usd",
    )


def _rows(drawn: Sequence[Entry], x: Axis, y: Axis, *, is_dense: bool) -> list[Row]:
    """Return a row for each run, or where they are many for those that lie close together."""
    rows = []
    for entry in sorted(drawn, key=findings.row_of):
        status = str(entry.run.status)
        if is_dense and entry.run.status is not Status.OK:
            status = "not completed"
        columns: Row = {
            "configuration": findings.known(findings.row_of(entry)),
            "turns": entry.run.turns,
            "cost_usd": entry.run.cost_usd,
            "status": status,
        }
        rows.append(findings.run_row(entry, **columns))
    if is_dense:
        return findings.joined(rows, ("status", "configuration"), "turns", "cost_usd", x, y)
    return rows


def _describe(lines: Sequence[_Line], models: Sequence[str], entries: Sequence[Entry]) -> str:
    text = "Lines" if len(lines) > 1 else "Line"
    if len(lines) < len(models):
        kind = dimension_of(entries).value
        text += f", for {len(lines)} of {figures.plural(len(models), kind)}"
    return f"{text}: average cost per turn, over all turns."


def _legend(colors: findings.ModelColors, lines: Sequence[_Line]) -> tuple[findings.Key, ...]:
    """Return the colours, those of lines with the cost of a turn."""
    texts = {}
    for line in lines:
        text = f"{findings.label(line.model)}, {_cents(line.rate)} per turn"
        texts[colors.labels[line.model]] = text
    return tuple(key._replace(label=texts.get(key.label, key.label)) for key in colors.legend)


def _table(
    entries: Sequence[Entry], by_model: Mapping[str, Sequence[Entry]], rates: Mapping[str, float]
) -> findings.ChartTable:
    costs = {model: median(map(findings.reported_usd, by_model[model])) for model in rates}
    turns = {model: median(entry.run.turns or 0 for entry in by_model[model]) for model in rates}
    money = figures.money_column(costs.values())
    fine = figures.FigureFormat("$", 1, decimals=4)
    return findings.ChartTable.of(
        rates,
        {dimension_of(entries).value.capitalize(): findings.label},
        {
            "Runs drawn": lambda model: figures.count(len(by_model[model])),
            "Median turns": lambda model: figures.count(turns[model]),
            money.head("Median cost"): lambda model: money.write(costs[model]),
            fine.head("Cost of a turn"): lambda model: fine.write(rates[model]),
        },
    )


def _rate(entries: Sequence[Entry]) -> float:
    """Return dollars a turn, over all turns of runs that have turns."""
    return math.fsum(map(findings.reported_usd, entries)) / sum(
        entry.run.turns or 0 for entry in entries
    )


def _title(by_model: Mapping[str, Sequence[Entry]], rates: Mapping[str, float]) -> str:
    """Return what a turn cost, with the most and the least expensive of enough runs, where they differ as written."""
    enough = [model for model in rates if len(by_model[model]) >= _MIN_FOR_A_COMPARISON]
    ranked = sorted(enough, key=lambda model: (-rates[model], model))
    if ranked:
        most = _cents(rates[ranked[0]])
        least = _cents(rates[ranked[-1]])
        if most != least:
            dearest = f"{most} with {findings.label(ranked[0])}"
            return f"A turn cost {dearest} and {least} with {findings.label(ranked[-1])}"
    runs = [entry for group in by_model.values() for entry in group]
    return f"A turn cost {_cents(_rate(runs))} on average"


@dataclass(frozen=True, slots=True)
class _Line:
    """All points where a turn costs the same."""

    model: str
    rate: float  # dollars a turn
    ends: tuple[float, float]  # turns at both ends in the plot

    def rows(self) -> list[Row]:
        """Return its ends, the later one with the cost of a turn."""
        rows = []
        for turns in self.ends:
            usd = turns * self.rate
            name = findings.known(self.model)
            rows.append({"configuration": name, "turns": turns, "cost_usd": usd})
        rows[-1]["cost_per_turn_usd"] = self.rate
        return rows


def _cents(usd: float) -> str:
    """Return dollars of a turn with two significant digits, in cents below a dollar: `4.3¢`; next to nothing in
    dollars."""
    if usd >= 0.995 or usd < 1e-6:
        return figures.money(usd)
    digits = 1 - math.floor(math.log10(100 * usd))
    return f"{100 * usd:.{min(max(digits, 0), 9)}f}¢"
