"""The view of the index: the campaign's figures, what to know first, and its charts."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sitegen import figures
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
from sitegen.pages.chart_parts import CHART_DATA, DrawnCharts
from sitegen.pages.difficulty import difficulty_view
from sitegen.pages.findings import Finding, in_groups
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
    found: Board | None,
    question: Question,
) -> tuple[FigureView, ...]:
    """Return at most MAX_FIGURES figures; a leaderboard has what a success cost."""
    measures = found.measures if found else leading(entries)
    scored = (measures[0], spread(entries, measures[0], question)) if measures else None
    made = summary_figures(summary, judged, scored)
    return tuple(figure for figure in made if not (found and figure.label == PER_SUCCESS))[
        :MAX_FIGURES
    ]


def _waste(entries: Sequence[Entry], checks: Mapping[str, PriceCheck]) -> LinkView | None:
    """Return the largest of what three rules find, where it is at least two per cent of the cost: of what is reported,
    and of list prices only where nothing is."""
    basis = (
        "cost_usd"
        if any(entry.run.cost_usd is not None for entry in entries)
        else "computed_cost_usd"
    )
    costs: dict[str, float | None] = {entry.id: getattr(entry.run, basis) for entry in entries}
    checked = [entry for entry in entries if costs[entry.id] is not None and entry.id in checks]
    idle = (
        waste.cost_without_change_usd(entry.run)
        for entry in entries
        if entry.run.cost_usd is not None
    )
    found = {
        "cost_without_change_usd": list(idle),
        "cost_rewritten_cache_usd": [
            waste.cost_rewritten_cache_usd(e.run, checks[e.id]) for e in checked
        ],
        "status": [costs[entry.id] for entry in entries if entry.run.status is Status.STOPPED],
    }
    sums = {key: math.fsum(cost for cost in each if cost) for key, each in found.items()}
    key = max(sums, key=lambda key: sums[key])
    whole = math.fsum(cost for cost in costs.values() if cost)
    if not sums[key] or not 0.02 * whole <= sums[key] <= whole:
        return None
    runs = figures.plural(sum(bool(cost) for cost in found[key]), "run")
    text = _WASTED[key].format(figures.money(sums[key]), figures.money(whole), runs)
    columns = dict.fromkeys(("model", "status", basis, key, "turns"))
    return LinkView(f"index.html#sort=-{key}&columns={','.join(columns)}", text)


_WASTED = {
    "cost_without_change_usd": "{} of {} was spent on parts of {} without an edit, after a part that had ended well",
    "cost_rewritten_cache_usd": "{} of {} was spent on writing a large context to the cache for a single turn, in {}",
    "status": "{} of {} was spent on {} cut short by limits or API errors",
}


def _groups(entries: Sequence[Entry]) -> Iterator[View]:
    for dimension, label in PLURALS.items():
        by_name = group_by(entries, dimension)
        if any(
            len(runs) < len(entries) for runs in by_name.values()
        ):  # else their pages say what this one says
            by = dimension.value
            yield _kind(
                label,
                {LinkView(group_path(by, name), name): len(runs) for name, runs in by_name.items()},
            )
    sessions = Counter(entry.run.session_id for entry in entries if entry.run.session_id)
    if resumed := {
        session_link(session): runs for session, runs in sorted(sessions.items()) if runs > 1
    }:
        yield _kind("Resumed sessions", resumed)


def _kind(label: str, groups: Mapping[LinkView, int]) -> View:
    """Return groups of one kind by the links to their pages, with how many runs each has."""
    found = sorted(groups.items(), key=lambda group: -group[1])
    left = len(found) - MAX_GROUPS
    return View(
        label=label,
        groups=tuple(
            FactView(link.text, figures.count(runs), href=link.href)
            for link, runs in found[:MAX_GROUPS]
        ),
        more=f"and {figures.count(left)} more, linked from their runs" if left > 0 else None,
    )


def _alerts(
    entries: Sequence[Entry], summary: CampaignSummary, findings: Sequence[Finding]
) -> Iterator[View]:
    """Yield what a reader must know before the figures, each in a few words that lead to the runs or problems it
    counts."""
    yield from _ends(entries, summary)
    unpriced = sum(entry.run.spent_usd is None for entry in entries)
    how = ["unknown"] * (unpriced > 0) + ["incomplete"] * (summary.spent.unknown > unpriced)
    if count := summary.spent.unknown:
        address = filter_of({"cost_usd": ["unknown"], "computed_cost_usd": ["unknown"]})
        yield _alert(address, f"{figures.plural(count, 'run')} of {' or '.join(how)} cost")
    for group, listed in in_groups(findings):
        if group.index_singular:
            count = len(listed)
            if group.what == "Run":
                count = len({finding.page_id or finding.path for finding in listed})
            elif not group.what:
                count = sum(finding.count for finding in listed)
            text = figures.plural(count, group.index_singular, group.index_plural)
            reasons = Counter(finding.text for finding in listed if group.id == "excluded")
            shown = reasons.most_common(MAX_CAUSES)
            causes = [
                LinkView(group.address, f"{reason}: {figures.count(runs)}")
                for reason, runs in shown
            ]
            yield _alert(
                group.address, text, causes, reasons.total() - sum(runs for _, runs in shown)
            )


def _ends(entries: Sequence[Entry], summary: CampaignSummary) -> Iterator[View]:
    """Yield how many runs did not complete, with the most frequent causes."""
    for status in (Status.FAILED, Status.STOPPED, Status.INTERRUPTED):
        if count := summary.by_status.get(status, 0):
            details = Counter(
                entry.run.status_detail or "" for entry in entries if entry.run.status is status
            )
            causes: list[LinkView] = []
            ranked = sorted(details.items(), key=lambda each: (-each[1], each[0]))
            for detail, of in ranked[:MAX_CAUSES]:
                said = detail if of == count else f"{detail}: {figures.count(of)}"
                address = filter_of({"status": [status.value], "status_detail": [detail]})
                if address and detail:
                    causes.append(LinkView(address, said))
            rest = sum(sorted(details.values())[:-MAX_CAUSES])
            address = filter_of({"status": [status.value]})
            yield _alert(address, figures.plural(count, f"{status.value} run"), causes, rest)


def _alert(address: str, text: str, causes: Sequence[LinkView] = (), others: int = 0) -> View:
    more = f"others: {figures.count(others)}" if others else ""
    return View(link=LinkView(address, text), causes=tuple(causes), more=more)


def _deciding(config: Config) -> str:
    """Return the verdicts that the main one rests on, or its own name; empty where no verdict is the main one."""
    main = ([*rule.all] or [name] for name, rule in config.verdicts.items() if rule.main)
    return next(map(figures.sentence_list, main), "")


def index_page(config: Config, report: Report, drawn: DrawnCharts, table: View) -> Page:
    """Return the first page, with the first page of the table of all runs."""
    summary, facts, followed = report.summary, report.facts, report.followed
    entries = facts.entries
    question = config.intervals
    judged = success(entries, question)
    found = report.board
    if found and report.study and (halves := report.study.halves):
        found = replace(
            found, halves={each: partial(report.study.is_in, halves[0], each) for each in halves[1]}
        )
    title = config.title
    runs = figures.plural(summary.runs, "run")
    starts = sorted(
        (entry.started_at for entry in entries if entry.started_at),
        key=lambda at: milliseconds_of(at) or 0,
    )
    days = figures.days(starts[0], starts[-1]) if starts else ""
    groups = tuple(_groups(entries))
    missing = (
        f"{figures.plural(len(facts.missing), 'planned run')} missing" if facts.missing else ""
    )
    left = (
        describe_left_out(facts.without_verdict, with_causes=False) if facts.without_verdict else ""
    )
    said = headline(
        summary, judged, found, report.compared, followed.over_time if followed else None, entries
    )
    view = View(
        lead=markdown.render(config.description, is_own=True) if config.description else None,
        meta=" · ".join(
            filter(
                None, (days, f"{runs} from {figures.plural(facts.files, 'file')}", missing, left)
            )
        ),
        # The parts of the first sentence; one without an address rests on all runs.
        headline=said,
        # The verdicts that decide whether a run passed, in words; empty without a study.
        verdict=_deciding(config) if report.study else "",
        # How the runs were made, in a line; None in the view of sessions, which nobody set up to compare.
        setup=None if config.view else setup_view(report.setups),
        # The alerts to know before the figures, as a list in words; empty where there is nothing.
        alerts=tuple(_alerts(entries, summary, report.findings)),
        # Whether the page of problems has more to say than that there are none.
        has_problems=heading_of(report.findings) != NO_PROBLEMS,
        figures=_figures(entries, summary, judged, found, question),
        # The changes in the last of several campaigns, with a link to all of it.
        newest=newest(followed) if followed else None,
        # The spending without a visible gain, most first, with a link to the runs by it.
        waste=_waste(entries, report.checks),
        leaderboard=leaderboard_view(found, report.study.left_out if report.study else "")
        if found
        else None,
        # The link to pairs with one agent or one model; None if there are none.
        effects=report.compared.overview.effects,
        # The totals of the view of sessions; None in other views.
        totals=session_totals(entries) if config.view else None,
        gates=report.gates,
        # How many tasks of the baseline were compared; empty without one.
        compared_tasks=report.coverage.text if report.coverage else "",
        matrix=matrix_view(entries, [each.name for each in found.contenders] if found else ()),
        difficulty=difficulty_view(entries),
        charts=drawn.charts.drawn,
        own_charts=drawn.own,
        chart_data=CHART_DATA,
        chart_models=drawn.charts.models,
        tools=tools_view(entries),
        table=table,
        groups_heading=sentence_list([kind.label.lower() for kind in groups]).capitalize()
        if groups
        else "",
        groups=groups,
    )
    about = f"{title}: {text_of(said)}"
    title += f": {runs}{'' if summary.spent.value is None else f', {cost_text(summary)}'}"
    return Page("index.html", "index.html.jinja", title, about, "runs", view)
