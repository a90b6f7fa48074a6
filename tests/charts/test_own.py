"""Charts of the user: what a Vega-Lite file may draw, and what it must never do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakSet

import altair as alt
import pytest

from sitegen import load_runs
from sitegen.api import CHARTS
from sitegen.cache.memory import NO_MEMORY
from sitegen.charts.own import MAX_BYTES, _count_of_steps, own_chart
from sitegen.config import Config
from sitegen.errors import ConfigError
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

ROWS = [
    {
        "task": f"t{i}",
        "model": "ab"[i % 2],
        "models": ["a"],
        "cost_usd": 1.0 + i,
        "turns": i,
        "configuration": None,
    }
    | {"score.speed up": 2.0}
    for i in range(9)
]
X, Y = {"field": "turns", "type": "quantitative"}, {"field": "cost_usd", "type": "quantitative"}
PLAIN: dict[str, Any] = {"data": {"name": "runs"}, "mark": "point", "encoding": {"x": X, "y": Y}}


def drawn(folder: Path, spec: Any) -> Any:
    path = folder / "mine.vl.json"
    path.write_text(spec if isinstance(spec, str) else json.dumps(spec), encoding="utf-8")
    return own_chart(path, lambda source: [] if source == "figures" else ROWS, NO_MEMORY)


def placed(place: str, value: object) -> dict[str, Any]:
    """The plain spec with a value at a place."""
    spec = json.loads(json.dumps(PLAIN))
    *above, last = place.split(".")
    inner = spec
    for part in above:
        if not isinstance(inner.get(part), dict):
            inner[part] = {"type": inner[part]} if part == "mark" else {}
        inner = inner[part]
    inner[last] = value
    return spec


REMOTE = "https://elsewhere.example/x"
HOSTILE: Mapping[str, tuple[str, object]] = {
    "data": ("data", {"url": REMOTE}),
    "data ": ("data", {"name": "runs", "url": REMOTE}),
    "data  ": ("data", {"name": "secrets"}),
    "data   ": ("data", {"sequence": {"start": 0, "stop": 1e9}}),
    "data    ": ("data", {"values": [{"a": {"b": 1}}]}),
    "transform[0].from.data": (
        "transform",
        [{"lookup": "a", "from": {"data": {"url": REMOTE}, "key": "a"}}],
    ),
    "mark": ("mark", "image"),
    "mark.type": ("mark", {"type": "image"}),
    "mark.url": ("mark.url", REMOTE),
    "mark.href": ("mark.href", "javascript:alert(1)"),
    "mark.fill": ("mark.fill", f"URL ({REMOTE}#a)"),
    "encoding.url": ("encoding.url", {"field": "task"}),
    "encoding.href": ("encoding.href", {"value": REMOTE}),
    "encoding.x.axis.formatType": ("encoding.x.axis", {"formatType": "mine"}),
    "encoding.x.axis.labelExpr": ("encoding.x.axis", {"labelExpr": "open('x')"}),
    "encoding.color.condition.test": (
        "encoding.color",
        {"condition": {"test": "data('runs')", "value": "red"}},
    ),
    "usermeta": ("usermeta", {"embedOptions": {"loader": {}}}),
    "params[0].bind": ("params", [{"name": "p", "bind": {"input": "range"}}]),
    "params[0].select": ("params", [{"name": "p", "select": "point"}]),
    "params[0].expr": ("params", [{"name": "p", "expr": "now()"}]),
    "config.customFormatTypes": ("config", {"customFormatTypes": True}),
    "config.signals": ("config", {"signals": [{"name": "s"}]}),
    "config.mark.href": ("config", {"mark": {"href": REMOTE}}),
    "width": ("width", {"signal": "1"}),
    "height": ("height", 10**9),
    "datasets": ("datasets", {"runs": [{"cost_usd": 0}]}),
}


@pytest.mark.parametrize("place", HOSTILE)
def test_what_reaches_out_of_a_chart_is_refused_with_its_place(tmp_path: Path, place: str) -> None:
    where, value = HOSTILE[place]
    with pytest.raises(ConfigError) as refused:
        drawn(tmp_path, placed(where, value))
    said = str(refused.value)
    assert f"mine.vl.json: `{place.strip()}" in said and "\n" not in said and REMOTE not in said


@pytest.mark.parametrize("inner", ["layer", "hconcat", "vconcat", "concat"])
def test_a_part_of_a_chart_may_do_no_more_than_the_whole(tmp_path: Path, inner: str) -> None:
    for where, value in HOSTILE.values():
        with pytest.raises(ConfigError):
            drawn(tmp_path, {inner: [PLAIN, placed(where, value)]})


@pytest.mark.parametrize(
    "expression",
    [
        "now()",
        "random() < 1",
        "window.location",
        "datum.constructor",
        "datum['constructor']",
        "datum['con' + 'x']",
        "datum[datum.task]",
        "format.constructor('x')()",
        "[].constructor",
        "(1).x()",
        "datum.task.replace('a')",
        "data('runs')",
        "modify('x')",
        "warn(1)",
        "event",
        "item",
        "scale('x', 1)",
        "{a: 1}",
        "`x`",
        "datum.x = 1",
        "'\\u0061'",
        "a => a",
        "datum.a; 1",
        "datum . constructor",
        "this",
        "[datum][0]['__proto__']",
        "/x/.test('')",
        "datum['a'](1)",
        "datum(1)",
        "isValid.call(1)",
        "datum?.constructor",
    ],
)
def test_an_expression_outside_of_the_list_is_refused(tmp_path: Path, expression: str) -> None:
    places: list[Any] = [{"filter": expression}, {"filter": {"and": [{"not": expression}]}}]
    for transform in (*places, {"calculate": expression, "as": "a"}):
        with pytest.raises(ConfigError, match="is not allowed in an expression"):
            drawn(tmp_path, {**PLAIN, "transform": [transform]})


def test_usual_expressions_are_drawn(tmp_path: Path) -> None:
    usual = "isValid(datum.cost_usd) && datum['turns'] >= 0 ? format(100 * datum.cost_usd, ',.2f') : 'none, (x)'"
    listed = "indexof(datum.turns > 1 ? ['a'] : ['a', 'b'], datum.model) > -1"
    spec = {
        **PLAIN,
        "transform": [{"calculate": usual, "as": "said"}, {"filter": listed}],
    }
    spec["params"] = [{"name": "most", "value": 5}]
    spec["transform"].append({"filter": "datum.turns < most || datum.turns % 2 === 0"})
    spec["encoding"] = {**PLAIN["encoding"], "color": Y, "text": {"field": "said"}}
    made = drawn(
        tmp_path, {**spec, "mark": "text", "title": {"text": ["Mine", "too"], "subtitle": "a note"}}
    )
    assert (made.id, made.title, made.note) == ("own-mine", "Mine too", "a note")
    assert (
        ">100.00<" in made.wide_svg
        and "rotate(-90)" in made.wide_svg
        and "url(" not in made.wide_svg
    )
    assert made.slim_svg.startswith('<svg class="chart-slim" width="326"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "mine.vl.json:1:2: this is not JSON"),
        ("[]", "this is not a chart"),
        ("[" * 5000, "this is not JSON"),
        ("\x80", "this is no"),
        (" " * MAX_BYTES + "{}", "more than 100 kB"),
        ('{"mark": "bars"}', "this is not Vega-Lite"),
        *(
            (f'{{"mark": "bar", "data": {{"values": [{each}]}}}}', "this is not JSON")
            for each in ("NaN", "1e999", '"\\ud800"')
        ),
        (json.dumps({"a": json.loads("[" * 60 + "1" + "]" * 60)}), "lies too deep"),
    ],
)
def test_what_is_no_chart_is_called_so(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        drawn(tmp_path, text)


WRONG = {
    "encoding.x": ("encoding.x", {**X, "field": "turn"}),
    "encoding.y.field": ("encoding.y.field", "score['speed ups']"),
    "encoding.tooltip[0]": ("encoding.tooltip", [{"field": "score\\.speed up"}]),
    "encoding.x.sort": ("encoding.x.sort", {"field": "Turns"}),
    "encoding.color.condition": (
        "encoding.color",
        {"condition": {"test": "datum.turn > 1", "value": "red"}},
    ),
    "layer[0].encoding": (
        "layer",
        [{"mark": "point", "encoding": {"size": {"field": "costs_usd"}}}],
    ),
    "transform[0].groupby": ("transform", [{"aggregate": [], "groupby": ["tasks"]}]),
    "transform[0].filter": (
        "transform",
        [{"filter": {"and": ["datum['task'] != 't' && datum.turned"]}}],
    ),
    "transform[0].from.fields": (
        "transform",
        [
            {
                "lookup": "task",
                "from": {"data": {"name": "models"}, "key": "task", "fields": ["turn"]},
            }
        ],
    ),
}


@pytest.mark.parametrize("place", WRONG)
def test_a_field_that_is_no_column_is_refused_with_the_nearest_one(
    tmp_path: Path, place: str
) -> None:
    spec = placed(*WRONG[place])
    if "layer" in spec:
        del spec["mark"]
    with pytest.raises(ConfigError, match=r"have no column .*: did you mean '") as refused:
        drawn(tmp_path, spec)
    assert f"mine.vl.json: `{place}" in str(refused.value)


def test_fields_that_are_derived_or_parts_of_columns_are_drawn_and_those_without_values_are_said(
    tmp_path: Path,
) -> None:
    spec = placed("encoding.y", {"field": "gain", "type": "quantitative"})
    spec["transform"] = [
        {"calculate": "datum.score['speed up'] * 2", "as": "twice"},
        {"joinaggregate": [{"op": "mean", "field": "twice", "as": "gain"}], "groupby": ["task"]},
        {"filter": "isValid(datum.score) && datum.models.length > 0"},
    ]
    made = drawn(tmp_path, spec)
    assert made.remark is None
    assert {frozenset(row) for row in made.spec["datasets"]["runs"]} == {
        frozenset(("turns", "task", "score", "models"))
    }
    made = drawn(tmp_path, placed("encoding.color", {"field": "configuration"}))
    assert (made.remark or "").endswith(
        "`encoding.color.field`: runs have no value of 'configuration'; name a column that has values."
    )


def test_the_example_of_the_documentation_draws_the_demo(tmp_path: Path) -> None:
    example = re.search(
        r"```json\n(.*?)```", (ROOT / "docs/charts.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert example
    rows = load_runs(config=ROOT / "config.yaml").to_dicts()
    (tmp_path / "mine.vl.json").write_text(example[1], encoding="utf-8")
    made = own_chart(tmp_path / "mine.vl.json", lambda _: rows, NO_MEMORY)
    assert made.remark is None
    both = [row for row in rows if None not in (row["cost_usd"], row["score.speedup"])]
    assert made.wide_svg.count("<circle") == len(both) + len({row["model"] for row in both}) > 20
    assert "#000" not in made.wide_svg, "no page of another scheme shows it"


def test_whole_rows_of_many_runs_are_not_held_at_once(tmp_path: Path) -> None:
    held, most = WeakSet[_Row](), list[int]()

    def rows(_: str) -> Iterator[_Row]:
        for row in ROWS * 20:
            held.add(made := _Row(row))
            most.append(len(held))
            yield made

    (tmp_path / "mine.vl.json").write_text(json.dumps(PLAIN), encoding="utf-8")
    assert own_chart(tmp_path / "mine.vl.json", rows, NO_MEMORY).remark is None
    assert max(most) <= 3


class _Row(dict[str, Any]):
    """A row that can be watched."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def test_charts_of_the_settings_are_on_the_index_and_a_refused_one_stops_nothing(
    tmp_path: Path,
) -> None:
    scores = {
        f"t{n}/{n}.json": result(n, SONNET if n % 2 else OPUS, total_cost_usd=n / 2)
        for n in range(1, 6)
    }
    campaigns.write(tmp_path / "runs", scores)
    (tmp_path / "o.csv").write_text(
        "path,outcome,speedup\n" + "".join(f"t{n}/{n}.json,pass,{n}\n" for n in range(1, 6))
    )
    good = {
        **PLAIN,
        "title": "Gain <b>",
        "encoding": {"x": {**X, "field": "score.speedup"}, "y": Y},
    }
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts/gain.vl.json").write_text(json.dumps(good))
    (tmp_path / "charts/bad.vl.json").write_text(json.dumps({**PLAIN, "data": {"url": REMOTE}}))
    (tmp_path / "charts/Gain.json").write_text(json.dumps({**good, "title": "Another"}))
    named = "[charts/bad.vl.json, charts/gain.vl.json, charts/Gain.json]"
    settings = f"inputs: [runs]\noutcomes: [o.csv]\nsteps: none\ncharts: {named}\n"
    (tmp_path / "config.yaml").write_text(settings)
    done = sitegen("build", "-c", tmp_path / "config.yaml", "-o", tmp_path / "site")
    assert (
        done.returncode == 0 and "bad.vl.json: `data`: name runs, models or figures" in done.stderr
    )
    assert "Gain.json: an earlier chart is charts/own-gain.vl.json; rename the file" in done.stderr
    page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert (
        "Another" not in page
        and '<figure class="chart-figure" id="own-gain"' in page
        and "Gain &lt;b&gt;" in page
    )
    spec = json.loads((tmp_path / "site/charts/own-gain.vl.json").read_bytes())
    assert {tuple(row) for row in spec["datasets"]["runs"]} == {("cost_usd", "score")}, (
        "only what the spec names"
    )
    assert sorted(row["score"]["speedup"] for row in spec["datasets"]["runs"]) == [1, 2, 3, 4, 5]
    alt.Chart.from_dict(spec)
    (tmp_path / "outside.vl.json").write_text(json.dumps(good))
    (tmp_path / "charts/link.vl.json").symlink_to(tmp_path / "outside.vl.json")
    below = tmp_path / "charts/config.yaml"
    for named in (
        "../outside.vl.json",
        str(tmp_path / "outside.vl.json"),
        "link.vl.json",
        "s3://bucket/x.json",
    ):
        below.write_text(f"inputs: [../runs]\ncharts: ['{named}']\n")
        done = sitegen("build", "-c", below, "-o", tmp_path / "other")
        assert done.returncode == 2 and "config.yaml:2:10: 'charts.0'" in done.stderr, named


