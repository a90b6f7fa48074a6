"""The tables of rules and words beside this module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def rows(table: str) -> Iterator[list[str]]:
    """Yield the rows of a table, by their cells; lines that begin with `#` are comments."""
    for line in Path(__file__).with_name(table).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def words(table: str, list_name: str) -> list[str]:
    """Return what a table has in the rows of one list."""
    return [cells[1] for cells in rows(table) if cells[0] == list_name]
