"""List prices: the table, the check of a run against it, and what real runs say of both."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.prices import SOURCES, TABLE
from benchmarks.prices import table as table_of_sources
from sitegen.api import load_runs
from sitegen.config import Config
from sitegen.model import TOKEN_KINDS, ModelUsage, Portion, Run, Status, Tokens
from sitegen.numbers.pricing import EXACT_USD, LineCheck, PriceCheck, PriceTable, Reason, WriteRate

OPUS, SONNET, HAIKU = "claude-opus-4-5-20251101", "claude-sonnet-4-6", "claude-haiku-4-5"
MILLION = Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000)


@pytest.fixture(scope="module")
def table() -> PriceTable:
    return PriceTable.load()


def run(*ledger: ModelUsage, cost_usd: float | None = None) -> Run:
    return Run("test", Status.OK, ledger=ledger, cost_usd=cost_usd)


def check_line(
    table: PriceTable, model: str | None, tokens: Tokens, cost_usd: float | None, searches: int = 0
) -> PriceCheck:
    return table.check(run(ModelUsage(model, tokens, cost_usd, searches), cost_usd=cost_usd))


@pytest.mark.parametrize(
    ("model", "rates"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", (3, 15, 0.3, 3.75, 6)),
        ("claude-sonnet-4-20250514", (3, 15, 0.3, 3.75, 6)),
        ("claude-3-5-sonnet-20241022", (3, 15, 0.3, 3.75, 6)),
        ("claude-opus-4-8[1m]", (5, 25, 0.5, 6.25, 10)),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", (5, 25, 0.5, 6.25, 10)),
        ("claude-opus-4-1-20250805", (15, 75, 1.5, 18.75, 30)),
        ("claude-haiku-4-5-20251001", (1, 5, 0.1, 1.25, 2)),
        ("claude-3-5-haiku-20241022", (0.8, 4, 0.08, 1, 1.6)),
        ("claude-3-haiku-20240307", (0.25, 1.25, 0.03, 0.3, 0.5)),
        ("glm-5", (1, 3.2, 0.2, None, None)),
        ("gpt-5.2-codex", (1.75, 14, 0.175, None, None)),
        ("gpt-5-codex", (1.25, 10, 0.125, None, None)),
        ("openai/gpt-5.1-codex", (1.25, 10, 0.125, None, None)),
        ("gpt-5.1-codex-max", (1.25, 10, 0.125, None, None)),
        ("google/gemini-3-pro", (2, 12, 0.2, None, None)),
        ("gemini-3-flash", (0.5, 3, 0.05, None, None)),
        ("grok-4.5", (2, 6, 0.3, None, None)),
        ("kimi-k3", (3, 15, 0.3, 3, 6)),
    ],
)
def test_the_table_has_the_list_price_of_a_model_under_any_of_its_ids(
    table: PriceTable, model: str, rates: tuple[float | None, ...]
) -> None:
    price = table.price_for(model)
    assert price is not None
    found = (price.input, price.output, price.cache_read, price.cache_write, price.cache_write_1h)
    assert found == pytest.approx(rates)


@pytest.mark.parametrize(
    "model",
    [None, "", "sonnet", "claude-opus-4-6-fast", "claude-opus", "glm-5.1-air", "qwen3-coder-plus"],
)
def test_a_model_that_is_not_in_the_table_has_no_price(
    table: PriceTable, model: str | None
) -> None:
    assert table.price_for(model) is None
    assert check_line(table, model, MILLION, 1.0).list_usd is None


def test_settings_may_price_long_requests_apart() -> None:
    above = {"tokens": 200_000, "input": 10, "output": 100}
    settings = Config.model_validate({"prices": {"m": {"input": 1, "output": 10, "above": above}}})
    table = PriceTable.load({name: price.model_dump() for name, price in settings.prices.items()})
    long = Portion((), 200_000, Tokens(300_000, 0, 0, 10_000))
    line = ModelUsage("m", Tokens(400_000, 0, 0, 20_000), None, None, (long,), 300_000)
    run = table.computed(Run("t", Status.OK, ledger=(line,)))
    assert (run.computed_cost_usd, run.cost_bound) == (pytest.approx(0.1 + 0.1 + 3 + 1), "exact")
    with pytest.raises(ValueError, match="tokens"):
        Config.model_validate(
            {"prices": {"m": {"input": 1, "output": 10, "above": above | {"tokens": 5}}}}
        )


def test_prices_of_the_settings_add_to_the_table_or_replace_its_own() -> None:
    table = PriceTable.load(
        {
            "claude-opus-4-5": {"input": 4, "output": 20},
            "house-model": {"input": 1, "output": 2, "cache_read": 0, "cache_write": None},
        }
    )
    replaced, added = table.price_for(OPUS), table.price_for("house-model[1m]")
    assert replaced is not None
    assert added is not None
    assert (replaced.output, replaced.cache_read, replaced.cache_write_1h) == pytest.approx(
        (20, 0.4, 8)
    )
    assert (added.cache_read, added.cache_write) == pytest.approx((0, 1.25))
    assert PriceTable.load().price_for("house-model") is None


def test_the_table_says_when_it_was_compared_with_its_sources(table: PriceTable) -> None:
    assert table.date == "2026-11-23"


def test_every_kind_of_token_has_its_own_rate(table: PriceTable) -> None:
    by_kind = check_line(table, OPUS, MILLION, None).lines[0].by_kind
    assert by_kind == pytest.approx(
        {"cache_read": 0.5, "cache_write": 6.25, "input": 5, "output": 25}
    )


@pytest.mark.parametrize(
    ("hour", "cost_usd", "rate"),
    [
        (None, 36.75, WriteRate.FIVE_MINUTES),
        (None, 40.5, WriteRate.ONE_HOUR),
        (0, 36.75, WriteRate.FIVE_MINUTES),
        (1_000_000, 40.5, WriteRate.ONE_HOUR),
        (400_000, 38.25, WriteRate.SPLIT),
        (1_000_000, 36.75, WriteRate.FIVE_MINUTES),
    ],
)
def test_the_rate_of_cache_writes_is_the_one_that_reproduces_the_cost(
    table: PriceTable, hour: int | None, cost_usd: float, rate: WriteRate
) -> None:
    tokens = Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000, hour)
    check = check_line(table, OPUS, tokens, cost_usd)
    assert check.lines[0].write_rate is rate
    assert check.exact is True
    assert check.list_usd == pytest.approx(cost_usd)


@pytest.mark.parametrize(("hour", "list_usd"), [(None, 36.75), (1_000_000, 40.5), (400_000, 38.25)])
def test_without_a_match_the_list_price_follows_the_file_else_the_five_minute_rate(
    table: PriceTable, hour: int | None, list_usd: float
) -> None:
    tokens = Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000, hour)
    check = check_line(table, OPUS, tokens, 99.0)
    assert check.list_usd == pytest.approx(list_usd)
    assert (check.exact, check.by_kind, check.cache_saving_usd) == (False, None, None)
    assert check_line(table, OPUS, tokens, None).list_usd == pytest.approx(list_usd)


@pytest.mark.parametrize("cost_usd", [36.75, 36.85])
def test_web_searches_are_in_the_price_when_they_are_in_the_cost(
    table: PriceTable, cost_usd: float
) -> None:
    check = check_line(table, OPUS, MILLION, cost_usd, searches=10)
    assert check.exact is True
    assert check.list_usd == pytest.approx(cost_usd)
    assert math.fsum((check.by_kind or {}).values()) == pytest.approx(36.75)


@pytest.mark.parametrize(
    ("cost_usd", "shown"),
    [(36.75, True), (36.75 * 1.009, True), (36.75 * 1.011, False), (36.4, True), (36.3, False)],
)
def test_the_split_is_given_only_within_one_per_cent_of_the_reported_cost(
    table: PriceTable, cost_usd: float, shown: bool
) -> None:
    assert (check_line(table, OPUS, MILLION, cost_usd).by_kind is not None) is shown


def test_saving_is_the_full_input_rate_minus_the_reported_cost(table: PriceTable) -> None:
    assert check_line(table, OPUS, MILLION, 36.75).cache_saving_usd == pytest.approx(
        15 + 25 - 36.75
    )
    only_writes = Tokens(0, 1_000_000, 0, 0)
    assert check_line(table, OPUS, only_writes, 6.25).cache_saving_usd == pytest.approx(-1.25)


def test_a_missing_count_or_rate_leaves_the_whole_run_without_a_list_price(
    table: PriceTable,
) -> None:
    good = ModelUsage(OPUS, MILLION, 36.75)
    for bad in (
        ModelUsage(OPUS, Tokens(1, None, 1, 1), 1.0),
        ModelUsage("glm-5", Tokens(1, 1, 1, 1), 1.0),
        ModelUsage(None, MILLION, 1.0),
    ):
        check = table.check(run(good, bad, cost_usd=37.75))
        assert (check.list_usd, check.exact, check.by_kind) == (None, None, None)
        assert check.lines[0].reproduced is True
        assert check.lines[1].reproduced is None


def test_no_tokens_cost_nothing_whatever_the_model(table: PriceTable) -> None:
    check = table.check(
        run(
            ModelUsage("nobody", Tokens(0, 0, 0, 0), 0.0),
            ModelUsage(OPUS, MILLION, 36.75),
            cost_usd=36.75,
        )
    )
    assert check.exact is True
    assert check.list_usd == pytest.approx(36.75)


@pytest.mark.parametrize(
    ("model", "list_usd"),
    [("claude-sonnet-4-6", 22.05), ("glm-9", None)],
    ids=["known model", "unknown model"],
)
def test_a_model_billed_at_the_rates_of_another_is_recognised(
    table: PriceTable, model: str, list_usd: float | None
) -> None:
    check = check_line(table, model, MILLION, 36.75)
    assert check.lines[0].billed_like == "Claude Opus 4.5"
    assert check.list_usd == (None if list_usd is None else pytest.approx(list_usd))
    assert check.by_kind is None
    assert check_line(table, model, MILLION, 36.0).lines[0].billed_like is None


def test_an_own_price_for_opus_does_not_hide_that_an_unknown_model_was_billed_like_it() -> None:
    table = PriceTable.load({"claude-opus-4-5": {"input": 4, "output": 20}})
    assert check_line(table, "glm-9", MILLION, 36.75).lines[0].billed_like == "Claude Opus 4.5"


def test_a_cost_that_the_table_reproduces_is_not_billed_like_anything(table: PriceTable) -> None:
    assert check_line(table, "claude-opus-4-6", MILLION, 36.75).lines[0].billed_like is None
    assert check_line(table, "nobody", Tokens(0, 0, 0, 0), 0.0).lines[0].billed_like is None


def test_a_total_that_is_not_the_sum_of_its_ledger_is_not_split(table: PriceTable) -> None:
    check = table.check(run(ModelUsage(OPUS, MILLION, 36.75), cost_usd=50.0))
    assert check.lines[0].reproduced is True
    assert (check.exact, check.by_kind) == (False, None)


def test_a_run_without_a_total_is_held_against_its_ledger(table: PriceTable) -> None:
    assert table.check(run(ModelUsage(OPUS, MILLION, 36.75))).exact is True


@pytest.mark.parametrize(("lines", "exact"), [(1, False), (3, True)])
def test_each_line_of_a_ledger_may_be_rounded(table: PriceTable, lines: int, exact: bool) -> None:
    ledger = [ModelUsage(OPUS, MILLION, 36.75)] * lines
    assert table.check(run(*ledger, cost_usd=lines * 36.75 + 2.5 * EXACT_USD)).exact is exact


counts = st.integers(0, 10**10)
ledgers = st.lists(
    st.builds(
        ModelUsage,
        st.sampled_from([OPUS, SONNET, HAIKU]),
        st.builds(Tokens, counts, counts, counts, counts, st.none() | counts),
    ),
    min_size=1,
    max_size=4,
)


@given(ledgers)
def test_the_kinds_add_up_to_the_list_price(ledger: list[ModelUsage]) -> None:
    table = PriceTable.load()
    list_usd = table.check(run(*ledger)).list_usd
    assert list_usd is not None
    check = table.check(run(*ledger, cost_usd=list_usd))
    assert check.by_kind is not None
    assert list(check.by_kind) == list(TOKEN_KINDS)
    assert math.isclose(math.fsum(check.by_kind.values()), list_usd, rel_tol=1e-9, abs_tol=1e-12)
    assert min(check.by_kind.values()) >= 0


# Real runs: an independent short reader of Claude Code's result objects.


def results(path: Path) -> list[dict[str, Any]]:
    """The result objects of a file, whether it holds one, a list, or a line for each."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except ValueError:
        found = []
        for line in text.splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return [item for item in found if isinstance(item, dict) and item.get("type") == "result"]


