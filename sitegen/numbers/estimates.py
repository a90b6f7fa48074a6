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
        return next(spread for each, spread in self.scores.items() if each.name == measure.name)


def group_figures(
    entries: Sequence[Entry], question: Question, measures: Iterable[ScoreMeasure]
) -> GroupFigures:
    """Return the figures of these runs; the question is that of the intervals, the measures are what scores of all
    mean."""
    names = {score.name for entry in entries for score in entry.scores}
    spreads = {
        each: spread(entries, each, question) for each in list(Measure)[:-1]
    }  # of all but success
    scores = {each: spread(entries, each, question) for each in measures if each.name in names}
    judged = success(entries, question)
    other = success(map(other_counting, entries), question) if judged.lost else None
    keys = dict.fromkeys(key for entry in entries for key, _ in entry.derived)
    verdicts = {
        key: success(judged_by(entries, key), question) for key in keys if key.startswith(VERDICT)
    }
    return GroupFigures(summarize(entries), judged, spreads, scores, other, verdicts)


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


def estimates(of: GroupFigures) -> Iterator[tuple[str, Estimate]]:
    """Yield estimates by the name of the measure, success by both countings where runs are lost.

    Sums begin with `total_`, medians with `median_`, scores with
    `score.`; without a prefix it is the mean over runs, of success the share of judged runs that passed."""
    told = of.success
    if told.judged:
        yield (
            "success",
            _estimate(told.rate, told.interval, told.judged, told.without_verdict, "share"),
        )
    if other := of.other:
        name = "success_of_judged" if told.lost_as_failed else "success_with_lost"
        yield (
            name,
            _estimate(other.rate, other.interval, other.judged, told.without_verdict, "share"),
        )
    for key, judged in of.verdicts.items():
        unjudged = of.summary.runs - judged.runs
        yield key, _estimate(judged.rate, judged.interval, judged.judged, unjudged, "share")
    if told.passed:
        paid = told.cost_per_success
        in_the_long_run = told.long_run_cost
        yield "cost_per_success_usd", _total(paid or Total(None, 0, told.cost.runs), "USD")
        if in_the_long_run:
            ends = in_the_long_run.interval
            yield (
                "long_run_cost_per_success_usd",
                _estimate(in_the_long_run.estimate, ends, told.cost.known, 0, "USD"),
            )
    summary = of.summary
    totals = {
        Measure.COST: summary.cost,
        Measure.TOKENS: summary.total_tokens,
        Measure.WALL: summary.wall,
    }
    for measure, total in totals.items():
        yield from _spread(measure, of.spreads[measure])
        yield f"total_{measure}", _total(total, measure.unit)
    if summary.computed.value is not None:
        yield "total_computed_cost_usd", _total(summary.computed, "USD")
    yield "total_turns", _total(summary.turns, "turns")
    for kind, total in summary.by_kind.items():
        yield f"total_{kind}_tokens", _total(total, "tokens")
    for score, each in of.scores.items():
        yield from _spread(score, each)


def _spread(measure: AnyMeasure, each: Spread) -> Iterator[tuple[str, Estimate]]:
    known = (each.known, each.unknown, measure.unit)
    is_bound = each.is_lower_bound
    yield measure.key, _estimate(each.mean, each.interval, *known, is_bound=is_bound)
    yield (
        f"median_{measure.key}",
        _estimate(each.median, each.median_interval, *known, is_bound=is_bound),
    )


def compared(contrast: Contrast) -> Iterator[tuple[str, Estimate]]:
    """Yield the estimates of a comparison in one measure: the means of `a` and `b` over tasks, their `difference` B -
    A, `ratio` B / A."""
    unit, n, unknown = contrast.measure.unit, len(contrast.tasks), contrast.tasks_left_out
    yield "a", _estimate(contrast.a, None, n, unknown, unit)
    yield "b", _estimate(contrast.b, None, n, unknown, unit)
    if other := contrast.other:
        yield (
            "difference_with_other_counting",
            _estimate(
                other.mean_difference,
                other.difference,
                len(other.tasks),
                other.tasks_left_out,
                unit,
            ),
        )
    if not contrast.measure.is_ratio:
        yield (
            "difference",
            _estimate(contrast.mean_difference, contrast.difference, n, unknown, unit),
        )
    if not contrast.measure.is_difference:
        yield "ratio", _estimate(contrast.mean_ratio, contrast.ratio, n, unknown, "ratio")


def _estimate(
    value: float | None,
    interval: Interval | None,
    n: int,
    unknown: int,
    unit: str | None,
    *,
    is_bound: bool = False,
) -> Estimate:
    ends = (interval.low, interval.high) if interval else (math.inf, math.inf)
    low, high = (end if math.isfinite(end) else None for end in ends)
    bound = "none" if value is None else "lower" if is_bound else "exact"
    return Estimate(value, low, high, n, unknown, bound, unit)


def _total(total: Total, unit: str) -> Estimate:
    return _estimate(
        total.value, None, total.known, total.unknown, unit, is_bound=total.unknown > 0
    )
