"""`sitegen export`: the data of the runs in one file, without a site."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from sitegen.cli import options, running

FORMATS = ("csv", "json", "markdown", "latex", "sqlite", "parquet")
_ENDINGS = {f".{form}": form for form in FORMATS}
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
@options.config
@options.no_config
@options.quiet
@options.verbose_faults
@running.exits
def export(
    runs: tuple[str, ...],
    form: str | None,
    output: Path,
    table: str | None,
    replace: bool,
    config_path: Path | None,
    no_config: bool,
    quiet: bool,
) -> int:
    """Write the data of RUNS into one file: masked as a site is, one row for each run."""

    from sitegen.cli import settings as settings_file
    from sitegen.cli.export.formats import exported
    from sitegen.cli.export.writing import write_runs
    from sitegen.errors import ConfigError

    chosen = form or _ENDINGS.get(output.suffix.lower())
    if chosen is None:
        raise ConfigError(f"-o {output}: this name does not say the format. Add --format: {', '.join(FORMATS)}.")
    settings = settings_file.choose(config_path, runs, str(output), without=no_config)
    return write_runs(output, settings, partial(exported, chosen, table=table), may_replace=replace, quiet=quiet)
