"""The bounds that settings may move, with their defaults. Others stand where they are needed, and are fixed.

A bound that is exceeded is said on the page or on the problems page, and costs one run or one archive, never a build.
"""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one input may cost."""

    file_mb: int = 32
    """Of a result file, in an archive or not."""
    stream_mb: int = 512
    """Of a file that may be a stream, by its extension: `.jsonl`, `.ndjson`, `.log`, `.out`, `.txt`."""
    archive_mb: int = 256
    """That an archive unpacks to. A packed tar is held in memory while the pages of its runs are written."""
    archive_members: int = 10_000
    """Of an archive: files, folders and whatever else it lists."""
    archive_ratio: int = 200
    """Unpacked bytes for each packed one, above SMALL_ARCHIVE."""
    summary_characters: int = 200_000
    """Of a summary that is read as markdown; a longer one is shown as it is."""
    patch_characters: int = 60_000
    """Of a patch that are shown."""
    result_lines: int = 20
    """Of the input, the edit or the result of a tool that are shown."""
    result_kb: int = 4
    """The same, in thousands of characters."""


DEFAULT = Bounds()
IN_MEMORY = 64 * MB
"""Bytes of what is no stream of lines on a disk, or is packed: it is in memory as a whole. `file_mb` may raise it."""
SMALL_ARCHIVE = 4 * MB
"""Unpacked bytes that no ratio is held against."""
