"""The pipeline: collect the facts of all runs, make the files of the site, publish them whole.

A newcomer reads `build_site` first. Facts go forward only: no page changes them. Each file of the site
is a `publish.files.File`; the `FileStream` takes it over from an earlier build, or has it made, scanned and staged.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from sitegen.cache.memory import Memory
from sitegen.cache.seal import doubt_about_key
from sitegen.charts import converter
from sitegen.collect import Facts, collect, why_empty
from sitegen.errors import PublishError
from sitegen.figures import sentence_list
from sitegen.inputs.survey import ProgressReporter
from sitegen.model import Caveat
from sitegen.numbers.campaigns import CampaignFigures
from sitegen.numbers.pricing import Checks
from sitegen.outcomes.over_time import OverTime, find_campaigns
from sitegen.pages.chart_parts import draw_charts
from sitegen.pages.findings import Finding, counts_of, warnings_of
from sitegen.pages.list_findings import list_findings
from sitegen.pages.overall import Report, analyse
from sitegen.pages.programs import files_for_programs
from sitegen.pages.run.pages import RunPages
from sitegen.pages.search import SearchIndex
from sitegen.pages.site import Site
from sitegen.pages.site_files import (
    ROWS,
    pages_about_charts,
    pages_of_several,
    put_data,
    written_pages,
)
from sitegen.pages.table.run_table import RunTable
from sitegen.publish import Published
from sitegen.publish.files import FileStream, Target, target_of
from sitegen.publish.sentences import too_large
from sitegen.system.workers import ALONE, Workers

MAX_RUNS_WITH_KEPT_PAGES = 20_000
"""The number of runs above which the memory stores no pages of a site: they would take more than 100 MB."""


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build."""

    report: Report
    published: Published
    findings: tuple[
        Finding, ...
    ]  # those of the site, then those about the build itself, such as a missing library

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about settings, inputs and the build itself."""
        return warnings_of(self.findings)


def build_site(
    site: Site,
    progress: ProgressReporter,
    on_wait: Callable[[str], None],
    *,
    workers: Workers = ALONE,
    cache: Path | None = None,
    into: Path | None = None,
) -> Built:
    """Build a site and publish it whole, to the output of its settings or to the folder `into`.

    The folder `cache` keeps what makes the next build faster; without one nothing is kept. A site may be built several
    times. Raises: ConfigError, RefusedOutput, PublishError; the old site is then untouched.
    """
    memory = Memory(cache, Path(site.config.output), site.digest)
    with (
        converter.running(),
        target_of(site.config, into, on_wait) as target,
        closing(memory),  # before others may publish: who waited for this build wants it
    ):
        job = _collect(site, target, memory, workers, progress=progress, cache=cache)
        # The index of words, and the doubts about runs that showed only now, by page id.
        index, late = RunPages.of(site).write(job.stream, job.facts.entries, job.digests, progress)
        report, without = _summary_pages(job, index, late)
        return _publish(job, report, without)


@dataclass(frozen=True, slots=True)
class _Job:
    """The data that the steps of a build share."""

    site: Site
    facts: Facts
    checks: Checks
    campaigns: OverTime | None
    baseline: CampaignFigures | None
    digests: Mapping[str, bytes]  # the digests of everything that is known of each run, by page id
    target: Target
    stream: FileStream
    memory: Memory
    cache: Path | None


def _collect(
    site: Site,
    target: Target,
    memory: Memory,
    workers: Workers,
    *,
    progress: ProgressReporter,
    cache: Path | None,
) -> _Job:
    """Read the inputs. Raises: ConfigError, PublishError where there is no run."""
    config = site.config
    redactor = site.redactor
    facts = collect(config, redactor, progress, workers, memory=memory)
    if not facts.entries:
        raise PublishError(why_empty(facts))
    entries = facts.entries
    if len(entries) > MAX_RUNS_WITH_KEPT_PAGES:
        converter.stop()  # until it is wanted it would only take memory
    past, baseline = find_campaigns(config, facts, redactor)
    is_packing = memory.is_open and len(entries) <= MAX_RUNS_WITH_KEPT_PAGES
    checks = site.prices.check_all(entries)
    digests = _digests(facts, memory)
    stream = FileStream(target, memory, site.scan, workers, is_packing=is_packing)
    return _Job(site, facts, checks, past, baseline, digests, target, stream, memory, cache)


def _digests(facts: Facts, memory: Memory) -> dict[str, bytes]:
    entries = (*facts.entries, *facts.shared_transcripts)
    if not memory.is_open:
        return dict.fromkeys((entry.id for entry in entries), b"")
    # Whether redaction changed it is for this build to know, and is not kept.
    return {entry.id: memory.stamp(replace(entry, is_untouched=False)) for entry in entries}


def _summary_pages(
    job: _Job, index: SearchIndex, late: Mapping[str, tuple[Caveat, ...]]
) -> tuple[Report, Sequence[str]]:
    """Make all that shows several runs, and what the site has once. Returns what all runs come to, and sentences about
    what is missing."""
    site, stream, entries = job.site, job.stream, job.facts.entries
    report = analyse(
        site.config, job.facts, job.checks, late, over_time=job.campaigns, before=job.baseline
    )
    report = replace(report, findings=list_findings(report, site.prices))
    table = RunTable(entries, report.summary, "index", ROWS)
    stream.write_all(pages_of_several(site, report, table, job.digests, key=stream.key))
    rows = put_data(report, table, index, site.config.intervals, stream.put_unkept)
    drawn = draw_charts(
        site.config, report, site.prices, site.colors(entries), job.memory, job.cache
    )
    own = written_pages(site, report, drawn)
    stream.write_all(pages_about_charts(site, report, drawn, table, own, rows=rows))
    counted = sentence_list(counts_of(report.findings))
    addressed = site.files_for_address(stream.written, report.followed, counted)
    programs = files_for_programs(site.config, report, stream.written)
    stream.write_all(chain(addressed, programs, site.assets(entries, drawn, rows.numbers)))
    own.refuse_faults(stream.written)
    return report, [*drawn.remarks, *own.remarks()]


def _publish(job: _Job, report: Report, without: Sequence[str]) -> Built:
    """Publish all of it, and keep what the next build can use."""
    stream = job.stream
    published = job.target.commit()
    job.memory.keep_all()
    remarks = [*without, *stream.remarks()]
    remarks += too_large(published.files, published.size)
    if job.cache and not job.memory.is_open:
        folder = (
            f"Nothing is cached: the folder {job.cache} cannot be written, or is not yours alone."
        )
        remarks.append(doubt_about_key() or folder)
    of_build = (Finding("build", remark) for remark in remarks)
    return Built(report, published, (*report.findings, *of_build))
