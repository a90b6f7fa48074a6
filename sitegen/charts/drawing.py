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
        gradients = {f"url(#{each.get('id')})": each for each in root.iter(_GRADIENT)}
        shapes = [*_Reader((*_PRESENTATION, *further), gradients).shapes(root, 0.0, 0.0)]
    except (ET.ParseError, ValueError):
        return None
    width = root.get("width", "0")
    height = root.get("height", "0")
    size = {
        "width": width,
        "height": height,
        "viewBox": f"0 0 {width} {height}",
        "preserveAspectRatio": "xMinYMid",
    }
    drawn = ET.Element("svg", {"class": css_class, **size})
    for style, alike in groupby(shapes, attrgetter("style")):
        same = list(alike)
        parent = ET.SubElement(drawn, "g", style) if len(same) > 1 else drawn
        for shape in same:
            attributes = shape.geometry if len(same) > 1 else shape.geometry | shape.style
            ET.SubElement(parent, shape.tag, attributes).text = shape.text or None
    return ET.tostring(drawn, encoding="unicode").replace(" />", "/>")  # in text, ">" is escaped


@dataclass(frozen=True, slots=True)
class _Reader:
    """The data taken from a drawing."""

    attributes: tuple[str, ...]
    gradients: Mapping[str, ET.Element]

    def shapes(self, element: ET.Element, x: float, y: float) -> Iterator[_Shape]:
        """Yield the visible shapes of an element, in drawing order; (x, y) is where its parent stands.

        Raises: ValueError for a transformation that is not known.
        """
        transform = element.get("transform", "")
        tag = element.tag.rpartition("}")[2]
        if moved := _TRANSLATE.match(transform):
            x += float(moved[1])
            y += float(moved[2])
            transform = transform[moved.end() :].strip()
        if transform and (tag != "text" or not _ROTATED.fullmatch(transform)):
            raise ValueError(f"a transformation that is not known: {transform}")
        if tag in ("svg", "g", "a"):
            for child in element:
                yield from self.shapes(child, x, y)
        if tag not in ("path", "line", "text") or element.get("class") in (
            "background",
            "foreground",
        ):
            return
        style = {name: element.attrib[name] for name in self.attributes if name in element.attrib}
        if tag == "path":
            tag, geometry = _path(element.get("d", ""), x, y)
            style.setdefault("fill", "none")
        elif tag == "line":
            end = x + float(element.get("x2", 0)), y + float(element.get("y2", 0))
            geometry = {
                "x1": _short(x),
                "y1": _short(y),
                "x2": _short(end[0]),
                "y2": _short(end[1]),
            }
        else:
            at = {"x": _short(x), "y": _short(y)}
            geometry = (
                {"transform": f"translate({_short(x)},{_short(y)}){transform}"} if transform else at
            )
            if style.get("text-anchor") == "start":
                del style["text-anchor"]
        if tag == "rect" and style["fill"] in self.gradients:
            yield from _blended(self.gradients[style["fill"]], geometry)
        elif not any("url(" in value for value in style.values()):
            yield _Shape(tag, geometry, style, element.text or "")


def _blended(gradient: ET.Element, geometry: dict[str, str]) -> Iterator[_Shape]:
    """Yield a rectangle with a gradient, which has an id, as a rectangle for each of its colours."""
    start, side = ("x", "width") if gradient.get("y1") == gradient.get("y2") else ("y", "height")
    size = float(geometry[side]) / len(gradient)
    for number, stop in enumerate(gradient if side == "width" else reversed(gradient)):
        part = {start: _short(float(geometry[start]) + number * size), side: _short(size + 0.5)}
        yield _Shape("rect", geometry | part, {"fill": stop.get("stop-color", "none")}, "")


def _path(outline: str, x: float, y: float) -> tuple[str, dict[str, str]]:
    """Return the tag and geometry of a path: a circle or a rectangle where it is one."""
    if circle := _CIRCLE.fullmatch(outline):
        return "circle", {"cx": _short(x), "cy": _short(y), "r": _short(float(circle[1]))}
    if box := _RECTANGLE.fullmatch(outline):
        left, top, width, height = (float(box[i]) for i in (1, 2, 3, 4))
        geometry = {"x": left + x, "y": top + y, "width": width, "height": height}
        return "rect", {name: _short(value) for name, value in geometry.items()}
    shift = f"translate({_short(x)},{_short(y)})"
    rounded = _NUMBER.sub(lambda number: _short(float(number[0])), outline)
    return "path", {"d": rounded} | ({"transform": shift} if shift != "translate(0,0)" else {})


def _short(value: float) -> str:
    """Return a coordinate in tenths of a pixel, without a trailing zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
