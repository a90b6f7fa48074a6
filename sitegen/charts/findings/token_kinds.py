"""The chart of the tokens of each kind: a row of dots, one for each run, or how densely they lie where they are many.

It has a log scale and medians: bars would need a zero, which a log scale has not, and a linear scale would show the
cache reads and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.charts.findings import MIN_FOR_A_TREND, ChartTable, Finding, Plot, of_all
from sitegen.charts.findings.money_by_kind import KIND_COLORS
from sitegen.figures import KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry


def tokens_by_kind(entries: Sequence[Entry]) -> Finding | str:
    """Return a row for each kind: a dot for each run, or how densely they lie."""
    kinds = [_of_kind(kind, entries) for kind in TOKEN_KINDS]
    some = {entry.id for sizes in kinds for entry, _ in sizes.pairs}
    if len(some) < 2:
        few = "only one run reports" if some else "no run reports"
        return f"Sizes of each kind of token: {few} tokens."
    counts = [count for sizes in kinds for count in sizes.counts]
    axis = Axis.over(counts, logarithmic=True)
    is_dense = len(counts) > findings.MAX_DOTS
    rows = _density(kinds, axis) if is_dense else _dots(kinds)
    runs = len({run_id for sizes in kinds for run_id in sizes.known})
    note = f"{of_all(runs, len(entries))}, log scale"
    medians = {sizes.kind: sizes.median for sizes in kinds if sizes.has_median}
    if medians:
        note += "; tick: median"
    marks = "Bars, thicker for more runs" if is_dense else "One dot per run and kind"
    method = f"{marks}, {figures.plural(runs, 'run')}, log scale"
    without = _name_zeros(kinds)
    note += without
    method += without
    if runs < len(entries):
        method += f"; {figures.plural(len(entries) - runs, 'run')} of unknown counts left out"
    whole = "Medians of all runs" if medians else ""
    return Finding(
        title=_title_of_tokens(entries, medians),
        note=f"{note}.",
        method=f"{method}.",
        table=_table(kinds, has_zeros=bool(without)),
        data={
            "density" if is_dense else "runs": rows,
            "medians": [sizes.median_row() for sizes in kinds if sizes.has_median],
        },
        plot=Plot(
            frame=Frame(left=88, right=14, top=2, bottom=40),
            height=208,
            x=axis,
            rows=tuple(KIND_COLORS),
            colors=KIND_COLORS,
            is_dense=is_dense,
            most=max(row["runs"] for row in rows) if is_dense else 0,
        ),
        whole="Of all runs" if is_dense else whole,
        brush_x=tuple(f"{kind}_tokens" for kind in TOKEN_KINDS),
    )


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The tokens of one kind: whole counts, as those that are lower bounds are left out."""

    kind: str
    known: Mapping[str, int]
    """The count of each run, by its id. A log scale has no zero: zeros are named, not drawn."""
    pairs: Sequence[tuple[Entry, int]]  # runs with their counts above zero, from the least

    @property
    def label(self) -> str:
        return KIND_LABELS[self.kind]

    @property
    def counts(self) -> list[int]:
        return [count for _, count in self.pairs]

    @property
    def zeros(self) -> int:
        return len(self.known) - len(self.pairs)

    @property
    def has_median(self) -> bool:
        return len(self.pairs) >= MIN_FOR_A_TREND

    @property
    def median(self) -> float:
        return median(self.counts)

    def median_row(self) -> Row:
        return {"kind": self.label, "median_tokens": self.median}


def _of_kind(kind: str, entries: Sequence[Entry]) -> _Sizes:
    known = {}
    pairs = []
    for entry in entries:
        count = entry.run.tokens.kind(kind)
        if count is not None and kind not in entry.run.token_gaps:
            known[entry.id] = count
            if count:
                pairs.append((entry, count))
    pairs.sort(key=lambda pair: (pair[1], pair[0].id))
    return _Sizes(kind, known, pairs)


def _name_zeros(kinds: Sequence[_Sizes]) -> str:
    """Return how many runs have no tokens of a kind, as the end of a sentence."""
    zeros = [f"{sizes.zeros:,} with no {sizes.label}" for sizes in kinds if sizes.zeros]
    return f"; not drawn: {', '.join(zeros)}" if zeros else ""


def _table(kinds: Sequence[_Sizes], *, has_zeros: bool) -> ChartTable:
    numbers: dict[str, Callable[[_Sizes], str]] = {
        "Runs": lambda sizes: figures.count(len(sizes.pairs))
    }
    if has_zeros:
        numbers["With none"] = lambda sizes: figures.count(sizes.zeros)
    numbers["Least"] = lambda sizes: figures.count(min(sizes.counts, default=None))
    numbers["Median"] = lambda sizes: figures.count(sizes.median if sizes.pairs else None)
    numbers["Most"] = lambda sizes: figures.count(max(sizes.counts, default=None))
    return ChartTable.of(kinds, {"Kind": lambda sizes: sizes.label}, numbers)


def _title_of_tokens(entries: Sequence[Entry], medians: Mapping[str, float]) -> str:
    """Return the medians that are drawn, or the size of the largest run where too few runs have one."""
    if "output" in medians:
        written = figures.count_short(medians["output"])
        if "cache_read" not in medians:
            return f"A typical run writes {written} tokens"
        read = figures.count_short(medians["cache_read"])
        return f"A typical run reads {read} tokens from the cache and writes {written}"
    at_least = "at least " if any(entry.run.token_gaps for entry in entries) else ""
    most = max(entry.run.tokens.total or 0 for entry in entries)
    return f"The largest run counts {at_least}{figures.count_short(most)} tokens"


def _dots(kinds: Sequence[_Sizes]) -> list[Row]:
    """Return a row for each run and kind."""
    rows = []
    for number, sizes in enumerate(kinds):
        for entry, count in sizes.pairs:
            jitter = findings.jitter(f"{entry.id}{number or ''}")
            rows.append(findings.run_row(entry, kind=sizes.label, tokens=count, jitter=jitter))
    return rows


def _density(kinds: Sequence[_Sizes], axis: Axis) -> list[Row]:
    """Return a row for all that lie in one of 60 parts of the axis."""
    rows = []
    for sizes in kinds:
        places = Counter(min(int(60 * axis.share(count)), 59) for count in sizes.counts)
        for place, runs in sorted(places.items()):
            columns: Row = {
                "kind": sizes.label,
                "tokens_from": axis.value(place / 60),
                "tokens_to": axis.value((place + 1) / 60),
                "runs": runs,
            }
            rows.append(columns)
    return rows
