"""What each reader makes of files of its family, and how the three classes of files are told apart."""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen import model, readers
from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import discover
from sitegen.inputs.survey import Naming, reread_run, survey
from sitegen.masking.redact import Redactor
from sitegen.model import ModelUsage, ResultKey, Run, Status, Tokens
from sitegen.readers.common import fields, json_text, values
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from tests.conftest import ROOT
from tests.support.clock import seconds_since
from tests.support.reading import read_source

OPUS, HAIKU = "claude-opus-4-6[1m]", "us.anthropic.claude-haiku-4-5-20251001-v1:0"


def entry(**changes: Any) -> dict[str, Any]:
    """One entry of modelUsage."""
    return {
        "inputTokens": 40,
        "outputTokens": 900,
        "cacheReadInputTokens": 7000,
        "cacheCreationInputTokens": 600,
        "webSearchRequests": 0,
        "costUSD": 0.25,
        "contextWindow": 200000,
    } | changes


def usage(**changes: Any) -> dict[str, Any]:
    return {
        "input_tokens": 40,
        "output_tokens": 900,
        "cache_read_input_tokens": 7000,
        "cache_creation_input_tokens": 600,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 600},
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 2},
        "service_tier": "standard",
    } | changes


def result(*without: str, **changes: Any) -> dict[str, Any]:
    """A result object of a current version, with fields changed, added and left out."""
    record = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 61000,
        "duration_api_ms": 70500,
        "num_turns": 9,
        "result": "## Parser rewritten\n\nAll tests pass.",
        "stop_reason": "end_turn",
        "session_id": "5e551011-0000-4000-8000-000000000001",
        "total_cost_usd": 0.25,
        "usage": usage(),
        "modelUsage": {OPUS: entry()},
        "permission_denials": [],
        "uuid": "a0000000-0000-4000-8000-000000000001",
    } | changes
    return {name: value for name, value in record.items() if name not in without}


def init(**changes: Any) -> dict[str, Any]:
    record = {
        "type": "system",
        "subtype": "init",
        "session_id": result()["session_id"],
        "model": OPUS,
        "tools": ["Bash"],
    }
    return record | {"claude_code_version": "2.1.81", "cwd": "/srv/demo"} | changes


def says(text: str, **changes: Any) -> dict[str, Any]:
    """A message of the agent."""
    message = {"id": "m", "model": "claude-opus-4-6", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "parent_tool_use_id": None, "message": message} | changes


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def read(data: bytes | dict[str, Any], name: str = "run.json") -> Run:
    content = json.dumps(data).encode() if isinstance(data, dict) else data
    runs = read_source(RunFile.of(name, content), named=False)
    assert runs is not None, "no reader took it"
    (run,) = runs
    return run


def codes(run: Run) -> list[str]:
    return [caveat.code for caveat in run.caveats]


# --- figures


def test_a_result_gives_all_figures() -> None:
    run = read(
        result(
            permission_denials=[
                {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "rm x"}}
            ]
        )
    )
    assert run.reader == "Claude Code result"
    assert (run.status, run.status_detail, run.cost_usd) == (Status.OK, None, 0.25)
    assert (run.wall_ms, run.api_ms, run.turns, run.denials) == (61000, 70500, 9, 1)
    assert (run.web_searches, run.web_fetches, run.service_tier) == (0, 2, "standard")
    assert run.ledger == (ModelUsage(OPUS, Tokens(40, 600, 7000, 900, 600), 0.25, 0),)
    assert run.results == (ResultKey(result()["uuid"], 0.25, 61000, 9),)
    assert tuple(each.uuid for each in run.results) == (run.uuid,)
    assert not run.caveats and not run.ledger_is_lower_bound
    assert run.started_at is None and run.agent_version is None


def test_ledger_puts_the_most_expensive_model_first() -> None:
    run = read(result(total_cost_usd=0.28, modelUsage={HAIKU: entry(costUSD=0.03), OPUS: entry()}))
    assert [line.model for line in run.ledger] == [OPUS, HAIKU]
    assert run.tokens.output == 1800
    assert not run.caveats


def test_ledger_ties_are_broken_by_output_then_by_id() -> None:
    models = {
        "b": entry(costUSD=0.1),
        "a": entry(costUSD=0.1),
        "c": entry(costUSD=0.1, outputTokens=901),
    }
    run = read(result(total_cost_usd=0.3, modelUsage=models))
    assert [line.model for line in run.ledger] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("creation", "in_usage", "explicit", "expected"),
    [
        ({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 600}, 600, None, 600),
        ({"ephemeral_5m_input_tokens": 600, "ephemeral_1h_input_tokens": 0}, 600, None, 0),
        ({"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 400}, 600, None, 400),
        ({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}, 600, None, None),
        ({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 500}, 500, None, None),
        (None, 600, None, None),
        (None, 600, 250, 250),
    ],
)
def test_one_hour_part_is_known_only_where_the_split_is_the_main_models(
    creation: dict[str, int] | None, in_usage: int, explicit: int | None, expected: int | None
) -> None:
    model = entry() | (
        {"cacheCreationEphemeral1hInputTokens": explicit} if explicit is not None else {}
    )
    run = read(
        result(
            usage=usage(cache_creation=creation, cache_creation_input_tokens=in_usage),
            modelUsage={OPUS: model},
        )
    )
    assert run.ledger[0].tokens.cache_write_1h == expected


def test_one_hour_part_is_zero_without_cache_writes() -> None:
    run = read(
        result(modelUsage={OPUS: entry(), HAIKU: entry(costUSD=0, cacheCreationInputTokens=0)})
    )
    assert [line.tokens.cache_write_1h for line in run.ledger] == [600, 0]
    assert run.tokens.cache_write_1h == 600


def test_usage_stands_in_as_a_lower_bound_without_figures_by_model() -> None:
    run = read(result("modelUsage"))
    assert run.ledger == (ModelUsage(None, Tokens(40, 600, 7000, 900, 600), None, 0),)
    assert run.ledger_is_lower_bound
    assert codes(run) == ["W_USAGE_ONLY"]
    assert run.cost_usd == 0.25


def test_a_run_that_called_nothing_has_zeros_and_no_caveat() -> None:
    nothing = usage(
        input_tokens=0,
        output_tokens=0,
        cache_read_input_tokens=0,
        cache_creation_input_tokens=0,
        cache_creation={"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
    )
    text = "Not logged in · Please run /login"
    run = read(result(is_error=True, result=text, total_cost_usd=0, usage=nothing, modelUsage={}))
    assert run.tokens == Tokens(0, 0, 0, 0, 0)
    assert (run.cost_usd, run.ledger_cost_usd) == (0.0, 0.0)
    assert (run.status, run.status_detail) == (Status.STOPPED, "not logged in")
    assert not run.caveats and not run.ledger_is_lower_bound


@pytest.mark.parametrize(
    ("record", "cost"),
    [
        ({"total_cost_usd": 0.5, "cost_usd": 0.4}, 0.5),
        ({"cost_usd": 0.5, "total_cost": 0.5}, 0.5),
        ({"cost_usd": 0.5}, 0.5),
        ({"total_cost": 0.5}, 0.5),
        ({}, None),
    ],
)
def test_cost_is_read_under_the_name_of_every_version(
    record: dict[str, Any], cost: float | None
) -> None:
    run = read(result("total_cost_usd", "modelUsage") | record)
    assert run.cost_usd == cost
    assert ("W_MISSING" in codes(run)) == (cost is None)


def test_the_oldest_form_is_a_run_whose_end_is_not_stated() -> None:
    record = {
        "role": "system",
        "cost_usd": 0.2,
        "duration_ms": 4000,
        "duration_api_ms": 3000,
        "result": "Done.",
        "session_id": "s",
    }
    run = read(record)
    assert (run.cost_usd, run.wall_ms, run.api_ms, run.turns) == (0.2, 4000, 3000, None)
    assert (run.status, run.status_detail, run.texts.summary) == (
        Status.UNKNOWN,
        "not stated",
        "Done.",
    )


def test_start_comes_from_time_origin_only() -> None:
    assert read(result(time_origin_ms=1767225600123)).started_at == "2026-01-01T00:00:00Z"
    assert read(result(request_sent_wall_ms=1767225600123)).started_at is None
    assert read(result(time_origin_ms=1e300)).started_at is None


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("num_turns", True, "W_TYPE"),
        ("num_turns", "nine", "W_TYPE"),
        ("num_turns", 3.7, "W_TYPE"),
        ("num_turns", -1, "W_RANGE"),
        ("num_turns", 2**53 + 1, "W_RANGE"),
        ("duration_ms", -5, "W_RANGE"),
        ("duration_ms", 10**30, "W_RANGE"),
        ("total_cost_usd", -0.01, "W_RANGE"),
        ("total_cost_usd", 1e308, "W_RANGE"),
        ("total_cost_usd", float("nan"), "W_NONFINITE"),
        ("total_cost_usd", float("-inf"), "W_NONFINITE"),
        ("total_cost_usd", "$0.50", "W_TYPE"),
        ("total_cost_usd", None, "W_MISSING"),
    ],
)
def test_a_figure_that_cannot_be_right_is_unknown_and_said(
    field: str, value: Any, code: str
) -> None:
    run = read(result(**{field: value}))
    figure = {"num_turns": run.turns, "duration_ms": run.wall_ms, "total_cost_usd": run.cost_usd}[
        field
    ]
    assert figure is None
    assert codes(run) == [code]


