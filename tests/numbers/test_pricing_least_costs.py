"""Costs that are not exact: list prices of what is known of the tokens, guesses, and amounts that cannot be right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen import figures, load_runs
from sitegen.inputs.reconciling import fill_gaps
from sitegen.model import Entry, ModelUsage, Run, Source, Status, Tokens, replace
from sitegen.numbers.comparison import Dimension, by_list_price, compare
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import Measure
from tests.support.agent_runs import run_of
from tests.support.harness_runs import CODEX_LOG
from tests.support.transcripts import lines

PRICES = {
    "m": {"input": 2.0, "output": 10.0},
    "n": {"input": 1.0, "output": 4.0, "cache_read": 0.5},
}
M = 1_000_000
CLAUDE: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "num_turns": 1,
    "result": "So.",
    "session_id": "s-1",
}


def priced(*ledger: ModelUsage, **facts: Any) -> Run:
    return PriceTable.load(PRICES).computed(Run("test", Status.OK, ledger=ledger, **facts))


@pytest.mark.parametrize(
    ("tokens", "more", "usd"),
    [
        (Tokens(unsplit=M), {}, 2.0),  # input or output, none from the cache
        (Tokens(M, 0, None, M), {}, 0.2 + 10),  # all of the input may be from the cache
        (Tokens(M, None, None, M), {"excludes_cache": True}, 2 + 10),
        (Tokens(M, None, M, M), {}, 2 + 0.2 + 10),
        (Tokens(None, M, M, None), {}, 2.5 + 0.2),
        (Tokens(output=M), {}, 10),
        (Tokens(), {}, None),
        (Tokens(None, None, 0, 0), {}, None),
    ],
)
def test_what_is_known_of_the_tokens_costs_at_least_its_list_price(
    tokens: Tokens, more: dict[str, Any], usd: float | None
) -> None:
    run = priced(ModelUsage("m", tokens, **more))
    assert run.computed_cost_usd == (None if usd is None else pytest.approx(usd))
    assert run.cost_bound == ("" if usd is None else "lower")
    assert run.exact_usd is None
    assert figures.cost(run) == ("–" if usd is None else f"≈ ${usd:.2f}+")


def test_the_least_price_of_several_models_has_that_of_each() -> None:
    whole, part = ModelUsage("n", Tokens(M, 0, M, 0)), ModelUsage("m", Tokens(output=M))
    assert priced(whole, part).computed_cost_usd == pytest.approx(1.5 + 10)
    assert priced(whole, part, billed_as=("batch",)).computed_cost_usd == pytest.approx(
        0.75 + 5, abs=0.75
    )
    assert priced(ModelUsage("nobody", Tokens(output=1)), part).computed_cost_usd is None
    assert priced(ModelUsage("nobody", Tokens()), part).computed_cost_usd == pytest.approx(10)
    assert priced(whole).cost_bound == "exact"


def test_a_log_of_codex_counts_without_the_cache_and_is_compared_with_no_whole_count() -> None:
    run = replace(run_of(CODEX_LOG.encode(), "codex.log"), cost_usd=None)
    assert (run.tokens.unsplit, run.is_total_exact) == (12_345, False)
    entry = Entry("a", Source("a", "a", True, 1), 0, "0", run, "a")
    assert Measure.TOKENS.of(entry) is None
    whole = Run(
        "Codex session", Status.OK, ledger=(ModelUsage("gpt-5", Tokens(10_000, 0, 90_000, 2_345)),)
    )
    trial = replace(whole, folder="harbor")
    for others in ([whole], [trial]):
        decided = fill_gaps(run, others)
        assert (decided.tokens, decided.is_total_exact, decided.caveats) == (whole.tokens, True, ())
    less = replace(trial, ledger=(ModelUsage("gpt-5", Tokens(1_000, 0, 0, 100)),))
    assert [caveat.code for caveat in fill_gaps(run, [less]).caveats] == ["W_CONTRADICTION"]


def test_a_page_says_at_least_and_a_lower_bound_is_in_no_comparison(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.log").write_text(
            CODEX_LOG.replace("12,345", f"12,{number}45"), encoding="utf-8"
        )
    found = [by_list_price(entry) for entry in load_runs(str(tmp_path))]
    assert len(found) == 6
    assert all(entry.run.cost_bound in ("lower", "") for entry in found)
    model = [replace(entry, task=f"t{n // 2}", model="ab"[n % 2]) for n, entry in enumerate(found)]
    contrast = compare(model[::2], model[1::2], Dimension.MODEL, Measure.COST).contrasts[
        Measure.COST
    ]
    assert (contrast.tasks, contrast.a) == ((), None)


def claude(cost: object, **usage: Any) -> Run:
    counts = {
        "inputTokens": 10,
        "outputTokens": 20,
        "cacheReadInputTokens": 30,
        "cacheCreationInputTokens": 0,
    }
    return run_of(
        json.dumps(CLAUDE | {"total_cost_usd": cost, "modelUsage": {"m": counts | usage}}).encode()
    )


def opencode(cost: object) -> Run:
    tokens = {"input": 10, "output": 20, "reasoning": 0, "cache": {"read": 30, "write": 0}}
    part = {
        "type": "step-finish",
        "messageID": "msg_1",
        "reason": "stop",
        "tokens": tokens,
        "cost": cost,
    }
    return run_of(lines({"type": "step_finish", "sessionID": "ses_1", "part": part}))


def atif(cost: object) -> Run:
    metrics = {"prompt_tokens": 40, "cached_tokens": 30, "completion_tokens": 20, "cost_usd": cost}
    step = {"step_id": 1, "source": "agent", "message": "So.", "metrics": metrics}
    agent = {"name": "kite", "version": "1", "model_name": "m"}
    return run_of(
        json.dumps({"schema_version": "ATIF-v1.5", "agent": agent, "steps": [step]}).encode(),
        "a.json",
    )


def cline(cost: object) -> Run:
    request = {"tokensIn": 10, "tokensOut": 20, "cacheReads": 30, "cacheWrites": 0, "cost": cost}
    records = [
        {"ts": 1_770_000_000_000, "type": "say", "say": "text", "text": "Mend it."},
        {
            "ts": 1_770_000_001_000,
            "type": "say",
            "say": "api_req_started",
            "text": json.dumps(request),
        },
    ]
    return run_of(json.dumps(records).encode(), "ui_messages.json")


FORMS: dict[str, Callable[[object], Run]] = {
    "claude": claude,
    "opencode": opencode,
    "atif": atif,
    "cline": cline,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "cost", [float("inf"), float("-inf"), float("nan"), 1e308, -1, "1e400", "Infinity", 1e-300]
)
def test_a_cost_that_is_no_amount_is_unknown_and_said(form: str, cost: object) -> None:
    run = FORMS[form](cost)
    assert (run.cost_usd, run.tokens.total) == (None, 60)
    assert {caveat.code for caveat in run.caveats} & {"W_RANGE", "W_NONFINITE", "W_TYPE"}


@pytest.mark.parametrize("form", FORMS)
def test_a_cost_that_no_price_comes_to_is_a_contradiction(form: str) -> None:
    run = FORMS[form](50_000.0)
    assert (run.cost_usd, run.ledger_cost_usd, run.tokens.total) == (None, None, 60)
    (said,) = [caveat.text for caveat in run.caveats if caveat.code == "W_CONTRADICTION"]
    assert (
        said == "It reports $50,000.00 for 60 tokens, which no price comes to: its cost is unknown."
    )
    for cost in (0.9, "0.25"):  # a search, or a container, may be in it
        assert FORMS[form](cost).cost_usd == pytest.approx(float(cost))


def test_a_high_cost_beside_counts_that_lack_some_is_no_contradiction() -> None:
    bare = CLAUDE | {"total_cost_usd": 150.0, "usage": {"input_tokens": 9, "output_tokens": 9}}
    assert run_of(json.dumps(bare).encode()).cost_usd == 150.0
    assert run_of(json.dumps(bare | {"total_cost_usd": 50_000.0}).encode()).cost_usd is None
    assert (
        run_of(json.dumps(CLAUDE | {"total_cost_usd": 150.0, "usage": None}).encode()).cost_usd
        == 150.0
    )


@pytest.mark.parametrize(
    ("basis", "bound"),
    [
        ("unknown", "estimate"),
        ("list", "exact"),
        ("managed", "exact"),
        (None, "exact"),
        (7, "exact"),
    ],
)
def test_a_cost_at_the_rates_of_another_model_is_an_estimate(basis: object, bound: str) -> None:
    run = claude(0.25, costUSD=0.25, costBasis=basis)
    assert (run.cost_usd, run.cost_bound, run.exact_usd) == (
        0.25,
        bound,
        0.25 if bound == "exact" else None,
    )
    assert figures.cost(run) == ("$0.25" if bound == "exact" else "≈ $0.25")
    said = [caveat.text for caveat in run.caveats if caveat.code == "W_ESTIMATE"]
    assert said == (
        ["The agent knows no price of m: what it cost is a guess."] if bound == "estimate" else []
    )
