"""Time and context by kind of tool, over all runs whose files tell of steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED
from sitegen.steps import ToolKind


@dataclass(slots=True)
class _Calls:
    """The calls of one kind in all runs."""

    kind: ToolKind
    calls: int
    failures: int
    seconds: float
    tokens: int

    @property
    def names(self) -> str:
        """Several of them, in words."""
        return KINDS_COUNTED[self.kind][1]


def tools_view(entries: Sequence[Entry]) -> View | None:
    """Return what the calls of all runs come to; None where no file tells of any."""
    counted = [
        entry.run.steps for entry in entries if entry.run.steps and entry.run.steps.tool_calls
    ]
    if not counted:
        return None
    kinds = []
    for kind in ToolKind:
        runs = [calls for steps in counted for calls in steps.by_kind if calls.kind == kind]
        if runs:
            calls = sum(run.calls for run in runs)
            failures = sum(run.failures for run in runs)
            seconds = math.fsum(run.seconds or 0 for run in runs)
            tokens = sum(run.context_tokens or 0 for run in runs)
            kinds.append(_Calls(kind, calls, failures, seconds, tokens))
    kinds.sort(key=lambda calls: (-calls.seconds, -calls.tokens))
    seconds = math.fsum(calls.seconds for calls in kinds)
    tokens = sum(calls.tokens for calls in kinds)
    findings = []
    if seconds:
        share = figures.percent(kinds[0].seconds, seconds)
        findings.append(f"{kinds[0].names} took {share} of the tools’ time")
    if tokens:
        largest = max(kinds, key=lambda calls: calls.tokens)
        share = figures.percent(largest.tokens, tokens)
        findings.append(f"{largest.names} added {share} of what tools put into the context")
    return View(
        finding=figures.capitalized("; ".join(findings) or "calls by kind of tool"),
        note=f"{figures.count(len(counted))} of {figures.plural(len(entries), 'run')}; calls may overlap.",
        tools=[_tool_view(calls, seconds, tokens) for calls in kinds],
        has_times=bool(seconds),
        has_context=bool(tokens),
    )


def _tool_view(calls: _Calls, seconds: float, tokens: int) -> View:
    return View(
        kind=calls.kind.value,
        label=KIND_LABELS[calls.kind],
        calls=figures.count(calls.calls),
        failed=figures.count(calls.failures),
        time=figures.duration(1000 * calls.seconds or None),
        share_of_time=calls.seconds / seconds if seconds else 0.0,
        context=figures.count_short(calls.tokens or None),
        share_of_context=calls.tokens / tokens if tokens else 0.0,
    )
