"""Calls of tools in Codex's sessions: their inputs and answers, which are JSON in a text, or a text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sitegen.readers.common.records import object_of, text_of, texts_of

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,1000})$", re.MULTILINE)


def given_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input of a call, where it is JSON; else its text."""
    for name in ("arguments", "input", "action", "parameters"):
        value = item.get(name)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                paths = _PATCHED.findall(value[:1_000_000])
                return {"path": paths[0], "input": value} if paths else {"input": value}
        if isinstance(value, dict):
            return value
    return {}


def result_of(output: object) -> str:
    """The text of an answer, with its exit code where it is kept beside."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return str(output)
    if isinstance(output, dict):
        code = object_of(output, "metadata").get("exit_code")
        text = text_of(output, "output") or text_of(output, "content") or ""
        return f"Exit code: {code}\n{text}" if type(code) is int else text
    return texts_of(output)


def patch_of(changes: Mapping[str, Any]) -> tuple[str, frozenset[str]]:
    """The lines that a patch changed, after `+` and `-`, and the files."""
    lines: list[str] = []
    for change in changes.values():
        diff = text_of(change, "unified_diff") if isinstance(change, dict) else None
        lines += [line for line in (diff or "").split("\n") if line[:1] in ("+", "-")]
        added = text_of(change, "content") if isinstance(change, dict) and change.get("type") == "add" else None
        lines += [f"+{line}" for line in (added or "").splitlines()]
    return "\n".join(lines), frozenset(changes)
