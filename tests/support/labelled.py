"""The figures of a page, each with its label and what it is of, and whether two of one label agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tests.support import site_checks

if TYPE_CHECKING:
    Element = ElementTree.Element

_UNITS = ("$", "x", "%", "k", "M", "min:s", "×")


@dataclass(frozen=True)
class Labelled:
    """A figure as it is shown; `of` is empty where it is of all that the page is about."""

    label: str
    of: str
    value: str
    where: str


def text(element: Element) -> str:
    """All its words."""
    return " ".join("".join(element.itertext()).split())


def classes(element: Element) -> set[str]:
    return set((element.get("class") or "").split())


def short(name: str) -> str:
    """A name of a group without the vendor that lists leave out."""
    return name.removeprefix("Claude ")


def labelled(page: Path) -> Iterator[Labelled]:
    """The big figures, the cells of all tables with one row of heads, and the figures of marks."""
    root = site_checks.parsed(page).root
    for box in root.iter("dl"):
        for item in box.findall("div") if "figures" in classes(box) else ():
            big = next(each for each in item.iter("dd") if "big" in classes(each))
            yield Labelled(text(item.find("dt")).lower(), "", text(big), "figures")  # type: ignore[arg-type]
    for table in root.iter("table"):
        yield from _cells(table)
    for title in (
        each
        for each in root.iter()
        if each.tag in ("title", "a") and (each.text or each.get("aria-label"))
    ):
        said = title.get("aria-label") or title.text or ""
        name, _, told = said.partition(": ")
        for figure in re.findall(r"(?:^|, )((?:[a-z]+ )?[\d.,]+x)(?=,|$)", told.partition("\n")[0]):
            yield Labelled(
                figure.rpartition(" ")[0] or "speedup",
                short(name),
                figure.rpartition(" ")[2],
                "mark",
            )


def _cells(table: Element) -> Iterator[Labelled]:
    rows = table.findall("thead/tr")
    if len(rows) != 1:
        return
    heads = [head for head in rows[0] if "strip" not in classes(head)]
    caption = text(table.find("caption")) if table.find("caption") is not None else "numbers"  # type: ignore[arg-type]
    for row in (each for part in ("tbody", "tfoot") for each in table.findall(f"{part}/tr")):
        cells = [cell for cell in row if "strip" not in classes(cell)]
        if cells[0].tag != "th" or len(cells) != len(heads):
            continue
        names = [cells[0].find("a") if cells[0].find("a") is not None else cells[0]]
        names += (cell for cell in cells[1:] if caption == "numbers" and "n" not in classes(cell))
        of = " ".join(text(name) for name in names if name is not None)
        for head, cell in list(zip(heads, cells, strict=True))[len(names) :]:
            strong = cell.find("strong")
            value = text(strong if strong is not None else cell)
            label, _, unit = text(head).rpartition(", ")
            if unit not in _UNITS or not label:
                label, unit = text(head), ""
            if re.search(r"\d", value) and label.lower() not in _SENTENCES:
                yield Labelled(
                    label.lower(),
                    short(of),
                    value + ("" if unit == "min:s" else f" {unit}"),
                    caption,
                )


_SENTENCES = ("what is wrong", "what was done")
"""Columns of the page of problems, where a run may have several rows."""

_SCALES = {"k": 1e3, "M": 1e6, "bn": 1e9}


def agree(one: str, other: str) -> bool:
    """Whether both are one value in one format; figures of a column with a scale of its own, and times, only have
    to round to the same."""
    a, b = (each.replace("\u202f", " ").replace("+", "").strip() for each in (one, other))
    a, b = (re.sub(r"^\$(.*)", r"\1 $", re.sub(r"(?<=\d)(x|%)$", r" \1", each)) for each in (a, b))
    if a == b:
        return True
    x, y = _number(a), _number(b)
    scaled = any(re.search(r" (k|M|bn|min|h|s|ms)\b|:", each) for each in (a, b))
    return (
        scaled and x is not None and y is not None and abs(x[0] - y[0]) <= (x[1] + y[1]) / 2 * 1.01
    )


def _number(shown: str) -> tuple[float, float] | None:
    """A figure and the size of its last digit."""
    parts = re.findall(r"(\d+) ?(h|min|s)\b", shown)
    if parts and not re.search(r"\.", shown):
        sizes = {"h": 3600, "min": 60, "s": 1}
        return sum(int(n) * sizes[unit] for n, unit in parts), sizes[parts[-1][1]]
    if found := re.fullmatch(r"(\d+):(\d\d)", shown):
        return int(found[1]) * 60 + int(found[2]), 1
    if not (found := re.match(r"([−<>≈ ]*)([\d,]+)(?:\.(\d+))? ?(k|M|bn)?\b", shown)):
        return None
    scale = _SCALES.get(found[4] or "", 1.0)
    return float(f"{found[2].replace(',', '')}.{found[3] or 0}") * scale, scale * 10.0 ** -len(
        found[3] or ""
    )
