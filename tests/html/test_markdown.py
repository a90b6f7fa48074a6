"""Untrusted markdown comes out as HTML that runs nothing, loads nothing and stays within bounds."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.html import highlight, markdown
from sitegen.html.markdown import Rendered, markdown_parser, render
from sitegen.masking.redact import clean_text
from sitegen.readers.common import sizes
from sitegen.system.bounds import DEFAULT
from tests.conftest import ROOT

FIXTURES = sorted((ROOT / "tests" / "fixtures" / "markdown").glob("*.md"))
CASE = re.compile(
    r"^(?P<title>[^\n]+)\n\.\n(?P<text>.*?)\n\.\n(?P<html>.*?)\.\n", re.MULTILINE | re.DOTALL
)

ELEMENTS = """a blockquote br code div em h1 h2 h3 h4 h5 h6 hr input li ol p pre s section span strong sup table tbody
    td th thead tr ul"""
ATTRIBUTES = "aria-label checked class disabled href id rel role scope start tabindex title type"
PIECES = "[^1] [^1]: > - 1. # | |-| ``` ~~~ [!TIP] [ ] https:// ![ ]( ) \n \n\n &lt; ** ~~ a"


def elements(html: str) -> Iterator[Any]:
    """Every element that an HTML parser makes of a fragment; a parse error fails the test."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    fragment = parser.parseFragment(html, container="article")
    yield from fragment.iter()


def assert_safe(html: str) -> None:
    """The rules of the page, read from what a parser made of it rather than from the text."""
    ids: list[str] = []
    fragments: list[str] = []
    for element in elements(html):
        if element.tag == "DOCUMENT_FRAGMENT":
            continue
        assert element.tag in ELEMENTS.split(), element.tag
        assert set(element.attrib) <= set(ATTRIBUTES.split()), element.attrib
        if element.tag == "input":
            assert element.attrib["type"] == "checkbox" and "disabled" in element.attrib
        if "id" in element.attrib:
            assert element.attrib["id"].startswith("u-")
            ids.append(element.attrib["id"])
        if "href" in element.attrib:
            href = element.attrib["href"]
            if href.startswith("#"):
                fragments.append(href[1:])
                continue
            assert urlsplit(href).scheme in ("http", "https", "mailto"), href
            assert re.match(r"(?:https?://[^/?#@\\]|mailto:[^/])", href), href
            assert href.isascii() and href.isprintable() and " " not in href
            assert element.attrib["rel"] == "noopener noreferrer nofollow ugc"
    assert len(ids) == len(set(ids))
    assert set(fragments) <= set(ids), "a fragment leads nowhere"


def first_wall(text: str) -> str:
    """What the writer makes of a text before the second wall sees it."""
    tokens = markdown_parser().parse(text)
    writer = markdown._Writer(markdown._headings(tokens), markdown.MAX_OUTPUT)
    writer.write(tokens)
    return clean_text(writer.html())


def shape(html: str) -> list[Any]:
    return [
        (element.tag, sorted(element.attrib.items()), element.text, element.tail)
        for element in elements(html)
    ]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixtures(path: Path, refresh: bool) -> None:
    document = path.read_text("utf-8")
    assert CASE.sub("", document).strip() == "", "every part of the document is a case"
    if refresh:
        document = CASE.sub(
            lambda case: f"{case['title']}\n.\n{case['text']}\n.\n{render(case['text']).html}.\n",
            document,
        )
        path.write_text(document, "utf-8", newline="\n")
    for case in CASE.finditer(document):
        rendered = render(case["text"])
        assert rendered.html == case["html"], case["title"]
        assert rendered.notes == ()
        assert_safe(rendered.html)


def hostile_texts(shared: Path) -> list[dict[str, str]]:
    lines = (shared / "hostile" / "markup.jsonl").read_text("utf-8").splitlines()
    return [row for line in lines if (row := json.loads(line))["field"] == "result"]


def test_hostile_markup_is_harmless(shared: Path) -> None:
    rows = hostile_texts(shared)
    assert len(rows) > 300
    for row in rows:
        rendered = render(row["payload"])
        assert rendered.notes == (), row["id"]
        assert_safe(rendered.html)


