"""Results and streams of Cursor."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.cursor import CursorRun
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

INIT = {
    "type": "system",
    "subtype": "init",
    "apiKeySource": "login",
    "session_id": "cursor-1",
    "model": "moon-3",
}
END = {
    "type": "result",
    "subtype": "success",
    "request_id": "r1",
    "session_id": "cursor-1",
    "duration_ms": 900,
    "result": "All done.",
}


def said(kind: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"content": [{"type": "text", "text": text}]}, **fields}


def read(*records: dict[str, Any]) -> tuple[Run, list[Step]]:
    return told(CursorRun(), *records)


@pytest.mark.parametrize(
    "record",
    [
        INIT | {"tools": []},
        {key: value for key, value in INIT.items() if key != "apiKeySource"},
        INIT | {"type": "user"},
        INIT | {"subtype": "other"},
        END | {"num_turns": 1},
        {key: value for key, value in END.items() if key != "request_id"},
        END | {"type": "other"},
    ],
)
def test_what_is_of_other_programs_is_no_run(record: dict[str, Any]) -> None:
    reader = CursorRun()
    told(reader, record)
    assert not reader.is_known


def test_a_result_alone_is_a_run() -> None:
    run, found = read(END)
    assert (run.reader, run.session_id, run.wall_ms) == ("Cursor result", "cursor-1", 900)
    assert (run.status, run.texts.summary, found) == (Status.OK, "All done.", [])
    assert [caveat.text for caveat in run.caveats] == ["The run reports no tokens."]
    assert CursorRun().session_of(END) == "cursor-1"


def test_a_stream_has_prompts_thoughts_and_answers_in_pieces() -> None:
    run, found = read(
        INIT,
        said("user", "Mend it.", timestamp_ms=1_772_359_200_000),
        {"type": "thinking", "subtype": "delta", "text": "Fir"},
        {"type": "thinking", "subtype": "delta", "text": "st."},
        {"type": "thinking", "subtype": "completed", "text": "x"},
        said("assistant", "I "),
        said("assistant", "look."),
        said("assistant", "I look."),
        END,
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.THINKING, "First."),
        (StepKind.TEXT, "I look."),
    ]
    assert (run.reader, run.model, run.status) == ("Cursor stream", "moon-3", Status.OK)
    assert run.texts.summary == "I look."
    assert read(INIT)[0].status is Status.INTERRUPTED
    assert texts_of(read(INIT, said("assistant", "Last."))[1]) == [(StepKind.TEXT, "Last.")]


@pytest.mark.parametrize(
    ("end", "ended"),
    [
        ({"is_error": True, "result": "429"}, (Status.STOPPED, "usage limit")),
        ({"subtype": "error", "result": "odd"}, (Status.FAILED, "error")),
        ({"is_error": False}, (Status.OK, None)),
    ],
)
def test_the_result_says_how_it_ended(
    end: dict[str, Any], ended: tuple[Status, str | None]
) -> None:
    run, _ = read(INIT, END | end)
    assert (run.status, run.status_detail) == ended


def test_tokens_are_four_counts_that_do_not_overlap() -> None:
    usage = {
        "inputTokens": 10,
        "cacheReadTokens": 60,
        "cacheWriteTokens": 5,
        "outputTokens": 20,
    }
    end = END | {"usage": usage}
    run, _ = read(INIT, end)
    assert (kinds(run), run.caveats) == ((10, 5, 60, 20), ())
    assert kinds(read(INIT, end, said("user", "x"), end)[0]) == (10, 5, 60, 20)
    assert kinds(read(INIT, end, end | {"request_id": "r2"})[0]) == (20, 10, 120, 40)


def call(
    subtype: str, result: Any = None, name: str = "shellToolCall", **more: Any
) -> dict[str, Any]:
    inner = {"args": {"command": "make"}, **more} | ({} if result is None else {"result": result})
    held = {"note": "x", name: inner}
    return {"type": "tool_call", "subtype": subtype, "call_id": "c1", "tool_call": held}


@pytest.mark.parametrize(
    ("result", "text", "failed", "code", "denied"),
    [
        ({"success": {"stdout": "a", "stderr": "b", "exitCode": 0}}, "a\nb", False, 0, False),
        ({"success": {"stdout": "a", "exitCode": 2}}, "a", True, 2, False),
        ({"success": {"content": "a", "message": "b"}}, "a\nb", False, None, False),
        ({"success": {"files": ["é"]}}, '{"files": ["é"]}', False, None, False),
        ({"success": {}}, '{"success": {}}', False, None, False),
        ({"error": {"message": "x"}}, '{"error": {"message": "x"}}', True, None, False),
        ({"rejected": {}}, '{"rejected": {}}', True, None, True),
        ({"permissionDenied": {}}, '{"permissionDenied": {}}', True, None, True),
        ({}, "{}", False, None, False),
    ],
)
def test_a_call_has_its_result(
    result: dict[str, Any], text: str, failed: bool, code: int | None, denied: bool
) -> None:
    _, found = read(INIT, call("started"), call("completed", result))
    (one,) = calls(found)
    assert (one.name, one.target, one.result) == ("shellToolCall", "make", text)
    assert (one.failed, one.exit_code, one.denied) == (failed, code, denied)
    # A call of which only the end is told is one, too.
    assert [each.failed for each in calls(read(INIT, call("completed", result))[1])] == [failed]


def test_a_call_that_is_told_twice_counts_once() -> None:
    done = call("completed", {"success": {"stdout": "a"}})
    for records in ([call("started"), call("started")], [done, said("user", "x"), done]):
        assert len(calls(read(INIT, *records)[1])) == 1
    assert calls(read(INIT, call("started"))[1])[0].failed is None
    named = call("started", None, name="mcpToolCall") | {}
    named["tool_call"]["mcpToolCall"]["name"] = "find"
    assert calls(read(INIT, named)[1])[0].name == "find"


def test_a_long_result_is_cut() -> None:
    result = {"success": {"rows": ["x" * 200_000]}}
    (one,) = calls(read(INIT, call("completed", result))[1])
    assert one.result_bytes == 100_000
    assert len(json.dumps(result["success"])) > 100_000


def test_an_edit_has_the_lines_of_its_diff() -> None:
    done = {"success": {"diffString": "-old\n+new\n+more"}}
    (one,) = calls(read(INIT, call("completed", done, name="editToolCall"))[1])
    assert (one.lines_added, one.lines_removed) == (2, 1)


def test_work_after_a_result_is_not_ended() -> None:
    assert read(INIT, END, call("started"))[0].status is Status.INTERRUPTED
