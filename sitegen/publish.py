"""Publishes a finished site as one step. No other module writes to the output folder.

What a build promises, and how this module keeps it:

*All or nothing.* Files are written to a staging folder beside the output, on the same file system, and the
names of the two folders are exchanged in one system call, so a reader finds the old site or the new one.
Where the system cannot do that there are two fallbacks, and the one that was used is reported: two renames,
with a moment in which no site is there; and file by file, index pages last, for an output that cannot be
renamed (a mount point, a folder that another program holds open), with a moment in which the site is mixed.

*Nothing of others is lost.* The manifest `.sitegen.json`, published with the site, lists what we wrote. A
file is deleted when the manifest lists it and it still has the size and digest listed there, or when the
published site holds the very same file or bytes under the same name. Anything else in the output is carried
into the new site (by a hard link, so it stays the same file; by a copy where links are not possible) and
listed. Where a page would replace such a file the build stops and names it. What nobody can prove to be ours
is left where it is, and reported.

*Two builds of one output wait for each other.* The lock is held on a file beside the output, because the
output itself changes its identity, and the kernel releases it however the process ends.

*A crash needs no care.* Cleaning up after a failure, after success and after the crash of an earlier build is
one function, `_settle`, that acts on what it finds. The staging folder is a container with a marker that
proves whose it is. From the moment in which it may hold somebody's old site it also has a journal, and from
then on nothing in it is deleted without proof.

Decisions that are not obvious:

- A manifest that is damaged, or of another version, proves nothing, and nothing is deleted on its word:
  everything in the folder counts as foreign. Refusing the folder would make one flipped bit a reason to
  rebuild a site by hand, and trusting what can still be read of it would delete on bad evidence. Since a page
  may always take the place of a file with the same bytes, an unchanged site is published again and has a good
  manifest afterwards; a changed one stops at the first page that differs, with a sentence that says why.
- A file that was found unchanged is not read again before it is removed: within one build its inode, size and
  times stand for its bytes. Between two builds nothing but the bytes counts.
- Nothing is flushed to the disk (`fsync`): the promise covers a process that dies at any moment, not a
  machine that loses power. Flushing each file would take longer than rendering it.
- An output that holds a mounted file system is refused: removing the old tree would empty it.
- A program that has the old folder open, or as its working folder, keeps the old folder, which is then
  emptied. A web server must be given the path of the site instead of being started inside it.
- The folder that holds the output must be writable, for the lock and the staging folder, even where the
  output is a mount point.

Linux and macOS exchange names; other systems use the fallbacks. All is tested on Linux only: macOS and Windows are
simulated by giving the publication calls that answer as theirs do.

The module is long because it is one argument: what may be deleted, and when. Whoever reads one part needs the others.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import stat
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from sitegen import __version__
from sitegen.discover import MANIFEST
from sitegen.errors import PublishError, RefusedOutput

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NO_JEKYLL = ".nojekyll"
"""Without this file GitHub Pages leaves out what begins with an underscore."""

EXCHANGE, ONE_RENAME, TWO_RENAMES, FILE_BY_FILE = "exchange", "one rename", "two renames", "file by file"

_MARKER, _JOURNAL, _SITE, _OLD = "sitegen-staging", "publishing", "site", "old"
"""In the staging folder: whose it is, that it may hold an old site, the new tree (after an exchange the old
one), and the old tree between two renames."""

_NOT_THIS_WAY = frozenset(
    getattr(errno, name) for name in ("ENOSYS", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EXDEV", "EBUSY", "EPERM", "EACCES")
)
"""What a system answers that does not know the call, or cannot rename this folder: the next way is tried."""

_ADVICE = {
    errno.ENOSPC: "the disk is full, free some space and build again",
    errno.EDQUOT: "the disk quota is used up, free some space and build again",
    errno.EFBIG: "the file is larger than the system allows",
    errno.EACCES: "permission is denied, choose an output that you may write to",
    errno.EPERM: "permission is denied, choose an output that you may write to",
    errno.EROFS: "the file system is read-only, choose another output",
    errno.EIO: "the disk reports an error, check it or choose another output",
    errno.EMFILE: "too many files are open, raise the limit (ulimit -n) and build again",
    errno.ENOENT: "something in it vanished while the build ran, build again",
    errno.EEXIST: "something was added to it while the build ran, build again",
    errno.ENOTEMPTY: "something was added to it while the build ran, build again",
    errno.ENOTDIR: "a part of its path is not a folder, choose another output",
    errno.ENAMETOOLONG: "its name is too long, choose a shorter one",
}
_LONGEST_NAME = 255
"""Bytes, in the file systems in use."""
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]")
"""Controls, the separator of Windows, and what has no UTF-8."""
WAIT_SECONDS = 60.0
"""How long a build waits for another one of the same output."""
_POLL_SECONDS = 0.1

_RENAMEAT2_NUMBERS = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "armv7l": 382,
    "ppc64le": 357,
    "s390x": 347,
}

Rename = Callable[[Path, Path], None]
"""Renames the first path to the second, or exchanges the two; raises OSError."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a build wrote."""

    mode: str
    """How it was published: one of EXCHANGE, ONE_RENAME, TWO_RENAMES, FILE_BY_FILE."""
    files: int
    """Written by us. Excludes the manifest and what was carried over."""
    size: int
    """Bytes of these files."""
    carried: tuple[str, ...]
    """Foreign files, links and empty folders (these with a slash), carried from the old site to the new."""
    left: tuple[str, ...]
    """In hidden staging folders beside the output: what could not be removed or is not proven to be ours."""


