"""Limits of a build: which of them make sense together, and under which keys they are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sitegen.config.gates import Gates


def refusal(**gates: Any) -> str:
    """Return the errors of gates; empty where nothing is."""
    try:
        Gates.model_validate(gates)
    except ValidationError as invalid:
        return "; ".join(
            str(error["msg"]).removeprefix("Value error, ") for error in invalid.errors()
        )
    return ""


EMPTY = "there is no limit here; write one, as in `max: 20`, or leave the key out"
NEEDED = "a gate needs `min`, `max` or both"
LOWER_BOUND = (
    "`test: lower_bound` compares the lower end of the interval with `min`: give `min` alone"
)
WHOLE = "this figure is one of the whole site: `by`, `where` and `unknown` do not apply"
UNKNOWN = "write `incomplete`, `allow`, or the share of runs that may be unknown, as in 5 %"


@pytest.mark.parametrize(
    ("gates", "sentence"),
    [
        ({"runs": {"min": 1}}, ""),
        ({"runs": {"max": 1}}, ""),
        ({"runs": {"min": 1, "max": 1}}, ""),
        ({"runs": {"min": 0}}, ""),
        ({"runs": {"min": 2, "max": 1}}, "`min` is above `max`, so nothing can pass"),
        ({"runs": {}}, NEEDED),
        ({"runs": {"by": "model"}}, NEEDED),
        ({"runs": {"min": None, "max": 1}}, EMPTY),
        ({"runs": None}, EMPTY),
        ({"success_rate": {"min": 0.4, "test": "lower_bound"}}, ""),
        ({"success_rate": {"min": 0.4, "max": 0.9, "test": "lower_bound"}}, LOWER_BOUND),
        ({"success_rate": {"max": 0.9, "test": "lower_bound"}}, LOWER_BOUND),
        ({"success_rate": {"min": 0.4, "max": 0.9}}, ""),
        ({"success_rate": {"max": 0.9}}, ""),
        ({"problems": {"max": 0}}, ""),
        ({"problems": {"max": 0, "by": "model"}}, WHOLE),
        ({"problems": {"max": 0, "where": {"model": "m"}}}, WHOLE),
        ({"problems": {"max": 0, "unknown": "allow"}}, WHOLE),
        ({"problems": {"max": 0, "unknown": "incomplete"}}, ""),
        ({"cost": {"increase": {"max": 0.1}}}, ""),
        ({"cost": {"decrease": {"max": 0.1}}}, ""),
        ({"cost": {"unknown": "allow"}}, "a gate needs `increase` or `decrease`"),
        ({"cost": {"increase": None}}, EMPTY),
        ({"success": {"newly_failing": {"max": 0}}}, ""),
        ({"success": {}}, "a gate needs `increase` or `decrease` or `newly_failing`"),
        ({"scores": {"s": {"mean": {"min": -1}}}}, ""),
        ({"scores": {"s": {}}}, "a gate needs `increase` or `decrease` or `mean` or `median`"),
        ({"runs": {"min": 1, "unknown": "not proven"}}, None),
        ({"runs": {"min": 1, "unknown": "allowed"}}, UNKNOWN),
        ({"runs": {"min": 1, "unknown": 1.1}}, UNKNOWN),
        ({"runs": {"min": 1, "unknown": -0.1}}, UNKNOWN),
        ({"runs": {"min": 1, "unknown": True}}, UNKNOWN),
        ({"runs": {"min": 1, "unknown": "5"}}, UNKNOWN),
        ({"runs": {"min": 1, "unknown": 0}}, ""),
        ({"runs": {"min": 1, "unknown": 1}}, ""),
        ({"runs": {"min": 1, "unknown": "5 %"}}, ""),
    ],
    ids=str,
)
def test_limits_that_make_no_sense_are_refused(gates: dict[str, Any], sentence: str | None) -> None:
    expected = "`not proven` is now called `incomplete`, with the same effect"
    assert refusal(**gates) == (expected if sentence is None else sentence)


def test_shares_of_unknown_runs_are_numbers() -> None:
    gates = Gates.model_validate({"runs": {"min": 1, "unknown": "5 %"}})
    assert gates.runs is not None and gates.runs.unknown == 0.05
    plain = Gates.model_validate({"runs": {"min": 1}})
    assert plain.runs is not None and plain.runs.unknown == "incomplete"


def test_gates_have_short_keys() -> None:
    gates = Gates.model_validate(
        {
            "score.speed": {"mean": {"min": 1}, "increase": {"max": "20 %"}},
            "pass^3": {"min": 0.5},
            "verdict.hard": {"min": 0.25},
            "runs": {"min": 2},
            "success": {"decrease": {"max": 0.1}, "newly_failing": {"max": 3}, "unknown": "allow"},
        }
    )
    assert list(gates.limits) == ["runs", "pass^3", "verdict.hard", "score.speed.mean"]
    assert gates.changes == {
        "success.decrease": 0.1,
        "success.newly_failing": 3,
        "score.speed.increase": 0.2,
    }
    assert gates.unknown_changes == {"success": "allow", "score.speed": "incomplete"}
    assert Gates().limits == {} and Gates().changes == {} and Gates().unknown_changes == {}


@pytest.mark.parametrize(
    ("gates", "sentence"),
    [
        (
            {"score.s": {"mean": {"min": 1}}, "scores": {"s": {"mean": {"min": 1}}}},
            "`score.s` is also in `scores`: state its limits in one place",
        ),
        (
            {"pass^2": {"min": 0}, "passes": {2: {"min": 0}}},
            "`pass^2` is also in `passes`: state its limits in one place",
        ),
        (
            {"verdict.v": {"min": 0}, "verdicts": {"v": {"min": 0}}},
            "`verdict.v` is also in `verdicts`: state its limits in one place",
        ),
        ({"score.s": {"mean": {"min": 1}}, "scores": {"t": {"mean": {"min": 1}}}}, ""),
        ({"pass^x": {"min": 0}}, "Extra inputs are not permitted"),
        ({"pass^11": {"min": 0}}, "Input should be less than or equal to 10"),
    ],
    ids=str,
)
def test_a_gate_is_stated_once(gates: dict[str, Any], sentence: str) -> None:
    assert refusal(**gates) == sentence
