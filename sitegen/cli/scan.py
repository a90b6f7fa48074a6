"""`sitegen scan`: where secrets stand in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.terminal import (
    line,
    mask_with,
    say,
    say_settings,
)

if TYPE_CHECKING:
    pass


from sitegen.cli import options, running
from sitegen.cli.options import (
    CONFIG_NAME,
    EXIT_PROBLEMS,
)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS...")
@options.settings_file(
    help=f"Settings whose `redact` counts. Default: ./{CONFIG_NAME}, unless it lies in PATHS: then name it."
)
@options.no_config
@options.verbose_faults
def scan(paths: tuple[Path, ...], config_path: Path | None, no_config: bool, verbose: bool) -> None:
    """Look for secrets and personal data in PATHS, files and folders, and say where, never what.

    Reads every file as text; builds nothing. Exits with 1 when there is a find.
    """

    def command() -> int:
        from sitegen import figures
        from sitegen.cli import settings as settings_file
        from sitegen.config import Config, load
        from sitegen.masking.redact import Redactor, scan_files

        settings_path = settings_file.find(config_path, [*map(str, paths)], without=no_config)
        settings = load(settings_path) if settings_path else Config()
        redactor = mask_with(Redactor.for_this_machine(settings.redact))
        say_settings(settings_path)
        found, files = scan_files(paths, redactor)
        for place, kind, count in found:
            say(f"{line(place)}: {figures.count(count)} \u00d7 {kind}", colour="yellow")
        total = sum(count for _, _, count in found)
        say(f"{figures.plural(files, 'file')}, {figures.plural(total, 'find')}")
        return EXIT_PROBLEMS if found else 0

    running.run(command, verbose)
