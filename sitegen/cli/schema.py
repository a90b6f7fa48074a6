"""`sitegen schema`: the JSON Schema of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sitegen.cli.terminal import (
    write,
)

if TYPE_CHECKING:
    pass


from sitegen.cli import running


@click.command()
def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""

    def command() -> int:
        import json

        from sitegen.config import schema

        write(json.dumps(schema(), indent=2))
        return 0

    running.run(command, verbose=False)
