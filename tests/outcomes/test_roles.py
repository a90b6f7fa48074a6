"""Three rules give a factor its role: the settings, its source, and its values."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.config import Config
from sitegen.model import Run, Status
from sitegen.outcomes import roles
from tests.collect.facts import entry


@pytest.mark.parametrize(
    ("name", "settings", "role"),
    [
        ("codebase", {"factors": {"codebase": "tag"}}, "tag"),
        ("codebase", {}, None),
    ],
)
def test_the_settings_say_it(name: str, settings: dict[str, Any], role: str | None) -> None:
    factor = roles.role_in_settings(name, Config.model_validate(settings))
    assert (factor and factor.role) == role


@pytest.mark.parametrize(
    ("name", "settings", "fields", "role"),
    [
        ("project", {"group_by": ["project"]}, {"project"}, "tag"),
        ("leak", {"properties": {"leak": {"cut": [1]}}}, {"leak"}, "property"),
        ("human", {"scores": {"s": {"reference": "human"}}}, {"human"}, "tag"),
        ("human s", {"scores": {"s": {}}}, {"human s"}, "tag"),
        ("limit", {"verdicts": {"v": {"score": "s", "min": 1, "of": "limit"}}}, {"limit"}, "tag"),
        ("agent_version", {}, {"agent_version"}, "tag"),
        ("commit", {}, {"commit"}, "tag"),
        ("column", {}, {"codebase"}, "property"),
        ("column", {"task_table": "t.csv"}, set(), "property"),
        ("column", {}, set(), None),
        ("codebase", {"task_table": "t.csv"}, {"codebase"}, None),
    ],
)
def test_its_source_says_it(
    name: str, settings: dict[str, Any], fields: set[str], role: str | None
) -> None:
    factor = roles.role_by_source(name, Config.model_validate(settings), fields, [])
    assert (factor and factor.role) == role


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ({"a": "xx", "b": "yy"}, "property"),
        ({"a": "xx", "b": "y"}, "configuration"),
        ({"a": "xx", "b": "xy"}, "configuration"),
        ({"": "xyz", "a": "xx", "b": "yy"}, "property"),
        ({}, "configuration"),
    ],
)
def test_its_values_say_it(values: dict[str, str], role: str) -> None:
    runs = [
        entry(f"{task}{number}.json", task=task or None, factors=(("skill", value),))
        for task, each in values.items()
        for number, value in enumerate(each)
    ]
    assert roles.role_by_values("skill", [*runs, entry("0.json", task="a")]).role == role


def test_the_first_rule_with_an_answer_decides() -> None:
    config = Config.model_validate({"factors": {"leak": "tag"}, "task_table": "t.csv"})
    assert roles.decide_role("leak", config, set(), []).reason == "the settings say so"
    assert roles.decide_role("size", config, set(), []).reason == "the task table has it"
    assert roles.decide_role("skill", config, {"skill"}, []).reason.startswith("too few tasks")


def test_fields_of_paths_are_those_of_all_patterns() -> None:
    config = Config.model_validate(
        {"inputs": ["a", {"path": "b", "pattern": "{skill}/{task}.json"}]}
    )
    assert roles.fields_of_paths(config) == {"skill"}


def test_each_role_has_its_reason() -> None:
    settings = {
        "factors": {"a": "observation"},
        "excluded": "b",
        "group_by": ["project"],
        "properties": {"c": {"cut": [1]}},
        "scores": {"s": {"reference": "d"}},
        "task_table": "t.csv",
    }
    config = Config.model_validate(settings)
    stated = entry("1.json", Run("r", Status.OK, factors=(("e", "x"),)))
    names = ("a", "b", "project", "c", "d", "y s", "commit", "e", "f")
    factors = [roles.decide_role(name, config, {"g"}, [stated]) for name in names]
    assert [(factor.name, factor.role, factor.reason) for factor in factors] == [
        ("a", "observation", "the settings say so"),
        ("b", "tag", "the settings exclude runs by it"),
        ("project", "tag", "the settings group runs by it"),
        ("c", "property", "the settings group tasks by it"),
        ("d", "tag", "scores or verdicts are compared with it"),
        ("y s", "tag", "scores or verdicts are compared with it"),
        ("commit", "tag", "unless the settings say otherwise"),
        ("e", "configuration", "the files of runs state it"),
        ("f", "property", "the task table has it"),
    ]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"a": "xy"}, "it differs between runs of one task"),
        ({"a": "xx", "b": "yy"}, "all runs of a task have the same"),
        (
            {"a": "xx", "b": "y"},
            "too few tasks have two runs to tell whether it is a property of tasks",
        ),
    ],
)
def test_values_give_a_reason(values: dict[str, str], reason: str) -> None:
    runs = [
        entry(f"{task}{number}.json", task=task, factors=(("skill", value),))
        for task, each in values.items()
        for number, value in enumerate(each)
    ]
    factor = roles.decide_role("skill", Config(), set(), runs)
    assert (factor.name, factor.reason) == ("skill", reason)


def test_fields_of_paths_of_campaigns_count_too() -> None:
    campaigns = [{"path": "a", "pattern": "{arm}/{task}.json"}, {"path": "b"}]
    assert roles.fields_of_paths(Config.model_validate({"campaigns": campaigns})) == {"arm"}
