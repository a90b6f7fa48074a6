"""opencode: streams and exports."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Status
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import calls, kinds, read, real, run_of, steps

SESSION = "ses_tide"


def summed(tokens: list[dict[str, Any]]) -> tuple[int, int, int, int]:
    return (
        sum(each["input"] for each in tokens),
        sum(each["cache"]["write"] for each in tokens),
        sum(each["cache"]["read"] for each in tokens),
        sum(each["output"] + each["reasoning"] for each in tokens),
    )


def test_real_streams_have_the_figures_of_their_steps(shared: Path) -> None:
    read_files = 0
    for path, run, records in real(shared, "opencode-stream"):
        ends = [record["part"] for record in records if record["type"] == "step_finish"]
        assert kinds(run) == summed([end["tokens"] for end in ends]), path
        cost = math.fsum(end["cost"] for end in ends)
        assert run.cost_usd == pytest.approx(cost) and cost > 0, path
        assert run.turns == len(
            {record["part"]["messageID"] for record in records if "part" in record}
        )
        assert run.steps and run.steps.tool_calls == sum(
            record["type"] == "tool_use" for record in records
        )
        assert run.texts.summary == [r["part"]["text"] for r in records if r["type"] == "text"][-1]
        assert run.model is None and run.session_id == records[0]["sessionID"]
        read_files += 1
    assert read_files == 5


def test_a_real_export_has_the_figures_of_its_messages_by_model(shared: Path) -> None:
    for path, run, (session,) in real(shared, "opencode-export"):
        answers = [m["info"] for m in session["messages"] if m["info"]["role"] == "assistant"]
        for line in run.ledger:
            tokens = [info["tokens"] for info in answers if info["modelID"] == line.model]
            of_line = (
                line.tokens.input,
                line.tokens.cache_write,
                line.tokens.cache_read,
                line.tokens.output,
            )
            assert of_line == summed(tokens), path
        assert kinds(run) == summed([session["info"]["tokens"]])
        assert (run.turns, run.cost_usd) == (len(answers), None)  # a subscription costs 0 a message
        tools = [p for m in session["messages"] for p in m["parts"] if p["type"] == "tool"]
        assert run.steps and run.steps.tool_calls == len(tools)
        assert run.steps.tool_failures == sum(tool["state"]["status"] == "error" for tool in tools)
        assert (run.agent_version, run.session_id) == (
            session["info"]["version"],
            session["info"]["id"],
        )


def line(kind: str, at: int = 0, **part: Any) -> dict[str, Any]:
    part = {"messageID": "msg_1", "type": kind.replace("_", "-"), **part}
    return {"type": kind, "timestamp": 1_770_000_000_000 + at, "sessionID": SESSION, "part": part}


def finish(reason: str, cost: float, output: int, at: int = 0) -> dict[str, Any]:
    tokens = {"input": 10, "output": output, "reasoning": 5, "cache": {"read": 7, "write": 3}}
    return line("step_finish", at, reason=reason, cost=cost, tokens=tokens)


@pytest.mark.parametrize(
    ("last", "status", "detail"),
    [
        (finish("stop", 0.1, 1), Status.OK, None),
        (finish("tool-calls", 0.1, 1), Status.INTERRUPTED, None),
        (finish("length", 0.1, 1), Status.FAILED, "output limit"),
        (
            {
                "type": "error",
                "sessionID": SESSION,
                "error": {"name": "APIError", "data": {"statusCode": 429}},
            },
            Status.STOPPED,
            "usage limit",
        ),
        (
            {
                "type": "error",
                "sessionID": SESSION,
                "error": {"name": "MessageAbortedError", "data": {}},
            },
            Status.INTERRUPTED,
            "aborted",
        ),
    ],
)
def test_the_last_step_says_how_a_stream_ended(
    last: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = read(line("step_start"), last)
    assert (run.status, run.status_detail) == (status, detail)


def test_a_cost_of_nothing_beside_tokens_is_unknown() -> None:
    assert read(finish("stop", 0, 20)).cost_usd is None
    assert read(finish("tool-calls", 0, 20), finish("stop", 0.5, 20)).cost_usd == 0.5


def test_parts_become_steps_with_what_their_message_used() -> None:
    edit = {
        "status": "completed",
        "input": {"filePath": "tide.py"},
        "output": "ok",
        "metadata": {"diff": "--- a\n+++ b\n-x\n+y\n+z"},
        "time": {"start": 1_770_000_001_000, "end": 1_770_000_003_000},
    }
    failed = {
        "status": "error",
        "input": {"command": "make"},
        "error": "denied",
        "metadata": {"exit": 2},
    }
    found = steps(
        line("reasoning", text="Hm."),
        line("tool_use", type="tool", tool="edit", callID="c1", state=edit),
        line("tool_use", type="tool", tool="bash", callID="c2", state=failed),
        finish("tool-calls", 0.1, 20),
        line("text", text="Done."),
    )
    assert [step.kind for step in found] == [
        StepKind.THINKING,
        *[StepKind.TOOL_CALL] * 2,
        StepKind.TEXT,
    ]
    assert found[0].tokens and (found[0].tokens.output, found[0].context_tokens) == (25, 20)
    first, second = calls(found)
    assert (first.kind, first.target, first.lines_added, first.lines_removed) == (
        ToolKind.EDIT,
        "tide.py",
        2,
        1,
    )
    assert (second.kind, second.failed, second.result, second.exit_code) == (
        ToolKind.RUN,
        True,
        "denied",
        2,
    )


def test_an_export_is_read_without_the_time_between_turns() -> None:
    def message(id_: str, role: str, created: int, **fields: Any) -> dict[str, Any]:
        time = {"created": 1_770_000_000_000 + created}
        if role == "assistant":
            time["completed"] = time["created"] + 1000
        parts = [{"type": "text", "text": f"{role} says", "messageID": id_}]
        return {"info": {"id": id_, "role": role, "time": time, **fields}, "parts": parts}

    tokens = {"input": 1, "output": 2, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    done = {"modelID": "glm-5", "finish": "stop", "cost": 0.25, "tokens": tokens}
    session = {
        "info": {"id": SESSION, "version": "1.15.0", "time": {"created": 1_770_000_000_000}},
        "messages": [
            message("m1", "user", 0),
            message("m2", "assistant", 500, **done),
            message("m3", "user", 90_000),
            message("m4", "assistant", 90_500, **done),
        ],
    }
    run = run_of(json.dumps(session).encode(), "session.json")
    assert (run.wall_ms, run.turns, run.cost_usd, run.status) == (3000, 2, 0.5, Status.OK)
    assert (run.model, run.texts.summary, run.agent_version) == (
        "glm-5",
        "assistant says",
        "1.15.0",
    )
