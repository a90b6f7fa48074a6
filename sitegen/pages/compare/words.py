"""What a comparison says in words, and how its ratios and differences are written.

Each sentence follows from an `Effect`: nothing here decides by itself what may be claimed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import UNKNOWN, sentence_list
from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.intervals import FEWEST_CLUSTERS, Interval
from sitegen.numbers.statistics import Dimension, Measure

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

LABELS = {
    Measure.COST: ("Cost", "is"),
    Measure.TOKENS: ("Tokens", "are"),
    Measure.WALL: ("Wall time", "is"),
    Measure.SUCCESS: ("Success", "is"),
}

_FEW_TASKS = 10
_INFRASTRUCTURE = "infrastructure failures"
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
    cost, passed = comparison.contrasts[Measure.COST].effect, comparison.contrasts[Measure.SUCCESS].effect
    costs = {Effect.LOWER: "costs less", Effect.HIGHER: "costs more"}.get(cost)
    does = {Effect.LOWER: "passes less often", Effect.HIGHER: "passes more often"}.get(passed)
    if costs and does:
        link = "but" if (cost is Effect.LOWER) == (passed is Effect.LOWER) else "and"
        return f"{b.short} {costs} than {a.short} {link} {does}"
    if costs:
        return f"{b.short} {costs} than {a.short}" + ("; success is undecided" if passed is Effect.UNDECIDED else "")
    if does:
        return f"{b.short} {does} than {a.short}" + ("; cost is undecided" if cost is Effect.UNDECIDED else "")
    open_questions = [
        *(["costs less"] if cost is Effect.UNDECIDED else []),
        *(["passes more often"] if passed is Effect.UNDECIDED else []),
    ]
    if open_questions:
        what = f"which of {a.short} and {b.short} {' or '.join(open_questions)}"
        return f"{tasks_in_letters(tasks).capitalize()} do not tell {what}"
    if {cost, passed} <= {Effect.LEVEL, Effect.TOO_FEW} and Effect.LEVEL in (cost, passed):
        measures = [
            LABELS[measure][0].lower()
            for measure, effect in ((Measure.COST, cost), (Measure.SUCCESS, passed))
            if effect is Effect.LEVEL
        ]
        return f"{a.short} and {b.short} are level in {sentence_list(measures)}"
    return f"{a.short} and {b.short} on {tasks_in_letters(tasks)}"


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
    yield from _lead_cost(a, b, comparison.contrasts[Measure.COST])
    passed = comparison.contrasts[Measure.SUCCESS]
    if passed.difference:
        yield from _lead_success(a, b, passed, passed.difference)
    if tasks < _FEW_TASKS:
        yield f"{tasks_in_letters(tasks).capitalize()} are few.", False


def _lead_cost(a: SideView, b: SideView, cost: Contrast) -> Iterator[tuple[str, bool]]:
    """The ratio, or the difference where there is no ratio; nothing where nothing was spent or too few tasks know."""
    if cost.effect is Effect.LEVEL:
        yield f"On every shared task a run with {b.short} cost the same as one with {a.short}. ", False
        return
    end = ", so there may be no difference. " if cost.effect is Effect.UNDECIDED else ". "
    if cost.ratio and cost.mean_ratio is not None:
        yield f"On the same tasks a run with {b.short} cost ", False
        yield f"{times(cost.mean_ratio)} times", True
        bounds = f"{times(cost.ratio.low)} and {times(cost.ratio.high)}"
        yield f" what one with {a.short} cost; the truth may lie between {bounds}{end}", False
    elif cost.difference and cost.mean_difference:
        more = "more" if cost.mean_difference > 0 else "less"
        yield f"On the same tasks a run with {b.short} cost ", False
        yield f"{figures.money(abs(cost.mean_difference))} {more}", True
        ends = figures.from_to(cost.difference.low, cost.difference.high, lambda usd: signed(usd, figures.money))
        yield f" than one with {a.short}; the truth may be {ends}{end}", False


def _lead_success(a: SideView, b: SideView, passed: Contrast, interval: Interval) -> Iterator[tuple[str, bool]]:
    """The difference in points, or that there is none, and its interval."""
    mean = passed.mean_difference
    if mean:
        yield f"{b.short} passed ", False
        yield f"{points(abs(mean))} {'point' if points(abs(mean)) == '1' else 'points'}", True
        yield f" {'more' if mean > 0 else 'less'} often than {a.short}", False
    else:
        where = " on each of these tasks" if passed.effect is Effect.LEVEL else ""
        yield f"{b.short} and {a.short} passed equally often{where}", False
    ends = _from_to(interval)
    if 0 not in interval:
        yield f"; the interval is {ends}. ", False
    elif mean:
        yield f", but the interval is {ends}, so there may be no difference. ", False
    else:
        yield f"; the interval is {ends}, so there may be a difference. ", False


def _from_to(interval: Interval) -> str:
    """`from 10 fewer to 40 more`, `from 3 to 40 more`."""
    low, high = (points(abs(end)) for end in (interval.low, interval.high))
    if interval.low >= 0:
        return f"from {low} to {high} more"
    if interval.high <= 0:
        return f"from {high} to {low} fewer"
    return f"from {low} fewer to {high} more"


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


def effect_of(contrasts: Sequence[Contrast]) -> str:
    """`Tokens are up and cost is down; the rest could be chance`."""
    told = [each for each in contrasts if each.effect is not Effect.TOO_FEW]
    decided = [each for each in told if each.effect in (Effect.LOWER, Effect.HIGHER)]
    undecided = any(each.effect is Effect.UNDECIDED for each in told)
    if not decided:
        if not told:
            return "No measure is known on enough tasks"
        return "Each of these differences could be chance" if undecided else "No difference on any task"
    parts = [
        f"{' '.join(LABELS[each.measure]).lower()} {'up' if each.effect is Effect.HIGHER else 'down'}"
        for each in decided
    ]
    text = sentence_list(parts)
    return f"{text[0].upper()}{text[1:]}" + ("; the rest could be chance" if undecided else "")


def name_of(a: str, b: str, comparison: Comparison) -> str:
    """What the list of all comparisons calls one, with what its effects may come from."""
    unlike = bool(comparison.tasks) and not comparison.is_alike
    return f"{a} and {b}" + (f", no task {_KNOWN_ALIKE[comparison.alike]}" if unlike else "")


def gaps(contrasts: Iterable[Contrast], claims: bool, alike: Dimension) -> Iterator[str]:
    """Where a measure rests on less than the page does."""
    for each in contrasts:
        label, verb = LABELS[each.measure]
        if each.tasks_left_out:
            known = f"{label} {verb} known on both sides of {tasks_in_letters(len(each.tasks))} only"
            known = known if each.tasks else f"{label} {verb} not known on both sides of any task"
            too_few = claims and len(each.tasks) < FEWEST_CLUSTERS
            yield f"{known}, so nothing is claimed of it." if too_few else f"{known}."
        if each.runs_left_out:
            runs = f"{figures.count(each.runs_left_out)} of these runs"
            one = each.runs_left_out == 1
            not_judged, not_known = ("is not", "does not") if one else ("are not", "do not")
            known = f"{not_known} report it" + (" in full" if each.measure is Measure.TOKENS else "")
            does = f"{not_judged} judged" if each.measure is Measure.SUCCESS else known
            yield f"{label}: {runs} {does}."
        if each.runs_alone:
            runs = figures.plural(each.runs_alone, "more run")
            know = "judged run" if each.measure is Measure.SUCCESS else "run that reports it"
            yield f"{label}: {runs} left out, since the other side has no {know} of that task {_ALIKE[alike]}."
        if not claims or each.ratio or each.measure is Measure.SUCCESS:
            continue
        if each.difference:
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
    for measure in (Measure.COST, Measure.SUCCESS):
        each = comparison.contrasts[measure]
        tasks = len(each.tasks)
        needed, smallest = each.tasks_to_see_it(), each.smallest_seen(_MOST_TIMES * tasks) if tasks else None
        if each.effect is not Effect.UNDECIDED or needed is None or smallest is None:
            continue
        label = LABELS[measure][0]
        if needed > _MOST_TIMES * tasks:
            size = f"{points(smallest)} points" if measure is Measure.SUCCESS else f"{times(smallest)} times"
            often = in_letters(_MOST_TIMES)
            yield f"{label}: a difference of less than {size} would take more than {often} times as many tasks to see."
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


def cheaper(a: SideView, b: SideView, cost: Contrast) -> str:
    """On how many tasks either side was the cheaper one."""
    for side, wins in ((b, cost.b_wins), (a, cost.a_wins)):
        if wins == 1 and len(cost.tasks) > 1:
            is_better = [(pair.b < pair.a) if side is b else (pair.a < pair.b) for pair in cost.tasks]
            return f"Only on {cut(cost.tasks[is_better.index(True)].task, 22)} was {side.short} the cheaper one"
    of = f"{_none_or(cost.b_wins)} of {tasks_in_letters(len(cost.tasks))}"
    return f"{b.short} was cheaper on {of}, {a.short} on {_none_or(cost.a_wins)}"


def ahead_on(a: SideView, b: SideView, comparison: Comparison) -> str:
    """Who is ahead on how many tasks: in success, else in cost."""
    passed, cost = comparison.contrasts[Measure.SUCCESS], comparison.contrasts[Measure.COST]
    if not comparison.claims:
        return "The shared tasks"
    contrast, did = (passed, "passed more") if passed.tasks else (cost, "cost less")
    (more, most), (less, least) = sorted(((a, contrast.a_wins), (b, contrast.b_wins)), key=lambda side: -side[1])
    level = f"; {in_letters(contrast.ties)} {'was' if contrast.ties == 1 else 'were'} level" if contrast.ties else ""
    if not contrast.tasks:
        return "The shared tasks"
    if not most:
        return "All tasks were level"
    return f"{more.short} {did} on {tasks_in_letters(most)}, {less.short} on {_none_or(least)}{level}"


def in_words(contrast: Contrast, name: str) -> str:
    """The effect on one measure, with B as its subject."""
    if contrast.effect is Effect.TOO_FEW:
        if len(contrast.tasks) >= FEWEST_CLUSTERS:
            return "too few runs to tell"
        return f"known of {tasks_in_letters(len(contrast.tasks))}, too few" if contrast.tasks else UNKNOWN
    if contrast.measure is Measure.SUCCESS:
        size = "" if contrast.mean_difference is None else f", {signed_points(contrast.mean_difference)} points"
        verbs = {Effect.LOWER: "passes less often", Effect.HIGHER: "passes more often"}
    else:
        size = "" if contrast.mean_ratio is None else f", {times(contrast.mean_ratio)}×"
        verbs = {Effect.LOWER: "costs less", Effect.HIGHER: "costs more"}
    verb = verbs.get(contrast.effect)
    if contrast.effect is Effect.LEVEL:
        return "the same on every task"
    return f"{name} {verb}{size}" if verb else f"undecided{size}"


def times(ratio: float) -> str:
    """A ratio: two decimals below ten, fewer above: `1.37`, `12.4`, `122 k`."""
    return (
        figures.count_short(ratio)
        if ratio >= 1000
        else figures.fixed(ratio, 2 if ratio < 10 else 1 if ratio < 100 else 0)
    )


def share(share: float | None) -> str:
    return figures.percent(share, 1)


def points(share: float | None) -> str:
    """A share as whole points of a hundred."""
    return figures.fixed(None if share is None else 100 * share, 0)


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
