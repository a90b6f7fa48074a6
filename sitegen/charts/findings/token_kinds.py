"""The chart of the tokens of each kind: a row of dots, one for each run, or how densely they lie where they are many.

It has a log scale and medians: bars would need a zero, which a log scale has not, and a linear scale would show the
cache reads and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.charts.findings import MIN_FOR_A_TREND, ChartTable, Finding, Plot, jitter, run_row
from sitegen.charts.findings.money_by_kind import KIND_COLORS
from sitegen.figures import KIND_LABELS, plural
from sitegen.model import TOKEN_KINDS, Entry

_FRAME = Frame(left=88, right=14, top=2, bottom=40)
_HEIGHT = 208
_BARS = 60  # parts of the axis with a bar each, where runs are too many for dots


@dataclass(frozen=True, slots=True)
class _Kind:
    """The counts of one kind of token, without those that are lower bounds."""

    label: str
    runs: Sequence[Entry]  # those with more than none, the smallest first
    sizes: Sequence[int]  # theirs
    zeros: int  # runs with none: a log scale has no zero, so they are named and not drawn


def tokens_by_kind(entries: Sequence[Entry]) -> Finding | str:
    """Return a row for each kind: a dot for each run, or how densely they lie."""
    counts = {entry.id: _whole_counts(entry) for entry in entries}
    runs = sum(1 for by_kind in counts.values() if by_kind)
    runs_with_some = sum(1 for by_kind in counts.values() if any(by_kind.values()))
    if runs_with_some < 2:
        few = "only one run reports" if runs_with_some else "no run reports"
        return f"Sizes of each kind of token: {few} tokens."
    kinds = [_kind_of(kind, entries, counts) for kind in TOKEN_KINDS]
    axis = Axis.over([size for kind in kinds for size in kind.sizes], logarithmic=True)
    is_dense = sum(len(kind.sizes) for kind in kinds) > findings.MAX_DOTS
    rows = _bars(kinds, axis) if is_dense else _dots(kinds)
    ticks = _medians(kinds)
    plot = Plot(
        frame=_FRAME,
        height=_HEIGHT,
        x=axis,
        rows=tuple(KIND_COLORS),
        colors=KIND_COLORS,
        is_dense=is_dense,
        most=max(row.get("runs", 0) for row in rows),
    )
    scale = "log scale; tick: median" if ticks else "log scale"
    marks = "Bars, thicker for more runs" if is_dense else "One dot per run and kind"
    zeros = [f"{kind.zeros:,} with no {kind.label}" for kind in kinds if kind.zeros]
    not_drawn = f"; not drawn: {', '.join(zeros)}" if zeros else ""
    method = f"{marks}, {plural(runs, 'run')}, log scale{not_drawn}"
    if runs < len(entries):
        method += f"; {plural(len(entries) - runs, 'run')} of unknown counts left out"
    whole = "Medians of all runs" if ticks else ""
    return Finding(
        title=_title(entries, ticks),
        note=f"{findings.of_all(runs, len(entries))}, {scale}{not_drawn}.",
        method=f"{method}.",
        table=_table(kinds),
        data={"density" if is_dense else "runs": rows, "medians": ticks},
        plot=plot,
        whole="Of all runs" if is_dense else whole,
        brush_x=tuple(f"{kind}_tokens" for kind in TOKEN_KINDS),
    )


def _whole_counts(entry: Entry) -> dict[str, int]:
    """Return the tokens of a run by kind, without those that are lower bounds."""
    counts = {}
    for kind in TOKEN_KINDS:
        count = entry.run.tokens.kind(kind)
        if count is not None and kind not in entry.run.token_gaps:
            counts[kind] = count
    return counts


def _kind_of(name: str, entries: Sequence[Entry], counts: Mapping[str, dict[str, int]]) -> _Kind:
    """Return a kind; `counts` has the tokens of each run by its id."""
    sizes = {entry.id: counts[entry.id].get(name) for entry in entries}
    runs = [entry for entry in entries if sizes[entry.id]]
    runs.sort(key=lambda entry: (sizes[entry.id], entry.id))
    zeros = list(sizes.values()).count(0)
    return _Kind(KIND_LABELS[name], runs, [sizes[entry.id] or 0 for entry in runs], zeros)


def _medians(kinds: Sequence[_Kind]) -> list[Row]:
    ticks: list[Row] = []
    for kind in kinds:
        if len(kind.sizes) >= MIN_FOR_A_TREND:
            ticks.append({"kind": kind.label, "median_tokens": median(kind.sizes)})
    return ticks


def _title(entries: Sequence[Entry], ticks: Sequence[Row]) -> str:
    """Return the medians that are drawn, or the size of the largest run where too few runs have one."""
    medians = {row["kind"]: figures.count_short(row["median_tokens"]) for row in ticks}
    read, written = medians.get("cache read"), medians.get("output")
    if read and written:
        return f"A typical run reads {read} tokens from the cache and writes {written}"
    if written:
        return f"A typical run writes {written} tokens"
    most = figures.count_short(max(entry.run.tokens.total or 0 for entry in entries))
    is_bound = any(entry.run.token_gaps for entry in entries)
    return f"The largest run counts {'at least ' if is_bound else ''}{most} tokens"


def _table(kinds: Sequence[_Kind]) -> ChartTable:
    rows = []
    for kind in kinds:
        sizes = kind.sizes
        numbers: list[float | None] = [len(sizes), None, None, None]
        if sizes:
            numbers = [len(sizes), min(sizes), median(sizes), max(sizes)]
        rows.append([kind.label, *map(figures.count, numbers)])
    return ChartTable.of(["Kind"], ["Runs", "Least", "Median", "Most"], rows)


def _dots(kinds: Iterable[_Kind]) -> list[Row]:
    """Return a row for each run and kind."""
    rows = []
    for number, kind in enumerate(kinds):
        for entry, size in zip(kind.runs, kind.sizes, strict=True):
            offset = jitter(f"{entry.id}{number or ''}")
            rows.append(run_row(entry, kind=kind.label, tokens=size, jitter=offset))
    return rows


def _bars(kinds: Iterable[_Kind], axis: Axis) -> list[Row]:
    """Return a row for each part of the axis with runs in it, and for each kind."""
    rows: list[Row] = []
    for kind in kinds:
        runs = Counter(min(int(_BARS * axis.share(size)), _BARS - 1) for size in kind.sizes)
        for place in sorted(runs):
            low, high = axis.value(place / _BARS), axis.value((place + 1) / _BARS)
            bar = {"tokens_from": low, "tokens_to": high, "runs": runs[place]}
            rows.append({"kind": kind.label, **bar})
    return rows
