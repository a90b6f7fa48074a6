"""Readers of records: what the records of one session mean, said to a `RunBuilder`; and the sessions of a file.

A reader of an agent is a `RecordReader`: `read` gets each record and says what it means, `finish` what is left after
the last one. A record of another program must leave `is_known` false and say nothing, and then the file is none of this
agent's. Where each record is a whole run, a function from the record to the builder is enough: `WholeFormat`.
"""

import marshal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from sitegen.readers.common.builder import FilePlace, Format, RunBuilder
from sitegen.readers.common.records import Record, object_of, objects_in, words
from sitegen.readers.common.step_log import PendingStep
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile

SESSION = "session "
"""The beginning of the locator of a run whose file has several sessions, before its number."""
MAX_COMPARED = 100_000
"""The maximum number of records to search for a repeated log prefix."""
# Characters of the folder that a record works in, and records among which it is looked for.
MAX_FOLDER = 1_000
MAX_BEFORE_FOLDER = 200
MAX_KINDS = 1_000
MAX_KIND = 100  # characters of a kind of record
# Fields of records that count or begin something. Such a record counts once where it is written twice in a row.
_COUNTING = words("timestamp usage stats error thread_id session_id item tool_id")

Split = Callable[[RunFile, Caveats], Iterator[Iterable[Any]]]
"""Yields the values of each run of a file, where it is more than records of one run. Raises: ReadError."""


class RecordReader:
    """Reads the records of one session."""

    format: Format
    split: Split | None = None

    def __init__(self, file: FilePlace | None = None) -> None:
        self.run = RunBuilder(self.format, file)
        self.is_known = False
        """Whether the records are of this format."""
        self._record_before: Record | None = None
        self.begin()

    def begin(self) -> None:
        """Set what this reader remembers between records."""

    def session_of(self, record: Record) -> str | None:  # noqa: ARG002
        """Return the id of the session that a record names, or begins; None where it goes on with the one before. The
        sessions of a file are different runs."""
        return None

    def kind_of(self, record: Record) -> str | None:
        """Return the kind of a record, as records are counted."""
        kind = record.get("type")
        return kind if isinstance(kind, str) else None

    def identifies(self, record: Record) -> bool:  # noqa: ARG002
        """Return whether a record at the beginning tells the run from others."""
        return True

    def read(self, record: Record) -> None:
        """Say what a record means."""
        raise NotImplementedError

    def read_copy(self, record: Record) -> None:
        """Say what a record means that counts and is the one before once more, or that its file tells again. Here:
        nothing."""

    def finish(self) -> None:
        """Say what is left after the last record, and how the run ended."""

    def add_record(self, record: Record, place: int) -> None:
        """Read a record, which stands there in its file."""
        run = self.run
        run.place = place
        is_repeated = record == self._record_before and not _COUNTING.isdisjoint(record)
        self._record_before = record
        if is_repeated:
            self.read_copy(record)
            return
        if run.cwd is None and place < MAX_BEFORE_FOLDER:
            run.cwd = _folder_in(record)
        self._count_kind(self.kind_of(record))
        if self.identifies(record):
            run.identity.add_record(record, has_usage=bool(run.tokens.by_model))
        self.read(record)
        run.tools.take_early_results()

    def _count_kind(self, kind: str | None) -> None:
        kinds = self.run.kinds
        if kind is not None and (len(kinds) < MAX_KINDS or kind in kinds):
            kinds[kind[:MAX_KIND]] += 1
            known_kinds = self.format.known_kinds
            if known_kinds and kind not in known_kinds:
                self.run.note_unknown(kind)

    def rest(self) -> Iterator[PendingStep]:
        """Yield the steps that are left after the last record."""
        if self.is_known:
            self.finish()
            self.run.close()
            yield from self.run.steps.rest()


class ReaderOfFormat(Protocol):
    """Makes readers of a format: a class of `RecordReader`, or a `WholeFormat`."""

    format: Format
    split: Split | None

    def __call__(self, file: FilePlace | None = None) -> RecordReader:
        """Return a reader of the first session of a file."""


ReadRecord = Callable[[Record, RunBuilder], bool]
"""Says what a record means that is a whole run; returns whether it is of this format."""


@dataclass(frozen=True, slots=True)
class WholeFormat:
    """A format whose records are runs."""

    format: Format
    read: ReadRecord
    split: Split | None = None
    session_of: Callable[[Record], str | None] | None = None
    """Returns the id of the session that a record is; each is one of its own where there is no such function."""

    def __call__(self, file: FilePlace | None = None) -> RecordReader:
        """Return a reader of one of its records."""
        return _WholeReader(self, file)


class _WholeReader(RecordReader):
    """Reads a record that is a run."""

    def __init__(self, whole: WholeFormat, file: FilePlace | None) -> None:
        self.format = whole.format
        self._read = whole.read
        self._session_of = whole.session_of
        self._count = 0
        super().__init__(file)

    def session_of(self, record: Record) -> str | None:
        if self._session_of is not None:
            return self._session_of(record)
        self._count += 1
        return str(self._count) if self.format.is_whole else None

    def read(self, record: Record) -> None:
        if not self.is_known:
            self.is_known = self._read(record, self.run)


class Copies:
    """Finds records that repeat all of their file since its first record."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._so_far = 0
        self._known: set[int] = set()

    def is_copy(self, record: dict[str, Any]) -> bool:
        """Return whether the file has all since its first record before."""
        digest = hash(marshal.dumps(record, 2))
        if self._first is None:
            self._first = digest
        self._so_far = hash((digest, 0 if digest == self._first else self._so_far))
        is_copy = self._so_far in self._known
        if len(self._known) < MAX_COMPARED:
            self._known.add(self._so_far)
        return is_copy


class Sessions:
    """The sessions of a file, which may alternate, as where two processes write to one file."""

    def __init__(self, new_reader: Callable[[], RecordReader]) -> None:
        self._new_reader = new_reader
        self._first = new_reader()
        self._number = -1
        self._numbers: dict[str, int] = {}
        self.readers: dict[int, RecordReader] = {}
        """The readers of the sessions by their numbers; -1 where none was named yet."""

    def read(self, values: Iterable[Any]) -> Iterator[tuple[int, Iterator[PendingStep]]]:
        """Read the records among JSON values, or in lists. Yield the steps that are complete with each, to be taken at
        once, with the number of their session."""
        copies = Copies()
        for place, record in enumerate(objects_in(values)):
            is_copy = copies.is_copy(record)
            reader = self._reader_of(record)
            if is_copy:
                reader.read_copy(record)
            else:
                reader.add_record(record, place)
            if reader.run.steps.queue:
                yield self._number, reader.run.steps.ready()
        for number, reader in self.readers.items():
            yield number, reader.rest()

    def _reader_of(self, record: Record) -> RecordReader:
        session = self._first.session_of(record)
        if session is not None:
            self._number = self._numbers.setdefault(session, len(self._numbers))
        reader = self.readers.get(self._number)
        if reader is None:
            self.readers[self._number] = reader = self._next_reader()
        return reader

    def _next_reader(self) -> RecordReader:
        if not self.readers:
            return self._first
        if set(self.readers) == {-1} and not self._first.is_known:
            self.readers.clear()  # what stands before the first session may be about it
            return self._first
        return self._new_reader()


def _folder_in(record: Record) -> str | None:
    """Return the folder in which a record says that the agent works."""
    for name in ("", "payload", "info", "data", "context"):
        part = object_of(record, name) if name else record
        folder = part.get("cwd") or part.get("directory")
        if isinstance(folder, str):
            return folder[:MAX_FOLDER]
    return None
