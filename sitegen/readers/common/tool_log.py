"""The calls of a run: counts of calls, results and edits, and what signals see in them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Set
from typing import NamedTuple

from sitegen.readers.common.call_counts import CallCounts, bytes_of
from sitegen.readers.common.called import names_of_call
from sitegen.readers.common.patches import parse
from sitegen.readers.common.records import Record
from sitegen.readers.common.signals import same_as, traits_of, traits_of_answer
from sitegen.readers.common.step_log import MAX_CHARACTERS, MAX_OPEN, PendingCall, PendingStep
from sitegen.readers.common.tool_names import command_of, kind_of, may_edit, paths_of, target_of
from sitegen.steps import ToolKind, Trait

COUNTED = (-1, -1)
"""The marks in place of numbers of lines: those of the changes."""


class ToolResult(NamedTuple):
    """The result of a call."""

    id: str
    """That of the call."""
    text: str
    ms: int | None = None
    failed: bool = False
    denied: bool = False
    exit_code: object = None
    """A number, or a match with it in its first group; anything else is unknown."""
    changes: str = ""
    """The lines that an edit changed, after `+` and `-`."""
    paths: Set[str] = frozenset()
    """The files that it edited, where they are named; else those of the input."""
    lines: tuple[int, int] | None = COUNTED
    """Numbers of lines that it added and removed; None where that is unknown."""
    size: int | None = None
    """Its bytes, where they are not those of the text."""


class ToolLog:
    """The calls of a run, and results that come before their calls."""

    def __init__(self, *, has_edit_tools: bool, tells_commands: bool) -> None:
        """`has_edit_tools` and `tells_commands` as in `Format`."""
        self.counts = CallCounts()
        self.edits: Counter[int] = Counter()
        """Calls that edited a file, by the part of the session."""
        self._has_edit_tools = has_edit_tools
        self._tells_commands = tells_commands
        self._failed_commands: set[int] = set()
        self._invented = 0
        # The size of each result whose call has not come yet, with what takes it; and the calls that came with this
        # record.
        self._early: dict[str, tuple[int, Callable[[], object]]] = {}
        self._early_size = 0
        self._due: list[str] = []

    @property
    def has_early_results(self) -> bool:
        """Whether results wait for their calls."""
        return bool(self._early)

    def next_id(self) -> str:
        """Return an id for a call that has none."""
        self._invented += 1
        return f"#{self._invented}"

    def add_call(self, id_: str, name: str, given: Record) -> PendingCall:
        """Count a call; return it."""
        tool = kind_of(name, given)
        size = sum(len(value) for value in given.values() if isinstance(value, str))
        command = command_of(given)
        traits = traits_of(tool, command)
        if not self._tells_commands:
            traits |= Trait.UNSEEN
        self.counts.asked(tool, id_, may_edit=may_edit(name) or not self._has_edit_tools)
        self.counts.named(names_of_call(name, given, tool, command))
        if id_ in self._early:
            self._due.append(id_)
        return PendingCall(id_, name, given, command, tool, size, traits)

    def add_result(self, step: PendingStep, call: PendingCall, result: ToolResult) -> None:
        """Count the result of a call, and note in the call what it shows."""
        call.exit_code = _exit_code(result.exit_code)
        call.failed = failed = result.failed or bool(call.exit_code)
        call.result, call.denied, call.answered_ms = result.text, result.denied, result.ms
        call.result_bytes = bytes_of(result.text) if result.size is None else result.size
        call.changes = result.changes
        took = None if result.ms is None or step.ms is None else result.ms - step.ms
        self.counts.answered(call.tool, call.result_bytes, took, failed=failed, lane=step.lane)
        paths = result.paths
        if not paths and not failed:
            paths = paths_of(call.input, is_edit=call.tool is ToolKind.EDIT)
        self._note_traits(call, paths)
        call.fingerprint = same_as(call.tool, call.name, call.input, call.command, result.text)
        if not failed and (paths or result.changes or call.tool is ToolKind.EDIT):
            self._add_edit(step, call, paths, result.lines)

    def add_edit(self, paths: Set[str], lines: tuple[int, int] | None) -> None:
        """Record files that were edited by a call or by what it ran, and the lines added and removed."""
        self.counts.edited(paths, lines)

    def add_patch(self, patch: str | None) -> None:
        """Record the patch that the run ended with: it shows what was edited where no call says so."""
        if not patch or self.counts.files:
            return
        changes = parse(patch)
        if changes.files:
            self.counts.lines = 0, 0  # those of edits without a path are in the patch, too
        paths = [file.path for file in changes.files]
        self.counts.edited(paths, (changes.added, changes.removed))

    def hold_result(self, id_: str, size: int, take: Callable[[], object]) -> None:
        """Keep a result of so many characters until its call comes: parallel agents write lines out of order. `take` is
        then called."""
        is_late = self.counts.is_asked(id_)
        is_lost = not id_ or id_ in self._early or len(self._early) >= MAX_OPEN
        if is_late or is_lost or self._early_size + size > MAX_CHARACTERS:
            self.counts.unasked(id_)
            return
        self._early[id_] = size, take
        self._early_size += size

    def take_early_results(self) -> None:
        """Take the results whose calls came with this record."""
        while self._due:
            held = self._early.pop(self._due.pop(), None)
            if held:
                size, take = held
                self._early_size -= size
                take()

    def _note_traits(self, call: PendingCall, paths: Set[str]) -> None:
        command = call.command
        edited: Iterable[str] = paths
        if call.tool is ToolKind.EDIT and not paths:
            edited = [target_of(call.input, call.tool)]
        failed = call.failed is True
        call.traits = traits_of_answer(
            call.traits, call.tool, command, edited, call.result or "", failed=failed
        )
        if failed and call.tool is ToolKind.RUN:
            asked = hash(command or target_of(call.input, call.tool))
            if asked in self._failed_commands:
                call.traits |= Trait.FAILED_BEFORE
            self._failed_commands.add(asked)

    def _add_edit(
        self,
        step: PendingStep,
        call: PendingCall,
        paths: Set[str],
        lines: tuple[int, int] | None,
    ) -> None:
        self.edits[step.part] += 1
        call.lines = lines_of(call.changes) if lines is COUNTED else lines
        is_of_command = call.lines is None and not paths and "command" in call.input
        # What a command wrote is not counted.
        self.add_edit(paths, (0, 0) if is_of_command else call.lines)


def _exit_code(stated: object) -> int | None:
    code = int(stated[1]) if isinstance(stated, re.Match) else stated
    return code if type(code) is int and abs(code) < 2**31 else None


def changed_in(diff: str | None) -> str:
    """Return the lines that a diff changed, after `+` and `-`."""
    changed = (line for line in (diff or "").split("\n") if line[:1] in ("+", "-"))
    return "\n".join(line for line in changed if line[:3] not in ("+++", "---"))


def lines_of(changes: str) -> tuple[int, int] | None:
    """Return how many lines stand after `+` and after `-`; None where nothing is stated."""
    signs = [line[:1] for line in changes.split("\n")]
    return (signs.count("+"), signs.count("-")) if changes else None
