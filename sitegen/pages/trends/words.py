"""What the page of trends says of figures and days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from sitegen import figures
from sitegen.figures import sentence_list
from sitegen.numbers.comparison import Effect
from sitegen.numbers.statistics import Measure, ScoreMeasure
from sitegen.numbers.trends import FEWEST, NEW, MeasureTrend, TaskTrend, Trends, Verdict
from sitegen.numbers.wording import Base, Claim, in_letters, say

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LISTED = 3


def day(iso: str, *, with_year: bool = False) -> str:
    """A day as in 18 Nov."""
    on = date.fromisoformat(iso)
    return f"{on.day} {_MONTHS[on.month - 1]}" + (f" {on.year}" if with_year else "")


def value(measure: str, number: float) -> str:
    """A figure of a measure as it stands in text."""
    if measure == "success":
        return figures.percent(number, 1)
    return figures.money(number) if measure == "cost" else f"{number:,.3g}"


def apart(measure: str, *two: float) -> list[str]:
    """Two figures that differ as text that differs."""
    said = [value(measure, number) for number in two]
    if said[0] != said[1]:
        return said
    exact: Callable[[float], str] = figures.money_exact if measure == "cost" else "{:,.6g}".format
    return [f"{100 * each:,.6g}%" if measure == "success" else exact(each) for each in two]


def measure_name(measure: str) -> str:
    """What a measure is called in a sentence."""
    return measure.removeprefix("score.")


def heading(trends: Trends) -> str:
    """The finding of the page."""
    campaigns, several = trends.campaigns, len(trends.campaigns) != 1
    counted = f"{in_letters(len(campaigns)).capitalize()} campaign{'s' if several else ''}"
    since = f"{counted} since {day(campaigns[0].day, with_year=True)}" if several else counted
    if trends.are_too_few:
        return f"{since}: too few to tell a clear change"
    if trends.are_apart:
        return f"{since}, and nothing in them to compare"
    found = [*map(_moved, (each for each in trends.measures if each.since is not None))]
    new = [each for each in trends.tasks if each.verdict in NEW]
    for verdict in (Verdict.NEWLY_FAILS, Verdict.NEWLY_PASSES):
        own = [each for each in new if each.verdict is verdict]
        if own:
            verb = verdict.value if len(own) == 1 else verdict.value.removesuffix("s")
            found.append(f"{own[0].task if len(own) == 1 else f'{in_letters(len(own))} tasks'} {verb}")
    if not found:
        return f"{since}: no clear change"
    return f"{since}: {sentence_list(found[:_LISTED])}"


def _moved(each: MeasureTrend) -> str:
    assert each.before is not None and each.after is not None  # noqa: S101  a step has both
    measures = {"success": Measure.SUCCESS, "cost": Measure.COST}
    measure = measures.get(each.measure, ScoreMeasure(measure_name(each.measure)))
    effect = Effect.HIGHER if each.after > each.before else Effect.LOWER
    return say([Claim(measure, Base("before", each.model, each.tasks), None, None, effect, is_ratio=False)])


def lead(trends: Trends) -> str:
    """What moved in the last campaigns, and against which."""
    if trends.are_too_few:
        return (
            f"It takes {in_letters(FEWEST)} campaigns to tell a clear change over time. "
            "To compare two campaigns, open their comparison page."
        )
    if trends.are_apart:
        return "No two campaigns have runs of the same task and model. Runs without a task or a model are not compared."
    new = [each for each in trends.tasks if each.verdict in NEW]
    last = len(trends.campaigns) - FEWEST
    recent = [each for each in trends.measures if each.since is not None and each.since > last]
    said = [f"{_measured(each)} since {trends.campaigns[each.since or 0].name}" for each in recent]
    said += [f"{each.task} {each.verdict} ({each.model})" for each in new]
    if not said:
        return "No clear change in the last campaigns."
    listed = [*said[:8], f"{in_letters(len(said) - 8)} more"] if len(said) > 8 else said
    return f"Clear changes in the last campaigns: {sentence_list(listed)}."


def _measured(each: MeasureTrend) -> str:
    before, after = apart(each.measure, each.before or 0.0, each.after or 0.0)
    what = {"success": "success", "cost": "mean cost"}.get(each.measure, measure_name(each.measure))
    return f"{what} of {each.model} went from {before} to {after}"


def chart_heading(trends: Trends, measure: str, lines: Sequence[MeasureTrend]) -> str:
    """The finding of a chart."""
    moved = [each for each in lines if each.since is not None]
    if moved:
        text = sentence_list([f"{_measured(each)} on {day(trends.campaigns[each.since or 0].day)}" for each in moved])
        return text[:1].upper() + text[1:]
    what = measure_name(measure)
    what = what[:1].upper() + what[1:]
    return what if trends.are_too_few else f"{what}: no clear change"


def chart_note(measure: str, lines: Sequence[MeasureTrend]) -> str:
    """What a chart shows."""
    what = {
        "success": "Share of judged runs that passed",
        "cost": "Mean cost of a run (at list price where it reports none)",
    }.get(measure, f"Mean {measure_name(measure)} of a run")
    shared = {each.tasks for each in lines}
    if shared == {0}:
        return f"{what}, 95% intervals. The campaigns share no task, so they are not compared"
    if 0 in shared:
        return f"{what} on the tasks that all campaigns share, where they share any, 95% intervals"
    counts = sorted(shared)
    tasks = figures.plural(counts[0], "task") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} tasks"
    return f"{what} on the {tasks} that all campaigns share, 95% intervals"


def now(trends: Trends, each: TaskTrend) -> tuple[str, str]:
    """The verdict in the table, and what stands behind it."""
    since = trends.campaigns[each.since].name if each.since is not None else ""
    behind = f"since {since}" if since else ""
    if each.verdict is Verdict.FLIPS:
        behind = f"{each.changes} changes in {sum(cell is not None for cell in each.cells)}"
    if each.verdict in (Verdict.FAILS, Verdict.PASSES):
        return each.verdict.value.partition(" ")[0], behind
    if each.anew is not None:
        anew = f"another prompt since {trends.campaigns[each.anew].name}"
        behind = f"{behind}; {anew}" if behind else anew
    return each.verdict.value, behind


ROLES = {
    **dict.fromkeys((Verdict.NEWLY_FAILS, Verdict.FAILS, Verdict.LESS_OFTEN), "fail"),
    **dict.fromkeys((Verdict.NEWLY_PASSES, Verdict.PASSES, Verdict.MORE_OFTEN), "pass"),
    Verdict.FLIPS: "part",
}
"""CSS class of a verdict; none for what did not change."""