def ledger_of(result: dict[str, Any]) -> Iterator[ModelUsage]:
    models, usage = result.get("modelUsage") or {}, result.get("usage") or {}
    main = max(models, key=lambda model: models[model].get("costUSD", 0), default=None)
    split = usage.get("cache_creation") or {}
    for model, line in models.items():
        writes, hour = line.get("cacheCreationInputTokens"), None
        hours, minutes = (
            split.get("ephemeral_1h_input_tokens"),
            split.get("ephemeral_5m_input_tokens"),
        )
        if (
            model == main
            and hours is not None
            and usage.get("cache_creation_input_tokens") == writes == hours + minutes
        ):
            hour = hours
        tokens = Tokens(
            line.get("inputTokens"),
            writes,
            line.get("cacheReadInputTokens"),
            line.get("outputTokens"),
            hour,
        )
        yield ModelUsage(model, tokens, line.get("costUSD"), line.get("webSearchRequests"))


@pytest.fixture(scope="module")
def real_runs(shared: Path) -> list[Run]:
    found: dict[str, Run] = {}
    for kind in ("seeds", "claude-result", "claude-result-odd", "claude-stream", "claude-array"):
        for path in sorted((shared / "runs" / kind).rglob("*")):
            if path.is_file() and (last := results(path)[-1:]):
                cost = last[0].get("total_cost_usd")
                found.setdefault(
                    last[0].get("uuid") or str(path), run(*ledger_of(last[0]), cost_usd=cost)
                )
    return list(found.values())


