"""What Claude Code writes into results of tools."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Tokens
from sitegen.readers.claude.contents import (
    blocks_in,
    changed_lines,
    changes_of,
    rates_of,
    size_of,
    text_in,
    tokens_of,
)

PATCH = {"structuredPatch": [{"lines": ["-a", "+b", "+c", 5]}, {"lines": "odd"}, {"lines": [" d"]}]}
IMAGE = {"type": "image", "source": {"data": "é" * 3}}


@pytest.mark.parametrize(
    ("content", "text", "size"),
    [
        ("é", "é", 2),
        ([{"type": "text", "text": "ab"}, IMAGE, "odd"], "ab\n[image]", 8),
        (None, "", 0),
        ([], "", 0),
    ],
)
def test_a_content_is_a_text_or_blocks(content: object, text: str, size: int) -> None:
    assert (text_in(content), size_of(content)) == (text, size)
    assert blocks_in(content) == [b for b in content or () if isinstance(b, dict)]


@pytest.mark.parametrize(
    ("arguments", "details", "lines"),
    [
        ({}, PATCH, (2, 1)),
        ({"content": "a\nb"}, {"structuredPatch": [], "type": "create"}, (2, 0)),
        ({"content": "a\nb"}, {"structuredPatch": [], "type": "update"}, (0, 0)),
        ({"content": "a\nb"}, {}, None),
    ],
)
def test_lines_of_an_edit_are_those_that_the_program_keeps(
    arguments: Any, details: Any, lines: tuple[int, int] | None
) -> None:
    assert changed_lines(arguments, details) == lines


@pytest.mark.parametrize(
    ("arguments", "details", "changes"),
    [
        ({"old_string": "x", "new_string": "y"}, PATCH, "-a\n+b\n+c\n d"),
        ({"old_string": "x\nz", "new_string": "y"}, {}, "-x\n-z\n+y"),
        ({"content": "p"}, {}, "+p"),
        ({"edits": [{"old_string": "x"}, {"new_string": "y"}]}, {}, "-x\n+y"),
        ({}, {}, ""),
    ],
)
def test_changes_are_those_of_the_patch_or_of_the_input(
    arguments: Any, details: Any, changes: str
) -> None:
    assert changes_of(arguments, details) == changes


def test_what_changes_a_price_is_named() -> None:
    assert rates_of({"inference_geo": "us", "speed": "fast", "service_tier": "standard"}) == (
        "fast",
        "us",
    )
    assert rates_of({"service_tier": "batch"}) == ("batch",)


@pytest.mark.parametrize(
    ("write", "split", "hour"),
    [
        (8, {"ephemeral_1h_input_tokens": 3, "ephemeral_5m_input_tokens": 5}, 3),
        (8, {"ephemeral_1h_input_tokens": 8}, 8),
        (8, {"ephemeral_1h_input_tokens": 3, "ephemeral_5m_input_tokens": 4}, None),
        (8, {}, None),
        (0, {}, 0),
        (None, {}, None),
    ],
)
def test_a_split_of_cache_writes_counts_where_it_adds_up(
    write: int | None, split: dict[str, int], hour: int | None
) -> None:
    usage: dict[str, Any] = {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 4}
    usage |= {"cache_creation_input_tokens": write, "cache_creation": split}
    assert tokens_of(usage, cache_in_input=False) == Tokens(1, write, 4, 2, hour)


def test_input_may_include_what_is_cached() -> None:
    usage = {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 4}
    assert tokens_of(usage, cache_in_input=True).input == 6
    assert tokens_of(usage | {"total_tokens": 12}, cache_in_input=False).input == 6
    assert tokens_of(usage | {"total_tokens": 16}, cache_in_input=False).input == 10
