"""The files of a site, but for the pages of runs: what pages show several runs, and which data files hold all."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sitegen.inputs.campaigns.past import HISTORY
from sitegen.masking.redact import Numbers
from sitegen.numbers.intervals import Question
from sitegen.outcomes.study import Study
from sitegen.pages import compare, data, effects
from sitegen.pages.about import about_page
from sitegen.pages.behaviour import behaviour_page
from sitegen.pages.chart_parts import DrawnCharts
from sitegen.pages.citations import Citations
from sitegen.pages.group import groups
from sitegen.pages.index import index_page
from sitegen.pages.overall import Report
from sitegen.pages.own_pages import Figures, WrittenPages
from sitegen.pages.problems import problems_page
from sitegen.pages.run.pages import RunPages
from sitegen.pages.search import SearchIndex
from sitegen.pages.sessions import session_pages, unplaced_files
from sitegen.pages.setup import setup_json
from sitegen.pages.site import SEARCH, Site
from sitegen.pages.study_page import study_page, table_files
from sitegen.pages.table.run_table import RunTable, table_page, table_path
from sitegen.pages.text_tables import files_of
from sitegen.pages.trends import trends_page
from sitegen.publish.files import File, Made, page_file

MAX_RUNS_LOOKED_AT = 20_000
"""Above it, the process that has the facts makes the pages of the table: each other would get a copy of all of them."""

ROWS = "data/rows"  # the paths of the rows of the table of all runs, without their endings


def pages_of_several(
    site: Site,
    report: Report,
    table: RunTable,
    digests: Mapping[str, bytes],
    *,
    key: Callable[..., bytes | None],
) -> Iterator[File]:
    """Yield the pages that show several runs and no chart; `digests` are of all that is known of each, by page id, and
    `key` makes the key of a file of what it shows."""
    runs = len(report.facts.entries)
    found = report.compared
    for position in range(1, table.page_count):
        of_page = key(table.frame, [digests[run.id] for run in table.runs(position)])
        make = partial(_table_page, site, table, position)
        yield File(
            table_path("index", position), of_page, make, is_made_here=runs > MAX_RUNS_LOOKED_AT
        )
    asked = site.config.intervals
    for group in groups(report.facts.entries, asked):
        known = key(
            group.is_part, asked, repr(group.measures), [digests[run.id] for run in group.runs]
        )
        yield from group.files(site.renderer, known)
    unplaced = [entry for entry in report.facts.shared_transcripts if entry.has_published_steps]
    yield from unplaced_files(RunPages.of(site), unplaced, report.facts.entries, digests, key)
    for page in (
        *compare.compare_pages(found),
        *([effects.effects_page(found)] if found.held else ()),
        *([trends_page(report.followed)] if report.followed else ()),
        *session_pages(report.facts.entries, unplaced),
        *(
            [study_page(report.study, asked, found.overview.effects, found.breakdowns)]
            if report.study
            else ()
        ),
        behaviour_page(report.facts.entries),
        SEARCH,
        problems_page(report.facts, report.findings, report.checks),
    ):
        yield page_file(page, site.renderer, key(page))


def _table_page(site: Site, table: RunTable, position: int) -> Made:
    return Made(site.renderer.render(table_page(table, position)))


@dataclass(frozen=True, slots=True)
class FinishedRows:
    """The facts that the index needs about the scripts with the rows of its table."""

    addresses: dict[str, str]
    numbers: Numbers  # the numbers of the masks in them, which filters on the index share


def put_data(
    report: Report,
    table: RunTable,
    index: SearchIndex,
    question: Question,
    put: Callable[[File], None],
) -> FinishedRows:
    """Publish the files that hold all runs. Returns what the index has to know of the rows of its table.

    Raises: PublishError.
    """
    for file in chain(_data_files(report, question), index.finish()):
        put(file)
    rows = FinishedRows({}, {})
    for script in table.scripts():
        rows.addresses[script.path] = script.address
        put(File(script.path, None, partial(Made, script.content), numbers=rows.numbers))
    return rows


def _data_files(report: Report, question: Question) -> Iterator[File]:
    entries = report.facts.entries

    def runs() -> Iterator[data.Row]:
        return data.rows(entries, lambda entry: report.checks[entry.id])

    yield File("data/runs.json", None, lambda: Made(data.rows_json(runs())))
    yield File("data/runs.csv", None, lambda: Made(data.rows_csv(runs())))
    yield File(
        "data/models.json", None, lambda: Made(data.rows_json(data.model_rows(entries), "models"))
    )
    yield File(
        "data/models.csv",
        None,
        lambda: Made(data.rows_csv(data.model_rows(entries), data.MODEL_COLUMNS)),
    )
    figures = partial(
        data.figures_json, entries, report.compared, question, report.alerts, report.gates
    )
    yield File("data/figures.json", None, lambda: Made(figures()))
    yield File("data/findings.json", None, lambda: Made(data.findings_json(report.findings)))
    yield File("data/setup.json", None, lambda: Made(setup_json(report.setups)))
    yield from table_files(report.study) if report.study else ()
    if report.compared.held:
        latex = partial(effects.effects_latex, report.compared)
        for name, table in effects.effects_tables(report.compared).items():
            yield from files_of(name, table, latex)
    yield File(
        "data/problems.json",
        None,
        lambda: Made(data.problems_json(report.problems, report.facts.masked)),
    )
    if report.followed and (history := report.followed.over_time.history):
        yield File(HISTORY, None, partial(Made, history))


def written_pages(site: Site, report: Report, drawn: DrawnCharts) -> WrittenPages:
    """Return the author's pages, with what they may name."""
    study = Study(site.config, report.facts.entries)
    cited = Citations(study, report.compared, report.facts.left_out)
    return WrittenPages(site.own_pages, Figures(site.config, study), cited, drawn.pictures())


def pages_about_charts(
    site: Site,
    report: Report,
    drawn: DrawnCharts,
    table: RunTable,
    own: WrittenPages,
    *,
    rows: FinishedRows,
) -> Iterator[File]:
    """Yield the author's pages, the index, and the page that says where the scripts of live charts come from."""
    for page in own.pages():
        yield page_file(page, site.renderer, None)
    texts = site.with_charts(next(iter(drawn.bundle), None))
    index = index_page(site.config, report, drawn, table.page(0, rows.addresses))
    yield replace(page_file(index, site.renderer, None, texts), numbers=deepcopy(rows.numbers))
    yield page_file(about_page(site, report, drawn), site.renderer, None, texts)
