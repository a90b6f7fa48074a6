"""Files of programs that run agents on benchmarks, as small as they can be."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

SWE_AGENT: dict[str, Any] = {
    "environment": "main",
    "trajectory": [
        {"action": "open src/tide.py", "observation": "1: x", "response": "r", "thought": "Look first.", "state": "{}"},
        {
            "action": "edit 1:1\ny\nend_of_edit",
            "observation": "ok",
            "thought": "Change it.",
            "state": {"open_file": "/repo/src/tide.py"},
        },
        {"action": "submit", "observation": "diff", "thought": "It works now.", "execution_time": 0.5},
    ],
    "history": [{"role": "system", "content": "You mend."}, {"role": "user", "content": "Mend the tide."}],
    "info": {
        "exit_status": "submitted",
        "submission": "diff --git a b",
        "model_stats": {
            "instance_cost": 0.25,
            "total_cost": 9,
            "tokens_sent": 900,
            "tokens_received": 70,
            "api_calls": 3,
        },
    },
    "replay_config": json.dumps({"agent": {"model": {"name": "gpt-5"}}, "problem_statement": {"id": "tide__tide-1"}}),
}

MINI_SWE: dict[str, Any] = {
    "info": {
        "model_stats": {"instance_cost": 0.5, "api_calls": 2},
        "config": {"model": {"model_name": "openai/gpt-5"}},
        "mini_version": "2.4.6",
        "exit_status": "Submitted",
        "submission": "diff",
    },
    "messages": [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": "Mend the tide."},
        {
            "role": "assistant",
            "content": "Look.",
            "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
            "extra": {
                "timestamp": 1770000000.0,
                "response": {
                    "usage": {
                        "prompt_tokens": 100,
                        "completion_tokens": 10,
                        "prompt_tokens_details": {"cached_tokens": 60},
                    }
                },
            },
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "shown",
            "extra": {"raw_output": "tide.py", "returncode": 1, "timestamp": 1770000002.5},
        },
        {
            "role": "assistant",
            "content": "Done.",
            "extra": {"response": {"usage": {"prompt_tokens": 150, "completion_tokens": 5}}},
        },
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}

MINI_SWE_LIST: list[dict[str, Any]] = [
    {"role": "system", "content": "You mend."},
    {"role": "user", "content": "Mend the tide."},
    {"role": "assistant", "content": "Look.\n\n```mswea_bash_command\nls\n```"},
    {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"},
    {"role": "assistant", "content": "End.\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"},
    {"role": "user", "content": ""},
]

_USAGE = {"prompt_tokens": 500, "completion_tokens": 40, "cache_read_tokens": 300, "cache_write_tokens": 50}
OPENHANDS: dict[str, Any] = {
    "instance_id": "tide__tide-2",
    "test_result": {"git_patch": "diff", "report": {"resolved": True}},
    "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "openai/gpt-5"}, "max_iterations": 50},
    "history": [
        {
            "id": 0,
            "timestamp": "2026-01-02T10:00:00.5",
            "source": "agent",
            "action": "system",
            "args": {"openhands_version": "0.35.0"},
        },
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Mend the tide."}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "make", "thought": "Build it."}},
        {"id": 3, "cause": 2, "observation": "run", "content": "red", "extras": {"metadata": {"exit_code": 2}}},
        {"id": 4, "source": "agent", "action": "edit", "args": {"path": "/w/a.py", "command": "str_replace"}},
        {"id": 5, "cause": 4, "observation": "edit", "content": "done", "extras": {"diff": "--- a\n+++ b\n-x\n+y\n+z"}},
        {"id": 6, "source": "agent", "action": "edit", "args": {"path": "/w/b.py"}},
        {"id": 7, "cause": 6, "observation": "edit", "content": "ERROR:\nno such file", "extras": {}},
        {"id": 8, "source": "agent", "action": "finish", "args": {"final_thought": "All is green."}},
    ],
    "metrics": {"accumulated_cost": 0.3, "accumulated_token_usage": _USAGE, "token_usages": [{}, {}, {}]},
    "error": None,
    "instance": {},
}
OPENHANDS_SDK: dict[str, Any] = OPENHANDS | {
    "instance_id": "tide__tide-3",
    "test_result": {},
    "error": "RuntimeError: Agent reached maximum iteration",
    "history": [
        {"kind": "SystemPromptEvent", "source": "agent"},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": "Mend."}]}},
        {
            "kind": "ActionEvent",
            "source": "agent",
            "thought": [{"type": "text", "text": "Build it."}],
            "reasoning_content": "Hm.",
            "tool_name": "terminal",
            "tool_call_id": "t1",
            "action": {"kind": "ExecuteBashAction", "command": "make"},
        },
        {
            "kind": "ObservationEvent",
            "tool_call_id": "t1",
            "observation": {"content": [{"type": "text", "text": "red"}], "exit_code": 2, "is_error": False},
        },
        {"kind": "Condensation", "summary": "So far."},
    ],
}

SAMPLE: dict[str, Any] = {
    "id": 7,
    "epoch": 2,
    "input": "Mend the tide.",
    "target": "green",
    "messages": [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": "attachment://a1"},
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Build it."}],
            "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"cmd": "make"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "", "error": {"type": "timeout", "message": "too slow"}},
        {"role": "assistant", "content": "All is green."},
    ],
    "output": {"choices": [{"message": {"role": "assistant", "content": "All is green."}}]},
    "scores": {"match": {"value": "C"}, "speed": {"value": 2.5}},
    "model_usage": {
        "openai/gpt-5": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "input_tokens_cache_read": 60},
        "anthropic/claude-haiku-4-5": {
            "input_tokens": 10, "output_tokens": 5, "total_tokens": 45,
            "input_tokens_cache_read": 20, "input_tokens_cache_write": 10,
        },
    },
    "total_time": 12.5,
    "started_at": "2026-01-02T10:00:00+00:00",
    "uuid": "uTide1",
    "attachments": {"a1": "Mend the tide, please."},
}  # fmt: skip
INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "tides",
        "model": "openai/gpt-5",
        "config": {"epochs": 2},
        "packages": {"inspect_ai": "0.3.285"},
    },
    "results": {"scores": [{"name": "exact", "scorer": "exact", "metrics": {"accuracy": {"value": 1}}}]},
    "samples": [SAMPLE],
}

TRIAL: dict[str, Any] = {
    "trial_name": "tide.2-of-5.run",
    "task_id": "tide",
    "instruction": "Mend the tide.",
    "is_resolved": True,
    "failure_mode": "agent_timeout",
    "parser_results": {"test_tide": "passed"},
    "total_input_tokens": 0,
    "total_output_tokens": 0,
    "uuid": "0e1f",
    "trial_started_at": "2026-01-02T10:00:00+00:00",
    "agent_started_at": "2026-01-02T10:01:00+00:00",
    "agent_ended_at": "2026-01-02T10:02:30+00:00",
}
TRIALS: dict[str, Any] = {
    "id": "r1",
    "results": [
        TRIAL,
        TRIAL | {"uuid": "1e1f", "is_resolved": None, "total_input_tokens": 9, "total_output_tokens": 4},
    ],
    "n_resolved": 1,
}

HARBOR: dict[str, Any] = {
    "id": "5b6f",
    "task_name": "tide",
    "trial_name": "tide__abc",
    "trial_uri": "file:///jobs/tide__abc",
    "task_id": {"path": "tasks/tide"},
    "config": {},
    "agent_info": {"name": "claude-code", "version": "2.1.9", "model_info": {"name": "gpt-5", "provider": "openai"}},
    "agent_result": {"n_input_tokens": 100, "n_cache_tokens": 60, "n_output_tokens": 20, "cost_usd": 0.4},
    "verifier_result": {"rewards": {"reward": 0.5, "style": 1}},
    "exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "900 s"},
    "started_at": "2026-01-02T10:00:00Z",
    "finished_at": "2026-01-02T10:05:00Z",
    "agent_execution": {"started_at": "2026-01-02T10:01:00Z", "finished_at": "2026-01-02T10:02:00Z"},
}

ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "trajectory_id": "t-1",
    "agent": {"name": "goose", "version": "1.2", "model_name": "gpt-5"},
    "steps": [
        {
            "step_id": 1,
            "source": "agent",
            "message": "Before.",
            "is_copied_context": True,
            "metrics": {"prompt_tokens": 999},
        },
        {"step_id": 2, "timestamp": "2026-01-02T10:00:00Z", "source": "user", "message": "Mend the tide."},
        {
            "step_id": 3,
            "timestamp": "2026-01-02T10:00:05Z",
            "source": "agent",
            "message": [{"type": "text", "text": "Build it."}],
            "reasoning_content": "Hm.",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "make"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "green"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 60, "cost_usd": 0.1},
        },
        {"step_id": 4, "timestamp": "2026-01-02T10:00:09Z", "source": "agent", "message": "All is green."},
    ],
}

SUMMARY: dict[str, Any] = {
    "schema_version": "1.0",
    "meta": {
        "repo": "tid",
        "agent": "codex_cli",
        "model": "gpt-5",
        "task_id": "tide_core",
        "item_id": "tide_core-0007",
    },
    "commits": {"human": "0123456789abcdef", "pre": "fedcba98"},
    "agent": {"status": "success", "patch_generated": True, "duration_s": None},
    "_sources": {"journal": None},
}

JOURNAL: dict[str, Any] = {
    "task_id": "tide_core",
    "commits": {"human": "0123456789abcdef", "pre": "fedcba98"},
    "agent_branch": "agent/tide_core/01234567",
    "status": "success",
    "run_metadata": {"repo": "tid", "agent": "codex_cli", "model": "default"},
    "metrics": {"patch_size_loc": 2, "changed_files_count": 1},
    "codex_cli": {"cli": "codex", "time_budget_minutes": 60, "returncode": 0, "duration_s": 90.5},
    "timestamps": {"written": 1767348000.0},
}

CODEX_LOG = """OpenAI Codex v0.87.0 (research preview)
--------
workdir: /srv/tide
model: gpt-5
provider: openai
session id: 019b-77
--------
user
Make the tide faster.

