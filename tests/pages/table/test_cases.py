"""The table of the runs of a scenario: its pages, what they are filtered by, and the scripts with its rows; see
`scenarios`. A page has three rows here, and a block five."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.fields import BUILT_IN, RunFacts
from sitegen.numbers.statistics import summarize
from sitegen.pages.table import rows, run_table
from sitegen.pages.table.run_table import RunTable, table_page
from tests.conftest import ROOT
from tests.support import cases, scenarios

CASES = cases.inputs(ROOT / "tests" / "pages" / "table" / "cases")


def table_of(scenario: Path, folder: Path) -> Any:
    """Return what the table of a scenario's runs shows."""
    facts = scenarios.collected_of(scenario, folder)
    table = RunTable(facts.entries, summarize(facts.entries), "index", "data/rows", is_part=True)
    pages = [table.page(number, {"data/rows.js": "a.js"}) for number in range(table.page_count)]
    scripts = [(script.path, script.content.decode()) for script in table.scripts()]
    cells = [
        {column.key: column.value(RunFacts.of(entry)) for column in BUILT_IN}
        for entry in facts.entries
    ]
    return cases.plain([pages, scripts, cells, table_page(table, 0).title])


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_table_shows_the_runs_of_a_scenario(
    case: Path, tmp_path: Path, refresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_table, "ROWS_PER_PAGE", 3)
    monkeypatch.setattr(rows, "ROWS_PER_BLOCK", 5)
    cases.compare(case, table_of(case, tmp_path), refresh=refresh)
