"""Signals of runs: which rules are trusted, and how often runs that failed have a signal that runs that passed lack.

How often a rule is right was measured on real runs that two readers labelled; docs/contributing/reliability.md says
how. A rule of whose precision the interval begins below MIN_PRECISION, or of which too few hits were read, says
nothing on any page.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from sitegen.model import Entry, frozen
from sitegen.numbers import intervals
from sitegen.numbers.intervals import Interval
from sitegen.text.tsv import rows

MIN_PRECISION = 0.8
MIN_LABELLED = 20
_NORMAL = 1.959964


@dataclass(frozen=True)
class Rule:
    """A rule that finds facts in the record of a run, and how often it is right."""

    key: str  # the key in `StepCounts.signals`
    short: str  # the name in the table of runs
    name: str
    about: str
    right: int  # hits that both readers confirmed
    hits: int  # hits that both read
    present: int
    """Facts of this kind in the records that were read, found or not; `right` of them were found."""
    needs_edit: bool = False

    @cached_property
    def precision(self) -> Interval | None:
        """The 95 % interval of the share of hits that are right."""
        if not self.hits:
            return None
        return intervals.score_interval(self.right / self.hits, self.hits, _NORMAL)

    @property
    def is_shown(self) -> bool:
        """Whether pages show what it finds."""
        is_precise = self.precision is not None and self.precision.low >= MIN_PRECISION
        return self.hits >= MIN_LABELLED and is_precise


RULES = tuple(
    Rule(key, short, name, about, int(right), int(hits), int(present), bool(edit))
    for key, short, name, about, right, hits, present, edit in rows(__file__, "rules.tsv")
)
"""The rules in the order in which pages list what they find."""
SHOWN = {rule.key: rule for rule in RULES if rule.is_shown}


def signals_of(entry: Entry) -> list[Rule] | None:
    """Return the rules that found something in a run and may say so; None where its record was not looked at."""
    steps = entry.run.steps
    if steps is None or steps.signals is None:
        return None
    return [SHOWN[key] for key in steps.signals if key in SHOWN]


def is_looked_at(entry: Entry, rule: Rule) -> bool:
    """Return whether a run is in the base of a rule."""
    steps = entry.run.steps
    is_edited = steps is not None and bool(steps.files_edited) and steps.tests is not None
    return signals_of(entry) is not None and (is_edited or not rule.needs_edit)


Has = Callable[[Entry], bool]


def share(entries: Iterable[Entry], has: Has) -> tuple[int, int, Interval | None]:
    """Return how many of these runs have something, how many they are, and the interval of that share."""
    clusters = intervals.clustered((entry, has(entry)) for entry in entries)
    counts = [(sum(cluster), len(cluster)) for cluster in clusters]
    count = sum(count for count, _ in counts)
    return count, sum(runs for _, runs in counts), intervals.rate_interval(counts)


@frozen
class Gap:
    """A share among the runs of one side minus that among the others, within groups."""

    difference: float
    interval: Interval
    p: float


def gap(
    entries: Sequence[Entry], has: Has, side: Has, within: Callable[[Entry], str | None]
) -> Gap | None:
    """Return the least-squares difference with groups as fixed effects and errors clustered by task; None under five
    tasks, or where no group has runs of both sides.

    Source: C. Cameron and D. Miller, "A Practitioner's Guide to Cluster-Robust Inference", Journal of Human Resources
    50 (2015), with their correction for few clusters and Student's t.
    """
    groups: dict[str | None, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(within(entry), []).append(entry)
    deviations = [row for group in groups.values() for row in _deviations(group, has, side)]
    tasks = intervals.clustered(deviations)
    free = len(deviations) - len(groups) - 1
    spread = math.fsum(x * x for _, (_, x) in deviations)
    if len(tasks) < intervals.MIN_CLUSTERS or spread < 1e-9 or free <= 0:
        return None
    slope = math.fsum(x * y for _, (y, x) in deviations) / spread
    squares = math.fsum(_score(task, slope) ** 2 for task in tasks)
    degrees = len(tasks) - 1
    variance = squares * len(tasks) / degrees * (len(deviations) - 1) / free
    error = math.sqrt(variance) / spread
    if error >= 1e-9:
        reach = intervals.student_t(0.975, degrees) * error
        p = intervals.beyond_student_t(abs(slope) / error, degrees)
        # Shares lie between 0 and 1, so no difference of them is farther apart.
        return Gap(slope, Interval(max(slope - reach, -1.0), min(slope + reach, 1.0)), p)
    if abs(slope) <= 1e-9:
        return None
    # No run contradicts it: as likely by chance as a coin that falls on one side for every task.
    return Gap(slope, Interval(slope, slope), 2.0**-degrees)


_Deviation = tuple[float, float]  # of what a run has, and of its side, from the means of its group


def _deviations(
    entries: Sequence[Entry], has: Has, side: Has
) -> Iterator[tuple[Entry, _Deviation]]:
    ys = list(map(float, map(has, entries)))
    xs = list(map(float, map(side, entries)))
    mean_y = fmean(ys)
    mean_x = fmean(xs)
    for entry, y, x in zip(entries, ys, xs, strict=True):
        yield entry, (y - mean_y, x - mean_x)


def _score(task: Sequence[_Deviation], slope: float) -> float:
    return math.fsum(x * (y - slope * x) for y, x in task)
