"""The parts of cost against turns: rates, lines, sentences and cents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.charts import findings
from sitegen.charts.axes import Axis
from sitegen.charts.findings import GREY, ModelColors
from sitegen.charts.findings.turns import (
    _axes,
    _cents,
    _dots,
    _is_measured,
    _left_out,
    _legend,
    _method,
    _Model,
    _models_with_lines,
    _note,
    _rates,
    _table,
    _title,
    cost_by_turns,
)
from sitegen.model import Entry, Status
from tests.support.chart_runs import OPUS, SONNET, color, entry, found


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (12.5, "$12.50"),
        (0.995, "$1.00"),
        (0.994, "99¢"),
        (0.1, "10¢"),
        (0.0999, "10.0¢"),
        (0.043, "4.3¢"),
        (0.01, "1.0¢"),
        (0.00043, "0.043¢"),
        (0.000001, "0.00010¢"),
        (0.0000009, "<$0.000001"),
        (0.0, "$0.00"),
    ],
)
def test_a_turn_costs_cents_below_a_dollar(usd: float, text: str) -> None:
    assert _cents(usd) == text


@pytest.mark.parametrize(
    ("unknown", "zero", "logarithmic", "text"),
    [
        (0, 0, True, ""),
        (0, 0, False, ""),
        (1, 0, False, "; left out: 1 run of unknown turns or cost"),
        (0, 2, True, "; left out: 2 runs of zero turns or cost"),
        (
            3,
            2,
            True,
            "; left out: 3 runs of unknown turns or cost and 2 runs of zero turns or cost",
        ),
        (0, 2, False, "; the figures are without 2 runs of zero turns or cost"),
        (
            1,
            1,
            False,
            "; left out: 1 run of unknown turns or cost"
            "; the figures are without 1 run of zero turns or cost",
        ),
    ],
)
def test_runs_without_a_dot_are_counted(
    unknown: int, zero: int, logarithmic: bool, text: str
) -> None:
    assert _left_out(unknown, zero, logarithmic) == text


@pytest.mark.parametrize(
    ("runs", "logarithmic", "is_dense", "text"),
    [
        (1, False, False, "Cost against turns, 1 run, one dot per run"),
        (2, True, False, "Cost against turns, log scales, 2 runs, one dot per run"),
        (
            300,
            False,
            True,
            "Cost against turns, 300 runs; runs close together are one dot, larger for more",
        ),
    ],
)
def test_the_method_names_scales_and_marks(
    runs: int, logarithmic: bool, is_dense: bool, text: str
) -> None:
    assert _method(runs, logarithmic, is_dense) == text


def test_the_note_says_what_marks_mean() -> None:
    ok, failed = entry(1), entry(2, status=Status.FAILED)
    assert _note([ok], 1, False, False) == "1 run."
    assert _note([ok, failed], 3, True, True) == (
        "2 of 3 runs; larger: more runs; hollow: not completed; lines: average."
    )


def test_a_run_is_measured_with_turns_and_a_cost() -> None:
    cases = [(1.0, 10, True), (0.0, 0, True), (None, 10, False), (1.0, None, False)]
    assert [_is_measured(entry(1, cost=cost, turns=turns)) for cost, turns, _ in cases] == [
        measured for _, _, measured in cases
    ]


@pytest.mark.parametrize(
    ("count", "few"),
    [(0, "no run reports"), (1, "one run reports"), (2, "two runs report")],
)
def test_fewer_than_three_runs_are_no_chart(count: int, few: str) -> None:
    runs = [entry(n) for n in range(count)] + [entry(7, cost=0.0), entry(8, turns=0)]
    assert cost_by_turns(runs, color) == (
        f"Cost against turns: {few} both, and fewer than three show no trend."
    )
    assert found(cost_by_turns([entry(n) for n in range(3)], color)).title


def model(name: str, *runs: tuple[float, int]) -> _Model:
    return _Model(
        name, [entry(n, cost=usd, turns=turns, model=name) for n, (usd, turns) in enumerate(runs)]
    )


def test_a_turn_costs_all_costs_over_all_turns() -> None:
    assert model(SONNET, (1.0, 10), (5.0, 20)).rate == pytest.approx(0.2)


def test_the_first_three_models_with_enough_runs_and_a_colour_have_lines() -> None:
    three = ((1.0, 10),) * 3
    models = [model(name, *three) for name in "abcd"]
    colors = ModelColors.of(dict.fromkeys("abcd", 1), color)
    assert [each.name for each in _models_with_lines(models, colors)] == ["a", "b", "c"]
    few = [model("a", *three[:2]), model("b", (0.0, 1), (0.0, 1), (0.0, 1)), model("c", *three)]
    assert [each.name for each in _models_with_lines(few, colors)] == ["c"]
    grey = ModelColors.of({"a": 2, "b": 1}, lambda name: GREY if name == "a" else color(name))
    assert [each.name for each in _models_with_lines(models[:2], grey)] == ["b"]


def test_scales_are_both_logarithmic_where_one_is_wide() -> None:
    near = [entry(1, cost=1.0, turns=10), entry(2, cost=2.0, turns=12)]
    assert [axis.logarithmic for axis in _axes(near)] == [False, False]
    for far in entry(3, cost=100.0, turns=10), entry(3, cost=1.0, turns=1_000):
        assert [axis.logarithmic for axis in _axes([*near, far])] == [True, True]


def test_a_line_has_both_ends_in_the_plot() -> None:
    one = model(SONNET, (1.0, 10), (1.0, 10))
    x, y = Axis(0.0, 50.0, logarithmic=False), Axis(0.0, 4.0, logarithmic=False)
    assert _rates([one], 14, x, y) == [
        {"configuration": SONNET, "turns": pytest.approx(10.0), "cost_usd": pytest.approx(1.0)},
        {
            "configuration": SONNET,
            "turns": pytest.approx(40.0),
            "cost_usd": pytest.approx(4.0),
            "cost_per_turn_usd": pytest.approx(0.1),
        },
    ]
    x, y = Axis(5.0, 50.0, logarithmic=True), Axis(1.0, 100.0, logarithmic=True)
    ends = _rates([one], 14, x, y)
    assert [row["turns"] for row in ends] == [pytest.approx(10.0), 50.0]
    y = Axis(0.1, 100.0, logarithmic=True)
    assert _rates([one], 14, x, y)[0]["turns"] == 5.0


def test_dots_are_by_model_with_their_status(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [entry(1), entry(2, model=OPUS, status=Status.STOPPED), entry(3, model=OPUS)]
    axis = Axis(0.0, 100.0, logarithmic=False)
    rows = _dots(runs, axis, axis, False)
    assert [(row["configuration"], row["status"], row["turns"]) for row in rows] == [
        (OPUS, "stopped", 10),
        (OPUS, "ok", 10),
        (SONNET, "ok", 10),
    ]
    monkeypatch.setattr(findings, "MAX_DOTS", 2)
    together = _dots([*runs, entry(4)], axis, axis, True)
    assert together == [
        {
            "status": status,
            "configuration": name,
            "turns": 10.0,
            "cost_usd": 1.0,
            "runs": count,
        }
        for status, name, count in (
            ("not completed", OPUS, 1),
            ("ok", OPUS, 1),
            ("ok", SONNET, 2),
        )
    ]


def test_the_legend_says_what_a_turn_cost_where_there_is_a_line() -> None:
    colors = ModelColors.of({SONNET: 2, OPUS: 1}, color)
    legend = _legend(colors, [model(SONNET, (1.0, 10))])
    assert [key.label for key in legend] == ["Sonnet 4.5, 10¢ per turn", "Opus 4.5"]


def test_the_table_has_medians_and_the_cost_of_a_turn() -> None:
    table = _table([model(SONNET, (1.0, 10), (2.0, 20), (6.0, 60))], "model")
    assert [(cell.text, cell.numeric) for cell in table.columns] == [
        ("Model", False),
        ("Runs drawn", True),
        ("Median turns", True),
        ("Median cost, $", True),
        ("Cost of a turn, $", True),
    ]
    assert [cell.text for cell in table.rows[0]] == ["Sonnet 4.5", "3", "20", "2.00", "0.1000"]


FIVE = ((1.0, 10),) * 5


def test_the_title_compares_models_of_five_runs_that_differ() -> None:
    dear, cheap = model(OPUS, *((2.0, 10),) * 5), model(SONNET, *FIVE)
    title = "A turn cost 20¢ with Opus 4.5 and 10¢ with Sonnet 4.5"
    assert _title([cheap, dear], [cheap, dear]) == title
    few = replace(dear, runs=dear.runs[:4])
    average = "A turn cost 14¢ on average"
    assert _title([cheap, few], [cheap, few]) == average
    same = model(OPUS, *((1.0001, 10),) * 5)
    assert _title([cheap, same], [cheap, same]) == "A turn cost 10¢ on average"
    assert _title([cheap, dear], [cheap]) == "A turn cost 15¢ on average"


def drawn_of(runs: list[Entry]) -> list[int | None]:
    return [row["turns"] for row in found(cost_by_turns(runs, color)).data["runs"]]


def test_runs_of_no_turns_are_drawn_on_linear_scales_alone() -> None:
    near = [entry(n, turns=10 + n) for n in range(3)]
    assert drawn_of([*near, entry(7, turns=0), entry(8, turns=None)]) == [10, 11, 12, 0]
    assert drawn_of([*near, entry(7, turns=0), entry(8, turns=9_000)]) == [10, 11, 12, 9_000]
    chart = found(cost_by_turns(near, color))
    assert chart.legend == ()
    assert (chart.whole, chart.brush_x, chart.brush_y) == (
        "Lines of all runs",
        ("turns",),
        "cost_usd",
    )
    assert chart.method.endswith("one dot per run. Lines: average cost per turn, over all turns.")
