"""A campaign against an earlier one: by how much cost, success and scores differ, and the gates on that.

Both are compared on the tasks that both have runs of, a model with itself. A gate holds the range of the difference
against its limit: from none, where the interval does not leave out "no change", to what was seen.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from statistics import fmean

from sitegen import figures
from sitegen.model import by_key, frozen
from sitegen.numbers.campaigns import Attempts, CampaignFigures, is_share, joined, unify_names
from sitegen.numbers.families import fisher, holm
from sitegen.numbers.gates import GateResult, GateVerdict, MeasureLimits, is_allowed, verdict
from sitegen.numbers.intervals import Interval, paired_intervals, paired_shares
from sitegen.numbers.trends import Trends
from sitegen.numbers.wording import capital, signed, value

_LEVEL = 0.05
_NAMED = 5
NEWLY_FAILING = "success.newly_failing"


@frozen
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
        decimals = figures.decimals_of(
            [100 * each for each in (self.change, *ends)], 0 if self.is_decided else None
        )

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


@frozen
class Coverage:
    """The number of tasks of the baseline, and of those that were compared."""

    compared: int
    tasks: int
    """Tasks of the baseline, without those that were left out here on purpose."""

    @classmethod
    def of(
        cls, before: CampaignFigures, now: CampaignFigures, left_out: Collection[str]
    ) -> "Coverage":
        """Return that of two campaigns; `left_out` are tasks whose runs a filter left out."""
        tasks = {attempts.task.casefold() for attempts in (*before.attempts, *before.strays)}
        compared = {attempts.task.casefold() for attempts, _ in _shared(before, now)}
        wanted = tasks - ({task.casefold() for task in left_out} - compared)
        return cls(len(compared), len(wanted))

    @property
    def share(self) -> float:
        """The share that was compared, from 0 to 1."""
        return self.compared / self.tasks if self.tasks else 0.0

    @property
    def text(self) -> str:
        """As in "4 of 8 tasks of the baseline were compared"."""
        verb = "was" if self.tasks == 1 else "were"
        return f"{figures.count(self.compared)} of {figures.plural(self.tasks, 'task')} of the baseline {verb} compared"


def with_one_name(
    before: CampaignFigures, now: CampaignFigures
) -> tuple[CampaignFigures, CampaignFigures]:
    """Return both with one name for each configuration, that of `now`."""
    earlier, later = unify_names([before, now])
    return earlier, later


def incomparable(before: CampaignFigures, now: CampaignFigures) -> list[str]:
    """Return the measures, "cost", "success" or "score", that both count by different rules."""
    return [
        measure
        for measure in ("cost", "success", "score")
        if before.rule(measure) != now.rule(measure)
    ]


def deltas(before: CampaignFigures, now: CampaignFigures) -> tuple[Delta, ...]:
    """Cost, success and scores against an earlier campaign, of those that both have, counted by the same rules. Both
    have one name for each configuration."""
    names = sorted({name for each in now.attempts for name, _ in each.scores})
    measures = ["cost", "success", *(f"score.{name}" for name in names)]
    comparable = [measure for measure in measures if before.rule(measure) == now.rule(measure)]
    made = (_delta(measure, before, now) for measure in comparable)
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
    pairs = [
        (fmean(fmean(a) for _, a, _ in own), fmean(fmean(b) for _, _, b in own))
        for own in by_task.values()
    ]
    if not pairs:
        return None
    mean_a, mean_b = (fmean(pair[side] for pair in pairs) for side in (0, 1))
    if is_share(measure, (*before.attempts, *now.attempts)):
        return Delta(
            measure, mean_a, mean_b, len(pairs), paired_shares(pairs).difference, is_share=True
        )
    if mean_a <= 0 or any(value < 0 for pair in pairs for value in pair):
        return None
    ratio = paired_intervals(pairs).ratio
    interval = Interval(ratio.low - 1, ratio.high - 1) if ratio else None
    is_computed = measure == "cost" and any(
        True in one.bases | other.bases for one, other in shared
    )
    return Delta(measure, mean_a, mean_b, len(pairs), interval, about="≈ " * is_computed)


@frozen
class Terms:
    """The terms on which a campaign is held against its baseline."""

    unknown: Mapping[str, str | float] = field(default_factory=dict)
    """The effect of runs without the figure for each measure, as in `MeasureLimits`."""
    min_share: float = 0.0
    """The share of the baseline's tasks that must be compared."""
    left_out: Collection[str] = ()
    """Tasks whose runs a filter, a day or a choice of inputs left out."""
    trends: Trends | None = None
    """The changes up to this campaign, whose alerts count as proven."""
    is_previous: bool = False
    """Whether the baseline is the campaign before, in which a task with an alert may fail already."""


