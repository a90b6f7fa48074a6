"""`sitegen schema`: the JSON Schema of the settings."""

from __future__ import annotations

import click

from sitegen.cli import running
from sitegen.cli.terminal import terminal


@click.command()
@running.exits
def schema() -> int:
    """Print the JSON Schema of the settings, for editors."""

    import json

    from sitegen.config import schema

    terminal.write(json.dumps(schema(), indent=2))
    return 0
