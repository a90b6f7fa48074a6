"""The pipeline: discover, survey, plan, render, publish. A newcomer reads `build` first.

Every stage takes values and returns values; the finished site is a stream of paths and bytes, and `Publication` is
the only thing that writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path, PurePosixPath

from sitegen import __version__, charts, data, discover, index_view, markdown, pages, table_view, theme
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError, ReadError
from sitegen.model import Caveat, Entry, Problem, Texts, Verdict
from sitegen.names import PathPattern, slug
from sitegen.pricing import PriceCheck, PriceTable
from sitegen.publish import Publication, Published
from sitegen.redact import Redactor
from sitegen.render import Renderer, SiteView
from sitegen.statistics import summarize
from sitegen.survey import Naming, Progress, Survey, in_order, read_again, survey
from sitegen.theme import Theme
from sitegen.views import FactView

CHART_DATA = "assets/charts-data.js"
ROWS_SCRIPT = "data/rows.js"
LICENSES = "assets/licenses.txt"


@dataclass(frozen=True, slots=True)
class Built:
    """What a build came to."""

    survey: Survey
    published: Published
    warnings: tuple[str, ...]
    """Sentences about the build itself, such as a missing library."""


def build(config: Config, progress: Progress, on_wait: Callable[[str], None]) -> Built:
    """Build the site that `config` describes and publish it whole.

    Raises: ConfigError, RefusedOutput, PublishError; the old site is then untouched.
    """
    redactor = Redactor.for_this_machine()
    prices = PriceTable.load({name: price.model_dump() for name, price in config.prices.items()})
    roots = [Path(given.path) for given in config.inputs]
    with Publication(Path(config.output), inputs=roots, on_wait=on_wait) as publication:
        surveyed = look(config, progress, redactor)
        if not surveyed.entries:
            raise PublishError(_nothing_to_read(surveyed))
        checks = {entry.id: prices.check(entry.run) for entry in surveyed.entries}
        drawn = charts.charts(
            surveyed.entries,
            {page_id: check.by_kind for page_id, check in checks.items() if check.by_kind is not None},
            color=lambda model: f"var(--m-{slug(model)})",
        )
        for path, content in _files(config, surveyed, checks, prices, drawn, redactor, progress):
            publication.write(PurePosixPath(path), content)
        return Built(surveyed, publication.commit(), (drawn.problem,) if drawn.problem else ())


def look(config: Config, progress: Progress, redactor: Redactor | None = None) -> Survey:
    """Read the inputs without writing anything: what `sitegen check` reports."""
    patterns = [given.pattern and PathPattern(given.pattern) for given in config.inputs]
    found = discover.discover(
        [given.path for given in config.inputs], exclude=[Path(config.output)], ignore=config.ignore
    )
    naming = Naming([pattern or None for pattern in patterns], config.tasks, config.models)
    return survey(found, naming, redactor or Redactor.for_this_machine(), progress)


def _files(
    config: Config,
    surveyed: Survey,
    checks: Mapping[str, PriceCheck],
    prices: PriceTable,
    drawn: charts.Charts,
    redactor: Redactor,
    progress: Progress,
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, as path and content."""
    style = theme.load()
    bundle = charts.vega_bundle() if drawn.drawn else None
    bundle_path = theme.hashed_path("vega.js", bundle) if bundle else None
    renderer = Renderer(style, _site_view(config, style, bundle_path))
    entries, problems = list(surveyed.entries), list(surveyed.problems)

    # Pages of runs come first: rendering one may show that its file has changed, or that its summary is too much.
    for position, (entry, page) in enumerate(progress("Rendering", list(pages.run_pages(entries, checks)))):
        texts, doubts = _texts(entry, redactor)
        account = markdown.render(texts.summary) if texts.summary else None
        if account and account.notes and not any(c.code == "W_MD_LIMIT" for c in entry.run.caveats):
            doubts += tuple(Caveat("W_MD_LIMIT", note) for note in account.notes)
        if doubts:
            entries[position] = replace(entry, run=replace(entry.run, caveats=entry.run.caveats + doubts))
            problems += [Problem(entry.source.path, d.code, Verdict.ACCEPT, d.text, page_id=entry.id) for d in doubts]
        yield page.path, renderer.render(page, {"texts": texts, "account": account})

    problems.sort(key=in_order)
    lead = markdown.render(config.description) if config.description else None
    tables, rows = table_view.tables(entries, summary := summarize(entries), "index", ROWS_SCRIPT)
    index = index_view.index_view(
        entries, problems, summary, tables[0], lead=lead, charts=drawn, chart_data=CHART_DATA, files=surveyed.files
    )
    licenses = LICENSES if bundle else None
    for page in (
        pages.index_page(config.title, summary, index),
        *pages.table_pages(tables),
        pages.problems_page(entries, problems, checks, len(surveyed.ignored)),
        pages.about_page(prices, _made(config, surveyed), licenses),
    ):
        yield page.path, renderer.render(page)

    yield "data/runs.json", data.runs_json(entries)
    yield "data/runs.csv", data.runs_csv(entries)
    yield "data/problems.json", data.problems_json(problems)
    if rows:
        yield ROWS_SCRIPT, rows
    yield from style.assets.items()
    yield "assets/models.css", pages.model_styles(entries)
    if bundle and bundle_path:
        yield bundle_path, bundle
        yield CHART_DATA, charts.live_script(drawn.drawn)
        yield LICENSES, style.licenses
    if config.static:
        yield from _static_files(Path(config.static))


