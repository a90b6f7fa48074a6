"""Calls of agents' tools: their kinds by names and inputs, what they are about, and the programs that commands run."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from sitegen.readers.common.records import Record, known
from sitegen.readers.common.records import words as words_of
from sitegen.readers.common.values import beginning
from sitegen.steps import ToolKind

# The program that a shell command runs, for a table of commands. A shell's own words, comments and texts that go into a
# file are looked through.

MAX_CHARACTERS = 4_000
# A text that goes into a program, from `<<EOF` to the line that ends it.
_TEXT = re.compile(
    r"<<-?[ \t]*(['\"\\]?)(\w+)\1[^\n]*\n.*?(?:\n[ \t]*\2[ \t]*(?=\n|\Z)|\Z)", re.DOTALL
)
_TOKEN = re.compile(
    r"(?P<comment>(?<![^\s;&|(])\#[^\n]*)"
    r"|(?P<redirection>[0-9]?(?:<<<|[<>]{1,2}&?)\|?[ \t]*(?:'[^']*'|\"[^\"]*\"|[^\s;|&()<>'\"]*))"
    r"|(?P<end>&&|\|\||[;|&\n]|\$?\((?!\()|\)|`)"
    r"|(?P<word>(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$?\(\([^\n()]{0,80}\)\)|[^\s;|&()<>'\"\\`]|['\"\\])+)",
    re.DOTALL,
)
# The words before a program in the same part of a command.
_BEFORE = words_of("if elif while until then else do ! time { sudo nohup env exec command eval")
_SKIPPED = known("commands skipped")
# The words before a program with options and numbers of its own.
_WITH_OPTIONS = words_of("timeout nice stdbuf xvfb-run ionice")
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
    first = ""
    for words in commands_in(command):
        name = _named(words)
        if name not in _TRIVIAL:
            return name
        first = first or name
    return first


def commands_in(command: str) -> Iterator[list[str]]:
    """Yield the words of each program that a shell command runs, without what stands before it."""
    for words in _parts(_TEXT.sub("\n", command[:MAX_CHARACTERS])):
        while words and (
            words[0] in _BEFORE or words[0] in _WITH_OPTIONS or _ASSIGNMENT.fullmatch(words[0])
        ):
            if words.pop(0) in _WITH_OPTIONS:
                while words and _OPTION.fullmatch(words[0]):
                    words.pop(0)
        if words and words[0] not in _SKIPPED and _PROGRAM.fullmatch(words[0]):
            yield words


def _parts(command: str) -> Iterator[list[str]]:
    """Yield the words of each part that a shell runs by itself."""
    words: list[str] = []
    for token in _TOKEN.finditer(command):
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


# The kinds of agents' tools, recognised by names and inputs, and short descriptions of their inputs.

_KINDS = {
    name: kind for kind in ToolKind if kind is not ToolKind.OTHER for name in known(f"tools {kind}")
}
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,1000})$", re.MULTILINE)
_NOT_A_LETTER = re.compile(r"[^a-z]")
_SHELL = re.compile(r"(?:/\S{1,100}/)?(?:ba|z|da)?sh -l?c (?P<command>.+)", re.DOTALL)
_SLEEPS = re.compile(r"\s*sleep [0-9.]")
_WRITE = re.compile(
    r"(?:cat|tee)\b(?=[^|;&]*<<)(?:[^|;&<>]*>>? ?|(?<=tee) +(?:-a +)?|[^|;&>]*>>? ?)(?P<file>[^\s<>|;&]{1,500})"
)
_LINE_END = re.compile(r"(?<!\\)\n")
_SETS_UP = re.compile(r"(?:cd|source|export|set|mkdir) [^;&|]*")
_DELIMITER = re.compile(r"<<-?\s*['\"\\]?(\w+)")
_BEFORE_A_WRITE = re.compile(r"#|(?:cd|source|export|set|mkdir) [^\n]*$|$")
_COMMANDS = ("command", "cmd")
_PATHS = "file_path filePath notebook_path target_file absolute_path path".split()
# Any other text may be a prompt, or what a file holds.
_TARGETS = (
    "task_id",
    "bash_id",
    *_PATHS,
    "url",
    "query",
    "description",
    "subagent_type",
    "skill",
    "name",
)
MAX_TARGET = 2_000  # characters: it is masked first, and shortened to a line then


def kind_of(name: str, given: Record) -> ToolKind:
    """Return what a tool of this name does with this input; case, hyphens and the endings of Cursor's names make no
    difference. A command that begins with `sleep` waits, and one that writes a text into a file edits it."""
    kind = _kind_of(name[:100])
    if kind is ToolKind.RUN and isinstance(command := given.get("command"), str):
        if _SLEEPS.match(command):
            return ToolKind.WAIT
        if written_file(command):
            return ToolKind.EDIT
    return ToolKind.READ if kind is ToolKind.EDIT and given.get("command") == "view" else kind


@lru_cache(maxsize=200)
def _kind_of(name: str) -> ToolKind:
    return _KINDS.get(_bare(name), ToolKind.OTHER)


@lru_cache(maxsize=200)
def may_edit(name: str) -> bool:
    """Return whether nobody here knows what a tool of this name does."""
    return _bare(name[:100]) not in _KINDS.keys() | known("tools harmless")


def _bare(name: str) -> str:
    return _NOT_A_LETTER.sub("", name.lower()).removesuffix("toolcall")


@lru_cache(maxsize=16)  # of a call it is asked several times
def written_file(command: str) -> str | None:
    """Return the file into which a command does nothing but write a text (`cat > FILE <<EOF`), behind comments and
    `cd`."""
    if "<<" not in command:
        return None
    for line in map(str.strip, command[:2_000].split("\n")):
        if found := _WRITE.match(line):
            return found["file"].strip("'\"") if _ends_with_text(command, line) else None
        if not _BEFORE_A_WRITE.match(line):
            return None
    return None


def _ends_with_text(command: str, line: str) -> bool:
    """Return whether nothing follows the text that this line of a command begins."""
    end = _DELIMITER.search(line)
    _, _, behind = command.partition(f"\n{end[1]}\n") if end else ("", "", "")
    return all(
        not each.strip() or each.lstrip().startswith(("#", "echo ")) for each in behind.split("\n")
    )


def first_line(command: str) -> str:
    """Return the first line of a command that says what it does: no comment, and no `cd` alone. A line that ends in a
    backslash goes on in the next, with which it may hold a secret."""
    lines = [line.strip() for line in _LINE_END.split(command[:2_000]) if line.strip()]
    lines = [line for line in lines if not line.startswith("#")] or lines
    return next((line for line in lines if not _SETS_UP.fullmatch(line)), lines[0] if lines else "")


def target_of(given: Record, kind: ToolKind = ToolKind.OTHER) -> str:
    """Return the command, path, pattern or address of an input: of a command, the line that says what it does."""
    if kind in (ToolKind.READ, ToolKind.EDIT) and (path := path_of(given)):
        return beginning(path, MAX_TARGET)
    if isinstance(pattern := given.get("pattern"), str):
        where = f" in {given['path']}" if isinstance(given.get("path"), str) else ""
        return beginning(f"{pattern}{where}", MAX_TARGET)
    if command := command_of(given):
        return beginning(written_file(command) or first_line(command), MAX_TARGET)
    if "prompt" in given and (description := _first(given, ("description",))):  # of a subagent
        return beginning(description, MAX_TARGET)
    return beginning(
        _first(given, (*_TARGETS, "prompt") if kind is ToolKind.FETCH else _TARGETS), MAX_TARGET
    )


def purpose_of(given: Record) -> str:
    """Return what the agent says that it does with a command."""
    return beginning(_first(given, ("description",)), MAX_TARGET) if "command" in given else ""


def path_of(given: Record) -> str | None:
    """Return the file that an input names."""
    return next((value for name in _PATHS if isinstance(value := given.get(name), str)), None)


def paths_of(given: Record, *, is_edit: bool) -> frozenset[str]:
    """Return the files that an input edits: those of a patch in it, or the one that it names where the tool edits."""
    values: list[object] = []
    for value in given.values():
        values += value if isinstance(value, list) else [value]
    patches = [text for text in values if isinstance(text, str) and "*** Begin Patch" in text]
    paths = frozenset(path.strip() for text in patches for path in _PATCHED.findall(text))
    path = path_of(given) if is_edit and not paths else None
    return paths or frozenset([path] if path else [])


def _first(given: Record, names: Iterable[str]) -> str:
    """Return the first of these fields that holds a text, or a command in parts; "" where none does."""
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def command_of(given: Record) -> str:
    """Return a command without the shell that it is given to; "" where there is none."""
    value = _first(given, _COMMANDS)
    found = _SHELL.fullmatch(value)
    command = found["command"] if found else value
    quoted = (
        found and command[:1] in ("'", '"') and command[-1:] == command[:1] and len(command) > 2
    )
    command = command[1:-1] if quoted else command
    return command if command.strip() else value
