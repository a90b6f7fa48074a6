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

from sitegen.charts.axes import NARROW, ROOMY, WIDE, Axis, sparse, tick_label, utc_ticks
from sitegen.charts.findings import Plot

Spec = dict[str, Any]

MUTED, INK, PAPER = "var(--muted)", "var(--ink)", "var(--bg)"

_XValue: Any = alt.XValue  # which has no types
_X2Value: Any = alt.X2Value
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
    dot: dict[str, Any] = {"size": 46}
    if plot.is_dense:
        scale = alt.Scale(domain=[1, 100], range=[18, 300], clamp=True)
        tips = _tips(plot, "configuration", "runs", "cost_usd", "turns", "status")
        runs = _rows("runs").encode(size=alt.Size("runs:Q", scale=scale, legend=None), tooltip=tips)
        dot = {"fillOpacity": 0.6, "strokeWidth": 1}
    full, hollow = (runs.transform_filter(f"datum.status {sign} 'ok'") for sign in ("===", "!=="))
    layers = _there(
        plot,
        rates=_rows("rates").mark_line(strokeWidth=1.25).encode(**_dashes(plot)),
        full=full.mark_point(filled=True, **{**_RIM, **dot}).encode(**_shaped(plot)),
        hollow=hollow.mark_point(fill=PAPER, **{"strokeWidth": 1.75, **dot}).encode(
            **_shaped(plot)
        ),
    )
    x = _across("turns", plot, "turns", "~s", whole=True, grid=False)
    y = _up("cost_usd", plot.y, "cost", _dollars(plot.y))
    return _layered(*layers, x=x, y=y, **_marked("configuration", plot))


def cost_by_success(plot: Plot) -> Any:
    """Configurations by mean cost and success rate, both with their intervals."""
    return _means(plot, ("success_rate", "passed_runs", "judged_runs"), "passed", ".0%")


def cost_by_score(plot: Plot) -> Any:
    """Configurations by mean cost and mean score, both with their intervals, above their runs."""
    runs = _runs("configuration", "score", "outcome", "cost_usd", plot=plot).mark_point(
        filled=True, size=22
    )
    runs = runs.encode(x=alt.X("cost_usd:Q"), y=alt.Y("score:Q"), **_shaped(plot))
    if plot.is_dense:
        tips = _tips(plot, "configuration", "runs", "score", "cost_usd")
        runs = runs.encode(
            alt.Size("runs:Q", scale=alt.Scale(range=[22, 200]), legend=None), tooltip=tips
        )
    return _means(plot, ("mean_score", "scored_runs"), plot.y_title, ",~r", runs)


def _means(plot: Plot, columns: Sequence[str], up: str, written: str, *layers: alt.Chart) -> Any:
    value, means, tips = (
        columns[0],
        _rows("means"),
        _tips(plot, "configuration", *columns, "mean_cost_usd"),
    )
    across = f"mean cost of a {columns[-1].removesuffix('_runs')} run"
    rules = means.mark_rule(strokeWidth=1.25)
    front = means.transform_filter("datum.is_on_frontier")
    steps = front.mark_line(interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3])
    above = _there(
        plot,
        cost_low_usd=rules.encode(**_COSTS),
        **_arrows(means, "cost_{}_usd"),
        **_arrows(means, f"{value}_{{}}", is_upright=True),
        **{f"{value}_low": rules.encode(y=alt.Y(f"{value}_low:Q"), y2=alt.Y2(f"{value}_high:Q"))},
        is_on_frontier=steps.encode(
            color=alt.ColorValue(MUTED)
        ),  # that of its points would part the line
        means=means.mark_point(filled=True, size=110, **_RIM).encode(tooltip=tips, **_shaped(plot)),
        align=_names(),
    )
    x = _across("mean_cost_usd", plot, across, _dollars(plot.x), grid=False)
    return _layered(
        *layers, *above, x=x, y=_up(value, plot.y, up, written), **_marked("configuration", plot)
    )


