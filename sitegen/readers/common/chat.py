"""Chats as lists of messages: what the APIs of models take and give, and what programs keep of them.

A message has a `role` and a `content`, a text or blocks of it; an assistant's may have `tool_calls`, each answered by a
message of the role `tool`.
"""

from sitegen.readers.common.records import (
    object_of,
    objects_of,
    parsed,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.trace import Record as Record
from sitegen.readers.common.trace import Trace
from sitegen.steps import StepKind


class ChatTrace(Trace):
    """A run that is a list of messages."""

    def tell(self, message: Record, at: int | None = None, id_: str | None = None) -> None:
        """Add the steps of a message."""
        role = message.get("role")
        text = texts_in(message, "content")
        if role == "user" and text.strip():
            self.say(StepKind.PROMPT, text, at)
        elif role == "assistant":
            for thought in thoughts_of(message):
                self.say(StepKind.THINKING, thought, at, id_)
            if text.strip():
                self.say(StepKind.TEXT, text, at, id_)
            for call in objects_of(message, "tool_calls"):
                self.ask(text_or_empty(call, "id"), *call_of(call), at, id_)
        elif role == "tool":
            error = object_of(message, "error")
            said = text_of(error, "message") or text
            self.answer(text_or_empty(message, "tool_call_id"), said, at, failed=bool(error))


def thoughts_of(message: Record) -> list[str]:
    """Return what a model thought before it said something."""
    blocks = [
        b for b in objects_of(message, "content") if b.get("type") in ("thinking", "reasoning")
    ]
    found = [text_of(block, "thinking") or text_or_empty(block, "reasoning") for block in blocks]
    return [
        thought
        for thought in (text_of(message, "reasoning_content"), *found)
        if thought is not None
    ]


def call_of(call: Record) -> tuple[str, Record]:
    """Return the name and the input of a call, whose input may be JSON in a text."""
    function = call.get("function")
    inner: Record = function if isinstance(function, dict) else call
    name = (
        function
        if isinstance(function, str)
        else text_of(inner, "name") or text_or_empty(inner, "function_name")
    )
    given = parsed(inner.get("arguments"))
    stated = inner.get("arguments")
    if isinstance(given, str) and given == stated:
        return name, {"input": given}
    return name, given if isinstance(given, dict) else {}
