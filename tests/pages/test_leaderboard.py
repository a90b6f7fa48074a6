"""Who leads, of tables of runs; what the leaderboard says of each lies in `tables/leaderboard/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.config import Config
from sitegen.pages.leaderboard import board, leaderboard_view
from sitegen.pages.overall import compared
from tests.support import cases, run_tables


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_come_to_a_leaderboard(table: Path, refresh: bool) -> None:
    entries = run_tables.entries_of(table)
    made = compared(Config(), entries)
    shown: dict[str, object] = {}
    for score in ("", "speedup"):
        found = board(entries, Config().intervals, score)
        if found:
            found = found.compared(made.known, made.of_control)
            shown[score or "default"] = leaderboard_view(found, "One group is left out.")
    run_tables.compare(table, "leaderboard", shown, refresh=refresh)
