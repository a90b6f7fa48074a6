"""A campaign against an earlier one: by how much cost, success and scores differ, and the gates on that.

Both are compared on the tasks that both have runs of, a model with itself. A gate holds the range of the difference
against its limit: from none, where the interval does not leave out "no change", to what was seen.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from sitegen import figures
from sitegen.model import by_key
from sitegen.numbers.campaigns import Attempts, CampaignFigures, is_share, joined
from sitegen.numbers.families import fisher, holm
from sitegen.numbers.gates import GateResult, GateVerdict, MeasureLimits, is_allowed, verdict
from sitegen.numbers.intervals import Interval, paired_intervals, paired_shares
from sitegen.numbers.wording import capital, signed, value

_LEVEL = 0.05
_NAMED = 5
NEWLY_FAILING = "success.newly_failing"


@dataclass(frozen=True, slots=True)
class Delta:
    """The difference of a measure from the baseline."""

    measure: str  # "cost", "success" or "score.<name>"
    before: float  # mean over the shared tasks
    now: float
    tasks: int
    interval: Interval | None  # 95 %, of the change; None where too few tasks tell
    is_share: bool = False  # whether it is a share of runs
    about: str = ""  # the sign of costs at list price

    @property
    def change(self) -> float:
        """The change: for shares a difference, else relative to the old value."""
        return self.now - self.before if self.is_share else self.now / self.before - 1

    @property
    def unit(self) -> str:
        """The unit of the change."""
        return "points" if self.is_share else "%"

    @property
    def label(self) -> str:
        """The name of the measure, as a sentence begins."""
        named = {"cost": "Mean cost of a run", "success": "Success rate"}
        return named.get(self.measure) or f"Mean {self.measure.removeprefix('score.')}"

    @property
    def text(self) -> str:
        """The change with its interval and what it rests on."""
        ends = (self.interval.low, self.interval.high) if self.interval else ()
        decimals = figures.decimals_of([100 * each for each in (self.change, *ends)], 0 if self.is_decided else None)

        def write(share: float | None) -> str:
            return signed(share and 100 * share, partial(figures.fixed, decimals=decimals))

        tasks = figures.plural(self.tasks, "shared task")
        change = f"{self.about}{write(self.change)} {self.unit}"
        if self.interval is None:
            return f"{change} on {tasks}, too few for an interval"
        between = figures.from_to(self.interval.low, self.interval.high, write)
        return f"{change}, 95% interval {between}, on {tasks}"

    @property
    def levels(self) -> tuple[str, str]:
        """Both means as text."""
        measure = "success" if self.is_share else self.measure
        return self.about + value(measure, self.before), self.about + value(measure, self.now)

    @property
    def is_decided(self) -> bool:
        """Whether the interval leaves out no change."""
        return self.interval is not None and 0 not in self.interval


def deltas(before: CampaignFigures, now: CampaignFigures) -> tuple[Delta, ...]:
    """Cost, success and scores against an earlier campaign, of those that both tell."""
    names = sorted({name for each in now.attempts for name, _ in each.scores})
    made = (_delta(measure, before, now) for measure in ("cost", "success", *(f"score.{name}" for name in names)))
    return tuple(each for each in made if each)


def _shared(before: CampaignFigures, now: CampaignFigures) -> Iterator[tuple[Attempts, Attempts]]:
    """Yield the attempts of both at one task by one model, where its prompt is the same."""
    earlier = joined(before.attempts)
    for each in joined(now.attempts).values():
        other = earlier.get(each.key)
        if other and (other.prompt == each.prompt or None in (other.prompt, each.prompt)):
            yield other, each


def _mixes(measure: str, one: Attempts, other: Attempts) -> bool:
    """Return whether some costs are reported and others at list price: these are not compared."""
    return measure == "cost" and len(one.bases | other.bases) > 1


def _delta(measure: str, before: CampaignFigures, now: CampaignFigures) -> Delta | None:
    shared = [pair for pair in _shared(before, now) if not _mixes(measure, *pair)]
    both = ((one.task, one.values(measure), other.values(measure)) for one, other in shared)
    by_task = by_key((each for each in both if each[1] and each[2]), lambda each: each[0])
    pairs = [(fmean(fmean(a) for _, a, _ in own), fmean(fmean(b) for _, _, b in own)) for own in by_task.values()]
    if not pairs:
        return None
    mean_a, mean_b = (fmean(pair[side] for pair in pairs) for side in (0, 1))
    if is_share(measure, (*before.attempts, *now.attempts)):
        return Delta(measure, mean_a, mean_b, len(pairs), paired_shares(pairs).difference, is_share=True)
    if mean_a <= 0 or any(value < 0 for pair in pairs for value in pair):
        return None
    ratio = paired_intervals(pairs).ratio
    interval = Interval(ratio.low - 1, ratio.high - 1) if ratio else None
    is_computed = measure == "cost" and any(True in one.bases | other.bases for one, other in shared)
    return Delta(measure, mean_a, mean_b, len(pairs), interval, about="≈ " * is_computed)


def evaluate(
    limits: Mapping[str, float],
    before: CampaignFigures,
    now: CampaignFigures,
    unknown: Mapping[str, str | float] | None = None,
) -> tuple[GateResult, ...]:
    """Return the result of each gate: `<measure>.increase` and `<measure>.decrease`, and NEWLY_FAILING. `unknown` says
    for each measure how runs without it count, as in `MeasureLimits`."""
    found = {each.measure: each for each in deltas(before, now)}
    lost = f"{figures.plural(before.left_out, 'run')} of the baseline cannot be read" if before.left_out else ""

    def held(name: str, limit: float) -> GateResult:
        measure = name.rpartition(".")[0]
        gap, share = _gap(measure, before, now)
        left_out = gap if gap and is_allowed((unknown or {}).get(measure, ""), share) else ""
        gap = ("" if left_out else gap) or lost
        if name == NEWLY_FAILING:
            result = _newly_failing(limit, before, now, gap, counts_unjudged=not left_out)
        else:
            result = _change(name, limit, found.get(measure), gap)
        return replace(result, why=" ".join(filter(None, (result.why, left_out and f"Left out: {left_out}."))))

    return tuple(held(*each) for each in limits.items())


def _gap(measure: str, before: CampaignFigures, now: CampaignFigures) -> tuple[str, float]:
    """Return what is not known of the runs of shared tasks: a clause, empty where all is; and the largest share of
    them, there or here."""
    pairs = list(_shared(before, now))
    mixed = [_mixes(measure, *pair) for pair in pairs]
    gaps, largest = list[str](), 0.0
    sides = ("of the baseline", before, [one for one, _ in pairs]), ("here", now, [other for _, other in pairs])
    for where, campaign, own in sides:
        lacks = (each.runs if is_mixed else each.unknown(measure) for each, is_mixed in zip(own, mixed, strict=True))
        strays = sum(each.runs if measure == "cost" else each.judged + each.unjudged for each in campaign.strays)
        unknown, runs = sum(lacks) + strays, sum(each.runs for each in own) + strays
        largest = max(largest, unknown / (runs or 1))
        gaps += [f"{figures.count(unknown)} of {figures.plural(runs, 'run')} {where}"] if unknown else []
    what = {"cost": "cost", "success": "outcome"}.get(measure, measure.removeprefix("score."))
    what += " or the model" if before.strays or now.strays else ""
    how = "not known, or reported in part and in part at list price" if any(mixed) else "not known"
    return f"the {what} of {figures.sentence_list(gaps)} is {how}" if gaps else "", largest


def _change(name: str, limit: float, delta: Delta | None, gap: str) -> GateResult:
    """Return a change lies at what was seen or above, where runs are unknown, and at none where it may be chance."""
    measure, _, direction = name.rpartition(".")
    unit = delta.unit if delta else "points" if measure == "success" else "%"
    at_most = f"{direction} of at most {100 * limit:g} {unit}"
    what = {"cost": "Cost", "success": "Success"}.get(measure, measure.removeprefix("score.").capitalize())
    least, most, text, why = -math.inf, math.inf, figures.UNKNOWN, gap
    if delta is None:
        why = gap or "the baseline shares no task with these runs of which both have a mean above zero"
    else:
        seen = (delta.change if direction == "increase" else -delta.change) - 1e-12
        least, most, text = seen if delta.is_decided else min(seen, 0), math.inf if gap else seen, delta.text
        why = f"it is {text}: no clear change" if seen > limit else gap
    found = verdict(least, most, MeasureLimits(max=limit))
    why = _why(found, f"It is {text}", capital(why))
    return GateResult(name, f"{what} against the baseline", at_most, text, found, why)


def _why(found: GateVerdict, failed: str, unproven: str) -> str:
    return {GateVerdict.FAILED: f"{failed}.", GateVerdict.UNPROVEN: f"{unproven}."}.get(found, "")


def _newly_failing(
    limit: float, before: CampaignFigures, now: CampaignFigures, gap: str, *, counts_unjudged: bool
) -> GateResult:
    """Return tasks that mostly passed and now mostly fail: those that an exact test of all tasks together finds. More
    may be those that a test of their own alone finds, that all runs passed and now none, or of which an outcome or a
    model is unknown."""
    shared = list(_shared(before, now))
    judged = [(one, other) for one, other in shared if one.judged and other.judged]
    ps = [fisher(one.passed, one.judged, other.passed, other.judged) for one, other in judged]
    level = holm(ps, _LEVEL)
    worse = [
        (other, p, one.passed == one.judged and not other.passed)
        for (one, other), p in zip(judged, ps, strict=True)
        if 2 * one.passed > one.judged and 2 * other.passed < other.judged
    ]
    proven = [f"{each.task} ({each.model})" for each, p, _ in worse if p <= level]
    maybe = [f"{each.task} ({each.model})" for each, p, is_whole in worse if p > level and (p <= _LEVEL or is_whole)]
    unknown = sum(bool(one.unjudged or other.unjudged) for one, other in shared) if counts_unjudged else 0
    failing = {
        each.task.casefold() for each in (*now.attempts, *now.strays) if each.passed < each.judged + each.unjudged
    }
    strays = {each.task.casefold() for each in (*before.strays, *now.strays)}
    unknown += len(strays & failing) if counts_unjudged else 0
    least = len(proven)
    most = math.inf if before.left_out or not judged else least + len(maybe) + unknown
    figure = f"{least} of {figures.plural(len(judged), 'shared task')}" if judged else figures.UNKNOWN
    figure += f", {len(maybe)} more may be" if maybe else ""
    why = capital(gap)  # names of tasks stay as they are
    if not judged:
        why = "The baseline shares no judged task with these runs"
    elif least + len(maybe) > limit:
        why = f"{_named(maybe)} passed before, too few attempts to tell whether that is chance"
    found = verdict(least, most, MeasureLimits(max=limit))
    why = _why(found, _named(proven), why)
    return GateResult(NEWLY_FAILING, "Newly failing tasks", f"at most {limit:g}", figure, found, why)


def _named(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return figures.sentence_list([*names[:_NAMED], *more])
