"""The small parts that pages share: addresses of filters, looks of models, and how means and scores are written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.model import Entry, ModelUsage, Score, Tokens
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure, ScoreMeasure, Spread
from sitegen.pages import views
from sitegen.pages.views import Filter, Look
from tests.support.chart_runs import entry


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, "#"),
        ({"model": ["Alpha 2"]}, "#model=Alpha+2"),
        ({"outcome": ["fail", "partial"]}, "#outcome=fail&outcome=partial"),
        ({"factor.a,b": ["x"]}, "#factor.a%252Cb=x"),
        ({"50%": ["a&b"]}, "#50%2525=a%26b"),
        ({"task": [""]}, "#task="),
        ({"task": ["a\x01b"]}, ""),
        ({"task": ["fine"], "model": ["\x02"]}, ""),
    ],
)
def test_a_filter_has_an_address_unless_a_name_cannot_be_written(
    chosen: Filter, expected: str
) -> None:
    assert views.filter_of(chosen) == expected
    assert views.runs_with(chosen) == (f"index.html{expected}" if expected else "")


@pytest.mark.parametrize(
    ("length", "expected"),
    [(71, "w" * 71), (72, "w" * 72), (73, "w" * 71 + "…"), (500, "w" * 71 + "…")],
)
def test_words_beside_a_name_have_room_for_72_characters(length: int, expected: str) -> None:
    run = replace(entry(1), task=None, about="w" * length)
    assert views.beside_name(run) == expected


def test_words_beside_a_name_end_in_no_space_and_say_what_the_name_does_not() -> None:
    run = replace(entry(1), task=None, about="w" * 70 + " " + "x" * 9)
    assert views.beside_name(run) == "w" * 70 + "…"
    assert views.beside_name(replace(run, task="t")) is None
    assert views.beside_name(replace(run, title=run.about or "")) is None
    assert views.beside_name(replace(run, about="1")) is None  # its file is 1.json
    assert views.beside_name(replace(run, about=None)) is None


@pytest.mark.parametrize(
    ("name", "size", "unit", "interval", "value", "expected"),
    [
        ("speedup", 7.25, "x", None, 7.25, "7.3x"),
        ("speedup", 99.96, "x", None, 99.96, "100.0x"),
        ("speedup", 100.0, "x", None, 123.4, "123x"),
        ("speedup", 0.85, "x", None, 0.85, "0.85x"),
        ("speedup", 0.05, "x", None, 0.05, "0.050x"),
        ("speedup", 0.0000123, "x", None, 0.0000123, "<0.0001x"),
        ("speedup", 0.0, "x", None, 0.0, "0.0x"),
        ("misses", 12.0, None, None, 12.0, "12.0"),
        ("misses", -12.0, None, None, -12.0, "−12.0"),
        ("speedup", 1.234, "x", (1.2, 1.3), 1.234, "1.23x"),
        ("speedup", 1.234, "x", (1.231, 1.237), 1.234, "1.23x"),
    ],
)
def test_means_of_scores_are_as_exact_as_they_deserve(
    name: str,
    size: float,
    unit: str | None,
    interval: tuple[float, float] | None,
    value: float,
    expected: str,
) -> None:
    measure = ScoreMeasure(name, unit)
    ends = Interval(*interval) if interval else None
    assert views.score_writer(measure, size, ends)(value) == expected


def spread(mean: float, low: float, high: float, least: float, most: float) -> Spread:
    """Return the spread of nine runs with this mean, its interval, the least and the most."""
    return Spread(9, 0, least, mean, mean, mean, most, mean, False, Interval(low, high), None, most)


def model(number: int, name: str, usd: float, configuration: str = "", agent: str = "") -> Entry:
    """Return a run of a model that cost so much."""
    made = entry(number, model=name)
    run = replace(made.run, ledger=(ModelUsage(name, Tokens(1, 0, 0, 1), usd),))
    factors = (("agent", agent),) if agent else ()
    return replace(
        made,
        run=run,
        ledger_names=(name,),
        configuration=configuration or None,
        factors=factors,
    )


def test_the_four_models_that_cost_most_have_colours_and_the_rest_is_grey() -> None:
    runs = [model(number, f"M{number}", float(number)) for number in range(1, 7)]
    assert views.looks(runs) == {
        "M6": Look("model-1"),
        "M5": Look("model-2"),
        "M4": Look("model-3"),
        "M3": Look("model-4"),
        "M2": Look("muted"),
        "M1": Look("muted"),
    }
    assert [look.is_own for look in views.looks(runs).values()] == [True] * 4 + [False] * 2


def test_models_that_cost_the_same_are_in_the_order_of_their_names() -> None:
    runs = [model(1, "b", 1.0), model(2, "a", 0.5), model(3, "a", 0.5), model(4, "c", 0.0)]
    assert list(views.looks(runs)) == ["a", "b", "c"]


def test_configurations_have_the_colour_of_their_model_and_the_shape_of_their_agent() -> None:
    runs = [
        model(1, "M1", 2.0, "codex · M1", "codex"),
        model(2, "M2", 1.0, "codex · M2", "codex"),
        model(3, "M1", 2.0, "aider · M1", "aider"),
    ]
    looks = views.looks(runs)
    assert (
        looks["codex · M1"].colour == looks["aider · M1"].colour == looks["M1"].colour == "model-1"
    )
    assert looks["codex · M2"].colour == "model-2"
    assert looks["codex · M1"].shape == looks["codex · M2"].shape
    assert looks["aider · M1"].shape != looks["codex · M1"].shape
    assert {looks["aider · M1"].shape, looks["codex · M1"].shape} <= set(list(views.SHAPES)[:6])


def test_no_two_configurations_of_a_model_look_alike_until_shapes_run_out() -> None:
    runs = [model(n, "M1", 1.0, f"agent {n} · M1", f"agent {n}") for n in range(1, 8)]
    looks = views.looks(runs)
    shapes = [looks[f"agent {n} · M1"].shape for n in range(1, 8)]
    assert len(set(shapes)) == 7
    assert sorted(shapes)[0] == ""  # the seventh has none, and the grey of others
    (grey,) = [look for name, look in looks.items() if name != "M1" and not look.shape]
    assert grey.colour == "muted"


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score("speedup", 5.8, "x"), "speedup 5.80x"),
        (Score("speedup", 5.8, "x", is_computed=True), "speedup 5.80x (computed)"),
        (Score("misses", 12.0), "misses 12"),
    ],
)
def test_a_score_has_its_name_and_whether_it_is_computed(score: Score, expected: str) -> None:
    assert views.score_text(score) == expected


def test_scores_of_two_units_are_written_without_one_as_a_column() -> None:
    runs = [
        replace(entry(1), scores=(Score("speed", 1.5, "x"), Score("misses", 3.0))),
        replace(entry(2), scores=(Score("speed", 2.25, "s"), Score("misses", 10.0))),
    ]
    columns = views.score_columns(runs)
    assert sorted(columns) == ["misses", "speed"]
    assert views.score_text(runs[0].scores[0], columns["speed"]) == "speed 1.50x"
    assert views.score_text(runs[1].scores[1], columns["misses"]) == "misses 10"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (spread(1.0, 0.9, 1.1, 0.5, 2.0), "$0.90 to $1.10"),
        (spread(1.0, 0.4, 1.1, 0.5, 2.0), "less than $0.50 to $1.10"),
        (spread(1.0, 0.9, 2.1, 0.5, 2.0), "$0.90 to more than $2.00"),
        (spread(1.0, 0.4, 2.1, 0.5, 2.0), "less than $0.50 to more than $2.00"),
        (spread(1.0, 0.5, 2.0, 0.5, 2.0), "$0.50 to $2.00"),
    ],
)
def test_no_end_of_an_interval_is_beyond_all_runs(found: Spread, expected: str) -> None:
    assert views.spread_ends(Measure.COST, found) == expected


def test_the_unit_of_a_score_stands_once_behind_an_interval() -> None:
    found = spread(7.0, 4.0, 13.2, 1.0, 40.0)
    assert views.spread_ends(ScoreMeasure("speedup", "x"), found) == "4.0 to 13.2x"
    assert views.spread_ends(Measure.COST, replace(found, interval=None)) == ""
    assert views.spread_ends(Measure.COST, replace(found, mean=None)) == ""


def test_a_mark_is_a_share_of_its_scale() -> None:
    assert views.mark_of(1.0, Interval(0.5, 1.5), 2.0, "m") == views.Mark(0.5, 0.25, 0.75, "m")
    assert views.mark_of(1.0, None, 4.0, "m") == views.Mark(0.25, None, None, "m")


@pytest.mark.parametrize(("name", "expected"), [(None, "soft"), ("", "soft")])
def test_without_a_name_a_colour_is_grey(name: str | None, expected: str) -> None:
    assert views.colour_class(name) == expected
    assert views.colour_class("Alpha 2").startswith("m-alpha-2")


def test_a_session_has_a_place_that_follows_from_its_id() -> None:
    link = views.session_link("s-1")
    # The first six bytes of BLAKE2b of the id.
    assert link == views.LinkView("sessions/5d.html#s-5de2bbab7c4a", "s-1")