@pytest.mark.parametrize(("value", "turns"), [(2**53, 2**53), (3.0, 3), (0, 0), (-0.0, 0)])
def test_whole_numbers_are_counts_however_they_are_written(value: float, turns: int) -> None:
    run = read(result(num_turns=value))
    assert run.turns == turns and isinstance(run.turns, int)
    assert not run.caveats


@pytest.mark.parametrize(
    ("reported", "expected"), [(0.2549, []), (0.2551, ["W_SUM"]), (0.2449, ["W_SUM"])]
)
def test_a_sum_that_is_off_by_half_a_cent_is_said(reported: float, expected: list[str]) -> None:
    assert codes(read(result(total_cost_usd=reported))) == expected


@pytest.mark.parametrize(
    ("cost", "is_incomplete", "agree"),
    [
        (1.0, False, True),
        (2.0, False, False),
        (0.5, False, False),
        (1.0, True, True),
        (1.001, True, True),
        (2.0, True, None),
        (0.5, True, False),
    ],
)
def test_an_incomplete_ledger_may_sum_to_less_than_what_is_reported(
    cost: float, is_incomplete: bool, agree: bool | None
) -> None:
    ledger = (ModelUsage("m", Tokens(1, 1, 1, 1), 1.0),)
    run = Run("x", Status.OK, ledger=ledger, ledger_is_lower_bound=is_incomplete, cost_usd=cost)
    assert run.sums_agree is agree


def test_sums_that_differ_are_said_with_all_their_digits() -> None:
    run = read(result(total_cost_usd=0.00001, modelUsage={OPUS: entry(costUSD=0.123456)}))
    assert run.caveats[0].text == "The file reports $0.00001; its models add up to $0.123456."


@pytest.mark.parametrize(("number", "kept"), [(49, 49), (50, 50), (51, 50), (5000, 50)])
def test_many_models_share_a_line_and_sums_stay_right(number: int, kept: int) -> None:
    models = {f"claude-{i:04}": entry(costUSD=0.001 * i) for i in range(number)}
    total = sum(0.001 * i for i in range(number))
    run = read(result(total_cost_usd=total, modelUsage=models))
    assert len(run.ledger) == kept
    assert run.tokens.output == 900 * number
    assert run.ledger_cost_usd == pytest.approx(total)
    assert set(codes(run)) == ({"W_LIMIT"} if number > kept else set())
    assert run.model == f"claude-{number - 1:04}"


# --- how it ended

LIMIT = "You've hit your limit · resets 4pm (Europe/Berlin)"


