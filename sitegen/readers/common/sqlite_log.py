"""Lays the log of an SQLite database over its pages: `x.db-wal`, in which transactions stand until they are moved.

As SQLite does it: a frame counts if it has the salts of the log and the running checksum is right, and only up to the
last one that ends a transaction. What is behind a frame that is damaged is lost.
"""

from __future__ import annotations

import struct

MOST_BYTES = 64 * 1024**2
_HEADER, _FRAME = 32, 24


def laid_over(data: bytes, log: bytes) -> tuple[bytes, bool]:
    """The database with what its log has committed, and whether the log is damaged."""
    if len(log) < _HEADER:
        return data, bool(log)
    magic, _, size, _, *salts = struct.unpack(">6I", log[:24])
    order = ">" if magic & 1 else "<"
    sums = _sums((0, 0), log[:24], order)
    if magic >> 1 != 0x377F0682 >> 1 or size & (size - 1) or not 512 <= size <= 65536:
        return data, True
    if sums != struct.unpack(">2I", log[24:_HEADER]):
        return data, True
    waiting, pages, count = dict[int, int](), dict[int, int](), 0
    begins = range(_HEADER, len(log) - _FRAME - size + 1, _FRAME + size)
    is_damaged = bool((len(log) - _HEADER) % (_FRAME + size))
    for begin in begins:
        number, last, *of_log = struct.unpack(">4I", log[begin : begin + 16])
        sums = _sums(_sums(sums, log[begin : begin + 8], order), log[begin + _FRAME : begin + _FRAME + size], order)
        if of_log != salts or sums != struct.unpack(">2I", log[begin + 16 : begin + _FRAME]) or not number:
            # What follows is of an earlier log, or of a transaction that is open, unless one ends there.
            rest = (struct.unpack(">3I", log[at + 4 : at + 16]) for at in begins if at >= begin)
            is_damaged |= any(ends and of_log == salts for ends, *of_log in rest)
            break
        waiting[number] = begin + _FRAME
        if last:
            pages.update(waiting)
            count, waiting = last, {}
    if not count or count * size > len(data) + len(log):
        return data, is_damaged or bool(count)
    whole = bytearray(data[: count * size].ljust(count * size, b"\0"))
    for number, begin in pages.items():
        if number <= count:
            whole[(number - 1) * size : number * size] = log[begin : begin + size]
    return bytes(whole), is_damaged


def _sums(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 8 * 2}I", data[: len(data) // 8 * 8])
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
