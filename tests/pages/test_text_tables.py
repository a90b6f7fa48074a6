"""Tables as Markdown, CSV and LaTeX: what a cell holds is text, whoever wrote it."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitegen.charts.findings import clean
from sitegen.cli.step_summary import markdown_summary
from sitegen.masking.redact import mask, number_masks
from sitegen.numbers.baseline import Delta
from sitegen.numbers.gates import GateResult, GateVerdict
from sitegen.pages.findings import Finding
from sitegen.pages.masked import MaskedSecret, MaskedView
from sitegen.pages.text_tables import Marked, TextTable, markdown_text
from sitegen.pages.views import FigureView

HOSTILE = [
    "@octocat",
    "a@octocat",
    "(@octocat)",
    "\\@octocat",
    "@org/team",
    "#123",
    "o/r#1",
    "GH-12",
    "a@b.example",
    ":boom:",
    "https://evil.example/x",
    "www.evil.example",
    "![x](https://evil.example/p.png)",
    "<img src=//evil.example/p.png>",
    "[x](https://evil.example)",
    "[x]: https://evil.example",
    "a | b",
    "a \\| b",
    "a\n| b | c |",
    "a\r\n\r\n# h",
    "```",
    "<!-- x",
    "</table>",
    "&#64;octocat",
    "$x$",
    "**b**",
    "~~s~~",
    "\\",
    "\u2028| x |",
    "![x][y]",
    "![](//e.example/p.png)",
    "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
    "deadbee",
    "1" * 40,
    "a \u202e b",
    "\u2067b",
]
TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]")
_SHOWN = ("text", "text_special", "html_inline")
_GITHUB = MarkdownIt("gfm-like", {"linkify": False})


def more_than_text(markdown: str) -> set[str]:
    """What of a text is more than text; as GitHub does, looking for names and numbers in what is shown."""
    tokens = [child for token in _GITHUB.parse(markdown) for child in (token.children or [token])]
    kinds = {
        token.type.removesuffix("_open")
        for token in tokens
        if token.type not in ("text", "text_special", "code_inline")
    }
    shown = "".join(each.content if each.type in _SHOWN else "\n" * each.block for each in tokens)
    called = re.findall(
        r"(?<![\w/])@[a-z0-9][\w/-]*|\w@\w|#[0-9]|\bGH-[0-9]|:[a-z+-]+:|https?://|www\.\w",
        shown,
        re.I,
    )
    called += re.findall(r"\b[0-9a-f]{7,40}\b", shown, re.I) + TURNS.findall(shown)
    return kinds - {
        f"{part}_close" for part in ("tr", "td", "th", "table", "thead", "tbody")
    } | set(called)


PLAIN = more_than_text(TextTable(("Head", "Other"), (("cell", "x"),)).to_markdown())


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_cell_is_more_than_text_on_github(text: str) -> None:
    table = TextTable((text, "Other"), ((text, "end"), ([text, "b"], "end"), ({text: 1.0}, "end")))
    made = table.to_markdown()
    assert more_than_text(made) == PLAIN
    assert made.count("\n") == 4 and [line.count(" | ") for line in made.splitlines()] == [1] * 5


@given(st.lists(st.text(max_size=40), min_size=2, max_size=2))
def test_no_text_leaves_its_cell(texts: list[str]) -> None:
    table = TextTable(("A", "B"), (texts,))
    rows = [token for token in _GITHUB.parse(table.to_markdown()) if token.type == "inline"]
    shown = ["".join(child.content for child in row.children or []) for row in rows]
    written_out = [
        TURNS.sub(lambda found: f"[U+{ord(found[0]):04X}]", clean(text)) for text in texts
    ]
    assert shown == ["A", "B", *written_out]
    head, body = csv.reader(
        io.StringIO(
            b"".join(TextTable(("A", "B"), (texts,)).to_csv()).decode(errors="replace"), newline=""
        )
    )
    assert head == ["A", "B"] and [cell.replace("'", "") for cell in body] == [
        text.replace("'", "") for text in texts
    ]
    row = TextTable(("A", "B"), (texts,)).to_latex().splitlines()[5]
    assert row.endswith(" \\\\") and len(re.findall(r"(?<!\\)&", row)) == 1
    assert not re.search(r"(?<!\\)[%#_]", row)


def test_a_mark_of_ours_holds_text_of_others() -> None:
    cells = (
        Marked("**x** @me"),
        Marked("a](https://e.example)", "https://h.example/a) ![b](c|d e.html"),
    )
    made = TextTable(("A", "B"), (cells,)).to_markdown().splitlines()[2]
    assert made == (
        "| **\\*\\*x\\*\\* `@me`** | [`a](https://e.example)`]"
        "(https://h.example/a%29%20!%5Bb%5D%28c%7Cd%20e.html) |"
    )


def test_what_is_not_known_is_a_dash_and_numbers_stay() -> None:
    rows = [(None, 1.5, 3, ["a", "b"])]
    heads = ("A", "B", "C", "D")
    assert TextTable(heads, rows, "lrr").to_markdown().splitlines()[1:] == [
        "| --- | ---: | ---: | --- |",
        "| – | 1.5 | 3 | a;b |",
    ]
    assert b"".join(TextTable(heads, rows).to_csv()) == b"A,B,C,D\n,1.5,3,a;b\n"
    assert TextTable(heads, [("50 % [x]", "a_b", "~", "\\")], "lr").to_latex() == (
        "% Needs \\usepackage{booktabs,longtable}, and \\onecolumn in an article of two columns.\n"
        "\\begin{longtable}{lrll}\n\\toprule A & B & C & D \\\\\n\\midrule \\endhead\n"
        "\\bottomrule \\endfoot\n"
        "50 \\% {[}x] & a\\_b & \\textasciitilde{} & \\textbackslash{} \\\\\n\\end{longtable}\n"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_others_is_more_than_text_in_the_summary(text: str) -> None:
    """By reflection over what the summary is made of: each text of each part."""

    def summary(word: str) -> str:
        verdict = GateVerdict.FAILED
        return markdown_summary(
            word,
            [FigureView(word, "1", word)],
            [GateResult("score.x.mean", word, word, word, verdict, word)],
            [Finding("settings", word), Finding("lost", word, word)],
            masked=MaskedView(
                "1 secret masked", (MaskedSecret("token", word, "summary"),), "2 names"
            ),
            deltas=[Delta(f"score.{word}", 1.0, 2.0, 3, None)],
        )

    assert more_than_text(summary(text)) == more_than_text(summary("x"))
    assert len(summary(text).splitlines()) == len(summary("x").splitlines())


def test_masks_that_touch_each_other_are_numbered_in_markdown() -> None:
    text = f"{mask('npm token', 'a')}/{mask('npm token', 'b')}.json"
    shown = number_masks(markdown_text(text))
    assert shown == "`[redacted: npm token #1]`/`[redacted: npm token #2]`.json"
