"""The tables of rules and words beside this module."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

compiled: Callable[[str], re.Pattern[str]] = cache(re.compile)
"""The expression of a rule, made when it is first needed: most runs need few of them."""


@cache
def rows(table: str) -> list[list[str]]:
    """Return the rows of a table, by their cells; lines that begin with `#` are comments."""
    lines = Path(__file__).with_name(table).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def words(table: str, list_name: str) -> list[str]:
    """Return what a table has in the rows of one list."""
    return [cells[1] for cells in rows(table) if cells[0] == list_name]
