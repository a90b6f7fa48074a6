"""Drawings made small: every shape at its final place, with few attributes, and None for what is not known."""

from __future__ import annotations

import pytest

from sitegen.charts.drawing import compact

HEAD = '<svg class="c" width="20" height="10" viewBox="0 0 20 10" preserveAspectRatio="xMinYMid">'
STYLE = 'fill="red"'


def drawn(shapes: str, *further: str, defs: str = "") -> str | None:
    """Return what remains of shapes in a drawing, without the element around them."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">{defs}{shapes}</svg>'
    made = compact(svg, "c", further)
    if made is None:
        return None
    if made == f"{HEAD[:-1]}/>":
        return ""
    assert made.startswith(HEAD)
    return made.removeprefix(HEAD).removesuffix("</svg>")


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        # Paths: circles, rectangles, and others.
        (
            '<path d="M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0"/>',
            '<circle cx="0" cy="0" r="3" fill="none"/>',
        ),
        (
            '<path transform="translate(1.25,2)" d="M3.5,0A3.5,3.5,0,1,1,-3.5,0A3.5,3.5,0,1,1,3.5,0" fill="red"/>',
            '<circle cx="1.2" cy="2" r="3.5" fill="red"/>',
        ),
        (
            '<path d="M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,4,0"/>',
            '<path d="M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,4,0" fill="none"/>',
        ),
        (
            '<path d="M1,2h3v4h-3Z" fill="red" stroke="blue"/>',
            '<rect x="1" y="2" width="3" height="4" fill="red" stroke="blue"/>',
        ),
        (
            '<g transform="translate(10,20)"><path transform="translate(1,2)" d="M-1,-2h3v4.04h-3Z"/></g>',
            '<rect x="10" y="20" width="3" height="4" fill="none"/>',
        ),
        (
            '<path d="M0.04,-0.04L1.06,2.55e1Z"/>',
            '<path d="M0,0L1.1,25.5Z" fill="none"/>',
        ),
        (
            '<path transform="translate(0,0.06)" d="M0,0L1,1"/>',
            '<path d="M0,0L1,1" transform="translate(0,0.1)" fill="none"/>',
        ),
        # Lines end where they are told, from where their parent stands.
        (
            '<line transform="translate(1,2)" x2="5" y2="-1" stroke="red"/>',
            '<line x1="1" y1="2" x2="6" y2="1" stroke="red"/>',
        ),
        ("<line/>", '<line x1="0" y1="0" x2="0" y2="0"/>'),
        # Texts.
        (
            '<text transform="translate(1,2)" text-anchor="start">a &lt; /&gt;</text>',
            '<text x="1" y="2">a &lt; /&gt;</text>',
        ),
        (
            '<text transform="translate(1,2)" text-anchor="end">a</text>',
            '<text x="1" y="2" text-anchor="end">a</text>',
        ),
        (
            '<text transform="translate(1,2) rotate(-90) translate(0,-3)">a</text>',
            '<text transform="translate(1,2)rotate(-90) translate(0,-3)">a</text>',
        ),
        ("<text/>", '<text x="0" y="0"/>'),
        # What is around shapes, links among it, goes; what is behind them too, but not what is in that.
        ('<a href="x"><g id="i" class="j"><text>a</text></g></a>', '<text x="0" y="0">a</text>'),
        ('<path class="background" d="M1,2h3v4h-3Z"/>', ""),
        ('<path class="foreground" d="M1,2h3v4h-3Z"/>', ""),
        ('<g class="background"><text>a</text></g>', '<text x="0" y="0">a</text>'),
        ("<image/><defs><path d='M0,0'/></defs>", ""),
        (
            '<text aria-label="a" id="b" style="c" onclick="d">a</text>',
            '<text x="0" y="0">a</text>',
        ),
        ('<text fill="url(#nowhere)">a</text>', ""),
    ],
)
def test_a_shape_stands_at_its_final_place(shape: str, expected: str) -> None:
    assert drawn(shape) == expected


def test_all_presentation_remains_and_what_is_asked_for() -> None:
    style = (
        'fill="a" fill-opacity="0.5" stroke="b" stroke-width="2" stroke-dasharray="1,2" '
        'stroke-linejoin="round" text-anchor="middle" font-weight="600"'
    )
    assert drawn(f'<text font-size="9" {style}>a</text>') == f'<text x="0" y="0" {style}>a</text>'
    assert drawn('<text font-size="9">a</text>', "font-size") == (
        '<text x="0" y="0" font-size="9">a</text>'
    )


def test_neighbours_of_one_style_are_a_group() -> None:
    red, blue = (f'<text fill="{color}">{color}</text>' for color in ("red", "blue"))
    own = '<text x="0" y="0">red</text>'
    alone = '<text x="0" y="0" fill="{0}">{0}</text>'
    assert drawn(red + red + blue + red) == (
        f'<g fill="red">{own}{own}</g>{alone.format("blue")}{alone.format("red")}'
    )


STOPS = '<stop stop-color="red"/><stop stop-color="blue"/>'


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        (
            'y1="0" y2="0"',
            '<rect x="1" y="2" width="2.5" height="8" fill="red"/>'
            '<rect x="3" y="2" width="2.5" height="8" fill="blue"/>',
        ),
        (
            'y1="1" y2="0"',  # from below
            '<rect x="1" y="2" width="4" height="4.5" fill="blue"/>'
            '<rect x="1" y="6" width="4" height="4.5" fill="red"/>',
        ),
    ],
)
def test_a_gradient_is_a_rectangle_of_each_colour(direction: str, expected: str) -> None:
    gradient = f'<defs><linearGradient id="g" {direction}>{STOPS}</linearGradient></defs>'
    shape = '<path d="M1,2h4v8h-4Z" fill="url(#g)"/>'
    assert drawn(shape, defs=gradient) == expected
    assert drawn('<text fill="url(#g)">a</text>', defs=gradient) == "", "only rectangles have one"


def test_a_colour_that_a_gradient_does_not_state_is_none() -> None:
    gradient = '<linearGradient id="g" y1="0" y2="0"><stop/></linearGradient>'
    assert drawn('<path d="M1,2h4v8h-4Z" fill="url(#g)"/>', defs=gradient) == (
        '<rect x="1" y="2" width="4.5" height="8" fill="none"/>'
    )


@pytest.mark.parametrize(
    "shape",
    [
        '<path transform="scale(2)" d="M0,0"/>',
        '<path transform="translate(1,2) rotate(3)" d="M0,0"/>',
        '<text transform="translate(1,2) scale(3)">a</text>',
        '<text transform="rotate(3) skewX(1)">a</text>',
        '<g transform="rotate(3)"/>',
        "<unclosed>",
        '<line x2="wide"/>',
    ],
)
def test_what_is_not_known_is_no_drawing(shape: str) -> None:
    assert drawn(shape) is None


def test_without_a_drawing_there_is_none_and_without_a_size_it_is_0() -> None:
    assert compact(None, "c") is None
    assert compact("", "c") is None
    assert compact("<svg/>", "c") == (
        '<svg class="c" width="0" height="0" viewBox="0 0 0 0" preserveAspectRatio="xMinYMid"/>'
    )
