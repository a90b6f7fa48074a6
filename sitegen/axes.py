"""Scales of charts: their ends, their ticks, and where a value lies on them.

Vega could choose ends and ticks itself, but then their labels would be written by its formats (1.2G, $450µ) and
their number would depend on measured text. So both are decided here and written by `figures`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import figures

LOG_FROM_SPREAD = 30
"""A scale is logarithmic when its largest value is more than this many times its smallest."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high`. A linear one begins at zero; a logarithmic one has positive ends."""

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def over(cls, values: Sequence[float], logarithmic: bool) -> Axis:
        """A scale with a little room around these values, of which there is at least one above zero."""
        if logarithmic:
            return cls(min(values) / 1.4, max(values) * 1.4, True)
        return cls(0.0, max(values) * 1.06, False)

    @classmethod
    def down(cls, pixels: int) -> Axis:
        """A scale of pixels from the top."""
        return cls(pixels, 0, False)

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high end."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """The value that lies there."""
        if self.logarithmic:
            return self.low * math.exp(share * math.log(self.high / self.low))
        return self.low + share * (self.high - self.low)

    def ticks(self, whole: bool = False) -> list[float]:
        """Round values on the scale, from one to eight; `whole` ones only where parts make no sense."""
        return self._decades(whole) if self.logarithmic else self._steps(whole)

    def _steps(self, whole: bool) -> list[float]:
        about = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(about))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= about * 0.95)
        step = max(step, 1.0) if whole else step
        return [round(step * i, 12) for i in range(int(self.high / step + 1e-9) + 1)]

    def _decades(self, whole: bool) -> list[float]:
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        found: list[float] = []
        for factors in ((1,), (1, 3), (1, 2, 5)):
            found = [round(f * 10.0**e, 12) for e in exponents for f in factors if self.low <= f * 10.0**e <= self.high]
            found = [tick for tick in found if tick >= 1] if whole else found
            if len(found) >= 3:
                break
        return found[:: math.ceil(len(found) / 8)] if found else []


def tick_label(value: float) -> str:
    """A round count without the zeros that only fill up digits: `10 k`, `1 M`."""
    number, unit, name = figures.count_short(value).partition("\u202f")
    return f"{float(number.replace(',', '')):g}{unit}{name}"


def is_wide(values: Sequence[float]) -> bool:
    """Whether positive values are so unequal that only a logarithmic scale shows them."""
    return max(values) > LOG_FROM_SPREAD * min(values)
