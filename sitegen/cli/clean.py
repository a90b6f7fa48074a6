"""`sitegen clean`: the site goes, and nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.terminal import terminal


@click.command(short_help="Remove the site: only files sitegen wrote.")
@options.site
@options.config_of_site
@running.exits
def clean(output: str | None, config_path: Path | None) -> int:
    """Remove the site and what crashed builds left: only files sitegen wrote."""

    from sitegen import figures
    from sitegen.cli.settings import chosen_site
    from sitegen.publish import clean

    site, inputs, settings = chosen_site(output, config_path)
    if settings:
        terminal.say_settings(settings)
    removed, kept = clean(site, inputs=inputs, on_wait=terminal.say_waiting)
    terminal.say(f"removed {figures.plural(removed, 'file')} from {site}")
    for path in kept:
        terminal.say(f"kept: {path}")
    return 0
