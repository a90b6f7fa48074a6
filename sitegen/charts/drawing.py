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
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "text-anchor",
    "font-weight",
)  # fmt: skip
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
    geometry: tuple[tuple[str, str], ...]
    style: tuple[tuple[str, str], ...]
    text: str
    address: str


def compact(svg: str, css_class: str, titles: Mapping[str, str], further: Sequence[str] = ()) -> str:
    """Return the drawing as SVG elements without namespace, style, id or class but `css_class`; with `further`
    attributes, which the page does not give them.

    A link survives when its address ends in a key of `titles`, becomes that key, and all its shapes stand in one
    `<a>` with that title; every other link is dropped. The height of the result is fixed: where its box is too
    narrow, it is drawn smaller inside the same height, so that text below never moves.

    Raises: ElementTree.ParseError for what is not XML.
    """
    root = ET.fromstring(svg)  # noqa: S314
    width, height = root.get("width", "0"), root.get("height", "0")
    drawn = ET.Element(
        "svg",
        {
            "class": css_class, "width": width, "height": height, "viewBox": f"0 0 {width} {height}",
            "preserveAspectRatio": "xMinYMid",
        },
    )  # fmt: skip
    links: dict[str, ET.Element] = {}
    reader = _Reader(titles, (*_PRESENTATION, *further), {each.get("id", ""): each for each in root.iter(_GRADIENT)})
    for (address, style), alike in groupby(reader.shapes(root, 0.0, 0.0, ""), attrgetter("address", "style")):
        same = list(alike)
        parent = drawn
        if address:
            if address not in links:
                links[address] = ET.SubElement(drawn, "a", {"href": address})
                ET.SubElement(links[address], "title").text = titles[address]
            parent = links[address]
        if len(same) > 1:
            parent = ET.SubElement(parent, "g", dict(style))
        for shape in same:
            attributes = dict(shape.geometry) if len(same) > 1 else dict(shape.geometry + shape.style)
            ET.SubElement(parent, shape.tag, attributes).text = shape.text or None
    return ET.tostring(drawn, encoding="unicode").replace(" />", "/>")  # in text, ">" is escaped


def compacted(svg: str | None, css_class: str, links: Mapping[str, str], further: Sequence[str] = ()) -> str | None:
    """Return the SVG of a Vega renderer as an element for a page; None for what is none."""
    try:
        return svg and compact(svg, css_class, links, further)
    except (ET.ParseError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """The data taken from a drawing."""

    titles: Mapping[str, str]
    attributes: tuple[str, ...]
    gradients: Mapping[str, ET.Element]

    def shapes(self, element: ET.Element, x: float, y: float, address: str) -> Iterator[_Shape]:
        """Yield the visible shapes of an element, in drawing order; (x, y) is where its parent stands."""
        transform, rest = element.get("transform", ""), ""
        if moved := _TRANSLATE.match(transform):
            x, y = x + float(moved[1]), y + float(moved[2])
            transform = transform[moved.end() :]
        tag = element.tag.rpartition("}")[2]
        if transform.strip():
            if tag != "text" or not _ROTATED.fullmatch(transform):
                raise ValueError(f"a transformation that is not known: {transform}")
            rest = transform
        if tag == "a":
            found = element.get("{http://www.w3.org/1999/xlink}href", element.get("href", ""))
            address = next((known for known in _endings(found) if known in self.titles), "")
        if tag in ("svg", "g", "a"):
            for child in element:
                yield from self.shapes(child, x, y, address)
            return
        if element.get("class") in ("background", "foreground"):
            return
        style = {name: element.attrib[name] for name in self.attributes if name in element.attrib}
        if tag == "path":
            tag, geometry = _path(element.get("d", ""), x, y)
            if "fill" not in style:
                style["fill"] = "none"
        elif tag == "line":
            end = x + float(element.get("x2", 0)), y + float(element.get("y2", 0))
            geometry = {"x1": _short(x), "y1": _short(y), "x2": _short(end[0]), "y2": _short(end[1])}
        elif tag == "text":
            turned = {"transform": f"translate({_short(x)},{_short(y)}){rest}"} if rest else {}
            geometry = turned or {"x": _short(x), "y": _short(y)}
            if style.get("text-anchor") == "start":
                del style["text-anchor"]
        else:
            return
        text = element.text or ""
        if style.get("fill", "").startswith("url("):
            yield from self._blended(style, geometry, tag)
        elif not any("url(" in value for value in style.values()):
            yield _Shape(tag, tuple(geometry.items()), tuple(style.items()), text, address)

    def _blended(self, style: Mapping[str, str], geometry: Mapping[str, str], tag: str) -> Iterator[_Shape]:
        """Yield a rectangle with a gradient, which has an id, as a rectangle for each of its colours."""
        gradient = self.gradients.get(style["fill"][5:-1])
        if gradient is None or tag != "rect":
            return
        stops = list(gradient)
        start, side = ("x", "width") if gradient.get("y1") == gradient.get("y2") else ("y", "height")
        size = float(geometry[side]) / len(stops)
        for number, stop in enumerate(stops if side == "width" else reversed(stops)):
            part = {**geometry, start: _short(float(geometry[start]) + number * size), side: _short(size + 0.5)}
            yield _Shape("rect", tuple(part.items()), (("fill", stop.get("stop-color", "none")),), "", "")


def _endings(address: str) -> Iterator[str]:
    """Yield the address without its first part, without its first two parts, and so on."""
    while "/" in address:
        yield address
        address = address.partition("/")[2]
    yield address


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
