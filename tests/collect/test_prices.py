"""List prices of runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.collect.prices import price
from sitegen.inputs.survey import Facts
from sitegen.model import ModelUsage, Run, Status, Tokens
from sitegen.numbers.pricing import PriceTable
from tests.collect.facts import entry

USAGE = (ModelUsage("m", Tokens(input=1_000_000, cache_write=0, cache_read=0, output=0)),)
PRICES = PriceTable.load({"m": {"input": 2, "output": 1}})


def test_a_list_price_replaces_a_reported_cost_only_if_asked() -> None:
    facts = Facts((entry(run=Run("a session", Status.OK, ledger=USAGE, cost_usd=9.0)),))
    assert price(facts, PRICES, "reported").entries[0] is facts.entries[0]
    run = price(facts, PRICES, "list").entries[0].run
    assert (run.cost_usd, run.reported_cost_usd, run.computed_cost_usd) == (None, 9.0, 2.0)


@pytest.mark.parametrize("basis", ["reported", "list"])
def test_a_run_without_a_cost_gets_its_list_price(basis: str) -> None:
    facts = Facts((entry(run=Run("a session", Status.OK, ledger=USAGE)),))
    run = price(facts, PRICES, basis).entries[0].run
    assert (run.cost_usd, run.reported_cost_usd, run.computed_cost_usd) == (None, None, 2.0)


def test_a_model_that_is_stated_from_outside_prices_a_run_that_names_none() -> None:
    unnamed = (replace(USAGE[0], model=None),)
    facts = Facts((entry(run=Run("a session", Status.OK, ledger=unnamed), stated_model="m"),))
    assert price(facts, PRICES, "reported").entries[0].run.computed_cost_usd == 2.0
