"""Readers turn files into runs. A reader is two methods and a name; this file is its manual.

`matches` is asked first and must be cheap: it judges by the file's name, its neighbours' names and its first bytes,
`RunFile.head`. `read` is asked when it said yes, and has three answers: runs; nothing, when a closer look shows the
file of another program; or ReadError, when the file claims to be a run and is broken. Content decides, never the
extension: real result files are called `.json`, `.txt`, `.log`, `.out`. An extension only says whether a file that
cannot be read is worth a word.

A file may hold several runs. Each may have a `locator`: a short text by which its reader finds it again, so that the
page of one run in a thousand does not parse the others. What is large is read as a stream, from `RunFile.open`.

A reader whose files tell what an agent did has a fourth thing, `steps`, which gives it step by step, and puts counts of
them into the run, `Run.steps`. One without it writes nothing for that.

Most agents write one record after the other, and their readers differ in what a record means, in nothing else: such a
reader is a `RecordReader` (`common/record_reader.py`), which says that to a `RunBuilder`, and a row in `agents.tsv`, by
which a file is known before the reader is loaded. It gives facts and steps alike.

A reader of your own is a class with `name`, `matches` and `read`, named in the entry-point group `sitegen.readers` of
its distribution. It is asked after the built-in ones. It does not clean texts: the caller does, for all readers.

    class Tally:
        name = "tally"

        def matches(self, file):
            return file.head.startswith(b"TALLY ")

        def read(self, file, locator=None):
            lines = file.open()
            if locator is not None:
                lines.seek(int(locator))
            while line := lines.readline():
                where = str(lines.tell() - len(line))
                yield Run("Tally", Status.OK, turns=int(line.split()[1]), locator=where)
"""

from collections.abc import Generator, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sitegen.errors import ConfigError, ReadError
from sitegen.model import Run, Status, Unmasked
from sitegen.readers import kinds
from sitegen.readers.agents import AGENTS
from sitegen.readers.claude.results import ClaudeReader
from sitegen.readers.claude.transcripts import TranscriptReader
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.outline import outline_of, quotes_json
from sitegen.readers.common.sizes import bounded
from sitegen.readers.common.values import Caveats
from sitegen.readers.folders import FOLDERS, RunFolder
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import JSON_EXTENSIONS, RUN_EXTENSIONS, RunFile
from sitegen.steps import Step


class Reader(Protocol):
    """Reads one family of files."""

    @property
    def name(self) -> str:
        """Short key: "claude"."""

    def matches(self, file: RunFile) -> bool:
        """Return whether to ask `read`, judging by the name and the beginning; wrong alarms only cost time."""

    def read(self, file: RunFile, locator: str | None = None) -> Iterable[Run]:
        """Return the runs in a file; none when it is not of this family after all. Pure.

        With a locator that it gave before, the run there comes first, and nothing else need be read; of its facts those
        of steps may be missing.
        Raises: ReadError when it is of this family and cannot be read.
        """


@runtime_checkable
class ReaderOfSteps(Reader, Protocol):
    """Reads files that tell what an agent did."""

    def steps(
        self, file: RunFile, locator: str | None, known: Set[str | int], *, contents: bool
    ) -> Generator[Step, None, Run | None]:
        """Return what happened in the run there, in order, while the file is read; `Step.number` counts from 0. Records
        and answers that are `known` are copies of what another file has, and left out; so may be inputs, answers and
        changes unless `contents` are asked for. Returned is the run, as `read` gives it there, since its texts then
        need no reading of their own; or None.

        Raises: ReadError when the file breaks off in a way in which `read` had not refused it.
        """


@runtime_checkable
class ReaderOfCopies(Reader, Protocol):
    """Reads files of which parts may be copies of others."""

    def read_new(self, file: RunFile, known: set[str | int]) -> Iterable[Run]:
        """Return the runs without records and answers that are `known`; the others become known."""


BUILT_IN: tuple[Reader, ...] = (TranscriptReader(), *AGENTS, ClaudeReader())
"""The reader of Claude Code comes last, as it takes records of others for its own until one says that it is not."""


@cache
def installed() -> tuple[Reader, ...]:
    """Return the readers that other distributions bring, by name. Loading costs 40 ms, so it happens when one is
    needed.

    Raises: ConfigError when one cannot be loaded.
    """
    loaded_readers: list[Reader] = []
    for point in _points():
        try:
            loaded = point.load()
            loaded_readers.append(loaded() if isinstance(loaded, type) else loaded)
        except Exception as error:
            message = f"The reader {point.name} ({point.value}) cannot be loaded: {error}. Uninstall or fix it."
            raise ConfigError(message) from error
    return tuple(loaded_readers)


