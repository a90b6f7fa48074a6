"""Real files of strangers: their figures equal what a few lines compute from the raw JSON, and nothing raises."""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.model import Run
from sitegen.readers.run_file import RunFile
from tests.support.agent_runs import files, objects
from tests.support.reading import read_source

FAMILIES = ("claude-result", "claude-result-odd", "claude-stream", "claude-array", "seeds")
MS = timedelta(milliseconds=1)
KINDS = {
    "input": ("inputTokens", "input_tokens"),
    "cache_write": ("cacheCreationInputTokens", "cache_creation_input_tokens"),
    "cache_read": ("cacheReadInputTokens", "cache_read_input_tokens"),
    "output": ("outputTokens", "output_tokens"),
}


def read(path: Path) -> tuple[Run, ...]:
    return read_source(RunFile.of(path.name, path.read_bytes()), named=False) or ()


def raw_results(path: Path) -> list[dict[str, Any]]:
    """The result records of a file, found without the readers; the last one with the messages after it."""
    records = list(objects(path))
    ends = [number for number, record in enumerate(records) if record.get("type") == "result"]
    results = [records[number] for number in ends]
    later = {
        record["message"]["id"]: record["message"].get("usage") or {}
        for record in records[ends[-1] + 1 if ends else len(records) :]
        if record.get("type") == "assistant"
        and record.get("session_id") == results[-1].get("session_id")
    }
    if later:
        sums = {
            name: sum(usage.get(name) or 0 for usage in later.values())
            for _, name in KINDS.values()
        }
        times = [
            datetime.fromisoformat(r["timestamp"]) for r in records[ends[-1] :] if "timestamp" in r
        ]
        results[-1] = {
            **results[-1],
            "later": sums | {"turns": len(later), "wall_ms": (times[-1] - times[0]) / MS},
        }
    return results


