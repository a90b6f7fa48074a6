"""Would more tasks or more attempts narrow a comparison? What its variance consists of, and what another design shows.

The difference of two sides on a task varies for two reasons: a task suits one side better than the other, and attempts
of one side at one task do not end alike. More tasks make both smaller, more attempts the second alone. The parts are
those of the method of moments (analysis of variance, unweighted means): the variance of attempts is pooled within tasks
and sides, and what it does not explain of the variance between tasks is the first part, 0 where that is negative: S. R.
Searle, G. Casella and C. E. McCulloch, "Variance Components" (1992), chapter 3. The interval of the attempts' share is
that of the logarithm of the ratio of both, leaving out each task in turn (the jackknife), since passed and failed are
far from normal: J. N. Arvesen and T. H. Schmitz, "Robust Procedures for Variance Component Problems Using the
Jackknife", Biometrics 26 (1970).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sitegen.numbers.intervals import CONFIDENCE, Interval, covariance, student_t

MIN_TASKS = 15
"""Under so many tasks the parts cannot be told apart."""
MAX_SHARE_WIDTH = 0.85
"""Nor where the interval of the attempts' share is wider."""
_FEW_FREE = 4
"""Fewer repeated attempts of a side say nothing of how alike they are."""
_ROUNDING = 1e-12
_FEW_TASKS = 40
"""Up to so many tasks ten more are considered, above a quarter more."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The attempts of one side at one task."""

    counts: tuple[int, ...]
    """Runs of each model, or campaign, whose means weigh the same."""
    squares: float
    """Of the distances of runs from the mean of their like, summed; on the scale on which sides are compared."""

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.counts)

    @property
    def free(self) -> int:
        """Degrees of freedom of `squares`."""
        return sum(self.counts) - len(self.counts)

    def weight(self, more: int = 0) -> float:
        """The variance of the mean in variances of one attempt, with so many more of each."""
        return math.fsum(1 / (count + more) for count in self.counts) / len(self.counts) ** 2


@dataclass(frozen=True, slots=True)
class Design:
    """The runs that would be added, and the variance of a task's difference that is expected then."""

    tasks: int
    """How many more."""
    attempts: int
    """How many more of each side at each task."""
    variance: float
    narrows: float
    """The factor by which an interval by Student's t narrows."""
    runs: tuple[float, float]
    """How many it takes of either side."""


@dataclass(frozen=True, slots=True)
class Designs:
    """Two ways to add about as many runs."""

    more_tasks: Design
    more_attempts: Design | None
    """None where the parts of the variance cannot be told apart."""
    attempts_share: tuple[float, Interval] | None
    """The part of the variance that attempts make, and its 95 % interval; None where the parts cannot be told
    apart."""


def designs(differences: Sequence[float], sides: tuple[Sequence[Cell], Sequence[Cell]]) -> Designs | None:
    """What to add to these tasks, each with the difference of its sides and their attempts; None where all tasks
    differ alike."""
    tasks = len(differences)
    seen = covariance(differences, differences) if tasks > 1 else 0.0
    if not seen:
        return None
    runs = tuple(fmean(cell.runs for cell in side) for side in sides)
    more = 10 if tasks <= _FEW_TASKS else round(tasks / 40) * 10
    further = Design(more, 0, seen, _narrows(tasks, tasks + more, 1.0), (more * runs[0], more * runs[1]))
    found = _share(differences, sides) if tasks >= MIN_TASKS else None
    if found is None or found[1].high - found[1].low > MAX_SHARE_WIDTH:
        return Designs(further, None, None)
    share, ends = min(found[0], 1.0), found[1]
    kinds = [sum(len(cell.counts) for cell in side) for side in sides]
    again = max(round(math.fsum(further.runs) / sum(kinds)), 1)
    left = 1 - share + share * _of_attempts(sides, again) / _of_attempts(sides)
    repeated = Design(0, again, seen * left, _narrows(tasks, tasks, left), (again * kinds[0], again * kinds[1]))
    return Designs(further, repeated, (share, ends))


def _narrows(tasks: int, then: int, left: float) -> float:
    now, later = (student_t((1 + CONFIDENCE) / 2, n - 1) / math.sqrt(n) for n in (tasks, then))
    return later / now * math.sqrt(left)


def _of_attempts(sides: tuple[Sequence[Cell], Sequence[Cell]], more: int = 0) -> float:
    """The variance of a task's difference that is one of attempts, with so many more of them."""
    return math.fsum(
        sum(cell.squares for cell in side) / sum(cell.free for cell in side) * fmean(cell.weight(more) for cell in side)
        for side in sides
    )


def _share(differences: Sequence[float], sides: tuple[Sequence[Cell], Sequence[Cell]]) -> tuple[float, Interval] | None:
    """The attempts' share of the variance, and its interval; None where too few attempts are repeated to tell."""
    n = len(differences)
    total, squares = math.fsum(differences), math.fsum(each * each for each in differences)
    sums = [
        [math.fsum(column) for column in zip(*((cell.squares, cell.free, cell.weight()) for cell in side), strict=True)]
        for side in sides
    ]

    def log_ratio(left_out: int | None) -> float | None:
        """Of the variance of attempts to all of it, without one task."""
        m, apart = (n, 0.0) if left_out is None else (n - 1, differences[left_out])
        whole = (squares - apart * apart - (total - apart) ** 2 / m) / (m - 1)
        of_attempts = 0.0
        for (own, free, weight), side in zip(sums, sides, strict=True):
            if left_out is not None:
                cell = side[left_out]
                own, free, weight = own - cell.squares, free - cell.free, weight - cell.weight()
            if free < _FEW_FREE:
                return None
            of_attempts += own / free * weight / m
        return math.log(of_attempts / whole) if of_attempts > _ROUNDING < whole else None

    told, without = log_ratio(None), [log_ratio(task) for task in range(n)]
    if told is None or None in without:
        return None
    pseudo = [n * told - (n - 1) * each for each in without if each is not None]
    reach = student_t((1 + CONFIDENCE) / 2, n - 1) * math.sqrt(covariance(pseudo, pseudo) / n)
    middle = fmean(pseudo)
    low, high = (min(math.exp(min(end, 0.0)), 1.0) for end in (middle - reach, middle + reach))
    return math.exp(told), Interval(min(low, math.exp(min(told, 0.0))), max(high, math.exp(min(told, 0.0))))
