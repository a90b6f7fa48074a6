"""Steps in the order in which they began, as soon as they are complete."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.model import Tokens
from sitegen.readers.common import step_log
from sitegen.readers.common.step_log import PendingCall, PendingStep, StepLog
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait

CALL, TEXT = StepKind.TOOL_CALL, StepKind.TEXT


def step(
    text: str, kind: StepKind = TEXT, *, place: int = 0, size: int | None = None
) -> PendingStep:
    length = len(text) if size is None else size
    return PendingStep(kind, place, text, 5, "m", "id", "", 0, length)


def call(
    name: str, fingerprint: int | None = None, *, place: int = 0, size: int = 1
) -> PendingStep:
    pending = step(name, CALL, place=place, size=size)
    pending.call = PendingCall(name, name, {}, "", ToolKind.READ, 0, 0, fingerprint=fingerprint)
    return pending


def log_of(*steps: PendingStep, usage_follows: bool = False) -> StepLog:
    log = StepLog(usage_follows=usage_follows)
    for pending in steps:
        log.add(pending)
        if pending.call is not None:
            log.open_call(pending.call.id, pending)
    return log


def ready(log: StepLog) -> list[str]:
    return [pending.text for pending in log.ready()]


def test_steps_come_in_the_order_in_which_they_began() -> None:
    log = log_of(step("a"), call("c"), step("b"))
    assert (log.count, ready(log)) == (3, ["a"])
    assert log.last is not None and log.last.text == "b" and log.last_kind is TEXT
    assert log.close_call("c").text == "c"
    assert ready(log) == ["c", "b"] and not log.open and not log.queue


def test_a_hook_is_not_the_last_step() -> None:
    log = log_of(step("a"), step("h", StepKind.HOOK))
    assert log.last is not None and log.last.text == "a"
    assert log.last_kind is StepKind.HOOK and not log.is_of_message
    assert log_of(step("a")).is_of_message


def test_compactions_are_counted() -> None:
    log = log_of(step("a"), step("", StepKind.COMPACTION), step("", StepKind.COMPACTION))
    assert log.compactions == 2


def test_usage_is_of_the_first_step_of_its_message() -> None:
    first, second = step("a"), step("b")
    log = log_of(step("p", StepKind.PROMPT), first, second, usage_follows=True)
    assert log.has_message and ready(log) == ["p"]
    log.add_usage(Tokens(7, output=2), 7, is_main=True)
    assert not log.has_message and ready(log) == ["a", "b"]
    assert (first.tokens, first.context) == (Tokens(7, output=2), 7)
    assert (second.tokens, second.context) == (None, None)
    assert log.context_peak == 7


def test_usage_without_a_step_is_of_the_next_one() -> None:
    log = log_of(usage_follows=True)
    log.add_usage(Tokens(1, 0, 0, 2, 0), 1, is_main=True)
    log.add_usage(Tokens(3, 0, 0, 4, 0), 3, is_main=True)
    following = step("a")
    log.add(following)
    assert following.tokens == Tokens(4, 0, 0, 6, 0) and following.context is None
    log.end_message()
    other = step("b")
    log.add(other)
    assert other.tokens is None
    plain = log_of()
    plain.add_usage(Tokens(1), 1, is_main=True)
    plain.add(following)
    assert following.tokens is None


def test_usage_of_a_message_in_parts_adds_up() -> None:
    first = step("a")
    log = log_of(first, usage_follows=True)
    first.tokens = Tokens(1, 0, 0, 1, 0)
    log.add_usage(Tokens(2, 0, 0, 2, 0), None, is_main=True)
    assert first.tokens == Tokens(3, 0, 0, 3, 0) and first.context is None


@pytest.mark.parametrize(
    ("sent", "is_main", "peak"), [(9, True, 9), (0, True, 5), (9, False, 5), (3, True, 5)]
)
def test_the_peak_is_that_of_the_main_agent(sent: int, is_main: bool, peak: int) -> None:
    log = log_of()
    log.add_usage(Tokens(5), 5, is_main=True)
    log.add_usage(Tokens(sent), sent, is_main=is_main)
    assert log.context_peak == peak


def test_few_steps_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_WAITING", 2)
    log = log_of(call("c"), step("a"), step("b"))
    # The call, which holds up the others, comes later.
    assert ready(log) == ["a", "b"] and log.open["c"].is_late
    log = log_of(call("c"), step("a"))
    assert ready(log) == [] and not log.open["c"].is_late
    log.add(step("b"))
    assert ready(log) == ["a", "b"]
    log.close_call("c")
    assert ready(log) == ["c"]


def test_little_text_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_CHARACTERS", 10)
    late = call("c", size=4)
    log = log_of(late, step("a" * 6))
    assert ready(log) == []
    log.grow(late, 1)
    assert late.size == 5 and ready(log) == ["a" * 6] and late.is_late


def test_steps_whose_usage_never_comes_hold_up_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_WAITING", 1)
    log = log_of(step("a"), step("b"), usage_follows=True)
    assert ready(log) == ["a"] and log.has_message
    log.add_usage(Tokens(1), 1, is_main=True)
    assert ready(log) == ["b"]


def test_of_calls_that_wait_the_oldest_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_OPEN", 2)
    log = log_of(call("a"), call("b"), call("c"))
    assert list(log.open) == ["b", "c"] and ready(log) == ["a"]
    monkeypatch.setattr(step_log, "MAX_OPEN", 9)
    monkeypatch.setattr(step_log, "MAX_CHARACTERS", 10)
    log = log_of(call("a", size=6), call("b", size=5))
    assert list(log.open) == ["b"]
    log.close_call("b")
    log = log_of(call("a", size=6), call("b", size=4))
    assert list(log.open) == ["a", "b"]
    assert list(log_of(call("a", size=60)).open) == ["a"]


def test_a_late_step_comes_when_its_call_is_answered() -> None:
    log = StepLog(usage_follows=False)
    late = call("task")
    log.add_late(late)
    log.open_call("task", late)
    log.add(step("a"))
    assert (log.count, ready(log)) == (2, ["a"])
    log.close_call("task")
    assert log.last is late and ready(log) == ["task"]


def test_at_the_end_come_all_that_wait_and_then_the_late_ones_by_their_places() -> None:
    log = log_of(step("a"), call("c"), step("b"))
    for name, place in (("late2", 9), ("late1", 3)):
        late = call(name, place=place)
        log.add_late(late)
        log.open_call(name, late)
    assert [pending.text for pending in log.rest()] == ["a", "c", "b", "late1", "late2"]


def test_a_call_like_the_one_before_is_a_repetition() -> None:
    first, again, other, unknown = call("a", 7), call("b", 7), call("c", 8), call("d")
    apart = call("e", 7)
    apart.lane = "subagent"
    log = log_of(first, again, other, unknown, apart)
    for name in "abcde":
        log.close_call(name)
    list(log.ready())
    traits = [
        pending.call.traits for pending in (first, again, other, unknown, apart) if pending.call
    ]
    assert traits == [0, Trait.REPEAT, 0, 0, 0]
    assert log.signals.has_calls


def test_a_step_is_built_with_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_TEXT", 4)
    pending = call("Bash")
    assert pending.call is not None
    pending.text, pending.starts, pending.tokens, pending.context = "é text", "lane", Tokens(3), 3
    pending.call = PendingCall(
        "c", "Bash", {"command": "git status"}, "git status", ToolKind.RUN, 10, Trait.TEST
    )
    pending.call.result, pending.call.changes, pending.call.lines = "done and more", "+a", (1, 2)
    pending.call.result_bytes, pending.call.failed, pending.call.exit_code = 13, True, 2
    pending.call.denied, pending.call.answered_ms = True, 9
    built = pending.built(3, contents=True)
    assert (built.number, built.kind, built.place, built.text_bytes) == (3, CALL, 0, 7)
    assert built.text.endswith("…") and len(built.text) <= 5
    assert (built.starts, built.at_ms, built.message_id, built.model) == ("lane", 5, "id", "m")
    assert (built.tokens, built.context_tokens) == (Tokens(3), 3)
    shown = built.call
    assert shown is not None and (shown.id, shown.name, shown.kind) == ("c", "Bash", ToolKind.RUN)
    assert (shown.target, shown.program) == ("git status", "git status")
    assert shown.result is not None and shown.result.endswith("…") and shown.changes == "+a"
    assert (shown.lines_added, shown.lines_removed, shown.traits) == (1, 2, Trait.TEST)
    assert (shown.result_bytes, shown.failed, shown.denied, shown.exit_code) == (13, True, True, 2)
    assert (shown.answered_ms, shown.input_bytes) == (9, 10)
    bare = pending.built(3, contents=False).call
    assert bare is not None and (bare.input, bare.result, bare.changes) == ("", None, "")
    pending.call.about, pending.call.lines = "a task", None
    again = pending.built(3, contents=False).call
    assert again is not None and again.target == "a task"
    assert (again.lines_added, again.lines_removed) == (None, None)
    assert step("plain").built(0, contents=True).call is None


def test_a_step_of_which_nothing_more_is_known_says_nothing_more() -> None:
    plain = PendingStep(TEXT, 4, "a", None, None, None, "", 0, 1)
    assert plain.built(2, contents=True) == Step(2, TEXT, 4, "a", 1)
    assert not (plain.awaits_result or plain.awaits_usage or plain.is_late)
    asked = PendingCall("c", "Read", {}, "", ToolKind.READ, 0, 0)
    shown = ToolCall("c", "Read", ToolKind.READ, "", input="{}")
    assert asked.built(contents=True) == shown
    assert asked.built(contents=False) == replace(shown, input="")
    assert asked.fingerprint is None
    fresh = log_of()
    assert (fresh.last, fresh.last_kind, fresh.context_peak) == (None, None, None)
    assert (fresh.count, fresh.compactions, fresh.has_message) == (0, 0, False)


def test_limits_are_those_of_the_documents() -> None:
    limits = (step_log.MAX_WAITING, step_log.MAX_CHARACTERS, step_log.MAX_OPEN, step_log.MAX_TEXT)
    assert limits == (500, 8_000_000, 2_000, 100_000)


def test_sizes_of_steps_that_went_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_log, "MAX_CHARACTERS", 10)
    log = log_of(call("a", size=6))
    log.close_call("a")
    assert ready(log) == ["a"]
    late = call("b", size=6)
    log.add(late)
    log.open_call("b", late)
    log.add(step("c" * 4))
    assert ready(log) == [] and list(log.open) == ["b"]
    late.is_late, log.count = False, 5
    log.add_late(call("d"))
    assert log.count == 6
    log = StepLog(usage_follows=False)
    for name in "xyz":
        pending = call(name, size=5)
        log.add(pending)
        log.open_call(name, pending)
        log.close_call(name)
    pending = call("w", size=6)
    log.open_call("w", pending)
    other = call("v", size=4)
    log.open_call("v", other)
    assert list(log.open) == ["w", "v"]
