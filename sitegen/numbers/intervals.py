"""The inference from a sample to the whole it was drawn from: quantiles and 95 % intervals, on plain numbers.

Runs of an agent are few, their costs are skewed, and the attempts of one task resemble each other. So what counts as
drawn are clusters, which are whole tasks (`clustered`), and each interval is a formula that holds what it
promises for few of them: `benchmarks/coverage.py` measures how often, docs/contributing/coverage.md has the table.
Nothing is resampled, so an interval costs microseconds and has no seed, and no order of the values changes a digit.

- A share gets the score interval (Wilson 1927) on an effective number of runs with Student's t for its quantile, after
  Korn and Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from
  Survey Data", Survey Methodology 24 (1998).
- A mean of costs spans Student's t on the log scale and the interval of a log-normal mean by variance estimates
  recovery: Zou, Huo and Taleban, "Simple Confidence Intervals for Lognormal Means and their Differences",
  Environmetrics 20 (2009), with the variance between and within clusters as Burdick and Graybill, "Confidence Intervals
  on Variance Components" (1992), add them.
- A paired difference of shares gets that of Agresti and Min, "Simple Improved Confidence Intervals for Comparing
  Matched Proportions", Statistics in Medicine 24 (2005), with tasks for pairs and Student's t.
- A paired ratio of means spans Student's t on the log scale and Cox's interval of two log-normal means of pairs.
- A mean of scores, of any sign, spans Student's t and its correction for skewness: Hall, "On the Removal of Skewness by
  Transformation", Journal of the Royal Statistical Society B 54 (1992). Of ratios the same on the log scale.
- A median gets the exact binomial one (of the sign test) on an effective number of runs, after Korn and Graubard.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from statistics import NormalDist, fmean

from sitegen.model import Entry, T, frozen

CONFIDENCE = 0.95
UPPER_SHARE = (1 + CONFIDENCE) / 2  # the share that lies below the upper end of an interval
MIN_CLUSTERS = 5
"""The minimum of tasks for an interval of a mean or a difference: fewer say nothing about others."""
MIN_FOR_A_SHARE = 3
"""The minimum of tasks for an interval of a share: with fewer it would be from nothing to all."""
MIN_SUCCESSES = 3  # under so many passed runs nothing is said of what a success costs
MAX_TIMES = 20
"""An upper end of a mean that is further above it is open: so few runs, so far apart, have no upper end to tell."""

_TAKEN_OFF = 0.6
"""Taken off an effective number of runs, or score intervals of nine runs miss rare outcomes. Found on the grid."""
_LEFT = -2.0  # standard errors of skewness. Below, logarithms lean to the left.
_MIN_PART = 0.05
"""Part of the median: lower costs count as this much, or a run that died would double the spread of logarithms."""
_EXACT_DEGREES = 300
"""The degrees of freedom up to which quantiles are exact; above, an expansion gives four digits or more."""
_EXACT_COINS = 1000  # up to so many independent values the interval of a median is exact
_LOW_SPREAD = 0.2
"""One sample in so many has a spread of products so low that it counts as it might be. Found on the grid."""
_STRAIGHT = 1e-6  # less skewness has no effect, and its formula divides by it
_ROUNDING = 1e-12
"""Logarithms that differ by less are equal: the difference is one of how the computer rounds."""


def median(values: Iterable[float]) -> float | None:
    """Return the middle value, or the mean of the two in the middle; None of no values."""
    return quantile(values, 0.5)


def quantile(values: Iterable[float], share: float) -> float | None:
    """Return the value below which a share (0 to 1) of the values lie; None of no values. Any order will do.

    Between two values it is interpolated: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    Packages", The American Statistician 50 (1996), which is the default of R and NumPy.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    low = ordered[below]
    high = ordered[min(below + 1, len(ordered) - 1)]
    return min(low + (position - below) * (high - low), high)


