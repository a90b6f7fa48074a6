"""The page of behaviour, of tables of runs; what it says of each lies in `tables/behaviour/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pages.behaviour import behaviour_page
from tests.support import cases, run_tables


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_come_to_signals_and_claims(table: Path, refresh: bool) -> None:
    page = behaviour_page(run_tables.entries_of(table))
    run_tables.compare(table, "behaviour", page, refresh=refresh)