def test_each_wall_stands_alone(shared: Path) -> None:
    """The second wall finds nothing to remove behind the first, and the first's HTML is safe by itself."""
    texts = [row["payload"] for row in hostile_texts(shared)]
    texts += [case["text"] for path in FIXTURES for case in CASE.finditer(path.read_text("utf-8"))]
    for text in texts:
        html = first_wall(clean_text(text))
        assert_safe(html)
        assert shape(markdown._second_wall().clean(html)) == shape(html)


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ("<script>x</script>", ""),
        ('<img src="https://example.org/x" onerror="x">', ""),
        ('<a href="javascript:x" onclick="x">y</a>', "<a>y</a>"),
        ('<a href="/etc">y</a>', "<a>y</a>"),
        ('<p style="x" class="x" name="x">y</p>', '<p class="">y</p>'),
        ('<h3 id="x">y</h3>', '<h3 id="u-x">y</h3>'),
        ('<input type="password">', '<input type="checkbox">'),
        ("</article><p>y", "<p>y</p>"),
        ("<svg><script>x</script></svg><form><button>y</button></form>", "y"),
    ],
)
def test_second_wall_removes_what_the_first_would_never_write(html: str, safe: str) -> None:
    assert markdown._second_wall().clean(html) == safe


def test_summaries_of_real_runs_render_without_notes(shared: Path) -> None:
    rendered = 0
    for kind in ("seeds", "claude-result", "claude-result-odd"):
        for path in sorted((shared / "runs" / kind).rglob("*")):
            try:
                result = json.loads(path.read_bytes()).get("result") if path.is_file() else None
            except (ValueError, AttributeError):
                continue
            if isinstance(result, str):
                page = render(result)
                assert page.notes == (), path
                assert_safe(page.html)
                rendered += 1
    assert rendered > 200


@given(
    st.text()
    | st.text(alphabet="ab *_`~[]()<>!#|-:&\\\n\t/^x1.@\"'+=\u202e\x1b\ud800", max_size=300)
)
def test_any_text_becomes_safe_html_of_bounded_size(text: str) -> None:
    rendered = render(text)
    assert_safe(rendered.html)
    assert len(rendered.html) <= markdown.output_limit(text) + 100


@given(st.lists(st.sampled_from(PIECES.split(" "))))
def test_any_mix_of_markup_becomes_safe_html(parts: list[str]) -> None:
    assert_safe(render("".join(parts)).html)
    assert_safe(first_wall("".join(parts)))


def is_plain(rendered: Rendered) -> bool:
    return rendered.html.startswith('<pre class="plain"') and len(rendered.notes) == 1


def table(columns: int, rows: int) -> str:
    return (
        "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + ("|" + "b|" * columns + "\n") * rows
    )


def links_of_size(output: int) -> str:
    """A short text whose HTML has this many characters, most of them repeated from one definition."""
    links = "[a]: https://example.org/" + "x" * 200 + "\n\n" + "[a] " * 71
    return links + "b" * (output - len(first_wall(links + "b")) + 1)


ABOVE: dict[str, tuple[Callable[[int], str], int]] = {
    "characters": (lambda n: "a" * n, DEFAULT.summary_characters),
    "lines": (lambda n: "a\n" * (n - 1) + "a", markdown.MAX_LINES),
    "brackets": (lambda n: "[" * n, markdown.MAX_BRACKETS),
    "combining marks": (lambda n: "a" + "\u0301" * n, markdown.MAX_MARKS),
    "columns": (lambda n: table(n, 1), markdown.MAX_COLUMNS),
    "cells": (lambda n: table(100, 198) + "\n" + table(1, n - 19_901), markdown.MAX_CELLS),
    # Known in rendering only; the paragraph is an element, too.
    "depth of blocks": (lambda n: ">" * (n - 1) + " a", markdown.MAX_DEPTH),
    "depth in a line": (lambda n: "*a " * (n - 1) + "b" + " c*" * (n - 1), markdown.MAX_DEPTH),
    "size of the output": (links_of_size, markdown.SMALL_OUTPUT),
}
IN_RENDERING = ("depth of blocks", "depth in a line", "size of the output")


@pytest.mark.parametrize("name", ABOVE)
def test_a_text_above_a_limit_is_shown_as_it_is(name: str) -> None:
    make, limit = ABOVE[name]
    for size in (limit - 1, limit):
        assert render(make(size)).notes == (), size
        assert markdown.limit_exceeded(make(size)) is None
    assert is_plain(render(make(limit + 1)))
    if name not in IN_RENDERING:
        assert markdown.limit_exceeded(make(limit + 1)) is not None


