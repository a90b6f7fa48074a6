"""Cursor, Amp and Copilot: what their runs say, which is less."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import calls, kinds, objects, read, real, run_of, steps
from tests.support.clock import seconds_since
from tests.support.reading import read_source

UNKNOWN = (None, None, None, None)
CURSOR = {
    "type": "system",
    "subtype": "init",
    "apiKeySource": "login",
    "session_id": "c1",
    "model": "Auto",
}
CURSOR_END = {
    "type": "result",
    "subtype": "success",
    "duration_ms": 900,
    "is_error": False,
    "result": "Done.",
}
CURSOR_END |= {"session_id": "c1", "request_id": "r1"}


def test_real_runs_of_cursor_have_what_their_result_says(shared: Path) -> None:
    read_files = 0
    paths = [
        path
        for family in ("cursor-json", "cursor-stream")
        for path in (shared / "runs" / family).rglob("*.json*")
    ]
    for path in paths:
        records = objects(path)
        if len(records) == 1 and records[0]["type"] != "result":
            assert read_source(RunFile.of(path.name, path.read_bytes()), named=False) is None
            continue
        run, end = run_of(path.read_bytes(), path.name), records[-1]
        assert (run.wall_ms, run.session_id, run.turns) == (
            end["duration_ms"],
            end["session_id"],
            None,
        ), path
        assert (kinds(run), run.cost_usd, run.status) == (UNKNOWN, None, Status.OK)
        asked = sum(record.get("subtype") == "started" for record in records)
        assert asked == (run.steps.tool_calls if run.steps else 0)
        said = [
            "".join(b["text"] for b in r["message"]["content"])
            for r in records
            if r["type"] == "assistant"
        ]
        assert run.texts.summary == [end["result"], *said][-1]
        read_files += 1
    assert read_files == 10


def says(text: str, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "session_id": "c1", **fields}


def test_pieces_of_a_message_of_cursor_and_their_repetition_are_one_text() -> None:
    thought = {"type": "thinking", "subtype": "delta"}
    found = steps(
        CURSOR,
        thought | {"text": "Hm"},
        thought | {"text": "m."},
        says("Do"),
        says("ne."),
        says("Done."),
    )
    assert [(step.kind, step.text) for step in found] == [
        (StepKind.THINKING, "Hmm."),
        (StepKind.TEXT, "Done."),
    ]


def test_calls_of_cursor_have_their_answers() -> None:
    def call(event: str, id_: str, **result: Any) -> dict[str, Any]:
        tool = {"shellToolCall": {"args": {"command": "make"}, **result}}
        return {
            "type": "tool_call",
            "subtype": event,
            "call_id": id_,
            "tool_call": tool,
            "session_id": "c1",
        }

    found = calls(
        steps(
            CURSOR,
            call("started", "a"),
            call("completed", "a", result={"success": {"exitCode": 2, "stdout": "red"}}),
            call("started", "b"),
            call("completed", "b", result={"rejected": {"reason": "no"}}),
        )
    )
    assert [(c.kind, c.target, c.exit_code, c.failed, c.denied) for c in found] == [
        (ToolKind.RUN, "make", 2, True, False),
        (ToolKind.RUN, "make", None, True, True),
    ]


def test_tokens_of_newer_versions_of_cursor_are_taken() -> None:
    usage = {"inputTokens": 10, "outputTokens": 4, "cacheReadTokens": 7, "cacheWriteTokens": 2}
    run = read(CURSOR, CURSOR_END | {"usage": usage})
    assert (kinds(run), run.model) == ((10, 2, 7, 4), "Auto")


def test_a_run_of_cursor_without_a_result_was_interrupted() -> None:
    assert read(CURSOR, says("On it.")).status is Status.INTERRUPTED


def test_amp_has_the_sum_of_its_messages(shared: Path) -> None:
    for path, run, records in real(shared, "amp-stream"):
        usages = [r["message"]["usage"] for r in records if r["type"] == "assistant"]
        sent, output = (
            sum(usage[name] for usage in usages) for name in ("input_tokens", "output_tokens")
        )
        assert kinds(run) == ((sent, None, None, output) if usages else UNKNOWN), path
        end = records[-1]
        assert (run.turns, run.wall_ms, run.session_id) == (
            end["num_turns"],
            end["duration_ms"],
            end["session_id"],
        )
        assert run.status is (Status.STOPPED if end["is_error"] else Status.OK)
        if usages:
            assert run.steps and (run.steps.tool_calls, run.texts.summary) == (1, end["result"])


def test_a_message_of_amp_that_is_written_twice_counts_once() -> None:
    usage = dict.fromkeys(
        ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        5,
    )
    message = {
        "id": "m1",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Hi"}],
        "usage": usage,
    }
    record = {"type": "assistant", "session_id": "T-1", "message": message}
    assert kinds(read(record, record)) == (5, 5, 5, 5)


def test_real_sessions_of_copilot_have_the_figures_of_their_end(shared: Path) -> None:
    read_files = 0
    for path, run, records in real(shared, "copilot-events"):
        ends = [r["data"]["modelMetrics"] for r in records if r["type"] == "session.shutdown"]
        usages = [
            model["usage"] for end in ends for model in end.values() if any(model["usage"].values())
        ]
        if usages:
            (usage,) = usages
            read_, written = usage["cacheReadTokens"], usage["cacheWriteTokens"]
            assert kinds(run) == (
                usage["inputTokens"] - read_ - written,
                written,
                read_,
                usage["outputTokens"],
            ), path
        else:
            output = sum(
                r["data"].get("outputTokens", 0)
                for r in records
                if r["type"] == "assistant.message"
            )
            assert kinds(run) == (None, None, None, output or None), path
            assert run.ledger_is_lower_bound or not output
        assert run.turns == sum(record["type"] == "assistant.turn_start" for record in records)
        asked = sum(record["type"] == "tool.execution_start" for record in records)
        assert run.steps and run.steps.tool_calls == asked
        answers = [r["data"] for r in records if r["type"] == "tool.execution_complete"]
        ends = [
            re.search(r"exit code (-?\d+)>$", (a.get("result") or {}).get("content") or "")
            for a in answers
        ]
        failed = [
            not a["success"] or (end is not None and end[1] != "0")
            for a, end in zip(answers, ends, strict=True)
        ]
        assert run.steps.tool_failures == sum(failed)
        assert (run.session_id, run.cost_usd) == (records[0]["data"]["sessionId"], None)
        assert run.agent_version == records[0]["data"]["copilotVersion"]
        read_files += 1
    assert read_files == 10


def test_ends_of_a_session_of_copilot_that_was_resumed_add() -> None:
    def end(sent: int) -> dict[str, Any]:
        usage = {
            "inputTokens": sent,
            "outputTokens": 5,
            "cacheReadTokens": 10,
            "cacheWriteTokens": 20,
        }
        return {"type": "session.shutdown", "data": {"modelMetrics": {"gpt-5.1": {"usage": usage}}}}

    start = {"type": "session.start", "data": {"sessionId": "s", "copilotVersion": "1"}}
    assert kinds(read(start, end(100), end(50))) == (90, 40, 20, 10)


@pytest.mark.parametrize(
    "content", [{"type": "result", "result": "x", "num_turns": 1}, {"sessionID": 3}, {"info": {}}]
)
def test_what_only_looks_alike_is_no_run_of_theirs(content: dict[str, Any]) -> None:
    runs = read_source(RunFile.of("a.json", json.dumps(content).encode()), named=False) or ()
    assert not runs or runs[0].reader == "Claude Code result"


def test_odd_characters_are_said_of_any_agent() -> None:
    odd = says("a\x01b\ud800")
    assert {caveat.code for caveat in read(CURSOR, odd, CURSOR_END).caveats} >= {
        "W_CONTROL",
        "W_SURROGATE",
    }


def test_models_beyond_fifty_share_a_line() -> None:
    def message(number: int) -> dict[str, Any]:
        told = {
            "id": f"m{number}",
            "model": f"model-{number}",
            "content": [],
            "usage": {"output_tokens": 1},
        }
        return {"type": "assistant", "session_id": "T-1", "message": told}

    run = read(*map(message, range(70)))
    assert (len(run.ledger), run.tokens.output, run.caveats[0].code) == (51, 70, "W_LIMIT")


@pytest.mark.parametrize(
    "piece",
    [says("x" * 50), {"type": "thinking", "subtype": "delta", "text": "x" * 50}],
    ids=["text", "thinking"],
)
def test_a_text_of_very_many_pieces_takes_linear_time(piece: dict[str, Any]) -> None:
    start = time.process_time()
    run = read(CURSOR, *[piece] * 100_000, CURSOR_END)
    assert run.steps and run.steps.steps == 1 and seconds_since(start) < 10
