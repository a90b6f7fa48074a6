"""The bounds that settings may move, with their defaults. Others stand where they are needed, and are fixed.

A bound that is exceeded is said on the page or on the problems page, and costs one run or one archive, never a build.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MB = 1024 * 1024
MAX_COUNT = 2**53  # above this a JavaScript number no longer holds every whole number
MAX_USD = 1e9
MIN_USD = 1e-12
"""Above zero: less has no meaning as an amount, and its quotients leave what a float can hold."""
MAX_SCORE, MIN_SCORE = 1e50, 1e-50
"""Limits on the size of a score other than zero: sums, squares and ratios of such stay in what a float can hold."""


def known_usd(value: object) -> float | None:
    """Return an amount from outside: 0, or from MIN_USD to MAX_USD; None for anything else."""
    number = known_number(value)
    return number if number is not None and (number == 0 or MIN_USD <= number <= MAX_USD) else None


def known_number(value: object) -> float | None:
    """Return a number from outside that may be negative; None for texts, booleans, and what cannot be computed with."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value == 0 or MIN_SCORE <= abs(value) <= MAX_SCORE else None


def known_seconds(value: object) -> int | None:
    """Return a duration from outside, in seconds and of up to 30 years, in milliseconds; None for anything else."""
    seconds = known_number(value)
    return round(seconds * 1000) if seconds is not None and 0 <= seconds < 1e9 else None


def known_count(value: object) -> int | None:
    """Return a whole number from outside, from 0 to MAX_COUNT; None for anything else."""
    number = known_number(value)
    return (
        int(number)
        if number is not None and 0 <= number <= MAX_COUNT and number.is_integer()
        else None
    )


_FromOne = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Bounds(Section):
    """The limits on the size of an input."""

    file_mb: _FromOne = 32
    """Size of a result file, in MB."""
    stream_mb: _FromOne = 512
    """Size of a file that may be a stream (`.jsonl`, `.log`, ...), unpacked, in MB."""
    archive_mb: _FromOne = 256
    """Size of an unpacked archive, in MB."""
    archive_members: _FromOne = 10_000
    """Number of members of an archive."""
    archive_ratio: _FromOne = 200
    """Number of bytes that one packed byte may become."""
    summary_characters: _FromOne = 200_000
    """A longer summary is shown as plain text."""
    patch_characters: _FromOne = 60_000
    """Number of characters of a patch that are shown."""
    result_lines: Annotated[int, Field(ge=1, le=1000)] = 20
    """Number of lines shown of an input or a result of a tool, with `steps: full`."""
    result_kb: Annotated[int, Field(ge=1, le=100)] = 4
    """Number of its characters shown, in thousands, with `steps: full`."""


DEFAULT = Bounds()
IN_MEMORY = 64 * MB
"""Bytes of what is not a stream of lines on a disk, or is packed: all of it is in memory. `file_mb` may raise it."""
SMALL_ARCHIVE = 4 * MB  # unpacked bytes that no ratio is held against
