"""The wording of differences: the one place where claims become words.

A difference is clear where the corrected test of its family says so (`Effect`); the words follow from the claims that
they are given and from nothing else. Pages, summaries and feeds take them from here, so that none contradicts another.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from sitegen import figures
from sitegen.model import frozen
from sitegen.numbers.comparison import LEVEL_COST, Contrast, Effect
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import AnyMeasure, CampaignSummary, Measure, ScoreMeasure
from sitegen.numbers.success import Success
from sitegen.numbers.verdicts import Difficulty

CLEAR = frozenset((Effect.LOWER, Effect.HIGHER))  # the effects that are clear differences
CLEAR_MEANS = (
    "A difference is called clear if it holds after correction for the number of comparisons (Holm’s method). "
    "Intervals are not corrected: one may exclude “same” without a clear difference."
)
_WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
_NAMES = {
    Measure.COST: "cost",
    Measure.TOKENS: "tokens",
    Measure.WALL: "wall time",
    Measure.SUCCESS: "success",
}
_VERBS = {
    Measure.COST: ("costs less", "costs more", "costs {} times as much"),
    Measure.TOKENS: ("takes fewer tokens", "takes more tokens", "takes {} times as many tokens"),
    Measure.WALL: ("takes less time", "takes more time", "takes {} times as long"),
    Measure.SUCCESS: ("passes less often", "passes more often", ""),
}
WRITERS: Mapping[AnyMeasure, Callable[[float | None], str]] = {
    Measure.COST: figures.money,
    Measure.TOKENS: figures.count_short,
    Measure.WALL: figures.duration,
}
"""Measures whose differences are written with their unit."""
_MINUS = "\u2212"


class Sizes(Enum):
    """The differences that are followed by their size and interval."""

    NONE = "none"  # as in a title
    CLEAR = "clear"
    ALL = "all"


@frozen
class Claim:
    """B against A in one measure, on the tasks that both did."""

    measure: AnyMeasure
    a: str
    b: str
    tasks: int  # the number of tasks for which both sides know the measure
    estimate: float | None  # B / A, or B - A in the unit of the measure
    interval: Interval | None  # 95 %, of this estimate alone: it is not corrected
    corrected: Effect  # the result of the test, corrected for all that its family compares
    is_ratio: bool  # whether the estimate is B / A

    @classmethod
    def of(
        cls, contrast: Contrast, a: str = "A", b: str = "B", *, is_ratio: bool | None = None
    ) -> "Claim":
        """Return the claim of a comparison in one measure, as a ratio where there is one that agrees with the test; or
        as the ratio or the difference that is asked for, which not every measure has."""
        measure = contrast.measure
        if is_ratio is None:
            is_ratio = _has_ratio(contrast)
        if is_ratio:
            estimate = contrast.mean_ratio
            interval = contrast.ratio if estimate else None
            is_missing = measure.is_difference
        else:
            estimate = contrast.mean_difference
            interval = contrast.difference
            is_missing = measure.is_ratio
        if is_missing:
            estimate = interval = None
        return cls(
            measure, a, b, len(contrast.tasks), estimate, interval, contrast.effect, is_ratio
        )

    @property
    def is_clear(self) -> bool:
        """Whether B is said to be higher or lower."""
        return self.corrected in CLEAR

    @property
    def is_better(self) -> bool | None:
        """Whether B is the better one, where it is clear; None where nobody said which way is better."""
        higher = self.measure.higher_is_better
        return None if higher is None else (self.corrected is Effect.HIGHER) is higher

    def turned(self) -> "Claim":
        """Return the same about A against B."""
        effects = {Effect.LOWER: Effect.HIGHER, Effect.HIGHER: Effect.LOWER}
        estimate = self.estimate
        interval = self.interval
        return replace(
            self,
            a=self.b,
            b=self.a,
            estimate=None if estimate is None else self._turned(estimate),
            interval=interval and Interval(self._turned(interval.high), self._turned(interval.low)),
            corrected=effects.get(self.corrected, self.corrected),
        )

    def _turned(self, value: float) -> float:
        if not self.is_ratio:
            return -value
        return 1 / value if value else math.inf

    def write(self, value: float | None) -> str:
        """Write the estimate or an end of its interval, without unit: with as many digits as the interval supports."""
        if value is None:
            return figures.UNKNOWN
        if not self.is_ratio and self.measure in WRITERS:
            return signed(value, WRITERS[self.measure])
        scale = 100 if self.measure.is_share else 1
        numbers = [] if self.estimate is None else [self.estimate]
        if self.interval:
            numbers += [self.interval.low, self.interval.high]
        same = float(self.is_ratio) if self.is_clear else None
        decimals = figures.decimals_of([scale * number for number in numbers], same)
        if not self.is_ratio:
            return signed(scale * value, lambda number: figures.fixed(number, decimals))
        text = figures.times(value, decimals)
        if not self.is_clear or value == 1 or text != figures.times(1.0, decimals):
            return text
        return f"{'<' if value < 1 else '>'}{text}"

    @property
    def unit(self) -> str:
        """The unit behind its figures, with the space before it; empty for money and ratios."""
        if self.is_ratio or self.measure in WRITERS:
            return ""
        unit = "points" if self.measure.is_share else self.measure.unit or ""
        return unit if unit in figures.BESIDE or not unit else f" {unit}"

    @property
    def size(self) -> str:
        """The estimate in short: `1.9×`, `−27 points`."""
        unit = "×" if self.is_ratio else self.unit
        return figures.UNKNOWN if self.estimate is None else self.write(self.estimate) + unit

    @property
    def ends(self) -> str:
        """Its interval: `1.2 to 2.9`; empty where it has none."""
        if not self.interval:
            return ""
        return figures.from_to(self.interval.low, self.interval.high, self.write)

    def does(self) -> str:
        """Return what B does against A, where that is clear: `costs less`."""
        if isinstance(self.measure, Measure):
            return _VERBS[self.measure][self.corrected is Effect.HIGHER]
        return f"has a {self._direction} {measure_name(self.measure)}"

    @property
    def _direction(self) -> str:
        return "higher" if self.corrected is Effect.HIGHER else "lower"

    def does_by(self) -> tuple[str, str]:
        """Return the same with its size, and the word before A: `costs 0.50 times as much`, `as`."""
        if self.estimate is None:
            return self.does(), "than"
        size = self.write(self.estimate)
        name = measure_name(self.measure)
        if self.is_ratio and isinstance(self.measure, Measure):
            return _VERBS[self.measure][2].format(size), "as"
        if self.is_ratio:
            return f"has a {name} {size} times", "that of"
        size = f"{size.lstrip(f'+{_MINUS}')}{self.unit}"
        if size == "1 points":
            size = "1 point"
        by_size = f"{size} {self._direction}"
        if self.measure is Measure.SUCCESS:
            return f"has a pass rate {by_size}", "than"
        if isinstance(self.measure, Measure):
            return self.does().replace(" ", f" {size} ", 1), "than"
        if self.measure.lower_is_better:
            return f"has a {name} {by_size}", "than"
        return f"scores {by_size} in {name}", "than"


def _has_ratio(contrast: Contrast) -> bool:
    """Return whether there is a ratio that agrees with the test."""
    ratio = contrast.ratio
    if contrast.measure.is_ratio or contrast.measure.is_difference or not ratio:
        return contrast.measure.is_ratio
    return bool(contrast.mean_ratio) and (contrast.effect not in CLEAR or 1 not in ratio)


def say(claims: Sequence[Claim], sizes: Sizes = Sizes.NONE) -> str:
    """Return a title, or with sizes a sentence without its full stop; see `clauses`."""
    return "; ".join(clauses(claims, sizes))


def clauses(claims: Sequence[Claim], sizes: Sizes = Sizes.NONE) -> list[str]:
    """Return what may be said of two groups, B as the subject: all that is clear, in whatever order it is given; then
    what is not, and what is equal on every task. Empty where no measure is known of enough tasks.

    Where nothing is clear, it is `No clear difference between A and B in 15 tasks`.
    """
    clear = [claim for claim in claims if claim.is_clear]
    unclear = [claim for claim in claims if claim.corrected is Effect.UNDECIDED]
    untested = [claim for claim in claims if claim.corrected is Effect.NOT_TESTED]
    equal = [claim for claim in claims if claim.corrected is Effect.LEVEL]
    parts = [_clear(clear, sizes)] if clear else []
    if unclear:
        parts.append(_unclear(unclear, sizes, is_first=not clear))
    if untested and sizes is Sizes.ALL:
        names = figures.sentence_list([_with_size(claim) for claim in untested])
        parts.append(f"not a planned comparison, so without a test: {names}")
    if equal:
        names = figures.sentence_list([_name_of_equal(claim) for claim in equal])
        names_sides = len(equal) == len(claims) or not parts
        sides = f"{equal[0].a} and {equal[0].b} have " if names_sides else ""
        parts.append(f"{sides}equal {names} on each of {tasks(equal[0].tasks)}")
    return parts


def _with_size(claim: Claim) -> str:
    return f"{measure_name(claim.measure)} {claim.size} ({claim.ends})"


def _name_of_equal(claim: Claim) -> str:
    return measure_name(claim.measure) + _within(claim)


def _unclear(claims: Sequence[Claim], sizes: Sizes, *, is_first: bool) -> str:
    """Return the clause of what is not clear; the first clause names both sides and their tasks."""
    names = [measure_name(claim.measure) for claim in claims]
    if sizes is Sizes.ALL:
        names = [f"{measure_name(claim.measure)} ({claim.size}, {claim.ends})" for claim in claims]
    measures = f" in {figures.sentence_list(names, 'or')}"
    if not is_first:
        return f"no clear difference{measures}"
    if sizes is Sizes.NONE:
        measures = ""
    most = max(claim.tasks for claim in claims)
    sides = f"{claims[0].a} and {claims[0].b}"
    return f"No clear difference{measures} between {sides} in {tasks(most)}"


def _clear(claims: Sequence[Claim], sizes: Sizes) -> str:
    """Return the clause of clear differences: `B costs less than A but passes less often`."""
    first = claims[0]
    is_same = len({claim.tasks for claim in claims}) == 1
    parts: list[str] = []
    for claim in claims:
        verb, before_a = (claim.does(), "than") if sizes is Sizes.NONE else claim.does_by()
        part = verb if parts else f"{verb} {before_a} {first.a}"
        if sizes is not Sizes.NONE:
            base = f" on the same {tasks(claim.tasks)}" if is_same and not parts else ""
            also = "" if is_same else f", {tasks(claim.tasks)}"
            kind = "95% interval " if sizes is Sizes.ALL and not parts else ""
            part += f"{base} ({kind}{claim.ends}{also})"
        parts.append(part)
    directions = {claim.is_better for claim in claims[-2:]}
    link = "but" if directions == {True, False} else "and"
    return f"{first.b} {figures.sentence_list(parts, link)}"


def cell(claim: Claim, shared: int | None = None, *, with_name: bool = True) -> str:
    """Return what a table says of one claim: `B costs less, 0.50×`, `1.3×, no clear difference`; with the number of
    tasks where that is not the one of the row."""
    base = "" if shared in (None, claim.tasks) else f" ({tasks(claim.tasks)})"
    match claim.corrected:
        case Effect.TOO_FEW:
            return f"{tasks(claim.tasks)}, too few to compare" if claim.tasks else figures.UNKNOWN
        case Effect.LEVEL:
            return f"equal on every task{_within(claim)}{base}"
        case Effect.UNDECIDED:
            return f"{claim.size}, no clear difference{base}"
        case Effect.NOT_TESTED:
            return f"{claim.size}, {claim.ends}{base}"
    subject = f"{claim.b} " if with_name else ""
    return f"{subject}{claim.does()}, {claim.size}{base}"


def _within(level: Claim) -> str:
    """Return by how much costs differ at most that are called equal, if they do."""
    is_near = level.measure is Measure.COST and level.estimate not in (0, 1)
    return f" (within {figures.percent(LEVEL_COST, 1)})" if is_near else ""


def measure_name(measure: AnyMeasure) -> str:
    """Return what a measure is called within a sentence."""
    return (
        cut(figures.in_words(measure.name), 40)
        if isinstance(measure, ScoreMeasure)
        else _NAMES[measure]
    )


def counts(judged: Success | Difficulty) -> str:
    """Return `2 of 4`, the runs that passed of those that were judged; by both countings where runs are lost."""
    passed = figures.count(judged.passed)
    if not isinstance(judged, Success) or not judged.lost:
        return f"{passed} of {figures.count(judged.judged)}"
    both = judged.judged_and_lost
    of_judged = figures.count(both - judged.lost)
    lost = figures.plural(judged.lost, "error")
    return f"{passed} of {of_judged} judged; {passed} of {figures.count(both)} counting {lost}"


def signed(value: float | None, write: Callable[[float | None], str]) -> str:
    """Return the text of a difference, with its sign also above zero."""
    text = write(value)
    return f"+{text}" if value is not None and value > 0 and text[0] != "<" else text


def p_value(p: float) -> str:
    """Return `p = 0.012`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def in_letters(number: int) -> str:
    """Return a small count in words."""
    return _WORDS[number] if number < len(_WORDS) else figures.count(number)


def tasks(number: int) -> str:
    """Return `five tasks`, `15 tasks`."""
    return f"{in_letters(number)} {'task' if number == 1 else 'tasks'}"


def cut(name: str, length: int) -> str:
    """Return a name that is not longer than this. Its end is kept, since names of one kind differ there."""
    return name if len(name) <= length else f"{name[: length // 2 - 1]}…{name[-length // 2 :]}"


def cost_text(summary: CampaignSummary) -> str:
    """Return what runs report; where none reports anything, what they come to at list price, with its mark."""
    if summary.cost.value is not None or summary.computed.value is None:
        return figures.bounded(summary.whole(summary.cost), figures.money)
    return f"≈ {figures.bounded(summary.whole(summary.computed), figures.money)}"


def value(measure: str, number: float) -> str:
    """Return a figure of a measure as text, by its key."""
    writers = {"success": figures.share, "cost": figures.money}
    return writers.get(measure, "{:,.3g}".format)(number)
