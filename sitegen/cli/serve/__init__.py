"""`sitegen serve`: the site on this machine, built anew whenever something changes."""

from __future__ import annotations

import click

from sitegen.cli import options, running
from sitegen.cli.running import Call

EXIT_CODES = """\b
Exit codes of serve:
  0    ended by Ctrl-C or SIGTERM
  1    the server has ended by itself
  2    usage or settings, or the port is taken
"""

_MAX_PORT = 65_535


@click.command(epilog=EXIT_CODES, short_help="Serve the site on this machine, and update it on every change.")
@click.option(
    "--port",
    type=click.IntRange(0, _MAX_PORT),
    metavar="N",
    help="Port of the address. Default: 8000, or another if it is taken. 0 takes any free one.",
)
@options.settings
@options.jobs
@options.cache
@options.steps
@options.verbose(help="Verbose: print full lists.")
@options.quiet
@running.about_runs
def serve(call: Call, port: int | None) -> int:
    """Serve the site of RUNS at an address for your browser, and build it again on every change.

    Runs, settings and the theme are watched. Only this machine can open the site. It is in a temporary folder, which
    is removed when you press Ctrl-C. An open page reloads when it changes, and says why a build failed.
    """

    from sitegen.cli.serve.preview import preview

    return preview(call, port)
