"""Words and defaults of steps, which data files, packs and caches hold."""

from __future__ import annotations

from dataclasses import asdict

from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait


def test_words_of_steps_stay_as_they_are() -> None:
    assert list(StepKind) == [
        "prompt",
        "text",
        "thinking",
        "tool call",
        "subagent",
        "compaction",
        "hook",
        "denial",
        "API error",
        "retry",
        "notice",
        "result",
    ]
    assert list(ToolKind) == ["read", "search", "edit", "run", "fetch", "task", "wait", "other"]


def test_each_trait_is_a_bit_of_its_own() -> None:
    traits = {name: value for name, value in vars(Trait).items() if name.isupper()}
    assert traits == {
        "REPEAT": 1,
        "TEST": 2,
        "PASSING": 4,
        "TEST_FILE": 8,
        "CODE": 16,
        "UNSEEN": 32,
        "CANCELLED": 64,
        "FAILED_BEFORE": 128,
    }


def test_of_a_call_that_states_little_the_rest_is_unknown() -> None:
    assert asdict(ToolCall("a", "Read", ToolKind.READ, "x.py")) == {
        "id": "a",
        "name": "Read",
        "kind": "read",
        "target": "x.py",
        "purpose": "",
        "program": "",
        "input": "",
        "result": None,
        "result_bytes": 0,
        "failed": None,
        "denied": False,
        "exit_code": None,
        "answered_ms": None,
        "changes": "",
        "lines_added": None,
        "lines_removed": None,
        "traits": 0,
        "input_bytes": 0,
    }


def test_of_a_step_that_states_little_the_rest_is_unknown() -> None:
    assert asdict(Step(3, StepKind.TEXT, 5)) == {
        "number": 3,
        "kind": "text",
        "place": 5,
        "text": "",
        "text_bytes": 0,
        "call": None,
        "lane": "",
        "starts": "",
        "part": 0,
        "at_ms": None,
        "message_id": None,
        "model": None,
        "tokens": None,
        "context_tokens": None,
    }
