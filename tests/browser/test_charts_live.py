"""The live charts in a browser: opened as a file, under the policy of every page."""

from __future__ import annotations

import csv
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import jinja2
import pytest
from markupsafe import Markup

from sitegen.charts import chart_set
from sitegen.charts.chart_files import live_script, spec_files, vega_bundle
from sitegen.charts.findings import MAX_DOTS, Finding
from sitegen.html import theme
from sitegen.model import TOKEN_KINDS, Entry, Outcome, Tokens
from tests.support import browsers, campaigns
from tests.support.browsers import as_file
from tests.support.campaigns import OPUS as OPUS_ID
from tests.support.campaigns import SONNET as SONNET_ID
from tests.support.chart_runs import OPUS, SONNET, campaign, color, entry, split
from tests.support.command import sitegen
from tests.support.site_checks import Watch, accessibility

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

TEMPLATES = theme.folder()

MODEL_COLORS = {"sonnet-4-5": "158f85", "opus-4-5": "7d2354", "haiku-4-5": "b07d12"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Charts</title>
<link rel="stylesheet" href="site.css"><script src="site.js"></script>
<script src="charts.js" defer></script></head><body><main>
{% from "_chart.html.jinja" import figure, legend %}<h1>Charts</h1><section class="sec" aria-labelledby="charts">
<h2 id="charts" tabindex="-1">Cost and tokens</h2><div class="chart-head">{{ legend(models) }}<p class="sub"></p></div>
<div class="two" id="live-charts" data-bundle="{{ bundle }}" data-charts="charts-data.js" data-share="charts-share.js">
{% for chart in charts %}{{ figure(chart) }}{% endfor %}
</div></section><p id="below">Below</p></main></body></html>"""

TABLE = """(() => {
  const rows = ROWS;
  let state = { sort: ["-cost_usd"], other: "kept" };
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
    who: () => "model",
    filter(changes) {
      window.asked.push(changes);
      state = Object.fromEntries(Object.entries({ ...state, ...changes }).filter(([, value]) => value !== null));
      draw();
    },
  };
  const draw = () => {
    const positions = Uint32Array.from(rows.ids.keys()).filter(passes);
    document.dispatchEvent(new CustomEvent("sitegen:shown", { detail: { positions, total: rows.ids.length } }));
  };
  addEventListener("DOMContentLoaded", draw);
})();"""
"""The table of runs, as far as charts know it: filters by facets and ranges, and says which runs pass."""


@pytest.fixture(scope="module")
def runs() -> list[Entry]:
    return campaign(name="<b>task</b>", judged=True)


@pytest.fixture(scope="module")
def made(runs: list[Entry]) -> chart_set.Charts:
    return chart_set.charts(runs, split(runs), color=color)


@pytest.fixture(scope="module")
def drawn(made: chart_set.Charts) -> tuple[Finding, ...]:
    return made.drawn


@pytest.fixture(scope="module")
def folder(made: chart_set.Charts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all charts, another whose bundle is missing, and the pages of the runs."""
    return written(tmp_path_factory.mktemp("charts"), made)


