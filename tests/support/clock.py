"""Processor time in seconds of a usual machine, so that no limit depends on how fast or how busy this one is."""

from __future__ import annotations

import time

USUAL_SECONDS = 0.005
"""What `_work` takes on a usual machine that does nothing else."""


def seconds_since(start: float) -> float:
    """Return the processor time since `start`, a `time.process_time()`, in seconds of a usual machine."""
    used = time.process_time() - start
    begin = time.process_time()
    for _ in range(5):
        _work()
    slowness = (time.process_time() - begin) / 5 / USUAL_SECONDS
    return used / max(1.0, slowness)


def _work() -> int:
    """Compute something that takes a few milliseconds."""
    total = 0
    for number in range(100_000):
        total += number % 7
    return total
