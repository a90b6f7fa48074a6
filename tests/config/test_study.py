"""Settings of verdicts, quadrants, scores and pairs: which of them make sense together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from sitegen.config import Config
from sitegen.config.study import Leaderboard, Pair, Quadrants, ScoreMeaning, VerdictRule
from sitegen.system.bounds import Section


def refusal(section: type[Section], values: Any) -> str:
    """Return the errors of a section; empty where nothing is."""
    try:
        TypeAdapter(section).validate_python(values)
    except ValidationError as invalid:
        return "; ".join(
            str(error["msg"]).removeprefix("Value error, ") for error in invalid.errors()
        )
    return ""


ONE_SOURCE = "a verdict needs one of `column`, `all` and `score`"
NO_LIMIT = "a verdict from a score needs `min`, `max` or both"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"column": "c"}, ""),
        ({"all": ["a"]}, ""),
        ({"score": "s", "min": 1}, ""),
        ({"score": "s", "max": 1}, ""),
        ({"score": "s", "min": 0}, ""),
        ({"score": "s", "max": 0}, ""),
        ({"score": "s"}, NO_LIMIT),
        ({}, ONE_SOURCE),
        ({"column": "c", "all": ["a"]}, ONE_SOURCE),
        ({"column": "c", "score": "s", "min": 1}, ONE_SOURCE),
        ({"all": []}, ONE_SOURCE),
    ],
    ids=str,
)
def test_a_verdict_has_one_source(rule: dict[str, Any], sentence: str) -> None:
    assert refusal(VerdictRule, rule) == sentence


DIFFERENT = "quadrants need four different names, of two different verdicts"
TWO_VERDICTS = "name two verdicts, as in {both: A, hard: B, soft: C, none: D}"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ({"of": ["a", "b"]}, ""),
        ({"of": ["a", "a"]}, DIFFERENT),
        ({"of": ["a", "b"], "both": "None"}, DIFFERENT),
        ({"of": ["a", "b"], "first": "Both"}, DIFFERENT),
    ],
    ids=str,
)
def test_quadrants_have_different_names(names: dict[str, Any], sentence: str) -> None:
    assert refusal(Quadrants, names) == sentence


def test_verdicts_may_be_the_keys_of_quadrants() -> None:
    settings = {"verdicts": {name: {"column": name} for name in ("hard", "soft")}}
    named = {"both": "A", "soft": "C", "hard": "B", "none": "D"}
    made = Config.model_validate({**settings, "quadrants": named}).quadrants
    assert made is not None
    assert (made.of, made.names) == (("soft", "hard"), ("A", "C", "B", "D"))
    for names in ({"hard": "B"}, {"hard": "B", "soft": "C", "else": "E"}):
        with pytest.raises(ValidationError, match="name two verdicts, as in"):
            Config.model_validate({**settings, "quadrants": names})


@pytest.mark.parametrize(
    ("meaning", "sentence"),
    [
        ({"of": ["a"], "reference": "r"}, ""),
        ({"of": ["a"]}, "a score that is computed `of` others needs a `reference`"),
        ({"reference": "r"}, ""),
        ({"band": "5 %"}, ""),
        ({"band": 0.99}, ""),
        ({"band": 1}, "Input should be less than 1"),
    ],
    ids=str,
)
def test_a_computed_score_has_a_reference(meaning: dict[str, Any], sentence: str) -> None:
    assert refusal(ScoreMeaning, meaning) == sentence


NAME_TWO = "name two groups under a and b, or a factor, as in {by: agent, hold: [model]}"
KINDS = "a and b are groups, without hold; by is one of configuration, model, campaign, label"


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ({"a": "x", "b": "y"}, ""),
        ({"a": "x", "b": "y", "by": "label"}, ""),
        ({"by": "agent"}, ""),
        ({"by": "agent", "hold": ["model"]}, ""),
        ({}, NAME_TWO),
        ({"hold": ["model"]}, NAME_TWO),
        ({"a": "x"}, "one of a and b is missing: name two groups"),
        ({"b": "x"}, "one of a and b is missing: name two groups"),
        ({"a": "x", "by": "agent"}, "one of a and b is missing: name two groups"),
        ({"a": "x", "b": "x"}, "a and b are both 'x': name two groups"),
        ({"a": "x", "b": "y", "by": "agent"}, KINDS),
        ({"a": "x", "b": "y", "hold": ["model"]}, KINDS),
        ({"a": "x", "b": "y", "hold": []}, KINDS),
    ],
    ids=str,
)
def test_a_pair_is_two_groups_or_a_factor(pair: dict[str, Any], sentence: str) -> None:
    assert refusal(Pair, pair) == sentence


@pytest.mark.parametrize(
    ("rank_by", "score"),
    [
        ("success", ""),
        ("score.speed", "speed"),
        ("score.score.x", "score.x"),
        ("score.", None),
        ("speed", None),
        ("", None),
    ],
)
def test_a_leaderboard_is_ranked_by_success_or_a_score(rank_by: str, score: str | None) -> None:
    if score is None:
        sentence = "write success, or a score as in score.speedup"
        assert refusal(Leaderboard, {"rank_by": rank_by}) == sentence
    else:
        assert Leaderboard(rank_by=rank_by).score == score
