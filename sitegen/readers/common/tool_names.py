"""What tools of agents do, by their names, and what their inputs say in few words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sitegen.readers.common.values import shortened
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
_TARGETS = (
    *("command", "cmd", "pattern", "file_path", "filePath", "target_file", "absolute_path", "path"),
    *("url", "query", "description", "prompt"),
)
MAX_TARGET = 300


def kind_of(name: str) -> ToolKind:
    """What a tool of this name does; case, hyphens and the endings of Cursor's names make no difference."""
    bare = _NOT_A_LETTER.sub("", name[:100].lower()).removesuffix("toolcall")
    return _KINDS.get(bare, ToolKind.OTHER)


def target_of(given: Mapping[str, Any]) -> str:
    """One line: the command, pattern, path or address of an input; "" where it has none."""
    for name in _TARGETS:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            line = next(line for line in _command(value[:10_000]).split("\n") if line.strip())
            return shortened(" ".join(line.split()), MAX_TARGET)
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
