"""Counts the steps of a run of Claude Code while its records go by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sitegen.bounds import MAX_COUNT
from sitegen.model import ModelUsage, StepCounts, Tokens, ToolKindCounts
from sitegen.readers.claude import tools
from sitegen.readers.claude.ledger import total
from sitegen.readers.common.call_counts import CallCounts
from sitegen.steps import ToolKind

Key = tuple[object, object]
"""Of a message: its id, and that of the request; with a number of its own where it states no id."""


@dataclass(slots=True)
class _Lane:
    """Where an agent stands."""

    context: int | None = None
    """What its last message sent."""
    answers: list[tuple[ToolKind, int]] = field(default_factory=list)
    """Kind and bytes of each since then."""


@dataclass(slots=True)
class Counting:
    """What is known so far."""

    steps: int = 0
    compactions: int = 0
    main_messages: int = 0
    """Of the main agent."""
    peak: int | None = None
    messages: dict[Key, tuple[str | None, Tokens]] = field(default_factory=dict)
    """What the last line of each message says that it used."""
    calls: CallCounts = field(default_factory=CallCounts)
    edits: Counter[int] = field(default_factory=Counter)
    """Calls that edited a file, by the part of the session."""
    _lanes: dict[str, _Lane] = field(default_factory=dict)

    def message(self, key: Key, lane: str, model: str | None, usage: Tokens) -> Tokens | None:
        """Take what a line says of its message; what that adds to what earlier lines of it said, None if nothing."""
        known = self.messages.get(key)
        self.messages[key] = model, usage
        if known is not None:
            return None if known[1] == usage else _difference(usage, known[1])
        self.main_messages += not lane
        context = usage.sent
        if context is not None:
            self._grew(self._lanes.setdefault(lane, _Lane()), context)
            if not lane:
                self.peak = max(context, self.peak or 0)
        return usage

    def _grew(self, lane: _Lane, context: int) -> None:
        if not lane.answers:
            lane.context = context
            return
        grown = context - lane.context if lane.context is not None else 0
        whole = sum(size for _, size in lane.answers)
        left = max(grown, 0)
        for number, (kind, size) in enumerate(lane.answers, 1):
            share = left if number == len(lane.answers) else round(max(grown, 0) * size / whole) if whole else 0
            share = min(share, left)
            left -= share
            if lane.context is not None:
                of_kind = self.calls.kinds[kind]
                of_kind.context = (of_kind.context or 0) + share
        lane.context = context
        lane.answers.clear()

    def answered(
        self,
        kind: ToolKind,
        lane: str,
        given: Mapping[str, Any],
        details: object,
        size: int,
        failed: bool,
        ms: int | None,
    ) -> None:
        """Take the answer of a call: `ms` from question to answer, `details` what the program keeps of it."""
        self.calls.answered(kind, size, ms, failed=failed)
        self._lanes.setdefault(lane, _Lane()).answers.append((kind, size))
        if kind is ToolKind.EDIT and not failed:
            path = tools.path_of(given)
            self.calls.edited([path] if path else ())
            if "command" not in given:  # what commands write is not stated
                self.calls.changed(tools.changed_lines(given, details))

    def ledger(self) -> tuple[ModelUsage, ...]:
        """What each model used, by its messages, those with most output first."""
        by_model: dict[str | None, Tokens] = {}
        for model, usage in self.messages.values():
            known = by_model.get(model)
            by_model[model] = usage if known is None else known + usage
        lines = (ModelUsage(model, tokens) for model, tokens in by_model.items())
        return tuple(sorted(lines, key=lambda line: (-(line.tokens.output or 0), line.model or "")))

    def counts(self) -> StepCounts:
        """What is kept."""
        return self.calls.counts(steps=self.steps, compactions=self.compactions, peak=self.peak)


def tokens_of(usage: object) -> Tokens:
    """What a message says that it used."""
    if not isinstance(usage, dict):
        return Tokens()
    write, split = _count(usage, "cache_creation_input_tokens"), usage.get("cache_creation")
    hour = 0 if write == 0 else None
    if write and isinstance(split, dict):
        stated, minutes = _count(split, "ephemeral_1h_input_tokens"), _count(split, "ephemeral_5m_input_tokens")
        hour = stated if stated is not None and stated + (minutes or 0) == write else None
    read = _count(usage, "cache_read_input_tokens")
    return Tokens(_count(usage, "input_tokens"), write, read, _count(usage, "output_tokens"), hour)


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None


def _difference(new: Tokens, old: Tokens) -> Tokens:
    def less(a: int | None, b: int | None) -> int | None:
        return None if a is None and b is None else (a or 0) - (b or 0)

    return Tokens(
        less(new.input, old.input),
        less(new.cache_write, old.cache_write),
        less(new.cache_read, old.cache_read),
        less(new.output, old.output),
        less(new.cache_write_1h, old.cache_write_1h),
    )


def added(one: StepCounts | None, other: StepCounts | None) -> StepCounts | None:
    """The counts of two records of one run; its context peaks are those of its main agent, `one`."""
    if one is None or other is None:
        return one or other
    kinds: dict[str, ToolKindCounts] = {each.kind: each for each in one.by_kind}
    for each in other.by_kind:
        known = kinds.get(each.kind)
        kinds[each.kind] = each if known is None else _both(known, each)
    return StepCounts(
        steps=one.steps + other.steps,
        tool_calls=one.tool_calls + other.tool_calls,
        tool_failures=one.tool_failures + other.tool_failures,
        edited=tuple(sorted({*one.edited, *other.edited})),
        lines_added=total([one.lines_added, other.lines_added]),
        lines_removed=total([one.lines_removed, other.lines_removed]),
        subagents=one.subagents + other.subagents,
        compactions=one.compactions + other.compactions,
        context_peak_tokens=one.context_peak_tokens,
        commands_seconds=_sum(one.commands_seconds, other.commands_seconds),
        by_kind=tuple(kinds[kind] for kind in ToolKind if kind in kinds),
    )


def _both(one: ToolKindCounts, other: ToolKindCounts) -> ToolKindCounts:
    context = [each for each in (one.context_tokens, other.context_tokens) if each is not None]
    return ToolKindCounts(
        one.kind,
        one.calls + other.calls,
        one.failures + other.failures,
        _sum(one.seconds, other.seconds),
        sum(context) if context else None,
        one.result_bytes + other.result_bytes,
    )


def _sum(one: float | None, other: float | None) -> float | None:
    known = [each for each in (one, other) if each is not None]
    return math.fsum(known) if known else None
