"""The reasoning effort of runs: which files state it, and how it tells configurations apart."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen import api
from sitegen.collect import Facts
from sitegen.collect.naming import unify_case
from sitegen.config import Config
from sitegen.model import Entry, Texts
from sitegen.outcomes.study import Study
from sitegen.pages.search import MARKS, document
from sitegen.readers.common.records import effort_in
from tests.pages.compare.test_compare import attempt
from tests.readers.harness.test_harness import run_of as run_of_program
from tests.support.agent_runs import read, run_of
from tests.support.harness_runs import AIDER, ATIF, HARBOR, MINI_SWE, OPENHANDS, SWE_AGENT
from tests.support.transcripts import lines


@pytest.mark.parametrize(
    ("record", "effort"),
    [
        ({"effort": "xhigh"}, "xhigh"),
        ({"effort": "High"}, "high"),
        ({"effort": {"level": "low"}}, "low"),
        ({"effort": None, "a": {"b": {"effort": "max"}}}, "max"),
        ({"effort": 3, "a": []}, None),
        ({"effort": ["high"], "a": {"b": "x"}}, None),
        ({"effort": {"level": 7}}, None),
        ({"effort": "x" * 100}, None),
        ({"effort": "two\nlines"}, None),
        ({}, None),
    ],
)
def test_an_effort_is_a_short_word(record: dict[str, Any], effort: str | None) -> None:
    assert effort_in(record, "effort a.b.effort") == effort


def claude(*efforts: object, **more: Any) -> list[dict[str, Any]]:
    """A transcript with an answer of each effort."""
    time = "2026-09-20T10:00:00.000Z"
    base = {
        "sessionId": "s-12345678",
        "version": "2.1.278",
        "timestamp": time,
        "isSidechain": False,
    }
    records = [
        {
            **base,
            "type": "user",
            "uuid": "u0",
            "parentUuid": None,
            "message": {"role": "user", "content": "Go"},
        }
    ]
    for number, effort in enumerate(efforts):
        content = [{"type": "text", "text": f"Part {number}"}]
        usage = {"input_tokens": 3, "output_tokens": 5}
        message = {
            "id": f"m{number}",
            "role": "assistant",
            "model": "claude-opus-5",
            "content": content,
            "usage": usage,
        }
        parts = {"uuid": f"a{number}", "parentUuid": "u0", "message": message, **more}
        records.append(
            {**base, "type": "assistant", **({} if effort is None else {"effort": effort}), **parts}
        )
    return records


@pytest.mark.parametrize(
    ("efforts", "expected"),
    [
        (("xhigh",), "xhigh"),
        (("low", "low", "high", "low"), "low, high"),
        ((None,), None),
        ((None, "high"), "high"),
        (({"level": "medium"},), "medium"),
        ((7,), None),
    ],
)
def test_claude_states_it_on_each_answer(efforts: tuple[object, ...], expected: str | None) -> None:
    assert run_of(lines(*claude(*efforts)), "s.jsonl").effort == expected


def test_the_effort_of_a_subagent_is_not_that_of_its_session() -> None:
    records = claude("high")
    side = {**claude("low")[1], "uuid": "b0", "isSidechain": True, "agentId": "x1"}
    side["message"] = {**side["message"], "id": "m9"}
    assert run_of(lines(*records, side), "s.jsonl").effort == "high"


def codex(*contexts: dict[str, Any]) -> list[dict[str, Any]]:
    """A session with a turn of each context."""
    time = {"timestamp": "2026-08-14T10:00:00.000Z"}
    records: list[dict[str, Any]] = [
        {**time, "type": "session_meta", "payload": {"id": "s1", "cli_version": "0.150.0"}}
    ]
    for number, context in enumerate(contexts):
        said = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": f"Part {number}"}],
        }
        records.append({**time, "type": "turn_context", "payload": {"model": "gpt-5.5", **context}})
        records.append({**time, "type": "response_item", "payload": said})
    return records


SETTINGS = {"collaboration_mode": {"mode": "default", "settings": {"reasoning_effort": "minimal"}}}


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        ([{"effort": "low"}], "low"),
        ([{"effort": "low"}, {"effort": "xhigh"}, {"effort": "low"}], "low, xhigh"),
        ([SETTINGS], "minimal"),
        ([{"effort": "high", **SETTINGS}], "high"),
        ([{}], None),
    ],
)
def test_codex_states_it_for_each_turn(
    contexts: list[dict[str, Any]], expected: str | None
) -> None:
    assert read(*codex(*contexts)).effort == expected


@pytest.mark.parametrize(("said", "expected"), [("high", "high"), ("none", None)])
def test_a_log_of_codex_states_it_in_its_header(said: str, expected: str | None) -> None:
    head = f"OpenAI Codex v0.60.1 (research preview)\n--------\nmodel: gpt-5.1\nreasoning effort: {said}\n"
    log = head + "--------\nuser\nMend it.\n\ncodex\nDone.\ntokens used\n1,200\n"
    assert run_of(log.encode(), "codex.log").effort == expected


def test_pi_states_changes() -> None:
    def record(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "timestamp": "2026-05-01T10:00:00.000Z", **fields}

    answer = {
        "role": "assistant",
        "model": "oak",
        "content": [{"type": "text", "text": "Done"}],
        "stopReason": "stop",
    }
    levels = [
        record("thinking_level_change", id=level, thinkingLevel=level) for level in ("off", "high")
    ]
    run = read(
        record("session", id="s-12345678", version=3, cwd="/srv"),
        *levels,
        record("message", id="m1", message=answer),
    )
    assert run.effort == "high"  # nothing was asked while it was off


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (MINI_SWE, ("info", "config", "model", "model_kwargs")),
        (OPENHANDS, ("metadata", "llm_config")),
        (AIDER, ()),
        (HARBOR, ("config", "agent", "kwargs")),
    ],
)
def test_programs_that_run_agents_state_it_in_their_settings(
    content: dict[str, Any], path: tuple[str, ...]
) -> None:
    changed = copy.deepcopy(content)
    place = changed
    for name in path:
        place = place.setdefault(name, {})
    assert run_of_program(changed).effort is None
    place["reasoning_effort"] = "medium"
    assert run_of_program(changed).effort == "medium"


def test_sweagent_and_steps_of_atif_state_it() -> None:
    config = {
        "agent": {"model": {"name": "gpt-5", "completion_kwargs": {"reasoning_effort": "low"}}}
    }
    assert run_of_program({**SWE_AGENT, "replay_config": config}).effort == "low"
    steps = copy.deepcopy(ATIF)
    for step in steps["steps"]:
        step["reasoning_effort"] = "high"
    assert run_of_program(steps).effort == "high"


def entry(
    number: int, model: str, effort: str | None, factors: tuple[tuple[str, str], ...] = ()
) -> Entry:
    made = attempt(model, f"t{number}", attempt=1)
    return replace(
        made,
        id=f"{number}",
        run=replace(made.run, effort=effort),
        factors=(*made.factors, *factors),
    )


def names_of(*chosen: Any) -> list[str | None]:
    entries = [entry(number, *each) for number, each in enumerate(chosen)]
    return [each.configuration for each in Study(Config(), entries).configured()]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ([("Opus", "low"), ("Opus", "xhigh")], ["Opus · low", "Opus · xhigh"]),
        ([("Opus", "low"), ("Opus", "low")], [None, None]),
        ([("Opus", "low"), ("Opus", None)], [None, None]),
        ([("Opus", None), ("Opus", None)], [None, None]),
        ([("Opus", "low"), ("Fable", "high")], [None, None]),
        (
            [("Opus", "low"), ("Opus", "high"), ("Opus", None)],
            ["Opus · low", "Opus · high", "Opus, effort unknown"],
        ),
        (
            [("Opus", "low"), ("Opus", "high"), ("Fable", "high"), ("Fable", None)],
            ["Opus · low", "Opus · high", "Fable", "Fable"],
        ),
        (
            [("Opus", "low"), ("Opus", "high"), ("", None)],
            ["Opus · low", "Opus · high", "model unknown"],
        ),
        ([("Opus", "low"), ("Opus", "low, high")], ["Opus · low", "Opus · low, high"]),
    ],
)
def test_runs_of_one_model_at_two_efforts_are_two_configurations(
    chosen: list[Any], names: list[str | None]
) -> None:
    assert names_of(*chosen) == names
    assert names_of(*chosen[::-1]) == names[::-1]


def test_an_effort_of_a_path_or_a_table_counts_before_that_of_the_file() -> None:
    stated = [("Opus", "high", (("effort", "low"),)), ("Opus", "high", (("effort", "max"),))]
    assert names_of(*stated) == ["low", "max"]
    assert entry(1, *stated[0]).factor("effort") == "low"
    assert entry(1, "Opus", "high").factor("effort") == "high"


def test_efforts_that_differ_in_case_alone_are_one() -> None:
    entries = (
        entry(1, "Opus", "high"),
        entry(2, "Opus", "high"),
        entry(3, "Opus", None, (("effort", "High"),)),
    )
    facts = unify_case(Facts(entries))
    assert {each.factor("effort") for each in facts.entries} == {"high"}
    remark = "effort: names that differ in case alone are one: High counts as high."
    assert facts.remarks == (remark,)


def test_it_is_a_column_and_a_field_of_queries(tmp_path: Path) -> None:
    for effort in ("low", "xhigh"):
        (tmp_path / f"{effort}.jsonl").write_bytes(
            lines(*codex({"effort": effort})).replace(b"s1", effort.encode())
        )
    runs = api.load_runs(tmp_path)
    assert [row["effort"] for row in runs.to_dicts()] == ["low", "xhigh"]
    marked = [document(each, Texts(), "", str).words.split() for each in runs]
    assert [
        MARKS["effort"] + effort in own
        for effort, own in zip(("low", "xhigh"), marked, strict=True)
    ] == [True] * 2
