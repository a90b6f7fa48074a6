"""Tells what a forked session, or one that another spawned, copied from its parent, where no ids of turns tell it.

Copied lines keep their times, which are before the session began, or get that of the moment at which they are written:
all of them within an instant, as no model answers. The last turn that begins in that instant and gets no answer there
is the session's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sitegen.readers.common.records import milliseconds_of, object_of, text_of

Line = tuple[Mapping[str, Any], int]
"""A record and its place."""
_INSTANT_MS = 1_000
_GAP_MS = 300
"""Between lines that are written at once."""
_NO_ANSWERS = frozenset({"user", "developer", "system"})


def parent_of(meta: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The session that a session was forked from or spawned by, and whether it was spawned: then it is a part of it."""
    source = object_of(object_of(meta, "source"), "subagent")
    spawned = object_of(source, "thread_spawn")
    parent = text_of(spawned, "parent_thread_id") or text_of(meta, "parent_thread_id")
    if parent:
        return parent, True
    return text_of(meta, "forked_from_id"), False


class Copies:
    """What may be a copy at the beginning of a session."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether lines may still be copies."""
        self._began = self._last = 0
        self._held: list[Line] | None = None
        """Of the last turn that began, while nothing answered."""
        self._begun: list[object] = []
        """The lines among them that begin a turn, by their kinds."""

    def begin(self, at: int | None) -> None:
        """A session has a parent; its first line was written at this time."""
        self.is_open, self._began, self._last = at is not None, at or 0, at or 0

    def sorted(self, record: Mapping[str, Any], place: int) -> Iterator[tuple[Line, bool]]:
        """The lines about which it is decided with this one whether they are copies."""
        at = milliseconds_of(record.get("timestamp"), naive=True)
        now = self._last if at is None else at
        if now > self._began + _INSTANT_MS and now - self._last > _GAP_MS:
            yield from self.rest()
            yield (record, place), False
            return
        self._last = now
        kind, payload = record.get("type"), object_of(record, "payload")
        begins = kind if kind == "turn_context" else payload.get("type")
        if begins in ("turn_context", "task_started"):
            if self._held is None or begins in self._begun:
                yield from ((line, True) for line in self._held or ())
                self._held, self._begun = [], []
            self._begun.append(begins)
        if self._held is not None and not _answers(kind, payload):
            self._held.append((record, place))
            return
        yield from ((line, True) for line in self._held or ())
        self._held = None
        yield (record, place), True

    def rest(self) -> Iterator[tuple[Line, bool]]:
        """What is left is the session's own."""
        self.is_open = False
        yield from ((line, False) for line in self._held or ())
        self._held = None


def _answers(kind: object, payload: Mapping[str, Any]) -> bool:
    """Whether only a model, or what it called, can have caused a line."""
    if kind == "event_msg":
        return payload.get("type") in (
            "token_count",
            "task_complete",
            "agent_message",
            "agent_reasoning",
            "turn_aborted",
        )
    if kind in ("response_item", "request_item"):
        return payload.get("type") != "message" or payload.get("role") not in _NO_ANSWERS
    return kind in ("compacted", "session_meta")
