"""The table of tasks: a row per task, whose columns are factors of its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs.survey import Naming
from sitegen.masking.redact import Redactor
from sitegen.model import Source
from sitegen.outcomes.task_table import TaskTable
from tests.collect.facts import entry

NAMES = {"task": {"a": "Task A"}, "size": {"s": "small"}}


def table(folder: Path, text: str) -> TaskTable:
    file = folder / "t.csv"
    file.write_text(text)
    return TaskTable(Source("t.csv", str(file), named=True, size=1), Naming([], NAMES), Redactor())


def test_columns_are_factors_unless_the_path_says_otherwise(tmp_path: Path) -> None:
    tasks = table(tmp_path, "task,size,leak,limit\na,s,0.5,\nB,l,,1\n")
    assert (tasks.tasks, tasks.problems) == (("Task A", "B"), [])
    runs = [
        entry("1.json", task="Task A", factors=(("leak", "0.1"), ("skill", "x"))),
        entry("2.json", task="b"),
        entry("3.json"),
    ]
    described = tasks.add_to_runs(runs)
    assert [dict(run.factors) for run in described] == [
        {"size": "small", "leak": "0.1", "skill": "x"},
        {"size": "l", "limit": "1"},
        {},
    ]
    assert described[2] is runs[2] and tasks.problems == []


def test_rows_and_tasks_that_have_no_other_half_are_reported(tmp_path: Path) -> None:
    tasks = table(tmp_path, "task,size\na,s\n,l\nTASK A,m\nb\nb,x,y\n")
    runs = [entry("1.json", task="d"), entry("2.json", task="c"), entry("3.json", task="Task A")]
    assert dict(tasks.add_to_runs(runs)[2].factors) == {"size": "small"}
    assert [(each.place, each.reason) for each in tasks.problems] == [
        ("line 3", "It names no task: fill in the column task."),
        ("line 4", "The task 'TASK A' is in an earlier row, which counts; remove one of them."),
        ("line 5", "It has 1 cell and the header has 2."),
        ("line 6", "It has 3 cells and the header has 2."),
        (None, "It has no row for 2 tasks of the runs, such as c."),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "it has no row with a column `task`"), ("size\n1\n", "no column says which run")],
)
def test_a_table_without_tasks_is_an_error(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=reason):
        table(tmp_path, text)
