"""Where did the money go? Tokens over dollars by kind, as two bars of 100 %.

Counts alone hide everything behind the cache reads, which are nine tenths of the tokens and a third of the bill.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts.axes import NARROW, ROOMY, WIDER, Axis, Frame, Row
from sitegen.charts.findings import Finding, Key, Table, clipped, label, of_all, row_of
from sitegen.charts.kind_bars import KindBars, labelled
from sitegen.figures import KIND_CLASSES, KIND_LABELS
from sitegen.model import TOKEN_KINDS, Entry
from sitegen.numbers.statistics import dimension_of

FRAME = Frame(left=64, right=68, top=2, bottom=2)
_MOST_GROUPS = 3
_MOST_LISTED = 20
"""Models in the numbers."""
Split = Mapping[str, Mapping[str, float]]
"""Cost in USD by kind of token, by the id of the run."""


_LEAST_LABELLED = 0.075
"""A part of the bill so large has room for two digits and a sign."""


@dataclass(frozen=True, slots=True)
class _Sums(KindBars):
    """Tokens and dollars of some runs."""

    name: str
    runs: int


def money_by_kind(entries: Sequence[Entry], split: Split) -> Finding | str:
    """Tokens over dollars by kind, of the runs in `split`: one pair of bars for each of at most three main models, the
    dearest ones; where there are more, the last is over all that remain. The numbers list up to 20 models."""
    priced = [entry for entry in entries if entry.id in split]
    members: dict[str, list[Entry]] = {}
    for entry in priced:
        members.setdefault(label(row_of(entry)), []).append(entry)
    sums = [_sums(name, group, split) for name, group in members.items()]
    ranked = sorted((s for s in sums if s.usd > 0 and s.count), key=lambda s: (-s.usd, s.name))
    if not ranked:
        return "Where the money went, by kind of token: no run has a cost that list prices reproduce."
    based = [entry for s in ranked for entry in members[s.name]]  # of a model that cost nothing there are no shares
    total = _sums("all models", based, split)

    runs = Counter(label(row_of(entry)) for entry in entries)

    def place(s: _Sums) -> tuple[int, str]:
        return -runs[s.name], s.name  # as in every list of models, so that neighbours agree

    def grouped(most: int) -> list[_Sums]:
        """That many models, the last with all that remain; named by its dearest, since others call others so."""
        if len(ranked) <= most:
            return sorted(ranked, key=place)
        first, *others = ranked[most - 1 :]
        rest = [entry for s in (first, *others) for entry in members[s.name]]
        return [
            *sorted(ranked[: most - 1], key=place),
            _sums(f"{clipped(first.name, 22)} and {len(others)} more", rest, split),
        ]

    groups, listed = grouped(_MOST_GROUPS), grouped(_MOST_LISTED)
    costing = sum(1 for entry in entries if entry.run.cost_usd is not None)
    base = f"{figures.plural(costing, 'run')} with a cost"
    if len(based) < costing:
        base = f"{len(based):,} of {base}; {costing - len(based):,} do not match list prices"
    if free := len(priced) - len(based):
        base += f", without {figures.plural(free, 'run')} of {dimension_of(entries).value}s that cost nothing"
    data, height = _pairs(groups)
    money = figures.money_column(usd for sums in listed for usd in sums.dollars.values())
    return Finding(
        id="money-by-kind",
        frame=FRAME,
        title=total.title(),
        note=f"Tokens above, dollars below; {of_all(len(based), len(entries))}.",
        method=f"Share of each kind of token, first of all tokens, then of all dollars; {base}.",
        description=f"{figures.plural(len(groups), 'pair')} of bars: shares of the tokens above, of the dollars below.",
        legend=tuple(Key(KIND_CLASSES[kind], KIND_LABELS[kind], kind_color(kind)) for kind in TOKEN_KINDS),
        table=Table.of(
            [(sums, kind) for sums in ([*listed, total] if len(listed) > 1 else listed) for kind in TOKEN_KINDS],
            {
                dimension_of(entries).value.capitalize(): lambda row: row[0].name,
                "Kind": lambda row: KIND_LABELS[row[1]],
            },
            {
                "Tokens": lambda row: figures.count(row[0].tokens[row[1]]),
                "Tokens, %": lambda row: figures.shares(row[0].tokens[row[1]], row[0].count),
                money.head("Cost"): lambda row: money.write(row[0].dollars[row[1]]),
                "Cost, %": lambda row: figures.shares(row[0].dollars[row[1]], row[0].usd),
            },
        ),
        data=data,
        height=height,
        x=Axis(0, 1, logarithmic=False),
        whole="Shares of all runs",
        y=Axis.down(height),
    )


def _sums(name: str, entries: Sequence[Entry], split: Split) -> _Sums:
    tokens = {kind: sum(entry.run.tokens.kind(kind) or 0 for entry in entries) for kind in TOKEN_KINDS}
    dollars = {kind: math.fsum(split[entry.id].get(kind, 0.0) for entry in entries) for kind in TOKEN_KINDS}
    return _Sums(tokens, dollars, name, len(entries))


def _pairs(groups: Sequence[_Sums]) -> tuple[dict[str, list[Row]], int]:
    """Marks of the pairs of bars, and their height. x is a share, y is in pixels from the top."""
    head = 24 if len(groups) > 1 else 0
    bar, gap, below, between = 22, 34, 18, 18
    data: dict[str, list[Row]] = {"heads": [], "bars": [], "parts": [], "bands": [], "shares": [], "shares" + WIDER: []}
    top = 0
    for sums in groups:
        upper = top + head
        lower = upper + bar + gap
        if head:
            name = clipped(f"{sums.name}, {figures.plural(sums.runs, 'run')}", 46)
            data["heads"].append({"y": upper - 13, "text": name})
        for y, name, total in (
            (upper, "tokens", figures.count_short(sums.count)),
            (lower, "dollars", figures.money(sums.usd)),
        ):
            data["bars"].append({"y": y + bar / 2, "name": name, "total": total})
        parts = sums.parts()
        for part in parts:
            kind = part.kind
            tip = (
                f"{KIND_LABELS[kind]}\n"
                f"{figures.count(sums.tokens[kind])} tokens, {figures.percent(sums.tokens[kind], sums.count)} of all\n"
                f"{figures.money(sums.dollars[kind])}, {part.share} of the cost"
            )
            band = str(len(data["bands"]))
            for y, edge, (start, end) in ((upper, upper + bar, part.tokens), (lower, lower, part.dollars)):
                place: Row = {"start": start, "end": end, "color": kind_color(kind)}
                data["parts"].append(place | {"y": y, "y2": y + bar, "tip": tip})
                data["bands"].append(place | {"band": band, "y": edge})
        always, roomy = (labelled(parts, _LEAST_LABELLED, FRAME.plot(column)) for column in (NARROW, ROOMY))
        for part in roomy:
            name = "shares" if part in always else "shares" + WIDER
            data[name].append({"x": part.middle, "y": lower + bar + 10, "text": part.share})
        top = lower + bar + below + between
    return data, top - between


def kind_color(kind: str) -> str:
    """The colour of a kind of token."""
    return f"var(--{kind.replace('_', '-')})"
