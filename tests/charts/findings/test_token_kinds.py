"""The parts of the chart of tokens by kind: counts, medians, bars and sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.charts import findings
from sitegen.charts.axes import Axis
from sitegen.charts.findings.token_kinds import (
    _bars,
    _dots,
    _Kind,
    _kind_of,
    _medians,
    _table,
    _title,
    _whole_counts,
    tokens_by_kind,
)
from sitegen.model import Entry, Tokens
from tests.support.chart_runs import entry, found


def of(number: int, *counts: int | None, **of_run: Any) -> Entry:
    """A run with so many tokens read from the cache, written to it, sent and received."""
    read, write, sent, received = counts
    run = entry(number, tokens=Tokens(sent, write, read, received))
    return replace(run, run=replace(run.run, **of_run)) if of_run else run


def kind(*sizes: int, label: str = "output", zeros: int = 0) -> _Kind:
    runs = [of(number, 0, 0, 0, size) for number, size in enumerate(sizes)]
    return _Kind(label, runs, sizes, zeros)


def test_counts_that_are_lower_bounds_are_left_out() -> None:
    assert _whole_counts(of(1, 5, 0, 7, 8)) == {
        "cache_read": 5,
        "cache_write": 0,
        "input": 7,
        "output": 8,
    }
    assert _whole_counts(of(1, None, 6, 7, 8, output_is_lower_bound=True)) == {
        "cache_write": 6,
        "input": 7,
    }
    assert _whole_counts(of(1, 5, 6, 7, 8, ledger_is_lower_bound=True)) == {}


def test_runs_of_a_kind_ascend_and_those_with_none_are_counted() -> None:
    runs = [of(1, 1, 1, 1, 9), of(2, 1, 1, 1, 0), of(3, 1, 1, 1, 4), of(4, 1, 1, 1, None)]
    made = _kind_of("output", runs, {run.id: _whole_counts(run) for run in runs})
    assert (made.label, made.sizes, made.zeros) == ("output", [4, 9], 1)
    assert made.runs == [runs[2], runs[0]]


def test_three_runs_have_a_median() -> None:
    assert _medians([kind(1, 2), kind(1, 2, 9, label="input")]) == [
        {"kind": "input", "median_tokens": 2}
    ]


@pytest.mark.parametrize(
    ("medians", "title"),
    [
        (
            {"cache read": 700_000, "output": 12_000},
            "A typical run reads 700\u202fk tokens from the cache and writes 12.0\u202fk",
        ),
        ({"output": 12_000}, "A typical run writes 12.0\u202fk tokens"),
        ({"cache read": 5}, "The largest run counts 26 tokens"),
        ({}, "The largest run counts 26 tokens"),
    ],
)
def test_the_title_has_the_medians_that_are_drawn(medians: dict[str, int], title: str) -> None:
    ticks = [{"kind": name, "median_tokens": tokens} for name, tokens in medians.items()]
    assert _title([of(1, 5, 6, 7, 8), of(2, 1, 1, 1, 1)], ticks) == title


def test_a_largest_run_may_be_a_lower_bound() -> None:
    runs = [of(1, 5, 6, 7, 8), of(2, None, 1, 1, 1)]
    assert _title(runs, []) == "The largest run counts at least 26 tokens"


def test_the_table_has_the_least_the_median_and_the_most() -> None:
    table = _table([kind(3, 4, 11), kind(label="input")])
    assert [(cell.text, cell.numeric) for cell in table.columns] == [
        ("Kind", False),
        ("Runs", True),
        ("Least", True),
        ("Median", True),
        ("Most", True),
    ]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["output", "3", "3", "4", "11"],
        ["input", "0", "–", "–", "–"],
    ]


def test_a_run_has_a_dot_of_each_kind_that_is_moved_by_its_id() -> None:
    first = _dots([kind(7)])
    both = _dots([kind(7), kind(8, label="input")])
    assert [(row["kind"], row["tokens"], row["page"]) for row in both] == [
        ("output", 7, "runs/run-000000000000.html"),
        ("input", 8, "runs/run-000000000000.html"),
    ]
    assert both[0]["jitter"] == findings.jitter("run-000000000000") == first[0]["jitter"]
    assert both[1]["jitter"] == findings.jitter("run-0000000000001")


def test_bars_are_sixtieths_of_the_axis() -> None:
    axis = Axis(1.0, 10.0**6, logarithmic=True)
    bars = _bars([kind(1, 1, 10, 10**6)], axis)
    assert [(bar["kind"], bar["runs"]) for bar in bars] == [
        ("output", 2),
        ("output", 1),
        ("output", 1),
    ]
    ends = [(bar["tokens_from"], bar["tokens_to"]) for bar in bars]
    step = 10 ** (6 / 60)
    assert ends[0] == (pytest.approx(1.0), pytest.approx(step))
    assert ends[2] == (pytest.approx(10.0**6 / step), pytest.approx(10.0**6))


def test_fewer_than_two_runs_with_tokens_are_no_chart() -> None:
    none, some = of(1, 0, 0, 0, 0), of(2, 1, 1, 1, 1)
    sentence = "Sizes of each kind of token: {} tokens."
    assert tokens_by_kind([none]) == sentence.format("no run reports")
    assert tokens_by_kind([none, some]) == sentence.format("only one run reports")


def test_the_sentences_count_what_is_not_drawn() -> None:
    runs = [of(n, 100 + n, 0, 10, 20) for n in range(3)]
    unknown = of(9, None, None, None, None)
    chart = found(tokens_by_kind([*runs, unknown]))
    assert chart.note == ("3 of 4 runs, log scale; tick: median; not drawn: 3 with no cache write.")
    assert chart.method == (
        "One dot per run and kind, 3 runs, log scale; not drawn: 3 with no cache write"
        "; 1 run of unknown counts left out."
    )
    assert chart.whole == "Medians of all runs"
    assert chart.brush_x == (
        "cache_read_tokens",
        "cache_write_tokens",
        "input_tokens",
        "output_tokens",
    )
    assert set(chart.data) == {"runs", "medians"}
    assert (chart.plot.is_dense, chart.plot.most, chart.plot.height) == (False, 0, 208)
    two = found(tokens_by_kind(runs[:2]))
    assert two.note == "2 runs, log scale; not drawn: 2 with no cache write."
    assert two.method.endswith("2 runs, log scale; not drawn: 2 with no cache write.")
    assert two.whole == ""


def test_more_than_the_most_dots_are_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [of(n, 100, 100, 100, 100) for n in range(3)]
    monkeypatch.setattr(findings, "MAX_DOTS", 12)
    assert not found(tokens_by_kind(runs)).plot.is_dense
    monkeypatch.setattr(findings, "MAX_DOTS", 11)
    chart = found(tokens_by_kind(runs))
    assert (chart.plot.is_dense, chart.plot.most, chart.whole) == (True, 3, "Of all runs")
    assert set(chart.data) == {"density", "medians"}
    assert chart.method == "Bars, thicker for more runs, 3 runs, log scale."
