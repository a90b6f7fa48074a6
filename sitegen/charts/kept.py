"""What the cache keeps of charts: layouts without data, and drawings. Both may come from others.

So a layout is one only where all its words are of the short vocabulary of `layouts`: with these there is no address, no
expression and no transformation in Vega-Lite. A drawing is one only where it holds nothing but what `drawing.compact`
writes. All else of a chart is made anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET  # what is read has plain tags only, so no document type

from sitegen.cache.memory import Kind, Memory
from sitegen.charts.shape import LaidOut
from sitegen.html.kept_pages import has_plain_tags

_LAYOUT_WORDS = """
    align aria autosize axis axisX axisY background baseline bottom color config continuousHeight continuousWidth
    data detail domain domainColor dx dy encoding field fill fillOpacity filled font fontSize fontWeight grid gridColor
    height href labels layer left legend mark name nice opacity orient padding point right scale size stroke strokeJoin
    strokeWidth text ticks title titleAlign titleAnchor titleAngle titleBaseline titleColor titleFontSize
    titleFontWeight titleX titleY tooltip top type value values view width x x2 y y2 zero
"""
LAYOUT_KEYS = frozenset(_LAYOUT_WORDS.split())
_SIZES = frozenset({"height", "width", "continuousHeight", "continuousWidth"})
_MOST_PIXELS = 20_000
_TEXT = re.compile(r"[\w (),.-]{0,100}")
_SHAPES = frozenset({"a", "title", "g", "path", "rect", "circle", "line", "text"})


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG elements."""

    wide: str | None
    slim: str | None


def is_layout(value: object) -> bool:
    """Whether a value is made of the words of our layouts."""
    match value:
        case dict():
            sizes = [value[key] for key in _SIZES & value.keys()]
            is_drawable = all(isinstance(size, int) and 0 < size <= _MOST_PIXELS for size in sizes)
            return is_drawable and value.keys() <= LAYOUT_KEYS and all(map(is_layout, value.values()))
        case list():
            return all(map(is_layout, value))
        case str():
            return bool(_TEXT.fullmatch(value))
        case _:
            return True


def _is_drawing(drawn: Drawing) -> bool:
    return _is_svg(drawn.wide, "chart-wide") and _is_svg(drawn.slim, "chart-slim")


def _is_svg(svg: str | None, css_class: str) -> bool:
    if svg is None or not svg.startswith(f'<svg class="{css_class}" ') or not has_plain_tags(svg):
        return False
    root = ET.fromstring(svg)  # noqa: S314
    return root.tag == "svg" and all(each.tag in _SHAPES for each in root.iterfind(".//*"))


LAYOUT = Kind[LaidOut]("layout", LaidOut, lambda laid: is_layout(laid.spec) and is_layout(laid.legend))
DRAWING = Kind[Drawing]("drawing", Drawing, _is_drawing)


def recall_charts(memory: Memory) -> dict[bytes, LaidOut | Drawing]:
    """All layouts and drawings that were kept, by the stamps of what they depend on."""
    layouts, drawings = memory.recall_all(LAYOUT), memory.recall_all(DRAWING)
    return {**layouts, **drawings}


def keep_charts(memory: Memory, made: Iterable[tuple[str, bytes, LaidOut | Drawing]]) -> None:
    """Keep what was used or made: a name, the stamp, the value."""
    for name, stamp, value in made:
        if isinstance(value, LaidOut):
            memory.keep(LAYOUT, name, stamp, value)
        else:
            memory.keep(DRAWING, name, stamp, value)
