"""Wall time and idle time of a run, from the times of its records, in milliseconds since 1970."""

import re
from dataclasses import dataclass

from sitegen.text import times

MAX_DISORDER_MS = 60_000
"""The step back of records of parallel agents, which are only roughly in order; a larger one is a clock set back."""
_ZONE = re.compile(r"(?:Z|[+-][0-9:]{2,8})\Z", re.IGNORECASE)


@dataclass(slots=True)
class Stretch:
    """A stretch of records whose clock was not set back, and the time that passed before it."""

    passed_ms: int
    first_ms: int
    last_ms: int

    def total_ms(self) -> int:
        """Return the time that passed before it and in it."""
        return self.passed_ms + self.last_ms - self.first_ms


class Clock:
    """The times of one run."""

    def __init__(self) -> None:
        self.first_ms: int | None = None
        self.last_ms: int | None = None
        self.idle_ms = 0
        """The time between the end of a turn and the prompt of the next one."""
        self.lacks_zone = False
        """Whether a time states no zone: durations are known then, and not when the run was."""
        self._stretch: Stretch | None = None
        self._stretch_before: Stretch | None = None

    def parse(self, value: object) -> int | None:
        """Return the time that a record states; one without a zone counts as one of UTC."""
        ms = times.milliseconds_of(value, naive=True)
        if ms is not None and isinstance(value, str) and value[-1] != "Z":
            self.lacks_zone |= _ZONE.search(value) is None
        return ms

    def see(self, ms: int | None) -> int | None:
        """Return the time after noting that something happened then."""
        if ms is None:
            return None
        stretch = self._stretch
        if stretch is None or self.first_ms is None or self.last_ms is None:
            self.first_ms = self.last_ms = ms
            self._stretch = Stretch(0, ms, ms)
            return ms
        if ms < stretch.last_ms - MAX_DISORDER_MS:
            self._stretch_before = stretch
            self._stretch = stretch = Stretch(stretch.total_ms(), ms, ms)
        elif self._stretch_before is not None and ms >= self._stretch_before.last_ms:
            # The clock was not set back: only a few records were out of order.
            self._stretch = stretch = self._stretch_before
            self._stretch_before = None
        if ms < stretch.first_ms:
            stretch.first_ms = ms
        if ms > stretch.last_ms:
            stretch.last_ms = ms
        if ms < self.first_ms:
            self.first_ms = ms
        if ms > self.last_ms:
            self.last_ms = ms
        return ms

    def start_turn(self, ms: int | None) -> None:
        """Begin a turn: the time since the last record was idle."""
        if ms is not None and self.last_ms is not None:
            self.idle_ms += max(ms - self.last_ms, 0)
        self.see(ms)

    @property
    def was_set_back(self) -> bool:
        """Whether less time passed than lies between the first and the last time."""
        return self._passed_ms() < self._span_ms()

    def wall_ms(self) -> int | None:
        """Return the time that the run took; None where fewer than two times are known."""
        span = self._span_ms()
        if span == 0:
            return None
        return max(min(self._passed_ms(), span) - self.idle_ms, 0)

    def _span_ms(self) -> int:
        if self.first_ms is None or self.last_ms is None:
            return 0
        return self.last_ms - self.first_ms

    def _passed_ms(self) -> int:
        return self._stretch.total_ms() if self._stretch else 0
