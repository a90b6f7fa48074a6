"""The staging folder beside the output: how it is found, made and removed, and what lies in it."""

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sitegen.errors import PublishError
from sitegen.publish import manifest
from sitegen.publish.manifest import Content, FolderContents
from sitegen.publish.sentences import printable, telling
from sitegen.system.places import MANIFEST, parents

# The lock that makes two builds of one output wait for each other.

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WAIT_SECONDS = 60.0


_POLL_SECONDS = 0.1


OnWait = Callable[[str], None]  # says that another build is waited for


class Lock:
    """A lock on a file, which the kernel releases when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, shown: str, on_wait: OnWait) -> None:
        """Take the lock, or say once that it is waited for.

        Raises: PublishError after WAIT_SECONDS, OSError.
        """
        deadline = time.monotonic() + WAIT_SECONDS
        said = False
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                waited = f"still runs after {WAIT_SECONDS:g} seconds, wait for its end or stop it"
                raise PublishError(f"another build of {shown} {waited}")
            if not said:
                on_wait(f"waiting for another build of {shown} to end")
                said = True
            time.sleep(_POLL_SECONDS)

    def try_acquire(self) -> bool:
        """Return whether the lock is now ours. Raises: OSError."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o644)
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who held it may have removed the file while we opened it: then others lock a new one.
            if os.path.samestat(os.fstat(descriptor), self._path.stat()):
                self._descriptor = descriptor
                descriptor = -1
                return True
        except (
            BlockingIOError,
            PermissionError,
            FileNotFoundError,
        ):  # PermissionError: held, on Windows
            return False
        finally:
            if descriptor != -1:
                os.close(descriptor)
        return False

    def release(self) -> None:
        """Remove the file, then let go: the other order could remove the file of the next holder."""
        if self._descriptor is not None:
            try:
                with suppress(
                    OSError
                ):  # Windows does not remove an open file: it stays, and does no harm
                    self._path.unlink()
            finally:
                os.close(self._descriptor)
                self._descriptor = None


MARKER, JOURNAL, SITE, OLD = "sitegen-staging", "publishing", "site", "old"
"""In the staging folder: whose it is; the inode of an old site in it; the new tree, or the old one exchanged for it;
the old tree between two renames."""

_CONTAINER_MODE = 0o700
"""Nobody reads a site before it is published, and a repository holds no folder of this mode, unless all have it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The folder in which a site is staged: a value, so that other processes can put files there too."""

    root: str
    shown: str  # the output, as messages name it

    def put(self, name: str, data: bytes) -> None:
        """Write a file; its name is a checked one, its folder exists, and what a dead process began is replaced.

        Raises: PublishError.
        """
        with telling("write {} to {}", name, self.shown):
            self._put(f"{self.root}/{name}", data)

    def put_parts(self, name: str, parts: Iterable[bytes]) -> Content:
        """Write a file in parts, each let go before the next. Raises: PublishError, and what the parts raise."""
        size = 0
        digest = hashlib.sha256()
        self.put(name, b"")
        for part in parts:
            with (
                telling("write {} to {}", name, self.shown),
                open(f"{self.root}/{name}", "ab") as file,  # noqa: PTH123
            ):
                file.write(part)
            size += len(part)
            digest.update(part)
        return Content(size, digest.hexdigest())

    def _put(self, place: str, data: bytes) -> None:
        with suppress(
            FileNotFoundError
        ):  # it may be a second name of a published file, which must stay as it is
            os.unlink(place)  # noqa: PTH108
        with open(place, "xb") as file:  # noqa: PTH123
            file.write(data)
        os.chmod(place, 0o644)  # noqa: PTH101  whatever the umask


