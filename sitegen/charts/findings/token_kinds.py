"""The chart of the tokens of each kind: a row of dots, one for each run, or how densely they lie where they are many.

It has a log scale and medians: bars would need a zero, which a log scale has not, and a linear scale would show the
cache reads and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.charts.findings import MIN_FOR_A_TREND, ChartTable, Finding, Plot, of_all
from sitegen.charts.findings.money_by_kind import KIND_COLORS
from sitegen.figures import KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry


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
    data, strip = _strip(parts, axis)
    runs = len({entry.id for pairs in known.values() for entry, _ in pairs})
    marks = "Bars, thicker for more runs" if strip["is_dense"] else "One dot per run and kind"
    method = f"{marks}, {figures.plural(runs, 'run')}, log scale"
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


def _strip(
    parts: Sequence[tuple[Row, Sequence[tuple[Entry, int]]]], axis: Axis
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """Return the rows of a strip, of a run each or, where it is dense, of all that lie in one of 60 parts of the axis,
    and what its plot depends on; a part for each kind of token."""
    is_dense = sum(len(pairs) for _, pairs in parts) > findings.MAX_DOTS
    rows: list[Row] = []
    for number, (kind, pairs) in enumerate(parts):
        for entry, count in () if is_dense else pairs:
            jitter = findings.jitter(f"{entry.id}{number or ''}")
            rows.append(findings.run_row(entry, **kind, tokens=count, jitter=jitter))
        counts = Counter(
            min(int(60 * axis.share(count)), 59) for _, count in (pairs if is_dense else ())
        )
        for place, runs in sorted(counts.items()):
            ends = {
                "tokens_from": axis.value(place / 60),
                "tokens_to": axis.value((place + 1) / 60),
            }
            rows.append({**kind, **ends, "runs": runs})
    most = max((row["runs"] for row in rows if is_dense), default=0)
    return {"density" if is_dense else "runs": rows}, {"is_dense": is_dense, "most": most}
