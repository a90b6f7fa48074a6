"""The live charts in a browser: opened as a file, under the policy of every page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import pytest
from markupsafe import Markup

from sitegen import charts, theme
from sitegen.model import Entry
from tests.browsers import as_file
from tests.chart_runs import campaign, color, split

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEMPLATES = theme.folder()

MODEL_COLORS = {"sonnet-4-5": "158f85", "opus-4-5": "7d2354", "haiku-4-5": "b07d12"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Charts</title>
<link rel="stylesheet" href="site.css"><script src="charts.js" defer></script></head><body><main>
{% from "_chart.html.jinja" import figure, legend %}<h1>Charts</h1><section class="sec" aria-labelledby="charts">
<h2 id="charts" tabindex="-1">Cost and tokens</h2><div class="chart-head">{{ legend(models) }}<p class="sub"></p></div>
<div class="two" id="live-charts" data-bundle="{{ bundle }}" data-charts="charts-data.js">
{% for chart in charts %}{{ figure(chart) }}{% endfor %}
</div></section><p id="below">Below</p></main></body></html>"""

TABLE = """(() => {
  const rows = ROWS, kept = { sort: "-cost_usd" };
  let state = { ...kept };
  const passes = (i) => Object.entries(state).every(([name, wanted]) => {
    const value = rows.columns[name]?.[i];
    if (!(name in rows.columns)) return true;
    if (typeof value === "string") return wanted.includes(value);
    return value !== null && value >= (wanted[0] ?? -Infinity) && value <= (wanted[1] ?? Infinity);
  });
  window.asked = [];
  window.sitegenTable = {
    rows: Promise.resolve(rows),
    state: () => state,
    filter(changes) {
      window.asked.push(changes);
      state = Object.fromEntries(Object.entries({ ...state, ...changes }).filter(([, value]) => value !== null));
      const positions = Uint32Array.from(rows.ids.keys()).filter(passes);
      window.left = positions.length;
      document.dispatchEvent(new CustomEvent("sitegen:shown", { detail: { positions, total: rows.ids.length } }));
    },
  };
})();"""
"""The table of runs, as far as charts know it: filters by facets and ranges, and says which runs pass."""


@pytest.fixture(scope="module")
def runs() -> list[Entry]:
    return campaign(name="<b>task</b>", judged=True)


@pytest.fixture(scope="module")
def made(runs: list[Entry]) -> charts.Charts:
    return charts.charts(runs, split(runs), color=color)


@pytest.fixture(scope="module")
def drawn(made: charts.Charts) -> tuple[charts.Chart, ...]:
    return made.drawn


