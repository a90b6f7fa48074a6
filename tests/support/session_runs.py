"""Small sessions of aider, Pi, OpenClaw and Cline, made up.

`python -m tests.support.session_runs` writes them into the corpus.
"""

from __future__ import annotations

import json
from typing import Any

AIDER_CHAT = """
# aider chat started at 2026-03-01 09:00:00

> /usr/bin/aider --message Name the tide.

It rises twice a day.~~
> Aider v0.86.1~~
> Main model: anthropic/claude-sonnet-4-5 with architect edit format~~
> Editor model: openai/gpt-4o-mini with editor-diff edit format~~
> Weak model: openai/gpt-4o-mini~~
> Added tide.py to the chat.~~

#### Name the tide.~~
#### ~~
#### It rises twice a day.~~

Call it `spring`.

> This is a quotation.

#### A heading

> Tokens: 4.2k sent, 240 cache write, 1.9k cache hit, 120 received.
Cost: $0.01 message, $0.01 session.~~

#### Call it `spring`.~~
#### ~~
#### > This is a quotation.~~
#### ~~
#### #### A heading~~

tide.py
```python
<<<<<<< SEARCH
name = "tide"
rises = 2
=======
name = "spring"
rises = 2
>>>>>>> REPLACE
```

> Tokens: 1.0k sent, 80 received. Cost: $0.0042 message, $0.02 session.~~
> Applied edit to tide.py~~
> Commit 0a1b2c3 feat: name the tide~~
> make test~~
> Run shell command? (Y)es/(N)o [Yes]: y~~
> Running make test~~

#### /model openai/gpt-4o~~
> Main model: openai/gpt-4o with diff edit format~~

#### And the ebb?~~

<thinking-content-0a1b>
The ebb is the other way.
</thinking-content-0a1b>

tide.py
```python
<<<<<<< SEARCH
nothing like it
=======
ebb = 2
>>>>>>> REPLACE
```

> Tokens: 11k sent, 40 received. Cost: $0.0031 message, $0.02 session.~~
> The LLM did not conform to the edit format.~~
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in tide.py
nothing like it~~
> litellm.RateLimitError: RateLimitError: slow down~~
> The API provider has rate limited you. Try again later or check your quotas.~~

# aider chat started at 2026-03-01 10:00:00

> Aider v0.86.1~~
> Model: openai/local-7b with whole edit format~~

#### What is a tide?~~

Water that comes and
>~~
> ^C again to exit~~
""".replace("~~", "  ")


def _line(kind: str, id_: str, parent: str | None, second: int, **fields: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "id": id_,
        "parentId": parent,
        "timestamp": f"2026-03-01T09:00:{second:02}.000Z",
    } | fields


def pi_answer(
    id_: str, second: int, reason: str, *blocks: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    usage = {
        "input": 100,
        "output": 20,
        "cacheRead": 900,
        "cacheWrite": 50,
        "totalTokens": 1070,
        "cost": {"total": 0.01},
    }
    message = {
        "role": "assistant",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "usage": usage,
    }
    return _line(
        "message",
        id_,
        None,
        second,
        message=message | {"stopReason": reason, "content": [*blocks]} | fields,
    )


def pi_result(id_: str, second: int, text: str, **fields: Any) -> dict[str, Any]:
    message = {
        "role": "toolResult",
        "toolCallId": id_,
        "content": [{"type": "text", "text": text}],
        "isError": False,
    }
    return _line("message", f"r{id_}", None, second, message=message | fields)


def pi_call(id_: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": id_, "name": name, "arguments": given}


_ASKED = {"role": "user", "content": [{"type": "text", "text": "Name the tide."}]}
_HEADER = {
    "type": "session",
    "version": 3,
    "id": "5e-1",
    "timestamp": "2026-03-01T09:00:00.000Z",
    "cwd": "/srv/tide",
}
PI: list[dict[str, Any]] = [
    _HEADER,
    _line("model_change", "a1", None, 0, provider="anthropic", modelId="claude-sonnet-4-5"),
    _line("thinking_level_change", "a2", "a1", 0, thinkingLevel="low"),
    _line("custom", "a3", "a2", 0, customType="openclaw:context", data={"runId": "5e-1"}),
    _line("message", "a4", "a3", 1, message=_ASKED),
    pi_answer(
        "a5",
        3,
        "toolUse",
        {"type": "thinking", "thinking": "I look first."},
        {"type": "text", "text": "On it."},
        pi_call("c1", "exec", command="make test"),
        pi_call("c2", "edit", path="tide.py", oldText="a", newText="b"),
    ),
    pi_result(
        "c1",
        5,
        "red\n\n(Command exited with code 2)",
        details={"status": "completed", "exitCode": 2},
    ),
    pi_result("c2", 6, "Edited.", details={"diff": "-  1 a\n+  1 b\n+  2 c\n   3 d"}),
    _line("compaction", "a6", "a5", 8, summary="It was about the tide.", tokensBefore=1070),
    pi_answer(
        "a7", 9, "stop", {"type": "text", "text": "Called it spring."}, model="claude-opus-4-5"
    ),
]


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


START_MS = 1_767_644_900_000


def says(name: str, text: object, second: int, kind: str = "say", **fields: Any) -> dict[str, Any]:
    """A message of Cline's window."""
    said = text if isinstance(text, str) else json.dumps(text)
    model = {"providerId": "cline", "modelId": "anthropic/claude-sonnet-4.5", "mode": "act"}
    record = {
        "ts": START_MS + second * 1_000,
        "type": kind,
        kind: name,
        "text": said,
        "modelInfo": model,
    }
    return record | {"conversationHistoryIndex": second - 1} | fields


def requests(second: int, **fields: Any) -> dict[str, Any]:
    usage = {"tokensIn": 10, "tokensOut": 30, "cacheWrites": 200, "cacheReads": 1000, "cost": 0.02}
    return says("api_req_started", {"request": "<task>"} | usage | fields, second)


_BLOCK = "------- SEARCH\nname = 1\nrises = 2\n=======\nname = 3\nrises = 2\n+++++++ REPLACE"
CLINE: list[dict[str, Any]] = [
    says("text", "Name the tide.", 0),
    requests(1),
    says("reasoning", "I look first.", 3),
    says("text", "On it.", 4),
    says("tool", {"tool": "readFile", "path": "tide.py", "content": "/srv/tide.py"}, 5),
    requests(6),
    says("tool", {"tool": "editedExistingFile", "path": "tide.py", "content": _BLOCK}, 8, "ask"),
    says("tool", {"tool": "editedExistingFile", "path": "tide.py", "content": _BLOCK}, 9),
    requests(10),
    says("command", "make test", 11, "ask"),
    says("command_output", "red", 12, "ask"),
    says("command_output", "green", 13, "ask"),
    says("error_retry", {"attempt": 1, "maxAttempts": 3, "delaySeconds": 2}, 14),
    says("deleted_api_reqs", {"tokensIn": 5, "tokensOut": 6, "cost": 0.01}, 15),
    requests(16),
    says("completion_result", "Called it spring.", 18),
    says("completion_result", "", 19, "ask"),
]
FILES = {
    "aider-chat.md": AIDER_CHAT.encode(),
    "pi.jsonl": lines(PI),
    "cline.json": json.dumps(CLINE).encode(),
}
"""By name, as the corpus for fuzzing has them."""


if __name__ == "__main__":
    from pathlib import Path

    for name, content in FILES.items():
        (Path(__file__).parent.parent / "corpus" / "reader" / name).write_bytes(content)
