"""Work over processes: every result, in order, whatever the sizes; and after a loss what the caller makes instead."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from sitegen.system import workers
from sitegen.system.workers import ALONE, MIN_ITEMS, Processes, chunk_size


def doubled(items: Sequence[int]) -> list[tuple[int, int]]:
    return [(2 * item, os.getpid()) for item in items]


def lost(item: int) -> tuple[int, int]:
    return -item, 0


@pytest.mark.parametrize(
    ("items", "count", "size"),
    [
        (0, 2, 1),
        (1, 2, 1),
        (31, 2, 1),
        (32, 2, 2),
        (47, 2, 2),
        (48, 2, 3),
        (1024, 2, 64),
        (5000, 2, 64),
        (5000, 8, 64),
        (500, 8, 7),
    ],
)
def test_a_worker_is_given_an_eighth_of_its_share_at_most_64(
    items: int, count: int, size: int
) -> None:
    assert chunk_size(items, count) == size


@pytest.mark.parametrize("count", [0, MIN_ITEMS - 1])
def test_few_items_are_done_in_this_process(count: int) -> None:
    found = list(Processes(2).map(doubled, range(count), lost))
    assert found == [(2 * item, os.getpid()) for item in range(count)]


def test_one_worker_is_this_process() -> None:
    found = list(ALONE.map(doubled, range(2 * MIN_ITEMS), lost))
    assert {process for _, process in found} == {os.getpid()}


def test_a_system_without_threads_for_more_does_all_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def allows(threads: int) -> bool:
        asked.append(threads)
        return False

    monkeypatch.setattr(workers, "allows_threads", allows)
    found = list(Processes(3).map(doubled, range(MIN_ITEMS), lost))
    assert {process for _, process in found} == {os.getpid()}
    assert asked == [8], "two for each process, and two for what manages them"


def test_many_items_come_in_order_from_other_processes() -> None:
    count = 64 * 3 + 5
    found = list(Processes(2).map(doubled, range(count), lost))
    assert [value for value, _ in found] == [2 * item for item in range(count)]
    assert os.getpid() not in {process for _, process in found}


class Fatal:
    """A job that ends the process that does a certain item."""

    def __init__(self, item: int) -> None:
        self._item = item

    def __call__(self, items: Sequence[int]) -> list[tuple[int, int]]:
        if self._item in items:
            os._exit(9)
        return doubled(items)


@pytest.mark.parametrize("fatal", [50])
def test_an_item_that_ends_its_process_is_made_by_the_caller(fatal: int) -> None:
    count = MIN_ITEMS + 7
    found = list(Processes(2).map(Fatal(fatal), range(count), lost))
    values = [value for value, _ in found]
    assert values == [-item if item == fatal else 2 * item for item in range(count)]


def fail_late(items: Sequence[int]) -> list[tuple[int, int]]:
    if MIN_ITEMS in items:
        raise ValueError("of the job")
    return doubled(items)


def test_an_error_of_the_job_ends_the_work() -> None:
    with pytest.raises(ValueError, match="of the job"):
        list(Processes(2).map(fail_late, range(2 * MIN_ITEMS), lost))
