"""The values that settings of several sections take, and what is checked about each."""

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from sitegen.inputs import discover
from sitegen.masking.redact import terminal
from sitegen.system.bounds import Section
from sitegen.system.places import is_address
from sitegen.text.names import PathPattern


class FaultBelow(ValueError):  # noqa: N818  a fault of the file, as ValueError is for pydantic
    """A fault of a key below the section that found it."""

    def __init__(self, path: tuple[str | int, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


def check_pattern(pattern: str) -> str:
    PathPattern(pattern)  # raises ValueError with what is wrong
    return pattern


def check_title(title: str) -> str:
    line = terminal(title)  # a title stands in pages, in the picture of links and in the terminal
    if not any(
        map(str.isprintable, line.replace(" ", ""))
    ):  # nor is a title of invisible signs one
        raise ValueError("write a title that can be read")
    return line


def check_language(language: str) -> str:
    if not re.fullmatch(LANGUAGE, language):
        raise ValueError("write a language as in `en` or `pt-BR`")
    return language


LANGUAGE = r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"
"""The form of the names of languages."""


def check_day(day: str) -> str:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day):
            return date.fromisoformat(day).isoformat()
    except ValueError:
        pass
    raise ValueError("write the day as in 2026-11-18")


def check_site_url(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError("write the address of the site as https://host/folder/")
    if "@" in parts.netloc:
        raise ValueError("it is shown on every page: write it without a user name and a password")
    return address if address.endswith("/") else address + "/"


def check_file_name(name: str) -> str:
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        raise ValueError("write the name of a file, without folders")
    return name


def refuse_empty(value: object) -> object:
    """Refuse a limit that is named and not given: such a gate would always pass."""
    if value is None:
        raise ValueError("there is no limit here; write one, as in `max: 20`, or leave the key out")
    return value


def read_share(value: object) -> object:
    """Return `20 %` as 0.2."""
    if isinstance(value, str) and (percent := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?%", value)):
        return float(percent[1]) / 100
    return value


Percent = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)? ?%$")]


def or_percent(number: Any) -> BeforeValidator:
    """Let a share be written as a number of this type, or as `20 %`."""
    return BeforeValidator(_require_share, json_schema_input_type=number | Percent)


def _require_share(value: object) -> object:
    """Return a share as a number. Raises: ValueError for any other text."""
    share = read_share(value)
    if isinstance(share, str):
        raise ValueError("write a share, such as 5 % or 0.05")
    return share


def place_path(path: str, info: ValidationInfo) -> str:
    """Return a path in a file of settings, which is relative to the folder of that file."""
    if info.context is None or is_address(path):
        return path
    try:
        return str(info.context / Path(path).expanduser())
    except RuntimeError:
        raise ValueError(f"there is no home folder of this user in {path}") from None


class _FileBelow:
    """Places a path that has to be that of a file with this ending, in the folder of the settings or below."""

    def __init__(self, what: str, ending: str) -> None:
        self._what = what
        self._ending = ending

    def __call__(self, path: str, info: ValidationInfo) -> str:
        placed = place_path(path, info)
        if info.context is not None and not is_file_below(info.context, path, self._ending):
            why = discover.missing(placed) or f"name {self._what} below {info.context}"
            raise ValueError(f"{path}: {why}")
        return placed


def is_file_below(folder: Path, name: str, ending: str) -> bool:
    """Return whether a name is that of a file with this ending in a folder or below it, also behind links."""
    try:
        path = (folder / name).resolve()
        return path.is_relative_to(folder.resolve()) and path.suffix == ending and path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def or_path(section: type[Section]) -> BeforeValidator:
    """Lets a path alone stand for a section that has no other key."""
    return BeforeValidator(
        lambda value: {"path": value} if isinstance(value, str) else value,
        json_schema_input_type=str | section,
    )


or_list = BeforeValidator(
    lambda value: (value,) if isinstance(value, str) else value,
    json_schema_input_type=str | list[str],
)
undated = BeforeValidator(lambda value: value.isoformat() if type(value) is date else value)
"""YAML makes dates of what looks like one."""

SCORE = "score."
VERDICT = "verdict."
"""The beginning of the names of gates and rankings that are about a score."""
GROUPS = ("configuration", "model", "agent", "campaign", "task")
"""The dimensions whose groups gates can be on, besides properties of tasks."""

Real = Annotated[float, Field(allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Rate = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[Amount, or_percent(Amount)]
ShareOfAll = Annotated[Rate, or_percent(Rate)]
Text = Annotated[str, Field(min_length=1, max_length=80)]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]
Title = Annotated[str, Field(min_length=1), AfterValidator(check_title)]
Day = Annotated[str, undated, AfterValidator(check_day)]
Pattern = Annotated[str, AfterValidator(check_pattern)]
FileName = Annotated[str, Field(max_length=255), AfterValidator(check_file_name)]
PlacedPath = Annotated[str, AfterValidator(place_path)]
FilledPath = Annotated[str, Field(min_length=1), AfterValidator(place_path)]
PagePath = Annotated[Text, AfterValidator(_FileBelow("a Markdown file", ".md"))]
ChartPath = Annotated[
    str,
    Field(min_length=1, max_length=4096),
    AfterValidator(_FileBelow("a Vega-Lite file", ".json")),
]
