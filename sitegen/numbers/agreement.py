"""The agreement of two judges of one question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from sitegen.numbers.intervals import CONFIDENCE, MIN_CLUSTERS, Interval, student_t

Verdicts = Sequence[tuple[bool, bool]]
"""Whether each of two judges lets a run pass."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two judges on runs that both judged."""

    runs: int
    share: float
    """The share of the runs on which they agree, from 0 to 1."""
    by_chance: float
    """The share on which judges who pass as many would agree by chance."""
    kappa: float | None
    """Cohen's kappa: 1 for full agreement, 0 for no more than chance; None where chance alone agrees on all."""
    interval: Interval | None
    """95 %, of kappa; None under five tasks."""


def agreement(tasks: Sequence[Verdicts]) -> Agreement | None:
    """Return the agreement on the runs of some tasks; None without a run.

    Kappa is that of Cohen (1960), doi:10.1177/001316446002000104. Its interval leaves out each task in turn
    (jackknife), with Student's t.
    """
    told = [pair for task in tasks for pair in task]
    if not told:
        return None
    share, by_chance = _shares(told)
    kappa, interval, n = _kappa(told), None, len(tasks)
    if kappa is not None and n >= MIN_CLUSTERS:
        others = [_kappa([pair for at, task in enumerate(tasks) if at != left for pair in task]) for left in range(n)]
        values = [n * kappa - (n - 1) * other for other in others if other is not None]
        if len(values) == n:
            reach = student_t((1 + CONFIDENCE) / 2, n - 1) * math.sqrt(variance(values) / n)
            middle = fmean(values)
            interval = Interval(max(min(middle - reach, kappa), -1.0), min(max(middle + reach, kappa), 1.0))
    return Agreement(len(told), share, by_chance, kappa, interval)


def _shares(told: Verdicts) -> tuple[float, float]:
    """Return the share of agreement, and that by chance."""
    first, second = (fmean(pair[side] for pair in told) for side in (0, 1))
    return fmean(one == other for one, other in told), first * second + (1 - first) * (1 - second)


def _kappa(told: Verdicts) -> float | None:
    if not told:
        return None
    share, by_chance = _shares(told)
    return (share - by_chance) / (1 - by_chance) if by_chance < 1 else None
