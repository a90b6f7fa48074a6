"""Fields of foreign records, narrowed without a word: what is not what its name says is unknown, None or empty.

For records that stand in a file by the thousand; `values.Fields` narrows the few that carry the figures of a run, and
says what it refused.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any

from sitegen.system.bounds import MAX_COUNT, known_count, known_seconds, known_usd
from sitegen.text import tsv
from sitegen.text.times import milliseconds_of as milliseconds_of

Record = Mapping[str, Any]
_NUMBER = re.compile(r"[0-9]{1,16}(?:\.[0-9]{1,20})?(?:[eE]-[0-9]{1,2})?")
_DIGITS = re.compile(r"[0-9]{1,16}")
_FOLDER = Path(__file__).parents[1]


def count_of(record: Record, name: str) -> int | None:
    """Return a whole number from 0 to 2^53; None where it is none. `3.0` and `"3"` are one: so write some programs."""
    value = record.get(name)
    if isinstance(value, str) and _DIGITS.fullmatch(value):  # a float would round the largest
        value = int(value)
    if type(value) is int or value is None:  # the usual case
        return value if value is not None and 0 <= value <= MAX_COUNT else None
    return known_count(number_in(value))


def usd_of(record: Record, name: str) -> float | None:
    """Return an amount: 0, or from a trillionth to a billion."""
    return known_usd(number_in(record.get(name)))


def seconds_of(record: Record, name: str) -> int | None:
    """Return a duration in seconds, of up to 30 years, in milliseconds."""
    return known_seconds(number_in(record.get(name)))


def number_in(value: object) -> object:
    """Return the number that a text is, and anything else as it is."""
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


def text_of(record: Record, name: str) -> str | None:
    """Return a text; None where it is none, or empty."""
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def text_or_empty(record: Record, name: str) -> str:
    """Return a text; an empty one where it is none."""
    return text_of(record, name) or ""


_EFFORT = re.compile(r"[A-Za-z][\w .+-]{0,30}")


def effort_in(record: Record, places: str) -> str | None:
    """Return the reasoning effort, in small letters, that a record states first in these places; `a.b` is the field b
    of a. Some versions have an object with a level."""
    for outer, name in _fields_at(places):
        holder = object_at(record, outer) if outer else record
        stated = holder.get(name)
        if isinstance(stated, dict):
            stated = stated.get("level")
        if isinstance(stated, str) and _EFFORT.fullmatch(stated):
            return stated.lower()
    return None


@cache
def _fields_at(places: str) -> list[tuple[str, str]]:
    """Return the paths of the objects that have these fields, and the names of the fields."""
    parts = (place.rpartition(".") for place in places.split())
    return [(outer, name) for outer, _, name in parts]


def object_of(record: Record, name: str) -> Record:
    """Return an object; an empty one where it is none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def object_at(record: Record, path: str) -> Record:
    """Return the object at a path, where `a.b` is the field b of a; an empty one where it is none."""
    return reduce(object_of, path.split("."), record)


def text_at(record: Record, path: str) -> str | None:
    """Return the text at a path; None where it is none, or empty."""
    outer, _, name = path.rpartition(".")
    return text_of(object_at(record, outer), name)


def value_at(record: Record, path: str) -> Any:
    """Return whatever stands at a path; None where nothing does."""
    outer, _, name = path.rpartition(".")
    return object_at(record, outer).get(name)


def is_true(record: Record, name: str) -> bool:
    """Return whether a field says yes, and nothing that only counts as yes."""
    return record.get(name) is True


def without(record: Record, *names: str) -> dict[str, Any]:
    """Return a record without these fields."""
    return {name: value for name, value in record.items() if name not in names}


def ms_of(record: Record, name: str) -> int | None:
    """Return a time in milliseconds; None where it is none, or has no zone."""
    return milliseconds_of(record.get(name))


def objects_of(record: Record, name: str) -> list[dict[str, Any]]:
    """Return the objects in a list."""
    value = record.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def objects_in(values: Iterable[object]) -> Iterator[dict[str, Any]]:
    """Yield the objects among the values of a file, or in lists there."""
    for value in values:
        yield from (
            each
            for each in (value if isinstance(value, list) else (value,))
            if isinstance(each, dict)
        )


def digest_of_record(record: Record) -> str:
    """Return what tells a record from others, however it is written."""
    try:
        written = json.dumps(record, sort_keys=True, default=str)
    except RecursionError:
        written = str(
            [(name, value) for name, value in record.items() if not isinstance(value, dict | list)]
        )
    return hashlib.blake2b(written.encode("utf-8", "replace"), digest_size=8).hexdigest()


def texts_of(content: object) -> str:
    """Return the texts of content blocks, or the text itself."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") if isinstance(block, dict) else block for block in blocks)
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def texts_in(record: Record, name: str) -> str:
    """Return the texts of the content blocks in a field, or the text that it is."""
    return texts_of(record.get(name))


def parsed(value: object) -> object:
    """Return what a text of JSON holds; anything else as it is."""
    try:
        return json.loads(value) if isinstance(value, str | bytes) else value
    except (ValueError, RecursionError):
        return value


def parsed_object(value: object) -> dict[str, Any]:
    """Return the object that a value is, or a text of JSON holds; an empty one where it is none."""
    found = parsed(value)
    return found if isinstance(found, dict) else {}


def lasted(record: Record, began: str, ended: str) -> int | None:
    """Milliseconds between two times, ISO 8601; of two without a zone the difference is known all the same."""
    start, end = (milliseconds_of(record.get(name), naive=True) for name in (began, ended))
    return end - start if start is not None and end is not None and end > start else None


def words(text: str) -> frozenset[str]:
    """Return the words of a text: names of fields or kinds that a reader knows."""
    return frozenset(text.split())


rows = partial(tsv.rows, str(_FOLDER / "known.txt"))
"""Yields the rows of a table beside the readers."""


@cache
def _blocks() -> dict[str, frozenset[str]]:
    blocks = (_FOLDER / "known.txt").read_text(encoding="utf-8").split("\n\n")[1:]
    return {name: words(text) for name, _, text in (block.partition("\n") for block in blocks)}


def known(name: str) -> frozenset[str]:
    """Return the kinds of records, or the fields, that a format is known to have, by its block in known.txt."""
    return _blocks()[name]
