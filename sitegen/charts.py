"""Lays the findings out as Vega-Lite charts, draws them, and hands the same charts to the page's script.

An altair function a chart places what `findings` decided. All margins are fixed and no label is measured
(`autosize` is none), so that the drawing is the same whatever fonts the building machine has, and the live chart
stands exactly where the drawing stood. Colours are CSS variables: the browser resolves them, light or dark.

vl-convert draws each chart for wide and for narrow columns, and supplies the JavaScript of the live charts. It is
the heaviest thing that sitegen uses, so it may be missing or fail: then every chart keeps its title and its table.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree.ElementTree import ParseError

import altair as alt
import platformdirs

from sitegen.axes import Axis
from sitegen.drawing import compact
from sitegen.findings import Cell, Finding
from sitegen.findings.dearest import most_expensive
from sitegen.findings.money import Split, money_by_kind
from sitegen.findings.tokens import tokens_by_kind
from sitegen.findings.turns import cost_by_turns
from sitegen.model import Entry

__all__ = ["Cell", "Chart", "Charts", "charts", "live_script", "vega_bundle"]

WIDE, SLIM = 512, 326
"""Widths of the two drawings, in pixels."""

_MUTED, _INK, _PAPER = "var(--muted)", "var(--ink)", "var(--bg)"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready for its figure."""

    id: str
    title: str
    note: str
    description: str
    legend: tuple[tuple[str, str], ...]
    """CSS class and label of each colour; empty where marks are labelled directly."""
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spec: Mapping[str, Any]
    """Vega-Lite with its data, WIDE pixels wide; its height and margins hold for every width."""
    wide_svg: str | None
    slim_svg: str | None
    has_links: bool
    """Whether the drawing holds links, so that it is more than a picture."""


@dataclass(frozen=True, slots=True)
class Charts:
    """What the charts of a set of runs came to."""

    drawn: tuple[Chart, ...]
    left_out: tuple[str, ...]
    """One sentence for each chart that would have said nothing."""
    problem: str | None
    """Why drawings are missing, if any is."""


def charts(entries: Sequence[Entry], split: Split, *, color: Callable[[str], str]) -> Charts:
    """The charts of these runs.

    `split[entry.id]` is a run's cost in USD by TOKEN_KINDS, for the runs whose list price reproduces their reported
    cost. `color` gives the colour of a model by its display name, as `var(--m-<slug>)`.
    """
    found = (
        (money_by_kind(entries, split), _money_by_kind),
        (most_expensive(entries, color), _most_expensive),
        (cost_by_turns(entries, color), _cost_by_turns),
        (tokens_by_kind(entries), _tokens_by_kind),
    )
    drawn = tuple(_chart(finding, layout(finding)) for finding, layout in found if isinstance(finding, Finding))
    missing = sum(chart.wide_svg is None or chart.slim_svg is None for chart in drawn)
    problem = None
    if missing:
        why = f"vl-convert could not draw {missing} of {len(drawn)}" if _vl_convert() else "vl-convert cannot be loaded"
        problem = f"Charts are shown as tables only because {why}: install vl-convert-python again to see them."
    return Charts(drawn, tuple(finding for finding, _ in found if isinstance(finding, str)), problem)


def _chart(finding: Finding, spec: dict[str, Any]) -> Chart:
    links = finding.links or {}
    return Chart(
        id=finding.id,
        title=finding.title,
        note=finding.note,
        description=finding.description,
        legend=finding.legend,
        columns=finding.columns,
        rows=finding.rows,
        spec=spec,
        wide_svg=_drawing(spec, WIDE, "chart-wide", links),
        slim_svg=_drawing(spec, SLIM, "chart-slim", links),
        has_links=bool(links),
    )


# Layouts: altair, fixed column names, no text and no number of a run


def _money_by_kind(finding: Finding) -> dict[str, Any]:
    y = _down(finding)
    start = alt.X(field="start", type="quantitative", scale=_scale(finding.x), axis=None)
    end = alt.X2(field="end")
    layers = [
        alt.Chart(alt.NamedData("bands"))
        .mark_area(orient="horizontal", fillOpacity=0.2)
        .encode(x=start, x2=end, y=y, fill=_color(alt.Fill), detail=alt.Detail(field="band", type="nominal")),
        _bars("parts", start, end, y).encode(tooltip=_tip()),
        _words("shares", alt.X(field="x", type="quantitative"), y, color=_MUTED),
        _words("bars", alt.value(-10), y, field="name", align="right", color=_MUTED),
        _words("bars", alt.value("width"), y, field="total", align="left", dx=10),
        _words("heads", alt.value(-64), y, align="left", fontWeight=600),
    ]
    return _spec(layers, finding, left=64, right=68, top=2, bottom=2)


