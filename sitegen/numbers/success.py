"""Whether runs did their task: rates, what a success cost, and what several attempts achieve.

A rate is only as honest as what it leaves out. A stated verdict counts, however the run ended: whoever judged its work
could judge it. A run that has none because of an error, a quota or its surroundings is lost. Nobody knows whether it
would have passed, so wherever runs are lost there are two countings: of judged runs, and of these and the lost ones as
failures. Runs that nobody judged are counted too, and `Success.lowest_rate` tells what the rate is if none of them
passed.

Over time it is otherwise: there the runs that were cut short are left out, whatever their verdict, because a day on
which a service is down must not look like tasks that fail.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from itertools import starmap
from statistics import fmean

from sitegen.model import Entry, Outcome, Status, Total, by_key, frozen
from sitegen.numbers import intervals
from sitegen.numbers.intervals import MIN_SUCCESSES, Interval, PerSuccess, Question

MAX_ATTEMPTS = 10  # pass@k and pass^k are told for k up to this


class Judgement(StrEnum):
    """The category of a run wherever success is counted."""

    PASSED = "passed"
    PARTIAL = "partial"  # not passed, and counted on its own
    FAILED = "failed"
    INFRASTRUCTURE = "infrastructure"  # its surroundings failed, or its check did
    UNJUDGED = "unjudged"  # no outcome is known


_OF_OUTCOME: Mapping[Outcome | None, Judgement] = {
    Outcome.PASS: Judgement.PASSED,
    Outcome.PARTIAL: Judgement.PARTIAL,
    Outcome.FAIL: Judgement.FAILED,
}


def is_infrastructure_failure(entry: Entry) -> bool:
    """Return whether nobody can say how the agent did, for reasons outside of it and its task: the outcome is "error",
    or the run was cut short and has no verdict."""
    return judgement(entry) is Judgement.INFRASTRUCTURE


def judgement(entry: Entry) -> Judgement:
    """Return what the run counts as."""
    return _OF_OUTCOME.get(entry.outcome) or judged_over_time(
        entry.run.status, entry.run.turns, entry.outcome
    )


def is_cut_short(entry: Entry) -> bool:
    """Return whether the run did not end by itself or at a limit of its own: its surroundings ended it (API error,
    usage limit, not logged in), its recording ends early, or it took no turn."""
    return judged_over_time(entry.run.status, entry.run.turns, None) is Judgement.INFRASTRUCTURE


def judged_over_time(status: Status, turns: int | None, outcome: Outcome | None) -> Judgement:
    """Return what a run counts as where campaigns are compared with earlier ones."""
    if outcome is Outcome.ERROR or status in (Status.STOPPED, Status.INTERRUPTED) or turns == 0:
        return Judgement.INFRASTRUCTURE
    return _OF_OUTCOME.get(outcome, Judgement.UNJUDGED)


def is_judged(entry: Entry) -> bool:
    """Return whether the run counts in rates."""
    return judgement(entry) in _OF_OUTCOME.values()


def is_lost(entry: Entry) -> bool:
    """Return whether the run has no verdict because of an error, a quota or its surroundings. One that ended at a limit
    of its own is not lost, nor one that completed and that nobody judged."""
    if entry.outcome in _OF_OUTCOME:
        return entry.is_failed_by_rule
    is_error = (
        entry.outcome is None and entry.run.status is Status.FAILED and not _is_at_limit(entry)
    )
    return is_error or is_infrastructure_failure(entry)


def _is_at_limit(entry: Entry) -> bool:
    return entry.run.status is Status.FAILED and (entry.run.status_detail or "").endswith("limit")


def lost_runs(entries: Sequence[Entry]) -> list[Entry]:
    """Return the lost ones of these runs; none where nobody judged any."""
    return list(filter(is_lost, entries)) if any(map(is_judged, entries)) else []


def other_counting(entry: Entry) -> Entry:
    """Return a lost run as it counts in the other counting: as a failure, or not at all where a rule of the settings
    lets it fail."""
    if not is_lost(entry):
        return entry
    return replace(entry, outcome=Outcome.ERROR if entry.is_failed_by_rule else Outcome.FAIL)


VERDICT = "verdict."
"""The beginning of the keys of verdicts."""


def with_verdict(entry: Entry, key: str) -> Entry:
    """Return a run with a verdict of the settings as its outcome; None where it has none."""
    word = dict(entry.derived).get(key)
    return replace(entry, outcome=Outcome(str(word)) if word else None)


def judged_by(entries: Iterable[Entry], key: str) -> list[Entry]:
    """Return the runs with a verdict of the settings, as their outcome."""
    judged = (with_verdict(entry, key) for entry in entries)
    return [entry for entry in judged if entry.outcome]


def with_limits(entries: Sequence[Entry]) -> list[Entry]:
    """Return the runs, with those as failures that ended at a limit of their own and of which no verdict is stated,
    where others have an outcome."""
    if all(entry.outcome is None for entry in entries):
        return list(entries)
    return list(map(_failed_at_limit, entries))


def _failed_at_limit(entry: Entry) -> Entry:
    if entry.outcome is not None or not _is_at_limit(entry):
        return entry
    note = entry.note or f"Ended at its {entry.run.status_detail}"
    return replace(entry, outcome=Outcome.FAIL, note=note)


@frozen
class Success:
    """The success of some runs at their task. The five counts, in the order of Judgement, add up to the runs."""

    passed: int
    partial: int
    failed: int
    infrastructure: int
    unjudged: int
    cost: Total
    """USD as reported, of the judged runs and the infrastructure failures: what the successes took. Excludes unjudged
    runs, of which nobody knows whether they are successes."""
    cut_short: int = 0  # judged runs that did not end by themselves
    drawn: tuple[tuple[int, int, tuple[float | None, ...]], ...] = field(default=(), compare=False)
    """Judged and passed runs of each cluster (`intervals.clustered`), and what the runs of `cost` in it report."""
    lost: int = field(default=0, compare=False)
    """The number of lost runs: no verdict because of errors."""
    lost_as_failed: int = field(default=0, compare=False)
    """The number of them that a rule of the settings counts as failed."""
    priced: int = field(default=0, compare=False)
    """The number of runs of `cost` that report more than nothing: a run that never called the model costs nothing."""

    @property
    def judged(self) -> int:
        """Runs in the rate: passed, partial and failed."""
        return self.passed + self.partial + self.failed

    @property
    def runs(self) -> int:
        """All of them."""
        return self.judged + self.infrastructure + self.unjudged

    @property
    def judged_and_lost(self) -> int:
        """Runs in the rate that counts lost runs as failures."""
        return self.judged + self.lost - self.lost_as_failed

    @property
    def without_verdict(self) -> int:
        """Runs that are neither judged nor lost."""
        return self.runs - self.judged_and_lost

    @property
    def cautious_rate(self) -> float | None:
        """The lower one of both countings: with lost runs as failures."""
        return self.passed / self.judged_and_lost if self.judged else None

    @property
    def rate(self) -> float | None:
        """Passed in judged, from 0 to 1. Partial counts as not passed. None when no run is judged."""
        return self.passed / self.judged if self.judged else None

    @property
    def lowest_rate(self) -> float | None:
        """The rate if none of the unjudged runs passed. None when there is none of either."""
        known = self.judged + self.unjudged
        return self.passed / known if known else None

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the rate; None where too few tasks, or runs, tell of others."""
        return intervals.rate_interval((passed, judged) for judged, passed, _ in self.drawn)

    @property
    def cost_per_success(self) -> Total | None:
        """The cost per run that passed, USD: `cost` / passed, so failed runs and infrastructure failures are in it.

        A lower bound when one of the runs reports no cost. None under three successes, without any cost above zero,
        and where so few runs report one that the bound is below the cost of a run, which says nothing.
        """
        says_nothing = self.cost.is_lower_bound and self.priced < self.passed
        if (
            self.passed < MIN_SUCCESSES
            or self.cost.value is None
            or not self.priced
            or says_nothing
        ):
            return None
        return Total(self.cost.value / self.passed, self.cost.known, self.cost.unknown)

    @property
    def long_run_cost(self) -> PerSuccess | None:
        """The cost of a success in the long run, USD, with its interval; None under three successes, without any cost,
        and where a run reports none."""
        if self.cost.unknown:
            return None
        return intervals.per_success((_known(costs), passed) for _, passed, costs in self.drawn)


