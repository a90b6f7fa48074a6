"""Sessions of Pi and OpenClaw."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.builder import FilePlace
from sitegen.readers.pi import PiSession
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

HEAD = {
    "type": "session",
    "id": "pi-session-1",
    "timestamp": "2026-03-01T10:00:00Z",
    "modelId": "moon-3",
    "cwd": "/w",
    "provider": "luna",
    "version": 3,
}


def line(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:00:{number:02}Z"
    return {"type": kind, "id": f"l{number}", "timestamp": at, **fields}


def message(number: int, role: str, **fields: Any) -> dict[str, Any]:
    return line("message", number, message={"role": role, **fields})


def answer(number: int, *blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return message(number, "assistant", content=list(blocks), **{"stopReason": "stop", **fields})


def used(sent: int, read: int, written: int, output: int, **more: Any) -> dict[str, Any]:
    counts = {"input": sent, "cacheRead": read, "cacheWrite": written, "output": output}
    return {"usage": {**counts, **more}}


SAYS = {"type": "text", "text": "Done."}


def read(*records: dict[str, Any], name: str = "x") -> tuple[Run, list[Step]]:
    return told(PiSession(FilePlace(name)), *records)


def test_a_session_begins_with_its_header() -> None:
    run, _ = read(HEAD | {"thinkingLevel": "High"}, answer(1, SAYS, **used(1, 0, 0, 1)))
    assert (run.reader, run.session_id, run.started_at) == (
        "Pi session",
        "pi-session-1",
        "2026-03-01T10:00:00Z",
    )
    assert (run.model, run.effort, run.cwd) == ("moon-3", "high", "/w")
    fields = dict(run.texts.fields)
    assert fields == {
        "cwd": "/w",
        "provider": "luna",
        "format version": "3",
        "thinking level": "High",
        "records.session": "1",
        "records.message": "1",
    }
    assert read(HEAD)[0].status is Status.INTERRUPTED
    reader = PiSession(FilePlace())
    for bare in ({"type": "session", "id": "a"}, {"type": "session", "timestamp": "x"}):
        told(reader, bare, answer(1, SAYS))
    assert not reader.is_known
    assert (reader.session_of(HEAD), reader.session_of(answer(1))) == ("pi-session-1", None)
    assert reader.session_of({"type": "session", "id": "a"}) is None


@pytest.mark.parametrize(
    ("name", "custom", "reader"),
    [
        ("openclaw-session", "", "OpenClaw session"),
        ("x", "model-snapshot", "OpenClaw session"),
        ("x", "openclaw:meta", "OpenClaw session"),
        ("x", "other", "Pi session"),
    ],
)
def test_openclaw_is_known_by_the_name_of_its_file_or_its_lines(
    name: str, custom: str, reader: str
) -> None:
    assert read(HEAD, line("custom", 1, customType=custom), name=name)[0].reader == reader


def test_lines_become_steps() -> None:
    run, found = read(
        HEAD,
        message(1, "user", content=[{"type": "text", "text": "Mend it."}]),
        answer(2, {"type": "thinking", "thinking": "Hm."}, SAYS),
        message(3, "bashExecution", command="ls", output="a.py"),
        message(4, "custom", content="Noted."),
        message(5, "branchSummary", summary="Before."),
        line("compaction", 6, summary="Short."),
        line("branch_summary", 7, summary="Branch."),
        line("custom_message", 8, content="Told."),
        line("session_info", 9, name="Tide"),
        message(10, "odd"),
        line("message", 2, message={"role": "user", "content": "again"}),
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.THINKING, "Hm."),
        (StepKind.TEXT, "Done."),
        (StepKind.NOTICE, "ls\na.py"),
        (StepKind.NOTICE, "Noted."),
        (StepKind.NOTICE, "Before."),
        (StepKind.COMPACTION, "Short."),
        (StepKind.NOTICE, "Branch."),
        (StepKind.NOTICE, "Told."),
    ]
    assert (run.session_title, run.unknown, run.turns) == ("Tide", ("message.role odd",), 1)


def test_a_change_of_the_model_or_the_effort_is_that_of_what_comes_next() -> None:
    run, _ = read(
        HEAD,
        line("model_change", 1, modelId="sun-1"),
        line("thinking_level_change", 2, thinkingLevel="low"),
        answer(3, SAYS, **used(10, 0, 0, 1)),
        line("model_change", 4),
        answer(5, SAYS, model="star-2", **used(20, 0, 0, 1)),
    )
    assert {each.model: each.tokens.input for each in run.ledger} == {"sun-1": 10, "star-2": 20}
    assert run.effort == "low" and dict(run.texts.fields)["thinking level"] == "low"


@pytest.mark.parametrize(
    ("fields", "ended"),
    [
        ({}, (Status.OK, None)),
        ({"stopReason": "toolUse"}, (Status.INTERRUPTED, None)),
        ({"stopReason": "length"}, (Status.FAILED, "output limit")),
        ({"stopReason": "aborted"}, (Status.INTERRUPTED, "aborted")),
        ({"stopReason": "error", "errorMessage": "429"}, (Status.STOPPED, "usage limit")),
        ({"stopReason": "odd"}, (Status.UNKNOWN, None)),
    ],
)
def test_the_last_answer_says_how_it_ended(
    fields: dict[str, Any], ended: tuple[Status, str | None]
) -> None:
    run, _ = read(HEAD, answer(1, SAYS, **fields))
    assert (run.status, run.status_detail) == ended
    assert run.unknown == (("message.stopReason odd",) if fields.get("stopReason") == "odd" else ())
    prompt = message(2, "user", content="More.")
    assert read(HEAD, answer(1, SAYS, **fields), prompt)[0].status is Status.INTERRUPTED


def test_what_was_sent_does_not_include_the_cache() -> None:
    cost = {"total": 0.25}
    run, _ = read(
        HEAD,
        answer(1, SAYS, **used(10, 60, 5, 20, totalTokens=95, cost=cost)),
        answer(2, SAYS, **used(1, 0, 0, 2, cost=cost)),
    )
    assert (kinds(run), run.cost_usd) == ((11, 5, 60, 22), 0.5)
    assert (run.caveats, run.ledger_is_lower_bound) == ((), False)


def test_a_total_that_is_not_the_sum_is_said() -> None:
    run, _ = read(HEAD, answer(1, SAYS, **used(1_000, 60, 5, 20, totalTokens=1_084)))
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        ("W_CONTRADICTION", "A total of tokens is not the sum of its parts: 1,084 of 1,085.")
    ]


def test_an_answer_without_tokens_makes_a_lower_bound_unless_it_is_empty() -> None:
    whole = answer(1, SAYS, **used(10, 0, 0, 2, cost={"total": 0.5}))
    nothing = used(0, 0, 0, 0)
    run, _ = read(HEAD, whole, answer(2, SAYS, **nothing))
    assert (run.ledger_is_lower_bound, run.cost_usd) == (True, 0.5)
    assert run.cost_is_lower_bound
    run, _ = read(HEAD, whole, answer(2, **nothing))
    assert (run.ledger_is_lower_bound, run.cost_is_lower_bound) == (False, False)


@pytest.mark.parametrize("mark", ["parentSession", "branchedFrom"])
def test_a_session_that_was_forked_leaves_out_what_is_older(mark: str) -> None:
    head = HEAD | {mark: "p", "timestamp": "2026-03-01T10:00:05Z"}
    prompts = [message(number, "user", content=f"p{number}") for number in (4, 5, 6)]
    run, found = read(head, *prompts)
    assert [step.text for step in found] == ["p5", "p6"]
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        ("W_COPY", "It was forked: messages of the other session are left out.")
    ]
    assert len(read(head | {mark: None}, *prompts)[1]) == 3


CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}


@pytest.mark.parametrize(
    ("result", "failed", "code"),
    [
        ({"content": "ok"}, False, None),
        ({"content": "no", "isError": True}, True, None),
        ({"content": "ok", "details": {"exitCode": 0}}, False, 0),
        ({"content": "no", "details": {"exitCode": 2}}, True, 2),
        ({"content": "no\n\nCommand exited with code 3"}, True, 3),
        ({"content": "(Command exited with code 3)\n"}, True, 3),
        ({"content": "Command exited with code 3 and more"}, False, None),
        ({"content": "no", "details": {"status": "error"}}, True, None),
        ({"content": "no", "details": {"status": "failed"}}, True, None),
        ({"content": "ok", "details": {"status": "done"}}, False, None),
    ],
)
def test_a_call_has_its_result(result: dict[str, Any], failed: bool, code: int | None) -> None:
    _, found = read(HEAD, answer(1, CALL), message(4, "toolResult", toolCallId="c1", **result))
    (call,) = calls(found)
    assert (call.failed, call.exit_code) == (failed, code)
    assert (call.result, call.answered_ms) == (result["content"], 1_772_359_204_000)


def test_lines_of_an_edit_come_from_its_diff_without_their_numbers() -> None:
    edit = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": {"path": "a.py"}}
    diff = " 1 x\n- 2 old\n+ 2 new\n+ 3 more"
    result = message(2, "toolResult", toolCallId="c1", content="ok", details={"diff": diff})
    _, found = read(HEAD, answer(1, edit), result)
    (call,) = calls(found)
    assert (call.changes, call.lines_added, call.lines_removed) == ("-old\n+new\n+more", 2, 1)


def test_fields_that_nobody_knows_are_named() -> None:
    run, _ = read(HEAD, answer(1, SAYS, aura=1, **used(1, 0, 0, 1, glow=2)))
    assert run.unknown == ("message.aura", "usage.glow")
