"""The data files: what the pages show, for programs.

Unknown is null in JSON and an empty cell in CSV. What a spreadsheet would take for a formula gets a leading apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable

from sitegen.model import Entry, Masked, Problem
from sitegen.numbers.pricing import PriceCheck
from sitegen.pages.table.columns import COLUMNS, Cell, Facts

SCHEMA = 1
"""Goes up only when a column changes its meaning; new columns do not raise it."""

Row = dict[str, Cell]
"""A run by column; see `columns.COLUMNS`."""


def row(entry: Entry, check: PriceCheck) -> Row:
    """The columns of one run, in their order."""
    run = Facts.of(entry, check)
    return {column.key: column.value(run) for column in COLUMNS}


def runs_json(rows: Iterable[Row]) -> bytes:
    """`{"schema": 1, "runs": [...]}`, one run a line."""
    written = io.BytesIO()  # many lines joined, and again as bytes, would stand in memory three times
    written.write(f'{{"schema": {SCHEMA}, "runs": ['.encode())
    for number, row in enumerate(rows):
        written.write(f"{',' if number else ''}\n{_json(row)}".encode())
    written.write(b"\n]}\n")
    return written.getvalue()


def problems_json(problems: Iterable[Problem], masked: Iterable[Masked] = ()) -> bytes:
    """`{"schema": 1, "problems": [...], "masked": [...]}`: file, code, verdict and reason, one problem a line; and how
    many values of which kind are masked in which place of a file.
    """
    lines = ",\n".join(
        _json(
            {
                "file": problem.path,
                "code": problem.code,
                "verdict": problem.verdict.value,
                "reason": problem.reason,
                "place": problem.place,
            }
        )
        for problem in problems
    )
    masks = ",\n".join(
        _json({"file": each.path, "place": each.place, "kind": each.kind, "count": each.count}) for each in masked
    )
    return f'{{"schema": {SCHEMA}, "problems": [\n{lines}\n], "masked": [\n{masks}\n]}}\n'.encode()


def runs_csv(rows: Iterable[Row]) -> bytes:
    """The same columns as CSV in UTF-8: a head, then a line for each run."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.key for column in COLUMNS)
    for cells in rows:
        writer.writerow([value if type(value) in _PLAIN else _cell(value) for value in cells.values()])
    return text.getvalue().encode()


# What begins a formula, behind signs that nobody sees, which a spreadsheet may leave out. As in site.js.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(rf"[{_UNSEEN}\t\r\n]*{_SIGN}|[\t\r]")
# What a spreadsheet of another language, or one that is pasted into, takes for the end of a cell.
_NEXT_FORMULA = re.compile(rf"[;\t\r\n](?=[{_UNSEEN}]*{_SIGN})")


_PLAIN = frozenset({int, float, type(None)})
"""What is written as it is."""


def _cell(value: Cell) -> str | int | float | None:
    if isinstance(value, dict):
        value = [f"{name}={number!r}" for name, number in value.items()]
    if isinstance(value, list):
        value = ";".join(value)
    if not isinstance(value, str):
        return value
    return ("'" if _FORMULA.match(value) else "") + _NEXT_FORMULA.sub(r"\g<0>'", value)


def _json(value: Row) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
