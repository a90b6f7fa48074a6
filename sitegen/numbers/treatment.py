"""The number of runs that received the treatment of their arm: a skill, plug-in, server or tool that steps call."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from sitegen import figures
from sitegen.model import Entry, frozen
from sitegen.text.names import called_key

_SWITCH = re.compile(
    r"with|without|on|off|yes|no|true|false|none|enabled?|disabled?|new|old|unknown|control|treatment|baseline|[rv]?[0-9][0-9.]*",
    re.IGNORECASE,
)
"""A value that says whether there is a treatment, or which version of it, and not what it is."""
_KIND = re.compile(
    r"(?<![a-z])(?:skill|plug-?in|mcp|server|tool|subagent)s?(?![a-z])", re.IGNORECASE
)
RunsByTask = Mapping[str, Sequence[Entry]]
_PART = " · "  # between the factors in the name of a configuration


def arm_name(name: str, factor: str, value: str, place: int = 0) -> str:
    """Return the name of a configuration with its factor, where the value alone says little: `“with skill”`.

    `place` counts the factors of the same value that the name has before this one.
    """
    parts = name.split(_PART)
    places = [number for number, part in enumerate(parts) if part == value]
    if not _SWITCH.fullmatch(value) or len(places) <= place:
        return name
    is_preposition = value.casefold() in ("with", "without")
    parts[places[place]] = f"“{value} {factor}”" if is_preposition else f"{factor} {value}"
    return _PART.join(parts)


@frozen
class Treatment:
    """In how many runs of a control (A) and of an arm (B) it was called, of those whose steps show all calls."""

    name: str
    a: str
    """The value of the factor that the control has."""
    b: str
    a_used: int
    a_runs: int
    b_used: int
    b_runs: int

    @property
    def text(self) -> str:
        """Return `skill used in 14 of 20 with, 1 of 20 without`."""
        arm = f"{figures.count(self.b_used)} of {figures.count(self.b_runs)} {self.b}"
        control = f"{figures.count(self.a_used)} of {figures.count(self.a_runs)} {self.a}"
        return f"{self.name} used in {arm}, {control}"

    @property
    def is_unused(self) -> bool:
        """Whether no run of the arm called it, so that a difference says nothing about it."""
        return self.b_runs > 0 and self.b_used == 0


def tasks_with_other_checks(a: RunsByTask, b: RunsByTask) -> list[str]:
    """Return the tasks on which the graders of both sides made different checks, as far as files state them."""
    pairs = {task: (_checks_of(a[task]), _checks_of(b[task])) for task in a.keys() & b.keys()}
    return sorted(task for task, (one, two) in pairs.items() if one and two and one != two)


def _checks_of(runs: Iterable[Entry]) -> set[str]:
    stated = (dict(run.run.given).get("Checks") for run in runs)
    return set(filter(None, stated))


def received(
    factor: str, values: tuple[str, str], control: Iterable[Entry], arm: Iterable[Entry]
) -> Treatment | None:
    """Return how many runs received the treatment of an arm; `values` of the factor are those of control and arm.

    None where no steps are known, and for what is no tool: where the factor does not say that it is one and no run
    calls anything of its name, as of a prompt.
    """
    value = values[1]
    is_switch = _SWITCH.fullmatch(value)
    name = factor if is_switch else f"{factor} {value}"
    keys = set(map(called_key, _names_of(factor) if is_switch else [value]))
    a_calls = _calls_of(control)
    b_calls = _calls_of(arm)
    a_used = _count_used(keys, a_calls)
    b_used = _count_used(keys, b_calls)
    is_tool = bool(_KIND.search(factor))
    if not (a_calls or b_calls) or not (is_tool or a_used or b_used):
        return None
    return Treatment(name, *values, a_used, len(a_calls), b_used, len(b_calls))


def _names_of(factor: str) -> list[str]:
    """Return a factor's name, with and without the word for its kind: `pdf skill` is the skill pdf."""
    return list(filter(str.strip, (factor, _KIND.sub("", factor))))


def _calls_of(entries: Iterable[Entry]) -> Sequence[tuple[int, ...]]:
    """Return what each run called, of those of which that is known."""
    return [
        entry.run.steps.called
        for entry in entries
        if entry.run.steps is not None and entry.run.steps.called is not None
    ]


def _count_used(keys: Set[int], runs: Sequence[tuple[int, ...]]) -> int:
    return sum(not keys.isdisjoint(calls) for calls in runs)
