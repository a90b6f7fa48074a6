"""Highlights of a run: at most five, with rules that pages may show once enough of their hits were read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.model import Run, Status, StepCounts
from sitegen.numbers.signal_rules import RULES
from sitegen.pages.steps import worth
from sitegen.pages.steps.story import Story
from sitegen.readers.common.signals import REPEATS
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait
from tests.support.chart_runs import entry


def highlights(stretches: list[tuple[str, int, bool]]) -> list[str]:
    """Return the highlights of a run of stretches: a command, how often it is repeated, and whether it fails."""
    story = Story(lambda _model, _tokens: None)
    number = 0
    for command, times, failed in stretches:
        for repeat in range(times):
            call = ToolCall(
                str(number),
                "Bash",
                ToolKind.RUN,
                command,
                failed=failed,
                traits=Trait.REPEAT if repeat else 0,
            )
            story.add(Step(number, StepKind.TOOL_CALL, number, call=call))
            number += 1
    counts = StepCounts(number, number, 0, None, None, None, 0, 0, None, None)
    counts = replace(counts, signals=tuple(story.signals.found()))
    run = replace(entry(1), run=Run("Claude Code stream", Status.OK, steps=counts))
    view = worth.worth_view(run, story)
    assert view is not None
    return [
        f"{fact.before}{fact.link.text}{fact.after} | {fact.note} | {fact.is_code}"
        for fact in view.facts
    ]


@pytest.fixture(autouse=True)
def _rules_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "SHOWN", {rule.key: rule for rule in RULES})


SAME = "Same input, same answer, no other call between."


@pytest.mark.parametrize(
    ("stretches", "expected"),
    [
        ([("ls", 2, False)], []),
        ([("ls", 3, False)], [f"ls 3 times in a row | Steps 1 to 3. {SAME} | True"]),
        (
            [("pwd", 1, False), ("make", 4, True)],
            [f"make 4 times in a row, all failed | Steps 2 to 5. {SAME} | True"],
        ),
        (
            [("make", 3, True), ("ls", 1, False), ("ls -a", 3, False)],
            [
                f"make 3 times in a row, all failed | Steps 1 to 3. {SAME} | True",
                f"ls -a 3 times in a row | Steps 5 to 7. {SAME} | True",
            ],
        ),
        (
            [("a", 1, True), ("b", 1, True), ("c", 1, True)],
            ["3 calls failed in a row | Steps 1 to 3. Flagged as errors by the tool. | False"],
        ),
        (
            [("a", 1, True), ("b", 1, True), ("c", 1, True), ("ls", 1, False), ("d", 3, False)],
            [
                f"d 3 times in a row | Steps 5 to 7. {SAME} | True",
                "3 calls failed in a row | Steps 1 to 3. Flagged as errors by the tool. | False",
            ],
        ),
    ],
)
def test_repeats_and_failures_in_a_row_are_said_once(
    stretches: list[tuple[str, int, bool]], expected: list[str]
) -> None:
    assert highlights(stretches) == expected


def test_no_more_than_five_are_said() -> None:
    found = highlights([(f"make {number}", 3, False) for number in range(6)])
    assert [text.partition(" 3 times")[0] for text in found] == [f"make {n}" for n in range(5)]


def test_nothing_is_said_of_what_was_not_looked_at() -> None:
    story = Story(lambda _model, _tokens: None)
    assert worth.worth_view(entry(1), story) is None
    counts = StepCounts(1, 0, 0, None, None, None, 0, 0, None, None, signals=(REPEATS,))
    run = replace(entry(1), run=Run("Claude Code stream", Status.OK, steps=counts))
    assert worth.worth_view(run, story) is None
