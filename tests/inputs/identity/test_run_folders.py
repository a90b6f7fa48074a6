"""Folders in which a program that runs agents left a run: one run, each figure from the source that knows it best."""

from __future__ import annotations

import gzip
import json
import shutil
import time
import tracemalloc
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.collect import Facts, collect
from sitegen.config import Config
from sitegen.inputs.reconciling import fill_gaps
from sitegen.masking.redact import Redactor
from sitegen.model import ModelUsage, Outcome, Run, Status, StepCounts, Tokens
from sitegen.readers.codex.log import log_parts
from sitegen.readers.common.values import Caveats
from sitegen.readers.folders import RunFolder
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from tests.conftest import missing
from tests.support.clock import seconds_since
from tests.support.harness_runs import ATIF, CODEX_LOG, HARBOR, JOURNAL, SUMMARY, TRIAL
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source

PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"


def surveyed(folder: Path) -> Facts:
    return collect(
        Config.model_validate({"inputs": [str(folder)]}), Redactor(), lambda _, items: items
    )


def write(path: Path, value: object = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def iso_bench(folder: Path, log: str | None = CODEX_LOG, **journal: Any) -> None:
    """A folder of ISO-Bench with all that is usual in one."""
    write(folder / "run_summary.json", SUMMARY)
    write(folder / "journal.json", JOURNAL | journal)
    for name in (
        "openhands_stdout.txt",
        "diff_targets.json",
        "task.txt",
        "prompt.json",
        "prediction.jsonl",
    ):
        write(folder / name)
    write(folder / "task.txt", "Make the tide faster.")
    write(folder / "prompt.json", {"task": "Make the tide faster."})
    write(folder / "model_patch.diff", PATCH)
    if log is not None:
        write(folder / "openhands_stderr.txt", log)


def test_a_folder_of_iso_bench_is_one_run_with_the_record_of_its_agent(tmp_path: Path) -> None:
    iso_bench(tmp_path / "tide/codex_cli/default/2026-01-02_10-00-00/tide_core-0007")
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    run = entry.run
    assert (run.reader, run.model, run.status, entry.task) == (
        "Codex log",
        "gpt-5",
        Status.OK,
        "tide-01234567",
    )
    assert (run.tokens.total, run.tokens.output, run.is_total_exact) == (12_345, None, False)
    assert (run.wall_ms, run.started_at, entry.patch_lines) == (
        90_500,
        "2026-01-02T09:58:29Z",
        (1, 1),
    )
    assert (survey.problems, entry.attempt) == ((), None)
    assert {kind for _, kind in survey.ignored_files} == {"companion"}


def of_plan(folder: Path, plan: str, *, repo: str | None, model: str, agent: str = "trae") -> None:
    """A folder of ISO-Bench without a record of the agent; without a repository it has no summary."""
    write(
        folder / "journal.json",
        JOURNAL | {"task_id": plan, "run_metadata": {}, agent: {"returncode": 1}},
    )
    if repo:
        meta = {"repo": repo, "agent": agent, "model": model, "model_full": model, "item_id": plan}
        write(folder / "run_summary.json", SUMMARY | {"meta": meta})


@pytest.mark.parametrize(
    ("path", "plan", "stated", "expected"),
    [
        (
            "tide/trae/gpt-5",
            "tide_core",
            {"repo": "tide", "model": "gpt-5-2025-08-07"},
            ("tide", "gpt-5"),
        ),
        ("tide/trae/gpt-5", "moe_align", {"repo": "tide", "model": "default"}, ("tide", "gpt-5")),
        ("copies/trae/gpt-5", "moe_align", {"repo": "tide", "model": "gpt-5"}, ("tide", "gpt-5")),
        ("tide/trae/default", "moe_align", {"repo": "tide", "model": "default"}, ("tide", None)),
        (
            "tide/trae/claude-sonnet-45",
            "chunked-x",
            {"repo": None, "model": ""},
            ("tide", "Claude Sonnet 4.5"),
        ),
        (
            "tide/claude_code/default",
            "moe_align",
            {"repo": "tide", "model": "gpt-5"},
            ("tide", None),
        ),
        (
            "tide/claude_code/default",
            "moe_align",
            {"repo": "tide", "model": "claude-opus-4-5"},
            ("tide", "Claude Opus 4.5"),
        ),
        ("", "tide_core", {"repo": None, "model": ""}, ("tide", None)),
    ],
)
def test_a_task_of_iso_bench_is_named_after_its_repository_and_the_model_is_stated_or_in_the_path(
    path: str, plan: str, stated: dict[str, Any], expected: tuple[str, str | None], tmp_path: Path
) -> None:
    """Whatever its plan is called. A summary names the model of the plan, which Claude Code does not run."""
    agent = "claude_code" if "claude_code" in path else "trae"
    of_plan(tmp_path / path / "2026-01-02_10-00-00/item-0007", plan, agent=agent, **stated)
    (entry,) = surveyed(tmp_path).entries
    assert (entry.task, entry.model) == (f"{expected[0]}-01234567", expected[1])


def test_a_folder_without_a_record_is_a_run_with_status_patch_and_time(tmp_path: Path) -> None:
    iso_bench(tmp_path / "a", None, status="error", codex_cli={"returncode": 1, "duration_s": 3})
    (entry,) = surveyed(tmp_path).entries
    assert (entry.run.reader, entry.task, entry.model) == ("Codex run", "tide-01234567", "gpt-5")
    assert (entry.run.status, entry.run.wall_ms, entry.patch_lines) == (Status.FAILED, 3000, (1, 1))
    assert entry.run.tokens == Tokens()


@pytest.mark.parametrize(
    ("process", "status", "detail"),
    [
        ({"returncode": -9, "duration_s": 3}, Status.STOPPED, "killed"),
        ({"returncode": -15, "duration_s": 3600.5, "time_budget_minutes": 60}, Status.OK, None),
        ({"returncode": 1, "duration_s": 3}, Status.OK, None),
    ],
)
def test_the_agent_knows_its_end_unless_it_was_killed(
    tmp_path: Path, process: dict[str, Any], status: Status, detail: str | None
) -> None:
    iso_bench(tmp_path, status="error", codex_cli=process)
    (entry,) = surveyed(tmp_path).entries
    assert (entry.run.status, entry.run.status_detail) == (status, detail)


def test_a_copied_folder_is_a_duplicate_and_a_second_run_another_attempt(tmp_path: Path) -> None:
    iso_bench(tmp_path / "1")
    iso_bench(tmp_path / "2", CODEX_LOG.replace("12,345", "54,321"))
    shutil.copytree(tmp_path / "1", tmp_path / "3")
    iso_bench(tmp_path / "4", None, status="error")
    shutil.copytree(tmp_path / "4", tmp_path / "5")
    survey = surveyed(tmp_path)
    folders = [(entry.source.path.partition("/")[0], entry.attempt) for entry in survey.entries]
    assert folders == [("1", 1), ("2", 2), ("4", 3)]
    assert [(problem.path, problem.code) for problem in survey.problems] == [
        ("3/journal.json", "W_DUPLICATE"),
        ("5/journal.json", "W_DUPLICATE"),
    ]


def test_a_copied_trial_of_harbor_is_a_duplicate(tmp_path: Path) -> None:
    write(tmp_path / "1/tide__abc/result.json", HARBOR)
    write(tmp_path / "1/tide__abc/agent/trajectory.json", ATIF)
    (alone,) = surveyed(tmp_path).entries
    shutil.copytree(tmp_path / "1", tmp_path / "2")
    survey = surveyed(tmp_path)
    assert [entry.run for entry in survey.entries] == [alone.run]
    duplicates = [problem.path for problem in survey.problems if problem.code == "W_DUPLICATE"]
    assert duplicates == ["2/tide__abc/result.json"]


def test_a_trial_whose_files_are_packed_one_by_one_is_one_run(tmp_path: Path) -> None:
    write(tmp_path / "job/t__abc/result.json", HARBOR)
    write(tmp_path / "job/t__abc/agent/trajectory.json", ATIF)
    plain = surveyed(tmp_path).entries
    for path in [*tmp_path.rglob("*.json")]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    packed = surveyed(tmp_path).entries
    assert len(plain) == 1
    assert [(each.run.tokens, each.outcome, each.task) for each in packed] == [
        (each.run.tokens, each.outcome, each.task) for each in plain
    ]


def test_a_run_that_died_while_its_journal_was_written_is_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "tide/claude_code/default/2026-01-02_10-00-00/tide_core-0007"
    for name in ("journal.json", "claude_code_stdout.txt", "diff_targets.json"):
        write(folder / name)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert (entry.run.reader, entry.run.status, survey.problems) == (
        "Claude Code run",
        Status.INTERRUPTED,
        (),
    )


def test_an_empty_journal_elsewhere_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path / "journal.json")
    assert [problem.code for problem in surveyed(tmp_path).problems] == ["E_EMPTY"]


