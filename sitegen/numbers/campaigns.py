"""The record of a campaign that remains when its runs are gone: for each model and task, how its runs ended and what
they cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain

from sitegen.model import Entry, by_key, frozen, sum_complete
from sitegen.numbers.success import Judgement, judged_over_time

PROMPT_LABEL = "prompt:"
"""Begins the label that states the digest of a task's prompt: tasks of one id and another prompt are others."""


@frozen
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
        return (
            self.costs
            if measure == "cost"
            else dict(self.scores).get(measure.removeprefix("score."), ())
        )

    @property
    def bases(self) -> set[bool]:
        """Whether its costs are at list price: both answers where some are, none where that is not known."""
        return (
            set()
            if self.computed is None
            else {at < self.computed for at in range(len(self.costs))}
        )

    def unknown(self, measure: str) -> int:
        """Return how many of the runs that count in "cost", "success" or "score.<name>" do not know it."""
        return (self.runs if measure == "cost" else self.judged + self.unjudged) - len(
            self.values(measure)
        )


def joined(attempts: Iterable[Attempts]) -> dict[tuple[str, str], Attempts]:
    """Return the attempts by key: those of one task and model that are spelled in several ways are one, in the
    spelling of most runs."""
    return {
        key: _joined(own) if own[1:] else own[0]
        for key, own in by_key(attempts, lambda each: each.key).items()
    }


def _joined(several: Sequence[Attempts]) -> Attempts:
    scores = by_key((told for each in several for told in each.scores), lambda told: told[0])
    return replace(
        max(several, key=lambda each: each.runs),
        runs=sum(each.runs for each in several),
        judged=sum(each.judged for each in several),
        passed=sum(each.passed for each in several),
        costs=tuple(sorted(usd for each in several for usd in each.costs)),
        scores=tuple(
            (name, tuple(sorted(chain(*(own for _, own in told)))))
            for name, told in sorted(scores.items())
        ),
        prompt=" ".join(sorted({each.prompt for each in several if each.prompt})) or None,
        unjudged=sum(each.unjudged for each in several),
        computed=sum_complete(each.computed for each in several),
    )


def unify_names(campaigns: Sequence["CampaignFigures"]) -> list["CampaignFigures"]:
    """Return the campaigns, oldest first, with one name for each configuration: that of the newest campaign.

    A name lists the factors that runs of its campaign differ in, so it gets longer when another agent or effort joins.
    Two names are one configuration if all factors that both campaigns state are equal, no campaign has both, and no
    other name fits as well.
    """
    newer: dict[str, Configuration] = {}
    unified: list[CampaignFigures] = []
    for campaign in reversed(campaigns):
        own = campaign.by_name()
        others = [other for name, other in newer.items() if name not in own]
        fits = {
            name: [other for other in others if config.may_be(other)]
            for name, config in own.items()
        }
        only = {
            name: found[0].name
            for name, found in fits.items()
            if name not in newer and len(found) == 1
        }
        uses = Counter(only.values())
        renamed = {name: newest for name, newest in only.items() if uses[newest] == 1}
        newer = {**{name: config for name, config in own.items() if name not in renamed}, **newer}
        unified.append(campaign.with_names(renamed) if renamed else campaign)
    return unified[::-1]


@frozen
class Configuration:
    """A configuration of a campaign, as far as it is stated."""

    name: str
    factors: Mapping[str, str]
    """The values by factor, in small letters; empty in older histories, which have the name alone."""

    @property
    def values(self) -> set[str]:
        """The parts of its name and the values of its factors, in small letters and without the maker of the model."""
        parts = {part.casefold() for part in self.name.split(" · ")} | set(self.factors.values())
        return {part.removeprefix("claude ") for part in parts}

    def may_be(self, other: "Configuration") -> bool:
        """Return whether nothing that both state differs."""
        if self.factors and other.factors:
            shared = self.factors.keys() & other.factors.keys()
            return all(self.factors[name] == other.factors[name] for name in shared)
        return self.values <= other.values or other.values <= self.values


def is_share(measure: str, attempts: Iterable[Attempts]) -> bool:
    """Return whether the mean of "success", "cost" or "score.<name>" is a share of runs: a score that is 0 or 1 in all
    of these attempts is treated as success is."""
    values = (value for each in attempts for value in each.values(measure))
    return measure == "success" or (measure != "cost" and all(value in (0, 1) for value in values))


def scores_of(attempts: Iterable[Attempts]) -> list[str]:
    """Return the scores of these attempts as measures: "score.<name>"."""
    return sorted({f"score.{name}" for cell in attempts for name, _ in cell.scores})


RULES = {"cost": 2, "score": 1, "success": 2}
"""The version of the rules by which each measure of a run is counted. A change that gives the same files other figures
raises it: figures of other versions are not compared, or an update would look like a change of the agent.

Cost 2: totals of resumed sessions count once, odd records do not decide for a file, judges are left out.
Success 2: a limit of the run's own is a failure where others have outcomes.
"""
Rules = tuple[tuple[str, int], ...]


BASELINE = "baseline"
"""The name of a baseline without a name of its own, or with none that is earlier in the order of time."""


