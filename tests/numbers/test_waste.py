"""Spending without a visible gain: the parts of sessions, and contexts that are written to the cache anew."""

from __future__ import annotations

import pytest

from sitegen.model import ModelUsage, Part, Run, Status, Tokens
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.waste import (
    cost_rewritten_cache_usd,
    cost_without_change_usd,
    idle_parts,
    is_rewritten,
)

OK, FAILED = Status.OK, Status.FAILED


def parts(*stated: tuple[Status, int | None]) -> tuple[Part, ...]:
    """Return parts of a session, from the status and the edits of each; the first costs 1 USD, the second 2."""
    return tuple(
        Part(status, None, 1, 1, float(number), edits)
        for number, (status, edits) in enumerate(stated, 1)
    )


@pytest.mark.parametrize(
    ("stated", "idle", "usd"),
    [
        ([], (), None),
        ([(OK, 0)], (), None),
        ([(OK, 0), (OK, 0)], (1,), 2.0),
        ([(OK, 3), (OK, 0), (OK, 1), (OK, 0)], (1, 3), 6.0),
        ([(OK, 3), (OK, None)], (), None),
        ([(FAILED, 0), (OK, 0)], (), None),
        ([(FAILED, 0), (OK, 0), (FAILED, 0), (OK, 0)], (3,), 4.0),
    ],
)
def test_parts_that_edit_nothing_behind_one_that_ended_well_are_idle(
    stated: list[tuple[Status, int | None]], idle: tuple[int, ...], usd: float | None
) -> None:
    run = Run("t", OK, parts=parts(*stated))
    assert idle_parts(run.parts) == idle
    assert cost_without_change_usd(run) == usd


@pytest.mark.parametrize(
    ("turns", "write", "by_kind", "usd"),
    [
        (1, 20_000, {"cache_write": 0.5, "input": 9.0}, 0.5),
        (1, 19_999, {"cache_write": 0.5}, None),
        (1, None, {"cache_write": 0.5}, None),
        (2, 20_000, {"cache_write": 0.5}, None),
        (None, 20_000, {"cache_write": 0.5}, None),
        (1, 20_000, None, None),
    ],
)
def test_one_turn_that_writes_a_large_context_is_a_cost(
    turns: int | None, write: int | None, by_kind: dict[str, float] | None, usd: float | None
) -> None:
    usage = ModelUsage("m", Tokens(cache_write=write))
    run = Run("t", OK, turns=turns, ledger=(usage,))
    assert cost_rewritten_cache_usd(run, PriceCheck((), by_kind=by_kind)) == usd


@pytest.mark.parametrize(
    ("write", "hour", "read", "before", "pause_ms", "expected"),
    [
        (20_000, None, 0, 20_000, 300_001, True),
        (20_000, None, 0, 20_000, 300_000, False),  # the cache lasts so long
        (19_999, None, 0, 50_000, 300_001, False),
        (50_000, None, 0, 19_999, 300_001, False),
        (20_000, None, 9_999, 20_000, 300_001, True),
        (20_000, None, 10_000, 20_000, 300_001, False),  # half of the context was still there
        (20_000, None, None, 20_000, 300_001, True),
        (None, None, 0, 20_000, 300_001, False),
        (20_000, 20_000, 0, 20_000, 3_600_000, False),
        (20_000, 20_000, 0, 20_000, 3_600_001, True),
        (20_000, 19_999, 0, 20_000, 300_001, True),  # a part was written for five minutes
        (20_000, 0, 0, 20_000, 300_001, True),
    ],
)
def test_a_large_context_that_comes_late_is_written_anew(
    write: int | None,
    hour: int | None,
    read: int | None,
    before: int,
    pause_ms: int,
    expected: bool,
) -> None:
    tokens = Tokens(cache_write=write, cache_write_1h=hour, cache_read=read)
    assert is_rewritten(tokens, before, pause_ms) is expected
