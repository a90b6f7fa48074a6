"""What the campaign found, in one sentence: by score or outcome where there is one, else by money.

It says of whom which figure is the best and on how many runs that rests, and that the order could be chance wherever
intervals do not carry it.
"""

from __future__ import annotations

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.figures import bounded
from sitegen.numbers.scores import ScoreMeasure
from sitegen.numbers.statistics import CampaignSummary, Measure
from sitegen.numbers.success import Success
from sitegen.pages.first.leaderboard import FEWEST, Board, Contender, are_alike
from sitegen.pages.first.scores import score_writer


def headline(summary: CampaignSummary, judged: Success, found: Board | None) -> str:
    """One sentence."""
    if found and (said := _of_board(found)):
        return said
    runs, cost = figures.plural(summary.runs, "run"), summary.cost
    listed = "" if summary.computed.value is None else f"about {bounded(summary.computed, figures.money)} by list price"
    if summary.runs == 1:
        if cost.known:
            return f"One run cost {figures.money(cost.value)}."
        return f"One run cost {listed}; its file reports none." if listed else "One run, which reports no cost."
    said = f"{runs} cost {bounded(cost, figures.money)}" if cost.known else f"{runs} report no cost"
    if listed and not cost.known:
        said = f"{runs} cost {listed}; none reports a cost"
    if cost.known > 1:
        said += f", the median {figures.money(summary.median_cost_usd)}"
    if judged.judged:
        passed = figures.percent(judged.passed, judged.judged)
        said += f"; {passed} of {figures.count(judged.judged)} judged runs passed"
    return f"{said}."


def _of_board(found: Board) -> str:
    """Who is ahead in what; empty where not two rows of enough runs know it, and where they differ in cost by chance
    only, or in the tasks that they did."""
    if found.by is Measure.COST and not found.leads:
        return ""
    told = [each for each in found.contenders if _known(found, each) >= FEWEST and _figure(found, each)]
    if len(told) < 2 or not are_alike(*told[:2]):
        return ""
    first, second, *others = told
    chance = "" if found.leads else "; the order could be chance"
    base = _base(found, told)
    name, other = label(first.name), label(second.name)
    if isinstance(found.by, ScoreMeasure):
        extreme = "lowest" if found.by.lower_is_better else "highest"
        of = f"the {extreme} mean {found.by.name}," if others else f"a mean {found.by.name} of"
        said = f"{name} {'leads with' if found.leads else 'reached'} {of} {_figure(found, first)}{_at(first)}"
    elif found.by is Measure.SUCCESS:
        said = f"{name} passed {'most often, ' if others else ''}{_figure(found, first)}{_at(first)}"
    else:
        said = f"{name} cost {'least' if others else 'less'}, {_figure(found, first)} a run"
    at = "" if found.by is Measure.COST or second.cost.mean is None else f" at {_mean_cost(second)}"
    return f"{said}, against {_figure(found, second)}{at} for {other}{chance} ({base})."


def _figure(found: Board, each: Contender) -> str:
    if isinstance(found.by, ScoreMeasure):
        mean = each.scores[0].mean
        return "" if mean is None else score_writer(found.by, abs(mean))(mean)
    if found.by is Measure.SUCCESS:
        return figures.percent(each.judged.passed, each.judged.judged) if each.judged.judged else ""
    return _mean_cost(each)


def _mean_cost(each: Contender) -> str:
    return "" if each.cost.mean is None else ("about " if each.is_computed else "") + figures.money(each.cost.mean)


def _at(each: Contender) -> str:
    return "" if each.cost.mean is None else f" at {_mean_cost(each)} a run"


def _known(found: Board, each: Contender) -> int:
    """Runs that its figure rests on."""
    if isinstance(found.by, ScoreMeasure):
        return each.scores[0].known
    return each.judged.judged if found.by is Measure.SUCCESS else each.cost.known


def _base(found: Board, told: list[Contender]) -> str:
    what = "scored " if isinstance(found.by, ScoreMeasure) else "judged " if found.by is Measure.SUCCESS else ""
    return f"{figures.count(sum(_known(found, each) for each in told))} {what}runs"
