"""Whose totals are compared, and what is said where they are too many."""

from __future__ import annotations

import pytest

from sitegen.inputs import session_totals as module
from sitegen.inputs.session_totals import reduce_to_own_parts
from sitegen.model import Entry, ModelUsage, Run, Status, Tokens, replace
from tests.collect import facts

SESSION = "7d0c2b9e-41aa-4a0c-9d52-3f4c1c6f0b77"


def total(path: str, *counts: int, cost: float | None = None, **known: object) -> Entry:
    """A result of a session with a line of its ledger for each count."""
    ledger = tuple(
        ModelUsage(f"m{number}", Tokens(count, 0, 0, 0)) for number, count in enumerate(counts)
    )
    run = Run("Claude Code stream", Status.OK, ledger=ledger, cost_usd=cost, session_id=SESSION)
    run = replace(run, process_usage=Tokens(counts[0], 0, 0, 0))
    return facts.entry(path, replace(run, **known))


def refresh(entry: Entry, run: Run) -> Entry:
    return replace(entry, run=run)


def notes(*entries: Entry) -> list[tuple[str, ...]]:
    return [
        tuple(f"{caveat.code}: {caveat.text}" for caveat in entry.run.caveats)
        for entry in reduce_to_own_parts(entries, refresh)
    ]


TOO_MANY = (
    "W_TOTALS: Its totals are not compared with those of the many other runs of its session: they may count twice.",
)


@pytest.mark.parametrize(("lines", "expected"), [(100, ()), (101, TOO_MANY)])
def test_totals_of_200_lines_are_compared(lines: int, expected: tuple[str, ...]) -> None:
    first = total("a", *[1_000_000] * 100)
    second = total("b", *[3] * lines)
    assert notes(first, second)[1] == expected


@pytest.mark.parametrize(
    ("known", "is_compared"),
    [
        ({}, True),
        ({"session_id": "x" * 7}, False),
        ({"session_id": None}, False),
        ({"process_usage": None}, False),
        ({"ledger": ()}, False),
        ({"ledger": (ModelUsage("m", Tokens(0, 0, 0, 0)),)}, False),
    ],
    ids=str,
)
def test_totals_are_those_of_a_process_of_a_session(
    known: dict[str, object], is_compared: bool
) -> None:
    entry = total("a", 5, **known)
    assert (module._session_of(entry) is not None) is is_compared


def test_totals_of_other_agents_and_sessions_are_not_compared() -> None:
    keys = {
        module._session_of(entry)
        for entry in (
            total("a", 5),
            total("b", 5, reader="Codex stream"),
            total("c", 5, session_id=SESSION[::-1]),
            total("d", 5, ledger=(ModelUsage("m", Tokens(unsplit=5)),)),
        )
    }
    assert len(keys) == 4 and None not in keys


def test_smaller_totals_come_first() -> None:
    runs = [total("10", 5), total("9", 5), total("b", 4), total("c", 6)]
    results = [(entry, module._total_of(entry)) for entry in runs]
    ordered = sorted(results, key=module._smallest_first)
    assert [entry.source.path for entry, _ in ordered] == ["b", "9", "10", "c"]


def test_how_a_cost_comes_about_is_told_where_all_are_known() -> None:
    before, after = (total(name, 5, cost=cost).run for name, cost in (("a", 0.5), ("b", 1.25)))
    assert module._sum(before, after, 0.75) == " ($1.25 as reported, without $0.50: $0.75)"
    unknown = replace(before, cost_usd=None)
    assert module._sum(unknown, after, 0.75) == module._sum(before, unknown, 0.75) == ""
    assert module._sum(before, after, None) == ""


