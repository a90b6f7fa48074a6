"""`sitegen schema`: the JSON Schema of the settings."""

from __future__ import annotations

import click

from sitegen.cli import running
from sitegen.cli.terminal import write


@click.command()
def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""

    def command() -> int:
        import json

        from sitegen.config import schema

        write(json.dumps(schema(), indent=2))
        return 0

    running.run(command, verbose=False)
