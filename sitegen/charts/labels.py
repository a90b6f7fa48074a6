"""Finds room for the names of dots and lines, clear of dots and of each other, in the wide and in the slim drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sitegen.charts.axes import SLIM, WIDE, Frame, Row

_CHARACTER = 6.7
"""Width of a character of a name, in pixels: estimated, to be the same everywhere."""
_MAX_COVERED = 3
"""A name may cover this many dots, counted in both drawings."""
_ABOVE, _BELOW, _BESIDE, _GAP = 14, 8, 10, 9
"""Pixels by which a name may leave the plot at the top and at the right, and must keep from its foot and its point."""


Spot = tuple[float, float]
"""A place as shares of the plot's width and height, from its lower left corner."""


def offsets_of_names(
    names: Iterable[tuple[str, str, Spot]],
    dots: Iterable[Spot],
    lines: Iterable[tuple[Spot, Spot]],
    places: Sequence[tuple[str, int]],
    frame: Frame,
    height: int,
) -> dict[str, Row]:
    """Return the columns `align` and `dy` of each name, by its key; empty where one finds no room.

    A name has a key, a text and its point. It takes the place (which end of it is at the point, and how many pixels
    down that is) that covers the fewest dots and points of lines, the first of equal ones, and no name before it.
    """
    plots = frame.plot(WIDE), frame.plot(SLIM)
    marks = [*dots]
    for start, end in lines:
        marks += [
            (start[0] + (end[0] - start[0]) * at / 40, start[1] + (end[1] - start[1]) * at / 40) for at in range(41)
        ]
    taken: list[tuple[float, list[Spot]]] = []
    found: dict[str, Row] = {}
    for key, text, (x, y) in names:
        width, best = _CHARACTER * len(text), (_MAX_COVERED + 1, 0.0, list[Spot](), Row())
        for align, dy in places:
            middle = height * (1 - y) + dy
            lefts = [x * plot + (_GAP if align == "left" else -_GAP - width) for plot in plots]
            boxes = [(left, left + width) for left in lefts]
            is_in = all(left >= 0 and right <= plot + _BESIDE for (left, right), plot in zip(boxes, plots, strict=True))
            if (
                is_in
                and -_ABOVE <= middle <= height - _BELOW
                and not any(_touch(middle, boxes, *name) for name in taken)
            ):
                covered = sum(
                    left - 4 < across * plot < right + 4 and abs(middle - height * (1 - up)) < 10
                    for (left, right), plot in zip(boxes, plots, strict=True)
                    for across, up in marks
                )
                best = min(best, (covered, middle, boxes, {"align": align, "dy": dy}), key=lambda each: each[0])
        if not best[2]:
            return {}
        taken.append(best[1:3])
        found[key] = best[3]
    return found


def _touch(middle: float, boxes: list[Spot], other: float, others: list[Spot]) -> bool:
    pairs = zip(boxes, others, strict=True)
    return abs(middle - other) < 15 and any(
        left - 6 < end and start < right + 6 for (left, right), (start, end) in pairs
    )
