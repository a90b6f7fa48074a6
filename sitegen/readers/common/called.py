"""The names in a call: its tool, and the skill, plug-in, server or program that it uses.

A control arm lacks one of these. Which runs called it shows how many received the treatment.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from sitegen.readers.common.records import Record
from sitegen.readers.common.tool_names import path_of, program
from sitegen.steps import ToolKind
from sitegen.text.names import MAX_CALLED_NAME

SKILL = "skill"
PLUGIN = "plugin"
MAX_PARTS = 8  # the parts of a name that may be names of their own
MAX_COMMAND = 4_000

_OF_A_SKILL = ("skill", "skill_name", "skillName", "name", "command")
_OF_A_SUBAGENT = ("subagent_type", "agent_type", "agent_name", "agent")
# A skill that is read instead of called.
_SKILL_FILE = re.compile(r"([\w.-]{1,100})[/\\]SKILL\.md\b")
# `mcp__server__tool`, `server/tool`, `plugin:skill`.
_BETWEEN_NAMES = re.compile(r"__|[/:.]")
# `github_search_code` may be the tool of a server called github.
_BETWEEN_WORDS = re.compile(r"[_-]")


def names_of_call(name: str, given: Record, kind: ToolKind, command: str) -> Iterator[str]:
    """Yield the names of what a call uses; `command` is what it runs."""
    yield from _with_parts(name[:MAX_CALLED_NAME])
    if "skill" in name[:MAX_CALLED_NAME].casefold():
        yield SKILL
        yield from _names_in(given, _OF_A_SKILL)
    elif kind is ToolKind.TASK:
        yield from _names_in(given, _OF_A_SUBAGENT)
    elif kind is ToolKind.READ:
        yield from _skills_read(path_of(given) or "")
    elif kind is ToolKind.RUN:
        yield program(command)
        yield from _skills_read(command[:MAX_COMMAND])


def _names_in(given: Record, fields: tuple[str, ...]) -> Iterator[str]:
    """Yield the names in these fields of an input; one with a colon is that of a plug-in."""
    for field in fields:
        value = given.get(field)
        if isinstance(value, str):
            value = value[:MAX_CALLED_NAME].removeprefix("/")
            yield from _with_parts(value)
            if ":" in value:
                yield PLUGIN


def _skills_read(text: str) -> Iterator[str]:
    """Yield the skills whose instructions a path or a command names."""
    # Most texts name none, and looking for a name before that of the file takes long.
    names = _SKILL_FILE.findall(text) if "SKILL.md" in text else ()
    for skill in islice(names, MAX_PARTS):
        yield SKILL
        yield skill


@lru_cache(maxsize=1_000)
def _with_parts(name: str) -> tuple[str, ...]:
    """Return a name, its parts, and what each of these begins with."""
    names = {name: None}
    for part in _BETWEEN_NAMES.split(name)[:MAX_PARTS]:
        part = part.removeprefix("plugin_") if part != name else part
        names[part] = None
        for sign in islice(_BETWEEN_WORDS.finditer(part), MAX_PARTS):
            names[part[: sign.start()]] = None
    if "plugin_" in name:
        names[PLUGIN] = None
    return tuple(filter(None, names))