@pytest.mark.parametrize(
    ("changes", "status", "detail"),
    [
        ({}, Status.OK, None),
        ({"result": ""}, Status.OK, "no answer"),
        ({"result": "", "structured_output": {"a": 1}}, Status.OK, None),
        ({"terminal_reason": "completed"}, Status.OK, None),
        ({"subtype": "error_max_turns", "is_error": False}, Status.FAILED, "turn limit"),
        (
            {"subtype": "error_max_turns", "is_error": True, "errors": ["Too many turns"]},
            Status.FAILED,
            "turn limit",
        ),
        ({"subtype": "error_max_budget_usd", "is_error": True}, Status.FAILED, "budget limit"),
        (
            {"subtype": "error_max_structured_output_retries", "is_error": True},
            Status.FAILED,
            "structured output",
        ),
        (
            {"subtype": "error_during_execution", "is_error": True},
            Status.FAILED,
            "error during execution",
        ),
        (
            {"subtype": "error_during_execution", "errors": ["Request was aborted."]},
            Status.INTERRUPTED,
            "aborted",
        ),
        (
            {
                "subtype": "error_during_execution",
                "is_error": True,
                "terminal_reason": "aborted_streaming",
            },
            Status.INTERRUPTED,
            "aborted",
        ),
        (
            {"subtype": "error", "is_error": True, "result": "", "error": "Broken"},
            Status.FAILED,
            "error",
        ),
        (
            {"is_error": True, "result": LIMIT, "stop_reason": "stop_sequence"},
            Status.STOPPED,
            "usage limit",
        ),
        (
            {"is_error": True, "result": "5-hour limit reached ∙ resets 3am"},
            Status.STOPPED,
            "usage limit",
        ),
        (
            {"is_error": True, "result": "Claude AI usage limit reached|1750000000"},
            Status.STOPPED,
            "usage limit",
        ),
        (
            {"is_error": True, "result": "x", "terminal_reason": "blocking_limit"},
            Status.STOPPED,
            "usage limit",
        ),
        ({"is_error": True, "result": "Invalid API key · Fix it"}, Status.STOPPED, "not logged in"),
        ({"is_error": True, "result": "Credit balance is too low"}, Status.STOPPED, "no credit"),
        (
            {"is_error": True, "result": 'API Error: 529 {"type":"error"}'},
            Status.STOPPED,
            "API error 529",
        ),
        ({"is_error": True, "result": "API Error: Connection error."}, Status.STOPPED, "API error"),
        (
            {"is_error": True, "result": "API Error: Down.", "api_error_status": 503},
            Status.STOPPED,
            "API error 503",
        ),
        (
            {"is_error": True, "result": "Odd", "api_error_status": 500},
            Status.STOPPED,
            "API error 500",
        ),
        ({"is_error": True, "result": "Prompt is too long"}, Status.FAILED, "prompt too long"),
        (
            {"is_error": True, "result": "Odd", "stop_reason": "stop_sequence"},
            Status.STOPPED,
            "error message",
        ),
        ({"is_error": True, "result": "Odd"}, Status.FAILED, "error"),
        (
            {"is_error": True, "startup_failure_reason": "bad config"},
            Status.STOPPED,
            "startup failed",
        ),
        ({"terminal_reason": "stop_hook_prevented"}, Status.STOPPED, "stopped by hook"),
        ({"subtype": None}, Status.OK, None),
        ({"subtype": None, "is_error": None}, Status.UNKNOWN, "not stated"),
        ({"is_error": "false"}, Status.UNKNOWN, None),
        ({"subtype": "something_new"}, Status.UNKNOWN, None),
        ({"subtype": "something_new", "is_error": True}, Status.FAILED, "error"),
    ],
)
def test_status_is_decided_over_all_fields(
    changes: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = read(result(**changes))
    assert (run.status, run.status_detail) == (status, detail)


def test_an_agent_cannot_write_itself_a_status() -> None:
    run = read(result(result=LIMIT))
    assert (run.status, run.texts.summary) == (Status.OK, LIMIT)
    silent = read(result(result=LIMIT, usage=usage(output_tokens=0)))
    assert (silent.status, silent.texts.summary, silent.texts.errors) == (
        Status.STOPPED,
        None,
        (LIMIT,),
    )


@pytest.mark.parametrize("field", ["subtype", "terminal_reason"])
def test_an_unknown_reason_is_said(field: str) -> None:
    assert codes(read(result(**{field: "something_new"}))) == ["W_UNKNOWN"]


# --- texts


def test_an_error_text_is_no_summary() -> None:
    run = read(result(is_error=True, result=LIMIT))
    assert (run.texts.summary, run.texts.summary_origin, run.texts.errors) == (None, None, (LIMIT,))


def test_denials_say_what_was_wanted_in_one_line() -> None:
    wishes: list[Any] = [
        {"description": "list", "command": "ls\n  -la"},
        {"file_path": "/x/a.py", "content": "secret"},
        {"depth": 3, "other": "first text"},
        {},
        None,
    ]
    denials = [
        {"tool_name": "T", "tool_use_id": str(n), "tool_input": wish}
        for n, wish in enumerate(wishes)
    ]
    run = Redactor().run(read(result(permission_denials=[*denials, "odd"])))
    assert [d.wanted for d in run.texts.denials] == [
        "ls -la",
        "/x/a.py",
        "other: first text",
        "",
        "",
        "",
    ]
    assert json.loads(run.texts.denials[1].input_json) == wishes[1]
    assert run.denials == 6


@pytest.mark.parametrize(("number", "shown"), [(999, 999), (1000, 1000), (1001, 1000)])
def test_denials_are_counted_beyond_the_limit(number: int, shown: int) -> None:
    run = read(result(permission_denials=[{"tool_name": "Bash"}] * number))
    assert (run.denials, len(run.texts.denials)) == (number, shown)
    assert codes(run) == (["W_LIMIT"] if number > shown else [])


def test_every_field_is_shown_or_listed_and_credentials_are_neither() -> None:
    extra = {
        "new_field": {"deep": [{"x": 1}, ["y", None]], "plain": [1, "a", True]},
        "credential_expires_at": "2026",
    }
    listed = dict(
        read(result(**extra, inner={"credential_expires_at": "2026", "kept": 1.5})).texts.fields
    )
    assert listed["new_field.deep[0].x"] == "1"
    assert listed["new_field.deep[1]"] == "y, null"
    assert listed["new_field.plain"] == "1, a, true"
    assert listed["inner.kept"] == "1.5"
    assert listed["usage.input_tokens"] == "40"
    assert listed[f"modelUsage.{OPUS}.contextWindow"] == "200000"
    assert listed["stop_reason"] == "end_turn"
    assert not [path for path in listed if "credential" in path]
    shown = {
        "type",
        "result",
        "session_id",
        "uuid",
        "total_cost_usd",
        "duration_ms",
        "num_turns",
        "permission_denials",
    }
    assert not shown & set(listed)


def test_credentials_are_listed_nowhere_however_deep_they_lie() -> None:
    secret = {"credential_expires_at": "2026-11-22"}
    deep: Any = secret
    for _ in range(12):
        deep = {"in": deep}
    several = [
        init(**secret),
        turn(1, **secret, details=deep),
        turn(2, more=[secret], details=deep),
    ]
    for data in (result(**secret, details=deep), *([several])):
        run = read(lines(*data) if isinstance(data, list) else data)
        assert run.texts.fields and "2026-11-22" not in repr(run.texts)


def test_a_refused_value_stays_listed() -> None:
    listed = dict(read(result(duration_ms=-5, result={"a": 1})).texts.fields)
    assert listed["duration_ms"] == "-5"
    assert listed["result.a"] == "1"


@pytest.mark.parametrize(("extra", "left_out"), [(-1, 0), (0, 0), (1, 1)])
def test_fields_are_bounded(extra: int, left_out: int) -> None:
    before = len(read(result()).texts.fields)
    run = read(result(**{f"k{i}": i for i in range(fields.MAX_ROWS - before + extra)}))
    assert len(run.texts.fields) == fields.MAX_ROWS + (extra if extra < 1 else 1)
    assert codes(run) == (["W_LIMIT"] if left_out else [])


@pytest.mark.parametrize("length", [fields.MAX_VALUE - 1, fields.MAX_VALUE, fields.MAX_VALUE + 1])
def test_values_of_fields_are_bounded(length: int) -> None:
    listed = dict(read(result(long="x" * length)).texts.fields)
    cut = length > fields.MAX_VALUE
    assert listed["long"] == "x" * min(length, fields.MAX_VALUE) + (
        "… (2,001 characters)" if cut else ""
    )


def test_doubts_are_bounded() -> None:
    run = read(result(modelUsage={f"m{i}": entry(costUSD=-i - 1) for i in range(100)}))
    assert len(run.caveats) <= values.MAX_CAVEATS + 5
    assert run.caveats[-1].text.startswith("80 more")


# --- streams and arrays


def test_a_stream_is_told_by_its_result_and_its_beginning() -> None:
    run = read(lines(init(), says("Reading."), result()), "run.log")
    assert (run.reader, run.agent_version, run.cost_usd) == ("Claude Code stream", "2.1.81", 0.25)
    assert (run.texts.summary, run.texts.summary_origin) == (result()["result"], None)
    listed = dict(run.texts.fields)
    assert (listed["init.cwd"], listed["init.tools"], listed["records.assistant"]) == (
        "/srv/demo",
        "Bash",
        "1",
    )
    assert not run.caveats


def test_an_array_may_stand_in_any_order() -> None:
    array = json.dumps([says("Reading."), result(), init()], indent=1).encode()
    run = read(array)
    assert (run.reader, run.cost_usd, run.agent_version) == ("Claude Code array", 0.25, "2.1.81")


def test_a_stream_without_a_result_was_interrupted_and_its_figures_are_unknown() -> None:
    run = read(lines(init(), says("Half way."), says("Aside.", parent_tool_use_id="t1")), "run.txt")
    assert (run.status, run.cost_usd, run.turns, run.wall_ms, run.denials) == (
        Status.INTERRUPTED,
        None,
        None,
        None,
        None,
    )
    assert run.ledger == (ModelUsage(OPUS, Tokens()),)
    assert (run.texts.summary, run.texts.summary_origin) == ("Half way.", "the last message")
    assert (run.session_id, run.uuid, codes(run)) == (result()["session_id"], None, ["W_NO_RESULT"])


def test_a_time_at_the_beginning_of_a_stream_is_its_start() -> None:
    assert (
        read(lines(init(timestamp="2026-02-03T04:05:06.789+01:00"), result())).started_at
        == "2026-02-03T03:05:06Z"
    )
    later = says("x", timestamp="2026-02-03T04:05:06Z")
    assert read(lines(init(), later, result())).started_at is None


def turn(number: int, **changes: Any) -> dict[str, Any]:
    """The n-th result of one process: running totals of all turns, times and usage of its own."""
    model = entry(
        outputTokens=900 * number, costUSD=0.25 * number, cacheCreationInputTokens=600 * number
    )
    totals = {
        "total_cost_usd": 0.25 * number,
        "duration_api_ms": 70500 * number,
        "modelUsage": {OPUS: model},
    }
    return result(uuid=f"a{number}", result=f"Turn {number}.", **totals) | changes


def test_results_of_one_process_carry_on_totals_and_add_times() -> None:
    run = read(lines(init(), turn(1), init(), turn(2), init(), turn(3)), "run.jsonl")
    assert (run.cost_usd, run.api_ms, run.tokens.output) == (0.75, 211500, 2700)
    assert (run.wall_ms, run.turns) == (183000, 27)
    assert run.ledger[0].tokens.cache_write_1h == 1800  # the split is one of turns: it adds
    assert (run.uuid, tuple(each.uuid for each in run.results[:3]), codes(run)) == (
        "a3",
        ("a1", "a2", "a3"),
        ["W_MULTI_RESULT"],
    )
    listed = dict(run.texts.fields)
    assert listed["results[0].result"] == "Turn 1."


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(turn(1, uuid="b", total_cost_usd=0.2), id="cost falls"),
        pytest.param(turn(1, uuid="b", duration_api_ms=100), id="API time falls"),
        pytest.param(
            turn(1, uuid="b", total_cost_usd=0.3), id="output grows by less than the turn used"
        ),
        pytest.param(turn(2, uuid="b", result_index=0), id="its index begins anew"),
    ],
)
def test_results_of_several_processes_add(later: dict[str, Any]) -> None:
    run = read(lines(init(), turn(1), init(), later), "run.jsonl")
    assert run.cost_usd == pytest.approx(0.25 + later["total_cost_usd"])
    assert run.tokens.output == 900 + later["modelUsage"][OPUS]["outputTokens"]
    assert run.api_ms == 70500 + later["duration_api_ms"]


