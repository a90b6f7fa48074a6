"""How the charts are laid out and drawn, and what may never be in them."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import altair as alt
import html5lib
import pytest
from jsonschema import ValidationError

from sitegen.charts import axes, chart_set, converter
from sitegen.charts.chart_files import live_script, spec_files, vega_bundle
from sitegen.charts.drawing import compact
from sitegen.charts.findings import MAX_DOTS, Finding, interval_columns
from sitegen.html import theme
from sitegen.html.render import Renderer, View
from sitegen.model import TOKEN_KINDS, Outcome
from sitegen.numbers.intervals import Interval
from tests.conftest import ROOT
from tests.support.chart_runs import IDS, OPUS, campaign, color, drawing, entry, many, split
from tests.support.watching import calls_of

HOSTILE = "\"><script>alert(1)</script> {{datum.url}} ' & \u2028 [0].constructor(\\'x\\')"


@pytest.fixture(scope="module")
def drawn() -> chart_set.Charts:
    runs = campaign(judged=True)
    return chart_set.charts(runs, split(runs), color=color)


def walk(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every key of a spec with its path and value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path, key, inner
            yield from walk(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, path)


def layout(chart: Finding) -> Any:
    return {key: value for key, value in chart.spec.items() if key != "datasets"}


def test_a_chart_that_says_the_same_is_not_made_again() -> None:
    kept: dict[tuple[object, str, bytes], Any] = {}
    memory = Mock(
        stamp=lambda *values: hashlib.sha256(repr(values).encode()).digest(),
        recall=lambda *key: kept.get(key),
        keep=lambda *key_and_value: kept.update({key_and_value[:3]: key_and_value[3]}),
    )
    runs = campaign(judged=True)
    first = chart_set.charts(runs, split(runs), color=color, memory=memory)
    with calls_of(chart_set.drawings) as made:
        assert chart_set.charts(runs, split(runs), color=color, memory=memory) == first
    assert made == [] and len(kept) == len(IDS)
    runs[10] = replace(runs[10], run=replace(runs[10].run, turns=99))
    with calls_of(chart_set.drawings) as made:
        again = chart_set.charts(runs, split(runs), color=color, memory=memory)
    assert len(made) == 1
    assert again.drawn == chart_set.charts(runs, split(runs), color=color).drawn


def test_colours_that_name_each_other_in_a_circle_end(drawn: chart_set.Charts) -> None:
    styles = COLORS + ":root{--muted:var(--ink);--ink:var(--muted)}"
    assert b'"var(--' in spec_files(drawn.drawn, styles)["charts/cost-by-turns.vl.json"]


def test_a_drawing_has_as_many_marks_as_a_page_can_carry() -> None:
    for name, runs in (
        ("cost-by-turns", many(MAX_DOTS + 1)),
        ("tokens-by-kind", many(MAX_DOTS // 4)),
    ):
        chart = {chart.id: chart for chart in chart_set.charts(runs, {}, color=color).drawn}[name]
        assert chart.wide_svg is not None
        assert MAX_DOTS / 2 < len(dots_of(drawing(chart.wide_svg))) <= MAX_DOTS + 10
        assert len(f"{chart.wide_svg}{chart.slim_svg}") < 45_000


# What may never be in them


def everything(name: str, model: str) -> chart_set.Charts:
    """All charts, of runs and models that are called so."""
    runs = [
        replace(
            run,
            model=f"{run.model}{model}",
            ledger_names=tuple(f"{each}{model}" for each in run.ledger_names),
        )
        for run in campaign(name=name, judged=True)
    ]
    scored = [
        replace(run, scores=(replace(run.scores[0], name=f"s{name}", unit=model or "x"),))
        for run in runs
    ]
    marks = {
        color(run.model or ""): shape
        for run, shape in zip(runs, ("diamond", "square"), strict=False)
    }
    by_kind = {run.id: dict.fromkeys(TOKEN_KINDS, (run.run.cost_usd or 0) / 4) for run in runs}
    return chart_set.charts(scored, by_kind, color=color, shapes=marks)


def expressions(value: Any, key: str = "") -> Iterator[str]:
    """All that Vega evaluates."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from expressions(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from expressions(inner, key)
    elif key in {"signal", "expr", "update", "test", "init"}:
        yield str(value)


