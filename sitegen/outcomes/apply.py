"""Applies rows to runs: entries with the outcomes, scores, labels and factors that their rows state."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Score, frozen
from sitegen.outcomes.match import Matches
from sitegen.outcomes.models import Models, models_of_file
from sitegen.outcomes.reasons import MAX_LABELS, Reason, Why, because
from sitegen.outcomes.references import Doubt, References
from sitegen.outcomes.rows import Row


@frozen
class Conflict:
    """A row that contradicts another one, or the run."""

    row: Row
    reason: Reason
    entry: Entry


@frozen
class Applied:
    """The runs with what their rows state."""

    entries: list[Entry]
    conflicts: list[Conflict]


def set_identities(entries: Sequence[Entry], matches: Matches, naming: Naming) -> list[Entry]:
    """Return the runs with the campaign, task, model and attempt that their rows state; else with those of their
    paths."""
    models = Models(naming)
    identified = []
    for position, entry in enumerate(entries):
        rows = matches.rows_of(position)
        identified.append(set_identity(entry, rows, naming, models) if rows else entry)
    return identified


def set_identity(entry: Entry, rows: Sequence[Row], naming: Naming, models: Models) -> Entry:
    """Return the run with what these rows say it is. A sidecar may give the model a name of its own."""
    task = first_stated(rows, "task")
    naming_rows = [row for row in rows if row.runs or may_have_model(entry, row.model, models)]
    model = first_stated(naming_rows, "model", entry.stated_model)
    return replace(
        entry,
        campaign=first_stated(rows, "campaign") or entry.campaign,
        task=naming.task(task) if task else entry.task,
        model=entry.model if entry.models or not model else naming.model(model),
        attempt=first_stated(rows, "attempt", entry.attempt),
        stated_model=model,
    )


def may_have_model(entry: Entry, stated: str | None, models: Models) -> bool:
    """Return whether a row about the run can be right about its model: what the file names counts before it."""
    if not stated or not entry.models or stated == entry.stated_model:
        return True
    return models.may_be_any(stated, (*models_of_file(entry), *entry.models))


def first_stated(rows: Sequence[Row], name: str, *others: object) -> Any:
    """Return what the first of the rows that knows it states; else the first of the other values that is known."""
    values = [getattr(row, name) for row in rows]
    return next((value for value in (*values, *others) if value is not None), None)


def apply_rows(
    entries: Sequence[Entry],
    paths: Sequence[Entry],
    matches: Matches,
    references: References,
    naming: Naming,
) -> Applied:
    """Apply their rows to all runs; `paths` are the same runs as their paths describe them."""
    models = Models(naming)
    applied = Applied([], [])
    for position, entry in enumerate(entries):
        rows = matches.rows_of(position)
        path_model = paths[position].stated_model
        compared = references.add_to_run(position, entry, rows)
        applied.conflicts.extend(find_other_models(entry, path_model, rows, models))
        counting = find_undisputed(entry, rows, applied.conflicts)
        conflicts = find_contradictions(entry, counting, naming, references.doubts)
        applied.conflicts.extend(conflicts)
        labels = join_labels(entry, counting, applied.conflicts)
        applied.entries.append(apply_to_run(compared, counting, labels))
    return applied


def apply_to_run(entry: Entry, rows: Sequence[Row], labels: tuple[str, ...]) -> Entry:
    """Return the run with everything that these rows state; itself if that is nothing, because copies take memory."""
    scores: dict[str, Score] = {}
    columns: dict[str, str] = {}
    untested: set[str] = set()
    for row in rows:
        untested.update(row.untested)
        for score in row.scores:
            scores.setdefault(score.name, score)
        for name, text in row.columns:
            columns.setdefault(name, text)
    for score in entry.scores:
        scores.setdefault(score.name, score)
    started_at = first_stated(rows, "started_at", entry.started_at, entry.run.started_at)
    if not rows and started_at == entry.started_at and len(scores) == len(entry.scores):
        return entry
    return replace(
        entry,
        outcome=first_stated(rows, "outcome", entry.outcome),
        stated_claim=first_stated(rows, "claimed", entry.stated_claim),
        note=first_stated(rows, "note", entry.note),
        scores=tuple(scores.values()),
        stated=tuple(columns.items()),
        untested=tuple(sorted(untested.difference(columns, scores))),
        labels=labels,
        started_at=started_at,
    )


def join_labels(entry: Entry, rows: Sequence[Row], conflicts: list[Conflict]) -> tuple[str, ...]:
    """Return the labels of a run and of its rows, no more than it may have, since each has a page."""
    labels = list(entry.labels)
    for row in rows:
        labels = list(dict.fromkeys((*labels, *row.labels)))
        if len(labels) > MAX_LABELS:
            conflicts.append(Conflict(row, because(Why.TOO_MANY_LABELS), entry))
            return tuple(labels[:MAX_LABELS])
    return tuple(labels)


def find_undisputed(entry: Entry, rows: Sequence[Row], conflicts: list[Conflict]) -> Sequence[Row]:
    """Return the rows without those of reports that nobody named, where something else states an outcome, or these
    contradict each other: they may be about other runs of the task, which are not here."""
    reports = [row for row in rows if row.is_found and row.outcome]
    others = [row for row in rows if not row.is_found]
    if reports and any(row.outcome for row in others):
        return others
    for row in reports:
        if row.outcome is not reports[0].outcome:
            reason = because(
                Why.REPORTS_DISAGREE,
                run=entry.source.path,
                first=reports[0].file,
                outcome=reports[0].outcome,
                other=row.file,
            )
            conflicts.append(Conflict(reports[0], reason, entry))
            return others
    return rows


def find_contradictions(
    entry: Entry, rows: Sequence[Row], naming: Naming, doubts: list[Doubt]
) -> Iterator[Conflict]:
    """Yield the rows that state other than one before them, or the same outcome twice. Adds measurements to
    `doubts`."""
    counting: dict[str, tuple[object, Row]] = {}
    run = entry.source.path
    for row in rows:
        for what, value in statements(row, naming):
            counts, first = counting.setdefault(what, (value, row))
            if value == counts:
                if what == "outcome" and row is not first and row.file == first.file:
                    reason = because(Why.SAID_TWICE, value=value, run=run, line=first.line)
                    yield Conflict(row, reason, entry)
            elif row.commit:
                doubts.append(Doubt(row, f"{what} {counts} and {value}", entry))
            else:
                reason = because(
                    Why.CONTRADICTION,
                    what=what,
                    value=value,
                    run=run,
                    other=first.place,
                    counts=counts,
                )
                yield Conflict(row, reason, entry)


def statements(row: Row, naming: Naming) -> Iterator[tuple[str, object]]:
    """Yield what a row says of its run, where another row could say otherwise."""
    names = ["outcome", "started_at"]
    if row.names_run:
        names += ["campaign", "task", "attempt"]
    for name in names:
        value = getattr(row, name)
        if value is not None:
            yield name, naming.task(value) if name == "task" else value
    for score in row.scores:
        yield f"score {score.name}", score.value


def find_other_models(
    entry: Entry, path_model: str | None, rows: Sequence[Row], models: Models
) -> Iterator[Conflict]:
    """Yield the rows that state a model which is none of those that the run's file names; else not that of the first
    row.

    A row may repeat what the path calls the model, whatever that is.
    """
    stating = [(row, row.model) for row in rows if row.names_run and row.model]
    if not stating:
        return
    first, first_model = stating[0]
    possible = [first_model]
    known = f"{first.place} says {first_model}"
    if entry.models:
        possible = [*models_of_file(entry), *entry.models]
        known = f"the run itself names {', '.join(entry.models)}"
    for row, model in stating:
        if model != path_model and not models.may_be_any(model, possible):
            reason = because(Why.OTHER_MODEL, model=model, run=entry.source.path, known=known)
            yield Conflict(row, reason, entry)
