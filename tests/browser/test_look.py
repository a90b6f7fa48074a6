"""How pages look where that can be measured: long names, sums, bars, paper, and words for one thing and for many."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import campaigns
from tests.support.browsers import VISIBLE_SHIFT, as_file
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route
from sitegen.pages.problems import _more

LONG = "a-task-named-after-its-owner__and-repository-0123456789abcdef-and-nowhere-a-space"
WIDE_EM = 0.577
"""Width of a character of that name in DejaVu Sans, one of the widest fonts that pages are read in."""
TASKS = ("join", "merge", "sort", "split", LONG)
SETTINGS = """\
description: |
  What was tried, as the [about page](about.html) counts it:

  * with hints
  * without
inputs:
  - path: runs
    pattern: "{campaign}/{task}/{model}/{attempt}.json"
outcomes: [outcomes.csv]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two campaigns of five tasks, one of which has a long name; Sonnet tried each once more in the second campaign."""
    files: dict[str, Any] = {"config.yaml": SETTINGS}
    table = io.StringIO()
    outcomes = csv.writer(table)
    outcomes.writerow(("campaign", "task", "model", "attempt", "outcome"))
    verdicts = ("error", "fail", "partial", "pass", "pass", "pass", "pass", "pass")
    number = 0
    for campaign in ("plain", "hints"):
        for task in TASKS:
            for model, run_id in (("opus", OPUS), ("sonnet", SONNET)):
                for attempt in (1, 2) if (campaign, model) == ("hints", "sonnet") else (1,):
                    number += 1
                    files[f"runs/{campaign}/{task}/{model}/{attempt}.json"] = result(number, run_id)
                    outcomes.writerow(
                        (campaign, task, model, attempt, verdicts[number % len(verdicts)])
                    )
    doubtful = result(90, OPUS, total_cost_usd=1.5)
    files |= {"outcomes.csv": table.getvalue(), "runs/plain/join/opus/1.json": doubtful}
    line = "x" * 400
    files["runs/plain/join/opus/1.diff"] = (
        f"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-{line}\n+new\n+more\n"
    )
    folder = campaigns.write(tmp_path_factory.mktemp("look"), files)
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page; a test that names settings gets a context of them."""
    settings = {"viewport": {"width": 1280, "height": 900}, **getattr(request, "param", {})}
    with browser.new_context(**settings) as context:
        yield context.new_page()


PHONE = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 1.5}
PAPER = {"viewport": {"width": 686, "height": 1000}}
NO_SCRIPT = {"java_script_enabled": False}


def visit(page: Page, site: Path, path: str) -> None:
    """Open the first page that a pattern finds; where its table has a script, wait until that has drawn it anew."""
    page.goto(as_file(min(site.glob(path))))
    if page.locator("html.script #run-table[data-rows]").count():
        page.locator("#run-table thead button").first.wait_for(state="attached")


def run(site: Path, **wanted: object) -> str:
    """The page of the first run that is as wanted."""
    runs = json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    path: str = next(
        each["page"] for each in runs if all(each[key] == value for key, value in wanted.items())
    )
    return path


@pytest.mark.parametrize("page", [PHONE], indirect=True)
@pytest.mark.parametrize("path", ["compare/*opus*sonnet*.html", "compare.html"])
def test_on_a_phone_a_long_name_leaves_room_for_the_figures_beside_it(
    page: Page, site: Path, path: str
) -> None:
    visit(page, site, path)
    names = page.locator(".pin tbody th")
    assert names.count() > 1
    for name in names.all():
        box = name.bounding_box()
        assert box
        assert box["width"] <= 320 / 2


