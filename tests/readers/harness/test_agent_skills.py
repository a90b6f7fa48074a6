"""Workspaces of evaluations of skills: what single files say of a run, and what their folders do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Outcome, Run, Status
from sitegen.readers.harness.agent_skills import RunPlace, place_of
from sitegen.readers.run_file import RunFile
from tests.support.reading import read_source

FOLDER = "w/iteration-2/eval-0-tide/with_skill"


def run_of(name: str, content: dict[str, Any] | str) -> Run | None:
    data = content if isinstance(content, str) else json.dumps(content)
    runs = read_source(RunFile.of(name, data.encode()), named=False)
    return runs[0] if runs else None


def graded(*passed: object, **more: Any) -> Run:
    checks = [{"text": f"check {at}", "passed": value} for at, value in enumerate(passed)]
    run = run_of(f"{FOLDER}/grading.json", {"expectations": checks, **more})
    assert run is not None
    return run


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{FOLDER}/run-3/grading.json", RunPlace("tide", "with", "2", 3)),
        (f"{FOLDER}/grading.json", RunPlace("tide", "with", "2")),
        ("w/iteration-1/tide/plugin/timing.json", RunPlace("tide", "plugin", "1")),
        ("w/pdf/eval-tide/without_skill/grading.json", RunPlace("tide", "without")),
        ("eval-7/baseline/outputs/response.txt", RunPlace("7", "without")),
        (
            "w/iteration-1/eval-2/codex/without-skill/run-1/timing.json",
            RunPlace("2", "without", "1", 1, "codex"),
        ),
        ("w/iteration-4/eval-2/grading.json", RunPlace(iteration="4")),
        ("grading.json", RunPlace()),
    ],
)
def test_folders_say_which_run_it_is(path: str, place: RunPlace) -> None:
    assert place_of(path) == place


def test_a_run_passes_if_it_has_checks_and_all_are_true() -> None:
    assert (graded(True, True).outcome, graded(True, True).scores[0].value) == (Outcome.PASS, 1)
    failed = graded(True, False, False)
    assert failed.outcome is Outcome.FAIL
    assert round(failed.scores[0].value, 3) == 0.333


def test_summaries_do_not_count_before_the_checks() -> None:
    assert graded(True, False, summary={"pass_rate": 1.0, "failed": 0}).outcome is Outcome.FAIL


def test_skipped_checks_are_left_out_and_unclear_ones_decide_nothing() -> None:
    skipped = {"text": "later", "passed": False, "skipped": True}
    run = run_of("grading.json", {"assertion_results": [skipped]})
    assert run is not None and run.outcome is None and not run.scores
    run = run_of("grading.json", {"expectations": [{"text": "a", "passed": True}, skipped]})
    assert run is not None and run.outcome is Outcome.PASS
    unclear = graded(True, "yes")
    assert unclear.outcome is None and not unclear.scores
    assert [caveat.code for caveat in unclear.caveats] == ["W_CONTRADICTION"]
    assert graded(False, None).outcome is Outcome.FAIL


def test_the_file_names_its_arm_only_where_no_folder_does() -> None:
    checks = [{"text": "a", "passed": True}]
    run = run_of("tide/grading.json", {"expectations": checks, "config": "without_skill"})
    assert run is not None and run.factors == (("skill", "without"),)
    assert graded(True, config="without_skill").factors == (("skill", "with"), ("iteration", "2"))


def test_zeros_are_unknown_and_one_total_has_no_kinds() -> None:
    run = run_of(f"{FOLDER}/timing.json", {"total_tokens": 0, "duration_ms": 0, "cost_usd": 0.0})
    assert run is not None and (run.tokens.total, run.wall_ms, run.cost_usd) == (None, None, None)
    run = run_of(f"{FOLDER}/timing.json", {"total_tokens": 300, "total_duration_seconds": 1.5})
    assert run is not None and (run.tokens.unsplit, run.wall_ms) == (300, 1500)
    assert run.tokens.input is None


def test_kinds_of_tokens_are_read_of_agents_whose_counts_are_known() -> None:
    timing = {
        "total_tokens": 120,
        "duration_ms": 9,
        "input_tokens": 100,
        "cached_tokens": 60,
        "output_tokens": 20,
    }
    codex = run_of("w/iteration-1/eval-2/codex/baseline/timing.json", timing)
    claude = run_of("w/iteration-1/eval-2/claude-code/baseline/timing.json", timing)
    other = run_of("w/iteration-1/eval-2/opencode/baseline/timing.json", timing)
    assert codex and claude and other
    assert (codex.tokens.input, codex.tokens.cache_read, codex.agent) == (40, 60, "Codex")
    assert (claude.tokens.input, claude.tokens.cache_read) == (100, 60)
    assert (other.tokens.input, other.tokens.unsplit) == (None, 120)


@pytest.mark.parametrize(
    ("end", "status", "detail"),
    [
        ({"exit_code": 0}, Status.OK, None),
        ({"exit_code": 2}, Status.FAILED, "exit code 2"),
        ({"exit_code": 124, "timed_out": True}, Status.FAILED, "time limit"),
    ],
)
def test_a_timing_may_say_how_the_run_ended(
    end: dict[str, Any], status: Status, detail: str | None
) -> None:
    run = run_of("timing.json", {"total_tokens": 1, "duration_ms": 2, **end})
    assert run is not None and (run.status, run.status_detail) == (status, detail)


def test_placeholders_name_no_model_and_no_skill() -> None:
    metadata = {"executor_model": "<model-name>", "skill_name": "tides"}
    run = run_of("benchmark.json", {"metadata": metadata, "run_summary": {}})
    assert run is not None and (run.is_shared, run.model, run.evaluation) == (True, None, "tides")
    run = run_of("meta.json", {"target": "moon-3", "modes": ["with_skill"], "judge": "sun-1"})
    assert run is not None and run.model == "moon-3"


def test_only_an_error_in_the_place_of_an_answer_is_read() -> None:
    run = run_of(f"{FOLDER}/outputs/response.txt", "ERROR: 429 rate limit reached")
    assert run is not None and (run.status, run.status_detail) == (Status.STOPPED, "usage limit")
    assert run_of(f"{FOLDER}/outputs/response.txt", "A short text.") is None
    assert run_of(f"{FOLDER}/outputs/other.txt", "ERROR: none of ours") is None


def test_a_file_about_a_run_may_name_agent_and_arm() -> None:
    run = run_of("run_meta.json", {"eval_id": 1, "with_skill": False, "agent": "codex"})
    assert run is not None and (run.agent, run.factors) == ("Codex", (("skill", "without"),))
