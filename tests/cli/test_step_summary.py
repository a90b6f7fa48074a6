"""The short report for a CI step: what it says, and that no text of a run gets out of its cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitegen.charts.findings import clipped
from sitegen.cli.step_summary import escaped, markdown_summary
from sitegen.model import Entry, Run, Source, Status
from sitegen.numbers.gates import MeasureLimits, evaluate
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.findings import Finding
from sitegen.pages.text_tables import _TURNS
from sitegen.pages.views import FigureView


def entry(name: str, cost_usd: float | None) -> Entry:
    source = Source("run.json", "run.json", named=False, size=1)
    return Entry(name, source, 0, "", Run("t", Status.OK, cost_usd=cost_usd), name)


FIGURES = (
    FigureView("Cost", "$3.00", "median $1.50 per run", lower_bound=True),
    FigureView("Runs", "3", "3 completed"),
)


def test_the_whole_report() -> None:
    entries = [
        entry("first", 1.0),
        entry("second", 2.0),
        entry("third", None),
    ]
    checks = {each.id: PriceTable.load().check(each.run) for each in entries}
    gates = evaluate(
        {"total_cost_usd": MeasureLimits(max=2), "runs": MeasureLimits(min=3)}, entries, checks, []
    )
    found = [
        Finding("skipped", "The file is empty.", "a.json"),
        Finding("skipped", "The file is empty.", "b.json"),
        Finding("settings", "compare: no run has the model “x”, so its comparison has no page."),
        *(Finding("lost", "Usage limit.", f"{number}.json") for number in range(5)),
    ]
    assert markdown_summary("Demo", FIGURES, gates, found, "https://example.org/r/") == (
        "## Demo\n"
        "\n"
        "| Figure |  | Note |\n"
        "| --- | ---: | --- |\n"
        "| Cost | **$3.00+** | median $1.50 per run |\n"
        "| Runs | **3** | 3 completed |\n"
        "\n"
        "### 1 of 2 gates passed\n"
        "\n"
        "| Gate | Limit | Figure | Result | Why |\n"
        "| --- | --- | ---: | --- | --- |\n"
        "| Total cost | at most $2.00 | $3.00+ | **failed** "
        "| $3.00 or more (1 of 3 runs reports no cost) is above the limit. |\n"
        "| Runs | at least 3 | 3 | **passed** |  |\n"
        "\n"
        "### 1 warning\n"
        "\n"
        "- compare\\: no run has the model “x”, so its comparison has no page.\n"
        "\n"
        "### 5 lost runs\n"
        "\n"
        "- 5 files, such as 0.json\\: Usage limit. \\[RUN\\_LOST\\]\n"
        "\n"
        "[2 problems, 1 warning and 5 lost runs.](https://example.org/r/problems.html)\n"
    )


def test_without_an_address_nothing_is_a_link_and_without_gates_none_are_mentioned() -> None:
    text = markdown_summary("Demo", FIGURES, (), ())
    assert "](" not in text
    assert "gate" not in text
    assert text.endswith("\n\nNo problems.\n")


_GITHUB = MarkdownIt("gfm-like", {"linkify": False})


def shown(text: str) -> str:
    """What a reader sees of a text in the cell of a table; fails when there is any markup in it."""
    tokens = _GITHUB.parse(f"| a | b |\n|---|---|\n| {escaped(text)} | end |\n")
    cells = [token for token in tokens if token.type == "inline"]
    assert [cell.content for cell in cells][3] == "end"
    assert len(cells) == 4
    children = cells[2].children or []
    assert {child.type for child in children} <= {"text", "text_special", "code_inline"}
    return "".join(child.content for child in children)


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "a \\| b",
        "<script>alert(1)</script>",
        "![x](https://example.org/x.png)",
        "[x](javascript:alert(1))",
        "&lt;b&gt; &#124;",
        "`code` ``| more``",
        "**bold** _it_ ~~gone~~",
        "$x$ :smile: #1 @somebody",
        "<!-- no end",
        "\\",
    ],
)
def test_text_of_a_run_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize("text", ["https://example.org", "www.example.org", "a@example.org"])
def test_an_address_in_a_text_becomes_no_link(text: str) -> None:
    assert escaped(text) == f"`{text}`"
    assert shown(text) == text


@given(st.text(max_size=60))
def test_no_text_leaves_its_cell(text: str) -> None:
    assert shown(text) == _TURNS.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", clipped(text, 80))


def test_a_text_is_one_line_and_clipped() -> None:
    assert escaped("one\ntwo\r\nthree") == "one two three"
    assert len(escaped("x" * 500)) == 80
