"""`sitegen init`: commented settings to begin with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli import running
from sitegen.cli.options import CONFIG_NAME
from sitegen.cli.terminal import terminal
from sitegen.errors import ConfigError
from sitegen.system_limits import why_not_written

if TYPE_CHECKING:
    from sitegen.cli.reading.proposals import Proposal


@click.command(short_help="Write a commented config.yaml.")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@running.exits
def init(folder: Path) -> int:
    """Write a commented config.yaml into FOLDER, or here, that fits the runs there."""

    from sitegen.cli.reading.proposals import proposal
    from sitegen.html.theme import folder as templates

    target = folder / CONFIG_NAME
    found = proposal(folder)
    text = _with_proposal((templates() / "init.yaml").read_text(encoding="utf-8"), found)
    try:
        file = target.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise ConfigError(f"{target} exists already; nothing was written.") from None
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {why_not_written(error)}.") from None
    try:
        with file:
            file.write(text)
    except OSError as error:
        target.unlink()  # or the next call would take it for settings
        raise ConfigError(f"{target} cannot be written: {why_not_written(error)}.") from None
    seen = f"{found.runs:,} files with runs were seen in {found.input}. " if found.runs else ""
    terminal.say(f"{target} is written. {seen}Check `inputs` in it, then run: sitegen build")
    return 0


def _with_proposal(text: str, found: Proposal) -> str:
    """The settings with what is proposed, quoted as JSON, which is YAML."""
    given = f"  - {found.input if found.input == '.' else json.dumps(found.input)}"
    if found.pattern:
        given = f"  - path: {json.dumps(found.input)}\n    pattern: {json.dumps(found.pattern)}"
    return text.replace("inputs:\n  - .", f"inputs:\n{given}", 1)
