"""The facts that ISO-Bench states of a run: its summary and its journal."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.harness.iso_bench import ISO_BENCH_RUN, read_run

WRITTEN = 1_772_359_200  # 2026-03-01, 10:00 UTC
HUMAN = "0123456789abcdef"


def summary(process: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "_sources": [],
        "meta": {"repo": "sglan", "task_id": "sglang_core", "agent": "codex-cli"},
        "commits": {"human": HUMAN},
        "agent": process or {},
        **fields,
    }


def journal(process: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "agent_branch": "b",
        "commits": {"human": HUMAN},
        "task_id": "vllm_core-1",
        "codex_cli": {"returncode": 0, **(process or {})},
        **fields,
    }


def read(record: dict[str, Any]) -> Run:
    run = RunBuilder(ISO_BENCH_RUN.format)
    assert read_run(record, run)
    return run.build()


@pytest.mark.parametrize("name", ["commits", "agent_branch"])
def test_a_journal_without_its_marks_is_none(name: str) -> None:
    record = {key: value for key, value in journal().items() if key != name}
    assert not read_run(record, RunBuilder(ISO_BENCH_RUN.format))


@pytest.mark.parametrize("name", ["commits", "meta", "_sources"])
def test_a_summary_without_its_marks_is_none(name: str) -> None:
    record = {key: value for key, value in summary().items() if key != name}
    assert not read_run(record, RunBuilder(ISO_BENCH_RUN.format))


def test_a_run_is_known_by_its_repository_and_the_commit_of_a_human() -> None:
    run = read(summary())
    assert (run.task, run.reader) == ("sglang-01234567", "Codex run")
    run = read(journal())
    assert run.task == "vllm-01234567"
    assert read(journal(run_metadata={"agent": "claude-code"})).reader == "Claude Code run"
    assert read(journal(task_id=None, run_metadata={"task_id": "sgl_x"})).task == "sgl-01234567"
    assert read(summary(meta={"repo": "other", "task_id": "sglang_core"})).task == "other-01234567"
    for human in ("0123456", "release"):
        assert read(summary(commits={"human": human})).task is None
    assert read(summary(commits={"human": "01234567"})).task == "sglang-01234567"
    assert read(summary(meta={"x": 1})).task is None


@pytest.mark.parametrize(
    ("meta", "model"),
    [
        ({"model": "gpt-5"}, "gpt-5"),
        ({"model": "gpt-5", "model_full": "openai/gpt-5"}, "openai/gpt-5"),
        ({"model": "default"}, None),
        ({}, None),
        ({"agent": "claude-code", "model": "gpt-5"}, None),
        ({"agent": "claude-code", "model": "Claude-Opus"}, "Claude-Opus"),
    ],
)
def test_the_model_is_that_of_the_plan_unless_the_agent_has_others(
    meta: dict[str, Any], model: str | None
) -> None:
    run = RunBuilder(ISO_BENCH_RUN.format)
    assert read_run(summary(meta={"repo": "r", **meta}), run)
    assert run.model == model


def test_the_run_ended_when_its_journal_was_written() -> None:
    written = {"timestamps": {"written": WRITTEN}}
    run = read(journal({"duration_s": 60.5}, **written))
    assert (run.wall_ms, run.started_at) == (60_500, "2026-03-01T09:58:59Z")
    for record in (journal({"duration_s": 0}, **written), journal({"duration_s": 5})):
        assert read(record).started_at is None
    assert read(journal({"duration_s": 0}, **written)).wall_ms is None
    assert read(journal({"duration_s": 5}, timestamps={"written": 1e30})).wall_ms == 5_000


@pytest.mark.parametrize(
    ("process", "status", "ended"),
    [
        ({}, "success", (Status.OK, None)),
        ({}, "no_patch", (Status.FAILED, "no_patch")),
        ({}, "x" * 41, (Status.FAILED, "x" * 40)),
        ({}, None, (Status.UNKNOWN, None)),
        ({"returncode": -9}, "success", (Status.STOPPED, "killed")),
        ({"returncode": 1}, "success", (Status.OK, None)),
        ({"returncode": False}, "success", (Status.OK, None)),
        ({"time_budget_minutes": 2, "duration_s": 120}, "success", (Status.FAILED, "time limit")),
        ({"time_budget_minutes": 2, "duration_s": 119.9}, "success", (Status.OK, None)),
        ({"time_budget_minutes": 2}, "success", (Status.OK, None)),
        (
            {"time_budget_minutes": 2, "duration_s": 121, "returncode": -9},
            "success",
            (Status.FAILED, "time limit"),
        ),
    ],
)
def test_how_the_process_ended(
    process: dict[str, Any], status: str | None, ended: tuple[Status, str | None]
) -> None:
    run = read(journal(process, status=status))
    assert (run.status, run.status_detail) == ended
    run = read(summary({**process, "status": status}, status="ignored"))
    assert (run.status, run.status_detail) == ended


def test_fields_are_listed_and_those_that_nobody_knows_are_named() -> None:
    run = read(journal({"cli": "codex"}, metrics={"a": 1}, aura=1))
    fields = dict(run.texts.fields)
    assert (fields["metrics.a"], fields["agent.cli"], fields["agent.returncode"]) == (
        "1",
        "codex",
        "0",
    )
    assert run.unknown == ("aura",)
    assert read(summary(error="x", aura=1)).unknown == ("aura", "error")


def test_an_error_is_known_by_its_name() -> None:
    run = RunBuilder(ISO_BENCH_RUN.format)
    assert read_run(journal(error="TimeoutError: it took long"), run)
    assert list(run.errors) == ["TimeoutError"]
