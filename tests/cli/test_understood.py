"""The line that says what `init` and `check` have recognised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.api import load_runs
from sitegen.cli.understood import describe, list_names
from sitegen.config import Config, Input
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.chart_runs import entry

PATTERN = "{task}/{agent}/{attempt}.*"


def test_tasks_agents_models_and_attempts_are_counted_and_named(tmp_path: Path) -> None:
    paths = [f"runs/{task}/codex/{number}.json" for task in "abcd" for number in (1, 2)]
    paths += ["runs/a/codex/3.json", "runs/e.json"]
    campaigns.write(tmp_path, {path: result(number) for number, path in enumerate(paths, 1)})
    settings = f'inputs: [{{path: runs, pattern: "{PATTERN}"}}]\n'
    campaigns.write(tmp_path, {"config.yaml": settings})
    runs = load_runs(config=tmp_path / "config.yaml")
    config = Config(inputs=(Input(path="runs", pattern=PATTERN),))
    assert describe(config, runs.entries) == (
        "4 tasks: a, b, c, ...; 2 agents: Claude Code, Codex; 1 model: Claude Sonnet 4.5; "
        f"1 run without a task; 2 to 3 attempts each; pattern {PATTERN}"
    )
    assert "no run has a task" in describe(Config(), runs.entries[-1:])


def test_names_are_listed_with_the_number_of_their_runs(tmp_path: Path, said: list[str]) -> None:
    paths = [f"{task}/codex/{number}.json" for task in "ba" for number in (1, 2)]
    campaigns.write(tmp_path / "runs", {path: result(n) for n, path in enumerate(paths[:3], 1)})
    campaigns.write(
        tmp_path,
        {
            "config.yaml": f'inputs: [{{path: runs, pattern: "{PATTERN}"}}]\ncampaign: {{name: June}}\n'
        },
    )
    entries = load_runs(config=tmp_path / "config.yaml").entries
    list_names(entries)
    assert said == [
        "out: task     a: 1 run",
        "out: task     b: 2 runs",
        "out: agent    Codex: 3 runs",
        "out: model    Claude Sonnet 4.5: 3 runs",
    ]


def test_of_three_names_none_is_left_out_and_all_attempts_may_be_alike(tmp_path: Path) -> None:
    files = {f"runs/{task}/pi/1.json": result(n) for n, task in enumerate("abc", 1)}
    campaigns.write(tmp_path, files)
    settings = f'inputs: [{{path: runs, pattern: "{PATTERN}"}}]\n'
    campaigns.write(tmp_path, {"config.yaml": settings})
    entries = load_runs(config=tmp_path / "config.yaml").entries
    assert describe(Config(), entries) == (
        "3 tasks: a, b, c; 1 agent: pi; 1 model: Claude Sonnet 4.5; 1 attempt each"
    )


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({}, "2 attempts each"),
        ({"model": "Beta 1"}, "1 attempt each"),
        ({"task": "u"}, "1 attempt each"),
        ({"campaign": "June"}, "1 attempt each"),
        ({"factors": (("agent", "pi"),)}, "1 attempt each"),
        ({"factors": (("agent", "codex"), ("skill", "b"))}, "1 attempt each"),
    ],
)
def test_attempts_are_runs_that_differ_in_nothing_that_is_known(
    other: dict[str, Any], expected: str
) -> None:
    known: dict[str, Any] = {
        "task": "t",
        "model": "Alpha 2",
        "campaign": "May",
        "factors": (("agent", "codex"),),
    }
    runs = [replace(entry(1), **known), replace(entry(2), **{**known, **other})]
    assert describe(Config(), runs).endswith(expected)