@pytest.mark.parametrize("sign", ["a", "<", "&"])
def test_what_is_shown_as_it_is_fits_on_a_page(sign: str) -> None:
    longest = render(sign * sizes.MAX_SUMMARY)
    assert is_plain(longest)
    assert len(longest.html) <= 5 * sizes.MAX_SUMMARY + 50, "each may become `&amp;`"


def test_a_note_is_one_plain_sentence() -> None:
    assert render("[" * 5_001).notes == (
        "This text is shown as it is, because it has more than 5,000 opening brackets.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "[a]: /" + "x" * 50_000 + "\n\n" + "[a] " * 4_000,
        "[a]:\n/" + "x" * 50_000 + "\n\n" + "[a] " * 4_000,
        "[a]: x '" + "y\n" * 5_000 + "'\n\n" + "[a] " * 4_000,
        "[\\]]: /" + "x" * 50_000 + "\n\n" + "[\\]] " * 4_000,
        "[a]: /" + "x" * 50_000 + "\n\n" + "![b][a] " * 2_000,
    ],
    ids=["target", "target on the next line", "title", "escaped label", "image"],
)
def test_a_definition_that_is_used_often_does_not_multiply(text: str) -> None:
    assert is_plain(render(text))


def test_a_code_block_above_its_limit_loses_its_colours_and_says_so() -> None:
    def fence(size: int, language: str = "js") -> Rendered:
        return render(f"```{language}\n" + "1;" * (size // 2) + "\n" * (size % 2 + 1) + "```")

    for size in (highlight.MAX_CHARACTERS - 2, highlight.MAX_CHARACTERS - 1):
        assert "<span" in fence(size).html
        assert fence(size).notes == ()
    above = fence(highlight.MAX_CHARACTERS)
    assert "<span" not in above.html
    assert above.notes == (
        "A code block of 65,537 characters is shown without colours, because 65,536 is the limit.",
    )
    assert fence(highlight.MAX_CHARACTERS, "text").notes == ()


def test_plain_text_keeps_what_the_text_says() -> None:
    text = "\n  <b> & 'c'\x1b[1m\n"
    (pre,) = (element for element in elements(markdown.plain(text)) if element.tag == "pre")
    assert pre.text == "\n  <b> & 'c'\n"


def test_only_text_of_the_owner_links_to_pages_of_the_site() -> None:
    text = "[about](about.html) and [one](runs/a-1.html#patch)"
    own = '<p><a href="about.html">about</a> and <a href="runs/a-1.html#patch">one</a></p>\n'
    assert markdown.render(text, is_own=True).html == own
    assert "<a " not in markdown.render(text).html


@pytest.mark.parametrize(
    "address",
    [
        "../about.html",
        "a/../../b.html",
        "/about.html",
        "//host/about.html",
        "./about.html",
        "http:about.html",
        "javascript:x.html",
        "about.html?x",
        ".git/x.html",
        "a\\b.html",
        "data/runs.csv",
        "a%2f..%2fb.html",
    ],
)
def test_a_link_of_the_owner_leads_to_a_page_below_or_nowhere(address: str) -> None:
    html = markdown.render(f"[x](<{address}>) [y][z]\n\n[z]: <{address}>", is_own=True).html
    assert "<a " not in html
    assert_safe(html)


def test_an_address_that_is_too_long_is_no_link() -> None:
    assert "<a " in render("https://example.org/" + "a/" * 994).html
    assert "<a " not in render("https://example.org/" + "a/" * 995).html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("これは**「重要」**な点", "これは<strong>「重要」</strong>な点"),
        ("**太字です。**次の文。", "<strong>太字です。</strong>次の文。"),
        ("a **注意（必読）：**续行", "a <strong>注意（必読）：</strong>续行"),
        ("~~旧版（删）。~~新版", "<s>旧版（删）。</s>新版"),
        ("*한국어(예)*는", "<em>한국어(예)</em>는"),
        ("**A.**で、**(B)**も", "<strong>A.</strong>で、<strong>(B)</strong>も"),
        ("数 ** 次 _「a」_な", "数 ** 次 _「a」_な"),
        ("a**(b)**c", "a**(b)**c"),
    ],
)
def test_emphasis_beside_chinese_japanese_and_korean_needs_no_spaces(text: str, html: str) -> None:
    assert render(text).html.strip() == f"<p>{html}</p>"


