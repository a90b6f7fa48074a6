"""Measurements of benchmarks as outcomes: one object a file, joined by commit and agent, references and gains."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen import config
from sitegen.collect import Facts, collect
from sitegen.errors import ConfigError
from sitegen.masking.redact import Redactor
from sitegen.model import Entry
from sitegen.outcomes.study import Study
from tests.support.campaigns import SONNET, result, usage
from tests.support.command import sitegen

COMMITS = ("0a1b2c3d" * 5, "beefcafe" * 5, "12345678" * 5)
NUMBERS = count(1)
SCORES: dict[str, Any] = {
    "delay": {"unit": "ms", "direction": "lower", "columns": ["metrics.delay_ms"]},
    "rate": {"direction": "higher", "columns": ["metrics.rate"]},
    "gain": {"of": ["delay", "rate"], "reference": "expert", "band": "5 %"},
}


def settings(folder: Path, **keys: Any) -> Path:
    path = folder / "config.yaml"
    pattern = "{agent}/{task}/{attempt}.json"
    path.write_text(
        yaml.safe_dump({"inputs": [{"path": "runs", "pattern": pattern}], "scores": SCORES, **keys})
    )
    return path


def facts_of(path: Path) -> Facts:
    return collect(config.load(path), Redactor(), lambda _, files: files)


def run(folder: Path, agent: str, commit: str, attempt: int = 1, patch: str | None = None) -> None:
    path = folder / "runs" / agent / f"engine-{commit[:8]}" / f"{attempt}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    number = next(NUMBERS)
    path.write_text(json.dumps(result(number, modelUsage={SONNET: usage(SONNET, number)})))
    if patch is not None:
        path.with_suffix(".diff").write_text(patch)


def measured(folder: Path, name: str, commit: str, **metrics: float) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    row = {
        "human_commit": commit[:8],
        "human_commit_full": commit,
        "model": "served/Model-7B",
        "duration_s": 12.5,
    }
    row |= {
        "status": "success" if metrics else "error",
        "metrics": metrics,
        "raw_output": "line\n" * 9000,
    }
    path.write_text(json.dumps(row))


def scores_of(entries: Iterable[Entry]) -> dict[str, dict[str, float]]:
    """The scores of runs by agent, commit and attempt, of those that have any."""
    return {
        f"{entry.agent} {(entry.task or '')[-8:]} {entry.attempt}": {
            each.name: each.value for each in entry.scores
        }
        for entry in entries
        if entry.scores
    }


def said(facts: Facts) -> list[tuple[str, str]]:
    return [(problem.code, problem.reason) for problem in facts.problems]


def test_the_agent_is_said_by_the_path_by_an_item_and_by_the_file(tmp_path: Path) -> None:
    """A commit has 8 digits or 40, and the model in the file is the one that was served."""
    for agent in ("crane", "heron"):
        for commit in COMMITS[:2]:
            run(tmp_path, agent, commit)
    measured(tmp_path, "sets/set_crane/0a1b2c3d_agent.json", COMMITS[0], delay_ms=20.0)
    measured(tmp_path, "other/0a1b2c3d.json", COMMITS[0][:8], delay_ms=30.0)
    lines = [
        {"commit_hash": COMMITS[1], "agent": agent, "metrics": {"rate": 2.0}}
        for agent in ("crane", "heron")
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    items = [
        {"path": "sets", "pattern": "set_{agent}/{commit}_agent.json"},
        {"path": "other/*.json", "agent": "heron"},
        "all.jsonl",
    ]
    facts = facts_of(settings(tmp_path, outcomes=items))
    assert scores_of(facts.entries) == {
        "crane 0a1b2c3d 1": {"delay": 20.0},
        "crane beefcafe 1": {"rate": 2.0},
        "heron 0a1b2c3d 1": {"delay": 30.0},
        "heron beefcafe 1": {"rate": 2.0},
    }
    assert said(facts) == []
    assert {entry.outcome for entry in facts.entries} == {None}, "a status is no verdict"


def test_the_order_of_items_decides_and_disagreements_are_one_line(tmp_path: Path) -> None:
    for commit in COMMITS:
        run(tmp_path, "crane", commit)
    for number, commit in enumerate(COMMITS, 1):
        measured(tmp_path, f"one/{number}.json", commit, delay_ms=10.0 * number)
        measured(tmp_path, f"two/{number}.json", commit, delay_ms=11.0 * number, rate=5.0)
    for order in (["one/*.json", "two/*.json"], ["two/*.json", "one/*.json"]):
        facts = facts_of(
            settings(tmp_path, outcomes=[{"path": path, "agent": "crane"} for path in order])
        )
        first = 10.0 if order[0].startswith("one") else 11.0
        found = {key: values["delay"] for key, values in scores_of(facts.entries).items()}
        assert sorted(found.values()) == [first, 2 * first, 3 * first]
        assert all(values["rate"] == 5.0 for values in scores_of(facts.entries).values())
        ((code, reason),) = said(facts)
        assert code == "W_OUTCOME_CONFLICT" and "3 figures of 3 tasks differ" in reason


def test_a_measurement_of_several_runs_counts_for_none_of_them(tmp_path: Path) -> None:
    """Unless only one left a patch, which is what was measured."""
    for commit in COMMITS:
        for agent in ("crane", "heron"):
            run(tmp_path, agent, commit)
        measured(tmp_path, f"sets/{commit[:8]}.json", commit, delay_ms=1.0)
    facts = facts_of(settings(tmp_path, outcomes=["sets/*.json"]))
    assert not scores_of(facts.entries)
    assert [code for code, _ in said(facts)] == ["W_OUTCOME_AMBIGUOUS"]
    for attempt, patch in (
        (1, ""),
        (2, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
        (3, " \n"),
    ):
        run(tmp_path, "crane", COMMITS[0], attempt, patch)
    facts = facts_of(
        settings(tmp_path, outcomes=[{"path": "sets/0a1b2c3d.json", "agent": "crane"}])
    )
    assert list(scores_of(facts.entries)) == ["crane 0a1b2c3d 2"]


@pytest.mark.parametrize(
    ("own", "expert", "gain", "band"),
    [
        ({"delay_ms": 20.0}, {"delay_ms": 30.0}, 1.5, "better"),
        ({"delay_ms": 30.0}, {"delay_ms": 20.0}, 2 / 3, "worse"),
        ({"rate": 30.0}, {"rate": 20.0, "delay_ms": 1.0}, 1.5, "better"),
        ({"rate": 30.0, "delay_ms": 10.0}, {"rate": 29.0}, 30 / 29, "level"),
        ({}, {"rate": 20.0}, None, "no score"),
        ({"rate": 20.0}, {}, None, "no score"),
        ({"rate": 20.0}, {"delay_ms": 20.0}, None, "no score"),
        ({"delay_ms": 0.0}, {"delay_ms": 20.0}, None, "no score"),
    ],
)
def test_a_gain_is_computed_by_the_first_metric_of_both(
    own: dict[str, float], expert: dict[str, float], gain: float | None, band: str, tmp_path: Path
) -> None:
    """The reference may be of another set, and of whichever agent."""
    run(tmp_path, "crane", COMMITS[0])
    run(tmp_path, "heron", COMMITS[0])
    measured(tmp_path, "set/crane.json", COMMITS[0], **own)
    measured(tmp_path, "elsewhere/expert.json", COMMITS[0], **expert)
    items = [
        {"path": "set/*.json", "agent": "crane"},
        {"path": "elsewhere/*.json", "reference": "expert"},
    ]
    loaded = config.load(settings(tmp_path, outcomes=items))
    facts = collect(loaded, Redactor(), lambda _, files: files)
    computed = [each for entry in facts.entries for each in entry.scores if each.is_computed]
    assert [each.value for each in computed] == ([] if gain is None else [pytest.approx(gain)])
    study = Study(loaded, facts.entries)
    assert {entry.agent: study.band(entry, "gain") for entry in facts.entries} == {
        "crane": band,
        "heron": "no score",
    }


def test_a_reference_that_was_measured_with_another_model_is_said(tmp_path: Path) -> None:
    for commit in COMMITS:
        run(tmp_path, "crane", commit)
        measured(tmp_path, f"set/{commit[:8]}.json", commit, rate=2.0)
        measured(tmp_path, f"expert/{commit[:8]}.json", commit, rate=3.0)
    for commit in COMMITS[:2]:
        path = tmp_path / f"expert/{commit[:8]}.json"
        path.write_text(path.read_text().replace("Model-7B", "Model-1B"))
    items = [
        {"path": "set/*.json", "agent": "crane"},
        {"path": "expert/*.json", "reference": "expert"},
    ]
    ((code, reason),) = said(facts_of(settings(tmp_path, outcomes=items)))
    assert (
        code == "W_OUTCOME_CONFLICT"
        and reason.startswith("2 runs are compared")
        and "Model-1B" in reason
    )


def test_one_file_may_hold_runs_and_references(tmp_path: Path) -> None:
    run(tmp_path, "crane", COMMITS[0])
    whole = {
        "instance": {"commit_hash": COMMITS[0]},
        "result": {"own": {"d": 10.0}, "human": {"d": 20.0}},
    }
    (tmp_path / "whole.json").write_text(json.dumps(whole))
    items: list[dict[str, Any]] = [
        {
            "columns": {"commit": "instance.commit_hash"},
            "scores": {"delay": {"columns": [f"result.{name}.d"]}},
        }
        for name in ("own", "human")
    ]
    items = [
        {"path": "whole.json", **items[0]},
        {"path": "whole.json", "reference": "expert", **items[1]},
    ]
    assert scores_of(facts_of(settings(tmp_path, outcomes=items)).entries) == {
        "crane 0a1b2c3d 1": {"delay": 10.0, "gain": 2.0}
    }


def test_a_pack_keeps_what_was_measured(tmp_path: Path) -> None:
    for commit, rate in zip(COMMITS, (2.0, 3.0, 4.0), strict=True):
        for agent in ("crane", "heron"):
            run(tmp_path, agent, commit)
        measured(tmp_path, f"set/{commit[:8]}.json", commit, rate=rate)
        measured(tmp_path, f"expert/{commit[:8]}.json", commit, rate=3.0)
    items = [
        {"path": "set/*.json", "agent": "crane"},
        {"path": "expert/*.json", "reference": "expert"},
    ]
    settings(tmp_path, outcomes=items)
    (tmp_path / "alone").mkdir()
    assert sitegen("pack", "-o", "alone/study.zip", cwd=tmp_path).returncode == 0
    for folder, inputs in ((tmp_path, ()), (tmp_path / "alone", ("study.zip",))):
        for name in ("configurations", "reference-gain"):
            ran = sitegen("export", *inputs, "--table", name, "-o", f"{name}.csv", cwd=folder)
            assert ran.returncode == 0, ran.stderr
    for name in ("configurations.csv", "reference-gain.csv"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    assert b"better,1" in (tmp_path / "reference-gain.csv").read_bytes()


def test_a_pattern_that_fits_no_file_is_said(tmp_path: Path) -> None:
    run(tmp_path, "crane", COMMITS[0])
    measured(tmp_path, "sets/a.json", COMMITS[0], delay_ms=1.0)
    facts = facts_of(
        settings(tmp_path, outcomes=[{"path": "sets", "pattern": "{agent}_agent.json"}])
    )
    ((code, reason),) = said(facts)
    assert code == "W_OUTCOME_UNMATCHED" and "{agent}_agent.json" in reason


def test_a_gain_needs_directions(tmp_path: Path) -> None:
    scores = {**SCORES, "rate": {"columns": ["metrics.rate"]}}
    with pytest.raises(ConfigError, match="give 'rate' a `direction`"):
        config.load(settings(tmp_path, scores=scores))


STUDY = """
inputs: [{path: runs}]
scores:
  ttft: {unit: ms, direction: lower, columns: [metrics.ttft_mean_ms]}
  latency: {unit: ms, direction: lower, columns: [metrics.latency_avg_ms]}
  throughput: {direction: higher, columns: [metrics.throughput_tok_s]}
  gain: {of: [ttft, latency, throughput], reference: human, band: 5 %}
