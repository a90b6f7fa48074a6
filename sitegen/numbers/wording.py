"""The wording of differences: the one place where claims become words.

A difference is clear where the corrected test of its family says so (`Effect`); the words follow from the claims that
they are given and from nothing else. Pages, summaries and feeds take them from here, so that none contradicts another.
"""

import math
from collections.abc import Callable, Sequence
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
        ratio = contrast.ratio
        if is_ratio is None:
            agrees = (
                ratio is not None
                and bool(contrast.mean_ratio)
                and not (contrast.effect in CLEAR and 1 in ratio)
            )
            is_ratio = measure.is_ratio or (agrees and not measure.is_difference)
        estimate = contrast.mean_difference
        ends = contrast.difference
        if is_ratio:
            estimate = contrast.mean_ratio
            ends = ratio if contrast.mean_ratio else None
        if measure.is_difference if is_ratio else measure.is_ratio:
            estimate = ends = None
        return cls(measure, a, b, len(contrast.tasks), estimate, ends, contrast.effect, is_ratio)

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
        ends = self.interval
        estimate = None if self.estimate is None else self._turned(self.estimate)
        interval = Interval(self._turned(ends.high), self._turned(ends.low)) if ends else None
        effect = effects.get(self.corrected, self.corrected)
        return replace(
            self, a=self.b, b=self.a, estimate=estimate, interval=interval, corrected=effect
        )

    def _turned(self, value: float) -> float:
        if not self.is_ratio:
            return -value
        return 1 / value if value else math.inf

    def write(self, value: float | None) -> str:
        """Write the estimate or an end of its interval, without unit: with as many digits as the interval supports."""
        if value is None or (self.measure is Measure.COST and not self.is_ratio):
            return signed(value, figures.money)
        if self.measure in (Measure.TOKENS, Measure.WALL) and not self.is_ratio:
            return signed(
                value, figures.count_short if self.measure is Measure.TOKENS else figures.duration
            )
        scale = 100 if self.measure.is_share else 1
        ends = [self.interval.low, self.interval.high] if self.interval else []
        same = float(self.is_ratio) if self.is_clear else None
        decimals = figures.decimals_of(
            [scale * each for each in (self.estimate, *ends) if each is not None], same
        )
        if not self.is_ratio:
            return signed(scale * value, lambda number: figures.fixed(number, decimals))
        text = figures.times(value, decimals)
        one = figures.times(1.0, decimals)
        return (
            f"{'<' if value < 1 else '>'}{text}"
            if self.is_clear and value != 1 and text == one
            else text
        )

    @property
    def unit(self) -> str:
        """The unit behind its figures, with the space before it; empty for money and ratios."""
        if self.is_ratio or self.measure in (Measure.COST, Measure.TOKENS, Measure.WALL):
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
        return (
            figures.from_to(self.interval.low, self.interval.high, self.write)
            if self.interval
            else ""
        )

    def does(self) -> str:
        """Return what B does against A, where that is clear: `costs less`."""
        is_higher = self.corrected is Effect.HIGHER
        if isinstance(self.measure, Measure):
            return _VERBS[self.measure][is_higher]
        return f"has a {('lower', 'higher')[is_higher]} {measure_name(self.measure)}"

    def does_by(self) -> tuple[str, str]:
        """Return the same with its size, and the word before A: `costs 0.50 times as much`, `as`."""
        if self.estimate is None:
            return self.does(), "than"
        size = self.write(self.estimate)
        if self.is_ratio:
            of_score = f"has a {measure_name(self.measure)} {size} times", "that of"
            return (
                (_VERBS[self.measure][2].format(size), "as")
                if isinstance(self.measure, Measure)
                else of_score
            )
        size = f"{size.lstrip(f'+{_MINUS}')}{self.unit}"
        size = size.removesuffix("s") if size == "1 points" else size
        way = "higher" if self.corrected is Effect.HIGHER else "lower"
        if self.measure is Measure.SUCCESS:
            return f"has a pass rate {size} {way}", "than"
        if isinstance(self.measure, ScoreMeasure):
            name = measure_name(self.measure)
            said = (
                f"has a {name} {size} {way}"
                if self.measure.lower_is_better
                else f"scores {size} {way} in {name}"
            )
            return said, "than"
        return self.does().replace(" ", f" {size} ", 1), "than"


def say(claims: Sequence[Claim], sizes: Sizes = Sizes.NONE) -> str:
    """Return a title, or with sizes a sentence without its full stop; see `clauses`."""
    return "; ".join(clauses(claims, sizes))


def clauses(claims: Sequence[Claim], sizes: Sizes = Sizes.NONE) -> list[str]:
    """Return what may be said of two groups, B as the subject: all that is clear, in whatever order it is given; then
    what is not, and what is equal on every task. Empty where no measure is known of enough tasks.

    Where nothing is clear, it is `No clear difference between A and B in 15 tasks`.
    """
    kinds = (CLEAR, (Effect.UNDECIDED,), (Effect.LEVEL,))
    clear, unclear, equal = (
        [each for each in claims if each.corrected in effects] for effects in kinds
    )
    found = [_clear(clear, sizes)] if clear else []
    if unclear:
        how = [f" ({each.size}, {each.ends})" if sizes is Sizes.ALL else "" for each in unclear]
        named = [measure_name(each.measure) + more for each, more in zip(unclear, how, strict=True)]
        of = f" in {figures.sentence_list(named, 'or')}" if clear or sizes is not Sizes.NONE else ""
        most = max(each.tasks for each in unclear)
        who = "" if clear else f" between {unclear[0].a} and {unclear[0].b} in {tasks(most)}"
        found.append(f"{'no' if clear else 'No'} clear difference{of}{who}")
    if open_ := [
        each for each in claims if each.corrected is Effect.NOT_TESTED and sizes is Sizes.ALL
    ]:
        told = [f"{measure_name(each.measure)} {each.size} ({each.ends})" for each in open_]
        found.append(f"not a planned comparison, so without a test: {figures.sentence_list(told)}")
    if equal:
        names = figures.sentence_list(
            [measure_name(each.measure) + _within(each) for each in equal]
        )
        both = (
            f"{equal[0].a} and {equal[0].b} have " if len(equal) == len(claims) or not found else ""
        )
        found.append(f"{both}equal {names} on each of {tasks(equal[0].tasks)}")
    return found


def _clear(clear: Sequence[Claim], sizes: Sizes) -> str:
    """Return the clause of clear differences: `B costs less than A but passes less often`."""
    first = clear[0]
    is_same = len({each.tasks for each in clear}) == 1
    said: list[str] = []
    for each in clear:
        verb, before_a = (each.does(), "than") if sizes is Sizes.NONE else each.does_by()
        who = "" if said else f" {before_a} {first.a}"
        if sizes is not Sizes.NONE:
            on = f" on the same {tasks(each.tasks)}" if is_same and not said else ""
            also = "" if is_same else f", {tasks(each.tasks)}"
            named = "95% interval " if sizes is Sizes.ALL and not said else ""
            who += f"{on} ({named}{each.ends}{also})"
        said.append(verb + who)
    both = {each.is_better for each in clear[-2:]}
    return f"{first.b} {figures.sentence_list(said, 'but' if both == {True, False} else 'and')}"


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
    return f"{f'{claim.b} ' * with_name}{claim.does()}, {claim.size}{base}"


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


def capital(name: str) -> str:
    """Return it with a large first letter."""
    return name[:1].upper() + name[1:]


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
    return {"success": figures.share, "cost": figures.money}.get(measure, "{:,.3g}".format)(number)
