"""The matrix of tasks and configurations, of tables of runs; what it says of each lies in `tables/matrix/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pages.matrix import matrix_view
from tests.support import cases, run_tables


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_come_to_a_matrix(table: Path, refresh: bool) -> None:
    view = matrix_view(run_tables.entries_of(table))
    run_tables.compare(table, "matrix", view, refresh=refresh)