def money_by_kind(plot: Plot) -> Any:
    """Return shares of each kind of token, in a bar of all tokens above one of all dollars, joined by bands."""
    parts, end, ink = _rows("shares"), alt.X2("share_to:Q"), alt.ColorValue(INK)
    dollars = parts.transform_filter("datum.is_labelled")
    dollars = dollars.transform_calculate(
        middle="(datum.share_from + datum.share_to) / 2"
    ).mark_text(dy=21)
    written = "datum.row % 2 ? format(datum.all_tokens, '.3s') : format(datum.all_usd, '$,.2f')"
    last = parts.transform_filter("datum.share_to > 0.999999").transform_calculate(total=written)
    tips = _tips(plot, "configurations", "kind", "tokens", "cost_usd", "share")
    text = alt.Text("share:Q", format=".0%")
    layers = [
        parts.mark_area(orient="horizontal", fillOpacity=0.2).encode(
            x2=end, detail=alt.Detail("configurations:N")
        ),
        parts.mark_bar(stroke=PAPER, strokeWidth=1).encode(x2=end, tooltip=tips),
        dollars.encode(x=alt.X("middle:Q"), text=text, color=alt.ColorValue(MUTED)),
        last.mark_text(align="left", dx=10).encode(
            x=_XValue("width"), text=alt.Text("total:N"), color=ink
        ),
    ]
    if len(plot.rows) > 2:
        heads = parts.transform_filter("datum.row % 2 && !datum.share_from")
        heads = heads.mark_text(align="left", dx=-plot.frame.left, dy=-24, fontWeight=600)
        layers.append(heads.encode(x=_XValue(0), text=alt.Text("configurations:N"), color=ink))
    kind = "datum.value % 2 ? 'tokens' : 'dollars'"
    return _layered(
        *layers,
        x=alt.X("share_from:Q", title=None, scale=alt.Scale(domain=[0, 1], nice=False), axis=None),
        y=_bands(
            "row",
            plot,
            alt.Axis(labelExpr=kind, domain=False, grid=False),
            paddingInner=0.64,
            paddingOuter=0.32,
        ),
        **_marked("kind", plot),
    )


def _bounded(field: str, form: str) -> str:
    """Return the expression for a figure with a plus where it is a lower bound."""
    return f"format(datum.{field}, '{form}') + (datum.is_lower_bound ? '+' : '')"


def tokens_by_kind(plot: Plot) -> Any:
    """Return the tokens of each run, or how many have how many, in a row for each kind, with its median."""
    medians, ink, median = _rows("medians"), alt.ColorValue(INK), alt.X("median_tokens:Q")
    text = alt.Text("median_tokens:Q", format=".3s")
    above = _there(
        plot,
        medians=medians.mark_tick(thickness=2, size=32).encode(x=median, color=ink),
        median_tokens=medians.mark_text(dy=-23, fontWeight=600).encode(
            x=median, text=text, color=ink
        ),
    )
    runs = _density(plot) if plot.is_dense else _jittered(plot)
    x = _across("tokens", plot, "tokens per run, log scale", "~s", whole=True)
    return _layered(runs, *above, x=x, y=_bands("kind", plot, _ROW_LABELS), **_marked("kind", plot))


def spend(plot: Plot) -> Any:
    """Return what runs cost, added up by their start, as a line of steps for each configuration."""
    ends = _rows("totals")
    moments = {"minutes": "%H:%M", "hours": "%H:%M", "date": "%-d %b", "month": "%b", "year": "%Y"}
    beside: dict[str, Any] = {
        "y": alt.Y("label_usd:Q"),
        "x": _XValue("width"),
        "color": alt.ColorValue(INK),
    }
    # Not filtered: Vega warns of moments of which there are none.
    size = alt.SizeValue(0, condition={"test": "datum.is_lower_bound", "value": 64})
    runs = _runs("configuration", "started_at", "cost_usd", "spent_usd", plot=plot).mark_point(
        filled=True, size=20
    )
    totals = ends.transform_calculate(total=_bounded("spent_usd", "$,.2f")).mark_text(
        align="left", dx=4, dy=7
    )
    # Of plain numbers, Vega-Lite makes calls that fail where Vega may not compile expressions.
    scale = alt.Scale(type="utc", domain={"expr": f"[{plot.x.low}, {plot.x.high}]"}, nice=False)
    axis = alt.Axis(
        values={"expr": f"{utc_ticks(plot.x.low, plot.x.high)}"}, format=moments, grid=False
    )
    return _layered(
        ends.mark_rule().encode(x2=_X2Value("width"), y2=alt.Y2("label_usd:Q")),
        _rows("lines").mark_line(interpolate="step-after").encode(**_dashes(plot)),
        runs.encode(**_shaped(plot)),
        ends.mark_point(fill=PAPER).encode(shape=alt.ShapeValue("triangle-up"), size=size),
        ends.mark_text(align="left", dx=4, dy=-7, fontWeight=600).encode(
            text=alt.Text("label:N"), **beside
        ),
        totals.encode(text=alt.Text("total:N"), **beside),
        x=alt.X("started_at:T", title="time, UTC", scale=scale, axis=axis),
        y=_up("spent_usd", plot.y, "spent so far", _dollars(plot.y)),
        **_marked("configuration", plot),
    )


SPECS: Mapping[str, Callable[[Plot], Any]] = {
    "cost-by-score": cost_by_score,
    "cost-by-success": cost_by_success,
    "money-by-kind": money_by_kind,
    "cost-by-turns": cost_by_turns,
    "tokens-by-kind": tokens_by_kind,
    "spend": spend,
}

