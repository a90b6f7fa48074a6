"""Words of a text, as the search takes them: `words` here and in `search.js` make the same of a query."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

TEXT_CHARACTERS = 20_000
"""How much of the texts of a run is searched and quoted."""
HEAD_CHARACTERS = 1_000
"""How much of its name, title and labels."""
WORDS_PER_RUN = 2_000
WORD_CHARACTERS = 32

HEAD_WEIGHT, ERROR_WEIGHT = 8, 2
LEVELS = 4
"""Frequencies are kept as powers of two: 1, 2, 4 and 8."""

SHOWN = 10
"""Values of a run that a result shows."""

# Ranges and no classes: the same in every version of Python and of browsers.
_LETTERS = (
    "0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u060b\u060d-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u0dff"
    "\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2c00-\u2dff\ua000-\uabff\U00010000-\U0001cfff\U0001e000-\U0001efff"
)
_SINGLES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u9fff\U00020000-\U0003ffff"
)
"""Scripts that put no space between words: each character is a word."""
_WORD = re.compile(f"(?<![{_LETTERS}])[{_LETTERS}]{{1,{WORD_CHARACTERS}}}|[{_SINGLES}]")
_MARKS = re.compile("[\u0300-\u036f\u3099\u309a]")
_TAG = re.compile("<[^>]*>?")


def words(text: str) -> list[str]:
    """The words of a text in its order: letters and digits, small, without accents.

    Everything else divides them, so that `max_seq_len` and `src/io.py` come apart.
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    text = unicodedata.normalize("NFKD", text).lower().replace("ß", "ss").replace("ς", "σ")
    return _WORD.findall(_MARKS.sub("", text))


def shown_text(account: str) -> str:
    """What a reader sees of a text that became safe HTML."""
    return html.unescape(_TAG.sub("", account))


@dataclass(frozen=True, slots=True)
class Document:
    """A run as the index takes it."""

    words: str
    """Its different words, divided by spaces."""
    levels: bytes
    """The level of each, as LEVELS counts them."""
    length: int
    """Words in all."""
    shown: tuple[str | None, ...]
    """What a result shows of it."""
