"""The first sentence of the first page, by a table: facts in `sentences/headline.yaml`, sentences in the file beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from sitegen.model import Entry, Outcome, Score
from tests.conftest import ROOT
from tests.pages.test_headline import said
from tests.support import cases
from tests.support.chart_runs import entry

TABLE = ROOT / "tests" / "pages" / "sentences" / "headline.yaml"


def runs_of(models: Mapping[str, Mapping[str, Any]]) -> Iterator[Entry]:
    """Yield the runs of a row of the table."""
    number = 0
    for model, facts in models.items():
        unknown = facts.keys() - FACTS
        assert not unknown, f"{TABLE.name}: {', '.join(unknown)} is no fact"
        first, end = facts.get("tasks", (0, 8))
        for position, task in enumerate(range(first, end)):
            number += 1
            yield run_of(entry(number, model=model, name=f"task {task}"), position, facts)


FACTS = {"tasks", "passed", "is_judged", "is_listed", "lower_bounds", "cost", "speedup"}


def run_of(run: Entry, position: int, facts: Mapping[str, Any]) -> Entry:
    """Return a run, the one at this position of its model, with the facts of its row."""
    cost = facts.get("cost", 1.0) + position / 1000
    is_listed = facts.get("is_listed", False)
    costs = {"cost_usd": None, "computed_cost_usd": cost} if is_listed else {"cost_usd": cost}
    outcome = Outcome.PASS if position < facts.get("passed", 8) else Outcome.FAIL
    speedup = facts.get("speedup")
    scores = (
        () if speedup is None else (Score("speedup", speedup + position / 100, "x", True, True),)
    )
    is_bound = position < facts.get("lower_bounds", 0)
    return replace(
        run,
        run=replace(run.run, **costs, cost_is_lower_bound=is_bound),
        outcome=outcome if facts.get("is_judged", True) else None,
        scores=scores,
    )


def test_the_first_sentence_is_that_of_the_table(refresh: bool) -> None:
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    sentences = {name: said(list(runs_of(models))) for name, models in table.items()}
    cases.compare(TABLE, sentences, refresh=refresh)
