"""Finds the settings of a call: a file that is named, else `config.yaml` in the working folder, else none.

Settings can load a theme and switch masking off, so they must not come from whoever made the runs: a `config.yaml`
that lies where RUNS lie stops the call, unless it is named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sitegen.config import Config, Input, load
from sitegen.errors import ConfigError
from sitegen.inputs import discover

NAME = "config.yaml"


def find(named: Path | None, runs: Iterable[str], *, without: bool) -> Path | None:
    """The file of the settings; None where there is none, or it is to be done `without`.

    Raises: ConfigError when a file lies in the working folder that whoever made `runs` may have written.
    """
    if named is not None and without:
        raise ConfigError("-c FILE and --no-config exclude each other: give one of them.")
    if named is not None or without:
        return named
    if not os.path.lexists(NAME):
        return None
    for run in runs:
        if _lies_in(NAME, run):
            raise ConfigError(
                f"{NAME} lies where the runs do ({run}), so whoever made them may have written it: "
                f"add `-c {NAME}` to use it, or `--no-config` to do without."
            )
    return Path(NAME)


def settings(path: Path | None, runs: tuple[str, ...], output: str | None) -> Config:
    """The settings in a file, or the defaults; `runs` replace their inputs and `output` theirs. Raises: ConfigError."""
    if path is None and not runs:
        raise ConfigError(f"Name the runs (sitegen build RUNS... -o site), or write a {NAME} here: sitegen init does.")
    if path is None:
        config = Config()
    else:
        config = load(path, needed={"outcomes", "static", "theme"} | (set() if runs else {"inputs"}))
    if runs:
        config = config.model_copy(update={"inputs": tuple(Input(path=given, pattern=None) for given in runs)})
    if output is not None:
        config = config.model_copy(update={"output": output})
    return config


def target(output: str | None, path: Path | None) -> tuple[Path, list[Path]]:
    """The output and the inputs that the settings name; with an output and no settings, no input."""
    if path is None and (output is not None or not os.path.lexists(NAME)):
        config = Config()
    else:
        config = load(path or Path(NAME))
    return Path(output or config.output), [Path(given.path) for given in config.inputs]


def _lies_in(name: str, run: str) -> bool:
    """Whether a file of the working folder lies below the folder that a run leads to, or beside a run that is a file.

    Folders are compared by their numbers in the file system: neither links nor other spellings of a path lead past.
    """
    folders, is_deep = discover.folders_of(run)
    own = [Path.cwd(), Path(os.path.realpath(name)).parent]
    if is_deep:
        own += [above for folder in own for above in folder.parents]
    return not _numbers(own).isdisjoint(_numbers(map(Path, folders)))


def _numbers(folders: Iterable[Path]) -> set[tuple[int, int]]:
    """The numbers by which a file system knows folders, of those that are there."""
    numbers = set()
    for folder in folders:
        with suppress(OSError):  # the build says it better
            status = folder.stat()
            numbers.add((status.st_dev, status.st_ino))
    return numbers
