"""The tables of rules and words beside this module."""

import re
from collections.abc import Callable
from functools import cache

from sitegen.text import tsv

compiled: Callable[[str], re.Pattern[str]] = cache(re.compile)
"""The expression of a rule, made when it is first needed: most runs need few of them."""


@cache
def rows(table: str) -> list[list[str]]:
    """Return the rows of a table, by their cells."""
    return list(tsv.rows(__file__, table))


def words(table: str, list_name: str) -> list[str]:
    """Return what a table has in the rows of one list."""
    return [cells[1] for cells in rows(table) if cells[0] == list_name]