def written(root: Path, made: chart_set.Charts) -> Path:
    drawn = made.drawn
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["html"] = Markup
    page = environment.from_string(PAGE)
    for name, bundle in (("index.html", "vega.js"), ("broken.html", "missing.js")):
        (root / name).write_text(
            page.render(policy=POLICY, bundle=bundle, charts=drawn, models=made.models),
            encoding="utf-8",
        )
    style = theme.load()
    styles = [style.assets[style.asset_paths["site.css"]].decode()]
    styles += [f":root{{--m-claude-{name}:#{value}}}" for name, value in MODEL_COLORS.items()]
    (root / "site.css").write_text("\n".join(styles), encoding="utf-8")
    for name in ("site.js", "charts.js", "charts-share.js"):
        (root / name).write_bytes(style.assets[style.asset_paths[name]])
    bundle_script = vega_bundle()
    assert bundle_script is not None
    (root / "vega.js").write_bytes(bundle_script)
    (root / "charts-data.js").write_bytes(live_script(drawn))
    (root / "charts").mkdir()
    for path, content in spec_files(drawn, "\n".join(styles)).items():
        (root / path).write_bytes(content)
    (root / "runs").mkdir()
    for number in range(1, 31):
        (root / "runs" / f"run-{number:012x}.html").write_text(
            f"<title>{number}</title>", encoding="utf-8"
        )
    return root


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, folder: Path, messages: list[str]) -> Iterator[Page]:
    """The page, opened; whatever the browser complains about lands in `messages`."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        Watch("file://", messages).over(context)
        opened = context.new_page()
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
def test_live_charts_take_the_place_of_the_drawings_without_a_word(
    page: Page, messages: list[str], width: int, drawn: tuple[Finding, ...]
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    before = heights(page)
    assert page.locator(".live").count() == 0
    for number in range(len(drawn)):
        touch(page, number)
    assert heights(page) == pytest.approx(before, abs=1)
    assert page.locator(".chart-box > svg:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert messages == []


@pytest.mark.parametrize("size", [2, 8, MAX_DOTS + 60])
@pytest.mark.parametrize("models", [1, 2])
def test_charts_without_intervals_medians_or_passed_runs_come_alive_without_a_warning(
    browser: Browser, tmp_path: Path, messages: list[str], size: int, models: int
) -> None:
    runs = [replace(each, outcome=Outcome.FAIL) for each in campaign(size, judged=True)]
    runs = [each for each in runs if models == 2 or each.model == SONNET]
    root = written(tmp_path, chart_set.charts(runs, split(runs), color=color))
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        Watch("file://", messages).over(context)
        opened = context.new_page()
        opened.goto(as_file(root / "index.html"))
        for number in range(opened.locator(".chart-box").count()):
            touch(opened, number)
    assert messages == []


def test_nothing_is_loaded_and_no_name_is_set_before_the_first_touch(page: Page) -> None:
    names = "Object.getOwnPropertyNames(window).filter(name => performance.now() && !(name in frames[0]))"
    page.evaluate("document.body.append(document.createElement('iframe'))")
    before = set(page.evaluate(names))
    assert page.locator("script").count() == 2
    touch(page, 0)
    assert set(page.evaluate(names)) - before == {"sitegenVega", "sitegenCharts"}


def test_a_tooltip_says_what_is_under_the_pointer_as_plain_text(
    page: Page, messages: list[str]
) -> None:
    touch(page, 3)
    page.locator(".live .mark-symbol path").first.hover(force=True)
    tip = page.locator(".tip")
    assert (tip.text_content() or "").splitlines() == [
        "<b>task</b> · Opus 4.5 · 1",
        "configuration: Claude Opus 4.5",
        "cost: $0.34",
        "turns: 12",
        "status: ok",
    ]
    assert tip.locator("b").count() == 0
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 1280 and box["y"] >= 0
    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")
    assert messages == []


@pytest.mark.parametrize(
    ("chart", "mark"),
    [
        ("cost-by-turns", ".mark-symbol path"),
        ("tokens-by-kind", ".mark-symbol path"),
        ("spend", ".mark-symbol path"),
    ],
)
def test_a_click_on_a_mark_opens_its_run(
    page: Page, drawn: tuple[Finding, ...], chart: str, mark: str
) -> None:
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


@pytest.mark.parametrize("width", [320, 390, 600])
def test_no_label_of_an_axis_or_a_bar_touches_another(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Costs of five powers of ten, tokens of six, and shares of a bill of which three are small."""
    runs = [
        entry(
            n,
            cost=10.0 ** (n % 5 - 3),
            turns=1 + 3 * n,
            tokens=Tokens(20 + 9_000 * n, 5_000, 10 ** (1 + n % 6), 500),
        )
        for n in range(1, 31)
    ]
    shares = {"cache_read": 0.7, "cache_write": 0.09, "input": 0.08, "output": 0.13}
    bill = {
        each.id: {kind: share * (each.run.cost_usd or 0) for kind, share in shares.items()}
        for each in runs
    }
    root = written(tmp_path, chart_set.charts(runs, bill, color=color))
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        opened = context.new_page()
        opened.goto(as_file(root / "index.html"))
        assert touching(opened) == []
        for number in range(opened.locator(".chart-box").count()):
            touch(opened, number)
        assert touching(opened) == []
        assert opened.locator(".live text:visible").filter(has_text=re.compile(r"^\$0\.0")).count()