def _most_expensive(finding: Finding) -> dict[str, Any]:
    y = _down(finding)
    start = alt.X(field="start", type="quantitative", scale=_scale(finding.x), axis=None)
    end = alt.X(field="end", type="quantitative")
    names = _words("runs", alt.value(-10), y, field="name", align="right", color="var(--accent)")
    layers = [
        names.encode(tooltip=_tip(), href=_link()),
        _bars("segments", start, alt.X2(field="end"), y).encode(tooltip=_tip(), href=_link()),
        _words("runs", end, y, field="cost", align="left", dx=7),
    ]
    return _spec(layers, finding, left=138, right=56, top=0, bottom=0)


def _cost_by_turns(finding: Finding) -> dict[str, Any]:
    x = alt.X(
        field="turns", type="quantitative", title="turns", scale=_scale(finding.x),
        axis=alt.Axis(values=finding.x.ticks(whole=True), labels=False, grid=False, titleY=36),
    )  # fmt: skip
    y = alt.Y(
        field="usd", type="quantitative", title="cost", scale=_scale(finding.y),
        axis=alt.Axis(values=finding.y.ticks(), labels=False, domain=False, titleX=-52, titleY=-14),
    )  # fmt: skip
    size = alt.Size(field="size", type="quantitative", scale=None, legend=None)
    layers = [
        alt.Chart(alt.NamedData("lines"))
        .mark_line(strokeWidth=1.25)
        .encode(x=x, y=y, stroke=_color(alt.Stroke), detail=alt.Detail(field="series", type="nominal")),
        alt.Chart(alt.NamedData("dots"))
        .mark_point(filled=True, stroke=_PAPER, strokeWidth=0.75)
        .encode(x=x, y=y, fill=_color(alt.Fill), size=size, href=_link(), tooltip=_tip()),
        alt.Chart(alt.NamedData("rings"))
        .mark_point(filled=False, fill=_PAPER, strokeWidth=1.75)
        .encode(x=x, y=y, stroke=_color(alt.Stroke), size=size, href=_link(), tooltip=_tip()),
        _words("turn_ticks", x, alt.value("height"), dy=16, color=_MUTED),
        _words("cost_ticks", alt.value(-8), y, align="right", color=_MUTED),
    ]
    for data, align, dx in (("names_left", "right", -2), ("names_right", "left", 8)):
        halo = _words(data, x, y, align=align, dx=dx, fontWeight=600, stroke=_PAPER, strokeWidth=4, strokeJoin="round")
        layers += [halo, _words(data, x, y, align=align, dx=dx, fontWeight=600)]
    return _spec(layers, finding, left=52, right=14, top=26, bottom=40)


def _tokens_by_kind(finding: Finding) -> dict[str, Any]:
    y = _down(finding)
    x = alt.X(
        field="tokens", type="quantitative", title="tokens a run, log scale", scale=_scale(finding.x),
        axis=alt.Axis(values=finding.x.ticks(whole=True), labels=False, titleY=36),
    )  # fmt: skip
    rule = {"y": y, "y2": alt.Y2(field="y2"), "x": x}
    layers = [
        alt.Chart(alt.NamedData("dots"))
        .mark_circle(size=44, opacity=1, stroke=_PAPER, strokeWidth=0.75)
        .encode(x=x, y=y, fill=_color(alt.Fill), href=_link(), tooltip=_tip()),
        alt.Chart(alt.NamedData("medians")).mark_rule(color=_INK, strokeWidth=2).encode(**rule),
        _words("medians", x, y, dy=-8, fontWeight=600, stroke=_PAPER, strokeWidth=4, strokeJoin="round"),
        _words("medians", x, y, dy=-8, fontWeight=600),
        _words("ticks", x, alt.value("height"), dy=16, color=_MUTED),
        _words("kinds", alt.value(-10), y, align="right"),
    ]
    return _spec(layers, finding, left=88, right=14, top=2, bottom=40)


def _down(finding: Finding) -> alt.Y:
    return alt.Y(field="y", type="quantitative", scale=_scale(finding.y), axis=None)


def _scale(axis: Axis) -> alt.Scale:
    ends = [axis.low, axis.high]
    if axis.logarithmic:
        return alt.Scale(type="log", domain=ends, nice=False)
    return alt.Scale(type="linear", domain=ends, nice=False, zero=False)


def _color(channel: Callable[..., Any]) -> Any:
    """The column `color`, taken as it is."""
    return channel(field="color", type="nominal", scale=None, legend=None)


def _tip() -> alt.Tooltip:
    return alt.Tooltip(field="tip", type="nominal")


def _link() -> alt.Href:
    return alt.Href(field="href", type="nominal")


def _bars(data: str, start: alt.X, end: alt.X2, y: alt.Y) -> alt.Chart:
    mark = alt.Chart(alt.NamedData(data)).mark_rect(stroke=_PAPER, strokeWidth=1)
    bars: alt.Chart = mark.encode(x=start, x2=end, y=y, y2=alt.Y2(field="y2"), fill=_color(alt.Fill))
    return bars


def _words(data: str, x: Any, y: Any, *, field: str = "text", **mark: Any) -> alt.Chart:
    """A layer of text, centred and in ink unless told otherwise."""
    text = alt.Chart(alt.NamedData(data)).mark_text(**({"color": _INK} | mark))
    words: alt.Chart = text.encode(x=x, y=y, text=alt.Text(field=field, type="nominal"))
    return words


