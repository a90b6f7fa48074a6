"""Code in fences: nothing but spans is added, and no text takes more than linear time."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.html import highlight
from tests.conftest import ROOT
from tests.support.clock import seconds_since

LANGUAGES = {"c": "go", "data": "yaml", "javascript": "ts"}  # by another name than the table's own
NAMES = [
    LANGUAGES.get(name, name)
    for name in ("c", "data", "diff", "javascript", "markup", "python", "shell", "sql")
]
NAMES[NAMES.index("markup")] = "html"


def spans(code: str, language: str) -> list[tuple[str, str]]:
    found = re.findall(
        r'<span class="(\w+)">(.*?)</span>', highlight.highlight(code, language), re.DOTALL
    )
    return [(role, html.unescape(text)) for role, text in found]


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "def f(x):", [("k", "def"), ("nf", "f")]),
        (
            "python",
            "return re.match(x)  # it's",
            [("k", "return"), ("nf", "match"), ("c", "# it's")],
        ),
        ("python", "x.import", []),
        ("python", "s = '''a\n# b\n''' + \"c\\\"d\"", [("s", "'''a\n# b\n'''"), ("s", '"c\\"d"')]),
        ("python", "@app.get\nx = 1_000 + 2.5", [("na", "@app.get"), ("m", "1_000"), ("m", "2.5")]),
        (
            "js",
            "const a = `x\n${y}`; // end",
            [("k", "const"), ("s", "`x\n${y}`"), ("c", "// end")],
        ),
        ("ts", "if (a < 1) /* b\nc */", [("k", "if"), ("m", "1"), ("c", "/* b\nc */")]),
        ("rust", "fn f<'a>(c: &'a str) { 'x' }", [("k", "fn"), ("s", "'x'")]),
        (
            "go",
            '#include\nfunc main() { "a" }',
            [("c", "#include"), ("k", "func"), ("nf", "main"), ("s", '"a"')],
        ),
        (
            "sh",
            "echo \"$HOME\" 'a' ${X} # b",
            [("k", "echo"), ("s", '"$HOME"'), ("s", "'a'"), ("na", "${X}"), ("c", "# b")],
        ),
        ("bash", "a#b && ls -n 3", [("m", "3")]),
        (
            "json",
            '{"a": "b", "c": [1, true]}',
            [("na", '"a"'), ("s", '"b"'), ("na", '"c"'), ("m", "1"), ("k", "true")],
        ),
        (
            "yaml",
            "- key: on # x\n  b: it's",
            [("na", "- key"), ("k", "on"), ("c", "# x"), ("na", "  b")],
        ),
        ("toml", "[tool.x]\na = 'b'", [("na", "[tool.x]"), ("na", "a"), ("s", "'b'")]),
        ("sql", "SELECT a FROM t -- b", [("k", "SELECT"), ("k", "FROM"), ("c", "-- b")]),
        (
            "html",
            '<a href="x">it\'s</a><!-- c -->',
            [("k", "<a"), ("na", "href"), ("s", '"x"'), ("k", "</a"), ("c", "<!-- c -->")],
        ),
        (
            "diff",
            "--- a\n+++ b\n@@ -1 @@\n-- x\n+y\n z",
            [("gh", "--- a\n+++ b"), ("gu", "@@ -1 @@"), ("gd", "-- x"), ("gi", "+y")],
        ),
        ("Python", "pass", [("k", "pass")]),
        ("", "def f(): pass", []),
        ("scala2", "def f(): pass", []),
    ],
)
def test_roles(language: str, code: str, expected: list[tuple[str, str]]) -> None:
    assert spans(code, language) == expected


def test_every_class_has_a_colour_of_its_own() -> None:
    style = (ROOT / "templates" / "static" / "code.css").read_text("utf-8")
    assert {name for name in highlight.CLASSES if f"pre .{name}" in style} == highlight.CLASSES
    assert len(style.encode()) < 1_500


@given(st.text(), st.sampled_from(NAMES))
def test_nothing_but_spans_is_added_to_the_escaped_code(code: str, language: str) -> None:
    marked = highlight.highlight(code, language)
    without, number = re.subn(r'<span class="(\w+)">([^<]*)</span>', r"\2", marked)
    assert without == html.escape(code, quote=False)
    assert number == marked.count("<span")
    assert set(re.findall(r'<span class="(\w+)">', marked)) <= highlight.CLASSES


def slow_texts() -> Iterator[str]:
    size = highlight.MAX_CHARACTERS
    openers = ['"', "'", "`", '"""', "/*", "<!--", "\\", "#", "//", "${", "=", "<", "[", "@", "-"]
    for sign in [
        *openers,
        *"$&>:.(+;1a\t\n é",
        "a ",
        "a(",
        "1.",
        "\n-",
        "a-",
        '" ',
        "\na-",
        '"\\',
        "\\'",
        "='",
    ]:
        yield (sign * size)[:size]
    for sign in openers:
        for rest in ("a", "\\", " ", '\\"', "'a"):
            yield (sign + rest * size)[:size]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("language", NAMES)
def test_no_text_takes_more_than_linear_time(language: str) -> None:
    """A quadratic expression needs seconds for one of these, a linear one a few hundredths."""
    for code in slow_texts():
        start = time.process_time()
        marked = highlight.highlight(code, language)
        assert seconds_since(start) < 0.5, (language, code[:10])
        assert len(marked) <= 20 * len(code)


def test_a_long_block_has_no_colours() -> None:
    assert "<span" in highlight.highlight("1" * highlight.MAX_CHARACTERS, "python")
    assert highlight.highlight("1" * (highlight.MAX_CHARACTERS + 1), "python") == "1" * (
        highlight.MAX_CHARACTERS + 1
    )


def test_known_languages() -> None:
    assert highlight.knows("TypeScript")
    assert not highlight.knows("scala3")


def test_only_sql_has_keywords_in_upper_case() -> None:
    assert highlight.highlight("SELECT", "sql") == '<span class="k">SELECT</span>'
    assert highlight.highlight("SELECT", "python") == "SELECT"
    assert highlight.highlight("RETURN", "python") == "RETURN"