@frozen
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
    """Runs that could not be read."""
    rules: Rules = ()
    """The versions of RULES by which its figures were counted; those of the first where none are stated."""
    configurations: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """The names of its configurations, with the factors that all their runs share; none in older histories."""

    @property
    def key(self) -> tuple[str, bool, str]:
        """The key that distinguishes it from others, in the order of time: BASELINE is the first of its day."""
        return self.day, self.name != BASELINE, self.name

    def by_name(self) -> dict[str, Configuration]:
        """Return its configurations by name."""
        stated = {
            name: {factor: value.casefold() for factor, value in own}
            for name, own in self.configurations
        }
        names = dict.fromkeys(attempts.model for attempts in self.attempts)
        return {name: Configuration(name, stated.get(name, {})) for name in names}

    def with_names(self, renamed: Mapping[str, str]) -> "CampaignFigures":
        """Return the same with other names for some configurations."""
        attempts = (replace(own, model=renamed.get(own.model, own.model)) for own in self.attempts)
        return replace(self, attempts=tuple(attempts))

    def rule(self, measure: str) -> int:
        """Return the version of the rules for "cost", "success" or "score.<name>"."""
        return dict(self.rules).get(measure.partition(".")[0], 1)

    def bounded(self, most: int) -> "CampaignFigures":
        """Return the same with so many attempts at most."""
        left = len(self.attempts) - most
        own = replace(self, strays=self.strays[:most])
        return (
            replace(own, attempts=self.attempts[:most], left_out=self.left_out + left)
            if left > 0
            else own
        )


@frozen
class RunFacts:
    """A run as a campaign counts it."""

    task: str | None
    model: str | None
    judgement: Judgement
    cost_usd: float | None  # None also where only a lower bound is known
    scores: Mapping[str, float]
    labels: Sequence[str]
    is_computed: bool  # whether the cost is at list price
    factors: Mapping[str, str] = field(default_factory=dict)
    """The values by factor, agent, model and effort among them."""

    @classmethod
    def of(cls, entry: Entry) -> "RunFacts":
        """Return those of an entry."""
        scores = {score.name: score.value for score in entry.scores}
        run = entry.run
        is_computed = run.cost_is_computed
        verdict = judged_over_time(run.status, run.turns, entry.outcome)
        own = {
            "agent": entry.agent,
            "model": entry.model,
            "effort": entry.factor("effort"),
            **dict(entry.factors),
        }
        factors = {factor: value for factor, value in own.items() if value}
        return cls(
            entry.task,
            entry.compared_as,
            verdict,
            run.exact_usd,
            scores,
            entry.labels,
            is_computed,
            factors,
        )


def campaign(name: str, day: str, entries: Sequence[Entry]) -> CampaignFigures:
    """Return the figures of these runs."""
    scores = (
        score for entry in entries for score in entry.scores if score.higher_is_better is not None
    )
    directions = {score.name: score.higher_is_better is True for score in scores}
    agents = {entry.run.agent_version for entry in entries if entry.run.agent_version}
    made = counted(name, day, map(RunFacts.of, entries))
    return replace(
        made, agents=tuple(sorted(agents)), higher_is_better=tuple(sorted(directions.items()))
    )


def counted(name: str, day: str, facts: Iterable[RunFacts]) -> CampaignFigures:
    """Return a campaign of these runs. Those whose task is unknown are counted and belong to no attempts."""
    facts = list(facts)
    known = by_key(facts, lambda each: None if each.task is None else (each.task, each.model or ""))
    made = [_attempts(*key, own) for key, own in sorted(known.items())]
    attempts, strays = (
        tuple(each for each in made if bool(each.model) is is_known) for is_known in (True, False)
    )
    by_name = by_key(facts, lambda run: run.model or None)
    configurations = tuple((name, _shared_factors(runs)) for name, runs in sorted(by_name.items()))
    rules = tuple(RULES.items())
    return CampaignFigures(
        name, day, len(facts), attempts, strays=strays, rules=rules, configurations=configurations
    )


def _shared_factors(runs: Sequence[RunFacts]) -> tuple[tuple[str, str], ...]:
    """Return the factors whose value all these runs have."""
    shared = set(runs[0].factors.items()).intersection(*(run.factors.items() for run in runs[1:]))
    return tuple(sorted(shared))


def _attempts(task: str, model: str, runs: Sequence[RunFacts]) -> Attempts:
    valid = [run for run in runs if run.judgement is not Judgement.INFRASTRUCTURE]
    names = dict.fromkeys(name for run in valid for name in run.scores)
    prompts = {label for run in runs for label in run.labels if label.startswith(PROMPT_LABEL)}
    prompt = " ".join(sorted(prompts)) or None
    counts = Counter(run.judgement for run in valid)
    passed = counts[Judgement.PASSED]
    unjudged = counts[Judgement.UNJUDGED]
    costs = tuple(sorted(round(run.cost_usd, 6) for run in runs if run.cost_usd is not None))
    scores = (
        (name, sorted(run.scores[name] for run in valid if name in run.scores))
        for name in sorted(names)
    )
    told = tuple((name, tuple(values)) for name, values in scores)
    computed = sum(run.cost_usd is not None and run.is_computed for run in runs)
    return Attempts(
        task,
        model,
        len(runs),
        len(valid) - unjudged,
        passed,
        costs,
        told,
        prompt,
        unjudged,
        computed,
    )
