"""Sentences about settings that came to nothing."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.collect.remarks import (
    add_old_settings,
    add_unpriced_models,
    add_unused_settings,
    add_unused_setups,
    settle,
)
from sitegen.config import Config
from sitegen.inputs.survey import Facts, Naming
from sitegen.masking.redact import Redactor
from sitegen.model import ModelUsage, Run, Status, Tokens, replace
from sitegen.numbers.pricing import PriceTable
from sitegen.outcomes.rows import OutcomeTable
from sitegen.text.names import PathPattern
from tests.collect.facts import entry
from tests.outcomes.sources import row

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def test_keys_that_names_replaced_are_told_with_what_to_write() -> None:
    config = Config.model_validate({"models": {"a": "A"}, "tasks": {"b": "B"}})
    facts = add_old_settings(Facts(settings_remarks=("before",)), config)
    said = "this is a part of `names` now: write"
    assert facts.settings_remarks == (
        f"models: {said} `names: {{model: ...}}` with the same lines.",
        f"tasks: {said} `names: {{task: ...}}` with the same lines.",
        "before",
    )
    assert add_old_settings(Facts(), Config()) == Facts()


def test_names_are_looked_for_in_what_was_read_and_patterns_in_what_is_left() -> None:
    naming = Naming([PathPattern("{task}.json")], {"agent": {"x": "X", "row": "R", TOKEN: "T"}})
    read = Facts((entry("a.json", task="t"), entry("b.json")))
    left = replace(entry("c.json"), source=replace(entry("c.json").source, within="d/c.json"))
    table = OutcomeTable((row(columns=(("agent", "row"),)), row()), ())
    facts = Facts((left,), settings_remarks=("before",))
    remarks = add_unused_settings(facts, read, table, naming, Redactor()).settings_remarks
    assert len(remarks) == 4
    assert remarks[0] == "names: no run has an agent x."
    assert TOKEN not in remarks[1] and remarks[1].startswith("names: no run has an agent [")
    assert remarks[2].startswith("The pattern {task}.json matches none of 1 run, d/c.json.")
    assert remarks[3] == "before"


@pytest.mark.parametrize(
    ("compared_as", "remarks"),
    [
        ("Codex, high", ()),
        ("CODEX, HIGH", ()),
        (
            None,
            ("setup: no run has the configuration 'Codex, high'; write it as the site shows it.",),
        ),
    ],
)
def test_a_setup_is_of_a_configuration(compared_as: str | None, remarks: tuple[str, ...]) -> None:
    settings: dict[str, Any] = {"setup": {"configurations": {"Codex, high": {"sandbox": "Docker"}}}}
    config = Config.model_validate(settings)
    facts = Facts((entry("1.json", configuration=compared_as),))
    assert add_unused_setups(facts, config).remarks == remarks
    part = Config.model_validate(settings)
    part._is_part = True
    assert add_unused_setups(facts, part) is facts


def test_remarks_of_settings_go_to_the_others_once() -> None:
    facts = Facts(remarks=("a",), settings_remarks=("b",), part_remarks=("c",))
    settled = settle(facts, is_part=False)
    assert (settled.remarks, settled.settings_remarks, settled.part_remarks) == (
        ("a", "b"),
        (),
        (),
    )
    assert settle(facts, is_part=True).remarks == ("a", "c")


def test_a_model_without_a_price_is_told_behind_the_other_remarks() -> None:
    run = Run("a", Status.OK, ledger=(ModelUsage("house-1", Tokens(1, 2, 3, 4)),))
    facts = Facts((entry(run=run),), remarks=("before",))
    first, second = add_unpriced_models(facts, PriceTable.load({})).remarks
    assert first == "before"
    assert second.startswith("No price is known for house-1, so 1 run has no cost.")
    priced = PriceTable.load({"house-1": {"input": 1, "output": 2}})
    assert add_unpriced_models(facts, priced).remarks == ("before",)
