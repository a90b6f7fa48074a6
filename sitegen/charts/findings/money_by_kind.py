"""The chart of where the money went: tokens over dollars by kind, as two bars of 100 %.

Counts alone hide everything behind the cache reads, which are nine tenths of the tokens and a third of the bill.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from sitegen.figures import KIND_CLASSES, KIND_LABELS, plural
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
        parts = []
        tokens_from = dollars_from = 0.0
        for kind in TOKEN_KINDS:
            tokens = (tokens_from, tokens_from + self.tokens[kind] / count)
            dollars = (dollars_from, dollars_from + self.dollars[kind] / usd)
            share = figures.percent(self.dollars[kind], usd)
            parts.append(BarPart(kind, tokens, dollars, share))
            tokens_from, dollars_from = tokens[1], dollars[1]
        return parts

    def title(self, *, is_past: bool = False) -> str:
        """Return what the kind of most tokens is of tokens and of dollars."""
        top = max(TOKEN_KINDS, key=lambda kind: self.tokens[kind])
        subject = _SUBJECTS[top]
        singular, plural_verb = ("was", "were") if is_past else ("is", "are")
        verb = plural_verb if subject.endswith("s") else singular
        of_tokens = figures.percent(self.tokens[top], self.count)
        of_bill = figures.percent(self.dollars[top], self.usd)
        return f"{subject} {verb} {of_tokens} of the tokens and {of_bill} of the bill"


def labelled(parts: Sequence[BarPart], least: float, pixels: float) -> list[BarPart]:
    """Return the parts of at least this size whose shares, below the bar of dollars, do not touch that of a larger
    part, if the bars are so many pixels long."""
    kept: list[BarPart] = []
    for part in sorted(parts, key=lambda part: -part.size):
        clear_of = [
            is_clear(part.middle, part.share, other.middle, other.share, pixels) for other in kept
        ]
        if part.size >= least and all(clear_of):
            kept.append(part)
    return kept


def money_by_kind(entries: Sequence[Entry], split: Split) -> Finding | str:
    """Tokens over dollars by kind, of the runs in `split`: one pair of bars for each of at most three main models, the
    dearest ones; where there are more, the last is over all that remain. The numbers list up to 20 models."""
    priced = [entry for entry in entries if entry.id in split]
    members = by_key(priced, _label_of)
    ranked = []
    for name, runs in members.items():
        bars = _sums(name, runs, split)
        if bars.usd > 0 and bars.count:  # of a model that cost nothing there are no shares
            ranked.append(bars)
    if not ranked:
        return (
            "Where the money went, by kind of token: no run has a cost that list prices reproduce."
        )
    ranked.sort(key=lambda bars: (-bars.usd, bars.name))
    based = [entry for bars in ranked for entry in members[bars.name]]
    total = _sums("all models", based, split)
    spent_usd = math.fsum(map(reported_usd, entries))
    if 2 * total.usd < spent_usd:
        part = f"{figures.money(total.usd)} of {figures.money(spent_usd)}"
        return f"Where the money went, by kind of token: the runs whose cost list prices reproduce cost {part}."
    dimension = dimension_of(entries).value
    costing = sum(1 for entry in entries if entry.run.cost_usd is not None)
    base = _base(len(based), len(priced), costing)
    runs_by_name = Counter(map(_label_of, entries))
    groups, listed = (
        _grouped(ranked, most, members, split, runs_by_name) for most in (_MAX_GROUPS, _MAX_LISTED)
    )
    rows: list[Row] = []
    for bars in groups:
        rows += _pair(bars, len(rows) // len(TOKEN_KINDS) + 1)
    return Finding(
        title=total.title(),
        note=f"Tokens above, dollars below; {of_all(len(based), len(entries))}.",
        method=f"Share of each kind of token, first of all tokens, then of all dollars; {base}.",
        legend=_LEGEND,
        table=_table([*listed, total] if len(listed) > 1 else listed, dimension),
        data={"shares": rows},
        plot=_plot(2 * len(groups)),
        whole="Shares of all runs",
    )


def _label_of(entry: Entry) -> str:
    return label(row_of(entry))


def _sums(name: str, entries: Sequence[Entry], split: Split) -> KindBars:
    tokens = {}
    dollars = {}
    for kind in TOKEN_KINDS:
        tokens[kind] = sum(entry.run.tokens.kind(kind) or 0 for entry in entries)
        dollars[kind] = math.fsum(split[entry.id].get(kind, 0.0) for entry in entries)
    return KindBars(tokens, dollars, name, len(entries))


def _plot(bars: int) -> Plot:
    names_of_pairs = 10 if bars > 2 else -20
    return Plot(
        frame=FRAME,
        height=_STEP * bars + names_of_pairs,
        x=Axis(0, 1, logarithmic=False),
        rows=tuple(range(1, bars + 1)),
        colors=KIND_COLORS,
    )


def _base(based: int, priced: int, costing: int) -> str:
    """Return the runs that the sums are of, among those with a cost."""
    base = f"{plural(costing, 'run')} with a cost"
    if based < costing:
        base = f"{based:,} of {base}"
    if priced < costing:
        do = "does" if costing - priced == 1 else "do"
        base += f"; {costing - priced:,} {do} not match list prices"
    if based < priced:
        base += f"; {plural(priced - based, 'run')} of models that cost nothing"
    return base


def _grouped(
    ranked: Sequence[KindBars],
    most: int,
    members: Mapping[str, Sequence[Entry]],
    split: Split,
    runs_by_name: Mapping[str, int],
) -> list[KindBars]:
    """Return at most `most` models, the last with all that remain; it is named after the most expensive of them."""
    alone = most if len(ranked) <= most else most - 1
    # As in every list of models: neighbours agree.
    groups = sorted(ranked[:alone], key=lambda bars: (-runs_by_name[bars.name], bars.name))
    if rest := ranked[alone:]:
        runs = [entry for bars in rest for entry in members[bars.name]]
        name = f"{clipped(rest[0].name, 22)} and {len(rest) - 1} more"
        groups.append(_sums(name, runs, split))
    return groups


def _table(listed: Sequence[KindBars], dimension: str) -> ChartTable:
    money = figures.money_column(usd for bars in listed for usd in bars.dollars.values())
    rows = []
    for bars in listed:
        for kind in TOKEN_KINDS:
            tokens, usd = bars.tokens[kind], bars.dollars[kind]
            of_tokens = [figures.count(tokens), figures.shares(tokens, bars.count)]
            of_dollars = [money.write(usd), figures.shares(usd, bars.usd)]
            rows.append([bars.name, KIND_LABELS[kind], *of_tokens, *of_dollars])
    numbers = ["Tokens", "Share of tokens, %", money.head("Cost"), "Share of cost, %"]
    return ChartTable.of([dimension.capitalize(), "Kind"], numbers, rows)


def _pair(bars: KindBars, first: int) -> list[Row]:
    """Return the parts of the bar of tokens, in this row, and of that of dollars, in the next one."""
    parts = bars.parts()
    labelled_parts = labelled(parts, _MIN_LABELLED, FRAME.plot(NARROW))
    name = clipped(f"{bars.name}, {plural(bars.runs, 'run')}", 46)
    rows = []
    for row in (first, first + 1):
        for part in parts:
            is_dollars = row > first
            start, end = part.dollars if is_dollars else part.tokens
            rows.append(
                {
                    "row": row,
                    "configurations": name,
                    "kind": KIND_LABELS[part.kind],
                    "tokens": bars.tokens[part.kind],
                    "cost_usd": bars.dollars[part.kind],
                    "share": end - start,
                    "share_from": start,
                    "share_to": end,
                    "is_labelled": is_dollars and part in labelled_parts,
                    "all_tokens": bars.count,
                    "all_usd": bars.usd,
                }
            )
    return rows


KIND_COLORS = {KIND_LABELS[kind]: f"var(--{kind.replace('_', '-')})" for kind in TOKEN_KINDS}
_LEGEND = tuple(
    Key(KIND_CLASSES[kind], KIND_LABELS[kind], KIND_COLORS[KIND_LABELS[kind]])
    for kind in KIND_LABELS
)
