"""How do costs spread, where all runs are of one model? A strip of dots, or how densely they lie, with the mean and its
95 % interval.

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
    Table,
    clean,
    density,
    dollar_ticks,
    dots_remark,
    interval_ends,
    label,
    of_all,
    reported_usd,
    row_of,
    scattered,
    shortened_apart,
)
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, Spread, spread

FRAME = Frame(left=112, right=44, top=2, bottom=40)
_LEAST_FOR_QUARTILES = 5


def spread_of_cost(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str:
    """A dot for each run, or how densely they lie, of runs of one model."""
    costing = sorted(
        (entry for entry in entries if entry.run.cost_usd is not None),
        key=lambda entry: (reported_usd(entry), entry.id),
    )
    positive = [reported_usd(entry) for entry in costing if entry.run.cost_usd]
    if len(positive) < 2:
        return f"Spread of cost: {'only one run has' if positive else 'no run has'} a cost above zero."
    logarithmic, cost = is_wide(positive), spread(costing, Measure.COST, question)
    x, drawn = Axis.over(positive, logarithmic), [entry for entry in costing if reported_usd(entry) or not logarithmic]
    height = 180 if len(drawn) > MOST_DOTS else 72
    data = _marks(costing, drawn, cost, x, color)
    method = f"{dots_remark([len(drawn)], 1, 'cost')}, {figures.plural(len(costing), 'run')}"
    method += ", log scale" if logarithmic else ""
    if free := len(costing) - len(drawn):
        verb = "is" if free == 1 else "are"
        method += f"; it has no zero, so {figures.plural(free, 'run')} that cost nothing {verb} not drawn"
    if unknown := len(entries) - len(costing):
        method += f"; {figures.plural(unknown, 'run')} of unknown cost left out"
    if data["means"]:
        method += f". Below them the mean{f' and its 95% interval for {question}' if data['intervals'] else ''}"
    money = figures.money_column([cost.least, cost.mean])
    low, high = interval_ends(cost.interval)
    told = {"Least": cost.least, "Median": cost.median, "Mean": cost.mean, "95% from": low, "95% to": high}
    cells = {"Runs": figures.count(len(costing))}
    cells |= {money.head(head): money.write(usd) for head, usd in (told | {"Most": cost.most}).items()}
    return Finding(
        id="cost-spread",
        frame=FRAME,
        title=_title(cost),
        note=f"{of_all(len(costing), len(entries))}{'; below: mean and 95% interval' if data['intervals'] else ''}.",
        method=f"{method}.",
        description=f"A row of {'bars' if data['density'] else 'dots'} for 1 model: the cost of each run.",
        table=Table(
            (Cell("Model"), *(Cell(head, numeric=True) for head in cells)),
            ((Cell(label(row_of(costing[0]))), *(Cell(text, numeric=True) for text in cells.values())),),
        ),
        data=data,
        height=height,
        x=x,
        y=Axis.down(height),
        whole="Of all runs" if data["density"] else "Means of all runs" if data["means"] else "",
        brush_x=("cost_usd",),
    )


def _title(cost: Spread) -> str:
    """Where most costs lie."""
    if cost.known >= _LEAST_FOR_QUARTILES:
        ends = figures.money(cost.lower_quartile), figures.money(cost.upper_quartile)
        return f"Half of the runs cost from {ends[0]} to {ends[1]}"
    return f"The runs cost from {figures.money(cost.least)} to {figures.money(cost.most)}"


def _marks(
    costing: Sequence[Entry], drawn: Sequence[Entry], cost: Spread, x: Axis, color: Callable[[str], str]
) -> dict[str, list[Row]]:
    """Dots or bars, the mean with its interval, the labels of the row and of ticks. y is in pixels from the top."""
    model, mean = row_of(costing[0]), cost.mean or 0.0
    colour = ModelColors.of({model: len(costing)}, color).colors[model]
    reach = 70 if len(drawn) > MOST_DOTS else 16
    middle, below = reach + 5, 2 * reach + 15
    of: Row = {"model": model}
    runs = figures.plural(len(costing), "run")
    names: Row = {"y": (middle + below) / 2, "name": shortened_apart([label(model)], 15)[0], "text": runs}
    data: dict[str, list[Row]] = {"density": [], "dots": [], "intervals": [], "means": [], "figures": []}
    data["models"] = [of | names]
    if len(drawn) > MOST_DOTS:
        data["density"] = density(list(map(reported_usd, drawn)), x, middle, reach, colour, figures.money)
    else:
        data["dots"] = [_dot(entry, middle + scattered(entry.id, reach), colour) for entry in drawn]
    if len(costing) >= LEAST_FOR_A_TREND and mean >= x.low:
        text, end = figures.money(mean), mean
        tip = f"{label(model)}, {runs}\n{text} on average"
        if cost.interval:
            low, high = cost.interval.low, cost.interval.high
            end = min(high, x.high)
            tip += f", {figures.from_to(low, high, figures.money)}"
            data["intervals"].append(of | {"start": max(low, x.low), "end": end, "y": below})
        data["means"].append(of | {"usd": mean, "y": below, "tip": tip})
        data["figures"].append(of | {"usd": end, "y": below, "text": text})
    return data | FRAME.tick_rows("ticks", "usd", dollar_ticks(x), x)


def _dot(entry: Entry, y: float, colour: str) -> Row:
    usd = reported_usd(entry)
    tip = f"{clean(entry.name)}\n{figures.money(usd)}"
    return {"usd": usd, "y": y, "color": colour, "tip": tip, "href": run_path(entry.id)}