def _texts(entry: Entry, redactor: Redactor) -> tuple[Texts, tuple[Caveat, ...]]:
    """What the run says, read again; nothing, and why, when its file is no longer the one that was surveyed."""
    try:
        return read_again(entry, redactor).texts, ()
    except ReadError as error:
        return Texts(), (Caveat(error.code, redactor(f"Its texts are missing from its page: {error.reason}.")),)


def _site_view(config: Config, style: Theme, bundle_path: str | None) -> SiteView:
    return SiteView(
        title=config.title,
        language=config.language,
        version=__version__,
        stylesheet=style.asset_paths["site.css"],
        script=style.asset_paths["site.js"],
        chart_script=style.asset_paths["charts.js"],
        vega=bundle_path,
        url=config.site_url,
    )


def _made(config: Config, surveyed: Survey) -> tuple[FactView, ...]:
    """What the site was built from: enough to build the same bytes again."""
    inputs = hashlib.sha256()
    for entry in surveyed.entries:
        inputs.update(f"{entry.source.path}\0{entry.digest}\n".encode("utf-8", "surrogatepass"))
    settings = hashlib.sha256(config.model_dump_json(exclude={"inputs", "output", "static"}).encode())
    return (
        FactView("sitegen", __version__),
        FactView("Digest of the inputs", inputs.hexdigest()[:16], "SHA-256 over paths and digests of the runs"),
        FactView("Digest of the settings", settings.hexdigest()[:16]),
        *(FactView(name, version) for name, version in _library_versions()),
    )


def _library_versions() -> Iterator[tuple[str, str]]:
    """The libraries whose version can change a byte of the site."""
    for name in ("altair", "jinja2", "markdown-it-py", "mdit-py-plugins", "nh3", "vl-convert-python"):
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "not installed"


def _static_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The user's own files (CNAME, favicon.ico, ...), which go to the top of the site.

    Raises: ConfigError when there is no such folder.
    """
    if not folder.is_dir():
        raise ConfigError(f"static: {folder} is no folder.")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _nothing_to_read(surveyed: Survey) -> str:
    skipped = sum(problem.verdict is Verdict.SKIP for problem in surveyed.problems)
    return (
        f"no readable run: {skipped} files could not be read and {len(surveyed.ignored)} are no runs; "
        "`sitegen check` lists them"
    )
