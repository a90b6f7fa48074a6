"""Tokens by model, each answer counted once."""

from __future__ import annotations

import pytest

from sitegen.model import ModelUsage, Portion, Tokens
from sitegen.readers.common import ledger as ledgers
from sitegen.readers.common.ledger import AnswerUsage, MessageCosts, TokenLedger, without_zeros
from sitegen.readers.common.stated import CountRule, Counts
from sitegen.readers.common.values import Caveats


def tokens_of(sent: int | None, output: int | None, read: int | None = 0) -> Tokens:
    """Return counts without cache writes."""
    return Tokens(sent, 0, read, output, 0)


def ledger_of(rule: CountRule | None = None) -> tuple[TokenLedger, Caveats]:
    caveats = Caveats()
    return TokenLedger(rule or CountRule(), caveats), caveats


def codes(caveats: Caveats) -> list[str]:
    return [caveat.code for caveat in caveats.all()]


def test_tokens_of_requests_add_up_by_model() -> None:
    ledger, caveats = ledger_of()
    ledger.add_tokens("a", tokens_of(1, 2), is_request=True)
    ledger.add_tokens("b", tokens_of(3, 4), is_request=True)
    ledger.add_tokens("a", tokens_of(5, 6), is_request=True)
    ledger.close()
    assert ledger.lines() == [
        ModelUsage("a", tokens_of(6, 8), longest_request=5),
        ModelUsage("b", tokens_of(3, 4), longest_request=3),
    ]
    assert ledger.has_any() and not ledger.is_lower_bound and codes(caveats) == []


def test_the_longest_request_is_unknown_where_a_part_has_several() -> None:
    ledger, _ = ledger_of()
    ledger.add_tokens("a", tokens_of(9, 2), is_request=True)
    ledger.add_tokens("a", tokens_of(300_000, 2), is_request=False)
    ledger.add_tokens("a", tokens_of(7, 2), is_request=True)
    (line,) = ledger.lines()
    assert (line.longest_request, line.portions) == (None, ())


def test_counts_are_read_as_the_format_has_them() -> None:
    ledger, _ = ledger_of(CountRule(sent_includes_read=True))
    assert ledger.add_counts("a", Counts(10, 4, 0, 2), is_request=True) == Tokens(6, 0, 4, 2)
    apart, _ = ledger_of()
    apart.count_by(CountRule(sent_includes_read=False))
    assert apart.add_counts("a", Counts(10, 4, 0, 2), is_request=True) == Tokens(10, 0, 4, 2)


def test_counts_are_read_again_when_totals_show_another_reading() -> None:
    ledger, _ = ledger_of(CountRule(sent_includes_read=True))
    ledger.add_counts("a", Counts(100_001, 9, 0, 2), is_request=True)
    for _ in range(3):
        ledger.add_counts("a", Counts(100_001, 9, 0, 2, total=100_012), is_request=True)
    ledger.close()
    (line,) = ledger.lines()
    assert line.tokens == tokens_of(400_004, 8, 36)
    assert (line.longest_request, line.portions) == (None, ())


def test_counts_that_contradict_each_other_are_a_lower_bound() -> None:
    ledger, caveats = ledger_of()
    ledger.add_counts("a", Counts(1, 5, 0, 2, total=90), is_request=True)
    ledger.close()
    assert ledger.is_lower_bound and "W_CONTRADICTION" in codes(caveats)


@pytest.mark.parametrize(
    ("tokens", "is_lower_bound"),
    [
        (tokens_of(None, 2), True),
        (tokens_of(0, 2), True),
        (tokens_of(3, None), True),
        (tokens_of(3, 0), False),
        (tokens_of(0, 0), False),
        (Tokens(), False),
        (Tokens(unsplit=5), False),
    ],
)
def test_a_sum_in_which_a_kind_is_missing_is_a_lower_bound(
    tokens: Tokens, is_lower_bound: bool
) -> None:
    ledger, caveats = ledger_of()
    ledger.add_tokens("a", tokens_of(3, 2), is_request=True)
    ledger.add_tokens("a", tokens, is_request=True)
    ledger.close()
    assert ledger.is_lower_bound is is_lower_bound
    assert codes(caveats) == (["W_MISSING"] if is_lower_bound else [])


def test_counts_that_all_lack_a_kind_are_no_mixture() -> None:
    ledger, _ = ledger_of()
    for _ in range(2):
        ledger.add_tokens("a", Tokens(None, None, None, 2), is_request=True)
    ledger.close()
    assert not ledger.is_lower_bound


