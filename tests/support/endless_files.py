"""Small SQLite files that take without end to read: their pages lead to the same pages again and again."""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path

from sitegen.cache import memory

FAN, LEVELS = 100, 6
"""A file of a few pages, and 100^6 rows."""
_OF_INDEX, _OF_TABLE = (b"\x02", b"\x0a"), (b"\x05", b"\x0d")
"""What pages begin with: those that lead to others, and those that do not. A table without row ids is an index."""


def shared_rows(file: Path) -> None:
    """The table itself: each page leads a hundred times to the next."""
    size = 4096
    begun = _begun(file, size)
    row = _record("drawing", "k", b"s", b"v")
    first = len(begun) // size + 1
    chain = [
        _page(size, _OF_INDEX, [struct.pack(">I", child) + row] * FAN, child) for child in range(first, first + LEVELS)
    ]
    leaf = _page(size, _OF_INDEX, [row] * FAN)
    file.write_bytes(_numbered(begun[:size] + chain[0] + begun[2 * size :] + b"".join([*chain[1:], leaf]), size))


def shared_schema(file: Path) -> None:
    """What SQLite reads before all else, the names of tables: they say the same again and again."""
    size = 4096
    begun = _begun(file, size)
    again = _record("index", "sqlite_autoindex_kept_1", "kept", 2, None, rowid=2)
    first = len(begun) // size + 1
    table = _page(size, _OF_TABLE, [_record("table", "kept", "kept", 2, memory._TABLE, rowid=1)])
    chain = [
        _page(size, _OF_TABLE, [struct.pack(">IB", child, 2)] * FAN, child)
        for child in range(first + 2, first + 1 + LEVELS)
    ]
    leaf = _page(size, _OF_TABLE, [again] * 50)
    top = begun[:100] + _page(size, _OF_TABLE, [struct.pack(">IB", first, 1)], first + 1, after=100)[100:]
    file.write_bytes(_numbered(top + begun[size:] + table + b"".join(chain) + leaf, size))


def deep_tree(file: Path) -> None:
    """A table that is 100,000 levels deep."""
    size, levels = 512, 100_000
    begun = _begun(file, size)
    first = len(begun) // size + 1
    chain = [_page(size, _OF_INDEX, [], child) for child in range(first, first + levels)]
    leaf = _page(size, _OF_INDEX, [_record("drawing", "k", b"s", b"v")])
    file.write_bytes(_numbered(begun[:size] + chain[0] + begun[2 * size :] + b"".join([*chain[1:], leaf]), size))


def _begun(file: Path, size: int) -> bytes:
    """An empty file of ours with pages of so many bytes; the table begins on the second."""
    file.unlink()
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA page_size = {size}")
        db.execute(memory._TABLE)
        db.execute(f"PRAGMA user_version = {memory._SCHEMA}")
    return file.read_bytes()


def _numbered(content: bytes, size: int) -> bytes:
    """The file with the number of its pages, which stands in its header."""
    return content[:28] + struct.pack(">I", len(content) // size) + content[32:]


def _record(*values: str | bytes | int | None, rowid: int | None = None) -> bytes:
    """A row as SQLite writes it: its length, and of a table with row ids its number, come first."""
    types, parts = b"", b""
    for value in values:
        match value:
            case None:
                types += b"\x00"
            case int():
                types, parts = types + b"\x01", parts + bytes([value])
            case _:
                part = value.encode() if isinstance(value, str) else value
                types += _varint((13 if isinstance(value, str) else 12) + 2 * len(part))
                parts += part
    whole = bytes([len(types) + 1]) + types + parts
    return _varint(len(whole)) + (b"" if rowid is None else _varint(rowid)) + whole


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([128 | number >> 7, number & 127])


def _page(
    size: int, kind: tuple[bytes, bytes], cells: Sequence[bytes], right: int | None = None, after: int = 0
) -> bytes:
    """A page with these cells; one that leads to others ends with the number of its `right` one."""
    page, places, at = bytearray(size), list[int](), size
    for cell in cells:
        at -= len(cell)
        page[at : at + len(cell)] = cell
        places.append(at)
    header = kind[right is None] + struct.pack(">HHHB", 0, len(cells), at, 0)
    header += b"" if right is None else struct.pack(">I", right)
    header += b"".join(struct.pack(">H", place) for place in places)
    page[after : after + len(header)] = header
    return bytes(page)
