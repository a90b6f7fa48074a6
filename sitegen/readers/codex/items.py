"""Calls of tools and counts of tokens as Codex writes them, in streams and in sessions."""

from collections.abc import Iterator
from typing import NamedTuple

from sitegen.readers.common.fields import compact
from sitegen.readers.common.records import (
    Record,
    object_of,
    objects_of,
    parsed,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    texts_of,
    value_at,
)
from sitegen.readers.common.stated import Counts, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.tool_names import paths_of

_COUNTS = "input_tokens cached_input_tokens cache_write_input_tokens output_tokens reasoning_output_tokens - total_tokens"


class Patch(NamedTuple):
    """The lines that a patch changed, after `+` and `-`, and the files."""

    changes: str = ""
    paths: frozenset[str] = frozenset()


def usage_of(usage: Record) -> Counts:
    """Return what a turn or a session used. Its models have no price for cache writes, so these are zero where none are
    stated."""
    counts = counts_of(usage, _COUNTS)
    return counts._replace(written=counts.written or 0)


def growth(total: Counts, before: Counts) -> Counts:
    """Return how much a total grew, count by count, where it states one; nothing where it fell."""
    return Counts(*map(_growth, total, before))


def _growth(count: int | None, before: int | None) -> int | None:
    return None if count is None else max(count - (before or 0), 0)


def input_of(item: Record) -> Record:
    """Return the input of a call, where it is JSON; else its text."""
    for name in ("arguments", "input", "action", "parameters"):
        value = parsed(item.get(name))
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value == item[name]:
            paths = sorted(paths_of({"input": value}, is_edit=True))
            return {"path": paths[0], "input": value} if paths else {"input": value}
    return {}


def output_text(output: object) -> str:
    """Return the text of a result, with its exit code where it is kept beside."""
    if isinstance(output, str) and output.startswith("{"):
        output = parsed(output)
    if not isinstance(output, dict):
        return texts_of(output)
    code = value_at(output, "metadata.exit_code")
    text = text_of(output, "output") or text_or_empty(output, "content")
    return f"Exit code: {code}\n{text}" if type(code) is int else text


def patch_of(changes: Record) -> Patch:
    """Return the patch that a record has by file."""
    lines: list[str] = []
    for change in changes.values():
        if isinstance(change, dict):
            lines += _changed_lines(change)
    return Patch("\n".join(lines), frozenset(changes))


def _changed_lines(change: Record) -> Iterator[str]:
    for line in text_or_empty(change, "unified_diff").split("\n"):
        if line[:1] in ("+", "-"):
            yield line
    if change.get("type") == "add":
        for line in text_or_empty(change, "content").splitlines():
            yield f"+{line}"


def call_of(kind: str, item: Record) -> tuple[str, Record] | None:
    """Return the tool and the input of the call in an item, by its kind in small letters without `_`; None where it is
    none."""
    if kind == "commandexecution":
        return "command_execution", {"command": item.get("command")}
    if kind == "filechange":
        paths = _file_patch(item).paths
        return "file_change", {"path": next(iter(paths)) if len(paths) == 1 else sorted(paths)}
    if kind == "mcptoolcall":
        arguments = {"server": item.get("server"), **object_of(item, "arguments")}
        return text_of(item, "tool") or kind, arguments
    if kind == "collabtoolcall":
        return text_of(item, "tool") or kind, {"prompt": item.get("prompt")}
    if kind in ("websearch", "extension"):
        return text_of(item, "kind") or "web_search", {"query": item.get("query")}
    return None


def result_of(kind: str, item: Record, id_: str, ms: int | None = None) -> ToolResult:
    """Return the result of the call in an item."""
    is_declined = item.get("status") == "declined"
    failed = is_declined or item.get("status") == "failed"
    error = text_at(item, "error.message")
    result = ToolResult(id_, "", ms, failed, is_declined)
    if kind == "commandexecution":
        return result._replace(text=_printed(item), exit_code=item.get("exit_code"))
    if kind == "filechange":
        changes, paths = _file_patch(item)
        return result._replace(text=error or "", changes=changes, paths=paths)
    if kind in ("mcptoolcall", "collabtoolcall"):
        return result._replace(text=error or _answer(item), failed=failed or error is not None)
    return result._replace(denied=False)


def _printed(item: Record) -> str:
    streams = (text_of(item, "stdout"), text_of(item, "stderr"))
    return text_of(item, "aggregated_output") or "\n".join(filter(None, streams))


def _answer(item: Record) -> str:
    result = item.get("result")
    text = texts_in(object_of(item, "result"), "content")
    return text or ("" if result is None else compact(result))


def _file_patch(item: Record) -> Patch:
    listed: dict[str, Record] = {}
    for change in objects_of(item, "changes"):
        if path := text_of(change, "path"):
            listed[path] = change
    return patch_of(object_of(item, "changes") or listed)
