"""The parts that the commands share: options, exit codes, and the name of the settings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from sitegen.places import CACHE_VARIABLE, is_address

CONFIG_NAME = "config.yaml"

EXIT_PROBLEMS, EXIT_USAGE, EXIT_GATE, EXIT_NOT_PUBLISHED, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

EXIT_CODES = """\b
Exit codes of build:
  0    the site is written; problems, if any, are listed
  1    the site is written; with --strict there was a problem, a warning or a masked value;
       or the file of --summary or standard output could not be written
  2    usage, settings or a refused output; nothing is written
  3    the site is written, and a configured gate failed
  4    nothing is published and the old site is as it was
  130  interrupted, by Ctrl-C or SIGTERM
"""

EXIT_CODES_OF_CHECK = """\b
Exit codes of check:
  0    there are runs for a build; problems, if any, are listed
  1    with --strict there was a problem, a warning or a masked value
  2    usage or settings
  4    no runs found: a build would publish nothing
  130  interrupted, by Ctrl-C or SIGTERM
"""


class LocalFile(click.Path):
    """A file of this machine."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return its path. Raises: click.BadParameter where it is an address."""
        if is_address(str(value)):
            self.fail(f"{value} is an address, and this file goes to this machine only. Copy it there afterwards.")
        return super().convert(value, param, ctx)


runs = click.argument("runs", nargs=-1, type=click.Path(), metavar="[RUNS]...")
settings_file = partial(
    click.option, "-c", "--config", "config_path", type=click.Path(path_type=Path), metavar="FILE"
)  # fmt: skip
config = settings_file(help=f"Read these settings. Default: ./{CONFIG_NAME}; name it with -c if it is inside RUNS.")
no_config = click.option("--no-config", is_flag=True, help=f"Read no settings, not even ./{CONFIG_NAME}.")
config_of_site = settings_file(help=f"Settings that name the site. Default: ./{CONFIG_NAME}, unless -o is given.")
folder = partial(click.option, "-o", "--output", type=click.Path(), metavar="FOLDER")
output = folder(help="Where the site goes: a folder or an address. Default: site.")
archive = click.option(
    "--zip", "archive", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the site into this archive instead of a folder; its name ends in .zip.",
)  # fmt: skip
single_file = click.option(
    "--single-file", "single_file", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the site into this one HTML file instead of a folder; its name ends in .html.",
)  # fmt: skip
live_charts = click.option(
    "--live-charts", is_flag=True, help="Interactive charts in the one HTML file, which is then about 1 MB larger."
)
index_only = click.option("--index-only", is_flag=True, help="Only the index in the one HTML file, as for a mail.")
site = folder(help="Where the site is. Default: site.")
file = partial(click.option, "-o", "--output", "file", type=LocalFile(path_type=Path), required=True)
not_read = folder(help="Where the site would go; a build does not read runs there. Default: site.")
summary = click.option(
    "--summary", "summary_path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also append the figures to FILE as short Markdown, for the summary of a CI step.",
)  # fmt: skip
history = click.option(
    "--history", "history_path", type=click.Path(dir_okay=False), metavar="FILE",
    help="Add this campaign to those in FILE: data/history.jsonl of the last site. FILE may not exist yet.",
)  # fmt: skip
campaign = click.option("--campaign", "campaign_name", metavar="NAME", help="What this campaign is called.")
day = click.option("--date", "day", metavar="DAY", help="The day of this campaign, as in 2026-11-18.")
since = click.option("--since", metavar="DAY", help="Only runs that went on on this day or later; 7d: seven days ago.")
until = click.option("--until", metavar="DAY", help="Only runs that began on this day or before.")
jobs = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes. Default: one per core."
)
engine = click.option(
    "--engine", type=click.Choice(["processes", "dask"]), default="processes",
    help="Do the work in processes on this machine or on a Dask cluster.",
)  # fmt: skip
scheduler = click.option(
    "--scheduler", metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786. Default: Dask on this machine."
)
cache_dir = click.option(
    "--cache-dir", type=click.Path(file_okay=False), envvar=CACHE_VARIABLE, metavar="FOLDER",
    help="Folder of the cache for incremental builds. Default: one in the cache folder of your system.",
)  # fmt: skip
no_cache = click.option("--no-cache", is_flag=True, help="Use no cache, except for the Vega scripts.")
steps = click.option(
    "--steps",
    type=click.Choice(["none", "outline", "texts", "full"]),
    help="How much of the agents' steps to publish (overrides the config; default: outline).",
)
strict = click.option("--strict", is_flag=True, help="Exit with 1 if there was a problem, a warning or a masked value.")
more = partial(click.option, "-v", "--verbose", is_flag=True)
verbose = more(help="Verbose: print full lists and how the site was published.")
verbose_lists = more(help="Verbose: print full lists.")
verbose_faults = click.option(
    "-v", "--verbose", "shows_faults", is_flag=True, help="Verbose: show the traceback of an internal error."
)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object for programs; messages go to standard error."
)
quiet = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
