"""Messages of a chat as several programs write them: prompts, answers, calls and results."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.chat import add_message


def counted(*messages: dict[str, Any]) -> Run:
    """Return the run of a chat."""
    run = RunBuilder(Format("Tally log"))
    for message in messages:
        add_message(run, message)
    return run.build()


def kinds(*messages: dict[str, Any]) -> tuple[int, int]:
    """Return how many steps and how many calls a chat has."""
    steps = counted(*messages).steps
    return (0, 0) if steps is None else (steps.steps, steps.tool_calls)


CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "bash", "arguments": '{"command": "ls"}'},
}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"role": "user", "content": "Go."}], (1, 0)),
        ([{"role": "user", "content": "  \n"}], (0, 0)),
        ([{"role": "user", "content": [{"type": "text", "text": "Go."}]}], (1, 0)),
        ([{"role": "system", "content": "Be brief."}], (0, 0)),
        ([{"role": "assistant", "content": " "}], (0, 0)),
        ([{"role": "assistant", "content": "Done."}], (1, 0)),
        ([{"role": "assistant", "content": "", "tool_calls": [CALL]}], (1, 1)),
        ([{"role": "assistant", "content": "I look.", "tool_calls": [CALL]}], (2, 1)),
        ([{"role": "tool", "tool_call_id": "c1", "content": "a.py"}], (0, 0)),
        ([{"content": "Go."}], (0, 0)),
    ],
)
def test_messages_are_steps_by_their_role(
    messages: list[dict[str, Any]], expected: tuple[int, int]
) -> None:
    assert kinds(*messages) == expected


@pytest.mark.parametrize(
    ("answer", "failures"),
    [
        ({"content": "a.py"}, 0),
        ({"content": "a.py", "error": None}, 0),
        ({"error": {"message": "no such file"}}, 1),
        ({"content": "a.py", "error": {"type": "TimeoutError"}}, 1),
    ],
)
def test_an_answer_with_an_error_is_a_failure(answer: dict[str, Any], failures: int) -> None:
    asked = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    steps = counted(asked, {"role": "tool", "tool_call_id": "c1", **answer}).steps
    assert steps is not None
    assert (steps.tool_calls, steps.tool_failures) == (1, failures)


def test_the_last_text_of_the_agent_is_its_account() -> None:
    run = counted(
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "Last."},
    )
    assert run.texts.summary == "Last."