def _known(costs: Iterable[float | None]) -> list[float]:
    return [usd for usd in costs if usd is not None]


def success(entries: Iterable[Entry], question: Question = Question.TASKS_LIKE_THESE) -> Success:
    """Return how often these runs did their task, and what that cost; the question is that of the intervals."""
    judged = [(entry, judgement(entry)) for entry in entries]
    known = [(entry, verdict) for entry, verdict in judged if verdict is not Judgement.UNJUDGED]
    counts = Counter(verdict for _, verdict in judged)
    drawn = []
    figures = ((entry, (verdict, entry.run.cost_usd)) for entry, verdict in known)
    for cluster in intervals.clustered(figures, question):
        verdicts, costs = zip(*cluster, strict=True)
        count = len(verdicts) - verdicts.count(Judgement.INFRASTRUCTURE)
        drawn.append((count, verdicts.count(Judgement.PASSED), costs))
    in_rate = [entry for entry, verdict in known if verdict is not Judgement.INFRASTRUCTURE]
    lost = [entry for entry, _ in judged if is_lost(entry)]
    return Success(
        passed=counts[Judgement.PASSED],
        partial=counts[Judgement.PARTIAL],
        failed=counts[Judgement.FAILED],
        infrastructure=counts[Judgement.INFRASTRUCTURE],
        unjudged=counts[Judgement.UNJUDGED],
        cost=reported_cost(entry for entry, _ in known),
        cut_short=sum(map(is_cut_short, in_rate)),
        drawn=tuple(drawn),
        lost=len(lost),
        lost_as_failed=sum(entry.is_failed_by_rule for entry in lost),
        priced=sum(bool(entry.run.cost_usd) for entry, _ in known),
    )


