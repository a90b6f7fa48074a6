"""The lines that a session copied from its parent."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.codex.copies import Meta, SessionCopies, SessionNames, meta_of
from sitegen.text.times import milliseconds_of

OLD, OWN = "01900000-0000-7000-8000-000000000001", "01910000-0000-7000-8000-000000000001"
LATER = "01920000-0000-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("payload", "meta"),
    [
        ({"id": "a"}, Meta("a", None, is_spawned=False)),
        ({"id": "a", "forked_from_id": "p"}, Meta("a", "p", is_spawned=False)),
        ({"id": "a", "parent_thread_id": "p"}, Meta("a", "p", is_spawned=True)),
        (
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}},
            Meta(None, "p", is_spawned=True),
        ),
    ],
)
def test_a_session_may_have_a_parent(payload: Any, meta: Meta) -> None:
    assert meta_of(payload) == meta


def meta(id_: str, **more: str) -> dict[str, Any]:
    return {"type": "session_meta", "payload": {"id": id_, **more}}


ANSWER = {"type": "response_item", "payload": {"type": "message", "role": "assistant"}}


@pytest.mark.parametrize(
    ("records", "names"),
    [
        ([meta(OWN), meta(OLD)], [OWN, None]),
        ([meta(OWN), meta(OWN)], [OWN, None]),
        ([meta(OWN), meta(LATER)], [OWN, LATER]),
        ([meta(OWN), ANSWER, meta(OLD)], [OWN, None, OLD]),
        ([meta(OWN, forked_from_id="p"), ANSWER, meta("p")], [OWN, None, None]),
        ([meta("a"), meta("b")], ["a", None]),
        ([meta("a"), ANSWER, meta("b")], ["a", None, "b"]),
        ([{"type": "event_msg"}], [None]),
    ],
)
def test_a_copied_first_line_begins_no_session(records: list[Any], names: list[str | None]) -> None:
    sessions = SessionNames()
    assert [sessions.session_of(record) for record in records] == names


def at(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": f"2026-01-01T00:00:{second:06.3f}Z", "payload": payload}


def decided(*records: dict[str, Any]) -> list[tuple[int, bool]]:
    """Return the places of the lines in the order in which it is decided about them, and whether they are copies."""
    copies = SessionCopies()
    began_ms = milliseconds_of("2026-01-01T00:00:00Z")
    copies.begin(Meta("s", "p", is_spawned=False), began_ms)
    copies.expect_copies()
    lines = []
    for place, record in enumerate(records):
        assert copies.is_undecided
        lines += list(copies.decide(record, place))
        if not copies.is_undecided:
            break
    lines += list(copies.rest())
    return [(line.place, line.is_copy) for line in lines]


TURN = at(0.1, "turn_context")
ASKED = at(0.1, "response_item", type="message", role="user")
SAID = at(0.1, "response_item", type="message", role="assistant")


def test_what_an_agent_said_in_the_first_instant_is_a_copy() -> None:
    assert decided(SAID, at(5, "event_msg")) == [(0, True), (1, False)]


def test_a_turn_without_an_answer_is_the_sessions_own() -> None:
    assert decided(TURN, ASKED, at(5, "event_msg")) == [(0, False), (1, False), (2, False)]
    assert decided(TURN, ASKED) == [(0, False), (1, False)]


def test_a_turn_that_is_answered_at_once_is_a_copy() -> None:
    lines = decided(TURN, ASKED, SAID, TURN, ASKED)
    assert lines == [(0, True), (1, True), (2, True), (3, False), (4, False)]


def test_another_turn_ends_the_one_before() -> None:
    started = at(0.1, "event_msg", type="task_started")
    assert decided(TURN, ASKED, TURN) == [(0, True), (1, True), (2, False)]
    assert decided(TURN, started, ASKED) == [(0, False), (1, False), (2, False)]


@pytest.mark.parametrize(
    ("record", "is_answer"),
    [
        (at(0.1, "event_msg", type="token_count"), True),
        (at(0.1, "event_msg", type="user_message"), False),
        (at(0.1, "response_item", type="function_call"), True),
        (at(0.1, "response_item", type="message", role="developer"), False),
        (at(0.1, "compacted"), True),
        (at(0.1, "other"), False),
    ],
)
def test_some_lines_only_a_model_can_have_caused(record: dict[str, Any], is_answer: bool) -> None:
    assert decided(TURN, record) == [(0, is_answer), (1, is_answer)]


def test_time_that_passes_slowly_is_still_the_first_instant() -> None:
    slow = [at(second / 10, "response_item", type="reasoning") for second in range(0, 24, 2)]
    assert all(is_copy for _, is_copy in decided(*slow))


def test_turns_with_times_tell_copies() -> None:
    copies = SessionCopies()
    copies.begin(Meta(OWN, OLD, is_spawned=False), 0)
    copies.expect_copies()
    assert copies.is_undecided
    copies.read_turn("turn")
    assert copies.is_undecided and not copies.is_copy
    copies.read_turn(OLD)
    assert copies.is_copy and not copies.is_undecided
    copies.read_turn(LATER)
    assert not copies.is_copy


def test_the_first_line_of_another_session_begins_a_copy() -> None:
    copies = SessionCopies()
    copies.begin(Meta("s", None, is_spawned=False), 5)
    copies.expect_copies()
    assert not copies.is_undecided
    copies.read_meta(Meta("s", None, is_spawned=False))
    assert not copies.is_copy
    copies.read_meta(Meta("p", None, is_spawned=False))
    assert copies.is_copy and copies.is_undecided
    late = SessionCopies()
    late.begin(Meta("s", "p", is_spawned=False), 5)
    late.has_own_usage = True
    late.expect_copies()
    assert not late.is_undecided
