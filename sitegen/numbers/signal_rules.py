"""Signals of runs: which rules are trusted, and how often runs that failed have a signal that runs that passed lack.

How often a rule is right was measured on real runs that two readers labelled; docs/contributing/reliability.md says
how. A rule of whose precision the interval begins below MIN_PRECISION, or of which too few hits were read, says
nothing on any page.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

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
        return (
            intervals.score_interval(self.right / self.hits, self.hits, _NORMAL)
            if self.hits
            else None
        )

    @property
    def is_shown(self) -> bool:
        """Whether pages show what it finds."""
        return (
            self.hits >= MIN_LABELLED
            and self.precision is not None
            and self.precision.low >= MIN_PRECISION
        )


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
    found = intervals.clustered((entry, has(entry)) for entry in entries)
    counts = [(sum(each), len(each)) for each in found]
    return (
        sum(one for one, _ in counts),
        sum(n for _, n in counts),
        intervals.rate_interval(counts) if counts else None,
    )


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
    rows = [(entry, float(has(entry)), float(side(entry))) for entry in entries]
    groups: dict[str | None, list[tuple[float, float]]] = {}
    for entry, y, x in rows:
        groups.setdefault(within(entry), []).append((y, x))
    means = {
        name: (sum(y for y, _ in of) / len(of), sum(x for _, x in of) / len(of))
        for name, of in groups.items()
    }
    deviations = [
        (entry, (y - means[within(entry)][0], x - means[within(entry)][1])) for entry, y, x in rows
    ]
    spread = math.fsum(x * x for _, (_, x) in deviations)
    tasks = intervals.clustered(deviations)
    if len(tasks) < intervals.MIN_CLUSTERS or spread < 1e-9:
        return None
    slope = math.fsum(x * y for _, (y, x) in deviations) / spread
    scores = [math.fsum(x * (y - slope * x) for y, x in of) for of in tasks]
    n = len(rows)
    few = len(tasks)
    left = n - len(groups) - 1
    if left <= 0:
        return None
    error = (
        math.sqrt(math.fsum(each * each for each in scores) * few / (few - 1) * (n - 1) / left)
        / spread
    )
    if (
        error < 1e-9
    ):  # no run contradicts it: as likely by chance as a coin that falls on one side for every task
        return Gap(slope, Interval(slope, slope), 2.0 ** (1 - few)) if abs(slope) > 1e-9 else None
    reach = intervals.student_t(0.975, few - 1) * error
    return Gap(
        slope,
        Interval(slope - reach, slope + reach),
        intervals.beyond_student_t(abs(slope) / error, few - 1),
    )
