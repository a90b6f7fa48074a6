"""The table of very many runs, whose rows come in several scripts: made here of few, by blocks of eight rows."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitegen.model import Entry, Score
from sitegen.numbers.statistics import summarize
from sitegen.pages.table import rows, run_table
from tests.conftest import ROOT
from tests.support.browsers import as_file
from tests.support.site_checks import accessibility

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

ENTRY: Callable[[int, int], Entry] = runpy.run_path(str(ROOT / "benchmarks" / "table.py"))["entry"]
ROWS = 8
BUILD = f"""
from sitegen.pages import group
from sitegen.pages.table import rows
group.ROWS_PER_BLOCK = rows.ROWS_PER_BLOCK = {ROWS}
from sitegen.cli.commands import cli
cli()
"""
NOT_ALL = "Not all rows could be loaded: nothing was sorted, filtered or saved"
SHOWN = "[...document.querySelectorAll('#run-table tr:not(.widest)')].map((row) => row.innerText)"
TOLD = "[...document.querySelectorAll('#count, .facets, .figure, .tiles')].map((each) => each.innerText)"


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo site with a table of four blocks."""
    out = tmp_path_factory.mktemp("divided") / "repo"
    command = [sys.executable, "-c", BUILD, "build", "-q", "-c", "config.yaml", "-o", str(out)]
    subprocess.run(command, cwd=ROOT, check=True)
    return out


def visit(page: Page, site: Path, fragment: str = "", path: str = "index.html") -> list[str]:
    """Open a page and wait until its table is alive; the scripts of rows that it has asked for, also later ones."""
    asked: list[str] = []
    page.on("request", lambda request: asked.extend(re.findall(r"rows[\w-]*\.js", request.url)))
    page.goto("about:blank")
    page.goto(as_file(site / path) + fragment)
    page.locator("#facets:not([inert])").wait_for(state="attached")
    return asked


def filtered(page: Page, said: str) -> None:
    """Wait until the table says how many runs it shows."""
    page.locator("#count", has_text=said).wait_for()


def test_the_first_block_is_all_that_a_page_waits_for(
    page: Page, divided: Path, demo_site: Path
) -> None:
    visit(page, demo_site)
    whole, foot = page.evaluate(SHOWN), page.locator("#run-table tfoot").inner_text()
    told = page.evaluate(TOLD)
    asked = visit(page, divided)
    page.wait_for_timeout(1500)  # what a page does in its idle time
    assert asked == ["rows.js"]
    assert page.evaluate(SHOWN) == [*whole[: ROWS + 1], whole[-1]], "head, rows and foot"
    assert page.locator("#run-table tfoot").inner_text() == foot
    assert page.evaluate(TOLD) == told, "all of it is of all runs"
    assert page.locator("#run-table").get_attribute("aria-rowcount") == "32"
    assert page.locator("#said").inner_text() == ""


@pytest.mark.nightly  # test_site.py looks at each kind of page on every push
def test_axe_finds_nothing_on_a_table_of_a_part(browser: Browser, divided: Path) -> None:
    with browser.new_context(bypass_csp=True) as context:
        page = context.new_page()
        visit(page, divided)
        page.locator("#rest").wait_for()
        assert accessibility(page) == []


def choose_in_matrix(page: Page) -> None:
    """The runs of a cell, by the keyboard, once the script of the matrix is there."""
    mark = page.locator(".matrix .plot > a").nth(4)
    mark.focus()
    page.locator(".matrix .plot title").first.wait_for(state="detached")
    mark.press(" ")


