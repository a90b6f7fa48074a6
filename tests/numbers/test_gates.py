"""Gates: what keeps a limit, what breaks it, and what nobody can tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.config import Gates
from sitegen.model import (
    Entry,
    ModelUsage,
    Outcome,
    Problem,
    Run,
    Score,
    Source,
    Status,
    Tokens,
    Verdict,
)
from sitegen.numbers import baseline
from sitegen.numbers.campaigns import Attempts, CampaignFigures
from sitegen.numbers.gates import (
    MEASURES,
    GateResult,
    GateVerdict,
    MeasureLimits,
    evaluate,
    reconciles,
)
from sitegen.numbers.pricing import PriceCheck, PriceTable
from sitegen.numbers.success import is_infrastructure_failure, success

PASSED, FAILED, UNDECIDED, INCOMPLETE = GateVerdict
SONNET = "claude-sonnet-4-5"


def entry(
    cost_usd: float | None = 1.0,
    *,
    outcome: Outcome | None = None,
    status: Status = Status.OK,
    ledger: bool = True,
) -> Entry:
    """A run whose ledger, if it has one, adds up to its cost."""
    lines = (ModelUsage("model", Tokens(), cost_usd),) if ledger else ()
    run = Run("t", status, ledger=lines, cost_usd=cost_usd, turns=3)
    source = Source("run.json", "run.json", named=False, size=1)
    return Entry(
        "run-0", source, 0, "", run, "run", ledger_names=("Model",) * ledger, outcome=outcome
    )


def gate(
    name: str, limits: MeasureLimits, entries: Sequence[Entry], problems: Sequence[Problem] = ()
) -> GateResult:
    checks = {each.id: PriceTable.load().check(each.run) for each in entries}
    (result,) = evaluate({name: limits}, entries, checks, problems)
    return result


def test_the_settings_know_the_same_measures_in_the_same_order() -> None:
    against_a_baseline = {"cost", "success"}
    assert [each for each in Gates.model_fields if each not in against_a_baseline] == [
        "scores",
        "passes",
        "verdicts",
        *MEASURES,
    ]


def test_without_gates_there_are_no_results() -> None:
    assert evaluate({}, [entry()], {}, []) == ()


def test_results_stand_in_the_order_of_the_measures() -> None:
    limits = {name: MeasureLimits(min=0) for name in reversed(MEASURES)}
    entries = [entry(outcome=Outcome.PASS)]
    checks = {each.id: PriceTable.load().check(each.run) for each in entries}
    results = evaluate(limits, entries, checks, [])
    assert [result.name for result in results] == list(MEASURES)
    assert all(result.passed for result in results)


@pytest.mark.parametrize(
    ("costs", "limits", "verdict"),
    [
        ([20, 30], MeasureLimits(max=50), PASSED),
        ([20, 30], MeasureLimits(min=50), PASSED),
        ([20, 30.001], MeasureLimits(max=50), FAILED),
        ([20, 30], MeasureLimits(min=50.5), FAILED),
        ([20, None], MeasureLimits(max=50), INCOMPLETE),
        ([60, None], MeasureLimits(max=50), FAILED),
        ([60, None], MeasureLimits(min=50), PASSED),
        ([20, None], MeasureLimits(min=50), INCOMPLETE),
        ([60, None], MeasureLimits(min=50, max=70), INCOMPLETE),
        ([None], MeasureLimits(max=50), INCOMPLETE),
        ([None], MeasureLimits(min=0), PASSED),
    ],
)
def test_a_cost_with_gaps_is_at_least_its_lower_bound(
    costs: list[float | None], limits: MeasureLimits, verdict: GateVerdict
) -> None:
    assert gate("total_cost_usd", limits, [entry(cost) for cost in costs]).verdict is verdict


@pytest.mark.parametrize(
    ("costs", "limits", "verdict"),
    [
        ([1, 2, 9], MeasureLimits(max=2), PASSED),
        ([1, 2, 9], MeasureLimits(max=1.9), FAILED),
        ([1, 2, 3, None, None], MeasureLimits(max=3), PASSED),  # 0 0 1 2 3 to 1 2 3 ? ?
        ([1, 2, 3, None, None], MeasureLimits(min=1), PASSED),
        ([1, 2, 3, None, None], MeasureLimits(max=2), INCOMPLETE),
        (
            [1, 2, None, None],
            MeasureLimits(max=1000),
            INCOMPLETE,
        ),  # the middle may be one that nobody knows
        ([1, 2, None, None], MeasureLimits(min=0.5), PASSED),
        ([None], MeasureLimits(max=1), INCOMPLETE),
    ],
)
def test_a_median_with_gaps_lies_between_the_least_and_the_most_it_can_be(
    costs: list[float | None], limits: MeasureLimits, verdict: GateVerdict
) -> None:
    assert gate("median_cost_usd", limits, [entry(cost) for cost in costs]).verdict is verdict


def test_a_cost_that_was_computed_counts_where_none_is_reported() -> None:
    computed = replace(entry(None), run=Run("t", Status.OK, computed_cost_usd=3.0))
    both = [entry(1.0), computed]
    assert gate("total_cost_usd", MeasureLimits(max=4), both).verdict is PASSED
    assert (
        gate("total_cost_usd", MeasureLimits(max=4), both).figure
        == "≈ $4.00, of which $3.00 computed"
    )
    assert gate("total_cost_usd", MeasureLimits(max=3.9), both).verdict is FAILED
    assert gate("median_cost_usd", MeasureLimits(min=2, max=2), both).verdict is PASSED


@pytest.mark.parametrize("name", ["total_cost_usd", "median_cost_usd"])
@pytest.mark.parametrize("is_reported", [True, False])
def test_a_cost_by_list_price_is_marked_in_its_figure_and_sentence(
    name: str, is_reported: bool
) -> None:
    """The limit is nobody's price."""
    run = Run("t", Status.OK, **{"cost_usd" if is_reported else "computed_cost_usd": 3.0})  # type: ignore[arg-type]
    runs = [
        replace(entry(None), id=f"r{number}", run=run, started_at="2026-03-31T00:00:00Z")
        for number in (1, 2)
    ]
    result = gate(name, MeasureLimits(max=1), runs)
    assert result.verdict is FAILED and result.limit == "at most $1.00"
    assert all(
        text.startswith("$" if is_reported else "≈ $") for text in (result.figure, result.why)
    )


