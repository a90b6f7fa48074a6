"""The figures of a group under their names, with what they rest on, and those of a comparison; all by hand."""

from __future__ import annotations

import pytest

from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, Tokens
from sitegen.numbers.comparison import compare
from sitegen.numbers.estimates import Estimate, GroupFigures, compared, estimates, group_figures
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Dimension, Measure, score_measures

PASS, FAIL, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.ERROR


def entry(
    number: int,
    usd: float | None = None,
    outcome: Outcome | None = None,
    *,
    task: str | None = None,
    model: str = "m",
    scores: tuple[Score, ...] = (),
    derived: tuple[tuple[str, str], ...] = (),
    **run: object,
) -> Entry:
    usage = ModelUsage(model, Tokens(input=10, cache_write=20, cache_read=30, output=number))
    facts: dict[str, object] = {"wall_ms": 1000 * number, "turns": 2, **run}
    return Entry(
        f"r-{number}-{model}",
        Source(f"{number}.json", "", named=False, size=1),
        0,
        "",
        Run("t", Status.OK, ledger=(usage,), cost_usd=usd, **facts),  # type: ignore[arg-type]
        "r",
        task=task or f"t{number}",
        model=model,
        outcome=outcome,
        scores=scores,
        derived=derived,
    )


def figures(*entries: Entry) -> GroupFigures:
    return group_figures(entries, Question.TASKS_LIKE_THESE, score_measures(entries))


def told(group: GroupFigures) -> dict[str, tuple[float | None, int, int, str, str | None]]:
    """Return each estimate without its interval."""
    return {
        name: (each.estimate, each.n, each.unknown, each.bound, each.unit)
        for name, each in estimates(group)
    }


def test_a_group_has_means_medians_and_totals_of_its_measures() -> None:
    group = figures(entry(1, 1.0), entry(2, 2.0), entry(3, 6.0), entry(4))
    assert told(group) == {
        "cost_usd": (3.0, 3, 1, "exact", "USD"),
        "median_cost_usd": (2.0, 3, 1, "exact", "USD"),
        "total_cost_usd": (9.0, 3, 1, "lower", "USD"),
        "tokens": (62.5, 4, 0, "exact", "tokens"),
        "median_tokens": (62.5, 4, 0, "exact", "tokens"),
        "total_tokens": (250, 4, 0, "exact", "tokens"),
        "wall_ms": (2500.0, 4, 0, "exact", "ms"),
        "median_wall_ms": (2500.0, 4, 0, "exact", "ms"),
        "total_wall_ms": (10_000, 4, 0, "exact", "ms"),
        "total_turns": (8, 4, 0, "exact", "turns"),
        "total_input_tokens": (40, 4, 0, "exact", "tokens"),
        "total_cache_write_tokens": (80, 4, 0, "exact", "tokens"),
        "total_cache_read_tokens": (120, 4, 0, "exact", "tokens"),
        "total_output_tokens": (10, 4, 0, "exact", "tokens"),
    }


def test_what_no_run_knows_is_none_and_lower_bounds_are_said() -> None:
    unknown = told(figures(entry(1, wall_ms=None, turns=None)))
    assert unknown["cost_usd"] == (None, 0, 1, "none", "USD")
    assert unknown["total_cost_usd"] == (None, 0, 1, "none", "USD")
    assert unknown["total_turns"] == (None, 0, 1, "none", "turns")
    bound = told(figures(entry(1, 1.0, cost_is_lower_bound=True), entry(2, 2.0)))
    assert bound["cost_usd"] == (1.5, 2, 0, "lower", "USD")
    assert bound["median_cost_usd"] == (1.5, 2, 0, "lower", "USD")


def test_costs_at_list_price_have_a_total_of_their_own() -> None:
    group = told(figures(entry(1, computed_cost_usd=0.5), entry(2, computed_cost_usd=0.25)))
    assert group["total_computed_cost_usd"] == (0.75, 2, 0, "exact", "USD")


