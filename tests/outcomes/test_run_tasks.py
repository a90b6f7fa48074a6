"""Runs are found by task, model, attempt and campaign; where none fits, the first of these that none has is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Outcome
from sitegen.outcomes.reasons import Why
from sitegen.outcomes.run_tasks import (
    RunTasks,
    commits_of,
    is_about_commit,
    lies_below,
    setting_key,
    split_attempt,
)
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES, row, run_of_model

SONNET = "claude-sonnet-4-5-20250929"
COMMIT = "7c4d2e1f" * 5


def attempt(task: str, number: int | None, model: str = SONNET, **known: Any) -> Entry:
    shown = "Claude Sonnet 4.5" if model == SONNET else model
    run = run_of_model(model)
    path = f"{task}/{model}/{number}.json"
    return entry(path, run, task=task, attempt=number, model=shown, **known)


RUNS = [
    attempt("one", 1, campaign="May", factors=(("agent", "codex"),)),
    attempt("one", 2, campaign="May", factors=(("agent", "codex_cli"),)),
    attempt("one", 1, "gpt-5", campaign="June"),
    attempt(f"engine-{COMMIT[:8]}", 1, factors=(("commit", COMMIT),)),
]


def found(*, naming: Naming = NO_NAMES, patched: str = "", **known: Any) -> list[int] | Why:
    asked = row(**known)
    tasks = RunTasks(RUNS, [asked], naming, lambda run: run.id == patched)
    return list(tasks.find(asked)) or tasks.explain(asked).why


@pytest.mark.parametrize(
    ("known", "positions"),
    [
        ({"task": "ONE"}, [0, 1, 2]),
        ({"task": "one", "attempt": 2}, [1]),
        ({"task": "one.2-of-5"}, [1]),
        ({"task": "one__run1", "model": "gpt-5"}, [2]),
        ({"task": "one__run2", "attempt": 1}, [0, 2]),
        ({"task": "one", "campaign": "june"}, [2]),
        ({"task": "one", "model": "Sonnet 4.5", "attempt": 1}, [0]),
        ({"task": "one", "model": "sonnet-4.5"}, Why.NOT_OF_MODEL),
        ({"task": "one", "model_hints": ("x", "gpt-5")}, [2]),
        ({"task": "one", "model_hints": ("x",)}, [0, 1, 2]),
        ({"task": "one", "columns": (("agent", "codex"),)}, [0]),
        ({"task": "one", "columns": (("agent", "Codex_CLI"),)}, [1]),
        ({"task": "one", "columns": (("agent", "x"),)}, Why.NOT_OF_FACTORS),
        ({"task": "one", "columns": (("skill", "x"),)}, [0, 1, 2]),
        ({"commit": COMMIT}, [3]),
        ({"commit": COMMIT[:7]}, [3]),
        ({"commit": f"{COMMIT[:7]}0"}, Why.NOT_OF_FACTORS),
        ({"commit": "0" * 8}, Why.NO_SUCH_COMMIT),
        ({"task": "two"}, Why.NO_SUCH_TASK),
        ({"task": "two", "commit": COMMIT}, [3]),
        ({"task": "one", "campaign": "July"}, Why.NOT_IN_CAMPAIGN),
        ({"task": "one", "campaign": "June", "model": SONNET}, Why.NOT_OF_MODEL),
        ({"task": "one", "attempt": 3}, Why.NOT_THAT_ATTEMPT),
        ({"task": "one", "below": ("/nowhere/",)}, Why.NO_SUCH_TASK),
    ],
)
def test_a_row_finds_its_runs(known: dict[str, Any], positions: list[int] | Why) -> None:
    assert found(**known) == positions


def test_names_of_the_settings_are_those_of_tasks_and_models() -> None:
    naming = Naming([], {"task": {"eins": "one"}, "model": {"small": "Claude Sonnet 4.5"}})
    assert found(naming=naming, task="eins", model="small") == [0, 1]


def test_a_measurement_is_of_the_only_run_that_left_a_patch() -> None:
    known: dict[str, Any] = {"task": "one", "commit": COMMIT}
    assert found(**known) == [0, 1, 2]
    assert found(patched=RUNS[1].id, **known) == [1]
    assert found(patched=RUNS[1].id, reference="human", **known) == [0, 1, 2]


def test_a_reason_lists_the_models_that_runs_have_and_the_line_that_would_match() -> None:
    def sentence(model: str) -> str:
        asked = row(task="one", model=model)
        return RunTasks(RUNS, [asked], NO_NAMES, lambda _: False).explain(asked).sentence

    known = "they have 'Claude Sonnet 4.5', 'gpt-5'."
    assert sentence("opus").endswith(f"has the model 'opus'; {known}")
    line = "`names: {model: {sonnet-4.5: Claude Sonnet 4.5}}`"
    assert sentence("sonnet-4.5").endswith(
        f"{known} If it is Claude Sonnet 4.5, add {line} to the settings."
    )


def test_a_report_is_about_the_runs_of_the_nearest_folder() -> None:
    places = [replace(run, source=replace(run.source, location=f"/in/{run.id}")) for run in RUNS]
    asked = row(task="one", below=("/in/other/", "/in/one/gpt-5/", "/in/"))
    assert list(RunTasks(places, [asked], NO_NAMES, lambda _: False).find(asked)) == [2]


def test_commits_attempts_and_keys() -> None:
    assert commits_of(RUNS[3]) == [COMMIT, COMMIT[:8]]
    assert commits_of(RUNS[0]) == []
    assert split_attempt("one.10-of-20.2026") == ("one", 10)
    assert split_attempt("one_run-3") == ("one", 3)
    assert split_attempt("one") == ("one", None)
    keys = [setting_key(name) for name in ("sonnet-4.5", "a: b", "4.5", "x/y z", "é: b")]
    assert keys == ["sonnet-4.5", '"a: b"', '"4.5"', "x/y z", '"é: b"']


def test_three_models_that_runs_have_are_named() -> None:
    runs = [attempt("one", number, f"m{number}") for number in range(1, 5)]
    asked = row(task="one", model="opus")
    reason = RunTasks(runs, [asked], NO_NAMES, lambda _: False).explain(asked)
    assert reason.sentence == (
        "No run of the task 'one' has the model 'opus'; they have 'm1', 'm2', 'm3'."
    )
    unnamed = [entry("1.json", task="one")]
    alone = RunTasks(unnamed, [asked], NO_NAMES, lambda _: False).explain(asked)
    assert alone.sentence == "No run of the task 'one' has the model 'opus'."


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (
            {"task": "two: x"},
            "No run has the task 'two: x': if runs call it otherwise, add "
            '`names: {task: {"two: x": name in the path}}`; if runs have no task, add a pattern.',
        ),
        ({"commit": "0" * 8}, "No run has the commit '00000000'."),
        (
            {"task": "one", "campaign": "July"},
            "No run of the task 'one' is in the campaign 'July'.",
        ),
        (
            {"task": "one", "campaign": "June", "attempt": 3},
            "No run of the task 'one' in June is attempt 3.",
        ),
        (
            {"task": "one", "model": "gpt-5", "attempt": 3},
            "No run of the task 'one' with gpt-5 is attempt 3.",
        ),
        (
            {"commit": COMMIT, "attempt": 3},
            f"No run of the commit '{COMMIT}' is attempt 3.",
        ),
        (
            {"task": "one", "columns": (("agent", "x"),)},
            "No run of the task 'one' has the agent, or another factor, that the row names.",
        ),
    ],
)
def test_why_a_row_is_about_no_run(known: dict[str, Any], sentence: str) -> None:
    asked = row(**known)
    assert RunTasks(RUNS, [asked], NO_NAMES, lambda _: False).explain(asked).sentence == sentence


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("a.1-of-5", ("a", 1)),
        ("a.12-of-5.2026-01", ("a", 12)),
        ("a__run3", ("a", 3)),
        ("a.run-3", ("a", 3)),
        ("a-Run_3", ("a", 3)),
        ("a_RUN3", ("a", 3)),
        ("a.1-OF-5", ("a", 1)),
        ("arun3", ("arun3", None)),
        ("a.1-of-", ("a.1-of-", None)),
        (".1-of-5", (".1-of-5", None)),
        ("a_run1234567890", ("a_run1234567890", None)),
    ],
)
def test_a_task_is_told_from_its_attempt(task: str, expected: tuple[str, int | None]) -> None:
    assert split_attempt(task) == expected


@pytest.mark.parametrize(
    ("task", "commits"),
    [
        ("engine-7c4d2e1", ["7c4d2e1"]),
        ("engine-7C4D2E1", ["7c4d2e1"]),
        ("engine7c4d2e1", []),
        ("engine-7c4d2e", []),
        ("engine-7c4d2e1-x", []),
        ("7c4d2e1", ["7c4d2e1"]),
        ("x-" + "a" * 41, []),
    ],
)
def test_a_commit_is_the_end_of_a_task(task: str, commits: list[str]) -> None:
    assert commits_of(entry("1.json", task=task)) == commits
    of_file = entry("1.json", run_of_model(SONNET, task=task))
    assert commits_of(of_file) == commits


@pytest.mark.parametrize(
    ("factors", "task", "stated_task", "expected"),
    [
        ((("commit", "7C4D2E1F"),), "t", None, ["7c4d2e1f"]),
        ((("commit", "latest"),), "t", None, []),
        ((("branch", "7c4d2e1f"),), "t", None, []),
        ((), "engine-7c4d2e1", None, ["7c4d2e1"]),
        ((), "engine-7c4d2e", None, []),
        ((), "t", "engine-abcdef0", ["abcdef0"]),
        ((("commit", "7c4d2e1f"),), "engine-7c4d2e1f", "engine-abcdef0", ["7c4d2e1f", "abcdef0"]),
    ],
)
def test_commits_are_those_of_a_factor_and_of_both_tasks(
    factors: tuple[tuple[str, str], ...],
    task: str,
    stated_task: str | None,
    expected: list[str],
) -> None:
    run = replace(run_of_model(SONNET), task=stated_task)
    assert commits_of(entry("1.json", run, task=task, factors=factors)) == expected


def test_a_verdict_is_not_of_the_run_that_left_a_patch() -> None:
    known: dict[str, Any] = {"task": "one", "commit": COMMIT, "outcome": Outcome.PASS}
    assert found(patched=RUNS[1].id, **known) == [0, 1, 2]


def test_a_measurement_is_rather_of_a_preferred_run() -> None:
    asked = row(task="one", commit=COMMIT)
    tasks = RunTasks(RUNS, [asked], NO_NAMES, lambda _: False)
    assert list(tasks.find(asked)) == [0, 1, 2]
    tasks.preferred = {1, 3}
    assert list(tasks.find(asked)) == [1]
    tasks.preferred = {3}
    assert list(tasks.find(asked)) == [0, 1, 2], "none of them is preferred"


def test_the_model_that_a_row_states_counts_before_those_of_its_path() -> None:
    assert found(task="one", model=SONNET, model_hints=("gpt-5",)) == [0, 1]


def test_the_attempt_of_a_run_counts_before_that_in_its_task() -> None:
    runs = [attempt("x.2-of-5", None), attempt("x.3-of-5", 7)]

    def positions(**known: Any) -> list[int]:
        asked = row(**known)
        return list(RunTasks(runs, [asked], NO_NAMES, lambda _: False).find(asked))

    assert positions(task="x") == [0, 1]
    assert [positions(task="x", attempt=number) for number in (2, 3, 7)] == [[0], [], [1]]


def test_factors_that_a_run_lacks_do_not_speak_against_it() -> None:
    run = entry("1.json", task="t", factors=(("skill", "A"), ("arm", "")))

    def is_found(**columns: str) -> bool:
        asked = row(task="t", columns=tuple(columns.items()))
        return list(RunTasks([run], [asked], NO_NAMES, lambda _: False).find(asked)) == [0]

    assert is_found(skill="a") and not is_found(skill="b")
    assert is_found(arm="x") and is_found(other="x")
    assert not is_found(other="x", skill="b")


def test_only_the_factor_commit_is_a_commit() -> None:
    factors = (("commit", "main"), ("base", COMMIT))
    assert commits_of(entry("1.json", factors=factors)) == []
    short = entry("1.json", task=f"engine-{COMMIT[:7]}")
    assert is_about_commit(short, COMMIT) and is_about_commit(short, COMMIT[:7])
    whole = entry("1.json", factors=(("commit", COMMIT),))
    assert is_about_commit(whole, COMMIT[:9]) and not is_about_commit(whole, f"{COMMIT[:9]}0")
    both = replace(whole, task="engine-" + "0" * 8)
    assert is_about_commit(both, COMMIT) and is_about_commit(both, "0" * 40)


def test_one_file_of_a_run_below_a_folder_is_enough() -> None:
    assert lies_below("/a/", ["/b/1.json", "/a/1.json"])
    assert not lies_below("/a/", ["/b/1.json", "/ab/1.json"])
