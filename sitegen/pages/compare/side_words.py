"""The words of a comparison page: its claims, what they rest on and what is missing."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.figures import times
from sitegen.numbers.comparison import LEVEL_COST, Comparison, Contrast, Design, Effect
from sitegen.numbers.intervals import MIN_CLUSTERS
from sitegen.numbers.statistics import AnyMeasure, Dimension, Measure, ScoreMeasure
from sitegen.numbers.treatment import tasks_with_other_checks
from sitegen.numbers.wording import CLEAR, Claim, Sizes, in_letters, measure_name, say, tasks

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
    names = f"{a.short} and {b.short}"
    shared = len(comparison.tasks)
    if not shared:
        but = " but in the same runs" if comparison.a.in_both else ""
        return f"{names} share no task{but}"
    if comparison.claims:
        return say(_claims(a, b, comparison)) or f"{names} on {tasks(shared)}"
    counted = tasks(comparison.shared)
    if comparison.shared > shared:
        counted += f", {in_letters(shared)} {_ALIKE[comparison.alike]}"
    return f"{names} share {counted}: too few to compare"


def _claims(a: SideView, b: SideView, comparison: Comparison) -> list[Claim]:
    """Return those about the main measures, and about tokens and time where they are clear or nothing else is known."""
    contrasts = main_contrasts(comparison)
    is_known = any(contrast.effect is not Effect.TOO_FEW for contrast in contrasts)
    for measure in (Measure.TOKENS, Measure.WALL):
        contrast = comparison.contrasts[measure]
        if contrast.effect in CLEAR or not is_known:
            contrasts.append(contrast)
    return [Claim.of(contrast, a.short, b.short) for contrast in contrasts]


def main_contrasts(comparison: Comparison) -> list[Contrast]:
    """Return what a page speaks of first: all scores, verdicts, cost and success."""
    known = comparison.contrasts  # of one that only tells who may lead, one measure
    fields = comparison.fields.values()
    verdicts = [contrast for contrast in fields if contrast.measure.higher_is_better]
    measures = [known[measure] for measure in (Measure.COST, Measure.SUCCESS) if measure in known]
    return [*comparison.scores.values(), *verdicts, *measures]


def lead_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Return what is known of the main measures, each with its interval."""
    if not comparison.tasks:
        if comparison.a.in_both:
            return "A run in both groups says nothing about their difference, and they share no task in other runs."
        return "No task was attempted by both, so nothing can be compared."
    if not comparison.claims:
        return f"Fewer than {in_letters(MIN_CLUSTERS)} shared tasks: too few to compare."
    sentences = []
    if not comparison.is_alike:
        alike = _KNOWN_ALIKE[comparison.alike]
        cause = f"one of {comparison.alike.value}s"
        sentences.append(f"No task was attempted by both {alike}, so a difference may be {cause}.")
    claims = say(_claims(a, b, comparison), Sizes.ALL)
    if claims:
        sentences.append(f"{claims}.")
    scores = [contrast.measure for contrast in comparison.scores.values()]
    lower = [measure_name(score) for score in scores if score.lower_is_better]
    if lower:
        sentences.append(f"Lower is better for {figures.sentence_list(lower)}.")
    return " ".join(sentences)