def evaluate(
    limits: Mapping[str, float],
    before: CampaignFigures,
    now: CampaignFigures,
    terms: Terms | None = None,
) -> tuple[GateResult, ...]:
    """Return the result of each gate: `<measure>.increase` and `<measure>.decrease`, and NEWLY_FAILING.

    Gates on measures that both campaigns count by different rules are incomplete, which does not fail the build after
    an update of sitegen. Both campaigns have one name for each configuration.
    """
    terms = terms or Terms()
    deltas_by_measure = {delta.measure: delta for delta in deltas(before, now)}
    coverage = Coverage.of(before, now, terms.left_out)
    results = []
    for name, limit in limits.items():
        measure = name.rpartition(".")[0]
        if before.rule(measure) != now.rule(measure):
            results.append(
                _by_other_rules(name, limit, is_update=before.rule(measure) < now.rule(measure))
            )
            continue
        gap, share = _gap(measure, before, now)
        unknown = terms.unknown.get(measure, "")
        left_out = gap if gap and is_allowed(unknown, share) else ""
        gap = ("" if left_out else gap) or _lost(before, now, unknown)
        if name == NEWLY_FAILING:
            result = _newly_failing(limit, before, now, gap, terms, counts_unjudged=not left_out)
        else:
            result = _change(name, limit, deltas_by_measure.get(measure), gap, terms.trends)
        if left_out:
            result = replace(result, why=f"{result.why} Left out: {left_out}.".lstrip())
        results.append(_with_coverage(result, coverage, terms.min_share))
    return tuple(results)


def _by_other_rules(name: str, limit: float, *, is_update: bool) -> GateResult:
    """Return the result of a gate that cannot be evaluated, since the baseline counts its measure by other rules."""
    why = "The baseline counts this by the rules of another version of sitegen."
    label = figures.capitalized(f"{name.replace('.', ': ').replace('_', ' ')} against the baseline")
    at_most = f"at most {limit:g}"
    return GateResult(
        name, label, at_most, figures.UNKNOWN, GateVerdict.INCOMPLETE, why, is_tolerated=is_update
    )


def _lost(before: CampaignFigures, now: CampaignFigures, unknown: str | float) -> str:
    """Return which runs could not be read, as a clause; empty where none, or where the gate lets them pass."""
    share = max(
        campaign.unreadable / (campaign.runs + campaign.unreadable or 1)
        for campaign in (before, now)
    )
    if is_allowed(unknown, share):
        return ""
    sides = ((before.unreadable, " of the baseline"), (now.unreadable, ""))
    lost = [f"{figures.plural(count, 'run')}{where}" for count, where in sides if count]
    return f"{figures.sentence_list(lost)} could not be read" if lost else ""


def _with_coverage(result: GateResult, coverage: Coverage, min_share: float) -> GateResult:
    """Return the result, which is incomplete if too few tasks of the baseline were compared to pass."""
    if result.verdict is GateVerdict.FAILED or coverage.share >= min_share:
        return result
    text = f"Only {coverage.text}; `baseline` asks for {figures.percent(min_share, 1)}."
    why = " ".join(filter(None, (text, result.why)))
    return replace(result, verdict=GateVerdict.INCOMPLETE, why=why, is_tolerated=False)