@frozen
class Interval:
    """The range in which a figure may lie, ends included, in the unit of the figure. `high` is infinite where it is
    open above."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def score_interval(share: float, n: float, z: float) -> Interval:
    """Return the score interval of a share of n trials, each end from 0 to 1.

    ((p + z²/2n) ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), z the quantile; no continuity correction. n may be a fraction.
    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the
    American Statistical Association 22 (1927).
    """
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the formula gives the share itself, but for its last digit.
    low = 0.0 if share == 0 else (middle - reach) / scale
    high = 1.0 if share == 1 else (middle + reach) / scale
    return Interval(min(low, share), max(high, share))


def rate_interval(clusters: Iterable[tuple[float, int]]) -> Interval | None:
    """Return the interval of a share of runs, from (passed, runs) of each cluster; None under three clusters with runs.

    The effective number of runs is theirs over the design effect, less a part of one. That effect is by how much the
    variance of the share over clusters exceeds that of independent runs. Few clusters, or few runs of the rarer
    outcome, tell little of it, so it is averaged with the largest possible one, where all attempts of a task end alike:
    that weighs as much as one run, the seen one as much as there are runs of the rarer outcome. A run may be
    passed in part.

    Raises: ValueError when a cluster has fewer runs than passed ones.
    """
    rows = [(passed, n) for passed, n in clusters if passed or n]
    if any(not 0 <= passed <= n for passed, n in rows):
        raise ValueError("A cluster has more passed runs than runs.")
    if len(rows) < MIN_FOR_A_SHARE:
        return None
    share, effective = _effective(rows)
    return score_interval(share, effective - _TAKEN_OFF, student_t(UPPER_SHARE, len(rows) - 1))


def _effective(rows: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the share that passed, and of how many independent runs it tells as much, of (passed, runs) of each
    cluster."""
    passed, n = (sum(column) for column in zip(*rows, strict=True))
    share = passed / n
    rarer = min(passed, n - passed)
    largest = sum(runs * runs for _, runs in rows) / n
    if not rarer:
        return share, n / largest
    squares = math.fsum((passes - share * runs) ** 2 for passes, runs in rows)
    over_clusters = squares * len(rows) / (len(rows) - 1) / n
    seen = over_clusters / (share * (1 - share))
    effect = (seen * rarer + largest) / (rarer + 1)
    return share, n / min(max(effect, 1.0), largest)


def mean_interval(clusters: Iterable[Sequence[float]]) -> Interval | None:
    """Return the interval of the mean of all values, from zero up, that come in clusters; None where too little is
    known.

    That is under five clusters with values, and where half of the values are zero. Without width where all are equal.
    Of few values nobody knows how they are spread, so it spans two intervals: that of log-normal values, which knows of
    dear runs that were not drawn, and Student's t on the log scale, which is right for many values of any kind. The
    latter alone counts where the logarithms lean to the left, as those of log-normal values do not: runs that cost next
    to nothing then say nothing of dear ones. The mean is always inside, and the upper end is infinite where it is more
    than MAX_TIMES the mean.
    """
    rows = [values for values in clusters if values]
    values = list(chain(*rows))
    middle = median(values)
    if len(rows) < MIN_CLUSTERS or not middle:
        return None
    log_rows = [_logarithms(row, middle) for row in rows]
    logs = list(chain(*log_rows))
    if max(logs) - min(logs) < _ROUNDING:
        return Interval(min(values), max(values))  # nothing was left to chance
    mean = fmean(values)
    error = _error_of_mean(_residuals(rows, mean), len(values))
    reach = student_t(UPPER_SHARE, len(rows) - 1) * error / mean
    low = mean * finite_exp(-reach)
    high = mean * finite_exp(reach)
    if _skewness(logs, len(rows)) > _LEFT:
        log_normal = _log_normal_mean(log_rows)
        low = min(low, log_normal.low)
        high = max(high, log_normal.high)
    return Interval(low, high if high <= MAX_TIMES * mean else math.inf)


