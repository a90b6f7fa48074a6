"""Foreign values, narrowed: what a record claims becomes a figure, a text, or unknown with a caveat.

A run file is written by programs of many versions, by wrappers and by whoever wants to mislead, so no field is what
its name says until it was looked at. Every reader narrows here, because the rules are the same for all: `bool` is not
a number, a negative or absurd figure is unknown and not zero, and what was refused is said on the page.
"""

import json
import math
import re
from typing import Any, Self, TypeVar

from sitegen.model import Caveat
from sitegen.readers.common.records import Record, number_in, rows
from sitegen.system.bounds import MAX_COUNT, MAX_USD, MIN_USD

T = TypeVar("T")

MAX_CAVEATS = 20


class Caveats:
    """Collects what a reader of the page must know, in the order in which it is found, each once, at most 20."""

    __slots__ = ("_found", "_left_out")

    def __init__(self) -> None:
        self._found: dict[Caveat, None] = {}
        self._left_out = 0

    def add(self, code: str, text: str) -> None:
        caveat = Caveat(code, text)
        if caveat in self._found:
            return
        if len(self._found) < MAX_CAVEATS or code not in {known.code for known in self._found}:
            self._found[caveat] = None
        else:
            self._left_out += 1

    def all(self) -> tuple[Caveat, ...]:
        """Return what was found; a last line counts what is not listed."""
        more = [
            Caveat("W_LIMIT", f"{self._left_out:,} more warnings of the same kinds are not listed.")
        ]
        return (*self._found, *(more if self._left_out else ()))


class Fields:
    """One JSON object, and which of its fields were understood.

    Each method returns None when the field is absent, null or refused; what was refused leaves a caveat and stays in
    `rest()`, so that nothing of a file is lost.
    """

    __slots__ = ("_caveats", "_used", "record", "where")

    def __init__(self, record: Record, caveats: Caveats | None = None, where: str = "") -> None:
        """Without `caveats` nobody is told what is refused."""
        self.record = record
        self.where = where
        self._caveats = caveats or Caveats()
        self._used: set[str] = set()

    def count(self, key: str) -> int | None:
        """Return a whole number from 0 to 2^53; `3.0` is one."""
        number = self._number(key, MAX_COUNT)
        if isinstance(number, float) and not number.is_integer():
            self._refuse(key, "W_TYPE", "is not a whole number")
            return None
        return None if number is None else self._use(key, int(number))

    def milliseconds(self, key: str) -> int | None:
        """Return a duration, rounded to whole milliseconds."""
        number = self._number(key, MAX_COUNT)
        return None if number is None else self._use(key, round(number))

    def usd(self, key: str) -> float | None:
        """Return an amount: 0, or from a trillionth to a billion."""
        number = self._number(key, MAX_USD)
        if number and number < MIN_USD:
            self._refuse(key, "W_RANGE", "cannot be right")
            return None
        return None if number is None else self._use(key, float(number))

    def text(self, key: str) -> str | None:
        return self._of_type(key, str, "is not a text")

    def flag(self, key: str) -> bool | None:
        return self._of_type(key, bool, "is neither true nor false")

    def items(self, key: str) -> list[Any] | None:
        return self._of_type(key, list, "is not a list")

    def section(self, key: str) -> Self | None:
        """Return an object inside this one; it stays in `rest()`."""
        value = self._of_type(key, dict, "is not an object")
        self._used.discard(key)
        return None if value is None else type(self)(value, self._caveats, f"{self.where}{key}.")

    def use(self, *keys: str) -> None:
        """Mark fields as shown elsewhere."""
        self._used.update(keys)

    def rest(self, *also: str) -> dict[str, Any]:
        """Return the fields that were not understood, and `also` those, in the order of the file."""
        return {
            key: value for key, value in self.record.items() if key not in self._used or key in also
        }

    def _number(self, key: str, maximum: float) -> int | float | None:
        value = self.record.get(key)
        if value is None:
            return None
        if isinstance(written := number_in(value), float) and written is not value:
            self._caveats.add(
                "W_TYPE",
                f"{self.where}{key} is a text ({brief(value)}), which was read as a number.",
            )
            value = written
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._refuse(key, "W_TYPE", "is not a number")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._refuse(key, "W_NONFINITE", "is not finite")
            return None
        if not 0 <= value <= maximum:
            self._refuse(key, "W_RANGE", "cannot be right")
            return None
        return value

    def _of_type(self, key: str, kind: type[T], what: str) -> T | None:
        value = self.record.get(key)
        if isinstance(value, kind):
            return self._use(key, value)
        if value is not None:
            self._refuse(key, "W_TYPE", what)
        return None

    def _use(self, key: str, value: T) -> T:
        self._used.add(key)
        return value

    def _refuse(self, key: str, code: str, what: str) -> None:
        self._caveats.add(
            code, f"{self.where}{key} {what} ({brief(self.record[key])}) and is shown as unknown."
        )


def brief(value: object, limit: int = 40) -> str:
    """Return a foreign value as a few characters for a message."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return shortened(json.dumps(value[: limit + 1], ensure_ascii=False), limit)
    return shortened(json.dumps(value), limit)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else beginning(text, limit - 1) + "…"


AGENT_NAMES = dict(rows("names.tsv"))


def agent_name(name: str) -> str:
    """Return the display name of an agent, as the reader of its own files calls it; another stays as it is."""
    known = name.lower().replace("_", "-").replace(" ", "-")
    return AGENT_NAMES.get(
        known, (shortened(name.strip(), 60) if "\n" not in name else "") or "Unknown agent"
    )


_NO_MODEL = frozenset({"", "default", "auto", "none", "unknown", "any"})


def names_model(name: str) -> bool:
    """Return whether a word names a model, and not that nobody chose one."""
    return name.strip().casefold() not in _NO_MODEL


_LONGEST_WORD = 400
_BETWEEN_WORDS = re.compile(r".*\s", re.DOTALL)
_BETWEEN_PARTS = re.compile(r".*[\"'`<>,;|&(){}\[\]]", re.DOTALL)


def beginning(text: str, limit: int) -> str:
    """Return at most `limit` of the first characters, without cutting a word: half a secret would not be recognised as
    one.

    A word without an end in the last 400 characters is cut at a quote, a comma or such, else anywhere.
    """
    if len(text) <= limit:
        return text
    kept = text[:limit]
    if text[limit].isspace():
        return kept
    start = max(limit - _LONGEST_WORD, 0)
    for between in (_BETWEEN_WORDS, _BETWEEN_PARTS):
        if (end := between.match(kept, start)) and end.end() > 1:
            return kept[: end.end()]
    return kept
