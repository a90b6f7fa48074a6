"""The table of runs under script, read as its user would: sorted, filtered, exported, by keys and by address."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from sitegen import figures
from sitegen.model import by_key
from sitegen.numbers.intervals import median
from sitegen.numbers.statistics import summarize
from sitegen.pages.table import run_table
from sitegen.text.names import natural_order
from tests.conftest import ROOT
from tests.support import browsers, campaigns
from tests.support.browsers import as_file
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.site_checks import accessibility

pytestmark = pytest.mark.blank_charts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

RUNS = 401
ENTRY = runpy.run_path(str(ROOT / "benchmarks" / "table.py"))["entry"]
AWAKE = "#facets:not([inert])"


def build(runs: Path, site: Path) -> Path:
    """The site of a folder of runs, by the command."""
    built = sitegen("build", "-q", "--no-config", runs, "-o", site)
    assert built.returncode == 0, built.stderr
    return site


@pytest.fixture(scope="module")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose table goes on over five pages; two runs report no cost."""
    folder = tmp_path_factory.mktemp("long")
    runs = {f"{n:03}.json": result(n, SONNET if n % 2 else OPUS) for n in range(1, RUNS - 1)}
    runs["002.json"] |= {
        "duration_ms": 2_500,
        "total_cost_usd": 0.125,
    }  # figures that lie between two
    unknown = {
        f"x{n}.json": result(n, total_cost_usd=None, modelUsage=None, usage=None)
        for n in (500, 501)
    }
    campaigns.write(folder / "runs", {**runs, **unknown})
    return build(folder / "runs", folder / "site")


def visit(page: Page, site: Path, fragment: str = "") -> None:
    """Open the index and wait until its table is alive."""
    page.goto("about:blank")
    page.goto(as_file(site / "index.html") + fragment)
    awake(page)


def rows_of(site: Path) -> list[dict[str, Any]]:
    """The runs as data/runs.json has them."""
    runs: list[dict[str, Any]] = json.loads(
        (site / "data" / "runs.json").read_text(encoding="utf-8")
    )["runs"]
    return runs


def awake(page: Page) -> None:
    """Wait until the rows are there and the controls work."""
    page.locator(AWAKE).wait_for(state="attached")


def settle(page: Page) -> None:
    """Wait until the rows that a filter asks for are known."""
    page.locator(".scroll.awake:not([aria-busy])").wait_for(state="attached")


def heads(page: Page) -> list[str]:
    """The heads of the columns, as shown."""
    return [head.strip() for head in page.locator("#run-table thead tr > *").all_inner_texts()]


def column(page: Page, label: str) -> list[str]:
    """The cells of a column of the table of runs that are drawn, from top to bottom."""
    position = next(i for i, head in enumerate(heads(page)) if head.startswith(label))
    cells = page.locator(f"#run-table tbody tr:not(.widest, .space) > :nth-child({position + 1})")
    return [text.strip() for text in cells.all_inner_texts()]


def foot(page: Page) -> list[str]:
    """The cells of the foot."""
    return [text.strip() for text in page.locator("#run-table tfoot tr > *").all_inner_texts()]


def head(page: Page, label: str) -> Any:
    """The button in the head of a column."""
    return page.get_by_role("columnheader", name=label).get_by_role("button")


def chip(page: Page, facet: str, name: str) -> Any:
    """A name of a facet."""
    return page.get_by_role("group", name=facet, exact=True).get_by_role("button", name=name)


def focused(page: Page) -> str:
    """What has the focus: its text, else its id."""
    text: str = page.evaluate(
        "document.activeElement.innerText.trim() || document.activeElement.id"
    )
    return text


def number(text: str) -> float | None:
    """A cell as a number; None for a dash."""
    return None if text == "–" else float(text.replace(",", ""))


def test_a_click_sorts_by_a_column_a_second_turns_it_a_third_undoes_it(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site)
    unsorted = column(page, "Cost")
    cost = page.get_by_role("columnheader", name="Cost, $")
    for direction, largest_first in (("descending", True), ("ascending", False)):
        cost.get_by_role("button").click()
        shown = [number(text) for text in column(page, "Cost")]
        known = [each for each in shown if each is not None]
        assert cost.get_attribute("aria-sort") == direction
        assert known == sorted(known, reverse=largest_first)
        assert shown[-2:] == [None, None], "unknown figures come last in both directions"
        assert focused(page).startswith("Cost, $")
    cost.get_by_role("button").click()
    assert column(page, "Cost") == unsorted
    assert cost.get_attribute("aria-sort") is None


