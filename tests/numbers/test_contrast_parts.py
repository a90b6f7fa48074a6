"""Comparisons on the tasks of one group, and opposite differences behind one that is not clear."""

from __future__ import annotations

from sitegen.model import Outcome
from sitegen.numbers.comparison import Comparison, Effect, compare
from sitegen.numbers.contrast_parts import comparison_on, contrast_on, describe_opposite
from sitegen.numbers.statistics import Dimension, Measure
from tests.pages.compare.test_compare import attempt

GROUPS = {f"t{at}": "one" if at < 6 else "two" for at in range(12)}


def compared(passed_by_a: range, passed_by_b: range) -> Comparison:
    sides = []
    for model, passed in (("a", passed_by_a), ("b", passed_by_b)):
        outcomes = [Outcome.PASS if at in passed else Outcome.FAIL for at in range(12)]
        sides.append([attempt(model, f"t{at}", 1.0, outcomes[at]) for at in range(12)])
    return compare(*sides, Dimension.MODEL)


def test_a_part_has_the_tasks_of_its_group_and_is_no_claim() -> None:
    whole = compared(range(6), range(12))
    part = comparison_on(whole, GROUPS, "two")
    success = part.contrasts[Measure.SUCCESS]
    assert [pair.task for pair in success.tasks] == [f"t{at}" for at in range(6, 12)]
    assert success.mean_difference == 1.0
    assert success.effect is Effect.NOT_TESTED
    assert len(part.tasks) == 6
    assert contrast_on(success, GROUPS, "three").mean_difference is None


def test_opposite_differences_are_said_where_the_whole_is_not_clear() -> None:
    text = describe_opposite(compared(range(6), range(6, 12)), "codebase", GROUPS)
    assert text == (
        "No clear difference in success over all tasks, but opposite ones by codebase: "
        "−100 points on one and +100 points on two."
    )
    assert not describe_opposite(compared(range(3), range(2)), "codebase", GROUPS)
    assert not describe_opposite(compared(range(6), range(6, 12)), "codebase", {})
