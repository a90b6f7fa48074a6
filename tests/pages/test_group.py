"""The pages of tasks, models, campaigns and labels, of tables of runs; what they say lies in `tables/group/`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from sitegen.config import Config
from sitegen.pages import group
from tests.support import cases, run_tables

MAX_GROUPS = 2


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_of_a_group_come_to_a_page(table: Path, refresh: bool) -> None:
    shown = {}
    for made in islice(group.groups(run_tables.entries_of(table), Config().intervals), MAX_GROUPS):
        runs_table = group._table(made)
        scripts = {script.path: script.address for script in runs_table.scripts()}
        view = group._group_view(made, runs_table.page(0, scripts))
        shown[made.base] = {key: part for key, part in vars(view).items() if key != "table"}
    run_tables.compare(table, "group", shown, refresh=refresh)