_RIM: Mapping[str, Any] = {"stroke": PAPER, "strokeWidth": 0.75}
_ROW_LABELS = alt.Axis(domain=False, grid=False, labelColor=INK)
_COSTS: Mapping[str, Any] = {"x": alt.X("cost_low_usd:Q"), "x2": alt.X2("cost_high_usd:Q")}


def _arrows(rows: alt.Chart, column: str, *, is_upright: bool = False) -> dict[str, alt.Chart]:
    """Return a layer for each end of the axis at which intervals are cut, by its column: triangles that point there."""
    ends = {"below": "down", "above": "up"} if is_upright else {"below": "left", "above": "right"}
    layers = {}
    for end, way in ends.items():
        name = column.format(end)
        place = {"y": alt.Y(f"{name}:Q")} if is_upright else {"x": alt.X(f"{name}:Q")}
        arrow = rows.mark_point(shape=f"triangle-{way}", filled=True, size=60, clip=False)
        layers[name] = arrow.encode(**place)
    return layers


def _there(plot: Plot, **layers: alt.Chart) -> list[alt.Chart]:
    """Return those of these layers whose part of the plot has rows."""
    return [layer for part, layer in layers.items() if part in plot.parts]


def _layered(main: alt.Chart, *others: alt.Chart, **channels: Any) -> Any:
    """Layers that share these channels. The first one alone states scales, axes and colours: of an encoding that stands
    above layers, altair reads dicts, of one that stands in a layer, objects."""
    layers = [main, *others]
    for name, stated in channels.items():
        # What is switched off in one layer alone, the others would switch on.
        off = {
            part: None for part in ("axis", "legend", "title") if stated._kwds.get(part, "") is None
        }
        for number, layer in enumerate(layers):
            own = alt.Undefined if layer.encoding is alt.Undefined else layer.encoding[name]
            if own is alt.Undefined or "shorthand" in own._kwds:
                field = (stated if own is alt.Undefined else own).shorthand
                parts = off if number else stated._kwds
                layers[number] = layer.encode(
                    **{name: type(stated)(**{**parts, "shorthand": field})}
                )
    return alt.layer(*layers)


def _rows(data: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(data))


def _runs(*columns: str, plot: Plot) -> Any:
    """Return runs, each with a tooltip of its name and these columns, and its page."""
    return _rows("runs").encode(tooltip=_tips(plot, "name", *columns), href=alt.Href("page:N"))


def _jittered(plot: Plot) -> Any:
    """Dots of runs in a row, moved so that equal values do not hide each other."""
    jitter = alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-1.6, 1.6]))
    dots = _runs("kind", "tokens", plot=plot).mark_point(filled=True, size=44, **_RIM)
    return dots.encode(yOffset=jitter, **_shaped(plot))


