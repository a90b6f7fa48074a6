"""Scales of charts: their ends, their ticks, and the position of a value on them.

Vega could choose ends and ticks itself, but then their labels would be written by its formats (1.2G, $450µ) and
their number would depend on measured text. So both are decided here and written by `figures`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from sitegen import figures

LOG_FROM_SPREAD = 30
"""The ratio of the largest to the smallest value above which a scale is logarithmic."""

_CHARACTER, _SPACE = 7, 8
"""Width of a character of a label and of the space between two, in pixels: estimated, to be the same everywhere."""

_STEPS_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 5_760, 10_080, 20_160)
_STEPS_MONTHS = (1, 2, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50)))


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high`. A linear one begins at zero; a logarithmic one has positive ends."""

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def over(cls, values: Sequence[float], logarithmic: bool) -> Axis:
        """Return a scale with a little room around these values, of which there is at least one above zero."""
        if logarithmic:
            return cls(min(values) / 1.4, max(values) * 1.4, True)
        return cls(0.0, max(values) * 1.06, False)

    def share(self, value: float) -> float:
        """Return the position of a value: 0 at the low end, 1 at the high end."""
        if self.logarithmic:
            low = math.log(self.low)  # not the log of a quotient, which may overflow
            return (math.log(value) - low) / (math.log(self.high) - low)
        return (value - self.low) / (self.high - self.low)

    def held(self, value: float) -> float:
        """Return the position of a value, or the end that it lies beyond."""
        return self.share(min(max(value, self.low), self.high))

    def value(self, share: float) -> float:
        """Return the value at this position."""
        if self.logarithmic:
            return math.exp(math.log(self.low) * (1 - share) + math.log(self.high) * share)
        return self.low + share * (self.high - self.low)

    def ticks(self, whole: bool = False) -> list[float]:
        """Round values on the scale, from one to eight; `whole` ones only where parts make no sense."""
        return self._decades(whole) if self.logarithmic else self._steps(whole)

    def _steps(self, whole: bool) -> list[float]:
        about = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(about))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= about * 0.95)
        if whole:
            step = max(step, 1.0)
        last = int(self.high / step + 1e-9)
        return [round(step * number, 12) for number in range(last + 1)]

    def _decades(self, whole: bool) -> list[float]:
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        least = max(self.low, 1.0) if whole else self.low
        ticks: list[float] = []
        for factors in ("1", "13", "125"):
            numbers = [
                float(f"{factor}e{exponent}") for exponent in exponents for factor in factors
            ]
            ticks = [number for number in numbers if least <= number <= self.high]
            if len(ticks) >= 3:
                break
        every = max(math.ceil(len(ticks) / 8), 1)
        return ticks[::every]


def tick_label(value: float) -> str:
    """Return a round count without the zeros that only fill up digits: `10 k`, `1 M`."""
    number, unit, name = figures.count_short(value).partition("\u202f")
    return f"{float(number.replace(',', '')):g}{unit}{name}"


def sparse(ticks: Sequence[float], axis: Axis, pixels: float, characters: int) -> list[float]:
    """Return every tick whose label of so many characters has room on an axis so many pixels long, or every second one,
    every third, and on."""
    text = "0" * characters
    for step in range(1, len(ticks)):
        kept = ticks[::step]
        places = map(axis.share, kept)
        if all(is_clear(first, text, second, text, pixels) for first, second in pairwise(places)):
            return list(kept)
    return list(ticks[:1])


def is_clear(first: float, text: str, second: float, other: str, pixels: float) -> bool:
    """Return whether there is space between two centred labels of small type."""
    return abs(second - first) * pixels >= _CHARACTER * (len(text) + len(other)) / 2 + _SPACE


def is_wide(values: Sequence[float]) -> bool:
    """Return whether positive values are so unequal that only a logarithmic scale shows them."""
    return max(values) > LOG_FROM_SPREAD * min(values)


def utc_ticks(low: float, high: float) -> list[float]:
    """Round moments from `low` to `high`, in milliseconds as above, at most five: beginnings of minutes, hours, days,
    months or years."""
    for minutes in _STEPS_MINUTES:
        step = 60_000 * minutes
        if high - low <= 4 * step:
            numbers = range(math.ceil(low / step), math.floor(high / step) + 1)
            return [float(number * step) for number in numbers]
    first, last = _month_of(low), _month_of(high)
    step = next(months for months in _STEPS_MONTHS if last - first <= 4 * months)
    ticks = []
    for month in range(math.ceil(first / step) * step, last + 1, step):
        begin = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        ticks.append(begin.timestamp() * 1000)
    return [ms for ms in ticks if ms >= low]


