"""Brings the files of a site to its target; those that are as an earlier build left them are not made again.

A file that is as it was is taken over as the published site holds it, or from the cache, where it is signed: an earlier
build of this user has made and scanned it.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from sitegen.cache.memory import Memory
from sitegen.masking.final_scan import FinalScan
from sitegen.publish.files import FILE, File, Finish, Finished, KeptFile, Target
from sitegen.remote.files import ahead
from sitegen.workers import Workers

FILES_AT_ONCE = 16_384
"""What a file is made of takes memory, and an engine sends that of all of them to each of its workers."""

PAGES_OF_SEVERAL_AT_ONCE = 1_024
"""These are made of many runs each, and processes copy the memory that these lie in: each time, new ones begin."""


@dataclass(frozen=True, slots=True)
class _FinishSome:
    """Finishes the files at some positions: a job of `workers`."""

    files: Sequence[File]
    finish: Finish

    def __call__(self, positions: Sequence[int]) -> list[Finished]:
        """The result of each. Raises: PublishError, ConfigError."""
        with self.finish.stage.together() as put:
            each_ahead = ahead(positions, lambda each: self.files[each].reads)
            return [self.finish(self.files[each], put=put) for each in each_ahead]

    def after_loss(self, position: int) -> Finished:
        """A file that ends the process that makes it."""
        file = self.files[position]
        return self.finish(file, file.make_after_loss)


class Stream:
    """The files of a site on their way to the target."""

    def __init__(self, target: Target, memory: Memory, scan: FinalScan, workers: Workers, *, is_packing: bool) -> None:
        """With `is_packing`, the memory keeps files themselves, not only what the published ones are known by."""
        self.written: list[str] = []
        """All paths so far."""
        self.is_lasting = True
        """Whether another build of the same inputs would make the same files."""
        self._masked_late: list[str] = []
        """Files in which the last scan found something, in order, but for pages of runs, which say it themselves."""
        self._finish = Finish(scan, target.stage, is_packing)
        self._target, self._memory, self._workers = target, memory, workers

    def key(self, *values: object) -> bytes | None:
        """The key of a file that shows these values, which their `repr` tells apart; None without a memory."""
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
        known_by = self._memory.stamps(FILE) if any(file.key for file in files) else {}
        stale = [position for position, file in enumerate(files) if not self._may_be_known(file, known_by)]
        del known_by  # of many runs it is large
        paths = (path for position in stale for path in (files[position].path, *files[position].companions))
        for folder in dict.fromkeys(path.rpartition("/")[0] for path in paths):
            self._target.make_folder(folder)
        elsewhere = [position for position in stale if not files[position].is_made_here]
        job = _FinishSome([files[position] for position in elsewhere], self._finish)
        with closing(self._workers.map(job, range(len(elsewhere)), job.after_loss)) as made:
            to_make = iter(elsewhere)
            next_stale = next(to_make, None)
            for position, file in enumerate(files):
                if position == next_stale:
                    finished, next_stale = next(made), next(to_make, None)
                    yield self._recorded(file, finished)
                else:
                    yield self.put(file)

    def write_all(self, files: Iterable[File]) -> None:
        """Publish pages of several runs, and what else is no page of a run. Raises: as `write`."""
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
        """A sentence about the files in which something was masked late; pages of runs have a problem of their own."""
        if self._masked_late:
            shown = ", ".join([*self._masked_late[:3], *(["..."] if len(self._masked_late) > 3 else [])])
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
        self.is_lasting &= finished.is_lasting
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
