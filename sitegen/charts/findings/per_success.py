"""What does a success cost? Bars of the cost of all runs of a model, failed ones included, over those that passed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts.axes import Axis
from sitegen.charts.findings import (
    MOST_MODELS,
    Finding,
    ModelColors,
    Table,
    by_model,
    label,
    shortened_apart,
    tasks_remark,
)
from sitegen.charts.frames import COST_PER_SUCCESS, Row
from sitegen.model import Entry
from sitegen.numbers.success import success

_FEW = 3
"""So many bars stand taller, or they would be lost in the space that other charts take."""


@dataclass(frozen=True, slots=True)
class _Price:
    """What the successes of one model cost."""

    model: str
    runs: int
    passed: int
    spent_usd: float
    usd: float | None
    """Of a success; None where no run passed."""
    is_lower_bound: bool
    """Whether a run reports no cost."""

    @property
    def plus(self) -> str:
        """What marks a lower bound."""
        return "+" if self.is_lower_bound else ""

    @property
    def written(self) -> str:
        """The cost of a success, or a dash."""
        return figures.money(self.usd) + (self.plus if self.usd is not None else "")

    @property
    def arithmetic(self) -> str:
        """How it was computed, for its row."""
        passed = f"{self.passed:,} passed" if self.passed else "none passed"
        return f"{figures.money(self.spent_usd)}{self.plus} for {figures.plural(self.runs, 'run')}, {passed}"


def cost_per_success(entries: Sequence[Entry], color: Callable[[str], str]) -> Finding | str | None:
    """A bar for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members = by_model(entries)
    if len(members) < 2 or all(entry.outcome is None for entry in entries):
        return None
    prices = [price for model, group in members.items() if (price := _price(model, group))]
    if len(prices) < 2:
        return f"Cost per success: {'only one model has' if prices else 'no model has'} judged runs with a cost."
    if not any(price.passed and price.spent_usd for price in prices):
        passed = any(price.passed for price in prices)
        return f"Cost per success: {'those that passed cost nothing' if passed else 'no run passed'}."
    prices.sort(key=lambda price: (math.inf if price.usd is None else price.usd, price.spent_usd, price.model))
    ranked = sorted(prices, key=lambda price: (-price.runs, price.model))
    most = {price.model for price in ranked[:MOST_MODELS]}
    shown = [price for price in prices if price.model in most]
    colors = ModelColors.of({price.model: price.runs for price in prices}, color)
    data, height = _bars(shown, colors)
    money = figures.money_column(usd for price in prices for usd in (price.spent_usd, price.usd))
    return Finding(
        id="cost-per-success",
        frame=COST_PER_SUCCESS,
        title=_title(prices),
        note=_note(entries, prices, len(shown)),
        description=f"Bars: cost of all runs over those that passed, {figures.plural(len(shown), 'model')}.",
        table=Table.of(
            prices,
            {"Model": lambda price: label(price.model)},
            {
                "Runs": lambda price: figures.count(price.runs),
                "Passed": lambda price: figures.count(price.passed),
                money.head("Cost of all runs"): lambda price: money.write(price.spent_usd) + price.plus,
                money.head("Cost per success"): lambda price: (
                    money.write(price.usd) + (price.plus if price.usd is not None else "")
                ),
            },
        ),
        data=data,
        height=height,
        x=Axis(0, max(price.usd or 0.0 for price in shown) or 1.0, logarithmic=False),
        y=Axis.down(height),
    )


def _price(model: str, group: Sequence[Entry]) -> _Price | None:
    """None where no run of the model was judged, or none reports a cost."""
    outcome = success(group)
    if not outcome.judged or outcome.cost.value is None:
        return None
    per_success = outcome.cost_per_success
    return _Price(
        model=model,
        runs=outcome.judged + outcome.infrastructure,
        passed=outcome.passed,
        spent_usd=outcome.cost.value,
        usd=per_success.value if per_success else None,
        is_lower_bound=outcome.cost.is_lower_bound,
    )


def _title(prices: Sequence[_Price]) -> str:
    """The least and the most; `prices` ascend, those without a success last."""
    priced = [price for price in prices if price.usd is not None]
    cheap, dear = priced[0], priced[-1]
    if cheap is dear:
        return f"A success cost {cheap.written} with {label(cheap.model)}; no other model had one"
    return f"A success cost {cheap.written} with {label(cheap.model)} and {dear.written} with {label(dear.model)}"


def _note(entries: Sequence[Entry], prices: Sequence[_Price], shown: int) -> str:
    runs = sum(price.runs for price in prices)
    note = f"Cost of all runs over those that passed, {figures.plural(runs, 'run')}, failures included"
    if shown < len(prices):
        note += f"; the {shown} of {len(prices)} models with the most runs"
    if any(price.is_lower_bound for price in prices):
        note += "; + marks a lower bound, where a run reports no cost"
    if not_judged := success(entries).unjudged:
        note += f"; {figures.plural(not_judged, 'run')} not judged left out"
    if others := len(entries) - runs - not_judged:
        note += f"; {figures.plural(others, 'run')} of models without a judged run that has a cost left out"
    note += tasks_remark(by_model(entries).values())
    return f"{note}."


def _bars(shown: Sequence[_Price], colors: ModelColors) -> tuple[dict[str, list[Row]], int]:
    """Bars, what stands beside and below them, and their height. x is in dollars, y in pixels from the top."""
    step, bar_height = (64, 26) if len(shown) <= _FEW else (46, 17)
    data: dict[str, list[Row]] = {"bars": [], "prices": [], "sums": []}
    names = shortened_apart([label(price.model) for price in shown], 15)
    for index, price in enumerate(shown):
        top = index * step + 2
        bottom = top + bar_height
        of: Row = {"model": price.model}
        if price.usd:
            tip = f"{label(price.model)}: {price.written} a success\n{price.arithmetic}"
            bar: Row = {"start": 0.0, "end": price.usd, "y": top, "y2": bottom}
            data["bars"].append(bar | of | {"color": colors.colors[price.model], "tip": tip})
        words: Row = {"y": (top + bottom) / 2, "end": price.usd or 0.0, "name": names[index], "cost": price.written}
        data["prices"].append(of | words)
        data["sums"].append(of | {"y": bottom + 10, "text": price.arithmetic})
    return data, len(shown) * step
