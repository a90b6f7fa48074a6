"""The subject of a study: the factors of runs and their roles, configurations, several verdicts, and observations.

A run has named factors: its agent and model, and what the pattern of its path, a table of outcomes or the table of
tasks says besides. The configuration is the part of them that somebody chose for the run; a property belongs to its
task.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain, count, islice
from typing import NamedTuple

from sitegen.config import GROUPS, Config, Role, ScoreMeaning, VerdictRule
from sitegen.errors import ConfigError, ReadError
from sitegen.fields import fields_of, find_field, short_name, stated_of
from sitegen.figures import plural
from sitegen.inputs import discover
from sitegen.inputs.survey import Naming
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Problem, Score, Source, Verdict, by_key, frozen
from sitegen.numbers.success import is_lost, success
from sitegen.numbers.verdicts import interaction_p
from sitegen.outcomes import outcome_files
from sitegen.outcomes.outcome_rows import MAX_TEXT, RowSource, finite, outcome_of
from sitegen.text.names import PathPattern, natural_order

UNKNOWN = "unknown"
MAX_NAMED = 8  # columns or words that a remark names; the rest are counted
MAX_OBSERVED = 30  # different values of a column that is an observation; free text has more
_MAX_LENGTH = 120
# Tasks with two runs each from which a factor that is constant within tasks is a property of theirs.
_MIN_TASKS = 2


@frozen
class Factor:
    """A name with values that runs differ in."""

    name: str
    role: Role
    reason: str


class _Judged(NamedTuple):
    """The answer of a verdict of the settings on a run."""

    stated: bool | None
    """Whether the run passes; None if nobody knows."""
    passed: bool | None
    """The same, with the failures of `unknown: fail`."""
    is_untested: bool
    """Whether nothing is known because the test did not work."""


def _is_untested(entry: Entry, rule: VerdictRule) -> bool:
    """Return whether a row or a measurement of a run says that the test of a verdict did not work."""
    columns = {rule.column, rule.score} - {None}
    words = (word for column, word in entry.stated if column in columns or column == "status")
    is_error = Outcome.ERROR in map(outcome_of, words)
    return is_error or not columns.isdisjoint(entry.untested)


class Study:
    """The factors, verdicts and observations of these runs, as the settings and the runs tell."""

    def __init__(self, config: Config, entries: Sequence[Entry]) -> None:
        self.config = config
        self.entries = entries

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """All factors with their roles: agent and model, then those of paths and tables in their order."""
        names = dict.fromkeys(name for entry in self.entries for name, _ in entry.factors)
        own = [name for name in names if name not in _ALWAYS]
        found = [Factor(name, "configuration", "always") for name in ("agent", "model")]
        if "effort" in names:
            found.append(Factor("effort", "configuration", "always"))
        elif self._has_mixed_efforts:
            found.append(
                Factor("effort", "configuration", "runs of one agent and model differ in it")
            )
        return (*found, *(self._factor(name) for name in own), *self._observed())

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

    def _chosen_value(self, entry: Entry, name: str) -> str:
        """Return the value of a factor that tells configurations apart. Where some files state no effort, as those of
        old versions, and all others of the agent and model the same, it does not."""
        efforts = self._efforts.get((entry.agent, entry.model), set())
        if name == "effort" and None in efforts and len(efforts) == 2:
            return UNKNOWN
        return self.value(entry, name)

    def _factor(self, name: str) -> Factor:
        stating = [entry for entry in self.entries if entry.factor(name) is not None]
        of_tasks = by_key(stating, lambda entry: entry.task or None).values()
        is_compared = name in self._references or name.endswith(
            tuple(f" {score}" for score in self.scores)
        )
        is_of_table = name not in self._fields and bool(self._fields or self.config.task_table)
        differs = any(len({entry.factor(name) for entry in own}) > 1 for own in of_tasks)
        is_repeated = sum(len(own) > 1 for own in of_tasks) >= _MIN_TASKS
        rules: tuple[tuple[bool, Role, str], ...] = (
            (
                name in self.config.factors,
                self.config.factors.get(name, "tag"),
                "the settings say so",
            ),
            (name in self.config.groups, "tag", "the settings group runs by it"),
            (name in self.config.properties, "property", "the settings group tasks by it"),
            (is_compared, "tag", "scores or verdicts are compared with it"),
            (name in ("agent_version", "commit"), "tag", "unless the settings say otherwise"),
            (is_of_table, "property", "the task table has it"),
            (differs, "configuration", "it differs between runs of one task"),
            (is_repeated, "property", "all runs of a task have the same"),
            (
                True,
                "configuration",
                "too few tasks have two runs to tell whether it is a property of tasks",
            ),
        )
        return next(Factor(name, role, why) for holds, role, why in rules if holds)

    def _observed(self) -> Iterator[Factor]:
        for name in self.observations:
            said = name in self.config.observations
            yield Factor(
                name, "observation", "the settings say so" if said else "it comes with the outcomes"
            )

    @cached_property
    def observations(self) -> tuple[str, ...]:
        """Columns of outcomes files that say what was observed: those of the settings, then others that repeat."""
        others = [name for name in self._unused if not self._is_free_text(name)]
        return (*(name for name in self.config.observations if name in self._cells), *others)

    @cached_property
    def _cells(self) -> dict[str, Counter[str]]:
        """The number of times that each column of outcomes files has each value."""
        values: dict[str, Counter[str]] = {}
        for entry in self.entries:
            for name, value in entry.stated:
                values.setdefault(name, Counter())[value] += 1
        return values

    @cached_property
    def _fields(self) -> set[str]:
        """The factors that paths have; none of a pack, which has no paths."""
        return {name for each in _patterns(self.config) for name in each.factors}

    @cached_property
    def scores(self) -> dict[str, ScoreMeaning]:
        """The meaning of scores by name."""
        return self.config.all_scores

    @cached_property
    def _references(self) -> set[str | None]:
        compared = {meaning.reference for meaning in self.scores.values()}
        return compared | {rule.of for rule in self.config.verdicts.values()}

    @cached_property
    def _unused(self) -> list[str]:
        """Columns that neither the settings nor scores use."""
        used = {rule.column for rule in self.config.verdicts.values()} | {self.config.excluded}
        used |= set(self.config.observations) | {
            score.name for entry in self.entries for score in entry.scores
        }
        used |= {name for meaning in self.scores.values() for name in meaning.columns}
        return [name for name in self._cells if name not in used]

    def _is_free_text(self, name: str) -> bool:
        found = self._cells[name]
        is_long = any(len(value) > _MAX_LENGTH for value in found)
        is_number = "." in name or all(
            finite(value) is not None for value in found
        )  # of a measurement
        return is_long or is_number or len(found) > MAX_OBSERVED or len(found) * 2 > found.total()

    def breakdowns(self) -> dict[str, float]:
        """Return by property how likely configurations would compare so differently in its two groups by chance."""
        found = {name: self._interaction(name) for name in self.named("property")}
        return {name: p for name, p in found.items() if p is not None}

    def _interaction(self, name: str) -> float | None:
        groups = {
            entry.task: group
            for entry in self.entries
            if entry.task and (group := self.group(entry, name))
        }
        rates: dict[str, list[float]] = {}
        for task in groups:
            known = [self._rates[each][task] for each in self.covered if task in self._rates[each]]
            if len(known) == len(self.covered) > 1:
                rates[task] = known
        return interaction_p(rates, groups)

    @cached_property
    def _rates(self) -> dict[tuple[str, ...], dict[str, float]]:
        """The success rate of each configuration at each task on which it is judged."""
        rates: dict[tuple[str, ...], dict[str, float]] = {}
        for values, runs in self.configurations.items():
            found = {
                task: success(attempts).rate
                for task, attempts in by_key(runs, lambda run: run.task).items()
            }
            rates[values] = {task: rate for task, rate in found.items() if rate is not None}
        return rates

    @cached_property
    def covered(self) -> list[tuple[str, ...]]:
        """The configurations of which it is asked whether they compare differently: those judged on at least half of
        the tasks of the one that has most."""
        most = max(map(len, self._rates.values()), default=0)
        return [values for values, rates in self._rates.items() if rates and 2 * len(rates) >= most]

    @property
    def not_covered(self) -> list[str]:
        """The names of the other configurations."""
        return [name for values, name in self.names.items() if values not in self.covered]

    def highest(self, name: str) -> dict[str, tuple[float, list[str]]]:
        """Return by group of a property who of the covered configurations passed most of its runs, and the rate."""
        leaders: dict[str, tuple[float, list[str]]] = {}
        for values in self.covered:
            runs = [entry for entry in self.configurations[values] if entry.task]
            for group, attempts in by_key(runs, lambda entry: self.group(entry, name)).items():
                rate = success(attempts).rate
                best = leaders.get(group, (-1.0, []))
                if rate is not None and rate > best[0]:
                    leaders[group] = rate, [self.names[values]]
                elif rate == best[0]:
                    best[1].append(self.names[values])
        return {group: leaders[group] for group in sorted(leaders, key=natural_order)}

    def remarks(self, filled: Set[str | None] = frozenset()) -> Iterator[str]:
        """Yield sentences about settings and columns that came to nothing, with what to write. `filled` are the columns
        of all rows: what matches no run is reported elsewhere."""
        config = self.config
        known = filled | self._cells.keys() | {None}
        named = [(f"verdicts: {name}", rule.column) for name, rule in config.verdicts.items()]
        named += [("observations", name) for name in config.observations] + [
            ("excluded", config.excluded)
        ]
        for where, column in named:
            if column not in known:
                yield f"{where}: no outcomes file has the column '{column}'."
        for name, rule in config.verdicts.items():
            words = self._cells.get(rule.column or "", Counter[str]())
            strange = [word for word in words if not rule.passing and outcome_of(word) is None]
            if strange:
                is_are = "are not known outcomes" if strange[1:] else "is not a known outcome"
                runs = plural(sum(words[word] for word in strange), "run")
                yield f"verdicts: {name}: {_quoted(strange)} {is_are} ({runs}); list the words that pass under `pass`."
            there = {word.casefold() for word in words}
            if words and (idle := [word for word in rule.passing if word.casefold() not in there]):
                has = f"no run has {_quoted(idle)} in the column '{rule.column}', which has {_quoted(list(words))}"
                yield f"verdicts: {name}: {has}; list the words that pass under `pass` as they are there."
        columns = {name for entry in self.entries for name, _ in entry.factors}
        columns |= {"effort" for entry in self.entries if entry.run.effort}
        asked = [(f"scores: {name}", meaning.reference) for name, meaning in self.scores.items()]
        asked += [(f"verdicts: {name}", rule.of) for name, rule in config.verdicts.items()]
        asked += [("properties", name) for name in config.properties] + [
            ("factors", name) for name in config.factors
        ]
        gates = config.gates.limits.items()
        groups = dict.fromkeys(
            (f"gates: {key}", name) for key, gate in gates for name in (gate.by, *gate.where)
        )
        fields = {*GROUPS, *config.groups, *config.verdicts, "quadrant"}
        asked += [(where, name) for where, name in groups if short_name(name or "") not in fields]
        chosen = config.leaderboard.score
        scores = {score.name: score for e in self.entries for score in e.scores}
        if chosen and (chosen not in scores or scores[chosen].higher_is_better is None):
            has_none = (
                "has no direction: add it under `scores`"
                if chosen in scores
                else "is not in any run"
            )
            yield f"leaderboard: the score '{chosen}' {has_none}."
        for where, column in asked:
            is_measured = any(name.startswith(f"{column} ") for name in columns)
            if column not in known | columns and not is_measured:
                yield f"{where}: neither paths nor tables have '{column}'."
        for name in config.properties:
            strange = [v for e in self.entries if (v := e.factor(name)) and finite(v) is None]
            if strange:
                listed = _quoted(list(dict.fromkeys(strange)))
                yield f"properties: {name}: no number is in {listed}, so {plural(len(strange), 'run')} have no group."
        unused = [
            name for name in self._unused if self._is_free_text(name) or not has_study(config)
        ]
        if unused:
            listed = f"{plural(len(unused), 'column')} ({_quoted(unused)})"
            what = "to show them, list numbers under `scores`, words under `observations`."
            yield f"outcomes: {listed} {'are' if unused[1:] else 'is'} not used; {what}"

    def mixed_versions(self) -> list[str]:
        """Return the configurations whose runs are of several versions of their agent, each with these."""
        found = []
        for values, runs in self.configurations.items():
            versions = sorted(
                {v for run in runs if (v := run.factor("agent_version"))}, key=natural_order
            )
            if len(versions) > 1:
                found.append(f"{self.names[values]} ({', '.join(versions[:MAX_NAMED])})")
        return found

    def named(self, role: Role) -> list[str]:
        """Return the factors of a role."""
        return [factor.name for factor in self.factors if factor.role == role]

    def value(self, entry: Entry, name: str) -> str:
        """Return the value of a factor or an observation; "unknown" where nothing states it."""
        if name in ("agent", "model"):
            return getattr(entry, name) or UNKNOWN
        return entry.factor(name) or dict(entry.stated).get(name) or UNKNOWN

    def configuration(self, entry: Entry) -> tuple[str, ...]:
        """Return the values of the factors that somebody chose, in the order of `named("configuration")`."""
        return tuple(self._chosen_value(entry, name) for name in self._chosen)

    @cached_property
    def _chosen(self) -> list[str]:
        return self.named("configuration")

    @cached_property
    def configurations(self) -> dict[tuple[str, ...], list[Entry]]:
        """The runs of each configuration, in natural order."""
        found = by_key(self.entries, self.configuration)
        return dict(
            sorted(found.items(), key=lambda item: (natural_order(" ".join(item[0])), item[0]))
        )

    @cached_property
    def names(self) -> dict[tuple[str, ...], str]:
        """The name of each configuration: its factors, without those that are the same in all."""
        model = self._chosen.index("model")
        varied = [
            at
            for at in range(len(self._chosen))
            if len({values[at] for values in self.configurations}) > 1
        ]
        if not varied or self._has_mixed_efforts:
            varied = sorted({*varied, model})
        models = {values[model] for values in self.configurations}
        family = (
            "Claude "
            if len({each.removeprefix("Claude ") for each in models}) == len(models)
            else ""
        )

        def name_of(values: tuple[str, ...]) -> str:
            parts = (
                values[at].removeprefix(family if at == model else "")
                for at in varied
                if values[at] != UNKNOWN
            )
            return " · ".join(parts)

        said = {values: name_of(values) for values in self.configurations}
        alike = Counter(said.values())
        found: dict[str, tuple[str, ...]] = {}
        for values, name in said.items():
            gaps = [f"{self._chosen[at]} unknown" for at in varied if self._is_gap(values, at)]
            known = [at for at in varied if values[at] != UNKNOWN]
            fits = (
                gaps
                and sum(all(each[at] == values[at] for at in known) for each in self.configurations)
                > 1
            )
            whole = (
                name
                if name and alike[name] == 1 and not fits
                else ", ".join(filter(None, (name, *gaps)))
            )
            numbered = chain((whole,), (f"{whole} ({number})" for number in count(2)))
            found[
                next(
                    each
                    for each in numbered
                    if each not in found and (each == name or each not in alike)
                )
            ] = values
        return {values: name for name, values in found.items()}

    def _is_gap(self, values: tuple[str, ...], at: int) -> bool:
        """Return whether a value is unknown and missed: an effort is where another configuration differs in nothing
        else."""
        if values[at] != UNKNOWN or self._chosen[at] != "effort":
            return values[at] == UNKNOWN
        return (
            sum(
                other[:at] + other[at + 1 :] == values[:at] + values[at + 1 :]
                for other in self.configurations
            )
            > 1
        )

    def configured(self) -> list[Entry]:
        """Return the runs with the names of their configurations, where models alone do not tell these apart, and
        without a task with titles that do."""
        entries = list(self.entries)
        titles: dict[str, set[str | None]] = {}
        if len(self.configurations) > len(
            {(entry.model or "").removeprefix("Claude ") for entry in entries}
        ):
            entries = [
                replace(each, configuration=self.names[self.configuration(each)])
                for each in entries
            ]
        for each in entries:
            titles.setdefault("" if each.task else each.title, set()).add(each.compared_as)
        mixed = {title for title, own in titles.items() if title and len(own) > 1}
        for at, each in enumerate(entries):
            if not each.task and each.title in mixed:
                entries[at] = replace(
                    each, title=f"{each.title} · {each.compared_as or 'model unknown'}"
                )
        return entries

    def missing(self, tasks: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield the planned runs that are not there, each with its configuration: `attempts` of each at all tasks."""
        planned = self.config.attempts
        if planned is None:
            return
        named = {
            task.casefold(): task
            for task in (*tasks, *(entry.task or "" for entry in self.entries))
            if task
        }
        given = {
            (entry.campaign, task) for entry in self.entries for task in (*tasks, entry.task or "")
        }
        attempts = by_key(self.entries, lambda entry: (entry.campaign, self.configuration(entry)))
        first = 0 if any(entry.attempt == 0 for entry in self.entries) else 1
        for (campaign, values), own in attempts.items():
            asked = {task.casefold() for of, task in given if of == campaign} & named.keys()
            of_task = by_key(own, lambda entry: (entry.task or "").casefold())
            for task in sorted(asked, key=natural_order):
                there = [entry.attempt for entry in of_task.get(task, ())]
                free = (number for number in range(first, first + planned) if number not in there)
                for number in islice(free, max(planned - len(there), 0)):
                    yield (
                        named[task],
                        " · ".join(filter(None, (campaign, self.names[values]))),
                        number,
                    )

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
        at = bisect_right(cuts, number)
        said = [f"{cut:g}" if float(f"{cut:g}") == cut else repr(cut) for cut in cuts]
        if at == 0:
            return f"below {said[0]}"
        return f"from {said[at - 1]}" if at == len(cuts) else f"{said[at - 1]} to below {said[at]}"

    def is_in(self, name: str, group: str, entry: Entry) -> bool:
        """Return whether the task of a run is in a group by a property."""
        return self.group(entry, name) == group

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

    def part(self, entry: Entry, name: str) -> str | None:
        """Return the configuration, model, agent, campaign or task of a run, its group by a property, or another field."""
        if name == "configuration":
            return self.names[self.configuration(entry)]
        if (
            name == "campaign" and not self.config.campaigns
        ):  # the settings name that of all runs that name none
            return entry.campaign or self.config.campaign.name
        if name in GROUPS:
            return getattr(entry, name) or None
        group = self.group(entry, name)
        if group is not None or name not in self.categories:
            return group
        return str(self.stated[entry.id].get(self.categories[name], "")) or None

    @cached_property
    def categories(self) -> dict[str, str]:
        """The keys of the fields that runs state as names, by these keys and by short names that only one field has."""
        fields = [field for field in fields_of(self.entries) if field.is_stated]
        names = [name for field in fields if field.is_category for name in (field.name, field.key)]
        return {name: field.key for name in names if (field := find_field(fields, name))}

    @cached_property
    def halves(self) -> tuple[str, Sequence[str]] | None:
        """The property of tasks that the settings split the leaderboard by, else the first with two groups, and these;
        None where there is none."""
        chosen = self.config.leaderboard.split_by
        for name in [chosen] if chosen else self.named("property"):
            groups = {
                group for entry in self.entries if (group := self.group(entry, name)) is not None
            }
            if len(groups) == 2 or (chosen and groups):
                return name, sorted(groups, key=natural_order)
        return None

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
        stated = self._verdict(entry, rule, [part.stated for part in parts])
        passed = self._verdict(entry, rule, [part.passed for part in parts])
        is_untested = passed is None and (
            _is_untested(entry, rule)
            or any(part.passed is None and part.is_untested for part in parts)
        )
        if passed is None and rule.unknown == "fail" and (is_untested or is_lost(entry)):
            passed = False
        judged[name] = _Judged(stated, passed, is_untested)
        return judged[name]

    def _verdict(
        self, entry: Entry, rule: VerdictRule, parts: Sequence[bool | None]
    ) -> bool | None:
        if rule.all:
            return False if False in parts else None if None in parts else True
        if rule.score:
            return self._reaches(entry, rule)
        word = dict(entry.stated).get(rule.column or "")
        if word is None:
            return None
        if rule.passing:
            return word.casefold() in {each.casefold() for each in rule.passing}
        outcome = outcome_of(word)
        return None if outcome in (None, Outcome.ERROR) else outcome is Outcome.PASS

    def _reaches(self, entry: Entry, rule: VerdictRule) -> bool | None:
        value = self._value(entry, rule.score or "")
        factor = self.reference(entry, rule.of, rule.score or "") if rule.of else 1.0
        if value is None or factor is None:
            return None
        least, most = (None if end is None else end * factor for end in (rule.min, rule.max))
        return (least is None or value >= least) and (most is None or value <= most)

    def reference(self, entry: Entry, name: str, score: str) -> float | None:
        """Return what a score of a run is compared with: a number of the task table, or what was measured for its
        task."""
        return finite(entry.factor(f"{name} {score}") or entry.factor(name) or "")

    def relative(self, entry: Entry, score: str) -> float | None:
        """Return how many times better than its reference a score of a run is; None where one of them is unknown."""
        meaning = self.scores[score]
        return (
            self._value(entry, score)
            if meaning.of
            else self._times(entry, score, meaning.reference or "")
        )

    def _value(self, entry: Entry, score: str) -> float | None:
        return next((each.value for each in entry.scores if each.name == score), None)

    def _times(self, entry: Entry, score: str, name: str) -> float | None:
        value = self._value(entry, score)
        reference = self.reference(entry, name, score)
        if value is None or reference is None or min(value, reference) <= 0:
            return None
        return reference / value if self.scores[score].direction == "lower" else value / reference

    def _computed(self, entry: Entry) -> tuple[Score, ...]:
        """Return the scores that settings make of others: by the first that the run and its reference have."""
        made = []
        for name, meaning in self.scores.items():
            held = (self._times(entry, each, meaning.reference or "") for each in meaning.of)
            if (times := next((each for each in held if each is not None), None)) is not None:
                made.append(Score(name, times, meaning.unit or "x", True, True, is_computed=True))
        return tuple(made)

    def quadrant(self, entry: Entry) -> str | None:
        """Return what two verdicts say together; None without both of them."""
        named = self.config.quadrants
        if named is None:
            return None
        first, second = (self.passed(entry, name) for name in named.of)
        if first is None or second is None:
            return None
        return (
            (named.both if second else named.first)
            if first
            else named.second
            if second
            else named.none
        )

    def band(self, entry: Entry, score: str) -> str:
        """Return how a score compares with its reference: "better", "level", "worse" or "no score"."""
        meaning = self.scores[score]
        value = self._value(entry, score)
        reference = 1.0 if meaning.of else self.reference(entry, meaning.reference or "", score)
        if value is None or reference is None:
            return "no score"
        is_better = value > (1 + meaning.band) * reference
        is_worse = value < (1 - meaning.band) * reference
        if meaning.direction == "lower" and not meaning.of:
            is_better, is_worse = is_worse, is_better
        return "better" if is_better else "worse" if is_worse else "level"

    def excluded(self, entry: Entry) -> str | None:
        """Return why a run is excluded; None if it is not."""
        reason = dict(entry.stated).get(self.config.excluded or "")
        is_counted = reason is None or reason.casefold() in _NOT_EXCLUDED or finite(reason) == 0
        return None if is_counted else reason

    @property
    def reasons(self) -> Counter[str]:
        """The reasons why runs are excluded, and how many."""
        return Counter(
            reason for entry in self.entries if (reason := self.excluded(entry)) is not None
        )

    def apply_verdicts(self) -> list[Entry]:
        """Return the runs with the main verdict as their outcome, and without scores that are verdicts or
        references."""
        if made := {name for name, meaning in self.scores.items() if meaning.of}:
            for at, entry in enumerate(entries := list(self.entries)):
                kept = (score for score in entry.scores if score.name not in made)
                entries[at] = replace(entry, scores=(*kept, *self._computed(entry)))
            self.entries = entries
        main = next((name for name, rule in self.config.verdicts.items() if rule.main), None)
        taken = {rule.column for rule in self.config.verdicts.values()} | {self.config.excluded}
        if main is None and not taken - {None}:
            return list(self.entries)
        found = []
        for entry in self.entries:
            outcome = entry.outcome
            is_failed_by_rule = False
            if main:
                verdict = self._judge(entry, main, {})
                is_failed_by_rule = verdict.passed is False and verdict.stated is None
                if outcome is not Outcome.ERROR or is_failed_by_rule:
                    outcome = _AS_OUTCOME[verdict.passed]
            scores = tuple(score for score in entry.scores if score.name not in taken)
            found.append(
                replace(entry, outcome=outcome, is_failed_by_rule=is_failed_by_rule, scores=scores)
            )
        return found


