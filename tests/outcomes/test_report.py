"""Rows that do not count become problems: one by one, or in one line for a report."""

from __future__ import annotations

from sitegen.model import Problem, Verdict
from sitegen.outcomes.match import Matches
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.references import Doubt, References
from sitegen.outcomes.report import (
    MAX_LISTED,
    limit_problems,
    report,
    report_doubts,
    report_other_models,
    sum_up,
)
from sitegen.outcomes.rows import OutcomeTable, Row
from tests.collect.facts import entry
from tests.outcomes.sources import row

LOST = because(Why.NO_SUCH_NAME, column="id", name="x")


def verdict(file: str, task: str, line: int = 1) -> Row:
    return Row(file, line, task=task, is_report=True)


def test_one_line_tells_of_all_verdicts_of_a_report_that_count_for_nothing() -> None:
    rows = [verdict("r.json", task) for task in "abcde"]
    (problem,) = sum_up([(row, LOST) for row in rows[:4]], rows)
    said = "4 of 5 verdicts count for nothing, on a, b, c and 1 more. The first: No run has the id 'x'."
    assert (problem.path, problem.place, problem.reason) == ("r.json", "line 1", said)
    (problem,) = sum_up([(rows[0], LOST)], rows)
    assert problem.reason == LOST.sentence
    files = [verdict(f"logs/{number}/r.json", "a") for number in (1, 2)]
    (problem,) = sum_up([(row, LOST) for row in files], files)
    assert (problem.path, problem.place) == ("logs/", None)
    assert problem.reason.startswith("In 2 files, 2 of 2 verdicts count for nothing, on a. The")
    measured = [Row("m.json", 1, commit="0a1b2c3d", is_measurement=True)] * 2
    (problem,) = sum_up([(row, LOST) for row in measured], measured)
    assert problem.reason.startswith("2 of 2 measurements count for nothing, on 0a1b2c3d.")


def test_rows_of_a_table_are_reported_one_by_one() -> None:
    matches = Matches()
    matches.lost += [(row(3), LOST), (row(2), LOST), (verdict("r.json", "a"), LOST)]
    problems = list(report(OutcomeTable((), ()), matches, References(), []))
    assert [(each.path, each.place) for each in problems] == [
        ("o.csv", "line 2"),
        ("o.csv", "line 3"),
        ("r.json", "line 1"),
    ]
    assert {each.verdict for each in problems} == {Verdict.SKIP}


def test_measurements_that_differ_are_one_line_for_each_item_of_the_settings() -> None:
    run = entry("1.json")
    (one,) = report_doubts([Doubt(row(commit="0a1b2c3d"), "s 1 and 2", run)])
    assert one.reason == (
        "1 figure of 1 task differs from what ranks before it and counts, such as s 1 and 2 of 0a1b2c3d."
    )
    assert (one.verdict, one.page_id) == (Verdict.ACCEPT, "1.json")
    doubts = [Doubt(row(task=task), f"s of {task}") for task in "ab"]
    (both,) = report_doubts(doubts)
    assert both.reason == (
        "With the files beside it, 2 figures of 2 tasks differ from what ranks before it and counts, such as s of a "
        "of a."
    )
    assert len(list(report_doubts([*doubts, Doubt(row(task="a", reference="human"), "s")]))) == 2


def test_runs_that_are_compared_with_another_model_are_one_line() -> None:
    doubts = [Doubt(row(), "a, and human of b", entry(f"{number}.json")) for number in (1, 2)]
    (problem,) = report_other_models(doubts)
    assert problem.reason.startswith(
        "2 runs are compared with what was measured with another model"
    )
    assert (problem.page_id, problem.reason[-21:]) == ("1.json", "of a, and human of b.")
    (problem,) = report_other_models(doubts[:1])
    assert problem.reason.startswith("1 run is compared")
    assert not list(report_other_models([]))


def test_a_page_lists_the_first_problems_of_a_kind() -> None:
    def problem(line: int, code: str = "W_OUTCOME_ROW") -> Problem:
        return Problem("o.csv", code, Verdict.SKIP, "r", f"line {line}", "page")

    many = [problem(line) for line in range(MAX_LISTED + 2, 0, -1)]
    listed = list(limit_problems([*many, problem(1, "E_OUTCOMES")]))
    assert len(listed) == MAX_LISTED + 2
    assert [each.line for each in listed[:MAX_LISTED]] == list(range(1, MAX_LISTED + 1))
    rest = listed[MAX_LISTED]
    assert rest.reason == "And 2 more problems of this kind."
    assert rest.page_id is None
    assert list(limit_problems(many[2:])) == many[:1:-1]
