"""Reads conversations of OpenHands' agent SDK: `base_state.json` and `events/event-00000-<id>.json` and so on, an event
each, or the events as lines.

The events are one record, which is read with the first of them; the state is what the program says of it. Counts of
tokens and costs are those until then, for each use of a model, and stand in the state and again in events: the last
count, added over the uses. The prompt has in it what was read from the cache. A cost of 0 is that of a proxy without a
price. Times have no zone. `turns` are answers of the model. No whole conversation was seen: this follows a state, a few
events of a real conversation, and what is public of the SDK.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sitegen.model import Status, sum_complete
from sitegen.readers.common import sqlite_log
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import Record, known, object_of, text_of, usd_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.folders import FIRST_EVENT
from sitegen.readers.harness.openhands import OpenHands, tokens_of
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

_ENDS: dict[str, tuple[Status, str | None]] = {
    "finished": (Status.OK, None),
    "error": (Status.FAILED, "error"),
    "stuck": (Status.FAILED, "stuck in a loop"),
    "paused": (Status.INTERRUPTED, "paused"),
}
"""All other states are those of an agent that was still at work, or had not begun."""
_KINDS = known("openhands events")
_UNSEEN = "Its other events are not beside it, as in an archive (unpack it)"
_TOO_LONG = f"Its events have more than {sqlite_log.MOST_BYTES // 1024**2} MB, of which the later ones are not read"


def parts(file: RunFile, caveats: Caveats) -> Iterator[tuple[int, Iterable[Any]]]:
    """Yield the events, of all files of a folder."""
    *_, conversation, _, name = ["", "", *file.name.split("/")]
    before = [{"conversation": conversation}] if FIRST_EVENT.fullmatch(name) and conversation else []
    if before and (not file.neighbours or len(file.log) >= sqlite_log.MOST_BYTES):
        before[0]["lacks"] = _TOO_LONG if file.neighbours else _UNSEEN
    others = JsonText(RunFile.of(f"{name}l", file.log), caveats) if file.log else ()
    yield 0, chain(before, JsonText(file, caveats), others)


class OpenHandsEvents(OpenHands):
    """The events of a conversation, or its state."""

    title = "OpenHands events"
    parts = staticmethod(parts)
    is_whole = False

    def __init__(self) -> None:
        super().__init__()
        self._uses: Record = {}
        self._answered: set[str] = set()
        self._lacks: str | None = None
        self._ended: tuple[Status, str | None] = (Status.INTERRUPTED, None)

    def take(self, record: Record) -> None:
        kind = text_of(record, "kind")
        if kind is not None and "timestamp" in record and "source" in record:
            self.is_known = True
            self._take_event_of(kind, record)
        elif "execution_status" in record and isinstance(record.get("agent"), dict):
            self.is_known, self.folder = True, "openhands"
            self._take_state(record)
            self.key("state")
        elif conversation := text_of(record, "conversation"):
            self.session_id, self._lacks = conversation, text_of(record, "lacks")

    def _take_event_of(self, kind: str, event: Record) -> None:
        if self.is_replay(text_of(event, "id")):
            return
        at = self.time(event.get("timestamp"))
        (self.resumed if kind == "MessageEvent" and event.get("source") == "user" else self.at)(at)
        self._take_kind(kind, event, at)
        if kind not in _KINDS:
            self.strange(kind)
        if answer := text_of(event, "llm_response_id"):
            self._answered.add(answer)
            self.key(answer)
        if kind == "ConversationStateUpdateEvent":
            key, value = event.get("key"), event.get("value")
            self._take_state(object_of(event, "value") if key == "full_state" else {str(key): value})
        elif kind == "UserRejectObservation":
            said = text_of(event, "rejection_reason") or ""
            self.answer(text_of(event, "tool_call_id") or "", said, at, failed=True, denied=True)
        elif kind == "ConversationErrorEvent":
            self.error(": ".join(filter(None, (text_of(event, "code"), text_of(event, "detail")))), at)
        elif kind in ("PauseEvent", "InterruptEvent"):
            self.say(StepKind.NOTICE, "paused", at)

    def _take_state(self, state: Record) -> None:
        """Take what the state says, or a part of it that has changed."""
        self.session_id = text_of(state, "id") or self.session_id
        self.model = text_of(object_of(object_of(state, "agent"), "llm"), "model") or self.model
        self.mode = text_of(object_of(state, "confirmation_policy"), "kind") or self.mode
        self._uses = object_of(object_of(state, "stats"), "usage_to_metrics") or self._uses
        if status := text_of(state, "execution_status"):
            self._ended = _ENDS.get(status, (Status.INTERRUPTED, None))
            self.fields["execution_status"] = status
        if "max_iterations" in state:
            self.fields["max_iterations"] = state["max_iterations"]

    def end(self) -> None:
        self.turns = len(self._answered) or None
        self.status, self.detail = self._ended
        if self.detail == "error" and self.errors:
            self.status, self.detail = self.failure(next(reversed(self.errors)))
        costs, main = list[float | None](), self.model
        for name in self._uses:
            use = object_of(self._uses, name)
            counts = tokens_of(object_of(use, "accumulated_token_usage"))
            if counts is not None:
                self.model = text_of(use, "model_name") or main
                self.counted(counts, context=False)
                costs.append(usd_of(use, "accumulated_cost") or None)
        self.cost_usd = sum_complete(costs) if costs else None
        self.uncounted()
        if self._lacks:
            self.lack_part(self._lacks)
