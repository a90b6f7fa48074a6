"""What a run page gives those who work with it: links to headings, contents, buttons that copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitegen import load_runs
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import summarize
from sitegen.numbers.success import success
from sitegen.pages.summary import summary_figures
from tests.support import browsers, campaigns, site_checks
from tests.support.browsers import as_file, comes_to
from tests.support.campaigns import result
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
from sitegen.pages.run.view import run_page

pytestmark = pytest.mark.blank_charts

CODE = "<b>not bold</b>\n  two spaces\n"
LINKS = "[notes](https://example.org/a) https://example.org/b"
SUMMARY = (
    f"# All\n## First `one`\n```html\n{CODE}```\n## Second\n## Source\n"
    + "Word.\n\n" * 60
    + f"## Last\n{LINKS}\n"
)

REFUSE = """
    navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
    document.execCommand = (command) => { window.selected = [command, getSelection().toString()]; return %s; };
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a run with a long account and of one with a short account."""
    folder = tmp_path_factory.mktemp("run-page")
    runs = {
        "long.json": result(1, result=SUMMARY),
        "short.json": result(2, result="# One\n## Two\n"),
    }
    campaigns.write(folder / "runs", runs)
    built = sitegen("build", "-q", "--no-config", folder / "runs", "-o", folder / "site")
    assert built.returncode == 0, built.stderr
    assert site_checks.findings(folder / "site") == []
    return folder / "site"


def address(site: Path, name: str) -> str:
    """Of the page of a run."""
    return as_file(next((site / "runs").glob(f"{name}-*.html")))


@pytest.fixture
def page(browser: Browser, site: Path) -> Iterator[Page]:
    """The page of the run with the long account."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened = context.new_page()
        watch = site_checks.Watch(f"{as_file(site)}/").over(context)
        opened.goto(address(site, "long"))
        yield opened
        assert watch.findings == []


def opacity(page: Page, name: str) -> str:
    """Of the link to a heading."""
    return str(
        page.get_by_role("link", name=name).evaluate("link => getComputedStyle(link).opacity")
    )


def test_a_heading_links_to_itself_when_it_is_pointed_at_or_focused(page: Page) -> None:
    name = "Link to: First one"
    assert opacity(page, name) == "0"
    page.get_by_role("heading", name="First one", level=4).hover()
    assert opacity(page, name) == "1"
    page.mouse.move(0, 0)
    assert opacity(page, name) == "0"
    page.get_by_role("link", name="Link to: All").focus()
    page.keyboard.press("Tab")
    assert opacity(page, name) == "1"
    page.keyboard.press("Enter")
    browsers.comes_to(page, "#u-first-one")


def test_a_page_says_how_the_other_attempts_came_out(browser: Browser, demo_site: Path) -> None:
    [path] = (demo_site / "runs").glob("ais-decode-opus-4-5-3-*.html")
    page = browser.new_page()
    page.goto(as_file(path))
    page.get_by_text("3 attempts: pass, pass, fail").wait_for()
    page.locator(".attempts a").nth(1).click()
    page.locator("h1", has_text="ais-decode · Opus 4.5 · 2").wait_for()
    page.context.close()


def test_a_heading_of_the_account_takes_no_id_of_the_page(page: Page) -> None:
    assert page.locator("#source").inner_text() == "Source"
    assert page.locator("#u-source").evaluate("heading => heading.closest('article') !== null")


def test_contents_stand_beside_a_long_account(page: Page) -> None:
    contents = page.get_by_role("navigation", name="Contents of the account")
    assert contents.get_by_role("link").all_inner_texts() == [
        "All",
        "First one",
        "Second",
        "Source",
        "Last",
    ]
    contents.get_by_role("link", name="Last").click()
    assert page.get_by_role("heading", name="Last", exact=True).bounding_box()["y"] < 800  # type: ignore[index]
    assert contents.get_by_role("link", name="All").bounding_box()["y"] >= 0, "they stay in sight"  # type: ignore[index]
    cut = "article => article.scrollHeight - article.clientHeight"
    assert page.locator("article.prose").evaluate(cut) <= 0, "a long account is not cut"


