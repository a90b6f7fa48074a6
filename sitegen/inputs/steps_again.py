"""The steps of a run, read again when its page is made: one after the other, masked, never all in memory."""

import heapq
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from zlib import crc32

from sitegen import readers
from sitegen.inputs import source_files
from sitegen.inputs.campaigns import packs
from sitegen.masking.redact import Redactor, in_one_line
from sitegen.model import Entry, Level, Run, TextKind, Unmasked
from sitegen.readers.common.tool_names import program
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.system.bounds import DEFAULT, Bounds


def steps_of(
    entry: Entry, redactor: Redactor, bounds: Bounds = DEFAULT, take_run: "TakeRun" = lambda _: None
) -> Generator[Step, None, None]:
    """Yield what happened in a run, in order, masked and as far as its level publishes it; none where its file does not
    tell. Where its session has a transcript, the steps are those of the transcript. Steps of subagents that have
    records of their own stand where their times say. Before the last step was taken, `take_run` may be given the run
    with its texts, which stand in the same file.

    Raises: ReadError `W_CHANGED` behind the last step when a file is not as it was, or before it when one cannot be
    read: what was taken until then is not to be shown.
    """
    level = entry.level
    if level is Level.NONE:
        return
    if isinstance(entry.source.member, packs.PackMember):
        for number, step in enumerate(packs.steps_of(entry, entry.source.member, redactor, bounds)):
            yield published(Unmasked(step), number, redactor, level, bounds=bounds)
        return
    known: set[str | int] = set()
    for source in entry.copied_from:
        with source_files.reopened(source, bounds) as file:
            known |= readers.keys_of(file)
    has_transcript = any(lane.run.agent_id is None for lane in entry.lanes)
    parts = entry.lanes if has_transcript else (entry, *entry.lanes)

    def of(part: Entry) -> Iterator[Unmasked[Step]]:
        unmasked = yield from _raw(part, known, bounds, contents=level is Level.FULL)
        if part is entry and unmasked is not None:
            run = unmasked.as_written.at_level(entry.source.level)
            take_run(run if entry.is_untouched else redactor.run(run))

    steps = of(entry) if parts == (entry,) else _merged(parts, of)
    for number, unmasked in enumerate(steps):
        yield published(unmasked, number, redactor, level, bounds=bounds)


TakeRun = Callable[[Run], None]
MAX_OPEN = 100  # files of one run that are read at once


def _merged(
    parts: Sequence[Entry], of: Callable[[Entry], Iterator[Unmasked[Step]]]
) -> Iterator[Unmasked[Step]]:
    """Yield the steps of several files by their times. A file is opened when its time has come, and later where
    MAX_OPEN are: a process may open about a thousand."""
    waiting = deque(sorted((_start_ms(part), number) for number, part in enumerate(parts)))
    begun: list[tuple[int, int, Unmasked[Step], Iterator[tuple[int, Unmasked[Step]]]]] = []
    while begun or waiting:
        if waiting and (not begun or (waiting[0][0] <= begun[0][0] and len(begun) < MAX_OPEN)):
            number = waiting.popleft()[1]
            stream = _timed(of(parts[number]))
        else:
            _, number, step, stream = heapq.heappop(begun)
            yield step
        if following := next(stream, None):
            heapq.heappush(begun, (following[0], number, following[1], stream))


def _start_ms(entry: Entry) -> int:
    began = entry.run.started_at
    return 0 if began is None else int(datetime.fromisoformat(began).timestamp() * 1000)


def _raw(
    entry: Entry, known: set[str | int], bounds: Bounds, *, contents: bool
) -> Generator[Unmasked[Step], None, Unmasked[Run] | None]:
    """Yield the steps in one file; then its run."""
    agent = entry.run.agent_id
    with source_files.reopened(entry.source, bounds, entry.digest) as file:
        steps = readers.steps_of(file, entry.run.locator, known, contents=contents)
        if agent is None:
            return (yield from steps)
        for step in steps:  # of a subagent, which its own file takes for those of a main agent
            yield step if step.as_written.lane else Unmasked(replace(step.as_written, lane=agent))
    return None


def _timed(steps: Iterator[Unmasked[Step]]) -> Iterator[tuple[int, Unmasked[Step]]]:
    """Yield each with a time that never falls: its own, or that of the one before. The call of a subagent stands where
    it is answered."""
    now = 0
    for unmasked in steps:
        step = unmasked.as_written
        is_answer = (
            step.call is not None
            and step.call.kind is ToolKind.TASK
            and step.kind is StepKind.TOOL_CALL
        )
        now = max(now, (step.call.answered_ms if step.call and is_answer else step.at_ms) or 0)
        yield now, unmasked


def published(
    unmasked: Unmasked[Step], number: int, redactor: Redactor, level: Level, *, bounds: Bounds
) -> Step:
    """Return the step with its number and what the level publishes of it, shortened and masked; the rest, and ids
    that no page shows, are empty. Of its message's id it has a checksum, which tells the calls of one message from
    others."""
    step = unmasked.as_written
    call = step.call
    is_shown = level.shows(_KINDS.get(step.kind, TextKind.ANSWER))
    return redactor.each(
        step,
        number=number,
        text=redactor(step.text) if is_shown and step.text else "",
        call=call and _published_call(call, redactor, bounds, is_full=level is Level.FULL),
        message_id=step.message_id and f"{crc32(step.message_id.encode('utf-8', 'replace')):x}",
    )


# The kinds of the texts of steps; of all other kinds, answers.
_KINDS = {
    **dict.fromkeys((StepKind.PROMPT, StepKind.THINKING, StepKind.COMPACTION), TextKind.PROMPT),
    **dict.fromkeys(
        (StepKind.HOOK, StepKind.NOTICE), TextKind.CONTENT
    ),  # among others what commands put out
}
MAX_OF_TARGET = 300  # characters of the line that says what a call is about
_MASKED = re.compile(r"\[redacted: [^\]\n]*\]")


def _published_call(
    call: ToolCall, redactor: Redactor, bounds: Bounds, *, is_full: bool
) -> ToolCall:
    target = redactor(call.target)
    command = call.target if call.kind is ToolKind.RUN else f"cat {call.target}"
    return redactor.each(
        call,
        id="",
        target=in_one_line(target, MAX_OF_TARGET),
        # A mask is several words, of which none is a program.
        program=call.program if target == call.target else program(_MASKED.sub("%", target)),
        purpose=in_one_line(redactor(call.purpose), MAX_OF_TARGET),
        input=_shortened(redactor(call.input), bounds) if is_full else "",
        result=_shortened(redactor.answer(command, call.result), bounds)
        if is_full and call.result is not None
        else None,
        changes=_shortened(redactor(call.changes), bounds) if is_full else "",
    )


def _shortened(text: str, bounds: Bounds) -> str:
    """Return the first lines of a text, in whole characters."""
    lines = text.split("\n", bounds.result_lines)[: bounds.result_lines]
    return "\n".join(lines)[: bounds.result_kb * 1000]
