"""Counts, slices, charts and errors of loaded runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.api import CHARTS, Runs, load_runs
from sitegen.errors import ConfigError
from sitegen.model import Outcome, Problem, Verdict
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceTable
from tests.support.chart_runs import OPUS, campaign, entry

PRICES = PriceTable.load()
PROBLEM = Problem("a.json", "E_X", Verdict.SKIP, "It is cut.")


def test_runs_are_counted_without_a_name() -> None:
    judged = (
        entry(1, outcome=Outcome.PASS),
        entry(2, outcome=Outcome.FAIL, name="other"),
        entry(3, outcome=Outcome.PASS, cost=0.5),
    )
    runs = Runs(judged, PRICES, (PROBLEM, PROBLEM))
    assert repr(runs) == "3 runs of 2 tasks\n2 of 3 passed\ncost $2.50\n2 problems"
    assert runs._repr_html_() == "3 runs of 2 tasks<br>2 of 3 passed<br>cost $2.50<br>2 problems"
    unjudged = Runs((entry(1, name=None),), PRICES)
    assert repr(unjudged) == "1 run\nno run is judged\ncost $1.00\n0 problems"


def test_a_slice_keeps_prices_problems_and_question() -> None:
    runs = Runs(tuple(campaign(4)), PRICES, (PROBLEM,), Question.THESE_TASKS)
    part = runs[1:3]
    assert part == Runs(runs.entries[1:3], PRICES, (PROBLEM,), Question.THESE_TASKS)
    assert runs[-1] is runs.entries[3]
    assert len(part) == 2


def test_intervals_are_of_tasks_like_these_unless_told() -> None:
    assert Runs((), PRICES).question is Question.TASKS_LIKE_THESE
    assert Runs((), PRICES).problems == ()


def test_a_chart_has_one_of_these_names() -> None:
    assert CHARTS == (
        "cost_by_score",
        "cost_by_success",
        "money_by_kind",
        "cost_by_turns",
        "tokens_by_kind",
        "spend",
    )
    with pytest.raises(ValueError, match="There is no chart") as raised:
        Runs((), PRICES).chart("cost")
    assert str(raised.value) == (
        "There is no chart 'cost': write one of cost_by_score, cost_by_success, money_by_kind,"
        " cost_by_turns, tokens_by_kind, spend."
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("spend", "No run says when it began."),
        (
            "cost_by_score",
            "All runs are of one model and agent, so there is nothing to compare.",
        ),
        (
            "cost_by_success",
            "All runs are of one model and agent, so there is nothing to compare.",
        ),
    ],
)
def test_a_chart_of_one_model_says_why_it_is_none(name: str, reason: str) -> None:
    assert Runs((entry(1), entry(2)), PRICES)._why_no_chart(name) == reason


def test_a_chart_of_two_models_says_what_is_missing() -> None:
    runs = Runs((entry(1), entry(2, model=OPUS)), PRICES)
    assert runs._why_no_chart("cost_by_score") == (
        "No run has a score of a known direction: add `scores` to the settings."
    )
    assert runs._why_no_chart("cost_by_success") == (
        "No run is judged: name `outcomes` in the settings."
    )


def test_a_chart_that_would_say_nothing_is_an_error_with_its_reason() -> None:
    runs = Runs((entry(1), entry(2)), PRICES)
    with pytest.raises(ValueError, match=r"^No run says when it began\.$"):
        runs.chart("spend")


def test_list_prices_and_costs_are_in_the_dicts() -> None:
    (row,) = Runs((replace(entry(1), task="csv"),), PRICES).to_dicts()
    assert (row["task"], row["cost_usd"], row["turns"]) == ("csv", 1.0, 10)


def test_nothing_to_read_is_an_error_that_says_what_to_name() -> None:
    with pytest.raises(ConfigError) as raised:
        load_runs()
    assert str(raised.value) == (
        "load_runs: name files, folders or patterns to read, or settings that do."
    )
