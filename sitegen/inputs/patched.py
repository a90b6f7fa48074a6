"""The patch that lies beside a run: read for its page, and what is counted of it kept for the next build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sitegen.cache.memory import Kind, Memory
from sitegen.errors import ReadError
from sitegen.inputs import discover, patch
from sitegen.masking.redact import Redactor, count_masks
from sitegen.model import Entry, Source


def read_patch(source: Source | None) -> tuple[patch.Patch, str] | None:
    """The patch in a file, and its text; None when there is none, or it can no longer be read."""
    if source is None:
        return None
    try:
        text = discover.read_bytes(source).decode("utf-8", "replace")
    except ReadError:
        return None
    return patch.parse(text), text


@dataclass(frozen=True, slots=True)
class _KeptPatch:
    """What a memory keeps of the patch beside a run."""

    digest: str
    lines: tuple[int, int]
    """Added and removed."""
    masked: dict[str, int]
    """How many values of each kind are masked in it."""


_PATCH = Kind[_KeptPatch]("patch", _KeptPatch)


def with_patch(
    entry: Entry, source: Source | None, redactor: Redactor, memory: Memory
) -> tuple[Entry, Mapping[str, int]]:
    """The entry with the patch that lies beside its run, and how many values of each kind are masked in it."""
    if source is None:
        return entry, {}
    stamp = memory.stamp_of_file(source.location)
    known = memory.recall(_PATCH, entry.id, stamp)
    if known is None:
        read = read_patch(source)
        if read is None:
            return entry, {}
        changes, text = read
        lines, masked = (changes.added, changes.removed), dict(count_masks(redactor(text)))
        known = _KeptPatch(patch.digest(text), lines, masked)
        memory.keep(_PATCH, entry.id, stamp, known)
    return replace(entry, patch=source, patch_digest=known.digest, patch_lines=known.lines), known.masked