def test_a_damaged_record_stays_a_problem(tmp_path: Path) -> None:
    iso_bench(tmp_path, None)
    write(tmp_path / "trajectory.json", '{"llm_interactions": [')
    survey = surveyed(tmp_path)
    assert [problem.path for problem in survey.problems] == ["trajectory.json"]
    assert [entry.task for entry in survey.entries] == ["tide-01234567"]


def test_what_is_usual_in_a_trial_of_harbor_is_no_problem(tmp_path: Path) -> None:
    trial = tmp_path / "jobs/j/tide__abc"
    write(trial / "result.json", HARBOR | {"exception_info": None})
    for name in ("trial.log", "agent/setup/stderr.txt", "verifier/test-stdout.txt", "../job.log"):
        write(trial / name)
    steps = [step for step in ATIF["steps"] if not step.get("is_copied_context")]
    write(
        trial / "agent/trajectory.json",
        ATIF | {"steps": steps, "final_metrics": {"total_cost_usd": 0.4}},
    )
    write(trial / "model_patch.diff", PATCH)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert (entry.run.status, entry.outcome, entry.run.wall_ms) == (
        Status.OK,
        Outcome.PARTIAL,
        60_000,
    )
    assert entry.patch_lines == (1, 1)
    assert survey.problems == ()


