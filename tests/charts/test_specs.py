"""Parts of specs: how ticks and tooltips are written, and the config of charts of the user."""

from __future__ import annotations

import pytest

from sitegen.charts.axes import Axis, Frame
from sitegen.charts.findings import Plot
from sitegen.charts.specs import SPECS, _dollars, _length, _tips, config_of, spec

PLOT = Plot(
    frame=Frame(10, 20, 3, 4),
    height=50,
    x=Axis(0.0, 10.0, logarithmic=False),
    y=Axis(0.0, 1.0, logarithmic=False),
    colors={"A": "var(--m-a)"},
    money="$,.3f",
)


@pytest.mark.parametrize(
    ("axis", "written"),
    [
        (Axis(0.0, 40.0, logarithmic=False), "$,.0f"),
        (Axis(0.0, 1.86, logarithmic=False), "$,.2f"),
        (Axis(0.0, 0.0042, logarithmic=False), "$,.3f"),
        (Axis(0.01, 100.0, logarithmic=True), "$,~r"),
    ],
)
def test_ticks_of_dollars_have_cents_where_any_has(axis: Axis, written: str) -> None:
    assert _dollars(axis) == written


@pytest.mark.parametrize(
    ("tick", "written", "characters"),
    [
        (1000.0, "~s", 3),
        (1000.0, "$,.0f", 6),
        (0.5, "$,.2f", 5),
        (0.5, "$,~r", 4),
        (0.25, ",~r", 4),
    ],
)
def test_a_label_has_so_many_characters(tick: float, written: str, characters: int) -> None:
    assert _length(tick, written) == characters


def test_a_tooltip_has_a_line_for_each_column_in_its_format() -> None:
    columns = ("name", "mean_cost_usd", "turns", "tokens_from", "started_at", "success_rate")
    assert [tip.to_dict() for tip in _tips(PLOT, *columns)] == [
        {"field": "name", "title": "name", "type": "nominal"},
        {"field": "mean_cost_usd", "title": "mean cost", "type": "quantitative", "format": "$,.3f"},
        {"field": "turns", "title": "turns", "type": "quantitative", "format": ",.0f"},
        {"field": "tokens_from", "title": "tokens from", "type": "quantitative", "format": ",.0f"},
        {
            "field": "started_at",
            "title": "start, UTC",
            "type": "temporal",
            "format": "%-d %b %Y, %H:%M",
            "formatType": "utc",
        },
        {"field": "success_rate", "title": "success rate", "type": "quantitative", "format": ".0%"},
    ]


def test_parts_of_the_user_come_before_those_of_all_charts() -> None:
    shared = config_of({})
    assert not {"axisX", "axisY"} & set(shared)
    assert shared["aria"] is False
    assert "title" not in shared["legend"]
    assert shared["mark"] == {"color": "var(--model-1)"}
    assert shared["range"]["category"] == [
        *("var(--model-1)", "var(--model-2)", "var(--model-3)", "var(--model-4)")
    ]
    assert shared["text"]["color"] == shared["rule"]["color"] == "var(--ink)"
    assert shared["header"] == {"labelColor": "var(--ink)", "titleColor": "var(--ink)"}
    own = config_of({"mark": {"size": 3}, "font": "x", "aria": True, "legend": None, "new": {}})
    assert own["mark"] == {"color": "var(--model-1)", "size": 3}
    assert (own["font"], own["aria"], own["legend"], own["new"]) == ("x", False, None, {})


def test_a_chart_has_a_layer_for_each_part_with_rows() -> None:
    assert list(SPECS) == [
        "cost-by-score",
        "cost-by-success",
        "money-by-kind",
        "cost-by-turns",
        "tokens-by-kind",
        "spend",
    ]
    with_rows = Plot(
        frame=PLOT.frame, height=50, x=PLOT.x, colors=PLOT.colors, parts=frozenset({"full"})
    )
    made = spec("cost-by-turns", with_rows)
    assert "$schema" not in made
    assert len(made["layer"]) == 1
    assert made["height"] == 50
    more = Plot(
        frame=PLOT.frame,
        height=50,
        x=PLOT.x,
        colors=PLOT.colors,
        parts=frozenset({"full", "hollow", "rates"}),
    )
    assert len(spec("cost-by-turns", more)["layer"]) == 3
