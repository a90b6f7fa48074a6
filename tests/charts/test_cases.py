"""What charts say of the runs of the scenarios of `tests/pages/cases`: titles, notes, tables and specs. Nothing is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.charts import specs
from sitegen.charts.chart_set import said_of, whole
from sitegen.charts.findings import Finding
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.chart_parts import said
from tests.conftest import ROOT
from tests.support import cases, scenarios

SCENARIOS = ROOT / "tests" / "pages" / "cases"
EXPECTED = ROOT / "tests" / "charts" / "cases"
CASES = [case for case in cases.inputs(SCENARIOS) if not case.name.startswith("sessions-")]
"""All but one whose runs are those of another."""


def charts_of(scenario: Path, folder: Path) -> dict[str, Any]:
    """Return each chart of a scenario's runs with its spec, or the sentence that says why there is none."""
    chosen = scenarios.config_of(scenario, folder)
    entries = scenarios.collected(chosen).entries
    prices: PriceTable = chosen.price_table
    findings = said_of(**said(entries, prices.check_all(entries), prices, chosen.intervals))
    return {name: described(finding) for name, finding in findings.items()}


def described(finding: Finding | str | None) -> Any:
    """Return a chart as JSON has it, with its spec."""
    if not isinstance(finding, Finding):
        return finding
    spec = whole(specs.spec(finding.id, finding.plot), finding)
    return {**cases.plain(finding), "spec": spec}


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_charts_show_the_runs_of_a_scenario(case: Path, tmp_path: Path, refresh: bool) -> None:
    expected = EXPECTED / cases.expected_of(case).name
    cases.compare(case, charts_of(case, tmp_path), refresh=refresh, expected=expected)
