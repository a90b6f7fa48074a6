"""The page of a study and its tables: configurations by property of tasks, verdicts, observations, references.

A count leads a share, and a share has an interval for tasks like these. A table says nothing that the words above it
claim; that an order changes between groups of tasks is claimed only where a test of the interaction finds it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sitegen import figures
from sitegen.html.render import Page
from sitegen.model import Entry, Outcome
from sitegen.names import natural_order, page_id, slug
from sitegen.numbers.interaction import interaction_p
from sitegen.numbers.intervals import Question
from sitegen.numbers.success import Success, success
from sitegen.outcomes.study import Study
from sitegen.pages.table.columns import Cell
from sitegen.pages.text_tables import Table
from sitegen.pages.views import LinkView
from sitegen.publish.files import File, Made

PATH = "study.html"
MAX_LISTED = 60
"""Rows of a list of tasks or runs."""
MAX_GROUPS = 12
"""Groups of a property that a table shows without cuts."""
_LEVEL = 0.05

Row = tuple[Cell, ...]


def tables(study: Study) -> dict[str, Callable[[], Table]]:
    """The tables that these runs have, by name. Each has one row for a configuration, or for each value of it that the
    name of the table or a column says; what a configuration is made of are the first columns."""
    config = study.config
    made: dict[str, Callable[[], Table]] = {
        "configurations": lambda: _table(study, ("runs",), lambda runs: [(len(runs),)]),
    }
    for name in study.named("property"):
        if name in config.properties or len({study.group(entry, name) for entry in study.entries}) <= MAX_GROUPS:
            made[f"success-by-{name}"] = lambda name=name: _by_property(study, name)  # type: ignore[misc]
    if config.verdicts:
        made["verdicts"] = lambda: _table(
            study,
            ("verdict", "passed", "judged"),
            lambda runs: [(each, *_passed(study, runs, each)) for each in config.verdicts],
        )
    if config.quadrants:
        made["quadrants"] = lambda: _counted(study, "quadrant", study.quadrant)
    for name in study.observations:
        made[f"observations-{name}"] = lambda name=name: _counted(  # type: ignore[misc]
            study, "value", lambda entry: dict(entry.stated).get(name)
        )
    for score in dict.fromkeys(name for each in config.outcomes for name, of in each.scores.items() if of.reference):
        made[f"reference-{score}"] = lambda score=score: _counted(  # type: ignore[misc]
            study, "band", lambda entry: study.band(entry, score)
        )
    if config.excluded:
        made["excluded"] = lambda: _table(
            study,
            ("passed", "judged"),
            lambda runs: [_successes(entry for entry in runs if study.excluded(entry) is None)],
        )
    return made


def _table(study: Study, heads: Sequence[str], rows_of: Callable[[list[Entry]], Iterable[Row]]) -> Table:
    """A table of the rows of each configuration."""
    chosen = study.named("configuration")
    rows = ((*values, *row) for values, runs in study.configurations.items() for row in rows_of(runs))
    return Table((*chosen, *heads), rows, "l" * (len(chosen) + len(heads)))


def _counted(study: Study, head: str, value: Callable[[Entry], str | None]) -> Table:
    """How many runs of each configuration have each value, the most frequent first; all values for each."""
    total = Counter(found for entry in study.entries if (found := value(entry)) is not None)
    values = sorted(total, key=lambda each: (-total[each], natural_order(each)))

    def rows(runs: list[Entry]) -> Iterator[Row]:
        own = Counter(map(value, runs))
        return ((each, own[each]) for each in values)

    return _table(study, (head, "runs"), rows)


def _by_property(study: Study, name: str) -> Table:
    groups = sorted({study.group(entry, name) or "" for entry in study.entries} - {""}, key=natural_order)

    def rows(runs: list[Entry]) -> Iterator[Row]:
        for group in groups:
            yield (group, *_successes(entry for entry in runs if study.group(entry, name) == group))

    return _table(study, (name, "passed", "judged"), rows)


def _passed(study: Study, runs: Iterable[Entry], verdict: str) -> tuple[int, int]:
    known = [passed for entry in runs if (passed := study.passed(entry, verdict)) is not None]
    return sum(known), len(known)


def _successes(runs: Iterable[Entry]) -> tuple[int, int]:
    """How many runs passed, of those that are judged."""
    found = success(runs)
    return found.passed, found.judged


@dataclass(frozen=True, slots=True)
class CellView:
    """A figure, and what it rests on."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class BlockView:
    """A table of the page."""

    id: str
    heading: str
    note: str
    heads: tuple[str, ...]
    """The first is of the names of rows."""
    rows: tuple[tuple[str | LinkView, tuple[CellView, ...]], ...]
    files: tuple[LinkView, ...] = ()
    """The same table for other programs."""
    more: str = ""
    """What the table leaves out."""