def test_shift_sorts_by_several_columns(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#columns=name,model,turns")
    assert "Main model" in str(head(page, "Model").locator("..").get_attribute("title"))
    head(page, "Model").click()
    head(page, "Turns").click(modifiers=["Shift"])
    rows = list(zip(column(page, "Model"), map(number, column(page, "Turns")), strict=True))
    known = [(model, -turns) for model, turns in rows if turns is not None]
    assert known == sorted(known)
    assert len({model for model, _ in known}) == 2
    browsers.comes_to(page, "sort=model,-turns")
    assert [h for h in heads(page) if re.search(r"[12]", h)] == ["Model1", "Turns2\n, descending"]


def test_rows_stay_together_when_sorted(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    labels = ("Run", "Status", "Outcome", "Cost", "Output", "Time")
    before = set(zip(*(column(page, label) for label in labels), strict=True))
    head(page, "Run").click()
    assert set(zip(*(column(page, label) for label in labels), strict=True)) == before


def test_the_table_under_script_is_the_plain_table(
    browser: Browser, demo_site: Path, long_site: Path
) -> None:
    for site in (demo_site, long_site):
        seen = []
        for script in (False, True):
            with browser.new_context(java_script_enabled=script) as context:
                tab = context.new_page()
                tab.goto(as_file(site / "index.html"))
                if script:
                    awake(tab)
                    tab.evaluate("sitegenTable.filter({ q: 'nothing has this' })")
                    tab.evaluate(
                        "sitegenTable.filter({ q: null })"
                    )  # till then, the plain foot stands
                drawn = tab.locator("#run-table tbody tr:not(.widest, .space)").all_inner_texts()[
                    :40
                ]
                seen.append((heads(tab), drawn, foot(tab)))
        assert seen[0] == seen[1]


@pytest.mark.parametrize("width_px", [1280, 320])
def test_nothing_moves_when_the_script_takes_the_table_over(
    browser: Browser, demo_site: Path, width_px: int
) -> None:
    places = """() => ["h2#runs", "#count", "#run-table thead", "#run-table tbody tr:not(.widest):nth-last-child(9)",
        "#run-table tfoot td:last-child", ".foot"].map((each) => {
        const { x, y, width, height } = document.querySelector(each).getBoundingClientRect();
        return [each, x, y, width, height].join(" ");
    })"""
    with browser.new_context(viewport={"width": width_px, "height": 900}) as context:
        tab = context.new_page()
        tab.route("**/table-*.js", lambda route: route.abort())
        tab.goto(as_file(demo_site / "index.html"))
        before = tab.evaluate(places)
        tab.unroute("**/table-*.js")
        visit(tab, demo_site)
        assert tab.evaluate(places) == before


def test_the_filter_takes_words_from_any_column_of_text(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    page.keyboard.press("/")
    page.keyboard.type("opus TIDE")
    assert focused(page) == "filter"
    settle(page)
    assert column(page, "Run") == [f"tide-curve · Opus 4.5 · {n}" for n in (1, 2, 3)]
    assert page.locator("#count").inner_text() == "3 of 30 runs"
    page.keyboard.press("Escape")
    assert page.locator("#count").inner_text() == "30 runs"
    page.keyboard.type("zeppelin has this")
    settle(page)
    assert column(page, "Run") == ["No run matches these filters. Search all runs for it"]
    assert foot(page)[0] == "0 of 30 runs"
    page.get_by_role("button", name="Clear filters").click()
    assert focused(page) == "filter"
    assert len(column(page, "Run")) == 30


def test_letters_typed_before_the_rows_are_here_are_kept(page: Page, demo_site: Path) -> None:
    held: list[Route] = []
    page.route("**/rows.js*", lambda route: held.append(route))
    page.goto(as_file(demo_site / "index.html"), wait_until="domcontentloaded")
    page.locator("script[src*='rows.js']").wait_for(state="attached")
    page.keyboard.press("/")
    page.keyboard.type("tide o")
    held[0].continue_()
    awake(page)
    page.keyboard.type("pus")
    page.locator("#count", has_text="3 of 30 runs").wait_for()
    settle(page)
    assert page.locator("#filter").input_value() == "tide opus"
    assert len(column(page, "Run")) == 3


def test_a_link_that_names_some_runs_leads_to_as_many(page: Page, demo_site: Path) -> None:
    """Links with a number in their text, and shares before one."""
    links = set[tuple[str, str]]()
    for path in [demo_site / "index.html", *demo_site.glob("*.html")]:
        page.goto(as_file(path))
        links |= {
            (href.partition("#")[2], number)
            for href, number in page.evaluate(
                """() => [...document.querySelectorAll("a[href*='#']")]
                  .filter(({ hash, pathname }) => hash.includes("=") && pathname.endsWith("/index.html"))
                  .map((link) => [link.href, `${link.textContent} ${link.nextSibling?.textContent ?? ""}`
                    .match(/^(\\d+) (?:of|\\w* ?runs?)|: (\\d+) $|%[^\\d]*(\\d+) of/)?.slice(1).find(Boolean)])
                  .filter(([, number]) => number)"""
            )
        }
    assert len(links) >= 4
    for fragment, number in sorted(links):
        visit(page, demo_site, f"#{fragment}")
        settle(page)
        assert page.locator("#count").inner_text().split()[0] == number, fragment


def test_facets_filter_and_count_what_the_other_filters_leave(page: Page, demo_site: Path) -> None:
    runs = rows_of(demo_site)
    visit(page, demo_site)
    chip(page, "Model", "Opus").click()
    assert chip(page, "Model", "Opus").get_attribute("aria-pressed") == "true"
    assert focused(page).startswith("Claude Opus")
    for status, word in (("ok", "completed"), ("stopped", "stopped"), ("failed", "failed")):
        left = sum(run["model"] == "Claude Opus 4.5" and run["status"] == status for run in runs)
        assert chip(page, "Status", word).inner_text().split()[-1] == str(left)
    sonnets = sum(
        run["model"] == "Claude Sonnet 4.5" for run in runs
    )  # its own facet does not narrow it
    assert chip(page, "Model", "Sonnet").inner_text().split()[-1] == str(sonnets)
    chip(page, "Outcome", "fail").click()
    chip(page, "Outcome", "partial").click()
    wanted = [
        r for r in runs if r["model"] == "Claude Opus 4.5" and r["outcome"] in ("fail", "partial")
    ]
    assert page.locator("#count").inner_text() == f"{len(wanted)} of 30 runs"
    browsers.comes_to(page, "#model=Claude+Opus+4.5&outcome=fail&outcome=partial")


def test_a_facet_of_many_names_offers_the_most_frequent_and_finds_the_others(
    page: Page, tmp_path: Path
) -> None:
    runs: dict[str, Any] = {f"{n:02}.json": result(n) for n in range(1, 31)}
    labels = {f"{n:02}.meta.yaml": f"labels: [label {n % 20}, extra]\n" for n in range(1, 30)}
    campaigns.write(tmp_path / "runs", runs | labels)
    build(tmp_path / "runs", tmp_path / "site")
    visit(page, tmp_path / "site")
    facet = page.get_by_role("group", name="Labels", exact=True)
    offered = ["extra 29", *(f"label {n} 2" for n in range(1, 8)), "none 1"]
    assert [
        " ".join(text.split()) for text in facet.get_by_role("button").all_inner_texts()
    ] == offered
    facet.get_by_label("Find in Labels").fill("label 15")
    assert [" ".join(text.split()) for text in facet.get_by_role("button").all_inner_texts()] == [
        "label 15 1"
    ]
    facet.get_by_role("button", name="label 15").click()
    assert focused(page).startswith("label 15")
    assert page.locator("#count").inner_text() == "1 of 30 runs"
    facet.get_by_label("Find in Labels").fill("")
    assert facet.get_by_role("button", pressed=True).inner_text().split() == ["label", "15", "1"]


def test_ranges_of_cost_and_time_take_figures_as_they_are_written(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site)
    dearest, longest = page.get_by_label("Cost, $, from"), page.get_by_label("Time, min:s, to")
    dearest.fill(max(column(page, "Cost")[:-1], key=lambda text: number(text) or 0))
    page.locator(
        "#count", has_text="1 of 30 runs"
    ).wait_for()  # it is within a range that begins at its cost as written
    dearest.fill("1")
    longest.fill("8:31")
    browsers.comes_to(page, "#cost_usd=1..&wall_ms=..511000")
    assert {"8:31"} < set(column(page, "Time"))
    assert all((number(text) or 0) >= 1 for text in column(page, "Cost"))
    assert all(int(text.split(":")[0]) <= 8 for text in column(page, "Time"))


@pytest.mark.parametrize(
    ("typed", "ms"),
    [
        ("5", 300_000),
        ("8:31", 511_000),
        ("1:05:00", 3_900_000),
        ("2 h", 7_200_000),
        ("1 h 29 min", 5_340_000),
        ("4\u202fmin 05\u202fs", 245_000),
        ("2h39", 9_540_000),
        ("1,5 h", 5_400_000),
        ("42 s", 42_000),
        ("90 min", 5_400_000),
        ("1,500 min", 90_000_000),
        ("1,234:05", 74_045_000),
        ("850 ms", 850),
        ("<0:01", 0),
    ],
)
def test_a_time_is_understood_in_every_way_that_pages_write_it(
    page: Page, demo_site: Path, typed: str, ms: int
) -> None:
    visit(page, demo_site)
    field = page.get_by_label("Time, min:s, to")
    field.fill(typed)
    browsers.comes_to(page, f"#wall_ms=..{ms}")
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator("#misread").inner_text() == ""


@pytest.mark.parametrize(
    ("label", "typed", "example"),
    [
        ("Time, min:s, to", "soon", "2 h 39 min"),
        ("Time, min:s, to", "1.2.3", "8:31"),
        ("Cost, $, to", "1:30", "0.5"),
    ],
)
def test_what_is_no_figure_limits_nothing_and_words_say_what_would_be_understood(
    page: Page, demo_site: Path, label: str, typed: str, example: str
) -> None:
    visit(page, demo_site)
    field, words = page.get_by_label(label), page.locator("#misread")
    field.fill("2")
    page.locator("#count", has_text=" of ").wait_for()
    field.fill(typed)
    words.filter(has_text="Not understood").wait_for()
    assert page.locator("#count").inner_text() == "30 runs"
    assert field.get_attribute("aria-invalid") == "true"
    assert words.inner_text().startswith("Not understood, so ignored: write ")
    assert example in words.inner_text()
    assert field.get_attribute("aria-describedby") == words.get_attribute("id")
    assert words.get_attribute("role") == "status"
    field.fill("")
    assert words.inner_text() == ""


def test_words_about_what_is_not_understood_stand_as_long_as_it_does(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site)
    words = page.locator("#misread")
    page.get_by_label("Time, min:s, to").fill("soon")
    page.get_by_label("Cost, $, to").fill("cheap")
    page.get_by_label("Cost, $, to").fill("")
    assert page.get_by_label("Time, min:s, to").get_attribute("aria-invalid") == "true"
    assert "8:31" in words.inner_text()
    page.get_by_label("Cost, $, to").fill("5")
    assert page.get_by_label("Time, min:s, to").input_value() == "soon"
    assert "8:31" in words.inner_text()
    page.get_by_role("button", name="Clear filters").click()
    assert [
        page.get_by_label(label).input_value() for label in ("Time, min:s, to", "Cost, $, to")
    ] == ["", ""]
    assert words.inner_text() == ""


def test_a_range_that_ends_before_it_begins_says_so(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    page.get_by_label("Cost, $, from").fill("2")
    page.get_by_label("Cost, $, to").fill("1")
    assert page.locator("#misread").inner_text() == "No run matches: a range ends before it begins"
    assert page.locator("#count").inner_text() == "0 of 30 runs"
    page.get_by_label("Cost, $, to").fill("3")
    assert page.locator("#misread").inner_text() == ""


def test_a_view_that_was_sent_opens_at_the_table_and_another_page_at_its_top(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site, "#model=Claude+Opus+4.5")
    page.wait_for_function("() => document.getElementById('runs').getBoundingClientRect().top < 40")
    assert page.locator("#count").inner_text() == "15 of 30 runs"
    assert page.locator("#count").evaluate("e => e.getBoundingClientRect().bottom < innerHeight")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function("() => scrollY === 0")
    for again in (page.reload, lambda: page.goto(page.url.split("#")[0])):
        again()
        page.locator(".awake").wait_for(state="attached")
        assert page.evaluate("scrollY") == 0


def test_a_view_that_was_sent_with_a_chart_opens_at_the_chart(page: Page, demo_site: Path) -> None:
    page.add_init_script(
        "addEventListener('scroll', () => { window.most = Math.max(window.most ?? 0, scrollY); })"
    )
    visit(page, demo_site, "#chart=money-by-kind&model=Claude+Opus+4.5")
    sight = """() => [document.querySelector("#money-by-kind figcaption"), document.getElementById("runs")]
      .map((e) => { const { top } = e.getBoundingClientRect(); return 0 <= top && top < innerHeight; }).join()"""
    page.wait_for_function(f"() => ({sight})() === 'true,false'")
    page.wait_for_timeout(300)
    assert page.evaluate(sight) == "true,false", "and stays there"
    assert page.evaluate("window.most <= scrollY"), "nor has it been elsewhere"


def test_a_view_is_its_address_and_back_undoes_a_step(page: Page, demo_site: Path) -> None:
    visit(
        page,
        demo_site,
        "#sort=-cost_usd&status=ok&turns=20..30&chart=spread&model=&cost_usd=cheap&columns=name,turns",
    )
    assert (heads(page), page.locator("#count").inner_text()) == (["Run", "Turns"], "0 of 30 runs")
    chip(page, "Model", "none 0").click()  # runs without a model: there is none
    turns = [number(text) or 0 for text in column(page, "Turns")]
    assert turns
    assert all(20 <= each <= 30 for each in turns)
    assert "chart=spread" in page.url, "keys of others are kept"
    page.get_by_role("button", name="Remove: Turns from 20 to 30").click()
    assert focused(page) == "filter"
    more = len(column(page, "Turns"))
    assert more > len(turns)
    page.go_back()
    assert [number(text) for text in column(page, "Turns")] == turns
    page.go_back()
    assert page.locator("#count").inner_text() == "0 of 30 runs"
    page.go_forward()
    page.go_forward()
    assert len(column(page, "Turns")) == more
    page.evaluate(
        "location.hash = '#runs'; new Promise(requestAnimationFrame)"
    )  # a place on the page
    assert len(column(page, "Turns")) == more


def test_an_address_that_makes_no_sense_leaves_a_table_that_works(
    page: Page, long_site: Path
) -> None:
    senseless = (
        "q=other&q=loop",
        "__proto__=1..2",
        "__proto__=a&__proto__=b",
        "turns=a&turns=b",
        "columns=bogus",
    )
    for fragment in senseless:
        visit(page, long_site, f"#{fragment}")
        assert page.locator("#count").inner_text() in (f"{RUNS} runs", f"400 of {RUNS} runs"), (
            fragment
        )
        assert len(heads(page)) > 5, fragment
        page.locator("#filter").fill("loop 399")
        settle(page)
        assert column(page, "Turns") == ["1,596"], fragment


def test_what_is_typed_and_is_no_range_yet_costs_no_step_of_history(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site)
    chip(page, "Status", "completed").click()
    page.get_by_label("Cost, $, from").press_sequentially(".5")
    browsers.comes_to(page, "#status=ok&cost_usd=0.5..")
    page.go_back()
    browsers.comes_to(page, "#status=ok")
    assert page.locator("#count").inner_text() == "26 of 30 runs"


def test_a_range_without_fields_is_said_in_the_unit_of_its_column(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site, "#output_tokens=20000..30000&api_ms=60000..")
    chips = page.locator("#further button").all_inner_texts()
    assert [" ".join(text.split()) for text in chips] == [
        "Output, k from 20 to 30 ×",
        "API time, min:s from 1:00 ×",
    ]
    assert all(20 <= (number(text) or 0) <= 30 for text in column(page, "Output"))


def test_keys_of_an_input_method_are_not_those_of_the_filter(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    page.locator("#filter").fill("tide")
    settle(page)
    for key in ("Escape", "ArrowDown"):
        page.locator("#filter").dispatch_event("keydown", {"key": key, "isComposing": True})
    assert page.locator("#filter").input_value() == "tide"
    assert focused(page) == "filter"


def test_columns_are_chosen_and_their_totals_follow(page: Page, demo_site: Path) -> None:
    runs = rows_of(demo_site)
    visit(page, demo_site)
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="All tokens").check()
    page.get_by_role("checkbox", name="Outcome").uncheck()
    assert page.get_by_role("checkbox", name="Outcome").evaluate(
        "e => e === document.activeElement"
    )
    page.keyboard.press("Escape")
    assert focused(page) == "Columns"
    assert "Outcome" not in heads(page)
    total = sum(run["total_tokens"] or 0 for run in runs) / 1000
    shown = foot(page)[[h.split(",")[0] for h in heads(page)].index("All tokens")]
    assert shown == f"{total:,.0f}+", "one run reports no tokens"


def test_totals_of_a_filter_are_those_of_its_runs(page: Page, demo_site: Path) -> None:
    runs = rows_of(demo_site)
    visit(page, demo_site, "#task=tide-curve")
    wanted = [run for run in runs if run["task"] == "tide-curve"]
    at = {label.split(",")[0]: text for label, text in zip(heads(page), foot(page), strict=True)}
    assert at["Cost"] == f"{sum(run['cost_usd'] for run in wanted):.2f}"  # all are known: no plus
    assert at["Turns"] == str(sum(run["turns"] for run in wanted))
    assert (
        at["Outcome"] == f"{sum(run['outcome'] == 'pass' for run in wanted)} of {len(wanted)} pass"
    )
    visit(page, demo_site, "#q=gauge-import")
    assert foot(page)[heads(page).index("Cost, $")].endswith("+")
    visit(page, demo_site, "#status=interrupted")
    assert foot(page)[heads(page).index("Cost, $")] == "–", "what nobody knows is no zero"


def test_what_is_shown_is_exported(page: Page, demo_site: Path) -> None:
    wanted = [run for run in rows_of(demo_site) if run["task"] == "log-search"]
    visit(page, demo_site, "#sort=-turns&task=log-search")
    found = {}
    for name in ("CSV", "JSON"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=f"{name} of what is shown").click()
        found[name] = download.value.path().read_text(encoding="utf-8")
        assert page.locator("#said").inner_text() == f"6 runs saved as runs-shown.{name.lower()}"
        assert focused(page) == "Export"
    exported = json.loads(found["JSON"])
    assert exported["schema"] == 1
    ranked = sorted(wanted, key=lambda run: (run["turns"] is None, -(run["turns"] or 0)))
    for mine, whole in zip(exported["runs"], ranked, strict=True):
        assert mine["cost_usd"] == pytest.approx(whole["cost_usd"], abs=1e-10)
        assert mine == {key: whole[key] for key in mine} | {"cost_usd": mine["cost_usd"]}
    assert [each["scores"] for each in exported["runs"]].count({}) < len(ranked)
    cells = list(csv.DictReader(found["CSV"].splitlines()))
    assert [each["id"] for each in cells] == [run["id"] for run in ranked]
    assert cells[-1]["cost_usd"] == ""
    assert list(cells[0]) == list(exported["runs"][0])


def test_names_of_two_campaigns_are_told_apart_in_the_table_as_in_the_data(
    page: Page, tmp_path: Path
) -> None:
    settings: dict[str, object] = {
        "inputs": [{"path": "runs", "pattern": "{campaign}/{task}/{attempt}.json"}],
        "output": "site",
    }
    runs = {
        f"runs/{of}/join/{n}.json": result(n + 9 * (of == "june"))
        for of in ("may", "june")
        for n in (1, 2)
    }
    campaigns.write(tmp_path, {"config.yaml": settings, **runs})  # type: ignore[dict-item]
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    visit(page, tmp_path / "site", "#sort=cost_usd")
    shown = page.locator("#run-table tbody th a").all_inner_texts()
    assert sorted(shown) == sorted(run["name"] for run in rows_of(tmp_path / "site"))
    assert sum("may" in name for name in shown) == 2


def test_runs_of_two_agents_have_agent_and_model_side_by_side(page: Page, tmp_path: Path) -> None:
    session = ROOT / "tests" / "corpus/reader/codex-rollout.jsonl"
    runs: dict[str, Any] = {
        "1.json": result(1),
        "2.json": result(2, OPUS),
        "3.jsonl": session.read_text("utf-8"),
    }
    campaigns.write(tmp_path / "runs", runs)
    build(tmp_path / "runs", tmp_path / "site")
    visit(page, tmp_path / "site")
    assert sorted(column(page, "Agent")) == ["Claude Code", "Claude Code", "Codex"]
    cells = "[...document.querySelectorAll('#run-table :is(th, td)')].map((cell) => getComputedStyle(cell).display)"
    assert set(page.evaluate(cells)) == {"table-cell"}


def test_scores_are_columns_that_sort_filter_and_are_exported(page: Page, tmp_path: Path) -> None:
    scores = [
        {"gain-1, p50": -2.5, "tests": 3},
        {"gain-1, p50": 10, "tests": 12},
        {"tests": 7},
        {"gain-1, p50": -0.001},
    ]
    runs: dict[str, Any] = {f"{n}.json": result(n) for n in range(1, 5)}
    stated = {f"{n}.meta.json": json.dumps({"scores": each}) for n, each in enumerate(scores, 1)}
    campaigns.write(tmp_path / "runs", runs | stated)
    build(tmp_path / "runs", tmp_path / "site")
    visit(page, tmp_path / "site")
    assert column(page, "Tests") == ["–", "7", "12", "3"], "both are shown, the dearest run first"
    assert column(page, "Gain-1") == [">−0.1", "–", "10.0", "−2.5"]
    assert foot(page)[3:5] == ["", ""], "a sum of scores says nothing"
    head(page, "gain-1").click()
    head(page, "gain-1").click()
    assert column(page, "Gain-1") == ["−2.5", ">−0.1", "10.0", "–"]
    visit(
        page,
        tmp_path / "site",
        page.url[page.url.index("#") :] + "&score.gain-1%252C+p50=-3..-0.0001",
    )
    assert column(page, "Gain-1") == ["−2.5", ">−0.1"]
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of what is shown").click()
    exported = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    assert [each["scores"] for each in exported] == [
        "gain-1, p50=-2.5;tests=3",
        "gain-1, p50=-0.001",
    ]
    assert [each["score.gain-1, p50"] for each in exported] == ["-2.5", "-0.001"]


def test_names_are_ordered_as_python_orders_them(page: Page, tmp_path: Path) -> None:
    names = [
        "a2",
        "a10",
        "A3",
        "a02",
        "a",
        "a0",
        "a00",
        "a1b",
        "a1 b",
        "ab",
        "a b",
        "é",
        "z",
        "﹅ mark",
        "😀 face",
    ]
    names += ["É", "B", "AB", "Σας", "İs"]
    names += ["9" * 30, "1" + "0" * 29, "7 and 8", "7 and 10"]
    runs = {f"{n:02}.json": result(n, result=f"# {name}\n\nx") for n, name in enumerate(names)}
    labelled = {f"{n:02}.meta.json": json.dumps({"labels": [name]}) for n, name in enumerate(names)}
    campaigns.write(tmp_path / "runs", {**runs, **labelled})
    build(tmp_path / "runs", tmp_path / "site")
    stated = rows_of(tmp_path / "site")
    visit(page, tmp_path / "site", "#sort=labels&columns=name,labels")
    assert column(page, "Labels") == sorted(names, key=natural_order)
    visit(page, tmp_path / "site", "#sort=name")
    shown = [
        text.split("\n")[0] for text in column(page, "Run")
    ]  # below stands what each account begins with
    assert shown == sorted((run["name"] for run in stated), key=natural_order)


def test_scores_whose_names_are_alike_in_addresses_stay_apart(page: Page, tmp_path: Path) -> None:
    names = ["a,b", "a%2Cb", "__proto__", "constructor"]
    stated = {"1.meta.json": json.dumps({"scores": dict(zip(names, (1, 2, 3, 4), strict=True))})}
    campaigns.write(tmp_path / "runs", {"1.json": result(1), **stated})
    build(tmp_path / "runs", tmp_path / "site")
    visit(
        page,
        tmp_path / "site",
        "#columns=name,"
        + ",".join(f"score.{key}" for key in ("a%252Cb", "a%25252Cb", "__proto__", "constructor")),
    )
    assert [column(page, figures.as_title(name)) for name in names] == [["1"], ["2"], ["3"], ["4"]]


def test_the_table_is_copied_as_markdown_also_where_the_clipboard_is_refused(
    page: Page, demo_site: Path
) -> None:
    page.add_init_script(
        "document.addEventListener('copy', () => { window.copied = document.activeElement.value; });"
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
    )
    visit(page, demo_site, "#status=failed&columns=name,status,cost_usd")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="Copy as markdown").click()
    assert page.evaluate("copied").splitlines() == [
        "| Run | Status | Cost, \\$ |",
        "| --- | --- | --: |",
        "| ais-decode · Sonnet 4.5 · 2 | failed, turn limit | 2.10 |",
        "| 1 of 30 runs | 0 completed | 2.10 |",
    ]
    assert page.locator("#said").inner_text() == "1 run copied as markdown"
    assert focused(page) == "Export"


def test_hostile_names_are_text_in_every_export(page: Page, tmp_path: Path) -> None:
    names = [
        "=cmd()",
        "<img src=x onerror=alert(1)>",
        "a|b*c*",
        '"q", r',
        "a;=cmd()",
        "![x](https://x.example) @me #1",
    ]
    runs = {f"{n}.json": result(n, result=f"# {name}\n\nx") for n, name in enumerate(names, 1)}
    labelled = {
        f"{n}.meta.yaml": f"labels: ['{name}']\ntask: '{name}'\n" for n, name in enumerate(names, 1)
    }
    campaigns.write(tmp_path / "runs", {**runs, **labelled})
    build(tmp_path / "runs", tmp_path / "site")
    page.add_init_script(
        "document.addEventListener('copy', () => { window.copied = document.activeElement.value; });"
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
    )
    visit(page, tmp_path / "site", "#columns=name,labels")
    assert column(page, "Labels") == names
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of what is shown").click()
    cells = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    published = list(
        csv.DictReader((tmp_path / "site/data/runs.csv").read_text(encoding="utf-8").splitlines())
    )
    assert [(c["task"], c["labels"]) for c in cells] == [
        (c["task"], c["labels"]) for c in published
    ]
    assert cells[0]["task"] == "'=cmd()"
    assert cells[4]["task"] == "a;'=cmd()"
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="Copy as markdown").click()
    copied = page.evaluate("copied")
    assert r"\<img src=x onerror=alert\(1\)\>" in copied
    assert "`![x](https://x.example)` `@me` `#1`" in copied
    assert r"a\|b\*c\*" in copied


def test_arrows_lead_from_row_to_row_and_enter_opens(page: Page, demo_site: Path) -> None:
    first, second = rows_of(demo_site)[:2]
    visit(page, demo_site)
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "ais-decode · Opus 4.5 · 1"
    page.keyboard.press("ArrowUp")
    assert focused(page) == "filter"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(as_file(demo_site / second["page"]))
    assert first["page"] != second["page"]


def test_the_question_mark_shows_the_keys(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    head(page, "Turns").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys of the table")
    assert dialog.is_visible()
    places = dialog.locator("dt, dd").evaluate_all(
        "each => each.map((e) => [e.tagName, e.getBoundingClientRect().x])"
    )
    assert len({(name, x) for name, x in places}) == 2, (
        "keys stand in one column, what they do in another"
    )
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert focused(page) == "Turns"


def test_slash_opens_the_search_where_no_table_takes_it(browser: Browser, long_site: Path) -> None:
    with browser.new_context() as context:
        tab = context.new_page()
        search = tab.get_by_role("dialog", name="Search")
        visit(tab, long_site)
        tab.keyboard.press("/")
        assert focused(tab) == "filter"
        assert search.count() == 0
        tab.goto(as_file(long_site / "index-2.html"))
        tab.keyboard.press("/")
        search.wait_for()
        tab.route("**/rows.js*", lambda route: route.abort())
        tab.goto(as_file(long_site / "index.html"))
        tab.keyboard.press("/")
        search.wait_for()


def test_all_controls_are_in_the_order_of_tab(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#status=failed")
    page.locator("#filter").focus()
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "(e => e.getAttribute('aria-label') || e.innerText || e.id)(document.activeElement)"
            )
        )
        if reached[-1] == "ais-decode · Sonnet 4.5 · 2":
            break
    wanted = [
        "Clear filters",
        "Columns",
        "Export",
        "Keys",
        "Cost, $, from",
        "Time, min:s, to",
        "Turns",
        "ais-decode · Sonnet 4.5 · 2",
    ]
    positions = [reached.index(name) for name in wanted]
    assert positions == sorted(positions)


@pytest.mark.nightly  # test_site.py looks at each kind of page on every push
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_filtered_table(
    browser: Browser, demo_site: Path, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(color_scheme=scheme) as context:
        tab = context.new_page()
        visit(tab, demo_site, "#sort=-cost_usd,task&status=ok&turns=5..&cost_usd=1..&q=a")
        tab.get_by_role("button", name="Columns").click()
        assert accessibility(tab) == []
        tab.get_by_role("button", name="Keys").click()
        assert accessibility(tab) == []


def test_on_a_phone_the_filters_fold(browser: Browser, demo_site: Path) -> None:
    with browser.new_context(viewport={"width": 320, "height": 640}) as context:
        tab = context.new_page()
        visit(tab, demo_site)
        assert not chip(tab, "Status", "failed").is_visible()
        tab.get_by_role("button", name="Filters").click()
        chip(tab, "Status", "failed").click()
        assert tab.locator("#count").inner_text() == "1 of 30 runs"
        for opener in ("Columns", "Export"):
            tab.get_by_role("button", name=opener).click()
            assert tab.evaluate("document.documentElement.scrollWidth") == 320


def test_the_link_that_skips_leaves_the_view_of_the_table(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#status=failed")
    page.keyboard.press("Tab")
    assert focused(page) == "filter", "a view that was sent is opened at the table"
    page.get_by_role("link", name="Skip to content").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    browsers.comes_to(page, "#status=failed")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    assert page.locator("main").get_attribute("tabindex") is None
    page.reload()
    awake(page)
    assert page.locator("#count").inner_text() == "1 of 30 runs"


def test_a_long_table_is_sorted_and_searched_as_a_whole_with_few_nodes(
    page: Page, long_site: Path
) -> None:
    visit(page, long_site)
    assert page.locator("#count").inner_text() == f"{RUNS} runs"
    assert not page.get_by_role("navigation", name="Pages of the table").is_visible()
    head(page, "Turns").click()
    assert column(page, "Turns")[:3] == ["2,004", "2,000", "1,596"]
    drawn = page.locator("#run-table tbody tr").count()
    assert drawn < 120
    page.locator(".long").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    page.get_by_role("link", name="001", exact=True).wait_for()
    assert column(page, "Turns")[-1] == "4"
    assert page.locator("#run-table tbody tr").count() < 120
    page.locator("#filter").fill("loop 399")
    settle(page)
    assert column(page, "Turns") == ["1,596"]


def test_choosing_a_column_keeps_the_place_in_a_long_table(page: Page, long_site: Path) -> None:
    visit(page, long_site)
    box = page.locator(".long")
    box.evaluate("e => { e.scrollTop = 5000; }")
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="All tokens").check()
    assert box.evaluate("e => e.scrollTop") == pytest.approx(5000, abs=1)
    page.keyboard.press("Escape")
    page.locator("#filter").fill("loop")
    settle(page)
    assert box.evaluate("e => e.scrollTop") == 0


def test_the_focus_survives_scrolling_and_keys_go_on_from_what_is_seen(
    page: Page, long_site: Path
) -> None:
    visit(page, long_site, "#sort=turns")
    page.locator("#filter").focus()
    page.keyboard.press("ArrowDown")
    for _ in range(90):
        page.keyboard.press("ArrowDown")
    assert focused(page) == "091"
    page.locator(".long").evaluate("e => { e.scrollTop = 0; }")
    page.locator(".long:focus").wait_for()
    page.keyboard.press("ArrowDown")
    assert focused(page) == "001"
    page.keyboard.press("Shift+Tab")
    assert focused(page).startswith("Time")


def test_paper_shows_rows_of_a_long_table_and_no_empty_pages(page: Page, long_site: Path) -> None:
    visit(page, long_site)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert len(column(page, "Turns")) == 200
    assert page.locator("#run-table tbody tr").last.inner_text() == f"and {RUNS - 200} runs more"
    assert page.locator("#run-table tbody").evaluate("e => e.offsetHeight") < 10_000
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(column(page, "Turns")) < 120


def test_a_row_of_a_long_table_leads_to_its_run(page: Page, long_site: Path) -> None:
    longest = max(rows_of(long_site), key=lambda run: run["turns"])
    visit(page, long_site, "#sort=-turns")
    page.locator("#run-table tbody a").first.click()
    page.wait_for_url(as_file(long_site / longest["page"]))


def test_back_comes_to_the_row_that_was_left(page: Page, long_site: Path) -> None:
    visit(page, long_site, "#sort=turns")
    page.locator("#filter").focus()
    for _ in range(91):
        page.keyboard.press("ArrowDown")
    left = focused(page), page.locator(".long").evaluate("e => e.scrollTop")
    assert left[0] == "091"
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*.html")
    page.go_back()
    awake(page)
    assert (focused(page), page.locator(".long").evaluate("e => e.scrollTop")) == left


def test_a_window_that_grows_shows_more_rows(page: Page, long_site: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 400})
    visit(page, long_site)
    page.locator(".long").evaluate("e => { e.scrollTop = e.scrollHeight / 2; }")
    page.set_viewport_size({"width": 1280, "height": 3000})
    is_full = """new Promise((done, failed) => {
        setTimeout(failed, 10_000, "rows are missing");
        const look = () => {
            const edges = (all) => [...document.querySelectorAll(all)].map((each) => each.getBoundingClientRect());
            const [box] = edges(".long"), [above, below] = edges(".space");
            if (box.height > 2000 && above.bottom <= box.top + 60 && below.top >= box.bottom - 60) done(true);
            else requestAnimationFrame(look);
        };
        look();
    })"""
    assert page.evaluate(is_full)


@pytest.mark.parametrize("modifier", ["Alt", "Control", "Shift"])
def test_arrows_with_another_key_are_the_browsers(
    page: Page, demo_site: Path, modifier: str
) -> None:
    visit(page, demo_site)
    page.locator("#filter").focus()
    page.keyboard.press("ArrowDown")
    first = focused(page)
    page.keyboard.press(f"{modifier}+ArrowDown")
    assert focused(page) == first
    page.keyboard.press("ArrowDown")
    assert focused(page) != first


@pytest.mark.parametrize(
    ("typed", "state"),
    [("0,5", "0.5.."), ("1,500", "1500.."), ("$1,500.25", "1500.25.."), ("0.5", "0.5..")],
)
def test_a_comma_divides_thousands_or_is_a_decimal_point(
    page: Page, demo_site: Path, typed: str, state: str
) -> None:
    visit(page, demo_site)
    page.get_by_label("Cost, $, from").fill(typed)
    browsers.comes_to(page, f"#cost_usd={state}")


def test_enter_chooses_the_name_that_was_looked_for_and_shows_the_others_again(
    page: Page, tmp_path: Path
) -> None:
    runs = {f"task-{n:02}/a-1.json": result(n) for n in range(12)}
    campaigns.write(tmp_path / "runs", runs)
    config = {"inputs": [{"path": "runs", "pattern": "{task}/*-{attempt}.json"}], "output": "site"}
    (tmp_path / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    assert sitegen("build", "-q", "-c", "config.yaml", cwd=tmp_path).returncode == 0
    visit(page, tmp_path / "site")
    page.get_by_label("Find in Task").fill("-11")
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text() == "1 of 12 runs"
    page.keyboard.type("-10")
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text() == "2 of 12 runs"


def test_colours_of_the_readers_own_show_which_names_are_chosen(
    browser: Browser, demo_site: Path
) -> None:
    with browser.new_context(forced_colors="active") as context:
        tab = context.new_page()
        visit(tab, demo_site, "#status=failed")
        look = "e => { const s = getComputedStyle(e); return s.borderWidth + s.borderColor + s.outlineStyle; }"
        chosen, other = (
            chip(tab, "Status", name).evaluate(look) for name in ("failed", "completed")
        )
        assert chosen != other


def test_paper_says_what_is_filtered_by(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#status=failed&cost_usd=0.1..")
    page.emulate_media(media="print")
    assert page.locator("#facets").inner_text().split() == [
        "Status",
        "failed",
        "1",
        "Cost,",
        "$",
        "to",
    ]
    assert page.get_by_label("Cost, $, from").input_value() == "0.1"


def test_paper_has_the_text_and_the_ranges_that_are_filtered_by(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site, "#q=tide&turns=20..")
    page.emulate_media(media="print")
    assert page.locator("#filter").is_visible()
    assert page.locator("#filter").input_value() == "tide"
    assert page.locator("#facets").inner_text().split() == ["Turns", "from", "20"]
    assert page.locator("#count:visible, #choose:visible, .seek kbd:visible").count() == 0
    page.locator("#filter").fill("")
    assert not page.locator("#tools").is_visible()


def test_an_order_that_no_head_shows_is_said_and_taken_away(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#sort=-cost_usd,task&columns=name,model,turns")
    before = column(page, "Run")
    page.get_by_role("button", name="Remove: sorted by Task").click()
    assert page.locator("#further button").all_inner_texts() == ["sorted by Cost, $\n×"]
    page.get_by_role("button", name="Remove: sorted by Cost").click()
    assert page.locator("#further button").count() == 0
    assert column(page, "Run") != before
    assert "sort" not in page.url


def test_a_filter_that_the_page_has_no_field_for_is_said_and_taken_away(
    page: Page, demo_site: Path
) -> None:
    (task,) = (demo_site / "tasks").glob("log-search-*.html")
    page.goto(as_file(task) + "#task=tide-curve")
    awake(page)
    assert page.locator("#count").inner_text() == "0 of 6 runs"
    page.get_by_role("button", name="Remove: Task: tide-curve").click()
    assert page.locator("#count").inner_text() == "6 runs"
    page.goto(as_file(task) + "#task=")
    page.get_by_role("button", name="Remove: Task: no task").wait_for()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.locator("#further button").is_visible(), (
        "also where the other filters are folded away"
    )
    assert not page.get_by_role("group", name="Status").is_visible()


def test_a_group_has_the_same_table_of_its_own_runs(page: Page, demo_site: Path) -> None:
    (task,) = (demo_site / "tasks").glob("log-search-*.html")
    page.goto(as_file(task) + "#sort=-cost_usd&model=Claude+Opus+4.5")
    awake(page)
    assert column(page, "Run") == [
        "log-search · Opus 4.5 · 3",
        "log-search · Opus 4.5 · 2",
        "log-search · Opus 4.5 · 1",
    ]
    assert page.get_by_role("group", name="Task", exact=True).count() == 0, (
        "all runs are of one task"
    )
    page.locator("#run-table tbody a").first.click()
    page.wait_for_url("**/runs/*.html")


def test_other_scripts_read_the_rows_filter_and_hear_what_is_shown(
    page: Page, demo_site: Path
) -> None:
    page.add_init_script(
        "document.addEventListener('sitegen:shown', ({ detail: { positions, total } }) => {"
        "  window.shown = [positions.length, total]; });"
    )
    visit(page, demo_site)
    assert page.evaluate("shown") == [30, 30]
    runs = rows_of(demo_site)
    given = page.evaluate(
        "sitegenTable.rows.then(({ ids, columns }) => ({ ids, columns: { ...columns } }))"
    )
    assert given["ids"] == [run["id"] for run in runs]
    for key in (
        "cost_usd",
        "total_tokens",
        "model",
        "outcome",
        "labels",
        "status_detail",
        "started_at",
        "wall_ms",
    ):
        if key in given["columns"]:
            assert given["columns"][key] == [pytest.approx(run[key]) for run in runs], key
    assert {"cost_usd", "total_tokens", "model", "outcome", "status_detail"} <= set(
        given["columns"]
    )
    page.evaluate("sitegenTable.filter({ model: ['Claude Opus 4.5'], cost_usd: [0.5, 2] })")
    assert page.evaluate("sitegenTable.state()") == {
        "model": ["Claude Opus 4.5"],
        "cost_usd": [0.5, 2],
    }
    wanted = [
        r for r in runs if r["model"] == "Claude Opus 4.5" and 0.495 <= (r["cost_usd"] or 0) < 2.005
    ]
    assert page.evaluate("shown") == [len(wanted), 30]
    page.evaluate("sitegenTable.filter({ model: null, cost_usd: null })")
    assert page.evaluate("shown") == [30, 30]


def test_previous_and_next_follow_the_view_that_one_came_from(page: Page, demo_site: Path) -> None:
    visit(page, demo_site, "#sort=-cost_usd&model=Claude+Sonnet+4.5")
    names = page.locator("#run-table tbody a").all_inner_texts()
    page.locator("#run-table tbody a").nth(1).click()
    page.locator(
        ".head .step", has_text="of 15"
    ).wait_for()  # a click does not wait for the scripts of the next page
    step = page.locator(".head .step")
    assert step.inner_text().split("\n") == [
        f"‹ Previous: {names[0]} k",
        "2 of 15",
        f"j Next: {names[2]} ›",
    ]
    for key, name, said in (
        ("j", names[2], "3 of 15"),
        ("k", names[1], "2 of 15"),
        ("k", names[0], "1 of 15"),
    ):
        page.keyboard.press(key)
        page.locator("h1", has_text=name).wait_for()
        step.get_by_text(said, exact=True).wait_for()
    assert step.inner_text().startswith("first run")
    page.go_back()
    page.locator("h1", has_text=names[1]).wait_for()
    step.get_by_text("2 of 15").click()
    awake(page)
    assert page.locator("#count").inner_text() == "15 of 30 runs"
    page.goto(page.locator("#run-table tbody a").nth(4).evaluate("(link) => link.href"))
    assert " of 15" not in step.inner_text(), "who did not come from the table is in no view"


def test_another_view_begins_at_its_first_row_and_back_where_one_was(
    page: Page, long_site: Path
) -> None:
    visit(page, long_site)
    box = page.locator(".scroll.long")
    box.evaluate("(box) => { box.scrollTop = 3000; }")
    page.evaluate("location.hash = 'sort=-cost_usd'")
    page.wait_for_function("document.querySelector('[aria-sort]')")
    assert box.evaluate("(box) => box.scrollTop") == 0
    box.evaluate("(box) => { box.scrollTop = 2000; }")
    page.evaluate("document.querySelector('#run-table thead button').click()")
    assert box.evaluate("(box) => box.scrollTop") == 0
    page.go_back()
    assert box.evaluate("(box) => box.scrollTop") == 2000


def test_the_matrix_is_one_stop_of_tab_and_chooses_runs_for_the_table(
    page: Page, demo_site: Path
) -> None:
    visit(page, demo_site)
    marks, tip = page.locator(".matrix .plot > a"), page.locator(".tip", has_text="Opus 4.5 · 3")
    stops = ".matrix .plot > a:not([tabindex='-1'])"
    page.wait_for_function("(stops) => document.querySelectorAll(stops).length === 1", arg=stops)
    page.locator(stops).focus()
    page.locator(".tip").last.wait_for(state="attached")
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert "fail, $0.86, 20 turns\n17 of 214 tests fail" in tip.inner_text()
    page.evaluate("() => new Promise(requestAnimationFrame)")  # the focus may have scrolled
    assert tip.is_visible()
    assert page.locator(stops).count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    browsers.comes_to(page, "#task=ais-decode&model=Claude+Sonnet+4.5")
    assert page.locator("#count").inner_text() == "3 of 30 runs"
    page.locator("#clear").click()
    page.locator("#worked").scroll_into_view_if_needed()
    marks.nth(2).scroll_into_view_if_needed()
    first, last = (marks.nth(at).locator(".sign").bounding_box() for at in (1, 2))
    assert first and last
    page.mouse.move(first["x"] - 8, first["y"] - 4)
    page.mouse.down()
    page.mouse.move(last["x"] + 20, last["y"] + 20, steps=4)
    page.mouse.up()
    page.locator("#count", has_text="2 of 30 runs").wait_for()
    assert "cost_usd=0.53256425..0.86363375" in page.url, "the first attempt cost more"


TILES = "[...document.querySelectorAll('[data-figure] dd, .leaders td')].map((each) => each.textContent)"
BASE = " of all 30 runs"


def line_of(runs: list[dict[str, Any]], money: figures.FigureFormat) -> str:
    """The line above the table, as Python computes and writes it."""
    costs = [run["cost_usd"] for run in runs if run["cost_usd"] is not None]
    times = [run["wall_ms"] for run in runs if run["wall_ms"] is not None]
    judged = [run for run in runs if run["outcome"] in ("pass", "fail", "partial")]
    passed = sum(run["outcome"] == "pass" for run in judged)
    marks = ["+" if len(known) < len(runs) else "" for known in (costs, times)]
    return " · ".join(
        [
            figures.plural(len(runs), "run"),
            *([f"passed {passed} of {len(judged)} judged"] if judged else []),
            f"cost ${money.write(math.fsum(costs))}{marks[0]}, median ${money.write(median(costs))}",
            f"time {figures.clock_total(math.fsum(times))}{marks[1]}, median {figures.clock(median(times))}",
        ]
    )


@pytest.mark.parametrize(
    ("key", "chosen"),
    [("model", ["Claude Sonnet 4.5"]), ("outcome", ["fail"]), ("status", ["failed", "stopped"])],
)
def test_a_line_above_the_table_has_what_is_shown_as_python_computes_it(
    page: Page, demo_site: Path, key: str, chosen: list[str]
) -> None:
    runs = rows_of(demo_site)
    money = figures.money_column(run["cost_usd"] for run in runs)
    visit(page, demo_site)
    sums = page.locator("#sums")
    assert sums.inner_text() == "", "the figures above have it"
    page.evaluate("(choice) => sitegenTable.filter(choice)", {key: chosen})
    page.locator("#clear").wait_for()
    shown = [run for run in runs if run[key] in chosen]
    assert 0 < len(shown) < len(runs)
    assert sums.inner_text() == line_of(shown, money)
    sides = page.locator("#sums-by")
    sides.locator("summary").click()
    sides.locator("li").first.wait_for()
    by_side = by_key(shown, lambda run: run["configuration"] or run["model"])
    lines = {f"{name}: {line_of(own, money)}" for name, own in by_side.items()}
    assert set(sides.locator("li").all_inner_texts()) == lines
    page.locator("#clear").click()
    page.wait_for_function("() => !location.hash")
    assert sums.inner_text() == "" and not sides.is_visible()


def test_figures_under_a_filter_say_that_they_are_of_all_runs(page: Page, demo_site: Path) -> None:
    visit(page, demo_site)
    whole = page.evaluate(TILES)
    bases = page.locator("[data-all]")
    chip(page, "Model", "Claude Sonnet 4.5").click()
    page.locator("#leaderboard .base").wait_for()
    assert page.evaluate(TILES) == whole, "the script computes none of them"
    texts = bases.all_inner_texts()
    assert len(texts) > 10 and all(BASE.strip() in text for text in texts), texts
    assert page.locator(".headline").inner_text().endswith(BASE)
    assert page.locator(".matrix .plot > a.out").count() == 15
    page.locator("#clear").click()
    page.locator(".base").first.wait_for(state="detached")
    assert not any(BASE in text for text in bases.all_inner_texts())
    assert not page.locator(".matrix .plot > a.out").count()


def test_the_plain_table_stands_when_its_rows_do_not_come(
    browser: Browser, demo_site: Path
) -> None:
    with browser.new_context() as context:
        tab = context.new_page()
        tab.route("**/rows.js*", lambda route: route.abort())
        tab.goto(as_file(demo_site / "index.html"))
        tab.locator(".controls:visible").first.wait_for(state="detached")
        assert len(column(tab, "Run")) == 30
        tab.locator("#run-table tbody a").first.click()
        tab.wait_for_url("**/runs/*.html")


LATE = "**/rows-further.js*"


def test_an_address_that_names_a_column_that_comes_late_waits_for_it(
    page: Page, demo_site: Path
) -> None:
    wanted = sorted((run["api_ms"] for run in rows_of(demo_site) if run["api_ms"]), reverse=True)
    visit(page, demo_site, f"#sort=-api_ms&columns=name,api_ms,total_tokens&api_ms={wanted[4]}..")
    assert column(page, "API time") == [figures.clock(each) for each in wanted[:5]]
    assert page.locator("#said").inner_text() == ""


def test_what_needs_a_column_that_comes_late_waits_and_the_rest_does_not(
    page: Page, demo_site: Path
) -> None:
    held: list[Route] = []
    page.route(LATE, lambda route: held.append(route))
    visit(page, demo_site)
    page.locator("script[src*=further]").wait_for(state="attached")
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="All tokens").check()
    page.get_by_text("Loading columns").wait_for()
    assert "All tokens, k" not in heads(page)
    page.keyboard.press("Escape")
    page.evaluate("sitegenTable.filter({ status: ['failed'], columns: null })")
    assert page.locator("#count").inner_text() == "1 of 30 runs", (
        "a step that needs none does not wait"
    )
    page.evaluate(
        "void sitegenTable.filter({ sort: ['-total_tokens'], columns: ['name', 'total_tokens'] })"
    )
    held[0].continue_()
    page.get_by_role("columnheader", name="All tokens").wait_for()
    assert len(column(page, "All tokens")) == 1
    assert page.locator("#said").inner_text() == ""
    page.go_back()
    page.get_by_role("columnheader", name="Cost, $").wait_for()


@pytest.mark.parametrize("answer", ["nothing", "another build"])
def test_columns_that_cannot_be_loaded_are_named_and_all_else_works(
    browser: Browser, demo_site: Path, answer: str
) -> None:
    def serve(route: Route) -> None:
        if answer == "nothing":
            route.abort()
        else:
            route.fulfill(
                body='window.sitegenFurtherRows={"version":"0"};', content_type="text/javascript"
            )

    with browser.new_context(accept_downloads=True) as context:
        tab = context.new_page()
        tab.route(LATE, serve)
        visit(tab, demo_site, "#sort=-api_ms,turns&columns=name,turns,total_tokens&api_ms=1..")
        said = tab.locator("#said")
        assert said.inner_text() == "Not loaded, and left out: API time, min:s; All tokens, k"
        assert heads(tab) == ["Run", "Turns"]
        turns = [number(text) or 0 for text in column(tab, "Turns")[:-1]]
        assert turns == sorted(turns), "the sort that is left"
        assert tab.locator("#count").inner_text() == "30 runs"
        tab.get_by_role("button", name="Export").click()
        tab.get_by_role("button", name="CSV of what is shown").click()
        tab.get_by_text("Nothing saved: not all columns could be loaded").wait_for()
        known = tab.evaluate("sitegenTable.rows.then(({ columns }) => Object.keys(columns))")
        assert "cost_usd" in known
        assert not {"api_ms", "total_tokens"} & set(known)
        tab.evaluate("sitegenTable.filter({ sort: null, columns: null, api_ms: null })")
        assert ("Cost, $" in heads(tab), said.inner_text()) == (True, "")
        tab.unroute(LATE)
        if answer == "nothing":  # it is asked for again when it is needed again
            head(tab, "Turns").click()
            tab.go_back()
            tab.evaluate("sitegenTable.filter({ columns: ['name', 'total_tokens'] })")
            tab.get_by_role("columnheader", name="All tokens").wait_for()
            assert foot(tab)[1] != ""


def test_the_scripts_of_rows_are_asked_for_by_their_version(tmp_path: Path) -> None:
    addresses = []
    for turns in (3, 4):
        campaigns.write(tmp_path / f"runs{turns}", {"a.json": result(1, num_turns=turns)})
        page = (
            build(tmp_path / f"runs{turns}", tmp_path / f"site{turns}") / "index.html"
        ).read_text(encoding="utf-8")
        addresses.append(re.findall(r'data-(?:rows|further)="([^"]*)"', page))
    assert [re.sub(r"\?v=[0-9a-f]{8}$", "", each) for each in addresses[0]] == [
        "data/rows.js",
        "data/rows-further.js",
    ]
    assert not set(addresses[0]) & set(addresses[1])


def test_the_table_works_where_storage_is_refused(page: Page, demo_site: Path) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } });"
    )
    visit(page, demo_site)
    chip(page, "Status", "failed").click()
    assert page.locator("#count").inner_text() == "1 of 30 runs"


