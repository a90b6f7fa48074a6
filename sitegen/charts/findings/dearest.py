"""The chart of the most expensive runs: horizontal bars, split by the model that spent the money."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.model import COST_TOLERANCE_USD, Entry
from sitegen.text.names import run_path

_STEP = 26  # pixels from bar to bar


def most_expensive(entries: Sequence[Entry], color: Callable[[str], str]) -> findings.Finding | str:
    """Return the ten dearest runs: more would be higher than any chart beside it. Of more than a hundred, the table has
    25."""
    costs = {entry.id: entry.run.cost_usd for entry in entries if entry.run.cost_usd is not None}
    bounds = {entry.id for entry in entries if entry.run.cost_is_lower_bound and entry.id in costs}
    costing = (entry for entry in entries if costs.get(entry.id))
    ranked = sorted(costing, key=lambda entry: (-costs[entry.id], entry.id))
    if len(ranked) < 2:
        return f"The most expensive runs: {'only one run has' if ranked else 'no run reports'} a cost above zero."
    total = math.fsum(costs.values())
    shown = ranked[:10]
    listed = ranked[: 25 if len(ranked) > 100 else 10]
    first = ranked[: 5 if len(ranked) >= 10 else 1]
    share = figures.percent(math.fsum(costs[entry.id] for entry in first), total)
    known = "known " if bounds else ""  # of the costs, in part
    who = "five most expensive" if len(first) == 5 else "most expensive"
    parts = {entry.id: _cost_by_model(entry) for entry in listed}
    runs = Counter(
        findings.row_of(entry) for entry in entries
    )  # in the order of every list of models
    colors = findings.ModelColors.of(
        {model: runs[model] for entry in shown for model in parts[entry.id]}, color
    )
    what = f"the {len(shown)} most expensive" if len(shown) < len(costs) else f"all {len(shown)}"
    split = ", split by model" if len(colors.legend) > 1 else ""
    money = figures.money_column(costs[entry.id] for entry in listed)
    short = findings.shortened_apart([entry.name for entry in shown], 27)
    more = f"; the table has {len(listed)}" if len(listed) > len(shown) else ""
    usds = [costs[entry.id] or 0.0 for entry in shown]
    ranks = tuple(range(1, len(shown) + 1))
    x = Axis(0, max(usds), logarithmic=False)
    form = findings.money_format(usds)
    frame = Frame(
        left=10 + round(6.67 * max(map(findings.columns_of, short))), right=56, top=0, bottom=0
    )
    data: dict[str, list[Row]] = {"runs": [], "parts": []}
    for rank, (entry, text) in enumerate(zip(shown, short, strict=True), 1):
        of: Row = {
            "rank": rank,
            "label": text,
            "cost_usd": costs[entry.id],
            "is_lower_bound": entry.id in bounds,
        }
        data["runs"].append(findings.run_row(entry, **of))
        for model, usd in parts[entry.id].items():
            of = {"rank": rank, "model": findings.known(model), "cost_usd": usd}
            data["parts"].append(
                findings.run_row(entry, **of, part=list(colors.colors).index(model))
            )
    return findings.Finding(
        title=f"The {who} of {figures.plural(len(costs), 'run')} took {share} of the {known}money",
        note=f"{what[0].upper()}{what[1:]}{split}.{' A plus marks a lower bound.' * bool(bounds)}",
        method=f"Cost of {what} runs{split and ', split by the model that spent it'}{more}.",
        legend=tuple(key._replace(models=()) for key in colors.legend) if split else (),
        table=findings.ChartTable.of(
            listed,
            {
                "Run": lambda entry: findings.ChartCell(entry.name, run_path(entry.id)),
                "Model": lambda entry: _written(parts[entry.id]),
            },
            {
                money.head("Cost"): lambda entry: figures.marked(
                    money.write(costs[entry.id]), entry.id in bounds
                ),
                "% of all": lambda entry: figures.shares(costs[entry.id], total),
            },
        ),
        data=data,
        plot=findings.Plot(
            frame=frame, height=len(shown) * _STEP, x=x, rows=ranks, colors=colors.named, money=form
        ),
        whole="",
        links={
            run_path(entry.id): f"{findings.clean(entry.name)}: {figures.cost(entry.run)}"
            for entry in shown
        },
    )


def _cost_by_model(entry: Entry) -> dict[str, float]:
    """Return a run's cost by display name, the dearest first; under its only model, or "" where it has several, if its
    ledger does not give what it reports."""
    cost = entry.run.cost_usd or 0.0
    ledger = entry.run.ledger_cost_usd
    if not ledger or abs(ledger - cost) > COST_TOLERANCE_USD:
        return {"" if len(entry.models) > 1 else entry.model or "": cost}
    parts: dict[str, float] = {}
    for name, line in zip(entry.ledger_names, entry.run.ledger, strict=True):
        if line.cost_usd:
            parts[name] = parts.get(name, 0.0) + line.cost_usd
    return parts


def _written(by_model: Mapping[str, float]) -> str:
    """Return models, each with its cost where there are several."""
    costs = {
        model: f" {figures.money(usd)}" if len(by_model) > 1 else ""
        for model, usd in by_model.items()
    }
    return ", ".join(findings.label(model) + cost for model, cost in costs.items())
