"""Counts what tools are called for and what comes of it, for readers of all agents."""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from sitegen.model import StepCounts, ToolKindCounts, sum_complete, sum_known
from sitegen.readers.common.signals import NO_TESTS, RULES, UNCHECKED
from sitegen.steps import ToolKind
from sitegen.text.names import called_key


@dataclass(slots=True)
class CallCounts:
    """The counts of the calls of a run so far."""

    # By kind of tool: calls, answers, failures, bytes; milliseconds and context, the tokens by which it grew, if known.
    kinds: dict[ToolKind, Counter[str]] = field(default_factory=dict)
    # The context of each agent where it is known, and kind and bytes of each answer since then.
    _lanes: dict[str, tuple[int, list[tuple[ToolKind, int]]]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)  # the paths that calls edited
    # Added and removed; None once an edit does not state them.
    lines: tuple[int, int] | None = (0, 0)
    _unseen_edits: bool = False  # whether a call may have edited a file that is not named
    _ids: set[int] = field(default_factory=set)
    lacks_calls: bool = False
    """Whether there are answers of no known call."""
    _called: set[int] = field(default_factory=set)

    def named(self, names: Iterable[str]) -> None:
        """Take what calls name: their tool, and the skill, plug-in or server that it belongs to."""
        if len(self._called) < MAX_CALLED:
            self._called.update(map(called_key, names))

    def asked(self, kind: ToolKind, id_: str = "", *, may_edit: bool = False) -> None:
        """Take a call; `may_edit` says that nobody knows what its tool does."""
        self.kinds.setdefault(kind, Counter())["calls"] += 1
        self._unseen_edits |= may_edit
        self._ids.add(hash(id_))

    def is_asked(self, id_: str) -> bool:
        """Return whether there was a call with this id."""
        return hash(id_) in self._ids

    def unasked(self, id_: str) -> None:
        """Take an answer of a call that waits for none."""
        self.lacks_calls |= not self.is_asked(id_)

    def answered(
        self, kind: ToolKind, size: int, ms: int | None, *, failed: bool, lane: str = ""
    ) -> None:
        """Take the answer of a call, of `size` bytes; `ms` from question to answer."""
        if lane in self._lanes:
            self._lanes[lane][1].append((kind, size))
        found = self.kinds[kind]
        found["answers"] += 1
        found["failures"] += failed
        found["bytes"] += size
        if ms is not None and ms >= 0:
            found["milliseconds"] += ms

    def grew(self, lane: str, context: int) -> None:
        """Take what a message of an agent sent: the answers since the one before made the context grow, each by its
        size."""
        before, answers = self._lanes.get(lane, (context, []))
        self._lanes[lane] = context, []
        grown = left = max(context - before, 0)
        whole = sum(size for _, size in answers)
        for number, (kind, size) in enumerate(answers, 1):
            share = left if number == len(answers) else round(grown * size / whole) if whole else 0
            share = min(share, left)
            left -= share
            self.kinds[kind]["context"] += share

    def edited(self, paths: Iterable[str], lines: tuple[int, int] | None) -> None:
        """Count a successful edit, and the lines that it added and removed; None where it does not say."""
        paths = list(paths)
        known = self.lines
        self._unseen_edits |= not paths
        self.files.update(paths)
        self.lines = (
            None if lines is None or known is None else (known[0] + lines[0], known[1] + lines[1])
        )

    @property
    def subagents(self) -> int:
        """Calls that start one, without those that failed."""
        task = self.kinds.get(ToolKind.TASK, Counter())
        return task["calls"] - task["failures"]

    def counts(
        self,
        *,
        steps: int,
        compactions: int | None,
        peak: int | None,
        tells_exit_codes: bool = True,
        folder: str | None = None,
    ) -> StepCounts:
        """Return what is kept, with so many steps and compactions and the largest context; relative paths are in the
        `folder`. Only digests of paths are stored."""
        calls, answers, failures = (
            sum(each[name] for each in self.kinds.values()) for name in _ADDED
        )
        edits = self.kinds.get(ToolKind.EDIT, Counter())
        sees_codes = tells_exit_codes or ToolKind.RUN not in self.kinds
        sees_failures = bool(answers or not calls) and not self.lacks_calls and sees_codes
        sees_edits = (
            not self.lacks_calls and not self._unseen_edits and edits["answers"] == edits["calls"]
        )
        edited = frozenset(map(digest_of, one_name_each(self.files, folder)))
        has_lines = sees_edits or any(self.lines or ())
        added, removed = (self.lines if has_lines else None) or (None, None)
        by_kind = tuple(_stored(kind, self.kinds[kind]) for kind in ToolKind if kind in self.kinds)
        has_all_calls = not self.lacks_calls and len(self._called) < MAX_CALLED
        return StepCounts(
            steps=steps,
            tool_calls=calls,
            tool_failures=failures if failures or sees_failures else None,
            edited=tuple(sorted(edited)) if edited or sees_edits else None,
            lines_added=added,
            lines_removed=removed,
            subagents=self.subagents,
            compactions=compactions,
            context_peak_tokens=peak,
            commands_seconds=next(
                (each.seconds for each in by_kind if each.kind == ToolKind.RUN), None
            ),
            by_kind=by_kind,
            called=tuple(sorted(self._called)) if has_all_calls else None,
        )