@pytest.mark.parametrize(
    ("without", "cost", "tokens", "api_ms", "doubts"),
    [
        ((), 0.5, 1800, 141000, []),
        (("total_cost_usd",), None, 1800, 141000, ["W_MISSING"]),
        (("modelUsage",), 0.5, 900, 141000, ["W_MISSING"]),
        (("duration_api_ms",), 0.5, 1800, None, []),
        (
            ("total_cost_usd", "modelUsage", "duration_api_ms"),
            None,
            900,
            None,
            ["W_MISSING", "W_MISSING"],
        ),
    ],
)
def test_an_earlier_running_total_is_never_shown_as_the_whole(
    without: tuple[str, ...], cost: float | None, tokens: int, api_ms: int | None, doubts: list[str]
) -> None:
    last = {name: value for name, value in turn(2).items() if name not in without}
    run = read(lines(init(), turn(1), last), "run.jsonl")
    assert (run.cost_usd, run.tokens.output, run.api_ms) == (cost, tokens, api_ms)
    assert run.ledger_is_lower_bound == (tokens == 900)
    assert run.ledger_cost_usd == tokens / 900 * 0.25
    assert (run.wall_ms, run.turns) == (122000, 18)
    assert codes(run) == ["W_MULTI_RESULT", *doubts]
    said = any("up to an earlier one, a lower bound" in caveat.text for caveat in run.caveats)
    assert said == run.ledger_is_lower_bound


@pytest.mark.parametrize("empty", [{}, None])
def test_what_the_last_result_counts_as_nothing_is_a_lower_bound_too(empty: object) -> None:
    run = read(lines(init(), turn(1), turn(2, modelUsage=empty)), "run.jsonl")
    assert (run.tokens.output, run.ledger_is_lower_bound) == (900, True)
    assert f"modelUsage.{OPUS}.contextWindow" not in dict(run.texts.fields)


def test_a_process_whose_last_result_has_no_cost_leaves_that_of_the_file_unknown() -> None:
    early = turn(1)
    del early["total_cost_usd"]
    run = read(lines(init(), early, init(), turn(1, uuid="b", result_index=0)), "run.jsonl")
    assert (run.cost_usd, run.ledger_cost_usd) == (None, 0.5)
    assert codes(run) == ["W_MULTI_RESULT", "W_MISSING"]


