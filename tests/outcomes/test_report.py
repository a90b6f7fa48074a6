"""Rows that do not count become problems: one by one, or in one line for a report."""

from __future__ import annotations

from dataclasses import replace

from sitegen.model import Problem, Verdict
from sitegen.outcomes.apply import Conflict
from sitegen.outcomes.match import Matches
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.references import Doubt, References
from sitegen.outcomes.report import (
    MAX_LISTED,
    limit_problems,
    name_tasks,
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
    top = [verdict(f"{number}.json", "a") for number in (1, 2)]
    (problem,) = sum_up([(row, LOST) for row in top], top)
    assert (problem.path, problem.reason[:11]) == ("./", "In 2 files,")
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


def test_lines_are_of_one_item_one_folder_and_one_kind_of_reason() -> None:
    other = because(Why.SEVERAL_RUNS, count=2, first="a", more="")
    lost = [
        (verdict("logs/1/r.json", "a"), LOST),
        (verdict("logs/2/r.json", "b"), LOST),
        (verdict("logs/1/r.json", "c"), other),
        (verdict("else/r.json", "d"), LOST),
        (replace(verdict("logs/1/r.json", "e"), input=1), LOST),
    ]
    rows = [row for row, _ in lost] + [verdict("logs/1/r.json", "f")]
    problems = list(sum_up(lost, rows))
    assert [(each.path, each.reason) for each in problems] == [
        (
            "logs/",
            "In 2 files, 2 of 4 verdicts count for nothing, on a and b. The first: No run has the id 'x'.",
        ),
        ("logs/1/r.json", other.sentence),
        ("else/r.json", LOST.sentence),
        ("logs/1/r.json", LOST.sentence),
    ]


def test_three_tasks_are_named_and_the_rest_is_counted() -> None:
    rows = [verdict("r.json", task) for task in ("a", "b", "c", "c", "d", "e")]
    lost = [(row, LOST) for row in rows]
    assert name_tasks(lost[:4]) == "a, b and c"
    assert name_tasks(lost) == "a, b, c and 2 more"


def test_a_page_lists_a_hundred_problems_of_a_kind() -> None:
    problems = [Problem("o.csv", "W_X", Verdict.SKIP, "r", f"line {n}") for n in range(1, 102)]
    assert len(list(limit_problems(problems[:100]))) == 100
    last = list(limit_problems(problems))[-1]
    assert (last.reason, last.place) == ("And 1 more problem of this kind.", "line 101")


def test_conflicts_have_the_page_of_their_run() -> None:
    reason = because(Why.SAID_TWICE, value="pass", run="1.json", line=2)
    conflict = Conflict(row(3), reason, entry("1.json"))
    (problem,) = report(OutcomeTable((), ()), Matches(), References(), [conflict])
    assert (problem.place, problem.page_id) == ("line 3", "1.json")
    assert problem.reason == "It says outcome pass of 1.json; line 2 says so already."