def meta_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Return how much the page rests on; a table says what is left out."""
    compared = len(comparison.tasks)
    shared = figures.plural(comparison.shared, "shared task")
    if comparison.shared > compared:
        shared = f"{figures.count(compared)} of {shared}"
    runs_a = comparison.a.compared
    runs_b = comparison.b.compared
    runs = figures.plural(runs_a + runs_b, "run")
    return f"{shared}, {runs}: {runs_a} with {a.short}, {runs_b} with {b.short}."


def taking_part(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """Yield rows of (what, runs of A, runs of B) that add up to the runs of each group, which are the last row. Reasons
    to leave out a run that no run has are not named."""
    a = comparison.a
    b = comparison.b
    unlike = f"on tasks that the other side did not attempt {_ALIKE[comparison.alike]}"
    left_out = [
        ("infrastructure errors", a.infrastructure, b.infrastructure),
        ("on tasks of one side only", a.other_tasks, b.other_tasks),
        (unlike, a.unlike, b.unlike),
        ("without a task", a.without_task, b.without_task),
        ("in both groups", a.in_both, b.in_both),
    ]
    all_a = a.compared
    all_b = b.compared
    yield "Compared, on shared tasks", figures.count(all_a), figures.count(all_b)
    for reason, runs_a, runs_b in left_out:
        if runs_a or runs_b:
            yield f"Left out: {reason}", figures.count(runs_a), figures.count(runs_b)
        all_a += runs_a
        all_b += runs_b
    yield "All", figures.count(all_a), figures.count(all_b)


def name_of(a: str, b: str, comparison: Comparison) -> str:
    """Return what the list of all comparisons calls one, with what its effects may come from."""
    is_unlike = bool(comparison.tasks) and not comparison.is_alike
    note = f", no task {_KNOWN_ALIKE[comparison.alike]}" if is_unlike else ""
    return f"{a} and {b}{note}"


def doubts(comparison: Comparison) -> Iterator[str]:
    """Yield what makes a difference between the sides say little: other checks, or a treatment that nobody used."""
    unlike = tasks_with_other_checks(comparison.a.runs, comparison.b.runs)
    if unlike:
        some = f"{figures.count(len(unlike))} of {figures.plural(len(comparison.tasks), 'task')}"
        yield f"The sides have different checks on {some}, so a difference in success may be one of the checks."
    treatment = comparison.treatment
    if treatment and treatment.is_unused:
        yield f"No run {treatment.b} used the {treatment.name}, so a difference says nothing about it."


def gaps(contrasts: Iterable[Contrast], claims: bool, alike: Dimension) -> Iterator[str]:
    """Yield where a measure rests on less than the page does."""
    for contrast in contrasts:
        label = label_of(contrast.measure)
        known = len(contrast.tasks)
        if contrast.other:
            yield _other_counting(contrast.other)
        if contrast.tasks_left_out:
            all_tasks = figures.plural(known + contrast.tasks_left_out, "task")
            too_few = claims and known < MIN_CLUSTERS
            verdict = ", so there is no verdict on it" if too_few else ""
            yield f"{label}: known on both sides of {figures.count(known)} of {all_tasks}{verdict}."
        if contrast.runs_left_out:
            yield f"{label}: not known of {figures.count(contrast.runs_left_out)} of these runs."
        if contrast.runs_alone:
            runs = figures.plural(contrast.runs_alone, "more run")
            why = f"it is known of no run of the other side at that task {_ALIKE[alike]}"
            yield f"{label}: {runs} left out, since {why}."
        if claims:
            yield from _without_ratio(label, contrast)


def _other_counting(contrast: Contrast) -> str:
    claim = Claim.of(contrast, is_ratio=False)
    ends = claim.ends or "no interval"
    return f"Success with errors counted otherwise: {claim.size} ({ends}). Only what holds by both countings is clear."


def _without_ratio(label: str, contrast: Contrast) -> Iterator[str]:
    """Yield why enough tasks give a measure no interval, or none of its ratio."""
    if contrast.ratio or contrast.measure is Measure.SUCCESS:
        return
    are_enough = len(contrast.tasks) >= MIN_CLUSTERS
    if isinstance(contrast.measure, ScoreMeasure):
        if are_enough and contrast.effect is Effect.TOO_FEW:
            yield f"{label}: both sides differ by the same amount on every task, so there is no interval."
    elif contrast.difference:
        yield f"{label}: a side is zero on every task, so there is no ratio; the difference is in the numbers."
    elif are_enough:
        yield f"{label}: too few runs, since half of a side is zero."


_WIDE = 1.5  # the ratio from which on it is written as a factor
_COARSE = 1.1  # the ratio from which on percentages are whole
_ROUND_USD = 10  # the amount from which on an estimate has no cents


def what_next(comparison: Comparison) -> Iterator[str]:
    """Yield what more tasks, or more attempts, would narrow each interval to, and what they would cost."""
    for contrast in main_contrasts(comparison):
        ways = narrowing(comparison, contrast)
        half_width = contrast.half_width
        if not ways or half_width is None:
            continue
        now = _half_width(contrast, half_width, half_width)
        (first, width), *further = ways
        narrowed = f"{first} would narrow the {kind_of(contrast)} from {now} to about {width}"
        others = "".join(f", {way} to about {width}" for way, width in further)
        yield f"{label_of(contrast.measure)}: {narrowed}{others}."


def kind_of(contrast: Contrast) -> str:
    """Return what its interval is of."""
    return "difference" if contrast.measure.is_difference else "ratio"


def narrowing(comparison: Comparison, contrast: Contrast) -> list[tuple[str, str]]:
    """Ways to narrow an interval, with their price, and the half of its width then: `ten more tasks (about $40)`, `±9
    points`; nothing where all tasks are equal, too few tell, or no difference would be seen."""
    designs = contrast.designs
    now = contrast.half_width
    if designs is None or now is None or contrast.effect is Effect.LEVEL:
        return []
    ways = []
    for design in (designs.more_tasks, designs.more_attempts):
        if design is not None:
            noun = "task" if design.tasks else "attempt"
            number = design.tasks or design.attempts
            what = f"{in_letters(number)} more {noun}{'' if number == 1 else 's'}"
            each = "" if design.tasks else " each"
            price = _price(comparison, contrast, design)
            width = _half_width(contrast, contrast.half_width_with(design), now)
            if width != _half_width(contrast, now, now):
                ways.append((f"{what}{each}{price}", width))
    return ways


def _price(comparison: Comparison, contrast: Contrast, design: Design) -> str:
    """Return what the runs of a design would cost; empty where no cost is known."""
    cost = comparison.contrasts.get(Measure.COST)
    if not cost or not cost.tasks:
        return ""
    a_runs, b_runs = design.runs
    # As many for each measure, whatever runs it is known of.
    a_runs *= len(comparison.tasks) / len(contrast.tasks)
    b_runs *= len(comparison.tasks) / len(contrast.tasks)
    if design.tasks:
        a_runs = design.tasks * comparison.a.compared / len(comparison.tasks)
        b_runs = design.tasks * comparison.b.compared / len(comparison.tasks)
    a_spent = sum(pair.a_sum for pair in cost.tasks)
    b_spent = sum(pair.b_sum for pair in cost.tasks)
    usd = a_runs * a_spent / sum(pair.a_cell.runs for pair in cost.tasks)
    usd += b_runs * b_spent / sum(pair.b_cell.runs for pair in cost.tasks)
    if not usd:
        return ""
    return f" (about {figures.money(usd) if usd < _ROUND_USD else f'${usd:,.0f}'})"


def _half_width(contrast: Contrast, size: float, now: float) -> str:
    """Return `±9 points`, of a ratio `±4.5%`, of one that is wide now `×/÷ 2.10`."""
    if contrast.measure.is_share:
        return f"±{figures.points(size).lstrip('+')} points"
    if contrast.measure.is_difference:
        return f"±{writer_of(contrast.measure)(size)}"
    factor = math.exp(size)
    if math.exp(now) >= _WIDE:
        return f"×/÷ {times(factor)}"
    decimals = 0 if math.exp(now) >= _COARSE else 1
    return f"±{figures.percent(factor - 1, 1, decimals)}"


def ahead_on(a: SideView, b: SideView, contrast: Contrast) -> str:
    """Return who is ahead on how many tasks, in success or in cost."""
    if not contrast.tasks:
        return "The shared tasks"
    verb, alike, within = "cost less", "cost the same", f" within {figures.percent(LEVEL_COST, 1)}"
    if contrast.measure.is_difference:
        verb, alike, within = "passed more", "passed equally often", ""
    more, less = a, b
    most, least = contrast.a_wins, contrast.b_wins
    if most < least:
        more, less = b, a
        most, least = least, most
    if not most:
        return f"{a.short} and {b.short} {alike} on every task"
    level = ""
    if contrast.ties:
        were = "was" if contrast.ties == 1 else "were"
        level = f"; {in_letters(contrast.ties)} {were} level{within}"
    others = in_letters(least) if least else "none"
    return f"{more.short} {verb} on {tasks(most)}, {less.short} on {others}{level}"


def writer_of(measure: AnyMeasure) -> figures.Write:
    """Return how a measure is written in prose."""
    if measure.is_share:
        return figures.share
    if isinstance(measure, ScoreMeasure):
        return partial(figures.score, unit=measure.unit)
    return _WRITERS[measure]


_WRITERS: Mapping[Measure, figures.Write] = {
    Measure.COST: figures.money,
    Measure.TOKENS: figures.count_short,
    Measure.WALL: figures.duration,
}