def test_no_text_of_a_run_is_evaluated_or_names_a_field() -> None:
    plain, hostile = everything("task", ""), everything(HOSTILE, HOSTILE)
    assert len(plain.drawn) == len(hostile.drawn) == len(IDS)
    for first, second in zip(plain.drawn, hostile.drawn, strict=True):
        kept = [
            [
                (path, key, value)
                for path, key, value in walk(layout(chart))
                if key in {"field", "expr", "labelExpr", "calculate", "filter"}
            ]
            for chart in (first, second)
        ]
        assert all(each in kept[0] for each in kept[1]), "long names find no room"
        vega = converter.call("vegalite_to_vega", second.spec)
        assert not [
            each
            for each in expressions({**vega, "data": []})
            if "alert" in each or "constructor" in each
        ]
        transforms = [each.get("transform", []) for each in vega["data"]]
        assert not [
            each for each in expressions(transforms) if "alert" in each or "constructor" in each
        ]


def test_specs_are_short_and_of_columns_that_are_known(drawn: chart_set.Charts) -> None:
    of_many = chart_set.charts(many(MAX_DOTS + 1), {}, color=color)
    marked = everything("task", "")
    columns = set()
    for chart in (*drawn.drawn, *of_many.drawn, *marked.drawn):
        assert len(json.dumps(layout(chart))) <= 6_500 and len(chart.spec["layer"]) <= 6
        for path, key, value in walk(layout(chart)):
            assert key not in {"usermeta", "url", "signal", "params", "$schema"}
            if key == "href":
                assert value == {"field": "page", "type": "nominal"}, path
            if key == "field":
                columns.add(value)
            if key == "data":
                assert set(value) == {"name"}
        for rows in chart.spec["datasets"].values():
            for row in rows:
                columns |= set(row)
                assert re.fullmatch(r"(runs/run-[0-9a-f]{12}\.html)?", row.get("page", ""))
                assert not any("var(" in str(value) for value in row.values()), (
                    "colours are for scales"
                )
    assert columns - COLUMNS == set(), (
        "use names of data/runs.csv, or add derived ones to COLUMNS below"
    )


COLUMNS = {
    # those of data/runs.csv, and of a table that has a row for each of their values
    "configuration",
    "cost_usd",
    "name",
    "outcome",
    "page",
    "started_at",
    "status",
    "turns",
    "kind",
    "tokens",
    # derived from them
    "all_tokens",
    "all_usd",
    "configurations",
    "cost_from_usd",
    "cost_above_usd",
    "cost_below_usd",
    "cost_high_usd",
    "cost_low_usd",
    "cost_per_turn_usd",
    "cost_to_usd",
    "is_labelled",
    "is_lower_bound",
    "is_on_frontier",
    "jitter",
    "judged_runs",
    "label",
    "label_usd",
    "mean_cost_usd",
    "mean_score",
    "mean_score_above",
    "mean_score_below",
    "mean_score_high",
    "mean_score_low",
    "median_tokens",
    "middle",
    "passed_runs",
    "row",
    "runs",
    "score",
    "scored_runs",
    "share",
    "share_from",
    "share_to",
    "spent_usd",
    "success_rate",
    "success_rate_above",
    "success_rate_below",
    "success_rate_high",
    "success_rate_low",
    "tokens_from",
    "tokens_to",
    "total",
    # offsets of names
    "align",
    "dy",
}


