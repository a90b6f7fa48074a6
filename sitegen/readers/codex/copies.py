"""The lines that a forked session of Codex, or one that another spawned, copied from its parent.

A copied turn is known by its id, which states its time as the session's own does (UUID version 7). Where there are no
such ids, copied lines are those of the session's first instant: they keep times from before it began, or all get that
moment, as no model answers that fast. The last turn that begins in that instant and gets no answer there is the
session's own.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sitegen.readers.common.records import Record, object_at, object_of, text_of, words
from sitegen.text.times import milliseconds_of

TIMED_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
"""An id that states its time: a UUID of version 7."""
_INSTANT_MS = 1_000
_GAP_MS = 300
_ANSWERS = words("token_count task_complete agent_message agent_reasoning turn_aborted")
_NO_ANSWERS = words("user developer system")
_BEGINNINGS = ("turn_context", "task_started")


class Meta(NamedTuple):
    """The first line of a session."""

    id: str | None
    parent: str | None
    """The session that it was forked from or spawned by."""
    is_spawned: bool
    """Whether it is a part of its parent, and not a fork."""


def meta_of(payload: Record) -> Meta:
    """Return what the first line of a session says of it and its parent."""
    spawned = object_at(payload, "source.subagent.thread_spawn")
    parent = text_of(spawned, "parent_thread_id") or text_of(payload, "parent_thread_id")
    forked_from = text_of(payload, "forked_from_id")
    return Meta(text_of(payload, "id"), parent or forked_from, parent is not None)


class SessionNames:
    """Tells the sessions of a file. Copied first lines of parents begin none."""

    def __init__(self) -> None:
        self._current = ""  # the session that the lines are of
        self._parent: str | None = None
        self._has_answers = False

    def session_of(self, record: Record) -> str | None:
        """Return the session that a record begins."""
        kind = record.get("type")
        if kind == "session_meta":
            meta = meta_of(object_of(record, "payload"))
            if self._is_new(meta.id or ""):
                self._current, self._parent = meta.id or "", meta.parent
                self._has_answers = False
                return self._current
        elif kind == "response_item":
            self._has_answers = True
        return None

    def _is_new(self, id_: str) -> bool:
        if not self._current:
            return True
        if id_ in (self._current, self._parent):
            return False
        return self._has_answers or not self._is_older(id_)

    def _is_older(self, id_: str) -> bool:
        """Return whether an id states an earlier time than that of the current session; True where it states none."""
        if TIMED_ID.fullmatch(id_) and TIMED_ID.fullmatch(self._current):
            return id_ < self._current
        return not self._has_answers


class Line(NamedTuple):
    """A line about which it is decided whether it is a copy."""

    record: Record
    place: int
    is_copy: bool


class SessionCopies:
    """Tells the copies among the lines of a session."""

    def __init__(self) -> None:
        self.is_copy = False
        """Whether the line that is read, and those behind it, are copies."""
        self.has_own_usage = False
        """Whether a message of its own has counted: then no copies follow."""
        self.own_id = ""
        self._parent: str | None = None
        self._began_ms: int | None = None
        self._has_timed_turns = False
        self._instant: _FirstInstant | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether later lines decide about this one."""
        instant = self._instant
        return instant is not None and not instant.is_over and not self._has_timed_turns

    def decide(self, record: Record, place: int) -> Iterator[Line]:
        """Yield the lines about which it is decided with this one."""
        if self._instant is not None:
            yield from self._instant.add(record, place)

    def rest(self) -> Iterator[Line]:
        """Yield the lines that were held back to the end: they are the session's own."""
        if self._instant is not None:
            yield from self._instant.end()

    def begin(self, meta: Meta, began_ms: int | None) -> None:
        """Note the first line of the session."""
        self.own_id = meta.id or ""
        self._parent = meta.parent
        self._began_ms = began_ms

    def read_meta(self, meta: Meta) -> None:
        """Note a first line, of the session or of one that was copied."""
        if (meta.id or "") != self.own_id:
            self._parent = self._parent or meta.id
            self.is_copy = True
        self.expect_copies()

    def expect_copies(self) -> None:
        """Expect copies at the beginning of a session with a parent."""
        is_open = self._instant is not None and not self._instant.is_over
        if self._parent and not self.has_own_usage and not is_open:
            self._instant = _FirstInstant(self._began_ms)

    def read_turn(self, turn: str | None) -> None:
        """Note the turn of the lines that follow: its id may tell whether they are copies."""
        if turn and TIMED_ID.fullmatch(turn) and TIMED_ID.fullmatch(self.own_id):
            self._has_timed_turns = True
            self.is_copy = turn < self.own_id


class _FirstInstant:
    """The lines that a session with a parent begins with, until time passes."""

    def __init__(self, began_ms: int | None) -> None:
        self.is_over = began_ms is None
        self._began_ms = self._last_ms = began_ms or 0
        # The lines of the last turn that began, while nothing answers it, and the kinds of those that began it.
        self._turn: list[tuple[Record, int]] | None = None
        self._beginnings: set[object] = set()

    def add(self, record: Record, place: int) -> Iterator[Line]:
        """Yield the lines about which it is decided with this one."""
        stated_ms = milliseconds_of(record.get("timestamp"), naive=True)
        now_ms = self._last_ms if stated_ms is None else stated_ms
        if now_ms > self._began_ms + _INSTANT_MS and now_ms - self._last_ms > _GAP_MS:
            yield from self.end()
            yield Line(record, place, is_copy=False)
            return
        self._last_ms = now_ms
        kind = record.get("type")
        payload = object_of(record, "payload")
        beginning = kind if kind == "turn_context" else payload.get("type")
        if beginning in _BEGINNINGS:
            if self._turn is None or beginning in self._beginnings:
                yield from self._let_go(is_copy=True)
                self._turn, self._beginnings = [], set()
            self._beginnings.add(beginning)
        if self._turn is not None and not _is_answer(kind, payload):
            self._turn.append((record, place))
            return
        yield from self._let_go(is_copy=True)
        yield Line(record, place, is_copy=True)

    def end(self) -> Iterator[Line]:
        """Yield the lines that are left: they are the session's own."""
        self.is_over = True
        yield from self._let_go(is_copy=False)

    def _let_go(self, *, is_copy: bool) -> Iterator[Line]:
        for record, place in self._turn or ():
            yield Line(record, place, is_copy)
        self._turn = None


def _is_answer(kind: object, payload: Record) -> bool:
    """Return whether only a model, or what it called, can have caused a line."""
    if kind == "event_msg":
        return text_of(payload, "type") in _ANSWERS
    if kind in ("response_item", "request_item"):
        return payload.get("type") != "message" or text_of(payload, "role") not in _NO_ANSWERS
    return kind in ("compacted", "session_meta")
