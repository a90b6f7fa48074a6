"""The calls of a run: results, failures, edits and their lines."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sitegen.readers.common import tool_log
from sitegen.readers.common.step_log import PendingCall, PendingStep
from sitegen.readers.common.tool_log import ToolLog, ToolResult, changed_in, lines_of
from sitegen.steps import StepKind, ToolKind, Trait

PATCH = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"


def log_of(*, has_edit_tools: bool = True, tells_commands: bool = True) -> ToolLog:
    return ToolLog(has_edit_tools=has_edit_tools, tells_commands=tells_commands)


def answered(
    log: ToolLog, name: str, given: dict[str, Any], text: str = "ok", **result: Any
) -> PendingCall:
    """Return a call that began at 1,000, with its result."""
    call = log.add_call(log.next_id(), name, given)
    step = PendingStep(StepKind.TOOL_CALL, 0, "", 1_000, None, None, "", result.pop("part", 0), 0)
    log.add_result(step, call, ToolResult(call.id, text, **result))
    return call


def test_a_call_is_counted_by_what_its_tool_does() -> None:
    log = log_of()
    call = log.add_call("c1", "Bash", {"command": "ls", "limit": 5})
    assert (call.id, call.name, call.tool, call.input_bytes) == ("c1", "Bash", ToolKind.RUN, 2)
    assert call.traits == 0 and log.counts.kinds[ToolKind.RUN]["calls"] == 1
    assert log.counts.is_asked("c1")
    called = log.counts.counts(steps=1, compactions=None, peak=None).called
    assert called
    assert log_of(tells_commands=False).add_call("c1", "Bash", {}).traits & Trait.UNSEEN


def test_ids_that_are_made_up_differ() -> None:
    log = log_of()
    assert [log.next_id(), log.next_id()] == ["#1", "#2"]


def test_a_result_says_how_long_a_call_took_and_whether_it_failed() -> None:
    log = log_of()
    call = answered(log, "Bash", {"command": "ls"}, "é", ms=3_500)
    assert (call.failed, call.denied, call.exit_code, call.result_bytes) == (False, False, None, 2)
    assert (call.result, call.answered_ms) == ("é", 3_500)
    counted = log.counts.kinds[ToolKind.RUN]
    assert (counted["answers"], counted["failures"], counted["milliseconds"]) == (1, 0, 2_500)
    call = answered(log, "Bash", {"command": "ls"}, failed=True, denied=True, size=70)
    assert (call.failed, call.denied, call.result_bytes, call.answered_ms) == (True, True, 70, None)
    assert (counted["answers"], counted["failures"], counted["milliseconds"]) == (2, 1, 2_500)


@pytest.mark.parametrize(
    ("stated", "code", "failed"),
    [
        (0, 0, False),
        (2, 2, True),
        (-1, -1, True),
        (2**31, None, False),
        (-(2**31) + 1, -(2**31) + 1, True),
        ("2", None, False),
        (True, None, False),
        (None, None, False),
        (re.match(r"exit (\d)", "exit 3"), 3, True),
        (re.match(r"exit (\d)", "exit 0"), 0, False),
    ],
)
def test_an_exit_code_is_a_number_that_programs_return(
    stated: object, code: int | None, failed: bool
) -> None:
    call = answered(log_of(), "Bash", {"command": "ls"}, exit_code=stated)
    assert (call.exit_code, call.failed) == (code, failed)


def test_an_edit_counts_its_file_and_its_lines() -> None:
    log = log_of()
    call = answered(log, "Edit", {"file_path": "/a.py"}, changes="+a\n+b\n-c", part=3)
    assert (call.lines, log.edits) == ((2, 1), {3: 1})
    assert (log.counts.files, log.counts.lines) == ({"/a.py"}, (2, 1))
    answered(log, "Edit", {"file_path": "/b.py"}, lines=(4, 0))
    assert (log.counts.files, log.counts.lines) == ({"/a.py", "/b.py"}, (6, 1))
    answered(log, "Edit", {"file_path": "/c.py"}, failed=True, changes="+a")
    assert log.counts.files == {"/a.py", "/b.py"} and sum(log.edits.values()) == 2
    answered(log, "Edit", {"file_path": "/d.py"})
    assert log.counts.lines is None


def test_a_result_may_name_the_files_that_were_edited() -> None:
    log = log_of()
    answered(log, "apply", {"file_path": "/a.py"}, paths={"/x.py", "/y.py"}, lines=(1, 1))
    assert log.counts.files == {"/x.py", "/y.py"}


def test_what_a_command_wrote_has_no_lines() -> None:
    log = log_of()
    call = answered(log, "Edit", {"command": "edit 1:2"})
    assert call.lines is None and log.counts.lines == (0, 0)
    answered(log, "Read", {"file_path": "/a.py"})
    assert sum(log.edits.values()) == 1


def test_a_command_that_fails_again_is_seen() -> None:
    log = log_of()
    calls = [
        answered(log, "Bash", {"command": command}, failed=failed)
        for command, failed in (("a", True), ("a", True), ("b", True), ("a", False))
    ]
    assert [bool(call.traits & Trait.FAILED_BEFORE) for call in calls] == [
        False,
        True,
        False,
        False,
    ]
    assert not answered(log, "Read", {"path": "a"}, failed=True).traits & Trait.FAILED_BEFORE


def test_equal_calls_have_equal_fingerprints() -> None:
    log = log_of()
    one, same, other = (answered(log, "Bash", {"command": "ls"}, text) for text in ("a", "a", "b"))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    tested = answered(log, "Bash", {"command": "pytest -q"}, "1 passed")
    assert tested.traits & Trait.PASSING
    edited = answered(log, "Edit", {"file_path": "/src/a.py"})
    assert edited.traits & Trait.CODE


def test_a_patch_shows_what_was_edited_where_no_call_says_so() -> None:
    log = log_of()
    for nothing in (None, "", "no patch"):
        log.add_patch(nothing)
    assert log.counts.files == set() and log.counts.lines == (0, 0)
    log.add_patch(PATCH)
    assert (log.counts.files, log.counts.lines) == ({"x.py"}, (2, 1))
    log.add_patch(PATCH)
    assert log.counts.lines == (2, 1)
    log = log_of()
    log.add_edit(set(), (5, 5))
    log.add_patch(PATCH)
    assert log.counts.lines == (2, 1)
    log = log_of()
    log.add_edit({"/a.py"}, (5, 5))
    log.add_patch(PATCH)
    assert (log.counts.files, log.counts.lines) == ({"/a.py"}, (5, 5))


def test_whether_another_tool_may_have_edited_is_known_of_the_format() -> None:
    for has_edit_tools, edited in ((True, ()), (False, None)):
        log = log_of(has_edit_tools=has_edit_tools)
        answered(log, "Read", {"file_path": "/a.py"})
        assert log.counts.counts(steps=1, compactions=None, peak=None).edited == edited


def test_a_result_that_comes_before_its_call_waits_for_it() -> None:
    log = log_of()
    taken: list[str] = []
    log.hold_result("c1", 5, lambda: taken.append("c1"))
    log.take_early_results()
    assert taken == [] and log.has_early_results
    log.add_call("c2", "Bash", {})
    log.take_early_results()
    assert taken == []
    log.add_call("c1", "Bash", {})
    log.take_early_results()
    log.take_early_results()
    assert taken == ["c1"] and not log.has_early_results and not log.counts.lacks_calls


def test_a_result_that_nobody_asked_for_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_log, "MAX_CHARACTERS", 10)
    monkeypatch.setattr(tool_log, "MAX_OPEN", 2)

    def held(*sizes: int, id_: str = "") -> ToolLog:
        log = log_of()
        for number, size in enumerate(sizes):
            log.hold_result(id_ or f"c{number}", size, list)
        return log

    assert not held(5, 5).counts.lacks_calls
    assert held(5, 6).counts.lacks_calls
    assert held(1, 1, 1).counts.lacks_calls
    assert held(1, 1, id_="same").counts.lacks_calls
    log = log_of()
    log.hold_result("", 1, list)
    assert log.counts.lacks_calls and not log.has_early_results
    log = log_of()
    log.add_call("c1", "Bash", {})
    log.hold_result("c1", 1, list)
    assert not log.counts.lacks_calls and not log.has_early_results


def test_results_that_were_taken_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_log, "MAX_CHARACTERS", 10)
    log = log_of()
    for number in range(5):
        log.hold_result(f"c{number}", 6, list)
        log.add_call(f"c{number}", "Bash", {})
        log.take_early_results()
    assert not log.counts.lacks_calls


def test_lines_are_those_after_the_signs() -> None:
    assert changed_in("--- a\n+++ b\n@@\n-x\n+y\n same\n+z") == "-x\n+y\n+z"
    assert changed_in(None) == "" == changed_in("")
    assert lines_of("-x\n+y\n+z") == (2, 1)
    assert lines_of("") is None
    assert lines_of("words") == (0, 0)
