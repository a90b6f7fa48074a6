"""The facts that charts get of runs: reported costs, or list prices where no run reports one."""

from __future__ import annotations

from dataclasses import replace

from sitegen.charts.findings import GREY
from sitegen.config import Config
from sitegen.model import Entry, ModelUsage, Run, Status, Tokens
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.chart_parts import said
from sitegen.pages.views import model_class
from tests.support.chart_runs import entry

PRICES = PriceTable.load({"oak": {"input": 2.0, "output": 10.0}})


def run(number: int, cost: float | None, *, model: str | None = "oak") -> Entry:
    """Return a run of 1,000 tokens of input and 100 of output, which are $0.003 at list price."""
    made = entry(number)
    ledger = (ModelUsage(model, Tokens(1000, 0, 0, 100), cost),)
    facts = PRICES.computed(
        Run("Claude Code result", Status.OK, ledger=ledger, cost_usd=cost), "oak"
    )
    return replace(made, run=facts, ledger_names=("Oak",), model="Oak", stated_model="oak")


def told(*runs: Entry) -> dict[str, object]:
    checks = {each.id: PRICES.check(each.run) for each in runs}
    return said(runs, checks, PRICES, Config().intervals)


def test_reported_costs_stay_as_they_are() -> None:
    runs = [run(1, 0.003), run(2, None)]
    found = told(*runs)
    assert (found["entries"], found["is_listed"]) == (tuple(runs), False)
    split = found["split"]
    assert isinstance(split, dict) and list(split) == [runs[0].id]
    assert sum(split[runs[0].id].values()) == 0.003


def test_without_reported_costs_charts_are_of_list_prices() -> None:
    unknown = replace(run(3, None), run=Run("Claude Code result", Status.OK))
    found = told(run(1, None), run(2, None, model=None), replace(unknown, ledger_names=()))
    assert found["is_listed"] is True
    entries = found["entries"]
    assert isinstance(entries, list)
    assert [each.run.cost_usd for each in entries] == [0.003, 0.003, None]
    assert [each.run.computed_cost_usd for each in entries] == [None, None, None]
    assert [line.cost_usd for line in entries[1].run.ledger] == [0.003]
    assert entries[1].ledger_names == ("Oak",)
    split = found["split"]
    assert isinstance(split, dict) and sorted(split) == sorted(each.id for each in entries[:2])


def test_where_nothing_is_known_nothing_is_at_list_price() -> None:
    unknown = replace(run(3, None), run=Run("Claude Code result", Status.OK), ledger_names=())
    assert told(unknown)["is_listed"] is False


def test_models_have_the_colours_of_pages_and_others_are_grey() -> None:
    found = told(
        *(replace(run(n, float(n)), model=f"M{n}", ledger_names=(f"M{n}",)) for n in range(1, 6))
    )
    color = found["color"]
    assert callable(color)
    assert color("M5") == f"var(--m-{model_class('M5')})"
    assert color("M1") == GREY  # the fifth by cost
    assert color(None) == GREY
