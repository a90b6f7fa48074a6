"""The subject of a study: the factors of runs and their roles, configurations, several verdicts, and observations.

A run has named factors: its agent and model, and what the pattern of its path, a table of outcomes or the table of
tasks says besides. The configuration is the part of them that somebody chose for the run; a property belongs to its
task.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from sitegen.config import GROUPS, Config, Role, ScoreMeaning, VerdictRule
from sitegen.fields import Field, fields_of, find_field, stated_of
from sitegen.figures import plural, sentence_list
from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Outcome, Score, by_key
from sitegen.numbers.success import is_judged, is_lost, success
from sitegen.numbers.verdicts import interaction_p
from sitegen.outcomes.cells import finite, outcome_of
from sitegen.outcomes.configurations import UNKNOWN, Values, adopt_unreached, name_configurations
from sitegen.outcomes.roles import Factor, decide_role, fields_of_paths
from sitegen.text.names import natural_order

MAX_VERSIONS = 8  # versions that a remark names
MAX_OBSERVED = 30  # different values of a column that is an observation; free text has more
MAX_LENGTH = 120  # characters of a value that is no free text
SKILL = "skill"
"""The factor of evaluations of skills."""
WITHOUT = "without"
_ALWAYS = ("agent", "model", "effort")
_NOT_EXCLUDED = frozenset({"false", "no"})
_AS_OUTCOME = {True: Outcome.PASS, False: Outcome.FAIL, None: None}


class _Judged(NamedTuple):
    """The answer of a verdict of the settings on a run."""

    known: bool | None
    """Whether the run passes; None if nobody knows."""
    passed: bool | None
    """The same, with the failures of `unknown: fail`."""
    is_untested: bool
    """Whether nothing is known because the test did not work."""


class Study:
    """The factors, verdicts and observations of these runs, as the settings and the runs tell."""

    def __init__(self, config: Config, entries: Sequence[Entry]) -> None:
        self.config = config
        self.entries = entries

    # Factors and observations.

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """All factors with their roles: agent and model, then those of paths and tables in their order."""
        names = dict.fromkeys(name for entry in self.entries for name, _ in entry.factors)
        factors = [Factor(name, "configuration", "always") for name in ("agent", "model")]
        if "effort" in names:
            factors.append(Factor("effort", "configuration", "always"))
        elif self._has_mixed_efforts:
            reason = "runs of one agent and model differ in it"
            factors.append(Factor("effort", "configuration", reason))
        path_fields = fields_of_paths(self.config)
        for name in names:
            if name not in _ALWAYS:
                factors.append(decide_role(name, self.config, path_fields, self.entries))
        for name in self.observations:
            is_named = name in self.config.observations
            reason = "the settings say so" if is_named else "it comes with the outcomes"
            factors.append(Factor(name, "observation", reason))
        return tuple(factors)

    @cached_property
    def _efforts(self) -> dict[tuple[str, str | None], set[str | None]]:
        """The efforts of the runs of each agent and model, where files state them; none where paths or tables do."""
        efforts: dict[tuple[str, str | None], set[str | None]] = {}
        if not any("effort" in dict(entry.factors) for entry in self.entries):
            for entry in self.entries:
                efforts.setdefault((entry.agent, entry.model), set()).add(entry.run.effort)
        return efforts

    @cached_property
    def _has_mixed_efforts(self) -> bool:
        """Whether files alone tell runs of one agent and model apart by their effort."""
        return any(len(efforts - {None}) > 1 for efforts in self._efforts.values())

    @cached_property
    def control(self) -> Mapping[str, str]:
        """The factor and the value of the control arm: that of the settings, else runs without the skill that others
        have."""
        if "control" in self.config.model_fields_set:
            return self.config.control
        values = {entry.factor(SKILL) for entry in self.entries} - {None}
        return {SKILL: WITHOUT} if WITHOUT in values and len(values) > 1 else {}

    @cached_property
    def observations(self) -> tuple[str, ...]:
        """Columns of outcomes files that say what was observed: those of the settings, else those that repeat."""
        if self.config.observations:
            return tuple(name for name in self.config.observations if name in self.columns)
        return tuple(name for name in self.unused_columns if not self.is_free_text(name))

    @cached_property
    def columns(self) -> dict[str, Counter[str]]:
        """The number of times that each column of outcomes files has each value."""
        columns: dict[str, Counter[str]] = {}
        for entry in self.entries:
            for name, value in entry.stated:
                columns.setdefault(name, Counter())[value] += 1
        return columns

    @cached_property
    def scores(self) -> dict[str, ScoreMeaning]:
        """The meaning of scores by name."""
        return self.config.all_scores

    @cached_property
    def unused_columns(self) -> list[str]:
        """Columns that neither the settings nor scores use."""
        used = {*verdict_columns(self.config), *self.config.observations}
        for meaning in self.scores.values():
            used.update(meaning.columns)
        used.update(score.name for entry in self.entries for score in entry.scores)
        return [name for name in self.columns if name not in used]

    def is_free_text(self, name: str) -> bool:
        """Return whether a column holds texts or figures, and not one of a few words."""
        values = self.columns[name]
        is_long = any(len(value) > MAX_LENGTH for value in values)
        # A dot is in the names of figures of a measurement.
        is_number = "." in name or all(finite(value) is not None for value in values)
        is_varied = len(values) > MAX_OBSERVED or len(values) * 2 > values.total()
        return is_long or is_number or is_varied

    def named(self, role: Role) -> list[str]:
        """Return the factors of a role."""
        return [factor.name for factor in self.factors if factor.role == role]

    def value(self, entry: Entry, name: str) -> str:
        """Return the value of a factor or an observation; "unknown" where nothing states it."""
        if name in ("agent", "model"):
            return getattr(entry, name) or UNKNOWN
        return entry.factor(name) or dict(entry.stated).get(name) or UNKNOWN

    # Configurations.

    def configuration(self, entry: Entry) -> Values | None:
        """Return the values of the factors that somebody chose, in the order of `named("configuration")`; of a run that
        ended before its model was reached those of the only configuration that it fits."""
        values = self.known_values(entry)
        return self.adopted.get(values, values)

    def configuration_name(self, entry: Entry) -> str | None:
        """Return the name of the configuration of a run; None where it has none."""
        values = self.configuration(entry)
        return None if values is None else self.names.get(values)

    def known_values(self, entry: Entry) -> Values:
        """Return the values of these factors that are known of a run itself."""
        return tuple(self._chosen_value(entry, name) for name in self._chosen)

    @cached_property
    def adopted(self) -> dict[Values, Values | None]:
        """The configuration of runs that ended before their model was reached, by what is known of them; None where
        they fit none or several."""
        return adopt_unreached(by_key(self.entries, self.known_values), self._chosen)

    def _chosen_value(self, entry: Entry, name: str) -> str:
        """Return the value of a factor that tells configurations apart. Where some files state no effort, as those of
        old versions, and all others of the agent and model the same, it does not."""
        efforts = self._efforts.get((entry.agent, entry.model), set())
        if name == "effort" and None in efforts and len(efforts) == 2:
            return UNKNOWN
        return self.value(entry, name)

    @cached_property
    def _chosen(self) -> list[str]:
        return self.named("configuration")

    @cached_property
    def configurations(self) -> dict[Values, list[Entry]]:
        """The runs of each configuration, in natural order."""
        runs = by_key(self.entries, self.configuration)  # without those that have none
        ordered = sorted(runs, key=lambda values: (natural_order(" ".join(values)), values))
        return {values: runs[values] for values in ordered}

    @cached_property
    def covered(self) -> dict[Values, list[Entry]]:
        """The configurations that a study is about: those with a judged or lost run; all where no run is judged, or
        where the settings make no study."""
        if not has_study(self.config) or not any(map(is_judged, self.entries)):
            return self.configurations
        return {
            values: runs
            for values, runs in self.configurations.items()
            if any(map(is_judged_or_lost, runs))
        }

    @property
    def covered_runs(self) -> list[Entry]:
        """The runs of these, in the order of all."""
        if len(self.covered) == len(self.configurations):
            return list(self.entries)
        return [entry for entry in self.entries if self.configuration(entry) in self.covered]

    @property
    def left_out(self) -> str:
        """Count what tables of the study leave out: configurations without a verdict, and runs that have none."""
        texts = []
        if configurations := len(self.configurations) - len(self.covered):
            texts.append(f"{plural(configurations, 'configuration')} without a verdict")
        if runs := sum(self.configuration(entry) is None for entry in self.entries):
            texts.append(f"{plural(runs, 'run')} that ended before a model was reached")
        return sentence_list(texts) if texts else ""

    @cached_property
    def names(self) -> dict[Values, str]:
        """The name of each configuration: its factors, without those that are the same in all."""
        configurations = list(self.configurations)
        with_model = self._has_mixed_efforts
        return name_configurations(configurations, self._chosen, with_model=with_model)

    def configured(self) -> list[Entry]:
        """Return the runs with the names of their configurations, where models alone do not tell these apart, and
        without a task with titles that do."""
        entries = list(self.entries)
        models = {(entry.model or "").removeprefix("Claude ") for entry in entries}
        if len(self.configurations) > len(models) or any(self.adopted.values()):
            entries = [
                with_configuration(entry, self.configuration_name(entry)) for entry in entries
            ]
        compared: dict[str, set[str | None]] = {}
        for entry in entries:
            if not entry.task:
                compared.setdefault(entry.title, set()).add(entry.compared_as)
        for position, entry in enumerate(entries):
            if not entry.task and entry.title and len(compared[entry.title]) > 1:
                title = f"{entry.title} · {entry.compared_as or 'model unknown'}"
                entries[position] = replace(entry, title=title)
        return entries

    def mixed_versions(self) -> list[str]:
        """Return the configurations whose runs are of several versions of their agent, each with these."""
        mixed = []
        for values, runs in self.configurations.items():
            versions = {run.factor("agent_version") for run in runs} - {None, ""}
            if len(versions) > 1:
                ordered = sorted(map(str, versions), key=natural_order)
                mixed.append(f"{self.names[values]} ({', '.join(ordered[:MAX_VERSIONS])})")
        return mixed

    def missing(self, tasks: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield the planned runs that are not there, each with its configuration: `attempts` of each at all tasks."""
        planned = self.config.attempts
        if planned is None:
            return
        spellings = {task.casefold(): task for task in tasks}
        asked: dict[str | None, set[str]] = {}
        for entry in self.entries:
            of_campaign = asked.setdefault(entry.campaign, set(map(str.casefold, tasks)))
            if entry.task:
                spellings[entry.task.casefold()] = entry.task
                of_campaign.add(entry.task.casefold())
        first = 0 if any(entry.attempt == 0 for entry in self.entries) else 1
        numbers = range(first, first + planned)
        groups = by_key(
            self.entries, lambda entry: (entry.campaign, self.configuration_name(entry))
        )
        for (campaign, configuration), runs in groups.items():
            name = " · ".join(filter(None, (campaign, configuration)))
            of_task = by_key(runs, lambda run: (run.task or "").casefold())
            for task in sorted(asked[campaign], key=natural_order):
                attempts = [run.attempt for run in of_task.get(task, ())]
                free = (number for number in numbers if number not in attempts)
                for number in islice(free, max(planned - len(attempts), 0)):
                    yield spellings[task], name, number

    # Groups by properties of tasks.

    def group(self, entry: Entry, name: str) -> str | None:
        """Return the group of a run by a property of its task: a value, or the part between the cuts; None if
        unknown."""
        value = entry.factor(name)
        rule = self.config.properties.get(name)
        if rule is None or value is None:
            return value
        number = finite(value)
        if number is None:
            return None
        cuts = sorted(rule.cut)
        texts = [f"{cut:g}" if float(f"{cut:g}") == cut else repr(cut) for cut in cuts]
        above = bisect_right(cuts, number)
        if above == 0:
            return f"below {texts[0]}"
        if above == len(cuts):
            return f"from {texts[-1]}"
        return f"{texts[above - 1]} to below {texts[above]}"

    def is_in(self, name: str, group: str, entry: Entry) -> bool:
        """Return whether the task of a run is in a group by a property."""
        return self.group(entry, name) == group

    def part(self, entry: Entry, name: str) -> str | None:
        """Return the configuration, model, agent, campaign or task of a run, its group by a property, or another field."""
        if name == "configuration":
            return self.configuration_name(entry)
        if name == "campaign" and not self.config.campaigns:
            # The settings name that of all runs that name none.
            return entry.campaign or self.config.campaign.name
        if name in GROUPS:
            return getattr(entry, name) or None
        group = self.group(entry, name)
        if group is not None or name not in self.categories:
            return group
        field = self.categories[name]
        none = field.missing if field.has_none and entry.stated else ""
        # A run that `only: judged` left out states nothing here.
        return str(self.stated.get(entry.id, {}).get(field.key, none)) or None

    @cached_property
    def categories(self) -> dict[str, Field]:
        """The fields that runs state as names, by these keys and by short names that only one field has."""
        fields = [field for field in fields_of(self.entries) if field.is_stated]
        names = [name for field in fields if field.is_category for name in (field.name, field.key)]
        named = {name: find_field(fields, name) for name in names}
        return {name: field for name, field in named.items() if field}

    @cached_property
    def stated(self) -> dict[str, dict[str, str | float]]:
        """The statements about each run by the keys of fields, by its id."""
        return {entry.id: stated_of(entry) for entry in self.entries}

    def matching(
        self, runs: Iterable[Entry], chosen: Mapping[str, Sequence[str]]
    ) -> Iterator[Entry]:
        """Yield the runs that have one of these names in each of these fields; the empty name is that of none."""
        for run in runs:
            stated = self.stated[run.id]
            if all(stated.get(key, "") in names for key, names in chosen.items()):
                yield run

    @cached_property
    def halves(self) -> tuple[str, Sequence[str]] | None:
        """The property of tasks that the settings split the leaderboard by, else the first with two groups, and these;
        None where there is none."""
        chosen = self.config.leaderboard.split_by
        for name in [chosen] if chosen else self.named("property"):
            groups = {self.group(entry, name) for entry in self.entries} - {None}
            if len(groups) == 2 or (chosen and groups):
                return name, sorted(map(str, groups), key=natural_order)
        return None

    def breakdowns(self) -> dict[str, float]:
        """Return by property how likely configurations would compare so differently in its two groups by chance."""
        chances = {name: self._interaction(name) for name in self.named("property")}
        return {name: p for name, p in chances.items() if p is not None}

    def groups_of_tasks(self, name: str) -> dict[str, str]:
        """Return the group of each task by a property, in the order of the groups."""
        groups: dict[str, str] = {}
        for entry in self.covered_runs:
            group = self.group(entry, name)
            if entry.task and group:
                groups[entry.task] = group
        return dict(sorted(groups.items(), key=lambda pair: natural_order(pair[1])))

    def _interaction(self, name: str) -> float | None:
        groups = self.groups_of_tasks(name)
        rates: dict[str, list[float]] = {}
        for task in groups:
            known = [self._rates[values].get(task) for values in self.tested]
            if len(known) > 1 and None not in known:
                rates[task] = [rate for rate in known if rate is not None]
        return interaction_p(rates, groups)

    @cached_property
    def _rates(self) -> dict[Values, dict[str, float]]:
        """The success rate of each configuration at each task on which it is judged."""
        rates: dict[Values, dict[str, float]] = {}
        for values, runs in self.configurations.items():
            rates[values] = {}
            for task, attempts in by_key(runs, lambda run: run.task).items():
                rate = success(attempts).rate
                if rate is not None:
                    rates[values][task] = rate
        return rates

    @cached_property
    def tested(self) -> list[Values]:
        """The configurations of which it is asked whether they compare differently: those judged on at least half of
        the tasks of the one that has most."""
        most = max(map(len, self._rates.values()), default=0)
        return [values for values, rates in self._rates.items() if rates and 2 * len(rates) >= most]

    @property
    def not_covered(self) -> list[str]:
        """The names of the other configurations that the study is about."""
        return [self.names[values] for values in self.covered if values not in self.tested]

    def highest(self, name: str) -> dict[str, tuple[float, list[str]]]:
        """Return by group of a property who of the covered configurations passed most of its runs, and the rate."""
        leaders: dict[str, tuple[float, list[str]]] = {}
        for values in self.tested:
            runs = [entry for entry in self.configurations[values] if entry.task]
            for group, attempts in by_key(runs, lambda entry: self.group(entry, name)).items():
                rate = success(attempts).rate
                best, names = leaders.get(group, (-1.0, []))
                if rate == best:
                    names.append(self.names[values])
                elif rate is not None and rate > best:
                    leaders[group] = rate, [self.names[values]]
        return {group: leaders[group] for group in sorted(leaders, key=natural_order)}

    # Verdicts and scores.

    def passed(self, entry: Entry, name: str) -> bool | None:
        """Return whether a run passes a verdict of the settings; None if nobody knows."""
        return self._judge(entry, name, {}).passed

    def _judge(self, entry: Entry, name: str, judged: dict[str, _Judged]) -> _Judged:
        """Return what a verdict says of a run. Those that it needs are judged once and kept in `judged`: in the
        settings of a pack, each of a hundred may need all others."""
        if name in judged:
            return judged[name]
        rule = self.config.verdicts[name]
        parts = [self._judge(entry, part, judged) for part in rule.all]
        known = self._verdict(entry, rule, [part.known for part in parts])
        passed = self._verdict(entry, rule, [part.passed for part in parts])
        lacks_test = any(part.is_untested for part in parts)
        is_unknown = passed is None and (lacks_test or is_untested(entry, rule))
        if passed is None and rule.unknown == "fail" and (is_unknown or is_lost(entry)):
            passed = False
        judged[name] = _Judged(known, passed, is_unknown)
        return judged[name]

    def _verdict(
        self, entry: Entry, rule: VerdictRule, parts: Sequence[bool | None]
    ) -> bool | None:
        """Return whether a run passes by the source of a verdict: its parts, a score, or a column."""
        if rule.all:
            return False if False in parts else None if None in parts else True
        if rule.score:
            return self._reaches(entry, rule, rule.score)
        word = dict(entry.stated).get(rule.column or "")
        if word is None:
            return None
        if rule.passing:
            return word.casefold() in map(str.casefold, rule.passing)
        outcome = outcome_of(word)
        return None if outcome in (None, Outcome.ERROR) else outcome is Outcome.PASS

    def _reaches(self, entry: Entry, rule: VerdictRule, score: str) -> bool | None:
        """Return whether a score is within the limits of a verdict."""
        value = score_of(entry, score)
        factor = self.reference(entry, rule.of, score) if rule.of else 1.0
        if value is None or factor is None:
            return None
        is_enough = rule.min is None or value >= rule.min * factor
        return is_enough and (rule.max is None or value <= rule.max * factor)

    def reference(self, entry: Entry, name: str, score: str) -> float | None:
        """Return what a score of a run is compared with: a number of the task table, or what was measured for its
        task."""
        return finite(entry.factor(f"{name} {score}") or entry.factor(name) or "")

    def relative(self, entry: Entry, score: str) -> float | None:
        """Return how many times better than its reference a score of a run is; None where one of them is unknown."""
        meaning = self.scores[score]
        if meaning.of:
            return score_of(entry, score)
        return self._times_better(entry, score, meaning.reference or "")

    def _times_better(self, entry: Entry, score: str, name: str) -> float | None:
        value = score_of(entry, score)
        reference = self.reference(entry, name, score)
        if value is None or reference is None or min(value, reference) <= 0:
            return None
        return reference / value if self.scores[score].direction == "lower" else value / reference

    def quadrant(self, entry: Entry) -> str | None:
        """Return what two verdicts say together; None without both of them."""
        quadrants = self.config.quadrants
        if quadrants is None:
            return None
        first, second = (self.passed(entry, name) for name in quadrants.of)
        if first is None or second is None:
            return None
        if first:
            return quadrants.both if second else quadrants.first
        return quadrants.second if second else quadrants.none

    def band(self, entry: Entry, score: str) -> str:
        """Return how a score compares with its reference: "better", "level", "worse" or "no score"."""
        meaning = self.scores[score]
        value = score_of(entry, score)
        reference = 1.0 if meaning.of else self.reference(entry, meaning.reference or "", score)
        if value is None or reference is None:
            return "no score"
        is_above = value > (1 + meaning.band) * reference
        is_below = value < (1 - meaning.band) * reference
        if not is_above and not is_below:
            return "level"
        lower_is_better = meaning.direction == "lower" and not meaning.of
        return "better" if is_above != lower_is_better else "worse"

    def excluded(self, entry: Entry) -> str | None:
        """Return why a run is excluded; None if it is not."""
        column = self.config.excluded or ""
        reason = dict(entry.stated).get(column) or entry.factor(column)
        is_counted = reason is None or reason.casefold() in _NOT_EXCLUDED or finite(reason) == 0
        return None if is_counted else reason

    @property
    def reasons(self) -> Counter[str]:
        """The reasons why runs are excluded, and how many."""
        return Counter(filter(None, map(self.excluded, self.entries)))

    def apply_verdicts(self) -> list[Entry]:
        """Return the runs with the main verdict as their outcome, and without scores that are verdicts or
        references."""
        if any(meaning.of for meaning in self.scores.values()):
            self.entries = list(map(self._with_computed_scores, self.entries))
        main = next((name for name, rule in self.config.verdicts.items() if rule.main), None)
        columns = verdict_columns(self.config)
        if main is None and not columns:
            return list(self.entries)
        decided = []
        for entry in self.entries:
            kept = tuple(score for score in entry.scores if score.name not in columns)
            entry = replace(entry, scores=kept, is_failed_by_rule=False)
            decided.append(self._with_outcome(entry, main) if main else entry)
        return decided

    def _with_outcome(self, entry: Entry, main: str) -> Entry:
        """Return a run with the outcome that the main verdict says; an error stays one, unless a rule makes it fail."""
        verdict = self._judge(entry, main, {})
        is_failed_by_rule = verdict.passed is False and verdict.known is None
        outcome = entry.outcome
        if outcome is not Outcome.ERROR or is_failed_by_rule:
            outcome = _AS_OUTCOME[verdict.passed]
        return replace(entry, outcome=outcome, is_failed_by_rule=is_failed_by_rule)

    def _with_computed_scores(self, entry: Entry) -> Entry:
        """Return a run with the scores that settings make of others: by the first that it and its reference have."""
        scores = [score for score in entry.scores if not self._is_computed(score.name)]
        for name, meaning in self.scores.items():
            for part in meaning.of:
                times = self._times_better(entry, part, meaning.reference or "")
                if times is not None:
                    unit = meaning.unit or "x"
                    scores.append(Score(name, times, unit, True, True, is_computed=True))
                    break
        return replace(entry, scores=tuple(scores))

    def _is_computed(self, name: str) -> bool:
        return name in self.scores and bool(self.scores[name].of)


