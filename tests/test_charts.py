"""What the charts say, how they are drawn, and what may never be in them."""

from __future__ import annotations

import ast
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import html5lib
import pytest

from sitegen import charts
from sitegen.axes import Axis, tick_label
from sitegen.drawing import compact
from sitegen.findings import MARKS, clipped, told_apart
from sitegen.findings.dearest import most_expensive
from sitegen.findings.money import money_by_kind
from sitegen.findings.tokens import tokens_by_kind
from sitegen.findings.turns import cost_by_turns
from sitegen.model import Entry, Status, Tokens
from tests.chart_runs import OPUS, SONNET, campaign, color, entry, split

HOSTILE = "\"><script>alert(1)</script> {{datum.url}} ' & \u2028 [0].constructor(\\'x\\')"


@pytest.fixture(scope="module")
def drawn() -> charts.Charts:
    runs = campaign()
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


def drawing(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  our own


def layout(chart: charts.Chart) -> Any:
    return json.loads(json.dumps({key: value for key, value in chart.spec.items() if key != "datasets"}))


# What they say


def test_every_question_has_its_chart(drawn: charts.Charts) -> None:
    assert [chart.id for chart in drawn.drawn] == ["money-by-kind", "most-expensive", "cost-by-turns", "tokens-by-kind"]
    assert drawn.left_out == ()
    assert drawn.problem is None


def test_titles_state_what_the_data_show() -> None:
    runs = [entry(1, cost=6.0), entry(2, cost=2.0), entry(3, cost=2.0, model=OPUS)]
    found = most_expensive(runs, color)
    assert not isinstance(found, str)
    assert found.title == "The dearest of 3 runs took 60% of the money"
    money = money_by_kind(runs, {run.id: {"cache_read": 0.25, "output": 0.75} for run in runs})
    assert not isinstance(money, str)
    assert money.title == "Cache reads are 90% of the tokens and 25% of the bill"
    tokens = tokens_by_kind(runs)
    assert not isinstance(tokens, str)
    assert tokens.title == "For each token it writes, a typical run reads 58 from the cache"


@pytest.mark.parametrize(
    ("same_tasks", "title"),
    [
        (True, "Turn for turn, Opus 4.5 cost 2.0 times as much as Sonnet 4.5"),
        (False, "A turn cost 20¢ with Opus 4.5 and 10¢ with Sonnet 4.5"),
    ],
)
def test_models_are_compared_only_on_the_same_tasks(same_tasks: bool, title: str) -> None:
    sonnet = [entry(i, cost=1.0, model=SONNET) for i in range(5)]
    opus = [entry(i + 5, cost=2.0, model=OPUS, name="task" if same_tasks else "other") for i in range(5)]
    found = cost_by_turns([*sonnet, *opus], color)
    assert not isinstance(found, str)
    assert found.title == title


@pytest.mark.parametrize(
    ("runs", "ids", "left_out"),
    [
        ([], [], 4),
        ([entry(1)], ["money-by-kind"], 3),
        ([entry(1), entry(2)], ["money-by-kind", "most-expensive", "tokens-by-kind"], 1),
        ([entry(i, cost=None) for i in range(5)], ["tokens-by-kind"], 3),
        ([entry(i, cost=0.0) for i in range(5)], ["tokens-by-kind"], 3),
        ([entry(i, turns=None) for i in range(5)], ["money-by-kind", "most-expensive", "tokens-by-kind"], 1),
        ([entry(i, tokens=Tokens(0, 0, 0, 0)) for i in range(5)], ["most-expensive", "cost-by-turns"], 2),
        ([entry(i, tokens=Tokens()) for i in range(5)], ["most-expensive", "cost-by-turns"], 2),
    ],
)
def test_a_chart_that_would_say_nothing_is_left_out_with_a_reason(
    runs: list[Entry], ids: list[str], left_out: int
) -> None:
    by_kind = {run.id: {"output": run.run.cost_usd} for run in runs if run.run.cost_usd is not None}
    made = charts.charts(runs, by_kind, color=color)
    assert [chart.id for chart in made.drawn] == ids
    assert len(made.left_out) == left_out
    assert all(reason.endswith(".") for reason in made.left_out)


def test_the_split_says_of_how_many_runs_it_is() -> None:
    runs = campaign(10)
    by_kind = split(runs[:7])
    found = money_by_kind(runs, by_kind)
    assert not isinstance(found, str)
    assert "7 of 10 runs with a cost" in found.note


def test_counts_of_zero_are_not_drawn_on_a_log_scale_and_said() -> None:
    runs = [*campaign(4), entry(9, tokens=Tokens(100, 0, 0, 100))]
    found = tokens_by_kind(runs)
    assert not isinstance(found, str)
    assert "1 with no cache read, 1 with no cache write" in found.note
    assert all(float(row["tokens"]) > 0 for row in found.data["dots"])
    assert [cell.text for cell in found.rows[0]] == ["cache read", "5", "0", "460,000", "520,000"]


def test_a_cost_that_its_ledger_does_not_give_is_not_split_by_model() -> None:
    runs = [entry(1, cost=2.0, helper=0.5), entry(2, cost=1.0)]
    odd = Entry(**{name: getattr(runs[0], name) for name in Entry.__slots__})
    object.__setattr__(odd, "run", type(odd.run)("r", Status.OK, ledger=odd.run.ledger, cost_usd=9.0))
    found = most_expensive([odd, runs[1]], color)
    assert not isinstance(found, str)
    first = [row for row in found.data["segments"] if row["href"] == f"runs/{odd.id}.html"]
    assert [(row["start"], row["end"], row["color"]) for row in first] == [(0.0, 9.0, "var(--muted)")]
    assert ("muted", "model not known") in found.legend


def test_runs_that_did_not_complete_are_hollow() -> None:
    found = cost_by_turns([entry(1), entry(2), entry(3, status=Status.STOPPED)], color)
    assert not isinstance(found, str)
    assert (len(found.data["dots"]), len(found.data["rings"])) == (2, 1)
    assert str(found.data["rings"][0]["tip"]).endswith("$1.00, 10 turns, stopped")
    assert "hollow dots did not complete" in found.note


@pytest.mark.parametrize(("most", "logarithmic"), [(29.0, False), (31.0, True)])
def test_scales_are_logarithmic_where_the_spread_asks_for_it(most: float, logarithmic: bool) -> None:
    found = cost_by_turns([entry(1), entry(2, cost=most), entry(3), entry(4, cost=0.0)], color)
    assert not isinstance(found, str)
    assert found.y.logarithmic is logarithmic
    assert ("log scales" in found.note) is logarithmic
    assert ("1 run with no turns or no cost left out" in found.note) is logarithmic


def test_too_many_runs_are_put_together_and_the_note_says_so() -> None:
    runs = [entry(i, cost=0.1 + (i * 37 % 997) / 500, turns=1 + i * 61 % 89) for i in range(1500)]
    found = cost_by_turns(runs, color)
    assert not isinstance(found, str)
    dots = found.data["dots"]
    assert len(dots) <= MARKS
    joined = [re.match(r"([\d,]+) runs\n", str(dot["tip"])) for dot in dots]
    assert sum(int(match[1].replace(",", "")) if match else 1 for match in joined) == 1500
    assert "1,500 runs; those that lie close are one dot" in found.note
    assert all(dot["href"] == "" for dot, match in zip(dots, joined, strict=True) if match)
    tokens = tokens_by_kind(runs)
    assert not isinstance(tokens, str)
    assert len(tokens.data["dots"]) <= MARKS
    assert "One dot for 6 runs of like size" in tokens.note


def effort(sonnet: float, opus: float) -> list[Entry]:
    """Runs of two models whose cost grows with their turns, at these rates."""
    rates = {SONNET: sonnet, OPUS: opus}
    return [
        entry(i, cost=(10 + 2 * i) * rates[model] * (0.9 + 0.05 * (i % 5)), turns=10 + 2 * i, model=model)
        for i, model in enumerate((SONNET, OPUS) * 12)
    ]


def test_lines_are_named_where_the_name_covers_no_dot() -> None:
    found = cost_by_turns(effort(0.02, 0.05), color)
    assert not isinstance(found, str)
    names = [(side, row) for side in ("left", "right") for row in found.data[f"names_{side}"]]
    assert sorted(row["text"] for _, row in names) == ["Opus 4.5, 5.0¢ a turn", "Sonnet 4.5, 2.0¢ a turn"]
    assert found.legend == ()
    for side, row in names:
        head, width = found.x.share(float(row["turns"])) * 446, 6.7 * len(str(row["text"]))
        left = head - width if side == "left" else head
        middle = found.y.share(float(row["usd"])) * found.height
        for dot in found.data["dots"]:
            across, up = found.x.share(float(dot["turns"])) * 446, found.y.share(float(dot["usd"])) * found.height
            assert not (left < across < left + width and abs(up - middle) < 9)


def test_lines_whose_names_find_no_room_are_named_in_the_legend() -> None:
    found = cost_by_turns(campaign(), color)
    assert not isinstance(found, str)
    assert found.data["names_left"] == found.data["names_right"] == []
    assert len(found.data["lines"]) == 4
    assert [css_class for css_class, _ in found.legend] == ["m-claude-opus-4-5", "m-claude-sonnet-4-5"]
    assert all(re.fullmatch(r"(Opus|Sonnet) 4\.5, [\d.]+¢ a turn", text) for _, text in found.legend)


def test_long_names_that_begin_alike_are_cut_at_their_beginning() -> None:
    assert told_apart(["a long name, first", "a long name, second"], 10) == ["…me, first", "…e, second"]
    assert told_apart(["first of long names", "second of long names"], 10) == ["first of…", "second of…"]


# What may never be in them


def test_no_text_of_a_run_reaches_a_spec_outside_of_its_rows() -> None:
    plain, hostile = campaign(), campaign(name=HOSTILE)
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
        "band", "color", "cost", "end", "href", "name", "series", "size", "start", "text", "tip", "tokens", "total",
        "turns", "usd", "x", "y", "y2",
    }  # fmt: skip


