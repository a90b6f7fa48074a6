"""No run changes how another run, or its own cost and status, is shown: a hostile run beside an honest one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.site.test_build import rows
from tests.support import browsers, site_checks
from tests.support.campaigns import SONNET, result, usage, write
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Page

HONEST = "honest/1.json"
PLACING = """
<div style="position:fixed;inset:0;background:#fff;z-index:9999">$0.00 done</div>
<style>.fig,.state,h1{display:none} body{transform:scale(0)}</style><base href="https://example.org/">
<script>document.querySelector("h1").textContent = "passed"</script>
<dl class="figures"><div class="fig"><dt>Cost</dt><dd>$0.00</dd></div></dl>
</article></main></body></html><h1>Another page</h1>

<p class="meta">passed</p> <a id="main" name="runs" href="#said">x</a> <img name="body" src="x">
"""
CLASHING = "# main\n\n# said\n\n# said\n\n# money\n\n# u-said\n\n# fnref:1\n\n[x](#main) [y](#money)[^1]\n\n[^1]: note\n"
HUGE = (
    "W" * 20_000
    + "\n\n"
    + "| "
    + "V" * 5_000
    + " |\n|-|\n| x |\n\n`"
    + "M" * 9_000
    + "`\n\n# "
    + "H" * 3_000
    + "\n"
)
BIDI = "\u202e\u2066done passed 00.0$\u2067 " + "\u0627\u0644\u0645\u0647\u0645\u0629 " * 9
STACKED = "\n\nZ" + "\u0310" * 32 + " " + "\u0489" * 32 + "\n\n"


def hostile(number: int, text: str, **changes: Any) -> dict[str, Any]:
    """A run that failed, cost something, and says whatever it likes in every text that it has."""
    one_line = " ".join(text.split())
    return result(
        number,
        subtype="error_during_execution",
        errors=[text, one_line],
        result=text,
        permission_denials=[{"tool_name": one_line, "tool_input": {"command": text}}],
        structured_output={one_line[:500]: text},
        extra={one_line[:100]: text},
        **{"session_id": one_line, "modelUsage": {one_line: usage(SONNET, number)}, **changes},
    )


TEXTS = {"placing": PLACING, "clashing": CLASHING, "huge": HUGE, "bidi": BIDI, "stacked": STACKED}


@dataclass(frozen=True)
class Pair:
    """A site with hostile runs beside the honest one, and one with the honest run alone."""

    site: Path
    pages: dict[str, Path]
    alone: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Both built by the command."""
    folder = tmp_path_factory.mktemp("integrity")
    runs: dict[str, Any] = {HONEST: result(1), "honest/2.json": result(2)}
    for number, (name, text) in enumerate(TEXTS.items(), 3):
        runs[f"{name}/{number}.json"] = hostile(number, text)
    outcomes = {
        "outcomes": {path: {"outcome": "fail", "labels": [BIDI, "a" * 400]} for path in runs}
    }
    inputs = {
        "inputs": [{"path": "runs", "pattern": "{task}/{attempt}.json"}],
        "outcomes": ["verdicts.json"],
    }
    write(
        folder,
        {
            "verdicts.json": json.dumps(outcomes),
            "config.yaml": json.dumps({**inputs, "output": "site"}),
        },
    )
    write(folder / "runs", runs)
    write(
        folder / "alone" / "runs",
        {path: run for path, run in runs.items() if path.startswith("honest")},
    )
    write(
        folder / "alone", {"verdicts.json": json.dumps(outcomes), "config.yaml": json.dumps(inputs)}
    )
    for at in (folder, folder / "alone"):
        done = sitegen("build", cwd=at)
        assert done.returncode == 0, done.stderr
    pages = {
        str(row["path"]).partition("/")[0]: folder / "site" / str(row["page"])
        for row in rows(folder / "site")
    }
    return Pair(folder / "site", pages, folder / "alone" / "site")


def test_sites_with_hostile_runs_are_sound(built: Pair) -> None:
    assert site_checks.findings(built.site) == []


def test_the_page_of_an_honest_run_is_the_same_beside_hostile_ones(built: Pair) -> None:
    """All of it but the neighbour that it links to: whatever else a run says stays on its own page."""
    first = next(row for row in rows(built.site) if row["path"] == HONEST)
    texts = [
        (site / str(first["page"])).read_text(encoding="utf-8")
        for site in (built.site, built.alone)
    ]
    bodies = [text[text.index("<h1") : text.index("<footer")] for text in texts]
    assert bodies[0] == bodies[1]
    alone = {row["path"]: row for row in rows(built.alone)}
    assert {row["path"]: row for row in rows(built.site) if row["path"] in alone} == alone


FIGURES = """() => {
  const seen = [];
  const words = ["h1", ".head .meta", ".verdict .state"].map((selector) => document.querySelector(selector));
  for (const element of [...words, ...document.querySelectorAll(".head dl dd")]) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = walker.nextNode();
    while (text && !text.data.trim()) text = walker.nextNode();
    const range = document.createRange();
    range.selectNodeContents(text);
    scrollBy(0, range.getClientRects()[0].top - innerHeight / 2);
    const box = range.getClientRects()[0];
    const hit = document.elementFromPoint(box.left + Math.min(4, box.width / 2), box.top + box.height / 2);
    const style = getComputedStyle(text.parentElement);
    seen.push({text: element.textContent.trim(), hit: element.contains(hit) || hit.contains(element),
      shown: style.visibility === "visible" && style.opacity === "1" && style.display !== "none",
      tall: box.height, wide: box.right <= innerWidth + 1 || element.tagName === "H1"});
  }
  return seen;
}"""