def installed_from() -> list[tuple[str, str, str]]:
    """Return what other distributions bring: the name of a reader, its place, and its distribution; none is loaded."""
    return [
        (point.name, point.value, point.dist.name if point.dist else "?") for point in _points()
    ]


def places() -> tuple[Path, ...]:
    """Return the modules and the folders of packages that the installed readers are in, as far as they are files; none
    of them is loaded."""
    from importlib.util import find_spec

    found: dict[Path, None] = {}
    for name in dict.fromkeys(point.module.partition(".")[0] for point in _points()):
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            found |= dict.fromkeys(map(Path, spec.submodule_search_locations))
        elif spec is not None and spec.origin is not None:
            found[Path(spec.origin)] = None
    return tuple(place for place in found if place.exists())


def _points() -> list[Any]:
    from importlib.metadata import entry_points

    return sorted(
        entry_points(group="sitegen.readers"), key=lambda point: (point.name, point.value)
    )


def run_folders(keys: Set[str | None]) -> dict[str, RunFolder]:
    """Return the folders of programs that run agents, as far as their keys are asked for. Raises: ConfigError."""
    found = FOLDERS
    if not keys <= {None, *found}:
        kinds_of = (getattr(reader, "folder", None) for reader in installed())
        found |= {kind.key: kind for kind in kinds_of if isinstance(kind, RunFolder)}
    return {key: kind for key, kind in found.items() if key in keys}


def all_readers() -> Iterator[Reader]:
    """Yield all readers in the order in which they are tried; the installed ones are loaded when it is their turn."""
    yield from BUILT_IN
    yield from installed()


def worth_reading(file: RunFile, *, named: bool) -> bool:
    """Return whether a file may hold a run: the user named it, its extension is a run's, or a reader knows its
    beginning.

    A reader that fails on the beginning fails in `parse_file`, too, which says so.
    """
    if named or file.extension in RUN_EXTENSIONS:
        return True
    try:
        return any(True for _ in _known_by_head(file))
    except ReadError:
        return True


def parse_file(
    file: RunFile, *, named: bool, locator: str | None = None
) -> tuple[Unmasked[Run], ...] | NotARun:
    """Return the runs in a file, or with a locator the one run there.

    Valid JSON of other kinds, plain text and sources are ignored. A file is a problem when a reader knows it and
    cannot read it, when its extension is `.json`, `.jsonl` or `.ndjson` and it is not JSON (it may be a run that was
    cut), when it is empty and has a run's extension, or when it was named and is not a run.

    Raises: ReadError with the problem; whatever a reader raises becomes one.
    """
    claims = named or file.extension in RUN_EXTENSIONS
    if not named and any(
        folder.is_beside_run(file.name, lambda: file.neighbours) for folder in FOLDERS.values()
    ):
        return NotARun(kinds.COMPANION)
    if not file.head.strip() and not any(piece.strip() for piece in file.pieces()):
        for folder in FOLDERS.values():
            if folder.died and folder.is_emptied_by(file.name, lambda: file.neighbours):
                died = Run(folder.died(file.name), Status.INTERRUPTED, folder=folder.key)
                return (Unmasked(died),)
        if claims:
            raise ReadError(
                "E_EMPTY",
                "the file is empty; the run may have been killed before it printed anything",
            )
        return NotARun("text")
    if file.head.startswith(kinds.LFS_POINTER):
        if claims:
            raise ReadError(
                "E_LFS_POINTER",
                "this is a pointer of git-lfs; `git lfs pull` fetches the file itself",
            )
        return NotARun("lfs pointer")
    try:
        for reader in _candidates(file):
            if runs := _read(reader, file, locator):
                return tuple(map(Unmasked, runs))
    except kinds.EmptyResultsError:
        if named:
            raise
        return NotARun("empty")
    except ReadError as error:
        kind = (
            _kind_by_json(file) if error.code == "E_NOT_A_RUN" else None
        )  # it is like a file of the reader's agent
        if kind in (None, kinds.API_ERROR):
            raise
        return _not_a_run(kind, named=named)
    return _unread(file, named=named)


def _unread(file: RunFile, *, named: bool) -> NotARun:
    """Return what a file is that no reader takes. Raises: ReadError."""
    kind = kinds.kind_of_file(file)
    if not named and file.extension not in JSON_EXTENSIONS:
        return NotARun(_kind_by_json(file) or kind if kind == "text" else kind)
    if kind in kinds.UNREADABLE:
        raise ReadError("E_NOT_JSON" if "dump" in kind else "E_NOT_A_RUN", kinds.refusal(kind))
    with _errors_of("the JSON"):
        return _not_a_run(_kind_of(file), named=named)


def _not_a_run(kind: str, *, named: bool) -> NotARun:
    if named:
        raise ReadError("E_NOT_A_RUN", kinds.refusal(kind))
    return NotARun(kind)


