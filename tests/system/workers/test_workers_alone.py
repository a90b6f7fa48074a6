"""How work is divided, and work that is done in this process."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from sitegen.system import workers
from sitegen.system.workers import Processes, chunk_size


@pytest.mark.parametrize(
    ("items", "count", "size"),
    [(0, 2, 1), (16, 2, 1), (31, 2, 1), (32, 2, 2), (1024, 2, 64), (9999, 2, 64), (1024, 4, 32)],
)
def test_a_worker_is_given_an_eighth_of_its_share_at_once(
    items: int, count: int, size: int
) -> None:
    assert chunk_size(items, count) == size


def ids(items: Sequence[int]) -> list[tuple[int, int]]:
    return [(item, os.getpid()) for item in items]


@pytest.mark.parametrize(("count", "items"), [(1, 100), (4, 47)])
def test_one_process_or_few_items_need_no_other(count: int, items: int) -> None:
    done = list(Processes(count).map(ids, range(items), lambda item: (item, 0)))
    assert done == [(item, os.getpid()) for item in range(items)]


def test_without_threads_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def refuse(count: int) -> bool:
        asked.append(count)
        return False

    monkeypatch.setattr(workers, "allows_threads", refuse)
    done = list(Processes(3).map(ids, range(48), lambda item: (item, 0)))
    assert done == [(item, os.getpid()) for item in range(48)]
    assert asked == [8]  # two of each process, and two that manage them


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def affinity(process: int) -> set[int]:
        asked.append(process)
        return {0, 2, 5}

    monkeypatch.setattr(os, "sched_getaffinity", affinity, raising=False)
    assert workers.cores() == 3
    assert asked == [0]
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert workers.cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert workers.cores() == 1
