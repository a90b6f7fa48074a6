"""Folders in which programs that run agents leave a run: what each file in them is, by its path alone."""

from __future__ import annotations

import pytest

from sitegen.readers.folders import FOLDERS


@pytest.mark.parametrize(
    ("key", "within", "what"),
    [
        # Whether a file is expected, where a result stands, and where records of the agent may be.
        ("harbor", "result.json", "known result"),
        ("harbor", "agent/claude-code.txt", "known record"),
        ("harbor", "trial.log", "known"),
        ("harbor", "verifier/reward.txt", "known"),
        ("harbor", "notes.md", ""),
        ("harbor", "sub/result.json", ""),
        ("iso-bench", "run_summary.json", "known result"),
        ("iso-bench", "journal.json", "known result"),
        ("iso-bench", "claude_stdout.txt", "known record"),
        ("iso-bench", "model_patch.diff", "known"),
        ("iso-bench", "summary.json", ""),
        ("cline", "ui_messages.json", "known record"),
        ("cline", "task_metadata.json", "known"),
        ("cline", "result.json", ""),
        ("openhands", "base_state.json", "known result"),
        ("openhands", "events/event-00001-x.json", "known record"),
        ("openhands", "events/.eventlog.lock", "known"),
        ("terminal-bench", "t1/run-1/results.json", "known result"),
        ("terminal-bench", "agent-logs/a.cast", "known record"),
        ("terminal-bench", "panes/post-agent.txt", "known"),
        ("agent-skills", "grading.json", "known result"),
        ("agent-skills", "outputs/response.md", "known result"),
        ("agent-skills", "session.json", "known record"),
        ("agent-skills", "outputs/notes.txt", "known"),
        ("agent-skills", "metrics.json", "known"),
        ("vally", "metadata.json", "known result record"),
        ("vally", "trajectory.jsonl", "known record"),
        ("vally", "report.md", "known"),
        ("aider", ".aider.results.json", "known result"),
        ("aider", ".aider.chat.history.md", "known record"),
        ("aider", ".aider.tags.cache.v4", "known"),
    ],
)
def test_a_file_is_what_its_path_says(key: str, within: str, what: str) -> None:
    folder = FOLDERS[key]
    found = [
        word
        for word, is_so in (
            ("known", folder.is_known(within)),
            ("result", folder.is_result(within)),
            ("record", folder.is_record(within)),
        )
        if is_so
    ]
    assert " ".join(found) == what


@pytest.mark.parametrize(
    ("key", "path", "neighbours", "expected"),
    [
        ("cline", "t/task_metadata.json", {"ui_messages.json"}, True),
        ("cline", "t/task_metadata.json", {"other.json"}, False),
        ("cline", "t/notes.json", {"ui_messages.json"}, False),
        ("iso-bench", "i/task.txt", {"journal.json", "run_summary.json", "task.txt"}, True),
        ("iso-bench", "i/task.txt", {"journal.json"}, False),
        # Names of other folders do not tell: their files are read.
        ("harbor", "t/trial.log", {"result.json", "config.json"}, False),
        # A part of a log is read with the first of its parts.
        ("openhands", "c/events/event-00001-x.json", set(), True),
        ("openhands", "c/base_state.json", set(), False),
    ],
)
def test_names_and_neighbours_tell_that_a_file_need_not_be_read(
    key: str, path: str, neighbours: set[str], expected: bool
) -> None:
    assert FOLDERS[key].is_beside_run(path, lambda: frozenset(neighbours)) is expected


@pytest.mark.parametrize(
    ("key", "path", "neighbours", "expected"),
    [
        ("iso-bench", "i/journal.json", {"diff_targets.json"}, True),
        ("iso-bench", "i/journal.json", {"task.txt"}, False),
        ("iso-bench", "i/task.txt", {"run_summary.json"}, False),
        ("harbor", "t/result.json", {"config.json"}, False),
    ],
)
def test_an_empty_result_shows_that_a_run_died(
    key: str, path: str, neighbours: set[str], expected: bool
) -> None:
    assert FOLDERS[key].is_emptied_by(path, lambda: frozenset(neighbours)) is expected


RUN = "vllm/claude_code/claude-sonnet-45/2026-01-02_03-04-05/item"


@pytest.mark.parametrize(
    ("path", "task", "expected"),
    [
        (f"{RUN}/run_summary.json/", "vllm-1a2b3c4", {}),
        (f"{RUN}/run_summary.json", "vllm-1a2b3c4", {"model": "claude-sonnet-4-5"}),
        (
            f"{RUN}/journal.json",
            "plan-1a2b3c4",
            {"model": "claude-sonnet-4-5", "task": "vllm-1a2b3c4"},
        ),
        (f"{RUN}/journal.json", "vllm-1a2b3c4", {"model": "claude-sonnet-4-5"}),
        (f"{RUN}/journal.json", None, {"model": "claude-sonnet-4-5"}),
        (f"{RUN}/run_summary.json", "plan-1a2b3c4", {"model": "claude-sonnet-4-5"}),
        ("codex/gpt-5/2026-01-02_03-04-05/item/journal.json", "plan-1", {"model": "gpt-5"}),
        ("vllm/codex/default/2026-01-02_03-04-05/item/run_summary.json", "t", {}),
        ("vllm/codex/gpt-5/item/run_summary.json", "t", {}),
    ],
)
def test_a_path_of_iso_bench_states_the_model_and_the_repository(
    path: str, task: str | None, expected: dict[str, str]
) -> None:
    read_path = FOLDERS["iso-bench"].read_path
    assert read_path is not None
    assert read_path(path, task) == expected


def test_a_run_that_died_is_called_by_its_agent() -> None:
    died = FOLDERS["iso-bench"].died
    assert died is not None
    assert died(f"{RUN}/journal.json") == "Claude Code run"
    assert died("elsewhere/journal.json") == "ISO-Bench run"
