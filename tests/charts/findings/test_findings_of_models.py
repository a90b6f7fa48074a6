"""What the charts say of models: success, score, tokens and spending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

import pytest

from sitegen.charts import chart_set
from sitegen.charts.axes import utc_ticks
from sitegen.charts.findings import Finding
from sitegen.charts.findings.points import cost_by_score, cost_by_success
from sitegen.charts.findings.spend import spend
from sitegen.charts.findings.token_kinds import tokens_by_kind
from sitegen.model import Entry, Outcome, Score, Status
from tests.support.chart_runs import OPUS, RATES, SONNET, color, drawing, entry, found


def judged(number: int, outcome: Outcome | None, cost: float | None = 1.0, **more: Any) -> Entry:
    return entry(number, cost=cost, outcome=outcome, **more)


def texts(finding: Finding) -> list[list[str]]:
    return [[cell.text for cell in row] for row in finding.table.rows]


def test_the_cost_of_a_run_is_that_of_the_leaderboard_and_a_run_without_a_verdict_is_in_no_rate() -> (
    None
):
    runs = [
        *(judged(i, Outcome.PASS, 2.0, name=f"task {i}") for i in range(5)),
        judged(5, Outcome.ERROR, 0.01),
        judged(6, None, 0.01, status=Status.STOPPED),
        *(
            judged(
                10 + i, Outcome.FAIL if i else Outcome.PARTIAL, 3.0, model=OPUS, name=f"task {i}"
            )
            for i in range(5)
        ),
    ]
    chart = found(cost_by_success(runs, color))
    assert texts(chart) == [
        ["Sonnet 4.5", "5", "5", "100", "36", "100", "1.43", "0.60", "–"],
        ["Opus 4.5", "5", "0", "0", "0", "64", "3.00", "3.00", "3.00"],
    ]
    assert (
        chart.title
        == "Sonnet 4.5 passed 100% of its judged runs at $1.43 per run, Opus 4.5 0% at $3.00"
    )
    assert "10 judged runs of 2 models" in chart.method


def test_the_frontier_holds_the_models_that_no_cheaper_one_beats() -> None:
    costs = {
        "cheap": (1.0, 6),
        "beaten": (2.0, 4),
        "level": (2.5, 6),
        "best": (3.0, 10),
        "dear": (4.0, 10),
    }
    runs = [
        judged(
            20 * m + i,
            Outcome.PASS if i < passed else Outcome.FAIL,
            usd,
            model=model,
            name=f"task {i}",
        )
        for m, (model, (usd, passed)) in enumerate(costs.items())
        for i in range(12)
    ]
    chart = found(cost_by_success(runs, color))
    assert frontier(chart, "success_rate") == [(1.0, 0.5), (3.0, 5 / 6)]
    assert chart.title == "best passed 83% of its judged runs at $3.00 per run, cheap 50% at $1.00"
    assert chart.note == "Means with 95% intervals."
    assert chart.method.endswith(
        "with 95% intervals for tasks like these. Dashed: models that no cheaper one beats."
    )
    assert [row["label"] for row in chart.data["means"] if "align" in row] == list(costs)
    drawn = next(
        made
        for made in chart_set.charts(runs, {}, color=color).drawn
        if made.id == "cost-by-success"
    )
    dashed = [
        path for path in drawing(drawn.wide_svg or "").iter("path") if path.get("stroke-dasharray")
    ]
    assert len(dashed) == 1 and dashed[0].get("fill") == "none"


def test_a_model_of_which_few_runs_report_a_cost_is_not_ranked_by_it() -> None:
    costs = {"known": [0.3] * 6, "one of six": [0.15, *[None] * 5], "beside": [0.4] * 6}
    runs = [
        judged(20 * m + i, Outcome.PASS, usd, model=model, name=f"task {i}")
        for m, (model, each) in enumerate(costs.items())
        for i, usd in enumerate(each)
    ]
    title = found(cost_by_success(runs, color)).title
    assert title.startswith("known passed") and "one of six" not in title
    few = [run for run in runs if run.model != "beside"]
    assert (
        found(cost_by_success(few, color)).title
        == "Too few runs report a cost to rank models by it"
    )


def test_a_model_that_cost_nothing_counts_in_the_title_though_a_log_axis_has_no_place_for_it() -> (
    None
):
    costs = {"free": (0.0, 6), "cheap": (0.01, 5), "dear": (9.0, 4)}
    runs = [
        judged(
            10 * m + i,
            Outcome.PASS if i < passed else Outcome.FAIL,
            usd,
            model=model,
            name=f"task {i}",
        )
        for m, (model, (usd, passed)) in enumerate(costs.items())
        for i in range(6)
    ]
    title = found(cost_by_success(runs, color)).title
    assert title == "free passed 100% of its judged runs at $0.00 per run, dear 67% at $9.00"


@pytest.mark.parametrize(
    ("passed", "title"),
    [
        (6, "Opus 4.5 passed 100% of its judged runs at $1.50 per run, Sonnet 4.5 100% at $1.50"),
        (0, "No judged run passed"),
    ],
)
def test_of_models_that_cost_the_same_none_is_called_cheaper(passed: int, title: str) -> None:
    runs = [
        judged(
            10 * m + i,
            Outcome.PASS if i < passed else Outcome.FAIL,
            1.5,
            model=model,
            name=f"task {i}",
        )
        for m, model in enumerate((SONNET, OPUS))
        for i in range(6)
    ]
    assert found(cost_by_success(runs, color)).title == title


def test_judged_runs_without_a_cost_are_said_to_be_in_no_mean() -> None:
    runs = [
        judged(10 * m + i, Outcome.PASS, 2.0 - m, model=model)
        for m, model in enumerate(RATES)
        for i in range(3)
    ]
    assert "cost" not in found(cost_by_success(runs, color)).method.partition("95% intervals")[2]
    note = found(cost_by_success([*runs, judged(99, Outcome.PASS, None)], color)).method
    assert "7 judged runs of 2 models, with 95% intervals" in note
    assert note.endswith("; mean cost of 6 of 7 runs.")


def test_counts_that_are_lower_bounds_are_in_no_median() -> None:
    runs = [entry(i) for i in range(4)]
    partial = [
        replace(each, id=f"{each.id}-2", run=replace(each.run, ledger_is_lower_bound=True))
        for each in runs
    ]
    chart = found(tokens_by_kind([*runs, *partial[:1]]))
    assert texts(chart)[0][1] == "4"
    assert "1 run of unknown counts left out." in chart.method
    assert "tick: median" in chart.note
    assert tokens_by_kind(partial) == "Sizes of each kind of token: no run reports tokens."


@pytest.mark.parametrize(
    ("tasks", "remark"),
    [
        (("a", "a"), ""),
        (("a", "b"), "These runs are not all of the same tasks."),
        (("a", None), "It is not known whether these runs are of the same tasks."),
    ],
)
def test_means_of_models_that_did_different_tasks_say_so(
    tasks: tuple[str, str | None], remark: str
) -> None:
    runs = [
        judged(3 * i + attempt, Outcome.PASS, model=model, name=name)
        for i, (model, name) in enumerate(zip(RATES, tasks, strict=True))
        for attempt in range(3)
    ]
    runs = [
        replace(run, scores=(Score("speedup", 2.0 + n, "x", True),)) for n, run in enumerate(runs)
    ]
    for finding in (cost_by_success(runs, color), cost_by_score(runs, color)):
        assert found(finding).note.endswith(remark)
        assert ("same tasks" in found(finding).note) is bool(remark)


@pytest.mark.parametrize(
    ("outcomes", "cost", "against"),
    [
        ((Outcome.PASS, None), 1.0, "only one model has judged runs"),
        ((Outcome.ERROR, Outcome.ERROR), 1.0, "no model has judged runs"),
        ((Outcome.PASS, Outcome.PASS), None, "no model has judged runs with a cost"),
        ((Outcome.PASS, Outcome.PASS), 0.0, "the judged runs cost nothing"),
    ],
)
def test_where_outcomes_do_not_suffice_a_sentence_says_why(
    outcomes: tuple[Outcome | None, ...], cost: float | None, against: str
) -> None:
    runs = [
        judged(i, out, cost, model=model)
        for i, (out, model) in enumerate(zip(outcomes, cycle(RATES)))
    ]
    finding = cost_by_success(runs, color)
    assert isinstance(finding, str) and against in finding


def frontier(chart: Finding, value: str) -> list[tuple[float, float]]:
    return [
        (row["mean_cost_usd"], row[value]) for row in chart.data["means"] if row["is_on_frontier"]
    ]


def scored_runs(
    scores: Mapping[str, Sequence[float]], *, higher: bool | None = True
) -> list[Entry]:
    """Runs of a task each, by model; each costs a dollar more than the one before."""
    return [
        replace(
            entry(20 * m + i, cost=1.0 + i, model=model, name=f"task {i}"),
            scores=(Score("speedup", value, "x", higher),),
        )
        for m, (model, values) in enumerate(scores.items())
        for i, value in enumerate(values)
    ]


def test_the_frontier_of_a_score_goes_where_its_direction_says() -> None:
    values = {SONNET: [1.0, 2.0, 3.0, 4.0], OPUS: [4.0, 5.0, 6.0]}
    up, down = (
        found(cost_by_score(scored_runs(values, higher=higher), color)) for higher in (True, False)
    )
    assert len(up.data["runs"]) == 7 and all(row["page"] for row in up.data["runs"])
    assert (
        up.title
        == "Opus 4.5 reached a mean speedup of 5x at $2.00 per run, Sonnet 4.5 3x at $2.50 per run"
    )
    assert frontier(up, "mean_score") == [], "one that is best and cheapest has nobody beside it"
    assert frontier(down, "mean_score") == [(2.0, 5.0), (2.5, 2.5)]
    assert cost_by_score(scored_runs(values, higher=None), color) is None, (
        "nobody said which is better"
    )


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("tests_fixed", "mean tests fixed, times"),
        ("datum['x'] + 1", "mean score, times"),
    ],
)
def test_the_axis_has_the_name_of_the_score_where_it_is_plain_words(name: str, title: str) -> None:
    runs = []
    for run in scored_runs({SONNET: [1.0, 2.0], OPUS: [4.0, 5.0]}):
        runs.append(replace(run, scores=(replace(run.scores[0], name=name),)))
    assert found(cost_by_score(runs, color)).plot.y_title == title


def test_a_score_below_zero_or_of_one_model_is_not_drawn() -> None:
    assert "below zero" in str(cost_by_score(scored_runs({SONNET: [1.0], OPUS: [-1.0]}), color))
    alone = [*scored_runs({SONNET: [1.0, 2.0]}), entry(99, model=OPUS)]
    assert "only one model has scored runs" in str(cost_by_score(alone, color))


def test_success_is_not_compared_where_all_runs_have_one_model() -> None:
    runs = [judged(i, Outcome.PASS) for i in range(6)]
    assert cost_by_success(runs, color) is None


def test_dots_of_a_strip_stay_in_their_row_and_lie_the_same_every_time() -> None:
    runs = [entry(i, cost=1.0) for i in range(50)]
    chart = found(tokens_by_kind(runs))
    offsets = {row["jitter"] for row in chart.data["runs"]}
    assert len(offsets) > 190 and -1 <= min(offsets) < -0.8 < 0.8 < max(offsets) <= 1
    assert tokens_by_kind(runs) == chart


def test_spending_is_added_up_in_utc_and_runs_without_a_start_are_counted() -> None:
    runs = [
        entry(1, cost=2.0, started_at="2026-06-10T01:00:00+02:00"),
        entry(2, cost=1.0, started_at="2026-06-09T21:00:00Z", model=OPUS),
        entry(3, cost=4.0, started_at="2026-06-10T00:30:00Z"),
        entry(4, cost=1.0),
        entry(5, cost=1.0, started_at="yesterday"),
        entry(6, cost=1.0, started_at="2026-06-10T00:30:00"),
        entry(7, cost=None, started_at="2026-06-10T00:30:00Z"),
    ]
    chart = found(spend(runs, color))
    assert chart.title == "Spending reached $7.00+ in 3 runs", (
        "what share a model has of all is not known"
    )
    assert "9 to 10 June 2026 UTC, 3 runs; 4 runs with no start or no cost left out" in chart.method
    assert texts(chart) == [
        ["2026-06-09", "2", "3.00+", "2.00+", "1.00", "3.00+"],
        ["2026-06-10", "1", "4.00+", "6.00+", "1.00", "7.00+"],
    ]
    steps = [
        (row["started_at"], row["spent_usd"])
        for row in chart.data["lines"]
        if row["configuration"] == SONNET
    ]
    assert steps == [
        ("2026-06-09T23:00:00Z", 2.0),
        ("2026-06-10T00:30:00Z", 6.0),
        ("2026-06-10T00:30:00Z", 6.0),
    ]
    assert [
        (row["label"], row["spent_usd"], row["is_lower_bound"]) for row in chart.data["totals"]
    ] == [
        ("Sonnet 4.5", 6.0, True),
        ("Opus 4.5", 1.0, False),
    ]
    few = [*runs[:3], entry(8, cost=8.0)]
    assert (
        spend(few, color)
        == "Spending over time: the runs whose start is known cost $7.00 of $15.00."
    )
    whole = found(spend(runs[:3], color))
    assert whole.title == "Spending reached $7.00, 86% of it by Sonnet 4.5"
    assert not any(row["is_lower_bound"] for row in whole.data["totals"])
    assert "+" not in "".join([whole.note, *(cell for row in texts(whole) for cell in row)])


@pytest.mark.parametrize(
    ("starts", "cost", "reason"),
    [
        (1, 1.0, "one run has both a start and a cost"),
        (2, 1.0, "two runs have both"),
        (3, None, "no run has both"),
        (3, 0.0, "cost nothing"),
    ],
)
def test_spending_over_time_needs_three_runs_with_a_start_and_a_cost(
    starts: int, cost: float | None, reason: str
) -> None:
    runs = [
        entry(i, cost=cost, started_at=f"2026-06-0{i + 1}T00:00:00Z" if i < starts else None)
        for i in range(5)
    ]
    said = spend(runs, color)
    assert isinstance(said, str) and reason in said


def test_many_steps_are_put_together_and_nothing_is_lost() -> None:
    runs = [
        entry(
            i,
            cost=1.0,
            model=(SONNET, OPUS)[i % 2],
            started_at=f"2026-06-{1 + i % 28:02}T{i % 24:02}:{i % 60:02}:00Z",
        )
        for i in range(2000)
    ]
    chart = found(spend(runs, color))
    assert len(chart.data["runs"]) <= 165
    assert "those that started close together are one step" in chart.method
    assert [row["spent_usd"] for row in chart.data["totals"]] == [1000, 1000]
    assert max(row["spent_usd"] for row in chart.data["runs"]) == 1000


def test_over_many_days_the_table_of_spending_has_a_row_a_month() -> None:
    starts = [f"{2024 + i // 12}-{1 + i % 12:02}-{1 + i % 28:02}T00:00:00Z" for i in range(36)]
    chart = found(spend([entry(i, started_at=start) for i, start in enumerate(starts)], color))
    assert [row[0] for row in texts(chart)][:2] == ["2024-01", "2024-02"]
    assert texts(chart)[-1][-1] == "36.00"
    assert ticks(chart)[:3] == ["2024", "2025", "2026"]


def ticks(chart: Finding) -> list[str]:
    moments = (
        datetime.fromtimestamp(ms / 1000, UTC)
        for ms in utc_ticks(chart.plot.x.low, chart.plot.x.high)
    )
    return [f"{moment:%Y}" for moment in moments]


def test_a_start_in_another_century_is_no_start() -> None:
    runs = [entry(i, started_at=f"2026-06-0{i + 1}T00:00:00Z") for i in range(3)]
    chart = found(spend([*runs, entry(3, started_at="0001-01-01T00:00:00Z")], color))
    assert "1 run with no start" in chart.method and len(chart.data["runs"]) == 3