def test_list_prices_reproduce_the_costs_of_real_runs(
    table: PriceTable, real_runs: list[Run]
) -> None:
    lines = [line for real in real_runs for line in table.check(real).lines]
    priced = [
        line
        for line in lines
        if table.price_for(line.usage.model) and line.usage.cost_usd is not None
    ]
    reproduced = [line for line in priced if line.reproduced]
    assert len(priced) > 200
    assert len(reproduced) / len(priced) >= 0.97
    assert {line.write_rate for line in reproduced} >= {
        WriteRate.NONE,
        WriteRate.FIVE_MINUTES,
        WriteRate.ONE_HOUR,
    }


def test_real_models_of_other_vendors_are_recognised_as_billed_at_opus_rates(
    table: PriceTable, real_runs: list[Run]
) -> None:
    lines = [line for real in real_runs for line in table.check(real).lines]
    foreign = [
        line for line in lines if "glm" in str(line.usage.model) or "mimo" in str(line.usage.model)
    ]
    assert foreign
    assert {line.billed_like for line in foreign} == {"Claude Opus 4.5"}


@pytest.mark.parametrize(
    ("name", "cost_usd"),
    [
        ("000_5923af64a9601b09.txt", 0.87603895),
        ("002_89fb9a76eb7725c5.txt", 1.21176),
        ("003_e68a5f9bc527e952.txt", 0.5754082),
    ],
)
def test_the_list_price_of_a_seed_is_its_cost(
    shared: Path, table: PriceTable, name: str, cost_usd: float
) -> None:
    result = results(shared / "runs/seeds" / name)[-1]
    check = table.check(run(*ledger_of(result), cost_usd=result["total_cost_usd"]))
    assert check.exact is True
    assert check.list_usd == pytest.approx(cost_usd, abs=1e-9)
    assert math.fsum((check.by_kind or {}).values()) == pytest.approx(cost_usd, abs=1e-9)