def _density(plot: Plot) -> Any:
    """Bars in a row, the thicker the more runs lie there."""
    scale = alt.Scale(domain=[0, plot.most], range=[1, plot.height // len(plot.rows) - 22])
    size = alt.Size("runs:Q", scale=scale, legend=None)
    tips = _tips(plot, "runs", "tokens_from", "tokens_to")
    bars = _rows("density").mark_bar(stroke=PAPER, strokeWidth=0.5)
    ends = {"x": alt.X("tokens_from:Q"), "x2": alt.X2("tokens_to:Q")}
    return bars.encode(**ends, size=size, tooltip=tips)


def _names() -> Any:
    """Return names beside points, on the side and as far up or down as there is room."""
    names = _rows("means").transform_filter("isValid(datum.align)")
    side: dict[str, Any] = {"align": {"expr": "datum.align"}, "dy": {"expr": "datum.dy"}}
    marks = names.mark_text(dx={"expr": "datum.align === 'left' ? 9 : -9"}, fontWeight=600, **side)
    return marks.encode(text=alt.Text("label:N"), color=alt.ColorValue(INK))


def _marked(column: str, plot: Plot) -> dict[str, Any]:
    """Return the colour of each value of a column."""
    domain = list(plot.colors)
    colors = list(plot.colors.values())
    legend = alt.Undefined if len(domain) > 1 else None
    return {
        "color": alt.Color(
            f"{column}:N", scale=alt.Scale(domain=domain, range=colors), legend=legend
        )
    }


def _shaped(plot: Plot) -> dict[str, Any]:
    """Return the shape of each configuration, where they have different ones. For points alone: a line or rule with it
    gets points at its ends."""
    legend = alt.Undefined if len(plot.colors) > 1 else None
    return (
        {"shape": alt.Shape("configuration:N", scale=_of_shapes(plot, str), legend=legend)}
        if plot.shapes
        else {}
    )


def _dashes(plot: Plot) -> dict[str, Any]:
    """Dashes for lines of marks of different shapes."""
    scale = _of_shapes(plot, lambda shape: _DASHES.get(shape, [1, 3]))
    return (
        {"strokeDash": alt.StrokeDash("configuration:N", scale=scale, legend=None)}
        if plot.shapes
        else {}
    )


def _of_shapes(plot: Plot, write: Callable[[str], Any]) -> alt.Scale:
    shapes = (plot.shapes.get(color, "circle") for color in plot.colors.values())
    return alt.Scale(domain=list(plot.colors), range=[write(shape) for shape in shapes])


def _scale(axis: Axis) -> alt.Scale:
    """Intervals that go on beyond the edge are drawn up to it. No linear domain names zero, so that an edited scale can
    be logarithmic."""
    if axis.logarithmic:
        return alt.Scale(type="log", domain=[axis.low, axis.high], nice=False, clamp=True)
    return alt.Scale(type="linear", domainMax=axis.high, zero=True, nice=False, clamp=True)


def _across(
    column: str, plot: Plot, title: str, written: str, *, whole: bool = False, grid: bool = True
) -> alt.X:
    """Return a horizontal axis, with as many labels as have room."""
    axis = plot.x
    ticks = axis.ticks(whole)
    write = (
        tick_label
        if written == "~s"
        else lambda tick: format(tick, written[1:] if written.endswith("f") else "g")
    )
    characters = max((len(write(tick)) for tick in ticks), default=0) + written.startswith("$")
    roomy = sparse(ticks, axis, plot.frame.plot(ROOMY), characters)
    few = sparse(roomy, axis, plot.frame.plot(NARROW), characters)
    # Vega would measure the labels.
    values: Any = (
        few if few == roomy else {"expr": f"width < {plot.frame.plot(ROOMY)} ? {few} : {roomy}"}
    )
    drawn = alt.Axis(values=values, format=written, grid=grid, labelExpr=_in_domain("x", ticks))
    return alt.X(f"{column}:Q", title=title, scale=_scale(axis), axis=drawn)


def _up(column: str, axis: Axis, title: str, written: str) -> alt.Y:
    ticks = axis.ticks()
    drawn = alt.Axis(values=ticks, format=written, domain=False, labelExpr=_in_domain("y", ticks))
    return alt.Y(f"{column}:Q", title=title, scale=_scale(axis), axis=drawn)


def _in_domain(channel: str, ticks: Sequence[float]) -> Any:
    """Return labels without that of zero, where a scale has become a logarithmic one."""
    return (
        alt.Undefined if all(ticks) else f"datum.value < domain('{channel}')[0] ? '' : datum.label"
    )


def _bands(column: str, plot: Plot, axis: alt.Axis | None, **padding: Any) -> alt.Y:
    """Return a row for each value of a column."""
    return alt.Y(
        f"{column}:N", title=None, scale=alt.Scale(domain=list(plot.rows), **padding), axis=axis
    )


def _dollars(axis: Axis) -> str:
    """Return how ticks of USD are written: without cents where none has any."""
    if axis.logarithmic:
        return "$,~r"
    digits = max(
        (len(f"{tick:.9f}".rstrip("0").partition(".")[2]) for tick in axis.ticks()), default=0
    )
    return f"$,.{max(digits, 2) if digits else 0}f"


def _tips(plot: Plot, *columns: str) -> list[alt.Tooltip]:
    """Return a line for each of these columns."""
    tips = []
    for column in columns:
        form = plot.money if column.endswith("_usd") else _NUMBERS.get(column, "")
        title = column.removesuffix("_usd").replace("_", " ")
        tip = alt.Tooltip(
            f"{column}:{'Q' if form else 'N'}", title=title, format=form or alt.Undefined
        )
        tips.append(_START if column == "started_at" else tip)
    return tips


_START = alt.Tooltip(
    "started_at:T", title="start, UTC", format="%-d %b %Y, %H:%M", formatType="utc"
)
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
    shared = {key: value for key, value in _config().items() if key not in ("axisX", "axisY")}
    shared |= {
        "mark": {"color": "var(--model-1)"},
        "range": {"category": [f"var(--model-{n})" for n in range(1, 5)]},
    }
    del shared["legend"]["title"]
    shared |= {"header": {"labelColor": INK, "titleColor": INK}, "rule": {"color": INK}}
    shared["text"]["color"] = shared["legend"]["titleColor"] = INK
    for key, value in own.items():
        is_section = isinstance(value, dict) and isinstance(shared.get(key), dict)
        shared[key] = {**shared[key], **value} if is_section else value
    return {**shared, "aria": False}


def _config() -> Spec:
    """Type, colours and grid, which every chart shares. The page's stylesheet has the last word on type."""
    made: Spec = json.loads(_CONFIG)
    return made


_CONFIG = Path(__file__).with_name("config.json").read_text(encoding="utf-8")
