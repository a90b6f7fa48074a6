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
    measured = [
        entry for entry in entries if entry.run.turns is not None and entry.run.cost_usd is not None
    ]
    positive = [entry for entry in measured if entry.run.turns and entry.run.cost_usd]
    if len(positive) < findings.MIN_FOR_A_TREND:
        few = ("no run reports", "one run reports", "two runs report")[len(positive)]
        return f"Cost against turns: {few} both, and fewer than three show no trend."
    turns = [e.run.turns or 0 for e in positive]
    costs = [findings.reported_usd(e) for e in positive]
    logarithmic = is_wide(turns) or is_wide(costs)
    drawn = positive if logarithmic else measured
    by_model: dict[str, list[Entry]] = {findings.row_of(entry): [] for entry in drawn}
    for entry in positive:
        by_model[findings.row_of(entry)].append(entry)
    colors = findings.ModelColors.of({model: len(runs) for model, runs in by_model.items()}, color)
    models = [model for model in colors.colors if by_model[model]]
    rates = {model: _rate(by_model[model]) for model in models}
    x = Axis.over(turns, logarithmic)
    y = Axis.over(costs, logarithmic)
    lines = []
    for model in models[:_MAX_LINES]:
        is_enough = (
            len(by_model[model]) >= findings.MIN_FOR_A_TREND
            and colors.colors[model] != findings.GREY
        )
        if is_enough and (rate := rates[model]):
            # On a linear scale from a little before the run of the least turns: none has no turns, and a log no zero.
            start = max(x.low, y.low / rate) if logarithmic else min(turns) / 1.4
            lines.append(_Line(model, rate, (start, min(x.high, y.high / rate))))
    is_dense = len(drawn) > findings.MAX_DOTS
    runs = list[Row]()
    for entry in sorted(drawn, key=findings.row_of):
        of: Row = {
            "configuration": findings.known(findings.row_of(entry)),
            "turns": entry.run.turns,
        }
        runs.append(
            findings.run_row(entry, **of, cost_usd=entry.run.cost_usd, status=str(entry.run.status))
        )
    if is_dense:
        runs = [row if row["status"] == "ok" else row | {"status": "not completed"} for row in runs]
        runs = findings.joined(runs, ("status", "configuration"), "turns", "cost_usd", x, y)
    medians = {model: median(map(findings.reported_usd, by_model[model])) for model in models}
    money = figures.money_column(medians.values())
    fine = figures.FigureFormat("$", 1, decimals=4)
    left_out = _left_out(len(entries) - len(measured), len(measured) - len(positive), logarithmic)
    told = "Lines" if len(lines) > 1 else "Line" if lines else ""
    if lines and len(lines) < len(models):
        told += f", for {len(lines)} of {figures.plural(len(models), dimension_of(entries).value)}"
    texts = {
        colors.labels[line.model]: f"{findings.label(line.model)}, {_cents(line.rate)} per turn"
        for line in lines
    }
    legend = tuple(key._replace(label=texts.get(key.label, key.label)) for key in colors.legend)
    form = findings.money_format(costs)
    method = f"Cost against turns{', log scales' if logarithmic else ''}, {figures.plural(len(drawn), 'run')}"
    method += (
        "; runs close together are one dot, larger for more" if is_dense else ", one dot per run"
    )
    note = findings.of_all(len(drawn), len(entries)) + ("; larger: more runs" if is_dense else "")
    note += (
        "; hollow: not completed"
        if any(entry.run.status is not Status.OK for entry in drawn)
        else ""
    )
    return findings.Finding(
        title=_title(by_model, {line.model: rates[line.model] for line in lines}),
        note=f"{note}{'; lines: average' if lines else ''}.",
        method=f"{method}{left_out}{f'. {told}: average cost per turn, over all turns' if told else ''}.",
        legend=legend if len(colors.colors) > 1 else (),
        table=findings.ChartTable.of(
            models,
            {dimension_of(entries).value.capitalize(): findings.label},
            {
                "Runs drawn": lambda model: figures.count(len(by_model[model])),
                "Median turns": lambda model: figures.count(
                    median(entry.run.turns or 0 for entry in by_model[model])
                ),
                money.head("Median cost"): lambda model: money.write(medians[model]),
                fine.head("Cost of a turn"): lambda model: fine.write(rates[model]),
            },
        ),
        data={
            "runs": runs,
            "rates": [row for line in lines for row in line.rows()],
        },
        plot=findings.Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=x,
            y=y,
            colors=colors.named,
            money=form,
            is_dense=is_dense,
        ),
        whole=("Lines of all runs" if lines else "") if not is_dense else "Of all runs",
        brush_x=("turns",),
        brush_y="cost_usd",
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
    ends = [_cents(rates[model]) for model in (*ranked[:1], *ranked[-1:])]
    if len(ranked) < 2 or ends[0] == ends[1]:
        return f"A turn cost {_cents(_rate([entry for group in by_model.values() for entry in group]))} on average"
    return f"A turn cost {ends[0]} with {findings.label(ranked[0])} and {ends[1]} with {findings.label(ranked[-1])}"


def _left_out(unknown: int, zero: int, logarithmic: bool) -> str:
    """Return how many runs have no dot, or a dot and no part in the figures, as the end of a sentence."""
    free = f"{figures.plural(zero, 'run')} of zero turns or cost" if zero else ""
    left_out = [f"{figures.plural(unknown, 'run')} of unknown turns or cost"] if unknown else []
    left_out += [free] if free and logarithmic else []
    said = f"; left out: {figures.sentence_list(left_out)}" if left_out else ""
    return f"{said}; the figures are without {free}" if free and not logarithmic else said


@dataclass(frozen=True, slots=True)
class _Line:
    """All points where a turn costs the same."""

    model: str
    rate: float  # dollars a turn
    ends: tuple[float, float]  # turns at both ends in the plot

    def rows(self) -> list[Row]:
        """Return its ends, the later one with the cost of a turn."""
        of: Row = {"configuration": findings.known(self.model)}
        first, last = (of | {"turns": turns, "cost_usd": turns * self.rate} for turns in self.ends)
        return [first, {**last, "cost_per_turn_usd": self.rate}]


def _cents(usd: float) -> str:
    """Return dollars of a turn with two significant digits, in cents below a dollar: `4.3¢`; next to nothing in
    dollars."""
    if usd >= 0.995 or usd < 1e-6:
        return figures.money(usd)
    digits = 1 - math.floor(math.log10(100 * usd))
    return f"{100 * usd:.{min(max(digits, 0), 9)}f}¢"
