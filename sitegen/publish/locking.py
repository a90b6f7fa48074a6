"""The lock that makes two builds of one output wait for each other."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sitegen.errors import PublishError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WAIT_SECONDS = 60.0
"""How long a build waits for another one of the same output."""


_POLL_SECONDS = 0.1


class Lock:
    """A lock on a file, which the kernel releases when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, shown: str, on_wait: Callable[[str], None]) -> None:
        """Take the lock, or say once that it is waited for.

        Raises: PublishError after WAIT_SECONDS, OSError.
        """
        deadline = time.monotonic() + WAIT_SECONDS
        said = False
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                raise PublishError(
                    f"another build of {shown} still runs after {WAIT_SECONDS:g} seconds, wait for its end or stop it"
                )
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