def median_interval(clusters: Iterable[Sequence[float]]) -> Interval | None:
    """Return the interval of the median of all values, of any sign, that come in clusters; None where too few tell it,
    which is under six of independent values.

    It holds each value that could be the median: below it lie neither too few nor too many of the values, by the sign
    test on as many runs as they are worth (`_effective`). So both ends are values that were seen.
    """
    rows = [sorted(values) for values in clusters if values]
    if len(rows) < 2:
        return None
    values = sorted(chain(*rows))
    n = len(values)
    if len(rows) == n:
        rare = _rarely(n)
        return None if rare < 0 else Interval(values[rare], values[n - rare - 1])
    if not _is_rare(rows, -math.inf):
        return None
    negated = list(map(_negate, rows))
    return Interval(_lowest_median(rows), -_lowest_median(negated))


def _negate(values: Sequence[float]) -> list[float]:
    return [-value for value in reversed(values)]


def _lowest_median(rows: Sequence[Sequence[float]]) -> float:
    """Return the lowest value that may be the median."""
    values = sorted(chain(*rows))
    return values[bisect_left(values, True, key=lambda value: not _is_rare(rows, value))]


def _is_rare(rows: Sequence[Sequence[float]], value: float) -> bool:
    """Return whether so few values are at or below one that it lies below the median, by the sign test."""
    share, effective = _effective([(bisect_right(values, value), len(values)) for values in rows])
    n = math.floor(effective + _ROUNDING)
    return math.ceil(share * n - _ROUNDING) <= _rarely(n)


@cache
def _rarely(n: int) -> int:
    """So few of n fair coins, or fewer, show heads at most so seldom that both tails leave the confidence; -1 for
    none. For many coins it is the normal approximation."""
    if n > _EXACT_COINS:
        return math.floor((n - 1 - NormalDist().inv_cdf(UPPER_SHARE) * math.sqrt(n)) / 2)
    most = (1 - CONFIDENCE) / 2 * 2**n
    term = 1
    total = 1
    heads = 0
    while total <= most:
        term = term * (n - heads) // (heads + 1)
        total += term
        heads += 1
    return heads - 1


def score_mean_test(clusters: Iterable[Sequence[float]]) -> tuple[Interval, float] | None:
    """Return the interval of the mean of all values, of any sign, that come in clusters, and the p-value of a mean of
    zero; None under five clusters with values, and where all values are equal: nobody knows then how far others may be
    off.

    It spans Student's t and Hall's correction of it, which reaches further to the side to which values are skewed. The
    p-value is the larger one of both tests.
    """
    rows = [values for values in clusters if values]
    degrees = len(rows) - 1
    if len(rows) < MIN_CLUSTERS:
        return None
    values = list(chain(*rows))
    mean = fmean(values)
    residuals = _residuals(rows, mean)
    error = _error_of_mean(residuals, len(values))
    if error * math.sqrt(len(values)) <= _ROUNDING * max(map(abs, values)):
        return None
    spread = fmean([residual * residual for residual in residuals])
    skewness = fmean([residual**3 for residual in residuals]) / spread**1.5
    leaning = skewness / math.sqrt(len(rows))
    quantile = student_t(UPPER_SHARE, degrees)
    low = mean - max(quantile, _hall(quantile, leaning)) * error
    high = mean + max(quantile, -_hall(-quantile, leaning)) * error
    t = mean / error
    transformed = t + leaning * t * t / 3 + leaning * leaning * t**3 / 27 + leaning / 6
    return Interval(low, high), _p_value([t, transformed], degrees)


def _hall(reach: float, leaning: float) -> float:
    """Return where Hall's transform of t, t + at²/3 + a²t³/27 + a/6, has this value."""
    if abs(leaning) < _STRAIGHT:
        return reach
    root: float = math.cbrt(1 + leaning * (reach - leaning / 6))
    return (root - 1) * 3 / leaning


def _residuals(clusters: Sequence[Sequence[float]], mean: float) -> list[float]:
    """Return by how much the sum of each cluster exceeds what the mean of all values makes it."""
    return [math.fsum(values) - mean * len(values) for values in clusters]


def _p_value(ts: Sequence[float], degrees: int) -> float:
    """Return how likely the least of several values of Student's t is by chance; one of both signs is not a
    difference."""
    if min(ts) <= 0 <= max(ts):
        return 1.0
    return beyond_student_t(min(map(abs, ts)), degrees)


