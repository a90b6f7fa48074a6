"""The parts that the commands share: options, exit codes, and the name of the settings."""

from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any

import click

from sitegen.system.places import CACHE_VARIABLE, is_address

CONFIG_NAME = "config.yaml"
CONFIG_NAMES = ("sitegen.yaml", CONFIG_NAME)
"""The names of settings in the working folder: the first that exists is read."""

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
  3    a configured gate failed
  4    no runs found: a build would publish nothing
  130  interrupted, by Ctrl-C or SIGTERM
"""


Decorator = Callable[[Any], Any]


class LocalFile(click.Path):
    """A file of this machine."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return its path. Raises: click.BadParameter where it is an address."""
        if is_address(str(value)):
            self.fail(
                f"{value} is an address, and this file goes to this machine only. Copy it there afterwards."
            )
        return super().convert(value, param, ctx)


def together(*options: Decorator) -> Decorator:
    """Return one decorator that adds these options, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


_IN_FOLDER = " or ".join(f"./{name}" for name in CONFIG_NAMES)
runs = click.argument("runs", nargs=-1, type=click.Path(), metavar="[RUNS]...")
settings_file = partial(
    click.option, "-c", "--config", "config_path", type=click.Path(path_type=Path), metavar="FILE"
)
settings_of_scan = settings_file(
    help=f"Take `redact` from these settings. Default: {_IN_FOLDER}; name it with -c if it is inside PATHS."
)
no_config = click.option(
    "--no-config", is_flag=True, help=f"Read no settings, not even {_IN_FOLDER}."
)
named = settings_file(
    help=f"Read these settings. Default: {_IN_FOLDER}; name it with -c if it is inside RUNS."
)
settings = together(named, no_config)
folder = partial(click.option, "-o", "--output", type=click.Path(), metavar="FOLDER")
file = partial(
    click.option, "-o", "--output", "file", type=LocalFile(path_type=Path), required=True
)
may_replace = click.option(
    "--replace", "may_replace", is_flag=True, help="Replace FILE if it exists."
)
campaign = together(
    click.option(
        "--campaign", "campaign_name", metavar="NAME", help="What this campaign is called."
    ),
    click.option(
        "--date", "day", metavar="DAY", help="The day of this campaign, as in 2026-11-18."
    ),
)
days = together(
    click.option(
        "--since",
        metavar="DAY",
        help="Only runs still active on or after this day; 7d: seven days ago.",
    ),
    click.option("--until", metavar="DAY", help="Only runs that began on this day or before."),
)
_FROM_ONE = click.IntRange(min=1)
_FROM_ONE.name = "whole number"
_PORT = click.IntRange(0, 65_535)
_PORT.name = "whole number"
port = click.option(
    "--port",
    type=_PORT,
    metavar="N",
    help="Port of the address. Default: 8000, or another if it is taken. 0 takes any free one.",
)
jobs = click.option(
    "-j", "--jobs", type=_FROM_ONE, metavar="N", help="Worker processes. Default: one per core."
)
cache = together(
    click.option(
        "--cache-dir",
        type=click.Path(file_okay=False),
        envvar=CACHE_VARIABLE,
        metavar="FOLDER",
        help="Folder of the cache for incremental builds. Default: one in the cache folder of your system.",
    ),
    click.option("--no-cache", is_flag=True, help="Use no cache, except for the Vega scripts."),
)
steps = click.option(
    "--steps",
    type=click.Choice(["none", "outline", "texts", "full"]),
    help="How much of the agents' steps to publish (overrides the config; default: outline).",
)
strict = click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 if there was a problem, a warning or a masked value.",
)
verbose = partial(click.option, "-v", "--verbose", is_flag=True)
verbose_faults = click.option(
    "-v",
    "--verbose",
    "shows_faults",
    is_flag=True,
    help="Verbose: show the traceback of an internal error.",
)
as_json = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object for programs; messages go to standard error.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
