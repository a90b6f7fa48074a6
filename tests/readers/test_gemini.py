"""gemini-cli: results, streams and chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.model import Status
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import calls, kinds, read, real, run_of, steps

ID = "b7000000-0000-4000-8000-000000000001"
INIT = {
    "type": "init",
    "session_id": ID,
    "model": "gemini-3-pro-preview",
    "timestamp": "2026-05-01T10:00:00Z",
}


def test_real_chats_have_the_figures_of_their_messages(shared: Path) -> None:
    for path, run, (chat,) in real(shared, "gemini-chat"):
        answers = [message for message in chat["messages"] if message["type"] == "gemini"]
        used = {
            name: sum(answer["tokens"][name] for answer in answers) for name in answers[0]["tokens"]
        }
        # The totals of this file say that its input has neither what was read from the cache nor what tools were sent.
        assert sum(value for name, value in used.items() if name != "total") == used["total"]
        output = used["output"] + used["thoughts"]
        assert kinds(run) == (used["input"] + used["tool"], 0, used["cached"], output), path
        assert run.turns == len(answers)
        assert run.steps and run.steps.tool_calls == sum(
            len(answer["toolCalls"]) for answer in answers
        )
        assert run.steps.tool_failures == sum(
            c["status"] == "error" for a in answers for c in a["toolCalls"]
        )
        assert (run.model, run.session_id) == (answers[0]["model"], chat["sessionId"])
        assert run.texts.summary == answers[-1]["content"]


def test_real_streams_have_the_figures_of_their_result(shared: Path) -> None:
    for path, run, records in real(shared, "gemini-stream"):
        stats = records[-1]["stats"]
        assert kinds(run) == (
            stats["input_tokens"],
            0,
            stats.get("cached"),
            stats["output_tokens"],
        ), path
        assert run.steps and run.steps.tool_calls == sum(
            record["type"] == "tool_use" for record in records
        )
        assert (run.status, run.model, run.turns, run.cost_usd) == (
            Status.OK,
            records[0]["model"],
            None,
            None,
        )


def message(id_: str, kind: str, second: int, **fields: Any) -> dict[str, Any]:
    return {"id": id_, "type": kind, "timestamp": f"2026-05-01T10:00:{second:02}Z", **fields}


def model(prompt: int, cached: int, candidates: int, thoughts: int) -> dict[str, Any]:
    tokens = {
        "prompt": prompt,
        "cached": cached,
        "candidates": candidates,
        "thoughts": thoughts,
        "total": 0,
    }
    return {"api": {"totalRequests": 2, "totalErrors": 0, "totalLatencyMs": 700}, "tokens": tokens}


def test_a_result_has_what_each_model_used() -> None:
    stats = {
        "models": {"gemini-3-pro": model(100, 60, 20, 5), "gemini-3-flash": model(10, 0, 1, 0)}
    }
    stats |= {"tools": {"totalCalls": 3}}
    written = "Loaded cached credentials.\n" + json.dumps(
        {"session_id": ID, "response": "Sorted.", "stats": stats}, indent=2
    )
    run = run_of(written.encode(), "out.json")
    assert [(line.model, line.tokens.input, line.tokens.output) for line in run.ledger] == [
        ("gemini-3-pro", 40, 25),
        ("gemini-3-flash", 10, 1),
    ]
    assert (run.status, run.turns, run.api_ms, run.texts.summary) == (Status.OK, 4, 1400, "Sorted.")
    assert ("stats.tools.totalCalls", "3") in run.texts.fields


def test_a_result_without_statistics_is_a_run_of_unknown_tokens() -> None:
    run = run_of(json.dumps({"session_id": ID, "response": "Done."}).encode(), "out.json")
    assert (run.status, run.tokens.total, run.turns) == (Status.OK, None, None)
    assert [caveat.code for caveat in run.caveats] == ["W_MISSING"]
    others: list[dict[str, Any]] = [
        {},
        {"error": "not found"},
        {"error": {"message": "gone"}},
        {"response": None},
    ]
    others += [
        {"response": "Done.", "user": 1},
        {"session_id": None, "response": "Done."},
        {"session_id": ""},
    ]
    for other in others:
        content = json.dumps({"session_id": ID, **other}).encode()
        assert isinstance(
            readers.parse_file(RunFile.of("session.json", content), named=False), NotARun
        ), other


def test_a_result_that_failed_says_why() -> None:
    error = {"type": "ApiError", "message": "Quota exceeded", "code": 429}
    run = run_of(json.dumps({"session_id": ID, "error": error}).encode(), "out.json")
    assert (run.status, run.status_detail, run.texts.errors) == (
        Status.STOPPED,
        "usage limit",
        ("Quota exceeded",),
    )


def test_thoughts_are_what_the_total_of_a_stream_has_besides() -> None:
    stats = {
        "input_tokens": 100,
        "cached": 70,
        "output_tokens": 20,
        "total_tokens": 135,
        "duration_ms": 4000,
    }
    run = read(INIT, {"type": "result", "status": "success", "stats": stats})
    assert (kinds(run), run.wall_ms) == ((30, 0, 70, 35), 4000)


def test_a_stream_has_its_steps_with_pieces_of_a_message_joined() -> None:
    found = steps(
        INIT,
        {"type": "message", "role": "user", "content": "Look"},
        {"type": "message", "role": "assistant", "content": "I ", "delta": True},
        {"type": "message", "role": "assistant", "content": "look.", "delta": True},
        {
            "type": "tool_use",
            "tool_name": "read_file",
            "tool_id": "t",
            "parameters": {"absolute_path": "/a"},
        },
        {
            "type": "tool_result",
            "tool_id": "t",
            "status": "error",
            "error": {"type": "E", "message": "gone"},
        },
        {"type": "error", "severity": "warning", "message": "Loop detected"},
    )
    kinds_ = [StepKind.PROMPT, StepKind.TEXT, StepKind.TOOL_CALL, StepKind.NOTICE]
    assert ([step.kind for step in found], found[1].text) == (kinds_, "I look.")
    (call,) = calls(found)
    assert (call.kind, call.target, call.failed, call.result) == (ToolKind.READ, "/a", True, "gone")


@pytest.mark.parametrize(
    ("last", "status", "detail"),
    [
        ({"type": "tool_use", "tool_name": "x", "tool_id": "t"}, Status.INTERRUPTED, None),
        (
            {"type": "result", "status": "error", "error": {"message": "bad"}},
            Status.FAILED,
            "error",
        ),
    ],
)
def test_a_stream_says_how_it_ended(
    last: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = read(INIT, last)
    assert (run.status, run.status_detail) == (status, detail)


def chat(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    head = {
        "sessionId": ID,
        "projectHash": "ab",
        "startTime": "2026-05-01T09:00:00Z",
        "kind": "main",
    }
    return [head, *messages]


def test_a_message_of_a_chat_that_is_written_again_counts_once() -> None:
    tokens = {"input": 100, "cached": 40, "output": 10, "thoughts": 5, "tool": 0, "total": 115}
    first = message("m2", "gemini", 5, content="", model="gemini-3-pro", toolCalls=[])
    last = first | {"content": "Done.", "tokens": tokens}
    records = chat(
        message("m1", "user", 1, content=[{"text": "Do it"}]),
        first,
        {"$set": {"summary": "x"}},
        last,
    )
    run = read(*records)
    assert (kinds(run), run.turns, run.status, run.texts.summary) == (
        (60, 0, 40, 15),
        1,
        Status.OK,
        "Done.",
    )
    assert run.started_at == "2026-05-01T09:00:00Z"
    found = steps(*records)
    assert [step.kind for step in found] == [StepKind.PROMPT, StepKind.TEXT]
    assert found[1].context_tokens == 100


def test_what_the_program_says_before_the_first_prompt_is_no_prompt() -> None:
    context = message("m0", "user", 1, content=[{"text": "<session_context>\nToday is"}])
    found = steps(*chat(context, message("m1", "gemini", 5, content="Done.")))
    assert [step.kind for step in found] == [StepKind.TEXT]


def test_calls_of_a_chat_have_their_answers() -> None:
    response = {
        "functionResponse": {"response": {"output": "no", "error": "(none)", "exitCode": 3}}
    }
    call = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "result": [response],
    }
    asked = [call | {"status": "success"}, call | {"id": "d", "status": "cancelled"}]
    (done, denied) = calls(steps(*chat(message("m1", "gemini", 1, content="", toolCalls=asked))))
    assert (done.kind, done.result, done.exit_code, done.failed) == (ToolKind.RUN, "no", 3, True)
    assert denied.denied and denied.failed


def test_a_chat_that_ends_with_a_prompt_was_interrupted() -> None:
    assert read(*chat(message("m1", "user", 1, content="Do it"))).status is Status.INTERRUPTED
