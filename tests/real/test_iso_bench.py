"""The study that the seeds come from, as it was left on disk: each figure equals an independent count of its folder."""

from __future__ import annotations

import csv
import html
import json
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing

pytestmark = pytest.mark.slow

AGENTS = {"claude_code": "Claude Code", "codex_cli": "Codex", "trae": "TRAE"}
FIGURES = {
    "calls": "turns",
    "tool_calls": "tool_calls",
    "tool_failures": "tool_failures",
    "cache_write": "cache_write_tokens",
    "output_tokens": "output_tokens",
    "cost_usd": "cost_usd",
}
Row = dict[str, Any]


WHOLE = 403
"""Folders of the study."""


@pytest.fixture(scope="module")
def study(
    shared: Path,
    sample: Callable[[list[Path], int], list[Path]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The study under --all, else one in three of its folders."""
    whole = shared / "study"
    if not whole.is_dir():
        missing(f"no folder {whole}")
    folder = tmp_path_factory.mktemp("study")
    for item in sample(sorted((whole / "state/runs").glob("*/*/*/*/*")), 3):
        shutil.copytree(item, folder / item.relative_to(whole))
    shutil.copy(whole / "RUNS.csv", folder)
    return folder


@pytest.fixture(scope="module")
def site(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of all folders with the outline of the steps, built in a process of its own without a cache."""
    output = tmp_path_factory.mktemp("study") / "site"
    command = [
        sys.executable,
        "-m",
        "sitegen",
        "build",
        "--no-config",
        "--no-cache",
        "--steps",
        "outline",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, str(study / "state/runs"), "-o", str(output)], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = {
        "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_mb": after.ru_maxrss / 1000,
    }
    (output.parent / "used.json").write_text(json.dumps(used))
    return output


@pytest.fixture(scope="module")
def runs(site: Path) -> dict[str, Row]:
    """The runs by their folders; a copied folder has the run that it copies."""
    found = {
        row["path"].rpartition("/")[0]: row
        for row in json.loads((site / "data/runs.json").read_bytes())["runs"]
    }
    for problem in json.loads((site / "data/problems.json").read_bytes())["problems"]:
        copy = re.search(r"a copy of that of (\S+)/\S+, which", problem["reason"])
        if copy:
            found[problem["file"].rpartition("/")[0]] = found[copy[1]]
    return found


def rows(study: Path) -> list[dict[str, str]]:
    with (study / "RUNS.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if (study / row["folder"]).is_dir()]


def test_the_folders_are_so_many_runs(study: Path, runs: dict[str, Row]) -> None:
    assert {row["folder"].removeprefix("state/runs/") for row in rows(study)} == set(runs)
    assert len(runs) < WHOLE or len({row["id"] for row in runs.values()}) == 333


def test_each_filled_cell_of_the_independent_count_equals_its_run(
    study: Path, runs: dict[str, Row]
) -> None:
    wrong: list[tuple[str, str, str, object]] = []
    for row in rows(study):
        run = runs[row["folder"].removeprefix("state/runs/")]
        sent, read = run["input_tokens"], run["cache_read_tokens"]
        if row["record"] == "trae" and read is not None:
            sent += read  # the count has what this record has: all that was sent
        counted: dict[str, object] = {cell: run[column] for cell, column in FIGURES.items()}
        counted |= {"input_tokens": sent, "record_model": (run["model_ids"] or [None])[0]}
        counted["cache_read"] = (
            read if row["provider"] in ("", "openai") else 0
        )  # which others do not report
        counted["agent"] = next((key for key, name in AGENTS.items() if name == run["agent"]), None)
        counted["patch_loc"] = (run["patch_added_lines"] or 0) + (run["patch_removed_lines"] or 0)
        for cell, value in counted.items():
            if row[cell] and (
                float(row[cell]) != value if isinstance(value, int | float) else row[cell] != value
            ):
                wrong.append((row["folder"], cell, row[cell], value))
        task = f"{row['repo']}-{row['human'][:8]}" if row["human"] else None
        if run["task"] != task:
            wrong.append((row["folder"], "task", str(task), run["task"]))
    assert wrong == []


def test_what_the_logs_of_codex_state_is_in_their_runs(study: Path, runs: dict[str, Row]) -> None:
    models, totals = Counter[str | None](), 0
    for row in rows(study):
        if row["agent"] == "codex_cli":
            run, log = (
                runs[row["folder"].removeprefix("state/runs/")],
                study / row["folder"] / "openhands_stderr.txt",
            )
            text = log.read_text(errors="replace") if log.exists() else ""
            model = re.search(r"^model: (.+)$", text, re.M)
            total = re.search(r"^tokens used\n([0-9,]+)$", text, re.M)
            assert (run["model_ids"] or [None])[0] == (model[1] if model else None)
            assert run["total_tokens"] == (int(total[1].replace(",", "")) if total else None)
            commands = len(
                re.findall(
                    r"^exec\n.* in /.* (?:succeeded|exited -?\d+) in [\d.]+m?s:?$", text, re.M
                )
            )
            assert (run["tool_calls"] or 0) >= commands
            models[run["model_ids"][0] if run["model_ids"] else None] += 1
            totals += total is not None
    assert len(runs) < WHOLE or (models, totals) == ({"gpt-5": 84, None: 1}, 27)


def test_attempts_are_reruns_of_one_task_by_one_agent_and_model(runs: dict[str, Row]) -> None:
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in {row["id"]: row for row in runs.values()}.values():
        if row["task"]:
            groups.setdefault((row["task"], row["agent"], str(row["model"])), []).append(
                row["attempt"]
            )
    assert len(runs) < WHOLE or any(len(attempts) > 1 for attempts in groups.values())
    for attempts in groups.values():
        expected = [None] if len(attempts) == 1 else list(range(1, len(attempts) + 1))
        assert sorted(attempts, key=lambda attempt: attempt or 0) == expected


def test_problems_are_one_line_a_type(site: Path, runs: dict[str, Row]) -> None:
    problems = json.loads((site / "data/problems.json").read_bytes())["problems"]
    assert {problem["code"] for problem in problems} <= {"W_DUPLICATE", "W_CONTRADICTION"}
    copies = len(runs) - len({row["id"] for row in runs.values()})
    assert sum(problem["code"] == "W_DUPLICATE" for problem in problems) == copies


def test_the_outline_has_no_prompt_and_no_result_of_a_tool_but_the_last_answers(
    study: Path, site: Path, sample: Callable[[list[str], int], list[str]]
) -> None:
    published = "\n".join(
        html.unescape(path.read_bytes().decode("utf-8", "replace"))
        .replace('\\"', '"')
        .replace("\\n", "\n")
        for path in site.rglob("*")
        if path.is_file() and path.name != "licenses.txt"
    )
    state = study / "state/runs"
    secret, said, own = set[str](), list[str](), list[str]()
    for path in state.rglob("*"):
        match path.name:
            case "task.txt":
                secret |= _lines(path.read_text(errors="replace"))
            case "prompt.json":
                prompt = json.loads(path.read_bytes())
                secret |= (
                    {prompt["task"], prompt["description"]}
                    if len(prompt["description"]) > 40
                    else set()
                )
            case "model_patch.diff":
                own.append(path.read_text(errors="replace"))
            case "trajectory.json":
                record = json.loads(path.read_bytes())
                for step in record["agent_steps"]:
                    for result in step.get("tool_results") or ():
                        secret |= _lines(result.get("result") or "")
                for each in record["llm_interactions"]:
                    own.append(json.dumps(each["response"], ensure_ascii=False))
                    own += [
                        str(v)
                        for c in each["response"].get("tool_calls") or ()
                        for v in c["arguments"].values()
                    ]
            case "openhands_stderr.txt":
                log = path.read_text(errors="replace")
                outputs = re.findall(
                    r"^exec\n.* in /.* succeeded in .*:\n((?:.*\n){1,40})", log, re.M
                )
                for output in outputs:
                    secret |= _lines(
                        re.split(r"^(?:exec|codex|thinking|file update)", output, flags=re.M)[0]
                    )
                own += re.findall(r"^(?:exec|codex)\n((?:.+\n)+)", log, re.M)
            case "openhands_stdout.txt":
                own.append(path.read_text(errors="replace"))
            case "claude_code_stdout.txt" if path.stat().st_size:
                answer = json.loads(path.read_bytes()).get("result") or ""
                own.append(answer)
                said += [
                    line
                    for line in answer.splitlines()
                    if re.fullmatch(r"[A-Z][a-z ,]{40,200}\.", line)
                ]
    agents = "\n".join(own)
    known = {line for line in sample(sorted(secret), 5) if line in published}
    assert len(secret) > 500
    assert [line for line in known if line not in agents] == []
    assert all(line in published for line in said)


def _lines(text: str) -> set[str]:
    """What is long enough to be told from what agents write themselves."""
    return {line.strip()[:80] for line in text[:4_000].split("\n") if len(line.strip()) >= 60}


@pytest.mark.nightly
def test_the_build_keeps_to_its_memory(site: Path) -> None:
    """How long it takes is no test, since that depends on the machine: `benchmarks` compare it with an earlier commit."""
    used = json.loads((site.parent / "used.json").read_bytes())
    assert used["peak_mb"] <= 300
