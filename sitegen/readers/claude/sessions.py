"""Files of one or more sessions of Claude Code, whose records and answers may be copies of those in other files."""

from collections import deque
from collections.abc import Generator, Iterator, Set
from dataclasses import replace
from itertools import count

from sitegen.model import Run
from sitegen.readers.claude.messages import ClaudeMessages
from sitegen.readers.common.builder import ONLY, FilePlace
from sitegen.readers.common.identity import Known
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import SESSION, RecordReader
from sitegen.readers.common.records import Record
from sitegen.readers.common.step_log import PendingStep
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step


class ClaudeSession(RecordReader):
    """A session: its records, of which those of messages are alike in all files."""

    messages: ClaudeMessages
    lane: str | None = None
    """The lane of the records that come, where they do not state it."""

    def kind_of(self, record: Record) -> str:
        kind = record.get("type")
        subtype = record.get("subtype")
        return f"{kind}/{subtype}" if kind == "system" and isinstance(subtype, str) else str(kind)

    @property
    def has_steps(self) -> bool:
        """Whether there was any step but results."""
        return self.run.steps.count > self.run.part


class Sessions:
    """The sessions of a file that is being read, by their places, of which "" is the first one's."""

    skip: str | None = None
    """The beginning of lines that are only counted."""

    def __init__(
        self, file: RunFile, known: Known, *, contents: bool = False, is_known: bool = True
    ) -> None:
        """`known` are the marks of what other files have; `is_known` says that the file was read before."""
        self.caveats = Caveats()
        self.known = known
        self.contents = contents
        self.place = FilePlace(path=file.path)
        self.text = JsonText(file, self.caveats, skip=self.skip, is_known=is_known)

    def read(self) -> Iterator[tuple[str, Iterator[PendingStep]]]:
        """Yield the steps that are complete with each record, to be taken at once, with the place of their session."""
        raise NotImplementedError

    def session_at(self, place: str) -> ClaudeSession | None:
        """Return the session at a place; None where there is none."""
        raise NotImplementedError

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:
        """Yield the runs, when all records have gone by, with their places; others than the `wanted` one may lack."""
        raise NotImplementedError


class SessionReader:
    """A reader of such files."""

    sessions: type[Sessions]
    reads_json = True

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs, or nothing when the records are those of another program. Raises: ReadError."""
        return self.read_new(file, set(), locator)

    def read_new(self, file: RunFile, known: Known, locator: str | None = None) -> Iterator[Run]:
        """Yield the same, without records and answers that are `known`; those that are new become known."""
        sessions = self.sessions(file, known, is_known=locator is not None)
        for _, steps in sessions.read():
            deque(steps, 0)
        wanted = None if locator is None else _place_at(locator)
        for place, run in sessions.runs(wanted):
            if wanted in (None, place):
                yield run

    def steps(
        self,
        file: RunFile,
        locator: str | None = None,
        known: Set[str | int] = frozenset(),
        *,
        contents: bool,
    ) -> Generator[Step, None, Run | None]:
        """Yield the steps of the run there, one after the other; then the run."""
        sessions = self.sessions(file, set(known), contents=contents)
        numbers = count()
        wanted = _place_at(locator)
        for place, steps in sessions.read():
            for step in steps:
                if place == wanted:
                    yield step.built(next(numbers), contents=contents)
        session = sessions.session_at(wanted)
        if session is None:
            return None
        for step in session.run.steps.rest():
            yield step.built(next(numbers), contents=contents)
        for place, run in sessions.runs(wanted):
            if place == wanted:
                return replace(run, locator=locator)
        return None


def _place_at(locator: str | None) -> str:
    return "" if locator is None or locator in (ONLY, f"{SESSION}0") else locator
