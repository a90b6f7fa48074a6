"""The fields of a file that no section of a page shows, as rows."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import TextKind
from sitegen.readers.common.fields import (
    MAX_ROWS,
    NO_KINDS,
    Kinds,
    Rows,
    compact,
    depth_of,
    field_kinds,
    given,
    indented,
    kind_of,
    prompt_digest,
    tools_in,
)
from sitegen.readers.common.values import Caveats

FACT, ANSWER, PROMPT, CONTENT = TextKind.FACT, TextKind.ANSWER, TextKind.PROMPT, TextKind.CONTENT


def rows_of(
    path: str, value: object, kinds: Kinds = NO_KINDS
) -> tuple[tuple[tuple[str, str], ...], list[TextKind | None], list[tuple[str, str]]]:
    """The rows, their kinds, and what is said of them."""
    caveats = Caveats()
    rows = Rows(caveats, kinds)
    rows.add(path, value)
    return rows.all(), rows.kinds, [(caveat.code, caveat.text) for caveat in caveats.all()]


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        (5, [("a", "5")]),
        (None, [("a", "null")]),
        (True, [("a", "true")]),
        ("x", [("a", "x")]),
        ("", [("a", "")]),
        ([], [("a", "[]")]),
        ({}, [("a", "{}")]),
        ({"b": 1, "c": {"d": 2}}, [("a.b", "1"), ("a.c.d", "2")]),
        ([1, "x", None], [("a", "1, x, null")]),
        (["npm", "-v"], [("a", "npm -v")]),
        (["-x", "y"], [("a", "-x y")]),
        (["a-b", "c"], [("a", "a-b, c")]),
        ([{"b": 1}, 2], [("a[0].b", "1"), ("a[1]", "2")]),
        ([[1, 2], 3], [("a[0]", "1, 2"), ("a[1]", "3")]),
        ({"credential_expires_at": 1, "b": 2}, [("a.b", "2")]),
        ({"b": {"c": {"d": {"e": {"f": {"g": {"h": 1}}}}}}}, [("a.b.c.d.e.f.g", '{"h": 1}')]),
        ({"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}, [("a.b.c.d.e.f.g", "1")]),
        ({"b": {"c": {"d": {"e": {"f": [[1]]}}}}}, [("a.b.c.d.e.f[0]", "1")]),
        ({"b": {"c": {"d": {"e": {"f": [[[1]]]}}}}}, [("a.b.c.d.e.f[0]", "[[1]]")]),
    ],
)
def test_each_value_has_a_row(value: object, rows: list[tuple[str, str]]) -> None:
    assert list(rows_of("a", value)[0]) == rows


def test_the_outermost_fields_have_their_names_alone() -> None:
    assert rows_of("", {"a": 1, "b": 2})[0] == (("a", "1"), ("b", "2"))
    assert rows_of("x.credential_expires_at", 1)[0] == ()


@pytest.mark.parametrize(
    ("number", "listed", "last"),
    [(MAX_ROWS, 500, ("499", "499")), (MAX_ROWS + 1_001, 501, ("…", "1,001 more fields"))],
)
def test_there_are_no_more_rows_than_a_page_can_show(
    number: int, listed: int, last: tuple[str, str]
) -> None:
    rows, kinds, said = rows_of("", {str(each): each for each in range(number)})
    assert (len(rows), rows[-1], len(kinds)) == (listed, last, 500)
    assert said == (
        [("W_LIMIT", "1,001 fields are not listed; the page lists 500.")] if listed > 500 else []
    )


@pytest.mark.parametrize(
    ("length", "shown", "said"),
    [
        (200, "x" * 200, []),
        (
            201,
            "x" * 199 + "…",
            [("W_LIMIT", "A field's name has 201 characters; it is shown shortened.")],
        ),
    ],
)
def test_long_names_are_shortened(length: int, shown: str, said: list[Any]) -> None:
    rows, _, found = rows_of("x" * length, 1)
    assert (rows, found) == (((shown, "1"),), said)


@pytest.mark.parametrize(
    ("length", "shown"),
    [(2000, "x" * 2000), (2001, "x" * 2000 + "… (2,001 characters)")],
)
def test_long_values_are_shortened(length: int, shown: str) -> None:
    assert rows_of("a", "x" * length)[0] == (("a", shown),)


def test_what_is_no_text_is_a_fact() -> None:
    kinds = field_kinds(prompt="task")
    assert rows_of("task", 5, kinds)[1] == rows_of("task", "", kinds)[1] == [FACT]
    assert rows_of("task", "do", kinds)[1] == rows_of("task", ["do"], kinds)[1] == [PROMPT]
    assert rows_of("zzz", "do", kinds)[1] == [None]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data.split", FACT),
        ("data.split[3].x", FACT),
        ("task.text", PROMPT),
        ("task.text.more", PROMPT),
        ("task[0].text", PROMPT),
        ("task", None),
        ("data.split of words", CONTENT),
        # Names that mean the same in any format.
        ("error", ANSWER),
        ("last_error", ANSWER),
        ("lastError", ANSWER),
        ("last-errors", ANSWER),
        ("errorz", None),
        ("error.zzz", ANSWER),
        ("task.text.error", PROMPT),
    ],
)
def test_a_field_is_what_its_reader_or_its_name_says(path: str, kind: TextKind | None) -> None:
    kinds = field_kinds(fact="seed data.split", prompt="task.text")
    assert kind_of(path, kinds) is kind
    assert kind_of(f"{'z' * 201}.error", kinds) is ANSWER


@pytest.mark.parametrize(
    ("value", "depth"),
    [(5, 0), ("{}", 0), ({}, 1), ([], 1), ([{}], 2), ({"a": [1, {"b": [2]}], "c": 3}, 4)],
)
def test_levels_of_json(value: object, depth: int) -> None:
    assert depth_of(value) == depth


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_json_in_one_line() -> None:
    assert compact({"é": [1, "x"], "credential_expires_at": 2}) == '{"é": [1, "x"]}'
    assert compact([{"credential_expires_at": 2}]) == "[{}]"
    assert compact(nested(50)) == "[" * 50 + "]" * 50
    assert compact(nested(51)) == "(51 levels of JSON)"


def test_json_laid_out() -> None:
    value = {"é": [1], "credential_expires_at": 2}
    laid_out = '{\n  "é": [\n    1\n  ]\n}'
    assert indented(value, 100) == indented(value, len(laid_out)) == laid_out
    shortened = indented(value, len(laid_out) - 1)
    assert shortened.endswith(f"…\n(more than {len(laid_out) - 1} characters)")
    assert laid_out.startswith(shortened.partition("…")[0])
    assert indented(nested(51), 100) == "(51 levels of JSON)"
    assert indented(nested(50), 10_000) != compact(nested(50))
    long = indented(["x" * 3_000], 2_000)
    assert long.endswith("…\n(more than 2,000 characters)")


def test_what_a_run_was_given() -> None:
    assert given(mode="auto", tools=["b", "a", "b", 3, "c, d"], prompt="12ab", checks="2") == (
        ("Permission mode", "auto"),
        ("Tools", "a, b, c d"),
        ("Prompt", "12ab"),
        ("Checks", "2"),
    )
    assert given() == given(mode=5, tools="a", prompt="", checks=None) == ()


def test_as_many_tools_are_listed_as_have_room() -> None:
    names = [f"{number:03}" + "x" * 95 for number in range(11)]
    listed = dict(given(tools=names[:10]))["Tools"]
    assert len(listed) == 998 and listed.split(", ") == names[:10]
    exact = [*names[:9], "009" + "x" * 97]
    assert len(dict(given(tools=exact))["Tools"]) == 1000
    assert dict(given(tools=exact))["Tools"].split(", ") == exact
    more = dict(given(tools=names))["Tools"]
    assert more == ", ".join([*names[:10], "and 1 more"])
    assert tools_in(more) == (frozenset(names[:10]), 1)
    assert tools_in("a, b") == (frozenset("ab"), 0) and tools_in("and more") == (
        frozenset(["and more"]),
        0,
    )


def test_a_digest_of_a_prompt_does_not_depend_on_blanks_around_it() -> None:
    assert prompt_digest("hello") == prompt_digest(" hello\n") == "2cf24dba5fb0"
    assert prompt_digest("\ud800") != prompt_digest("?")
