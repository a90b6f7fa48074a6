"""How a run ended, by the last error that its record has: the run's own limits, and what came from outside."""

from __future__ import annotations

import json

import pytest

from sitegen.model import Run, Status
from sitegen.readers.common.endings import ended_by
from sitegen.readers.run_file import RunFile
from tests.support.reading import read_source

FAILED, STOPPED = Status.FAILED, Status.STOPPED
ENDS: dict[str, tuple[Status, str]] = {
    "shared rollout token budget exhausted": (FAILED, "token limit"),
    "The token budget for this run was exceeded": (FAILED, "token limit"),
    "Token budget of 200,000 used up": (FAILED, "token limit"),
    "TokenBudgetExceeded": (FAILED, "token limit"),
    "token limit reached (500000)": (FAILED, "token limit"),
    "Agent exceeded its token limit": (FAILED, "token limit"),
    "max total tokens reached": (FAILED, "token limit"),
    "Budget exhausted": (FAILED, "budget limit"),
    "The budget for this task has been exceeded": (FAILED, "budget limit"),
    "Reached maximum budget ($5)": (FAILED, "cost limit"),
    "cost limit of $3 exceeded": (FAILED, "cost limit"),
    "Reached max turns (30)": (FAILED, "turn limit"),
    "context_length_exceeded": (FAILED, "context limit"),
    "Codex ran out of room in the model's context window": (FAILED, "context limit"),
    "The input token count (1048577) exceeds the maximum number of tokens allowed": (
        FAILED,
        "context limit",
    ),
    "Selected model is at capacity. Please try a different model.": (STOPPED, "API error"),
    "No capacity available for model gemini-3-pro on the server": (STOPPED, "API error"),
    "429 RESOURCE_EXHAUSTED: MODEL_CAPACITY_EXHAUSTED": (STOPPED, "API error"),
    '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}': (
        STOPPED,
        "API error",
    ),
    "The model is overloaded. Please try again later.": (STOPPED, "API error"),
    "We're currently experiencing high demand": (STOPPED, "API error"),
    "unexpected status 503": (STOPPED, "API error"),
    "ServiceUnavailableError": (STOPPED, "API error"),
    "Service Unavailable": (STOPPED, "API error"),
    "Server is busy, retry later": (STOPPED, "API error"),
    "exceeded retry limit, last status: 429 Too Many Requests": (STOPPED, "usage limit"),
    "You have exhausted your capacity on this model. Your quota will reset after 5h": (
        STOPPED,
        "usage limit",
    ),
    "You exceeded your current quota, please check your plan and billing details": (
        STOPPED,
        "usage limit",
    ),
    "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000": (
        STOPPED,
        "usage limit",
    ),
    "Your monthly token budget is exhausted": (STOPPED, "usage limit"),
    "Daily token limit reached": (STOPPED, "usage limit"),
    "spending limit of your organization reached": (STOPPED, "usage limit"),
    "Resource has been exhausted (e.g. check quota).": (STOPPED, "usage limit"),
    "organization has exceeded its token budget": (STOPPED, "usage limit"),
    "Your account ran out of token budget for this session": (STOPPED, "usage limit"),
    "The token budget of your organisation is used up": (STOPPED, "usage limit"),
    "Budget limit of this account reached": (STOPPED, "usage limit"),
    "maximum budget of the organization exceeded": (STOPPED, "usage limit"),
    "Your plan has exceeded its token limit": (STOPPED, "usage limit"),
    "Token limit reached: 1,000,000 per day": (STOPPED, "usage limit"),
    "You have exhausted your API credits": (STOPPED, "no credit"),
    "the plan names a budget for the account": (FAILED, "error"),
    "max turns of the account manager reached": (FAILED, "turn limit"),
    "Insufficient credits to continue": (STOPPED, "no credit"),
    "402 Payment Required": (STOPPED, "no credit"),
    "Your credit balance is too low": (STOPPED, "no credit"),
    "invalid type: expected a sequence": (FAILED, "error"),
    "the budget file is missing": (FAILED, "error"),
    "thinking.budget_tokens must be at least 1024": (FAILED, "error"),
    "Disk capacity is unknown": (FAILED, "error"),
}


