"""Reads settings from a file: all faults are reported at once, because a person fixes a file once."""

import difflib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from pydantic import ValidationError

from sitegen.config.gates import PASS, Gates, RateGate, ScoreGate
from sitegen.config.settings import Config
from sitegen.config.values import SCORE, VERDICT
from sitegen.errors import ConfigError
from sitegen.inputs import discover
from sitegen.system.bounds import Section
from sitegen.text.yaml_text import Place, YamlFault, read_yaml


def load(path: Path, *, needed: Collection[str] = ()) -> Config:
    """Return the settings in `path`, with the paths in them made relative to its folder.

    `needed` are those of `inputs`, `outcomes`, `static` and `theme` whose paths have to lead somewhere; without inputs
    there are none. Raises: ConfigError, with a paragraph for each fault.
    """
    text = _read_text(path)
    config, places = _parse(text, str(path), path.parent)
    faults = [(*_find_place(key, places), reason) for key, reason in _missing(config, needed)]
    if faults:
        raise ConfigError(_in_paragraphs(str(path), text, faults))
    return config


def parse(text: str, name: str) -> Config:
    """Return the settings in a YAML text; `name` is what errors call the file.

    Raises: ConfigError, with a paragraph for each fault.
    """
    return _parse(text, name, None)[0]


def _read_text(path: Path) -> str:
    """Raises: ConfigError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if path.is_symlink():
            raise ConfigError(f"{path}: this is a broken link.") from None
        raise ConfigError(f"{path}: there is no such file. `sitegen init` writes one.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder. Name the file with the settings.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeError as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text: {error}.") from None


def _parse(
    text: str, name: str, folder: Path | None
) -> tuple[Config, Mapping[Place, tuple[int, int]]]:
    """Return the settings in a YAML text, and where each value stands; paths are relative to the folder, if any."""
    try:
        values, places = read_yaml(text)
        if not isinstance(values, dict | None):
            raise YamlFault((*places[()], "expected `key: value` lines"))
    except YamlFault as error:
        raise ConfigError(_in_paragraphs(name, text, [error.fault])) from None
    try:
        config = Config.model_validate(values or {}, context=folder)
    except ValidationError as invalid:
        faults = [_describe_fault(error, places) for error in invalid.errors()]
        raise ConfigError(_in_paragraphs(name, text, faults)) from None
    return config, places


def _missing(config: Config, needed: Collection[str]) -> Iterator[tuple[Place, str]]:
    """Yield what these keys name that is not there: where it stands, and what is wrong with it."""
    if "inputs" in needed and not config.inputs and not config.campaigns:
        yield ("inputs",), "no inputs are named; add `inputs:` with the folder of your runs"
    paths = {
        "inputs": [named.path for named in config.inputs],
        "outcomes": [named.path for named in config.outcomes],
    }
    for key in paths.keys() & needed:
        for number, path in enumerate(paths[key]):
            if reason := discover.missing(path):
                yield (key, number, "path"), f"'{key}.{number}', {path}: {reason}"
    for key, folder in (("static", config.static), ("theme", config.theme)):
        if key in needed and folder is not None and not os.path.isdir(folder):  # noqa: PTH112  that of Path raises for long names
            yield (key,), f"'{key}', {folder}: there is no such folder"


# What is wrong with settings, in sentences with line and column, and with the nearest key that is known.

_OF_MONTH = (
    "this gate was removed. Use `total_cost_usd` with `--since` and the first day of the month, or look at the costs "
    "by week and day that `view: sessions` shows."
)
_REPLACED = {
    "month_cost_usd": _OF_MONTH,
    "forecast_cost_usd": _OF_MONTH,
    "badge": "this setting was removed. data/figures.json has these figures for a badge of your own.",
}
"""The sentence about each key that was removed, with its replacement."""

_LIST = "is a list: write each item on a line of its own, after `- `"
_SECTION = "is a section: write `key: value` lines below it"
_SENTENCES = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _SECTION,
    "model_type": _SECTION,
    "model_attributes_type": _SECTION,
    "missing": "is missing",
}
"""The sentence about a key, by type of the error."""


def _describe_fault(
    error: Mapping[str, Any], places: Mapping[Place, tuple[int, int]]
) -> tuple[int, int, str]:
    """Return line and column of an error of pydantic, and a sentence about it."""
    path = _path_in_file(tuple(error["loc"]), places)
    line, column = _find_place(path, places)
    kind = error["type"]
    name = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return line, column, _describe_unknown_key(path, name)
    parts = [str(part) for part in path if part != "[key]"]  # so pydantic calls a wrong key itself
    key = ".".join(parts)
    if kind in _SENTENCES:
        return line, column, f"'{key}' {_SENTENCES[kind]}"
    reason = f"{error['msg'][:1].lower()}{error['msg'][1:]}"
    if kind == "value_error":
        reason = str(error["ctx"]["error"])
    return line, column, f"'{key}': {reason}" if key else reason


def _path_in_file(path: Place, places: Mapping[Place, tuple[int, int]]) -> Place:
    """Return the path of a gate on a score or on several attempts as it is written in the file."""
    for section, prefix in (("scores", SCORE), ("verdicts", VERDICT), ("passes", "pass^")):
        if path[:2] == ("gates", section) and path[2:] and path[:3] not in places:
            return ("gates", f"{prefix}{path[2]}", *path[3:])
    return path


def _describe_unknown_key(path: Place, name: str) -> str:
    if name in _REPLACED:
        return f"'{name}': {_REPLACED[name]}"
    known = _keys_beside(path)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f", did you mean '{near[0]}'?" if near else f". Known keys: {', '.join(known)}."
    return f"unknown key '{name}'{hint}"


def _keys_beside(path: Place) -> list[str]:
    """Return the keys that the section at the parent of `path` knows."""
    section: type[Section] = Config
    for part in map(str, path[:-1]):
        if section is Gates and part.startswith(SCORE):
            section = ScoreGate
        elif section is Gates and (PASS.fullmatch(part) or part.startswith(VERDICT)):
            section = RateGate
        elif known := section.model_fields.get(part):
            section = _section_in(known.annotation) or section
    return list(section.model_fields)


def _section_in(kind: object) -> type[Section] | None:
    """Return the section that a value of this type is, or holds."""
    if isinstance(kind, type) and issubclass(kind, Section):
        return kind
    return next(filter(None, map(_section_in, get_args(kind))), None)


def _find_place(path: Place, places: Mapping[Place, tuple[int, int]]) -> tuple[int, int]:
    """Return line and column of a value. A missing key has no place of its own: its section's is the nearest."""
    while path and path not in places:
        path = path[:-1]
    return places.get(path, (0, 0))


def _in_paragraphs(name: str, text: str, faults: Iterable[tuple[int, int, str]]) -> str:
    """Return for each fault, in the order of the file, `config.yaml:7:3: message`, then the line itself."""
    lines = text.splitlines()
    paragraphs: list[str] = []
    for number, column, message in sorted(faults):
        shown = f"\n    {lines[number].rstrip()}" if number < len(lines) else ""
        paragraphs.append(f"{PurePosixPath(name)}:{number + 1}:{column + 1}: {message}{shown}")
    return "\n\n".join(paragraphs)