def _quoted(words: Sequence[str]) -> str:
    """Return the first of these words in quotes, and how many more there are."""
    more = f" and {len(words) - MAX_NAMED} more" if len(words) > MAX_NAMED else ""
    return ", ".join(f"'{word}'" for word in words[:MAX_NAMED]) + more


def _patterns(config: Config) -> list[PathPattern]:
    named = [
        *(each.pattern for each in config.inputs),
        *(each.pattern for each in config.campaigns),
    ]
    return [PathPattern(each) for each in named if each]


def has_study(config: Config) -> bool:
    """Return whether the settings say anything of factors, verdicts or tasks, so that a site has a page of it."""
    return bool(
        config.verdicts
        or config.task_table
        or config.observations
        or config.excluded
        or config.factors
        or any(each.factors for each in _patterns(config))
        or any(meaning.reference for meaning in config.all_scores.values())
    )


_NOT_EXCLUDED = frozenset({"false", "no"})
_AS_OUTCOME = {True: Outcome.PASS, False: Outcome.FAIL, None: None}
_ALWAYS = ("agent", "model", "effort")


def with_factors(entries: Iterable[Entry], config: Config, naming: Naming) -> list[Entry]:
    """Return the runs with the factors that outcomes files state, which count before those of paths, and agents by
    name."""
    found = []
    is_study = has_study(config)
    for entry in entries:
        named = {*_ALWAYS, *(name for name, _ in entry.factors)}
        stated = {
            name: value
            for name, value in entry.stated
            if config.factors.get(name, "tag" if name in named else "observation") != "observation"
            or name in _ALWAYS
        }
        version = (
            {"agent_version": entry.run.agent_version}
            if entry.run.agent_version and is_study
            else {}
        )
        if not stated and not entry.factors and not version:
            found.append(entry)  # itself, since of many runs copies take memory
            continue
        factors = {**version, **dict(entry.factors), **stated}
        if agent := factors.get("agent"):
            factors["agent"] = naming.agent(agent)
        rest = tuple(each for each in entry.stated if each[0] not in stated)
        found.append(replace(entry, factors=tuple(factors.items()), stated=rest))
    return found


