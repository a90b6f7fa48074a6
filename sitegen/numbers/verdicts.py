"""Figures of tasks by their verdicts: how hard they are, whether judges agree, and whether kinds of tasks differ."""

import hashlib
import json
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations
from random import Random
from statistics import fmean, variance

from sitegen.model import frozen
from sitegen.numbers.intervals import (
    CONFIDENCE,
    MIN_CLUSTERS,
    UPPER_SHARE,
    Interval,
    beta_quantile,
    student_t,
)

# The difficulty of tasks: the rate at which they were passed, drawn towards the mean of all where attempts are few.
#
# A task counts as if it had further runs that passed at the mean rate. Their number follows from the size of the beta
# distribution from which rates of tasks would vary as much as they do, by the method of moments: J. C. Kleinman,
# "Proportions with Extraneous Variance: Single and Independent Samples", Journal of the American Statistical
# Association 68 (1973). Few tasks tell little of that size, so it is halved and at most MAX_FURTHER. A tenth of a run
# is added on either side, a fifth of what Jeffreys adds, since rates near 0 and 1 are common. The interval is that of
# the beta distribution which follows; a test draws how often it holds the true rate.

MIN_TASKS = MIN_CLUSTERS  # under so many tasks nothing is known of how far rates vary
MAX_FURTHER = 2.0  # runs that a task counts for besides its own, at most
_EITHER_SIDE = 0.1


@frozen
class Difficulty:
    """The rate at which a task was passed, and further runs at the mean rate; none of them under MIN_TASKS."""

    passed: int
    judged: int
    further: tuple[float, float] | None = None  # passed and not passed

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
        passed = self.passed + self.further[0]
        failed = self.judged - self.passed + self.further[1]
        low = beta_quantile((1 - CONFIDENCE) / 2, passed, failed)
        return Interval(low, beta_quantile(UPPER_SHARE, passed, failed))


def difficulties(tasks: Mapping[str, tuple[int, int]]) -> dict[str, Difficulty]:
    """Return the tasks that were judged, from (passed, judged) of each, the hardest first, of equals in the given
    order."""
    known = {task: counts for task, counts in tasks.items() if counts[1]}
    further = _further(known.values()) if len(known) >= MIN_TASKS else None
    by_task = {task: Difficulty(*counts, further) for task, counts in known.items()}
    return dict(sorted(by_task.items(), key=lambda task: task[1].expected))


def _further(counts: Collection[tuple[int, int]]) -> tuple[float, float]:
    """Return the further runs of each task, from (passed, judged) of all."""
    runs = sum(judged for _, judged in counts)
    mean = sum(passed for passed, _ in counts) / runs
    size = MAX_FURTHER
    spread = mean * (1 - mean)
    seen = math.fsum(judged * (passed / judged - mean) ** 2 for passed, judged in counts)
    by_chance = spread * (len(counts) - 1)
    most = spread * (runs - math.fsum(judged * judged for _, judged in counts) / runs)
    if most > by_chance < seen:
        share = min((seen - by_chance) / (most - by_chance), 1.0)
        size = min((1 / share - 1) / 2, MAX_FURTHER)
    return size * mean + _EITHER_SIDE, size * (1 - mean) + _EITHER_SIDE


# The agreement of two judges of one question.

Verdicts = Sequence[tuple[bool, bool]]  # whether each of two judges lets a run pass


@frozen
class Agreement:
    """The agreement of two judges on runs that both judged."""

    runs: int
    share: float  # the share of the runs on which they agree, from 0 to 1
    by_chance: float  # the share on which judges who pass as many would agree by chance
    kappa: float | None
    """Cohen's kappa: 1 for full agreement, 0 for no more than chance; None where chance alone agrees on all."""
    interval: Interval | None  # 95 %, of kappa; None under five tasks


def agreement(tasks: Sequence[Verdicts]) -> Agreement | None:
    """Return the agreement on the runs of some tasks; None without a run.

    Kappa is that of Cohen (1960), doi:10.1177/001316446002000104. Its interval leaves out each task in turn
    (jackknife), with Student's t.
    """
    verdicts = list(chain(*tasks))
    if not verdicts:
        return None
    share, by_chance = _shares(verdicts)
    kappa = _kappa(verdicts)
    interval = None if kappa is None else _interval_of_kappa(kappa, tasks)
    return Agreement(len(verdicts), share, by_chance, kappa, interval)


def _interval_of_kappa(kappa: float, tasks: Sequence[Verdicts]) -> Interval | None:
    n = len(tasks)
    others = [_kappa(list(chain(*tasks[:left], *tasks[left + 1 :]))) for left in range(n)]
    values = [n * kappa - (n - 1) * other for other in others if other is not None]
    if n < MIN_CLUSTERS or len(values) < n:
        return None
    middle = fmean(values)
    reach = student_t(UPPER_SHARE, n - 1) * math.sqrt(variance(values) / n)
    low = max(min(middle - reach, kappa), -1.0)
    return Interval(low, min(max(middle + reach, kappa), 1.0))


def _shares(verdicts: Verdicts) -> tuple[float, float]:
    """Return the share of agreement, and that by chance."""
    first = fmean(passed for passed, _ in verdicts)
    second = fmean(passed for _, passed in verdicts)
    share = fmean(one == other for one, other in verdicts)
    return share, first * second + (1 - first) * (1 - second)


def _kappa(verdicts: Verdicts) -> float | None:
    if not verdicts:
        return None
    share, by_chance = _shares(verdicts)
    return (share - by_chance) / (1 - by_chance) if by_chance < 1 else None


# Whether the order of configurations depends on the kind of task: a permutation test of the interaction.

MAX_EXACT = 20_000  # ways to part the tasks up to which all are tried
DRAWS = 2_999  # ways that are drawn of more


def interaction_p(rates: Mapping[str, Sequence[float]], groups: Mapping[str, str]) -> float | None:
    """Return the p-value of a difference between two groups of tasks in how configurations compare.

    `rates` are by task, one for each configuration, all known; `groups` tell the group of each task. Tasks are
    exchanged between the groups: Edgington and Onghena, "Randomization Tests" (2007). Draws have a seed made of the
    data. None with under four tasks in a group, or other than two groups.
    """
    tasks = sorted(task for task in rates if task in groups)
    names = sorted({groups[task] for task in tasks})
    first = [task for task in tasks if groups[task] == names[0]]
    size = len(first)
    if len(names) != 2 or min(size, len(tasks) - size) < 4:
        return None
    by_task = {task: _center(rates[task]) for task in tasks}
    rows = list(by_task.values())
    total = list(map(sum, zip(*rows, strict=True)))

    def gap(chosen: Sequence[Sequence[float]]) -> float:
        """Return how far the means of two groups of tasks are apart, squared and added up over configurations."""
        sums = map(sum, zip(*chosen, strict=True))
        rest = len(rows) - size
        both = zip(sums, total, strict=True)
        return math.fsum((part / size - (whole - part) / rest) ** 2 for part, whole in both)

    seen = gap([by_task[task] for task in first]) - 1e-12
    if math.comb(len(rows), size) <= MAX_EXACT:
        return fmean(gap(chosen) >= seen for chosen in combinations(rows, size))
    random = Random(hashlib.sha256(json.dumps([rows, size]).encode()).hexdigest())  # noqa: S311  of no secret
    draws = sum(gap(random.sample(rows, size)) >= seen for _ in range(DRAWS))
    return (draws + 1) / (DRAWS + 1)


def _center(rates: Sequence[float]) -> list[float]:
    mean = sum(rates) / len(rates)
    return [rate - mean for rate in rates]
