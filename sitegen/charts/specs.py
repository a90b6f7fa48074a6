"""The charts as Vega-Lite: a short altair function for each, over rows with the columns of the site's data files.

A spec has three uses. As `spec` makes it, with title and legend, it is the file to download, edited in the Vega editor
or with altair: the scales, axes and colours of a chart stand once, in the encoding that its layers share. Pages have
title and legend as HTML, so `in_page` takes both away and fixes the margins: no text is measured, a drawing is the same
whatever fonts the building machine has, and the live chart stands where the drawing stood.

Channels are classes even where a text would do, because altair takes long to find the class of a text.

Colours are CSS variables: the browser resolves them, light or dark. Texts of runs stand in rows, titles and domains,
which Vega does not evaluate; no title of a tooltip is one, because Vega-Lite writes these into an expression.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
from altair import X2, Y2, Color, ColorValue, Href, Scale, Size, Text, Tooltip, Undefined, X, Y

from sitegen.charts.axes import NARROW, ROOMY, WIDE, Axis, sparse, tick_label, utc_ticks
from sitegen.charts.findings import Plot

Spec = dict[str, Any]

MUTED, INK, PAPER = "var(--muted)", "var(--ink)", "var(--bg)"

_XValue: Any = alt.XValue  # which has no types
_X2Value: Any = alt.X2Value
_RIM: Mapping[str, Any] = {"stroke": PAPER, "strokeWidth": 0.75}
_DASHES = {
    "circle": [1, 0],
    "diamond": [6, 3],
    "triangle-up": [2, 2],
    "square": [9, 3],
    "triangle-down": [9, 3, 2, 3],
}
"""The dashes of lines whose marks have these shapes; others are dotted."""


def cost_by_turns(plot: Plot) -> Any:
    """Return runs among turns and dollars, and what a turn cost as a line for each configuration."""
    runs = _runs("configuration", "cost_usd", "turns", "status", plot=plot)
    look: dict[str, Any] = {"size": 46}
    if plot.is_dense:
        size = Size(
            "runs:Q", scale=Scale(domain=[1, 100], range=[18, 300], clamp=True), legend=None
        )
        tips = _tips(plot, "configuration", "runs", "cost_usd", "turns", "status")
        runs = _rows("runs").encode(size=size, tooltip=tips)
        look = {"fillOpacity": 0.6, "strokeWidth": 1}
    runs = runs.encode(**_shaped(plot))
    full = runs.transform_filter("datum.status === 'ok'")
    hollow = runs.transform_filter("datum.status !== 'ok'")
    layers = _with_rows(
        plot,
        rates=_rows("rates").mark_line(strokeWidth=1.25).encode(**_dashes(plot)),
        full=full.mark_point(filled=True, **{**_RIM, **look}),
        hollow=hollow.mark_point(fill=PAPER, **{"strokeWidth": 1.75, **look}),
    )
    x = _across("turns", plot, "turns", "~s", whole=True, grid=False)
    y = _up("cost_usd", plot.y, "cost", _dollars(plot.y))
    return _layered(*layers, x=x, y=y, color=_color("configuration", plot))


def cost_by_success(plot: Plot) -> Any:
    """Configurations by mean cost and success rate, both with their intervals."""
    return _means(plot, ("success_rate", "passed_runs", "judged_runs"), "passed", ".0%")


def cost_by_score(plot: Plot) -> Any:
    """Configurations by mean cost and mean score, both with their intervals, above their runs."""
    runs = _runs("configuration", "score", "outcome", "cost_usd", plot=plot)
    runs = runs.mark_point(filled=True, size=22)
    runs = runs.encode(x=X("cost_usd:Q"), y=Y("score:Q"), **_shaped(plot))
    if plot.is_dense:
        size = Size("runs:Q", scale=Scale(range=[22, 200]), legend=None)
        tips = _tips(plot, "configuration", "runs", "score", "cost_usd")
        runs = runs.encode(size, tooltip=tips)
    return _means(plot, ("mean_score", "scored_runs"), plot.y_title, ",~r", runs)


def _means(plot: Plot, columns: Sequence[str], up: str, written: str, *layers: alt.Chart) -> Any:
    value = columns[0]
    means = _rows("means")
    rules = means.mark_rule(strokeWidth=1.25)
    front = means.transform_filter("datum.is_on_frontier")
    # A colour of its own, as that of its points would part the line.
    steps = front.mark_line(interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3])
    points = means.mark_point(filled=True, size=110, **_RIM)
    tips = _tips(plot, "configuration", *columns, "mean_cost_usd")
    of_value = {"y": Y(f"{value}_low:Q"), "y2": Y2(f"{value}_high:Q")}
    above = _with_rows(
        plot,
        cost_low_usd=rules.encode(x=X("cost_low_usd:Q"), x2=X2("cost_high_usd:Q")),
        cost_below_usd=_arrow(means, X, "cost_below_usd", "left"),
        cost_above_usd=_arrow(means, X, "cost_above_usd", "right"),
        **{
            f"{value}_below": _arrow(means, Y, f"{value}_below", "down"),
            f"{value}_above": _arrow(means, Y, f"{value}_above", "up"),
            f"{value}_low": rules.encode(**of_value),
        },
        is_on_frontier=steps.encode(color=ColorValue(MUTED)),
        means=points.encode(tooltip=tips, **_shaped(plot)),
        align=_names(),
    )
    across = f"mean cost of a {columns[-1].removesuffix('_runs')} run"
    x = _across("mean_cost_usd", plot, across, _dollars(plot.x), grid=False)
    y = _up(value, plot.y, up, written)
    return _layered(*layers, *above, x=x, y=y, color=_color("configuration", plot))


def money_by_kind(plot: Plot) -> Any:
    """Return shares of each kind of token, in a bar of all tokens above one of all dollars, joined by bands."""
    parts = _rows("shares")
    end = X2("share_to:Q")
    ink = ColorValue(INK)
    bands = parts.mark_area(orient="horizontal", fillOpacity=0.2)
    bars = parts.mark_bar(stroke=PAPER, strokeWidth=1)
    tips = _tips(plot, "configurations", "kind", "tokens", "cost_usd", "share")

    dollars = parts.transform_filter("datum.is_labelled")
    dollars = dollars.transform_calculate(middle="(datum.share_from + datum.share_to) / 2")
    text = Text("share:Q", format=".0%")
    shares = dollars.mark_text(dy=21).encode(x=X("middle:Q"), text=text, color=ColorValue(MUTED))

    written = "datum.row % 2 ? format(datum.all_tokens, '.3s') : format(datum.all_usd, '$,.2f')"
    last = parts.transform_filter("datum.share_to > 0.999999").transform_calculate(total=written)
    totals = last.mark_text(align="left", dx=10)
    layers = [
        bands.encode(x2=end, detail=alt.Detail("configurations:N")),
        bars.encode(x2=end, tooltip=tips),
        shares,
        totals.encode(x=_XValue("width"), text=Text("total:N"), color=ink),
    ]
    if len(plot.rows) > 2:
        heads = parts.transform_filter("datum.row % 2 && !datum.share_from")
        heads = heads.mark_text(align="left", dx=-plot.frame.left, dy=-24, fontWeight=600)
        layers.append(heads.encode(x=_XValue(0), text=Text("configurations:N"), color=ink))
    x = X("share_from:Q", title=None, scale=Scale(domain=[0, 1], nice=False), axis=None)
    kind = "datum.value % 2 ? 'tokens' : 'dollars'"
    axis = alt.Axis(labelExpr=kind, domain=False, grid=False)
    y = _bands("row", plot, axis, paddingInner=0.64, paddingOuter=0.32)
    return _layered(*layers, x=x, y=y, color=_color("kind", plot))


def tokens_by_kind(plot: Plot) -> Any:
    """Return the tokens of each run, or how many have how many, in a row for each kind, with its median."""
    at_median = _rows("medians").encode(x=X("median_tokens:Q"), color=ColorValue(INK))
    text = Text("median_tokens:Q", format=".3s")
    above = _with_rows(
        plot,
        medians=at_median.mark_tick(thickness=2, size=32),
        median_tokens=at_median.mark_text(dy=-23, fontWeight=600).encode(text=text),
    )
    runs = _density(plot) if plot.is_dense else _jittered(plot)
    x = _across("tokens", plot, "tokens per run, log scale", "~s", whole=True)
    y = _bands("kind", plot, alt.Axis(domain=False, grid=False, labelColor=INK))
    return _layered(runs, *above, x=x, y=y, color=_color("kind", plot))


def spend(plot: Plot) -> Any:
    """Return what runs cost, added up by their start, as a line of steps for each configuration."""
    ends = _rows("totals")
    rules = ends.mark_rule()
    lines = _rows("lines").mark_line(interpolate="step-after")
    runs = _runs("configuration", "started_at", "cost_usd", "spent_usd", plot=plot)
    runs = runs.mark_point(filled=True, size=20)
    # Not filtered: Vega warns of moments of which there are none.
    size = alt.SizeValue(0, condition={"test": "datum.is_lower_bound", "value": 64})
    arrows = ends.mark_point(fill=PAPER).encode(shape=alt.ShapeValue("triangle-up"), size=size)

    beside: dict[str, Any] = {
        "y": Y("label_usd:Q"),
        "x": _XValue("width"),
        "color": ColorValue(INK),
    }
    names = ends.mark_text(align="left", dx=4, dy=-7, fontWeight=600)
    total = "format(datum.spent_usd, '$,.2f') + (datum.is_lower_bound ? '+' : '')"
    totals = ends.transform_calculate(total=total).mark_text(align="left", dx=4, dy=7)

    # Of plain numbers, Vega-Lite makes calls that fail where Vega may not compile expressions.
    low, high = plot.x.low, plot.x.high
    scale = Scale(type="utc", domain={"expr": f"[{low}, {high}]"}, nice=False)
    moments = {"minutes": "%H:%M", "hours": "%H:%M", "date": "%-d %b", "month": "%b", "year": "%Y"}
    axis = alt.Axis(values={"expr": f"{utc_ticks(low, high)}"}, format=moments, grid=False)
    return _layered(
        rules.encode(x2=_X2Value("width"), y2=Y2("label_usd:Q")),
        lines.encode(**_dashes(plot)),
        runs.encode(**_shaped(plot)),
        arrows,
        names.encode(text=Text("label:N"), **beside),
        totals.encode(text=Text("total:N"), **beside),
        x=X("started_at:T", title="time, UTC", scale=scale, axis=axis),
        y=_up("spent_usd", plot.y, "spent so far", _dollars(plot.y)),
        color=_color("configuration", plot),
    )


SPECS: Mapping[str, Callable[[Plot], Any]] = {
    "cost-by-score": cost_by_score,
    "cost-by-success": cost_by_success,
    "money-by-kind": money_by_kind,
    "cost-by-turns": cost_by_turns,
    "tokens-by-kind": tokens_by_kind,
    "spend": spend,
}


def _arrow(rows: alt.Chart, channel: Callable[[str], Any], column: str, way: str) -> Any:
    """Return triangles that point beyond an end of the axis, where intervals are cut."""
    triangles = rows.mark_point(shape=f"triangle-{way}", filled=True, size=60, clip=False)
    return triangles.encode(channel(f"{column}:Q"))


def _with_rows(plot: Plot, **layers: alt.Chart) -> list[alt.Chart]:
    """Return those of these layers whose part of the plot has rows."""
    return [layer for part, layer in layers.items() if part in plot.parts]


def _layered(main: alt.Chart, *others: alt.Chart, **channels: Any) -> Any:
    """Layers that share these channels. The first one alone states scales, axes and colours: of an encoding that stands
    above layers, altair reads dicts, of one that stands in a layer, objects."""
    layers = [main, *others]
    for name, channel in channels.items():
        # What is switched off in one layer alone, the others would switch on.
        parts = ("axis", "legend", "title")
        switched_off = {part: None for part in parts if channel._kwds.get(part, "") is None}
        for number, layer in enumerate(layers):
            own = Undefined if layer.encoding is Undefined else layer.encoding[name]
            if own is Undefined:
                own = channel
            elif "shorthand" not in own._kwds:
                continue
            looks = switched_off if number else channel._kwds
            made = type(channel)(**{**looks, "shorthand": own.shorthand})
            layers[number] = layer.encode(**{name: made})
    return alt.layer(*layers)


def _rows(data: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(data))


def _runs(*columns: str, plot: Plot) -> Any:
    """Return runs, each with a tooltip of its name and these columns, and its page."""
    return _rows("runs").encode(tooltip=_tips(plot, "name", *columns), href=Href("page:N"))


def _jittered(plot: Plot) -> Any:
    """Dots of runs in a row, moved so that equal values do not hide each other."""
    jitter = alt.YOffset("jitter:Q", scale=Scale(domain=[-1.6, 1.6]))
    dots = _runs("kind", "tokens", plot=plot).mark_point(filled=True, size=44, **_RIM)
    return dots.encode(yOffset=jitter, **_shaped(plot))


def _density(plot: Plot) -> Any:
    """Bars in a row, the thicker the more runs lie there."""
    thickest = plot.height // len(plot.rows) - 22
    scale = Scale(domain=[0, plot.most], range=[1, thickest])
    tips = _tips(plot, "runs", "tokens_from", "tokens_to")
    bars = _rows("density").mark_bar(stroke=PAPER, strokeWidth=0.5)
    return bars.encode(
        x=X("tokens_from:Q"),
        x2=X2("tokens_to:Q"),
        size=Size("runs:Q", scale=scale, legend=None),
        tooltip=tips,
    )


def _names() -> Any:
    """Return names beside points, on the side and as far up or down as there is room."""
    names = _rows("means").transform_filter("isValid(datum.align)")
    side: dict[str, Any] = {"align": {"expr": "datum.align"}, "dy": {"expr": "datum.dy"}}
    marks = names.mark_text(dx={"expr": "datum.align === 'left' ? 9 : -9"}, fontWeight=600, **side)
    return marks.encode(text=Text("label:N"), color=ColorValue(INK))


def _color(column: str, plot: Plot) -> Color:
    """Return the colour of each value of a column."""
    scale = Scale(domain=list(plot.colors), range=list(plot.colors.values()))
    return Color(f"{column}:N", scale=scale, legend=_legend(plot))


def _legend(plot: Plot) -> Any:
    """Return a legend where it says something."""
    return Undefined if len(plot.colors) > 1 else None


def _shaped(plot: Plot) -> dict[str, Any]:
    """Return the shape of each configuration, where they have different ones. For points alone: a line or rule with it
    gets points at its ends."""
    if not plot.shapes:
        return {}
    scale = Scale(domain=list(plot.colors), range=_shapes(plot))
    return {"shape": alt.Shape("configuration:N", scale=scale, legend=_legend(plot))}


def _dashes(plot: Plot) -> dict[str, Any]:
    """Dashes for lines of marks of different shapes."""
    if not plot.shapes:
        return {}
    dashes: list[Any] = [_DASHES.get(shape, [1, 3]) for shape in _shapes(plot)]
    scale = Scale(domain=list(plot.colors), range=dashes)
    # A legend that is off for dashes would be off for colours and shapes too. Dashes around a shape would fray it.
    legend = alt.Legend(symbolStrokeWidth=0) if len(plot.colors) > 1 else None
    return {"strokeDash": alt.StrokeDash("configuration:N", scale=scale, legend=legend)}


def _shapes(plot: Plot) -> list[str]:
    return [plot.shapes.get(color, "circle") for color in plot.colors.values()]


def _scale(axis: Axis) -> Scale:
    """Intervals that go on beyond the edge are drawn up to it. No linear domain names zero, so that an edited scale can
    be logarithmic."""
    if axis.logarithmic:
        return Scale(type="log", domain=[axis.low, axis.high], nice=False, clamp=True)
    return Scale(type="linear", domainMax=axis.high, zero=True, nice=False, clamp=True)


def _across(
    column: str, plot: Plot, title: str, written: str, *, whole: bool = False, grid: bool = True
) -> X:
    """Return a horizontal axis, with as many labels as have room."""
    axis = plot.x
    ticks = axis.ticks(whole)
    characters = max((_length(tick, written) for tick in ticks), default=0)
    room = plot.frame.plot(ROOMY)
    roomy = sparse(ticks, axis, room, characters)
    few = sparse(roomy, axis, plot.frame.plot(NARROW), characters)
    values: Any = few
    if few != roomy:  # Vega would measure the labels
        values = {"expr": f"width < {room} ? {few} : {roomy}"}
    drawn = alt.Axis(values=values, format=written, grid=grid, labelExpr=_in_domain("x", ticks))
    return X(f"{column}:Q", title=title, scale=_scale(axis), axis=drawn)


def _length(tick: float, written: str) -> int:
    """Return the number of characters of a label in a format of Vega."""
    if written == "~s":
        return len(tick_label(tick))
    plain = format(tick, written[1:] if written.endswith("f") else "g")
    return len(plain) + written.startswith("$")


def _up(column: str, axis: Axis, title: str, written: str) -> Y:
    ticks = axis.ticks()
    drawn = alt.Axis(values=ticks, format=written, domain=False, labelExpr=_in_domain("y", ticks))
    return Y(f"{column}:Q", title=title, scale=_scale(axis), axis=drawn)


def _in_domain(channel: str, ticks: Sequence[float]) -> Any:
    """Return labels without that of zero, where a scale has become a logarithmic one."""
    if all(ticks):
        return Undefined
    return f"datum.value < domain('{channel}')[0] ? '' : datum.label"


def _bands(column: str, plot: Plot, axis: alt.Axis, **padding: Any) -> Y:
    """Return a row for each value of a column."""
    scale = Scale(domain=list(plot.rows), **padding)
    return Y(f"{column}:N", title=None, scale=scale, axis=axis)


def _dollars(axis: Axis) -> str:
    """Return how ticks of USD are written: without cents where none has any."""
    if axis.logarithmic:
        return "$,~r"
    digits = 0
    for tick in axis.ticks():
        _, _, decimals = f"{tick:.9f}".rstrip("0").partition(".")
        digits = max(digits, len(decimals))
    return f"$,.{max(digits, 2)}f" if digits else "$,.0f"


def _tips(plot: Plot, *columns: str) -> list[Tooltip]:
    """Return a line for each of these columns."""
    tips = []
    for column in columns:
        written = plot.money if column.endswith("_usd") else _NUMBERS.get(column)
        title = column.removesuffix("_usd").replace("_", " ")
        if column == "started_at":
            tips.append(_START)
        elif written:
            tips.append(Tooltip(f"{column}:Q", title=title, format=written))
        else:
            tips.append(Tooltip(f"{column}:N", title=title))
    return tips


_START = Tooltip("started_at:T", title="start, UTC", format="%-d %b %Y, %H:%M", formatType="utc")
_NUMBERS = {
    "turns": ",.0f",
    "runs": ",",
    "share": ".1%",
    "success_rate": ".0%",
    "passed_runs": ",",
    "judged_runs": ",",
    "scored_runs": ",",
    "score": ",.6~g",
    "mean_score": ",.4~r",
    "tokens": ",.0f",
    "tokens_from": ",.0f",
    "tokens_to": ",.0f",
}
"""The formats of columns that are numbers but not dollars."""


def spec(chart_id: str, plot: Plot) -> Spec:
    """Return the chart without its data and its title."""
    # Without validation it is twice as fast; the tests hold every spec against the schema.
    made: Spec = SPECS[chart_id](plot).to_dict(validate=False)
    del made["$schema"]  # an address; the one who draws it knows what it is
    return {**made, "width": plot.frame.plot(WIDE), "height": plot.height, "config": _config()}


def config_of(own: Mapping[str, Any]) -> Spec:
    """Return the config of a chart of the user, whose own parts come first."""
    config = _config()
    del config["axisX"], config["axisY"], config["legend"]["title"]
    config["mark"] = {"color": "var(--model-1)"}
    config["range"] = {"category": [f"var(--model-{n})" for n in range(1, 5)]}
    config["header"] = {"labelColor": INK, "titleColor": INK}
    config["rule"] = {"color": INK}
    config["text"]["color"] = config["legend"]["titleColor"] = INK
    for key, value in own.items():
        shared: Any = config.get(key)
        is_section = isinstance(value, dict) and isinstance(shared, dict)
        config[key] = {**shared, **value} if is_section else value
    return {**config, "aria": False}


def _config() -> Spec:
    """Type, colours and grid, which every chart shares. The page's stylesheet has the last word on type."""
    made: Spec = json.loads(_CONFIG)
    return made


_CONFIG = Path(__file__).with_name("config.json").read_text(encoding="utf-8")