def touching(page: Page) -> list[str]:
    """Labels that stand in one line with less than a space between them; a label and its rim are one."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(".chart-box")].flatMap((box) => {
          const labels = [...box.querySelectorAll("text")]
            .map((each) => [each.textContent, each.getBoundingClientRect()]).filter(([, at]) => at.width);
          labels.sort(([, a], [, b]) => a.left - b.left);
          return labels.flatMap(([text, a], i) => labels.slice(i + 1)
            .filter(([other, b]) => other !== text && Math.abs(a.top - b.top) < 1 && b.left - a.right < 3)
            .map(([other]) => `${text}|${other}`));
        })"""
    )
    return found


def test_paper_shows_the_drawing_and_never_the_live_chart(
    page: Page, drawn: tuple[Finding, ...]
) -> None:
    touch(page, 2)
    page.emulate_media(media="print")
    assert page.locator(".live:visible, .share:visible, .chart-dock:visible").count() == 0
    assert page.locator(".chart-box > svg:visible").count() == len(drawn)


def test_the_drawing_stays_when_the_bundle_is_missing(
    browser: Browser, folder: Path, drawn: tuple[Finding, ...]
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(as_file(folder / "broken.html"))
        with page.expect_event("requestfailed"):
            page.locator(".chart-box").first.hover()
        assert page.locator(".chart-box > svg:visible").count() == len(drawn)
        assert page.locator(".live").count() == 0
        assert b"cache read" in taken(page, "money-by-kind", "Data (CSV)")
        page.locator("#money-by-kind .share > summary").click()
        page.locator("#money-by-kind [data-take=png]:not([data-cm])").click()
        page.get_by_text("This did not work here").wait_for()


def test_a_bundle_that_failed_once_is_asked_for_again(page: Page) -> None:
    page.route("**/vega.js", lambda route: route.abort())
    page.reload()
    box = page.locator(".chart-box").first
    with page.expect_console_message(lambda message: "ERR_FAILED" in message.text):
        box.hover()
    page.unroute("**/vega.js")
    page.mouse.move(1, 1)
    touch(page, 0)
    box.locator(".live svg").wait_for()


def test_without_script_the_drawing_is_there_and_its_menu_leads_to_it(
    browser: Browser, folder: Path, drawn: tuple[Finding, ...]
) -> None:
    with browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 800}
    ) as context:
        page = context.new_page()
        page.goto(as_file(folder / "index.html"))
        assert page.locator(".chart-slim:visible").count() == len(drawn)
        page.locator("#spend .share > summary").click()
        assert page.locator("#spend .share li:visible").all_inner_texts() == ["Link", "Spec (JSON)"]
        page.locator("#spend .share").get_by_text("Link", exact=True).click()
        browsers.comes_to(page, "#spend")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_take_their_colours_from_the_page(
    browser: Browser, folder: Path, scheme: str
) -> None:
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(as_file(folder / "index.html"))
        wanted = page.evaluate("""() => {
            document.body.style.color = "var(--output)";
            return getComputedStyle(document.body).color;
        }""")
        shown = page.eval_on_selector(
            "#money-by-kind .chart-wide [fill='var(--output)']",
            "mark => getComputedStyle(mark).fill",
        )
        assert shown == wanted
        assert wanted != page.evaluate("getComputedStyle(document.documentElement).color")


# Linked to the table


def beside_a_table(context: BrowserContext, folder: Path, runs: list[Entry]) -> Page:
    """The page, opened beside a table."""
    columns: dict[str, list[Any]] = {
        "model": [run.model for run in runs],
        "cost_usd": [run.run.cost_usd for run in runs],
        "turns": [run.run.turns for run in runs],
        **{f"{kind}_tokens": [run.run.tokens.kind(kind) for run in runs] for kind in TOKEN_KINDS},
    }
    rows = json.dumps({"ids": [run.id for run in runs], "columns": columns})
    page = context.new_page()
    page.add_init_script(TABLE.replace("ROWS", rows))
    page.goto(as_file(folder / "index.html"))
    return page


@pytest.fixture
def linked(browser: Browser, folder: Path, runs: list[Entry]) -> Iterator[Page]:
    """The page beside a table, which must stay free of complaints and of requests outside of its folder."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        watch = Watch(f"{as_file(folder)}/").over(context)
        yield beside_a_table(context, folder, runs)
        assert watch.findings == []


def drag(page: Page, chart: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag the mouse over a live chart, from one share of its box to another."""
    box = page.locator(f"#{chart} .chart-box")
    box.scroll_into_view_if_needed()
    box.hover()
    box.locator(".live svg").wait_for()
    area = box.bounding_box()
    assert area is not None
    for share, act in ((start, page.mouse.down), (end, page.mouse.up)):
        page.mouse.move(
            area["x"] + share[0] * area["width"], area["y"] + share[1] * area["height"], steps=3
        )
        act()


