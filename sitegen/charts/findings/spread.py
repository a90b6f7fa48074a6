"""The chart of how costs spread where all runs are of one model: a strip of dots, or how densely they lie, with the
mean and its 95 % interval.

Where models are compared, other charts have the costs of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row, is_wide
from sitegen.charts.findings import (
    LEAST_FOR_A_TREND,
    MOST_DOTS,
    Cell,
    Finding,
    ModelColors,
    Plot,
    Table,
    clean,
    density,
    interval_columns,
    interval_ends,
    jitter,
    known,
    label,
    money_format,
    of_all,
    reported_usd,
    row_of,
)
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, Spread, spread

FRAME = Frame(left=64, right=14, top=2, bottom=40)
_LEAST_FOR_QUARTILES = 5


def spread_of_cost(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str:
    """Return a dot for each run, or how densely they lie, of runs of one model."""
    costing = sorted(
        (entry for entry in entries if entry.run.cost_usd is not None),
        key=lambda entry: (reported_usd(entry), entry.id),
    )
    positive = [reported_usd(entry) for entry in costing if entry.run.cost_usd]
    if len(positive) < 2:
        return f"Spread of cost: {'only one run has' if positive else 'no run has'} a cost above zero."
    logarithmic, cost = is_wide(positive), spread(costing, Measure.COST, question)
    x, drawn = Axis.over(positive, logarithmic), [entry for entry in costing if reported_usd(entry) or not logarithmic]
    is_dense = len(drawn) > MOST_DOTS
    model = row_of(costing[0])
    rows = density(list(map(reported_usd, drawn)), x, "cost{}_usd") if is_dense else [_row(entry) for entry in drawn]
    has_mean = len(costing) >= LEAST_FOR_A_TREND and (cost.mean or 0.0) >= x.low
    mean = [{"mean_cost_usd": cost.mean, **interval_columns("cost{}_usd", cost.interval, x)}] if has_mean else []
    has_interval = bool(mean and cost.interval)
    marks = "Bars, thicker for more runs" if is_dense else "One dot per run"
    method = f"{marks}, {figures.plural(len(costing), 'run')}"
    method += ", log scale" if logarithmic else ""
    if free := len(costing) - len(drawn):
        verb = "is" if free == 1 else "are"
        method += f"; it has no zero, so {figures.plural(free, 'run')} that cost nothing {verb} not drawn"
    if unknown := len(entries) - len(costing):
        method += f"; {figures.plural(unknown, 'run')} of unknown cost left out"
    if mean:
        method += f". Below them the mean{f' and its 95% interval for {question}' if has_interval else ''}"
    money = figures.money_column([cost.least, cost.mean])
    low, high = interval_ends(cost.interval)
    told = {"Least": cost.least, "Median": cost.median, "Mean": cost.mean, "Mean, 95% from": low, "Mean, 95% to": high}
    cells = {"Priced runs": figures.count(len(costing))}
    cells |= {money.head(head): money.write(usd) for head, usd in (told | {"Most": cost.most}).items()}
    return Finding(
        id="cost-spread",
        title=_title(cost),
        note=f"{of_all(len(costing), len(entries))}{'; below: mean and 95% interval' if has_interval else ''}.",
        method=f"{method}.",
        description=f"A row of {'bars' if is_dense else 'dots'} for 1 model: the cost of each run.",
        table=Table(
            (Cell("Model"), *(Cell(head, numeric=True) for head in cells)),
            ((Cell(label(row_of(costing[0]))), *(Cell(text, numeric=True) for text in cells.values())),),
        ),
        data={
            "density" if is_dense else "runs": [{"configuration": known(model), "row": "runs", **row} for row in rows],
            "mean": [{"configuration": known(model), "row": "mean", **row} for row in mean],
        },
        plot=Plot(
            frame=FRAME,
            height=160 if is_dense else 96,
            x=x,
            rows=("runs", "mean") if mean else ("runs",),
            colors=ModelColors.of({model: len(costing)}, color).named,
            money=money_format(positive),
            is_dense=is_dense,
            most=max((row["runs"] for row in rows if is_dense), default=0),
        ),
        whole="Of all runs" if is_dense else "Means of all runs" if mean else "",
        brush_x=("cost_usd",),
    )


def _title(cost: Spread) -> str:
    """Return where most costs lie."""
    if cost.known >= _LEAST_FOR_QUARTILES:
        ends = figures.money(cost.lower_quartile), figures.money(cost.upper_quartile)
        return f"Half of the runs cost from {ends[0]} to {ends[1]}"
    return f"The runs cost from {figures.money(cost.least)} to {figures.money(cost.most)}"


def _row(entry: Entry) -> Row:
    return {
        "name": clean(entry.name), "cost_usd": entry.run.cost_usd, "jitter": jitter(entry.id),
        "page": run_path(entry.id),
    }  # fmt: skip
