"""The command `sitegen`. Only this room exits and prints, but for the check for changes, which
answers before click is loaded.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from sitegen import __version__
from sitegen.cli.build import build
from sitegen.cli.clean import clean
from sitegen.cli.export import export
from sitegen.cli.export.pack import pack
from sitegen.cli.lists import readers, schema
from sitegen.cli.options import EXIT_CODES, EXIT_USAGE
from sitegen.cli.reading.check import check
from sitegen.cli.reading.init import init
from sitegen.cli.scan import scan
from sitegen.cli.serve import serve
from sitegen.cli.terminal import line, terminal


class _Commands(click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The same; the call ends where a shell may have made an option of the name of a file, as for `*`."""
        if not ctx.resilient_parsing and (name := _file_like_an_option(args)):
            shown = line(name)
            ctx.exit(
                terminal.fail(f"sitegen: {shown} is a file here and looks like an option: write ./{shown}.", EXIT_USAGE)
            )
        return super().parse_args(ctx, args)


def _file_like_an_option(arguments: Sequence[str]) -> str | None:
    """The first argument that would be an option, and is the name of what lies in the working folder."""
    for argument in arguments:
        if argument == "--":
            return None
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            return argument
    return None


@click.group(cls=_Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="sitegen %(version)s")
def cli() -> None:
    """Turn a folder of coding-agent result files into a static report site.

    Look at one with `sitegen serve RUNS`, write it with `sitegen build RUNS -o site`.
    """


for command in (build, serve, pack, export, check, readers, scan, init, clean, schema):
    cli.add_command(command)