def asked(page: Page) -> list[dict[str, Any]]:
    """What the charts have asked of the table."""
    found: list[dict[str, Any]] = page.evaluate("window.asked")
    return found


def faded(page: Page, chart: str, mark: str = ".mark-symbol path") -> int:
    """How many marks of a chart are faded, once it lives."""
    page.locator(f"#{chart}").scroll_into_view_if_needed()
    page.locator(f"#{chart} .is-live").wait_for()
    marks = f"#{chart} .live {mark}"
    count: int = page.eval_on_selector_all(
        marks, "marks => marks.filter(m => getComputedStyle(m).opacity < 0.5).length"
    )
    return count


def expect_faded(page: Page, chart: str, count: int, mark: str = ".mark-symbol path") -> None:
    """Wait until so many marks are faded; redrawing takes a moment."""
    page.locator(f"#{chart}").scroll_into_view_if_needed()
    page.wait_for_function(
        "([marks, count]) => document.querySelector(marks) && "
        "[...document.querySelectorAll(marks)].filter(m => getComputedStyle(m).opacity < 0.5).length === count",
        arg=[f"#{chart} .is-live .live {mark}", count],
    )


def test_where_no_run_is_left_all_are_said_to_be_faded(linked: Page) -> None:
    linked.evaluate("window.sitegenTable.filter({ model: ['none of this name'] })")
    linked.locator(".chart-bar", has_text="0 of 30 runs, all faded").wait_for()


def test_a_drag_over_dots_filters_the_table_and_fades_the_other_runs_everywhere(
    linked: Page, runs: list[Entry]
) -> None:
    drag(linked, "cost-by-turns", (0.4, 0.3), (0.8, 0.75))
    (filters,) = asked(linked)
    assert set(filters) == {"turns", "cost_usd"}
    (least, most), (cheap, dear) = filters["turns"], filters["cost_usd"]
    assert all(isinstance(turns, int) for turns in (least, most))
    assert all(usd == round(usd, 3) for usd in (cheap, dear))  # no digits that a pixel cannot show
    kept = [
        run
        for run in runs
        if least <= (run.run.turns or 0) <= most and cheap <= (run.run.cost_usd or 0) <= dear
    ]
    assert 3 < len(kept) < 27
    assert (
        linked.locator(".chart-bar")
        .inner_text()
        .startswith(f"{len(kept)} of 30 runs, the others faded")
    )
    expect_faded(linked, "cost-by-turns", 30 - len(kept))
    expect_faded(linked, "tokens-by-kind", 4 * (30 - len(kept)))
    assert linked.locator("#cost-by-turns .whole").inner_text() == "Lines of all runs"
    assert linked.locator("#money-by-kind .whole").inner_text() == "Shares of all runs"
    assert linked.locator("#tokens-by-kind .whole").inner_text() == "Medians of all runs"
    assert linked.locator("#cost-by-turns .brush:visible").count() == 1
    linked.get_by_role("button", name="Show all").click()
    assert asked(linked)[-1] == {
        "turns": None,
        "cost_usd": None,
    }  # neither its order nor what it does not know
    expect_faded(linked, "cost-by-turns", 0)
    assert linked.locator(".chart-bar:visible, .whole:visible, .brush:visible").count() == 0
    assert linked.evaluate("document.activeElement.id") == "charts"
    assert linked.url.endswith("index.html")  # the drag opened no run


def test_a_range_of_the_table_shows_as_a_brush_and_a_click_beside_the_dots_takes_it_away(
    linked: Page,
) -> None:
    linked.evaluate("sitegenTable.filter({ cost_usd: [0.5, null] })")
    expect_faded(linked, "cost-by-turns", 4)
    brush, plot = (
        linked.locator(f"#cost-by-turns .{name}").bounding_box() for name in ("brush", "live")
    )
    assert brush is not None and plot is not None
    assert brush["x"] == pytest.approx(
        plot["x"] + 52, abs=1
    )  # from one end of the turns to the other
    assert brush["width"] == pytest.approx(plot["width"] - 52 - 14, abs=1)
    linked.mouse.click(plot["x"] + 60, plot["y"] + 40)
    assert asked(linked)[-1] == {"turns": None, "cost_usd": None}
    expect_faded(linked, "cost-by-turns", 0)


