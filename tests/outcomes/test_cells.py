"""A cell says one thing, or is refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pytest

from sitegen.model import Outcome
from sitegen.outcomes import cells
from sitegen.outcomes.reasons import MAX_LABELS, BadCell, Why

read_text = partial(cells.read_text, "task", clean=str)
read_labels = partial(cells.read_labels, clean=str)


@pytest.mark.parametrize(
    ("read", "value", "meaning"),
    [
        (cells.is_filled, " N/A ", False),
        (cells.is_filled, 0, True),
        (cells.is_number, " -1.5e3 ", True),
        (cells.is_number, "+.5E-12", True),
        (cells.is_number, True, False),
        (cells.is_number, "1.2.3", False),
        (cells.is_commit, "0a1B2c3", True),
        (cells.is_commit, "0a1b2c", False),
        (cells.is_commit, 1234567, False),
        (cells.finite, "2.5", 2.5),
        (cells.finite, "inf", None),
        (cells.finite, None, None),
        (cells.quote, [1], "a list or an object"),
        (cells.quote, "a\nb", "a text of several lines"),
        (cells.quote, "x" * 40, f"'{'x' * 40}'"),
        (cells.quote, "x" * 41, f"'{'x' * 40}…'"),
        (read_text, None, None),
        (read_text, " a \n b ", "a b"),
        (read_text, 7, "7"),
        (read_text, " ", None),
        (cells.read_attempt, "3.0", 3),
        (cells.read_attempt, "", None),
        (cells.read_attempt, 0, 0),
        (cells.read_outcome, "Infra - Failure", Outcome.ERROR),
        (cells.read_outcome, 1.0, Outcome.PASS),
        (cells.outcome_of, "perhaps", None),
        (cells.read_claim, " Not Done ", False),
        (cells.read_claim, True, True),
        (read_labels, "a; b;a;", ("a", "b")),
        (read_labels, ["a", "", 7], ("a", "7")),
        (cells.read_moment, "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00Z"),
        (cells.read_moment, datetime(2026, 1, 31, 12, tzinfo=UTC), "2026-01-31T12:00:00Z"),
    ],
)
def test_a_cell_has_a_meaning(read: Callable[[Any], Any], value: object, meaning: object) -> None:
    assert read(value) == meaning


@pytest.mark.parametrize(
    ("read", "value", "why"),
    [
        (read_text, True, Why.NOT_TEXT),
        (read_text, ["a"], Why.NOT_TEXT),
        (read_text, "x" * (cells.MAX_TEXT + 1), Why.LONG_TEXT),
        (cells.read_attempt, True, Why.BAD_ATTEMPT),
        (cells.read_attempt, "1.5", Why.BAD_ATTEMPT),
        (cells.read_attempt, "1" * 10, Why.BAD_ATTEMPT),
        (cells.read_attempt, [1], Why.BAD_ATTEMPT),
        (cells.read_outcome, ["pass"], Why.BAD_OUTCOME),
        (cells.read_claim, "maybe", Why.BAD_CLAIM),
        (read_labels, {"a": 1}, Why.BAD_LABELS),
        (read_labels, ["a", True], Why.BAD_LABELS),
        (read_labels, [["a"]], Why.BAD_LABELS),
        (read_labels, list(range(MAX_LABELS + 1)), Why.LONG_LABELS),
        (read_labels, "x" * (cells.MAX_TEXT + 1), Why.LONG_LABELS),
        (cells.read_moment, "2026-01-31T12:00:00", Why.NO_TIME_ZONE),
        (cells.read_moment, date(2026, 1, 31), Why.NO_TIME_ZONE),
        (cells.read_moment, "soon", Why.BAD_MOMENT),
        (cells.read_moment, [], Why.BAD_MOMENT),
        (cells.read_moment, "0001-01-01T00:00:00+23:00", Why.BAD_MOMENT),
    ],
)
def test_a_cell_without_a_meaning_is_refused(
    read: Callable[[Any], Any], value: object, why: Why
) -> None:
    with pytest.raises(BadCell) as refused:
        read(value)
    assert refused.value.reason.why is why


def test_a_note_is_cut_and_loses_the_guard_of_a_spreadsheet() -> None:
    assert cells.read_note("'=1+1", str) == "=1+1"
    assert cells.read_note("x" * cells.MAX_TEXT, str) == "x" * cells.MAX_TEXT
    assert cells.read_note("x" * (cells.MAX_TEXT + 1), str) == "x" * (cells.MAX_TEXT - 1) + "…"
    assert cells.read_note(7, str) is None and cells.read_note(" ", str) is None


def test_an_empty_cell_is_no_fault_and_a_bad_one_says_what_becomes_of_it() -> None:
    faults: list[cells.Fault] = []
    assert cells.read_if_filled(cells.read_claim, "-", faults) is None and faults == []
    assert cells.read_if_filled(cells.read_claim, "maybe", faults) is None
    ((reason, effect),) = faults
    assert (reason.why, effect) == (Why.BAD_CLAIM, " The cell is ignored.")
