"""Runs that a reader judges: kept in the browser, saved as a file, read by the next build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import campaigns
from tests.support.browsers import as_file
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("a", "b", "c")
REFUSED = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } });"
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of three runs."""
    folder = tmp_path / "runs"
    campaigns.write(folder, {f"{name}.json": result(n) for n, name in enumerate(NAMES, 1)})
    return folder


def built(runs: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The site of these runs, and the runs as its data have them."""
    site = runs.parent / "site"
    done = sitegen("build", "-q", "--no-config", runs, "-o", site)
    assert done.returncode == 0, done.stderr
    return site, runs_of(site)


def runs_of(site: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(
        (site / "data" / "runs.json").read_text(encoding="utf-8")
    )["runs"]
    return sorted(read, key=lambda run: run["path"])


def counter(page: Page) -> str:
    return page.locator(".judged [role=status]").inner_text()


def test_what_was_judged_by_hand_is_in_the_next_build(page: Page, runs: Path) -> None:
    site, (first, second, _) = built(runs)
    page.goto(as_file(site / "index.html"))
    page.locator("#judge").click()
    row = page.get_by_role("group", name=f"Your verdict on {first['name']}", exact=True)
    row.get_by_role("button", name="pass").click()
    row.get_by_role("textbox").fill("-2 is fine; =so is this; \uff1dtoo")
    assert counter(page) == "1 judged here, not in the site"

    page.goto(as_file(site / second["page"]))
    page.keyboard.press("2")
    page.get_by_role("textbox", name="Note").fill("half of it")
    assert counter(page) == "2 judged here, not in the site"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == "outcomes.csv"
    download.value.save_as(runs / "outcomes.csv")

    site, (first, second, third) = built(runs)
    said = [(run["outcome"], run["note"]) for run in (first, second, third)]
    assert said == [
        ("pass", "-2 is fine; =so is this; \uff1dtoo"),
        ("partial", "half of it"),
        (None, None),
    ]
    page.goto(as_file(site / "index.html"))
    page.locator(".judged").wait_for()
    page.wait_for_function(
        "document.querySelector('.judged').textContent.startsWith('2 judged here, all in the site')"
    )
    assert page.locator(".yours:not(:empty)").count() == 0
    page.locator("#judge").click()
    row.get_by_role("button", name="fail").click()
    assert page.locator(".yours:not(:empty)").all_inner_texts() == ["yours: fail"], (
        "the site says that it passed"
    )
    row.get_by_role("button", name="pass").click()
    assert page.locator(".yours:not(:empty)").count() == 0

    page.goto(as_file(site / second["page"]))
    page.keyboard.press("0")
    assert counter(page) == "1 judged here, all in the site"


def test_a_table_that_an_agent_may_have_left_ranks_below_what_others_state(
    tmp_path: Path, runs: Path
) -> None:
    _, read = built(runs)
    ids = [run["id"] for run in read]
    (runs / "left.csv").write_text(
        "id,outcome,note\n" + "".join(f"{each},pass,\n" for each in ids), encoding="utf-8"
    )
    (runs / "a.meta.json").write_text(
        '{"outcome": "fail", "note": "2 tests red"}', encoding="utf-8"
    )
    (tmp_path / "harness.csv").write_text("path,outcome\nb.json,fail\n", encoding="utf-8")
    config = tmp_path / "config.yaml"
    config.write_text("inputs: [runs]\noutput: site\noutcomes: [harness.csv]\n", encoding="utf-8")
    done = sitegen("build", "-q", "--config", config)
    assert done.returncode == 0, done.stderr
    assert [run["outcome"] for run in runs_of(tmp_path / "site")] == ["fail", "fail", "pass"]
    problems = json.loads(
        (tmp_path / "site" / "data" / "problems.json").read_text(encoding="utf-8")
    )["problems"]
    assert [problem["code"] for problem in problems] == ["W_OUTCOME_CONFLICT"] * 2


def test_it_works_where_storage_is_refused_and_says_what_is_lost(page: Page, runs: Path) -> None:
    page.add_init_script(REFUSED)
    site, (_, second, _) = built(runs)
    page.goto(as_file(site / "index.html"))
    page.locator("#judge").click()
    for outcome in ("pass", "fail", "fail"):  # the last one takes it away
        row = page.get_by_role("group", name=f"Your verdict on {second['name']}", exact=True)
        row.get_by_role("button", name=outcome).click()
    page.locator("#run-table tbody a").nth(2).focus()
    page.keyboard.press("3")
    page.keyboard.press("Control+0")  # the browser's
    assert (
        counter(page)
        == "1 judged here, not in the site; this browser loses them when you leave the page"
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    assert (
        Path(download.value.path()).read_text(encoding="utf-8").splitlines()[1].endswith(",fail,")
    )


def test_what_other_pages_left_in_the_storage_is_taken_only_where_it_makes_sense(
    page: Page, runs: Path
) -> None:
    site, (first, _, _) = built(runs)
    site = site.rename(
        site.with_name("v-0123456789ab")
    )  # a version of a site at an address: the next has them too
    root = as_file(site.parent) + "/"
    kept = {
        first["id"]: {"outcome": "pass", "note": "<img src=x onerror=alert(1)>"},
        "x": {"outcome": "won"},
        "y": 1,
    }
    page.goto(as_file(site / "about.html"))
    page.evaluate(
        "([place, kept]) => localStorage.setItem(place, kept)",
        [f"sitegen-judged:{root}", json.dumps(kept)],
    )
    page.goto(as_file(site / first["page"]))
    assert counter(page) == "1 judged here, not in the site"
    assert page.get_by_role("textbox", name="Note").input_value() == kept[first["id"]]["note"]  # type: ignore[index]
    page.evaluate("([place]) => localStorage.setItem(place, '{{')", [f"sitegen-judged:{root}"])
    page.goto(as_file(site / first["page"]))
    page.get_by_role("button", name="pass").wait_for()


def test_names_and_notes_stay_whole_while_runs_are_judged(page: Page, demo_site: Path) -> None:
    page.goto(as_file(demo_site / "index.html"))
    page.click("#judge")
    page.locator(".judging button").first.click()
    heights = page.locator("#run-table tbody a").evaluate_all(
        "all => all.map((link) => link.offsetHeight)"
    )
    assert max(heights) < 30, "every name has one line"
    table = page.locator(".scroll:has(> #run-table)")
    over = table.evaluate("({ scrollWidth, clientWidth }) => scrollWidth - clientWidth")
    assert over <= 0, "the table has room in the window"
    note = page.locator(".judging input").first
    assert note.evaluate(
        "(input) => input.closest('td').scrollWidth <= input.closest('td').clientWidth"
    )
