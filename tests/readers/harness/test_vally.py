"""Trials of Vally."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Outcome, Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.harness.vally import VALLY_TRIAL, read_trial
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, texts_of
from tests.support.reading import read_source

USAGE = {"inputTokens": 300, "outputTokens": 20, "cacheReadTokens": 200, "cacheWriteTokens": 50}


def trial(**fields: Any) -> dict[str, Any]:
    return {
        "type": "trial-result",
        "evalName": "harbour",
        "variant": "skilled",
        "model": "moon-3",
        "stimulus": "tide",
        "trialIndex": 1,
        "status": "success",
        "durationMs": 9_000,
        **fields,
    }


def runs_of(*records: dict[str, Any], name: str = "o/results.jsonl") -> tuple[Run, ...]:
    data = "\n".join(map(json.dumps, records)).encode()
    return read_source(RunFile.of(name, data), named=False) or ()


def measured(**metrics: Any) -> Run:
    (run,) = runs_of(trial(trajectory={"id": "t", "metrics": metrics}))
    return run


def test_each_trial_is_a_run_and_a_summary_is_none() -> None:
    first, second = runs_of(trial(), trial(trialIndex=0), {"type": "run-summary", "passed": True})
    assert (first.task, first.evaluation, first.attempt) == ("tide", "harbour", 1)
    assert second.attempt == 0
    assert first.factors == (("skill", "with"),) and first.wall_ms == 9_000


def test_the_status_is_of_the_execution_and_the_grade_the_verdict() -> None:
    (run,) = runs_of(trial(gradeResult={"passed": False, "score": 0.4}))
    assert (run.status, run.outcome, run.scores[0].value) == (Status.OK, Outcome.FAIL, 0.4)


@pytest.mark.parametrize(
    ("fields", "status", "detail"),
    [
        ({"error": "Timeout after 300000ms"}, Status.STOPPED, "timeout"),
        ({"error": "401 Unauthorized"}, Status.STOPPED, "not logged in"),
        ({"error": "Nothing known"}, Status.FAILED, "error"),
        ({"gradeResult": {"passed": True}, "error": "timed out"}, Status.FAILED, "time limit"),
    ],
)
def test_an_error_has_no_verdict_of_its_own(
    fields: dict[str, Any], status: Status, detail: str
) -> None:
    (run,) = runs_of(trial(status="error", **fields))
    assert (run.status, run.status_detail) == (status, detail)
    assert run.outcome is (Outcome.PASS if "gradeResult" in fields else None)
    assert run.tokens.total is None


def test_what_was_sent_includes_the_cache() -> None:
    tokens = measured(tokenUsage={**USAGE, "totalTokens": 320}).tokens
    assert (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output) == (50, 200, 50, 20)


def test_models_have_their_own_counts_where_these_add_up() -> None:
    half = {name: count // 2 for name, count in USAGE.items()}
    both = {"moon-3": half, "sun-1": half}
    assert {line.model for line in measured(tokenUsage={**USAGE, "byModel": both}).ledger} == {
        "moon-3",
        "sun-1",
    }
    odd = {"moon-3": half, "sun-1": {}}
    assert [line.model for line in measured(tokenUsage={**USAGE, "byModel": odd}).ledger] == [
        "moon-3"
    ]


def test_usage_of_nothing_is_unknown() -> None:
    zeros = dict.fromkeys(USAGE, 0)
    assert measured(tokenUsage={**zeros, "callCount": 0}).tokens.total is None


def test_main_is_no_arm_but_its_folder_may_be_one() -> None:
    (run,) = runs_of(trial(variant="main"))
    assert run.factors == ()
    (run,) = runs_of(trial(variant="main"), name="o/baseline/results.jsonl")
    assert run.factors == (("skill", "without"),)


def test_the_metadata_of_a_trial_says_which_one_it_is() -> None:
    stated = {
        "evalName": "harbour",
        "stimulusName": "tide",
        "variant": "plugin",
        "trialIndex": 0,
        "model": "moon-3",
    }
    (run,) = runs_of(stated, name="o/harbour/tide/moon-3/0/metadata.json")
    assert (run.task, run.attempt, run.model) == ("tide", 0, "moon-3")
    assert run.factors == (("skill", "plugin"),) and run.outcome is None


def events_of(*events: dict[str, Any], **trajectory: Any) -> tuple[Run, list[Step]]:
    run = RunBuilder(VALLY_TRIAL.format)
    assert read_trial(trial(trajectory={"events": list(events), **trajectory}), run)
    steps = [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]
    return run.build(), steps


def event(kind: str, second: int, **data: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": f"2026-03-01T10:00:{second:02}Z", "data": data}


def test_events_are_steps() -> None:
    called = event("tool_call", 2, toolCallId="c1", toolName="bash", arguments={"command": "ls"})
    run, found = events_of(
        event("skill_activation", 0, name="pdf"),
        event("assistant_message", 1, content="I look."),
        event("assistant_message", 1, content=" "),
        called,
        event("tool_result", 3, toolCallId="c1", success=True, result={"content": "a.py"}),
        event("odd", 4, content="x"),
        stimulus={"prompt": "Mend it.", "name": "other"},
        output="All done.",
        metadata={"sessionID": "vally-1", "model": "sun-1", "skillsLoaded": ["pdf"]},
    )
    assert texts_of(found) == [
        (StepKind.PROMPT, "Mend it."),
        (StepKind.NOTICE, "Skill pdf"),
        (StepKind.TEXT, "I look."),
        (StepKind.TOOL_CALL, "bash"),
    ]
    (call,) = calls(found)
    assert (call.target, call.result, call.failed) == ("ls", "a.py", False)
    assert call.answered_ms == 1_772_359_203_000
    assert (run.session_id, run.texts.summary, run.started_at) == (
        "vally-1",
        "All done.",
        "2026-03-01T10:00:00Z",
    )
    assert dict(run.texts.fields)["metadata.skillsLoaded"] == "pdf"


@pytest.mark.parametrize(
    ("data", "failed", "text"),
    [
        ({"success": False, "result": "no"}, True, "no"),
        ({"success": None, "result": [{"text": "a"}, {"text": "b"}]}, False, "a\n\nb"),
        ({}, False, ""),
    ],
)
def test_a_call_has_its_result(data: dict[str, Any], failed: bool, text: str) -> None:
    called = event("tool_call", 1, toolCallId="c1", toolName="bash")
    (call,) = calls(events_of(called, event("tool_result", 2, toolCallId="c1", **data))[1])
    assert (call.failed, call.result) == (failed, text)


@pytest.mark.parametrize(
    ("metrics", "events", "notices"),
    [
        ({}, [], []),
        ({"skillActivationCount": 2}, [], ["Skill"]),
        ({"skillActivationCount": 0}, [], []),
        ({"skillActivationCount": 1}, ["pdf"], ["Skill pdf"]),
        ({"skillActivationBreakdown": {"b": 1, "a": 1}}, ["b"], ["Skill b", "Skill a"]),
        (
            {"skillActivationCount": 2, "skillActivationBreakdown": {"b": 1, "a": 1}},
            [],
            ["Skill a", "Skill b"],
        ),
    ],
)
def test_skills_that_no_event_names_stand_in_the_metrics(
    metrics: dict[str, Any], events: list[str], notices: list[str]
) -> None:
    activated = [event("skill_activation", 1, name=name) for name in events]
    _, found = events_of(*activated, metrics=metrics)
    assert texts_of(found) == [(StepKind.NOTICE, text) for text in notices]


@pytest.mark.parametrize(
    ("first", "second", "third", "task"),
    [("a", "b", "c", "a"), ("", "b", "c", "b"), ("", "", "c", "c"), ("", "", "", None)],
)
def test_the_task_is_the_first_stimulus_that_is_named(
    first: str, second: str, third: str, task: str | None
) -> None:
    run = RunBuilder(VALLY_TRIAL.format)
    grade, trajectory = {"stimulusName": second}, {"stimulus": {"name": third}}
    assert read_trial(trial(stimulus=first, gradeResult=grade, trajectory=trajectory), run)
    assert run.task == task


def test_the_time_is_that_of_the_agent_else_of_the_trial() -> None:
    assert measured(wallTimeMs=700, turnCount=3).wall_ms == 700
    assert measured(wallTimeMs=700, turnCount=3).turns == 3
    assert measured(wallTimeMs=0).wall_ms == measured().wall_ms == 9_000


@pytest.mark.parametrize(
    ("fields", "ended"),
    [
        ({}, (Status.OK, None)),
        ({"status": "odd"}, (Status.UNKNOWN, None)),
        ({"trajectory": {"endReason": "timeout"}}, (Status.STOPPED, "timeout")),
        ({"error": "Timed Out"}, (Status.STOPPED, "timeout")),
        ({"error": "429"}, (Status.OK, None)),
        ({"status": "error", "error": "429"}, (Status.STOPPED, "usage limit")),
    ],
)
def test_how_a_trial_ended(fields: dict[str, Any], ended: tuple[Status, str | None]) -> None:
    (run,) = runs_of(trial(**fields))
    assert (run.status, run.status_detail) == ended


def test_a_grade_has_a_score_and_names_its_checks() -> None:
    details = [{"name": "b"}, {"name": "a"}, {}]
    (run,) = runs_of(trial(gradeResult={"passed": True, "score": "0.5", "details": details}))
    (score,) = run.scores
    assert (score.name, score.value, score.higher_is_better) == ("score", 0.5, True)
    assert (run.outcome, ("Checks", "3 (a, b)") in run.given) == (Outcome.PASS, True)
    (run,) = runs_of(trial(gradeResult={"passed": "yes", "score": "much"}))
    assert (run.outcome, run.scores, run.given) == (None, (), ())
