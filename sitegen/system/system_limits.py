"""The limits of the system for this process, and the messages where they are too low."""

import errno
import sys
import threading

PROCESSES = "the system allows no more processes: end some, or raise the limit (`ulimit -u`)"
MEMORY = (
    "there is not enough memory: free some, or raise the limit (`ulimit -v`), or build with -j 1"
)
FILES = "too many files are open: raise the limit (`ulimit -n`)"
_LIMITED = "the address space of a process is limited (`ulimit -v`), of which its engine reserves tens of gigabytes"
ADDRESSES = f"{_LIMITED}: lift that limit, and bound the memory by other means"

_BY_NUMBER = {
    errno.EAGAIN: PROCESSES,
    errno.ENOMEM: MEMORY,
    errno.EMFILE: FILES,
    errno.ENFILE: FILES,
}
_OF_WRITING = {
    errno.ENOSPC: "the disk is full, free some space",
    errno.EDQUOT: "the disk quota is used up, free some space",
}
_NO_THREAD = "can't start new thread"  # the whole of what Python says then
_NOT_LOADED = "failed to map segment from shared object"
"""The message of the Linux loader about a library for which there is no memory, in an ImportError without a number."""


def shortage(error: BaseException | None) -> str | None:
    """Return what ran short, where an error or one that it hides says so, and what to do; without a full stop."""
    while error is not None:
        if isinstance(error, MemoryError) or (
            isinstance(error, ImportError) and _NOT_LOADED in str(error)
        ):
            return MEMORY
        if isinstance(error, OSError) and error.errno in _BY_NUMBER:
            return _BY_NUMBER[error.errno]
        if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            return PROCESSES
        error = error.__cause__ or error.__context__
    return None


def why_not_written(error: OSError) -> str:
    """Return why a file or an output could not be written, without a full stop."""
    return _OF_WRITING.get(error.errno or 0) or error.strerror or type(error).__name__


def has_bounded_addresses() -> bool:
    """Return whether the address space of a process is limited."""
    if sys.platform == "win32":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def allows_threads(count: int) -> bool:
    """Return whether so many threads, which a system counts as processes, could be started now: it starts and ends
    them."""
    end = threading.Event()
    started = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=end.wait)
            thread.start()
            started.append(thread)
    except RuntimeError:
        return False
    finally:
        end.set()
        for thread in started:
            thread.join()
    return True
