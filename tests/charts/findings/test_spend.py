"""The parts of spending over time: starts, steps, lines, days and sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.charts.axes import Axis
from sitegen.charts.findings import GREY, ModelColors
from sitegen.charts.findings import spend as module
from sitegen.charts.findings.spend import (
    _days,
    _iso,
    _Line,
    _lines,
    _method,
    _rows,
    _Start,
    _starts,
    _steps,
    _sum_by_model,
    _table,
    _time_axis,
    _title,
    spend,
)
from sitegen.model import Entry
from tests.support.chart_runs import OPUS, SONNET, color, entry, found

MIDNIGHT = 1_780_272_000_000  # 2026-06-01, UTC
HOUR = 3_600_000


def at(number: int, hours: float, cost: float | None = 1.0, model: str = SONNET) -> Entry:
    """A run that started so many hours after midnight."""
    return entry(
        number, cost=cost, model=model, started_at=_iso(MIDNIGHT + hours * HOUR), turns=None
    )


def starts(*runs: Entry) -> list[_Start]:
    return _starts(runs)


def colors(*models: str, grey: tuple[str, ...] = ()) -> ModelColors:
    sizes = {model: float(len(models) - n) for n, model in enumerate(models)}
    return ModelColors.of(sizes, lambda name: GREY if name in grey else color(name))


def test_starts_ascend_by_moment_and_then_by_id() -> None:
    runs = [at(3, 2), at(2, 1), at(1, 2), entry(4), entry(5, started_at="odd")]
    made = starts(*runs)
    assert [start.entry for start in made] == [runs[1], runs[2], runs[0]]
    assert [start.ms for start in made] == [MIDNIGHT + n * HOUR for n in (1, 2, 2)]
    assert (made[0].iso, made[0].usd) == ("2026-06-01T01:00:00Z", 1.0)


def test_costs_are_summed_by_model() -> None:
    made = starts(at(1, 0, 0.5), at(2, 1, 2.0, OPUS), at(3, 2, 0.25))
    assert _sum_by_model(made) == {SONNET: 0.75, OPUS: 2.0}


@pytest.mark.parametrize(
    ("first", "last", "low", "high", "end"),
    [
        (0.0, 1_000_000.0, 0.0, 1_050_000.0, 1_000_000.0),
        (0.0, 240_000.0, 0.0, 252_000.0, 240_000.0),
        (100_000.0, 140_000.0, 0.0, 252_000.0, 240_000.0),
        (500_000.0, 500_000.0, 380_000.0, 632_000.0, 620_000.0),
    ],
)
def test_the_axis_of_time_is_four_minutes_or_more_with_room_for_labels(
    first: float, last: float, low: float, high: float, end: float
) -> None:
    axis, ends = _time_axis(first, last)
    assert (axis.low, axis.high, axis.logarithmic, ends) == (low, high, False, end)


@pytest.mark.parametrize(
    ("spent", "is_open", "title"),
    [
        ({SONNET: 4.0}, False, "Spending reached $4.00 in 3 runs"),
        ({SONNET: 1.0, OPUS: 3.0}, False, "Spending reached $4.00, 75% of it by Opus 4.5"),
        ({SONNET: 1.0, OPUS: 3.0}, True, "Spending reached $4.00+ in 3 runs"),
        ({SONNET: 1.0, "": 3.0}, False, "Spending reached $4.00 in 3 runs"),
        ({OPUS: 2.0, SONNET: 2.0}, False, "Spending reached $4.00, 50% of it by Sonnet 4.5"),
    ],
)
def test_the_title_has_the_total_and_the_model_of_most(
    spent: dict[str, float], is_open: bool, title: str
) -> None:
    assert _title(4.0, spent, 3, is_open=is_open) == title


def test_the_method_says_what_is_together_left_out_and_open() -> None:
    three = starts(at(1, 0), at(2, 30), at(3, 50))
    whole = [_Line("a", "a", "c", [{}, {}, {}], False)]
    base = "Costs added up at the start of each run, 1 to 3 June 2026 UTC, 3 runs"
    assert _method(three, whole, 3, is_open=False) == f"{base}."
    fewer = [_Line("a", "a", "c", [{}, {}], True)]
    assert _method(three, fewer, 5, is_open=True) == (
        f"{base}; those that started close together are one step"
        "; 2 runs with no start or no cost left out; a line that ends open is a lower bound."
    )


def test_each_run_is_a_step_unless_slots_join_them() -> None:
    three = starts(at(1, 0, 0.5), at(2, 1, 0.25), at(3, 5, 2.0))
    steps = _steps(three, 0.0, "a")
    assert [(step["cost_usd"], step["spent_usd"]) for step in steps] == [
        (0.5, 0.5),
        (0.25, 0.75),
        (2.0, 2.75),
    ]
    assert steps[0] == {
        "name": "task · Sonnet 4.5 · 1",
        "configuration": "a",
        "started_at": "2026-06-01T00:00:00Z",
        "cost_usd": 0.5,
        "spent_usd": 0.5,
        "page": "runs/run-000000000001.html",
    }
    together = _steps(three, 2.0 * HOUR, "a")
    assert together[0] == {
        "configuration": "a",
        "started_at": "2026-06-01T01:00:00Z",
        "cost_usd": 0.75,
        "spent_usd": 0.75,
        "name": "2 runs",
    }
    assert together[1]["name"] == "task · Sonnet 4.5 · 3"
    assert len(together) == 2
    assert len(_steps(three, 1.0 * HOUR, "a")) == 3


def test_lines_descend_by_their_sums_and_share_a_grey() -> None:
    made = starts(at(1, 0, 1.0), at(2, 1, 5.0, OPUS), at(3, 2, 2.0, "B"), at(4, 3, 2.5, "C"))
    shared = colors(SONNET, OPUS, "B", "C", grey=("B", "C"))
    lines = _lines(made, shared, {"Opus 4.5", None})
    assert [(line.name, line.key, line.usd, line.is_open) for line in lines] == [
        ("Opus 4.5", OPUS, 5.0, True),
        ("2 others", "2 others", 4.5, False),
        ("Sonnet 4.5", SONNET, 1.0, False),
    ]
    assert [line.color for line in lines] == [color(OPUS), GREY, color(SONNET)]


def test_many_runs_of_a_line_share_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    many = starts(*(at(n, n) for n in range(9)))
    monkeypatch.setattr(module, "_MAX_STEPS", 9)
    assert len(_lines(many, colors(SONNET), set())[0].steps) == 9
    monkeypatch.setattr(module, "_MAX_STEPS", 4)
    assert len(_lines(many, colors(SONNET), set())[0].steps) == 5
    same = starts(*(at(n, 0) for n in range(9)))
    assert len(_lines(same, colors(SONNET), set())[0].steps) == 1


def test_days_have_their_runs_and_the_sums_so_far() -> None:
    made = starts(at(1, 0, 1.0), at(2, 5, 2.0, OPUS), at(3, 49, 0.5))
    both = colors(SONNET, OPUS)
    lines = _lines(made, both, set())
    days = _days(made, lines, both, 10)
    assert [(day.date, day.runs, day.usd) for day in days] == [
        ("2026-06-01", 2, 3.0),
        ("2026-06-03", 1, 0.5),
    ]
    assert days[0].sums == {"Opus 4.5": 2.0, "Sonnet 4.5": 1.0, None: 3.0}
    assert days[1].sums == {"Opus 4.5": 2.0, "Sonnet 4.5": 1.5, None: 3.5}
    alone = _days(made[:1], _lines(made[:1], both, set()), both, 7)
    assert [(day.date, day.sums) for day in alone] == [("2026-06", {"Sonnet 4.5": 1.0})]


def table_of(made: list[_Start], unsure: list[Entry], *models: str) -> list[list[str]]:
    of_models = colors(*models)
    lines = _lines(made, of_models, set())
    table = _table(made, lines, of_models, unsure)
    return [[cell.text for cell in row] for row in (table.columns, *table.rows)]


def test_the_table_has_a_row_a_day_and_a_plus_behind_lower_bounds() -> None:
    made = starts(at(1, 0), at(2, 25, 2.0, OPUS), at(3, 49, 0.5))
    head = ["Day, UTC", "Runs", "Spent, $", "Opus 4.5 so far, $", "Sonnet 4.5 so far, $"]
    assert table_of(made, [], OPUS, SONNET) == [
        [*head, "All so far, $"],
        ["2026-06-01", "1", "1.00", "0.00", "1.00", "1.00"],
        ["2026-06-02", "1", "2.00", "2.00", "1.00", "3.00"],
        ["2026-06-03", "1", "0.50", "2.00", "1.50", "3.50"],
    ]
    unsure = [at(7, 26, None), at(8, 50, None, OPUS)]
    assert table_of(made, unsure, OPUS, SONNET)[1:] == [
        ["2026-06-01", "1", "1.00", "0.00", "1.00", "1.00"],
        ["2026-06-02", "1", "2.00+", "2.00", "1.00+", "3.00+"],
        ["2026-06-03", "1", "0.50+", "2.00+", "1.50+", "3.50+"],
    ]
    whenever = table_of(made, [entry(9)], OPUS, SONNET)
    assert whenever[1] == ["2026-06-01", "1", "1.00+", "0.00", "1.00+", "1.00+"]


def test_above_31_days_the_table_has_a_row_a_month() -> None:
    days = [at(n, 24 * n) for n in range(32)]
    assert [row[:3] for row in table_of(starts(*days[:31]), [], SONNET)][:2] == [
        ["Day, UTC", "Runs", "Spent, $"],
        ["2026-06-01", "1", "1.00"],
    ]
    assert table_of(starts(*days), [at(7, 24 * 31, None)], SONNET) == [
        ["Month, UTC", "Runs", "Spent, $", "Sonnet 4.5 so far, $"],
        ["2026-06", "30", "30.00", "30.00"],
        ["2026-07", "2", "2.00+", "32.00+"],
    ]


def test_rows_are_steps_lines_and_their_ends() -> None:
    def step(hour: int, usd: float) -> dict[str, Any]:
        return {"started_at": _iso(MIDNIGHT + hour * HOUR), "spent_usd": usd}

    lines = [
        _Line("Much", "m", "c", [step(0, 10.0)], True),
        _Line("Less", "l", "d", [step(1, 0.1)], False),
    ]
    y = Axis(0.0, 10.0, logarithmic=False)
    data = _rows(lines, y, MIDNIGHT + 2.0 * HOUR)
    assert data["runs"] == [step(0, 10.0), step(1, 0.1)]
    assert data["lines"] == [
        {"configuration": "m", **step(0, 10.0)},
        {"configuration": "m", **step(2, 10.0)},
        {"configuration": "l", **step(1, 0.1)},
        {"configuration": "l", **step(2, 0.1)},
    ]
    much, less = data["totals"]
    assert {**much, "label_usd": 0} == {
        "configuration": "m",
        **step(2, 10.0),
        "label": "Much",
        "label_usd": 0,
        "is_lower_bound": True,
    }
    assert (less["label"], less["is_lower_bound"]) == ("Less", False)
    assert much["label_usd"] > less["label_usd"]
    assert less["label_usd"] == pytest.approx(10 * 15 / 210)
    (alone,) = _rows(lines[:1], y, 0.0)["totals"]
    assert alone["label"] == ""


# The chart.


def test_without_a_start_there_is_no_chart_and_of_few_or_cheap_ones_a_sentence() -> None:
    assert spend([entry(1), entry(2)], color) is None
    about = "Spending over time: "
    for count, few in enumerate(("no run has", "one run has", "two runs have")):
        runs = [*(at(n, n) for n in range(count)), at(9, 9, None)]
        assert spend(runs, color) == (
            f"{about}{few} both a start and a cost, and it takes three to show a trend."
        )
    three = [at(n, n) for n in range(3)]
    free = [replace(run, run=replace(run.run, cost_usd=0.0)) for run in three]
    sentence = f"{about}the runs whose start is known cost "
    assert spend(free, color) == f"{sentence}nothing."
    assert spend([*three, entry(7, cost=3.01)], color) == f"{sentence}$3.00 of $6.01."
    assert found(spend([*three, entry(7, cost=3.0)], color)).title == (
        "Spending reached $3.00+ in 3 runs"
    )


def test_a_line_of_three_runs_is_a_chart() -> None:
    chart = found(spend([at(n, n) for n in range(3)], color))
    assert chart.title == "Spending reached $3.00 in 3 runs"
    assert chart.note == "3 runs, by start."
    assert chart.plot.colors == {SONNET: color(SONNET)}
    assert (chart.plot.height, chart.whole) == (210, "Sums of all runs")
    assert not chart.plot.y.logarithmic
    assert set(chart.data) == {"runs", "lines", "totals"}