def test_trials_of_terminal_bench_have_agent_and_model_of_their_run(tmp_path: Path) -> None:
    metadata = {
        "run_id": "r",
        "dataset_name": "core",
        "agent_name": "openhands",
        "model_name": "gpt-5",
    }
    write(tmp_path / "run/run_metadata.json", metadata)
    trials = [
        TRIAL | {"uuid": str(number), "total_input_tokens": 0, "total_output_tokens": 0}
        for number in range(3)
    ]
    write(tmp_path / "run/results.json", {"results": trials})
    write(tmp_path / "run/tide/tide.1-of-1.r/results.json", trials[0])
    write(tmp_path / "run/tide/tide.1-of-1.r/panes/post-agent.txt")
    write(tmp_path / "other/results.json", TRIAL | {"uuid": "9"})
    survey = surveyed(tmp_path)
    assert [entry.run.reader for entry in survey.entries] == [
        "Terminal-Bench trial",
        *["OpenHands trial"] * 3,
    ]
    assert [entry.model for entry in survey.entries][1:] == ["gpt-5"] * 3
    assert all(entry.run.tokens == Tokens() for entry in survey.entries[1:])
    assert survey.problems == ()


@pytest.mark.parametrize(
    "encoded", [CODEX_LOG.replace("\n", "\r\n").encode(), CODEX_LOG.encode("utf-16")]
)
def test_a_log_of_codex_is_read_section_by_section(encoded: bytes) -> None:
    file = RunFile.of("codex.log", encoded)
    (run,) = read_source(file, named=False) or ()
    steps = list(raw_steps(file, run.locator))
    assert [step.kind for step in steps] == [
        StepKind.PROMPT,
        StepKind.THINKING,
        StepKind.TEXT,
        StepKind.TOOL_CALL,
        StepKind.TOOL_CALL,
        StepKind.TEXT,
    ]
    assert (run.status, run.tokens.unsplit, run.texts.summary) == (
        Status.OK,
        12_345,
        "The tide is faster.",
    )
    assert run.steps is not None
    assert (run.steps.tool_calls, run.steps.tool_failures, run.steps.files_edited) == (2, 1, 1)
    assert [step.call.exit_code for step in steps if step.call] == [2, 0]


