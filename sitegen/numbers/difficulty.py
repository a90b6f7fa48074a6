"""The difficulty of tasks: the rate at which they were passed, drawn towards the mean of all where attempts are few.

A task counts as if it had further runs that passed at the mean rate. Their number follows from the size of the beta
distribution from which rates of tasks would vary as much as they do, by the method of moments: J. C. Kleinman,
"Proportions with Extraneous Variance: Single and Independent Samples", Journal of the American Statistical Association
68 (1973). Few tasks tell little of that size, so it is halved and at most MAX_FURTHER. A tenth of a run is added on
either side, a fifth of what Jeffreys adds, since rates near 0 and 1 are common. The interval is that of the beta
distribution which follows; a test draws how often it holds the true rate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.numbers.intervals import CONFIDENCE, MIN_CLUSTERS, Interval, beta_quantile

MIN_TASKS = MIN_CLUSTERS
"""Under so many tasks nothing is known of how far rates vary."""
MAX_FURTHER = 2.0
"""Runs that a task counts for besides its own, at most."""
_EITHER_SIDE = 0.1


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The rate at which a task was passed, and further runs at the mean rate; none of them under MIN_TASKS."""

    passed: int
    judged: int
    further: tuple[float, float] | None = None
    """Passed and not passed."""

    @property
    def is_alike(self) -> bool:
        """Whether all runs ended alike, which tells nobody apart."""
        return self.passed in (0, self.judged)

    @property
    def rate(self) -> float:
        """The share that passed of what was seen."""
        return self.passed / self.judged

    @property
    def expected(self) -> float:
        """The rate drawn towards the mean; the plain one without further runs."""
        passed, failed = self.further or (0.0, 0.0)
        return (self.passed + passed) / (self.judged + passed + failed)

    @property
    def interval(self) -> Interval | None:
        """95 %, about it."""
        if self.further is None:
            return None
        ends = self.passed + self.further[0], self.judged - self.passed + self.further[1]
        return Interval(*(beta_quantile(share, *ends) for share in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))


def difficulties(tasks: Mapping[str, tuple[int, int]]) -> dict[str, Difficulty]:
    """Return the tasks that were judged, from (passed, judged) of each, the hardest first, of equals in the given
    order."""
    known = {task: counts for task, counts in tasks.items() if counts[1]}
    further = _further(list(known.values())) if len(known) >= MIN_TASKS else None
    found = {task: Difficulty(*counts, further) for task, counts in known.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].expected))


def _further(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the further runs of each task, from (passed, judged) of all."""
    runs, passed = sum(judged for _, judged in counts), sum(passed for passed, _ in counts)
    mean, size = passed / runs, MAX_FURTHER
    spread = mean * (1 - mean)
    seen = math.fsum(judged * (passed / judged - mean) ** 2 for passed, judged in counts)
    by_chance, most = spread * (len(counts) - 1), spread * (runs - math.fsum(n * n for _, n in counts) / runs)
    if most > by_chance < seen:
        size = min((1 / min((seen - by_chance) / (most - by_chance), 1.0) - 1) / 2, MAX_FURTHER)
    return size * mean + _EITHER_SIDE, size * (1 - mean) + _EITHER_SIDE
