"""YAML as plain values with their places."""

from __future__ import annotations

from datetime import date

import pytest

from sitegen.text.yaml_text import YamlFault, read_yaml


def test_each_key_and_item_has_its_line_and_column() -> None:
    value, places = read_yaml("a: 1\nb:\n  - x\n  - c: {d: 2}\n")
    assert value == {"a": 1, "b": ["x", {"c": {"d": 2}}]}
    assert places == {
        (): (0, 0),
        ("a",): (0, 0),
        ("b",): (1, 0),
        ("b", 0): (2, 4),
        ("b", 1): (3, 4),
        ("b", 1, "c"): (3, 4),
        ("b", 1, "c", "d"): (3, 8),
    }


def test_an_empty_document_is_none_without_places() -> None:
    assert read_yaml("# nothing\n") == (None, {})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("Off", "Off"),
        ("2026-11-18", date(2026, 11, 18)),
        ("2026-06-31", "2026-06-31"),
        ("0x1F", 31),
        ("1" * 1000, int("1" * 1000)),
        ("1.5", 1.5),
        ("~", None),
    ],
)
def test_a_value_is_what_yaml_makes_of_it_but_for_words_as_booleans(
    text: str, value: object
) -> None:
    read = read_yaml(text)[0]
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: &x 1\nb: *x", (1, 3, "aliases (*name) are not allowed here: write the value out")),
        ("a: 1\na: 2", (1, 0, "the key 'a' appears a second time")),
        ("b: {a: 1, a: 2}", (0, 10, "the key 'a' appears a second time")),
        ("- {a: 1, a: 2}", (0, 9, "the key 'a' appears a second time")),
        ("a:\n  <<: {b: 1}", (1, 2, "merge keys (<<) are not allowed here: write the keys out")),
        ("x:\n  ? [a]\n  : 1", (1, 4, "a key must be plain text")),
        ("a: " + "1" * 1001, (0, 3, "a number has more than 1,000 digits")),
        ("a: b: c", (0, 4, "this is not YAML: put a value with `: ` in it in quotes")),
        ("a:\n\tb: 1", (1, 0, "this is not YAML: indent with spaces, not with tabs")),
        ("a: [1, 2", (0, 8, "this is not YAML: close this bracket")),
        ("a: [b] c", (0, 7, "this is not YAML: expected <block end>, but found '<scalar>'")),
        ("a: !own 1", (0, 3, "this is not YAML: tags (!name) are not allowed here")),
        ("a: 1\nbc: x\x01y", (1, 5, "the character U+0001 is not allowed")),
        ("\x1f", (0, 0, "the character U+001F is not allowed")),
        (
            "a: !!int x",
            (0, 3, "a value cannot be read: invalid literal for int() with base 10: 'x'"),
        ),
        ("a: !!bool x", (0, 3, "a value cannot be read")),
        ("[" * 20_000, (0, 0, "it is nested too deeply")),
    ],
)
def test_a_fault_has_its_place_and_a_remedy(text: str, fault: tuple[int, int, str]) -> None:
    with pytest.raises(YamlFault) as raised:
        read_yaml(text)
    assert raised.value.fault == fault
