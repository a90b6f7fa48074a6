"""The outline of a long file of JSON, and whether JSON in a file is only quoted."""

from __future__ import annotations

import pytest

from sitegen.readers.common.outline import outline_of, outline_of_text, quotes_json
from sitegen.readers.run_file import LONG_HEAD_BYTES, RunFile

OBJECT = '{"type": "a"}'


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ('{"a": 1, "b": "x"}', '{"a": 1, "b": "x"}'),
        ('{"a": {"b": {"c": {"d": 1}}}}', '{"a": {"b": }}'),
        ('{"a": [[["x"]], {"b": 1}]}', '{"a": []}'),
        # Items of a list at the top are records, as lines are.
        ('[{"a": {"b": {"c": {"d": 1}}}}]', '[{"a": {"b": }}]'),
        ('{"a": 1}\n{"b": 2}', '{"a": 1}{"b": 2}'),
        # Brackets and quotes within texts are none.
        (r'{"a": "]\"}{", "b": 1}', r'{"a": "]\"}{", "b": 1}'),
        ('{"a": {"b": {"c": {"d": "}", "e": []}}, "f": 2}}', '{"a": {"b": , "f": 2}}'),
        ("{1: 2}", "{}"),
        ("", ""),
        ("no JSON", ""),
    ],
)
def test_an_outline_has_the_keys_of_two_levels(text: str, outline: str) -> None:
    assert outline_of_text(text) == outline


@pytest.mark.parametrize(("length", "kept"), [(199, "x" * 199), (200, ""), (201, "")])
def test_long_texts_are_empty_in_an_outline(length: int, kept: str) -> None:
    assert outline_of_text(f'{{"a": "{"x" * length}"}}') == f'{{"a": "{kept}"}}'


def test_an_outline_begins_where_it_is_told() -> None:
    assert outline_of_text('note\n[{"a": 1}]', 5) == '[{"a": 1}]'


def test_an_outline_has_about_the_size_of_a_long_head() -> None:
    line = '{"key": "value"}'
    outline = outline_of_text((line + "\n") * 20_000)
    assert LONG_HEAD_BYTES <= len(outline) <= LONG_HEAD_BYTES + len(line)
    short = outline_of_text((line + "\n") * 10)
    assert short == line * 10


def file(name: str, text: str) -> RunFile:
    return RunFile.of(name, text.encode())


def test_only_what_goes_on_after_its_head_has_an_outline() -> None:
    def of(length: int) -> str:
        text = '{"text": "%s"}' % ("x" * (length - 12))
        assert len(text) == length
        return outline_of(file("a.json", text)).decode()

    assert of(LONG_HEAD_BYTES - 1) == ""
    assert of(LONG_HEAD_BYTES) == of(LONG_HEAD_BYTES + 1) == '{"text": ""}'


def test_an_outline_begins_with_the_first_line_of_json() -> None:
    long = '{"text": "%s"}' % ("x" * LONG_HEAD_BYTES)
    assert outline_of(file("a.log", f"Warning {{1}}\n \t\ufeff{long}")) == b'{"text": ""}'
    assert outline_of(file("a.json", "words " * LONG_HEAD_BYTES)) == b""


@pytest.mark.parametrize(
    ("name", "text", "is_quoted"),
    [
        ("a.json", "no JSON at all", False),
        ("a.jsonl", f"```\n{OBJECT}\n```", False),
        ("a.log", "no JSON at all", True),
        ("a.log", OBJECT, False),
        ("a.md", OBJECT, False),
        # A document has text before it, the output of a program may.
        ("a.md", f"Text\n{OBJECT}", True),
        ("a.log", f"Text\n{OBJECT}", False),
        ("a.log", f"x = {OBJECT}", True),
        # A block of code within a text; a fence around the whole is none.
        ("a.log", f"Text\n```json\n{OBJECT}", True),
        ("a.log", f"Text\n  ~~~\n{OBJECT}", True),
        ("a.log", f"```json\n{OBJECT}", False),
        ("a.log", f"Text\n```\ncode\n```\nmore\n{OBJECT}", False),
        ("a.log", f"\n\n{OBJECT}", False),
        ("a.md", f"\n\n{OBJECT}", False),
        ("a.log", f"\x1b[0m \t{OBJECT}", False),
        ("a.log", f"[[[{OBJECT}]]]", False),
        ("a.log", f"[[[[{OBJECT}]]]]", True),
        ("a.log", r'"{\"type\": 1}"', False),
        ("a.log", "{ type }", True),
    ],
)
def test_json_within_a_text_is_a_quotation(name: str, text: str, is_quoted: bool) -> None:
    assert quotes_json(file(name, text)) is is_quoted
