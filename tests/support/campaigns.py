"""Small campaigns for tests: run files in the shape that `claude -p` prints, with texts of our own."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

SONNET, OPUS = "claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"

_RATES = {SONNET: (3, 15), OPUS: (5, 25)}  # USD per million tokens: input, output


def usage(model: str, number: int) -> dict[str, Any]:
    """What one model did in run `number`, at its list price."""
    counts = {
        "inputTokens": 100 * number,
        "cacheCreationInputTokens": 1_000 * number,
        "cacheReadInputTokens": 20_000 * number,
        "outputTokens": 300 * number,
    }
    rate, output = _RATES[model]
    cost = number * (100 * rate + 1_000 * 1.25 * rate + 20_000 * 0.1 * rate + 300 * output) / 1e6
    return {**counts, "webSearchRequests": 0, "costUSD": cost, "contextWindow": 200_000}


def result(number: int = 1, *models: str, **changes: Any) -> dict[str, Any]:
    """A result object; `number` scales its figures and makes its ids. A change to None leaves the field out."""
    ledger = {model: usage(model, number) for model in models or (SONNET,)}
    record = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 60_000 * number,
        "duration_api_ms": 50_000 * number,
        "num_turns": 4 * number,
        "result": f"## Cut the copy in loop {number}\n\nThe buffer is **reused** now.",
        "session_id": str(uuid.UUID(int=1_000 + number, version=4)),
        "total_cost_usd": sum(line["costUSD"] for line in ledger.values()),
        "usage": {
            "input_tokens": 100 * number,
            "cache_creation_input_tokens": 1_000 * number,
            "cache_read_input_tokens": 20_000 * number,
            "output_tokens": 300 * number,
            "cache_creation": {
                "ephemeral_1h_input_tokens": 0,
                "ephemeral_5m_input_tokens": 1_000 * number,
            },
        },
        "modelUsage": ledger,
        "permission_denials": [],
        "uuid": str(uuid.UUID(int=number, version=4)),
    }
    return {key: value for key, value in {**record, **changes}.items() if value is not None}


BARE: dict[str, None] = dict.fromkeys(
    ("modelUsage", "usage", "total_cost_usd", "num_turns", "duration_ms")
)
"""Changes of a result that leave it without figures."""


def bare(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A result without figures: no chart is drawn of it, which is most of the time that a small build takes."""
    return result(number, **{**BARE, **changes})


def write(folder: Path, files: dict[str, dict[str, Any] | str | bytes]) -> Path:
    """Write files by their path below `folder`: objects as JSON, text and bytes as they are. Returns the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            content = json.dumps(content, ensure_ascii=False)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
