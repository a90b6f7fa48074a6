"""Messages of chats as steps."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.chat import add_message, call_of, thoughts_of
from sitegen.steps import Step


def steps_of(*messages: dict[str, Any]) -> list[Step]:
    run = RunBuilder(Format("Tally log"))
    for number, message in enumerate(messages):
        add_message(run, message, 1_700_000_000_000 + number, f"m{number}")
    return [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]


def test_an_answer_has_its_thoughts_its_text_and_its_calls() -> None:
    call = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
    answer = {
        "role": "assistant",
        "reasoning_content": "First.",
        "content": [{"type": "thinking", "thinking": "Then."}, {"type": "text", "text": "I look."}],
        "tool_calls": [call],
    }
    result = {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}
    found = steps_of({"role": "user", "content": "Mend it."}, answer, result)
    assert [(step.kind.value, step.text, step.message_id) for step in found] == [
        ("prompt", "Mend it.", None),
        ("thinking", "First.", "m1"),
        ("thinking", "Then.", "m1"),
        ("text", "I look.", "m1"),
        ("tool call", "", "m1"),
    ]
    (read,) = [step.call for step in found if step.call]
    assert (read.id, read.name, read.target) == ("c1", "read", "a.py")
    assert (read.failed, read.result) == (False, "x = 1")


def test_empty_messages_and_other_roles_are_no_steps() -> None:
    messages = [
        {"role": "user", "content": " \n"},
        {"role": "assistant", "content": " "},
        {"role": "system", "content": "Be kind."},
        {"content": "x"},
    ]
    assert steps_of(*messages) == []


@pytest.mark.parametrize(
    ("result", "failed", "text"),
    [
        ({"content": "ok"}, False, "ok"),
        ({"content": "ok", "error": {}}, False, "ok"),
        ({"content": "ok", "error": {"message": "no file"}}, True, "no file"),
        ({"content": "ok", "error": {"type": "timeout"}}, True, "ok"),
    ],
)
def test_a_result_with_an_error_failed(result: dict[str, Any], failed: bool, text: str) -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c1", "function": "run"}]}
    (step,) = steps_of(call, {"role": "tool", "tool_call_id": "c1", **result})
    assert step.call and (step.call.failed, step.call.result) == (failed, text)


@pytest.mark.parametrize(
    ("message", "thoughts"),
    [
        ({}, []),
        ({"reasoning_content": "a"}, ["a"]),
        ({"reasoning_content": ""}, []),
        (
            {
                "reasoning_content": "a",
                "content": [
                    {"type": "thinking", "thinking": "b"},
                    {"type": "text", "text": "c"},
                    {"type": "reasoning", "reasoning": "d"},
                    {"type": "reasoning", "thinking": "e", "reasoning": "f"},
                ],
            },
            ["a", "b", "d", "e"],
        ),
    ],
)
def test_thoughts_come_before_what_is_said(message: dict[str, Any], thoughts: list[str]) -> None:
    assert thoughts_of(message) == thoughts


@pytest.mark.parametrize(
    ("call", "name", "given"),
    [
        ({"function": {"name": "a", "arguments": '{"b": 1}'}}, "a", {"b": 1}),
        ({"function": {"name": "a", "arguments": {"b": 1}}}, "a", {"b": 1}),
        ({"function": "a", "arguments": {"b": 1}}, "a", {"b": 1}),
        ({"name": "a", "arguments": {"b": 1}}, "a", {"b": 1}),
        ({"function_name": "a"}, "a", {}),
        ({"name": "a", "function_name": "b"}, "a", {}),
        ({"name": "a", "arguments": "ls -l"}, "a", {"input": "ls -l"}),
        ({"name": "a", "arguments": '"ls"'}, "a", {}),
        ({"name": "a", "arguments": "[1]"}, "a", {}),
        ({}, "", {}),
    ],
)
def test_a_call_has_a_name_and_an_input(
    call: dict[str, Any], name: str, given: dict[str, Any]
) -> None:
    assert call_of(call) == (name, given)
