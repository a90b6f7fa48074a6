"""Figures of many runs: sums with gaps, medians, shares."""

from __future__ import annotations

import math
import statistics as standard
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.model import TOKEN_KINDS, Entry, ModelUsage, Run, Source, Status, Tokens, Total
from sitegen.statistics import CampaignSummary, Share, median, quantile, summarize


def entry(run: Run, *models: str) -> Entry:
    source = Source("run.json", Path("run.json"), named=False, size=1)
    return Entry(id="run-0", source=source, number=0, digest="", run=run, title="run", models=models)


def counted(*tokens: Tokens, lower_bound: bool = False) -> Run:
    ledger = tuple(ModelUsage("m", count) for count in tokens)
    return Run("test", Status.OK, ledger=ledger, ledger_is_lower_bound=lower_bound)


def test_sums_medians_and_counts_of_a_campaign() -> None:
    summary = summarize(
        [
            entry(Run("t", Status.OK, cost_usd=0.1, wall_ms=1000, turns=3, denials=0), "A", "B"),
            entry(Run("t", Status.FAILED, cost_usd=0.2, wall_ms=3000, turns=5, denials=2), "B"),
            entry(Run("t", Status.OK, cost_usd=0.4, wall_ms=8000, turns=None, denials=1), "C"),
        ]
    )
    assert summary.runs == 3
    assert list(summary.by_status.items()) == [(Status.OK, 2), (Status.FAILED, 1)]
    assert summary.cost == Total(math.fsum([0.1, 0.2, 0.4]), 3, 0)
    assert summary.median_cost_usd == 0.2
    assert (summary.wall, summary.median_wall_ms) == (Total(12_000, 3, 0), 3000)
    assert (summary.turns, summary.denials) == (Total(8, 2, 1), Total(3, 3, 0))
    assert summary.models == ("B", "A", "C")


def test_no_runs_have_no_figures() -> None:
    summary = summarize([])
    assert (summary.runs, summary.by_status, summary.models) == (0, {}, ())
    assert {summary.cost, summary.total_tokens, *summary.by_kind.values()} == {Total(None, 0, 0)}
    assert (summary.median_cost_usd, summary.median_wall_ms) == (None, None)
    assert summary.cache_hits == Share(0, 0, 0)


def test_a_run_without_a_cost_makes_the_total_a_lower_bound_and_is_not_in_the_median() -> None:
    summary = summarize([entry(Run("t", Status.OK, cost_usd=cost)) for cost in (2.0, None, 4.0)])
    assert summary.cost == Total(6.0, 2, 1)
    assert summary.cost.is_lower_bound
    assert summary.median_cost_usd == 3.0


def test_tokens_are_summed_by_kind_over_all_models() -> None:
    summary = summarize(
        [entry(counted(Tokens(1, 2, 3, 4), Tokens(10, 20, 30, 40))), entry(counted(Tokens(5, 5, 5, 5)))]
    )
    assert summary.tokens == Tokens(16, 27, 38, 49)
    assert summary.by_kind["input"] == Total(16, 2, 0)
    assert summary.total_tokens == Total(130, 2, 0)
    assert summary.cache_hits == Share(38, 81, 2)


def test_a_count_that_one_model_does_not_report_leaves_a_gap_but_what_is_known_counts() -> None:
    summary = summarize([entry(counted(Tokens(1, 1, 1, 1), Tokens(1, 1, None, 1))), entry(counted(Tokens(2, 2, 2, 2)))])
    assert summary.by_kind["cache_read"] == Total(3, 1, 1)
    assert summary.by_kind["output"] == Total(4, 2, 0)
    assert summary.total_tokens == Total(15, 1, 1)
    assert summary.cache_hits == Share(2, 6, 1)


def test_a_run_of_which_only_the_main_loop_was_counted_makes_every_total_a_lower_bound() -> None:
    summary = summarize([entry(counted(Tokens(1, 2, 3, 4), lower_bound=True))])
    assert summary.tokens == Tokens(1, 2, 3, 4)
    assert all(total.is_lower_bound for total in (summary.total_tokens, *summary.by_kind.values()))
    assert summary.cache_hits == Share(0, 0, 0)


def test_a_run_that_counts_nothing_is_unknown_and_not_zero() -> None:
    summary = summarize([entry(counted())])
    assert summary.total_tokens == Total(None, 0, 1)
    assert not summary.total_tokens.is_lower_bound


