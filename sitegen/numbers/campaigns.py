"""The record of a campaign that remains when its runs are gone: for each model and task, how its runs ended and what
they cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sitegen.model import Entry, by_key, sum_complete
from sitegen.numbers.success import Judgement, judged_over_time

PROMPT_LABEL = "prompt:"
"""Begins the label that states the digest of a task's prompt: tasks of one id and another prompt are others."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """The runs of one model at one task."""

    task: str
    model: str
    runs: int
    judged: int  # runs with a verdict, those that were cut short excluded
    passed: int
    costs: tuple[float, ...] = ()  # USD, of the runs that tell; from the least
    scores: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """The scores by name, lowest first; of runs that were not cut short."""
    prompt: str | None = None  # the statement about its prompt
    unjudged: int = 0  # runs without a verdict, those that were cut short excluded
    computed: int | None = None  # costs at list price; None in older histories

    @property
    def key(self) -> tuple[str, str]:
        """The key of its task and model among campaigns, which may spell them in another case."""
        return self.task.casefold(), self.model.casefold()

    def values(self, measure: str) -> Sequence[float]:
        """Return the figures of its runs in "cost", "success" (1 or 0) or "score.<name>"."""
        if measure == "success":
            return [1.0] * self.passed + [0.0] * (self.judged - self.passed)
        return self.costs if measure == "cost" else dict(self.scores).get(measure.removeprefix("score."), ())

    @property
    def bases(self) -> set[bool]:
        """Whether its costs are at list price: both answers where some are, none where that is not known."""
        return set() if self.computed is None else {at < self.computed for at in range(len(self.costs))}

    def unknown(self, measure: str) -> int:
        """Return how many of the runs that count in "cost", "success" or "score.<name>" do not know it."""
        return (self.runs if measure == "cost" else self.judged + self.unjudged) - len(self.values(measure))


def joined(attempts: Iterable[Attempts]) -> dict[tuple[str, str], Attempts]:
    """Return the attempts by key: those of one task and model that are spelled in several ways are one, in the
    spelling of most runs."""
    return {key: _joined(own) if own[1:] else own[0] for key, own in by_key(attempts, lambda each: each.key).items()}


def _joined(several: Sequence[Attempts]) -> Attempts:
    scores = by_key((told for each in several for told in each.scores), lambda told: told[0])
    return replace(
        max(several, key=lambda each: each.runs),
        runs=sum(each.runs for each in several),
        judged=sum(each.judged for each in several),
        passed=sum(each.passed for each in several),
        costs=tuple(sorted(usd for each in several for usd in each.costs)),
        scores=tuple((name, tuple(sorted(chain(*(own for _, own in told))))) for name, told in sorted(scores.items())),
        prompt=" ".join(sorted({each.prompt for each in several if each.prompt})) or None,
        unjudged=sum(each.unjudged for each in several),
        computed=sum_complete(each.computed for each in several),
    )


def unify_names(campaigns: Sequence["CampaignFigures"]) -> list["CampaignFigures"]:
    """Return the campaigns, oldest first, with one name for each configuration: that of the newest campaign.

    A name lists the factors that runs of its campaign differ in, so it gets longer when another agent or effort joins:
    "Opus 4.5" and "Claude Code · Opus 4.5" are one configuration unless a campaign has both, or several longer names
    would fit.
    """
    names = [{attempts.model for attempts in campaign.attempts} for campaign in campaigns]
    longer = {name: fuller for name in set().union(*names) if (fuller := _fuller_name(name, names))}
    if not longer:
        return list(campaigns)
    newest = dict[str, str]()
    for in_campaign in names:
        newest |= {longer.get(name, name): name for name in in_campaign}
    return [
        replace(campaign, attempts=tuple(_renamed(attempts, longer, newest) for attempts in campaign.attempts))
        for campaign in campaigns
    ]


def _renamed(attempts: Attempts, longer: Mapping[str, str], newest: Mapping[str, str]) -> Attempts:
    fullest = longer.get(attempts.model, attempts.model)
    return replace(attempts, model=newest[fullest])


def _fuller_name(name: str, campaigns: Sequence[set[str]]) -> str | None:
    """Return the name that has all factors of this one and more; None where there is none, or it is not clear which."""
    beside = {other for names in campaigns if name in names for other in names}
    factors = _factors_of(name)
    fuller = [other for other in set().union(*campaigns) - beside if factors < _factors_of(other)]
    fullest = max(fuller, key=lambda other: len(_factors_of(other)), default=None)
    if fullest is None or not all(_factors_of(other) <= _factors_of(fullest) for other in fuller):
        return None
    return fullest


def _factors_of(name: str) -> frozenset[str]:
    return frozenset(part.casefold().removeprefix("claude ") for part in name.split(" · "))


def is_share(measure: str, attempts: Iterable[Attempts]) -> bool:
    """Return whether the mean of "success", "cost" or "score.<name>" is a share of runs: a score that is 0 or 1 in all
    of these attempts is treated as success is."""
    values = (value for each in attempts for value in each.values(measure))
    return measure == "success" or (measure != "cost" and all(value in (0, 1) for value in values))


