"""Times in foreign files."""

from __future__ import annotations

import math

import pytest

from sitegen.text.times import milliseconds_of, moment_of, utc_text


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("2026-11-18T10:00:00Z", "2026-11-18T10:00:00Z"),
        ("2026-11-18T10:00:00+02:00", "2026-11-18T08:00:00Z"),
        ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z"),
        ("1999-12-31T23:59:59Z", None),
        ("2099-12-31T23:59:59Z", "2099-12-31T23:59:59Z"),
        ("2100-01-01T00:00:00Z", None),
        ("2026-11-18T10:00:00", None),
        ("2026-11-18", None),
        ("yesterday", None),
        (946_684_800, "2000-01-01T00:00:00Z"),
        (946_684_799, None),
        (4_102_444_799, "2099-12-31T23:59:59Z"),
        (4_102_444_800, None),
        (946_684_800_000, "2000-01-01T00:00:00Z"),
        (946_684_800_000_000, "2000-01-01T00:00:00Z"),
        (946_684_800_000_000_000, "2000-01-01T00:00:00Z"),
        (946_684_800_000_000_000_000, None),
        (1_500_000_000.25, "2017-07-14T02:40:00Z"),
        (0, None),
        (-1, None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_a_time_of_this_century_is_read_from_a_text_or_a_number_of_any_unit(
    time: object, text: str | None
) -> None:
    assert utc_text(time) == text


def test_a_time_without_a_zone_is_utc_only_where_the_format_says_so() -> None:
    assert milliseconds_of("2000-01-01T00:00:01.5") is None
    assert milliseconds_of("2000-01-01T00:00:01.5", naive=True) == 946_684_801_500
    assert milliseconds_of("2000-01-01T01:00:00+01:00", naive=True) == 946_684_800_000
    assert moment_of("2000-01-01T00:00:00") is None


@pytest.mark.parametrize(
    ("time", "milliseconds"),
    [
        (1_500_000_000, 1_500_000_000_000),
        (1_500_000_000_123, 1_500_000_000_123),
        (1_500_000_000_123_600, 1_500_000_000_124),
        ("2017-07-14T02:40:00.001Z", 1_500_000_000_001),
        (False, None),
    ],
)
def test_a_time_has_milliseconds(time: object, milliseconds: int | None) -> None:
    assert milliseconds_of(time) == milliseconds
