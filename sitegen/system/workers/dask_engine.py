"""Workers that Dask runs, on this machine or on others.

Only chunks of items and their results travel; what a job needs beside them goes to each worker once. Dask gives the
work of a worker that died to another. What ends one worker after the other is cut into halves, down to the item, which
is then lost: see `Workers.map`.
"""

from __future__ import annotations

import gc
import logging
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from sitegen import __version__
from sitegen.errors import ConfigError, PublishError
from sitegen.system.places import how_to_install
from sitegen.system.workers import Item, Job, Result, Results, chunk_size

MAX_TASKS = 4000  # the limit on the tasks of one job: a scheduler holds each of them
AHEAD = 8  # chunks for each worker that are under way or wait to be fetched
ATTEMPTS = 3  # at an item alone: something else may have ended the workers that had it
CONNECT_SECONDS = 15


class Dask:
    """Workers of a Dask cluster: use it as a context."""

    def __init__(self, scheduler: str | None, count: int) -> None:
        """Connect to the workers of the scheduler at an address; without one, `count` processes of this machine."""
        self._scheduler = scheduler
        self._count = count
        self._cluster: Any = None
        self._client: Any = None

    def __enter__(self) -> Self:
        """Raises: ConfigError where Dask is missing, PublishError where no scheduler answers."""
        try:
            import dask
            import distributed

            security: Any = distributed.Security
            # TLS by a certificate in memory: other users of this machine cannot send work.
            own_key = None if self._scheduler else security.temporary()
        except ImportError:
            install = how_to_install("distributed", "cryptography")
            raise ConfigError(f"--engine dask needs Dask: install it with {install}.") from None
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})
        logging.getLogger("distributed").setLevel(
            logging.CRITICAL
        )  # what matters of it is an exception
        if self._scheduler is None:
            # Looking a hundred times a second at what its workers do takes a tenth of what they do.
            asked: dict[str, Any] = {
                "distributed.scheduler.allowed-failures": 1,
                "distributed.worker.profile.enabled": False,
                "distributed.scheduler.http.routes": [],  # whoever asks their HTTP servers gets nothing
                "distributed.worker.http.routes": [],
            }
            with dask.config.set(asked):
                make: Any = distributed.LocalCluster
                self._cluster = make(
                    n_workers=self._count,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    security=own_key,
                    dashboard_address=None,
                    memory_limit=0,
                    silence_logs=logging.CRITICAL,
                    # Its HTTP server starts all the same: on any free port, since others may hold the usual one.
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                )
        try:
            connect: Any = distributed.Client
            self._client = connect(self._cluster or self._scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            self.__exit__()
            why = f"does not answer ({type(error).__name__}): check its address"
            raise PublishError(f"the scheduler at {self._scheduler} {why}") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._client, self._cluster):
            if each is not None:
                with suppress(Exception):  # it has gone
                    each.close(timeout=5)

    def map(
        self, job: Job[Item, Result], items: Sequence[Item], on_lost: Callable[[Item], Result]
    ) -> Results[Result]:
        """See `Workers`. Raises: PublishError where the cluster has gone."""
        if not items:
            return
        count = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
        size = max(chunk_size(len(items), count), -(-len(items) // MAX_TASKS))
        chunks = deque(items[start : start + size] for start in range(0, len(items), size))
        sent = _Sent(self._client, job)
        waiting = deque[tuple[Sequence[Item], Any]]()
        try:
            while chunks or waiting:
                while chunks and len(waiting) < count * AHEAD:
                    chunk = chunks.popleft()
                    waiting.append((chunk, sent.begin(chunk)))
                chunk, future = waiting.popleft()
                yield from sent.results(chunk, future, on_lost)
        finally:
            with suppress(Exception):
                self._client.cancel([future for _, future in waiting])


class _Sent:
    """A job that each worker gets once. It is a task of its own, so that Dask makes it again where it was lost."""

    def __init__(self, client: Any, job: Job[Any, Any]) -> None:
        self._client, self._pickled = client, pickle.dumps(job)
        self._held = self._hold()

    def _hold(self) -> Any:
        return self._client.submit(pickle.loads, self._pickled, pure=False)

    def begin(self, chunk: Sequence[Any]) -> Any:
        return self._client.submit(_do, __version__, self._held, chunk, pure=False)

    def results(
        self, chunk: Sequence[Any], future: Any, on_lost: Callable[[Any], Any]
    ) -> list[Any]:
        """Return those of a chunk that has begun. Raises: what the job raised, ConfigError, PublishError."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        for _ in range(ATTEMPTS):
            try:
                found: list[Any] = future.result()
                return found
            except KilledWorker:
                if self._held.status == "error":
                    self._held = self._hold()
                if len(chunk) > 1:
                    half = len(chunk) // 2
                    parts = [(part, self.begin(part)) for part in (chunk[:half], chunk[half:])]
                    return [
                        result
                        for part, begun in parts
                        for result in self.results(part, begun, on_lost)
                    ]
            except FutureCancelledError:
                raise PublishError(
                    "the scheduler of Dask has gone: start it and build again"
                ) from None
            except ModuleNotFoundError as error:
                raise ConfigError(
                    f"The workers of Dask need what is installed here: they lack {error.name}."
                ) from None
            future = self.begin(chunk)
        return [on_lost(item) for item in chunk]


def _do(version: str, job: Job[Any, Any], items: Sequence[Any]) -> list[Any]:
    if version != __version__:
        raise ConfigError(
            f"The workers of Dask need sitegen {version}, as here; one has {__version__}."
        )
    was_looking = gc.isenabled()
    gc.disable()  # each look would go through all facts of the job
    try:
        return job(items)
    finally:
        if was_looking:
            gc.enable()
