"""Writes files to an address, several at once, and one only where nobody else has written it meanwhile."""

from __future__ import annotations

import mimetypes
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from sitegen.remote.clients import asked, path_of, scheme_of
from sitegen.remote.files import AT_ONCE, Folder, in_folder, look_at, signs_of

CONDITIONAL = ("s3",)
"""The stores in which a file is written only where it is as it was."""
_TYPE_IN = {"s3": "ContentType", "gs": "content_type"}
"""What a client calls the type of a file."""


def write(files: Mapping[str, bytes]) -> None:
    """Write files, given by their addresses in one store. Raises: OSError, StoreError."""
    of_type: dict[str, dict[str, bytes]] = {}
    for url, data in files.items():
        of_type.setdefault(_type_of(url), {})[url] = data
    for kind, some in of_type.items():
        first = next(iter(some))
        paths = {path_of(url): data for url, data in some.items()}
        asked(first, lambda fs, p=paths, f=first, k=kind: fs.pipe(p, batch_size=AT_ONCE, **_options(f, k)))  # type: ignore[misc]


def read(url: str) -> tuple[bytes, str] | None:
    """A small file and its version; None where there is none. Raises: OSError, StoreError."""
    try:
        found = asked(url, lambda fs: fs.info(path_of(url)))  # first: of a newer file it is out of date
        data: bytes = asked(url, lambda fs: fs.cat_file(path_of(url)))
    except FileNotFoundError:
        return None
    etag, changed = signs_of(found)
    return data, str(etag or changed or "")


def exchange(url: str, data: bytes, version: str | None) -> bool:
    """Write a file at once, where it still is as it was: of this version, or not there. False where it is not.

    Where a store knows no such condition, another may write between our look and our write.
    Raises: OSError, StoreError.
    """
    found = read(url)
    if (found and found[1]) != version:
        return False
    if scheme_of(url) in CONDITIONAL:
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        try:
            options = {**_options(url, _type_of(url)), "CacheControl": "no-cache", **condition}
            asked(url, lambda fs: fs.pipe_file(path_of(url), data, **options))
        except FileExistsError:
            found = read(url)
            return found is not None and found[0] == data  # our own first attempt may have gone through
        return True
    if scheme_of(url) != "sftp":  # there each write of an object is whole
        write({url: data})
        return True
    beside = f"{url}.{secrets.token_hex(6)}"
    write({beside: data})
    asked(url, lambda fs: fs.mv(path_of(beside), path_of(url)))
    return True


def remove(urls: Iterable[str], folder: str) -> None:
    """Remove files below a folder, and the folders that are then empty. Raises: OSError, StoreError."""
    paths = [path_of(url) for url in urls]
    if scheme_of(folder) != "sftp":
        for start in range(0, len(paths), 1000):
            some = paths[start : start + 1000]
            asked(folder, lambda fs, some=some: fs.rm(some))  # type: ignore[misc]
        return
    for path in paths:
        with suppress(FileNotFoundError):
            asked(folder, lambda fs, path=path: fs.rm_file(path))  # type: ignore[misc]
    root, folders = path_of(folder), {path_of(folder)}
    for path in paths:
        above = path.rpartition("/")[0]
        while above.startswith(f"{root}/"):
            folders.add(above)
            above = above.rpartition("/")[0]
    for each in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            asked(folder, lambda fs, each=each: _remove_folder(fs, each))  # type: ignore[misc]


def _remove_folder(fs: Any, path: str) -> None:
    if not fs.ls(path, detail=False):
        from fsspec.asyn import sync

        sync(fs.loop, fs._rmdir, path)  # `rmdir` of fsspec does nothing, and `rm` takes what lies in it along


def folders_in(url: str) -> list[str]:
    """Names of the folders in a folder. Raises: OSError, StoreError."""
    return sorted(each.name for each in in_folder(url) if each.kind == "directory")


def all_below(url: str) -> dict[str, int]:
    """Sizes of all files below a folder, by address. Raises: OSError, StoreError."""
    if look_at(url) is None:
        return {}
    folder, sizes, waiting = Folder(url), dict[str, int](), [url]
    while waiting:
        for each in folder.entries(waiting.pop()):
            if each.kind == "directory":
                waiting.append(each.path)
            else:
                sizes[each.path] = each.address.size
    return sizes


def _options(url: str, kind: str) -> dict[str, str]:
    name = _TYPE_IN.get(scheme_of(url))
    return {name: kind} if name else {}


def _type_of(url: str) -> str:
    name = url.rpartition("/")[2]
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") or name.endswith((".js", ".json")) else kind
