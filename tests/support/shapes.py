"""Generated campaigns of the shapes in which sentences, titles and tables are easily wrong: one run, nothing
but failures, no costs, many models, many runs, two agents with one model."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.support.campaigns import OPUS, SONNET, result, usage, write

SHAPES: dict[str, dict[str, Any]] = {
    "one-run": {"models": [SONNET], "tasks": 1, "attempts": 1},
    "all-failed": {
        "tasks": 4,
        "passes": 0.0,
        "change": {"subtype": "error_max_turns", "is_error": True},
    },
    "no-cost": {"tasks": 6, "cost": None},
    "forty-models": {
        "models": [f"model-{number}" for number in range(40)],
        "tasks": 6,
        "attempts": 1,
    },
    "many-runs": {"models": [SONNET, OPUS, "gpt-5"], "tasks": 10, "attempts": 10},
    "two-agents": {
        "agents": ["codex", "claude-code"],
        "models": [SONNET],
        "tasks": 6,
        "attempts": 3,
    },
}
"""What `campaign` is given for each."""


def campaign(
    folder: Path,
    models: list[str] | None = None,
    agents: list[str] | None = None,
    *,
    tasks: int,
    attempts: int = 2,
    passes: float = 0.3,
    cost: float | None = 0.2,
    change: dict[str, Any] | None = None,
) -> Path:
    """Write attempts of each model (and agent) at each task, with outcomes; returns the settings file. Later models
    cost more and pass more often."""
    chance, files, outcomes = random.Random(5), {}, ["path,outcome"]  # noqa: S311
    number = 0
    for task in range(tasks):
        for agent in agents or [""]:
            for place, model in enumerate(models or [SONNET, OPUS]):
                for attempt in range(1, attempts + 1):
                    number += 1
                    usd = (
                        None
                        if cost is None
                        else round((cost + 0.1 * place) * chance.lognormvariate(0, 0.4), 4)
                    )
                    figures = usage(model if model in (SONNET, OPUS) else SONNET, number) | {
                        "costUSD": usd
                    }
                    told = {
                        "total_cost_usd": usd,
                        "modelUsage": {model: figures} if usd else None,
                        **(change or {}),
                    }
                    path = "/".join(
                        filter(None, (f"task-{task:02}", agent, model, f"{attempt}.json"))
                    )
                    files[f"runs/{path}"] = result(number, **told)
                    passed = chance.random() < passes * (1 + place / 10)
                    outcomes.append(f"{path},{'pass' if passed else 'fail'}")
    parts = "{task}/{agent}/{model}/{attempt}.json" if agents else "{task}/{model}/{attempt}.json"
    settings = {
        "inputs": [{"path": "runs", "pattern": parts}],
        "outcomes": ["outcomes.csv"],
        "output": "site",
    }
    made = {
        **files,
        "outcomes.csv": "\n".join(outcomes) + "\n",
        "sitegen.yaml": json.dumps(settings),
    }
    return write(folder, made) / "sitegen.yaml"


def many(shape: str) -> dict[str, Any]:
    """What the nightly run gives `campaign`: the runs that the name of the shape promises."""
    return SHAPES[shape] | ({"tasks": 100} if shape == "many-runs" else {})
