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
from operator import itemgetter
from typing import Any

from sitegen import figures
from sitegen.numbers.intervals import Interval

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

    def holds(self, interval: Interval) -> bool:
        """Return whether both ends of an interval lie on it."""
        return self.low <= interval.low <= interval.high <= self.high

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
        step = max(step, 1.0) if whole else step
        return [round(step * i, 12) for i in range(int(self.high / step + 1e-9) + 1)]

    def _decades(self, whole: bool) -> list[float]:
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        least = max(self.low, 1.0) if whole else self.low
        found: list[float] = []
        for factors in ((1,), (1, 3), (1, 2, 5)):
            round_values = (
                float(f"{factor}e{exponent}") for exponent in exponents for factor in factors
            )
            found = [tick for tick in round_values if least <= tick <= self.high]
            if len(found) >= 3:
                break
        return found[:: max(math.ceil(len(found) / 8), 1)]


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
        if all(
            is_clear(axis.share(a), text, axis.share(b), text, pixels) for a, b in pairwise(kept)
        ):
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
    step = next(
        (60_000 * minutes for minutes in _STEPS_MINUTES if high - low <= 4 * 60_000 * minutes), None
    )
    if step is not None:
        return [
            float(number * step)
            for number in range(math.ceil(low / step), math.floor(high / step) + 1)
        ]
    first, last = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (low, high))
    # From the year 0.
    start = first.year * 12 + first.month - 1
    end = last.year * 12 + last.month - 1
    months = next(step for step in _STEPS_MONTHS if end - start <= 4 * step)
    numbers = range(math.ceil(start / months) * months, end + 1, months)
    ticks = (
        datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC).timestamp() * 1000
        for number in numbers
    )
    return [ms for ms in ticks if ms >= low]


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near the wanted ones, which ascend, at least `gap` from each other and, where there is room, from
    `low` to `high`."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + gap if places else low))
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], high - gap * (len(places) - 1 - index))
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
    plot, marks, steps = FRAME.plot(SLIM), [*dots], [step / 40 for step in range(41)]
    for (x, y), end in lines:
        marks += [(x + (end[0] - x) * step, y + (end[1] - y) * step) for step in steps]
    found: dict[str, Row] = {}
    taken: list[tuple[float, float, float]] = []
    for key, text, (x, y) in names:
        width = _NAME_CHARACTER * len(text)
        free: list[tuple[int, tuple[float, float, float], Row]] = []
        for align, dy in places:
            left = x * plot + (_GAP if align == "left" else -_GAP - width)
            right = left + width
            middle = height * (1 - y) + dy
            is_in = left >= 0 and right <= plot + _BESIDE and -_ABOVE <= middle <= height - _BELOW
            if is_in and not any(
                a - 6 < right and left < b + 6 and abs(middle - c) < 15 for a, b, c in taken
            ):
                near = (
                    abs(middle - height * (1 - up)) < 10 and left - 4 < at * plot < right + 4
                    for at, up in marks
                )
                free.append((sum(near), (left, right, middle), {"align": align, "dy": dy}))
        covered, box, offsets = min(
            free, key=itemgetter(0), default=(_MAX_COVERED + 1, (0.0, 0.0, 0.0), Row())
        )
        if covered > _MAX_COVERED:
            return {}
        taken.append(box)
        found[key] = offsets
    return found
