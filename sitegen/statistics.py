"""Figures of many runs: sums, medians and shares, as pure functions of the runs' facts.

Two rules shape this module. What is unknown adds nothing and is counted, so that a sum with gaps is shown
as the lower bound that it is. And every figure carries the number of runs it rests on. Nothing here depends
on the order of the runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sitegen.model import TOKEN_KINDS, Entry, Run, Status, Tokens, Total


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, both as counts."""

    part: int
    whole: int
    runs: int
    """How many runs are in it: those whose counts are known."""


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """The figures of a set of runs."""

    runs: int
    by_status: Mapping[Status, int]
    """How many runs ended in each way, in the order of Status; ways that did not occur are left out."""
    cost: Total
    """USD as reported."""
    median_cost_usd: float | None
    """Over the `cost.known` runs that report a cost."""
    tokens: Tokens
    """Sums of what is known; `by_kind` says which are lower bounds. The one-hour split is left unknown."""
    by_kind: Mapping[str, Total]
    """For each of TOKEN_KINDS. A run is unknown in it when one of its models does not report that kind, or
    when only its main loop was counted; what it does report is in the sum."""
    total_tokens: Total
    """All four kinds; a run is unknown in it when it is in one of them."""
    cache_hits: Share
    """Cache reads in all tokens sent, over the runs that know input, cache writes and cache reads."""
    wall: Total
    """Milliseconds, run after run: parallel runs took less time on the clock."""
    median_wall_ms: float | None
    """Over the `wall.known` runs."""
    turns: Total
    denials: Total
    models: tuple[str, ...]
    """Display names, those of most runs first."""


def summarize(entries: Sequence[Entry]) -> CampaignSummary:
    """The figures of some runs. Of no runs, everything is zero runs and unknown."""
    runs = [entry.run for entry in entries]
    tokens = [_RunTokens.of(run) for run in runs]
    by_kind = {kind: _total((run.counts[kind], kind in run.gaps) for run in tokens) for kind in TOKEN_KINDS}
    sent = [run.counts for run in tokens if run.gaps <= {"output"}]
    statuses = Counter(run.status for run in runs)
    models = Counter(name for entry in entries for name in set(entry.models))
    return CampaignSummary(
        runs=len(runs),
        by_status={status: statuses[status] for status in Status if statuses[status]},
        cost=Total.of(run.cost_usd for run in runs),
        median_cost_usd=median(run.cost_usd for run in runs if run.cost_usd is not None),
        tokens=Tokens(**{kind: _sum(run.counts[kind] for run in tokens) for kind in TOKEN_KINDS}),
        by_kind=by_kind,
        total_tokens=_total((run.total, bool(run.gaps)) for run in tokens),
        cache_hits=Share(
            part=sum(counts["cache_read"] or 0 for counts in sent),
            whole=sum(counts[kind] or 0 for counts in sent for kind in TOKEN_KINDS if kind != "output"),
            runs=len(sent),
        ),
        wall=Total.of(run.wall_ms for run in runs),
        median_wall_ms=median(run.wall_ms for run in runs if run.wall_ms is not None),
        turns=Total.of(run.turns for run in runs),
        denials=Total.of(run.denials for run in runs),
        models=tuple(sorted(models, key=lambda name: (-models[name], name))),
    )


@dataclass(frozen=True, slots=True)
class _RunTokens:
    """The tokens of one run, summed over its ledger once."""

    counts: Mapping[str, int | None]
    gaps: frozenset[str]
    """The kinds whose count is unknown or a lower bound."""

    @classmethod
    def of(cls, run: Run) -> _RunTokens:
        counts: dict[str, int | None] = {}
        gaps: set[str] = set()
        lines = [line.tokens for line in run.ledger]
        for kind in TOKEN_KINDS:
            reported = [tokens.kind(kind) for tokens in lines]
            counts[kind] = _sum(reported)
            if run.ledger_is_lower_bound or not reported or None in reported:
                gaps.add(kind)
        return cls(counts, frozenset(gaps))

    @property
    def total(self) -> int | None:
        """All kinds together, as far as known."""
        return _sum(self.counts.values())


def _total(parts: Iterable[tuple[int | None, bool]]) -> Total:
    """The sum of (count, whether something of it is missing); such a count adds what is known of it."""
    parts = list(parts)
    missing = sum(is_missing for _, is_missing in parts)
    return Total(_sum(count for count, _ in parts), len(parts) - missing, missing)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of the known; None when nothing is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def median(values: Iterable[float]) -> float | None:
    """The middle value, or the mean of the two in the middle; None of no values."""
    return quantile(values, 0.5)


def quantile(values: Iterable[float], share: float) -> float | None:
    """The value below which a share (0 to 1) of the values lie; None of no values. Any order will do.

    Between two values it is interpolated: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    Packages", The American Statistician 50 (1996), which is the default of R and NumPy.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return min(low + (position - below) * (high - low), high)
