"""Programs that write the format of another agent are named by the marks of their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.collect import collect
from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from tests.support import campaigns
from tests.support.agent_runs import kinds
from tests.support.reading import read_source
from tests.support.transcripts import lines

SESSION = "5f0c7bb1-6a3c-4f0e-9d3e-0f4b9a7f2c11"
USAGE = {
    "input_tokens": 900,
    "output_tokens": 50,
    "cache_read_input_tokens": 600,
    "cache_creation_input_tokens": 0,
}


def run_of(*records: dict[str, Any], name: str = "run.jsonl") -> Run:
    (run,) = read_source(RunFile.of(name, lines(*records)), named=False) or ()
    return run


def init(**more: Any) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "init",
        "session_id": SESSION,
        "cwd": "/srv/kiln",
        "model": "m-1",
        **more,
    }


def answer(
    *content: dict[str, Any], usage: dict[str, Any] | None = None, model: str = "m-1"
) -> dict[str, Any]:
    blocks = list(content) or [{"type": "text", "text": "Done."}]
    message = {
        "id": "msg_1",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "usage": usage or USAGE,
    }
    return {
        "type": "assistant",
        "session_id": SESSION,
        "message": message,
        "parent_tool_use_id": None,
    }


def result(**more: Any) -> dict[str, Any]:
    base = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "duration_ms": 900,
    }
    return {**base, "session_id": SESSION, "result": "Done.", "usage": USAGE, **more}


def tool(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"call {name}", "name": name, "input": {"command": "ls"}}


def line(kind: str, **more: Any) -> dict[str, Any]:
    message = (
        {"role": "user", "content": "Glaze the pot"} if kind == "user" else answer()["message"]
    )
    more = {"message": message, "timestamp": "2026-06-04T09:47:27Z", **more}
    return {"type": kind, "uuid": kind, "parentUuid": None, "sessionId": SESSION, **more}


TRANSCRIPT = line("user", version="1.0.8"), line("assistant")


@pytest.mark.parametrize(
    ("agent", "records"),
    [
        ("Qwen Code", [init(qwen_code_version="0.22.0"), answer(), result()]),
        ("Qwen Code", [init(), answer(), result(qwen_code_version="0.22.0")]),
        ("Qwen Code", [init(), answer(), init(qwen_code_version="0.22.0"), result()]),
        ("Qwen Code", [init(qwen_code_version="0.22.0"), answer()]),
        ("Grok Build", [init(grok_version="1.0.41"), result()]),
        ("Qoder", [init(qodercli_version="1.1.5"), result()]),
        ("Auggie", [result(request_id="r-1")]),
        ("Auggie", [init(), answer(), result(request_id="r-1")]),
        ("Qwen Code", [init(qwen_code_version="0.22.0"), result(request_id="r-1")]),
        ("Qwen Code", [init(tools=["read_file", "run_shell_command"]), result()]),
        ("Grok Build", [init(tools=["run_terminal_command", "mcp__x__Bash"]), result()]),
        ("Droid", [init(tools=["Read", "Execute", "Create"]), result()]),
        ("Qwen Code", [init(), answer(tool("run_shell_command")), result()]),
        ("iFlow", [each | {"sessionId": f"session-{SESSION}"} for each in TRANSCRIPT]),
        (
            "Grok Build",
            [line("user"), line("assistant", message=answer(tool("search_replace"))["message"])],
        ),
    ],
)
def test_a_mark_of_another_program_names_the_agent(
    agent: str, records: list[dict[str, Any]]
) -> None:
    run = run_of(*records)
    assert (run.agent, run.reader.rpartition(" ")[0]) == (agent, agent)
    assert not {"W_AGENT", "W_CONTRADICTION"} & {caveat.code for caveat in run.caveats}


@pytest.mark.parametrize(
    "records",
    [
        [init(claude_code_version="2.1.232", tools=["Bash", "Read"]), answer(), result()],
        [
            init(model="qwen3-coder"),
            answer(model="qwen3-coder"),
            result(result="I ran qwen_code_version and trae."),
        ],
        [init(cwd="/home/u/.qwen/projects/kiln"), result()],
        [init(qwen_code_version=None), result()],
        [init(qwen_code_version=22), result()],
        [init(qwen_code_version=" "), result()],
        [init(qwen_code_version={"text": []}), result()],
        [init(tools=["Bash", "run_shell_command"]), result()],
        [init(tools=["mcp__shell__run_shell_command"]), result()],
        [init(tools="run_shell_command"), result()],
        [init(), answer(tool("Bash"), tool("run_shell_command")), result()],
        [
            line("user", message={"role": "user", "content": '{"grok_version": "1.0"}'}),
            line("assistant"),
        ],
        [result()],
        [
            {
                "type": "control_request",
                "request_id": "r-1",
                "request": {"subtype": "hook_callback"},
            },
            init(),
            result(),
        ],
        [
            init(),
            {"type": "system", "subtype": "api_retry", "request_id": "r-1", "session_id": SESSION},
            result(),
        ],
        [init(claude_code_version="2.1.232"), answer(), result(request_id="r-1")],
        [result(request_id={"id": "r-1"})],
        list(TRANSCRIPT),
    ],
)
def test_without_a_mark_of_another_program_it_is_claude_code(records: list[dict[str, Any]]) -> None:
    run = run_of(*records)
    assert run.agent == "Claude Code"
    assert "W_CONTRADICTION" not in {caveat.code for caveat in run.caveats}


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("Qoder", "home/.qoder/projects/-srv-kiln/1.jsonl"),
        ("Qoder", "C:\\Users\\u\\.qoder\\projects\\kiln\\1.jsonl"),
        ("Qwen Code", ".qwen/projects/-srv-kiln/chats/1.jsonl"),
        ("iFlow", ".iflow/projects/kiln/session-1.jsonl"),
        ("Droid", "backup.zip/.factory/sessions/kiln/1.jsonl"),
        ("Claude Code", ".claude/projects/-home-u--qwen-projects-kiln/1.jsonl"),
        ("Claude Code", ".qwen/projects/old/.claude/projects/kiln/1.jsonl"),
        ("Claude Code", "qwen/projects/kiln/1.jsonl"),
        ("Claude Code", "not.qwen/projects/kiln/1.jsonl"),
        ("Claude Code", ".qwen/1.jsonl"),
    ],
)
def test_the_folder_of_a_program_names_the_agent(agent: str, path: str) -> None:
    assert run_of(*TRANSCRIPT, name=path).agent == agent


@pytest.mark.parametrize(
    ("reader", "agent", "form"),
    [
        ("Claude Code stream", "Claude Code", "stream"),
        ("Codex session", "Codex", "session"),
        ("Foundry", "Foundry", ""),
        ("", "", ""),
    ],
)
def test_the_name_of_a_reader_is_the_agent_and_the_form_of_its_record(
    reader: str, agent: str, form: str
) -> None:
    run = Run(reader, Status.OK)
    assert (run.agent, run.form) == (agent, form)


def test_each_form_of_claude_code_says_how_often_its_context_was_compacted() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "session_id": SESSION}
    forms = (
        [init(), answer(), boundary, result()],
        [init(), answer(), boundary],
        [line("user"), line("assistant")],
    )
    runs = [run_of(*records) for records in forms]
    assert [run.reader for run in runs] == [
        "Claude Code stream",
        "Claude Code stream",
        "Claude Code transcript",
    ]
    assert [run.steps and run.steps.compactions for run in runs] == [1, 1, 0]


def test_what_a_file_says_counts_more_than_its_folder() -> None:
    path = ".qwen/projects/kiln/1.jsonl"
    assert run_of(init(claude_code_version="2.1.232"), result(), name=path).agent == "Claude Code"
    assert run_of(init(grok_version="1.0.41"), result(), name=path).agent == "Grok Build"


def test_marks_that_contradict_each_other_are_said() -> None:
    run = run_of(init(claude_code_version="2.1.232", grok_version="1.0.41"), result())
    assert run.agent == "Grok Build"
    (caveat,) = (each for each in run.caveats if each.code == "W_CONTRADICTION")
    assert "names Claude Code and Grok Build" in caveat.text


@pytest.mark.parametrize(
    ("is_said", "model", "more"),
    [
        (True, "glm-5", {}),
        (True, "qwen3-coder", {}),
        (False, "glm-5", {"claude_code_version": "2.1.232"}),
        (False, "claude-opus-5", {}),
        (False, "us.anthropic.claude-sonnet-4-6-v1:0", {}),
        (False, "opus", {}),
        (False, "grok-4.6", {"grok_version": "1.0.41"}),
    ],
)
def test_a_remark_says_where_only_the_format_shows_claude_code(
    is_said: bool, model: str, more: dict[str, Any]
) -> None:
    run = run_of(init(model=model, **more), answer(model=model), result())
    assert ("W_AGENT" in {caveat.code for caveat in run.caveats}) is is_said


@pytest.mark.parametrize(
    ("tokens", "more"),
    [
        ((300, 0, 600, 50), {"total_tokens": 950}),  # input and output: what is cached is inside
        ((900, 0, 600, 50), {"total_tokens": 1550}),
        ((900, 0, 600, 50), {}),
        ((900, 0, 600, 50), {"total_tokens": "many"}),
        ((900, 0, 600, 50), {"total_tokens": 7}),
        ((300, 0, 600, 50), {"total_tokens": 950, "cache_creation_input_tokens": None}),
    ],
)
@pytest.mark.parametrize("is_cut", [False, True])
def test_a_total_of_input_and_output_proves_that_input_includes_the_cache(
    tokens: tuple[int, ...], more: dict[str, Any], is_cut: bool
) -> None:
    usage = USAGE | more
    records = [init(), answer(usage=usage), *([] if is_cut else [result(usage=usage)])]
    assert kinds(run_of(*records)) == tokens


def test_qwen_code_counts_what_is_cached_as_input_without_a_total_too() -> None:
    mark = init(qwen_code_version="0.22.0")
    assert kinds(run_of(mark, answer(), result())) == (300, 0, 600, 50)
    assert kinds(run_of(mark, answer())) == (300, 0, 600, 50)
    usage = USAGE | {"total_tokens": 1550}  # but for one that says otherwise
    assert kinds(run_of(mark, answer(usage=usage), result(usage=usage))) == (900, 0, 600, 50)


META = {"id": "0198e3d4-ddba-7c46-8f8b-8e664b92cdaa", "cwd": "/srv/trae", "cli_version": "2.0.3"}


def rollout(meta: dict[str, Any], path: str = "rollout-1.jsonl") -> Run:
    at = "2026-08-14T10:00:00Z"
    begun = {"timestamp": at, "type": "session_meta", "payload": META | meta}
    turn = {"timestamp": at, "type": "turn_context", "payload": {"model": "gpt-5.5"}}
    said = {
        "timestamp": at,
        "type": "event_msg",
        "payload": {"type": "agent_message", "message": "You are TRAE"},
    }
    return run_of(begun, turn, said, name=path)


@pytest.mark.parametrize(
    ("agent", "meta", "path"),
    [
        ("TRAE CLI", {"model_provider": "trae"}, "1.jsonl"),
        ("TRAE CLI", {"originator": "codex-tui", "model_provider": "trae"}, "1.jsonl"),
        ("TRAE CLI", {"originator": "traecli"}, "1.jsonl"),
        ("TRAE CLI", {"base_instructions": {"text": "You are TRAE CLI, an agent."}}, "1.jsonl"),
        ("TRAE CLI", {"base_instructions": "You are Trae."}, "1.jsonl"),
        ("TRAE CLI", {}, ".trae/cli/sessions/2026/10/01/rollout-1.jsonl"),
        ("Codex", {"originator": "codex_exec", "model_provider": "openai"}, "1.jsonl"),
        ("Codex", {"model_provider": "ollama"}, "1.jsonl"),
        ("Codex", {"model_provider": ["trae"]}, "1.jsonl"),
        (
            "Codex",
            {"base_instructions": {"text": "You are Codex. You are TRAE's friend."}},
            "1.jsonl",
        ),
        ("Codex", {}, ".codex/sessions/2026/10/01/rollout-1.jsonl"),
    ],
)
def test_a_rollout_of_another_program_names_it(agent: str, meta: dict[str, Any], path: str) -> None:
    assert rollout(meta, path).reader == f"{agent} session"


def test_a_session_of_kilo_is_known_by_its_folder() -> None:
    export = {
        "info": {
            "id": "ses_1",
            "version": "7.6.2",
            "title": "Kiln",
            "time": {"created": 1_790_000_000_000},
        },
        "messages": [
            {
                "info": {
                    "id": "msg_1",
                    "role": "assistant",
                    "modelID": "m",
                    "finish": "stop",
                    "time": {"created": 1},
                },
                "parts": [{"type": "text", "text": "Done."}],
            }
        ],
    }
    assert run_of(export, name="share/opencode.json").reader == "opencode session"
    assert run_of(export, name="home/.local/share/kilo/export.json").reader == "Kilo session"


@pytest.mark.parametrize(
    ("pattern", "codes"), [("{task}/{attempt}", {"W_AGENT"}), ("{agent}/{attempt}", set())]
)
def test_an_agent_that_the_path_states_needs_no_remark(
    tmp_path: Path, pattern: str, codes: set[str]
) -> None:
    campaigns.write(tmp_path, {"kiln/1.jsonl": lines(init(), answer(), result())})
    inputs = ({"path": str(tmp_path), "pattern": pattern + ".jsonl"},)
    facts = collect(Config.model_validate({"inputs": inputs}), Redactor(()), lambda _, items: items)
    assert {caveat.code for entry in facts.entries for caveat in entry.run.caveats} & {
        "W_AGENT"
    } == codes
    assert {problem.code for problem in facts.problems} & {"W_AGENT"} == codes
