"""Runs that would share a page, and the pages of what is reported of parts of runs."""

from __future__ import annotations

import pytest

from sitegen.errors import PublishError
from sitegen.inputs.identity import move_to_pages, refuse_same_ids
from sitegen.model import Problem, Verdict, replace
from tests.inputs.identity.runs import entry


def test_problems_of_parts_are_on_the_page_of_their_run() -> None:
    run = entry("run", lanes=(entry("lane"),))
    pages = ("run", "lane", "gone", None)
    problems = [Problem("p", "W_X", Verdict.MERGE, "r", page_id=page) for page in pages]
    moved = move_to_pages(problems, [run, entry("other")])
    assert [problem.page_id for problem in moved] == ["run", "run", None, None]


def test_two_runs_with_one_page_are_refused() -> None:
    runs = [entry("a"), entry("b"), replace(entry("c"), id="a")]
    refuse_same_ids(runs[:2])
    refuse_same_ids([runs[0], runs[0]])
    with pytest.raises(PublishError) as refused:
        refuse_same_ids(runs)
    assert str(refused.value) == "a and c would share one page; rename one of them"
