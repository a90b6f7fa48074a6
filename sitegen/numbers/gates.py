"""Limits that a campaign must keep, held against its figures.

A figure with gaps is not one number but a range, so every measure is given here as the least and the most that it can
be. A gate has passed when the whole range keeps the limits, and failed when no part of it does. Else it is incomplete
if data are missing, and undecided if the data are complete and the attempts too few. Neither has passed: what is
unknown must not turn a build green.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import partial
from itertools import chain

from sitegen import figures
from sitegen.figures import UNKNOWN, StatusView, bounded
from sitegen.model import (
    COST_TOLERANCE_USD,
    Entry,
    Outcome,
    Problem,
    Run,
    Source,
    Status,
    Total,
    by_key,
    frozen,
)
from sitegen.numbers.intervals import Interval, median, rate_interval
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.statistics import CampaignSummary, score_measures, summarize
from sitegen.numbers.success import (
    VERDICT,
    is_infrastructure_failure,
    pass_hat_k,
    success,
    with_verdict,
)
from sitegen.text.names import as_spelled, natural_order

MEASURES = {
    "total_cost_usd": "Total cost",
    "median_cost_usd": "Median cost of a run",
    "success_rate": "Success rate",
    "valid_share": "Judged runs in judged and lost runs",
    "runs": "Runs",
    "failed": "Failed runs",
    "stopped": "Stopped runs",
    "interrupted": "Interrupted runs",
    "unreconciled": "Unreconciled runs",
    "missing": "Missing planned runs",
    "problems": "Problems",
}
"""The measures that a gate can be on, in the order in which gates are shown, with their names on pages."""


class GateVerdict(StrEnum):
    """The result of a gate. Only PASSED is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"  # the data are complete, the attempts too few
    INCOMPLETE = "incomplete"  # it depends on data that are missing, unreadable or withheld


@frozen
class MeasureLimits:
    """The limits on a measure, ends included, in its unit; None where there is no limit."""

    min: float | None = None
    max: float | None = None
    test: str = "figure"  # `lower_bound`: the lower end of the 95 % interval must keep `min`
    by: str | None = None  # the dimension of the groups that each have a result
    where: Mapping[str, str] = field(default_factory=dict)  # the groups that runs have to be in
    unknown: str | float = (
        "incomplete"  # `allow`, or the share of runs that may not know the figure
    )


@frozen
class GateResult:
    """One gate, held against the campaign."""

    name: (
        str  # a key of MEASURES, `pass^<k>`, `verdict.<name>`, or `score.<name>.mean` or `.median`
    )
    label: str
    limit: str  # `at most $50.00`
    figure: str  # the figure as on the index, with a plus when it is a lower bound
    verdict: GateVerdict
    why: str  # a sentence; empty when the gate has passed on figures without gaps
    left_out: str = ""  # the part of it on runs that `unknown` lets the gate pass over
    is_tolerated: bool = False
    """Whether it does not fail the build though it has not passed: undecided against a baseline, without an alert."""

    @property
    def passed(self) -> bool:
        """Whether the limit is proven to be kept."""
        return self.verdict is GateVerdict.PASSED

    @property
    def fails_build(self) -> bool:
        """Whether the build ends with the exit code of a missed gate."""
        return not self.passed and not self.is_tolerated

    @property
    def state(self) -> StatusView:
        """The verdict as a word and a sign."""
        role = "fail" if self.fails_build else "pass" if self.passed else "ask"
        has_answer = self.verdict in (GateVerdict.PASSED, GateVerdict.FAILED)
        return StatusView(self.verdict, role if has_answer else "ask", role, None)


@frozen
class _Figure:
    """A measure of the campaign, as the range in which it lies."""

    least: float
    most: float
    text: str
    write: Callable[[float], str]
    """Writes the measure so exactly that one beyond a limit never looks like the limit."""
    gap: str = ""  # the missing data, where `least` and `most` differ: a clause without a full stop
    known: float | None = None
    """The measure of the runs that know it; None where none does, and where it is not one of runs."""
    unknown: float = 0.0  # the share of runs that do not
    interval: Interval | None = None  # 95 %, of `known`, where it has one
    about: str = ""  # the sign before it where it is a cost at list price, at least in part

    @property
    def is_in_doubt(self) -> bool:
        """Whether it is a range, as some runs do not know it."""
        return self.least < self.most


