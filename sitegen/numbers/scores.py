"""Scores of runs, such as a speedup: their means, medians and intervals.

On a scale of ratios factors count and not differences: twice as fast and half as fast level out. There the mean is the
geometric one, and two sides differ by the ratio of theirs. A run that failed for reasons outside its agent has no score
here, as it has no success (`success.is_infrastructure_failure`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.model import Entry
from sitegen.numbers.clusters import Question, clustered
from sitegen.numbers.intervals import CONFIDENCE, Interval, median, median_interval, score_mean_interval
from sitegen.numbers.success import is_infrastructure_failure


@dataclass(frozen=True, slots=True)
class ScoreMeasure:
    """What a score of this name means."""

    name: str
    unit: str | None = None
    higher_is_better: bool | None = None
    """None where nobody said."""
    is_ratio: bool = False

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is known to be better."""
        return self.higher_is_better is False


def score_measures(entries: Iterable[Entry]) -> tuple[ScoreMeasure, ...]:
    """All scores of these runs, in the order in which they are found; what is first stated of one counts. One that has
    a value of zero or less is no ratio, whatever is stated of others."""
    found: dict[str, ScoreMeasure] = {}
    linear = set()
    for entry in entries:
        for score in entry.scores:
            stated = ScoreMeasure(score.name, score.unit, score.higher_is_better, score.is_ratio)
            found.setdefault(score.name, stated)
            if score.value <= 0:
                linear.add(score.name)
    return tuple(
        ScoreMeasure(each.name, each.unit, each.higher_is_better, each.is_ratio and each.name not in linear)
        for each in found.values()
    )


def scored(entry: Entry, measure: ScoreMeasure) -> float | None:
    """The score of a run; None where it has none, and of infrastructure failures."""
    if is_infrastructure_failure(entry):
        return None
    return next((score.value for score in entry.scores if score.name == measure.name), None)


def mean_score(values: Iterable[float], is_ratio: bool) -> float:
    """The mean of one value or more, of ratios the geometric one. Ratios are above zero. In any order."""
    values = list(values)
    if is_ratio:
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return math.fsum(values) / len(values)


def mean_score_interval(
    clusters: Iterable[Sequence[float]], is_ratio: bool, confidence: float = CONFIDENCE
) -> Interval | None:
    """The interval of `mean_score` of values that come in clusters; None under five clusters, and where all are equal.

    For the difference of two sides on the same tasks it takes, of each task, the difference, of ratios the ratio.
    """
    rows = [[math.log(value) for value in values] if is_ratio else values for values in clusters]
    told = score_mean_interval(rows, confidence)
    return Interval(_exp(told.low), _exp(told.high)) if told and is_ratio else told


def _exp(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """A score over some runs, in its unit. All is None where no run has it."""

    known: int
    """Runs in it."""
    unknown: int
    """Runs left out: without such a score, or infrastructure failures."""
    mean: float | None
    """Over runs; of ratios the geometric one."""
    interval: Interval | None
    """95 %, of the mean; None where too few tasks, or runs, tell, and where all are equal."""
    median: float | None
    median_interval: Interval | None
    """95 %; None where too few runs tell."""
    best: float | None
    """The largest, or the least where lower is better; None where nobody said which is better."""


def score_figure(
    entries: Iterable[Entry], measure: ScoreMeasure, question: Question = Question.TASKS_LIKE_THESE
) -> ScoreFigure:
    """A score over some runs; the question is that of the intervals."""
    entries = list(entries)
    told = ((entry, scored(entry, measure)) for entry in entries)
    drawn = clustered(((entry, value) for entry, value in told if value is not None), question)
    values = [value for own in drawn for value in own]
    best = None
    if measure.higher_is_better is not None:
        best = (max if measure.higher_is_better else min)(values, default=None)
    return ScoreFigure(
        known=len(values),
        unknown=len(entries) - len(values),
        mean=mean_score(values, measure.is_ratio) if values else None,
        interval=mean_score_interval(drawn, measure.is_ratio),
        median=median(values),
        median_interval=median_interval(drawn),
        best=best,
    )