@dataclass(frozen=True, slots=True)
class _Content:
    """A file as the manifest describes it: bytes, and SHA-256 in hex."""

    size: int
    sha256: str


_Signature = tuple[int, int, int, int]
"""Inode, size, time of change and of status change: the same file with the same bytes, within one build."""


@dataclass(frozen=True, slots=True)
class _Survey:
    """What lies in a published folder, the manifest excluded."""

    ours: dict[str, _Signature]
    """Listed in the manifest, and unchanged since."""
    foreign: dict[str, os.stat_result]
    """All the rest, folders before what they hold. Excludes folders that only hold files of the manifest."""


def refuse_dangerous(output: Path, inputs: Sequence[Path]) -> None:
    """Return when `output` is missing, empty, or an earlier site of ours; touch nothing.

    An output inside an input is allowed, an input inside the output is not.

    Raises: RefusedOutput, PublishError where it cannot be looked at.
    """
    shown = _shown(str(output))
    try:
        if output.is_symlink():
            raise RefusedOutput(f"the output {shown} is a symbolic link, name the folder it points to or another")
        real = output.resolve()
        if real == real.parent:
            raise RefusedOutput(f"the output {shown} is the root of the file system, name a folder of its own")
        if not os.path.lexists(real):
            return
        if not real.is_dir():
            raise RefusedOutput(f"the output {shown} is not a folder, name another")
        guarded = [(Path.cwd(), "the folder you are in"), *((path, "an input") for path in inputs)]
        with suppress(RuntimeError):  # there is no home to guard
            guarded.append((Path.home(), "your home folder"))
        for path, what in guarded:
            if _holds_folder(real, path.resolve()):
                raise RefusedOutput(f"the output {shown} is or holds {what}, name a folder of its own")
        if os.path.lexists(real / ".git"):
            raise RefusedOutput(f"the output {shown} is the root of a git repository, name a folder inside it")
        if any(real.iterdir()) and not _is_file(real / MANIFEST) and not _containers(real, real.name):
            raise RefusedOutput(
                f"the output {shown} is not empty and holds no {MANIFEST} that would say what in it is ours, "
                "name a new folder or empty this one"
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise _failure(error, f"look at the output {shown}") from error


class Publication:
    """A site being written: use it as a context, `write` every file, then `commit`.

    Leaving the context without a commit, for whatever reason, leaves the old site as it was. After an error
    the publication can only be left.

    `exchange` and `rename` are the two calls by which names change: parameters, so that a test can take away
    what a system may lack.
    """

    def __init__(
        self,
        output: Path,
        *,
        inputs: Sequence[Path] = (),
        on_wait: Callable[[str], None] = lambda _: None,
        wait_seconds: float | None = None,
        exchange: Rename | None = None,
        rename: Rename = os.rename,
    ) -> None:
        self._given = output
        self._shown = _shown(str(output))
        self._inputs = inputs
        self._on_wait = on_wait
        self._wait_seconds = WAIT_SECONDS if wait_seconds is None else wait_seconds
        self._exchange = exchange or exchange_names
        self._rename = rename
        self._output = output
        self._container: Path | None = None
        self._lock: _Lock | None = None
        self._parents_made: list[Path] = []
        self._root = ""
        self._must_set_modes = False
        self._old = _Survey({}, {})
        self._foreign: dict[str, str] = {}
        self._files: dict[str, _Content] = {}
        self._folders = {""}
        self._taken = {_key(MANIFEST): MANIFEST}
        self._left: list[str] = []

    def __enter__(self) -> Self:
        """Refuse, lock, finish what a crashed build left, and make the staging folder.

        Raises: RefusedOutput, PublishError.
        """
        refuse_dangerous(self._given, self._inputs)
        try:
            self._begin()
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def write(self, path: PurePosixPath, data: bytes) -> None:
        """Stage one file.

        Raises: PublishError when the path is unsafe, taken (whatever the case and composition of letters),
        that of a foreign file, or cannot be written.
        """
        name = str(path)
        _check_name(name)
        content = _Content(len(data), hashlib.sha256(data).hexdigest())
        try:
            self._claim(name, content)
            self._put(f"{self._root}/{name}", data)
        except OSError as error:
            raise self._failure(error, _shown(name)) from error
        self._files[name] = content

    def commit(self) -> Published:
        """Carry over what is not ours, publish, and remove the old site.

        Raises: PublishError, and RefusedOutput when the output has become what must not be written to; the
        old site is then whole.
        """
        assert self._container is not None, "commit belongs inside the context"  # noqa: S101
        if NO_JEKYLL not in self._files:
            self.write(PurePosixPath(NO_JEKYLL), b"")
        refuse_dangerous(self._given, self._inputs)
        try:
            # The build may have taken minutes: what was put into the old site meanwhile is not lost either.
            self._old = _survey(self._output, self._old.ours)
            carried = self._carry()
            self._put(f"{self._root}/{MANIFEST}", _manifest(self._files))
            mode = self._publish(self._container)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._left += self._settle(self._container)
        except OSError:
            self._left.append(_shown(self._container.name))
        self._container = None
        size = sum(content.size for content in self._files.values())
        return Published(mode, len(self._files), size, tuple(map(_shown, carried)), tuple(self._left))

    def _begin(self) -> None:
        self._output = self._given.resolve()
        parent, name = self._output.parent, self._output.name
        self._parents_made = [folder for folder in (parent, *parent.parents) if not folder.exists()]
        parent.mkdir(parents=True, exist_ok=True)
        self._lock = _Lock(parent / f".{name}.sitegen.lock")
        self._lock.acquire(self._shown, self._on_wait, self._wait_seconds)
        for container in (*_containers(parent, name), *_containers(self._output, name)):
            self._left += self._settle(container)
        refuse_dangerous(self._given, self._inputs)
        if self._output.exists() and not os.access(self._output, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission")
        self._old = _survey(self._output, {})
        self._foreign = {_key(path): path for path in self._old.foreign}
        self._container = parent / f".{name}.sitegen-{secrets.token_hex(6)}"
        self._root = str(self._container / _SITE)
        _make_container(self._container)
        os.mkdir(self._root, 0o755)  # noqa: PTH102  the probe of what becomes of the modes we ask for
        self._must_set_modes = stat.S_IMODE(os.lstat(self._root).st_mode) & 0o777 != 0o755
        if self._must_set_modes:
            os.chmod(self._root, 0o755)  # noqa: PTH101, S103

    def _close(self) -> None:
        """Clean up and let go. Quiet: it runs while an error is on its way, and the next build repeats it."""
        try:
            with suppress(OSError, PublishError):
                if self._container is not None:
                    for container in (*_containers(self._output, self._output.name), self._container):
                        self._settle(container)
        finally:
            self._container = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None
        with suppress(OSError):
            for folder in self._parents_made:  # not empty once the site is published
                folder.rmdir()

    def _put(self, place: str, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(place, flags, 0o644)
        try:
            written = os.write(descriptor, data)
            while written < len(data):
                written += os.write(descriptor, memoryview(data)[written:])
        finally:
            os.close(descriptor)
        if self._must_set_modes:
            os.chmod(place, 0o644)  # noqa: PTH101

    def _claim(self, name: str, content: _Content | None) -> None:
        """Take a name for a file, or for a folder (no content) that is made, and the folders above it."""
        parent = name.rpartition("/")[0]
        if parent not in self._folders:
            self._claim(parent, None)
        key = _key(name)
        if key in self._taken:
            taken = _shown(self._taken[key])
            raise PublishError(f"the site cannot hold {_shown(name)}, since {taken} has that name already")
        theirs = self._foreign.get(key)
        if theirs is not None:
            self._check_clash(theirs, name, content)
        self._taken[key] = name
        if content is None:
            os.mkdir(f"{self._root}/{name}", 0o755)  # noqa: PTH102
            if self._must_set_modes:
                os.chmod(f"{self._root}/{name}", 0o755)  # noqa: PTH101, S103
            self._folders.add(name)

    def _check_clash(self, theirs: str, mine: str, content: _Content | None) -> None:
        """Return when nothing is lost: both are folders of one name, or files with the same bytes.

        Raises: PublishError.
        """
        place = self._output / theirs
        if theirs == mine:
            if content is None and place.is_dir() and not place.is_symlink():
                return
            if content is not None and _holds(place, content):
                return
        cause = "which sitegen did not write or which was changed since"
        if _read_manifest(self._output) is None:
            cause = f"and {MANIFEST}, which would say whether it is ours, cannot be read"
        raise PublishError(
            f"the build would write {_shown(mine)}, but {self._shown} holds {_shown(theirs)}, {cause}: "
            "move that away or name another output"
        )

    def _carry(self) -> list[str]:
        """Bring what is foreign into the staged site, and return it as Published.carried has it."""
        folders: list[str] = []
        carried: list[str] = []
        for path, status in self._old.foreign.items():
            mine = self._taken.get(_key(path))
            if mine is not None:
                self._check_clash(path, mine, self._files.get(mine))
                continue
            parent = path.rpartition("/")[0]
            if parent not in self._folders:
                self._claim(parent, None)
            if stat.S_ISDIR(status.st_mode):
                os.mkdir(f"{self._root}/{path}")  # noqa: PTH102
                self._folders.add(path)
                folders.append(path)
            else:
                _link_or_copy(self._output / path, Path(self._root, path), status)
                carried.append(path)
        for path in reversed(folders):  # last: filling a folder changes its time, and needs its permission
            shutil.copystat(self._output / path, f"{self._root}/{path}", follow_symlinks=False)
        full = _parents(self._old.foreign)
        return sorted([*carried, *(f"{path}/" for path in folders if path not in full)])

    def _publish(self, container: Path) -> str:
        """Give the staged site the name of the output; return the way in which it was done."""
        staged, old = container / _SITE, container / _OLD
        (container / _JOURNAL).touch()
        if not (self._output / MANIFEST).exists():
            if _tried(self._rename, staged, self._output):
                return ONE_RENAME
        elif _tried(self._exchange, staged, self._output):
            return EXCHANGE
        elif _tried(self._rename, self._output, old):
            self._rename(staged, self._output)  # if it fails, `_settle` puts the old site back
            return TWO_RENAMES
        # All bytes are brought to the output's file system before the first file of the old site is touched.
        self._output.mkdir(exist_ok=True)
        inside = self._output / container.name
        _make_container(inside)
        shutil.move(staged, inside / _SITE)
        (inside / _JOURNAL).touch()
        self._left += self._settle(inside)
        return FILE_BY_FILE

    def _settle(self, container: Path) -> list[str]:
        """Bring a staging folder to its end, whatever state it is in, and return what is left of it.

        Without a journal, all in it is our unpublished work, and goes. With one inside the output, publishing
        file by file has begun, and is finished. With one beside the output, an old site that lost its name
        gets it back, and of what remains only that goes which is proven to be ours or to be in the published
        site as well.

        Raises: OSError, PublishError where file by file cannot be finished.
        """
        left: list[str] = []
        if not (container / _JOURNAL).exists():
            _remove(container / _SITE, lambda *_: True)
        else:
            if container.parent == self._output:
                self._replace_each(container / _SITE)
            if not os.path.lexists(self._output) and (container / _OLD).exists():
                os.rename(container / _OLD, self._output)  # noqa: PTH104
            for name in (_SITE, _OLD):
                remains = _remove(container / name, self._proof(container / name))
                left += sorted(_shown(f"{container.name}/{name}/{path}") for path in remains)
        if not left and container.exists():
            (container / _JOURNAL).unlink(missing_ok=True)
            (container / _MARKER).unlink(missing_ok=True)
            container.rmdir()
        return left

    def _proof(self, tree: Path) -> Callable[[str, os.stat_result], bool]:
        """A function that says whether deleting a path of `tree` loses nothing."""
        listed = _read_manifest(tree) or {}
        folders = _parents(listed)

        def proven(path: str, status: os.stat_result) -> bool:
            if stat.S_ISDIR(status.st_mode):
                return path in folders or (self._output / path).is_dir()
            return (
                path == MANIFEST
                or self._old.ours.get(path) == _signature(status)
                or (path in listed and _holds(tree / path, listed[path]))
                or _are_equal(tree / path, self._output / path)
            )

        return proven

    def _replace_each(self, staged: Path) -> None:
        """Move a staged site into the output file by file: pages, then index pages, the manifest at the end.

        It can be begun again at any point: what is done is no longer staged.

        Raises: PublishError.
        """
        new = _read_manifest(staged)
        if new is None:  # the manifest goes last, so all is done
            return
        try:
            found = _survey(self._output, self._old.ours)
            waiting = sorted((path for path in new if (staged / path).exists()), key=_index_last)
            for path in waiting:
                if path in found.foreign:
                    self._check_clash(path, path, new[path])
            keys, folders = {_key(path) for path in new}, _parents(new)
            emptied = sorted(_parents(_read_manifest(self._output) or {}) - folders, reverse=True)
            stale = {path for path in found.ours if _key(path) not in keys}
            in_the_way = {path for path in stale if path in folders or not _parents([path]).isdisjoint(new)}
            self._remove_stale(in_the_way, emptied)
            for path in waiting:
                target = self._output / path
                for folder in sorted(_parents([path])):
                    if not (self._output / folder).is_dir():
                        (self._output / folder).mkdir()
                        (self._output / folder).chmod(0o755)
                os.replace(staged / path, target)  # noqa: PTH105
            self._remove_stale(stale - in_the_way, emptied)
            os.replace(staged / MANIFEST, self._output / MANIFEST)  # noqa: PTH105
        except OSError as error:
            raise PublishError(
                f"cannot publish to {self._shown} file by file: {_cause(error)}; the next build finishes this"
            ) from error

    def _remove_stale(self, paths: Iterable[str], folders: Iterable[str]) -> None:
        for path in paths:
            (self._output / path).unlink(missing_ok=True)
        for folder in folders:
            try:
                (self._output / folder).rmdir()
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                    raise

    def _failure(self, error: OSError, file: str = "") -> PublishError:
        return _failure(error, f"write {file} to {self._shown}" if file else f"write to {self._shown}")


class _Lock:
    """A lock on a file, which the kernel releases when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, shown: str, on_wait: Callable[[str], None], wait_seconds: float) -> None:
        """Take the lock, or say once that it is waited for.

        Raises: PublishError after `wait_seconds`, OSError.
        """
        deadline = time.monotonic() + wait_seconds
        said = False
        while not self._try():
            if time.monotonic() >= deadline:
                raise PublishError(
                    f"another build of {shown} still runs after {wait_seconds:g} seconds, wait for its end or stop it"
                )
            if not said:
                on_wait(f"waiting for another build of {shown} to end")
                said = True
            time.sleep(_POLL_SECONDS)

    def _try(self) -> bool:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o644)
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who held it may have removed the file while we opened it: then others lock a new one.
            if os.path.samestat(os.fstat(descriptor), self._path.stat()):
                self._descriptor, descriptor = descriptor, -1
                return True
        except (BlockingIOError, PermissionError, FileNotFoundError):  # PermissionError: held, on Windows
            return False
        finally:
            if descriptor != -1:
                os.close(descriptor)
        return False

    def release(self) -> None:
        """Remove the file, then let go: the other order could remove the file of the next holder."""
        if self._descriptor is not None:
            try:
                with suppress(OSError):  # Windows does not remove an open file: it stays, and does no harm
                    self._path.unlink()
            finally:
                os.close(self._descriptor)
                self._descriptor = None


def exchange_names(first: Path, second: Path) -> None:
    """Exchange the names of two folders in one step.

    Raises: OSError, with ENOSYS where the system has no such call.
    """
    system = platform.system()
    if system not in ("Linux", "Darwin"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    exchange_by(ctypes.CDLL(None, use_errno=True), system, platform.machine(), first, second)


def exchange_by(libc: ctypes.CDLL, system: str, machine: str, first: Path, second: Path) -> None:
    """Exchange two names with the C library of a Linux or macOS machine. Raises: OSError.

    Source: renameat2(2), with its number from the kernel's tables for C libraries that do not have it (musl,
    old glibc); renamex_np(2) of macOS.
    """
    at_working_folder, rename_exchange, rename_swap = -100, 2, 2
    one, two = os.fsencode(first), os.fsencode(second)
    if system == "Darwin":
        result = libc.renamex_np(one, two, rename_swap)
    elif hasattr(libc, "renameat2"):
        result = libc.renameat2(at_working_folder, one, at_working_folder, two, rename_exchange)
    else:
        number = _RENAMEAT2_NUMBERS.get(machine)
        if number is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        result = libc.syscall(number, at_working_folder, one, at_working_folder, two, rename_exchange)
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _tried(rename: Rename, source: Path, target: Path) -> bool:
    """Whether the call worked; False where it cannot work here and another way may.

    Raises: OSError for all other failures.
    """
    try:
        rename(source, target)
    except OSError as error:
        if error.errno in _NOT_THIS_WAY:
            return False
        raise
    return True


def _containers(folder: Path, name: str) -> list[Path]:
    """The staging folders in `folder` for the output of that name, sorted. An empty one is not yet marked."""
    pattern = re.compile(rf"\.{re.escape(name)}\.sitegen-[0-9a-f]{{12}}")
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        named = [entry for entry in entries if pattern.fullmatch(entry.name)]
    found = [Path(entry.path) for entry in named if entry.is_dir(follow_symlinks=False)]
    return sorted(path for path in found if _is_file(path / _MARKER) or not any(path.iterdir()))


def _make_container(container: Path) -> None:
    container.mkdir(0o700)  # nobody reads a site that is not yet published
    text = "A build of sitegen writes its site here. The next build removes this folder.\n"
    (container / _MARKER).write_text(text, encoding="utf-8", newline="\n")


def _survey(folder: Path, known: Mapping[str, _Signature]) -> _Survey:
    """Sort what lies in a published folder into ours and foreign; files in `known` are not read again.

    Raises: OSError, PublishError when a file system is mounted inside.
    """
    found = _Survey({}, {})
    if not folder.exists():
        return found
    device = folder.stat().st_dev
    listed = _read_manifest(folder) or {}
    folders = _parents(listed)
    for path, status in _walk(folder):
        is_folder = stat.S_ISDIR(status.st_mode)
        if is_folder and (folder / path).lstat().st_dev != device:
            raise PublishError(f"another file system is mounted at {_shown(path)} in the output, name another output")
        signature = _signature(status)
        content = listed.get(path)
        if content and (known.get(path) == signature or _holds(folder / path, content)):
            found.ours[path] = signature
        elif path != MANIFEST and not (is_folder and path in folders):
            found.foreign[path] = status
    return found


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All below `folder`, folders before what they hold, else in no order; links are not followed."""
    prefixes = [""]
    while prefixes:
        prefix = prefixes.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield prefix + entry.name, status
                if stat.S_ISDIR(status.st_mode):
                    prefixes.append(f"{prefix}{entry.name}/")


def _remove(tree: Path, proven: Callable[[str, os.stat_result], bool]) -> list[str]:
    """Remove what `proven` says, then the tree; return the files, links and empty folders that are left.

    The manifest goes last: while it is there, a removal that was cut short can be repeated.
    """
    left: list[str] = []
    if not tree.exists():
        return left
    found = [(path, status) for path, status in _walk(tree) if path != MANIFEST]
    for path, status in reversed(found):
        try:
            if proven(path, status):
                folder = (tree / path).parent
                if not os.access(folder, os.W_OK):  # a foreign folder that is read-only
                    folder.chmod(0o700)
                (tree / path).rmdir() if stat.S_ISDIR(status.st_mode) else (tree / path).unlink()
                continue
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # what it holds is in the list
                continue
        left.append(path)
    if not left:
        (tree / MANIFEST).unlink(missing_ok=True)
        tree.rmdir()
    return left


def _link_or_copy(source: Path, target: Path, status: os.stat_result) -> None:
    """Give a foreign file a second name, or copy it where that is not possible. Raises: OSError."""
    if stat.S_ISLNK(status.st_mode):
        shutil.copy2(source, target, follow_symlinks=False)
        return
    try:
        os.link(source, target)
    except OSError:
        if not stat.S_ISREG(status.st_mode):
            raise
        shutil.copy2(source, target, follow_symlinks=False)


def _manifest(files: Mapping[str, _Content]) -> bytes:
    listed = {path: {"size": content.size, "sha256": content.sha256} for path, content in files.items()}
    manifest = {"schema": 1, "generator": f"sitegen {__version__}", "files": listed}
    return (json.dumps(manifest, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _read_manifest(folder: Path) -> dict[str, _Content] | None:
    """What the manifest in `folder` lists; None when it is missing, damaged, or of another schema.

    Its paths are only ever looked up, never opened: an unsafe one does no harm.
    """
    try:
        manifest: object = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    match manifest:
        case {"schema": 1, "files": dict() as files}:
            listed: dict[str, _Content] = {}
        case _:
            return None
    for path, entry in files.items():
        match entry:
            case {"size": int() as size, "sha256": str() as sha256}:
                listed[path] = _Content(size, sha256)
            case _:
                return None
    return listed


def _check_name(name: str) -> None:
    """Raises: PublishError when `name` is not a plain relative path that every system can hold."""
    parts = name.split("/")
    if not {"", ".", ".."}.isdisjoint(parts) or _UNSAFE.search(name):
        raise PublishError(f"'{_shown(name)}' cannot be the path of a file of the site")
    if any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise PublishError(f"'{_shown(name)}' has a name that is longer than {_LONGEST_NAME} bytes")


def _key(path: str) -> str:
    """What two paths share that some file system takes for one: without case, letters composed."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _parents(paths: Iterable[str]) -> set[str]:
    """All folders above these paths, the root excluded."""
    found: set[str] = set()
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return found


def _signature(status: os.stat_result) -> _Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _index_last(path: str) -> tuple[bool, str]:
    return path.rpartition("/")[2].startswith("index"), path


def _holds(place: Path, content: _Content) -> bool:
    """Whether a regular file has this size and digest; False when there is none."""
    try:
        status = place.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size != content.size:
            return False
        with place.open("rb", buffering=0) as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == content.sha256
    except (FileNotFoundError, NotADirectoryError):
        return False


def _are_equal(place: Path, other: Path) -> bool:
    """Whether two paths name one file, regular files with the same bytes, or links with the same target."""
    try:
        one, two = place.lstat(), other.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if os.path.samestat(one, two):
        return True
    if stat.S_ISLNK(one.st_mode) and stat.S_ISLNK(two.st_mode):
        return place.readlink() == other.readlink()
    if not (stat.S_ISREG(one.st_mode) and stat.S_ISREG(two.st_mode)) or one.st_size != two.st_size:
        return False
    with place.open("rb", buffering=0) as a, other.open("rb", buffering=0) as b:
        return hashlib.file_digest(a, "sha256").digest() == hashlib.file_digest(b, "sha256").digest()


def _holds_folder(folder: Path, path: Path) -> bool:
    """Whether `path` is the existing `folder` or lies in it, however they are spelt (case, bind mounts)."""
    for candidate in (path, *path.parents):
        with suppress(OSError):  # what cannot be reached is not the output, which was
            if candidate.samefile(folder):
                return True
    return False


def _shown(path: str) -> str:
    """A path as text: bytes that are no UTF-8 and characters that do not print are escaped."""
    text = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _cause(error: BaseException) -> str:
    advice = _ADVICE.get(error.errno or 0) if isinstance(error, OSError) else None
    return advice or (error.strerror if isinstance(error, OSError) else None) or str(error)


def _failure(error: BaseException, what: str) -> PublishError:
    return PublishError(f"cannot {what}: {_cause(error)}; nothing was published and an old site is as it was")