def evaluate(
    limits: Mapping[str, MeasureLimits],
    entries: Sequence[Entry],
    checks: Mapping[str, PriceCheck],
    problems: Sequence[Problem],
    missing: int | None = None,
    part: Callable[[Entry, str], str | None] = lambda entry, by: getattr(entry, by),
    unreadable: int = 0,
    left_out: Sequence[Entry] = (),
) -> tuple[GateResult, ...]:
    """Return the results of each gate, in the order of MEASURES, pass^k and scores behind.

    `limits` is by key of MEASURES, `pass^<k>`, `verdict.<name>`, or `score.<name>.mean` or `.median`; `checks` is by page id. `missing`
    counts planned runs that are not there; None if none are planned. `part` gives the group of a run by a name.
    `unreadable` counts runs that could not be read: each may have any figure and be in any group.
    `left_out` are the runs without a verdict that `only: judged` leaves out: they count in `valid_share` alone.
    """
    results = []
    hidden = [_unreadable_run(number) for number in range(unreadable)]
    for name in dict.fromkeys((*(each for each in MEASURES if each in limits), *limits)):
        limit = limits[name]
        where = ", ".join(limits[name].where.values())
        counted = [*entries, *left_out] if name == "valid_share" else entries
        runs, perhaps, lacking = _grouped(limit, counted, part)
        for group in _groups_of(runs, perhaps):
            readable = runs.get(group, [])
            ungrouped = [*perhaps.get(group, ()), *perhaps.get(None, ())]
            if name == "valid_share":  # a lost run of another group changes nothing
                ungrouped = [replace(entry, outcome=None) for entry in ungrouped]
            figure = _figure(name, [*readable, *ungrouped, *hidden], checks, problems, missing)
            if (ungrouped or hidden) and name not in _OF_SITE:
                known = _figure(name, readable, checks, problems, missing) if readable else None
                gap = _gap_of_hidden(len(readable), len(ungrouped), unreadable, lacking)
                figure = _with_hidden(
                    name, figure, known, gap, len(readable), len(ungrouped), unreadable
                )
            if (limit.by or limit.where) and not readable:
                gap = figure.gap if ungrouped or hidden else "no run is in this group"
                figure = replace(figure, least=-math.inf, most=math.inf, gap=gap, known=None)
            groups = ", ".join(filter(None, (where, group)))
            label = f"{_label(name)}{f', {groups}' if groups else ''}"
            results.append(_result(f"{name}[{groups}]" if groups else name, label, limit, figure))
    return tuple(results)


def _groups_of(*keys: Iterable[str | None]) -> list[str]:
    """Return the names of groups in their order; one without a name where there are none."""
    names = {key for key in chain(*keys) if key is not None}
    return sorted(names, key=natural_order) or [""]


def _with_hidden(
    name: str,
    figure: _Figure,
    known: _Figure | None,
    gap: str,
    readable: int,
    ungrouped: int,
    unreadable: int,
) -> _Figure:
    """Return a figure of readable runs and others with what is missing; `known` is that of the readable ones."""
    runs = readable + ungrouped + unreadable
    if name == "runs":
        figure = _counted(readable, ungrouped + unreadable, runs=runs)
    elif name.startswith("pass^") and unreadable:  # of any task, and of any configuration
        figure = replace(
            figure, least=0.0, most=1.0, unknown=max(figure.unknown, unreadable / runs)
        )
    return replace(figure, gap=" and ".join(filter(None, (known.gap if known else "", gap))))


def _unreadable_run(number: int) -> Entry:
    """Return a run of which nothing is known, for a file that could not be read."""
    nowhere = Source("", "", named=False, size=0)
    return Entry(f"unreadable-{number}", nowhere, 0, "", Run("", Status.UNKNOWN), "")


def _gap_of_hidden(readable: int, ungrouped: int, unreadable: int, lacking: str) -> str:
    """Return what is missing, as a clause: runs whose group is unknown for want of `lacking`, and unreadable runs."""
    runs = readable + ungrouped + unreadable
    unknown = f"the {lacking} of {_of(ungrouped, runs)} is not known" if ungrouped else ""
    lost = _lack(
        unreadable, runs, "could not be read, or is withheld", "could not be read, or are withheld"
    )
    return " and ".join(filter(None, (unknown, lost)))


