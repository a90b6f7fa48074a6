"""Requests that are so long that a price may change: counted apart by the last step that they exceed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sitegen.model import LONG_REQUESTS, Portion, Tokens
from sitegen.readers.common.ledger import TokenLedger
from sitegen.readers.common.stated import CountRule
from sitegen.readers.common.values import Caveats

STEPS = [(limit, below) for below, limit in pairwise((0, *LONG_REQUESTS))]


def portions(*requests: Tokens, is_request: bool = True) -> tuple[Portion, ...]:
    """Return the portions of a line of the ledger in which these requests count."""
    ledger = TokenLedger(CountRule(), Caveats())
    for tokens in requests:
        ledger.add_tokens("m", tokens, is_request=is_request)
    (line,) = ledger.lines()
    return line.portions


@pytest.mark.parametrize(("limit", "below"), STEPS)
def test_a_request_is_long_above_a_step_and_not_at_it(limit: int, below: int) -> None:
    at, above = Tokens(limit), Tokens(limit + 1)
    assert portions(at) == ((Portion((), below, at),) if below else ())
    beyond = max(step for step in LONG_REQUESTS if limit + 1 > step)
    assert portions(above) == (Portion((), beyond, above),)


def test_what_is_read_from_the_cache_makes_a_request_long_and_its_output_does_not() -> None:
    sent = Tokens(1, 0, 100_000, 5)
    assert [portion.above for portion in portions(sent)] == [100_000]
    assert portions(Tokens(0, 0, 100_000, 5)) == ()


def test_several_requests_in_one_record_are_not_long() -> None:
    assert portions(Tokens(300_000), is_request=False) == ()


def test_requests_above_the_same_step_are_added() -> None:
    both = portions(Tokens(100_001), Tokens(100_002))
    assert both == (Portion((), 100_000, Tokens(200_003)),)
