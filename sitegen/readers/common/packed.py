"""What is packed inside a file that is read: members of a zip, and Zstandard, which Python cannot read before 3.14.

A member is unpacked in memory and held to MOST_BYTES and RATIO, whatever the archive promises.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO, cast

from sitegen.errors import ReadError
from sitegen.readers.run_file import RunFile

MOST_BYTES = 64 * 1024**2
"""Of a member."""
MOST_MEMBERS = 100_000
RATIO = 200
"""Unpacked bytes for each packed one, above SMALL."""
SMALL = 4 * 1024**2
_DIRECTORY_BYTES = 32 * 1024**2
_PIECE = 262_144
_ZSTANDARD = 93
"""The number of its method in a zip."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class _Limited:
    """The file for `zipfile`, which would read a directory of any size into memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if size > _DIRECTORY_BYTES:
            raise ReadError("E_LIMIT", "the list of its members is too large")
        return self._stream.read(_DIRECTORY_BYTES if size < 0 else size)


class Zip:
    """The members of a file that is a zip."""

    def __init__(self, file: RunFile) -> None:
        """Raises: ReadError."""
        self._stream = file.open()
        try:
            found = zipfile.ZipFile(cast(BinaryIO, _Limited(self._stream))).infolist()
        except zipfile.BadZipFile:
            what = "it is a zip without the list of its members: it was cut, or is still being written"
            raise ReadError("E_TRUNCATED", what) from None
        except (ValueError, OverflowError, NotImplementedError, UnicodeDecodeError):
            raise ReadError("E_ARCHIVE_DAMAGED", "this is no archive of its kind, or it is damaged") from None
        if len(found) > MOST_MEMBERS:
            raise ReadError("E_ARCHIVE_COUNT", f"it has more than {MOST_MEMBERS:,} members")
        members = {info.filename: info for info in found if not info.filename.startswith("__MACOSX/")}
        outer = next(iter(members), "").partition("/")[0]
        if outer not in ("samples", "_journal") and all(name.startswith(f"{outer}/") for name in members):
            members = {name.removeprefix(f"{outer}/"): info for name, info in members.items()}
        self.members = members
        """By name, without the one folder that all may lie in where somebody unpacked and packed them."""

    def read(self, name: str) -> bytes:
        """A member, unpacked. Raises: ReadError."""
        info = self.members[name]
        if info.flag_bits & 1:
            raise ReadError("E_ARCHIVE_KIND", f"its member {name[:200]} is encrypted")
        if info.header_offset < 0:  # zipfile allows for what stands before an archive; a damaged list makes it less
            raise ReadError("E_ARCHIVE_DAMAGED", "it promises a member where there is none")
        self._stream.seek(info.header_offset)
        head = self._stream.read(30)
        if len(head) < 30 or not head.startswith(b"PK\3\4"):
            raise ReadError("E_ARCHIVE_DAMAGED", "it promises a member where there is none")
        self._stream.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
        packed = self._pieces(info.compress_size)
        if info.compress_type == zipfile.ZIP_STORED:
            return _joined(packed, info.compress_size)
        if info.compress_type == zipfile.ZIP_DEFLATED:
            return _joined(_unpacked(packed, zlib.decompressobj(-zlib.MAX_WBITS)), info.compress_size)
        if info.compress_type == _ZSTANDARD:
            return _joined(_unpacked(packed, _zstandard()), info.compress_size)
        raise ReadError("E_ARCHIVE_KIND", f"its member {name[:200]} is packed by a method that is not read")

    def _pieces(self, left: int) -> Iterator[bytes]:
        while left > 0:
            piece = self._stream.read(min(left, _PIECE))
            if not piece:
                raise ReadError("E_TRUNCATED", "it breaks off within a member")
            left -= len(piece)
            yield piece


def unzstd(file: RunFile) -> bytes:
    """The content of a file that is packed by Zstandard. Raises: ReadError."""
    stream = file.open()
    size = stream.seek(0, 2)
    stream.seek(0)
    return _joined(_unpacked(iter(lambda: stream.read(_PIECE), b""), _zstandard()), size)


def _zstandard() -> Any:
    """A decompressor of Zstandard. Raises: ReadError that names what to install."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    what = "it is packed by Zstandard, which this Python cannot unpack; `pip install 'agent-sitegen[zstd]'` adds it"
    raise ReadError("E_ARCHIVE_KIND", what)


def _unpacked(packed: Iterator[bytes], inflater: Any) -> Iterator[bytes]:
    """Pieces of at most 256 KiB, of zlib or Zstandard."""
    is_zlib = hasattr(inflater, "unconsumed_tail")
    try:
        for piece in packed:
            rest = piece
            while not inflater.eof:
                out = inflater.decompress(rest, _PIECE)
                yield out
                rest = inflater.unconsumed_tail if is_zlib else b""
                if not rest and len(out) < _PIECE:
                    break
    except ReadError:
        raise
    except Exception:  # of several libraries
        raise ReadError("E_ARCHIVE_DAMAGED", "it is damaged: it cannot be unpacked") from None
    if not inflater.eof:
        raise ReadError("E_TRUNCATED", "it breaks off within what is packed")


def _joined(pieces: Iterator[bytes], packed: int) -> bytes:
    found, size = list[bytes](), 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise ReadError.too_large(MOST_BYTES)
        if size > max(SMALL, packed * RATIO):
            what = f"it unpacks to more than {RATIO} times its size, as what is made to fill a disk does"
            raise ReadError("E_ARCHIVE_RATIO", what)
    return b"".join(found)
