"""From the facts of all runs to the pages of the site: the URL map, the neighbours, the views.

A page is a path, a template and a view that holds everything it may show. What follows from one run alone is in
`run_view`, what follows from all of them in `index_view` and here.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from urllib.parse import quote

from sitegen import data, figures
from sitegen.gates import reconciles
from sitegen.index_view import IndexView
from sitegen.model import INCOMPLETE, Entry, Masked, Problem, Verdict
from sitegen.pricing import Price, PriceCheck, PriceTable
from sitegen.render import Page
from sitegen.run_view import cost_remarks, run_view
from sitegen.statistics import CampaignSummary
from sitegen.summary_view import bounded
from sitegen.table_view import FurtherPageView, RunTable
from sitegen.views import (
    MODEL_COLOURS,
    FactView,
    LinkView,
    campaigns_differ,
    model_class,
    ranked_models,
    run_link,
    run_path,
    status_view,
)

NOT_FOUND_PATH = "404.html"

SITEMAP_PAGES = 50_000

ROWS_PER_GROUP = 500
"""Rows of one table on the problems page; the data file holds them all."""


def run_page(entries: Sequence[Entry], position: int, check: PriceCheck) -> Page:
    """The page of the run at a position; the order of the entries decides its neighbours."""
    entry = entries[position]
    previous = entries[position - 1] if position else None
    following = entries[position + 1] if position + 1 < len(entries) else None
    view = run_view(entry, check, previous, following)
    cost, turns = figures.money(entry.run.cost_usd), entry.run.turns
    effort = "turns unknown" if turns is None else figures.plural(turns, "turn")
    total = entry.run.tokens.total
    tokens = figures.count_short(total) + ("+" if entry.run.token_gaps and total is not None else "")
    return Page(
        path=run_path(entry.id),
        template="run.html.jinja",
        title=f"{run_link(entry).text}: {view.status.word}, {'cost unknown' if entry.run.cost_usd is None else cost}",
        description=f"One run of {view.models}: {effort}, {tokens} tokens, {cost}, and what the agent said it did.",
        section="runs",
        view=view,
    )


def index_page(title: str, summary: CampaignSummary, view: IndexView) -> Page:
    """The first page."""
    cost = bounded(summary.cost, figures.money)
    runs = figures.plural(summary.runs, "run")
    return Page(
        path="index.html",
        template="index.html.jinja",
        title=f"{title}: {runs}" + (f", {cost}" if summary.cost.known else ""),
        description=f"{title}: what {runs} of coding agents cost, how they ended, and where the tokens went.",
        section="runs",
        view=view,
    )


def table_pages(table: RunTable, positions: Iterable[int]) -> Iterator[Page]:
    """Further pages of the table of runs; the first stands on the index."""
    for position in positions:
        page = table.page(position)
        number = position + 1
        yield Page(
            path=page.path,
            template="runs.html.jinja",
            title=f"All runs, page {number} of {table.page_count}",
            description=f"{page.range}: status, cost, tokens, turns and time.",
            section="runs",
            view=FurtherPageView(
                f"All runs, page {number}", LinkView("index.html", "Figures and charts of all runs"), page
            ),
        )


def not_found_page() -> Page:
    """What a server shows for an address that leads nowhere."""
    return Page(
        path=NOT_FOUND_PATH,
        template="404.html.jinja",
        title="Page not found",
        description="There is no page at this address.",
        section="",
        view=None,
    )


def sitemap(address: str, paths: Sequence[str]) -> bytes:
    """The pages for search engines: those of runs last, and no more than a sitemap may hold."""
    ordered = sorted(paths, key=lambda path: (path.startswith("runs/"), path))
    places = "".join(
        f"<url><loc>{html.escape(address + quote(path))}</loc></url>\n" for path in ordered[:SITEMAP_PAGES]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    ).encode()


def model_styles(entries: Sequence[Entry]) -> bytes:
    """One stylesheet that gives each model its colour: `--m-<name>` for charts and `.m-<name>` for marks.

    Further models share a grey, since a repeated colour would say that two models are one.
    """
    names = ranked_models(entries)
    ranked = [
        (model_class(name), f"model-{rank}" if rank <= MODEL_COLOURS else "muted") for rank, name in enumerate(names, 1)
    ]
    colours = ";".join(f"--m-{name}:var(--{colour})" for name, colour in ranked)
    marks = "".join(f".m-{name}{{fill:var(--m-{name});background:var(--m-{name})}}\n" for name, _ in ranked)
    return (f":root{{{colours}}}\n{marks}" if ranked else "").encode()


@dataclass(frozen=True, slots=True)
class ProblemRowView:
    """One problem: the run or file, what is wrong, what was done."""

    name: str
    href: str | None
    reason: str
    place: str | None
    done: str
    code: str


@dataclass(frozen=True, slots=True)
class ProblemGroupView:
    """Problems of one kind."""

    id: str
    heading: str
    note: str
    what: str
    count: str
    rows: tuple[ProblemRowView, ...]
    more: str | None


@dataclass(frozen=True, slots=True)
class ProblemsView:
    """What was skipped, what is doubtful, and what was checked."""

    heading: str
    lead: str
    groups: tuple[ProblemGroupView, ...]
    remarks: tuple[str, ...]
    """What in the settings came to nothing, and what to do about it."""
    checked: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """A table of problems of one kind."""

    id: str
    heading: str
    note: str
    what: str
    done: str
    holds: Callable[[Problem], bool]


_GROUPS = (
    _Group(
        "skipped", "Skipped files", "Not on any other page.", "File", "Skipped.",
        lambda problem: problem.is_skipped_file,
    ),
    _Group(
        "doubtful", "Doubtful runs", "Shown, with a part unknown or in doubt.", "Run", "Shown.",
        lambda problem: problem.verdict is Verdict.ACCEPT and not problem.is_about_outcomes,
    ),
    _Group(
        "outcomes", "Outcomes", "What is stated from outside and fits no run, or contradicts.", "Stated in",
        "Not counted.", lambda problem: problem.is_about_outcomes,
    ),
    _Group(
        "merged", "One run, two files", "Counted once, read from the richer file.", "File", "Merged.",
        lambda problem: problem.verdict is Verdict.MERGE,
    ),
)  # fmt: skip


def problems_page(
    entries: Sequence[Entry],
    problems: Sequence[Problem],
    checks: Mapping[str, PriceCheck],
    ignored: int,
    remarks: tuple[str, ...],
    masked: Sequence[Masked] = (),
) -> Page:
    """The page of problems, which exists without any; also says what was masked.

    `remarks` are sentences about the settings.
    """
    groups = tuple(
        _group(group, found)
        for group in _GROUPS
        if (found := [problem for problem in problems if group.holds(problem)])
    )
    groups += (*_incomplete(entries), *_unreconciled(entries, checks), *_masked(masked))
    skipped = sum(problem.is_skipped_file for problem in problems)
    incomplete = sum(entry.run.status in INCOMPLETE for entry in entries)
    if problems:
        heading = f"{figures.plural(len(problems), 'problem')}, none of them silent"
    elif incomplete:
        heading = f"No file has a problem; {figures.plural(incomplete, 'run')} did not complete"
    else:
        heading = "No problems"
    read = figures.plural(len(entries), "run")
    lead = f"{read} {'was' if len(entries) == 1 else 'were'} read. "
    lead += (
        f"{figures.plural(skipped, 'file')} could not be read and {'is' if skipped == 1 else 'are'} on no other page."
        if skipped
        else "Every file that claims to be a run could be read."
    )
    view = ProblemsView(heading, lead, groups, remarks, _checked(entries, problems, checks, ignored))
    return Page(
        path="problems.html",
        template="problems.html.jinja",
        title=heading,
        description="Files that could not be read, runs that did not complete, and figures that do not agree.",
        section="problems",
        view=view,
    )


def _group(group: _Group, found: Sequence[Problem]) -> ProblemGroupView:
    rows = tuple(
        ProblemRowView(
            name=problem.path,
            href=problem.page_id and run_path(problem.page_id),
            reason=problem.reason,
            place=problem.place and problem.place[:1].upper() + problem.place[1:],
            done=group.done,
            code=problem.code,
        )
        for problem in found[:ROWS_PER_GROUP]
    )
    count, more = figures.count(len(found)), _more(len(found) - len(rows))
    of_runs = len({problem.page_id or problem.path for problem in found})
    if group.id == "doubtful" and of_runs < len(found):
        count = f"{figures.count(of_runs)}, {count} remarks"
    return ProblemGroupView(group.id, group.heading, group.note, group.what, count, rows, more)


def _more(left: int) -> str | None:
    """What is said below the rows of a group that are shown."""
    return f"{figures.count(left)} more {'stands' if left == 1 else 'stand'} in data/problems.json." if left else None


def _of_runs(
    anchor: str, heading: str, note: str, found: Sequence[Entry], said: Callable[[Entry], tuple[str, str]]
) -> Iterator[ProblemGroupView]:
    """A table of runs, if there are any; `said` is what is wrong with one and what was done."""
    if not found:
        return
    with_campaign = campaigns_differ(found)
    rows = tuple(
        ProblemRowView(link.text, link.href, reason, None, done, code="")
        for entry in found[:ROWS_PER_GROUP]
        for link in [run_link(entry, with_campaign=with_campaign)]
        for reason, done in [said(entry)]
    )
    left = len(found) - len(rows)
    more = f"{figures.count(left)} more; data/runs.csv has all." if left else None
    yield ProblemGroupView(anchor, heading, note, "Run", figures.count(len(found)), rows, more)


def _incomplete(entries: Sequence[Entry]) -> Iterator[ProblemGroupView]:
    """The runs that failed, were stopped or broke off, and how."""

    def said(entry: Entry) -> tuple[str, str]:
        how = [status_view(entry.run.status).word.capitalize(), entry.run.status_detail]
        cost = "not known" if entry.run.cost_usd is None else figures.money(entry.run.cost_usd)
        return f"{', '.join(filter(None, how))}.", f"Shown; cost {cost}."

    note = "They failed, were stopped by their surroundings, or their record breaks off."
    found = [entry for entry in entries if entry.run.status in INCOMPLETE]
    yield from _of_runs("incomplete", "Runs that did not complete", note, found, said)


def _unreconciled(entries: Sequence[Entry], checks: Mapping[str, PriceCheck]) -> Iterator[ProblemGroupView]:
    """The runs whose reported cost, sum over models and list price are not one figure, and what that means."""

    def said(entry: Entry) -> tuple[str, str]:
        reported, ledger = figures.money(entry.run.cost_usd), figures.money(entry.run.ledger_cost_usd)
        listed = figures.money(checks[entry.id].list_usd)
        done = f"Reported {reported}, by model {ledger}, by list price {listed}."
        return " ".join(cost_remarks(entry, checks[entry.id])), done

    note = (
        "Reported cost, sum over models and list price, compared to half a cent. The list price of a file that lacks "
    )
    note += "tokens is too low: its run is here only if that is still more than it reports. The reported cost counts."
    found = [entry for entry in entries if reconciles(entry.run, checks[entry.id]) is False]
    yield from _of_runs("unreconciled", "Costs that do not agree", note, found, said)


def _masked(masked: Sequence[Masked]) -> Iterator[ProblemGroupView]:
    """How many values of which kind are masked, and where."""
    if not masked:
        return
    rows = tuple(
        ProblemRowView(
            name=each.path,
            href=each.page_id and run_path(each.page_id),
            reason=f"{figures.count(each.count)} \u00d7 {each.kind}",
            place=f"In: {each.place}",
            done="Masked.",
            code="",
        )
        for each in masked[:ROWS_PER_GROUP]
    )
    left = len(masked) - len(rows)
    yield ProblemGroupView(
        "masked",
        "Masked",
        "Secrets and personal data, replaced on every page and in every file. A net, not a proof.",
        "Found in",
        figures.count(sum(each.count for each in masked)),
        rows,
        _more(left),
    )


def _checked(
    entries: Sequence[Entry], problems: Sequence[Problem], checks: Mapping[str, PriceCheck], ignored: int
) -> tuple[FactView, ...]:
    both = [agrees for e in entries if (agrees := e.run.sums_agree) is not None]
    priced = [check for e in entries if e.run.cost_usd and (check := checks[e.id]).list_usd is not None]
    reproduced = sum(check.by_kind is not None for check in priced)
    merged = sum(problem.verdict is Verdict.MERGE for problem in problems)
    files = figures.plural(ignored, "file or folder", "files and folders")
    return (
        FactView("Cost adds up over models", f"{sum(both)} of {figures.plural(len(both), 'run')}", "to half a cent"),
        FactView("List price reproduces the cost", f"{reproduced} of {figures.plural(len(priced), 'run')}", "to 1%"),
        FactView("One run, two files", figures.count(merged) if merged else "none"),
        FactView("Ignored", files, "claimed by no reader") if ignored else FactView("Ignored", "none"),
    )


def search_page() -> Page:
    """The page for which the search of all runs stands, with or without script."""
    return Page(
        path="search.html",
        template="search.html.jinja",
        title="Search",
        description="Full-text search of titles, tasks, paths, summaries and errors of all runs.",
        section="search",
        view=None,
    )


@dataclass(frozen=True, slots=True)
class AboutView:
    """How the figures are defined and what the site was made from."""

    columns: tuple[tuple[str, str], ...]
    prices_note: str
    prices: tuple[tuple[str, ...], ...]
    made: tuple[FactView, ...]
    licenses: str | None
    is_judged: bool
    """Whether outcomes are known of any run, so that success has to be defined."""
    shown: tuple[tuple[str, str], ...]
    """Kinds of secrets and personal data that are not masked, each with the reason of the settings."""
    also_masked: tuple[str, ...]
    """Kinds that are masked only because the settings say so."""


def about_page(
    table: PriceTable,
    made: tuple[FactView, ...],
    licenses: str | None,
    *,
    is_judged: bool,
    shown: Mapping[str, str] = MappingProxyType({}),
    also_masked: Sequence[str] = (),
) -> Page:
    """The page that defines the figures; `made` says what the site was built from.

    `shown` are the kinds of secrets that the settings do not mask, each with its reason; `also_masked` those that are
    masked only because the settings say so.
    """
    view = AboutView(
        columns=data.COLUMNS,
        prices_note=f"List prices of {table.date}, USD per million tokens. They check the reported costs.",
        prices=_price_rows(table.prices),
        made=made,
        licenses=licenses,
        is_judged=is_judged,
        shown=tuple(sorted(shown.items())),
        also_masked=tuple(sorted(set(also_masked))),
    )
    return Page(
        path="about.html",
        template="about.html.jinja",
        title="About this report",
        description="How the figures are defined, what they were made from, and where the data is.",
        section="about",
        view=view,
    )


def _price_rows(prices: Mapping[str, Price]) -> tuple[tuple[str, ...], ...]:
    """The list prices by model; in a column all have as many decimals as the one that needs most, two at least."""
    models = sorted(prices)
    by_kind = [[getattr(prices[model], kind) for model in models] for kind in _RATES]
    return tuple(zip(models, *map(_aligned, by_kind), strict=True))


_RATES = ("input", "cache_write", "cache_write_1h", "cache_read", "output")


def _aligned(rates: Sequence[float | None]) -> list[str]:
    """Rates as one writes them: to twelve digits, since 0.1 × 0.8 is 0.08000000000000002 to a computer."""
    exact = [f"{Decimal(f'{rate:.12g}'):f}".rstrip("0") for rate in rates if rate is not None]
    decimals = max([2, *(len(text.partition(".")[2]) for text in exact)])
    return [figures.UNKNOWN if rate is None else f"{rate:,.{decimals}f}" for rate in rates]
