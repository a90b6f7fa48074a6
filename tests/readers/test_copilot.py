"""Sessions of the Copilot CLI."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.copilot import CopilotSession
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told


def event(kind: str, number: int, **data: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:00:{number:02}Z"
    return {"type": kind, "id": f"e{number}", "timestamp": at, "data": data}


START = event(
    "session.start",
    0,
    sessionId="copilot-1",
    copilotVersion="1.2",
    selectedModel="moon-3",
    reasoningEffort="High",
    startTime="2026-03-01T09:59:59Z",
)


def says(number: int, text: str, output: int = 0, **data: Any) -> dict[str, Any]:
    return event("assistant.message", number, content=text, outputTokens=output, **data)


def used(**usage: int) -> dict[str, Any]:
    return {"usage": usage}


def end(number: int, **models: Any) -> dict[str, Any]:
    return event("session.shutdown", number, modelMetrics=models, totalApiDurationMs=300)


WHOLE = used(inputTokens=100, cacheReadTokens=60, cacheWriteTokens=10, outputTokens=20)


def read(*events: dict[str, Any]) -> tuple[Run, list[Step]]:
    return told(CopilotSession(), *events)


def test_a_session_begins_with_its_facts() -> None:
    run, _ = read(START, event("assistant.turn_start", 1), says(2, "Done."), end(3, a=WHOLE))
    assert (run.session_id, run.agent_version, run.effort) == ("copilot-1", "1.2", "high")
    assert (run.started_at, run.turns, run.api_ms) == ("2026-03-01T09:59:59Z", 1, 300)
    reader = CopilotSession()
    told(reader, event("session.start", 0), says(1, "x"))
    assert not reader.is_known
    assert (reader.session_of(START), reader.session_of(says(1, "x"))) == ("copilot-1", None)


def test_events_are_steps() -> None:
    run, found = read(
        START,
        event("user.message", 1, content="Mend it."),
        says(2, "I look.", reasoningText="Hm.", messageId="m1"),
        says(3, " "),
        event("session.compaction_complete", 4),
        event("system.notification", 5, content="Note."),
        event("session.error", 6, message="429"),
        event("session.error", 7),
        event("user.message", 8, content=""),
        event("user.message", 1, content="again"),
        event("odd", 9),
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.THINKING, "Hm."),
        (StepKind.TEXT, "I look."),
        (StepKind.COMPACTION, ""),
        (StepKind.NOTICE, "Note."),
        (StepKind.API_ERROR, "429"),
    ]
    assert [step.message_id for step in found[1:3]] == ["m1", "m1"]
    assert (run.unknown, run.status_detail) == (("odd",), "usage limit")


@pytest.mark.parametrize(
    ("events", "ended"),
    [
        ([says(1, "Done.")], (Status.UNKNOWN, "not stated")),
        ([says(1, "Done."), end(2)], (Status.OK, None)),
        ([says(1, "I call.", toolRequests=[{}])], (Status.INTERRUPTED, None)),
        ([says(1, "I call.", toolRequests=[{}]), end(2)], (Status.INTERRUPTED, None)),
        ([says(1, "Done."), event("abort", 2), end(3)], (Status.INTERRUPTED, "aborted")),
        ([says(1, "Done."), event("user.message", 2, content="x")], (Status.INTERRUPTED, None)),
    ],
)
def test_how_a_session_ended(
    events: list[dict[str, Any]], ended: tuple[Status, str | None]
) -> None:
    run, _ = read(START, *events)
    assert (run.status, run.status_detail) == ended


def test_the_end_of_each_process_has_its_tokens() -> None:
    run, _ = read(START, says(1, "Done.", 20, model="a"), end(2, a=WHOLE, b=used(inputTokens=0)))
    assert (kinds(run), run.ledger_is_lower_bound, run.caveats) == ((30, 10, 60, 20), False, ())
    run, _ = read(
        START, says(1, "x", 20, model="a"), end(2, a=WHOLE), says(3, "y", 9), end(4, a=WHOLE)
    )
    assert (kinds(run), run.api_ms) == ((60, 20, 120, 40), 600)


def test_without_an_end_only_the_output_of_messages_is_known() -> None:
    run, _ = read(
        START,
        says(1, "a", 5),
        event("session.model_change", 2, newModel="sun-1", reasoningEffort="low"),
        says(3, "b", 7),
        event("session.model_change", 4),
        says(5, "c", 1),
    )
    assert {line.model: line.tokens.output for line in run.ledger} == {"moon-3": 5, "sun-1": 8}
    assert kinds(run) == (None, None, None, 13) and run.ledger_is_lower_bound
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        (
            "W_MISSING",
            "No end of the session reports all tokens: only the output of messages is known.",
        )
    ]
    # Of a model that an end counted, nothing is left.
    run, _ = read(
        START, says(1, "a", 5), says(2, "b", 7, model="sun-1"), end(3, **{"moon-3": WHOLE})
    )
    assert {line.model: line.tokens.output for line in run.ledger} == {"moon-3": 20, "sun-1": 7}
    assert run.ledger_is_lower_bound


def test_what_is_charged_besides_is_listed() -> None:
    charged = {"totalPremiumRequests": 3, "codeChanges": {"linesAdded": 5}, "other": 1}
    run, _ = read(START, event("session.shutdown", 1, **charged))
    fields = dict(run.texts.fields)
    assert fields["session.shutdown.totalPremiumRequests"] == "3"
    assert fields["session.shutdown.codeChanges.linesAdded"] == "5"
    assert "session.shutdown.other" not in fields and run.api_ms == 0


BEGUN = event(
    "tool.execution_start", 1, toolCallId="c1", toolName="bash", arguments={"command": "make"}
)


@pytest.mark.parametrize(
    ("data", "text", "failed", "code", "denied"),
    [
        ({"success": True, "result": {"content": "ok"}}, "ok", False, None, False),
        ({"result": {"content": "ok"}}, "ok", False, None, False),
        ({"success": False, "error": {"message": "no"}}, "no", True, None, False),
        (
            {"success": False, "error": {"message": "no", "code": "denied"}},
            "no",
            True,
            None,
            True,
        ),
        ({"success": False, "error": {"code": "rejected"}}, "", True, None, True),
        (
            {"result": {"content": "x\n<exited with exit code 2>"}},
            "x\n<exited with exit code 2>",
            True,
            2,
            False,
        ),
        (
            {"result": {"content": "<completed with exit code 0> \n"}},
            "<completed with exit code 0> \n",
            False,
            0,
            False,
        ),
        (
            {"result": {"content": "<exited with exit code 2> and on"}},
            "<exited with exit code 2> and on",
            False,
            None,
            False,
        ),
    ],
)
def test_a_call_has_its_result(
    data: dict[str, Any], text: str, failed: bool, code: int | None, denied: bool
) -> None:
    done = event("tool.execution_complete", 3, toolCallId="c1", **data)
    _, found = read(START, BEGUN, done)
    (call,) = calls(found)
    assert (call.name, call.target, call.result) == ("bash", "make", text)
    assert (call.failed, call.exit_code, call.denied) == (failed, code, denied)
    assert call.answered_ms == 1_772_359_203_000


def test_a_call_that_began_has_no_result_yet() -> None:
    assert calls(read(START, BEGUN)[1])[0].failed is None
