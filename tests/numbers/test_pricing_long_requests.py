"""Prices that change with the length of a request: which of them counts, at each step and on both sides of it."""

from __future__ import annotations

import pytest

from sitegen.model import LONG_REQUESTS, ModelUsage, Portion, Run, Status, Tokens
from sitegen.numbers.pricing import PriceTable


def cost(above_tokens: int, portion_above: int) -> float | None:
    """Return the cost of a million tokens in requests above a length, at 1 USD and above another length at 10."""
    above = {"tokens": above_tokens, "input": 10, "output": 100}
    table = PriceTable.load({"m": {"input": 1, "output": 10, "above": above}})
    tokens = Tokens(1_000_000, 0, 0, 0)
    portions = (Portion((), portion_above, tokens),) if portion_above else ()
    line = ModelUsage("m", tokens, None, None, portions, portion_above + 1)
    return table.computed(Run("t", Status.OK, ledger=(line,))).computed_cost_usd


@pytest.mark.parametrize("step", LONG_REQUESTS)
@pytest.mark.parametrize("portion_above", (0, *LONG_REQUESTS))
def test_the_higher_price_counts_from_its_step_on(step: int, portion_above: int) -> None:
    assert cost(step, portion_above) == pytest.approx(10 if portion_above >= step else 1)


def test_the_steps_are_those_of_prices_that_vendors_publish() -> None:
    assert LONG_REQUESTS == (100_000, 128_000, 199_999, 200_000, 272_000)
