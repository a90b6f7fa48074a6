"""A campaign against an earlier one: by how much cost, success and scores differ, and the gates on that.

Both are compared on the tasks that both have runs of, a model with itself. A gate holds the range of the difference
against its limit: from none, where the interval does not leave out "no change", to what was seen.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain
from statistics import fmean

from sitegen import figures
from sitegen.model import frozen
from sitegen.numbers.campaigns import (
    Attempts,
    CampaignFigures,
    is_share,
    joined,
    scores_of,
    unify_names,
)
from sitegen.numbers.families import fisher, holm
from sitegen.numbers.gates import GateResult, GateVerdict, MeasureLimits, is_allowed, verdict
from sitegen.numbers.intervals import Interval, paired_intervals, paired_shares
from sitegen.numbers.trends import Trends
from sitegen.numbers.wording import signed, value

_LEVEL = 0.05
_NAMED = 5
NEWLY_FAILING = "success.newly_failing"
_Pair = tuple[Attempts, Attempts]  # of the baseline and now, at one task by one model


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
        name = {"cost": "Mean cost of a run", "success": "Success rate"}.get(self.measure)
        return name or f"Mean {_score_name(self.measure)}"

    @property
    def text(self) -> str:
        """The change with its interval and what it rests on."""
        changes = [self.change]
        if self.interval:
            changes += [self.interval.low, self.interval.high]
        same = 0 if self.is_decided else None
        decimals = figures.decimals_of([100 * change for change in changes], same)
        write = partial(_write_percent, decimals)
        tasks = figures.plural(self.tasks, "shared task")
        change = f"{self.about}{write(self.change)} {self.unit}"
        if self.interval is None:
            return f"{change} on {tasks}, too few for an interval"
        interval = figures.from_to(self.interval.low, self.interval.high, write)
        return f"{change}, 95% interval {interval}, on {tasks}"

    @property
    def levels(self) -> tuple[str, str]:
        """Both means as text."""
        measure = "success" if self.is_share else self.measure
        return self.about + value(measure, self.before), self.about + value(measure, self.now)

    @property
    def is_decided(self) -> bool:
        """Whether the interval leaves out no change."""
        return self.interval is not None and 0 not in self.interval


def _write_percent(decimals: int, share: float) -> str:
    return signed(100 * share, partial(figures.fixed, decimals=decimals))


def _score_name(measure: str) -> str:
    return measure.removeprefix("score.")


@frozen
class Coverage:
    """The number of tasks of the baseline, and of those that were compared."""

    compared: int
    tasks: int
    """Tasks of the baseline, without those that were left out here on purpose."""

    @classmethod
    def of(
        cls, baseline: CampaignFigures, now: CampaignFigures, left_out: Collection[str]
    ) -> "Coverage":
        """Return that of two campaigns; `left_out` are tasks whose runs a filter left out."""
        tasks = _tasks_of(baseline.attempts + baseline.strays)
        compared = _tasks_of(earlier for earlier, _ in _shared(baseline, now))
        excluded = {task.casefold() for task in left_out} - compared
        return cls(len(compared), len(tasks - excluded))

    @property
    def share(self) -> float:
        """The share that was compared, from 0 to 1."""
        return self.compared / self.tasks if self.tasks else 0.0

    @property
    def text(self) -> str:
        """As in "4 of 8 tasks of the baseline were compared"."""
        verb = "was" if self.tasks == 1 else "were"
        tasks = figures.plural(self.tasks, "task")
        return f"{figures.count(self.compared)} of {tasks} of the baseline {verb} compared"


def _tasks_of(attempts: Iterable[Attempts]) -> set[str]:
    """Return the keys of their tasks."""
    return {own.task.casefold() for own in attempts}


def with_one_name(
    baseline: CampaignFigures, now: CampaignFigures
) -> tuple[CampaignFigures, CampaignFigures]:
    """Return both with one name for each configuration, that of `now`."""
    earlier, later = unify_names([baseline, now])
    return earlier, later


def incomparable(baseline: CampaignFigures, now: CampaignFigures) -> list[str]:
    """Return the measures, "cost", "success" or "score", that both count by different rules."""
    return [
        measure
        for measure in ("cost", "success", "score")
        if baseline.rule(measure) != now.rule(measure)
    ]


def deltas(baseline: CampaignFigures, now: CampaignFigures) -> tuple[Delta, ...]:
    """Cost, success and scores against an earlier campaign, of those that both have, counted by the same rules. Both
    have one name for each configuration."""
    measures = ("cost", "success", *scores_of(now.attempts))
    comparable = [measure for measure in measures if baseline.rule(measure) == now.rule(measure)]
    made = (_delta(measure, baseline, now) for measure in comparable)
    return tuple(filter(None, made))


def _shared(baseline: CampaignFigures, now: CampaignFigures) -> Iterator[_Pair]:
    """Yield the attempts of both at one task by one model, where its prompt is the same."""
    by_key = joined(baseline.attempts)
    for later in joined(now.attempts).values():
        earlier = by_key.get(later.key)
        if earlier and (earlier.prompt == later.prompt or None in (earlier.prompt, later.prompt)):
            yield earlier, later


def _mixes(measure: str, earlier: Attempts, later: Attempts) -> bool:
    """Return whether some costs are reported and others at list price: these are not compared."""
    return measure == "cost" and len(earlier.bases | later.bases) > 1


def _delta(measure: str, baseline: CampaignFigures, now: CampaignFigures) -> Delta | None:
    by_task: dict[str, list[tuple[float, float]]] = {}
    is_computed = False
    for earlier, later in _shared(baseline, now):
        if not _mixes(measure, earlier, later):
            is_computed |= measure == "cost" and True in earlier.bases | later.bases
            values = earlier.values(measure), later.values(measure)
            if all(values):
                by_task.setdefault(earlier.task, []).append((fmean(values[0]), fmean(values[1])))
    pairs = list(map(_mean_pair, by_task.values()))
    if not pairs:
        return None
    tasks = len(pairs)
    mean_before, mean_now = _mean_pair(pairs)
    if is_share(measure, baseline.attempts + now.attempts):
        difference = paired_shares(pairs).difference
        return Delta(measure, mean_before, mean_now, tasks, difference, is_share=True)
    if mean_before <= 0 or min(chain(*pairs)) < 0:
        return None
    ratio = paired_intervals(pairs).ratio
    interval = Interval(ratio.low - 1, ratio.high - 1) if ratio else None
    return Delta(measure, mean_before, mean_now, tasks, interval, about="≈ " * is_computed)


def _mean_pair(pairs: Collection[tuple[float, float]]) -> tuple[float, float]:
    return fmean(earlier for earlier, _ in pairs), fmean(later for _, later in pairs)


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
    baseline: CampaignFigures,
    now: CampaignFigures,
    terms: Terms | None = None,
) -> tuple[GateResult, ...]:
    """Return the result of each gate: `<measure>.increase` and `<measure>.decrease`, and NEWLY_FAILING.

    Gates on measures that both campaigns count by different rules are incomplete, which does not fail the build after
    an update of sitegen. Both campaigns have one name for each configuration.
    """
    terms = terms or Terms()
    deltas_by_measure = {delta.measure: delta for delta in deltas(baseline, now)}
    coverage = Coverage.of(baseline, now, terms.left_out)
    results = []
    for name, limit in limits.items():
        measure = name.rpartition(".")[0]
        rules = baseline.rule(measure), now.rule(measure)
        if rules[0] != rules[1]:
            results.append(_by_other_rules(name, limit, is_update=rules[0] < rules[1]))
            continue
        gap, share = _gap(measure, baseline, now)
        unknown = terms.unknown.get(measure, "")
        left_out = gap if gap and is_allowed(unknown, share) else ""
        gap = ("" if left_out else gap) or _lost(baseline, now, unknown)
        if name == NEWLY_FAILING:
            result = _newly_failing(limit, baseline, now, gap, terms, counts_unjudged=not left_out)
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


def _lost(baseline: CampaignFigures, now: CampaignFigures, unknown: str | float) -> str:
    """Return which runs could not be read, as a clause; empty where none, or where the gate lets them pass."""
    share = max(
        campaign.unreadable / (campaign.runs + campaign.unreadable or 1)
        for campaign in (baseline, now)
    )
    if share == 0 or is_allowed(unknown, share):
        return ""
    sides = ((baseline.unreadable, " of the baseline"), (now.unreadable, ""))
    lost = [f"{figures.plural(count, 'run')}{side}" for count, side in sides if count]
    return f"{figures.sentence_list(lost)} could not be read"


def _with_coverage(result: GateResult, coverage: Coverage, min_share: float) -> GateResult:
    """Return the result, which is incomplete if too few tasks of the baseline were compared to pass."""
    if result.verdict is GateVerdict.FAILED or coverage.share >= min_share:
        return result
    text = f"Only {coverage.text}; `baseline` asks for {figures.percent(min_share, 1)}."
    why = " ".join(filter(None, (text, result.why)))
    return replace(result, verdict=GateVerdict.INCOMPLETE, why=why, is_tolerated=False)


def _gap(measure: str, baseline: CampaignFigures, now: CampaignFigures) -> tuple[str, float]:
    """Return what is not known of the runs of shared tasks: a clause, empty where all is; and the largest share of
    them, there or here."""
    pairs = list(_shared(baseline, now))
    mixed = [_mixes(measure, *pair) for pair in pairs]
    earlier = _count_unknown(measure, [pair[0] for pair in pairs], mixed, baseline.strays)
    later = _count_unknown(measure, [pair[1] for pair in pairs], mixed, now.strays)
    gaps = []
    for (unknown, runs), side in ((earlier, "of the baseline"), (later, "here")):
        if unknown:
            gaps.append(f"{figures.count(unknown)} of {figures.plural(runs, 'run')} {side}")
    largest = max(unknown / (runs or 1) for unknown, runs in (earlier, later))
    if not gaps:
        return "", largest
    subject = "outcome" if measure == "success" else _score_name(measure)
    if baseline.strays or now.strays:
        subject += " or the model"
    state = "not known"
    if any(mixed):
        state += ", or reported in part and in part at list price"
    return f"the {subject} of {figures.sentence_list(gaps)} is {state}", largest


def _count_unknown(
    measure: str, attempts: Sequence[Attempts], mixed: Sequence[bool], strays: Sequence[Attempts]
) -> tuple[int, int]:
    """Return the runs that do not know a measure, and all runs; `mixed` are attempts whose costs are not compared."""
    runs_of_strays = sum(
        stray.runs if measure == "cost" else stray.judged + stray.unjudged for stray in strays
    )
    unknown = sum(
        own.runs if is_mixed else own.unknown(measure)
        for own, is_mixed in zip(attempts, mixed, strict=True)
    )
    return unknown + runs_of_strays, sum(own.runs for own in attempts) + runs_of_strays


def _change(
    name: str, limit: float, delta: Delta | None, gap: str, trends: Trends | None
) -> GateResult:
    """Hold a change against its limit: it is at what was seen or above, where runs are unknown, and at none where it
    may be chance."""
    measure, _, direction = name.rpartition(".")
    unit = "points" if measure == "success" else "%"
    text = figures.UNKNOWN
    result = GateVerdict.INCOMPLETE
    why = gap or "the baseline shares no task with these runs of which both have a mean above zero"
    if delta:
        unit = delta.unit
        text = delta.text
        seen = (delta.change if direction == "increase" else -delta.change) - 1e-12
        least = seen if delta.is_decided else min(seen, 0)
        doubt = GateVerdict.INCOMPLETE if gap else GateVerdict.UNDECIDED
        result = verdict(least, math.inf if gap else seen, MeasureLimits(max=limit), doubt)
        why = f"it is {text}: no clear change" if seen > limit else gap
    is_tolerated = result is GateVerdict.UNDECIDED and not _has_alert(trends, measure, direction)
    return GateResult(
        name,
        label=f"{figures.capitalized(_score_name(measure))} against the baseline",
        limit=f"{direction} of at most {100 * limit:g} {unit}",
        figure=text,
        verdict=result,
        why=_why(result, f"It is {text}", figures.capitalized(why)),
        is_tolerated=is_tolerated,
    )


def _has_alert(trends: Trends | None, measure: str, direction: str) -> bool:
    """Return whether a new alert says that a measure moved in this direction for some configuration."""
    for trend in trends.measures if trends else ():
        if trend.measure == measure and trend.is_new and trend.last is not None:
            earlier, later = trend.last.means
            if (later > earlier) is (direction == "increase"):
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
    def of(cls, shared: Sequence[_Pair], alerted: Mapping[tuple[str, str], str]) -> "_Worse":
        """Return those among the tasks that both campaigns have; `alerted` have an alert."""
        judged = [(earlier, later) for earlier, later in shared if earlier.judged and later.judged]
        p_values = [fisher(a.passed, a.judged, b.passed, b.judged) for a, b in judged]
        level = holm(p_values, _LEVEL)
        proven = dict(alerted)
        maybe: dict[tuple[str, str], str] = {}
        for (earlier, later), p_value in zip(judged, p_values, strict=True):
            name = f"{later.task} ({later.model})"
            mostly_passed = 2 * earlier.passed > earlier.judged
            mostly_fails = 2 * later.passed < later.judged
            is_reversed = earlier.passed == earlier.judged and not later.passed
            if mostly_passed and mostly_fails and p_value <= level:
                proven[later.key] = name
            elif mostly_passed and mostly_fails and (p_value <= _LEVEL or is_reversed):
                maybe[later.key] = name
        return cls(proven, [name for key, name in maybe.items() if key not in proven], len(judged))


def _newly_failing(
    limit: float,
    baseline: CampaignFigures,
    now: CampaignFigures,
    gap: str,
    terms: Terms,
    *,
    counts_unjudged: bool,
) -> GateResult:
    """Hold the tasks that newly fail against their limit. More may be those of which an outcome or a model is
    unknown."""
    shared = list(_shared(baseline, now))
    worse = _Worse.of(shared, _failing_by_alert(baseline, terms))
    unknown = _unjudged_tasks(shared, baseline, now) if counts_unjudged else 0
    least = len(worse.proven)
    most = least + len(worse.maybe)
    is_bounded = worse.judged and not _has_lost(baseline, now, gap)
    # names of tasks stay as they are
    figure = figures.UNKNOWN
    why = figures.capitalized(gap)
    if baseline.left_out and not gap:
        why = f"The baseline keeps nothing of {figures.plural(baseline.left_out, 'further task')}"
    if worse.judged:
        figure = f"{least} of {figures.plural(worse.judged, 'shared task')}"
    if worse.maybe:
        figure += f", {len(worse.maybe)} more may be"
    if not worse.judged:
        why = "The baseline shares no judged task with these runs"
    elif most > limit:
        why = (
            f"{_named(worse.maybe)} passed before, too few attempts to tell whether that is chance"
        )
    is_complete = is_bounded and not gap and not unknown
    doubt = GateVerdict.UNDECIDED if is_complete else GateVerdict.INCOMPLETE
    highest = most + unknown if is_bounded else math.inf
    result = verdict(least, highest, MeasureLimits(max=limit), doubt)
    return GateResult(
        NEWLY_FAILING,
        label="Newly failing tasks",
        limit=f"at most {limit:g}",
        figure=figure,
        verdict=result,
        why=_why(result, _named(list(worse.proven.values())), why),
        # None of the tasks in doubt has an alert: those that have one are proven.
        is_tolerated=result is GateVerdict.UNDECIDED,
    )


def _unjudged_tasks(
    shared: Sequence[_Pair], baseline: CampaignFigures, now: CampaignFigures
) -> int:
    """Return how many tasks may fail besides: shared ones with an unjudged run, and those with runs of an unknown
    model that were not cut short."""
    unjudged = sum(bool(earlier.unjudged or later.unjudged) for earlier, later in shared)
    strays = [stray for stray in baseline.strays + now.strays if stray.judged or stray.unjudged]
    may_fail = (
        attempts
        for attempts in now.attempts + now.strays
        if attempts.passed < attempts.judged + attempts.unjudged
    )
    return unjudged + len(_tasks_of(strays) & _tasks_of(may_fail))


def _has_lost(baseline: CampaignFigures, now: CampaignFigures, gap: str) -> bool:
    """Return whether tasks may fail of which nothing is known."""
    return bool(baseline.left_out or (gap and (baseline.unreadable or now.unreadable)))


def _failing_by_alert(baseline: CampaignFigures, terms: Terms) -> dict[tuple[str, str], str]:
    """Return the names of the tasks whose alert says that they fail, as the page of trends has it, by key."""
    failed: set[tuple[str, str]] = set()
    if not terms.is_previous:
        failed = {own.key for own in baseline.attempts if 2 * own.passed < own.judged}
    left_out = {task.casefold() for task in terms.left_out}
    alerted: dict[tuple[str, str], str] = {}
    for trend in terms.trends.tasks if terms.trends else ():
        key = trend.task.casefold(), trend.model.casefold()
        if trend.is_failing and key not in failed and key[0] not in left_out:
            alerted[key] = f"{trend.task} ({trend.model})"
    return alerted


def _named(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return figures.sentence_list([*names[:_NAMED], *more])
