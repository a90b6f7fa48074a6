"""Brings the files of a site to its target; those that are as an earlier build left them are not made again.

A file that is as it was is taken over as the published site holds it, or from the cache, where it is signed: an earlier
build of this user has made and scanned it.
"""

import zlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

from sitegen.cache.memory import Memory, ValueKind
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError
from sitegen.html.render import Page, Renderer
from sitegen.masking.final_scan import FinalScan, whole
from sitegen.masking.redact import Numbers
from sitegen.model import Caveat
from sitegen.publish.manifest import Content
from sitegen.publish.one_file import OneFile, form_of
from sitegen.publish.publication import Publication
from sitegen.publish.staging import Stage
from sitegen.remote.stored_files import prefetch
from sitegen.system.address import Address
from sitegen.system.places import is_address
from sitegen.system.workers import Workers

# A file of the site before it is made, what making it gives, and what is kept of it for the next build.

MAX_UNPACKED_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """A run as the index of the search takes it."""

    words: str  # its different words, divided by spaces
    levels: bytes  # the level of each, as `pages.search` counts them
    length: int
    shown: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of making a file."""

    data: bytes | Iterable[bytes] = b""
    """A data file piece by piece: all lines at once would take more memory than all facts."""
    companions: Iterable[tuple[str, bytes]] = ()
    """The files that it alone loads, or further pages of the same, each staged before the next is made."""
    words: Document | None = None
    """The run that the page shows, as the search takes it: with the text of the rendered summary."""
    late: tuple[Caveat, ...] = ()
    """The caveats that showed only now: no figure depends on them, and only the problems page shows them."""
    is_lasting: bool = True  # whether the next build would make the same of the same inputs


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site, not yet made. Any process can make it."""

    path: str
    key: bytes | None
    """Digest of all that it shows, settings included; None where it is made in each build."""
    make: Callable[[], Made]  # raises: PublishError, ConfigError
    companions: tuple[str, ...] = ()
    run_id: str | None = None
    make_after_loss: Callable[[], Made] | None = None
    """Used when `make` ended the process that called it; None where `make` is then called in this process."""
    is_scanned: bool = (
        True  # whether the last scan looks at it: at all that holds something of a run
    )
    reads: tuple[Address, ...] = ()
    is_made_here: bool = False
    """Whether this process makes it: it goes through so many facts that another would copy them all."""
    numbers: Numbers | None = None
    """The numbers of masks in files that it loads and that are finished already: they go on in it."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A published file, as a memory keeps it."""

    content: Content
    packed: bytes
    """The file itself, compressed; empty where it is to be found in the published site only."""

    @classmethod
    def of(cls, data: bytes, *, is_packing: bool) -> "KeptFile":
        """Return the KeptFile of these bytes."""
        return cls(
            Content.of(data),
            zlib.compress(data, 1) if is_packing and len(data) <= MAX_UNPACKED_BYTES else b"",
        )

    def unpacked(self) -> bytes | None:
        """Return the file itself; None where it was not kept."""
        return zlib.decompress(self.packed) if self.packed else None


@dataclass(frozen=True, slots=True)
class Finished:
    """A file that was made, scanned and staged: what is known of it."""

    file: KeptFile
    companions: tuple[tuple[str, KeptFile], ...]
    words: Document | None
    late: tuple[Caveat, ...]
    withheld: tuple[str, ...]  # kinds of what the last scan found, and masked or took off the page
    is_lasting: bool


FILE = ValueKind[Finished]("page", Finished, most_bytes=2 * MAX_UNPACKED_BYTES)


Put = Callable[[str, bytes], None]


@dataclass(frozen=True, slots=True)
class Finish:
    """Makes a file, scans it and stages it, in any process."""

    scan: FinalScan
    stage: Stage
    is_packing: bool  # whether the file itself is kept for the next build

    def __call__(
        self, file: File, make: Callable[[], Made] | None = None, put: Put | None = None
    ) -> Finished:
        """Do it, with `make` in place of its own, `put` in place of the stage. Raises: PublishError, ConfigError."""
        made = (make or file.make)()
        numbers: Numbers = (
            {} if file.numbers is None else file.numbers
        )  # its companions go on with them
        kept: list[tuple[str, KeptFile]] = []
        withheld: list[str] = []
        if (
            not isinstance(made.data, bytes)
            and put is None
            and file.is_scanned
            and not file.companions
        ):
            parts = self.scan.parts(file.path, made.data, withheld, numbers)
            kept.append((file.path, KeptFile(self.stage.put_parts(file.path, parts), b"")))
        else:
            for path, data in chain[tuple[str, bytes | Iterable[bytes]]](
                ((file.path, made.data),), made.companions
            ):
                scanned, kinds = (
                    self.scan.finish(path, data, numbers) if file.is_scanned else (whole(data), ())
                )
                (put or self.stage.put)(path, scanned)
                kept.append((path, KeptFile.of(scanned, is_packing=self.is_packing)))
                withheld += kinds
        (_, own), *companions = kept
        found = tuple(dict.fromkeys(withheld))
        return Finished(own, tuple(companions), made.words, made.late, found, made.is_lasting)