def _grouped(
    limit: MeasureLimits, entries: Sequence[Entry], part: Callable[[Entry, str], str | None]
) -> tuple[dict[str | None, list[Entry]], dict[str | None, list[Entry]], str]:
    """Return the runs of each group; without their figures those that may be in it, in any by None; and what they
    lack."""
    runs: dict[str | None, list[Entry]] = {}
    perhaps: dict[str | None, list[Entry]] = {}
    unknown: dict[str, None] = {}
    parts = {
        by: {at for entry in entries if (at := part(entry, by)) is not None} for by in limit.where
    }
    where = {by: as_spelled(at, parts[by]) for by, at in limit.where.items()}
    for entry in entries:
        own = {by: part(entry, by) for by in (*limit.where, *filter(None, [limit.by]))}
        if any(own[by] not in (at, None) for by, at in where.items()):
            continue
        group = own[limit.by] if limit.by else ""
        if lacks := [by for by, at in own.items() if at is None]:
            unknown |= dict.fromkeys(lacks)
            outcome = Outcome.ERROR if is_infrastructure_failure(entry) else None
            blank = Run(entry.run.reader, Status.UNKNOWN)
            entry = replace(
                entry, run=blank, outcome=outcome, scores=(), derived=(), ledger_names=()
            )
        (perhaps if lacks else runs).setdefault(group, []).append(entry)
    return runs, perhaps, " or ".join(unknown)


_OF_SITE = ("missing", "problems")
"""Measures that are counted for the whole site, whatever runs are read."""


def _label(name: str) -> str:
    if name in MEASURES or name.startswith("pass^"):
        return MEASURES.get(name, name)
    if name.startswith(VERDICT):
        return figures.capitalized(f"{name.removeprefix(VERDICT)} rate")
    score, _, statistic = name.removeprefix("score.").rpartition(".")
    return figures.capitalized(f"{statistic} {score}")


def _figure(
    name: str,
    entries: Sequence[Entry],
    checks: Mapping[str, PriceCheck],
    problems: Sequence[Problem],
    missing: int | None,
) -> _Figure:
    """Return what a gate is on, of these runs."""
    kind, _, of = name.partition("^" if name.startswith("pass^") else ".")
    match kind:
        case "pass":
            return _all_pass(entries, int(of))
        case "score":
            score, _, statistic = of.rpartition(".")
            return _of_score(entries, score, statistic)
        case "verdict":
            return _success_rate([with_verdict(entry, name) for entry in entries])
        case "success_rate" | "valid_share":
            return (_success_rate if kind == "success_rate" else _valid_share)(entries)
        case "median_cost_usd":
            return _median_cost(entries)
        case "unreconciled":
            return _unreconciled(entries, checks)
        case "runs" | "problems":
            return _counted(len(entries if kind == "runs" else problems))
        case "missing" if missing is None:
            gap = "the settings have no `attempts`, which says what is planned"
            return _Figure(0, math.inf, UNKNOWN, figures.count, gap)
        case "missing":
            return _counted(missing or 0)
    summary = summarize(entries)
    return (
        _total_cost(entries, summary.spent, summary.computed)
        if kind == "total_cost_usd"
        else _ended(summary, kind)
    )


def reconciles(run: Run, check: PriceCheck) -> bool | None:
    """Return whether the cost that a run reports agrees with the sum of its ledger and with its list price, to half a
    cent.

    Those of the three that are known are compared. None when there is nothing to compare the reported cost with, or
    when it is unknown itself. A list price of an incomplete ledger can only be too low, so it shows nothing when it is.
    """
    agree = [run.sums_agree]
    reported = run.reported_cost_usd if run.cost_usd is None else run.cost_usd
    if reported is not None and check.list_usd is not None:
        difference = check.list_usd - reported
        too_low = run.ledger_is_lower_bound and difference < -COST_TOLERANCE_USD
        agree.append(None if too_low else abs(difference) <= COST_TOLERANCE_USD)
    told = [answer for answer in agree if answer is not None]
    return all(told) if told else None


def _total_cost(entries: Sequence[Entry], cost: Total, computed: Total) -> _Figure:
    """Return the total of the costs that runs report, and of computed costs where they report nothing."""
    least = cost.value or 0.0
    about = _about(entries)
    text = about + bounded(cost, figures.money)
    if computed.value is not None:
        text += f", of which {figures.money(computed.value)} computed"
    gap = _without_cost(entries)
    share = cost.unknown / (len(entries) or 1)
    most = math.inf if cost.unknown else least
    return _Figure(least, most, text, figures.money_exact, gap, cost.value, share, about=about)


