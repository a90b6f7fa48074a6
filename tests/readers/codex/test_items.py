"""Calls of tools as Codex writes them."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.codex.items import (
    Patch,
    call_of,
    growth,
    input_of,
    output_text,
    patch_of,
    result_of,
    usage_of,
)
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.tool_log import ToolResult


def test_cache_writes_are_zero_where_none_are_stated() -> None:
    assert usage_of({"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 2}) == Counts(
        9, 4, 0, 2
    )
    assert usage_of({"cache_write_input_tokens": 3}).written == 3


def test_a_total_grows_count_by_count_and_never_falls() -> None:
    assert growth(Counts(9, 4, None, 2), Counts(5, None, 1, 7)) == Counts(4, 4, None, 0)


@pytest.mark.parametrize(
    ("item", "arguments"),
    [
        ({"arguments": '{"command": "ls"}'}, {"command": "ls"}),
        ({"action": {"query": "x"}}, {"query": "x"}),
        ({"arguments": "5", "input": "ls"}, {"input": "ls"}),
        ({}, {}),
    ],
)
def test_the_input_of_a_call_is_json_or_a_text(item: Any, arguments: Any) -> None:
    assert input_of(item) == arguments


def test_a_patch_in_a_text_names_its_file() -> None:
    text = "*** Begin Patch\n*** Update File: /a.py\n+x\n*** End Patch"
    assert input_of({"input": text}) == {"path": "/a.py", "input": text}


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        ('{"output": "x", "metadata": {"exit_code": 2}}', "Exit code: 2\nx"),
        ({"content": "y"}, "y"),
        ("{broken", "{broken"),
        ([{"text": "a"}, {"text": "b"}], "a\n\nb"),
        (None, ""),
    ],
)
def test_the_text_of_an_output_has_its_exit_code(output: object, text: str) -> None:
    assert output_text(output) == text


def test_a_patch_has_the_lines_of_its_files() -> None:
    changes = {
        "/a": {"type": "update", "unified_diff": "@@\n-x\n+y\n z"},
        "/b": {"type": "add", "content": "p\nq"},
        "/c": "odd",
    }
    assert patch_of(changes) == Patch("-x\n+y\n+p\n+q", frozenset(changes))


@pytest.mark.parametrize(
    ("kind", "item", "call"),
    [
        ("commandexecution", {"command": "ls"}, ("command_execution", {"command": "ls"})),
        ("filechange", {"changes": [{"path": "/a"}]}, ("file_change", {"path": "/a"})),
        (
            "filechange",
            {"changes": {"/b": {}, "/a": {}}},
            ("file_change", {"path": ["/a", "/b"]}),
        ),
        (
            "mcptoolcall",
            {"server": "s", "tool": "find", "arguments": {"q": 1}},
            ("find", {"server": "s", "q": 1}),
        ),
        ("collabtoolcall", {"prompt": "look"}, ("collabtoolcall", {"prompt": "look"})),
        ("websearch", {"query": "x"}, ("web_search", {"query": "x"})),
        ("extension", {"kind": "image", "query": "x"}, ("image", {"query": "x"})),
        ("agentmessage", {"text": "x"}, None),
    ],
)
def test_an_item_may_be_a_call(kind: str, item: Any, call: Any) -> None:
    assert call_of(kind, item) == call


@pytest.mark.parametrize(
    ("kind", "item", "result"),
    [
        (
            "commandexecution",
            {"aggregated_output": "x", "exit_code": 1, "status": "failed"},
            ToolResult("i", "x", 5, failed=True, exit_code=1),
        ),
        (
            "commandexecution",
            {"stdout": "a", "stderr": "b", "status": "declined"},
            ToolResult("i", "a\nb", 5, failed=True, denied=True),
        ),
        (
            "filechange",
            {"changes": {"/a": {"unified_diff": "+x"}}, "status": "completed"},
            ToolResult("i", "", 5, changes="+x", paths=frozenset({"/a"})),
        ),
        (
            "mcptoolcall",
            {"error": {"message": "no"}, "result": 5},
            ToolResult("i", "no", 5, failed=True),
        ),
        ("mcptoolcall", {"result": {"content": [{"text": "y"}]}}, ToolResult("i", "y", 5)),
        ("mcptoolcall", {"result": {"a": 1}}, ToolResult("i", '{"a": 1}', 5)),
        ("websearch", {"status": "declined"}, ToolResult("i", "", 5, failed=True)),
    ],
)
def test_an_item_has_the_result_of_its_call(kind: str, item: Any, result: ToolResult) -> None:
    assert result_of(kind, item, "i", 5) == result