def test_a_total_that_goes_on_is_shown_without_the_earlier_one() -> None:
    earlier, later = total("1.json", 100, cost=0.5), total("2.json", 150, cost=0.75)
    later = replace(later, run=replace(later.run, process_usage=Tokens(50, 0, 0, 0), api_ms=9))
    reduced = module._reduce(earlier, later, is_certain=True)
    assert (reduced.tokens.total, reduced.cost_usd, reduced.api_ms) == (50, 0.25, 9)
    assert not reduced.ledger_is_lower_bound and not reduced.cost_is_lower_bound
    (caveat,) = reduced.caveats
    assert (caveat.code, caveat.text) == (
        "W_COPY",
        "Its totals go on from those of 1.json, which count there; it shows what it added "
        "($0.75 as reported, without $0.50: $0.25).",
    )
    doubted = module._reduce(earlier, later, is_certain=False)
    assert doubted.ledger_is_lower_bound and doubted.cost_is_lower_bound
    (doubt,) = doubted.caveats
    assert (doubt.code, doubt.text) == (
        "W_TOTALS",
        "Its totals may go on from those of 1.json. These are left out, so what is shown is a lower bound.",
    )


def ledger_of(
    *costs: float | None, searches: tuple[int | None, ...] = ()
) -> tuple[ModelUsage, ...]:
    """A line of ten tokens more than the one before for each cost."""
    return tuple(
        ModelUsage(
            f"m{number}",
            Tokens(10 * (number + 1), 0, 0, 0),
            cost_usd=cost,
            web_searches=searches[number] if searches else None,
        )
        for number, cost in enumerate(costs)
    )


@pytest.mark.parametrize(
    ("costs", "cost"), [((0.25, 0.5), 0.75), ((0.25, None), None), ((None, None), None)]
)
def test_a_cost_that_the_earlier_total_lacks_is_that_of_all_lines_or_unknown(
    costs: tuple[float | None, ...], cost: float | None
) -> None:
    earlier = total("1.json", 1, ledger=(ModelUsage("other", Tokens(1, 0, 0, 0)),))
    later = total("2.json", 5, cost=9.0, ledger=ledger_of(*costs))
    assert module._reduce(earlier, later, is_certain=True).cost_usd == cost


@pytest.mark.parametrize(("searches", "count"), [((2, 3), 5), ((2, None), None)])
def test_searches_are_those_of_all_lines_or_unknown(
    searches: tuple[int | None, ...], count: int | None
) -> None:
    earlier = total("1.json", 1, ledger=(ModelUsage("other", Tokens(1, 0, 0, 0)),))
    later = total("2.json", 5, ledger=ledger_of(0.1, 0.2, searches=searches))
    assert module._reduce(earlier, later, is_certain=True).web_searches == count


def test_a_total_that_added_nothing_keeps_its_first_line() -> None:
    earlier, later = (total(path, 100, 50, cost=0.5) for path in ("1.json", "2.json"))
    reduced = module._reduce(earlier, later, is_certain=True)
    assert [(line.model, line.tokens.total) for line in reduced.ledger] == [("m0", 0)]
    assert reduced.cost_usd == 0.0


def test_of_totals_that_one_may_include_the_largest_is_left_out() -> None:
    small, large = total("1.json", 2_000), total("2.json", 3_000)
    later = total("3.json", 9_000, process_usage=Tokens(10, 0, 0, 0))
    results = [(entry, module._total_of(entry)) for entry in (small, large)]
    found = module._find_earlier(module._total_of(later), results)
    assert found is not None and found[0] is large
    exact = total("3.json", 9_000, process_usage=Tokens(7_000, 0, 0, 0))
    certain = module._find_earlier(module._total_of(exact), results)
    assert certain is not None and certain[0] is small, "what is certain counts before it"
    assert module._find_earlier(module._total_of(small), [results[1]]) is None


def test_bounds_that_a_total_has_stay() -> None:
    earlier = total("1.json", 100, cost=0.5)
    later = total("2.json", 150, cost=0.75, ledger_is_lower_bound=True, cost_is_lower_bound=True)
    reduced = module._reduce(earlier, later, is_certain=True)
    assert reduced.ledger_is_lower_bound and reduced.cost_is_lower_bound


@pytest.mark.parametrize(
    ("before", "api_ms", "added"), [(4, 9, 5), (9, 4, 4), (None, 9, 9), (4, None, None)]
)
def test_the_time_of_the_model_is_what_was_added_or_begins_again(
    before: int | None, api_ms: int | None, added: int | None
) -> None:
    earlier, later = total("1.json", 100, api_ms=before), total("2.json", 150, api_ms=api_ms)
    assert module._reduce(earlier, later, is_certain=True).api_ms == added
