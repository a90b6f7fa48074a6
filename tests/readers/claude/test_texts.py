"""What a run of Claude Code says."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.claude import texts as claude_texts
from sitegen.readers.claude.texts import (
    background_first,
    claim_of,
    denials_of,
    errors_of,
    texts_of_run,
)
from sitegen.readers.common.values import Caveats, Fields


def fields_of(*records: dict[str, Any]) -> list[Fields]:
    return [Fields(record) for record in records]


@pytest.mark.parametrize(
    ("structured", "claim"),
    [
        ({"done": True}, True),
        ({"Task-Done": False, "success": True}, False),
        ({"all_tests_passed": True}, True),
        ({"done": "yes"}, None),
        ("done", None),
        (None, None),
    ],
)
def test_a_structured_answer_may_say_whether_the_task_is_done(
    structured: object, claim: bool | None
) -> None:
    assert claim_of(structured) is claim


@pytest.mark.parametrize(
    ("records", "last", "summary", "origin"),
    [
        ([{"result": "Done."}], "Said.", "Done.", None),
        ([{"result": "First."}, {"result": " "}], "Said.", "First.", "an earlier result"),
        ([{"result": ""}], "Said.", "Said.", "the last message"),
        ([{"result": ""}], None, None, None),
        ([{"result": "Oops", "is_error": True}], None, None, None),
        ([{"structured_output": {"a": 1}}], "Said.", None, None),
        (
            [{"result": "Done."}, {"result": "Notified.", "origin": {"kind": "task-notification"}}],
            None,
            "Done.",
            "an earlier result",
        ),
    ],
)
def test_the_account_is_what_the_agent_wrote_last(
    records: list[dict[str, Any]], last: str | None, summary: str | None, origin: str | None
) -> None:
    texts = texts_of_run(fields_of(*records), last, Caveats())
    assert (texts.summary, texts.summary_origin) == (summary, origin)


def test_errors_are_those_of_all_results_each_once() -> None:
    results = fields_of(
        {"errors": ["a", {"code": 1}]},
        {"error": "b", "result": "a", "is_error": True},
        {"result": "API Error: 500", "usage": {"output_tokens": 0}},
        {"error": " ", "result": "fine"},
    )
    errors = texts_of_run(results, None, Caveats()).errors
    assert errors == ("a", '{"code": 1}', "b", "API Error: 500")
    assert list(errors_of(results[3])) == []


def test_denials_are_those_of_all_turns_each_once() -> None:
    first, again = {"tool_use_id": "t1", "n": 1}, {"tool_use_id": "t1", "n": 2}
    assert denials_of(fields_of({})) is None
    assert denials_of(fields_of({"permission_denials": []})) == []
    found = denials_of(
        fields_of({"permission_denials": [first, "odd"]}, {"permission_denials": [again, "odd"]})
    )
    assert found == [first, "odd", "odd"]
    assert denials_of(fields_of({"permission_denials": [first, again]})) == [first, again]


@pytest.mark.parametrize(
    ("denial", "tool", "wanted", "is_target"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "rm x"}}, "Bash", "rm x", True),
        ({"tool_name": "Task", "tool_input": {"prompt": "look"}}, "Task", "look", False),
        ({"tool_name": "T", "tool_input": {"a": 1, "b": "c"}}, "T", "b: c", False),
        ({"tool_name": " ", "tool_input": None}, "unknown tool", "", False),
        ("odd", "unknown tool", "", False),
    ],
)
def test_a_denial_says_what_was_wanted(
    denial: object, tool: str, wanted: str, is_target: bool
) -> None:
    texts = texts_of_run(fields_of({"permission_denials": [denial]}), None, Caveats())
    (shown,) = texts.denials
    assert (shown.tool, shown.wanted, shown.is_target) == (tool, wanted, is_target)
    assert bool(shown.input_json) is (denial == "odd" or bool(wanted))


def test_many_denials_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_texts, "MAX_DENIALS", 2)
    caveats = Caveats()
    texts = texts_of_run(fields_of({"permission_denials": ["a", "b", "c"]}), None, caveats)
    assert len(texts.denials) == 2 and [caveat.code for caveat in caveats.all()] == ["W_LIMIT"]


def test_results_of_background_tasks_come_first() -> None:
    first, second = fields_of({"n": 1}, {"n": 2, "origin": {"kind": "task-notification"}})
    assert background_first([first, second]) == [second, first]
