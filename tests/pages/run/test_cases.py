"""The page of a run, by its facts: a run in `cases/CASE.yaml`, and beside it all that its page shows.

`run` has the fields of `Run`, `entry` those of `Entry`; a line of a ledger has `model`, `tokens` (input, cache writes, cache
reads, output, writes for an hour) and `cost`. Prices are those of two models that are made up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.model import (
    Caveat,
    Entry,
    ModelUsage,
    Outcome,
    Part,
    Run,
    Score,
    Status,
    StepCounts,
    Tokens,
)
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.run.view import run_page
from tests.conftest import ROOT
from tests.support import cases
from tests.support.chart_runs import entry

CASES = cases.inputs(ROOT / "tests" / "pages" / "run" / "cases")
PRICES = PriceTable.load(
    {"oak": {"input": 2.0, "output": 10.0}, "elm": {"input": 0.5, "output": 2.0}}
)


def line_of(facts: Mapping[str, Any]) -> ModelUsage:
    """Return a line of a ledger by its facts."""
    return ModelUsage(facts.get("model"), Tokens(*facts.get("tokens", ())), facts.get("cost"))


def run_of(facts: Mapping[str, Any]) -> Run:
    """Return a run by its facts."""
    fields = dict(facts)
    for name in ("ledger", "judge"):
        fields[name] = tuple(map(line_of, facts.get(name, ())))
    fields["status"] = Status(facts.get("status", "ok"))
    fields["parts"] = tuple(
        Part(Status(status), None, 1, 1000, 0.1) for status in facts.get("parts", ())
    )
    fields["caveats"] = tuple(Caveat(*caveat) for caveat in facts.get("caveats", ()))
    fields["given"] = tuple(map(tuple, facts.get("given", ())))
    if "tests" in fields:
        tests = fields.pop("tests")
        fields["steps"] = StepCounts(9, 5, 0, (1,), 3, 1, 0, 0, 9000, 1.0, (), (), tests)
    return Run(fields.pop("reader", "Claude Code result"), **fields)


def entry_of(stated: Mapping[str, Any]) -> Entry:
    """Return the run of a case in its place."""
    facts = dict(stated.get("entry", {}))
    run = PRICES.computed(run_of(stated.get("run", {})))
    names = tuple(f"{(line.model or 'unknown').capitalize()} 1" for line in run.ledger)
    facts["outcome"] = Outcome(facts["outcome"]) if "outcome" in facts else None
    facts["scores"] = tuple(Score(**score) for score in facts.get("scores", ()))
    for name in ("labels", "factors", "derived", "stated"):
        facts[name] = tuple(
            tuple(value) if isinstance(value, list) else value for value in facts.get(name, ())
        )
    made = replace(entry(1), run=run, ledger_names=names, model=names[0] if names else None)
    return replace(made, **{"task": None, "attempt": None, **facts})


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_run_comes_to_its_page(case: Path, refresh: bool) -> None:
    made = entry_of(yaml.safe_load(case.read_text(encoding="utf-8")))
    before = replace(entry(2), title="the one before", task=None)
    page = run_page(made, PRICES.check(made.run), before, None)
    cases.compare(case, page, refresh=refresh)
