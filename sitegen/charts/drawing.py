"""Makes the SVG of a Vega renderer small and fit to stand in a page.

Vega's SVG is a dump of its scene graph: nested groups, a path for every dot, a class and an ARIA role on everything,
links made absolute. In a page it must hold no style, no id and no address of others, and weigh little, because two
drawings of each chart (for wide and for narrow columns) are in the first page a visitor loads. So it is not edited
but drawn anew: every shape at its final place, with the few attributes that are known here and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from xml.etree import ElementTree as ET  # the input was drawn by our own process

_PRESENTATION = (
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linejoin",
    "text-anchor",
    "font-weight",
)
_ROTATED = re.compile(r"(\s*(rotate\(-?[\d.e+-]+\)|translate\(-?[\d.e+-]+,-?[\d.e+-]+\)))+")
_GRADIENT = "{http://www.w3.org/2000/svg}linearGradient"
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[+-]?\d+)?")
_TRANSLATE = re.compile(r"translate\((-?[\d.e+-]+),(-?[\d.e+-]+)\)")
_RECTANGLE = re.compile(r"M(-?[\d.e-]+),(-?[\d.e-]+)h([\d.e-]+)v([\d.e-]+)h-[\d.e-]+Z")
_CIRCLE = re.compile(r"M([\d.e-]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0")


@dataclass(frozen=True, slots=True)
class _Shape:
    """A drawn element at its final place."""

    tag: str
    geometry: dict[str, str]
    style: dict[str, str]
    text: str


def compact(svg: str | None, css_class: str, further: Sequence[str] = ()) -> str | None:
    """Return the drawing as SVG elements without namespace, style, id or class but `css_class`; with `further`
    attributes, which the page does not give them. None for what is not the SVG of a Vega renderer.

    Links are dropped. The height of the result is fixed: where its box is too narrow, it is drawn smaller inside the
    same height, so that text below never moves.
    """
    try:
        root = ET.fromstring(svg or "")  # noqa: S314
        reader = _Reader((*_PRESENTATION, *further), _gradients(root))
        shapes = list(reader.shapes(root, 0.0, 0.0))
    except (ET.ParseError, ValueError):
        return None
    width, height = root.get("width", "0"), root.get("height", "0")
    drawing = ET.Element(
        "svg",
        {
            "class": css_class,
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width} {height}",
            "preserveAspectRatio": "xMinYMid",
        },
    )
    for style, alike in groupby(shapes, attrgetter("style")):
        group = list(alike)
        parent, own_style = drawing, style
        if len(group) > 1:
            parent, own_style = ET.SubElement(drawing, "g", style), {}
        for shape in group:
            element = ET.SubElement(parent, shape.tag, shape.geometry | own_style)
            element.text = shape.text or None
    return ET.tostring(drawing, encoding="unicode").replace(" />", "/>")  # in text, ">" is escaped


def _gradients(root: ET.Element) -> dict[str, ET.Element]:
    """Return gradients by how the fill of a shape names them."""
    return {f"url(#{gradient.get('id')})": gradient for gradient in root.iter(_GRADIENT)}


@dataclass(frozen=True, slots=True)
class _Reader:
    """The data taken from a drawing."""

    attributes: tuple[str, ...]
    gradients: Mapping[str, ET.Element]

    def shapes(self, element: ET.Element, x: float, y: float) -> Iterator[_Shape]:
        """Yield the visible shapes of an element, in drawing order; (x, y) is where its parent stands.

        Raises: ValueError for a transformation that is not known.
        """
        turn = element.get("transform", "")
        if moved := _TRANSLATE.match(turn):
            x += float(moved[1])
            y += float(moved[2])
            turn = turn[moved.end() :].strip()
        tag = element.tag.rpartition("}")[2]
        if turn and (tag != "text" or not _ROTATED.fullmatch(turn)):
            raise ValueError(f"a transformation that is not known: {turn}")
        if tag in ("svg", "g", "a"):
            for child in element:
                yield from self.shapes(child, x, y)
        is_behind = element.get("class") in ("background", "foreground")
        if tag not in ("path", "line", "text") or is_behind:
            return
        shape = self._shape(element, tag, x, y, turn)
        gradient = self.gradients.get(shape.style.get("fill", ""))
        if shape.tag == "rect" and gradient is not None:
            yield from _blended(gradient, shape.geometry)
        elif not any("url(" in value for value in shape.style.values()):
            yield shape

    def _shape(self, element: ET.Element, tag: str, x: float, y: float, turn: str) -> _Shape:
        style = {name: element.attrib[name] for name in self.attributes if name in element.attrib}
        if tag == "path":
            tag, geometry = _outlined(element.get("d", ""), x, y)
            style.setdefault("fill", "none")
        elif tag == "line":
            right = x + float(element.get("x2", 0))
            low = y + float(element.get("y2", 0))
            geometry = _shortened(x1=x, y1=y, x2=right, y2=low)
        else:
            geometry = _shortened(x=x, y=y)
            if turn:
                geometry = {"transform": f"{_translation(x, y)}{turn}"}
            if style.get("text-anchor") == "start":
                del style["text-anchor"]
        return _Shape(tag, geometry, style, element.text or "")


def _blended(gradient: ET.Element, geometry: dict[str, str]) -> Iterator[_Shape]:
    """Yield a rectangle with a gradient, which has an id, as a rectangle for each of its colours."""
    start, side = "y", "height"
    stops = list(reversed(gradient))
    if gradient.get("y1") == gradient.get("y2"):
        start, side = "x", "width"
        stops = list(gradient)
    first = float(geometry[start])
    size = float(geometry[side]) / len(stops)
    for number, stop in enumerate(stops):
        part = _shortened(**{start: first + number * size, side: size + 0.5})
        yield _Shape("rect", geometry | part, {"fill": stop.get("stop-color", "none")}, "")


def _outlined(outline: str, x: float, y: float) -> tuple[str, dict[str, str]]:
    """Return the tag and geometry of a path: a circle or a rectangle where it is one."""
    if circle := _CIRCLE.fullmatch(outline):
        return "circle", _shortened(cx=x, cy=y, r=float(circle[1]))
    if box := _RECTANGLE.fullmatch(outline):
        left, top, width, height = map(float, box.groups())
        return "rect", _shortened(x=left + x, y=top + y, width=width, height=height)
    geometry = {"d": _NUMBER.sub(lambda number: _short(float(number[0])), outline)}
    shift = _translation(x, y)
    if shift != "translate(0,0)":
        geometry["transform"] = shift
    return "path", geometry


def _translation(x: float, y: float) -> str:
    return f"translate({_short(x)},{_short(y)})"


def _shortened(**coordinates: float) -> dict[str, str]:
    return {name: _short(value) for name, value in coordinates.items()}


def _short(value: float) -> str:
    """Return a coordinate in tenths of a pixel, without a trailing zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
