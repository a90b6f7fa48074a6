"""How numbers are written, and that rounding never lies."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import figures
from sitegen.figures import UNKNOWN, FigureFormat
from sitegen.model import Outcome, Run, Status, Total

NARROW = "\u202f"
positive = st.floats(min_value=0, exclude_min=True, max_value=1e12)


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.87603895, "$0.88"),
        (2.66320715, "$2.66"),
        (1234.5, "$1,234.50"),
        (0.01, "$0.01"),
        (0.004, "$0.004"),
        (0.0042, "$0.0042"),
        (0.00996, "$0.01"),
        (0.000031, "$0.000031"),
        (1e-9, "<$0.000001"),
        (0, "$0.00"),
        (-4.173, "−$4.17"),
        (-0.004, "−$0.004"),
        (0.005, "$0.005"),
        (0.015, "$0.02"),
        (0.125, "$0.13"),
        (0.145, "$0.15"),
        (1.005, "$1.01"),
        (0.00125, "$0.0013"),
    ],
)
def test_money_has_cents_and_under_a_cent_two_digits(usd: float, text: str) -> None:
    assert figures.money(usd) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.87603895, "$0.87603895"),
        (1.21176, "$1.21176"),
        (0.1 + 0.2, "$0.30"),
        (12345.6, "$12,345.60"),
        (0, "$0.00"),
        (1e-12, "<$0.0000000001"),
        (-0.125, "−$0.125"),
    ],
)
def test_exact_money_has_all_its_digits_and_none_of_the_noise_of_floats(
    usd: float, text: str
) -> None:
    assert figures.money_exact(usd) == text


@pytest.mark.parametrize("number", [1e27, -1e300])
def test_a_huge_number_is_written_with_all_its_digits(number: float) -> None:
    assert figures.fixed(number, 2) == f"{int(Decimal(repr(number))):,}.00".replace("-", "−")


@given(positive)
def test_money_is_never_zero_when_something_was_paid(usd: float) -> None:
    for text in (
        figures.money(usd),
        figures.money_exact(usd),
        figures.fixed(usd, 2),
        figures.money_column([usd]).write(usd),
    ):
        assert re.search("[1-9]", text), text


@pytest.mark.parametrize(
    ("number", "full", "short"),
    [
        (0, "0", "0"),
        (999, "999", "999"),
        (1000, "1,000", f"1.00{NARROW}k"),
        (12_443, "12,443", f"12.4{NARROW}k"),
        (694_144, "694,144", f"694{NARROW}k"),
        (999_499, "999,499", f"999{NARROW}k"),
        (999_500, "999,500", f"1.00{NARROW}M"),
        (1_398_819, "1,398,819", f"1.40{NARROW}M"),
        (1_565_905, "1,565,905", f"1.57{NARROW}M"),
        (28_547_229, "28,547,229", f"28.5{NARROW}M"),
        (3_400_000_000, "3,400,000,000", f"3.40{NARROW}bn"),
        (7.5, "7.5", "7.5"),
        (1_005, "1,005", f"1.01{NARROW}k"),
        (2_675, "2,675", f"2.68{NARROW}k"),
        (12_450, "12,450", f"12.5{NARROW}k"),
        (12_350, "12,350", f"12.4{NARROW}k"),
        (0.25, "0.3", "0.3"),
        (-1500, "−1,500", f"−1.50{NARROW}k"),
    ],
)
def test_counts_are_written_in_full_or_with_three_digits(
    number: float, full: str, short: str
) -> None:
    assert figures.count(number) == full
    assert figures.count_short(number) == short


@given(st.integers(1000, 10**15))
def test_a_short_count_is_right_to_half_a_percent(number: int) -> None:
    digits, unit = figures.count_short(number).replace(",", "").split(NARROW)
    value = float(digits) * {"k": 1e3, "M": 1e6, "bn": 1e9}[unit]
    assert math.isclose(value, number, rel_tol=0.00501)


@pytest.mark.parametrize(
    ("ms", "prose", "table", "attribute"),
    [
        (0, f"0{NARROW}s", "0:00", "PT0S"),
        (0.4, f"<1{NARROW}ms", "<0:01", "PT0S"),
        (400, f"400{NARROW}ms", "<0:01", "PT0.4S"),
        (850, f"850{NARROW}ms", "0:01", "PT0.85S"),
        (999.7, f"1.0{NARROW}s", "0:01", "PT1S"),
        (4_200, f"4.2{NARROW}s", "0:04", "PT4.2S"),
        (4_250, f"4.3{NARROW}s", "0:04", "PT4.25S"),
        (1_450, f"1.5{NARROW}s", "0:01", "PT1.45S"),
        (42_500, f"43{NARROW}s", "0:43", "PT42.5S"),
        (9_960, f"10{NARROW}s", "0:10", "PT9.96S"),
        (59_700, f"1{NARROW}min 0{NARROW}s", "1:00", "PT59.7S"),
        (198_152, f"3{NARROW}min 18{NARROW}s", "3:18", "PT198.152S"),
        (3_599_700, f"1{NARROW}h 0{NARROW}min", "60:00", "PT3599.7S"),
        (5_340_000, f"1{NARROW}h 29{NARROW}min", "89:00", "PT5340S"),
        (8_569_000, f"2{NARROW}h 23{NARROW}min", "142:49", "PT8569S"),
        (359_940_000, f"99{NARROW}h 59{NARROW}min", "5999:00", "PT359940S"),
        (359_990_000, f"100{NARROW}h", "5999:50", "PT359990S"),
        (365_376_000, f"101{NARROW}h", "6089:36", "PT365376S"),
        (6_000_000_000, f"1,667{NARROW}h", "100000:00", "PT6000000S"),
    ],
)
def test_times_are_written_for_prose_for_tables_and_for_programs(
    ms: float, prose: str, table: str, attribute: str
) -> None:
    assert figures.duration(ms) == prose
    assert figures.clock(ms) == table
    assert figures.iso_duration(ms) == attribute


@given(st.floats(min_value=0, exclude_min=True, max_value=1e12))
def test_a_time_is_never_zero_when_some_passed(ms: float) -> None:
    assert re.search("[1-9]", figures.duration(ms))
    assert re.search("[1-9]", figures.clock(ms))


@pytest.mark.parametrize(
    ("part", "whole", "text", "cell"),
    [
        (91_209, 100_000, "91%", "91.2"),
        (0, 7, "0%", "0.0"),
        (7, 7, "100%", "100.0"),
        (9997, 10_000, ">99%", ">99.9"),
        (2, 1000, "<1%", "0.2"),
        (1, 100_000, "<1%", "<0.1"),
        (1001, 1000, ">100%", "100.1"),
        (6, 5, "120%", "120.0"),
        (-1, 5, "−20%", "−20.0"),
        (1, 0, UNKNOWN, UNKNOWN),
        (None, 5, UNKNOWN, UNKNOWN),
        (5, None, UNKNOWN, UNKNOWN),
    ],
)
def test_a_share_is_all_or_nothing_only_when_it_is(
    part: float | None, whole: float | None, text: str, cell: str
) -> None:
    assert figures.percent(part, whole) == text
    assert figures.shares(part, whole) == cell


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_a_share_never_rounds_into_a_lie(part: int, whole: int) -> None:
    assert (figures.percent(part, whole) == "100%") == (part == whole)
    assert (figures.percent(part, whole) == "0%") == (part == 0)
    assert (figures.shares(part, whole) == "100.0") == (part == whole)
    assert (figures.shares(part, whole) == "0.0") == (part == 0)


@pytest.mark.parametrize("number", [None, math.nan, math.inf, -math.inf])
def test_what_is_unknown_is_a_dash(number: float | None) -> None:
    writers = (
        figures.money,
        figures.money_exact,
        figures.count,
        figures.count_short,
        figures.duration,
        figures.clock,
    )
    assert {write(number) for write in writers} == {UNKNOWN}
    assert figures.fixed(number, 2) == UNKNOWN
    assert figures.percent(number, 1) == UNKNOWN
    assert figures.count_column([number]).write(number) == UNKNOWN


@pytest.mark.parametrize(
    ("column", "values", "cells"),
    [
        (figures.money_column, [0.88, 12.5, None], ["Cost, $", "0.88", "12.50", UNKNOWN]),
        (figures.money_column, [0.004, 1234.5], ["Cost, $", "0.004", "1,234.500"]),
        (figures.money_column, [0.006, 0.5], ["Cost, $", "0.006", "0.500"]),
        (figures.money_column, [0.0006, 0.5], ["Cost, $", "0.0006", "0.5000"]),
        (figures.money_column, [0.01, 0.5], ["Cost, $", "0.01", "0.50"]),
        (figures.money_column, [0.000001, 1.0], ["Cost, $", "<0.0001", "1.0000"]),
        (figures.money_column, [None], ["Cost, $", UNKNOWN]),
        (figures.count_column, [32_383, 5_817], ["Cost, k", "32.4", "5.8"]),
        (figures.count_column, [2_584_254, 330_436, 0], ["Cost, k", "2,584", "330", "0"]),
        (figures.count_column, [250_000_000, 1_500_000], ["Cost, M", "250.0", "1.5"]),
        (figures.count_column, [20_000, 3], ["Cost, k", "20.0", "<0.1"]),
        (figures.count_column, [48, 7, None], ["Cost", "48", "7", UNKNOWN]),
    ],
)
def test_a_column_has_one_unit_in_its_head_and_the_same_decimals(
    column: Callable[[Iterable[float | None]], FigureFormat],
    values: list[float | None],
    cells: list[str],
) -> None:
    made = column(values)
    assert [made.head("Cost"), *(made.write(value) for value in values)] == cells


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1234, "1,234 runs")]
)
def test_a_word_agrees_with_its_number(number: int, text: str) -> None:
    assert figures.plural(number, "run") == text
    assert figures.plural(number, "query", "queries") == text.replace("runs", "queries").replace(
        "run", "query"
    )


@pytest.mark.parametrize(
    ("iso", "text"),
    [
        ("2026-01-22T01:05:59.123Z", "2026-01-22 01:05 UTC"),
        ("2026-01-22T01:05:00+02:00", "2026-01-21 23:05 UTC"),
        ("2026-01-22T01:05:00", UNKNOWN),
        ("0001-01-01T00:00:00+14:00", UNKNOWN),
        ("yesterday", UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_a_moment_is_in_utc_or_unknown(iso: str | None, text: str) -> None:
    assert figures.utc(iso) == text


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("2026-06-09T08:00:00Z", "2026-06-09T23:00:00Z", "9 June 2026 UTC"),
        ("2026-06-09T08:00:00Z", "2026-06-11T08:00:00Z", "9 to 11 June 2026 UTC"),
        ("2026-06-30T23:30:00-02:00", "2026-07-02T00:00:00Z", "1 to 2 July 2026 UTC"),
        ("2026-06-30T08:00:00Z", "2026-07-02T08:00:00Z", "30 June to 2 July 2026 UTC"),
        ("2025-12-31T08:00:00Z", "2026-01-01T08:00:00Z", "31 December 2025 to 1 January 2026 UTC"),
        ("yesterday", "2026-01-01T08:00:00Z", ""),
    ],
)
def test_days_name_month_and_year_only_where_they_change(first: str, last: str, text: str) -> None:
    assert figures.days(first, last) == text


def test_scores_are_whole_or_have_three_digits_of_the_largest() -> None:
    for values, decimals in (
        ((), 0),
        ((3.0, None, -12.0), 0),
        ((6.4, 0.25), 2),
        ((45.5,), 1),
        ((0.871,), 3),
        ((1e300, 0.5), 1),
    ):
        assert figures.score_column("x", values) == figures.FigureFormat("x", 1, decimals)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.125, "x", "2.13x"),
        (14, "s", f"14{NARROW}s"),
        (14.02, "s", f"14.0{NARROW}s"),
        (1204, None, "1,204"),
        (1204.4, "%", "1,204%"),
        (0.00125, None, "0.00125"),
        (-0.5, "pt", f"−0.500{NARROW}pt"),
        (1e-9, None, "1.00e-09"),
        (0, "x", "0x"),
        (None, "x", UNKNOWN),
    ],
)
def test_a_score_has_three_digits_and_its_unit(
    value: float | None, unit: str | None, text: str
) -> None:
    assert figures.score(value, unit) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.375, "1.38"),
        (9.99, "9.99"),
        (9.995, "10.0"),
        (12.45, "12.5"),
        (99.95, "100"),
        (999.9, "1,000"),
        (None, "–"),
    ],
)
def test_a_ratio_has_three_digits(ratio: float | None, text: str) -> None:
    assert figures.times(ratio) == text


def test_seconds_since_1970_behind_a_limit_are_a_moment() -> None:
    said = "Claude AI usage limit reached|1781006400"
    assert figures.with_moments(said) == "Claude AI usage limit reached until 2026-06-09 12:00 UTC"
    for other in ("a|1781006400", "limit reached|17810064001", "limit reached|9x"):
        assert figures.with_moments(other) == other


@pytest.mark.parametrize(
    ("reported", "computed", "is_bound", "text"),
    [
        (0.88, None, False, "$0.88"),
        (0.88, None, True, "$0.88+"),
        (None, 0.88, False, "≈ $0.88"),
        (None, 0.88, True, "≈ $0.88+"),
        (None, None, True, UNKNOWN),
    ],
)
def test_the_cost_of_a_run_says_what_it_is(
    reported: float | None, computed: float | None, is_bound: bool, text: str
) -> None:
    run = Run(
        "t", Status.OK, cost_usd=reported, computed_cost_usd=computed, cost_is_lower_bound=is_bound
    )
    assert figures.cost(run) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, UNKNOWN),
        (math.inf, UNKNOWN),
        (400, "<0:01"),
        (3_599_000, "59:59"),
        (3_599_999, "60:00"),
        (3_600_000, f"1{NARROW}h 00"),
        (3_629_999, f"1{NARROW}h 00"),
        (3_630_000, f"1{NARROW}h 01"),
        (10_349_000, f"2{NARROW}h 52"),
        (3_600_000_000, f"1,000{NARROW}h 00"),
    ],
)
def test_a_sum_of_times_has_hours_from_an_hour_on(ms: float | None, text: str) -> None:
    assert figures.clock_total(ms) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.12, "+12"),
        (-0.12, "−12"),
        (0.0, "0"),
        (0.01, "+1"),
        (0.009, "+0.9"),
        (-0.009, "−0.9"),
        (0.0001, "<0.1"),
        (-0.0001, ">−0.1"),
        (None, UNKNOWN),
    ],
)
def test_a_difference_of_shares_has_its_sign(difference: float | None, text: str) -> None:
    assert figures.points(difference) == text


@pytest.mark.parametrize(
    ("interval", "same", "decimals"),
    [
        ((), None, 0),
        ((0.0, 0.0), None, 0),
        ((123.4, 234.5), None, 0),
        ((1.234, 1.239), None, 2),
        ((0.12, 0.98), None, 2),
        ((10.0, 90.0), None, 0),
        ((0.001, 0.002), None, 4),
        ((0.5, 0.5), None, 3),
        ((1e-20, 1e-20), None, 12),
        ((1.0, math.inf), None, 2),
        ((1.004, 2.5), 1.0, 2),
        ((100.2, 150.0), 100.0, 1),
        ((100.0, 150.0), 100.0, 0),
    ],
)
def test_an_interval_has_the_decimals_that_its_width_deserves(
    interval: tuple[float, ...], same: float | None, decimals: int
) -> None:
    assert figures.decimals_of(interval, same) == decimals


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.3, 0.9, "$0.30 to $0.90"),
        (0.3, math.inf, "$0.30 or more"),
        (-math.inf, 0.9, "$0.90 or less"),
        (-math.inf, math.inf, "anything"),
    ],
)
def test_an_interval_may_be_open(low: float, high: float, text: str) -> None:
    assert figures.from_to(low, high, figures.money) == text
    assert figures.from_to(-math.inf, math.inf, figures.money, "no limit") == "no limit"


@pytest.mark.parametrize(
    ("parts", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_parts_of_a_sentence_are_listed(parts: list[str], text: str) -> None:
    assert figures.sentence_list(parts) == text
    assert figures.sentence_list(parts, "or") == text.replace("and", "or")


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("t", "T"), ("some words", "Some words"), ("TTFT", "TTFT")]
)
def test_a_sentence_begins_with_a_capital(text: str, shown: str) -> None:
    assert figures.capitalized(text) == shown


@pytest.mark.parametrize(
    ("status", "word", "sign", "role"),
    [
        (Status.OK, "completed", "done", "done"),
        (Status.FAILED, "failed", "fail", "fail"),
        (Status.STOPPED, "stopped", "stop", "stop"),
        (Status.INTERRUPTED, "interrupted", "cut", "stop"),
        (Status.UNKNOWN, "unknown", "ask", "muted"),
    ],
)
def test_a_status_is_a_word_and_a_sign(status: Status, word: str, sign: str, role: str) -> None:
    assert figures.status_view(status, "why") == figures.StatusView(word, sign, role, "why")


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [
        (Outcome.PASS, "pass"),
        (Outcome.FAIL, "fail"),
        (Outcome.PARTIAL, "part"),
        (Outcome.ERROR, "stop"),
    ],
)
def test_an_outcome_is_a_word_and_a_sign(outcome: Outcome, sign: str) -> None:
    assert figures.outcome_view(outcome) == figures.StatusView(outcome.value, sign, sign, None)


@pytest.mark.parametrize("kind", ["cache_read", "cache_write", "input", "output"])
def test_a_kind_of_tokens_has_a_name_and_a_colour(kind: str) -> None:
    assert figures.KIND_LABELS[kind] == kind.replace("_", " ")
    assert figures.KIND_CLASSES[kind] == f"k-{kind.removeprefix('cache_')}"


@pytest.mark.parametrize(
    ("text", "unit", "shown"),
    [
        ("2", None, "2"),
        ("2", " ", "2"),
        ("2", "x", "2x"),
        ("2", "×", "2×"),
        ("2", " % ", "2%"),
        ("2", "ms", f"2{NARROW}ms"),
    ],
)
def test_a_unit_stands_behind_its_figure(text: str, unit: str | None, shown: str) -> None:
    assert figures.with_unit(text, unit) == shown


def test_a_figure_of_a_column_may_stand_alone_with_its_unit() -> None:
    column = figures.FigureFormat("k", 1000, 1)
    assert column.in_full(12_000) == f"12.0{NARROW}k"
    assert column.in_full(12_000, "x") == "12.0x"
    assert column.in_full(None) == UNKNOWN


@pytest.mark.parametrize(
    ("values", "decimals"),
    [((0.01234,), 4), ((0.0001234,), 4), ((0.123,), 3), ((123.4,), 1), ((99.9, 0.1), 1)],
)
def test_a_column_of_scores_has_at_most_four_decimals(
    values: tuple[float, ...], decimals: int
) -> None:
    assert figures.score_column("", values).decimals == decimals


def test_a_lower_bound_has_a_plus() -> None:
    assert figures.bounded(Total(0.5, 1, 1), figures.money) == "$0.50+"
    assert figures.bounded(Total(0.5, 1, 0), figures.money) == "$0.50"
    assert figures.bounded(Total(None, 0, 1), figures.money) == UNKNOWN


def test_a_share_of_one_is_in_per_cent() -> None:
    assert (figures.share(0.125), figures.share(None)) == ("13%", UNKNOWN)
    assert figures.times(1.5, 0) == "2"
    assert figures.times(1234.5) == f"1.23{NARROW}k"


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0.0, "0 s"),
        (0.49, "<1 ms"),
        (0.6, "1 ms"),
        (1.2, "1 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (9_949, "9.9 s"),
        (9_950, "10 s"),
        (59_499, "59 s"),
        (59_600, "1 min 0 s"),
    ],
)
def test_short_times_change_their_unit_at_their_limits(ms: float, expected: str) -> None:
    assert figures.duration(ms).replace("\u202f", " ") == expected