def reported_cost(entries: Iterable[Entry]) -> Total:
    """Return what runs report that they cost, together."""
    return Total.of_bounds(
        (entry.run.cost_usd, not entry.run.cost_is_lower_bound) for entry in entries
    )


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return how likely at least one of k attempts passes, when c of n did: 1 - C(n-c, k) / C(n, k).

    Unbiased, unlike 1 - (1 - c/n)^k. Source: Chen et al., "Evaluating Large Language Models Trained on Code",
    arXiv:2107.03374 (2021), equation 1.
    """
    draws = math.comb(n, k)
    return (draws - math.comb(n - c, k)) / draws


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Return how likely all of k attempts pass, when c of n did: C(c, k) / C(n, k), written pass^k.

    Unbiased, unlike (c/n)^k. Source: Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in
    Real-World Domains", arXiv:2406.12045 (2024).
    """
    return math.comb(c, k) / math.comb(n, k)


@frozen
class Consistency:
    """Consistency of the attempts of one configuration at one task; a task counts once for each configuration."""

    tasks: int  # tasks with two judged attempts or more
    same_share: float
    """The share of pairs of attempts with the same verdict, the mean over tasks: unbiased at any number of attempts."""
    both: int  # tasks that were passed and not passed


def consistency(entries: Iterable[Entry]) -> Consistency | None:
    """Return how alike the judged attempts are; None where no task has two."""
    judged = [entry for entry in entries if entry.task and is_judged(entry)]
    attempts = by_key(judged, lambda entry: (entry.task, entry.compared_as))
    repeated = [runs for runs in attempts.values() if len(runs) > 1]
    if not repeated:
        return None
    shares: list[float] = []
    both = 0
    for runs in repeated:
        passed = _count_passed(runs)
        pairs = math.comb(len(runs), 2)
        same = math.comb(passed, 2) + math.comb(len(runs) - passed, 2)
        shares.append(same / pairs)
        both += same < pairs
    return Consistency(len(repeated), fmean(shares), both)


def _count_passed(entries: Iterable[Entry]) -> int:
    return sum(judgement(entry) is Judgement.PASSED for entry in entries)


@frozen
class Passes:
    """The success of k attempts, as the mean over the tasks that were attempted so often."""

    k: int
    tasks: int
    """The number of tasks with at least k judged attempts. Each weighs the same. They become fewer as k grows, so
    figures of different k rest on different tasks unless all were attempted equally often."""
    pass_at_k: float  # the probability that at least one of k attempts passes
    pass_hat_k: float  # the probability that all of k attempts pass


def passes(entries: Iterable[Entry]) -> tuple[Passes, ...]:
    """Return pass@k and pass^k for k from 1 to the most judged attempts of a task, at most MAX_ATTEMPTS.

    Excludes runs whose task is unknown, unjudged runs and infrastructure failures. Empty when nothing is left.
    """
    attempts = by_key(filter(is_judged, entries), lambda entry: entry.task).values()
    tasks = [(len(runs), _count_passed(runs)) for runs in attempts]
    most = max((n for n, _ in tasks), default=0)
    curve = []
    for k in range(1, min(most, MAX_ATTEMPTS) + 1):
        enough = [(n, c, k) for n, c in tasks if n >= k]
        at_k = fmean(starmap(pass_at_k, enough))
        hat_k = fmean(starmap(pass_hat_k, enough))
        curve.append(Passes(k, len(enough), at_k, hat_k))
    return tuple(curve)
