"""The layout of a folder of runs, as far as a few of them show it: what `sitegen init` writes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sitegen import readers
from sitegen.errors import SitegenError
from sitegen.inputs import discover, source_files
from sitegen.masking import redact
from sitegen.model import Run
from sitegen.readers.common.values import AGENT_NAMES
from sitegen.text.names import without_extension

MAX_READ = 40  # files that are read, at even distances
MAX_SHOWN = 3  # values in a comment
MIN_PART = 5  # characters of the name of a model that show which it is
MAX_BARE_ATTEMPT = 50
"""The highest attempt behind a name, as in `fix-login-2`: the number in `requests-863` is part of the name."""

_ATTEMPT = re.compile(
    r"((?:run|attempt|try|trial|rep|repeat|seed|iteration|round)?[-_]?)([0-9]{1,3})"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?")
_UNIQUE_ID = re.compile(r"([a-z]+[-_])?([0-9a-f]{8,}(-[0-9a-f]{4,})*|[0-9]{8,}.*)")
_EFFORTS = {"none", "minimal", "low", "medium", "high", "xhigh", "max"}
_FOLDERS_OF_RUNS = {"data", "logs", "out", "output", "results", "runs", "sessions", "trajectories"}
"""Names of folders that are not names of tasks."""


class Layout(NamedTuple):
    """The layout of a folder of runs."""

    pattern: str | None = None
    comments: tuple[str, ...] = ()
    """Sentences about parts of the pattern that may be wrong."""
    are_sessions: bool = False
    """Whether the runs are sessions of people."""


@dataclass(slots=True)
class _Part:
    """A folder, a file name or a piece of one, at the same place in all paths."""

    before: str
    """The text that divides it from the part before."""
    values: Sequence[str]
    field: str = ""
    """The field of the pattern; empty where the values do not show it."""
    prefix: str = ""

    @property
    def distinct(self) -> list[str]:
        """The values, each once."""
        return list(dict.fromkeys(self.values))

    @property
    def is_piece(self) -> bool:
        """Whether it is not a whole folder or file name, or not its beginning."""
        return self.before not in ("", "/")

    def __str__(self) -> str:
        is_word = len(self.distinct) == 1 and re.fullmatch(r"[\w.-]+", self.values[0])
        if not self.field and self.is_piece and is_word:
            return self.before + self.values[0]
        return f"{self.before}{self.prefix}{{{self.field or '_'}}}"


def layout_of(folder: Path) -> Layout:
    """Return the layout of the runs in a folder."""
    paths: list[list[str]] = []
    runs: list[Run] = []
    with suppress(SitegenError):
        sources = discover.discover([folder]).sources
        for source in sources[:: len(sources) // MAX_READ + 1]:
            with suppress(SitegenError), source_files.opened(source) as file:
                parsed = readers.parse_file(file, named=False)
                if isinstance(parsed, tuple) and parsed:
                    paths.append(without_extension(source.within).split("/"))
                    runs.append(parsed[0].as_written)
    if runs and all(run.form in ("transcript", "session") for run in runs):
        return Layout(are_sessions=True)
    is_even = len(runs) > 1 and len(set(map(len, paths))) == 1
    if not is_even or any(run.task for run in runs):
        return Layout()
    return _describe(paths, [run.model or "" for run in runs])


def _describe(paths: Sequence[Sequence[str]], models: Sequence[str]) -> Layout:
    """Return the layout that paths show, with the model of each; an empty one if they show no task, or nothing else."""
    parts: list[_Part] = []
    for number, names in enumerate(zip(*paths, strict=True)):
        level = _Part("/" if number else "", names)
        _set_field(level, models)
        is_clear = level.field not in ("", "model") or all(map(_is_model, names, models))
        parts += [level] if is_clear else _pieces(level, models)
    _keep_last(parts)
    named = [part for part in parts if part.field not in ("", "_")]
    task = _find_task(parts)
    if task is None or not named:
        return Layout()
    task.field = "task"
    comments = [
        f"{{_}} is {_list(part.distinct)} here. If this matters, write {{campaign}}, {{label}}, or a name of your own "
        "such as {codebase}."
        for part in parts
        if not part.field and len(part.distinct) > 1
    ]
    if comments:
        comments.append(f"Is this the task: {_list(task.distinct)}? If not, move {{task}}.")
    return Layout("".join(map(str, parts)) + ".*", tuple(comments))


def _set_field(part: _Part, models: Sequence[str]) -> None:
    """Set the field of a part whose values show it."""
    values = part.distinct
    names = [value.lower() for value in values]
    attempts = list(map(_ATTEMPT.fullmatch, names))
    prefixes = {attempt[1] for attempt in attempts if attempt}
    if all(attempts) and len(prefixes) == 1:
        part.field = "attempt"
        part.prefix = values[0][: len(prefixes.pop())]
    elif all(map(_DAY.fullmatch, names)):
        part.field = "campaign"
    elif all(map(_UNIQUE_ID.fullmatch, names)):
        part.field = "_"
    elif _EFFORTS.issuperset(names):
        part.field = "effort"
    elif all(map(_names_agent, names)):
        part.field = "agent"
    elif all(map(_names_model, part.values, models)):
        part.field = "model"
    elif len(names) > 1 and any(map(_names_agent, names)):
        part.field = "agent"


def _names_agent(name: str) -> bool:
    """Return whether a name is that of an agent, or its first word."""
    agents = {*AGENT_NAMES, *map(str.lower, AGENT_NAMES.values())}
    agents |= {reader.name for reader in readers.BUILT_IN}
    agents |= {re.split("[ -]", agent)[0] for agent in agents} - {"mini"}
    return name.replace("_", "-") in agents


def _names_model(name: str, model: str) -> bool:
    """Return whether a word of a name is one of the model's."""
    words = set(re.findall("[a-z]{3,}", name.lower()))
    return not words.isdisjoint(re.findall("[a-z]{3,}", model.lower())) or _is_model(name, model)


