"""Time and context by kind of tool, over all runs whose files tell of steps."""

import math
from collections.abc import Sequence

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED
from sitegen.steps import ToolKind


def tools_view(entries: Sequence[Entry]) -> View | None:
    """Return what the calls of all runs come to; None where no file tells of any."""
    counted = [
        entry.run.steps for entry in entries if entry.run.steps and entry.run.steps.tool_calls
    ]
    if not counted:
        return None
    by_kind = {
        kind: [each for run in counted for each in run.by_kind if each.kind == kind]
        for kind in ToolKind
    }
    seconds = {
        kind: math.fsum(each.seconds or 0 for each in found) for kind, found in by_kind.items()
    }
    tokens = {
        kind: sum(each.context_tokens or 0 for each in found) for kind, found in by_kind.items()
    }
    all_seconds = math.fsum(seconds.values())
    all_tokens = sum(tokens.values())
    ordered = sorted(
        (kind for kind in ToolKind if by_kind[kind]),
        key=lambda kind: (-seconds[kind], -tokens[kind]),
    )
    tools = tuple(
        View(
            kind=kind.value,
            label=KIND_LABELS[kind],
            calls=figures.count(sum(each.calls for each in by_kind[kind])),
            failed=figures.count(sum(each.failures for each in by_kind[kind])),
            time=figures.duration(1000 * seconds[kind]) if seconds[kind] else figures.UNKNOWN,
            share_of_time=seconds[kind] / all_seconds if all_seconds else 0.0,
            context=figures.count_short(tokens[kind]) if tokens[kind] else figures.UNKNOWN,
            share_of_context=tokens[kind] / all_tokens if all_tokens else 0.0,
        )
        for kind in ordered
    )
    note = f"{figures.count(len(counted))} of {figures.plural(len(entries), 'run')}; calls may overlap."
    shown = {"has_times": bool(all_seconds), "has_context": bool(all_tokens)}
    return View(finding=_finding(seconds, tokens), note=note, tools=tools, **shown)


def _finding(seconds: dict[ToolKind, float], tokens: dict[ToolKind, int]) -> str:
    """Return which kind took most of either."""
    parts: list[str] = []
    of_time = ("took", "the tools’ time")
    of_context = ("added", "what tools put into the context")
    for amounts, (verb, what) in ((seconds, of_time), (tokens, of_context)):
        if whole := math.fsum(amounts.values()):
            kind, most = max(amounts.items(), key=lambda item: item[1])
            kinds = KINDS_COUNTED[kind][1]
            who = "they" if parts and parts[0].startswith(f"{kinds} ") else kinds
            parts.append(f"{who} {verb} {figures.percent(most, whole)} of {what}")
    return figures.capitalized("; ".join(parts) or "calls by kind of tool")
