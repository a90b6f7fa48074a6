"""The pipeline: collect what is known of the runs, make the pages, look at them once more, publish.

A newcomer reads `build` first. Every stage takes values and returns values; `Publication` writes the site, and `Memory`
what the next build may use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from sitegen import __version__, figures, interrupts, readers
from sitegen.cache.memory import MOST_VALUE_BYTES, NO_MEMORY, Kind, Memory
from sitegen.cache.seal import doubt_about_key
from sitegen.cache.unchanged import environment
from sitegen.charts import charts, converter
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.html import markdown, theme
from sitegen.html.render import Page, Renderer, SiteView
from sitegen.html.theme import Theme
from sitegen.inputs.survey import TRANSIENT_CODES, Progress, Survey
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import ENVIRONMENT, Redactor
from sitegen.model import Caveat, Entry
from sitegen.names import run_path
from sitegen.numbers.gates import GateResult
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import CampaignSummary
from sitegen.outcomes.collect import look
from sitegen.pages import compare, data, site_files
from sitegen.pages.about import about_page, built_from
from sitegen.pages.charts import CARD, CHART_DATA, Drawn, card_picture, draw_charts
from sitegen.pages.group import groups
from sitegen.pages.index import index_page, index_view
from sitegen.pages.problems import problems_page
from sitegen.pages.report import Report, analyse
from sitegen.pages.run.pages import FOLDER, PAGE, MadePage, RunPages, are_transient
from sitegen.pages.search import SearchIndex
from sitegen.pages.sessions import session_pages
from sitegen.pages.table.run_table import RunTable, TableScripts, TableView, table_pages, table_path
from sitegen.pages.views import FactView
from sitegen.places import MANIFEST
from sitegen.publish import Publication, Published, Signature
from sitegen.publish.output import Output
from sitegen.publish.own_files import own_files
from sitegen.workers import ALONE, Workers

MODEL_STYLES = "assets/models.css"
LICENSES = "assets/licenses.txt"
ROWS = "data/rows"
"""Where the rows of the table of all runs are, without their endings."""

MAX_RUNS_FOR_BACKGROUND_CHARTS = 20_000
"""Of more runs, charts are drawn after the pages: another process that goes through all facts copies their memory."""

MOST_PACKED = 20_000
"""Of a site with more runs, the memory keeps no pages: they would take more than 100 MB."""

MOST_MEGABYTES, MOST_FILES = 800, 50_000
"""GitHub Pages ends at a gigabyte, and at ten minutes for bringing it there."""

_SITE = Kind[dict[str, Signature]]("site", dict[str, Signature], most_bytes=MOST_VALUE_BYTES)
"""By which signs files of the published site are known. It is believed, also where it comes from others: it says of
files that our manifest lists that they are unchanged, and whoever can change them needs no cache."""

NO_CACHE = "What the cache held could not be used, so all was made anew."
NO_CARD = "Links to the site are shown without a picture because vl-convert could not draw it: {}."


@dataclass(frozen=True, slots=True)
class Built:
    """What a build came to."""

    survey: Survey
    summary: CampaignSummary
    gates: tuple[GateResult, ...]
    published: Published
    warnings: tuple[str, ...]
    """Sentences about the build itself, such as a missing library."""
    can_be_repeated: bool
    """Whether another build of the same files would come to the same."""


def build(
    config: Config,
    redactor: Redactor,
    progress: Progress,
    on_wait: Callable[[str], None],
    *,
    workers: Workers = ALONE,
    strict: bool = False,
    cache: Path | None = None,
) -> Built:
    """Build the site that `config` describes and publish it whole.

    With `strict`, a secret that is found in a finished page stops it, also where it could be withheld. In the folder
    `cache` is kept what spares the next build work; without one nothing is kept. A build that fails and has used some
    of it is begun again without, since others may have put it there.
    Raises: ConfigError, RefusedOutput, PublishError; the old site is then untouched.
    """
    style = theme.load(config.theme)
    settings = _settings_of(config, redactor, style, strict=strict) if cache else b""
    memory = Memory(cache, Path(config.output), settings)
    make = partial(_made_and_published, config, redactor, progress, on_wait, workers, strict=strict, style=style)
    doubt = doubt_about_key() if cache else None
    try:
        built = make(memory, cache)
        return replace(built, warnings=(*built.warnings, doubt)) if doubt else built
    except (ConfigError, RefusedOutput):
        raise
    except Exception as error:
        if not memory.has_given or interrupts.received or isinstance(error.__cause__, OSError):
            raise
    built = make(NO_MEMORY, cache)
    memory.remove()
    return replace(built, warnings=(*built.warnings, NO_CACHE))


def _made_and_published(
    config: Config,
    redactor: Redactor,
    progress: Progress,
    on_wait: Callable[[str], None],
    workers: Workers,
    memory: Memory,
    cache: Path | None,
    *,
    strict: bool,
    style: Theme,
) -> Built:
    """The same, with what the memory knows. Raises: as `build`."""
    prices = PriceTable.load({name: price.model_dump() for name, price in config.prices.items()})
    own = own_files(config)
    site = _site_view(config, style)
    renderer = Renderer(style, site)
    renderer.compile_own()  # faults of a theme show before any run is read
    roots = [Path(given.path) for given in config.inputs]
    with (
        converter.running(),
        Publication(
            Path(config.output),
            inputs=roots,
            on_wait=on_wait,
            known=lambda: memory.recall(_SITE, "", _stamp_of_site(config, memory)) or {},
        ) as publication,
        closing(memory),  # before others may publish: who waited for this build wants it
    ):
        surveyed = look(config, redactor, progress, workers, memory)
        if not surveyed.entries:
            raise PublishError(_nothing_to_read(surveyed))
        checks = {entry.id: prices.check(entry.run) for entry in surveyed.entries}
        final = FinalScan.of(redactor, _own_texts(config), is_strict=strict)
        is_packing = memory.is_open and len(surveyed.entries) <= MOST_PACKED
        output = Output(publication, memory, final, renderer, is_packing=is_packing)

        # Pages of runs come first: making one may show that its file has changed, which is a problem that gates count.
        make = RunPages(
            surveyed.entries, checks, renderer, redactor, final, config.limits.bounds(), publication.stage, is_packing
        )
        publication.make_folder(FOLDER)
        style_of_models = site_files.model_styles(surveyed.entries)
        colors = (style.assets[style.asset_paths["site.css"]] + style_of_models).decode()
        layouts, drawings = memory.recall_all(charts.LAYOUT), memory.recall_all(charts.DRAWING)
        draw = partial(draw_charts, surveyed.entries, checks, colors, memory.stamp, {**layouts, **drawings}, cache)
        if in_background := len(surveyed.entries) <= MAX_RUNS_FOR_BACKGROUND_CHARTS:
            run_in_background = workers.in_background
        else:
            converter.stop()  # until it is wanted it would only take memory
            run_in_background = ALONE.in_background
        with run_in_background(draw, recover=converter.stop) as drawing:
            digests = _digests(surveyed.entries, memory)
            index, late = _write_run_pages(make, digests, output, workers, progress)
            found = analyse(config, surveyed.with_late(late), checks)
            table = RunTable(found.survey.entries, found.summary, "index", ROWS)
            make_data = partial(_data_files, found, table, index, at_once=in_background)
            with run_in_background(make_data) as data_files:
                _write_pages_of_several(output, found, table, digests)
                made_from = built_from(config, found.survey, own, style)
                renderer.compile(_TEMPLATES_ABOUT_CHARTS)
                made_data = data_files()
            _write_data(output, made_data)
            drawn = drawing()

        picture = card_picture(config, found, final)
        shown = {"site": replace(site, vega=next(iter(drawn.bundle), None))}
        for page in _pages_about_charts(config, found, drawn, prices, table.page(0, made_data.rows), made_from):
            output.write(page.path, renderer.render(page, shown))
        for_address = _for_address(config, renderer, output.written, picture)
        of_runs = {**made_data.rows.files, MODEL_STYLES: style_of_models, **drawn.files, **for_address}
        _write_assets(output, of_runs, style, drawn.bundle, own)
        published = _commit(config, publication, output, drawn.charts)
        no_card = NO_CARD.format(converter.obstacle()) if config.site_url and picture is None else None
        return _built(found, [drawn.charts.problem, no_card], final, late, published)


def _built(
    found: Report,
    missing: Sequence[str | None],
    final: FinalScan,
    late: Mapping[str, Sequence[Caveat]],
    published: Published,
) -> Built:
    """What a build came to; `missing` says what it could not make."""
    survey, without = found.survey, [*filter(None, missing)]
    warnings = (*survey.remarks, *found.compared.remarks, *without, *final.remarks(), *_too_large(published))
    lost = any(problem.code in TRANSIENT_CODES for problem in survey.problems)
    lost |= are_transient(doubt for several in late.values() for doubt in several)
    for_now = lost or without or published.left
    return Built(survey, found.summary, found.gates, published, warnings, can_be_repeated=not for_now)


def _stamp_of_site(config: Config, memory: Memory) -> bytes | None:
    """A digest over what the published site says that it holds."""
    try:
        return memory.stamp(hashlib.blake2b(Path(config.output, MANIFEST).read_bytes()).digest())
    except OSError:
        return None


def _digests(entries: Sequence[Entry], memory: Memory) -> dict[str, bytes]:
    """Of all that is known of each run, by page id."""
    if not memory.is_open:
        return dict.fromkeys((entry.id for entry in entries), b"")
    # Whether redaction changed it is for this build to know, and is not kept.
    return {entry.id: memory.stamp(replace(entry, is_untouched=False)) for entry in entries}


def _run_pages(
    make: RunPages, digests: Mapping[str, bytes], output: Output, workers: Workers
) -> Generator[MadePage, None, None]:
    """The page of each run, staged: where it shows the same as before, taken over from the published site or, where
    that is gone, from the memory; else made."""
    memory = output.memory
    paths = [run_path(entry.id) for entry in make.entries]
    stamps = [
        make.stamp(position, memory, digests[entry.id]) if memory.is_open else b""
        for position, entry in enumerate(make.entries)
    ]
    known_by = memory.stamps(PAGE)
    stale = {
        position
        for position, (path, stamp) in enumerate(zip(paths, stamps, strict=True))
        if known_by.get(path) != stamp or not (make.is_packing or output.publication.has(PurePosixPath(path)))
    }
    del known_by  # of many runs it is large
    with closing(workers.map(make, sorted(stale), make.without_texts)) as made:
        for position, (path, stamp) in enumerate(zip(paths, stamps, strict=True)):
            known = None if position in stale else memory.recall(PAGE, path, stamp)
            is_of_run = known and known.document.shown[0] == make.entries[position].id
            if known and is_of_run and output.take_over(path, known.file):
                yield known
                continue
            page = next(made) if position in stale else make([position])[0]
            output.record(path, page.file)
            if not are_transient(page.late):
                memory.keep(PAGE, path, stamp, page)
            yield page


def _write_run_pages(
    make: RunPages, digests: Mapping[str, bytes], output: Output, workers: Workers, progress: Progress
) -> tuple[SearchIndex, dict[str, tuple[Caveat, ...]]]:
    """Publish the page of each run and what the search shows of it. Returns the index of their words, and what showed
    only when their pages were made, by page id.

    Raises: PublishError, ConfigError.
    """
    index, late = SearchIndex(), dict[str, tuple[Caveat, ...]]()
    with closing(_run_pages(make, digests, output, workers)) as made:
        for entry, page in zip(progress("Rendering", make.entries), made, strict=True):
            for texts in index.add(page.document):
                output.write_all(texts.path, texts.digest, [texts.path], texts.files)
            if page.late:
                late[entry.id] = page.late
    for texts in index.close_texts():
        output.write_all(texts.path, texts.digest, [texts.path], texts.files)
    return index, late


def _settings_of(config: Config, redactor: Redactor, style: Theme, *, strict: bool) -> bytes:
    """All that every page depends on besides its run. The program, and with it the installed readers, counts by its
    content, which a job of CI that installs it anew does not change."""
    program = [each for place in (Path(__file__).parent, *readers.places()) for each in _digests_of_files(place)]
    theme_digests = [(name, hashlib.sha256(text.encode()).digest()) for name, text in sorted(style.templates.items())]
    masking = redactor.homes, [each for each in redactor.literals if each[1] != ENVIRONMENT]
    values = (config.model_dump_json(), masking, _site_view(config, style), theme_digests, strict)
    return repr((program, environment(), values)).encode("utf-8", "replace")


def _digests_of_files(place: Path) -> list[tuple[str, bytes]]:
    """Of a module, or of all files of a package: the path below it, and a digest of the content."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return [
        (str(path.relative_to(place)), hashlib.sha256(path.read_bytes()).digest())
        for path in (files if place.is_dir() else [place])
    ]


