"""The differences that may be claimed: all comparisons of a build in one measure are one family.

Of twenty comparisons without a difference one looks clear by chance. So a claim needs its p-value corrected for all
comparisons of its measure, whatever page they stand on: then, where nothing differs, at most one build in twenty claims
anything of that measure. Sides that are the same runs, as a model and the only configuration with it are, are compared
once. Ranks follow from the same corrected comparisons, so that a rank and a sentence agree.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.statistics import Measure

K = TypeVar("K", bound=Hashable)
_NOTHING = 1e-300  # the likelihood of a table, relative to the likeliest one, that counts as zero
_ROUNDING = 1e-9  # tables whose likelihood differs by less are equally likely

_Sides = frozenset[frozenset[str]]


def corrected_ps(ps: Sequence[float]) -> list[float]:
    """Return the p-values, in their order, corrected for their number: the least level at which each is a claim.

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6
    (1979).
    """
    found, largest = [0.0] * len(ps), 0.0
    for number, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min((len(ps) - number) * ps[at], 1.0))
        found[at] = largest
    return found


def holm(ps: Sequence[float], level: float) -> float:
    """Return the largest p value that is a claim when all of these are asked together; below 0 where none is."""
    return max((p for p, own in zip(ps, corrected_ps(ps), strict=True) if own <= level), default=-1.0)


@cache
def fisher(a: int, a_of: int, b: int, b_of: int) -> float:
    """Return how likely two shares, a of a_of and b of b_of, differ at least so by chance: the two-sided exact test.

    From the likeliest table outwards, each by its ratio to the one before, until what is left is nothing: so many runs
    take time by their root, and the result is exact but for rounding (1e-11 of it, measured for up to 3,000 runs).

    Source: R. A. Fisher, "On the Interpretation of χ² from Contingency Tables, and the Calculation of P", Journal of
    the Royal Statistical Society 85 (1922).
    """
    passed = a + b
    first, last = max(0, passed - b_of), min(a_of, passed)
    mode = min(max((a_of + 1) * (passed + 1) // (a_of + b_of + 2), first), last)
    likely = {mode: 1.0}
    for end, step in ((last, 1), (first, -1)):
        k, weight = mode, 1.0
        while k != end and weight > _NOTHING:
            low = min(k, k + step)
            odds = (a_of - low) * (passed - low) / ((low + 1) * (b_of - passed + low + 1))
            k, weight = k + step, weight * odds**step
            likely[k] = weight
    seen = likely.get(a, 0.0) * (1 + _ROUNDING)
    return min(math.fsum(each for each in likely.values() if each <= seen) / math.fsum(likely.values()), 1.0)


def corrected(
    comparisons: Mapping[K, Comparison], breakdowns: Mapping[str, float]
) -> tuple[dict[K, Comparison], dict[str, float]]:
    """Return the comparisons of a build, with the p-values of each measure corrected for all of them; and those of
    breakdowns of success, by name, which are in its family."""
    sides = {key: _sides(each) for key, each in comparisons.items()}
    families: dict[str, dict[_Sides | str, float]] = {Measure.SUCCESS.key: dict(breakdowns.items())}
    for key, each in comparisons.items():
        for contrast in (*each.contrasts.values(), *each.scores.values()):
            if contrast.p_value is not None:
                family = families.setdefault(contrast.measure.key, {})
                family[sides[key]] = max(family.get(sides[key], 0.0), contrast.p_value)
    known = {measure: dict(zip(ps, corrected_ps(list(ps.values())), strict=True)) for measure, ps in families.items()}

    def told(key: K, contrast: Contrast) -> Contrast:
        family = known.get(contrast.measure.key, {})
        return contrast if contrast.p_value is None else replace(contrast, corrected_p=family[sides[key]])

    told_all = {}
    for key, each in comparisons.items():
        contrasts = {measure: told(key, contrast) for measure, contrast in each.contrasts.items()}
        scores = {name: told(key, contrast) for name, contrast in each.scores.items()}
        told_all[key] = replace(each, contrasts=contrasts, scores=scores)
    return told_all, {name: known[Measure.SUCCESS.key][name] for name in breakdowns}


def _sides(comparison: Comparison) -> _Sides:
    """Return what is compared: the runs of both sides, whichever comes first."""
    both = (comparison.a, comparison.b)
    return frozenset(frozenset(entry.id for runs in side.runs.values() for entry in runs) for side in both)


@dataclass(frozen=True, slots=True)
class Rank:
    """The places that a group may have among all, the first being the best."""

    first: int  # one more than the groups that are clearly better
    last: int  # all that can be compared but those that are clearly worse


def ranks(names: Sequence[str], contrasts: Iterable[tuple[str, str, Contrast]], others: int = 0) -> dict[str, Rank]:
    """Return the places of each group by contrasts (A, B, B against A) in one measure, among those of these that are
    compared with another on enough tasks, and `others` that could be."""
    better, worse, told = (dict.fromkeys(names, 0) for _ in range(3))
    for a, b, contrast in contrasts:
        for name in (a, b):
            told[name] += contrast.effect is not Effect.TOO_FEW
        if contrast.effect in (Effect.LOWER, Effect.HIGHER):
            is_b = (contrast.effect is Effect.LOWER) == contrast.measure.lower_is_better
            best, other = (b, a) if is_b else (a, b)
            better[other] += 1
            worse[best] += 1
    compared = [name for name in names if told[name]]
    return {name: Rank(1 + better[name], len(compared) + others - worse[name]) for name in compared}
