"""Reports of benchmarks: the outcome of each task, and where the runs are that a report is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Score
from sitegen.outcomes.parse_reports import (
    first_lines,
    folders_of_runs,
    outcomes_by_list,
    parse_report,
    possible_models,
    read_ids,
)
from sitegen.outcomes.rows import Row
from tests.outcomes.sources import origin


def rows_of(document: object, path: str = "r.json", **known: Any) -> list[Row]:
    rows = parse_report(document, json.dumps(document, indent=1), origin(path, **known))
    assert rows is not None
    return rows


SWEBENCH = {
    "total_instances": 3,
    "completed_instances": 3,
    "resolved_instances": 1,
    "unresolved_instances": 1,
    "schema_version": 2,
    "submitted_ids": ["a", "b", "c"],
    "completed_ids": ["a", "b", "c"],
    "incomplete_ids": [],
    "resolved_ids": ["a", "b"],
    "unresolved_ids": ["b", 7, " "],
    "empty_patch_ids": [],
    "error_ids": ["c"],
    "error_instances": 1,
}


def test_the_first_list_that_holds_a_task_decides() -> None:
    rows = rows_of(SWEBENCH, settings={"attempt": 2, "campaign": "May"})
    assert [(row.task, str(row.outcome)) for row in rows] == [
        ("a", "pass"),
        ("b", "pass"),
        ("c", "error"),
    ]
    assert {(row.attempt, row.campaign, row.is_report, row.below) for row in rows} == {
        (2, "May", True, ())
    }
    lines = json.dumps(SWEBENCH, indent=1).split("\n")
    assert ['"a"' in lines[(rows[0].line or 0) - 1], '"c"' in lines[(rows[2].line or 0) - 1]] == [
        True,
        True,
    ]


def test_a_document_of_another_kind_is_no_report() -> None:
    for document in ([], {}, {"resolved": 3}, {"results": []}, "text"):
        assert parse_report(document, "", origin("r.json")) is None


def test_lists_hold_names_alone() -> None:
    assert read_ids({"a": ["x", 1, None]}, "a") == ["x"] and read_ids({"a": "x"}, "a") == []
    assert outcomes_by_list({"a": ["x"], "b": ["x", "y"]}) == {}


@pytest.mark.parametrize(
    ("location", "folders"),
    [
        ("/in/runs/r.json", ["/in/runs/"]),
        ("/in/runs/Results/r.json", ["/in/runs/Results/", "/in/runs/"]),
        ("/in/runs/evaluation_1/r.json", ["/in/runs/evaluation_1/", "/in/runs/"]),
        ("/in/model/task/report.json", ["/in/model/"]),
        ("/in/logs/run_evaluation/day/m/task/r.json", ["/in/logs/run_evaluation/day/m/", "/in/"]),
    ],
)
def test_a_report_is_about_runs_of_its_folder(location: str, folders: list[str]) -> None:
    assert list(folders_of_runs(location, "task")) == folders


def test_what_may_be_a_model_in_a_path() -> None:
    assert list(possible_models(Path("m/t/opus-4.5.day.json"))) == [
        "opus-4.5.day",
        "opus-4.5",
        "t",
        "m",
    ]
    assert first_lines('{\n"a": "b",\n"b": "a"}', {"a", "b"}) == {"a": 2, "b": 2}


def outcomes(document: object, **known: Any) -> dict[str | None, str]:
    return {row.task: str(row.outcome) for row in rows_of(document, **known)}


def test_a_report_of_2024_has_its_lists_under_other_names() -> None:
    lists = {
        "generated": ["a", "b"],
        "with_logs": ["a"],
        "resolved": ["a"],
        "install_fail": ["b"],
        "reset_failed": ["c"],
        "test_errored": ["d"],
        "no_generation": ["e"],
        "no_apply": ["f"],
        "test_timeout": ["g"],
        "applied": ["a", "h"],
    }
    assert outcomes(lists) == {
        "a": "pass",
        **dict.fromkeys("bcd", "error"),
        **dict.fromkeys("efgh", "fail"),
    }


def test_the_report_of_one_instance_says_whether_it_is_resolved() -> None:
    def instance(*, resolved: bool) -> dict[str, bool]:
        return {
            "patch_is_None": False,
            "patch_exists": True,
            "patch_successfully_applied": True,
            "resolved": resolved,
        }

    document = {"a": instance(resolved=True), "b": instance(resolved=False)}
    assert outcomes(document) == {"a": "pass", "b": "fail"}


GSO: dict[str, Any] = {
    "summary": {"total_predictions": 7},
    "opt_stats": {
        "a": {"gm_speedup_patch_base": 3.0, "gm_speedup_patch_commit": 1.5},
        "b": {"gm_speedup_patch_base": 0, "gm_speedup_patch_commit": "x"},
        "c": 7,
    },
    "instance_sets": {
        "opt_commit_ids": ["a", "h"],
        "opt_base_ids": ["a", "b"],
        "hacked_ids": ["h"],
        "error_ids": ["c"],
        "base_failed_ids": ["d"],
        "patch_failed_ids": ["e"],
        "test_failed_ids": ["f"],
        "empty_patch_ids": ["g"],
        "passed_ids": ["a", "i"],
        "completed_ids": ["a", "j"],
    },
}


def test_a_report_of_gso_has_speedups_and_says_what_was_hacked() -> None:
    rows = {row.task: row for row in rows_of(GSO)}
    assert {task: str(row.outcome) for task, row in rows.items()} == {
        "h": "fail",
        "a": "pass",
        "b": "partial",
        "c": "error",
        "d": "error",
        **dict.fromkeys("efgij", "fail"),
    }
    assert rows["a"].scores == (
        Score("speedup", 3.0, "x", True, True),
        Score("speedup over expert", 1.5, "x", True, True),
    )
    assert rows["b"].scores == rows["c"].scores == ()
    assert [task for task, row in rows.items() if row.labels == ("hacked",)] == ["h"]


def test_tasks_without_a_name_or_with_a_long_one_are_left_out() -> None:
    report = {**SWEBENCH, "resolved_ids": [" ", "", "x" * 500, "y" * 501]}
    tasks = [row.task for row in rows_of(report)]
    assert "x" * 500 in tasks and not {" ", "", "y" * 501} & set(tasks)


def test_a_report_that_nobody_named_is_about_runs_below_its_folder() -> None:
    (first, *_) = rows_of(SWEBENCH, "results/opus.day.json", is_found=True)
    assert first.below == ("/in/results/", "/in/") and first.is_found
    assert first.model_hints == ("opus.day", "opus", "results", "in")
    assert first.campaign is None and first.model is None
    named = rows_of(SWEBENCH, settings={"model": "m"})
    assert {row.model for row in named} == {"m"}


def test_places_of_strings_are_found_once_in_their_lines() -> None:
    text = '{"x": "a",\n"b\\"": 1,\n\n"a": "c", "c": 2}'
    assert first_lines(text, {"a", "c", 'b\\"'}) == {"a": 1, 'b\\"': 2, "c": 4}
    assert first_lines(text, set()) == {}


def test_trials_of_terminal_bench_have_their_attempt_and_their_time() -> None:
    def trial(name: str, *, resolved: bool | None, mode: str = "unset") -> dict[str, Any]:
        return {
            "trial_name": f"{name}.2-of-5.x",
            "task_id": name,
            "is_resolved": resolved,
            "failure_mode": mode,
            "trial_started_at": "2026-01-31T12:00:00+01:00",
            "parser_results": None,
        }

    trials = [trial("a", resolved=True), trial("b", resolved=False), trial("c", resolved=None)]
    for document in (
        {"n_resolved": 1, "results": [*trials, 7]},
        {"resolved_ids": [], "results": trials},
    ):
        rows = rows_of(document)
        assert [(row.task, str(row.outcome), row.attempt) for row in rows] == [
            ("a", "pass", 2),
            ("b", "fail", 2),
            ("c", "error", 2),
        ]
        assert {row.started_at for row in rows} == {"2026-01-31T11:00:00Z"}
    (single,) = rows_of(trials[0])
    assert (single.task, str(single.outcome)) == ("a", "pass")
    assert parse_report({"results": trials}, "", origin("r.json")) is None
