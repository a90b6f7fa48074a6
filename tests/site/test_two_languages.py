"""What Python and JavaScript each do in their own code, they do alike: tables of cases that drive both.

The guard of CSV is the fourth of these: see test_csv_guard.py.
"""

from __future__ import annotations

import itertools
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen import figures
from sitegen.model import Entry, Outcome, Run, Source, Status
from sitegen.numbers.success import success
from sitegen.text.names import natural_order
from tests.support.scripts import called

IN_ORDER = [
    "",
    "0",
    "00",
    "02",
    "2",
    "7 and 8",
    "7 and 10",
    "1" + "0" * 29,
    "9" * 30,
    "9" * 30 + "0",
    "\t",
    " ",
    "-1",
    "A",
    "a",
    "a0",
    "a00",
    "a1 b",
    "a1b",
    "a02",
    "a2",
    "A3",
    "a10",
    "a10a2",
    "a10a10",
    "a ",
    "a b",
    "AB",
    "ab",
    "B",
    "b",
    "i\u0307s",
    "\u0130s",
    "z",
    "É",
    "é",
    "Σας",
    "\ufe45 mark",
    "\U0001f600 face",
]
"""Names as lists have them."""

CENTS, THOUSANDS, WHOLE = (
    figures.FigureFormat("$", 1, 2),
    figures.FigureFormat("k", 1000, 1),
    figures.FigureFormat("", 1, 0),
)
TIME = None

WRITTEN: list[tuple[figures.FigureFormat | None, float | None, str]] = [
    (CENTS, None, "–"),
    (CENTS, 0, "0.00"),
    (CENTS, 0.004, "<0.01"),
    (CENTS, 0.005, "0.01"),
    (CENTS, 0.125, "0.13"),
    (CENTS, 0.145, "0.15"),
    (CENTS, 1.005, "1.01"),
    (CENTS, 0.015, "0.02"),
    (CENTS, 0.14499999999999, "0.14"),
    (CENTS, 0.16499999999999998, "0.17"),
    (CENTS, 0.165, "0.17"),
    (CENTS, 0.3 - 0.135, "0.17"),
    (CENTS, 1.1 * 1.05, "1.16"),
    (CENTS, 5e-324, "<0.01"),
    (CENTS, 0.1 + 0.2, "0.30"),
    (CENTS, 2.675, "2.68"),
    (CENTS, 1e-7, "<0.01"),
    (CENTS, 8.5, "8.50"),
    (CENTS, 999.994, "999.99"),
    (CENTS, 999.995, "1,000.00"),
    (CENTS, 1234567.5, "1,234,567.50"),
    (CENTS, -4.173, "−4.17"),
    (CENTS, -0.004, ">−0.01"),
    (THOUSANDS, 3, "<0.1"),
    (THOUSANDS, 50, "0.1"),
    (THOUSANDS, 49.9, "<0.1"),
    (THOUSANDS, 5_817, "5.8"),
    (THOUSANDS, 32_383, "32.4"),
    (THOUSANDS, 1_234_567, "1,234.6"),
    (WHOLE, 7, "7"),
    (WHOLE, 2.5, "3"),
    (WHOLE, 0.4, "<1"),
    (WHOLE, 1e20, "100,000,000,000,000,000,000"),
    (WHOLE, 1e21, "1,000,000,000,000,000,000,000"),
    (WHOLE, -1.5e22, "−15,000,000,000,000,000,000,000"),
    (CENTS, 1e21, "1,000,000,000,000,000,000,000.00"),
    (CENTS, 1e300, f"{10**300:,}.00"),
    (TIME, None, "–"),
    (TIME, 0, "0:00"),
    (TIME, 499, "<0:01"),
    (TIME, 500, "0:01"),
    (TIME, 1_500, "0:02"),
    (TIME, 2_500, "0:03"),
    (TIME, 0.5, "<0:01"),
    (TIME, 59_499, "0:59"),
    (TIME, 59_500, "1:00"),
    (TIME, 198_152, "3:18"),
    (TIME, 8_569_000, "142:49"),
]
"""A column, None for times; a figure of it; the figure as a table has it."""

JUDGED = {
    (outcome, status, turns): outcome in ("pass", "fail", "partial")
    for outcome, status, turns in itertools.product([*Outcome, None], Status, [None, 0, 1])
}
"""Outcome, status and turns of a run; whether it counts in the rate of success."""


def test_names_stand_in_one_order() -> None:
    shuffled = IN_ORDER[::-1]
    assert sorted(shuffled, key=natural_order) == IN_ORDER
    expression = "cases.map((text) => [natural(text), text]).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((pair) => pair[1])"
    assert called('import { natural } from "./ranks.js";', expression, shuffled) == IN_ORDER


@pytest.mark.parametrize(("column", "value", "text"), WRITTEN, ids=lambda part: ascii(part)[:30])
def test_python_writes_a_figure(
    column: figures.FigureFormat | None, value: float | None, text: str
) -> None:
    assert (column.write(value) if column else figures.clock(value)) == text