def _too_large(published: Published) -> Iterator[str]:
    """What a host of pages may refuse."""
    if published.size > MOST_MEGABYTES * 1_000_000 or published.files > MOST_FILES:
        size = f"{figures.count(published.files)} files, {published.size / 1e6:,.0f} MB"
        yield (
            f"The site is large: {size}. GitHub Pages takes 1,000 MB and ten minutes; "
            "publish it elsewhere, or make several of it."
        )


def _own_texts(config: Config) -> Iterator[str]:
    """What the settings themselves say on the pages."""
    yield from (config.title, config.description, config.site_url or "", *config.redact.off.values())
    yield from (*config.tasks.values(), *config.models.values())


def _write_pages_of_several(output: Output, found: Report, table: RunTable, digests: Mapping[str, bytes]) -> None:
    """Publish the pages that show several runs and no chart; `digests` are of all that is known of each, by page id.

    Raises: PublishError, ConfigError.
    """
    entries, problems, masked = found.survey.entries, found.survey.problems, found.survey.masked
    for position in range(1, table.page_count):
        made_from = table.frame, [digests[run.id] for run in table.runs(position)]
        paths = [table_path("index", position)]
        output.write_all(f"{ROWS} {position}", made_from, paths, partial(table_pages, table, [position]))
    for group in groups(entries):
        made_from = group.is_part, [digests[run.id] for run in group.runs]
        output.write_all(group.base, made_from, group.paths(), group.files)
    ignored, remarks = len(found.survey.ignored), found.survey.remarks
    for page in (
        *compare.compare_pages(found.compared),
        *session_pages(entries),
        site_files.search_page(),
        problems_page(entries, problems, found.checks, ignored, remarks, masked),
    ):
        output.write_page(page)


