"""Names of runs: one spelling, and no two alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.collect.naming import (
    configurations,
    disambiguate,
    folders,
    name_by_path,
    name_configurations,
    name_tasks_by_evaluation,
    rules,
    unify_case,
)
from sitegen.config import Config
from sitegen.inputs.survey import Facts
from sitegen.model import Entry, ModelUsage, Run, Status, Tokens
from tests.collect.facts import entry


def test_most_runs_decide_the_spelling_then_the_order() -> None:
    tasks = enumerate(("csv", "CSV", "CSV", "B", "b"))
    facts = unify_case(Facts(tuple(entry(f"{number}", task=task) for number, task in tasks)))
    assert [run.task for run in facts.entries] == ["CSV", "CSV", "CSV", "B", "B"]
    said = "task: names that differ in case alone are one: csv counts as CSV and b counts as B."
    assert facts.remarks == (said,)


def test_a_remark_names_three_spellings_and_counts_the_others() -> None:
    names = [name for letter in "abcde" for name in (letter, letter.upper())]
    facts = unify_case(Facts(tuple(entry(name, task=name) for name in names)))
    (remark,) = facts.remarks
    assert remark.endswith("and 2 more.") and remark.count("counts as") == 3


def test_campaigns_that_the_settings_name_keep_their_spelling() -> None:
    runs = (entry("1", campaign="Night"), entry("2", campaign="night"))
    assert len({run.campaign for run in unify_case(Facts(runs)).entries}) == 1
    named = Facts(runs, days=(("Night", "2026-01-01"), ("night", "2026-01-02")))
    assert unify_case(named) is named


def test_tasks_of_several_evaluations_are_named_after_these() -> None:
    runs = (("a", "t"), ("b", "t"), ("a", "u"), (None, "t"))
    facts = Facts(
        tuple(
            entry(f"{number}", Run("a log", Status.OK, evaluation=evaluation), task=task)
            for number, (evaluation, task) in enumerate(runs)
        )
    )
    named = name_tasks_by_evaluation(facts)
    assert [run.task for run in named.entries] == ["a t", "b t", "u", "t"]


@pytest.mark.parametrize(
    ("files", "titles"),
    [
        (("x/a/1.json", "y/a/1.json", "y/b/1.json"), ["x/a/1", "y/a/1", "y/b/1"]),
        (("y/a/1.json", "y/b/1.json"), ["a/1", "b/1"]),
        (("y/a/1.json",), ["1"]),
    ],
)
def test_as_many_folders_are_named_as_tell_runs_apart(
    files: tuple[str, ...], titles: list[str]
) -> None:
    facts = Facts(tuple(replace(entry(path), title="1") for path in files))
    assert [run.title for run in name_by_path(facts).entries] == titles


def test_a_run_with_a_task_or_a_title_of_its_own_is_not_named_by_its_path() -> None:
    runs = (
        replace(entry("a/1.json"), title="1", task="t"),
        replace(entry("b/1.json"), title="1"),
        replace(entry("c/1.json"), title="One"),
    )
    assert [run.title for run in name_by_path(Facts(runs)).entries] == ["1", "1", "One"]


def test_equal_names_get_their_campaign_before_their_path() -> None:
    runs = (("1", "A"), ("2", "B"), ("3", "B"))
    facts = Facts(tuple(entry(path, task="t", campaign=name) for path, name in runs))
    assert [run.name_suffix for run in disambiguate(facts).entries] == ["A", "B · 2", "B · 3"]


def test_an_earlier_addition_goes_where_nothing_is_alike_any_more() -> None:
    (run,) = disambiguate(Facts((replace(entry("1", task="t"), name_suffix="A"),))).entries
    assert (run.name_suffix, run.name) == ("", "t")


def test_an_addition_that_makes_another_name_gets_the_end_of_the_id() -> None:
    """A task called like what two others become."""
    runs = (
        entry("1", task="t", campaign="A"),
        entry("2", task="t", campaign="B"),
        entry("3", task="t · A"),
    )
    names = [run.name for run in disambiguate(Facts(runs)).entries]
    assert len(set(names)) == 3 and "t · A" in names


def additions(*runs: Entry) -> list[str]:
    """What is added to the names of runs."""
    return [run.name_suffix for run in disambiguate(Facts(runs)).entries]


def alike(path: str, **known: object) -> Entry:
    """A run in a file, called as the others are."""
    return replace(entry(path), title="same", **known)  # type: ignore[arg-type]


def test_runs_of_one_name_are_told_apart_by_the_first_thing_that_differs() -> None:
    assert additions(alike("a", campaign="May"), alike("b")) == ["May", ""]
    assert additions(alike("a", model="m"), alike("b", model="n")) == ["m", "n"]
    assert additions(
        alike("a", model="m", configuration="c"), alike("b", model="m", configuration="d")
    ) == ["c", "d"]
    assert additions(alike("a", labels=("x", "y")), alike("b")) == ["x, y", ""]
    assert additions(alike("r/a.json"), alike("s/a.json")) == ["r", "s"]
    assert additions(alike("r/a_1.json"), alike("r/b_1.json")) == ["a_1", "b_1"]
    assert additions(alike("q/r/a.json"), alike("q/s/a.json"), alike("p/s/a.json")) == [
        "q/r",
        "q/s",
        "p/s",
    ]
    assert additions(alike("a.json"), alike("a.json", id="second", number=1)) == [
        "no. 1 in its file",
        "no. 2 in its file",
    ]


def test_runs_that_nothing_else_tells_apart_have_the_end_of_their_ids() -> None:
    runs = [replace(alike("a.json"), id=f"a-{digit * 12}") for digit in "12"]
    assert additions(*runs) == ["1" * 12, "2" * 12]


def test_several_things_that_differ_are_joined() -> None:
    runs = (
        alike("a", campaign="May", labels=("x",)),
        alike("b", campaign="May"),
        alike("c", campaign="June"),
    )
    assert additions(*runs) == ["May · x", "May", "June"]
    tasks = (alike("a", task="t", model="m"), alike("b", task="t", model="n"))
    assert [run.name for run in disambiguate(Facts(tasks)).entries] == ["t · m", "t · n"]


def of_model(path: str, model: str, **known: object) -> Entry:
    run = Run("Pi", Status.OK, ledger=(ModelUsage(model, Tokens()),))
    return replace(entry(path, run), model=model, ledger_names=(model,), **known)  # type: ignore[arg-type]


def test_each_kind_of_name_has_one_spelling() -> None:
    runs = (
        of_model("1", "Opus", factors=(("agent", "Codex"), ("skill", "X")), campaign="May"),
        of_model("2", "Opus", factors=(("agent", "Codex"), ("skill", "X")), campaign="May"),
        of_model("3", "OPUS", factors=(("agent", "codex"), ("skill", "x")), campaign="may"),
    )
    facts = unify_case(Facts(runs))
    last = facts.entries[2]
    assert (last.model, last.ledger_names, last.campaign) == ("Opus", ("Opus",), "May")
    assert dict(last.factors) == {"agent": "Codex", "skill": "X"}
    assert facts.remarks == (
        "agent: names that differ in case alone are one: codex counts as Codex.",
        "campaign: names that differ in case alone are one: may counts as May.",
        "model: names that differ in case alone are one: OPUS counts as Opus.",
        "skill: names that differ in case alone are one: x counts as X.",
    )
    assert unify_case(Facts(runs[:2])) == Facts(runs[:2])


def test_an_agent_or_effort_that_files_alone_state_becomes_a_factor_where_it_is_respelled() -> None:
    high = [replace(entry(name), run=Run("Pi", Status.OK, effort="High")) for name in "ab"]
    other = replace(entry("c"), run=Run("pi", Status.OK, effort="high"))
    first, _, last = unify_case(Facts((*high, other))).entries
    assert dict(last.factors) == {"agent": "Pi", "effort": "High"}
    assert first.factors == ()


def test_rules_for_names_are_those_of_the_settings() -> None:
    config = Config.model_validate(
        {"inputs": ["a", {"path": "b", "pattern": "{task}.json"}], "names": {"task": {"x": "X"}}}
    )
    naming = rules(config)
    assert [pattern and pattern.text for pattern in naming.patterns] == [None, "{task}.json"]
    assert naming.task("x") == "X"


def test_configurations_are_named_where_models_do_not_tell_runs_apart() -> None:
    runs = tuple(
        replace(entry(name), model="m", factors=(("agent", name),), task="t") for name in "ab"
    )
    named = name_configurations(Facts(runs), Config())
    assert [run.configuration for run in named.entries] == ["a", "b"]


def test_the_title_of_the_only_file_of_its_name_stays() -> None:
    run = replace(entry("a/my  run.json"), title="my run")
    assert name_by_path(Facts((run,))).entries == (run,)


def test_runs_of_a_task_are_not_told_apart_by_their_configuration() -> None:
    runs = [alike("x/a.json", task="t", model="m", configuration=name) for name in ("same", "same")]
    other = replace(runs[1], id="other", source=entry("y/a.json").source)
    assert additions(runs[0], other) == ["x", "y"]
    assert configurations([runs[0], replace(runs[0], task=None)]) == ["", "same"]
    plain = replace(runs[0], task=None, configuration=None)
    assert configurations([plain, replace(plain, model=None)]) == ["m", ""]


def test_a_file_at_the_top_and_one_of_its_name_in_a_folder_are_told_apart() -> None:
    assert folders([entry("x.json"), entry("a/x.json")]) == ["x", "a/x"]
    assert folders([entry("a/x.json"), entry("b/x.json")]) == ["a", "b"]


def test_a_run_whose_name_needs_nothing_is_the_same_object() -> None:
    """Copies of many runs take memory."""
    runs = (entry("1", task="t"), replace(entry("2", task="u")))
    assert all(
        made is run for made, run in zip(disambiguate(Facts(runs)).entries, runs, strict=True)
    )
