"""One record that contradicts itself does not decide how the others of its file are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from sitegen.model import Run, Tokens
from sitegen.readers.common.stated import CountRule, Counts, Stated
from sitegen.readers.common.values import Caveats
from tests.support.agent_runs import kinds, run_of

Usages = Sequence[tuple[int, int]]
"""Tokens that requests sent, and those of them that were read from the cache; each put out 10."""
NORMAL: Usages = [(900, 400)] * 5
ODD = (500, 700)
WHOLE_OF_ODD = 500


def trae(usages: Usages) -> Run:
    answers = [
        {
            "response": {
                "usage": {
                    "input_tokens": sent,
                    "cache_read_input_tokens": read,
                    "output_tokens": 10,
                }
            }
        }
        for sent, read in usages
    ]
    document = {
        "provider": "openai",
        "model": "gpt-5",
        "llm_interactions": answers,
        "agent_steps": [],
    }
    return run_of(json.dumps(document).encode(), "trajectory.json")


def atif(usages: Usages) -> Run:
    names = ("prompt_tokens", "cached_tokens", "completion_tokens")
    steps = [
        {
            "step_id": number,
            "source": "agent",
            "message": "So.",
            "metrics": dict(zip(names, (*pair, 10), strict=True)),
        }
        for number, pair in enumerate(usages)
    ]
    agent = {"name": "kite", "version": "1", "model_name": "gpt-5"}
    return run_of(
        json.dumps({"schema_version": "ATIF-v1.5", "agent": agent, "steps": steps}).encode(),
        "a.json",
    )


def gemini(usages: Usages) -> Run:
    answers = [
        {
            "id": str(number),
            "type": "gemini",
            "content": "So.",
            "tokens": {"input": sent, "cached": read, "output": 10},
        }
        for number, (sent, read) in enumerate(usages)
    ]
    return run_of(
        json.dumps({"sessionId": "b7", "projectHash": "c0", "messages": answers}).encode()
    )


FORMS: dict[str, Callable[[Usages], Run]] = {"trae": trae, "atif": atif, "gemini": gemini}


@pytest.mark.parametrize(("form", "place"), list(product(FORMS, (0, 2, 5))))
def test_an_odd_request_is_a_lower_bound_and_the_others_are_read_as_usual(
    form: str, place: int
) -> None:
    run = FORMS[form]([*NORMAL[:place], ODD, *NORMAL[place:]])
    assert (run.tokens.input, run.tokens.cache_read) == (5 * 500, 5 * 400 + WHOLE_OF_ODD)
    assert run.ledger_is_lower_bound and not run.is_total_exact
    (said,) = [caveat.text for caveat in run.caveats if caveat.code == "W_CONTRADICTION"]
    assert "parts exceed the whole in 1 of 6 records" in said


@pytest.mark.parametrize("form", FORMS)
def test_without_an_odd_request_figures_are_exact(form: str) -> None:
    run = FORMS[form](NORMAL)
    assert (run.tokens.input, run.tokens.cache_read, run.ledger_is_lower_bound) == (
        5 * 500,
        5 * 400,
        False,
    )
    assert not run.caveats


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("usages", [[ODD] * 3, [ODD, (900, 400)], [(900, 0), ODD, ODD, (900, 400)]])
def test_where_as_many_requests_say_so_the_cache_stands_beside_what_was_sent(
    form: str, usages: Usages
) -> None:
    for order in (usages, usages[::-1]):
        run = FORMS[form](order)
        assert run.tokens.input == sum(sent for sent, _ in usages)
        assert run.tokens.cache_read == sum(read for _, read in usages)
        assert not run.ledger_is_lower_bound


def take(usual: CountRule, *records: Counts) -> tuple[tuple[int | None, ...], list[str]]:
    """What one model used by these records, kind by kind, and what is said of them."""
    stated, caveats = Stated(usual), Caveats()
    tokens = sum((stated.take("m", counts) for counts in records), Tokens())
    tokens = dict(stated.revised()).get("m", tokens)
    stated.contradict(caveats)
    return tokens.counts[:4], [caveat.text for caveat in caveats.all()]


def test_one_total_that_fits_another_reading_does_not_decide() -> None:
    usual = Counts(900, 400, 0, 10, total=910)
    other = Counts(900, 400, 0, 10, total=1310)
    tokens, said = take(CountRule(), other, usual, usual)
    assert (tokens, len(said)) == ((1500, 0, 1200, 30), 1)
    assert "1 of 3 totals are not the sum" in said[0]
    assert take(CountRule(), usual, other, other)[0] == (2700, 0, 1200, 30)


def test_records_for_which_the_reading_makes_no_difference_do_not_decide() -> None:
    plain, reasons = Counts(900, 0, 0, 10, 0, total=910), Counts(900, 0, 0, 10, 5, total=910)
    beside = Counts(900, 400, 0, 10, 0, total=1310)
    tokens, said = take(CountRule(), *[plain] * 9, *[reasons] * 9, beside)
    assert (tokens, said) == ((19 * 900, 0, 400, 190), [])


def test_a_huge_count_of_the_cache_is_no_more_than_what_was_sent() -> None:
    tokens, said = take(CountRule(), Counts(900, 2**50, 5, 10), *[Counts(900, 400, 0, 10)] * 4)
    assert (tokens, len(said)) == ((2000, 0, 2500, 50), 1)


def test_a_request_of_cline_that_read_more_than_it_sent_is_a_lower_bound() -> None:
    request = {
        "tokensIn": 500,
        "tokensOut": 10,
        "cacheReads": 700,
        "cost": 0.01,
        "apiProtocol": "openai",
    }
    records = [
        {"ts": 1_770_000_000_000, "type": "say", "say": "text", "text": "Mend it."},
        {
            "ts": 1_770_000_001_000,
            "type": "say",
            "say": "api_req_started",
            "text": json.dumps(request),
        },
    ]
    run = run_of(json.dumps(records).encode(), "ui_messages.json")
    assert (kinds(run)[0], kinds(run)[2], run.ledger_is_lower_bound) == (0, 500, True)
    assert [caveat.code for caveat in run.caveats] == ["W_CONTRADICTION"]


@pytest.mark.parametrize(
    ("costs", "paid"),
    [
        ([(0.25, 0.25), (0.25, 0.5), (0.25, 0.25), (0.25, 0.5)], 1.0),  # a new count
        (
            [(0.25, 0.25), (0.25, 0.5), (0.25, 0.75), (0.25, 0.5), (0.25, 0.75)],
            1.25,
        ),  # back to an older sum
        (
            [(0.25, 0.25), (0.25, 0.5), (0.25, 0.75), (0.25, 0.5), (0.25, 0.75), (0.25, 0.5)],
            1.5,
        ),  # twice
        ([(0.25, 0.25), (0.25, 0.5), (1.0, 1.25)], 1.5),  # back, though the sum rises
        ([(0.25, 0.25), (0.25, 0.5), (0.75, 0.75)], 1.25),  # a new count, though the sum rises
        ([(0.25, 0.25), (0.25, 0.5), (0.25, 0.1)], 0.75),  # less than its message
        ([(0.25, 0.25), (0.25, 0.9)], 0.9),  # calls that no message states
        ([(0.0, 0.0), (0.25, 0.25)], 0.25),
    ],
)
def test_the_sum_of_a_session_of_aider_may_fall(
    costs: list[tuple[float, float]], paid: float
) -> None:
    counts = "Tokens: 1,000 sent, 10 received."
    said = "".join(
        f"\n#### Go {number}  \n\nDone.\n\n> {counts} Cost: ${cost:.2f} message, ${total:.2f} session.  \n"
        for number, (cost, total) in enumerate(costs)
    )
    run = run_of(f"# aider chat started at 2026-03-01 09:00:00\n{said}".encode(), "a.md")
    assert run.cost_usd == pytest.approx(paid)
