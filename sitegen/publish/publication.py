"""A site being written, from the first staged file to the moment in which it is the site; see the package."""

import ctypes
import errno
import os
import platform
import shutil
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import manifest
from sitegen.publish.manifest import Content
from sitegen.publish.sentences import printable, telling
from sitegen.publish.staging import JOURNAL, OLD, SITE, Staged, link_or_copy
from sitegen.system.places import MANIFEST, parents

# The calls that give two names to each other, and what stands in for them where a system lacks them.
# Linux and macOS exchange names in one step; elsewhere `exchange_names` says that it cannot, and `publication` takes
# another way. Only Linux is tested on a real system: macOS and Windows are simulated by calls that answer as theirs
# do.

_NAMES = ("ENOSYS", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EXDEV", "EBUSY", "EPERM", "EACCES")
_NOT_THIS_WAY = frozenset(getattr(errno, name) for name in _NAMES)
"""The errors of a system that does not know the call, or cannot rename this folder: the next way is tried."""


def exchange_names(first: Path, second: Path, *, library: ctypes.CDLL | None = None) -> None:
    """Exchange the names of two folders in one step, by the C library of Linux, renameat2(2), or macOS, renamex_np(2).

    Raises: OSError, with ENOSYS where the system has no such call (glibc before 2.28).
    """
    libc = library or (
        ctypes.CDLL(None, use_errno=True) if platform.system() in ("Linux", "Darwin") else None
    )
    at_working_folder, rename_exchange, rename_swap = -100, 2, 2
    one, two, result = os.fsencode(first), os.fsencode(second), errno.ENOSYS
    if libc and hasattr(libc, "renamex_np"):
        result = libc.renamex_np(one, two, rename_swap) and ctypes.get_errno()
    elif libc and hasattr(libc, "renameat2"):
        result = (
            libc.renameat2(at_working_folder, one, at_working_folder, two, rename_exchange)
            and ctypes.get_errno()
        )
    if result != 0:
        raise OSError(result, os.strerror(result))


NO_JEKYLL = ".nojekyll"  # without this file GitHub Pages leaves out what begins with an underscore

_FILE_MODE = 0o644  # GitHub Pages refuses files that not everybody may read


@dataclass(frozen=True, slots=True)
class Published:
    """The result of publishing a build."""

    files: int  # written by us. Excludes the manifest and what was carried over.
    size: int  # bytes of these files
    carried: tuple[str, ...]
    """Foreign files, links and empty folders (these with a slash), carried from the old site to the new."""
    left: tuple[str, ...]
    """The files in hidden staging folders beside the output that could not be removed or are not proven to be ours."""


class Publication(Staged):
    """A site being written: use it as a context, `write` every file, then `commit`.

    Leaving the context without a commit, for whatever reason, leaves the old site as it was. After an error
    the publication can only be left.
    """

    def has(self, path: str) -> bool:
        """Return whether the published site holds this file as it was written."""
        return path in self._old.ours

    def reuse(self, path: str, content: Content) -> bool:
        """Take a file over from the published site; False where it is not ours, unchanged and of this content.

        Raises: PublishError, as `write`.
        """
        known = self._old.ours.get(path)
        place = f"{self._root}/{path}"
        before = f"{self._output}/{path}"
        if known is None or self._old.listed.get(path) != content:
            return False
        self.make_folder(path.rpartition("/")[0])
        try:
            published = os.lstat(before)
            if manifest.signature(published) != known or not _is_fit(published):
                return False
            os.link(before, place)
        except OSError:
            return False
        with telling("write {} to {}", path, self._shown):
            status = os.lstat(place)
            if manifest.signature(status)[:3] != known[:3]:
                os.unlink(place)  # noqa: PTH108  or what is written next would be written into the published site
                return False
        self._old.ours[path] = manifest.signature(
            status
        )  # a second name changes the time of the status
        self._take(path, content)
        return True

    def commit(self) -> Published:
        """Carry over what is not ours, publish, and remove the old site.

        Raises: PublishError, and RefusedOutput when the output has become what must not be written to; the
        old site is then whole.
        """
        assert self._container is not None, "commit belongs inside the context"  # noqa: S101
        if self._files and NO_JEKYLL not in self._files:
            self.write(NO_JEKYLL, b"")
        self._refuse()
        with telling("write to {}", self._shown):
            # The build may have taken minutes: what was put into the old site meanwhile is not lost either.
            self._old = manifest.contents(self._output, self._old.ours)
            carried = self._carry()
            self.stage.put_parts(MANIFEST, manifest.manifest_parts(self._files))
            self._publish(self._container)
        try:
            self._left += self._settle(self._container)
        except (
            OSError
        ):  # the new site is published: what cannot be cleaned up is left, and no error
            self._left.append(printable(self._container.name))
        self._container = None
        size = sum(content.size for content in self._files.values())
        return Published(len(self._files), size, tuple(map(printable, carried)), tuple(self._left))

    def _refuse(self) -> None:
        refuse_dangerous(self._given, self._inputs)

    def _begin(self) -> None:
        if self._output.exists() and not os.access(self._output, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission")
        self._old = manifest.contents(self._output, {})
        self._foreign = {manifest.name_key(path): path for path in self._old.foreign}

    def _check_clash(self, theirs: str, mine: str, content: Content | None) -> None:
        """Return when nothing is lost: both are folders of one name, or files with the same bytes.

        Raises: PublishError.
        """
        place = self._output / theirs
        if theirs == mine:
            if content is None and place.is_dir() and not place.is_symlink():
                return
            if content is not None and manifest.holds(place, content):
                return
        cause = "which sitegen did not write or which was changed since"
        if manifest.read_manifest(self._output) is None:
            cause = f"and {MANIFEST}, which would say whether it is ours, cannot be read"
        clash = (
            f"the build would write {printable(mine)}, but {self._shown} holds {printable(theirs)}"
        )
        raise PublishError(f"{clash}, {cause}: move that away or name another output")

    def _carry(self) -> list[str]:
        """Bring what is foreign into the staged site, and return it as Published.carried has it."""
        folders: list[str] = []
        carried: list[str] = []
        for path, status in self._old.foreign.items():
            mine = self._taken.get(manifest.name_key(path))
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
                link_or_copy(self._output / path, Path(self._root, path), status)
                carried.append(path)
        for path in reversed(
            folders
        ):  # last: filling a folder changes its time, and needs its permission
            shutil.copystat(self._output / path, f"{self._root}/{path}", follow_symlinks=False)
        full = parents(self._old.foreign)
        return sorted([*carried, *(f"{path}/" for path in folders if path not in full)])

    def _publish(self, container: Path) -> None:
        """Give the staged site the name of the output: by one rename, an exchange, or two renames."""
        staged = container / SITE
        old = container / OLD
        before = self._output.lstat().st_ino if os.path.lexists(self._output) else ""
        (container / JOURNAL).write_bytes(f"{before}\n".encode())
        if not (self._output / MANIFEST).exists():
            os.rename(staged, self._output)  # noqa: PTH104
            return
        try:
            exchange_names(staged, self._output)
        except OSError as error:
            if error.errno not in _NOT_THIS_WAY:
                raise
            os.rename(self._output, old)  # noqa: PTH104
            os.rename(staged, self._output)  # noqa: PTH104  if it fails, `_settle` puts the old site back


def _is_fit(status: os.stat_result) -> bool:
    """Return whether a published file may stay as it is: readable by all, and nobody else's to change."""
    return stat.S_IMODE(status.st_mode) == _FILE_MODE and (
        not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    )


def refuse_dangerous(output: Path, inputs: Sequence[Path]) -> None:
    """Return when `output` is missing, empty, or an earlier site of ours; touch nothing.

    An output inside an input is allowed, an input inside the output is not.

    Raises: RefusedOutput, PublishError where it cannot be looked at.
    """
    shown = printable(str(output))
    with telling("look at the output {}", shown, of=(OSError, ValueError, RuntimeError)):
        if output.is_symlink():
            raise RefusedOutput(
                f"the output {shown} is a symbolic link, name the folder it points to or another"
            )
        real = output.resolve()
        if real == real.parent:
            raise RefusedOutput(
                f"the output {shown} is the root of the file system, name a folder of its own"
            )
        if not os.path.lexists(real):
            return
        if not real.is_dir():
            raise RefusedOutput(f"the output {shown} is not a folder, name another")
        if real.is_mount():
            raise RefusedOutput(
                f"the output {shown} is a mount point and cannot be renamed, name a folder in it"
            )
        guarded = [(Path.cwd(), "the folder you are in"), *((path, "an input") for path in inputs)]
        with suppress(RuntimeError):  # there is no home to guard
            guarded.append((Path.home(), "your home folder"))
        for path, what in guarded:
            if _holds_folder(real, path.resolve()):
                raise RefusedOutput(
                    f"the output {shown} is or holds {what}, name a folder of its own"
                )
        if os.path.lexists(real / ".git"):
            raise RefusedOutput(
                f"the output {shown} is the root of a git repository, name a folder inside it"
            )
        if any(real.iterdir()) and not manifest.is_file(real / MANIFEST):
            fault = f"the output {shown} is not empty and has no {MANIFEST} that lists our files"
            raise RefusedOutput(f"{fault}, name a new folder or empty this one")


def _holds_folder(folder: Path, path: Path) -> bool:
    """Return whether `path` is the existing `folder` or lies in it, however they are spelt (case, bind mounts)."""
    for candidate in (path, *path.parents):
        with suppress(OSError):  # what cannot be reached is not the output, which was
            if candidate.samefile(folder):
                return True
    return False
