"""Lines of transcripts and streams of our own, as Claude Code writes them."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

SESSION = "5e551011-0000-4000-8000-00000000000a"


def lines(*records: dict[str, Any]) -> bytes:
    """The records of a file."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


class Teller:
    """Makes the lines of one session, a second apart, each with a uuid of its own that answers the one before."""

    def __init__(self, session: str = SESSION, *, begin: int = 0, **common: Any) -> None:
        self._numbers = count(begin)
        self._common = {
            "sessionId": session,
            "version": "2.1.62",
            "cwd": "/srv/demo",
            "isSidechain": False,
        } | common
        self._parent: str | None = None
        self._prefix = common.get("agentId", session)

    def line(self, kind: str, **changes: Any) -> dict[str, Any]:
        """A line of a transcript."""
        number = next(self._numbers)
        uuid, parent = f"{self._prefix}-{number}", self._parent
        self._parent = uuid
        at = f"2026-03-01T10:{number // 60:02}:{number % 60:02}.000Z"
        return {
            "type": kind,
            "uuid": uuid,
            "parentUuid": parent,
            "timestamp": at,
            **self._common,
        } | changes

    def prompt(self, text: str, **changes: Any) -> dict[str, Any]:
        return self.line("user", message={"role": "user", "content": text}, **changes)

    def says(
        self, text: str, message: str = "m1", output: int = 10, **changes: Any
    ) -> dict[str, Any]:
        return self._message({"type": "text", "text": text}, message, output, **changes)

    def calls(
        self,
        id_: str,
        name: str,
        message: str = "m1",
        output: int = 10,
        sent: int = 1000,
        **given: Any,
    ) -> dict[str, Any]:
        return self._message(
            {"type": "tool_use", "id": id_, "name": name, "input": given}, message, output, sent
        )

    def answers(
        self, id_: str, text: str = "done", details: Any = None, **changes: Any
    ) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": id_, "content": text} | changes
        return self.line(
            "user", message={"role": "user", "content": [block]}, toolUseResult=details
        )

    def _message(
        self, block: dict[str, Any], message: str, output: int, sent: int = 1000, **changes: Any
    ) -> dict[str, Any]:
        usage = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": sent - 105,
            "output_tokens": output,
            "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 0},
        }
        message = message if self._prefix == SESSION else f"{message}-{self._prefix}"
        told = {
            "id": message,
            "model": "claude-sonnet-4-5-20250929",
            "content": [block],
            "usage": usage,
        }
        return self.line(
            "assistant", requestId=f"r-{message}", message=told | {"stop_reason": None}, **changes
        )