def is_judged_or_lost(entry: Entry) -> bool:
    """Return whether a run counts in one of both countings of success."""
    return is_judged(entry) or is_lost(entry)


def score_of(entry: Entry, name: str) -> float | None:
    """Return a score of a run; None where it has none."""
    return next((score.value for score in entry.scores if score.name == name), None)


def is_untested(entry: Entry, rule: VerdictRule) -> bool:
    """Return whether a row or a measurement of a run says that the test of a verdict did not work."""
    columns = {rule.column, rule.score} - {None}
    words = [word for column, word in entry.stated if column in columns or column == "status"]
    return Outcome.ERROR in map(outcome_of, words) or not columns.isdisjoint(entry.untested)


def verdict_columns(config: Config) -> set[str]:
    """Return the columns of outcomes files that say whether runs pass, or that they are excluded."""
    columns = {rule.column for rule in config.verdicts.values()} | {config.excluded}
    return {name for name in columns if name is not None}


def with_configuration(entry: Entry, name: str | None) -> Entry:
    """Return a run with the name of its configuration."""
    return replace(entry, configuration=name)


def has_study(config: Config) -> bool:
    """Return whether the settings say anything of factors, verdicts or tasks, so that a site has a page of it."""
    return bool(
        config.verdicts
        or config.task_table
        or config.observations
        or config.excluded
        or config.factors
        or fields_of_paths(config)
        or any(meaning.reference for meaning in config.all_scores.values())
    )


