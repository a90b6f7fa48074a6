"""The tables of rules and words beside this module."""

from __future__ import annotations

from functools import partial

from sitegen import tsv

rows = partial(tsv.rows, __file__)


def words(table: str, list_name: str) -> list[str]:
    """Return what a table has in the rows of one list."""
    return [cells[1] for cells in rows(table) if cells[0] == list_name]