class Staged:
    """A site that is written into a staging folder beside its output, while the output is locked; used as a context."""

    def __init__(
        self, output: Path, *, inputs: Sequence[Path] = (), on_wait: OnWait = lambda _: None
    ) -> None:
        self._given, self._output, self._shown = output, output, printable(str(output))
        self._inputs = inputs
        self._on_wait = on_wait
        self._lock: Lock | None = None
        self._made: list[Path] = []  # folders above the output that were not there
        self._root = ""
        self._container: Path | None = None
        self._left: list[str] = []
        self._files: dict[str, Content] = {}
        self._taken = {manifest.name_key(MANIFEST): MANIFEST}
        self._old = FolderContents({}, {}, {})  # the site before, where it is looked into
        self._foreign: dict[
            str, str
        ] = {}  # paths that are not ours in the site before, by their keys
        self._folders = {""}

    def __enter__(self) -> Self:
        """Refuse, lock, finish what a crashed build left, and make the staging folder.

        Raises: RefusedOutput, PublishError.
        """
        self._refuse()
        with ExitStack() as failed, telling("write to {}", self._shown):
            failed.callback(self.__exit__)
            self._output = self._given.resolve()
            parent = self._output.parent
            self._made = [folder for folder in (parent, *parent.parents) if not folder.exists()]
            parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(parent / f".{self._output.name}.sitegen.lock")
            self._lock.acquire(self._shown, self._on_wait)
            for container in staging_folders(parent, self._output.name):
                if is_ours(container):
                    self._left += self._settle(container)
                else:  # others may have made it
                    self._left.append(printable(container.name))
            self._refuse()
            self._begin()
            self._make_stage()
            failed.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Clean up and let go. Quiet: it runs while an error is on its way, and the next build repeats it."""
        try:
            with suppress(OSError, PublishError):
                if self._container is not None:
                    self._settle(self._container)
        finally:
            self._container = None
            if self._lock is not None:
                self._lock.release()
            with suppress(OSError):
                for folder in self._made:  # not empty once the output is there
                    folder.rmdir()

    @property
    def stage(self) -> Stage:
        """The place where files are put before they are published."""
        return Stage(self._root, self._shown)

    def write(self, path: str, data: bytes) -> None:
        """Stage one file: the published one, where it holds the same bytes.

        Raises: PublishError when the path is unsafe, taken (whatever the case and composition of letters),
        that of a foreign file, or cannot be written.
        """
        manifest.check_name(path)
        content = Content.of(data)
        if not self.reuse(path, content):
            self._take(path, content)
            self.stage.put(path, data)

    def make_folder(self, path: str) -> None:
        """Make a folder for files that others stage, where there is none yet. Raises: PublishError, as `write`."""
        if path in self._folders:
            return
        manifest.check_name(path)
        with telling("write {} to {}", path, self._shown):
            self._claim(path, None)

    def record(self, path: str, content: Content) -> None:
        """Count a file as written that another process has put into a folder of `make_folder`.

        Raises: PublishError, as `write`.
        """
        manifest.check_name(path)
        self._take(path, content)

    def _take(self, name: str, content: Content) -> None:
        with telling("write {} to {}", name, self._shown):
            self._claim(name, content)
        self._files[name] = content

    def _claim(self, name: str, content: Content | None) -> None:
        """Take a name for a file, or for a folder (no content) that is made, and the folders above it."""
        parent = name.rpartition("/")[0]
        if parent not in self._folders:
            self._claim(parent, None)
        manifest.take_name(self._taken, name)
        if (theirs := self._foreign.get(manifest.name_key(name))) is not None:
            self._check_clash(theirs, name, content)
        if content is None:
            os.mkdir(f"{self._root}/{name}", 0o755)  # noqa: PTH102
            os.chmod(f"{self._root}/{name}", 0o755)  # noqa: PTH101, S103
            self._folders.add(name)

    def _check_clash(self, theirs: str, mine: str, content: Content | None) -> None:
        """Return when nothing is lost where a file of ours meets one of others. Raises: PublishError."""
        raise NotImplementedError

    def has(self, path: str) -> bool:  # noqa: ARG002  the protocol of targets
        """Return whether the site before is looked into and holds this file."""
        return False

    def reuse(self, path: str, content: Content) -> bool:  # noqa: ARG002  likewise
        """Take a file over from the site before; False where that is not looked into."""
        return False

    def _make_stage(self) -> None:
        self._container = (
            self._output.parent / f".{self._output.name}.sitegen-{secrets.token_hex(6)}"
        )
        self._root = str(self._container / SITE)
        self._container.mkdir(_CONTAINER_MODE)
        text = "A build of sitegen writes its site here. The next build removes this folder.\n"
        (self._container / MARKER).write_text(text, encoding="utf-8", newline="\n")
        os.mkdir(self._root)  # noqa: PTH102
        os.chmod(self._root, 0o755)  # noqa: PTH101, S103

    def _refuse(self) -> None:
        """Raise RefusedOutput where writing could lose something."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Look into the site before, where that is done. Raises: OSError, PublishError."""

    def _settle(self, container: Path) -> list[str]:
        """Bring a staging folder to its end, whatever state it is in, and return what is left of it.

        Without a journal, all in it is our unpublished work, and goes. With one, an old site that lost its name gets it
        back if the journal names it, else it stays; of the rest only that goes which is proven to be ours or in the
        published site too.

        Raises: OSError.
        """
        left: list[str] = []
        if not os.path.lexists(container / JOURNAL):
            remove(container / SITE, lambda *_: True)
        else:
            if is_lost := not os.path.lexists(self._output) and manifest.is_folder(container / OLD):
                if _has_lost_its_name(container):
                    os.rename(container / OLD, self._output)  # noqa: PTH104
                else:  # nobody knows whether it was the site, so it stays
                    left.append(printable(f"{container.name}/{OLD}/"))
            for name in (SITE,) if is_lost else (SITE, OLD):
                remains = remove(container / name, self._proof(container / name))
                left += sorted(printable(f"{container.name}/{name}/{path}") for path in remains)
        if not left and os.path.lexists(container):
            (container / JOURNAL).unlink(missing_ok=True)
            (container / MARKER).unlink(missing_ok=True)
            container.rmdir()
        return left

    def _proof(self, tree: Path) -> Callable[[str, os.stat_result], bool]:
        """Return a function that says whether deleting a path of `tree` loses nothing."""
        listed = manifest.read_manifest(tree) or {}
        folders = parents(listed)

        def proven(path: str, status: os.stat_result) -> bool:
            if stat.S_ISDIR(status.st_mode):
                return path in folders or (self._output / path).is_dir()
            return (
                path == MANIFEST
                or self._old.ours.get(path) == manifest.signature(status)
                or (path in listed and manifest.holds(tree / path, listed[path]))
                or manifest.are_equal(tree / path, self._output / path)
            )

        return proven


