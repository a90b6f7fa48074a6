"""What describes sitegen itself: `sitegen readers` and `sitegen schema`."""

from __future__ import annotations

import click

from sitegen.cli import running
from sitegen.cli.terminal import line, terminal


@click.command(short_help="List the readers of files, built in and installed.")
@running.exits
def readers() -> int:
    """List the readers of files, built in and installed, in the order in which they are tried."""

    from sitegen.readers import BUILT_IN, installed_from

    for reader in BUILT_IN:
        title = getattr(reader, "title", "Claude Code")
        terminal.say(f"{reader.name:<18} {title}")
    for name, place, distribution in installed_from():
        terminal.say(f"{line(name):<18} {line(place)}, installed with {line(distribution)}")
    terminal.say("docs/readers.md explains how to write one.")
    return 0


@click.command()
@running.exits
def schema() -> int:
    """Print the JSON Schema of the settings, for editors."""

    import json

    from sitegen.config import schema

    terminal.write(json.dumps(schema(), indent=2))
    return 0
