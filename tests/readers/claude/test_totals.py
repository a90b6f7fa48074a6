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
from sitegen.readers.common.ledger import AnswerUsage
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


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"inputTokens": 5, "outputTokens": 1}, ModelUsage("m", Tokens(5, None, None, 1))),
        ({"costUSD": 0.25}, ModelUsage("m", Tokens(), 0.25)),
    ],
    ids=["tokens without a cost", "a cost without tokens"],
)
def test_what_a_model_says_of_itself_counts_before_the_main_loop(
    entry: dict[str, Any], line: ModelUsage
) -> None:
    found, codes = process(
        {"total_cost_usd": 0.1, "modelUsage": {"m": entry}, "usage": usage(70, 30)}
    )
    assert (found.ledger, found.is_lower_bound, codes) == ((line,), False, [])


def test_a_model_that_says_nothing_of_itself_has_what_the_main_loop_used() -> None:
    found, codes = process({"total_cost_usd": 0.1, "modelUsage": {"n": {}}, "usage": usage(7, 3)})
    assert found.ledger == (ModelUsage("n", Tokens(7, 0, 0, 3, 0)),)
    assert (found.is_lower_bound, codes) == (True, ["W_USAGE_ONLY"])
    two = {"n": {}, "o": {}}
    found, _ = process({"total_cost_usd": 0.1, "modelUsage": two, "usage": usage(7, 3)})
    assert [line.model for line in found.ledger] == ["m"]


@pytest.mark.parametrize(
    ("cost", "sent", "stated"), [(0, 0, 0.0), (0, 1, None), (0.5, 0, None), (None, 0, None)]
)
def test_only_what_called_nothing_is_free(
    cost: float | None, sent: int, stated: float | None
) -> None:
    found, _ = process({"total_cost_usd": cost, "usage": usage(sent, 0)})
    assert [line.cost_usd for line in found.ledger] == [stated]


def test_a_time_in_the_api_is_added_where_it_begins_again() -> None:
    times = [{"duration_api_ms": ms} for ms in (50, 70, 20, 25)]
    assert process(*times)[0].api_ms == 95
    assert process(*times, {})[0].api_ms is None


@pytest.mark.parametrize(
    ("write", "hour", "minutes", "found"),
    [
        (4, 3, 1, 3),
        (4, 4, None, 4),
        (4, 3, 2, None),
        (4, 0, 0, None),
        (4, None, 4, None),
        (0, 0, 0, 0),
        (None, 0, 0, None),
    ],
)
def test_a_split_of_cache_writes_counts_if_it_adds_up(
    write: int | None, hour: int | None, minutes: int | None, found: int | None
) -> None:
    split = {"ephemeral_1h_input_tokens": hour, "ephemeral_5m_input_tokens": minutes}
    more = {"cache_creation_input_tokens": write, "cache_creation": split}
    assert usage_of(Fields({"usage": usage(5, 1, **more)})).tokens.cache_write_1h == found


def test_without_a_split_only_no_writes_at_all_have_none_for_an_hour() -> None:
    for write, found in ((0, 0), (1, None), (None, None)):
        given = usage(5, 1, cache_creation_input_tokens=write)
        assert usage_of(Fields({"usage": given})).tokens.cache_write_1h == found


@pytest.mark.parametrize(
    ("write", "hour", "found"),
    [(0, 9, 0), (4, 4, 4), (4, 5, None), (4, None, None), (None, 1, None)],
)
def test_no_more_is_written_for_an_hour_than_at_all(
    write: int | None, hour: int | None, found: int | None
) -> None:
    more = {"cacheCreationInputTokens": write, "cacheCreationEphemeral1hInputTokens": hour}
    (line,) = ledger_of(Fields({"modelUsage": {"m": model(5, 1, **more)}}), Caveats())
    assert line.tokens.cache_write_1h == found