def test_a_cost_that_is_a_lower_bound_may_be_any_higher_one() -> None:
    cut = replace(
        entry(None), run=Run("t", Status.OK, computed_cost_usd=0.006, cost_is_lower_bound=True)
    )
    result = gate("median_cost_usd", MeasureLimits(max=0.01), [cut])
    assert (result.verdict, result.why) == (
        INCOMPLETE,
        "It is ≈ $0.006 or more: 1 of 1 run reports only a lower bound.",
    )
    assert (
        gate("median_cost_usd", MeasureLimits(max=0.01), [cut, entry(0.001), entry(0.002)]).verdict
        is PASSED
    )
    assert gate("median_cost_usd", MeasureLimits(min=0.005), [cut]).verdict is PASSED


OUTCOMES = {"p": Outcome.PASS, "f": Outcome.FAIL, "e": Outcome.ERROR, "?": None}


@pytest.mark.parametrize(
    ("outcomes", "limits", "verdict"),
    [
        ("ppfff", MeasureLimits(min=0.4), PASSED),
        ("pffff", MeasureLimits(min=0.4), FAILED),
        ("ppfffeee", MeasureLimits(min=0.4), PASSED),
        ("ppff?", MeasureLimits(min=0.4), PASSED),
        ("ppff?", MeasureLimits(min=0.5), INCOMPLETE),
        ("pffff?", MeasureLimits(min=0.4), FAILED),
        ("??", MeasureLimits(min=0.4), INCOMPLETE),
        ("e", MeasureLimits(min=0.4), INCOMPLETE),
    ],
)
def test_a_rate_passes_only_if_it_holds_whatever_the_unjudged_runs_are(
    outcomes: str, limits: MeasureLimits, verdict: GateVerdict
) -> None:
    assert (
        gate("success_rate", limits, [entry(outcome=OUTCOMES[sign]) for sign in outcomes]).verdict
        is verdict
    )


@pytest.mark.parametrize(
    ("outcomes", "figure"),
    [
        ("pf", "50% of 2 judged runs"),
        ("pee", "100% of 1 judged run, excluding 2 infrastructure errors"),
        ("e", "–"),
    ],
)
def test_a_rate_says_what_stands_apart(outcomes: str, figure: str) -> None:
    told = gate(
        "success_rate", MeasureLimits(min=0.4), [entry(outcome=OUTCOMES[sign]) for sign in outcomes]
    )
    assert told.figure == figure


@pytest.mark.parametrize("name", ["failed", "stopped", "interrupted"])
def test_a_run_of_unknown_status_may_have_ended_badly(name: str) -> None:
    bad, unknown = entry(status=Status(name)), entry(status=Status.UNKNOWN)
    assert gate(name, MeasureLimits(max=1), [bad, entry()]).verdict is PASSED
    assert gate(name, MeasureLimits(max=0), [bad, entry()]).verdict is FAILED
    assert gate(name, MeasureLimits(max=1), [bad, unknown]).verdict is INCOMPLETE
    assert gate(name, MeasureLimits(max=2), [bad, unknown]).verdict is PASSED


def test_problems_and_runs_are_counted() -> None:
    problem = Problem("a.json", "E_EMPTY", Verdict.SKIP, "The file is empty.")
    assert gate("problems", MeasureLimits(max=0), [entry()], [problem]).verdict is FAILED
    assert gate("problems", MeasureLimits(max=1), [entry()], [problem]).verdict is PASSED
    assert gate("runs", MeasureLimits(min=2), [entry()]).verdict is FAILED


