"""`sitegen clean`: the site goes, and nothing else. `sitegen recover`: what a crashed build left."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.options import EXIT_PROBLEMS
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

    site = chosen_site(output, config_path)
    if site.settings:
        terminal.say_settings(site.settings)
    removed, kept = clean(site.output, inputs=site.inputs, on_wait=terminal.say_waiting)
    terminal.say(f"removed {figures.plural(removed, 'file')} from {site.output}")
    for path in kept:
        terminal.say(f"kept: {path}")
    return 0


@click.command(short_help="After a crash: finish, and show what only you can decide about.")
@options.site
@options.config_of_site
@click.option(
    "--to", "to", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Move files that may not be sitegen's own into this new folder.",
)  # fmt: skip
@running.exits
def recover(output: str | None, config_path: Path | None, to: Path | None) -> int:
    """Finish what a crashed build began, and show what only you can decide about.

    Nothing is deleted. Exits with 1 while something waits for your decision.
    """

    from sitegen import figures
    from sitegen.cli.settings import chosen_site
    from sitegen.publish import recover

    site = chosen_site(output, config_path)
    if site.settings:
        terminal.say_settings(site.settings)
    folder = site.output
    found = recover(folder, to, inputs=site.inputs, on_wait=terminal.say_waiting)
    for path in found.left:
        terminal.say(f"left beside {folder}: {path}")
    if found.unproven:
        files = figures.plural(found.unproven, "file or folder", "files and folders")
        terminal.say(f"the manifest of {folder} is damaged: nobody knows which of its {files} are ours")
    if not found.left and not found.unproven:
        terminal.say(f"nothing to recover in {folder}")
    elif found.moved_to:
        terminal.say(f"moved to {found.moved_to}; look through it, then build again")
    else:
        return terminal.fail("look at these; `sitegen recover --to FOLDER` moves them out of the way", EXIT_PROBLEMS)
    return 0
