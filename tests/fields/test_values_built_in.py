"""The value of each field that all runs have, in a run of which all is known and in one of which nothing is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.fields import BUILT_IN, RunFacts
from sitegen.model import (
    Caveat,
    ModelUsage,
    Outcome,
    Part,
    Run,
    Score,
    Status,
    StepCounts,
    Tokens,
)
from sitegen.numbers.pricing import PriceCheck
from tests.collect import facts

BY_KEY = {field.key: field for field in BUILT_IN}

STEPS = StepCounts(
    steps=21,
    tool_calls=22,
    tool_failures=23,
    edited=(1, 2, 3),
    lines_added=24,
    lines_removed=25,
    subagents=26,
    compactions=27,
    context_peak_tokens=28,
    commands_seconds=29.5,
    signals=("test-code", "unknown-rule"),
    tests="passed",
)
RUN = Run(
    "Claude Code stream",
    Status.FAILED,
    "API error",
    ledger=(
        ModelUsage("opus", Tokens(10, 25_000, 30, 40, cache_write_1h=5)),
        ModelUsage(None, Tokens(1, 2, 3, 4)),
        ModelUsage("haiku", Tokens(0, 0, 0, 0)),
    ),
    cost_usd=1.5,
    cost_is_lower_bound=True,
    wall_ms=61_000,
    api_ms=62_000,
    turns=1,
    denials=8,
    session_id="the session",
    uuid="the uuid",
    cwd="/w/heron",
    effort="low",
    computed_cost_usd=2.5,
    caveats=(Caveat("W_B", "x"), Caveat("W_A", "y"), Caveat("W_B", "z")),
    steps=STEPS,
    parts=(
        Part(Status.OK, None, 1, 1, 0.25, edits=0),
        Part(Status.OK, None, 1, 1, 0.5, edits=0),
        Part(Status.OK, None, 1, 1, 0.75, edits=1),
    ),
    judge=(ModelUsage("judge", Tokens(1, 1, 1, 2)), ModelUsage("judge 2", Tokens(1, 1, 1, 3))),
)
FULL = replace(
    facts.entry("a/1.json", RUN),
    campaign="November",
    task="csv",
    model="Opus",
    configuration="Opus, high",
    ledger_names=("Opus", "unknown", "Haiku"),
    attempt=3,
    outcome=Outcome.PARTIAL,
    note="a note",
    stated_claim=False,
    about="What it did",
    scores=(Score("speedup", 2.0, "x"), Score("length", 7.0)),
    factors=(("effort", "high"), ("project", "heron"), ("person", "person a1"), ("skill", "with")),
    labels=("b", "a", "b"),
    started_at="2026-11-30T23:59:00Z",
    patch_lines=(51, 52),
)
CHECK = PriceCheck(
    (),
    list_usd=3.5,
    by_kind={"input": 0.1, "cache_write": 0.2, "cache_read": 0.3, "output": 0.4},
)

VALUES = {
    "id": "a/1.json",
    "name": "csv · Opus, high · 3",
    "path": "a/1.json",
    "page": "runs/a/1.json.html",
    "title": "What it did",
    "campaign": "November",
    "task": "csv",
    "model": "Opus",
    "models": ["Opus", "Haiku"],
    "model_ids": ["opus", "haiku"],
    "agent": "Claude Code",
    "format": "Claude Code stream",
    "configuration": "Opus, high",
    "effort": "high",
    "attempt": 3,
    "status": "failed",
    "status_detail": "API error",
    "cost_usd": 1.5,
    "input_tokens": 11,
    "cache_write_tokens": 25_002,
    "cache_write_1h_tokens": None,
    "cache_read_tokens": 33,
    "output_tokens": 44,
    "total_tokens": 25_090,
    "token_gaps": [],
    "wall_ms": 61_000,
    "api_ms": 62_000,
    "turns": 1,
    "denials": 8,
    "outcome": "partial",
    "note": "a note",
    "scores": {"speedup": 2.0, "length": 7.0},
    "labels": ["b", "a", "b"],
    "started_at": "2026-11-30T23:59:00Z",
    "project": "heron",
    "person": "person a1",
    "week": "2026-W49",
    "day": "2026-11-30",
    "list_price_usd": 3.5,
    "cache_read_usd": 0.3,
    "cache_write_usd": 0.2,
    "input_usd": 0.1,
    "output_usd": 0.4,
    "patch_added_lines": 51,
    "patch_removed_lines": 52,
    "computed_cost_usd": 2.5,
    "cost_bound": "lower",
    "judge_cost_usd": None,
    "judge_tokens": 11,
    "cost_without_change_usd": 0.5,
    "cost_rewritten_cache_usd": 0.2,
    "steps": 21,
    "tool_calls": 22,
    "tool_failures": 23,
    "files_edited": 3,
    "lines_added": 24,
    "lines_removed": 25,
    "subagents": 26,
    "compactions": 27,
    "context_peak_tokens": 28,
    "commands_seconds": 29.5,
    "signals": [],
    "tests": "passed",
    "claimed": "no",
    "session_id": "the session",
    "uuid": "the uuid",
    "warnings": ["W_A", "W_B"],
}
EMPTY = {
    "id": "1.json",
    "name": "1",
    "path": "1.json",
    "page": "runs/1.json.html",
    "title": "1",
    "agent": "a",
    "format": "a session",
    "status": "ok",
    "token_gaps": ["cache_read", "cache_write", "input", "output"],
}
"""What is known of a run of which nothing else is: the others are unknown, or empty."""


def values(run: RunFacts) -> dict[str, Any]:
    return {field.key: field.value(run) for field in BUILT_IN}


def test_each_field_of_a_run_of_which_all_is_known_has_its_value() -> None:
    assert values(RunFacts.of(FULL, CHECK)) == VALUES


def test_what_a_run_does_not_state_is_unknown_or_empty() -> None:
    stated = {key: value for key, value in values(RunFacts.of(facts.entry())).items() if value}
    assert stated == EMPTY


def test_counts_that_a_run_does_not_report_are_gaps() -> None:
    run = replace(RUN, ledger=(ModelUsage("m", Tokens(1, None, 3, None)),), cost_usd=None)
    found = values(RunFacts.of(replace(FULL, run=run, ledger_names=("M",)), CHECK))
    assert found["token_gaps"] == ["cache_write", "output"]
    assert found["total_tokens"] is None
    assert found["cost_rewritten_cache_usd"] is None
    assert RunFacts.of(replace(FULL, run=run)).gaps == {"cache_write", "output", "cost"}


@pytest.mark.parametrize("state", ["none", "passed", "unchecked", "other", None])
def test_only_three_words_say_whether_tests_ran(state: str | None) -> None:
    run = replace(RUN, steps=replace(STEPS, tests=state))
    expected = None if state == "other" else state
    assert BY_KEY["tests"].value(RunFacts.of(replace(FULL, run=run))) == expected
