"""Finds room for the names of dots and lines, clear of dots and of each other, in the wide and in the slim drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sitegen.charts.axes import SLIM, WIDE, Frame, Row

_CHARACTER = 6.7
"""Width of a character of a name, in pixels: estimated, to be the same everywhere."""
_MOST_COVERED = 3
"""A name may cover this many dots, counted in both drawings."""
_ABOVE, _BELOW, _BESIDE, _GAP = 14, 8, 10, 9
"""Pixels by which a name may leave the plot at the top and at the right, and must keep from its foot and its point."""


def offsets_of_names(
    names: Iterable[tuple[str, str, float, float]],
    dots: Sequence[tuple[float, float]],
    places: Sequence[tuple[str, int]],
    frame: Frame,
    height: int,
) -> dict[str, Row]:
    """Return the columns `align` and `dy` of each name that finds room, by its key.

    A name has a key, a text and its point: where that lies as a share of the plot's width, and in pixels from the top,
    as dots do. It takes the place (which end of it is at the point, and how far down that is) that covers the fewest
    dots, the first of equal ones, and no name before it.
    """
    plots = frame.plot(WIDE), frame.plot(SLIM)
    taken: list[tuple[float, list[tuple[float, float]]]] = []
    found: dict[str, Row] = {}
    for key, text, x, y in names:
        width, least, best = _CHARACTER * len(text), _MOST_COVERED + 1, None
        for align, dy in places:
            middle = y + dy
            lefts = [x * plot + (_GAP if align == "left" else -_GAP - width) for plot in plots]
            boxes = [(left, left + width) for left in lefts]
            is_out = any(left < 0 or right > plot + _BESIDE for (left, right), plot in zip(boxes, plots, strict=True))
            if (
                is_out
                or not -_ABOVE <= middle <= height - _BELOW
                or any(_touch(middle, boxes, *name) for name in taken)
            ):
                continue
            covered = sum(
                left - 4 < across * plot < right + 4 and abs(middle - down) < 10
                for (left, right), plot in zip(boxes, plots, strict=True)
                for across, down in dots
            )
            if covered < least:
                least, best = covered, (middle, boxes, {"align": align, "dy": dy})
        if best:
            taken.append(best[:2])
            found[key] = best[2]
    return found


def along(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """Return points of a line, which names keep clear of as of dots."""
    return [tuple(a + (b - a) * at / 40 for a, b in zip(start, end, strict=True)) for at in range(41)]  # type: ignore[misc]


def _touch(middle: float, boxes: list[tuple[float, float]], other: float, others: list[tuple[float, float]]) -> bool:
    pairs = zip(boxes, others, strict=True)
    return abs(middle - other) < 15 and any(
        left - 6 < end and start < right + 6 for (left, right), (start, end) in pairs
    )
