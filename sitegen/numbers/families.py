"""Which differences may be claimed: all comparisons of a build in one measure are one family.

Of twenty comparisons without a difference one looks clear by chance. So a claim needs its p-value corrected for all
comparisons of its measure, whatever page they stand on: then, where nothing differs, at most one build in twenty claims
anything of that measure. Sides that are the same runs, as a model and the only configuration with it are, are compared
once. Ranks follow from the same corrected comparisons, so that a rank and a sentence agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.statistics import Measure

K = TypeVar("K", bound=Hashable)

_Sides = frozenset[frozenset[str]]


def corrected_ps(ps: Sequence[float]) -> list[float]:
    """The p-values, in their order, corrected for their number: the least level at which each is a claim.

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6
    (1979).
    """
    found, largest = [0.0] * len(ps), 0.0
    for number, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min((len(ps) - number) * ps[at], 1.0))
        found[at] = largest
    return found


def corrected(
    comparisons: Mapping[K, Comparison], breakdowns: Mapping[str, float]
) -> tuple[dict[K, Comparison], dict[str, float]]:
    """The comparisons of a build, with the p-values of each measure corrected for all of them; and those of breakdowns
    of success, by name, which are in its family."""
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

    told_all = {
        key: replace(
            each,
            contrasts={measure: told(key, contrast) for measure, contrast in each.contrasts.items()},
            scores={name: told(key, contrast) for name, contrast in each.scores.items()},
        )
        for key, each in comparisons.items()
    }
    return told_all, {name: known[Measure.SUCCESS.key][name] for name in breakdowns}


def _sides(comparison: Comparison) -> _Sides:
    """What is compared: the runs of both sides, whichever comes first."""
    both = (comparison.a, comparison.b)
    return frozenset(frozenset(entry.id for runs in side.runs.values() for entry in runs) for side in both)


@dataclass(frozen=True, slots=True)
class Rank:
    """The places that a group may have among all, the first being the best."""

    first: int
    """One more than the groups that are clearly better."""
    last: int
    """All that can be compared but those that are clearly worse."""


def ranks(names: Sequence[str], contrasts: Iterable[tuple[str, str, Contrast]], others: int = 0) -> dict[str, Rank]:
    """The places of each group by contrasts (A, B, B against A) in one measure, among those of these that are compared
    with another on enough tasks, and `others` that could be."""
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
