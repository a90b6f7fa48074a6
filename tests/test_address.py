"""What a site gains by knowing its address: a card and words for links to it, a page for lost addresses, a sitemap."""

from __future__ import annotations

import http.server
import struct
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from sitegen.charts import card, converter
from sitegen.masking.redact import mask
from sitegen.numbers.statistics import summarize
from sitegen.numbers.success import success
from sitegen.pages import site as site_module
from tests.support import browsers, campaigns, site_checks
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.site_checks import parsed

if TYPE_CHECKING:
    from playwright.sync_api import Browser
from sitegen.pages.chart_parts import CARD

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = "https://example.org/report/"
HOSTILE = "</text><image href='file:///etc/passwd'/>&amp;\x1b[31m\x00 \U0001f3f4 \u202e"


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
    return {key: meta["content"] for meta in metas if (key := meta.get("property") or meta.get("name", ""))}


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_without_an_address_nothing_speaks_of_one(tmp_path: Path) -> None:
    site = built(tmp_path, None)
    assert not any((site / name).exists() for name in ("404.html", "sitemap.xml", CARD))
    for page in site_checks.pages(site):
        assert not any(name.startswith(("og:", "twitter:")) for name in properties(page)), page
        assert "canonical" not in page.read_text(encoding="utf-8")


def test_links_to_a_page_are_shown_with_its_words_and_the_card_of_the_site(site: Path) -> None:
    for page in site_checks.pages(site):
        if page.name == "404.html":
            continue
        said = properties(page)
        assert said["og:title"] == parsed(page).root.findtext("head/title")
        assert said["og:description"] == said["description"]
        assert said["og:url"] == ADDRESS + page.relative_to(site).as_posix()
        assert said["og:image"] == ADDRESS + CARD
        assert said["twitter:card"] == "summary_large_image"
    run = next((site / "runs").glob("a-*.html"))
    assert "$" in properties(run)["og:title"]


def test_the_card_is_a_picture_of_the_size_that_is_asked_for(site: Path) -> None:
    said = properties(site / "index.html")
    stated = int(said["og:image:width"]), int(said["og:image:height"])
    assert size((site / CARD).read_bytes()) == stated == (card.WIDTH, card.HEIGHT)


def test_the_same_runs_give_the_same_card(site: Path, tmp_path: Path) -> None:
    assert (built(tmp_path, ADDRESS) / CARD).read_bytes() == (site / CARD).read_bytes()


@pytest.mark.parametrize("title", [HOSTILE, "W" * 5_000, "word " * 5_000, "漢字" * 500, "", " "])
def test_any_title_makes_a_bounded_card_of_text_and_rectangles(title: str) -> None:
    svg = card.card_svg(title, [("Cost", "$1.00", "")], {"output": 1.0})
    elements = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}  # noqa: S314
    assert elements == {"svg", "rect", "text"}
    assert len(svg) < 3_000
    picture = converter.call("svg_to_png", svg)
    assert picture is not None
    assert size(picture) == (card.WIDTH, card.HEIGHT)


def test_the_card_says_what_the_runs_come_to() -> None:
    svg = card.card_svg("Title", [("Cost", "$12.34", "median $1.00 per run")], {"input": 0.25, "output": 0.75})
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.text]  # noqa: S314
    shown = ["Title", "Cost", "$12.34", "median $1.00 per run", "Where the money went", "input 25%", "output 75%"]
    assert texts == shown


def test_the_card_is_drawn_after_a_last_look() -> None:
    looked = list[str]()

    def withheld(svg: str) -> str:
        looked.append(svg)
        return "no picture"

    assert card.card(mask("kind", "value"), summarize([]), success([]), [], withheld) is None
    assert ">[redacted: kind #1]</text>" in looked[0]


def test_the_card_of_no_money_is_drawn_too() -> None:
    picture = card.card("Nothing", summarize([]), success([]), [])
    assert picture is not None


def test_figures_on_a_card_keep_to_their_column() -> None:
    huge = [("Cost", "$1,234,567,890.12+", "median $1,234,567.89 per run"), ("Runs", "1", "")]
    sizes = [
        float(element.attrib["font-size"])
        for element in ElementTree.fromstring(card.card_svg("T", huge, {})).iter()  # noqa: S314
        if element.text and element.text[0] in "$1"
    ]
    assert sizes[0] == sizes[1] < 72


def test_without_a_converter_there_is_no_card_and_one_sentence_about_it(tmp_path: Path) -> None:
    site = built(tmp_path, ADDRESS, code="import sys; sys.modules['vl_convert'] = None")
    assert not (site / CARD).exists()
    said = properties(site / "index.html")
    assert "og:image" not in said
    assert said["twitter:card"] == "summary"
    said_of_it = site_module.NO_CARD.partition("{}")[0]
    assert (tmp_path / "stderr.txt").read_text(encoding="utf-8").count(said_of_it) == 1


def test_the_sitemap_lists_every_page_once(site: Path) -> None:
    root = ElementTree.fromstring((site / "sitemap.xml").read_bytes())  # noqa: S314
    listed = [element.text or "" for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    expected = {ADDRESS + page.relative_to(site).as_posix() for page in site_checks.pages(site)}
    assert len(listed) == len(set(listed))
    assert set(listed) == expected - {ADDRESS + "404.html"}


def test_a_sitemap_of_very_many_runs_keeps_its_limit_and_the_other_pages(monkeypatch: pytest.MonkeyPatch) -> None:
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
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(PagesServer, directory=str(tmp_path))) as server:
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
            assert page.locator("h1").evaluate("h1 => getComputedStyle(h1).fontWeight") == "600", "it is styled"
            assert site_checks.accessibility(page) == []
            page.get_by_role("link", name="All runs").click()
            browsers.comes_to(page, f"{address}index.html")
        server.shutdown()


def test_png_answers_none_for_what_cannot_be_drawn() -> None:
    assert converter.call("svg_to_png", "<svg") is None