def _month_of(ms: float) -> int:
    """Return the number of months from the year 0 to the month of a moment."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.year * 12 + moment.month - 1


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near the wanted ones, which ascend, at least `gap` from each other and, where there is room, from
    `low` to `high`."""
    places: list[float] = []
    least = low
    for place in wanted:
        places.append(max(place, least))
        least = places[-1] + gap
    most = high
    for index in reversed(range(len(places))):
        places[index] = min(places[index], most)
        most -= gap
    return places


# Widths of the two drawings of a chart, in pixels
WIDE = 512
SLIM = 326

NARROW, ROOMY = 288, 432
"""Pixels that must have room for labels: on the smallest phone, and in the narrowest column with the wide drawing."""

Row = dict[str, Any]
"""A row of a data set of a chart: fixed column names, values that are text or finite numbers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Margins between a drawing and its plot, in pixels; for axes, labels of rows, and figures behind bars."""

    left: int
    right: int
    top: int
    bottom: int

    def plot(self, width: int) -> int:
        """Return the width of the plot in a drawing of this width."""
        return width - self.left - self.right


FRAME = Frame(left=52, right=14, top=26, bottom=40)
"""The margins of a plot with two axes of numbers."""


# Room for the names of dots and lines, clear of dots and of each other. It is looked for in the slim drawing: in the
# wide one they lie further apart.

_NAME_CHARACTER = (
    6.7  # width of a character of a name, in pixels: estimated, to be the same everywhere
)
_MAX_COVERED = 3  # a name may cover this many dots
_ABOVE, _BELOW, _BESIDE, _GAP = 14, 8, 10, 9
"""Pixels by which a name may leave the plot at the top and at the right, and must keep from its foot and its point."""


Spot = tuple[float, float]
"""A place as shares of the plot's width and height, from its lower left corner."""


@dataclass(frozen=True, slots=True)
class _Box:
    """The room that a name takes, in pixels; only its middle counts of its height."""

    left: float
    right: float
    middle: float
    align: str
    dy: int

    def is_inside(self, width: float, height: float) -> bool:
        """Return whether it is in a plot, or leaves it by no more than it may."""
        is_inside_across = self.left >= 0 and self.right <= width + _BESIDE
        return is_inside_across and -_ABOVE <= self.middle <= height - _BELOW

    def touches(self, other: _Box) -> bool:
        """Return whether another name is less than a space away."""
        is_beside = other.right + 6 <= self.left or self.right <= other.left - 6
        return not is_beside and abs(self.middle - other.middle) < 15

    def covers(self, across: float, down: float) -> bool:
        """Return whether it covers a dot."""
        return abs(self.middle - down) < 10 and self.left - 4 < across < self.right + 4


def offsets_of_names(
    names: Iterable[tuple[str, str, Spot]],
    dots: Iterable[Spot],
    lines: Iterable[tuple[Spot, Spot]],
    places: Sequence[tuple[str, int]],
    height: int,
) -> dict[str, Row]:
    """Return the columns `align` and `dy` of each name, by its key; empty where one finds no room.

    A name has a key, a text and its point. It takes the place (which end of it is at the point, and how many pixels
    down that is) that covers the fewest dots and points of lines, the first of equal ones, and no name before it.
    """
    plot = FRAME.plot(SLIM)
    spots = list(dots)
    for start, end in lines:
        spots += _points_of_line(start, end)
    marks = [(x * plot, height * (1 - y)) for x, y in spots]
    taken: dict[str, _Box] = {}
    for key, text, (x, y) in names:
        best: _Box | None = None
        fewest = _MAX_COVERED + 1
        for align, dy in places:
            box = _box(text, x * plot, height * (1 - y), align, dy)
            if not box.is_inside(plot, height) or any(map(box.touches, taken.values())):
                continue
            covered = sum(box.covers(across, down) for across, down in marks)
            if covered < fewest:
                best, fewest = box, covered
        if best is None:
            return {}
        taken[key] = best
    return {key: {"align": box.align, "dy": box.dy} for key, box in taken.items()}


def _box(text: str, x: float, y: float, align: str, dy: int) -> _Box:
    """Return the room of a name whose point is here, in pixels from the upper left corner."""
    width = _NAME_CHARACTER * len(text)
    left = x + _GAP if align == "left" else x - _GAP - width
    return _Box(left, left + width, y + dy, align, dy)


def _points_of_line(start: Spot, end: Spot) -> list[Spot]:
    """Return points of a line from one end to the other."""
    width, height = end[0] - start[0], end[1] - start[1]
    return [(start[0] + width * step / 40, start[1] + height * step / 40) for step in range(41)]
