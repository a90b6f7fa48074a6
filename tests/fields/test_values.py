"""Where the values of fields are found in the facts of a run."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.fields.values import RunFacts, reader, stated_of
from sitegen.model import Caveat, Entry, ModelUsage, Run, Score, Status, Tokens
from tests.collect import facts


def run_of(**known: Any) -> Entry:
    return facts.entry(run=Run("Pi", Status.OK, **known))


def value(source: str, key: str, entry: Entry) -> Any:
    return reader(source, key)(RunFacts.of(entry))


def test_what_is_stated_of_a_run_is_found_by_its_key() -> None:
    entry = facts.entry(
        scores=(Score("speedup", 2.0),), factors=(("skill", "with"),), derived=(("quadrant", "A"),)
    )
    assert stated_of(entry) == {"score.speedup": 2.0, "factor.skill": "with", "quadrant": "A"}
    assert value("stated", "factor.skill", entry) == "with"
    assert value("stated", "factor.other", entry) is None


@pytest.mark.parametrize(
    ("key", "known", "expected"),
    [
        ("models", {}, []),
        ("model_ids", {"ledger": (ModelUsage("m", Tokens()), ModelUsage(None, Tokens()))}, ["m"]),
        ("total_tokens", {"ledger": (ModelUsage("m", Tokens(1, 2, 3, 4)),)}, 10),
        ("total_tokens", {"ledger": (ModelUsage("m", Tokens(1, None, 3, 4)),)}, None),
        ("judge_tokens", {"judge": (ModelUsage("j", Tokens(1, 2, 3, 4)),)}, 10),
        ("judge_tokens", {}, None),
        (
            "warnings",
            {"caveats": (Caveat("W_B", "x"), Caveat("W_A", "y"), Caveat("W_B", "z"))},
            ["W_A", "W_B"],
        ),
        ("signals", {}, None),
        ("tests", {}, None),
    ],
    ids=str,
)
def test_values_that_are_more_than_a_part_of_the_facts(
    key: str, known: dict[str, Any], expected: Any
) -> None:
    assert value("function", key, run_of(**known)) == expected


@pytest.mark.parametrize(("claimed", "expected"), [(True, "yes"), (False, "no"), (None, None)])
def test_whether_a_run_claims_success_is_a_word(claimed: bool | None, expected: str | None) -> None:
    assert value("function", "claimed", run_of(claimed=claimed)) == expected


def test_lines_of_a_patch_are_two_fields() -> None:
    entry = facts.entry(patch_lines=(3, 5))
    assert value("function", "patch_added_lines", entry) == 3
    assert value("function", "patch_removed_lines", entry) == 5
    assert value("function", "patch_added_lines", facts.entry()) is None


def test_without_a_check_list_prices_are_unknown() -> None:
    assert value("list price", "input_usd", run_of()) is None


def test_another_source_is_a_part_of_the_facts() -> None:
    assert value("entry.source.path", "path", facts.entry("a/1.json")) == "a/1.json"
    assert value("run.cost_usd", "cost_usd", run_of(cost_usd=1.5)) == 1.5