def test_success_is_of_judged_runs_and_its_cost_of_three_successes_or_more() -> None:
    group = told(
        figures(
            entry(1, 1.0, PASS),
            entry(2, 2.0, PASS),
            entry(3, 3.0, FAIL),
            entry(4, 4.0),
            entry(5, 5.0, ERROR),
        )
    )
    assert group["success"] == (pytest.approx(2 / 3), 3, 1, "exact", "share")
    assert group["success_with_lost"] == (0.5, 4, 1, "exact", "share")
    assert group["cost_per_success_usd"] == (None, 0, 4, "none", "USD")
    assert "long_run_cost_per_success_usd" not in group
    three = told(figures(*(entry(number, 2.0, PASS) for number in (1, 2, 3)), entry(4, 3.0, FAIL)))
    assert three["success"] == (0.75, 4, 0, "exact", "share")
    assert three["cost_per_success_usd"] == (3.0, 4, 0, "exact", "USD")
    assert three["long_run_cost_per_success_usd"][1:] == (4, 0, "exact", "USD")
    assert "success_with_lost" not in three
    assert "success" not in told(figures(entry(1, 1.0)))
    assert "cost_per_success_usd" not in told(figures(entry(1, 1.0, FAIL)))


def test_verdicts_and_scores_follow_under_their_names() -> None:
    hard = "verdict.hard"
    group = figures(
        entry(1, 1.0, PASS, derived=((hard, "pass"), ("observed.failure", "x"))),
        entry(2, 1.0, PASS, derived=((hard, "fail"),), scores=(Score("s", 4.0, "x"),)),
        entry(3, 1.0, PASS),
    )
    found = told(group)
    assert found[hard] == (0.5, 2, 1, "exact", "share")
    assert found["score.s"] == (4.0, 1, 2, "exact", "x")
    assert found["median_score.s"] == (4.0, 1, 2, "exact", "x")
    assert "observed.failure" not in found
    (score,) = group.scores
    assert group.of(score).mean == 4.0
    assert group.of(Measure.TOKENS).mean == 62.0


def test_an_open_end_of_an_interval_is_none() -> None:
    group = figures(*(entry(number, 10.0**number) for number in range(-3, 4)))
    found = dict(estimates(group))["cost_usd"]
    assert found.low is not None
    assert found.estimate is not None
    assert 0 < found.low < found.estimate
    assert found.high is None


def test_a_comparison_has_both_means_and_how_they_differ() -> None:
    sides = [
        [entry(number, usd, task=f"t{number}", model=model) for number in range(1, 7)]
        for model, usd in (("a", 2.0), ("b", 3.0))
    ]
    comparison = compare(*sides, Dimension.MODEL)
    cost = dict(compared(comparison.contrasts[Measure.COST]))
    assert cost == {
        "a": Estimate(2.0, None, None, 6, 0, "exact", "USD"),
        "b": Estimate(3.0, None, None, 6, 0, "exact", "USD"),
        "difference": Estimate(
            1.0, cost["difference"].low, cost["difference"].high, 6, 0, "exact", "USD"
        ),
        "ratio": Estimate(1.5, cost["ratio"].low, cost["ratio"].high, 6, 0, "exact", "ratio"),
    }
    assert cost["ratio"].low == pytest.approx(1.5)


def test_success_is_compared_by_its_difference_alone_by_both_countings() -> None:
    sides = [
        [entry(number, 1.0, outcome, task=f"t{number}", model=model) for number in range(1, 7)]
        for model, outcome in (("a", FAIL), ("b", PASS))
    ]
    success = dict(compared(compare(*sides, Dimension.MODEL).contrasts[Measure.SUCCESS]))
    assert list(success) == ["a", "b", "difference"]
    assert success["difference"].estimate == 1.0
    assert success["difference"].unit == "share"
    sides[0][0] = entry(1, 1.0, ERROR, task="t1", model="a")
    lost = dict(compared(compare(*sides, Dimension.MODEL).contrasts[Measure.SUCCESS]))
    assert list(lost) == ["a", "b", "difference_with_other_counting", "difference"]
    assert (lost["difference"].n, lost["difference"].unknown) == (5, 0)
    assert lost["difference_with_other_counting"].n == 6
