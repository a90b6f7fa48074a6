"""What the charts say, how they are drawn, and what may never be in them."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair as alt
import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError

from sitegen.charts import charts, converter, labels, shape
from sitegen.charts.axes import Axis, epoch_ms, sparse, spread_out, tick_label, uncrowded, utc_ticks
from sitegen.charts.drawing import compact
from sitegen.charts.findings import (
    DRAWN_MARKS,
    GREY,
    LIVE_MARKS,
    MOST_DOTS,
    Finding,
    Key,
    ModelColors,
    clipped,
    runs_a_dot,
    shortened_apart,
    thinned,
)
from sitegen.charts.findings.dearest import most_expensive
from sitegen.charts.findings.frontier import cost_by_success
from sitegen.charts.findings.money import money_by_kind
from sitegen.charts.findings.score import cost_by_score
from sitegen.charts.findings.spend import spend
from sitegen.charts.findings.spread import spread_of_cost
from sitegen.charts.findings.tokens import tokens_by_kind
from sitegen.charts.findings.turns import FRAME, cost_by_turns
from sitegen.model import Entry, Outcome, Score, Status, Tokens
from tests.support.chart_runs import OPUS, RATES, SONNET, campaign, color, entry, split
from tests.support.watching import calls_of

HOSTILE = "\"><script>alert(1)</script> {{datum.url}} ' & \u2028 [0].constructor(\\'x\\')"


IDS = [
    "cost-by-score",
    "cost-by-success",
    "money-by-kind",
    "most-expensive",
    "cost-by-turns",
    "tokens-by-kind",
    "spend",
]


@pytest.fixture(scope="module")
def drawn() -> charts.Charts:
    runs = campaign(judged=True)
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
    assert [chart.id for chart in drawn.drawn] == IDS
    assert drawn.left_out == ()
    assert drawn.problem is None


def test_of_many_runs_the_ten_most_expensive_are_drawn_and_25_are_in_the_table() -> None:
    found = most_expensive(campaign(101), color)
    assert not isinstance(found, str)
    assert (len(found.data["runs"]), len(found.table.rows)) == (10, 25)
    assert found.height == 260  # the charts beside it are 200 to 240 high
    assert found.method.endswith("; the table has 25.")
    assert len(found.links or ()) == 10


def test_charts_of_one_shape_are_laid_out_once() -> None:
    def stamp(*values: object) -> bytes:
        return hashlib.sha256(repr(values).encode()).digest()

    runs = campaign(judged=True)
    kept = charts.charts(runs, split(runs), color=color, stamp=stamp).to_keep
    runs[10] = replace(runs[10], run=replace(runs[10].run, cost_usd=0.8))
    known = {key: value for _, key, value in kept}
    with calls_of(shape.LaidOut.of) as laid:
        again = charts.charts(runs, split(runs), color=color, stamp=stamp, known=known)
    assert len({(type(value), name) for name, _, value in kept}) == len(kept) == 2 * len(IDS)
    assert laid == []
    with calls_of(shape.LaidOut.of) as laid:
        assert again.drawn == charts.charts(runs, split(runs), color=color).drawn
    assert len(laid) == len(IDS)


def test_colours_that_name_each_other_in_a_circle_end(drawn: charts.Charts) -> None:
    styles = COLORS + ":root{--muted:var(--ink);--ink:var(--muted)}"
    assert b'"var(--' in charts.spec_files(drawn.drawn, styles)["charts/cost-by-turns.vl.json"]


def test_without_outcomes_and_starts_no_word_is_said_of_success_or_of_time() -> None:
    runs = campaign()
    made = charts.charts(runs, split(runs), color=color)
    assert [chart.id for chart in made.drawn] == [
        "money-by-kind", "most-expensive", "cost-by-turns", "tokens-by-kind",
    ]  # fmt: skip
    assert made.left_out == ()
    assert not re.search(r"success|pass|judged|outcome|UTC|so far", repr(made).lower())


def test_titles_state_what_the_data_show() -> None:
    runs = [entry(1, cost=6.0), entry(2, cost=2.0), entry(3, cost=2.0, model=OPUS)]
    found = most_expensive(runs, color)
    assert not isinstance(found, str)
    assert found.title == "The most expensive of 3 runs took 60% of the money"
    money = money_by_kind(runs, {run.id: {"cache_read": 0.25, "output": 0.75} for run in runs})
    assert not isinstance(money, str)
    assert money.title == "Cache reads are 90% of the tokens and 25% of the bill"
    tokens = tokens_by_kind(runs)
    assert not isinstance(tokens, str)
    assert tokens.title == "For each token it writes, a typical run reads 58 from the cache"


@pytest.mark.parametrize(
    ("same_tasks", "turns", "title"),
    [
        (True, 10, "Turn for turn, Opus 4.5 cost 2.0 times as much as Sonnet 4.5"),
        (False, 10, "A turn cost 20¢ with Opus 4.5 and 10¢ with Sonnet 4.5"),
        (True, 4, "A turn cost 50¢ with Opus 4.5 and 10¢ with Sonnet 4.5"),
    ],
)
def test_models_are_compared_only_on_the_same_tasks_by_runs_of_like_length(
    same_tasks: bool, turns: int, title: str
) -> None:
    sonnet = [entry(i, cost=1.0, model=SONNET) for i in range(5)]
    name = "task" if same_tasks else "other"
    opus = [entry(i + 5, cost=2.0, model=OPUS, name=name, turns=turns) for i in range(5)]
    found = cost_by_turns([*sonnet, *opus], color)
    assert not isinstance(found, str)
    assert found.title == title


def test_a_turn_that_cost_next_to_nothing_ends_no_build() -> None:
    for turns, cost in ((10**300, 1e-30), (10**6, 1e-9)):
        found = cost_by_turns([entry(i, cost=cost, turns=turns) for i in range(3)], color)
        assert not isinstance(found, str)
        assert re.fullmatch(r"A turn cost (<\$0\.000001|\$0\.00) on average", found.title)


def test_what_a_turn_cost_is_the_cost_of_all_turns_over_their_number() -> None:
    short = [entry(i, cost=1.0, turns=1) for i in range(6)]
    found = cost_by_turns([*short, entry(7, cost=4.0, turns=94)], color)
    assert not isinstance(found, str)
    assert found.title == "A turn cost 10¢ on average", "the median over runs, a dollar, is what starting costs"
    assert found.table.rows[0][-1].text == "0.1000"
    assert all(row["usd"] == pytest.approx(0.1 * float(row["turns"])) for row in found.data["lines"])


@pytest.mark.parametrize(
    ("runs", "ids", "left_out"),
    [
        ([], [], 5),
        ([entry(1)], ["money-by-kind"], 4),
        ([entry(1), entry(2)], ["money-by-kind", "most-expensive", "cost-spread", "tokens-by-kind"], 1),
        ([entry(i, cost=None) for i in range(5)], ["tokens-by-kind"], 4),
        ([entry(i, cost=0.0) for i in range(5)], ["tokens-by-kind"], 4),
        (
            [entry(i, turns=None) for i in range(5)],
            ["money-by-kind", "most-expensive", "cost-spread", "tokens-by-kind"],
            1,
        ),
        (
            [entry(i, tokens=Tokens(0, 0, 0, 0)) for i in range(5)],
            ["most-expensive", "cost-by-turns", "cost-spread"],
            2,
        ),
        ([entry(i, tokens=Tokens()) for i in range(5)], ["most-expensive", "cost-by-turns", "cost-spread"], 2),
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
    assert "7 of 10 runs with a cost" in found.method


def test_models_that_share_a_pair_of_bars_are_named_by_their_dearest_and_listed_in_the_numbers() -> None:
    runs = [entry(number, cost=9.0 - number, model=f"m{number}") for number in range(5)]
    found = money_by_kind(runs, {run.id: {"output": 9.0 - number} for number, run in enumerate(runs)})
    assert not isinstance(found, str)
    assert [str(row["text"]).partition(",")[0] for row in found.data["heads"]] == ["m0", "m1", "m2 and 2 more"]
    assert {row[0].text for row in found.table.rows} == {"m0", "m1", "m2", "m3", "m4", "all models"}


def test_bars_of_several_models_say_so_however_long_a_name_is() -> None:
    runs = [entry(number, cost=9.0 - number, model=f"a-quite-long-name-of-a-model-{number}") for number in range(5)]
    found = money_by_kind(runs, {run.id: {"output": 9.0 - number} for number, run in enumerate(runs)})
    assert not isinstance(found, str)
    assert "… and 2 more, 3 runs" in str(found.data["heads"][-1]["text"])


def test_counts_of_zero_are_not_drawn_on_a_log_scale_and_said() -> None:
    runs = [*campaign(4), entry(9, tokens=Tokens(100, 0, 0, 100))]
    found = tokens_by_kind(runs)
    assert not isinstance(found, str)
    assert "1 with no cache read, 1 with no cache write" in found.method
    assert all(float(row["tokens"]) > 0 for row in found.data["dots"])
    assert [cell.text for cell in found.table.rows[0]] == ["cache read", "5", "0", "460,000", "520,000"]


def test_a_cost_that_its_ledger_does_not_give_is_not_split_by_model() -> None:
    runs = [entry(1, cost=2.0, helper=0.5), entry(2, cost=1.0)]
    odd = Entry(**{name: getattr(runs[0], name) for name in Entry.__slots__})
    object.__setattr__(odd, "run", type(odd.run)("r", Status.OK, ledger=odd.run.ledger, cost_usd=9.0))
    found = most_expensive([odd, runs[1]], color)
    assert not isinstance(found, str)
    first = [row for row in found.data["segments"] if row["href"] == f"runs/{odd.id}.html"]
    assert [(row["start"], row["end"], row["color"]) for row in first] == [(0.0, 9.0, "var(--muted)")]
    assert Key("muted", "model not known", "var(--muted)") in found.legend


def test_runs_that_did_not_complete_are_hollow() -> None:
    found = cost_by_turns([entry(1), entry(2), entry(3, status=Status.STOPPED)], color)
    assert not isinstance(found, str)
    assert (len(found.data["dots"]), len(found.data["rings"])) == (2, 1)
    assert str(found.data["rings"][0]["tip"]).endswith("$1.00, 10 turns, stopped")
    assert "hollow: not completed" in found.note


@pytest.mark.parametrize(("most", "logarithmic"), [(29.0, False), (31.0, True)])
def test_scales_are_logarithmic_where_the_spread_asks_for_it(most: float, logarithmic: bool) -> None:
    found = cost_by_turns([entry(1), entry(2, cost=most), entry(3), entry(4, cost=0.0)], color)
    assert not isinstance(found, str)
    assert found.y.logarithmic is logarithmic
    assert ("log scales" in found.method) is logarithmic
    without = (
        "left out: 1 run of zero turns or cost"
        if logarithmic
        else "the figures are without 1 run of zero turns or cost"
    )
    assert f"; {without}" in found.method
    assert sum(int(row[1].text) for row in found.table.rows) == 3


def test_notes_account_for_every_run() -> None:
    runs = [entry(n, cost=float(n)) for n in (1, 2, 40)]
    runs += [entry(4, cost=None), entry(5, turns=None), entry(6, cost=0.0), entry(7, tokens=Tokens())]
    turns, spread, tokens = cost_by_turns(runs, color), spread_of_cost(runs, color), tokens_by_kind(runs)
    assert isinstance(turns, Finding) and isinstance(spread, Finding) and isinstance(tokens, Finding)
    assert "4 runs; left out: 2 runs of unknown turns or cost and 1 run of zero turns or cost." in turns.method
    assert (
        "6 runs, log scale; it has no zero, so 1 run that cost nothing is not drawn; 1 run of unknown" in spread.method
    )
    assert "6 runs, log scale; 1 run of unknown counts left out." in tokens.method
    assert {row[1].text for row in tokens.table.rows} == {"6"}, "the runs of the note are those of the table"


def test_models_that_cost_nothing_have_no_part_in_where_the_money_went() -> None:
    runs = [entry(1), entry(2), entry(3, model=OPUS, cost=0.0)]
    found = money_by_kind(runs, {runs[0].id: {"output": 1.0}, runs[1].id: {"output": 2.0}, runs[2].id: {"output": 0.0}})
    assert isinstance(found, Finding)
    assert found.method.endswith(
        "; 2 of 3 runs with a cost; 1 do not match list prices, without 1 run of models that cost nothing."
    )
    assert {row[0].text for row in found.table.rows} == {"Sonnet 4.5"}
    [tokens] = {row[2].text for row in found.table.rows if row[1].text == "output"}
    assert tokens == f"{sum(run.run.tokens.output or 0 for run in runs[:2]):,}"


def many(size: int) -> list[Entry]:
    """Runs of two models that lie apart from each other."""
    return [
        entry(i, cost=0.1 + (i * 37 % 997) / 500, turns=1 + i * 61 % 89, model=OPUS if i % 3 else SONNET)
        for i in range(size)
    ]


def runs_in(dots: Sequence[Mapping[str, str | float]]) -> int:
    """For how many runs the dots of cost against turns stand."""
    joined = [re.match(r"([\d,]+) runs\n", str(dot["tip"])) for dot in dots]
    assert all(dot["href"] == "" for dot, match in zip(dots, joined, strict=True) if match)
    return sum(int(match[1].replace(",", "")) if match else 1 for match in joined)


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (DRAWN_MARKS, "one dot a run, 200 runs."),
        (DRAWN_MARKS + 1, "201 runs; those that lie close are one dot, larger for more."),
        (LIVE_MARKS, "5,000 runs; those that lie close are one dot, larger for more."),
        (LIVE_MARKS + 1, "5,001 runs; those that lie close are one dot, larger for more."),
    ],
)
def test_dots_that_are_too_many_are_put_together_and_the_note_says_so(size: int, says: str) -> None:
    found = cost_by_turns(many(size), color)
    assert not isinstance(found, str)
    live = found.data["dots"]
    drawn = found.drawn.get("dots", live)
    assert len(live) <= LIVE_MARKS and len(drawn) <= DRAWN_MARKS
    assert (len(live) == size) is (size <= LIVE_MARKS)
    assert (len(drawn) == size) is (size <= DRAWN_MARKS)
    assert runs_in(live) == runs_in(drawn) == size
    assert (found.frame.layout == "cost_by_turns") is (size <= DRAWN_MARKS), "else small ones that show what lies below"
    assert says in found.method
    assert (found.whole == "Of all runs") is (size > LIVE_MARKS)


@pytest.mark.parametrize(
    ("sizes", "live", "drawn", "says"),
    [
        ([200], 200, 200, "One dot a run, 200 runs"),
        ([120, 81], 201, 100, "One dot for up to 2 runs of like cost, 201 runs"),
        ([201], 0, 0, "Bars, higher where more runs lie, 201 runs"),
        ([201, 90], 90, 90, "One dot a run; of more than 200 runs bars, higher where more runs lie, 291 runs"),
    ],
)
def test_a_strip_of_many_runs_is_drawn_by_its_density(sizes: list[int], live: int, drawn: int, says: str) -> None:
    assert DRAWN_MARKS == MOST_DOTS == 200
    models = [model for model, size in zip((SONNET, OPUS), sizes, strict=False) for _ in range(size)]
    found = spread_of_cost([entry(i, cost=0.5 + i % 7, model=model) for i, model in enumerate(models)], color)
    assert not isinstance(found, str)
    assert says in found.method
    dots, bars = found.data["dots"], found.data["density"]
    assert (len(dots), len(found.drawn.get("dots", dots))) == (live, drawn)
    assert all(dot["href"] for dot in dots)
    assert sum(int(str(bar["tip"]).split(" run")[0]) for bar in bars) == sum(sizes) - live, "each run in one bar"
    assert (found.whole == "Of all runs") is bool(bars)


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (DRAWN_MARKS // 4, "One dot a run and kind, 50 runs"),
        (DRAWN_MARKS // 4 + 1, "One dot for up to 2 runs of like size"),
        (MOST_DOTS, "One dot for up to 4 runs of like size"),
    ],
)
def test_dots_of_tokens_count_all_kinds(size: int, says: str) -> None:
    found = tokens_by_kind(many(size))
    assert not isinstance(found, str)
    assert says in found.method
    dots = found.data["dots"]
    assert len(dots) == 4 * size and not found.data["density"]
    assert len(found.drawn.get("dots", dots)) <= DRAWN_MARKS


def test_a_row_of_many_tokens_is_drawn_by_its_density() -> None:
    found = tokens_by_kind(many(MOST_DOTS + 1))
    assert not isinstance(found, str)
    assert found.data["dots"] == [] and found.method.startswith("Bars, higher where more runs lie, 201 runs")
    bars = found.data["density"]
    assert sum(int(str(bar["tip"]).split(" run")[0]) for bar in bars) == 4 * (MOST_DOTS + 1), "each run in one bar"
    assert all(found.x.low <= float(bar["start"]) < float(bar["end"]) <= found.x.high * 1.0001 for bar in bars)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=12), st.integers(12, 300))
def test_rows_of_dots_never_have_more_than_they_may(rows: list[int], most: int) -> None:
    share = runs_a_dot(rows, most)
    dots = [len(thinned(range(runs), share)) for runs in rows]
    assert sum(dots) <= most and all(map(bool, dots)) is all(map(bool, rows))
    assert share == 1 or sum(rows) > most


def test_a_drawing_has_the_fewer_dots_and_the_live_chart_all() -> None:
    for name, runs in (("cost-by-turns", many(DRAWN_MARKS + 1)), ("tokens-by-kind", many(MOST_DOTS))):
        chart = {chart.id: chart for chart in charts.charts(runs, {}, color=color).drawn}[name]
        assert chart.wide_svg is not None
        assert DRAWN_MARKS / 2 < len(dots_of(drawing(chart.wide_svg))) <= DRAWN_MARKS + 10
        assert len(chart.spec["datasets"]["dots"]) >= DRAWN_MARKS
        assert len(f"{chart.wide_svg}{chart.slim_svg}") < 45_000


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


@pytest.mark.parametrize(
    ("models", "shared", "meant"),
    [
        ("ABCDEFG", "3 other models", ("E", "F", "G")),
        (["A", "B", "E", "", "F"], "2 other models, or not known", ("E", "", "F")),
        (["A", "", "E"], "E, or not known", ("", "E")),
        ("ABE", "E", ("E",)),
    ],
)
def test_models_without_a_colour_of_their_own_share_one_entry_of_the_legend(
    models: Iterable[str], shared: str, meant: tuple[str, ...]
) -> None:
    own = {model: f"var(--m-{model})" for model in "ABCD"}
    legend = ModelColors.of({model: -at for at, model in enumerate(models)}, lambda model: own.get(model, GREY)).legend
    assert [key for key in legend if key.color == GREY] == [Key("muted", shared, GREY, meant)]
    assert len({key.color for key in legend}) == len(legend)


def test_lines_whose_names_find_no_room_are_named_in_the_legend() -> None:
    everywhere = [
        entry(i, cost=0.1 + i * 37 % 200 / 100, turns=5 + i * 23 % 57, model=(SONNET, OPUS)[i % 2]) for i in range(200)
    ]
    found = cost_by_turns(everywhere, color)
    assert not isinstance(found, str)
    assert found.data["names_left"] == found.data["names_right"] == []
    assert len(found.data["lines"]) == 4
    assert [key.css_class for key in found.legend] == ["m-claude-opus-4-5", "m-claude-sonnet-4-5"]
    assert all(re.fullmatch(r"(Opus|Sonnet) 4\.5, [\d.]+¢ a turn", key.label) for key in found.legend)
    assert [key.models for key in found.legend] == [(OPUS,), (SONNET,)]


def test_long_names_that_begin_alike_are_cut_within() -> None:
    assert shortened_apart(["a long name, first", "a long name, second"], 10) == ["a…first", "a…second"]
    assert shortened_apart(["a-long-task · Opus · 1"], 17) == ["a-lon… · Opus · 1"]
    assert shortened_apart(["first of long names", "second of long names"], 10) == ["fi…names", "se…names"]
    assert shortened_apart(["a plain name, once", "a long name, first", "a long name, second"], 10) == [
        "a…, once", "a…first", "a…second",
    ]  # fmt: skip
    alike = [f"the same beginning {number} and the same end" for number in (1, 2)]
    assert shortened_apart([f"one{alike[0]}one", f"two{alike[0]}one", f"one{alike[0]}two"], 10) == [
        "on…endone", "tw…endone", "on…endtwo",
    ]  # fmt: skip


def test_no_row_of_a_picture_is_without_any_of_its_dots() -> None:
    runs = [entry(number, model=f"Model {number % 7 + 1}" if number % 40 else "Rare", cost=0.5 + number % 9)
            for number in range(1, 520)]  # fmt: skip
    finding = found(spread_of_cost([entry(600, model="Single", cost=2.0), *runs], color))
    assert finding.drawn, "there are more runs than a picture has dots"
    rows = {row["y"] for row in finding.data["models"]}
    places = [row["y"] for row in finding.drawn["dots"]]
    half = min(abs(one - other) for one in rows for other in rows if one != other) / 2
    assert all(any(abs(place - row) <= half for place in places) for row in rows)


def test_means_are_named_only_where_they_are_the_ends_of_what_is_shown() -> None:
    """A model with few runs, or one that is not known, may lie below or above all that can be named."""
    sure = [entry(n, model="Low", cost=1.0 + n / 10) for n in range(12)]
    sure += [entry(20 + n, model="High", cost=9.0 + n / 10) for n in range(12)]
    few = [entry(40 + n, model="Cheaper", cost=0.1 * (n + 1)) for n in range(3)]
    unknown = [
        replace(entry(50 + n), model=None, run=replace(entry(50 + n).run, cost_usd=20.0 + n / 10)) for n in range(12)
    ]
    assert found(spread_of_cost(sure, color)).title.startswith("A run cost $")
    assert found(spread_of_cost([*sure, *few], color)).title.startswith("Half of the runs cost from")
    assert found(spread_of_cost([*sure, *unknown], color)).title.startswith("Half of the runs cost from")


# Success, spread and spending


def judged(number: int, outcome: Outcome | None, cost: float | None = 1.0, **more: Any) -> Entry:
    return entry(number, cost=cost, outcome=outcome, **more)


def found(finding: Finding | str | None) -> Finding:
    assert isinstance(finding, Finding), finding
    return finding


def texts(finding: Finding) -> list[list[str]]:
    return [[cell.text for cell in row] for row in finding.table.rows]


def test_a_run_that_its_surroundings_ended_is_in_no_rate_and_in_no_mean_cost_beside_one() -> None:
    runs = [
        *(judged(i, Outcome.PASS, 2.0, name=f"task {i}") for i in range(5)),
        judged(5, Outcome.ERROR, 0.01),
        judged(6, Outcome.FAIL, 0.01, status=Status.STOPPED),
        *(judged(10 + i, Outcome.FAIL if i else Outcome.PARTIAL, 3.0, model=OPUS, name=f"task {i}") for i in range(5)),
    ]
    chart = found(cost_by_success(runs, color))
    assert texts(chart) == [
        ["Sonnet 4.5", "5", "5", "100", "36", "100", "2.00", "2.00", "2.00"],
        ["Opus 4.5", "5", "0", "0", "0", "64", "3.00", "3.00", "3.00"],
    ]
    assert chart.title == "In these runs Sonnet 4.5 cost less, $2.00 a judged run, and passed more often, 100%"
    assert "10 judged runs of 2 models" in chart.method


def test_the_frontier_holds_the_models_that_no_cheaper_one_beats() -> None:
    costs = {"cheap": (1.0, 6), "beaten": (2.0, 4), "level": (2.5, 6), "best": (3.0, 10), "dear": (4.0, 10)}
    runs = [
        judged(20 * m + i, Outcome.PASS if i < passed else Outcome.FAIL, usd, model=model, name=f"task {i}")
        for m, (model, (usd, passed)) in enumerate(costs.items())
        for i in range(12)
    ]
    chart = found(cost_by_success(runs, color))
    assert [(row["usd"], row["value"]) for row in chart.data["frontier"]] == [(1.0, 0.5), (3.0, 5 / 6)]
    assert chart.title == "best passed 83% of its judged runs at $3.00 each, cheap 50% at $1.00"
    assert chart.note == "Means with 95% intervals, which overlap."
    assert chart.method.endswith("with 95% intervals for tasks like these. Dashed: models that no cheaper one beats.")
    names = [row["text"] for side in ("left", "right") for row in chart.data[f"names_{side}"]]
    assert sorted(map(str, names)) == sorted(costs)
    drawn = next(made for made in charts.charts(runs, {}, color=color).drawn if made.id == chart.id)
    dashed = [path for path in drawing(drawn.wide_svg or "").iter("path") if path.get("stroke-dasharray")]
    assert len(dashed) == 1 and dashed[0].get("fill") == "none"


def test_a_model_of_which_few_runs_report_a_cost_is_not_ranked_by_it() -> None:
    costs = {"known": [0.3] * 6, "one of six": [0.15, *[None] * 5], "beside": [0.4] * 6}
    runs = [
        judged(20 * m + i, Outcome.PASS, usd, model=model, name=f"task {i}")
        for m, (model, each) in enumerate(costs.items())
        for i, usd in enumerate(each)
    ]
    title = found(cost_by_success(runs, color)).title
    assert "known cost" in title and "one of six" not in title
    few = [run for run in runs if run.model != "beside"]
    assert found(cost_by_success(few, color)).title == "Too few runs report a cost to rank models by it"


def test_an_order_that_other_runs_would_not_turn_round_is_not_called_in_doubt() -> None:
    runs = [
        judged(i, outcome, usd + i / 1000, model=model, name=f"task {i % 40}")
        for m, (model, outcome, usd) in enumerate([("good", Outcome.PASS, 1.0), ("bad", Outcome.FAIL, 9.0)])
        for i in range(40 * m, 40 * m + 40)
    ]
    chart = found(cost_by_success(runs, color))
    assert chart.note == "Means with 95% intervals."
    assert chart.title.startswith("good cost less, $1.02 a judged run,"), "and not in these runs only"


def test_a_model_that_cost_nothing_counts_in_the_title_though_a_log_axis_has_no_place_for_it() -> None:
    costs = {"free": (0.0, 6), "cheap": (0.01, 5), "dear": (9.0, 4)}
    runs = [
        judged(10 * m + i, Outcome.PASS if i < passed else Outcome.FAIL, usd, model=model, name=f"task {i}")
        for m, (model, (usd, passed)) in enumerate(costs.items())
        for i in range(6)
    ]
    title = found(cost_by_success(runs, color)).title
    assert title == "In these runs free cost least, $0.00 a judged run, and passed most often, 100%"


@pytest.mark.parametrize(
    ("passed", "title"),
    [
        (6, "A judged run with Opus 4.5 cost $1.50, no more than with any other model, and none passed more often than"
         " its 100%"),
        (0, "A judged run with Opus 4.5 cost $1.50, no more than with any other model; none passed"),
    ],
)  # fmt: skip
def test_of_models_that_cost_the_same_none_is_called_cheaper(passed: int, title: str) -> None:
    runs = [
        judged(10 * m + i, Outcome.PASS if i < passed else Outcome.FAIL, 1.5, model=model, name=f"task {i}")
        for m, model in enumerate((SONNET, OPUS))
        for i in range(6)
    ]
    assert found(cost_by_success(runs, color)).title == title


def test_judged_runs_without_a_cost_are_said_to_be_in_no_mean() -> None:
    runs = [judged(10 * m + i, Outcome.PASS, 2.0 - m, model=model) for m, model in enumerate(RATES) for i in range(3)]
    assert "cost" not in found(cost_by_success(runs, color)).method.partition("95% intervals")[2]
    note = found(cost_by_success([*runs, judged(99, Outcome.PASS, None)], color)).method
    assert "7 judged runs of 2 models, with 95% intervals" in note
    assert note.endswith("; the means are without 1 that reports no cost.")


def test_counts_that_are_lower_bounds_are_in_no_median() -> None:
    runs = [entry(i) for i in range(4)]
    partial = [replace(each, run=replace(each.run, ledger_is_lower_bound=True)) for each in runs]
    chart = found(tokens_by_kind([*runs, *partial[:1]]))
    assert texts(chart)[0][1] == "4"
    assert "1 run of unknown counts left out." in chart.method
    assert "tick: median" in chart.note
    assert tokens_by_kind(partial) == "Sizes of each kind of token: no run reports tokens."


@pytest.mark.parametrize(
    ("tasks", "remark"),
    [
        (("a", "a"), ""),
        (("a", "b"), "The models did not all do the same tasks."),
        (("a", None), "It is not known whether all models did the same tasks."),
    ],
)
def test_means_of_models_that_did_different_tasks_say_so(tasks: tuple[str, str | None], remark: str) -> None:
    runs = [
        judged(3 * i + attempt, Outcome.PASS, model=model, name=name)
        for i, (model, name) in enumerate(zip(RATES, tasks, strict=True))
        for attempt in range(3)
    ]
    runs = [replace(run, scores=(Score("speedup", 2.0 + n, "x", True),)) for n, run in enumerate(runs)]
    for finding in (cost_by_success(runs, color), cost_by_score(runs, color)):
        assert found(finding).note.endswith(remark)
        assert ("same tasks" in found(finding).note) is bool(remark)


@pytest.mark.parametrize(
    ("outcomes", "cost", "against"),
    [
        ((Outcome.PASS, None), 1.0, "only one model has judged runs"),
        ((Outcome.ERROR, Outcome.ERROR), 1.0, "no model has judged runs"),
        ((Outcome.PASS, Outcome.PASS), None, "no model has judged runs with a cost"),
        ((Outcome.PASS, Outcome.PASS), 0.0, "the judged runs cost nothing"),
    ],
)
def test_where_outcomes_do_not_suffice_a_sentence_says_why(
    outcomes: tuple[Outcome | None, ...], cost: float | None, against: str
) -> None:
    runs = [judged(i, out, cost, model=model) for i, (out, model) in enumerate(zip(outcomes, cycle(RATES)))]
    finding = cost_by_success(runs, color)
    assert isinstance(finding, str) and against in finding


def scored_runs(scores: Mapping[str, Sequence[float]], *, higher: bool | None = True) -> list[Entry]:
    """Runs of a task each, by model; each costs a dollar more than the one before."""
    return [
        replace(
            entry(20 * m + i, cost=1.0 + i, model=model, name=f"task {i}"),
            scores=(Score("speedup", value, "x", higher),),
        )
        for m, (model, values) in enumerate(scores.items())
        for i, value in enumerate(values)
    ]


def test_the_frontier_of_a_score_goes_where_its_direction_says() -> None:
    values = {SONNET: [1.0, 2.0, 3.0, 4.0], OPUS: [4.0, 5.0, 6.0]}
    up, down = (found(cost_by_score(scored_runs(values, higher=higher), color)) for higher in (True, False))
    assert len(up.data["runs"]) == 7 and all(row["href"] for row in up.data["runs"])
    assert up.title == "Opus 4.5 has the best mean speedup and cost least: 5x at $2.00 a scored run"
    assert up.data["frontier"] == [], "one that is best and cheapest has nobody beside it"
    assert [(row["usd"], row["value"]) for row in down.data["frontier"]] == [(2.0, 5.0), (2.5, 2.5)]
    assert cost_by_score(scored_runs(values, higher=None), color) is None, "nobody said which is better"


def test_a_score_below_zero_or_of_one_model_is_not_drawn() -> None:
    assert "below zero" in str(cost_by_score(scored_runs({SONNET: [1.0], OPUS: [-1.0]}), color))
    alone = [*scored_runs({SONNET: [1.0, 2.0]}), entry(99, model=OPUS)]
    assert "only one model has scored runs" in str(cost_by_score(alone, color))


def test_success_is_not_compared_where_all_runs_have_one_model() -> None:
    runs = [judged(i, Outcome.PASS) for i in range(6)]
    assert cost_by_success(runs, color) is None


@pytest.mark.parametrize(("runs", "means", "intervals"), [(2, 0, 0), (3, 1, 0), (4, 1, 0), (5, 1, 1)])
def test_few_runs_have_no_mean_and_no_interval(runs: int, means: int, intervals: int) -> None:
    chart = found(spread_of_cost([entry(i, cost=1.0 + i) for i in range(runs)], color))
    assert (len(chart.data["means"]), len(chart.data["intervals"])) == (means, intervals)
    assert ("interval" in chart.method) is bool(intervals)
    assert [len(row) for row in texts(chart)] == [8]


def test_dots_of_a_strip_stay_in_their_row_and_lie_the_same_every_time() -> None:
    runs = [entry(i, cost=1.0, model=(SONNET, OPUS)[i % 2]) for i in range(100)]
    chart = found(spread_of_cost(runs, color))
    heights = {
        model: [float(dot["y"]) for dot in chart.data["dots"] if dot["color"] == color(model)]
        for model in (SONNET, OPUS)
    }
    means = [float(row["y"]) for row in chart.data["means"]]
    assert max(heights[OPUS]) < means[0] < min(heights[SONNET]) <= max(heights[SONNET]) < means[1]
    assert len({dot["y"] for dot in chart.data["dots"]}) == 100
    assert spread_of_cost(runs, color) == chart


def test_a_mean_that_a_log_scale_cannot_place_is_not_drawn() -> None:
    runs = [*(entry(i, cost=0.0) for i in range(5)), *(entry(5 + i, cost=1.0 + 8 * i, model=OPUS) for i in range(5))]
    chart = found(spread_of_cost(runs, color))
    assert chart.x.logarithmic
    assert "5 runs that cost nothing are not drawn" in chart.method
    assert len(chart.data["means"]) == 1
    assert len(chart.data["dots"]) == 5


def test_charts_have_rows_for_the_models_with_most_runs_and_the_table_has_all() -> None:
    runs = [judged(20 * m + i, Outcome.PASS, model=f"model {m}") for m in range(15) for i in range(3 + (m > 2))]
    for finding in (spread_of_cost(runs, color),):
        chart = found(finding)
        assert len(chart.table.rows) == 15
        assert "the 12 of 15 models with the most runs" in chart.method
        assert not {"model 0", "model 1", "model 2"} & {row.get("name") for rows in chart.data.values() for row in rows}


def test_spending_is_added_up_in_utc_and_runs_without_a_start_are_counted() -> None:
    runs = [
        entry(1, cost=2.0, started_at="2026-06-10T01:00:00+02:00"),
        entry(2, cost=1.0, started_at="2026-06-09T21:00:00Z", model=OPUS),
        entry(3, cost=4.0, started_at="2026-06-10T00:30:00Z"),
        entry(4, cost=1.0),
        entry(5, cost=1.0, started_at="yesterday"),
        entry(6, cost=1.0, started_at="2026-06-10T00:30:00"),
        entry(7, cost=None, started_at="2026-06-10T00:30:00Z"),
    ]
    chart = found(spend(runs, color))
    assert chart.title == "Spending reached $7.00+ in 3 runs", "what share a model has of all is not known"
    assert "9 to 10 June 2026 UTC, 3 runs; 4 runs with no start or no cost left out" in chart.method
    assert texts(chart) == [
        ["2026-06-09", "2", "3.00+", "2.00+", "1.00", "3.00+"],
        ["2026-06-10", "1", "4.00+", "6.00+", "1.00", "7.00+"],
    ]
    first = epoch_ms("2026-06-09T23:00:00Z")
    assert first is not None
    steps = [(row["time"], row["usd"]) for row in chart.data["lines"] if row["series"] == "0"]
    assert steps == [(first, 0.0), (first, 2.0), (first + 5_400_000, 6.0), (first + 5_400_000, 6.0)]
    assert [(row["name"], row["total"]) for row in chart.data["ends"]] == [
        ("Sonnet 4.5", "$6.00+"),
        ("Opus 4.5", "$1.00"),
    ]
    assert [(row["usd"], row["color"]) for row in chart.data["open"]] == [(6.0, chart.data["dots"][0]["color"])]
    few = [*runs[:3], entry(8, cost=8.0)]
    assert spend(few, color) == "Spending over time: the runs whose start is known cost $7.00 of $15.00."
    whole = found(spend(runs[:3], color))
    assert whole.title == "Spending reached $7.00, 86% of it by Sonnet 4.5"
    assert not whole.data["open"]
    assert "+" not in "".join([whole.note, *(cell for row in texts(whole) for cell in row)])


@pytest.mark.parametrize(
    ("starts", "cost", "reason"),
    [
        (1, 1.0, "one run has both a start and a cost"),
        (2, 1.0, "two runs have both"),
        (3, None, "no run has both"),
        (3, 0.0, "cost nothing"),
    ],
)
def test_spending_over_time_needs_three_runs_with_a_start_and_a_cost(
    starts: int, cost: float | None, reason: str
) -> None:
    runs = [entry(i, cost=cost, started_at=f"2026-06-0{i + 1}T00:00:00Z" if i < starts else None) for i in range(5)]
    said = spend(runs, color)
    assert isinstance(said, str) and reason in said


def test_many_steps_are_put_together_and_nothing_is_lost() -> None:
    runs = [
        entry(
            i, cost=1.0, model=(SONNET, OPUS)[i % 2], started_at=f"2026-06-{1 + i % 28:02}T{i % 24:02}:{i % 60:02}:00Z"
        )
        for i in range(2000)
    ]
    chart = found(spend(runs, color))
    assert len(chart.data["dots"]) <= 165
    assert "those that started close together are one step" in chart.method
    assert [row["total"] for row in chart.data["ends"]] == ["$1,000.00", "$1,000.00"]
    assert max(float(row["usd"]) for row in chart.data["dots"]) == 1000


def test_over_many_days_the_table_of_spending_has_a_row_a_month() -> None:
    starts = [f"{2024 + i // 12}-{1 + i % 12:02}-{1 + i % 28:02}T00:00:00Z" for i in range(36)]
    chart = found(spend([entry(i, started_at=start) for i, start in enumerate(starts)], color))
    assert [row[0] for row in texts(chart)][:2] == ["2024-01", "2024-02"]
    assert texts(chart)[-1][-1] == "36.00"
    assert [row["text"] for row in chart.data["ticks"]] == ["2024", "2025", "2026"]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_time_are_drawn_too(moment: str) -> None:
    chart = found(spend([entry(i, started_at=moment) for i in range(3)], color))
    assert len(chart.data["dots"]) == 3
    both = [
        entry(i, started_at=start) for i, start in enumerate(("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", moment))
    ]
    assert 1 <= len(found(spend(both, color)).data["ticks"]) <= 5


# What may never be in them


def test_no_text_of_a_run_reaches_a_spec_outside_of_its_rows() -> None:
    plain, hostile = campaign(judged=True), campaign(name=HOSTILE, judged=True)
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
        "band", "color", "cost", "end", "href", "model", "name", "series", "size", "start", "text", "time",
        "tip", "tokens", "total", "turns", "usd", "value", "x", "y", "y2",
    }  # fmt: skip


def test_specs_are_valid_vega_lite(drawn: charts.Charts) -> None:
    of_many = charts.charts(many(MOST_DOTS + 1), {}, color=color)
    for chart in drawn.drawn + of_many.drawn:
        alt.LayerChart.from_dict(dict(chart.spec))
        broken = {**chart.spec, "layer": [{**chart.spec["layer"][0], "mark": {"type": "bars"}}]}
        with pytest.raises(ValidationError):
            alt.LayerChart.from_dict(broken)


def test_specs_are_json_without_nan_and_the_same_every_time(drawn: charts.Charts) -> None:
    runs = campaign(judged=True)
    again = charts.charts(runs, split(runs), color=color)
    assert again == drawn
    for chart in drawn.drawn:
        json.dumps(chart.spec, allow_nan=False)


# As files of their own

COLORS = ":root{--bg: #eee; --ink:#111;--muted:#666;--strong:#111;--line:#ddd;--accent:#00f;--model-1:#158f85}" + (
    ":root { --bg: light-dark(rgb(1, 2, 3), rgb(4, 5, 6)); }"  # as a theme adds it
    "@media (prefers-contrast: more) {\n:root { --bg: #000; }\n.a{color:red}\n} :root:root{--bg:#000}"
    + "".join(f":root{{--{kind}:#123}}" for kind in ("cache-read", "cache-write", "input", "output"))
    + "".join(f":root{{--m-claude-{name}-4-5:var(--model-1)}}" for name in ("sonnet", "opus", "haiku"))
)  # fmt: skip


def test_a_spec_in_a_file_is_complete_and_needs_no_stylesheet(drawn: charts.Charts) -> None:
    files = charts.spec_files(drawn.drawn, COLORS)
    assert list(files) == [f"charts/{name}.vl.json" for name in IDS]
    for chart, content in zip(drawn.drawn, files.values(), strict=True):
        spec = json.loads(content)
        assert spec.pop("$schema") == "https://vega.github.io/schema/vega-lite/v6.json"
        alt.LayerChart.from_dict(spec)
        assert "var(" not in content.decode() and "light-dark(" not in content.decode()
        assert spec["background"] == "rgb(1, 2, 3)"
        assert " ".join(spec["title"]["text"]) == chart.title
        assert " ".join(spec["title"]["subtitle"]) == chart.note
        assert [row["text"] for row in spec["datasets"].get("legend", [])] == [key.label for key in chart.legend]
        assert {layer["data"]["name"] for layer in spec["layer"]} == set(spec["datasets"])
        assert not any("href" in layer["encoding"] for layer in spec["layer"])
        for name, rows in chart.spec["datasets"].items():
            assert [row.get("href") for row in spec["datasets"][name]] == [row.get("href") for row in rows]


def test_a_spec_in_a_file_draws_its_title_its_legend_and_its_marks(drawn: charts.Charts) -> None:
    money = charts.spec_files(drawn.drawn, COLORS)["charts/money-by-kind.vl.json"]
    svg = converter.call("vegalite_to_svg", money.decode())
    texts = "".join(drawing(svg).itertext())
    for said in (drawn.drawn[2].title, "cache write", "tokens", "dollars"):
        assert said in texts
    assert svg.count('fill="#123"') >= 4 * 2 * 2


# How they are drawn


def test_drawings_hold_shapes_and_text_and_nothing_else(drawn: charts.Charts) -> None:
    for chart in drawn.drawn:
        for svg, width in ((chart.wide_svg, shape.WIDE), (chart.slim_svg, shape.SLIM)):
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


def test_tables_hold_plain_figures_in_one_unit_which_their_heads_name(drawn: charts.Charts) -> None:
    for chart in drawn.drawn:
        heads = [cell.text for cell in chart.columns]
        assert [cell.numeric for cell in chart.columns] == [cell.numeric for cell in chart.rows[0]]
        for row in chart.rows:
            for cell in row:
                assert not cell.numeric or re.fullmatch(r"–|[<>]?−?[\d,]+(\.\d+)?\+?", cell.text), (chart.id, cell)
        money = [head for head in heads if re.search("cost|spent|so far", head, re.IGNORECASE) and "%" not in head]
        assert all(head.endswith(", $") for head in money) and len(set(heads)) == len(heads)


def test_every_bar_links_to_its_run_once(drawn: charts.Charts) -> None:
    chart = next(chart for chart in drawn.drawn if chart.id == "most-expensive")
    links = drawing(chart.wide_svg or "").findall("a")
    assert [link.get("href") for link in links] == [f"runs/run-{number:012x}.html" for number in range(30, 20, -1)]
    assert links[0].findtext("title") == "task · Sonnet 4.5 · 30: $1.50"
    assert links[0].findtext("text") == "task · Sonnet 4.5 · 30"
    assert len(links[0].findall(".//rect")) == 2
    assert chart.has_links
    assert not any(other.has_links or "<a" in str(other.wide_svg) for other in drawn.drawn if other is not chart)


def test_drawings_are_strict_html_whatever_runs_are_called() -> None:
    runs = campaign(name=HOSTILE + "\x0b\ud800\ufffe", judged=True)
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


def dots_of(root: ElementTree.Element) -> list[str]:
    """Where the dots of a drawing stand from its left, alone or joined in a path, the lowest first."""
    return [
        x
        for element in root.iter()
        for x in ([element.get("cx", "")] if element.tag == "circle" else ARC.findall(element.get("d", "")))
    ]


ARC = re.compile(r"M(\S+) \S+a(?:\S+) (?:\S+) 0 1 1 \.01 0z")


def dots_of_colours(centres: Sequence[int], colours: Iterable[str]) -> str:
    """A drawing of dots of radius 3."""
    outline = "M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0"
    dots = "".join(
        f'<path transform="translate({x},5)" d="{outline}" fill="{fill}"/>'
        for x, fill in zip(centres, colours, strict=True)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="9">{dots}</svg>'


@pytest.mark.parametrize(
    ("centres", "drawn_order"),
    [
        ((10, 30, 50, 70), ["10", "50", "30", "70"]),  # apart: each colour once
        ((10, 30, 32, 70), ["10", "30", "70", "32"]),  # the third covers the second, which goes on with the fourth
        ((10, 12, 14, 16), ["10", "12", "14", "16"]),  # a heap: as it was
    ],
)
def test_dots_of_one_colour_stand_together_unless_that_changes_what_covers_what(
    centres: tuple[int, ...], drawn_order: list[str]
) -> None:
    root = drawing(compact(dots_of_colours(centres, ("red", "blue") * 2), "c", {}))
    assert dots_of(root) == drawn_order


@pytest.mark.parametrize(
    ("centres", "paths"),
    [
        ((10, 30, 50), [["10", "30", "50"]]),  # apart: one path
        ((10, 12, 14, 50), [["10", "50"], ["12"], ["14"]]),  # three in a heap
        ((10, 15, 20, 25), [["10", "20"], ["15", "25"]]),  # a chain
    ],
)
def test_dots_that_do_not_touch_are_one_path(centres: tuple[int, ...], paths: list[list[str]]) -> None:
    root = drawing(compact(dots_of_colours(centres, ["red"] * len(centres)), "c", {}))
    assert not list(root.iter("circle"))
    assert [ARC.findall(path.get("d", "")) for path in root.iter("path")] == paths


# Without vl-convert, and its bundle


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    converter.stop()
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("no_engine")
def test_without_vl_convert_tables_stay_and_one_sentence_says_why(tmp_path: Path) -> None:
    runs = campaign()
    made = charts.charts(runs, split(runs), color=color)
    assert len(made.drawn) == 4
    assert all(chart.rows and chart.wide_svg is None and chart.slim_svg is None for chart in made.drawn)
    assert made.problem is not None and "vl-convert is not installed" in made.problem
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
    assert json.loads(ast.literal_eval(literal[1])) == {
        chart.id: {"spec": chart.spec, "alone": chart.alone} for chart in made.drawn
    }


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
    ("pixels", "labels"),
    [(400, ["1", "10", "100", "1000", "10000"]), (130, ["1", "100", "10000"]), (60, ["1", "1000"]), (20, ["1"])],
)
def test_labels_that_would_touch_are_left_out_evenly(pixels: int, labels: list[str]) -> None:
    ticks = [(10.0**power, str(10**power)) for power in range(5)]
    assert [text for _, text in sparse(ticks, Axis(1, 1e4, True), pixels)] == labels


@pytest.mark.parametrize(("pixels", "labels"), [(400, [0, 1, 2, 3]), (156, [0, 1, 3]), (110, [0, 3]), (30, [0])])
def test_the_largest_parts_of_a_bar_keep_their_labels(pixels: int, labels: list[int]) -> None:
    parts = [(0.36, 0.72, "72%"), (0.76, 0.08, "8%"), (0.835, 0.07, "7%"), (0.935, 0.13, "13%")]
    assert uncrowded(parts, pixels) == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        ("2026-06-09T08:00:00Z", "2026-06-09T08:03:00Z", ["08:00", "08:01", "08:02", "08:03"]),
        ("2026-06-09T20:10:00Z", "2026-06-10T06:00:00Z", ["21:00", "10 Jun", "03:00", "06:00"]),
        ("2026-06-09T20:10:00Z", "2026-06-12T06:00:00Z", ["10 Jun", "11 Jun", "12 Jun"]),
        ("2025-11-20T00:00:00Z", "2026-02-20T00:00:00Z", ["Dec", "2026", "Feb"]),
        ("2019-06-01T00:00:00Z", "2026-02-20T00:00:00Z", ["2020", "2022", "2024", "2026"]),
    ],
)
def test_ticks_of_time_are_round_in_utc(low: str, high: str, labels: list[str]) -> None:
    assert [text for _, text in utc_ticks(epoch_ms(low) or 0.0, epoch_ms(high) or 0.0)] == labels


@pytest.mark.parametrize("seconds", [240 * 1.7**power for power in range(39)])
def test_every_span_of_time_has_one_to_five_ticks(seconds: float) -> None:
    low = epoch_ms("1904-02-29T13:14:15Z") or 0.0
    ticks = utc_ticks(low, low + 1000 * seconds)
    assert 1 <= len(ticks) <= 5
    assert all(low <= ms <= low + 1000 * seconds for ms, _ in ticks)


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([], []),
        ([50.0], [50.0]),
        ([10.0, 12.0, 80.0], [10.0, 40.0, 80.0]),
        ([95.0, 96.0, 97.0], [40.0, 70.0, 100.0]),
        ([-5.0, -5.0], [0.0, 30.0]),
    ],
)
def test_labels_are_moved_apart_and_stay_in_the_plot(wanted: list[float], places: list[float]) -> None:
    assert spread_out(wanted, 30, 0, 100) == places


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


def test_a_name_finds_the_first_place_that_is_clear_in_both_drawings() -> None:
    plot = labels.Plot(FRAME, height=200)
    right, left = (labels.Place("a name", side, 0.5, 100.0, gap=8) for side in ("right", "left"))
    assert plot.best([right, left], [], []) == right
    marks = [(0.55 + at / 100, 100.0) for at in range(4)]
    assert plot.best([right, left], marks, []) == left
    assert plot.best([right, left], [], [right]) == left
    assert plot.best([right], marks, []) is None
    assert plot.best([labels.Place("a name", "left", 0.1, 100.0, gap=8)], [], []) is None, "the slim one cuts it"
