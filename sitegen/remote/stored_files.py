"""Lists and reads what lies at an address, such as `s3://bucket/runs`, through fsspec: several files at once, and of a
large one only what is asked for.
"""

from __future__ import annotations

import errno
import io
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar

from sitegen.remote.clients import asked, checked, path_of, scheme_of, understood
from sitegen.system.address import Address

T = TypeVar("T")

AT_ONCE = 16  # files that a process reads at the same time
MAX_AHEAD = 32_000_000  # bytes that it holds before they are asked for, or one file
LARGEST_WHOLE = 8_000_000  # bytes of a file that is read whole; of a larger one what is asked for


@dataclass(frozen=True, slots=True)
class RemoteEntry:
    """An entry of a folder."""

    name: str
    address: Address
    kind: str  # "file", "directory", "link", or something else

    @property
    def path(self) -> str:
        """Its address."""
        return self.address.url


class Folder:
    """A folder at an address, and all below it as the store has it now."""

    def __init__(self, url: str) -> None:
        """Raises: ConfigError, StoreError."""
        self.url = checked(url)
        self._folders = _tree(self.url)

    def entries(self, folder: str) -> list[RemoteEntry]:
        """Return what lies in a folder below this one, by name. Raises: OSError, StoreError."""
        entries = sorted(self._folders.get(folder, {}).values(), key=lambda each: each.name)
        _known[folder] = {each.name: each.address for each in entries if each.kind == "file"}
        return entries

    def holds(self, folder: str, name: str) -> bool:
        """Return whether a folder below this one holds a file of this name."""
        return name in self._folders.get(folder, {})


def _tree(url: str) -> dict[str, dict[str, RemoteEntry]]:
    """Return all objects below a prefix, which are one listing, by folder and name. A name with an empty part, or one
    of dots, belongs to no folder and is passed over. Raises: ConfigError, StoreError."""
    folders: dict[str, dict[str, RemoteEntry]] = {}
    prefix = path_of(url)
    for info in _listed(url, lambda fs: fs.find(f"{prefix}/", detail=True)).values():
        within = str(info["name"]).removeprefix(f"{prefix}/")
        if info["type"] != "file" or within == info["name"]:
            continue
        *above, name = within.split("/")
        if not {"", ".", ".."}.isdisjoint((*above, name)):
            continue
        folder = url
        for part in above:
            below = RemoteEntry(part, Address(f"{folder}/{part}"), "directory")
            folders.setdefault(folder, {}).setdefault(
                f"{part}/", below
            )  # an object may have the same name
            folder = f"{folder}/{part}"
        folders.setdefault(folder, {})[name] = RemoteEntry(
            name, _address(f"{folder}/{name}", info), "file"
        )
    return folders


def in_folder(url: str) -> Iterator[RemoteEntry]:
    """Yield what lies in a folder; nothing where there is none. Raises: ConfigError, StoreError, OSError."""
    for info in _listed(url, lambda fs: fs.ls(path_of(url), detail=True)):
        name = str(info["name"]).rstrip("/").rpartition("/")[2]
        if name not in ("", ".", ".."):
            yield RemoteEntry(name, _address(f"{url}/{name}", info), str(info["type"]))


def _listed(url: str, listing: Callable[[Any], Any]) -> Any:
    try:
        return asked(url, listing)
    except FileNotFoundError:
        return {}


def _address(url: str, info: Mapping[str, Any]) -> Address:
    """Return an address with the tag by which a store tells one content of a file from the next: each client has
    another name for it. A file without one is read in each build."""
    if info.get("type") == "directory":
        return Address(url)
    size = int(info.get("size") or 0)
    tag = info.get("ETag") or info.get("etag") or info.get("generation") or info.get("md5Hash")
    return Address(url, size, f"{tag} {size}" if tag else "")


def look_at(url: str) -> RemoteEntry | None:
    """Return what lies at an address; None where nothing does. Raises: ConfigError, StoreError, OSError."""
    return _of(checked(url))


def _of(url: str) -> RemoteEntry | None:
    try:
        info = asked(url, lambda fs: fs.info(path_of(url)))
    except FileNotFoundError:
        return None
    return RemoteEntry(url.rpartition("/")[2], _address(url, info), str(info["type"]))


_known: dict[str, dict[str, Address]] = {}
"""The regular files of folders that were listed, by name; processes that are copied later know them too."""


def names_beside(address: Address) -> frozenset[str]:
    """Return names of the regular files in the folder of a file."""
    return frozenset(_files(address.url.rpartition("/")[0]))


