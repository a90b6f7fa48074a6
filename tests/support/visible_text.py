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
