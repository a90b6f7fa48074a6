"""What `sitegen init` proposes for a folder: where its runs are, what their paths mean, and files of outcomes."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import archives, discover
from sitegen.model import Source
from sitegen.names import PathPattern
from sitegen.outcomes.rows import COLUMNS, KEYS
from sitegen.readers import parse_file
from sitegen.readers.kinds import REPORTS, NotARun
from sitegen.readers.run_file import RunFile

MOST_FILES = 300
"""That are looked at; a pattern shows in fewer."""
_MOST_FOLDERS = 5
_MOST_REPORTS = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """What may stand in the settings."""

    runs: int
    """That were found, of the files that were looked at."""
    input: str = "."
    pattern: str | None = None
    """Where all paths of runs have one form, and their files do not say which task they did."""
    outcomes: tuple[str, ...] = ()


def proposal(folder: Path) -> Proposal:
    """What fits a folder; nothing but `.` where it holds no runs. Writes nothing."""
    try:
        found = discover.discover([folder])
    except ConfigError:
        return Proposal(0)
    kinds = [(source, _kind(source)) for source in found.sources[:MOST_FILES]]
    runs = [source.within for source, kind in kinds if kind in (_RUN, _RUN_OF_TASK)]
    if not runs:
        return Proposal(0)
    tops = {path.partition("/")[0] for path in runs if "/" in path}
    top = tops.pop() if len(tops) == 1 and all("/" in path for path in runs) else ""
    paths = [path.removeprefix(f"{top}/") if top else path for path in runs]
    tables = [source.within for source in found.sources if source.path.endswith(".csv") and _is_table(source)]
    reports = _outside([source.within for source, kind in kinds if kind in REPORTS], top)
    stated = sum(kind == _RUN_OF_TASK for _, kind in kinds)
    pattern = _pattern(paths) if tables or 2 * stated <= len(runs) else None
    return Proposal(len(runs), top or ".", pattern, (*tables[:5], *reports))


_RUN, _RUN_OF_TASK = "run", "run of task"


def _kind(source: Source) -> str:
    """_RUN, _RUN_OF_TASK where its file says which task it did, a key of `readers.kinds.KINDS`, or nothing."""
    for _, content in archives.contents(source):
        if isinstance(content, RunFile):
            try:
                kind = parse_file(content, named=False)
            except ReadError:
                continue
            return kind.kind if isinstance(kind, NotARun) else _RUN_OF_TASK if kind[0].task else _RUN
    return ""


# What paths mean

_MODEL = re.compile(
    r"claude|opus|sonnet|haiku|gpt|codex|gemini|grok|qwen|deepseek|kimi|glm|llama|mistral|devstral|cursor|copilot"
    r"|opencode|aider|\b(?:amp|o[134])\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:runs?|results?|outputs?|logs?|traj\w*|data|eval\w*)", re.IGNORECASE)
_NUMBERED = re.compile(r"([^0-9{}*\\]*)([0-9]{1,9})")


def _pattern(paths: Sequence[str]) -> str | None:
    """The form that all paths have, with what its parts probably mean; None where that shows no task, model or
    attempt."""
    rows = [path.split("/") for path in paths]
    if len({len(row) for row in rows}) > 1 or not 2 <= len(rows[0]) <= _MOST_FOLDERS + 1:
        return None
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[-1] = [name.partition(".")[0] for name in columns[-1]]
    last = len(columns) - 1
    parts = [""] * len(columns)
    numbered = [at for at, column in enumerate(columns) if _before_number(column) is not None]
    if numbered:
        parts[numbered[-1]] = f"{_before_number(columns[numbered[-1]])}{{attempt}}"
    models = [at for at, column in enumerate(columns) if not parts[at] and _are_models(column)]
    if models:
        parts[max(models, key=lambda at: len(set(columns[at])))] = "{model}"
    for at, column in enumerate(columns):
        if not parts[at] and len(set(column)) == 1 and _PLACE.fullmatch(column[0]):
            parts[at] = column[0]
    if not parts[last] and len(set(columns[last])) == len(paths):
        parts[last] = "*"  # a name that each run has for itself, such as a time
    if not parts[last] and len(set(columns[last])) == 1:
        parts[last] = columns[last][0] if not set(columns[last][0]) & set("{}*\\") else "*"
    free = [at for at, part in enumerate(parts) if not part]
    names = ["{model}"] if len(free) > 1 and "{model}" not in parts else []
    names += ["{task}", "{campaign}"]
    if len(free) > len(names):
        return None
    for at, name in zip(reversed(free), names, strict=False):
        parts[at] = name
    pattern = "/".join(parts) + ".*"
    try:
        return pattern if all(PathPattern(pattern).match(path) for path in paths) else None
    except ValueError:
        return None


def _before_number(column: Sequence[str]) -> str | None:
    """What stands in front of the number that ends each of these names: nothing in `1`, `run-` in `run-1`."""
    found = [_NUMBERED.fullmatch(name) for name in column]
    before = {match[1] if match else None for match in found}
    return before.pop() if len(before) == 1 else None


def _are_models(column: Sequence[str]) -> bool:
    names = set(column)
    return 2 * sum(bool(_MODEL.search(name)) for name in names) >= len(names)


# Outcomes


def _outside(reports: Sequence[str], top: str) -> Sequence[str]:
    """Reports that count only where they are named, as paths: those below the folder of the runs are found anyway."""
    found = [path for path in reports if top and not path.startswith(f"{top}/")]
    if len(found) <= _MOST_REPORTS:
        return found
    names = {PurePosixPath(path).name for path in found}
    folder = os.path.commonpath([PurePosixPath(path).parent for path in found])
    return [str(PurePosixPath(folder) / "**" / (names.pop() if len(names) == 1 else "*.json"))]


def _is_table(source: Source) -> bool:
    """Whether a CSV file states outcomes of runs."""
    try:
        with Path(source.location).open(encoding="utf-8-sig", newline="") as file:
            names = {name.strip().lower() for name in next(csv.reader(line[:10_000] for line in file), [])}
    except (OSError, ValueError, csv.Error):
        return False
    return bool(names & set(KEYS)) and bool(names & (set(COLUMNS) - set(KEYS)))
