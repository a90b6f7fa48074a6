"""The fields that settings make of what is stated of runs."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Score
from sitegen.outcomes.derived import derive_fields
from sitegen.outcomes.study import Study
from tests.collect.facts import entry

SETTINGS = {
    "inputs": ["runs"],
    "scores": {"speedup": {"direction": "higher", "reference": "human", "band": "5 %"}},
    "verdicts": {
        "hard": {"column": "hard"},
        "soft": {"column": "soft", "pass": ["right target"]},
    },
    "quadrants": {"of": ["hard", "soft"], "both": "True", "first": "Lucky", "second": "Good"},
    "observations": ["failure"],
    "excluded": "excluded",
    "properties": {"leak": {"cut": [0.25]}},
}


def derived(settings: dict[str, Any] = SETTINGS, *others: Entry, **known: Any) -> dict[str, Any]:
    """The fields of a run; `others` are further runs."""
    config = Config.model_validate(settings)
    entries = (entry("1.json", task="a", **known), *others)
    return dict(derive_fields(Study(config, entries))[0].derived)


@pytest.mark.parametrize(
    ("stated", "fields"),
    [
        (
            {"hard": "pass", "soft": "right target"},
            {"verdict.hard": "pass", "verdict.soft": "pass", "quadrant": "True"},
        ),
        (
            {"hard": "pass", "soft": "half"},
            {"verdict.hard": "pass", "verdict.soft": "fail", "quadrant": "Lucky"},
        ),
        (
            {"hard": "fail", "soft": "right target"},
            {"verdict.hard": "fail", "verdict.soft": "pass", "quadrant": "Good"},
        ),
        ({"hard": "pass"}, {"verdict.hard": "pass"}),
        ({}, {}),
    ],
    ids=str,
)
def test_verdicts_are_fields_and_two_of_them_a_quadrant(
    stated: dict[str, str], fields: dict[str, str]
) -> None:
    assert derived(stated=tuple(stated.items())) == fields


def test_observations_and_reasons_of_exclusion_are_fields() -> None:
    stated = (("failure", "server crash"), ("excluded", "mixed-up model"), ("unused", "x"))
    found = derived(stated=stated)
    assert found["observed.failure"] == "server crash"
    assert found["excluded"] == "mixed-up model"
    assert not any("unused" in key for key in found)


def test_a_reference_and_the_band_against_it_are_fields() -> None:
    found = derived(scores=(Score("speedup", 2.0),), factors=(("human", "1.5"),))
    assert found["reference.human"] == 1.5
    assert found["band.speedup"] != "no score"
    without = derived(scores=(Score("speedup", 2.0),))
    assert "reference.human" not in without


def test_the_group_of_a_property_with_cuts_is_a_field() -> None:
    other = entry("2.json", task="b", factors=(("leak", "0.4"),))
    found = derived(SETTINGS, other, factors=(("leak", "0.1"),))
    assert "group.leak" in found


def test_without_settings_of_a_study_a_run_is_as_it_was() -> None:
    study = Study(Config.model_validate({"inputs": ["runs"]}), (entry("1.json"),))
    assert derive_fields(study)[0] is study.entries[0]