def steps_of(
    file: RunFile,
    locator: str | None = None,
    known: Set[str | int] = frozenset(),
    *,
    contents: bool = True,
) -> Generator[Unmasked[Step], None, Unmasked[Run] | None]:
    """Yield the steps of a run that `parse_file` has read, without those of `known` records, and with inputs and
    answers where `contents` are asked for; none where its reader gives none. It returns the run, where its reader does.

    Raises: ReadError while they are taken; whatever a reader raises becomes one.
    """
    for reader in _candidates(file):
        if isinstance(reader, ReaderOfSteps):
            with _errors_of(f"the reader {reader.name}"):
                steps = reader.steps(file, locator, known, contents=contents)
                if (first := next(steps, None)) is not None:
                    yield Unmasked(first)
                    run = yield from _unmasked(steps)
                    return None if run is None else Unmasked(bounded(run))
    return None


def _unmasked(
    steps: Generator[Step, None, Run | None],
) -> Generator[Unmasked[Step], None, Run | None]:
    while True:
        try:
            yield Unmasked(next(steps))
        except StopIteration as end:
            run: Run | None = end.value
            return run


def read_new(file: RunFile, known: set[str | int]) -> tuple[Unmasked[Run], ...]:
    """Return the runs in a file, without records and answers that are `known`; the others become known. None where its
    reader does not tell copies apart.

    Raises: ReadError.
    """
    for reader in _candidates(file):
        if isinstance(reader, ReaderOfCopies):
            try:
                with _errors_of(f"the reader {reader.name}"):
                    if runs := tuple(map(bounded, reader.read_new(file, known))):
                        return tuple(map(Unmasked, runs))
            except ReadError as error:  # the file has been read, so one that takes it for damaged is not its reader
                if error.code not in ("E_TRUNCATED", "E_NOT_JSON"):
                    raise
    return ()


def keys_of(file: RunFile) -> set[str | int]:
    """Return what tells copies of the records and answers in a file. Raises: ReadError."""
    known: set[str | int] = set()
    read_new(file, known)
    return known


def _kind_of(file: RunFile) -> str:
    """Return what a JSON file is by its first values; all of it is read, as it may be damaged."""
    text = JsonText(file, Caveats())
    values = iter(text)
    first = list(islice(values, 1))
    if (
        text.fault and text.fault.code == "E_TRUNCATED"
    ):  # a list that was cut, whose items were taken for values
        raise text.fault
    kind = kinds.kind_of_documents([*first, *islice(values, kinds.MAX_DOCUMENTS)], file.name)
    for _ in values:
        pass
    return kind


def _kind_by_json(file: RunFile) -> str | None:
    """Return what a file that is not read is by the JSON in it; None where that says nothing."""
    if quotes_json(file):
        return None
    kind = "json"
    with suppress(ReadError), _errors_of("the JSON"):
        kind = _kind_of(file)
    return None if kind in ("json", *kinds.REPORTS) else kind


def _candidates(file: RunFile) -> Iterator[Reader]:
    """Yield the readers that know the beginning of a file; if none of them reads it, those that know its outline."""
    asked: list[Reader] = []
    for reader in _known_by_head(file):
        asked.append(reader)
        yield reader
    if outline := outline_of(file):
        yield from (
            reader
            for reader in _known_by_head(RunFile.of(file.name, outline))
            if reader not in asked
        )


def _known_by_head(file: RunFile) -> Iterator[Reader]:
    is_quoting = quotes_json(file)
    for reader in all_readers():
        # Only built-in readers say that they read JSON.
        is_asked = not (is_quoting and getattr(reader, "reads_json", False))
        if is_asked and _matches(reader, file):
            yield reader


def _matches(reader: Reader, file: RunFile) -> bool:
    try:
        return reader.matches(file)
    except ReadError:
        raise
    except Exception as error:
        raise _refusal(f"the reader {reader.name}", error) from error


def _read(reader: Reader, file: RunFile, locator: str | None) -> tuple[Run, ...]:
    with _errors_of(f"the reader {reader.name}"):
        runs = reader.read(file, locator)
        return tuple(map(bounded, runs if locator is None else islice(runs, 1)))


@contextmanager
def _errors_of(who: str) -> Iterator[None]:
    """Make every exception a ReadError, because one file must not stop a build."""
    try:
        yield
    except ReadError:
        raise
    except Exception as error:
        raise _refusal(who, error) from error


def _refusal(who: str, error: Exception) -> ReadError:
    if isinstance(error, RecursionError | MemoryError):
        return ReadError("E_LIMIT", f"the file is too large or too deeply nested for {who}")
    return ReadError(
        "E_READER", f"{who} failed on this file with {type(error).__name__}; please report it"
    )
