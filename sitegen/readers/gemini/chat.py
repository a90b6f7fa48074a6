"""Reads the chats that gemini-cli keeps: `~/.gemini/tmp/<project>/chats/session-*.json`, and `.jsonl` of 2026.

A message states what it used. In a `.jsonl` a message may be written again, with more of it: the last line of an id
counts, as long as fewer than MAX_HELD other messages stand between. What was taken back (`$rewindTo`) was used and
counts. `turns` are messages of the model. No line says how a chat ended: it did where the model spoke last and called
no tool. The `.jsonl` form was never seen on a real file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sitegen.model import Status
from sitegen.readers.common.records import count_of, object_of, objects_of, text_of, texts_of
from sitegen.readers.common.stated import Counts, Reading
from sitegen.readers.common.trace import Trace
from sitegen.steps import StepKind

MAX_HELD = 20
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_COUNTS = ("input", "cached", "output", "thoughts", "tool", "total")
_CONTEXT = "<session_context>"
"""What the program puts before the first prompt."""


class GeminiChat(Trace):
    """A chat, message by message."""

    title = "Gemini CLI chat"
    usage_follows = True
    reads = Reading(output_includes_reasoning=False)

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[str, Mapping[str, Any]] = {}
        self._told: set[str] = set()

    def session(self, record: Mapping[str, Any]) -> str | None:
        return text_of(record, "sessionId") if "projectHash" in record else None

    def take(self, record: Mapping[str, Any]) -> None:
        if not self.is_known:
            if not isinstance(record.get("sessionId"), str) or not isinstance(record.get("projectHash"), str):
                return
            self.is_known = True
            self.session_id = text_of(record, "sessionId")
            self.started_ms = self.time(record.get("startTime"))
            if record.get("kind") == "subagent":
                # It lies in a folder called by the session of its parent, or shares that session's id.
                is_below = _ID.fullmatch(self.above) is not None
                self.agent_id = self.session_id if is_below else self.name
                self.session_id = self.above if is_below else self.session_id
        self.session_title = (
            text_of(record, "summary") or text_of(object_of(record, "$set"), "summary") or self.session_title
        )
        for message in [*objects_of(record, "messages"), *objects_of(object_of(record, "$set"), "messages")]:
            self._hold(message)
        if "type" in record and "id" in record:
            self._hold(record)

    def _hold(self, message: Mapping[str, Any]) -> None:
        id_ = text_of(message, "id") or f"#{len(self._told) + len(self._held)}"
        if id_ in self._told:
            self.caveats.add("W_LIMIT", "Messages that were written again much later count as they were first.")
            return
        self._held[id_] = message
        if len(self._held) > MAX_HELD:
            first = next(iter(self._held))
            self._tell(first, self._held.pop(first))

    def _tell(self, id_: str, message: Mapping[str, Any]) -> None:
        self._told.add(id_)
        self.key(text_of(message, "id"), text_of(message, "timestamp"))
        kind, at = message.get("type"), self.time(message.get("timestamp"))
        text = texts_of(message.get("content"))
        if kind == "user" and text.strip() and not text.startswith(_CONTEXT):
            self.resumed(at)
            self.say(StepKind.PROMPT, text, at)
            self.status = Status.INTERRUPTED
        elif kind == "gemini":
            self._tell_answer(id_, message, text, self.at(at))
        elif kind == "error" and text.strip():
            self.error(text, self.at(at))
            self.status, self.detail = self.failure(text)
        elif kind in ("info", "warning") and text.strip():
            self.say(StepKind.NOTICE, text, self.at(at))

    def _tell_answer(self, id_: str, message: Mapping[str, Any], text: str, at: int | None) -> None:
        self.turns = (self.turns or 0) + 1
        self.model = text_of(message, "model") or self.model
        for thought in objects_of(message, "thoughts"):
            said = (text_of(thought, "subject"), text_of(thought, "description"))
            self.say(StepKind.THINKING, ": ".join(filter(None, said)), self.time(thought.get("timestamp")), id_)
        if text.strip():
            self.say(StepKind.TEXT, text, at, id_)
        calls = objects_of(message, "toolCalls")
        for number, call in enumerate(calls):
            self._tell_call(call, text_of(call, "id") or f"{id_}#{number}", at, id_)
        tokens = object_of(message, "tokens")
        if tokens:
            sent, read, *rest = (count_of(tokens, name) for name in _COUNTS)
            self.counted(Counts(sent, read, 0, *rest))
        self.status, self.detail = (Status.UNKNOWN, "not stated") if calls else (Status.OK, None)

    def _tell_call(self, call: Mapping[str, Any], id_: str, at: int | None, message_id: str) -> None:
        self.ask(id_, text_of(call, "name") or "", object_of(call, "args"), at, message_id)
        parts = (object_of(object_of(each, "functionResponse"), "response") for each in objects_of(call, "result"))
        found = next((part for part in parts if part), {})
        failed = call.get("status") in ("error", "cancelled")
        error = text_of(found, "error") if failed else None
        self.answer(
            id_,
            error or text_of(found, "output") or text_of(call, "resultDisplay") or "",
            self.at(self.time(call.get("timestamp"))),
            failed=failed,
            denied=call.get("status") == "cancelled",
            exit_code=found.get("exitCode"),
        )

    def end(self) -> None:
        for id_, message in self._held.items():
            self._tell(id_, message)
        self._held.clear()
