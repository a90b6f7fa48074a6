"""A part is never preferred to the whole: a stream that breaks off, goes on, or has results and calls out of order."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from tests.support.reading import read_source

COST = 0.25
SESSION = "5b1c9d4e-1111-4222-8333-abcdefabcdef"
OTHER = "6c2d0e5f-1111-4222-8333-abcdefabcdef"


def runs_of(records: list[dict[str, Any]], name: str = "run.log") -> tuple[Run, ...]:
    data = "\n".join(map(json.dumps, records)).encode()
    return read_source(RunFile.of(name, data), named=True) or ()


def run_of(*records: dict[str, Any]) -> Run:
    (run,) = runs_of(list(records))
    return run


def init(session: str = SESSION) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "init",
        "session_id": session,
        "model": "claude-opus-5",
        "tools": ["Edit"],
    }


def message(number: int, session: str = SESSION, **more: Any) -> dict[str, Any]:
    """A message with a call that edits a file of its own."""
    call = {
        "type": "tool_use",
        "id": f"toolu_{session[:4]}_{number}",
        "name": "Edit",
        "input": {"file_path": f"/k/{number}.py"},
    }
    held = {
        "id": f"msg_{session[:4]}_{number}",
        "model": "claude-opus-5",
        "role": "assistant",
        "content": [call],
    }
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    return {"type": "assistant", "session_id": session, "message": held | {"usage": usage}, **more}


def answer(number: int, session: str = SESSION, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{session[:4]}_{number}", "content": "ok"}
    return {
        "type": "user",
        "session_id": session,
        "message": {"role": "user", "content": [block]},
        **more,
    }


def result(session: str = SESSION, **more: Any) -> dict[str, Any]:
    cost, text = more.pop("cost", COST), more.pop("text", "Done.")
    models = {
        "claude-opus-5": {
            "inputTokens": 20,
            "outputTokens": 10,
            "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0,
            "costUSD": cost,
        }
    }
    figures = {
        "duration_ms": 5000,
        "duration_api_ms": 4000,
        "num_turns": 3,
        "total_cost_usd": cost,
        "modelUsage": models,
    }
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": session,
        "result": text,
        **figures,
        **more,
    }


HUMAN, TASK = {"origin": {"kind": "human"}}, {"origin": {"kind": "task-notification"}}


@pytest.mark.parametrize(
    ("texts", "account"),
    [
        ([("Fixed.", HUMAN), ("Nothing new.", TASK)], "Fixed."),
        ([("Fixed.", {}), ("Nothing new.", TASK), ("Still nothing.", TASK)], "Fixed."),
        ([("Begun.", HUMAN), ("Nothing new.", TASK), ("Fixed.", HUMAN)], "Fixed."),
        ([("Nothing new.", TASK), ("Fixed.", HUMAN)], "Fixed."),
        ([("Begun.", HUMAN), ("Fixed.", HUMAN)], "Fixed."),
        ([("", HUMAN), ("All tests pass.", TASK)], "All tests pass."),
        ([("All tests pass.", TASK)], "All tests pass."),
        (
            [
                ("Fixed.", {"origin": "task-notification"}),
                ("Last.", {"origin": ["task-notification"]}),
            ],
            "Last.",
        ),
    ],
)
def test_what_is_said_of_a_background_task_does_not_replace_the_account(
    texts: list[tuple[str, dict[str, Any]]], account: str
) -> None:
    costs = [COST * number for number in range(1, len(texts) + 1)]
    told = [
        result(text=text, cost=cost, uuid=text, **of)
        for (text, of), cost in zip(texts, costs, strict=True)
    ]
    run = run_of(init(), *told)
    assert (run.texts.summary, run.cost_usd, run.status) == (account, costs[-1], Status.OK)
    shown = {run.texts.summary, *dict(run.texts.fields).values()}
    assert {text for text, _ in texts if text} <= shown


def test_a_structured_answer_is_that_of_the_prompt() -> None:
    run = run_of(
        init(),
        result(structured_output={"fixed": True}),
        result(text="Nothing new.", uuid="b", cost=0.3, **TASK),
    )
    assert (run.claimed, run.texts.structured_output) == (True, '{\n  "fixed": true\n}')


@pytest.mark.parametrize(
    ("more", "status", "detail"),
    [
        ({"text": "", "stop_reason": "tool_use"}, Status.INTERRUPTED, "no answer"),
        (
            {"text": " \n", "stop_reason": "tool_use", "terminal_reason": "completed"},
            Status.INTERRUPTED,
            "no answer",
        ),
        ({"text": "", "stop_reason": "pause_turn"}, Status.INTERRUPTED, "no answer"),
        ({"text": "", "stop_reason": "max_tokens"}, Status.FAILED, "output limit"),
        ({"text": "", "stop_reason": "end_turn"}, Status.OK, "no answer"),
        ({"text": "", "stop_reason": None}, Status.OK, "no answer"),
        ({"text": "", "stop_reason": "tool_use", "structured_output": {"a": 1}}, Status.OK, None),
        (
            {"text": "", "stop_reason": "tool_use", "terminal_reason": "tool_deferred"},
            Status.OK,
            "tool deferred",
        ),
        ({"text": "Done.", "stop_reason": "tool_use"}, Status.OK, None),
        (
            {"text": "", "stop_reason": "tool_use", "subtype": "error_max_turns"},
            Status.FAILED,
            "turn limit",
        ),
    ],
)
def test_success_without_an_answer_is_decided_by_why_the_model_stopped(
    more: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = run_of(result(**more))
    assert (run.status, run.status_detail) == (status, detail)


@pytest.mark.parametrize("same_uuid", [False, True])
def test_a_stream_whose_last_call_has_no_result_did_not_end(*, same_uuid: bool) -> None:
    ids = {"uuid": SESSION} if same_uuid else {}
    opened = [init() | ids, message(1), answer(1), message(2)]
    run = run_of(*opened, result(text="I edit it now.") | ids)
    assert (run.status, run.status_detail, run.cost_is_lower_bound) == (
        Status.INTERRUPTED,
        "a call without its result",
        False,
    )
    assert run_of(*opened, answer(2), result() | ids).status is Status.OK
    assert run_of(*opened, result(structured_output={"a": 1}) | ids).status is Status.OK


def test_a_stream_of_another_agent_whose_last_call_has_no_result_did_not_end() -> None:
    stats = {
        "total_tokens": 30,
        "input_tokens": 20,
        "output_tokens": 10,
        "cached": 0,
        "duration_ms": 5,
        "tool_calls": 1,
    }
    call = {"type": "tool_use", "tool_name": "edit", "tool_id": "edit-1", "parameters": {}}
    gemini = [
        {
            "type": "init",
            "session_id": SESSION,
            "model": "gemini-3-pro",
            "timestamp": "2026-01-01T00:00:00Z",
        },
        call,
    ]
    end = {"type": "result", "status": "success", "stats": stats}
    said = {"type": "tool_result", "tool_id": "edit-1", "status": "success", "output": "ok"}
    assert run_of(*gemini, end).status is Status.INTERRUPTED
    assert run_of(*gemini, said, end).status is Status.OK
    assert (
        run_of(
            *gemini, said, end, {"type": "message", "role": "assistant", "content": "More"}
        ).status
        is Status.INTERRUPTED
    )
    thread = {"session_id": "T-5b1c9d4e-1111"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "edit_file", "input": {"path": "a.py"}}
    amp = [
        {"type": "system", "subtype": "init", **thread},
        {"type": "assistant", "message": {"id": "m1", "content": [use]}, **thread},
    ]
    done = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Done.",
        "num_turns": 1,
        "duration_ms": 5,
        **thread,
    }
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
    assert run_of(*amp, done).status is Status.INTERRUPTED
    assert (
        run_of(*amp, {"type": "user", "message": {"content": [block]}, **thread}, done).status
        is Status.OK
    )


def test_a_stream_that_goes_on_after_its_last_result_counts_all_of_it() -> None:
    def at(second: int) -> dict[str, Any]:
        return {"timestamp": f"2026-06-01T10:00:{second:02}.000Z"}

    whole = [init(), message(1, **at(1)), answer(1, **at(4)), result()]
    later = [message(2, **at(10)), answer(2, **at(11)), message(3, **at(19)), answer(3, **at(24))]
    run = run_of(*whole, *later)
    assert (run.status, run.status_detail, run.turns, run.wall_ms) == (
        Status.INTERRUPTED,
        None,
        5,
        19_000,
    )
    assert run.cost_is_lower_bound and run.ledger_is_lower_bound
    untimed = run_of(init(), message(1), answer(1), result(), message(2), answer(2))
    assert (untimed.status, untimed.turns, untimed.wall_ms) == (Status.INTERRUPTED, 4, None)
    again = run_of(*whole, *later, result(uuid="b", cost=0.5))
    assert (again.status, again.turns, again.wall_ms) == (Status.OK, 6, 10_000)
    aside = message(2, parent_tool_use_id="toolu_5b1c_1")
    assert (run_of(*whole, aside).status, run_of(*whole, aside).turns) == (Status.OK, 3)


def transcript(*records: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        named = {
            "sessionId": SESSION,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
        }
        found.append(
            record
            | named
            | {"timestamp": f"2026-06-01T10:{number:02}:00.000Z", "isSidechain": False}
        )
    return found


def test_a_result_before_its_call_is_that_of_the_call() -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": "Edit them"}}
    usual = run_of(
        *transcript(prompt, message(1), message(2), answer(1), answer(2), message(3), answer(3))
    )
    assert usual.steps and (
        usual.steps.tool_calls,
        usual.steps.tool_failures,
        usual.steps.files_edited,
    ) == (3, 0, 3)
    orders = (
        [prompt, answer(1), message(1), message(2), answer(2), message(3), answer(3)],
        [prompt, answer(1), answer(2), message(2), message(1), answer(3), message(3)],
        [answer(3), prompt, message(1), answer(2), answer(1), message(2), message(3)],
    )
    for records in orders:
        run = run_of(*transcript(*records))
        assert run.steps and usual.steps
        assert (run.steps.tool_calls, run.steps.tool_failures, run.steps.files_edited) == (3, 0, 3)
        assert "W_CONTRADICTION" not in {caveat.code for caveat in run.caveats}
        stream = run_of(init(), *records, result())
        assert stream.steps and stream.steps.edited == usual.steps.edited
    never = run_of(*transcript(prompt, message(1), answer(1), answer(2)))
    assert never.steps and (never.steps.tool_failures, never.steps.files_edited) == (None, 1)


def test_a_result_before_its_call_counts_whatever_agent_wrote_it() -> None:
    head = {"type": "session", "id": SESSION, "version": 3, "timestamp": "2026-01-01T00:00:00Z"}

    def said(role: str, **fields: Any) -> dict[str, Any]:
        return {
            "type": "message",
            "id": f"{role}{len(fields)}",
            "message": {"role": role, **fields},
        }

    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "edit",
        "arguments": {"path": "a.py", "oldText": "a", "newText": "b"},
    }
    asks = said(
        "assistant",
        content=[call],
        model="m",
        usage={"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0},
    )
    answers = said(
        "toolResult",
        toolCallId="c1",
        toolName="edit",
        content=[{"type": "text", "text": "ok"}],
        isError=False,
    )
    prompt = said("user", content=[{"type": "text", "text": "Go"}])
    for order in ((asks, answers), (answers, asks)):
        run = run_of(head, prompt, *order)
        assert run.steps and (
            run.steps.tool_calls,
            run.steps.tool_failures,
            run.steps.files_edited,
        ) == (1, 0, 1)


def whole(session: str, edits: int, cost: float = COST) -> list[dict[str, Any]]:
    steps = [
        record
        for number in range(edits)
        for record in (message(number, session), answer(number, session))
    ]
    return [init(session), *steps, result(session, cost=cost, uuid=f"r-{session}")]


@pytest.mark.parametrize("seed", range(5))
def test_lines_of_processes_that_write_into_one_log_belong_to_their_sessions(seed: int) -> None:
    sessions = {
        f"{number}{SESSION[1:]}": whole(f"{number}{SESSION[1:]}", number + 1, (number + 1) / 4)
        for number in range(3)
    }
    left, mixed = [list(records) for records in sessions.values()], list[dict[str, Any]]()
    chance = random.Random(seed)  # noqa: S311
    while rest := [records for records in left if records]:
        mixed.append(chance.choice(rest).pop(0))
    runs = runs_of(mixed)
    assert sorted(
        (run.session_id, run.cost_usd, run.steps and run.steps.tool_calls) for run in runs
    ) == [(session, (number + 1) / 4, number + 1) for number, session in enumerate(sessions)]


def test_lines_without_a_session_belong_to_the_process_that_is_open() -> None:
    first, second = whole(SESSION, 1), whole(OTHER, 2)
    for record in (*second[3:5], *first[1:3]):
        del record["session_id"]
    runs = runs_of([second[0], *second[1:3], *first, *second[3:]])
    assert [(run.session_id, run.steps and run.steps.tool_calls) for run in runs] == [
        (OTHER, 2),
        (SESSION, 1),
    ]
    killed, later = runs_of([*whole(SESSION, 2)[:-1], *whole(OTHER, 1)])
    assert (killed.session_id, killed.status, later.session_id, later.status) == (
        SESSION,
        Status.INTERRUPTED,
        OTHER,
        Status.OK,
    )


def step(kind: str, number: int, **more: Any) -> dict[str, Any]:
    names = {"step_start": "step-start", "step_finish": "step-finish", "tool_use": "tool"}
    part = {
        "id": f"prt_{kind}{number}",
        "messageID": f"msg_{number}",
        "type": names.get(kind, kind),
        **more,
    }
    return {
        "type": kind,
        "timestamp": 1_780_300_000_000 + number,
        "sessionID": "ses_0123456789",
        "part": part,
    }


def finish(number: int, reason: str = "tool-calls") -> dict[str, Any]:
    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    return step("step_finish", number, reason=reason, cost=0.01, tokens=tokens)


@pytest.mark.parametrize(
    ("records", "is_lower_bound"),
    [
        ([step("step_start", 1), finish(1, "stop")], False),
        ([step("step_start", 1), finish(1), step("step_start", 2), finish(2, "stop")], False),
        ([step("step_start", 1), finish(1)], False),
        ([step("step_start", 1), finish(1), step("step_start", 2)], True),
        ([step("step_start", 1), finish(1), step("text", 2, text="I look")], True),
        ([step("step_start", 1), step("step_start", 2), finish(2, "stop")], True),
        (
            [
                step("step_start", 1),
                finish(1),
                step("step_start", 2),
                step("step_start", 2),
                finish(2, "stop"),
            ],
            False,
        ),
    ],
)
def test_a_step_of_opencode_without_its_end_leaves_lower_bounds(
    records: list[dict[str, Any]], *, is_lower_bound: bool
) -> None:
    run = run_of(*records)
    assert (run.ledger_is_lower_bound, run.cost_is_lower_bound) == (is_lower_bound, is_lower_bound)
