"""Gates by data: runs and limits in, results with their sentences out: `gates_cases/CASE.yaml` and, beside it,
`CASE.expected.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.model import Entry, Outcome, Problem, Run, Score, Source, Status, Verdict
from sitegen.numbers.gates import MeasureLimits, evaluate
from sitegen.numbers.pricing import PriceCheck
from tests.conftest import ROOT
from tests.support import cases

CASES = cases.inputs(ROOT / "tests" / "numbers" / "gates_cases")
OF_RUNS = {"cost_usd", "computed_cost_usd", "reported_cost_usd", "cost_is_lower_bound"}
OF_RUNS |= {"cost_is_estimated", "ledger_is_lower_bound", "turns", "status_detail"}


def entry_of(number: int, stated: dict[str, Any]) -> Entry:
    """Return the run that a case describes: fields of a run and of its place, and `list_usd`, see `check_of`."""
    own = {key: value for key, value in stated.items() if key in OF_RUNS}
    others = {key: value for key, value in stated.items() if key in ("task", "model", "attempt")}
    run = Run("t", Status(stated.get("status", "ok")), **{"turns": 3, **own})
    scores = tuple(Score(name, *facts) for name, facts in stated.get("scores", {}).items())
    source = Source(f"{number}.json", "", named=False, size=1)
    outcome = Outcome(stated["outcome"]) if "outcome" in stated else None
    return Entry(f"r-{number}", source, 0, "", run, "r", outcome=outcome, scores=scores, **others)


def check_of(stated: dict[str, Any]) -> PriceCheck:
    """Return the check of a run whose list price a case states."""
    return PriceCheck((), stated.get("list_usd"), None, None, None)


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_gates_come_to_their_results(case: Path, refresh: bool) -> None:
    content = yaml.safe_load(case.read_text(encoding="utf-8"))
    runs = [run for stated in content["runs"] for run in [stated] * stated.pop("times", 1)]
    entries = [entry_of(number, stated) for number, stated in enumerate(runs)]
    checks = {entry.id: check_of(stated) for entry, stated in zip(entries, runs, strict=True)}
    problem = Problem("a.json", "E_EMPTY", Verdict.SKIP, "it is empty")
    limits = [(name, MeasureLimits(**keys)) for name, keys in content["gates"]]
    results = [
        evaluate(
            {name: limit},
            entries,
            checks,
            [problem] * content.get("problems", 0),
            content.get("missing"),
            unreadable=content.get("unreadable", 0),
        )
        for name, limit in limits
    ]
    told = [[(result, result.state, result.fails_build) for result in each] for each in results]
    cases.compare(case, told, refresh=refresh)
