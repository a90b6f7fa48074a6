"""Single rules of folders of runs: whose values count, which runs are attempts, and which record says most."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.inputs.identity import run_folders as module
from sitegen.inputs.identity.run_folders import without_end, without_verdict
from sitegen.model import Entry, Outcome, Score, Status, replace
from tests.inputs.identity.runs import entry, run, steps


def test_values_of_others_fill_gaps_and_the_first_counts() -> None:
    own = (("a", "1"),)
    others = [(("a", "2"), ("b", "2")), (("b", "3"), ("c", "3"))]
    assert dict(module._merged(own, others)) == {"a": "1", "b": "2", "c": "3"}
    assert module._merged((), []) == ()


def test_calls_of_all_records_of_a_run_are_put_together() -> None:
    counted = replace(steps(1), called=(3, 1))
    others = [
        entry("a", run(steps=replace(steps(1), called=(2, 3)))),
        entry("b", run(steps=steps(1))),
        entry("c"),
    ]
    made = module._with_calls(run(steps=counted), others)
    assert made.steps is not None and made.steps.called == (1, 2, 3)
    unknown = run(steps=steps(1))
    assert module._with_calls(unknown, others) is unknown
    assert module._with_calls(run(), others) == run()


def test_a_record_of_the_agent_with_most_steps_says_most() -> None:
    records = [
        entry("d", run(steps=steps(1))),
        entry("c", run(steps=steps(2))),
        entry("b", run(root="r", steps=steps(9))),
        entry("a", run(is_converted=True, steps=steps(9))),
        entry("e"),
        entry("f"),
    ]
    ordered = sorted(records, key=module._says)
    assert [each.id for each in ordered] == ["a", "b", "e", "f", "d", "c"]


def numbers(*runs: tuple[str, dict[str, Any]], counted: str = "") -> list[int | None]:
    """The attempts of runs of one task; those of `counted` are counted, all if empty."""
    entries = [
        entry(path, task=known.pop("task", "t"), model=known.pop("model", "m"), **known)
        for path, known in runs
    ]
    ids = set(counted.split()) or {each.id for each in entries}
    return [each.attempt for each in module._numbered(entries, ids)]


def test_runs_of_one_task_by_one_agent_and_model_are_attempts_in_their_order() -> None:
    assert numbers(("10", {}), ("9", {})) == [2, 1]
    assert numbers(("1", {})) == [None]
    assert numbers(("1", {}), ("2", {"task": "u"})) == [None, None]
    assert numbers(("1", {}), ("2", {"model": "n"})) == [None, None]
    assert numbers(("1", {}), ("2", {"campaign": "c"})) == [None, None]
    assert numbers(("1", {}), ("2", {}), ("3", {"attempt": 7})) == [1, 2, 7]
    assert numbers(("1", {"task": None}), ("2", {"task": None})) == [None, None]
    assert numbers(("1", {}), ("2", {}), ("3", {}), counted="2 3") == [None, 1, 2]


def test_a_run_without_its_verdict_or_its_end() -> None:
    scored: Entry = entry(
        "a",
        run(outcome=Outcome.PASS, scores=(Score("s", 1.0),), status_detail="limit"),
        outcome=Outcome.PASS,
        scores=(Score("s", 1.0),),
    )
    bare = without_verdict(scored)
    assert (bare.outcome, bare.scores, bare.run.outcome, bare.run.scores) == (None, (), None, ())
    assert bare.run.status is Status.OK
    endless = without_end(scored)
    assert (endless.run.status, endless.run.status_detail) == (Status.UNKNOWN, None)
    assert endless.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("path", "folders"),
    [("a/b/c/1.json", "a/b a"), ("a/1.json", "a"), ("1.json", ""), ("x/1.json", "")],
)
def test_the_nearest_known_folder_comes_first(path: str, folders: str) -> None:
    places: dict[str, Any] = {"a": "a", "a/b": "a/b"}
    assert " ".join(map(str, module._around(path, places))) == folders


@pytest.mark.parametrize(
    ("path", "workspace"),
    [
        ("w/task/with", "w"),
        ("task/with", ""),
        ("w/task/with/run-2", "w"),
        ("w/task/with/run-x", "w/task"),
        ("with", "with"),
    ],
)
def test_a_workspace_has_folders_of_tasks_and_arms(path: str, workspace: str) -> None:
    assert module._WORKSPACE.sub("", path) == workspace