@pytest.mark.filterwarnings("error")
def test_title_colours_and_scale_of_a_chart_change_by_an_assignment_each(
    drawn: chart_set.Charts,
) -> None:
    for chart in drawn.drawn:
        spec = json.loads(spec_files([chart], COLORS)[f"charts/{chart.id}.vl.json"])
        encodings = alt.Chart.from_dict(spec).layer[0].encoding
        axis = encodings.y if chart.id == "spend" else encodings.x
        for kind in (
            "sqrt",
            axis.scale.type if axis.scale.type == "log" or chart.id in _BARS else "log",
        ):
            made = alt.Chart.from_dict(spec)
            encodings = made.layer[0].encoding
            made.title.text = "Another title"
            encodings.color.scale.range = ["#123456", "#654321"]
            (encodings.y if chart.id == "spend" else encodings.x).scale.type = kind
            svg = converter.call("vegalite_to_svg", made.to_dict())
            assert "Another title" in svg and "#123456" in svg and "NaN" not in svg, chart.id
            assert svg != converter.call("vegalite_to_svg", spec)
            labels = [text.text for text in drawing(svg).iter("{http://www.w3.org/2000/svg}text")]
            assert (
                kind != "log"
                or axis.scale.type == "log"
                or not {"0", "$0", "$0.00"} & set(labels[:4])
            ), chart.id


_BARS = {"money-by-kind"}
"""Charts of lengths, which have no logarithm."""


def test_specs_are_valid_vega_lite(drawn: chart_set.Charts) -> None:
    of_many = chart_set.charts(many(MAX_DOTS + 1), {}, color=color)
    for chart in drawn.drawn + of_many.drawn:
        alt.LayerChart.from_dict(dict(chart.spec))
        broken = {**chart.spec, "layer": [{**chart.spec["layer"][0], "mark": {"type": "bars"}}]}
        with pytest.raises(ValidationError):
            alt.LayerChart.from_dict(broken)


def test_specs_are_json_without_nan_and_the_same_every_time(drawn: chart_set.Charts) -> None:
    runs = campaign(judged=True)
    again = chart_set.charts(runs, split(runs), color=color)
    assert again == drawn
    for chart in drawn.drawn:
        json.dumps(chart.spec, allow_nan=False)


# As files of their own

COLORS = (
    ":root{--bg: #eee; --ink:#111;--muted:#666;--strong:#111;--line:#ddd;--accent:#00f;--model-1:#158f85}"
    + (
        ":root { --bg: light-dark(rgb(1, 2, 3), rgb(4, 5, 6)); }"  # as a theme adds it
        "@media (prefers-contrast: more) {\n:root { --bg: #000; }\n.a{color:red}\n} :root:root{--bg:#000}"
        + "".join(
            f":root{{--{kind}:#123}}" for kind in ("cache-read", "cache-write", "input", "output")
        )
        + "".join(
            f":root{{--m-claude-{name}-4-5:var(--model-1)}}" for name in ("sonnet", "opus", "haiku")
        )
    )
)


def test_a_spec_in_a_file_is_complete_and_needs_no_stylesheet(drawn: chart_set.Charts) -> None:
    files = spec_files(drawn.drawn, COLORS)
    assert list(files) == [f"charts/{name}.vl.json" for name in IDS]
    for chart, content in zip(drawn.drawn, files.values(), strict=True):
        spec = json.loads(content)
        assert spec.pop("$schema") == "https://vega.github.io/schema/vega-lite/v6.json"
        alt.LayerChart.from_dict(spec)
        assert "var(" not in content.decode() and "light-dark(" not in content.decode()
        assert spec["config"]["background"] == "rgb(1, 2, 3)"
        assert " ".join(spec["title"]["text"]) == chart.title
        assert " ".join(spec["title"]["subtitle"]) == chart.note
        assert spec["datasets"] == chart.spec["datasets"]


def test_a_spec_in_a_file_draws_its_title_its_legend_and_its_marks(drawn: chart_set.Charts) -> None:
    money = spec_files(drawn.drawn, COLORS)["charts/money-by-kind.vl.json"]
    svg = converter.call("vegalite_to_svg", money.decode())
    texts = "".join(drawing(svg).itertext())
    for said in (drawn.drawn[2].title, "cache write", "tokens", "dollars"):
        assert said in texts
    assert svg.count('fill="#123"') >= 4 * 2 * 2


# How they are drawn