@pytest.mark.parametrize(
    ("built_of", "is_touch", "says"),
    [
        ("two models", False, "Drag to filter; click a mark to open its run."),
        ("two models", True, "Pick a model to filter."),
        ("one model", False, "Drag over dots to filter; click a mark to open its run."),
        ("one model", True, ""),
        ("one run", False, None),
    ],
)
def test_only_what_can_be_done_is_said_above_the_charts(
    browser: Browser, tmp_path: Path, built_of: str, is_touch: bool, says: str | None
) -> None:
    models = {
        "two models": (OPUS_ID, SONNET_ID, OPUS_ID),
        "one model": 3 * (OPUS_ID,),
        "one run": (OPUS_ID,),
    }[built_of]
    files = {f"{n}.json": campaigns.result(n, model) for n, model in enumerate(models, 1)}
    campaigns.write(tmp_path / "runs", files)
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    with browser.new_context(
        viewport={"width": 800, "height": 900}, is_mobile=is_touch, has_touch=is_touch
    ) as context:
        page = context.new_page()
        page.goto(as_file(tmp_path / "site" / "index.html"))
        page.evaluate(
            "async () => { await window.sitegenTable.rows; await new Promise(requestAnimationFrame); }"
        )
        hint = page.locator(".chart-head > .sub")
        assert (hint.inner_text()[: len(says or "x")] if hint.count() else None) == says
        assert page.locator(".chart-box").count()


def test_a_drag_along_a_row_of_tokens_filters_that_kind(linked: Page) -> None:
    drag(linked, "tokens-by-kind", (0.3, 0.14), (0.999, 0.14))
    (filters,) = asked(linked)
    assert list(filters) == ["cache_read_tokens"]
    low, high = filters["cache_read_tokens"]
    assert low > 1000 and high is None
    linked.keyboard.press("Escape")
    assert len(asked(linked)) == 1


def test_a_drag_that_is_given_up_and_one_of_a_finger_change_nothing(linked: Page) -> None:
    drag(linked, "cost-by-turns", (0.4, 0.3), (0.4, 0.3))
    linked.mouse.down()
    linked.mouse.move(500, 300, steps=3)
    assert linked.locator("#cost-by-turns .brush:visible").count() == 1
    linked.keyboard.press("Escape")
    linked.mouse.up()
    assert linked.locator("#cost-by-turns .brush:visible").count() == 0
    touching = (
        "live => { const { x, y } = live.getBoundingClientRect(); const at = (type, by) => live.dispatchEvent("
        "new PointerEvent(type, { pointerType: 'touch', clientX: x + by, clientY: y + by, bubbles: true }));"
        "at('pointerdown', 80); at('pointermove', 150); at('pointerup', 150);"
        "return getComputedStyle(live).touchAction }"
    )
    assert linked.locator("#cost-by-turns .live").evaluate(touching) == "auto"
    assert asked(linked) == []


def test_a_drag_that_leaves_its_chart_at_once_counts_and_ends_with_its_button(linked: Page) -> None:
    drag(linked, "cost-by-turns", (0.9, 0.5), (0.9, 0.5))
    live = linked.locator("#cost-by-turns .live")
    area = live.bounding_box()
    assert area is not None
    middle = area["y"] + area["height"] / 2
    linked.mouse.down()
    linked.mouse.move(area["x"] + area["width"] + 60, middle + 40)  # one step, and out of it
    linked.mouse.up()
    (filters,) = asked(linked)
    assert filters["turns"][0] is not None and filters["turns"][1] is None, (
        "to the edge, and all beyond it"
    )
    shown = linked.locator("#cost-by-turns .brush").bounding_box()
    linked.mouse.move(area["x"] + 90, middle - 20, steps=3)
    live.dispatch_event(
        "pointerdown", {"clientX": area["x"] + 90, "clientY": middle - 20}
    )  # let go where none saw it
    linked.mouse.move(area["x"] + 180, middle + 20, steps=3)
    assert linked.locator("#cost-by-turns .brush").bounding_box() == shown
    assert len(asked(linked)) == 1


