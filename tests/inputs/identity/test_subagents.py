"""Records of subagents are in the run of their session."""

from __future__ import annotations

from dataclasses import replace

from sitegen.inputs.identity.subagents import MAX_LEVELS, attach
from sitegen.model import Entry
from tests.inputs.identity.runs import Reader, entry, ids, run, steps


def main_agent(path: str, session: str = "s", root: str | None = "line") -> Entry:
    return entry(path, run(session_id=session, root=root, steps=steps(2)))


def subagent(path: str, session: str = "s", root: str | None = "line", **known: object) -> Entry:
    known = {"agent_id": path, "steps": steps(1), **known}
    return entry(path, run(session_id=session, root=root, **known))


def lanes(kept: list[Entry]) -> dict[str, list[str]]:
    return {each.id: ids(each.lanes) for each in kept}


def test_a_subagent_is_a_lane_of_its_session() -> None:
    kept = attach([subagent("b"), main_agent("a"), subagent("c"), main_agent("d", "t")], Reader())
    assert lanes(kept) == {"a": ["b", "c"], "d": []}


def test_without_its_session_it_is_a_run() -> None:
    assert lanes(attach([subagent("b", "gone"), main_agent("a")], Reader())) == {"b": [], "a": []}


def test_records_of_other_agents_belong_to_sessions_of_such() -> None:
    kept = attach([main_agent("a"), subagent("b", root=None)], Reader())
    assert lanes(kept) == {"a": [], "b": []}


def test_of_two_records_of_one_subagent_a_file_of_its_own_counts() -> None:
    within = subagent("within", agent_id="x", locator="7", steps=steps(9))
    own = subagent("own", agent_id="x", steps=steps(1))
    assert lanes(attach([within, main_agent("a"), own], Reader())) == {"a": ["own"]}


def test_a_subagent_of_a_subagent_is_a_lane_of_the_session_at_the_top() -> None:
    levels = [subagent("l1", "top", None)]
    for level in range(2, MAX_LEVELS + 1):
        levels.append(subagent(f"l{level}", f"l{level - 1}", None))
    kept = attach([main_agent("a", "top", None), *levels], Reader())
    assert len(kept) == 1 and len(kept[0].lanes) == MAX_LEVELS


def test_subagents_that_name_each_other_are_runs() -> None:
    kept = attach([subagent("a", "b", None), subagent("b", "a", None)], Reader())
    assert ids(kept) == ["a", "b"]


def test_a_subagent_of_no_session_stays_a_run() -> None:
    unnamed = entry("x", run(agent_id="x", root="line"))
    assert ids(attach([unnamed], Reader())) == ["x"]
    orphan = entry("y", run(agent_id="y", session_id="s", root="line", steps=steps(2)))
    copy = entry("z", run(agent_id="y", session_id="s", root="line", steps=steps(1)))
    assert ids(attach([orphan, copy], Reader())) == ["y"], "of two records one counts"
    inner = replace(copy, run=replace(copy.run, locator="1", steps=steps(9)))
    assert ids(attach([inner, orphan], Reader())) == ["y"], "a file of its own"