def test_a_chart_without_another_beside_it_has_its_words_above_it(page: Page, site: Path) -> None:
    visit(page, site, "index.html")
    figures = page.locator("#live-charts > figure")
    figures.last.evaluate("figure => figure.remove()")
    assert figures.count() % 2, "the last one is alone"
    words, chart = (
        figures.last.locator(part).bounding_box() or {} for part in ("figcaption", ".chart-box")
    )
    assert words["x"] == chart["x"]
    assert words["y"] + words["height"] <= chart["y"]
    above = figures.nth(0).locator(".chart-box").bounding_box() or {}
    assert (above["x"], above["width"]) == (chart["x"], chart["width"])


@pytest.fixture(scope="module")
def wordy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose table is long, with long names of campaigns, models and ends."""
    folder = tmp_path_factory.mktemp("wordy")
    stopped = {"subtype": "error_max_turns", "is_error": True, "result": None}
    names = ("TomOfWharf+ThePerfectHarbour", "reuben+search")
    files = {
        f"runs/{names[n % 2]}/claude_output_2026-01-25_10-{n:03}.json": result(
            900 * n, **(stopped if n == 7 else {})
        )
        for n in range(1, 103)
    }
    settings = 'inputs:\n  - {path: runs, pattern: "{campaign}/{_}"}\n'
    campaigns.write(folder, {**files, "config.yaml": settings})
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.mark.parametrize("page", [{}, {"viewport": {"width": 1920, "height": 900}}], indirect=True)
def test_a_long_table_shows_all_its_columns_where_the_window_has_room(
    page: Page, wordy: Path
) -> None:
    visit(page, wordy, "index.html")
    box = page.locator(".long")
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    left, title = box.bounding_box(), page.locator("h1").bounding_box()
    assert left
    assert title
    assert left["x"] == title["x"]
    name = page.locator(
        "#run-table tbody tr:not(.widest) td[data-untrusted]", has_text="TomOfWharf"
    ).first
    assert name.get_attribute("title") == "TomOfWharf+ThePerfectHarbour", (
        "of which the cell shows the beginning"
    )
    end = page.locator("#run-table tbody tr:not(.widest) td:has(.state)", has_text="failed").first
    assert end.get_attribute("title") == end.inner_text()


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 700}}], indirect=True)
def test_on_a_phone_names_of_campaigns_do_not_keep_the_cost_away(page: Page, wordy: Path) -> None:
    visit(page, wordy, "index.html")
    cost = page.get_by_role("columnheader", name="Cost, $").bounding_box()
    assert cost
    assert cost["x"] + cost["width"] < 390


@pytest.mark.parametrize(
    "page",
    [{"viewport": {"width": width, "height": 700}} for width in (360, 375, 390)],
    indirect=True,
)
def test_a_phone_shows_the_cost_of_each_run_without_scrolling(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "index.html")
    assert page.get_by_role("columnheader", name="Outcome").count()
    costs = page.locator("#run-table tbody tr:not(.widest) td.n:nth-child(5)")
    ends = costs.evaluate_all(
        "cells => cells.map(e => e.getBoundingClientRect().right - parseFloat(getComputedStyle(e).paddingRight))"
    )
    assert len(ends) == 30
    table = page.locator(".scroll:has(> #run-table)").bounding_box()
    assert table
    assert max(ends) <= table["x"] + table["width"]
    good = page.locator("#run-table tbody tr:not(.widest) td:has(> .done)").first
    assert "cell: completed" in good.aria_snapshot().replace('cell "completed"', "cell: completed")


@pytest.mark.parametrize("page", [{}, PHONE], indirect=True)
def test_a_list_below_the_title_stands_within_the_page_and_its_links_lead_to_pages(
    page: Page, site: Path
) -> None:
    visit(page, site, "index.html")
    title, point = (page.locator(place).bounding_box() for place in ("h1", ".lead li >> nth=0"))
    assert title
    assert point
    assert point["x"] >= title["x"] + 16, "its bullet has room"
    page.get_by_role("link", name="about page").click()
    assert page.url.endswith("/about.html")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_shares_below_the_bar_of_a_run_stand_apart_on_a_phone_and_all_stand_elsewhere(
    page: Page, demo_site: Path
) -> None:
    texts = "texts => texts.map(text => text.getBoundingClientRect()).map(({left, right}) => [left, right])"
    hidden = 0
    for path in sorted((demo_site / "runs").glob("*.html")):
        page.goto(as_file(path))
        shares = page.locator(".l4.r4 .plot > text.c")
        ends: list[list[float]] = shares.locator("visible=true").evaluate_all(texts)
        assert all(right + 3 <= left for (_, right), (left, _) in itertools.pairwise(ends)), (
            path.name
        )
        hidden += shares.count() - len(ends)
    assert hidden, "some have no room"
    page.set_viewport_size({"width": 700, "height": 900})
    assert shares.locator("visible=true").count() == shares.count()


def test_the_table_of_wins_and_losses_fits_its_column_whatever_a_task_is_called(
    page: Page, site: Path
) -> None:
    visit(page, site, "compare/*opus*sonnet*.html")
    table = page.locator(".pin", has=page.get_by_role("columnheader", name="Mean cost, $"))
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") == 0


@pytest.mark.parametrize("page", [{}, NO_SCRIPT], indirect=True)
def test_the_bar_of_a_cost_stands_beside_its_figure(page: Page, site: Path) -> None:
    visit(page, site, "index.html")
    row = page.locator("#run-table tbody tr:not(.widest)", has_text=LONG).first
    name, cost, bar = row.locator("th"), row.locator("td.n").first, row.locator(".mini")
    boxes = [place.bounding_box() for place in (name, cost, bar)]
    assert all(boxes)
    assert boxes[0]["height"] > 40  # type: ignore[index]  # the name has several lines
    line = cost.evaluate("""cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const { top, bottom } = range.getBoundingClientRect();
        return [top, bottom];
    }""")
    top, bottom = bar.evaluate(
        "bar => [bar.getBoundingClientRect().top, bar.getBoundingClientRect().bottom]"
    )
    assert line[0] <= top < bottom <= line[1]


@pytest.mark.parametrize("page", [{}, NO_SCRIPT], indirect=True)
def test_like_attempts_of_two_campaigns_are_told_apart(page: Page, site: Path) -> None:
    visit(page, site, "index.html")
    heads = page.locator("#run-table thead tr > *").all_inner_texts()
    assert heads[:2] == ["Run", "Campaign"]
    rows = page.locator("#run-table tbody tr:not(.widest)")
    shown = [tuple(row.locator("th, td").all_inner_texts()[:3]) for row in rows.all()]
    assert len(shown) == len(set(shown)) == 25
    assert {campaign for _, campaign, _ in shown} == {"plain", "hints"}
    visit(page, site, "campaigns/hints*.html")
    assert "Campaign" not in page.locator("#run-table thead tr > *").all_inner_texts()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_table_that_fits_casts_no_shadow(page: Page, site: Path) -> None:
    visit(page, site, "problems.html")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    tables = page.locator(".scroll:has(.reasons)")
    assert tables.count()
    for table in tables.all():
        assert table.evaluate("box => box.scrollWidth - box.clientWidth") == 0
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box
        clip = {
            "x": box["x"] + box["width"] - 14,
            "y": box["y"] - 2,
            "width": 14,
            "height": 7,
        }  # above the first words
        assert colours(page, page.screenshot(clip=clip)) == 1  # type: ignore[arg-type]


def colours(page: Page, png: bytes) -> int:
    """How many colours a picture has."""
    blank = page.context.new_page()
    blank.set_content("<canvas></canvas>")
    count = blank.evaluate(
        """async (bytes) => {
            const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
            const context = Object.assign(document.querySelector("canvas"), bitmap).getContext("2d");
            context.drawImage(bitmap, 0, 0);
            const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }""",
        list(png),
    )
    blank.close()
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize("page", [{}, PHONE], indirect=True)
def test_one_line_in_ink_stands_above_a_sum(page: Page, site: Path) -> None:
    visit(page, site, run(site, task="join"))
    lines = page.locator("table").evaluate_all("""tables => tables.filter(table => table.tFoot).map(table => {
        const line = (row, side) => {
            const style = getComputedStyle(row.cells[0]);
            return [style[`border${side}Width`], style[`border${side}Color`]];
        };
        const head = line(table.tHead.rows[0], "Bottom");
        return [head, line([...table.tBodies[0].rows].at(-1), "Bottom"), line(table.tFoot.rows[0], "Top")];
    })""")
    assert lines
    for head, last, sum_ in lines:
        assert sum_ == head
        assert last[0] == "0px"


def test_the_line_below_the_heads_stays_as_it_is_when_rows_are_filtered(
    page: Page, site: Path
) -> None:
    visit(page, site, "index.html")
    head = page.locator("#run-table thead")

    def line() -> bytes:
        head.scroll_into_view_if_needed()
        box = head.bounding_box()
        assert box
        clip = {"x": box["x"], "y": box["y"] + box["height"] - 2, "width": 60, "height": 3}
        return page.screenshot(clip=clip)  # type: ignore[arg-type]

    before = line()
    page.locator("#filter").fill("join")
    page.locator("#run-table tbody .widest").wait_for(state="attached")
    assert line() == before


def test_what_is_said_where_there_is_no_picture_or_no_script_is_no_wider_than_prose(
    page: Page, site: Path
) -> None:
    visit(page, site, "about.html")
    widest = page.locator(".prose").first.evaluate(
        "prose => Math.ceil(prose.getBoundingClientRect().width)"
    )
    assert page.locator("p.body").count()
    for words in page.locator("p.body").all():
        assert words.evaluate("words => words.getBoundingClientRect().width") <= widest


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_the_numbers_of_a_chart_keep_a_long_name_in_its_column(page: Page, site: Path) -> None:
    visit(page, site, "index.html")
    chart = page.locator("#cost-by-turns")
    chart.locator("summary", has_text="The numbers").click()
    name = chart.locator("tbody th").first
    name.evaluate("(cell, text) => { cell.textContent = text }", LONG)
    box = name.bounding_box()
    assert box
    assert box["width"] <= 320 / 2


def test_a_patch_stands_apart_from_its_files_and_colours_whole_lines(
    page: Page, site: Path
) -> None:
    visit(page, site, run(site, task="join", campaign="plain", model="Claude Opus 4.5"))
    section = page.locator("section", has=page.locator("#patch"))
    gap = section.evaluate("""section => section.querySelector("pre").getBoundingClientRect().top
        - section.querySelector("table").getBoundingClientRect().bottom""")
    assert 8 <= gap <= 24
    widths = section.locator(".gi, .gd").evaluate_all(
        "lines => lines.map(line => line.getBoundingClientRect().width)"
    )
    assert len(widths) == 3
    assert len(set(widths)) == 1


def test_the_mark_beside_what_is_in_doubt_is_as_high_as_its_words(page: Page, site: Path) -> None:
    visit(page, site, run(site, task="join", campaign="plain", model="Claude Opus 4.5"))
    assert (
        page.locator(".doubts").evaluate(
            "list => list.clientHeight - list.lastElementChild.offsetHeight"
        )
        == 0
    )


@pytest.mark.parametrize("page", [PAPER], indirect=True)
def test_on_paper_a_sign_stays_beside_its_word_and_a_share_on_one_line(
    page: Page, site: Path
) -> None:
    page.emulate_media(media="print")
    visit(page, site, "index.html")
    heights = page.locator("#run-table .done, .matrix .say").evaluate_all("""places => places.map(place => {
        const range = document.createRange();
        range.selectNodeContents(place);
        return range.getBoundingClientRect().height;
    })""")
    assert len(heights) > len(TASKS)
    assert max(heights) < 20
    visit(page, site, "compare/*opus*sonnet*.html")
    shares = page.locator(".pin tbody td.n", has_text=" of ")
    assert shares.count() == 2 * len(TASKS)
    lines = shares.evaluate_all(
        "cells => cells.map(cell => cell.firstChild.parentElement.getClientRects().length)"
    )
    assert set(lines) == {1}


@pytest.mark.parametrize("page", [PAPER], indirect=True)
@pytest.mark.parametrize("configurations", [2, 6, 9])
def test_on_paper_no_table_is_wider_than_the_page(
    page: Page, tmp_path: Path, configurations: int
) -> None:
    """Names of an agent and a model are long, and so are the names of their runs; a sixth configuration is a column."""
    number, models = itertools.count(1), (OPUS, SONNET)
    agents = ("Careful Agent", "Fast Agent", "Other Agent", "Slow Agent", "Fifth Agent")
    files: dict[str, Any] = {
        "config.yaml": "inputs: [{path: runs, pattern: '{task}/{agent}/{model}/{attempt}.json'}]\n"
        "outcomes: [outcomes.csv]\n"
    }
    verdicts = ["id,outcome"]
    for agent, model in list(itertools.product(agents, models))[:configurations]:
        for task, attempt in itertools.product(
            ("vllm-0a1b2c3d", "sglang-4e5f6071", "third"), (1, 2)
        ):
            path = f"{task}/{agent}/{model.replace('/', '-')}/{attempt}.json"
            files[f"runs/{path}"] = result(next(number), model)
            verdicts.append(f"{path},{'pass' if attempt == 1 else 'fail'}")
    files["outcomes.csv"] = "\n".join(verdicts)
    folder = campaigns.write(tmp_path, files)
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    page.emulate_media(media="print")
    for path in ("index.html", "tasks/*.html", "compare/*.html", "models/*.html"):
        visit(page, folder / "site", path)
        ends = page.locator("table:visible").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().right)"
        )
        assert ends and max(ends) <= 686, path


@pytest.mark.parametrize("page", [{**PAPER, "bypass_csp": True}], indirect=True)
def test_on_paper_no_label_of_a_chart_is_cut_off(page: Page, site: Path) -> None:
    """In another font a label may be wider than was reckoned: it may stand out of its drawing, but not of the page."""
    page.emulate_media(media="print")
    visit(page, site, "index.html")
    lacking_px = page.locator(".chart-box text:visible", has_text="cache read").first.evaluate(
        """(text, wide_em) => {
            const wide = wide_em * parseFloat(getComputedStyle(text).fontSize);
            return Math.max(0, wide - text.getComputedTextLength() / text.textContent.length);
        }""",
        WIDE_EM,
    )
    page.add_style_tag(content=f"svg text {{ letter-spacing: {lacking_px}px }}")
    labels = page.locator(".chart-box text").evaluate_all("""texts => texts
        .map((text) => text.getBoundingClientRect()).filter(({ width }) => width)
        .map(({ left, right }) => [left, right])""")
    drawings = page.locator(".chart-box").evaluate_all(
        "boxes => boxes.map((box) => box.getBoundingClientRect().left)"
    )
    assert min(left for left, _ in labels) <= min(drawings)
    assert all(0 <= left < right <= PAPER["viewport"]["width"] for left, right in labels)


def test_attempts_of_a_row_lie_side_by_side_and_the_scale_runs_through(
    page: Page, site: Path
) -> None:
    visit(page, site, "index.html")
    rows = page.locator(".matrix tbody tr").all()
    assert len(rows) == len(TASKS)
    for row in rows:
        heights = row.locator(".plot").evaluate_all(
            "plots => plots.map(plot => plot.getBoundingClientRect().height)"
        )
        assert len(heights) == 2
        assert len(set(heights)) == 1
    legend = (
        page.locator("section", has=page.locator("#worked")).locator(".legend li").all_inner_texts()
    )
    facet = page.locator("[data-facet=outcome] button > span").all_inner_texts()
    assert legend == facet == ["pass", "fail", "partial", "error"]


PAINTED = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntriesByName("first-contentful-paint").length))
    .observe({ type: "paint", buffered: true });
  setTimeout(() => done(0), 5000);
})"""


