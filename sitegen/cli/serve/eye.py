"""Sees what has changed between two builds of `sitegen serve`: names, sizes and times of all that a site is made of."""

import errno
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sitegen.config import Config
from sitegen.system.places import MANIFEST, is_address, is_not_entered, is_pattern, is_unread

_SETTLED_SECONDS = 0.04
"""Longer than a clock of a file system ticks: a file that is written twice within a tick looks the same after both."""
_MAX_SECONDS = 0.5  # a file that grows all the time is not waited for
MAX_FILES = (
    300_000  # above it changes are not seen, such as of a pattern that begins in a home folder
)

Input = tuple[str, str]
"""A file, folder or pattern, and what of it is read: "runs", "all" of a folder, or a file "alone", not those beside."""
Seen = tuple[str, int, int, int, int]
"""A path as it was found: inode, size, and the times of its last writing and change; zeros where none is there."""


class Eye:
    """Looks at the inputs of a site."""

    def __init__(self) -> None:
        self._seen: Sequence[Seen] | None = [("nothing yet", 0, 0, 0, 0)]
        self.pause_seconds = 0.25  # so long a look may be put off: ten times what the last one took

    def changed(self, inputs: Sequence[Input], output: str) -> bool:
        """Return whether a file has changed, came or has gone since this was asked before.

        Waits a moment until nothing changes any more. `output` is passed over.
        """
        now = self._look(inputs, output)
        if now == self._seen:
            return False
        until = time.monotonic() + _MAX_SECONDS
        while time.monotonic() < until:
            time.sleep(_SETTLED_SECONDS)
            last = now
            now = self._look(inputs, output)
            if now == last:
                break
        self._seen = now
        return True

    def _look(self, inputs: Sequence[Input], output: str) -> Sequence[Seen] | None:
        """Return all files; None where they cannot be looked at, which a build says better."""
        began = time.monotonic()
        try:
            return look_at(inputs, output)
        except OSError:
            return None
        finally:
            self.pause_seconds = max(0.25, 10 * (time.monotonic() - began))


def watched(config: Config, settings_paths: Iterable[Path]) -> list[Input]:
    """Return what a site of these settings is made from on this machine: to look at an address each second would cost
    too much. `settings_paths` may lead to nothing: settings that appear there later are a change."""
    paths = [(path, "runs") for path in config.paths_of_runs] + [
        (path, "alone") for path in config.paths_of_outcomes
    ]
    past = [config.baseline.path] if config.baseline and not config.compares_with_previous else []
    past += [config.history.path] if config.history else []
    paths += [(path, "runs" if Path(path).is_dir() else "alone") for path in past]
    paths += [(path, "all") for path in config.paths_of_looks]
    paths += [(str(path), "alone") for path in settings_paths]
    return [(path, reading) for path, reading in paths if not is_address(path)]


def look_at(inputs: Sequence[Input], output: str) -> list[Seen]:
    """Return all that the inputs can lead to, and more; the output is passed over.

    Raises: OSError, also for more files than MAX_FILES.
    """
    found: list[Seen] = []
    ours = os.path.realpath(output)
    for path, reading in inputs:
        for seen in _of_input(path, reading, ours):
            found.append(seen)
            if len(found) > MAX_FILES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return found


def _of_input(path: str, reading: str, ours: str) -> Iterator[Seen]:
    """Yield what lies below a folder, of a pattern below the folder that it begins with, and of a file what lies beside
    it, which may describe it."""
    if os.path.isdir(path):
        yield from _below(path, ours, takes_all=reading == "all")
    elif os.path.lexists(path):
        yield _seen(path, os.stat(path))
        if reading == "runs":
            with os.scandir(os.path.dirname(path) or ".") as listing:
                beside = sorted(listing, key=lambda entry: entry.name)
            yield from (
                _seen(entry.path, entry.stat(follow_symlinks=False))
                for entry in beside
                if entry.is_file()
            )
    elif is_pattern(path):
        fixed = path[: min(path.index(sign) for sign in "*?[" if sign in path)]
        yield from _below(os.path.dirname(fixed) or ".", ours, takes_hidden=True)
    else:  # it may be there the next time
        yield path, 0, 0, 0, 0


def _below(
    folder: str, ours: str, *, takes_all: bool = False, takes_hidden: bool = False
) -> Iterator[Seen]:
    """Yield the files and folders below a folder, without what no build enters; no link is followed."""
    waiting = [folder]
    while waiting:
        parent = waiting.pop()
        with os.scandir(parent) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if not takes_all and _is_passed_over(parent, entry, ours, takes_hidden=takes_hidden):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
                yield entry.path, 0, 0, 0, 0  # its times change with a site that may lie in it
            else:
                yield _seen(entry.path, entry.stat(follow_symlinks=False))


def _is_passed_over(parent: str, entry: os.DirEntry[str], ours: str, *, takes_hidden: bool) -> bool:
    """Return whether no build reads it, as `discover` has it: but for hidden files, of which it may read some."""
    name = os.path.basename(ours)
    if entry.name.startswith(f".{name}.sitegen") or is_unread(parent, entry.name):
        return True
    if not entry.is_dir(follow_symlinks=False):
        return False
    is_site = os.path.lexists(os.path.join(entry.path, MANIFEST))
    is_ours = entry.name == name and os.path.realpath(entry.path) == ours
    return is_site or is_ours or is_not_entered(entry.name, hidden=takes_hidden)


def _seen(path: str, status: os.stat_result) -> Seen:
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
