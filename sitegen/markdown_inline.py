"""A short cut for lines of markdown that are words, code in single backticks and strong words, as nine of ten are.

Whatever could be anything else is left to the parser, which asks a dozen rules at each sign. What comes of the short
cut is written as what comes of the parser: the tests compare both. Each expression passes over a text once.
"""

from __future__ import annotations

import re

from markdown_it.token import Token

# No sign to which a rule of the parser reacts, but `_` within a word, `:` of no address, `!` of no image.
_WORDS = r"(?:[^\n&*:<\[\\\]_`~]|:(?!//)|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))++"
_CODE = r"`(?! )[^`\n]++(?<! )`(?!`)"
# Signs that open and close in whatever way the rules of flanking are read: beside them stand blanks or punctuation.
_STRONG = rf"(?<![^ \n(])\*\*(?=[A-Za-z0-9`])(?:{_WORDS}|{_CODE})++(?<!\s)\*\*(?![^ \n.,:;)!?])"
_LINE_END = r"(?<! )\n(?![ \t])"
_SHORT_CUT = re.compile(f"(?:{_WORDS}|{_CODE}|{_STRONG}|{_LINE_END})*+")
_PIECES = re.compile(rf"(?P<text>{_WORDS})|`(?P<code_inline>[^`]++)`|(?P<strong>\*\*)|(?P<softbreak>\n)")


def simple_tokens(content: str) -> list[Token] | None:
    """The tokens of a text; None when it takes a parser."""
    if not _SHORT_CUT.fullmatch(content):
        return None
    tokens: list[Token] = []
    is_strong = False
    for piece in _PIECES.finditer(content):
        match kind := str(piece.lastgroup):
            case "strong":
                is_strong = not is_strong
                tokens.append(Token("strong_open", "strong", 1) if is_strong else Token("strong_close", "strong", -1))
            case "softbreak":
                tokens.append(Token("softbreak", "br", 0))
            case _:
                tokens.append(Token(kind, "", 0, content=piece[kind]))
    return tokens