def _error_of_mean(residuals: Sequence[float], n: int) -> float:
    """Return the standard error of a mean over n values, a ratio of the sums of clusters to their counts."""
    squares = math.fsum(residual**2 for residual in residuals)
    return math.sqrt(squares * len(residuals) / (len(residuals) - 1)) / n


def _skewness(values: Sequence[float], clusters: int) -> float:
    """Return how far the skewness of values that come in so many clusters is from that of normal ones, in standard
    errors."""
    mean = fmean(values)
    second = fmean([(value - mean) ** 2 for value in values])
    third = fmean([(value - mean) ** 3 for value in values])
    error = math.sqrt(6 * (clusters - 2) / ((clusters + 1) * (clusters + 3)))
    return third / (second * math.sqrt(second)) / error


def _log_normal_mean(clusters: Sequence[Sequence[float]]) -> Interval:
    """Return the interval of exp(μ + σ²/2), from the logarithms of values: normal around the level of their cluster, as
    clusters are around μ. Each cluster weighs the same. The ends are those of μ and of both parts of σ², added in
    squares."""
    centers = list(map(fmean, clusters))
    degrees = len(centers) - 1
    between = covariance(centers, centers)
    parts = [(between / 2, degrees)]
    squares: list[float] = []
    for logs, center in zip(clusters, centers, strict=True):
        squares += [(log - center) ** 2 for log in logs]
    further = len(squares) - len(centers)
    if further:
        single = fmean([1 / len(logs) for logs in clusters])
        parts.append((math.fsum(squares) / further * (1 - single) / 2, further))
    tail = (1 - CONFIDENCE) / 2
    to_low = to_high = student_t(1 - tail, degrees) ** 2 * between / len(centers)
    for part, freedom in parts:
        to_low += (part * (1 - freedom / chi_squared(1 - tail, freedom))) ** 2
        to_high += (part * (freedom / chi_squared(tail, freedom) - 1)) ** 2
    log_mean = fmean(centers) + math.fsum(part for part, _ in parts)
    low = finite_exp(log_mean - math.sqrt(to_low))
    return Interval(low, finite_exp(log_mean + math.sqrt(to_high)))


def _logarithms(values: Iterable[float], middle: float) -> list[float]:
    """Return the logarithm of each value, where one that is next to nothing counts as a part of the median."""
    return [math.log(max(value, _MIN_PART * middle)) for value in values]


def covariance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the covariance of two lists of equal length; that of a list with itself is its variance."""
    mean_a = fmean(a)
    mean_b = fmean(b)
    pairs = zip(a, b, strict=True)
    return math.fsum((in_a - mean_a) * (in_b - mean_b) for in_a, in_b in pairs) / (len(a) - 1)


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of independent values."""
    return math.sqrt(covariance(values, values) / len(values))


def finite_exp(log: float) -> float:
    """Return e to this power, infinite for what no float can hold."""
    return math.exp(log) if log < 700 else math.inf  # the largest float is e^709


def paired_shares(pairs: Iterable[tuple[float, float]]) -> "PairedIntervals":
    """Return the interval of the difference B - A of two shares, from -1 to 1; none under five pairs.

    A pair has the shares of one task on both sides, each from 0 to 1. Half a task is added for each of the four ways in
    which a pair of single runs can end, so the interval has a width also where all tasks agree.
    """
    differences = [b - a for a, b in pairs]
    n = len(differences)
    if n < MIN_CLUSTERS:
        return _NOT_TOLD
    squares = math.fsum(difference * difference for difference in differences)
    interval, middle, error = matched_shares(n, math.fsum(differences), squares)
    return PairedIntervals(interval, None, _p_value([middle / error], n - 1))


def matched_shares(n: int, total: float, squares: float) -> tuple[Interval, float, float]:
    """Return the same from the sums of so many differences and of their squares, with its middle and standard error."""
    mean = total / n
    middle = total / (n + 2)
    error = math.sqrt(((squares + 1) / (n + 2) - middle * middle) / (n + 2))
    reach = student_t(UPPER_SHARE, n - 1) * error
    low = max(min(middle - reach, mean), -1.0)
    high = min(max(middle + reach, mean), 1.0)
    return Interval(low, high), middle, error