def with_tasks(
    entries: Sequence[Entry], source: Source, config: Config, clean: Redactor
) -> tuple[list[Entry], list[Problem], tuple[str, ...]]:
    """Return the runs with what a table of tasks says of theirs, what is wrong with it, and its tasks. Raises:
    ConfigError."""
    file = clean(source.path)
    data = discover.read_bytes(source)
    try:
        table = outcome_files.table(data, RowSource(file, source, clean)) if data.strip() else []
    except ReadError as error:
        raise ConfigError(f"task_table: {file}: {clean(error.sentence)}") from None
    if not any("task" in cells.values for cells in table):
        raise ConfigError(
            f"task_table: {file}: it has no row with a column `task`; write a line per task."
        )
    rows: dict[str, dict[str, str]] = {}
    problems = []
    tasks: dict[str, None] = {}
    for cells in table:
        said = {
            clean(name): " ".join(clean.named(name, str(value)).split())[:MAX_TEXT]
            for name, value in cells.values.items()
        }
        task = said.pop("task", "")
        fault = cells.fault
        if not task:
            fault = fault or "It names no task: fill in the column task."
        elif task.casefold() in rows:
            fault = (
                fault
                or f"The task '{task}' is in an earlier row, which counts; remove one of them."
            )
        if fault:
            problems.append(
                Problem(file, "W_OUTCOME_ROW", Verdict.SKIP, fault, f"line {cells.line}")
            )
            continue
        tasks[config.tasks.get(task, task)] = None
        for name in (task, config.tasks.get(task, task)):
            rows[name.casefold()] = {name: value for name, value in said.items() if value}
    missing = sorted(
        {entry.task for entry in entries if entry.task and entry.task.casefold() not in rows}
    )
    if missing:
        reason = (
            f"It has no row for {plural(len(missing), 'task')} of the runs, such as {missing[0]}."
        )
        problems.append(Problem(file, "W_OUTCOME_UNMATCHED", Verdict.SKIP, reason))
    found = list(entries)
    for at, entry in enumerate(entries):
        if own := rows.get((entry.task or "").casefold()):  # unless its path says otherwise
            found[at] = replace(entry, factors=tuple({**own, **dict(entry.factors)}.items()))
    return found, problems, tuple(tasks)
