"""Reads a text as a person would: without what only writes it, such as escapes, entities, emphasis, invisible signs.

Secrets are looked for in what is read, and brought back to where it is written.
"""

from __future__ import annotations

import html
import re
import string
from array import array
from collections.abc import Callable, Iterator

from sitegen.masking.automaton import automaton, fitting_lines

# What is written and not read: invisible signs, emphasis, escapes of JSON and shell, entities, percent-encoding.
# Of signs there are joiners and marks (category Cf), selectors of variants and fillers; rare ones were made visible.
_UNSEEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# What patches, listings of lines, logs, comments, lists and quotations put before a line.
_LISTED = (
    r"\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9:]{4,5})?\]?[ \t]"
    r"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?\]?[ \t]"
    r"|[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [\w.-]{1,60} [\w./-]{1,40}(?:\[[0-9]{1,8}\])?: "
    r"|[ \t]{0,8}[0-9]{1,6}(?:\.[0-9]{1,6})?"
    r"(?:[ \t]?\u2192|\t|[ ]?[:|\u2502][ \t]?|[.)]?[ ]{1,2}|-(?![0-9]))"
    r"|\^?[0-9a-f]{7,40} [^()\n]{0,100}\([^()\n]{1,60} [0-9-]{10} [^()\n]{0,30}[0-9]\)[ ]?"
    r"|(?:[^\t\n]{1,60}\t){2}(?=[0-9]{4}-[0-9]{2}-)"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL):?[ ]{1,5}(?:[\w.-]{1,40} [:-] )?"
    r"|[\w./-]{1,120}(?::[0-9]{1,6}:|-[0-9]{1,6}-(?![0-9]))"
    r"|\+(?!\+)|(?:[\w.-]{1,60}[ ]{1,20}\|"
    r"|\[pod/[\w./-]{1,120}\]|\[[\w.-]{1,30}\]|[ \t]{0,12}(?:#|//|;|>|%|REM(?= )|\u2502|[*~+-](?= )))[ ]?"
)
LINE_BEGINNING = rf"(?:{_LISTED}|-(?!-)|-(?=- |-{{5}}[BE])|[ \t]{{0,12}}--(?!-)[ ]?)"
LINE_PREFIX = re.compile(rf"(?m)^{LINE_BEGINNING}{{1,4}}")
# Begins with a class of signs, which `re` searches for quickly; what goes on behind each of them stands behind it.
_FIRST = r"\\*~&%\["
_REST = (
    r"(?<=\\)(?:(?:u001[bB]|x1[bB]|033)\[[0-9;]{0,20}[A-Za-z]"
    rf"|\r?\n(?:{_LISTED}){{0,3}}[ \t]*"
    r"|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrt]|(?=[!-/:-@\[-`{-~]))"
    r"|(?<=\*)\**|(?<=~)~|(?<=&)(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|(?<=%)(?:25)?[0-9A-Fa-f]{2}"
    rf"|(?<=\[)U\+[0-9A-F]{{4,6}}\]|(?<=[{_UNSEEN}])"
)
_INVISIBLE = f"[{_UNSEEN}]"
TEXT_SIGNS = re.compile(f"[{_FIRST}{_UNSEEN}](?:{_REST})")
# Elements without attributes, as the writer of markdown makes them, and the spans of highlighted code.
INLINE = "em|strong|code|del|s|b|i|sub|sup|mark|wbr|span|a"
_ELEMENTS = rf"<(?:/?(?:{INLINE})|span class=\"[a-z-]{{1,12}}\")>"
TAGS = re.compile(_ELEMENTS)
"""Elements that part no word."""
# Tags whose attributes hold nothing of a run.
_OTHER_TAGS = re.compile(
    r"<[a-z/][a-z0-9]{0,9}(?: (?:class|rel|scope|tabindex|role|data-untrusted)(?:=\"[a-z0-9 -]*\")?)*>"
)
_IN_PAGE = f"(?:{_REST}|(?<=<){_ELEMENTS[1:]})"
PAGE_SIGNS = re.compile(f"[{_FIRST}<{_UNSEEN}]{_IN_PAGE}")