def test_contents_are_folded_on_a_phone(browser: Browser, site: Path) -> None:
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        phone = context.new_page()
        phone.goto(address(site, "long"))
        link = phone.get_by_role("navigation", name="Contents of the account").get_by_role(
            "link", name="Last"
        )
        assert link.count() == 0
        phone.get_by_text("Contents", exact=True).click()
        link.click()
        assert phone.url.endswith("#u-last")


def test_a_short_account_has_no_contents(page: Page, site: Path) -> None:
    page.goto(address(site, "short"))
    assert page.get_by_role("heading", name="Two", exact=True).count() == 1
    assert page.get_by_role("navigation", name="Contents of the account").count() == 0


@pytest.mark.parametrize(
    ("what", "copied"), [("code", CODE), ("session", None), ("run", None), ("file", "long.json")]
)
def test_a_button_copies_what_stands_beside_it(page: Page, what: str, copied: str | None) -> None:
    value = copied or page.locator(
        "[aria-labelledby=source] .body dt", has_text=what.capitalize()
    ).evaluate("name => name.nextElementSibling.querySelector('code').textContent")
    page.get_by_role("button", name=f"Copy {what}", exact=True).click()
    page.get_by_role("status").get_by_text(f"Copied {what}", exact=True).wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == value


@pytest.mark.parametrize(
    ("answer", "said"),
    [("true", "Copied code"), ("false", "Selected code; copy it with the keyboard")],
)
def test_a_browser_may_refuse_the_clipboard(page: Page, answer: str, said: str) -> None:
    page.evaluate(REFUSE % answer)
    page.get_by_role("button", name="Copy code", exact=True).click()
    page.get_by_role("status").get_by_text(said, exact=True).wait_for(state="attached")
    command, selected = page.evaluate("window.selected")
    assert (command, selected.strip()) == ("copy", CODE.strip())
    assert page.evaluate("getSelection().toString().trim()") == (
        "" if answer == "true" else CODE.strip()
    )


