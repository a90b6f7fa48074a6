"""Names of models: which are one, and which runs have a path that names another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs.survey import Naming
from sitegen.outcomes.models import Models, is_form_of, label_other_models, models_of_file
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES, run_of_model

SONNET = "claude-sonnet-4-5-20250929"


def test_a_model_is_called_by_its_id_and_its_display_name_alone() -> None:
    names = Models(NO_NAMES).names(f"anthropic__{SONNET}")
    assert names[:2] == (f"anthropic__{SONNET}", SONNET)
    assert {"claude sonnet 4.5", "sonnet 4.5"} < {*names}
    assert not {"sonnet-4.5", "sonnet45", "claude-sonnet-4-5"} & {*names}
    named = Models(Naming([], {"model": {SONNET: "The small one"}})).names(SONNET)
    assert named == (SONNET, "the small one")


@pytest.mark.parametrize(
    ("stated", "model", "is_one"),
    [
        ("sonnet", SONNET, True),
        ("sonnet-4.5", SONNET, True),
        ("sonnet45", SONNET, True),
        ("claude_sonnet_4_5", SONNET, True),
        ("Sonnet 4.5 (1M)", SONNET, True),
        ("sonnet-4.6", SONNET, False),
        ("opus", SONNET, False),
        ("claude", SONNET, True),
        ("gpt-5-codex", "gpt-5", True),
        ("gpt-5", "gpt-5-codex", True),
        ("gpt-5.0", "gpt-5", True),
        ("gpt-5.1", "gpt-5", False),
        ("openai/gpt-5", "gpt-5", True),
    ],
)
def test_a_shorter_form_of_a_name_may_be_the_same_model(
    stated: str, model: str, is_one: bool
) -> None:
    assert Models(NO_NAMES).may_be(stated, model) == is_one
    assert Models(NO_NAMES).may_be_any(stated, ["other", model]) == is_one
    assert is_form_of("gpt-5", "claude-5") is False


def test_a_path_that_names_another_model_is_a_label() -> None:
    runs = [
        entry("1.json", run_of_model(SONNET), model="Claude Sonnet 4.5", stated_model="opus-4.5"),
        entry("2.json", run_of_model(SONNET), model="Claude Sonnet 4.5", stated_model="sonnet"),
        entry("3.json", run_of_model(), stated_model="opus-4.5"),
    ]
    labelled, remarks = label_other_models(runs, NO_NAMES)
    assert [run.labels for run in labelled] == [("opus-4.5",), (), ()]
    (remark,) = remarks
    assert "the files of 1 run, such as 'opus-4.5' of 1.json, which names Claude Sonnet" in remark
    assert remark.endswith("the name in the path is its label.")
    _, remarks = label_other_models([runs[0], runs[0]], NO_NAMES)
    assert remarks[0].endswith("the name in the path is their label.")
    assert label_other_models(runs[1:], NO_NAMES) == (runs[1:], [])
    assert models_of_file(runs[0]) == (SONNET,)


@pytest.mark.parametrize(
    ("stated", "model", "is_one"),
    [
        ("sonnet-thinking", "claude-sonnet", True),
        ("claude-instant", "claude", True),
        ("gpt", "claude", False),
        ("sonnet-thinking-5", "claude-sonnet-4-5", False),
        ("sonnet", "claude-sonnet-4-5", True),
        ("sonnet-4-5", "claude-sonnet", True),
    ],
)
def test_claude_alone_is_no_family_of_a_longer_name(stated: str, model: str, is_one: bool) -> None:
    assert is_form_of(stated, model) is is_one


def test_a_path_that_says_that_nobody_chose_a_model_names_none() -> None:
    run = entry("1.json", run_of_model(SONNET), stated_model="default", labels=("a",))
    assert label_other_models([run], NO_NAMES) == ([run], [])
    other = replace(run, stated_model="opus")
    ((labelled,), _) = label_other_models([other], NO_NAMES)
    assert labelled.labels == ("a", "opus")
