"""What `sitegen init` proposes for a folder: where its runs are, and what their paths mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import archives, discover
from sitegen.model import Run, Source
from sitegen.names import PathPattern
from sitegen.readers import parse_file
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile

MOST_FILES = 300
"""That are looked at; a pattern shows in fewer."""
_MOST_FOLDERS = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """What may stand in the settings."""

    runs: int
    """That were found, of the files that were looked at."""
    input: str = "."
    pattern: str | None = None
    """Where all paths of runs have one form, and their files do not say which task they did."""


def proposal(folder: Path) -> Proposal:
    """What fits a folder; nothing but `.` where it holds no runs. Writes nothing."""
    try:
        sources = discover.discover([folder]).sources[:MOST_FILES]
    except ConfigError:
        return Proposal(0)
    runs = {source.within: run for source in sources if (run := _first_run(source))}
    if not runs:
        return Proposal(0)
    tops = {path.partition("/")[0] for path in runs}
    top = tops.pop() if len(tops) == 1 and all("/" in path for path in runs) else ""
    stated = sum(run.task is not None for run in runs.values())
    pattern = _pattern([path.removeprefix(f"{top}/") for path in runs]) if 2 * stated <= len(runs) else None
    return Proposal(len(runs), top or ".", pattern)


def _first_run(source: Source) -> Run | None:
    for _, content in archives.contents(source):
        if isinstance(content, RunFile):
            try:
                found = parse_file(content, named=False)
            except ReadError:
                continue
            return None if isinstance(found, NotARun) else found[0]
    return None


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