def test_messages_of_totals_say_what_is_missing() -> None:
    def texts(*records: dict[str, Any]) -> list[str]:
        caveats = Caveats()
        process_of(
            [turn(record, caveats) for record in records], "m", caveats, cache_in_input=False
        )
        return [caveat.text for caveat in caveats.all()]

    assert texts({}) == ["The result reports no cost.", "The result reports no tokens."]
    # A usage that is there but empty is unknown, not missing.
    assert texts({"total_cost": 1, "usage": {}}) == []
    assert texts({"cost_usd": 1, "usage": usage(1, 1)}) == [
        "The file has no tokens per model: these are those of the main loop, without subagents."
    ]
    assert texts({"cost_usd": 1, "modelUsage": {"m": model(5, 1)}}, {"cost_usd": 2}) == [
        "A later result has no tokens per model: these are those up to an earlier one, a lower bound."
    ]
    assert texts({"cost_usd": 1, "modelUsage": {" ": model(5, 1)}}) == [
        "A model in modelUsage has no name."
    ]
    guessed = model(5, 1, costBasis="unknown")
    assert texts({"cost_usd": 1, "modelUsage": {"x" * 61: guessed}}) == [
        f"The agent knows no price of {'x' * 59}…: what it cost is a guess."
    ]


def test_what_models_say_besides_is_kept_by_model() -> None:
    found, _ = process(
        {"total_cost_usd": 1, "modelUsage": {"m": model(5, 1, aura=1), "n": model(2, 1)}}
    )
    assert found.unread == {"m": {"aura": 1}}


@pytest.mark.parametrize(
    ("answer", "model_of_line"),
    [
        ("claude-x", "claude-x-20250101[1m]"),
        ("claude-x@20250101", "claude-x@20250101"),
        ("claude", "claude"),
        (None, "claude-x-20250101[1m]"),
    ],
)
def test_answers_that_no_result_counts_are_added_to_the_line_of_their_model(
    answer: str | None, model_of_line: str
) -> None:
    line = ModelUsage("claude-x-20250101[1m]", Tokens(5, 0, 0, 1), 0.5)
    lines = totals.with_answers([line], [AnswerUsage(answer, Tokens(2, 0, 0, 3))])
    by_model = {found.model: found for found in lines}
    added = 5 if model_of_line == line.model else 0
    assert by_model[model_of_line].tokens.sent == 2 + added
    assert by_model[line.model].cost_usd == 0.5 and len(lines) == 1 + (added == 0)


@pytest.mark.parametrize(
    ("later", "number"),
    [
        # The later turn wrote as much as the totals grew by, or one token more.
        (result(9, 6, 0.3, usage=usage(5, 5)), [2]),
        (result(9, 6, 0.3, usage=usage(3, 6)), [1, 1]),
        # Costs that differ by rounding do not fall.
        (result(9, 6, 0.1 - 1e-10, usage=usage(3, 5)), [2]),
        (result(9, 6, 0.0999, usage=usage(3, 5)), [1, 1]),
        # Another session, unless one of the two is not named.
        (result(9, 6, 0.3, usage=usage(4, 5), session_id="t"), [1, 1]),
        (result(9, 6, 0.3, usage=usage(4, 5), session_id=None), [2]),
        # The first result of a process, and a later one, of a total that has nothing of the earlier one.
        (result(2, 1, 0.05, result_index=0), [1, 1]),
        (result(2, 1, 0.05, result_index=1), [2]),
    ],
)
def test_a_running_total_goes_on_where_it_has_room_for_the_turn(
    later: dict[str, Any], number: list[int]
) -> None:
    assert groups(result(5, 1, 0.1), later) == number


def test_in_a_file_of_one_process_a_turn_may_use_more_than_the_total_grew_by() -> None:
    records = result(5, 1, 0.1), result(9, 9, 0.3, usage=usage(4, 50))
    assert (groups(*records), groups(*records, one=True)) == ([1, 1], [2])


def test_ledgers_keep_their_portions_and_say_how_many_models_are_left() -> None:
    caveats = Caveats()
    lines = [
        ModelUsage(f"m{number:02}", Tokens(1, 0, 0, 1), 100.0 - number) for number in range(51)
    ]
    assert len(combined([lines[:50]], caveats)) == 50 and caveats.all() == ()
    kept = combined([lines], caveats)
    assert (len(kept), kept[48].model, kept[49].model) == (50, "m48", "2 other models")
    assert (kept[49].cost_usd, kept[49].tokens.sent) == (101.0, 2)
    assert [caveat.text for caveat in caveats.all()] == [
        "The run names 51 models; the 2 cheapest share a line."
    ]
