"""What charts say of runs: titles, notes, tables and specs, in `cases` of the scenarios of `tests/pages/cases`, in `run_cases`
of the runs that a case states. Nothing is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.charts import findings, specs
from sitegen.charts.chart_set import said_of, whole
from sitegen.charts.findings import Finding
from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, Tokens
from sitegen.numbers.intervals import Question
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


RUN_CASES = cases.inputs(ROOT / "tests" / "charts" / "run_cases")


def entry_of(number: int, stated: dict[str, Any]) -> Entry:
    """Return a run as a case states it: fields of a run, tokens by kind, scores and its place."""
    place = {key: stated.pop(key) for key in ("task", "model", "started_at") if key in stated}
    tokens = Tokens(**stated.pop("tokens", {}))
    scores = tuple(Score(name, *facts) for name, facts in stated.pop("scores", {}).items())
    outcome = Outcome(stated.pop("outcome")) if "outcome" in stated else None
    ledger = (ModelUsage("m", tokens, stated.get("cost_usd")),)
    run = Run("t", Status(stated.pop("status", "ok")), ledger=ledger, **stated)
    source = Source(f"{number}.json", "", named=False, size=1)
    return Entry(f"r-{number}", source, 0, "", run, "r", outcome=outcome, scores=scores, **place)


def color_of(model: str) -> str:
    """Return the colour of a model: the names of those that share a grey begin with it."""
    return findings.GREY if model.startswith("Grey") else f"var(--m-{model.lower()})"


@pytest.mark.parametrize("case", RUN_CASES, ids=cases.name_of)
def test_charts_show_the_runs_of_a_case(
    case: Path, refresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = yaml.safe_load(case.read_text(encoding="utf-8"))
    if "most_dots" in content:
        monkeypatch.setattr(findings, "MAX_DOTS", content["most_dots"])
    runs = [run for stated in content["runs"] for run in [stated] * stated.pop("times", 1)]
    by_kind = {f"r-{number}": run["by_kind"] for number, run in enumerate(runs) if "by_kind" in run}
    entries = [
        entry_of(number, {key: value for key, value in run.items() if key != "by_kind"})
        for number, run in enumerate(runs)
    ]
    made = said_of(
        entries,
        by_kind,
        color=color_of,
        shapes=content.get("shapes", {}),
        question=Question(content.get("question", "tasks like these")),
        is_listed=content.get("is_listed", False),
    )
    shown = {name: made[name] for name in content["charts"]}
    described_as = described if content.get("with_specs") else cases.plain
    cases.compare(case, {key: described_as(one) for key, one in shown.items()}, refresh=refresh)