def page_file(
    page: Page, renderer: Renderer, key: bytes | None, texts: Mapping[str, object] | None = None
) -> File:
    """Return a page that follows from its view, `texts` and the settings."""
    return File(page.path, key, partial(_rendered, renderer, page, texts))


def _rendered(renderer: Renderer, page: Page, texts: Mapping[str, object] | None) -> Made:
    return Made(renderer.render(page, texts))


Target = Publication | OneFile

FILES_AT_ONCE = 16_384
"""Files made at once: what they are made of takes memory, and an engine sends all of it to each of its workers."""

PAGES_OF_SEVERAL_AT_ONCE = 1_024
"""These are made of many runs each, and processes copy the memory that these lie in: each time, new ones begin."""


@dataclass(frozen=True, slots=True)
class _FinishSome:
    """Finishes the files at some positions: a job of `workers`."""

    files: Sequence[File]
    finish: Finish

    def __call__(self, positions: Sequence[int]) -> list[Finished]:
        """Return the result of each. Raises: PublishError, ConfigError."""
        prefetched = prefetch(positions, lambda each: self.files[each].reads)
        return [self.finish(self.files[each], put=self.finish.stage.put) for each in prefetched]

    def after_loss(self, position: int) -> Finished:
        """Return a file that ends the process that makes it."""
        file = self.files[position]
        return self.finish(file, file.make_after_loss)