def test_results_are_known_by_uuid_cost_time_and_turns() -> None:
    odd = turn(2, uuid="b", duration_ms=-1, num_turns="nine", total_cost_usd=None)
    nameless = turn(3)
    del nameless["uuid"]
    run = read(lines(init(), turn(1), odd, nameless), "run.jsonl")
    assert run.results[:2] == (ResultKey("a1", 0.25, 61000, 9), ResultKey("b", None, None, None))
    backwards = dict(reversed(nameless.items()))
    assert read(json.dumps(backwards, indent=1).encode()).results == run.results[2:3]


def test_an_array_is_one_process_unless_totals_fall() -> None:
    assert read(json.dumps([turn(1), turn(1, uuid="b")]).encode()).cost_usd == 0.25
    assert read(json.dumps([turn(2), turn(1, uuid="b")]).encode()).cost_usd == 0.75


def test_the_same_result_twice_counts_once() -> None:
    for record in (result(), result("uuid")):
        run = read(lines(record, record), "run.log")
        assert (run.cost_usd, run.wall_ms, run.turns) == (0.25, 61000, 9)
        assert codes(run) == ["W_MULTI_RESULT"]


def test_denials_of_several_turns_count_once() -> None:
    one, two = (
        {"tool_name": "Bash", "tool_use_id": n, "tool_input": {"command": n}} for n in ("1", "2")
    )
    run = read(
        lines(init(), turn(1, permission_denials=[one]), turn(2, permission_denials=[one, two])),
        "a.log",
    )
    assert [denial.wanted for denial in run.texts.denials] == ["1", "2"]


@pytest.mark.parametrize(
    ("records", "summary", "origin"),
    [
        ([init(), turn(1), turn(2, is_error=True, result=LIMIT)], "Turn 1.", "an earlier result"),
        (
            [init(), says("So far."), result(is_error=True, result=LIMIT)],
            "So far.",
            "the last message",
        ),
        (
            [init(), says("So far."), result("result", subtype="error_max_turns")],
            "So far.",
            "the last message",
        ),
        (
            [
                init(),
                says(LIMIT, message={"model": "<synthetic>"}),
                result(is_error=True, result=LIMIT),
            ],
            None,
            None,
        ),
    ],
)
def test_the_summary_is_what_the_agent_said_last(
    records: list[dict[str, Any]], summary: str | None, origin: str | None
) -> None:
    run = read(lines(*records), "run.log")
    assert (run.texts.summary, run.texts.summary_origin) == (summary, origin)


def test_thousands_of_partial_messages_are_counted_unparsed() -> None:
    partial = b'{"type":"stream_event","event":{"type":"content_block_delta"}}\n'
    run = read(lines(init()) + partial * 5000 + lines(result()), "run.jsonl")
    assert dict(run.texts.fields)["records.stream_event"] == "5000"
    assert not run.caveats


# --- forms of text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"npm warn old\n" + lines(result()), ["W_NOISE"], id="text before"),
        pytest.param(
            b"npm warn old\n" * 1000 + lines(result()), ["W_NOISE"], id="much text before"
        ),
        pytest.param(lines(result()) + b"Killed\n", ["W_NOISE"], id="text after"),
        pytest.param(
            b"\x1b[?25h\x1b[0m" + lines(result()), ["W_NOISE"], id="terminal codes before"
        ),
        pytest.param(b"```json\n" + lines(result()) + b"```\n", ["W_NOISE"], id="fenced"),
        pytest.param(json.dumps(result()).encode() + b"}", ["W_NOISE"], id="a brace too many"),
        pytest.param(
            lines(result()) + b'er object that was longer"}\n',
            ["W_NOISE"],
            id="tail of an older file",
        ),
        pytest.param(
            lines(init()) + b'{"type":"assis\n' + lines(result()), ["W_BAD_LINE"], id="a torn line"
        ),
        pytest.param(
            b"\n\n" + json.dumps(result(), indent=2).encode() + b"\n\n", [], id="laid out"
        ),
        pytest.param(
            b"warning\n" + json.dumps(result(), indent=2).encode(),
            ["W_NOISE"],
            id="text, then laid out",
        ),
        pytest.param(json.dumps(result()).encode("utf-8-sig"), [], id="byte order mark"),
        pytest.param(json.dumps(result()).encode("utf-16"), [], id="UTF-16"),
        pytest.param(
            json.dumps(result()).encode("utf-16-le"), ["W_ENCODING"], id="UTF-16 without mark"
        ),
        pytest.param(
            json.dumps(json.dumps(result())).encode(), ["W_DOUBLE_ENCODED"], id="JSON in JSON"
        ),
        pytest.param(
            json.dumps(result())[:-1].encode() + b',"total_cost_usd":0.25}',
            ["W_DUP_KEY"],
            id="a key twice",
        ),
        pytest.param(lines(result(a=[[[]] * 200])), [], id="many brackets"),
    ],
)
def test_what_can_be_read_without_guessing_is_read(data: bytes, expected: list[str]) -> None:
    run = read(data)
    assert run.cost_usd == 0.25
    assert codes(run) == expected


def test_the_last_of_two_equal_keys_counts() -> None:
    assert read(json.dumps(result())[:-1].encode() + b',"num_turns":4}').turns == 4


def test_western_bytes_are_read_and_others_are_not_guessed() -> None:
    text = json.dumps(result(result="Größe geändert"), ensure_ascii=False)
    assert read(text.encode("cp1252")).texts.summary == "Größe geändert"
    japanese = json.dumps(result(result="日本語"), ensure_ascii=False).encode("shift-jis")
    assert "\ufffd" in (read(japanese).texts.summary or "")


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"", "E_EMPTY", None),
        (b" \r\n\t", "E_EMPTY", None),
        (b"\0" * 4096, "E_NOT_JSON", None),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "E_LFS_POINTER",
            None,
        ),
        (json.dumps(result()).encode()[:200], "E_TRUNCATED", "line 1, column"),
        (json.dumps(result(), indent=1).encode()[:200], "E_TRUNCATED", "line 9, column"),
        (b'{"type":"result","result":"a\\u26', "E_TRUNCATED", "line 1, column"),
        (b'{"type":"result","is_error":fal', "E_TRUNCATED", "line 1, column"),
        (b'{"type":"result","num_turns":03}', "E_NOT_JSON", "line 1, column"),
        (b'{"type":"result","result":"a\nb"}', "E_NOT_JSON", "line 1, column"),
        (b"// note\n" + lines(result()), "E_NOT_JSON", "line 1, column 1"),
        (b"\x0c" + lines(result()), "E_NOT_JSON", "line 1, column 1"),
        (
            b"<<<<<<< HEAD\n" + lines(result()) + b"=======\n>>>>>>> x\n",
            "E_NOT_JSON",
            "line 1, column 1",
        ),
        (
            lines(
                {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            ),
            "E_NOT_A_RUN",
            None,
        ),
        (lines(result(type="Result")), "E_NOT_A_RUN", None),
        (lines(says("x")), "E_NOT_A_RUN", None),
        (b'{"type":"result","num_turns":' + b"9" * 4301 + b"}", "E_LIMIT", None),
        (b'{"type":"result","result":"x","a":' + b"[" * 1000 + b"]" * 1000 + b"}", "E_LIMIT", None),
        (b"[" * 100000, "E_LIMIT", None),
    ],
)
def test_what_is_broken_is_refused_with_its_place(
    data: bytes, code: str, place: str | None
) -> None:
    with pytest.raises(ReadError) as refused:
        read_source(RunFile.of("run.json", data), named=False)
    assert refused.value.code == code
    assert (refused.value.place or "").startswith(place or "")