def test_the_cache_hit_share_needs_no_output_count() -> None:
    assert summarize([entry(counted(Tokens(1, 2, 3, None)))]).cache_hits == Share(3, 6, 1)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.5, None),
        ([7], 0.25, 7),
        ([4, 1, 3, 2], 0.5, 2.5),
        ([3, 1, 2], 0.5, 2),
        # R: quantile(c(15, 20, 35, 40, 50), c(.05, .3, .4, .5, 1), type = 7)
        ([15, 20, 35, 40, 50], 0.05, 16),
        ([15, 20, 35, 40, 50], 0.3, 23),
        ([15, 20, 35, 40, 50], 0.4, 29),
        ([15, 20, 35, 40, 50], 0.5, 35),
        ([15, 20, 35, 40, 50], 1, 50),
        ([15, 20, 35, 40, 50], 0, 15),
    ],
)
def test_quantiles_are_those_of_definition_seven(values: list[float], share: float, expected: float | None) -> None:
    assert quantile(values, share) == (None if expected is None else pytest.approx(expected))


figures = st.lists(st.floats(0, 1e9), min_size=2, max_size=50)


@given(figures)
def test_quantiles_agree_with_the_standard_library(values: list[float]) -> None:
    quarters = standard.quantiles(values, n=4, method="inclusive")
    assert [quantile(values, share) for share in (0.25, 0.5, 0.75)] == pytest.approx(quarters, rel=1e-9, abs=1e-9)
    assert median(values) == pytest.approx(standard.median(values))


@given(figures, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise_and_stay_within_the_values(values: list[float], one: float, other: float) -> None:
    low, high = quantile(values, min(one, other)), quantile(values, max(one, other))
    assert low is not None
    assert high is not None
    assert min(values) <= low <= high * (1 + 1e-12) <= max(values) * (1 + 1e-12)


maybe = st.none() | st.integers(0, 10**9)
tokens = st.builds(Tokens, maybe, maybe, maybe, maybe)
runs = st.builds(
    Run,
    reader=st.just("test"),
    status=st.sampled_from(Status),
    ledger=st.lists(st.builds(ModelUsage, st.just("m"), tokens), max_size=3).map(tuple),
    ledger_is_lower_bound=st.booleans(),
    cost_usd=st.none() | st.floats(0, 1e6),
    wall_ms=maybe,
    turns=maybe,
    denials=maybe,
)
campaigns = st.lists(st.builds(entry, runs, st.sampled_from("ABC")), max_size=12)


def totals(summary: CampaignSummary) -> list[Total]:
    sums = [summary.cost, summary.total_tokens, summary.wall, summary.turns, summary.denials]
    return sums + [summary.by_kind[kind] for kind in TOKEN_KINDS]


@given(campaigns, st.randoms(use_true_random=False))
def test_the_order_of_the_runs_changes_nothing(entries: list[Entry], random: object) -> None:
    shuffled = sorted(entries, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert summarize(shuffled) == summarize(entries)


@given(campaigns, runs)
def test_one_more_run_never_lowers_a_total(entries: list[Entry], run: Run) -> None:
    for before, after in zip(totals(summarize(entries)), totals(summarize([*entries, entry(run)])), strict=True):
        assert (after.value or 0) >= (before.value or 0)
        assert (after.known, after.unknown) in {(before.known + 1, before.unknown), (before.known, before.unknown + 1)}


@given(campaigns)
def test_forgetting_a_figure_never_raises_a_total(entries: list[Entry]) -> None:
    forgotten = [replace(e, run=replace(e.run, cost_usd=None, turns=None)) for e in entries[:1]] + entries[1:]
    for before, after in zip(totals(summarize(entries)), totals(summarize(forgotten)), strict=True):
        assert (after.value or 0) <= (before.value or 0)


@given(campaigns, st.integers(0, 12))
def test_groups_add_up_to_the_whole(entries: list[Entry], cut: int) -> None:
    whole, groups = summarize(entries), [summarize(entries[:cut]), summarize(entries[cut:])]
    assert whole.runs == sum(group.runs for group in groups)
    for total, *parts in zip(totals(whole), *map(totals, groups), strict=True):
        assert (total.known, total.unknown) == (sum(p.known for p in parts), sum(p.unknown for p in parts))
        assert math.isclose(total.value or 0, sum(part.value or 0 for part in parts), rel_tol=1e-12)
    assert whole.cache_hits == _added([group.cache_hits for group in groups])


def _added(shares: Sequence[Share]) -> Share:
    return Share(sum(s.part for s in shares), sum(s.whole for s in shares), sum(s.runs for s in shares))


@given(campaigns)
def test_the_kinds_add_up_to_all_tokens(entries: list[Entry]) -> None:
    summary = summarize(entries)
    assert summary.tokens.total == summary.total_tokens.value
    assert [summary.tokens.kind(kind) for kind in TOKEN_KINDS] == [summary.by_kind[k].value for k in TOKEN_KINDS]
