"""The chart of where the money went: tokens over dollars by kind, as two bars of 100 %.

Counts alone hide everything behind the cache reads, which are nine tenths of the tokens and a third of the bill.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from sitegen import figures
from sitegen.charts.axes import NARROW, Axis, Frame, Row, is_clear
from sitegen.charts.findings import (
    ChartTable,
    Finding,
    Key,
    Plot,
    clipped,
    label,
    of_all,
    reported_usd,
    row_of,
)
from sitegen.figures import KIND_CLASSES, KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry, by_key
from sitegen.numbers.statistics import dimension_of

FRAME = Frame(left=64, right=68, top=2, bottom=2)
_MAX_GROUPS = 3
_STEP = 66  # pixels from bar to bar
_MAX_LISTED = 20  # models in the numbers
Split = Mapping[str, Mapping[str, float]]  # cost in USD by kind of token, by the id of the run


_MIN_LABELLED = 0.075  # a part of the bill so large has room for two digits and a sign


_SUBJECTS = {
    "cache_read": "Cache reads",
    "cache_write": "Cache writes",
    "input": "Input",
    "output": "Output",
}


@dataclass(frozen=True, slots=True)
class BarPart:
    """One kind: where it begins and ends in either bar, from 0 to 1."""

    kind: str
    tokens: tuple[float, float]
    dollars: tuple[float, float]
    share: str

    @property
    def size(self) -> float:
        """Share of the dollars."""
        return self.dollars[1] - self.dollars[0]

    @property
    def middle(self) -> float:
        """The middle of its part of the dollars; its share is shown below it."""
        return sum(self.dollars) / 2


@dataclass(frozen=True, slots=True)
class KindBars:
    """Tokens and dollars by kind, more than none of either."""

    tokens: Mapping[str, int]
    dollars: Mapping[str, float]
    name: str = ""  # of the models of its runs
    runs: int = 1

    @property
    def count(self) -> int:
        """Tokens of all kinds."""
        return sum(self.tokens.values())

    @property
    def usd(self) -> float:
        """Dollars of all kinds."""
        return math.fsum(self.dollars.values())

    def parts(self) -> list[BarPart]:
        """Return the kinds, from left to right."""
        count = self.count
        usd = self.usd
        above = pairwise(
            accumulate((self.tokens[kind] / count for kind in TOKEN_KINDS), initial=0.0)
        )
        below = pairwise(
            accumulate((self.dollars[kind] / usd for kind in TOKEN_KINDS), initial=0.0)
        )
        return [
            BarPart(kind, tokens, dollars, figures.percent(self.dollars[kind], usd))
            for kind, tokens, dollars in zip(TOKEN_KINDS, above, below, strict=True)
        ]

    def title(self, *, is_past: bool = False) -> str:
        """Return what the kind of most tokens is of tokens and of dollars."""
        top = max(TOKEN_KINDS, key=lambda kind: self.tokens[kind])
        subject = _SUBJECTS[top]
        verb = {False: ("is", "are"), True: ("was", "were")}[is_past][subject.endswith("s")]
        of_tokens = figures.percent(self.tokens[top], self.count)
        of_bill = figures.percent(self.dollars[top], self.usd)
        return f"{subject} {verb} {of_tokens} of the tokens and {of_bill} of the bill"


def labelled(parts: Sequence[BarPart], least: float, pixels: float) -> list[BarPart]:
    """Return the parts of at least this size whose shares, below the bar of dollars, do not touch that of a larger
    part, if the bars are so many pixels long."""
    kept: list[BarPart] = []
    for part in sorted(parts, key=lambda part: -part.size):
        is_free = all(
            is_clear(part.middle, part.share, other.middle, other.share, pixels) for other in kept
        )
        if part.size >= least and is_free:
            kept.append(part)
    return kept


def money_by_kind(entries: Sequence[Entry], split: Split) -> Finding | str:
    """Tokens over dollars by kind, of the runs in `split`: one pair of bars for each of at most three main models, the
    dearest ones; where there are more, the last is over all that remain. The numbers list up to 20 models."""
    subject = "Where the money went, by kind of token"
    priced = [entry for entry in entries if entry.id in split]
    members = by_key(priced, lambda entry: label(row_of(entry)))
    sums = [_sums(name, runs, split) for name, runs in members.items()]
    # Of a model that cost nothing there are no shares.
    ranked = [bars for bars in sums if bars.usd > 0 and bars.count]
    ranked.sort(key=lambda bars: (-bars.usd, bars.name))
    if not ranked:
        return f"{subject}: no run has a cost that list prices reproduce."
    based = [entry for bars in ranked for entry in members[bars.name]]
    total = _sums("all models", based, split)
    spent_usd = math.fsum(map(reported_usd, entries))
    if 2 * total.usd < spent_usd:
        part = f"{figures.money(total.usd)} of {figures.money(spent_usd)}"
        return f"{subject}: the runs whose cost list prices reproduce cost {part}."
    runs = Counter(label(row_of(entry)) for entry in entries)

    def grouped(most: int) -> list[KindBars]:
        """Return at most `most` models, the last with all that remain; it is named after the most expensive of them."""
        alone = ranked if len(ranked) <= most else ranked[: most - 1]
        # As in every list of models: neighbours agree.
        bars = sorted(alone, key=lambda bars: (-runs[bars.name], bars.name))
        rest = ranked[len(alone) :]
        if rest:
            name = f"{clipped(rest[0].name, 22)} and {len(rest) - 1} more"
            others = [entry for model in rest for entry in members[model.name]]
            bars.append(_sums(name, others, split))
        return bars

    groups = grouped(_MAX_GROUPS)
    listed = grouped(_MAX_LISTED)
    if len(listed) > 1:
        listed.append(total)
    kind = dimension_of(entries).value
    costing = sum(entry.run.cost_usd is not None for entry in entries)
    base = f"{figures.plural(costing, 'run')} with a cost"
    if len(based) < costing:
        base = f"{len(based):,} of {base}; {costing - len(based):,} do not match list prices"
    if len(based) < len(priced):
        free = figures.plural(len(priced) - len(based), "run")
        base += f", without {free} of {kind}s that cost nothing"
    shares = []
    for number, bars in enumerate(groups):
        shares += _pair(bars, 2 * number + 1)
    return Finding(
        title=total.title(),
        note=f"Tokens above, dollars below; {of_all(len(based), len(entries))}.",
        method=f"Share of each kind of token, first of all tokens, then of all dollars; {base}.",
        legend=tuple(
            Key(KIND_CLASSES[kind], name, KIND_COLORS[name]) for kind, name in KIND_LABELS.items()
        ),
        table=_table(kind.capitalize(), listed),
        data={"shares": shares},
        plot=Plot(
            frame=FRAME,
            height=_STEP * 2 * len(groups) + (10 if len(groups) > 1 else -20),
            x=Axis(0, 1, logarithmic=False),
            rows=tuple(range(1, 2 * len(groups) + 1)),
            colors=KIND_COLORS,
        ),
        whole="Shares of all runs",
    )


def _table(head: str, listed: Sequence[KindBars]) -> ChartTable:
    """Return a row for each kind of token of each model."""
    money = figures.money_column(usd for bars in listed for usd in bars.dollars.values())
    return ChartTable.of(
        [(bars, kind) for bars in listed for kind in TOKEN_KINDS],
        {head: lambda row: row[0].name, "Kind": lambda row: KIND_LABELS[row[1]]},
        {
            "Tokens": lambda row: figures.count(row[0].tokens[row[1]]),
            "Share of tokens, %": lambda row: figures.shares(row[0].tokens[row[1]], row[0].count),
            money.head("Cost"): lambda row: money.write(row[0].dollars[row[1]]),
            "Share of cost, %": lambda row: figures.shares(row[0].dollars[row[1]], row[0].usd),
        },
    )


def _sums(name: str, entries: Sequence[Entry], split: Split) -> KindBars:
    tokens = {
        kind: sum(entry.run.tokens.kind(kind) or 0 for entry in entries) for kind in TOKEN_KINDS
    }
    dollars = {
        kind: math.fsum(split[entry.id].get(kind, 0.0) for entry in entries) for kind in TOKEN_KINDS
    }
    return KindBars(tokens, dollars, name, len(entries))


def _pair(sums: KindBars, row: int) -> list[Row]:
    """Return the parts of the bar of tokens, in this row, and of that of dollars, in the next one."""
    parts = sums.parts()
    labelled_parts = labelled(parts, _MIN_LABELLED, FRAME.plot(NARROW))
    name = clipped(f"{sums.name}, {figures.plural(sums.runs, 'run')}", 46)
    rows: list[Row] = []
    for below in (0, 1):
        for part in parts:
            start, end = part.dollars if below else part.tokens
            columns: Row = {
                "row": row + below,
                "configurations": name,
                "kind": KIND_LABELS[part.kind],
                "tokens": sums.tokens[part.kind],
                "cost_usd": sums.dollars[part.kind],
                "share": end - start,
                "share_from": start,
                "share_to": end,
                "is_labelled": bool(below) and part in labelled_parts,
                "all_tokens": sums.count,
                "all_usd": sums.usd,
            }
            rows.append(columns)
    return rows


KIND_COLORS = {KIND_LABELS[kind]: f"var(--{kind.replace('_', '-')})" for kind in TOKEN_KINDS}