def test_the_cache_reads_of_seed_002_are_39_per_cent_of_its_bill(
    shared: Path, table: PriceTable
) -> None:
    result = results(shared / "runs/seeds/002_89fb9a76eb7725c5.txt")[-1]
    check = table.check(run(*ledger_of(result), cost_usd=result["total_cost_usd"]))
    assert check.by_kind is not None
    assert check.by_kind["cache_read"] / 1.21176 == pytest.approx(0.388, abs=0.0005)
    assert check.cache_saving_usd == pytest.approx(4.17, abs=0.005)


# What a file states besides its tokens


def billed(
    model: str, tokens: Tokens, cost_usd: float, *stated: str, hour_writes: int | None = None
) -> LineCheck:
    line = ModelUsage(model, tokens, cost_usd)
    of_run = replace(run(line, cost_usd=cost_usd), hour_writes=hour_writes, billed_as=tuple(stated))
    return PriceTable.load().check(of_run).lines[0]


PLAIN = Tokens(input=1_000_000, cache_write=0, cache_read=0, output=1_000_000)
WRITES = Tokens(input=0, cache_write=1_000_000, cache_read=0, output=0)


@pytest.mark.parametrize(
    ("model", "tokens", "cost_usd", "stated", "hour_writes", "because"),
    [
        ("claude-opus-4-6", PLAIN, 33.0, ("us",), None, (Reason.US_INFERENCE,)),
        ("claude-opus-4-6", PLAIN, 180.0, ("fast",), None, (Reason.FAST,)),
        ("claude-opus-4-6", PLAIN, 15.0, ("batch",), None, (Reason.BATCH,)),
        ("claude-opus-4-6", PLAIN, 198.0, ("fast", "us"), None, (Reason.US_INFERENCE, Reason.FAST)),
        ("claude-sonnet-4-5[1m]", PLAIN, 28.5, (), None, (Reason.LONG_CONTEXT,)),
        ("claude-sonnet-4-5", WRITES, 0.75 * 3.75 + 0.25 * 6, (), 250_000, (Reason.HOURS,)),
        (
            "claude-opus-4-6",
            WRITES,
            1.1 * 7.0,
            ("us",),
            200_000,
            (Reason.HOURS, Reason.US_INFERENCE),
        ),
    ],
)
def test_a_cost_is_explained_by_what_its_file_states(
    model: str,
    tokens: Tokens,
    cost_usd: float,
    stated: tuple[str, ...],
    hour_writes: int | None,
    because: tuple[Reason, ...],
) -> None:
    line = billed(model, tokens, cost_usd, *stated, hour_writes=hour_writes)
    assert (line.reproduced, line.because) == (True, because)
    assert line.list_usd == pytest.approx(cost_usd)


