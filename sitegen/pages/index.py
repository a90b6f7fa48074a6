"""The view of the index: the campaign's figures, what to know first, and its charts."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sitegen import figures
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.figures import sentence_list
from sitegen.html import markdown
from sitegen.html.render import Page, View
from sitegen.model import Entry, Status
from sitegen.numbers import waste
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.statistics import CampaignSummary, group_by, spread
from sitegen.numbers.success import Success, success
from sitegen.numbers.wording import cost_text
from sitegen.outcomes.left_out import describe_left_out
from sitegen.outcomes.study import Study
from sitegen.pages.chart_parts import CHART_DATA, DrawnCharts
from sitegen.pages.difficulty import difficulty_view
from sitegen.pages.findings import Finding, Group, in_groups
from sitegen.pages.headline import headline, text_of
from sitegen.pages.leaderboard import Board, leaderboard_view, leading
from sitegen.pages.matrix import matrix_view
from sitegen.pages.overall import Report
from sitegen.pages.problems import NO_PROBLEMS, heading_of
from sitegen.pages.setup import setup_view
from sitegen.pages.steps.tools import tools_view
from sitegen.pages.summary import PER_SUCCESS, summary_figures
from sitegen.pages.totals import session_totals
from sitegen.pages.trends import newest
from sitegen.pages.views import (
    PLURALS,
    FactView,
    FigureView,
    LinkView,
    filter_of,
    group_path,
    session_link,
)
from sitegen.text.times import milliseconds_of

MAX_GROUPS = 200  # groups of one kind that the first page leads to; their runs lead to the others

MAX_FIGURES = 6  # the number of figures that have room beside each other

MAX_CAUSES = 3  # listed of runs that ended in one way


def _figures(
    entries: Sequence[Entry],
    summary: CampaignSummary,
    judged: Success,
    board: Board | None,
    question: Question,
) -> list[FigureView]:
    """Return at most MAX_FIGURES figures, without what a success cost where the leaderboard has it."""
    measures = board.measures if board else leading(entries)
    scored = (measures[0], spread(entries, measures[0], question)) if measures else None
    tiles = summary_figures(summary, judged, scored)
    if board and board.shows_cost_per_success:
        tiles = tuple(tile for tile in tiles if tile.label != PER_SUCCESS)
    return list(tiles[:MAX_FIGURES])


def _waste(entries: Sequence[Entry], checks: Mapping[str, PriceCheck]) -> LinkView | None:
    """Return the largest of what three rules find, where it is at least two per cent of the cost: of what is reported,
    and of list prices only where nothing is."""
    basis = "computed_cost_usd"
    if any(entry.run.cost_usd is not None for entry in entries):
        basis = "cost_usd"
    costs = []
    wasted: dict[str, list[float]] = {key: [] for key in _WASTED}
    for entry in entries:
        run = entry.run
        cost = getattr(run, basis)
        if cost is not None:
            costs.append(cost)
            if run.status is Status.STOPPED:
                wasted["status"].append(cost)
            if entry.id in checks:
                rewritten = waste.cost_rewritten_cache_usd(run, checks[entry.id])
                wasted["cost_rewritten_cache_usd"].append(rewritten or 0.0)
        if run.cost_usd is not None:
            idle = waste.cost_without_change_usd(run)
            wasted["cost_without_change_usd"].append(idle or 0.0)
    key = max(wasted, key=lambda key: math.fsum(wasted[key]))
    usd = math.fsum(wasted[key])
    whole = math.fsum(costs)
    if not usd or not 0.02 * whole <= usd <= whole:
        return None
    runs = figures.plural(sum(cost > 0 for cost in wasted[key]), "run")
    text = _WASTED[key].format(figures.money(usd), figures.money(whole), runs)
    columns = dict.fromkeys(("model", "status", basis, key, "turns"))
    return LinkView(f"index.html#sort=-{key}&columns={','.join(columns)}", text)


_WASTED = {
    "cost_without_change_usd": "{} of {} was spent on parts of {} without an edit, after a part that had ended well",
    "cost_rewritten_cache_usd": "{} of {} was spent on writing a large context to the cache for a single turn, in {}",
    "status": "{} of {} was spent on {} cut short by limits or API errors",
}
"""The sentences on findings of the rules, by the field that a table of the runs is sorted by."""


def _groups(entries: Sequence[Entry]) -> Iterator[View]:
    """Yield the groups of each kind, but for a kind whose only group has all runs: its page says what this one says."""
    for dimension, heading in PLURALS.items():
        runs = group_by(entries, dimension)
        sizes = {
            LinkView(group_path(dimension.value, name), name): len(runs[name]) for name in runs
        }
        if any(size < len(entries) for size in sizes.values()):
            yield _kind(heading, sizes)
    sessions = Counter(entry.run.session_id for entry in entries if entry.run.session_id)
    resumed = {session_link(name): runs for name, runs in sorted(sessions.items()) if runs > 1}
    if resumed:
        yield _kind("Resumed sessions", resumed)


def _kind(label: str, sizes: Mapping[LinkView, int]) -> View:
    """Return groups of one kind by the links to their pages, with how many runs each has."""
    links = sorted(sizes, key=lambda link: -sizes[link])
    left = len(links) - MAX_GROUPS
    groups = [
        FactView(link.text, figures.count(sizes[link]), href=link.href)
        for link in links[:MAX_GROUPS]
    ]
    more = f"and {figures.count(left)} more, linked from their runs" if left > 0 else None
    return View(label=label, groups=groups, more=more)


def _alerts(
    entries: Sequence[Entry], summary: CampaignSummary, findings: Sequence[Finding]
) -> Iterator[View]:
    """Yield what a reader must know before the figures, each in a few words that lead to the runs or problems it
    counts."""
    for status in (Status.FAILED, Status.STOPPED, Status.INTERRUPTED):
        ended = [entry for entry in entries if entry.run.status is status]
        if ended:
            yield _ended(status, ended)
    if count := summary.spent.unknown:
        unpriced = sum(entry.run.spent_usd is None for entry in entries)
        kinds = ["unknown"] if unpriced else []
        if count > unpriced:
            kinds.append("incomplete")
        address = filter_of({"cost_usd": ["unknown"], "computed_cost_usd": ["unknown"]})
        yield _alert(address, f"{figures.plural(count, 'run')} of {' or '.join(kinds)} cost")
    for group, listed in in_groups(findings):
        if group.index_singular:
            yield _found(group, listed)


def _found(group: Group, findings: Sequence[Finding]) -> View:
    """Return how many findings a group has."""
    count = len(findings)
    if group.what == "Run":
        count = len({finding.page_id or finding.path for finding in findings})
    elif not group.what:
        count = sum(finding.count for finding in findings)
    text = figures.plural(count, group.index_singular, group.index_plural)
    return _alert(group.address, text)


def _ended(status: Status, runs: Sequence[Entry]) -> View:
    """Return how many runs did not complete, with the most frequent causes."""
    details = Counter(run.run.status_detail or "" for run in runs)
    ranked = sorted(details, key=lambda detail: (-details[detail], detail))
    causes = []
    for detail in ranked[:MAX_CAUSES]:
        text = detail
        if details[detail] < len(runs):
            text += f": {figures.count(details[detail])}"
        address = filter_of({"status": [status.value], "status_detail": [detail]})
        if address and detail:
            causes.append(LinkView(address, text))
    address = filter_of({"status": [status.value]})
    text = figures.plural(len(runs), f"{status.value} run")
    others = sum(details[detail] for detail in ranked[MAX_CAUSES:])
    return _alert(address, text, causes, others)


def _alert(address: str, text: str, causes: Sequence[LinkView] = (), others: int = 0) -> View:
    more = f"others: {figures.count(others)}" if others else ""
    return View(link=LinkView(address, text), causes=causes, more=more)


def _deciding(config: Config) -> str:
    """Return the verdicts that the main one rests on, or its own name; empty where no verdict is the main one."""
    for name, rule in config.verdicts.items():
        if rule.main:
            return sentence_list(list(rule.all) or [name])
    return ""


def _meta(facts: Facts) -> str:
    """Return when the runs were done, how many there are, and what is missing."""
    starts = [entry.started_at for entry in facts.entries if entry.started_at]
    starts.sort(key=lambda started_at: milliseconds_of(started_at) or 0)
    runs = figures.plural(len(facts.entries), "run")
    parts = [
        figures.days(starts[0], starts[-1]) if starts else "",
        f"{runs} from {figures.plural(facts.files, 'file')}",
    ]
    if facts.missing:
        parts.append(f"{figures.plural(len(facts.missing), 'planned run')} missing")
    if facts.without_verdict:
        parts.append(describe_left_out(facts.without_verdict, with_causes=False))
    return " · ".join(filter(None, parts))


def _with_halves(board: Board, study: Study) -> Board:
    """Return the leaderboard with a column for each group of tasks by the property that splits them."""
    if not study.halves:
        return board
    name, groups = study.halves
    return replace(board, halves={group: partial(study.is_in, name, group) for group in groups})


def index_page(config: Config, report: Report, drawn: DrawnCharts, table: View) -> Page:
    """Return the first page, with the first page of the table of all runs."""
    summary, followed, study = report.summary, report.followed, report.study
    entries = report.facts.entries
    judged = success(entries, config.intervals)
    board = report.board
    if board and study:
        board = _with_halves(board, study)
    groups = list(_groups(entries))
    kinds = sentence_list([kind.label.lower() for kind in groups])
    over_time = followed.over_time if followed else None
    sentence = headline(summary, judged, board, report.compared, over_time, entries)
    left_out = study.left_out if study else ""
    view = View(
        lead=markdown.render(config.description, is_own=True) if config.description else None,
        meta=_meta(report.facts),
        # The parts of the first sentence; one without an address rests on all runs.
        headline=sentence,
        # The verdicts that decide whether a run passed, in words; empty without a study.
        verdict=_deciding(config) if study else "",
        # How the runs were made, in a line; None in the view of sessions, which nobody set up to compare.
        setup=None if config.view else setup_view(report.setups),
        # The alerts to know before the figures, as a list in words; empty where there is nothing.
        alerts=list(_alerts(entries, summary, report.findings)),
        # Whether the page of problems has more to say than that there are none.
        has_problems=heading_of(report.findings) != NO_PROBLEMS,
        figures=_figures(entries, summary, judged, board, config.intervals),
        # The changes in the last of several campaigns, with a link to all of it.
        newest=newest(followed) if followed else None,
        # The spending without a visible gain, most first, with a link to the runs by it.
        waste=_waste(entries, report.checks),
        leaderboard=leaderboard_view(board, left_out) if board else None,
        # The link to pairs with one agent or one model; None if there are none.
        effects=report.compared.overview.effects,
        # The totals of the view of sessions; None in other views.
        totals=session_totals(entries) if config.view else None,
        gates=report.gates,
        # How many tasks of the baseline were compared; empty without one.
        compared_tasks=report.coverage.text if report.coverage else "",
        matrix=matrix_view(entries, board.names if board else ()),
        difficulty=difficulty_view(entries),
        charts=drawn.charts.drawn,
        own_charts=drawn.own,
        chart_data=CHART_DATA,
        chart_models=drawn.charts.models,
        tools=tools_view(entries),
        table=table,
        groups_heading=kinds.capitalize(),
        groups=groups,
    )
    about = f"{config.title}: {text_of(sentence)}"
    title = f"{config.title}: {figures.plural(summary.runs, 'run')}"
    if summary.spent.value is not None:
        title += f", {cost_text(summary)}"
    return Page("index.html", "index.html.jinja", title, about, "runs", view)
