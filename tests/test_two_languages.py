"""What Python and JavaScript each do in their own code, they do alike: tables of cases that drive both.

The guard of CSV is the fourth of these: see test_csv_guard.py.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from sitegen import figures
from sitegen.model import Entry, Outcome, Run, Source, Status
from sitegen.names import natural_order
from sitegen.numbers.success import success
from tests.support.scripts import called

IN_ORDER = [
    "", "0", "00", "02", "2", "7 and 8", "7 and 10", "1" + "0" * 29, "9" * 30, "9" * 30 + "0", "\t", " ", "-1", "A",
    "a", "a0", "a00", "a1 b", "a1b", "a02", "a2", "A3", "a10", "a10a2", "a10a10", "a ", "a b", "AB", "ab", "B", "b",
    "i\u0307s", "\u0130s", "z", "É", "é", "Σας", "\ufe45 mark", "\U0001f600 face",
]  # fmt: skip
"""Names as lists have them."""

CENTS, THOUSANDS, WHOLE = figures.Column("$", 1, 2), figures.Column("k", 1000, 1), figures.Column("", 1, 0)
TIME = None

WRITTEN: list[tuple[figures.Column | None, float | None, str]] = [
    (CENTS, None, "–"), (CENTS, 0, "0.00"), (CENTS, 0.004, "<0.01"), (CENTS, 0.005, "0.01"), (CENTS, 0.125, "0.13"),
    (CENTS, 0.145, "0.14"), (CENTS, 1.005, "1.00"), (CENTS, 999.994, "999.99"), (CENTS, 999.995, "1,000.00"),
    (CENTS, 1234567.5, "1,234,567.50"), (CENTS, -4.173, "−4.17"), (CENTS, -0.004, "−<0.01"),
    (THOUSANDS, 3, "<0.1"), (THOUSANDS, 50, "0.1"), (THOUSANDS, 49.9, "<0.1"), (THOUSANDS, 5_817, "5.8"),
    (THOUSANDS, 32_383, "32.4"), (THOUSANDS, 1_234_567, "1,234.6"),
    (WHOLE, 7, "7"), (WHOLE, 2.5, "3"), (WHOLE, 0.4, "<1"), (WHOLE, 1e20, "100,000,000,000,000,000,000"),
    (WHOLE, 1e21, "1,000,000,000,000,000,000,000"), (WHOLE, -1.5e22, "−15,000,000,000,000,000,000,000"),
    (CENTS, 1e21, "1,000,000,000,000,000,000,000.00"), (CENTS, 1e300, f"{int(1e300):,}.00"),
    (TIME, None, "–"), (TIME, 0, "0:00"), (TIME, 499, "<0:01"), (TIME, 500, "0:01"), (TIME, 1_500, "0:02"),
    (TIME, 59_499, "0:59"), (TIME, 59_500, "1:00"), (TIME, 198_152, "3:18"), (TIME, 8_569_000, "142:49"),
]  # fmt: skip
"""A column, None for times; a figure of it; the figure as a table has it."""

JUDGED = {
    (outcome, status, turns): (
        outcome in ("pass", "fail", "partial") and status in ("ok", "failed", "unknown") and turns != 0
    )
    for outcome, status, turns in itertools.product([*Outcome, None], Status, [None, 0, 1])
}
"""Outcome, status and turns of a run; whether it counts in the rate of success."""


def test_names_stand_in_one_order() -> None:
    shuffled = IN_ORDER[::-1]
    assert sorted(shuffled, key=natural_order) == IN_ORDER
    expression = (
        "cases.map((text) => [natural(text), text]).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((pair) => pair[1])"
    )
    assert called(("table-order.js",), expression, shuffled) == IN_ORDER


@pytest.mark.parametrize(("column", "value", "text"), WRITTEN, ids=lambda part: ascii(part)[:30])
def test_python_writes_a_figure(column: figures.Column | None, value: float | None, text: str) -> None:
    assert (column.write(value) if column else figures.clock(value)) == text


def test_the_script_writes_the_same_figures_and_compares_by_what_is_written() -> None:
    cases = [[_as_in_script(column), value] for column, value, _ in WRITTEN]
    parts = ("table-rows.js",)
    assert called(parts, "cases.map((each) => figure(...each))", cases) == [text for _, _, text in WRITTEN]
    plain = [
        (column, value, text) for column, value, text in WRITTEN if column and value is not None and "<" not in text
    ]
    seen = called(parts, "cases.map((each) => asWritten(...each))", [[_as_in_script(c), v] for c, v, _ in plain])
    numbers = [float(text.replace(",", "").replace("−", "-")) * column.divisor for column, _, text in plain]
    assert seen == pytest.approx(numbers, rel=1e-12)


def _as_in_script(column: figures.Column | None) -> dict[str, Any]:
    return {"divisor": column.divisor, "decimals": column.decimals} if column else {"clock": True}


def test_the_same_runs_are_judged() -> None:
    cases = [[outcome, status, turns] for outcome, status, turns in JUDGED]
    runs = [success([_run(*case)]) for case in JUDGED]
    assert [run.judged == 1 for run in runs] == list(JUDGED.values())
    assert called(("table-rows.js",), "cases.map((each) => isJudged(...each))", cases) == list(JUDGED.values())


def _run(outcome: Outcome | None, status: Status, turns: int | None) -> Entry:
    source = Source("run.json", Path("run.json"), named=False, size=1)
    return Entry("run-0", source, 0, "", Run("reader", status, turns=turns), "run", outcome=outcome)
