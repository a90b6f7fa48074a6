"""The demo site in Firefox, from file://: every page without a message, and what a reader does on them.

Chromium is asked for all else; here is what an engine of its own may do otherwise. See docs/contributing/browsers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.test_table_script import rows_of
from tests.conftest import missing
from tests.support import audit
from tests.support.browsers import NoBrowser, as_file
from tests.support.firefox import Firefox, firefox
from tests.support.site_checks import kinds, pages

COUNT = "#count"
FIRST = "#run-table tbody tr:not(.widest, .space) a"


@pytest.fixture(scope="module")
def running() -> Iterator[Firefox]:
    """A Firefox without a window."""
    try:
        with firefox() as browser:
            yield browser
    except NoBrowser as reason:
        missing(str(reason))


@pytest.fixture
def browser(running: Firefox) -> Iterator[Firefox]:
    """The same, whose console must stay empty and which must ask for nothing outside of the folder."""
    running.findings()  # those of earlier tests
    yield running
    assert running.findings() == []


def text(browser: Firefox, selector: str) -> str:
    """What is read there."""
    found: str = browser.run(
        "return document.querySelector(arguments[0]).innerText.trim()", selector
    )
    return found


def comes_to_say(browser: Firefox, selector: str, words: str) -> None:
    """Wait until this is read there."""
    browser.until(
        "return document.querySelector(arguments[0])?.innerText.trim() === arguments[1]",
        selector,
        words,
    )


def comes_to(browser: Firefox, end: str) -> None:
    """Wait until the address ends so."""
    browser.until(
        "return document.readyState === 'complete' && location.href.endsWith(arguments[0])", end
    )


def visit_index(browser: Firefox, site: Path) -> None:
    """Open the index and wait until its table is alive."""
    browser.open("about:blank")
    browser.open(as_file(site / "index.html"))
    browser.until("return document.querySelector('#facets:not([inert])')")


@pytest.mark.nightly
def test_no_page_says_anything_in_the_console_or_loads_what_it_should_not(
    demo_site: Path, shared: Path, running: Firefox, sample: Callable[[list[Path], int], list[Path]]
) -> None:
    """A page of each kind, and some more."""
    looked_at = sorted({*kinds(demo_site).values(), *sample(pages(demo_site), 8)})
    opened, findings = audit.in_firefox(running, demo_site, audit.check_of(shared), looked_at)
    assert findings == []
    assert opened == len(looked_at) > 15


def test_the_table_sorts_filters_and_keeps_its_view_in_the_address(
    browser: Firefox, demo_site: Path
) -> None:
    runs = rows_of(demo_site)
    dearest = max(runs, key=lambda run: run["cost_usd"] or 0)
    opus = [run for run in runs if run["model"] == "Claude Opus 4.5"]
    failed = [run for run in opus if run["outcome"] == "fail"]
    visit_index(browser, demo_site)
    comes_to_say(browser, COUNT, f"{len(runs)} runs")
    browser.click("#run-table th button", "Cost")
    browser.until(
        "return document.querySelector(arguments[0]).href.endsWith(arguments[1])",
        FIRST,
        dearest["page"],
    )
    browser.click("[data-facet=model] button", "Opus")
    comes_to_say(browser, COUNT, f"{len(opus)} of {len(runs)} runs")
    browser.click("[data-facet=outcome] button", "fail")
    comes_to_say(browser, COUNT, f"{len(failed)} of {len(runs)} runs")
    comes_to(browser, "#sort=-cost_usd&model=Claude+Opus+4.5&outcome=fail")
    browser.run("history.back()")
    comes_to_say(browser, COUNT, f"{len(opus)} of {len(runs)} runs")
    browser.press("/", *"zzz")
    comes_to_say(browser, COUNT, f"0 of {len(runs)} runs")
    browser.press("Escape")
    comes_to_say(browser, COUNT, f"{len(opus)} of {len(runs)} runs")
    browser.press("ArrowDown")
    address = browser.until(
        "return document.activeElement.closest('#run-table') && document.activeElement.href"
    )
    browser.press("Enter")
    comes_to(browser, address)


@pytest.mark.nightly
def test_search_finds_words_of_summaries_from_every_page(browser: Firefox, demo_site: Path) -> None:
    browser.open(as_file(demo_site / "about.html"))
    browser.press("/")
    browser.until("return document.querySelector('dialog[open] input') === document.activeElement")
    browser.press(*"batch")
    found = browser.until(
        "return [...document.querySelectorAll('dialog .hits mark')].map((mark) => mark.innerText)"
    )
    assert all(word.lower().startswith("batch") for word in found)
    address = browser.run("return document.querySelector('dialog .hits a').href")
    browser.press("Enter")
    comes_to(browser, address)


def test_charts_come_alive_and_filter_the_table(browser: Firefox, demo_site: Path) -> None:
    visit_index(browser, demo_site)
    everything = text(browser, COUNT)
    where = browser.until(
        """const chart = document.querySelector("#cost-by-turns .chart-box");
        chart.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = chart.getBoundingClientRect();
        return [[0.3, 0.1], [0.9, 0.8]].map(([right, down]) => [x + right * width, y + down * height].map(Math.round));
        """
    )
    browser.drag(where[0], where[0])  # the pointer comes
    browser.until("return document.querySelector('#cost-by-turns .live svg')")
    browser.drag(*where)
    browser.until(
        "return document.querySelector(arguments[0]).innerText !== arguments[1]", COUNT, everything
    )
    shown = text(browser, COUNT)
    assert 0 < int(shown.split()[0]) < len(rows_of(demo_site))
    browser.until("return location.hash.includes('cost_usd=') && location.hash.includes('turns=')")


@pytest.mark.nightly
def test_an_address_with_a_text_leads_to_it(browser: Firefox, demo_site: Path) -> None:
    page = min((demo_site / "runs").iterdir())
    for _ in range(
        3
    ):  # where the page was hidden when the text was looked for, it was a matter of luck
        browser.open("about:blank")
        browser.open(f"{as_file(page)}#:~:text=Session")
        browser.until("return scrollY > 0")
