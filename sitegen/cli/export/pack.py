"""`sitegen pack`: a campaign in one file, of which the same site can be built again."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.options import EXIT_NOT_PUBLISHED
from sitegen.cli.terminal import Progress, fail, mask_with, say, say_settings


@click.command(short_help="Put runs, outcomes and settings into one masked file.")
@options.runs
@click.option(
    "-o",
    "--output",
    type=options.LocalFile(path_type=Path),
    required=True,
    metavar="FILE.zip",
    help="Where the pack goes.",
)
@click.option("--replace", is_flag=True, help="Replace FILE.zip if it exists.")
@options.config
@options.no_config
@options.steps
@options.quiet
@options.verbose_faults
def pack(
    runs: tuple[str, ...],
    output: Path,
    replace: bool,
    config_path: Path | None,
    no_config: bool,
    steps: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Put RUNS, their outcomes and the settings into one file, masked as a site is.

    `sitegen build FILE.zip` makes the same site of it.
    """

    def command() -> int:
        from sitegen import figures
        from sitegen.cli import settings as settings_file
        from sitegen.cli.export.writing import refuse, write_whole
        from sitegen.errors import ConfigError
        from sitegen.masking.redact import Redactor
        from sitegen.model import Level
        from sitegen.outcomes.collect import collect, why_empty
        from sitegen.pages.site import Site
        from sitegen.publish.pack import pack
        from sitegen.workers import Processes, cores

        if output.suffix.lower() != ".zip":
            raise ConfigError(f"-o {output}: the name of a pack has to end in .zip.")
        settings_path, config, only = settings_file.choose(config_path, runs, None, without=no_config)
        if config.campaigns:
            raise ConfigError("A pack holds one campaign: name its runs, as in `sitegen pack runs -o campaign.zip`.")
        if steps is not None:
            config = config.with_level(Level(steps))
        read = map(Path, [*config.paths_of_runs, *config.paths_of_outcomes])
        refuse(output, list(read), may_replace=replace)
        redactor = mask_with(Redactor.for_this_machine(config.redact))
        if not quiet:
            say_settings(settings_path, only)
        config = config.model_copy(update={"output": str(output)})  # not read, should it lie among the runs
        survey = collect(config, redactor, Progress(quiet=quiet), Processes(cores()))
        if not survey.entries:
            return fail(f"sitegen: {why_empty(survey)}", EXIT_NOT_PUBLISHED)
        site = Site.of(config.model_copy(update={"output": "site"}), redactor, is_strict=False)
        write_whole(output, pack(config, survey, redactor, site.settings_digest()))
        if not quiet:
            problems = figures.plural(len(survey.problems), "problem")
            say(f"{figures.plural(len(survey.entries), 'run')} in {output}; {problems}, which `sitegen check` lists")
        return 0

    running.run(command, verbose)
