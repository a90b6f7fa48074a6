"""The chart of how large each kind of token is: a dot for each run and kind on a log scale, with the median of each
kind.

Bars would need a zero, which a log scale has not, and a linear scale would show the cache reads and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.charts.findings import (
    LEAST_FOR_A_TREND,
    MOST_DOTS,
    Finding,
    Plot,
    Table,
    clean,
    density,
    jitter,
    of_all,
)
from sitegen.charts.findings.money import KIND_COLORS
from sitegen.figures import KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry
from sitegen.names import run_path

FRAME = Frame(left=88, right=14, top=2, bottom=40)
_HEIGHT = 208


def tokens_by_kind(entries: Sequence[Entry]) -> Finding | str:
    """Return a row for each kind: a dot for each run, or how densely they lie."""
    # Whole counts, zeros included: those that are lower bounds are left out.
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
    is_dense = len(positive) > MOST_DOTS
    rows = [row for kind, pairs in known.items() for row in _rows(kind, pairs, axis, is_dense=is_dense)]
    zeros = {kind: sum(not count for _, count in pairs) for kind, pairs in known.items()}
    runs = len({entry.id for pairs in known.values() for entry, _ in pairs})
    method = "Bars, thicker for more runs" if is_dense else "One dot per run and kind"
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
        title=title or _title(entries, medians),
        note=f"{of_all(runs, len(entries))}, log scale{'; tick: median' if medians else ''}.",
        method=method,
        description=f"Four rows of {'bars' if is_dense else 'dots'}: tokens of each run by kind, on a log scale.",
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
        data={
            "density" if is_dense else "runs": rows,
            "medians": [{"kind": KIND_LABELS[kind], "median_tokens": size} for kind, size in medians.items() if size],
        },
        plot=Plot(
            frame=FRAME,
            height=_HEIGHT,
            x=axis,
            rows=tuple(KIND_COLORS),
            colors=KIND_COLORS,
            is_dense=is_dense,
            most=max((row["runs"] for row in rows if "runs" in row), default=0),
        ),
        whole="Of all runs" if is_dense else "Medians of all runs" if medians else "",
        brush_x=tuple(f"{kind}_tokens" for kind in known),
    )


def _read_for_a_written(entries: Sequence[Entry]) -> str:
    """Return a sentence on the median, over runs, of tokens read from the cache for each that was written; empty where
    that is below 1.5 or of too few runs."""
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


def _rows(kind: str, counted: Sequence[tuple[Entry, int]], axis: Axis, *, is_dense: bool) -> list[Row]:
    """Return the runs that have any tokens of a kind, or how many have how many."""
    if is_dense:
        counts = [count for _, count in counted if count]
        return [{"kind": KIND_LABELS[kind], **row} for row in density(counts, axis, "tokens{}")]
    return [
        {
            "name": clean(entry.name),
            "kind": KIND_LABELS[kind],
            "tokens": count,
            "jitter": jitter(f"{kind} {entry.id}"),
            "page": run_path(entry.id),
        }
        for entry, count in sorted(counted, key=lambda pair: (pair[1], pair[0].id))
        if count
    ]
