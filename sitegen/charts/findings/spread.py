"""How do costs spread? A strip of dots for each model, or how densely they lie, with the mean and its 95 % interval.

Bars of means would hide that the runs of one model differ more than the models do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row, is_wide
from sitegen.charts.findings import (
    DRAWN_MARKS,
    LEAST_FOR_A_TREND,
    MOST_DOTS,
    MOST_MODELS,
    Finding,
    ModelColors,
    Table,
    by_row,
    clean,
    density,
    dollar_ticks,
    dots_remark,
    dotted,
    interval_ends,
    label,
    of_all,
    reported_usd,
    runs_a_dot,
    scattered,
    shortened_apart,
    tasks_remark,
    thinned,
)
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, Spread, spread

FRAME = Frame(left=112, right=44, top=2, bottom=40)
_FEW = 3
"""So many strips are wider, and their dots lie freer; the bars of a single one fill a chart."""

_LEAST_FOR_QUARTILES = 5


@dataclass(frozen=True, slots=True)
class _Strip:
    """The costs of one model's runs."""

    model: str
    runs: tuple[Entry, ...]
    """Those that report a cost, the cheapest first."""
    cost: Spread

    @property
    def mean(self) -> float:
        """USD a run."""
        return self.cost.mean or 0.0

    def drawable(self, x: Axis) -> list[Entry]:
        """The runs that have a place on the scale."""
        return [entry for entry in self.runs if reported_usd(entry) or not x.logarithmic]