def _gap(measure: str, before: CampaignFigures, now: CampaignFigures) -> tuple[str, float]:
    """Return what is not known of the runs of shared tasks: a clause, empty where all is; and the largest share of
    them, there or here."""
    pairs = list(_shared(before, now))
    mixed = [_mixes(measure, *pair) for pair in pairs]
    gaps: list[str] = []
    largest = 0.0
    sides = (
        ("of the baseline", before, [one for one, _ in pairs]),
        ("here", now, [other for _, other in pairs]),
    )
    for where, campaign, own in sides:
        lacks = (
            each.runs if is_mixed else each.unknown(measure)
            for each, is_mixed in zip(own, mixed, strict=True)
        )
        strays = sum(
            each.runs if measure == "cost" else each.judged + each.unjudged
            for each in campaign.strays
        )
        unknown = sum(lacks) + strays
        runs = sum(each.runs for each in own) + strays
        largest = max(largest, unknown / (runs or 1))
        gaps += (
            [f"{figures.count(unknown)} of {figures.plural(runs, 'run')} {where}"]
            if unknown
            else []
        )
    what = {"cost": "cost", "success": "outcome"}.get(measure, measure.removeprefix("score."))
    what += " or the model" if before.strays or now.strays else ""
    how = "not known, or reported in part and in part at list price" if any(mixed) else "not known"
    return f"the {what} of {figures.sentence_list(gaps)} is {how}" if gaps else "", largest


def _change(
    name: str, limit: float, delta: Delta | None, gap: str, trends: Trends | None
) -> GateResult:
    """Hold a change against its limit: it is at what was seen or above, where runs are unknown, and at none where it
    may be chance."""
    measure, _, direction = name.rpartition(".")
    unit = delta.unit if delta else "points" if measure == "success" else "%"
    at_most = f"{direction} of at most {100 * limit:g} {unit}"
    what = {"cost": "Cost", "success": "Success"}.get(
        measure, figures.capitalized(measure.removeprefix("score."))
    )
    least, most, text, why, doubt = (
        -math.inf,
        math.inf,
        figures.UNKNOWN,
        gap,
        GateVerdict.INCOMPLETE,
    )
    if delta is None:
        why = (
            gap
            or "the baseline shares no task with these runs of which both have a mean above zero"
        )
    else:
        seen = (delta.change if direction == "increase" else -delta.change) - 1e-12
        least, most, text = (
            seen if delta.is_decided else min(seen, 0),
            math.inf if gap else seen,
            delta.text,
        )
        why = f"it is {text}: no clear change" if seen > limit else gap
        doubt = GateVerdict.INCOMPLETE if gap else GateVerdict.UNDECIDED
    result = verdict(least, most, MeasureLimits(max=limit), doubt)
    why = _why(result, f"It is {text}", capital(why))
    is_tolerated = result is GateVerdict.UNDECIDED and not _has_alert(trends, measure, direction)
    return GateResult(
        name, f"{what} against the baseline", at_most, text, result, why, is_tolerated=is_tolerated
    )


def _has_alert(trends: Trends | None, measure: str, direction: str) -> bool:
    """Return whether a new alert says that a measure moved in this direction for some configuration."""
    for trend in trends.measures if trends else ():
        if trend.measure == measure and trend.is_new and trend.last is not None:
            before, after = trend.last.means
            if (after > before) is (direction == "increase"):
                return True
    return False


def _why(result: GateVerdict, failed: str, unproven: str) -> str:
    if result is GateVerdict.PASSED:
        return ""
    return f"{failed}." if result is GateVerdict.FAILED else f"{unproven}."


@frozen
class _Worse:
    """The tasks that mostly passed and now mostly fail, by name."""

    proven: Mapping[tuple[str, str], str]
    """Those that an exact test of all tasks together finds, or of which an alert says so, by key of the attempts."""
    maybe: Sequence[str]
    """Those that a test of their own alone finds, or that all runs passed and now none."""
    judged: int
    """Shared tasks of one model with verdicts on both sides."""

    @classmethod
    def of(
        cls, shared: Sequence[tuple[Attempts, Attempts]], alerted: Mapping[tuple[str, str], str]
    ) -> "_Worse":
        """Return those among the tasks that both campaigns have; `alerted` have an alert."""
        judged = [(earlier, later) for earlier, later in shared if earlier.judged and later.judged]
        p_values = [fisher(a.passed, a.judged, b.passed, b.judged) for a, b in judged]
        level = holm(p_values, _LEVEL)
        proven = dict(alerted)
        maybe: dict[tuple[str, str], str] = {}
        for (earlier, later), p_value in zip(judged, p_values, strict=True):
            mostly_passed = 2 * earlier.passed > earlier.judged
            mostly_fails = 2 * later.passed < later.judged
            is_reversed = earlier.passed == earlier.judged and not later.passed
            if mostly_passed and mostly_fails and p_value <= level:
                proven[later.key] = f"{later.task} ({later.model})"
            elif mostly_passed and mostly_fails and (p_value <= _LEVEL or is_reversed):
                maybe[later.key] = f"{later.task} ({later.model})"
        return cls(proven, [name for key, name in maybe.items() if key not in proven], len(judged))


