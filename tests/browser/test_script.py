"""What script adds to every page, read as its user would: keys, a remembered colour scheme, folds on paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_j_and_k_lead_to_the_next_and_the_previous_run(page: Page, demo_site: Path) -> None:
    first, second = json.loads((demo_site / "data" / "runs.json").read_text(encoding="utf-8"))[
        "runs"
    ][:2]
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
    assert (
        button.get_attribute("aria-label")
        == button.get_attribute("title")
        == "Colour scheme: dark. Change"
    )
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark


def test_the_button_of_the_colour_scheme_has_its_place_from_the_start(
    browser: Browser, demo_site: Path
) -> None:
    """Also before the document is read to its end, when only then the button works: else its neighbours would move."""
    index, place = (
        (demo_site / "index.html").as_uri(),
        "document.querySelector('.bar nav').getBoundingClientRect().x",
    )
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(index)
        settled = page.evaluate(place)
        page.add_init_script(
            "addEventListener('DOMContentLoaded', (event) => event.stopImmediatePropagation())"
        )
        page.reload()
        assert page.locator("#scheme").get_attribute("aria-label") is None
        assert page.evaluate(place) == settled
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(index)
        assert page.locator("#scheme").is_hidden()


def test_paper_is_light_whatever_was_chosen(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    light = background(page)
    button = page.get_by_role("button", name="Colour scheme")
    button.click()
    page.emulate_media(media="print")
    assert background(page) == light


def test_printing_opens_every_fold_and_closes_it_again(page: Page, demo_site: Path) -> None:
    page.goto((demo_site / "index.html").as_uri())
    closed = "document.querySelectorAll('details:not([open], .share)').length"
    before = page.evaluate(closed)
    assert before > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(closed) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(closed) == before
