"""The first screen: the sentence that says what was found, the order of the leaderboard, and who leads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.cache.memory import NO_MEMORY
from sitegen.charts import chart_set
from sitegen.charts.findings.points import cost_by_success
from sitegen.collect import collect
from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Score, Status
from sitegen.numbers.comparison import compare
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import Dimension, Measure, summarize
from sitegen.numbers.success import success
from sitegen.outcomes.study import Study
from sitegen.pages.chart_parts import said as chart_facts
from sitegen.pages.compare import Chosen, comparisons
from sitegen.pages.data import figures_json
from sitegen.pages.headline import headline, text_of
from sitegen.pages.index import _alerts
from sitegen.pages.leaderboard import Board, board, leaderboard_view
from sitegen.pages.matrix import matrix_view
from sitegen.pages.overall import _chosen, _compared
from sitegen.pages.summary import summary_figures
from sitegen.pages.views import LinkView
from tests.support.campaigns import write
from tests.support.chart_runs import OPUS, SONNET, entry

TASKS = 8


def runs_of(
    model: str, first: int, *, cost: float = 1.0, gain: float | None = None, passed: int = TASKS
) -> list[Entry]:
    """A run of each task; its gain grows a little from task to task."""
    return [
        replace(
            entry(
                first + n,
                model=model,
                name=f"task {n}",
                cost=cost + n / 1000,
                outcome=Outcome.PASS if n < passed else Outcome.FAIL,
            ),
            scores=() if gain is None else (Score("speedup", gain + n / 100, "x", True, True),),
        )
        for n in range(TASKS)
    ]


def of(entries: Sequence[Entry]) -> Board:
    found = ranked(entries)
    assert found is not None
    return found


def ranked(entries: Sequence[Entry]) -> Board | None:
    found = board(entries, Question.TASKS_LIKE_THESE, "speedup")
    return found and found.compared(
        comparisons(entries, [], (), Chosen(ranked=found.pairs, by=found.by)).known
    )


def said(entries: Sequence[Entry]) -> str:
    return text_of(parts(entries))


def parts(entries: Sequence[Entry]) -> tuple[LinkView, ...]:
    compared = _compared(
        entries,
        (),
        (),
        _chosen(Study(Config(), entries), board(entries, Question.TASKS_LIKE_THESE, "speedup")),
    )
    found = board(entries, Question.TASKS_LIKE_THESE, "speedup")
    ranked = found and found.compared(compared.known)
    return headline(summarize(entries), success(entries), ranked, compared, None, entries)


def test_who_is_faster_on_every_task_leads_by_the_score_though_it_costs_more() -> None:
    runs = [*runs_of(SONNET, 0, gain=2.0), *runs_of(OPUS, 20, cost=3.0, gain=4.0)]
    found = of(runs)
    assert [each.name for each in found.contenders] == [OPUS, SONNET]
    assert found.leads
    (pair,) = {part.href for part in parts(runs)}
    assert pair.startswith("compare/")
    view = leaderboard_view(found)
    assert [(row.leads, row.mark) for row in view.rows] == [(True, "leads"), (False, "")]
    assert [column.text for column in view.columns] == [
        "Passed",
        "Speedup",
        "Best run",
        "Cost per run",
        "Cost per success",
        "Median time",
        "Runs",
    ]


def test_where_the_pairs_do_not_carry_it_nobody_leads() -> None:
    runs = [*runs_of(SONNET, 0, passed=5), *runs_of(OPUS, 20, passed=6)]
    found = of(runs)
    assert found.by is Measure.SUCCESS and not found.leads
    assert [row.mark for row in leaderboard_view(found).rows] == ["may lead"] * 2


def test_a_row_of_few_shared_tasks_has_no_rank_and_takes_none_from_others() -> None:
    runs = [*runs_of(SONNET, 0, gain=2.0), *runs_of(OPUS, 20, gain=4.0)]
    few = runs_of("Claude Haiku 4.5", 40, gain=1.0)[:4]
    rows = leaderboard_view(of([*runs, *few])).rows
    assert [(row.mark, row.leads) for row in rows] == [
        ("leads", True),
        ("", False),
        ("too few tasks to compare", False),
    ]
    best, second, *_ = of([*runs, *few]).contenders
    assert {best.name, second.name} == {OPUS, SONNET}
    unjudged = [replace(run, outcome=None, scores=()) for run in runs_of("Claude Haiku 4.5", 40)]
    for stray in (
        few,
        few[:1],
        unjudged,
        [replace(run, task=f"other {n}") for n, run in enumerate(few)],
    ):
        assert said([*runs, *stray]).startswith(
            "Opus 4.5 leads by speedup among the two models that can be compared; Opus"
        )
        equal = [*runs_of(SONNET, 0, passed=5), *runs_of(OPUS, 20, passed=6)]
        assert said([*equal, *(replace(run, scores=()) for run in stray)]).startswith(
            "No clear leader among the two models that can be compared by success: either may lead."
        )
    few_only = leaderboard_view(of([run for run in runs if run.task in ("task 0", "task 1")]))
    assert [row.mark for row in few_only.rows] == ["", ""]
    assert "too few shared tasks to compare" in few_only.note


def test_a_failed_run_is_never_the_best_one() -> None:
    runs = [*runs_of(SONNET, 0, gain=2.0), *runs_of(OPUS, 20, gain=4.0, passed=7)]
    view = leaderboard_view(of(runs))
    best = dict(zip((column.text for column in view.columns), view.rows[0].cells, strict=True))
    assert best["Best run"].note == "task 6 · Opus 4.5 · 26", "that of task 7 is faster and failed"


@pytest.mark.parametrize("score", ["", "speedup", "nothing"])
def test_a_chosen_score_ranks_else_the_outcome_and_the_table_says_how_many_runs_have_none(
    score: str,
) -> None:
    failed = [replace(run, scores=()) for run in runs_of(OPUS, 20, gain=4.0, passed=5)[5:]]
    runs = [*runs_of(SONNET, 0, gain=2.0), *runs_of(OPUS, 20, gain=4.0)[:5], *failed]
    found = board(runs, Question.TASKS_LIKE_THESE, score)
    assert found is not None
    assert [each.name for each in found.contenders] == (
        [OPUS, SONNET] if score == "speedup" else [SONNET, OPUS]
    )
    assert ("; no score for 3 runs that did not pass" in leaderboard_view(found).note) is (
        score == "speedup"
    )


def test_a_chosen_score_that_no_model_has_is_unknown_of_all() -> None:
    stray = replace(runs_of(OPUS, 40, gain=4.0)[0], model=None)
    view = leaderboard_view(of([*runs_of(SONNET, 0), *runs_of(OPUS, 20), stray]))
    at = [column.text for column in view.columns].index("Best run")
    assert [(row.cells[at].text, row.cells[at].href) for row in view.rows] == [("–", None)] * 2


@pytest.mark.parametrize("bounds", [0, 1, 8])
def test_a_cost_that_is_a_lower_bound_is_marked_wherever_it_counts(bounds: int) -> None:
    runs = [
        replace(run, run=replace(run.run, cost_is_lower_bound=n < bounds))
        for n, run in enumerate(runs_of(SONNET, 0, passed=6))
    ]
    tile, _, per_success, *_ = summary_figures(summarize(runs), success(runs))
    (row,) = (
        row for row in leaderboard_view(of([*runs, *runs_of(OPUS, 20)])).rows if row.name == SONNET
    )
    assert tile.lower_bound is per_success.lower_bound is bool(bounds)
    texts = [tile.note.partition(" per run")[0], row.cells[1].text, row.cells[2].text]
    assert {text.endswith("+") for text in texts} == {bool(bounds)}, texts
    assert said(runs).count("+") == 2 * bool(bounds)
    assert summarize(runs).without_cost == 0 and "none" not in tile.note


def test_a_matrix_without_room_shows_the_tasks_that_tell_configurations_apart() -> None:
    runs = [
        entry(n, model=model, name=f"task {n % 60:02}")
        for n, model in enumerate([SONNET] * 60 + [OPUS] * 60)
    ]
    telling = [
        replace(run, outcome=Outcome.PASS if run.model == OPUS else Outcome.FAIL)
        for run in runs[55::60]
    ]
    judged = [replace(run, outcome=Outcome.PASS) for run in runs[50::60]]
    matrix = matrix_view(
        [*(run for n, run in enumerate(runs) if n % 60 not in (50, 55)), *telling, *judged]
    )
    assert matrix is not None
    assert [row.task for row in matrix.rows[:3]] == ["task 55", "task 50", "task 00"]
    assert len(matrix.rows) == 40


@pytest.mark.parametrize(("attempts", "marks"), [(6, 6), (7, 0)])
def test_a_cell_of_the_matrix_has_up_to_six_marks(attempts: int, marks: int) -> None:
    runs = [
        entry(n, model=(SONNET, OPUS)[n % 2], name=f"task {n // 2 % 2}")
        for n in range(4 * attempts)
    ]
    matrix = matrix_view(runs)
    assert matrix is not None
    assert [len(cell.marks) for row in matrix.rows for cell in row.cells if cell] == [marks] * 4


@pytest.mark.parametrize(("runs", "first"), [(2, SONNET), (3, OPUS)])
def test_a_model_of_two_runs_stands_behind_one_of_more(runs: int, first: str) -> None:
    found = of([*runs_of(SONNET, 0, gain=2.0)[:4], *runs_of(OPUS, 20, gain=9.0)[:runs]])
    assert found.contenders[0].name == first


def test_few_runs_and_other_tasks_are_no_headline() -> None:
    two = runs_of(OPUS, 20)[:2]  # all passed, in front of nobody who has more runs
    assert said([*runs_of(SONNET, 0, passed=4), *two]).startswith("10 runs cost $")
    others = [replace(run, task=f"other {n}") for n, run in enumerate(runs_of(OPUS, 20))]
    apart = [*runs_of(SONNET, 0, passed=4), *others]
    assert said(apart).startswith("16 runs cost $")
    assert "they did different tasks" in leaderboard_view(of(apart)).note


@pytest.mark.parametrize(("shared", "is_alike"), [(3, False), (4, True)])
def test_models_are_compared_where_they_share_half_of_the_tasks_of_the_one_that_did_more(
    shared: int, is_alike: bool
) -> None:
    found = of([*runs_of(SONNET, 0), *runs_of(OPUS, 20)[:shared]])
    assert ("they did different tasks" not in leaderboard_view(found).note) is is_alike


def test_one_model_has_no_leaderboard_even_if_labels_part_its_runs() -> None:
    runs = runs_of(SONNET, 0, gain=2.0)
    assert board(runs, Question.TASKS_LIKE_THESE) is None
    labelled = [replace(run, labels=("hints" if n % 2 else "plain",)) for n, run in enumerate(runs)]
    assert board(labelled, Question.TASKS_LIKE_THESE) is None


@pytest.mark.parametrize(("tasks", "is_said"), [(1, False), (2, True)])
def test_failures_are_counted_by_task_only_where_there_are_several(
    tasks: int, is_said: bool
) -> None:
    runs = [
        replace(run, task=f"task {n % tasks}") for n, run in enumerate(runs_of(SONNET, 0, passed=5))
    ]
    assert ("tasks had failures" in said(runs)) is is_said


def test_costs_that_were_computed_are_never_held_against_reported_ones() -> None:
    reported = runs_of(SONNET, 0, passed=6)
    computed = [
        replace(each, run=replace(each.run, cost_usd=None, computed_cost_usd=0.04))
        for each in runs_of(OPUS, 20, passed=6)
    ]
    both = [*reported, *computed]
    found, summary = of(both), summarize(both)
    view = leaderboard_view(found)
    cells = {row.link.text: [cell.text for cell in row.cells[1:3]] for row in view.rows}
    assert cells == {"Sonnet 4.5": ["$1.00", "$1.34"], "Opus 4.5": ["≈ $0.04", "≈ $0.05"]}
    assert "≈ is at list price" in view.note
    assert {row.cells[1].note.rpartition(", ")[2] for row in view.rows} == {
        "as reported",
        "list prices",
    }
    contrast = compare(computed, reported, Dimension.MODEL).contrasts[Measure.COST]
    assert not contrast.tasks
    unjudged = [replace(each, outcome=None) for each in both]
    assert "cost less" not in said(unjudged)
    matrix = matrix_view(both)
    assert matrix is not None
    marks = [mark.title for row in matrix.rows for cell in row.cells if cell for mark in cell.marks]
    assert sum("≈ $0.04 at list price" in title for title in marks) == 8
    alone = summary_figures(summarize(computed), success(computed))[0]
    assert (alone.value, alone.note) == ("≈ $0.32", "at list price, not as reported")
    assert isinstance(cost_by_success(both, lambda model: model, Question.TASKS_LIKE_THESE), str)
    tile = summary_figures(summary, success(both))[0]
    assert (tile.value, tile.lower_bound) == ("$8.03", True)
    assert tile.note == "median $1.00 per run; 8 report none (≈ $0.32 list)"


def test_a_comparison_of_computed_with_reported_costs_says_so() -> None:
    computed = [
        replace(each, run=replace(each.run, cost_usd=None, computed_cost_usd=0.04))
        for each in runs_of(OPUS, 20)
    ]
    found = _compared([*runs_of(SONNET, 0), *computed], (), (), None)
    ((_, comparison),), (view,) = found.pairs, found.views
    assert not comparison.contrasts[Measure.COST].tasks
    assert view.meta.endswith(
        " 8 of 8 runs of Opus 4.5 are at list price, not as reported, so costs are not compared."
    )
    assert (
        found.overview.remarks[-1]
        == "Costs at list price are compared with each other, never with reported ones."
    )
    (told,) = json.loads(figures_json(computed, found, Question.TASKS_LIKE_THESE))["comparisons"]
    assert sorted((told["a_listed"], told["b_listed"])) == [0, 8]


def test_without_reported_costs_the_charts_are_about_list_prices(tmp_path: Path) -> None:
    usage = {"input_tokens": 200_000, "cached_input_tokens": 150_000, "output_tokens": 6_000}
    for number in range(4):
        told = [
            {"type": "thread.started", "thread_id": f"t{number}"},
            {"type": "turn.completed", "usage": usage | {"output_tokens": 6_000 + number}},
        ]
        write(
            tmp_path / "runs", {f"gpt-5.2-codex/{number}.jsonl": "\n".join(map(json.dumps, told))}
        )
    given = {"path": str(tmp_path / "runs"), "pattern": "{model}/{attempt}.*"}
    entries = collect(
        Config.model_validate({"inputs": [given]}), Redactor(), lambda _, items: items
    ).entries
    prices = PriceTable.load()
    checks = {each.id: prices.check(each.run) for each in entries}
    drawn = chart_set.charts(
        **chart_facts(entries, checks, prices, Question.TASKS_LIKE_THESE), memory=NO_MEMORY
    ).drawn
    of_money = {"money-by-kind", "cost-by-turns"}
    assert {each.id for each in drawn} == {*of_money, "tokens-by-kind"}
    assert all(each.note.endswith("; at list price.") for each in drawn if each.id in of_money)
    assert {each.brush_y for each in drawn if each.id == "cost-by-turns"} == {"computed_cost_usd"}


def test_each_number_of_what_went_wrong_is_that_of_the_runs_it_shows() -> None:
    ended = (
        [(Status.FAILED, "turn limit")] * 3
        + [(Status.FAILED, "error")] * 2
        + [(Status.STOPPED, "usage limit")]
    )
    runs = [
        replace(each, run=replace(each.run, status=status, status_detail=detail))
        for each, (status, detail) in zip(runs_of(OPUS, 0), ended, strict=False)
    ]
    alerts = tuple(_alerts(runs, summarize(runs), ()))
    assert [(alert.link.text, [cause.text for cause in alert.causes]) for alert in alerts] == [
        ("5 failed runs", ["turn limit: 3", "error: 2"]),
        ("1 stopped run", ["usage limit"]),
    ]
    assert [cause.href for cause in alerts[0].causes] == [
        "#status=failed&status_detail=turn+limit",
        "#status=failed&status_detail=error",
    ]
