"""The pipeline: collect the facts of all runs, make the files of the site, publish them whole.

A newcomer reads `build_site` first. Facts go forward only: no page changes them. Each file of the site
is a `publish.files.File`; the `Stream` takes it over from an earlier build, or has it made, scanned and staged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from sitegen.cache.memory import Memory
from sitegen.cache.seal import doubt_about_key
from sitegen.charts import converter
from sitegen.charts.kept import keep_charts, recall_charts
from sitegen.config import Config
from sitegen.errors import PublishError
from sitegen.inputs.survey import TRANSIENT_CODES, Progress, Survey
from sitegen.masking.redact import Redactor
from sitegen.model import Entry
from sitegen.numbers.baseline import Delta
from sitegen.numbers.gates import GateResult
from sitegen.numbers.pricing import Checks
from sitegen.numbers.statistics import CampaignSummary
from sitegen.outcomes.collect import collect, why_empty
from sitegen.outcomes.over_time import baseline_of, over_time
from sitegen.pages.charts import card_picture, draw_charts
from sitegen.pages.files import ROWS, TEMPLATES_ABOUT_CHARTS, finish_data, pages_about_charts, pages_of_several
from sitegen.pages.report import analyse
from sitegen.pages.run.pages import RunPages
from sitegen.pages.site import Site
from sitegen.pages.table.run_table import RunTable
from sitegen.publish import Published
from sitegen.publish.sentences import too_large
from sitegen.publish.stream import Stream
from sitegen.publish.targets import target_of
from sitegen.workers import ALONE, Workers

MAX_RUNS_FOR_BACKGROUND_CHARTS = 20_000
"""Of more runs, charts and data files are made after the pages: another process that goes through all facts copies
their memory."""

MAX_RUNS_WITH_KEPT_PAGES = 20_000
"""Of a site with more runs, the memory keeps no pages: they would take more than 100 MB."""


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
    deltas: tuple[Delta, ...] = ()
    """Against the baseline."""


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

    With `strict`, a secret that is found in a finished page stops it, also where it could be withheld. The folder
    `cache` keeps what makes the next build faster; without one nothing is kept.
    Raises: ConfigError, RefusedOutput, PublishError; the old site is then untouched.
    """
    return build_site(Site.of(config, redactor, is_strict=strict), progress, on_wait, workers=workers, cache=cache)


def build_site(
    site: Site,
    progress: Progress,
    on_wait: Callable[[str], None],
    *,
    workers: Workers = ALONE,
    cache: Path | None = None,
    into: Path | None = None,
) -> Built:
    """The same for a site that is ready, and may be built several times: to the output of its settings, or to the
    folder `into`. Raises: as `build`."""
    memory = Memory(cache, Path(site.config.output), site.digest)
    with (
        converter.running(),
        target_of(site.config, into, on_wait) as target,
        closing(memory),  # before others may publish: who waited for this build wants it
    ):
        facts = collect(site.config, site.redactor, progress, workers, memory)
        if not facts.entries:
            raise PublishError(why_empty(facts))
        campaigns, before = over_time(site.config, facts, site.redactor), baseline_of(site.config, site.redactor)
        entries, is_packing = facts.entries, memory.is_open and len(facts.entries) <= MAX_RUNS_WITH_KEPT_PAGES
        checks = Checks(site.prices, ((entry.id, entry.run) for entry in entries))
        digests = _digests((*entries, *facts.unplaced), memory)
        stream = Stream(target, memory, site.scan, workers, is_packing=is_packing)
        background = workers if len(entries) <= MAX_RUNS_FOR_BACKGROUND_CHARTS else ALONE
        if background is ALONE:
            converter.stop()  # until it is wanted it would only take memory
        draw = partial(
            draw_charts, entries, checks, site.prices, site.colors(entries), site.config.intervals,
            memory.stamp, recall_charts(memory), cache,
        )  # fmt: skip
        with closing(background.submit(draw, converter.stop)) as drawing:
            index, late = RunPages.of(site).write(stream, entries, digests, progress)
            report = analyse(site.config, facts.with_late(late), checks, campaigns, before)
            table = RunTable(entries, report.summary, "index", ROWS)
            finish = partial(
                finish_data, report, table, index, site.config.intervals, stream.finisher("data", "search")
            )
            with closing(background.submit(finish)) as finishing:
                stream.write_all(pages_of_several(site, report, table, digests, stream.key))
                site.renderer.compile(TEMPLATES_ABOUT_CHARTS)
                rows, finished = finishing.result()
            stream.record(finished)
            drawn = drawing.result()
        card = card_picture(site.config, report, site.scan)
        stream.write_all(pages_about_charts(site, report, drawn, table, rows))
        addressed = site.files_for_address(stream.written, card, report.followed)
        stream.write_all(chain(addressed, site.assets(entries, drawn, rows.numbers)))
        keep_charts(memory, drawn.charts.to_keep)
        published = target.commit()
        memory.keep_all()
        without = [*filter(None, (drawn.charts.problem, site.obstacle_to(card)))]
        remarks = (*report.survey.remarks, *report.compared.remarks, *without, *stream.remarks(), *too_large(published))
        remarks += (doubt,) if cache and (doubt := doubt_about_key()) else ()
        is_lost = any(problem.code in TRANSIENT_CODES for problem in report.survey.problems)
        for_now = is_lost or not stream.is_lasting or without or published.left
        return Built(report.survey, report.summary, report.gates, published, remarks, not for_now, report.deltas)


def _digests(entries: Sequence[Entry], memory: Memory) -> dict[str, bytes]:
    """Of all that is known of each run, by page id."""
    if not memory.is_open:
        return dict.fromkeys((entry.id for entry in entries), b"")
    # Whether redaction changed it is for this build to know, and is not kept.
    return {entry.id: memory.stamp(replace(entry, is_untouched=False)) for entry in entries}
