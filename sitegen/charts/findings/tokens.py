"""How large is each kind of token? A dot for each run and kind on a log scale, with the median of each kind.

Bars would need a zero, which a log scale has not, and a linear scale would show the cache reads and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row, tick_label
from sitegen.charts.findings import (
    DRAWN_MARKS,
    LEAST_FOR_A_TREND,
    MOST_DOTS,
    Finding,
    Table,
    clean,
    density,
    dots_remark,
    few,
    of_all,
    scattered,
)
from sitegen.charts.findings.money import kind_color
from sitegen.figures import KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry
from sitegen.names import run_path

FRAME = Frame(left=88, right=14, top=2, bottom=40)
_STEP, _MIDDLE, _SPREAD = 52, 36, 10
"""Pixels: from row to row, from the top of a row to its middle, and how far its dots are scattered."""
_HEIGHT = _STEP * len(TOKEN_KINDS) + 6

Counts = Mapping[str, Sequence[tuple[Entry, int]]]
"""Whole counts by kind, zeros included: those that are lower bounds are left out."""


def tokens_by_kind(entries: Sequence[Entry]) -> Finding | str:
    """A row for each kind: a dot for each run, or how densely they lie; where dots would be too many, each stands for
    several runs of like size."""
    known: dict[str, list[tuple[Entry, int]]] = {kind: [] for kind in TOKEN_KINDS}
    for entry in entries:
        tokens, gaps = entry.run.tokens, entry.run.token_gaps
        for kind, pairs in known.items():
            if (count := tokens.kind(kind)) is not None and kind not in gaps:
                pairs.append((entry, count))
    positive = [count for pairs in known.values() for _, count in pairs if count]
    some = len({entry.id for pairs in known.values() for entry, count in pairs if count})
    if some < 2:
        return f"Sizes of each kind of token: {'only one run reports' if some else 'no run reports'} tokens."
    medians = {kind: median(c for _, c in pairs) for kind, pairs in known.items() if len(pairs) >= LEAST_FOR_A_TREND}
    axis = Axis.over(positive, logarithmic=True)
    sizes = [sum(count > 0 for _, count in pairs) for pairs in known.values()]
    are_dense = max(sizes) > MOST_DOTS
    data = _marks(known, medians, axis)
    dots = data["dots"]
    zeros = {kind: sum(not count for _, count in pairs) for kind, pairs in known.items()}
    runs = len({entry.id for pairs in known.values() for entry, _ in pairs})
    method = dots_remark(sizes, max(math.ceil(len(dots) / DRAWN_MARKS), 1), "size", "run and kind")
    method += f", {figures.plural(runs, 'run')}, log scale"
    if left_out := [f"{zeros[kind]:,} with no {KIND_LABELS[kind]}" for kind in TOKEN_KINDS if zeros[kind]]:
        method += f"; it has no zero, which leaves out {', '.join(left_out)}"
    if unknown := len(entries) - runs:
        method += f"; {figures.plural(unknown, 'run')} of unknown counts left out"
    method += "."
    title = _read_for_a_written(entries)
    if title:
        method += " The heading is the median of the ratios of the runs."
    return Finding(
        id="tokens-by-kind",
        frame=FRAME,
        title=title or _title(entries, medians),
        note=f"{of_all(runs, len(entries))}, log scale{'; tick: median' if medians else ''}.",
        method=method,
        description=f"Four rows of {'bars' if are_dense else 'dots'}: tokens of each run by kind, on a log scale.",
        table=Table.of(
            known.items(),
            {"Kind": lambda row: KIND_LABELS[row[0]]},
            {
                "Runs": lambda row: figures.count(len(row[1])),
                "Least": lambda row: figures.count(min((count for _, count in row[1]), default=None)),
                "Median": lambda row: figures.count(median(count for _, count in row[1]) if row[1] else None),
                "Most": lambda row: figures.count(max((count for _, count in row[1]), default=None)),
            },
        ),
        data=data,
        drawn={"dots": few(dots, DRAWN_MARKS)} if len(dots) > DRAWN_MARKS else {},
        height=_HEIGHT,
        x=axis,
        y=Axis.down(_HEIGHT),
        whole="Of all runs" if are_dense else "Medians of all runs" if medians else "",
        brush_x=tuple(f"{kind}_tokens" for kind in known),
    )


def _read_for_a_written(entries: Sequence[Entry]) -> str:
    """A sentence on the median, over runs, of tokens read from the cache for each that was written; empty where that is
    below 1.5 or of too few runs."""
    whole = [entry.run.tokens for entry in entries if not entry.run.token_gaps & {"cache_read", "output"}]
    ratios = [tokens.cache_read / tokens.output for tokens in whole if tokens.cache_read is not None and tokens.output]
    ratio = median(ratios) if len(ratios) >= LEAST_FOR_A_TREND else 0.0
    if ratio >= 1.5:
        times = figures.fixed(ratio, 1 if ratio < 9.95 else 0)
        return f"For each token it writes, a typical run reads {times} from the cache"
    return ""


def _title(entries: Sequence[Entry], medians: Mapping[str, float]) -> str:
    if medians.get("output"):
        return f"A typical run writes {figures.count_short(medians['output'])} tokens"
    totals = [entry.run.tokens.total or 0 for entry in entries if not entry.run.token_gaps]
    if not totals:
        most = max(entry.run.tokens.total or 0 for entry in entries)
        return f"A run counts at least {figures.count_short(most)} tokens"
    known = " known in full" if len(totals) < len(entries) else ""  # a lower bound may be more than any of them
    return f"The largest run{known} counts {figures.count_short(max(totals))} tokens"


def _marks(known: Counts, medians: Mapping[str, float], axis: Axis) -> dict[str, list[Row]]:
    """Dots, medians, and the labels of rows and ticks. y is in pixels from the top."""
    data: dict[str, list[Row]] = {"density": [], "dots": [], "medians": [], "kinds": []}
    for index, kind in enumerate(known):
        middle = index * _STEP + _MIDDLE
        ranked = sorted(
            ((count, entry) for entry, count in known[kind] if count), key=lambda item: (item[0], item[1].id)
        )
        if len(ranked) > MOST_DOTS:
            counts = [count for count, _ in ranked]
            data["density"] += density(counts, axis, middle, _SPREAD + 5, kind_color(kind), figures.count_short)
        else:
            data["dots"] += (_dot(kind, count, entry, middle) for count, entry in ranked)
        data["kinds"].append({"y": middle, "text": KIND_LABELS[kind]})
        if value := medians.get(kind):
            ends: Row = {"y": middle - _SPREAD - 6, "y2": middle + _SPREAD + 6}
            data["medians"].append(ends | {"tokens": value, "text": figures.count_short(value)})
    ticks = [(tick, tick_label(tick)) for tick in axis.ticks(whole=True)]
    return data | FRAME.tick_rows("ticks", "tokens", ticks, axis)


def _dot(kind: str, count: int, entry: Entry, middle: float) -> Row:
    return {
        "tokens": count,
        "y": middle + scattered(f"{kind} {entry.id}", _SPREAD),
        "color": kind_color(kind),
        "tip": f"{clean(entry.name)}\n{figures.count(count)} {KIND_LABELS[kind]}",
        "href": run_path(entry.id),
    }
