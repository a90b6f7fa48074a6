"""What the page of a comparison says: its claims, what they rest on and what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.figures import times
from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.intervals import FEWEST_CLUSTERS
from sitegen.numbers.statistics import AnyMeasure, Dimension, Measure, ScoreMeasure
from sitegen.numbers.wording import CLEAR, Claim, Sizes, capital, in_letters, measure_name, say, signed, tasks

_INFRASTRUCTURE = "infrastructure errors"
_IN_BOTH = "in both groups"
_ALIKE = {Dimension.MODEL: "with the same model", Dimension.CAMPAIGN: "in the same campaign"}
_KNOWN_ALIKE = _ALIKE | {Dimension.MODEL: "with the same known model"}


@dataclass(frozen=True, slots=True)
class SideView:
    """One of the two groups."""

    name: str
    short: str
    """Without what both names begin with, for heads and sentences."""
    key: str
    """CSS class of its colour."""
    href: str
    runs: str


def label_of(measure: AnyMeasure) -> str:
    """What a measure is called as a label."""
    return capital(measure_name(measure))


def heading_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """All that may be said, as a title."""
    shared = len(comparison.tasks)
    if not shared:
        return f"{a.short} and {b.short} share no task" + (" but in the same runs" if comparison.a.in_both else "")
    if not comparison.claims:
        some = tasks(comparison.shared)
        some += f", {in_letters(shared)} {_ALIKE[comparison.alike]}" if comparison.shared > shared else ""
        return f"{a.short} and {b.short} share {some}: too few for a verdict"
    further = [comparison.contrasts[each] for each in (Measure.TOKENS, Measure.WALL)]
    told = [*main_contrasts(comparison), *(each for each in further if each.effect in CLEAR)]
    return say(claims_of(a, b, told)) or f"{a.short} and {b.short} on {tasks(shared)}"


def claims_of(a: SideView, b: SideView, contrasts: Iterable[Contrast]) -> list[Claim]:
    """The claims about two sides under their short names."""
    return [Claim.of(each, a.short, b.short) for each in contrasts]


def main_contrasts(comparison: Comparison) -> list[Contrast]:
    """What a page speaks of first: all scores, cost and success."""
    contrasts = comparison.contrasts
    return [*comparison.scores.values(), contrasts[Measure.COST], contrasts[Measure.SUCCESS]]


def lead_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """What is known of the main measures, each with its interval."""
    shared = len(comparison.tasks)
    if not shared:
        if comparison.a.in_both:
            return "A run in both groups says nothing of their difference, and they share no task in other runs."
        return "No task was attempted by both, so nothing can be compared."
    if not comparison.claims:
        return f"Fewer than {in_letters(FEWEST_CLUSTERS)} shared tasks: no verdict. The runs are listed below."
    said = []
    if not comparison.is_alike:
        how, what = _KNOWN_ALIKE[comparison.alike], f"{comparison.alike.value}s"
        said.append(f"No task was attempted by both {how}, so a difference may be one of {what}.")
    if claims := say(claims_of(a, b, main_contrasts(comparison)), Sizes.ALL):
        said.append(f"{claims}.")
    if lower := [measure_name(each.measure) for each in comparison.scores.values() if each.measure.lower_is_better]:
        said.append(f"A lower {figures.sentence_list(lower)} is better.")
    return " ".join(said)


def meta_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """How much the page rests on, and how much is left out."""
    runs = comparison.a.compared + comparison.b.compared
    of = f"{figures.count(len(comparison.tasks))} of " if comparison.shared > len(comparison.tasks) else ""
    text = f"{of}{figures.plural(comparison.shared, 'shared task')}, {figures.plural(runs, 'run')}: "
    text += f"{comparison.a.compared} with {a.short}, {comparison.b.compared} with {b.short}."
    left = []
    for what, one, two in _left_out(comparison):
        count = one if what == _IN_BOTH else one + two
        what = what.removesuffix("s") if count == 1 and what == _INFRASTRUCTURE else what
        left.append(f"{figures.count(count)} {what}")
    return text + (f" Left out: {figures.sentence_list(left)}." if left else "")


def _left_out(comparison: Comparison) -> Iterator[tuple[str, int, int]]:
    """Why runs do not take part, and how many of each side; reasons that no run has are not named."""
    a, b = comparison.a, comparison.b
    reasons = (
        (_INFRASTRUCTURE, a.infrastructure, b.infrastructure),
        ("on tasks of one side only", a.other_tasks, b.other_tasks),
        (f"on tasks that the other side did not attempt {_ALIKE[comparison.alike]}", a.unlike, b.unlike),
        ("without a task", a.without_task, b.without_task),
        (_IN_BOTH, a.in_both, b.in_both),
    )
    yield from (reason for reason in reasons if reason[1] or reason[2])


def taking_part(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """Rows of (what, runs of A, runs of B) that add up to the runs of each group, which are the last row."""
    rows = [("Compared, on shared tasks", comparison.a.compared, comparison.b.compared), *_left_out(comparison)]
    for what, one, two in rows:
        yield (what if what == rows[0][0] else f"Left out: {what}"), figures.count(one), figures.count(two)
    yield "All", figures.count(sum(one for _, one, _ in rows)), figures.count(sum(two for _, _, two in rows))


def name_of(a: str, b: str, comparison: Comparison) -> str:
    """What the list of all comparisons calls one, with what its effects may come from."""
    unlike = bool(comparison.tasks) and not comparison.is_alike
    return f"{a} and {b}" + (f", no task {_KNOWN_ALIKE[comparison.alike]}" if unlike else "")


def gaps(contrasts: Iterable[Contrast], claims: bool, alike: Dimension) -> Iterator[str]:
    """Where a measure rests on less than the page does."""
    for each in contrasts:
        label, verb = label_of(each.measure), "are" if each.measure is Measure.TOKENS else "is"
        if each.tasks_left_out:
            known = f"{label} {verb} known on both sides of {tasks(len(each.tasks))} only"
            known = known if each.tasks else f"{label} {verb} not known on both sides of any task"
            too_few = claims and len(each.tasks) < FEWEST_CLUSTERS
            yield f"{known}, so nothing is claimed of it." if too_few else f"{known}."
        is_score = isinstance(each.measure, ScoreMeasure)
        if each.runs_left_out:
            runs = f"{figures.count(each.runs_left_out)} of these runs"
            one = each.runs_left_out == 1
            not_judged, not_known = ("is not", "does not") if one else ("are not", "do not")
            known = f"{not_known} report it" + (" in full" if each.measure is Measure.TOKENS else "")
            if is_score:
                known = "has none" if one else "have none"
            yield f"{label}: {runs} {f'{not_judged} judged' if each.measure is Measure.SUCCESS else known}."
        if each.runs_alone:
            runs = figures.plural(each.runs_alone, "more run")
            know = (
                "judged run" if each.measure is Measure.SUCCESS else f"run that {'has' if is_score else 'reports'} it"
            )
            yield f"{label}: {runs} left out, since the other side has no {know} of that task {_ALIKE[alike]}."
        if not claims or each.ratio or each.measure is Measure.SUCCESS:
            continue
        if is_score:
            if each.effect is Effect.TOO_FEW and len(each.tasks) >= FEWEST_CLUSTERS:
                yield f"{label}: both sides differ alike on every task, so there is no interval."
        elif each.difference:
            yield f"{label}: a side is zero on every task, so there is no ratio; the difference stands in the numbers."
        elif len(each.tasks) >= FEWEST_CLUSTERS:
            yield f"{label}: too few runs to tell, since half of a side is zero."


_MOST_TIMES = 10
"""A difference that would take more than so many times the tasks is called too small to see."""


_ROUND_USD = 10
"""From here on an estimate has no cents."""


def to_settle(comparison: Comparison) -> Iterator[str]:
    """For each open question, how many more tasks would probably settle it, and what they would cost."""
    spent = comparison.contrasts[Measure.COST].tasks
    a_task_usd = sum(pair.a_sum + pair.b_sum for pair in spent) / len(spent) if spent else 0.0
    for each in main_contrasts(comparison):
        tasks = len(each.tasks)
        needed, smallest = each.tasks_to_see_it(), each.smallest_seen(_MOST_TIMES * tasks) if tasks else None
        if each.effect is not Effect.UNDECIDED or needed is None or smallest is None or needed <= tasks:
            continue
        label, measure = label_of(each.measure), each.measure
        if needed > _MOST_TIMES * tasks:
            size = f"{points(smallest)} points" if measure is Measure.SUCCESS else f"{times(smallest)} times"
            if isinstance(measure, ScoreMeasure) and not each.is_ratio:
                size = figures.score(smallest, measure.unit)
            often = in_letters(_MOST_TIMES)
            yield f"{label}: a difference of less than {size} would take more than {often} times these tasks to see."
            continue
        more = max(math.ceil(needed) - tasks, 1)
        usd = more * a_task_usd
        cost = (
            f", for about {figures.money(usd) if usd < _ROUND_USD else f'${usd:,.0f}'} at the costs seen" if usd else ""
        )
        yield (
            f"{label}: were the difference as large as it looks, about {figures.plural(more, 'more task')} would show "
            f"it four times in five{cost}."
        )


def ahead_on(a: SideView, b: SideView, contrast: Contrast) -> str:
    """Who is ahead on how many tasks, in success or in cost."""
    did, alike = ("passed more", "passed equally often") if contrast.is_difference else ("cost less", "cost the same")
    (more, most), (less, least) = sorted(((a, contrast.a_wins), (b, contrast.b_wins)), key=lambda side: -side[1])
    level = f"; {in_letters(contrast.ties)} {'was' if contrast.ties == 1 else 'were'} level" if contrast.ties else ""
    if not most:
        return f"{a.short} and {b.short} {alike} on every task" if contrast.tasks else "The shared tasks"
    return f"{more.short} {did} on {tasks(most)}, {less.short} on {_none_or(least)}{level}"


def share(share: float | None) -> str:
    return figures.percent(share, 1)


def points(share: float | None) -> str:
    """A share as points of a hundred, whole ones from one on."""
    return figures.fixed(None if share is None else 100 * share, 0 if share is None or abs(share) >= 0.01 else 1)


def signed_points(share: float | None) -> str:
    return signed(share, points)


def _none_or(number: int) -> str:
    return in_letters(number) if number else "none"


def writer_of(measure: AnyMeasure) -> figures.Write:
    """How a measure is written in prose."""
    return partial(figures.score, unit=measure.unit) if isinstance(measure, ScoreMeasure) else _WRITERS[measure]


_WRITERS: Mapping[Measure, figures.Write] = {
    Measure.COST: figures.money,
    Measure.TOKENS: figures.count_short,
    Measure.WALL: figures.duration,
    Measure.SUCCESS: share,
}