@dataclass(frozen=True, slots=True)
class StudyView:
    """What the page shows."""

    lead: str
    factors: tuple[tuple[str, str, str], ...]
    """Name, role, and why."""
    blocks: tuple[BlockView, ...]


def study_page(study: Study, question: Question) -> Page:
    """The page of a study."""
    return Page(
        path=PATH,
        template="study.html.jinja",
        title="Study",
        description="Configurations by property of tasks, verdict and observation.",
        section="study",
        view=_Blocks(study, question).view(),
    )


def table_files(study: Study) -> Iterator[File]:
    """The tables as CSV and LaTeX."""
    for name, table in tables(study).items():
        yield File(_file(name, "csv"), None, lambda table=table: Made(pieces=table().to_csv()))  # type: ignore[misc]
        yield File(_file(name, "tex"), None, lambda table=table: Made(table().to_latex().encode()))  # type: ignore[misc]


def _id(name: str) -> str:
    """A name as part of an address; names that an address cannot show have digits at their end."""
    return name if slug(name) == name else page_id(name, name)


def _file(name: str, ending: str) -> str:
    return f"data/study-{_id(name)}.{ending}"


def names_of(study: Study) -> dict[tuple[str, ...], str]:
    """What each configuration is called: its agent and model, and of the rest what is not the same in all."""
    chosen = study.named("configuration")
    varied = [
        at for at, name in enumerate(chosen)
        if name in ("agent", "model") or len({values[at] for values in study.configurations}) > 1
    ]  # fmt: skip
    return {values: " · ".join(values[at] for at in varied) for values in study.configurations}


