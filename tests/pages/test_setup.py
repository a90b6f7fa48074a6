"""The setup: what files and settings state of how runs were made, and what nobody states."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.collect.remarks import add_unused_setups
from sitegen.config import Config
from sitegen.inputs.survey import Facts
from sitegen.model import Entry, ModelUsage, Run, Status, Tokens
from sitegen.pages.setup import LABELS, find_setups, read_setup, setup_json, setup_view
from tests.collect.facts import entry
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

HOSTILE = "<script>alert(1)</script>"


def run_of(model: str, name: str, **stated: object) -> Entry:
    run = Run("a session", Status.OK, ledger=(ModelUsage(model, Tokens()),))
    return entry(f"{name}.json", replace(run, **stated), model=model)  # type: ignore[arg-type]


def config(**setup: object) -> Config:
    return Config.model_validate({"setup": setup})


def test_files_state_version_model_effort_prompt_permissions_and_judge() -> None:
    inputs = (("Permission mode", "plan"), ("Prompt", "0a1b2c"), ("Tools", "Bash"))
    judges = (ModelUsage("grader-1", Tokens()), ModelUsage(None, Tokens()))
    run = run_of("m-1", "1", agent_version="2.1", effort="high", given=inputs, judge=judges)
    assert read_setup(run) == {
        "agent_version": "2.1",
        "model": "m-1",
        "effort": "high",
        "prompt": "0a1b2c",
        "permissions": "plan",
        "judge": "grader-1",
    }
    with_skill = replace(run, factors=(("skill", "pdf"),))
    assert read_setup(with_skill)["prompt"] == "pdf"


def test_a_value_of_some_runs_says_of_how_many() -> None:
    runs = [run_of("m", "1", agent_version="2.1"), run_of("m", "2"), run_of("m", "3")]
    (setup,) = find_setups(runs, config())
    assert setup.describe("agent_version") == "2.1 (1 of 3 runs)"
    assert setup.describe("model") == "m"
    assert setup.describe("sandbox") == "not stated"


def test_many_values_are_counted() -> None:
    runs = [run_of("m", str(number), agent_version=f"2.{number}") for number in range(4)]
    (setup,) = find_setups(runs, config())
    assert setup.describe("agent_version") == "4 different"
    (setup,) = find_setups(runs[:3], config())
    assert setup.describe("agent_version").count("(1 of 3 runs)") == 3


def test_settings_add_to_files_and_replace_nothing() -> None:
    runs = [run_of("m", "1", agent_version="2.1"), run_of("m", "2")]
    (setup,) = find_setups(runs, config(agent_version="2.0", sandbox="Docker"))
    assert setup.describe("agent_version") == "2.1 (1 of 2 runs), 2.0 (by the settings)"
    assert setup.describe("sandbox") == "Docker"
    (setup,) = find_setups(runs, config(agent_version="2.1"))
    assert setup.describe("agent_version") == "2.1 (1 of 2 runs)"
    assert setup.facts["agent_version"] == {"2.1": 1}, "a file states it"
    (setup,) = find_setups(runs[:1], config(agent_version="2.0"))
    assert setup.describe("agent_version") == "2.1, 2.0 (by the settings)", (
        "a contradiction is shown"
    )


def test_as_many_different_values_are_not_shared() -> None:
    runs = [
        run_of(model, f"{model}{number}", agent_version=f"{model}.{number}")
        for model in "mn"
        for number in range(5)
    ]
    view = setup_view(find_setups(runs, config()))
    assert view.heads == ["Agent version", "Model id"]
    assert [row.cells[0] for row in view.rows] == ["5 different", "5 different"]


def test_what_configurations_share_stands_apart_from_what_differs() -> None:
    runs = [run_of("m", "1", agent_version="2.1"), run_of("n", "2", agent_version="2.1")]
    own = {"N": {"network": "off"}}
    view = setup_view(find_setups(runs, config(sandbox="Docker", configurations=own)))
    shared = {fact.label: fact.value for fact in view.shared}
    assert (shared["Agent version"], shared["Sandbox"]) == ("2.1", "Docker")
    assert view.prices.label == "List prices of"
    assert view.heads == ["Model id", "Network"]
    assert [(row.label, *row.cells) for row in view.rows] == [
        ("m", "m", "not stated"),
        ("n", "n", "off"),
    ]
    assert view.missing == "effort, prompt or skill, permissions, limits, retries and judge"
    assert setup_view(find_setups(runs[:1], config())).rows == ()


def test_programs_get_every_value_with_its_runs() -> None:
    document = json.loads(setup_json(find_setups([run_of("m", "1")], config(sandbox="Docker"))))
    (setup,) = document["configurations"]
    assert (setup["configuration"], setup["runs"]) == ("m", 1)
    assert setup["facts"].keys() == LABELS.keys()
    assert setup["facts"]["model"] == {"m": 1}
    assert setup["facts"]["sandbox"] == {"Docker": None}
    assert setup["facts"]["judge"] == {}


@pytest.mark.slow
def test_hostile_values_are_texts_on_both_pages_and_a_wrong_name_is_reported(
    tmp_path: Path,
) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1, OPUS), "b.json": result(2, SONNET)})
    special = {"Claude Opus 4.5": {"judge": HOSTILE}, "Nobody": {"judge": "tests"}}
    settings = {"inputs": ["runs"], "setup": {"sandbox": HOSTILE, "configurations": special}}
    campaigns.write(tmp_path, {"config.yaml": json.dumps(settings)})
    done = sitegen("build", cwd=tmp_path)
    assert "setup: no run has the configuration 'Nobody'" in done.stderr
    for page in ("index.html", "about.html"):
        text = (tmp_path / "site" / page).read_text("utf-8")
        assert HOSTILE not in text and "&lt;script&gt;alert" in text


def test_part_of_the_inputs_may_lack_a_configuration() -> None:
    facts = Facts(entries=(run_of("m", "1"),))
    known = config(configurations={"n": {"judge": "tests"}})
    assert len(add_unused_setups(facts, known).remarks) == 1
    part = Config.model_validate({"inputs": ["a"], "setup": known.setup.model_dump()})
    assert add_unused_setups(facts, part.with_inputs(["b", "c"])).remarks == ()
