"""Numbers from outside: which can be computed with, and which are unknown."""

from __future__ import annotations

import math

import pytest

from sitegen.system import bounds

NOT_NUMBERS = [None, True, False, "1", "", [], {}, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_what_is_no_number_is_unknown(value: object) -> None:
    known = bounds.known_number, bounds.known_usd, bounds.known_seconds, bounds.known_count
    assert [read(value) for read in known] == [None] * 4


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0.0),
        (-1, -1.0),
        (1.5, 1.5),
        (1e50, 1e50),
        (1.1e50, None),
        (1e-50, 1e-50),
        (9e-51, None),
        (-1e50, -1e50),
        (-2e50, None),
    ],
)
def test_a_number_may_be_negative_and_of_any_size_that_can_be_squared(
    value: float, number: float | None
) -> None:
    assert bounds.known_number(value) == number


@pytest.mark.parametrize(
    ("value", "usd"),
    [(0, 0.0), (1e-12, 1e-12), (9e-13, None), (0.5, 0.5), (1e9, 1e9), (1.1e9, None), (-0.01, None)],
)
def test_an_amount_is_nothing_or_within_its_limits(value: float, usd: float | None) -> None:
    assert bounds.known_usd(value) == usd


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [
        (0, 0),
        (0.0004, 0),
        (0.0006, 1),
        (1.5, 1500),
        (999_999_999, 999_999_999_000),
        (1e9, None),
        (-1, None),
    ],
)
def test_a_duration_is_up_to_thirty_years(value: float, milliseconds: int | None) -> None:
    assert bounds.known_seconds(value) == milliseconds


@pytest.mark.parametrize(
    ("value", "count"),
    [(0, 0), (7, 7), (7.0, 7), (7.5, None), (2**53, 2**53), (2**53 + 2, None), (-1, None)],
)
def test_a_count_is_whole_and_known_to_scripts(value: float, count: int | None) -> None:
    assert bounds.known_count(value) == count
    assert count is None or isinstance(bounds.known_count(value), int)


def test_the_bounds_of_inputs_have_these_defaults() -> None:
    assert bounds.DEFAULT.model_dump() == {
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
