"""Sees what has changed: by a look at names, sizes and times, as a build that follows another has it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sitegen.cache.unchanged import Input, look_at

_SETTLED_SECONDS = 0.04
"""Longer than a clock of a file system ticks: a file that is written twice within a tick looks the same after both."""
_MOST_SECONDS = 0.5
"""A file that grows all the time is not waited for."""


class Eye:
    """Looks at the inputs of a site."""

    def __init__(self) -> None:
        self._seen: Sequence[str] | None = ["nothing yet"]
        self.pause_seconds = 0.25
        """So long a look may be put off: ten times what the last one took."""

    def changed(self, inputs: Sequence[Input], output: str) -> bool:
        """Whether a file has changed, came or has gone since this was asked before.

        Waits a moment until nothing changes any more. `output` is passed over.
        """
        now = self._look(inputs, output)
        if now == self._seen:
            return False
        until = time.monotonic() + _MOST_SECONDS
        while time.monotonic() < until:
            time.sleep(_SETTLED_SECONDS)
            last, now = now, self._look(inputs, output)
            if now == last:
                break
        self._seen = now
        return True

    def _look(self, inputs: Sequence[Input], output: str) -> Sequence[str] | None:
        """A line for each file; None where they cannot be looked at, which a build says better."""
        began = time.monotonic()
        try:
            return look_at(inputs, output).lines
        except OSError:
            return None
        finally:
            self.pause_seconds = max(0.25, 10 * (time.monotonic() - began))
