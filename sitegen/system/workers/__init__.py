"""Work spread over processes, in the order in which it was given, that survives the death of a worker.

A job is a function from a list of items to a list of results; what it needs beside them it gets once, when a process
starts, so that items are all that travels. Processes are forked where that is safe, and inherit what is in memory;
elsewhere they are spawned, and everything is pickled.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sitegen.system.system_limits import allows_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

Job = Callable[[Sequence[Item]], list[Result]]
Results = Generator[Result, None, None]

CHUNKS_PER_WORKER = 8  # enough for an even end, and few enough that starting one costs nothing
LARGEST_CHUNK = 64
CHUNKS_PER_POOL = 64
"""The number of chunks after which processes are replaced: each copies the inherited memory that it uses."""
MIN_ITEMS = 48  # fewer are done in this process, before another could have started
_THREADS_OF_A_POOL = 2  # threads by which it is managed, beside its processes, which have two each
_PARENT_POLL_SECONDS = 0.2


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers(Protocol):
    """The workers of a build: processes of this machine, or an engine of others."""

    def map(
        self, job: Job[Item, Result], items: Sequence[Item], on_lost: Callable[[Item], Result]
    ) -> Results[Result]:
        """Return the result for each item, in order. `on_lost` makes that of an item that kills each process that does
        it.

        An exception of the job ends the work and is raised here. Closing the generator ends the work: whoever may leave
        early does so (`contextlib.closing`).
        """


class Processes:
    """Workers that are processes of this machine."""

    def __init__(self, count: int) -> None:
        """`count` processes; with 1 all is done in this one."""
        self.count = count

    def map(
        self, job: Job[Item, Result], items: Sequence[Item], on_lost: Callable[[Item], Result]
    ) -> Results[Result]:
        """See `Workers`. Few items, or all where the system allows no more processes, are done in this one."""
        if (
            self.count < 2
            or len(items) < MIN_ITEMS
            or not allows_threads(2 * self.count + _THREADS_OF_A_POOL)
        ):
            for item in items:
                yield from job([item])
            return
        size = chunk_size(len(items), self.count)
        chunks = [items[start : start + size] for start in range(0, len(items), size)]
        with closing(_Chunks(self.count, job, chunks, on_lost).results()) as done:
            for results in done:
                yield from results


def chunk_size(items: int, workers: int) -> int:
    """Items that a worker is given at once."""
    return max(1, min(LARGEST_CHUNK, items // (workers * CHUNKS_PER_WORKER)))


ALONE = Processes(1)  # all in this process


@dataclass(frozen=True, slots=True)
class _Chunks(Generic[Item, Result]):
    """The chunks of one job on their way through the processes."""

    _count: int
    _job: Job[Item, Result]
    _chunks: Sequence[Sequence[Item]]
    _on_lost: Callable[[Item], Result]

    def results(self) -> Generator[list[Result], None, None]:
        """Yield the results of each chunk, in order."""
        done: dict[int, list[Result]] = {}
        wanted = 0
        while wanted < len(self._chunks):
            left = [number for number in range(wanted, len(self._chunks)) if number not in done][
                :CHUNKS_PER_POOL
            ]
            with closing(self._in_pool(left)) as in_pool:
                for number, result in in_pool:
                    done[number] = result
                    while wanted in done:
                        yield done.pop(wanted)
                        wanted += 1
            # A worker died. It had one of the next chunks: these are done one item at a time, each on its own.
            suspects = [number for number in left if number >= wanted and number not in done][
                : self._count
            ]
            for number in suspects:
                done[number] = [self._alone(item) for item in self._chunks[number]]
            while wanted in done:
                yield done.pop(wanted)
                wanted += 1

    def _in_pool(self, numbers: Sequence[int]) -> Generator[tuple[int, list[Result]], None, None]:
        """Number and results of the chunks that were done before a worker died, or all of them."""
        pool = _pool(min(self._count, len(numbers)), self._job)
        futures = deque[tuple[int, Future[list[Result]]]]()
        try:
            with suppress(BrokenProcessPool):  # a worker may die before all is submitted
                futures.extend(
                    (number, pool.submit(_work, self._chunks[number])) for number in numbers
                )
            while futures:
                number, future = futures.popleft()  # a future that is kept keeps its result
                try:
                    result = future.result()
                except BrokenProcessPool:
                    continue  # the futures behind it may have been done in time
                yield number, result
        finally:
            _end(pool)

    def _alone(self, item: Item) -> Result:
        pool = _pool(1, self._job)
        try:
            results: list[Result] = pool.submit(_work, [item]).result()
            return results[0]
        except BrokenProcessPool:
            return self._on_lost(item)
        finally:
            _end(pool)


def _pool(count: int, job: Job[Item, Result]) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    start: Any = _start
    return ProcessPoolExecutor(
        count, mp_context=context, initializer=start, initargs=(job, os.getpid())
    )


def _may_fork() -> bool:
    """Return whether a copy of this process would be whole: it must not have threads, which a copy does not get.

    Those of libraries count as well, so they are counted where the system tells, which lists one that has ended for a
    moment longer. macOS forbids much to a copy.
    """
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        for _ in range(20):
            if len(os.listdir("/proc/self/task")) == 1:  # noqa: PTH208
                return True
            time.sleep(0.005)
    return False


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes at once, whatever they do."""
    for process in list((pool._processes or {}).values()):  # kill_workers() of Python 3.14
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)


_job: Callable[[Sequence[Any]], list[Any]]


def _start(job: Callable[[Sequence[Any]], list[Any]], parent: int) -> None:
    """Make a process ready to work, which leaves interrupts to its parent and ends with it."""
    global _job
    _job = job
    gc.freeze()  # looking for garbage among what is inherited would copy all of it
    gc.disable()  # see _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    os._exit(1)


def _work(items: Sequence[Any]) -> list[Any]:
    results = _job(items)
    gc.collect()  # once for all items: there is little to look at, and less often it would grow
    return results
