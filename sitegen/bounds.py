"""The bounds that settings may move, with their defaults. Others stand where they are needed, and are fixed.

A bound that is exceeded is said on the page or on the problems page, and costs one run or one archive, never a build.
"""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024
MAX_COUNT = 2**53
"""Above this a JavaScript number no longer holds every whole number."""
MAX_USD = 1e9
MIN_USD = 1e-12
"""Above zero: less has no meaning as an amount, and its quotients leave what a float can hold."""
MAX_SCORE, MIN_SCORE = 1e50, 1e-50
"""Of the size of a score that is not zero: sums, squares and ratios of such stay in what a float can hold."""


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
    return int(number) if number is not None and 0 <= number <= MAX_COUNT and number.is_integer() else None


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits on what one input may cost, as `config.Limits` explains them."""

    file_mb: int = 32
    stream_mb: int = 512
    archive_mb: int = 256
    archive_members: int = 10_000
    archive_ratio: int = 200
    summary_characters: int = 200_000
    patch_characters: int = 60_000
    result_lines: int = 20
    result_kb: int = 4


DEFAULT = Bounds()
IN_MEMORY = 64 * MB
"""Bytes of what is no stream of lines on a disk, or is packed: it is in memory as a whole. `file_mb` may raise it."""
SMALL_ARCHIVE = 4 * MB
"""Unpacked bytes that no ratio is held against."""
