"""What a sample says of the whole it was drawn from: quantiles and 95 % intervals, on plain numbers.

Runs of an agent are few, their costs are skewed, and the attempts of one task resemble each other. So shares
get Wilson's interval, which is honest for few runs, and everything that is a mean gets a bootstrap over
clusters: whole tasks are drawn, never single runs. Means that come from a bootstrap stay within what was
observed, so no cost ends below zero as it may with Student's t.

Of the bootstrap intervals this is the expanded percentile interval (Hesterberg, "What Teachers Should Know
About the Bootstrap", The American Statistician 69, 2015, arXiv:1411.5279): the percentile interval with its
levels moved outward, so that it is as wide as Student's t for normal data. The plain percentile interval and
BCa are too narrow where it matters here: with 5 tasks and normal differences, of 100 intervals that promise to
hold the truth 95 times, they did so 84 times, and the expanded one 92 times. From 100 tasks on all agree.
What no interval mends: with few tasks and very skewed costs all of them hold the truth too seldom.

The same values give the same interval, on any Python and in any order: the seed is fixed, of `random.Random` only
`random()` is used, whose sequence for a seed Python promises to keep, the values are sorted before they are drawn,
and they are added as whole numbers, which do not round. Where to cut comes from the machine's sin and erf, which
may move the last digit from one operating system to another.
"""

from __future__ import annotations

import math
import operator
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from statistics import NormalDist

CONFIDENCE = 0.95
"""Of every interval, unless its function is told otherwise."""
FEWEST_CLUSTERS = 5
"""Under so many tasks there is no interval of a mean: so few say nothing of others."""
RESAMPLES = 10_000
"""Of a comparison, as far as _DRAWS allows. Endless resampling would move an end by 0.03 standard errors or so."""
RESAMPLES_OF_A_MEAN = 1_000
"""Of the interval beside a mean, of which a site may have thousands: by 0.1 standard errors or so."""

_DRAWS = 500_000
"""Of clusters, at most, for one interval: 100 clusters are resampled 5,000 times (0.04 standard errors), 500 of
them 1,000 times."""
_MOST_CLUSTERS = 500
"""More are bundled."""
_SEED = 1
_BITS = 52


def median(values: Iterable[float]) -> float | None:
    """The middle value, or the mean of the two in the middle; None of no values."""
    return quantile(values, 0.5)


def quantile(values: Iterable[float], share: float) -> float | None:
    """The value below which a share (0 to 1) of the values lie; None of no values. Any order will do.

    Between two values it is interpolated: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    Packages", The American Statistician 50 (1996), which is the default of R and NumPy.
    """
    ordered = sorted(values)
    return _quantile(ordered, share) if ordered else None


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return min(low + (position - below) * (high - low), high)


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure may lie, ends included, in the unit of the figure."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval | None:
    """The score interval of a share, each end from 0 to 1; None of no trials.

    ((p + z²/2n) ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), p = successes/n, z the normal quantile; no continuity
    correction. Trials count as independent: where a task was attempted several times it is somewhat too narrow.
    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of
    the American Statistical Association 22 (1927).

    Raises: ValueError when successes are negative or more than n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: must be from 0 to n.")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the formula gives the share itself, but for its last digit.
    low = 0.0 if successes == 0 else (middle - reach) / scale
    high = 1.0 if successes == n else (middle + reach) / scale
    return Interval(low, high)


@cache
def student_t(share: float, degrees: int) -> float:
    """The value below which a share (0.5 to under 1) of Student's t distribution lies, for whole degrees of freedom.

    The distribution is a finite sum in sin and cos of θ = atan(t/√ν) (Abramowitz and Stegun 26.7.3 and
    26.7.4); it rises with θ, which is found by halving.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _within(angle, degrees) < 2 * share - 1 else (low, angle)
    return math.sqrt(degrees) * math.tan(low)


