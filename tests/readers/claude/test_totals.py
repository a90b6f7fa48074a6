"""Running totals of processes, and what models used in them."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import ModelUsage, Tokens
from sitegen.readers.claude import totals
from sitegen.readers.claude.totals import (
    Turn,
    by_running_total,
    combined,
    cost_of,
    ledger_of,
    process_of,
    usage_of,
)
from sitegen.readers.common.values import Caveats, Fields


def usage(sent: int, output: int, **more: Any) -> dict[str, Any]:
    return {
        "input_tokens": sent,
        "output_tokens": output,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
        **more,
    }


def model(sent: int, output: int, cost: float = 0.1, **more: Any) -> dict[str, Any]:
    counts = {"inputTokens": sent, "outputTokens": output, "costUSD": cost}
    return {**counts, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, **more}


def turn(record: dict[str, Any], caveats: Caveats | None = None) -> Turn:
    result = Fields(record, caveats)
    return Turn(result, usage_of(result))


def process(*records: dict[str, Any], name: str | None = "m") -> tuple[totals.Process, list[str]]:
    caveats = Caveats()
    turns = [turn(record, caveats) for record in records]
    found = process_of(turns, name, caveats, cache_in_input=False)
    return found, [caveat.code for caveat in caveats.all()]


def test_a_process_used_what_its_last_result_says() -> None:
    first = {"total_cost_usd": 0.1, "modelUsage": {"m": model(5, 1)}, "duration_api_ms": 10}
    last = {"total_cost_usd": 0.3, "modelUsage": {"m": model(9, 2, 0.3)}, "duration_api_ms": 30}
    found, codes = process(first, last)
    assert found.ledger == (ModelUsage("m", Tokens(9, 0, 0, 2, 0), 0.3),)
    assert (found.cost_usd, found.api_ms, found.is_lower_bound, codes) == (0.3, 30, False, [])


def test_a_later_result_without_models_leaves_a_lower_bound() -> None:
    first = {"total_cost_usd": 0.1, "modelUsage": {"m": model(5, 1)}}
    found, codes = process(first, {"total_cost_usd": 0.3})
    assert found.is_lower_bound and found.ledger[0].tokens.sent == 5
    assert codes == ["W_MISSING"] and found.cost_usd == 0.3


def test_the_main_loop_stands_in_where_no_model_is_named() -> None:
    server = {"server_tool_use": {"web_search_requests": 2}}
    found, codes = process({"total_cost_usd": 0.1, "usage": usage(5, 1, **server)})
    assert found.ledger == (ModelUsage("m", Tokens(5, 0, 0, 1, 0), None, 2),)
    assert found.is_lower_bound and codes == ["W_USAGE_ONLY"]
    found, codes = process({"cost_usd": 0, "usage": usage(0, 0)})
    assert not found.is_lower_bound and found.ledger[0].cost_usd == 0 and codes == []
    found, codes = process({})
    assert found.ledger == () and codes == ["W_MISSING", "W_MISSING"]


def test_what_was_written_for_an_hour_is_of_the_main_model() -> None:
    split = {"ephemeral_1h_input_tokens": 3, "ephemeral_5m_input_tokens": 1}
    record = {
        "total_cost_usd": 0.1,
        "usage": usage(5, 1, cache_creation_input_tokens=4, cache_creation=split),
        "modelUsage": {"m": model(5, 1, cacheCreationInputTokens=4)},
    }
    found, _ = process(record)
    assert found.ledger[0].tokens.cache_write_1h == 3
    record["modelUsage"] = {"m": model(5, 1, cacheCreationInputTokens=9)}
    assert process(record)[0].ledger[0].tokens.cache_write_1h is None


def test_odd_models_are_said_and_the_rest_is_kept() -> None:
    caveats = Caveats()
    models = {"": model(1, 1), "b": "odd", "c": model(2, 2, costBasis="unknown", aura=1)}
    record = Fields({"modelUsage": models}, caveats)
    assert {line.model for line in ledger_of(record, caveats)} == {"", "b", "c"}
    assert sorted(caveat.code for caveat in caveats.all()) == [
        "W_ESTIMATE",
        "W_RANGE",
        "W_TYPE",
        "W_TYPE",
    ]
    assert ledger_of(Fields({"modelUsage": {"b": {}}}), caveats) == ()


@pytest.mark.parametrize(
    ("record", "cost"),
    [
        ({"total_cost_usd": 0.5, "cost_usd": 0.1}, 0.5),
        ({"cost_usd": 0.1}, 0.1),
        ({"total_cost": 0}, 0),
        ({}, None),
    ],
)
def test_the_newest_name_of_the_cost_counts(record: dict[str, Any], cost: float | None) -> None:
    assert cost_of(Fields(record)) == cost


def test_the_usage_of_a_turn_has_its_rates_and_searches() -> None:
    more = {"service_tier": "batch", "speed": "fast", "server_tool_use": {"web_fetch_requests": 3}}
    found = usage_of(Fields({"usage": usage(5, 1, **more)}))
    assert (found.web_searches, found.web_fetches, found.service_tier) == (None, 3, "batch")
    assert found.billed_as == {"batch", "fast"} and usage_of(Fields({})).tokens == Tokens()


def groups(*records: dict[str, Any], one: bool = False) -> list[int]:
    found, _ = by_running_total([turn(record) for record in records], one=one)
    return [len(group) for group in found]


def result(sent: int, output: int, cost: float, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s",
        "total_cost_usd": cost,
        "modelUsage": {"m": model(sent, output, cost)},
        "usage": usage(sent, output),
        **more,
    }


@pytest.mark.parametrize(
    ("later", "number"),
    [
        (result(9, 2, 0.3, usage=usage(4, 1)), [2]),
        (result(4, 1, 0.05), [1, 1]),
        (result(9, 2, 0.3, session_id="t", usage=usage(4, 1)), [1, 1]),
        (result(9, 2, 0.3, result_index=1), [2]),
        (result(9, 9, 0.3, usage=usage(4, 50)), [1, 1]),
    ],
)
def test_a_running_total_that_falls_is_of_another_process(
    later: dict[str, Any], number: list[int]
) -> None:
    assert groups(result(5, 1, 0.1), later) == number


def test_a_time_in_the_api_that_falls_is_of_another_process() -> None:
    first = {"duration_api_ms": 50}
    assert groups(first, {"duration_api_ms": 60}) == [2]
    assert groups(first, {"duration_api_ms": 40}) == [1, 1]


def test_ledgers_are_combined_by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ModelUsage("a", Tokens(1, 0, 0, 1, 0), 0.5, 1, longest_request=5)
    other = ModelUsage("a", Tokens(2, 0, 0, 2, 0), 0.25, longest_request=7)
    caveats = Caveats()
    assert combined([[one], [other]], caveats) == (
        ModelUsage("a", Tokens(3, 0, 0, 3, 0), 0.75, 1, longest_request=7),
    )
    unknown = ModelUsage("a", Tokens(1))
    (line,) = combined([[one], [unknown]], caveats)
    assert (line.cost_usd, line.longest_request) == (None, None) and caveats.all() == ()
    monkeypatch.setattr(totals, "MAX_MODELS", 2)
    lines = [
        ModelUsage(name, Tokens(1, 0, 0, 1, 0), cost)
        for name, cost in zip("abc", (3, 2, 1), strict=True)
    ]
    kept = combined([lines], caveats)
    assert [(line.model, line.cost_usd) for line in kept] == [("a", 3), ("2 other models", 3)]
    assert [caveat.code for caveat in caveats.all()] == ["W_LIMIT"]


def test_the_models_of_the_last_result_that_names_some_are_shown() -> None:
    first = {"total_cost_usd": 0.1, "modelUsage": {"m": model(5, 1)}}
    second = {"total_cost_usd": 0.2, "modelUsage": {"m": model(9, 2, 0.2)}}
    found, codes = process(first, second, {"total_cost_usd": 0.3})
    assert found.ledger == (ModelUsage("m", Tokens(9, 0, 0, 2, 0), 0.2),)
    assert (found.cost_usd, found.is_lower_bound, codes) == (0.3, True, ["W_MISSING"])
