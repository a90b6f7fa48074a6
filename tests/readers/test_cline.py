"""Tasks of Cline."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.cline import ClineTask
from sitegen.readers.common.builder import FilePlace
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

NOW = 1_772_359_200_000
FOLDER = "1772359200000"


def say(name: str, text: Any = "", at: int = 0, kind: str = "say", **more: Any) -> dict[str, Any]:
    written = text if isinstance(text, str) else json.dumps(text)
    return {"ts": NOW + at * 1_000, "type": kind, kind: name, "text": written, **more}


def ask(name: str, text: Any = "", at: int = 0) -> dict[str, Any]:
    return say(name, text, at, kind="ask")


def request(sent: int, output: int, at: int = 0, **more: Any) -> dict[str, Any]:
    used = {"tokensIn": sent, "tokensOut": output, "cacheReads": 6, "cacheWrites": 2, **more}
    return say("api_req_started", used, at)


TASK = say("task", "Mend it.")


def read(*messages: dict[str, Any], folder: str = FOLDER) -> tuple[Run, list[Step]]:
    return told(ClineTask(FilePlace("ui_messages", folder)), *messages)


@pytest.mark.parametrize(
    "message",
    [
        TASK | {"ts": 999_999_999_999},
        TASK | {"ts": None},
        TASK | {"type": "shout"},
        {"ts": NOW, "type": "say"},
    ],
)
def test_what_is_no_message_is_no_task(message: dict[str, Any]) -> None:
    reader = ClineTask()
    told(reader, message)
    assert not reader.is_known
    told(reader, TASK | {"ts": 10**12})
    assert reader.is_known


def test_a_task_is_known_by_its_folder() -> None:
    run, found = read(TASK)
    assert (run.session_id, run.status) == (FOLDER, Status.INTERRUPTED)
    assert texts_of(found) == [(StepKind.PROMPT, "Mend it.")]
    assert run.started_at == "2026-03-01T10:00:00Z"
    assert read(TASK, folder="tasks")[0].session_id is None
    # Older versions begin with a text.
    assert texts_of(read(say("text", "Mend it."))[1]) == [(StepKind.PROMPT, "Mend it.")]


def test_a_session_is_named_by_the_message_that_begins_it() -> None:
    reader = ClineTask()
    assert reader.session_of(TASK) == FOLDER
    assert reader.session_of(say("text", "x", conversationHistoryIndex=-1)) == FOLDER
    assert reader.session_of(say("text", "x", conversationHistoryIndex=0)) is None
    assert reader.session_of(say("reasoning", "x", conversationHistoryIndex=-1)) is None


def test_messages_are_steps() -> None:
    run, found = read(
        TASK,
        say("reasoning", "Hm."),
        say("text", "I look.", modelInfo={"modelId": "moon-3", "mode": "act"}),
        say("text", " "),
        say("error", {"message": "odd"}),
        say("diff_error", "no match"),
        say("condense", "Short."),
        ask("followup", {"question": "Which?"}),
        ask("plan_mode_respond", {"response": "A plan."}),
        say("user_feedback", "That."),
        say("completion_result", "Done."),
        ask("completion_result", "Done."),
        say("error_retry"),
        say("error_retry", "again"),
        say("checkpoint_created"),
        say("aura"),
        say("text", "End.", glow=1),
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.THINKING, "Hm."),
        (StepKind.TEXT, "I look."),
        (StepKind.API_ERROR, "odd"),
        (StepKind.API_ERROR, "no match"),
        (StepKind.COMPACTION, "Short."),
        (StepKind.TEXT, "Which?"),
        (StepKind.TEXT, "A plan."),
        (StepKind.PROMPT, "That."),
        (StepKind.TEXT, "Done."),
        (StepKind.TEXT, "End."),
    ]
    fields = dict(run.texts.fields)
    assert (fields["retries"], fields["mode"]) == ("2", "act")
    assert run.unknown == ("glow", "say aura")


@pytest.mark.parametrize(
    ("messages", "ended"),
    [
        ([say("text", "x")], (Status.INTERRUPTED, None)),
        ([say("completion_result", "Done.")], (Status.OK, None)),
        ([ask("followup", "Which?")], (Status.OK, None)),
        ([ask("completion_result", ""), say("user_feedback", "x")], (Status.INTERRUPTED, None)),
        ([ask("completion_result", ""), ask("resume_task")], (Status.INTERRUPTED, None)),
        ([ask("api_req_failed", "429")], (Status.STOPPED, "usage limit")),
        ([ask("mistake_limit_reached", "x")], (Status.FAILED, "mistake limit")),
        ([say("error", "429")], (Status.INTERRUPTED, None)),
        ([say("completion_result", "Done."), request(1, 1, 1)], (Status.INTERRUPTED, None)),
    ],
)
def test_how_a_task_ended(messages: list[dict[str, Any]], ended: tuple[Status, str | None]) -> None:
    run, _ = read(TASK, *messages)
    assert (run.status, run.status_detail) == ended


def test_requests_add_up() -> None:
    run, _ = read(TASK, request(10, 3, 1, cost=0.25), request(20, 4, 2, cost=0.5))
    assert (kinds(run), run.cost_usd, run.turns) == ((30, 4, 12, 7), 0.75, 2)
    # What was deleted, and what subagents used, was spent, too, and is no turn.
    for name in ("deleted_api_reqs", "subagent_usage"):
        other = say(name, {"tokensIn": 5, "tokensOut": 1, "cost": 0.25}, 2)
        run, _ = read(TASK, request(10, 3, 1, cost=0.25), other)
        assert (run.tokens.input, run.tokens.output, run.cost_usd, run.turns) == (15, 4, 0.5, 1)
    assert [caveat.text for caveat in read(TASK)[0].caveats] == ["The run reports no tokens."]


def test_by_the_protocol_of_openai_what_was_sent_includes_the_cache() -> None:
    run, _ = read(TASK, request(10, 3, apiProtocol="openai"))
    assert (kinds(run), run.ledger_is_lower_bound) == ((2, 2, 6, 3), False)
    assert kinds(read(TASK, request(10, 3, apiProtocol="anthropic"))[0]) == (10, 2, 6, 3)
    run, _ = read(TASK, request(7, 3, apiProtocol="openai"))
    assert run.ledger_is_lower_bound
    assert ("W_CONTRADICTION", "A request has more cached than sent tokens: a lower bound.") in [
        (caveat.code, caveat.text) for caveat in run.caveats
    ]


@pytest.mark.parametrize(
    ("second", "is_lower_bound"),
    [
        ({}, True),
        ({"cancelReason": "user_cancelled"}, True),
        ({"cancelReason": "streaming_failed"}, False),
    ],
)
def test_a_request_without_tokens_makes_a_lower_bound(
    second: dict[str, Any], is_lower_bound: bool
) -> None:
    run, _ = read(TASK, request(10, 3, 1), say("api_req_started", second, 2))
    assert run.ledger_is_lower_bound is is_lower_bound and run.turns == 2


@pytest.mark.parametrize(("failed", "text"), [("odd", "odd"), ('{"message": "no"}', "no")])
def test_a_request_that_failed_says_why(failed: str, text: str) -> None:
    _, found = read(TASK, request(10, 3, streamingFailedMessage=failed, aura=1))
    assert texts_of(found)[1:] == [(StepKind.API_ERROR, text)]
    assert read(TASK, request(10, 3, aura=1))[0].unknown == ("api_req_started.aura",)


def test_a_command_has_the_output_that_follows() -> None:
    run, found = read(
        TASK,
        request(1, 1),
        ask("command", "makeREQ_APP", 1),
        say("command", "make", 1),
        say("command_output", "red", 2),
        say("command_output", "", 2),
        say("command_output", "blue", 3),
        say("text", "x", 5),
        say("command_output", "late", 6),
    )
    (call,) = calls(found)
    assert (call.name, call.target, call.result) == ("execute_command", "make", "red\nblue")
    assert call.answered_ms == NOW + 5_000
    (call,) = calls(read(TASK, say("command", "ls", 1), say("command_output", "a", 2))[1])
    assert (call.result, call.answered_ms) == ("a", NOW + 2_000)
    # In the next turn the same command is another one.
    again = [say("command", "ls", 1), request(1, 1, 2), say("command", "ls", 3)]
    assert len(calls(read(TASK, *again)[1])) == 2
    assert run.steps and run.steps.tool_calls == 1


def test_a_tool_has_a_name_and_its_arguments() -> None:
    def one(*messages: dict[str, Any]) -> Any:
        (call,) = calls(read(TASK, request(1, 1), *messages)[1])
        return call

    assert one(say("tool", {"tool": "readFile", "path": "a.py"})).target == "a.py"
    server = {"serverName": "s", "toolName": "find", "arguments": '{"path": "b.py"}'}
    call = one(say("use_mcp_server", server), say("mcp_server_response", "found", 2))
    assert (call.name, call.target, call.result) == ("find", "b.py", "found")
    assert one(say("browser_action", {"action": "click"})).name == "browser_action"
    assert one(say("browser_action_launch", "x"), say("browser_action_result", "y")).result == "y"
    # What is asked may be said again.
    asked = {"tool": "readFile", "path": "a.py"}
    assert one(ask("tool", asked), say("tool", asked)).name == "readFile"
    summary = say("tool", {"tool": "summarizeTask", "content": "Short."})
    assert texts_of(read(TASK, summary)[1])[1:] == [(StepKind.COMPACTION, "Short.")]


def test_an_edit_has_its_lines() -> None:
    new = {"tool": "newFileCreated", "path": "a.py", "content": "x\ny"}
    (call,) = calls(read(TASK, say("tool", new))[1])
    assert (call.changes, call.lines_added, call.lines_removed) == ("+x\n+y", 2, 0)
    diff = "<<<<<<< SEARCH\nold\n=======\nnew\nmore\n>>>>>>> REPLACE"
    (call,) = calls(
        read(TASK, say("tool", {"tool": "editedExistingFile", "path": "a", "diff": diff}))[1]
    )
    assert (call.lines_added, call.lines_removed, call.failed) == (2, 1, False)
    (call,) = calls(read(TASK, say("tool", {"tool": "editedExistingFile", "path": "a"}))[1])
    assert (call.lines_added, call.changes) == (None, "")
