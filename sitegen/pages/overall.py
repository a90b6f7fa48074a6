"""The result of all runs together: figures, checked costs, comparisons and gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen import figures
from sitegen.collect import Facts
from sitegen.config import Config, Pair
from sitegen.figures import sentence_list
from sitegen.html.render import View
from sitegen.inputs.reported import in_order
from sitegen.inputs.survey import problems_of
from sitegen.model import Caveat, Entry, Problem
from sitegen.numbers import baseline, gates
from sitegen.numbers.campaigns import CampaignFigures
from sitegen.numbers.comparison import Comparison, by_list_price
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
    problems = list(facts.problems)
    for entry in entries:
        problems += problems_of(entry, late.get(entry.id, ()))
    problems.sort(key=in_order)
    withheld = {page_id for page_id, caveats in late.items() if _is_withheld(caveats)}
    study = Study(config, entries)
    limits = config.gates.limits.items()
    results = gates.evaluate(
        {name: MeasureLimits(**gate.model_dump()) for name, gate in limits},
        [entry for entry in entries if entry.id not in withheld],
        checks,
        problems,
        None if config.attempts is None else len(facts.missing),
        study.part,
        facts.lost + len(withheld),
        facts.without_verdict,
    )
    ranking = board(study.covered_runs, config.intervals, config.leaderboard.score)
    campaigns = neighbours(over_time) if over_time else ()
    also = [("campaign", a, b) for a, b in campaigns]
    compared = _compared(entries, config.compare, also, _with_breakdowns(study, ranking))
    report = Report(
        facts,
        tuple(problems),
        replace(summarize(entries), unreadable=facts.lost),
        checks,
        compared,
        results,
        board=ranking and ranking.compared(compared.known, compared.of_control),
        study=study if has_study(config) else None,
        setups=tuple(find_setups(entries, config)),
    )
    return _over_time(report, config, over_time, before, len(withheld))


def _over_time(
    report: Report,
    config: Config,
    over_time: OverTime | None,
    before: CampaignFigures | None,
    withheld: int,
) -> Report:
    """Return a report with what changed over several campaigns, and against the baseline. Of so many runs a part is
    withheld."""
    facts = report.facts
    remarks: list[str] = []
    changes = config.gates.changes
    deltas: tuple[baseline.Delta, ...] = ()
    now = None
    if before:
        now = this_campaign("", "", facts)
        if over_time and config.compares_with_previous:
            now = over_time.campaigns[over_time.at]
        now = replace(now, unreadable=now.unreadable + withheld)
        before, now = baseline.with_one_name(before, now)
        deltas = baseline.deltas(before, now)
        remarks += _not_compared(before, now)
    elif changes:
        count = figures.plural(len(changes), "gate")
        remarks.append(f"This is the first campaign, so {count} cannot be evaluated.")
    followed = None
    if over_time:
        tasks = frozenset(entry.task for entry in facts.entries if entry.task)
        followed = Followed.of(over_time, tasks, deltas)
        alerts = tuple(alert_lines(followed.here))
        report = replace(report, followed=followed, alerts=alerts)
    if before and now:
        terms = _terms(config, facts, before, followed)
        results = baseline.evaluate(changes, before, now, terms)
        coverage = baseline.Coverage.of(before, now, terms.left_out)
        report = replace(report, gates=(*report.gates, *results), coverage=coverage)
    return replace(report, deltas=deltas, remarks=tuple(remarks))


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


def _chosen(study: Study, ranking: Board | None) -> compare.Chosen:
    """Return the factors of each configuration, and the pairs that tell who may lead."""
    names = study.named("configuration")
    factors = {}
    for values, runs in study.configurations.items():
        name = runs[0].compared_as
        if name is not None:
            factors[name] = dict(zip(names, values, strict=True))
    split_by = study.config.leaderboard.split_by or ""
    groups = study.groups_of_tasks(split_by) if split_by else {}
    chosen = compare.Chosen(factors, split_by=split_by, control=study.control, groups=groups)
    if ranking is None:
        return chosen
    return replace(chosen, leaders=ranking.names, ranked=ranking.pairs, by=ranking.by)


def _with_breakdowns(study: Study, ranking: Board | None) -> compare.Chosen:
    """Return the same with success by properties of tasks, where the settings make a study."""
    chosen = _chosen(study, ranking)
    if not has_study(study.config):
        return chosen
    breakdowns = study.breakdowns()
    highest = {name: study.highest(name) for name in breakdowns}
    not_covered = study.not_covered if breakdowns else ()
    return replace(chosen, breakdowns=breakdowns, highest=highest, not_covered=not_covered)


def compared(config: Config, entries: Sequence[Entry]) -> compare.Comparisons:
    """Return the comparisons of these runs."""
    study = Study(config, entries)
    ranking = board(study.covered_runs, config.intervals, config.leaderboard.score)
    return _compared(entries, config.compare, (), _chosen(study, ranking))


def _compared(
    entries: Sequence[Entry],
    asked: Sequence[Pair],
    also: Sequence[compare.Wanted],
    chosen: compare.Chosen,
) -> compare.Comparisons:
    """Return the comparisons. Runs of models of which no run reports a cost are compared at list price, and pages say
    so."""
    reporting = {entry.compared_as for entry in entries if entry.run.cost_usd is not None}
    priced = []
    for entry in entries:
        is_reporting = entry.compared_as in reporting
        priced.append(entry if is_reporting else by_list_price(entry))
    wanted: list[compare.Wanted] = []
    missing = []
    for pair in asked:
        if pair.a and pair.b:
            wanted.append((pair.by, pair.a, pair.b))
        else:
            varied, remark = chosen.varied(entries, pair.by, pair.hold)
            wanted += varied
            missing += [remark] if remark else []
    made = compare.comparisons(priced, wanted, also, chosen)
    views = []
    remarks = list(missing)
    comparisons = [comparison for _, comparison in made.pairs]
    listed = list(map(_describe_list_prices, made.views, comparisons))
    if any(listed):
        remarks.append(
            "Costs at list price are compared with each other, never with reported ones."
        )
    for view, sentence in zip(made.views, listed, strict=True):
        views.append(view.but(meta=view.meta + sentence))
    overview = made.overview.but(remarks=(*made.overview.remarks, *remarks))
    return replace(made, views=tuple(views), overview=overview, remarks=(*made.remarks, *missing))


def _describe_list_prices(view: View, comparison: Comparison) -> str:
    """Return which runs of a comparison are at list price, as a sentence; empty where none is."""
    texts = []
    for side, runs in ((view.a, comparison.a), (view.b, comparison.b)):
        if runs.listed:
            counted = figures.plural(runs.compared, "run")
            texts.append(f"{runs.listed} of {counted} of {side.short}")
    if not texts:
        return ""
    is_mixed = len(texts) == 1 and comparison.contrasts[Measure.COST].tasks_left_out > 0
    result = ", so costs are not compared" if is_mixed else ""
    return f" Costs of {sentence_list(texts)} are at list price, not as reported{result}."
