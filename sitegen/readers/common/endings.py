"""The end of a run, as far as a word of its record says it: tables, and the text of an error."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from sitegen.model import Status
from sitegen.readers.common.records import rows

Ending = tuple[Status, str | None]
"""The status of a run, and why in two or three words."""

OPEN_CALL: Ending = Status.INTERRUPTED, "a call without its result"
_MAX_ERROR = 2_000  # characters of a message that are looked at
_HTTP_STATUS = re.compile(r"(?:\berror code|\bhttp|\bstatus(?: code)?)\W{0,3}(4[0-9]{2})\b", re.I)
_IS_EXCEPTION = re.compile(r"(?:Error|Exception)\Z")
_NAME_OF_ERROR = re.compile(r"[A-Za-z_][\w.]{0,80}(?=[:(]|\Z)")


def ends_of(table: str) -> dict[str, Ending]:
    """Return how runs ended and why, by the expressions or fields in a table of ends.tsv."""
    return {
        sign: (Status(status), why or None)
        for name, sign, status, why, *_ in rows("ends.tsv")
        if name == table
    }


class _Sign(NamedTuple):
    """A row of that table: what a message of an error says of the end."""

    pattern: re.Pattern[str]
    words: list[str]
    """Words of which one is in each message that the pattern fits; none where that is not known."""
    ending: Ending


def _signs(table: str) -> list[_Sign]:
    return [
        _Sign(
            re.compile(sign, re.IGNORECASE),
            words[0].split("|") if words else [],
            (Status(status), why),
        )
        for name, sign, status, why, *words in rows("ends.tsv")
        if name == table
    ]


_LIMITS = _signs("limit")
_ENDINGS = _LIMITS + _signs("stopped")


def ended_by(error: str) -> Ending:
    """Return how a run ended whose last words are this message of an error."""
    if ending := _ending_in(error, _ENDINGS):
        return ending
    if code := _HTTP_STATUS.search(error, 0, _MAX_ERROR):
        return Status.FAILED, f"HTTP {code[1]} error"
    # The words of other messages may quote anything; the name of an exception does not.
    name = (name_of_error(error) or "").rpartition(".")[2]
    return Status.FAILED, name if _IS_EXCEPTION.search(name) else "error"


def limit_in(text: str) -> str | None:
    """Return the limit of a run that a message says was reached."""
    ending = _ending_in(text, _LIMITS)
    return ending[1] if ending else None


def _ending_in(error: str, signs: Iterable[_Sign]) -> Ending | None:
    text = error[:_MAX_ERROR]
    small = text.casefold()
    for sign in signs:
        # An expression takes a hundred times as long as a word: the message may be all that an agent said.
        is_possible = not sign.words or any(word in small for word in sign.words)
        if is_possible and sign.pattern.search(text):
            return sign.ending
    return None


def name_of_error(text: str) -> str | None:
    """Return the name of an exception at the beginning of its message."""
    name = _NAME_OF_ERROR.match(text)
    return name[0] if name else None