def test_a_model_is_chosen_in_the_legend_by_keyboard_and_on_its_marks(linked: Page) -> None:
    key = linked.locator(".chart-head").get_by_role("button", name="Opus 4.5")
    key.focus()
    linked.keyboard.press("Enter")
    assert asked(linked) == [{"model": [OPUS]}]
    assert key.get_attribute("aria-pressed") == "true"
    assert linked.evaluate("document.activeElement.textContent") == "Opus 4.5"
    expect_faded(linked, "cost-by-turns", 15)
    linked.locator("#cost-by-success .live .mark-symbol path[fill*=sonnet]").last.click(force=True)
    assert asked(linked)[-1] == {"model": [OPUS, SONNET]}
    expect_faded(linked, "cost-by-turns", 0)
    linked.evaluate("sitegenTable.filter({ model: null })")
    assert key.get_attribute("aria-pressed") == "false"
    expect_faded(linked, "cost-by-turns", 0)


def test_what_is_picked_out_is_named_beside_what_is_filtered(linked: Page) -> None:
    linked.evaluate("sitegenTable.filter({ cost_usd: [0.5, null] })")
    linked.locator("#money-by-kind .legend").get_by_role("button", name="cache read").click()
    linked.locator(
        ".chart-bar", has_text="of 30 runs, the others faded. Picked out: cache read"
    ).wait_for()
    dollars, turns = (
        taken(linked, name, "SVG").decode() for name in ("money-by-kind", "cost-by-turns")
    )
    assert "of 30 runs, the others faded." in dollars and "Picked out: cache read." in dollars
    assert "of 30 runs, the others faded." in turns and "Picked out" not in turns
    linked.get_by_role("button", name="Show all").click()
    assert linked.locator(".chart-bar:visible").count() == 0


def test_a_kind_of_token_is_picked_out_in_all_charts_without_a_table(
    page: Page, messages: list[str]
) -> None:
    page.locator("#money-by-kind .legend").get_by_role("button", name="output").click()
    expect_faded(page, "money-by-kind", 2 * 2 * 3, ".mark-rect path")
    expect_faded(page, "tokens-by-kind", 3 * 30)
    expect_faded(page, "cost-by-turns", 0)
    page.get_by_role("button", name="Show all").click()
    expect_faded(page, "tokens-by-kind", 0)
    assert page.locator(".brush").count() == 0
    assert page.locator(".chart-head .sub").inner_text() == ""
    assert messages == []


# Taken away


def taken(page: Page, chart: str, name: str) -> bytes:
    """What the menu of a chart saves."""
    page.locator(f"#{chart} .share > summary").click()
    with page.expect_download() as download:
        page.locator(f"#{chart} .share").get_by_text(name, exact=True).click()
    page.keyboard.press("Escape")
    return Path(download.value.path()).read_bytes()


def test_a_chart_is_saved_as_picture_numbers_and_spec(
    linked: Page, drawn: tuple[Finding, ...]
) -> None:
    turns = next(chart for chart in drawn if chart.id == "cost-by-turns")
    linked.evaluate("sitegenTable.filter({ cost_usd: [0.5, null] })")
    image = taken(linked, "cost-by-turns", "PNG")
    assert (
        image[:8] == b"\x89PNG\r\n\x1a\n"
        and int.from_bytes(image[16:20]) > 2 * 512
        and len(image) > 20_000
    )
    root = ElementTree.fromstring(taken(linked, "cost-by-turns", "SVG"))  # noqa: S314  our own
    words = "".join(root.itertext())
    assert turns.title.split()[0] in words and "26 of 30 runs, the others faded." in words
    assert not [element for element in root.iter() if element.tag.endswith("}a")], (
        "no page lies beside a picture"
    )
    assert b">26 of 30 runs, the others faded.<" in taken(linked, "cost-by-turns", "SVG")
    attributes = [value for element in root.iter() for value in element.attrib.values()]
    assert not any("var(" in value or "light-dark(" in value for value in attributes)
    assert sum("opacity: 0.2" in value or value == "0.2" for value in attributes) == 4
    assert "rgb(125, 35, 84)" in attributes
    linked.evaluate("sitegenTable.filter({ cost_usd: null })")
    assert b"faded" not in taken(linked, "cost-by-turns", "SVG"), (
        "what an earlier picture said is not said again"
    )
    lines = taken(linked, "money-by-kind", "Data (CSV)").decode().splitlines()
    assert lines[0] == 'Model,Kind,Tokens,"Share of tokens, %","Cost, $","Share of cost, %"'
    assert lines[1].startswith("Opus 4.5,cache read,12750000,90.0,")
    assert [line.count(",") for line in lines[1:]] == [5] * 12
    table = taken(linked, "money-by-kind", "Table (LaTeX)").decode().splitlines()
    assert table[0] == r"\begin{tabular}{llrrrr}"
    assert (
        table[2] == r"Model & Kind & Tokens & Share of tokens, \% & Cost, \$ & Share of cost, \% \\"
    )
    linked.locator("#cost-by-turns .share > summary").click()
    linked.get_by_role("link", name="Spec (JSON)").click()
    linked.wait_for_url("**/charts/cost-by-turns.vl.json")
    spec = json.loads(linked.locator("pre").inner_text())
    assert spec["title"]["text"] and len(spec["datasets"]["runs"]) == 30
    assert spec["config"]["background"] == "#ffffff"