def _within(angle: float, degrees: int) -> float:
    """How likely |T| < √degrees · tan(angle) is."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(2 + odd, degrees + 1, 2):
        total += term
        term *= cosine * cosine * (power - 1) / power
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


@cache
def tail(clusters: int) -> float:
    """The share of resampled means to cut off at each end, for 95 % between: Φ(-√(n/(n-1)) · t(0.975, n-1)).

    It is 0.025 for many clusters and 0.001 for five. Source: Hesterberg, see the head of this module.
    """
    stretch = math.sqrt(clusters / (clusters - 1))
    return NormalDist().cdf(-stretch * student_t((1 + CONFIDENCE) / 2, clusters - 1))


def mean_interval(clusters: Iterable[Sequence[float]]) -> Interval | None:
    """95 % bootstrap interval of the mean of all values, drawn by cluster; None under five clusters with values.

    Each value weighs the same, so a cluster weighs as much as it has values. The mean of a resample is
    Σ sums / Σ counts over as many clusters as there are, drawn with replacement.
    """
    rows = [(math.fsum(values), float(len(values))) for values in clusters if values]
    if len(rows) < FEWEST_CLUSTERS:
        return None
    (sums, counts), drawn = _resampled(rows, RESAMPLES_OF_A_MEAN)
    mean = math.fsum(total for total, _ in rows) / math.fsum(count for _, count in rows)
    return _interval([total / count for total, count in zip(sums, counts, strict=True)], drawn, mean)


@dataclass(frozen=True, slots=True)
class PairedIntervals:
    """Of two means over the same tasks, A and B."""

    difference: Interval
    """Of B - A, in the unit of the values."""
    ratio: Interval | None
    """Of B / A; None where a resample of A is zero, or next to it."""


def paired_intervals(pairs: Iterable[tuple[float, float]]) -> PairedIntervals | None:
    """95 % bootstrap intervals of the difference and the ratio of two means; None under five pairs.

    A pair is what one task has on the two sides, from zero up. Pairs are drawn whole, so what makes a task
    hard for both sides cancels. The ratio is that of the two means, not the mean of ratios.
    """
    rows = [(a, b, 1.0) for a, b in pairs]
    if len(rows) < FEWEST_CLUSTERS:
        return None
    (a, b, counts), drawn = _resampled(rows, RESAMPLES)
    mean_a, mean_b = (math.fsum(column) / len(rows) for column in list(zip(*rows, strict=True))[:2])
    differences = [(two - one) / count for one, two, count in zip(a, b, counts, strict=True)]
    ratios = [two / one if one > 0 else math.inf for one, two in zip(a, b, strict=True)]
    ratio = _interval(ratios, drawn, mean_b / mean_a) if math.isfinite(max(ratios)) else None
    return PairedIntervals(_interval(differences, drawn, mean_b - mean_a), ratio)


def _interval(resampled: list[float], clusters: int, estimate: float) -> Interval:
    """The expanded percentile interval; it holds the estimate even where rounding or few resamples would not."""
    resampled.sort()
    cut = tail(clusters)
    return Interval(min(_quantile(resampled, cut), estimate), max(_quantile(resampled, 1 - cut), estimate))


def _resampled(rows: Sequence[tuple[float, ...]], most: int) -> tuple[list[list[float]], int]:
    """Column by column the sum of each resample of the rows, at most `most` of them; and how many rows were drawn from.

    The order of the rows changes nothing.
    """
    rows = _bundled(sorted(rows))
    resamples = min(most, _DRAWS // len(rows))
    weights = _weights(len(rows), resamples)
    return [_sums(column, weights, resamples) for column in zip(*rows, strict=True)], len(rows)


def _bundled(rows: Sequence[tuple[float, ...]]) -> Sequence[tuple[float, ...]]:
    """Rows dealt into 500 bundles at random and added up, where there are more of them.

    Bundles of clusters are clusters too, and 500 of them give the same interval as thousands, in bounded time.
    """
    if len(rows) <= _MOST_CLUSTERS:
        return rows
    random = Random(_SEED).random  # noqa: S311  chance for a statistic, not for a secret
    dealt = sorted(rows, key=lambda _: random())
    bundles = (dealt[start::_MOST_CLUSTERS] for start in range(_MOST_CLUSTERS))
    return [tuple(map(math.fsum, zip(*bundle, strict=True))) for bundle in bundles]


@lru_cache(maxsize=8)  # four megabytes at most for each
def _weights(rows: int, resamples: int) -> tuple[int, ...]:
    """For each row how often each resample drew it, in `rows` draws with replacement: 64 bits for each resample.

    Python multiplies and adds such long whole numbers several times faster than lists of short ones.
    """
    random = Random(_SEED).random  # noqa: S311  chance for a statistic, not for a secret
    counts = [array("Q", bytes(8 * resamples)) for _ in range(rows)]
    for resample in range(resamples):
        for _ in range(rows):
            counts[int(random() * rows)][resample] += 1
    return tuple(int.from_bytes(count.tobytes(), sys.byteorder) for count in counts)


def _sums(column: Sequence[float], weights: Sequence[int], resamples: int) -> list[float]:
    """The sum of each resample of a column.

    Values count as whole numbers, from 0 for the least to 2^52 for the greatest: their sums are exact, and those of
    500 fit into 64 bits.
    """
    least, span = min(column), max(column) - min(column)
    base = least * len(column)
    if span == 0:
        return [base] * resamples
    whole = [round((value - least) / span * 2**_BITS) for value in column]
    total = sum(map(operator.mul, whole, weights))
    unit = span / 2**_BITS
    return [base + part * unit for part in memoryview(total.to_bytes(8 * resamples, sys.byteorder)).cast("Q")]