def priced(
    reported: float | None,
    in_ledger: float | None,
    *,
    model: str = SONNET,
    lower_bound: bool = False,
) -> Run:
    """A run that costs $3 by the list of Claude Sonnet."""
    line = ModelUsage(model, Tokens(1_000_000, 0, 0, 0), in_ledger)
    return Run("t", Status.OK, ledger=(line,), cost_usd=reported, ledger_is_lower_bound=lower_bound)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (priced(3.0, 3.0), True),
        (priced(3.004, 3.0), True),
        (priced(3.006, 3.006), False),  # the list price differs
        (priced(3.0, 2.9), False),  # the sum differs
        (priced(4.0, 4.0, model="nobody-knows"), True),  # no list price, and the sum agrees
        (priced(3.0, None), True),
        (priced(4.0, None), False),
        (priced(4.0, None, lower_bound=True), None),  # the rest of the ledger may be the difference
        (priced(2.0, None, lower_bound=True), False),
        (priced(4.0, None, model="nobody-knows"), None),
        (priced(None, 3.0), None),
        (Run("t", Status.OK, cost_usd=1.0), None),
    ],
)
def test_a_run_reconciles_when_the_figures_that_are_known_agree(
    run: Run, expected: bool | None
) -> None:
    assert reconciles(run, PriceTable.load().check(run)) is expected


def test_runs_that_cannot_be_checked_prove_nothing() -> None:
    assert gate("unreconciled", MeasureLimits(max=0), [entry(), entry()]).verdict is PASSED
    result = gate("unreconciled", MeasureLimits(max=0), [entry(), entry(ledger=False)])
    assert (result.verdict, result.passed) == (INCOMPLETE, False)
    assert result.why == "It is 0 to 1: 1 of 2 runs has too few figures to be checked."


@pytest.mark.parametrize(
    ("name", "limits", "costs", "limit", "figure", "why"),
    [
        (
            "total_cost_usd",
            MeasureLimits(max=50),
            [50.001],
            "at most $50.00",
            "$50.00",
            "$50.001 is above the limit.",
        ),
        (
            "total_cost_usd",
            MeasureLimits(max=5),
            [9.0, None],
            "at most $5.00",
            "$9.00+",
            "$9.00 or more (1 of 2 runs reports no cost) is above the limit.",
        ),
        (
            "total_cost_usd",
            MeasureLimits(1, 5),
            [2.5, None],
            "at least $1.00, at most $5.00",
            "$2.50+",
            "It is $2.50 or more: 1 of 2 runs reports no cost.",
        ),
        (
            "total_cost_usd",
            MeasureLimits(min=2),
            [2.5, None, None],
            "at least $2.00",
            "$2.50+",
            "True in any case: 2 of 3 runs report no cost.",
        ),
        ("total_cost_usd", MeasureLimits(max=5), [2.5], "at most $5.00", "$2.50", ""),
        ("runs", MeasureLimits(min=1000), [1.0], "at least 1,000", "1", "1 is below the limit."),
        (
            "success_rate",
            MeasureLimits(min=0.425),
            [1.0],
            "at least 42.5%",
            "–",
            "It is 0% to 100%: 1 of 1 run has no outcome.",
        ),
    ],
)
def test_a_result_says_limit_figure_and_reason(
    name: str, limits: MeasureLimits, costs: list[float | None], limit: str, figure: str, why: str
) -> None:
    result = gate(name, limits, [entry(cost) for cost in costs])
    assert (result.limit, result.figure, result.why) == (limit, figure, why)


def test_a_result_is_a_word_and_a_sign_and_never_a_colour_alone() -> None:
    results = [
        gate("total_cost_usd", MeasureLimits(max=limit), [entry(cost) for cost in costs])
        for limit, costs in ((5.0, [1.0]), (5.0, [9.0]), (5.0, [1.0, None]))
    ]
    assert [result.state.word for result in results] == ["passed", "failed", "incomplete"]
    assert len({result.state.sign for result in results}) == 3


_OUTCOMES = st.sampled_from([None, *Outcome])
_COSTS = st.one_of(st.none(), st.floats(0, 100))


@given(
    runs=st.lists(st.tuples(_COSTS, _OUTCOMES, st.sampled_from(Status)), min_size=1, max_size=8),
    filled=st.tuples(
        st.floats(0, 1000), st.sampled_from(Outcome), st.sampled_from([Status.OK, Status.FAILED])
    ),
    name=st.sampled_from(["total_cost_usd", "median_cost_usd", "success_rate", "failed"]),
    limit=st.floats(0, 100),
)
def test_what_is_told_with_gaps_stays_true_when_they_are_filled(
    runs: list[tuple[float | None, Outcome | None, Status]],
    filled: tuple[float, Outcome, Status],
    name: str,
    limit: float,
) -> None:
    limit = limit / 100 if name == "success_rate" else limit
    usd, outcome, ended = filled
    before = [entry(cost, outcome=told, status=status) for cost, told, status in runs]
    after = []
    for run, (cost, told, status) in zip(before, runs, strict=True):
        # The rate is of judged runs: one that its surroundings ended is none of its gaps.
        is_gap = told is None and not is_infrastructure_failure(run)
        after.append(
            entry(
                usd if cost is None else cost,
                outcome=outcome if is_gap else told,
                status=ended if status is Status.UNKNOWN else status,
            )
        )
    verdict = gate(name, MeasureLimits(max=limit), before).verdict
    later = gate(name, MeasureLimits(max=limit), after)
    no_rate_is_left = name == "success_rate" and later.figure == "–"
    assert verdict in (INCOMPLETE, later.verdict) or no_rate_is_left


