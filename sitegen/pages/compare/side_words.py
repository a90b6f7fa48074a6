"""The words of a comparison page: its claims, what they rest on and what is missing."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.figures import times
from sitegen.numbers.comparison import LEVEL_COST, Comparison, Contrast, Effect
from sitegen.numbers.intervals import MIN_CLUSTERS
from sitegen.numbers.statistics import AnyMeasure, Dimension, Measure, ScoreMeasure
from sitegen.numbers.treatment import tasks_with_other_checks
from sitegen.numbers.wording import (
    CLEAR,
    Claim,
    Sizes,
    in_letters,
    measure_name,
    say,
    tasks,
)

_INFRASTRUCTURE = "infrastructure errors"
_IN_BOTH = "in both groups"
_ALIKE = {Dimension.MODEL: "with the same model", Dimension.CAMPAIGN: "in the same campaign"}
_KNOWN_ALIKE = _ALIKE | {Dimension.MODEL: "with the same known model"}


@dataclass(frozen=True, slots=True)
class SideView:
    """One of the two groups."""

    name: str
    short: str  # without what both names begin with, for heads and sentences
    key: str  # CSS class of its colour
    href: str
    runs: str


def label_of(measure: AnyMeasure) -> str:
    """Return what a measure is called as a label."""
    return figures.capitalized(measure_name(measure))


def heading_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Return all that may be said, as a title."""
    shared = len(comparison.tasks)
    if not shared:
        return f"{a.short} and {b.short} share no task" + (
            " but in the same runs" if comparison.a.in_both else ""
        )
    if not comparison.claims:
        some = tasks(comparison.shared)
        some += (
            f", {in_letters(shared)} {_ALIKE[comparison.alike]}"
            if comparison.shared > shared
            else ""
        )
        return f"{a.short} and {b.short} share {some}: too few to compare"
    return say(_claims(a, b, comparison)) or f"{a.short} and {b.short} on {tasks(shared)}"


def _claims(a: SideView, b: SideView, comparison: Comparison) -> list[Claim]:
    """Return those about the main measures, and about tokens and time where they are clear or nothing else is known."""
    main = main_contrasts(comparison)
    is_known = any(each.effect is not Effect.TOO_FEW for each in main)
    further = [comparison.contrasts[each] for each in (Measure.TOKENS, Measure.WALL)]
    told = [*main, *(each for each in further if each.effect in CLEAR or not is_known)]
    return [Claim.of(each, a.short, b.short) for each in told]


def main_contrasts(comparison: Comparison) -> list[Contrast]:
    """Return what a page speaks of first: all scores, verdicts, cost and success."""
    known = comparison.contrasts  # of one that only tells who may lead, one measure
    fields = comparison.fields.values()
    return [
        *comparison.scores.values(),
        *(each for each in fields if each.measure.higher_is_better),
        *(known[each] for each in (Measure.COST, Measure.SUCCESS) if each in known),
    ]


def lead_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Return what is known of the main measures, each with its interval."""
    shared = len(comparison.tasks)
    if not shared:
        if comparison.a.in_both:
            return "A run in both groups says nothing about their difference, and they share no task in other runs."
        return "No task was attempted by both, so nothing can be compared."
    if not comparison.claims:
        return f"Fewer than {in_letters(MIN_CLUSTERS)} shared tasks: too few to compare. The runs are listed below."
    said = []
    if not comparison.is_alike:
        how = _KNOWN_ALIKE[comparison.alike]
        what = f"{comparison.alike.value}s"
        said.append(f"No task was attempted by both {how}, so a difference may be one of {what}.")
    if claims := say(_claims(a, b, comparison), Sizes.ALL):
        said.append(f"{claims}.")
    if lower := [
        measure_name(each.measure)
        for each in comparison.scores.values()
        if each.measure.lower_is_better
    ]:
        said.append(f"A lower {figures.sentence_list(lower)} is better.")
    return " ".join(said)


def meta_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Return how much the page rests on, and how much is left out."""
    runs = comparison.a.compared + comparison.b.compared
    of = (
        f"{figures.count(len(comparison.tasks))} of "
        if comparison.shared > len(comparison.tasks)
        else ""
    )
    text = (
        f"{of}{figures.plural(comparison.shared, 'shared task')}, {figures.plural(runs, 'run')}: "
    )
    text += f"{comparison.a.compared} with {a.short}, {comparison.b.compared} with {b.short}."
    left = []
    for what, one, two in _left_out(comparison):
        count = one if what == _IN_BOTH else one + two
        what = what.removesuffix("s") if count == 1 and what == _INFRASTRUCTURE else what
        left.append(f"{figures.count(count)} {what}")
    return text + (f" Left out: {figures.sentence_list(left)}." if left else "")


