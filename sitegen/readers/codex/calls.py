"""Calls of tools in Codex's sessions: their inputs and answers, which are JSON in a text, or a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.readers.common.records import count_of, object_of, parsed, text_of, texts_of
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.tool_names import paths_of

_COUNTS = (
    *("input_tokens", "cached_input_tokens", "cache_write_input_tokens"),
    *("output_tokens", "reasoning_output_tokens", "", "total_tokens"),
)


def usage_of(usage: Mapping[str, Any]) -> Counts:
    """What a turn or a session used. Its models have no price for cache writes, so these are zero where none are
    stated."""
    counts = Counts(*(count_of(usage, name) for name in _COUNTS))
    return counts._replace(written=counts.written or 0)


def less(total: Counts, before: Counts) -> Counts:
    """By what a total grew, count by count, where it states one; nothing where it fell."""
    pairs = zip(total, before, strict=True)
    return Counts(*(None if count is None else max(count - (known or 0), 0) for count, known in pairs))


def given_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input of a call, where it is JSON; else its text."""
    for name in ("arguments", "input", "action", "parameters"):
        value = parsed(item.get(name))
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value == item[name]:
            paths = sorted(paths_of({"input": value}, is_edit=True))
            return {"path": paths[0], "input": value} if paths else {"input": value}
    return {}


def result_of(output: object) -> str:
    """The text of an answer, with its exit code where it is kept beside."""
    if isinstance(output, str) and output.startswith("{"):
        output = parsed(output)
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


@dataclass(frozen=True, slots=True)
class Done:
    """A call as an item of the newer form has it: `CommandExecution`, `FileChange` and others."""

    name: str
    given: Mapping[str, Any]
    result: str = ""
    exit_code: object = None
    failed: bool = False
    denied: bool = False
    changes: str = ""
    paths: frozenset[str] = frozenset()


def done_of(kind: str, item: Mapping[str, Any]) -> Done | None:
    """The call in an item, by its kind in small letters; None where it is none."""
    failed, denied = item.get("status") in ("failed", "declined"), item.get("status") == "declined"
    error = text_of(object_of(item, "error"), "message")
    if kind == "commandexecution":
        said = text_of(item, "aggregated_output") or "\n".join(
            filter(None, (text_of(item, "stdout"), text_of(item, "stderr")))
        )
        code, command = item.get("exit_code"), {"command": item.get("command")}
        return Done("command_execution", command, said, code, failed, denied)
    if kind == "filechange":
        changes, paths = patch_of(object_of(item, "changes"))
        given = {"path": next(iter(sorted(paths)), None)}
        return Done("file_change", given, error or "", None, failed, denied, changes, paths)
    if kind == "mcptoolcall":
        given = {"server": item.get("server"), **object_of(item, "arguments")}
        said = error or texts_of(object_of(item, "result").get("content"))
        return Done(text_of(item, "tool") or "mcp", given, said, None, failed or error is not None, denied)
    if kind in ("websearch", "extension"):
        return Done(text_of(item, "kind") or "web_search", {"query": item.get("query")}, failed=failed)
    return None