@given(st.lists(st.one_of(st.none(), st.floats(0, 100)), min_size=1, max_size=8), st.floats(0, 100))
def test_a_gate_of_known_figures_is_never_unproven(costs: list[float | None], limit: float) -> None:
    known = [entry(cost) for cost in costs if cost is not None]
    result = gate("total_cost_usd", MeasureLimits(max=limit), known)
    assert result.passed == (math.fsum(each.run.cost_usd or 0 for each in known) <= limit)


def test_a_check_without_a_list_price_says_nothing_of_it() -> None:
    check = PriceCheck((), None, None, None, None)
    assert reconciles(priced(3.0, 3.0), check) is True


@pytest.mark.parametrize(
    ("values", "statistic", "limits", "verdict"),
    [
        ([1.0, 4.0], "mean", MeasureLimits(min=2, max=2), PASSED),
        ([1.0, 4.0], "median", MeasureLimits(min=2.5, max=2.5), PASSED),
        ([1.0, 1.0, 1.0, None], "median", MeasureLimits(min=1.1), FAILED),
        ([1.0, 2.0, 3.0, None], "median", MeasureLimits(min=1.1), PASSED),
        ([1.0, 2.0, None, None], "median", MeasureLimits(min=1.1), INCOMPLETE),
        ([9.0, 9.0, None], "mean", MeasureLimits(min=1.1), INCOMPLETE),
        ([None], "mean", MeasureLimits(min=1.1), INCOMPLETE),
    ],
)
def test_a_score_passes_only_if_it_holds_whatever_the_runs_without_one_have(
    values: list[float | None], statistic: str, limits: MeasureLimits, verdict: GateVerdict
) -> None:
    """The mean of ratios is the geometric one."""
    runs = [
        replace(
            entry(),
            id=str(at),
            scores=() if each is None else (Score("speedup", each, "x", is_ratio=True),),
        )
        for at, each in enumerate(values)
    ]
    told = gate(f"score.speedup.{statistic}", limits, runs)
    assert (told.verdict, told.label) == (verdict, f"{statistic.capitalize()} speedup")


def judged(outcomes: str, task: str = "t", model: str | None = None) -> list[Entry]:
    return [replace(entry(outcome=OUTCOMES[each]), task=task, model=model) for each in outcomes]


def on_tasks(*outcomes: str, model: str | None = None) -> list[Entry]:
    return [run for at, each in enumerate(outcomes) for run in judged(each, f"t{at}", model)]


@pytest.mark.parametrize(
    ("outcomes", "limits", "verdict"),
    [
        (["ppp"] * 20, MeasureLimits(min=0.6, test="lower_bound"), PASSED),
        # 67 %, and the interval begins below 60 %
        (["ppf"] * 6, MeasureLimits(min=0.6, test="lower_bound"), UNDECIDED),
        (["pff"] * 6, MeasureLimits(min=0.6, test="lower_bound"), FAILED),
        (["ppp"] * 2, MeasureLimits(min=0.6, test="lower_bound"), UNDECIDED),  # no interval
        ([*["ppp"] * 20, "?"], MeasureLimits(min=0.6, test="lower_bound"), INCOMPLETE),
        ([*["ppp"] * 20, "?"], MeasureLimits(min=0.6, test="lower_bound", unknown="allow"), PASSED),
        ([*["fff"] * 20, "?"], MeasureLimits(min=0.6, test="lower_bound"), FAILED),
        (["pp?"], MeasureLimits(min=0.7), INCOMPLETE),
        (["pp?"], MeasureLimits(min=0.7, unknown="allow"), PASSED),
        (["pp?"], MeasureLimits(min=0.7, unknown=0.34), PASSED),
        (["pp?"], MeasureLimits(min=0.7, unknown=0.33), INCOMPLETE),
        (["pf?"], MeasureLimits(min=0.7, unknown="allow"), FAILED),
        (["???"], MeasureLimits(min=0.7, unknown="allow"), INCOMPLETE),  # nothing is left
        (["eee"], MeasureLimits(min=0.7, unknown="allow"), INCOMPLETE),
    ],
)
def test_a_gate_on_what_is_sure(
    outcomes: list[str], limits: MeasureLimits, verdict: GateVerdict
) -> None:
    runs = on_tasks(*outcomes)
    assert gate("success_rate", limits, runs).verdict is verdict
    assert gate("success_rate", limits, runs[::-1]) == gate("success_rate", limits, runs)