def _about(entries: Sequence[Entry]) -> str:
    """Return the sign of figures of these costs, of which some may be at list price or estimates."""
    is_inexact = (
        entry.run.cost_is_computed or entry.run.cost_bound == "estimate" for entry in entries
    )
    return "≈ " if any(is_inexact) else ""


def _median_cost(entries: Sequence[Entry]) -> _Figure:
    """Return the range from the median if the runs without a cost were free to the one if they were the most expensive,
    as may be those whose cost is a lower bound."""
    costs = [entry.run.spent_usd for entry in entries]
    known = [usd for usd in costs if usd is not None]
    runs = [entry.run for entry in entries]
    exact = [
        usd for run in runs if (usd := run.spent_usd) is not None and not run.cost_is_lower_bound
    ]
    reaches_the_middle = len(entries) // 2 >= len(exact)
    most = (
        math.inf
        if reaches_the_middle
        else median([*exact, *[max(exact)] * (len(entries) - len(exact))])
    )
    least = median([usd or 0.0 for usd in costs])
    gap, share, middle = (
        _without_cost(entries),
        (len(costs) - len(exact)) / (len(costs) or 1),
        median(known),
    )
    about = _about(entries)
    text = figures.money(middle)
    return _Figure(
        least or 0.0,
        most or 0.0,
        about + text,
        figures.money_exact,
        gap,
        middle,
        share,
        about=about,
    )


def _without_cost(entries: Sequence[Entry]) -> str:
    """Return how many runs say nothing of their cost, or a lower bound."""
    bounds = [entry.run.cost_bound for entry in entries]
    none = _lack(bounds.count(""), len(bounds), "reports no cost", "report no cost")
    lower = _lack(
        bounds.count("lower"), len(bounds), "reports only a lower bound", "report only lower bounds"
    )
    return " and ".join(filter(None, (none, lower)))


def _success_rate(entries: Sequence[Entry]) -> _Figure:
    """Return the range from the rate if no unjudged run passed to the one if all did. Infrastructure failures are in
    neither."""
    told = success(entries)
    least = told.lowest_rate
    text = UNKNOWN
    if told.judged:
        text = f"{figures.percent(told.passed, told.judged)} of {figures.plural(told.judged, 'judged run')}"
        if told.cut_short:
            text += f", {figures.count(told.cut_short)} of them cut short"
        if told.infrastructure:
            text += f", excluding {figures.plural(told.infrastructure, 'infrastructure error')}"
    if least is None:
        return _Figure(0.0, 1.0, text, _rate, "every run is an infrastructure error")
    gap = _lack(told.unjudged, told.runs, "has no outcome", "have no outcome")
    known = told.judged + told.unjudged
    most = (told.passed + told.unjudged) / known
    share = told.unjudged / known
    return _Figure(least, most, text, _rate, gap, told.rate, share, told.interval)


def _valid_share(entries: Sequence[Entry]) -> _Figure:
    """Return the range of the share from all runs of unknown status and verdict being lost to all being judged."""
    told = success(entries)
    valid = told.judged - told.lost_as_failed
    counted = told.judged_and_lost
    open_ = [
        entry for entry in entries if entry.outcome is None and entry.run.status is Status.UNKNOWN
    ]
    unknown = sum(not is_infrastructure_failure(entry) for entry in open_)
    known = valid / counted if counted else None
    most = counted + unknown
    if not most:
        return _Figure(0.0, 1.0, UNKNOWN, _rate, "no run is judged or lost")
    text = (
        UNKNOWN
        if known is None
        else f"{figures.percent(known, 1)} of {figures.plural(counted, 'judged or lost run')}"
    )
    gap = _lack(
        unknown,
        len(entries),
        "says neither how it ended nor passed",
        "say neither how they ended nor passed",
    )
    return _Figure(valid / most, (valid + unknown) / most, text, _rate, gap, known, unknown / most)


