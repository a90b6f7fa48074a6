"""The steps of a run, read again when its page is made: one after the other, masked, never all in memory."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sitegen import readers
from sitegen.bounds import DEFAULT, Bounds
from sitegen.errors import ReadError
from sitegen.inputs import archives
from sitegen.masking.redact import Redactor
from sitegen.model import Entry
from sitegen.steps import Level, Step, StepKind, ToolCall, ToolKind


def steps_of(
    entry: Entry, redactor: Redactor, bounds: Bounds = DEFAULT, level: Level = Level.FULL
) -> Generator[Step, None, None]:
    """What happened in a run, in order, masked and as far as `level` publishes it; none where its file does not tell.
    Where its session has a transcript, the steps are those of the transcript. Steps of subagents that have records of
    their own stand where their times say.

    Raises: ReadError `W_CHANGED` behind the last step when a file is not as it was, or before it when one cannot be
    read: what was taken until then is not to be shown.
    """
    known: set[str] = set()
    for source in entry.copied_from:
        try:
            with archives.opened(source, bounds) as file:
                known |= readers.uuids_of(file)
        except ReadError as error:
            raise _changed(error) from None
    has_transcript = any(lane.run.agent_id is None for lane in entry.lanes)
    parts = entry.lanes if has_transcript else (entry, *entry.lanes)
    for number, step in enumerate(_merged(parts, known, bounds)):
        yield published(replace(step, number=number), redactor, level, bounds)


def _merged(parts: Sequence[Entry], known: set[str], bounds: Bounds) -> Iterator[Step]:
    """The steps of several files by their times. A file is opened when its time has come, since there may be more than
    may be open at once."""
    waiting = deque(sorted((_start_ms(part), number) for number, part in enumerate(parts)))
    begun: list[tuple[int, int, Step, Iterator[tuple[int, Step]]]] = []
    while begun or waiting:
        if waiting and (not begun or waiting[0][0] <= begun[0][0]):
            number = waiting.popleft()[1]
            stream = _timed(_raw(parts[number], known, bounds))
        else:
            _, number, step, stream = heapq.heappop(begun)
            yield step
        if following := next(stream, None):
            heapq.heappush(begun, (following[0], number, following[1], stream))


def _start_ms(entry: Entry) -> int:
    began = entry.run.started_at
    return 0 if began is None else int(datetime.fromisoformat(began).timestamp() * 1000)


def _raw(entry: Entry, known: set[str], bounds: Bounds) -> Iterator[Step]:
    """The steps in one file."""
    agent = entry.run.agent_id
    try:
        with archives.opened(entry.source, bounds) as file:
            for step in readers.steps_of(file, entry.run.locator, known):
                yield step if step.lane or agent is None else replace(step, lane=agent)
            if file.digest() != entry.digest:
                raise ReadError("W_CHANGED", "the file changed while the site was built; build again")
    except ReadError as error:
        raise _changed(error) from None


def _timed(steps: Iterator[Step]) -> Iterator[tuple[int, Step]]:
    """Each with a time that never falls: its own, or that of the one before. The call of a subagent stands where it is
    answered."""
    now = 0
    for step in steps:
        is_answer = step.call is not None and step.call.kind is ToolKind.TASK and step.kind is StepKind.TOOL_CALL
        now = max(now, (step.call.answered_ms if step.call and is_answer else step.at_ms) or 0)
        yield now, step


def _changed(error: ReadError) -> ReadError:
    if error.code == "W_CHANGED":
        return error
    return ReadError("W_CHANGED", f"the file could not be read a second time ({error.reason}); build again")


def published(step: Step, redactor: Redactor, level: Level, bounds: Bounds) -> Step:
    """The step with what the level publishes of it, shortened and masked; the rest is empty."""
    is_full, call = level is Level.FULL, step.call
    is_hidden = level is Level.OUTLINE and step.kind in _HIDDEN
    return replace(
        step,
        text="" if is_hidden else redactor(step.text),
        call=call and _published_call(call, redactor, bounds, is_full=is_full),
        lane=redactor(step.lane),
        starts=redactor(step.starts),
        model=redactor(step.model) if step.model else None,
        message_id=None,
        uuid=None,
        parent=None,
    )


_HIDDEN = frozenset({StepKind.PROMPT, StepKind.THINKING, StepKind.HOOK, StepKind.COMPACTION, StepKind.NOTICE})
"""Whose texts the outline leaves out: what the agent was told or thought."""


def _published_call(call: ToolCall, redactor: Redactor, bounds: Bounds, *, is_full: bool) -> ToolCall:
    return replace(
        call,
        id=redactor(call.id),
        name=redactor(call.name),
        target=redactor(call.target),
        purpose=redactor(call.purpose),
        input=redactor(_shortened(call.input, bounds)) if is_full else "",
        result=redactor(_shortened(call.result, bounds)) if is_full and call.result is not None else None,
        changes=redactor(_shortened(call.changes, bounds)) if is_full else "",
    )


def _shortened(text: str, bounds: Bounds) -> str:
    """The first lines of a text, in whole characters."""
    lines = text.split("\n", bounds.result_lines)[: bounds.result_lines]
    return "\n".join(lines)[: bounds.result_kb * 1000]
