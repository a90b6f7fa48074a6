"""Which program a shell command runs, for a table of commands. A shell's own words are looked through."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SKIPPED_WORDS = """
    cd source . export set unset timeout time nice nohup env sudo exec command then do else eval wait true
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_LOOPS = frozenset({"for", "while", "until", "if", "case"})
_WITH_SUBCOMMAND_WORDS = """
    git npm npx yarn pnpm cargo go uv poetry docker kubectl make dotnet mvn gradle pip pip3 lake bundle rails
"""
_WITH_SUBCOMMAND = frozenset(_WITH_SUBCOMMAND_WORDS.split())
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_DURATION = re.compile(r"[0-9.]+[smhd]?")
_WORD = re.compile(r"[A-Za-z_./~][\w./@:+~-]*")
_SCRIPT = re.compile(r"[\w./~-]+\.(?:py|sh|js|ts|mjs|rb|pl)")
_INTERPRETERS = frozenset({"python", "python3", "node", "bash", "sh", "ruby", "perl", "deno", "bun"})
_REDIRECTION = re.compile(r"[0-9]*[<>]+&?[|]?\s*[^\s;|&]*|^#[^\n]*$", re.MULTILINE)
_TRIVIAL = frozenset(
    {
        "echo",
        "printf",
        "basename",
        "dirname",
        "test",
        "[",
        "ls",
        "cat",
        "head",
        "tail",
        "mkdir",
        "rm",
        "cp",
        "mv",
        "sleep",
    }
)
_SEPARATORS = re.compile(r"&&|\|\||[;|&()\n]")
MOST_CHARACTERS = 400
"""Of a command that are looked at."""


def program(command: str) -> str:
    """The program that a command runs, with its subcommand where it has such; "" where there is none. Of several it is
    the first that does more than show or move files; the time of the command is that of all of them.
    """
    names = list(_programs(command))
    return next((name for name in names if name not in _TRIVIAL), names[0] if names else "")


def _programs(command: str) -> Iterator[str]:
    for part in _SEPARATORS.split(_REDIRECTION.sub(" ", command[:MOST_CHARACTERS])):
        words = part.split()
        while words and (words[0] in _SKIPPED or _ASSIGNMENT.fullmatch(words[0]) or words[0].startswith("-")):
            first = words.pop(0)
            if first in ("cd", "source", ".", "export", "unset", "set"):
                words = []
            elif first in ("timeout", "nice") and words and _DURATION.fullmatch(words[0].removeprefix("-")):
                words.pop(0)
        if not words or words[0] in _LOOPS or not _WORD.fullmatch(words[0]):
            continue
        name = words[0].rpartition("/")[2]
        script = next((word for word in words[1:4] if _SCRIPT.fullmatch(word)), None)
        if name in _INTERPRETERS and script:
            yield f"{name} {script.rpartition('/')[2]}"
        elif name in _INTERPRETERS and len(words) > 2 and words[1] == "-m":
            yield f"{name} -m {words[2]}"
        elif name in _WITH_SUBCOMMAND and len(words) > 1 and re.fullmatch(r"[a-z][\w:-]*", words[1]):
            yield f"{name} {words[1]}"
        else:
            yield name
