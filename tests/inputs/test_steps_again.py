"""Steps that are read again for a page: what the levels publish of them, and their order over files."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.inputs.steps_again import published, steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Level, Run, Status, Unmasked, replace
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.system.bounds import Bounds
from tests.collect import facts

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
OUTLINE, TEXTS, FULL = Level.OUTLINE, Level.TEXTS, Level.FULL


def call(**known: Any) -> ToolCall:
    return ToolCall("id-1", "Bash", ToolKind.RUN, "ls -l", **known)


def shown(step: Step, level: Level, bounds: Bounds | None = None) -> Step:
    return published(Unmasked(step), 7, Redactor(), level, bounds=bounds or Bounds())


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        (StepKind.TEXT, OUTLINE),
        (StepKind.API_ERROR, OUTLINE),
        (StepKind.PROMPT, TEXTS),
        (StepKind.THINKING, TEXTS),
        (StepKind.COMPACTION, TEXTS),
        (StepKind.HOOK, FULL),
        (StepKind.NOTICE, FULL),
    ],
)
def test_a_level_publishes_the_texts_of_some_steps(kind: StepKind, first: Level) -> None:
    levels = [OUTLINE, TEXTS, FULL]
    with_text = [level for level in levels if shown(Step(0, kind, 3, "words"), level).text]
    assert with_text == levels[levels.index(first) :]


def test_a_step_has_its_number_and_a_checksum_for_the_id_of_its_message() -> None:
    step = shown(Step(0, StepKind.TEXT, 3, "words", message_id="msg-1"), OUTLINE)
    assert (step.number, step.place) == (7, 3)
    assert step.message_id not in (None, "msg-1")
    assert step.message_id == shown(Step(1, StepKind.TEXT, 4, message_id="msg-1"), FULL).message_id
    assert shown(Step(0, StepKind.TEXT, 3), FULL).message_id is None


@pytest.mark.parametrize(
    ("level", "parts"),
    [(OUTLINE, ("", None, "")), (TEXTS, ("", None, "")), (FULL, ("i", "r", "c"))],
)
def test_inputs_answers_and_changes_are_published_in_full_alone(
    level: Level, parts: tuple[str, str | None, str]
) -> None:
    step = Step(0, StepKind.TOOL_CALL, 0, call=call(input="i", result="r", changes="c"))
    made = shown(step, level).call
    assert made is not None
    assert (made.input, made.result, made.changes) == parts
    assert (made.id, made.name, made.target) == ("", "Bash", "ls -l")


def test_a_call_without_an_answer_has_none() -> None:
    made = shown(Step(0, StepKind.TOOL_CALL, 0, call=call()), FULL).call
    assert made is not None and made.result is None


def test_what_is_published_is_masked_shortened_and_in_one_line() -> None:
    long = call(input=f"{TOKEN}\n2\n3", result="x" * 3000, purpose=f"say\n{TOKEN}")
    bounds = Bounds(result_lines=2, result_kb=1)
    made = shown(
        Step(0, StepKind.TOOL_CALL, 0, call=replace(long, target="a\n" + "b" * 400)), FULL, bounds
    ).call
    assert made is not None and made.result is not None
    assert made.input.count("\n") == 1 and TOKEN not in made.input
    assert len(made.result) == 1000
    assert "\n" not in made.purpose and TOKEN not in made.purpose
    assert made.target == f"a {'b' * 148}…"


def test_nothing_is_read_where_no_steps_are_published() -> None:
    hidden = facts.entry(run=Run("Claude Code transcript", Status.OK))
    source = replace(hidden.source, level=Level.NONE)
    assert list(steps_of(replace(hidden, source=source), Redactor())) == []