def _left_out(comparison: Comparison) -> Iterator[tuple[str, int, int]]:
    """Yield why runs do not take part, and how many of each side; reasons that no run has are not named."""
    a = comparison.a
    b = comparison.b
    reasons = (
        (_INFRASTRUCTURE, a.infrastructure, b.infrastructure),
        ("on tasks of one side only", a.other_tasks, b.other_tasks),
        (
            f"on tasks that the other side did not attempt {_ALIKE[comparison.alike]}",
            a.unlike,
            b.unlike,
        ),
        ("without a task", a.without_task, b.without_task),
        (_IN_BOTH, a.in_both, b.in_both),
    )
    yield from (reason for reason in reasons if reason[1] or reason[2])


def taking_part(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """Yield rows of (what, runs of A, runs of B) that add up to the runs of each group, which are the last row."""
    rows = [
        ("Compared, on shared tasks", comparison.a.compared, comparison.b.compared),
        *_left_out(comparison),
    ]
    for what, one, two in rows:
        yield (
            (what if what == rows[0][0] else f"Left out: {what}"),
            figures.count(one),
            figures.count(two),
        )
    yield (
        "All",
        figures.count(sum(one for _, one, _ in rows)),
        figures.count(sum(two for _, _, two in rows)),
    )


def name_of(a: str, b: str, comparison: Comparison) -> str:
    """Return what the list of all comparisons calls one, with what its effects may come from."""
    unlike = bool(comparison.tasks) and not comparison.is_alike
    return f"{a} and {b}" + (f", no task {_KNOWN_ALIKE[comparison.alike]}" if unlike else "")


def doubts(comparison: Comparison) -> Iterator[str]:
    """Yield what makes a difference between the sides say little: other checks, or a treatment that nobody used."""
    unlike = tasks_with_other_checks(comparison.a.runs, comparison.b.runs)
    if unlike:
        some = f"{figures.count(len(unlike))} of {figures.plural(len(comparison.tasks), 'task')}"
        yield f"The sides have different checks on {some}, so a difference in success may be one of the checks."
    treatment = comparison.treatment
    if treatment and treatment.is_unused:
        yield f"No run {treatment.b} used the {treatment.name}, so a difference says nothing about it."


def _other_counting(contrast: Contrast) -> str:
    claim = Claim.of(contrast, is_ratio=False)
    ends = claim.ends or "no interval"
    return f"Success with errors counted otherwise: {claim.size} ({ends}). Only what holds by both countings is clear."


def gaps(contrasts: Iterable[Contrast], claims: bool, alike: Dimension) -> Iterator[str]:
    """Yield where a measure rests on less than the page does."""
    for each in contrasts:
        label = label_of(each.measure)
        verb = "are" if each.measure is Measure.TOKENS else "is"
        if each.other:
            yield _other_counting(each.other)
        if each.tasks_left_out:
            known = f"{label} {verb} known on both sides of {tasks(len(each.tasks))} only"
            known = known if each.tasks else f"{label} {verb} not known on both sides of any task"
            too_few = claims and len(each.tasks) < MIN_CLUSTERS
            yield f"{known}, so there is no verdict on it." if too_few else f"{known}."
        is_score = isinstance(each.measure, ScoreMeasure)
        if each.runs_left_out:
            runs = f"{figures.count(each.runs_left_out)} of these runs"
            one = each.runs_left_out == 1
            not_judged, not_known = ("is not", "does not") if one else ("are not", "do not")
            known = f"{not_known} report it" + (
                " in full" if each.measure is Measure.TOKENS else ""
            )
            if is_score:
                known = "has none" if one else "have none"
            yield f"{label}: {runs} {f'{not_judged} judged' if each.measure is Measure.SUCCESS else known}."
        if each.runs_alone:
            runs = figures.plural(each.runs_alone, "more run")
            know = f"run that {'has' if is_score else 'reports'} it"
            know = "judged run" if each.measure is Measure.SUCCESS else know
            yield f"{label}: {runs} left out, since the other side has no {know} of that task {_ALIKE[alike]}."
        if not claims or each.ratio or each.measure is Measure.SUCCESS:
            continue
        if is_score:
            if each.effect is Effect.TOO_FEW and len(each.tasks) >= MIN_CLUSTERS:
                yield f"{label}: both sides differ by the same amount on every task, so there is no interval."
        elif each.difference:
            yield f"{label}: a side is zero on every task, so there is no ratio; the difference is in the numbers."
        elif len(each.tasks) >= MIN_CLUSTERS:
            yield f"{label}: too few runs, since half of a side is zero."


_WIDE = 1.5  # the ratio from which on it is written as a factor
_COARSE = 1.1  # the ratio from which on percentages are whole
_ROUND_USD = 10  # the amount from which on an estimate has no cents


def what_next(comparison: Comparison) -> Iterator[str]:
    """Yield what more tasks, or more attempts, would narrow each interval to, and what they would cost."""
    for each in main_contrasts(comparison):
        found = each.designs
        now = each.half_width
        if found is None or now is None or not (ways := narrowing(comparison, each)):
            continue
        (first, to), *rest = ways
        text = f"{label_of(each.measure)}: {first} would narrow the {kind_of(each)} from {_half_width(each, now, now)}"
        text += f" to about {to}" + "".join(f", {way} to about {then}" for way, then in rest)
        if found.attempts_share:
            about, ends = found.attempts_share
            between = (
                ""
                if ends.low == ends.high
                else f" ({figures.from_to(ends.low, ends.high, figures.share)})"
            )
            text += f". Attempts make up about {figures.share(about)}{between} of what varies from task to task"
        yield f"{text}."


def kind_of(contrast: Contrast) -> str:
    """Return what its interval is of."""
    return "difference" if contrast.measure.is_difference else "ratio"


def narrowing(comparison: Comparison, contrast: Contrast, of: str = "") -> list[tuple[str, str]]:
    """Ways to narrow an interval, with their price, and the half of its width then: `ten more tasks (about $40)`, `±9
    points`; nothing where all tasks are equal, or too few tell. `of` stands before the price."""
    found = contrast.designs
    now = contrast.half_width
    if found is None or now is None or contrast.effect is Effect.LEVEL:
        return []
    cost = comparison.contrasts.get(Measure.COST)
    spent = cost.tasks if cost else ()
    a_run_usd = (
        sum(pair.a_sum for pair in spent) / sum(pair.a_cell.runs for pair in spent)
        if spent
        else 0.0
    )
    b_run_usd = (
        sum(pair.b_sum for pair in spent) / sum(pair.b_cell.runs for pair in spent)
        if spent
        else 0.0
    )
    a_task, b_task = (
        side.compared / len(comparison.tasks) for side in (comparison.a, comparison.b)
    )
    all_tasks = len(comparison.tasks) / len(contrast.tasks)
    ways = []
    for design in filter(None, (found.more_tasks, found.more_attempts)):
        one = design.tasks + design.attempts == 1
        what = f"more {'task' if design.tasks else 'attempt'}{'' if one else 's'}{' each' * (not design.tasks)}"
        a_runs = design.tasks * a_task
        b_runs = design.tasks * b_task
        if not design.tasks:  # as many for each measure, whatever runs it is known of
            a_runs, b_runs = (runs * all_tasks for runs in design.runs)
        usd = a_runs * a_run_usd + b_runs * b_run_usd
        price = (
            f" (about {figures.money(usd) if usd < _ROUND_USD else f'${usd:,.0f}'})" if usd else ""
        )
        to = _half_width(contrast, contrast.half_width_with(design), now)
        ways.append((f"{in_letters(design.tasks or design.attempts)} {what}{of}{price}", to))
    return ways


def _half_width(contrast: Contrast, size: float, now: float) -> str:
    """Return `±9 points`, of a ratio `±4.5%`, of one that is wide now `×/÷ 2.10`."""
    if contrast.measure.is_share:
        return f"±{figures.points(size).lstrip('+')} points"
    if contrast.measure.is_difference:
        return f"±{writer_of(contrast.measure)(size)}"
    factor = math.exp(size)
    if math.exp(now) >= _WIDE:
        return f"×/÷ {times(factor)}"
    return f"±{figures.percent(factor - 1, 1, 0 if math.exp(now) >= _COARSE else 1)}"


def ahead_on(a: SideView, b: SideView, contrast: Contrast) -> str:
    """Return who is ahead on how many tasks, in success or in cost."""
    is_success = contrast.measure.is_difference
    did, alike = (
        ("passed more", "passed equally often") if is_success else ("cost less", "cost the same")
    )
    (more, most), (less, least) = sorted(
        ((a, contrast.a_wins), (b, contrast.b_wins)), key=lambda side: -side[1]
    )
    within = "" if is_success else f" within {figures.percent(LEVEL_COST, 1)}"
    were = "was" if contrast.ties == 1 else "were"
    level = f"; {in_letters(contrast.ties)} {were} level{within}" if contrast.ties else ""
    if not most:
        return (
            f"{a.short} and {b.short} {alike} on every task"
            if contrast.tasks
            else "The shared tasks"
        )
    return f"{more.short} {did} on {tasks(most)}, {less.short} on {in_letters(least) if least else 'none'}{level}"


def writer_of(measure: AnyMeasure) -> figures.Write:
    """Return how a measure is written in prose."""
    if measure.is_share:
        return figures.share
    return (
        partial(figures.score, unit=measure.unit)
        if isinstance(measure, ScoreMeasure)
        else _WRITERS[measure]
    )


_WRITERS: Mapping[Measure, figures.Write] = {
    Measure.COST: figures.money,
    Measure.TOKENS: figures.count_short,
    Measure.WALL: figures.duration,
}