@dataclass(frozen=True, slots=True)
class _DataFiles:
    """What can be made of all runs beside the pages that show several of them; files by their paths."""

    files: Iterable[tuple[str, bytes]]
    """For programs."""
    words: Iterable[tuple[str, bytes]]
    """Of the search index."""
    rows: TableScripts


def _data_files(found: Report, table: RunTable, index: SearchIndex, *, at_once: bool) -> _DataFiles:
    """The data files: all `at_once`, to be sent, or each when it is asked for, since together they are large."""
    files, words = _files(found), index.finish()
    return _DataFiles(tuple(files) if at_once else files, tuple(words) if at_once else words, table.scripts())


def _write_data(output: Output, made: _DataFiles) -> None:
    """Publish the data files and the words of the search. Raises: PublishError."""
    for path, content in made.files:
        output.write(path, content)
    for path, content in made.words:
        output.write(path, content, holds_runs=False)  # single words of masked texts, and numbers


def _files(found: Report) -> Iterator[tuple[str, bytes]]:
    for path, written in (("data/runs.json", data.runs_json), ("data/runs.csv", data.runs_csv)):
        yield path, written(data.row(entry, found.checks[entry.id]) for entry in found.survey.entries)
    yield "data/problems.json", data.problems_json(found.survey.problems, found.survey.masked)


