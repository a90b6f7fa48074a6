"""`sitegen clean`: the site goes, and nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.terminal import say, say_settings, say_waiting


@click.command(short_help="Remove the site: only files sitegen wrote.")
@options.site
@options.config_of_site
def clean(output: str | None, config_path: Path | None) -> None:
    """Remove the site and what crashed builds left: only files sitegen wrote."""

    def command() -> int:
        from sitegen import figures
        from sitegen.cli.settings import chosen_site
        from sitegen.publish import clean

        site = chosen_site(output, config_path)
        if site.settings:
            say_settings(site.settings)
        removed, kept = clean(site.output, inputs=site.inputs, on_wait=say_waiting)
        say(f"removed {figures.plural(removed, 'file')} from {site.output}")
        for path in kept:
            say(f"kept: {path}")
        return 0

    running.run(command, verbose=False)
