"""The settings: one model, and errors that name file, line and column.

YAML is read as nodes first, so that every value keeps its place in the file; pydantic then checks the values.
All faults are reported at once, because a person mends a file once, not once for each fault. The loader is
stricter than YAML: no duplicate keys, no aliases (they can blow up to gigabytes), and only `true` and `false`
are booleans, since nobody who writes `language: no` means false.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sitegen.errors import ConfigError
from sitegen.names import PathPattern

Place = tuple[str | int, ...]
"""Where a value stands in the document: keys and list indexes from the top."""


def _known_fields(text: str) -> str:
    PathPattern(text)  # raises ValueError with what is wrong
    return text


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError("write the address of the site as https://host/folder/")
    return text if text.endswith("/") else text + "/"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Input(_Section):
    """A file, a folder or a glob pattern that holds runs."""

    path: Annotated[str, Field(min_length=1, description="File, folder or glob pattern; relative to this file.")]
    pattern: Annotated[str, AfterValidator(_known_fields)] | None = Field(
        None, description="What the parts of a run's path mean, such as {task}/{model}/{attempt}.*"
    )


class Price(_Section):
    """List prices of one model in USD per million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cache_read: Annotated[float, Field(ge=0)] | None = None
    cache_write: Annotated[float, Field(ge=0)] | None = None
    cache_write_1h: Annotated[float, Field(ge=0)] | None = None


def _as_input(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


class Config(_Section):
    """Everything that can be set. Each key is explained in README.md."""

    title: Annotated[str, Field(min_length=1)] = "Agent runs"
    description: str = ""
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = "en"
    inputs: Annotated[tuple[Annotated[Input, BeforeValidator(_as_input)], ...], Field(strict=False)] = ()
    ignore: Annotated[tuple[str, ...], Field(strict=False)] = ()
    tasks: dict[str, str] = {}
    models: dict[str, str] = {}
    prices: dict[str, Price] = {}
    site_url: Annotated[str, AfterValidator(_address)] | None = None
    static: str | None = None
    output: Annotated[str, Field(min_length=1)] = "site"


def load(path: Path) -> Config:
    """The settings in `path`, with `inputs`, `static` and `output` made relative to its folder.

    Raises: ConfigError, with a paragraph for each fault.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file. `sitegen init` writes one.") from None
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text: {error}.") from None
    config = parse(text, path.name)
    folder = path.parent

    def beside(value: str) -> str:
        return str(folder / Path(value).expanduser())

    return config.model_copy(
        update={
            "inputs": tuple(i.model_copy(update={"path": beside(i.path)}) for i in config.inputs),
            "static": None if config.static is None else beside(config.static),
            "output": beside(config.output),
        }
    )


def parse(text: str, name: str) -> Config:
    """The settings in a YAML text; `name` is what errors call the file.

    Raises: ConfigError, with a paragraph for each fault.
    """
    try:
        values, places = _read(text)
    except _Fault as found:
        raise ConfigError(_paragraph(name, text, *found.fault)) from None
    try:
        return Config.model_validate(values)
    except ValidationError as invalid:
        faults = sorted(_fault(error, places) for error in invalid.errors())
        raise ConfigError("\n\n".join(_paragraph(name, text, *fault) for fault in faults)) from None


class _Fault(Exception):  # noqa: N818  not an error of ours: a fault of the file, with its place
    def __init__(self, fault: tuple[int, int, str]) -> None:
        self.fault = fault


class _Loader(yaml.SafeLoader):
    """YAML without aliases and with `true` and `false` as the only booleans."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise _Fault((mark.line, mark.column, "aliases (*name) are not allowed here: write the value out"))
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _read(text: str) -> tuple[dict[str, Any], dict[Place, tuple[int, int]]]:
    """A YAML document as plain values, and where each stands: path -> (line, column), both from 0."""
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:  # it looks for characters that may not stand in YAML at all
        line, column = text.count("\n", 0, error.position), error.position - text.rfind("\n", 0, error.position) - 1
        raise _Fault((line, column, f"the character U+{ord(text[error.position]):04X} is not allowed")) from None
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise _Fault((node.start_mark.line, node.start_mark.column, "expected `key: value` lines"))
        places = dict(_places(node, ()))
        values: dict[str, Any] = loader.construct_document(node)
        return values, places
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        raise _Fault((line, column, f"this is not YAML: {error.problem}")) from None
    except yaml.YAMLError as error:
        raise _Fault((0, 0, f"this is not YAML: {' '.join(str(error).split())}")) from None
    except RecursionError:
        raise _Fault((0, 0, "the settings are nested too deeply")) from None
    finally:
        loader.dispose()


def _places(node: yaml.Node, path: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
    """Every path in the document with the place where its key (or, in a list, its value) begins."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            mark = key.start_mark
            if not isinstance(key, yaml.ScalarNode):
                raise _Fault((mark.line, mark.column, "a key must be plain text"))
            if key.value in seen:
                raise _Fault((mark.line, mark.column, f"the key '{key.value}' stands here a second time"))
            seen.add(key.value)
            yield (*path, key.value), (mark.line, mark.column)
            yield from _places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*path, index), (value.start_mark.line, value.start_mark.column)
            yield from _places(value, (*path, index))


def _fault(error: Mapping[str, Any], places: Mapping[Place, tuple[int, int]]) -> tuple[int, int, str]:
    path: Place = tuple(error["loc"])
    place = path
    while place and place not in places:  # a missing key has no place of its own: its section's is the nearest
        place = place[:-1]
    line, column = places.get(place, (0, 0))
    key = ".".join(str(part) for part in path)
    match error["type"]:
        case "extra_forbidden":
            name = str(path[-1])
            near = difflib.get_close_matches(name, _keys_beside(path), n=1)
            hint = f", did you mean '{near[0]}'?" if near else f". Known keys: {', '.join(_keys_beside(path))}."
            return line, column, f"unknown key '{name}'{hint}"
        case "missing":
            return line, column, f"'{key}' is missing"
        case "value_error":
            return line, column, f"'{key}': {error['ctx']['error']}"
        case _:
            return line, column, f"'{key}': {error['msg'][:1].lower()}{error['msg'][1:]}"


def _keys_beside(path: Place) -> list[str]:
    """The keys that the section at the parent of `path` knows."""
    sections: dict[str, type[BaseModel]] = {"inputs": Input, "prices": Price}
    return list(sections.get(str(path[0]) if path[1:] else "", Config).model_fields)


def _paragraph(name: str, text: str, line: int, column: int, message: str) -> str:
    """`config.yaml:7:3: message`, then the line itself."""
    lines = text.splitlines()
    shown = f"\n    {lines[line].rstrip()}" if line < len(lines) else ""
    return f"{PurePosixPath(name)}:{line + 1}:{column + 1}: {message}{shown}"