ACTS: dict[str, Callable[[Page], object]] = {
    "sort": lambda page: (
        page.get_by_role("columnheader", name="Cost, $").get_by_role("button").click()
    ),
    "text": lambda page: page.locator("#filter").fill("opus"),
    "facet": lambda page: page.locator("[data-facet=status] button").first.click(),
    "range": lambda page: page.get_by_label("Cost, $, from").fill("0.5"),
    "columns": lambda page: page.evaluate(
        "sitegenTable.filter({ columns: ['name', 'steps', 'total_tokens'] })"
    ),
    "judging": lambda page: page.locator("#judge").click(),
    "matrix": choose_in_matrix,
    "script": lambda page: page.evaluate(
        "sitegenTable.rows.then(() => sitegenTable.filter({ cost_usd: [0.5, 2] }))"
    ),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_needs_all_rows_loads_them(
    page: Page, divided: Path, demo_site: Path, act: str
) -> None:
    shown = []
    for site in (demo_site, divided):
        visit(page, site)
        ACTS[act](page)
        page.wait_for_url(lambda address: "#" in address, wait_until="commit")
        page.wait_for_load_state("networkidle")
        page.locator("#said:empty").wait_for(state="attached")
        shown.append((page.evaluate(SHOWN), page.evaluate(TOLD), page.evaluate("location.hash")))
    assert shown[0] == shown[1]
    assert page.locator("#rest").count() == 0


@pytest.mark.parametrize(
    "state", ["#status=failed", "#q=opus&sort=-cost_usd", "#sort=-api_ms&columns=name,api_ms"]
)
def test_an_address_asks_for_all_rows_at_once(
    page: Page, divided: Path, demo_site: Path, state: str
) -> None:
    visit(page, demo_site, state)
    whole = page.evaluate(SHOWN)
    visit(page, divided, state)
    assert page.evaluate(SHOWN) == whole


def test_all_rows_come_by_a_button_and_a_step_back_keeps_them(
    page: Page, divided: Path, demo_site: Path
) -> None:
    visit(page, demo_site)
    whole = page.evaluate(SHOWN)
    asked = visit(page, divided)
    page.locator("#rest").get_by_role("button", name="Load all rows").click()
    page.locator("#rest").wait_for(state="detached")
    assert page.evaluate("document.activeElement.className").startswith("scroll"), (
        "the button had it and is gone"
    )
    assert page.evaluate(SHOWN) == whole
    assert sorted(asked) == ["rows-2.js", "rows-3.js", "rows-4.js", "rows.js"]
    page.locator("#filter").fill("opus")
    filtered(page, "15 of 30 runs")
    page.locator("#clear").click()
    filtered(page, "30 runs")
    assert page.evaluate(SHOWN) == whole


def test_exports_are_of_all_rows(page: Page, divided: Path, demo_site: Path) -> None:
    saved = []
    for site in (demo_site, divided):
        visit(page, site)
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="JSON of what is shown").click()
        saved.append(json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["runs"])
    assert saved[0] == saved[1]
    assert len(saved[0]) == 30


def test_charts_follow_and_a_brush_filters(page: Page, divided: Path) -> None:
    asked = visit(page, divided)
    box = page.locator("[data-x]").first
    box.scroll_into_view_if_needed()
    box.hover()
    page.locator(".live svg").first.wait_for()
    assert asked == ["rows.js"], "a chart that comes alive needs none"
    frame = page.locator(".live").first.bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + frame["width"] * 0.3, frame["y"] + 30)
    page.mouse.down()
    page.mouse.move(frame["x"] + frame["width"] * 0.9, frame["y"] + 30, steps=5)
    page.mouse.up()
    page.locator("#count", has_text=" of 30 runs").wait_for()
    page.locator(".chart-bar", has_text=" of 30 runs").wait_for()


def test_a_group_has_blocks_too(page: Page, divided: Path) -> None:
    [path] = (divided / "models").glob("*opus*.html")
    asked = visit(page, divided, path=f"models/{path.name}")
    page.get_by_role("columnheader", name="Cost, $").get_by_role("button").click()
    page.locator("#rest").wait_for(state="detached")
    assert sorted(asked) == ["rows-2.js", "rows.js"]
    assert len(page.evaluate(SHOWN)) == 15 + 2


def answered(route: Route, answer: str) -> None:
    """Nothing, or the rows of another build."""
    if answer == "nothing":
        route.abort()
    else:
        route.fulfill(body='window.sitegenRows={"version":"0"};', content_type="text/javascript")


