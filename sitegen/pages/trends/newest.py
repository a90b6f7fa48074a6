"""What the index says first of several campaigns: the newest against the one before."""

from __future__ import annotations

from sitegen import figures
from sitegen.figures import sentence_list
from sitegen.numbers.comparison import Comparison, Effect
from sitegen.numbers.statistics import Dimension, Measure
from sitegen.pages.compare import Comparisons
from sitegen.pages.compare.words import does, main_contrasts
from sitegen.pages.trends import Followed


def against_the_one_before(followed: Followed, compared: Comparisons) -> str:
    """One sentence about the tasks that both share; empty where one of the two has no runs here, or they share none."""
    if len(followed.over_time.campaigns) < 2:
        return ""
    old, new = (each.name for each in followed.over_time.campaigns[-2:])
    comparison = next((each for pair, each in compared.pairs if pair == (Dimension.CAMPAIGN, old, new)), None)
    return _said(old, new, comparison) if comparison else ""


def _said(old: str, new: str, comparison: Comparison) -> str:
    passed, cost = (comparison.contrasts[each] for each in (Measure.SUCCESS, Measure.COST))
    sides = ((cost.a, comparison.a), (cost.b, comparison.b))
    usd = [f"{'about ' if own.listed else ''}{figures.money(each)} a run" for each, own in sides if each is not None]
    if passed.a is not None and passed.b is not None:
        at = [f" at {each}" for each in usd] or ["", ""]
        said = f"{new} passed {figures.percent(passed.b, 1)}{at[1]}, against {figures.percent(passed.a, 1)}{at[0]}"
    elif usd:
        said = f"{new} cost {usd[1]}, against {usd[0]}"
    else:
        return ""
    decided = [does(each) for each in main_contrasts(comparison) if each.effect in (Effect.LOWER, Effect.HIGHER)]
    chance = f"beyond chance it {sentence_list(decided)}" if decided else "the differences could be chance"
    tasks = figures.plural(len(passed.tasks or cost.tasks), "shared task")
    return f"{said} for {old}; {chance} ({tasks})."