@pytest.mark.parametrize(("cm", "pixels"), [("8.5", 1004), ("17", 2008)])
def test_a_picture_for_a_paper_has_its_width_in_the_file_and_neither_title_nor_note(
    linked: Page, drawn: tuple[Finding, ...], cm: str, pixels: int
) -> None:
    title = next(chart.title for chart in drawn if chart.id == "cost-by-turns")
    linked.emulate_media(color_scheme="dark")
    image = taken(linked, "cost-by-turns", f"For a paper, {cm} cm (PNG)")
    assert abs(int.from_bytes(image[16:20]) - pixels) <= 1, "300 dots an inch"
    at = image.index(b"pHYs")
    assert int.from_bytes(image[at + 4 : at + 8]) == 11811 and image[at + 12] == 1
    assert int.from_bytes(image[at + 13 : at + 17]) == zlib.crc32(image[at : at + 13])
    root = ElementTree.fromstring(taken(linked, "cost-by-turns", f"For a paper, {cm} cm (SVG)"))  # noqa: S314  our own
    assert root.attrib["width"] == f"{cm}cm" and root.attrib["height"].endswith("cm")
    colors = {element.get("fill") for element in root.iter()}
    assert {"rgb(255, 255, 255)", "#2b2a5e", "#1f7a8c"} <= colors, "light, and apart in grey"
    assert any(element.get("stroke-dasharray") not in (None, "1,0") for element in root.iter())
    assert {"Claude Opus 4.5", "Claude Sonnet 4.5"} <= set(root.itertext()), "a legend"
    page = taken(linked, "cost-by-turns", f"For a paper, {cm} cm (PDF)")
    box = re.search(rb"/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]", page)
    assert box and float(box[1]) == pytest.approx(float(cm) / 2.54 * 72)
    starts = [int(line) for line in re.findall(rb"(\d{10}) 00000 n", page)]
    assert [page[start : start + 7] for start in starts] == [
        f"{n} 0 obj".encode() for n in range(1, 6)
    ]
    wide, high = (int(found) for found in re.findall(rb"/(?:Width|Height) (\d+)", page))
    dots = zlib.decompressobj().decompress(page[page.index(b"stream\n", starts[4]) + 7 :])
    assert len(dots) == 3 * wide * high and abs(wide - 2 * pixels) <= 2
    assert title.split()[0] not in "".join(root.itertext()).split()


def test_numbers_that_a_spreadsheet_would_compute_are_text(linked: Page) -> None:
    cell = linked.locator("#cost-by-turns tbody th").first
    cell.evaluate("cell => { cell.textContent = ' =1+1,\"x\"' }")
    assert (
        taken(linked, "cost-by-turns", "Data (CSV)")
        .decode()
        .splitlines()[1]
        .startswith('"\'=1+1,""x""",')
    )


def test_figures_are_saved_as_plain_numbers_and_bounds_beside_them(linked: Page) -> None:
    rows = linked.locator("#cost-by-turns tbody tr")
    written = [["1,234", "12.5", "0.50+", "<0.1"], ["–", "−3", "1.25", ">99.9"]]
    for row, texts in enumerate(written):
        for place, text in enumerate(texts):
            rows.nth(row).locator("td").nth(place).evaluate(
                "(cell, text) => { cell.textContent = text }", text
            )
    head, *saved = csv.reader(taken(linked, "cost-by-turns", "Data (CSV)").decode().splitlines())
    assert head[1:] == [
        *("Runs drawn", "Median turns", "Median cost, $", "Median cost, $: bound"),
        *("Cost of a turn, $", "Cost of a turn, $: bound"),
    ]
    assert [row[1:] for row in saved] == [
        ["1234", "12.5", "0.50", "at least", "0.1", "less than"],
        ["", "-3", "1.25", "", "99.9", "more than"],
    ]


