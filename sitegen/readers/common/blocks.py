"""Edits as models write them into a text: blocks of what to search and what to put there, behind the name of a file."""

from __future__ import annotations

import re
from difflib import unified_diff

from sitegen.readers.common.trace import changed_in

MAX_LINES = 400
"""Of a block: comparing takes the square of it."""
_SEARCH = re.compile(r"[<-]{5,9} ?SEARCH")
_BETWEEN = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r"[>+]{5,9} ?REPLACE")
_NO_NAMES = ("`", ">>>>>", "+++++")

Changed = tuple[str, tuple[int, int] | None]
"""Lines after `+` and `-`, and how many of each; None where that would take too long."""


def changed_by_blocks(text: str) -> dict[str, Changed]:
    """Return what the blocks of a text change, by file; a block without a name is about the file of the one before."""
    found = dict[str, Changed]()
    before, path, old, new = list[str](), "", list[str](), list[str]()
    side: list[str] | None = None
    for line in text.split("\n"):
        if _SEARCH.match(line):
            named = [each for each in before[-2:] if each.strip() and not each.lstrip().startswith(_NO_NAMES)]
            path = named[-1].strip(" *`:#") if named else path
            old, new = [], []
            side = old
        elif side is old and _BETWEEN.fullmatch(line):
            side = new
        elif side is new and _REPLACE.match(line):
            changes, lines = found.get(path, ("", (0, 0)))
            diff, own = _compared(old, new)
            total = (lines[0] + own[0], lines[1] + own[1]) if lines and own else None
            found[path] = "\n".join(filter(None, (changes, diff))), total
            side = None
        elif side is not None:
            side.append(line)
        before = [*before[-1:], line]
    return found


def _compared(old: list[str], new: list[str]) -> Changed:
    if max(len(old), len(new)) > MAX_LINES:
        return "", None
    diff = changed_in("\n".join(unified_diff(old, new, n=0, lineterm="")))
    signs = [line[:1] for line in diff.split("\n")]
    return diff, (signs.count("+"), signs.count("-"))