@pytest.mark.parametrize(
    ("levels", "caveats"), [(98, []), (99, []), (100, ["W_LIMIT"]), (999, ["W_LIMIT"])]
)
def test_depth_is_limited_before_parsing(levels: int, caveats: list[str]) -> None:
    run = read(json.dumps(result())[:-1].encode() + b',"a":' + b"[" * levels + b"]" * levels + b"}")
    assert codes(run) == caveats


@pytest.mark.parametrize("digits", [4299, 4300])
def test_long_numbers_are_read_as_far_as_python_reads_them(digits: int) -> None:
    run = read(b'{"type":"result","result":"x","num_turns":' + b"9" * digits + b"}")
    assert run.turns is None and "W_RANGE" in codes(run)


# --- the three classes of files

FOREIGN = [
    pytest.param("package.json", b'{"name":"x","version":"1.0.0"}', id="foreign JSON"),
    pytest.param("a.json", b"[]", id="an empty list"),
    pytest.param("a.json", b"[" + b"[1, 2], " * 200 + b"[3]]", id="a matrix"),
    pytest.param("a.jsonl", b'{"id": 1}\n{"id": 2}\n', id="foreign lines"),
    pytest.param("a.log", b"12:00 starting\n12:01 done\n", id="a log"),
    pytest.param(
        "a.log",
        b"12:00 started\n" * 20 + b'12:00 Output: {"type":"result","num_turns":1}\n',
        id="JSON within lines of a log",
    ),
    pytest.param("a.txt", b"API Error: 404 not found\n", id="a text"),
    pytest.param("a.png", b"\x89PNG\r\n\x1a\n\0\0", id="an image"),
    pytest.param("a.py", b"print({})\n", id="a source"),
    pytest.param("a.md", b"", id="empty without a run's extension"),
    pytest.param(
        "a.jsonl", lines({"type": "result", "status": "success", "stats": {}}), id="gemini"
    ),
    pytest.param(
        "a.jsonl",
        lines({"type": "user", "sessionId": "s", "parentUuid": None, "message": {}}),
        id="a transcript",
    ),
]


@pytest.mark.parametrize(("name", "data"), FOREIGN)
def test_what_nobody_knows_and_nobody_named_is_ignored(name: str, data: bytes) -> None:
    assert read_source(RunFile.of(name, data), named=False) is None


@pytest.mark.parametrize(("name", "data"), FOREIGN)
def test_what_nobody_knows_is_a_problem_when_it_was_named(name: str, data: bytes) -> None:
    with pytest.raises(ReadError) as refused:
        read_source(RunFile.of(name, data), named=True)
    assert refused.value.code in {"E_NOT_A_RUN", "E_NOT_JSON", "E_EMPTY"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "an image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "an image"),
        (b"RIFF\x1a\0\0\0WEBPVP8 ", "an image"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "an archive of a kind that is not opened"),
        (b"PAR1\x15\x04\x15", "a table of Parquet"),
        (b"\x80\x04\x95\x1a\0\0\0", "a pickle of Python"),
        (b"\x7fELF\x02\x01\x01\0", "a program"),
        (
            b'<!doctype html>\n<html lang="en">\n<meta name="generator" content="sitegen 1.0">',
            "made by sitegen",
        ),
        (b'{"schema": 1, "runs": [\n{"id": "a"}]}', "made by sitegen"),
        (b"{'type': 'result', 'is_error': False}\n", "a dump of Python objects"),
        (b"[{'type': 'result', 'cost': None}]\n", "a dump of Python objects"),
        (b"ResultMessage(subtype='success', duration_ms=12000)\n", "a dump of Python objects"),
        (b"{\n  type: 'result',\n  is_error: false,\n}\n", "a dump of JavaScript objects"),
        (b"{ type: 'result', usage: [Object] }\n", "a dump of JavaScript objects"),
        (b'{"testCases": [], "metricsScores": [], "runDuration": 3}', "a test run of DeepEval"),
        (b'{"v": 3, "id": "T-0198", "created": 1, "messages": []}', "a thread of Amp"),
        (b'[{"title": "x", "mapping": {}, "current_node": "a"}]', "an export of ChatGPT"),
        (b"\xde\xad\xbe\xef\0\1\2", "a file that is not text"),
    ],
)
def test_a_named_file_that_cannot_be_read_is_called_what_it_is(data: bytes, says: str) -> None:
    with pytest.raises(ReadError) as refused:
        read_source(RunFile.of("a", data), named=True)
    assert says in refused.value.reason
    if says != "a file that is not text":
        assert readers.parse_file(RunFile.of("a", data), named=False) != NotARun("binary")


@pytest.mark.parametrize(
    "text",
    ["{'a'", "body { color: red }", "- type: result\n", "def f(x):\n  return {}\n", "{{ x }}"],
)
def test_other_texts_are_no_dumps(text: str) -> None:
    assert readers.parse_file(RunFile.of("a", text.encode()), named=False) == NotARun("text")


@pytest.mark.parametrize("name", ["a.json", "a.JSONL", "b/c.ndjson"])
def test_an_extension_of_json_is_a_claim(name: str) -> None:
    with pytest.raises(ReadError) as refused:
        read_source(RunFile.of(name, b"<html>502 Bad Gateway</html>"), named=False)
    assert refused.value.code == "E_NOT_JSON"


@pytest.mark.parametrize("name", ["a", "a.md", "a.json~1", "a.b/c"])
def test_content_decides_and_not_the_extension(name: str) -> None:
    assert read(lines(result()), name).cost_usd == 0.25


def test_only_files_that_may_hold_runs_are_read() -> None:
    def is_read(name: str, data: bytes, *, named: bool = False) -> bool:
        return readers.worth_reading(RunFile.of(name, data), named=named)

    assert is_read("a.log", b"") and is_read("a.png", b"", named=True)
    assert is_read("a.dat", lines(result()))
    assert not is_read("a.dat", b"\x7fELF")
    assert not is_read("a.dat", b"x" * 4096 + b"\n" + lines(result()))


# --- files as readers get them


