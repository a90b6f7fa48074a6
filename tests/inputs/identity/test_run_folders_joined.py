"""The run that the files of one folder make: which of them is shown, and what it takes from the others."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from sitegen.inputs.identity.run_folders import Joined, joined
from sitegen.model import Entry, ModelUsage, Outcome, Problem, Run, Score, Status, Verdict
from sitegen.readers.folders import RunFolder
from tests.inputs.identity.runs import entry, ids, run, steps, tokens

KIND = RunFolder("k", r"result\.json|task\.json", r".*\.jsonl", r"notes\.txt")
PASSED: dict[str, Any] = {"outcome": Outcome.PASS, "scores": (Score("s", 1.0),)}


def result(path: str, digest: str = "", **known: Any) -> Entry:
    """Return the record of the program that ran the agent; fields of the run are in `run__x`."""
    of_run = {name[5:]: known.pop(name) for name in list(known) if name.startswith("run__")}
    made = entry(path, run(folder="k", **of_run), **known)
    return replace(made, digest=digest or path)


def record(path: str, count: int = 1, **known: Any) -> Entry:
    """Return the record that the agent wrote itself."""
    return entry(path, run(steps=steps(count), **known))


def refresh(made: Entry, of: Run) -> Entry:
    return replace(made, run=of)


def put_together(
    *entries: Entry, problems: tuple[Problem, ...] = (), kind: RunFolder = KIND
) -> Joined:
    return joined(entries, {"k": kind}, problems, (), refresh=refresh)


def problem(path: str, code: str, verdict: Verdict, page_id: str | None = None) -> Problem:
    return Problem(path, code, verdict, "r", page_id=page_id)


@pytest.mark.parametrize(
    ("told", "is_usual"),
    [
        (problem("a/x.jsonl", "E_EMPTY", Verdict.SKIP), True),
        (problem("a/x.jsonl", "E_READ", Verdict.SKIP), False),
        (problem("a/notes.txt", "E_READ", Verdict.SKIP), True),
        (problem("a/other.txt", "E_EMPTY", Verdict.SKIP), False),
        (problem("b/notes.txt", "E_READ", Verdict.SKIP), False),
        (problem("a/notes.txt", "W_TYPE", Verdict.MERGE, "a/x.jsonl"), False),
        (problem("a/notes.txt", "W_DUPLICATE", Verdict.ACCEPT, "a/x.jsonl"), False),
        (problem("a/notes.txt", "W_DUPLICATE", Verdict.MERGE), False),
        (problem("a/notes.txt", "W_DUPLICATE", Verdict.MERGE, "a/result.json"), True),
        (problem("a/notes.txt", "W_DUPLICATE", Verdict.MERGE, "a/x.jsonl"), True),
        (problem("a/notes.txt", "W_DUPLICATE", Verdict.MERGE, "b/y.jsonl"), False),
        (problem("a/y.jsonl", "W_DUPLICATE", Verdict.MERGE, "b/y.jsonl"), True),
        (problem("z/y.jsonl", "W_DUPLICATE", Verdict.MERGE, "b/y.jsonl"), False),
        (problem("a/y.jsonl", "W_DUPLICATE", Verdict.ACCEPT, "b/y.jsonl"), False),
    ],
)
def test_what_such_folders_always_have_is_no_problem(told: Problem, *, is_usual: bool) -> None:
    entries = result("a/result.json"), record("a/x.jsonl"), record("b/y.jsonl")
    assert len(put_together(*entries, problems=(told,)).problems) == (not is_usual)


def test_the_record_that_says_most_is_shown_with_what_the_result_says() -> None:
    said = result("a/result.json", run__task="t", task="t", **PASSED)
    said = replace(said, run=replace(said.run, **PASSED, attempt=2), model="M", campaign="May")
    said = replace(said, factors=(("arm", "of result"), ("skill", "x")))
    shown = replace(record("a/x.jsonl", 9), factors=(("arm", "own"),))
    (made,) = put_together(said, record("a/y.jsonl", 2), shown).entries
    assert (made.id, made.task, made.model, made.campaign) == ("a/x.jsonl", "t", "M", "May")
    assert (made.outcome, made.scores) == (Outcome.PASS, (Score("s", 1.0),))
    assert (made.attempt, dict(made.factors)) == (2, {"arm": "own", "skill": "x"})
    assert [source.path for source in made.stated_in] == ["a/result.json"]
    own = replace(shown, model="Own", campaign="June", attempt=7)
    (kept,) = put_together(said, own).entries
    assert (kept.model, kept.campaign, kept.attempt) == ("Own", "June", 7)


def test_the_task_of_the_file_that_names_it_counts() -> None:
    said = [result(f"a/{name}.json", task=name, run__task=name) for name in ("result", "task")]
    assert put_together(*said).entries[0].task == "result"
    named = KIND._replace(names_task="task.json")
    assert put_together(*said, kind=named).entries[0].task == "task"


def test_a_folder_with_the_bytes_of_another_is_a_copy_unless_it_has_a_record() -> None:
    alike = [result(f"{folder}/result.json", "same") for folder in "ab"]
    made = put_together(*alike)
    assert ids(made.entries) == ["a/result.json"]
    assert [(each.path, each.page_id) for each in made.problems] == [
        ("b/result.json", "a/result.json")
    ]
    assert made.problems[0].reason == (
        "Its folder is a copy of that of a/result.json, which is shown; it is counted once."
    )
    both = put_together(*alike, record("a/x.jsonl"), record("b/y.jsonl"))
    assert (ids(both.entries), both.problems) == (["a/x.jsonl", "b/y.jsonl"], [])
    second = put_together(*alike, record("b/y.jsonl"))
    assert ids(second.entries) == ["b/y.jsonl"], "a folder with a record comes first"
    other = put_together(alike[0], result("b/result.json", "other"))
    assert ids(other.entries) == ["a/result.json", "b/result.json"]


def test_a_record_that_breaks_off_is_not_the_one_that_is_shown() -> None:
    cut = replace(record("a/x.jsonl"), run=run(steps=steps(9, calls=1)))
    ledger = (ModelUsage("m", tokens(100)),)
    whole = entry("a/y.jsonl", run(steps=steps(2, calls=5), is_converted=True, ledger=ledger))
    short = replace(cut, run=replace(cut.run, ledger=(ModelUsage("m", tokens(10)),)))
    assert ids(put_together(result("a/result.json"), short, whole).entries) == ["a/y.jsonl"]
    full = replace(cut, run=replace(cut.run, ledger=ledger))
    assert ids(put_together(result("a/result.json"), full, whole).entries) == ["a/x.jsonl"]


def test_runs_are_attempts_where_the_folder_says_so() -> None:
    said = [result(f"{n}/result.json", task="t", model="m") for n in (2, 10)]
    assert [made.attempt for made in put_together(*said).entries] == [None, None]
    counted = KIND._replace(counts_attempts=True)
    assert [made.attempt for made in put_together(*said, kind=counted).entries] == [1, 2]


@pytest.mark.parametrize(
    ("used", "outcome", "status"),
    [
        ({}, None, Status.FAILED),
        ({"wall_ms": 5}, Outcome.PASS, Status.OK),
        ({"ledger": (ModelUsage("m", tokens(3)),)}, Outcome.PASS, Status.OK),
    ],
)
def test_an_error_in_place_of_an_answer_is_one_where_nothing_was_used(
    used: dict[str, Any], outcome: Outcome | None, status: Status
) -> None:
    grader = result("a/result.json", **PASSED)
    grader = replace(grader, run=replace(grader.run, **PASSED, status=Status.UNKNOWN))
    answer = result("a/task.json", run__status=Status.FAILED)
    kind = KIND._replace(answers=re.compile(r"task\.json"))
    agent = replace(record("a/x.jsonl"), run=run(status=Status.OK, **used))
    (made,) = put_together(grader, answer, agent, record("a/y.jsonl"), kind=kind).entries
    assert (made.outcome, made.run.status) == (outcome, status)


def test_what_is_said_of_all_runs_fills_gaps_and_is_used() -> None:
    shared = result("summary.json", run__is_shared=True, run__task="of all", task="of all")
    named = result("a/result.json")
    made = put_together(shared, named)
    assert (ids(made.entries), made.entries[0].task) == (["a/result.json"], "of all")
    assert made.entries[0].run.task == "of all"
    by_pattern = put_together(shared, replace(named, task="of a pattern"))
    assert by_pattern.entries[0].task == "of a pattern"
    alone = put_together(shared)
    assert (alone.entries, alone.summaries) == ([], {"summary.json"})
    assert made.summaries == frozenset()


def test_a_result_that_lies_in_two_folders_is_of_both_unless_the_other_has_its_own() -> None:
    copy = problem("b/task.json", "W_DUPLICATE", Verdict.MERGE, "a/result.json")
    first, second = result("a/result.json", task="t"), result("b/result.json", task="u")
    both = put_together(first, second, problems=(copy,))
    assert ids(both.entries) == ["a/result.json", "b/result.json"]
    alone = put_together(first, record("b/y.jsonl"), problems=(copy,))
    assert ids(alone.entries) == ["b/y.jsonl"], "the folder that also has the record"
    assert alone.entries[0].task == "t"