class _Blocks:
    """Makes the blocks of the page."""

    def __init__(self, study: Study, question: Question) -> None:
        self.study = study
        self.question = question
        self.names = names_of(study)
        self.tables = tables(study)

    def view(self) -> StudyView:
        study = self.study
        tasks = {entry.task for entry in study.entries if entry.task}
        lead = (
            f"{figures.plural(len(study.entries), 'run')} of "
            f"{figures.plural(len(study.configurations), 'configuration')} on {figures.plural(len(tasks), 'task')}."
        )
        blocks = [
            self._configurations(),
            *(self._by_property(name) for name in study.named("property") if f"success-by-{name}" in self.tables),
            *([self._verdicts()] if study.config.verdicts else ()),
            *([self._quadrants()] if study.config.quadrants else ()),
            *(self._observed(name) for name in study.observations),
            *(
                self._reference(name.removeprefix("reference-"))
                for name in self.tables
                if name.startswith("reference-")
            ),
            *([self._excluded()] if study.config.excluded else ()),
        ]
        return StudyView(lead, tuple((each.name, each.role, each.reason) for each in study.factors), tuple(blocks))

    def _block(
        self,
        name: str,
        heading: str,
        note: str,
        heads: Iterable[str],
        cells: Callable[[list[Entry]], Iterable[CellView]],
    ) -> BlockView:
        rows = tuple((self.names[values], tuple(cells(runs))) for values, runs in self.study.configurations.items())
        return BlockView(_id(name), heading, note, ("Configuration", *heads), rows, self._files(name))

    def _files(self, name: str) -> tuple[LinkView, ...]:
        return tuple(LinkView(_file(name, ending), word) for ending, word in (("csv", "CSV"), ("tex", "LaTeX")))

    def _rate(self, found: Success) -> CellView:
        if not found.judged:
            return CellView(figures.UNKNOWN, "no verdict")
        between = (
            ""
            if found.interval is None
            else f", {figures.percent(found.interval.low, 1)} to {figures.percent(found.interval.high, 1)}"
        )
        return CellView(figures.percent(found.rate, 1), f"{found.passed} of {found.judged}{between}")

    def _success(self, runs: Iterable[Entry]) -> CellView:
        return self._rate(success(runs, self.question))

    def _configurations(self) -> BlockView:
        def cells(runs: list[Entry]) -> Iterator[CellView]:
            yield CellView(
                figures.count(len(runs)), figures.plural(len({run.task for run in runs if run.task}), "task")
            )
            yield self._success(runs)
            yield CellView(_mean_cost(runs), "a run")

        note = "A configuration is what somebody chose for a run: agent, model, and each factor below with that role."
        return self._block("configurations", "Configurations", note, ("Runs", "Success", "Cost"), cells)

    def _by_property(self, name: str) -> BlockView:
        study = self.study
        groups = sorted({study.group(entry, name) or "" for entry in study.entries} - {""}, key=natural_order)
        of_task = {entry.task: group for entry in study.entries if entry.task and (group := study.group(entry, name))}
        heads = [
            f"{group}, {figures.plural(sum(own == group for own in of_task.values()), 'task')}" for group in groups
        ]

        def cells(runs: list[Entry]) -> Iterator[CellView]:
            return (self._success(run for run in runs if study.group(run, name) == group) for group in groups)

        heading, note = f"Success by {name}", "Share of judged runs that passed; 95% intervals for tasks like these."
        p = interaction_p(self._rates(), of_task)
        if p is not None:
            said = f"p = {p:.2g}, exchanging tasks between the groups"
            changes = f"How configurations compare depends on {name} ({said})."
            chance = f"That configurations compare otherwise by {name} could be chance ({said})."
            note = f"{changes if p <= _LEVEL else chance} {note}"
        elif len(groups) > 1:
            note = f"Too few tasks, or other than two groups, to tell whether the order changes by {name}. {note}"
        return self._block(f"success-by-{name}", heading, note, heads, cells)

    def _rates(self) -> dict[str, list[float]]:
        """The success rate of each configuration by task, of the tasks that all have judged runs of."""
        rates: dict[str, list[float]] = {}
        by_task: dict[str, list[list[Entry]]] = {}
        for at, runs in enumerate(self.study.configurations.values()):
            for run in runs:
                if run.task:
                    by_task.setdefault(run.task, [[] for _ in self.study.configurations])[at].append(run)
        for task, of_each in by_task.items():
            found = [success(runs).rate for runs in of_each]
            known = [rate for rate in found if rate is not None]
            if len(known) == len(found):
                rates[task] = known
        return rates

    def _judged_by(self, verdict: str, runs: Iterable[Entry]) -> CellView:
        outcomes = {True: Outcome.PASS, False: Outcome.FAIL}
        known = ((run, self.study.passed(run, verdict)) for run in runs)
        judged = [replace(run, outcome=outcomes[passed]) for run, passed in known if passed is not None]
        return self._rate(success(judged, self.question))

    def _verdicts(self) -> BlockView:
        rules = self.study.config.verdicts
        main = next((name for name, rule in rules.items() if rule.main), None)

        def cells(runs: list[Entry]) -> Iterator[CellView]:
            for name in rules:
                yield self._judged_by(name, runs)
            for name in rules:
                if main is not None and name != main:
                    yield self._gap(name, main, runs)

        gaps = [f"{name} without {main}" for name in rules if main is not None and name != main]
        note = "Each run by every verdict; the gaps are of runs that have both."
        return self._block("verdicts", "Verdicts", note, (*rules, *gaps), cells)

    def _gap(self, name: str, main: str, runs: Iterable[Entry]) -> CellView:
        pairs = [(self.study.passed(run, name), self.study.passed(run, main)) for run in runs]
        known = [pair for pair in pairs if None not in pair]
        alone = sum(bool(one) and not other for one, other in known)
        return CellView(figures.percent(alone, len(known)), f"{alone} of {len(known)}")

    def _quadrants(self) -> BlockView:
        named = self.study.config.quadrants
        assert named is not None  # noqa: S101  tells mypy
        values = [named.both, named.first, named.second, named.none]
        note = (
            f"{named.both}: {named.of[0]} and {named.of[1]} pass; {named.first}: only {named.of[0]}; "
            f"{named.second}: only {named.of[1]}; {named.none}: neither."
        )
        return self._block(
            "quadrants",
            "What two verdicts say together",
            note,
            values,
            partial(self._shares, self.study.quadrant, values),
        )

    def _shares(
        self, value: Callable[[Entry], str | None], values: Sequence[str], runs: Iterable[Entry]
    ) -> Iterator[CellView]:
        own = Counter(found for run in runs if (found := value(run)) is not None)
        return (CellView(figures.count(own[each]), figures.percent(own[each], own.total())) for each in values)

    def _observed(self, name: str) -> BlockView:
        study = self.study

        def value(entry: Entry) -> str | None:
            return dict(entry.stated).get(name)

        found = Counter(each for entry in study.entries if (each := value(entry)) is not None)
        values = sorted(found, key=lambda each: (-found[each], natural_order(each)))
        missing = len(study.entries) - found.total()
        left = f" {figures.plural(missing, 'run')} state none." if missing else ""
        block = self._block(
            f"observations-{name}",
            name.capitalize(),
            f"As observed, never compared by.{left}",
            values,
            partial(self._shares, value, values),
        )
        if study.config.quadrants is None:
            return block
        by_quadrant: dict[str, list[Entry]] = {}
        for entry in study.entries:
            if quadrant := study.quadrant(entry):
                by_quadrant.setdefault(quadrant, []).append(entry)
        rows = tuple((quadrant, tuple(self._shares(value, values, runs))) for quadrant, runs in by_quadrant.items())
        return replace(block, rows=(*block.rows, *rows))

    def _reference(self, score: str) -> BlockView:
        bands = ("better", "level", "worse", "no score")
        meaning = next(each.scores[score] for each in self.study.config.outcomes if score in each.scores)
        note = (
            f"The {score} of a run against {meaning.reference} of its task; level is within "
            f"{figures.percent(meaning.band, 1)}. A run without a score is in no other band."
        )
        return self._block(
            f"reference-{score}",
            f"Against {meaning.reference}",
            note,
            bands,
            partial(self._shares, lambda entry: self.study.band(entry, score), bands),
        )

    def _excluded(self) -> BlockView:
        study = self.study
        left_out = [(entry, reason) for entry in study.entries if (reason := study.excluded(entry)) is not None]

        def cells(runs: list[Entry]) -> Iterator[CellView]:
            yield self._success(runs)
            yield self._success(run for run in runs if study.excluded(run) is None)

        block = self._block(
            "excluded",
            "Without excluded runs",
            f"{figures.plural(len(left_out), 'run')} excluded; they count everywhere else.",
            ("All", "Without them"),
            cells,
        )
        reasons = Counter(reason for _, reason in left_out)
        return replace(block, more="; ".join(f"{reason}: {count}" for reason, count in reasons.most_common(MAX_LISTED)))


def _mean_cost(runs: Sequence[Entry]) -> str:
    costs = [run.run.exact_usd for run in runs if run.run.exact_usd is not None]
    return figures.money(math.fsum(costs) / len(costs)) if costs else figures.UNKNOWN
