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


def test_what_was_measured_is_a_reference_of_its_own_name() -> None:
    measured = derived(scores=(Score("speedup", 3.0),), factors=(("human speedup", "1.5"),))
    assert measured["reference.human.speedup"] == 1.5
    assert measured["band.speedup"] == "better" and "reference.human" not in measured
    settings = {
        "scores": {
            "ms": {"direction": "lower"},
            "rate": {"direction": "higher"},
            "gain": {"of": ["ms", "rate"], "reference": "human"},
        }
    }
    both = derived(settings, factors=(("human ms", "4"), ("human", "2")))
    assert both == {"reference.human.ms": 4.0, "reference.human": 2.0}


def test_a_patch_is_a_field_by_what_it_changes() -> None:
    assert derived(patch_key="0a1b") == {"patch": "0a1b"}


def test_fields_are_in_the_order_in_which_pages_show_them() -> None:
    stated = (("failure", "x"), ("hard", "pass"), ("soft", "half"), ("excluded", "why"))
    known = {"stated": stated, "patch_key": "0a", "scores": (Score("speedup", 2.0),)}
    factors = (("human", "1"), ("leak", "0.5"))
    assert list(derived(SETTINGS, factors=factors, **known)) == [
        *("verdict.hard", "verdict.soft", "quadrant", "observed.failure", "excluded", "patch"),
        *("reference.human", "band.speedup", "group.leak"),
    ]
