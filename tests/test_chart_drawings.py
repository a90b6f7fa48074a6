"""How the charts are laid out and drawn, and what may never be in them."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import altair as alt
import html5lib
import pytest
from jsonschema import ValidationError

from sitegen.charts import axes, charts, converter
from sitegen.charts.drawing import compact
from sitegen.charts.findings import (
    DRAWN_MARKS,
    MOST_DOTS,
)
from sitegen.charts.kept import LaidOut
from tests.support.chart_runs import IDS, campaign, color, drawing, many, split
from tests.support.watching import calls_of

HOSTILE = "\"><script>alert(1)</script> {{datum.url}} ' & \u2028 [0].constructor(\\'x\\')"


@pytest.fixture(scope="module")
def drawn() -> charts.Charts:
    runs = campaign(judged=True)
    return charts.charts(runs, split(runs), color=color)


def walk(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every key of a spec with its path and value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path, key, inner
            yield from walk(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, path)


def layout(chart: charts.Chart) -> Any:
    return json.loads(json.dumps({key: value for key, value in chart.spec.items() if key != "datasets"}))


def test_charts_of_one_shape_are_laid_out_once() -> None:
    kept: dict[tuple[object, str, bytes], Any] = {}
    memory = Mock(
        stamp=lambda *values: hashlib.sha256(repr(values).encode()).digest(),
        recall=lambda *key: kept.get(key),
        keep=lambda *key_and_value: kept.update({key_and_value[:3]: key_and_value[3]}),
    )
    runs = campaign(judged=True)
    charts.charts(runs, split(runs), color=color, memory=memory)
    assert len({(kind, name) for kind, name, _ in kept}) == len(kept) == 2 * len(IDS)
    runs[10] = replace(runs[10], run=replace(runs[10].run, cost_usd=0.8))
    with calls_of(LaidOut.of) as laid:
        again = charts.charts(runs, split(runs), color=color, memory=memory)
    assert laid == []
    with calls_of(LaidOut.of) as laid:
        assert again.drawn == charts.charts(runs, split(runs), color=color).drawn
    assert len(laid) == len(IDS)


def test_colours_that_name_each_other_in_a_circle_end(drawn: charts.Charts) -> None:
    styles = COLORS + ":root{--muted:var(--ink);--ink:var(--muted)}"
    assert b'"var(--' in charts.spec_files(drawn.drawn, styles)["charts/cost-by-turns.vl.json"]


def test_a_drawing_has_the_fewer_dots_and_the_live_chart_all() -> None:
    for name, runs in (("cost-by-turns", many(DRAWN_MARKS + 1)), ("tokens-by-kind", many(MOST_DOTS))):
        chart = {chart.id: chart for chart in charts.charts(runs, {}, color=color).drawn}[name]
        assert chart.wide_svg is not None
        assert DRAWN_MARKS / 2 < len(dots_of(drawing(chart.wide_svg))) <= DRAWN_MARKS + 10
        assert len(chart.spec["datasets"]["dots"]) >= DRAWN_MARKS
        assert len(f"{chart.wide_svg}{chart.slim_svg}") < 45_000


# What may never be in them


def test_no_text_of_a_run_reaches_a_spec_outside_of_its_rows() -> None:
    plain, hostile = campaign(judged=True), campaign(name=HOSTILE, judged=True)
    first = charts.charts(plain, split(plain), color=color)
    second = charts.charts(hostile, split(hostile), color=color)
    assert [layout(chart) for chart in first.drawn] == [layout(chart) for chart in second.drawn]


def test_specs_hold_no_address_no_expression_and_only_known_columns(drawn: charts.Charts) -> None:
    columns = set()
    for chart in drawn.drawn:
        for path, key, value in walk(layout(chart)):
            assert key not in {
                "usermeta",
                "url",
                "expr",
                "signal",
                "transform",
                "params",
                "$schema",
                "labelExpr",
                "format",
            }
            if key == "href":
                assert value == {"field": "href", "type": "nominal"}, path
            if key == "field":
                columns.add(value)
            if key == "data":
                assert set(value) == {"name"}
        for rows in chart.spec["datasets"].values():
            for row in rows:
                columns |= set(row)
                assert re.fullmatch(r"(runs/run-[0-9a-f]{12}\.html)?", row.get("href", ""))
                assert re.fullmatch(r"(var\(--[a-z0-9-]+\))?", row.get("color", ""))
    assert columns <= {
        "band", "color", "cost", "dash", "end", "href", "model", "name", "series", "shape", "size", "start", "text",
        "time", "tip", "tokens", "total", "turns", "usd", "value", "x", "y", "y2",
    }  # fmt: skip


def test_specs_are_valid_vega_lite(drawn: charts.Charts) -> None:
    of_many = charts.charts(many(MOST_DOTS + 1), {}, color=color)
    for chart in drawn.drawn + of_many.drawn:
        alt.LayerChart.from_dict(dict(chart.spec))
        broken = {**chart.spec, "layer": [{**chart.spec["layer"][0], "mark": {"type": "bars"}}]}
        with pytest.raises(ValidationError):
            alt.LayerChart.from_dict(broken)


def test_specs_are_json_without_nan_and_the_same_every_time(drawn: charts.Charts) -> None:
    runs = campaign(judged=True)
    again = charts.charts(runs, split(runs), color=color)
    assert again == drawn
    for chart in drawn.drawn:
        json.dumps(chart.spec, allow_nan=False)


# As files of their own

COLORS = ":root{--bg: #eee; --ink:#111;--muted:#666;--strong:#111;--line:#ddd;--accent:#00f;--model-1:#158f85}" + (
    ":root { --bg: light-dark(rgb(1, 2, 3), rgb(4, 5, 6)); }"  # as a theme adds it
    "@media (prefers-contrast: more) {\n:root { --bg: #000; }\n.a{color:red}\n} :root:root{--bg:#000}"
    + "".join(f":root{{--{kind}:#123}}" for kind in ("cache-read", "cache-write", "input", "output"))
    + "".join(f":root{{--m-claude-{name}-4-5:var(--model-1)}}" for name in ("sonnet", "opus", "haiku"))
)  # fmt: skip


def test_a_spec_in_a_file_is_complete_and_needs_no_stylesheet(drawn: charts.Charts) -> None:
    files = charts.spec_files(drawn.drawn, COLORS)
    assert list(files) == [f"charts/{name}.vl.json" for name in IDS]
    for chart, content in zip(drawn.drawn, files.values(), strict=True):
        spec = json.loads(content)
        assert spec.pop("$schema") == "https://vega.github.io/schema/vega-lite/v6.json"
        alt.LayerChart.from_dict(spec)
        assert "var(" not in content.decode() and "light-dark(" not in content.decode()
        assert spec["background"] == "rgb(1, 2, 3)"
        assert " ".join(spec["title"]["text"]) == chart.title
        assert " ".join(spec["title"]["subtitle"]) == chart.note
        assert [row["text"] for row in spec["datasets"].get("legend", [])] == [key.label for key in chart.legend]
        assert {layer["data"]["name"] for layer in spec["layer"]} == set(spec["datasets"])
        assert not any("href" in layer["encoding"] for layer in spec["layer"])
        for name, rows in chart.spec["datasets"].items():
            assert [row.get("href") for row in spec["datasets"][name]] == [row.get("href") for row in rows]


def test_a_spec_in_a_file_draws_its_title_its_legend_and_its_marks(drawn: charts.Charts) -> None:
    money = charts.spec_files(drawn.drawn, COLORS)["charts/money-by-kind.vl.json"]
    svg = converter.call("vegalite_to_svg", money.decode())
    texts = "".join(drawing(svg).itertext())
    for said in (drawn.drawn[2].title, "cache write", "tokens", "dollars"):
        assert said in texts
    assert svg.count('fill="#123"') >= 4 * 2 * 2


# How they are drawn


def test_drawings_hold_shapes_and_text_and_nothing_else(drawn: charts.Charts) -> None:
    for chart in drawn.drawn:
        for svg, width in ((chart.wide_svg, axes.WIDE), (chart.slim_svg, axes.SLIM)):
            assert svg is not None
            root = drawing(svg)
            assert (root.get("width"), root.get("height")) == (
                str(width),
                drawing(chart.wide_svg or "").get("height"),
            )
            for element in root.iter():
                assert element.tag in {"svg", "g", "a", "title", "rect", "circle", "line", "path", "text"}
                assert not {"style", "id", "role", "class", "opacity"} & set(element.attrib) or element is root
            assert len(svg) < 14_000
            assert "http" not in svg


def test_tables_hold_plain_figures_in_one_unit_which_their_heads_name(drawn: charts.Charts) -> None:
    for chart in drawn.drawn:
        heads = [cell.text for cell in chart.columns]
        assert [cell.numeric for cell in chart.columns] == [cell.numeric for cell in chart.rows[0]]
        for row in chart.rows:
            for cell in row:
                assert not cell.numeric or re.fullmatch(r"–|[<>]?−?[\d,]+(\.\d+)?\+?", cell.text), (chart.id, cell)
        money = [head for head in heads if re.search("cost|spent|so far", head, re.IGNORECASE) and "%" not in head]
        assert all(head.endswith(", $") for head in money) and len(set(heads)) == len(heads)


def test_every_bar_links_to_its_run_once(drawn: charts.Charts) -> None:
    chart = next(chart for chart in drawn.drawn if chart.id == "most-expensive")
    links = drawing(chart.wide_svg or "").findall("a")
    assert [link.get("href") for link in links] == [f"runs/run-{number:012x}.html" for number in range(30, 20, -1)]
    assert links[0].findtext("title") == "task · Sonnet 4.5 · 30: $1.50"
    assert links[0].findtext("text") == "task · Sonnet 4.5 · 30"
    assert len(links[0].findall(".//rect")) == 2
    assert chart.has_links
    assert not any(other.has_links or "<a" in str(other.wide_svg) for other in drawn.drawn if other is not chart)


def test_drawings_are_strict_html_whatever_runs_are_called() -> None:
    runs = campaign(name=HOSTILE + "\x0b\ud800\ufffe", judged=True)
    made = charts.charts(runs, split(runs), color=color)
    assert made.problem is None
    body = "".join(f"{chart.wide_svg}{chart.slim_svg}" for chart in made.drawn)
    assert "<script" not in body
    page = f"<!doctype html><html lang=en><title>t</title><body>{body}</body></html>"
    html5lib.HTMLParser(strict=True).parse(page)


def test_a_drawing_keeps_only_known_links_and_no_unknown_transformation() -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
    shape = '<path transform="translate(1.04,2)" d="M0,0h3v4h-3Z" fill="red"/>'
    link = f'<a xlink:href="https://example.org/base/{{}}">{shape}</a>'
    known = compact(f"{head}{link.format('runs/a.html')}{link.format('runs/b.html')}</svg>", "c", {"runs/a.html": "A"})
    root = drawing(known)
    assert [(a.get("href"), a.findtext("title")) for a in root.findall("a")] == [("runs/a.html", "A")]
    rect = {"x": "1", "y": "2", "width": "3", "height": "4", "fill": "red"}
    assert [element.attrib for element in root.iter("rect")] == [rect, rect]
    with pytest.raises(ValueError, match="rotate"):
        compact(f'{head}<text transform="rotate(9)">x</text></svg>', "c", {})


def dots_of(root: ElementTree.Element) -> list[str]:
    """Where the dots of a drawing stand from its left, alone or joined in a path, the lowest first."""
    return [
        x
        for element in root.iter()
        for x in ([element.get("cx", "")] if element.tag == "circle" else ARC.findall(element.get("d", "")))
    ]


ARC = re.compile(r"M(\S+) \S+a(?:\S+) (?:\S+) 0 1 1 \.01 0z")


def dots_of_colours(centres: Sequence[int], colours: Iterable[str]) -> str:
    """A drawing of dots of radius 3."""
    outline = "M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0"
    dots = "".join(
        f'<path transform="translate({x},5)" d="{outline}" fill="{fill}"/>'
        for x, fill in zip(centres, colours, strict=True)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="9">{dots}</svg>'


@pytest.mark.parametrize(
    ("centres", "drawn_order"),
    [
        ((10, 30, 50, 70), ["10", "50", "30", "70"]),  # apart: each colour once
        ((10, 30, 32, 70), ["10", "30", "70", "32"]),  # the third covers the second, which goes on with the fourth
        ((10, 12, 14, 16), ["10", "12", "14", "16"]),  # a heap: as it was
    ],
)
def test_dots_of_one_colour_stand_together_unless_that_changes_what_covers_what(
    centres: tuple[int, ...], drawn_order: list[str]
) -> None:
    root = drawing(compact(dots_of_colours(centres, ("red", "blue") * 2), "c", {}))
    assert dots_of(root) == drawn_order


@pytest.mark.parametrize(
    ("centres", "paths"),
    [
        ((10, 30, 50), [["10", "30", "50"]]),  # apart: one path
        ((10, 12, 14, 50), [["10", "50"], ["12"], ["14"]]),  # three in a heap
        ((10, 15, 20, 25), [["10", "20"], ["15", "25"]]),  # a chain
    ],
)
def test_dots_that_do_not_touch_are_one_path(centres: tuple[int, ...], paths: list[list[str]]) -> None:
    root = drawing(compact(dots_of_colours(centres, ["red"] * len(centres)), "c", {}))
    assert not list(root.iter("circle"))
    assert [ARC.findall(path.get("d", "")) for path in root.iter("path")] == paths


# Without vl-convert, and its bundle


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    converter.stop()
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("no_engine")
def test_without_vl_convert_tables_stay_and_one_sentence_says_why(tmp_path: Path) -> None:
    runs = campaign()
    made = charts.charts(runs, split(runs), color=color)
    assert len(made.drawn) == 4
    assert all(chart.rows and chart.wide_svg is None and chart.slim_svg is None for chart in made.drawn)
    assert made.problem is not None and "vl-convert is not installed" in made.problem
    assert charts.vega_bundle(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_bundle_is_kept_and_made_again_when_its_copy_is_damaged(tmp_path: Path) -> None:
    bundle = charts.vega_bundle(tmp_path)
    assert bundle is not None and b"window.sitegenVega = " in bundle.replace(b"sitegenVega=", b"sitegenVega = ")
    (kept,) = tmp_path.iterdir()
    content = kept.read_bytes()
    assert content.endswith(bundle)
    kept.write_bytes(content[:-1] + b"x")
    assert charts.vega_bundle(tmp_path) == bundle
    assert kept.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert charts.vega_bundle(blocked) is not None


def test_the_licences_of_all_that_the_bundle_holds_are_there() -> None:
    text = (Path(__file__).parent.parent / "templates/static/vega-licenses.txt").read_text(encoding="utf-8")
    for name in ("vega, ", "vega-lite", "vega-embed", "d3-array", "vega-tooltip", "fast-json-patch", "semver"):
        assert name in text


def test_the_script_of_the_live_charts_is_inert_and_gives_the_specs_back() -> None:
    runs = campaign(name=HOSTILE)
    made = charts.charts(runs, split(runs), color=color)
    script = charts.live_script(made.drawn).decode()
    literal = re.fullmatch(r'window\.sitegenCharts=JSON\.parse\((".*")\);\n', script)
    assert literal
    assert not set("<>&") & set(script)
    assert json.loads(json.loads(literal[1])) == {
        chart.id: {"spec": chart.spec, "alone": chart.alone} for chart in made.drawn
    }
