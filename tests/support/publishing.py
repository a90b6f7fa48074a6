"""What tests of publishing share: three sites, ways to publish, and what lies in and beside an output."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sitegen.publish import Publication, Published, publication
from sitegen.publish.publication import exchange_names
from sitegen.system.places import MANIFEST

Files = dict[str, bytes]

OLD: Files = {
    "index.html": b"old index",
    "runs/a.html": b"old a",
    "runs/b.html": b"old b",
    "gone/c.html": b"old c",
}
NEW: Files = {
    "index.html": b"new index",
    "runs/a.html": b"new a",
    "runs/d/e.html": b"new e",
    "runs/b.html": b"old b",
}
FOREIGN: Files = {
    "CNAME": b"example.org\n",
    "runs/notes.txt": b"mine",
    "photos/2024/p.jpg": b"\xff\xd8",
}


def unsupported(first: Path, second: Path) -> None:
    raise OSError(errno.EINVAL, "this file system has no exchange", str(first), None, str(second))


WAYS = {"exchange": exchange_names, "two renames": unsupported}


@contextmanager
def exchanging(
    by: Callable[[Path, Path], None], rename: Callable[[Path, Path], None] = os.rename
) -> Iterator[None]:
    """Names change by these two calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publication, "exchange_names", by)
        patch.setattr(os, "rename", rename)
        yield


every_way = pytest.mark.parametrize("way", WAYS)
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs fork and POSIX modes")
linux_only = pytest.mark.skipif(platform.system() != "Linux", reason="needs renameat2")


def build(output: Path, files: Files, way: str = "exchange") -> Published:
    with exchanging(WAYS[way]), Publication(output) as publication:
        for path, data in files.items():
            publication.write(path, data)
        return publication.commit()


def add(output: Path, files: Files) -> None:
    for path, data in files.items():
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        (output / path).write_bytes(data)


def content(folder: Path) -> Files:
    """All files below a folder, without the two that every site has."""
    paths = [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (MANIFEST, ".nojekyll")
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def everything(folder: Path) -> dict[str, bytes | str | None]:
    """Every path below a folder with its bytes, its link target, or None for a folder."""
    return {
        path.relative_to(folder).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def beside(output: Path) -> list[str]:
    return sorted(path.name for path in output.parent.iterdir() if path != output)


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a copy of this process and return how it ended: its exit code, or minus the signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
