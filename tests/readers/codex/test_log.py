"""What `codex exec` prints for people."""

from __future__ import annotations

import pytest

from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source

HEAD = """OpenAI Codex v0.40.0 (research preview)
--------
workdir: /w
model: gpt-5
provider: openai
sandbox: read-only
reasoning effort: high
session id: 0198d070-4da7
--------
"""


def file_of(*sections: str) -> RunFile:
    return RunFile.of("run.log", (HEAD + "\n".join(sections) + "\n").encode())


def run_of(*sections: str) -> Run:
    (run,) = read_source(file_of(*sections), named=False) or ()
    return run


def test_a_log_has_the_facts_of_its_header_and_its_sum() -> None:
    run = run_of("user\nDo it.", "codex\nDone.", "tokens used\n1,234")
    assert (run.reader, run.status, run.agent_version) == ("Codex log", Status.OK, "0.40.0")
    assert (run.session_id, run.effort, run.tokens.unsplit) == ("0198d070-4da7", "high", 1234)
    assert run.texts.summary == "Done." and run.model == "gpt-5"
    assert dict(run.texts.fields)["sandbox"] == "read-only"


def test_a_log_without_its_sum_breaks_off() -> None:
    assert run_of("user\nDo it.").status is Status.INTERRUPTED
    failed = run_of("user\nDo it.", "ERROR: You've hit your usage limit.")
    assert (failed.status, failed.status_detail) == (Status.STOPPED, "usage limit")


def test_commands_and_edits_are_calls_with_their_results() -> None:
    sections = (
        "exec\nls in /w succeeded in 10ms:\na.py",
        "exec\ncat x in /w exited 1 in 5ms:\nno such file",
        "file update\nM /w/a.py\n+x\n-y\n+z",
        "apply_patch(auto_approved=true) succeeded in 3ms:\nok",
        "tokens used: 5",
    )
    steps = list(raw_steps(file_of(*sections)))
    calls = [step.call for step in steps if step.call]
    assert [(call.target, call.exit_code, call.failed) for call in calls] == [
        ("ls", 0, False),
        ("cat x", 1, True),
        ("/w/a.py", 0, False),
    ]
    assert [call.result for call in calls] == ["a.py", "no such file", "ok"]
    assert (calls[2].changes, calls[2].lines_added, calls[2].lines_removed) == ("+x\n-y\n+z", 2, 1)


def test_an_edit_whose_end_is_not_told_ended_with_the_run() -> None:
    for last, failed in (("tokens used: 5", False), ("codex\nDone.", None)):
        steps = list(raw_steps(file_of("file update\nA /w/b.py\n+x", last)))
        assert [step.call.failed for step in steps if step.call] == [failed]


def test_a_sum_before_more_work_is_a_line_of_a_command() -> None:
    run = run_of("exec\ncat log in /w succeeded in 1ms:", "tokens used: 9", "codex\nDone.")
    assert run.tokens.unsplit is None and run.status is Status.INTERRUPTED
    assert [step.kind for step in raw_steps(file_of("thinking\nHm."))] == [StepKind.THINKING]


def test_an_error_does_not_end_an_open_edit() -> None:
    file = file_of("file update\nM /w/a.py\n+x", "ERROR: stream disconnected")
    assert [step.call.failed for step in raw_steps(file) if step.call] == [None]
    assert run_of("file update\nM /w/a.py\n+x", "ERROR: no network").status is Status.FAILED


@pytest.mark.parametrize(
    ("stated", "effort"), [("high", "high"), ("none", None), ("Medium", "medium")]
)
def test_an_effort_of_none_is_no_effort(stated: str, effort: str | None) -> None:
    log = HEAD.replace("effort: high", f"effort: {stated}") + "user\nDo it.\ntokens used: 5\n"
    (run,) = read_source(RunFile.of("run.log", log.encode()), named=False) or ()
    assert run.effort == effort
    assert dict(run.texts.fields)["reasoning effort"] == stated


@pytest.mark.parametrize(
    ("said", "total"),
    [
        ("tokens used: 1,234", 1234),
        ("tokens used\n9 007 199 254 740 992", 9007199254740992),
        ("tokens used: 9,007,199,254,740,993", None),
        ("tokens used: 0", 0),
    ],
)
def test_a_sum_of_tokens_is_a_count(said: str, total: int | None) -> None:
    assert run_of("user\nDo it.", said).tokens.unsplit == total


def test_a_command_without_an_end_has_no_result() -> None:
    (step,) = raw_steps(file_of("exec\nsleep 9 in /w\nwaits"))
    assert step.call and (step.call.target, step.call.failed) == ("sleep 9 in /w", None)
    (step,) = raw_steps(file_of("exec\ngrep in /etc in /w exited 2 in 5ms:\n\nbad\n"))
    assert step.call and (step.call.target, step.call.exit_code) == ("grep in /etc", 2)
    assert step.call.result == "bad"


def test_an_edit_of_several_files_names_each() -> None:
    sections = (
        "file update\nA /w/a.py\nM /w/b.py\n+x",
        "apply_patch(auto_approved=false) exited 1 in 3ms:\nbad",
    )
    (step,) = raw_steps(file_of(*sections))
    assert step.call and (step.call.failed, step.call.exit_code, step.call.result) == (
        True,
        1,
        "bad",
    )
    run = run_of(*sections, "tokens used: 5")
    assert run.steps is not None and run.steps.tool_failures == 1
