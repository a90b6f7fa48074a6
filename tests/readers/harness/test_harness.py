"""Programs that run agents on benchmarks: what their files say of each run."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import sqlite3
import sys
import tracemalloc
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.model import Outcome, Run, Score, Status
from sitegen.readers import opencode_databases
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind, ToolKind
from tests.conftest import ROOT
from tests.support.agent_runs import calls, kinds
from tests.support.harness_runs import (
    AIDER,
    ATIF,
    FILES,
    HARBOR,
    INSPECT,
    MINI_SWE,
    OPENHANDS,
    SAMPLE,
    SWE_AGENT,
    TRAE,
    TRIAL,
    eval_file,
    zipped,
)
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source


def runs_of(content: bytes | dict[str, Any], name: str = "run.json") -> tuple[Run, ...]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read_source(RunFile.of(name, data), named=False) or ()


def run_of(content: bytes | dict[str, Any], name: str = "run.json") -> Run:
    (run,) = runs_of(content, name)
    return run


def steps_of(content: bytes, run: Run) -> list[Step]:
    found = list(raw_steps(RunFile.of("run.json", content), run.locator))
    assert len(found) == (run.steps.steps if run.steps else 0)
    return found


def real_files(shared: Path, family: str) -> list[Path]:
    found = sorted(path for path in (shared / "runs" / family).rglob("*") if path.is_file())
    assert found
    return found


@pytest.mark.parametrize("name", FILES)
def test_each_run_of_a_file_is_found_again_alone_with_its_own_steps(name: str) -> None:
    file = RunFile.of(name, FILES[name])
    runs = read_source(file, named=False) or ()
    assert runs
    for run in runs:
        assert run.unknown == ()
        (again,) = read_source(file, named=False, locator=run.locator) or ()
        assert again.task == run.task and again.texts.summary == run.texts.summary
        steps = list(raw_steps(file, run.locator))
        assert len(steps) == (run.steps.steps if run.steps else 0)
        texts = [step.text for step in steps if step.kind is StepKind.TEXT]
        assert not texts or run.texts.summary == texts[-1]


def test_the_corpus_for_fuzzing_has_these_files() -> None:
    corpus = ROOT / "tests" / "corpus" / "reader"
    assert {name: (corpus / name).read_bytes() for name in FILES} == FILES


# SWE-agent


def test_real_trajectories_of_swe_agent_have_the_figures_of_their_model_stats(shared: Path) -> None:
    for path in real_files(shared, "swe-agent-traj"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        stats, run = raw["info"]["model_stats"], run_of(path.read_bytes(), path.name)
        assert run.cost_usd == (stats["instance_cost"] or None), path
        assert run.turns == (stats["api_calls"] or len(raw["trajectory"]))
        assert kinds(run) == (
            stats["tokens_sent"] or None,
            None,
            None,
            stats["tokens_received"] or None,
        )
        assert run.status is (Status.FAILED if "exit" in raw["info"]["exit_status"] else Status.OK)
        acted = [
            turn
            for turn in raw["trajectory"]
            if not turn["action"].startswith("exit_") and turn["action"].strip()
        ]
        assert run.steps and run.steps.tool_calls == len(acted)
        assert run.task in path.name or run.task == raw["replay_config"]["problem_statement"]["id"]


def test_commands_of_swe_agent_are_told_apart_and_edits_have_their_file() -> None:
    content = json.dumps(SWE_AGENT).encode()
    run = run_of(content)
    assert (run.model, run.task, run.cost_usd) == ("gpt-5", "tide__tide-1", 0.25)
    found = calls(steps_of(content, run))
    assert [call.kind for call in found] == [ToolKind.READ, ToolKind.EDIT, ToolKind.RUN]
    assert [call.target for call in found] == ["src/tide.py", "/repo/src/tide.py", "submit"]
    assert run.steps and run.steps.files_edited == 1


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        ("submitted", (Status.OK, None)),
        ("submitted (exit_cost)", (Status.FAILED, "cost limit")),
        ("exit_context", (Status.FAILED, "context limit")),
        ("exit_api", (Status.STOPPED, "API error")),
        (None, (Status.INTERRUPTED, None)),
    ],
)
def test_how_swe_agent_ended(status: str | None, ended: tuple[Status, str | None]) -> None:
    run = run_of(SWE_AGENT | {"info": {**SWE_AGENT["info"], "exit_status": status}})
    assert (run.status, run.status_detail) == ended


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_long_trajectory_is_known_whatever_the_order_of_its_keys(is_turned: bool) -> None:
    long = SWE_AGENT | {
        "history": [*SWE_AGENT["history"], {"role": "assistant", "content": "x" * 90_000}]
    }
    content = json.dumps(dict(sorted(long.items(), reverse=is_turned))).encode()
    assert run_of(content, "tide__tide-1.traj").cost_usd == 0.25


def test_fields_that_nobody_knows_are_named() -> None:
    run = run_of(SWE_AGENT | {"info": {**SWE_AGENT["info"], "moon": 1}})
    assert run.unknown == ("info.moon",)


# mini-SWE-agent


def test_real_lists_of_mini_swe_agent_have_a_call_for_each_command(shared: Path) -> None:
    for path in real_files(shared, "mini-swe-traj"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        run = run_of(path.read_bytes(), path.name)
        asked = sum(
            "```" in message["content"] for message in raw if message["role"] == "assistant"
        )
        assert run.steps and (run.turns, run.steps.tool_calls) == (asked, asked)
        assert (run.status, run.cost_usd, kinds(run)) == (Status.OK, None, (None, None, None, None))


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("is_list", [False, True])
def test_a_trajectory_of_mini_swe_agent_that_was_cut_says_so(
    is_list: bool, indent: int | None
) -> None:
    text = json.dumps(MINI_SWE["messages"] if is_list else MINI_SWE, indent=indent)
    for share in (0.1, 0.3, 0.6, 0.95):
        with pytest.raises(ReadError) as caught:
            runs_of(text[: int(share * len(text))].encode(), "tide.traj.json")
        assert caught.value.code == "E_TRUNCATED"


def test_answers_of_mini_swe_agent_have_exit_codes_and_times() -> None:
    content = json.dumps(MINI_SWE).encode()
    run = run_of(content)
    (call,) = calls(steps_of(content, run))
    assert (call.exit_code, call.result, call.target) == (1, "tide.py", "ls")
    assert (kinds(run), run.cost_usd, run.turns, run.wall_ms) == ((190, None, 60, 15), 0.5, 2, 2500)


def test_a_list_of_messages_of_another_program_is_no_run() -> None:
    chat = [{"role": role, "content": "Hello."} for role in ("system", "user", "assistant", "user")]
    assert runs_of(json.dumps(chat).encode(), "a.traj.json") == ()


# OpenHands


def test_real_instances_of_openhands_have_their_metrics(shared: Path) -> None:
    for path in real_files(shared, "openhands-output"):
        raw = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        runs = runs_of(path.read_bytes(), path.name)
        assert [run.task for run in runs] == [line["instance_id"] for line in raw]
        for run, line in zip(runs, raw, strict=True):
            usage = line["metrics"]["accumulated_token_usage"]
            cached = usage["cache_read_tokens"]
            assert kinds(run) == (
                usage["prompt_tokens"] - cached,
                0,
                cached,
                usage["completion_tokens"],
            )
            assert run.turns == len(line["metrics"]["token_usages"])
            assert run.cost_usd == (line["metrics"]["accumulated_cost"] or None)
            events = Counter(
                event.get("action") for event in line["history"] if event.get("source") == "agent"
            )
            assert (
                run.steps
                and run.steps.tool_calls == events["run"] + events["read"] + events["edit"]
            )
            assert run.status is (Status.FAILED if line["error"] else Status.OK)


def test_edits_of_openhands_have_their_lines_and_verdicts_count() -> None:
    content = FILES["openhands.jsonl"]
    first, second = runs_of(content, "output.critic_attempt_2.jsonl")
    assert (first.outcome, first.attempt, second.outcome) == (Outcome.PASS, 2, None)
    assert first.steps and (
        first.steps.files_edited,
        first.steps.lines_added,
        first.steps.lines_removed,
    ) == (1, 2, 1)
    assert (second.status, second.status_detail) == (Status.FAILED, "turn limit")
    (call,) = calls(steps_of(content, second))
    assert (call.exit_code, call.result) == (2, "red")


def test_one_broken_line_of_several_instances_costs_that_instance_only() -> None:
    lines = FILES["openhands.jsonl"].split(b"\n")
    runs = runs_of(b"\n".join([lines[0], b'{"instance_id": "cut', lines[1]]), "output.jsonl")
    assert [run.task for run in runs] == ["tide__tide-2", "tide__tide-3"]
    assert "W_BAD_LINE" in {caveat.code for caveat in runs[-1].caveats}


def _points(*pairs: tuple[float, float]) -> list[dict[str, float]]:
    return [{"total": total, "result": result} for total, result in pairs]


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (
            {"final_score": {"total": 2, "result": 2}, "checkpoints": _points((1, 1), (1, 1))},
            Outcome.PASS,
        ),
        ({"final_score": {"total": 2, "result": 1}}, Outcome.PARTIAL),
        ({"final_score": {"total": 1, "result": False}}, Outcome.FAIL),
        ({"final_score": {"total": 0, "result": 0}, "checkpoints": []}, None),
        ({"checkpoints": _points((1, 1), (3, 0))}, Outcome.PARTIAL),
        ({"checkpoints": _points((1, 0), (1, 0))}, Outcome.FAIL),
        ({"error": "the check broke"}, Outcome.ERROR),
        ({"final_score": {"total": 1, "result": 0}, "report": {"resolved": True}}, Outcome.PASS),
        ({"final_score": {"total": 5, "result": None}}, None),
        ({"checkpoints": [{"total": 1, "result": 1}, {"total": 3}]}, None),
        ({"checkpoints": [{"total": 1, "result": 1}, {"result": 1}]}, None),
        ({"git_patch": ""}, None),
    ],
)
def test_points_of_openhands_are_verdicts(result: dict[str, Any], outcome: Outcome | None) -> None:
    run = run_of(OPENHANDS | {"test_result": result, "error": result.get("error")})
    assert run.outcome is outcome
    assert run.status is Status.OK


ZEROS = {
    "prompt_tokens": 0,
    "completion_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
}


def test_counts_of_openhands_that_were_never_taken_are_unknown() -> None:
    usage = {"accumulated_cost": 0.0, "accumulated_token_usage": ZEROS}
    run = run_of(OPENHANDS | {"metrics": usage})
    assert (kinds(run), run.cost_usd) == ((None, None, None, None), None)
    for unstated in (ZEROS, {}):
        run = run_of(OPENHANDS | {"history": [], "metrics": {"accumulated_token_usage": unstated}})
        assert kinds(run) == (None, None, None, None)
        assert [caveat.code for caveat in run.caveats] == ["W_MISSING"]
    usage = {"accumulated_token_usage": ZEROS | {"completion_tokens": 70}}
    assert kinds(run_of(OPENHANDS | {"history": [], "metrics": usage})) == (None, None, None, 70)
    usage = {"accumulated_token_usage": ZEROS | {"completion_tokens": 7}}
    assert kinds(run_of(OPENHANDS | {"metrics": usage})) == (None, None, None, 7)
    usage = {
        "accumulated_token_usage": ZEROS | {"cache_read_tokens": 1000, "cache_write_tokens": 5}
    }
    assert kinds(run_of(OPENHANDS | {"metrics": usage}))[:3] == (None, 5, 1000)


def test_a_call_that_openhands_could_not_read_is_a_failure() -> None:
    said = "Missing required parameters for function 'str_replace_editor': {'path'}"
    event = {"id": 90, "source": "agent", "observation": "error", "content": said, "extras": {}}
    before, run = (
        run_of(OPENHANDS | {"history": [*OPENHANDS["history"], *more]}).steps
        for more in ([], [event])
    )
    assert before and run and run.tool_failures is not None and before.tool_failures is not None
    assert (run.tool_calls, run.tool_failures) == (before.tool_calls + 1, before.tool_failures + 1)


PATCH = "diff --git a/src/a.py b/src/a.py\n+x\ndiff --git a/b.md b/b.md\n+y\n"


@pytest.mark.parametrize(
    "record",
    [
        OPENHANDS | {"history": OPENHANDS["history"][:2], "test_result": {"git_patch": PATCH}},
        MINI_SWE | {"info": MINI_SWE["info"] | {"submission": PATCH}},
        SWE_AGENT
        | {
            "trajectory": SWE_AGENT["trajectory"][:1],
            "info": SWE_AGENT["info"] | {"submission": PATCH},
        },
    ],
    ids=["openhands", "mini-swe", "swe-agent"],
)
def test_a_patch_says_which_files_were_edited_where_no_call_does(record: dict[str, Any]) -> None:
    run = run_of(record)
    assert run.steps and run.steps.files_edited == 2


def test_real_lines_of_openhands_have_the_verdict_of_their_points(shared: Path) -> None:
    (path,) = (shared / "more-runs" / "openhands-output-scored").rglob("*.jsonl")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    runs = runs_of(path.read_bytes(), path.name)
    assert len(runs) == len(records)
    for run, record in zip(runs, records, strict=True):
        result, events = record["test_result"], record["history"]
        final = result.get("final_score", {"total": 0})
        verdict = (Outcome.PASS if final["result"] else Outcome.FAIL) if final["total"] else None
        assert run.outcome is (Outcome.ERROR if "error" in result else verdict), record[
            "instance_id"
        ]
        assert run.turns == (
            len({e["llm_response_id"] for e in events if e["kind"] == "ActionEvent"}) or None
        )
        seen = {
            e["tool_call_id"]: e["observation"] for e in events if e["kind"] == "ObservationEvent"
        }
        wrote = {
            event["action"]["path"]
            for event in events
            if event.get("tool_name") == "str_replace_editor" and event["kind"] == "ActionEvent"
            if event["action"]["command"] != "view" and not seen[event["tool_call_id"]].get("error")
        }
        assert run.steps is None or not wrote or run.steps.files_edited >= len(wrote), record[
            "instance_id"
        ]


# Inspect


def samples_in(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return list(json.loads(path.read_text(encoding="utf-8"))["samples"])
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        return [json.loads(archive.read(name)) for name in names]


@pytest.mark.parametrize("family", ["inspect-eval", "inspect-json"])
def test_real_logs_of_inspect_have_a_run_for_each_sample(shared: Path, family: str) -> None:
    for path in real_files(shared, family):
        samples = samples_in(path)
        if not samples:
            assert runs_of(path.read_bytes(), path.name) == ()
            continue
        runs = runs_of(path.read_bytes(), path.name)

        def facts(sample: dict[str, Any]) -> tuple[Any, ...]:
            usages = (sample.get("model_usage") or {}).values()
            cached = sum(usage.get("input_tokens_cache_read") or 0 for usage in usages)
            sent = sum(usage["input_tokens"] for usage in usages) - cached if usages else None
            output = sum(usage["output_tokens"] for usage in usages) if usages else None
            said = [message for message in sample["messages"] if message["role"] == "assistant"]
            called = sum(len(message.get("tool_calls") or ()) for message in said)
            verdict = next(iter(sample["scores"].values()))["value"] if sample["scores"] else None
            outcome = {"C": Outcome.PASS, "I": Outcome.FAIL, 0.0: Outcome.FAIL}.get(verdict)
            return len(said), called, sent, output, outcome, sample.get("total_time")

        def read(run: Run) -> tuple[Any, ...]:
            tokens = sum(
                (line.tokens for line in run.judge), run.tokens
            )  # the log counts judges with the agent
            called = run.steps.tool_calls if run.steps else 0
            seconds = None if run.wall_ms is None else run.wall_ms / 1000
            return run.turns, called, tokens.input, tokens.output, run.outcome, seconds

        assert Counter(map(facts, samples)) == Counter(map(read, runs)), path


def test_a_sample_in_chunks_is_the_same_run_as_a_whole_one() -> None:
    assert run_of(FILES["inspect-chunks.eval"], "a.eval") == run_of(INSPECT)


def test_cached_tokens_of_inspect_are_inside_of_the_input_or_beside_it() -> None:
    run = run_of(INSPECT)
    by_model = {line.model: line.tokens for line in run.ledger}
    assert (by_model["openai/gpt-5"].input, by_model["openai/gpt-5"].cache_read) == (40, 60)
    haiku = by_model["anthropic/claude-haiku-4-5"]
    assert (haiku.input, haiku.cache_write, haiku.cache_read) == (10, 10, 20)


@pytest.mark.parametrize(("total", "cached"), [(120, 0), (None, None), (150, None)])
def test_what_is_not_stated_of_a_cache_is_0_only_where_a_total_says_so(
    total: int | None, cached: int | None
) -> None:
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": total,
        "input_tokens_cache_read": None,
    }
    run = run_of(INSPECT | {"samples": [SAMPLE | {"model_usage": {"m": usage}}]})
    assert kinds(run) == (100, cached, cached, 20)
    said = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": total,
        "cache_read_input_tokens": 0,
    }
    answer = {"role": "assistant", "content": "Done.", "extra": {"response": {"usage": said}}}
    run = run_of(MINI_SWE | {"messages": [*MINI_SWE["messages"][:2], answer]})
    assert kinds(run) == (100, cached, 0, 20)


def test_texts_that_inspect_keeps_apart_stand_in_their_place() -> None:
    content = json.dumps(INSPECT).encode()
    prompt, *_ = steps_of(content, run_of(content))
    assert (prompt.kind, prompt.text) == (StepKind.PROMPT, "Mend the tide, please.")


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({"match": {"value": "C"}}, Outcome.PASS),
        ({"match": {"value": "N"}}, Outcome.FAIL),
        ({"match": {"value": "P"}}, Outcome.PARTIAL),
        ({"exact": {"value": 1.0}}, Outcome.PASS),
        ({"speed": {"value": 1.0}}, None),
        ({"match": {"value": "maybe"}}, None),
        ({}, None),
    ],
)
def test_what_counts_as_a_verdict_of_inspect(
    scores: dict[str, Any], outcome: Outcome | None
) -> None:
    assert run_of(INSPECT | {"samples": [SAMPLE | {"scores": scores}]}).outcome is outcome


def test_a_limit_of_inspect_is_a_failure_and_so_is_an_error() -> None:
    limit = run_of(INSPECT | {"samples": [SAMPLE | {"limit": {"type": "token", "limit": 5}}]})
    assert (limit.status, limit.status_detail) == (Status.FAILED, "token limit")
    broken = SAMPLE | {"error": {"message": "429 too many requests"}, "scores": None}
    run = run_of(INSPECT | {"samples": [broken]})
    assert (run.status, run.status_detail, run.outcome) == (
        Status.STOPPED,
        "usage limit",
        Outcome.ERROR,
    )


def test_the_log_of_an_evaluation_that_was_killed_is_read_by_its_journal() -> None:
    header = {key: value for key, value in INSPECT.items() if key not in ("samples", "results")}
    content = zipped({"_journal/start.json": header, "samples/7_epoch_2.json": SAMPLE})
    assert run_of(content, "a.eval").model == "openai/gpt-5"


def test_a_member_that_is_damaged_costs_its_sample_only() -> None:
    whole = eval_file(SAMPLE, SAMPLE | {"id": 8})
    at = whole.index(b"samples/8_epoch_2.json") + len(b"samples/8_epoch_2.json") + 5
    runs = runs_of(whole[:at] + b"\xff" * 40 + whole[at + 40 :], "a.eval")
    assert [run.task for run in runs] == ["tides 7"]
    assert any("1 sample cannot be read" in caveat.text for caveat in runs[0].caveats)


def test_a_zip_that_was_cut_says_so() -> None:
    with pytest.raises(ReadError, match="cut") as caught:
        runs_of(eval_file(SAMPLE)[:-60], "a.eval")
    assert caught.value.code == "E_TRUNCATED"


def test_a_member_that_unpacks_to_far_too_much_is_refused() -> None:
    bomb = SAMPLE | {"metadata": {"x": "0" * 20_000_000}}
    with pytest.raises(ReadError) as caught:
        runs_of(eval_file(bomb), "a.eval")
    assert caught.value.code == "E_ARCHIVE_RATIO"


# terminal-bench


def test_real_trials_of_terminal_bench_are_as_they_say(shared: Path) -> None:
    for path in [*real_files(shared, "tb-result"), *real_files(shared, "tb-run")]:
        raw = json.loads(path.read_text(encoding="utf-8"))
        trials = raw.get("results", [raw])
        runs = runs_of(path.read_bytes(), path.name)
        assert len(runs) == len(trials)
        passed = [run.outcome is Outcome.PASS for run in runs]
        assert passed == [trial["is_resolved"] is True for trial in trials]
        if "n_resolved" in raw:
            assert sum(passed) == raw["n_resolved"]
        for run, trial in zip(runs, trials, strict=True):
            sent, output = trial["total_input_tokens"], trial["total_output_tokens"]
            assert kinds(run) == (
                (sent, None, None, output) if sent or output else (None, None, None, None)
            )
            assert run.task == trial["task_id"]
            assert (run.status is not Status.OK) == (
                trial["failure_mode"] not in ("unset", "none", "test_timeout", "parse_error")
            ), trial["failure_mode"]


def test_a_trial_counts_the_time_of_the_agent_and_no_tokens_are_unknown() -> None:
    run = run_of(TRIAL)
    assert (run.wall_ms, run.attempt, run.outcome, run.tokens.total) == (
        90_000,
        2,
        Outcome.PASS,
        None,
    )
    assert (run.status, run.status_detail) == (Status.FAILED, "time limit")


def test_a_trial_and_the_run_that_lists_it_have_one_key() -> None:
    listed = runs_of(FILES["tb-run.json"])
    assert set(run_of(TRIAL).results) <= {key for run in listed for key in run.results}


# Harbor


def test_a_trial_of_harbor_has_the_name_of_its_agent_and_its_rewards() -> None:
    run = run_of(HARBOR)
    assert (run.reader, run.task, run.model, run.agent_version) == (
        "Claude Code trial",
        "tide",
        "gpt-5",
        "2.1.9",
    )
    assert (kinds(run), run.cost_usd, run.wall_ms) == ((40, 0, 60, 20), 0.4, 60_000)
    assert (run.status, run.status_detail, run.outcome) == (
        Status.FAILED,
        "time limit",
        Outcome.PARTIAL,
    )
    assert [(score.name, score.value) for score in run.scores] == [("reward", 0.5), ("style", 1.0)]


@pytest.mark.parametrize(
    ("rewards", "outcome"),
    [
        ({"reward": 1}, Outcome.PASS),
        ({"reward": 0}, Outcome.FAIL),
        ({"a": 1, "b": 1}, Outcome.PASS),
        ({"a": 1, "b": 0}, Outcome.PARTIAL),
        ({}, Outcome.ERROR),
    ],
)
def test_what_rewards_mean(rewards: dict[str, float], outcome: Outcome) -> None:
    assert run_of(HARBOR | {"verifier_result": {"rewards": rewards}}).outcome is outcome
    assert (
        run_of(
            HARBOR | {"verifier_result": {"rewards": {k: str(v) for k, v in rewards.items()}}}
        ).outcome
        is outcome
    )


@pytest.mark.parametrize(
    ("verdict", "outcome"), [({"reward": 1.0}, "pass"), ({"rewards": {"reward": False}}, "fail")]
)
def test_rewards_may_be_written_otherwise(verdict: dict[str, Any], outcome: str) -> None:
    assert run_of(HARBOR | {"verifier_result": verdict}).outcome is Outcome(outcome)


def test_what_claude_wrote_to_its_cache_is_not_known_from_a_trial_of_harbor() -> None:
    model = {"name": "claude-opus-4-5", "provider": "anthropic"}
    run = run_of(HARBOR | {"agent_info": HARBOR["agent_info"] | {"model_info": model}})
    assert kinds(run) == (40, None, 60, 20)


def test_steps_of_a_trial_add_up() -> None:
    steps = [{"agent_result": {"n_input_tokens": 10, "n_output_tokens": 2, "cost_usd": 0.25}}] * 2
    run = run_of(HARBOR | {"agent_result": None, "step_results": steps})
    assert (kinds(run), run.cost_usd, run.ledger_is_lower_bound) == ((20, 0, None, 4), 0.5, False)
    nothing = {"agent_result": {"n_input_tokens": None, "n_output_tokens": None}}
    run = run_of(HARBOR | {"agent_result": None, "step_results": [*steps, nothing]})
    assert (kinds(run), run.ledger_is_lower_bound) == ((20, 0, None, 4), True)


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.4", "1.5", "1.6", "1.7", "1.8"])
def test_trajectories_of_all_versions_are_read_by_their_structure(version: str) -> None:
    run = run_of(ATIF | {"schema_version": f"ATIF-v{version}"})
    assert (run.reader, run.turns, run.cost_usd, kinds(run)) == (
        "Goose trajectory",
        2,
        0.1,
        (40, 0, 60, 20),
    )
    assert run.steps and run.steps.tool_calls == 1
    assert [caveat.code for caveat in run.caveats] == ["W_COPY"]


def test_final_metrics_of_a_trajectory_count_before_its_steps() -> None:
    final = {
        "total_prompt_tokens": 300,
        "total_completion_tokens": 30,
        "total_cached_tokens": 100,
        "total_cost_usd": 0.5,
    }
    run = run_of(ATIF | {"final_metrics": final})
    assert (kinds(run), run.cost_usd) == ((200, 0, 100, 30), 0.5)


# aider


def test_real_results_of_aider_are_as_they_say(shared: Path) -> None:
    for path in real_files(shared, "aider-results"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        run = run_of(path.read_bytes(), path.name)
        tries = raw["tests_outcomes"]
        assert run.outcome is (
            None if not tries else Outcome.PASS if tries[-1] else Outcome.FAIL
        ), path
        assert (run.cost_usd, run.task, run.model) == (raw["cost"], raw["testcase"], raw["model"])
        assert (run.turns, run.wall_ms) == (len(tries) or None, round(raw["duration"] * 1000))


def test_aider_passed_by_its_last_try() -> None:
    run = run_of(AIDER)
    assert (run.outcome, run.turns) == (Outcome.PASS, 2)
    assert run.scores == (Score("pass at first", 0.0, None, higher_is_better=True),)


# TRAE-Agent


def test_an_answer_of_trae_counts_once_and_its_calls_have_their_results() -> None:
    run = run_of(TRAE)
    assert (run.status, run.turns, run.wall_ms, run.started_at) == (Status.OK, 3, 40_000, None)
    assert (run.model, kinds(run)) == ("gpt-5", (200, 0, 230, 35))
    assert run.texts.summary == "The table is right."
    assert run.steps and (
        run.steps.tool_calls,
        run.steps.tool_failures,
        run.steps.files_edited,
    ) == (3, 1, 1)
    found = calls(steps_of(json.dumps(TRAE).encode(), run))
    assert [(call.kind, call.failed, call.result) for call in found] == [
        (ToolKind.RUN, True, "no folder"),
        (ToolKind.READ, False, "a"),
        (ToolKind.EDIT, False, "edited"),
    ]


def _uncached(record: dict[str, Any]) -> dict[str, Any]:
    answers = copy.deepcopy(record["llm_interactions"])
    for answer in answers:
        answer["response"]["usage"]["cache_read_input_tokens"] = 0
    return record | {"llm_interactions": answers}


def test_cache_counts_that_are_zero_throughout_are_unknown_but_for_openai() -> None:
    assert kinds(run_of(_uncached(TRAE) | {"provider": "bedrock"})) == (430, None, None, 35)
    assert kinds(run_of(_uncached(TRAE))) == (430, 0, 0, 35)
    assert kinds(run_of(TRAE | {"provider": "anthropic"})) == (430, 0, 230, 35)


_REFUSED = {"step_number": 4, "timestamp": "2026-05-01T08:00:39", "llm_response": None}


@pytest.mark.parametrize(
    ("changed", "ended"),
    [
        (
            {"error": "Error code: 429 - exceeded your current quota"},
            (Status.STOPPED, "usage limit"),
        ),
        (
            {"error": "Error code: 400 - No tool output found"},
            (Status.FAILED, "HTTP 400 from its own messages"),
        ),
        (
            {"error": "Error when retrieving token from sso: Token has expired"},
            (Status.STOPPED, "not logged in"),
        ),
        ({"final_result": "Task execution exceeded maximum steps"}, (Status.FAILED, "turn limit")),
        ({"end_time": "", "execution_time": 0.0}, (Status.INTERRUPTED, None)),
        ({"success": True, "error": "Error code: 500"}, (Status.OK, None)),
    ],
)
def test_how_trae_ended(changed: dict[str, Any], ended: tuple[Status, str | None]) -> None:
    error = [_REFUSED | {"error": changed["error"]}] if "error" in changed else []
    rest = {name: value for name, value in changed.items() if name != "error"}
    run = run_of(
        TRAE
        | {"success": False, "final_result": None, "agent_steps": TRAE["agent_steps"] + error}
        | rest
    )
    assert (run.status, run.status_detail) == ended
    assert run.wall_ms == (29_000 if "execution_time" in changed else 40_000)


def test_a_run_of_trae_without_an_answer_used_nothing() -> None:
    run = run_of(
        TRAE
        | {"llm_interactions": [], "agent_steps": [_REFUSED | {"error": "429"}], "success": False}
    )
    assert (run.turns, kinds(run), run.model) == (0, (0, 0, 0, 0), "gpt-5")


def test_real_trajectories_of_trae_have_the_figures_of_an_independent_count(shared: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO((shared / "study" / "RUNS.csv").read_text(encoding="utf-8")))
    )
    rows = [row for row in rows if row["record"] == "trae"]
    assert len(rows) == 66
    for row in rows:
        run = run_of((shared / "study" / row["folder"] / "trajectory.json").read_bytes())
        cached = str(run.tokens.cache_read) if row["provider"] == "openai" else row["cache_read"]
        assert run.steps
        counts = (
            run.turns,
            run.steps.tool_calls,
            run.steps.tool_failures,
            run.tokens.sent,
            run.tokens.output,
        )
        names = ("calls", "tool_calls", "tool_failures", "input_tokens", "output_tokens")
        assert [*map(str, counts), cached, run.model] == [
            row[name] for name in (*names, "cache_read", "record_model")
        ]
        assert (run.status is Status.OK) == (row["success"] == "True")
        assert run.unknown == ()


# What is packed


def zstandard(data: bytes) -> bytes:
    zstd = pytest.importorskip("backports.zstd")
    packed: bytes = zstd.compress(data)
    return packed


def test_members_of_inspect_that_are_packed_by_zstandard_are_read() -> None:
    whole = eval_file(SAMPLE)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), zstandard(data))
    content = bytearray(held.getvalue())
    for sign, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        begin = -1
        while (begin := content.find(sign, begin + 1)) >= 0:
            content[begin + at : begin + at + 2] = (93).to_bytes(2, "little")
    assert run_of(bytes(content), "a.eval") == run_of(whole, "a.eval")


@pytest.mark.parametrize("before", [[], ["log/"], ["__MACOSX/._log", "log/"]])
def test_a_log_of_inspect_that_was_packed_again_in_a_folder_is_read(before: list[str]) -> None:
    whole = eval_file(SAMPLE)
    held = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as archive,
        zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as outer,
    ):
        for name in before:
            outer.writestr(name, b"")
        for name in archive.namelist():
            outer.writestr(f"log/{name}", archive.read(name))
    assert run_of(held.getvalue(), "a.eval") == run_of(whole, "a.eval")


def test_packed_sessions_of_codex_are_read() -> None:
    plain = (ROOT / "tests" / "corpus" / "reader" / "codex-rollout.jsonl").read_bytes()
    packed = run_of(zstandard(plain), "rollout-1.jsonl.zst")
    assert dataclasses.replace(packed, locator="run") == run_of(plain, "rollout-1.jsonl")
    with pytest.raises(ReadError, match="ends early"):
        runs_of(zstandard(plain)[:-9], "rollout-1.jsonl.zst")
    assert runs_of(zstandard(plain), "data.tar.zst") == ()


def test_where_zstandard_is_missing_the_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed = zstandard(b"{}")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(ReadError, match=r"pip install backports\.zstd"):
        runs_of(packed, "rollout-1.jsonl.zst")


# The database of opencode


def database_of(export: dict[str, Any]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE TABLE session (id TEXT, version TEXT, time_created INT, time_updated INT)"
        )
        database.execute(
            "CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT)"
        )
        database.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
        info = export["info"]
        times = (info["time"]["created"], info["time"]["updated"])
        database.execute(
            "INSERT INTO session VALUES (?, ?, ?, ?)", (info["id"], info["version"], *times)
        )
        for message in export["messages"]:
            id_ = message["info"]["id"]
            database.execute(
                "INSERT INTO message VALUES (?, ?, 0, ?)",
                (id_, info["id"], json.dumps(message["info"])),
            )
            for number, part in enumerate(message["parts"]):
                row = (f"{id_}{number}", id_, info["id"], json.dumps(part))
                database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
        database.commit()
        return bytes(database.serialize())


def test_a_session_in_the_database_is_the_same_run_as_its_export() -> None:
    exported = (ROOT / "tests" / "corpus" / "reader" / "opencode.json").read_bytes()
    content = database_of(json.loads(exported))
    run = run_of(content, "opencode.db")
    assert dataclasses.replace(run, locator="run", results=()) == dataclasses.replace(
        run_of(exported), results=()
    )
    assert steps_of(content, run)
    with_log = content[:18] + b"\2\2" + content[20:]
    assert run_of(with_log, "opencode.db") == run


def test_a_session_of_opencode_2_counts_instead_of_its_old_copy() -> None:
    exported = json.loads((ROOT / "tests" / "corpus" / "reader" / "opencode.json").read_bytes())
    used = {"input": 6, "output": 27, "reasoning": 3, "cache": {"read": 34, "write": 1}}
    state = {"status": "error", "input": {"command": "make"}, "error": {"message": "no rule"}}
    content = [
        {"type": "tool", "id": "p1", "name": "shell", "state": state},
        {"type": "text", "text": "It has no rule."},
    ]
    answer = {
        "model": {"id": "moon-1"},
        "time": {"created": 1_780_000_000_000},
        "content": content,
        "tokens": used,
    }
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(database_of(exported))
        database.execute(
            "CREATE TABLE session_v2 (id TEXT, version TEXT, time_created INT, time_updated INT, cost REAL)"
        )
        database.execute(
            "CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INT, data TEXT)"
        )
        id_ = exported["info"]["id"]
        database.execute(
            "INSERT INTO session_v2 VALUES (?, '2.0.3', 1780000000000, 1780000009000, 0)", (id_,)
        )
        rows = [
            ("user", {"text": "Mend it."}),
            ("model-switched", {}),
            ("assistant", answer | {"cost": 0.25}),
        ]
        for seq, (role, data) in enumerate(rows):
            row = (f"m{seq}", id_, role, seq, json.dumps(data))
            database.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?)", row)
        database.commit()
        file = bytes(database.serialize())
    run = run_of(file, "opencode.db")
    assert (run.session_id, run.agent_version, run.model, run.cost_usd) == (
        id_,
        "2.0.3",
        "moon-1",
        0.25,
    )
    assert (kinds(run), run.texts.summary, run.unknown) == ((6, 1, 34, 30), "It has no rule.", ())
    prompt, call, _ = steps_of(file, run)
    assert (prompt.text, call.call and (call.call.kind, call.call.failed, call.call.result)) == (
        "Mend it.",
        (ToolKind.RUN, True, "no rule"),
    )


MANY = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)"


@pytest.mark.parametrize(
    "statements",
    [
        [
            "ALTER TABLE message ADD more TEXT DEFAULT '{big}'",
            "ALTER TABLE message RENAME data TO old",
            "ALTER TABLE message RENAME more TO data",
        ],
        [
            "ALTER TABLE session RENAME version TO old",
            "ALTER TABLE session ADD version TEXT DEFAULT '{big}'",
        ],
        ["CREATE TABLE wide (a TEXT DEFAULT '{big}{big}')"],
        [
            "UPDATE session SET id = id || rowid",
            "DROP TABLE part",
            "CREATE TABLE part (id,message_id,session_id,data)",
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 90000) INSERT INTO part SELECT i, 1, 1, 1 FROM n",
        ],
    ],
    ids=["messages", "sessions", "schema", "scans"],
)
@pytest.mark.timing
def test_a_small_database_that_gives_much_is_refused(
    statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode_databases, "MAX_STEPS", 20_000_000)
    exported = json.loads((ROOT / "tests" / "corpus" / "reader" / "opencode.json").read_bytes())
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(database_of(exported))
        database.execute(
            f"{MANY} INSERT INTO session SELECT id || i, version, 1, 1 FROM session, n"  # noqa: S608
        )
        database.execute(f"{MANY} INSERT INTO message SELECT i, session_id, 1, '' FROM message, n")  # noqa: S608
        for statement in statements:
            database.execute(statement.replace("{big}", "x" * 15_000))
        database.commit()
        content = bytes(database.serialize())
    tracemalloc.start()
    with pytest.raises(ReadError) as refused:
        runs_of(content, "opencode.db")
    assert tracemalloc.get_traced_memory()[1] < 30 * len(content)
    tracemalloc.stop()
    assert refused.value.code == ("E_ARCHIVE_DAMAGED" if "wide" in statements[0] else "E_LIMIT")


def test_other_databases_are_no_runs_and_damaged_ones_say_so() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE moons (id TEXT)")
        assert runs_of(bytes(database.serialize()), "moons.db") == ()
        database.execute(
            "CREATE VIEW session AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        )
        assert runs_of(bytes(database.serialize()), "moons.db") == ()
        for table in ("message (id, session_id, data)", "part (id, message_id, session_id, data)"):
            database.execute(f"CREATE TABLE {table}")
        database.execute("DROP VIEW session")
        database.execute(
            "CREATE VIRTUAL TABLE session USING fts5(id, version, time_created, time_updated)"
        )
        database.execute("INSERT INTO session VALUES ('s', '1', 1, 2)")
        database.commit()
        assert runs_of(bytes(database.serialize()), "moons.db") == ()
    exported = json.loads((ROOT / "tests" / "corpus" / "reader" / "opencode.json").read_bytes())
    content = database_of(exported)
    with pytest.raises(ReadError, match="damaged"):
        runs_of(content[:4096] + b"\xff" * (len(content) - 4096), "opencode.db")
