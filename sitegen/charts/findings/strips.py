"""The charts of strips: a row of dots, one for each run, or how densely they lie where they are many.

One has the costs of runs of one model, with their mean and its 95 % interval: where models are compared, other charts
have the costs of each. The other has the tokens of each kind on a log scale, with medians: bars would need a zero,
which a log scale has not, and a linear scale would show the cache reads and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from statistics import median
from typing import Any

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row, is_wide
from sitegen.charts.findings import (
    MIN_FOR_A_TREND,
    ChartTable,
    Finding,
    Plot,
    known,
    of_all,
    reported_usd,
    row_of,
)
from sitegen.charts.findings.money_by_kind import KIND_COLORS
from sitegen.figures import KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, Spread, spread

_MIN_FOR_QUARTILES = 5


def spread_of_cost(
    entries: Sequence[Entry],
    color: Callable[[str], str],
    question: Question = Question.TASKS_LIKE_THESE,
) -> Finding | str:
    """Return a dot for each run, or how densely they lie, of runs of one model."""
    costing = [entry for entry in entries if entry.run.cost_usd is not None]
    costing.sort(key=lambda entry: (reported_usd(entry), entry.id))
    positive = [reported_usd(entry) for entry in costing if entry.run.cost_usd]
    if len(positive) < 2:
        return (
            f"Spread of cost: {'only one run has' if positive else 'no run has'} a cost above zero."
        )
    logarithmic, cost, model = (
        is_wide(positive),
        spread(costing, Measure.COST, question),
        row_of(costing[0]),
    )
    x = Axis.over(positive, logarithmic)
    drawn = [entry for entry in costing if reported_usd(entry) or not logarithmic]
    has_mean = len(costing) >= MIN_FOR_A_TREND and (cost.mean or 0.0) >= x.low
    of: Row = {"configuration": known(model)}
    mean = {
        "row": "mean",
        "mean_cost_usd": cost.mean,
        **findings.interval_columns("cost{}_usd", cost.interval, x),
    }
    has_interval = bool(has_mean and cost.interval)
    data, strip = _strip(
        [(of | {"row": "runs"}, [(entry, reported_usd(entry)) for entry in drawn])], "cost{}_usd", x
    )
    method = (
        f"{_marks(strip, '')}, {figures.plural(len(costing), 'run')}{', log scale' * logarithmic}"
    )
    if free := len(costing) - len(drawn):
        verb = "is" if free == 1 else "are"
        method += (
            f"; it has no zero, so {figures.plural(free, 'run')} that cost nothing {verb} not drawn"
        )
    if unknown := len(entries) - len(costing):
        method += f"; {figures.plural(unknown, 'run')} of unknown cost left out"
    if has_mean:
        method += f". Below them the mean{f' and its 95% interval for {question}' if has_interval else ''}"
    colors = findings.ModelColors.of({model: len(costing)}, color).named
    rows = ("runs", "mean")[: 1 + has_mean]
    size: Any = {
        "frame": Frame(left=64, right=14, top=2, bottom=40),
        "height": 160 if strip["is_dense"] else 96,
    }
    money = figures.money_column([cost.least, cost.mean])
    low, high = findings.interval_ends(cost.interval)
    told = {
        "Least": cost.least,
        "Median": cost.median,
        "Mean": cost.mean,
        "Mean, 95% from": low,
        "Mean, 95% to": high,
    }
    cells = {"Priced runs": figures.count(len(costing))}
    cells |= {
        money.head(head): money.write(usd) for head, usd in (told | {"Most": cost.most}).items()
    }
    texts = {head: itemgetter(head) for head in cells}
    return Finding(
        title=_title_of_cost(cost),
        note=f"{of_all(len(costing), len(entries))}{'; below: mean and 95% interval' if has_interval else ''}.",
        method=f"{method}.",
        table=ChartTable.of([cells], {"Model": lambda _: findings.label(model)}, texts),
        data={**data, "mean": [of | mean] if has_mean else []},
        plot=Plot(
            x=x, rows=rows, colors=colors, money=findings.money_format(positive), **size, **strip
        ),
        whole="Of all runs" if strip["is_dense"] else "Means of all runs" if has_mean else "",
        brush_x=("cost_usd",),
    )


def _title_of_cost(cost: Spread) -> str:
    """Return where most costs lie."""
    if cost.known >= _MIN_FOR_QUARTILES:
        ends = figures.money(cost.lower_quartile), figures.money(cost.upper_quartile)
        return f"Half of the runs cost from {ends[0]} to {ends[1]}"
    return f"The runs cost from {figures.money(cost.least)} to {figures.money(cost.most)}"


def tokens_by_kind(entries: Sequence[Entry]) -> Finding | str:
    """Return a row for each kind: a dot for each run, or how densely they lie."""
    # Whole counts: those that are lower bounds are left out. A log scale has no zero: zeros are named, not drawn.
    known: dict[str, list[tuple[Entry, int]]] = {kind: [] for kind in TOKEN_KINDS}
    for entry in entries:
        tokens = entry.run.tokens
        gaps = entry.run.token_gaps
        for kind, pairs in known.items():
            if (count := tokens.kind(kind)) is not None and kind not in gaps:
                pairs.append((entry, count))
    counts = {kind: [count for _, count in pairs if count] for kind, pairs in known.items()}
    some = len({entry.id for pairs in known.values() for entry, count in pairs if count})
    if some < 2:
        return f"Sizes of each kind of token: {'only one run reports' if some else 'no run reports'} tokens."
    medians = {
        kind: median(sizes) for kind, sizes in counts.items() if len(sizes) >= MIN_FOR_A_TREND
    }
    axis = Axis.over([count for sizes in counts.values() for count in sizes], logarithmic=True)
    for pairs in known.values():
        pairs.sort(key=lambda pair: (pair[1], pair[0].id))
    parts = [
        ({"kind": KIND_LABELS[kind]}, [pair for pair in pairs if pair[1]])
        for kind, pairs in known.items()
    ]
    data, strip = _strip(parts, "tokens{}", axis)
    runs = len({entry.id for pairs in known.values() for entry, _ in pairs})
    method = f"{_marks(strip, ' and kind')}, {figures.plural(runs, 'run')}, log scale"
    zeros = {kind: len(known[kind]) - len(sizes) for kind, sizes in counts.items()}
    without = [f"{count:,} with no {KIND_LABELS[kind]}" for kind, count in zeros.items() if count]
    left_out = f"not drawn: {', '.join(without)}" if without else ""
    method += f"; {left_out}" * bool(without)
    if unknown := len(entries) - runs:
        method += f"; {figures.plural(unknown, 'run')} of unknown counts left out"
    frame = Frame(left=88, right=14, top=2, bottom=40)
    drawn = [{"kind": KIND_LABELS[kind], "median_tokens": size} for kind, size in medians.items()]
    scale = f"{of_all(runs, len(entries))}, log scale{'; tick: median' if medians else ''}"
    return Finding(
        title=_title_of_tokens(entries, medians),
        note=f"{'; '.join(filter(None, (scale, left_out)))}.",
        method=f"{method}.",
        table=ChartTable.of(
            counts.items(),
            {"Kind": lambda row: KIND_LABELS[row[0]]},
            {
                "Runs": lambda row: figures.count(len(row[1])),
                **({"With none": lambda row: figures.count(zeros[row[0]])} if without else {}),
                "Least": lambda row: figures.count(min(row[1], default=None)),
                "Median": lambda row: figures.count(median(row[1]) if row[1] else None),
                "Most": lambda row: figures.count(max(row[1], default=None)),
            },
        ),
        data={**data, "medians": drawn},
        plot=Plot(
            frame=frame, height=208, x=axis, rows=tuple(KIND_COLORS), colors=KIND_COLORS, **strip
        ),
        whole="Of all runs" if strip["is_dense"] else "Medians of all runs" if medians else "",
        brush_x=tuple(f"{kind}_tokens" for kind in known),
    )


def _title_of_tokens(entries: Sequence[Entry], medians: Mapping[str, float]) -> str:
    """Return the medians that are drawn, or the size of the largest run where too few runs have one."""
    read, written = (figures.count_short(medians.get(kind)) for kind in ("cache_read", "output"))
    if "output" in medians:
        reads = f"reads {read} tokens from the cache and " if "cache_read" in medians else ""
        return f"A typical run {reads}writes {written}{' tokens' * (not reads)}"
    is_bound = any(entry.run.token_gaps for entry in entries)
    most = max(entry.run.tokens.total or 0 for entry in entries)
    return f"The largest run counts {'at least ' * is_bound}{figures.count_short(most)} tokens"


def _marks(strip: Mapping[str, Any], of: str) -> str:
    """Return what is drawn for each run, or for each run and what else."""
    return "Bars, thicker for more runs" if strip["is_dense"] else f"One dot per run{of}"


def _strip(
    parts: Sequence[tuple[Row, Sequence[tuple[Entry, float]]]], column: str, axis: Axis
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """Return the rows of a strip, of a run each or, where it is dense, of all that lie in one of 60 parts of the axis,
    and what its plot depends on; a part for each value of its vertical axis. `column` is named like `cost{}_usd`."""
    is_dense = sum(len(pairs) for _, pairs in parts) > findings.MAX_DOTS
    rows: list[Row] = []
    for number, (of, pairs) in enumerate(parts):
        for entry, value in () if is_dense else pairs:
            jitter = findings.jitter(f"{entry.id}{number or ''}")
            rows.append(findings.run_row(entry, **of, **{column.format(""): value}, jitter=jitter))
        counts = Counter(
            min(int(60 * axis.share(value)), 59) for _, value in (pairs if is_dense else ())
        )
        for at, runs in sorted(counts.items()):
            ends = {
                column.format("_from"): axis.value(at / 60),
                column.format("_to"): axis.value((at + 1) / 60),
            }
            rows.append({**of, **ends, "runs": runs})
    most = max((row["runs"] for row in rows if is_dense), default=0)
    return {"density" if is_dense else "runs": rows}, {"is_dense": is_dense, "most": most}