def test_headings_start_below_those_of_the_page() -> None:
    html = render("## a\n### b").html
    assert re.findall(r"<h\d.*?</h\d>", html) == ['<h3 id="u-a">a</h3>', '<h4 id="u-b">b</h4>']


def test_contents_list_two_levels_of_a_long_text() -> None:
    text = "# All &amp; `one`\n## First\n### Deep\n## Second\n## First\n" + "## " + "long " * 40
    listed = render(text).contents
    assert [(heading.id, heading.level, heading.text) for heading in listed[:4]] == [
        ("u-all--one", 3, "All & one"),
        ("u-first", 4, "First"),
        ("u-second", 4, "Second"),
        ("u-first-1", 4, "First"),
    ]
    assert len(listed[4].text) <= markdown.MAX_HEADING_CHARACTERS
    assert all(f'id="{heading.id}"' in render(text).html for heading in listed)


def test_contents_are_left_out_where_they_help_nobody() -> None:
    assert render("# a\n# b\n# c\ntext").contents == ()
    filler = "\n\n" + "word " * 20
    deep = "".join(f"# {n}{filler}\n## x{filler}\n" for n in range(40))
    assert [heading.text for heading in render(deep).contents] == [str(n) for n in range(40)]
    assert (
        render("".join(f"# {n}{filler}\n" for n in range(markdown.CONTENTS_LIMIT + 1))).contents
        == ()
    )


def test_what_character_references_hide_is_cleaned_in_contents_too() -> None:
    text = "# a&#x202e;b\n# c\n# d\n# e"
    assert render(text).contents[0].text == clean_text("a\u202eb")
    assert "\u202e" not in render(text).html


def test_a_fault_of_the_parser_ends_in_plain_text() -> None:
    def at_depth(frames: int) -> Rendered:
        return at_depth(frames - 1) if frames else render(">" * 25 + "a")

    assert not is_plain(at_depth(0))
    frames_left = sys.getrecursionlimit() - len(inspect.stack(0))
    assert is_plain(at_depth(frames_left - 40))


def test_no_slow_case_takes_long_or_grows(shared: Path) -> None:
    """Compares with prose of the same size, since a slow or busy machine is no fault of the text."""
    spec = importlib.util.spec_from_file_location(
        "pathological", shared / "hostile" / "pathological.py"
    )
    assert spec and spec.loader
    pathological = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pathological)
    prose = ("Some *plain* words with `code` and a [link](https://example.org/x).\n" * 2_000)[
        :100_000
    ]
    gc.freeze()  # as in a build; what other tests have left would be searched for cycles again and again
    try:
        prose_seconds = min(_timed(prose)[1] for _ in range(2))
        for name in pathological.CASES:
            text = pathological.make(name, 100_000)
            rendered, seconds = _timed(text)
            if seconds >= 10 * prose_seconds:
                seconds = min(_timed(text)[1] for _ in range(2))
            assert seconds < 10 * prose_seconds, (name, seconds, prose_seconds)
            assert len(rendered.html) <= 20 * len(text), name
    finally:
        gc.unfreeze()


def _timed(text: str) -> tuple[Rendered, float]:
    """Return a text as drawn, and the processor seconds that it took."""
    start = time.process_time()
    rendered = render(text)
    return rendered, time.process_time() - start


@pytest.mark.parametrize(
    "text",
    [
        ">" * 28 + "a\n" + "b\n" * 4_990,
        "- " * 14 + "a\n" + "b\n" * 4_990,
        "".join("  " * depth + "- [x] a\n" for depth in range(14)) + "- [ ] a\n" * 4_900,
        "[^a]: > b\n\n" * 2_400,
        "[^1]" * 4_900 + "\n\n[^1]: x",
        "http://a" + ")" * 1_900 + " http://" * 10_000,
        "<a@b>" * 3_900,
        "[a]: b 'c\n" * 4_900,
        "[a]:" + " " * 190_000 + "\n" + " " * 9_000,
        ("|" + "a|" * 190 + "\n|" + "-|" * 190 + "\n" + "|\n" * 20 + "\n") * 4,
    ],
    ids=[
        "lazy quote",
        "lazy list",
        "tasks",
        "footnotes",
        "references",
        "addresses",
        "mail",
        "titles",
        "spaces",
        "tables",
    ],
)
def test_the_slowest_texts_within_the_limits_take_no_long_time_either(text: str) -> None:
    start = time.process_time()
    rendered = render(text)
    assert time.process_time() - start < 3
    assert_safe(rendered.html)
