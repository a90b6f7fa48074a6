"""Reads what `codex exec --json` prints: a thread, its turns, and items that begin and are completed.

The format names no model and no time. A turn's usage counts all that was sent, the part from the cache included, and
output with reasoning inside. Whether the usage of a later turn is its own or that of the thread so far differs by
version: where no figure ever falls it is taken as the thread's, else they are summed; the run says which. `turns` are
those of the user, of which a run of `codex exec` has one.

Read but no step: lists of what is to do, which change while the turn goes on. Plain logs without `--json` are not runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from sitegen.model import Status
from sitegen.readers.codex.rollout import usage_of
from sitegen.readers.common.records import object_of, objects_of, text_of, texts_of, words
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.trace import Trace
from sitegen.steps import StepKind

_SAID = words("agent_message assistant_message reasoning error todo_list")
_CALLS = {
    "command_execution": "command_execution",
    "file_change": "file_change",
    "web_search": "web_search",
    "mcp_tool_call": "",
    "collab_tool_call": "",
}
"""Items that are calls; a name of their own is in the item where there is none here."""


class CodexExec(Trace):
    """A thread: the stream of one process, or of several that went on with it."""

    title = "Codex stream"
    knows = words(
        "thread.started turn.started turn.completed turn.failed item.started item.updated item.completed error"
    )

    def __init__(self) -> None:
        super().__init__()
        self._usages: list[Counts] = []
        """Of each turn."""
        self._told: list[int] = []
        """What identifies each record of this process."""
        self._earlier: list[int] = []
        """The same of the process before it, as long as this one repeats it: ids begin anew in each."""

    def session(self, record: Mapping[str, Any]) -> str | None:
        return text_of(record, "thread_id") if record.get("type") == "thread.started" else None

    def take(self, record: Mapping[str, Any]) -> None:
        kind = record.get("type")
        if kind == "thread.started" and (thread := text_of(record, "thread_id")):
            self.is_known = True
            self.session_id = thread
            self.model, self.version = text_of(record, "model"), text_of(record, "cli_version")
            self.status, self.detail = Status.INTERRUPTED, None
            self._told, self._earlier = [], self._told
        elif self.session_id is None:
            return
        elif kind == "turn.started":
            self.status, self.detail = Status.INTERRUPTED, None
        elif self._is_repeated(record) and kind not in ("turn.failed", "error"):
            self.status = Status.OK if kind == "turn.completed" else self.status
        elif kind == "turn.completed":
            self.turns = (self.turns or 0) + 1
            self.status, self.detail = Status.OK, None
            self._usages.append(usage_of(object_of(record, "usage")))
            self.key(self.turns, *map(str, self._usages[-1]))
        elif kind in ("turn.failed", "error"):
            self._fail(record, is_turn=kind == "turn.failed")
        elif isinstance(kind, str) and kind.startswith("item."):
            self._take_item(object_of(record, "item"), is_completed=kind == "item.completed")

    def _is_repeated(self, record: Mapping[str, Any]) -> bool:
        """Whether all that the process told so far was told by the one before."""
        place = len(self._told)
        self._told.append(hash(json.dumps(record, sort_keys=True)))
        if self._earlier[place : place + 1] != self._told[-1:]:
            self._earlier = []
        return bool(self._earlier)

    def _fail(self, record: Mapping[str, Any], *, is_turn: bool) -> None:
        said = text_of(object_of(record, "error"), "message") or text_of(record, "message") or ""
        self.error(said)
        if is_turn:
            self.turns = (self.turns or 0) + 1
        if is_turn or self.status is Status.INTERRUPTED:
            self.status, self.detail = self.failure(said)

    def _take_item(self, item: Mapping[str, Any], *, is_completed: bool) -> None:
        kind, id_ = text_of(item, "type") or text_of(item, "item_type") or "", text_of(item, "id") or ""
        if kind in _CALLS:
            self._take_call(item, kind, id_, is_completed=is_completed)
        elif not is_completed:
            return
        elif kind in ("agent_message", "assistant_message") and (text := text_of(item, "text")):
            self.say(StepKind.TEXT, text)
        elif kind == "reasoning":
            self.say(StepKind.THINKING, text_of(item, "text") or "")
        elif kind == "error" and (text := text_of(item, "message")):
            self.say(StepKind.NOTICE, text)
        elif kind not in _SAID:
            self.strange(f"item {kind}")

    def _take_call(self, item: Mapping[str, Any], kind: str, id_: str, *, is_completed: bool) -> None:
        if not self.is_open(id_):
            self.ask(id_, _CALLS[kind] or text_of(item, "tool") or kind, _given(item, kind))
        if not is_completed:
            return
        status, error = item.get("status"), text_of(object_of(item, "error"), "message")
        result = text_of(item, "aggregated_output") or error or _result(item.get("result"))
        self.answer(
            id_,
            result,
            failed=status in ("failed", "declined") or error is not None,
            denied=status == "declined",
            exit_code=item.get("exit_code"),
            paths={path for change in objects_of(item, "changes") if (path := text_of(change, "path"))},
        )

    def end(self) -> None:
        known = [usage for usage in self._usages if usage.sent is not None or usage.output is not None]
        self.is_lower_bound |= len(known) < max(len(self._usages), 1)
        is_running = len(known) > 1 and all(_grows(*pair) for pair in pairwise(known))
        for usage in known[-1:] if is_running else known:
            self.counted(usage, context=False)
        if len(known) > 1:
            taken = "the last is the sum of all" if is_running else "they are summed"
            said = f"The thread has {len(known)} turns that count tokens; as they {'grow' if is_running else 'fall'}"
            self.caveats.add("W_MULTI_RESULT", f"{said}, {taken}.")
        if not self.ledger:
            self.caveats.add("W_NO_RESULT", "No turn was completed; what the run used is unknown.")


def _grows(before: Counts, after: Counts) -> bool:
    return (after.sent or 0) >= (before.sent or 0) and (after.output or 0) >= (before.output or 0)


def _given(item: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The input of a call, as the item has it."""
    if kind == "file_change":
        paths = [text_of(change, "path") for change in objects_of(item, "changes")]
        return {"path": paths[0] if len(paths) == 1 else paths}
    if kind == "mcp_tool_call":
        return {"server": item.get("server"), **object_of(item, "arguments")}
    return {name: item[name] for name in ("command", "query", "prompt") if name in item}


def _result(result: object) -> str:
    if isinstance(result, dict) and (text := texts_of(result.get("content"))):
        return text
    return "" if result is None else json.dumps(result, ensure_ascii=False)[:100_000]