@pytest.mark.parametrize(
    ("model", "tokens", "cost_usd", "stated", "hour_writes"),
    [
        ("claude-opus-4-6", PLAIN, 33.0, (), None),
        ("claude-opus-4-5", PLAIN, 33.0, ("us",), None),
        ("claude-opus-4-6", PLAIN, 180.0, ("us",), None),
        ("claude-sonnet-4-5", PLAIN, 28.5, (), None),
        ("claude-sonnet-4-5", WRITES, 0.75 * 3.75 + 0.25 * 6, (), None),
        ("claude-sonnet-4-5", WRITES, 0.75 * 3.75 + 0.25 * 6, (), 0),
        (
            "claude-sonnet-4-5",
            replace(WRITES, cache_write_1h=0),
            0.75 * 3.75 + 0.25 * 6,
            (),
            250_000,
        ),
    ],
)
def test_what_no_file_states_and_no_model_has_explains_nothing(
    model: str, tokens: Tokens, cost_usd: float, stated: tuple[str, ...], hour_writes: int | None
) -> None:
    line = billed(model, tokens, cost_usd, *stated, hour_writes=hour_writes)
    assert (line.reproduced, line.because) == (False, ())


def test_a_cost_that_the_tokens_alone_reproduce_needs_no_explanation() -> None:
    assert billed("claude-opus-4-6", PLAIN, 30.0, "us", "fast").because == ()