def beside(address: Address, name: str) -> Address:
    """Return a file of this name in the folder of another."""
    folder = address.url.rpartition("/")[0]
    return _files(folder).get(name, Address(f"{folder}/{name}"))


def _files(folder: str) -> dict[str, Address]:
    if folder not in _known:
        _known[folder] = {}
        with suppress(OSError):
            _known[folder] = {
                each.name: each.address for each in in_folder(folder) if each.kind == "file"
            }
    return _known[folder]


# Reading


_CHANGED = "it changed while it was read"
_ahead: dict[
    str, bytes | OSError
] = {}  # the content that was read before it is asked for, by address


def opened(address: Address) -> BinaryIO:
    """Return a file, seekable. Raises: OSError, StoreError."""
    known = _ahead.pop(address.url, None)
    if isinstance(known, OSError):
        raise known
    if known is not None:
        return io.BytesIO(known)
    if not address.version:  # not from a listing
        found = _of(address.url)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        address = found.address
    if address.size > LARGEST_WHOLE:
        return io.BufferedReader(_Pieces(address), 1 << 20)
    data = _read([address])[0]
    if isinstance(data, OSError):
        raise data
    return io.BytesIO(data)


def prefetch(
    items: Iterable[T], addresses: Callable[[T], Iterable[Address | None]]
) -> Generator[T, None, None]:
    """Yield the items, while the files at their addresses are read in advance, several at once.

    Closing the generator lets go of what was not asked for.
    """
    waiting = deque(items)
    group: list[T] = []
    try:
        while waiting:
            wanted: dict[str, Address] = {}
            group = []
            while waiting and len(wanted) < AT_ONCE:
                item = waiting[0]
                more = {
                    address.url: address
                    for address in addresses(item)
                    if address and address.version
                }
                more = {
                    url: address for url, address in more.items() if address.size <= LARGEST_WHOLE
                }
                held = sum(address.size for address in (wanted | more).values())
                if group and held > MAX_AHEAD:
                    break
                wanted |= more
                group.append(waiting.popleft())
            if len(wanted) > 1:
                _ahead.update(zip(wanted, _read(list(wanted.values())), strict=True))
            for item in group:
                yield item
            _ahead.clear()
    finally:
        _ahead.clear()


def _read(addresses: Sequence[Address]) -> list[bytes | OSError]:
    """Return the bytes of files of one store or several, or why they cannot be had. Raises: StoreError."""
    results_by_url: dict[str, bytes | OSError] = {}
    for store in dict.fromkeys(scheme_of(address.url) for address in addresses):
        in_store = [address for address in addresses if scheme_of(address.url) == store]
        full = [address for address in in_store if address.size]
        results_by_url |= {address.url: b"" for address in in_store if not address.size}

        def read(fs: Any, full: Sequence[Address] = full) -> list[bytes | OSError]:
            paths = [path_of(address.url) for address in full]
            sizes = [address.size + 1 for address in full]
            results = fs.cat_ranges(paths, 0, sizes, batch_size=AT_ONCE, on_error="return")
            return [_judged(address, data) for address, data in zip(full, results, strict=True)]

        if full:
            results_by_url |= zip(
                (address.url for address in full), asked(in_store[0].url, read), strict=True
            )
    return [results_by_url[address.url] for address in addresses]


def _judged(address: Address, data: bytes | Exception) -> bytes | OSError:
    """Raises what is worth another attempt."""
    if isinstance(data, Exception):
        if isinstance(known := understood(data), OSError):
            return known
        raise data
    return data if len(data) == address.size else OSError(errno.EIO, _CHANGED)


class _Pieces(io.RawIOBase):
    """A large file, of which only what is asked for is read."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._at = 0
        self._file: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(
            0,
            offset
            + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._address.size}[whence],
        )
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(
        self, buffer: Any
    ) -> int:  # a writable buffer, which has no name before Python 3.12
        size = min(len(buffer), self._address.size - self._at)
        if size <= 0:
            return 0

        def read(fs: Any) -> bytes:
            if self._file is None or self._file.fs is not fs:
                self._file = fs.open(path_of(self._address.url), "rb", cache_type="readahead")
            try:
                self._file.seek(self._at)
                return bytes(self._file.read(size))
            except Exception:
                self._file = None
                raise

        data = asked(self._address.url, read)
        if not data:
            raise OSError(errno.EIO, _CHANGED)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if self._file is not None and not self.closed:
            with suppress(Exception):
                self._file.close()
        super().close()
