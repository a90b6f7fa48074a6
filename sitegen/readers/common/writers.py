"""The program that wrote a file whose format is that of another agent.

Several programs write the records of Claude Code, Codex or opencode. Their marks are rows of `writers.tsv`: a field
counts before the path of the file, the path before names of tools, and the mark of another program before one of the
agent itself. The beginning of a system prompt that the program wrote is a field, too; what people and models write, and
folders that the agent worked in, are not marks. A field of one kind of record, `result.request_id`, counts only where
no other field shows anything: programs to come may write it, too.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from sitegen.model import Tokens, replace
from sitegen.readers.common.records import Record, object_of, rows, text_of, words
from sitegen.readers.common.values import Caveats

MAX_TOOLS = 200
_MAX_VALUE = 1_000  # characters of a field that may be a mark
# Tools by which an agent is known not to be one whose own tools are a mark: models invent names of tools.
_TOOLS_OF_OWNER = {"Claude Code": words("Bash Write MultiEdit NotebookEdit")}
_CACHE_IN_INPUT = ("Qwen Code",)


class Mark(NamedTuple):
    """A row of the table: what shows that a program wrote a file."""

    owner: str
    """The agent whose format it is."""
    program: str
    place: str
    """`path`, `tool`, or the name of a field; behind the kind of its record where others have such a field, too."""
    value: re.Pattern[str]


class Writer(NamedTuple):
    """The program that wrote a file."""

    program: str
    is_shown: bool
    """Whether anything but the format shows it."""
    contradicts: tuple[str, ...] = ()
    """The programs that fields name, where they name several."""

    def say_contradiction(self, caveats: Caveats) -> None:
        """Say so where the file names several programs."""
        if self.contradicts:
            named = " and ".join(self.contradicts)
            caveats.add("W_CONTRADICTION", f"The file names {named} as the program that wrote it.")

    def say_foreign_models(
        self, models: Sequence[str], own: re.Pattern[str], caveats: Caveats
    ) -> None:
        """Say so where only the format shows who wrote the file, and no model is one of its own."""
        if not self.is_shown and models and not any(map(own.search, models)):
            text = f"Only the format shows that {self.program} wrote the file: other programs write it too."
            caveats.add("W_AGENT", f"{text} Its models are not {self.program.partition(' ')[0]}’s.")

    @property
    def counts_cache_as_input(self) -> bool:
        """Whether its input includes what was written to a cache or read from it, unless totals say otherwise."""
        return self.program in _CACHE_IN_INPUT


class Marks:
    """The marks that records of a file have."""

    __slots__ = ("fields", "tools")

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.tools: set[str] = set()

    def take(self, record: Record) -> None:
        """Keep the values of the fields of a record that may be marks."""
        for place in FIELDS:
            kind, _, name = place.rpartition(".")
            value = text_of(record, name) or text_of(object_of(record, name), "text")
            if value and value.strip() and kind in ("", record.get("type")):
                self.fields.setdefault(place, value[:_MAX_VALUE])

    def take_tools(self, names: object) -> None:
        """Keep the names of tools in a list."""
        listed = names[:MAX_TOOLS] if isinstance(names, list) else ()
        self.tools.update(name for name in listed if isinstance(name, str))


def _mark(owner: str, program: str, place: str, value: str) -> Mark:
    begun = rf"(?:\A|(?<=/))(?:{value})\Z" if place == "path" else value
    return Mark(owner, program, place, re.compile(begun))


_MARKS = tuple(_mark(*row) for row in rows("writers.tsv"))
FIELDS = frozenset(mark.place for mark in _MARKS) - {"path", "tool"}
MARKED = frozenset(place.rpartition(".")[2] for place in FIELDS) - {"sessionId"}
"""The fields that few records have."""


@cache
def _marks_of(owner: str) -> tuple[Mark, ...]:
    return tuple(mark for mark in _MARKS if mark.owner == owner)


def writer_of(owner: str, marks: Marks, path: str) -> Writer:
    """Return the program that wrote a file in the format of `owner`, which lies at `path`."""
    table = _marks_of(owner)
    if not table:
        return Writer(owner, is_shown=True)
    named = _named_by_fields(table, marks)
    programs = [program for program in named if program != owner]
    if named:
        return Writer(
            (programs or [owner])[0], is_shown=True, contradicts=named if len(named) > 1 else ()
        )
    program = _program_at(owner, path) or _program_with_tools(table, marks.tools)
    return Writer(program or owner, is_shown=program is not None)


def _named_by_fields(table: Iterable[Mark], marks: Marks) -> tuple[str, ...]:
    fitting: dict[str, str] = {}
    for mark in table:
        value = marks.fields.get(mark.place)
        if value and mark.value.fullmatch(value):
            fitting[mark.place] = mark.program
    certain = (program for place, program in fitting.items() if "." not in place)
    return tuple(dict.fromkeys(certain) or fitting.values())


@lru_cache(maxsize=16)
def _program_at(owner: str, path: str) -> str | None:
    """Return the program in whose folder a file lies: the innermost, as one may lie in another."""
    innermost, program, path = -1, None, path.replace("\\", "/")
    for mark in _marks_of(owner):
        found = mark.value.search(path) if mark.place == "path" else None
        if found and found.start() > innermost:
            innermost = found.start()
            program = mark.program
    return program


def _program_with_tools(table: Iterable[Mark], tools: set[str]) -> str | None:
    """Return the program to which alone some of the tools belong."""
    for mark in table:
        is_apt = mark.place == "tool" and tools.isdisjoint(_TOOLS_OF_OWNER[mark.owner])
        if is_apt and any(map(mark.value.fullmatch, tools)):
            return mark.program
    return None


def held_to_total(tokens: Tokens, total: int | None, *, cache_in_input: bool) -> Tokens:
    """Return counts whose input excludes what is cached, as a total of them shows: one of input and output proves that
    input included it. Without a total that fits, `cache_in_input` says so. Where all kinds come to the total, those of
    the cache that are not stated are zero."""
    sent = tokens.input
    cached = (tokens.cache_read or 0) + (tokens.cache_write or 0)
    if sent is None:
        return tokens
    is_inside = cache_in_input and total != tokens.total
    if total is not None and tokens.output is not None:
        is_inside |= total == sent + tokens.output
    if is_inside and 0 < cached <= sent:
        tokens = replace(tokens, input=sent - cached)
    if total is None or total != tokens.total or tokens.output is None:
        return tokens
    return replace(tokens, cache_read=tokens.cache_read or 0, cache_write=tokens.cache_write or 0)
