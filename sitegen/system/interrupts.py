"""The handling of Ctrl-C and SIGTERM: they raise KeyboardInterrupt and are remembered, since a library may lose the
exception."""

import signal
import sys
from types import FrameType

received = False
"""Whether the process was asked to end."""


def install() -> None:
    """Take both signals. What stops a container or a CI job cleans up as Ctrl-C does."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _handle)


def ignore() -> None:
    """Let the process end by its exit code: all is said and done.

    While Python clears up it has no handlers, so that a signal would end it as if nothing had been.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _handle(_number: int, _frame: FrameType | None) -> None:
    global received
    received = True
    sys.unraisablehook = lambda _: None  # code that cannot raise it would print it
    raise KeyboardInterrupt