def _spec(
    layers: Sequence[alt.Chart], finding: Finding, *, left: int, right: int, top: int, bottom: int
) -> dict[str, Any]:
    """The validated spec with its data. Empty data sets are left out with the layers that would draw them."""
    full = [layer for layer in layers if finding.data[layer.data.name]]
    chart = alt.layer(*full).properties(
        width=WIDE - left - right,
        height=finding.height,
        padding={"left": left, "right": right, "top": top, "bottom": bottom},
        autosize="none",
    )
    spec: dict[str, Any] = chart.configure(**_config()).to_dict()
    del spec["$schema"]  # an address; the one who draws it knows what it is
    spec["datasets"] = {name: rows for name, rows in finding.data.items() if rows}
    return spec


def _config() -> dict[str, Any]:
    """The page's type: sizes and colours that every chart shares."""
    return {
        "aria": False,  # the figure describes the chart once; a role on each of a thousand marks helps nobody
        "background": "transparent",
        "font": "system-ui, sans-serif",  # the page's stylesheet has the last word
        "view": {"stroke": None},
        "axis": {
            "domainColor": "var(--strong)", "gridColor": "var(--line)", "ticks": False,
            "titleColor": _MUTED, "titleFontSize": 12, "titleFontWeight": 400,
        },
        "axisX": {"titleAnchor": "end", "titleAlign": "right", "titleBaseline": "alphabetic"},
        "axisY": {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleBaseline": "alphabetic"},
        "text": {"fontSize": 12, "baseline": "middle"},
        "point": {"opacity": 1},
    }  # fmt: skip


# Drawing


@cache
def _vl_convert() -> ModuleType | None:
    """The converter, or None where it is not installed or its library cannot be loaded."""
    try:
        import vl_convert
    except (ImportError, OSError):
        return None
    return vl_convert


def _drawing(spec: Mapping[str, Any], width: int, css_class: str, links: Mapping[str, str]) -> str | None:
    """The chart as SVG elements at this width; None when it cannot be drawn."""
    padding = spec["padding"]
    sized = {**spec, "width": width - padding["left"] - padding["right"]}
    svg = _from_engine(lambda engine: engine.vegalite_to_svg(sized, allowed_base_urls=[]))
    if svg is None:
        return None
    try:
        return compact(svg, css_class, links)
    except (ParseError, ValueError):
        return None


def _from_engine(call: Callable[[Any], str]) -> str | None:
    """What the converter makes; None when it is missing or fails twice.

    After a failed call the next one fails whatever it asks for, hence the second try. A panic in the converter
    arrives as an exception that is no Exception.
    """
    engine = _vl_convert()
    for _ in range(2 if engine else 0):
        try:
            return call(engine)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: S112
            continue
    return None


# Live charts

_SNIPPET = "window.sitegenVega = vegaEmbed;"
_HEAD = "/*! Vega, Vega-Lite and Vega-Embed; licences: vega-licenses.txt */"


def vega_bundle(folder: Path | None = None) -> bytes | None:
    """The JavaScript that draws live charts, defining `sitegenVega` and nothing else; None when it cannot be made.

    vega-embed and not Vega alone, because only it brings the interpreter that a page without `unsafe-eval` needs.
    Making it takes more than a second, so it is kept in `folder`, by default the user's cache, until vl-convert
    changes; a damaged copy is noticed and made again, and a folder that cannot be written is no fault.
    """
    engine = _vl_convert()
    if engine is None:
        return None
    folder = folder or Path(platformdirs.user_cache_dir("sitegen"))
    key = hashlib.sha256(f"{engine.__version__}\n{_HEAD}\n{_SNIPPET}".encode()).hexdigest()[:16]
    path = folder / f"vega-{key}.js"
    with contextlib.suppress(OSError):
        digest, _, kept = path.read_bytes().partition(b"\n")
        if digest == _digest_line(kept):
            return kept
    source = _from_engine(lambda engine: engine.javascript_bundle(_SNIPPET))
    if source is None:
        return None
    # The bundle declares its names at the top of the script, where they would be names of the page.
    bundle = f"{_HEAD}\n(function () {{\n{source}\n}})();\n".encode()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".vega-", delete=False) as file:
            file.write(_digest_line(bundle) + b"\n" + bundle)
        Path(file.name).replace(path)
    return bundle


def _digest_line(content: bytes) -> bytes:
    return b"// " + hashlib.sha256(content).hexdigest().encode()


def live_script(drawn: Iterable[Chart]) -> bytes:
    """A classic script that defines `sitegenCharts`: the spec of each chart by its id, as plain ASCII."""
    specs = {chart.id: chart.spec for chart in drawn}
    text = json.dumps(specs, allow_nan=False, separators=(",", ":"))
    text = text.replace("\\", "\\\\").replace("'", "\\u0027")
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"window.sitegenCharts = JSON.parse('{text}');\n".encode("ascii")