_PERCENT_READ = frozenset(string.ascii_letters + string.digits + "+/=_-.~:@\"' \n{}$")


_EMPHASIS = re.compile(r"\*\**|~~")
_PERCENT = re.compile("%(?:25)?[0-9A-Fa-f]{2}")


def _needs_reading(text: str) -> bool:
    """Return whether a text holds more than emphasis and percent-encoding that is not read.

    Costs next to nothing.
    """
    return (
        "\\" in text
        or "&" in text
        or "[U+" in text
        or (not text.isascii() and automaton(_INVISIBLE)(text))
    )


def _read(match: re.Match[str]) -> str:
    """Return what a person reads where this is written."""
    sign = match[0]
    if sign[0] == "%":
        character = chr(int(sign[-2:], 16))
        return character if character in _PERCENT_READ else sign
    if sign[0] == "&":
        return html.unescape(sign)
    if sign[:2] in ("\\u", "\\x") and "[" not in sign:  # and no colour of a terminal
        character = chr(int(sign[2:], 16))
        return character if character.isprintable() else sign
    return "\n" if sign in ("\\n", "\\r", "\\t") else ""


class Reading:
    """A text as it is read, and where each of its characters is written."""

    __slots__ = ("_places", "_read", "_signs", "_written", "text")

    def __init__(
        self, text: str, signs: re.Pattern[str], read: Callable[[re.Match[str]], str] = _read
    ) -> None:
        if (
            signs is TEXT_SIGNS
            and not _needs_reading(text)
            and not ("%" in text and _PERCENT.search(text))
        ):
            self.text = _without_emphasis(text)
            signs = _EMPHASIS
        else:
            self.text = signs.sub(read, text)
        self._written, self._signs, self._read = text, signs, read
        self._places: tuple[array[int], array[int]] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` are written."""
        if self.text is self._written:
            return start, end
        self._places = starts, ends = self._places or self._map()
        return starts[start], ends[end - 1]

    def _map(self) -> tuple[array[int], array[int]]:
        """Return where each character that is read begins and ends."""
        starts, ends, at = array("L"), array("L"), 0
        for match in (*self._signs.finditer(self._written), None):
            begin, end = match.span() if match else (len(self._written), 0)
            starts.extend(range(at, begin))
            ends.extend(range(at + 1, begin + 1))
            read = len(self._read(match)) if match else 0
            starts.extend([begin] * read)
            ends.extend([end] * read)
            at = end
        return starts, ends


def _without_emphasis(text: str) -> str:
    text = text.replace("*", "") if "*" in text else text
    return text.replace("~~", "") if "~" in text else text


def as_read(text: str) -> str:
    """Return the text as a person reads it, without what only writes it: invisible signs, emphasis, escapes,
    entities."""
    return TEXT_SIGNS.sub(_read, text)


# A page is looked at in pieces first: the text between tags, and values of attributes.
_PIECES = re.compile(r">([^<]{2,})")
_VALUES = re.compile(r'=(?<!class=)(?<!rel=)"([^"]{6,})"')
_SIGN = r"[A-Za-z0-9_+/=.~$%:@?&*\\;-]"
# Where elements part what is one word for a reader; punctuation behind an element is no more of the word.
_PARTED = rf"{_SIGN}(?:{_ELEMENTS})+(?:[A-Za-z0-9_+/=~$%@&*\\-]|[.:;?]{_SIGN}|[.:;?](?:{_ELEMENTS})+{_SIGN})"


def page_texts(page: str) -> Iterator[str]:
    """Yield the chunks of a page, quick to search; lines where a tag splits a word come unsplit."""
    yield _as_shown(" ".join([*_PIECES.findall(page), *_VALUES.findall(page)]))
    if lines := "\n".join([page[start:end] for start, end in fitting_lines(_PARTED, page)]):
        yield _as_shown(_OTHER_TAGS.sub(" ", TAGS.sub("", lines)))


def _as_shown(text: str) -> str:
    """Entities come twice: those of the page, and what a run has written."""
    text = html.unescape(text) if "&" in text else text
    if _needs_reading(text):
        return as_read(text)
    return _without_emphasis(_PERCENT.sub(_read, text) if "%" in text else text)
