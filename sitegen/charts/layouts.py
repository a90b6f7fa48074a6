"""Lays the findings out as Vega-Lite: an altair function a chart places what `findings` decided, whatever the data are.

All margins are fixed and no label is measured (`autosize` is none), so that a drawing is the same whatever fonts the
building machine has, and the live chart stands exactly where the drawing stood. Colours are CSS variables: the
browser resolves them, light or dark. Column names are fixed, and nothing that came from a run stands outside of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from sitegen.charts.axes import WIDE, WIDER, Axis
from sitegen.charts.shape import INK, MUTED, PAPER, Shape


def money_by_kind(shape: Shape) -> dict[str, Any]:
    y, start, end = _down(shape), _start(shape), alt.X2(field="end")
    layers = [
        _of("bands")
        .mark_area(orient="horizontal", fillOpacity=0.2)
        .encode(x=start, x2=end, y=y, fill=_color(alt.Fill), detail=alt.Detail(field="band", type="nominal")),
        _bars("parts", start, y).encode(tooltip=_tip()),
        *_roomy("shares", _x("x"), y),
        _words("bars", alt.value(-10), y, field="name", align="right", color=MUTED),
        _words("bars", alt.value("width"), y, field="total", align="left", dx=10),
        _words("heads", alt.value(-shape.frame.left), y, align="left", fontWeight=600),
    ]
    return _spec(layers, shape)


def most_expensive(shape: Shape) -> dict[str, Any]:
    y = _down(shape)
    names = _words("runs", alt.value(-10), y, field="name", align="right", color="var(--accent)")
    layers = [
        names.encode(tooltip=_tip(), href=_link()),
        _bars("segments", _start(shape), y).encode(tooltip=_tip(), href=_link()),
        _words("runs", _x("end"), y, field="cost", align="left", dx=7),
    ]
    return _spec(layers, shape)


def cost_by_turns(shape: Shape) -> dict[str, Any]:
    dot: dict[str, Any] = {"stroke": PAPER, "strokeWidth": 0.75}
    ring: dict[str, Any] = {"fill": PAPER, "strokeWidth": 1.75}
    if shape.is_thinned:  # without a rim, so that dots which lie on each other grow darker
        dot, ring = {"fillOpacity": 0.5}, {"strokeWidth": 1}
    x = _across(shape, "turns", "turns", shape.x.ticks(whole=True), grid=False)
    y = _up(shape, "usd", "cost", shape.y.ticks())
    size = alt.Size(field="size", type="quantitative", scale=None, legend=None)
    layers = [
        _lines("lines", x, y, strokeWidth=1.25),
        _of("dots")
        .mark_point(filled=True, **dot)
        .encode(x=x, y=y, fill=_color(alt.Fill), shape=_shape(), size=size, href=_link(), tooltip=_tip()),
        _of("rings")
        .mark_point(filled=False, **ring)
        .encode(x=x, y=y, stroke=_color(alt.Stroke), shape=_shape(), size=size, href=_link(), tooltip=_tip()),
        *_roomy("turn_ticks", x, alt.value("height"), dy=16),
        _words("cost_ticks", alt.value(-8), y, align="right", color=MUTED),
        *_haloed("names_left", x, y, align="right", dx=-2),
        *_haloed("names_right", x, y, align="left", dx=8),
    ]
    return _spec(layers, shape)


def tokens_by_kind(shape: Shape) -> dict[str, Any]:
    y = _down(shape)
    x = _across(shape, "tokens", "tokens a run, log scale", shape.x.ticks(whole=True))
    layers = [
        _bars("density", _x("start"), y).encode(tooltip=_tip()),
        _dots(x, y).encode(href=_link()),
        _of("medians").mark_rule(color=INK, strokeWidth=2).encode(y=y, y2=alt.Y2(field="y2"), x=x),
        *_haloed("medians", x, y, dy=-8),
        *_roomy("ticks", x, alt.value("height"), dy=16),
        _words("kinds", alt.value(-10), y, align="right"),
    ]
    return _spec(layers, shape)


def cost_by_success(shape: Shape) -> dict[str, Any]:
    return _spec(_models(shape, "mean cost of a judged run", "passed", [0, 0.25, 0.5, 0.75, 1]), shape)


def cost_by_score(shape: Shape) -> dict[str, Any]:
    runs = _of("runs").mark_point(filled=True, size=22, opacity=0.55)
    x, y = _x("usd"), alt.Y(field="value", type="quantitative")
    dots = runs.encode(x=x, y=y, fill=_color(alt.Fill), shape=_shape(), href=_link(), tooltip=_tip())
    axes, *layers = _models(shape, "mean cost of a scored run", "mean score", shape.y.ticks())
    return _spec([axes, dots, *layers], shape)


def _models(shape: Shape, across: str, up: str, ticks: Sequence[float]) -> list[alt.Chart]:
    """Points of models with their intervals, frontier and names; the axes are those of the first layer."""
    x, y = _across(shape, "usd", across, shape.x.ticks(), grid=False), _up(shape, "value", up, ticks)
    low, high, stroke = _x("start"), alt.X2(field="end"), _color(alt.Stroke)
    return [
        _dots(x, y, size=1, opacity=0),
        _of("frontier")
        .mark_line(interpolate="step-after", stroke=MUTED, strokeWidth=1.5, strokeDash=[4, 3])
        .encode(x=x, y=y),
        _of("costs").mark_rule(strokeWidth=1.25).encode(x=low, x2=high, y=y, stroke=stroke),
        _of("intervals")
        .mark_rule(strokeWidth=1.25)
        .encode(x=x, y=alt.Y(field="start", type="quantitative"), y2=alt.Y2(field="end"), stroke=stroke),
        _dots(x, y, size=110, strokeWidth=1),
        *_roomy("cost_ticks", x, alt.value("height"), dy=16),
        _words("value_ticks", alt.value(-8), y, align="right", color=MUTED),
        *_haloed("names_left", x, y, align="right", dx=-9),
        *_haloed("names_right", x, y, align="left", dx=9),
    ]


def spread_of_cost(shape: Shape) -> dict[str, Any]:
    y = _down(shape)
    x = _across(shape, "usd", "cost of a run" + ", log scale" * shape.x.logarithmic, shape.x.ticks())
    layers = [
        _bars("density", _x("start"), y).encode(tooltip=_tip()),
        _dots(x, y).encode(href=_link()),
        _of("intervals").mark_rule(color=INK, strokeWidth=1.5).encode(x=_x("start"), x2=alt.X2(field="end"), y=y),
        _of("means").mark_circle(size=36, color=INK, opacity=1).encode(x=x, y=y, tooltip=_tip()),
        *_haloed("figures", x, y, align="left", dx=8),
        *_roomy("ticks", x, alt.value("height"), dy=16),
        _words("models", alt.value(-10), y, field="name", align="right", dy=-7),
        _words("models", alt.value(-10), y, align="right", dy=8, color=MUTED),
    ]
    return _spec(layers, shape)


def spend(shape: Shape) -> dict[str, Any]:
    # Moments are plain milliseconds: a scale of time would write, and round, in the zone of whoever draws it.
    x = _across(shape, "time", "time, UTC", [], grid=False)
    y = _up(shape, "usd", "spent so far", shape.y.ticks())
    layers = [
        _lines("leaders", x, y, strokeWidth=1),
        _lines("lines", x, y, interpolate="step-after", strokeWidth=2),
        _dots(x, y, size=20, stroke=alt.Undefined, strokeWidth=alt.Undefined).encode(href=_link()),
        _of("open")
        .mark_point(shape="triangle-up", filled=False, fill=PAPER, size=64, strokeWidth=1.75)
        .encode(x=x, y=y, stroke=_color(alt.Stroke)),
        *_roomy("ticks", x, alt.value("height"), dy=16),
        _words("cost_ticks", alt.value(-8), y, align="right", color=MUTED),
        _words("ends", x, y, field="name", align="left", dx=4, dy=-7, fontWeight=600),
        _words("ends", x, y, field="total", align="left", dx=4, dy=7),
    ]
    return _spec(layers, shape)


LAYOUTS: Mapping[str, Callable[[Shape], dict[str, Any]]] = {
    "cost-by-score": cost_by_score,
    "cost-by-success": cost_by_success,
    "money-by-kind": money_by_kind,
    "most-expensive": most_expensive,
    "cost-by-turns": cost_by_turns,
    "cost-spread": spread_of_cost,
    "tokens-by-kind": tokens_by_kind,
    "spend": spend,
}
"""By the ids of the charts."""


def legend(left: int) -> list[dict[str, Any]]:
    """The layers of a legend, for where a chart stands alone: a row a colour, from `left` on."""
    y = alt.Y(field="y", type="quantitative", scale=None, axis=None)
    layers = [
        _of("legend")
        .mark_point(filled=True, size=100, opacity=1)
        .encode(x=alt.value(left + 6), y=y, fill=_color(alt.Fill), shape=_shape()),
        _words("legend", alt.value(left + 18), y, align="left", color=MUTED),
    ]
    made: list[dict[str, Any]] = alt.LayerChart(layer=layers).to_dict(validate=False)["layer"]
    return made


def _of(data: str) -> alt.Chart:
    """A layer of a data set."""
    return alt.Chart(alt.NamedData(data))


def _x(column: str) -> alt.X:
    """On the scale that another layer has."""
    return alt.X(field=column, type="quantitative")


def _start(shape: Shape) -> alt.X:
    """Where a bar begins, on a scale that is not seen."""
    return alt.X(field="start", type="quantitative", scale=_scale(shape.x), axis=None)


def _across(shape: Shape, column: str, title: str, ticks: Sequence[float], **axis: Any) -> alt.X:
    """The horizontal axis; the labels of its ticks are layers."""
    drawn = alt.Axis(values=list(ticks), labels=False, titleY=36, **axis)
    return alt.X(field=column, type="quantitative", title=title, scale=_scale(shape.x), axis=drawn)


def _up(shape: Shape, column: str, title: str, ticks: Sequence[float]) -> alt.Y:
    """The vertical axis, likewise, its title above it."""
    drawn = alt.Axis(values=list(ticks), labels=False, domain=False, titleX=-shape.frame.left, titleY=-14)
    return alt.Y(field=column, type="quantitative", title=title, scale=_scale(shape.y), axis=drawn)


def _down(shape: Shape) -> alt.Y:
    return alt.Y(field="y", type="quantitative", scale=_scale(shape.y), axis=None)


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


def _bars(data: str, start: alt.X, y: alt.Y) -> alt.Chart:
    mark = _of(data).mark_rect(stroke=PAPER, strokeWidth=1)
    bars: alt.Chart = mark.encode(x=start, x2=alt.X2(field="end"), y=y, y2=alt.Y2(field="y2"), fill=_color(alt.Fill))
    return bars


def _dots(x: alt.X, y: alt.Y, **mark: Any) -> alt.Chart:
    """The dots, with a rim in the colour of the page unless told otherwise."""
    usual: dict[str, Any] = {"size": 44, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.75}
    points = _of("dots").mark_point(filled=True, **(usual | mark))
    dots: alt.Chart = points.encode(x=x, y=y, fill=_color(alt.Fill), shape=_shape(), tooltip=_tip())
    return dots


def _lines(data: str, x: alt.X, y: alt.Y, **mark: Any) -> alt.Chart:
    """A line for each series."""
    detail = alt.Detail(field="series", type="nominal")
    dash = alt.StrokeDash(field="dash", type="nominal", scale=None, legend=None)
    lines: alt.Chart = (
        _of(data).mark_line(**mark).encode(x=x, y=y, stroke=_color(alt.Stroke), detail=detail, strokeDash=dash)
    )
    return lines


def _shape() -> alt.Shape:
    """That of a row; a circle where it has none."""
    return alt.Shape(field="shape", type="nominal", scale=None, legend=None)


def _words(data: str, x: Any, y: Any, *, field: str = "text", **mark: Any) -> alt.Chart:
    """A layer of text, centred and in ink unless told otherwise."""
    text = _of(data).mark_text(**({"color": INK} | mark))
    words: alt.Chart = text.encode(x=x, y=y, text=alt.Text(field=field, type="nominal"))
    return words


def _roomy(data: str, x: Any, y: Any, **mark: Any) -> list[alt.Chart]:
    """Two layers of quiet text: for every column, and for wide ones only, which narrow ones hide by its name."""
    wider = _words(data + WIDER, x, y, color=MUTED, **mark).properties(name=data + WIDER)
    return [_words(data, x, y, color=MUTED, **mark), wider]


def _haloed(data: str, x: Any, y: Any, **mark: Any) -> list[alt.Chart]:
    """Two layers: strong text, and below it the same as a rim in the colour of the page, to part it from marks."""
    rim = _words(data, x, y, fontWeight=600, stroke=PAPER, strokeWidth=4, strokeJoin="round", **mark)
    return [rim, _words(data, x, y, fontWeight=600, **mark)]


def _spec(layers: Sequence[alt.Chart], shape: Shape) -> dict[str, Any]:
    """The spec without its data. The layers that would draw an empty data set are left out."""
    frame, full = shape.frame, [layer for layer in layers if layer.data.name in shape.datasets]
    chart = alt.LayerChart(
        layer=full,
        width=frame.plot(WIDE),
        height=shape.height,
        padding={"left": frame.left, "right": frame.right, "top": frame.top, "bottom": frame.bottom},
        autosize="none",
        config=_config(),
    )
    # Without validation it is twice as fast; the tests hold every layout against the schema.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    del spec["$schema"]  # an address; the one who draws it knows what it is
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
            "titleColor": MUTED, "titleFontSize": 12, "titleFontWeight": 400,
        },
        "axisX": {"titleAnchor": "end", "titleAlign": "right", "titleBaseline": "alphabetic"},
        "axisY": {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleBaseline": "alphabetic"},
        "text": {"fontSize": 12, "baseline": "middle"},
        "point": {"opacity": 1},
    }  # fmt: skip
