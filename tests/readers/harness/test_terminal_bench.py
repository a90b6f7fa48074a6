"""Trials of terminal-bench 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.model import Outcome, Run, Status
from sitegen.readers.harness.terminal_bench import attempt_of, is_trial, outcome_of
from sitegen.readers.run_file import RunFile
from tests.support.reading import read_source

TRIAL = {
    "id": "i1",
    "trial_name": "hello.2-of-5.today",
    "task_id": "hello",
    "is_resolved": True,
    "failure_mode": "unset",
    "total_input_tokens": 9,
    "total_output_tokens": 2,
    "agent_started_at": "2026-01-01T00:00:00+00:00",
    "agent_ended_at": "2026-01-01T00:01:00+00:00",
}


def runs_of(record: dict[str, Any]) -> tuple[Run, ...]:
    return read_source(RunFile.of("results.json", json.dumps(record).encode()), named=True) or ()


def test_a_trial_says_what_the_tests_found() -> None:
    (run,) = runs_of(TRIAL)
    assert (run.task, run.attempt, run.outcome) == ("hello", 2, Outcome.PASS)
    assert (run.tokens.sent, run.tokens.output, run.wall_ms) == (9, 2, 60_000)
    assert run.results[0].uuid == "i1" and run.status is Status.OK
    assert run.started_at == "2026-01-01T00:00:00Z"


def test_counts_of_zero_are_those_of_an_agent_that_states_none() -> None:
    (run,) = runs_of(TRIAL | {"total_input_tokens": 0, "total_output_tokens": 0})
    assert run.tokens.total is None


def test_a_run_lists_its_trials() -> None:
    runs = runs_of({"results": [TRIAL, TRIAL | {"id": "i2", "is_resolved": False}]})
    assert [run.outcome for run in runs] == [Outcome.PASS, Outcome.FAIL]
    with pytest.raises(ReadError):
        runs_of({"results": [], "n_resolved": 0, "is_resolved": 1, "trial_name": "x"})


def test_the_metadata_of_a_run_is_of_each_trial() -> None:
    metadata = {"agent_name": "terminus", "run_id": "r", "dataset_name": "d", "model_name": "m"}
    (run,) = runs_of(metadata)
    assert run.is_shared and run.model == "m" and run.reader.endswith(" trial")


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"is_resolved": False}, Outcome.FAIL),
        ({"is_resolved": None}, Outcome.ERROR),
        ({"failure_mode": "agent_installation_failed"}, Outcome.ERROR),
    ],
)
def test_a_trial_that_was_not_judged_is_nobodys_fault(
    changes: dict[str, Any], outcome: Outcome
) -> None:
    assert outcome_of(TRIAL | changes) is outcome
    assert outcome_of({"task_id": "x"}) is None


def test_a_task_of_one_trial_has_no_attempt() -> None:
    assert attempt_of({"trial_name": "x.1-of-1.y"}) is None
    assert attempt_of({"trial_name": "x"}) is None
    assert is_trial(TRIAL) and not is_trial({"trial_name": "x", "task_id": "y"})
