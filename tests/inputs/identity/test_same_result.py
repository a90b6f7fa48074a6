"""A file with nothing but results of another one is that file again, and no other is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs.identity.same_result import (
    add_copies,
    facts_from_path,
    merge,
    most_complete_first,
)
from sitegen.model import BEGINNING, Caveat, Entry, ModelUsage, ResultKey, Run, Status, Verdict
from tests.inputs.identity.runs import entry, ids, run, steps, tokens


def key(uuid: str, cost: float = 0.1, wall_ms: int = 1000, turns: int = 3) -> ResultKey:
    return ResultKey(uuid, cost, wall_ms, turns)


def with_results(path: str, *results: ResultKey) -> Entry:
    return entry(path, run(results=results))


def begun(path: str, total: int, status: Status = Status.OK) -> Entry:
    """A run that is known by its beginning alone."""
    ledger = (ModelUsage("m", tokens(total)),)
    first = ResultKey(f"{BEGINNING}x", None, None, None)
    return entry(path, run(results=(first,), ledger=ledger, status=status, is_stated=True))


@pytest.mark.parametrize("turned", [False, True])
def test_a_file_with_some_of_the_results_is_in_the_whole_one(turned: bool) -> None:
    files = [with_results("part", key("a")), with_results("whole", key("a"), key("b"))]
    kept, problems = merge(files[::-1] if turned else files)
    assert ids(kept) == ["whole"]
    assert [(each.path, each.page_id, each.verdict) for each in problems] == [
        ("part", "whole", Verdict.MERGE)
    ]
    assert [source.path for source in kept[0].stated_in] == ["part"]


@pytest.mark.parametrize("other", [key("a", cost=0.2), key("a", wall_ms=1001), key("a", turns=4)])
def test_a_result_with_an_id_of_another_one_and_other_figures_is_shown_and_reports_it(
    other: ResultKey,
) -> None:
    kept, problems = merge([with_results("1", key("a")), with_results("2", other)])
    assert (ids(kept), problems) == (["1", "2"], [])
    first, second = (each.run.caveats for each in kept)
    assert [caveat.code for caveat in (*first, *second)] == ["W_UUID", "W_UUID"]
    assert first[0].text.startswith("2 has") and second[0].text.startswith("1 has")


def test_files_with_other_results_have_nothing_to_do_with_each_other() -> None:
    kept, problems = merge([with_results("1", key("a")), with_results("2", key("b"))])
    assert (ids(kept), problems) == (["1", "2"], [])
    assert not any(each.run.caveats for each in kept)


def test_without_results_equal_bytes_are_one_run() -> None:
    same = [entry("1"), entry("2"), entry("3")]
    first, second, third = same
    kept, _ = merge([first, _with_digest(second, first.digest), third])
    assert ids(kept) == ["1", "3"]
    in_one_file = [first, _with_digest(entry("2", number=1), first.digest)]
    assert len(merge(in_one_file)[0]) == 2, "another place in the same bytes"


def test_equal_bytes_in_two_folders_of_runs_are_two_runs() -> None:
    of_folder: Run = run(folder="harbor")
    first, second = (entry(f"{folder}/result.json", of_folder) for folder in "ab")
    assert len(merge([first, _with_digest(second, first.digest)])[0]) == 2


@pytest.mark.parametrize(
    ("total", "status", "count"),
    [(10, Status.OK, 1), (9, Status.OK, 2), (9, Status.INTERRUPTED, 1)],
)
def test_a_beginning_alone_is_the_same_run_unless_it_ended_with_another_sum(
    total: int, status: Status, count: int
) -> None:
    assert len(merge([begun("whole", 10), begun("other", total, status)])[0]) == count


def test_runs_are_in_natural_order_of_their_paths_then_of_their_place() -> None:
    files = [entry("10"), entry("2", number=1), entry("2", number=0)]
    kept, _ = merge(files)
    assert [(each.source.path, each.number) for each in kept] == [("2", 0), ("2", 1), ("10", 0)]


def test_a_copy_gives_what_its_path_states() -> None:
    shown = entry("whole")
    copies = [shown, entry("plain"), entry("b", labels=("x",), model="M"), entry("c", task="t")]
    merged = add_copies(shown, copies)
    assert (merged.labels, merged.model, merged.task) == (("x",), "M", None)
    assert [source.path for source in merged.stated_in] == ["plain", "b", "c"]
    assert add_copies(shown, [shown]) is shown


def _with_digest(of: Entry, digest: str) -> Entry:
    return replace(of, digest=digest)


def test_the_model_of_the_run_that_is_shown_counts_before_that_of_a_copy() -> None:
    shown = entry("whole", model="own", labels=("a",))
    merged = add_copies(shown, [entry("b", labels=("x",), model="M"), shown])
    assert (merged.model, merged.labels) == ("own", ("x",))
    later = add_copies(shown, [shown, entry("b", labels=("x",), model="M")])
    assert later.labels == ("a",), "the first that states something"


def test_a_task_that_only_the_file_states_is_not_of_the_path() -> None:
    of_file = run(task="t", attempt=2)
    assert facts_from_path(entry("a", of_file, task="t", attempt=2)) == {}
    assert facts_from_path(entry("a", of_file, task="u", attempt=3)) == {"task": "u", "attempt": 3}


def test_the_file_with_most_of_a_run_comes_first() -> None:
    ledger = (ModelUsage("m", tokens(5)),)
    ordered = [
        entry("g", run(results=(key("a"),))),
        entry("f", run(ledger=ledger)),
        entry("e", run(steps=steps(2))),
        entry("d", size=9),
        entry("c"),
        entry("h"),
        entry("a", run(caveats=(Caveat("W_X", "x"),)), size=9),
    ]
    assert sorted([*ordered[3:], *ordered[:3]], key=most_complete_first) == ordered