def test_a_log_of_codex_that_an_error_or_nothing_ended_states_no_tokens() -> None:
    begin = CODEX_LOG.partition("tokens used")[0]
    (cut,) = read_source(RunFile.of("a.log", begin.encode()), named=False) or ()
    assert (cut.status, cut.tokens.total, cut.model) == (Status.INTERRUPTED, None, "gpt-5")
    said = f"{begin}ERROR: You've hit your usage limit.\n"
    (stopped,) = read_source(RunFile.of("a.log", said.encode()), named=False) or ()
    assert (stopped.status, stopped.status_detail) == (Status.STOPPED, "usage limit")


def test_a_sum_of_tokens_that_a_command_printed_is_not_that_of_the_run() -> None:
    said = (
        CODEX_LOG.partition("file update\n")[0] + "tokens used: 999\ncodex\nThat was the output.\n"
    )
    (run,) = read_source(RunFile.of("a.log", said.encode()), named=False) or ()
    assert (run.status, run.tokens.total) == (Status.INTERRUPTED, None)


def test_a_command_of_a_log_of_codex_is_read_once() -> None:
    asked = "x in /" * 8_000
    file = RunFile.of("a.log", CODEX_LOG.replace("make' in", f"{asked}' in").encode())
    start = time.process_time()
    (run,) = read_source(file, named=False) or ()
    assert seconds_since(start) < 2
    assert [step.call.exit_code for step in raw_steps(file, run.locator) if step.call] == [
        2,
        0,
    ]
    file = RunFile.of("a.log", CODEX_LOG.replace("make", "grep x in /etc").encode())
    assert (
        next(step.call.target for step in raw_steps(file, run.locator) if step.call)
        == "grep x in /etc"
    )


def test_a_long_line_of_a_log_of_codex_is_not_read_at_once() -> None:
    file = RunFile.of("a.log", CODEX_LOG.replace("I look", "I look" * 2_000_000).encode())
    tracemalloc.start()
    texts = [record["text"] for records in log_parts(file, Caveats()) for record in records]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(texts) == 12 and peak < 5_000_000


OWN = Run(
    "Claude Code stream",
    Status.OK,
    cost_usd=1.0,
    wall_ms=50,
    ledger=(ModelUsage("m", Tokens(1, 2, 3, 4)),),
)
PART = Run("Claude Code stream", Status.INTERRUPTED, ledger=(ModelUsage("m", Tokens(1, 0, 1, 1)),))
CONVERTED = Run(
    "A trajectory", Status.UNKNOWN, is_converted=True, ledger=(ModelUsage("m", Tokens(9, 9, 9, 9)),)
)
TOLD = Run("Claude Code trial", Status.FAILED, "time limit", folder="harbor", wall_ms=99, task="t")
COUNTED = Run(
    "Claude Code trial",
    Status.OK,
    folder="harbor",
    ledger=(ModelUsage("m", Tokens(9, None, 9, 9)),),
)
BROKEN_OFF = Run(
    "Claude Code stream", Status.INTERRUPTED, ledger=(ModelUsage("m", Tokens(10, 10, 10, 10)),)
)
TOO_FEW = Run(
    "Claude Code trial", Status.OK, folder="harbor", ledger=(ModelUsage("m", Tokens(5, 5, 5, 5)),)
)
ENDS = frozenset({Status.FAILED})
DENIED = ("W_CONTRADICTION",)


def counted(calls: int, *counts: int | None, **facts: Any) -> Run:
    steps = StepCounts(calls, calls, 0, (), 0, 0, 0, 0, None, None, ())
    return Run(
        "Pi session",
        Status.INTERRUPTED,
        ledger=(ModelUsage("m", Tokens(*counts)),),
        steps=steps,
        **facts,
    )


