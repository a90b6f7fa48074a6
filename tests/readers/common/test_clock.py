"""Wall and idle time of a run, from the times of its records."""

from __future__ import annotations

import pytest

from sitegen.readers.common.clock import MAX_DISORDER_MS, Clock

BACK = MAX_DISORDER_MS + 1
NOVEMBER = 1_700_000_000_000


def clock_of(*times: int | None) -> Clock:
    clock = Clock()
    for ms in times:
        assert clock.see(ms) is ms
    return clock


@pytest.mark.parametrize("times", [(), (None,), (5_000,), (5_000, None), (5_000, 5_000)])
def test_a_run_of_less_than_two_times_took_an_unknown_time(times: tuple[int | None, ...]) -> None:
    clock = clock_of(*times)
    assert clock.wall_ms() is None and not clock.was_set_back
    assert clock.first_ms == clock.last_ms == next(iter([ms for ms in times if ms]), None)


def test_a_run_took_the_time_from_its_first_to_its_last_record() -> None:
    clock = clock_of(1_000, None, 4_000, 9_000)
    assert (clock.first_ms, clock.last_ms, clock.wall_ms()) == (1_000, 9_000, 8_000)
    assert (clock.idle_ms, clock.was_set_back) == (0, False)


def test_records_that_are_roughly_in_order_are_no_set_back() -> None:
    clock = clock_of(100_000, 200_000, 200_000 - MAX_DISORDER_MS, 210_000)
    assert (clock.wall_ms(), clock.was_set_back) == (110_000, False)
    clock = clock_of(100_000, 99_000, 101_000)
    assert (clock.first_ms, clock.last_ms, clock.wall_ms()) == (99_000, 101_000, 2_000)
    clock = clock_of(100_000, 110_000, 110_000 - MAX_DISORDER_MS, 60_000)
    assert (clock.wall_ms(), clock.was_set_back) == (60_000, False)


def test_a_clock_that_was_set_back_counts_what_passed_before_and_after() -> None:
    clock = clock_of(1_000_000, 1_005_000, 1_005_000 - BACK, 1_005_000 - BACK + 2_000)
    assert clock.was_set_back and clock.wall_ms() == 7_000
    assert (clock.first_ms, clock.last_ms) == (1_005_000 - BACK, 1_005_000)


def test_a_clock_that_was_set_back_twice_counts_all_three_stretches() -> None:
    clock = clock_of(1_000_000, 1_003_000, 900_000, 904_000, 800_000, 805_000)
    assert clock.was_set_back and clock.wall_ms() == 12_000


def test_a_few_old_records_are_no_set_back() -> None:
    clock = clock_of(1_000_000, 1_010_000, 900_000, 905_000)
    assert clock.wall_ms() == 15_000
    clock.see(1_010_000)  # the stretch goes on from where it was, and has no part of the old ones
    clock.see(1_020_000)
    assert (clock.first_ms, clock.last_ms) == (900_000, 1_020_000)
    assert clock.was_set_back and clock.wall_ms() == 20_000


def test_time_between_the_end_of_a_turn_and_the_next_prompt_is_idle() -> None:
    clock = Clock()
    clock.start_turn(1_000)
    clock.see(3_000)
    clock.start_turn(10_000)
    clock.see(12_000)
    clock.start_turn(None)
    assert (clock.idle_ms, clock.wall_ms(), clock.last_ms) == (7_000, 4_000, 12_000)
    clock.start_turn(11_000)  # a record of before is no turn that was waited for
    assert (clock.idle_ms, clock.last_ms) == (7_000, 12_000)


def test_a_run_never_took_less_than_nothing() -> None:
    clock = clock_of(1_000_000, 1_001_000)
    clock.idle_ms = 5_000
    assert clock.wall_ms() == 0


@pytest.mark.parametrize(
    ("value", "ms", "lacks_zone"),
    [
        ("2023-11-14T22:13:20Z", NOVEMBER, False),
        ("2023-11-14T23:13:20+01:00", NOVEMBER, False),
        ("2023-11-14T22:13:20", NOVEMBER, True),
        ("2023-11-14T22:13:20-0500", NOVEMBER + 18_000_000, False),
        ("yesterday", None, False),
        (1_700_000_000, NOVEMBER, False),
        (None, None, False),
    ],
)
def test_a_time_without_a_zone_is_noted(value: object, ms: int | None, lacks_zone: bool) -> None:
    clock = Clock()
    assert clock.parse(value) == ms
    assert clock.lacks_zone is lacks_zone
    clock.parse("2023-11-14T22:13:20")
    clock.parse("2023-11-14T22:13:20Z")
    assert clock.lacks_zone


def test_a_minute_is_the_most_that_records_are_out_of_order() -> None:
    assert MAX_DISORDER_MS == 60_000
    clock = clock_of(1_000_000, 1_010_000, 900_000)
    clock.see(1_010_000 - 1)  # not yet where the stretch was
    assert clock.wall_ms() == 110_000 and not clock.was_set_back
    clock = clock_of(1_000_000, 1_010_000, 900_000)
    clock.see(1_010_000)
    assert clock.wall_ms() == 10_000


def test_a_time_with_a_zone_says_nothing_of_the_others() -> None:
    clock = Clock()
    clock.parse("2023-11-14T22:13:20")
    clock.parse("2023-11-14T22:13:20+00:00")
    assert clock.lacks_zone
