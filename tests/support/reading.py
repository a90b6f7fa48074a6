"""Reads a file as the program does, and shows what was read unmasked."""

from sitegen.model import Run
from sitegen.readers import parse_file
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile


def read_source(
    file: RunFile, *, named: bool, locator: str | None = None
) -> tuple[Run, ...] | None:
    """Return the runs in a file, or with a locator the one run there; None when the file is ignored. Raises:
    ReadError."""
    found = parse_file(file, named=named, locator=locator)
    return None if isinstance(found, NotARun) else tuple(run.as_written for run in found)
