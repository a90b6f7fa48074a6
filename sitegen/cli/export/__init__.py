"""`sitegen export`: the data of the runs in one file, without a site."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from sitegen.cli import options, running
from sitegen.cli.running import Call

if TYPE_CHECKING:
    from sitegen.collect import Facts
    from sitegen.config import Config
    from sitegen.masking.redact import Redactor


# `sitegen pack`: a campaign in one file, of which the same site can be built again.


@click.command(short_help="Put runs, outcomes and settings into one masked file.")
@options.file(metavar="FILE.zip", help="Where the pack goes.")
@options.may_replace
@options.settings
@options.steps
@options.campaign
@options.days
@options.quiet
@options.verbose_faults
@running.about_runs
def pack(call: Call) -> int:
    """Put RUNS, their outcomes and the settings into one file, masked as a site is.

    `sitegen build FILE.zip` makes the same site of it.
    """

    from sitegen.cli import settings as settings_file
    from sitegen.cli.export.formats import write_runs
    from sitegen.cli.terminal import line, terminal
    from sitegen.errors import ConfigError
    from sitegen.pages.site import Site
    from sitegen.publish.pack import pack

    def packed(facts: Facts, config: Config, redactor: Redactor) -> bytes:
        if left_out := ", ".join(map(line, config.gates.apart)):
            terminal.say(f"not in {call.file}, since yours differ: gates of the pack on {left_out}", err=True)
        site = Site.of(config.model_copy(update={"output": "site"}), redactor, is_strict=False)
        return pack(config, facts, redactor, site.settings_digest())

    if call.file.suffix.lower() != ".zip":
        raise ConfigError(f"-o {call.file}: the name of a pack has to end in .zip.")
    chosen = settings_file.of_call(call)
    if chosen.config.campaigns:
        raise ConfigError("A pack holds one campaign: name its runs, as in `sitegen pack runs -o campaign.zip`.")
    return write_runs(call, chosen, packed)


FORMATS = ("csv", "json", "markdown", "latex", "sqlite", "parquet", "every-eval-ever", "latex-macros")
_ENDINGS = {f".{form}": form for form in FORMATS[:-2]}
_ENDINGS |= {".md": "markdown", ".tex": "latex", ".db": "sqlite", ".sqlite3": "sqlite"}


@click.command(short_help="Write the data of the runs into one file.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Format of the file. Default: from the ending of its name."
)
@options.file(metavar="FILE", help="Where it goes.")
@click.option("--table", metavar="NAME", help="A table of the study instead of the runs: csv, markdown or latex.")
@options.may_replace
@options.days
@options.settings
@options.quiet
@options.verbose_faults
@running.about_runs
def export(call: Call, form: str | None, table: str | None) -> int:
    """Write the data of RUNS into one file: masked as a site is, one row for each run."""

    from sitegen.cli import settings as settings_file
    from sitegen.cli.export.formats import exported, write_runs
    from sitegen.errors import ConfigError

    chosen = form or _ENDINGS.get(call.file.suffix.lower())
    if chosen is None:
        raise ConfigError(f"-o {call.file}: this name does not say the format. Add --format: {', '.join(FORMATS)}.")
    return write_runs(call, settings_file.of_call(call), partial(exported, chosen, table=table))
