"""`sitegen completion`: the script for a shell."""

from __future__ import annotations

import click

from sitegen.cli import running
from sitegen.cli.terminal import terminal


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@running.exits
def completion(shell: str) -> int:
    """Print a script that completes commands, options and files in SHELL."""
    cli = click.get_current_context().find_root().command

    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None  # noqa: S101  click has all three
    terminal.write(made(cli, {}, "sitegen", "_SITEGEN_COMPLETE").source())
    return 0
