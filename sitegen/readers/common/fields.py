"""The values of a file that no section of a page shows, as rows of path and value.

Nothing of a file is lost, and nothing of it can flood the page: rows, values and depth are bounded, and where a bound
is reached the row says so. Walking is done with a stack of our own, since the nesting is foreign.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sitegen.model import TextKind
from sitegen.readers.common.records import known
from sitegen.readers.common.values import Caveats, beginning, shortened

MAX_ROWS = 500
MAX_VALUE = 2000
MAX_PATH = 200
MAX_DEPTH = 6
NEVER = frozenset({"credential_expires_at"})
"""Fields that help nobody but an attacker."""


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The kinds of the fields of a format, as its reader states them."""

    by_path: Mapping[str, TextKind]
    """The kind of each path without indexes; it holds for what lies below, too."""


NO_KINDS = Kinds({})
_USUAL = (TextKind.ANSWER, TextKind.PROMPT, TextKind.CONTENT, TextKind.MACHINE)
# The names that fields of a kind have in any format, unless its reader says otherwise.
_USUAL_NAMES = {
    kind: re.compile(rf"(?:.*[_-])?(?:{'|'.join(sorted(known(f'fields {kind}')))})s?")
    for kind in _USUAL
}
_INDEX = re.compile(r"\[[0-9]+\]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def field_kinds(**paths: str) -> Kinds:
    """Return what fields are, in lists by kind: `field_kinds(fact="seed data.split", prompt="task.text")`."""
    by_path: dict[str, TextKind] = {}
    for kind, listed in paths.items():
        by_path |= dict.fromkeys(listed.split(), TextKind(kind))
    return Kinds(by_path)


def kind_of(path: str, kinds: Kinds) -> TextKind | None:
    """Return what a field is: as its reader says of it or of what it is in, else as its name or one above usually
    means."""
    # The fields of a format are the same in each of its files; what is long is the key of one file.
    return _kind_of(path, kinds) if len(path) > MAX_PATH else _repeated_kind_of(path, kinds)


def _kind_of(path: str, kinds: Kinds) -> TextKind | None:
    if len(path.split()) > 1:
        # A name of several words is a text, such as the message of a test that failed.
        return TextKind.CONTENT
    names = _INDEX.sub("", path).split(".")
    for end in range(len(names), 0, -1):
        stated = kinds.by_path.get(".".join(names[:end]))
        if stated is not None:
            return stated
    return next(filter(None, map(_usual_kind, reversed(names))), None)


_repeated_kind_of = lru_cache(maxsize=2_000)(_kind_of)


@lru_cache(maxsize=1_000)
def _usual_kind(name: str) -> TextKind | None:
    snake = _HUMP.sub("_", name).lower()
    return next((kind for kind, names in _USUAL_NAMES.items() if names.fullmatch(snake)), None)


class Rows:
    """Collects fields in the order of the file, and what they are."""

    __slots__ = ("_caveats", "_found", "_known", "_left_out", "kinds")

    def __init__(self, caveats: Caveats, known: Kinds) -> None:
        self._caveats = caveats
        self._known = known
        self._found: list[tuple[str, str]] = []
        self.kinds: list[TextKind | None] = []  # those of the fields that `all` returns
        self._left_out = 0

    def add(self, path: str, value: object) -> None:
        """Add every leaf of a JSON value: `usage.input_tokens`, `usage.iterations[0].type`; plain lists in one row."""
        waiting: list[tuple[str, object, int]] = (
            [(path, value, 0)] if path.rpartition(".")[2] not in NEVER else []
        )
        while waiting:
            path, value, depth = waiting.pop()
            inner: list[tuple[str, object]] = []
            if isinstance(value, dict) and value and depth < MAX_DEPTH:
                inner = [
                    (f"{path}.{key}" if path else key, v)
                    for key, v in value.items()
                    if key not in NEVER
                ]
            elif (
                isinstance(value, list)
                and depth < MAX_DEPTH
                and any(isinstance(v, (dict, list)) for v in value)
            ):
                inner = [(f"{path}[{number}]", v) for number, v in enumerate(value)]
            else:
                self._row(path, value)
            waiting.extend((name, v, depth + 1) for name, v in reversed(inner))

    def all(self) -> tuple[tuple[str, str], ...]:
        if not self._left_out:
            return tuple(self._found)
        self._caveats.add(
            "W_LIMIT", f"{self._left_out:,} fields are not listed; the page lists {MAX_ROWS}."
        )
        return (*self._found, ("…", f"{self._left_out:,} more fields"))

    def _row(self, path: str, value: object) -> None:
        if len(self._found) >= MAX_ROWS:
            self._left_out += 1
            return
        kind = (
            kind_of(path, self._known)
            if isinstance(value, str | list | dict) and value
            else TextKind.FACT
        )
        if len(path) > MAX_PATH:
            self._caveats.add(
                "W_LIMIT", f"A field's name has {len(path):,} characters; it is shown shortened."
            )
            path = shortened(path, MAX_PATH)
        self._found.append((path, _as_text(value)))
        self.kinds.append(kind)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        text = value
    elif (
        isinstance(value, list)
        and value
        and not any(isinstance(item, (dict, list)) for item in value)
    ):
        is_command = any(isinstance(item, str) and item.startswith("-") for item in value)
        text = (" " if is_command else ", ").join(
            item if isinstance(item, str) else json.dumps(item) for item in value
        )
    elif isinstance(value, (dict, list)):
        text = compact(value)
    else:
        text = json.dumps(value)
    return (
        text
        if len(text) <= MAX_VALUE
        else f"{beginning(text, MAX_VALUE)}… ({len(text):,} characters)"
    )


def compact(value: object) -> str:
    """Return JSON in one line; the depth only, where it is nested too deeply to be read."""
    depth = depth_of(value)
    return (
        f"({depth} levels of JSON)"
        if depth > 50
        else json.dumps(_published(value), ensure_ascii=False)
    )


def indented(value: object, limit: int) -> str:
    """Return JSON laid out for reading, at most `limit` characters and a note."""
    if depth_of(value) > 50:
        return compact(value)
    parts: list[str] = []
    length = 0
    for part in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(_published(value)):
        parts.append(part)
        length += len(part)
        if length > limit:
            return f"{beginning(''.join(parts), limit)}…\n(more than {limit:,} characters)"
    return "".join(parts)


def _published(value: object) -> object:
    """Return the value without fields in NEVER; it is not nested deeply."""
    if isinstance(value, dict):
        return {key: _published(inner) for key, inner in value.items() if key not in NEVER}
    if isinstance(value, list):
        return [_published(inner) for inner in value]
    return value


def depth_of(value: object) -> int:
    """Levels of objects and lists in one another: 0 for anything else."""
    depth = 0
    level = [value]
    while level := [inner for inner in level if isinstance(inner, (dict, list))]:
        depth += 1
        below: list[object] = []
        for outer in level:
            below += outer.values() if isinstance(outer, dict) else outer
        level = below
    return depth


# The inputs of a run besides its model, as far as its file states it: named as pages show it.

MAX_TOOLS = 1000


def given(
    *,
    mode: object = None,
    tools: object = None,
    prompt: str | None = None,
    checks: str | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return names and values: the permission mode, the tools in order of their names, the digest of the prompt, and
    the checks of the grader."""
    names: set[str] = set()
    if isinstance(tools, list):
        names = {tool.replace(", ", " ") for tool in tools if isinstance(tool, str)}
    stated = (
        ("Permission mode", mode),
        ("Tools", _listed(sorted(names))),
        ("Prompt", prompt),
        ("Checks", checks),
    )
    return tuple((name, value) for name, value in stated if isinstance(value, str) and value)


def _listed(names: Sequence[str]) -> str:
    """Return as many names as have room, then `and 12 more`."""
    listed = ", ".join(names)
    if len(listed) <= MAX_TOOLS:
        return listed
    shown = listed[:MAX_TOOLS].split(", ")[:-1]
    return ", ".join([*shown, f"and {len(names) - len(shown)} more"])


def tools_in(listed: str) -> tuple[frozenset[str], int]:
    """Return the names in such a list, and how many it leaves out."""
    *names, last = listed.split(", ")
    more = _MORE.fullmatch(last)
    return (frozenset(names), int(more[1])) if more else (frozenset((*names, last)), 0)


_MORE = re.compile("and ([0-9]{1,6}) more")


def prompt_digest(text: str) -> str:
    """Return the first twelve digits of its SHA-256: enough to see whether two runs were asked the same."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]