def test_an_interval_that_begins_just_below_its_limit_never_looks_like_the_limit() -> None:
    runs = on_tasks(*["ppf", "ppp"] * 10)
    low = success(runs).interval.low  # type: ignore[union-attr]
    told = gate("success_rate", MeasureLimits(min=low + 0.00004, test="lower_bound"), runs)
    limit = told.limit.removeprefix("at least ").split("%")[0]
    assert told.verdict is UNDECIDED
    assert float(told.why.removeprefix("The interval begins at ").rstrip("%.")) == pytest.approx(
        100 * low, abs=1e-3
    )
    assert told.why != f"The interval begins at {limit}%."


@pytest.mark.parametrize(
    ("outcomes", "limits", "verdict", "figure"),
    [
        (["ppp", "ppf"], MeasureLimits(min=0.5), PASSED, "50% on 2 tasks"),
        (["ppp", "ppf"], MeasureLimits(min=0.6), FAILED, "50% on 2 tasks"),
        (["pppf"], MeasureLimits(min=0.25), PASSED, "25% on 1 task"),  # C(3, 3) / C(4, 3)
        (
            ["ppp", "pp"],
            MeasureLimits(min=0.5),
            PASSED,
            "100% on 1 task",
        ),  # whatever the second would be
        (["ppp", "pp"], MeasureLimits(min=0.6), INCOMPLETE, "100% on 1 task"),
        (["ppp", "pp"], MeasureLimits(min=0.6, unknown="allow"), PASSED, "100% on 1 task"),
        (["ppp", "ppp?"], MeasureLimits(min=0.6), INCOMPLETE, "100% on 1 task"),
        (["ppp", "pppe"], MeasureLimits(min=1), PASSED, "100% on 2 tasks"),
        (["pp"], MeasureLimits(min=0.1, unknown="allow"), INCOMPLETE, "–"),
        ([], MeasureLimits(min=0.1), INCOMPLETE, "–"),
        (
            ["ppp"] * 9 + ["fff"],
            MeasureLimits(min=0.5, test="lower_bound"),
            PASSED,
            "90% on 10 tasks",
        ),
        (["ppp"] * 9, MeasureLimits(min=0.5, test="lower_bound"), PASSED, "100% on 9 tasks"),
        (
            ["ppp"] * 3 + ["fff"] * 2,
            MeasureLimits(min=0.5, test="lower_bound"),
            UNDECIDED,
            "60% on 5 tasks",
        ),
    ],
)
def test_a_gate_on_attempts_that_all_pass(
    outcomes: list[str], limits: MeasureLimits, verdict: GateVerdict, figure: str
) -> None:
    told = gate("pass^3", limits, on_tasks(*outcomes))
    assert (told.verdict, told.figure.partition(", 95%")[0]) == (verdict, figure)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("total_cost_usd", PASSED),
        ("median_cost_usd", PASSED),
        ("failed", PASSED),
        ("unreconciled", PASSED),
    ],
)
def test_every_gate_of_runs_can_allow_what_is_unknown(name: str, verdict: GateVerdict) -> None:
    runs = [entry(1.0), replace(entry(None, ledger=False), run=Run("t", Status.UNKNOWN))]
    assert gate(name, MeasureLimits(max=2), [*runs, *runs[1:] * 3]).verdict is not FAILED
    told = gate(name, MeasureLimits(max=1, unknown="allow"), [*runs, *runs[1:] * 3])
    assert told.verdict is verdict
    assert "Left out: " in told.why


def test_attempts_of_different_configurations_are_not_attempts_of_one() -> None:
    runs = [*on_tasks("ppp", model="A"), *on_tasks("fff", model="B")]
    assert gate("pass^3", MeasureLimits(min=0.5), runs).verdict is PASSED
    apart = [run for model in "ABC" for run in on_tasks("p", model=model)]
    assert gate("pass^3", MeasureLimits(min=0.5), apart).verdict is INCOMPLETE


