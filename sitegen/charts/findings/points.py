"""Models as points among dollars and another figure: their intervals, the frontier through those that no cheaper one
beats, and places for their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from sitegen.charts.axes import Axis
from sitegen.charts.findings import ModelColors, clipped, label, tasks_remark
from sitegen.charts.frames import Frame, Row
from sitegen.charts.labels import Place, Plot
from sitegen.model import Entry
from sitegen.numbers.intervals import Interval

HEIGHT = 240
"""Of the plot, in pixels."""

MOST_DRAWN = 2
"""The scale has room for so many times the mean of an interval of costs, or a model of few runs would press the others
to the left. What goes beyond is drawn up to the edge."""

CUT = "; those that reach the edge go on beyond it"
"""Said of intervals where some do."""


@dataclass(frozen=True, slots=True)
class Point:
    """One model."""

    model: str
    usd: float
    """Mean cost of a run."""
    usd_interval: Interval | None
    value: float
    interval: Interval | None
    tip: str

    @property
    def dollars(self) -> tuple[float, ...]:
        """The mean cost, and the ends of its interval where it has one, as far as the scale makes room for them."""
        if self.usd_interval is None:
            return (self.usd,)
        return self.usd, self.usd_interval.low, min(self.usd_interval.high, MOST_DRAWN * self.usd)

    def overlaps(self, other: Point) -> bool:
        """Whether intervals of the two overlap, of their cost or of the other figure."""
        pairs = [(self.interval, other.interval), (self.usd_interval, other.usd_interval)]
        return any(a and b and a.low <= b.high and b.low <= a.high for a, b in pairs)


def note_of(marks: str, points: Iterable[Point], groups: Iterable[Iterable[Entry]]) -> str:
    """What a chart of points says of its `marks`: that models did other tasks, or else that intervals overlap."""
    if remark := tasks_remark(groups):
        return f"{marks}{remark}."
    overlap = any(one.overlaps(other) for one, other in combinations(points, 2))
    return f"{marks}{', which overlap' if overlap else ''}."


@dataclass(frozen=True, slots=True)
class Field:
    """The plot with its points, which ascend by cost."""

    frame: Frame
    x: Axis
    y: Axis
    points: Sequence[Point]
    front: Sequence[Point]
    """Those that no cheaper one beats; empty where nobody knows which is better."""

    @classmethod
    def of(cls, frame: Frame, x: Axis, y: Axis, points: Sequence[Point], higher_is_better: bool | None) -> Field:
        """Points of equal cost must come in order of what is better."""
        front: list[Point] = []
        for point in points if higher_is_better is not None else ():
            if not front or (point.value > front[-1].value if higher_is_better else point.value < front[-1].value):
                front.append(point)
        return cls(frame, x, y, points, front)

    @property
    def has_cut(self) -> bool:
        """Whether an interval goes on beyond the edge."""
        ends = [(point.usd_interval, self.x) for point in self.points]
        ends += [(point.interval, self.y) for point in self.points]
        return any(interval and not axis.low <= interval.low <= interval.high <= axis.high for interval, axis in ends)

    def names(self, further: Sequence[tuple[float, float]] = ()) -> dict[str, Place]:
        """Places for names, clear of dots, lines, each other and further marks (share of the width, pixels from the
        top), those of the frontier first; none for a dot where there is no room."""
        taken = [*self._taken(), *further]
        plot = Plot(self.frame, HEIGHT)
        placed: dict[str, Place] = {}
        for point in [*reversed(self.front), *(point for point in self.points if point not in self.front)]:
            text, across, down = clipped(label(point.model), 16), self.x.share(point.usd), self._down(point.value)
            places = [
                Place(text, side, across, down + shift, 9) for shift in (-10, 10, -26, 26) for side in ("right", "left")
            ]
            if best := plot.best(places, taken, list(placed.values())):
                placed[point.model] = best
        return placed

    def data(self, colors: ModelColors, names: dict[str, Place]) -> dict[str, list[Row]]:
        """The frontier, intervals, dots and their names."""
        front = self.front if len(self.front) > 1 else ()
        data: dict[str, list[Row]] = {
            "frontier": [{"usd": point.usd, "value": point.value} for point in front],
            "costs": [], "intervals": [], "dots": [], "names_left": [], "names_right": [],
        }  # fmt: skip
        for point in self.points:
            at: Row = {
                "usd": point.usd,
                "value": point.value,
                "color": colors.colors[point.model],
                "model": point.model,
            }
            if point.usd_interval:
                start, end = self._ends(point.usd_interval.low, point.usd_interval.high, self.x)
                data["costs"].append(at | {"start": start, "end": end})
            if point.interval:
                start, end = self._ends(point.interval.low, point.interval.high, self.y)
                data["intervals"].append(at | {"start": start, "end": end})
            data["dots"].append(at | {"tip": point.tip})
            if name := names.get(point.model):
                place: Row = {"usd": point.usd, "value": self.y.value(1 - name.y / HEIGHT), "text": name.text}
                data[f"names_{name.side}"].append(place | {"model": point.model})
        return data

    def _down(self, value: float) -> float:
        """Pixels from the top."""
        return HEIGHT * (1 - self.y.share(value))

    @staticmethod
    def _ends(low: float, high: float, axis: Axis) -> tuple[float, float]:
        """Of an interval, as far as they lie on the scale."""
        return max(low, axis.low), min(high, axis.high)

    def _taken(self) -> Iterator[tuple[float, float]]:
        """Points of all dots and lines: share of the plot's width, and pixels from its top."""
        lines: list[tuple[float, float, float, float]] = []
        for point in self.points:
            across, down = self.x.share(point.usd), self._down(point.value)
            lines.append((across, across, down, down))
            if point.interval:
                start, end = self._ends(point.interval.low, point.interval.high, self.y)
                lines.append((across, across, self._down(start), self._down(end)))
            if point.usd_interval:
                start, end = self._ends(point.usd_interval.low, point.usd_interval.high, self.x)
                lines.append((self.x.share(start), self.x.share(end), down, down))
        for point, following in pairwise(self.front):
            start, end = self.x.share(point.usd), self.x.share(following.usd)
            lines += [
                (start, end, self._down(point.value), self._down(point.value)),
                (end, end, self._down(point.value), self._down(following.value)),
            ]
        for left, right, top, bottom in lines:
            for i in range(41):
                yield left + (right - left) * i / 40, top + (bottom - top) * i / 40