@pytest.fixture(scope="module")
def folder(made: charts.Charts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all charts, another whose bundle is missing, and the pages of the runs."""
    root, drawn = tmp_path_factory.mktemp("charts"), made.drawn
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["html"] = Markup
    page = environment.from_string(PAGE)
    for name, bundle in (("index.html", "vega.js"), ("broken.html", "missing.js")):
        (root / name).write_text(
            page.render(policy=POLICY, bundle=bundle, charts=drawn, models=made.models), encoding="utf-8"
        )
    static = TEMPLATES / "static"
    styles = [(static / name).read_text(encoding="utf-8") for name in ("tokens.css", "site.css", "charts.css")]
    styles += [f":root{{--m-claude-{name}:#{value}}}" for name, value in MODEL_COLORS.items()]
    (root / "site.css").write_text("\n".join(styles), encoding="utf-8")
    (root / "charts.js").write_bytes((static / "charts.js").read_bytes())
    bundle_script = charts.vega_bundle()
    assert bundle_script is not None
    (root / "vega.js").write_bytes(bundle_script)
    (root / "charts-data.js").write_bytes(charts.live_script(drawn))
    (root / "charts").mkdir()
    for path, content in charts.spec_files(drawn, "\n".join(styles)).items():
        (root / path).write_bytes(content)
    (root / "runs").mkdir()
    for number in range(1, 31):
        (root / "runs" / f"run-{number:012x}.html").write_text(f"<title>{number}</title>", encoding="utf-8")
    return root


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, folder: Path, messages: list[str]) -> Iterator[Page]:
    """The page, opened; whatever the browser complains about lands in `messages`."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        opened = context.new_page()
        opened.on("console", lambda message: messages.append(message.text))
        opened.on("pageerror", lambda error: messages.append(str(error)))
        opened.goto(as_file(folder / "index.html"))
        yield opened


def touch(page: Page, number: int) -> None:
    """Move the pointer onto a chart and wait until it lives."""
    box = page.locator(".chart-box").nth(number)
    box.scroll_into_view_if_needed()
    box.hover()
    page.locator(".chart-box").nth(number).locator(".live svg").wait_for()


def heights(page: Page) -> list[float]:
    found: list[float] = page.eval_on_selector_all(
        ".chart-box, figure", "boxes => boxes.map(box => box.getBoundingClientRect().height)"
    )
    return found


@pytest.mark.parametrize("width", [1280, 1000, 360, 320])
def test_live_charts_take_the_place_of_the_drawings_without_a_word(page: Page, messages: list[str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    before = heights(page)
    assert page.locator(".live").count() == 0
    for number in range(8):
        touch(page, number)
    assert heights(page) == pytest.approx(before, abs=1)
    assert page.locator(".chart-box > svg:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert messages == []


def test_nothing_is_loaded_and_no_name_is_set_before_the_first_touch(page: Page) -> None:
    names = "Object.getOwnPropertyNames(window).filter(name => performance.now() && !(name in frames[0]))"
    page.evaluate("document.body.append(document.createElement('iframe'))")
    before = set(page.evaluate(names))
    assert page.locator("script").count() == 1
    touch(page, 0)
    assert set(page.evaluate(names)) - before == {"sitegenVega", "sitegenCharts"}


def test_a_tooltip_says_what_is_under_the_pointer_as_plain_text(page: Page, messages: list[str]) -> None:
    touch(page, 1)
    bars = page.locator(".live .mark-rect path")
    bars.first.hover()
    tip = page.locator(".tip")
    assert tip.text_content() == "<b>task</b> 30\nSonnet 4.5: $1.48 of $1.50"
    assert tip.locator("b").count() == 0
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 1280 and box["y"] >= 0
    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")
    assert messages == []


@pytest.mark.parametrize(
    ("chart", "mark"),
    [
        ("most-expensive", ".mark-rect path"),
        ("cost-by-turns", ".mark-symbol path"),
        ("cost-spread", ".mark-symbol path"),
        ("tokens-by-kind", ".mark-symbol path"),
        ("spend", ".mark-symbol path"),
    ],
)
def test_a_click_on_a_mark_opens_its_run(page: Page, drawn: tuple[charts.Chart, ...], chart: str, mark: str) -> None:
    touch(page, [made.id for made in drawn].index(chart))
    page.locator(f".live {mark}").first.hover(force=True)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**/runs/run-*.html")


def test_a_live_chart_follows_the_width_of_its_column(page: Page) -> None:
    touch(page, 0)
    for width in (700, 360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "() => { const box = document.querySelector('.is-live');"
            " return Math.abs(box.querySelector('.live svg').getBoundingClientRect().width - box.clientWidth) <= 1 }"
        )


def test_paper_shows_the_drawing_and_never_the_live_chart(page: Page) -> None:
    touch(page, 2)
    page.emulate_media(media="print")
    assert page.locator(".live:visible").count() == 0
    assert page.locator(".chart-box > svg:visible").count() == 8


def test_a_link_that_has_the_focus_is_not_taken_away(page: Page) -> None:
    box = page.locator(".chart-box").nth(1)
    link = box.locator("svg:visible a").first
    link.focus()
    box.hover()
    assert page.evaluate("document.activeElement.tagName") == "a"
    assert page.locator("script").count() == 1
    link.blur()
    page.mouse.move(1, 1)
    touch(page, 1)


def test_the_drawing_stays_when_the_bundle_is_missing(browser: Browser, folder: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(as_file(folder / "broken.html"))
        with page.expect_event("requestfailed"):
            page.locator(".chart-box").first.hover()
        assert page.locator(".chart-box > svg:visible").count() == 8
        assert page.locator(".live").count() == 0


def test_without_script_the_drawing_is_there_and_its_links_work(browser: Browser, folder: Path) -> None:
    with browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800}) as context:
        page = context.new_page()
        page.goto(as_file(folder / "index.html"))
        assert page.locator(".chart-slim:visible").count() == 8
        page.locator(".chart-slim a").first.click()
        assert page.title() == "30"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_take_their_colours_from_the_page(browser: Browser, folder: Path, scheme: str) -> None:
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(as_file(folder / "index.html"))
        wanted = page.evaluate("""() => {
            document.body.style.color = "var(--output)";
            return getComputedStyle(document.body).color;
        }""")
        shown = page.eval_on_selector(
            "#money-by-kind .chart-wide [fill='var(--output)']", "mark => getComputedStyle(mark).fill"
        )
        assert shown == wanted
        assert wanted != page.evaluate("getComputedStyle(document.documentElement).color")