@frozen
class PairedIntervals:
    """The intervals of two means over the same tasks, A and B."""

    difference: Interval | None
    """The interval of B - A, in the unit of the values; infinite where too few runs tell its end."""
    ratio: Interval | None
    """The interval of B / A. It leaves out 1 just where the difference leaves out 0."""
    p_value: float | None
    """The p-value for no difference, two-sided: below 0.05 just where the intervals leave out none."""


_NOT_TOLD = PairedIntervals(None, None, None)


def paired_intervals(pairs: Iterable[tuple[float, float]]) -> PairedIntervals:
    """Return the intervals of the difference and the ratio of two means, for pairs of values from zero up.

    There are none under five pairs, and where half of a side is zero; where all of it is, there is the difference. The
    ratio has no width where all pairs have the same. A pair is what one task has on the two sides: what makes a task
    hard for both cancels. The ratio is that of the two means, not the mean of ratios, and it spans two intervals, as a
    mean does. For log-normal pairs its logarithm is the mean of the log ratios and half the difference of the variances
    of both logs, which is half the covariance of log ratio and log product. The difference is that ratio less one,
    times each mean that A may have.
    """
    rows = sorted(pairs)  # so that their order changes no digit
    if len(rows) < MIN_CLUSTERS:
        return _NOT_TOLD
    a = [value for value, _ in rows]
    b = [value for _, value in rows]
    if not any(a) or not any(b):
        return _difference_from_zero(a, b)
    log_ratio = _log_normal_ratio(a, b)
    if log_ratio is None:
        return _NOT_TOLD
    log, log_error = log_ratio
    mean_a = fmean(a)
    mean_b = fmean(b)
    seen = mean_b / mean_a
    error = standard_error([in_b / mean_b - in_a / mean_a for in_a, in_b in rows])
    degrees = len(rows) - 1
    quantile = student_t(UPPER_SHARE, degrees)
    reach = quantile * error
    log_reach = quantile * log_error
    low = min(seen * finite_exp(-reach), finite_exp(log - log_reach))
    high = max(seen * finite_exp(reach), finite_exp(log + log_reach))
    level = mean_interval([value] for value in a) or Interval(mean_a, mean_a)
    corners = []
    for ratio in (low, high):
        if ratio != 1:
            corners += [(ratio - 1) * level.low, (ratio - 1) * level.high]
    corners.append(mean_b - mean_a)
    p = _p_value([_t(math.log(seen), error), _t(log, log_error)], degrees)
    return PairedIntervals(Interval(min(corners), max(corners)), Interval(low, high), p)


def _difference_from_zero(a: Sequence[float], b: Sequence[float]) -> PairedIntervals:
    """Return the interval of the difference of two sides of which at least one is all zeros."""
    interval = mean_interval([value] for value in (b if any(b) else a))
    if interval is None:
        return _NOT_TOLD
    if not any(b):
        interval = Interval(-interval.high, -interval.low)
    differences = [in_b - in_a for in_a, in_b in zip(a, b, strict=True)]
    t = _t(fmean(differences), standard_error(differences))
    return PairedIntervals(interval, None, _p_value([t], len(a) - 1))


def _t(estimate: float, error: float) -> float:
    """Return how many standard errors an estimate is from zero; infinite where it has no error."""
    if error:
        return estimate / error
    return math.copysign(math.inf, estimate) if estimate else 0.0


def _log_normal_ratio(a: Sequence[float], b: Sequence[float]) -> tuple[float, float] | None:
    """Return the logarithm of the ratio of two means of log-normal pairs, and its standard error; None where half of a
    side is zero."""
    middle_a = median(a)
    middle_b = median(b)
    if not middle_a or not middle_b:
        return None
    logs = list(zip(_logarithms(a, middle_a), _logarithms(b, middle_b), strict=True))
    ratios = [log_b - log_a for log_a, log_b in logs]
    products = [log_b + log_a for log_a, log_b in logs]
    n = len(logs)
    spread = covariance(ratios, ratios)
    together = covariance(ratios, products)
    if max(ratios) - min(ratios) < _ROUNDING:
        spread = together = 0.0
    # So few products know little of their own spread, and too low a one errs to one side: its upper end counts.
    widest = covariance(products, products) * (n - 1) / chi_squared(_LOW_SPREAD, n - 1)
    error = math.sqrt(spread / n + (spread * widest + together**2) / (4 * (n - 2)))
    return fmean(ratios) + together / 2, error


