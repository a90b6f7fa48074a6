"""The names and the properties of each field that all runs have."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.fields import FIELDS, Field, RunFacts, fields_of
from sitegen.model import (
    Entry,
    Outcome,
    Run,
    Score,
    Status,
    StepCounts,
)
from tests.collect import facts

BY_KEY = {field.key: field for field in FIELDS}

SHORT = facts.entry(labels=("b", "a", "b"), outcome=Outcome.PASS)


def test_names_of_a_category_are_each_there_once() -> None:
    run = RunFacts.of(SHORT)
    assert BY_KEY["labels"].names(run) == ["b", "a"]
    assert BY_KEY["outcome"].names(run) == ["pass"]
    assert BY_KEY["campaign"].names(run) == []
    assert BY_KEY["labels"].names(RunFacts.of(facts.entry())) == []


def test_a_run_that_was_looked_at_without_a_finding_is_named_none() -> None:
    steps = StepCounts(1, 1, 0, (), None, None, 0, None, None, None, signals=())
    looked_at = Run("Pi", Status.OK, steps=steps)
    assert BY_KEY["signals"].names(RunFacts.of(facts.entry(run=looked_at))) == ["none"]
    assert BY_KEY["signals"].names(RunFacts.of(facts.entry())) == []


def keys_where(has: Any) -> str:
    """The keys of the fields that have something, in their order."""
    return " ".join(field.key for field in FIELDS if has(field))


def test_properties_of_all_fields() -> None:
    assert keys_where(lambda field: field.empty == "none") == "signals"
    assert keys_where(lambda field: field.has_none) == (
        "campaign model agent configuration status status_detail labels project person week day "
        "observed.* excluded"
    )
    assert keys_where(lambda field: field.is_number and not field.is_summed) == (
        "attempt context_peak_tokens score.* reference.*"
    )
    assert keys_where(lambda field: field.order) == "status outcome tests claimed verdict.*"
    assert keys_where(lambda field: field.shown is None) == (
        "campaign agent effort project person computed_cost_usd judge_cost_usd"
    )
    assert keys_where(lambda field: field.shown) == (
        "model status cost_usd cache_read_tokens output_tokens wall_ms turns outcome"
    )
    assert keys_where(lambda field: field.page == "facts") == (
        "effort score.* factor.* group.* reference.* band.* patch"
    )
    assert keys_where(lambda field: field.page == "verdict") == (
        "verdict.* quadrant observed.* excluded"
    )


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("input_tokens", ("input",)),
        ("cache_write_tokens", ("cache_write",)),
        ("cache_read_tokens", ("cache_read",)),
        ("output_tokens", ("output",)),
        ("total_tokens", ("input", "cache_write", "cache_read", "output")),
        ("cost_usd", ("cost",)),
        ("computed_cost_usd", ("cost",)),
        ("turns", ()),
    ],
)
def test_counts_that_are_added_up_in_a_field(key: str, parts: tuple[str, ...]) -> None:
    assert sorted(BY_KEY[key].parts) == sorted(parts)


@pytest.mark.parametrize(
    ("key", "order"),
    [
        ("status", "ok failed stopped interrupted unknown"),
        ("verdict.*", "pass fail partial error"),
        ("outcome", "pass fail partial error"),
        ("tests", "none passed unchecked"),
        ("claimed", "yes no"),
    ],
)
def test_names_with_an_order_of_their_own(key: str, order: str) -> None:
    assert BY_KEY[key].order == tuple(order.split())


def test_kinds_are_types_and_some_can_be_added_up_or_divide_runs() -> None:
    kinds = {field.kind: (field.type, field.is_number, field.is_category) for field in FIELDS}
    assert kinds == {
        "text": ("text", False, False),
        "category": ("text", False, True),
        "list": ("list", False, True),
        "whole": ("whole", True, False),
        "number": ("number", True, False),
        "time": ("time", False, False),
        "numbers": ("numbers", False, False),
    }


def stated_fields(*entries: Entry) -> dict[str, Field]:
    return {field.key: field for field in fields_of(entries) if field.is_stated}


def test_a_stated_field_is_named_after_what_is_stated() -> None:
    field = stated_fields(facts.entry(scores=(Score("tests passed", 1.0),)))["score.tests passed"]
    assert (field.title, field.name) == ("Tests passed", "tests passed")
    assert "tests passed" in field.about and "{}" not in field.about
    assert (field.place, field.page) == (110, "facts")


def test_factors_that_another_field_shows_have_no_place_on_pages() -> None:
    factors = tuple((name, "x") for name in ("effort", "project", "person", "agent_version"))
    fields = stated_fields(
        facts.entry(factors=(*factors, ("agent", "x"), ("skill", "x"), ("base", "1"))),
        facts.entry(derived=(("reference.base", 1.0),)),
    )
    shown = {key: (field.place, field.page) for key, field in fields.items()}
    assert shown == {
        "factor.effort": (None, ""),
        "factor.project": (None, ""),
        "factor.person": (None, ""),
        "factor.agent_version": (None, ""),
        "factor.skill": (116, "facts"),
        "factor.base": (None, ""),
        "reference.base": (112, "facts"),
    }


@pytest.mark.parametrize(("count", "fields"), [(24, 24), (25, 24)])
def test_of_scores_that_as_many_runs_have_the_first_24_are_fields(count: int, fields: int) -> None:
    scores = tuple(Score(f"s{number}", 1.0) for number in range(count))
    found = stated_fields(facts.entry(scores=scores))
    assert list(found) == [f"score.s{number}" for number in range(fields)]


@pytest.mark.parametrize("count", [50, 51])
def test_fifty_factors_are_fields(count: int) -> None:
    factors = tuple((f"f{number}", "x") for number in range(count))
    found = stated_fields(facts.entry(factors=factors))
    assert list(found) == [f"factor.f{number}" for number in range(50)]


def test_a_unit_is_of_the_score_that_has_it() -> None:
    fields = stated_fields(facts.entry(scores=(Score("a", 1.0, "ms"), Score("b", 1.0))))
    assert {key: field.unit for key, field in fields.items()} == {"score.a": "ms", "score.b": ""}
