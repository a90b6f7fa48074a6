"""Readers of agents other than Claude Code. What tells their files is here; the rest is loaded when a file has it.

Each is a row of `agents.tsv`: its name, the `RecordReader` or `WholeFormat` that reads the records, and what stands at
the beginning of its files.
"""

import posixpath
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Set
from functools import cache, lru_cache
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple, cast

from sitegen.masking.automaton import automaton
from sitegen.model import Run, replace
from sitegen.readers.common.builder import FilePlace
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import SESSION, ReaderOfFormat, Sessions
from sitegen.readers.common.records import rows
from sitegen.readers.common.values import Caveats
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
        return self._load().format.title

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
        caveats = Caveats()
        held: Run | None = None
        for place, values in self._parts(file, locator, caveats):
            for run in self._read_part(file, place, values, locator, caveats):
                if held is not None:
                    yield held
                held = run
        if held is not None:  # what is said of the whole file is known by now
            yield replace(held, caveats=tuple(dict.fromkeys((*caveats.all(), *held.caveats))))

    def steps(
        self,
        file: RunFile,
        locator: str | None,
        known: Set[str],  # noqa: ARG002  its records have no uuid
        *,
        contents: bool,
    ) -> Generator[Step, None, Run | None]:
        """Yield the steps of the run there, one after the other; then the run."""
        is_session = locator is not None and locator.startswith(SESSION)
        wanted = int(locator.removeprefix(SESSION)) if locator and is_session else None
        numbers = count()
        _, values = next(self._parts(file, locator, Caveats(), is_known=True), (None, ()))
        sessions = self._sessions(file)
        for session, steps in sessions.read(values):
            for step in steps:
                if wanted in (None, session):
                    yield step.built(next(numbers), contents=contents)
        readers = sessions.readers
        reader = readers.get(next(iter(readers), -1) if wanted is None else wanted)
        return reader.run.build() if reader and reader.is_known else None

    def _read_part(
        self,
        file: RunFile,
        place: str | None,
        values: Iterable[Any],
        locator: str | None,
        caveats: Caveats,
    ) -> Iterator[Run]:
        """Yield the runs of a part of a file that has this locator, or of a file of one part."""
        sessions = self._sessions(file)
        for _, steps in sessions.read(values):
            deque(steps, 0)
        for number, reader in sessions.readers.items():
            if place is None and len(sessions.readers) > 1:
                session_place: str | None = f"{SESSION}{number}"
            else:
                session_place = place
            is_elsewhere = locator is not None and session_place not in (None, locator)
            if reader.is_known and not is_elsewhere:
                reader.run.note_damage(caveats)
                run = reader.run.build()
                yield replace(run, locator=session_place) if session_place else run

    def _parts(
        self, file: RunFile, locator: str | None, caveats: Caveats, *, is_known: bool = False
    ) -> Iterator[tuple[str | None, Iterable[Any]]]:
        """Yield the values of each run, with its locator. `is_known` says that the file was read before."""
        if (split := self._load().split) is None:
            yield None, JsonText(file, caveats, is_known=is_known)
            return
        for number, values in enumerate(split(file, caveats)):
            if locator is None or locator == f"run {number}":
                yield f"run {number}", values

    def _sessions(self, file: RunFile) -> Sessions:
        folder = posixpath.basename(posixpath.dirname(file.name))
        place = FilePlace(file.stem, folder, file.path)
        new_reader = self._load()
        return Sessions(lambda: new_reader(place))

    def _load(self) -> ReaderOfFormat:
        module, _, name = self.reader.partition(":")
        return cast("ReaderOfFormat", getattr(import_module(f"sitegen.readers.{module}"), name))


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
