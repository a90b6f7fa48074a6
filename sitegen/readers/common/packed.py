"""The packed parts of a file that is read: members of a zip, and Zstandard, which Python cannot read before 3.14.

A member is unpacked in memory and held to a ratio, whatever the archive promises.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, cast

from sitegen.errors import ReadError
from sitegen.readers.run_file import RunFile
from sitegen.system.address import Member
from sitegen.system.bounds import DEFAULT, MB, SMALL_ARCHIVE
from sitegen.system.places import how_to_install

MAX_BYTES = 64 * MB
MAX_MEMBERS = 100_000
DIRECTORY_BYTES = 512
"""The bytes in the directory of a zip for each member that it may have; most members need 100."""
PIECE = 65_536
_ZSTANDARD = 93
_LOCAL = b"PK\3\4"


class _Directory:
    """The file for `zipfile`, which would read a directory of any size into memory."""

    def __init__(self, file: BinaryIO, most_members: int) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file = file
        self._most = most_members

    def read(self, size: int = -1) -> bytes:
        if size > max(PIECE * 2, self._most * DIRECTORY_BYTES):
            raise too_many(self._most)
        return self._file.read(PIECE * 2 if size < 0 else size)


def members_of(file: BinaryIO, most: int) -> list[zipfile.ZipInfo]:
    """Return what a zip lists. Raises: ReadError."""
    try:
        found = zipfile.ZipFile(cast(BinaryIO, _Directory(file, most))).infolist()
    except zipfile.BadZipFile:
        file.seek(0)
        if file.read(4) != _LOCAL:
            raise damaged() from None
        raise ReadError(
            "E_TRUNCATED", "the archive was cut: the list of its members is missing"
        ) from None
    except (ValueError, OverflowError, NotImplementedError, UnicodeDecodeError):
        raise damaged() from None
    if len(found) > most:
        raise too_many(most)
    return found


def damaged(what: str = "this is not an archive of its kind, or it is damaged") -> ReadError:
    return ReadError("E_ARCHIVE_DAMAGED", what)


def too_many(most: int) -> ReadError:
    return ReadError("E_ARCHIVE_COUNT", f"the archive has more than {most:,} members")


def cut() -> ReadError:
    return ReadError("E_TRUNCATED", "the archive ends early; it was cut, or is still being written")


def fault_of_member(info: zipfile.ZipInfo) -> ReadError | None:
    """Return why a member is not unpacked."""
    if info.flag_bits & 1:
        return ReadError("E_ARCHIVE_KIND", "this member is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD):
        what = "this member is packed by a method that is not read; only deflate and Zstandard are"
        return ReadError("E_ARCHIVE_KIND", what)
    return None


def inflated(file: BinaryIO, member: Member, ratio: int = DEFAULT.archive_ratio) -> Iterator[bytes]:
    """Yield the member of a zip, unpacked, piece by piece. Raises: ReadError."""
    if (
        member.offset < 0
    ):  # zipfile allows for what stands before an archive; a damaged list makes it less
        raise damaged(_NOT_THERE)
    file.seek(member.offset)
    head = file.read(30)
    if len(head) < 30 or not head.startswith(_LOCAL):
        raise damaged(_NOT_THERE)
    method, name, further = struct.unpack("<8xH16xHH", head)
    file.seek(name + further, 1)
    packed = _pieces(file, member.size)
    if method == zipfile.ZIP_STORED:
        yield from packed
    else:
        inflater = _zstandard() if method == _ZSTANDARD else zlib.decompressobj(-zlib.MAX_WBITS)
        yield from _unpacked(packed, inflater, member.size, ratio)


_NOT_THERE = "the archive promises a member where there is none"


def _pieces(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left > 0:
        piece = file.read(min(left, PIECE))
        if not piece:
            raise cut()
        left -= len(piece)
        yield piece


class Zip:
    """The members of a file that is a zip."""

    def __init__(self, file: RunFile) -> None:
        """Raises: ReadError."""
        self._stream = file.open()
        found = members_of(self._stream, MAX_MEMBERS)
        members = {
            info.filename: info for info in found if not info.filename.startswith("__MACOSX/")
        }
        outer = next(iter(members), "").partition("/")[0]
        if outer not in ("samples", "_journal") and all(
            name.startswith(f"{outer}/") for name in members
        ):
            members = {name.removeprefix(f"{outer}/"): info for name, info in members.items()}
        self.members = members
        """The members by name, without the one folder that all may lie in where somebody unpacked and packed them."""

    def read(self, name: str) -> bytes:
        """Return a member, unpacked. Raises: ReadError."""
        info = self.members[name]
        if fault := fault_of_member(info):
            raise fault
        return joined(inflated(self._stream, Member(info.header_offset, info.compress_size)))


def unzstd(file: RunFile) -> bytes:
    """Return the content of a file that is packed by Zstandard. Raises: ReadError."""
    stream = file.open()
    size = stream.seek(0, 2)
    stream.seek(0)
    packed = iter(lambda: stream.read(PIECE), b"")
    return joined(_unpacked(packed, _zstandard(), size, DEFAULT.archive_ratio))


def _zstandard() -> Any:
    """Return a decompressor of Zstandard. Raises: ReadError that names what to install."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    install = how_to_install("backports.zstd")
    what = f"it is packed by Zstandard, which this Python cannot unpack; `{install}` adds it"
    raise ReadError("E_ARCHIVE_KIND", what)


def _unpacked(packed: Iterable[bytes], inflater: Any, size: int, ratio: int) -> Iterator[bytes]:
    """Yield pieces, of zlib or Zstandard, of what has this size packed."""
    is_zlib = hasattr(inflater, "unconsumed_tail")
    unpacked = 0
    for rest in packed:
        while not inflater.eof:
            try:
                piece = inflater.decompress(rest, PIECE)
            except Exception:  # of several libraries
                raise damaged("it is damaged: it cannot be unpacked") from None
            unpacked += len(piece)
            hold_ratio(unpacked, size, ratio)
            yield piece
            rest = inflater.unconsumed_tail if is_zlib else b""
            if not rest and len(piece) < PIECE:
                break
        if inflater.eof:
            return
    raise ReadError("E_TRUNCATED", "it ends early within the packed data")


def hold_ratio(unpacked: int, packed: int, ratio: int) -> None:
    """Raise ReadError where so little unpacks to so much."""
    if unpacked > max(SMALL_ARCHIVE, packed * ratio):
        what = f"it unpacks to more than {ratio:,} times its size, like a file made to fill a disk"
        raise ReadError("E_ARCHIVE_RATIO", what)


def joined(pieces: Iterable[bytes], most: int = MAX_BYTES) -> bytes:
    """Return all of them in one. Raises: ReadError `E_LIMIT` where they are more."""
    found: list[bytes] = []
    size = 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > most:
            raise ReadError.too_large(most)
    return b"".join(found)
