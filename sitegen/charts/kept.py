"""What the cache keeps of charts: layouts without data, and drawings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sitegen.cache.memory import Kind, Memory
from sitegen.charts.shape import LaidOut


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG elements."""

    wide: str | None
    slim: str | None


LAYOUT = Kind[LaidOut]("layout", LaidOut)
DRAWING = Kind[Drawing]("drawing", Drawing)


def recall_charts(memory: Memory) -> dict[bytes, LaidOut | Drawing]:
    """All layouts and drawings that were kept, by the stamps of what they depend on."""
    layouts, drawings = memory.recall_all(LAYOUT), memory.recall_all(DRAWING)
    return {**layouts, **drawings}


def keep_charts(memory: Memory, made: Iterable[tuple[str, bytes, LaidOut | Drawing]]) -> None:
    """Keep what was used or made: a name, the stamp, the value."""
    for name, stamp, value in made:
        if isinstance(value, LaidOut):
            memory.keep(LAYOUT, name, stamp, value)
        else:
            memory.keep(DRAWING, name, stamp, value)
