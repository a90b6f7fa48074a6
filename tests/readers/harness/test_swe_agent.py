"""Trajectories of SWE-agent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.builder import FilePlace, RunBuilder
from sitegen.readers.harness.swe_agent import SWE_AGENT, read_trajectory
from sitegen.steps import Step, StepKind, ToolKind


def trajectory(*turns: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"trajectory": list(turns), "info": {"exit_status": "submitted"}, **fields}


def read(record: dict[str, Any]) -> tuple[Run, list[Step]]:
    run = RunBuilder(SWE_AGENT.format, FilePlace("tide__tide-7"))
    assert read_trajectory(record, run)
    steps = [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]
    return run.build(), steps


@pytest.mark.parametrize(
    "record",
    [
        {"trajectory": []},
        {"info": {}},
        {"trajectory": {}, "info": {}},
        {"trajectory": [{"role": "user"}], "info": {}},
    ],
)
def test_what_has_no_turns_and_no_info_is_no_trajectory(record: dict[str, Any]) -> None:
    assert not read_trajectory(record, RunBuilder(SWE_AGENT.format))


def test_turns_that_have_an_action_or_an_observation_are_one() -> None:
    for turn in ({"action": "ls"}, {"observation": "a.py"}):
        assert read_trajectory(trajectory({}, turn), RunBuilder(SWE_AGENT.format))
    assert read_trajectory(trajectory(), RunBuilder(SWE_AGENT.format))


def test_the_task_the_model_and_the_effort_are_in_the_configuration() -> None:
    model = {"name": "gpt-5", "completion_kwargs": {"reasoning_effort": "high"}}
    config = {"problem_statement": {"id": "tide__tide-1"}, "agent": {"model": model}}
    for written in (config, json.dumps(config)):
        run, _ = read(trajectory(replay_config=written))
        assert (run.task, run.effort) == ("tide__tide-1", "high")
    assert read(trajectory())[0].task == "tide__tide-7"


@pytest.mark.parametrize(
    ("stats", "turns", "cost", "sent", "output"),
    [
        (
            {"api_calls": 5, "instance_cost": 0.5, "tokens_sent": 90, "tokens_received": 7},
            5,
            0.5,
            90,
            7,
        ),
        (
            {"api_calls": 0, "instance_cost": 0, "tokens_sent": 0, "tokens_received": 0},
            2,
            None,
            None,
            None,
        ),
        ({"tokens_sent": 90, "tokens_received": 0, "total_cost": 9}, 2, None, 90, None),
        ({"tokens_received": 7}, 2, None, None, 7),
    ],
)
def test_what_a_run_used(
    stats: dict[str, Any],
    turns: int,
    cost: float | None,
    sent: int | None,
    output: int | None,
) -> None:
    record = trajectory({"action": "ls"}, {"action": "ls"}, info={"model_stats": stats})
    run, _ = read(record)
    assert (run.turns, run.cost_usd) == (turns, cost)
    tokens = run.tokens
    assert (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write) == (
        sent,
        output,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        (None, (Status.INTERRUPTED, None)),
        ("submitted", (Status.OK, None)),
        ("submitted (exit_cost)", (Status.FAILED, "cost limit")),
        ("exit_context", (Status.FAILED, "context limit")),
        ("exit_api", (Status.STOPPED, "API error")),
        ("exit_odd", (Status.FAILED, "early exit")),
    ],
)
def test_how_a_run_ended(status: str | None, ended: tuple[Status, str | None]) -> None:
    run, _ = read(trajectory(info={"exit_status": status}))
    assert (run.status, run.status_detail) == ended


def test_prompts_are_those_before_the_first_answer_without_demonstrations() -> None:
    history = [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": "Shown.", "is_demo": True},
        {"role": "assistant", "content": "Look.", "is_demo": True},
        {"role": "user", "content": [{"text": "Mend it."}]},
        {"role": "user", "content": " "},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Later."},
    ]
    _, steps = read(trajectory(history=history))
    assert [(step.kind, step.text) for step in steps] == [(StepKind.PROMPT, "Mend it.")]


EDITS = ToolKind.EDIT


@pytest.mark.parametrize(
    ("action", "state", "name", "kind", "target"),
    [
        ("ls -l", {}, "bash", ToolKind.RUN, "ls -l"),
        ("open src/a.py 5", {}, "read", ToolKind.READ, "src/a.py"),
        ("open 'a.py'", {}, "read", ToolKind.READ, "a.py"),
        ("scroll_down", {"open_file": "/r/a.py"}, "read", ToolKind.READ, "/r/a.py"),
        ("find_file a.py src", {}, "search", ToolKind.SEARCH, None),
        ("edit 1:1\nx.y\nend_of_edit", {"open_file": "/r/a.py"}, "edit", EDITS, "/r/a.py"),
        ("insert 1 a/b", {"open_file": "/r/a.py"}, "edit", EDITS, "/r/a.py"),
        ("create src/b.py", {"open_file": "/r/a.py"}, "edit", EDITS, "src/b.py"),
        ("create new", {"open_file": "/r/a.py"}, "edit", EDITS, "/r/a.py"),
        ("str_replace_editor view /r/c.py", {}, "read", ToolKind.READ, "/r/c.py"),
        ("str_replace_editor str_replace /r/c.py --old x", {}, "edit", EDITS, "/r/c.py"),
        ("str_replace_editor", {}, "bash", ToolKind.RUN, "str_replace_editor"),
    ],
)
def test_an_action_is_a_call_by_what_its_command_does(
    action: str, state: dict[str, Any], name: str, kind: ToolKind, target: str | None
) -> None:
    for stated in (state, json.dumps(state)):
        turn = {"action": f" {action}\n", "observation": "seen", "state": stated}
        _, (step,) = read(trajectory(turn))
        assert step.call and (step.call.name, step.call.kind) == (name, kind)
        assert step.call.result == "seen"
        assert target is None or step.call.target == target


def test_no_open_file_is_no_file() -> None:
    turn = {"action": "edit 1:1\nx\nend_of_edit", "state": {"open_file": "n/a"}}
    run, (step,) = read(trajectory(turn))
    assert step.call and step.call.kind is EDITS
    assert run.steps and run.steps.files_edited in (None, 0)


def test_a_file_is_the_same_whether_named_from_its_folder_or_whole() -> None:
    state = {"working_dir": "/r/src", "open_file": "/r/src/a.py"}
    turns = [{"action": "create a.py", "state": state}, {"action": "edit 1\nx", "state": state}]
    run, _ = read(trajectory(*turns))
    assert run.steps and run.steps.files_edited == 1
    run, _ = read(trajectory(*turns, {"action": "create b.py", "state": state}))
    assert run.steps and run.steps.files_edited == 2


def test_thoughts_stand_before_their_actions() -> None:
    turns = [
        {"action": "ls", "thought": "First.", "response": "First. ls"},
        {"action": "", "thought": "", "response": "Then."},
        {"action": "exit_cost", "thought": "Too dear."},
        {"action": "ls", "thought": " "},
    ]
    _, steps = read(trajectory(*turns))
    assert [(step.kind, step.text) for step in steps] == [
        (StepKind.THINKING, "First."),
        (StepKind.TOOL_CALL, ""),
        (StepKind.THINKING, "Then."),
        (StepKind.NOTICE, "Too dear."),
        (StepKind.TOOL_CALL, ""),
    ]


def test_fields_of_turns_and_of_the_info_that_nobody_knows_are_named() -> None:
    run, _ = read(trajectory({"action": "ls", "aura": 1}, info={"glow": 1, "review": "good"}))
    assert run.unknown == ("info.glow", "trajectory.aura")
    assert dict(run.texts.fields)["info.review"] == "good"
