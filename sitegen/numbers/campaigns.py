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
        if measure == "cost":
            return self.costs
        return dict(self.scores).get(measure.removeprefix("score."), ())

    @property
    def bases(self) -> set[bool]:
        """Whether its costs are at list price: both answers where some are, none where that is not known."""
        if self.computed is None:
            return set()
        return {place < self.computed for place in range(len(self.costs))}

    def unknown(self, measure: str) -> int:
        """Return how many of the runs that count in "cost", "success" or "score.<name>" do not know it."""
        runs = self.runs if measure == "cost" else self.judged + self.unjudged
        return runs - len(self.values(measure))


def joined(attempts: Iterable[Attempts]) -> dict[tuple[str, str], Attempts]:
    """Return the attempts by key: those of one task and model that are spelled in several ways are one, in the
    spelling of most runs."""
    by_spelling = by_key(attempts, lambda spelling: spelling.key)
    return {key: _join(spellings) for key, spellings in by_spelling.items()}


def _join(parts: Sequence[Attempts]) -> Attempts:
    if len(parts) == 1:
        return parts[0]
    scores: dict[str, list[float]] = {}
    for name, values in chain(*(part.scores for part in parts)):
        scores.setdefault(name, []).extend(values)
    prompts = sorted({part.prompt for part in parts if part.prompt})
    return replace(
        max(parts, key=lambda part: part.runs),
        runs=sum(part.runs for part in parts),
        judged=sum(part.judged for part in parts),
        passed=sum(part.passed for part in parts),
        costs=tuple(sorted(chain(*(part.costs for part in parts)))),
        scores=_in_order(scores),
        prompt=" ".join(prompts) or None,
        unjudged=sum(part.unjudged for part in parts),
        computed=sum_complete(part.computed for part in parts),
    )


