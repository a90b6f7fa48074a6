"""`sitegen init`: commented settings to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.terminal import (
    say,
)
from sitegen.errors import ConfigError

if TYPE_CHECKING:
    pass


from sitegen.cli import running
from sitegen.cli.options import CONFIG_NAME


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a commented config.yaml into FOLDER, or here."""

    def command() -> int:
        from sitegen.html.theme import folder as templates

        target = folder / CONFIG_NAME
        text = (templates() / "init.yaml").read_text(encoding="utf-8")
        try:
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            raise ConfigError(f"{target} exists already; nothing was written.") from None
        except OSError as error:
            raise ConfigError(f"{target} cannot be written: {error.strerror}.") from None
        say(f"{target} is written. Name your runs in it, then run: sitegen build")
        return 0

    running.run(command, verbose=False)
