"""What tools of agents do, by their names, and what their inputs say in few words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sitegen.readers.common.programs import program
from sitegen.readers.common.values import beginning
from sitegen.steps import ToolKind

_NAMES = {
    ToolKind.READ: "read readfile readmanyfiles view viewimage ls list listdir listdirectory",
    ToolKind.SEARCH: "grep glob search rg grepsearch filesearch searchfilecontent codebasesearch semsearch toolsearch",
    ToolKind.EDIT: "edit multiedit write writefile editfile createfile create delete replace applypatch filechange",
    ToolKind.RUN: "bash shell localshell exec execcommand commandexecution runshellcommand terminal powershell",
    ToolKind.FETCH: "webfetch websearch googlewebsearch fetch readwebpage",
    ToolKind.TASK: "task agent spawnagent",
    ToolKind.WAIT: "wait sleep waitagent writestdin readbash",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_NOT_A_LETTER = re.compile(r"[^a-z]")
_SHELL = re.compile(r"(?:/\S{1,100}/)?(?:ba|z|da)?sh -l?c (?P<command>.+)", re.DOTALL)
_COMMANDS = ("command", "cmd")
_TARGETS = (
    *(*_COMMANDS, "pattern", "file_path", "filePath", "target_file", "absolute_path", "path"),
    *("url", "query", "description", "prompt"),
)
MAX_TARGET = 2_000
"""Characters: it is masked first, and shortened to a line then."""


def kind_of(name: str) -> ToolKind:
    """What a tool of this name does; case, hyphens and the endings of Cursor's names make no difference."""
    bare = _NOT_A_LETTER.sub("", name[:100].lower()).removesuffix("toolcall")
    return _KINDS.get(bare, ToolKind.OTHER)


def target_of(given: Mapping[str, Any]) -> str:
    """The command, pattern, path or address of an input, its first line; "" where it has none."""
    found = _first(given, _TARGETS)
    return next((beginning(line, MAX_TARGET) for line in lines_of(found) if line.strip()), "")


def lines_of(command: str) -> list[str]:
    """The lines of a command; one that ends in a backslash goes on in the next, with which it may hold a secret."""
    return _LINE_END.split(command)


_LINE_END = re.compile(r"(?<!\\)\n")


def program_of(given: Mapping[str, Any]) -> str:
    """The program that a command runs."""
    return program(_first(given, _COMMANDS))


def _first(given: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of these fields that holds a text, or the parts of a command; "" where none does."""
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return _command(value[:10_000])
    return ""


def _command(value: str) -> str:
    """Without the shell that a command is given to."""
    found = _SHELL.fullmatch(value)
    command = found["command"] if found else value
    quoted = found and command[:1] in ("'", '"') and command[-1:] == command[:1] and len(command) > 2
    command = command[1:-1] if quoted else command
    return command if command.strip() else value


def path_of(given: Mapping[str, Any]) -> str | None:
    """The file that an input names."""
    names = ("file_path", "filePath", "target_file", "absolute_path", "path")
    return next((value for name in names if isinstance(value := given.get(name), str)), None)