def test_the_script_writes_the_same_figures_and_compares_by_what_is_written() -> None:
    cases = [[_as_in_script(column), value] for column, value, _ in WRITTEN]
    imports = 'import { asWritten, figure } from "./numbers.js";'
    assert called(imports, "cases.map((each) => figure(...each))", cases) == [
        text for _, _, text in WRITTEN
    ]
    plain = [
        (column, value, text)
        for column, value, text in WRITTEN
        if column and value is not None and not {*"<>"} & {*text}
    ]
    seen = called(
        imports,
        "cases.map((each) => asWritten(...each))",
        [[_as_in_script(c), v] for c, v, _ in plain],
    )
    numbers = [
        float(text.replace(",", "").replace("−", "-")) * column.divisor for column, _, text in plain
    ]
    assert seen == pytest.approx(numbers, rel=1e-12)


@given(st.lists(st.floats(0.01, 1e9).map(lambda usd: round(usd, 3)), min_size=100, max_size=100))
@settings(max_examples=3, deadline=None)
def test_prose_tables_and_the_script_round_alike(dollars: list[float]) -> None:
    """Half of these end in a five or lie close to one: a rule by the float would turn some of them."""
    dollars = [*dollars, *(int(usd * 100) / 100 + 0.005 for usd in dollars)]
    in_script = called(
        'import { figure } from "./numbers.js";',
        "cases.map((each) => figure(...each))",
        [[COLUMN, usd] for usd in dollars],
    )
    exact = [
        f"{Decimal(f'{usd:.15g}').quantize(Decimal('0.01'), ROUND_HALF_UP):,}" for usd in dollars
    ]
    assert exact == in_script
    assert exact == [CENTS.write(usd) for usd in dollars]
    assert exact == [figures.money(usd).removeprefix("$") for usd in dollars]
    times = [
        (usd, f"{Decimal(f'{usd:.15g}').quantize(Decimal('0.1'), ROUND_HALF_UP)}")
        for usd in dollars
        if 1 <= usd < 9
    ]
    assert [figures.duration(usd * 1000).split("\u202f")[0] for usd, _ in times] == [
        text for _, text in times
    ]


COLUMN = {"divisor": 1, "decimals": 2}


def _as_in_script(column: figures.FigureFormat | None) -> dict[str, Any]:
    return {"divisor": column.divisor, "decimals": column.decimals} if column else {"clock": True}


def test_the_same_runs_are_judged() -> None:
    cases = [[outcome, status, turns] for outcome, status, turns in JUDGED]
    runs = [success([_run(*case)]) for case in JUDGED]
    assert [run.judged == 1 for run in runs] == list(JUDGED.values())
    imports = 'import { isJudged } from "./sums.js";'
    expression = "cases.map((each) => isJudged(...each))"
    assert called(imports, expression, cases) == list(JUDGED.values())


def _run(outcome: Outcome | None, status: Status, turns: int | None) -> Entry:
    source = Source("run.json", "run.json", named=False, size=1)
    return Entry("run-0", source, 0, "", Run("reader", status, turns=turns), "run", outcome=outcome)


def test_a_line_of_sums_marks_lower_bounds_and_list_prices() -> None:
    """Of four runs: how many passed, what they cost and how long they took, as far as that is known."""
    program = """(() => {
      const outcome = (...values) => ["outcome", { codes: [0], value: (i) => values[i] }];
      const column = (key, values, more) => [key, { values, bounds: new Set(), summed: true, divisor: 1, decimals: 2, ...more }];
      const line = (...given) => summed(new Map(given), [0, 1, 2, 3]);
      const none = [null, null, null, null];
      return [
        line(outcome("pass", "fail", null, "error"), column("cost_usd", [0.5, 1, null, 2])),
        line(column("cost_usd", [0.001, 0.001, 0, 0]), column("wall_ms", [60000, 90000, 7e6, 0], { clock: true })),
        line(outcome(...none), column("cost_usd", none), column("computed_cost_usd", [1, 2, 3, 4], { bounds: new Set([1]) })),
        line(column("cost_usd", none), ["computed_cost_usd", {}], column("wall_ms", none, { clock: true })),
      ];
    })()"""
    assert called('import { summed } from "./sums.js";', program, None) == [
        "4 runs · passed 1 of 2 judged · cost $3.50+, median $1.00",
        "4 runs · cost <$0.01, median <$0.01 · time 1\u202fh 59, median 1:15",
        "4 runs · cost ≈ $10.00+, median $2.50+",
        "4 runs",
    ]


def test_the_table_sorts_lower_bounds_behind_exact_figures_and_no_filter_takes_one_for_small() -> (
    None
):
    """What is all that is known of a run is not the least; nor is it the most."""
    values = [0.3, 0.15, None, 0.2, 9.0, 0.1]
    program = """(() => {
      const column = { key: "x", values: cases, bounds: new Set([1, 4]), isFigure: true, divisor: 1, decimals: 2 };
      const rows = { ids: cases.map(String), byKey: new Map([["x", column]]), ordered: null };
      const kept = (ends) => {
        const failed = new Uint8Array(cases.length);
        leaveOutByRange(column, ends, failed);
        return [...failed.keys()].filter((i) => !failed[i]);
      };
      return [...[["x"], ["-x"]].map((sorts) => [...inOrder(rows, sorts)]), kept([null, 0.2]), kept([0.15, null])];
    })()"""
    imports = (
        'import { leaveOutByRange } from "./filters.js"; import { inOrder } from "./order.js";'
    )
    up, down, cheap, dear = called(imports, program, values)
    assert up == [5, 3, 0, 1, 4, 2]
    assert down == [0, 3, 5, 4, 1, 2]
    assert cheap == [3, 5], "nobody knows whether the run of $0.15+ cost less than $0.20"
    assert dear == [0, 1, 3, 4]