def test_an_answer_counts_once_at_its_last_figures() -> None:
    ledger, caveats = ledger_of()
    first, later = tokens_of(3, 1), tokens_of(3, 8)
    assert ledger.add_answer("m1", AnswerUsage(None, first, digest=7), "a") == (first, True)
    assert ledger.add_answer("m1", AnswerUsage(None, first, digest=7), "b") is None
    grown = ledger.add_answer("m1", AnswerUsage(None, later, digest=7), "b")
    assert grown == (tokens_of(0, 7), False)
    assert ledger.by_model == {"a": later}
    assert ledger.answers["m1"] == AnswerUsage("a", later, digest=7)
    assert ledger.digests() == (7,) and not ledger.has_placeholder()
    assert not ledger.is_lower_bound and codes(caveats) == []


def test_the_input_of_an_answer_is_new_until_it_is_stated() -> None:
    ledger, _ = ledger_of()
    ledger.add_answer("m1", AnswerUsage(None, Tokens(output=1), is_placeholder=True), "a")
    assert ledger.has_placeholder() and ledger.digests() == ()
    added = ledger.add_answer("m1", AnswerUsage(None, Tokens(5, output=1)), "a")
    assert added is not None and added[1]
    assert not ledger.has_placeholder()


@pytest.mark.parametrize("fewer", [tokens_of(9, 4), tokens_of(3, 9)])
def test_an_answer_with_fewer_tokens_than_before_keeps_the_larger_sum(fewer: Tokens) -> None:
    ledger, caveats = ledger_of()
    ledger.add_answer("m1", AnswerUsage(None, tokens_of(5, 5)), "a")
    ledger.add_answer("m1", AnswerUsage(None, fewer), "a")
    assert ledger.by_model["a"] == fewer
    ledger.add_answer("m1", AnswerUsage(None, tokens_of(1, 1)), "a")
    assert ledger.by_model["a"] == fewer
    assert ledger.is_lower_bound and codes(caveats) == ["W_MISSING"]


def test_what_changes_the_price_of_an_answer_is_in_its_line() -> None:
    ledger, _ = ledger_of()
    ledger.excludes_cache = True
    ledger.add_answer("m1", AnswerUsage(None, Tokens(5), ("fast",), searches=2), "a")
    ledger.add_answer("m2", AnswerUsage(None, Tokens(6), ("fast",), searches=1), "a")
    ledger.add_answer("m3", AnswerUsage(None, Tokens(7)), "a")
    (line,) = ledger.lines()
    assert line.portions == (Portion(("fast",), 0, Tokens(11)),)
    assert (line.web_searches, line.longest_request, line.excludes_cache) == (3, 7, True)


def test_models_beyond_the_limit_share_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "MAX_MODELS", 2)
    ledger, caveats = ledger_of()
    for model in ("a", "b", "c", "d", "a"):
        ledger.add_tokens(model, tokens_of(1, 1), is_request=True)
    assert {model: tokens.sent for model, tokens in ledger.by_model.items()} == {
        "a": 2,
        "b": 1,
        "other models": 2,
    }
    assert codes(caveats) == ["W_LIMIT"]


def test_a_message_without_tokens_makes_a_lower_bound() -> None:
    ledger, caveats = ledger_of()
    assert not ledger.has_any()
    ledger.add_tokens("a", Tokens(), is_request=True)
    assert not ledger.has_any()
    ledger.note_missing()
    assert ledger.is_lower_bound and codes(caveats) == ["W_MISSING"]


@pytest.mark.parametrize(
    ("costs", "total", "lacks_some"),
    [
        ([], None, False),
        ([0.0], None, True),
        ([None], None, True),
        ([0.1, 0.2], 0.3, False),
        ([0.1, None, 0.2], 0.3, True),
    ],
)
def test_costs_of_messages_add_up(
    costs: list[float | None], total: float | None, lacks_some: bool
) -> None:
    message_costs = MessageCosts()
    for cost in costs:
        message_costs.add(cost)
    assert (message_costs.total_usd(), message_costs.lacks_some) == (total, lacks_some)


def test_zeros_beside_an_answer_are_unknown() -> None:
    caveats = Caveats()
    lines = [ModelUsage("a", tokens_of(0, 0), 0.0), ModelUsage("b", tokens_of(0, 0), 1.5)]
    assert without_zeros(lines, caveats) == [
        ModelUsage("a", Tokens()),
        ModelUsage("b", Tokens(), 1.5),
    ]
    assert codes(caveats) == ["W_MISSING"]
    lines = [ModelUsage("a", tokens_of(0, 5)), ModelUsage("b", tokens_of(3, 5))]
    assert without_zeros(lines, Caveats()) == [ModelUsage("a", Tokens(output=5)), lines[1]]
    unknown = [ModelUsage("a", Tokens())]
    assert without_zeros(unknown, Caveats()) == unknown
