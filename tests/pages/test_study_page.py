"""The page of a study: settings and files in `study_cases/CASE.yaml`, and beside it the tables and sentences of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.outcomes.study import Study
from sitegen.pages import study_page
from tests.conftest import ROOT
from tests.support import cases, scenarios

CASES = cases.inputs(ROOT / "tests" / "pages" / "study_cases")


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_runs_come_to_tables_and_sentences(case: Path, tmp_path: Path, refresh: bool) -> None:
    config = scenarios.config_of(case, tmp_path)
    study = Study(config, scenarios.collected(config).entries)
    tables = study_page.tables(study, config.intervals)
    shown: dict[str, object] = {
        "page": study_page.study_page(study, config.intervals, corrected=study.breakdowns()),
        "files": {
            name: b"".join(table.table(study).to_csv()).decode().splitlines()
            for name, table in tables.items()
        },
    }
    if config.judges:
        shown["judges"] = study_page.describe_judges(study, *config.judges)
    cases.compare(case, shown, refresh=refresh)
