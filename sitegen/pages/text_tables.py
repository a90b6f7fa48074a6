"""Tables as text: one value, written as Markdown for GitHub, as CSV or as LaTeX, which escapes its cells.

Each is read by programs that we do not know, so what a cell holds is only ever text: no markup, no link, no picture, no
name that somebody is called by, no formula, and no end of its cell.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import quote

from sitegen.charts.findings import clipped
from sitegen.fields import Cell
from sitegen.figures import UNKNOWN
from sitegen.pages.views import LinkView
from sitegen.publish.files import File, Made

MAX_COLUMNS = 1_000  # the widest cell of Markdown or LaTeX


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell that we mark: its text is strong, or leads to an address."""

    text: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class TextTable:
    """Heads, and rows that are taken once."""

    heads: Sequence[str]
    rows: Iterable[Iterable[Cell | Marked]]
    right: str = ""
    """An r for each column whose cells stand to the right; another sign for one to the left."""

    def to_markdown(self) -> str:
        """Return lines of GitHub-flavoured Markdown."""
        rules = ("---:" if is_right else "---" for is_right in self._right())
        rows = ([in_markdown(cell) for cell in row] for row in self.rows)
        return "\n".join(
            f"| {' | '.join(row)} |" for row in (map(markdown_text, self.heads), rules, *rows)
        )

    def to_csv(self) -> Iterator[bytes]:
        """Yield lines of CSV in UTF-8. What a spreadsheet would take for a formula has an apostrophe before it."""
        line = io.StringIO(newline="")
        writer = csv.writer(
            line, lineterminator="\r\n"
        )  # what ends a line is put in quotes, so both signs are
        for row in chain((self.heads,), self.rows):
            writer.writerow([cell if type(cell) in _PLAIN else csv_cell(cell) for cell in row])
            yield line.getvalue()[:-2].encode() + b"\n"
            line.seek(0)
            line.truncate()

    def to_latex(self) -> str:
        """Return a `longtable`, which breaks over pages."""
        sides = "".join("r" if is_right else "l" for is_right in self._right())
        head, *rows = (
            f"{' & '.join(latex_text(_plain(cell)) for cell in row)} \\\\"
            for row in (self.heads, *self.rows)
        )
        lines = [
            r"% Needs \usepackage{booktabs,longtable}, and \onecolumn in an article of two columns.",
            rf"\begin{{longtable}}{{{sides}}}",
            rf"\toprule {head}",
            r"\midrule \endhead",
            r"\bottomrule \endfoot",
        ]
        return "\n".join([*lines, *rows, r"\end{longtable}", ""])

    def _right(self) -> list[bool]:
        return [self.right[at : at + 1] == "r" for at in range(len(self.heads))]


def files_of(name: str, table: Callable[[], TextTable], latex: Callable[[], str]) -> Iterator[File]:
    """Yield a table of a study as CSV and as LaTeX."""
    as_csv, as_latex = links_of(name)
    yield File(as_csv.href, None, lambda: Made(table().to_csv()))
    yield File(as_latex.href, None, lambda: Made(latex().encode()))


def links_of(name: str) -> tuple[LinkView, LinkView]:
    """Return links to both."""
    return LinkView(f"data/study-{name}.csv", "CSV"), LinkView(f"data/study-{name}.tex", "LaTeX")


_PLAIN = frozenset({int, float, type(None)})  # the types that CSV has unchanged


def markdown_text(text: str) -> str:
    """Return one line that Markdown shows as it is, in a cell of a table too."""
    # Signs that turn the rest of a row from right to left are shown by their numbers.
    line = _TURNS.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", clipped(text, MAX_COLUMNS))
    return "".join(map(_markdown_word, _BETWEEN_WORDS.split(line)))


_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]")
# A mask is one word, whatever it stands between, so that it is numbered later.
_BETWEEN_WORDS = re.compile(r"(\s+|\||\[redacted: [^\[\]#]*#[^\[\]]*\])")
# What GitHub would take for names, numbers, commits, addresses and smileys.
_CALLS = re.compile(
    r"[@#]|:[/a-z+-]|www\.|\bGH-|(?<![0-9a-z])(?=[0-9]*[a-f]|[0-9]{20})[0-9a-f]{7,}(?![0-9a-z])",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\$(?![0-9])|[\\`*_{}\[\]!|~:<>&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def _markdown_word(word: str) -> str:
    """Return a word without markup: what would be a link or a mention is code, in which GitHub looks for none."""
    if not _CALLS.search(word):
        return _MARKUP.sub(lambda sign: _ENTITIES.get(sign[0]) or f"\\{sign[0]}", word)
    fence = "`" * (max(map(len, re.findall("`+", word)), default=0) + 1)
    space = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{space}{word}{space}{fence}"


def in_markdown(cell: Cell | Marked) -> str:
    """Return a cell as Markdown."""
    if not isinstance(cell, Marked):
        return markdown_text(_plain(cell))
    text = markdown_text(cell.text)
    return (
        f"**{text}**"
        if cell.address is None
        else f"[{text}]({quote(cell.address, safe=_IN_ADDRESSES)})"
    )


_IN_ADDRESSES = "%/:?#@!$&'*+,;=~"


def _plain(cell: Cell | Marked) -> str:
    if isinstance(cell, Marked):
        return cell.text
    return UNKNOWN if cell is None else str(_joined(cell))


def _joined(cell: Cell) -> str | int | float | None:
    if isinstance(cell, dict):
        cell = [f"{name}={number!r}" for name, number in cell.items()]
    return ";".join(cell) if isinstance(cell, list) else cell


def csv_cell(cell: Cell | Marked) -> str | int | float | None:
    """Return what stands in a cell of CSV."""
    value = cell.text if isinstance(cell, Marked) else _joined(cell)
    if not isinstance(value, str):
        return value
    return ("'" if _FORMULA.match(value) else "") + _NEXT_FORMULA.sub(r"\g<0>'", value)


# What begins a formula, behind signs that nobody sees or quotes, which a spreadsheet may leave out. As in csv.js.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x20\x22\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
_SIGN = r"[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]"
_FORMULA = re.compile(rf"[{_UNSEEN}\t\r\n]*{_SIGN}|[\t\r]")
# What a spreadsheet of another language, or one that is pasted into, takes for the end of a cell.
_NEXT_FORMULA = re.compile(rf"[;|\uff1b\uff5c\t\r\n](?=[{_UNSEEN}]*{_SIGN})")


def latex_text(text: str) -> str:
    """Return one line as LaTeX shows it in a cell. As in share-tables.js."""
    return _IN_LATEX.sub(
        lambda found: _LATEX.get(found[0]) or f"\\{found[0]}", clipped(text, MAX_COLUMNS)
    )


_IN_LATEX = re.compile(r"[\\~^\[*<>\u2212×≈·\u202f&%$#_{}]")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "*": "{*}",
    "<": "$<$",
    ">": "$>$",
    "\u2212": "$-$",
    "×": r"$\times$",
    "≈": r"$\approx$",
    "·": r"$\cdot$",
    "\u202f": r"\,",
    "[": "{[}",  # at the beginning of a row it would be a length
}