mcp startup: no servers

thinking
**Looking**

codex
I look first.
exec
bash -lc 'make' in /srv/tide exited 2 in 6ms:
no rule for exec
file update
M /srv/tide/a.py
@@ -1 +1 @@
-x
+y

apply_patch(auto_approved=true) exited 0 in 7ms:
Success.
file update:
diff --git a/a.py b/a.py
codex
The tide is faster.
tokens used
12,345
"""

AIDER: dict[str, Any] = {
    "testdir": "/benchmarks/tide",
    "testcase": "tide",
    "model": "openai/gpt-5",
    "edit_format": "diff",
    "tests_outcomes": [False, True],
    "cost": 0.06,
    "duration": 33.6,
}


def _trae_call(id_: str, tool: str, **given: str) -> dict[str, Any]:
    return {"call_id": id_, "name": tool, "arguments": given, "id": f"fc-{id_}"}


def _trae_result(id_: str, result: str, *, success: bool = True) -> dict[str, Any]:
    return {"call_id": id_, "success": success, "result": result if success else "", "error": "" if success else result}


def _trae(*turns: tuple[str, list[dict[str, Any]], list[dict[str, Any]], tuple[int, ...]]) -> dict[str, Any]:
    """A trajectory of texts, calls, results and tokens: sent, read from the cache, received, reasoning."""
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens", "reasoning_tokens")
    answers, steps = [], []
    for number, (content, asked, results, counts) in enumerate(turns):
        usage = dict(zip(names, counts, strict=True)) | {"cache_creation_input_tokens": 0}
        said = {"content": content, "model": "gpt-5-2025-08-07", "finish_reason": "completed", "tool_calls": asked}
        prompt = [{"role": "system", "content": "Mend."}, {"role": "user", "content": "Mend the tide table."}]
        message = prompt if not number else [{"role": "user", "content": None, "tool_result": turns[number - 1][2][:1]}]
        at = {"timestamp": f"2026-05-01T08:00:{number * 10 + 5:02}.250000"}
        response = {"input_messages": message, "response": {**said, "usage": usage}, "tools_available": ["bash"]}
        answers.append({**at, "provider": "openai", "model": "gpt-5", **response})
        step = {"step_number": number + 1, "timestamp": f"2026-05-01T08:00:{number * 10 + 9:02}", "state": "completed"}
        made = {"tool_calls": asked if results else None, "tool_results": results or None}
        steps.append({**step, "llm_messages": message, "llm_response": said, **made, "reflection": None, "error": None})
    return {
        "task": "Mend the tide table.",
        "start_time": "2026-05-01T08:00:00.000000",
        "end_time": "2026-05-01T08:00:40.000000",
        "provider": "openai",
        "model": "gpt-5",
        "max_steps": 20,
        "llm_interactions": answers,
        "agent_steps": steps,
        "success": True,
        "final_result": "The table is right.",
        "execution_time": 40.0,
    }


_EDITOR = "str_replace_based_edit_tool"
TRAE = _trae(
    (
        "I look.",
        [_trae_call("c1", "bash", command="ls")],
        [_trae_result("c1", "no folder", success=False)],
        (90, 0, 9, 4),
    ),
    (
        "",
        [
            _trae_call("c2", _EDITOR, command="view", path="/repo/tide.py"),
            _trae_call("c3", _EDITOR, command="str_replace", path="/repo/tide.py", old_str="a", new_str="b"),
        ],
        [_trae_result("c2", "a"), _trae_result("c3", "edited")],
        (140, 90, 20, 0),
    ),
    ("", [_trae_call("c4", "task_done", message="The table is right.")], [], (200, 140, 6, 0)),
)


def zipped(members: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of JSON by name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, value in members.items():
            archive.writestr(zipfile.ZipInfo(name), json.dumps(value), method)
    return held.getvalue()


def eval_file(*samples: dict[str, Any], **log: Any) -> bytes:
    """An `.eval` of whole samples."""
    header = {key: value for key, value in INSPECT.items() if key != "samples"} | log
    named = {f"samples/{sample['id']}_epoch_{sample['epoch']}.json": sample for sample in samples}
    return zipped({"_journal/start.json": header, **named, "header.json": header})


def chunked_eval() -> bytes:
    """An `.eval` whose sample is in chunks."""
    header = {key: value for key, value in INSPECT.items() if key != "samples"}
    folder = "samples/7_epoch_2"
    shell = {key: value for key, value in SAMPLE.items() if key not in ("messages", "attachments")}
    first, rest = SAMPLE["messages"][:2], SAMPLE["messages"][2:]
    first = [first[0], first[1] | {"content": "attachment://0"}]
    return zipped(
        {
            "_journal/start.json": header,
            f"{folder}/sample.json": shell | {"message_refs": [[0, 2], [2, 5]]},
            f"{folder}/messages/0.json": first,
            f"{folder}/messages/2.json": rest,
            f"{folder}/attachments/0.json": ["Mend the tide, please."],
            f"{folder}/events/0.json": [{"event": "sample_init"}],
        }
    )


FILES: dict[str, bytes] = {
    "swe-agent.traj": json.dumps(SWE_AGENT).encode(),
    "mini-swe.traj.json": json.dumps(MINI_SWE).encode(),
    "mini-swe-list.traj.json": json.dumps(MINI_SWE_LIST).encode(),
    "openhands.jsonl": "".join(json.dumps(each) + "\n" for each in (OPENHANDS, OPENHANDS_SDK)).encode(),
    "inspect.json": json.dumps(INSPECT).encode(),
    "inspect.eval": eval_file(SAMPLE, SAMPLE | {"id": "tide-a", "epoch": 1, "uuid": "uTide2"}),
    "inspect-chunks.eval": chunked_eval(),
    "tb-trial.json": json.dumps(TRIAL).encode(),
    "tb-run.json": json.dumps(TRIALS).encode(),
    "harbor.json": json.dumps(HARBOR).encode(),
    "atif.json": json.dumps(ATIF).encode(),
    "iso-summary.json": json.dumps(SUMMARY).encode(),
    "iso-journal.json": json.dumps(JOURNAL).encode(),
    "codex.log": CODEX_LOG.encode(),
    "aider.json": json.dumps(AIDER).encode(),
    "trae.json": json.dumps(TRAE).encode(),
}
"""By name, as the corpus for fuzzing has them: `python -m tests.support.harness_runs` writes it."""


if __name__ == "__main__":
    from pathlib import Path

    for name, content in FILES.items():
        (Path(__file__).parent.parent / "corpus" / "reader" / name).write_bytes(content)
