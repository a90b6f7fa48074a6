"""Finds the run that each row is about, and says of runs what their rows say.

Every key is looked up in a table that is made once, so ten thousand rows and ten thousand runs take as long as both
together. Rows that name their run come first: what they say of its task is then a key for the rows that name a task.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sitegen.model import Entry, Problem, Score, Verdict
from sitegen.outcomes.rows import OutcomeTable, Row, listed

Named = Callable[[str], str]
"""The display name of what a file calls so."""
Ranked = list[tuple[int, Row]]
"""Rows about one run with their ranks: the lowest counts."""


def join(
    entries: Sequence[Entry], table: OutcomeTable, model_name: Named, task_name: Named
) -> tuple[list[Entry], list[Problem]]:
    """The entries with what is stated of them, in their order; and all problems, those of the table included.

    Sidecars rank before files, files before each other in the order of the settings, and all of them before what a
    path says. The model that a run's own file reports is never replaced. `started_at` of an entry that nothing
    states is that of its run.
    """
    problems = list(table.problems)
    said: list[Ranked] = [[] for _ in entries]

    def assign(rank: int, row: Row, found: Sequence[int], why_none: Callable[[Row], str]) -> None:
        if found and (len(found) == 1 or row.is_labels_only):
            for position in found:
                said[position].append((rank, row))
        elif found:
            problems.append(_ambiguous(row, [entries[position].source.path for position in found[:3]], len(found)))
        else:
            problems.append(_problem("W_OUTCOME_UNMATCHED", row, why_none(row)))

    by_name = _ByName(entries)
    for rank, row in enumerate(table.rows):
        if row.names_run:
            assign(rank, row, by_name.find(row), _no_such_run)
    entries = [_placed(entry, rows, model_name, task_name) for entry, rows in zip(entries, said, strict=True)]
    by_task = _ByTask(entries, model_name, task_name)
    missed: dict[str, list[Row]] = {}
    for rank, row in enumerate(table.rows):
        if row.names_run:
            continue
        found = by_task.find(row)
        if row.is_report and not found:
            missed.setdefault(row.file, []).append(row)
        else:
            assign(rank, row, found, by_task.why_none)
    of_report = Counter(row.file for row in table.rows if row.is_report)
    problems += (_missed(rows, of_report[file]) for file, rows in missed.items())
    joined = [
        _joined(entry, [row for _, row in sorted(rows, key=_rank)], task_name, problems)
        for entry, rows in zip(entries, said, strict=True)
    ]
    return joined, list(listed(problems))


def _rank(ranked: tuple[int, Row]) -> int:
    return ranked[0]


class _ByName:
    """The positions of runs by what names one run: id, path, uuid, session."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._found: dict[tuple[str, str], list[int]] = {}
        for position, entry in enumerate(entries):
            for key in dict.fromkeys(_names_of(entry)):
                self._found.setdefault(key, []).append(position)

    def find(self, row: Row) -> list[int]:
        """The runs that the first key with any run means."""
        if row.runs:
            return [position for page_id in row.runs for position in self._found.get(("id", page_id), ())]
        keys = (
            ("id", row.id),
            ("path", row.path and posixpath.normpath(row.path)),
            ("location", row.location),
            ("uuid", row.uuid),
            ("session", row.session),
        )
        return next((found for kind, value in keys if value and (found := self._found.get((kind, value)))), [])