def _in_order(scores: Mapping[str, Iterable[float]]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return scores by name, the values of each from the least."""
    return tuple((name, tuple(sorted(values))) for name, values in sorted(scores.items()))


def unify_names(campaigns: Sequence["CampaignFigures"]) -> list["CampaignFigures"]:
    """Return the campaigns, oldest first, with one name for each configuration: that of the newest campaign.

    A name lists the factors that runs of its campaign differ in, so it gets longer when another agent or effort joins.
    Two names are one configuration if all factors that both campaigns state are equal, no campaign has both, and no
    other name fits as well.
    """
    newer: dict[str, Configuration] = {}
    unified: list[CampaignFigures] = []
    for campaign in reversed(campaigns):
        configurations = campaign.by_name()
        renamed = _newest_names(configurations, newer)
        for name in renamed:
            del configurations[name]
        newer = configurations | newer
        unified.append(campaign.with_names(renamed) if renamed else campaign)
    return unified[::-1]


def _newest_names(
    older: Mapping[str, "Configuration"], newer: Mapping[str, "Configuration"]
) -> dict[str, str]:
    """Return the name that an older configuration has by now, for those that fit exactly one other name."""
    others = [configuration for name, configuration in newer.items() if name not in older]
    names: dict[str, str] = {}
    for name, configuration in older.items():
        fits = [other.name for other in others if configuration.may_be(other)]
        if name not in newer and len(fits) == 1:
            names[name] = fits[0]
    uses = Counter(names.values())
    return {name: newest for name, newest in names.items() if uses[newest] == 1}


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
    if measure in ("success", "cost"):
        return measure == "success"
    return all(value in (0, 1) for cell in attempts for value in cell.values(measure))


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
        stated = dict(self.configurations)
        configurations: dict[str, Configuration] = {}
        for name in dict.fromkeys(attempts.model for attempts in self.attempts):
            factors = {factor: value.casefold() for factor, value in stated.get(name, ())}
            configurations[name] = Configuration(name, factors)
        return configurations

    def with_names(self, renamed: Mapping[str, str]) -> "CampaignFigures":
        """Return the same with other names for some configurations."""
        attempts = (replace(own, model=renamed.get(own.model, own.model)) for own in self.attempts)
        return replace(self, attempts=tuple(attempts))

    def rule(self, measure: str) -> int:
        """Return the version of the rules for "cost", "success" or "score.<name>"."""
        return dict(self.rules).get(measure.partition(".")[0], 1)

    def bounded(self, most: int) -> "CampaignFigures":
        """Return the same with so many attempts at most."""
        further = max(len(self.attempts) - most, 0)
        return replace(
            self,
            strays=self.strays[:most],
            attempts=self.attempts[:most],
            left_out=self.left_out + further,
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
        run = entry.run
        factors = {
            "agent": entry.agent,
            "model": entry.model,
            "effort": entry.factor("effort"),
            **dict(entry.factors),
        }
        return cls(
            task=entry.task,
            model=entry.compared_as,
            judgement=judged_over_time(run.status, run.turns, entry.outcome),
            cost_usd=run.exact_usd,
            scores={score.name: score.value for score in entry.scores},
            labels=entry.labels,
            is_computed=run.cost_is_computed,
            factors={factor: value for factor, value in factors.items() if value},
        )


def campaign(name: str, day: str, entries: Sequence[Entry]) -> CampaignFigures:
    """Return the figures of these runs."""
    directions: dict[str, bool] = {}
    for score in chain(*(entry.scores for entry in entries)):
        if score.higher_is_better is not None:
            directions[score.name] = score.higher_is_better
    agents = {entry.run.agent_version for entry in entries if entry.run.agent_version}
    return replace(
        counted(name, day, map(RunFacts.of, entries)),
        agents=tuple(sorted(agents)),
        higher_is_better=tuple(sorted(directions.items())),
    )


def counted(name: str, day: str, facts: Iterable[RunFacts]) -> CampaignFigures:
    """Return a campaign of these runs. Those whose task is unknown are counted and belong to no attempts."""
    facts = list(facts)
    known = [run for run in facts if run.task is not None]
    cells = by_key(known, lambda run: (run.task or "", run.model or ""))
    made = [_attempts(*key, runs) for key, runs in sorted(cells.items())]
    by_name = by_key(facts, lambda run: run.model or None)
    return CampaignFigures(
        name,
        day,
        len(facts),
        tuple(attempts for attempts in made if attempts.model),
        strays=tuple(attempts for attempts in made if not attempts.model),
        rules=tuple(RULES.items()),
        configurations=tuple((key, _shared_factors(by_name[key])) for key in sorted(by_name)),
    )


def _shared_factors(runs: Sequence[RunFacts]) -> tuple[tuple[str, str], ...]:
    """Return the factors whose value all these runs have."""
    shared = set(runs[0].factors.items()).intersection(*(run.factors.items() for run in runs[1:]))
    return tuple(sorted(shared))


def _attempts(task: str, model: str, runs: Sequence[RunFacts]) -> Attempts:
    valid = [run for run in runs if run.judgement is not Judgement.INFRASTRUCTURE]
    counts = Counter(run.judgement for run in valid)
    unjudged = counts[Judgement.UNJUDGED]
    priced = [(run.cost_usd, run.is_computed) for run in runs if run.cost_usd is not None]
    scores: dict[str, list[float]] = {}
    for name, value in chain(*(run.scores.items() for run in valid)):
        scores.setdefault(name, []).append(value)
    labels = set(chain(*(run.labels for run in runs)))
    prompts = sorted(label for label in labels if label.startswith(PROMPT_LABEL))
    return Attempts(
        task,
        model,
        runs=len(runs),
        judged=len(valid) - unjudged,
        passed=counts[Judgement.PASSED],
        costs=tuple(sorted(round(usd, 6) for usd, _ in priced)),
        scores=_in_order(scores),
        prompt=" ".join(prompts) or None,
        unjudged=unjudged,
        computed=sum(is_computed for _, is_computed in priced),
    )