@frozen
class PerSuccess:
    """The cost of a success in the long run, USD or any other unit of the costs."""

    estimate: float
    """Cost over successes, less what such a ratio is too high by where successes are few."""
    interval: Interval | None  # the interval of it; open above where there are too few runs


def per_success(clusters: Iterable[tuple[Sequence[float], int]]) -> PerSuccess | None:
    """Return the cost of a success, from (the costs of all runs, how many passed) of each cluster.

    None under three successes, and of costs that sum to nothing. The estimate is Beale's, the ratio of the sums times
    (1 + c/n) / (1 + v/n) over n clusters, c the relative covariance of cost and successes, v the relative variance of
    successes: E. M. L. Beale, "Some Uses of Computers in Operational Research", Industrielle Organisation 31 (1962).
    The ends are those of the mean cost and of the share of passed runs, added in squares of logarithms.
    """
    rows = [(costs, passed) for costs, passed in clusters if costs]
    costs = [math.fsum(row) for row, _ in rows]
    passes = [float(passed) for _, passed in rows]
    cost = math.fsum(costs)
    passed = sum(passed for _, passed in rows)
    if passed < MIN_SUCCESSES or not cost:
        return None
    plain = cost / passed
    n = len(rows)
    if n < 2:
        return PerSuccess(plain, None)
    common = covariance(costs, passes)
    variance = covariance(passes, passes)
    estimate = plain * (1 + common * n / cost / passed) / (1 + variance * n / passed**2)
    mean = mean_interval(row for row, _ in rows)
    share = rate_interval((passed, len(row)) for row, passed in rows)
    if mean is None or share is None or not mean.low:
        return PerSuccess(estimate, None)
    runs = sum(len(row) for row, _ in rows)
    # Where failures cost more, both err to the same side.
    together = min(common / math.sqrt(covariance(costs, costs) * variance or 1), 0)
    below = _reach(cost / runs / mean.low, share.high * runs / passed, together)
    beyond = _reach(mean.high * runs / cost, passed / runs / share.low, together)
    low = min(finite_exp(-below) * plain, estimate)
    high = max(finite_exp(beyond) * plain, estimate)
    return PerSuccess(estimate, Interval(low, high if high <= MAX_TIMES * plain else math.inf))


def _reach(cost: float, share: float, correlation: float) -> float:
    """Return how far the logarithm of a quotient may err, whose parts err by these factors, the second one upside
    down."""
    by_cost = math.log(cost)
    by_share = math.log(share)
    return math.sqrt(by_cost * by_cost + by_share * by_share - 2 * correlation * by_cost * by_share)


@cache
def student_t(share: float, degrees: int) -> float:
    """Return the value below which a share (0.5 to under 1) of Student's t distribution lies, for whole degrees of
    freedom.

    The distribution is a finite sum in sin and cos of θ = atan(t/√ν) (Abramowitz and Stegun 26.7.3 and
    26.7.4); it rises with θ, which is found by halving. For many degrees it is the expansion of 26.7.5.
    """
    if degrees > _EXACT_DEGREES:
        z = NormalDist().inv_cdf(share)
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + (z**3 + z) / (4 * degrees) + second / degrees**2 + third / degrees**3
    angle = _halved(math.pi / 2, lambda angle: _within(angle, degrees) < 2 * share - 1)
    return math.sqrt(degrees) * math.tan(angle)


def _halved(high: float, is_below: Callable[[float], bool], steps: int = 60) -> float:
    """Return the end of the values from 0 that are below, found by halving."""
    low = 0.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low


