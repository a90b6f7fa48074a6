"""Trajectories in Harbor's format."""

from __future__ import annotations

import json
from typing import Any

from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source


def agent(text: str, sent: int, output: int, **more: Any) -> dict[str, Any]:
    metrics = {"prompt_tokens": sent, "cached_tokens": 0, "completion_tokens": output}
    return {"source": "agent", "message": text, "metrics": metrics, **more}


def file_of(*steps: dict[str, Any], **more: Any) -> RunFile:
    record = {
        "schema_version": "ATIF-v1.5",
        "session_id": "s",
        "agent": {"name": "Tally", "version": "1", "model_name": "m"},
        "steps": list(steps),
        **more,
    }
    return RunFile.of("trajectory.json", json.dumps(record).encode())


def run_of(*steps: dict[str, Any], **more: Any) -> Run:
    (run,) = read_source(file_of(*steps, **more), named=False) or ()
    return run


def steps_of(*steps: dict[str, Any]) -> list[Step]:
    return list(raw_steps(file_of(*steps), "run 0"))


def test_steps_add_up_where_no_total_is_stated() -> None:
    run = run_of({"source": "user", "message": "Go."}, agent("a", 10, 2), agent("b", 20, 3))
    assert (run.tokens.sent, run.tokens.output, run.turns) == (30, 5, 2)
    assert (run.reader, run.status, run.status_detail) == (
        "Tally trajectory",
        Status.UNKNOWN,
        "not stated",
    )
    assert run.texts.summary == "b" and run.is_converted


def test_final_metrics_are_the_figures_of_the_run() -> None:
    final = {"total_prompt_tokens": 99, "total_completion_tokens": 9, "total_cost_usd": 0.5}
    run = run_of(agent("a", 10, 2), final_metrics=final)
    assert (run.tokens.sent, run.tokens.output, run.cost_usd) == (99, 9, 0.5)


def test_copied_steps_do_not_count() -> None:
    run = run_of(agent("a", 10, 2, is_copied_context=True), agent("b", 20, 3))
    assert (run.tokens.sent, run.turns) == (20, 1) and run.caveats[0].code == "W_COPY"


def test_results_may_stand_in_a_step_of_their_own() -> None:
    calls = [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}]
    late = {
        "source": "agent",
        "observation": {"results": [{"content": "a.py"}]},
        "extra": {"exec_exit_code": 1},
    }
    found = steps_of(agent("", 1, 1, tool_calls=calls), late)
    (call,) = [step.call for step in found if step.call]
    assert (call.result, call.exit_code) == ("a.py", 1)
    here = agent("", 1, 1, tool_calls=calls, observation={"results": [{"content": "b.py"}]})
    (call,) = [step.call for step in steps_of(here) if step.call]
    assert call.result == "b.py"


def test_a_subagent_has_a_step() -> None:
    run = run_of(agent("a", 1, 1), subagent_trajectories=[{"agent": {"name": "helper"}}])
    assert run.steps is not None and run.steps.steps == 2


def test_tokens_belong_to_the_model_that_the_step_or_one_before_it_names() -> None:
    steps = [agent("a", 1, 1), agent("b", 10, 2, model_name="m2"), agent("c", 100, 3)]
    run = run_of(*steps, agent("d", 1000, 4, model_name="m"))
    sent = {line.model: (line.tokens.sent, line.tokens.output) for line in run.ledger}
    assert sent == {"m": (1001, 5), "m2": (110, 5)}
