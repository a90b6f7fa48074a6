"""Marks every string of a file of the corpus that can be changed without changing what the file is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.errors import ReadError
from sitegen.readers.run_file import RunFile
from tests.support.reading import read_source

CORPUS = Path(__file__).parents[1] / "corpus" / "reader"
MARK = re.compile(rb"qmark[a-z]{4}")
_TELLING = ("type", "role", "source", "action", "kind", "name")
"""Fields that say what the object is in which they stand."""


@dataclass(frozen=True)
class Leaf:
    """Where a string stands."""

    place: tuple[str | int, ...]
    label: str
    """Its path without indexes, behind what the objects around it say that they are."""


def mark_of(number: int) -> str:
    """A word that no rule of masking takes for a secret, and that markdown and JSON leave as it is."""
    digits = (number // 26**place % 26 for place in range(4))
    return "qmark" + "".join(chr(ord("a") + digit) for digit in digits)


def marked(paths: Iterable[Path]) -> tuple[dict[str, bytes], dict[str, tuple[str, str]]]:
    """The files that are JSON with marks in them, by name; and file and label of each mark."""
    files, marks = dict[str, bytes](), dict[str, tuple[str, str]]()
    number = 0
    for path in paths:
        values = _values(path)
        shape = values and _shape(path.name, values)
        if not values or not shape:
            continue
        leaves = list(_leaves(values, (), "", ()))
        for leaf in leaves:
            number += 1
            changed = deepcopy(values)
            _append(changed, leaf.place, mark_of(number))
            if _shape(path.name, changed) == shape:
                values = changed
                marks[mark_of(number)] = path.name, leaf.label
        files[path.name] = _bytes(values)
    return files, marks


def _values(path: Path) -> list[Any] | None:
    try:
        text = path.read_text("utf-8-sig")
        try:
            return [json.loads(text)]
        except ValueError:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return None


def _bytes(values: list[Any]) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()


def _shape(name: str, values: list[Any]) -> object:
    """What a mark must not change: how the file is read, but for its texts."""
    try:
        runs = read_source(RunFile.of(name, _bytes(values)), named=True) or ()
    except ReadError:
        return None
    return [
        (
            run.reader.split()[-1],
            (
                run.status,
                run.status_detail,
                run.outcome,
                run.tokens.total,
                run.cost_usd,
                run.turns,
                run.task is None,
            ),
            run.steps and (run.steps.steps, run.steps.tool_calls),
            (
                run.texts.summary is None,
                len(run.texts.errors),
                len(run.texts.fields),
                len(run.caveats),
                len(run.unknown),
            ),
        )
        for run in runs
    ]


def _leaves(
    value: Any, place: tuple[str | int, ...], path: str, told: tuple[str, ...]
) -> Iterator[Leaf]:
    if isinstance(value, dict):
        info = value.get("info")
        said = [
            each.get(key) for key in _TELLING for each in (value, info) if isinstance(each, dict)
        ]
        told += tuple(
            text for text in said if isinstance(text, str) and re.fullmatch(r"[\w.-]{1,40}", text)
        )
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key), f"{path}.{key}" if path else key, told)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*place, number), path, told)
    elif isinstance(value, str):
        yield Leaf(place, f"{'+'.join(dict.fromkeys(told))}:{path}")


def _append(values: Any, place: tuple[str | int, ...], mark: str) -> None:
    """Add a mark to a text; a word stays one."""
    *above, last = place
    for key in above:
        values = values[key]
    sign = " " if re.search(r"\s|^$", values[last]) else "-"
    values[last] += sign + mark
