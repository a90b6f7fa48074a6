"""Gains far above the others of their score."""

from __future__ import annotations

from sitegen.config import Config
from sitegen.model import Score, Verdict
from sitegen.outcomes.study import Study
from sitegen.outcomes.units import find_other_units
from tests.collect.facts import entry

SETTINGS = {"scores": {"speedup": {"direction": "higher", "reference": "human"}}}


def study(*gains: float) -> Study:
    runs = [
        entry(f"{at}.json", scores=(Score("speedup", gain),), factors=(("human", "1"),))
        for at, gain in enumerate(gains)
    ]
    return Study(Config.model_validate(SETTINGS), runs)


def test_a_gain_far_above_the_median_is_probably_in_another_unit() -> None:
    (problem,) = find_other_units(study(1, 1.2, 0.9, 1000))
    assert (problem.path, problem.code) == ("3.json", "W_UNITS")
    assert problem.reason.startswith("Its speedup is 1,000x as good as the human, and the median")


def test_large_gains_alone_are_no_doubt() -> None:
    assert not [*find_other_units(study(1, 1.2, 49))]
    assert not [*find_other_units(study(1, 1000))]  # too few for a median


def test_fifty_times_the_median_of_three_gains_is_the_limit() -> None:
    assert not [*find_other_units(study(1, 1, 50))]
    (problem,) = find_other_units(study(1, 1, 50.5))
    assert problem.reason == (
        "Its speedup is 50.5x as good as the human, and the median of all runs 1x: probably in another unit."
    )
    assert (problem.verdict, problem.page_id) == (Verdict.ACCEPT, "2.json")
    assert not [*find_other_units(Study(Config(), study(1, 1, 99).entries))]