def _names_of(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "id", entry.id
    yield "path", entry.source.path
    yield "path", entry.source.within
    if entry.source.member is None:
        yield "location", os.path.abspath(entry.source.location)  # noqa: PTH100  keeps links, as `path` of a row does
    for uuid in (entry.run.uuid, *entry.run.result_uuids):
        if uuid:
            yield "uuid", uuid
    if entry.run.session_id:
        yield "session", entry.run.session_id


class _ByTask:
    """The positions of runs by task, model and attempt, as far as a row states them.

    Tasks are compared without regard to case, and where none fits, without `.1-of-5` and `__run1`, which benchmarks
    append for attempts. Models are compared as the path or a sidecar calls them, then as the run's file does, each
    as raw id and as display name.
    """

    def __init__(self, entries: Sequence[Entry], model_name: Named, task_name: Named) -> None:
        self._model_name, self._task_name = model_name, task_name
        self._variants: dict[str, tuple[str, ...]] = {}
        self._exact: dict[tuple[str, str, int | None], list[int]] = {}
        self._bare: dict[tuple[str, str, int | None], list[int]] = {}
        self._models: set[str] = set()
        for position, entry in enumerate(entries):
            models = list(dict.fromkeys(self._models_of(entry)))
            self._models.update(model.partition(" ")[2] for model in models)
            if entry.task is None:
                continue
            bare, numbered = _bare(entry.task)
            attempt = numbered if entry.attempt is None else entry.attempt
            for table, task, number in (
                (self._exact, entry.task.casefold(), entry.attempt),
                (self._bare, bare, attempt),
            ):
                for model in ("", *models):
                    for key in {(task, model, number), (task, model, None)}:
                        table.setdefault(key, []).append(position)

    def find(self, row: Row) -> Sequence[int]:
        """The runs that a row fits."""
        task = row.task or ""
        exact = dict.fromkeys((task.casefold(), self._task_name(task).casefold()))
        bare, numbered = _bare(task)
        attempt = numbered if row.attempt is None else row.attempt
        for table, tasks, number in ((self._exact, exact, row.attempt), (self._bare, {bare: None}, attempt)):
            known = [each for each in tasks if (each, "", None) in table]
            if known:
                keys = ((each, model, number) for each in known for model in self._models_meant(row))
                return next((found for key in keys if (found := table.get(key))), ())
        return ()

    def why_none(self, row: Row) -> str:
        """Why no run fits a row, as a sentence."""
        if not self.find(replace(row, model=None, attempt=None)):
            return f"No run has the task '{row.task}'."
        if not self.find(replace(row, attempt=None)):
            return f"No run of the task '{row.task}' has the model '{row.model}'."
        return f"No run of the task '{row.task}'{f' with {row.model}' if row.model else ''} is attempt {row.attempt}."

    def _models_meant(self, row: Row) -> tuple[str, ...]:
        """Keys for the model of a row, the most exact first; one that fits any model when the row states none.

        A name in the path of a report is that of its model when any run has a model of this name.
        """
        stated = [row.model] if row.model else [h for h in row.model_hints if self._models & {*self._names(h)}][:1]
        if not stated:
            return ("",)
        names = self._names(stated[0])
        return tuple(f"{kind} {name}" for kind in ("path", "file") for name in names)

    def _models_of(self, entry: Entry) -> Iterator[str]:
        """Every name of the main model of a run, with where it stands."""
        if entry.stated_model:
            yield from (f"path {name}" for name in self._names(entry.stated_model))
        for model in (entry.run.model, entry.model):
            if model:
                yield from (f"file {name}" for name in self._names(model))

    def _names(self, model: str) -> tuple[str, ...]:
        """What a model may also be called: its display name, and both without the provider before them."""
        if model not in self._variants:
            without = model.replace("__", "/").rpartition("/")[2]
            names = (model, self._model_name(model), without, self._model_name(without))
            self._variants[model] = tuple(dict.fromkeys(name.casefold() for name in names if name))
        return self._variants[model]


_ATTEMPT = re.compile(r"(.+?)(?:\.([0-9]{1,9})-of-[0-9]{1,9}(?:\.[^\n]*)?|(?:__|[._-])run[_-]?([0-9]{1,9}))")


def _bare(task: str) -> tuple[str, int | None]:
    """A task in lower case without the attempt that a benchmark appends, and that attempt."""
    task = task.casefold()
    found = _ATTEMPT.fullmatch(task)
    return (found[1], int(found[2] or found[3])) if found else (task, None)


def _placed(entry: Entry, ranked: Ranked, model_name: Named, task_name: Named) -> Entry:
    """The entry with the task, model and attempt that its rows state; else with those that its path states."""
    rows = [row for _, row in sorted(ranked, key=_rank)]
    task = next((row.task for row in rows if row.task), None)
    model = next((row.model for row in rows if row.model), entry.stated_model)
    attempt = next((row.attempt for row in rows if row.attempt is not None), entry.attempt)
    if not rows:
        return entry
    return replace(
        entry,
        task=task_name(task) if task else entry.task,
        model=entry.model if entry.models or not model else model_name(model),
        attempt=attempt,
        stated_model=model,
    )


def _joined(entry: Entry, rows: Sequence[Row], task_name: Named, problems: list[Problem]) -> Entry:
    """The entry with everything that its rows state; adds to `problems` where they contradict each other."""
    chosen: dict[str, tuple[object, Row]] = {}
    for row in rows:
        for what, value in _statements(row, task_name):
            counts, first = chosen.setdefault(what, (value, row))
            if value != counts:
                where = first.file if first.line is None else f"{first.file}, line {first.line},"
                reason = f"It says {what} {value} of {entry.source.path}; {where} says {counts}, which counts."
                problem = _problem("W_OUTCOME_CONFLICT", row, reason)
                problems.append(replace(problem, verdict=Verdict.ACCEPT, page_id=entry.id))
    scores: dict[str, Score] = {}
    for score in (score for row in rows for score in row.scores):
        scores.setdefault(score.name, score)
    return replace(
        entry,
        outcome=next((row.outcome for row in rows if row.outcome), entry.outcome),
        scores=tuple(scores.values()) if rows else entry.scores,
        labels=tuple(dict.fromkeys(label for row in rows for label in row.labels)) if rows else entry.labels,
        started_at=next((row.started_at for row in rows if row.started_at), entry.started_at or entry.run.started_at),
    )


def _statements(row: Row, task_name: Named) -> Iterator[tuple[str, object]]:
    """What a row says of its run, where another row could say otherwise."""
    if row.outcome:
        yield "outcome", row.outcome
    if row.started_at:
        yield "started_at", row.started_at
    for score in row.scores:
        yield score.name, score.value
    if row.names_run and row.task:
        yield "task", task_name(row.task)
    if row.names_run and row.attempt is not None:
        yield "attempt", row.attempt


def _no_such_run(row: Row) -> str:
    keys = (("id", row.id), ("path", row.path), ("uuid", row.uuid), ("session", row.session))
    what, value = next(((what, value) for what, value in keys if value), ("id", None))
    return f"No run has the {what} '{value}'."


def _ambiguous(row: Row, first: Sequence[str], count: int) -> Problem:
    more = f" and {count - 3:,} more" if count > 3 else ""
    reason = f"It fits {count:,} runs ({', '.join(first)}{more}), so it counts for none: add what tells them apart."
    return _problem("W_OUTCOME_AMBIGUOUS", row, reason)


def _missed(rows: Sequence[Row], of: int) -> Problem:
    names = ", ".join(str(row.task) for row in rows[:3])
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return _problem("W_OUTCOME_UNMATCHED", rows[0], f"{len(rows):,} of its {of:,} verdicts fit no run: {names}{more}.")


def _problem(code: str, row: Row, reason: str) -> Problem:
    return Problem(row.file, code, Verdict.SKIP, reason, None if row.line is None else f"line {row.line}")
