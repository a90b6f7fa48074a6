"""The calls that give two names to each other, and what stands in for them where a system lacks them.

Linux and macOS exchange names in one step; elsewhere `exchange_names` says that it cannot, and `publication` takes
another way. Only Linux is tested on a real system: macOS and Windows are simulated by calls that answer as theirs do.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from pathlib import Path

_NOT_THIS_WAY = frozenset(
    getattr(errno, name) for name in ("ENOSYS", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EXDEV", "EBUSY", "EPERM", "EACCES")
)
"""What a system answers that does not know the call, or cannot rename this folder: the next way is tried."""


def exchange_names(first: Path, second: Path) -> None:
    """Exchange the names of two folders in one step.

    Raises: OSError, with ENOSYS where the system has no such call.
    """
    system = platform.system()
    if system not in ("Linux", "Darwin"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    exchange_by(ctypes.CDLL(None, use_errno=True), system, first, second)


def exchange_by(libc: ctypes.CDLL, system: str, first: Path, second: Path) -> None:
    """Exchange two names with the C library of a Linux or macOS machine: renameat2(2), renamex_np(2). Raises: OSError,
    with ENOSYS where the library lacks the call (glibc before 2.28)."""
    at_working_folder, rename_exchange, rename_swap = -100, 2, 2
    one, two = os.fsencode(first), os.fsencode(second)
    if system == "Darwin":
        result = libc.renamex_np(one, two, rename_swap)
    elif hasattr(libc, "renameat2"):
        result = libc.renameat2(at_working_folder, one, at_working_folder, two, rename_exchange)
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def exchanged(first: Path, second: Path) -> bool:
    """Exchange the names of two folders in one step; False where that cannot work here and another way may.

    Raises: OSError for all other failures.
    """
    try:
        exchange_names(first, second)
    except OSError as error:
        if error.errno in _NOT_THIS_WAY:
            return False
        raise
    return True
