"""Files and settings, and the runs, verdicts and problems that have to come of them: `cases/CASE.yaml` and, beside it,
`CASE.expected.json`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import cases, scenarios

CASES = cases.inputs(ROOT / "tests" / "inputs" / "cases")


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_files_give_runs_verdicts_and_problems(case: Path, tmp_path: Path, refresh: bool) -> None:
    scenarios.check(case, tmp_path, refresh=refresh)
