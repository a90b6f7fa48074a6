"""The scripts that hold all rows of a table by column.

They are what lets a table be sorted, filtered and exported as a whole, of however many runs. Their columns bear the
keys of `sitegen.fields` and their rows come in the order of the table. What repeats is listed once and referred to by
position, what follows from other columns is left out: the weight of a run decides how large a campaign can be,
and that of the first script how soon its table can be used.

A table of up to ROWS_PER_BLOCK rows has two scripts, `<base>.js` and `<base>-further.js`. A longer one has these of its
first block of rows, and of each other block `<base>-<n>.js` and `<base>-<n>-further.js`, which a page loads when it
cannot do without: to sort, filter, add up, judge or export.
"""

import hashlib
import json
import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sitegen.fields import SCHEMA, fields_of
from sitegen.html.data_scripts import texts_script
from sitegen.masking.redact import Numbers, number_masks
from sitegen.model import Entry
from sitegen.pages.table.series import Category, Number, Series, longest_bar, short
from sitegen.pages.views import beside_name

ROWS_PER_BLOCK = 10_000


@dataclass(frozen=True, slots=True)
class Script:
    """A classic script with rows by column. It holds texts of JSON: a browser parses those that it needs."""

    path: str
    version: str
    """The version of its block, which both scripts state: rows of two builds must not be mixed."""
    content: bytes
    """Sets `window.sitegenRows`, what a table shows or is filtered by, or `window.sitegenFurtherRows`, the rest."""

    @property
    def address(self) -> str:
        """The address at which a page of the site finds it: a browser that holds that of an earlier build asks for this
        one."""
        return f"{self.path}?v={self.version}"


def rows_paths(base: str, rows: int) -> Iterator[str]:
    """Yield the paths of the scripts that a table of so many rows has; there may be no others."""
    for number in range(_blocks(rows)):
        yield from _block_paths(base, number)


def scripts(
    entries: Sequence[Entry], name_label: str, columns: Sequence[Series], base: str
) -> Iterator[Script]:
    """Yield the rows of some runs, each script made when it is asked for, those of the first block last."""
    versions = []
    named = not all(entry.task for entry in entries), any(entry.name_suffix for entry in entries)
    numbers: Numbers = {}
    for number in range(1, _blocks(len(entries))):
        block = _block(entries, columns, number, *named)
        versions.append(_version(block, numbers))
        yield from _scripts(block, versions[-1], _block_paths(base, number))
    block = _block(entries, columns, 0, *named)
    block[0]["head"] = _head(entries, name_label, columns, block[1], versions)
    yield from _scripts(block, _version(block, numbers), _block_paths(base, 0))


_Block = tuple[dict[str, str], dict[str, str]]
"""The texts of some rows by column: those that come at first, and the further ones."""


def _block(
    entries: Sequence[Entry],
    columns: Sequence[Series],
    number: int,
    are_titled: bool,
    are_apart: bool,
) -> _Block:
    """Return names that are made of task and attempt are null: they follow from those columns, and from what is
    added to names that several have. Where no run of the table has another, no block has names: what one block has,
    all have."""
    rows = range(len(entries))[number * ROWS_PER_BLOCK : (number + 1) * ROWS_PER_BLOCK]
    runs = entries[rows.start : rows.stop]
    first = {"ids": _packed(_by_stem([entry.id for entry in runs]))}
    further: dict[str, str] = {}
    if are_titled:
        first["name"] = _packed([None if entry.task else entry.title for entry in runs])
        first["about"] = _packed(list(map(beside_name, runs)))
    if are_apart:
        first["apart"] = _packed([entry.name_suffix for entry in runs])
    for column in columns:
        is_early = isinstance(column, Category) and not column.is_late
        is_first = column.is_shown or is_early or column.key == "attempt"
        values = column.packed(rows)
        if values is not None:
            (first if is_first else further)[column.key] = _packed(values)
    return first, further


def _head(
    entries: Sequence[Entry],
    label: str,
    columns: Sequence[Series],
    further: Container[str],
    versions: Sequence[str],
) -> str:
    """Return what can be read of all columns, and where there are further blocks how many rows they have, and their
    versions."""
    heads: list[dict[str, object]] = [{"key": "name", "label": label, "shown": True}]
    costs: Sequence[float | None] = ()
    for column in columns:
        head = {"key": column.key, "label": column.label, "shown": column.is_shown}
        heads.append(head | {"further": column.key in further} | column.described())
        if isinstance(column, Number) and column.key == "cost_usd":
            costs = column.values
    described: dict[str, object] = {"schema": SCHEMA}
    if versions:
        described |= {"rows": len(entries), "blocks": versions}
    described["longest"] = longest_bar(map(short, costs))
    described["columns"] = heads
    described["exported"] = [
        field.key
        for field in fields_of(entries)
        if field.place is not None or field.kind == "numbers"
    ]
    return _packed(described)


def _scripts(block: _Block, version: str, paths: tuple[str, str]) -> Iterator[Script]:
    names = ("sitegenRows", "sitegenFurtherRows")
    for path, name, texts in zip(paths, names, block, strict=True):
        if texts:
            yield Script(path, version, texts_script(name, {"version": _packed(version), **texts}))


def _version(block: _Block, numbers: Numbers) -> str:
    """Return a digest of the texts with their masks numbered: of what stands in a mask before, a value could be
    guessed."""
    first, further = block
    text = number_masks("\n".join([*first.values(), *further.values()]), numbers)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def _blocks(rows: int) -> int:
    return max(math.ceil(rows / ROWS_PER_BLOCK), 1)


def _block_paths(base: str, number: int) -> tuple[str, str]:
    of_block = f"{base}-{number + 1}" if number else base
    return f"{of_block}.js", f"{of_block}-further.js"


def _by_stem(ids: Iterable[str]) -> list[str]:
    """Ids by what they begin with, which attempts at a task share: `lines-claude- 1-0a1b 2-2c3d`."""
    stems: list[str] = []
    for stem, group in groupby(ids, key=_stem):
        ends = (run_id[len(stem) :] for run_id in group)
        stems.append(" ".join([stem, *ends]))
    return stems


def _stem(run_id: str) -> str:
    return run_id.rsplit("-", 2)[0] + "-"


def _packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
