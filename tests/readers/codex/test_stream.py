"""What `codex exec --json` prints: turns, items and their results, counted once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Status, Tokens
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import calls, files, kinds, objects, read, runs_of, steps

OLD, OWN = "01900000-0000-7000-8000-000000000001", "01910000-0000-7000-8000-000000000001"
LATER = "01920000-0000-7000-8000-000000000001"
START = {"type": "thread.started", "thread_id": OWN}
BEGIN = {"type": "turn.started"}


def item(kind: str, event: str = "completed", id_: str = "i1", **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {"id": id_, "type": kind, **fields}}


def done(sent: int, cached: int, output: int, **more: int) -> dict[str, Any]:
    usage = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": output, **more}
    return {"type": "turn.completed", "usage": usage}


def test_real_streams_have_the_figures_of_their_turns(shared: Path) -> None:
    read_files = 0
    for path in files(shared / "runs" / "codex-exec"):
        records, runs = objects(path), runs_of(path.read_bytes(), path.name)
        assert len(runs) == sum(record["type"] == "thread.started" for record in records), path
        usages = [
            record.get("usage") or {} for record in records if record["type"] == "turn.completed"
        ]
        sent, cached, output = (
            sum(usage.get(name, 0) for usage in usages)
            for name in ("input_tokens", "cached_input_tokens", "output_tokens")
        )
        total = sum((run.tokens for run in runs), Tokens())
        assert (total.input, total.cache_write, total.cache_read, total.output) == (
            sent - cached,
            0,
            cached,
            output,
        )
        turns = sum(record["type"] in ("turn.completed", "turn.failed") for record in records)
        assert sum(run.turns or 0 for run in runs) == turns, path
        items = {
            (
                number if record["item"].get("id") is None else record["item"]["id"],
                record["item"].get("type"),
            )
            for number, record in enumerate(records)
            if record["type"].startswith("item.")
        }
        tools = (
            "command_execution",
            "file_change",
            "mcp_tool_call",
            "web_search",
            "collab_tool_call",
        )
        if len(runs) == 1:
            assert runs[0].steps and runs[0].steps.tool_calls == sum(
                kind in tools for _, kind in items
            ), path
        texts = [
            r["item"]["text"] for r in records if r.get("item", {}).get("type") == "agent_message"
        ]
        assert runs[0].texts.summary in texts, path
        read_files += 1
    assert read_files == 22


def test_what_was_read_from_the_cache_is_no_input_and_reasoning_is_output() -> None:
    run = read(
        START, BEGIN, done(100, 60, 30, reasoning_output_tokens=20, cache_write_input_tokens=10)
    )
    assert kinds(run) == (30, 10, 60, 30)
    assert (run.status, run.model, run.turns, run.session_id) == (Status.OK, None, 1, OWN)


def test_turns_that_never_fall_are_a_running_total() -> None:
    run = read(START, BEGIN, done(100, 60, 30), BEGIN, done(250, 160, 50))
    assert kinds(run) == (90, 0, 160, 50)
    assert "the last is the sum" in run.caveats[0].text


def test_turns_that_fall_are_summed() -> None:
    assert kinds(read(START, BEGIN, done(100, 60, 30), BEGIN, done(90, 60, 50))) == (70, 0, 120, 80)


@pytest.mark.parametrize(
    ("records", "status", "detail"),
    [
        ([BEGIN], Status.INTERRUPTED, None),
        (
            [BEGIN, {"type": "error", "message": "Reconnecting... 1/5"}, done(1, 0, 1)],
            Status.OK,
            None,
        ),
        (
            [BEGIN, {"type": "turn.failed", "error": {"message": "usage limit reached"}}],
            Status.STOPPED,
            "usage limit",
        ),
        (
            [BEGIN, {"type": "turn.failed", "error": {"message": "no such file"}}],
            Status.FAILED,
            "error",
        ),
        (
            [BEGIN, {"type": "error", "message": "unexpected status 401"}],
            Status.STOPPED,
            "not logged in",
        ),
    ],
)
def test_the_last_turn_says_how_it_ended(
    records: list[dict[str, Any]], status: Status, detail: str | None
) -> None:
    run = read(START, *records)
    assert (run.status, run.status_detail) == (status, detail)


def test_what_a_later_process_did_itself_is_no_repetition() -> None:
    def process(path: str, query: str) -> list[dict[str, Any]]:
        change = item("file_change", changes=[{"path": path, "kind": "add"}], status="completed")
        asked = item(
            "mcp_tool_call",
            id_="i2",
            server="s",
            tool="find",
            arguments={"q": query},
            status="completed",
        )
        return [START, change, asked]

    assert len(steps(*process("a.py", "q1"), *process("b.py", "q2"))) == 4
    assert len(steps(*process("a.py", "q1"), *process("a.py", "q1"))) == 2
    limit = {"type": "error", "message": "You've hit your usage limit."}
    run = read(START, BEGIN, limit, START, BEGIN, limit)
    assert (run.status, run.status_detail) == (Status.STOPPED, "usage limit")


def test_items_become_steps_with_their_answers() -> None:
    found = steps(
        START,
        BEGIN,
        item("reasoning", text="First a look."),
        item(
            "command_execution",
            "started",
            "c",
            command="/bin/bash -lc 'make test'",
            status="in_progress",
        ),
        item("future_item", id_="f"),
        item(
            "command_execution",
            "completed",
            "c",
            aggregated_output="red",
            exit_code=2,
            status="failed",
        ),
        item(
            "file_change", id_="e", changes=[{"path": "a.py", "kind": "update"}], status="completed"
        ),
        item(
            "mcp_tool_call",
            id_="m",
            server="s",
            tool="web_fetch",
            arguments={"url": "x"},
            status="completed",
        ),
        item("agent_message", text="Done."),
    )
    assert [step.kind for step in found] == [
        StepKind.THINKING,
        *[StepKind.TOOL_CALL] * 3,
        StepKind.TEXT,
    ]
    command, edit, fetch = calls(found)
    assert (command.target, command.exit_code, command.failed, command.result) == (
        "make test",
        2,
        True,
        "red",
    )
    assert (edit.kind, edit.target, edit.lines_added) == (ToolKind.EDIT, "a.py", None)
    assert (fetch.kind, fetch.failed) == (ToolKind.FETCH, False)


@pytest.mark.parametrize(
    ("stated", "effort"),
    [
        ({"effort": "High"}, "high"),
        ({"reasoning_effort": "low"}, "low"),
        ({"effort": "high", "reasoning_effort": "low"}, "high"),
        ({"effort": 3, "reasoning_effort": "low"}, "low"),
        ({}, None),
    ],
)
def test_a_thread_says_its_effort(stated: dict[str, Any], effort: str | None) -> None:
    assert read(START | stated, BEGIN, done(1, 0, 1)).effort == effort


def test_newer_versions_say_their_model_and_version() -> None:
    run = read(START | {"model": "gpt-5", "cli_version": "0.90.1"}, BEGIN, done(1, 0, 1))
    assert (run.model, run.agent_version) == ("gpt-5", "0.90.1")


def test_what_is_said_of_several_turns() -> None:
    def said(*turns: dict[str, Any]) -> list[tuple[str, str]]:
        return [(caveat.code, caveat.text) for caveat in read(START, *turns).caveats]

    assert said(done(100, 60, 30)) == []
    assert said(done(100, 60, 30), done(100, 60, 31)) == [
        (
            "W_MULTI_RESULT",
            "The thread has 2 turns that count tokens; as they grow, the last is the sum of all.",
        )
    ]
    assert said(done(100, 60, 30), done(200, 160, 29), done(300, 170, 40)) == [
        (
            "W_MULTI_RESULT",
            "The thread has 3 turns that count tokens; as they fall, they are summed.",
        )
    ]
    assert said(BEGIN) == [("W_NO_RESULT", "No turn was completed, so usage is unknown.")]


def test_a_turn_without_tokens_makes_a_lower_bound() -> None:
    empty = {"type": "turn.completed", "usage": {}}
    assert not read(START, done(100, 60, 30)).ledger_is_lower_bound
    for turns in ([done(100, 60, 30), empty], [empty, done(100, 60, 30)]):
        run = read(START, *turns)
        assert run.ledger_is_lower_bound and kinds(run) == (40, 0, 60, 30)


def test_items_that_are_not_completed_and_empty_messages_are_no_steps() -> None:
    assert [step.kind for step in steps(START, item("agent_message", "started", text="Do"))] == []
    assert steps(START, item("agent_message", text="")) == []
    old = {"type": "item.completed", "item": {"item_type": "assistant_message", "text": "Done."}}
    found = steps(
        START,
        old,
        item("error", message="Careful."),
        item("error"),
        item("todo_list", items=[]),
        item("future_item"),
    )
    assert [(step.kind, step.text) for step in found] == [
        (StepKind.TEXT, "Done."),
        (StepKind.NOTICE, "Careful."),
    ]