CUT, ATIF_OF_ALL = counted(2, 20, 0, 60, 2), counted(3, 30, 0, 90, 3, is_converted=True)
WRITES = counted(1, 10, 50, 90, 5)
TRIAL_OF_ALL = Run(
    "Pi trial", Status.OK, folder="harbor", ledger=(ModelUsage("m", Tokens(30, 0, 90, 3)),)
)


@pytest.mark.parametrize(
    ("shown", "others", "expected"),
    [
        (CUT, [TRIAL_OF_ALL, ATIF_OF_ALL], (123, False, ())),
        (ATIF_OF_ALL, [CUT, TRIAL_OF_ALL], (123, False, ())),
        (replace(CUT, status=Status.OK), [ATIF_OF_ALL], (123, False, ())),
        (CUT, [TRIAL_OF_ALL], (123, False, ())),
        # A conversion that counts the same calls counts an answer more than once.
        (CUT, [TRIAL_OF_ALL, replace(ATIF_OF_ALL, steps=CUT.steps)], (82, False, ())),
        (replace(CUT, status=Status.OK), [TRIAL_OF_ALL], (82, True, ("W_CONTRADICTION",))),
        # Cache beside the input, within it, or neither.
        (
            counted(1, 100, 0, 90, 5, folder=None),
            [counted(0, 10, 0, 90, 5, folder="harbor")],
            (195, False, ()),
        ),
        (
            counted(1, 10, 0, 90, 5, is_converted=True),
            [counted(0, 100, 0, 90, 5, folder="harbor")],
            (195, False, ()),
        ),
        (counted(1, 10, 0, 90, 5), [counted(0, 10, 0, 90, 5, folder="harbor")], (105, False, ())),
        (
            replace(WRITES, status=Status.OK),
            [counted(0, 60, None, 90, 5, folder="harbor")],
            (155, False, ()),
        ),
        (
            replace(WRITES, status=Status.OK),
            [counted(0, 10, None, 90, 5, folder="harbor")],
            (155, False, ()),
        ),
    ],
)
def test_a_part_is_not_preferred_to_the_whole(
    shown: Run, others: list[Run], expected: tuple[int, bool, tuple[str, ...]]
) -> None:
    run = fill_gaps(shown, [replace(other) for other in others])
    codes = tuple(caveat.code for caveat in run.caveats)
    assert (run.tokens.total, run.ledger_is_lower_bound, codes) == expected


@pytest.mark.parametrize(
    ("shown", "others", "expected"),
    [
        (OWN, [TOLD], (Status.FAILED, 99, 10, ())),
        (OWN, [COUNTED], (Status.OK, 50, 10, ("W_CONTRADICTION",))),
        (OWN, [COUNTED, CONVERTED], (Status.OK, 50, 10, ())),
        (PART, [COUNTED], (Status.OK, None, 27, ())),
        (PART, [COUNTED, CONVERTED], (Status.OK, None, 3, ())),
        (CONVERTED, [TOLD], (Status.FAILED, 99, 36, ())),
        (TOLD, [], (Status.FAILED, 99, None, ())),
        (
            replace(OWN, status=Status.STOPPED),
            [replace(TOLD, status=Status.OK)],
            (Status.STOPPED, 99, 10, DENIED),
        ),
    ],
)
def test_each_figure_is_of_the_source_that_knows_it_best(
    shown: Run, others: list[Run], expected: tuple[Status, int | None, int | None, tuple[str, ...]]
) -> None:
    run = fill_gaps(shown, others, ENDS)
    assert (
        run.status,
        run.wall_ms,
        run.tokens.total,
        tuple(caveat.code for caveat in run.caveats),
    ) == expected


@pytest.mark.parametrize(
    ("shown", "others"),
    [
        (BROKEN_OFF, [TOO_FEW]),
        (
            replace(BROKEN_OFF, ledger_is_lower_bound=True),
            [replace(CONVERTED, ledger=TOO_FEW.ledger), TOO_FEW],
        ),
    ],
)
def test_a_lower_bound_above_another_count_is_shown_marked_and_contradicts_it(
    shown: Run, others: list[Run]
) -> None:
    run = fill_gaps(shown, others, ENDS)
    assert (run.tokens.total, run.ledger_is_lower_bound) == (40, True)
    assert [caveat.code for caveat in run.caveats] == ["W_CONTRADICTION"]