class FileStream:
    """The files of a site on their way to the target."""

    def __init__(
        self, target: Target, memory: Memory, scan: FinalScan, workers: Workers, *, is_packing: bool
    ) -> None:
        """Set up the builder. With `is_packing`, the memory keeps files themselves, not only what the published ones
        are known by."""
        self.written: list[str] = []
        self._masked_late: list[str] = []
        """Files in which the last scan found something, in order, but for pages of runs, which say it themselves."""
        self._finish = Finish(scan, target.stage, is_packing)
        self._target, self._memory, self._workers = target, memory, workers

    def key(self, *values: object) -> bytes | None:
        """Return the key of a file that shows these values, which their `repr` tells apart; None without a memory."""
        return self._memory.stamp(values, self._finish.is_packing) if self._memory.is_open else None

    def write(
        self, files: Iterable[File], at_once: int = FILES_AT_ONCE
    ) -> Generator[tuple[File, Finished], None, None]:
        """Publish files: those whose keys are as they were are taken over, the others are made by the workers. Yields
        each with its result, in their order. No more than `at_once` are held.

        Raises: PublishError, and ConfigError from a template of the user's theme.
        """
        left = iter(files)
        while some := tuple(islice(left, at_once)):
            with closing(self._write(some)) as written:
                yield from zip(some, written, strict=True)

    def _write(self, files: Sequence[File]) -> Generator[Finished, None, None]:
        has_keys = any(file.key for file in files)
        known_by = self._memory.stamps(FILE) if has_keys else {}
        stale = [
            position
            for position, file in enumerate(files)
            if not self._may_be_known(file, known_by)
        ]
        del known_by  # of many runs it is large
        paths = (
            path
            for position in stale
            for path in (files[position].path, *files[position].companions)
        )
        for folder in dict.fromkeys(path.rpartition("/")[0] for path in paths):
            self._target.make_folder(folder)
        elsewhere = dict.fromkeys(
            position for position in stale if not files[position].is_made_here
        )
        job = _FinishSome([files[position] for position in elsewhere], self._finish)
        with closing(self._workers.map(job, range(len(elsewhere)), job.after_loss)) as made:
            for position, file in enumerate(files):
                yield self._recorded(file, next(made)) if position in elsewhere else self.put(file)

    def write_all(self, files: Iterable[File]) -> None:
        """Publish pages of several runs, and whatever else is not the page of a run. Raises: as `write`."""
        for _ in self.write(files, PAGES_OF_SEVERAL_AT_ONCE):
            pass

    def put(self, file: File) -> Finished:
        """Publish one file: as it was left where its key has not changed, else made here. Raises: as `write`."""
        known = self._memory.recall(FILE, file.path, file.key)
        if known is None:
            return self._put_anew(file)
        parts = [(file.path, known.file), *known.companions]
        taken = [path for path, kept in parts if self._take(path, kept)]
        if len(taken) < len(parts):
            return self._put_anew(file, without=taken)
        if known.withheld and file.run_id is None:
            self._masked_late.append(file.path)
        return known

    def put_unkept(self, file: File) -> None:
        """Publish one file that each build makes. Raises: as `write`."""
        self._target.make_folder(file.path.rpartition("/")[0])
        self._recorded(file, self._finish(file))

    def remarks(self) -> Iterator[str]:
        """Yield a sentence about the files in which something was masked late; pages of runs have a problem of their
        own."""
        if self._masked_late:
            shown = ", ".join(
                [*self._masked_late[:3], *(["..."] if len(self._masked_late) > 3 else [])]
            )
            yield f"What looks like a secret, put together, was masked in finished files: {shown}. Look at them."

    def _may_be_known(self, file: File, known_by: Mapping[str, bytes]) -> bool:
        is_there = self._finish.is_packing or self._target.has(file.path)
        return file.key is not None and is_there and known_by.get(file.path) == file.key

    def _recorded(self, file: File, finished: Finished) -> Finished:
        """Count a file as written that is on the stage."""
        for path, kept in ((file.path, finished.file), *finished.companions):
            self._target.record(path, kept.content)
            self.written.append(path)
        return self._kept(file, finished)

    def _kept(self, file: File, finished: Finished) -> Finished:
        if finished.withheld and file.run_id is None:
            self._masked_late.append(file.path)
        if finished.is_lasting and file.key is not None:
            self._memory.keep(FILE, file.path, file.key, finished)
        return finished

    def _put_anew(self, file: File, without: Collection[str] = ()) -> Finished:
        """Make and publish a file, but for the paths `without`."""

        def put(path: str, data: bytes) -> None:
            if path not in without:
                self._target.write(path, data)
                self.written.append(path)

        return self._kept(file, self._finish(file, put=put))

    def _take(self, path: str, file: KeptFile) -> bool:
        """Publish a file as the site before has it, or else as it was kept; False where it is in neither.
        Raises: PublishError."""
        if not self._target.reuse(path, file.content):
            data = file.unpacked()
            if data is None:
                return False
            self._target.write(path, data)
        self.written.append(path)
        return True


# The user's own files, which go to the top of the site.


def own_files(config: Config) -> dict[str, bytes]:
    """Return the user's own files (CNAME, favicon.ico, ...), which go to the top of the site.

    Excludes links and hidden files, of which only `.well-known` is published.

    Raises: ConfigError when there is no such folder or it and the output lie in one another, PublishError when a
    file cannot be read.
    """
    if config.static is None:
        return {}
    folder = Path(config.static).resolve()
    output = Path(config.output).resolve()
    if not folder.is_dir():
        raise ConfigError(f"static: there is no folder {config.static}.")
    if folder.is_relative_to(output) or output.is_relative_to(folder):
        raise ConfigError(
            f"static: {config.static} and the output {config.output} must not contain each other."
        )
    files = {}
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder)
        hidden = any(part.startswith(".") and part != ".well-known" for part in within.parts)
        if hidden or path.is_symlink() or not path.is_file():
            continue
        try:
            files[within.as_posix()] = path.read_bytes()
        except OSError as error:
            raise PublishError(
                f"static: {within.as_posix()} cannot be read: {error.strerror}"
            ) from None
    return files


_OUTPUT_AT_ADDRESS = (
    "output: a site is written into a folder. Name one, such as site, "
    "and copy it after the build: `aws s3 sync site s3://bucket/site`."
)


def target_of(config: Config, into: Path | None, on_wait: Callable[[str], None]) -> Target:
    """Return where the site of these settings goes, or into a folder of the caller's. Raises: ConfigError."""
    if into is None and is_address(config.output):
        raise ConfigError(_OUTPUT_AT_ADDRESS)
    output = into or Path(config.output)
    inputs = [Path(path) for path in config.paths_of_runs if not is_address(path)]
    if form := form_of(output, live_charts=config.live_charts, index_only=config.index_only):
        return OneFile(output, form, inputs=inputs, on_wait=on_wait)
    return Publication(output, inputs=inputs, on_wait=on_wait)