@pytest.mark.parametrize("answer", ["nothing", "another build"])
def test_without_a_block_the_table_stays_as_it_was(
    browser: Browser, divided: Path, answer: str
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/rows-3.js*", lambda route: answered(route, answer))
        visit(page, divided)
        before, told = page.evaluate(SHOWN), page.evaluate(TOLD)
        for act in ("sort", "facet", "text", "judging"):
            ACTS[act](page)
            page.get_by_text(NOT_ALL).wait_for()
            assert page.evaluate(SHOWN) == before
            assert page.evaluate(TOLD) == told
        page.get_by_role("button", name="Export").click()
        page.get_by_role("button", name="CSV of what is shown").click()
        page.get_by_text(NOT_ALL).wait_for()
        visit(page, divided, "#status=failed&sort=-cost_usd")
        assert page.locator("#said").inner_text() == NOT_ALL
        assert page.evaluate(SHOWN) == before
        assert page.locator("[aria-sort], [aria-pressed=true]").count() == 0
        page.unroute("**/rows-3.js*")
        if answer == "nothing":  # it is asked for again when it is needed again
            ACTS["facet"](page)
            filtered(page, " of 30 runs")


def test_how_many_blocks_are_here_is_said(page: Page, divided: Path) -> None:
    held: list[Route] = []
    page.route("**/rows-4.js*", lambda route: held.append(route))
    visit(page, divided)
    ACTS["sort"](page)
    page.locator("#said[role=status]", has_text="Loading rows, 3 of 4").wait_for()
    assert page.locator("[aria-sort]").count() == 0
    held[0].continue_()
    page.locator("[aria-sort=descending]").wait_for()
    assert page.locator("#said").inner_text() == ""


def test_blocks_are_made_one_by_one_and_state_their_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "ROWS_PER_BLOCK", ROWS)
    entries = [ENTRY(number, 30) for number in range(30)]

    def written(entries: list[Entry]) -> dict[str, rows.Script]:
        table = run_table.RunTable(entries, summarize(entries), "index", "data/rows")
        return {script.path: script for script in table.scripts()}

    files = written(entries)
    assert list(files)[-2:] == ["data/rows.js", "data/rows-further.js"]
    assert list(files) == [*list(rows.rows_paths("data/rows", 30))[2:], *list(files)[-2:]]
    content = {
        path: json.loads(each.content.decode()[len("window.") :].partition("=")[2][:-2])
        for path, each in files.items()
    }
    head = json.loads(content["data/rows.js"]["head"])
    assert head["rows"] == 30
    assert head["blocks"] == [files[f"data/rows-{number}.js"].version for number in (2, 3, 4)]
    ids = [
        json.loads(content[path]["ids"])
        for path in ("data/rows.js", *(f"data/rows-{n}.js" for n in (2, 3, 4)))
    ]
    assert [sum(len(group.split(" ")) - 1 for group in each) for each in ids] == [8, 8, 8, 6]
    assert all(json.loads(each["version"]) == files[path].version for path, each in content.items())

    entries[17] = replace(entries[17], scores=(Score("speed", 2.5, "x"),))
    entries[18] = replace(entries[18], scores=(Score("speed", 2.0, "x"),))
    scored = written(entries)
    entries[17] = replace(entries[17], scores=(Score("speed", 2.25, "x"),))
    changed = {
        path for path, script in written(entries).items() if script.address != scored[path].address
    }
    assert changed == {
        "data/rows-3.js",
        "data/rows-3-further.js",
        "data/rows.js",
        "data/rows-further.js",
    }


def test_each_block_has_the_columns_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser joins the blocks of a column, so one without it would move the values of the next."""
    monkeypatch.setattr(rows, "ROWS_PER_BLOCK", ROWS)
    entries = [ENTRY(number, 20) for number in range(20)]
    entries[9:] = [replace(entry, task=None, attempt=None) for entry in entries[9:]]
    table = run_table.RunTable(entries, summarize(entries), "index", "data/rows")
    blocks = [
        json.loads(each.content.decode()[len("window.") :].partition("=")[2][:-2])
        for each in table.scripts()
    ]
    firsts = [block for block in blocks if "ids" in block]
    assert len(firsts) == 3
    for block in firsts:
        count = sum(len(group.split(" ")) - 1 for group in json.loads(block["ids"]))
        assert [len(json.loads(block[key])) for key in ("name", "about", "status")] == [count] * 3


def test_ten_thousand_rows_are_one_block() -> None:
    assert list(rows.rows_paths("data/rows", 10_000)) == ["data/rows.js", "data/rows-further.js"]
    assert len(list(rows.rows_paths("data/rows", 10_001))) == 4