def test_without_script_nothing_offers_to_copy(browser: Browser, site: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto(address(site, "long"))
        assert plain.get_by_role("button", name="Copy").count() == 0


def test_paper_shows_no_controls(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(".permalink, .copy, .contents, .self").filter(visible=True).count() == 0


def test_each_section_has_a_link_to_itself(page: Page) -> None:
    wanted = "heads => heads.map(e => ['#' + e.id, `Link to: ${e.textContent}`])"
    headings = page.locator("main h2").evaluate_all(wanted)
    assert ["#facts", "Link to: Facts"] in headings
    links = page.locator("h2 + .permalink")
    said = links.evaluate_all("links => links.map(a => [a.getAttribute('href'), a.ariaLabel])")
    assert said == headings
    links.last.focus()
    page.keyboard.press("Enter")
    comes_to(page, headings[-1][0])


def test_paper_leaves_further_fields_folded(page: Page) -> None:
    raw = page.locator("details", has_text="more fields from the file")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert raw.locator("summary").is_visible()
    assert not raw.locator("dl").is_visible()


def test_paper_shows_each_address_once(page: Page) -> None:
    page.emulate_media(media="print")
    links = page.locator('.prose a[href^="http"]')
    said = links.evaluate_all(
        "links => links.map(a => a.textContent + getComputedStyle(a, '::after').content)"
    )
    assert [text.count("https://example.org/") for text in said] == [1, 1]


@pytest.mark.nightly  # test_site.py looks at each kind of page on every push
@pytest.mark.parametrize("width_px", [1280, 320])
def test_axe_finds_nothing(browser: Browser, site: Path, width_px: int) -> None:
    with browser.new_context(viewport={"width": width_px, "height": 800}) as context:
        opened = context.new_page()
        opened.goto(address(site, "long"))
        opened.get_by_role("button", name="Copy code", exact=True).wait_for()
        assert site_checks.accessibility(opened) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width_px


@pytest.mark.parametrize(
    ("turns", "said"), [(1, "1 turn,"), (12, "12 turns,"), (None, "turns unknown,")]
)
def test_its_description_counts_turns(turns: int | None, said: str, tmp_path: Path) -> None:
    runs = load_runs(str(campaigns.write(tmp_path, {"a.json": result(1, num_turns=turns)})))
    price = PriceTable.load({}).check(runs[0].run)
    assert f": {said} " in run_page(runs[0], price, None, None).description
    notes = [figure.note for figure in summary_figures(summarize(runs), success(runs))]
    assert (turns == 1) == any(note == "1 turn" for note in notes)


def test_cache_hits_that_cannot_be_told_are_not_said_to_be_tokens_that_nobody_reports(
    tmp_path: Path,
) -> None:
    """Without a ledger the tokens of helpers are missing, so that the rest gives no share of all."""
    runs = load_runs(str(campaigns.write(tmp_path, {"a.json": result(1, modelUsage=None)})))
    shown = {figure.label: figure for figure in summary_figures(summarize(runs), success(runs))}
    assert shown["Tokens"].value != "–"
    assert (shown["Cache hits"].value, shown["Cache hits"].note) == (
        "–",
        "tokens sent are not fully reported",
    )
    nothing = dict.fromkeys(
        (
            "inputTokens",
            "outputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
            "costUSD",
        ),
        0,
    )
    unused = result(1, modelUsage={"m": nothing}, result="", num_turns=0)
    idle = load_runs(str(campaigns.write(tmp_path / "idle", {"a.json": unused})))
    shown = {figure.label: figure for figure in summary_figures(summarize(idle), success(idle))}
    assert (shown["Tokens"].value, shown["Cache hits"].note) == ("0", "no tokens were sent")


def test_a_page_says_where_the_cost_contradicts_what_the_file_says_of_cache_writes(
    tmp_path: Path,
) -> None:
    run = result(1)
    run["usage"]["cache_creation"] = {
        "ephemeral_1h_input_tokens": 1_000,
        "ephemeral_5m_input_tokens": 0,
    }
    campaigns.write(tmp_path / "runs", {"1.json": run, "2.json": {**result(2), "usage": {}}})
    (denied, unsaid) = load_runs(tmp_path / "runs")
    notes = [
        view.money.note
        for entry in (denied, unsaid)
        if (view := run_page(entry, PriceTable.load({}).check(entry.run), None, None).view).money
    ]
    assert notes == [
        "Split by list prices, which reproduce the reported cost exactly, with all writes at the 5-minute rate, "
        "though the file says otherwise.",
        "Split by list prices, which reproduce the reported cost exactly, with all writes at the 5-minute rate.",
    ]


def test_the_line_below_its_title_names_agent_and_model_once(tmp_path: Path) -> None:
    models = campaigns.OPUS, campaigns.SONNET
    campaigns.write(
        tmp_path,
        {f"a/{agent}/{agent}.json": result(1 + at, *models) for at, agent in enumerate(("x", "y"))},
    )
    (run, _) = load_runs(tmp_path)
    groups = run_page(run, PriceTable.load({}).check(run.run), None, None).view.groups
    assert [link.text for link in groups[:3]] == [
        "Claude Code",
        "Claude Opus 4.5",
        "also Claude Sonnet 4.5",
    ]
    assert [bool(link.href) for link in groups[:3]] == [False, True, False]


def test_an_empty_patch_is_said_to_be_empty(tmp_path: Path) -> None:
    folder = campaigns.write(tmp_path / "runs", {"a.json": result(1), "model_patch.diff": ""})
    sitegen("build", "--no-config", folder, "-o", tmp_path / "site", "--quiet")
    text = next((tmp_path / "site" / "runs").glob("*.html")).read_text(encoding="utf-8")
    assert "The patch is empty." in text
    assert "0 files" not in text
