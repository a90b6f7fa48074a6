"""Things that are reported once with their number."""

from __future__ import annotations

import pytest

from sitegen.inputs.alike import unknown_in_words, unpriced_in_words
from sitegen.model import ModelUsage, Run, Status, Tokens
from tests.collect import facts


def unpriced(model: str | None, **changes: object) -> Run:
    usage = ModelUsage(model, Tokens(1, 2, 3, 4))
    return Run("a", Status.OK, ledger=(usage,), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (["house-1"], "No price is known for house-1, so 1 run has no cost."),
        (["house-1"] * 2, "No price is known for house-1, so 2 runs have no cost."),
        (
            ["a", "b", "b"],
            "No price is known for 2 models, b (2), a (1), so 3 runs have no cost.",
        ),
        ([f"m{number:02}" for number in range(12)], "m09 (1) and 2 more, so 12 runs have no cost."),
    ],
)
def test_models_without_a_price_are_one_sentence(models: list[str], words: str) -> None:
    entries = [facts.entry(run=unpriced(model)) for model in models]
    (sentence,) = unpriced_in_words(entries, lambda _: False)
    assert words in sentence
    assert unpriced_in_words(entries, lambda _: True) == []


def test_the_line_to_add_is_yaml() -> None:
    (plain,) = unpriced_in_words([facts.entry(run=unpriced("house-1"))], lambda _: False)
    assert "settings: house-1: {input: ..., output: ..., cache_read: ...}, with its own" in plain
    (quoted,) = unpriced_in_words([facts.entry(run=unpriced("house: 1"))], lambda _: False)
    assert 'settings: "house: 1": {' in quoted


@pytest.mark.parametrize(
    "run",
    [
        unpriced(None),
        unpriced("house-1", cost_usd=1.0),
        unpriced("house-1", ledger_is_lower_bound=True),
        Run("a", Status.OK, ledger=(ModelUsage("house-1", Tokens(0, 0, 0, 0)),)),
        Run("a", Status.OK, ledger=(ModelUsage("house-1", Tokens(1, 2, 3, None)),)),
    ],
)
def test_a_price_is_missed_only_where_it_would_give_a_cost(run: Run) -> None:
    assert unpriced_in_words([facts.entry(run=run)], lambda _: False) == []


def test_what_readers_do_not_know_is_counted_once_a_run() -> None:
    runs = [
        Run("Pi", Status.OK, unknown=("x", "x", "y"), agent_version="1.10"),
        Run("Pi", Status.OK, unknown=("x",), agent_version="1.9"),
        Run("Amp", Status.OK, unknown=("z",)),
        Run("Codex", Status.OK),
    ]
    assert unknown_in_words([facts.entry(run=run) for run in runs]) == [
        "Amp: 1 field or kind of record not known to this version of sitegen: z (1 run).",
        "Pi: 2 fields or kinds of records not known to this version of sitegen: x (2 runs), y (1 run). "
        "Written by version 1.9, 1.10.",
    ]


def test_of_many_names_the_first_eight_are_said() -> None:
    run = Run("Pi", Status.OK, unknown=tuple("abcdefghi"))
    (sentence,) = unknown_in_words([facts.entry(run=run)])
    assert sentence.endswith("h (1 run) and 1 more.")


@pytest.mark.parametrize(
    ("count", "end"),
    [(10, "m09 (1), so 10 runs"), (11, "m09 (1) and 1 more, so 11 runs")],
)
def test_ten_models_without_a_price_are_named(count: int, end: str) -> None:
    models = [f"m{number:02}" for number in range(count)]
    (sentence,) = unpriced_in_words(
        [facts.entry(run=unpriced(model)) for model in models], lambda _: False
    )
    assert end in sentence and sentence.startswith(f"No price is known for {count} models, m00 (1)")
    assert "{input: ..., output: ..., cache_read: ...}, each with its own prices in USD" in sentence


def test_a_model_that_is_stated_from_outside_has_no_price_either() -> None:
    run = facts.entry(run=unpriced(None), stated_model="house-2")
    (sentence,) = unpriced_in_words([run], lambda _: False)
    assert sentence.startswith("No price is known for house-2, so 1 run has no cost.")
    two = Run("a", Status.OK, ledger=(unpriced("b").ledger * 2) + unpriced("a").ledger)
    (several,) = unpriced_in_words([facts.entry(run=two)], lambda model: model == "a")
    assert several.startswith("No price is known for b, so 1 run has no cost.")


@pytest.mark.parametrize(("count", "end"), [(8, "h (1 run)."), (9, "h (1 run) and 1 more.")])
def test_eight_names_that_are_not_known_are_said(count: int, end: str) -> None:
    run = Run("Pi", Status.OK, unknown=tuple("abcdefghi"[:count]))
    lane = facts.entry("lane", run=run)
    parent = facts.entry(run=Run("Pi", Status.OK), lanes=(lane,))
    (sentence,) = unknown_in_words([parent])
    assert sentence.endswith(end)
