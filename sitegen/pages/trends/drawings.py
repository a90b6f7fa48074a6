"""The drawings of trends: lines over campaigns with intervals, and shares of passed runs in cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sitegen import figures
from sitegen.charts.axes import Axis, spread_out
from sitegen.charts.findings import clipped
from sitegen.names import short_model
from sitegen.numbers.trends import CampaignPoint, MeasureTrend, Trends
from sitegen.pages import svg
from sitegen.pages.svg import LEFT, RIGHT, Shape
from sitegen.pages.trends.words import chart_heading, chart_note, day, value
from sitegen.pages.views import PlotView, model_class

_TOP, _BOTTOM = 12, 162
HEIGHT = 198
_LINE = 14
_MAX_DAYS = 3
_LONGEST_NAME = 16
MAX_LINES = 4
"""Models in a chart: as many as have a colour."""
CELL = 40


def chart(trends: Trends, measure: str, lines: Sequence[MeasureTrend]) -> PlotView:
    """Return a line for each model, those of most runs where there are more than MAX_LINES."""
    lines = sorted(lines, key=lambda each: -sum(point.runs for point in each.points if point))[:MAX_LINES]
    lines = sorted(lines, key=lambda each: each.model)
    scale = _Scale.of(measure, [point for each in lines for point in each.points if point])
    shapes = [*scale.shapes(measure), *_days(trends)]
    for each in lines:
        shapes += _line(each, scale)
    shapes += _labels(lines, scale)
    said = "; ".join(f"{each.model} {_last(each)}" for each in lines)
    what = chart_note(measure, lines)
    return PlotView(HEIGHT, tuple(shapes), f"{what}. Last: {said}.", chart_heading(trends, measure, lines), f"{what}.")


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, measure: str, points: Sequence[CampaignPoint]) -> _Scale:
        if measure == "success":
            return cls(0.0, 1.0, (0.0, 0.5, 1.0))
        values = [point.value for point in points]
        # An open or very wide end goes on beyond the drawing.
        ends = [point.interval.high for point in points if point.interval and point.interval.high < 2 * max(values)]
        low, high = min(0.0, *values, 0.0), max([*values, *ends, 0.0])
        if high <= low:
            high = low + 1
        ticks = [tick for tick in Axis(0.0, high, False).ticks() if tick <= high] if low == 0 else [low, 0.0, high]
        step = max(math.ceil((len(ticks) - 1) / 3), 1)
        return cls(low, high, tuple(ticks[::step]))

    def y(self, number: float) -> int:
        share = (number - self.low) / (self.high - self.low)
        return round(_BOTTOM - min(max(share, 0.0), 1.0) * (_BOTTOM - _TOP))

    def shapes(self, measure: str) -> Iterator[Shape]:
        for tick in self.ticks:
            y = self.y(tick)
            yield svg.line("rule", (LEFT, RIGHT), (y, y))
            yield svg.words("e", "$0" if measure == "cost" and not tick else value(measure, tick), LEFT, y + 4, -10)


def _x(position: int, campaigns: int) -> float:
    return position / (campaigns - 1) if campaigns > 1 else 0.5


def _days(trends: Trends) -> Iterator[Shape]:
    count = len(trends.campaigns)
    step = max(math.ceil((count - 1) / (_MAX_DAYS - 1)), 1)
    shown = [position for position in range(0, count, step) if count - 1 - position >= step]
    for position in [*shown, count - 1]:
        yield svg.words("c", day(trends.campaigns[position].day), _x(position, count), HEIGHT - 10)


def _line(each: MeasureTrend, scale: _Scale) -> Iterator[Shape]:
    count, css = len(each.points), model_class(each.model)
    known = [(_x(position, count), point) for position, point in enumerate(each.points) if point]
    for (x, one), (following, other) in pairwise(known):
        yield svg.line(f"trend l-{css}", (x, following), (scale.y(one.value), scale.y(other.value)))
    for x, point in known:
        if point.interval:
            yield svg.line(f"iv l-{css}", (x, x), (scale.y(point.interval.low), scale.y(point.interval.high)))
        yield svg.dot(f"m-{css}", x, scale.y(point.value), 3.5)


def _labels(lines: Sequence[MeasureTrend], scale: _Scale) -> Iterator[Shape]:
    ends = sorted(((scale.y(_newest(each).value), each) for each in lines), key=lambda pair: (pair[0], pair[1].model))
    places = spread_out([float(y) for y, _ in ends], _LINE, _TOP, _BOTTOM)
    for place, (_, each) in zip(places, ends, strict=True):
        name = clipped(short_model(each.model), _LONGEST_NAME)
        yield svg.words("t", f"{name}, {_last(each)}", RIGHT, round(place) + 4, 12)


def _newest(each: MeasureTrend) -> CampaignPoint:
    return next(point for point in reversed(each.points) if point)


def _last(each: MeasureTrend) -> str:
    return each.about + value(each.measure, _newest(each).value)


def cell(passed: int, judged: int) -> tuple[Shape, ...]:
    """Passed and failed runs as parts of a bar: where all failed it is all of that colour, and no gap."""
    width = round(CELL * passed / judged)
    return (svg.box("ko", "0", str(CELL), 0, 12), *((svg.box("ok", "0", str(width), 0, 12),) if width else ()))


def cell_text(passed: int, judged: int) -> str:
    """Return the same for who does not see it."""
    return f"{figures.percent(passed, judged)} of {figures.plural(judged, 'run')}"
