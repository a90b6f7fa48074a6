"""The parts of cost against success and scores: points, the frontier, names and sentences."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.charts.axes import Axis
from sitegen.charts.findings import points as module
from sitegen.charts.findings.points import (
    Field,
    ModelPoint,
    _axis_over,
    _best_and_other,
    _by_model,
    _cost_axis,
    _is_cut,
    _judged_point,
    _name_on_axis,
    _named,
    _runs_of_score,
    _scored_point,
    _Subject,
    _table_of_score,
    _table_of_success,
    _title_of_score,
    _title_of_success,
    cost_by_score,
    cost_by_success,
)
from sitegen.figures import FigureFormat
from sitegen.model import Entry, Outcome, Score, replace
from sitegen.numbers.intervals import Interval, Question
from sitegen.numbers.statistics import Spread, score_measures
from tests.support.chart_runs import OPUS, SONNET, color, entry, found

QUESTION = Question.TASKS_LIKE_THESE
JUDGED = _Subject("success", "judged", "model", QUESTION)


def spread_of(mean: float | None, **known: Any) -> Spread:
    given = {
        "known": 1,
        "unknown": 0,
        "least": mean,
        "lower_quartile": mean,
        "median": mean,
        "upper_quartile": mean,
        "most": mean,
        "mean": mean,
        "is_lower_bound": False,
        "interval": None,
        "median_interval": None,
        "best": None,
    }
    return Spread(**{**given, **known})


def point(
    model: str,
    usd: float | None,
    value: float,
    *,
    runs: int = 4,
    interval: Interval | None = None,
    **cost: Any,
) -> ModelPoint:
    entries = [entry(n, model=model, cost=usd) for n in range(runs)]
    spread = spread_of(usd, **{"known": runs, **cost})
    return ModelPoint(model, entries, spread, value, interval, name=model)


def test_a_point_has_its_mean_cost_and_the_number_of_passes() -> None:
    one = point("a", 1.25, 0.75)
    assert (one.usd, one.price, one.passed, one.is_priced) == (1.25, "$1.25", 3, True)
    bound = point("a", 1.25, 0.75, is_lower_bound=True)
    assert bound.price == "$1.25+"
    free = point("a", None, 0.0)
    assert (free.usd, free.is_priced, free.passed) == (0.0, False, 0)


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([], "Cost against success: no model has judged runs with a cost."),
        (
            [point("a", 1.0, 1.0)],
            "Cost against success: only one model has judged runs with a cost.",
        ),
    ],
)
def test_too_few_points_are_a_sentence(points: list[ModelPoint], text: str) -> None:
    assert JUDGED.too_few(points) == text


@pytest.mark.parametrize(
    ("points", "means", "text"),
    [
        (
            [point("a", 1.0, 1.0), point("b", 1.0, 1.0)],
            [{"is_on_frontier": False}],
            "8 judged runs of 2 models, with 95% intervals for tasks like these.",
        ),
        (
            [point("a", 1.0, 1.0), point("b", 1.0, 1.0, known=3, unknown=2)],
            [{"is_on_frontier": True}],
            "8 judged runs of 2 models, with 95% intervals for tasks like these"
            "; mean cost of 7 of 9 runs. Dashed: models that no cheaper one beats.",
        ),
        (
            [point("a", 1.0, 1.0, runs=1, known=2)],
            [{"is_on_frontier": False, "cost_above_usd": 2.0, "success_rate_below": None}],
            "1 judged run of 1 models, with 95% intervals for tasks like these"
            "; those with an arrow go on beyond the edge; mean cost of 2 runs.",
        ),
    ],
)
def test_the_base_counts_runs_and_explains_marks(
    points: list[ModelPoint], means: list[dict[str, Any]], text: str
) -> None:
    assert JUDGED.base(points, means) == text


@pytest.mark.parametrize(
    ("row", "is_cut"),
    [
        ({"cost_below_usd": None, "cost_above_usd": None}, False),
        ({"cost_below_usd": 0.0}, True),
        ({"success_rate_above": 1.0}, True),
        ({"cost_low_usd": 0.5}, False),
    ],
)
def test_an_interval_beyond_the_edge_is_cut(row: dict[str, Any], is_cut: bool) -> None:
    assert _is_cut(row) is is_cut


def test_the_table_of_success_has_shares_and_costs() -> None:
    one = point(OPUS, 1.25, 0.75, interval=Interval(0.25, 1.0))
    priced = replace(one, cost=replace(one.cost, interval=Interval(1.0, 1.5)))
    table = _table_of_success([priced, point(SONNET, None, 0.0)], JUDGED)
    assert [cell.text for cell in table.columns] == [
        "Model",
        "Judged runs",
        "Runs passed",
        "Passed, %",
        "Passed, 95% from, %",
        "Passed, 95% to, %",
        "Mean cost of a run, $",
        "Cost of a run, 95% from, $",
        "Cost of a run, 95% to, $",
    ]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Opus 4.5", "4", "3", "75", "25", "100", "1.25", "1.00", "1.50"],
        ["Sonnet 4.5", "4", "0", "0", "–", "–", "–", "–", "–"],
    ]


def test_the_axis_of_costs_has_room_for_intervals_up_to_twice_the_mean() -> None:
    near = replace(point("a", 1.0, 0.5), cost=spread_of(1.0, interval=Interval(0.5, 1.5)))
    far = replace(point("b", 2.0, 0.5), cost=spread_of(2.0, interval=Interval(0.0, 100.0)))
    assert _cost_axis([near, far], False) == Axis(0.0, 4.0 * 1.06, logarithmic=False)
    assert _cost_axis([near, far], True) == Axis(0.5 / 1.4, 4.0 * 1.4, logarithmic=True)
    assert _cost_axis([near], False).high == pytest.approx(1.5 * 1.06)


@pytest.mark.parametrize(
    ("values", "logarithmic"),
    [([1.0, 30.0], False), ([1.0, 30.1], True), ([0.0, 100.0], False)],
)
def test_a_scale_of_wide_positive_values_is_logarithmic(
    values: list[float], logarithmic: bool
) -> None:
    assert _axis_over(values).logarithmic is logarithmic


def field_of(*points: ModelPoint, higher_is_better: bool = True) -> Field:
    x, y = Axis(0.0, 10.0, logarithmic=False), Axis(0.0, 1.0, logarithmic=False)
    return Field(x, y, points, higher_is_better)


def test_the_frontier_has_the_points_that_no_cheaper_one_beats() -> None:
    points = [
        point("a", 1.0, 0.5),
        point("b", 2.0, 0.5),
        point("c", 3.0, 0.7),
        point("d", 4.0, 0.6),
    ]
    assert [each.model for each in field_of(*points).front] == ["a", "c"]
    lower = field_of(*points, point("e", 5.0, 0.1), higher_is_better=False)
    assert [each.model for each in lower.front] == ["a", "e"]


def test_a_row_of_a_point_has_intervals_and_its_place_on_the_frontier() -> None:
    one = replace(
        point("a", 1.0, 0.5, interval=Interval(0.25, 0.75)),
        cost=spread_of(1.0, interval=Interval(0.5, 20.0)),
    )
    two = point("b", 2.0, 0.4)
    names = {"a": {"align": "left"}}
    assert field_of(one, two).row(one, names, "success_rate") == {
        "configuration": "a",
        "label": "a",
        "mean_cost_usd": 1.0,
        "success_rate": 0.5,
        "is_on_frontier": False,
        "cost_low_usd": 0.5,
        "cost_high_usd": 20.0,
        "cost_below_usd": None,
        "cost_above_usd": 10.0,
        "success_rate_low": 0.25,
        "success_rate_high": 0.75,
        "success_rate_below": None,
        "success_rate_above": None,
        "align": "left",
    }
    three = point("c", 3.0, 0.6)
    both = field_of(one, two, three)
    assert [both.row(each, {}, "v")["is_on_frontier"] for each in both.points] == [
        True,
        False,
        True,
    ]


def test_names_stand_beside_their_points_clear_of_each_other() -> None:
    one, two = point("a", 2.0, 0.5), point("b", 8.0, 0.9)
    names = field_of(one, two).offsets()
    assert set(names) == {"a", "b"}
    crowd = [(x / 40, y / 40) for x in range(41) for y in range(41)]
    assert field_of(one, two).offsets(crowd) == {}


def test_the_best_is_compared_with_the_cheapest_or_the_dearest() -> None:
    cheap, middle, dear = point("a", 1.0, 0.2), point("b", 2.0, 0.9), point("c", 3.0, 0.5)
    assert _best_and_other([cheap, middle, dear], max) == (middle, cheap)
    assert _best_and_other([cheap, middle, dear], min) == (cheap, dear)


@pytest.mark.parametrize(
    ("points", "title"),
    [
        (
            [point(SONNET, 1.0, 0.5), point(OPUS, 2.0, 0.75)],
            "Opus 4.5 passed 75% of its judged runs at $2.00 per run, Sonnet 4.5 50% at $1.00",
        ),
        ([point(SONNET, 1.0, 0.0), point(OPUS, 2.0, 0.0)], "No judged run passed"),
        (
            [point(SONNET, 1.0, 0.5), point(OPUS, 2.0, 0.75, known=2, unknown=2)],
            "Too few runs report a cost to rank models by it",
        ),
        (
            [point(SONNET, 1.0, 0.5), point(OPUS, 2.0, 0.5, known=3, unknown=2)],
            "Sonnet 4.5 passed 50% of its judged runs at $1.00 per run, Opus 4.5 50% at $2.00",
        ),
    ],
)
def test_the_title_of_success_has_two_models(points: list[ModelPoint], title: str) -> None:
    assert _title_of_success(points, "model") == title


def test_lost_runs_that_count_are_named() -> None:
    lost = replace(entry(1, model=OPUS), is_failed_by_rule=True)
    one = replace(point(OPUS, 2.0, 1.0, runs=1), runs=[lost])
    title = _title_of_success([point(SONNET, 1.0, 0.5), one], "model")
    assert title.startswith("Opus 4.5 passed 100% of its judged or lost runs at $2.00 per run")


def scored(number: int, value: float, name: str = "speedup", **of_score: Any) -> Entry:
    unit = of_score.pop("unit", "x")
    score = Score(name, value, unit, **{"higher_is_better": True, **of_score})
    model = of_score.pop("model", OPUS if number % 2 else SONNET)
    return replace(entry(number, model=model, cost=1.0 + number), scores=(score,))


def test_only_plain_names_of_scores_are_on_an_axis() -> None:
    names = {"run_time": "run time", "a.b-c": "a.b-c", "x(1)": "score", "n" * 40: f"{'n' * 29}…"}
    for name, shown in names.items():
        (measure,) = score_measures([scored(1, 2.0, name)])
        assert _name_on_axis(measure) == shown


@pytest.mark.parametrize(
    ("unit", "higher", "title"),
    [
        (
            "x",
            True,
            "Opus 4.5 reached a mean speedup of 0.8x at $2.00 per run, Sonnet 4.5 0.5x at $1.00 per run",
        ),
        (
            "s",
            False,
            "Sonnet 4.5 reached a mean speedup of 0.5 s at $1.00 per run, Opus 4.5 0.8 s at $2.00 per run",
        ),
        (
            None,
            True,
            "Opus 4.5 reached a mean speedup of 0.8 at $2.00 per run, Sonnet 4.5 0.5 at $1.00 per run",
        ),
    ],
)
def test_the_title_of_a_score_has_its_unit_and_direction(
    unit: str | None, higher: bool, title: str
) -> None:
    (measure,) = score_measures([scored(1, 2.0, unit=unit, higher_is_better=higher)])
    points = [point(SONNET, 1.0, 0.5), point(OPUS, 2.0, 0.8)]
    assert _title_of_score(points, measure, FigureFormat("", 1, 1)) == title


def test_the_table_of_a_score_has_median_and_best() -> None:
    one = point(OPUS, 1.0, 1.5, interval=Interval(1.0, 2.0))
    one = replace(one, score=spread_of(1.5, median=1.25, best=3.0))
    subject = _Subject("run_time", "scored", "configuration", QUESTION)
    table = _table_of_score([one], subject, FigureFormat("s", 1, 2))
    assert [cell.text for cell in table.columns] == [
        "Configuration",
        "Scored runs",
        "Mean run_time, s",
        "Run time, 95% from, s",
        "Run time, 95% to, s",
        "Median run_time, s",
        "Best run_time, s",
        "Mean cost of a run, $",
        "Cost of a run, 95% from, $",
        "Cost of a run, 95% to, $",
    ]
    texts = ["Opus 4.5", "4", "1.50", "1.00", "2.00", "1.25", "3.00", "1.00", "–", "–"]
    assert [cell.text for cell in table.rows[0]] == texts


def test_runs_of_a_score_have_their_cost_and_outcome() -> None:
    runs = [
        replace(scored(3, 2.0), outcome=Outcome.PASS),
        scored(1, 3.0),
        replace(scored(5, 4.0), run=replace(scored(5, 4.0).run, cost_usd=None)),
    ]
    (measure,) = score_measures(runs)
    one = _scored_point(OPUS, [*runs, entry(7, model=OPUS)], measure, QUESTION)
    assert (one.runs, one.value, one.cost.known) == (runs, 3.0, 3)
    assert _runs_of_score([one], measure) == [
        {
            "name": "task · Opus 4.5 · 1",
            "configuration": OPUS,
            "cost_usd": 2.0,
            "score": 3.0,
            "outcome": "not known",
            "page": "runs/run-000000000001.html",
        },
        {
            "name": "task · Opus 4.5 · 3",
            "configuration": OPUS,
            "cost_usd": 4.0,
            "score": 2.0,
            "outcome": "pass",
            "page": "runs/run-000000000003.html",
        },
    ]


def test_a_judged_point_is_of_its_judged_runs_and_costs_of_all() -> None:
    runs = [
        entry(1, outcome=Outcome.PASS, cost=1.0),
        entry(2, outcome=Outcome.FAIL, cost=2.0),
        entry(3, outcome=Outcome.ERROR, cost=6.0),
    ]
    one = _judged_point(SONNET, runs, QUESTION)
    assert (one.runs, one.value, one.usd) == (runs[:2], 0.5, 3.0)
    assert one.interval == Interval(0.0, 1.0)


def test_points_without_a_price_and_runs_of_no_model_are_left_out() -> None:
    priced = _named([point(SONNET, 1.0, 0.5), point("b", None, 0.5), point(OPUS, 2.0, 0.5)])
    assert [each.name for each in priced] == ["Sonnet 4.5", "Opus 4.5"]
    nameless = replace(entry(2), model=None)
    assert list(_by_model([entry(1), nameless])) == [SONNET]


# The charts.


def judged(number: int, model: str, outcome: Outcome | None, cost: float | None) -> Entry:
    return entry(number, model=model, outcome=outcome, cost=cost)


def test_success_needs_two_models_with_judged_runs_that_cost() -> None:
    passed, failed = Outcome.PASS, Outcome.FAIL
    both = [judged(1, SONNET, passed, 1.0), judged(2, OPUS, failed, 2.0)]
    assert cost_by_success(both[:1], color) is None
    assert (
        cost_by_success([judged(1, SONNET, None, 1.0), judged(2, OPUS, None, 2.0)], color) is None
    )
    few = [both[0], judged(2, OPUS, failed, None)]
    assert cost_by_success(few, color) == JUDGED.too_few([point(SONNET, 1.0, 1.0)])
    free = [judged(1, SONNET, passed, 0.0), judged(2, OPUS, failed, 0.0)]
    assert cost_by_success(free, color) == "Cost against success: the judged runs cost nothing."
    chart = found(cost_by_success(both, color))
    assert chart.method == (
        "Passed runs against the mean cost of a run, 2 judged runs of 2 models,"
        " with 95% intervals for tasks like these."
    )
    assert chart.note == "Means with 95% intervals."
    assert [(row["passed_runs"], row["judged_runs"]) for row in chart.data["means"]] == [
        (1, 1),
        (0, 1),
    ]
    assert (chart.plot.y.low, chart.plot.y.high, chart.plot.height) == (0.0, 1.0, 240)


def test_on_a_log_scale_models_that_cost_nothing_are_not_drawn() -> None:
    runs = [
        judged(1, SONNET, Outcome.PASS, 1.0),
        judged(2, OPUS, Outcome.FAIL, 31.0),
        judged(3, "free", Outcome.FAIL, 0.0),
    ]
    chart = found(cost_by_success(runs, color))
    assert [row["configuration"] for row in chart.data["means"]] == [SONNET, OPUS]
    assert chart.method.startswith(
        "Passed runs against the mean cost of a run, log scale, 3 judged"
    )
    assert chart.method.endswith(" Not drawn: 1 model that cost nothing.")
    near = [*runs[:1], judged(2, OPUS, Outcome.FAIL, 30.0), runs[2]]
    assert len(found(cost_by_success(near, color)).data["means"]) == 3


def test_scores_need_a_direction_two_models_and_figures_above_zero() -> None:
    runs = [scored(n, 1.0 + n) for n in range(4)]
    assert cost_by_score(runs[:1], color) is None
    assert cost_by_score([scored(n, 1.0, higher_is_better=None) for n in range(4)], color) is None
    below = [scored(n, -1.0 + n) for n in range(4)]
    assert cost_by_score(below, color) == "Cost against speedup: some scores are below zero."
    zero = [scored(n, 0.0) for n in range(4)]
    assert cost_by_score(zero, color) == "Cost against speedup: all is zero."
    few = [runs[0], replace(runs[1], run=replace(runs[1].run, cost_usd=None))]
    assert cost_by_score(few, color) == (
        "Cost against speedup: only one model has scored runs with a cost."
    )


def test_a_chart_of_scores_has_a_dot_for_each_run_and_each_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [scored(n, 1.0 + n) for n in range(4)]
    chart = found(cost_by_score(runs, color))
    assert len(chart.data["runs"]) == 4
    assert [row["scored_runs"] for row in chart.data["means"]] == [2, 2]
    assert chart.note == "Small dots: runs; large: means with 95% intervals."
    assert chart.method.startswith(
        "Mean speedup against the mean cost of a run, 4 scored runs of 2"
    )
    assert (chart.plot.y_title, chart.plot.is_dense) == ("mean speedup, times", False)
    assert (chart.whole, chart.brush_x) == ("Means of all runs", ("cost_usd",))
    ratio = [scored(n, 1.0 + n, is_ratio=True, unit="s") for n in range(4)]
    geometric = found(cost_by_score(ratio, color))
    assert geometric.method.startswith("Geometric mean speedup against")
    assert geometric.plot.y_title == "mean speedup"
    monkeypatch.setattr(module.findings, "MAX_DOTS", 3)
    dense = found(cost_by_score(runs, color))
    assert dense.plot.is_dense
    assert all(row["runs"] >= 1 for row in dense.data["runs"])