_TEMPLATES_ABOUT_CHARTS = [
    f"{name}.html.jinja" for name in ("base", "_macros", "_chart", "_matrix", "_runs", "index", "about")
]
"""Of the pages that wait for the charts, with all that they are made of."""


def _pages_about_charts(
    config: Config,
    found: Report,
    drawn: Drawn,
    prices: PriceTable,
    table: TableView,
    made: tuple[FactView, ...],
) -> Iterator[Page]:
    """The index, and the page that says where the scripts of live charts come from."""
    index = index_view(
        found.survey.entries,
        found.survey.problems,
        found.summary,
        table,
        lead=markdown.render(config.description, is_own=True) if config.description else None,
        gates=found.gates,
        charts=drawn.charts,
        chart_data=CHART_DATA,
        files=found.survey.files,
    )
    yield index_page(config.title, found.summary, index)
    yield about_page(
        prices,
        made,
        LICENSES if drawn.bundle else None,
        is_judged=any(entry.outcome for entry in found.survey.entries),
        shown=config.redact.off,
        also_masked=config.redact.also,
    )


def _for_address(config: Config, renderer: Renderer, written: Sequence[str], picture: bytes | None) -> dict[str, bytes]:
    """What a site gains by knowing its address; `written` is every path so far."""
    if config.site_url is None:
        return {}
    files = {
        # A server shows it in place of any page, however deep.
        site_files.NOT_FOUND_PATH: renderer.render(site_files.not_found_page(), {"root": config.site_url}),
        "sitemap.xml": site_files.sitemap(config.site_url, [path for path in written if path.endswith(".html")]),
    }
    return files | ({CARD: picture} if picture else {})


