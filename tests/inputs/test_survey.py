"""What is known of all runs: how many are lost, and what was passed over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs.discover import Discovery
from sitegen.inputs.survey import Facts, _passed_over
from sitegen.model import Problem, Verdict
from tests.collect import facts

MISSING = (("Fix-Login", "Codex", 1), ("fix-login", "Codex", 2), ("split-csv", "Codex", 1))


def survey(*unmatched: tuple[str, int | None], unreadable: int = 0) -> Facts:
    problems = [
        Problem(f"{number}.json", "E_TRUNCATED", Verdict.SKIP, "It is cut.")
        for number in range(unreadable)
    ]
    return Facts((facts.entry(),), problems=tuple(problems), missing=MISSING, unmatched=unmatched)


@pytest.mark.parametrize(
    ("unmatched", "lost"),
    [
        ([], 0),
        ([("fix-login", 1)], 1),
        ([("fix-login", 1), ("fix-login", 2)], 2),
        ([("fix-login", 3)], 0),
        ([("fix-login", None)], 1),
        ([("other", None)], 0),
        ([("other", 1)], 0),
    ],
    ids=str,
)
def test_a_planned_run_with_a_verdict_is_lost(
    unmatched: list[tuple[str, int | None]], lost: int
) -> None:
    assert survey(*unmatched).lost == lost


def test_a_row_may_be_about_a_file_that_could_not_be_read() -> None:
    assert survey(("fix-login", 1), unreadable=3).lost == 3
    assert survey(("fix-login", 1), ("fix-login", 2), unreadable=1).lost == 2


def test_a_file_counts_once_however_much_is_wrong_in_it() -> None:
    both = survey(unreadable=1)
    assert replace(both, problems=both.problems * 2).lost == 1


def test_files_that_could_not_be_read_belong_to_the_folder_of_their_campaign() -> None:
    problem = Problem("spring/1.json", "E_TRUNCATED", Verdict.SKIP, "It is cut.")
    survey = Facts((), problems=(problem,))
    assert survey.unreadable_in("spring") == {"spring/1.json"}
    assert survey.unreadable_in("spr") == frozenset()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"links": 1}, "To hide this line, add it to `ignore`."),
        ({"links": 1, "special_files": 1}, "To hide this line, add them to `ignore`."),
        (
            {"sites": 1},
            "1 folder in the inputs holds .sitegen.json, as a published site does, and was not read.",
        ),
        (
            {"sites": 2},
            "2 folders in the inputs hold .sitegen.json, as a published site does, and were not read.",
        ),
    ],
    ids=str,
)
def test_what_is_passed_over_is_said(found: dict[str, int], words: str) -> None:
    (sentence,) = _passed_over(Discovery((), (), (), **found))  # type: ignore[arg-type]
    assert words in sentence


def test_nothing_is_said_where_nothing_is_passed_over() -> None:
    assert list(_passed_over(Discovery((), (), ()))) == []
