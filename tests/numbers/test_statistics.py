"""Figures of many runs: sums with gaps, medians, shares, spreads, groups."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import (
    TOKEN_KINDS,
    Entry,
    ModelUsage,
    Outcome,
    Run,
    Source,
    Status,
    Tokens,
    Total,
)
from sitegen.numbers.intervals import mean_interval
from sitegen.numbers.statistics import (
    CampaignSummary,
    Dimension,
    Measure,
    Spread,
    group_by,
    natural_order,
    spread,
    summarize,
)


def entry(run: Run, *models: str) -> Entry:
    """The run in its place, with a line in its ledger for each of the models if it has no ledger."""
    source = Source("run.json", "run.json", named=False, size=1)
    if models and not run.ledger:
        run = replace(run, ledger=tuple(ModelUsage(model, Tokens()) for model in models))
    names = (models * len(run.ledger) or ("m",) * len(run.ledger))[: len(run.ledger)]
    model = models[0] if models else None
    return Entry(
        id="run-0",
        source=source,
        number=0,
        digest="",
        run=run,
        title="run",
        model=model,
        ledger_names=names,
    )


def counted(*tokens: Tokens, lower_bound: bool = False) -> Run:
    ledger = tuple(ModelUsage("m", count) for count in tokens)
    return Run("test", Status.OK, ledger=ledger, ledger_is_lower_bound=lower_bound)


def test_sums_medians_and_counts_of_a_campaign() -> None:
    summary = summarize(
        [
            entry(Run("t", Status.OK, cost_usd=0.1, wall_ms=1000, turns=3), "B", "A"),
            entry(Run("t", Status.FAILED, cost_usd=0.2, wall_ms=3000, turns=5), "B"),
            entry(Run("t", Status.OK, cost_usd=0.4, wall_ms=8000, turns=None), "C"),
        ]
    )
    assert summary.runs == 3
    assert list(summary.by_status.items()) == [(Status.OK, 2), (Status.FAILED, 1)]
    assert summary.cost == Total(math.fsum([0.1, 0.2, 0.4]), 3, 0)
    assert summary.median_cost_usd == 0.2
    assert (summary.wall, summary.median_wall_ms) == (Total(12_000, 3, 0), 3000)
    assert summary.turns == Total(8, 2, 1)
    assert summary.models == ("B", "C"), "not those that helped"


def test_no_runs_have_no_figures() -> None:
    summary = summarize([])
    assert (summary.runs, summary.by_status, summary.models) == (0, {}, ())
    assert {summary.cost, summary.total_tokens, *summary.by_kind.values()} == {Total(None, 0, 0)}
    assert (summary.median_cost_usd, summary.median_wall_ms) == (None, None)
    assert summary.cache_hits == (Total(None, 0, 0), Total(None, 0, 0))


def test_a_run_without_a_cost_makes_the_total_a_lower_bound_and_is_not_in_the_median() -> None:
    summary = summarize([entry(Run("t", Status.OK, cost_usd=cost)) for cost in (2.0, None, 4.0)])
    assert summary.cost == Total(6.0, 2, 1)
    assert summary.cost.is_lower_bound
    assert summary.median_cost_usd == 3.0


def test_tokens_are_summed_by_kind_over_all_models() -> None:
    summary = summarize(
        [
            entry(counted(Tokens(1, 2, 3, 4), Tokens(10, 20, 30, 40))),
            entry(counted(Tokens(5, 5, 5, 5))),
        ]
    )
    assert [summary.by_kind[kind] for kind in ("input", "cache_write", "cache_read", "output")] == [
        Total(count, 2, 0) for count in (16, 27, 38, 49)
    ]
    assert summary.total_tokens == Total(130, 2, 0)
    assert summary.cache_hits == (Total(38, 2, 0), Total(81, 2, 0))


def test_a_count_that_one_model_does_not_report_leaves_a_gap_but_what_is_known_counts() -> None:
    summary = summarize(
        [
            entry(counted(Tokens(1, 1, 1, 1), Tokens(1, 1, None, 1))),
            entry(counted(Tokens(2, 2, 2, 2))),
        ]
    )
    assert summary.by_kind["cache_read"] == Total(3, 1, 1)
    assert summary.by_kind["output"] == Total(4, 2, 0)
    assert summary.total_tokens == Total(15, 1, 1)
    assert summary.cache_hits == (Total(3, 2, 0), Total(11, 1, 1))


def test_a_run_of_which_only_the_main_loop_was_counted_makes_every_total_a_lower_bound() -> None:
    summary = summarize([entry(counted(Tokens(1, 2, 3, 4), lower_bound=True))])
    assert {total.value for total in summary.by_kind.values()} == {1, 2, 3, 4}
    assert all(total.is_lower_bound for total in (summary.total_tokens, *summary.by_kind.values()))
    assert summary.cache_hits == (Total(3, 1, 0), Total(6, 0, 1))


def test_a_run_that_counts_nothing_is_unknown_and_not_zero() -> None:
    summary = summarize([entry(counted())])
    assert summary.total_tokens == Total(None, 0, 1)
    assert not summary.total_tokens.is_lower_bound


def test_the_cache_hit_share_needs_no_output_count() -> None:
    assert summarize([entry(counted(Tokens(1, 2, 3, None)))]).cache_hits == (
        Total(3, 1, 0),
        Total(6, 1, 0),
    )


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
)
campaigns = st.lists(st.builds(entry, runs, st.sampled_from("ABC")), max_size=12)


def totals(summary: CampaignSummary) -> list[Total]:
    sums = [summary.cost, summary.total_tokens, summary.wall, summary.turns]
    return sums + [summary.by_kind[kind] for kind in TOKEN_KINDS]


@given(campaigns, st.randoms(use_true_random=False))
def test_the_order_of_the_runs_changes_nothing(entries: list[Entry], random: object) -> None:
    shuffled = sorted(entries, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert summarize(shuffled) == summarize(entries)


@given(campaigns, runs)
def test_one_more_run_never_lowers_a_total(entries: list[Entry], run: Run) -> None:
    for before, after in zip(
        totals(summarize(entries)), totals(summarize([*entries, entry(run)])), strict=True
    ):
        assert (after.value or 0) >= (before.value or 0)
        assert (after.known, after.unknown) in {
            (before.known + 1, before.unknown),
            (before.known, before.unknown + 1),
        }


@given(campaigns)
def test_forgetting_a_figure_never_raises_a_total(entries: list[Entry]) -> None:
    forgotten = [
        replace(e, run=replace(e.run, cost_usd=None, turns=None)) for e in entries[:1]
    ] + entries[1:]
    for before, after in zip(totals(summarize(entries)), totals(summarize(forgotten)), strict=True):
        assert (after.value or 0) <= (before.value or 0)


@given(campaigns)
def test_the_kinds_add_up_to_all_tokens(entries: list[Entry]) -> None:
    summary = summarize(entries)
    known = [total.value for total in summary.by_kind.values() if total.value is not None]
    assert (sum(known) if known else None) == summary.total_tokens.value


def test_what_was_spent_is_what_is_reported_and_else_what_is_computed() -> None:
    runs = [
        Run("t", Status.OK, cost_usd=1.0),
        Run("t", Status.OK, computed_cost_usd=0.5),
        Run("t", Status.OK),
    ]
    summary = summarize(map(entry, runs))
    assert (summary.cost, summary.computed) == (Total(1.0, 1, 2), Total(0.5, 1, 1))
    assert summary.spent == Total(1.5, 2, 1)


def placed(task: str | None = None, cost_usd: float | None = 1.0, **changes: object) -> Entry:
    """A run of a task."""
    return replace(entry(Run("t", Status.OK, cost_usd=cost_usd)), task=task, **changes)  # type: ignore[arg-type]


def test_runs_are_grouped_in_natural_order_and_those_without_a_name_are_left_out() -> None:
    entries = [
        placed(task) for task in ("task 10", "task 2", None, "task 2", "Task", "task", "task 02")
    ]
    groups = group_by(entries, Dimension.TASK)
    assert list(groups) == ["Task", "task", "task 02", "task 2", "task 10"]
    assert groups["task 2"] == (entries[1], entries[3])
    assert sum(map(len, groups.values())) == 6


@pytest.mark.parametrize(
    ("dimension", "names"),
    [
        (Dimension.MODEL, ["Opus"]),
        (Dimension.CAMPAIGN, ["spring"]),
        (Dimension.TASK, ["sort"]),
        (Dimension.LABEL, ["a", "b"]),
    ],
)
def test_each_dimension_has_its_own_groups(dimension: Dimension, names: list[str]) -> None:
    run = placed("sort", model="Opus", campaign="spring", labels=("b", "a", "b"))
    assert group_by([run], dimension) == dict.fromkeys(names, (run,))
    assert not group_by([placed()], dimension)


@given(
    st.lists(st.text() | st.from_regex("[ab0-9]*"), unique=True), st.randoms(use_true_random=False)
)
def test_any_names_have_one_order(names: list[str], random: Random) -> None:
    assert sorted(names, key=natural_order) == sorted(
        random.sample(names, len(names)), key=natural_order
    )


def test_a_number_too_long_to_be_read_can_be_ordered() -> None:
    long = "9" * 5_000
    assert sorted([f"a{long}", "a10", f"a{long}0", "a9"], key=natural_order) == [
        "a9",
        "a10",
        f"a{long}",
        f"a{long}0",
    ]


names = st.none() | st.sampled_from(["a", "b", "c 1"])
grouped = st.builds(
    replace,
    st.builds(entry, runs),
    task=names,
    model=names,
    campaign=names,
    labels=st.lists(st.sampled_from("xyz"), max_size=3).map(tuple),
    outcome=st.none() | st.sampled_from(Outcome),
)


@given(
    st.lists(grouped, max_size=12), st.sampled_from(Dimension), st.randoms(use_true_random=False)
)
def test_every_run_is_in_its_groups_whatever_the_order(
    entries: list[Entry], dimension: Dimension, random: Random
) -> None:
    groups = group_by(entries, dimension)
    stated = [
        set(e.labels)
        if dimension is Dimension.LABEL
        else {getattr(e, dimension, e.factor(dimension))} - {None}
        for e in entries
    ]
    assert sum(map(len, groups.values())) == sum(map(len, stated))
    shuffled = group_by(random.sample(entries, len(entries)), dimension)
    assert list(shuffled) == list(groups)
    assert [summarize(shuffled[name]) for name in groups] == [
        summarize(group) for group in groups.values()
    ]


@given(
    st.lists(grouped, max_size=12),
    st.sampled_from([Dimension.TASK, Dimension.MODEL, Dimension.CAMPAIGN]),
)
def test_totals_of_the_groups_and_of_the_runs_in_none_add_up_to_the_whole(
    entries: list[Entry], dimension: Dimension
) -> None:
    groups = group_by(entries, dimension)
    inside = {id(member) for group in groups.values() for member in group}
    outside = [member for member in entries if id(member) not in inside]
    whole, parts = summarize(entries), [summarize(group) for group in (*groups.values(), outside)]
    for total, *shares in zip(totals(whole), *map(totals, parts), strict=True):
        assert (total.known, total.unknown) == (
            sum(p.known for p in shares),
            sum(p.unknown for p in shares),
        )
        assert math.isclose(
            total.value or 0, math.fsum(part.value or 0 for part in shares), rel_tol=1e-12
        )


@pytest.mark.parametrize(
    ("measure", "run", "expected"),
    [
        (Measure.COST, Run("t", Status.OK, cost_usd=0.5), 0.5),
        (Measure.COST, Run("t", Status.OK), None),
        (Measure.WALL, Run("t", Status.OK, wall_ms=0), 0),
        (Measure.TOKENS, counted(Tokens(1, 2, 3, 4), Tokens(10, 20, 30, 40)), 110),
        (Measure.TOKENS, counted(Tokens(1, 2, 3, 4), Tokens(10, None, 30, 40)), None),
        (Measure.TOKENS, counted(Tokens(1, 2, 3, 4), lower_bound=True), None),
        (Measure.TOKENS, counted(), None),
        (Measure.SUCCESS, Run("t", Status.OK), None),
    ],
)
def test_what_is_a_lower_bound_is_not_measured(
    measure: Measure, run: Run, expected: float | None
) -> None:
    assert measure.of(entry(run)) == expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [(Outcome.PASS, 1), (Outcome.FAIL, 0), (Outcome.PARTIAL, 0), (Outcome.ERROR, None)],
)
def test_success_is_measured_as_one_or_zero_and_not_where_nothing_was_tried(
    outcome: Outcome, expected: float | None
) -> None:
    run = entry(Run("t", Status.OK, turns=3))
    assert Measure.SUCCESS.of(replace(run, outcome=outcome)) == expected
    stopped = replace(run.run, status=Status.STOPPED)
    assert Measure.SUCCESS.of(replace(run, run=stopped, outcome=outcome)) == expected, (
        "a stated verdict counts"
    )
    assert Measure.SUCCESS.of(replace(run, run=stopped)) is None


def test_a_spread_tells_what_it_rests_on() -> None:
    entries = [placed(task, cost) for task, cost in zip("aabbccddee", range(10), strict=True)]
    told = spread([*entries, placed("a", None)], Measure.COST)
    # R: quantile(0:9, c(.25, .5, .75)) is 2.25, 4.5, 6.75
    quartiles = (told.least, told.lower_quartile, told.median, told.upper_quartile, told.most)
    assert quartiles == (0, 2.25, 4.5, 6.75, 9)
    assert (told.known, told.unknown, told.mean) == (10, 1, 4.5)
    assert told.interval == mean_interval([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]])


def test_the_spread_of_no_figures_is_unknown() -> None:
    nothing = Spread(0, 1, *[None] * 6, False, *[None] * 3)
    assert spread([placed("a", None)], Measure.COST) == nothing


@pytest.mark.parametrize("measure", [Measure.COST, Measure.TOKENS, Measure.WALL])
def test_a_run_that_never_began_lowers_no_mean(measure: Measure) -> None:
    """As where nobody was logged in; one that reports work without a turn counts."""

    def run(turns: int | None, size: int, cost: float) -> Entry:
        tokens = Tokens(input=size, output=0, cache_read=0, cache_write=0)
        ledger = (ModelUsage("m", tokens),)
        return entry(
            Run(
                "t", Status.OK, turns=turns, ledger=ledger, cost_usd=cost, wall_ms=int(1000 * cost)
            ),
            "m",
        )

    worked = [run(3, 90, 1.5), run(None, 30, 0.5), run(0, 60, 1.0)]
    told = spread([*worked, *[run(0, 0, 0.0)] * 9], measure)
    assert replace(told, unknown=0) == spread(worked, measure)
    assert (told.known, told.unknown) == (3, 9)


@pytest.mark.parametrize(
    ("tasks", "clusters"),
    [
        ("aaaaa", [[0], [1], [2], [3], [4]]),
        ("aabbcc", [[0, 1], [2, 3], [4, 5]]),
        ([None] * 5, [[0], [1], [2], [3], [4]]),
        (["a", None, "a", None, None, None], [[0, 2], [1], [3], [4], [5]]),
    ],
)
def test_runs_are_clustered_by_task_where_there_are_several(
    tasks: list[str | None], clusters: list[list[float]]
) -> None:
    told = spread([placed(task, cost) for cost, task in enumerate(tasks)], Measure.COST)
    assert told.interval == mean_interval(clusters)
    assert (told.interval is not None) == (len(clusters) >= 5)


@settings(deadline=None)  # the first interval of so many clusters draws its resamples
@given(st.lists(grouped, max_size=12), st.sampled_from(Measure), st.randoms(use_true_random=False))
def test_a_spread_holds_its_mean_and_depends_on_no_order(
    entries: list[Entry], measure: Measure, random: Random
) -> None:
    told = spread(entries, measure)
    assert spread(random.sample(entries, len(entries)), measure) == told
    assert told.known + told.unknown == len(entries)
    if told.interval is not None:
        assert told.mean is not None
        assert told.mean in told.interval
