"""Comparisons on a part of the shared tasks, such as those of one codebase.

They belong to no family of claims, so none of them is called clear; their intervals say how sure they are.
"""

from collections.abc import Mapping
from dataclasses import replace

from sitegen import figures
from sitegen.numbers.comparison import Comparison, Contrast
from sitegen.numbers.statistics import Measure
from sitegen.numbers.wording import CLEAR


def contrast_on(contrast: Contrast, groups: Mapping[str, str], group: str) -> Contrast:
    """Return a contrast on the shared tasks of one group; `groups` has the group of each task."""
    measure = contrast.measure
    tasks = tuple(pair for pair in contrast.tasks if groups.get(pair.task) == group)
    ends = measure.paired([(pair.a, pair.b) for pair in tasks])
    return replace(
        contrast,
        tasks=tasks,
        a=measure.mean(pair.a for pair in tasks) if tasks else None,
        b=measure.mean(pair.b for pair in tasks) if tasks else None,
        difference=ends.difference,
        ratio=ends.ratio,
        p_value=ends.p_value,
        corrected_p=None,
        is_claimed=False,
        other=None,
    )


def comparison_on(comparison: Comparison, groups: Mapping[str, str], group: str) -> Comparison:
    """Return a comparison with its contrasts on the shared tasks of one group."""
    tasks = tuple(task for task in comparison.tasks if groups.get(task) == group)
    contrasts = {
        measure: contrast_on(contrast, groups, group)
        for measure, contrast in comparison.contrasts.items()
    }
    return replace(comparison, tasks=tasks, contrasts=contrasts)


def describe_opposite(comparison: Comparison, name: str, groups: Mapping[str, str]) -> str:
    """Return a sentence where success does not differ clearly on all tasks, and differs in opposite directions between
    groups with enough tasks; else nothing."""
    pooled = comparison.contrasts.get(Measure.SUCCESS)
    if pooled is None or pooled.effect in CLEAR:
        return ""
    differences: dict[str, float] = {}
    for group in dict.fromkeys(groups.values()):
        contrast = contrast_on(pooled, groups, group)
        if contrast.difference and contrast.mean_difference:
            differences[group] = contrast.mean_difference
    if not differences or min(differences.values()) > 0 or max(differences.values()) < 0:
        return ""
    texts = [f"{figures.points(size)} points on {group}" for group, size in differences.items()]
    return (
        f"No clear difference in success over all tasks, but opposite ones by {name}: "
        f"{figures.sentence_list(texts)}."
    )