def _is_model(name: str, model: str) -> bool:
    """Return whether a name is the model's, or a long part of it, but for signs."""
    plain_name, plain_model = (re.sub("[^a-z0-9]", "", text.lower()) for text in (name, model))
    return plain_name == plain_model or (len(plain_name) >= MIN_PART and plain_name in plain_model)


def _pieces(level: _Part, models: Sequence[str]) -> list[_Part]:
    """Return the pieces of the names of a level, such as `fix-login_opus_run1`, by the separator that shows most fields;
    the level itself if none shows one.
    """
    best = [level]
    for separator in ("__", "_", "-"):
        count = min(name.count(separator) for name in level.values)
        if separator == "-":
            count = min(
                count, 1
            )  # a name has dashes inside, so only the number behind the last is a piece
        columns = list(zip(*(name.rsplit(separator, count) for name in level.values), strict=True))
        pieces = [_Part(separator, column) for column in columns if count]
        for piece in pieces:
            _set_field(piece, models)
            if (separator == "-" and piece.field != "attempt") or not _is_plausible(piece):
                piece.field = piece.prefix = ""
        pieces = list(_join_unnamed(pieces))
        if _count_fields(pieces) > _count_fields(best):
            pieces[0].before = level.before
            best = pieces
    return best


def _count_fields(parts: Iterable[_Part]) -> int:
    return sum(bool(part.field) for part in parts)


def _is_plausible(piece: _Part) -> bool:
    """Return whether a number without a word can be an attempt rather than the number of an issue."""
    if piece.field != "attempt" or piece.prefix:
        return True
    numbers = list(map(int, piece.distinct))
    return min(numbers) <= 1 and max(numbers) <= MAX_BARE_ATTEMPT


def _join_unnamed(pieces: Iterable[_Part]) -> Iterator[_Part]:
    """Yield pieces, with neighbours that have no field as one."""
    last: _Part | None = None
    for piece in pieces:
        if last and not last.field and not piece.field:
            values = zip(last.values, piece.values, strict=True)
            last.values = [piece.before.join(pair) for pair in values]
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def _keep_last(parts: Sequence[_Part]) -> None:
    """Leave each field to one part: attempts with a word before those without, then the last part."""
    with_word = [part for part in parts if part.prefix]
    last = {part.field: part for part in (*parts, *with_word)}
    for part in parts:
        if part.field != "_" and last[part.field] is not part:
            part.field = part.prefix = ""


def _find_task(parts: Sequence[_Part]) -> _Part | None:
    """Return the part that is the task: of those without a field the one of most values, and the last of such."""
    unnamed = [part for part in parts if not part.field]
    varied = [part for part in unnamed if len(part.distinct) > 1]
    if varied:
        return max(reversed(varied), key=lambda part: len(part.distinct))
    single = [part for part in unnamed if part.values[0].lower() not in _FOLDERS_OF_RUNS]
    has_configurations = any(
        part.field in ("agent", "model", "effort", "campaign") for part in parts
    )
    return single[-1] if single and has_configurations else None


def _list(values: Sequence[str]) -> str:
    """Return the first values on one line: they stand in a comment of the settings."""
    shown = ", ".join(redact.terminal(value)[:40] for value in values[:MAX_SHOWN])
    return f"{shown}, ..." if len(values) > MAX_SHOWN else shown
