"""Short cuts for the markdown that agents write most: lines of words, code and strong words, and lists of such lines.

Whatever could be anything else is left to the parser, which asks a dozen rules at each line and each sign. What comes
of a short cut is what comes of the parser: the tests compare both. Each expression passes over a text once.
"""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

# No sign to which a rule of the parser reacts, but `_` within a word, `:` of no address, `!` of no image.
_WORDS = r"(?:[^\n&*:<\[\\\]_`~]|:(?!//)|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))++"
_CODE = r"`(?! )[^`\n]++(?<! )`(?!`)"
# Signs that open and close in whatever way the rules of flanking are read: beside them stand blanks or punctuation.
_STRONG = rf"(?<![^ \n(])\*\*(?=[A-Za-z0-9`])(?:{_WORDS}|{_CODE})++(?<!\s)\*\*(?![^ \n.,:;)!?])"
_LINE_END = r"(?<! )\n(?![ \t])"
_SHORT_CUT = re.compile(f"(?:{_WORDS}|{_CODE}|{_STRONG}|{_LINE_END})*+")
_MARK = re.compile(r"\*\*")


def is_simple(content: str) -> bool:
    """Whether the content of a paragraph or a heading takes no parser."""
    return bool(_SHORT_CUT.fullmatch(content))


def simple_html(content: str) -> str:
    """Simple content as HTML. A line end is one, since agents write for a terminal."""
    pieces = html.escape(content, quote=False).split("`")
    marks = itertools.cycle(("<strong>", "</strong>"))
    for at in range(0, len(pieces), 2):
        piece = _MARK.sub(lambda _: next(marks), pieces[at]) if "**" in pieces[at] else pieces[at]
        pieces[at] = piece.replace("\n", "<br>\n")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))


def simple_text(content: str) -> str:
    """The words of simple content."""
    pieces = content.replace("\n", " ").split("`")
    return "".join(piece if at % 2 else piece.replace("**", "") for at, piece in enumerate(pieces))


WRITTEN = "written"
"""The type of a token whose content is HTML already."""

_LIST_SIGN = r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)"
# An item of one line that can begin nothing but a paragraph: no other block, no box to tick, no definition.
_ITEM = re.compile(
    rf"(?P<indent>[ ]*)(?:(?P<number>[0-9]{{1,9}})(?P<dot>[.)])|(?P<bullet>[-+*]))[ ](?!{_LIST_SIGN})"
    r"(?P<text>(?:[^\s#>*+\-=~`_\[|:<]|\*{1,2}(?=[^\s*])|~(?=[^\s~])|`(?=[^\s`])|\[(?=[^\[\]\n^]{2,}\]\())[^\n]*)(?:\n|\Z)"
)
# Behind a list of which nothing goes on: an empty line, and a line that is not indented.
_LIST_END = re.compile(rf"[ \t]*(?:\Z|\n)(?:[ \t]*\n)*+(?:[ \t]*\Z|(?=[^\s])(?!{_LIST_SIGN}))")
_DEEPEST = 8


@dataclass(slots=True)
class _Level:
    """A list that is open while its items are read."""

    indent: int
    """Column of the sign of its items."""
    content: int
    """Column of the text of its last item."""
    sign: str


def simple_list(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """A rule of the parser: an outermost list of items of one line each becomes HTML, but for texts that take a parser.

    A list that goes on behind an empty line, or in any other way, is left to the rule of the parser.
    """
    if silent or state.level:
        return False
    at, items = state.bMarks[line], 0
    levels: list[_Level] = []
    parts: list[str] = []
    tokens: list[Token] = []
    while item := _ITEM.match(state.src, at):
        if not _place(item, levels, parts):
            return False
        text = item["text"].strip()
        if is_simple(text):
            parts.append(simple_html(text))
        else:
            tokens += [_written(parts), Token("inline", "", 0, content=text, children=[])]
            parts = []
        parts.append("\n")
        at, items = item.end(), items + 1
    if not items or not _LIST_END.match(state.src, at):
        return False
    parts += map(_end, reversed(levels))
    state.tokens += [*tokens, _written(parts)]
    state.line = state.skipEmptyLines(line + items)
    return True


def _written(parts: list[str]) -> Token:
    return Token(WRITTEN, "", 0, content="".join(parts))


def _place(item: re.Match[str], levels: list[_Level], parts: list[str]) -> bool:
    """Begin an item in the list that its column says; False where that takes the parser."""
    indent, content = len(item["indent"]), item.start("text") - item.start()
    sign, number = item["bullet"] or item["dot"], item["number"]
    while levels and indent < levels[-1].content and indent != levels[-1].indent:
        if len(levels) == 1 or indent >= levels[-2].content:
            return False
        parts.append(_end(levels.pop()))
    if levels and indent == levels[-1].indent:
        levels[-1].content = content
        parts.append("</li>\n<li>")
        return sign == levels[-1].sign
    if indent > (levels[-1].content if levels else 0) + 3 or len(levels) == _DEEPEST:
        return False
    if levels and number not in (None, "1"):  # no other number begins a list in the middle of a paragraph
        return False
    levels.append(_Level(indent, content, sign))
    start = f' start="{int(number)}"' if number and int(number) != 1 else ""
    parts.append(f"<ol{start}>\n<li>" if number else "<ul>\n<li>")
    return True


def _end(level: _Level) -> str:
    return "</li>\n</ul>\n" if level.sign in "-+*" else "</li>\n</ol>\n"
