"""`sitegen build`: the site, its report and its summary."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cache.unchanged import Input, Watch
from sitegen.cli import options, running
from sitegen.cli.options import CONFIG_NAME, EXIT_CODES, EXIT_GATE, EXIT_PROBLEMS
from sitegen.cli.running import Answer
from sitegen.cli.terminal import Progress, terminal
from sitegen.errors import ConfigError
from sitegen.places import cache_folder
from sitegen.system_limits import why_not_written

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.config import Config
    from sitegen.workers import Workers


GC_THRESHOLDS = (50_000, 50, 100)
"""Texts make few cycles and many objects; by the usual thresholds a tenth of a build is spent looking for cycles."""


@click.command(epilog=EXIT_CODES, short_help="Write the site from result files.")
@options.runs
@options.output
@options.archive
@options.single_file
@options.live_charts
@options.index_only
@options.config
@options.no_config
@options.history
@options.campaign
@options.day
@options.since
@options.until
@options.summary
@options.jobs
@options.engine
@options.scheduler
@options.cache_dir
@options.no_cache
@options.steps
@options.strict
@options.as_json
@options.verbose
@options.quiet
@running.exits
def build(  # noqa: PLR0913 -- click passes each option
    runs: tuple[str, ...],
    output: str | None,
    archive: str | None,
    single_file: str | None,
    live_charts: bool,
    index_only: bool,
    config_path: Path | None,
    no_config: bool,
    history_path: str | None,
    campaign_name: str | None,
    day: str | None,
    since: str | None,
    until: str | None,
    summary_path: Path | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    cache_dir: str | None,
    no_cache: bool,
    steps: str | None,
    strict: bool,
    answer: Answer | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Build the site from RUNS: files, folders, glob patterns and addresses.

    RUNS override `inputs` and `campaigns`; all other settings still apply.
    """

    from sitegen.build import build_site
    from sitegen.cli import settings as settings_file
    from sitegen.cli.report import gates_missed, of_build, report
    from sitegen.masking.redact import Redactor
    from sitegen.model import Level
    from sitegen.pages.site import Site

    terminal.said.clear()
    chosen = settings_file.chosen_output(output, archive, single_file)
    settings_path, config, only = settings_file.choose(config_path, runs, chosen, without=no_config)
    if steps is not None:
        config = config.with_level(Level(steps))
    if history_path is not None:
        config = settings_file.with_history(config, history_path)
    config = config.with_campaign(campaign_name, day).with_days(since, until)
    config = settings_file.with_one_file(config, *(["live_charts"] * live_charts), *(["index_only"] * index_only))
    if summary_path is not None:
        settings_file.refuse_summary(summary_path, config, settings_path)
    cache = None if no_cache else cache_dir or cache_folder()
    watch = None
    if cache is not None and answer is None and not since and not until:  # days pass
        watch = _watch(config, None if no_config else config_path or Path(CONFIG_NAME), cache)
    redactor = terminal.mask_with(Redactor.for_this_machine(config.redact))
    if not quiet:
        terminal.say_settings(settings_path, only)
    gc.freeze()  # what is loaded stays
    gc.set_threshold(*GC_THRESHOLDS)
    with _workers(engine, scheduler, jobs) as workers:
        built = build_site(
            Site.of(config, redactor, is_strict=strict), Progress(quiet=quiet), terminal.say_waiting, workers=workers,
            cache=None if cache is None else Path(cache),
        )  # fmt: skip
    running.is_published = True
    if answer is not None:
        answer.values, answer.output = of_build(built), config.output
    if not quiet:
        report(built, config, verbose=verbose)
    found, code = built.report, 0
    if strict:
        masked = sum(each.count for each in found.facts.masked)
        code = running.strictly(problems=len(found.problems), warnings=len(built.warnings), masked=masked)
    if summary_path is not None:
        code = _write_summary(summary_path, built, config) or code
    code = gates_missed(built.report.gates, EXIT_GATE) or code
    if watch and summary_path is None and built.can_be_repeated:
        watch.remember(terminal.said, code, quiet=quiet)
    return code


def _workers(engine: str, scheduler: str | None, jobs: int | None) -> AbstractContextManager[Workers]:
    """Return what does the work. Raises: ConfigError."""
    from sitegen.workers import Processes, cores

    if engine == "dask":
        from sitegen.workers.dask_engine import Dask

        return Dask(scheduler, jobs or cores())
    if scheduler is not None:
        raise ConfigError("--scheduler needs --engine dask.")
    return nullcontext(Processes(jobs or cores()))


def _watch(config: Config, settings_path: Path | None, cache: str) -> Watch | None:
    """Return what will know whether anything has changed since this build; None where that cannot be looked at."""
    from sitegen import readers

    paths = watched(config, settings_path)
    paths += [(str(place), "runs" if place.is_dir() else "alone") for place in readers.places()]
    try:
        return Watch(sys.argv[1:], paths, config.output, cache)
    except OSError:  # the build says it better
        return None


def watched(config: Config, settings_path: Path | None) -> list[Input]:
    """Return what a site of these settings is made from. `settings_path` may lead to nothing: settings that appear
    there later are a change."""
    paths = [(path, "runs") for path in config.paths_of_runs] + [(path, "alone") for path in config.paths_of_outcomes]
    past = [config.baseline] if config.baseline and not config.compares_with_previous else []
    past += [config.history.path] if config.history else []
    paths += [(path, "runs" if Path(path).is_dir() else "alone") for path in past]
    paths += [(path, "all") for path in config.paths_of_looks]
    if settings_path is not None:
        paths.append((str(settings_path), "alone"))
    return paths


def _write_summary(path: Path, built: Built, config: Config) -> int:
    """Append the short report; the exit code is not 0 when that cannot be done. A file that CI shows as the summary
    of a step is one for all steps, and may hold what others have written."""
    from sitegen.cli.step_summary import summary_of

    text = summary_of(built.report, config)
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(("\n\n" if os.fstat(file.fileno()).st_size else "") + text)
    except OSError as error:
        why = f"the summary could not be written to {path}: {why_not_written(error)}"
        return terminal.fail(f"sitegen: the site is written, but {why}", EXIT_PROBLEMS)
    return 0
