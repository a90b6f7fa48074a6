"""Trajectories of TRAE-Agent."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.trae import TRAE, read_trajectory
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of

BEGAN, ENDED = "2026-03-01T10:00:00", "2026-03-01T10:00:09"


def answer(content: str, usage: dict[str, int] | None = None, **fields: Any) -> dict[str, Any]:
    response = {"content": content, "usage": usage or {"input_tokens": 10, "output_tokens": 2}}
    return {"timestamp": "2026-03-01T10:00:01", "response": response, **fields}


def step(**fields: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-01T10:00:03", "llm_response": {}, **fields}


def read(
    answers: list[dict[str, Any]], steps: list[dict[str, Any]] | None = None, **fields: Any
) -> tuple[Run, list[Step]]:
    record = {"llm_interactions": answers, "agent_steps": steps or [], "start_time": BEGAN}
    run = RunBuilder(TRAE.format)
    assert read_trajectory(record | {"model": "moon-3"} | fields, run)
    found = [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]
    return run.build(), found


@pytest.mark.parametrize("name", ["llm_interactions", "agent_steps"])
def test_a_trajectory_has_two_lists(name: str) -> None:
    record: dict[str, Any] = {"llm_interactions": [], "agent_steps": []}
    assert read_trajectory(record, RunBuilder(TRAE.format))
    assert not read_trajectory(record | {name: {}}, RunBuilder(TRAE.format))


def test_an_answer_stands_between_its_prompts_and_its_calls() -> None:
    asked = [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": "Mend it."},
        {"role": "user", "content": " "},
    ]
    call = {"call_id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    result = {"call_id": "c1", "success": True, "result": "a.py", "error": "warned"}
    run, found = read(
        [answer("I look.", input_messages=asked), answer(" ")],
        [{"state": "x"}, step(tool_calls=[call], tool_results=[result]), step(error="odd")],
    )
    assert texts_of(found)[:3] == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.TEXT, "I look."),
        (StepKind.TOOL_CALL, "bash"),
    ]
    (found_call,) = calls(found)
    assert (found_call.result, found_call.failed) == (
        "a.py\nwarned",
        False,
    )
    assert (found[3].kind, found[3].text, len(found)) == (StepKind.API_ERROR, "odd", 4)
    assert run.turns == 2


@pytest.mark.parametrize(("success", "failed"), [(False, True), (True, False), (None, False)])
def test_a_result_says_whether_its_call_failed(success: bool | None, failed: bool) -> None:
    call = {"call_id": "c1", "name": "bash", "arguments": {}}
    result = {"call_id": "c1", "success": success, "result": "x"}
    _, found = read([answer("a")], [step(tool_calls=[call], tool_results=[result])])
    assert [call.failed for call in calls(found)] == [failed]


def test_a_run_without_an_answer_used_nothing_and_has_its_task() -> None:
    run, found = read([], task="Mend it.")
    assert (kinds(run), run.turns, texts_of(found)) == (
        (0, 0, 0, 0),
        0,
        [(StepKind.PROMPT, "Mend it.")],
    )


CACHED = {
    "input_tokens": 10,
    "cache_read_input_tokens": 6,
    "cache_creation_input_tokens": 0,
    "output_tokens": 2,
}
ZEROS = CACHED | {"cache_read_input_tokens": 0}


@pytest.mark.parametrize(
    ("provider", "usage", "counts"),
    [
        ("openai", CACHED, (4, 0, 6, 2)),
        ("openai", ZEROS, (10, 0, 0, 2)),
        ("anthropic", CACHED, (10, 0, 6, 2)),
        ("bedrock", CACHED, (10, 0, 6, 2)),
        ("anthropic", ZEROS, (10, None, None, 2)),
        ("doubao", ZEROS, (10, None, None, 2)),
    ],
)
def test_only_openai_states_what_was_cached_within_what_was_sent(
    provider: str, usage: dict[str, int], counts: tuple[int | None, ...]
) -> None:
    assert kinds(read([answer("a", usage)], provider=provider)[0]) == counts


@pytest.mark.parametrize(
    ("fields", "steps", "ended"),
    [
        ({"success": True}, [], (Status.OK, None)),
        ({"success": True, "final_result": "Done."}, [], (Status.OK, None)),
        ({}, [], (Status.INTERRUPTED, None)),
        ({"success": "yes"}, [], (Status.INTERRUPTED, None)),
        ({"end_time": ENDED}, [], (Status.FAILED, None)),
        ({"end_time": ENDED, "max_steps": 1}, [step()], (Status.FAILED, "turn limit")),
        ({"end_time": ENDED, "max_steps": 2}, [step()], (Status.FAILED, None)),
        ({"end_time": ENDED, "max_steps": 0}, [step()], (Status.FAILED, None)),
        ({"end_time": ENDED}, [step(error="429")], (Status.STOPPED, "usage limit")),
        ({"end_time": ENDED}, [step(error="429"), step()], (Status.FAILED, None)),
        ({"final_result": "Exceeded max steps"}, [], (Status.FAILED, "turn limit")),
    ],
)
def test_how_a_run_ended(
    fields: dict[str, Any], steps: list[dict[str, Any]], ended: tuple[Status, str | None]
) -> None:
    run, _ = read([answer("a")], steps, **fields)
    assert (run.status, run.status_detail) == ended


def test_what_the_agent_itself_says_of_a_limit_is_no_end() -> None:
    said = "Exceeded max steps"
    assert read([answer(said)], final_result=said)[0].status is Status.INTERRUPTED


def test_the_account_is_a_text_unless_it_is_the_last_answer() -> None:
    for final, texts in (("Done.", ["a", "Done."]), ("a", ["a"]), ("", ["a"])):
        _, found = read([answer("a")], success=True, final_result=final)
        assert [step.text for step in found] == texts


def test_times_have_no_zone() -> None:
    run, _ = read([answer("a")], end_time=ENDED)
    assert (run.wall_ms, run.started_at) == (9_000, None)
    assert read([answer("a")], end_time=ENDED, execution_time=7.5)[0].wall_ms == 7_500
    assert read([answer("a")], end_time=ENDED, execution_time=0)[0].wall_ms == 9_000


def test_fields_are_listed_and_those_that_nobody_knows_are_named() -> None:
    run, _ = read([answer("a")], [step(aura=1)], provider="openai", max_steps=5, glow=2)
    assert dict(run.texts.fields) == {"provider": "openai", "max_steps": "5", "success": "null"}
    assert run.unknown == ("agent_steps.aura", "glow")
