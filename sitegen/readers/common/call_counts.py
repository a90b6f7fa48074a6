"""Counts what tools are called for and what comes of it, for readers of all agents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from sitegen.model import StepCounts, ToolKindCounts
from sitegen.steps import ToolKind


@dataclass(slots=True)
class OfKind:
    """Calls of one kind of tool."""

    calls: int = 0
    answers: int = 0
    failures: int = 0
    milliseconds: int = 0
    timed: int = 0
    """Calls whose time is known."""
    context: int | None = None
    """Tokens by which their answers made the context grow."""
    result_bytes: int = 0

    @property
    def seconds(self) -> float | None:
        return self.milliseconds / 1000 if self.timed else None


@dataclass(slots=True)
class CallCounts:
    """What is known so far of the calls of a run."""

    kinds: dict[ToolKind, OfKind] = field(default_factory=dict)
    _edited: set[int] = field(default_factory=set)
    _lines: tuple[int, int] | None = (0, 0)
    """Added and removed; None once an edit does not state them."""
    _unseen_edits: bool = False
    """Whether a call may have edited a file that is not named."""
    ids: set[int] = field(default_factory=set)
    """Hashes of the ids of calls."""
    strays: int = 0
    """Answers of no known call."""

    def asked(self, kind: ToolKind, *, may_edit: bool = False) -> None:
        """Take a call; `may_edit` says that nobody knows what its tool does."""
        self.kinds.setdefault(kind, OfKind()).calls += 1
        self._unseen_edits |= may_edit

    def answered(self, kind: ToolKind, size: int, ms: int | None, *, failed: bool) -> None:
        """Take the answer of a call, of `size` bytes; `ms` from question to answer."""
        found = self.kinds[kind]
        found.answers += 1
        found.failures += failed
        found.result_bytes += size
        if ms is not None and ms >= 0:
            found.milliseconds += ms
            found.timed += 1

    def edited(self, paths: Iterable[str]) -> None:
        """An edit succeeded. Of a path only a digest is kept."""
        paths = list(paths)
        self._unseen_edits |= not paths
        for path in paths:
            digest = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=6).digest()
            self._edited.add(int.from_bytes(digest))

    def changed(self, lines: tuple[int, int] | None) -> None:
        """An edit added and removed so many lines; None where it does not say."""
        known = self._lines
        self._lines = None if lines is None or known is None else (known[0] + lines[0], known[1] + lines[1])

    def counts(self, *, steps: int, compactions: int, peak: int | None, tells_exit_codes: bool = True) -> StepCounts:
        """What is kept, with so many steps and compactions and the largest context."""
        kinds = [(kind, self.kinds[kind]) for kind in ToolKind if kind in self.kinds]
        task, command = self.kinds.get(ToolKind.TASK, OfKind()), self.kinds.get(ToolKind.RUN, OfKind())
        added, removed = self._lines or (None, None)
        calls, answers = sum(found.calls for _, found in kinds), sum(found.answers for _, found in kinds)
        failures, edits = sum(found.failures for _, found in kinds), self.kinds.get(ToolKind.EDIT, OfKind())
        sees_failures = bool(answers or not calls) and not self.strays and (tells_exit_codes or not command.calls)
        sees_edits = not self.strays and not self._unseen_edits and edits.answers == edits.calls
        return StepCounts(
            steps=steps,
            tool_calls=calls,
            tool_failures=failures if failures or sees_failures else None,
            edited=tuple(sorted(self._edited)) if self._edited or sees_edits else None,
            lines_added=added,
            lines_removed=removed,
            subagents=task.calls - task.failures,
            compactions=compactions,
            context_peak_tokens=peak,
            commands_seconds=command.seconds,
            by_kind=tuple(
                ToolKindCounts(
                    kind.value, found.calls, found.failures, found.seconds, found.context, found.result_bytes
                )
                for kind, found in kinds
            ),
        )


def seen(counts: Iterable[int | None]) -> int | None:
    """The sum of what was seen; None where nothing was, and somewhere could not have been."""
    counts = list(counts)
    return sum(count or 0 for count in counts) or (None if None in counts else 0)


def edited_of(edited: Iterable[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    """All that was edited; None likewise."""
    edited = list(edited)
    return tuple(sorted({each for some in edited for each in some or ()})) or (None if None in edited else ())
