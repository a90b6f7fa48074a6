"""The big figures of runs, of tables of runs; what they say of each lies in `tables/summary/`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.config import Config
from sitegen.numbers.statistics import spread, summarize
from sitegen.numbers.success import success
from sitegen.pages.leaderboard import leading
from sitegen.pages.summary import success_figures, summary_figures
from tests.support import cases, run_tables


@pytest.mark.parametrize("table", run_tables.TABLES, ids=cases.name_of)
def test_runs_come_to_big_figures(table: Path, refresh: bool) -> None:
    entries = run_tables.entries_of(table)
    question = Config().intervals
    judged = success(entries, question)
    measures = leading(entries)
    scored = (measures[0], spread(entries, measures[0], question)) if measures else None
    shown = {
        "all": summary_figures(summarize(entries), judged, scored),
        "with two that are not readable": summary_figures(
            replace(summarize(entries), unreadable=2), judged
        ),
        "of none": summary_figures(summarize([]), success([], question)),
        "half of it": list(success_figures(success(entries[::2], question), 1)),
    }
    run_tables.compare(table, "summary", shown, refresh=refresh)