def test_drawings_hold_shapes_and_text_and_nothing_else(drawn: chart_set.Charts) -> None:
    for chart in drawn.drawn:
        for svg, width in ((chart.wide_svg, axes.WIDE), (chart.slim_svg, axes.SLIM)):
            assert svg is not None
            root = drawing(svg)
            assert (root.get("width"), root.get("height")) == (
                str(width),
                drawing(chart.wide_svg or "").get("height"),
            )
            for element in root.iter():
                assert element.tag in {
                    "svg",
                    "g",
                    "rect",
                    "circle",
                    "line",
                    "path",
                    "text",
                }
                assert (
                    not {"style", "id", "role", "class", "opacity"} & set(element.attrib)
                    or element is root
                )
            assert len(svg) < 14_000
            assert "http" not in svg


def test_tables_hold_plain_figures_in_one_unit_which_their_heads_name(
    drawn: chart_set.Charts,
) -> None:
    for chart in drawn.drawn:
        heads = [cell.text for cell in chart.table.columns]
        assert [cell.numeric for cell in chart.table.columns] == [
            cell.numeric for cell in chart.table.rows[0]
        ]
        for row in chart.table.rows:
            for cell in row:
                assert not cell.numeric or re.fullmatch(r"–|[<>]?−?[\d,]+(\.\d+)?\+?", cell.text), (
                    chart.id,
                    cell,
                )
        money = [
            head
            for head in heads
            if re.search("cost|spent|so far", head, re.IGNORECASE) and "%" not in head
        ]
        assert all(head.endswith(", $") for head in money) and len(set(heads)) == len(heads)


def test_drawings_are_strict_html_whatever_runs_are_called() -> None:
    runs = campaign(name=HOSTILE + "\x0b\ud800\ufffe", judged=True)
    made = chart_set.charts(runs, split(runs), color=color)
    assert made.problem is None
    body = "".join(f"{chart.wide_svg}{chart.slim_svg}" for chart in made.drawn)
    assert "<script" not in body
    page = f"<!doctype html><html lang=en><title>t</title><body>{body}</body></html>"
    html5lib.HTMLParser(strict=True).parse(page)


def test_a_drawing_keeps_no_link_and_no_unknown_transformation() -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
    shape = '<path transform="translate(1.04,2)" d="M0,0h3v4h-3Z" fill="red"/>'
    link = f'<a xlink:href="https://example.org/base/runs/a.html">{shape}</a>'
    linked = compact(f"{head}{link}</svg>", "c")
    assert linked is not None and "<a" not in linked and "href" not in linked
    root = drawing(linked)
    rect = {"x": "1", "y": "2", "width": "3", "height": "4", "fill": "red"}
    assert [element.attrib for element in root.iter("rect")] == [rect]
    turned = compact(f'{head}<text transform="rotate(9)">x</text></svg>', "c")
    assert turned is not None and 'transform="translate(0,0)rotate(9)"' in turned
    for element in ('<text transform="scale(9)">x</text>', '<g transform="rotate(9)"/>', "<text>"):
        assert compact(f"{head}{element}</svg>", "c") is None


def dots_of(root: ElementTree.Element) -> list[str]:
    """Where the dots of a drawing stand from its left."""
    return [element.get("cx", "") for element in root.iter("circle")]


