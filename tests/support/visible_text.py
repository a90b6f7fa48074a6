"""The text of a page as a reader without script meets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import html5lib

BLOCKS = {
    "p",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dt",
    "dd",
    "caption",
    "summary",
    "pre",
    "figure",
}
SILENT = {"script", "style", "svg", "head", "footer", "nav", "dialog"}


def lines_of_page(page: Path) -> list[str]:
    """Return a line for each block of a page, cells joined by bars."""
    root = html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)
    lines = [""]

    def walk(element: Any) -> None:
        tag, classes = element.tag.rpartition("}")[2], element.get("class", "").split()
        if tag in SILENT or "hidden" in element.attrib or "controls" in classes:
            return
        if element.tag in BLOCKS:
            lines.append("")
        if element.tag in ("td", "th") and lines[-1].strip():
            lines[-1] += " | "
        lines[-1] += element.text or ""
        for child in element:
            walk(child)
            lines[-1] += child.tail or ""
        if element.tag in BLOCKS:
            lines.append("")

    walk(root)
    return [text for line in lines if (text := " ".join(line.split()))]


NAMES = ("title", "aria-label", "alt", "data-label", "data-note")
"""Attributes whose texts a reader meets by pointing, by a screen reader or by a script."""


def unseen_of_page(page: Path) -> list[str]:
    """Return each text once that a page has in attributes, in drawings and in its head, and each target of its links."""
    root = html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)
    found: dict[str, None] = {}
    for element in root.iter():
        tag = str(element.tag).rpartition("}")[2]
        if tag in ("text", "title", "desc", "tspan"):
            found[f"{tag}: {' '.join(''.join(element.itertext()).split())}"] = None
        for name in NAMES:
            if element.get(name):
                found[f"{tag} {name}: {element.get(name)}"] = None
        if tag == "meta" and element.get("name") == "description":
            found[f"description: {element.get('content')}"] = None
        if tag == "a" and element.get("href"):
            found[f"link: {element.get('href')}"] = None
        if tag in ("rect", "path", "circle", "line", "use", "i") and element.get("style"):
            found[f"{tag} style: {element.get('style')}"] = None
    return list(found)