def _write_assets(
    output: Output,
    of_runs: Mapping[str, bytes],
    style: Theme,
    bundle: Mapping[str, bytes],
    own_files: Mapping[str, bytes],
) -> None:
    """Publish what pages load: what comes `of_runs`, after the last look, and as they are the files of the theme, the
    JavaScript of live charts and the user's own files, which stand in place of any other. Raises: PublishError.
    """
    as_they_are = {**style.assets, **bundle, **({LICENSES: style.licenses} if bundle else {}), **own_files}
    for path, content in {**of_runs, **as_they_are}.items():
        output.write(path, content, holds_runs=path not in as_they_are)


def _commit(config: Config, publication: Publication, output: Output, drawn: charts.Charts) -> Published:
    """Publish, and keep what spares the next build work. Raises: PublishError."""
    memory = output.memory
    for name, stamp, value in drawn.to_keep:
        if isinstance(value, charts.LaidOut):
            memory.keep(charts.LAYOUT, name, stamp, value)
        else:
            memory.keep(charts.DRAWING, name, stamp, value)
    published = publication.commit()
    if memory.is_open:
        memory.keep(_SITE, "", _stamp_of_site(config, memory), publication.signatures())
    memory.keep_all()
    return published


def _site_view(config: Config, style: Theme) -> SiteView:
    """What every page knows, before anything is drawn."""
    return SiteView(
        title=config.title,
        language=config.language,
        version=__version__,
        stylesheet=style.asset_paths["site.css"],
        script=style.asset_paths["site.js"],
        chart_script=style.asset_paths["charts.js"],
        run_script=style.asset_paths["run.js"],
        table_script=style.asset_paths["table.js"],
        search_script=style.asset_paths["search.js"],
        vega=None,
        url=config.site_url,
        card=CARD if config.site_url and converter.is_installed() else None,
        logo=style.logo,
    )


def _nothing_to_read(surveyed: Survey) -> str:
    skipped = [problem for problem in surveyed.problems if problem.is_skipped_file]
    if len(skipped) == 1:
        return f"no runs found: {skipped[0].path}: {skipped[0].reason}"
    ignored = len(surveyed.ignored)
    why = [f"{figures.count(len(skipped))} files could not be read"] if skipped else []
    if ignored:
        were, none = ("was", "it is not") if ignored == 1 else ("were", "none is")
        why.append(f"{figures.plural(ignored, 'file')} {were} ignored, as {none} output of `claude -p`")
    listed = "`sitegen check` lists " + ("it" if len(skipped) + ignored == 1 else "them")
    return f"no runs found: {' and '.join(why)}; {listed}" if why else "no runs found: there are no files in the inputs"