def _newly_failing(
    limit: float,
    before: CampaignFigures,
    now: CampaignFigures,
    gap: str,
    terms: Terms,
    *,
    counts_unjudged: bool,
) -> GateResult:
    """Hold the tasks that newly fail against their limit. More may be those of which an outcome or a model is
    unknown."""
    shared = list(_shared(before, now))
    worse = _Worse.of(shared, _failing_by_alert(before, terms))
    unknown = _unjudged_tasks(shared, before, now) if counts_unjudged else 0
    least = len(worse.proven)
    is_bounded = worse.judged and not _has_lost(before, now, gap)
    most = least + len(worse.maybe) + unknown if is_bounded else math.inf
    # names of tasks stay as they are
    figure = figures.UNKNOWN
    why = capital(gap)
    if worse.judged:
        figure = f"{least} of {figures.plural(worse.judged, 'shared task')}"
    if worse.maybe:
        figure += f", {len(worse.maybe)} more may be"
    if not worse.judged:
        why = "The baseline shares no judged task with these runs"
    elif least + len(worse.maybe) > limit:
        why = (
            f"{_named(worse.maybe)} passed before, too few attempts to tell whether that is chance"
        )
    is_complete = is_bounded and not gap and not unknown
    doubt = GateVerdict.UNDECIDED if is_complete else GateVerdict.INCOMPLETE
    result = verdict(least, most, MeasureLimits(max=limit), doubt)
    why = _why(result, _named(list(worse.proven.values())), why)
    # None of the tasks in doubt has an alert: those that have one are proven.
    is_tolerated = result is GateVerdict.UNDECIDED
    at_most = f"at most {limit:g}"
    return GateResult(
        NEWLY_FAILING,
        "Newly failing tasks",
        at_most,
        figure,
        result,
        why,
        is_tolerated=is_tolerated,
    )


def _unjudged_tasks(
    shared: Sequence[tuple[Attempts, Attempts]], before: CampaignFigures, now: CampaignFigures
) -> int:
    """Return how many tasks may fail besides: shared ones with an unjudged run, and those with runs of an unknown
    model."""
    unjudged = sum(bool(earlier.unjudged or later.unjudged) for earlier, later in shared)
    may_fail = {
        attempts.task.casefold()
        for attempts in (*now.attempts, *now.strays)
        if attempts.passed < attempts.judged + attempts.unjudged
    }
    strays = {attempts.task.casefold() for attempts in (*before.strays, *now.strays)}
    return unjudged + len(strays & may_fail)


def _has_lost(before: CampaignFigures, now: CampaignFigures, gap: str) -> bool:
    """Return whether tasks may fail of which nothing is known."""
    return bool(before.left_out or (gap and (before.unreadable or now.unreadable)))


def _failing_by_alert(before: CampaignFigures, terms: Terms) -> dict[tuple[str, str], str]:
    """Return the names of the tasks whose alert says that they fail, as the page of trends has it, by key."""
    passed_over: set[tuple[str, str]] = set()
    if not terms.is_previous:
        passed_over = {
            attempts.key for attempts in before.attempts if 2 * attempts.passed < attempts.judged
        }
    left_out = {task.casefold() for task in terms.left_out}
    alerted: dict[tuple[str, str], str] = {}
    for trend in terms.trends.tasks if terms.trends else ():
        key = trend.task.casefold(), trend.model.casefold()
        if trend.is_failing and key not in passed_over and trend.task.casefold() not in left_out:
            alerted[key] = f"{trend.task} ({trend.model})"
    return alerted


def _named(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return figures.sentence_list([*names[:_NAMED], *more])