def staging_folders(folder: Path, name: str) -> list[Path]:
    """Return what has the name of a staging folder in `folder` for the output of that name, sorted."""
    pattern = re.compile(rf"\.{re.escape(name)}\.sitegen-[0-9a-f]{{12}}")
    with os.scandir(folder) as entries:
        return sorted(Path(entry.path) for entry in entries if pattern.fullmatch(entry.name))


def is_ours(container: Path) -> bool:
    """Return whether a build of this user made a folder that contains only files of a build, without links.

    A folder that is not yet marked has to be empty. Raises: OSError.
    """
    status = container.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform != "win32" and (
        status.st_uid != os.geteuid() or not _has_our_mode(container, status)
    ):
        return False
    names = {path.name for path in container.iterdir()}
    files = names & {MARKER, JOURNAL}
    folders = names & {SITE, OLD}
    are_files = all(manifest.is_file(container / name) for name in files)
    is_whole = are_files and all(manifest.is_folder(container / name) for name in folders)
    return is_whole and names == files | folders and (MARKER in names or not names)


def _has_our_mode(container: Path, status: os.stat_result) -> bool:
    """Return whether the folder has the mode that a folder made by us gets there: some file systems know no modes."""
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if mode == _CONTAINER_MODE:
        return True
    probe = Path(tempfile.mkdtemp(prefix=".sitegen-", dir=container.parent))
    try:
        return stat.S_IMODE(probe.lstat().st_mode) & 0o777 == mode
    finally:
        probe.rmdir()


def _has_lost_its_name(container: Path) -> bool:
    """Return whether the old tree of a staging folder is the very folder that was the output: its inode is in the
    journal."""
    old = container / OLD
    return (
        manifest.is_folder(old)
        and (container / JOURNAL).read_bytes() == b"%d\n" % old.lstat().st_ino
    )


def remove(tree: Path, proven: Callable[[str, os.stat_result], bool]) -> list[str]:
    """Remove what `proven` says, then the tree; return the files, links and empty folders that are left.

    The manifest goes last: while it is there, a removal that was cut short can be repeated.
    """
    left: list[str] = []
    if not manifest.is_folder(tree):
        return left
    found = [(path, status) for path, status in manifest.walk(tree) if path != MANIFEST]
    for path, status in reversed(found):
        try:
            if proven(path, status):
                _remove(f"{tree}/{path}", is_folder=stat.S_ISDIR(status.st_mode))
                continue
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # what it holds is in the list
                continue
        left.append(path)
    if not left:
        (tree / MANIFEST).unlink(missing_ok=True)
        tree.rmdir()
    return left


def _remove(place: str, *, is_folder: bool) -> None:
    """Remove one file, link or empty folder, also from a foreign folder that is read-only. Raises: OSError."""
    act = os.rmdir if is_folder else os.unlink
    try:
        act(place)
    except PermissionError:
        folder = os.path.dirname(place)  # noqa: PTH120  a path for each of many files would be slower
        if os.access(folder, os.W_OK | os.X_OK):  # then it is something else that forbids it
            raise
        os.chmod(folder, 0o700)  # noqa: PTH101
        act(place)


def link_or_copy(source: Path, target: Path, status: os.stat_result) -> None:
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
