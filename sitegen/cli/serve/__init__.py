"""`sitegen serve`: the site on this machine, built anew whenever something changes."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running

EXIT_CODES = """\b
Exit codes of serve:
  0    ended by Ctrl-C or SIGTERM
  1    the server has ended by itself
  2    usage or settings, or the port is taken
"""

_MOST_PORT = 65_535


@click.command(epilog=EXIT_CODES, short_help="Serve the site on this machine, and update it on every change.")
@options.runs
@click.option(
    "--port",
    type=click.IntRange(0, _MOST_PORT),
    metavar="N",
    help="Port of the address. Default: 8000, or another if it is taken. 0 takes any free one.",
)
@options.config
@options.no_config
@options.jobs
@options.cache_dir
@options.no_cache
@options.steps
@options.verbose_lists
@options.quiet
@running.exits
def serve(  # noqa: PLR0913 -- click passes each option
    runs: tuple[str, ...],
    port: int | None,
    config_path: Path | None,
    no_config: bool,
    jobs: int | None,
    cache_dir: str | None,
    no_cache: bool,
    steps: str | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Serve the site of RUNS at an address for your browser, and build it again on every change.

    Runs, settings and the theme are watched. Only this machine can open the site. It is in a temporary folder, which
    is removed when you press Ctrl-C. An open page reloads when it changes, and says why a build failed.
    """

    from sitegen.cli.serve.preview import Call, preview
    from sitegen.places import cache_folder

    cache = None if no_cache else Path(cache_dir or cache_folder())
    call = Call(runs, config_path, no_config, steps, jobs, cache, verbose, quiet)
    return preview(call, port)
