"""The contents of a published folder: the manifest, what it lists, and what is foreign."""

import hashlib
import json
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sitegen import __version__
from sitegen.cache.memory import ValueKind, decoded
from sitegen.errors import PublishError
from sitegen.publish.sentences import printable
from sitegen.system.places import MANIFEST, parents


@dataclass(frozen=True, slots=True)
class Content:
    """A file as the manifest describes it: bytes, and SHA-256 in hex."""

    size: int
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> "Content":
        """Return the Content of these bytes."""
        return cls(len(data), hashlib.sha256(data).hexdigest())


Signature = tuple[int, int, int, int]
"""Inode, size, time of change and of status change: the same file with the same bytes, within one build."""


@dataclass(frozen=True, slots=True)
class FolderContents:
    """The contents of a published folder, the manifest excluded."""

    ours: dict[str, Signature]  # listed in the manifest, and unchanged since
    foreign: dict[str, os.stat_result]
    """All the rest, folders before what they hold. Excludes folders that only hold files of the manifest."""
    listed: Mapping[str, Content]


def contents(folder: Path, known: Mapping[str, Signature]) -> FolderContents:
    """Sort what lies in a published folder into ours and foreign; files in `known` are not read again.

    Raises: OSError, PublishError when a file system is mounted inside.
    """
    if not folder.exists():
        return FolderContents({}, {}, {})
    device = folder.stat().st_dev
    listed = read_manifest(folder) or {}
    found = FolderContents({}, {}, listed)
    folders = parents(listed)
    for path, status in walk(folder):
        is_folder = stat.S_ISDIR(status.st_mode)
        if is_folder and (folder / path).lstat().st_dev != device:
            place = printable(path)
            raise PublishError(
                f"another file system is mounted at {place} in the output, name another output"
            )
        found_signature = signature(status)
        content = listed.get(path)
        is_known = content and known.get(path) == found_signature and status.st_size == content.size
        if content and (is_known or holds(folder / path, content)):
            found.ours[path] = found_signature
        elif path != MANIFEST and not (is_folder and path in folders):
            found.foreign[path] = status
    return found


def walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all below `folder`, folders before what they hold, else in no order; links are not followed."""
    prefixes = [""]
    while prefixes:
        prefix = prefixes.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield prefix + entry.name, status
                if stat.S_ISDIR(status.st_mode):
                    prefixes.append(f"{prefix}{entry.name}/")


def manifest_parts(files: Mapping[str, Content]) -> Iterator[bytes]:
    """Yield the manifest of these files, by path, in parts: as a whole it would take more memory than all else that is
    known of the files."""
    paths = sorted(files)
    yield b'{"files":{'
    for start in range(0, len(paths), _FILES_PER_PART):
        named = (_named(path, files[path]) for path in paths[start : start + _FILES_PER_PART])
        yield f"{',' if start else ''}{','.join(named)}".encode()
    yield f'}},"generator":"sitegen {__version__}","schema":1}}\n'.encode()


_FILES_PER_PART = 10_000


def _named(path: str, content: Content) -> str:
    return f'{json.dumps(path, ensure_ascii=False)}:{{"sha256":"{content.sha256}","size":{content.size}}}'


def read_manifest(folder: Path) -> dict[str, Content] | None:
    """Return what the manifest in `folder` lists; None when it is missing, damaged, of another schema, no regular file,
    or lists a path that no build could have written.

    Raises: OSError.
    """
    try:
        return listed_in((folder / MANIFEST).read_bytes()) if is_file(folder / MANIFEST) else None
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class _Manifest:
    """A manifest as JSON has it."""

    schema: Literal[1]
    files: dict[str, Content]


def listed_in(manifest: bytes) -> dict[str, Content] | None:
    """Return the same of the manifest itself."""
    read = decoded(ValueKind[_Manifest]("manifest", _Manifest), manifest)
    try:
        for path in read.files if read else ():
            check_name(path)
    except PublishError:
        return None
    return read.files if read else None


_LONGEST_NAME = 255  # bytes, in the file systems in use

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]")
"""Controls, the separator of Windows, and what has no UTF-8."""


def check_name(name: str) -> None:
    """Raises: PublishError when `name` is not a plain relative path that every system can hold."""
    parts = name.split("/")
    if not {"", ".", ".."}.isdisjoint(parts) or _UNSAFE.search(name) or os.path.splitdrive(name)[0]:
        raise PublishError(f"'{printable(name)}' cannot be the path of a file of the site")
    if any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise PublishError(
            f"'{printable(name)}' has a name that is longer than {_LONGEST_NAME} bytes"
        )


def name_key(path: str) -> str:
    """Return what two paths share that some file system takes for one: without case, letters composed."""
    key = path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()
    return path if key == path else key  # one text in memory, of many files


def take_name(taken: dict[str, str], path: str) -> None:
    """Count a path among those `taken`, by their keys. Raises: PublishError where it is taken already."""
    key = name_key(path)
    if key in taken:
        before = printable(taken[key])
        raise PublishError(
            f"the site cannot hold {printable(path)}, since {before} has that name already"
        )
    taken[key] = path


def signature(status: os.stat_result) -> Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_folder(path: Path) -> bool:
    """Return whether it is a folder itself, not a link to one. Raises: OSError where it cannot be looked at."""
    return _is(path, stat.S_ISDIR)


def is_file(path: Path) -> bool:
    """Return whether it is a regular file itself, not a link to one. Raises: OSError where it cannot be looked at."""
    return _is(path, stat.S_ISREG)


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def holds(place: Path, content: Content) -> bool:
    """Return whether a regular file has this size and digest; False when there is none."""
    try:
        status = place.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size != content.size:
            return False
        with place.open("rb", buffering=0) as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == content.sha256
    except (FileNotFoundError, NotADirectoryError):
        return False


def are_equal(place: Path, other: Path) -> bool:
    """Return whether two paths name one file, regular files with the same bytes, or links with the same target."""
    try:
        one = place.lstat()
        two = other.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if os.path.samestat(one, two):
        return True
    if stat.S_ISLNK(one.st_mode) and stat.S_ISLNK(two.st_mode):
        return place.readlink() == other.readlink()
    if not (stat.S_ISREG(one.st_mode) and stat.S_ISREG(two.st_mode)):
        return False
    with place.open("rb", buffering=0) as file:
        return holds(other, Content(one.st_size, hashlib.file_digest(file, "sha256").hexdigest()))