# Without vl-convert, and its bundle


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    converter.stop()
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("no_engine")
def test_without_vl_convert_tables_stay_and_one_sentence_says_why(tmp_path: Path) -> None:
    runs = campaign()
    made = chart_set.charts(runs, split(runs), color=color)
    assert made.drawn
    assert all(
        chart.table.rows and chart.wide_svg is None and chart.slim_svg is None
        for chart in made.drawn
    )
    assert made.problem is not None and "vl-convert is not installed" in made.problem
    assert vega_bundle(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_bundle_is_kept_and_made_again_when_its_copy_is_damaged(tmp_path: Path) -> None:
    bundle = vega_bundle(tmp_path)
    assert bundle is not None and b"window.sitegenVega = " in bundle.replace(
        b"sitegenVega=", b"sitegenVega = "
    )
    (kept,) = tmp_path.iterdir()
    content = kept.read_bytes()
    assert content.endswith(bundle)
    kept.write_bytes(content[:-1] + b"x")
    assert vega_bundle(tmp_path) == bundle
    assert kept.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert vega_bundle(blocked) is not None


def test_the_licences_of_all_that_the_bundle_holds_are_there() -> None:
    text = (ROOT / "templates/static/vega-licenses.txt").read_text(encoding="utf-8")
    for name in (
        "vega, ",
        "vega-lite",
        "vega-embed",
        "d3-array",
        "vega-tooltip",
        "fast-json-patch",
        "semver",
    ):
        assert name in text


def test_the_script_of_the_live_charts_is_inert_and_gives_the_specs_back() -> None:
    runs = campaign(name=HOSTILE)
    made = chart_set.charts(runs, split(runs), color=color)
    script = live_script(made.drawn).decode()
    literal = re.fullmatch(r'window\.sitegenCharts=JSON\.parse\((".*")\);\n', script)
    assert literal
    assert not set("<>&") & set(script)
    for chart, (name, given) in zip(
        made.drawn, json.loads(json.loads(literal[1])).items(), strict=True
    ):
        assert (chart.id, chart.spec) == (name, given["spec"])
        assert (
            given["page"]["padding"]["left"] == chart.plot.frame.left
            and given["page"]["autosize"] == "none"
        )


def triangles(chart: Finding) -> list[str]:
    """The paths of three lines each that are filled."""
    root = drawing(chart.wide_svg or "")
    paths = [each.get("d", "") for each in root.iter() if each.tag.endswith("path")]
    return [path for path in paths if re.fullmatch(r"M[^MLHVZ]+(?:[LHV][^MLHVZ]+){2,3}Z", path)]


def test_a_line_that_a_chart_cuts_ends_in_an_arrow() -> None:
    """The interval of a mean of five tasks that differ much goes far beyond the axis."""
    for costs, arrows in (((0.1, 0.2, 0.5, 3, 9), 1), ((1.0, 1.1, 1.2, 1.3, 1.9), 0)):
        runs = [
            entry(at, cost=cost, name=f"task {at}", outcome=Outcome.PASS)
            for at, cost in enumerate(costs)
        ]
        others = [
            entry(10 + at, cost=1.0, model=OPUS, name=f"task {at}", outcome=Outcome.FAIL)
            for at in range(5)
        ]
        (chart,) = (
            each
            for each in chart_set.charts([*runs, *others], {}, color=color).drawn
            if each.id == "cost-by-success"
        )
        mean = max(chart.data["means"], key=lambda row: row["success_rate"])
        assert (mean["cost_above_usd"] == chart.plot.x.high) is bool(arrows)
        assert mean["cost_below_usd"] is None
        assert len(triangles(chart)) == arrows, triangles(chart)


@pytest.mark.parametrize(
    ("low", "high", "below", "above"),
    [
        (2, 9, None, None),
        (0.5, 9, 1, None),
        (2, 11, None, 10),
        (-math.inf, math.inf, 1, 10),
        (1, 10, None, None),
    ],
)
def test_ends_beyond_the_axis_are_told_on_both_sides(
    low: float, high: float, below: float | None, above: float | None
) -> None:
    axis = axes.Axis(1, 10, logarithmic=True)
    row = interval_columns("cost{}_usd", Interval(low, high), axis)
    assert (row["cost_below_usd"], row["cost_above_usd"]) == (below, above)
    assert all(value is None or math.isfinite(value) for value in row.values())


@pytest.mark.parametrize(
    ("ends", "ways"),
    [
        ((0.2, 0.8), []),
        ((0.0, 1.0), []),
        ((-0.1, 0.8), ["left"]),
        ((0.2, 1.1), ["right"]),
        ((-math.inf, math.inf), ["left", "right"]),
    ],
)
def test_a_line_of_a_small_drawing_ends_in_an_arrow_where_it_is_cut(
    ends: tuple[float, float], ways: list[str]
) -> None:
    macros = Renderer(theme.load(), View())._environment.get_template("_shapes.html.jinja").module
    drawn = macros.interval("axis", *ends, 13)  # type: ignore[attr-defined]
    assert re.findall('href="#i-([a-z]+)"', drawn) == ways
    places = re.findall(r'x[12]="([^"]*)%"', drawn)
    assert len(places) == 2
    assert all(0 <= float(place) <= 100 for place in places)
