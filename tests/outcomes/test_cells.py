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


OUTCOMES = {
    Outcome.PASS: "pass passed success succeeded successful resolved solved correct ok true yes 1 1.0",
    Outcome.FAIL: "fail failed failure unresolved unsolved incorrect wrong false no 0 0.0",
    Outcome.PARTIAL: "partial partially partly",
    Outcome.ERROR: "error errored infra infra_error infra-failure infrastructure infrastructure_error",
}


def test_the_words_of_outcomes_are_these_in_any_case() -> None:
    for outcome, words in OUTCOMES.items():
        for word in words.split():
            assert cells.outcome_of(word.upper()) is outcome, word
    assert cells.outcome_of("infrastructure  failure") is Outcome.ERROR
    assert cells.outcome_of(None) is cells.outcome_of("resolved?") is cells.outcome_of(0.5) is None


def test_the_words_of_claims_and_of_empty_cells_are_these() -> None:
    claims = {word: cells.read_claim(word) for word in ("true", "Yes", "DONE", "1", True, 1)}
    assert set(claims.values()) == {True}
    denials = [cells.read_claim(word) for word in ("false", "No", "not done", "0", False, 0)]
    assert set(denials) == {False}
    empty = ("", " ", "-", "N/A", "na", "NaN", "None", "null", None)
    assert not any(map(cells.is_filled, empty))
    assert all(map(cells.is_filled, ("0", "--", "no", False, [])))


def test_commits_have_7_to_40_digits() -> None:
    assert [size for size in range(50) if cells.is_commit("a" * size)] == list(range(7, 41))


def test_numbers_are_written_in_these_forms() -> None:
    numbers = ("1", "+1", "-1.", ".5", "1e9", "1E-9999", " 1 ")
    others = ("", ".", "1e", "1e12345", "0x1", "1,000", "1_000", "inf", "\u0661")
    assert [text for text in (*numbers, *others) if cells.is_number(text)] == list(numbers)
    assert cells.is_number(1) and cells.is_number(0.5) and not cells.is_number(None)
    assert cells.finite(True) is None and cells.finite("1e9999") is None
    assert cells.finite(" -2.5 ") == -2.5 and cells.finite(3) == 3.0


def test_texts_of_a_cell_may_have_500_characters() -> None:
    assert read_text("x" * 500) == "x" * 500
    with pytest.raises(BadCell) as refused:
        read_text("x" * 501)
    assert refused.value.reason.sentence == "task is longer than 500 characters."
    assert read_labels("x" * 500) == ("x" * 500,)
    with pytest.raises(BadCell):
        read_labels("x" * 501)
    assert cells.read_note("x" * 501, str) == "x" * 499 + "…"
    assert len(read_labels([str(number) for number in range(50)])) == 50
    with pytest.raises(BadCell) as many:
        read_labels([str(number) for number in range(51)])
    assert many.value.reason.sentence == "labels may be 50 of 500 characters at most."


def test_an_attempt_has_nine_digits_at_most() -> None:
    assert cells.read_attempt("999999999") == 999_999_999
    for value in ("-1", "1.50", "\u0661", "1" * 10, "x"):
        with pytest.raises(BadCell) as refused:
            cells.read_attempt(value)
        assert refused.value.reason.sentence == f"attempt must be a whole number, not '{value}'."


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("'=1", "=1"),
        ("'+1", "+1"),
        ("'-1", "-1"),
        ("'@a", "@a"),
        ("a;'=1", "a;=1"),
        ("a|' \"=1", 'a| "=1'),
        ("'a", "'a"),
        ("a'=1", "a'=1"),
        ("  a \n b ", "a b"),
    ],
)
def test_the_guard_of_a_spreadsheet_is_a_quote_before_a_formula(note: str, text: str) -> None:
    assert cells.read_note(note, str) == text


def test_texts_are_masked_as_they_are_read() -> None:
    def hide(text: str) -> str:
        return text.replace("secret", "masked")

    assert cells.read_text("task", "my secret", hide) == "my masked"
    assert cells.read_note("my secret", hide) == "my masked"
    assert cells.read_labels(["secret", "b_c"], hide) == ("masked", "b_c")


def test_moments_are_of_utc_with_their_digits() -> None:
    assert cells.read_moment("2026-01-31T12:00:00.25Z") == "2026-01-31T12:00:00.250000Z"
    assert cells.read_moment("2026-01-31 23:30-01:00") == "2026-02-01T00:30:00Z"
    with pytest.raises(BadCell) as refused:
        cells.read_moment("soon")
    assert refused.value.reason.sentence == (
        "started_at must be a moment such as 2026-01-31T12:00:00Z, not 'soon'."
    )


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (
            cells.read_outcome,
            " good ",
            "The outcome 'good' is unknown: write pass, fail, partial or error.",
        ),
        (
            cells.read_outcome,
            ["x"],
            "The outcome a list or an object is unknown: write pass, fail, partial or error.",
        ),
        (cells.read_claim, "maybe", "The claim 'maybe' is unknown: write yes or no."),
        (cells.read_attempt, True, "attempt must be a whole number, not 'True'."),
        (cells.read_attempt, [1], "attempt must be a whole number, not a list or an object."),
        (read_text, True, "task is not text."),
        (
            read_labels,
            {"a": 1},
            "labels must be a list of words, or words with ; between them.",
        ),
        (
            cells.read_moment,
            "2026-01-31",
            "started_at needs a time and a time zone, such as 2026-01-31T12:00:00Z, not '2026-01-31'.",
        ),
        (
            cells.read_moment,
            [],
            "started_at must be a moment such as 2026-01-31T12:00:00Z, not a list or an object.",
        ),
    ],
)
def test_why_a_cell_is_refused_is_a_sentence(
    read: Callable[[Any], Any], value: object, sentence: str
) -> None:
    with pytest.raises(BadCell) as refused:
        read(value)
    assert refused.value.reason.sentence == sentence