def test_a_result_that_is_a_lower_bound_counts_behind_the_program_that_ran_it() -> None:
    marks = {"is_stated": True, "ledger_is_lower_bound": True}
    ledger = (ModelUsage("m", Tokens(100, 0, 0, 10)),)
    broken = replace(
        OWN, status=Status.FAILED, cost_usd=0.5, ledger=ledger, cost_is_lower_bound=True, **marks
    )  # type: ignore[arg-type]
    counted = replace(COUNTED, cost_usd=3.0, ledger=(ModelUsage("m", Tokens(5000, 0, 0, 900)),))
    run = fill_gaps(broken, [PART, counted])
    assert (run.tokens.total, run.cost_usd, run.status) == (5900, 3.0, Status.FAILED)
    assert not (run.ledger_is_lower_bound or run.cost_is_lower_bound)
    assert fill_gaps(broken, [PART]).tokens.total == 110
    assert fill_gaps(replace(broken, cost_is_lower_bound=False), [counted]).cost_usd == 0.5


@pytest.mark.parametrize(
    "mark", ["ledger_is_lower_bound", "output_is_lower_bound", "cost_is_lower_bound"]
)
def test_a_figure_is_taken_with_what_marks_it(mark: str) -> None:
    marked = replace(COUNTED, cost_usd=2.0, **{mark: True})  # type: ignore[arg-type]
    assert getattr(fill_gaps(TOLD, [marked]), mark)
    bare = Run("Claude Code stream", Status.OK, **{mark: True})  # type: ignore[arg-type]
    assert not getattr(fill_gaps(bare, [replace(COUNTED, cost_usd=2.0)]), mark)


def test_a_reader_of_others_brings_its_own_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mill:
        name = "mill"
        folder = RunFolder(
            "mill", results=r"mill\.out", records=r"logs/.+", companions=r"grain\.txt"
        )

        def matches(self, file: RunFile) -> bool:
            return file.head.startswith(b"MILL")

        def read(self, file: RunFile, locator: str | None = None) -> list[Run]:  # noqa: ARG002
            return [Run("Mill run", Status.FAILED, "time limit", folder="mill", task="rye")]

    monkeypatch.setattr(readers, "installed", lambda: (Mill(),))
    write(tmp_path / "a/mill.out", "MILL")
    write(tmp_path / "a/grain.txt")
    write(tmp_path / "a/logs/1.log", CODEX_LOG)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert (entry.run.reader, entry.run.status, entry.task) == ("Codex log", Status.FAILED, "rye")
    assert survey.problems == ()


def trials(shared: Path, family: str) -> Path:
    folder = shared / "more-runs" / family
    if not folder.is_dir():
        missing(f"no folder {folder}")
    return folder


