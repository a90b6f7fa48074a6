"""Answers that several files hold count once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs.identity.shared_answers import (
    count_once,
    drop_copies,
    group_by_answers,
    sent_by_session,
)
from sitegen.model import Entry, ModelUsage
from tests.inputs.identity.runs import Reader, entry, ids, run, steps, tokens


def session(path: str, *answers: int, **known: object) -> Entry:
    """A transcript with an answer in each step."""
    known = {"root": f"line of {path}", "session_id": path, **known}
    return entry(path, run(answers=answers, steps=steps(len(answers)), **known))


def test_the_file_with_most_steps_has_what_is_shared() -> None:
    files = [session("a", 1, 2), session("b", 1, 2, 3), session("c", 9)]
    kept, problems = drop_copies(files, Reader(*files), {})
    assert ids(kept) == ["b", "c"]
    assert [(each.path, each.page_id) for each in problems] == [("a", "b")]


def test_the_rest_of_a_fork_stays_and_notes_what_it_continues() -> None:
    files = [session("a", 1, 2, 3), session("b", 1, 2, 4)]
    kept, problems = drop_copies(files, Reader(*files), {})
    assert (ids(kept), problems) == (["a", "b"], [])
    fork = kept[1]
    assert (fork.run.answers, [source.path for source in fork.copied_from]) == ((4,), ["a"])
    assert [caveat.text for caveat in fork.run.caveats] == [
        "It continues a copy of a: 2 steps count there."
    ]


def test_a_chain_of_forks_is_one_group() -> None:
    files = [session("a", 1, 2), session("b", 2, 3), session("c", 3, 4), session("d", 5)]
    assert [ids(group) for group in group_by_answers(files)] == [["a", "b", "c"]]


def test_several_runs_of_one_file_are_no_group() -> None:
    runs = [session("a", 1), session("a", 1)]
    assert group_by_answers(runs) == []


def test_sessions_with_one_first_line_are_a_group_and_subagents_are_not() -> None:
    files = [session("a", root="line"), session("b", root="line")]
    assert [ids(group) for group in group_by_answers(files)] == [["a", "b"]]
    subagents = [session(path, root="line", agent_id=path) for path in "ab"]
    assert group_by_answers(subagents) == []


@pytest.mark.parametrize(("sent", "owner"), [(200, "short"), (150, "long"), (199, "short")])
def test_the_session_whose_result_sent_them_all_has_the_answers(sent: int, owner: str) -> None:
    """One that sent more than its result was resumed: the result is that of a later process."""
    ledger = (ModelUsage("m", tokens(200)),)
    files = [session("short", 1, ledger=ledger), session("long", 1, 2)]
    kept, _ = drop_copies(files, Reader(*files), {"short": sent})
    holder = next(each for each in kept if 1 in each.run.answers)
    assert holder.id == owner


def test_a_main_agent_has_answers_before_a_subagent_with_more_steps() -> None:
    files = [session("sub", 1, 2, 3, agent_id="x"), session("main", 1)]
    kept, _ = drop_copies(files, Reader(*files), {})
    assert {each.id: each.run.answers for each in kept} == {"sub": (2, 3), "main": (1,)}


def test_a_transcript_of_a_session_with_a_result_goes_into_that_whole() -> None:
    result = entry("result", run(session_id="s", is_stated=True, answers=(1, 2)))
    files = [session("t", 1, 2, session_id="s"), result]
    kept, problems = count_once(files, Reader(*files), sent_by_session(files))
    assert (ids(kept), problems) == (["t", "result"], [])
    assert kept[0].run.answers == (1, 2)


def test_a_result_keeps_its_answers_and_other_sessions_lose_them() -> None:
    result = entry("result", run(session_id="s", is_stated=True, answers=(1,)))
    files = [session("fork", 1, 2), result]
    kept, _ = count_once(files, Reader(*files), sent_by_session(files))
    assert {each.id: each.run.answers for each in kept} == {"fork": (2,), "result": (1,)}


def test_what_a_reader_gives_nothing_of_stays_as_it_was_read() -> None:
    files = [session("a", 1, 2, root=None), session("b", 1, root=None)]
    kept, problems = drop_copies(files, Reader(), {})
    assert (kept, problems) == (files, [])


def test_a_session_without_answers_is_read_beside_one_with_its_first_line() -> None:
    files = [session("a", root="line"), session("b", root="line"), session("c", root="line")]
    reader = Reader(*files)
    kept, problems = drop_copies(files, reader, {})
    assert (ids(kept), len(problems), reader.read) == (["a"], 2, ["a", "b", "c"])


def test_whole_copies_are_known_without_reading_and_a_fork_is_compared_with_all_before() -> None:
    whole = [session("a", 1, 2, 3), session("b", 1, 2), session("c", 3)]
    reader = Reader(*whole)
    assert (ids(drop_copies(whole, reader, {})[0]), reader.read) == (["a"], [])
    files = [*whole, session("d", 2, 4)]
    reader = Reader(*files)
    kept, _ = drop_copies(files, reader, {})
    assert {each.id: each.run.answers for each in kept} == {"a": (1, 2, 3), "d": (4,)}
    assert reader.read == ["a", "b", "d"]


def test_a_file_of_two_runs_is_read_again_where_one_of_them_has_something_new() -> None:
    first, second = session("b", 1, locator="1"), session("b", 2, 4, locator="2", root="other")
    files = [session("a", 1, 2, 3), replace(first, id="b1"), replace(second, id="b2")]
    kept, problems = drop_copies(files, Reader(*files), {})
    assert {each.id: each.run.answers for each in kept} == {"a": (1, 2, 3), "b2": (4,)}
    assert [problem.page_id for problem in problems] == ["a"]
