"""vl-convert, which draws charts, in a process of its own: this file is a module, and as a script that process.

Its JavaScript engine takes a third of a second to start. So it does while the build loads its modules and reads the
runs, it leaves no threads in processes that others are forked from, and where it crashes, it takes nothing with it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import signal
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

if __name__ != "__main__":  # the process has no path to this package
    from sitegen.system import system_limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

_TRIES = 2
_STANDARD_ERROR = 2

_KILLED = "its process was killed, for example because memory ran out: give the build more, and build again"
_THREADS = 16  # at least as many as the engine starts
_DYING_SECONDS = 2

_process: Popen[bytes] | None = None
_obstacle: str | None = None
"""The reason why the process last failed to start, or ended, and what to do; None where it is not known."""
_one_call = threading.Lock()


def is_installed() -> bool:
    """Return whether there is a vl-convert; this does not load it."""
    return importlib.util.find_spec("vl_convert") is not None


def start() -> None:
    """Start the process, unless it runs, or vl-convert is not installed, or this program is not a Python that could be
    started again. It ends with this one, or by `stop`."""
    global _process, _obstacle
    if (
        _process is not None
        or not is_installed()
        or not sys.executable
        or getattr(sys, "frozen", False)
    ):
        return
    from subprocess import DEVNULL, PIPE, Popen

    try:
        _fill_standard_files()
        # -P, or modules of this package would stand for those of Python.
        command = [sys.executable, "-P", *(["-I"] if sys.flags.isolated else []), __file__]
        _process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)  # noqa: S603  only this file
    except OSError as error:
        _obstacle = system_limits.shortage(error)


def _fill_standard_files() -> None:
    """Keep the numbers of standard files that are closed from becoming those of the pipes: others write to them."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)


def stop() -> None:
    """End the process, whatever it does, and wait for its end."""
    global _process
    if _process is None:
        return
    if _process.returncode is None:  # or its number may be that of another process by now
        with contextlib.suppress(ProcessLookupError):
            os.kill(
                _process.pid, signal.SIGKILL
            )  # Popen kills only what this very process has started
    for pipe in (_process.stdin, _process.stdout):
        if pipe:
            with contextlib.suppress(OSError):  # a call that was never sent
                pipe.close()
    _process.wait()
    _process = None


@contextlib.contextmanager
def running() -> Iterator[None]:
    """Have the process run, and end it on leaving."""
    start()
    try:
        yield
    finally:
        stop()


def call(
    function: str, *arguments: Any, seconds: float | None = None, **options: Any
) -> Any | None:
    """Return what a function of vl-convert makes; None where it is missing or fails twice, or takes more than these
    seconds.

    After a failure it is asked anew: the next call would fail too, whatever it asks for. Where a process that was
    forked from this one ended during a call, `stop` comes before the next one.
    """
    global _obstacle
    with _one_call:
        for _ in range(_TRIES):
            start()
            if _process is None or _process.stdin is None or _process.stdout is None:
                return None
            watch = threading.Timer(seconds or 0, os.kill, (_process.pid, signal.SIGKILL))
            try:
                if seconds is not None:
                    watch.start()
                _send(_process.stdin, (function, arguments, options))
                is_made, value = pickle.load(_process.stdout)  # noqa: S301  our own process
                if is_made:
                    return value
                _obstacle = None  # it lives, and cannot do it
            except Exception:  # it died
                _obstacle = _why_it_died(_process)
            finally:
                watch.cancel()
            stop()
            if seconds is not None:
                break  # it would take as long again
    return None


def obstacle() -> str:
    """Return why `call` failed the last time, and what to do, as far as that is known; without a full stop."""
    return _obstacle or "install vl-convert-python again"


def _why_it_died(process: Popen[bytes]) -> str | None:
    from subprocess import TimeoutExpired

    with contextlib.suppress(TimeoutExpired):
        if process.wait(_DYING_SECONDS) == -signal.SIGKILL:
            return _KILLED
    if system_limits.has_bounded_addresses():
        return system_limits.ADDRESSES
    return None if system_limits.allows_threads(_THREADS) else system_limits.PROCESSES


def _send(file: IO[bytes], message: tuple[Any, ...]) -> None:
    pickle.dump(message, file, pickle.HIGHEST_PROTOCOL)
    file.flush()


def _serve() -> None:
    """Answer calls until nobody can ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks ends this process
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(
            sys.stderr.fileno(), sys.stdout.fileno()
        )  # what the library may print is not an answer
        import vl_convert

        vl_convert.vega_to_svg({})  # starts the engine
        while True:
            try:
                function, arguments, options = pickle.load(sys.stdin.buffer)  # noqa: S301  who started us
            except EOFError:
                return
            try:
                answer = True, getattr(vl_convert, function)(*arguments, **options)
            except BaseException:  # a panic is not an Exception
                answer = False, None
            _send(answers, answer)


if __name__ == "__main__":
    _serve()
