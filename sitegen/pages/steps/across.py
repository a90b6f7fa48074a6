"""Where time and context went by kind of tool, over all runs whose files tell of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.model import Entry, ToolKindCounts
from sitegen.pages import svg
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED
from sitegen.pages.svg import Shape
from sitegen.steps import ToolKind


@dataclass(frozen=True, slots=True)
class ToolView:
    """One kind of tool, with bars of its shares."""

    kind: str
    label: str
    calls: str
    failed: str
    time: str
    time_bar: tuple[Shape, ...]
    context: str
    context_bar: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class ToolsView:
    """All kinds of tools, those that took most time first."""

    finding: str
    note: str
    tools: tuple[ToolView, ...]
    has_times: bool
    """Whether any file states when calls began and ended."""


def tools_view(entries: Sequence[Entry]) -> ToolsView | None:
    """What the calls of all runs come to; None where no file tells of any."""
    counted = [entry.run.steps for entry in entries if entry.run.steps and entry.run.steps.tool_calls]
    if not counted:
        return None
    by_kind = {kind: [each for run in counted for each in run.by_kind if each.kind == kind] for kind in ToolKind}
    seconds = {kind: math.fsum(each.seconds or 0 for each in found) for kind, found in by_kind.items()}
    tokens = {kind: sum(each.context_tokens or 0 for each in found) for kind, found in by_kind.items()}
    all_seconds, all_tokens = math.fsum(seconds.values()), sum(tokens.values())
    ordered = sorted((kind for kind in ToolKind if by_kind[kind]), key=lambda kind: (-seconds[kind], -tokens[kind]))
    tools = tuple(
        ToolView(
            kind.value,
            KIND_LABELS[kind],
            figures.count(sum(each.calls for each in by_kind[kind])),
            _failed(by_kind[kind]),
            figures.duration(1000 * seconds[kind]) if seconds[kind] else figures.UNKNOWN,
            _bar(kind, seconds[kind], all_seconds),
            figures.count_short(tokens[kind]) if tokens[kind] else figures.UNKNOWN,
            _bar(kind, tokens[kind], all_tokens),
        )
        for kind in ordered
    )
    note = f"{figures.count(len(counted))} of {figures.plural(len(entries), 'run')}; calls may overlap."
    return ToolsView(_finding(seconds, tokens), note, tools, bool(all_seconds))


def _finding(seconds: dict[ToolKind, float], tokens: dict[ToolKind, int]) -> str:
    """Which kind took most of either."""
    parts = []
    of_time, of_context = ("took", "the tools’ time"), ("made up", "what tools added to the context")
    for amounts, (verb, what) in ((seconds, of_time), (tokens, of_context)):
        if whole := math.fsum(amounts.values()):
            kind, most = max(amounts.items(), key=lambda item: item[1])
            parts.append(f"{KINDS_COUNTED[kind][1]} {verb} {figures.percent(most, whole)} of {what}")
    said = ", ".join(parts) or "calls by kind of tool"
    return said[0].upper() + said[1:]


def _failed(found: Sequence[ToolKindCounts]) -> str:
    return figures.count(sum(each.failures for each in found))


def _bar(kind: ToolKind, part: float, whole: float) -> tuple[Shape, ...]:
    return (svg.box(f"s-{kind.value}", 0.0, part / whole, 2, 10),) if part and whole else ()
