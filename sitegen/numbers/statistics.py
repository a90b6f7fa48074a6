"""Figures of many runs: sums, medians, shares and spreads, and the groups they are told for.

All are pure functions of the runs' facts. Two rules shape this module. What is unknown adds nothing and is
counted, so that a sum with gaps is shown as the lower bound that it is. And every figure carries the number of
runs it rests on. Nothing here depends on the order of the runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sitegen.model import TOKEN_KINDS, Entry, Run, Status, Tokens, Total
from sitegen.names import natural_order
from sitegen.numbers.clusters import Question, clusters
from sitegen.numbers.intervals import Interval, mean_interval, median, quantile
from sitegen.numbers.success import Judgement, judgement


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
    computed: Total
    """USD by list price, over the runs that report no cost."""
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
    models: tuple[str, ...]
    """Display names of the models that runs are grouped by, those of most runs first."""


def summarize(entries: Sequence[Entry]) -> CampaignSummary:
    """The figures of some runs. Of no runs, everything is zero runs and unknown."""
    runs = [entry.run for entry in entries]
    tokens = [_RunTokens.of(run) for run in runs]
    by_kind = {kind: _total((run.counts[kind], kind in run.gaps) for run in tokens) for kind in TOKEN_KINDS}
    sent = [run.counts for run in tokens if run.gaps <= {"output"}]
    statuses = Counter(run.status for run in runs)
    models = Counter(entry.model for entry in entries if entry.model)
    return CampaignSummary(
        runs=len(runs),
        by_status={status: statuses[status] for status in Status if statuses[status]},
        cost=Total.of(run.cost_usd for run in runs),
        computed=Total.of(run.computed_cost_usd for run in runs if run.cost_usd is None),
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
        by_kind = {kind: [line.tokens.kind(kind) for line in run.ledger] for kind in TOKEN_KINDS}
        incomplete = run.ledger_is_lower_bound or not run.ledger
        gaps = (kind for kind, reported in by_kind.items() if incomplete or None in reported)
        return cls({kind: _sum(reported) for kind, reported in by_kind.items()}, frozenset(gaps))

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


class Dimension(StrEnum):
    """What runs are grouped by."""

    TASK = "task"
    MODEL = "model"
    CAMPAIGN = "campaign"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Groups:
    """Runs by what they have in one dimension."""

    dimension: Dimension
    by_name: Mapping[str, tuple[Entry, ...]]
    """In natural order of the names ("task 2" before "task 10"); runs in the order they came."""


def group_by(entries: Iterable[Entry], dimension: Dimension) -> Groups:
    """The runs of each task, main model, campaign or label. A run with two labels is in both groups, and one of
    which nothing is stated is in none.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in _names(entry, dimension):
            groups.setdefault(name, []).append(entry)
    return Groups(dimension, {name: tuple(groups[name]) for name in sorted(groups, key=natural_order)})


def _names(entry: Entry, dimension: Dimension) -> tuple[str, ...]:
    """The groups a run is in, each once."""
    match dimension:
        case Dimension.LABEL:
            return tuple(dict.fromkeys(entry.labels))
        case Dimension.TASK:
            name = entry.task
        case Dimension.MODEL:
            name = entry.model
        case Dimension.CAMPAIGN:
            name = entry.campaign
    return () if name is None else (name,)


class Measure(StrEnum):
    """A figure of a run that is averaged and compared. Each is zero or more."""

    COST = "cost_usd"  # as reported
    TOKENS = "tokens"  # all four kinds
    WALL = "wall_ms"
    SUCCESS = "success"  # 1 for passed, 0 for failed or partial

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is what one wants."""
        return self is not Measure.SUCCESS


def measured(entry: Entry, measure: Measure) -> float | None:
    """The figure of one run; None when it is unknown or a lower bound.

    Success is unknown of infrastructure failures and of runs that nobody judged.
    """
    match measure:
        case Measure.COST:
            return entry.run.cost_usd
        case Measure.TOKENS:
            return _all_tokens(entry.run)
        case Measure.WALL:
            return entry.run.wall_ms
        case Measure.SUCCESS:
            verdict = judgement(entry)
            unknown = verdict in (Judgement.INFRASTRUCTURE, Judgement.UNJUDGED)
            return None if unknown else float(verdict is Judgement.PASSED)


def _all_tokens(run: Run) -> int | None:
    """Tokens of all kinds and models; None when one count is missing."""
    counts = [line.tokens.kind(kind) for line in run.ledger for kind in TOKEN_KINDS]
    return None if run.ledger_is_lower_bound or None in counts else _sum(counts)


@dataclass(frozen=True, slots=True)
class Spread:
    """How a measure is spread over some runs, in the unit of the measure. All is None where no run knows it."""

    known: int
    """Runs in it."""
    unknown: int
    """Runs left out, because they do not know it."""
    least: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    most: float | None
    mean: float | None
    """Over runs: a task that was attempted more often weighs more."""
    interval: Interval | None
    """95 %, of the mean; None where there are too few tasks, or runs, to tell. Its upper end may be infinite."""


def spread(entries: Iterable[Entry], measure: Measure, question: Question = Question.TASKS_LIKE_THESE) -> Spread:
    """How the measure is spread over the runs that know it. Of no runs, everything is unknown. The question is that of
    the interval."""
    entries = list(entries)
    known = [entry for entry in entries if measured(entry, measure) is not None]
    drawn = [
        [figure for entry in runs if (figure := measured(entry, measure)) is not None]
        for runs in clusters(known, question)
    ]
    figures = [figure for own in drawn for figure in own]
    return Spread(
        known=len(figures),
        unknown=len(entries) - len(known),
        least=min(figures, default=None),
        lower_quartile=quantile(figures, 0.25),
        median=median(figures),
        upper_quartile=quantile(figures, 0.75),
        most=max(figures, default=None),
        mean=math.fsum(figures) / len(figures) if figures else None,
        interval=mean_interval(drawn),
    )
