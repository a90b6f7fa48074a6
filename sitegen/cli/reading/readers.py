"""`sitegen readers`: what can be read."""

from __future__ import annotations

import click

from sitegen.cli import running
from sitegen.cli.terminal import line, say


@click.command(short_help="List the readers of files, built in and installed.")
def readers() -> None:
    """List the readers of files, built in and installed, in the order in which they are asked."""

    def command() -> int:
        from sitegen.readers import BUILT_IN, installed_from

        for reader in BUILT_IN:
            title = getattr(reader, "title", "Claude Code")
            say(f"{reader.name:<18} {title}")
        for name, place, distribution in installed_from():
            say(f"{line(name):<18} {line(place)}, installed with {line(distribution)}")
        say("docs/readers.md tells how to write one.")
        return 0

    running.run(command, verbose=False)