def _all_pass(entries: Sequence[Entry], k: int) -> _Figure:
    """Return pass^k: how likely k attempts of one configuration at a task all pass, the mean of C(c, k) / C(n, k) over
    both, as in success.passes.

    Of fewer judged attempts nobody knows; infrastructure failures do not count. Tasks are what the interval draws.
    """
    apt = [
        entry
        for entry in entries
        if entry.task is not None and not is_infrastructure_failure(entry)
    ]
    cells = by_key(apt, lambda entry: (entry.task or "", entry.compared_as))
    values: dict[str, list[float]] = {}
    for (task, _), own in cells.items():
        judged = success(own)
        if judged.judged >= k and not judged.unjudged:
            values.setdefault(task, []).append(pass_hat_k(judged.judged, judged.passed, k))
    sure = sum(map(len, values.values()))
    left = len(cells) - sure
    if not cells:
        return _Figure(0.0, 1.0, UNKNOWN, _rate, "no run has a task", None, 1.0)
    verb, which = ("has", "one") if left == 1 else ("have", "some")
    some = f"{figures.count(left)} of {figures.plural(len(cells), 'task')}, each of one configuration, {verb}"
    gap = f"{some} fewer than {k} attempts, or {which} without an outcome" if left else ""
    total = math.fsum(value for own in values.values() for value in own)
    ends = rate_interval((math.fsum(own), len(own)) for own in values.values())
    mean = total / sure if sure else None
    text = (
        UNKNOWN
        if mean is None
        else f"{figures.percent(mean, 1)} on {figures.plural(len(values), 'task')}"
    )
    return _Figure(
        total / len(cells),
        (total + left) / len(cells),
        text,
        _rate,
        gap,
        mean,
        left / len(cells),
        ends,
    )


def _of_score(entries: Sequence[Entry], name: str, statistic: str) -> _Figure:
    """Return the range from the figure if the runs without the score were the worst to the one if they were the best;
    infrastructure failures have none."""
    measure = next((each for each in score_measures(entries) if each.name == name), None)
    if measure is None:
        return _Figure(-math.inf, math.inf, UNKNOWN, partial(_exact, None), "no run has this score")
    apt = [entry for entry in entries if not is_infrastructure_failure(entry)]
    values = [value for entry in apt if (value := measure.of(entry)) is not None]
    unknown = len(apt) - len(values)
    gap = _lack(unknown, len(apt), f"has no {name}", f"have no {name}")
    told = median(values)
    if values and statistic == "mean":
        told = measure.mean(values)
    least = -math.inf
    most = math.inf
    if told is not None and not unknown:
        least = most = told
    elif statistic == "median":
        ends = [median([*values, *[end] * unknown]) for end in (-math.inf, math.inf)]
        least, most = (end for end in ends if end is not None)
    elif told is not None and measure.is_share:
        least, most = (math.fsum([*values, more]) / len(apt) for more in (0, unknown))
    share = unknown / (len(apt) or 1)
    if measure.is_share and statistic == "mean":
        return _Figure(least, most, figures.percent(told, 1), _rate, gap, told, share)
    text = figures.score(told, measure.unit)
    return _Figure(least, most, text, partial(_exact, measure.unit), gap, told, share)


def _ended(summary: CampaignSummary, status: str) -> _Figure:
    unknown = summary.by_status.get(Status.UNKNOWN, 0)
    gap = _lack(unknown, summary.runs, "does not say how it ended", "do not say how they ended")
    return _counted(summary.by_status.get(Status(status), 0), unknown, gap, summary.runs)


def _unreconciled(entries: Sequence[Entry], checks: Mapping[str, PriceCheck]) -> _Figure:
    answers = [
        reconciles(entry.run, checks[entry.id]) if entry.id in checks else None for entry in entries
    ]
    unknown = answers.count(None)
    lacks = ("has too few figures to be checked", "have too few figures to be checked")
    return _counted(
        answers.count(False), unknown, _lack(unknown, len(entries), *lacks), len(entries)
    )


def _counted(count: int, unknown: int = 0, gap: str = "", runs: int = 0) -> _Figure:
    """Return a count that may be higher by what is unknown."""
    text = figures.count(count) + ("+" if unknown else "")
    return _Figure(count, count + unknown, text, figures.count, gap, count, unknown / (runs or 1))


def _of(part: int, runs: int) -> str:
    return f"{figures.count(part)} of {figures.plural(runs, 'run')}"


def _lack(part: int, runs: int, one: str, several: str) -> str:
    """Return what so many runs do, as `1 of 9 runs has no outcome`; empty where none does."""
    return f"{_of(part, runs)} {one if part == 1 else several}" if part else ""


def _rate(rate: float) -> str:
    return f"{100 * rate:.6g}%"


def _short_rate(rate: float) -> str:
    return f"{100 * rate:.3g}%"


_SHORT = {figures.money_exact: figures.money, _rate: _short_rate}