def results(limits: MeasureLimits, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    checks = {each.id: PriceTable.load().check(each.run) for each in entries}
    return [
        (each.name, each.verdict.value)
        for each in evaluate({"success_rate": limits}, entries, checks, [])
    ]


def test_a_gate_of_each_group_has_a_result_of_each() -> None:
    runs = [*on_tasks("pp", "pf", model="B"), *on_tasks("ff", "pf", model="A")]
    expected = [("success_rate[A]", "failed"), ("success_rate[B]", "passed")]
    assert results(MeasureLimits(min=0.5, by="model"), runs) == expected
    assert results(MeasureLimits(min=0.5, by="model"), runs[::-1]) == expected
    assert results(MeasureLimits(min=0.5, where={"model": "B"}), runs) == expected[1:]
    assert results(MeasureLimits(min=0.5, by="model", where={"task": "t1"}), runs) == [
        ("success_rate[t1, A]", "passed"),
        ("success_rate[t1, B]", "passed"),
    ]


def test_a_gate_of_a_group_without_runs_is_not_proven() -> None:
    runs = on_tasks("pp", model="B")
    assert results(MeasureLimits(min=0.5, where={"model": "C"}), runs) == [
        ("success_rate[C]", "incomplete")
    ]
    assert results(MeasureLimits(min=0.5, by="campaign"), runs) == [("success_rate", "incomplete")]


GROUPED = [*on_tasks("ppp", "ppf", model="B"), *on_tasks("fff", "fff", model="A")]


def placed(
    cost: float | None = 1.0, outcomes: str = "", model: str | None = None, task: str = "t9"
) -> list[Entry]:
    return [
        replace(entry(cost, outcome=OUTCOMES[each]), task=task, model=model) for each in outcomes
    ]


@pytest.mark.parametrize(
    ("name", "limits", "stray", "verdicts"),
    [
        ("success_rate", MeasureLimits(min=0.5), placed(outcomes=""), [FAILED, PASSED]),
        (
            "success_rate",
            MeasureLimits(min=0.5),
            placed(outcomes="p"),
            [FAILED, PASSED],
        ),  # 5 of 7, whatever the group
        (
            "success_rate",
            MeasureLimits(min=0.5),
            placed(outcomes="ffffff"),
            [INCOMPLETE, INCOMPLETE],
        ),
        (
            "success_rate",
            MeasureLimits(min=0.5),
            placed(outcomes="eeeeee"),
            [FAILED, PASSED],
        ),  # in no rate
        (
            "success_rate",
            MeasureLimits(min=0.5, unknown="allow"),
            placed(outcomes="ffffff"),
            [FAILED, PASSED],
        ),
        (
            "success_rate",
            MeasureLimits(min=0.5, unknown=0.5),
            placed(outcomes="ffffff"),
            [FAILED, PASSED],
        ),
        (
            "success_rate",
            MeasureLimits(min=0.5, unknown=0.49),
            placed(outcomes="ffffff"),
            [INCOMPLETE, INCOMPLETE],
        ),
        (
            "success_rate",
            MeasureLimits(min=0.1, test="lower_bound"),
            placed(outcomes="p"),
            [INCOMPLETE, INCOMPLETE],
        ),
        (
            "success_rate",
            MeasureLimits(min=0.5),
            placed(outcomes="ffffff", model="C"),
            [FAILED, PASSED, FAILED],
        ),
        ("total_cost_usd", MeasureLimits(max=6), placed(outcomes=""), [PASSED, PASSED]),
        ("total_cost_usd", MeasureLimits(max=7), placed(outcomes="?"), [INCOMPLETE, INCOMPLETE]),
        ("total_cost_usd", MeasureLimits(max=5), placed(outcomes="?"), [FAILED, FAILED]),
        (
            "total_cost_usd",
            MeasureLimits(max=7, unknown="allow"),
            placed(outcomes="?"),
            [PASSED, PASSED],
        ),
        ("median_cost_usd", MeasureLimits(max=1), placed(outcomes="?"), [PASSED, PASSED]),
        ("runs", MeasureLimits(min=7), placed(outcomes="?"), [INCOMPLETE, INCOMPLETE]),
        ("runs", MeasureLimits(min=7, unknown="allow"), placed(outcomes="?"), [FAILED, FAILED]),
        ("runs", MeasureLimits(max=7), placed(outcomes="?"), [PASSED, PASSED]),
        ("failed", MeasureLimits(max=0), placed(outcomes="?"), [INCOMPLETE, INCOMPLETE]),
        ("failed", MeasureLimits(max=1), placed(outcomes="?"), [PASSED, PASSED]),
        ("unreconciled", MeasureLimits(max=0), placed(outcomes="?"), [INCOMPLETE, INCOMPLETE]),
        ("pass^3", MeasureLimits(min=0.4), placed(outcomes="ppp"), [FAILED, INCOMPLETE]),
        (
            "pass^3",
            MeasureLimits(min=0.4, unknown="allow"),
            placed(outcomes="ppp"),
            [FAILED, PASSED],
        ),
    ],
)
def test_a_run_that_may_be_in_a_group_is_unknown_in_it(
    name: str, limits: MeasureLimits, stray: list[Entry], verdicts: list[GateVerdict]
) -> None:
    runs = [*GROUPED, *stray]
    checks = {each.id: PriceTable.load().check(each.run) for each in runs}
    told = evaluate({name: replace(limits, by="model")}, runs, checks, [])
    assert [each.verdict for each in told] == verdicts
    assert evaluate({name: replace(limits, by="model")}, runs[::-1], checks, []) == told
    some = [
        f"the model of {len(stray)} of {len(stray) + 6} runs is not known" in each.why
        for each in told
    ]
    is_said = bool(stray) and stray[0].model is None
    assert all(some) if is_said and INCOMPLETE in verdicts else not any(some) or is_said
    by_where = [
        evaluate({name: replace(limits, where={"model": at})}, runs, checks, []) for at in "AB"
    ]
    assert [each.verdict for (each,) in by_where] == verdicts[:2]


def test_a_run_that_is_sure_to_be_elsewhere_is_not_unknown() -> None:
    limits = MeasureLimits(min=0.5, by="model", where={"task": "t0"})
    stray = placed(outcomes="ffffff")  # of another task
    assert results(limits, [*GROUPED, *stray]) == results(limits, GROUPED)
    of_one = [replace(each, task=None, model="B") for each in stray]  # of a model that is known
    assert results(limits, [*GROUPED, *of_one]) == [
        ("success_rate[t0, A]", "failed"),
        ("success_rate[t0, B]", "incomplete"),
    ]


@pytest.mark.parametrize("limits", [{"by": "modell"}, {"where": {"modell": "A"}}])
@pytest.mark.parametrize("name", ["runs", "success_rate", "total_cost_usd"])
def test_a_gate_on_groups_that_no_run_can_be_in_has_not_passed(
    name: str, limits: dict[str, Any]
) -> None:
    held = MeasureLimits(min=0, **limits, unknown="allow")
    (found,) = evaluate({name: held}, GROUPED, {}, [], part=lambda *_: None)
    assert found.verdict is INCOMPLETE and "modell" in found.why


# Against a baseline

TASKS = "abcdefghijkl"


def earlier(
    passed: Sequence[int],
    cost: float = 1.0,
    *,
    unjudged: int = 0,
    costs: int = 5,
    lost: int = 0,
    computed: int | None = None,
    strays: int = 0,
) -> CampaignFigures:
    """Tasks of one model with five judged runs each; the first has `unjudged` more, and so few `costs`; of each task
    so many are `computed`. Further runs are `strays` of unknown models."""
    made = []
    for at, (task, n) in enumerate(zip(TASKS, passed, strict=False)):
        own = tuple(cost * (1 + at / 10) * factor for factor in (0.8, 0.9, 1.0, 1.1, 1.2))
        extra = 0 if at else unjudged
        known = own[: 5 if at else costs]
        made.append(
            Attempts(
                task, "m", 5, 5 - extra, min(n, 5 - extra), known, unjudged=extra, computed=computed
            )
        )
    alone = [Attempts(task, "", 1, 1, 0, (1.0,)) for task in TASKS[:strays]]
    return CampaignFigures(
        "c", "2026-11-01", 5 * len(made), tuple(made), unreadable=lost, strays=tuple(alone)
    )


SAME, WORSE = [5] * 12, [0] * 12


@pytest.mark.parametrize(
    ("name", "limit", "before", "now", "verdict"),
    [
        ("cost.increase", 0.2, earlier(SAME), earlier(SAME, 1.1), PASSED),
        ("cost.increase", 0.2, earlier(SAME), earlier(SAME, 1.2), PASSED),  # at the limit
        ("cost.increase", 0.2, earlier(SAME), earlier(SAME, 1.3), FAILED),
        ("cost.decrease", 0.2, earlier(SAME), earlier(SAME, 1.3), PASSED),
        ("cost.decrease", 0.2, earlier(SAME), earlier(SAME, 0.7), FAILED),
        ("cost.increase", 0.2, earlier(SAME), earlier(SAME, 1.1, costs=4), INCOMPLETE),
        ("cost.increase", 0.2, earlier(SAME, costs=4), earlier(SAME, 1.1), INCOMPLETE),
        ("cost.increase", 0.2, earlier(SAME, lost=1), earlier(SAME, 1.1), INCOMPLETE),
        ("cost.increase", 0.2, earlier(SAME, lost=1), earlier(SAME, 1.3), FAILED),
        (
            "cost.increase",
            0.2,
            earlier([5]),
            earlier([5], 1.3),
            UNDECIDED,
        ),  # too few tasks for an interval
        ("cost.increase", 0.2, earlier([]), earlier(SAME), INCOMPLETE),
        ("cost.increase", 0.2, earlier(SAME, computed=5), earlier(SAME, 1.1, computed=5), PASSED),
        (
            "cost.increase",
            0.2,
            earlier(SAME, computed=0),
            earlier(SAME, 1.3, computed=5),
            INCOMPLETE,
        ),
        (
            "cost.increase",
            0.2,
            earlier(SAME, computed=1),
            earlier(SAME, 1.3, computed=1),
            INCOMPLETE,
        ),
        (
            "cost.increase",
            0.2,
            earlier(SAME),
            earlier(SAME, 1.3, computed=5),
            FAILED,
        ),  # an older history
        ("cost.increase", 0.2, earlier(SAME), earlier(SAME, strays=1), INCOMPLETE),
        ("success.decrease", 0.05, earlier(SAME, strays=1), earlier(SAME), INCOMPLETE),
        (baseline.NEWLY_FAILING, 2, earlier(SAME), earlier(SAME, strays=3), INCOMPLETE),
        (baseline.NEWLY_FAILING, 3, earlier(SAME), earlier(SAME, strays=3), PASSED),
        (baseline.NEWLY_FAILING, 0, earlier(SAME, strays=3), earlier(SAME), PASSED),
        ("success.decrease", 0.05, earlier(SAME, computed=0), earlier(SAME, computed=5), PASSED),
        ("success.decrease", 0.05, earlier(SAME), earlier(SAME), PASSED),
        ("success.decrease", 0.05, earlier(SAME), earlier(WORSE), FAILED),
        ("success.decrease", 0.05, earlier(SAME), earlier([1, *SAME[1:]]), UNDECIDED),
        ("success.decrease", 0.05, earlier(SAME), earlier(SAME, unjudged=1), INCOMPLETE),
        (baseline.NEWLY_FAILING, 0, earlier(SAME), earlier(SAME), PASSED),
        (baseline.NEWLY_FAILING, 0, earlier(SAME[:1]), earlier(WORSE[:1]), FAILED),
        (baseline.NEWLY_FAILING, 0, earlier(SAME), earlier([0, *SAME[1:]]), UNDECIDED),
        (baseline.NEWLY_FAILING, 1, earlier(SAME), earlier([0, *SAME[1:]]), PASSED),
        (baseline.NEWLY_FAILING, 0, earlier(SAME), earlier(SAME, unjudged=1), INCOMPLETE),
        (
            baseline.NEWLY_FAILING,
            0,
            earlier(SAME),
            earlier(SAME, unjudged=5),
            INCOMPLETE,
        ),  # the task that may fail
        (baseline.NEWLY_FAILING, 0, earlier(SAME, unjudged=5), earlier(SAME), INCOMPLETE),
        (baseline.NEWLY_FAILING, 1, earlier(SAME), earlier(SAME, unjudged=1), PASSED),
        (baseline.NEWLY_FAILING, 9, earlier(SAME, lost=1), earlier(SAME), INCOMPLETE),
        (baseline.NEWLY_FAILING, 0, earlier([]), earlier(SAME), INCOMPLETE),
    ],
)
def test_a_gate_against_a_baseline(
    name: str, limit: float, before: CampaignFigures, now: CampaignFigures, verdict: str
) -> None:
    (told,) = baseline.evaluate({name: limit}, before, now)
    assert told.verdict is verdict
    computed = {each.computed for each in (*before.attempts, *now.attempts)}
    assert told.figure.startswith("≈ ") is (name == "cost.increase" and 5 in computed <= {5, None})
    assert "proven" not in told.why and bool(told.why) is (
        verdict is not PASSED
    )  # the verdict says it
    backwards = [replace(each, attempts=each.attempts[::-1]) for each in (before, now)]
    assert baseline.evaluate({name: limit}, *backwards)[0].verdict is verdict


@pytest.mark.parametrize(
    ("unknown", "verdict"),
    [("incomplete", INCOMPLETE), (0.01, INCOMPLETE), (0.5, PASSED), ("allow", PASSED)],
)
def test_a_run_without_the_figure_may_be_left_out_against_a_baseline(
    unknown: str | float, verdict: str
) -> None:
    sides = earlier(SAME), earlier(SAME, unjudged=1)
    (told,) = baseline.evaluate(
        {"success.decrease": 0.05}, *sides, baseline.Terms({"success": unknown})
    )
    assert told.verdict is verdict and ("Left out: " in told.why) is (verdict is PASSED)


def with_verdicts(*words: str | None) -> list[Entry]:
    """Runs that all pass, with these words of the verdict `hard`."""
    return [
        replace(
            entry(outcome=Outcome.PASS),
            id=f"run-{number}",
            derived=(("verdict.hard", word),) if word else (),
        )
        for number, word in enumerate(words)
    ]


@pytest.mark.parametrize(
    ("words", "limits", "verdict", "figure"),
    [
        (("pass", "pass", "fail"), MeasureLimits(min=0.5), PASSED, "67% of 3 judged runs"),
        (("pass", "fail", "fail"), MeasureLimits(min=0.5), FAILED, "33% of 3 judged runs"),
        (("pass", None, "fail"), MeasureLimits(min=0.5), INCOMPLETE, "50% of 2 judged runs"),
        ((None, None), MeasureLimits(min=0.5), INCOMPLETE, "–"),
        (
            ("pass", None),
            MeasureLimits(min=0.5, unknown="allow"),
            PASSED,
            "100% of 1 judged run",
        ),
    ],
)
def test_a_gate_on_a_verdict_counts_it_as_the_outcome(
    words: tuple[str | None, ...], limits: MeasureLimits, verdict: GateVerdict, figure: str
) -> None:
    result = gate("verdict.hard", limits, with_verdicts(*words))
    assert (result.verdict, result.figure, result.label) == (verdict, figure, "Hard rate")


def test_a_run_of_an_unknown_group_has_no_verdict_there() -> None:
    runs = [*with_verdicts("pass", "pass"), *with_verdicts("fail")]
    runs = [replace(run, id=str(number)) for number, run in enumerate(runs)]
    groups = ("a", "a", None)
    limit = MeasureLimits(min=1, by="kind")
    (result,) = evaluate(
        {"verdict.hard": limit}, runs, {}, [], part=lambda run, _: groups[int(run.id)]
    )
    assert (result.name, result.verdict) == ("verdict.hard[a]", INCOMPLETE)


@pytest.mark.parametrize("name", ["total_cost_usd", "median_cost_usd"])
def test_a_cost_that_is_an_estimate_is_marked(name: str) -> None:
    reported = entry(1.0)
    estimated = replace(reported, run=replace(reported.run, cost_is_estimated=True))
    assert gate(name, MeasureLimits(max=5), [reported, estimated]).figure.startswith("≈ $")
    assert gate(name, MeasureLimits(max=5), [reported]).figure.startswith("$")
