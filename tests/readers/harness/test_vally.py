"""Trials of Vally."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Outcome, Run, Status
from sitegen.readers.run_file import RunFile
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
