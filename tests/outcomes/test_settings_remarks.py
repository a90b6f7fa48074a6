"""Settings that come to nothing are named, with what to write."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Score
from sitegen.outcomes.settings_remarks import MAX_NAMED, describe_unused_settings, quote_all
from sitegen.outcomes.study import Study
from tests.collect.facts import entry

RUNS = [
    entry(f"{number}.json", stated=(("hard", word),), factors=(("leak", leak),))
    for number, (word, leak) in enumerate((("yes", "0.5"), ("perhaps", "much"), ("perhaps", "1")))
]


def remarks(settings: dict[str, Any], runs: list[Entry] | None = None) -> list[str]:
    study = Study(Config.model_validate(settings), RUNS if runs is None else runs)
    return list(describe_unused_settings(study, {"of another run"}))


@pytest.mark.parametrize(
    ("settings", "sentences"),
    [
        (
            {"verdicts": {"v": {"column": "hard", "pass": ["perhaps", "sure"]}}},
            [
                "verdicts: v: no run has 'sure' in the column 'hard', which has 'yes', 'perhaps'; list the words that "
                "pass under `pass` as they are there."
            ],
        ),
        (
            {"verdicts": {"v": {"column": "hard"}}},
            [
                "verdicts: v: 'perhaps' is not a known outcome (2 runs); list the words that pass under `pass`."
            ],
        ),
        ({"verdicts": {"v": {"column": "of another run"}}, "observations": ["hard"]}, []),
        (
            {"observations": ["hard", "soft"], "excluded": "why"},
            [
                "observations: no outcomes file has the column 'soft'.",
                "excluded: no outcomes file has the column 'why'.",
            ],
        ),
        (
            {"verdicts": {"v": {"column": "Hrad"}}, "excluded": "hardd", "observations": ["hard"]},
            [
                "verdicts: v: no outcomes file has the column 'Hrad'; did you mean 'hard'?",
                "excluded: no outcomes file has the column 'hardd'; did you mean 'hard'?",
            ],
        ),
        (
            {
                "properties": {"leek": {"cut": [1]}},
                "leaderboard": {"split_by": "laek"},
                "observations": ["hard"],
            },
            [
                "leaderboard: split_by: no run has the property 'laek'; did you mean 'leak'?",
                "properties: neither paths nor tables have 'leek'; did you mean 'leak'?",
            ],
        ),
        (
            {"properties": {"leak": {"cut": [1]}, "size": {"cut": [1]}}, "observations": ["hard"]},
            [
                "properties: neither paths nor tables have 'size'.",
                "properties: leak: no number is in 'much', so 1 run have no group.",
            ],
        ),
        (
            {
                "factors": {"skill": "tag"},
                "scores": {"s": {"reference": "human"}},
                "observations": ["hard"],
            },
            [
                "scores: s: neither paths nor tables have 'human'.",
                "factors: neither paths nor tables have 'skill'.",
            ],
        ),
        (
            {
                "gates": {"runs": {"min": 1, "by": "skill"}, "failed": {"max": 1, "by": "model"}},
                "observations": ["hard"],
            },
            ["gates: runs: neither paths nor tables have 'skill'."],
        ),
        (
            {},
            [
                "outcomes: 1 column ('hard') is not used; to show them, list numbers under `scores`, words under "
                "`observations`."
            ],
        ),
    ],
)
def test_what_comes_to_nothing_is_named(settings: dict[str, Any], sentences: list[str]) -> None:
    assert remarks(settings) == sentences


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ((), ["leaderboard: the score 'speed' is not in any run."]),
        (
            (Score("speed", 1.0),),
            ["leaderboard: the score 'speed' has no direction: add it under `scores`."],
        ),
        ((Score("speed", 1.0, higher_is_better=True),), []),
    ],
)
def test_a_leaderboard_needs_a_score_with_a_direction(
    scores: tuple[Score, ...], sentence: list[str]
) -> None:
    settings = {"leaderboard": {"rank_by": "score.speed"}}
    assert remarks(settings, [entry("1.json", scores=scores)]) == sentence


def test_many_words_are_counted() -> None:
    words = list(map(str, range(MAX_NAMED + 2)))
    assert quote_all(words[:2]) == "'0', '1'"
    assert quote_all(words).endswith(f"'{MAX_NAMED - 1}' and 2 more")
    assert "more" not in quote_all(words[:MAX_NAMED])