def test_a_pack_brings_no_charts() -> None:
    config = Config(charts=("mine.vl.json",))
    assert "charts" not in config.for_pack()
    assert Config.of_pack("x.zip", {"charts": ["mine.vl.json"]}).charts == ()


@pytest.mark.filterwarnings("error")
def test_charts_of_a_notebook_are_those_of_the_index(tmp_path: Path) -> None:
    files = {
        f"t/{n}.json": result(n, SONNET if n % 2 else OPUS, total_cost_usd=n / 2)
        for n in range(1, 6)
    }
    runs = load_runs(campaigns.write(tmp_path / "runs", files))
    done = sitegen("build", "--no-config", tmp_path / "runs", "-o", tmp_path / "site", "-q")
    assert done.returncode == 0, done.stderr
    for name in CHARTS:
        path = tmp_path / f"site/charts/{name.replace('_', '-')}.vl.json"
        if not path.exists():
            with pytest.raises(ValueError, match=r"\.$"):
                runs.chart(name)
            continue
        assert (
            runs.chart(name)
            .to_dict()["$schema"]
            .startswith("https://vega.github.io/schema/vega-lite/v6")
        )
        chart, of_page = runs.chart(name), alt.Chart.from_dict(json.loads(path.read_bytes()))
        assert isinstance(chart, alt.LayerChart) and {**chart.to_dict(), "$schema": ""} == {
            **of_page.to_dict(),
            "$schema": "",
        }
        chart.layer[0].encoding.x.title = "mine"
    with pytest.raises(ValueError, match="There is no chart 'other': write one of cost_by_score, "):
        runs.chart("other")


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ({"stop": 10}, 10.0),
        ({"start": 2, "stop": 10}, 8.0),
        ({"start": 10, "stop": 2, "step": -2}, 4.0),
        ({"stop": 1, "step": 0.25}, 4.0),
        ({"stop": 10, "step": 0}, math.inf),
        ({"start": 2}, math.inf),
        ({"stop": "10"}, math.inf),
        ({"start": {"signal": "x"}, "stop": 10}, math.inf),
        ({"stop": 10, "step": None}, math.inf),
    ],
)
def test_a_sequence_has_as_many_numbers_as_its_steps(
    sequence: dict[str, Any], expected: float
) -> None:
    assert _count_of_steps(sequence) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mine.vl.json", "own-mine"),
        ("My  Chart_2.vl.json", "own-my-chart-2"),
        ("-cost by week-.vl.json", "own-cost-by-week"),
    ],
)
def test_a_chart_is_called_by_its_file(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(PLAIN), encoding="utf-8")
    assert own_chart(path, lambda _: ROWS, NO_MEMORY).id == expected
