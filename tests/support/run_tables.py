"""Runs as short tables, for tests of what pages say of many of them: no file and no reader, only facts.

A table of runs is YAML: by name of a group the facts that its runs share, `columns` and `rows`, a run in each. Facts are
`model`, `agent`, `configuration`, `task`, `attempt`, `outcome`, `cost` (reported), `listed` (at list price), `minutes`, `turns`, `tokens`,
`signals` (found by rules, where the steps were looked at), `tests`, `edited`, `claimed`, `status`, `detail`, `day`,
`campaign`, `project`, `person`, `labels`, `given`, `bound` and scores by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, StepCounts, Tokens
from tests.conftest import ROOT
from tests.support import cases

FOLDER = ROOT / "tests" / "pages" / "tables"
TABLES = cases.inputs(FOLDER)
SCORES = {"speedup": ("x", True), "misses": (None, False), "quality": ("%", True)}
"""The unit of each score, and whether more is better."""
FACTS = {
    "agent",
    "attempt",
    "bound",
    "campaign",
    "claimed",
    "configuration",
    "cost",
    "day",
    "detail",
    "edited",
    "given",
    "labels",
    "listed",
    "minutes",
    "model",
    "outcome",
    "person",
    "project",
    "signals",
    "status",
    "task",
    "tests",
    "tokens",
    "turns",
    *SCORES,
}


def entries_of(table: Path) -> list[Entry]:
    """Return the runs of a table."""
    stated = yaml.safe_load(table.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = []
    for group in stated.values():
        shared = {key: value for key, value in group.items() if key not in ("columns", "rows")}
        rows += [
            {**shared, **dict(zip(group["columns"], row, strict=True))} for row in group["rows"]
        ]
    return [entry_of(number, row) for number, row in enumerate(rows, 1)]


def entry_of(number: int, facts: Mapping[str, Any]) -> Entry:
    """Return a run by its facts."""
    unknown = facts.keys() - FACTS
    assert not unknown, f"{', '.join(unknown)} is no fact"
    model = facts.get("model")
    agent = facts.get("agent", "Claude Code")
    task = facts.get("task")
    tokens = Tokens(*facts.get("tokens", (1000, 20_000, 400_000, 5000)))
    cost = facts.get("cost")
    ledger = (ModelUsage(model, tokens, cost),) if model else ()
    minutes = facts.get("minutes")
    run = Run(
        f"{agent} result",
        Status(facts.get("status", "ok")),
        facts.get("detail"),
        ledger,
        cost_usd=cost,
        computed_cost_usd=facts.get("listed"),
        cost_is_lower_bound=facts.get("bound", False),
        wall_ms=None if minutes is None else round(60_000 * minutes),
        turns=facts.get("turns"),
        given=tuple(facts.get("given", {}).items()),
        cwd=facts.get("project"),
        steps=steps_of(facts),
    )
    day = facts.get("day")
    outcome = facts.get("outcome")
    factors = {"agent": agent, "model": model or ""}
    if "person" in facts:
        factors["person"] = facts["person"]
    return Entry(
        f"run-{number:012x}",
        Source(f"runs/{number}.json", f"{number}.json", named=False, size=1),
        0,
        f"{number:064x}",
        run,
        task or f"run {number}",
        campaign=facts.get("campaign"),
        task=task,
        model=model,
        configuration=facts.get("configuration"),
        ledger_names=(model,) * len(ledger),
        attempt=facts.get("attempt"),
        outcome=Outcome(outcome) if outcome else None,
        stated_claim=facts.get("claimed"),
        scores=tuple(scores_of(facts)),
        factors=tuple(factors.items()),
        labels=tuple(facts.get("labels", ())),
        started_at=f"{day}T10:00:00Z" if day else None,
    )


def steps_of(facts: Mapping[str, Any]) -> StepCounts | None:
    """Return the counts of steps of a run in which signals were looked for; None of another."""
    signals = facts.get("signals")
    if signals is None:
        return None
    edited = tuple(range(facts.get("edited", 1)))
    return StepCounts(
        40,
        30,
        2,
        edited,
        10,
        4,
        0,
        0,
        50_000,
        12.0,
        (),
        tuple(signals.split()),
        facts.get("tests", "passed"),
    )


def scores_of(facts: Mapping[str, Any]) -> Iterator[Score]:
    """Yield the scores of a run."""
    for name, (unit, higher_is_better) in SCORES.items():
        if facts.get(name) is not None:
            yield Score(name, facts[name], unit, higher_is_better, name == "speedup")


def compare(table: Path, page: str, value: Any, *, refresh: bool) -> None:
    """Compare what a page says of a table with what it has to."""
    folder = FOLDER / page
    folder.mkdir(exist_ok=True)
    expected = folder / f"{table.stem}{cases.EXPECTED}"
    cases.compare(table, value, refresh=refresh, expected=expected)