def spread_of_cost(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str:
    """A strip for each model: a dot for each run, or how densely they lie; where dots would be too many, each stands
    for several runs of like cost."""
    costing = [entry for entry in entries if entry.run.cost_usd is not None]
    positive = [reported_usd(entry) for entry in costing if entry.run.cost_usd]
    if len(positive) < 2:
        return f"Spread of cost: {'only one run has' if positive else 'no run has'} a cost above zero."
    strips = sorted(
        (
            _Strip(model, _ranked(group), spread(group, Measure.COST, question))
            for model, group in by_row(costing).items()
        ),
        key=lambda strip: (strip.mean, strip.model),
    )
    logarithmic = is_wide(positive)
    ranked = sorted(strips, key=lambda strip: (-len(strip.runs), strip.model))
    most = {strip.model for strip in ranked[:MOST_MODELS]}
    shown = [strip for strip in strips if strip.model in most]
    colors = ModelColors.of({strip.model: len(strip.runs) for strip in strips}, color)
    x = Axis.over(positive, logarithmic)
    drawable = [len(strip.drawable(x)) for strip in shown]
    drawn_share = runs_a_dot(dotted(drawable), DRAWN_MARKS)
    data, height = _marks(shown, colors, x)
    method = f"{dots_remark(drawable, drawn_share, 'cost')}, {figures.plural(len(costing), 'run')}"
    marks = "bars" if data["density"] else "dots"
    method += ", log scale" if logarithmic else ""
    if logarithmic and (free := len(costing) - len(positive)):
        verb = "is" if free == 1 else "are"
        method += f"; it has no zero, so {figures.plural(free, 'run')} that cost nothing {verb} not drawn"
    if unknown := len(entries) - len(costing):
        method += f"; {figures.plural(unknown, 'run')} of unknown cost left out"
    if len(shown) < len(strips):
        method += f"; the {len(shown)} of {len(strips)} models with the most runs"
    if data["means"]:
        method += f". Below them the mean{f' and its 95% interval for {question}' if data['intervals'] else ''}"
    method += tasks_remark([strip.runs for strip in strips])
    money = figures.money_column(cost for strip in strips for cost in (strip.cost.least, strip.mean))
    return Finding(
        id="cost-spread",
        frame=FRAME,
        title=_title(strips, spread(costing, Measure.COST)),
        note=f"{of_all(len(costing), len(entries))}{'; below: mean and 95% interval' if data['intervals'] else ''}.",
        method=f"{method}.",
        description=f"A row of {marks} for each of {figures.plural(len(shown), 'model')}: the cost of each run.",
        table=Table.of(
            strips,
            {"Model": lambda strip: label(strip.model)},
            {
                "Runs": lambda strip: figures.count(len(strip.runs)),
                money.head("Least"): lambda strip: money.write(strip.cost.least),
                money.head("Median"): lambda strip: money.write(strip.cost.median),
                money.head("Mean"): lambda strip: money.write(strip.cost.mean),
                money.head("95% from"): lambda strip: money.write(interval_ends(strip.cost.interval)[0]),
                money.head("95% to"): lambda strip: money.write(interval_ends(strip.cost.interval)[1]),
                money.head("Most"): lambda strip: money.write(strip.cost.most),
            },
        ),
        data=data,
        drawn={"dots": _dots(shown, colors, x, drawn_share)} if drawn_share > 1 else {},
        height=height,
        x=x,
        y=Axis.down(height),
        whole="Of all runs" if data["density"] else "Means of all runs" if data["means"] else "",
        brush_x=("cost_usd",),
    )


def _title(strips: Sequence[_Strip], cost: Spread) -> str:
    """Means where the cheapest and the dearest model of which a mean is shown are known by name and have enough runs
    for an interval; else where most costs lie.
    """
    means = [strip for strip in strips if len(strip.runs) >= LEAST_FOR_A_TREND]
    if len(means) >= 2 and all(strip.model and strip.cost.interval for strip in (means[0], means[-1])):
        cheap, dear = means[0], means[-1]
        first, second = figures.money(cheap.mean), figures.money(dear.mean)
        return f"A run cost {first} on average with {label(cheap.model)} and {second} with {label(dear.model)}"
    if cost.known >= _LEAST_FOR_QUARTILES:
        return (
            f"Half of the runs cost from {figures.money(cost.lower_quartile)} to {figures.money(cost.upper_quartile)}"
        )
    return f"The runs cost from {figures.money(cost.least)} to {figures.money(cost.most)}"


def _marks(shown: Sequence[_Strip], colors: ModelColors, x: Axis) -> tuple[dict[str, list[Row]], int]:
    """Dots or bars, means with intervals, labels of rows and ticks, and the height. y is in pixels from the top."""
    step, reach = _step(shown, x)
    data: dict[str, list[Row]] = {"density": [], "dots": _dots(shown, colors, x, 1), "intervals": []}
    data |= {"means": [], "figures": [], "models": []}
    names = shortened_apart([label(strip.model) for strip in shown], 15)
    for index, strip in enumerate(shown):
        middle = index * step + reach + 5
        below = middle + reach + 10
        of: Row = {"model": strip.model}
        runs = figures.plural(len(strip.runs), "run")
        if len(costs := [reported_usd(entry) for entry in strip.drawable(x)]) > MOST_DOTS:
            data["density"] += density(costs, x, middle, reach, colors.colors[strip.model], figures.money)
        data["models"].append(of | {"y": (middle + below) / 2, "name": names[index], "text": runs})
        if len(strip.runs) < LEAST_FOR_A_TREND or strip.mean < x.low:
            continue
        mean, end = figures.money(strip.mean), strip.mean
        tip = f"{label(strip.model)}, {figures.plural(len(strip.runs), 'run')}\n{mean} on average"
        if strip.cost.interval:
            low, high = strip.cost.interval.low, strip.cost.interval.high
            end = min(high, x.high)
            ends: Row = {"start": max(low, x.low), "end": end}
            tip += f", {figures.from_to(low, high, figures.money)}"
            data["intervals"].append(of | ends | {"y": below})
        data["means"].append(of | {"usd": strip.mean, "y": below, "tip": tip})
        data["figures"].append(of | {"usd": end, "y": below, "text": mean})
    data |= FRAME.tick_rows("ticks", "usd", dollar_ticks(x), x)
    return data, len(shown) * step


def _step(shown: Sequence[_Strip], x: Axis) -> tuple[int, int]:
    """Pixels from strip to strip, and how far the dots of one are scattered."""
    if len(shown) == 1 and len(shown[0].drawable(x)) > MOST_DOTS:
        return 180, 70
    return (72, 16) if len(shown) <= _FEW else (52, 9)


def _dots(shown: Sequence[_Strip], colors: ModelColors, x: Axis, share: int) -> list[Row]:
    """A dot for every `share` runs of like cost."""
    step, reach = _step(shown, x)
    dots: list[Row] = []
    for index, strip in enumerate(shown):
        middle = index * step + reach + 5
        runs = strip.drawable(x)
        for entry in thinned(runs, share) if len(runs) <= MOST_DOTS else ():
            if share == 1:
                tip, href = f"{clean(entry.name)}\n", run_path(entry.id)
            else:
                tip, href = f"{label(strip.model)}\nabout ", ""
            at: Row = {"usd": reported_usd(entry), "y": middle + scattered(entry.id, reach)}
            tip += figures.money(reported_usd(entry))
            dots.append(at | {"color": colors.colors[strip.model], "tip": tip, "href": href})
    return dots


def _ranked(group: Sequence[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(group, key=lambda entry: (reported_usd(entry), entry.id)))
