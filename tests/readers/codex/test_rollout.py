"""Codex: what its runs used, did and said, counted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Status
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import calls, kinds, objects, read, real, steps

OLD, OWN = "01900000-0000-7000-8000-000000000001", "01910000-0000-7000-8000-000000000001"
LATER = "01920000-0000-7000-8000-000000000001"
START = {"type": "thread.started", "thread_id": OWN}
BEGIN = {"type": "turn.started"}


def item(kind: str, event: str = "completed", id_: str = "i1", **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {"id": id_, "type": kind, **fields}}


def done(sent: int, cached: int, output: int, **more: int) -> dict[str, Any]:
    usage = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": output, **more}
    return {"type": "turn.completed", "usage": usage}


@pytest.mark.parametrize(
    ("first", "second", "counted"),
    [
        ((1000, 500), (1200, 550), (1200, 550)),
        ((1000, 500), (1200, 50), (2200, 550)),
        ((1000, 500), (900, 600), (1900, 1100)),
        ((1000, 500), (1000, 500), (1000, 500)),
    ],
    ids=["both rise", "output falls", "input falls", "nothing changes"],
)
def test_a_total_of_which_any_count_falls_has_begun_again(
    first: tuple[int, int], second: tuple[int, int], counted: tuple[int, int]
) -> None:
    def count(number: int, sent: int, output: int) -> dict[str, Any]:
        total = {"input_tokens": sent, "cached_input_tokens": 0, "output_tokens": output}
        info = {"total_token_usage": {**total, "total_tokens": sent + output}}
        payload = {"type": "token_count", "info": info}
        moment = f"2026-03-02T10:00:0{number}Z"
        return {"timestamp": moment, "type": "event_msg", "payload": payload}

    meta = {"id": OWN, "timestamp": "2026-03-02T10:00:00Z", "cwd": "/src", "cli_version": "0.50.0"}
    head = {"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta", "payload": meta}
    tokens = read(head, count(1, *first), count(2, *second)).tokens
    assert (tokens.input, tokens.output) == counted


def test_real_sessions_have_the_last_of_their_running_totals(shared: Path) -> None:
    read_files = counted = 0
    for path, run, records in real(shared, "codex-rollout"):
        events = [record["payload"] for record in records if record["type"] == "event_msg"]
        infos = [
            event["info"]
            for event in events
            if event["type"] == "token_count" and event.get("info")
        ]
        if infos:
            total = infos[-1]["total_token_usage"]
            cached = total["cached_input_tokens"]
            assert kinds(run) == (
                total["input_tokens"] - cached,
                0,
                cached,
                total["output_tokens"],
            ), path
            assert run.steps and run.steps.context_peak_tokens == max(
                info["last_token_usage"]["input_tokens"] for info in infos
            )
            assert run.model == next(
                r["payload"]["model"] for r in reversed(records) if r["type"] == "turn_context"
            )
            counted += 1
        else:
            assert run.tokens.total is None
        started = sum(event["type"] == "task_started" for event in events)
        assert run.turns == (
            started or sum(event["type"] == "user_message" for event in events) or None
        ), path
        of_tools = ("function_call", "custom_tool_call", "web_search_call", "tool_search_call")
        asked = sum(
            record["payload"].get("type") in of_tools for record in records if "payload" in record
        )
        assert run.steps and run.steps.tool_calls == asked, path
        assert run.session_id == records[0]["payload"]["id"]
        read_files += 1
    assert (read_files, counted) == (16, 8)


def meta(id_: str = OWN, **fields: Any) -> dict[str, Any]:
    payload = {"id": id_, "timestamp": "2026-05-01T10:00:00Z", "cli_version": "0.150.0", **fields}
    return {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": payload}


def event(kind: str, second: int = 1, **fields: Any) -> dict[str, Any]:
    at = f"2026-05-01T10:{second // 60:02}:{second % 60:02}.000Z"
    return {"timestamp": at, "type": "event_msg", "payload": {"type": kind, **fields}}


def response(kind: str, second: int = 1, **fields: Any) -> dict[str, Any]:
    return {**event(kind, second, **fields), "type": "response_item"}


def turn(id_: str, model: str = "gpt-5.2-codex", second: int = 1) -> list[dict[str, Any]]:
    context = {"type": "turn_context", "payload": {"turn_id": id_, "model": model}}
    return [event("task_started", second, turn_id=id_), context]


def tokens(
    total: tuple[int, int, int], last: tuple[int, int, int] | None, second: int = 2
) -> dict[str, Any]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    info: dict[str, Any] = {"total_token_usage": dict(zip(names, total, strict=True))}
    if last:
        info["last_token_usage"] = dict(zip(names, last, strict=True))
    return event("token_count", second, info=info)


def test_a_running_total_counts_once_for_the_model_of_its_turn() -> None:
    run = read(
        meta(),
        *turn(OWN),
        tokens((100, 50, 10), (100, 50, 10)),
        tokens((100, 50, 10), (100, 50, 10)),
        *turn(LATER, "gpt-5.1"),
        tokens((250, 150, 40), (150, 100, 30)),
    )
    assert {line.model: line.tokens.output for line in run.ledger} == {
        "gpt-5.2-codex": 10,
        "gpt-5.1": 30,
    }
    assert kinds(run) == (100, 0, 150, 40)
    assert (run.turns, run.agent_version, run.started_at) == (2, "0.150.0", "2026-05-01T10:00:00Z")


PARENT = [
    meta(forked_from_id=OLD),
    meta(OLD),
    *turn(OLD),
    response(
        "message", role="assistant", content=[{"type": "output_text", "text": "Of the parent."}]
    ),
    tokens((1000, 900, 100), (1000, 900, 100)),
    event("task_complete", turn_id=OLD),
]


@pytest.mark.parametrize(
    "carried", [True, False], ids=["goes on with the parent's total", "begins at zero"]
)
@pytest.mark.parametrize("size", [300, 30_000], ids=["below the parent's total", "above it"])
def test_a_fork_counts_what_is_its_own(carried: bool, size: int) -> None:
    own = (size, 10, 7)
    total = (1000 + size, 910, 107) if carried else own
    grown = (total[0] + 50, total[1], total[2] + 1)
    run = read(*PARENT, *turn(LATER), tokens(total, own), tokens(grown, (50, 0, 1)))
    assert kinds(run) == (size - 10 + 50, 0, 10, 8)
    assert (run.turns, run.session_id, run.texts.summary) == (1, OWN, None)
    assert [caveat.code for caveat in run.caveats] == ["W_COPY"]


def test_a_total_that_begins_with_that_of_another_session_leaves_it_out() -> None:
    run = read(meta(), *turn(LATER), tokens((1100, 900, 110), (100, 0, 10)))
    assert kinds(run) == (100, 0, 0, 10)
    assert [caveat.code for caveat in run.caveats] == ["W_COPY"]


def test_a_total_that_falls_begins_anew() -> None:
    run = read(
        meta(), *turn(OWN), tokens((500, 0, 50), (500, 0, 50)), tokens((80, 0, 5), (80, 0, 5))
    )
    assert kinds(run) == (580, 0, 0, 55)


def test_a_session_has_its_steps_once_with_what_they_used() -> None:
    diff = {"type": "update", "unified_diff": "@@\n-x\n+y\n+z"}
    answer = json.dumps({"output": "ok", "metadata": {"exit_code": 0}})
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n+z\n*** End Patch"
    records = [
        meta(),
        *turn(OWN),
        response(
            "message",
            role="user",
            content=[{"type": "input_text", "text": "<environment_context>"}],
        ),
        response("message", role="user", content=[{"type": "input_text", "text": "Mend a.py"}]),
        event("user_message", message="Mend a.py"),
        response("reasoning", 2, summary=[]),
        response(
            "function_call",
            3,
            name="exec_command",
            call_id="c1",
            arguments=json.dumps({"cmd": "ls"}),
        ),
        response(
            "function_call_output",
            5,
            call_id="c1",
            output="Process exited with code 1\nOutput:\nno",
        ),
        tokens((100, 50, 10), (100, 50, 10), 5),
        response("custom_tool_call", 6, name="apply_patch", call_id="c2", input=patch),
        event("patch_apply_end", 7, call_id="c2", changes={"a.py": diff}),
        response("custom_tool_call_output", 7, call_id="c2", output=answer),
        response(
            "message", 8, role="assistant", content=[{"type": "output_text", "text": "Mended."}]
        ),
        event("agent_message", 8, message="Mended."),
        tokens((220, 150, 15), (120, 100, 5), 8),
        event("task_complete", 9, turn_id=OWN, duration_ms=8000),
    ]
    found = steps(*records)
    kinds_ = [
        StepKind.PROMPT,
        StepKind.THINKING,
        StepKind.TOOL_CALL,
        StepKind.TOOL_CALL,
        StepKind.TEXT,
    ]
    assert [step.kind for step in found] == kinds_
    assert [step.tokens and step.tokens.output for step in found] == [None, 10, None, 5, None]
    command, edit = calls(found)
    assert (command.kind, command.target, command.exit_code, command.failed) == (
        ToolKind.RUN,
        "ls",
        1,
        True,
    )
    assert (edit.kind, edit.target, edit.lines_added, edit.lines_removed) == (
        ToolKind.EDIT,
        "a.py",
        2,
        1,
    )
    run = read(*records)
    assert run.steps and (
        run.steps.tool_failures,
        run.steps.files_edited,
        run.steps.commands_seconds,
    ) == (1, 1, 2.0)
    assert (run.status, run.wall_ms, run.texts.summary) == (Status.OK, 8000, "Mended.")


def completed(kind: str, second: int = 2, **fields: Any) -> dict[str, Any]:
    return event(
        "item_completed", second, thread_id=OWN, turn_id=OWN, item={"type": kind, **fields}
    )


@pytest.mark.parametrize("is_twice", [False, True])
def test_items_that_are_completed_count_once_beside_the_others_or_in_their_place(
    is_twice: bool,
) -> None:
    changes = {"a.py": {"type": "update", "unified_diff": "@@\n-x\n+y"}}
    old = [
        response("message", role="user", content=[{"type": "input_text", "text": "Mend a.py"}]),
        response(
            "function_call",
            3,
            name="exec_command",
            call_id="c1",
            arguments=json.dumps({"cmd": "make"}),
        ),
        response(
            "function_call_output",
            4,
            call_id="c1",
            output="Process exited with code 2\nOutput:\nno",
        ),
        response(
            "message", 5, role="assistant", content=[{"type": "output_text", "text": "Mended."}]
        ),
    ]
    records = [
        meta(),
        *turn(OWN),
        *(old if is_twice else []),
        completed("UserMessage", id="u1", content=[{"type": "text", "text": "Mend a.py"}]),
        completed(
            "CommandExecution", id="c1", command=["bash", "-lc", "make"], exit_code=2, stderr="no"
        ),
        completed("FileChange", id="c2", changes=changes, status="completed"),
        completed(
            "AgentMessage",
            9,
            id="a1",
            content=[{"type": "Text", "text": "Mended."}],
            phase="final_answer",
        ),
        event("task_complete", 9, turn_id=OWN),
    ]
    found = steps(*records)
    kinds_ = sorted(step.kind for step in found)
    assert kinds_ == sorted(
        [StepKind.PROMPT, StepKind.TOOL_CALL, StepKind.TOOL_CALL, StepKind.TEXT]
    )
    command, edit = calls(found)
    assert (command.kind, command.target, command.exit_code, command.failed) == (
        ToolKind.RUN,
        "make",
        2,
        True,
    )
    assert (edit.kind, edit.target, edit.lines_added) == (ToolKind.EDIT, "a.py", 1)
    run = read(*records)
    assert (run.status, run.texts.summary, run.turns, run.unknown) == (Status.OK, "Mended.", 1, ())


def test_a_turn_that_ended_with_an_error_failed() -> None:
    run = read(
        meta(),
        *turn(OWN),
        event("task_complete", turn_id=OWN, error={"message": "You hit your usage limit"}),
    )
    assert (run.status, run.status_detail) == (Status.STOPPED, "usage limit")


def test_the_time_between_two_turns_does_not_count() -> None:
    ended = event("task_complete", 10, turn_id=OWN)
    run = read(
        meta(),
        *turn(OWN, second=0),
        ended,
        *turn(LATER, second=600),
        event("task_complete", 605, turn_id=LATER),
    )
    assert run.wall_ms == 15_000


@pytest.mark.parametrize(
    ("last", "status", "detail"),
    [
        (event("turn_aborted", reason="interrupted"), Status.INTERRUPTED, "aborted"),
        (
            event("error", message="stream disconnected before completion"),
            Status.STOPPED,
            "API error",
        ),
        (event("agent_message", message="on it"), Status.INTERRUPTED, None),
    ],
)
def test_a_session_says_how_it_ended(
    last: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = read(meta(), *turn(OWN), last)
    assert (run.status, run.status_detail) == (status, detail)


def test_a_session_of_the_first_form_is_read() -> None:
    found = read(
        {"id": OWN, "timestamp": "2025-05-10T09:00:00Z", "instructions": None},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Say hello"}],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hello."}],
        },
    )
    assert (found.reader, found.texts.summary, found.session_id) == ("Codex session", "Hello.", OWN)


def test_an_earlier_copy_of_a_session_has_results_of_the_later_one(shared: Path) -> None:
    """What merging needs to count sessions once that were kept again and again while they went on."""
    folder = shared / "runs/codex-rollout/EntityProcess+agentv/96/eca76f596a/0"
    early, late = (
        {
            r["payload"]["turn_id"]
            for r in objects(folder / name)
            if r["payload"].get("type") == "task_complete"
        }
        for name in ("full.jsonl~a9ffcf9e", "full.jsonl")
    )
    runs = {
        path.name: run for path, run, _ in real(shared, "codex-rollout") if path.parent == folder
    }
    assert {key.uuid for key in runs["full.jsonl"].results} >= late >= early
    assert set(runs["full.jsonl~a9ffcf9e"].results) <= set(runs["full.jsonl"].results)


def test_turns_of_two_sessions_that_are_numbered_alike_are_not_one() -> None:
    ends = (
        event("task_complete", turn_id="turn-1", duration_ms=5),
        event("task_complete", turn_id=LATER),
    )
    assert read(meta(), *ends).results == read(meta()).results
