"""The program that a shell command runs, for a table of commands. A shell's own words, comments and texts that go into
a file are looked through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from sitegen.readers.common.records import known
from sitegen.readers.common.records import words as words_of

MAX_CHARACTERS = 4_000
MAX_TOKENS = 200
"""The tokens of a command that are looked at; a real one has some 130 at most."""
_TEXT = re.compile(r"<<-?[ \t]*(['\"\\]?)(\w+)\1[^\n]*\n.*?(?:\n[ \t]*\2[ \t]*(?=\n|\Z)|\Z)", re.DOTALL)
"""A text that goes into a program, from `<<EOF` to the line that ends it."""
_TOKEN = re.compile(
    r"(?P<comment>(?<![^\s;&|(])\#[^\n]*)"
    r"|(?P<redirection>[0-9]?(?:<<<|[<>]{1,2}&?)\|?[ \t]*(?:'[^']*'|\"[^\"]*\"|[^\s;|&()<>'\"]*))"
    r"|(?P<end>&&|\|\||[;|&\n]|\$?\((?!\()|\)|`)"
    r"|(?P<word>(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$?\(\([^\n()]{0,80}\)\)|[^\s;|&()<>'\"\\`]|['\"\\])+)",
    re.DOTALL,
)
_BEFORE = words_of("if elif while until then else do ! time { sudo nohup env exec command eval")
"""The words before a program in the same part of a command."""
_SKIPPED = known("commands skipped")
_WITH_OPTIONS = words_of("timeout nice stdbuf xvfb-run ionice")
"""The words before a program with options and numbers of its own."""
_TRIVIAL = words_of("echo printf basename dirname ls cat head tail mkdir rm cp mv sleep pwd touch")
_WITH_SUBCOMMAND = known("commands with subcommands")
_INTERPRETERS = words_of("python python3 node bash sh zsh ruby perl deno bun")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_OPTION = re.compile(r"-.*|[0-9.]+[smhd]?", re.DOTALL)
_PROGRAM = re.compile(r"(?:[A-Za-z_/~]|\.{1,2}/)[\w./@+~-]{0,200}")
_SCRIPT = re.compile(r"[\w./~-]+\.(?:py|sh|js|ts|mjs|rb|pl)")
_SUBCOMMAND = re.compile(r"[a-z][\w:-]*")
_OPTIONS_WITH_VALUE = frozenset({"-C", "-c"})


def program(command: str) -> str:
    """Return the program that a command runs, with its subcommand where it has such; "" where there is none. Of several
    it is the first that does more than show or move files; the time of the command is that of all of them.
    """
    names = list(_programs(command))
    return next((name for name in names if name not in _TRIVIAL), names[0] if names else "")


def _programs(command: str) -> Iterator[str]:
    return map(_named, commands_in(command))


def commands_in(command: str) -> Iterator[list[str]]:
    """Yield the words of each program that a shell command runs, without what stands before it."""
    for words in _parts(_TEXT.sub("\n", command[:MAX_CHARACTERS])):
        while words and (words[0] in _BEFORE or words[0] in _WITH_OPTIONS or _ASSIGNMENT.fullmatch(words[0])):
            if words.pop(0) in _WITH_OPTIONS:
                while words and _OPTION.fullmatch(words[0]):
                    words.pop(0)
        if words and words[0] not in _SKIPPED and _PROGRAM.fullmatch(words[0]):
            yield words


def _parts(command: str) -> Iterator[list[str]]:
    """Yield the words of each part that a shell runs by itself."""
    words: list[str] = []
    for token in islice(_TOKEN.finditer(command), MAX_TOKENS):
        if token.lastgroup == "word":
            words.append(token[0].strip("'\"") if token[0][0] in "'\"" else token[0])
        elif token.lastgroup == "end":
            yield words
            words = []
    yield words


def _named(words: list[str]) -> str:
    name = words[0].rpartition("/")[2]
    if name in _INTERPRETERS:
        if len(words) > 2 and words[1] == "-m":
            return f"{name} -m {words[2]}"
        script = next((word for word in words[1:4] if _SCRIPT.fullmatch(word)), None)
        return f"{name} {script.rpartition('/')[2]}" if script else name
    if name in _WITH_SUBCOMMAND:
        for before, word in pairwise(words[:5]):
            if not word.startswith("-") and before not in _OPTIONS_WITH_VALUE:
                return f"{name} {word}" if _SUBCOMMAND.fullmatch(word) else name
    return name
