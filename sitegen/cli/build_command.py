"""`sitegen build`: the site, its report and its summary."""

from __future__ import annotations

import gc
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli import options, running
from sitegen.cli.options import EXIT_CODES, EXIT_GATE, EXIT_PROBLEMS
from sitegen.cli.running import Call
from sitegen.cli.terminal import Progress, terminal
from sitegen.errors import ConfigError
from sitegen.system.system_limits import why_not_written

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.config import Config
    from sitegen.system.workers import Workers


GC_THRESHOLDS = (50_000, 50, 100)
"""Texts make few cycles and many objects; by the usual thresholds a tenth of a build is spent looking for cycles."""


def _name_replacement(_: click.Context, __: click.Parameter, file: str | None) -> None:
    """Refuse an option that was removed. Raises: UsageError."""
    if file:
        raise click.UsageError(f"--single-file and --zip were removed: write `-o {file}`.")


@click.command(epilog=EXIT_CODES, short_help="Write the site from result files.")
@options.folder(
    help="Where the site goes: a folder, or one file whose name ends in .html or .zip. Default: site."
)
@click.option("--single-file", "--zip", hidden=True, expose_value=False, callback=_name_replacement)
@click.option(
    "--live-charts",
    is_flag=True,
    help="Interactive charts in the one HTML file, which is then about 1 MB larger.",
)
@click.option(
    "--index-only", is_flag=True, help="Only the index in the one HTML file, as for a mail."
)
@options.settings
@click.option(
    "--history",
    "history_path",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Add this campaign to those in FILE: data/history.jsonl of the last site. FILE may not exist yet.",
)
@options.campaign
@options.days
@click.option(
    "--summary",
    "summary_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also append the figures to FILE as short Markdown, for the summary of a CI step.",
)
@options.jobs
@click.option(
    "--engine",
    type=click.Choice(["processes", "dask"]),
    default="processes",
    help="Do the work in processes on this machine or on a Dask cluster.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="A Dask scheduler, such as tcp://host:8786. Default: Dask on this machine.",
)
@options.cache
@options.steps
@options.strict
@options.as_json
@options.verbose(help="Verbose: print full lists.")
@options.quiet
@running.about_runs
def build(call: Call, summary_path: Path | None, engine: str, scheduler: str | None) -> int:
    """Build the site from RUNS: files, folders, glob patterns and addresses.

    RUNS override `inputs` and `campaigns`; all other settings still apply.
    """

    from sitegen.build import build_site
    from sitegen.cli import settings as settings_file
    from sitegen.cli.command_output import gates_missed, of_build, report_build
    from sitegen.pages.site import Site

    chosen = settings_file.of_call(call)
    config = chosen.config
    if summary_path is not None:
        settings_file.refuse_summary(summary_path, config, chosen.path)
    redactor = settings_file.announce(chosen, call)
    _keep_loaded()
    site = Site.of(config, redactor, is_strict=call.strict)
    progress = Progress(quiet=call.quiet)
    with _workers(engine, scheduler, call.jobs) as workers:
        built = build_site(site, progress, terminal.say_waiting, workers=workers, cache=call.cache)
    running.is_published = True
    if call.answer is not None:
        call.answer.set(of_build(built), config.output)
    if not call.quiet:
        report_build(built, config, verbose=call.verbose)
    code = running.apply_strict(call, built.findings)
    if summary_path is not None:
        code = _write_summary(summary_path, built, config) or code
    return gates_missed(built.findings, EXIT_GATE) or code


def _keep_loaded() -> None:
    """Spare the collector of garbage what stays."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _workers(
    engine: str, scheduler: str | None, jobs: int | None
) -> AbstractContextManager[Workers]:
    """Return what does the work. Raises: ConfigError."""
    from sitegen.system.workers import Processes, cores

    if engine == "dask":
        from sitegen.system.workers.dask_engine import Dask

        return Dask(scheduler, jobs or cores())
    if scheduler is not None:
        raise ConfigError("--scheduler needs --engine dask.")
    return nullcontext(Processes(jobs or cores()))


def _write_summary(path: Path, built: Built, config: Config) -> int:
    """Append the short report; the exit code is not 0 when that cannot be done. A file that CI shows as the summary
    of a step is one for all steps, and may hold what others have written."""
    from sitegen.cli.step_summary import summary_of

    text = summary_of(built.report, built.findings, config)
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(("\n\n" if os.fstat(file.fileno()).st_size else "") + text)
    except OSError as error:
        why = f"the summary could not be written to {path}: {why_not_written(error)}"
        return terminal.fail(f"sitegen: the site is written, but {why}", EXIT_PROBLEMS)
    return 0
