"""`sitegen scan`: where secrets stand in files."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.json_output import Answer, of_scan
from sitegen.cli.options import CONFIG_NAME, EXIT_PROBLEMS
from sitegen.cli.terminal import line, terminal


@click.command(short_help="Find secrets in files: report locations, never values.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATHS...")
@options.settings_file(
    help=f"Take `redact` from these settings. Default: ./{CONFIG_NAME}; name it with -c if it is inside PATHS."
)
@options.no_config
@options.as_json
@options.verbose_faults
@running.exits
def scan(paths: tuple[str, ...], config_path: Path | None, no_config: bool, answer: Answer | None) -> int:
    """Look for secrets and personal data in PATHS, and report locations, never values.

    PATHS are files, folders and glob patterns. Every file is read as text, hidden ones too; archives are not opened.
    Builds nothing. Exits with 1 when something is found.
    """

    from sitegen import figures
    from sitegen.cli import settings as settings_file
    from sitegen.config import Config, load
    from sitegen.inputs.scan import scan_files
    from sitegen.masking.redact import Redactor

    settings_path = settings_file.find(config_path, paths, without=no_config)
    settings = load(settings_path) if settings_path else Config()
    redactor = terminal.mask_with(Redactor.for_this_machine(settings.redact))
    terminal.say_settings(settings_path)
    scan = scan_files(paths, redactor)
    if answer is not None:
        answer.values = of_scan(scan)
    for place, kind, count in scan.findings:
        terminal.say(f"{line(place)}: {figures.count(count)} \u00d7 {kind}", colour="yellow")
    for remark in scan.remarks:
        terminal.say(remark, err=True, colour="yellow")
    total = sum(count for _, _, count in scan.findings)
    terminal.say(f"{figures.plural(total, 'finding')} in {figures.plural(scan.files, 'file')}")
    return EXIT_PROBLEMS if scan.findings else 0
