"""Is A better than B? Two groups of runs, compared on the tasks that both attempted.

Means over different tasks are not comparable, so only shared tasks count. A task weighs the same however often
it was attempted: its figure on a side is the mean of its runs there. The difference between the sides is then
paired by task, and its interval comes from drawing whole tasks (`intervals.paired_intervals`): the attempts of one
task resemble each other, and to draw them singly would promise more than they can tell.

Infrastructure failures are left out of every measure, not of success alone: a run that died at once cost next to
nothing, and would make its side look cheap. Whoever is left out is counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sitegen.intervals import FEWEST_CLUSTERS, Interval, paired_intervals
from sitegen.model import Entry
from sitegen.names import natural_order
from sitegen.statistics import Measure, measured
from sitegen.success import is_infrastructure_failure


class Effect(StrEnum):
    """What the interval of the difference B - A says."""

    LOWER = "lower"  # B is lower: the interval lies below 0
    HIGHER = "higher"  # B is higher: it lies above 0
    UNDECIDED = "undecided"  # it holds 0: these tasks do not tell
    LEVEL = "level"  # both sides are equal on every task, so nothing is there that could be chance
    TOO_FEW = "too few tasks"  # there is no interval


@dataclass(frozen=True, slots=True)
class Side:
    """Which runs of a group take part. The counts add up to the runs of the group."""

    compared: int
    """On shared tasks."""
    without_task: int
    other_tasks: int
    """On tasks that the other side did not attempt, infrastructure failures aside."""
    infrastructure: int
    in_both: int
    """In both groups, as a run with both labels is: it says nothing about their difference."""


@dataclass(frozen=True, slots=True)
class TaskPair:
    """One shared task in one measure. Success is the share of runs that passed."""

    task: str
    a: float
    """Mean over the runs of A that know the measure."""
    b: float
    a_runs: int
    b_runs: int

    @property
    def difference(self) -> float:
        """B - A."""
        return self.b - self.a


@dataclass(frozen=True, slots=True)
class Contrast:
    """A and B in one measure, in its unit (success: a share)."""

    measure: Measure
    tasks: tuple[TaskPair, ...]
    """Shared tasks that both sides know the measure of, in natural order."""
    tasks_left_out: int
    """Shared tasks that a side does not know it of."""
    runs_left_out: int
    """Compared runs of the tasks above that do not know it themselves."""
    a: float | None
    """Mean over the tasks; None without tasks."""
    b: float | None
    difference: Interval | None
    """95 %, of B - A; None under five tasks. Without width where all tasks differ by the same."""
    ratio: Interval | None
    """95 %, of B / A, the ratio of the two means; None under five tasks, or where A may be zero."""

    @property
    def mean_difference(self) -> float | None:
        """B - A: the difference of the means, which is the mean of the differences."""
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def mean_ratio(self) -> float | None:
        """B / A; None when A is zero."""
        return None if not self.a or self.b is None else self.b / self.a

    @property
    def effect(self) -> Effect:
        """What may be said of B against A."""
        if self.difference is None:
            return Effect.TOO_FEW
        if self.ties == len(self.tasks):
            return Effect.LEVEL
        if 0 in self.difference:
            return Effect.UNDECIDED
        return Effect.HIGHER if self.difference.low > 0 else Effect.LOWER

    @property
    def a_wins(self) -> int:
        """Tasks on which A is better: cheaper, shorter, or passed more often."""
        return sum((pair.a < pair.b) if self.measure.lower_is_better else (pair.a > pair.b) for pair in self.tasks)

    @property
    def b_wins(self) -> int:
        """Tasks on which B is better."""
        return len(self.tasks) - self.a_wins - self.ties

    @property
    def ties(self) -> int:
        """Tasks on which the means are equal."""
        return sum(pair.a == pair.b for pair in self.tasks)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups of one dimension on their shared tasks."""

    tasks: tuple[str, ...]
    """Attempted by both, infrastructure failures aside, in natural order."""
    a: Side
    b: Side
    contrasts: Mapping[Measure, Contrast]
    """For every Measure, in its order."""

    @property
    def claims(self) -> bool:
        """Whether there are enough shared tasks to claim anything. A measure may still know too few of them."""
        return len(self.tasks) >= FEWEST_CLUSTERS


def compare(a_entries: Iterable[Entry], b_entries: Iterable[Entry]) -> Comparison:
    """How B differs from A in every measure. The order of the runs changes nothing; nor do the names of the tasks."""
    a_entries, b_entries = list(a_entries), list(b_entries)
    in_both = {entry.id for entry in a_entries} & {entry.id for entry in b_entries}
    a, b = attempts(a_entries, in_both), attempts(b_entries, in_both)
    tasks = tuple(sorted(a.keys() & b.keys(), key=natural_order))
    return Comparison(
        tasks=tasks,
        a=_side(a_entries, a, tasks, in_both),
        b=_side(b_entries, b, tasks, in_both),
        contrasts={measure: _contrast(measure, tasks, a, b) for measure in Measure},
    )


def attempts(entries: Iterable[Entry], left_out: set[str]) -> dict[str, list[Entry]]:
    """The runs by task that can take part: of a known task, in one group only, no infrastructure failures."""
    by_task: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.task is not None and entry.id not in left_out and not is_infrastructure_failure(entry):
            by_task.setdefault(entry.task, []).append(entry)
    return by_task


def _side(
    entries: Sequence[Entry], attempts: Mapping[str, Sequence[Entry]], tasks: Iterable[str], in_both: set[str]
) -> Side:
    own = [entry for entry in entries if entry.id not in in_both]
    compared = sum(len(attempts[task]) for task in tasks)
    infrastructure = sum(is_infrastructure_failure(entry) for entry in own)
    return Side(
        compared=compared,
        without_task=sum(entry.task is None and not is_infrastructure_failure(entry) for entry in own),
        other_tasks=sum(map(len, attempts.values())) - compared,
        infrastructure=infrastructure,
        in_both=len(entries) - len(own),
    )


def _contrast(
    measure: Measure, tasks: Sequence[str], a: Mapping[str, Sequence[Entry]], b: Mapping[str, Sequence[Entry]]
) -> Contrast:
    """A and B in one measure."""
    pairs: list[TaskPair] = []
    runs_left_out = 0
    for task in tasks:
        one, two = ([measured(entry, measure) for entry in side[task]] for side in (a, b))
        a_known, b_known = ([figure for figure in side if figure is not None] for side in (one, two))
        if a_known and b_known:
            pairs.append(TaskPair(task, _mean(a_known), _mean(b_known), len(a_known), len(b_known)))
            runs_left_out += len(one) + len(two) - len(a_known) - len(b_known)
    intervals = paired_intervals((pair.a, pair.b) for pair in pairs)
    return Contrast(
        measure=measure,
        tasks=tuple(pairs),
        tasks_left_out=len(tasks) - len(pairs),
        runs_left_out=runs_left_out,
        a=_mean([pair.a for pair in pairs]) if pairs else None,
        b=_mean([pair.b for pair in pairs]) if pairs else None,
        difference=intervals.difference if intervals else None,
        ratio=intervals.ratio if intervals else None,
    )


def _mean(figures: Sequence[float]) -> float:
    """Without rounding on the way, so that no order matters."""
    return math.fsum(figures) / len(figures)
