"""What `sitegen init` proposes for a folder: where its runs are, what their paths mean, and files of outcomes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import archives, discover
from sitegen.model import Source
from sitegen.names import PathPattern
from sitegen.outcomes.rows import COLUMNS, KEYS
from sitegen.readers import examine
from sitegen.readers.run_file import RunFile

MOST_FILES = 300
"""That are looked at; a pattern shows in fewer."""
_FIELDS = ("campaign", "task", "model", "attempt")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What may stand in the settings."""

    runs: int
    """That were found, of the files that were looked at."""
    input: str = "."
    pattern: str | None = None
    """Where all paths of runs have one form."""
    outcomes: tuple[str, ...] = ()


def proposal(folder: Path) -> Proposal:
    """What fits a folder; nothing but `.` where it holds no runs. Writes nothing."""
    try:
        found = discover.discover([folder])
    except ConfigError:
        return Proposal(0)
    runs = [source for source in found.sources[:MOST_FILES] if _is_run(source)]
    if not runs:
        return Proposal(0)
    tops = {source.within.partition("/")[0] for source in runs if "/" in source.within}
    top = tops.pop() if len(tops) == 1 and all("/" in source.within for source in runs) else ""
    paths = [source.within.removeprefix(f"{top}/") if top else source.within for source in runs]
    tables = (source.within for source in found.sources if source.path.endswith(".csv") and _is_table(source))
    return Proposal(len(runs), top or ".", _pattern(paths), tuple(list(tables)[:5]))


def _is_run(source: Source) -> bool:
    for _, content in archives.contents(source):
        if isinstance(content, RunFile):
            try:
                return not isinstance(examine(content, named=False), str)
            except ReadError:
                continue
    return False


def _pattern(paths: list[str]) -> str | None:
    """The form that all paths have: folders, and a number as the name of the file."""
    depths = {path.count("/") for path in paths}
    depth = depths.pop() if len(depths) == 1 else 0
    if not 1 <= depth <= 3:
        return None
    fields = _FIELDS[3 - depth : 3] if depth > 1 else ("task",)
    pattern = "/".join(f"{{{field}}}" for field in fields) + "/{attempt}.*"
    return pattern if all(PathPattern(pattern).match(path) for path in paths) else None


def _is_table(source: Source) -> bool:
    """Whether a CSV file states outcomes of runs."""
    try:
        with source.location.open(encoding="utf-8-sig", newline="") as file:
            names = {name.strip().lower() for name in next(csv.reader(_short_lines(file)), [])}
    except (OSError, ValueError, csv.Error):
        return False
    return bool(names & set(KEYS)) and bool(names & (set(COLUMNS) - set(KEYS)))


def _short_lines(lines: Iterator[str]) -> Iterator[str]:
    return (line[:10_000] for line in lines)
