"""The two scripts that hold all rows of a table by column.

They are what lets a table be sorted, filtered and exported as a whole, of however many runs. Their columns bear the
keys of `columns.COLUMNS` and their rows come in the order of data/runs.json. What repeats is listed once and referred
to by position, what follows from other columns is left out: the weight of a run decides how large a campaign can be,
and that of the first script how soon its table can be used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from sitegen.html.data_scripts import texts_script
from sitegen.model import Entry
from sitegen.pages import data
from sitegen.pages.table.columns import COLUMNS
from sitegen.pages.table.series import Category, Series
from sitegen.pages.views import beside_name


@dataclass(frozen=True, slots=True)
class RowsScripts:
    """All rows by column, as classic scripts. Each holds texts of JSON: a browser parses those that it needs."""

    version: str
    """Of the content of both, which they state: rows of two builds must not be mixed."""
    first: bytes
    """Sets `window.sitegenRows`: what can be read of all columns, the ids, and the values of what a table shows, is
    named by or filtered by."""
    further: bytes | None
    """Sets `window.sitegenFurtherRows`: the values of the other columns; None where there are none."""


def scripts(entries: Sequence[Entry], name_label: str, columns: Sequence[Series]) -> RowsScripts:
    """The rows of some runs. Names that are made of task and attempt are null: they follow from those columns."""
    names = (len(entry.name) for entry in entries)
    heads: list[dict[str, object]] = [{"key": "name", "label": name_label, "shown": True, "most": _of_most(names)}]
    first = {"ids": _packed(_by_stem([entry.id for entry in entries]))}
    further: dict[str, str] = {}
    if not all(entry.task for entry in entries):
        first["name"] = _packed([None if entry.task else entry.title for entry in entries])
        first["about"] = _packed(list(map(beside_name, entries)))
    for column in columns:
        is_first = column.is_shown or isinstance(column, Category) or column.key == "attempt"
        values = column.packed()
        if values is not None:
            (first if is_first else further)[column.key] = _packed(values)
        head: dict[str, object] = {"key": column.key, "label": column.label, "shown": column.is_shown}
        heads.append({**head, **column.described(), "most": _of_most(column.widths())})
    for head in heads:
        head["further"] = head["key"] in further
    exported = [column.key for column in COLUMNS if column.table]
    first["head"] = _packed({"schema": data.SCHEMA, "columns": heads, "exported": exported})
    version = hashlib.blake2b("\n".join([*first.values(), *further.values()]).encode(), digest_size=4).hexdigest()
    return RowsScripts(
        version,
        texts_script("sitegenRows", {"version": _packed(version), **first}),
        texts_script("sitegenFurtherRows", {"version": _packed(version), **further}) if further else None,
    )


def _of_most(sizes: Iterable[float]) -> int:
    """Position of the run whose cell is the widest of a column."""
    return max(enumerate(sizes), key=lambda pair: pair[1])[0]


def _by_stem(ids: Iterable[str]) -> list[str]:
    """Ids by what they begin with, which attempts at a task share: `lines-claude- 1-0a1b 2-2c3d`."""
    groups = groupby(ids, key=lambda each: each.rsplit("-", 2)[0] + "-")
    return [" ".join([stem, *(each[len(stem) :] for each in group)]) for stem, group in groups]


def _packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
