"""Readers of agents other than Claude Code. What tells their files is here; the rest is loaded when a file has it.

Each is a row of `agents.tsv`: its name, the `RecordReader` or `WholeFormat` that reads the records, and what stands at
the beginning of its files.
"""

import re
from collections.abc import Callable, Generator, Iterator, Set
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple, cast

from sitegen.masking.automaton import automaton
from sitegen.model import Run
from sitegen.readers.common.format_reader import FormatReader
from sitegen.readers.common.record_reader import ReaderOfFormat
from sitegen.readers.common.records import rows
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step


class AgentReader(NamedTuple):
    """Reads files of one form."""

    name: str
    reader: str
    """Module below `sitegen.readers`, and what reads the records there."""
    mark: bytes
    foreign: tuple[bytes, ...]
    """The text in files of others that have the mark."""

    @property
    def title(self) -> str:
        """The kind of record it reads, in words."""
        return self._load().title

    @property
    def reads_json(self) -> bool:
        """Whether its files are JSON."""
        return b'"' in self.mark

    def matches(self, file: RunFile) -> bool:
        """Return whether the mark stands at its beginning."""
        head = file.plain_head
        text, has_any = _first_look(head)
        is_marked = has_any and _fits(self.mark)(text) and re.search(self.mark, head) is not None
        return is_marked and not any(mark in head for mark in self.foreign)

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs; none when the records are those of another program."""
        return self._load().read(file, locator)

    def steps(
        self, file: RunFile, locator: str | None, known: Set[str | int], *, contents: bool
    ) -> Generator[Step, None, Run | None]:
        """Yield the steps of the run there, one after the other; then the run."""
        return self._load().steps(file, locator, known, contents=contents)

    def _load(self) -> FormatReader:
        return _loaded(self.name, self.reader)


@cache
def _loaded(name: str, reader: str) -> FormatReader:
    module, _, attribute = reader.partition(":")
    found = getattr(import_module(f"sitegen.readers.{module}"), attribute)
    return FormatReader(name, cast("ReaderOfFormat", found))


AGENTS = tuple(
    AgentReader(name, reader, mark.encode(), tuple(map(str.encode, foreign)))
    for name, reader, mark, *foreign in rows("agents.tsv")
)


@cache
def _fits(mark: bytes) -> Callable[[str], bool]:
    """Return what says whether a mark may stand in a text, in a tenth of the time of `re`: counts in braces, which take
    too many states, are left out."""
    return automaton(re.sub(r"\{\d+,\d+\}", "*", mark.decode("latin-1")))


@lru_cache(maxsize=1)
def _first_look(head: bytes) -> tuple[str, bool]:
    """Return a beginning as a text, and whether any of these marks may stand there: most files are of Claude Code."""
    text = head.decode("latin-1")
    return text, _fits(b"|".join(reader.mark for reader in AGENTS))(text)
