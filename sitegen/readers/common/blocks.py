"""Edits as models write them into a text: blocks of what to search and what to put there, behind the name of a file."""

import re
from collections import Counter
from difflib import unified_diff

from sitegen.readers.common.tool_log import changed_in, lines_of

# The limit on the lines of a block: the time to compare grows with the square of it.
MAX_LINES = 400
# The limit on pairs of equal lines, one on each side, for a line of a block: comparing takes much longer where a few
# lines repeat.
MAX_PAIRS = 20
_SEARCH = re.compile(r"[<-]{5,9} ?SEARCH")
_BETWEEN = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r"[>+]{5,9} ?REPLACE")
_NO_NAMES = ("`", ">>>>>", "+++++")

Changed = tuple[str, tuple[int, int] | None]
"""Lines after `+` and `-`, and how many of each; None where that would take too long."""


def changed_by_blocks(text: str) -> dict[str, Changed]:
    """Return what the blocks of a text change, by file; a block without a name is about the file of the one before."""
    found: dict[str, list[Changed]] = {}
    before: list[str] = []
    path = ""
    old: list[str] = []
    new: list[str] = []
    side: list[str] | None = None
    for line in text.split("\n"):
        if _SEARCH.match(line):
            named = [
                each
                for each in before[-2:]
                if each.strip() and not each.lstrip().startswith(_NO_NAMES)
            ]
            path = named[-1].strip(" *`:#") if named else path
            old = []
            new = []
            side = old
        elif side is old and _BETWEEN.fullmatch(line):
            side = new
        elif side is new and _REPLACE.match(line):
            found.setdefault(path, []).append(_compared(old, new))
            side = None
            before = []  # the last line of a block is no name
        elif side is not None:
            side.append(line)
        before = [*before[-1:], line]
    return {path: _together(changes) for path, changes in found.items()}


def _together(changes: list[Changed]) -> Changed:
    counts = [lines for _, lines in changes if lines is not None]
    total = (sum(added for added, _ in counts), sum(removed for _, removed in counts))
    return "\n".join(diff for diff, _ in changes if diff), total if len(counts) == len(
        changes
    ) else None


def _compared(old: list[str], new: list[str]) -> Changed:
    before = Counter(old)
    after = Counter(new)
    pairs = sum(count * after[line] for line, count in before.items())
    if max(len(old), len(new)) > MAX_LINES or pairs > MAX_PAIRS * (len(old) + len(new)):
        return "", None
    diff = changed_in("\n".join(unified_diff(old, new, n=0, lineterm="")))
    return diff, lines_of(diff) or (0, 0)
