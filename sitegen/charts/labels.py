"""Finds room for the names of dots and lines, clear of marks and of each other, in the wide and in the slim drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.charts.axes import SLIM, WIDE, Frame

CHARACTER = 6.7
"""Width of a character of a name, in pixels: estimated, to be the same everywhere."""
_MOST_COVERED = 3
"""A name may cover this many points of marks, counted in both drawings."""
_ABOVE, _BELOW, _BESIDE = 14, 8, 10
"""Pixels by which a name may leave the plot at the top and at the right, and must keep from its foot."""
_FAULT = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name may stand, beside the point that it names."""

    text: str
    side: str
    """Of the point: `left` or `right`."""
    x: float
    """Where the point lies, as a share of the plot's width."""
    y: float
    """Middle of the text, in pixels from the top."""
    gap: int
    """Pixels from the point to the text."""

    def box(self, plot: int) -> tuple[float, float]:
        """Left and right end of the text in a plot of this width."""
        width = CHARACTER * len(self.text)
        left = self.x * plot - self.gap - width if self.side == "left" else self.x * plot + self.gap
        return left, left + width


@dataclass(frozen=True, slots=True)
class Plot:
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
        found = _FAULT * (not -_ABOVE <= place.y <= self.height - _BELOW)
        for plot in self.widths:
            left, right = place.box(plot)
            found += _FAULT * (left < 0 or right > plot + _BESIDE)
            found += sum(left - 4 < x * plot < right + 4 and abs(place.y - y) < 10 for x, y in points)
            for other in placed:
                start, end = other.box(plot)
                found += _FAULT * (left - 6 < end and start < right + 6 and abs(place.y - other.y) < 15)
        return found
