"""What a markdown text may cost, judged by looking at it, before it is parsed.

A hundred kilobytes of markdown can become hundreds of megabytes of HTML, and a parser can be driven into quadratic
time. Depth and size of the output show in rendering only: `markdown` holds them to the figures that stand here.
"""

from __future__ import annotations

import re

from sitegen.bounds import DEFAULT

MAX_LINES = 5_000
"""Each line may be looked at once for every block that is open, so lines and depth bound each other's cost."""
MAX_BRACKETS = 5_000
MAX_COLUMNS = 200
MAX_CELLS = 20_000
MAX_MARKS = 32
"""Combining marks on one letter."""
MAX_DEPTH = 30
"""Elements inside one another."""
MAX_GROWTH = 20
"""HTML for each character of markdown; a short text may always become SMALL_OUTPUT characters."""
SMALL_OUTPUT = 20_000
MAX_OUTPUT = 2_000_000
MAX_CUT = 400_000
"""Characters of a text whose HTML is larger than that even as it is: each may become `&amp;`."""


def limit_exceeded(text: str, max_characters: int = DEFAULT.summary_characters) -> str | None:
    """Why this text is not rendered, as the second half of a sentence; None when it is within bounds.

    Looks at the text only and costs next to nothing. Depth, references that repeat much, and size of the output show
    in rendering only.
    """
    if len(text) > max_characters:
        return f"it has {len(text):,} characters, and {max_characters:,} is the limit"
    if text.count("\n") >= MAX_LINES:
        return f"it has more than {MAX_LINES:,} lines"
    if text.count("[") > MAX_BRACKETS:
        return f"it has more than {MAX_BRACKETS:,} opening brackets"
    if not text.isascii() and _MARKS.search(text):
        return f"it has more than {MAX_MARKS} combining marks on one letter"
    return _table_limit(text)


def notes(text: str, reason: str) -> tuple[str, ...]:
    """What is said of a text that is shown as it is, since it could not be rendered for this reason."""
    note = f"This text is shown as it is, because {reason}."
    cut = f"Of this text the first {MAX_CUT:,} characters are shown."
    return (note,) if escaped_length(text) <= MAX_OUTPUT else (note, cut)


_COMBINING = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_MARKS = re.compile(f"[{_COMBINING}][{_COMBINING}]{{{MAX_MARKS}}}")  # a set in front is searched for faster


def _table_limit(text: str) -> str | None:
    """Short rows are filled up with cells, so a table weighs its columns times its rows, whatever is written."""
    pipes = text.count("|")
    if pipes < MAX_COLUMNS and pipes * (text.count("\n") + 1) < MAX_CELLS:
        return None
    columns = cells = 0
    for line in text.split("\n"):
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif "-" in row and not row.strip("|-: \t"):
            columns = max(columns, row.strip("|").count("|") + 1)
            if columns > MAX_COLUMNS:
                return f"it has a table of {columns:,} columns, and {MAX_COLUMNS} is the limit"
        cells += columns
    return f"its tables have more than {MAX_CELLS:,} cells" if cells > MAX_CELLS else None


def output_limit(text: str) -> int:
    """Characters of HTML that this text may become."""
    return min(MAX_OUTPUT, max(SMALL_OUTPUT, MAX_GROWTH * len(text)))


def escaped_length(text: str) -> int:
    """Characters of the text as HTML."""
    return len(text) + 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))
