"""The patch that lies beside a run: read for its page, and what is counted of it kept for the next build."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from sitegen.cache.memory import Memory, ValueKind
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.campaigns import packs
from sitegen.masking.redact import Redactor, count_masks
from sitegen.model import Entry, Source, Unmasked
from sitegen.readers.common.patches import Patch, parse
from sitegen.system.bounds import DEFAULT, Bounds


def read_patch(source: Source | None, redactor: Redactor, bounds: Bounds = DEFAULT) -> Patch | None:
    """Return the patch in a file as it is shown, masked; None when there is none, or it can no longer be read."""
    unmasked = _read(source, redactor, bounds)
    if unmasked is None:
        return None
    patch = unmasked.as_written
    files = tuple(replace(file, path=redactor(file.path)) for file in patch.files)
    return replace(patch, files=files, text=redactor(patch.shown(bounds.patch_characters)))


def _read(source: Source | None, redactor: Redactor, bounds: Bounds) -> Unmasked[Patch] | None:
    if source is None:
        return None
    with suppress(ReadError):
        if isinstance(source.member, packs.PackMember):
            of_pack = packs.patch_of(source, source.member, redactor, bounds)
            return None if of_pack is None else Unmasked(of_pack)
        return Unmasked(parse(discover.read_bytes(source).decode("utf-8", "replace")))
    return None


@dataclass(frozen=True, slots=True)
class _KeptPatch:
    """The values that a memory stores of the patch beside a run."""

    digest: str
    lines: tuple[int, int]
    key: str | None
    masked: dict[str, int]


_PATCH = ValueKind[_KeptPatch]("patch", _KeptPatch)


def with_patch(
    entry: Entry, source: Source | None, redactor: Redactor, memory: Memory
) -> tuple[Entry, Mapping[str, int]]:
    """Return the entry with the patch that lies beside its run, and how many values of each kind are masked in it."""
    if source is None:
        return entry, {}
    stamp = memory.stamp_of_source(source)
    known = memory.recall(_PATCH, entry.id, stamp)
    if known is None:
        unmasked = _read(source, redactor, DEFAULT)
        if unmasked is None:
            return entry, {}
        patch = unmasked.as_written
        lines = (patch.added, patch.removed)
        masked = dict(count_masks(redactor(patch.text)))
        known = _KeptPatch(patch.digest, lines, patch.key, masked)
        memory.keep(_PATCH, entry.id, stamp, known)
    shown = replace(source, path=redactor(source.path))
    return replace(
        entry, patch=shown, patch_digest=known.digest, patch_key=known.key, patch_lines=known.lines
    ), known.masked
