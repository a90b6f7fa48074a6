"""What does a success cost? Bars of the cost of all runs of a model, failed ones included, over those that passed.

Of a model with a run of unknown cost only a lower bound is known: it stands behind all others, and no title calls it
the cheapest or the dearest.
"""

from __future__ import annotations

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
    interval_ends,
    label,
    shortened_apart,
    tasks_remark,
)
from sitegen.charts.frames import COST_PER_SUCCESS, Row
from sitegen.model import Entry
from sitegen.numbers.clusters import Question
from sitegen.numbers.intervals import FEWEST_SUCCESSES, Interval, PerSuccess
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
    """Of a success; None of fewer than three."""
    is_lower_bound: bool
    """Whether a run reports no cost."""
    long_run: PerSuccess | None

    @property
    def interval(self) -> Interval | None:
        """Of what a success costs in the long run."""
        return self.long_run.interval if self.long_run else None

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
        passed += ": too few" if 0 < self.passed < FEWEST_SUCCESSES else ""
        return f"{figures.money(self.spent_usd)}{self.plus} for {figures.plural(self.runs, 'run')}, {passed}"


def cost_per_success(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """A bar for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members = by_model(entries)
    if len(members) < 2 or all(entry.outcome is None for entry in entries):
        return None
    prices = [price for model, group in members.items() if (price := _price(model, group, question))]
    if len(prices) < 2:
        return f"Cost per success: {'only one model has' if prices else 'no model has'} judged runs with a cost."
    if not any(price.usd for price in prices):
        most_passed = max(price.passed for price in prices)
        few = "no run passed" if not most_passed else f"no model passed {FEWEST_SUCCESSES} runs, too few to tell"
        return f"Cost per success: {few if most_passed < FEWEST_SUCCESSES else 'those that passed cost nothing'}."
    prices.sort(
        key=lambda price: (price.usd is None, price.is_lower_bound, price.usd or 0.0, price.spent_usd, price.model)
    )
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
                money.head("In the long run"): lambda price: money.write(
                    price.long_run.estimate if price.long_run else None
                ),
                money.head("95% from"): lambda price: money.write(interval_ends(price.interval)[0]),
                money.head("95% to"): lambda price: money.write(interval_ends(price.interval)[1]),
            },
        ),
        data=data,
        height=height,
        x=Axis(0, max(price.usd or 0.0 for price in shown) or 1.0, logarithmic=False),
        y=Axis.down(height),
    )


def _price(model: str, group: Sequence[Entry], question: Question) -> _Price | None:
    """None where no run of the model was judged, or none reports a cost."""
    outcome = success(group, question)
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
        long_run=outcome.long_run_cost,
    )


def _title(prices: Sequence[_Price]) -> str:
    """The least and the most that are known; `prices` ascend, lower bounds and those without a price last."""
    exact = [price for price in prices if price.usd is not None and not price.is_lower_bound]
    if len(exact) > 1:
        cheap, dear = exact[0], exact[-1]
        return f"A success cost {cheap.written} with {label(cheap.model)} and {dear.written} with {label(dear.model)}"
    first = prices[0]
    if first.is_lower_bound:
        return f"A success cost at least {figures.money(first.usd)} with {label(first.model)}; some costs are unknown"
    others = "only a lower bound is known of others" if prices[1].usd is not None else "no other model had three"
    return f"A success cost {first.written} with {label(first.model)}; {others}"


def _note(entries: Sequence[Entry], prices: Sequence[_Price], shown: int) -> str:
    runs = sum(price.runs for price in prices)
    note = f"Cost of all runs over those that passed, {figures.plural(runs, 'run')}, failures included"
    if shown < len(prices):
        note += f"; the {shown} of {len(prices)} models with the most runs"
    if any(price.is_lower_bound for price in prices):
        note += "; + marks a lower bound, where a run reports no cost: it may be any higher, so it stands last"
    if any(0 < price.passed < FEWEST_SUCCESSES for price in prices):
        note += "; under three successes too few to say what one costs"
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
