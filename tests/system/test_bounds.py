"""Numbers from outside, at their limits."""

from __future__ import annotations

import math

import pytest

from sitegen.system import bounds
from sitegen.system.bounds import (
    Bounds,
    known_count,
    known_number,
    known_seconds,
    known_usd,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0.0),
        (-0.5, -0.5),
        (3, 3.0),
        (1e50, 1e50),
        (-1e50, -1e50),
        (1.1e50, None),
        (10**400, None),
        (1e-50, 1e-50),
        (0.9e-50, None),
        (math.nan, None),
        (math.inf, None),
        (True, None),
        (False, None),
        ("3", None),
        (None, None),
    ],
)
def test_a_number_is_zero_or_has_a_size_that_can_be_computed_with(
    value: object, number: float | None
) -> None:
    assert known_number(value) == number


@pytest.mark.parametrize(
    ("value", "usd"),
    [
        (0, 0.0),
        (1e-12, 1e-12),
        (0.9e-12, None),
        (1e9, 1e9),
        (1_000_000_001, None),
        (-0.01, None),
        (True, None),
        ("1", None),
    ],
)
def test_an_amount_is_zero_or_within_its_limits(value: object, usd: float | None) -> None:
    assert known_usd(value) == usd


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [
        (0, 0),
        (1, 1000),
        (0.0014, 1),
        (0.0016, 2),
        (999_999_999, 999_999_999_000),
        (1_000_000_000, None),
        (-1, None),
        (False, None),
        ("1", None),
    ],
)
def test_seconds_become_milliseconds_up_to_thirty_years(
    value: object, milliseconds: int | None
) -> None:
    assert known_seconds(value) == milliseconds


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (1, 1),
        (2.0, 2),
        (2.5, None),
        (-1, None),
        (9_007_199_254_740_992, 9_007_199_254_740_992),
        (9_007_199_254_740_994, None),
        (True, None),
        ("2", None),
    ],
)
def test_a_count_is_a_whole_number_that_a_browser_can_hold(
    value: object, count: int | None
) -> None:
    assert known_count(value) == count


def test_the_limits_are_those_of_the_documents() -> None:
    assert Bounds().model_dump() == {
        "file_mb": 32,
        "stream_mb": 512,
        "archive_mb": 256,
        "archive_members": 10_000,
        "archive_ratio": 200,
        "summary_characters": 200_000,
        "patch_characters": 60_000,
        "result_lines": 20,
        "result_kb": 4,
    }
    assert Bounds() == bounds.DEFAULT
    assert (bounds.MB, bounds.IN_MEMORY, bounds.SMALL_ARCHIVE) == (1_048_576, 67_108_864, 4_194_304)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("file_mb", 1, True),
        ("file_mb", 0, False),
        ("file_mb", 1.0, False),
        ("archive_ratio", 0, False),
        ("result_lines", 1, True),
        ("result_lines", 1000, True),
        ("result_lines", 1001, False),
        ("result_lines", 0, False),
        ("result_kb", 1, True),
        ("result_kb", 100, True),
        ("result_kb", 101, False),
        ("result_kb", 0, False),
        ("other", 1, False),
    ],
)
def test_a_limit_is_a_whole_number_from_one(name: str, value: object, accepted: bool) -> None:
    try:
        limits = Bounds.model_validate({name: value})
    except ValueError:
        assert not accepted
    else:
        assert accepted
        assert getattr(limits, name) == value


def test_a_limit_cannot_be_changed_later() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Bounds().file_mb = 3


def test_a_limit_has_a_description_for_editors() -> None:
    assert Bounds.model_fields["file_mb"].description == "Size of a result file, in MB."