# Where prices come from


def test_the_table_is_what_its_generator_writes_of_its_sources() -> None:
    assert table_of_sources() == TABLE.read_text(encoding="utf-8"), (
        "run python -m benchmarks.prices --write"
    )


def test_each_price_of_ours_has_a_source_and_a_reason() -> None:
    own = yaml.safe_load(SOURCES.read_text(encoding="utf-8"))["own"]
    assert own
    for model, stated in own.items():
        assert stated["source"].startswith("https://"), model
        assert stated["reason"], model


@pytest.mark.parametrize(
    "model",
    [
        "ca.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "openrouter/anthropic/claude-opus-4.5",
        "claude-3-sonnet-20240229",
        "claude-fable-5-1",
        "claude-mythos-5",
        "claude-mythos-5-1",
        "gpt-5.3-codex",
        "gpt-5.5",
        "glm-5.2",
        "GLM-5.3",
    ],
)
def test_these_models_have_a_price(table: PriceTable, model: str) -> None:
    assert table.price_for(model) is not None


def test_all_costs_of_real_runs_are_explained(table: PriceTable, shared: Path) -> None:
    read = load_runs(shared / "runs" / "claude-result")
    lines = [line for entry in read for line in table.check(entry.run).lines]
    known = [
        line for line in lines if line.list_usd is not None and line.usage.cost_usd is not None
    ]
    assert len(known) > 100
    assert all(line.reproduced for line in known)
    assert {line.because for line in known} == {(), (Reason.HOURS,)}


TOKENS = Tokens(1_000_000, 0, 1_000_000, 100_000)


@pytest.mark.parametrize(
    ("line", "usd"),
    [
        (ModelUsage("gpt-5.2-codex", TOKENS), 1.75 + 0.175 + 1.4),
        (ModelUsage(None, TOKENS), 1.75 + 0.175 + 1.4),
        (ModelUsage("nobody", TOKENS), None),
        (ModelUsage("gpt-5.2-codex", Tokens()), None),
    ],
    ids=["of its model", "of the stated model", "of a model without a price", "without counts"],
)
def test_a_run_without_a_cost_is_priced_where_its_tokens_and_model_are_known(
    table: PriceTable, line: ModelUsage, usd: float | None
) -> None:
    computed = table.computed(run(line), "gpt-5.2-codex")
    assert computed.computed_cost_usd == (None if usd is None else pytest.approx(usd))
    assert computed.cost_usd is None and computed.ledger == (line,)


def test_a_run_with_a_cost_is_not_priced_and_the_price_of_missing_counts_is_a_lower_bound(
    table: PriceTable,
) -> None:
    line = ModelUsage("gpt-5.2-codex", TOKENS)
    assert table.computed(run(line, cost_usd=0.0)).computed_cost_usd is None
    missing = table.computed(replace(run(line), ledger_is_lower_bound=True))
    assert (missing.computed_cost_usd, missing.cost_bound) == (
        table.computed(run(line)).computed_cost_usd,
        "lower",
    )
