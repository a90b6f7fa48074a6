"""Trajectories of mini-SWE-agent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source

SYSTEM, TASK = {"role": "system", "content": "Help."}, {"role": "user", "content": "Fix it."}


def asks(command: str, thought: str = "THOUGHT: so", **usage: int) -> dict[str, Any]:
    content = f"{thought}\n```bash\n{command}\n```"
    extra = {"response": {"usage": usage}} if usage else {}
    return {"role": "assistant", "content": content, "extra": extra}


def gets(text: str, code: int = 0) -> dict[str, Any]:
    return {"role": "user", "content": f"<returncode>{code}</returncode>\n{text}"}


def file_of(*messages: dict[str, Any], **info: Any) -> RunFile:
    record = {
        "info": {
            "mini_version": "1.2",
            "model_stats": {"instance_cost": 0.5, "api_calls": 2},
            **info,
        },
        "messages": [SYSTEM, TASK, *messages],
        "instance_id": "task-1",
    }
    return RunFile.of("task-1.traj.json", json.dumps(record).encode())


def run_of(*messages: dict[str, Any], **info: Any) -> Run:
    (run,) = read_source(file_of(*messages, **info), named=False) or ()
    return run


def test_commands_are_calls_with_the_results_that_follow() -> None:
    found = list(raw_steps(file_of(asks("ls"), gets("a.py"), asks("false"), gets("", 1)), "run 0"))
    assert [step.kind for step in found] == [
        StepKind.PROMPT,
        StepKind.TEXT,
        StepKind.TOOL_CALL,
        StepKind.TEXT,
        StepKind.TOOL_CALL,
    ]
    calls = [step.call for step in found if step.call]
    assert [(call.target, call.exit_code) for call in calls] == [("ls", 0), ("false", 1)]


@pytest.mark.parametrize(
    ("info", "status", "detail"),
    [
        ({"exit_status": "Submitted"}, Status.OK, None),
        (
            {"exit_status": "LimitsExceeded", "config": {"agent": {"step_limit": 2}}},
            Status.FAILED,
            "turn limit",
        ),
        (
            {"exit_status": "LimitsExceeded", "config": {"agent": {"cost_limit": 0.5}}},
            Status.FAILED,
            "cost limit",
        ),
        ({}, Status.INTERRUPTED, None),
    ],
)
def test_the_exit_status_says_how_it_ended(
    info: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = run_of(asks("ls"), gets("x"), **info)
    assert (run.status, run.status_detail) == (status, detail)
    assert (run.cost_usd, run.turns, run.task, run.agent_version) == (0.5, 2, "task-1", "1.2")


def test_a_run_that_submits_without_a_status_ended() -> None:
    run = run_of(asks("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"), gets("x"))
    assert run.status is Status.OK


def test_tokens_stand_beside_answers() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    run = run_of(asks("ls", **usage), gets("x"))
    assert (run.tokens.sent, run.tokens.output, run.tokens.cache_write) == (10, 2, 0)
    assert run_of(asks("ls"), gets("x")).tokens.total is None
