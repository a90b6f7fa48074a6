"""Whether the running total of a process goes on with that of an earlier one, and by how much it has grown."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import ModelUsage, Tokens
from sitegen.readers.common.running_totals import (
    Relation,
    RunningTotal,
    grown_ledger,
    grown_usd,
    rank,
    relation_of,
    sum_segments,
)

NOTHING = Tokens()


def line(model: str = "m", sent: int = 5_000, output: int = 100, **known: Any) -> ModelUsage:
    return ModelUsage(model, Tokens(sent, 0, 0, output), **known)


def total(*lines: ModelUsage, cost: float | None = None, used: Tokens = NOTHING) -> RunningTotal:
    return RunningTotal(lines, cost, used)


@pytest.mark.parametrize(
    ("later", "relation"),
    [
        (total(line(sent=9_000, output=150), used=Tokens(4_000, 0, 0, 50)), Relation.CONTAINS),
        (total(line(sent=9_000, output=150), used=Tokens(3_999, 0, 0, 50)), Relation.UNDECIDED),
        (total(line(sent=9_000, output=150), used=Tokens(4_001, 0, 0, 50)), Relation.SEPARATE),
        (total(line(sent=4_999, output=9_000)), Relation.SEPARATE),
        (total(line(sent=7_000, output=150)), Relation.UNDECIDED),
        (total(line(sent=6_999, output=150)), Relation.SEPARATE),
        (total(line(sent=7_000, output=100)), Relation.SEPARATE),
        (total(line("n", 9_000, 900)), Relation.SEPARATE),
        (total(line(sent=9_000, output=150), cost=0.5), Relation.SEPARATE),
    ],
)
def test_figures_decide_whether_a_total_goes_on(later: RunningTotal, relation: Relation) -> None:
    assert relation_of(total(line(), cost=1.0), later) is relation


def test_an_empty_total_is_in_no_other() -> None:
    assert relation_of(total(), total(line())) is Relation.SEPARATE


@pytest.mark.parametrize(
    ("cached", "size", "relation"),
    [
        (1, 10, Relation.CONTAINS),
        (0, 1_001, Relation.UNDECIDED),
        (0, 1_000, Relation.SEPARATE),
    ],
)
def test_a_model_that_was_replaced_used_no_more(cached: int, size: int, relation: Relation) -> None:
    before = ModelUsage("old", Tokens(size - cached, 0, cached, 0))
    new = ModelUsage("new", Tokens(3_000, 0, 0, 50))
    later = total(before, new, used=new.tokens)
    assert relation_of(total(before), later) is relation


def test_each_line_grows_by_its_difference() -> None:
    earlier = total(line(cost_usd=1.0, web_searches=3))
    later = total(line(sent=6_000, output=130, cost_usd=1.5, web_searches=5), line("n", 10, 1))
    lines = grown_ledger(earlier, later)
    assert lines is not None
    first, second = lines
    assert (first.tokens.input, first.tokens.output) == (1_000, 30)
    assert (first.cost_usd, first.web_searches) == (0.5, 2)
    assert second == line("n", 10, 1)


def test_searches_that_were_unknown_before_count_from_zero() -> None:
    lines = grown_ledger(total(line()), total(line(web_searches=5)))
    assert lines is not None and lines[0].web_searches == 5


@pytest.mark.parametrize(
    "later",
    [
        line(sent=4_999),
        line(output=99),
        line(cost_usd=0.9),
        line(web_searches=2),
        line("n"),
    ],
    ids=["sent", "output", "cost", "searches", "model"],
)
def test_nothing_grows_where_a_count_falls(later: ModelUsage) -> None:
    earlier = total(line(cost_usd=1.0, web_searches=3))
    assert grown_ledger(earlier, total(later)) is None


@pytest.mark.parametrize(
    ("earlier", "later", "grown"),
    [(1.0, 1.5, 0.5), (1.0, 0.9999999, 0.0), (None, 1.0, None), (1.0, None, None)],
)
def test_a_cost_grows_by_its_difference(
    earlier: float | None, later: float | None, grown: float | None
) -> None:
    assert grown_usd(earlier, later) == grown


def test_segments_of_a_total_that_begins_again_add_up() -> None:
    assert sum_segments([3, 5, 5, 2, 4]) == 9
    assert sum_segments([]) == 0


def test_a_ledger_begins_with_its_most_expensive_line() -> None:
    lines = [line("b", cost_usd=1.0), line("c"), line("a", cost_usd=2.0), line("d", output=200)]
    assert [found.model for found in sorted(lines, key=rank)] == ["a", "b", "d", "c"]
    alike = [line("b", output=1), line("a", output=1), line("c", output=2)]
    assert [found.model for found in sorted(alike, key=rank)] == ["c", "a", "b"]
    nameless = [line("A", cost_usd=1.0), ModelUsage(None, Tokens(5_000, 0, 0, 100), 1.0)]
    assert [found.model for found in sorted(nameless, key=rank)] == [None, "A"]
    free = [line("b"), line("a", cost_usd=0.0)]
    assert [found.model for found in sorted(free, key=rank)] == ["a", "b"]
    silent = [line("b", output=0), ModelUsage("a", Tokens(5)), line("c", output=2)]
    assert [found.model for found in sorted(silent, key=rank)] == ["c", "a", "b"]
