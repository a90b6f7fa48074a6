"""Adds list prices to runs."""

from collections.abc import Iterable
from dataclasses import replace

from sitegen.inputs.survey import Facts
from sitegen.model import Entry, Run
from sitegen.numbers.pricing import PriceTable


def price(facts: Facts, prices: PriceTable, cost_basis: str) -> Facts:
    """Compute the cost of runs that report none; of all runs if `cost_basis` is `list`."""
    return replace(facts, entries=price_entries(facts.entries, prices, cost_basis))


def price_entries(
    entries: Iterable[Entry], prices: PriceTable, cost_basis: str
) -> tuple[Entry, ...]:
    """Price each run; a run whose cost does not change stays the same object, because copies take memory."""
    priced = []
    for entry in entries:
        run = entry.run
        if cost_basis == "list":
            run = without_reported_cost(run)
        run = prices.computed(run, entry.stated_model)
        priced.append(entry if run is entry.run else replace(entry, run=run))
    return tuple(priced)


def without_reported_cost(run: Run) -> Run:
    """Return the run with its reported cost set aside, and without those of its parts."""
    if run.cost_usd is None:
        return run
    parts = tuple(replace(part, cost_usd=None) for part in run.parts)
    return replace(run, cost_usd=None, reported_cost_usd=run.cost_usd, parts=parts)
