"""The demo site as its readers meet it: on disk and on a server, on a phone, on paper, without script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from sitegen.collect import Facts
from sitegen.model import Problem, Verdict
from sitegen.pages.list_findings import find_problem, group_of
from sitegen.pages.problems import problems_page
from tests.support import campaigns
from tests.support.browsers import as_file
from tests.support.command import sitegen
from tests.support.site_checks import (
    Watch,
    accessibility,
    check_html,
    check_links,
    check_policy,
    kinds,
    pages,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDED_AWAY = """() => [...document.querySelectorAll('details:not([name], .raw, [hidden])')].flatMap(d => [...d.children])
    .filter(e => e.localName !== 'summary' && !e.checkVisibility({contentVisibilityAuto: true}))
    .filter(e => !e.closest('main:has(> .opening) .chart-foot'))
    .map(e => e.outerHTML.slice(0, 120))"""


def built(folder: Path, runs: dict[str, Any]) -> Path:
    """The site of runs, by the settings in the folder if it has any."""
    campaigns.write(folder / "runs", runs)
    given = [] if (folder / "config.yaml").exists() else ["runs"]
    done = sitegen("build", "-q", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@contextmanager
def opened(browser: Browser, **settings: Any) -> Iterator[Page]:
    """An empty page of a context of its own."""
    with browser.new_context(**settings) as context:
        yield context.new_page()


def test_every_page_is_strict_html(demo_site: Path) -> None:
    assert check_html(demo_site) == []


def test_every_link_and_fragment_resolves_and_every_page_is_linked(demo_site: Path) -> None:
    assert check_links(demo_site) == []


def test_the_policy_comes_first_and_nothing_on_a_page_offends_it(demo_site: Path) -> None:
    assert check_policy(demo_site) == []


def test_the_demo_shows_every_kind_of_page(demo_site: Path) -> None:
    assert {"index", "problems", "about", "run-ok", "run-failed", "run-stopped"} <= set(
        kinds(demo_site)
    )


@pytest.mark.parametrize(
    ("scheme", "width_px"),
    [
        ("light", 320),
        ("dark", 1280),
        pytest.param("light", 1280, marks=pytest.mark.nightly),
        pytest.param("dark", 320, marks=pytest.mark.nightly),
    ],
)
def test_axe_finds_nothing_on_any_kind_of_page(
    demo_site: Path, browser: Browser, scheme: Literal["light", "dark"], width_px: int
) -> None:
    findings = {}
    with opened(browser, color_scheme=scheme, viewport={"width": width_px, "height": 900}) as page:
        for kind, path in kinds(demo_site).items():
            page.goto(as_file(path))
            findings[kind] = accessibility(page)
    assert {kind: found for kind, found in findings.items() if found} == {}


def test_no_page_is_wider_than_a_phone(demo_site: Path, browser: Browser) -> None:
    width_px = 320
    widths = {}
    with opened(browser, viewport={"width": width_px, "height": 640}) as page:
        for path in pages(demo_site):
            page.goto(as_file(path))
            widths[path.name] = page.evaluate("document.documentElement.scrollWidth")
    assert {name: width for name, width in widths.items() if width > width_px} == {}


def test_no_page_complains_or_leaves_the_folder(demo_site: Path, browser: Browser) -> None:
    with opened(browser) as page:
        watch = Watch(f"{as_file(demo_site)}/").over(page.context)
        for path in pages(demo_site):
            page.goto(as_file(path))
        assert watch.findings == []


def test_the_site_works_below_a_path_of_a_server(demo_site: Path, browser: Browser) -> None:
    with served(demo_site.parent) as address, opened(browser) as page:
        watch = Watch(f"{address}{demo_site.name}/").over(page.context)
        for path in kinds(demo_site).values():
            answer = page.goto(f"{watch.home}{path.relative_to(demo_site)}")
            assert answer is not None
            assert answer.status == 200
        assert watch.findings == []


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of `folder` on this machine alone."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name of the overridden method
        """Print nothing."""


def test_a_page_says_without_script_what_it_says_with_it(demo_site: Path, browser: Browser) -> None:
    with (
        opened(browser, bypass_csp=True) as scripted,
        opened(browser, java_script_enabled=False) as plain,
    ):
        for kind, path in kinds(demo_site).items():
            texts = []
            for page in (scripted, plain):
                page.goto(as_file(path))
                if (
                    page is scripted
                ):  # what script adds: buttons, how charts and the strip are operated, other attempts
                    hidden = ".copy, .picked, .span, .chart-head > .sub, [data-attempts]"
                    page.add_style_tag(content=f"{hidden} {{ display: none !important }}")
                blocks = page.locator("h1, h2, h3, p, li, dt, dd, td, pre").filter(visible=True)
                texts.append({" ".join(text.split()) for text in blocks.all_inner_texts()})
            assert texts[1], kind
            assert texts[0] - texts[1] == set(), kind


def test_which_runs_went_wrong_is_one_step_from_the_index(
    demo_site: Path, browser: Browser
) -> None:
    runs = json.loads((demo_site / "data/runs.json").read_text(encoding="utf-8"))["runs"]
    with opened(browser, java_script_enabled=False) as page:
        page.goto(as_file(demo_site / "index.html"))
        page.locator(".alert a").last.click()
        page.wait_for_load_state()
        lost = page.get_by_role("group", name="Lost runs").get_by_role("row")
        others = page.get_by_role("group", name="Runs that did not complete").get_by_role("row")
        incomplete = sum(run["status"] not in ("ok", "unknown") for run in runs)
        assert lost.count() - 1 + others.count() - 1 == incomplete > 0
        rows = lost.or_(others)
        rows.filter(has_text="Usage limit.").get_by_role("link").click()
        assert "stopped" in page.title()


def test_the_index_leads_to_every_group(demo_site: Path, browser: Browser) -> None:
    with opened(browser, java_script_enabled=False) as page:
        page.goto(as_file(demo_site / "index.html"))
        page.get_by_role("link", name="Tasks, models and resumed sessions", exact=True).click()
        region = page.get_by_role("region", name="Tasks, models and resumed sessions")
        led_to = {str(link.get_attribute("href")) for link in region.get_by_role("link").all()}
        (session,) = (address for address in led_to if address.startswith("sessions/"))
        assert (demo_site / session.partition("#")[0]).is_file()
        folders = (demo_site / "tasks", demo_site / "models")
        first_pages = {
            path.relative_to(demo_site).as_posix()
            for folder in folders
            for path in folder.glob("*.html")
        }
        assert led_to - {session} == first_pages
        assert [term.inner_text() for term in region.locator("dt").all()] == [
            "Tasks",
            "Models",
            "Resumed sessions",
        ]
        region.get_by_role("link", name="Claude Opus 4.5").click()
        assert page.locator("h1").inner_text() == "Claude Opus 4.5"


@pytest.mark.parametrize(
    ("code", "verdict", "group"),
    [
        ("E_READ", Verdict.SKIP, "skipped"),
        ("W_TYPE", Verdict.ACCEPT, "doubtful"),
        ("W_MISSING", Verdict.ACCEPT, "missing"),
        ("W_MULTI_RESULT", Verdict.ACCEPT, "notes"),
        ("W_OUTCOME_CONFLICT", Verdict.ACCEPT, "outcomes"),
        ("W_OUTCOME_ROW", Verdict.SKIP, "outcomes"),
        ("W_DUPLICATE", Verdict.MERGE, "merged"),
    ],
)
def test_each_problem_is_in_one_group(code: str, verdict: Verdict, group: str) -> None:
    assert group_of(Problem("run.json", code, verdict, "It is odd.")) == group


def test_failed_runs_are_a_matter_of_the_problems_page_without_any_problem(tmp_path: Path) -> None:
    failed = campaigns.result(2, subtype="error_max_turns", is_error=True)
    site = built(tmp_path, {"a.json": campaigns.result(1), "b.json": failed})
    page = (site / "problems.html").read_text(encoding="utf-8")
    assert "<h1>No file has a problem; 1 run did not complete</h1>" in page


def test_problems_of_one_cause_are_one_row_and_hide_no_other() -> None:
    many = [
        Problem(f"{n}.json", "W_NOISE", Verdict.ACCEPT, f"{n} pieces are left out.")
        for n in range(2, 700)
    ]
    few = [Problem(f"{n}.txt", "E_EMPTY", Verdict.SKIP, "The file is empty.") for n in range(2)]
    other = Problem("z.json", "W_MISSING", Verdict.ACCEPT, "The run reports no tokens.")
    findings = tuple(map(find_problem, (*many, *few, other)))
    page = problems_page(Facts(), findings, {})
    rows = {
        row.code: (row.count, row.reason, len(row.found), row.more)
        for group in page.view.groups
        for row in group.rows
    }
    assert rows == {
        "W_NOISE": (
            "698 runs",
            "For example: 2 pieces are left out.",
            100,
            "598 more are in data/findings.json.",
        ),
        "E_EMPTY": ("2 files", "The file is empty.", 2, None),
        "W_MISSING": ("", "The run reports no tokens.", 1, None),
    }


@pytest.mark.parametrize(
    ("labels", "is_linked"), [("a.json,odd\n", True), ("a.json,odd\nb.json,odd\n", False)]
)
def test_a_group_is_linked_where_its_page_says_something_else(
    tmp_path: Path, labels: str, is_linked: bool
) -> None:
    (tmp_path / "labels.csv").write_text(f"path,labels\n{labels}", encoding="utf-8")
    (tmp_path / "config.yaml").write_text(
        "inputs: [runs]\noutcomes: [labels.csv]\n", encoding="utf-8"
    )
    site = built(tmp_path, {"a.json": campaigns.result(1), "b.json": campaigns.result(2)})
    assert ('href="labels/' in (site / "index.html").read_text(encoding="utf-8")) == is_linked


def test_every_run_is_listed_without_script(demo_site: Path, browser: Browser) -> None:
    runs = json.loads((demo_site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    with opened(browser, java_script_enabled=False) as page:
        page.goto(as_file(demo_site / "index.html"))
        for run in runs:
            links = page.locator(f'#run-table a[href="{run["page"]}"]').filter(visible=True)
            assert links.count() == 1, run["page"]


def test_paper_shows_what_is_folded_and_no_navigation(demo_site: Path, browser: Browser) -> None:
    """Numbers of charts on the index are left out, which is to take three sheets."""
    with opened(browser, java_script_enabled=False, color_scheme="dark") as page:
        page.emulate_media(media="print")
        for kind, path in kinds(demo_site).items():
            page.goto(as_file(path))
            assert page.evaluate(FOLDED_AWAY) == [], kind
            assert page.locator("nav, header button").filter(visible=True).count() == 0, kind
            ink = page.locator("h1").evaluate("e => getComputedStyle(e).color")
            assert sum(map(int, ink[4:-1].split(","))) < 3 * 90, f"{kind}: printed in {ink}"


def test_the_scheme_button_turns_the_page_dark_and_back(demo_site: Path, browser: Browser) -> None:
    with opened(browser, color_scheme="light") as page:
        page.goto(as_file(demo_site / "index.html"))
        paper = "getComputedStyle(document.body).backgroundColor"
        seen = [page.evaluate(paper)]
        for _ in range(3):
            page.locator("#scheme").click()
            seen.append(page.evaluate(paper))
        assert len(set(seen)) == 2, seen