def test_an_index_of_many_runs_weighs_little(long_site: Path) -> None:
    assert (long_site / "index.html").stat().st_size < 230_000


@pytest.mark.parametrize(
    ("pages", "position", "linked"),
    [
        (3, 1, [1, 2, 3]),
        (24, 0, [*range(1, 25)]),
        (100, 0, [1, 2, 3, 4, *range(8, 100, 7), 100]),
        (100, 52, [*range(1, 50, 7), *range(50, 57), *range(57, 100, 7), 100]),
        (100, 99, [*range(1, 97, 7), 97, 98, 99, 100]),
    ],
)
def test_a_page_of_a_table_links_to_its_neighbours_and_to_some_far_away(
    monkeypatch: pytest.MonkeyPatch, pages: int, position: int, linked: list[int]
) -> None:
    monkeypatch.setattr(run_table, "ROWS_PER_PAGE", 1)
    entries = [ENTRY(number, pages) for number in range(pages)]
    table = run_table.RunTable(entries, summarize(entries), "index", "data/rows")
    assert [int(link.text) for link in table.page(position).pages] == linked


def test_ten_thousand_rows_weigh_little() -> None:
    runs = 10_000
    entries = [ENTRY(number, runs) for number in range(runs)]
    scripts = {
        each.path: each.content
        for each in run_table.RunTable(entries, summarize(entries), "index", "data/rows").scripts()
    }
    weights = {path: len(gzip.compress(script, mtime=0)) / runs for path, script in scripts.items()}
    assert sum(weights.values()) <= 60
    assert len(scripts["data/rows.js"]) <= 80 * runs, "what the table waits for"
