"""The waste that the first page names, and which figures have room on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Part, Status
from sitegen.numbers.statistics import summarize
from sitegen.numbers.success import success
from sitegen.pages.index import _figures, _waste
from sitegen.pages.leaderboard import board
from tests.support import run_tables
from tests.support.chart_runs import entry


def run(number: int, cost: float, status: Status = Status.OK, idle: float = 0.0) -> Entry:
    """Return a run, of whose cost so much was spent on a part without an edit."""
    made = entry(number, cost=cost, status=status)
    parts = (Part(Status.OK, None, 1, 1, cost - idle, 1), Part(Status.OK, None, 1, 1, idle, 0))
    return replace(made, run=replace(made.run, parts=parts if idle else ()))


def said(*runs: Entry) -> tuple[str, str] | None:
    """Return the sentence on waste and its link."""
    link = _waste(runs, {})
    return link and (link.text, link.href)


STOPPED = Status.STOPPED
BY_PARTS = (
    "index.html#sort=-cost_without_change_usd"
    "&columns=model,status,cost_usd,cost_without_change_usd,turns"
)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run(1, 1.0), run(2, 1.0)], None),
        ([run(1, 98.1), run(2, 1.9, STOPPED)], None),
        (
            [run(1, 98.0), run(2, 2.0, STOPPED)],
            "$2.00 of $100.00 was spent on 1 run cut short by limits or API errors",
        ),
        (
            [run(1, 1.0), run(2, 1.0, STOPPED), run(3, 1.0, STOPPED), run(4, 0.0, STOPPED)],
            "$2.00 of $3.00 was spent on 2 runs cut short by limits or API errors",
        ),
        ([run(1, 1.0), run(2, 1.0, Status.FAILED)], None),
    ],
)
def test_runs_that_were_stopped_are_waste_from_two_per_cent_of_the_cost_on(
    runs: list[Entry], expected: str | None
) -> None:
    found = said(*runs)
    assert (found and found[0]) == expected
    if found:
        assert found[1].startswith("index.html#sort=-status&columns=model,status,cost_usd")


def test_the_largest_waste_is_said() -> None:
    runs = [run(1, 2.0, idle=0.5), run(2, 0.4, STOPPED), run(3, 1.0)]
    assert said(*runs) == (
        "$0.50 of $3.40 was spent on parts of 1 run without an edit, after a part that had ended well",
        BY_PARTS,
    )


def test_list_prices_count_where_no_run_reports_a_cost() -> None:
    listed = [
        replace(each, run=replace(each.run, cost_usd=None, computed_cost_usd=each.run.cost_usd))
        for each in (run(1, 1.0), run(2, 1.0, STOPPED))
    ]
    found = said(*listed)
    assert found is not None
    assert found[0] == "$1.00 of $2.00 was spent on 1 run cut short by limits or API errors"
    assert "computed_cost_usd" in found[1]
    assert said(run(3, 5.0), *listed) is None  # that of a run that reports one counts alone


def labels(name: str) -> list[str]:
    """Return the labels of the figures of a table of runs."""
    (table,) = [each for each in run_tables.TABLES if each.stem == name]
    entries = run_tables.entries_of(table)
    question = Config().intervals
    found = board(entries, question)
    judged = success(entries, question)
    return [view.label for view in _figures(entries, summarize(entries), judged, found, question)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "two-models-far-apart",
            ["Cost", "Success", "Mean speedup", "Runs", "Time", "Tokens"],
        ),
        ("a-single-run", ["Cost", "Success", "Runs", "Time", "Tokens", "Cache hits"]),
    ],
)
def test_six_figures_have_room_and_the_leaderboard_has_costs_of_successes(
    name: str, expected: list[str]
) -> None:
    assert labels(name) == expected