def _short(write: Callable[[float], str], value: float, limits: MeasureLimits) -> str:
    """Return an end of a figure as pages show it, and with all its digits where it would look like a limit."""
    short = _SHORT.get(write, write)
    ends = [each for each in (limits.min, limits.max) if each is not None]
    return write(value) if short(value) in map(short, ends) else short(value)


def verdict(
    least: float, most: float, limits: MeasureLimits, doubt: GateVerdict = GateVerdict.INCOMPLETE
) -> GateVerdict:
    """Hold a range against its limits; `doubt` is the result where a part of it keeps them."""
    low = -math.inf if limits.min is None else limits.min
    high = math.inf if limits.max is None else limits.max
    if least > high or most < low:
        return GateVerdict.FAILED
    return GateVerdict.PASSED if low <= least and most <= high else doubt


def is_allowed(unknown: str | float, share: float) -> bool:
    """Return whether a gate leaves out this share of runs that do not know its figure."""
    return unknown == "allow" or (isinstance(unknown, float | int) and share <= unknown)


def _result(name: str, label: str, limits: MeasureLimits, figure: _Figure) -> GateResult:
    """Return what a figure comes to, and why."""
    left_out = ""
    text = figure.text
    if (
        figure.is_in_doubt
        and figure.known is not None
        and is_allowed(limits.unknown, figure.unknown)
    ):
        left_out = f"Left out: {figure.gap}."
        figure = replace(figure, least=figure.known, most=figure.known)
    is_in_doubt = figure.is_in_doubt
    doubt = GateVerdict.INCOMPLETE
    limit = _describe_limits(limits, figure.write)
    if limits.test == "lower_bound":
        limit += ", by the lower end of its interval"
        if not is_in_doubt and figure.known is not None:
            doubt = GateVerdict.UNDECIDED
            text += _describe_interval(figure)
            figure = _by_lower_bound(figure, figure.known, limits)
        else:
            # An interval of a part of the runs proves nothing.
            figure = replace(figure, least=min(figure.least, 0.0))
    reached = verdict(figure.least, figure.most, limits, doubt)
    why = _why(figure, reached, limits, is_in_doubt=is_in_doubt)
    reasons = " ".join(filter(None, (why, left_out)))
    return GateResult(name, label, limit, text, reached, reasons, left_out)


def _describe_limits(limits: MeasureLimits, write: Callable[[float], str]) -> str:
    parts = (("at least", limits.min), ("at most", limits.max))
    return ", ".join(f"{word} {write(value)}" for word, value in parts if value is not None)


def _describe_interval(figure: _Figure) -> str:
    """Return the interval behind a figure; empty without one."""
    ends = figure.interval
    if not ends:
        return ""
    low, high = figure.write(round(ends.low, 3)), figure.write(round(ends.high, 3))
    return f", 95% interval {low} to {high}"


def _by_lower_bound(figure: _Figure, known: float, limits: MeasureLimits) -> _Figure:
    """Return a figure that is open where it keeps the lower limit and its interval does not."""
    low = -math.inf if limits.min is None else limits.min
    ends = figure.interval
    if known < low or (ends and low <= ends.low):
        return figure
    why = "Too few tasks for an interval"
    if ends:
        why = f"The interval begins at {figure.write(ends.low)}"
    return replace(figure, least=-math.inf, most=math.inf, gap=why)


def _why(figure: _Figure, reached: GateVerdict, limits: MeasureLimits, *, is_in_doubt: bool) -> str:
    """Return the reason for a verdict as a sentence; empty where the figure says it all."""

    def describe(end: float) -> str:
        return figure.about + _short(figure.write, end, limits)

    if reached is GateVerdict.PASSED:
        return f"True in any case: {figure.gap}." if is_in_doubt else ""
    if reached is GateVerdict.FAILED:
        end, more, side = figure.most, "less", "below"
        if figure.least > (-math.inf if limits.min is None else limits.min):
            end, more, side = figure.least, "more", "above"
        doubt = f" or {more} ({figure.gap})" if is_in_doubt else ""
        return f"{describe(end)}{doubt} is {side} the limit."
    between = figures.from_to(figure.least, figure.most, describe, neither="not known")
    return f"It is {between}: {figure.gap}." if is_in_doubt else f"{figure.gap}."


def _exact(unit: str | None, value: float) -> str:
    return f"{value:,.9g}{unit or ''}"
