"""`sitegen init`: commented settings to begin with."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from sitegen.cli import running
from sitegen.cli.options import CONFIG_NAME
from sitegen.cli.terminal import terminal
from sitegen.errors import ConfigError
from sitegen.system_limits import why_not_written


@click.command(short_help="Write a commented config.yaml.")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@running.exits
def init(folder: Path) -> int:
    """Write a commented config.yaml into FOLDER, or here, with all that is usually set."""

    from sitegen.html.theme import folder as templates

    target = folder / CONFIG_NAME
    text = (templates() / "init.yaml").read_text(encoding="utf-8")
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{target} exists already; nothing was written.") from None
    except OSError as error:
        with suppress(OSError):
            target.unlink()  # or the next call would take it for settings
        raise ConfigError(f"{target} cannot be written: {why_not_written(error)}.") from None
    terminal.say(f"{target} is written. Check `inputs` in it, then run: sitegen build")
    return 0
