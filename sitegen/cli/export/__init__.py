"""`sitegen export`: the data of the runs in one file, without a site."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli import options, running

if TYPE_CHECKING:
    from sitegen.collect import Facts
    from sitegen.config import Config
    from sitegen.masking.redact import Redactor


# `sitegen pack`: a campaign in one file, of which the same site can be built again.


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
@options.campaign
@options.day
@options.since
@options.until
@options.quiet
@options.verbose_faults
@running.exits
def pack(  # noqa: PLR0913 -- click passes each option
    runs: tuple[str, ...],
    output: Path,
    replace: bool,
    config_path: Path | None,
    no_config: bool,
    steps: str | None,
    campaign_name: str | None,
    day: str | None,
    since: str | None,
    until: str | None,
    quiet: bool,
) -> int:
    """Put RUNS, their outcomes and the settings into one file, masked as a site is.

    `sitegen build FILE.zip` makes the same site of it.
    """

    from sitegen.cli import settings as settings_file
    from sitegen.cli.export.formats import write_runs
    from sitegen.cli.terminal import line, terminal
    from sitegen.errors import ConfigError
    from sitegen.model import Level
    from sitegen.pages.site import Site
    from sitegen.publish.pack import pack

    def packed(facts: Facts, config: Config, redactor: Redactor) -> bytes:
        if left_out := ", ".join(map(line, config.gates.apart)):
            terminal.say(f"not in {output}, since yours differ: gates of the pack on {left_out}", err=True)
        site = Site.of(config.model_copy(update={"output": "site"}), redactor, is_strict=False)
        return pack(config, facts, redactor, site.settings_digest())

    if output.suffix.lower() != ".zip":
        raise ConfigError(f"-o {output}: the name of a pack has to end in .zip.")
    chosen = settings_file.choose(config_path, runs, None, without=no_config)
    config = chosen.config
    if config.campaigns:
        raise ConfigError("A pack holds one campaign: name its runs, as in `sitegen pack runs -o campaign.zip`.")
    if steps is not None:
        config = config.with_level(Level(steps))
    config = config.with_campaign(campaign_name, day).with_days(since, until)
    config = config.model_copy(update={"output": str(output)})  # not read, should it lie among the runs
    return write_runs(output, chosen._replace(config=config), packed, may_replace=replace, quiet=quiet)


FORMATS = ("csv", "json", "markdown", "latex", "sqlite", "parquet", "every-eval-ever", "latex-macros")
_ENDINGS = {f".{form}": form for form in FORMATS[:-2]}
_ENDINGS |= {".md": "markdown", ".tex": "latex", ".db": "sqlite", ".sqlite3": "sqlite"}


@click.command(short_help="Write the data of the runs into one file.")
@options.runs
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Format of the file. Default: from the ending of its name."
)
@click.option(
    "-o", "--output", type=options.LocalFile(path_type=Path), required=True, metavar="FILE", help="Where it goes."
)
@click.option("--table", metavar="NAME", help="A table of the study instead of the runs: csv, markdown or latex.")
@click.option("--replace", is_flag=True, help="Replace FILE if it exists.")
@options.since
@options.until
@options.config
@options.no_config
@options.quiet
@options.verbose_faults
@running.exits
def export(  # noqa: PLR0913 -- click passes each option
    runs: tuple[str, ...],
    form: str | None,
    output: Path,
    table: str | None,
    replace: bool,
    since: str | None,
    until: str | None,
    config_path: Path | None,
    no_config: bool,
    quiet: bool,
) -> int:
    """Write the data of RUNS into one file: masked as a site is, one row for each run."""

    from sitegen.cli import settings as settings_file
    from sitegen.cli.export.formats import exported, write_runs
    from sitegen.errors import ConfigError

    chosen = form or _ENDINGS.get(output.suffix.lower())
    if chosen is None:
        raise ConfigError(f"-o {output}: this name does not say the format. Add --format: {', '.join(FORMATS)}.")
    settings = settings_file.choose(config_path, runs, str(output), without=no_config)
    settings = settings._replace(config=settings.config.with_days(since, until))
    return write_runs(output, settings, partial(exported, chosen, table=table), may_replace=replace, quiet=quiet)