@pytest.mark.parametrize("message", ENDS)
def test_message_of_an_error_says_how_a_run_ended(message: str) -> None:
    assert ended_by(message) == ENDS[message]


def run_of(*records: object) -> Run:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    (run,) = read_source(RunFile.of("run.jsonl", data), named=False) or ()
    return run


SAID = "The selected model is at capacity and its token budget is exhausted: 529 overloaded."
CODEX = (
    {"type": "thread.started", "thread_id": "0198d070-4da7"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": SAID}},
    {
        "type": "turn.completed",
        "usage": {"input_tokens": 5, "cached_input_tokens": 0, "output_tokens": 2},
    },
)
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 3,
    "duration_ms": 5,
    "duration_api_ms": 4,
    "result": SAID,
    "session_id": "0198d070-4da7",
    "total_cost_usd": 0.1,
}
STEP = {
    "type": "text",
    "timestamp": 1,
    "sessionID": "ses_1",
    "part": {"type": "text", "text": SAID, "id": "prt_1"},
}
FINISH = {
    "type": "step_finish",
    "timestamp": 2,
    "sessionID": "ses_1",
    "part": {
        "type": "step-finish",
        "reason": "stop",
        "cost": 0,
        "tokens": {"input": 1, "output": 1},
    },
}
GEMINI = (
    {"type": "init", "session_id": "s", "model": "m", "timestamp": "2026-01-01T00:00:00Z"},
    {"type": "message", "role": "assistant", "content": SAID, "timestamp": "2026-01-01T00:00:01Z"},
    {
        "type": "result",
        "status": "success",
        "stats": {"total_tokens": 2},
        "timestamp": "2026-01-01T00:00:02Z",
    },
)


@pytest.mark.parametrize(
    "records",
    [CODEX, (RESULT,), (STEP, FINISH), GEMINI],
    ids=["codex", "claude", "opencode", "gemini"],
)
def test_answer_that_quotes_such_a_message_is_no_end(records: tuple[object, ...]) -> None:
    run = run_of(*records)
    assert (run.status, run.status_detail) == (Status.OK, None)


@pytest.mark.parametrize(("message", "end"), ENDS.items())
def test_ends_of_codex(message: str, end: tuple[Status, str]) -> None:
    failed = {"type": "turn.failed", "error": {"message": message}}
    run = run_of(*CODEX[:3], {"type": "error", "message": message}, failed)
    assert (run.status, run.status_detail) == end


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Claude Opus is at capacity, try again later", (STOPPED, "API error")),
        ("API Error: 529 Overloaded", (STOPPED, "API error 529")),
        ("Opus is experiencing high load", (STOPPED, "API error")),
        ("Credit balance is too low", (STOPPED, "no credit")),
    ],
)
def test_ends_of_claude_code(text: str, end: tuple[Status, str]) -> None:
    run = run_of({**RESULT, "is_error": True, "result": text})
    assert (run.status, run.status_detail) == end


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (
            "Error code: 400 - {'message': 'messages.25.content.0.tool_result: content is empty'}",
            "HTTP 400 from its own messages",
        ),
        (
            "Error code: 400 - {'error': 'No tool output found for function call call_1.'}",
            "HTTP 400 from its own messages",
        ),
        ("Error code: 400 - bad request", "HTTP 400 error"),
        ("HTTP 404: no such model", "HTTP 404 error"),
        ("litellm.exceptions.BadRequestError: the words of others", "BadRequestError"),
        ("something else", "error"),
    ],
)
def test_other_errors_are_told_apart_without_their_words(error: str, detail: str) -> None:
    assert ended_by(error) == (FAILED, detail)