def test_the_digest_is_of_the_whole_file_however_little_a_reader_takes() -> None:
    data = b"one\ntwo\n" * 100_000
    whole = hashlib.sha256(data).hexdigest()
    for takes in (0, 3, 4096, 300_000, len(data)):
        file = RunFile.of("a.log", data)
        assert file.head == data[:65_536]
        stream = file.open()
        assert stream.read(takes) == data[:takes]
        stream.seek(8)
        assert stream.readline() == b"one\n"
        assert file.digest() == whole and file.read() == data


def test_the_digest_is_of_what_was_read_though_the_file_changes_meanwhile() -> None:
    content = io.BytesIO(b"a" * 500_000 + b"b" * 500_000)
    file = RunFile("a.log", content, 10**6)
    first = file.open().read(100)
    content.getbuffer()[:100] = b"c" * 100
    assert first == b"a" * 100
    assert file.digest() == hashlib.sha256(b"a" * 500_000 + b"b" * 500_000).hexdigest()


def test_a_file_that_grows_beyond_its_bound_is_refused() -> None:
    file = RunFile("a.log", io.BytesIO(b"x" * 3 * 1024 * 1024), 2 * 1024 * 1024)
    for take in (file.read, file.digest, lambda: sum(map(len, file.pieces()))):
        with pytest.raises(ReadError, match="larger than 2 MB"):
            take()


