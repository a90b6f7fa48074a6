"""Failures and edits are counted where a file shows them, and unknown where it could not have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run
from tests.support.agent_runs import read

META = {"type": "session_meta", "payload": {"id": "c-1", "timestamp": "2026-05-01T10:00:00Z"}}
PATCH = "*** Begin Patch\n*** Update File: src/tide.py\n@@\n-a\n+b\n*** Add File: src/moon.py\n+c\n*** End Patch\n"


def item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def ask(name: str, given: str, id_: str = "c", kind: str = "function_call") -> dict[str, Any]:
    return item(
        type=kind,
        name=name,
        call_id=id_,
        **{"input" if kind.startswith("custom") else "arguments": given},
    )


def answer(output: str, id_: str = "c", kind: str = "function_call_output") -> dict[str, Any]:
    return item(type=kind, call_id=id_, output=output)


def seen(*records: dict[str, Any]) -> tuple[int | None, int | None]:
    """Failed calls and edited files of a session of Codex."""
    run: Run = read(META, *records)
    assert run.steps is not None
    return run.steps.tool_failures, run.steps.files_edited


def test_what_was_seen_is_counted() -> None:
    command = ask("exec_command", '{"cmd": "make"}')
    assert seen(command, answer("Exit code: 0\nfine")) == (0, 0)
    assert seen(command, answer("Exit code: 2\nred")) == (1, 0)


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([ask("exec_command", '{"cmd": "make"}')], (None, 0)),
        ([ask("exec_command", '{"cmd": "make"}'), answer("fine", "another")], (None, None)),
        ([ask("frobnicate", "{}"), answer("fine")], (0, None)),
        ([ask("apply_patch", "{}"), answer("fine")], (0, None)),
        ([ask("apply_patch", "{}")], (None, None)),
        ([ask("update_plan", "{}"), answer("fine")], (0, 0)),
    ],
)
def test_what_could_not_have_been_seen_is_unknown(
    records: list[dict[str, Any]], expected: tuple[Any, Any]
) -> None:
    assert seen(*records) == expected


@pytest.mark.parametrize(
    "call",
    [
        ask("apply_patch", PATCH, kind="custom_tool_call"),
        ask("shell", json.dumps({"command": ["apply_patch", PATCH]})),
        ask("exec_command", json.dumps({"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF"})),
    ],
)
def test_patches_are_edits_whichever_tool_applies_them(call: dict[str, Any]) -> None:
    done = answer("Done", kind="custom_tool_call_output")
    assert seen(call, done) == (0, 2)
    assert seen(call, answer("Exit code: 1\nno")) == (1, 0)


def test_a_patch_that_only_an_event_tells_of_is_an_edit() -> None:
    def event(**more: Any) -> dict[str, Any]:
        return {"type": "event_msg", "payload": {"type": "patch_apply_end", **more}}

    code = ask("exec", "await tools.apply_patch(p)", kind="custom_tool_call")
    changes = {"src/a.py": {"type": "add", "content": "x\n"}}
    assert seen(code, event(call_id="inner", success=True, changes=changes)) == (None, 1)
    assert seen(code, event(success=True)) == (None, None)
    assert seen(code, event(call_id="inner", success=False, changes=changes)) == (None, 0)


def test_a_stream_without_exit_codes_does_not_say_that_no_command_failed() -> None:
    init = {"type": "init", "session_id": "g-1", "model": "gemini-3-pro"}

    def used(tool: str, status: str = "success") -> list[dict[str, Any]]:
        call = {
            "type": "tool_use",
            "tool_name": tool,
            "tool_id": tool,
            "parameters": {"file_path": "a"},
        }
        return [call, {"type": "tool_result", "tool_id": tool, "status": status, "output": ""}]

    def failures(*records: dict[str, Any]) -> int | None:
        run = read(init, *records)
        assert run.steps
        return run.steps.tool_failures

    assert failures(*used("read_file")) == 0
    assert failures(*used("run_shell_command")) is None
    assert failures(*used("run_shell_command"), *used("read_file", "error")) == 1
