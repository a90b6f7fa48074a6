"""The parts of where the money went: bars, labels, groups and sentences."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sitegen.charts.findings.money_by_kind import (
    FRAME,
    KIND_COLORS,
    BarPart,
    KindBars,
    _base,
    _grouped,
    _pair,
    _plot,
    _sums,
    _table,
    labelled,
    money_by_kind,
)
from sitegen.model import TOKEN_KINDS, Entry
from tests.support.chart_runs import OPUS, SONNET, campaign, entry, found, split


def bars(tokens: tuple[int, ...], dollars: tuple[float, ...], name: str = "a") -> KindBars:
    """Bars of cache reads, cache writes, input and output."""
    by_kind = dict(zip(TOKEN_KINDS, tokens, strict=True))
    return KindBars(by_kind, dict(zip(TOKEN_KINDS, dollars, strict=True)), name)


def test_parts_follow_each_other_from_0_to_1() -> None:
    one = bars((60, 20, 10, 10), (1.0, 1.0, 0.0, 2.0))
    assert (one.count, one.usd, one.runs) == (100, 4.0, 1)
    assert one.parts() == [
        BarPart("cache_read", (0.0, 0.6), (0.0, 0.25), "25%"),
        BarPart("cache_write", (0.6, 0.8), (0.25, 0.5), "25%"),
        BarPart("input", (0.8, pytest.approx(0.9)), (0.5, 0.5), "0%"),
        BarPart("output", (pytest.approx(0.9), pytest.approx(1.0)), (0.5, 1.0), "50%"),
    ]
    assert (one.parts()[3].size, one.parts()[3].middle) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("tokens", "is_past", "title"),
    [
        ((90, 2, 4, 4), False, "Cache reads are 90% of the tokens and 25% of the bill"),
        ((90, 2, 4, 4), True, "Cache reads were 90% of the tokens and 25% of the bill"),
        ((1, 97, 1, 1), False, "Cache writes are 97% of the tokens and 10% of the bill"),
        ((1, 1, 97, 1), False, "Input is 97% of the tokens and 15% of the bill"),
        ((1, 1, 1, 97), True, "Output was 97% of the tokens and 50% of the bill"),
    ],
)
def test_the_title_is_about_the_kind_of_most_tokens(
    tokens: tuple[int, ...], is_past: bool, title: str
) -> None:
    assert bars(tokens, (0.25, 0.1, 0.15, 0.5)).title(is_past=is_past) == title


def test_small_parts_and_those_that_touch_a_larger_one_have_no_label() -> None:
    one = bars((1, 1, 1, 1), (4.0, 1.0, 0.75, 2.25)).parts()
    assert [part.kind for part in labelled(one, 0.125, 1_000)] == [
        "cache_read",
        "output",
        "cache_write",
    ]
    assert [part.kind for part in labelled(one, 0.0, 60)] == ["cache_read", "output"]
    assert [part.kind for part in labelled(one, 0.0, 10)] == ["cache_read"]


def test_a_pair_has_labels_from_a_thirteenth_on() -> None:
    rows = _pair(bars((1, 1, 1, 1), (84.0, 8.0, 7.0, 1.0)), 1)
    assert [row["is_labelled"] for row in rows] == [False] * 4 + [True, True, False, False]


@pytest.mark.parametrize(
    ("based", "priced", "costing", "text"),
    [
        (1, 1, 1, "1 run with a cost"),
        (3, 3, 3, "3 runs with a cost"),
        (2, 2, 3, "2 of 3 runs with a cost; 1 does not match list prices"),
        (2, 2, 4, "2 of 4 runs with a cost; 2 do not match list prices"),
        (2, 3, 3, "2 of 3 runs with a cost; 1 run of models that cost nothing"),
        (
            1_000,
            1_002,
            3_002,
            "1,000 of 3,002 runs with a cost; 2,000 do not match list prices"
            "; 2 runs of models that cost nothing",
        ),
    ],
)
def test_the_base_says_what_is_left_out(based: int, priced: int, costing: int, text: str) -> None:
    assert _base(based, priced, costing) == text


@pytest.mark.parametrize(("count", "height"), [(2, 112), (4, 274), (6, 406)])
def test_the_plot_has_room_for_each_bar(count: int, height: int) -> None:
    plot = _plot(count)
    assert (plot.height, plot.rows) == (height, tuple(range(1, count + 1)))
    assert (plot.x.low, plot.x.high, plot.x.logarithmic) == (0, 1, False)
    assert (plot.frame, plot.colors) == (FRAME, KIND_COLORS)


def test_colours_are_named_after_kinds() -> None:
    assert KIND_COLORS == {
        "cache read": "var(--cache-read)",
        "cache write": "var(--cache-write)",
        "input": "var(--input)",
        "output": "var(--output)",
    }


def test_the_last_of_many_groups_has_all_that_remain() -> None:
    names = ["a", "b", "c" * 30, "d"]
    members = {name: [entry(number, model=name)] for number, name in enumerate(names)}
    split_of: dict[str, Mapping[str, float]] = {
        runs[0].id: {"output": 4.0 - n} for n, runs in enumerate(members.values())
    }
    ranked = [_sums(name, runs, split_of) for name, runs in members.items()]
    runs_by_name = {"a": 1, "b": 5, "c" * 30: 1, "d": 1}

    def grouped(most: int) -> list[tuple[str, int, float]]:
        made = _grouped(ranked, most, members, split_of, runs_by_name)
        return [(each.name, each.runs, each.usd) for each in made]

    assert grouped(3) == [("b", 1, 3.0), ("a", 1, 4.0), (f"{'c' * 21}… and 1 more", 2, 3.0)]
    assert grouped(4) == [("b", 1, 3.0), ("a", 1, 4.0), ("c" * 30, 1, 2.0), ("d", 1, 1.0)]


def test_kinds_without_a_cost_or_a_count_add_nothing() -> None:
    runs = [entry(1), entry(2)]
    made = _sums("a", runs, {runs[0].id: {"output": 0.5}, runs[1].id: {"output": 0.25}})
    assert made.dollars == {"cache_read": 0, "cache_write": 0, "input": 0, "output": 0.75}
    assert made.tokens["output"] == 24_000
    assert (made.name, made.runs) == ("a", 2)


def test_the_table_has_shares_of_tokens_and_of_dollars() -> None:
    table = _table([bars((60, 20, 10, 10), (1.0, 1.0, 0.0, 2.0), "A")], "model")
    assert [cell.text for cell in table.columns] == [
        "Model",
        "Kind",
        "Tokens",
        "Share of tokens, %",
        "Cost, $",
        "Share of cost, %",
    ]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["A", "cache read", "60", "60.0", "1.00", "25.0"],
        ["A", "cache write", "20", "20.0", "1.00", "25.0"],
        ["A", "input", "10", "10.0", "0.00", "0.0"],
        ["A", "output", "10", "10.0", "2.00", "50.0"],
    ]


def test_a_pair_has_tokens_above_dollars() -> None:
    rows = _pair(bars((60, 20, 10, 10), (1.0, 1.0, 0.0, 2.0), "A"), 3)
    assert [row["row"] for row in rows] == [3] * 4 + [4] * 4
    assert rows[0] == {
        "row": 3,
        "configurations": "A, 1 run",
        "kind": "cache read",
        "tokens": 60,
        "cost_usd": 1.0,
        "share": 0.6,
        "share_from": 0.0,
        "share_to": 0.6,
        "is_labelled": False,
        "all_tokens": 100,
        "all_usd": 4.0,
    }
    assert [(row["share_from"], row["share_to"], row["is_labelled"]) for row in rows[4:]] == [
        (0.0, 0.25, True),
        (0.25, 0.5, True),
        (0.5, 0.5, False),
        (0.5, 1.0, True),
    ]


# The chart.


def test_nothing_that_list_prices_reproduce_is_no_chart() -> None:
    about = "Where the money went, by kind of token: "
    none = f"{about}no run has a cost that list prices reproduce."
    assert money_by_kind([entry(1)], {}) == none
    free = entry(2, cost=0.0)
    assert money_by_kind([free], {free.id: {"output": 0.0}}) == none
    part = entry(3, cost=1.0)
    sentence = f"{about}the runs whose cost list prices reproduce cost $0.99 of $2.00."
    assert money_by_kind([part, entry(4)], {part.id: {"output": 0.99}}) == sentence
    assert found(money_by_kind([part, entry(4)], {part.id: {"output": 1.0}})).title


def test_the_dearest_models_come_with_their_sum() -> None:
    runs: list[Entry] = [*campaign(4), entry(9, model=OPUS, cost=0.0), entry(10, cost=None)]
    chart = found(money_by_kind(runs, split(runs[:4])))
    assert chart.note == "Tokens above, dollars below; 4 of 6 runs."
    assert chart.method == (
        "Share of each kind of token, first of all tokens, then of all dollars;"
        " 4 of 5 runs with a cost; 1 does not match list prices."
    )
    assert [row[0].text for row in chart.table.rows[::4]] == [
        "Opus 4.5",
        "Sonnet 4.5",
        "all models",
    ]
    assert [row["row"] for row in chart.data["shares"][::4]] == [1, 2, 3, 4]
    assert chart.plot.height == 274
    assert chart.whole == "Shares of all runs"
    assert [(key.css_class, key.label) for key in chart.legend] == [
        ("k-read", "cache read"),
        ("k-write", "cache write"),
        ("k-input", "input"),
        ("k-output", "output"),
    ]
    alone = [run for run in runs if run.model == SONNET]
    assert [row[0].text for row in found(money_by_kind(alone, split(alone[:2]))).table.rows] == [
        "Sonnet 4.5"
    ] * 4
