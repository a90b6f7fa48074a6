"""What script adds to a page, read as its user would: sorted tables, keys, a remembered colour scheme."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import campaigns
from tests.campaigns import OPUS, SONNET, result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
RUNS = 401


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a fresh context, which must stay free of errors and refusals."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose table goes on over three pages; two runs report no cost."""
    folder = tmp_path_factory.mktemp("long")
    runs = {f"{n:03}.json": result(n, SONNET if n % 2 else OPUS) for n in range(1, RUNS - 1)}
    runs["002.json"] |= {"duration_ms": 2_500, "total_cost_usd": 0.125}  # figures that lie between two
    unknown = {f"x{n}.json": result(n, total_cost_usd=None, modelUsage=None, usage=None) for n in (500, 501)}
    campaigns.write(folder / "runs", {**runs, **unknown})
    command = [sys.executable, "-m", "sitegen", "build", "-q", str(folder / "runs"), "-o", str(folder / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert built.returncode == 0, built.stderr
    return folder / "site"


def column(page: Page, label: str) -> list[str]:
    """The visible cells of a column of the table of runs, from top to bottom."""
    heads = [head.strip() for head in page.locator("#run-table thead tr > *").all_inner_texts()]
    position = next(i for i, head in enumerate(heads) if head.startswith(label))
    cells = page.locator(f"#run-table tbody tr > :nth-child({position + 1})")
    return [text.strip() for text in cells.all_inner_texts()]


def number(text: str) -> float | None:
    """A cell as a number; None for a dash."""
    return None if text == "–" else float(text.replace(",", ""))


def test_a_click_sorts_by_a_column_and_a_second_one_turns_it(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    unsorted = column(page, "Cost")
    head = page.get_by_role("columnheader", name="Cost, $")
    head.get_by_role("button").click()
    costs = [number(text) for text in column(page, "Cost")]
    known = [cost for cost in costs if cost is not None]
    assert known == sorted(known, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    turned = [number(text) for text in column(page, "Cost")]
    assert [cost for cost in turned if cost is not None] == sorted(known)
    assert head.get_attribute("aria-sort") == "ascending"
    assert sorted(column(page, "Cost")) == sorted(unsorted)


def test_unknown_values_stay_last_in_both_directions(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    button = page.get_by_role("columnheader", name="Cost, $").get_by_role("button")
    for _ in range(2):
        button.click()
        costs = column(page, "Cost")
        unknown = costs.count("–")
        assert unknown == 2
        assert costs[-unknown:] == ["–"] * unknown


def test_text_columns_sort_from_a_and_keep_rows_together(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    before = set(zip(column(page, "Task"), column(page, "Model"), column(page, "Cost"), strict=True))
    page.get_by_role("columnheader", name="Model").get_by_role("button").click()
    models = column(page, "Model")
    assert models == sorted(models, key=str.lower)
    assert set(zip(column(page, "Task"), models, column(page, "Cost"), strict=True)) == before


def test_a_long_table_is_sorted_as_a_whole_and_paged_in_place(page: Page, long_site: Path) -> None:
    page.goto((long_site / "index.html").as_uri())
    page.get_by_role("columnheader", name="Turns").get_by_role("button").click()
    page.wait_for_selector("th[aria-sort]")
    assert column(page, "Turns")[:3] == ["2,004", "2,000", "1,596"]
    assert page.locator("#count").inner_text() == f"Runs 1 to 200 of {RUNS}"
    page.get_by_role("button", name="Next →").click()
    page.get_by_role("button", name="Next →").click()
    assert column(page, "Turns") == ["4"]
    assert page.get_by_role("button", name="Next →").is_disabled()


def test_a_long_table_writes_figures_as_its_plain_pages_do(page: Page, long_site: Path) -> None:
    page.goto((long_site / "index.html").as_uri())
    labels = ("Run", "Model", "Status", "Cost", "Output", "Cache reads", "Turns", "Time")
    plain = list(zip(*(column(page, label) for label in labels), strict=True))
    page.get_by_role("columnheader", name="Run").get_by_role("button").click()
    page.wait_for_selector("th[aria-sort]")
    assert list(zip(*(column(page, label) for label in labels), strict=True)) == plain


def test_a_row_of_a_long_table_leads_to_its_run(page: Page, long_site: Path) -> None:
    page.goto((long_site / "index.html").as_uri())
    page.get_by_role("columnheader", name="Turns").get_by_role("button").click()
    page.wait_for_selector("th[aria-sort]")
    page.locator("#run-table tbody tr a").first.click()
    runs = json.loads((long_site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    longest = max(runs, key=lambda run: run["turns"])
    assert page.url == (long_site / longest["page"]).as_uri()


def test_j_and_k_lead_to_the_next_and_the_previous_run(page: Page, demo_site: Path) -> None:
    first, second = json.loads((demo_site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"][:2]
    page.goto((demo_site / first["page"]).as_uri())
    page.keyboard.press("j")
    page.wait_for_url((demo_site / second["page"]).as_uri())
    page.keyboard.press("k")
    page.wait_for_url((demo_site / first["page"]).as_uri())


def background(page: Page) -> str:
    """The colour behind everything."""
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def test_the_colour_scheme_is_chosen_remembered_and_said(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    button = page.get_by_role("button", name="Colour scheme")
    light = background(page)
    button.click()  # from the system's, which is light, to dark
    assert button.get_attribute("aria-label") == "Colour scheme: dark. Change"
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark


def test_paper_is_light_whatever_was_chosen(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    light = background(page)
    button = page.get_by_role("button", name="Colour scheme")
    button.click()
    page.emulate_media(media="print")
    assert background(page) == light


def test_printing_opens_every_fold_and_closes_it_again(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    closed = "document.querySelectorAll('details:not([open])').length"
    before = page.evaluate(closed)
    assert before > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(closed) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(closed) == before
