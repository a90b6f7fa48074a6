"""`sitegen export`: the data of the runs in one file, without a site."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.options import EXIT_NOT_PUBLISHED
from sitegen.cli.terminal import Progress, fail, mask_with, say, say_settings

FORMATS = ("csv", "json", "markdown", "latex", "sqlite", "parquet")
_ENDINGS = {f".{form}": form for form in FORMATS}
_ENDINGS |= {".md": "markdown", ".tex": "latex", ".db": "sqlite", ".sqlite3": "sqlite"}


@click.command(short_help="Write the data of the runs into one file.")
@options.runs
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Format of the file. Default: by the ending of its name."
)
@click.option(
    "-o", "--output", type=options.LocalFile(path_type=Path), required=True, metavar="FILE", help="Where it goes."
)
@click.option("--replace", is_flag=True, help="Replace FILE if it exists.")
@options.config
@options.no_config
@options.quiet
@options.verbose_faults
def export(
    runs: tuple[str, ...],
    form: str | None,
    output: Path,
    replace: bool,
    config_path: Path | None,
    no_config: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write the data of RUNS into one file: masked as a site is, one row for each run."""

    def command() -> int:
        from sitegen import figures
        from sitegen.cli import settings as settings_file
        from sitegen.cli.export.formats import exported
        from sitegen.cli.export.writing import refuse, write_whole
        from sitegen.errors import ConfigError
        from sitegen.masking.redact import Redactor
        from sitegen.outcomes.collect import collect, why_empty
        from sitegen.workers import Processes, cores

        chosen = form or _ENDINGS.get(output.suffix.lower())
        if chosen is None:
            raise ConfigError(f"-o {output}: this name does not say the format. Add --format: {', '.join(FORMATS)}.")
        settings_path, config, only = settings_file.choose(config_path, runs, str(output), without=no_config)
        read = map(Path, [*config.paths_of_runs, *config.paths_of_outcomes])
        refuse(output, list(read), may_replace=replace)
        redactor = mask_with(Redactor.for_this_machine(config.redact))
        if not quiet:
            say_settings(settings_path, only)
        survey = collect(config, redactor, Progress(quiet=quiet), Processes(cores()))
        if not survey.entries:
            return fail(f"sitegen: {why_empty(survey)}", EXIT_NOT_PUBLISHED)
        write_whole(output, exported(chosen, survey, config, redactor))
        if not quiet:
            problems = figures.plural(len(survey.problems), "problem")
            say(f"{figures.plural(len(survey.entries), 'run')} in {output}; {problems}, which `sitegen check` lists")
        return 0

    running.run(command, verbose)
