"""How the beginnings of files tell whose they are."""

from __future__ import annotations

import pytest

from sitegen.readers.agents import AGENTS
from sitegen.readers.run_file import RunFile

BY_NAME = {reader.name: reader for reader in AGENTS}


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ('{"type": "thread.started", "thread_id": "x"}', {"codex-exec"}),
        ('{"type":"thread.started"}', {"codex-exec"}),
        ("OpenAI Codex v0.40.0\n--------\n", {"codex-log"}),
        ("x OpenAI Codex v0.40.0\n", set()),
        ('{"session_id": "T-1"}', {"amp", "gemini-json"}),
        ('{"type": "system", "session_id": "T-1"}', {"amp"}),
        ('{"type": "session", "id": "x"}', {"pi"}),
        ('{"type": "session.start"}', {"copilot"}),
        ('{"kind": "x", "request_id": "r"}', {"cursor"}),
        ('[{"ts": 1, "type": "say"}]', {"cline"}),
        ('{"x": 1}', set()),
        ("", set()),
    ],
)
def test_a_mark_at_the_beginning_tells_whose_a_file_is(head: str, names: set[str]) -> None:
    file = RunFile.of("a.jsonl", head.encode())
    assert {reader.name for reader in AGENTS if reader.matches(file)} == names
    wide = RunFile.of("a.jsonl", head.encode("utf-16"))
    assert {reader.name for reader in AGENTS if reader.matches(wide)} == names


@pytest.mark.parametrize("foreign", ['"mcp_servers"', '"num_turns"', '"parent_tool_use_id"'])
def test_a_mark_beside_that_of_another_program_is_not_its_own(foreign: str) -> None:
    for text, is_own in (
        (f'{{"request_id": 1, {foreign}: 2}}', False),
        ('{"request_id": 1}', True),
    ):
        assert BY_NAME["cursor"].matches(RunFile.of("a.jsonl", text.encode())) is is_own


def test_a_mark_behind_the_beginning_does_not_count() -> None:
    mark = b'{"request_id": 1}'
    assert BY_NAME["cursor"].matches(RunFile.of("a.md", b" " * (4096 - len(mark)) + mark))
    assert not BY_NAME["cursor"].matches(RunFile.of("a.md", b" " * 4096 + mark))


@pytest.mark.parametrize(
    ("name", "title", "reads_json"),
    [
        ("codex-log", "Codex log", False),
        ("codex-exec", "Codex stream", True),
        ("amp", "Amp stream", True),
        ("opencode-db", "opencode session", False),
        ("iso-bench", "ISO-Bench run", True),
    ],
)
def test_a_reader_has_a_title_and_reads_json_or_not(
    name: str, title: str, reads_json: bool
) -> None:
    assert (BY_NAME[name].title, BY_NAME[name].reads_json) == (title, reads_json)


def test_a_reader_gives_the_run_of_a_file_and_its_steps() -> None:
    lines = (
        b'{"type": "thread.started", "thread_id": "01900000-0000-7000-8000-000000000001"}\n'
        b'{"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "Hi."}}\n'
    )
    reader = BY_NAME["codex-exec"]
    (run,) = reader.read(RunFile.of("a.jsonl", lines))
    assert run.reader == "Codex stream" and run.steps and run.steps.steps == 1
    (step,) = reader.steps(RunFile.of("a.jsonl", lines), run.locator, frozenset(), contents=True)
    assert step.text == "Hi."
