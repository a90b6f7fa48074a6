"""Which of several records a figure is from: by what they are, and what each of them knows."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.inputs import reconciling as module
from sitegen.inputs.reconciling import FigureSource, fill_gaps, is_cut, is_more
from sitegen.model import Caveat, Run, Status, Tokens, replace
from tests.inputs.test_reconciling import converted, harness, own, said, steps, used

FAILED = frozenset({Status.FAILED})


def origins(run: Run, *others: Run) -> list[str]:
    """What the first run is a source of, beside others."""
    found = module._by_origin(run, others, FAILED)
    return [
        origin.name for origin, runs in found.items() if any(of_same(run, each) for each in runs)
    ]


def of_same(run: Run, other: Run) -> bool:
    return run.session_id == other.session_id


def known(**fields: Any) -> dict[str, Any]:
    return {"session_id": "asked", **fields}


@pytest.mark.parametrize(
    ("run", "others", "expected"),
    [
        (own(**known()), (), "OWN"),
        (own(**known(ledger_is_lower_bound=True)), (), "PART"),
        (replace(own(**known()), status=Status.INTERRUPTED), (), "PART"),
        (own(**known()), (own(is_stated=True),), "PART"),
        (own(**known(is_stated=True)), (own(is_stated=True),), "OWN"),
        (own(**known(is_stated=True, ledger_is_lower_bound=True)), (), "OWN PART"),
        (own(**known(ledger=(used(1)[0],), caveats=(Caveat("W_ROUNDED", "r"),))), (), "CONVERTED"),
        (converted(**known()), (), "CONVERTED"),
        (harness(**known()), (), "HARNESS"),
        (harness(**known(status=Status.FAILED)), (), "HARNESS DECIDED"),
        (own(**known(is_shared=True)), (), "SHARED"),
        (
            harness(**known(ledger=used(5, 0, 0, 5))),
            (converted(ledger=used(5, 0, 0, 5)),),
            "HARNESS COPIED",
        ),
        (harness(**known(ledger=used(5, 0, 0, 5))), (own(ledger=used(5, 0, 0, 5)),), "HARNESS"),
        (
            own(**known(steps=steps(1), ledger=used(1, 1, 1, 1))),
            (converted(2, ledger=used(9, 9, 9, 9)),),
            "PART",
        ),
    ],
)
def test_a_record_is_a_source_by_what_it_is(
    run: Run, others: tuple[Run, ...], expected: str
) -> None:
    assert sorted(origins(run, *others)) == sorted(expected.split())


def test_a_count_without_kinds_is_a_part_and_ends_as_its_record_says() -> None:
    run = own(**known(ledger=(replace(used()[0], tokens=Tokens(unsplit=7)),), cost_usd=1.0))
    found = module._by_origin(run, (), FAILED)
    assert [each.ledger for each in found[FigureSource.PART]] == [run.ledger]
    assert [(each.ledger, each.cost_usd) for each in found[FigureSource.OWN]] == [((), 1.0)]
    bound = replace(run, cost_is_lower_bound=True)
    assert module._by_origin(bound, (), FAILED)[FigureSource.OWN][0].cost_usd is None


def test_of_parts_the_one_that_is_stated_comes_first() -> None:
    part = own(session_id="part", ledger_is_lower_bound=True)
    stated = own(session_id="stated", is_stated=True, ledger_is_lower_bound=True)
    parts = module._by_origin(part, (stated,), FAILED)[FigureSource.PART]
    assert [run.session_id for run in parts] == ["stated", "part"]


@pytest.mark.parametrize(
    ("figure", "order"),
    [
        ("task", "harness shared own part converted"),
        ("evaluation", "harness shared own part converted"),
        ("attempt", "harness shared own part converted"),
        ("outcome", "harness shared own part converted"),
        ("scores", "harness shared own part converted"),
        ("status", "decided own harness part converted"),
        ("wall_ms", "harness own converted part"),
        ("started_at", "own part harness converted"),
        ("cost_usd", "own harness converted part"),
        ("ledger", "own harness part converted copied"),
        ("model", "own part converted shared harness"),
        ("reader", "own part converted shared harness"),
        ("effort", "own part converted shared harness"),
        ("agent_version", "own part harness converted"),
    ],
)
def test_each_figure_has_an_order_of_trust(figure: str, order: str) -> None:
    assert [origin.name.lower() for origin in module.ORDER[figure]] == order.split()


def test_all_figures_of_a_harness_fill_gaps() -> None:
    other = harness(
        status=Status.STOPPED,
        status_detail="limit",
        task="t",
        evaluation="e",
        attempt=3,
        wall_ms=5,
        started_at="2026",
        cost_usd=1.5,
        effort="high",
        agent_version="2",
        ledger=used(1, 2, 3, 4),
    )
    unknown = Run("unknown", Status.UNKNOWN)
    filled = fill_gaps(unknown, [other])
    assert (filled.task, filled.evaluation, filled.attempt) == ("t", "e", 3)
    assert (filled.wall_ms, filled.started_at, filled.cost_usd) == (5, "2026", 1.5)
    assert (filled.effort, filled.agent_version) == ("high", "2")
    assert (filled.status, filled.status_detail) == (Status.STOPPED, "limit")
    assert filled.reader == "Claude Code trial"
    assert filled.tokens.total == 10
    assert filled.folder is None, "what it is is told by the record that is shown"


def test_a_harness_that_counts_more_makes_the_record_a_lower_bound() -> None:
    counted = harness(ledger=used(1000, 0, 0, 0))
    assert fill_gaps(own(ledger=used(989, 0, 0, 0)), [counted]).ledger_is_lower_bound
    assert not fill_gaps(own(ledger=used(990, 0, 0, 0)), [counted]).ledger_is_lower_bound
    stated = own(ledger=used(5, 0, 0, 0), is_stated=True)
    assert not fill_gaps(stated, [counted]).ledger_is_lower_bound
    assert not fill_gaps(converted(ledger=used(5, 0, 0, 0)), [counted]).ledger_is_lower_bound


def test_a_part_that_has_more_than_what_counts_is_shown_as_a_lower_bound() -> None:
    part = own(ledger=used(500, 0, 0, 0), ledger_is_lower_bound=True)
    filled = fill_gaps(own(ledger=used(100, 0, 0, 0)), [part])
    assert (filled.tokens.total, filled.ledger_is_lower_bound) == (500, True)
    stated = own(ledger=used(100, 0, 0, 0), is_stated=True)
    assert fill_gaps(stated, [part]).tokens.total == 100


def test_doubts_of_tokens_are_those_of_the_record_that_counts() -> None:
    doubt, other = Caveat("W_NO_RESULT", "No result."), Caveat("W_MISSING", "Some are missing.")
    shown = own(ledger=used(1, 2, 3, 4), caveats=(doubt,))
    assert fill_gaps(shown, [harness(caveats=(other,))]).caveats == (doubt,)
    assert fill_gaps(shown, [own(caveats=(other,))]).caveats == (doubt, other)
    assert fill_gaps(shown, [own(caveats=(doubt,))]).caveats == (doubt,), "each once"


def test_a_record_that_breaks_off_has_fewer_calls_and_fewer_tokens() -> None:
    part = own(steps=steps(1), ledger=used(100, 0, 0, 0))
    assert is_cut(part, converted(2, ledger=used(102, 0, 0, 0)))
    assert not is_cut(part, converted(2, ledger=used(101, 0, 0, 0)))
    assert not is_cut(part, converted(1, ledger=used(102, 0, 0, 0)))
    assert is_more(1, 0) and not is_more(0, 0)


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        (Tokens(100, 0, 0, 0), Tokens(101, 0, 0, 0), True),
        (Tokens(100, 0, 0, 0), Tokens(102, 0, 0, 0), False),
        (Tokens(100, 0, 0, 100), Tokens(100, 0, 0, 102), False),
        (Tokens(100, 0, 100, 0), Tokens(100, 0, 102, 0), False),
        (Tokens(60, None, 0, 5), Tokens(50, 10, 0, 5), True),
        (Tokens(60, 0, 0, 5), Tokens(50, 10, 0, 5), False),
        (Tokens(50, 10, 0, 5), Tokens(60, None, 0, 5), True),
        (Tokens(50, 5, None, 5), Tokens(50, 9, 7, None), True),
        (Tokens(), Tokens(1, 2, 3, 4), False),
    ],
)
def test_counts_are_near_where_kinds_that_both_know_differ_by_a_hundredth(
    first: Tokens, second: Tokens, near: bool
) -> None:
    assert module._is_near(first, second) is near
    assert module._is_near(second, first) is near


WHO = "The record of the agent and the program that ran it"
TRANSCRIPT = "The transcript of the session and its result"


def test_sentences_about_what_cannot_both_be_true() -> None:
    shown = own(ledger=used(100, 0, 0, 100), cost_usd=1.0)
    other = harness(ledger=used(50, 0, 0, 100), cost_usd=1.5, status=Status.STOPPED)
    assert said(shown, other) == [
        f"{WHO} count 200 and 150 tokens; 200 are shown.",
        f"{WHO} report $1.00 and $1.50; $1.00 is shown.",
        f"{WHO} say ok and stopped; ok is shown.",
    ]
    more = harness(ledger=used(500, 0, 0, 100))
    assert said(shown, more) == [f"{WHO} count 200 and 600 tokens; 200 are shown as a lower bound."]
    failed = replace(shown, status=Status.FAILED)
    assert said(failed, harness()) == [f"{WHO} say failed and ok; failed is shown."]
    unsplit = harness(ledger=(replace(used()[0], tokens=Tokens(unsplit=900)),))
    assert said(shown, unsplit) == []


def test_a_transcript_that_has_more_than_its_result_is_said() -> None:
    result = own(ledger=used(100, 0, 0, 0), is_stated=True, session_id="result")
    transcript = own(ledger=used(500, 0, 0, 0), session_id="transcript")
    assert said(result, transcript) == [f"{TRANSCRIPT} count 500 and 100 tokens; 100 are shown."]
    less = replace(transcript, ledger=used(50, 0, 0, 0), status=Status.FAILED)
    assert said(result, less) == []


def test_an_end_that_a_harness_decided_contradicts_nothing() -> None:
    ended = harness(status=Status.FAILED)
    texts = [each.text for each in fill_gaps(own(), [ended], FAILED).caveats]
    assert texts == []


def test_a_conversion_is_compared_where_the_agent_has_no_record_of_its_own() -> None:
    other = harness(cost_usd=2.0)
    assert said(converted(cost_usd=1.0), other) == [
        f"{WHO} report $1.00 and $2.00; $2.00 is shown."
    ]
    assert said(own(), converted(cost_usd=1.0), other) == []


def test_what_came_from_the_cache_is_added_where_another_source_has_the_sum() -> None:
    counts = Tokens(60, 0, 40, 5)
    beside = module._with_cache_beside(
        [own(ledger=used(100, 0, 40, 5)), harness(ledger=(replace(used()[0], tokens=counts),))]
    )
    assert beside[1].tokens.input == 100
    alone = module._with_cache_beside(
        [own(ledger=used(99, 0, 40, 5)), harness(ledger=used(60, 0, 40, 5))]
    )
    assert alone[1].tokens.input == 60
    agents = module._with_cache_beside(
        [own(ledger=used(100, 0, 40, 5)), own(ledger=used(60, 0, 40, 5))]
    )
    assert agents[1].tokens.input == 60
    assert module._beside(Tokens(None, 0, 40, 5)).input is None
    assert module._beside(Tokens(3, 0, None, 5)).input == 3


def test_what_was_written_to_the_cache_may_be_unknown_and_is_then_no_part_of_the_sum() -> None:
    first, second = Tokens(60, None, 0, 5), Tokens(80, 10, 0, 5)
    assert not module._is_near(first, second) and not module._is_near(second, first)


def test_one_conversion_with_the_same_counts_is_enough() -> None:
    near, far = converted(ledger=used(5, 0, 0, 5)), converted(ledger=used(900, 0, 0, 5))
    copied = harness(**known(ledger=used(5, 0, 0, 5)))
    assert sorted(origins(copied, near, far)) == ["COPIED", "HARNESS"]
    found = module._by_origin(copied, (near, far), FAILED)
    assert [run.ledger for run in found[FigureSource.HARNESS]] == [()]


def test_one_harness_that_counts_more_is_enough() -> None:
    more, less = harness(ledger=used(1000, 0, 0, 0)), harness(ledger=used(10, 0, 0, 0))
    assert fill_gaps(own(ledger=used(100, 0, 0, 0)), [less, more]).ledger_is_lower_bound


def test_a_record_that_breaks_off_before_one_of_several_conversions_is_a_part() -> None:
    part = own(**known(steps=steps(1), ledger=used(1, 1, 1, 1)))
    whole, other = converted(2, ledger=used(9, 9, 9, 9)), converted(1, ledger=used(1, 1, 1, 1))
    assert origins(part, other, whole) == ["PART"]


def test_one_line_with_a_model_is_enough() -> None:
    lines = (*used(1, 1, 1, 1, model=None), *used(1, 1, 1, 1, model="n"))
    filled = fill_gaps(own(ledger=lines), [harness(ledger=used(1, model="opus"))])
    assert [line.model for line in filled.ledger] == [None, "n"]


def test_a_part_that_counts_without_kinds_does_not_know_how_the_run_ended() -> None:
    line = replace(used()[0], tokens=Tokens(unsplit=7))
    run = own(**known(ledger=(line,), cost_usd=1.0, ledger_is_lower_bound=True))
    assert origins(run) == ["PART"]