def test_specs_are_json_without_nan_and_the_same_every_time(drawn: charts.Charts) -> None:
    runs = campaign()
    again = charts.charts(runs, split(runs), color=color)
    assert again == drawn
    for chart in drawn.drawn:
        json.dumps(chart.spec, allow_nan=False)


# How they are drawn


def test_drawings_hold_shapes_and_text_and_nothing_else(drawn: charts.Charts) -> None:
    for chart in drawn.drawn:
        for svg, width in ((chart.wide_svg, charts.WIDE), (chart.slim_svg, charts.SLIM)):
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


def test_every_bar_links_to_its_run_once(drawn: charts.Charts) -> None:
    chart = drawn.drawn[1]
    links = drawing(chart.wide_svg or "").findall("a")
    assert [link.get("href") for link in links] == [f"runs/run-{number:012x}.html" for number in range(30, 20, -1)]
    assert links[0].findtext("title") == "task 30: $1.50"
    assert links[0].findtext("text") == "task 30"
    assert len(links[0].findall(".//rect")) == 2
    assert chart.has_links
    assert not any(other.has_links or "<a" in str(other.wide_svg) for other in drawn.drawn if other is not chart)


def test_drawings_are_strict_html_whatever_runs_are_called() -> None:
    runs = campaign(name=HOSTILE + "\x0b\ud800\ufffe")
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


