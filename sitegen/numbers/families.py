"""The differences that may be claimed: all comparisons of a build in one measure are one family.

Of twenty comparisons without a difference one looks clear by chance. So a claim needs its p-value corrected for all
planned comparisons of its measure, whatever page they are on: then, where nothing differs, at most one build in twenty
claims anything of that measure. Planned are those against a control, else those that the settings name, else all. Sides
that are the same runs, as a model and the only configuration with it are, are compared once.

Who may lead is asked of each group against its rivals, with a correction for these alone.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TypeVar

from sitegen.numbers.comparison import Comparison, Contrast, Effect, Side
from sitegen.numbers.intervals import CONFIDENCE
from sitegen.numbers.statistics import Measure

K = TypeVar("K", bound=Hashable)
LEVEL = 1 - CONFIDENCE
_NOTHING = 1e-300  # the likelihood of a table, relative to the likeliest one, that counts as zero
_ROUNDING = 1e-9  # tables whose likelihood differs by less are equally likely

_Sides = frozenset[frozenset[str]]


def corrected_ps(ps: Sequence[float]) -> list[float]:
    """Return the p-values, in their order, corrected for their number: the least level at which each is a claim.

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6
    (1979).
    """
    corrected_p = [0.0] * len(ps)
    largest = 0.0
    for number, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min((len(ps) - number) * ps[place], 1.0))
        corrected_p[place] = largest
    return corrected_p


def holm(ps: Sequence[float], level: float) -> float:
    """Return the largest p value that is a claim when all of these are asked together; below 0 where none is."""
    pairs = zip(ps, corrected_ps(ps), strict=True)
    return max((p for p, corrected_p in pairs if corrected_p <= level), default=-1.0)


@cache
def fisher(a: int, a_of: int, b: int, b_of: int) -> float:
    """Return how likely two shares, a of a_of and b of b_of, differ at least so by chance: the two-sided exact test.

    From the likeliest table outwards, each by its ratio to the one before, until what is left is nothing: so many runs
    take time by their root, and the result is exact but for rounding (1e-11 of it, measured for up to 3,000 runs).

    Source: R. A. Fisher, "On the Interpretation of χ² from Contingency Tables, and the Calculation of P", Journal of
    the Royal Statistical Society 85 (1922).
    """
    passed = a + b
    first = max(0, passed - b_of)
    last = min(a_of, passed)
    mode = min(max((a_of + 1) * (passed + 1) // (a_of + b_of + 2), first), last)
    likely = {mode: 1.0}
    for end, step in ((last, 1), (first, -1)):
        k = mode
        weight = 1.0
        while k != end and weight > _NOTHING:
            low = min(k, k + step)
            odds = (a_of - low) * (passed - low) / ((low + 1) * (b_of - passed + low + 1))
            k += step
            weight *= odds**step
            likely[k] = weight
    seen = likely.get(a, 0.0) * (1 + _ROUNDING)
    extreme = math.fsum(weight for weight in likely.values() if weight <= seen)
    return min(extreme / math.fsum(likely.values()), 1.0)


def mcnemar(gained: int, lost: int) -> float:
    """Return how likely as many tasks or more are only gained, or only lost, by chance: the exact two-sided test.

    Source: Q. McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages",
    Psychometrika 12 (1947).
    """
    changed = gained + lost
    tail = sum(math.comb(changed, count) for count in range(min(gained, lost) + 1))
    ways: int = 2**changed
    return min(2 * tail, ways) / ways


def corrected(
    comparisons: Mapping[K, Comparison],
    breakdowns: Mapping[str, float],
    planned: Collection[K] = (),
) -> tuple[dict[K, Comparison], dict[str, float]]:
    """Return the comparisons of a build, with the p-values of each measure corrected for those that are planned, all
    where none is; and those of breakdowns of success, by name, which are in its family."""
    sides = {key: _sides(comparison) for key, comparison in comparisons.items()}
    families: dict[str, dict[_Sides | str, float]] = {Measure.SUCCESS.key: dict(breakdowns.items())}
    for key in planned or comparisons:
        for contrast in comparisons[key].all_contrasts:
            if contrast.claimed_p is not None:
                family = families.setdefault(contrast.measure.key, {})
                family[sides[key]] = max(family.get(sides[key], 0.0), contrast.claimed_p)
    for measure, ps in families.items():
        families[measure] = dict(zip(ps, corrected_ps(list(ps.values())), strict=True))
    corrected_comparisons = {
        key: _with_corrected(comparison, sides[key], families)
        for key, comparison in comparisons.items()
    }
    of_success = families[Measure.SUCCESS.key]
    return corrected_comparisons, {name: of_success[name] for name in breakdowns}


def _with_corrected(
    comparison: Comparison, sides: _Sides, families: Mapping[str, Mapping[_Sides | str, float]]
) -> Comparison:
    """Return a comparison with the corrected p-values that its sides have in the families of each measure."""

    def correct(contrast: Contrast) -> Contrast:
        p = families.get(contrast.measure.key, {}).get(sides)
        is_claimed = p is not None or contrast.claimed_p is None
        return replace(contrast, corrected_p=p, is_claimed=is_claimed)

    contrasts = {measure: correct(contrast) for measure, contrast in comparison.contrasts.items()}
    scores = {name: correct(contrast) for name, contrast in comparison.scores.items()}
    fields = {name: correct(contrast) for name, contrast in comparison.fields.items()}
    return replace(comparison, contrasts=contrasts, scores=scores, fields=fields)


def _sides(comparison: Comparison) -> _Sides:
    """Return what is compared: the runs of both sides, whichever comes first."""
    return frozenset((_ids(comparison.a), _ids(comparison.b)))


def _ids(side: Side) -> frozenset[str]:
    return frozenset(entry.id for entry in chain(*side.runs.values()))


def may_lead(
    names: Sequence[str], contrasts: Iterable[tuple[str, str, Contrast]]
) -> dict[str, bool]:
    """Return whether each group may lead by contrasts (A, B, B against A) in one measure, of those of these that are
    compared with a rival on enough tasks.

    It may if by one counting of lost runs no rival is better: one-sided, at LEVEL over the number of rivals, of which
    one counts as two, since either of two groups may be called the leader by chance. Source: J. C. Hsu, "Simultaneous
    Confidence Intervals for All Distances from the 'Best'", The Annals of Statistics 9 (1981).
    """
    by_name: dict[str, list[tuple[Contrast, bool]]] = {name: [] for name in names}
    for a, b, contrast in contrasts:
        by_name[a].append((contrast, True))
        by_name[b].append((contrast, False))
    return {
        name: not _is_beaten(rivals)
        for name, rivals in by_name.items()
        if any(map(_has_test, rivals))
    }


def _has_test(rival: tuple[Contrast, bool]) -> bool:
    return rival[0].effect is not Effect.TOO_FEW


def _is_beaten(rivals: Sequence[tuple[Contrast, bool]]) -> bool:
    """Return whether a rival is better by both countings; each is a contrast, and whether the rival is its B."""
    countings = rivals, [(contrast.other or contrast, is_b) for contrast, is_b in rivals]
    return all(map(_is_beaten_by_one, countings))


def _is_beaten_by_one(rivals: Sequence[tuple[Contrast, bool]]) -> bool:
    known = [contrast.p_of_better(is_b=is_b) for contrast, is_b in filter(_has_test, rivals)]
    return any(p is not None and p <= LEVEL / max(len(known), 2) for p in known)