MAX_CALLED = 1_000
"""Different names of calls of a run, beyond which it is unknown what was called."""

MAX_DEPTH = 64  # folders above a file that may be the one in which relative paths are


def one_name_each(paths: Iterable[str], folder: str | None) -> set[str]:
    """Return one name for each file that these paths name: a relative one is in the folder, if it is known or
    follows from them."""
    names = set(map(_normal, paths))
    folder = _normal(folder) if folder else _folder_of(names)
    return {
        name if folder is None or _is_absolute(name) else _normal(f"{folder}/{name}")
        for name in names
    }


def _folder_of(names: Set[str]) -> str | None:
    """Return the folder in which relative names are those of absolute ones; None if there are several, or none."""
    folders: set[str] = set()
    for name in filter(_is_absolute, names):
        parts = name.rsplit("/", MAX_DEPTH)
        for depth in range(1, len(parts)):
            if "/".join(parts[depth:]) in names:
                folders.add("/".join(parts[:depth]))
    folders.discard("")
    return folders.pop() if len(folders) == 1 else None


def _normal(path: str) -> str:
    """Return a path with slashes, without `.`, `..` and doubled slashes. Links are not followed."""
    path = posixpath.normpath(path.replace("\\", "/"))
    if path[1:3] == ":/":
        return path[0].upper() + path[1:]
    return f"/{path.lstrip('/')}" if path.startswith("/") else path


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"


def _stored(kind: ToolKind, found: Counter[str]) -> ToolKindCounts:
    seconds = found["milliseconds"] / 1000 if "milliseconds" in found else None
    return ToolKindCounts(
        kind.value, found["calls"], found["failures"], seconds, found.get("context"), found["bytes"]
    )


_ADDED = ("calls", "answers", "failures")
_SUMMED = ("steps", "tool_calls", "subagents")
_FIGURES = attrgetter("calls", "failures", "seconds", "context_tokens", "result_bytes")


def added(one: StepCounts | None, other: StepCounts | None) -> StepCounts | None:
    """Return the counts of two records of one run; its context peaks are those of its main agent, `one`."""
    if one is None or other is None:
        return one or other
    kinds: dict[str, ToolKindCounts] = {each.kind: each for each in one.by_kind}
    for each in other.by_kind:
        if known := kinds.get(each.kind):
            figures: list[Any] = list(
                map(sum_known, zip(_FIGURES(known), _FIGURES(each), strict=True))
            )
            each = ToolKindCounts(each.kind, *figures)
        kinds[each.kind] = each
    summed: dict[str, Any] = {name: getattr(one, name) + getattr(other, name) for name in _SUMMED}
    return replace(
        one,
        **summed,
        tool_failures=_seen(one.tool_failures, other.tool_failures),
        compactions=_seen(one.compactions, other.compactions),
        edited=tuple(sorted({*(one.edited or ()), *(other.edited or ())}))
        or (None if None in (one.edited, other.edited) else ()),
        lines_added=sum_complete((one.lines_added, other.lines_added)),
        lines_removed=sum_complete((one.lines_removed, other.lines_removed)),
        commands_seconds=sum_known((one.commands_seconds, other.commands_seconds)),
        by_kind=tuple(kinds[kind] for kind in ToolKind if kind in kinds),
        signals=_signals_of_both(one.signals, other.signals),
        tests=one.tests if one.tests == other.tests else None,
        called=_called_in_both(one.called, other.called),
    )


def _called_in_both(
    one: tuple[int, ...] | None, other: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    """Return what is called in two records; None where that is unknown of one."""
    if one is None or other is None:
        return None
    return tuple(sorted({*one, *other}))


def _signals_of_both(
    one: tuple[str, ...] | None, other: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return what was found in two records; what rests on the order of all calls counts where it holds for both."""
    if one is None or other is None:
        return None
    both = {
        rule
        for rule in {*one, *other}
        if rule not in (UNCHECKED, NO_TESTS) or (rule in one and rule in other)
    }
    return tuple(rule for rule in RULES if rule in both)


def _seen(one: int | None, other: int | None) -> int | None:
    """Return the sum of what was seen; None where nothing was, and somewhere could not have been."""
    return (one or 0) + (other or 0) or (None if None in (one, other) else 0)


def digest_of(text: str) -> int:
    """Return a number that tells a text from others."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    )


def bytes_of(text: str) -> int:
    """Return the number of bytes of a text as UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
