"""What a site gains by knowing its address: words for links to it, a page for lost addresses, a sitemap."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from sitegen.pages import site as site_module
from tests.conftest import ROOT
from tests.support import browsers, campaigns, site_checks
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.site_checks import parsed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

ADDRESS = "https://example.org/report/"


def built(folder: Path, address: str | None, *, code: str = "") -> Path:
    """A site of two runs; `code` runs before the build, whose messages stay in stderr.txt."""
    campaigns.write(folder / "runs", {"a.json": result(1, SONNET), "b.json": result(2, OPUS)})
    lines = ["inputs: [runs]", *([f"site_url: {address}"] if address else [])]
    (folder / "config.yaml").write_text("\n".join(lines), encoding="utf-8")
    start = f"{code}\nfrom sitegen.__main__ import main; main()"
    command = [sys.executable, "-c", start, "build", "-c", str(folder / "config.yaml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    (folder / "stderr.txt").write_text(done.stderr, encoding="utf-8")
    assert site_checks.findings(folder / "site") == []
    return folder / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("address"), ADDRESS)


def properties(page: Path) -> dict[str, str]:
    """What the head of a page says to those who show links to it."""
    metas = (element.attrib for element in parsed(page).elements if element.tag == "meta")
    return {
        key: meta["content"]
        for meta in metas
        if (key := meta.get("property") or meta.get("name", ""))
    }


def test_without_an_address_nothing_speaks_of_one(tmp_path: Path) -> None:
    site = built(tmp_path, None)
    assert not any((site / name).exists() for name in ("404.html", "sitemap.xml"))
    for page in site_checks.pages(site):
        assert not any(name.startswith(("og:", "twitter:")) for name in properties(page)), page
        assert "canonical" not in page.read_text(encoding="utf-8")


def test_links_to_a_page_are_shown_with_its_words(site: Path) -> None:
    for page in site_checks.pages(site):
        if page.name == "404.html":
            continue
        said = properties(page)
        assert said["og:title"] == parsed(page).root.findtext("head/title")
        assert said["og:description"] == said["description"]
        assert said["og:url"] == ADDRESS + page.relative_to(site).as_posix()
        assert said["twitter:card"] == "summary"
    run = next((site / "runs").glob("a-*.html"))
    assert "$" in properties(run)["og:title"]


def test_the_sitemap_lists_every_page_once(site: Path) -> None:
    root = ElementTree.fromstring((site / "sitemap.xml").read_bytes())  # noqa: S314
    listed = [
        element.text or ""
        for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    ]
    expected = {ADDRESS + page.relative_to(site).as_posix() for page in site_checks.pages(site)}
    assert len(listed) == len(set(listed))
    assert set(listed) == expected - {ADDRESS + "404.html"}


def test_a_sitemap_of_very_many_runs_keeps_its_limit_and_the_other_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(site_module, "SITEMAP_PAGES", 3)
    paths = ["runs/1.html", "runs/2.html", "about.html", "index.html"]
    text = site_module.sitemap("https://example.org/a&b/", paths).decode()
    assert text.count("<loc>") == 3
    assert "runs/2.html" not in text
    assert "https://example.org/a&amp;b/about.html" in text


def test_own_files_take_the_place_of_ours(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "404.html").write_text("mine", encoding="utf-8")
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    settings = f"inputs: [runs]\nsite_url: {ADDRESS}\nstatic: own\n"
    (tmp_path / "config.yaml").write_text(settings, encoding="utf-8")
    assert sitegen("build", "-q", "-c", tmp_path / "config.yaml").returncode == 0
    assert (tmp_path / "site" / "404.html").read_text(encoding="utf-8") == "mine"


class PagesServer(http.server.SimpleHTTPRequestHandler):
    """Answers what it does not find with the page for lost addresses, as GitHub Pages does."""

    def send_error(self, code: int, *_: Any) -> None:
        """Send 404.html."""
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(Path(self.directory, "report", "404.html").read_bytes())

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def test_a_lost_address_at_any_depth_leads_back(browser: Browser, tmp_path: Path) -> None:
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(PagesServer, directory=str(tmp_path))
    ) as server:
        address = f"http://127.0.0.1:{server.server_port}/report/"
        site = built(tmp_path, address)
        site.rename(tmp_path / "report")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser.new_context() as context:
            page = context.new_page()
            answer = page.goto(f"{address}tasks/gone/away.html")
            assert answer is not None
            assert answer.status == 404
            assert page.locator("h1").inner_text() == "Page not found"
            assert page.locator("h1").evaluate("h1 => getComputedStyle(h1).fontWeight") == "600", (
                "it is styled"
            )
            assert site_checks.accessibility(page) == []
            page.get_by_role("link", name="All runs").click()
            browsers.comes_to(page, f"{address}index.html")
        server.shutdown()
