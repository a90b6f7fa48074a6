"""Reports of benchmarks: the outcome of each task, and where the runs are that a report is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
