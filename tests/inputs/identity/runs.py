"""Invented runs in files, and a reader that knows their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sitegen.model import Entry, Run, Source, Status, StepCounts, Tokens


def steps(count: int, calls: int = 0) -> StepCounts:
    """Counts of steps and calls; nothing else is known."""
    return StepCounts(count, calls, None, None, None, None, 0, None, None, None)


def run(**known: Any) -> Run:
    """A run of Claude Code."""
    return replace(Run("a file", Status.OK), **known)


def entry(path: str, of: Run | None = None, **known: Any) -> Entry:
    """A run in a file of its own; its id is its path."""
    source = Source(path, path, named=False, size=known.pop("size", 1))
    return Entry(path, source, known.pop("number", 0), path, of or run(), path, **known)


def ids(entries: Sequence[Entry]) -> list[str]:
    """The ids of runs, in their order."""
    return [each.id for each in entries]


class Reader:
    """Reads the runs of files again without answers that are known, as a reader of transcripts does."""

    def __init__(self, *entries: Entry) -> None:
        self._entries = entries
        self.read: list[str] = []
        """The paths of the files that were read, in that order."""

    def read_new(self, entry: Entry, known: set[str | int]) -> list[Entry]:
        """The runs in the same file with the answers that are new, a step each."""
        self.read.append(entry.source.path)
        fresh: list[Entry] = []
        for other in self._entries:
            if other.source.path == entry.source.path:
                new = tuple(answer for answer in other.run.answers if answer not in known)
                known |= set(new)
                counts = steps(len(new)) if new else None
                fresh.append(replace(other, run=replace(other.run, answers=new, steps=counts)))
        return fresh

    def refresh(self, entry: Entry, of: Run) -> Entry:
        """The entry with another run."""
        return replace(entry, run=of)


def tokens(total: int) -> Tokens:
    """Tokens that were all sent without a cache."""
    return Tokens(input=total, cache_write=0, cache_read=0, output=0)
