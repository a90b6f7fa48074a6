"""The files of charts: specs with the colours of the light scheme, their form, and the bundle that draws them."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from sitegen.charts import converter
from sitegen.charts.axes import Axis, Frame
from sitegen.charts.chart_files import (
    SCHEMA,
    colored,
    light_colors,
    live_script,
    spec_files,
    vega_bundle,
)
from sitegen.charts.findings import ChartTable, Finding, Plot


@pytest.mark.parametrize(
    ("stylesheet", "colors"),
    [
        ("", {}),
        (":root { --a: #111; --b-2 : #222 }", {"var(--a)": "#111", "var(--b-2)": "#222"}),
        (":root { --a: #111; } :root{--a:#333}", {"var(--a)": "#333"}),
        (":root { --a: light-dark(#111, #eee); }", {"var(--a)": "#111"}),
        (
            ":root { --a: light-dark( rgb(1, 2, 3), rgb(4, 5, 6)); }",
            {"var(--a)": "rgb(1, 2, 3)"},
        ),
        (
            ":root { --c: var(--b); --b: var(--a); --a: #111 }",
            {"var(--c)": "#111", "var(--b)": "#111", "var(--a)": "#111"},
        ),
        (
            ":root { --a: var(--b); --b: var(--a) }",
            {"var(--a)": "var(--a)", "var(--b)": "var(--b)"},
        ),
        (
            ":root { --a: #111 } @media (prefers-contrast: more) { :root { --a: #000 } b { c: d } }",
            {"var(--a)": "#111"},
        ),
        (".dark { --a: #000 } x:root { --b: #000 } :root .c { --d: #000 }", {}),
    ],
)
def test_a_variable_has_its_last_colour_in_the_light_scheme(
    stylesheet: str, colors: dict[str, str]
) -> None:
    assert light_colors(stylesheet) == colors


def test_variables_have_their_colour_wherever_they_are_a_whole_value() -> None:
    colors = {"var(--a)": "#111"}
    value = {"var(--a)": ["var(--a)", {"b": "var(--a)", "c": "x var(--a)"}, 1, None, True]}
    assert colored(value, colors) == {
        "var(--a)": ["#111", {"b": "#111", "c": "x var(--a)"}, 1, None, True]
    }


def finding(chart_id: str, spec: dict[str, Any]) -> Finding:
    plot = Plot(frame=Frame(1, 2, 3, 4), height=5, x=Axis(0.0, 1.0, logarithmic=False), colors={})
    return Finding(
        title="title",
        note="note",
        method="method",
        table=ChartTable.of(["a"], [], []),
        data={},
        plot=plot,
        id=chart_id,
        spec=spec,
    )


def test_a_spec_stands_in_a_file_with_a_line_for_each_row() -> None:
    spec = {
        "mark": "bar",
        "color": "var(--a)",
        "datasets": {"one": [{"a": 1, "b": "é"}, {"a": 2}], "two": []},
    }
    files = spec_files([finding("x", spec), finding("y", {"datasets": {}})], ":root{--a:#111}")
    assert list(files) == ["charts/x.vl.json", "charts/y.vl.json"]
    text = files["charts/x.vl.json"].decode()
    assert text == (
        "{\n"
        f' "$schema": "{SCHEMA}",\n'
        ' "mark": "bar",\n'
        ' "color": "#111",\n'
        ' "datasets": {\n'
        '  "one": [\n'
        '   {"a": 1, "b": "é"},\n'
        '   {"a": 2}\n'
        "  ],\n"
        '  "two": [\n'
        "   \n"
        "  ]\n"
        " }\n"
        "}\n"
    )
    assert json.loads(text)["datasets"] == {"one": [{"a": 1, "b": "é"}, {"a": 2}], "two": []}
    with pytest.raises(ValueError, match="JSON"):
        spec_files([finding("x", {"datasets": {"one": [{"a": float("nan")}]}})], "")


def test_a_live_chart_has_what_pages_change_in_its_spec() -> None:
    spec = {"mark": "bar", "config": {"font": "x"}}
    script = live_script([finding("x", spec)]).decode()
    assert script.startswith("window.sitegenCharts=JSON.parse(")
    assert script.endswith(");\n")
    text = json.loads(script.removeprefix("window.sitegenCharts=JSON.parse(")[:-3])
    assert text == (
        '{"x":{"spec":{"mark":"bar","config":{"font":"x"}},'
        '"page":{"autosize":"none","padding":{"left":1,"right":2,"top":3,"bottom":4},'
        '"config":{"font":"x","background":"transparent","legend":{"disable":true}}}}}'
    )


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give calls of vl-convert the answer `draw();`, and list them."""
    made: list[str] = []

    def call(name: str, snippet: str) -> str:
        made.append(f"{name}: {snippet}")
        return "draw();"

    monkeypatch.setattr(converter, "call", call)
    return made


def test_a_bundle_names_nothing_but_its_function_and_is_kept_for_its_version(
    tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    bundle = vega_bundle(folder)
    assert bundle == (
        b"/*! Vega, Vega-Lite and Vega-Embed; licences: vega-licenses.txt */\n"
        b"(function () {\ndraw();\n})();\n"
    )
    assert calls == ["javascript_bundle: window.sitegenVega = vegaEmbed;"]
    assert [file.name for file in folder.iterdir()] == ["vega.js"]
    assert vega_bundle(folder) == bundle
    assert len(calls) == 1, "it was kept"
    monkeypatch.setattr(metadata, "version", lambda _: "0")
    assert vega_bundle(folder) == bundle
    assert len(calls) == 2, "not for another version"
    (folder / "vega.js").write_bytes(b"theirs")
    assert vega_bundle(folder) == bundle


@pytest.mark.usefixtures("calls")
def test_a_bundle_needs_no_folder_that_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert vega_bundle(file)
    assert file.read_bytes() == b""


def test_without_vl_convert_there_is_no_bundle(
    tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(converter, "call", lambda *_: None)
    assert vega_bundle(tmp_path) is None
    monkeypatch.setattr(metadata, "version", missing)
    assert vega_bundle(tmp_path) is None
    assert calls == []
    assert list(tmp_path.iterdir()) == []
