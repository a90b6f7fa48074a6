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
    costing = [entry for entry in entries if entry.run.cost_usd is not None]
    ranked = sorted(
        (entry for entry in costing if entry.run.cost_usd),
        key=lambda entry: (-findings.reported_usd(entry), entry.id),
    )
    if len(ranked) < 2:
        few = "only one run has" if ranked else "no run reports"
        return f"The most expensive runs: {few} a cost above zero."
    shown = ranked[:10]
    listed = ranked[: 25 if len(ranked) > 100 else 10]
    # In the order of every list of models.
    runs = Counter(map(findings.row_of, entries))
    models = {model: runs[model] for entry in shown for model in _cost_by_model(entry)}
    colors = findings.ModelColors.of(models, color)
    what = f"all {len(shown)} runs"
    if len(shown) < len(costing):
        what = f"the {len(shown)} most expensive runs"
    has_split = len(colors.legend) > 1
    if has_split:
        what += ", split by model"
    more = f"; the table has {len(listed)}" if len(listed) > len(shown) else ""
    are_bounds = any(entry.run.cost_is_lower_bound for entry in costing)
    names = findings.shortened_apart([entry.name for entry in shown], 27)
    left = 10 + round(6.67 * max(map(findings.columns_of, names)))
    usds = list(map(findings.reported_usd, shown))
    return findings.Finding(
        title=_title(ranked, costing, are_bounds=are_bounds),
        note=f"{figures.capitalized(what)}.{' A plus marks a lower bound.' if are_bounds else ''}",
        method=f"Cost of {what}{more}.",
        legend=tuple(key._replace(models=()) for key in colors.legend) if has_split else (),
        table=_table(listed, math.fsum(map(findings.reported_usd, costing))),
        data=_rows(shown, names, list(colors.colors)),
        plot=findings.Plot(
            frame=Frame(left=left, right=56, top=0, bottom=0),
            height=len(shown) * _STEP,
            x=Axis(0, max(usds), logarithmic=False),
            rows=tuple(range(1, len(shown) + 1)),
            colors=colors.named,
            money=findings.money_format(usds),
        ),
        whole="",
        links={
            run_path(entry.id): f"{findings.clean(entry.name)}: {figures.cost(entry.run)}"
            for entry in shown
        },
    )


def _title(ranked: Sequence[Entry], costing: Sequence[Entry], *, are_bounds: bool) -> str:
    first = ranked[:1]
    who = "most expensive"
    if len(ranked) >= 10:
        first = ranked[:5]
        who = "five most expensive"
    total = math.fsum(map(findings.reported_usd, costing))
    share = figures.percent(math.fsum(map(findings.reported_usd, first)), total)
    money = "known money" if are_bounds else "money"
    return f"The {who} of {figures.plural(len(costing), 'run')} took {share} of the {money}"


def _rows(
    shown: Sequence[Entry], names: Sequence[str], models: Sequence[str]
) -> dict[str, list[Row]]:
    """Return the rows of the runs, and of the parts that models have in their costs."""
    runs = []
    parts = []
    for rank, (entry, name) in enumerate(zip(shown, names, strict=True), 1):
        columns: Row = {
            "rank": rank,
            "label": name,
            "cost_usd": entry.run.cost_usd,
            "is_lower_bound": entry.run.cost_is_lower_bound,
        }
        runs.append(findings.run_row(entry, **columns))
        for model, usd in _cost_by_model(entry).items():
            columns = {"rank": rank, "model": findings.known(model), "cost_usd": usd}
            parts.append(findings.run_row(entry, **columns, part=models.index(model)))
    return {"runs": runs, "parts": parts}


def _table(listed: Sequence[Entry], total: float) -> findings.ChartTable:
    money = figures.money_column(entry.run.cost_usd for entry in listed)

    def cost(entry: Entry) -> str:
        return figures.marked(money.write(entry.run.cost_usd), entry.run.cost_is_lower_bound)

    return findings.ChartTable.of(
        listed,
        {
            "Run": lambda entry: findings.ChartCell(entry.name, run_path(entry.id)),
            "Model": lambda entry: _written(_cost_by_model(entry)),
        },
        {
            money.head("Cost"): cost,
            "% of all": lambda entry: figures.shares(entry.run.cost_usd, total),
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
    if len(by_model) == 1:
        return findings.label(next(iter(by_model)))
    costs = [f"{findings.label(model)} {figures.money(usd)}" for model, usd in by_model.items()]
    return ", ".join(costs)