def _within(angle: float, degrees: int) -> float:
    """Return how likely |T| < √degrees · tan(angle) is."""
    sine = math.sin(angle)
    cosine = math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(2 + odd, degrees + 1, 2):
        total += term
        term *= cosine * cosine * (power - 1) / power
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


@cache
def chi_squared(share: float, degrees: int) -> float:
    """Return the value below which a share (above 0, under 1) of the χ² distribution lies.

    Found by halving, the distribution as its series (Abramowitz and Stegun 6.5.29); for many degrees it is the cube of
    Wilson and Hilferty (26.4.17).
    """
    z = NormalDist().inv_cdf(share)
    part = 2 / (9 * degrees)
    near = degrees * max(1 - part + z * math.sqrt(part), 0.0) ** 3
    if degrees > _EXACT_DEGREES:
        return near
    return _halved(2 * near + 10, lambda middle: _below(middle / 2, degrees / 2) < share)


def _below(value: float, shape: float) -> float:
    """Return how likely a gamma variable of this shape and scale 1 is below a value."""
    term = total = 1 / shape
    step = shape
    while term > total * 1e-16:
        step += 1
        term *= value / step
        total += term
    return total * math.exp(shape * math.log(value) - value - math.lgamma(shape)) if value else 0.0


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the value below which a share (above 0, under 1) of the beta distribution lies.

    Found by halving, the distribution as its continued fraction (Abramowitz and Stegun 26.5.8).
    """

    def is_below(middle: float) -> bool:
        if middle < (a + 1) / (a + b + 2):
            return _beta_below(middle, a, b) < share
        return 1 - _beta_below(1 - middle, b, a) < share

    return _halved(1.0, is_below, 40)


def _beta_below(value: float, a: float, b: float) -> float:
    """Return how likely a beta variable is below a value that is under its mean, or not far above."""
    fraction = 1.0
    terms = 10 + 2 * math.isqrt(int(max(a, b)))
    for m in range(terms, 0, -1):
        place = a + 2 * m
        even = m * (b - m) * value / ((place - 1) * place)
        odd = -(a + m) * (a + b + m) * value / (place * (place + 1))
        fraction = 1 + even / (1 + odd / fraction)
    fraction = 1 - (a + b) * value / (a + 1) / fraction
    log = a * math.log(value) + b * math.log1p(-value)
    log = log + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log) / (a * fraction)


def beyond_student_t(value: float, degrees: int) -> float:
    """Return how likely |T| is at least a value from zero up, for whole degrees of freedom; for many by the normal
    transform of D. L. Wallace, "Bounds on Normal Approximations to Student's and the Chi-Square Distributions", Annals
    of Mathematical Statistics 30 (1959)."""
    if degrees > _EXACT_DEGREES:
        root = math.sqrt(degrees * math.log1p(value * value / degrees))
        z = root * (8 * degrees + 1) / (8 * degrees + 3)
        return math.erfc(z / math.sqrt(2))
    return max(1 - _within(math.atan2(value, math.sqrt(degrees)), degrees), 0.0)


# Which question an interval answers, and so what counts as drawn: whole tasks, or single runs.


class Question(StrEnum):
    """The question that an interval of a rate or a mean answers. A comparison always asks the first."""

    TASKS_LIKE_THESE = "tasks like these"  # what other tasks of this kind would give
    THESE_TASKS = "these tasks"  # what further attempts at the same tasks would give


def clustered(
    figures: Iterable[tuple[Entry, T]], question: Question = Question.TASKS_LIKE_THESE
) -> list[list[T]]:
    """Return something that each run has by what counts as drawn: the task of the run, or each run alone.

    Alone stands also each run whose task is unknown, and each where all are attempts of one task. In any order.
    """
    by_task: dict[str, list[T]] = {}
    alone: list[list[T]] = []
    for entry, figure in figures:
        if entry.task is None or question is Question.THESE_TASKS:
            alone.append([figure])
        else:
            by_task.setdefault(entry.task, []).append(figure)
    if len(by_task) == 1 and not alone:
        return [[figure] for figure in chain(*by_task.values())]
    return [*by_task.values(), *alone]