def test_the_menu_works_by_keyboard_and_keeps_the_focus(linked: Page) -> None:
    menu = linked.locator("#cost-by-turns .share")
    menu.locator("summary").focus()
    linked.keyboard.press("Enter")
    names = []
    for _ in range(12):
        linked.keyboard.press("Tab")
        names.append(linked.evaluate("document.activeElement.textContent"))
    slides = [
        f"For a paper, {cm} cm ({kind})" for cm in ("8.5", "17") for kind in ("SVG", "PNG", "PDF")
    ]
    assert names == ["Link", "PNG", "SVG", *slides, "Data (CSV)", "Table (LaTeX)", "Spec (JSON)"]
    linked.keyboard.press("Shift+Tab")
    linked.keyboard.press("Shift+Tab")
    with linked.expect_download():
        linked.keyboard.press("Enter")
    assert menu.get_by_role("status").inner_text() == "Saved"
    assert linked.evaluate("document.activeElement.textContent") == "Data (CSV)"
    linked.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    assert linked.evaluate("document.activeElement.textContent").startswith("Share")


def test_a_link_leads_to_one_chart_and_keeps_the_view(linked: Page) -> None:
    address = linked.url
    linked.goto(f"{address}#model=a%20b&cost_usd=0.5..2&chart=spend")
    linked.wait_for_function(
        "() => document.activeElement.id === 'spend' && scrollY > 0"
    )  # or it would reload the top
    linked.reload()
    assert linked.evaluate("document.activeElement.id") == "spend"
    assert linked.locator("#spend h3").bounding_box()["y"] < 900  # type: ignore[index]
    linked.locator("#spend .share > summary").click()
    linked.context.grant_permissions(["clipboard-read", "clipboard-write"])
    linked.locator("#tokens-by-kind .share > summary").click()
    assert linked.locator(".share[open]").count() == 1
    linked.locator("#tokens-by-kind [data-take=link]").click()
    linked.locator("#tokens-by-kind [role=status]:has-text('link')").wait_for()
    assert parse_qs(urlsplit(linked.url).fragment) == {
        "model": ["a b"],
        "cost_usd": ["0.5..2"],
        "chart": ["tokens-by-kind"],
    }
    assert linked.evaluate("navigator.clipboard.readText()") == linked.url
    linked.goto("about:blank")
    linked.go_back()
    linked.locator("#tokens-by-kind .share > summary").wait_for()
    assert linked.evaluate("document.activeElement.id") == "", "who comes back is where they were"


# How it feels


@pytest.mark.nightly  # test_site.py looks at each kind of page on every push
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_charts_live_and_runs_are_filtered(
    browser: Browser, folder: Path, runs: list[Entry], scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(color_scheme=scheme) as context:
        page = beside_a_table(context, folder, runs)
        page.evaluate("sitegenTable.filter({ cost_usd: [0.5, null] })")
        for name in ("money-by-kind", "tokens-by-kind", "cost-by-turns"):
            faded(page, name)
        page.locator("#spend .share > summary").click()
        assert page.locator(".is-live").count() >= 3
        assert accessibility(page) == []


def test_nothing_moves_when_charts_come_alive_and_runs_are_filtered(
    linked: Page, drawn: tuple[Finding, ...]
) -> None:
    linked.evaluate(
        "window.shifts = [];"
        "new PerformanceObserver(list => window.shifts.push(...list.getEntries().map(shift => shift.value)))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    before = heights(linked)
    for number in range(len(drawn)):
        touch(linked, number)
    linked.evaluate("sitegenTable.filter({ cost_usd: [0.5, null] })")
    expect_faded(linked, "cost-by-turns", 4)
    linked.wait_for_timeout(200)
    assert heights(linked) == pytest.approx(before, abs=0.5)
    assert sum(linked.evaluate("window.shifts")) < browsers.VISIBLE_SHIFT


def test_a_live_chart_follows_the_colour_scheme(page: Page) -> None:
    touch(page, 2)
    fill = "mark => getComputedStyle(mark).fill"
    mark = page.locator("#money-by-kind .live .mark-rect path[fill='var(--output)']").first
    light = mark.evaluate(fill)
    page.evaluate("document.documentElement.dataset.scheme = 'dark'")
    assert (light, mark.evaluate(fill)) == ("rgb(192, 84, 26)", "rgb(240, 147, 90)")
