"""Finds room for the names of dots and lines, clear of marks and of each other, in the wide and in the slim drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.charts.axes import SLIM, WIDE, Frame, Row

CHARACTER = 6.7
"""Width of a character of a name, in pixels: estimated, to be the same everywhere."""
_MOST_COVERED = 3
"""A name may cover this many points of marks, counted in both drawings."""
_ABOVE, _BELOW, _BESIDE = 14, 8, 10
"""Pixels by which a name may leave the plot at the top and at the right, and must keep from its foot."""
_FAULT = 1000
_GAP = 9
"""Pixels from the point to the text."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name may stand, beside the point that it names."""

    text: str
    align: str
    """Its end at the point: `left` or `right`."""
    x: float
    """Where the point lies, as a share of the plot's width."""
    y: float
    """The point, in pixels from the top."""
    dy: float
    """Pixels from the point down to the middle of the text."""

    @property
    def middle(self) -> float:
        """Of the text, in pixels from the top."""
        return self.y + self.dy

    @property
    def offsets(self) -> Row:
        """The columns of a row with such a name."""
        return {"align": self.align, "dy": round(self.dy)}

    def box(self, plot: int) -> tuple[float, float]:
        """Left and right end of the text in a plot of this width."""
        width = CHARACTER * len(self.text)
        left = self.x * plot - _GAP - width if self.align == "right" else self.x * plot + _GAP
        return left, left + width


@dataclass(frozen=True, slots=True)
class Room:
    """A plot with marks in which names are to be placed."""

    frame: Frame
    height: int

    @property
    def widths(self) -> tuple[int, int]:
        """Of the wide and the slim drawing, in pixels: a name must find room in both."""
        return self.frame.plot(WIDE), self.frame.plot(SLIM)

    def best(
        self, places: Iterable[Place], points: Sequence[tuple[float, float]], placed: Sequence[Place]
    ) -> Place | None:
        """The place that covers the fewest points (share of the width, pixels from the top) and no name that is
        placed already, the first of equal ones; None where there is no room."""
        count, best = min(((self._faults(place, points, placed), place) for place in places), key=lambda pair: pair[0])
        return best if count <= _MOST_COVERED else None

    def _faults(self, place: Place, points: Sequence[tuple[float, float]], placed: Sequence[Place]) -> int:
        """Points that it covers, and far worse, names it touches and text out of the plot."""
        found = _FAULT * (not -_ABOVE <= place.middle <= self.height - _BELOW)
        for plot in self.widths:
            left, right = place.box(plot)
            found += _FAULT * (left < 0 or right > plot + _BESIDE)
            found += sum(left - 4 < x * plot < right + 4 and abs(place.middle - y) < 10 for x, y in points)
            for other in placed:
                start, end = other.box(plot)
                found += _FAULT * (left - 6 < end and start < right + 6 and abs(place.middle - other.middle) < 15)
        return found
