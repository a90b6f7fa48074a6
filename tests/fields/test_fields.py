"""The table of fields: which fields runs have, how they are found, named and written."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.fields import BUILT_IN, FIELDS, RunFacts, fields_of, find_field, short_name
from sitegen.model import Entry, Score
from tests.collect import facts


def entry(*derived: tuple[str, str | float], **known: Any) -> Entry:
    return facts.entry(derived=derived, **known)


def keys(*entries: Entry) -> set[str]:
    return {field.key for field in fields_of(entries)}


def test_fields_that_no_run_states_are_not_there() -> None:
    assert keys(entry()) == {field.key for field in BUILT_IN}


@pytest.mark.parametrize(
    "key", ["verdict.hard", "observed.failure", "reference.human", "quadrant", "group.leak"]
)
def test_a_field_that_one_run_states_is_there(key: str) -> None:
    assert keys(entry(), entry((key, "x"))) - keys(entry()) == {key}


def test_scores_and_factors_are_fields_with_their_units() -> None:
    scored = entry(scores=(Score("speedup", 2.0, "x"),), factors=(("effort", "high"),))
    fields = {field.key: field for field in fields_of([scored])}
    assert fields["score.speedup"].unit == "x"
    assert fields["score.speedup"].text(2.0) == "2x"
    assert "factor.effort" in fields


def test_a_unit_on_which_runs_differ_is_left_out() -> None:
    runs = [entry(scores=(Score("speedup", 2.0, unit),)) for unit in ("x", "%")]
    fields = {field.key: field for field in fields_of(runs)}
    assert fields["score.speedup"].unit == ""


def test_of_very_many_scores_those_that_most_runs_have_are_fields() -> None:
    names = [f"s{number:02}" for number in range(30)]
    runs = [entry(scores=tuple(Score(name, 1.0) for name in some)) for some in (names, names[10:])]
    scores = {key for key in keys(*runs) if key.startswith("score.")}
    assert len(scores) == 24
    assert {f"score.{name}" for name in names[10:]} <= scores


def test_a_short_name_finds_the_only_field_that_has_it() -> None:
    fields = fields_of([entry(("verdict.hard", "pass"), ("observed.failure", "crash"))])
    found = find_field(fields, "hard")
    assert found is not None and found.key == "verdict.hard"
    both = fields_of([entry(("verdict.hard", "pass"), ("observed.hard", "yes"))])
    assert find_field(both, "hard") is None
    exact = find_field(both, "observed.hard")
    assert exact is not None and exact.key == "observed.hard"
    assert find_field(fields, "nonsense") is None


def test_a_short_name_finds_no_field_that_pages_leave_out() -> None:
    fields = fields_of([entry(("reference.base", 1.5), factors=(("base", "1.5"),))])
    found = find_field(fields, "base")
    assert found is not None and found.key == "reference.base"


def test_a_short_name_is_what_stands_behind_the_first_dot() -> None:
    assert short_name("verdict.hard") == "hard"
    assert short_name("reference.human.latency") == "human.latency"
    assert short_name("status") == "status"


def test_each_key_is_there_once() -> None:
    assert len({field.key for field in FIELDS}) == len(FIELDS)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("cost_usd", 0.5, "$0.50"),
        ("wall_ms", 90_000, "1\u202fmin 30\u202fs"),
        ("turns", 1_234, "1,234"),
        ("models", ["a", "b"], "a, b"),
        ("turns", None, "–"),
        ("status", "ok", "ok"),
    ],
)
def test_a_value_is_written_as_pages_write_it(key: str, value: Any, text: str) -> None:
    field = find_field(BUILT_IN, key)
    assert field is not None and field.text(value) == text


def test_a_query_finds_runs_by_the_names_of_a_field() -> None:
    run = RunFacts.of(entry(labels=("a", "b"), factors=(("effort", "high"),)))
    fields = {field.key: field for field in fields_of([run.entry])}
    assert fields["labels"].names(run) == ["a", "b"]
    assert fields["effort"].names(run) == ["high"]
    without = RunFacts.of(entry())
    assert fields["effort"].names(without) == []
    assert fields["campaign"].names(without) == []


@pytest.mark.parametrize(
    ("key", "is_summed"), [("cost_usd", True), ("turns", True), ("attempt", False)]
)
def test_some_numbers_have_no_sum(key: str, is_summed: bool) -> None:
    field = find_field(BUILT_IN, key)
    assert field is not None and field.is_summed is is_summed
