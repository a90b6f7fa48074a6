"""Work spread over processes, in the order in which it was given, that survives the death of a worker.

A job is a function from a list of items to a list of results; what it needs beside them it gets once, when a process
starts, so that items are all that travels. Processes are forked where that is safe, and inherit what is in memory;
elsewhere they are spawned, and everything is pickled.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Job = Callable[[Sequence[Item]], list[Result]]

CHUNKS_PER_WORKER = 8
"""Enough for an even end, and few enough that starting one costs nothing."""
LARGEST_CHUNK = 64
FEWEST_ITEMS = 48
"""Fewer are done in this process, before another could have started."""
_PARENT_POLL_SECONDS = 0.2


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """How many processes work, and what is done when one of them dies."""

    def __init__(self, count: int) -> None:
        """`count` processes; with 1 all is done in this one."""
        self.count = count

    def map(
        self, job: Job[Item, Result], items: Sequence[Item], on_lost: Callable[[Item], Result]
    ) -> Generator[Result, None, None]:
        """The result for each item, in order. `on_lost` makes that of an item that kills each process that does it.

        An exception of the job ends the work and is raised here. Closing the generator ends all processes: whoever
        may leave early does so (`contextlib.closing`).
        """
        if self.count < 2 or len(items) < FEWEST_ITEMS:
            for item in items:
                yield from job([item])
            return
        size = max(1, min(LARGEST_CHUNK, len(items) // (self.count * CHUNKS_PER_WORKER)))
        chunks = [items[start : start + size] for start in range(0, len(items), size)]
        with closing(_Chunks(self.count, job, chunks, on_lost).results()) as done:
            for results in done:
                yield from results


ALONE = Workers(1)
"""All in this process."""


class _Chunks(Generic[Item, Result]):
    """The chunks of one job on their way through the processes."""

    def __init__(
        self,
        count: int,
        job: Job[Item, Result],
        chunks: Sequence[Sequence[Item]],
        on_lost: Callable[[Item], Result],
    ) -> None:
        self._count = count
        self._job = job
        self._chunks = chunks
        self._on_lost = on_lost

    def results(self) -> Generator[list[Result], None, None]:
        """The results of each chunk, in order."""
        done: dict[int, list[Result]] = {}
        wanted = 0
        while wanted < len(self._chunks):
            left = [number for number in range(wanted, len(self._chunks)) if number not in done]
            with closing(self._in_pool(left)) as in_pool:
                for number, result in in_pool:
                    done[number] = result
                    while wanted in done:
                        yield done.pop(wanted)
                        wanted += 1
            # A worker died. It had one of the next chunks: these are done one item at a time, each on its own.
            suspects = [number for number in left if number >= wanted and number not in done][: self._count]
            for number in suspects:
                done[number] = [self._alone(item) for item in self._chunks[number]]
            while wanted in done:
                yield done.pop(wanted)
                wanted += 1

    def _in_pool(self, numbers: Sequence[int]) -> Generator[tuple[int, list[Result]], None, None]:
        """Number and results of the chunks that were done before a worker died, or all of them."""
        pool = _pool(min(self._count, len(numbers)), self._job)
        try:
            futures: list[Future[list[Result]]] = [pool.submit(_work, self._chunks[number]) for number in numbers]
            for number, future in zip(numbers, futures, strict=True):
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
    return ProcessPoolExecutor(count, mp_context=context, initializer=start, initargs=(job, os.getpid()))


def _may_fork() -> bool:
    """Whether a copy of this process would be whole: it must not have threads, which a copy does not get.

    Those of libraries count as well, so they are counted where the system tells. macOS forbids much to a copy.
    """
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
    except OSError:
        return False


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes at once, whatever they do."""
    for process in list((pool._processes or {}).values()):  # kill_workers() of Python 3.14
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)


_job: Callable[[Sequence[Any]], list[Any]]


def _start(job: Callable[[Sequence[Any]], list[Any]], parent: int) -> None:
    """Make a process ready to work. The parent decides about interrupts; without a parent there is no work."""
    global _job
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    os._exit(1)


def _work(items: Sequence[Any]) -> list[Any]:
    return _job(items)
