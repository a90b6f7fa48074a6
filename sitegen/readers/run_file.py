"""A file as readers get it: its name, its first bytes, its neighbours, and its content as a stream."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, BinaryIO, Self

from sitegen.errors import ReadError
from sitegen.readers.common.wrapping import MAX_LAYERS, Unwrapped, Wrapping, wrapping_of
from sitegen.readers.folders import FIRST_EVENT

JSON_EXTENSIONS = frozenset({"json", "jsonl", "ndjson"})
RUN_EXTENSIONS = JSON_EXTENSIONS | {"txt", "log", "out", "traj"}
# The name of what a program printed has no extension or one of these.
_OUTPUT = re.compile(
    r"\A[^.]+\Z|(?:\A|\.)(?:json|jsonl|ndjson|txt|log|out|output|traj|err|stdout|stderr)(?![a-z])"
)
HEAD_BYTES = 4096
LONG_HEAD_BYTES = 65_536
"""The size of the same where the extension is one of a run: warnings before it must not hide it."""
MAX_LOG_BYTES = 64 * 1024**2  # the limit on what belongs to a file and lies beside it
_ORDER_MARK = re.compile(rb"\A(?:\xef\xbb\xbf|\xff\xfe|(?:\0\0)?\xfe\xff)")
_BUFFER_BYTES = 262_144


class RunFile:
    """A file that may hold runs. Nothing of it is in memory but what a reader asks for."""

    def __init__(
        self,
        name: str,
        content: BinaryIO,
        most_bytes: int,
        neighbours: Callable[[], frozenset[str]] = frozenset,
        log: Callable[[], bytes] = bytes,
    ) -> None:
        """`content` is seekable, stands at its beginning, and is closed by the caller. `log` gives what lies beside it
        and belongs to it."""
        self.name = self.path = name
        """The path that the site shows, and that on this machine where it is known, which is in no page."""
        self._content = _Content(content, most_bytes)
        self._neighbours = neighbours
        self._log = log

    @classmethod
    def of(cls, name: str, data: bytes, log: Callable[[], bytes] = bytes) -> Self:
        """Return a file of these bytes, without neighbours."""
        return cls(name, io.BytesIO(data), len(data), log=log)

    @property
    def extension(self) -> str:
        """The extension of the file as it is when it is unpacked, in small letters: `json` of `1.json.gz`."""
        name = self.name.rpartition("/")[2].lower().removesuffix(".gz")
        return name.rpartition(".")[2] if "." in name else ""

    @property
    def is_output(self) -> bool:
        """Whether its name is one of what a program printed, in which JSON may stand after or within other text."""
        return _OUTPUT.search(self.name.rpartition("/")[2].lower()) is not None

    @property
    def stem(self) -> str:
        """Its name without folders and without extensions of formats."""
        name = self.name.rpartition("/")[2].removesuffix(".gz").removesuffix(".zst")
        return name.rpartition(".")[0].removesuffix(".traj") or name

    @property
    def head(self) -> bytes:
        """Its first 4 KiB, or 64 KiB where its extension is one of a run."""
        return self._beginning[1]

    @property
    def wrappings(self) -> tuple[Wrapping, ...]:
        """The text that a log put around its lines, the outermost first."""
        return self._beginning[0]

    @cached_property
    def _beginning(self) -> tuple[tuple[Wrapping, ...], bytes]:
        found: list[Wrapping] = []
        size = LONG_HEAD_BYTES if self.extension in RUN_EXTENSIONS else HEAD_BYTES
        head = self._open(found).read(size)
        most_layers = MAX_LAYERS if self.is_output else 0
        while len(found) < most_layers and (wrapping := wrapping_of(head)):
            found.append(wrapping)
            head = self._open(found).read(size)
        return tuple(found), head

    @cached_property
    def plain_head(self) -> bytes:
        """The same without what UTF-16 and UTF-32 add to ASCII: byte order marks and zeros."""
        return _ORDER_MARK.sub(b"", self.head, count=1).replace(b"\0", b"")

    @cached_property
    def neighbours(self) -> frozenset[str]:
        """Names of the regular files in its folder, its own included; none of a member of an archive."""
        return self._neighbours()

    @cached_property
    def log(self) -> bytes:
        """The content of the file that lies beside it and belongs to it: the log of a database, or the further events
        of a conversation that has a file for each; empty where there is none."""
        has_log = (
            self.extension == "db"
            or FIRST_EVENT.fullmatch(self.name.rpartition("/")[2]) is not None
        )
        return self._log() if has_log else b""

    def open(self) -> io.BufferedReader:
        """Return its content from the beginning, seekable, without what a log put around its lines. A stream that was
        opened before must not be used any more.

        Reading raises ReadError: `E_LIMIT` beyond what a file of this name may have, `E_READ` where the disk fails.
        """
        return self._open(self.wrappings)

    def _open(self, wrappings: Sequence[Wrapping]) -> io.BufferedReader:
        self._content.seek(0)
        stream: io.BufferedReader[Any] = io.BufferedReader(self._content, _BUFFER_BYTES)
        for wrapping in wrappings:
            stream = io.BufferedReader(Unwrapped(stream, wrapping), _BUFFER_BYTES)
        return stream

    def read(self) -> bytes:
        """Return all of it."""
        return self.open().read()

    def pieces(self) -> Iterator[bytes]:
        """Yield all of it, piece by piece."""
        stream = self.open()
        while piece := stream.read(_BUFFER_BYTES):
            yield piece

    def digest(self) -> str:
        """Return the SHA-256, hex, of the bytes that readers were given, and of those that they did not ask for."""
        digest = self._content.digest()
        return hashlib.sha256(digest.encode() + self.log).hexdigest() if self.log else digest


class _Content(io.RawIOBase):
    """The bytes of a file, held to a bound. Each is hashed when it is first read."""

    def __init__(self, content: BinaryIO, most_bytes: int) -> None:
        self._content = content
        self._most = most_bytes
        self._at = self._hashed = 0
        self._hash = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = self._content.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(
        self, buffer: Any
    ) -> int:  # a writable buffer, which has no name before Python 3.12
        view = memoryview(buffer).cast("B")
        data = self._take(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._take(max(self._most + 1 - self._at, 0))

    def close(self) -> None:
        """Do nothing: the next stream over the same content is to be read."""

    def _take(self, size: int) -> bytes:
        try:
            data = self._content.read(size)
        except OSError as error:
            raise ReadError.unreadable(error) from None
        begin = self._at
        self._at = self._at + len(data)
        if self._at > self._most:
            reason = ReadError.too_large(self._most).reason
            raise ReadError("E_LIMIT", f"{reason}; `limits` in the settings allow more")
        if begin <= self._hashed < self._at:
            self._hash.update(memoryview(data)[self._hashed - begin :])
            self._hashed = self._at
        return data

    def digest(self) -> str:
        self.seek(self._hashed)
        while self._take(_BUFFER_BYTES):
            pass
        return self._hash.hexdigest()
