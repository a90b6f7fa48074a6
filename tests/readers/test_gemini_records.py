"""Records of gemini-cli, one by one: results, streams and chats."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.builder import FilePlace, RunBuilder
from sitegen.readers.gemini import (
    GEMINI_JSON,
    MAX_HELD,
    GeminiChat,
    GeminiStream,
    read_result,
)
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

ID = "b7000000-0000-4000-8000-000000000001"
PARENT = "b7000000-0000-4000-8000-000000000002"
ERROR = {"message": "429", "type": "Error"}


@pytest.mark.parametrize(
    ("record", "is_one"),
    [
        ({"stats": {"models": {}, "tools": {}}}, True),
        ({"stats": {"models": {}}}, False),
        ({"stats": {"models": [], "tools": {}}}, False),
        ({"stats": {"models": {}, "tools": {}}, "type": "result"}, False),
        ({"session_id": ID, "error": ERROR}, True),
        ({"session_id": ID, "error": {"message": "x"}}, False),
        ({"session_id": ID, "error": {"type": "x"}}, False),
        ({"error": ERROR}, False),
        ({"session_id": ID, "response": ""}, True),
        ({"session_id": ID, "response": "", "other": 1}, False),
        ({"session_id": ID, "response": None}, False),
    ],
)
def test_a_result_is_known_by_its_fields(record: dict[str, Any], is_one: bool) -> None:
    assert read_result(record, RunBuilder(GEMINI_JSON.format)) is is_one


def result(**fields: Any) -> Run:
    run = RunBuilder(GEMINI_JSON.format)
    assert read_result({"session_id": ID, "response": "Done.", **fields}, run)
    return run.build()


def test_a_result_has_the_figures_of_its_models() -> None:
    def of_model(requests: int, latency: int, **tokens: int) -> dict[str, Any]:
        api = {"totalRequests": requests, "totalLatencyMs": latency}
        return {"api": api, "tokens": tokens}

    models = {
        "a": of_model(2, 300, prompt=100, cached=60, candidates=20, thoughts=5, tool=0, total=125),
        "b": of_model(1, 50, input=10, cached=4, candidates=1),
        "c": 5,
    }
    run = result(stats={"models": models, "tools": {"n": 1}})
    lines = {line.model: line.tokens for line in run.ledger}
    assert (lines["a"].input, lines["a"].cache_read, lines["a"].output) == (40, 60, 25)
    assert (lines["b"].input, lines["b"].cache_read, lines["b"].cache_write) == (10, 4, 0)
    assert (run.turns, run.api_ms, run.status) == (3, 350, Status.OK)
    assert dict(run.texts.fields) == {"stats.tools.n": "1"}
    assert run.texts.summary == "Done."


def test_a_result_without_an_answer_does_not_say_how_it_ended() -> None:
    assert result(response="").status is Status.UNKNOWN
    run = result(error=ERROR)
    assert (run.status, run.status_detail) == (Status.STOPPED, "usage limit")
    assert [caveat.text for caveat in result().caveats] == ["The run reports no tokens."]


# Streams

INIT = {"type": "init", "session_id": ID, "model": "g-3", "timestamp": "2026-03-01T10:00:00Z"}


def stream(*records: dict[str, Any]) -> tuple[Run, list[Step]]:
    return told(GeminiStream(), *records)


def said(text: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text, **more}


def end(status: str = "success", **fields: Any) -> dict[str, Any]:
    return {"type": "result", "status": status, **fields}


def test_a_stream_has_its_steps() -> None:
    use = {
        "type": "tool_use",
        "tool_id": "t",
        "tool_name": "read_file",
        "parameters": {"path": "a"},
    }
    run, found = stream(
        INIT,
        said("Mend it.", "user"),
        said("I ", delta=True),
        said("look.", delta=True),
        use,
        {"type": "tool_result", "tool_id": "t", "output": "x = 1", "status": "success"},
        {"type": "error", "severity": "warning", "message": "Slow."},
        {"type": "error", "severity": "error", "message": "Odd."},
        {"type": "error", "severity": "error"},
        said("Whole."),
        said("Again."),
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.TEXT, "I look."),
        (StepKind.TOOL_CALL, "read_file"),
        (StepKind.NOTICE, "Slow."),
        (StepKind.API_ERROR, "Odd."),
        (StepKind.TEXT, "Whole."),
        (StepKind.TEXT, "Again."),
    ]
    (call,) = calls(found)
    assert (call.target, call.result, call.failed) == ("a", "x = 1", False)
    assert (run.status, run.model, run.session_id) == (Status.INTERRUPTED, "g-3", ID)
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        ("W_NO_RESULT", "The recording ends before a result, so usage is unknown.")
    ]
    assert GeminiStream().session_of(INIT) == ID and GeminiStream().session_of(use) is None


def test_a_result_of_a_tool_may_be_an_error() -> None:
    use = {"type": "tool_use", "tool_id": "t", "tool_name": "read_file"}
    failed = {"type": "tool_result", "tool_id": "t", "status": "error", "output": "x"}
    (call,) = calls(stream(INIT, use, failed | {"error": {"message": "no file"}})[1])
    assert (call.result, call.failed) == ("no file", True)
    (call,) = calls(stream(INIT, use, failed)[1])
    assert (call.result, call.failed) == ("x", True)


@pytest.mark.parametrize(
    ("records", "ended"),
    [
        ([end()], (Status.OK, None)),
        ([end("error", error={"message": "429"})], (Status.STOPPED, "usage limit")),
        ([end("odd")], (Status.FAILED, "error")),
        ([end(), said("More.")], (Status.INTERRUPTED, None)),
        ([end(), {"type": "tool_use", "tool_id": "t"}], (Status.INTERRUPTED, None)),
        ([end(), said("x", "user")], (Status.OK, None)),
    ],
)
def test_how_a_stream_ended(
    records: list[dict[str, Any]], ended: tuple[Status, str | None]
) -> None:
    run, _ = stream(INIT, *records)
    assert (run.status, run.status_detail) == ended


def counts(sent: int, cached: int, output: int, total: int) -> dict[str, int]:
    return {
        "input_tokens": sent,
        "cached": cached,
        "output_tokens": output,
        "total_tokens": total,
    }


@pytest.mark.parametrize(
    ("stats", "found"),
    [
        (counts(100, 60, 20, 120), (40, 0, 60, 20)),
        # What the total has besides are thoughts, unless it is what came from the cache.
        (counts(100, 60, 20, 125), (40, 0, 60, 25)),
        (counts(100, 60, 20, 180), (100, 0, 60, 20)),
    ],
)
def test_a_stream_counts_its_thoughts(stats: dict[str, int], found: tuple[int | None, ...]) -> None:
    assert kinds(stream(INIT, end(stats=stats))[0]) == found


def test_the_statistics_of_models_count_before_those_of_all() -> None:
    stats = counts(100, 0, 20, 120) | {"models": {"a": counts(70, 0, 10, 80), "b": 5}}
    run, _ = stream(INIT, end(stats=stats | {"duration_ms": 500, "tool_calls": 2}), end(stats={}))
    assert [(line.model, line.tokens.input) for line in run.ledger] == [("a", 70)]
    assert run.wall_ms == 500
    run, _ = stream(
        INIT, end(stats={"duration_ms": 500}), said("x", "user"), end(stats={"duration_ms": 0})
    )
    assert run.wall_ms == 500
    run, _ = stream(
        INIT,
        end(stats={"duration_ms": 5, "n": 1}),
        said("x", "user"),
        end(stats={"duration_ms": 7}),
    )
    assert run.wall_ms == 12


# Chats

CHAT = {"sessionId": ID, "projectHash": "p", "startTime": "2026-03-01T10:00:00Z"}


def chat(*records: dict[str, Any], folder: str = "chats") -> tuple[Run, list[Step]]:
    return told(GeminiChat(FilePlace("session-1", folder)), *records)


def message(kind: str, number: int, content: str = "", **more: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:00:{number:02}Z"
    return {"id": f"m{number}", "type": kind, "timestamp": at, "content": content, **more}


def test_a_chat_has_its_steps() -> None:
    call = {
        "id": "c1",
        "name": "run_shell_command",
        "args": {"command": "ls"},
        "status": "success",
        "timestamp": "2026-03-01T10:00:09Z",
        "result": [{}, {"functionResponse": {"response": {"output": "a.py", "exitCode": 0}}}],
    }
    answer = message(
        "gemini",
        3,
        "I look.",
        model="g-3",
        thoughts=[{"subject": "First", "description": "a look."}, {"description": "Then."}],
        toolCalls=[call],
        tokens={"input": 100, "cached": 60, "output": 20, "thoughts": 5, "tool": 0, "total": 125},
    )
    run, found = chat(
        CHAT
        | {
            "summary": "Tide",
            "messages": [
                message("user", 1, "<session_context> x"),
                message("user", 2, "Mend it."),
                answer,
                message("info", 4, "Note."),
                message("warning", 5, "Careful."),
                message("info", 6, " "),
                message("odd", 7, "x"),
            ],
        }
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.THINKING, "First: a look."),
        (StepKind.THINKING, "Then."),
        (StepKind.TEXT, "I look."),
        (StepKind.TOOL_CALL, "run_shell_command"),
        (StepKind.NOTICE, "Note."),
        (StepKind.NOTICE, "Careful."),
    ]
    (one,) = calls(found)
    assert (one.target, one.result, one.exit_code, one.failed) == ("ls", "a.py", 0, False)
    assert one.answered_ms == 1_772_359_209_000
    assert (kinds(run), run.turns, run.model) == ((40, 0, 60, 25), 1, "g-3")
    assert (run.session_title, run.session_id) == ("Tide", ID)
    assert (run.started_at, run.status_detail) == ("2026-03-01T10:00:00Z", "not stated")


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        (message("gemini", 1, "Done."), (Status.OK, None)),
        (message("gemini", 1, "x", toolCalls=[{}]), (Status.UNKNOWN, "not stated")),
        (message("error", 1, "429"), (Status.STOPPED, "usage limit")),
        (message("info", 1, "Reached max turns"), (Status.FAILED, "turn limit")),
        (message("user", 1, "Mend it."), (Status.INTERRUPTED, None)),
    ],
)
def test_how_a_chat_ended(last: dict[str, Any], ended: tuple[Status, str | None]) -> None:
    run, _ = chat(CHAT, last)
    assert (run.status, run.status_detail) == ended


@pytest.mark.parametrize(
    ("call", "text", "failed", "denied"),
    [
        ({"status": "success", "resultDisplay": "shown"}, "shown", False, False),
        ({"status": "error", "resultDisplay": "shown"}, "shown", True, False),
        ({"status": "cancelled"}, "", True, True),
    ],
)
def test_a_call_says_whether_it_failed(
    call: dict[str, Any], text: str, failed: bool, denied: bool
) -> None:
    def one(**more: Any) -> Any:
        (found,) = calls(
            chat(CHAT, message("gemini", 1, toolCalls=[{"name": "a", **call, **more}]))[1]
        )
        return found

    assert (one().result, one().failed, one().denied) == (text, failed, denied)
    response = {"functionResponse": {"response": {"error": "no", "output": "out"}}}
    assert one(result=[response]).result == ("no" if failed else "out")
    assert one().id == "m1#0" and one(id="c").id == "c"


def test_a_message_that_is_written_again_counts_as_it_was_last() -> None:
    first, last = message("gemini", 1, "I"), message("gemini", 1, "I look.")
    assert texts_of(chat(CHAT, first, last)[1]) == [(StepKind.TEXT, "I look.")]
    others = [message("info", number, f"n{number}") for number in range(2, MAX_HELD + 2)]
    run, found = chat(CHAT, first, *others[:-1], last)
    assert (found[0].text, run.caveats) == ("I look.", ())
    run, found = chat(CHAT, first, *others, last)
    assert found[0].text == "I" and [caveat.code for caveat in run.caveats] == ["W_LIMIT"]


def test_a_later_line_may_set_messages_and_the_title() -> None:
    run, found = chat(
        CHAT, {"$set": {"summary": "Tide", "messages": [message("gemini", 1, "Hi.")]}}
    )
    assert (run.session_title, [step.text for step in found]) == ("Tide", ["Hi."])


@pytest.mark.parametrize(
    ("kind", "folder", "session", "agent"),
    [
        ("main", "chats", ID, None),
        ("subagent", "chats", ID, "session-1"),
        ("subagent", PARENT, PARENT, ID),
    ],
)
def test_a_subagent_is_known_by_its_folder(
    kind: str, folder: str, session: str, agent: str | None
) -> None:
    run, _ = chat(CHAT | {"kind": kind}, message("gemini", 1, "Hi."), folder=folder)
    assert (run.session_id, run.agent_id) == (session, agent)


@pytest.mark.parametrize("name", ["sessionId", "projectHash"])
def test_a_chat_names_its_session_and_its_project(name: str) -> None:
    reader = GeminiChat()
    told(reader, CHAT | {name: 5})
    assert not reader.is_known
    assert reader.session_of(CHAT) == ID and reader.session_of({"sessionId": ID}) is None
