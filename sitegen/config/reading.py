"""Reads settings from a file: all faults are reported at once, because a person fixes a file once."""

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from pydantic import ValidationError

from sitegen.config.gates import PASS, Gates, RateGate, ScoreGate
from sitegen.config.settings import Config
from sitegen.config.values import SCORE, VERDICT, FaultBelow, read_share
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


_TOP_KEY = re.compile(r"^['\"]?([A-Za-z][\w.-]*)['\"]?[ \t]*:(?=\s|$)", re.MULTILINE)
_COMMON_KEYS = frozenset(
    "title description language output static theme pages models agents tasks names limits search charts prices "
    "history factors control properties scores person baseline".split()
)
"""Keys that settings of other programs have too."""


def foreign_keys(path: Path) -> list[str]:
    """Return the unknown keys of settings that are those of another program; else none.

    A file with one key that only sitegen has, or one like it, is sitegen's: what it masks must not be passed over.
    """
    try:
        keys = dict.fromkeys(_TOP_KEY.findall(_read_text(path)))
    except ConfigError:
        return []
    unknown: list[str] = []
    for key in keys:
        near = difflib.get_close_matches(key.lower(), Config.model_fields, n=1, cutoff=0.8)
        if not near:
            unknown.append(key)
        elif near[0] not in _COMMON_KEYS:
            return []
    return unknown


def _read_text(path: Path) -> str:
    """Raises: ConfigError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if path.is_symlink():
            raise ConfigError(f"{path}: this is a broken link.") from None
        raise ConfigError(
            f"{path}: there is no such file. Check the spelling; `sitegen init` writes config.yaml."
        ) from None
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
        faults = [_describe_fault(error, places) for error in _drop_misspelt(invalid.errors())]
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

MAX_LISTED = 20  # keys in a message
MAX_SHOWN_VALUE = 40  # characters of a value in a message

_SECTION = "is a section: write `key: value` lines below it"
_LIST = "is a list: write each item on a line of its own, after `- `"
_SENTENCES = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _SECTION,
    "model_type": _SECTION,
    "model_attributes_type": _SECTION,
    "string_type": "is one text: write it without `- ` or `key:`",
    "bool_type": "is a switch: write true or false",
    "int_type": "is a whole number: write it without a unit",
    "float_type": "is a number: write it without a unit",
    "greater_than_equal": "has to be {ge:g} or more",
    "less_than_equal": "has to be {le:g} or less",
    "less_than": "has to be less than {lt:g}",
    "literal_error": "is a choice: write {expected}",
    "enum": "is a choice: write {expected}",
    "finite_number": "has to be a finite number",
    "string_too_short": "needs {min_length} or more characters",
    "string_too_long": "has to have {max_length} characters or fewer",
    "too_short": "needs {min_length} or more items",
    "too_long": "takes at most {max_length}",
}
"""The sentence about a key, by type of the error."""


def _describe_fault(
    error: Mapping[str, Any], places: Mapping[Place, tuple[int, int]]
) -> tuple[int, int, str]:
    """Return line and column of an error of pydantic, and a sentence about it."""
    path = tuple(error["loc"])
    kind = error["type"]
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, FaultBelow):
        path = (*path, *cause.path)
    path = _path_in_file(path, places)
    line, column = _find_place(path, places)
    name = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return line, column, _describe_unknown_key(path, name)
    parts = [str(part) for part in path if part != "[key]"]  # so pydantic calls a wrong key itself
    key = ".".join(parts)
    if kind == "missing":
        return line, column, _describe_missing(path, key, name)
    if kind in _SENTENCES:
        return line, column, f"'{key}' {_describe_value(error)}"
    reason = f"{error['msg'][:1].lower()}{error['msg'][1:]}"
    if kind == "value_error":
        reason = str(cause)
    return line, column, f"'{key}': {reason}" if key else reason


def _drop_misspelt(errors: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return errors without keys that are missing because they are misspelt, which another error says."""
    misspelt: set[Place] = set()
    for error in errors:
        *parents, name = error["loc"] or ("",)
        if error["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(name), _section_of(error["loc"]).model_fields, n=1)
            misspelt.update((*parents, key) for key in near)
    return [error for error in errors if error["type"] != "missing" or error["loc"] not in misspelt]


def _describe_missing(path: Place, key: str, name: str) -> str:
    if path and isinstance(path[-1], int):
        return f"'{key.rpartition('.')[0]}' needs another item"
    return f"'{key}' is missing: add `{name}: ...`"


def _describe_value(error: Mapping[str, Any]) -> str:
    """Return what a value has to be, with the value as it should have been written where that is clear."""
    kind, value = error["type"], error["input"]
    is_scalar = isinstance(value, str | int | float | date)
    if kind == "string_type" and is_scalar:
        return f'is a text: put it in quotes, as in "{value}"'
    if kind == "string_type" and value is None:
        return "is empty: write a text, or leave the line out"
    if kind in ("tuple_type", "list_type") and is_scalar and len(str(value)) <= MAX_SHOWN_VALUE:
        item = read_share(value) if error["loc"][-1] in _LISTS_OF_NUMBERS else value
        return f"is a list: write [{item}]"
    if kind == "float_type" and (number := read_share(value)) != value:
        return f"is a number: write {number}"
    is_number = isinstance(value, int | float)
    limit = error.get("ctx", {}).get("le", error.get("ctx", {}).get("lt"))
    if is_number and limit == 1 and 1 < value <= 100:
        return f"is a share: write {value / 100:g} or {value:g} %"
    return _SENTENCES[kind].format(**error.get("ctx", {}))


_LISTS_OF_NUMBERS = {"cut"}
"""Keys whose items are numbers: a share among them is written as one."""


def _path_in_file(path: Place, places: Mapping[Place, tuple[int, int]]) -> Place:
    """Return the path of a gate on a score or on several attempts as it is written in the file."""
    for section, prefix in (("scores", SCORE), ("verdicts", VERDICT), ("passes", "pass^")):
        if path[:2] == ("gates", section) and path[2:] and path[:3] not in places:
            return ("gates", f"{prefix}{path[2]}", *path[3:])
    return path


def _describe_unknown_key(path: Place, name: str) -> str:
    if name in _REPLACED:
        return f"'{name}': {_REPLACED[name]}"
    if name.startswith("pass^"):
        return f"unknown key '{name}': write pass^1 to pass^10"
    section = _section_of(path)
    known = list(section.model_fields)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
    for key, field in section.model_fields.items():
        below = _section_in(field.annotation)
        if below and name in below.model_fields and not near:
            return f"unknown key '{name}': it belongs below `{key}`"
    near = near or difflib.get_close_matches(name, known, n=1)
    listed = ", ".join(known) if len(known) <= MAX_LISTED else "see docs/settings.md"
    hint = f", did you mean '{near[0]}'?" if near else f". Known keys: {listed}."
    return f"unknown key '{name}'{hint}"


def _section_of(path: Place) -> type[Section]:
    """Return the section at the parent of `path`."""
    section: type[Section] = Config
    for part in map(str, path[:-1]):
        if section is Gates and part.startswith(SCORE):
            section = ScoreGate
        elif section is Gates and (PASS.fullmatch(part) or part.startswith(VERDICT)):
            section = RateGate
        elif known := section.model_fields.get(part):
            section = _section_in(known.annotation) or section
    return section


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