# Without vl-convert, and its bundle


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    charts._vl_convert.cache_clear()
    yield
    charts._vl_convert.cache_clear()


@pytest.mark.usefixtures("no_engine")
def test_without_vl_convert_tables_stay_and_one_sentence_says_why(tmp_path: Path) -> None:
    runs = campaign()
    made = charts.charts(runs, split(runs), color=color)
    assert len(made.drawn) == 4
    assert all(chart.rows and chart.wide_svg is None and chart.slim_svg is None for chart in made.drawn)
    assert made.problem is not None and "vl-convert cannot be loaded" in made.problem
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


def test_the_script_of_the_live_charts_is_inert_ascii_that_gives_the_specs_back() -> None:
    runs = campaign(name=HOSTILE)
    made = charts.charts(runs, split(runs), color=color)
    script = charts.live_script(made.drawn).decode("ascii")
    literal = re.fullmatch(r"window\.sitegenCharts = JSON\.parse\(('.*')\);\n", script)
    assert literal
    assert not set("<>&") & set(script)
    assert json.loads(ast.literal_eval(literal[1])) == {chart.id: chart.spec for chart in made.drawn}


# Scales and words


@pytest.mark.parametrize(
    ("axis", "whole", "ticks"),
    [
        (Axis(0, 66, False), True, [0, 20, 40, 60]),
        (Axis(0, 1.86, False), False, [0, 0.5, 1, 1.5]),
        (Axis(0, 2.1, False), True, [0, 1, 2]),
        (Axis(0, 0.0042, False), False, [0, 0.001, 0.002, 0.003, 0.004]),
        (Axis(3_000, 5e6, True), True, [10_000, 100_000, 1_000_000]),
        (Axis(0.7, 40, True), True, [1, 3, 10, 30]),
        (Axis(0.0007, 0.02, True), False, [0.001, 0.003, 0.01]),
    ],
)
def test_ticks_are_round_and_few(axis: Axis, whole: bool, ticks: list[float]) -> None:
    assert axis.ticks(whole) == ticks
    assert all(math.isclose(axis.value(axis.share(tick)), tick, abs_tol=1e-9) for tick in ticks)


@pytest.mark.parametrize("magnitude", range(-9, 16))
@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_scale_has_one_to_eight_ticks(magnitude: int, logarithmic: bool) -> None:
    for spread in (1.0, 1.01, 3.0, 1e6):
        axis = Axis.over([10.0**magnitude, spread * 10.0**magnitude], logarithmic)
        assert 1 <= len(axis.ticks()) <= 8


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (20, "20"), (10_000, "10\u202fk"), (3e6, "3\u202fM"), (2500, "2.5\u202fk")]
)
def test_labels_of_ticks_have_no_idle_zeros(value: float, text: str) -> None:
    assert tick_label(value) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("abcde", "abcde"),
        ("abcdef", "abcd…"),
        ("日本語", "日…"),
        ("e\u0301" * 5, "e\u0301" * 5),
        ("a\nb  c", "a b c"),
        ("", ""),
    ],
)
def test_long_names_are_cut_to_their_width(text: str, short: str) -> None:
    assert clipped(text, 5) == short
