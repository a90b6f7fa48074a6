"""Problems as values: their order, and what is said of files that are the same run."""

from __future__ import annotations

from sitegen.inputs.reported import in_order, report_merged, report_same
from sitegen.model import Problem, Verdict
from tests.collect.facts import entry


def problem(path: str, code: str, reason: str, place: str | None = None) -> Problem:
    return Problem(path, code, Verdict.ACCEPT, reason, place)


def test_problems_are_in_the_order_of_path_line_code_and_reason() -> None:
    ordered = [
        problem("2.csv", "W_B", "b"),
        problem("2.csv", "W_B", "b", "line 2"),
        problem("2.csv", "W_A", "c", "line 10"),
        problem("2.csv", "W_B", "a", "line 10"),
        problem("2.csv", "W_B", "b", "line 10"),
        problem("10.csv", "W_A", "a"),
    ]
    assert list(map(in_order, ordered)) == sorted(map(in_order, ordered))


def test_a_copy_is_merged_into_the_page_of_the_run_that_is_shown() -> None:
    reported = report_same(entry("b.json"), entry("a.json"))
    assert reported == Problem(
        "b.json",
        "W_DUPLICATE",
        Verdict.MERGE,
        "The same run as a.json, which is shown; its cost is counted once.",
        page_id="a.json",
    )
    assert report_merged("c.json", "A part.", "page") == Problem(
        "c.json", "W_DUPLICATE", Verdict.MERGE, "A part.", page_id="page"
    )
