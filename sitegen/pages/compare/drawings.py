"""The drawings of a comparison: intervals of effects, and costs by task."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from sitegen import figures
from sitegen.charts.axes import Axis
from sitegen.model import Entry
from sitegen.numbers.comparison import Comparison, Contrast
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure
from sitegen.numbers.wording import Claim, cut, measure_name, signed
from sitegen.pages import svg
from sitegen.pages.compare.words import SideView, ahead_on, label_of, signed_points, writer_of
from sitegen.pages.svg import LEFT, RIGHT
from sitegen.pages.views import PlotView

MAX_DRAWN = 12
"""Tasks in a chart: those of the largest differences."""

_ROW, _TASK_ROW = 40, 48  # pixels of a row in a chart

_RATIO_TICKS = (
    (0.95, 1.05),
    (0.9, 1.1),
    (0.8, 1.2),
    (0.7, 1.4),
    (0.5, 0.7, 1.4, 2),
    (0.25, 0.5, 2, 4),
    (0.1, 0.3, 3, 10),
    (0.01, 0.1, 10, 100),
    (0.0001, 0.01, 100, 10_000),
)


def plots(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> Iterator[PlotView]:
    """Ratios on one scale, success in points and other differences each on another."""
    ratios = [each for each in contrasts if not each.measure.is_difference and each.ratio and each.mean_ratio]
    if ratios:
        yield _ratio_plot(a, b, ratios)
    for each in contrasts:
        if each.measure.is_difference and each.difference and each.mean_difference is not None:
            yield _difference_plot(a, b, Claim.of(each, is_ratio=False), each.difference)


def _ratio_plot(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> PlotView:
    floor = 1e-12  # a mean of B of zero has no place on a scale of ratios: its line leaves at the left
    ends = [max(end, floor) for each in contrasts if each.ratio for end in (each.ratio.low, each.ratio.high)]
    reach = max(*ends, *(1 / end for end in ends))
    ticks = next((ticks for ticks in reversed(_RATIO_TICKS) if ticks[-1] <= reach * 1.1), _RATIO_TICKS[0])
    low, high = math.log(min(ends)), math.log(max(ends))
    room = max((high - low) * 0.04, math.log(ticks[-1]) * 0.2)
    low, high = min(low, 0.0) - room, max(high, 0.0) + room

    def place(value: float) -> float:
        return (math.log(max(value, floor)) - low) / (high - low)

    shown = [(place(tick), f"{tick:,g}×") for tick in ticks]
    apart = [(x, label) for x, label in shown if 0 <= x <= 1 and abs(x - place(1)) > 0.07]
    what = f"Ratios of {b.short} to {a.short} with 95% intervals"
    return _plot(what, [Claim.of(each, is_ratio=True) for each in contrasts], place, apart, place(1))


def _difference_plot(a: SideView, b: SideView, claim: Claim, interval: Interval) -> PlotView:
    measure = claim.measure
    is_share = measure.is_share
    write = signed_points if is_share else partial(signed, write=writer_of(measure))
    reach = max(abs(interval.low), abs(interval.high), 0.05 if is_share else 0.0)
    exponent = math.floor(math.log10(reach / 3))
    step = next(size * 10.0**exponent for size in (1, 2, 5, 10) if reach < 3 * size * 10.0**exponent)
    edge = max(reach, 2 * step) * 1.08

    def place(value: float) -> float:
        return (value + edge) / (2 * edge)

    of = "Success" if measure is Measure.SUCCESS else measure_name(measure)
    what = f"{of} of {b.short} minus that of {a.short}{' in points' * is_share}, with its 95% interval"
    ticks = [(place(n * step), write(n * step)) for n in (-2, -1, 1, 2)]
    return _plot(what, [claim], place, ticks, place(0))


def _plot(
    what: str, claims: Sequence[Claim], place: Callable[[float], float], ticks: Iterable[tuple[float, str]], same: float
) -> PlotView:
    """Effects on one scale with a line where both sides are the same; several also say on which side is more. `place`
    gives shares of its width."""
    height, said = _ROW * len(claims), []
    shapes = [
        *svg.scale(ticks, height),
        svg.line("axis", (same, same), (0, height)),
        svg.words("c", "same", same, height + 16),
    ]
    if len(claims) > 1:
        shapes.append(svg.words("e", "← less", same, height + 34, -14))
        shapes.append(svg.words("", "more →", same, height + 34, 14))
    for number, claim in enumerate(claims):
        y, label = _ROW * number + _ROW // 2, cut(label_of(claim.measure), 22)
        if claim.estimate is None or claim.interval is None:
            continue
        ends, is_success = (claim.interval.low, claim.interval.high), claim.measure is Measure.SUCCESS
        label, value = (f"{label}, points", claim.write(claim.estimate)) if is_success else (label, claim.size)
        shapes.append(svg.words("t e lab", label, LEFT, y + 4, -10))
        shapes.append(svg.line("tick", (place(ends[0]), place(ends[1])), (y, y)))
        shapes.append(svg.dot("t" if claim.is_clear else "ring", place(claim.estimate), y, 5))
        shapes.append(svg.words("b val", value, RIGHT, y + 4, 16))
        shapes.append(svg.words("val", claim.ends, RIGHT, y + 4, 64))
        said.append(f"{label} {value}, {claim.ends}")
    return PlotView(height + (38 if len(claims) > 1 else 22), tuple(shapes), f"{what}: {'; '.join(said)}.")


def tasks_plot(a: SideView, b: SideView, comparison: Comparison) -> PlotView | None:
    """Mean costs by task with the single runs; None where no task has costs on both sides, or all are zero."""
    cost = comparison.contrasts[Measure.COST]
    largest = sorted(cost.tasks, key=lambda pair: -abs(pair.difference))[:MAX_DRAWN]
    drawn = [pair for pair in cost.tasks if pair in largest]
    singles = [[_costs(side[pair.task]) for side in (comparison.a.runs, comparison.b.runs)] for pair in drawn]
    top = max((figure for sides in singles for side in sides for figure in side), default=0) * 1.03
    if top <= 0:
        return None

    ticks = [(tick / top, figures.money(tick) if tick else "$0") for tick in Axis(0.0, top, False).ticks()]
    height = _TASK_ROW * len(drawn)
    shapes = [*svg.scale(ticks, height)]
    for number, (pair, (one, two)) in enumerate(zip(drawn, singles, strict=True)):
        y, a_mean, b_mean = _TASK_ROW * number + _TASK_ROW // 2, pair.a / top, pair.b / top
        shapes.append(svg.words("t e lab", cut(pair.task, 22), LEFT, y + 4, -10))
        shapes.append(svg.line("tie", (a_mean, b_mean), (y, y)))
        shapes += (svg.dot(f"{a.key} single", usd / top, y - 9, 2.5) for usd in one if len(one) > 1)
        shapes += (svg.dot(f"{b.key} single", usd / top, y + 9, 2.5) for usd in two if len(two) > 1)
        shapes += svg.dot(a.key, a_mean, y, 6), svg.dot(b.key, b_mean, y, 6)
        shapes.append(svg.words("b sole", signed(pair.difference, figures.money), RIGHT, y + 4, 16))
    part = len(drawn) < len(cost.tasks)
    of = f"The {len(drawn)} of {len(cost.tasks)} tasks with the largest differences. " if part else ""
    return PlotView(
        heading=ahead_on(a, b, cost) if comparison.claims else "Cost by task",
        note=f"Mean cost of a run on each task, and the difference B − A. {of}Small dots are single runs.",
        height=height + 22,
        shapes=tuple(shapes),
    )


def _costs(runs: Iterable[Entry]) -> list[float]:
    """Known costs, from the least, so that the order of the runs changes nothing."""
    return sorted(cost for run in runs if (cost := run.run.cost_usd) is not None)
