"""Runs without a verdict because of errors: both countings, who may lead, and what the settings say of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.collect import collect
from sitegen.config import Config, load
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Status
from sitegen.numbers.comparison import Effect, compare
from sitegen.numbers.gates import GateVerdict, MeasureLimits, evaluate
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Dimension, Measure
from sitegen.numbers.success import (
    consistency,
    is_lost,
    lost_runs,
    other_counting,
    success,
    with_limits,
)
from sitegen.numbers.wording import counts
from sitegen.pages.leaderboard import board, leaderboard_view
from tests.support.chart_runs import OPUS, SONNET, entry


def run(
    number: int, outcome: Outcome | None, status: Status = Status.OK, detail: str | None = None
) -> Entry:
    made = entry(number, model=OPUS, name=f"task {number % 10}", outcome=outcome)
    return replace(made, run=replace(made.run, status=status, status_detail=detail))


@pytest.mark.parametrize(
    ("outcome", "status", "detail", "lost"),
    [
        (Outcome.PASS, Status.STOPPED, "usage limit", False),
        (Outcome.FAIL, Status.FAILED, "error", False),
        (Outcome.ERROR, Status.OK, None, True),
        (None, Status.STOPPED, "usage limit", True),
        (None, Status.STOPPED, "API error 529", True),
        (None, Status.INTERRUPTED, None, True),
        (None, Status.FAILED, "error during execution", True),
        (None, Status.FAILED, "turn limit", False),
        (None, Status.OK, None, False),
        (None, Status.UNKNOWN, None, False),
    ],
)
def test_a_run_is_lost_if_an_error_left_it_without_a_verdict(
    outcome: Outcome | None, status: Status, detail: str | None, lost: bool
) -> None:
    assert is_lost(run(0, outcome, status, detail)) is lost


def test_both_countings_are_written_where_runs_are_lost() -> None:
    runs = [run(n, Outcome.PASS) for n in range(4)]
    lost = [run(n, None, Status.STOPPED, "usage limit") for n in range(4, 16)]
    unjudged = [run(20, None)]
    found = success([*runs, *lost, *unjudged])
    assert counts(found) == "4 of 4 judged; 4 of 16 counting 12 errors"
    assert (found.rate, found.cautious_rate, found.without_verdict) == (1.0, 0.25, 1)
    assert counts(success([*runs, *unjudged])) == "4 of 4"
    assert success(map(other_counting, [*runs, *lost])).rate == 0.25
    assert len(lost_runs([*runs, *lost])) == 12 and not lost_runs(lost), (
        "nothing is lost where nothing is judged"
    )


@pytest.mark.parametrize(("outcome", "said"), [(None, "2 cut short"), (Outcome.PASS, "3 errors")])
def test_the_leaderboard_speaks_of_errors_only_where_runs_are_judged(
    outcome: Outcome | None, said: str
) -> None:
    ended = [
        run(1, None, Status.INTERRUPTED),
        run(2, None, Status.STOPPED, "usage limit"),
        run(3, None, Status.FAILED, "error during execution"),
    ]
    others = [entry(n, model=SONNET, name="task 1", outcome=outcome) for n in range(10, 12)]
    table = board([run(0, outcome), *ended, *others], Question.TASKS_LIKE_THESE)
    assert table is not None
    texts = [str(row) for row in leaderboard_view(table).rows]
    assert sum(said in text for text in texts) == 1, texts


def test_a_limit_of_its_own_is_a_failure_where_others_have_outcomes() -> None:
    at_limit = run(1, None, Status.FAILED, "turn limit")
    judged, counted = with_limits([run(0, Outcome.PASS), at_limit])
    assert (judged.outcome, counted.outcome, counted.note) == (
        Outcome.PASS,
        Outcome.FAIL,
        "Ended at its turn limit",
    )
    assert with_limits([at_limit]) == [at_limit]
    stated = replace(at_limit, outcome=Outcome.PASS)
    assert with_limits([stated]) == [stated]


def test_a_difference_is_clear_by_both_countings_only() -> None:
    """One side lost what it would have failed."""
    a = [
        replace(run(n, Outcome.PASS if n % 10 < 2 else Outcome.FAIL), model=SONNET)
        for n in range(20)
    ]
    b = [
        replace(run(n + 30, Outcome.PASS if n % 10 < 2 else Outcome.FAIL), id=f"b{n}")
        for n in range(20)
    ]
    passing = [replace(each, outcome=Outcome.PASS) for each in b]
    lost = [
        each if n % 4 else replace(each, outcome=Outcome.ERROR) for n, each in enumerate(passing)
    ]
    all_lost = [
        each if n % 10 < 2 else replace(each, outcome=Outcome.ERROR)
        for n, each in enumerate(passing)
    ]
    kinds = [
        compare(a, side, Dimension.MODEL).contrasts[Measure.SUCCESS]
        for side in (b, passing, lost, all_lost)
    ]
    assert [each.effect for each in kinds] == [
        Effect.LEVEL,
        Effect.HIGHER,
        Effect.HIGHER,
        Effect.TOO_FEW,
    ]
    assert [each.other is not None for each in kinds] == [False, False, True, True]


@pytest.mark.parametrize(
    ("runs", "unreadable", "verdict"),
    [
        ([run(n, Outcome.FAIL) for n in range(9)], 0, GateVerdict.PASSED),
        ([*(run(n, Outcome.FAIL) for n in range(9)), run(9, Outcome.ERROR)], 0, GateVerdict.PASSED),
        (
            [*(run(n, Outcome.FAIL) for n in range(8)), run(9, None, Status.INTERRUPTED)],
            0,
            GateVerdict.FAILED,
        ),
        ([*(run(n, Outcome.FAIL) for n in range(8)), run(9, None)], 0, GateVerdict.PASSED),
        ([run(n, Outcome.FAIL) for n in range(8)], 1, GateVerdict.INCOMPLETE),
        (
            [*(run(n, Outcome.FAIL) for n in range(8)), run(9, None, Status.UNKNOWN)],
            0,
            GateVerdict.INCOMPLETE,
        ),
        ([run(9, None)], 0, GateVerdict.INCOMPLETE),
    ],
)
def test_the_gate_on_valid_runs(runs: list[Entry], unreadable: int, verdict: GateVerdict) -> None:
    limits = {"valid_share": MeasureLimits(min=0.9)}
    (result,) = evaluate(limits, runs, {}, [], unreadable=unreadable)
    assert result.verdict is verdict, result.why


SETTINGS = """\
inputs: [{path: runs, pattern: '{task}.json'}]
outcomes: [verdicts.csv]
verdicts: {tests: {column: tests, pass: [green], main: true%s}}
"""
ROWS = "task,tests\na,green\nb,red\nc,\nd,error\n"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("", {"a": "pass", "b": "fail", "c": None, "d": "fail", "e": None, "f": None}),
        (
            ", unknown: fail",
            {"a": "pass", "b": "fail", "c": "fail", "d": "fail", "e": None, "f": "fail"},
        ),
    ],
)
def test_a_rule_lets_untested_and_lost_runs_fail(
    tmp_path: Path, rule: str, expected: dict[str, str | None]
) -> None:
    """A completed run that no row names (e) stays without a verdict; f was stopped by an error."""
    (tmp_path / "runs").mkdir()
    for number, task in enumerate("abcdef"):
        result = {
            "type": "result",
            "subtype": "error_during_execution" if task == "f" else "success",
            "is_error": task == "f",
            "num_turns": 5,
            "duration_ms": 1000,
            "result": "Done.",
            "session_id": f"{number:08}-0000-4000-8000-000000000000",
            "total_cost_usd": 0.5,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }
        (tmp_path / "runs" / f"{task}.json").write_text(json.dumps(result), encoding="utf-8")
    (tmp_path / "verdicts.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(SETTINGS % rule, encoding="utf-8")
    entries = collect(load(tmp_path / "config.yaml"), Redactor(), lambda _, items: items).entries
    assert {each.task: each.outcome and each.outcome.value for each in entries} == expected
    found = success(entries)
    assert counts(found) == (
        "1 of 3 judged; 1 of 5 counting 2 errors"
        if rule
        else "1 of 3 judged; 1 of 4 counting 1 error"
    )


def test_consistency_is_of_pairs_of_attempts() -> None:
    outcomes = [Outcome.PASS, Outcome.PASS, Outcome.FAIL]
    runs = [replace(run(n, outcome), task="x") for n, outcome in enumerate(outcomes)]
    runs += [replace(run(n, Outcome.FAIL), task="y") for n in (10, 11)]
    assert consistency(runs[:1]) is None
    found = consistency([*runs, replace(run(20, Outcome.PASS), task="single")])
    assert found is not None
    assert (found.tasks, found.both) == (2, 1)
    assert found.same_share == pytest.approx((1 / 3 + 1) / 2)
    assert Config().control == {}