# --- readers of other distributions

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution whose module `extra_reader` has this source; its `Extra` is the reader."""

    def installed(source: str) -> None:
        (tmp_path / "extra_reader.py").write_text(source, encoding="utf-8")
        about = tmp_path / "extra_reader-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: extra-reader\nVersion: 1\n", encoding="utf-8"
        )
        (about / "entry_points.txt").write_text(
            "[sitegen.readers]\nextra = extra_reader:Extra\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)
        readers.installed.cache_clear()

    yield installed
    readers.installed.cache_clear()
    sys.modules.pop("extra_reader", None)


def extra(matches: str = "return True", read: str = "return ()") -> str:
    """A reader whose methods do this."""
    return (
        "from sitegen.errors import ReadError\n"
        "from sitegen.model import Run, Status\n"
        "class Extra:\n"
        "    name = 'extra'\n"
        f"    def matches(self, file):\n        {matches}\n"
        f"    def read(self, file, locator=None):\n        {read}\n"
    )


@pytest.mark.parametrize("method", ["matches", "read"])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("KeyError('x')", "E_READER"),
        ("RecursionError()", "E_LIMIT"),
        ("MemoryError()", "E_LIMIT"),
        ("ReadError('E_X', '')", "E_X"),
    ],
)
def test_whatever_a_reader_raises_is_a_problem_of_one_file(
    install: Install, method: str, error: str, code: str
) -> None:
    install(extra(**{method: f"raise {error}"}))
    assert readers.worth_reading(RunFile.of("a.dat", b"x"), named=False)
    with pytest.raises(ReadError) as refused:
        read_source(RunFile.of("a.dat", b"x"), named=False)
    assert refused.value.code == code


def test_an_installed_reader_is_asked_when_the_built_in_ones_decline(install: Install) -> None:
    declined = lines({"type": "result", "status": "success", "stats": {}})
    assert read_source(RunFile.of("a.jsonl", declined), named=False) is None
    install(extra(read="yield Run('Extra', Status.OK)"))
    assert read(declined, "a.jsonl").reader == "Extra"
    assert read(result()).reader == "Claude Code result"


TALLY = re.search(r"    class Tally:.*?\n(?=\Z|\S)", readers.__doc__ or "", re.DOTALL)


def test_the_reader_of_the_manual_finds_one_run_without_the_others(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TALLY is not None
    source = dedent(TALLY[0]).replace("class Tally", "class Extra")
    install(f"from sitegen.model import Run, Status\n{source}")
    (tmp_path / "runs").mkdir()
    file = tmp_path / "runs" / "many.tally"
    file.write_bytes(b"".join(b"TALLY %d\n" % turns for turns in range(1000)))
    redactor = Redactor()
    found = discover.discover([str(tmp_path / "runs")])
    entries = survey(found, Naming([None]), redactor, lambda _doing, items: items).entries
    assert [entry.run.turns for entry in entries] == list(range(1000))
    (begin,) = (entry for entry in entries if entry.run.turns == 700)
    parsed: list[int] = []
    model_run = model.Run
    extra = sys.modules["extra_reader"]
    monkeypatch.setattr(
        extra, "Run", lambda *args, **rest: parsed.append(rest["turns"]) or model_run(*args, **rest)
    )
    assert reread_run(begin, redactor).turns == 700
    assert parsed == [700]


def test_the_module_of_an_installed_reader_is_found_without_loading_it(
    install: Install, tmp_path: Path
) -> None:
    install("raise OSError('no such library')")
    assert readers.places() == (tmp_path / "extra_reader.py",)


def test_a_file_that_every_reader_declines_is_ignored(install: Install) -> None:
    install(extra())
    assert read_source(RunFile.of("a.dat", b"x"), named=False) is None


def test_a_reader_that_cannot_be_loaded_is_a_fault_of_the_settings(install: Install) -> None:
    install("raise OSError('no such library')")
    with pytest.raises(
        ConfigError, match=r"extra \(extra_reader:Extra\) cannot be loaded: no such library"
    ):
        read_source(RunFile.of("a.dat", b"x"), named=False)


# --- properties

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
names = st.sampled_from(
    [*result(), "structured_output", "errors", "error", "terminal_reason", "api_error_status", "x"]
)
unhurried = settings(suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def sound(run: Run) -> None:
    """What holds for every run, whatever its file says."""
    for figure in (run.cost_usd, run.wall_ms, run.api_ms, run.turns, run.denials, run.tokens.total):
        assert figure is None or 0 <= figure < float("inf")
    assert len(run.ledger) <= 50 and len(run.texts.fields) <= fields.MAX_ROWS + 1


def read_or_refuse(data: bytes, name: str = "run.json") -> None:
    try:
        runs = read_source(RunFile.of(name, data), named=True)
    except ReadError as error:
        assert re.fullmatch(r"E_[A-Z_]+", error.code) and error.reason
        assert error.code != "E_READER", error.__cause__
    else:
        for run in runs or ():
            sound(run)


@unhurried
@given(
    changes=st.dictionaries(names, json_values, max_size=4),
    missing=st.sets(names, max_size=3),
    stream=st.booleans(),
)
def test_any_field_may_hold_anything(
    changes: dict[str, Any], missing: set[str], stream: bool
) -> None:
    record = result(*missing, **changes)
    read_or_refuse(
        lines(init(), record, record | {"uuid": "b"}) if stream else json.dumps(record).encode()
    )


@unhurried
@given(
    inside=st.sampled_from(["usage", "modelUsage", "model"]),
    name=st.text(max_size=10),
    value=json_values,
)
def test_any_figure_may_hold_anything(inside: str, name: str, value: Any) -> None:
    for key in (name, "outputTokens", "cache_creation", "server_tool_use"):
        record = result()
        target = record["modelUsage"][OPUS] if inside == "model" else record[inside]
        target[key] = value
        read_or_refuse(json.dumps(record).encode())


@unhurried
@given(
    start=st.integers(0, 1200),
    length=st.integers(0, 40),
    patch=st.binary(max_size=12),
    stream=st.booleans(),
)
def test_any_bytes_may_be_damaged(start: int, length: int, patch: bytes, stream: bool) -> None:
    whole = lines(init(), says("x"), result()) if stream else lines(result())
    read_or_refuse(whole[:start] + patch + whole[start + length :])


@unhurried
@given(
    data=st.binary(max_size=200),
    pieces=st.lists(
        st.sampled_from(['{"', "[", "}", '"', "\\", "\n", "{", ":", ",", "1", '"type":"result"']),
        max_size=60,
    ),
)
def test_any_bytes_are_read_or_refused(data: bytes, pieces: list[str]) -> None:
    read_or_refuse(data)
    read_or_refuse("".join(pieces).encode())


RECORD = b'{"type": "result", "num_turns": 1, "result": "x"}\n'


@pytest.mark.parametrize(
    "noise",
    [
        b"{}" * 50_000,
        b"[{}]" * 25_000,
        b"{" + b'"a":[' * 200 + b"]" * 200 + b"}" * 20_000,
        b"[\n" * 900 + b"1," * 49_000 + b"1" + b"]" * 900,
        (b"[\n" * 900 + b"1," * 1_000 + b"1" + b"]" * 900 + b"\n") * 20,
        b"[\n" * 900 + b"1," * 49_000,
    ],
    ids=["objects", "lists", "deep-object", "deep-list", "deep-lists", "cut-list"],
)
def test_json_that_is_made_to_be_slow_is_read_in_linear_time(noise: bytes) -> None:
    start = time.process_time()
    run = read(RECORD + noise)
    assert seconds_since(start) < 3  # a third of a second, where lines are not counted
    assert run.texts.summary == "x"


def test_lists_without_objects_are_noise_and_hide_nothing_behind_them() -> None:
    run = read(b"[\n  1,\n  [2]\n] done\n[\n3]\n" + RECORD)
    assert run.texts.summary == "x"
    assert "W_NOISE" in codes(run)


def test_values_of_a_file_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_VALUES", 10)
    assert read(RECORD + b'{"type": "user"}\n' * 9).texts.summary == "x"
    with pytest.raises(ReadError, match="more than 10 JSON values"):
        read(RECORD + b'{"type": "user"}\n' * 10)


# --- files larger than what is in memory at once


def whole_and_by_windows(
    data: bytes, monkeypatch: pytest.MonkeyPatch, window: int
) -> tuple[object, object]:
    """What is read of a file, in one piece and in windows of so many bytes: its runs, or why there are none."""

    def found() -> object:
        try:
            return read_source(RunFile.of("a.jsonl", data), named=True)
        except ReadError as error:
            return error.code, error.reason, error.place

    whole = found()
    monkeypatch.setattr(json_text, "WINDOW_BYTES", window)
    return whole, found()


PRETTY = json.dumps(result(), indent=2).encode() + b"\n"
LARGE = [
    pytest.param(lines(init(), *(says(f"Line {n}") for n in range(40)), result()), id="a stream"),
    pytest.param(
        lines(init(), says("x")) + PRETTY + b"Killed\n", id="a value of many lines, and noise"
    ),
    pytest.param(
        lines(init()) + b"warning: low\n" + lines(says("x")) + b"more noise\n" + lines(result()),
        id="noise",
    ),
    pytest.param(
        lines(init()) + b'{"type": "user", "mess\n' + lines(says("x"), result()), id="a broken line"
    ),
    pytest.param(lines(init(), says("x"), says("y"), result())[:-300], id="a cut stream"),
    pytest.param(
        lines(init(), says("\u00e9\u4e2d\U0001f600 " * 30), result(result="\u4e2d")),
        id="other scripts",
    ),
    pytest.param(
        lines(init(), says("x")) + b"<<<<<<< HEAD\n" + lines(result()), id="conflict marks"
    ),
    pytest.param(lines(init(), says("x" * 3000), result()), id="a line larger than a window"),
    pytest.param(lines(*({"id": n} for n in range(50))), id="foreign lines"),
]


@pytest.mark.parametrize("window", [1, 100, 700])
@pytest.mark.parametrize("data", LARGE)
def test_a_file_read_window_by_window_is_the_file_read_at_once(
    data: bytes, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, by_windows = whole_and_by_windows(data, monkeypatch, window)
    assert by_windows == whole


def test_a_large_file_is_lines_of_json_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "WINDOW_BYTES", 100)
    monkeypatch.setattr(json_text, "MAX_AT_ONCE_BYTES", 5000)
    listed = json.dumps([init(), says("x"), result()]).encode()
    assert read(listed).texts.summary == "## Parser rewritten\n\nAll tests pass."
    for data in (
        listed[:-1] + b"," + json.dumps(says("x" * 5000)).encode() + b"]",
        lines(init(), says("x" * 9000)),
    ):
        with pytest.raises(ReadError) as refused:
            read_source(RunFile.of("a.log", data), named=True)
        assert refused.value.code == "E_LIMIT"


def test_reading_a_stream_takes_memory_for_a_window_and_not_for_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    filler = says("The reader lets go of what it has read. " * 2500)
    with file.open("wb") as stream:
        stream.write(lines(init()))
        for number in range(600):
            filler["message"]["id"] = f"m{number}"
            stream.write(lines(filler))
        stream.write(lines(result()))
    assert file.stat().st_size > 60_000_000
    tracemalloc.start()
    with file.open("rb") as content:
        (run,) = read_source(RunFile("a.jsonl", content, 10**9), named=False) or ()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.steps is not None and run.steps.steps == 601
    assert peak < 40_000_000


# --- the documentation


def test_every_code_is_explained() -> None:
    used = {
        code
        for path in (ROOT / "sitegen").rglob("*.py")
        for code in re.findall(r'"([EW]_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    explained = set(
        re.findall(
            r"^\| `([EW]_[A-Z_]+)` \|",
            (ROOT / "docs/codes.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    assert used == explained


@pytest.mark.parametrize("content", [b'{"type": "other"}', b""])
def test_the_folder_of_a_file_is_not_looked_through_when_its_name_tells_enough(
    content: bytes,
) -> None:
    def looked() -> frozenset[str]:
        raise AssertionError

    file = RunFile("a/1.md", io.BytesIO(content), len(content), looked)
    assert isinstance(readers.parse_file(file, named=False), NotARun)
