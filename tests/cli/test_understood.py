"""The line that says what `init` and `check` have recognised."""

from __future__ import annotations

from pathlib import Path

from sitegen.api import load_runs
from sitegen.cli.understood import describe
from sitegen.config import Config, Input
from tests.support import campaigns
from tests.support.campaigns import result

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
