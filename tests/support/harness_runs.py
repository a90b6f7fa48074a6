"""Files of programs that run agents on benchmarks, as small as they can be."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from typing import Any

SWE_AGENT: dict[str, Any] = {
    "environment": "main",
    "trajectory": [
        {
            "action": "open src/tide.py",
            "observation": "1: x",
            "response": "r",
            "thought": "Look first.",
            "state": "{}",
        },
        {
            "action": "edit 1:1\ny\nend_of_edit",
            "observation": "ok",
            "thought": "Change it.",
            "state": {"open_file": "/repo/src/tide.py"},
        },
        {
            "action": "submit",
            "observation": "diff",
            "thought": "It works now.",
            "execution_time": 0.5,
        },
    ],
    "history": [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": "Mend the tide."},
    ],
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
    "replay_config": json.dumps(
        {"agent": {"model": {"name": "gpt-5"}}, "problem_statement": {"id": "tide__tide-1"}}
    ),
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
            "tool_calls": [
                {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
            ],
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
    {
        "role": "assistant",
        "content": "End.\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```",
    },
    {"role": "user", "content": ""},
]

_USAGE = {
    "prompt_tokens": 500,
    "completion_tokens": 40,
    "cache_read_tokens": 300,
    "cache_write_tokens": 50,
}
OPENHANDS: dict[str, Any] = {
    "instance_id": "tide__tide-2",
    "test_result": {"git_patch": "diff", "report": {"resolved": True}},
    "metadata": {
        "agent_class": "CodeActAgent",
        "llm_config": {"model": "openai/gpt-5"},
        "max_iterations": 50,
    },
    "history": [
        {
            "id": 0,
            "timestamp": "2026-01-02T10:00:00.5",
            "source": "agent",
            "action": "system",
            "args": {"openhands_version": "0.35.0"},
        },
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Mend the tide."}},
        {
            "id": 2,
            "source": "agent",
            "action": "run",
            "args": {"command": "make", "thought": "Build it."},
        },
        {
            "id": 3,
            "cause": 2,
            "observation": "run",
            "content": "red",
            "extras": {"metadata": {"exit_code": 2}},
        },
        {
            "id": 4,
            "source": "agent",
            "action": "edit",
            "args": {"path": "/w/a.py", "command": "str_replace"},
        },
        {
            "id": 5,
            "cause": 4,
            "observation": "edit",
            "content": "done",
            "extras": {"diff": "--- a\n+++ b\n-x\n+y\n+z"},
        },
        {"id": 6, "source": "agent", "action": "edit", "args": {"path": "/w/b.py"}},
        {
            "id": 7,
            "cause": 6,
            "observation": "edit",
            "content": "ERROR:\nno such file",
            "extras": {},
        },
        {
            "id": 8,
            "source": "agent",
            "action": "finish",
            "args": {"final_thought": "All is green."},
        },
    ],
    "metrics": {
        "accumulated_cost": 0.3,
        "accumulated_token_usage": _USAGE,
        "token_usages": [{}, {}, {}],
    },
    "error": None,
    "instance": {},
}
OPENHANDS_SDK: dict[str, Any] = OPENHANDS | {
    "instance_id": "tide__tide-3",
    "test_result": {},
    "error": "RuntimeError: Agent reached maximum iteration",
    "history": [
        {"kind": "SystemPromptEvent", "source": "agent"},
        {
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"content": [{"type": "text", "text": "Mend."}]},
        },
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
            "observation": {
                "content": [{"type": "text", "text": "red"}],
                "exit_code": 2,
                "is_error": False,
            },
        },
        {"kind": "Condensation", "summary": "So far."},
    ],
}


def _event(number: int, kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    at = f"2026-05-01T08:00:{number:02}.500000"
    return {"id": f"ev-{number}", "timestamp": at, "source": source, **more, "kind": kind}


def usage_of(sent: int, read: int, output: int, cost: float = 0.0) -> dict[str, Any]:
    """What a model was used for until then, as a state has it."""
    tokens = {
        "prompt_tokens": sent,
        "cache_read_tokens": read,
        "cache_write_tokens": 0,
        "completion_tokens": output,
    }
    return {"model_name": "moon-3", "accumulated_cost": cost, "accumulated_token_usage": tokens}


def _said(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _stats(number: int, **uses: Any) -> dict[str, Any]:
    value = {"usage_to_metrics": uses}
    return _event(number, "ConversationStateUpdateEvent", "environment", key="stats", value=value)


def _acted(number: int, answer: str, tool: str, **action: Any) -> dict[str, Any]:
    call = {"tool_name": tool, "tool_call_id": f"c{number}", "llm_response_id": answer}
    return _event(
        number,
        "ActionEvent",
        thought=_said("Look."),
        reasoning_content="Hm.",
        action=action,
        **call,
    )


def _observed(number: int, call: int, text: str, **more: Any) -> dict[str, Any]:
    found = {"content": _said(text), "is_error": False, **more}
    return _event(
        number, "ObservationEvent", "environment", tool_call_id=f"c{call}", observation=found
    )


EVENTS: list[dict[str, Any]] = [
    _event(0, "SystemPromptEvent", system_prompt={"text": "You mend."}),
    _event(
        1, "MessageEvent", "user", llm_message={"role": "user", "content": _said("Mend the tide.")}
    ),
    _acted(2, "r1", "terminal", command="make", kind="TerminalAction"),
    _acted(3, "r1", "file_editor", command="str_replace", path="tide.c", kind="FileEditorAction"),
    _observed(4, 2, "red", exit_code=2),
    _observed(5, 3, "ok"),
    _stats(6, default=usage_of(100, 60, 9, 0.25), condenser=usage_of(0, 0, 0)),
    _acted(7, "r2", "finish", message="All is green.", kind="FinishAction"),
    _stats(8, default=usage_of(250, 190, 19, 0.5), condenser=usage_of(40, 0, 4, 0.125)),
    _event(
        9, "ConversationStateUpdateEvent", "environment", key="execution_status", value="finished"
    ),
]
BASE_STATE: dict[str, Any] = {
    "id": "c0ffee",
    "agent": {
        "llm": {"model": "moon-3", "api_key": "**********"},
        "tools": [{"name": "terminal"}],
        "kind": "Agent",
    },
    "workspace": {"working_dir": "/workspace/tide", "kind": "LocalWorkspace"},
    "max_iterations": 500,
    "execution_status": "finished",
    "confirmation_policy": {"kind": "NeverConfirm"},
    "stats": {
        "usage_to_metrics": {
            "default": usage_of(250, 190, 19, 0.5),
            "condenser": usage_of(40, 0, 4, 0.125),
        }
    },
    "secret_registry": {"secret_sources": {}},
    "agent_state": {},
}


def event_folder(folder: str = "c0ffee") -> dict[str, bytes]:
    """The files of a conversation, by their paths."""
    events = {
        f"{folder}/events/event-{number:05}-{event['id']}.json": json.dumps(event).encode()
        for number, event in enumerate(EVENTS)
    }
    return {f"{folder}/base_state.json": json.dumps(BASE_STATE).encode(), **events}


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
            "content": [
                {"type": "reasoning", "reasoning": "Hm."},
                {"type": "text", "text": "Build it."},
            ],
            "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"cmd": "make"}}],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "",
            "error": {"type": "timeout", "message": "too slow"},
        },
        {"role": "assistant", "content": "All is green."},
    ],
    "output": {"choices": [{"message": {"role": "assistant", "content": "All is green."}}]},
    "scores": {"match": {"value": "C"}, "speed": {"value": 2.5}},
    "model_usage": {
        "openai/gpt-5": {
            "input_tokens": 100,
            "output_tokens": 20,
            "total_tokens": 120,
            "input_tokens_cache_read": 60,
        },
        "anthropic/claude-haiku-4-5": {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 45,
            "input_tokens_cache_read": 20,
            "input_tokens_cache_write": 10,
        },
    },
    "total_time": 12.5,
    "started_at": "2026-01-02T10:00:00+00:00",
    "uuid": "uTide1",
    "attachments": {"a1": "Mend the tide, please."},
}
INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "tides",
        "model": "openai/gpt-5",
        "config": {"epochs": 2},
        "packages": {"inspect_ai": "0.3.285"},
    },
    "results": {
        "scores": [{"name": "exact", "scorer": "exact", "metrics": {"accuracy": {"value": 1}}}]
    },
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
        TRIAL
        | {"uuid": "1e1f", "is_resolved": None, "total_input_tokens": 9, "total_output_tokens": 4},
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
    "agent_info": {
        "name": "claude-code",
        "version": "2.1.9",
        "model_info": {"name": "gpt-5", "provider": "openai"},
    },
    "agent_result": {
        "n_input_tokens": 100,
        "n_cache_tokens": 60,
        "n_output_tokens": 20,
        "cost_usd": 0.4,
    },
    "verifier_result": {"rewards": {"reward": 0.5, "style": 1}},
    "exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "900 s"},
    "started_at": "2026-01-02T10:00:00Z",
    "finished_at": "2026-01-02T10:05:00Z",
    "agent_execution": {
        "started_at": "2026-01-02T10:01:00Z",
        "finished_at": "2026-01-02T10:02:00Z",
    },
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
        {
            "step_id": 2,
            "timestamp": "2026-01-02T10:00:00Z",
            "source": "user",
            "message": "Mend the tide.",
        },
        {
            "step_id": 3,
            "timestamp": "2026-01-02T10:00:05Z",
            "source": "agent",
            "message": [{"type": "text", "text": "Build it."}],
            "reasoning_content": "Hm.",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "make"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "green"}]},
            "metrics": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "cached_tokens": 60,
                "cost_usd": 0.1,
            },
        },
        {
            "step_id": 4,
            "timestamp": "2026-01-02T10:00:09Z",
            "source": "agent",
            "message": "All is green.",
        },
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
    return {
        "call_id": id_,
        "success": success,
        "result": result if success else "",
        "error": "" if success else result,
    }


def _trae(
    *turns: tuple[str, list[dict[str, Any]], list[dict[str, Any]], tuple[int, ...]],
) -> dict[str, Any]:
    """A trajectory of texts, calls, results and tokens: sent, read from the cache, received, reasoning."""
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens", "reasoning_tokens")
    answers, steps = [], []
    for number, (content, asked, results, counts) in enumerate(turns):
        usage = dict(zip(names, counts, strict=True)) | {"cache_creation_input_tokens": 0}
        said = {
            "content": content,
            "model": "gpt-5-2025-08-07",
            "finish_reason": "completed",
            "tool_calls": asked,
        }
        prompt = [
            {"role": "system", "content": "Mend."},
            {"role": "user", "content": "Mend the tide table."},
        ]
        message = (
            prompt
            if not number
            else [{"role": "user", "content": None, "tool_result": turns[number - 1][2][:1]}]
        )
        at = {"timestamp": f"2026-05-01T08:00:{number * 10 + 5:02}.250000"}
        response = {
            "input_messages": message,
            "response": {**said, "usage": usage},
            "tools_available": ["bash"],
        }
        answers.append({**at, "provider": "openai", "model": "gpt-5", **response})
        step = {
            "step_number": number + 1,
            "timestamp": f"2026-05-01T08:00:{number * 10 + 9:02}",
            "state": "completed",
        }
        made = {"tool_calls": asked if results else None, "tool_results": results or None}
        steps.append(
            {
                **step,
                "llm_messages": message,
                "llm_response": said,
                **made,
                "reflection": None,
                "error": None,
            }
        )
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
            _trae_call(
                "c3", _EDITOR, command="str_replace", path="/repo/tide.py", old_str="a", new_str="b"
            ),
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


def promptfoo_entry(test: int, column: int, *, passed: bool, repeat: int = 0) -> dict[str, Any]:
    """What a provider answered to a test about a tide."""
    said = "Assertion passed" if passed else "Expected output to contain low"
    usage = {
        "prompt": 20 + test,
        "completion": 8,
        "total": 28 + test,
        "completionDetails": {"reasoning": 3},
    }
    assertion = {"type": "contains", "value": "low"}
    grade = {"pass": passed, "score": int(passed), "reason": said}
    described = {"description": "says when the water is low"} if test == 0 else {}
    return {
        "id": f"e{test}{column}{repeat}",
        "testIdx": test * 2 + repeat,
        "promptIdx": column,
        "promptId": "p1",
        "provider": {"id": f"openai:chat:moon-{column + 1}", "label": ""},
        "prompt": {
            "raw": f"When is low water at pier {test}?",
            "label": "When is low water at pier {{pier}}?",
        },
        "vars": {"pier": f"pier {test}"},
        "testCase": described | {"vars": {"pier": f"pier {test}"}, "assert": [assertion]},
        "response": {
            "output": f"Low at {test} o'clock.",
            "tokenUsage": usage,
            "cost": 0.02,
            "cached": False,
        },
        "cost": 0.02,
        "latencyMs": 1500,
        "score": int(passed),
        "success": passed,
        "failureReason": 0 if passed else 1,
        **({} if passed else {"error": said}),
        "gradingResult": grade | {"componentResults": [grade | {"assertion": assertion}]},
        "namedScores": {"tone": 0.5},
        "metadata": {"reviewer": "nobody"},
    }


PROMPTFOO = {
    "evalId": "eval-Tide-2026-05-01T08:00:00",
    "results": {
        "version": 3,
        "timestamp": "2026-05-01T08:00:00.000Z",
        "prompts": [
            {"id": "p1", "raw": "When?", "label": "When?", "provider": f"openai:chat:moon-{n}"}
            for n in (1, 2)
        ],
        "results": [
            promptfoo_entry(test, column, passed=test > column)
            for test in (1, 0)
            for column in (0, 1)
        ],
        "stats": {"successes": 1, "failures": 3, "errors": 0},
    },
    "config": {"providers": ["openai:chat:moon-1", "openai:chat:moon-2"]},
    "shareableUrl": None,
    "metadata": {"promptfooVersion": "0.122.0", "nodeVersion": "v24.8.0"},
}

GO_TABLES = (
    "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL)",
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, prompt_tokens INTEGER, "
    "completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER, summary_message_id TEXT)",
    "CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL, "
    "model TEXT, created_at INTEGER, updated_at INTEGER, finished_at INTEGER, provider TEXT)",
)
GO_BEGAN = 1_770_000_000
"""Seconds."""


def go_session(
    database: sqlite3.Connection, id_: str, parent: str | None, cost: float, *turns: Any
) -> None:
    """A session whose turns are texts of the user, and lists of parts of an answer."""
    row = (id_, parent, "Tides", 400, 30, cost, GO_BEGAN + 60, GO_BEGAN)
    database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", row)
    for at, turn in enumerate(turns):
        is_prompt, is_answer = (
            isinstance(turn, str),
            isinstance(turn, list) and turn[0][0] == "tool_result",
        )
        parts = (
            [("text", {"text": turn}), ("finish", {"reason": "stop", "time": 0})]
            if is_prompt
            else turn
        )
        text = json.dumps([{"type": kind, "data": data} for kind, data in parts])
        role = "user" if is_prompt else "tool" if is_answer else "assistant"
        model = "moon-3" if role == "assistant" else ""
        values = (f"{id_}-{at}", id_, role, text, model, GO_BEGAN + at, GO_BEGAN + at)
        database.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, NULL, 'tide')", values)


def go_call(id_: str, name: str, **given: Any) -> tuple[str, dict[str, Any]]:
    return "tool_call", {
        "id": id_,
        "name": name,
        "input": json.dumps(given),
        "type": "function",
        "finished": True,
    }


def go_result(
    id_: str, said: str, *, failed: bool = False, **more: Any
) -> tuple[str, dict[str, Any]]:
    return "tool_result", {
        "tool_call_id": id_,
        "name": "",
        "content": said,
        "metadata": json.dumps(more),
        "is_error": failed,
    }


def finished(reason: str, **more: str) -> tuple[str, dict[str, Any]]:
    return "finish", {"reason": reason, "time": GO_BEGAN + 9, **more}


def crush_db(last: str = "end_turn", **more: str) -> bytes:
    """The database of Crush with a session that started a subagent, in the form that SQLite has."""
    with closing(sqlite3.connect(":memory:")) as database:
        for table in GO_TABLES:
            database.execute(table)
        calls = [
            go_call("c1", "bash", command="make tides"),
            go_call("c2", "edit", file_path="tide.c", old_string="a"),
        ]
        results = [
            go_result("c1", "no", failed=True),
            go_result("c2", "ok", additions=3, removals=1, old_content="a"),
        ]
        ask = [
            ("reasoning", {"thinking": "Where?"}),
            go_call("c3", "agent", prompt="Look."),
            finished("tool_use"),
        ]
        told = [("text", {"text": "Sorted."}), finished(last, **more)]
        own = (
            "Sort the tides.",
            [*calls, finished("tool_use")],
            results,
            ask,
            [go_result("c3", "There.")],
            told,
        )
        go_session(database, "s1", None, 0.75, *own)
        go_session(
            database,
            "c3",
            "s1",
            0.25,
            "Look.",
            [("text", {"text": "There."}), finished("end_turn")],
        )
        database.commit()
        return bytes(database.serialize())


FILES: dict[str, bytes] = {
    "swe-agent.traj": json.dumps(SWE_AGENT).encode(),
    "mini-swe.traj.json": json.dumps(MINI_SWE).encode(),
    "mini-swe-list.traj.json": json.dumps(MINI_SWE_LIST).encode(),
    "openhands.jsonl": "".join(
        json.dumps(each) + "\n" for each in (OPENHANDS, OPENHANDS_SDK)
    ).encode(),
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
    "openhands-events.jsonl": "".join(json.dumps(event) + "\n" for event in EVENTS).encode(),
    "openhands-state.json": json.dumps(BASE_STATE).encode(),
    "promptfoo.json": json.dumps(PROMPTFOO).encode(),
}
"""By name, as the corpus for fuzzing has them: `python -m tests.support.harness_runs` writes it."""


if __name__ == "__main__":
    from pathlib import Path

    for name, content in {**FILES, "crush.db": crush_db()}.items():
        (Path(__file__).parent.parent / "corpus" / "reader" / name).write_bytes(content)
