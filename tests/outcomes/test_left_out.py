"""The sentence about the runs that `only: judged` leaves out."""

from __future__ import annotations

from sitegen.model import Run, Status
from sitegen.outcomes.left_out import MAX_CAUSES, describe_left_out
from tests.collect.facts import entry


def test_runs_are_counted_by_how_they_ended() -> None:
    done = entry("1.json")
    limit = entry("2.json", Run("r", Status.STOPPED, "usage limit"))
    broken = entry("3.json", Run("r", Status.INTERRUPTED))
    assert describe_left_out([done]) == "left out: 1 run without a verdict"
    text = "left out: 4 runs without a verdict, 3 of them ended by errors"
    runs = [done, limit, limit, broken]
    assert describe_left_out(runs) == f"{text} (usage limit: 2, interrupted: 1)"
    assert describe_left_out(runs, with_causes=False) == text


def test_rare_causes_are_counted_together() -> None:
    runs = [entry(f"{at}.json", Run("r", Status.STOPPED, f"c{at}")) for at in range(MAX_CAUSES + 2)]
    assert describe_left_out(runs).endswith("c3: 1, others: 2)")
