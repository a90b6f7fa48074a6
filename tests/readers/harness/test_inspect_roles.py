"""Whose the usage of a sample of Inspect is."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.harness.inspect_roles import Shares, evaluated_model, key_of


def use(sent: int, output: int = 0, cost: float | None = None) -> dict[str, Any]:
    return {
        "input_tokens": sent,
        "output_tokens": output,
        **({} if cost is None else {"total_cost": cost}),
    }


def shares(
    usages: dict[str, Any], spec: dict[str, Any] | None = None, **sample: Any
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """What the agent and the judges used, and what is doubtful."""
    found = Shares({"model": "agent/a", **(spec or {})}, {"model_usage": usages, **sample})
    return dict(found.agent), dict(found.judge), found.doubts


def doubt(text: str) -> list[str]:
    return [f"Its log {text}, so these tokens are among the agent’s."]


AGENT = {"agent/a": use(100, 10)}
BOTH = {"agent/a": use(100, 10), "judge/j": use(50, 5)}


@pytest.mark.parametrize(
    ("model", "found"),
    [("agent/a", "agent/a"), ("none", None), ("none/none", None), ("", None), (None, None)],
)
def test_the_evaluated_model(model: str | None, found: str | None) -> None:
    assert evaluated_model({"model": model}) == found


@pytest.mark.parametrize(
    ("model", "names", "key"),
    [
        (None, ["a"], None),
        ("a", ["a", "x/a"], "a"),
        ("x/A", ["y/z/a", "b", None], "y/z/a"),
        ("a", ["x/a", "y/a"], None),
        ("b", ["x/a"], None),
    ],
)
def test_a_model_is_named_as_in_the_usage(
    model: str | None, names: list[str | None], key: str | None
) -> None:
    assert key_of(model, names) == key


def test_without_a_judge_all_is_the_agents() -> None:
    assert shares(AGENT) == (AGENT, {}, [])
    assert shares({"odd": 5}) == ({"odd": {}}, {}, [])


def test_usage_of_the_role_of_a_judge_is_taken_from_its_model() -> None:
    roles = {"model_roles": {"grader": {"model": "agent/a"}}}
    agent, judge, doubts = shares(
        {"agent/a": use(100, 10, 1.0)}, roles, role_usage={"grader": use(30, 4, 0.25)}
    )
    assert agent == {"agent/a": use(70, 6, 0.75)}
    assert judge == {"agent/a": use(30, 4, 0.25)} and doubts == []


@pytest.mark.parametrize("paid", [1.5, None])
def test_a_cost_of_a_part_that_is_too_much_or_unknown_leaves_none(paid: float | None) -> None:
    roles = {"model_roles": {"grader": "agent/a"}}
    usage = {"agent/a": use(100, 10, 1.0)}
    agent, _, _ = shares(usage, roles, role_usage={"grader": use(30, 4, paid)})
    assert agent == {"agent/a": use(70, 6)}
    agent, _, _ = shares(usage, roles, role_usage={"grader": use(30, 4, 1.0)})
    assert agent == {"agent/a": use(70, 6, 0.0)}


def test_a_part_that_is_all_of_a_model_leaves_nothing_of_another() -> None:
    spec = {"model_roles": {"judge": "judge/j"}}
    agent, judge, _ = shares(BOTH, spec, role_usage={"judge": use(50, 5)})
    assert (agent, judge) == (AGENT, {"judge/j": use(50, 5)})
    # The evaluated model stays, even if it used nothing.
    own = {"model_roles": {"judge": "agent/a"}}
    agent, _, _ = shares(AGENT, own, role_usage={"judge": use(100, 10)})
    assert agent == {"agent/a": use(0, 0)}


def test_a_part_that_is_more_than_the_whole_is_doubtful() -> None:
    spec = {"model_roles": {"judge": "agent/a"}}
    said = doubt("counts more tokens for another role than agent/a used in all")
    assert shares(AGENT, spec, role_usage={"judge": use(101)}) == (AGENT, {}, said)
    assert shares(AGENT, spec, role_usage={"judge": {"total_tokens": 1}}) == (AGENT, {}, said)


def test_a_judge_without_a_model_is_the_other_model_that_used_enough() -> None:
    agent, judge, doubts = shares(BOTH, role_usage={"judge": use(50, 5), "agent": use(1)})
    assert (agent, judge, doubts) == (AGENT, {"judge/j": use(50, 5)}, [])
    three = BOTH | {"judge/k": use(50, 5)}
    agent, judge, doubts = shares(three, role_usage={"judge": use(50, 5), "x": use(1)})
    assert (agent, judge) == (three, {})
    assert doubts == doubt("does not say which model worked in the role “judge”")
    assert shares(three, role_usage={"judge": {}})[2] == []


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"event": kind, **fields}


def call(model: str, sent: int, **fields: Any) -> dict[str, Any]:
    return event("model", model=model, output={"usage": use(sent)}, **fields)


SPANS = [
    call("a", 1),
    event("span_begin", id="s1", type="scorers"),
    event("span_begin", id="s2", parent_id="s1", type="solver"),
    event("span_begin", id="s3", parent_id="s0", type="solver"),
    call("a", 2, span_id="s2"),
    call("a", 4, span_id="s3"),
    call("a", 8, span_id="s1"),
    event("tool", model="a", output={"usage": use(16)}, span_id="s1"),
]
STEPS = [
    event("step", action="begin", type="solver"),
    call("a", 1),
    event("step", action="begin", type="scorer"),
    call("a", 2),
    event("step", action="begin", type="scorer"),
    call("a", 4),
    event("step", action="end", type="scorer"),
    call("a", 8),
    event("step", action="end", type="scorer"),
    call("a", 16),
]
ROLES = [call("a", 1), call("a", 2, role="grader"), call("a", 4, role="solver")]


@pytest.mark.parametrize(
    ("events", "judged"), [(SPANS, 10), (STEPS, 14), (ROLES, 2), ([call("a", 1)], None)]
)
def test_calls_of_scorers_and_judges_are_theirs(
    events: list[dict[str, Any]], judged: int | None
) -> None:
    agent, judge, _ = shares(AGENT, events=events)
    assert agent["agent/a"]["input_tokens"] == 100 - (judged or 0)
    assert [usage["input_tokens"] for usage in judge.values()] == ([judged] if judged else [])


def test_the_cost_of_calls_is_known_if_each_has_one() -> None:
    def costs(*each: float | None) -> Any:
        events = [
            event("model", model="a", role="judge", output={"usage": use(1, 1, cost)})
            for cost in each
        ]
        return shares({"agent/a": use(100, 10, 9.0)}, events=events)[1]["agent/a"].get("total_cost")

    assert costs(0.25) == 0.25 and costs(0.25, 0.5) == 0.75
    assert costs(0.25, None) is None and costs(None, 0.25) is None


def test_what_a_role_counts_is_not_counted_again_by_calls() -> None:
    spec = {"model_roles": {"judge": "agent/a"}}
    _, judge, _ = shares(AGENT, spec, role_usage={"judge": use(30)}, events=ROLES)
    assert judge["agent/a"]["input_tokens"] == 30


@pytest.mark.parametrize(
    "scorer",
    [
        {"name": "s", "options": {"model": "judge/j"}},
        {"name": "s", "options": {"model": {"model": "judge/j"}}},
        {"name": "s", "options": {"model": {"name": "judge/j"}}},
        {"name": "s", "options": {"model": ["none", 3, "judge/j"]}},
    ],
)
def test_a_model_that_only_scores_is_a_judge(scorer: dict[str, Any]) -> None:
    agent, judge, doubts = shares(BOTH, {"scorers": [scorer]})
    assert (agent, judge, doubts) == (AGENT, {"judge/j": use(50, 5)}, [])


def test_a_model_that_scores_and_works_for_the_agent_is_doubtful() -> None:
    spec = {"scorers": [{"name": "s", "options": {"model": "judge/j"}}]}
    said = doubt("does not separate what judge/j used as a judge from what it used for the agent")
    messages = [{"model": "j"}]
    assert shares(BOTH, spec, messages=messages, scores={"s": 1}) == (BOTH, {}, said)
    assert shares(BOTH, spec, messages=messages) == (BOTH, {}, [])
    own = {"model_roles": {"editor": "judge/j"}, **spec}
    assert shares(BOTH, own, scores={"s": 1}) == (BOTH, {}, said)


def test_a_scorer_that_asks_a_model_asks_the_evaluated_one() -> None:
    said = doubt("does not separate what agent/a used as a judge from what it used for the agent")
    for name, found in (
        ("model_graded_qa", said),
        ("inspect_ai/model_graded_fact", said),
        ("match", []),
    ):
        spec = {"scorers": [{"name": name}]}
        assert shares(AGENT, spec, scores={"s": 1})[2] == found
        assert shares(AGENT, spec)[2] == []


def test_a_further_model_is_doubtful_where_something_was_scored() -> None:
    said = doubt("does not say whether judge/j worked for the agent or judged it")
    assert shares(BOTH, scores={"s": 1})[2] == said
    assert shares(BOTH)[2] == []
    assert shares(BOTH, {"model": "none"}, scores={"s": 1})[2] == []
    assert shares(BOTH, scores={"s": 1}, messages=[{"model": "judge/j"}])[2] == []


@pytest.mark.parametrize(
    ("role", "is_known"),
    [("editor", True), ("Sub-Agent", True), ("oracle", False), ("main", True)],
)
def test_a_role_that_nobody_knows_is_doubtful(role: str, is_known: bool) -> None:
    said = doubt(f"does not say whether the role “{role}” is the agent’s or a judge’s")
    spec = {"model_roles": {role: "judge/j"}}
    assert shares(BOTH, spec)[2] == ([] if is_known else said)
    # Only where its model used anything that was not told apart.
    assert shares(AGENT, spec)[2] == []