def add_factors(entries: Iterable[Entry], config: Config, naming: Naming) -> list[Entry]:
    """Return the runs with the factors that outcomes files state, which count before those of paths, by the names of
    the settings."""
    described = []
    with_version = has_study(config)
    for entry in entries:
        entry = with_named_observations(entry, config, naming)
        stated = [pair for pair in entry.stated if is_factor(pair[0], entry, config.factors)]
        factors: dict[str, str] = {}
        if entry.run.agent_version and with_version:
            factors["agent_version"] = entry.run.agent_version
        factors |= dict(entry.factors)
        factors |= dict(stated)
        if not factors:
            described.append(entry)  # itself, since of many runs copies take memory
            continue
        named = tuple((name, naming.value(name, text)) for name, text in factors.items())
        rest = tuple(pair for pair in entry.stated if pair not in stated)
        described.append(replace(entry, factors=named, stated=rest))
    return described


def with_named_observations(entry: Entry, config: Config, naming: Naming) -> Entry:
    """Return a run with what was observed of it by the names of the settings; words of verdicts stay as they are."""
    observed = naming.names.keys() & dict(entry.stated).keys() - verdict_columns(config)
    if not observed:
        return entry
    stated = tuple(
        (column, naming.value(column, text) if column in observed else text)
        for column, text in entry.stated
    )
    return replace(entry, stated=stated)


def is_factor(column: str, entry: Entry, roles: Mapping[str, Role]) -> bool:
    """Return whether a column of an outcomes file is a factor of the run, and no observation."""
    if column in _ALWAYS:
        return True
    if column in roles:
        return roles[column] != "observation"
    return column in dict(entry.factors)
