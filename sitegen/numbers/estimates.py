"""The figures of a group of runs, once for its page and for data/figures.json: each with its ends and its base."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.model import Entry, Total, frozen
from sitegen.numbers.comparison import Contrast
from sitegen.numbers.intervals import Interval, Question
from sitegen.numbers.statistics import (
    AnyMeasure,
    CampaignSummary,
    Measure,
    ScoreMeasure,
    Spread,
    spread,
    summarize,
)
from sitegen.numbers.success import VERDICT, Success, judged_by, other_counting, success


@frozen
class GroupFigures:
    """The figures of a group."""

    summary: CampaignSummary
    success: Success
    spreads: Mapping[Measure, Spread]  # the spreads of cost, tokens and time
    scores: Mapping[
        ScoreMeasure, Spread
    ]  # the spreads of scores, in the order in which they are found
    other: Success | None  # by the other counting of lost runs; None where none is lost
    verdicts: Mapping[str, Success]  # by the keys of their fields

    def of(self, measure: AnyMeasure) -> Spread:
        """Return the figures of one measure; a score is looked up by its name."""
        if isinstance(measure, Measure):
            return self.spreads[measure]
        return next(spread for score, spread in self.scores.items() if score.name == measure.name)


def group_figures(
    entries: Sequence[Entry], question: Question, measures: Iterable[ScoreMeasure]
) -> GroupFigures:
    """Return the figures of these runs; the question is that of the intervals, the measures are what scores of all
    mean."""
    names = {score.name for entry in entries for score in entry.scores}
    scores = [measure for measure in measures if measure.name in names]
    judged = success(entries, question)
    keys = dict.fromkeys(key for entry in entries for key, _ in entry.derived)
    return GroupFigures(
        summarize(entries),
        judged,
        spreads={
            measure: spread(entries, measure, question)
            for measure in (Measure.COST, Measure.TOKENS, Measure.WALL)
        },
        scores={score: spread(entries, score, question) for score in scores},
        other=success(map(other_counting, entries), question) if judged.lost else None,
        verdicts={
            key: success(judged_by(entries, key), question)
            for key in keys
            if key.startswith(VERDICT)
        },
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    estimate: float | None
    low: float | None  # None where there is no interval, or no lower end
    high: float | None  # None where there is no interval, or it is open above
    n: int  # runs, or tasks where two sides are compared, that it rests on
    unknown: int  # further ones that do not know it
    bound: str  # `exact`; `lower` where something is missing, so that it is at least so much; `none` of nothing known
    unit: str | None  # USD, tokens, ms, share, ratio, or that of a score


def estimates(group: GroupFigures) -> Iterator[tuple[str, Estimate]]:
    """Yield estimates by the name of the measure, success by both countings where runs are lost.

    Sums begin with `total_`, medians with `median_`, scores with
    `score.`; without a prefix it is the mean over runs, of success the share of judged runs that passed."""
    yield from _rates(group)
    yield from _costs_of_success(group.success)
    summary = group.summary
    totals = {
        Measure.COST: summary.cost,
        Measure.TOKENS: summary.total_tokens,
        Measure.WALL: summary.wall,
    }
    for measure, total in totals.items():
        yield from _spread(measure, group.spreads[measure])
        yield f"total_{measure}", _total(total, measure.unit)
    if summary.computed.value is not None:
        yield "total_computed_cost_usd", _total(summary.computed, "USD")
    yield "total_turns", _total(summary.turns, "turns")
    for kind, total in summary.by_kind.items():
        yield f"total_{kind}_tokens", _total(total, "tokens")
    for score, figures in group.scores.items():
        yield from _spread(score, figures)


def _rates(group: GroupFigures) -> Iterator[tuple[str, Estimate]]:
    success = group.success
    if success.judged:
        yield "success", _rate(success, success.without_verdict)
    if group.other:
        name = "success_of_judged" if success.lost_as_failed else "success_with_lost"
        yield name, _rate(group.other, success.without_verdict)
    for key, judged in group.verdicts.items():
        yield key, _rate(judged, group.summary.runs - judged.runs)


def _rate(success: Success, unknown: int) -> Estimate:
    return _estimate(success.rate, success.interval, success.judged, unknown, "share")


def _costs_of_success(success: Success) -> Iterator[tuple[str, Estimate]]:
    if success.passed:
        paid = success.cost_per_success or Total(None, 0, success.cost.runs)
        yield "cost_per_success_usd", _total(paid, "USD")
        long_run = success.long_run_cost
        if long_run:
            known = success.cost.known
            figure = _estimate(long_run.estimate, long_run.interval, known, 0, "USD")
            yield "long_run_cost_per_success_usd", figure


def _spread(measure: AnyMeasure, spread: Spread) -> Iterator[tuple[str, Estimate]]:
    figures = ("", spread.mean, spread.interval), ("median_", spread.median, spread.median_interval)
    for prefix, value, interval in figures:
        estimate = _estimate(
            value,
            interval,
            spread.known,
            spread.unknown,
            measure.unit,
            is_bound=spread.is_lower_bound,
        )
        yield f"{prefix}{measure.key}", estimate


def compared(contrast: Contrast) -> Iterator[tuple[str, Estimate]]:
    """Yield the estimates of a comparison in one measure: the means of `a` and `b` over tasks, their `difference` B -
    A, `ratio` B / A."""
    unit = contrast.measure.unit
    yield "a", _over_tasks(contrast, contrast.a, None, unit)
    yield "b", _over_tasks(contrast, contrast.b, None, unit)
    other = contrast.other
    if other:
        difference = _over_tasks(other, other.mean_difference, other.difference, unit)
        yield "difference_with_other_counting", difference
    if not contrast.measure.is_ratio:
        difference = _over_tasks(contrast, contrast.mean_difference, contrast.difference, unit)
        yield "difference", difference
    if not contrast.measure.is_difference:
        yield "ratio", _over_tasks(contrast, contrast.mean_ratio, contrast.ratio, "ratio")


def _over_tasks(
    contrast: Contrast, value: float | None, interval: Interval | None, unit: str | None
) -> Estimate:
    return _estimate(value, interval, len(contrast.tasks), contrast.tasks_left_out, unit)


def _estimate(
    value: float | None,
    interval: Interval | None,
    n: int,
    unknown: int,
    unit: str | None,
    *,
    is_bound: bool = False,
) -> Estimate:
    low = interval.low if interval and math.isfinite(interval.low) else None
    high = interval.high if interval and math.isfinite(interval.high) else None
    bound = "lower" if is_bound else "exact"
    return Estimate(value, low, high, n, unknown, "none" if value is None else bound, unit)


def _total(total: Total, unit: str) -> Estimate:
    return _estimate(
        total.value, None, total.known, total.unknown, unit, is_bound=total.unknown > 0
    )
