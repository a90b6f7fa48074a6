"""The values of a column, held in a few bytes for each run."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator

_UNKNOWN = -(2**63)
"""Stands for a whole number that is not known."""


class Values:
    """Numbers in the order of the runs, None where one is unknown. They take eight bytes each where all are whole, or
    all are not; JSON tells the two apart, so a column that has both is kept as it comes."""

    def __init__(self) -> None:
        self._held: array[int] | array[float] | list[float | None] = array("q")
        self._known = 0

    def append(self, value: float | None) -> None:
        """Add that of the next run."""
        held = self._held
        if isinstance(held, list):
            held.append(value)
        elif value is None:
            held.append(math.nan if held.typecode == "d" else _UNKNOWN)  # type: ignore[arg-type]
        elif type(value) is float and held.typecode == "q" and not self._known:
            self._held = array("d", [math.nan] * len(held))
            self._held.append(value)
        elif type(value) is (float if held.typecode == "d" else int) and _UNKNOWN < value < -_UNKNOWN:
            held.append(value)  # type: ignore[arg-type]
        else:
            self._held = [*self, value]
        self._known += value is not None

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, position: int) -> float | None:
        value = self._held[position]
        if isinstance(self._held, list) or value is None:
            return value
        return None if value == _UNKNOWN or math.isnan(value) else value

    def __iter__(self) -> Iterator[float | None]:
        return map(self.__getitem__, range(len(self._held)))

    @property
    def known(self) -> int:
        """How many are known."""
        return self._known