def test_real_trials_of_harbor_are_as_their_files_say(shared: Path) -> None:
    folder = trials(shared, "harbor-trial")
    survey = surveyed(folder)
    entries = {entry.task: entry for entry in survey.entries}
    raw = {path.parent: json.loads(path.read_bytes()) for path in folder.rglob("result.json")}
    raw = {path: trial for path, trial in raw.items() if "agent_info" in trial}
    assert len(entries) == len(raw) == 11
    for place, trial in raw.items():
        run, result = entries[trial["task_name"]].run, trial["agent_result"] or {}
        ran = trial["agent_execution"] or {}
        times = [datetime.fromisoformat(ran[f"{end}_at"]) for end in ("started", "finished") if ran]
        took = (times[1] - times[0]).total_seconds() if times else 0
        assert (run.wall_ms or 0) == pytest.approx(took * 1000, abs=1)
        exception = (trial["exception_info"] or {}).get("exception_type")
        assert (run.status is Status.OK) == (exception in (None, "RewardFileNotFoundError")), (
            exception
        )
        logs = (path.read_text() for path in place.glob("agent/claude-code.txt"))
        own = [
            json.loads(line) for log in logs for line in log.splitlines() if line.startswith("{")
        ]
        answers = {
            line["message"]["id"]: line["message"]["usage"]
            for line in own
            if line["type"] == "assistant"
        }
        if last := next((line for line in own if line["type"] == "result"), None):
            assert (run.cost_usd, run.status) == (last["total_cost_usd"], Status.OK)
            read = sum(model["cacheReadInputTokens"] for model in last["modelUsage"].values())
        elif own:
            read = sum(usage["cache_read_input_tokens"] for usage in answers.values())
        elif sessions := list(place.glob("agent/openclaw-sessions/*.jsonl")):
            session = max(
                sessions, key=lambda path: path.stat().st_size
            )  # the others are what it was before
            said = [
                json.loads(line).get("message", {}).get("usage", {})
                for line in session.read_text().splitlines()
            ]
            read, sent, output = (
                sum(usage.get(name, 0) for usage in said)
                for name in ("cacheRead", "input", "output")
            )
            assert (run.tokens.input, run.tokens.output, run.cost_usd) == (sent, output, None)
            is_early = result.get("n_input_tokens") != sent  # it went on when its time was up
            assert is_early == ("W_CONTRADICTION" in {caveat.code for caveat in run.caveats})
        else:
            read = result.get("n_cache_tokens")
            sent, cost = result.get("n_input_tokens"), result.get("cost_usd")
            assert (run.tokens.input, run.tokens.output, run.cost_usd) == (
                sent,
                result.get("n_output_tokens"),
                cost,
            )
        assert run.tokens.cache_read == read
    missing_in = [
        problem.path.rpartition("/")[2]
        for problem in survey.problems
        if problem.code == "W_MISSING"
    ]
    assert missing_in == [
        "result.json",
        "openclaw-session.jsonl",
    ]  # the last answer of the second was sent nothing
    assert [problem.code for problem in survey.problems if problem.code != "W_MISSING"] == [
        "W_CONTRADICTION"
    ]


def test_real_runs_of_terminal_bench_are_as_their_files_say(shared: Path) -> None:
    folder = trials(shared, "tb1-run")
    survey = surveyed(folder)
    expected: list[tuple[object, ...]] = []
    for path in folder.rglob("run_metadata.json"):
        metadata = json.loads(path.read_bytes())
        for trial in json.loads((path.parent / "results.json").read_bytes())["results"]:
            counts = trial["total_input_tokens"] or None, trial["total_output_tokens"] or None
            solved = {True: Outcome.PASS, False: Outcome.FAIL, None: Outcome.ERROR}[
                trial["is_resolved"]
            ]
            expected.append((trial["task_id"], metadata["model_name"], *counts, solved))
    got = [
        (e.task, e.run.model, e.run.tokens.input, e.run.tokens.output, e.outcome)
        for e in survey.entries
    ]
    assert sorted(got, key=str) == sorted(expected, key=str)
    assert (len(got), survey.problems) == (252, ())
    assert {entry.run.reader for entry in survey.entries} >= {
        "OpenHands trial",
        "Factory Droid trial",
    }


@pytest.mark.parametrize("family", ["inspect-eval-zstd", "inspect-json-2026"])
def test_real_logs_of_inspect_come_to_their_totals(shared: Path, family: str) -> None:
    checked = 0
    survey = surveyed(trials(shared, family))
    for entry in survey.entries:
        path = trials(shared, family) / entry.source.path
        if path.suffix == ".json":
            samples = json.loads(path.read_bytes())["samples"]
            usage = samples[entry.number].get("model_usage", {}).values()
            checked += bool(usage)
            stated = sum(each["total_tokens"] for each in usage)
            assert entry.run.tokens.total == (stated or None)
            assert not entry.run.ledger_is_lower_bound
    entries = [
        entry
        for entry in surveyed(trials(shared, family)).entries
        if "baseline" in entry.source.path
    ]
    if family == "inspect-eval-zstd":
        agent = sum((entry.run.tokens for entry in entries), Tokens())
        judge = sum((line.tokens for entry in entries for line in entry.run.judge), Tokens())
        assert (agent.total, judge.total) == (61_599, 16_882)
        whole = agent + judge
        assert (whole.input, whole.cache_read, whole.output) == (24_381, 12_186, 41_914)
    else:
        assert checked
