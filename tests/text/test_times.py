"""Times of foreign files, each with one reading, of this century only."""

from __future__ import annotations

import math

import pytest

from sitegen.text.times import milliseconds_of, moment_of, utc_text

FIRST, LAST = 946_684_800, 4_102_444_799
NOON = "2026-11-18T10:00:00Z"


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
def test_a_number_is_of_the_unit_that_puts_it_into_this_century(unit: int) -> None:
    assert utc_text(FIRST * unit) == "2000-01-01T00:00:00Z"
    assert utc_text(LAST * unit) == "2099-12-31T23:59:59Z"
    assert milliseconds_of(FIRST * unit) == FIRST * 1000
    assert moment_of(LAST + 1) is None
    assert moment_of(FIRST - 1) is None


@pytest.mark.parametrize(
    ("text", "shown", "milliseconds"),
    [
        (NOON, NOON, 1_794_996_000_000),
        ("2026-11-18T10:00:00+02:00", "2026-11-18T08:00:00Z", 1_794_988_800_000),
        ("2026-11-18T10:00:00.123456789Z", NOON, 1_794_996_000_123),
        ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z", FIRST * 1000),
        ("2099-12-31T23:59:59Z", "2099-12-31T23:59:59Z", LAST * 1000),
        ("1999-12-31T23:59:59Z", None, None),
        ("2100-01-01T00:00:00Z", None, None),
        ("2026-11-18T10:00:00", None, None),
        ("2026-11-18", None, None),
        ("soon", None, None),
        ("946684800", None, None),
    ],
)
def test_a_text_needs_its_zone(text: str, shown: str | None, milliseconds: int | None) -> None:
    assert utc_text(text) == shown
    assert milliseconds_of(text) == milliseconds


def test_a_text_without_a_zone_is_utc_where_the_format_says_so() -> None:
    assert milliseconds_of("2026-11-18T10:00:00", naive=True) == 1_794_996_000_000
    assert milliseconds_of("2026-11-18T10:00:00+02:00", naive=True) == 1_794_988_800_000
    assert moment_of("soon", naive=True) is None


@pytest.mark.parametrize("value", [None, True, -1, 0, 1e300, math.nan, math.inf, [], {}], ids=repr)
def test_anything_else_is_no_time(value: object) -> None:
    assert moment_of(value) is None
    assert milliseconds_of(value, naive=True) is None
    assert utc_text(value) is None
