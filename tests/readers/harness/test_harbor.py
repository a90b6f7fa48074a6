"""Trials of Harbor."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Outcome, Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.harness.harbor import HARBOR_TRIAL, read_harbor_trial

BEGAN, ENDED = "2026-03-01T10:00:00Z", "2026-03-01T10:01:00Z"


def trial(**fields: Any) -> dict[str, Any]:
    return {
        "id": "trial-0001",
        "trial_name": "tide__1",
        "task_name": "tide",
        "agent_info": {"name": "codex", "version": "1.2"},
        "started_at": BEGAN,
        "finished_at": ENDED,
        **fields,
    }


def read(**fields: Any) -> Run:
    run = RunBuilder(HARBOR_TRIAL.format)
    assert read_harbor_trial(trial(**fields), run)
    return run.build()


@pytest.mark.parametrize("name", ["trial_name", "task_name", "agent_info"])
def test_a_trial_without_its_names_is_none(name: str) -> None:
    record = {key: value for key, value in trial().items() if key != name}
    assert not read_harbor_trial(record, RunBuilder(HARBOR_TRIAL.format))


def test_a_trial_says_whose_it_is() -> None:
    run = read(config={"agent": {"kwargs": {"effort": "low"}}}, source="s", aura=1)
    assert (run.reader, run.agent_version, run.task, run.effort) == (
        "Codex trial",
        "1.2",
        "tide",
        "low",
    )
    assert run.unknown == ("aura",)
    assert {"trial_name", "source"} <= dict(run.texts.fields).keys()
    assert read(agent_info={"version": "1"}).reader == "Harbor trial"
    both = {"reasoning_effort": "high", "effort": "low"}
    assert read(config={"agent": {"kwargs": both}}).effort == "high"


@pytest.mark.parametrize(
    ("info", "model"),
    [({"name": "a", "model_name": "b"}, "a"), ({"model_name": "b"}, "b"), ({}, None)],
)
def test_the_model_of_a_trial(info: dict[str, Any], model: str | None) -> None:
    run = RunBuilder(HARBOR_TRIAL.format)
    assert read_harbor_trial(trial(agent_info={"name": "x", "model_info": info}), run)
    assert run.model == model


def test_the_time_is_that_of_the_agent() -> None:
    assert read().wall_ms == 60_000 and read().started_at == BEGAN
    timed = {"started_at": BEGAN, "finished_at": "2026-03-01T10:00:07Z"}
    assert read(agent_execution=timed).wall_ms == 7_000
    assert read(agent_execution=None).wall_ms is None


@pytest.mark.parametrize(
    ("kind", "ended"),
    [
        (None, (Status.OK, None)),
        ("AgentTimeoutError", (Status.FAILED, "time limit")),
        ("VerifierTimeoutError", (Status.OK, None)),
        ("AgentSetupTimeoutError", (Status.STOPPED, "not installed")),
        ("CancelledError", (Status.STOPPED, "cancelled")),
        ("OddError", (Status.FAILED, "OddError")),
    ],
)
def test_how_a_trial_ended(kind: str | None, ended: tuple[Status, str | None]) -> None:
    run = read(exception_info={"exception_type": kind, "exception_message": "words"})
    assert (run.status, run.status_detail) == ended
    assert dict(run.texts.fields)["exception_message"] == "words"
    # A step of a trial may have it, too.
    run = read(step_results=[{}, {"exception_info": {"exception_type": kind}}])
    assert (run.status, run.status_detail) == ended


def test_an_exception_that_nobody_knows_says_why_by_its_message() -> None:
    run = read(exception_info={"exception_type": "ApiError", "exception_message": "429 too many"})
    assert (run.status, run.status_detail) == (Status.STOPPED, "usage limit")


@pytest.mark.parametrize(
    ("verdict", "outcome", "scores"),
    [
        ({}, None, []),
        ({"rewards": {}}, None, []),
        ({"rewards": {"a": 1, "b": 1.0}}, Outcome.PASS, [("a", 1.0), ("b", 1.0)]),
        ({"rewards": {"b": 0, "a": -1}}, Outcome.FAIL, [("a", -1.0), ("b", 0.0)]),
        ({"rewards": {"a": 0, "b": 0.1}}, Outcome.PARTIAL, [("a", 0.0), ("b", 0.1)]),
        ({"rewards": {"a": 0, "reward": 1}}, Outcome.PASS, [("a", 0.0), ("reward", 1.0)]),
        ({"rewards": {"a": 1, "reward": 0}}, Outcome.FAIL, [("a", 1.0), ("reward", 0.0)]),
        ({"rewards": {"reward": 1.5}}, Outcome.PARTIAL, [("reward", 1.5)]),
        ({"reward": True}, Outcome.PASS, [("reward", 1.0)]),
        ({"reward": "0.5"}, Outcome.PARTIAL, [("reward", 0.5)]),
        ({"reward": "much"}, None, []),
        ({"rewards": {"reward": 0}, "reward": 1}, Outcome.FAIL, [("reward", 0.0)]),
    ],
)
def test_rewards_decide(
    verdict: dict[str, Any], outcome: Outcome | None, scores: list[tuple[str, float]]
) -> None:
    run = read(verifier_result=verdict)
    assert (run.outcome, [(score.name, score.value) for score in run.scores]) == (outcome, scores)
    assert all(score.higher_is_better for score in run.scores)


def test_without_rewards_an_exception_is_an_error() -> None:
    assert read(exception_info={"exception_type": "AgentTimeoutError"}).outcome is Outcome.ERROR


def used(**counts: Any) -> dict[str, Any]:
    return {f"n_{name}_tokens": count for name, count in counts.items()}


@pytest.mark.parametrize(
    ("result", "kinds"),
    [
        (used(input=100, cache=60, output=20), (40, 0, 60, 20)),
        (used(input=0, cache=0, output=0), (None, None, None, None)),
        (used(input=100, cache=60), (40, 0, 60, None)),
        (used(output=20), (None, 0, None, 20)),
    ],
)
def test_what_was_sent_has_what_came_from_the_cache_in_it(
    result: dict[str, Any], kinds: tuple[int | None, ...]
) -> None:
    tokens = read(agent_result=result).tokens
    assert (tokens.input, tokens.cache_write, tokens.cache_read, tokens.output) == kinds


def test_a_step_without_tokens_makes_a_lower_bound() -> None:
    def of(*results: dict[str, Any]) -> Run:
        return read(step_results=[{"agent_result": result} for result in results])

    whole = used(input=10, output=2) | {"cost_usd": 0.25}
    run = of(whole, whole)
    assert (run.tokens.output, run.cost_usd, run.ledger_is_lower_bound) == (4, 0.5, False)
    run = of(whole, {})
    assert (run.tokens.output, run.cost_usd, run.ledger_is_lower_bound) == (2, None, True)
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        ("W_MISSING", "A step reports no tokens, so usage is a lower bound.")
    ]
    assert not of(whole, used(output=0)).ledger_is_lower_bound
    run = of({}, {})
    assert not run.ledger_is_lower_bound
    assert [caveat.text for caveat in run.caveats] == ["The run reports no tokens."]
    # The result of the whole trial counts before those of its steps.
    run = read(agent_result=used(input=1, output=1), step_results=[{"agent_result": whole}])
    assert run.tokens.output == 1


def test_a_cost_of_nothing_is_unknown() -> None:
    assert read(agent_result=used(input=1) | {"cost_usd": 0}).cost_usd is None
