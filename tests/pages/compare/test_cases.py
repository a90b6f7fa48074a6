"""The pages of comparisons, of tables of runs; what they say of each lies in `../tables/compare/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.config import Config
from sitegen.pages.overall import compared
from tests.support import cases, run_tables

MAX_PAGES = 2


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_pairs_of_runs_are_compared(table: Path, refresh: bool) -> None:
    made = compared(Config(), run_tables.entries_of(table))
    shown = {"overview": made.overview, "pages": made.views[:MAX_PAGES]}
    run_tables.compare(table, "compare", shown, refresh=refresh)
