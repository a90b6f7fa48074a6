"""Whose usage is whose: judges, simulated users and other roles beside the agent."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Outcome, Run
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.run.money import judge_note
from tests.readers.harness.test_harness import kinds, run_of
from tests.support.harness_runs import BASE_STATE, PROMPTFOO, promptfoo_entry, usage_of

SOLVER, JUDGE = "openai/gpt-5.5", "anthropic/claude-opus-5"


def usage(sent: int, output: int, **more: Any) -> dict[str, Any]:
    return {"input_tokens": sent, "output_tokens": output, "total_tokens": sent + output, **more}


def call(model: str, sent: int, output: int, **more: Any) -> dict[str, Any]:
    return {"event": "model", "model": model, "output": {"usage": usage(sent, output)}, **more}


def log(
    model: str | None = SOLVER, scorer: str = "model_graded_qa", **sample: Any
) -> dict[str, Any]:
    """A log of one sample; `roles` and `options` are those of the evaluation."""
    roles, options = sample.pop("roles", None), sample.pop("options", {})
    spec = {
        "task": "kiln",
        "model": model,
        "model_roles": roles,
        "scorers": [{"name": scorer, "options": options}],
    }
    base = {
        "id": "p1",
        "epoch": 1,
        "uuid": "u1",
        "messages": [{"role": "assistant", "content": "ash", "model": "gpt-5.5"}],
        "scores": {scorer: {"value": "C"}},
    }
    return {"version": 2, "status": "success", "eval": spec, "samples": [base | sample]}


BOTH = {SOLVER: usage(100, 10), JUDGE: usage(4000, 400)}
GRADER = {"grader": {"model": JUDGE}}
SPAN = [
    {"event": "span_begin", "id": "s", "type": "scorers"},
    {"event": "span_begin", "id": "t", "parent_id": "s"},
]
STEPS = [
    {"event": "step", "action": "begin", "type": "scorer"},
    {"event": "step", "action": "end", "type": "scorer"},
]


def judged(run: Run) -> dict[str | None, int | None]:
    return {line.model: line.tokens.total for line in run.judge}


@pytest.mark.parametrize(
    "sample",
    [
        {"roles": GRADER},
        {"roles": {"grader": JUDGE}},
        {"roles": {"Red-Team": {"model": JUDGE}}},
        {"roles": {"grader": [{"model": JUDGE}, {"model": "openai/gpt-9"}]}},
        {"roles": {"user": {"model": "claude-opus-5"}}},
        {"roles": GRADER, "role_usage": {"grader": usage(4000, 400)}},
        {"role_usage": {"grader": usage(4000, 400)}},
        {"options": {"model": JUDGE}},
        {"events": [call(SOLVER, 100, 10), *SPAN, call(JUDGE, 4000, 400, span_id="t")]},
        {"events": [call(SOLVER, 100, 10), STEPS[0], call(JUDGE, 4000, 400), STEPS[1]]},
        {"events": [call(SOLVER, 100, 10), call(JUDGE, 4000, 400, role="grader")]},
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_usage_of_a_judge_is_in_no_figure_of_the_agent(sample: dict[str, Any], order: int) -> None:
    usages = dict(list(BOTH.items())[::order])
    run = run_of(log(model_usage=usages, **sample))
    assert (run.model, kinds(run), judged(run)) == (SOLVER, (100, 0, 0, 10), {JUDGE: 4400})
    assert not run.caveats


@pytest.mark.parametrize(
    "sample",
    [
        {"roles": {"grader": {"model": SOLVER}}, "role_usage": {"grader": usage(60, 6)}},
        {"events": [call(SOLVER, 40, 4), *SPAN, call(SOLVER, 60, 6, span_id="t")]},
        {
            "events": [
                call(SOLVER, 40, 4),
                STEPS[0],
                call(SOLVER, 60, 6),
                STEPS[1],
                call(SOLVER, 0, 0),
            ]
        },
        {
            "roles": {"user": SOLVER},
            "events": [call(SOLVER, 60, 6, role="user"), call(SOLVER, 40, 4)],
        },
    ],
)
def test_a_model_that_solves_and_judges_counts_for_each_its_own(sample: dict[str, Any]) -> None:
    run = run_of(log(model_usage={SOLVER: usage(100, 10, input_tokens_cache_read=0)}, **sample))
    assert (kinds(run), judged(run), run.caveats) == ((40, 0, 0, 4), {SOLVER: 66}, ())


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ({"roles": {"grader": {"model": SOLVER}}}, "does not separate"),
        (
            {},
            "does not separate",
        ),  # the scorer asks the evaluated model where no role names another
        (
            {
                "roles": GRADER,
                "messages": [{"role": "assistant", "content": "a", "model": "claude-opus-5"}],
                "model_usage": BOTH,
            },
            "does not separate",
        ),
        (
            {"roles": {"grader": SOLVER}, "role_usage": {"grader": usage(900, 6)}},
            "counts more tokens",
        ),
        ({"scorer": "match", "model_usage": BOTH}, "does not say whether"),
        (
            {
                "roles": {"researcher": JUDGE},
                "role_usage": {"researcher": usage(4000, 400)},
                "scorer": "match",
                "model_usage": BOTH,
            },
            "the role “researcher” is",
        ),
        (
            {
                "roles": {"Browser": JUDGE},
                "events": [call(JUDGE, 4000, 400, role="Browser")],
                "scorer": "match",
                "model_usage": BOTH,
            },
            "the role “Browser” is",
        ),
        (
            {"roles": {"reasoner": JUDGE}, "scores": {}, "model_usage": BOTH},
            "the role “reasoner” is",
        ),
        ({"roles": {"reasoner": SOLVER}, "scorer": "match"}, "the role “reasoner” is"),
    ],
)
def test_usage_that_cannot_be_separated_stays_with_the_agent_and_is_said(
    sample: dict[str, Any], said: str
) -> None:
    usages = sample.get("model_usage", {SOLVER: usage(100, 10)})
    run = run_of(log(**{"model_usage": usages, **sample}))
    assert run.tokens.total == sum(each["total_tokens"] for each in usages.values())
    (caveat,) = run.caveats
    assert caveat.code == "W_JUDGE"
    assert said in caveat.text
    assert (run.judge, run.model) == ((), SOLVER)


def test_a_model_in_an_unknown_role_that_scorers_ask_is_a_judge() -> None:
    events = [call(SOLVER, 100, 10), *SPAN, call(JUDGE, 4000, 400, span_id="t", role="examiner")]
    run = run_of(log(model_usage=BOTH, roles={"examiner": JUDGE}, events=events))
    assert (kinds(run), judged(run), run.caveats) == ((100, 0, 0, 10), {JUDGE: 4400}, ())


@pytest.mark.parametrize(("odd", "is_lower_bound"), [(SOLVER, True), (JUDGE, False)])
def test_counts_that_contradict_each_other_are_a_lower_bound_of_the_agent_alone(
    odd: str, is_lower_bound: bool
) -> None:
    usages = BOTH | {odd: BOTH[odd] | {"total_tokens": 99_999}}
    run = run_of(log(model_usage=usages, roles=GRADER))
    assert run.ledger_is_lower_bound is is_lower_bound
    assert [caveat.code for caveat in run.caveats] == ["W_CONTRADICTION"]
    assert ("lower bound" in run.caveats[0].text) is is_lower_bound


@pytest.mark.parametrize(
    "sample",
    [
        {"messages": [{"role": "assistant", "content": "a", "model": "claude-opus-5"}]},
        {"roles": {"planner": JUDGE}},
        {"roles": {"planner": JUDGE}, "role_usage": {"planner": usage(4000, 400)}},
        {"scores": {}},  # nobody judged it yet
    ],
)
def test_an_agent_of_two_models_has_the_usage_of_both(sample: dict[str, Any]) -> None:
    run = run_of(log(scorer="match", model_usage=BOTH, **sample))
    assert (run.tokens.total, run.judge, run.caveats, run.model) == (4510, (), (), SOLVER)


@pytest.mark.parametrize(
    ("model", "key"), [("openai/azure/gpt-5.5", SOLVER), (SOLVER, "openai/azure/gpt-5.5")]
)
def test_the_evaluated_model_is_known_by_another_route(model: str, key: str) -> None:
    usages = {JUDGE: usage(4000, 400), key: usage(100, 10)}
    run = run_of(log(model=model, model_usage=usages, roles=GRADER))
    assert (run.model, run.tokens.total) == (key, 110)


def test_without_an_evaluated_model_only_known_judges_are_judges() -> None:
    roles = {"target": SOLVER, "auditor": JUDGE}
    run = run_of(log(model="none/none", model_usage=BOTH, roles=roles))
    assert (run.model, run.tokens.total, judged(run)) == (SOLVER, 110, {JUDGE: 4400})


def test_the_cost_of_a_judge_is_its_own() -> None:
    usages = {SOLVER: usage(100, 10, total_cost=0.25), JUDGE: usage(4000, 400, total_cost=2.5)}
    run = PriceTable.load().computed(run_of(log(model_usage=usages, roles=GRADER)))
    assert (run.cost_usd, run.judge_usd) == (0.25, 2.5)
    run = PriceTable.load().computed(run_of(log(model_usage=BOTH, roles=GRADER)))
    assert run.computed_cost_usd is not None
    assert run.judge_usd is not None
    assert run.judge_usd > run.computed_cost_usd
    run = PriceTable.load().computed(
        run_of(log(model_usage=BOTH | {"x/y": usage(1, 1)}, roles={"judge": "x/y"}))
    )
    assert (run.judge_usd, judged(run)) == (None, {"x/y": 2})


@pytest.mark.parametrize(
    "odd",
    [
        {"roles": [1, "x"]},
        {"roles": {"grader": 5}},
        {"role_usage": [3]},
        {"role_usage": {"grader": "much"}},
        {"role_usage": {"grader": {"input_tokens": -5, "output_tokens": 1e300}}},
        {"events": [1, {"event": []}]},
        {
            "events": [
                {"event": "span_begin", "id": 7, "type": ["scorer"]},
                {"event": "step", "type": {}},
            ]
        },
        {"events": [call(SOLVER, 1, 1) | {"span_id": []}]},
        {"roles": {"grader": [[JUDGE], {"model": []}]}},
        {"options": "model"},
    ],
)
def test_odd_types_are_no_roles(odd: dict[str, Any]) -> None:
    run = run_of(log(scorer="match", model_usage={SOLVER: usage(100, 10)}, **odd))
    assert (run.tokens.total, run.judge) == (110, ())


@pytest.mark.parametrize(
    ("scores", "outcome", "numbers"),
    [
        ({"a": {"value": "C"}, "b": {"value": "I"}}, None, {"a": 1, "b": 0}),
        ({"b": {"value": "I"}, "a": {"value": "C"}}, None, {"a": 1, "b": 0}),
        ({"a": {"value": "P"}, "b": {"value": "C"}}, None, {"a": 0.5, "b": 1}),
        ({"a": {"value": {"style": True, "tests": False}}}, None, {"a style": 1, "a tests": 0}),
        ({"a": {"value": {"tests": "I"}}}, Outcome.FAIL, {}),
        ({"a": {"value": "C"}}, Outcome.PASS, {}),
        ({"a": {"value": "C"}, "speed": {"value": 3.5}}, None, {"a": 1, "speed": 3.5}),
    ],
)
def test_several_scorers_give_scores_and_no_verdict(
    scores: dict[str, Any], outcome: Outcome | None, numbers: dict[str, float]
) -> None:
    run = run_of(log(scorer="a", model_usage={SOLVER: usage(1, 1)}, scores=scores))
    assert run.outcome is outcome
    assert {score.name: score.value for score in run.scores} == numbers


def test_a_sample_that_lacks_one_of_several_scorers_has_no_verdict_either() -> None:
    several = log(scorer="a", model_usage={SOLVER: usage(1, 1)})
    several["eval"]["scorers"].append({"name": "b"})
    assert run_of(several).outcome is None


def test_graders_of_promptfoo_and_critics_of_openhands_are_judges() -> None:
    entry = promptfoo_entry(0, 0, passed=True)
    graded = {"total": 291, "prompt": 235, "completion": 56, "cached": 0}
    entry["gradingResult"] |= {"tokensUsed": graded}
    entry["gradingResult"]["componentResults"][0]["assertion"] |= {"provider": "openai:chat:sun-1"}
    run = run_of(PROMPTFOO | {"results": PROMPTFOO["results"] | {"results": [entry]}})
    assert (judged(run), run.tokens.total) == ({"sun-1": 291}, 28)
    uses = {"default": usage_of(250, 190, 19, 0.5), "critic": usage_of(40, 0, 4, 0.125)}
    run = run_of(BASE_STATE | {"stats": {"usage_to_metrics": uses}})
    assert (run.cost_usd, run.judge_usd, run.tokens.output) == (0.5, 0.125, 19)


def test_the_page_of_a_run_says_what_its_judges_used() -> None:
    usages = {SOLVER: usage(100, 10), JUDGE: usage(4000, 400, total_cost=2.5)}
    run = run_of(log(model_usage=usages, roles=GRADER))
    assert (
        judge_note(run)
        == "Judge: 4,400 tokens, $2.50. No figure of the run includes the judge’s usage."
    )
    assert judge_note(run_of(log(scorer="match", model_usage={SOLVER: usage(1, 1)}))) is None
