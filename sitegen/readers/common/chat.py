"""Chats as lists of messages: what the APIs of models take and give, and what programs keep of them.

A message has a `role` and a `content`, a text or blocks of it; an assistant's may have `tool_calls`, each answered by a
message of the role `tool`.
"""

from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.common.records import (
    Record,
    object_of,
    objects_of,
    parsed,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind


def add_message(
    run: RunBuilder, message: Record, ms: int | None = None, id_: str | None = None
) -> None:
    """Add the steps of a message."""
    role = message.get("role")
    text = texts_in(message, "content")
    if role == "user" and text.strip():
        run.add_text(StepKind.PROMPT, text, ms)
    elif role == "assistant":
        for thought in thoughts_of(message):
            run.add_text(StepKind.THINKING, thought, ms, id_)
        if text.strip():
            run.add_text(StepKind.TEXT, text, ms, id_)
        for call in objects_of(message, "tool_calls"):
            run.add_call(text_or_empty(call, "id"), *call_of(call), ms, id_)
    elif role == "tool":
        error = object_of(message, "error")
        result = text_of(error, "message") or text
        call_id = text_or_empty(message, "tool_call_id")
        run.add_result(ToolResult(call_id, result, ms, failed=bool(error)))


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