@pytest.mark.parametrize("name", TEXTS)
def test_cost_status_and_outcome_are_seen_whatever_a_run_says(
    built: Pair, page: Page, name: str
) -> None:
    row = next(row for row in rows(built.site) if str(row["path"]).startswith(name))
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(browsers.as_file(built.pages[name]))
        seen = page.evaluate(FIGURES)
        assert len(seen) >= 7
        for each in seen:
            assert each["hit"] and each["shown"] and each["tall"] > 8 and each["wide"], (
                width,
                each,
            )
        assert f"${row['cost_usd']:.2f}" in seen[3]["text"]
        assert "failed" in seen[1]["text"] and "fail" in seen[2]["text"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


INSIDE = """() => {
  const article = document.querySelector("article[data-untrusted]");
  const shell = document.querySelectorAll("main h2, main .head, footer, header");
  const box = article ? article.getBoundingClientRect() : null;
  const outside = [];
  for (const element of article ? article.querySelectorAll("*") : []) {
    const style = getComputedStyle(element);
    const placed = ["fixed", "absolute", "sticky"].includes(style.position);
    if (placed && !element.closest(".off")) outside.push(style.position);
    let clipped = element.parentElement;
    while (clipped !== article && getComputedStyle(clipped).overflowX === "visible") clipped = clipped.parentElement;
    const edge = element.getBoundingClientRect(), frame = clipped === article ? box : null;
    if (frame && (edge.right > frame.right + 1 || edge.left < frame.left - 30 || edge.bottom > frame.bottom + 1))
      outside.push(element.outerHTML.slice(0, 80));
  }
  const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
  return {outside, twice: ids.filter((id, at) => ids.indexOf(id) !== at), shell: shell.length,
    foreign: article ? [...article.querySelectorAll("[id]")].map(e => e.id).filter(id => !id.startsWith("u-")) : [],
    main: document.getElementById("main").tagName, article: !!article};
}"""


@pytest.fixture(scope="module")
def saying(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of runs that end well and say these texts in their summaries."""
    folder = tmp_path_factory.mktemp("saying")
    write(
        folder / "runs",
        {f"{name}.json": result(n, result=text) for n, (name, text) in enumerate(TEXTS.items(), 1)},
    )
    done = sitegen("build", "runs", "-o", "site", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {
        str(row["path"]).removesuffix(".json"): folder / "site" / str(row["page"])
        for row in rows(folder / "site")
    }


@pytest.mark.parametrize("name", TEXTS)
def test_a_summary_stays_inside_its_article(saying: dict[str, Path], page: Page, name: str) -> None:
    path = saying[name]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(browsers.as_file(path))
        seen = page.evaluate(INSIDE)
        assert seen["article"]
        assert (seen["outside"], seen["twice"], seen["foreign"], seen["main"]) == (
            [],
            [],
            [],
            "MAIN",
        ), width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_marks_stacked_over_a_letter_are_painted_over_nothing_else(
    saying: dict[str, Path], page: Page
) -> None:
    """What stands above and below the article looks the same whether the article is painted or not."""
    page.goto(browsers.as_file(saying["stacked"]))
    article = page.locator("article[data-untrusted]")
    box = article.bounding_box()
    assert box is not None
    clips = [
        {"x": 0, "y": box["y"] - 120, "width": 1280, "height": 104},
        {"x": 0, "y": box["y"] + box["height"] + 16, "width": 1280, "height": 60},
    ]
    with_article = [page.screenshot(full_page=True, clip=clip) for clip in clips]
    article.evaluate("article => { article.style.visibility = 'hidden'; }")
    assert [page.screenshot(full_page=True, clip=clip) for clip in clips] == with_article
    clips = [{"x": box["x"], "y": box["y"], "width": 600, "height": box["height"]}]
    hidden = page.screenshot(full_page=True, clip=clips[0])
    article.evaluate("article => { article.style.visibility = 'visible'; }")
    assert page.screenshot(full_page=True, clip=clips[0]) != hidden, (
        "the comparison sees what is painted"
    )


def test_a_direction_of_writing_ends_with_its_label(built: Pair, page: Page) -> None:
    """Right-to-left words in a row stay in their cell, and the figures beside them keep their order."""
    page.goto(browsers.as_file(built.site / "index.html"))
    body = page.locator("body").inner_text()
    assert not set(body) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    cells = page.evaluate(
        """() => [...document.querySelectorAll("#run-table tbody tr")].map(
          row => [...row.children].map(cell => Math.round(cell.getBoundingClientRect().left)))"""
    )
    assert len({tuple(row) for row in cells}) == 1, "columns stand at one place in all rows"
    page.goto(browsers.as_file(built.pages["bidi"]))
    assert "[U+202E]" in page.locator("main").inner_text()


LOOKALIKES = [
    "claude-x",
    "claude-x\u200b",
    "cl\u0430ude-x",
    "claude\u00ad-x",
    "claude-x\ufe0f",
    "\uff43laude-x",
    "claude-x\u2060",
]


def test_models_that_look_alike_are_told_apart(tmp_path: Path, page: Page) -> None:
    write(
        tmp_path / "runs",
        {
            f"{number}.json": result(number, modelUsage={name: usage(SONNET, number)})
            for number, name in enumerate([*LOOKALIKES, "claude-x "], 1)
        },
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    page.goto(browsers.as_file(tmp_path / "site" / "index.html"))
    shown = page.evaluate(
        """() => [...document.querySelectorAll("#run-table tbody tr")].map(
          row => row.children[1].innerText.normalize("NFKC").replace(/[^\\x21-\\x7e]/g, ""))"""
    )
    assert shown.count("claude-x") == 2, "a blank at the end does not make another model"
    assert len(set(shown)) == len(LOOKALIKES)
    assert {"claude-x[U+200B]", "cl[U+0430]ude-x"} < {*shown}