@pytest.mark.parametrize(
    ("kind", "above", "below"),
    [("index", "dl.figures", "#charts"), ("run", "main h1", "#facts")],
)
def test_what_stands_above_the_colours_of_models_is_shown_while_they_load(
    page: Page, site: Path, kind: str, above: str, below: str
) -> None:
    held: list[Route] = []
    page.route("**/models.css", lambda route: held.append(route))
    path = site / "index.html" if kind == "index" else next((site / "runs").iterdir())
    page.goto(as_file(path), wait_until="commit")
    assert page.evaluate(PAINTED) == 1
    assert page.locator(above).first.is_visible()
    assert page.locator(below).count() == 0
    held.pop().continue_()
    page.locator(below).wait_for()
    key = page.locator(".key[class*=m-claude]").first
    if kind == "index":
        assert key.evaluate("e => getComputedStyle(e).backgroundColor") not in (
            "",
            "rgba(0, 0, 0, 0)",
        )


def test_nothing_shifts_when_a_page_is_loaded_again_at_its_end(page: Page, site: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 400})
    page.goto(as_file(site / "problems.html"))
    page.evaluate("scrollTo(0, 99999)")
    page.wait_for_function("() => scrollY > 0")
    there = page.evaluate("scrollY")
    page.reload()
    page.wait_for_function(f"() => scrollY === {there}")
    shift = page.evaluate("""() => new Promise((done) => {
      new PerformanceObserver((list) => done(list.getEntries().map((each) => each.value)))
        .observe({ type: "layout-shift", buffered: true });
      setTimeout(() => done([]), 500);
    })""")
    assert sum(shift) < VISIBLE_SHIFT