def expected(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures by the rules of the formats: the last result of each session, times and turns of all."""
    last_of = {result.get("session_id"): result for result in results}
    figures: dict[str, Any] = {
        "cost": math.fsum(
            last.get("total_cost_usd", last.get("cost_usd")) for last in last_of.values()
        ),
        "api_ms": sum(last["duration_api_ms"] for last in last_of.values())
        if "duration_api_ms" in results[0]
        else None,
        "wall_ms": sum(r["duration_ms"] for r in results) if "duration_ms" in results[0] else None,
        "turns": sum(r["num_turns"] for r in results) if "num_turns" in results[0] else None,
        "denials": sum(len(r["permission_denials"]) for r in results)
        if "permission_denials" in results[0]
        else None,
    }
    for name in ("wall_ms", "turns"):
        if figures[name] is not None:
            figures[name] += results[-1].get("later", {}).get(name, 0)
    for kind, (by_model, in_usage) in KINDS.items():
        counts: list[int] = []
        for last in last_of.values():
            models = last.get("modelUsage") or {}
            if any("inputTokens" in model for model in models.values()):
                counts += [model[by_model] for model in models.values()]
            elif in_usage in (last.get("usage") or {}):
                counts.append(last["usage"][in_usage])
            if counts and "later" in last:
                counts.append(last["later"][in_usage])
        figures[kind] = sum(counts) if counts else None
    return figures


def figures_of(runs: tuple[Run, ...]) -> dict[str, Any]:
    """The sums over the runs of a file, None where none states the figure."""
    each = [
        {
            "cost": run.cost_usd,
            "api_ms": run.api_ms,
            "wall_ms": run.wall_ms,
            "turns": run.turns,
            "denials": run.denials,
        }
        | {kind: run.tokens.kind(kind) for kind in KINDS}
        for run in runs
    ]
    known = {
        name: [figures[name] for figures in each if figures[name] is not None] for name in each[0]
    }
    return {
        name: (math.fsum if name == "cost" else sum)(values) if values else None
        for name, values in known.items()
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_figures_equal_an_independent_computation(shared: Path, family: str) -> None:
    totals: dict[str, list[float]] = defaultdict(list)
    raw_totals: dict[str, list[float]] = defaultdict(list)
    for path in files(shared / "runs" / family):
        results = raw_results(path)
        runs = read(path)
        assert bool(runs) == bool(results), path
        if not runs:
            continue
        assert figures_of(runs) == expected(results), path
        for name, figure in figures_of(runs).items():
            totals[name].append(figure or 0)
        for name, figure in expected(results).items():
            raw_totals[name].append(figure or 0)
    assert {name: math.fsum(t) for name, t in totals.items()} == {
        n: math.fsum(t) for n, t in raw_totals.items()
    }
    assert totals


@pytest.mark.parametrize("family", FAMILIES)
def test_ledgers_add_up_to_what_is_reported(shared: Path, family: str) -> None:
    for path in files(shared / "runs" / family):
        for run in read(path):
            if run.ledger_cost_usd is not None:
                assert run.ledger_cost_usd == pytest.approx(run.cost_usd, abs=1e-6), path
                assert "W_SUM" not in {caveat.code for caveat in run.caveats}


def test_every_result_object_and_array_is_one_run(shared: Path) -> None:
    for family in ("claude-result", "claude-array", "claude-stream"):
        assert all(read(path) for path in files(shared / "runs" / family))


def test_files_that_share_a_uuid_agree(shared: Path) -> None:
    by_uuid: dict[str, set[tuple[float | None, int | None]]] = defaultdict(set)
    for family in FAMILIES:
        for path in files(shared / "runs" / family):
            for run in read(path):
                if run.uuid:
                    by_uuid[run.uuid].add((run.cost_usd, run.tokens.total))
    assert [uuid for uuid, figures in by_uuid.items() if len(figures) > 1] == []


NO_RUNS = (
    "INDEX.csv",
    "README.md",
    "aider-analytics",
    "gso-report",
    "swebench-instance-report",
    "swebench-report",
)
"""Verdicts and lists, which are nobody's runs."""


def test_no_file_of_any_family_raises(shared: Path) -> None:
    """Only ReadError, never with the code of a failed reader; and nothing is read as a run that is none."""
    for path in files(shared / "runs"):
        family = path.relative_to(shared / "runs").parts[0]
        try:
            runs = read_source(RunFile.of(path.name, path.read_bytes()), named=False)
        except ReadError as error:
            assert family in ("odd-named", "inspect-json"), (path, error.code)
            assert error.code in {"E_EMPTY", "E_NOT_A_RUN", "E_NOT_JSON"}, path
        else:
            assert not runs or family not in NO_RUNS, path


SEEDS = {
    "000_5923af64a9601b09.txt": (0.87603895, 24107, 46759, 1398819, 13490, 198152, 252324, 32),
    "002_89fb9a76eb7725c5.txt": (1.21176, 48871, 83826, 1565905, 18234, 253963, 311205, 48),
    "003_e68a5f9bc527e952.txt": (0.5754082, 17759, 33088, 694144, 12186, 157544, 189145, 26),
}


@pytest.mark.parametrize("name", SEEDS)
def test_seeds_have_exactly_the_figures_of_the_acceptance(shared: Path, name: str) -> None:
    (run,) = read(shared / "runs" / "seeds" / name)
    assert run is not None
    tokens = run.tokens
    assert run.cost_usd is not None
    figures = (
        round(run.cost_usd, 9),
        tokens.input,
        tokens.cache_write,
        tokens.cache_read,
        tokens.output,
    )
    assert (*figures, run.wall_ms, run.api_ms, run.turns) == SEEDS[name]
    assert [
        ("sonnet-4-5" in (line.model or ""), "opus-4-5" in (line.model or ""))
        for line in run.ledger
    ] == [
        (True, False),
        (False, True),
    ]
    assert not run.caveats


def test_seeds_together_cost_what_the_acceptance_says(shared: Path) -> None:
    runs = [run for path in files(shared / "runs" / "seeds") for run in read(path)]
    assert math.fsum(run.cost_usd or 0 for run in runs) == pytest.approx(2.66320715, abs=1e-12)
