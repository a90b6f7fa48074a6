"""The layout of a folder of runs, as far as a few of them show it: what `sitegen init` writes."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sitegen import readers
from sitegen.errors import SitegenError
from sitegen.inputs import discover, source_files
from sitegen.model import Run
from sitegen.text.names import without_extension

MAX_READ = 40  # files that are read, at even distances


def layout_of(folder: Path) -> tuple[str | None, bool]:
    """Return the pattern that the paths of the runs in a folder follow, and whether they are sessions of people."""
    found: list[tuple[list[str], Run]] = []
    with suppress(SitegenError):
        sources = discover.discover([folder]).sources
        for source in sources[:: len(sources) // MAX_READ + 1]:
            with suppress(SitegenError), source_files.opened(source) as file:
                runs = readers.parse_file(file, named=False)
                if isinstance(runs, tuple) and runs:
                    found.append((without_extension(source.within).split("/"), runs[0].as_written))
    are_sessions = bool(found) and all(run.form in ("transcript", "session") for _, run in found)
    is_even = len(found) > 1 and len({len(path) for path, _ in found}) == 1
    return None if are_sessions or not is_even else _pattern(found), are_sessions


def _pattern(found: Sequence[tuple[list[str], Run]]) -> str | None:
    """Return a pattern with a task, and a model or an attempt; None where these paths do not show both."""
    levels = list(zip(*(path for path, _ in found), strict=True))
    fields: list[str] = []
    free = ["campaign", "task"]
    for level in reversed(levels):
        if not fields and all(name.isdecimal() for name in level):
            fields.append("attempt")
        elif "model" not in fields and all(map(_names_model, level, (run for _, run in found))):
            fields.append("model")
        else:
            fields.append(free.pop() if free and len(set(level)) > 1 else "_")
    if (
        "task" not in fields
        or not {"attempt", "model"} & set(fields)
        or any(run.task for _, run in found)
    ):
        return None
    return "/".join(f"{{{field}}}" for field in reversed(fields)) + ".*"


def _names_model(name: str, run: Run) -> bool:
    """Return whether a word of a name is one of the model's."""
    return any(word in (run.model or "").lower() for word in re.findall("[a-z]{3,}", name.lower()))