@pytest.mark.parametrize("rest", ["facts", "source"])
def test_an_address_into_a_page_leads_there_and_one_loaded_again_stays(
    page: Page, site: Path, rest: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    path = next((site / "runs").iterdir())
    is_seen = f"""() => {{
      const at = document.getElementById("{rest}").getBoundingClientRect();
      return at.top >= 0 && at.bottom <= innerHeight;
    }}"""
    page.goto(f"{as_file(path)}#{rest}")
    page.wait_for_function(is_seen)
    page.evaluate("scrollBy(0, -100)")
    there = page.evaluate("scrollY")
    assert there > 0
    page.goto(as_file(path))
    page.evaluate(f"scrollTo(0, {there})")
    page.wait_for_function(f"() => scrollY === {there}")
    page.reload()
    page.wait_for_function(f"() => Math.abs(scrollY - {there}) < 8")


def test_no_line_begins_with_what_divides_two_links(site: Path) -> None:
    for path, divided in (
        ("tasks/join*.html", "</a>, <a"),
        ("runs/*join*.html", "</a>\N{NO-BREAK SPACE}· <a"),
    ):
        text = min(site.glob(path)).read_text(encoding="utf-8")
        assert divided in text
        assert "</a> · <a" not in text.replace("CSV</a> · <a", "")


def test_what_is_wrong_has_most_of_the_room_and_a_path_more_than_what_was_done(
    page: Page, site: Path
) -> None:
    visit(page, site, "problems.html")
    widths = (
        page.locator(".reasons thead tr")
        .first.locator("th")
        .evaluate_all("heads => heads.map(e => e.offsetWidth)")
    )
    file, wrong, done = widths
    assert wrong > file > done


def test_nothing_ignored_is_said_in_a_word_and_one_thing_in_the_singular(
    site: Path, tmp_path: Path
) -> None:
    assert "Ignored</dt><dd>none</dd>" in (site / "problems.html").read_text(encoding="utf-8")
    campaigns.write(tmp_path, {"runs/1.json": result(1), "runs/photo.png": b"\x89PNG"})
    assert sitegen("build", "-q", "runs", cwd=tmp_path).returncode == 0
    problems = (tmp_path / "site" / "problems.html").read_text(encoding="utf-8")
    assert "Ignored</dt><dd>1 file or folder</dd>" in problems and "1 image.</p>" in problems


def test_rows_that_are_left_out_are_counted_in_words_that_fit() -> None:
    assert _more(0) is None
    assert _more(1) == "1 more is in data/findings.json."
    assert _more(1_200) == "1,200 more are in data/findings.json."


def prices(site: Path) -> dict[str, list[str]]:
    """The rows of the table of prices by model."""
    about = (site / "about.html").read_text(encoding="utf-8")
    table = re.search(r"<table>(?:(?!</table>).)*List prices.*?</table>", about, re.DOTALL)
    assert table
    rows = table[0].split("<tr>")[2:]
    return {
        re.findall(r"<th[^>]*>([^<]*)", row)[0]: re.findall(r'<td class="n">([^<]*)</td>', row)
        for row in rows
    }


def test_a_column_of_prices_has_as_many_decimals_in_each_row(site: Path) -> None:
    rows = prices(site).values()
    assert len(rows) > 10
    for column in zip(*rows, strict=True):
        decimals = {len(price.partition(".")[2]) for price in column if price != "–"}
        assert len(decimals) == 1
        assert min(decimals) >= 2


def test_prices_that_follow_from_another_are_written_as_a_person_computes_them(site: Path) -> None:
    shown = prices(site)
    assert shown["claude-haiku-3.5"] == ["0.80", "1.000", "1.60", "0.080", "4.00"]
    assert shown["claude-sonnet-4.5"] == ["3.00", "3.750", "6.00", "0.300", "15.00"]
    assert shown["gpt-5.2"] == ["1.75", "–", "–", "0.175", "14.00"]


def test_on_a_phone_the_colour_of_a_model_stands_beside_its_name(
    browser: Browser, tmp_path: Path
) -> None:
    """Also where no part of the name has room in the line."""
    name = "us.anthropic.claude-sonnet-4-5-20250929-v1:0-but-longer-than-any-phone-is-wide"
    files: dict[str, Any] = {}
    for at, model in enumerate((name, OPUS, "another-model")):
        for task in "ab":
            run = result(at + 1, SONNET, uuid=f"{at}{task}")
            files[f"runs/{task}/{at}/1.json"] = run | {
                "modelUsage": {model: run["modelUsage"][SONNET]}
            }
    files["config.yaml"] = 'inputs: [{path: runs, pattern: "{task}/{_}/{attempt}.json"}]\n'
    assert sitegen("build", "-q", cwd=campaigns.write(tmp_path, files)).returncode == 0
    (of_model,) = (tmp_path / "site" / "models").glob("*-longer-*.html")
    with browser.new_context(viewport={"width": 320, "height": 740}) as context:
        page = context.new_page()
        for path, keys in ((tmp_path / "site" / "index.html", 6), (of_model, 1)):
            page.goto(as_file(path))
            found = page.locator(":is(h1, th, td) > .key").evaluate_all(
                """keys => keys.map((key) => {
                  const name = document.createRange();
                  name.selectNodeContents(key.nextSibling);
                  const [line] = name.getClientRects();
                  const { top, bottom } = key.getBoundingClientRect();
                  return line.top < bottom && top < line.bottom;
                })"""
            )
            assert len(found) >= keys
            assert all(found)


WORDS = """() => {
  const apart = "table, details, svg, script, style, dialog, .off, [hidden], .skip";
  const count = (root, selector) => {
    let words = 0;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (texts.currentNode.parentElement.closest(selector)) continue;
      words += texts.currentNode.textContent.split(/\\s+/).filter(Boolean).length;
    }
    return words;
  };
  const notes = [...document.querySelectorAll(".chart-figure figcaption > .sub")].map((note) => count(note, "svg"));
  return { all: count(document.body, apart), notes };
}"""


def test_the_demo_says_what_it_has_to_say_in_few_words(demo_site: Path, page: Page) -> None:
    """Outside of tables, folds and pictures; the captions of charts are counted alone too."""
    page.goto(as_file(demo_site / "index.html"))
    words = page.evaluate(WORDS)
    assert words["all"] <= 740
    assert sum(words["notes"]) <= 120
    assert max(words["notes"]) <= 15


def test_a_stranger_finds_the_first_figures_the_leader_and_the_best_run_on_the_first_screen(
    demo_site: Path, page: Page
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(as_file(demo_site / "index.html"))
    said = page.locator(".headline").inner_text()
    assert re.match(r"Opus 4\.5 has a speedup [\d.]+ times that of Sonnet 4\.5 on", said)
    for said in (".headline", ".alert", ".figures", "#gates", ".leaders tbody tr:last-child"):
        box = page.locator(said).bounding_box()
        assert box is not None and box["y"] + box["height"] <= 800, said
    assert page.get_by_role("heading", name="Leaderboard").is_visible()
    first = page.locator(".leaders tbody tr").first
    assert first.locator("th").inner_text().split() == ["Opus", "4.5", "leads"]
    assert first.get_by_role("link", name="gauge-import").is_visible()
    for tile in page.locator(".figures dd + dd").all():
        assert (box := tile.bounding_box()) is not None and box["height"] <= 40, "two lines"


@pytest.mark.parametrize("page", [{"viewport": {"width": 1280, "height": 800}}], indirect=True)
def test_a_leaderboard_with_two_groups_of_tasks_fits_its_column(page: Page, tmp_path: Path) -> None:
    agents = ("Claude Code", "Codex CLI")
    files: dict[str, Any] = {
        "config.yaml": "inputs: [{path: runs, pattern: '{codebase}/{task}/{agent}/{model}/{attempt}.json'}]\n"
        "outcomes: [{path: outcomes.csv, scores: {speedup: {unit: x, direction: higher}}}]\n"
        "verdicts: {success: {column: outcome, main: true}}\n"
        "task_table: tasks.csv\n"
        "leaderboard: {split_by: codebase}\n"
    }
    tasks = ["task,codebase"]
    for codebase, task in itertools.product(("sglang", "vllm"), "abcdef"):
        tasks.append(f"{codebase}-{task},{codebase}")
    files["tasks.csv"] = "\n".join(tasks)
    verdicts = ["task,agent,model,attempt,outcome,speedup"]
    rows = itertools.product(("sglang", "vllm"), "abcdef", agents, (1, 2))
    for number, (codebase, task, agent, attempt) in enumerate(rows, 1):
        path = f"{codebase}/{codebase}-{task}/{agent}/sonnet/{attempt}.json"
        files[f"runs/{path}"] = result(number, SONNET)
        outcome = "pass" if number % 3 else "fail"
        verdicts.append(f"{codebase}-{task},{agent},sonnet,{attempt},{outcome},1.{number:02}")
    files["outcomes.csv"] = "\n".join(verdicts)
    folder = campaigns.write(tmp_path, files)
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    for width in (1280, 1000, 390):
        page.set_viewport_size({"width": width, "height": 800})
        visit(page, folder / "site", "index.html")
        assert page.locator('.leaders [data-key^="half "]').count() == 4
        room = page.locator(".scroll:has(> .leaders)")
        assert room.evaluate("each => each.scrollWidth <= each.clientWidth"), width


def test_the_demo_prints_on_four_sheets(demo_site: Path, page: Page) -> None:
    page.goto(as_file(demo_site / "index.html"))
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 4
