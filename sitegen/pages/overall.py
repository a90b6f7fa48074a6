"""The result of all runs together: figures, checked costs, comparisons and gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen import figures
from sitegen.collect import Facts
from sitegen.config import Config, Pair
from sitegen.figures import sentence_list
from sitegen.inputs.reported import in_order
from sitegen.inputs.survey import problems_of
from sitegen.model import Caveat, Entry, Problem
from sitegen.numbers import baseline, gates
from sitegen.numbers.campaigns import CampaignFigures
from sitegen.numbers.comparison import by_list_price
from sitegen.numbers.gates import GateResult, MeasureLimits
from sitegen.numbers.pricing import Checks
from sitegen.numbers.statistics import CampaignSummary, Measure, summarize
from sitegen.outcomes.over_time import OverTime, this_campaign
from sitegen.outcomes.study import Study, has_study
from sitegen.pages import compare
from sitegen.pages.findings import Finding
from sitegen.pages.leaderboard import Board, board
from sitegen.pages.setup import Setup, find_setups
from sitegen.pages.trends import Followed, neighbours
from sitegen.pages.trends.trend_words import AlertLine, alert_lines


@dataclass(frozen=True, slots=True)
class Report:
    """The result of all runs together."""

    facts: Facts
    problems: tuple[Problem, ...]
    """The problems by path, also those that showed while pages were made, on which no figure depends."""
    summary: CampaignSummary
    checks: Checks
    compared: compare.Comparisons
    gates: tuple[GateResult, ...]
    board: Board | None = None  # the leaderboard; None where there are no two groups of one kind
    study: Study | None = None  # the differences between the runs, where the settings say any of it
    followed: Followed | None = None  # several campaigns, where the settings name them
    deltas: tuple[baseline.Delta, ...] = ()  # against the baseline, where the settings name one
    alerts: tuple[AlertLine, ...] = ()  # those that hold with this campaign, of several
    coverage: baseline.Coverage | None = None  # of the baseline, where the settings name one
    remarks: tuple[str, ...] = ()  # what cannot be compared, in sentences
    setups: tuple[Setup, ...] = ()  # how the runs of each configuration were made
    findings: tuple[Finding, ...] = ()  # everything that a reader has to know besides the figures


def analyse(
    config: Config,
    facts: Facts,
    checks: Checks,
    late: Mapping[str, Sequence[Caveat]],
    *,
    over_time: OverTime | None = None,
    before: CampaignFigures | None = None,
) -> Report:
    """Compute all of it; `late` are doubts that showed while pages were made, by page id, and `before` is the
    baseline."""
    entries = facts.entries
    summary = replace(summarize(entries), unreadable=facts.lost)
    doubts = [
        problem for entry in entries for problem in problems_of(entry, late.get(entry.id, ()))
    ]
    problems = tuple(sorted([*facts.problems, *doubts], key=in_order))
    tasks = frozenset(entry.task for entry in entries if entry.task)
    withheld = {page_id for page_id, caveats in late.items() if _is_withheld(caveats)}
    shown = [entry for entry in entries if entry.id not in withheld]
    now = this_campaign("", "", facts) if before else None
    if before and over_time and config.compares_with_previous:
        now = over_time.campaigns[over_time.at]
    if before and now:
        before, now = baseline.with_one_name(
            before, replace(now, unreadable=now.unreadable + len(withheld))
        )
    deltas = baseline.deltas(before, now) if before and now else ()
    followed = Followed.of(over_time, tasks, deltas) if over_time else None
    also = [("campaign", a, b) for a, b in neighbours(over_time)] if over_time else []
    study = Study(config, entries)
    results = gates.evaluate(
        {name: MeasureLimits(**gate.model_dump()) for name, gate in config.gates.limits.items()},
        shown,
        checks,
        problems,
        None if config.attempts is None else len(facts.missing),
        study.part,
        facts.lost + len(withheld),
        facts.without_verdict,
    )
    found = board(study.covered_runs, config.intervals, config.leaderboard.score)
    breakdowns = study.breakdowns() if has_study(config) else {}
    chosen = replace(_chosen(study, found), breakdowns=breakdowns)
    highest = {name: study.highest(name) for name in breakdowns}
    chosen = replace(chosen, highest=highest, not_covered=study.not_covered if breakdowns else ())
    compared = _compared(entries, config.compare, also, chosen)
    coverage = None
    remarks: list[str] = []
    if before is None and (changes := config.gates.changes):
        gates_on_changes = figures.plural(len(changes), "gate")
        remarks.append(
            f"No campaign is before this one, so {gates_on_changes} cannot be evaluated."
        )
    if before and now:
        terms = _terms(config, facts, before, followed)
        coverage = baseline.Coverage.of(before, now, terms.left_out)
        results = (*results, *baseline.evaluate(config.gates.changes, before, now, terms))
        remarks += _not_compared(before, now)
    ranked = found and found.compared(compared.known, compared.of_control)
    of_site = study if has_study(config) else None
    alerts = tuple(alert_lines(followed.here)) if followed else ()
    report = Report(
        facts, problems, summary, checks, compared, results, ranked, of_site, followed, deltas
    )
    setups = tuple(find_setups(entries, config))
    return replace(report, alerts=alerts, coverage=coverage, remarks=tuple(remarks), setups=setups)


def _is_withheld(caveats: Sequence[Caveat]) -> bool:
    """Return whether a part of the page of a run is withheld."""
    return any(caveat.code == "W_WITHHELD" for caveat in caveats)


def _terms(
    config: Config, facts: Facts, before: CampaignFigures, followed: Followed | None
) -> baseline.Terms:
    """Return the terms on which these runs are held against the baseline."""
    left_out = facts.left_out_tasks
    if config.is_part:  # which of the baseline's tasks these inputs are about is not known
        left_out |= {attempts.task for attempts in before.attempts}
    min_share = config.baseline.tasks if config.baseline else 0.0
    trends_here = followed.here if followed else None
    return baseline.Terms(
        config.gates.unknown_changes,
        min_share,
        left_out,
        trends_here,
        config.compares_with_previous,
    )


def _not_compared(before: CampaignFigures, now: CampaignFigures) -> list[str]:
    """Return which measures the baseline counts by other rules."""
    if not (measures := baseline.incomparable(before, now)):
        return []
    names = sentence_list([{"score": "scores"}.get(measure, measure) for measure in measures])
    verb = "it is" if len(measures) == 1 and measures != ["score"] else "they are"
    text = f"The baseline counts {names} by the rules of another version of sitegen, so {verb} not compared."
    return [f"{text} CHANGELOG.md says what changed."]


def _chosen(study: Study, found: Board | None) -> compare.Chosen:
    """Return the factors of each configuration, and the pairs that tell who may lead."""
    names = study.named("configuration")
    own = {
        runs[0].compared_as: dict(zip(names, each, strict=True))
        for each, runs in study.configurations.items()
    }
    split_by = study.config.leaderboard.split_by or ""
    chosen = compare.Chosen(
        {name: values for name, values in own.items() if name is not None},
        split_by=split_by,
        control=study.control,
        groups=study.groups_of_tasks(split_by) if split_by else {},
    )
    if found is None:
        return chosen
    return replace(
        chosen, leaders=[each.name for each in found.contenders], ranked=found.pairs, by=found.by
    )


def compared(config: Config, entries: Sequence[Entry]) -> compare.Comparisons:
    """Return the comparisons of these runs."""
    study = Study(config, entries)
    found = board(study.covered_runs, config.intervals, config.leaderboard.score)
    return _compared(entries, config.compare, (), _chosen(study, found))


def _compared(
    entries: Sequence[Entry],
    asked: Sequence[Pair],
    also: Sequence[compare.Wanted],
    chosen: compare.Chosen | None,
) -> compare.Comparisons:
    """Return the comparisons. Runs of models of which no run reports a cost are compared at list price, and pages say
    so."""
    reporting = {entry.compared_as for entry in entries if entry.run.cost_usd is not None}
    priced = [
        entry if entry.compared_as in reporting else by_list_price(entry) for entry in entries
    ]
    varied = [
        (chosen or compare.Chosen()).varied(entries, each.by, each.hold)
        for each in asked
        if not each.a
    ]
    named = [(each.by, each.a, each.b) for each in asked if each.a and each.b]
    found = compare.comparisons(
        priced, [*named, *(pair for pairs, _ in varied for pair in pairs)], also, chosen
    )
    views = []
    are_listed = False
    for view, (_, compared) in zip(found.views, found.pairs, strict=True):
        sides = ((view.a, compared.a), (view.b, compared.b))
        told = [
            (side.short, own.listed, figures.plural(own.compared, "run"))
            for side, own in sides
            if own.listed
        ]
        said = [f"{listed} of {runs} of {name}" for name, listed, runs in told]
        are_listed = are_listed or bool(said)
        if said:
            is_mixed = len(said) == 1 and compared.contrasts[Measure.COST].tasks_left_out > 0
            so = ", so costs are not compared" if is_mixed else ""
            listed = (
                f" Costs of {figures.sentence_list(said)} are at list price, not as reported{so}."
            )
            view = view.but(meta=view.meta + listed)
        views.append(view)
    missing = [remark for _, remark in varied if remark]
    remarks = (
        ["Costs at list price are compared with each other, never with reported ones."]
        if are_listed
        else []
    )
    overview = found.overview.but(remarks=(*found.overview.remarks, *missing, *remarks))
    return replace(found, views=tuple(views), overview=overview, remarks=(*found.remarks, *missing))