RULES = {"cost": 2, "score": 1, "success": 2}
"""The version of the rules by which each measure of a run is counted. A change that gives the same files other figures
raises it: figures of other versions are not compared, or an update would look like a change of the agent.

Cost 2: totals of resumed sessions, prices as lower bounds. Success 2: stated verdicts of stopped runs count, and a
limit of the run's own is a failure where others have outcomes.
"""
Rules = tuple[tuple[str, int], ...]


BASELINE = "baseline"
"""The name of a baseline without a name of its own, or with none that is earlier in the order of time."""


@dataclass(frozen=True, slots=True)
class CampaignFigures:
    """A campaign in figures."""

    name: str
    day: str  # the day, such as 2026-11-18
    runs: int
    attempts: tuple[Attempts, ...]  # the attempts by task, then model
    agents: tuple[str, ...] = ()  # versions of the agents, as their files state them
    higher_is_better: tuple[tuple[str, bool], ...] = ()
    """The directions of the scores, as far as they are known."""
    left_out: int = 0
    """Tasks of which nothing is kept here, since there are too many."""

    strays: tuple[Attempts, ...] = ()  # the attempts by unknown models, by task
    unreadable: int = 0
    """Runs that could not be read, or whose pages are withheld."""
    rules: Rules = ()
    """The versions of RULES by which its figures were counted; those of the first where none are stated."""

    @property
    def key(self) -> tuple[str, bool, str]:
        """The key that distinguishes it from others, in the order of time: BASELINE is the first of its day."""
        return self.day, self.name != BASELINE, self.name

    def rule(self, measure: str) -> int:
        """Return the version of the rules for "cost", "success" or "score.<name>"."""
        return dict(self.rules).get(measure.partition(".")[0], 1)

    def bounded(self, most: int) -> "CampaignFigures":
        """Return the same with so many attempts at most."""
        left = len(self.attempts) - most
        own = replace(self, strays=self.strays[:most])
        return replace(own, attempts=self.attempts[:most], left_out=self.left_out + left) if left > 0 else own


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run as a campaign counts it."""

    task: str | None
    model: str | None
    judgement: Judgement
    cost_usd: float | None  # None also where only a lower bound is known
    scores: Mapping[str, float]
    labels: Sequence[str]
    is_computed: bool  # whether the cost is at list price

    @classmethod
    def of(cls, entry: Entry) -> "RunFacts":
        """Return those of an entry."""
        scores = {score.name: score.value for score in entry.scores}
        run = entry.run
        is_computed = run.cost_is_computed
        verdict = judged_over_time(run.status, run.turns, entry.outcome)
        return cls(entry.task, entry.compared_as, verdict, run.exact_usd, scores, entry.labels, is_computed)


def campaign(name: str, day: str, entries: Sequence[Entry]) -> CampaignFigures:
    """Return the figures of these runs."""
    scores = (score for entry in entries for score in entry.scores if score.higher_is_better is not None)
    directions = {score.name: score.higher_is_better is True for score in scores}
    agents = {entry.run.agent_version for entry in entries if entry.run.agent_version}
    made = counted(name, day, map(RunFacts.of, entries))
    return replace(made, agents=tuple(sorted(agents)), higher_is_better=tuple(sorted(directions.items())))


def counted(name: str, day: str, facts: Iterable[RunFacts]) -> CampaignFigures:
    """Return a campaign of these runs. Those whose task is unknown are counted and belong to no attempts."""
    facts = list(facts)
    known = by_key(facts, lambda each: None if each.task is None else (each.task, each.model or ""))
    made = [_attempts(*key, own) for key, own in sorted(known.items())]
    attempts, strays = (tuple(each for each in made if bool(each.model) is is_known) for is_known in (True, False))
    return CampaignFigures(name, day, len(facts), attempts, strays=strays, rules=tuple(RULES.items()))


def _attempts(task: str, model: str, runs: Sequence[RunFacts]) -> Attempts:
    valid = [run for run in runs if run.judgement is not Judgement.INFRASTRUCTURE]
    names = dict.fromkeys(name for run in valid for name in run.scores)
    prompts = {label for run in runs for label in run.labels if label.startswith(PROMPT_LABEL)}
    prompt = " ".join(sorted(prompts)) or None
    counts = Counter(run.judgement for run in valid)
    passed, unjudged = counts[Judgement.PASSED], counts[Judgement.UNJUDGED]
    costs = tuple(sorted(round(run.cost_usd, 6) for run in runs if run.cost_usd is not None))
    scores = ((name, sorted(run.scores[name] for run in valid if name in run.scores)) for name in sorted(names))
    told = tuple((name, tuple(values)) for name, values in scores)
    computed = sum(run.cost_usd is not None and run.is_computed for run in runs)
    return Attempts(task, model, len(runs), len(valid) - unjudged, passed, costs, told, prompt, unjudged, computed)
