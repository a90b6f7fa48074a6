"""The command `sitegen`. Only the files of this room exit; `terminal` prints, everything below returns values.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import click

from sitegen import __version__
from sitegen.cli.build import build
from sitegen.cli.check import check
from sitegen.cli.clean import clean
from sitegen.cli.completion import completion
from sitegen.cli.init import init
from sitegen.cli.options import EXIT_CODES
from sitegen.cli.recover import recover
from sitegen.cli.scan import scan
from sitegen.cli.schema import schema


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="sitegen %(version)s")
def cli() -> None:
    """Turn a folder of coding-agent result files into a static report site."""


for command in (build, check, scan, init, clean, recover, schema, completion):
    cli.add_command(command)
