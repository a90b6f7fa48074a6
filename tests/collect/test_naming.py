"""Names of runs: one spelling, and no two alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.collect.naming import disambiguate, name_by_path, name_tasks_by_evaluation, unify_case
from sitegen.inputs.survey import Facts
from sitegen.model import Run, Status
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
