"""The figures of the scenarios of `tests/pages/cases`: those of all runs, of each group, comparison and campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support import cases, scenarios

pytestmark = pytest.mark.blank_charts
EXPECTED = ROOT / "tests" / "numbers" / "cases"
CASES = [
    case
    for case in cases.inputs(ROOT / "tests" / "pages" / "cases")
    if not case.name.startswith(("sessions-", "steps-"))
]
"""Those whose figures differ in more than names."""


def figures_of(scenario: Path, folder: Path) -> dict[str, Any]:
    """Return the figures that the site of a scenario gives to programs, and the sentences of its first page."""
    data = scenarios.site_of(scenario, folder) / "data"
    figures = json.loads((data / "figures.json").read_text(encoding="utf-8"))
    lines = (data / "history.jsonl").read_text("utf-8") if (data / "history.jsonl").exists() else ""
    return {"figures": figures, "history": [json.loads(line) for line in lines.splitlines()]}


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_runs_give_figures(case: Path, tmp_path: Path, refresh: bool) -> None:
    expected = EXPECTED / cases.expected_of(case).name
    cases.compare(case, figures_of(case, tmp_path), refresh=refresh, expected=expected)
