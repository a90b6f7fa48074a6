"""How scores are written."""

from __future__ import annotations

import math
from collections.abc import Callable

from sitegen import figures
from sitegen.model import Score
from sitegen.numbers.intervals import Interval
from sitegen.numbers.scores import ScoreMeasure

_BESIDE = ("x", "×", "%")
"""Units that stand at their figure without a space."""


def score_writer(measure: ScoreMeasure, size: float) -> Callable[[float | None], str]:
    """Writes means of a score with its unit, as exact as one of this size deserves: `7.2x`, `153 ms`, `0.85`."""
    size = abs(size)
    decimals = 0 if size >= 100 else 1 if size >= 1 or not size else min(1 - math.floor(math.log10(size)), 4)
    unit = measure.unit or ""
    space = "" if unit in _BESIDE or not unit else figures.UNIT_SPACE
    return lambda value: f"{figures.fixed(value, decimals)}{space}{unit}"


def score_text(score: Score) -> str:
    """The score of one run, with its name: `speedup 5.8x`."""
    return f"{score.name} {figures.score(score.value, score.unit)}"


def score_ends(measure: ScoreMeasure, interval: Interval, size: float) -> str:
    """Both ends of an interval, the unit once: `4.0 to 13.2x`."""
    if math.isinf(interval.high) or math.isinf(interval.low):
        return figures.from_to(interval.low, interval.high, score_writer(measure, size))
    bare = ScoreMeasure(measure.name)
    return f"{score_writer(bare, size)(interval.low)} to {score_writer(measure, size)(interval.high)}"
