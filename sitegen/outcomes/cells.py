"""The meaning of one cell of an outcomes file.

The tables are closed: a word that is not in them is a fault, because `resolved?` or `0.5` taken for a pass would be a
false figure on every page.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from sitegen.model import Outcome, T
from sitegen.outcomes.reasons import MAX_LABELS, BadCell, Reason, Why
from sitegen.system.bounds import known_number
from sitegen.text import names

MAX_TEXT = 500

_WORDS = {
    Outcome.PASS: "pass passed success succeeded successful resolved solved correct ok true yes 1 1.0",
    Outcome.FAIL: "fail failed failure unresolved unsolved incorrect wrong false no 0 0.0",
    Outcome.PARTIAL: "partial partially partly",
    Outcome.ERROR: "error errored infra infra_error infra_failure infrastructure infrastructure_error "
    "infrastructure_failure",
}
_OUTCOMES = {word: outcome for outcome, words in _WORDS.items() for word in words.split()}
_CLAIMED = frozenset({"true", "yes", "done", "1"})
_NOT_CLAIMED = frozenset({"false", "no", "not done", "0"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_NOT_KNOWN = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})
# The quote that CSV of the pages has before what a spreadsheet would take for a formula.
_GUARD = re.compile(
    r"(?:\A|(?<=[;|\uff1b\uff5c\t\r\n]))'(?=[\s\x22]*[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20])"
)


def is_filled(value: object) -> bool:
    """Return whether a cell says something."""
    if isinstance(value, str):
        return value.strip().casefold() not in _NOT_KNOWN
    return value is not None


def is_number(value: object) -> bool:
    """Return whether a cell holds a number."""
    if isinstance(value, str):
        return bool(_NUMBER.fullmatch(value.strip()))
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_nested(value: object) -> bool:
    """Return whether a value holds others: as text it could be of any size, and nested more deeply than can be
    written."""
    return isinstance(value, Mapping | list | tuple | set)


def is_commit(value: object) -> bool:
    """Return whether a cell is a commit, in full or its first digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-fA-F]{7,40}", value) is not None


def finite(value: object) -> float | None:
    """Return the value as a number, or the number that a cell holds; None when it cannot be computed with."""
    if isinstance(value, str) and is_number(value):
        return known_number(float(value))
    return known_number(value)


def quote(value: object) -> str:
    """Return a value as messages show it."""
    if is_nested(value):
        return "a list or an object"
    text = str(value).strip()
    if "\n" in text:
        return "a text of several lines"
    return f"'{text[:40]}\u2026'" if len(text) > 40 else f"'{text}'"


Fault = tuple[Reason, str]
"""A reason, and what becomes of the cell or its row."""


def read_if_filled(read: Callable[[object], T], value: object, faults: list[Fault]) -> T | None:
    """Return what a cell says; None when it is empty or cannot be read, and then why is added to `faults`."""
    if not is_filled(value):
        return None
    try:
        return read(value)
    except BadCell as bad:
        faults.append((bad.reason, " The cell is ignored."))
        return None


def read_text(name: str, value: object, clean: Callable[[str], str]) -> str | None:
    """Return the text of a cell, masked; None when it is empty. Raises: BadCell."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadCell(Why.NOT_TEXT, name=name)
    text = " ".join(clean(str(value)).split())
    if len(text) > MAX_TEXT:
        raise BadCell(Why.LONG_TEXT, name=name, most=MAX_TEXT)
    return text or None


def read_note(value: object, clean: Callable[[str], str]) -> str | None:
    """Return a note for people: it is cut where it is too long, and left out where it is not text."""
    if not isinstance(value, str):
        return None
    text = " ".join(clean(_GUARD.sub("", value)).split())
    if len(text) > MAX_TEXT:
        return f"{text[: MAX_TEXT - 1]}…"
    return text or None


def read_attempt(value: object) -> int | None:
    """Return the number of an attempt; None when the cell is empty. Raises: BadCell."""
    if not is_filled(value):
        return None
    text = "" if is_nested(value) else str(value).strip().removesuffix(".0")
    is_count = text.isascii() and text.isdigit() and len(text) <= 9
    if isinstance(value, bool) or not is_count:
        raise BadCell(Why.BAD_ATTEMPT, value=quote(value))
    return int(text)


def outcome_of(value: object) -> Outcome | None:
    """Return the outcome that a word says; None for one that is not known."""
    with suppress(BadCell):
        return read_outcome(value)
    return None


def read_outcome(value: object) -> Outcome:
    """Return the outcome that a word says. Raises: BadCell."""
    word = ""
    if isinstance(value, str | int | float):
        word = re.sub(r"[\s-]+", "_", str(value).strip().casefold())
    if word not in _OUTCOMES:
        raise BadCell(Why.BAD_OUTCOME, value=quote(value))
    return _OUTCOMES[word]


def read_claim(value: object) -> bool:
    """Return whether the agent claims success. Raises: BadCell."""
    word = str(value).strip().casefold()
    if word not in _CLAIMED | _NOT_CLAIMED:
        raise BadCell(Why.BAD_CLAIM, value=quote(value))
    return word in _CLAIMED


def read_labels(value: object, clean: Callable[[str], str]) -> tuple[str, ...]:
    """Return labels, each once. Raises: BadCell."""
    if is_nested(value) and not isinstance(value, list):
        raise BadCell(Why.BAD_LABELS)
    words = list(filter(is_filled, value)) if isinstance(value, list) else str(value).split(";")
    if any(is_nested(word) or isinstance(word, bool) for word in words):
        raise BadCell(Why.BAD_LABELS)
    spelled = [names.spelled_out(clean(str(word))) for word in words]
    labels = tuple(dict.fromkeys(filter(None, spelled)))
    if len(labels) > MAX_LABELS or any(len(label) > MAX_TEXT for label in labels):
        raise BadCell(Why.LONG_LABELS, labels=MAX_LABELS, most=MAX_TEXT)
    return labels


def read_moment(value: object) -> str:
    """Return a moment as UTC, ISO 8601 with Z. Raises: BadCell."""
    if is_nested(value):
        raise BadCell(Why.BAD_MOMENT, value=quote(value))
    with suppress(ValueError, OverflowError):
        moment = value
        if not isinstance(moment, datetime):
            moment = datetime.fromisoformat(str(value).strip())
        if moment.tzinfo is None:
            raise BadCell(Why.NO_TIME_ZONE, value=quote(value))
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    raise BadCell(Why.BAD_MOMENT, value=quote(value))