outcomes:
  - {path: 2026-01, pattern: "omniperf_results_3way_{agent}/results/{commit}_agent_result.json"}
  - {path: 2026-01/omniperf_results_3way_sglang/sglang/*/benchmark_result.json}
  - {path: 2026-01/*/results/*_human_result.json, reference: human}
  - {path: 2026-01/*/results/*_baseline_result.json, reference: baseline}
"""


def test_the_measurements_of_the_real_study_join_as_its_readme_counts_them(
    shared: Path, tmp_path: Path
) -> None:
    """Of codex_cli one of 39 fits two runs that both left a patch, and failed."""
    (tmp_path / "config.yaml").write_text(STUDY)
    (tmp_path / "2026-01").symlink_to(shared / "study/results/2026-01")
    (tmp_path / "runs").symlink_to(shared / "study/state/runs")
    loaded = config.load(tmp_path / "config.yaml")
    facts = collect(loaded, Redactor(), lambda _, files: files)
    study = Study(loaded, facts.entries)
    vllm = [entry for entry in facts.entries if (entry.task or "").startswith("vllm")]
    by_agent = {
        name: [entry for entry in vllm if entry.agent == name]
        for name in ("Claude Code", "Codex", "TRAE")
    }
    ends = {
        name: Counter(dict(entry.stated).get("status") for entry in runs)
        for name, runs in by_agent.items()
    }
    assert (
        ends["Claude Code"].total() - ends["Claude Code"][None] == 12
        and ends["Claude Code"]["success"] == 10
    )
    assert ends["Codex"].total() - ends["Codex"][None] == 38 and ends["Codex"]["success"] == 32
    assert set(ends["TRAE"]) == {None}
    scored = {
        name: sum(any(not s.is_computed for s in e.scores) for e in runs)
        for name, runs in by_agent.items()
    }
    assert scored == {"Claude Code": 10, "Codex": 32, "TRAE": 0}
    bands = Counter(study.band(entry, "gain") for entry in by_agent["Claude Code"])
    assert (bands["better"], bands["level"], bands["worse"]) == (1, 1, 6)
    of_sglang = [entry for entry in facts.entries if (entry.task or "").startswith("sglang")]
    assert not any(entry.scores or entry.outcome for entry in of_sglang), (
        "none contains agent metrics"
    )
    assert sum("status" in dict(entry.stated) for entry in of_sglang) == 27, (
        "14 of 41 fit runs of three agents"
    )
    assert not any(entry.outcome for entry in vllm), "a status is no verdict"
    lines = [reason for code, reason in said(facts) if code == "W_OUTCOME_AMBIGUOUS"]
    assert len(lines) == 2 and any(
        "14 of 14 measurements count for nothing" in line for line in lines
    )
