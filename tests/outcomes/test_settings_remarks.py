"""Settings that come to nothing are named, with what to write."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Run, Score, Status
from sitegen.outcomes.settings_remarks import describe_unused_settings, quote_all
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
                "properties: leak: no number is in 'much', so 1 run has no group.",
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


def test_of_many_words_eight_are_quoted() -> None:
    words = list(map(str, range(10)))
    assert quote_all(words[:2]) == "'0', '1'"
    assert quote_all(words[:8]) == "'0', '1', '2', '3', '4', '5', '6', '7'"
    assert quote_all(words[:9]) == "'0', '1', '2', '3', '4', '5', '6', '7' and 1 more"
    assert quote_all(words) == "'0', '1', '2', '3', '4', '5', '6', '7' and 2 more"


def test_words_and_columns_that_come_to_nothing_are_told_in_the_plural_too() -> None:
    runs = [
        entry(f"{number}.json", stated=(("hard", word), ("soft", word)), factors=(("leak", word),))
        for number, word in enumerate(("perhaps", "sure", "sure", "pass"))
    ]
    assert remarks({"verdicts": {"v": {"column": "hard"}}, "observations": ["soft"]}, runs) == [
        "verdicts: v: 'perhaps', 'sure' are not known outcomes (3 runs); list the words that pass under `pass`."
    ]
    assert remarks({}, runs) == [
        "outcomes: 2 columns ('hard', 'soft') are not used; to show them, list numbers under `scores`, words under "
        "`observations`."
    ]
    settings = {"properties": {"leak": {"cut": [1]}}, "observations": ["hard", "soft"]}
    assert remarks(settings, runs) == [
        "properties: leak: no number is in 'perhaps', 'sure', 'pass', so 4 runs have no group."
    ]


def test_words_that_pass_are_compared_without_regard_to_case() -> None:
    rule = {"v": {"column": "hard", "pass": ["YES", "Perhaps"]}}
    assert remarks({"verdicts": rule}) == []


def test_words_of_a_column_that_no_run_has_are_not_missed() -> None:
    assert remarks({"verdicts": {"v": {"column": "of another run", "pass": ["x"]}}}, []) == []


def test_a_study_reports_columns_of_free_text_alone() -> None:
    runs = [
        entry(f"{number}.json", stated=(("kind", word), ("text", f"text {number}")))
        for number, word in enumerate("abab")
    ]
    settings = {"factors": {"size": "tag"}}
    assert remarks(settings, [*runs, entry("4.json", factors=(("size", "s"),))]) == [
        "outcomes: 1 column ('text') is not used; to show them, list numbers under `scores`, words under "
        "`observations`."
    ]


def test_an_effort_that_files_state_and_what_was_measured_are_not_missed() -> None:
    settings = {
        "factors": {"effort": "tag"},
        "scores": {"s": {"reference": "human"}},
        "verdicts": {"v": {"score": "s", "min": 1, "of": "limit"}},
    }
    effort = entry("1.json", Run("r", Status.OK, effort="high"))
    measured = entry("2.json", factors=(("human s", "1"), ("limit", "2")))
    assert remarks(settings, [effort, measured]) == []
    assert remarks(settings, [measured]) == ["factors: neither paths nor tables have 'effort'."]
    assert remarks(settings, [effort]) == [
        "scores: s: neither paths nor tables have 'human'.",
        "verdicts: v: neither paths nor tables have 'limit'.",
    ]


def test_gates_may_ask_for_groups_verdicts_and_quadrants() -> None:
    gates = {
        "runs": {"min": 1, "by": "model", "where": {"skill": "x", "verdict.hard": "pass"}},
        "failed": {"max": 1, "by": "quadrant"},
    }
    verdicts = {"hard": {"column": "of another run"}}
    assert remarks({"gates": gates, "verdicts": verdicts}, []) == [
        "gates: runs: neither paths nor tables have 'skill'."
    ]


def test_a_property_that_splits_the_leaderboard_is_that_of_a_run() -> None:
    settings = {"leaderboard": {"split_by": "leak"}, "observations": ["hard"]}
    assert remarks(settings) == []
    assert remarks(settings, []) == [
        "observations: no outcomes file has the column 'hard'.",
        "leaderboard: split_by: no run has the property 'leak'.",
    ]


def test_names_that_nothing_has_are_told_with_those_that_are_near() -> None:
    settings = {"factors": {"leaks": "tag"}}
    assert remarks(settings, [entry("1.json", factors=(("leak", "1"),))]) == [
        "factors: neither paths nor tables have 'leaks'; did you mean 'leak'?",
    ]
