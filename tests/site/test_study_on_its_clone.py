"""The settings of examples/iso-bench.md on a folder with the layout of the clone: pilots, reruns, other models."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import yaml

from sitegen.collect import Facts, collect
from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.outcomes.left_out import describe_left_out
from sitegen.outcomes.study import Study
from sitegen.pages.study_page import study_latex, tables
from tests.conftest import ROOT

MAX_LINES = 25
RUNS = "ISO-Bench/state/runs"
RESULTS = "archive/results/2026-01"
CONFIGURATIONS = (("codex_cli", "gpt-5"), ("trae", "gpt-5"), ("trae", "claude-sonnet-45"))
VLLM = ("aaaaaaa1", "aaaaaaa2")
SGLANG = ("bbbbbbb1",)


def settings_text() -> str:
    example = (ROOT / "examples/iso-bench.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", example, re.DOTALL)
    return str(blocks[0])


def write_run(
    root: Path,
    codebase: str,
    agent: str,
    model: str,
    stamp: str,
    commit: str,
    status: str = "success",
) -> str:
    """Write the journal of a run, and return its path."""
    repository = "vllm" if codebase == "vllm" else "sglang"
    path = f"{RUNS}/{codebase}/{agent}/{model}/{stamp}/{repository}_core-{commit}/journal.json"
    process = {"cli": agent, "time_budget_minutes": 60, "returncode": 0, "duration_s": 90.5}
    journal = {
        "task_id": f"{repository}_core",
        "commits": {"human": f"{commit}00000000", "pre": "fedcba98"},
        "agent_branch": f"agent/{repository}_core/{commit}",
        "status": status,
        "run_metadata": {"repo": repository, "agent": agent, "model": model},
        agent: process,
        "timestamps": {"written": 1767348000.0 + int(commit[-1]) + len(path)},
        "experiment": {"seed": path},
    }
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(journal))
    return path


def write_result(root: Path, folder: str, commit: str, who: str, ttft: float | None) -> None:
    file = root / RESULTS / f"omniperf_results_3way_{folder}/results/{commit}_{who}_result.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "human_commit": commit,
        "model": "Qwen/Qwen3",
        "status": "error" if ttft is None else "success",
        "metrics": {} if ttft is None else {"ttft_mean_ms": ttft},
    }
    file.write_text(json.dumps(result))


def write_clone(root: Path) -> None:
    rows = []
    for agent, model in CONFIGURATIONS:
        for commit in VLLM + SGLANG:
            codebase = "vllm" if commit in VLLM else "sglan" if agent == "trae" else "sglang"
            write_run(root, codebase, agent, model, "2025-11-01_10-00-00", commit)  # a pilot
            path = write_run(root, codebase, agent, model, "2025-12-01_10-00-00", commit)
            hard = "pass" if commit == VLLM[0] else "fail"
            rows.append((path, hard, "pass", "partial_solution", ""))
    write_run(root, "vllm", "trae", "gpt-4o", "2025-11-05_10-00-00", VLLM[0], "error")
    rows[0] = (rows[0][0], "", "pass", "same_target", "leak")  # its benchmark failed
    with (root / "verdicts.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "hard", "soft", "approach", "excluded"))
        writer.writerows(rows)
    for folder in ("codex_cli", "trae_gpt5", "trae_sonnet45", "claude_code"):
        (root / RESULTS / f"omniperf_results_3way_{folder}/results").mkdir(parents=True)
    write_result(root, "trae_gpt5", VLLM[0], "agent", 100.0)
    write_result(root, "trae_sonnet45", VLLM[0], "agent", 50.0)
    write_result(root, "claude_code", VLLM[0], "human", 100.0)


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Facts:
    write_clone(tmp_path)
    monkeypatch.chdir(tmp_path)
    return collect(config_of_example(), Redactor(), lambda _, items: items)


def config_of_example() -> Config:
    return Config.model_validate(yaml.safe_load(settings_text()))


def test_the_settings_are_short_and_usual() -> None:
    lines = settings_text().splitlines()
    assert len(lines) <= MAX_LINES


def test_only_runs_of_the_study_count(facts: Facts) -> None:
    assert len(facts.entries) == len(CONFIGURATIONS) * 3
    assert all("2025-12-01" in entry.source.path for entry in facts.entries)
    assert len(facts.without_verdict) == len(CONFIGURATIONS) * 3 + 1
    text = describe_left_out(facts.without_verdict)
    assert text == "left out: 10 runs without a verdict, 1 of them ended by errors (error: 1)"
    assert facts.problems == ()


def test_tables_are_split_by_codebases_under_one_name(facts: Facts) -> None:
    study = Study(config_of_example(), facts.entries)
    made = tables(study)
    quadrants = b"".join(made["quadrants-by-codebase"].table(study).to_csv()).decode()
    rows = list(csv.DictReader(quadrants.splitlines()))
    assert {row["codebase"] for row in rows} == {"SGLang", "vLLM"}
    lucky = [row for row in rows if row["quadrant"] == "True Success" and row["runs"] != "0"]
    assert len(lucky) == 2  # the benchmark of the third failed
    observed = b"".join(made["observations-approach"].table(study).to_csv()).decode()
    assert "Partial solution" in observed and "partial_solution" not in observed
    latex = study_latex(study, made["verdicts-by-codebase"])
    assert "\\textit{vLLM}" in latex and "Hard minus success" in latex


def test_a_measurement_is_of_the_run_that_the_table_names(facts: Facts) -> None:
    gains = {
        entry.configuration: score.value
        for entry in facts.entries
        for score in entry.scores
        if score.name == "gain"
    }
    assert sorted(gains.values()) == [1.0, 2.0]
