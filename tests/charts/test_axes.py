"""Scales of charts, their ticks, and the words that find room."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from sitegen.charts.axes import (
    Axis,
    offsets_of_names,
    sparse,
    spread_out,
    tick_label,
    utc_ticks,
)
from sitegen.charts.findings import clipped
from sitegen.charts.findings.money_by_kind import BarPart, labelled


@pytest.mark.parametrize(
    ("axis", "whole", "ticks"),
    [
        (Axis(0, 66, False), True, [0, 20, 40, 60]),
        (Axis(0, 1.86, False), False, [0, 0.5, 1, 1.5]),
        (Axis(0, 2.1, False), True, [0, 1, 2]),
        (Axis(0, 0.0042, False), False, [0, 0.001, 0.002, 0.003, 0.004]),
        (Axis(3_000, 5e6, True), True, [10_000, 100_000, 1_000_000]),
        (Axis(0.7, 40, True), True, [1, 3, 10, 30]),
        (Axis(0.0007, 0.02, True), False, [0.001, 0.003, 0.01]),
    ],
)
def test_ticks_are_round_and_few(axis: Axis, whole: bool, ticks: list[float]) -> None:
    assert axis.ticks(whole) == ticks
    assert all(math.isclose(axis.value(axis.share(tick)), tick, abs_tol=1e-9) for tick in ticks)


@pytest.mark.parametrize("magnitude", range(-9, 16))
@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_scale_has_one_to_eight_ticks(magnitude: int, logarithmic: bool) -> None:
    for spread in (1.0, 1.01, 3.0, 1e6):
        axis = Axis.over([10.0**magnitude, spread * 10.0**magnitude], logarithmic)
        assert 1 <= len(axis.ticks()) <= 8


@pytest.mark.parametrize(
    ("pixels", "labels"),
    [
        (400, ["1", "10", "100", "1000", "10000"]),
        (130, ["1", "100", "10000"]),
        (60, ["1", "1000"]),
        (20, ["1"]),
    ],
)
def test_labels_that_would_touch_are_left_out_evenly(pixels: int, labels: list[str]) -> None:
    ticks = [10.0**power for power in range(5)]
    assert [f"{tick:g}" for tick in sparse(ticks, Axis(1, 1e4, True), pixels, 4)] == labels


@pytest.mark.parametrize(
    ("pixels", "labels"), [(400, [0, 1, 2, 3]), (156, [0, 1, 3]), (110, [0, 3]), (30, [0])]
)
def test_the_largest_parts_of_a_bar_keep_their_labels(pixels: int, labels: list[int]) -> None:
    ends = [(0.0, 0.72), (0.72, 0.8), (0.8, 0.87), (0.87, 1.0)]
    parts = [
        BarPart(str(at), (0.0, 0.0), each, f"{each[1] - each[0]:.0%}")
        for at, each in enumerate(ends)
    ]
    assert sorted(int(part.kind) for part in labelled(parts, 0.0, pixels)) == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        ("2026-06-09T08:00:00Z", "2026-06-09T08:03:00Z", [f"2026-06-09 08:0{n}" for n in range(4)]),
        (
            "2026-06-09T20:10:00Z",
            "2026-06-10T06:00:00Z",
            ["2026-06-09 21:00", "2026-06-10 00:00", "2026-06-10 03:00", "2026-06-10 06:00"],
        ),
        ("2026-06-09T20:10:00Z", "2026-06-12T06:00:00Z", [f"2026-06-1{n} 00:00" for n in range(3)]),
        (
            "2025-11-20T00:00:00Z",
            "2026-02-20T00:00:00Z",
            ["2025-12-01 00:00", "2026-01-01 00:00", "2026-02-01 00:00"],
        ),
        (
            "2019-06-01T00:00:00Z",
            "2026-02-20T00:00:00Z",
            [f"20{n}-01-01 00:00" for n in (20, 22, 24, 26)],
        ),
    ],
)
def test_ticks_of_time_are_round_in_utc(low: str, high: str, labels: list[str]) -> None:
    ticks = utc_ticks(*(datetime.fromisoformat(each).timestamp() * 1000 for each in (low, high)))
    written = [datetime.fromtimestamp(ms / 1000, UTC) for ms in ticks]
    assert [f"{moment:%Y-%m-%d %H:%M}" for moment in written] == labels


@pytest.mark.parametrize("seconds", [240 * 1.7**power for power in range(31)])
def test_every_span_of_time_has_one_to_five_ticks(seconds: float) -> None:
    low = datetime(2000, 2, 29, 13, 14, 15, tzinfo=UTC).timestamp() * 1000
    ticks = utc_ticks(low, low + 1000 * seconds)
    assert 1 <= len(ticks) <= 5
    assert all(low <= ms <= low + 1000 * seconds for ms in ticks)


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([], []),
        ([50.0], [50.0]),
        ([10.0, 12.0, 80.0], [10.0, 40.0, 80.0]),
        ([95.0, 96.0, 97.0], [40.0, 70.0, 100.0]),
        ([-5.0, -5.0], [0.0, 30.0]),
    ],
)
def test_labels_are_moved_apart_and_stay_in_the_plot(
    wanted: list[float], places: list[float]
) -> None:
    assert spread_out(wanted, 30, 0, 100) == places


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (20, "20"), (10_000, "10\u202fk"), (3e6, "3\u202fM"), (2500, "2.5\u202fk")],
)
def test_labels_of_ticks_have_no_idle_zeros(value: float, text: str) -> None:
    assert tick_label(value) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("abcde", "abcde"),
        ("abcdef", "abcd…"),
        ("日本語", "日…"),
        ("e\u0301" * 5, "e\u0301" * 5),
        ("a\nb  c", "a b c"),
        ("", ""),
    ],
)
def test_long_names_are_cut_to_their_width(text: str, short: str) -> None:
    assert clipped(text, 5) == short


def test_a_name_finds_the_first_place_that_is_clear() -> None:
    def place(
        *names: tuple[str, str, tuple[float, float]], dots: int = 0, ends: str = "left right"
    ) -> dict[str, str]:
        marks = [(0.55 + at / 100, 0.5) for at in range(dots)]
        places = [(end, 0) for end in ends.split()]
        found = offsets_of_names(names, marks, (), places, 200)
        return {key: row["align"] for key, row in found.items()}

    one, other = ("a", "a name", (0.5, 0.5)), ("b", "a name", (0.5, 0.5))
    assert place(one) == {"a": "left"}
    assert place(one, dots=4) == {"a": "right"}
    assert place(one, other) == {"a": "left", "b": "right"}
    assert place(one, dots=4, ends="left") == {}
    assert place(("a", "a name", (0.1, 0.5)), ends="right") == {}, "the slim one cuts it"
