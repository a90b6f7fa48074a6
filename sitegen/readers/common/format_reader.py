"""A reader of files whose records a `RecordReader` or a `WholeFormat` reads, as `readers.Reader` asks for it."""

import posixpath
import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Set
from itertools import count
from typing import Any

from sitegen.model import Run, replace
from sitegen.readers.common.builder import FilePlace
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import SESSION, ReaderOfFormat, Sessions
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step


class FormatReader:
    """Reads files of one format."""

    def __init__(self, name: str, reader: ReaderOfFormat, mark: bytes = b"") -> None:
        """`mark` is an expression that fits the first bytes of each file, and those of as few others as possible."""
        self.name = name
        self.title = reader.format.title
        """The kind of record it reads, in words."""
        self._reader = reader
        self._mark = re.compile(mark)

    def matches(self, file: RunFile) -> bool:
        """Return whether the mark stands at the beginning of a file."""
        return self._mark.search(file.plain_head) is not None

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs; none when the records are those of another program."""
        caveats = Caveats()
        held: Run | None = None
        for place, values in self._parts(file, locator, caveats):
            for run in self._read_part(file, place, values, locator, caveats):
                if held is not None:
                    yield held
                held = run
        if held is None:
            return
        of_file = caveats.all()  # what is said of the whole file is known by now
        if of_file:
            held = replace(held, caveats=tuple(dict.fromkeys((*of_file, *held.caveats))))
        yield held

    def steps(
        self,
        file: RunFile,
        locator: str | None,
        known: Set[str | int],  # noqa: ARG002  its records have no uuid
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
                yield reader.run.build(session_place)

    def _parts(
        self, file: RunFile, locator: str | None, caveats: Caveats, *, is_known: bool = False
    ) -> Iterator[tuple[str | None, Iterable[Any]]]:
        """Yield the values of each run, with its locator. `is_known` says that the file was read before."""
        if (split := self._reader.split) is None:
            yield None, JsonText(file, caveats, is_known=is_known)
            return
        for number, values in enumerate(split(file, caveats)):
            if locator is None or locator == f"run {number}":
                yield f"run {number}", values

    def _sessions(self, file: RunFile) -> Sessions:
        folder = posixpath.basename(posixpath.dirname(file.name))
        place = FilePlace(file.stem, folder, file.path)
        return Sessions(lambda: self._reader(place))
