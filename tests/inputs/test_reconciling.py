"""Several records of one run: whose figures are shown, and where they contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.inputs.reconciling import fill_gaps, is_cut, is_more
from sitegen.model import (
    Caveat,
    ModelUsage,
    Outcome,
    Run,
    Score,
    Status,
    StepCounts,
    Tokens,
    replace,
)

FAILED = frozenset({Status.FAILED})


def used(*counts: int | None, model: str | None = "m") -> tuple[ModelUsage, ...]:
    return (ModelUsage(model, Tokens(*counts)),)


def own(**known: Any) -> Run:
    return Run("Claude Code stream", Status.OK, **known)


def harness(**known: Any) -> Run:
    return Run("Claude Code trial", **{"status": Status.OK, "folder": "trial", **known})


def converted(calls: int = 2, **known: Any) -> Run:
    return own(is_converted=True, steps=steps(calls), **known)


def steps(calls: int) -> StepCounts:
    return StepCounts(calls, calls, 0, (), None, None, 0, None, None, None)


@pytest.mark.parametrize(
    ("figure", "of_agent", "of_harness", "shown"),
    [
        ("cost_usd", 1.0, 2.0, 1.0),
        ("cost_usd", None, 2.0, 2.0),
        ("wall_ms", 1000, 2000, 2000),
        ("wall_ms", 1000, None, 1000),
        ("task", "a", "b", "b"),
        ("attempt", 1, 2, 2),
        ("outcome", Outcome.PASS, Outcome.FAIL, Outcome.FAIL),
        ("scores", (Score("s", 1.0),), (), (Score("s", 1.0),)),
        ("effort", "high", "low", "high"),
        ("agent_version", None, "2", "2"),
        ("started_at", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        ("ledger", used(1, 1, 1, 1), used(9, 9, 9, 9), used(1, 1, 1, 1)),
        ("ledger", (), used(9, 9, 9, 9), used(9, 9, 9, 9)),
        ("reader", "Claude Code stream", "unknown", "Claude Code stream"),
    ],
)
def test_the_most_trusted_record_that_knows_a_figure_states_it(
    figure: str, of_agent: object, of_harness: object, shown: object
) -> None:
    filled = fill_gaps(
        own(**{figure: of_agent}) if figure != "reader" else own(),
        [harness(**{figure: of_harness})] if figure != "reader" else [harness()],
    )
    assert getattr(filled, figure) == shown


def test_an_end_that_a_harness_brings_about_counts_before_that_of_the_agent() -> None:
    ended = harness(status=Status.FAILED, status_detail="time limit")
    assert fill_gaps(own(), [ended]).status is Status.OK
    decided = fill_gaps(own(), [ended], FAILED)
    assert (decided.status, decided.status_detail) == (Status.FAILED, "time limit")


def test_marks_go_with_their_figures() -> None:
    paid = harness(cost_usd=1.0, cost_is_lower_bound=True, cost_is_estimated=True)
    filled = fill_gaps(own(), [paid])
    assert (filled.cost_is_lower_bound, filled.cost_is_estimated) == (True, True)
    counted = harness(ledger=used(1, 2, 3, 4), output_is_lower_bound=True)
    assert fill_gaps(own(hour_writes=5), [counted]).output_is_lower_bound
    assert fill_gaps(own(hour_writes=5), [counted]).hour_writes is None


def test_the_model_is_named_by_whoever_knows_it() -> None:
    nameless = own(ledger=used(1, 2, 3, 4, model=None))
    filled = fill_gaps(nameless, [harness(ledger=used(1, 2, 3, 4, model="opus"))])
    assert filled.model == "opus"
    assert fill_gaps(own(), [harness(ledger=used(model="opus"))]).model == "opus"


@pytest.mark.parametrize(
    ("part", "whole", "cut"),
    [
        (own(steps=steps(1), ledger=used(1, 1, 1, 1)), converted(2, ledger=used(9, 9, 9, 9)), True),
        (
            own(steps=steps(2), ledger=used(1, 1, 1, 1)),
            converted(2, ledger=used(9, 9, 9, 9)),
            False,
        ),
        (
            own(steps=steps(1), ledger=used(9, 9, 9, 9)),
            converted(2, ledger=used(9, 9, 9, 9)),
            False,
        ),
        (own(steps=steps(1), is_stated=True, ledger=used(1)), converted(2, ledger=used(9)), False),
        (own(ledger=used(1)), converted(2, ledger=used(9)), False),
        (
            own(steps=steps(1), ledger=used(1)),
            replace(converted(ledger=used(9)), steps=None),
            False,
        ),
        (own(steps=steps(1), ledger=used(1)), own(steps=steps(2), ledger=used(9)), False),
        (converted(1, ledger=used(1)), converted(2, ledger=used(9)), False),
    ],
)
def test_a_record_breaks_off_before_one_that_was_converted(
    part: Run, whole: Run, cut: bool
) -> None:
    assert is_cut(part, whole) is cut


@pytest.mark.parametrize(
    ("least", "other", "more"),
    [
        (200, 100, True),
        (100, 100, False),
        (101, 100, False),
        (102, 100, True),
        (None, 1, False),
        (1, None, False),
    ],
)
def test_a_count_is_more_by_more_than_a_hundredth(
    least: int | None, other: int | None, more: bool
) -> None:
    assert is_more(least, other) is more


def said(shown: Run, *others: Run) -> list[str]:
    filled = fill_gaps(shown, others)
    return [caveat.text for caveat in filled.caveats if caveat.code == "W_CONTRADICTION"]


@pytest.mark.parametrize(
    ("of_agent", "of_harness", "sentences"),
    [
        ({"cost_usd": 1.0}, {"cost_usd": 1.004}, []),
        (
            {"cost_usd": 1.0},
            {"cost_usd": 2.0},
            [
                "The record of the agent and the program that ran it report $1.00 and $2.00; $1.00 is shown."
            ],
        ),
        ({"ledger": used(100, 0, 0, 100)}, {"ledger": used(101, 0, 0, 100)}, []),
        (
            {"ledger": used(100, 0, 0, 100)},
            {"ledger": used(500, 0, 0, 100)},
            ["The record of the agent and the program that ran it count 200 and 600 tokens; "],
        ),
        (
            {},
            {"status": Status.FAILED},
            ["The record of the agent and the program that ran it say ok and failed; ok is shown."],
        ),
        ({}, {"status": Status.UNKNOWN}, []),
    ],
)
def test_records_that_cannot_both_be_right_are_said(
    of_agent: dict[str, Any], of_harness: dict[str, Any], sentences: list[str]
) -> None:
    texts = said(own(**of_agent), harness(**of_harness))
    assert len(texts) == len(sentences)
    for text, beginning in zip(texts, sentences, strict=True):
        assert text.startswith(beginning)


def test_counts_without_the_cache_are_those_of_another_with_it() -> None:
    sent = own(ledger=used(100, 0, 40, 5))
    other = harness(ledger=used(60, 0, 40, 5))
    assert said(sent, other) == []


def test_a_doubt_of_tokens_goes_where_another_record_has_them() -> None:
    doubt = Caveat("W_MISSING", "The record has no tokens.")
    kept = Caveat("W_TYPE", "A field is odd.")
    filled = fill_gaps(own(caveats=(doubt, kept)), [harness(ledger=used(1, 2, 3, 4))])
    assert kept in filled.caveats
    assert fill_gaps(own(caveats=(doubt,)), [harness()]).caveats == (doubt,)
