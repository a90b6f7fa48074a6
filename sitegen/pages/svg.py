"""Small drawings that stand in a page as SVG: shapes placed across as a share of the width, and down in pixels.

So one drawing serves desktop, phone and paper, and its words keep their size. The macro `shapes` writes them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.numbers.intervals import Interval

# The ends of a drawing, beside which words stand
LEFT = "0"
RIGHT = "100%"

Place = float | str  # a share of the width, or one of its ends


@dataclass(frozen=True, slots=True)
class Shape:
    """An SVG element."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str = ""


def across(share: float) -> str:
    """Return a share of the width, in per cent."""
    return f"{100 * share:.2f}%"


def line(css: str, x: tuple[Place, Place], y: tuple[int, int]) -> Shape:
    """Return the line from one point to another."""
    return _shape("line", css, x1=x[0], x2=x[1], y1=y[0], y2=y[1])


def interval(css: str, ends: tuple[float, float], y: int) -> Iterator[Shape]:
    """Yield the line from one end to the other; one beyond the drawing ends there in an arrow."""
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    yield line(css, (low, high), (y, y))
    if ends[0] < 0:
        yield arrow("left", 0.0, y)
    if ends[1] > 1:
        yield arrow("right", 1.0, y)


def arrow(way: str, x: Place, y: int) -> Shape:
    """Return the head of an arrow, 8 pixels wide, whose point is at a place."""
    shift = {"left": "0 -4", "right": "-8 -4", "up": "-4 0", "down": "-4 -8"}[way]
    places = {"href": f"#i-{way}", "x": x, "y": y, "width": 8, "height": 8}
    return _shape("use", "beyond", **places, transform=f"translate({shift})")


def dot(css: str, x: Place, y: int, radius: float) -> Shape:
    """Return a circle."""
    return _shape("circle", css, cx=x, cy=y, r=str(radius))


def box(css: str, x: Place, width: Place, y: int, height: int) -> Shape:
    """Return a rectangle."""
    return _shape("rect", css, x=x, y=y, width=width, height=height)


def words(css: str, text: str, x: Place, y: int, shift: int = 0) -> Shape:
    """Return a text whose line stands at `y`, moved by so many pixels to the right."""
    moved = {"dx": shift} if shift else {}
    return _shape("text", css, text, x=x, **moved, y=y)


def sign(name: str, css: str, x: Place, y: int, title: str) -> Shape:
    """Return a sign of the page, 13 pixels wide, in the middle of a place; `title` shows when it is pointed at."""
    places = {"href": f"#i-{name}", "x": x, "y": str(y - 6.5), "width": 13, "height": 13}
    return _shape("use", f"sign {css}", title, **places, transform="translate(-6.5 0)")


def scale(ticks: Iterable[tuple[float, str]], height: int) -> Iterator[Shape]:
    """Yield a line for each tick through a drawing so high, and its label below; zero dollars are an axis."""
    for x, label in ticks:
        yield line("axis" if label == "$0" else "rule", (x, x), (0, height))
        yield words("c", label, x, height + 16)


def on_interval(value: float, between: Interval | None, top: float, css: str) -> tuple[Shape, ...]:
    """Return a dot on its interval, from zero to the top."""
    shapes = [line("rule", (0.0, 1.0), (13, 13))]
    if between:
        shapes += interval("axis", (between.low / top, between.high / top), 13)
    return (*shapes, dot(css, value / top, 13, 4.5))


def _shape(tag: str, css: str, text: str = "", /, **places: Place) -> Shape:
    """Return shares, which are floats, become per cent; all else stands as it is."""
    written = (
        (name, across(at) if isinstance(at, float) else str(at)) for name, at in places.items()
    )
    return Shape(tag, (*((("class", css),) if css else ()), *written), text)
