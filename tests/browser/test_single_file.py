"""The site as one HTML file: complete without a request, with script and without, and nothing in it runs that it did
not bring."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import html5lib
import pytest

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import OneFile
from sitegen.publish import one_file as single_page
from sitegen.publish.one_file import _MARK, form_of
from tests.browser import test_hostile_site
from tests.conftest import missing
from tests.support import browsers, campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.firefox import firefox

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

HTML = form_of(Path("report.html"))
assert HTML is not None
HOSTILE = "## </main><script>alert(1)</script>\n\n<main id=main>x</main> [a](javascript:alert(1)) <!-- </style>"


def campaign(folder: Path) -> None:
    """Two groups to compare, outcomes, a patch, a broken file, and a summary with markup."""
    files: dict[str, Any] = {
        f"{task}/{model[7:13]}/{n}.json": result(n + 5 * at, model)
        for at, (task, model) in enumerate(
            (t, m) for t in ("first", "second") for m in (OPUS, SONNET)
        )
        for n in (1, 2, 3)
    }
    files |= {"hostile.json": result(40, result=HOSTILE), "broken.json": '{"type": "result", "resu'}
    campaigns.write(folder / "runs", files)
    outcomes = [
        "task,model,outcome",
        *(f"{t},{m},pass" for t in ("first", "second") for m in (OPUS[7:13], SONNET[7:13])),
    ]
    settings = "inputs: [{path: runs, pattern: '{task}/{model}/{attempt}.*'}]\noutcomes: [o.csv]\noutput: report.html\n"
    campaigns.write(folder, {"config.yaml": settings, "o.csv": "\n".join(outcomes)})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the campaign."""
    folder = tmp_path_factory.mktemp("single")
    campaign(folder)
    done = sitegen("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "report.html"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with script."""
    page = browser.new_page()
    yield page
    page.close()


class Elements(HTMLParser):
    """The attributes of all elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep them."""
        self.found.append((tag, dict(attrs)))


def shown(page: Page) -> list[str]:
    """The pages that can be seen."""
    return [main.get_attribute("id") or "" for main in page.locator("main:visible").all()]


@pytest.mark.parametrize("with_script", [True, False])
def test_it_opens_from_a_disk_without_a_request_and_its_links_work(
    report: Path, browser: Browser, *, with_script: bool
) -> None:
    context = browser.new_context(java_script_enabled=with_script)
    page = context.new_page()
    asked, said = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(report.as_uri())
    assert shown(page) == ["main"]
    page.locator("#run-table tbody a").first.click()
    (run,) = shown(page)
    assert run.startswith("runs/")
    page.locator("main:visible .step a").first.click()
    (other,) = shown(page)
    assert other.startswith("runs/")
    assert other != run
    page.go_back()
    assert shown(page) == [run]
    page.locator("header nav a", has_text="Compare").click()
    assert shown(page) == ["compare.html"]
    page.locator("header a.home").click()
    assert shown(page) == ["main"]
    assert asked == [report.as_uri()]
    assert said == []
    context.close()


def test_live_charts_come_with_the_file_and_lead_to_its_pages(report: Path, page: Page) -> None:
    live = report.with_name("live.html")
    done = sitegen("build", "-q", "-o", live, "--live-charts", cwd=report.parent)
    assert done.returncode == 0, done.stderr
    asked, said = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(live.as_uri())
    page.locator("#cost-by-turns .chart-box").hover()
    page.locator("#cost-by-turns .live svg .mark-symbol path").last.click(force=True)
    page.wait_for_function("location.hash.startsWith('#runs/')")
    assert shown(page) == [page.url.partition("#")[2]]
    assert (asked, said) == ([live.as_uri()], [])


def test_every_page_of_the_file_can_be_reached_and_shows_alone(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    paths = page.eval_on_selector_all("main", "pages => pages.map((page) => page.id)")
    assert {path.split("/")[0] for path in paths} >= {
        "main",
        "about.html",
        "problems.html",
        "runs",
        "models",
        "tasks",
    }
    for path in paths:
        page.goto(f"{report.as_uri()}#{path}")
        assert shown(page) == [path]


def test_its_table_sorts_and_filters_and_the_rows_lead_to_their_pages(
    report: Path, page: Page
) -> None:
    page.goto(report.as_uri())
    page.locator("#run-table.awake, .awake #run-table").wait_for()
    page.keyboard.press("1")
    assert page.evaluate("Object.keys(localStorage)") == [], "no run is judged that is not seen"
    page.fill("#filter", "second")
    page.wait_for_url("**second**")
    assert page.locator("#run-table tbody tr:visible").count() == 6
    page.locator("#run-table tbody a").first.click()
    assert shown(page)[0].startswith("runs/")
    assert "#runs/" in page.url


SHOWN = "return [...document.querySelectorAll('main')].filter((page) => page.getClientRects().length).map((m) => m.id)"


def test_firefox_shows_one_page_at_a_time_and_asks_for_nothing(report: Path) -> None:
    try:
        with firefox() as running:
            running.open(report.as_uri())
            assert running.run(SHOWN) == ["main"]
            running.click("#run-table tbody a")
            running.until("return location.hash.startsWith('#runs/')")
            assert running.run(SHOWN) == [running.run("return location.hash.slice(1)")]
            assert running.run("return performance.getEntriesByType('resource').length") == 0
            assert running.findings() == []
    except browsers.NoBrowser as reason:
        missing(str(reason))


def test_keys_lead_to_the_run_beside_the_one_that_is_shown(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    runs = page.eval_on_selector_all("main[id^='runs/']", "pages => pages.map((page) => page.id)")
    page.goto(f"{report.as_uri()}#{runs[3]}")
    following = page.locator("main:visible .step a[rel=next]").get_attribute("href")
    page.keyboard.press("j")
    page.locator(f"main[id='{(following or '')[1:]}']:visible").wait_for()
    assert [f"#{path}" for path in shown(page)] == [following]
    title = page.locator("main:visible").get_attribute("data-title")
    page.wait_for_function("title => document.title === title", arg=title)


def test_the_header_marks_where_the_reader_is(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.locator("header [aria-current=page]", has_text="Runs").wait_for()
    page.locator("header nav a", has_text="Problems").click()
    page.locator("header [aria-current=page]", has_text="Problems").wait_for()
    page.go_back()
    page.locator("#run-table tbody a").first.click()
    page.locator("header [aria-current=true]", has_text="Runs").wait_for()
    assert page.locator("header [aria-current]").count() == 1


def test_paper_has_the_index_alone(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert shown(page) == ["main"]


def test_names_are_unique_and_what_refers_to_them_finds_them(report: Path) -> None:
    elements = Elements(report.read_text(encoding="utf-8")).found
    ids = Counter(given["id"] for _, given in elements if given.get("id"))
    assert [name for name, count in ids.items() if count > 1] == []
    lists = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "headers")
    referred = {
        name for _, given in elements for each in lists for name in (given.get(each) or "").split()
    }
    assert referred - set(ids) == set()
    links = [
        given.get("href") or ""
        for tag, given in elements
        if tag in ("a", "use") and "href" in given
    ]
    inside = {link[1:] for link in links if link.startswith("#") and "=" not in link}
    assert inside - set(ids) == set()
    assert {link for link in links if not link.startswith(("#", "https://"))} == set()


def test_nothing_runs_but_what_the_policy_knows(report: Path, page: Page) -> None:
    text = report.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy
    assert "<script>alert" not in text
    page.goto(report.as_uri())
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
    )
    assert page.evaluate("window.ran") is None


def test_two_builds_give_the_same_bytes(report: Path, tmp_path: Path) -> None:
    campaign(tmp_path / "elsewhere")
    settings = (
        (tmp_path / "elsewhere" / "config.yaml")
        .read_text(encoding="utf-8")
        .replace("report.html", "site")
    )
    campaigns.write(tmp_path / "elsewhere", {"config.yaml": settings})
    done = sitegen("build", "-o", "other.html", "-j", "1", "--no-cache", cwd=tmp_path / "elsewhere")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "elsewhere" / "other.html").read_bytes() == report.read_bytes()


def test_a_hundred_runs_weigh_at_most_a_megabyte_and_a_half(tmp_path: Path) -> None:
    files = {f"{n:03}.json": result(n, (OPUS, SONNET)[n % 2], SONNET) for n in range(1, 101)}
    campaigns.write(tmp_path / "runs", {**files})
    assert sitegen("build", "runs", "-o", "report.html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "report.html").stat().st_size <= 1_500_000


def test_a_site_that_is_too_large_for_one_file_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_page, "MAX_BYTES", 1_000)
    with OneFile(tmp_path / "report.html", HTML) as target:
        target.write(
            "index.html",
            b"<!doctype html><html><body><main id=main>" + 2_000 * b"x" + b"</main></body></html>",
        )
        with pytest.raises(PublishError, match="which browsers open slowly"):
            target.commit()
    assert list(tmp_path.iterdir()) == []


def test_a_page_without_a_main_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    with OneFile(tmp_path / "report.html", HTML) as target:
        target.write("index.html", b"<!doctype html><html><body><p>x</p></body></html>")
        with pytest.raises(PublishError, match=r"index\.html has no <main>"):
            target.commit()


@pytest.mark.parametrize(
    "text",
    [
        "<!doctype html><title>Mine</title>",
        f"<!doctype html>\n<html lang='en'>\n<pre>\n{_MARK}\n</pre>",
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>x</title>\n<!-- {_MARK} -->',
    ],
)
def test_a_page_of_others_is_not_replaced(tmp_path: Path, text: str) -> None:
    output = tmp_path / "report.html"
    output.write_text(text, encoding="utf-8")
    with (
        pytest.raises(RefusedOutput, match="is not one HTML file of a site that sitegen wrote"),
        OneFile(output, HTML),
    ):
        pass


# Hostile texts


@pytest.fixture(scope="module")
def hostile(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A site full of payloads, and the one file of the same runs, alone in its folder."""
    folder = tmp_path_factory.mktemp("hostile")
    site = test_hostile_site.fill(folder, shared).site
    done = sitegen("build", "-c", "config.yaml", "-o", "alone/report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    return site, folder / "alone" / "report.html"


def texts(main: Element) -> str:
    """What stands in it, without what the one file leaves out and the spaces between."""
    if main.tag == "link" or not single_page._LEFT_OUT_CLASSES.isdisjoint(
        (main.get("class") or "").split()
    ):
        return ""
    parts = [str(main.tag), main.text or ""]
    for element in main:
        parts += [texts(element), element.tail or ""]
    return "".join("".join(parts).split())


def mains(path: Path) -> dict[str, Element]:
    """The pages of a file by their ids, as a browser takes the file."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root = parser.parse(path.read_text(encoding="utf-8"))
    return {main.get("id", ""): main for main in root.iter("main")}


def test_each_page_says_in_the_one_file_what_it_says_in_the_site(
    hostile: tuple[Path, Path],
) -> None:
    site, report = hostile
    pages = mains(report)
    assert len(pages) > 30
    for name, main in pages.items():
        (alone,) = mains(site / ("index.html" if name == "main" else name)).values()
        assert texts(main) == texts(alone), name


@pytest.mark.usefixtures("browser")
def test_a_browser_finds_nothing_in_hostile_texts_that_runs_loads_or_leads_away(
    hostile: tuple[Path, Path], shared: Path
) -> None:
    command = [
        sys.executable,
        shared / "hostile" / "browser_check.py",
        hostile[1].parent,
        "--strict-dom",
    ]
    done = subprocess.run(
        [*command, "--chromium", str(browsers.executable())], capture_output=True, encoding="utf-8"
    )
    policy = re.findall(r"script-src ([^;]*);", hostile[1].read_text(encoding="utf-8"))[0]
    findings = re.findall(r"^FAIL report.html: (.*)", done.stdout, re.MULTILINE)
    ours = [each for each in findings if each.startswith("dom: inline-script: ")]
    assert [each for each in findings if each not in ours] == []
    assert len(ours) == len(policy.split()) == 7
    assert json.loads(done.stdout.splitlines()[-1])["pages"] == 1
