"""What a comparison says in words, and how its ratios and differences are written.

Each sentence follows from an `Effect`: nothing here decides by itself what may be claimed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.figures import UNKNOWN, sentence_list, times
from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.intervals import FEWEST_CLUSTERS, Interval
from sitegen.numbers.statistics import AnyMeasure, Dimension, Measure, ScoreMeasure

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_LABELS = {
    Measure.COST: ("Cost", "is"),
    Measure.TOKENS: ("Tokens", "are"),
    Measure.WALL: ("Wall time", "is"),
    Measure.SUCCESS: ("Success", "is"),
}


def label_of(measure: AnyMeasure) -> tuple[str, str]:
    """What a measure is called, and the verb behind it."""
    if isinstance(measure, ScoreMeasure):
        return capital(measure.name), "is"
    return _LABELS[measure]


def capital(name: str) -> str:
    """With a large first letter."""
    return name[:1].upper() + name[1:]


_FEW_TASKS = 10
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


def heading_of(a: SideView, b: SideView, comparison: Comparison) -> str:
    """What may be said of cost and success, in one sentence."""
    tasks = len(comparison.tasks)
    if not tasks:
        return f"{a.short} and {b.short} share no task" + (" but in the same runs" if comparison.a.in_both else "")
    if not comparison.claims:
        some = f"{tasks_in_letters(comparison.shared)}, {in_letters(tasks)} {_ALIKE[comparison.alike]}"
        shared = some if comparison.shared > tasks else tasks_in_letters(tasks)
        return f"{a.short} and {b.short} share {shared}: too few for a claim"
    said = effect_of(a, b, main_contrasts(comparison), tasks)
    return said or f"{a.short} and {b.short} on {tasks_in_letters(tasks)}"


def effect_of(a: SideView, b: SideView, contrasts: Sequence[Contrast], tasks: int) -> str:
    """`B costs less than A but takes more tokens; wall time is open`; empty where these tasks are too few to tell."""
    decided = [each for each in contrasts if each.effect in _DOES]
    undecided = [subject_of(each) for each in contrasts if each.effect is Effect.UNDECIDED]
    if decided:
        first, *rest = decided
        text = f"{b.short} {does(first)} than {a.short}"
        if rest:
            link = "and" if _is_better(decided[-2]) == _is_better(decided[-1]) else "but"
            text += "".join(f", {does(each)}" for each in rest[:-1]) + f" {link} {does(rest[-1])}"
        verb = "is" if len(undecided) == 1 else "are"
        return text + (f"; {sentence_list(undecided)} {verb} open" if undecided else "")
    if undecided:
        what = " or ".join(undecided)
        return f"{tasks_in_letters(tasks).capitalize()} do not separate {a.short} and {b.short} by {what}"
    level = [subject_of(each) for each in contrasts if each.effect is Effect.LEVEL]
    return f"{a.short} and {b.short} are exactly equal in {sentence_list(level)}" if level else ""


def main_contrasts(comparison: Comparison) -> list[Contrast]:
    """What a page speaks of first: the first score, cost and success."""
    contrasts = comparison.contrasts
    return [*list(comparison.scores.values())[:1], contrasts[Measure.COST], contrasts[Measure.SUCCESS]]


_DOES = {Effect.LOWER: 0, Effect.HIGHER: 1}
_VERBS = {
    Measure.COST: ("costs less", "costs more"),
    Measure.TOKENS: ("takes fewer tokens", "takes more tokens"),
    Measure.WALL: ("takes less time", "takes more time"),
    Measure.SUCCESS: ("passes less often", "passes more often"),
}


def does(contrast: Contrast) -> str:
    """What B does against A, where that is decided."""
    number = _DOES[contrast.effect]
    if isinstance(contrast.measure, ScoreMeasure):
        return f"has a {('lower', 'higher')[number]} {subject_of(contrast)}"
    return _VERBS[contrast.measure][number]


def subject_of(contrast: Contrast) -> str:
    """What a measure is called within a sentence."""
    measure = contrast.measure
    return cut(measure.name, 40) if isinstance(measure, ScoreMeasure) else label_of(measure)[0].lower()


def _is_better(contrast: Contrast) -> bool:
    return (contrast.effect is Effect.LOWER) == contrast.measure.lower_is_better


def lead_of(a: SideView, b: SideView, comparison: Comparison) -> Iterator[tuple[str, bool]]:
    """What cost and success say, with their intervals."""
    tasks = len(comparison.tasks)
    if not tasks:
        if comparison.a.in_both:
            yield "A run in both groups says nothing of their difference, and they share no task in other runs.", False
        else:
            yield "No task was attempted by both, so nothing can be compared.", False
        return
    if not comparison.claims:
        fewest = in_letters(FEWEST_CLUSTERS)
        yield f"A difference is claimed from {fewest} shared tasks on: fewer say nothing of others. ", False
        yield "The runs stand below.", False
        return
    if not comparison.is_alike:
        how, what = _KNOWN_ALIKE[comparison.alike], f"{comparison.alike.value}s"
        yield f"No task was attempted by both {how}, so a difference may be one of {what}. ", False
    *told, passed = main_contrasts(comparison)
    for each in told:
        yield from _lead(a, b, each)
    if passed.difference:
        yield from _lead_success(a, b, passed, passed.difference)
    if tasks < _FEW_TASKS:
        yield f"{tasks_in_letters(tasks).capitalize()} are few.", False


def _interval(contrast: Contrast, interval: Interval, write: figures.Write, unit: str = "") -> str:
    """The end of a sentence: the interval, and what it leaves open."""
    equal = contrast.mean_ratio == 1 if contrast.is_ratio else contrast.mean_difference == 0
    left = ""
    if contrast.effect is Effect.UNDECIDED:
        is_held = (1 if contrast.is_ratio or write is times else 0) in interval
        alone = ", which could be chance among all comparisons of this site"
        left = f", so there may be {'a' if equal else 'no'} difference" if is_held else alone
    return f"; 95% interval {figures.from_to(interval.low, interval.high, write)}{unit}{left}. "


def _lead(a: SideView, b: SideView, contrast: Contrast) -> Iterator[tuple[str, bool]]:
    """The ratio of the means, else their difference; nothing where nothing was spent, or too few tasks tell."""
    measure, name, mean = contrast.measure, subject_of(contrast), contrast.mean_difference
    write = writer_of(measure)
    if contrast.effect is Effect.LEVEL:
        yield f"On every shared task {b.short} and {a.short} had exactly the same {name}. ", False
    elif contrast.ratio and contrast.mean_ratio is not None:
        yield f"On the same tasks the {name} of {b.short} was ", False
        yield f"{times(contrast.mean_ratio)} times", True
        means = ", as geometric means" if measure.is_ratio else ""
        yield f" that of {a.short}{means}{_interval(contrast, contrast.ratio, times)}", False
    elif contrast.difference and mean is not None:
        yield f"On the same tasks the {name} of {b.short} was on average ", False
        yield f"{write(abs(mean))} {'higher' if mean > 0 else 'lower'}" if mean else "the same", True
        ends = _interval(contrast, contrast.difference, partial(signed, write=write))
        yield f" {'than' if mean else 'as'} that of {a.short}{ends}", False
    else:
        return
    if isinstance(measure, ScoreMeasure) and measure.lower_is_better:
        yield f"A lower {name} is better. ", False


def _lead_success(a: SideView, b: SideView, passed: Contrast, interval: Interval) -> Iterator[tuple[str, bool]]:
    """The difference in points, or that there is none, and its interval."""
    mean = passed.mean_difference
    if mean:
        yield f"{b.short} passed ", False
        yield f"{points(abs(mean))} {'point' if points(abs(mean)) == '1' else 'points'}", True
        yield f" {'more' if mean > 0 else 'less'} often than {a.short}", False
    else:
        is_level = passed.effect is Effect.LEVEL
        how = "exactly as often on each of these tasks" if is_level else "equally often"
        yield f"{b.short} and {a.short} passed {how}", False
    yield _interval(passed, interval, signed_points, " points"), False


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
    return text + (f" Left out: {sentence_list(left)}." if left else "")


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
        label, verb = label_of(each.measure)
        if each.tasks_left_out:
            known = f"{label} {verb} known on both sides of {tasks_in_letters(len(each.tasks))} only"
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


_WIDE = 1.5
"""From here on a ratio is told as a factor."""
_COARSE = 1.1
"""From here on its percentages are whole."""
_ROUND_USD = 10
"""From here on an estimate has no cents."""


def what_next(comparison: Comparison) -> Iterator[str]:
    """What more tasks, or more attempts, would narrow each interval to, and what they would cost."""
    spent = comparison.contrasts[Measure.COST].tasks
    a_run_usd, b_run_usd = (
        sum(sums) / sum(runs) if spent else 0.0
        for sums, runs in (
            ([pair.a_sum for pair in spent], [pair.a_runs for pair in spent]),
            ([pair.b_sum for pair in spent], [pair.b_runs for pair in spent]),
        )
    )
    for each in main_contrasts(comparison):
        found, now = each.designs, each.half_width
        if found is None or now is None or each.effect is Effect.LEVEL:
            continue
        ways = []
        for design in (found.more_tasks, found.more_attempts):
            if design is not None:
                one = design.tasks + design.attempts == 1
                what = f"more {'task' if design.tasks else 'attempt'}{'' if one else 's'}{' each' * (not design.tasks)}"
                usd = design.runs[0] * a_run_usd + design.runs[1] * b_run_usd
                price = f" (about {figures.money(usd) if usd < _ROUND_USD else f'${usd:,.0f}'})" if usd else ""
                to = f"to about {_half_width(each, each.half_width_with(design), now)}"
                ways.append((f"{in_letters(design.tasks or design.attempts)} {what}{price}", to))
        (first, to), *rest = ways
        between = "difference" if each.is_difference else "ratio"
        text = (
            f"{label_of(each.measure)[0]}: {first} would narrow the {between} from {_half_width(each, now, now)} {to}"
        )
        text += "".join(f", {way} {then}" for way, then in rest)
        if found.attempts_share:
            about, ends = found.attempts_share
            between = "" if ends.low == ends.high else f" ({share(ends.low)} to {share(ends.high)})"
            text += f". Attempts make up about {share(about)}{between} of what varies from task to task"
        yield f"{text}."


def _half_width(contrast: Contrast, size: float, now: float) -> str:
    """`±9 points`, of a ratio `±4.5%`, of one that is wide now `a factor of 2.10`."""
    if contrast.is_difference:
        is_success = contrast.measure is Measure.SUCCESS
        return f"±{points(size)} points" if is_success else f"±{writer_of(contrast.measure)(size)}"
    factor = math.exp(size)
    if math.exp(now) >= _WIDE:
        return f"a factor of {times(factor)}"
    return f"±{figures.percent(factor - 1, 1, 0 if math.exp(now) >= _COARSE else 1)}"


def ahead_on(a: SideView, b: SideView, contrast: Contrast) -> str:
    """Who is ahead on how many tasks, in success or in cost."""
    did, alike = ("passed more", "passed equally often") if contrast.is_difference else ("cost less", "cost the same")
    (more, most), (less, least) = sorted(((a, contrast.a_wins), (b, contrast.b_wins)), key=lambda side: -side[1])
    level = f"; {in_letters(contrast.ties)} {'was' if contrast.ties == 1 else 'were'} level" if contrast.ties else ""
    if not most:
        return f"{a.short} and {b.short} {alike} on every task" if contrast.tasks else "The shared tasks"
    return f"{more.short} {did} on {tasks_in_letters(most)}, {less.short} on {_none_or(least)}{level}"


def in_words(contrast: Contrast | None, name: str) -> str:
    """The effect on one measure, with B as its subject; None where the two sides do not have it."""
    if contrast is None:
        return UNKNOWN
    if contrast.effect is Effect.TOO_FEW:
        if len(contrast.tasks) >= FEWEST_CLUSTERS:
            return "too few runs to tell"
        return f"known of {tasks_in_letters(len(contrast.tasks))}, too few" if contrast.tasks else UNKNOWN
    if contrast.effect is Effect.LEVEL:
        return "exactly equal"
    measure, difference = contrast.measure, contrast.mean_difference
    if contrast.measure is Measure.SUCCESS:
        size = "" if difference is None else f", {signed_points(difference)} points"
    elif contrast.is_difference:
        size = f", {signed(difference, writer_of(measure))}"
    else:
        size = "" if contrast.mean_ratio is None else f", {times(contrast.mean_ratio)}×"
    return f"{name} {does(contrast)}{size}" if contrast.effect in _DOES else f"open{size}"


def share(share: float | None) -> str:
    return figures.percent(share, 1)


def points(share: float | None) -> str:
    """A share as points of a hundred, whole ones from one on."""
    return figures.fixed(None if share is None else 100 * share, 0 if share is None or abs(share) >= 0.01 else 1)


def signed_points(share: float | None) -> str:
    return signed(share, points)


def signed(value: float | None, write: Callable[[float | None], str]) -> str:
    """The text of a difference, with its sign also above zero."""
    return f"{'+' if value is not None and value > 0 else ''}{write(value)}"


def in_letters(number: int) -> str:
    """A small count in words."""
    return _WORDS[number] if number < len(_WORDS) else figures.count(number)


def _none_or(number: int) -> str:
    return in_letters(number) if number else "none"


def tasks_in_letters(number: int) -> str:
    return f"{in_letters(number)} {'task' if number == 1 else 'tasks'}"


def cut(name: str, length: int) -> str:
    """A name that is not longer than this. Its end is kept, since names of one kind differ there."""
    return name if len(name) <= length else f"{name[: length // 2 - 1]}…{name[-length // 2 :]}"


def writer_of(measure: AnyMeasure) -> figures.Write:
    """How a measure is written in prose."""
    return partial(figures.score, unit=measure.unit) if isinstance(measure, ScoreMeasure) else _WRITERS[measure]


_WRITERS: Mapping[Measure, figures.Write] = {
    Measure.COST: figures.money,
    Measure.TOKENS: figures.count_short,
    Measure.WALL: figures.duration,
    Measure.SUCCESS: share,
}
